# Where a core begins: makes its local RAM what C expects, runs the kernel, leaves the completion flag, and stays.
# COMPLETION is the address of this core's flag (see layout.h).
#include "layout.h"
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
    la t2, data_image
    COPY_WORDS t0, t1, t2

    la t0, bss_start
    la t1, bss_end
    CLEAR_WORDS t0, t1

    call kernel_main

    # Hosts wait for this word; nothing of the kernel may be on its way any more.
    fence
    li t0, COMPLETION
    li t1, COMPLETION_DONE
    sw t1, 0(t0)
    lw t1, 0(t0)
    fence
    .globl kernel_end
kernel_end:
    j kernel_end
