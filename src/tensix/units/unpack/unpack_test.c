/* UNPACR, statement by statement. Source: ISA documentation UNPACR_Regular.md and its neighbours. */
#include "tensix/units/unpack/fixture.h"

static void a_bf16_face_goes_to_srcb(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(unpacr(fixture, SRCB), STEP_DONE);
    const struct src_register_file *srcb = &fixture->state->srcb;
    for (unsigned i = 0; i < 256; i++) {
        assert_int_equal(srcb->rows[0][i / 16][i % 16], half(fixture, i) << 16);
    }
    assert_int_equal(srcb->rows[0][16][0], 0);
}

static void set_dat_valid_gives_the_bank_to_the_matrix_unit(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(unpacr(fixture, SRCA), STEP_DONE);
    const struct src_register_file *srca = &fixture->state->srca;
    assert_int_equal(srca->owner[0], SRC_MATRIX_UNIT);
    assert_int_equal(srca->format[0], FORMAT_BF16);
    assert_int_equal(srca->unpacker_bank, 1);
    assert_int_equal(unpacr(fixture, SRCA), STEP_DONE);
    assert_int_equal(unpacr(fixture, SRCA), STEP_WAIT);
}

static void without_set_dat_valid_the_bank_stays(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(unpacr(fixture, (struct args_UNPACR){.OvrdThreadId = 1}), STEP_DONE);
    assert_int_equal(fixture->state->srca.owner[0], SRC_UNPACKERS);
    assert_int_equal(fixture->state->srca.unpacker_bank, 0);
}

static void fp32_goes_to_dst_as_it_is(void **state)
{
    struct fixture *fixture = *state;
    set_formats(fixture, FORMAT_FP32, FORMAT_FP32);
    SET(THCON_SEC0_REG2_Unpack_if_sel_cntx0, 1);
    SET(THCON_SEC0_REG5_Dest_cntx0_address, 16 * (4 + 40));
    SET_THREAD(SRCA_SET_SetOvrdWithAddr, 0);
    assert_int_equal(unpacr(fixture, (struct args_UNPACR){.OvrdThreadId = 1}), STEP_DONE);
    const struct dst_register_file *dst = &fixture->state->dst;
    for (unsigned i = 0; i < 256; i++) {
        unsigned row = dst_row32(40 + i / 16);
        uint32_t value = dst_join32(dst->rows[row][i % 16], dst->rows[row + DST_LOW_HALF][i % 16]);
        assert_int_equal(value, l1_load32(&fixture->l1, BASE + 16 + 4 * i));
        assert_true(dst->valid[row]);
    }
}

static void haloize_mode_transposes_each_face(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC0_REG2_Haloize_mode, 1);
    fixture->state->addr.adc[0][0].channel[1].x = 511;
    assert_int_equal(unpacr(fixture, SRCA), STEP_DONE);
    for (unsigned i = 0; i < 512; i++) {
        assert_int_equal(fixture->state->srca.rows[0][i / 256 * 16 + i % 16][i / 16 % 16], half(fixture, i) << 16);
    }
}

/* Blackhole reads 32 datums of two bytes before it advances to the next row. */
static void tileize_mode_reads_rows_that_lie_apart(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC0_REG2_Tileize_mode, 1);
    SET(THCON_SEC0_REG2_Shift_amount_cntx0, 8); /* 128 bytes */
    fixture->state->addr.adc[0][0].channel[1].x = 127;
    assert_int_equal(unpacr(fixture, SRCA), STEP_DONE);
    for (unsigned i = 0; i < 128; i++) {
        assert_int_equal(fixture->state->srca.rows[0][i / 16][i % 16], half(fixture, i / 32 * 64 + i % 32) << 16);
    }
}

static void datums_beyond_l1_stop_and_change_nothing(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC0_REG3_Base_address, (L1_SIZE - 512) / 16);
    assert_int_equal(unpacr(fixture, SRCA), STEP_STOP);
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_UNDEFINED_BEHAVIOR);
    assert_int_equal(fixture->state->srca.unpacker_bank, 0);
    SET(THCON_SEC0_REG3_Base_address, (L1_SIZE - 512) / 16 - 1);
    assert_int_equal(unpacr(fixture, SRCA), STEP_DONE);
}

static void addr_mode_increments_four_counters(void **state)
{
    struct fixture *fixture = *state;
    struct args_UNPACR args = SRCA;
    args.AddrMode = 3 << 6 | 2 << 4 | 1 << 2 | 3;
    assert_int_equal(unpacr(fixture, args), STEP_DONE);
    const struct adc *adc = &fixture->state->addr.adc[0][0];
    assert_int_equal(adc->channel[0].z, 3);
    assert_int_equal(adc->channel[0].y, 1);
    assert_int_equal(adc->channel[1].z, 2);
    assert_int_equal(adc->channel[1].y, 3);
}

/* The context is the instruction's number, or the thread's counter, plus the thread's offset. */
static void the_context_chooses_the_base_address(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC1_REG3_Base_address, 0x7fff);
    SET(THCON_SEC1_REG3_Base_cntx1_address, BASE / 16 - 2);
    SET(THCON_SEC1_REG7_Offset_cntx1_address, 2);
    SET(THCON_SEC1_REG2_Disable_zero_compress_cntx0, 0);
    SET(THCON_SEC1_REG2_Disable_zero_compress_cntx1, 1);
    SET_THREAD(UNPACK_MISC_CFG_CfgContextOffset_1, 1);
    assert_int_equal(unpacr(fixture, SRCB), STEP_DONE);
    assert_int_equal(fixture->state->srcb.rows[0][15][15], half(fixture, 255) << 16);
}

static void the_context_counter_advances_and_wraps(void **state)
{
    struct fixture *fixture = *state;
    uint8_t *counter = &fixture->state->unpack.context_counter[0][0];
    struct args_UNPACR args = {.OvrdThreadId = 1, .AutoIncContextID = 1};
    SET(THCON_SEC0_REG2_Context_count, 1);
    SET(THCON_SEC0_REG3_Base_cntx1_address, BASE / 16 + 1);
    SET(THCON_SEC0_REG2_Disable_zero_compress_cntx1, 1);
    SET(THCON_SEC0_REG5_Dest_cntx1_address, 64);
    assert_int_equal(unpacr(fixture, args), STEP_DONE);
    assert_int_equal(*counter, 1);
    assert_int_equal(fixture->state->srca.rows[0][0][0], half(fixture, 0) << 16);
    assert_int_equal(unpacr(fixture, args), STEP_DONE);
    assert_int_equal(*counter, 0);
    assert_int_equal(fixture->state->srca.rows[0][0][0], half(fixture, 8) << 16);
}

static void the_counter_can_be_incremented_without_unpacking(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC1_REG2_Context_count, 2);
    fixture->state->srcb.owner[0] = SRC_MATRIX_UNIT; /* the instruction waits for no bank */
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(fixture->state->unpack.context_counter[1][0], i % 4);
        assert_int_equal(unpacr(fixture, (struct args_UNPACR){.Unpack_block_selection = 1, .CfgContextCntInc = 1}),
                         STEP_DONE);
    }
    unpack_reset_context_counters(&fixture->tensix, 0);
    assert_int_equal(fixture->state->unpack.context_counter[1][0], 0);
}

static void flushing_the_cache_changes_nothing(void **state)
{
    struct fixture *fixture = *state;
    fixture->state->srca.rows[0][0][0] = 0x3f800000;
    assert_int_equal(unpacr(fixture, (struct args_UNPACR){.SearchCacheFlush = 1}), STEP_DONE);
    assert_int_equal(fixture->state->srca.rows[0][0][0], 0x3f800000);
}

static void without_a_context_descriptor_and_address_counters_of_the_thread_rule(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC0_REG2_Disable_zero_compress_cntx0, 0); /* IsUncompressed of the tile descriptor instead */
    SET(THCON_SEC0_REG5_Tile_x_dim_cntx0, 1);            /* XDim of the tile descriptor instead */
    SET(THCON_SEC0_REG5_Dest_cntx0_address, 0);          /* no context address */
    struct adc *adc = &fixture->state->addr.adc[2][0];
    adc->channel[0].z = 1;
    adc->channel[1].x = 15;
    adc->channel[1].y = 4 + 7; /* addresses of SrcA begin four rows before its first row */
    assert_int_equal(execute_UNPACR(&fixture->tensix, 2, (struct args_UNPACR){}), STEP_DONE);
    for (unsigned i = 0; i < 16; i++) {
        assert_int_equal(fixture->state->srca.rows[0][7][i], half(fixture, 256 + i) << 16);
    }
}

static void x_and_y_come_from_the_chosen_adc_and_both_adcs_advance(void **state)
{
    struct fixture *fixture = *state;
    struct adc(*adc)[ADC_UNITS] = fixture->state->addr.adc;
    set(fixture, THCON_SEC1_REG0_TileDescriptor_ADDR32 + 1, 0, 32, 4 | 4 << 16); /* YDim 4 */
    adc[2][1].channel[0].y = 1;
    adc[2][1].channel[1].x = 31;
    adc[0][1].channel[0].z = 1;
    struct args_UNPACR args = SRCB;
    args.AddrCntContextId = 2;
    args.AddrMode = 1 << 2;
    assert_int_equal(unpacr(fixture, args), STEP_DONE);
    assert_int_equal(fixture->state->srcb.rows[0][0][0], half(fixture, (1 * 4 + 1) * 256) << 16);
    assert_int_equal(fixture->state->srcb.rows[0][2][0], 0);
    assert_int_equal(adc[2][1].channel[0].y, 2);
    assert_int_equal(adc[0][1].channel[0].y, 1);
    assert_int_equal(adc[1][1].channel[0].y, 0);
}

static void a_context_address_replaces_the_counters_unless_it_is_added(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC0_REG5_Dest_cntx0_address, 64 + 16);
    fixture->state->addr.adc[0][0].channel[1].y = 2;
    assert_int_equal(unpacr(fixture, SRCA), STEP_DONE);
    assert_int_equal(fixture->state->srca.rows[0][1][0], half(fixture, 0) << 16);
    SET(UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr, 1);
    assert_int_equal(unpacr(fixture, SRCA), STEP_DONE);
    assert_int_equal(fixture->state->srca.rows[1][3][0], half(fixture, 0) << 16);
}

static void bfp8_exponents_lie_before_the_datums(void **state)
{
    struct fixture *fixture = *state;
    set_formats(fixture, FORMAT_BFP8, FORMAT_BFP8);
    fixture->state->addr.adc[0][1].channel[0].z = 1;
    uint8_t *exponents = fixture->l1.bytes + BASE + 16, *datums = exponents + 64;
    exponents[16 + 3] = 130;
    datums[256 + 3 * 16 + 5] = 0xe0; /* -96 / 64 */
    assert_int_equal(unpacr(fixture, SRCB), STEP_DONE);
    assert_int_equal(fixture->state->srcb.rows[0][3][5], 0xc1400000); /* -1.5 * 2^3 */
}

static void a_forced_exponent_leaves_no_room_for_exponents(void **state)
{
    struct fixture *fixture = *state;
    set_formats(fixture, FORMAT_BFP8, FORMAT_BFP8);
    SET(THCON_SEC1_REG2_Force_shared_exp, 1);
    SET(UNP1_FORCED_SHARED_EXP_shared_exp, 127);
    fixture->l1.bytes[BASE + 16 + 17] = 0x40;
    assert_int_equal(unpacr(fixture, SRCB), STEP_DONE);
    assert_int_equal(fixture->state->srcb.rows[0][1][1], 0x3f800000);
}

static void formats_that_do_not_go_together_stop(void **state)
{
    struct fixture *fixture = *state;
    set_formats(fixture, FORMAT_BF16, FORMAT_FP16);
    assert_int_equal(unpacr(fixture, SRCA), STEP_STOP);
    set_formats(fixture, FORMAT_INT32, FORMAT_INT32);
    assert_int_equal(unpacr(fixture, SRCA), STEP_STOP);
    set_formats(fixture, (enum data_format)12, (enum data_format)12);
    assert_int_equal(unpacr(fixture, SRCA), STEP_STOP);
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_UNDEFINED_BEHAVIOR);
}

static void a_last_datum_before_the_first_stops(void **state)
{
    struct fixture *fixture = *state;
    fixture->state->addr.adc[0][0].channel[0].x = 257;
    assert_int_equal(unpacr(fixture, SRCA), STEP_STOP);
    fixture->state->addr.adc[0][0].channel[0].x = 256;
    assert_int_equal(unpacr(fixture, SRCA), STEP_DONE); /* no datum at all */
    assert_int_equal(fixture->state->srca.rows[0][0][0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_bf16_face_goes_to_srcb),
        TEST(set_dat_valid_gives_the_bank_to_the_matrix_unit),
        TEST(without_set_dat_valid_the_bank_stays),
        TEST(fp32_goes_to_dst_as_it_is),
        TEST(haloize_mode_transposes_each_face),
        TEST(tileize_mode_reads_rows_that_lie_apart),
        TEST(datums_beyond_l1_stop_and_change_nothing),
        TEST(addr_mode_increments_four_counters),
        TEST(the_context_chooses_the_base_address),
        TEST(the_context_counter_advances_and_wraps),
        TEST(the_counter_can_be_incremented_without_unpacking),
        TEST(flushing_the_cache_changes_nothing),
        TEST(without_a_context_descriptor_and_address_counters_of_the_thread_rule),
        TEST(x_and_y_come_from_the_chosen_adc_and_both_adcs_advance),
        TEST(a_context_address_replaces_the_counters_unless_it_is_added),
        TEST(bfp8_exponents_lie_before_the_datums),
        TEST(a_forced_exponent_leaves_no_room_for_exponents),
        TEST(formats_that_do_not_go_together_stop),
        TEST(a_last_datum_before_the_first_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
