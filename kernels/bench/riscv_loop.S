/* bench, any core: a loop of eight plain instructions, `rows` million times eight. Loads, stores, arithmetic, a branch. */
#include "layout.h"

    .globl kernel_main
kernel_main:
    li      t0, LAYOUT_ARGUMENTS
    lw      t1, 12(t0)              /* rows: millions of instructions */
    li      t2, 125000
    mul     t1, t1, t2              /* iterations */
    la      t3, scratch
    li      t4, 0x9e3779b9
    li      a0, 1
1:  lw      a1, 0(t3)
    add     a0, a0, t4
    xor     a1, a1, a0
    slli    a2, a1, 3
    sw      a1, 0(t3)
    sub     a0, a0, a2
    addi    t1, t1, -1
    bnez    t1, 1b
    ret

    .bss
    .balign 4
scratch:
    .space  4
