/* UNPACR and UNPACR_NOP, statement by statement. Sources: ISA documentation UNPACR_Regular.md and its neighbours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tensix/execute.h"
#include "tensix/num/formats.h"
#include "tensix/tensix.h"
#include "util/bits.h"

enum { BASE = 0x10000 };

struct fixture {
    struct tensix_state *state;
    struct l1 l1;
    struct diagnostics diagnostics;
    struct tensix tensix;
};

static void set(struct fixture *fixture, unsigned address, unsigned shift, unsigned width, uint32_t value)
{
    for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
        uint32_t *word = &fixture->state->config.bank[bank][address];
        *word = bits_set(*word, shift, width, value);
    }
}

static void set_thread(struct fixture *fixture, unsigned address, unsigned shift, unsigned width, uint32_t value)
{
    for (unsigned thread = 0; thread < 3; thread++) {
        uint16_t *word = &fixture->state->config.thread[thread][address];
        *word = (uint16_t)bits_set(*word, shift, width, value);
    }
}

#define SET(name, value) set(fixture, name##_ADDR32, name##_SHAMT, name##_WIDTH, value)
#define SET_THREAD(name, value) set_thread(fixture, name##_ADDR32, name##_SHAMT, name##_WIDTH, value)

/* Both unpackers: a tile of four 16x16 faces at BASE, its body 16 bytes later; a face to unpack, to row 0 of Src. */
static void set_formats(struct fixture *fixture, enum data_format in, enum data_format out)
{
    unsigned bytes = format_bits(out) == 32 ? 4 : format_bits(out) == 16 ? 2 : 1;
    for (unsigned section = 0; section < 2; section++) {
        unsigned descriptor = THCON_SEC0_REG0_TileDescriptor_ADDR32 + section * 48;
        set(fixture, descriptor, 0, 32, in | 1 << 4 | 256u << 16);
        set(fixture, descriptor + 1, 0, 32, 1 | 4 << 16);
    }
    SET(THCON_SEC0_REG2_Out_data_format, out);
    SET(THCON_SEC1_REG2_Out_data_format, out);
    SET(UNP0_ADDR_CTRL_XY_REG_1_Ystride, 16 * bytes);
    SET(UNP1_ADDR_CTRL_XY_REG_1_Ystride, 16 * bytes);
    SET(UNP0_ADDR_CTRL_ZW_REG_1_Zstride, 256 * bytes);
    SET(UNP1_ADDR_CTRL_ZW_REG_1_Zstride, 256 * bytes);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->state = calloc(1, sizeof *fixture->state);
    l1_create(&fixture->l1, calloc(1, L1_SIZE));
    fixture->tensix =
        (struct tensix){.state = fixture->state, .l1 = &fixture->l1, .diagnostics = &fixture->diagnostics};
    diagnostics_set_policy(&fixture->diagnostics, BH_POLICY_DEFAULT);
    SET(THCON_SEC0_REG3_Base_address, BASE / 16);
    SET(THCON_SEC1_REG3_Base_address, BASE / 16);
    SET(THCON_SEC0_REG2_Disable_zero_compress_cntx0, 1);
    SET(THCON_SEC1_REG2_Disable_zero_compress_cntx0, 1);
    SET(THCON_SEC0_REG5_Dest_cntx0_address, 64);
    SET(THCON_SEC0_REG5_Tile_x_dim_cntx0, 256);
    SET_THREAD(SRCA_SET_SetOvrdWithAddr, 1);
    set_formats(fixture, FORMAT_BF16, FORMAT_BF16);
    for (unsigned unpacker = 0; unpacker < 2; unpacker++) {
        fixture->state->addr.adc[0][unpacker].channel[1].x = 255;
    }
    for (unsigned i = 0; i < 0x4000; i++) {
        fixture->l1.bytes[BASE + 16 + i] = (uint8_t)(i * 167 + (i >> 8) * 13);
    }
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    free(fixture->l1.bytes);
    l1_destroy(&fixture->l1);
    free(fixture->state);
    free(fixture);
    return 0;
}

static uint32_t half(const struct fixture *fixture, unsigned index)
{
    const uint8_t *bytes = fixture->l1.bytes + BASE + 16 + 2 * index;
    return bytes[0] | (uint32_t)bytes[1] << 8;
}

static enum step unpacr(struct fixture *fixture, struct args_UNPACR args)
{
    return execute_UNPACR(&fixture->tensix, 0, args);
}

static const struct args_UNPACR SRCA = {.OvrdThreadId = 1, .SetDatValid = 1, .Last = 1};
static const struct args_UNPACR SRCB = {.Unpack_block_selection = 1, .OvrdThreadId = 1, .SetDatValid = 1, .Last = 1};

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

/* Blackhole reads 32 datums of two bytes before it goes on to the next row. */
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

static void unpacr_nop_clears_a_bank_and_gives_it_away(void **state)
{
    struct fixture *fixture = *state;
    fixture->state->srcb.rows[0][63][15] = 0x3f800000;
    struct args_UNPACR_NOP args = {.Unpacker_Select = 1, .Unpack_Pop = 1, .Set_Dvalid = 1};
    assert_int_equal(execute_UNPACR_NOP(&fixture->tensix, 0, args), STEP_DONE);
    assert_int_equal(fixture->state->srcb.rows[0][63][15], 0);
    assert_int_equal(fixture->state->srcb.owner[0], SRC_MATRIX_UNIT);
    assert_int_equal(fixture->state->srcb.format[0], FORMAT_BF16);
    assert_int_equal(execute_UNPACR_NOP(&fixture->tensix, 0, args), STEP_WAIT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

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
        TEST(unpacr_nop_clears_a_bank_and_gives_it_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
