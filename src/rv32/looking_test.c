/* Polling loops: the fast loop of the interpreter, which skips iterations, and the hooked loop, which executes each of
   them, reach the same state at the end of every turn, whatever changes between turns. So do turns that are left out.
 */
#include "rv32/fixture.h"

#include <string.h>

#include "rv32/polling.h"
#include "util/bits.h"
#include "util/xorshift.h"

enum { PROGRAMS = 4000, TURNS = 24, LONGEST_TURN = 600, PLACES = 16, BODY = 10 };
enum { DATA = 0x400, REGISTERS_AT = (int32_t)0xffb20000 };

static uint64_t random_state;
static uint32_t registers[2][PLACES]; /* for each of the two cores: words behind the bus */

static uint32_t below(uint32_t limit)
{
    return xorshift64_word(&random_state) % limit;
}

static uint32_t *word_of(uint32_t *words, uint32_t address)
{
    uint32_t index = (address - (uint32_t)REGISTERS_AT) / 4;
    return index < PLACES ? &words[index] : NULL;
}

static uint32_t *fast_word(void *context, unsigned core, uint32_t address, bool stores)
{
    return word_of(registers[0], address);
}

static enum step hooked_load(void *context, unsigned core, uint32_t address, unsigned size, uint32_t *value)
{
    struct fixture *fixture = context;
    const uint32_t *word = size == 4 ? word_of(registers[1], address) : NULL;
    *value = word ? *word : fixture->loaded;
    return STEP_DONE;
}

static enum step hooked_store(void *context, unsigned core, uint32_t address, unsigned size, uint32_t value)
{
    uint32_t *word = size == 4 ? word_of(registers[1], address) : NULL;
    if (word) {
        *word = value;
    }
    return STEP_DONE;
}

static enum step quiet_load(void *context, unsigned core, uint32_t address, unsigned size, uint32_t *value)
{
    *value = ((struct fixture *)context)->loaded;
    return STEP_DONE;
}

static enum step quiet_store(void *context, unsigned core, uint32_t address, unsigned size, uint32_t value)
{
    return STEP_DONE;
}

/* S0 points to L1, S1 to local RAM, GP to registers, which loops poll. `tame`: only instructions that occur in polling
   loops. */
static uint32_t random_instruction(bool tame, unsigned at, unsigned words)
{
    static const uint8_t bases[] = {S0, S0, S1, GP};
    static const uint8_t loads[] = {RV32_OP_LW, RV32_OP_LW, RV32_OP_LHU, RV32_OP_LBU, RV32_OP_LB};
    static const uint8_t sums[] = {RV32_OP_ADD, RV32_OP_SUB, RV32_OP_XOR, RV32_OP_AND, RV32_OP_SLTU};
    static const uint8_t branches[] = {RV32_OP_BEQ, RV32_OP_BNE, RV32_OP_BLT, RV32_OP_BGE, RV32_OP_BLTU, RV32_OP_BGEU};
    unsigned base = bases[below(4)], to = T0 + below(3), from = A0 + below(4);
    switch (below(tame ? 8 : 12)) {
    case 0:
    case 1:
    case 2:
        return base == GP ? word_i(RV32_OP_LW, to, base, 4 * (int32_t)below(PLACES))
                          : word_i(loads[below(5)], to, base, 4 * (int32_t)below(PLACES));
    case 3:
    case 4: return word_r((enum rv32_op)sums[below(5)], T0 + below(3), to, from);
    case 5: return word_addi(to, from, (int32_t)below(4));
    case 6: return rv32_instructions[RV32_OP_FENCE].match;
    case 7: return word_b((enum rv32_op)branches[below(6)], to, from, 4 * (int32_t)(1 + below(words - at)));
    case 8: return word_s(RV32_OP_SW, to, 4 * (int32_t)below(PLACES), base);
    case 9: return word_addi(to, to, 1); /* counts, so that registers differ each time */
    case 10: return word_b((enum rv32_op)branches[below(6)], to, from, -4 * (int32_t)(1 + below(at + 1)));
    default: return word_i(RV32_OP_CSRRS, to, ZERO, 0xb00);
    }
}

/* One or two loops in sequence, repeated for ever. */
static unsigned make_program(uint32_t *program)
{
    unsigned count = 0;
    for (unsigned loops = 1 + below(2); loops > 0; loops--) {
        bool tame = below(4) != 0;
        unsigned words = 1 + below(BODY);
        for (unsigned at = 0; at < words; at++) {
            program[count++] = random_instruction(tame, at, words);
        }
        program[count++] =
            below(3) ? word_b(below(2) ? RV32_OP_BNE : RV32_OP_BEQ, T0 + below(3), A0 + below(4), -4 * (int32_t)words)
                     : word_j(ZERO, -4 * (int32_t)words);
    }
    program[count] = word_j(ZERO, -4 * (int32_t)count);
    return count + 1;
}

static void begin(struct fixture *fixture, const uint32_t *program, unsigned words)
{
    l1_write(&fixture->l1, 0x100, program, 4 * words);
    memset(fixture->l1_bytes + DATA, 0, 4 * PLACES);
    memset(fixture->local_ram, 0, sizeof fixture->local_ram);
    fixture->core.instret = 0;
    rv32_reset(&fixture->core, 0x100);
    fixture->core.x[S0] = DATA;
    fixture->core.x[S1] = MEM_LOCAL_BASE + 0x40;
    fixture->core.x[GP] = (uint32_t)REGISTERS_AT;
    for (unsigned i = 0; i < 4; i++) {
        fixture->core.x[A0 + i] = i;
    }
}

static void change(struct fixture *fast, struct fixture *hooked)
{
    uint32_t value = below(4), place = below(PLACES);
    l1_store32(&fast->l1, DATA + 4 * place, value);
    l1_store32(&hooked->l1, DATA + 4 * place, value);
    registers[0][place] = registers[1][place] = below(4);
}

static void assert_same(const struct fixture *fast, const struct fixture *hooked, unsigned seed)
{
    if (!fixture_same(fast, hooked, DATA, 4 * PLACES) ||
        memcmp(fast->local_ram, hooked->local_ram, sizeof fast->local_ram) != 0 ||
        memcmp(registers[0], registers[1], sizeof registers[0]) != 0) {
        fail_msg("seed %u: pc 0x%x and 0x%x", seed, fast->core.pc, hooked->core.pc);
    }
}

static struct pollings pollings;
static struct polling polling;
static unsigned left_out; /* turns, at least */

static uint32_t run_polling(struct rv32 *rv32, uint32_t budget)
{
    uint32_t retired = polling_run(rv32, &pollings, &polling, budget);
    left_out += pollings.known && polling.used;
    return retired;
}

/* Compares with the hooked loop; something changes before one of so many turns. */
static void compare(void **state, uint32_t (*run)(struct rv32 *rv32, uint32_t budget), uint32_t turns_to_change)
{
    void *hooked_state;
    assert_int_equal(fixture_setup(&hooked_state), 0);
    struct fixture *fast = *state, *hooked = hooked_state;
    const struct rv32_hooks none = {0};
    fast->rv32.bus.word = fast_word;
    fast->rv32.bus.load = quiet_load;
    fast->rv32.bus.store = quiet_store;
    hooked->rv32.bus.load = hooked_load;
    hooked->rv32.bus.store = hooked_store;
    for (unsigned seed = 1; seed <= PROGRAMS; seed++) {
        uint32_t program[2 * BODY + 4];
        random_state = seed * UINT64_C(0x9e3779b97f4a7c15);
        memset(registers, 0, sizeof registers);
        unsigned words = make_program(program);
        begin(fast, program, words);
        begin(hooked, program, words);
        for (unsigned turn = 0; turn < TURNS; turn++) {
            uint32_t budget = 1 + below(LONGEST_TURN);
            clock_begin(&fast->clock, 1000 * turn);
            clock_begin(&hooked->clock, 1000 * turn);
            assert_int_equal(run(&fast->rv32, budget), rv32_run_hooked(&hooked->rv32, budget, &none));
            assert_same(fast, hooked, seed);
            if (below(turns_to_change) == 0) {
                change(fast, hooked);
            }
        }
    }
    fixture_teardown(&hooked_state);
}

static void rounds_that_are_skipped_change_nothing(void **state)
{
    compare(state, rv32_run, 1);
}

static void turns_that_are_left_out_change_nothing(void **state)
{
    left_out = 0;
    compare(state, run_polling, 4);
    assert_true(left_out > PROGRAMS / 4);
}

/* A jump back to a polling loop that was rewritten to one that does more. */
static void what_replaces_a_waiting_loop_is_executed(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_i(RV32_OP_LW, T0, S0, 0), word_b(RV32_OP_BEQ, T0, ZERO, -4), word_self_jump());
    fixture->core.x[S0] = DATA;
    assert_int_equal(rv32_run(&fixture->rv32, 1001), 1001);
    PROGRAM(fixture, word_addi(A1, A1, 1));
    assert_int_equal(rv32_run(&fixture->rv32, 1001), 1001);
    assert_int_equal(fixture->core.x[A1], 500);
}

static void what_replaces_a_loop_whose_turns_are_left_out_is_executed(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_i(RV32_OP_LW, T0, S0, 0), word_b(RV32_OP_BEQ, T0, ZERO, -4), word_self_jump());
    fixture->core.x[S0] = DATA;
    pollings = (struct pollings){0};
    for (unsigned turn = 0; turn < 4; turn++) {
        assert_int_equal(run_polling(&fixture->rv32, 1001), 1001);
    }
    assert_true(pollings.known && polling.used);
    PROGRAM(fixture, word_addi(A1, A1, 1));
    assert_int_equal(run_polling(&fixture->rv32, 1000), 1000);
    assert_int_equal(fixture->core.x[A1], 500);
}

/* The core has fetched the loop; rewriting it with the same words does not make it another program. */
static void a_loop_that_is_written_again_is_the_same(void **state)
{
    struct fixture *fixture = *state;
    fixture->rv32.flushable = true;
    for (unsigned i = 0; i < 3; i++) {
        PROGRAM(fixture, word_addi(A1, A1, 1), word_s(RV32_OP_SW, A1, 0, S0), word_b(RV32_OP_BNE, A1, ZERO, -8));
        fixture->core.x[S0] = DATA;
        assert_int_equal(rv32_run(&fixture->rv32, 300), 300);
        assert_int_equal(fixture->diagnostics.count, 0);
    }
    PROGRAM(fixture, word_addi(A1, A1, 1), word_s(RV32_OP_SW, A1, 0, S0), word_b(RV32_OP_BEQ, A1, ZERO, -8));
    (void)rv32_run(&fixture->rv32, 3);
    assert_int_equal(fixture->diagnostics.count, 1);
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rounds_that_are_skipped_change_nothing),   TEST(turns_that_are_left_out_change_nothing),
        TEST(what_replaces_a_waiting_loop_is_executed), TEST(what_replaces_a_loop_whose_turns_are_left_out_is_executed),
        TEST(a_loop_that_is_written_again_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
