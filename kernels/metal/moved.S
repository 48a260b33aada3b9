# A kernel that finds out whether it has been moved as it should: everything that its words say of places is compared
# with what it sees. Linked without relaxation, so that nothing is left to gp. The semaphore counts what is right.
#include "layout.h"

#define SEMAPHORES 8 /* in struct metal_kernel */

    .macro expect_equal left, right
    bne \left, \right, 1f
    addi a0, a0, 1
1:
    .endm

    .section .text.main, "ax"
    .globl kernel_main
kernel_main:
    mv a1, ra
    li a0, 0
    auipc t0, 0
    addi t0, t0, 8
here:

    # An address of the code, by LUI.
    lui t1, %hi(here)
    addi t1, t1, %lo(here)
    expect_equal t0, t1

    # A word of the code, by LUI and the load, and by LUI and a store.
    lui t1, %hi(kernel_word)
    lw t2, %lo(kernel_word)(t1)
    li t3, 0x12345678
    expect_equal t2, t3
    sw a0, %lo(kernel_word)(t1)
    la t1, kernel_word
    lw t2, 0(t1)
    expect_equal t2, a0
    sw t3, 0(t1)

    # Local RAM, by AUIPC from here.
kernel_local:
    auipc t1, %pcrel_hi(kernel_data)
    lw t2, %pcrel_lo(kernel_local)(t1)
    lui t1, %hi(kernel_data)
    lw t3, %lo(kernel_data)(t1)
    expect_equal t2, t3
kernel_store:
    auipc t1, %pcrel_hi(kernel_data)
    sw a0, %pcrel_lo(kernel_store)(t1)
    lui t1, %hi(kernel_data)
    lw t3, %lo(kernel_data)(t1)
    expect_equal t3, a0

    # An address of the code that is data; the image of it lies behind the code.
    expect_equal t0, t2

    # A call, as compilers make it.
    call kernel_add_one

    lui t1, %hi(metal)
    addi t1, t1, %lo(metal)
    lw t1, SEMAPHORES(t1)
    sw a0, 0(t1)
    lw a0, 0(t1)
    fence
    jr a1

kernel_add_one:
    addi a0, a0, 1
    ret

    .p2align 2
kernel_word:
    .word 0x12345678

    .section .data.moved, "aw"
kernel_data:
    .word here
