/* The cycles of the Matrix Unit. Sources: ISA documentation MatrixUnit.md, Dst.md, SHIFTXB.md, MOVA2D.md, MOVB2D.md,
   MOVD2A.md, MOVD2B.md; chapter "FPU operations" (16 MVMULs of a tile take 16 cycles a fidelity phase). */
#include "tensix/timed_fixture.h"

enum { START = 1000, GATE = START + TIMING_PUSH_TO_GATE };

#define MVMUL(row) TT_OP_MVMUL(0, 0, 0, row)
#define CLEARDVALID_NONE TT_OP_CLEARDVALID(0, 0)
#define ELWADD(accumulate, row) TT_OP_ELWADD(0, accumulate, 0, 0, row)

/* Measured: accumulation onto the same block is possible every sixth cycle, one more than Dst.md has it. */
#define ACCUMULATES(name, first, again)                                                                                \
    static void name##_on_the_same_block_waits(void **state)                                                           \
    {                                                                                                                  \
        assert_int_equal(timed_distance(state, START, first, again), 6);                                               \
    }
ACCUMULATES(mvmul, MVMUL(0), MVMUL(0))
ACCUMULATES(dotpv, TT_OP_DOTPV(0, 0, 0, 0, 0), TT_OP_DOTPV(0, 0, 0, 0, 0))
ACCUMULATES(gapool, TT_OP_GAPOOL(0, 0, 0, 0, 0), TT_OP_GAPOOL(0, 0, 0, 0, 0))
ACCUMULATES(gmpool, TT_OP_GMPOOL(0, 1, 0, 0, 0), TT_OP_GMPOOL(0, 1, 0, 0, 0))
ACCUMULATES(elwmul, TT_OP_ELWMUL(0, 0, 0, 0, 0), TT_OP_ELWMUL(0, 0, 0, 0, 0))
ACCUMULATES(elwadd, ELWADD(1, 0), ELWADD(1, 0))
ACCUMULATES(elwsub, TT_OP_ELWSUB(0, 1, 0, 0, 0), TT_OP_ELWSUB(0, 1, 0, 0, 0))
/* blackhole-py, tests/operation_pocs/fpu: 16 sums that overwrite take as long as 16 that accumulate. */
ACCUMULATES(elwadd_without_accumulation, ELWADD(0, 0), ELWADD(0, 0))
ACCUMULATES(elwsub_without_accumulation, TT_OP_ELWSUB(0, 0, 0, 0, 0), TT_OP_ELWSUB(0, 0, 0, 0, 0))

/* Rows 0 to 7 are one block: GAPOOL at row 4 reads what MVMUL writes at row 0. */
static void blocks_are_of_eight_aligned_rows(void **state)
{
    assert_int_equal(timed_distance(state, START, MVMUL(0), TT_OP_GAPOOL(0, 0, 0, 0, 4)), 6);
}

static void block_after_block_takes_a_cycle(void **state)
{
    assert_int_equal(timed_distance(state, START, MVMUL(0), MVMUL(8)), 1);
}

/* MVMULs of so many blocks in turn: cycles from the first one to number `last`. */
static uint64_t cycles_of_blocks(void **state, unsigned blocks, unsigned last)
{
    enum { MVMULS = 25 };
    struct fixture *f = timed_with_sources(state);
    struct timed_passes passes[TENSIX_THREADS];
    uint32_t words[MVMULS];
    for (unsigned i = 0; i < MVMULS; i++) {
        words[i] = MVMUL(i % blocks * 8);
    }
    timed_push_each_cycle(f, T1, START, words, MVMULS);
    timed_run(f, passes);
    return passes[T1].at[last] - passes[T1].at[0];
}

static void six_blocks_give_an_instruction_a_cycle(void **state)
{
    assert_int_equal(cycles_of_blocks(state, 6, 24), 24);
}

static void five_blocks_wait_a_cycle_each_round(void **state)
{
    assert_int_equal(cycles_of_blocks(state, 5, 20), 4 * 6);
}

/* Two threads share the unit: it accepts one instruction a cycle from both. */
static void threads_share_the_unit(void **state)
{
    struct fixture *f = timed_with_sources(state);
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, TT_OP_CLREXPHIST, TT_OP_CLREXPHIST, TT_OP_CLREXPHIST);
    TIMED_WORDS(f, T1, START, TT_OP_CLREXPHIST, TT_OP_CLREXPHIST, TT_OP_CLREXPHIST);
    timed_run(f, passes);
    uint64_t last = passes[T0].at[2] > passes[T1].at[2] ? passes[T0].at[2] : passes[T1].at[2];
    assert_int_equal(last, GATE + 5);
}

/* Those that take a cycle: one behind the other. */
static void simple_instructions_take_a_cycle(void **state)
{
    static const uint32_t words[] = {
        TT_OP_SETRWC(0, 0, 0, 0, 0, 0),
        TT_OP_INCRWC(0, 0, 0, 0),
        TT_OP_CLREXPHIST,
        TT_OP_GATESRCRST(0, 0),
        TT_OP_ZEROACC(0, 0, 0, 0, 0),
        TT_OP_ZEROSRC(0, 0, 0, 3),
        TT_OP_TRNSPSRCB,
        TT_OP_CLEARDVALID(0, 0),
        TT_OP_CLREXPHIST,
    };
    struct fixture *f = timed_with_sources(state);
    struct timed_passes passes[TENSIX_THREADS];
    timed_push_each_cycle(f, T1, START, words, COUNT_OF(words));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T1], GATE, 0, 1, 2, 3, 4, 5, 6, 7, 8);
}

static void shiftxb_goes_every_other_cycle(void **state)
{
    assert_int_equal(timed_distance(state, START, TT_OP_SHIFTXB(0, 0, 0), TT_OP_SHIFTXB(0, 0, 0)), 2);
}

static void nothing_follows_shiftxb_in_the_next_cycle(void **state)
{
    assert_int_equal(timed_distance(state, START, TT_OP_SHIFTXB(0, 0, 0), TT_OP_CLREXPHIST), 2);
}

static void movd2a_follows_movd2a_at_once(void **state)
{
    assert_int_equal(timed_distance(state, START, TT_OP_MOVD2A(0, 0, 0, 0, 0), TT_OP_MOVD2A(0, 0, 0, 0, 0)), 1);
}

static void others_wait_a_cycle_behind_movd2a(void **state)
{
    assert_int_equal(timed_distance(state, START, TT_OP_MOVD2A(0, 0, 0, 0, 0), TT_OP_CLREXPHIST), 2);
}

static void movd2b_follows_movd2b_at_once(void **state)
{
    assert_int_equal(timed_distance(state, START, TT_OP_MOVD2B(0, 0, 0, 0, 0), TT_OP_MOVD2B(0, 0, 0, 0, 0)), 1);
}

static void others_wait_three_cycles_behind_movd2b(void **state)
{
    assert_int_equal(timed_distance(state, START, TT_OP_MOVD2B(0, 0, 0, 0, 0), TT_OP_CLREXPHIST), 4);
}

/* Wherever in Dst it reads: for three cycles behind a move to Dst nothing that reads it is accepted. */
static void readers_of_dst_wait_behind_mova2d(void **state)
{
    assert_int_equal(timed_distance(state, START, TT_OP_MOVA2D(0, 0, 0, 0, 0), MVMUL(64)), 4);
}

static void readers_of_dst_wait_behind_movb2d(void **state)
{
    assert_int_equal(timed_distance(state, START, TT_OP_MOVB2D(0, 0, 0, 0, 0), MVMUL(64)), 4);
}

static void readers_of_dst_wait_behind_movdbga2d(void **state)
{
    assert_int_equal(timed_distance(state, START, TT_OP_MOVDBGA2D(0, 0, 0, 0, 0), MVMUL(64)), 4);
}

static void moves_follow_mova2d_at_once(void **state)
{
    assert_int_equal(timed_distance(state, START, TT_OP_MOVA2D(0, 0, 0, 0, 0), TT_OP_MOVA2D(0, 8, 0, 0, 8)), 1);
}

static void elwadd_alone_follows_mova2d_at_once(void **state)
{
    assert_int_equal(timed_distance(state, START, TT_OP_MOVA2D(0, 0, 0, 0, 0), ELWADD(0, 64)), 1);
}

static void readers_of_srca_wait_behind_movb2a(void **state)
{
    assert_int_equal(timed_distance(state, START, TT_OP_MOVB2A(0, 0, 0, 0), MVMUL(0)), 4);
}

/* A tile of 32x32x32: 16 MVMULs for each fidelity phase, which is the outer loop. */
static void a_tile_takes_16_cycles_a_fidelity_phase(void **state)
{
    struct fixture *f = timed_with_sources(state);
    struct timed_passes passes[TENSIX_THREADS];
    for (unsigned i = 0; i < 4 * 16; i++) {
        struct pushed word = {.word = MVMUL(i % 8 * 8)};
        if (frontend_push_timed(&f->tensix, T1, word, false, START + i) != STEP_DONE) {
            break;
        }
    }
    timed_run(f, passes);
    assert_in_range(passes[T1].count, 17, 64);
    assert_int_equal(passes[T1].at[16] - passes[T1].at[0], 16);
}

/* blackhole-py operation_pocs/runtime (release of a bank: 19 cycles, 17 of which take waits for banks that are there)
   and its RMSNorm kernels: STALLWAIT sees any instruction for so long, and lets go a cycle later. */
static void stallwait_sees_an_instruction_for_six_cycles(void **state)
{
    enum { STALL_SFPU = 0x100, WAIT_MATH = 0x10 };
    static const uint32_t words[] = {MVMUL(0), CLEARDVALID_NONE};
    for (unsigned i = 0; i < COUNT_OF(words); i++) {
        struct fixture *f = timed_with_sources(state);
        struct timed_passes passes[TENSIX_THREADS];
        uint64_t start = START + 100 * i;
        TIMED_WORDS(f, T1, start, words[i], TT_OP_STALLWAIT(STALL_SFPU, WAIT_MATH), TT_OP_SFPNOP);
        timed_run(f, passes);
        ASSERT_PASSED(passes[T1], start + TIMING_PUSH_TO_GATE, 0, 1, 6 + TIMING_WAIT_GATE_LAG);
    }
}

/* blackhole-py operation_pocs/fpu, microbench_math_backend.py: TTSync waits for the pipeline, whose last stage is a
   cycle later for what computes; SETRWC and CLEARDVALID never get there, and are seen as long as by STALLWAIT. */
static void ttsync_waits_for_the_pipeline(void **state)
{
    static const struct {
        uint32_t word;
        unsigned cycles;
    } cases[] = {
        {MVMUL(0), 9},
        {ELWADD(1, 0), 9},
        {TT_OP_GMPOOL(0, 1, 0, 0, 0), 9},
        {TT_OP_MOVB2D(0, 0, 0, 0, 0), 8},
        {TT_OP_MOVD2A(0, 0, 0, 0, 0), 8},
        {TT_OP_ZEROACC(0, 0, 0, 0, 0), 8},
        {CLEARDVALID_NONE, 6},
        {TT_OP_SETRWC(0, 0, 0, 0, 0, 0), 6},
    };
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        struct fixture *f = timed_with_sources(state);
        struct timed_passes passes[TENSIX_THREADS];
        uint64_t start = START + 100 * i;
        timed_push(f, T1, start, cases[i].word);
        timed_run(f, passes);
        assert_int_equal(frontend_done(&f->tensix, T1), start + TIMING_PUSH_TO_GATE + cases[i].cycles);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMED_TEST(mvmul_on_the_same_block_waits),
        TIMED_TEST(dotpv_on_the_same_block_waits),
        TIMED_TEST(gapool_on_the_same_block_waits),
        TIMED_TEST(gmpool_on_the_same_block_waits),
        TIMED_TEST(elwmul_on_the_same_block_waits),
        TIMED_TEST(elwadd_on_the_same_block_waits),
        TIMED_TEST(elwsub_on_the_same_block_waits),
        TIMED_TEST(elwadd_without_accumulation_on_the_same_block_waits),
        TIMED_TEST(elwsub_without_accumulation_on_the_same_block_waits),
        TIMED_TEST(blocks_are_of_eight_aligned_rows),
        TIMED_TEST(block_after_block_takes_a_cycle),
        TIMED_TEST(six_blocks_give_an_instruction_a_cycle),
        TIMED_TEST(five_blocks_wait_a_cycle_each_round),
        TIMED_TEST(threads_share_the_unit),
        TIMED_TEST(simple_instructions_take_a_cycle),
        TIMED_TEST(shiftxb_goes_every_other_cycle),
        TIMED_TEST(nothing_follows_shiftxb_in_the_next_cycle),
        TIMED_TEST(movd2a_follows_movd2a_at_once),
        TIMED_TEST(others_wait_a_cycle_behind_movd2a),
        TIMED_TEST(movd2b_follows_movd2b_at_once),
        TIMED_TEST(others_wait_three_cycles_behind_movd2b),
        TIMED_TEST(readers_of_dst_wait_behind_mova2d),
        TIMED_TEST(readers_of_dst_wait_behind_movb2d),
        TIMED_TEST(readers_of_dst_wait_behind_movdbga2d),
        TIMED_TEST(moves_follow_mova2d_at_once),
        TIMED_TEST(elwadd_alone_follows_mova2d_at_once),
        TIMED_TEST(readers_of_srca_wait_behind_movb2a),
        TIMED_TEST(stallwait_sees_an_instruction_for_six_cycles),
        TIMED_TEST(ttsync_waits_for_the_pipeline),
        TIMED_TEST(a_tile_takes_16_cycles_a_fidelity_phase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
