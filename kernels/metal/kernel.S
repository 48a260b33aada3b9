# Where a kernel begins: called by the firmware, it makes its part of local RAM what C expects. The image of its data
# lies behind its code, wherever that is.
    .section .text.start, "ax"
    .globl kernel_start
kernel_start:
    la t0, kernel_data_start
    la t1, kernel_data_end
    la t2, kernel_data_image
copy_data:
    bgeu t0, t1, data_copied
    lw t3, 0(t2)
    sw t3, 0(t0)
    addi t0, t0, 4
    addi t2, t2, 4
    j copy_data
data_copied:

    la t0, kernel_bss_start
    la t1, kernel_bss_end
clear_bss:
    bgeu t0, t1, bss_cleared
    sw zero, 0(t0)
    addi t0, t0, 4
    j clear_bss
bss_cleared:
    tail kernel_main
