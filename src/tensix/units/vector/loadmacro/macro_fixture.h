/* Shared by tests of SFPLOADMACRO: words, and LoadMacroConfig. For *_test.c of units/vector/ only. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_LOADMACRO_MACRO_FIXTURE_H
#define BHEMU_TENSIX_UNITS_VECTOR_LOADMACRO_MACRO_FIXTURE_H

#include "tensix/units/vector/fixture.h"

enum { THREAD = 1, UINT16 = 6, INT32 = 4, ADDR_MOD_STEP = 6, ADDR_MOD_DST_SEC6 = 34 };
enum { SIMPLE, MAD, ROUND, STORE };
enum { OVERRIDE_VB = 0x80, KEEP_STORE_VD = 0x80, LREG16 = 0x40, NOP_SLOT = 2, STORE_SLOT = 3, TEMPLATE = 4 };
enum { KINDS_BY_INSTRUCTION = 0xf00, LOAD_MOD0_FOR_STORE = 0xf0 };

/* Words, built from the fields that the encodings have in common. */
static inline uint32_t word(uint32_t opcode, uint32_t imm12, uint32_t vc, uint32_t vd, uint32_t mod1)
{
    return opcode << 24 | (imm12 & 0xfff) << 12 | vc << 8 | vd << 4 | mod1;
}

static inline uint32_t mad(uint32_t va, uint32_t vb, uint32_t vc, uint32_t vd, uint32_t mod1)
{
    return word(TENSIX_OPCODE_SFPMAD, va << 4 | vb, vc, vd, mod1);
}

static inline uint32_t nop(void)
{
    return (uint32_t)TENSIX_OPCODE_SFPNOP << 24;
}

static inline uint32_t load_macro(uint32_t macro, uint32_t vd, uint32_t mod0, uint32_t addr_mode, uint32_t address)
{
    return (uint32_t)TENSIX_OPCODE_SFPLOADMACRO << 24 | macro << 22 | (vd & 3) << 20 | mod0 << 16 | addr_mode << 13 |
           address | vd >> 2;
}

static inline void go(struct fixture *f, uint32_t instruction)
{
    assert_int_equal(tensix_execute(&f->tensix, THREAD, instruction, 0x100), STEP_DONE);
    assert_int_equal(f->diagnostics.count, 0);
}

static inline void idle(struct fixture *f, unsigned cycles)
{
    for (unsigned i = 0; i < cycles; i++) {
        go(f, nop());
    }
}

static inline void set_template(struct fixture *f, unsigned i, uint32_t instruction)
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        vector_of(f)->load_macro.instruction_template[i][lane] = instruction;
    }
}

static inline uint32_t slot(unsigned unit, uint32_t delay, uint32_t selector_and_flags)
{
    return (delay << 3 | selector_and_flags) << unit * 8;
}

static inline void set_sequence(struct fixture *f, unsigned macro, uint32_t sequence)
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        vector_of(f)->load_macro.sequence[macro][lane] = sequence;
    }
}

static inline void set_misc(struct fixture *f, uint32_t misc)
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        vector_of(f)->load_macro.misc[lane] = misc;
    }
}

/* Sets four rows of Dst from `row` on to `value` as 16-bit integers. */
static inline void put(struct fixture *f, uint32_t row, uint16_t value)
{
    for (uint32_t i = 0; i < 4 * ROW_COLUMNS; i++) {
        f->state.dst.rows[row + i / ROW_COLUMNS][i % ROW_COLUMNS] = dst_from_hardware(value);
    }
}

static inline uint16_t get(struct fixture *f, uint32_t row)
{
    return dst_to_hardware(f->state.dst.rows[row][0]);
}

static inline int setup(void **state)
{
    if (fixture_setup(state)) {
        return -1;
    }
    struct fixture *f = *state;
    enable_lanes(f, UINT32_MAX);
    f->state.config.thread[THREAD][ADDR_MOD_DST_SEC6] = 4;
    return 0;
}

#define MACRO_TEST(function) cmocka_unit_test_setup_teardown(function, setup, fixture_teardown)

#endif
