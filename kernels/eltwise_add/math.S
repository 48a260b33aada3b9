# eltwise_add, math, in assembly: Dst = SrcA + SrcB, eight rows at a time; the second half of a face gives its banks back.
# What runtime/math.h and runtime/mop.h do for programs in C is written out here.
#include "layout.h"
#include "tensix.h"
#include "tensix_config.h"

#define INSTRUCTION_BUFFER 0xffe40000
#define MOP_CONFIG 0xffb80000
#define PC_BUFFER 0xffe80000
#define ARGUMENT_ROWS 12
#define ARGUMENT_COLUMNS 16

#define BLOCK_SYNC 0x002
#define BLOCK_MATH 0x040
#define BLOCK_CONFIG 0x080
#define BLOCK_VECTOR 0x100
#define WAIT_MATH 0x010
#define WAIT_VECTOR 0x800
#define SEMAPHORE_MATH_PACK (1 << 1)
#define WHILE_MAX 2

#define SET_ALL 15
#define RELEASE_BOTH 3
#define HALF_TILES 8
#define HALF_ROWS 512
#define TILE_ROWS 64

    .macro address_mode index, ab, dst
    ttsetc16 ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32 + \index, \ab
    ttsetc16 ADDR_MOD_DST_SEC0_DestIncr_ADDR32 + \index, \dst
    ttsetc16 ADDR_MOD_BIAS_SEC0_BiasIncr_ADDR32 + \index, 0
    .endm

    .macro mop_register index, word
    li t1, \word
    sw t1, 4 * \index(t0)
    .endm

    # Stores to one of the two places where a thread waits for itself, and loads from it: the load comes back late.
    .macro wait_idle index
    li t0, PC_BUFFER
    sw zero, 4 * \index(t0)
    lw t1, 4 * \index(t0)
    and zero, zero, t1
    .endm

    .text
    .globl kernel_main
kernel_main:
    ttsetc16 CFG_STATE_ID_StateID_ADDR32, 0
    ttnop
    ttnop
    ttnop

    # Dst holds 16-bit data, and is zero.
    ttseminit 2, 0, SEMAPHORE_MATH_PACK
    ttstallwait BLOCK_CONFIG, WAIT_MATH | WAIT_VECTOR
    ttrmwcib0 DEST_ACCESS_CFG_zeroacc_absolute_tile_mode_MASK, 0, DEST_ACCESS_CFG_zeroacc_absolute_tile_mode_ADDR32
    ttrmwcib3 0xe0, 0, ALU_ACC_CTRL_Fp32_enabled_ADDR32
    ttsetc16 DEST_TARGET_REG_CFG_MATH_Offset_ADDR32, 0
    address_mode 0, 8 | 8 << 8, 8
    address_mode 1, 0x80 | 0x80 << 8, 8
    address_mode 3, 0, 0
    ttsetrwc 0, 0, 0, 0, 0, SET_ALL
    ttzeroacc 3, 0, 0, 3, 0

    # Four faces of two halves: outer, inner, start, end0, end1, body0, body1, last_outer, last_inner.
    wait_idle 2
    li t0, MOP_CONFIG
    mop_register 0, 4
    mop_register 1, 2
    mop_register 2, TT_OP_NOP
    mop_register 3, TT_OP_NOP
    mop_register 4, TT_OP_NOP
    mop_register 5, TT_OP_ELWADD(0, 0, 0, 0, 0)
    mop_register 6, TT_OP_NOP
    mop_register 7, TT_OP_ELWADD(RELEASE_BOTH, 0, 0, 1, 0)
    mop_register 8, TT_OP_ELWADD(RELEASE_BOTH, 0, 0, 1, 0)

    # a0: tiles left; a1: the half's first row; a2: where instructions are pushed; a3: SETC16 of the Dst offset.
    li t0, LAYOUT_ARGUMENTS
    lw t1, ARGUMENT_ROWS(t0)
    lw t2, ARGUMENT_COLUMNS(t0)
    mul a0, t1, t2
    li a1, 0
    li a2, INSTRUCTION_BUFFER
    li a3, TT_OP_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32, 0)

half:
    beqz a0, done
    ttsemwait BLOCK_MATH | BLOCK_VECTOR | BLOCK_SYNC, SEMAPHORE_MATH_PACK, WHILE_MAX
    li t0, HALF_TILES
    minu t0, t0, a0
    sub a0, a0, t0
    mv t1, a1
tile:
    add t2, a3, t1
    sw t2, 0(a2)
    ttmop 1, 0, 0
    ttsetrwc 0, 0, 0, 0, 0, SET_ALL
    addi t1, t1, TILE_ROWS
    addi t0, t0, -1
    bnez t0, tile

    # To the packer with it, and on to the other half.
    ttstallwait BLOCK_SYNC, WAIT_MATH | WAIT_VECTOR
    ttsempost SEMAPHORE_MATH_PACK
    ttstallwait BLOCK_CONFIG, WAIT_MATH | WAIT_VECTOR
    xori a1, a1, HALF_ROWS
    j half

done:
    wait_idle 1
    ret
