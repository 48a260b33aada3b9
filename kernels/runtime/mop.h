/* Programming the MOP expander and the replay buffer of this thread.
   Source: ISA documentation MOP.md, MOPExpander.md, REPLAY.md. */
#ifndef BHEMU_KERNELS_MOP_H
#define BHEMU_KERNELS_MOP_H

#include "mmio.h"

/* Template 1: `outer` times { start; `inner` times { body0; body1 }; end0; end1 }. A NOP is left out.
   The last body instruction of the inner loop is replaced: by last_inner, in the last outer iteration by last_outer. */
struct mop_double_loop {
    uint32_t outer, inner;
    uint32_t start;
    uint32_t body0, body1;
    uint32_t last_inner, last_outer;
    uint32_t end0, end1;
};

/* Gives the expander the loop, once it has ended the one before it. The words are Tensix instructions: TT_OP_NAME(...).
 */
static inline void mop_program_double_loop(const struct mop_double_loop *mop)
{
    mop_wait_idle();
    TENSIX_MOP_CONFIG[0] = mop->outer;
    TENSIX_MOP_CONFIG[1] = mop->inner;
    TENSIX_MOP_CONFIG[2] = mop->start;
    TENSIX_MOP_CONFIG[3] = mop->end0;
    TENSIX_MOP_CONFIG[4] = mop->end1;
    TENSIX_MOP_CONFIG[5] = mop->body0;
    TENSIX_MOP_CONFIG[6] = mop->body1;
    TENSIX_MOP_CONFIG[7] = mop->last_outer;
    TENSIX_MOP_CONFIG[8] = mop->last_inner;
}

/* Pushes the MOP that executes the loop; the core does not wait for its end. */
static inline void mop_run_double_loop(void)
{
    TTI_MOP(1, 0, 0);
}

/* Template 0: `count` times, one bit of a mask each: clear: { a0; a1; a2; a3; b }, set: { skip_a; skip_b }.
   a1, a2 and a3 only with three_more, b and skip_b only with with_b. */
struct mop_masked_loop {
    int with_b, three_more;
    uint32_t a0, a1, a2, a3, b;
    uint32_t skip_a, skip_b;
};

/* Like mop_program_double_loop(): the expander has one program, of either template. */
static inline void mop_program_masked_loop(const struct mop_masked_loop *mop)
{
    mop_wait_idle();
    TENSIX_MOP_CONFIG[1] = (uint32_t)(mop->with_b != 0) | (uint32_t)(mop->three_more != 0) << 1;
    TENSIX_MOP_CONFIG[2] = mop->b;
    TENSIX_MOP_CONFIG[3] = mop->a0;
    TENSIX_MOP_CONFIG[4] = mop->a1;
    TENSIX_MOP_CONFIG[5] = mop->a2;
    TENSIX_MOP_CONFIG[6] = mop->a3;
    TENSIX_MOP_CONFIG[7] = mop->skip_a;
    TENSIX_MOP_CONFIG[8] = mop->skip_b;
}

/* count: 1 to 128. mask: bit 0 is that of the first iteration; those behind the 32nd have a clear bit. */
static inline void mop_run_masked_loop(unsigned count, uint32_t mask)
{
    TT_MOP_CFG(mask >> 16);
    TT_MOP(0, count - 1, mask & 0xffff);
}

/* A double loop that is `times` times one instruction, and then `end`. */
static inline void mop_program_repeat(uint32_t times, uint32_t instruction, uint32_t end)
{
    mop_program_double_loop(&(struct mop_double_loop){
        .outer = 1,
        .inner = times,
        .start = TT_OP_NOP,
        .body0 = instruction,
        .body1 = TT_OP_NOP,
        .last_inner = instruction,
        .last_outer = instruction,
        .end0 = end,
        .end1 = TT_OP_NOP,
    });
}

/* The next `length` instructions go to the replay buffer from `start` on, and are not executed. Both are constants. */
#define REPLAY_LOAD(start, length) TTI_REPLAY(start, length, 0, 1)
/* The word that executes them. */
#define REPLAY_WORD(start, length) TT_OP_REPLAY(start, length, 0, 0)

#endif
