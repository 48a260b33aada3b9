/* For tests: one core with its memories, a bus that records accesses, and encoders of instructions. */
#ifndef BHEMU_RV32_FIXTURE_H
#define BHEMU_RV32_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "rv32/rv32.h"

enum { FIXTURE_ACCESSES = 16 };

enum { ZERO, RA, SP, GP, TP, T0, T1, T2, S0, S1, A0, A1, A2, A3, A4, A5 };

struct fixture {
    uint8_t l1_bytes[L1_SIZE];
    uint8_t local_ram[LOCAL_RAM_SIZE];
    struct rv32_core core;
    struct diagnostics diagnostics;
    struct l1 l1;
    struct clock clock;
    struct rv32 rv32;
    /* the bus: its answer, and the recorded access */
    enum step answer;
    uint32_t loaded;
    bool yields;
    bool resets; /* a store resets the core to 0x800 */
    unsigned accesses;
    struct {
        char kind; /* l, s, p */
        unsigned core;
        uint32_t address, size, value, pc, now_pc, now_instruction;
        uint64_t instret;
    } access[FIXTURE_ACCESSES];
};

static enum step fixture_access(struct fixture *fixture, char kind, unsigned core, uint32_t address, unsigned size,
                                uint32_t value)
{
    unsigned i = fixture->accesses++ % FIXTURE_ACCESSES;
    fixture->access[i].kind = kind;
    fixture->access[i].core = core;
    fixture->access[i].address = address;
    fixture->access[i].size = size;
    fixture->access[i].value = value;
    fixture->access[i].pc = fixture->core.pc;
    fixture->access[i].instret = fixture->core.instret;
    fixture->access[i].now_pc = fixture->diagnostics.now.pc;
    fixture->access[i].now_instruction = fixture->diagnostics.now.instruction;
    fixture->rv32.yield |= fixture->yields;
    return fixture->answer;
}

static enum step fixture_load(void *context, unsigned core, uint32_t address, unsigned size, uint32_t *value)
{
    struct fixture *fixture = context;
    *value = fixture->loaded;
    return fixture_access(fixture, 'l', core, address, size, 0);
}

static enum step fixture_store(void *context, unsigned core, uint32_t address, unsigned size, uint32_t value)
{
    struct fixture *fixture = context;
    enum step step = fixture_access(fixture, 's', core, address, size, value);
    if (fixture->resets) {
        rv32_reset(&fixture->core, 0x800);
        fixture->core.halt = RV32_IN_RESET;
    }
    return step;
}

static enum step fixture_push(void *context, unsigned core, uint32_t word)
{
    return fixture_access(context, 'p', core, INSTRN_BUF_BASE, 4, word);
}

/* A core that is about to leave reset at 0x100. */
static inline int fixture_setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    assert_true(l1_create(&fixture->l1, fixture->l1_bytes));
    diagnostics_set_policy(&fixture->diagnostics, BH_POLICY_DEFAULT);
    fixture->rv32 = (struct rv32){
        .core = &fixture->core,
        .local_ram = fixture->local_ram,
        .local_ram_size = LOCAL_RAM_SIZE,
        .l1 = &fixture->l1,
        .diagnostics = &fixture->diagnostics,
        .clock = &fixture->clock,
        .bus = {.context = fixture, .load = fixture_load, .store = fixture_store, .push = fixture_push},
    };
    rv32_reset(&fixture->core, 0x100);
    *state = fixture;
    return 0;
}

static inline int fixture_teardown(void **state)
{
    struct fixture *fixture = *state;
    l1_destroy(&fixture->l1);
    free(fixture);
    return 0;
}

/* Whether two cores of the same program are where they would be after the same instructions: pc, count, integer
   registers, and the bytes of L1 from `first` on. */
static inline bool fixture_same(const struct fixture *a, const struct fixture *b, uint32_t first, uint32_t size)
{
    return a->core.pc == b->core.pc && a->core.instret == b->core.instret &&
           memcmp(a->core.x, b->core.x, RV32_SINK * sizeof *a->core.x) == 0 &&
           memcmp(a->l1_bytes + first, b->l1_bytes + first, size) == 0;
}

/* A test with a fixture of its own. */
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

/* Runs until a diagnostic stops the core; it must be of the expected category. */
static inline const struct bh_diagnostic *stopped_by(struct fixture *fixture, enum bh_category category)
{
    rv32_run(&fixture->rv32, 1000);
    assert_true(fixture->diagnostics.stopped);
    const struct bh_diagnostic *entry = &fixture->diagnostics.entries[0];
    assert_int_equal(entry->category, category);
    assert_int_equal(entry->agent, BH_AGENT_CORE);
    assert_int_equal(entry->index, fixture->core.id);
    assert_int_equal(fixture->core.pc, entry->pc);
    assert_int_equal(rv32_run(&fixture->rv32, 10), 0);
    return entry;
}

/* Puts words at 0x100. */
#define PROGRAM(fixture, ...)                                                                                          \
    do {                                                                                                               \
        const uint32_t program[] = {__VA_ARGS__};                                                                      \
        l1_write(&(fixture)->l1, 0x100, program, sizeof program);                                                      \
    } while (0)

/* Instruction words by format; opcode and function bits come from the table. */
static inline uint32_t word_r(enum rv32_op op, unsigned rd, unsigned rs1, unsigned rs2)
{
    return rv32_instructions[op].match | rs2 << 20 | rs1 << 15 | rd << 7;
}

static inline uint32_t word_i(enum rv32_op op, unsigned rd, unsigned rs1, int32_t immediate)
{
    return rv32_instructions[op].match | (uint32_t)immediate << 20 | rs1 << 15 | rd << 7;
}

static inline uint32_t word_s(enum rv32_op op, unsigned rs2, int32_t immediate, unsigned rs1)
{
    uint32_t i = (uint32_t)immediate;
    return rv32_instructions[op].match | (i >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | (i & 31) << 7;
}

static inline uint32_t word_u(enum rv32_op op, unsigned rd, uint32_t immediate)
{
    return rv32_instructions[op].match | (immediate & 0xfffff000) | rd << 7;
}

static inline uint32_t word_b(enum rv32_op op, unsigned rs1, unsigned rs2, int32_t distance)
{
    uint32_t d = (uint32_t)distance;
    return rv32_instructions[op].match | (d >> 12 & 1) << 31 | (d >> 5 & 0x3f) << 25 | rs2 << 20 | rs1 << 15 |
           (d >> 1 & 15) << 8 | (d >> 11 & 1) << 7;
}

static inline uint32_t word_j(unsigned rd, int32_t distance)
{
    uint32_t d = (uint32_t)distance;
    return rv32_instructions[RV32_OP_JAL].match | (d >> 20 & 1) << 31 | (d >> 1 & 0x3ff) << 21 | (d >> 11 & 1) << 20 |
           (d >> 12 & 0xff) << 12 | rd << 7;
}

static inline uint32_t word_addi(unsigned rd, unsigned rs1, int32_t immediate)
{
    return word_i(RV32_OP_ADDI, rd, rs1, immediate);
}

static inline uint32_t word_self_jump(void)
{
    return word_j(0, 0);
}

#endif
