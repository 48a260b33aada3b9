/* Translation: ISA documentation NoC/Coordinates.md ("Translation Algorithm"). */
#include "noc/fixture.h"

static struct niu niu_at_reset(unsigned noc)
{
    struct niu niu = {};
    niu_reset(&niu, noc, 3, 5);
    return niu;
}

static void assert_translates(const struct niu *niu, unsigned x, unsigned y, unsigned raw_x, unsigned raw_y)
{
    uint8_t found_x, found_y;
    niu_translate(niu, x, y, &found_x, &found_y);
    assert_int_equal(found_x, raw_x);
    assert_int_equal(found_y, raw_y);
}

static void both_nocs_reach_the_same_tiles(void **context)
{
    (void)context;
    struct niu niu[2] = {niu_at_reset(0), niu_at_reset(1)};
    for (unsigned y = 2; y < 32; y++) {
        for (unsigned x = 0; x < 32; x++) {
            unsigned noc_x, noc_y;
            if (!noc_from_translated(x, y, &noc_x, &noc_y)) {
                continue;
            }
            assert_translates(&niu[0], x, y, noc_x, noc_y);
            assert_translates(&niu[1], x, y, 16 - noc_x, 11 - noc_y);
        }
    }
}

static void the_top_rows_keep_their_columns(void **context)
{
    (void)context;
    struct niu niu[2] = {niu_at_reset(0), niu_at_reset(1)};
    for (unsigned x = 0; x < 17; x++) {
        assert_translates(&niu[0], x, 1, x, 1);
        assert_translates(&niu[1], x, 1, x, 10);
    }
}

static void tiles_of_a_kind_lie_together(void **context)
{
    (void)context;
    unsigned seen[TILE_SECURITY + 1] = {}, channels[DRAM_CHANNELS] = {};
    for (unsigned y = 2; y < 32; y++) {
        for (unsigned x = y < 12 ? 1 : 8; x < 32; x++) {
            bool listed = (y < 12 && x <= 16 && x != 8 && x != 9) || (y >= 12 && y <= 23 && (x == 17 || x == 18)) ||
                          (y == 24 && x == 19) || (y == 25 && x >= 20) || (x == 8 && y >= 26 && y <= 30);
            unsigned noc_x, noc_y;
            if (!listed) {
                continue;
            }
            assert_true(noc_from_translated(x, y, &noc_x, &noc_y));
            seen[tile_kind_at(x, y)]++;
            if (tile_kind_at(x, y) == TILE_DRAM) {
                /* Three tiles in a row are the same channel. */
                unsigned first_x, first_y;
                assert_true(noc_from_translated(x, 12 + (y - 12) / 3 * 3, &first_x, &first_y));
                assert_int_equal(dram_channel_at(noc_x, noc_y), dram_channel_at(first_x, first_y));
                channels[dram_channel_at(noc_x, noc_y)]++;
            }
        }
    }
    assert_int_equal(seen[TILE_NONE], 0);
    assert_int_equal(seen[TILE_TENSIX], 140);
    assert_int_equal(seen[TILE_DRAM], 24);
    assert_int_equal(seen[TILE_PCIE], 1);
    assert_int_equal(seen[TILE_ETHERNET], 12);
    assert_int_equal(seen[TILE_L2CPU], 4);
    assert_int_equal(seen[TILE_SECURITY], 1);
    for (unsigned i = 0; i < DRAM_CHANNELS; i++) {
        assert_int_equal(channels[i], 3);
    }
}

static void without_translation_coordinates_are_raw(void **context)
{
    (void)context;
    struct niu niu = niu_at_reset(1);
    niu.config[NIU_CFG_0] &= ~(1u << 14);
    assert_translates(&niu, 3, 5, 3, 5);
    assert_translates(&niu, 17, 12, 17, 12);
}

/* Tables and masks as any firmware may set them, entry by entry. */
static void tables_and_masks_decide(void **context)
{
    (void)context;
    struct niu niu = niu_at_reset(0);
    uint32_t *x_table = &niu.config[NOC_X_ID_TRANSLATE_TABLE], *y_table = &niu.config[NOC_Y_ID_TRANSLATE_TABLE];
    x_table[4] = 7 << 5;   /* x 25 */
    y_table[5] = 9 << 5;   /* y 31 */
    y_table[0] = 11 << 25; /* y 5 */
    assert_translates(&niu, 25, 31, 7, 9);
    assert_translates(&niu, 25, 5, 7, 11);
    niu.config[NOC_ID_TRANSLATE_COL_MASK] = 1 << 25;
    assert_translates(&niu, 25, 5, 7, 5);
    niu.config[NOC_ID_TRANSLATE_ROW_MASK] = 1 << 5;
    assert_translates(&niu, 25, 5, 25, 5);
    /* The DRAM columns have a table of their own where it is enabled, and can be exchanged row by row. */
    niu.config[DDR_COORD_TRANSLATE_TABLE + 5] = 1 << 10 | 1 << 11;
    niu.config[DDR_COORD_TRANSLATE_TABLE] = 4 << 10; /* y 2 */
    assert_translates(&niu, 9, 2, 9, 4);
    niu.config[DDR_COORD_TRANSLATE_COL_SWAP] = 1 << 2;
    assert_translates(&niu, 9, 2, 0, 4);
    assert_translates(&niu, 0, 2, 9, 4);
}

/* The tables of a tile's own NIU are what counts. */
static void a_tile_can_be_misled(void **context)
{
    struct fixture *fixture = *context;
    put_word(fixture, 7, 5, 0x500, 42);
    put_word(fixture, 4, 4, 0xFFB20118, get_word(fixture, 4, 4, 0xFFB20118) & ~(0x1fu << 5)); /* x 1 becomes 0 ... */
    put_word(fixture, 4, 4, 0xFFB20118, get_word(fixture, 4, 4, 0xFFB20118) | 7 << 5);        /* ... and then 7 */
    do_command(fixture, &(struct command){.x = 4,
                                          .y = 4,
                                          .ctrl = CMD_READ,
                                          .target = 0x500,
                                          .target_at = at(1, 5),
                                          .back = 0x600,
                                          .back_at = at(4, 4),
                                          .length = 4});
    assert_int_equal(get_word(fixture, 4, 4, 0x600), 42);
    assert_int_equal(get_word(fixture, 4, 4, 0xFFB20008), at(1, 5)); /* as software wrote it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_nocs_reach_the_same_tiles), cmocka_unit_test(the_top_rows_keep_their_columns),
        cmocka_unit_test(tiles_of_a_kind_lie_together),   cmocka_unit_test(without_translation_coordinates_are_raw),
        cmocka_unit_test(tables_and_masks_decide),        TEST(a_tile_can_be_misled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
