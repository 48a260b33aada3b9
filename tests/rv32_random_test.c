/* Random programs, legal and not: the fast loop of the interpreter in runs of random length and the hooked loop in
   single steps reach the same state, and no instruction of a core affects anything but its own tile. */
#include "rv32/fixture.h"

#include <string.h>

#include "util/bits.h"
#include "util/xorshift.h"

enum { START = 0x1000, WORDS = 256, PROGRAMS = 3000, INSTRUCTIONS = 500 };

static uint64_t random_state;

static uint32_t random_word(void)
{
    return xorshift64_word(&random_state);
}

/* Mostly instructions of the table; jumps stay near, accesses go to where a register points or to L1's first 2 KiB. */
static uint32_t random_instruction(void)
{
    unsigned kind = random_word() % 64;
    if (kind == 0) {
        return random_word();
    }
    enum rv32_op op;
    do {
        op = 1 + random_word() % (RV32_OP_TTINSN - 1);
    } while (rv32_instructions[op].extension == RV32_INTERRUPT && kind > 1);
    uint32_t word = (random_word() & ~rv32_instructions[op].mask) | rv32_instructions[op].match;
    switch (rv32_instructions[op].format) {
    case RV32_FORMAT_B: return word & ~(0x60u << 25) & ~0x80u;
    case RV32_FORMAT_J: return word & ~0x7f8ff000u;
    case RV32_FORMAT_JALR: return bits_set(word, 15, 5, GP) & 0x7fffffff;
    case RV32_FORMAT_LOAD:
    case RV32_FORMAT_STORE:
    case RV32_FORMAT_FLOAD:
    case RV32_FORMAT_FSTORE: return random_word() % 2 ? bits_set(word, 15, 5, random_word() % 4) : word;
    default: return word;
    }
}

static uint32_t run_hooked(struct rv32 *rv32)
{
    return rv32_run_hooked(rv32, 1, &(const struct rv32_hooks){0});
}

static void load(struct fixture *fixture, const uint32_t *program, const uint32_t *registers)
{
    memset(fixture->l1_bytes, 0, 0x2000);
    l1_written(&fixture->l1, 0, 0x2000);
    memset(fixture->local_ram, 0, sizeof fixture->local_ram);
    l1_write(&fixture->l1, START, program, WORDS * sizeof *program);
    memset(&fixture->diagnostics, 0, sizeof fixture->diagnostics);
    diagnostics_set_policy(&fixture->diagnostics, BH_POLICY_SILICON);
    fixture->accesses = 0;
    fixture->core.instret = 0;
    rv32_reset(&fixture->core, START);
    memcpy(fixture->core.x + 1, registers, 31 * sizeof *registers);
    fixture->core.x[SP] = MEM_LOCAL_BASE + 0x800;
    fixture->core.x[GP] = START;
    fixture->loaded = 0x01234567;
}

static void both_copies_of_the_interpreter_agree(void **state)
{
    void *hooked_state;
    assert_int_equal(fixture_setup(&hooked_state), 0);
    struct fixture *fast = *state, *hooked = hooked_state;
    uint64_t total = 0;
    for (unsigned seed = 1; seed <= PROGRAMS; seed++) {
        uint32_t program[WORDS], registers[31];
        random_state = seed * UINT64_C(0x9e3779b97f4a7c15);
        for (unsigned i = 0; i < WORDS; i++) {
            program[i] = random_instruction();
        }
        for (unsigned i = 0; i < 31; i++) {
            registers[i] = random_word() >> random_word() % 32;
        }
        load(fast, program, registers);
        load(hooked, program, registers);
        fast->core.id = hooked->core.id = seed % 2 ? BH_CORE_B : BH_CORE_T2;
        while (fast->core.instret < INSTRUCTIONS) {
            uint32_t budget = 1 + random_word() % 50;
            uint32_t retired = rv32_run(&fast->rv32, budget), count = 0;
            assert_true(retired <= budget);
            for (uint32_t i = 0; i < budget; i++) {
                count += run_hooked(&hooked->rv32);
            }
            assert_int_equal(retired, count);
            assert_int_equal(fast->core.pc, hooked->core.pc);
            assert_int_equal(fast->core.halt, hooked->core.halt);
            assert_int_equal(fast->core.instret, hooked->core.instret);
            assert_int_equal(fast->accesses, hooked->accesses);
            assert_memory_equal(fast->core.x, hooked->core.x, 32 * sizeof fast->core.x[0]);
            assert_memory_equal(fast->core.x + RV32_F0, hooked->core.x + RV32_F0, 32 * sizeof fast->core.x[0]);
            assert_memory_equal(fast->core.v, hooked->core.v, sizeof fast->core.v);
            assert_memory_equal(fast->core.csr, hooked->core.csr, sizeof fast->core.csr);
            assert_int_equal(fast->core.x[0], 0);
            if (retired < budget) {
                break; /* halted, or stopped by a diagnostic */
            }
        }
        total += fast->core.instret;
        assert_memory_equal(fast->l1_bytes, hooked->l1_bytes, L1_SIZE);
        assert_memory_equal(fast->local_ram, hooked->local_ram, LOCAL_RAM_SIZE);
    }
    assert_true(total > 100000);
    fixture_teardown(&hooked_state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(both_copies_of_the_interpreter_agree, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
