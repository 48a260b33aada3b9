/* Moves of LRegs and between lanes, as ISA documentation SFPMOV.md, SFPSWAP.md, SFPTRANSP.md and SFPSHFT2.md state
   them. */
#include "tensix/units/vector/fixture.h"

enum { PATTERN = 0x0ff05a3c };

static void moves_may_negate_and_may_ignore_lane_flags(void **state)
{
    struct fixture *f = *state;
    fill(f, 1, 0x12345678);
    enable_lanes(f, PATTERN);
    RUN_OK(f, 0, SFPMOV, .lreg_c = 1, .lreg_dest = 2);
    ASSERT_LREG_IN(f, 2, PATTERN, 0x12345678, 0);
    RUN_OK(f, 0, SFPMOV, .lreg_c = 1, .lreg_dest = 2, .instr_mod1 = 1);
    ASSERT_LREG_IN(f, 2, PATTERN, 0x92345678, 0);
    RUN_OK(f, 0, SFPMOV, .lreg_c = 1, .lreg_dest = 2, .instr_mod1 = 2);
    ASSERT_LREG(f, 2, 0x12345678);
    RUN_OK(f, 0, SFPMOV, .lreg_c = 15, .lreg_dest = 3, .instr_mod1 = 2);
    assert_int_equal(vector_of(f)->lreg[3][31], 62);
}

static void moves_read_configuration_and_generators(void **state)
{
    struct fixture *f = *state;
    struct vector_unit *v = vector_of(f);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        for (unsigned i = 0; i < SFPU_MACROS; i++) {
            v->load_macro.instruction_template[i][lane] = 0x100 * i + lane;
            v->load_macro.sequence[i][lane] = 0x10000 * i + lane;
        }
        v->load_macro.misc[lane] = 0xabc;
        v->prng[lane] = 0x40000 + lane * 2;
    }
    set_lane_config(f, 0x108);
    for (unsigned i = 0; i < SFPU_MACROS; i++) {
        RUN_OK(f, 0, SFPMOV, .lreg_c = i, .lreg_dest = 2, .instr_mod1 = 8);
        assert_int_equal(v->lreg[2][30], 0x100 * i + 30);
        RUN_OK(f, 0, SFPMOV, .lreg_c = 4 + i, .lreg_dest = 2, .instr_mod1 = 8);
        assert_int_equal(v->lreg[2][30], 0x10000 * i + 30);
    }
    RUN_OK(f, 0, SFPMOV, .lreg_c = 8, .lreg_dest = 2, .instr_mod1 = 8);
    ASSERT_LREG(f, 2, 0xabc);
    RUN_OK(f, 0, SFPMOV, .lreg_c = 15, .lreg_dest = 2, .instr_mod1 = 8);
    ASSERT_LREG(f, 2, 0x108);
    RUN_OK(f, 0, SFPMOV, .lreg_c = 11, .lreg_dest = 2, .instr_mod1 = 8);
    ASSERT_LREG(f, 2, 0);
    enable_lanes(f, PATTERN);
    RUN_OK(f, 0, SFPMOV, .lreg_c = 9, .lreg_dest = 2, .instr_mod1 = 8);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t before = 0x40000 + lane * 2, parity = lane & 1; /* of bits 31, 21, 1 and 0 */
        bool enabled = PATTERN >> lane & 1;
        assert_int_equal(v->lreg[2][lane], enabled ? before : 0);
        assert_int_equal(v->prng[lane], enabled ? before >> 1 | (uint32_t)!parity << 31 : before);
    }
}

static void swaps_are_unconditional_or_sort(void **state)
{
    static const uint32_t vd_gets_min[] = {0,          0xffffffff, 0x0000ffff, 0x00ff00ff, 0xff0000ff,
                                           0x000000ff, 0x0000ff00, 0x00ff0000, 0xff000000, 0};
    struct fixture *f = *state;
    for (unsigned mod1 = 0; mod1 < COUNT_OF(vd_gets_min); mod1++) {
        for (unsigned exchanged = 0; exchanged < 2; exchanged++) {
            fill(f, 1, 0xbf800000);
            fill(f, 2, 0x3f800000);
            set_lane_config(f, exchanged ? LANE_CONFIG_EXCHANGE_SRCB_SRCC : 0);
            enable_lanes(f, PATTERN);
            RUN_OK(f, 0, SFPSWAP, .lreg_src_c = 1, .lreg_dest = 2, .instr_mod1 = mod1);
            /* VC is smaller: swapped where VD is to get the minimum */
            uint32_t swapped = mod1 == 0 ? PATTERN : PATTERN & (exchanged ? ~vd_gets_min[mod1] : vd_gets_min[mod1]);
            ASSERT_LREG_IN(f, 2, swapped, 0xbf800000, 0x3f800000);
            ASSERT_LREG_IN(f, 1, swapped, 0x3f800000, 0xbf800000);
        }
    }
    RUN(f, 0, SFPSWAP, .lreg_src_c = 1, .lreg_dest = 2, .instr_mod1 = 10);
    assert_int_equal(f->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

static void equal_values_are_swapped_for_the_maximum_only(void **state)
{
    struct fixture *f = *state;
    set_lane_config(f, LANE_CONFIG_ENABLE_DEST_INDEX);
    fill(f, 0, 7);
    fill(f, 1, 7);
    fill(f, 4, 100);
    fill(f, 5, 200);
    RUN_OK(f, 0, SFPSWAP, .lreg_src_c = 0, .lreg_dest = 1, .instr_mod1 = 1);
    ASSERT_LREG(f, 4, 100);
    RUN_OK(f, 0, SFPSWAP, .lreg_src_c = 0, .lreg_dest = 1, .instr_mod1 = 9);
    ASSERT_LREG(f, 4, 200);
    ASSERT_LREG(f, 5, 100);
}

static void indices_follow_the_values(void **state)
{
    struct fixture *f = *state;
    set_lane_config(f, LANE_CONFIG_ENABLE_DEST_INDEX);
    number(f, 0, 100);
    fill(f, 3, 116);
    fill(f, 4, 1);
    fill(f, 7, 2);
    RUN_OK(f, 0, SFPSWAP, .lreg_src_c = 0, .lreg_dest = 3, .instr_mod1 = 1);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        assert_int_equal(vector_of(f)->lreg[3][lane], lane < 16 ? 100 + lane : 116);
        assert_int_equal(vector_of(f)->lreg[0][lane], lane < 16 ? 116 : 100 + lane);
        assert_int_equal(vector_of(f)->lreg[7][lane], lane < 16 ? 1 : 2);
        assert_int_equal(vector_of(f)->lreg[4][lane], lane < 16 ? 2 : 1);
    }
}

static void swaps_with_constants_copy(void **state)
{
    struct fixture *f = *state;
    fill(f, 1, 5);
    RUN_OK(f, 0, SFPSWAP, .lreg_src_c = 10, .lreg_dest = 1);
    ASSERT_LREG(f, 1, 0x3f800000);
    ASSERT_LREG(f, 10, 0x3f800000);
}

static void transposing_exchanges_rows_of_lanes_and_registers(void **state)
{
    struct fixture *f = *state;
    for (unsigned i = 0; i < 8; i++) {
        number(f, i, 0x100 * i);
    }
    enable_lanes(f, PATTERN);
    RUN_OK(f, 0, SFPTRANSP);
    for (unsigned i = 0; i < 8; i++) {
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            unsigned from = i / 4 * 4 + lane / 8, lane_from = i % 4 * 8 + lane % 8;
            bool enabled = PATTERN >> lane & 1;
            assert_int_equal(vector_of(f)->lreg[i][lane], enabled ? 0x100 * from + lane_from : 0x100 * i + lane);
        }
    }
}

static uint32_t lane_of(struct fixture *f, unsigned lreg, unsigned lane)
{
    return vector_of(f)->lreg[lreg][lane];
}

static void shuffles_move_registers_and_lanes(void **state)
{
    struct fixture *f = *state;
    for (unsigned mod1 = 0; mod1 < 5; mod1++) {
        for (unsigned i = 0; i < 8; i++) {
            number(f, i, 0x100 * i);
        }
        enable_lanes(f, PATTERN);
        RUN_OK(f, 0, SFPSHFT2, .lreg_src_c = 5, .lreg_dest = 3, .instr_mod1 = mod1);
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            bool enabled = PATTERN >> lane & 1, copies = mod1 < 3;
            uint32_t rotated = 0x500 + (lane % 8 ? lane - 1 : lane + 7);
            uint32_t last[] = {0, lane < 24 ? lane + 8 : 0, rotated, rotated, lane % 8 ? rotated : 0};
            for (unsigned i = 0; i < 3; i++) {
                assert_int_equal(lane_of(f, i, lane), 0x100 * (enabled && copies ? i + 1 : i) + lane);
            }
            assert_int_equal(lane_of(f, 3, lane), enabled ? last[mod1] : 0x300 + lane);
        }
    }
    ASSERT_STOPPED(f, RUN(f, 0, SFPSHFT2, .instr_mod1 = 7), BH_UNDEFINED_BEHAVIOR);
}

static void shift2_shifts_vb(void **state)
{
    struct fixture *f = *state;
    fill(f, 1, (uint32_t)-4);
    fill(f, 2, 0x80000010);
    RUN_OK(f, 0, SFPSHFT2, .imm12_math = 2, .lreg_src_c = 1, .lreg_dest = 3, .instr_mod1 = 5);
    ASSERT_LREG(f, 3, 0x08000001);
    RUN_OK(f, 0, SFPSHFT2, .imm12_math = 2, .lreg_dest = 3, .instr_mod1 = 6); /* both VB and the amount */
    ASSERT_LREG(f, 3, 0x40);
    fill(f, 14, 0x80000010);
    RUN_OK(f, 0, SFPSHFT2, .imm12_math = 0xffe, .lreg_dest = 3, .instr_mod1 = 6); /* LReg[14] by -2 */
    ASSERT_LREG(f, 3, 0x20000004);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(moves_may_negate_and_may_ignore_lane_flags),
        FIXTURE_TEST(moves_read_configuration_and_generators),
        FIXTURE_TEST(swaps_are_unconditional_or_sort),
        FIXTURE_TEST(equal_values_are_swapped_for_the_maximum_only),
        FIXTURE_TEST(indices_follow_the_values),
        FIXTURE_TEST(swaps_with_constants_copy),
        FIXTURE_TEST(transposing_exchanges_rows_of_lanes_and_registers),
        FIXTURE_TEST(shuffles_move_registers_and_lanes),
        FIXTURE_TEST(shift2_shifts_vb),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
