/* What RISC-V cores take for fetching instructions: the instruction cache, and .ttinsn that it makes one instruction.
 */
#include "rv32/timed_fixture.h"

/* A loop of .ttinsn, whose rounds after the first find them in the instruction cache. */
static uint64_t cycles_of_pushes(struct fixture *fixture, enum bh_core core, uint32_t cfg0, unsigned count,
                                 int32_t rounds)
{
    struct sequence sequence = {.count = 0};
    struct rv32_timing timing;
    fixture->core.id = (uint8_t)core;
    prepare(fixture, &timing);
    fixture->core.csr[RV32_CSR_cfg0] |= cfg0;
    add(&sequence, word_addi(T2, ZERO, rounds));
    for (unsigned i = 0; i < count; i++) {
        add(&sequence, 0x02000000u << 2);
    }
    add(&sequence, word_addi(T2, T2, -1));
    add(&sequence, word_b(RV32_OP_BNE, T2, ZERO, -4 * (int32_t)(count + 1)));
    add(&sequence, word_self_jump());
    l1_write(&fixture->l1, 0x100, sequence.words, sequence.count * 4);
    return run(fixture);
}

/* How long they take in the round after so many. */
static uint64_t cycles_of_pushes_after(struct fixture *fixture, enum bh_core core, uint32_t cfg0, unsigned count,
                                       int32_t rounds)
{
    uint64_t before = rounds ? cycles_of_pushes(fixture, core, cfg0, count, rounds) : 0;
    uint64_t nothing = rounds ? cycles_of_pushes(fixture, core, cfg0, 0, rounds) : 0;
    return cycles_of_pushes(fixture, core, cfg0, count, rounds + 1) - before -
           (cycles_of_pushes(fixture, core, cfg0, 0, rounds + 1) - nothing);
}

static void four_pushes_are_one_instruction(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(cycles_of_pushes_after(fixture, BH_CORE_T1, 0, 8, 1), 2);
    assert_int_equal(cycles_of_pushes_after(fixture, BH_CORE_T1, 0, 24, 1), 6); /* nor do they retire later */
    assert_int_equal(cycles_of_pushes_after(fixture, BH_CORE_T1, RV32_CFG0_DIS_TRISC_CACHE, 8, 1), 8);
    assert_int_equal(cycles_of_pushes_after(fixture, BH_CORE_B, 0, 8, 1), 8);
}

/* Measured: blackhole-py's test_l1_accumulation.py and pack of test_rmsnorm_hybrid.py, whose pushes are executed once,
   take as long as if they were not fused, although firmware lets them be. */
static void pushes_are_fused_when_the_instruction_cache_has_them(void **state)
{
    struct fixture *fixture = *state;
    for (unsigned count = 8; count <= 24; count += 16) {                     /* within a line, and beyond it */
        const unsigned waits = count > 16 ? TIMING_RV32_FETCH_LINE - 16 : 0; /* for the second line */
        assert_int_equal(cycles_of_pushes_after(fixture, BH_CORE_T1, 0, count, 0), count + waits);
        assert_int_equal(cycles_of_pushes_after(fixture, BH_CORE_T1, 0, count, 2), count / 4);
    }
}

/* Measured: 1024 .ttinsn in a row, a cycle each, take 1164 cycles with what is around them (blackhole-py's
   test_loadmacro_pipeline.py, macro_serial): 18 a line of sixteen. Slower code does not wait. */
static void new_lines_come_every_18_cycles(void **state)
{
    struct fixture *fixture = *state;
    const uint32_t cfg0 = RV32_CFG0_DIS_TRISC_CACHE;
    const uint64_t lines = cycles_of_pushes_after(fixture, BH_CORE_T1, cfg0, 56, 0) -
                           cycles_of_pushes_after(fixture, BH_CORE_T1, cfg0, 24, 0);
    assert_int_equal(lines, 2 * 18);
    assert_int_equal(cycles_of_pushes_after(fixture, BH_CORE_T0, cfg0, 56, 1), 56);
    struct rv32_timing timing;
    prepare(fixture, &timing);
    assert_int_equal(rv32_time_fetch(&fixture->rv32, 100, 4 * RV32_FETCH_WORDS, false), 100 + TIMING_RV32_FETCH_MISS);
    assert_int_equal(rv32_time_fetch(&fixture->rv32, 200, 5 * RV32_FETCH_WORDS, true), 200);
    assert_int_equal(rv32_time_fetch(&fixture->rv32, 205, 6 * RV32_FETCH_WORDS, true), 205);
    /* two lines were there at 200 */
    assert_int_equal(rv32_time_fetch(&fixture->rv32, 214, 7 * RV32_FETCH_WORDS, true), 214 + 4);
}

/* Measured: blackhole-py's matmul_peak.py with blocks of 2 by 2 tiles takes 1105 cycles a block, which T0 needs for its
   20 rows of unrolled code, three times what its cache holds; each of them jumps over others. With whole lines of 18
   cycles behind each jump it would take 1179. */
static void a_jump_into_a_line_leaves_out_what_is_before(void **state)
{
    struct fixture *fixture = *state;
    for (uint32_t word = 0; word < RV32_FETCH_WORDS; word++) {
        const uint64_t come = 100 + TIMING_RV32_FETCH_MISS;
        struct rv32_timing timing;
        prepare(fixture, &timing);
        assert_int_equal(rv32_time_fetch(&fixture->rv32, 100, 4 * RV32_FETCH_WORDS + word, false), come);
        const uint64_t next = come + (4 - word / 4) * TIMING_RV32_FETCH_LINE / 4;
        assert_int_equal(rv32_time_fetch(&fixture->rv32, next - 1, 5 * RV32_FETCH_WORDS, true), next);
    }
}

/* Measured: blackhole-py's microbench_math_backend.py and microbench_unpack_backend.py (docs/timing.md). */
static void lines_that_are_not_prefetched_come_5_cycles_late(void **state)
{
    struct fixture *fixture = *state;
    const uint32_t cfg0 = RV32_CFG0_DIS_TRISC_CACHE | RV32_CFG0_DIS_IC_PREFETCH;
    const uint64_t lines = cycles_of_pushes_after(fixture, BH_CORE_T1, cfg0, 56, 0) -
                           cycles_of_pushes_after(fixture, BH_CORE_T1, cfg0, 24, 0);
    assert_int_equal(lines, 2 * (16 + 5));
    assert_int_equal(cycles_of_pushes_after(fixture, BH_CORE_T0, cfg0, 56, 1), 56);
}

/* Whether a core finds a line of its instruction cache after so many others. */
static bool finds_line_after(struct fixture *fixture, enum bh_core core, uint32_t bytes)
{
    struct rv32_timing timing;
    fixture->core.id = (uint8_t)core;
    prepare(fixture, &timing);
    fixture->core.csr[RV32_CSR_cfg0] |= RV32_CFG0_DIS_IC_PREFETCH;
    for (uint32_t line = 0; line < bytes / RV32_FETCH_BYTES; line++) {
        assert_true(rv32_time_fetch(&fixture->rv32, 100, line * RV32_FETCH_WORDS, false) > 100);
    }
    return rv32_time_fetch(&fixture->rv32, 100, 0, false) == 100;
}

static void instruction_caches_have_their_sizes(void **state)
{
    struct fixture *fixture = *state;
    static const enum bh_core large[] = {BH_CORE_B, BH_CORE_T0, BH_CORE_T2}, small[] = {BH_CORE_T1, BH_CORE_NC};
    for (unsigned i = 0; i < 3; i++) {
        assert_true(finds_line_after(fixture, large[i], 2048));
        assert_false(finds_line_after(fixture, large[i], 2048 + RV32_FETCH_BYTES));
    }
    for (unsigned i = 0; i < 2; i++) {
        assert_true(finds_line_after(fixture, small[i], 512));
        assert_false(finds_line_after(fixture, small[i], 512 + RV32_FETCH_BYTES));
    }
}

static void a_flush_empties_the_instruction_cache(void **state)
{
    struct fixture *fixture = *state;
    struct rv32_timing timing;
    prepare(fixture, &timing);
    rv32_time_fetch(&fixture->rv32, 100, 5 * RV32_FETCH_WORDS, false);
    assert_int_equal(rv32_time_fetch(&fixture->rv32, 100, 5 * RV32_FETCH_WORDS, false), 100);
    rv32_flush_cache(&fixture->rv32);
    assert_true(rv32_time_fetch(&fixture->rv32, 100, 5 * RV32_FETCH_WORDS, false) > 100);
}

/* Measured: blackhole-py's operation_pocs/runtime, cb_action reserve and wait, each of which branches forward once, and
   whose kernels are started again and again. */
static void a_flush_has_jumps_foreseen_no_more(void **state)
{
    struct fixture *fixture = *state;
    const uint32_t jump[] = {word_j(ZERO, 4), word_self_jump()};
    uint64_t cycles[3];
    struct rv32_timing timing;
    for (unsigned time = 0; time < 3; time++) {
        struct rv32_timing before = timing;
        prepare(fixture, &timing);
        if (time > 0) {
            timing = before;
        }
        timing.retired = 0;
        memset(timing.queue, 0, sizeof timing.queue);
        l1_write(&fixture->l1, 0x100, jump, sizeof jump);
        if (time == 2) {
            rv32_flush_cache(&fixture->rv32);
        }
        cycles[time] = run(fixture);
    }
    assert_int_equal(cycles[1] + TIMING_RV32_MISPREDICTED + TIMING_RV32_FETCH_MISS, cycles[2]);
    assert_int_equal(cycles[0], cycles[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(four_pushes_are_one_instruction),
        TEST(pushes_are_fused_when_the_instruction_cache_has_them),
        TEST(new_lines_come_every_18_cycles),
        TEST(lines_that_are_not_prefetched_come_5_cycles_late),
        TEST(a_jump_into_a_line_leaves_out_what_is_before),
        TEST(instruction_caches_have_their_sizes),
        TEST(a_flush_empties_the_instruction_cache),
        TEST(a_flush_has_jumps_foreseen_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
