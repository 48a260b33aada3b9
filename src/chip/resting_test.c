/* Rest shows in nothing but speed (src/tile/rest.h): what a program finds when it is woken is what it finds when it
   runs in turns too short for rest. */
#include "noc/fixture.h"

#include "chip/device_state.h"
#include "chip/rv32_words.h"

enum {
    X = 3,
    Y = 5,
    SHORT_TURN = 50,
    FLAG = 0x30000,
    RESULT = 0x31000,
    ELSEWHERE = 0x32000,
    MANY = 0x33000,
    PROGRAM = 0x4000,
    PROGRAM_STRIDE = 0x1000,
    MCYCLE = 0xb00,
    MINSTRET = 0xb02,
    WALL_CLOCK = 0xFFB121F0,
    STREAM = 0xFFB40000 + 48 * 0x1000,
    STREAM_SPACE = 297 * 4,
    STREAM_UPDATE = 270 * 4,
    COUNTERS_OF_NOC_0 = 0xFFB20200,
};

static uint32_t xori(unsigned rd, unsigned rs, int32_t value)
{
    return addi(rd, rs, value) | 4 << 12;
}

static uint32_t or_(unsigned rd, unsigned rs1, unsigned rs2)
{
    return rs2 << 20 | rs1 << 15 | 6 << 12 | rd << 7 | 0x33;
}

/* A branch back by `bytes` while rs1 and rs2 are equal; condition 6: while rs1 is less than rs2, unsigned. */
static uint32_t branch_back(unsigned condition, unsigned rs1, unsigned rs2, uint32_t bytes)
{
    uint32_t distance = -bytes;
    return (distance >> 12 & 1) << 31 | (distance >> 5 & 0x3f) << 25 | rs2 << 20 | rs1 << 15 | condition << 12 |
           (distance >> 1 & 0xf) << 8 | (distance >> 11 & 1) << 7 | 0x63;
}

static uint32_t read_csr(unsigned rd, uint32_t number)
{
    return number << 20 | 2 << 12 | rd << 7 | 0x73;
}

static void assert_rests(const struct fixture *fixture, bool rests)
{
    unsigned x, y, index;
    assert_true(noc_translate(&fixture->device->translation, X, Y, &x, &y));
    assert_true(tensix_index(x, y, &index));
    assert_int_equal(device_rests(fixture->device, index), rests);
}

/* A program that goes round while the word at `address` is 0, counting in T0 modulo 2, then stores at RESULT + 32 *
   core what it saw, T0, and how many instructions and cycles there were. */
static void put_waiter(struct fixture *fixture, enum bh_core core, uint32_t address, unsigned nops)
{
    uint32_t program[32], count = 0, low = address & 0xfff, high = address + ((low & 0x800) << 1);
    uint32_t pc = PROGRAM + PROGRAM_STRIDE * (uint32_t)core;
    program[count++] = lui(S0, high);
    program[count++] = lui(S1, RESULT);
    uint32_t loop = count;
    program[count++] = xori(T0, T0, 1);
    for (unsigned i = 0; i < nops; i++) {
        program[count++] = addi(0, 0, 0);
    }
    program[count++] = lw(T1, S0, low);
    program[count] = branch_back(0, T1, 0, 4 * (count - loop));
    count++;
    program[count++] = read_csr(T2, MINSTRET);
    program[count++] = sw(T2, S1, 32 * (uint32_t)core);
    program[count++] = read_csr(T2, MCYCLE);
    program[count++] = sw(T2, S1, 32 * (uint32_t)core + 4);
    program[count++] = sw(T0, S1, 32 * (uint32_t)core + 8);
    program[count++] = sw(T1, S1, 32 * (uint32_t)core + 12);
    program[count++] = SELF_JUMP;
    assert_int_equal(bh_write(fixture->device, X, Y, pc, program, count * 4), BH_OK);
    assert_int_equal(bh_core_start(fixture->device, X, Y, core, pc), BH_OK);
}

/* Runs in turns of at most `turn` cycles. Returns how many instructions there were. */
static uint64_t run(struct fixture *fixture, uint64_t cycles, uint64_t turn)
{
    uint64_t instructions = 0;
    while (cycles > 0) {
        struct bh_run_result result;
        uint64_t now = cycles < turn ? cycles : turn;
        assert_int_equal(bh_run(fixture->device, now, &result), BH_OK);
        instructions += result.riscv_instructions;
        cycles -= now;
    }
    return instructions;
}

struct outcome {
    uint64_t before, after;
    uint32_t result[8 * BH_CORE_COUNT];
};

/* Five programs with circles of different lengths, for so many cycles, before the host writes what they wait for. */
static void wait_and_see(uint64_t cycles, uint64_t turn, bool disturb, struct outcome *outcome)
{
    void *context;
    assert_int_equal(set_up(&context), 0);
    struct fixture *fixture = context;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        put_waiter(fixture, (enum bh_core)core, FLAG, 3 * core);
    }
    outcome->before = run(fixture, cycles, turn);
    for (unsigned i = 0; disturb && i < 8; i++) {
        put_word(fixture, X, Y, ELSEWHERE + 64 * i, i);
        assert_int_equal(get_word(fixture, X, Y, FLAG), 0);
        (void)get_word(fixture, X, Y, 0xFFB20044);
        outcome->before += run(fixture, 77 + i, turn);
    }
    put_word(fixture, X, Y, FLAG, 0x1234);
    outcome->after = run(fixture, 200, SHORT_TURN);
    assert_int_equal(bh_read(fixture->device, X, Y, RESULT, outcome->result, sizeof outcome->result), BH_OK);
    assert_int_equal(fixture->diagnostics, 0);
    (void)tear_down(&context);
}

static void assert_same_outcome(uint64_t cycles, uint64_t turn, bool disturb)
{
    static struct outcome rested, awake;
    wait_and_see(cycles, turn, disturb, &rested);
    wait_and_see(cycles, SHORT_TURN, disturb, &awake);
    assert_int_equal(rested.before, awake.before);
    assert_int_equal(rested.after, awake.after);
    assert_memory_equal(rested.result, awake.result, sizeof awake.result);
    assert_int_equal(awake.result[3], 0x1234);
}

static void programs_count_the_same_however_long_they_waited(void **context)
{
    (void)context;
    for (uint64_t cycles = 2000; cycles < 2040; cycles++) {
        assert_same_outcome(cycles, UINT64_MAX, false);
    }
    assert_same_outcome(12345, 1000, false);
    assert_same_outcome(54321, 100, false);
}

static void they_do_when_others_reach_their_tile_meanwhile(void **context)
{
    (void)context;
    for (uint64_t cycles = 3000; cycles < 3020; cycles++) {
        assert_same_outcome(cycles, UINT64_MAX, true);
    }
}

static void run_long(struct fixture *fixture)
{
    (void)run(fixture, 20000, UINT64_MAX);
}

static void a_write_elsewhere_does_not_wake(void **context)
{
    struct fixture *fixture = *context;
    put_waiter(fixture, BH_CORE_B, FLAG, 0);
    run_long(fixture);
    assert_rests(fixture, true);
    put_word(fixture, X, Y, ELSEWHERE, 1);
    assert_int_equal(get_word(fixture, X, Y, FLAG), 0);
    assert_rests(fixture, true);
    put_word(fixture, X, Y, FLAG, 1);
    assert_rests(fixture, false);
    run_long(fixture);
    assert_int_equal(get_word(fixture, X, Y, RESULT + 12), 1);
}

static void every_kind_of_request_wakes(void **context)
{
    struct fixture *fixture = *context;
    static const struct {
        uint32_t ctrl;
        uint64_t length;
        uint32_t data, seen;
    } kinds[] = {
        {CMD_WRITE | MARKED, 16, 0, 0x77},
        {CMD_WRITE | BROADCAST | MARKED, 16, 0, 0x77},
        {CMD_ATOMIC, 0x107c, 5, 5}, /* an increment */
    };
    put_word(fixture, 7, 7, FLAG, 0x77);
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bool atomic = kinds[i].ctrl & CMD_ATOMIC;
        uint32_t there = kinds[i].ctrl & BROADCAST ? rectangle(X, Y, X, Y) : at(X, Y);
        put_word(fixture, X, Y, FLAG, 0);
        put_waiter(fixture, BH_CORE_B, FLAG, i);
        run_long(fixture);
        assert_rests(fixture, true);
        struct command command = {.x = 7,
                                  .y = 7,
                                  .ctrl = kinds[i].ctrl,
                                  .target = FLAG,
                                  .target_at = atomic ? there : at(7, 7),
                                  .back = FLAG,
                                  .back_at = atomic ? at(7, 7) : there,
                                  .length = kinds[i].length,
                                  .data = kinds[i].data};
        assert_int_equal(start(fixture, &command), BH_OK);
        run_long(fixture);
        assert_int_equal(get_word(fixture, X, Y, RESULT + 12), kinds[i].seen);
        assert_int_equal(fixture->diagnostics, 0);
    }
}

static void a_stream_register_wakes(void **context)
{
    struct fixture *fixture = *context;
    put_waiter(fixture, BH_CORE_NC, STREAM + STREAM_SPACE, 0);
    run_long(fixture);
    assert_rests(fixture, true);
    put_word(fixture, X, Y, STREAM + STREAM_UPDATE, 5 << 6);
    run_long(fixture);
    assert_int_equal(get_word(fixture, X, Y, RESULT + 32 * BH_CORE_NC + 12), 5);
}

static void who_counts_accesses_sees_each(void **context)
{
    struct fixture *fixture = *context;
    put_waiter(fixture, BH_CORE_B, COUNTERS_OF_NOC_0 + 4 * NIU_SLV_RD_REQ_RECEIVED, 0);
    run_long(fixture);
    assert_rests(fixture, true);
    struct command command = {.x = 7,
                              .y = 7,
                              .ctrl = CMD_READ,
                              .target = ELSEWHERE,
                              .target_at = at(X, Y),
                              .back = ELSEWHERE,
                              .back_at = at(7, 7),
                              .length = 16};
    assert_int_equal(start(fixture, &command), BH_OK);
    run_long(fixture);
    assert_int_equal(get_word(fixture, X, Y, RESULT + 12), 1);
}

/* What a circle stores anew each time is there again, whoever wrote over it. */
static void a_word_that_is_stored_again_wakes(void **context)
{
    struct fixture *fixture = *context;
    uint32_t program[] = {lui(S0, FLAG), lui(S1, ELSEWHERE),       addi(T1, 0, 9), sw(T1, S1, 0),
                          lw(T2, S0, 0), branch_back(0, T2, 0, 8), SELF_JUMP};
    assert_int_equal(bh_write(fixture->device, X, Y, PROGRAM, program, sizeof program), BH_OK);
    assert_int_equal(bh_core_start(fixture->device, X, Y, BH_CORE_B, PROGRAM), BH_OK);
    run_long(fixture);
    assert_rests(fixture, true);
    put_word(fixture, X, Y, ELSEWHERE, 1);
    run_long(fixture);
    assert_int_equal(get_word(fixture, X, Y, ELSEWHERE), 9);
    assert_rests(fixture, true);
}

static void any_of_many_words_wakes(void **context)
{
    struct fixture *fixture = *context;
    enum { WORDS = 40 };
    uint32_t program[2 * WORDS + 8], count = 0;
    program[count++] = lui(S0, MANY);
    program[count++] = addi(T0, 0, 0);
    for (unsigned i = 0; i < WORDS; i++) {
        program[count++] = lw(T1, S0, 8 * i);
        program[count++] = or_(T0, T0, T1);
    }
    program[count] = branch_back(0, T0, 0, 4 * (count - 1));
    count++;
    program[count++] = lui(S1, RESULT);
    program[count++] = sw(T0, S1, 0);
    program[count++] = SELF_JUMP;
    assert_int_equal(bh_write(fixture->device, X, Y, PROGRAM, program, count * 4), BH_OK);
    for (unsigned i = 0; i < WORDS; i += 13) {
        assert_int_equal(bh_core_start(fixture->device, X, Y, BH_CORE_B, PROGRAM), BH_OK);
        run_long(fixture);
        assert_rests(fixture, true);
        put_word(fixture, X, Y, MANY + 8 * i, 1 + i);
        run_long(fixture);
        assert_int_equal(get_word(fixture, X, Y, RESULT), 1 + i);
        put_word(fixture, X, Y, MANY + 8 * i, 0);
    }
}

/* From the start of the circle on, at any of its instructions. */
static void new_code_wakes(void **context)
{
    struct fixture *fixture = *context;
    put_waiter(fixture, BH_CORE_B, FLAG, 2);
    run_long(fixture);
    put_word(fixture, X, Y, PROGRAM + 4, lui(S1, RESULT));
    assert_rests(fixture, true);
    put_word(fixture, X, Y, PROGRAM + 16, addi(0, 0, 0));
    assert_rests(fixture, false);
}

static void who_looks_at_the_time_does_not_rest(void **context)
{
    struct fixture *fixture = *context;
    uint32_t program[] = {lui(S0, WALL_CLOCK),
                          lui(T2, 0x3000),
                          lw(T1, S0, WALL_CLOCK & 0xfff),
                          branch_back(6, T1, T2, 4),
                          lui(S1, RESULT),
                          sw(T1, S1, 0),
                          SELF_JUMP};
    assert_int_equal(bh_write(fixture->device, X, Y, PROGRAM, program, sizeof program), BH_OK);
    assert_int_equal(bh_core_start(fixture->device, X, Y, BH_CORE_B, PROGRAM), BH_OK);
    run_long(fixture);
    assert_rests(fixture, false);
    (void)run(fixture, 20000, UINT64_MAX);
    assert_in_range(get_word(fixture, X, Y, RESULT), 0x3000, 0x3004);
}

static void a_core_at_rest_is_stopped_and_started(void **context)
{
    struct fixture *fixture = *context;
    put_waiter(fixture, BH_CORE_T1, FLAG, 0);
    run_long(fixture);
    assert_rests(fixture, true);
    assert_int_equal(bh_core_stop(fixture->device, X, Y, BH_CORE_T1), BH_OK);
    struct bh_run_result result;
    assert_int_equal(bh_run(fixture->device, 1000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_IDLE);
    put_waiter(fixture, BH_CORE_T1, FLAG, 1);
    run_long(fixture);
    assert_rests(fixture, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_count_the_same_however_long_they_waited),
        cmocka_unit_test(they_do_when_others_reach_their_tile_meanwhile),
        TEST(a_write_elsewhere_does_not_wake),
        TEST(every_kind_of_request_wakes),
        TEST(a_stream_register_wakes),
        TEST(who_counts_accesses_sees_each),
        TEST(a_word_that_is_stored_again_wakes),
        TEST(any_of_many_words_wakes),
        TEST(new_code_wakes),
        TEST(who_looks_at_the_time_does_not_rest),
        TEST(a_core_at_rest_is_stopped_and_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
