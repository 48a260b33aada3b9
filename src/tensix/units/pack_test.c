/* PACR, as the ISA documentation's PACR.md (Blackhole) and Packers/ and the chapter "pack data path" state it. */
#include "tensix/num/formats.h"
#include "tensix/tensix_fixture.h"

enum { THREAD = 2, TILE_ROWS = 64, DESTINATION = 0x20000 };

#define SET(f, name, value) set_field(f, name##_ADDR32, name##_SHAMT, name##_WIDTH, value)

static void set_field(struct fixture *f, unsigned word, unsigned shift, unsigned width, uint32_t value)
{
    uint32_t bits = (uint32_t)((UINT64_C(1) << width) - 1) << shift;
    for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
        f->state.config.bank[bank][word] = (f->state.config.bank[bank][word] & ~bits) | (value << shift & bits);
    }
}

/* Y increments of both channels [3:0] and [9:6], Y clear [5] and [11], Z increment [12] and clear [13] of channel 0. */
enum {
    Y_4 = 4 | 4 << 6,
    Y_CLEAR = 1 << 5 | 1 << 11,
    Y_SRC_CLEAR_DST_4 = 1 << 5 | 4 << 6,
    Z_INCR = 1 << 12,
    Z_CLEAR = 1 << 13
};

/* What the vendor's kernels configure for tiles of four 16x16 faces. */
static void configure(struct fixture *f, enum data_format from, enum data_format to, bool read_32b)
{
    unsigned stride = format_bits(from) / 8;
    SET(f, ALU_FORMAT_SPEC_REG2_Dstacc, from);
    SET(f, THCON_SEC0_REG1_In_data_format, from);
    SET(f, THCON_SEC0_REG1_Out_data_format, to);
    SET(f, THCON_SEC0_REG1_Disable_zero_compress, 1);
    SET(f, THCON_SEC0_REG1_Exp_section_size, to == FORMAT_FP8 || to == FORMAT_INT8 ? 0 : 4);
    SET(f, THCON_SEC0_REG1_L1_Dest_addr, 0x80000000u | (DESTINATION / 16 - 1));
    SET(f, PCK_DEST_RD_CTRL_Read_32b_data, read_32b);
    SET(f, PCK0_ADDR_CTRL_XY_REG_0_Ystride, 16 * stride);
    SET(f, PCK0_ADDR_CTRL_ZW_REG_0_Zstride, 256 * stride);
    SET(f, PCK0_ADDR_CTRL_ZW_REG_0_Wstride, 1024 * stride);
    SET(f, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 16);
    SET(f, PCK_EDGE_OFFSET_SEC0_mask, 0xffff);
    uint16_t *thread = f->state.config.thread[THREAD];
    thread[ADDR_MOD_PACK_SEC0_YsrcIncr_ADDR32] = Y_4;
    thread[ADDR_MOD_PACK_SEC1_YsrcIncr_ADDR32] = Y_CLEAR | Z_CLEAR;
    thread[ADDR_MOD_PACK_SEC2_YsrcIncr_ADDR32] = Y_SRC_CLEAR_DST_4 | Z_INCR;
    f->state.addr.adc[THREAD][ADC_PACKER].channel[1].x = 15;
}

static void pack_tile(struct fixture *f)
{
    for (unsigned i = 0; i < 16; i++) {
        RUN_OK(f, THREAD, PACR, .AddrMode = i == 15 ? 1 : i % 4 == 3 ? 2 : 0, .Last = i == 15);
    }
}

static uint16_t load16(struct fixture *f, uint32_t address)
{
    uint16_t value;
    memcpy(&value, f->l1_bytes + address, sizeof value);
    return value;
}

static void a_tile_of_bf16_goes_to_l1_face_by_face(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_BF16, FORMAT_BF16, false);
    for (unsigned i = 0; i < TILE_ROWS * ROW_COLUMNS; i++) {
        f->state.dst.rows[64 + i / 16][i % 16] = (uint16_t)(0x3f80 + i);
    }
    f->state.addr.adc[THREAD][ADC_PACKER].channel[0].w = 1;
    memset(f->l1_bytes + DESTINATION + 2048, 0xee, 16);
    pack_tile(f);
    for (unsigned i = 0; i < TILE_ROWS * ROW_COLUMNS; i++) {
        assert_int_equal(load16(f, DESTINATION + 2 * i), 0x3f80 + i);
    }
    assert_int_equal(load16(f, DESTINATION + 2048), 0xeeee);
}

static void a_tile_of_fp32_goes_to_l1_from_pairs_of_rows(void **state)
{
    struct fixture *f = *state;
    configure(f, FORMAT_FP32, FORMAT_FP32, true);
    for (unsigned i = 0; i < TILE_ROWS * ROW_COLUMNS; i++) {
        uint32_t row = dst_row32(i / 16), datum = 0x3f800000 + i * 0x1357;
        f->state.dst.rows[row][i % 16] = dst_high_cell(datum);
        f->state.dst.rows[row + DST_LOW_HALF][i % 16] = dst_low_cell(datum);
    }
    pack_tile(f);
    for (unsigned i = 0; i < TILE_ROWS * ROW_COLUMNS; i++) {
        assert_int_equal(l1_load32(&f->l1, DESTINATION + 4 * i), 0x3f800000 + i * 0x1357);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(a_tile_of_bf16_goes_to_l1_face_by_face),
        FIXTURE_TEST(a_tile_of_fp32_goes_to_l1_from_pairs_of_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
