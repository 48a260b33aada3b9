/* Behaviour of the packer that no document states, but that follows from several together. */
#include "tensix/units/pack/fixture.h"

#define PACK(f, ...) assert_int_equal(RUN(f, THREAD, PACR, __VA_ARGS__), STEP_DONE)

/* Asserts that there was one warning, of `category`. */
static void assert_warned(const struct fixture *f, enum bh_category category)
{
    assert_int_equal(f->diagnostics.count, 1);
    assert_int_equal(f->diagnostics.entries[0].category, category);
    assert_int_equal(f->diagnostics.entries[0].action, BH_WARN);
}

/* The vendor's description of PACR: "[0,8,16,24]"; Dst.md: remapping puts row 16 where row 8 was, before rows of 32
   bits are swizzled. */
static void rows_of_32_bits_are_as_far_apart_as_remapping_makes_them(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_FP32, FORMAT_FP32, true);
    for (uint32_t row = 0; row < 64; row++) {
        put32(f, row, 0, 0x3f800000 + row);
    }
    packer_adc(f)->channel[0].y = 2;
    for (unsigned remap = 0; remap < 2; remap++) {
        for (unsigned swizzle = 0; swizzle < 2; swizzle++) {
            SET(f, DEST_ACCESS_CFG_remap_addrs, remap);
            SET(f, DEST_ACCESS_CFG_swizzle_32b, swizzle);
            PACK(f, .DstAccessMode = 1, .AddrMode = 3, .Last = 1);
            for (uint32_t i = 0; i < 4; i++) {
                assert_int_equal(l1_load32(&f->l1, DESTINATION + 64 * i), 0x3f800002 + i * (remap ? 16 : 8));
            }
        }
    }
    assert_warned(f, BH_NON_CONTRACTUAL);
}

static void set_descale_value(struct fixture *f, unsigned value, uint32_t shift)
{
    set_field(f, INT_DESCALE_VALUES_SEC0_Value_ADDR32 + value / 4, 8 * (value % 4), 8, shift);
}

/* "ShiftAmount is Config.INT_DESCALE_VALUES_SEC[(z & 63) >> 2].Value >> ((z & 3) * 8); // For some value z"; the
   vendor's descriptions: Mode 1 has a "value per output filter", ZOffset is six bits of Z for the tile position. */
static void each_plane_may_have_a_shift_of_its_own(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_INT8, FORMAT_INT8, true);
    for (uint32_t row = 0; row < 8; row++) {
        put32(f, row, 0, 96);
    }
    SET(f, INT_DESCALE_Enable, 1);
    SET(f, INT_DESCALE_VALUES_SEC0_Value, 0x02022203);
    PACK(f, .ReadIntfSel = 1, .AddrMode = 1, .Last = 1);
    assert_int_equal(f->l1_bytes[DESTINATION], 12); /* Mode 0: the first byte */
    SET(f, INT_DESCALE_Mode, 1);
    SET(f, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 4);
    SET(f, DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset, 63);
    set_descale_value(f, 63, 4);
    set_descale_value(f, 0, 0xe5); /* five bits count */
    f->state.pack.tile_position = 0;
    PACK(f, .Last = 0);
    PACK(f, .AddrMode = 1, .Last = 1);
    for (unsigned row = 0; row < 8; row++) {
        assert_int_equal(f->l1_bytes[DESTINATION + 16 * row], row < 4 ? 6 : 3);
    }
    assert_warned(f, BH_NON_CONTRACTUAL);
    SET(f, PACK_COUNTERS_SEC0_pack_yz_transposed, 1); /* each row is in the next plane */
    set_descale_value(f, 1, 1);
    set_descale_value(f, 2, 0);
    PACK(f, .AddrMode = 1, .Last = 1);
    static const uint8_t shifted[4] = {6, 3, 48, 96};
    for (unsigned row = 0; row < 4; row++) {
        assert_int_equal(f->l1_bytes[DESTINATION + 16 * row], shifted[row]);
    }
}

static void one_value_for_all_planes_is_no_choice(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_INT8, FORMAT_INT8, true);
    put32(f, 0, 0, 200);
    SET(f, INT_DESCALE_Enable, 1);
    SET(f, INT_DESCALE_Mode, 1);
    for (unsigned value = 0; value < 64; value++) {
        set_descale_value(f, value, value % 2 ? 0x22 : 2);
    }
    PACK(f, .ReadIntfSel = 1, .Last = 1);
    assert_int_equal(f->l1_bytes[DESTINATION], 50);
    assert_int_equal(f->diagnostics.count, 0);
}

/* Packers/Downsampling.md models Downsample_mask alone, which the vendor's description has "as down-sample rate
   requires". */
static void the_downsample_rate_leaves_the_choice_to_the_mask(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    SET(f, THCON_SEC0_REG1_Downsample_rate, 1);
    SET(f, THCON_SEC0_REG1_Downsample_mask, 0x5555);
    PACK(f, .ReadIntfSel = 1, .Last = 1);
    for (unsigned i = 0; i < 8; i++) {
        assert_numbered(f, DESTINATION + 2 * i, 0, 2 * i, 1);
    }
    assert_warned(f, BH_NON_CONTRACTUAL);
}

/* The chapter "pack data path": "each datum's individual exponent as if it were the shared exponent". */
static void block_floats_may_keep_the_mantissas_of_their_own_exponents(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BFP8, false);
    SET(f, THCON_SEC0_REG1_Dis_shared_exp_assembler, 1);
    f->state.dst.rows[0][0] = 0x4000;  /* 2 */
    f->state.dst.rows[0][1] = 0xbfc0;  /* -1.5 */
    f->state.dst.rows[0][15] = 0x3e80; /* 0.25 */
    PACK(f, .ReadIntfSel = 1, .AddrMode = 3, .Last = 1);
    static const uint8_t bfp8[16] = {[0] = 0x40, [1] = 0xe0, [15] = 0x40};
    assert_int_equal(f->l1_bytes[DESTINATION], 128);
    assert_memory_equal(f->l1_bytes + DESTINATION + 64, bfp8, sizeof bfp8);
    assert_warned(f, BH_UNPREDICTABLE_VALUE);
    SET(f, THCON_SEC0_REG1_Out_data_format, FORMAT_BFP4);
    PACK(f, .ReadIntfSel = 1, .AddrMode = 3, .Last = 1);
    static const uint8_t bfp4[8] = {[0] = 0xe4, [7] = 0x40};
    assert_memory_equal(f->l1_bytes + DESTINATION + 64, bfp4, sizeof bfp4);
    SET(f, THCON_SEC0_REG1_Dis_shared_exp_assembler, 0);
    PACK(f, .ReadIntfSel = 1, .AddrMode = 3, .Last = 1);
    static const uint8_t together[8] = {[0] = 0xb4};
    assert_memory_equal(f->l1_bytes + DESTINATION + 64, together, sizeof together);
}

/* The vendor's kernels clear the second counter: "disables auto last generation". Grayskull's then used the first. */
static void counters_of_packs_end_no_tile(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    SET(f, PACK_COUNTERS_SEC0_pack_per_xy_plane, 1);
    PACK(f, .ReadIntfSel = 1);
    assert_int_equal(f->diagnostics.count, 0);
    SET(f, PACK_COUNTERS_SEC0_pack_xys_per_tile, 1);
    PACK(f, .ReadIntfSel = 1);
    assert_true(f->state.pack.tile.data.open);
    assert_warned(f, BH_NON_CONTRACTUAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(rows_of_32_bits_are_as_far_apart_as_remapping_makes_them),
        FIXTURE_TEST(each_plane_may_have_a_shift_of_its_own),
        FIXTURE_TEST(one_value_for_all_planes_is_no_choice),
        FIXTURE_TEST(the_downsample_rate_leaves_the_choice_to_the_mask),
        FIXTURE_TEST(block_floats_may_keep_the_mantissas_of_their_own_exponents),
        FIXTURE_TEST(counters_of_packs_end_no_tile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
