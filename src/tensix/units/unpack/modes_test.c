/* UNPACR in its rarer modes: decompression, upsampling, row search, shifts, FIFOs, 16-bit Dst.
   Source: ISA documentation UNPACR_Regular.md, Unpackers/README.md. */
#include "tensix/units/unpack/fixture.h"
#include "util/xorshift.h"

static uint32_t srcb(const struct fixture *fixture, unsigned index)
{
    return fixture->state->srcb.rows[0][index / 16][index % 16];
}

static uint32_t srca(const struct fixture *fixture, unsigned index)
{
    return fixture->state->srca.rows[0][index / 16][index % 16];
}

static void upsampling_inserts_zeroes(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC1_REG2_Upsample_rate, 2); /* three zeroes after every datum */
    memset(fixture->state->srcb.rows, 0xff, sizeof fixture->state->srcb.rows);
    assert_int_equal(unpacr(fixture, SRCB), STEP_DONE);
    for (unsigned i = 0; i < 1024; i++) {
        assert_int_equal(srcb(fixture, i), i % 4 ? 0 : half(fixture, i / 4) << 16);
    }
}

static void upsampling_may_leave_what_is_between(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC1_REG2_Upsample_rate, 1);
    SET(THCON_SEC1_REG2_Upsample_and_interleave, 1);
    memset(fixture->state->srcb.rows, 0xff, sizeof fixture->state->srcb.rows);
    assert_int_equal(unpacr(fixture, SRCB), STEP_DONE);
    for (unsigned i = 0; i < 512; i++) {
        assert_int_equal(srcb(fixture, i), i % 2 ? 0xffffffff : half(fixture, i / 2) << 16);
    }
}

static void zero_write_ignores_the_data(void **state)
{
    struct fixture *fixture = *state;
    memset(fixture->state->srca.rows, 0xff, sizeof fixture->state->srca.rows);
    struct args_UNPACR args = SRCA;
    args.ZeroWrite2 = 1;
    assert_int_equal(unpacr(fixture, args), STEP_DONE);
    assert_int_equal(srca(fixture, 255), 0);
    assert_int_equal(srca(fixture, 256), 0xffffffff);
}

static void rows_of_srca_before_the_fifth_are_skipped(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC0_REG5_Dest_cntx0_address, 32);
    assert_int_equal(unpacr(fixture, SRCA), STEP_DONE);
    assert_int_equal(srca(fixture, 0), half(fixture, 32) << 16);
    assert_int_equal(srca(fixture, 255 - 32), half(fixture, 255) << 16);
    assert_int_equal(srca(fixture, 256 - 32), 0);
}

static void a_column_shift_drops_the_first_columns(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC0_REG2_Shift_amount_cntx0, 3);
    assert_int_equal(unpacr(fixture, SRCA), STEP_DONE);
    for (unsigned i = 0; i < 256; i++) {
        assert_int_equal(srca(fixture, i), i % 16 < 13 ? half(fixture, i + 3) << 16 : 0);
    }
}

/* Without SRCA_SET_SetOvrdWithAddr, rows count from SrcRow in a set of sixteen. */
static void src_row_is_where_a_set_of_rows_begins(void **state)
{
    struct fixture *fixture = *state;
    SET_THREAD(SRCA_SET_SetOvrdWithAddr, 0);
    SET_THREAD(SRCA_SET_Base, 1);
    SET(THCON_SEC0_REG2_Unpack_Src_Reg_Set_Upd, 1);
    assert_int_equal(unpacr(fixture, (struct args_UNPACR){.OvrdThreadId = 1}), STEP_DONE);
    assert_int_equal(fixture->state->srca.unpacker_row[0], 16 + 16);
    assert_int_equal(unpacr(fixture, SRCA), STEP_DONE);
    assert_int_equal(srca(fixture, 0), half(fixture, 0) << 16);
    assert_int_equal(srca(fixture, 32 * 16), half(fixture, 0) << 16);
    assert_int_equal(fixture->state->srca.unpacker_row[0], 16);
    fixture->state->addr.adc[0][0].channel[1].x = 256;
    assert_int_equal(unpacr(fixture, SRCA), STEP_STOP);
}

static void srcb_has_no_row_64(void **state)
{
    struct fixture *fixture = *state;
    fixture->state->addr.adc[0][1].channel[1].y = 48;
    assert_int_equal(unpacr(fixture, SRCB), STEP_DONE);
    fixture->state->addr.adc[0][1].channel[1].y = 49;
    assert_int_equal(unpacr(fixture, SRCB), STEP_STOP);
}

/* A tile of rows that the packer compressed: 16-bit row start indices, then 32 datums and 32 deltas alternating. */
static void compressed_rows_are_found_and_expanded(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC1_REG2_Disable_zero_compress_cntx0, 0);
    set(fixture, THCON_SEC1_REG0_TileDescriptor_ADDR32, 16, 16, 16);   /* XDim */
    set(fixture, THCON_SEC1_REG0_TileDescriptor_ADDR32 + 1, 0, 32, 3); /* YDim 3, ZDim 1 */
    fixture->state->addr.adc[0][1].channel[0].y = 1;
    fixture->state->addr.adc[0][1].channel[1].x = 15;
    static const uint8_t starts[8] = {0, 0, 30, 0, 34, 0, 50, 0};
    uint8_t *body = fixture->l1.bytes + BASE + 16;
    memcpy(body, starts, sizeof starts);
    uint8_t *data = body + 16;
    memset(data, 0, 2 * 32 + 16 + 2 * 32 + 16);
    for (unsigned i = 0; i < 34; i++) {
        uint8_t *datum = data + i / 32 * (64 + 16) + i % 32 * 2;
        datum[0] = (uint8_t)i;
        datum[1] = 0x40;
    }
    data[64 + 15] = 0x52;      /* two zeroes after datum 30, five after 31 */
    data[64 + 16 + 64] = 0x03; /* three after datum 32, none after 33 */
    assert_int_equal(unpacr(fixture, SRCB), STEP_DONE);
    for (unsigned i = 0; i < 16; i++) {
        uint32_t expected = i == 0 ? 0x401e : i == 3 ? 0x401f : i == 9 ? 0x4020 : i == 13 ? 0x4021 : 0;
        assert_int_equal(srcb(fixture, i), expected << 16);
    }
}

/* RowSearch takes the columns between two of the blobs that the descriptor divides a plane into. */
static void row_search_unpacks_a_blob(void **state)
{
    struct fixture *fixture = *state;
    unsigned descriptor = THCON_SEC1_REG0_TileDescriptor_ADDR32;
    set(fixture, descriptor, 8, 3, 4);                /* blobs per plane */
    set(fixture, descriptor + 2, 16, 16, 0x9420 | 0); /* they begin at 0, 32, 64, 144 */
    struct adc *adc = &fixture->state->addr.adc[0][1];
    adc->channel[0].y = adc->channel[0].x = 2;
    struct args_UNPACR args = SRCB;
    args.RowSearch = 1;
    assert_int_equal(unpacr(fixture, args), STEP_DONE);
    assert_int_equal(srcb(fixture, 0), half(fixture, 64) << 16);
    assert_int_equal(srcb(fixture, 79), half(fixture, 143) << 16);
    assert_int_equal(srcb(fixture, 80), 0);
}

/* An address beyond the limit is reduced by the size of the FIFO, checked after every row. */
static void addresses_wrap_at_the_end_of_a_fifo(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC1_REG2_Unpack_limit_address, (BASE + 16 + 64 * 3) / 16 - 1);
    SET(THCON_SEC1_REG2_Unpack_fifo_size, 64 * 3 / 16);
    assert_int_equal(unpacr(fixture, SRCB), STEP_DONE);
    for (unsigned i = 0; i < 256; i++) {
        assert_int_equal(srcb(fixture, i), half(fixture, i % 96) << 16);
    }
}

static void bf16_goes_to_16_bit_dst(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC0_REG2_Unpack_if_sel_cntx0, 1);
    SET(THCON_SEC0_REG5_Dest_cntx0_address, 16 * (4 + 1020) + 3);
    SET_THREAD(SRCA_SET_SetOvrdWithAddr, 0);
    assert_int_equal(unpacr(fixture, (struct args_UNPACR){.OvrdThreadId = 1}), STEP_DONE);
    const struct dst_register_file *dst = &fixture->state->dst;
    for (unsigned i = 0; i < 256; i++) {
        unsigned place = 1020 * 16 + 3 + i;
        assert_int_equal(dst->rows[place / 16 % 1024][place % 16], half(fixture, i)); /* rows wrap at 1024 */
        assert_true(dst->valid[place / 16 % 1024]);
    }
    assert_false(dst->valid[1019]);
}

static void fp16_and_integers_keep_hardwares_bits_in_dst(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC0_REG2_Unpack_if_sel_cntx0, 1);
    SET_THREAD(SRCA_SET_SetOvrdWithAddr, 0);
    set_formats(fixture, FORMAT_FP16, FORMAT_FP16);
    assert_int_equal(unpacr(fixture, (struct args_UNPACR){.OvrdThreadId = 1}), STEP_DONE);
    assert_int_equal(dst_to_fp16(fixture->state->dst.rows[2][5]), half(fixture, 37));
    set_formats(fixture, FORMAT_INT16, FORMAT_INT16);
    assert_int_equal(unpacr(fixture, (struct args_UNPACR){.OvrdThreadId = 1}), STEP_DONE);
    assert_int_equal(dst_to_hardware(fixture->state->dst.rows[2][5]), half(fixture, 37));
}

static void dst_goes_with_neither_transposition_nor_override(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC0_REG2_Unpack_if_sel_cntx0, 1);
    assert_int_equal(unpacr(fixture, SRCA), STEP_STOP);
    SET_THREAD(SRCA_SET_SetOvrdWithAddr, 0);
    SET(THCON_SEC0_REG2_Haloize_mode, 1);
    assert_int_equal(unpacr(fixture, SRCA), STEP_STOP);
}

static void transposition_needs_aligned_data(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC0_REG2_Haloize_mode, 1);
    fixture->state->addr.adc[0][0].channel[0].x = 1;
    assert_int_equal(unpacr(fixture, SRCA), STEP_STOP);
}

static void unpacker_1_does_not_transpose(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC1_REG2_Haloize_mode, 1);
    assert_int_equal(unpacr(fixture, SRCB), STEP_DONE);
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
    assert_int_equal(srcb(fixture, 1), half(fixture, 1) << 16);
}

static void an_exponent_beyond_five_bits_is_unpredictable(void **state)
{
    struct fixture *fixture = *state;
    set_formats(fixture, FORMAT_BFP8A, FORMAT_BFP8A);
    memset(fixture->l1.bytes + BASE + 16, 15, 64);
    memset(fixture->l1.bytes + BASE + 16 + 64, 0x40, 1024);
    assert_int_equal(unpacr(fixture, SRCB), STEP_DONE);
    assert_int_equal(srcb(fixture, 0), 15u << 23);
    assert_int_equal(fixture->diagnostics.count, 0);
    fixture->l1.bytes[BASE + 16] = 33;
    assert_int_equal(unpacr(fixture, SRCB), STEP_DONE);
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_UNPREDICTABLE_VALUE);
}

/* Instruction description of tt-llk: "broadcast starting row into adjacent 8 rows on SrcB". */
static void srcb_bcast_repeats_a_row(void **state)
{
    struct fixture *fixture = *state;
    struct args_UNPACR args = SRCB;
    args.srcb_bcast = 1;
    fixture->state->addr.adc[0][1].channel[1].x = 13;
    fixture->state->srcb.unpacker_row[0] = 16;
    memset(fixture->state->srcb.rows, 0xff, sizeof fixture->state->srcb.rows);
    assert_int_equal(unpacr(fixture, args), STEP_DONE);
    for (unsigned row = 15; row < 25; row++) {
        for (unsigned column = 0; column < 16; column++) {
            bool written = row >= 16 && row < 24 && column < 14;
            assert_int_equal(srcb(fixture, row * 16 + column), written ? half(fixture, column) << 16 : 0xffffffff);
        }
    }
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

static void srcb_bcast_of_more_than_a_row_is_not_supported(void **state)
{
    struct fixture *fixture = *state;
    struct args_UNPACR args = SRCB;
    args.srcb_bcast = 1;
    assert_int_equal(unpacr(fixture, args), STEP_STOP);
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_UNSUPPORTED);
    assert_int_equal(srcb(fixture, 0), 0);
    args.Unpack_block_selection = 0; /* no SrcB: ignored, with a warning */
    assert_int_equal(unpacr(fixture, args), STEP_DONE);
    assert_int_equal(fixture->state->srca.rows[0][3][5], half(fixture, 3 * 16 + 5) << 16);
}

/* Comment on the field in the vendor's kernel library: "Counter will wrap around when value is equal to
   Contex_count_non_log2". */
static void context_counts_need_not_be_powers_of_two(void **state)
{
    struct fixture *fixture = *state;
    const struct args_UNPACR increment = {.Unpack_block_selection = 0, .CfgContextCntInc = 1};
    SET(THCON_SEC0_REG2_Context_count_non_log2_en, 1);
    SET(THCON_SEC0_REG2_Context_count_non_log2, 4);
    for (unsigned i = 1; i <= 12; i++) {
        assert_int_equal(unpacr(fixture, increment), STEP_DONE);
        assert_int_equal(fixture->state->unpack.context_counter[0][0], i % 5);
    }
    assert_int_equal(fixture->diagnostics.count, 1);
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
    diagnostics_set_policy(&fixture->diagnostics, BH_POLICY_STRICT);
    assert_int_equal(unpacr(fixture, increment), STEP_STOP);
    assert_int_equal(fixture->state->unpack.context_counter[0][0], 2);
}

/* Of a compressed row, the datums from X of channel 0 on are kept, the others expanded and dropped. */
static void part_of_a_compressed_row_can_be_unpacked(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC1_REG2_Disable_zero_compress_cntx0, 0);
    set(fixture, THCON_SEC1_REG0_TileDescriptor_ADDR32 + 1, 0, 32, 1);
    uint8_t *body = fixture->l1.bytes + BASE + 16;
    memset(body, 0, 16 + 64);
    memset(body + 16 + 64, 0x11, 16); /* one zero after each datum */
    for (unsigned i = 0; i < 32; i++) {
        body[16 + 2 * i] = (uint8_t)(i + 1);
    }
    fixture->state->addr.adc[0][1].channel[0].x = 5;
    fixture->state->addr.adc[0][1].channel[1].x = 10;
    memset(fixture->state->srcb.rows, 0xff, sizeof fixture->state->srcb.rows);
    assert_int_equal(unpacr(fixture, SRCB), STEP_DONE);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(srcb(fixture, i), i % 2 ? (i / 2 + 4) << 16 : 0);
    }
    assert_int_equal(srcb(fixture, 6), 0xffffffff);
}

/* Row search in a compressed tile gives the blobs from index Y up to index X + 1. */
static void row_search_finds_compressed_rows(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC1_REG2_Disable_zero_compress_cntx0, 0);
    set(fixture, THCON_SEC1_REG0_TileDescriptor_ADDR32 + 1, 0, 32, 3);
    static const uint8_t starts[8] = {0, 0, 4, 0, 9, 0, 12, 0};
    uint8_t *body = fixture->l1.bytes + BASE + 16;
    memset(body, 0, 16 + 64 + 16);
    memcpy(body, starts, sizeof starts);
    for (unsigned i = 0; i < 32; i++) {
        body[16 + 2 * i] = (uint8_t)(i + 1);
    }
    struct adc *adc = &fixture->state->addr.adc[0][1];
    adc->channel[0].y = adc->channel[0].x = 1;
    struct args_UNPACR args = SRCB;
    args.RowSearch = 1;
    assert_int_equal(unpacr(fixture, args), STEP_DONE);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(srcb(fixture, i), i < 5 ? (i + 5) << 16 : 0);
    }
}

/* The last blob ends where the plane does, of which nine bits count. */
static void the_last_blob_ends_with_the_plane(void **state)
{
    struct fixture *fixture = *state;
    unsigned descriptor = THCON_SEC1_REG0_TileDescriptor_ADDR32;
    set(fixture, descriptor, 8, 3, 3);
    set(fixture, descriptor, 16, 16, 0x200 + 112);
    set(fixture, descriptor + 2, 16, 16, 0x420);
    struct adc *adc = &fixture->state->addr.adc[0][1];
    adc->channel[0].y = adc->channel[0].x = 2;
    struct args_UNPACR args = SRCB;
    args.RowSearch = 1;
    assert_int_equal(unpacr(fixture, args), STEP_DONE);
    assert_int_equal(srcb(fixture, 47), half(fixture, 111) << 16);
    assert_int_equal(srcb(fixture, 48), 0);
}

/* Contexts 4 to 7 have bits and formats of their own beside those of contexts 0 to 3, and share their dimensions. */
static void every_context_has_fields_of_its_own(void **state)
{
    struct fixture *fixture = *state;
    SET(THCON_SEC0_REG2_Disable_zero_compress_cntx0, 0);
    SET(THCON_SEC0_REG2_Disable_zero_compress_cntx7, 1);
    SET(THCON_SEC0_REG2_Unpack_if_sel_cntx3, 1);
    SET(THCON_SEC0_REG2_Unpack_if_sel_cntx7, 0);
    SET(THCON_SEC0_REG2_Ovrd_data_format, 1);
    SET(THCON_SEC0_REG7_Unpack_data_format_cntx3, FORMAT_BF16);
    SET(THCON_SEC0_REG7_Unpack_out_data_format_cntx3, FORMAT_BF16);
    SET(THCON_SEC0_REG7_Unpack_data_format_cntx7, FORMAT_FP16);
    SET(THCON_SEC0_REG7_Unpack_out_data_format_cntx7, FORMAT_FP16);
    SET(THCON_SEC0_REG4_Base_cntx7_address, BASE / 16);
    SET(THCON_SEC0_REG7_Offset_cntx3_address, 0);
    SET(THCON_SEC0_REG5_Tile_x_dim_cntx2, 64);
    SET(THCON_SEC0_REG5_Tile_x_dim_cntx3, 32);
    SET(THCON_SEC0_REG5_Dest_cntx2_address, 0);
    SET(THCON_SEC0_REG5_Dest_cntx3_address, 64 + 16);
    fixture->state->addr.adc[0][0].channel[0].z = 1;
    struct args_UNPACR args = SRCA;
    args.CfgContextId = 7;
    assert_int_equal(unpacr(fixture, args), STEP_DONE);
    uint32_t fp16 = half(fixture, 32);
    assert_int_equal(srca(fixture, 16), (fp16 & 0x8000) << 16 | (fp16 & 0x7fff) << 13);
    assert_int_equal(fixture->state->srca.format[0], FORMAT_FP16);
}

static void what_is_not_there_is_undefined(void **state)
{
    struct fixture *fixture = *state;
    struct args_UNPACR args = SRCB;
    args.CfgContextId = 2;
    assert_int_equal(unpacr(fixture, args), STEP_STOP); /* unpacker 1 has two contexts */
    args = SRCB;
    args.AddrCntContextId = 3;
    assert_int_equal(unpacr(fixture, args), STEP_STOP); /* there are three ADCs */
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_UNDEFINED_BEHAVIOR);
}

/* NoBFPExpSection removes the exponents' section from formats of four and two bits, not of eight. */
static void the_exponents_section_can_be_left_out_of_bfp4(void **state)
{
    struct fixture *fixture = *state;
    for (unsigned is_bfp8 = 0; is_bfp8 < 2; is_bfp8++) {
        set_formats(fixture, is_bfp8 ? FORMAT_BFP8 : FORMAT_BFP4, is_bfp8 ? FORMAT_BFP8 : FORMAT_BFP4);
        set(fixture, THCON_SEC1_REG0_TileDescriptor_ADDR32, 5, 1, 1);
        uint8_t *body = fixture->l1.bytes + BASE + 16;
        memset(body, 127, 64);
        body[0] = 0x44;
        body[64] = 0x40;
        assert_int_equal(unpacr(fixture, SRCB), STEP_DONE);
        const uint32_t *row = fixture->state->srcb.rows[is_bfp8][0];
        assert_int_equal(row[0], 0x44u << 23);
    }
}

static void integers_of_eight_bits_may_be_unsigned(void **state)
{
    struct fixture *fixture = *state;
    set_formats(fixture, FORMAT_INT8, FORMAT_INT8);
    fixture->l1.bytes[BASE + 16] = 0x81;
    assert_int_equal(unpacr(fixture, SRCB), STEP_DONE);
    assert_int_equal(fixture->state->srcb.rows[0][0][0], 0x80000000 | 0x4001 << 13);
    SET(ALU_FORMAT_SPEC_REG0_SrcBUnsigned, 1);
    assert_int_equal(unpacr(fixture, SRCB), STEP_DONE);
    assert_int_equal(fixture->state->srcb.rows[1][0][0], 0x4081 << 13);
    assert_int_equal(unpacr(fixture, SRCA), STEP_DONE);
    assert_int_equal(fixture->state->srca.rows[0][0][0], 0x80000000 | 0x4001 << 13);
}

static void fp8_has_two_kinds(void **state)
{
    struct fixture *fixture = *state;
    set_formats(fixture, FORMAT_FP8, FORMAT_FP8);
    fixture->l1.bytes[BASE + 16] = 0x3c;
    assert_int_equal(unpacr(fixture, SRCB), STEP_DONE);
    assert_int_equal(fixture->state->srcb.rows[0][0][0], 0x3c00 << 13); /* e5m2: 1.0 */
    SET(THCON_SEC1_REG1_Unp_LF8_4b_exp, 1);
    assert_int_equal(unpacr(fixture, SRCB), STEP_DONE);
    assert_int_equal(fixture->state->srcb.rows[1][0][0], 0x3e00 << 13); /* e4m3: 1.5 */
}

/* Collects rows into a contiguous tile, to compare with Tileize_mode. */
static void gather_rows(struct fixture *fixture, unsigned from, unsigned to, unsigned stride, unsigned row,
                        unsigned size)
{
    for (unsigned done = 0; done < size; done += row) {
        memmove(fixture->l1.bytes + to + done, fixture->l1.bytes + from + done / row * stride, row);
    }
}

/* UNPACR_Regular.md: with Tileize_mode each row of 32 datums (of eight bits: 16) begins `stride` bytes after the last.
   So the result is that of the same rows, contiguous, without the mode: for any number of datums, to any row,
   transposed or not. */
static void tileize_mode_finds_rows_apart(void **state)
{
    enum { ROUNDS = 1500, TILE = BASE + 0x20000, GATHERED = BASE + 0x80000 };
    static const enum data_format formats[][2] = {
        {FORMAT_BF16, FORMAT_BF16}, {FORMAT_FP16, FORMAT_FP16},   {FORMAT_FP32, FORMAT_TF32},
        {FORMAT_FP32, FORMAT_BF16}, {FORMAT_FP32, FORMAT_FP16},   {FORMAT_INT8, FORMAT_INT8},
        {FORMAT_FP8, FORMAT_FP16},  {FORMAT_INT16, FORMAT_INT16},
    };
    struct fixture *fixture = *state;
    struct tensix_state *tensix = fixture->state;
    uint64_t random = 0xda3e39cb94b95bdb;
    unsigned in_one_call = 0;
    for (unsigned i = TILE; i < TILE + 0x40000; i++) {
        fixture->l1.bytes[i] = (uint8_t)xorshift64_word(&random);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        const enum data_format *format = formats[xorshift64_word(&random) % COUNT_OF(formats)];
        unsigned bytes = format_bits(format[0]) / 8, row = bytes == 1 ? 16 : 32 * bytes;
        bool transpose = xorshift64_word(&random) % 4 == 0;
        unsigned stride = 16 * (xorshift64_word(&random) % 0x100), datums = 16 + xorshift64_word(&random) % 1008;
        unsigned first_row = xorshift64_word(&random) % 64;
        datums = xorshift64_word(&random) % 4 ? (datums + 255) & ~255u : datums;
        set_formats(fixture, format[0], format[1]);
        set(fixture, THCON_SEC0_REG0_TileDescriptor_ADDR32, 0, 32, format[0] | 1 << 4 | 1024u << 16);
        SET(THCON_SEC0_REG5_Tile_x_dim_cntx0, 1024);
        SET(THCON_SEC0_REG2_Haloize_mode, transpose);
        tensix->addr.adc[0][0].channel[1].x = datums - 1;
        tensix->addr.adc[0][0].channel[1].y = first_row;
        memset(&tensix->srca, 0xa5, sizeof tensix->srca.rows);
        tensix->srca.owner[0] = tensix->srca.owner[1] = SRC_UNPACKERS;
        tensix->srca.unpacker_bank = 0;

        SET(THCON_SEC0_REG2_Tileize_mode, 1);
        SET(THCON_SEC0_REG2_Shift_amount_cntx0, stride >> 4);
        SET(THCON_SEC0_REG2_Shift_amount_cntx1, stride >> 8);
        SET(THCON_SEC0_REG2_Shift_amount_cntx2, stride >> 12);
        SET(THCON_SEC0_REG3_Base_address, TILE / 16 - 1);
        assert_int_equal(unpacr(fixture, SRCA), STEP_DONE);
        SET(THCON_SEC0_REG2_Tileize_mode, 0);
        set(fixture, THCON_SEC0_REG2_Shift_amount_cntx0_ADDR32, THCON_SEC0_REG2_Shift_amount_cntx0_SHAMT, 12, 0);
        gather_rows(fixture, TILE, GATHERED, stride, row, datums * bytes);
        SET(THCON_SEC0_REG3_Base_address, GATHERED / 16 - 1);
        assert_int_equal(unpacr(fixture, SRCA), STEP_DONE);
        assert_memory_equal(tensix->srca.rows[0], tensix->srca.rows[1], sizeof tensix->srca.rows[0]);
        in_one_call += !transpose && datums * bytes % row == 0 && first_row * 16 + datums <= 1024;
    }
    assert_in_range(in_one_call, ROUNDS / 8, ROUNDS);
    assert_int_equal(fixture->diagnostics.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(upsampling_inserts_zeroes),
        TEST(upsampling_may_leave_what_is_between),
        TEST(zero_write_ignores_the_data),
        TEST(rows_of_srca_before_the_fifth_are_skipped),
        TEST(a_column_shift_drops_the_first_columns),
        TEST(src_row_is_where_a_set_of_rows_begins),
        TEST(srcb_has_no_row_64),
        TEST(compressed_rows_are_found_and_expanded),
        TEST(row_search_unpacks_a_blob),
        TEST(addresses_wrap_at_the_end_of_a_fifo),
        TEST(bf16_goes_to_16_bit_dst),
        TEST(fp16_and_integers_keep_hardwares_bits_in_dst),
        TEST(dst_goes_with_neither_transposition_nor_override),
        TEST(transposition_needs_aligned_data),
        TEST(unpacker_1_does_not_transpose),
        TEST(an_exponent_beyond_five_bits_is_unpredictable),
        TEST(srcb_bcast_repeats_a_row),
        TEST(srcb_bcast_of_more_than_a_row_is_not_supported),
        TEST(context_counts_need_not_be_powers_of_two),
        TEST(part_of_a_compressed_row_can_be_unpacked),
        TEST(row_search_finds_compressed_rows),
        TEST(the_last_blob_ends_with_the_plane),
        TEST(every_context_has_fields_of_its_own),
        TEST(what_is_not_there_is_undefined),
        TEST(the_exponents_section_can_be_left_out_of_bfp4),
        TEST(integers_of_eight_bits_may_be_unsigned),
        TEST(tileize_mode_finds_rows_apart),
        TEST(fp8_has_two_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
