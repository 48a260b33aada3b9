/* Loops that wait by the clock: the interpreter, which skips rounds of them, and the hooked one, which executes each of
   them, reach the same state at the end of every turn, whatever the loops compare. */
#include "rv32/fixture.h"

#include <string.h>

#include "util/xorshift.h"

enum { PROGRAMS = 6000, TURNS = 12, LONGEST_TURN = 900, TURN_STARTS = 1000, BODY = 10, DATA = 0x400, PLACES = 4 };
enum { LOW = 496, LIVE = LOW + 4, LATCHED = LOW + 8 };
#define REGISTERS_AT 0xffb12000u

static uint64_t random_state;

static uint32_t below(uint32_t limit)
{
    return xorshift64_word(&random_state) % limit;
}

/* Of each fixture: the high half when the low one was last loaded, and how many loads of the latter there were. */
static struct clock_reader {
    struct fixture *fixture;
    uint32_t latched;
    uint64_t loads;
} readers[2];

static enum step clock_load(void *context, unsigned core, uint32_t address, unsigned size, uint32_t *value)
{
    struct clock_reader *reader = &readers[context == readers[1].fixture];
    uint64_t now = clock_of(&reader->fixture->clock, core);
    uint32_t word;
    switch (address & ~3u) {
    case REGISTERS_AT + LOW:
        word = (uint32_t)now;
        reader->latched = (uint32_t)(now >> 32);
        reader->loads++;
        break;
    case REGISTERS_AT + LIVE: word = (uint32_t)(now >> 32); break;
    case REGISTERS_AT + LATCHED: word = reader->latched; break;
    default: word = 0x55; break;
    }
    *value = word >> 8 * (address & 3) & (UINT32_MAX >> (32 - 8 * size));
    return STEP_DONE;
}

static enum step ignored_store(void *context, unsigned core, uint32_t address, unsigned size, uint32_t value)
{
    return STEP_DONE;
}

static unsigned any_register(void)
{
    static const uint8_t all[] = {ZERO, T0, T1, T2, T0, T1, T2, A0, A1, A2, A3};
    return all[below(sizeof all)];
}

static uint32_t random_load(unsigned to)
{
    switch (below(8)) {
    case 0: return word_i(RV32_OP_LW, to, S0, 4 * (int32_t)below(PLACES));
    case 1: return word_i(RV32_OP_LW, to, S1, 4 * (int32_t)below(PLACES));
    case 2: return word_i(RV32_OP_LW, to, GP, LIVE);
    case 3: return word_i(RV32_OP_LW, to, GP, LATCHED);
    case 4: return word_i(below(2) ? RV32_OP_LHU : RV32_OP_LBU, to, GP, LOW + (int32_t)below(2) * 2);
    default: return word_i(RV32_OP_LW, to, GP, LOW);
    }
}

/* S0 points to L1, S1 to local RAM, GP to registers. `tame`: only instructions that loops which wait are made of. */
static uint32_t random_instruction(bool tame, unsigned at, unsigned words)
{
    static const uint8_t sums[] = {RV32_OP_ADD, RV32_OP_SUB, RV32_OP_SUB, RV32_OP_SLTU, RV32_OP_XOR,
                                   RV32_OP_AND, RV32_OP_OR,  RV32_OP_SLT, RV32_OP_SLL};
    static const uint8_t immediates[] = {RV32_OP_ADDI, RV32_OP_ADDI, RV32_OP_SLTIU,
                                         RV32_OP_ANDI, RV32_OP_XORI, RV32_OP_ORI};
    static const uint8_t branches[] = {RV32_OP_BEQ, RV32_OP_BNE, RV32_OP_BLT, RV32_OP_BGE, RV32_OP_BLTU, RV32_OP_BGEU};
    unsigned to = below(16) ? T0 + below(3) : ZERO;
    switch (below(tame ? 8 : 11)) {
    case 0:
    case 1: return random_load(to);
    case 2:
    case 3: return word_r((enum rv32_op)sums[below(sizeof sums)], to, any_register(), any_register());
    case 4:
        return word_i((enum rv32_op)immediates[below(sizeof immediates)], to, any_register(),
                      (int32_t)below(200) - 100);
    case 5: return word_u(RV32_OP_LUI, to, below(4) << 12);
    case 6:
    case 7:
        return word_b((enum rv32_op)branches[below(6)], any_register(), any_register(),
                      4 * (int32_t)(1 + below(words - at)));
    case 8: return word_s(RV32_OP_SW, to, 4 * (int32_t)below(PLACES), S0);
    case 9: return word_addi(A0 + below(4), A0 + below(4), 1);
    default: return word_i(RV32_OP_CSRRS, to, ZERO, 0xb00);
    }
}

/* Loops in sequence, each of which begins with a load of the clock, repeated for ever. */
static unsigned make_program(uint32_t *program)
{
    static const uint8_t ends[] = {RV32_OP_BLTU, RV32_OP_BLTU, RV32_OP_BGEU, RV32_OP_BNE, RV32_OP_BEQ, RV32_OP_BLT};
    unsigned count = 0;
    for (unsigned loops = 1 + below(2); loops > 0; loops--) {
        bool tame = below(5) != 0;
        unsigned words = 1 + below(BODY), first = count;
        program[count++] = word_i(RV32_OP_LW, T0 + below(3), GP, LOW);
        for (unsigned at = 1; at < words; at++) {
            program[count++] = random_instruction(tame, at, words);
        }
        program[count] = below(6) ? word_b((enum rv32_op)ends[below(sizeof ends)], any_register(), any_register(),
                                           -4 * (int32_t)(count - first))
                                  : word_j(ZERO, -4 * (int32_t)(count - first));
        count++;
    }
    program[count] = word_j(ZERO, -4 * (int32_t)count);
    return count + 1;
}

static void begin(struct fixture *fixture, const uint32_t *program, unsigned words, const uint32_t *values)
{
    l1_write(&fixture->l1, 0x100, program, 4 * words);
    l1_write(&fixture->l1, DATA, values, 4 * PLACES);
    memcpy(fixture->local_ram + 0x40, values, 4 * PLACES);
    fixture->core.instret = 0;
    rv32_reset(&fixture->core, 0x100);
    fixture->core.x[S0] = DATA;
    fixture->core.x[S1] = MEM_LOCAL_BASE + 0x40;
    fixture->core.x[GP] = REGISTERS_AT;
    memcpy(&fixture->core.x[A0], values, 4 * sizeof *values);
}

static void assert_same(const struct fixture *fast, const struct fixture *hooked, unsigned seed)
{
    if (!fixture_same(fast, hooked, DATA, 4 * PLACES) || readers[0].latched != readers[1].latched) {
        fail_msg("seed %u: pc 0x%x and 0x%x", seed, fast->core.pc, hooked->core.pc);
    }
}

static void rounds_that_are_skipped_change_nothing(void **state)
{
    void *hooked_state;
    assert_int_equal(fixture_setup(&hooked_state), 0);
    struct fixture *fast = *state, *hooked = hooked_state;
    const struct rv32_hooks none = {0};
    memset(readers, 0, sizeof readers);
    readers[0].fixture = fast;
    readers[1].fixture = hooked;
    fast->rv32.bus.clock_register = REGISTERS_AT + LOW;
    fast->rv32.bus.load = hooked->rv32.bus.load = clock_load;
    fast->rv32.bus.store = hooked->rv32.bus.store = ignored_store;
    for (unsigned seed = 1; seed <= PROGRAMS; seed++) {
        uint32_t program[2 * BODY + 4], values[PLACES];
        random_state = seed * UINT64_C(0x9e3779b97f4a7c15);
        uint64_t start = below(4) ? 1000 : (UINT64_C(1) << 32) - below(6 * TURN_STARTS); /* some see it wrap around */
        for (unsigned i = 0; i < PLACES; i++) {
            values[i] = below(3) ? (uint32_t)start + below(8 * TURN_STARTS) : below(3000);
        }
        unsigned words = make_program(program);
        begin(fast, program, words, values);
        begin(hooked, program, words, values);
        for (unsigned turn = 0; turn < TURNS; turn++) {
            uint32_t budget = 1 + below(below(2) ? LONGEST_TURN : 40);
            clock_begin(&fast->clock, start + TURN_STARTS * turn);
            clock_begin(&hooked->clock, start + TURN_STARTS * turn);
            assert_int_equal(rv32_run(&fast->rv32, budget), rv32_run_hooked(&hooked->rv32, budget, &none));
            assert_same(fast, hooked, seed);
        }
    }
    /* The random loops are such that more than half of the loads of the clock are skipped. */
    assert_true(2 * readers[0].loads < readers[1].loads);
    fixture_teardown(&hooked_state);
}

/* A wait for so many cycles as firmware has it: both halves of the clock are compared with those of the end. */
static void a_wait_of_firmware_is_looked_at_once_in_a_turn(void **state)
{
    struct fixture *fixture = *state;
    enum { CYCLES = 100000, TURN = 512 };
    memset(readers, 0, sizeof readers);
    readers[0].fixture = fixture;
    fixture->rv32.bus.clock_register = REGISTERS_AT + LOW;
    fixture->rv32.bus.load = clock_load;
    PROGRAM(fixture, word_i(RV32_OP_LW, A1, GP, LOW), word_i(RV32_OP_LW, A4, GP, LATCHED),
            word_b(RV32_OP_BLTU, A4, A3, -8), word_b(RV32_OP_BNE, A3, A4, 8), word_b(RV32_OP_BLTU, A1, A0, -16),
            word_self_jump());
    fixture->core.x[GP] = REGISTERS_AT;
    fixture->core.x[A0] = CYCLES;
    unsigned turns = 0;
    for (; fixture->core.halt == RV32_RUNNING; turns++) {
        clock_begin(&fixture->clock, TURN * turns);
        (void)rv32_run(&fixture->rv32, TURN);
    }
    assert_in_range(clock_of(&fixture->clock, 0), CYCLES, CYCLES + 10);
    assert_in_range(fixture->core.x[A1], CYCLES, CYCLES + 4);
    assert_in_range(turns, CYCLES / TURN, CYCLES / TURN + 1);
    assert_true(readers[0].loads <= 4 * turns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rounds_that_are_skipped_change_nothing),
        TEST(a_wait_of_firmware_is_looked_at_once_in_a_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
