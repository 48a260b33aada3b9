# Where the firmware of a core begins: C wants its local RAM, of which the host has left an image at IMAGE.
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
copy_data:
    bgeu t0, t1, data_copied
    lw t3, 0(t2)
    sw t3, 0(t0)
    addi t0, t0, 4
    addi t2, t2, 4
    j copy_data
data_copied:

    la t0, bss_start
    la t1, bss_end
clear_bss:
    bgeu t0, t1, bss_cleared
    sw zero, 0(t0)
    addi t0, t0, 4
    j clear_bss
bss_cleared:
    tail firmware_main
