/* Zero compression, as the ISA documentation's Packers/Compression.md states its format. */
#include "tensix/units/pack/fixture.h"

enum { ROWS = 16, MOST_KEPT = ROWS * 64 };

/* A tile in L1, taken apart. */
struct compressed {
    unsigned kept;
    uint16_t row_start[ROWS + 1];
    uint32_t datum[MOST_KEPT];
    unsigned zeroes[MOST_KEPT];
};

static void configure_compression(struct fixture *f, enum data_format from, enum data_format to)
{
    configure(f, from, to, (from & 3) == 0);
    SET(f, THCON_SEC0_REG1_Disable_zero_compress, 0);
    SET(f, THCON_SEC0_REG1_Row_start_section_size, 3);
}

static struct compressed take_apart(const struct fixture *f, unsigned rows, uint32_t data, unsigned bits)
{
    struct compressed tile = {.kept = load16(f, DESTINATION + 2 * rows)};
    for (unsigned row = 0; row <= rows; row++) {
        tile.row_start[row] = load16(f, DESTINATION + 2 * row);
    }
    unsigned group_bytes = 32 * bits / 8 + 16;
    for (unsigned i = 0; i < tile.kept; i++) {
        uint32_t group = data + i / 32 * group_bytes;
        memcpy(&tile.datum[i], f->l1_bytes + group + i % 32 * bits / 8, bits / 8);
        tile.zeroes[i] = f->l1_bytes[group + 4 * bits + i % 32 / 2] >> (4 * (i % 2)) & 15;
    }
    return tile;
}

static void every_row_comes_back(void **state)
{
    struct fixture *f = *state;
    configure_compression(f, FORMAT_BF16, FORMAT_BF16);
    uint64_t seed = 7;
    for (unsigned row = 0; row < 4 * ROWS; row++) {
        for (unsigned column = 0; column < 16; column++) {
            bool zero = xorshift64_word(&seed) % (row % 3 ? 12 : 2) != 0 || row < 4;
            f->state.dst.rows[row][column] = zero ? 0 : numbered(row, column);
        }
    }
    for (unsigned row = 0; row < ROWS; row++) {
        RUN_OK(f, THREAD, PACR, .Last = row == ROWS - 1);
    }
    struct compressed tile = take_apart(f, ROWS, DESTINATION + 48, 16);
    assert_int_equal(tile.row_start[0], 0);
    for (unsigned row = 0; row < ROWS; row++) {
        unsigned place = 0, first = tile.row_start[row], end = tile.row_start[row + 1];
        for (unsigned i = first; i < end; i++) {
            assert_int_equal(tile.datum[i], f->state.dst.rows[4 * row + place / 16][place % 16]);
            /* Only the first, the last, and a datum after fifteen zeroes may be zero. */
            bool may_be_zero = i == first || i == end - 1 || tile.zeroes[i - 1] == 15;
            assert_true(tile.datum[i] != 0 || may_be_zero);
            place++;
            for (unsigned zero = 0; zero < tile.zeroes[i]; zero++, place++) {
                assert_int_equal(f->state.dst.rows[4 * row + place / 16][place % 16], 0);
            }
        }
        assert_int_equal(place, 64);
    }
    assert_int_equal(pack_status_read(&f->tensix, 0, THREAD).all_zero_flags, 1);
    assert_int_equal(pack_status_read(&f->tensix, 0, THREAD).last_tile_size, 3 + (tile.kept + 31) / 32 * 5);
}

/* A row of 64 zeroes: kept are the first, one after each fifteen, and the last. */
static void a_row_of_zeroes_keeps_its_ends(void **state)
{
    struct fixture *f = *state;
    configure_compression(f, FORMAT_FP32, FORMAT_FP32);
    memset(f->l1_bytes + DESTINATION, 0xee, 512);
    RUN_OK(f, THREAD, PACR, .Last = 1);
    struct compressed tile = take_apart(f, 1, DESTINATION + 48, 32);
    assert_int_equal(tile.kept, 5);
    static const unsigned zeroes[5] = {15, 15, 15, 14, 0};
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(tile.zeroes[i], zeroes[i]);
    }
    assert_filled(f, DESTINATION + 4, 12, 0);
    assert_filled(f, DESTINATION + 16, 32, 0xee);
    assert_filled(f, DESTINATION + 48 + 128 + 16, 16, 0xee);
}

/* "If the Concat bit is set on a PACR instruction, then the next PACR is a continuation of the same row." */
static void concat_continues_a_row(void **state)
{
    struct fixture *f = *state;
    configure_compression(f, FORMAT_BF16, FORMAT_BF16);
    f->state.dst.rows[0][0] = 0x3f80;
    f->state.dst.rows[4][1] = 0x4000;
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1, .Concat = 1);
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1, .Last = 1);
    struct compressed tile = take_apart(f, 1, DESTINATION + 48, 16);
    assert_int_equal(tile.kept, 4);
    assert_int_equal(tile.zeroes[0], 15);
    assert_int_equal(tile.datum[1], 0);
    assert_int_equal(tile.datum[2], 0x4000);
    assert_int_equal(tile.zeroes[2], 13);
}

/* Sixteen kept data share an exponent, even from different rows; exponents precede the data. */
static void block_floats_share_exponents_among_kept_data(void **state)
{
    struct fixture *f = *state;
    configure_compression(f, FORMAT_BF16, FORMAT_BFP8);
    for (unsigned row = 0; row < 4; row++) {
        f->state.dst.rows[4 * row][0] = f->state.dst.rows[4 * row][15] = (uint16_t)(0x3f80 + 0x80 * row);
    }
    for (unsigned row = 0; row < 4; row++) {
        RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1, .Last = row == 3);
    }
    struct compressed tile = take_apart(f, 4, DESTINATION + 48 + 64, 8);
    assert_int_equal(tile.kept, 8);
    assert_int_equal(f->l1_bytes[DESTINATION + 48], 130);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(tile.datum[i], 0x08 << (i / 2));
        assert_int_equal(tile.zeroes[i], i % 2 ? 0 : 14);
    }
}

static void zero_flags_may_be_disabled(void **state)
{
    struct fixture *f = *state;
    configure_compression(f, FORMAT_FP32, FORMAT_FP32);
    RUN_OK(f, THREAD, PACR, .Last = 1);
    assert_int_equal(pack_status_read(&f->tensix, 0, THREAD).all_zero_flags, 1);
    SET(f, THCON_SEC0_REG1_Disable_pack_zero_flags, 1);
    RUN_OK(f, THREAD, PACR, .Last = 1);
    assert_int_equal(pack_status_read(&f->tensix, 0, THREAD).all_zero_flags, 0);
}

/* "Last and Flush are equivalent for the output address generator." */
static void flush_ends_a_row_and_the_tile(void **state)
{
    struct fixture *f = *state;
    configure_compression(f, FORMAT_BF16, FORMAT_BF16);
    f->state.dst.rows[0][0] = 0x3f80;
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1, .Concat = 1);
    RUN_OK(f, THREAD, PACR, .Flush = 1);
    struct compressed tile = take_apart(f, 1, DESTINATION + 48, 16);
    assert_int_equal(tile.kept, 1);
    assert_int_equal(tile.datum[0], 0x3f80);
    assert_int_equal(tile.zeroes[0], 15);
    assert_false(f->state.pack.tile.row_starts.open);
}

static void a_concat_mask_is_refused(void **state)
{
    struct fixture *f = *state;
    configure_compression(f, FORMAT_BF16, FORMAT_BF16);
    SET(f, PACK_CONCAT_MASK_SEC0_pack_concat_mask, 1);
    ASSERT_STOPPED(f, RUN(f, THREAD, PACR), BH_UNSUPPORTED);
    SET(f, THCON_SEC0_REG1_Disable_zero_compress, 1);
    RUN_OK(f, THREAD, PACR);
}

static void accumulation_does_not_compress(void **state)
{
    struct fixture *f = *state;
    configure_compression(f, FORMAT_BF16, FORMAT_BF16);
    SET(f, THCON_SEC0_REG1_Pack_L1_Acc, 1);
    ASSERT_STOPPED(f, RUN(f, THREAD, PACR), BH_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(every_row_comes_back),       FIXTURE_TEST(a_row_of_zeroes_keeps_its_ends),
        FIXTURE_TEST(concat_continues_a_row),     FIXTURE_TEST(block_floats_share_exponents_among_kept_data),
        FIXTURE_TEST(zero_flags_may_be_disabled), FIXTURE_TEST(flush_ends_a_row_and_the_tile),
        FIXTURE_TEST(a_concat_mask_is_refused),   FIXTURE_TEST(accumulation_does_not_compress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
