/* What performance counters count in timed mode, by instructions of the threads. Sources: tt-metal, perf-counters.md;
   tt-llk, performance_counters.md; cycles: as in tensix/frontend/timed_test.c. */
#include "isa/tensix_isa.h"
#include "tensix/frontend/timed.h"
#include "tile/timed_fixture.h"
#include "time/timing.h"
#include "util/bits.h"

#define TENSIX_INSTRUCTION_BUFFER ((volatile uint32_t *)0) /* where the header's TT_NAME() would push: unused */
#include "kernel/tensix.h"

enum { B = BH_CORE_B, T0 = 0, T1, T2 };
enum { GATE = START + TIMING_PUSH_TO_GATE };
enum { INSTRN = 0xFFB12000, UNPACK = 0xFFB1200C, FPU = 0xFFB12018, PACK = 0xFFB120F0 };
enum { OUT_INSTRN = 0xFFB12100, OUT_UNPACK = 0xFFB12108, OUT_PACK = 0xFFB12110, OUT_FPU = 0xFFB12120 };
enum { MODE = 4, CONTROL = 8, EVENTS = 4, START_BIT = 1, STOP_BIT = 2 };

/* Selects. Those of each thread follow each other, but for reasons of waiting. */
enum { CFG_AVAILABLE = 0, SYNC_AVAILABLE = 3, THCON_AVAILABLE = 6, MATH_AVAILABLE = 15, STALLS = 24 };
enum { SRCA_CLEAR = 27, SRCB_CLEAR, SRCA_VALID, SRCB_VALID, REASONS = 31, REASONS_EACH = 9 };
enum { THCON_IDLE, UNPACK_IDLE, PACK_IDLE, MATH_IDLE, NONZERO_SEM, NONFULL_SEM, MOVE_IDLE, CFG_IDLE, SFPU_IDLE };
enum { INSTRUCTIONS = 256, INSTRUCTIONS_EACH = 8, ANY_STALL = 283 };

enum { SRC_READY = 0, MATH_STARTED = 3, MATH_VALID_SELECT = 4 };

#define SETS_DVALID(unpacker) ((uint32_t)TENSIX_OPCODE_UNPACR_NOP << 24 | (uint32_t)(unpacker) << 23 | 1u << 8 | 1)
#define PACR TT_OP_PACR(0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0)

/* Fields of STALLWAIT and SEMWAIT. */
enum { STALL_SYNC = 0x2, STALL_MATH = 0x40, STALL_CFG = 0x80, STALL_ON_ZERO = 1, STALL_ON_MAX = 2 };

/* Lets everything happen that is before `time`. */
static void run(struct fixture *fixture, uint64_t time)
{
    struct tile_span span = {.cycles = time - fixture->state->clock.now, .quiet = 0, .longest = TILE_QUANTUM};
    struct tile_turn turn;
    tile_run_timed(&fixture->tile, &span, &turn);
    assert_int_equal(fixture->state->clock.now, time);
    assert_int_equal(fixture->state->diagnostics.count, 0);
}

#define PUSH(fixture, thread, time, ...)                                                                               \
    do {                                                                                                               \
        const uint32_t push_words[] = {__VA_ARGS__};                                                                   \
        for (unsigned push_i = 0; push_i < COUNT_OF(push_words); push_i++) {                                           \
            struct pushed push_word = {.word = push_words[push_i]};                                                    \
            assert_int_equal(frontend_push_timed(&(fixture)->tile.tensix, thread, push_word, false, time), STEP_DONE); \
        }                                                                                                              \
    } while (0)

static void control(struct fixture *fixture, uint32_t bank, uint32_t value)
{
    store(fixture, B, bank + CONTROL, 0);
    store(fixture, B, bank + CONTROL, value);
}

static uint32_t count(struct fixture *fixture, uint32_t bank, uint32_t out, uint32_t select)
{
    store(fixture, B, bank + MODE, select << 8);
    uint32_t value = load(fixture, B, out + EVENTS);
    assert_int_equal(fixture->state->diagnostics.count, 0);
    return value;
}

static uint32_t instrn(struct fixture *fixture, uint32_t select)
{
    return count(fixture, INSTRN, OUT_INSTRN, select);
}

static uint32_t waits(struct fixture *fixture, unsigned reason, unsigned thread)
{
    return instrn(fixture, REASONS + REASONS_EACH * thread + reason);
}

static uint32_t unpack(struct fixture *fixture, uint32_t select)
{
    return count(fixture, UNPACK, OUT_UNPACK, select);
}

static uint32_t pack(struct fixture *fixture, uint32_t select)
{
    return count(fixture, PACK, OUT_PACK, select);
}

/* SEMPOST takes effect in the cycle after, and the gate lags by one. */
static void a_wait_for_a_semaphore_counts_until_it_is_posted(void **context)
{
    struct fixture *fixture = *context;
    control(fixture, INSTRN, START_BIT);
    PUSH(fixture, T1, START, TT_OP_SEMWAIT(STALL_SYNC, 2, STALL_ON_ZERO), TT_OP_SEMGET(2));
    PUSH(fixture, T0, START + 30, TT_OP_SEMPOST(2));
    fixture->state->tensix.sync.semaphore[1].max = 1;
    run(fixture, GATE + 11);
    assert_int_equal(waits(fixture, NONZERO_SEM, T1), 10);
    assert_int_equal(instrn(fixture, STALLS + T1), 10);
    run(fixture, GATE + 100);
    assert_int_equal(waits(fixture, NONZERO_SEM, T1), 30);
    assert_int_equal(waits(fixture, NONFULL_SEM, T1), 0);
    assert_int_equal(waits(fixture, NONZERO_SEM, T0), 0);
    assert_int_equal(instrn(fixture, STALLS + T1), 31);
    assert_int_equal(instrn(fixture, STALLS + T0), 0);
    assert_int_equal(instrn(fixture, ANY_STALL), 31);
    assert_int_equal(instrn(fixture, SYNC_AVAILABLE + T1), 33);
    assert_int_equal(instrn(fixture, SYNC_AVAILABLE + T0), 1);
    assert_int_equal(instrn(fixture, INSTRUCTIONS + INSTRUCTIONS_EACH * T1), 2);
}

static void a_wait_for_room_in_a_semaphore_counts_until_it_is_taken(void **context)
{
    struct fixture *fixture = *context;
    fixture->state->tensix.sync.semaphore[1].max = fixture->state->tensix.sync.semaphore[1].value = 1;
    control(fixture, INSTRN, START_BIT);
    PUSH(fixture, T2, START, TT_OP_SEMWAIT(STALL_SYNC, 2, STALL_ON_MAX), TT_OP_SEMPOST(2));
    PUSH(fixture, T0, START + 20, TT_OP_SEMGET(2));
    run(fixture, GATE + 100);
    assert_int_equal(waits(fixture, NONFULL_SEM, T2), 20);
    assert_int_equal(waits(fixture, NONZERO_SEM, T2), 0);
    assert_int_equal(instrn(fixture, STALLS + T2), 21);
}

/* Each condition of a STALLWAIT has its counter. */
static void a_wait_for_a_busy_unit_counts_until_it_is_idle(void **context)
{
    static const struct {
        uint16_t condition;
        uint8_t busy, reason;
    } conditions[] = {{1 << 0, BUSY_SCALAR, THCON_IDLE},   {1 << 1, BUSY_UNPACK0, UNPACK_IDLE},
                      {1 << 2, BUSY_UNPACK1, UNPACK_IDLE}, {1 << 3, BUSY_PACK, PACK_IDLE},
                      {1 << 4, BUSY_MATRIX, MATH_IDLE},    {1 << 9, BUSY_MOVER, MOVE_IDLE},
                      {1 << 10, BUSY_CORE, CFG_IDLE},      {1 << 11, BUSY_VECTOR, SFPU_IDLE}};
    struct fixture *fixture = *context;
    for (unsigned i = 0; i < COUNT_OF(conditions); i++) {
        for (unsigned thread = T0; thread <= T2; thread++) {
            uint64_t start = fixture->state->clock.now, gate = start + TIMING_PUSH_TO_GATE;
            timing_busy(&fixture->state->tensix.timing, conditions[i].busy, thread, gate + 9);
            control(fixture, INSTRN, START_BIT);
            PUSH(fixture, thread, start, TT_OP_STALLWAIT(STALL_CFG, conditions[i].condition), TT_OP_SETC16(1, 1));
            run(fixture, gate + 20);
            for (unsigned reason = 0; reason < REASONS_EACH; reason++) {
                for (unsigned other = T0; other <= T2; other++) {
                    bool counts = other == thread && reason == conditions[i].reason;
                    assert_int_equal(waits(fixture, reason, other), counts ? 8 : 0);
                }
            }
            assert_int_equal(instrn(fixture, STALLS + thread), 9);
            assert_int_equal(instrn(fixture, CFG_AVAILABLE + thread), 10);
        }
    }
}

/* Reasons overlap; the thread stalls once. */
static void reasons_count_each_for_itself(void **context)
{
    struct fixture *fixture = *context;
    timing_busy(&fixture->state->tensix.timing, BUSY_PACK, T0, GATE + 9);
    timing_busy(&fixture->state->tensix.timing, BUSY_SCALAR, T0, GATE + 4);
    control(fixture, INSTRN, START_BIT);
    PUSH(fixture, T0, START, TT_OP_STALLWAIT(STALL_CFG, 1 | 8), TT_OP_SETC16(1, 1));
    run(fixture, GATE + 40);
    assert_int_equal(waits(fixture, PACK_IDLE, T0), 8);
    assert_int_equal(waits(fixture, THCON_IDLE, T0), 3);
    assert_int_equal(instrn(fixture, STALLS + T0), 9);
}

/* What starts or stops in the middle of a wait divides it. */
static void counts_are_those_between_start_and_stop(void **context)
{
    struct fixture *fixture = *context;
    PUSH(fixture, T1, START, TT_OP_SEMWAIT(STALL_SYNC, 2, STALL_ON_ZERO), TT_OP_SEMGET(2));
    run(fixture, GATE + 10);
    control(fixture, INSTRN, START_BIT);
    run(fixture, GATE + 25);
    control(fixture, INSTRN, STOP_BIT);
    run(fixture, GATE + 40);
    assert_int_equal(waits(fixture, NONZERO_SEM, T1), 15);
    assert_int_equal(instrn(fixture, STALLS + T1), 15);
    assert_int_equal(load(fixture, B, OUT_INSTRN), 15);
    control(fixture, INSTRN, START_BIT);
    run(fixture, GATE + 44);
    assert_int_equal(waits(fixture, NONZERO_SEM, T1), 4);
}

/* As STALLWAIT asks for them; what a unit waits for by itself only stalls its thread. */
static void waits_for_banks_are_those_of_stallwait(void **context)
{
    enum { STALL_UNPACK = 8, CLEARS_SRCA = 1, WAITS_LIKE_UNPACR = 1 << 5 };
    struct fixture *fixture = *context;
    struct tensix_state *state = &fixture->state->tensix;
    control(fixture, INSTRN, START_BIT);
    PUSH(fixture, T1, START, TT_OP_STALLWAIT(STALL_MATH, 1 << 7), TT_OP_MOVA2D(0, 0, 0, 0, 0));
    PUSH(fixture, T0, START + 20, SETS_DVALID(0));
    run(fixture, GATE + 100);
    assert_int_equal(instrn(fixture, SRCA_VALID), 20);
    assert_int_equal(instrn(fixture, SRCB_VALID), 0);
    assert_int_equal(instrn(fixture, STALLS + T1), 21);

    uint64_t start = fixture->state->clock.now, gate = start + TIMING_PUSH_TO_GATE;
    state->srca.owner[0] = state->srca.owner[1] = SRC_MATRIX_UNIT;
    state->srca.unpacker_bank = state->srca.matrix_bank;
    control(fixture, INSTRN, START_BIT);
    PUSH(fixture, T0, start, TT_OP_STALLWAIT(STALL_UNPACK, 1 << 5), SETS_DVALID(0) | WAITS_LIKE_UNPACR);
    PUSH(fixture, T1, start + 10, TT_OP_SETRWC(CLEARS_SRCA, 0, 0, 0, 0, 0));
    run(fixture, gate + 100);
    assert_int_equal(instrn(fixture, SRCA_CLEAR), 10);
    assert_int_equal(instrn(fixture, SRCB_CLEAR), 0);

    start = fixture->state->clock.now;
    state->srca.owner[0] = state->srca.owner[1] = state->srcb.owner[0] = state->srcb.owner[1] = SRC_UNPACKERS;
    control(fixture, INSTRN, START_BIT);
    control(fixture, UNPACK, START_BIT);
    PUSH(fixture, T1, start, TT_OP_MVMUL(0, 0, 0, 0));
    PUSH(fixture, T0, start + 20, SETS_DVALID(0), SETS_DVALID(1)); /* in two cycles: filled one later */
    run(fixture, start + 100);
    assert_int_equal(instrn(fixture, SRCA_VALID), 0);
    assert_int_equal(instrn(fixture, STALLS + T1), 22);
    assert_int_equal(instrn(fixture, MATH_AVAILABLE + T1), 1);
    assert_int_equal(unpack(fixture, MATH_VALID_SELECT), 23);
    assert_int_equal(unpack(fixture, SRC_READY), 1);
    assert_int_equal(unpack(fixture, MATH_STARTED), 1);
}

/* Two of ADDDMAREG, each of which keeps its thread for three cycles (ScalarUnit.md). */
static void a_thread_stalls_behind_the_scalar_unit(void **context)
{
    struct fixture *fixture = *context;
    control(fixture, INSTRN, START_BIT);
    PUSH(fixture, T0, START, TT_OP_ADDDMAREG(0, 3, 2, 1), TT_OP_ADDDMAREG(0, 3, 2, 1));
    run(fixture, GATE + 40);
    assert_int_equal(instrn(fixture, STALLS + T0), 2);
    assert_int_equal(instrn(fixture, THCON_AVAILABLE + T0), 2);
    assert_int_equal(instrn(fixture, INSTRUCTIONS), 2);
}

/* As long as nothing is there that could pass, the thread does not stall. */
static void a_thread_that_has_nothing_next_does_not_stall(void **context)
{
    struct fixture *fixture = *context;
    control(fixture, INSTRN, START_BIT);
    PUSH(fixture, T0, START, TT_OP_ADDDMAREG(0, 3, 2, 1));
    PUSH(fixture, T0, START + 2, TT_OP_ADDDMAREG(0, 3, 2, 1));
    run(fixture, GATE + 40);
    assert_int_equal(instrn(fixture, STALLS + T0), 1);
    assert_int_equal(instrn(fixture, THCON_AVAILABLE + T0), 2);
}

/* A cycle each; MATH_COUNTER those in which either executes. */
static void the_fpu_and_the_sfpu_count_cycles_of_executing(void **context)
{
    enum { FPU_COUNTER = 0, SFPU_COUNTER = 1, MATH_COUNTER = 257 };
    struct fixture *fixture = *context;
    control(fixture, FPU, START_BIT);
    PUSH(fixture, T0, START, TT_OP_SETRWC(0, 0, 0, 0, 0, 0), TT_OP_SETRWC(0, 0, 0, 0, 0, 0),
         TT_OP_SETRWC(0, 0, 0, 0, 0, 0), TT_OP_SETRWC(0, 0, 0, 0, 0, 0));
    PUSH(fixture, T1, START + 2, TT_OP_SFPNOP, TT_OP_SFPNOP, TT_OP_SFPNOP, TT_OP_SFPNOP, TT_OP_SFPNOP, TT_OP_SFPNOP);
    run(fixture, GATE + 3);
    assert_int_equal(count(fixture, FPU, OUT_FPU, FPU_COUNTER), 3);
    assert_int_equal(count(fixture, FPU, OUT_FPU, SFPU_COUNTER), 1);
    assert_int_equal(count(fixture, FPU, OUT_FPU, MATH_COUNTER), 3);
    run(fixture, GATE + 40);
    assert_int_equal(count(fixture, FPU, OUT_FPU, FPU_COUNTER), 4);
    assert_int_equal(count(fixture, FPU, OUT_FPU, SFPU_COUNTER), 6);
    assert_int_equal(count(fixture, FPU, OUT_FPU, MATH_COUNTER), 8);
}

/* MVMUL onto the block that the one before writes waits five cycles (measured); behind MOVD2A, anything but moves to
   SrcA waits one (MOVD2A.md). */
static void cycles_of_hazards_are_told_apart(void **context)
{
    enum { NOT_D2S = 1, NOT_DEST_PORT = 271, NOT_SCOREBOARD = 272 };
    struct fixture *fixture = *context;
    struct tensix_state *state = &fixture->state->tensix;
    state->srca.owner[0] = state->srcb.owner[0] = SRC_MATRIX_UNIT;
    state->srca.format[0] = state->srcb.format[0] = FORMAT_BF16;
    control(fixture, UNPACK, START_BIT);
    control(fixture, PACK, START_BIT);
    PUSH(fixture, T1, START, TT_OP_MVMUL(0, 0, 0, 0), TT_OP_MVMUL(0, 0, 0, 0));
    run(fixture, GATE + 40);
    assert_int_equal(unpack(fixture, MATH_VALID_SELECT), 7);
    assert_int_equal(unpack(fixture, NOT_D2S), 7);
    assert_int_equal(unpack(fixture, SRC_READY), 7);
    assert_int_equal(pack(fixture, NOT_SCOREBOARD), 2);
    assert_int_equal(pack(fixture, NOT_DEST_PORT), 7);
    control(fixture, UNPACK, START_BIT);
    control(fixture, PACK, START_BIT);
    PUSH(fixture, T1, fixture->state->clock.now, TT_OP_MOVD2A(0, 0, 0, 0, 0), TT_OP_CLREXPHIST);
    run(fixture, GATE + 80);
    assert_int_equal(unpack(fixture, MATH_VALID_SELECT), 3);
    assert_int_equal(unpack(fixture, NOT_D2S), 2);
    assert_int_equal(pack(fixture, NOT_SCOREBOARD), 3);
}

static void set_field(struct fixture *fixture, unsigned word, unsigned shift, unsigned width, uint32_t value)
{
    for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
        uint32_t *config = &fixture->state->tensix.config.bank[bank][word];
        *config = bits_set(*config, shift, width, value);
    }
}
#define SET(fixture, name, value) set_field(fixture, name##_ADDR32, name##_SHAMT, name##_WIDTH, value)

/* 1024 data of BF16 at 16 bytes a cycle. */
static void unpackers_count_their_cycles(void **context)
{
    enum { DATA = 1024, FETCH = DATA * 2 / 16, BASE = 0x10000 };
    enum { SRCA_REQ = 6, BUSY = 7, NOT_BLOCKED_OVR = 261, NOT_BLOCKED_PORT, SRCA_EVEN, SRCB_EVEN, SRCA_ODD, SRCB_ODD };
    struct fixture *fixture = *context;
    set_field(fixture, THCON_SEC0_REG0_TileDescriptor_ADDR32, 0, 32, FORMAT_BF16 | 1 << 4 | (uint32_t)DATA << 16);
    set_field(fixture, THCON_SEC0_REG0_TileDescriptor_ADDR32 + 1, 0, 32, 1 | 1 << 16);
    SET(fixture, THCON_SEC0_REG2_Disable_zero_compress_cntx0, 1);
    SET(fixture, THCON_SEC0_REG2_Out_data_format, FORMAT_BF16);
    SET(fixture, THCON_SEC0_REG3_Base_address, BASE / 16);
    SET(fixture, THCON_SEC0_REG5_Dest_cntx0_address, 64);
    SET(fixture, THCON_SEC0_REG5_Tile_x_dim_cntx0, DATA);
    for (unsigned thread = T0; thread <= T1; thread++) {
        uint64_t start = fixture->state->clock.now, gate = start + TIMING_PUSH_TO_GATE;
        fixture->state->tensix.addr.adc[thread][0].channel[1].x = DATA - 1;
        fixture->state->tensix.config.thread[thread][SRCA_SET_SetOvrdWithAddr_ADDR32] |= SRCA_SET_SetOvrdWithAddr_MASK;
        control(fixture, UNPACK, START_BIT);
        PUSH(fixture, thread, start, TT_OP_UNPACR(0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1));
        run(fixture, gate + TIMING_UNPACK_SETUP + 10);
        assert_int_equal(unpack(fixture, SRCA_REQ), 10);
        assert_int_equal(unpack(fixture, BUSY + 2 * thread), TIMING_UNPACK_SETUP + 10);
        run(fixture, gate + 400);
        assert_int_equal(unpack(fixture, SRCA_REQ), FETCH);
        assert_int_equal(unpack(fixture, NOT_BLOCKED_OVR), FETCH);
        assert_int_equal(unpack(fixture, NOT_BLOCKED_PORT), FETCH);
        assert_int_equal(unpack(fixture, SRCA_EVEN), thread == T0 ? FETCH : 0);
        assert_int_equal(unpack(fixture, SRCA_ODD), thread == T1 ? FETCH : 0);
        assert_int_equal(unpack(fixture, SRCB_EVEN), 0);
        assert_int_equal(unpack(fixture, BUSY + 2 * thread), TIMING_UNPACK_SETUP + FETCH + TIMING_UNPACK_LATENCY);
        assert_int_equal(unpack(fixture, BUSY + 2 * (1 - thread)), 0);
        assert_int_equal(unpack(fixture, BUSY + 1), 0);
    }
}

/* Three rows of 32 bits, each of which takes two cycles. */
static void the_packer_counts_its_cycles(void **context)
{
    enum { DEST_READ = 11, BUSY = 18, GRANTED = 267, ROW = 2, BASE = 0x20000 };
    struct fixture *fixture = *context;
    SET(fixture, THCON_SEC0_REG1_In_data_format, FORMAT_FP32);
    SET(fixture, THCON_SEC0_REG1_Out_data_format, FORMAT_FP32);
    SET(fixture, THCON_SEC0_REG1_Disable_zero_compress, 1);
    SET(fixture, THCON_SEC0_REG1_L1_Dest_addr, 0x80000000u | (BASE / 16 - 1));
    SET(fixture, PCK_DEST_RD_CTRL_Read_32b_data, 1);
    SET(fixture, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 16);
    SET(fixture, PCK_EDGE_OFFSET_SEC0_mask, 0xffff);
    fixture->state->tensix.addr.adc[T2][ADC_PACKER].channel[1].x = ROW_COLUMNS - 1;
    control(fixture, PACK, START_BIT);
    control(fixture, INSTRN, START_BIT);
    PUSH(fixture, T2, START, PACR, PACR, PACR);
    run(fixture, GATE + 3);
    assert_int_equal(pack(fixture, DEST_READ), 3);
    run(fixture, GATE + 100);
    assert_int_equal(pack(fixture, DEST_READ), 3 * ROW);
    assert_int_equal(pack(fixture, GRANTED), 3 * ROW);
    assert_int_equal(pack(fixture, BUSY), 3 * ROW + TIMING_PACK_LATENCY);
    assert_int_equal(instrn(fixture, STALLS + T2), 2 * (ROW - 1));
}

/* Counters that read as 0 are warned of: those of L1's ports in both modes, others in functional mode. */
static void ports_of_l1_are_not_modelled(void **context)
{
    enum { L1 = 0xFFB12030, OUT_L1 = 0xFFB12118 };
    struct fixture *fixture = *context;
    struct diagnostics *diagnostics = &fixture->state->diagnostics;
    control(fixture, L1, START_BIT);
    assert_int_equal(load(fixture, B, OUT_L1 + EVENTS), 0);
    assert_int_equal(diagnostics->count, 1);
    assert_non_null(strstr(diagnostics->entries[0].text, "neither in functional nor in timed mode"));
    diagnostics->count = 0;
    fixture->tile.tensix.timed = false;
    store(fixture, B, INSTRN + MODE, STALLS << 8);
    assert_int_equal(load(fixture, B, OUT_INSTRN + EVENTS), 0);
    assert_int_equal(diagnostics->count, 1);
    assert_non_null(strstr(diagnostics->entries[0].text, "timed mode counts them"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMED_TEST(a_wait_for_a_semaphore_counts_until_it_is_posted),
        TIMED_TEST(a_wait_for_room_in_a_semaphore_counts_until_it_is_taken),
        TIMED_TEST(a_wait_for_a_busy_unit_counts_until_it_is_idle),
        TIMED_TEST(reasons_count_each_for_itself),
        TIMED_TEST(counts_are_those_between_start_and_stop),
        TIMED_TEST(waits_for_banks_are_those_of_stallwait),
        TIMED_TEST(a_thread_stalls_behind_the_scalar_unit),
        TIMED_TEST(a_thread_that_has_nothing_next_does_not_stall),
        TIMED_TEST(the_fpu_and_the_sfpu_count_cycles_of_executing),
        TIMED_TEST(cycles_of_hazards_are_told_apart),
        TIMED_TEST(unpackers_count_their_cycles),
        TIMED_TEST(the_packer_counts_its_cycles),
        TIMED_TEST(ports_of_l1_are_not_modelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
