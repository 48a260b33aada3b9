/* The cycles of the unpackers. Sources: ISA documentation UNPACR_Regular.md, UNPACR_IncrementContextCounter.md; for
   Throttle_mode 2 measured: FP32, BF16 and FP8 to SrcA and SrcB. */
#include "tensix/timed_fixture.h"

enum { START = 1000, GATE = START + TIMING_PUSH_TO_GATE, BASE = 0x10000, DATA = 1024 };

#define SET(f, name, value) set_field(f, name##_ADDR32, name##_SHAMT, name##_WIDTH, value)
#define UNPACR(unpacker) TT_OP_UNPACR(unpacker, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1)
#define UNPACR_INCREMENTS(unpacker) TT_OP_UNPACR(unpacker, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)

static void set_field(struct fixture *f, unsigned word, unsigned shift, unsigned width, uint32_t value)
{
    for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
        f->state.config.bank[bank][word] = bits_set(f->state.config.bank[bank][word], shift, width, value);
    }
}

/* Both unpackers move 1024 data of BF16 to their banks. */
static struct fixture *configured(void **state, unsigned throttle)
{
    struct fixture *f = *state;
    for (unsigned section = 0; section < 2; section++) {
        unsigned descriptor = THCON_SEC0_REG0_TileDescriptor_ADDR32 + section * 48;
        set_field(f, descriptor, 0, 32, FORMAT_BF16 | 1 << 4 | (uint32_t)DATA << 16);
        set_field(f, descriptor + 1, 0, 32, 1 | 1 << 16);
        for (unsigned thread = T0; thread <= T2; thread++) {
            f->state.addr.adc[thread][section].channel[1].x = DATA - 1;
        }
    }
    SET(f, THCON_SEC0_REG2_Disable_zero_compress_cntx0, 1);
    SET(f, THCON_SEC1_REG2_Disable_zero_compress_cntx0, 1);
    SET(f, THCON_SEC0_REG2_Out_data_format, FORMAT_BF16);
    SET(f, THCON_SEC1_REG2_Out_data_format, FORMAT_BF16);
    SET(f, THCON_SEC0_REG3_Base_address, BASE / 16);
    SET(f, THCON_SEC1_REG3_Base_address, BASE / 16);
    SET(f, THCON_SEC0_REG2_Throttle_mode, throttle);
    SET(f, THCON_SEC1_REG2_Throttle_mode, throttle);
    SET(f, THCON_SEC0_REG5_Dest_cntx0_address, 64);
    SET(f, THCON_SEC0_REG5_Tile_x_dim_cntx0, DATA);
    for (unsigned thread = T0; thread <= T2; thread++) {
        f->state.config.thread[thread][SRCA_SET_SetOvrdWithAddr_ADDR32] |= SRCA_SET_SetOvrdWithAddr_MASK;
    }
    return f;
}

/* The cycles that the fetches of 2048 bytes take: from one bank that is filled to the next. */
static uint64_t fetch_cycles(void **state, unsigned throttle)
{
    struct fixture *f = configured(state, throttle);
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, UNPACR(0), UNPACR(0));
    timed_run(f, passes);
    assert_int_equal(passes[T0].count, 2);
    return f->state.timing.unpack.filled[0][1] - f->state.timing.unpack.filled[0][0];
}

static void x1_fetches_16_bytes_a_cycle(void **state)
{
    assert_int_equal(fetch_cycles(state, 0), 2 * DATA / 16);
}

static void x2_fetches_32_bytes_a_cycle(void **state)
{
    assert_int_equal(fetch_cycles(state, 1), 2 * DATA / 32);
}

/* Measured: 1024 values of FP32 take 28 cycles more than 128 (blackhole-py, test_dst_paths.py). */
static void x4_fetches_128_bytes_a_cycle(void **state)
{
    assert_int_equal(fetch_cycles(state, 2), 2 * DATA / 128);
}

static void unpacr_keeps_its_thread_for_two_cycles(void **state)
{
    struct fixture *f = configured(state, 2);
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, UNPACR(0), TT_OP_SFPNOP, UNPACR(1), TT_OP_SFPNOP);
    TIMED_WORDS(f, T1, START, TT_OP_SFPNOP, TT_OP_NOP);
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 2, 3, 5);
    ASSERT_PASSED(passes[T1], GATE, 0, 1);
}

static void no_thread_starts_another_unpacr_meanwhile(void **state)
{
    struct fixture *f = configured(state, 2);
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, UNPACR(0));
    TIMED_WORDS(f, T1, START, UNPACR(1));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0);
    ASSERT_PASSED(passes[T1], GATE, 2);
}

static void both_unpackers_fetch_at_the_same_time(void **state)
{
    struct fixture *f = configured(state, 0);
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, UNPACR(0), UNPACR(1));
    timed_run(f, passes);
    assert_int_equal(f->state.timing.unpack.filled[1][0] - f->state.timing.unpack.filled[0][0], 2);
}

static void incrementing_a_context_counter_takes_a_cycle(void **state)
{
    struct fixture *f = configured(state, 2);
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, UNPACR_INCREMENTS(0), UNPACR_INCREMENTS(0), UNPACR_INCREMENTS(1));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 1, 2);
}

/* What waits for SrcA goes on when the last datum is there; an unpacker, when the bank was given back. */
static void banks_are_handed_over_when_they_are_filled(void **state)
{
    struct fixture *f = configured(state, 0);
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, UNPACR(0));
    TIMED_WORDS(f, T1, START, TT_OP_MOVA2D(0, 0, 0, 0, 0));
    timed_run(f, passes);
    uint64_t filled = GATE + TIMING_UNPACK_SETUP + 2 * DATA / 16 + TIMING_UNPACK_LATENCY;
    assert_int_equal(f->state.timing.unpack.filled[0][0], filled);
    ASSERT_PASSED(passes[T1], filled, 0);
}

/* The same for a coprocessor that has run before. */
static struct fixture *configured_anew(void **state, unsigned throttle)
{
    struct fixture *f = *state;
    tensix_reset(&f->state);
    return configured(state, throttle);
}

/* Only the writes of data wait for a bank, within the unpacker (UNPACR_Regular.md, WaitGate.md); what waits behind a
   latched wait has not begun. */
static void what_waits_for_its_bank_fetches_meanwhile(void **state)
{
    enum { LATE = START + 2000, SEMAPHORE = 1, STALL_UNPACK = 8, WHILE_ZERO = 1 };
    const uint32_t give_back = TT_OP_SETRWC(1, 0, 0, 0, 0, 0);
    for (unsigned latched = 0; latched < 2; latched++) {
        struct fixture *f = configured_anew(state, 0);
        struct timed_passes passes[TENSIX_THREADS];
        TIMED_WORDS(f, T0, START, UNPACR(0), UNPACR(0));
        if (latched) {
            TIMED_WORDS(f, T0, START, TT_OP_SEMWAIT(STALL_UNPACK, SEMAPHORE, WHILE_ZERO));
        }
        TIMED_WORDS(f, T0, START, UNPACR(0));
        TIMED_WORDS(f, T1, LATE, give_back, TT_OP_SEMPOST(SEMAPHORE));
        timed_run(f, passes);
        uint64_t passed = passes[T0].at[passes[T0].count - 1], freed = passes[T1].at[0] + 1;
        assert_int_equal(passed > LATE, latched);
        assert_int_equal(f->state.timing.unpack.filled[0][0],
                         latched ? passed + TIMING_UNPACK_SETUP + 2 * DATA / 16 + TIMING_UNPACK_LATENCY
                                 : freed + 2 * DATA / 16 + TIMING_UNPACK_WRITE);
    }
}

enum { FETCH = 2 * DATA / 128 };

/* T0 passes `count` words of which so many have passed before T1 gives SrcA back `returns` times, late. Returns how
   long after the first time the last UNPACR has filled its bank. */
static uint64_t fills_after(void **state, const uint32_t *words, uint32_t count, uint32_t before, unsigned returns)
{
    enum { LATE = START + 2000 };
    struct fixture *f = configured(state, 2);
    struct timed_passes passes[TENSIX_THREADS];
    timed_push_each_cycle(f, T0, START, words, count);
    for (unsigned i = 0; i < returns; i++) {
        timed_push(f, T1, LATE + i, TT_OP_SETRWC(1, 0, 0, 0, 0, 0));
    }
    timed_run(f, passes);
    assert_int_equal(passes[T0].count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(passes[T0].at[i] < LATE, i < before);
    }
    return f->state.timing.unpack.filled[0][!f->state.srca.unpacker_bank] - (passes[T1].at[0] + 1);
}

static void an_unpacker_holds_the_data_of_two_that_wait(void **state)
{
    const uint32_t words[] = {UNPACR(0), UNPACR(0), UNPACR(0), UNPACR(0), UNPACR(0)};
    assert_int_equal(fills_after(state, words, 4, 4, 2), 2 * FETCH + TIMING_UNPACK_WRITE);
    tensix_reset(&((struct fixture *)*state)->state);
    assert_int_equal(fills_after(state, words, 5, 4, 2), 2 * FETCH + TIMING_UNPACK_WRITE);
}

/* Measured: reductions to a number, whose UNPACR_NOP clears SrcA when the Matrix Unit has given it back. */
static void what_stands_behind_unpacr_nop_fetches_meanwhile(void **state)
{
    enum { CLEAR_SRC = 1 };
    const uint32_t words[] = {UNPACR(0), TT_OP_UNPACR_NOP(0, 0, 0, 0, 0, 0, 0, 0, CLEAR_SRC),
                              TT_OP_SETADCZW(1, 0, 0, 0, 0, 0), UNPACR(0)};
    assert_int_equal(fills_after(state, words, COUNT_OF(words), COUNT_OF(words), 1), FETCH + TIMING_UNPACK_WRITE);
}

/* An UNPACR_NOP that clears waits for the Matrix Unit to be done with the bank that it has, unless it waits as UNPACR
   does (UNPACR_NOP_ZEROSRC.md), for the other one. */
static void unpacr_nop_waits_for_the_matrix_units_bank(void **state)
{
    enum { CLEAR_SRC = 1, LATE = START + 500 };
    for (unsigned like_unpacr = 0; like_unpacr < 2; like_unpacr++) {
        struct fixture *f = configured_anew(state, 2);
        struct timed_passes passes[TENSIX_THREADS];
        TIMED_WORDS(f, T0, START, UNPACR(0), TT_OP_UNPACR_NOP(0, 0, 0, 1, 0, like_unpacr, 0, 0, CLEAR_SRC));
        TIMED_WORDS(f, T1, LATE, TT_OP_SETRWC(1, 0, 0, 0, 0, 0));
        timed_run(f, passes);
        assert_int_equal(f->state.srca.unpacker_bank, 0);
        assert_int_equal(f->state.timing.unpack.filled[0][1] > LATE, !like_unpacr);
    }
}

/* Measured: a loop that hands over SrcA and waits until unpacker 0 is idle takes 17 cycles a round (blackhole-py,
   operation_pocs/runtime), of which an UNPACR_NOP is seven in there. */
static void unpacr_nop_is_in_its_unpacker_for_seven_cycles(void **state)
{
    enum { STALL_SYNC = 2, WAIT_UNPACK0 = 2, CLEAR_SRC = 1 };
    struct fixture *f = configured(state, 2);
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, TT_OP_UNPACR_NOP(0, 0, 0, 1, 0, 0, 0, 0, CLEAR_SRC),
                TT_OP_STALLWAIT(STALL_SYNC, WAIT_UNPACK0), TT_OP_SEMPOST(1));
    timed_run(f, passes);
    assert_int_equal(passes[T0].at[2] - passes[T0].at[0], 1 + TIMING_UNPACK_NOP + TIMING_WAIT_GATE_LAG);
    assert_int_equal(TIMING_UNPACK_NOP, 6);
}

/* A core that pushes late has nothing fetched before. */
static void what_comes_later_begins_later(void **state)
{
    struct fixture *f = configured(state, 2);
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, UNPACR(0), UNPACR(0), UNPACR(0));
    TIMED_WORDS(f, T1, START + 500, TT_OP_SETRWC(1, 0, 0, 0, 0, 0), TT_OP_SETRWC(1, 0, 0, 0, 0, 0));
    TIMED_WORDS(f, T0, START + 510, UNPACR(0));
    timed_run(f, passes);
    assert_int_equal(f->state.timing.unpack.filled[0][1] - passes[T0].at[3],
                     TIMING_UNPACK_SETUP + FETCH + TIMING_UNPACK_LATENCY);
}

/* A tile to Dst in four drained parts of 1024 bytes takes 26 cycles a part (blackhole-py, test_dst_paths.py and
   operation_pocs/sfpu_movement), to SrcA the last datum comes two cycles later. */
static void parts_of_a_tile_to_dst_take_26_cycles_each(void **state)
{
    enum { STALL_UNPACK = 8, WAIT_UNPACK0 = 2, PART = 256 };
    struct fixture *f = configured(state, 2);
    struct timed_passes passes[TENSIX_THREADS];
    uint32_t part = TT_OP_UNPACR(0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1);
    uint32_t drained = TT_OP_STALLWAIT(STALL_UNPACK, WAIT_UNPACK0);
    set_field(f, THCON_SEC0_REG0_TileDescriptor_ADDR32, 0, 32, FORMAT_FP32 | 1 << 4 | (uint32_t)PART << 16);
    SET(f, THCON_SEC0_REG2_Out_data_format, FORMAT_FP32);
    SET(f, THCON_SEC0_REG2_Unpack_if_sel_cntx0, 1);
    SET(f, THCON_SEC0_REG5_Tile_x_dim_cntx0, PART);
    f->state.config.thread[T0][SRCA_SET_SetOvrdWithAddr_ADDR32] = 0;
    f->state.addr.adc[T0][0].channel[1].x = PART - 1;
    TIMED_WORDS(f, T0, START, part, drained, part, drained, part);
    timed_run(f, passes);
    assert_int_equal(passes[T0].at[2] - passes[T0].at[0], 26);
    assert_int_equal(passes[T0].at[4] - passes[T0].at[2], 26);
}

static void banks_are_filled_again_when_they_are_given_back(void **state)
{
    enum { SRCA_ONLY = 1 };
    struct fixture *f = configured(state, 2);
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, UNPACR(0), UNPACR(0), UNPACR(0));
    TIMED_WORDS(f, T1, START + 500, TT_OP_SETRWC(SRCA_ONLY, 0, 0, 0, 0, 0));
    timed_run(f, passes);
    assert_int_equal(f->state.timing.unpack.filled[0][0], passes[T1].at[0] + 1 + FETCH + TIMING_UNPACK_WRITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMED_TEST(x1_fetches_16_bytes_a_cycle),
        TIMED_TEST(x2_fetches_32_bytes_a_cycle),
        TIMED_TEST(x4_fetches_128_bytes_a_cycle),
        TIMED_TEST(unpacr_keeps_its_thread_for_two_cycles),
        TIMED_TEST(no_thread_starts_another_unpacr_meanwhile),
        TIMED_TEST(both_unpackers_fetch_at_the_same_time),
        TIMED_TEST(incrementing_a_context_counter_takes_a_cycle),
        TIMED_TEST(banks_are_handed_over_when_they_are_filled),
        TIMED_TEST(what_waits_for_its_bank_fetches_meanwhile),
        TIMED_TEST(an_unpacker_holds_the_data_of_two_that_wait),
        TIMED_TEST(what_stands_behind_unpacr_nop_fetches_meanwhile),
        TIMED_TEST(unpacr_nop_waits_for_the_matrix_units_bank),
        TIMED_TEST(unpacr_nop_is_in_its_unpacker_for_seven_cycles),
        TIMED_TEST(what_comes_later_begins_later),
        TIMED_TEST(parts_of_a_tile_to_dst_take_26_cycles_each),
        TIMED_TEST(banks_are_filled_again_when_they_are_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
