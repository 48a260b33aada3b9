/* The cycles of the packer. Sources: ISA documentation Packers/README.md, PACR.md, Dst.md; measured: rows of BF16 and
   of FP32, by one interface and by four. */
#include "tensix/timed_fixture.h"

#include "tensix/units/pack/fixture.h"
#include "tensix/units/pack/writes.h"

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

/* The block that MVMUL writes can be read six cycles later, by the packer too. */
static void blocks_that_are_written_are_waited_for(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    f->state.srca.owner[0] = f->state.srcb.owner[0] = SRC_MATRIX_UNIT;
    f->state.srca.format[0] = f->state.srcb.format[0] = FORMAT_BF16;
    TIMED_WORDS(f, T2, START, TT_OP_MVMUL(0, 0, 0, 0), PACR(15, 0));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T2], GATE, 0, 6);
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

/* What reads earlier reads what stood there before. */
static void the_data_are_in_l1_when_the_packer_has_drained(void **state)
{
    enum { ARRIVAL = GATE + 1 + TIMING_PACK_LATENCY };
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    memset(f->l1_bytes + DESTINATION, 0x55, 128);
    TIMED_WORDS(f, T2, START, PACR(15, 1));
    timed_run(f, passes);
    assert_int_equal(pack_writes_next(&f->state.timing.pack.writes), ARRIVAL);
    assert_false(pack_writes_arrive(&f->tensix, ARRIVAL - 1));
    assert_filled(f, DESTINATION, 128, 0x55);
    assert_true(pack_writes_arrive(&f->tensix, ARRIVAL));
    for (unsigned row = 0; row < 4; row++) {
        assert_numbered(f, DESTINATION + 32 * row, row, 0, ROW_COLUMNS);
    }
    assert_true(pack_writes_next(&f->state.timing.pack.writes) == CLOCK_NEVER);
}

/* 16 KiB, which is more than is kept of what is on its way. */
static void data_of_many_instructions_arrive_in_their_order(void **state)
{
    enum { AT_ONCE = 16, TIMES = 8 };
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    for (unsigned i = 0; i < TIMES; i++) {
        for (unsigned j = 0; j < AT_ONCE; j++) {
            timed_push(f, T2, START + i * AT_ONCE, PACR(15, 0));
        }
        timed_run(f, passes);
        assert_int_equal(passes[T2].count, AT_ONCE);
    }
    (void)pack_writes_arrive(&f->tensix, CLOCK_NEVER);
    for (unsigned row = 0; row < 4 * AT_ONCE * TIMES; row++) {
        assert_numbered(f, DESTINATION + 32 * row, row, 0, ROW_COLUMNS);
    }
}

/* The second sum finds the first one, though that is on its way. */
static void sums_in_l1_count_what_is_on_its_way(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    configure(f, FORMAT_FP32, FORMAT_FP32, true);
    SET(f, THCON_SEC0_REG1_Pack_L1_Acc, 1);
    set_addr_mod(f, 0, 0);
    put32(f, 0, 0, 0x3f800000);
    TIMED_WORDS(f, T2, START, PACR(1, 1), PACR(1, 1), PACR(1, 1));
    timed_run(f, passes);
    (void)pack_writes_arrive(&f->tensix, CLOCK_NEVER);
    assert_int_equal(l1_load32(&f->l1, DESTINATION), 0x40400000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMED_TEST(a_row_of_16_bits_takes_a_cycle),
        TIMED_TEST(four_interfaces_take_four_rows_a_cycle),
        TIMED_TEST(a_row_of_32_bits_takes_two_cycles),
        TIMED_TEST(a_flush_takes_a_cycle),
        TIMED_TEST(blocks_that_are_written_are_waited_for),
        TIMED_TEST(stallwait_waits_for_the_data),
        TIMED_TEST(the_data_are_in_l1_when_the_packer_has_drained),
        TIMED_TEST(data_of_many_instructions_arrive_in_their_order),
        TIMED_TEST(sums_in_l1_count_what_is_on_its_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
