/* The cycles of the packer. Sources: ISA documentation Packers/README.md, PACR.md, Dst.md; measured: rows of BF16 and
   of FP32, by one interface and by four. */
#include "tensix/timed_fixture.h"

#include "tensix/units/pack/fixture.h"

enum { START = 1000, GATE = START + TIMING_PUSH_TO_GATE };

#define PACR(interfaces, last) TT_OP_PACR(0, 0, 0, 0, 0, 0, interfaces, 0, 0, 0, 0, last)

/* The cycles from one PACR to the next. */
static uint64_t interval(void **state, enum data_format from, enum data_format to, uint32_t word)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    configure(f, from, to, (from & 3) == 0);
    set_addr_mod(f, 0, 0);
    TIMED_WORDS(f, T2, START, word, word, word);
    timed_run(f, passes);
    assert_int_equal(passes[T2].at[1] - passes[T2].at[0], passes[T2].at[2] - passes[T2].at[1]);
    return passes[T2].at[1] - passes[T2].at[0];
}

/* 16 data a cycle for each interface, 32 bytes. */
static void a_row_of_16_bits_takes_a_cycle(void **state)
{
    assert_int_equal(interval(state, FORMAT_BF16, FORMAT_BF16, PACR(1, 0)), 1);
}

static void four_interfaces_take_four_rows_a_cycle(void **state)
{
    assert_int_equal(interval(state, FORMAT_BF16, FORMAT_BF16, PACR(15, 0)), 1);
}

static void a_row_of_32_bits_takes_two_cycles(void **state)
{
    assert_int_equal(interval(state, FORMAT_FP32, FORMAT_FP32, PACR(1, 0)), 2);
}

static void a_flush_takes_a_cycle(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    uint32_t flush = TT_OP_PACR(0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1);
    TIMED_WORDS(f, T2, START, PACR(1, 0), flush, PACR(1, 0));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T2], GATE, 0, 1, 2);
}

/* The block that MVMUL writes can be read five cycles later, by the packer too. */
static void blocks_that_are_written_are_waited_for(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    f->state.srca.owner[0] = f->state.srcb.owner[0] = SRC_MATRIX_UNIT;
    f->state.srca.format[0] = f->state.srcb.format[0] = FORMAT_BF16;
    TIMED_WORDS(f, T2, START, TT_OP_MVMUL(0, 0, 0, 0), PACR(15, 0));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T2], GATE, 0, 5);
}

/* The thread goes on when its PACR is accepted; STALLWAIT waits until the data are in L1. */
static void stallwait_waits_for_the_data(void **state)
{
    enum { BLOCK_MATH = 1 << 6, WAIT_PACK = 1 << 3 };
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    TIMED_WORDS(f, T2, START, PACR(15, 1), TT_OP_SFPNOP, TT_OP_STALLWAIT(BLOCK_MATH, WAIT_PACK), TT_OP_CLREXPHIST);
    timed_run(f, passes);
    assert_int_equal(passes[T2].at[1], GATE + 1);
    assert_int_equal(passes[T2].at[3], GATE + 1 + TIMING_PACK_LATENCY + TIMING_WAIT_GATE_LAG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMED_TEST(a_row_of_16_bits_takes_a_cycle),         TIMED_TEST(four_interfaces_take_four_rows_a_cycle),
        TIMED_TEST(a_row_of_32_bits_takes_two_cycles),      TIMED_TEST(a_flush_takes_a_cycle),
        TIMED_TEST(blocks_that_are_written_are_waited_for), TIMED_TEST(stallwait_waits_for_the_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
