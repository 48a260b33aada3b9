# Where a kernel begins: called by the firmware, it makes its part of local RAM what C expects. The image of its data
# lies behind its code, wherever that is.
#include "start.inc"

    .section .text.start, "ax"
    .globl kernel_start
kernel_start:
    la t0, kernel_data_start
    la t1, kernel_data_end
    la t2, kernel_data_image
    COPY_WORDS t0, t1, t2

    la t0, kernel_bss_start
    la t1, kernel_bss_end
    CLEAR_WORDS t0, t1
    tail kernel_main
