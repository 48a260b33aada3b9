/* SFPLOADMACRO, as ISA documentation SFPLOADMACRO.md states it. */
#include "tensix/units/vector/loadmacro/macro_fixture.h"

static void loads_as_sfpload_does(void **state)
{
    struct fixture *f = *state;
    put(f, 4, 0x1234);
    go(f, load_macro(2, 6, UINT16, ADDR_MOD_STEP, 4));
    ASSERT_LREG(f, 6, 0x1234);
    assert_int_equal(f->state.addr.rwc[THREAD].dst, 4);
    assert_false(vector_schedule_active(vector_of(f)));
}

/* "An instruction scheduled with a delay of 0 will execute on the cycle immediately after". */
static void delay_counts_cycles_after_the_next(void **state)
{
    for (uint32_t delay = 0; delay < 8; delay++) {
        struct fixture *f = *state;
        put(f, 0, 0x00f0);
        set_template(f, 1, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
        set_sequence(f, 0, slot(SIMPLE, delay, TEMPLATE + 1));
        go(f, load_macro(0, 3, UINT16, 0, 0));
        idle(f, delay);
        ASSERT_LREG(f, 3, 0x00f0);
        idle(f, 1);
        ASSERT_LREG(f, 3, 0xffffff0f);
        assert_false(vector_schedule_active(vector_of(f)));
    }
}

static void elapsed_cycles_are_all_instructions_of_the_thread(void **state)
{
    struct fixture *f = *state;
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    set_sequence(f, 0, slot(SIMPLE, 2, TEMPLATE));
    for (unsigned by_instruction = 0; by_instruction < 2; by_instruction++) {
        set_misc(f, by_instruction ? KINDS_BY_INSTRUCTION : 0);
        go(f, load_macro(0, 3, UINT16, 0, 0));
        for (unsigned i = 0; i < 3; i++) {
            go(f, (uint32_t)TENSIX_OPCODE_NOP << 24);
        }
        ASSERT_LREG(f, 3, by_instruction ? 0 : UINT32_MAX);
        idle(f, 2); /* counts from 2 to 0 ... */
        ASSERT_LREG(f, 3, by_instruction ? 0 : UINT32_MAX);
        go(f, (uint32_t)TENSIX_OPCODE_NOP << 24); /* ... and then needs no instruction */
        ASSERT_LREG(f, 3, UINT32_MAX);
    }
}

/* Also repeated instructions of another unit from a replay buffer or a MOP take cycles. */
static void moves_in_a_row_take_cycles(void **state)
{
    enum { REPLAY_4 = TENSIX_OPCODE_REPLAY << 24 | 4 << 4, MOP = TENSIX_OPCODE_MOP << 24, OF_4 = 3 << 16 };
    enum { MOVD2A = TENSIX_OPCODE_MOVD2A << 24 | 2 << 12, ROUNDS = 3 };
    struct fixture *f = *state;
    struct frontend *frontend = &f->state.frontend[THREAD];
    f->state.srca.owner[0] = SRC_MATRIX_UNIT;
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    set_sequence(f, 0, slot(SIMPLE, 2, TEMPLATE));
    for (unsigned round = 0; round < ROUNDS; round++) {
        fill(f, 3, 0);
        for (unsigned i = 0; i < 4; i++) {
            frontend->replay.words[i] = i ? MOVD2A : load_macro(0, 3, UINT16, 0, 0);
        }
        frontend_push(&f->tensix, THREAD, REPLAY_4, 0, false);
        frontend_drain(&f->tensix, THREAD);
        ASSERT_LREG(f, 3, UINT32_MAX);
        go(f, load_macro(0, 2, UINT16, 0, 0));
        frontend->mop.config[3] = MOVD2A;
        frontend_push(&f->tensix, THREAD, MOP | OF_4, 0, false);
        frontend_drain(&f->tensix, THREAD);
        ASSERT_LREG(f, 2, UINT32_MAX);
    }
    assert_int_equal(f->diagnostics.count, 0);
}

/* "If any outstanding instruction has a delay kind of WaitForElapsedInstructions, then all [...]". */
static void one_that_waits_for_instructions_makes_all_wait(void **state)
{
    struct fixture *f = *state;
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    set_sequence(f, 0, slot(SIMPLE, 1, TEMPLATE) | slot(STORE, 3, STORE_SLOT));
    set_misc(f, 0x800 | UINT16);
    go(f, load_macro(0, 3, UINT16, 0, 8));
    for (unsigned i = 0; i < 5; i++) {
        go(f, (uint32_t)TENSIX_OPCODE_NOP << 24);
    }
    ASSERT_LREG(f, 3, 0);
    idle(f, 2);
    ASSERT_LREG(f, 3, UINT32_MAX);
    assert_int_equal(get(f, 8), 0);
    idle(f, 1);
    go(f, (uint32_t)TENSIX_OPCODE_NOP << 24);
    assert_int_equal(get(f, 8), 0xffff);
}

/* Reciprocals at one instruction for 32 values: load, SFPARECIP to LReg[16], store of LReg[16]. */
static void sub_units_work_at_the_same_time(void **state)
{
    struct fixture *f = *state;
    for (uint32_t i = 0; i < 8; i++) {
        put(f, 4 * i, (uint16_t)(0x100 + i));
    }
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 12, 0));
    set_sequence(f, 1, slot(SIMPLE, 0, LREG16 | TEMPLATE) | slot(STORE, 1, LREG16 | STORE_SLOT));
    set_misc(f, 0x110 << 1 | 0x100);
    for (uint32_t i = 0; i < 8; i++) {
        go(f, load_macro(1, i % 8, UINT16, ADDR_MOD_STEP, 0));
    }
    idle(f, 2);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(get(f, 4 * i), (uint16_t) ~(0x100 + i));
    }
}

static void stores_choose_their_register_and_format(void **state)
{
    static const struct {
        uint32_t flags;
        uint32_t template;
        uint16_t stored;
    } cases[] = {
        {STORE_SLOT, 0, 0x1111},
        {STORE_SLOT | KEEP_STORE_VD, 0, 0x2220},
        {STORE_SLOT | LREG16, 0, 0x3330},
        {STORE_SLOT | LREG16 | KEEP_STORE_VD, 0, 0x3330},
        {TEMPLATE, (uint32_t)TENSIX_OPCODE_SFPSTORE << 24 | 5 << 20 | 3 << 16 | 99, 0x1111},
        {TEMPLATE | KEEP_STORE_VD, (uint32_t)TENSIX_OPCODE_SFPSTORE << 24 | 5 << 20 | 3 << 16 | 99, 0x2225},
    };
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        for (unsigned from_misc = 0; from_misc < 2; from_misc++) {
            struct fixture *f = *state;
            put(f, 4, 0x1111);
            fill(f, 0, 0x2220);
            fill(f, 5, 0x2225);
            fill(f, 16, 0x3330);
            set_template(f, 0, cases[i].template);
            set_sequence(f, 3, slot(STORE, 0, cases[i].flags));
            set_misc(f, from_misc ? UINT16 : 0x80 | INT32); /* bit 7: macro 3 stores in the load's mode */
            go(f, load_macro(3, 2, UINT16, ADDR_MOD_STEP, 4));
            idle(f, 1);
            assert_int_equal(get(f, 4), cases[i].stored);
            f->state.addr.rwc[THREAD].dst = 0;
        }
    }
}

/* Stores use the address of the load, whatever the RWC is by then, and do not advance it. */
static void stores_go_where_the_load_was(void **state)
{
    struct fixture *f = *state;
    f->state.addr.rwc[THREAD].dst = 8;
    put(f, 12, 0x4321);
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    set_sequence(f, 0, slot(SIMPLE, 0, TEMPLATE) | slot(STORE, 2, STORE_SLOT));
    set_misc(f, LOAD_MOD0_FOR_STORE);
    go(f, load_macro(0, 1, UINT16, ADDR_MOD_STEP, 4));
    f->state.addr.rwc[THREAD].dst = 100;
    idle(f, 3);
    assert_int_equal(get(f, 12), (uint16_t)~0x4321);
    assert_int_equal(f->state.addr.rwc[THREAD].dst, 100);
}

/* If bit 7 of a slot is set, VB is the loaded LReg, otherwise VC; if the template has no field for it, its VD. */
static void operands_are_replaced(void **state)
{
    struct fixture *f = *state;
    const struct {
        uint32_t template, flags, unit, expected; /* 100 is in the loaded LReg */
    } cases[] = {
        {word(TENSIX_OPCODE_SFPIADD, 0, 1, 12 + 2, 4), OVERRIDE_VB, SIMPLE, 1000 + 100},
        {word(TENSIX_OPCODE_SFPIADD, 0, 1, 2, 4), 0, SIMPLE, 100 + 2000},
        {word(TENSIX_OPCODE_SFPIADD, 0, 1, 2, 6), OVERRIDE_VB, SIMPLE, 1000 - 100},
        {word(TENSIX_OPCODE_SFPIADD, 0, 1, 2, 6), 0, SIMPLE, (uint32_t)(100 - 2000)},
        {word(TENSIX_OPCODE_SFPXOR, 0, 1, 2, 0), 0, SIMPLE, 100 ^ 2000},
        {word(TENSIX_OPCODE_SFPAND, 3, 1, 2, 1), 0, SIMPLE, 100 & 3000},
        {word(TENSIX_OPCODE_SFPAND, 3, 1, 2, 0), 0, SIMPLE, 100 & 2000},
        {word(TENSIX_OPCODE_SFPOR, 3, 1, 2, 1), OVERRIDE_VB, SIMPLE, 100 | 1000},
        {word(TENSIX_OPCODE_SFPSHFT, 4, 1, 2, 1), 0, SIMPLE, 2000 << 4},
        {word(TENSIX_OPCODE_SFPSHFT, 4, 1, 2, 5), OVERRIDE_VB, SIMPLE, 1000 << 4},
        {word(TENSIX_OPCODE_SFPSETMAN, 0, 1, 2, 0), OVERRIDE_VB, SIMPLE, 100},
        {word(TENSIX_OPCODE_SFPSETEXP, 0, 1, 2, 0), OVERRIDE_VB, SIMPLE, 1000 | 100 << 23},
        {word(TENSIX_OPCODE_SFPSETSGN, 0, 9, 2, 0), 0, SIMPLE, 100},
        {word(TENSIX_OPCODE_SFPGT, 0, 1, 2, 8), OVERRIDE_VB, SIMPLE, 0},
        {word(TENSIX_OPCODE_SFPGT, 0, 1, 2, 8), 0, SIMPLE, UINT32_MAX},
        {word(TENSIX_OPCODE_SFPLE, 0, 1, 2, 8), 0, SIMPLE, 0},
        {word(TENSIX_OPCODE_SFPSHFT2, 3, 1, 2, 6), 0, ROUND, 3000 << 3},
        {word(TENSIX_OPCODE_SFPSHFT2, 3, 1, 2, 6), OVERRIDE_VB, ROUND, 100 << 3},
        {word(TENSIX_OPCODE_SFPMOV, 0, 1, 2, 0), 0, SIMPLE, 100},
        {word(TENSIX_OPCODE_SFPMOV, 0, 1, 2, 0), OVERRIDE_VB, SIMPLE, 1000},
    };
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        for (unsigned to_16 = 0; to_16 < 2; to_16++) {
            put(f, 0, 100);
            fill(f, 1, 1000);
            fill(f, 2, 2000);
            fill(f, 3, 3000);
            fill(f, 14,
                 1000 + 1000); /* VD of a template that was written through the backdoor, by a destination of 14 */
            fill(f, 16, 77);
            set_template(f, 3, cases[i].template);
            set_sequence(f, 0, slot(cases[i].unit, 0, cases[i].flags | (to_16 ? LREG16 : 0) | (TEMPLATE + 3)));
            go(f, load_macro(0, 4, UINT16, 0, 0));
            idle(f, 1);
            ASSERT_LREG(f, 4, to_16 ? 100 : cases[i].expected);
            ASSERT_LREG(f, 16, to_16 ? cases[i].expected : 77);
            ASSERT_LREG(f, 2, 2000);
        }
    }
}

static void operands_of_multiply_and_add_are_replaced(void **state)
{
    enum { HALF = 0x3f00, ONE = 0x3f800000, TWO = 0x40000000, THREE = 0x40400000, FIVE = 0x40a00000 };
    static const struct {
        uint32_t template, flags, expected; /* 5 is in the loaded LReg, 2 in LReg[1], 3 in LReg[2] */
    } cases[] = {
        {TENSIX_OPCODE_SFPMAD << 24 | 1 << 16 | 2 << 12 | 9 << 8 | 2 << 4, 0, 0x41300000},           /* 2 * 3 + 5 */
        {TENSIX_OPCODE_SFPMAD << 24 | 1 << 16 | 2 << 12 | 2 << 8, OVERRIDE_VB, 0x41500000},          /* 2 * 5 + 3 */
        {TENSIX_OPCODE_SFPADDI << 24 | HALF << 8 | 2 << 4, 0, 0x40b00000},                           /* 5 + 0.5 */
        {TENSIX_OPCODE_SFPADDI << 24 | HALF << 8 | 2 << 4, OVERRIDE_VB, 0x40600000},                 /* 3 + 0.5 */
        {TENSIX_OPCODE_SFPMULI << 24 | HALF << 8 | 2 << 4, 0, 0x40200000},                           /* 5 * 0.5 */
        {(uint32_t)TENSIX_OPCODE_SFPMUL << 24 | 1 << 16 | 2 << 12 | 9 << 8, OVERRIDE_VB, 0x41200000} /* 2 * 5 */
    };
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        struct fixture *f = *state;
        put(f, 0, FIVE >> 16);
        fill(f, 1, TWO);
        fill(f, 2, THREE);
        set_template(f, 0, cases[i].template);
        set_sequence(f, 0, slot(MAD, 0, cases[i].flags | TEMPLATE));
        go(f, load_macro(0, 4, 7, 0, 0)); /* HI16 */
        idle(f, 2);
        ASSERT_LREG(f, 4, cases[i].expected);
    }
}

/* SFPMAD needs two cycles, and scheduled instructions do not wait for it. */
static void products_arrive_one_cycle_later(void **state)
{
    struct fixture *f = *state;
    put(f, 0, 0x4040);
    set_template(f, 0, mad(10, 0, 10, 0, 0)); /* 1 * x + 1 */
    set_sequence(f, 0, slot(MAD, 0, OVERRIDE_VB | TEMPLATE));
    go(f, load_macro(0, 4, 7, 0, 0));
    idle(f, 1);
    go(f, word(TENSIX_OPCODE_SFPMOV, 0, 4, 0, 0));
    go(f, word(TENSIX_OPCODE_SFPMOV, 0, 4, 1, 0));
    ASSERT_LREG(f, 0, 0x40400000);
    ASSERT_LREG(f, 1, 0x40800000);
}

/* Regular instructions wait for the result of a regular SFPMAD also while instructions are scheduled: the wait is a
   cycle. */
static void regular_instructions_wait_for_regular_products(void **state)
{
    struct fixture *f = *state;
    fill(f, 2, 0x40400000);
    set_template(f, 0, word(TENSIX_OPCODE_SFPMOV, 0, 0, 0, 0));
    set_sequence(f, 0, slot(SIMPLE, 2, OVERRIDE_VB | TEMPLATE)); /* executes in the cycle of the wait */
    go(f, load_macro(0, 4, 7, 0, 0));
    idle(f, 1);
    go(f, mad(10, 2, 10, 0, 0));
    go(f, word(TENSIX_OPCODE_SFPMOV, 0, 0, 1, 0));
    ASSERT_LREG(f, 1, 0x40800000);
    ASSERT_LREG(f, 4, 0); /* LReg[0] before the cycle */
}

/* where(): flags set by one load decide about the next load, which in the same cycle overwrites the LReg that the
   flags were set from. */
static void what_shares_a_cycle_reads_what_was_before(void **state)
{
    struct fixture *f = *state;
    for (uint32_t i = 0; i < 4 * ROW_COLUMNS; i++) {
        f->state.dst.rows[i / ROW_COLUMNS][i % ROW_COLUMNS] = dst_from_hardware(i / 2 % 3 == 0 ? 0 : 5);
    }
    put(f, 4, 0x1111);
    put(f, 8, 0x2222);
    set_template(f, 0, word(TENSIX_OPCODE_SFPSETCC, 0, 0, 12, 6));
    set_template(f, 1, word(TENSIX_OPCODE_SFPENCC, 0, 0, 13, 0));
    set_sequence(f, 0, slot(SIMPLE, 0, TEMPLATE) | slot(STORE, 2, STORE_SLOT));
    set_sequence(f, 2, slot(SIMPLE, 0, TEMPLATE + 1));
    set_misc(f, 0x770);
    go(f, load_macro(0, 0, UINT16, 0, 0));
    go(f, load_macro(2, 0, UINT16, 0, 4));
    go(f, (uint32_t)TENSIX_OPCODE_SFPLOAD << 24 | UINT16 << 16 | 8);
    go(f, load_macro(3, 0, UINT16, 0, 16));
    for (uint32_t lane = 0; lane < SFPU_LANES; lane++) {
        assert_int_equal(dst_to_hardware(f->state.dst.rows[lane / 8][lane % 8 * 2]), lane % 3 == 0 ? 0x2222 : 0x1111);
    }
    ASSERT_LREG(f, 0, 0);
}

static void a_store_does_not_show_in_a_load_of_its_cycle(void **state)
{
    struct fixture *f = *state;
    put(f, 0, 3);
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    set_sequence(f, 0, slot(SIMPLE, 0, TEMPLATE) | slot(STORE, 1, STORE_SLOT));
    set_misc(f, UINT16);
    go(f, load_macro(0, 4, UINT16, 0, 0));
    idle(f, 1);
    go(f, (uint32_t)TENSIX_OPCODE_SFPLOAD << 24 | UINT16 << 16);
    ASSERT_LREG(f, 0, 3);
    assert_int_equal(get(f, 0), 0xfffc);
}

static void later_macros_replace_what_waits_for_the_same_cycle(void **state)
{
    struct fixture *f = *state;
    put(f, 0, 3);
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    set_sequence(f, 0, slot(SIMPLE, 3, TEMPLATE));
    set_sequence(f, 1, slot(SIMPLE, 2, NOP_SLOT));
    set_sequence(f, 2, slot(SIMPLE, 2, 0));
    for (uint32_t second = 1; second < 4; second++) {
        go(f, load_macro(0, 4, UINT16, 0, 0));
        go(f, load_macro(second, 5, UINT16, 0, 0));
        idle(f, 3);
        ASSERT_LREG(f, 4, second == 1 ? 3 : ~3u); /* an empty slot replaces nothing */
    }
}

/* "the scheduled instruction takes priority and the regular instruction is silently discarded" */
static void regular_instructions_give_way(void **state)
{
    struct fixture *f = *state;
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    set_sequence(f, 0, slot(SIMPLE, 0, TEMPLATE));
    go(f, load_macro(0, 4, UINT16, 0, 0));
    enum step step = tensix_execute(&f->tensix, THREAD, word(TENSIX_OPCODE_SFPABS, 0, 15, 0, 0), 0);
    ASSERT_STOPPED(f, step, BH_HAZARD);
    f->diagnostics.policy[BH_HAZARD] = BH_IGNORE;
    fill(f, 0, 7);
    go(f, word(TENSIX_OPCODE_SFPABS, 0, 15, 0, 0));
    ASSERT_LREG(f, 0, 7);
    ASSERT_LREG(f, 4, UINT32_MAX);
    go(f, load_macro(0, 4, UINT16, 0, 0));
    go(f, mad(10, 10, 9, 0, 0)); /* another sub-unit */
    idle(f, 1);
    ASSERT_LREG(f, 0, 0x3f800000);
}

static void what_a_sub_unit_cannot_do_takes_its_time(void **state)
{
    struct fixture *f = *state;
    f->diagnostics.policy[BH_HAZARD] = BH_IGNORE;
    set_template(f, 0, mad(10, 10, 9, 0, 0));
    set_sequence(f, 0, slot(SIMPLE, 0, TEMPLATE) | slot(ROUND, 0, NOP_SLOT));
    go(f, load_macro(0, 4, UINT16, 0, 0));
    go(f, word(TENSIX_OPCODE_SFPABS, 0, 15, 0, 0));
    ASSERT_LREG(f, 0, 0);
    ASSERT_LREG(f, 4, 0);
}

static void swaps_take_two_cycles(void **state)
{
    struct fixture *f = *state;
    put(f, 0, 9);
    fill(f, 1, 5);
    set_template(f, 0, word(TENSIX_OPCODE_SFPSWAP, 0, 1, 12, 1)); /* VD gets the minimum */
    set_sequence(f, 0, slot(SIMPLE, 0, OVERRIDE_VB | TEMPLATE));
    go(f, load_macro(0, 4, UINT16, 0, 0));
    idle(f, 1);
    ASSERT_LREG(f, 4, 9);
    idle(f, 1);
    ASSERT_LREG(f, 4, 5);
    ASSERT_LREG(f, 1, 9);
}

/* The vendor's exponential: the larger one of what was loaded and a constant. */
static void swaps_without_a_vb_keep_their_vd(void **state)
{
    struct fixture *f = *state;
    for (uint32_t loaded = 3; loaded <= 9; loaded += 6) {
        put(f, 0, (uint16_t)loaded);
        fill(f, 14, 5);
        set_template(f, 0, word(TENSIX_OPCODE_SFPSWAP, 0, 0, 14, 1));
        set_sequence(f, 0, slot(SIMPLE, 0, TEMPLATE));
        go(f, load_macro(0, 4, UINT16, 0, 0));
        idle(f, 2);
        ASSERT_LREG(f, 4, loaded < 5 ? 5 : 9);
        ASSERT_LREG(f, 14, 5);
        ASSERT_LREG(f, 0, 0);
    }
}

static void bad_company_is_reported(void **state)
{
    struct fixture *f = *state;
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    set_template(f, 1, word(TENSIX_OPCODE_SFPSHFT2, 3, 0, 0, 6));
    set_template(f, 2, word(TENSIX_OPCODE_SFPSWAP, 0, 1, 12, 1));
    set_template(f, 3, mad(10, 10, 9, 0, 0));
    const uint32_t sequences[] = {
        slot(SIMPLE, 0, TEMPLATE) | slot(ROUND, 0, TEMPLATE + 1),                     /* both to LReg[vd] */
        slot(SIMPLE, 0, LREG16 | TEMPLATE) | slot(ROUND, 0, LREG16 | (TEMPLATE + 1)), /* both to LReg[16] */
        slot(SIMPLE, 0, TEMPLATE + 2) | slot(MAD, 0, TEMPLATE + 3),
    };
    for (unsigned i = 0; i < COUNT_OF(sequences); i++) {
        set_sequence(f, 0, sequences[i]);
        go(f, load_macro(0, 4, UINT16, 0, 0));
        enum step step = tensix_execute(&f->tensix, THREAD, nop(), 0);
        ASSERT_STOPPED(f, step, BH_UNDEFINED_BEHAVIOR);
    }
    set_sequence(f, 0, slot(SIMPLE, 0, TEMPLATE + 2) | slot(ROUND, 1, TEMPLATE + 1));
    go(f, load_macro(0, 4, UINT16, 0, 0));
    go(f, nop());
    enum step step = tensix_execute(&f->tensix, THREAD, nop(), 0);
    ASSERT_STOPPED(f, step, BH_UNDEFINED_BEHAVIOR);
}

static void what_is_not_documented_is_refused(void **state)
{
    struct fixture *f = *state;
    static const uint32_t undefined[] = {1, 1 << 8, 1 << 16, 1 << 24, NOP_SLOT << 24, TEMPLATE << 24};
    for (unsigned i = 0; i < COUNT_OF(undefined); i++) {
        set_sequence(f, 0, undefined[i]);
        enum step step = tensix_execute(&f->tensix, THREAD, load_macro(0, 4, UINT16, ADDR_MOD_STEP, 0), 0);
        ASSERT_STOPPED(f, step, BH_UNDEFINED_BEHAVIOR);
        assert_int_equal(f->state.addr.rwc[THREAD].dst, 0);
    }
}

/* STALLWAIT until the vector unit is idle (C11). */
static void waiting_lets_time_pass(void **state)
{
    struct fixture *f = *state;
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    set_sequence(f, 0, slot(SIMPLE, 6, TEMPLATE) | slot(STORE, 7, STORE_SLOT));
    set_misc(f, UINT16);
    go(f, load_macro(0, 4, UINT16, 0, 0));
    go(f, (uint32_t)TENSIX_OPCODE_STALLWAIT << 24 | 2 << 15 | 1 << 11);
    assert_int_equal(get(f, 0), 0xffff);
    assert_false(vector_schedule_active(vector_of(f)));
}

static void others_that_look_at_dst_come_after(void **state)
{
    struct fixture *f = *state;
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    set_sequence(f, 0, slot(SIMPLE, 6, TEMPLATE) | slot(STORE, 7, STORE_SLOT));
    set_misc(f, UINT16);
    go(f, load_macro(0, 4, UINT16, 0, 0));
    assert_int_equal(tensix_execute(&f->tensix, 2, (uint32_t)TENSIX_OPCODE_NOP << 24, 0), STEP_DONE);
    ASSERT_LREG(f, 4, 0);
    uint32_t setrwc = (uint32_t)TENSIX_OPCODE_SETRWC << 24;
    assert_int_equal(tensix_execute(&f->tensix, 2, setrwc, 0), STEP_DONE);
    assert_int_equal(get(f, 0), 0xffff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MACRO_TEST(loads_as_sfpload_does),
        MACRO_TEST(delay_counts_cycles_after_the_next),
        MACRO_TEST(elapsed_cycles_are_all_instructions_of_the_thread),
        MACRO_TEST(moves_in_a_row_take_cycles),
        MACRO_TEST(one_that_waits_for_instructions_makes_all_wait),
        MACRO_TEST(sub_units_work_at_the_same_time),
        MACRO_TEST(stores_choose_their_register_and_format),
        MACRO_TEST(stores_go_where_the_load_was),
        MACRO_TEST(operands_are_replaced),
        MACRO_TEST(operands_of_multiply_and_add_are_replaced),
        MACRO_TEST(products_arrive_one_cycle_later),
        MACRO_TEST(regular_instructions_wait_for_regular_products),
        MACRO_TEST(what_shares_a_cycle_reads_what_was_before),
        MACRO_TEST(a_store_does_not_show_in_a_load_of_its_cycle),
        MACRO_TEST(later_macros_replace_what_waits_for_the_same_cycle),
        MACRO_TEST(regular_instructions_give_way),
        MACRO_TEST(what_a_sub_unit_cannot_do_takes_its_time),
        MACRO_TEST(swaps_take_two_cycles),
        MACRO_TEST(swaps_without_a_vb_keep_their_vd),
        MACRO_TEST(bad_company_is_reported),
        MACRO_TEST(what_is_not_documented_is_refused),
        MACRO_TEST(waiting_lets_time_pass),
        MACRO_TEST(others_that_look_at_dst_come_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
