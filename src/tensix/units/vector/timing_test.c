/* The cycles of the Vector Unit. Sources: ISA documentation VectorUnit.md, SFPMAD.md, SFPSWAP.md, SFPSHFT2.md,
   SFPLOAD.md; measured: groups of instructions of the Matrix Unit and of loads, of one thread and of two. */
#include "tensix/timed_fixture.h"

enum { START = 1000, GATE = START + TIMING_PUSH_TO_GATE };
enum { COPY4 = 0, SHFLROR1_AND_COPY4 = 2, SHFLROR1 = 3, SHFLSHR1 = 4, SHFT_LREG = 5 };

/* Reads LReg[1] alone. */
#define READER TT_OP_SFPMOV(0, 1, 2, 0)

/* Each writes LReg[1], and its reader waits as long as its result takes. */
static const struct {
    uint32_t word;
    unsigned latency;
} latencies[] = {
    {TT_OP_SFPABS(0, 0, 1, 0), 1},
    {TT_OP_SFPAND(0, 0, 1, 0), 1},
    {TT_OP_SFPCAST(0, 1, 0), 1},
    {TT_OP_SFPCOMPC(0, 0, 0, 0), 1},
    {TT_OP_SFPDIVP2(0, 0, 1, 0), 1},
    {TT_OP_SFPENCC(0, 0, 0, 0), 1},
    {TT_OP_SFPEXEXP(0, 0, 1, 0), 1},
    {TT_OP_SFPEXMAN(0, 0, 1, 0), 1},
    {TT_OP_SFPIADD(0, 0, 1, 4), 1},
    {TT_OP_SFPLOADI(1, 0, 0), 1},
    {TT_OP_SFPLZ(0, 0, 1, 0), 1},
    {TT_OP_SFPMOV(0, 0, 1, 0), 1},
    {TT_OP_SFPNOP, 1},
    {TT_OP_SFPNOT(0, 0, 1, 0), 1},
    {TT_OP_SFPOR(0, 0, 1, 0), 1},
    {TT_OP_SFPPUSHC(0, 0, 0, 0), 1},
    {TT_OP_SFPSETCC(0, 0, 0, 0), 1},
    {TT_OP_SFPSETEXP(0, 0, 1, 0), 1},
    {TT_OP_SFPSETMAN(0, 0, 1, 0), 1},
    {TT_OP_SFPSETSGN(0, 0, 1, 0), 1},
    {TT_OP_SFPSHFT(0, 0, 1, 0), 1},
    {TT_OP_SFP_STOCH_RND(0, 0, 0, 0, 1, 0), 1},
    {TT_OP_SFPTRANSP(0, 0, 0, 0), 1},
    {TT_OP_SFPXOR(0, 0, 1, 0), 1},
    {TT_OP_SFPLOAD(1, 3, 0, 0), 1},
    {TT_OP_SFPSTORE(1, 3, 0, 0), 1},
    {TT_OP_SFPGT(0, 0, 1, 0), 1},
    {TT_OP_SFPLE(0, 0, 1, 0), 1},
    {TT_OP_SFPARECIP(0, 0, 1, 0), 1},
    {TT_OP_SFPMAD(0, 0, 0, 1, 0), 2},
    {TT_OP_SFPADD(10, 0, 0, 1, 0), 2},
    {TT_OP_SFPMUL(0, 0, 9, 1, 0), 2},
    {TT_OP_SFPADDI(0, 1, 0), 2},
    {TT_OP_SFPMULI(0, 1, 0), 2},
    {TT_OP_SFPLUT(1, 0, 0), 2},
    {TT_OP_SFPLUTFP32(1, 0), 2},
    {TT_OP_SFPMUL24(0, 0, 9, 1, 0), 2},
};

static void results_are_there_after_their_latencies(void **state)
{
    for (unsigned i = 0; i < COUNT_OF(latencies); i++) {
        struct fixture *f = *state;
        struct timed_passes passes[TENSIX_THREADS];
        tensix_reset(&f->state);
        memset(&f->state.timing, 0, sizeof f->state.timing);
        TIMED_WORDS(f, T1, START, latencies[i].word, READER);
        timed_run(f, passes);
        if (passes[T1].at[1] - passes[T1].at[0] != latencies[i].latency) {
            fail_msg("0x%08x: %u cycles", latencies[i].word, (unsigned)(passes[T1].at[1] - passes[T1].at[0]));
        }
    }
}

static void products_that_nobody_reads_are_not_waited_for(void **state)
{
    assert_int_equal(timed_distance(state, START, TT_OP_SFPMAD(0, 0, 0, 1, 0), TT_OP_SFPMAD(0, 0, 0, 2, 0)), 1);
}

/* SFPMAD.md: those wait that read what it writes. */
static void products_that_overwrite_each_other_do_not_wait(void **state)
{
    static const uint32_t products[] = {TT_OP_SFPMAD(0, 0, 0, 1, 0), TT_OP_SFPADD(10, 0, 0, 1, 0),
                                        TT_OP_SFPMUL(0, 0, 9, 1, 0), TT_OP_SFPMUL24(0, 0, 9, 1, 0)};
    for (unsigned i = 0; i < COUNT_OF(products); i++) {
        assert_int_equal(timed_distance(state, START, products[i], products[i]), 1);
        assert_int_equal(timed_distance(state, START, products[i], products[(i + 1) % COUNT_OF(products)]), 1);
    }
}

static void sfpswap_takes_two_cycles(void **state)
{
    assert_int_equal(timed_distance(state, START, TT_OP_SFPSWAP(0, 0, 1, 0), TT_OP_SFPMOV(0, 4, 5, 0)), 2);
}

static void sfpnop_hides_in_the_second_cycle_of_sfpswap(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T1, START, TT_OP_SFPSWAP(0, 0, 1, 0), TT_OP_SFPNOP, TT_OP_SFPMOV(0, 4, 5, 0));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T1], GATE, 0, 1, 2);
}

static void sfpshft2_takes_two_cycles_to_move_lanes(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    uint32_t other = TT_OP_SFPMOV(0, 6, 7, 0);
    TIMED_WORDS(f, T1, START, TT_OP_SFPSHFT2(0, 0, 1, SHFLROR1_AND_COPY4), other, TT_OP_SFPSHFT2(0, 0, 1, SHFLROR1),
                other, TT_OP_SFPSHFT2(0, 0, 1, SHFLSHR1), other, TT_OP_SFPSHFT2(0, 0, 1, COPY4), other,
                TT_OP_SFPSHFT2(0, 0, 1, SHFT_LREG), other);
    timed_run(f, passes);
    ASSERT_PASSED(passes[T1], GATE, 0, 2, 3, 5, 6, 8, 9, 10, 11, 12);
}

static void threads_share_the_unit(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, TT_OP_SFPNOP, TT_OP_SFPNOP, TT_OP_SFPNOP);
    TIMED_WORDS(f, T1, START, TT_OP_SFPNOP, TT_OP_SFPNOP, TT_OP_SFPNOP);
    timed_run(f, passes);
    uint64_t last = passes[T0].at[2] > passes[T1].at[2] ? passes[T0].at[2] : passes[T1].at[2];
    assert_int_equal(last, GATE + 5);
}

/* Three instructions fit between what writes to Dst and a load of it. */
static void loads_wait_for_the_matrix_unit(void **state)
{
    assert_int_equal(timed_distance(state, START, TT_OP_MVMUL(0, 0, 0, 0), TT_OP_SFPLOAD(0, 3, 0, 0)), 4);
}

static void what_leaves_dst_alone_does_not_wait(void **state)
{
    assert_int_equal(timed_distance(state, START, TT_OP_MVMUL(0, 0, 0, 0), TT_OP_SFPMAD(0, 0, 0, 1, 0)), 1);
}

/* Cycles of a round of `size` ELWMULs and as many loads, when rounds follow each other. */
static uint64_t round_of(struct fixture *f, unsigned size)
{
    struct timed_passes passes[TENSIX_THREADS];
    unsigned rounds = 28 / (2 * size);
    for (unsigned i = 0; i < rounds * 2 * size; i++) {
        bool load = i / size % 2;
        timed_push(f, T1, START + i,
                   load ? TT_OP_SFPLOAD(i % 4, 3, 0, i % size * 2) : TT_OP_ELWMUL(0, 0, 0, 0, 64 + i % 8 * 8));
    }
    timed_run(f, passes);
    return passes[T1].at[(rounds - 1) * 2 * size] - passes[T1].at[(rounds - 2) * 2 * size];
}

/* Measured: 2 + 12/g cycles a pair in groups of g, and 8 where they alternate. */
static void turns_between_the_units_cost_twelve_cycles_a_round(void **state)
{
    struct fixture *f = timed_with_sources(state);
    const unsigned sizes[] = {2, 4};
    for (unsigned i = 0; i < COUNT_OF(sizes); i++) {
        memset(&f->state.timing, 0, sizeof f->state.timing);
        assert_int_equal(round_of(f, sizes[i]), 2 * sizes[i] + 12);
    }
    memset(&f->state.timing, 0, sizeof f->state.timing);
    assert_int_equal(round_of(f, 1), 8);
}

/* Measured: ELWMUL, SFPLOAD and a SFPMAD that adds up take 14 cycles a round (blackhole-py's
   test_rmsnorm_hybrid.py, interleaved: 334 and 674 cycles more than in batches, for 32 and 64 rounds). */
static void what_is_computed_behind_a_turn_waits_as_well(void **state)
{
    struct fixture *f = timed_with_sources(state);
    struct timed_passes passes[TENSIX_THREADS];
    for (unsigned i = 0; i < 24; i += 3) {
        timed_push(f, T1, START + i, TT_OP_ELWMUL(0, 0, 0, 0, 64 + i / 3 * 8));
        timed_push(f, T1, START + i + 1, TT_OP_SFPLOAD(0, 3, 0, i * 2));
        timed_push(f, T1, START + i + 2, TT_OP_SFPMAD(0, 0, 7, 7, 0));
    }
    timed_run(f, passes);
    assert_int_equal(passes[T1].at[17] - passes[T1].at[16], 4);
    assert_int_equal(passes[T1].at[21] - passes[T1].at[18], 14);
}

/* The first load is no longer held up by the product: no more is the second one. */
static void a_turn_behind_a_pause_costs_nothing(void **state)
{
    struct fixture *f = timed_with_sources(state);
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T1, START, TT_OP_ELWMUL(0, 0, 0, 0, 64), TT_OP_NOP, TT_OP_NOP, TT_OP_NOP, TT_OP_NOP, TT_OP_NOP,
                TT_OP_SFPLOAD(0, 3, 0, 0), TT_OP_SFPLOAD(1, 3, 0, 2));
    timed_run(f, passes);
    assert_int_equal(passes[T1].at[6] - passes[T1].at[0], 6);
    assert_int_equal(passes[T1].at[7] - passes[T1].at[6], 1);
}

/* Measured: one instruction accesses Dst in a cycle, of whichever thread. */
static void threads_share_the_way_to_dst(void **state)
{
    struct fixture *f = timed_with_sources(state);
    struct timed_passes passes[TENSIX_THREADS];
    for (unsigned i = 0; i < 16; i++) {
        timed_push(f, T1, START, TT_OP_ELWMUL(0, 0, 0, 0, 64 + i % 8 * 8));
        timed_push(f, T2, START, TT_OP_SFPLOAD(i % 4, 3, 0, i * 2));
    }
    timed_run(f, passes);
    assert_int_equal(passes[T1].at[12] - passes[T1].at[4], 16);
    assert_int_equal(passes[T2].at[12] - passes[T2].at[4], 16);
}

/* blackhole-py sfpu_math: with a product behind it a drain takes a cycle more than with a sign changed. */
static void stallwait_waits_until_the_unit_is_drained(void **state)
{
    static const struct {
        uint32_t word;
        unsigned latency;
    } last[] = {{TT_OP_SFPMOV(0, 0, 0, 1), 1}, {TT_OP_SFPMUL(0, 1, 9, 0, 0), 2}};
    for (unsigned i = 0; i < COUNT_OF(last); i++) {
        struct fixture *f = timed_with_sources(state);
        struct timed_passes passes[TENSIX_THREADS];
        uint64_t start = START + 100 * i;
        TIMED_WORDS(f, T1, start, last[i].word, TT_OP_STALLWAIT(0x1ff, 1 << 11), TT_OP_DMANOP);
        timed_run(f, passes);
        ASSERT_PASSED(passes[T1], start + TIMING_PUSH_TO_GATE, 0, 1, last[i].latency + 6 + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMED_TEST(results_are_there_after_their_latencies),
        TIMED_TEST(products_that_nobody_reads_are_not_waited_for),
        TIMED_TEST(products_that_overwrite_each_other_do_not_wait),
        TIMED_TEST(sfpswap_takes_two_cycles),
        TIMED_TEST(sfpnop_hides_in_the_second_cycle_of_sfpswap),
        TIMED_TEST(sfpshft2_takes_two_cycles_to_move_lanes),
        TIMED_TEST(threads_share_the_unit),
        TIMED_TEST(loads_wait_for_the_matrix_unit),
        TIMED_TEST(what_leaves_dst_alone_does_not_wait),
        TIMED_TEST(turns_between_the_units_cost_twelve_cycles_a_round),
        TIMED_TEST(what_is_computed_behind_a_turn_waits_as_well),
        TIMED_TEST(a_turn_behind_a_pause_costs_nothing),
        TIMED_TEST(threads_share_the_way_to_dst),
        TIMED_TEST(stallwait_waits_until_the_unit_is_drained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
