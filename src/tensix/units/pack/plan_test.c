/* PACR of whole rows by a plan gives the same result as without: the same bytes of L1, streams, counters and
   statistics, for any configuration and for every vector width of the host. */
#include "tensix/units/pack/fixture.h"
#include "tensix/units/pack/plan.h"

#include "util/host_vectors.h"

enum { ROUNDS = 6000, SETTLED = 8, L1_USED = 0x8000 };

static uint64_t random_state = 0x60642e2a34326f15;

static uint32_t random32(void)
{
    return xorshift64_word(&random_state);
}

static bool one_in(uint32_t n)
{
    return random32() % n == 0;
}

/* Data whose exponents are near each other, so that block floats and sums have to align them. */
static void fill(struct fixture *f)
{
    for (unsigned row = 0; row < DST_ROWS; row++) {
        uint32_t centre = 0x70 + random32() % 32, any = one_in(8);
        f->state.dst.valid[row] = !one_in(16);
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            uint32_t cell = (random32() & 0x807f) | ((centre + random32() % 12) & 0xff) << 7;
            f->state.dst.rows[row][column] = (uint16_t)(any ? random32() : cell);
        }
    }
    for (unsigned i = 0; i < L1_USED; i++) {
        f->l1_bytes[DESTINATION + i] = (uint8_t)(one_in(2) ? random32() : 0x3f);
    }
}

static void choose_formats(struct fixture *f)
{
    static const struct {
        uint8_t from, to, read_32b;
    } formats[] = {{FORMAT_BF16, FORMAT_BF16, 0},  {FORMAT_BF16, FORMAT_BFP8, 0},   {FORMAT_BF16, FORMAT_BFP4, 0},
                   {FORMAT_BF16, FORMAT_BFP2, 0},  {FORMAT_BF16, FORMAT_FP32, 0},   {FORMAT_BF16, FORMAT_FP16, 0},
                   {FORMAT_FP16, FORMAT_FP16, 0},  {FORMAT_FP16, FORMAT_BFP8A, 0},  {FORMAT_FP16, FORMAT_FP8, 0},
                   {FORMAT_FP32, FORMAT_FP32, 1},  {FORMAT_FP32, FORMAT_BF16, 1},   {FORMAT_FP32, FORMAT_BFP8, 1},
                   {FORMAT_TF32, FORMAT_TF32, 1},  {FORMAT_INT32, FORMAT_INT32, 1}, {FORMAT_INT8, FORMAT_INT8, 1},
                   {FORMAT_INT16, FORMAT_INT16, 0}};
    unsigned i = random32() % COUNT_OF(formats);
    configure(f, (enum data_format)formats[i].from, (enum data_format)formats[i].to, formats[i].read_32b);
}

static void choose_settings(struct fixture *f)
{
    memset(&f->state.config, 0, sizeof f->state.config);
    choose_formats(f);
    SET(f, PCK_DEST_RD_CTRL_Read_int8, one_in(8));
    SET(f, PCK_DEST_RD_CTRL_Read_unsigned, one_in(8));
    SET(f, PCK_DEST_RD_CTRL_Round_10b_mant, one_in(8));
    SET(f, STACC_RELU_ApplyRelu, one_in(2) ? random32() % 4 : 0);
    SET(f, STACC_RELU_ReluThreshold, 0x3c00 + random32() % 0x400);
    SET(f, THCON_SEC0_REG1_Exp_threshold_en, one_in(8));
    SET(f, THCON_SEC0_REG1_Exp_threshold, random32() & 0xff);
    SET(f, THCON_SEC0_REG1_Pack_L1_Acc, one_in(3));
    SET(f, THCON_SEC0_REG1_Disable_zero_compress, !one_in(16));
    SET(f, INT_DESCALE_Enable, one_in(4));
    SET(f, INT_DESCALE_VALUES_SEC0_Value, random32());
    SET(f, DEST_ACCESS_CFG_remap_addrs, one_in(2));
    SET(f, DEST_ACCESS_CFG_swizzle_32b, one_in(2));
    SET(f, DEST_TARGET_REG_CFG_PACK_SEC0_Offset, random32() % 64 * 4);
    SET(f, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, one_in(4) ? random32() % 32 : 16);
    if (one_in(4)) {
        SET(f, PCK_EDGE_OFFSET_SEC1_mask, random32());
        SET(f, TILE_ROW_SET_MAPPING_0_row_set_mapping_0, random32());
        SET(f, TILE_ROW_SET_MAPPING_0_row_set_mapping_3, random32());
        SET(f, PCK_EDGE_MODE_mode, one_in(2));
    }
    f->state.config.thread[0][ENABLE_ACC_STATS_Enable_ADDR32] = one_in(16) << ENABLE_ACC_STATS_Enable_SHAMT;
    f->state.dst.only_row32 = one_in(4);
    for (unsigned mode = 0; mode < 4; mode++) {
        set_addr_mod(f, mode, (uint16_t)(one_in(2) ? Y_4 : random32() & 0xf3ff));
    }
    *packer_adc(f) = (struct adc){.channel[1].x = one_in(16) ? random32() % 16 : ROW_COLUMNS - 1};
    packer_adc(f)->channel[0].y = random32() % 16;
}

/* Bits of PACR's fields; Last is bit 0. */
enum {
    PACR_FLUSH = 1,
    PACR_CONCAT = 4,
    PACR_READ_INTF_SEL = 8,
    PACR_ZERO_WRITE = 12,
    PACR_ADDR_MODE = 15,
    PACR_DST_ACCESS_MODE = 17,
    PACR_ROW_PAD_ZERO = 18
};

/* Most words select four rows, or the first of four. */
static uint32_t choose_word(void)
{
    static const uint8_t interfaces[] = {0, 0, 0, 1, 3, 7, 15, 2};
    uint32_t fields = 0;
    fields |= (uint32_t)interfaces[random32() % 8] << PACR_READ_INTF_SEL | (random32() & 3) << PACR_ADDR_MODE;
    fields |= (uint32_t)one_in(4) << PACR_DST_ACCESS_MODE | (uint32_t)one_in(32) << PACR_ZERO_WRITE;
    fields |= one_in(32) ? (random32() & 7) << PACR_ROW_PAD_ZERO : 0;
    fields |= (uint32_t)one_in(16) << PACR_CONCAT | (uint32_t)one_in(32) << PACR_FLUSH | one_in(3);
    return (uint32_t)TENSIX_OPCODE_PACR << 24 | fields;
}

static void assert_same_stream(struct pack_stream stream, struct pack_stream other)
{
    assert_int_equal(stream.open, other.open);
    assert_int_equal(stream.address, other.address);
}

static void assert_same_tile(const struct pack_unit *pack, const struct pack_unit *other)
{
    assert_same_stream(pack->tile.data, other->tile.data);
    assert_same_stream(pack->tile.exponents, other->tile.exponents);
    assert_same_stream(pack->tile.row_starts, other->tile.row_starts);
    assert_int_equal(pack->tile.address, other->tile.address);
    assert_int_equal(pack->tile.datums, other->tile.datums);
    assert_int_equal(pack->tile.group_datums, other->tile.group_datums);
    assert_int_equal(pack->tile.plane, other->tile.plane);
    assert_int_equal(pack->tile.bfp, other->tile.bfp);
    assert_int_equal(pack->tile.bits, other->tile.bits);
    assert_memory_equal(pack->group, other->group, sizeof pack->group);
}

static void assert_same(struct fixture *f, struct fixture *other)
{
    const struct pack_unit *pack = &f->state.pack, *of_other = &other->state.pack;
    assert_memory_equal(f->l1_bytes + DESTINATION, other->l1_bytes + DESTINATION, L1_USED);
    assert_memory_equal(packer_adc(f), packer_adc(other), sizeof(struct adc));
    assert_same_tile(pack, of_other);
    assert_int_equal(pack->tile_position, of_other->tile_position);
    assert_memory_equal(pack->exponent_histogram, of_other->exponent_histogram, sizeof pack->exponent_histogram);
    assert_int_equal(pack->max_exponent, of_other->max_exponent);
    assert_int_equal(pack->last_thread, of_other->last_thread);
    assert_int_equal(pack->last_tile_size, of_other->last_tile_size);
    assert_int_equal(pack->accumulated_tile_size[THREAD], of_other->accumulated_tile_size[THREAD]);
    assert_int_equal(f->diagnostics.count, other->diagnostics.count);
}

/* Sets both up alike. Tiles begin at the same address each time, so that they stay in the compared part of L1. */
static void settle(struct fixture *f, struct fixture *other)
{
    fill(f);
    choose_settings(f);
    f->state.pack = (struct pack_unit){0};
    f->diagnostics.count = 0;
    memcpy(&other->state, &f->state, sizeof f->state);
    memcpy(&other->diagnostics, &f->diagnostics, sizeof f->diagnostics);
    memcpy(other->l1_bytes + DESTINATION, f->l1_bytes + DESTINATION, L1_USED);
}

/* Several PACRs at once are as many alone. Returns how many. */
static uint32_t repeat(struct fixture *f, struct fixture *other, uint32_t word)
{
    uint32_t done = one_in(4) ? pack_as_planned(&f->tensix, THREAD, word, 1 + random32() % 9) : 0;
    for (uint32_t i = 0; i < done; i++) {
        assert_int_equal(execute_PACR(&other->tensix, THREAD, decode_PACR(word)), STEP_DONE);
    }
    assert_same(f, other);
    return done;
}

static void planned_rows_are_packed_as_any_are(void **state)
{
    struct fixture *f = *state, *other;
    void *copy = NULL;
    assert_int_equal(fixture_setup(&copy), 0);
    other = copy;
    const enum host_vectors host = host_vectors;
    unsigned quiet = 0, repeated = 0;
    diagnostics_set_policy(&f->diagnostics, BH_POLICY_SILICON);
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (round % SETTLED == 0) {
            settle(f, other);
            host_vectors = (enum host_vectors)(random32() % (host + 1));
        }
        uint32_t word = choose_word();
        other->state.pack_plan = (struct pack_plan){0};
        f->diagnostics.stopped = other->diagnostics.stopped = false;
        enum step expected = execute_PACR(&other->tensix, THREAD, decode_PACR(word));
        assert_int_equal(tensix_execute(&f->tensix, THREAD, word, 0), expected);
        assert_same(f, other);
        quiet += f->state.pack_plan.quiet;
        repeated += repeat(f, other, word);
    }
    host_vectors = host;
    assert_in_range(quiet, ROUNDS / 4, ROUNDS);
    assert_in_range(repeated, ROUNDS / 16, ROUNDS);
    fixture_teardown(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {FIXTURE_TEST(planned_rows_are_packed_as_any_are)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
