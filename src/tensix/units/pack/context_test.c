/* PACR in contexts other than the first, and with input from L1: the description of PACR in tt-llk (CfgContext,
   CtxtCtrl), the comments on configuration fields in the vendor's kernel library; ISA documentation
   InputAddressGenerator.md and FormatConversion.md (L1 as source), TDMA-RISC.md (Enable_out_fifo). */
#include "tensix/units/pack/context.h"

#include "tensix/units/pack/fixture.h"

/* Gives every context a destination and a part of Dst of its own: context i packs from row 8 * i to L1 at 0x1000 * i.
 */
static void configure_contexts(struct fixture *f)
{
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    number_dst(f);
    static const unsigned output[PACK_CONTEXTS] = {
        THCON_SEC0_REG1_Row_start_section_size_ADDR32, THCON_SEC0_REG8_Row_start_section_size_ADDR32,
        THCON_SEC1_REG1_Row_start_section_size_ADDR32, THCON_SEC1_REG8_Row_start_section_size_ADDR32};
    for (unsigned i = 0; i < PACK_CONTEXTS; i++) {
        for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
            uint32_t *words = f->state.config.bank[bank];
            memcpy(words + output[i], words + output[0], 4 * sizeof *words);
            words[output[i] + 1] = (DESTINATION + 0x1000 * i) / 16 - 1;
            words[DEST_TARGET_REG_CFG_PACK_SEC0_Offset_ADDR32 + i] = 8 * i;
            words[PACK_COUNTERS_SEC0_pack_per_xy_plane_ADDR32 + i] =
                4u << PACK_COUNTERS_SEC0_pack_reads_per_xy_plane_SHAMT;
        }
    }
}

static void assert_packed(const struct fixture *f, unsigned context)
{
    assert_numbered(f, DESTINATION + 0x1000 * context, 8 * context, 0, 16);
}

static void clear(struct fixture *f)
{
    memset(f->l1_bytes + DESTINATION, 0xee, 0x4000);
}

static void each_context_has_registers_of_its_own(void **state)
{
    struct fixture *f = *state;
    configure_contexts(f);
    for (unsigned i = 0; i < PACK_CONTEXTS; i++) {
        clear(f);
        assert_int_equal(RUN(f, THREAD, PACR, .AddrMode = 3, .CfgContext = i, .Last = 1), STEP_DONE);
        assert_packed(f, i);
        assert_filled(f, DESTINATION + 0x1000 * ((i + 1) % PACK_CONTEXTS), 128, 0xee);
    }
    assert_int_equal(f->diagnostics.count, 1);
    assert_int_equal(f->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

/* REG8 has two fields in other places than REG1, and lacks the two of FP8; limits are those of REG9; edge masks are
   selected by two bits for each context. */
static void fields_are_found_where_the_register_has_them(void **state)
{
    struct fixture *f = *state;
    uint32_t config[CONFIG_WORDS];
    SET(f, THCON_SEC0_REG8_Out_data_format, FORMAT_FP8);
    SET(f, THCON_SEC0_REG8_Add_tile_header_size, 1);
    SET(f, THCON_SEC0_REG8_L1_source_addr, 0xa5);
    SET(f, THCON_SEC0_REG8_Exp_threshold, 0x5a);
    SET(f, THCON_SEC0_REG8_unpack_tile_offset, 31);
    SET(f, THCON_SEC0_REG1_Pac_LF8_4b_exp, 1);
    SET(f, THCON_SEC0_REG1_Pack_L1_Acc, 1);
    SET(f, THCON_SEC0_REG9_Pack_0_2_limit_address, 1);
    SET(f, THCON_SEC0_REG9_Pack_1_3_limit_address, 2);
    SET(f, THCON_SEC1_REG9_Pack_0_2_limit_address, 3);
    SET(f, THCON_SEC1_REG9_Pack_1_3_limit_address, 4);
    SET(f, PCK_EDGE_TILE_ROW_SET_SELECT_select, 0xe4);
    SET(f, PCK_EDGE_TILE_FACE_SET_SELECT_select, 0x1b);
    SET(f, THCON_SEC1_REG1_pack_start_intf_pos, 0xb);
    for (unsigned i = 0; i < PACK_CONTEXTS; i++) {
        pack_context_config(f->state.config.bank[0], i, config);
        assert_int_equal(CONFIG_GET(config, THCON_SEC0_REG9_Pack_0_2_limit_address), i + 1);
        assert_int_equal(CONFIG_GET(config, PCK_EDGE_TILE_ROW_SET_SELECT_select) & 3, i);
        assert_int_equal(CONFIG_GET(config, PCK_EDGE_TILE_FACE_SET_SELECT_select) & 3, 3 - i);
        assert_int_equal(CONFIG_GET(config, THCON_SEC0_REG1_Out_data_format), i == 1 ? FORMAT_FP8 : 0);
        assert_int_equal(CONFIG_GET(config, THCON_SEC0_REG1_Add_tile_header_size), i == 1);
        assert_int_equal(CONFIG_GET(config, THCON_SEC0_REG1_L1_source_addr), i == 1 ? 0xa5 : 0);
        assert_int_equal(CONFIG_GET(config, THCON_SEC0_REG1_Exp_threshold), i == 1 ? 0x5a : 0);
        assert_int_equal(CONFIG_GET(config, THCON_SEC0_REG1_Pac_LF8_4b_exp), i < 2);
        assert_int_equal(CONFIG_GET(config, THCON_SEC0_REG1_Pack_L1_Acc), i == 0);
        assert_int_equal(CONFIG_GET(config, THCON_SEC0_REG1_pack_dis_y_pos_start_offset), 0);
        assert_int_equal(CONFIG_GET(config, THCON_SEC0_REG1_pack_start_intf_pos), i == 2 ? 3 : i == 3 ? 2 : 0);
    }
}

/* CtxtCtrl 1: the packer's counter, which advances with each tile; 2 resets it, 3 does not advance it. */
static void the_packer_counts_contexts_by_tiles(void **state)
{
    struct fixture *f = *state;
    configure_contexts(f);
    for (unsigned i = 0; i < 6; i++) {
        clear(f);
        assert_int_equal(RUN(f, THREAD, PACR, .AddrMode = 3, .CtxtCtrl = CTXT_CTRL_FLOPS, .ReadIntfSel = 1), STEP_DONE);
        assert_int_equal(RUN(f, THREAD, PACR, .AddrMode = 3, .CtxtCtrl = CTXT_CTRL_HOLD, .Last = 1), STEP_DONE);
        assert_packed(f, i % PACK_CONTEXTS);
        assert_int_equal(RUN(f, THREAD, PACR, .AddrMode = 3, .CtxtCtrl = CTXT_CTRL_FLOPS, .Last = 1, .CfgContext = 3),
                         STEP_DONE);
    }
    clear(f);
    assert_int_equal(RUN(f, THREAD, PACR, .AddrMode = 3, .CtxtCtrl = CTXT_CTRL_RESET, .Last = 1), STEP_DONE);
    assert_filled(f, DESTINATION, 0x4000, 0xee);
    assert_int_equal(RUN(f, THREAD, PACR, .AddrMode = 3, .CtxtCtrl = CTXT_CTRL_FLOPS, .Last = 1), STEP_DONE);
    assert_packed(f, 0);
}

/* auto_ctxt_inc_xys_cnt: advances after this number of planes instead of tiles. */
static void the_packer_counts_contexts_by_planes(void **state)
{
    struct fixture *f = *state;
    configure_contexts(f);
    SET(f, PACK_COUNTERS_SEC0_auto_ctxt_inc_xys_cnt, 2);
    SET(f, PACK_COUNTERS_SEC1_auto_ctxt_inc_xys_cnt, 1);
    static const uint8_t contexts[] = {0, 0, 1, 2};
    for (unsigned i = 0; i < sizeof contexts; i++) {
        assert_int_equal(f->state.pack.context, contexts[i]);
        assert_int_equal(RUN(f, THREAD, PACR, .AddrMode = 3, .CtxtCtrl = CTXT_CTRL_FLOPS, .Last = i == 0), STEP_DONE);
    }
}

/* With strict policies nothing happens. */
static void contexts_are_reported_before_anything_happens(void **state)
{
    struct fixture *f = *state;
    configure_contexts(f);
    clear(f);
    diagnostics_set_policy(&f->diagnostics, BH_POLICY_STRICT);
    assert_int_equal(RUN(f, THREAD, PACR, .AddrMode = 3, .CtxtCtrl = CTXT_CTRL_FLOPS, .Last = 1), STEP_STOP);
    assert_filled(f, DESTINATION, 0x4000, 0xee);
    assert_int_equal(f->state.pack.context, 0);
}

/* TDMA-RISC.md: with Enable_out_fifo each tile queues its size, in units of 16 bytes. */
static void sizes_of_tiles_queue_up_where_they_are_asked_for(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    for (unsigned i = 0; i < 4; i++) {
        SET(f, THCON_SEC0_REG1_Enable_out_fifo, i != 1);
        RUN_OK(f, THREAD, PACR, .AddrMode = 3, .ReadIntfSel = (1u << i) - 1, .Last = 1);
    }
    assert_int_equal(f->state.pack.metadata_count, 3);
    assert_int_equal(f->state.pack.metadata[0].tile_size, 8); /* ReadIntfSel 0 is all four */
    assert_int_equal(f->state.pack.metadata[1].tile_size, 4);
    assert_int_equal(f->state.pack.metadata[2].tile_size, 6);
}

static void configure_l1_source(struct fixture *f, enum data_format format, enum data_format to)
{
    configure(f, format, to, false);
    SET(f, THCON_SEC0_REG1_Source_interface_selection, 1);
    SET(f, PCK0_ADDR_BASE_REG_0_Base, 0x12340);
    SET(f, THCON_SEC0_REG1_L1_source_addr, 1); /* 0x40000 */
    for (unsigned i = 0; i < 256; i++) {
        f->l1_bytes[0x52340 + i] = (uint8_t)(i * 37 + 0x41);
    }
}

/* FormatConversion.md, "If Packer 0 is fetching datums from L1": identity for formats with the same number of bits. */
static void data_of_l1_are_packed_as_they_are(void **state)
{
    struct fixture *f = *state;
    static const struct {
        enum data_format format;
        unsigned bytes;
    } cases[] = {{FORMAT_FP32, 4},  {FORMAT_INT32, 4}, {FORMAT_BF16, 2}, {FORMAT_FP16, 2},
                 {FORMAT_INT16, 2}, {FORMAT_FP8, 1},   {FORMAT_INT8, 1}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        configure_l1_source(f, cases[i].format, cases[i].format);
        memset(f->l1_bytes + DESTINATION, 0xee, 128);
        RUN_OK(f, THREAD, PACR, .AddrMode = 3, .ReadIntfSel = 1, .Last = 1);
        assert_memory_equal(f->l1_bytes + DESTINATION, f->l1_bytes + 0x52340, 16 * cases[i].bytes);
        assert_filled(f, DESTINATION + 16 * cases[i].bytes, 16, 0xee);
    }
}

/* Under a policy that continues, zeroes are packed in their place. */
static void data_behind_l1_are_not_packed(void **state)
{
    struct fixture *f = *state;
    configure_l1_source(f, FORMAT_FP32, FORMAT_FP32);
    SET(f, THCON_SEC0_REG1_L1_source_addr, L1_SIZE >> 18);
    SET(f, PCK0_ADDR_BASE_REG_0_Base, 0);
    memset(f->l1_bytes + DESTINATION, 0xee, 128);
    ASSERT_STOPPED(f, RUN(f, THREAD, PACR, .AddrMode = 3, .ReadIntfSel = 1, .Last = 1), BH_UNDEFINED_BEHAVIOR);
    assert_filled(f, DESTINATION, 128, 0xee);
    diagnostics_set_policy(&f->diagnostics, BH_POLICY_SILICON);
    assert_int_equal(RUN(f, THREAD, PACR, .AddrMode = 3, .ReadIntfSel = 1, .Last = 1), STEP_DONE);
    assert_filled(f, DESTINATION, 64, 0);
    assert_filled(f, DESTINATION + 64, 64, 0xee);
}

/* InputAddressGenerator.md: X counts data within 16 bytes, and, by its stride, 16 bytes. */
static void part_of_a_row_of_l1_can_be_packed(void **state)
{
    struct fixture *f = *state;
    configure_l1_source(f, FORMAT_BF16, FORMAT_BF16);
    SET(f, PCK0_ADDR_CTRL_XY_REG_0_Xstride, 2);
    packer_adc(f)->channel[0].x = 9;
    packer_adc(f)->channel[1].x = 13;
    packer_adc(f)->channel[0].y = 2;
    RUN_OK(f, THREAD, PACR, .AddrMode = 3, .ReadIntfSel = 1, .Last = 1);
    assert_memory_equal(f->l1_bytes + DESTINATION, f->l1_bytes + 0x52340 + 2 * 32 + 2 * 9, 10);
    assert_filled(f, DESTINATION + 10, 6, 0);
}

/* Data of a block format have signs and mantissas, and an exponent of zero; the later stages are those for data of
   Dst. */
static void block_floats_of_l1_have_no_exponent(void **state)
{
    struct fixture *f = *state;
    configure_l1_source(f, FORMAT_BFP8, FORMAT_BF16);
    RUN_OK(f, THREAD, PACR, .AddrMode = 3, .ReadIntfSel = 1, .Last = 1);
    for (unsigned i = 0; i < 16; i++) {
        uint8_t datum = f->l1_bytes[0x52340 + i];
        assert_int_equal(load16(f, DESTINATION + 2 * i), (datum & 0x80) << 8 | (datum & 0x7f));
    }
}

static void a_source_beyond_l1_is_undefined_behaviour(void **state)
{
    struct fixture *f = *state;
    configure_l1_source(f, FORMAT_BF16, FORMAT_BF16);
    SET(f, THCON_SEC0_REG1_L1_source_addr, 6);
    ASSERT_STOPPED(f, RUN(f, THREAD, PACR, .AddrMode = 3, .ReadIntfSel = 1), BH_UNDEFINED_BEHAVIOR);
    configure_l1_source(f, FORMAT_TF32, FORMAT_TF32);
    ASSERT_STOPPED(f, RUN(f, THREAD, PACR, .AddrMode = 3, .ReadIntfSel = 1), BH_UNDEFINED_BEHAVIOR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(each_context_has_registers_of_its_own),
        FIXTURE_TEST(fields_are_found_where_the_register_has_them),
        FIXTURE_TEST(the_packer_counts_contexts_by_tiles),
        FIXTURE_TEST(the_packer_counts_contexts_by_planes),
        FIXTURE_TEST(contexts_are_reported_before_anything_happens),
        FIXTURE_TEST(sizes_of_tiles_queue_up_where_they_are_asked_for),
        FIXTURE_TEST(data_of_l1_are_packed_as_they_are),
        FIXTURE_TEST(data_behind_l1_are_not_packed),
        FIXTURE_TEST(part_of_a_row_of_l1_can_be_packed),
        FIXTURE_TEST(block_floats_of_l1_have_no_exponent),
        FIXTURE_TEST(a_source_beyond_l1_is_undefined_behaviour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
