/* PACR: rows, tiles and addresses, as the ISA documentation's PACR.md (Blackhole), InputAddressGenerator.md and
   OutputAddressGenerator.md state them. */
#include "tensix/units/pack/fixture.h"

static void pack_tile(struct fixture *f)
{
    for (unsigned i = 0; i < 16; i++) {
        RUN_OK(f, THREAD, PACR, .AddrMode = i == 15 ? 1 : i % 4 == 3 ? 2 : 0, .Last = i == 15);
    }
}

static void a_tile_of_bf16_goes_to_l1_face_by_face(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    packer_adc(f)->channel[0].w = 1;
    memset(f->l1_bytes + DESTINATION + 2048, 0xee, 16);
    pack_tile(f);
    for (unsigned row = 0; row < TILE_ROWS; row++) {
        assert_numbered(f, DESTINATION + 32 * row, 64 + row, 0, 16);
    }
    assert_filled(f, DESTINATION + 2048, 16, 0xee);
}

static void a_tile_of_fp32_goes_to_l1_from_pairs_of_rows(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_FP32, FORMAT_FP32, true);
    for (unsigned i = 0; i < TILE_ROWS * ROW_COLUMNS; i++) {
        put32(f, i / 16, i % 16, 0x3f800000 + i * 0x1357);
    }
    pack_tile(f);
    for (unsigned i = 0; i < TILE_ROWS * ROW_COLUMNS; i++) {
        assert_int_equal(l1_load32(&f->l1, DESTINATION + 4 * i), 0x3f800000 + i * 0x1357);
    }
}

/* "Each enabled read interface contributes one row of Dst", in increasing order, without gaps; 0 enables all four. */
static void each_enabled_interface_contributes_its_row(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    for (unsigned mask = 0; mask < 16; mask++) {
        memset(f->l1_bytes + DESTINATION, 0xee, 256);
        packer_adc(f)->channel[0].y = 20;
        RUN_OK(f, THREAD, PACR, .ReadIntfSel = mask, .AddrMode = 1, .Last = 1);
        uint32_t address = DESTINATION;
        for (unsigned i = 0; i < 4; i++) {
            if (mask == 0 || mask >> i & 1) {
                assert_numbered(f, address, 20 + i, 0, 16);
                address += 32;
            }
        }
        assert_filled(f, address, 32, 0xee);
    }
}

static void the_enabled_interfaces_are_selected_relative_to_the_start_row(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    packer_adc(f)->channel[0].y = 6;
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 3, .Last = 1);
    assert_numbered(f, DESTINATION, 6, 0, 16);
    assert_numbered(f, DESTINATION + 32, 7, 0, 16);
}

static void interfaces_that_leave_the_group_of_four_rows_are_undefined_behaviour(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    packer_adc(f)->channel[0].y = 7;
    ASSERT_STOPPED(f, RUN(f, THREAD, PACR, .ReadIntfSel = 3), BH_UNDEFINED_BEHAVIOR);
    assert_int_equal(packer_adc(f)->channel[0].y, 7);
    assert_false(f->state.pack.tile.data.open);
}

/* "DstAccessMode selects the strided Dst read mode, in which the enabled read interfaces read rows 16 apart." */
static void strided_mode_reads_rows_sixteen_apart(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    SET(f, DEST_ACCESS_CFG_remap_addrs, 1);
    SET(f, DEST_ACCESS_CFG_swizzle_32b, 1);
    number_dst(f);
    packer_adc(f)->channel[0].y = 3;
    RUN_OK(f, THREAD, PACR, .DstAccessMode = 1, .ReadIntfSel = 0xf, .Last = 1);
    for (unsigned i = 0; i < 4; i++) {
        assert_numbered(f, DESTINATION + 32 * i, 3 + 16 * i, 0, 16);
    }
}

/* "Only the datums selected by the ADC X range are packed." */
static void adc_x_selects_columns(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    packer_adc(f)->channel[0].x = 3;
    packer_adc(f)->channel[1].x = 9;
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 3);
    assert_numbered(f, DESTINATION, 0, 3, 7);
    assert_numbered(f, DESTINATION + 14, 1, 3, 7);
    assert_int_equal(f->state.pack.tile.data.address, DESTINATION + 28);
}

static void a_range_of_columns_that_is_none_is_undefined_behaviour(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    packer_adc(f)->channel[1].x = 16;
    ASSERT_STOPPED(f, RUN(f, THREAD, PACR), BH_UNDEFINED_BEHAVIOR);
    packer_adc(f)->channel[0].x = 5;
    packer_adc(f)->channel[1].x = 4;
    ASSERT_STOPPED(f, RUN(f, THREAD, PACR), BH_UNDEFINED_BEHAVIOR);
}

static void a_row_of_dst_that_is_not_valid_packs_as_zero(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    f->state.dst.valid[1] = 0;
    memset(f->l1_bytes + DESTINATION, 0xee, 128);
    RUN_OK(f, THREAD, PACR, .Last = 1);
    assert_numbered(f, DESTINATION, 0, 0, 16);
    assert_filled(f, DESTINATION + 32, 32, 0);
    assert_numbered(f, DESTINATION + 64, 2, 0, 16);
}

static void counters_strides_and_offset_choose_the_start_row(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    SET(f, DEST_TARGET_REG_CFG_PACK_SEC0_Offset, 512);
    struct adc_channel *channel = &packer_adc(f)->channel[0];
    channel->y = 5, channel->z = 3, channel->w = 2;
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1, .Last = 1);
    assert_numbered(f, DESTINATION, 512 + 2 * 64 + 3 * 16 + 5, 0, 16);
    SET(f, DEST_TARGET_REG_CFG_PACK_SEC0_Offset, 1023);
    channel->y = 1, channel->z = 0, channel->w = 0;
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1, .Last = 1);
    assert_numbered(f, DESTINATION, 0, 0, 16);
}

/* NeedsNewAddress: only the PACR after one with Last or Flush computes an address. */
static void a_new_address_counts_only_after_last_or_flush(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1);
    SET(f, THCON_SEC0_REG1_L1_Dest_addr, 0x30000 / 16 - 1);
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1, .Last = 1);
    assert_numbered(f, DESTINATION + 32, 4, 0, 16);
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1);
    assert_numbered(f, 0x30000, 8, 0, 16);
    RUN_OK(f, THREAD, PACR, .Flush = 1);
    SET(f, THCON_SEC0_REG1_L1_Dest_addr, 0x40000 / 16 - 1);
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1);
    assert_numbered(f, 0x40000, 16, 0, 16);
}

/* "If these buffers are forcibly flushed before they are full, then they will be padded with zeroes." */
static void last_and_flush_pad_with_zeroes_to_sixteen_bytes(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    packer_adc(f)->channel[1].x = 4;
    for (unsigned flush = 0; flush < 2; flush++) {
        memset(f->l1_bytes + DESTINATION, 0xee, 32);
        packer_adc(f)->channel[0].y = 0;
        RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1, .Last = !flush);
        if (flush) {
            assert_filled(f, DESTINATION + 10, 22, 0xee);
            RUN_OK(f, THREAD, PACR, .Flush = 1);
        }
        assert_numbered(f, DESTINATION, 0, 0, 5);
        assert_filled(f, DESTINATION + 10, 6, 0);
        assert_filled(f, DESTINATION + 16, 16, 0xee);
    }
}

/* "48 datums of BFP4 occupy 24 bytes, and the eight bytes after them are zeroed." */
static void three_rows_of_bfp4_zero_the_rest_of_their_last_block(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BFP4, false);
    for (unsigned row = 0; row < 4; row++) {
        for (unsigned column = 0; column < 16; column++) {
            f->state.dst.rows[row][column] = (uint16_t)(0x3f80 + 0x80 * row);
        }
    }
    memset(f->l1_bytes + DESTINATION, 0xee, 128);
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 7, .Last = 1);
    const uint8_t exponents[4] = {127, 128, 129, 0};
    assert_memory_equal(f->l1_bytes + DESTINATION, exponents, 4);
    assert_filled(f, DESTINATION + 3, 13, 0);
    assert_filled(f, DESTINATION + 16, 48, 0xee);
    assert_filled(f, DESTINATION + 64, 24, 0x44);
    assert_filled(f, DESTINATION + 88, 8, 0);
    assert_filled(f, DESTINATION + 96, 16, 0xee);
}

/* A group of 16 is counted on the output side, over several PACRs if need be. */
static void a_bfp_group_may_come_from_several_pacrs(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BFP8, false);
    for (unsigned column = 0; column < 16; column++) {
        f->state.dst.rows[0][column] = 0x3f80; /* 1 */
        f->state.dst.rows[4][column] = 0x4000; /* 2 */
    }
    packer_adc(f)->channel[1].x = 7;
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1);
    assert_int_equal(f->l1_bytes[DESTINATION], 0);
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1);
    assert_int_equal(f->l1_bytes[DESTINATION], 128);
    assert_filled(f, DESTINATION + 64, 8, 0x20);
    assert_filled(f, DESTINATION + 72, 8, 0x40);
    RUN_OK(f, THREAD, PACR, .Flush = 1);
}

static void bytes_of_int8_come_behind_an_exponent_section_of_no_use(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_INT8, FORMAT_INT8, true);
    SET(f, THCON_SEC0_REG1_Exp_section_size, 2);
    put32(f, 0, 0, 0x80000005);
    memset(f->l1_bytes + DESTINATION, 0xee, 64);
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1, .Last = 1);
    assert_filled(f, DESTINATION, 32, 0xee);
    assert_int_equal(f->l1_bytes[DESTINATION + 32], 0x85);
}

static void the_destination_adds_header_counters_base_offset_and_wraps(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    struct adc_channel *channel = &packer_adc(f)->channel[1];
    SET(f, THCON_SEC0_REG1_Sub_l1_tile_header_size, 1);
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1, .AddrMode = 3, .Last = 1);
    assert_numbered(f, DESTINATION - 16, 0, 0, 16);
    SET(f, THCON_SEC0_REG1_Sub_l1_tile_header_size, 0);
    SET(f, PCK0_ADDR_BASE_REG_1_Base, 0x100);
    SET(f, PCK0_ADDR_CTRL_XY_REG_1_Ystride, 0x20);
    SET(f, PCK0_ADDR_CTRL_ZW_REG_1_Zstride, 0x200);
    SET(f, PCK0_ADDR_CTRL_ZW_REG_1_Wstride, 0x1000);
    channel->y = 1, channel->z = 2, channel->w = 3;
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1, .AddrMode = 3, .Last = 1);
    assert_numbered(f, DESTINATION + 0x100 + 0x20 + 0x400 + 0x3000, 0, 0, 16);
    channel->y = 0, channel->z = 0, channel->w = 0;
    SET(f, PCK0_ADDR_BASE_REG_1_Base, 0);
    SET(f, THCON_SEC0_REG1_L1_Dest_addr, DESTINATION / 16 - 1);
    SET(f, THCON_SEC0_REG1_Add_l1_dest_addr_offset, 1);
    pack_write_accumulated_tile_size(&f->state.pack, 1 << 16 | 0x80);
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1, .AddrMode = 3, .Last = 1);
    assert_numbered(f, DESTINATION + 0x800, 0, 0, 16);
    SET(f, THCON_SEC0_REG9_Pack_0_2_limit_address, DESTINATION / 32);
    SET(f, THCON_SEC0_REG9_Pack_0_2_fifo_size, 0x1000 / 32);
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1, .AddrMode = 3, .Last = 1);
    assert_numbered(f, DESTINATION + 0x800 - 0x1000, 0, 0, 16);
}

static void addr_mod_moves_both_channels(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    struct adc_channel *source = &packer_adc(f)->channel[0], *destination = &packer_adc(f)->channel[1];
    source->y = ADC_Y_MASK - 3, source->z = ADC_Z_MASK;
    destination->y = 8, destination->z = 9;
    set_addr_mod(f, 3, 4 | 15 << 6 | Z_SRC_INCR | 1 << 14);
    RUN_OK(f, THREAD, PACR, .AddrMode = 3, .Flush = 1);
    assert_int_equal(source->y, 0);
    assert_int_equal(source->z, 0);
    assert_int_equal(destination->y, 23);
    assert_int_equal(destination->z, 10);
    source->y_cr = 100, destination->y_cr = 200;
    set_addr_mod(f, 3, 2 | 1 << 4 | 3 << 6 | 1 << 10);
    RUN_OK(f, THREAD, PACR, .AddrMode = 3, .Flush = 1);
    assert_int_equal(source->y, 102);
    assert_int_equal(source->y_cr, 102);
    assert_int_equal(destination->y, 203);
    assert_int_equal(destination->y_cr, 203);
    source->z_cr = 7, destination->z_cr = 7;
    set_addr_mod(f, 3, 2 | 1 << 4 | Y_CLEAR | 1 << 13 | 1 << 15);
    RUN_OK(f, THREAD, PACR, .AddrMode = 3, .Flush = 1);
    const struct adc_channel cleared[2] = {{0}, {.x = 15}};
    assert_memory_equal(packer_adc(f)->channel, cleared, sizeof cleared);
}

/* "Use PACR[AddrCntContext] instead of Thread ID to select Packer Addr Cntr regs"; 3 is 0. */
static void ovrd_thread_id_takes_the_counters_of_addr_cnt_context(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    for (unsigned context = 0; context < 4; context++) {
        unsigned thread = context == 3 ? 0 : context;
        struct adc *adc = &f->state.addr.adc[thread][ADC_PACKER];
        adc->channel[0].y = 8 + 4 * thread;
        adc->channel[1].x = 15;
        RUN_OK(f, THREAD, PACR, .OvrdThreadId = 1, .AddrCntContext = context, .ReadIntfSel = 1, .Last = 1);
        assert_numbered(f, DESTINATION, 8 + 4 * thread, 0, 16);
        assert_int_equal(adc->channel[0].y, 12 + 4 * thread);
    }
}

static void a_tile_that_leaves_l1_changes_nothing(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    SET(f, THCON_SEC0_REG1_L1_Dest_addr, (L1_SIZE - 64) / 16 - 1);
    memset(f->l1_bytes + L1_SIZE - 64, 0xee, 64);
    struct pack_unit before = f->state.pack;
    ASSERT_STOPPED(f, RUN(f, THREAD, PACR), BH_UNDEFINED_BEHAVIOR);
    assert_filled(f, L1_SIZE - 64, 64, 0xee);
    assert_memory_equal(&before, &f->state.pack, sizeof before);
    assert_int_equal(packer_adc(f)->channel[0].y, 0);
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 3, .Last = 1);
    assert_numbered(f, L1_SIZE - 32, 1, 0, 16);
}

static void what_is_not_emulated_says_so(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    SET(f, THCON_SEC0_REG1_pack_start_intf_pos, 2);
    ASSERT_STOPPED(f, RUN(f, THREAD, PACR), BH_UNSUPPORTED);
    SET(f, THCON_SEC0_REG1_pack_start_intf_pos, 0);
    SET(f, THCON_SEC0_REG1_Source_interface_selection, 1);
    ASSERT_STOPPED(f, RUN(f, THREAD, PACR), BH_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(a_tile_of_bf16_goes_to_l1_face_by_face),
        FIXTURE_TEST(a_tile_of_fp32_goes_to_l1_from_pairs_of_rows),
        FIXTURE_TEST(each_enabled_interface_contributes_its_row),
        FIXTURE_TEST(the_enabled_interfaces_are_selected_relative_to_the_start_row),
        FIXTURE_TEST(interfaces_that_leave_the_group_of_four_rows_are_undefined_behaviour),
        FIXTURE_TEST(strided_mode_reads_rows_sixteen_apart),
        FIXTURE_TEST(adc_x_selects_columns),
        FIXTURE_TEST(a_range_of_columns_that_is_none_is_undefined_behaviour),
        FIXTURE_TEST(a_row_of_dst_that_is_not_valid_packs_as_zero),
        FIXTURE_TEST(counters_strides_and_offset_choose_the_start_row),
        FIXTURE_TEST(a_new_address_counts_only_after_last_or_flush),
        FIXTURE_TEST(last_and_flush_pad_with_zeroes_to_sixteen_bytes),
        FIXTURE_TEST(three_rows_of_bfp4_zero_the_rest_of_their_last_block),
        FIXTURE_TEST(a_bfp_group_may_come_from_several_pacrs),
        FIXTURE_TEST(bytes_of_int8_come_behind_an_exponent_section_of_no_use),
        FIXTURE_TEST(the_destination_adds_header_counters_base_offset_and_wraps),
        FIXTURE_TEST(addr_mod_moves_both_channels),
        FIXTURE_TEST(ovrd_thread_id_takes_the_counters_of_addr_cnt_context),
        FIXTURE_TEST(a_tile_that_leaves_l1_changes_nothing),
        FIXTURE_TEST(what_is_not_emulated_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
