/* What a math program (T1) does around its instructions: address modes, and Dst in two halves, so that the packer
   empties one while the matrix and vector units fill the other. SEMAPHORE_MATH_PACK counts the halves that are full.
   Source: chapter "rwc and addressing"; ISA documentation RWCs.md, Dst.md. */
#ifndef BHEMU_KERNELS_MATH_H
#define BHEMU_KERNELS_MATH_H

#include "arguments.h"
#include "sync.h"

enum { DST_HALF_ROWS = 512, DST_TILE_ROWS = 64, DST_HALF_TILES = 8 };

/* SETRWC: which counters it sets, which banks it gives back to the unpackers. */
enum { SET_A = 1, SET_B = 2, SET_D = 4, SET_FIDELITY = 8, SET_ALL = 15 };
enum { RELEASE_NONE = 0, RELEASE_A = 1, RELEASE_B = 2, RELEASE_BOTH = 3 };

/* The parts of an address mode: what happens to a counter after the instruction. */
#define INCREMENT(n) (n)
#define CHECKPOINT(n) ((n) | 1 << 6)
#define CLEAR (1 << 7)
#define DST_INCREMENT(n) (n)
#define DST_CHECKPOINT(n) ((n) | 1 << 10)
#define DST_CLEAR (1 << 11)
#define FIDELITY_INCREMENT(n) ((n) << 13)

/* Makes address mode `index`, 0 to 7, of this thread: what happens to SrcA's, SrcB's and Dst's row counters (and, with
   Dst's, to the fidelity phase) after an instruction that names it. All are constants. */
#define ADDRESS_MODE(index, a, b, dst)                                                                                 \
    do {                                                                                                               \
        TTI_SETC16(ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32 + (index), (a) | (b) << 8);                                        \
        TTI_SETC16(ADDR_MOD_DST_SEC0_DestIncr_ADDR32 + (index), dst);                                                  \
        TTI_SETC16(ADDR_MOD_BIAS_SEC0_BiasIncr_ADDR32 + (index), 0);                                                   \
    } while (0)

enum { MATH_STAY = 3 }; /* the address mode after which counters are as they were */

struct math {
    uint32_t half_base; /* first Dst row of the half in use */
};

/* Takes over Dst: 16-bit data, all zero. Must not run while a packer still works. */
static inline void math_configure(struct math *math)
{
    math->half_base = 0;
    tensix_begin();
    TTI_SEMINIT(2, 0, 1 << SEMAPHORE_MATH_PACK);
    TTI_STALLWAIT(BLOCK_CONFIG, WAIT_MATH | WAIT_VECTOR);
    CONFIG_MODIFY(DEST_ACCESS_CFG_zeroacc_absolute_tile_mode, 0);
    CONFIG_MODIFY_MASK(
        ALU_ACC_CTRL_Fp32_enabled_ADDR32,
        ALU_ACC_CTRL_Fp32_enabled_MASK | ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK | ALU_ACC_CTRL_INT8_math_enabled_MASK, 0);
    TTI_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32, 0);
    ADDRESS_MODE(MATH_STAY, 0, 0, 0);
    TTI_SETRWC(RELEASE_NONE, 0, 0, 0, 0, SET_ALL);
    TTI_ZEROACC(3, 0, 0, 3, 0);
}

/* Waits, in the coprocessor, for a half that the packer has emptied. */
static inline void math_begin_half(void)
{
    TTI_SEMWAIT(BLOCK_MATH | BLOCK_VECTOR | BLOCK_SYNC, 1 << SEMAPHORE_MATH_PACK, WHILE_MAX);
}

/* Instructions that follow work on this tile of the half, 0 to 7. */
static inline void math_select_tile(const struct math *math, uint32_t tile)
{
    TT_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32, math->half_base + tile * DST_TILE_ROWS);
}

/* Moves a tile to Dst, whose faces come to SrcA one after the other. */
static inline void math_move_tile(void)
{
    enum { MOVE_8_ROWS = 2 };
    for (uint32_t row = 0; row < DST_TILE_ROWS; row += FACE_ROWS) {
        TT_MOVA2D(0, 0, MATH_STAY, MOVE_8_ROWS, row);
        TT_MOVA2D(0, 8, MATH_STAY, MOVE_8_ROWS, row + 8);
        TTI_SETRWC(RELEASE_A, 0, 0, 0, 0, SET_A);
    }
}

/* Hands the half to the packer and turns to the other. */
static inline void math_end_half(struct math *math)
{
    TTI_STALLWAIT(BLOCK_SYNC, WAIT_MATH | WAIT_VECTOR);
    TTI_SEMPOST(1 << SEMAPHORE_MATH_PACK);
    math->half_base ^= DST_HALF_ROWS;
    TTI_STALLWAIT(BLOCK_CONFIG, WAIT_MATH | WAIT_VECTOR);
    math_select_tile(math, 0);
}

#endif
