# Where the firmware of a core begins: C wants its local RAM, of which the host has left an image at IMAGE.
#include "start.inc"

    .section .text.start, "ax"
    .globl _start
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, stack_top

    la t0, data_start
    la t1, data_end
    li t2, IMAGE
    COPY_WORDS t0, t1, t2

    la t0, bss_start
    la t1, bss_end
    CLEAR_WORDS t0, t1
    tail firmware_main
