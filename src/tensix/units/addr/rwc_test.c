/* Read-write counters, as chapter "rwc and addressing" sections 2 to 4 and the ISA documentation's RWCs.md, SETRWC.md
   and INCRWC.md state them. */
#include "tensix/tensix_fixture.h"
#include "tensix/units/src_banks.h"

static struct rwc *rwc_of(struct fixture *f, unsigned thread)
{
    return &f->state.addr.rwc[thread];
}

static void assert_rwc(const struct rwc *rwc, uint32_t a, uint32_t a_cr, uint32_t b, uint32_t b_cr, uint32_t d,
                       uint32_t d_cr)
{
    assert_int_equal(rwc->srca, a);
    assert_int_equal(rwc->srca_cr, a_cr);
    assert_int_equal(rwc->srcb, b);
    assert_int_equal(rwc->srcb_cr, b_cr);
    assert_int_equal(rwc->dst, d);
    assert_int_equal(rwc->dst_cr, d_cr);
}

/* ADDR_MOD_AB_SEC: increment [5:0], CR [6], clear [7] of SrcA, the same for SrcB from bit 8 on.
   ADDR_MOD_DST_SEC: increment [9:0], CR [10], clear [11], C to CR [12], fidelity increment [14:13], clear [15]. */
enum { AB_A_CR = 1 << 6, AB_A_CLEAR = 1 << 7, AB_B = 8, AB_B_CR = 1 << 14, AB_B_CLEAR = 1 << 15 };
enum { DST_CR = 1 << 10, DST_CLEAR = 1 << 11, DST_C_TO_CR = 1 << 12, DST_FIDELITY = 13, DST_FIDELITY_CLEAR = 1 << 15 };
enum { BIAS_CLEAR = 1 << 4 };
enum { AB_SECTION = 12, DST_SECTION = 28, BIAS_SECTION = 47 };

static void set_mode(struct fixture *f, unsigned thread, unsigned mode, uint32_t ab, uint32_t dst, uint32_t bias)
{
    RUN_OK(f, thread, SETC16, .setc16_reg = AB_SECTION + mode, .setc16_value = ab);
    RUN_OK(f, thread, SETC16, .setc16_reg = DST_SECTION + mode, .setc16_value = dst);
    RUN_OK(f, thread, SETC16, .setc16_reg = BIAS_SECTION + mode, .setc16_value = bias);
}

/* The trace of section 4.2: the sixteen MVMULs of a 32x32 tile with the address modes of section 4.1. */
static void the_matmul_trace_visits_every_face_in_its_order(void **state)
{
    struct fixture *f = *state;
    set_mode(f, 1, 0, 8 << AB_B, 8, 0);
    set_mode(f, 1, 1, 16 | AB_B_CR, 8, 0);
    set_mode(f, 1, 2, AB_A_CR | 32 << AB_B | AB_B_CR, 8, 0);
    set_mode(f, 1, 4, 32 | AB_A_CR | 48 << AB_B | AB_B_CR, DST_CR, 0);
    set_mode(f, 1, 5, AB_A_CLEAR | AB_B_CLEAR, DST_CLEAR | 1 << DST_FIDELITY, 0);
    static const struct {
        uint8_t mode, a, a_cr, b, b_cr, d, d_cr;
    } trace[] = {
        {0, 0, 0, 8, 0, 8, 0},      {1, 16, 0, 0, 0, 16, 0},    {0, 16, 0, 8, 0, 24, 0},    {2, 0, 0, 32, 32, 32, 0},
        {0, 0, 0, 40, 32, 40, 0},   {1, 16, 0, 32, 32, 48, 0},  {0, 16, 0, 40, 32, 56, 0},  {4, 32, 32, 16, 16, 0, 0},
        {0, 32, 32, 24, 16, 8, 0},  {1, 48, 32, 16, 16, 16, 0}, {0, 48, 32, 24, 16, 24, 0}, {2, 32, 32, 48, 48, 32, 0},
        {0, 32, 32, 56, 48, 40, 0}, {1, 48, 32, 48, 48, 48, 0}, {0, 48, 32, 56, 48, 56, 0}, {5, 0, 0, 0, 0, 0, 0},
    };
    for (unsigned phase = 0; phase < 4; phase++) {
        for (unsigned i = 0; i < 16; i++) {
            assert_int_equal(rwc_of(f, 1)->fidelity_phase, phase);
            rwc_apply_addr_mod(&f->tensix, 1, trace[i].mode, true);
            assert_rwc(rwc_of(f, 1), trace[i].a, trace[i].a_cr, trace[i].b, trace[i].b_cr, trace[i].d, trace[i].d_cr);
        }
    }
    assert_int_equal(rwc_of(f, 1)->fidelity_phase, 0);
    assert_rwc(rwc_of(f, 0), 0, 0, 0, 0, 0, 0);
}

/* The stream of section 4.3 gives mode 4 and 5: three bits choose among eight sections. */
static void each_of_eight_modes_has_its_own_sections(void **state)
{
    struct fixture *f = *state;
    for (unsigned mode = 0; mode < 8; mode++) {
        set_mode(f, 2, mode, mode + 1, 100 * (mode + 1), 0);
    }
    for (unsigned mode = 0; mode < 8; mode++) {
        *rwc_of(f, 2) = (struct rwc){};
        rwc_apply_addr_mod(&f->tensix, 2, mode, true);
        assert_rwc(rwc_of(f, 2), mode + 1, 0, 0, 0, 100 * (mode + 1), 0);
    }
}

static void clear_goes_before_c_to_cr_before_cr(void **state)
{
    struct fixture *f = *state;
    struct rwc start = {.srca = 5, .srca_cr = 6, .srcb = 7, .srcb_cr = 8, .dst = 9, .dst_cr = 20};
    *rwc_of(f, 0) = start;
    set_mode(f, 0, 0, 1 | AB_A_CR | AB_A_CLEAR | 1 << AB_B | AB_B_CR | AB_B_CLEAR, 1 | DST_CR | DST_CLEAR | DST_C_TO_CR,
             0);
    rwc_apply_addr_mod(&f->tensix, 0, 0, true);
    assert_rwc(rwc_of(f, 0), 0, 0, 0, 0, 0, 0);
    *rwc_of(f, 0) = start;
    set_mode(f, 0, 0, 1 | AB_A_CR | 1 << AB_B | AB_B_CR, 1 | DST_CR | DST_C_TO_CR, 0);
    rwc_apply_addr_mod(&f->tensix, 0, 0, true);
    assert_rwc(rwc_of(f, 0), 7, 7, 9, 9, 10, 10);
    *rwc_of(f, 0) = start;
    set_mode(f, 0, 0, 1 | 1 << AB_B, 1 | DST_CR, 0);
    rwc_apply_addr_mod(&f->tensix, 0, 0, true);
    assert_rwc(rwc_of(f, 0), 6, 6, 8, 8, 21, 21);
    *rwc_of(f, 0) = start;
    set_mode(f, 0, 0, 1 | 1 << AB_B, 1, 0);
    rwc_apply_addr_mod(&f->tensix, 0, 0, true);
    assert_rwc(rwc_of(f, 0), 6, 6, 8, 8, 10, 20);
}

static void counters_wrap_and_the_increment_of_dst_is_signed(void **state)
{
    struct fixture *f = *state;
    *rwc_of(f, 0) = (struct rwc){.srca = 63, .srcb = 60, .srcb_cr = 63, .dst = 3};
    set_mode(f, 0, 3, 1 | 63 << AB_B | AB_B_CR, 1024 - 8, 0);
    rwc_apply_addr_mod(&f->tensix, 0, 3, true);
    assert_rwc(rwc_of(f, 0), 0, 0, 62, 62, 1019, 0);
    set_mode(f, 0, 3, 0, 10, 0);
    rwc_apply_addr_mod(&f->tensix, 0, 3, true);
    assert_int_equal(rwc_of(f, 0)->dst, 5);
}

static void fidelity_moves_unless_the_mode_is_applied_in_part(void **state)
{
    struct fixture *f = *state;
    set_mode(f, 0, 1, 2, 4 | 3 << DST_FIDELITY, 1);
    rwc_of(f, 0)->fidelity_phase = 2;
    rwc_apply_partial_addr_mod(&f->tensix, 0, 1);
    assert_int_equal(rwc_of(f, 0)->fidelity_phase, 2);
    assert_rwc(rwc_of(f, 0), 2, 0, 0, 0, 4, 0);
    assert_int_equal(rwc_of(f, 0)->extra_addr_mod_bit, 1);
    rwc_of(f, 0)->extra_addr_mod_bit = 0;
    rwc_apply_addr_mod(&f->tensix, 0, 1, true);
    assert_int_equal(rwc_of(f, 0)->fidelity_phase, 1);
    set_mode(f, 0, 1, 0, 3 << DST_FIDELITY | DST_FIDELITY_CLEAR, BIAS_CLEAR);
    rwc_of(f, 0)->extra_addr_mod_bit = 0;
    rwc_apply_addr_mod(&f->tensix, 0, 1, true);
    assert_int_equal(rwc_of(f, 0)->fidelity_phase, 0);
}

/* Bits [1:0] of BiasIncr flip a counter of one bit; BiasClear has priority; the bit adds 4 to the mode's number,
   modulo 8. */
static void the_extra_bit_selects_the_other_four_modes(void **state)
{
    struct fixture *f = *state;
    for (unsigned increment = 0; increment < 16; increment++) {
        for (unsigned bit = 0; bit < 2; bit++) {
            for (unsigned mode = 0; mode < 8; mode++) {
                unsigned used = (mode + 4 * bit) % 8;
                *rwc_of(f, 0) = (struct rwc){.extra_addr_mod_bit = bit};
                set_mode(f, 0, used, used + 1, 0, increment);
                rwc_apply_addr_mod(&f->tensix, 0, mode, true);
                assert_int_equal(rwc_of(f, 0)->srca, used + 1);
                assert_int_equal(rwc_of(f, 0)->extra_addr_mod_bit, bit ^ (increment % 4 != 0));
                *rwc_of(f, 0) = (struct rwc){.extra_addr_mod_bit = bit};
                set_mode(f, 0, used, 0, 0, increment | BIAS_CLEAR);
                rwc_apply_addr_mod(&f->tensix, 0, mode, true);
                assert_int_equal(rwc_of(f, 0)->extra_addr_mod_bit, 0);
            }
        }
    }
}

enum { SET_A = 1, SET_B = 2, SET_D = 4, SET_F = 8, CR_A = 1, CR_B = 2, CR_D = 4, C_TO_CR = 8 };

static const struct rwc somewhere = {
    .srca = 1, .srca_cr = 60, .srcb = 2, .srcb_cr = 61, .dst = 1020, .dst_cr = 1022, .fidelity_phase = 3};

static void setrwc_sets_what_its_mask_selects(void **state)
{
    struct fixture *f = *state;
    for (unsigned mask = 0; mask < 16; mask++) {
        *rwc_of(f, 1) = somewhere;
        RUN_OK(f, 1, SETRWC, .BitMask = mask, .rwc_a = 7, .rwc_b = 8, .rwc_d = 9);
        assert_rwc(rwc_of(f, 1), mask & SET_A ? 7 : 1, mask & SET_A ? 7 : 60, mask & SET_B ? 8 : 2,
                   mask & SET_B ? 8 : 61, mask & SET_D ? 9 : 1020, mask & SET_D ? 9 : 1022);
        assert_int_equal(rwc_of(f, 1)->fidelity_phase, mask & SET_F ? 0 : 3);
    }
}

static void setrwc_adds_to_the_checkpoint_where_cr_is_set(void **state)
{
    struct fixture *f = *state;
    *rwc_of(f, 1) = somewhere;
    RUN_OK(f, 1, SETRWC, .BitMask = SET_A | SET_B | SET_D, .rwc_cr = CR_A | CR_B | CR_D, .rwc_a = 7, .rwc_b = 1,
           .rwc_d = 9);
    assert_rwc(rwc_of(f, 1), 3, 3, 62, 62, 7, 7);
    *rwc_of(f, 1) = somewhere;
    RUN_OK(f, 1, SETRWC, .BitMask = 0, .rwc_cr = CR_A | CR_B | CR_D, .rwc_a = 7, .rwc_b = 1, .rwc_d = 9);
    assert_rwc(rwc_of(f, 1), 1, 60, 2, 61, 1020, 1022);
}

/* Bit 3 of rwc_cr acts on Dst even where SET_D is clear, and has priority over CR_D. */
static void setrwc_c_to_cr_adds_to_dst_itself(void **state)
{
    struct fixture *f = *state;
    static const struct {
        uint8_t mask, cr;
    } cases[] = {{0, C_TO_CR}, {SET_D, C_TO_CR}, {SET_D, C_TO_CR | CR_D}, {0, C_TO_CR | CR_D}};
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        *rwc_of(f, 1) = somewhere;
        RUN_OK(f, 1, SETRWC, .BitMask = cases[i].mask, .rwc_cr = cases[i].cr, .rwc_d = 6);
        assert_rwc(rwc_of(f, 1), 1, 60, 2, 61, 2, 2);
    }
}

static void setrwc_gives_banks_back_unless_the_thread_keeps_them(void **state)
{
    struct fixture *f = *state;
    for (unsigned which = 0; which < 4; which++) {
        for (unsigned disable = 0; disable < 4; disable++) {
            f->state.srca.matrix_bank = 1;
            f->state.srcb.matrix_bank = 0;
            for (unsigned bank = 0; bank < 2; bank++) {
                f->state.srca.owner[bank] = f->state.srcb.owner[bank] = SRC_MATRIX_UNIT;
            }
            RUN_OK(f, 1, SETC16, .setc16_reg = CLR_DVALID_SrcA_Disable_ADDR32, .setc16_value = disable);
            RUN_OK(f, 1, SETRWC, .clear_ab_vld = which);
            assert_int_equal(f->state.srca.matrix_bank, which & 1 ? 0 : 1);
            assert_int_equal(f->state.srcb.matrix_bank, which & 2 ? 1 : 0);
            assert_int_equal(f->state.srca.owner[1], which & ~disable & 1 ? SRC_UNPACKERS : SRC_MATRIX_UNIT);
            assert_int_equal(f->state.srcb.owner[0], which & ~disable & 2 ? SRC_UNPACKERS : SRC_MATRIX_UNIT);
            assert_int_equal(f->state.srca.owner[0], SRC_MATRIX_UNIT);
            assert_int_equal(f->state.srcb.owner[1], SRC_MATRIX_UNIT);
        }
    }
}

static void incrwc_adds_to_counters_or_to_their_checkpoints(void **state)
{
    struct fixture *f = *state;
    *rwc_of(f, 2) = somewhere;
    RUN_OK(f, 2, INCRWC, .rwc_a = 15, .rwc_b = 3, .rwc_d = 5);
    assert_rwc(rwc_of(f, 2), 16, 60, 5, 61, 1, 1022);
    RUN_OK(f, 2, INCRWC, .rwc_a = 15, .rwc_b = 4, .rwc_d = 5, .rwc_cr = CR_A | CR_B | CR_D);
    assert_rwc(rwc_of(f, 2), 11, 11, 1, 1, 3, 3);
    assert_int_equal(rwc_of(f, 2)->fidelity_phase, 3);
}

static void the_fourth_bit_of_rwc_cr_is_c_to_cr_in_incrwc_too(void **state)
{
    struct fixture *f = *state;
    *rwc_of(f, 2) = somewhere;
    assert_int_equal(RUN(f, 2, INCRWC, .rwc_d = 8, .rwc_cr = 8), STEP_DONE);
    assert_int_equal(rwc_of(f, 2)->dst, (somewhere.dst + 8) % 1024);
    assert_int_equal(rwc_of(f, 2)->dst_cr, rwc_of(f, 2)->dst);
    assert_int_equal(rwc_of(f, 2)->srca, somewhere.srca);
    assert_int_equal(f->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

/* SET_BIAS is 0, INC_BIAS 1 (p_setibrwc in ckernel_instr_params.h); the counter has one bit. */
static void setibrwc_sets_the_extra_bit_or_adds_to_it(void **state)
{
    struct fixture *f = *state;
    for (unsigned i = 0; i < 8; i++) {
        unsigned increment = i & 1, bias = i >> 1 & 1, bit = i >> 2 & 1;
        *rwc_of(f, 1) = somewhere;
        rwc_of(f, 1)->extra_addr_mod_bit = bit;
        struct addr_unit expected = f->state.addr;
        expected.rwc[1].extra_addr_mod_bit = increment ? (bit + bias) % 2 : bias;
        f->diagnostics.now.pc = 4 * i;
        assert_int_equal(RUN(f, 1, SETIBRWC, .set_inc_ctrl = increment, .rwc_bias = bias), STEP_DONE);
        assert_memory_equal(&f->state.addr, &expected, sizeof expected);
        assert_int_equal(f->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
    }
}

static void setibrwc_with_other_arguments_is_undefined(void **state)
{
    struct fixture *f = *state;
    ASSERT_STOPPED(f, RUN(f, 1, SETIBRWC, .set_inc_ctrl = 2), BH_UNDEFINED_BEHAVIOR);
    ASSERT_STOPPED(f, RUN(f, 1, SETIBRWC, .rwc_bias = 2), BH_UNDEFINED_BEHAVIOR);
    ASSERT_STOPPED(f, RUN(f, 1, SETIBRWC, .rwc_bias = 1, .rwc_cr = 1), BH_UNDEFINED_BEHAVIOR);
    assert_int_equal(rwc_of(f, 1)->extra_addr_mod_bit, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(the_matmul_trace_visits_every_face_in_its_order),
        FIXTURE_TEST(each_of_eight_modes_has_its_own_sections),
        FIXTURE_TEST(clear_goes_before_c_to_cr_before_cr),
        FIXTURE_TEST(counters_wrap_and_the_increment_of_dst_is_signed),
        FIXTURE_TEST(fidelity_moves_unless_the_mode_is_applied_in_part),
        FIXTURE_TEST(the_extra_bit_selects_the_other_four_modes),
        FIXTURE_TEST(setrwc_sets_what_its_mask_selects),
        FIXTURE_TEST(setrwc_adds_to_the_checkpoint_where_cr_is_set),
        FIXTURE_TEST(setrwc_c_to_cr_adds_to_dst_itself),
        FIXTURE_TEST(setrwc_gives_banks_back_unless_the_thread_keeps_them),
        FIXTURE_TEST(incrwc_adds_to_counters_or_to_their_checkpoints),
        FIXTURE_TEST(the_fourth_bit_of_rwc_cr_is_c_to_cr_in_incrwc_too),
        FIXTURE_TEST(setibrwc_sets_the_extra_bit_or_adds_to_it),
        FIXTURE_TEST(setibrwc_with_other_arguments_is_undefined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
