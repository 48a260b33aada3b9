/* PACR: what happens to data between Dst and L1, as the ISA documentation's EdgeMasking.md, ReLU.md,
   ExponentHistogram.md, ExponentThresholding.md, Downsampling.md, TDMA-RISC.md and PACR.md (Blackhole) state it. */
#include "tensix/units/pack/fixture.h"

/* Rows alternate between masks 0 and 1 of TILE_ROW_SET_MAPPING 2. */
static void configure_masks(struct fixture *f)
{
    SET(f, PCK_EDGE_TILE_ROW_SET_SELECT_select, 2);
    for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
        f->state.config.bank[bank][TILE_ROW_SET_MAPPING_2_row_set_mapping_0_ADDR32] = 0x44444444;
    }
    SET(f, PCK_EDGE_OFFSET_SEC0_mask, 0xffff);
    SET(f, PCK_EDGE_OFFSET_SEC1_mask, 0x00f1);
}

static void assert_masked(struct fixture *f, uint32_t address, uint32_t row, uint16_t mask, uint16_t fill)
{
    for (unsigned column = 0; column < 16; column++) {
        assert_int_equal(load16(f, address + 2 * column), mask >> column & 1 ? numbered(row, column) : fill);
    }
}

static void edge_masks_replace_columns_with_zero(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    configure_masks(f);
    number_dst(f);
    RUN_OK(f, THREAD, PACR, .Last = 1);
    for (unsigned row = 0; row < 4; row++) {
        assert_masked(f, DESTINATION + 32 * row, row, row % 2 ? 0x00f1 : 0xffff, 0);
    }
}

static void edge_mode_replaces_with_minus_infinity(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    configure_masks(f);
    number_dst(f);
    SET(f, PCK_EDGE_MODE_mode, 1);
    RUN_OK(f, THREAD, PACR, .Last = 1);
    assert_masked(f, DESTINATION + 32, 1, 0x00f1, 0xff80);
    configure(f, FORMAT_FP16, FORMAT_FP16, false);
    SET(f, PCK_EDGE_OFFSET_SEC1_mask, 0);
    RUN_OK(f, THREAD, PACR, .Last = 1);
    for (unsigned column = 0; column < 16; column++) {
        assert_int_equal(load16(f, DESTINATION + 32 + 2 * column), 0xffff); /* FP16 has no other infinity */
    }
}

/* The face set selects the row set of the current plane, from ZOffset on. */
static void face_set_mapping_chooses_the_row_set_of_each_plane(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    configure_masks(f);
    number_dst(f);
    SET(f, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 4);
    SET(f, PCK_EDGE_TILE_FACE_SET_SELECT_enable, 1);
    SET(f, PCK_EDGE_TILE_FACE_SET_SELECT_select, 3);
    SET(f, DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset, 4);
    SET(f, TILE_FACE_SET_MAPPING_3_face_set_mapping_5, 2);
    RUN_OK(f, THREAD, PACR);
    RUN_OK(f, THREAD, PACR, .Last = 1);
    assert_masked(f, DESTINATION + 32, 1, 0xffff, 0);
    assert_masked(f, DESTINATION + 128 + 32, 5, 0x00f1, 0);
}

/* With pack_yz_transposed the reads of a plane count Z, and planes count Y. */
static void transposed_planes_count_rows(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    SET(f, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 4);
    SET(f, PACK_COUNTERS_SEC0_pack_yz_transposed, 1);
    SET(f, TILE_ROW_SET_MAPPING_0_row_set_mapping_0, 1);
    SET(f, PCK_EDGE_OFFSET_SEC1_mask, 0x00f1);
    RUN_OK(f, THREAD, PACR);
    RUN_OK(f, THREAD, PACR, .Last = 1);
    for (unsigned row = 0; row < 8; row++) {
        assert_masked(f, DESTINATION + 32 * row, row, row < 4 ? 0x00f1 : 0xffff, 0);
    }
}

/* "It returns to zero only when advancing it lands exactly on pack_reads_per_xy_plane." */
static void the_tile_position_may_step_over_the_end_of_its_plane(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    SET(f, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 6);
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 7);
    assert_int_equal(f->state.pack.tile_position, 3);
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 7, .AddrMode = 1);
    assert_int_equal(f->state.pack.tile_position, 0);
    RUN_OK(f, THREAD, PACR);
    RUN_OK(f, THREAD, PACR, .Last = 1);
    assert_int_equal(f->state.pack.tile_position, 8);
}

/* "Hardware computes ReadIntfSel for the final PACR of an xy plane from the number of rows remaining in the plane." */
static void the_last_pacr_of_a_plane_may_take_the_rows_that_are_left(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    SET(f, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 7);
    SET(f, THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel, 1);
    RUN_OK(f, THREAD, PACR);
    RUN_OK(f, THREAD, PACR);
    assert_int_equal(f->state.pack.tile.data.address, DESTINATION + 7 * 32);
    assert_int_equal(f->state.pack.tile_position, 0);
    assert_numbered(f, DESTINATION + 6 * 32, 6, 0, 16);
}

static uint16_t packed(struct fixture *f, uint16_t datum)
{
    f->state.dst.rows[0][0] = datum;
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1, .AddrMode = 1, .Last = 1);
    return load16(f, DESTINATION);
}

static void relu_zeroes_clamps_or_replaces_small_data(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    SET(f, STACC_RELU_ReluThreshold, 0x3f80);
    static const struct {
        uint32_t mode;
        uint16_t datum, expected;
    } cases[] = {
        {0, 0xbf80, 0xbf80}, {1, 0xbf80, 0},      {1, 0x3f00, 0x3f00}, {1, 0xff80, 0},      {2, 0x3f80, 0},
        {2, 0x3f81, 0x3f81}, {2, 0xc000, 0},      {3, 0x3f80, 0x3f80}, {3, 0x4000, 0x3f80}, {3, 0x7f80, 0x3f80},
        {3, 0xc000, 0},      {3, 0x3f00, 0x3f00}, {5, 0xbf80, 0}, /* the field's low two bits count */
    };
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        SET(f, STACC_RELU_ApplyRelu, cases[i].mode);
        assert_int_equal(packed(f, cases[i].datum), cases[i].expected);
    }
}

static void relu_takes_its_threshold_as_fp16_when_the_data_are(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_FP16, FORMAT_FP16, false);
    SET(f, STACC_RELU_ReluThreshold, 0x3c00);
    SET(f, STACC_RELU_ApplyRelu, 3);
    assert_int_equal(packed(f, dst_from_fp16(0x4000)), 0x3c00);
    assert_int_equal(packed(f, dst_from_fp16(0x3800)), 0x3800);
    assert_int_equal(packed(f, dst_from_fp16(0xb800)), 0);
}

static void relu_knows_no_thresholds_for_integers_and_none_that_are_negative(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    SET(f, STACC_RELU_ReluThreshold, 0x8000);
    SET(f, STACC_RELU_ApplyRelu, 1);
    RUN_OK(f, THREAD, PACR, .AddrMode = 1, .Last = 1);
    SET(f, STACC_RELU_ApplyRelu, 2);
    ASSERT_STOPPED(f, RUN(f, THREAD, PACR), BH_UNDEFINED_BEHAVIOR);
    configure(f, FORMAT_INT32, FORMAT_INT32, true);
    SET(f, STACC_RELU_ReluThreshold, 0);
    ASSERT_STOPPED(f, RUN(f, THREAD, PACR), BH_UNDEFINED_BEHAVIOR);
    SET(f, STACC_RELU_ApplyRelu, 1);
    put32(f, 0, 0, 0x80000007);
    put32(f, 0, 1, 7);
    RUN_OK(f, THREAD, PACR, .AddrMode = 1, .Last = 1);
    assert_int_equal(l1_load32(&f->l1, DESTINATION), 0);
    assert_int_equal(l1_load32(&f->l1, DESTINATION + 4), 7);
}

/* The histogram counts the low five bits of the exponent, saturates, and counts only while it is enabled; the largest
   exponent is kept always. */
static void exponents_are_counted_after_relu(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    SET(f, STACC_RELU_ApplyRelu, 1);
    for (unsigned column = 0; column < 16; column++) {
        f->state.dst.rows[0][column] = column < 3 ? 0x4100 : column < 5 ? 0xc200 : 0x3f80;
    }
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1, .AddrMode = 1, .Last = 1);
    struct pack_status status = pack_status_read(&f->tensix, 0, THREAD);
    assert_int_equal(status.exponent_histogram_max_exponent, 130);
    assert_int_equal(status.exponent_histogram[130 % 32], 0);
    f->state.config.thread[0][ENABLE_ACC_STATS_Enable_ADDR32] = 1 << ENABLE_ACC_STATS_Enable_SHAMT;
    for (unsigned i = 0; i < 25; i++) {
        RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1, .AddrMode = 1, .Last = 1);
    }
    status = pack_status_read(&f->tensix, 0, THREAD);
    assert_int_equal(status.exponent_histogram[130 % 32], 75);
    assert_int_equal(status.exponent_histogram[127 % 32], 255);
    assert_int_equal(status.exponent_histogram[0], 50);
    pack_clear_exponent_histogram(&f->state.pack);
    status = pack_status_read(&f->tensix, 0, THREAD);
    assert_int_equal(status.exponent_histogram_max_exponent, 0);
    assert_int_equal(status.exponent_histogram[127 % 32], 0);
}

static void exponent_thresholding_zeroes_what_is_too_small(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    SET(f, THCON_SEC0_REG1_Exp_threshold_en, 1);
    SET(f, THCON_SEC0_REG1_Exp_threshold, 113);
    assert_int_equal(packed(f, 112 << 7 | 0x807f), 0);
    assert_int_equal(packed(f, 113 << 7 | 0x8000), 113 << 7 | 0x8000);
    configure(f, FORMAT_FP16, FORMAT_FP16, false);
    SET(f, THCON_SEC0_REG1_Exp_threshold, 3);
    assert_int_equal(packed(f, dst_from_fp16(2 << 10 | 0x3ff)), 0);
    assert_int_equal(packed(f, dst_from_fp16(3 << 10)), 3 << 10);
}

static void downsampling_keeps_what_its_mask_selects(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    SET(f, THCON_SEC0_REG1_Downsample_mask, 0x8421);
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 3, .Last = 1);
    for (unsigned i = 0; i < 8; i++) {
        assert_numbered(f, DESTINATION + 2 * i, i / 4, i % 4 * 5, 1);
    }
    assert_filled(f, DESTINATION + 16, 16, 0);
}

static void zero_write_packs_zeroes(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    memset(f->l1_bytes + DESTINATION, 0xee, 128);
    RUN_OK(f, THREAD, PACR, .ZeroWrite = 1, .ReadIntfSel = 3, .Last = 1);
    assert_filled(f, DESTINATION, 64, 0);
    assert_filled(f, DESTINATION + 64, 64, 0xee);
}

/* Without interfaces, ADC X counts over more than a row: "the total amount of data packed is (x_end+1)". */
static void zero_write_without_interfaces_packs_as_many_zeroes_as_x_says(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BFP8, false);
    packer_adc(f)->channel[1].x = 1023;
    memset(f->l1_bytes + DESTINATION, 0xee, 2048);
    RUN_OK(f, THREAD, PACR, .ZeroWrite = 1, .Last = 1);
    assert_filled(f, DESTINATION, 64 + 1024, 0);
    assert_filled(f, DESTINATION + 64 + 1024, 64, 0xee);
    packer_adc(f)->channel[1].x = 1000;
    ASSERT_STOPPED(f, RUN(f, THREAD, PACR, .ZeroWrite = 1), BH_UNDEFINED_BEHAVIOR);
}

static void row_pad_zero_pads_rows_or_their_sum_to_sixteen_data(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    packer_adc(f)->channel[1].x = 9;
    static const struct {
        uint8_t row_pad_zero, concat, last, data;
    } cases[] = {
        {0, 0, 0, 20}, {4, 0, 0, 20}, {1, 0, 0, 32}, {5, 0, 0, 32}, {2, 1, 0, 20}, {2, 0, 0, 32},
        {6, 1, 0, 20}, {6, 0, 0, 32}, {3, 0, 0, 20}, {3, 0, 1, 32}, {7, 0, 0, 20}, {7, 0, 1, 32},
    };
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        memset(f->l1_bytes + DESTINATION, 0xee, 128);
        RUN_OK(f, THREAD, PACR, .ReadIntfSel = 3, .AddrMode = 1, .RowPadZero = cases[i].row_pad_zero,
               .Concat = cases[i].concat, .Last = cases[i].last);
        unsigned row = cases[i].data == 32 && cases[i].row_pad_zero < 4 ? 16 : 10;
        assert_numbered(f, DESTINATION, 0, 0, 10);
        assert_numbered(f, DESTINATION + 2 * row, 1, 0, 10);
        assert_filled(f, DESTINATION + 20, 2 * (row - 10), 0);
        assert_int_equal(f->state.pack.tile.data.address, DESTINATION + 2 * cases[i].data);
        RUN_OK(f, THREAD, PACR, .AddrMode = 1, .Flush = 1);
    }
}

static void tile_sizes_are_kept_for_the_thread_that_packs(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BFP8, false);
    RUN_OK(f, THREAD, PACR);
    RUN_OK(f, THREAD, PACR, .Last = 1);
    assert_int_equal(pack_status_read(&f->tensix, 0, THREAD).last_tile_size, 4 + 8);
    assert_int_equal(pack_status_read(&f->tensix, 0, 0).last_tile_size, 0);
    SET(f, THCON_SEC0_REG1_Add_tile_header_size, 1);
    RUN_OK(f, THREAD, PACR, .Last = 1);
    assert_int_equal(pack_status_read(&f->tensix, 0, THREAD).last_tile_size, 4 + 4);
    assert_int_equal(pack_status_read(&f->tensix, 0, THREAD).accumulated_tile_size, 4 + 8 + 4 + 4 + 1);
    assert_int_equal(pack_status_read(&f->tensix, 1, THREAD).accumulated_tile_size, 0);
    pack_reset_accumulated_tile_size(&f->tensix, 0);
    assert_int_equal(pack_status_read(&f->tensix, 0, THREAD).accumulated_tile_size, 0);
}

static void l1_accumulation_adds_to_what_l1_holds(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_FP32, FORMAT_FP32, true);
    SET(f, THCON_SEC0_REG1_Pack_L1_Acc, 1);
    for (unsigned column = 0; column < 16; column++) {
        put32(f, 0, column, 0x3f800000);                          /* 1 */
        l1_store32(&f->l1, DESTINATION + 4 * column, 0x40000000); /* 2 */
    }
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1, .Last = 1);
    for (unsigned column = 0; column < 16; column++) {
        assert_int_equal(l1_load32(&f->l1, DESTINATION + 4 * column), 0x40400000); /* 3 */
    }
    configure(f, FORMAT_INT32, FORMAT_INT32, true);
    packer_adc(f)->channel[0].y = packer_adc(f)->channel[1].y = 0;
    put32(f, 0, 0, 0x80000005); /* -5 */
    put32(f, 0, 1, 0x7ffffffe);
    l1_store32(&f->l1, DESTINATION, 3);
    l1_store32(&f->l1, DESTINATION + 4, 3);
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1, .Last = 1);
    assert_int_equal(l1_load32(&f->l1, DESTINATION), 0x80000002);
    assert_int_equal(l1_load32(&f->l1, DESTINATION + 4), 0x7fffffff);
    configure(f, FORMAT_BF16, FORMAT_BFP8, false);
    ASSERT_STOPPED(f, RUN(f, THREAD, PACR), BH_UNDEFINED_BEHAVIOR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(edge_masks_replace_columns_with_zero),
        FIXTURE_TEST(edge_mode_replaces_with_minus_infinity),
        FIXTURE_TEST(face_set_mapping_chooses_the_row_set_of_each_plane),
        FIXTURE_TEST(transposed_planes_count_rows),
        FIXTURE_TEST(the_tile_position_may_step_over_the_end_of_its_plane),
        FIXTURE_TEST(the_last_pacr_of_a_plane_may_take_the_rows_that_are_left),
        FIXTURE_TEST(relu_zeroes_clamps_or_replaces_small_data),
        FIXTURE_TEST(relu_takes_its_threshold_as_fp16_when_the_data_are),
        FIXTURE_TEST(relu_knows_no_thresholds_for_integers_and_none_that_are_negative),
        FIXTURE_TEST(exponents_are_counted_after_relu),
        FIXTURE_TEST(exponent_thresholding_zeroes_what_is_too_small),
        FIXTURE_TEST(downsampling_keeps_what_its_mask_selects),
        FIXTURE_TEST(zero_write_packs_zeroes),
        FIXTURE_TEST(zero_write_without_interfaces_packs_as_many_zeroes_as_x_says),
        FIXTURE_TEST(row_pad_zero_pads_rows_or_their_sum_to_sixteen_data),
        FIXTURE_TEST(tile_sizes_are_kept_for_the_thread_that_packs),
        FIXTURE_TEST(l1_accumulation_adds_to_what_l1_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
