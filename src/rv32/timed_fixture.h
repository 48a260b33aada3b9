/* Programs of a few RISC-V instructions in timed mode, for tests of what they take. */
#ifndef BHEMU_RV32_TIMED_FIXTURE_H
#define BHEMU_RV32_TIMED_FIXTURE_H

#include "rv32/fixture.h"
#include "rv32/timed.h"

enum { WORDS = 64 };

/* A program as it is written. */
struct sequence {
    uint32_t words[WORDS];
    unsigned count;
};

static inline void add(struct sequence *sequence, uint32_t word)
{
    assert_true(sequence->count < WORDS);
    sequence->words[sequence->count++] = word;
}

static inline void prepare(struct fixture *fixture, struct rv32_timing *timing)
{
    uint8_t id = fixture->core.id;
    *timing = (struct rv32_timing){0};
    fixture->rv32.timing = timing;
    fixture->rv32.flushable = true;
    fixture->clock = (struct clock){.timed = true};
    rv32_reset(&fixture->core, 0x100);
    fixture->core.id = id;
    fixture->core.csr[RV32_CSR_cfg0] |= RV32_CFG0_DIS_LOW_CASH;
}

static inline uint64_t run(struct fixture *fixture)
{
    struct rv32_turn turn = {.until = 1 << 20, .end = 1 << 20};
    rv32_run_timed(&fixture->rv32, &turn);
    assert_int_equal(fixture->core.halt, RV32_SELF_JUMP);
    return clock_of(&fixture->clock, fixture->core.id);
}

#endif
