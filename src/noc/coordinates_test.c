/* Translation: ISA documentation NoC/Coordinates.md ("Translation Algorithm"). */
#include "noc/fixture.h"

static const struct noc_tiles all = {ALL_TENSIX_COLUMNS, ALL_ETHERNET, ALL_DRAM};

static struct noc_translation translation_of(struct noc_tiles tiles)
{
    struct noc_translation translation;
    noc_translation_create(&translation, tiles);
    return translation;
}

static struct niu niu_at_reset(unsigned noc)
{
    struct niu niu = {};
    struct noc_translation translation = translation_of(all);
    niu_reset(&niu, noc, 3, 5, &translation);
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
    struct noc_translation translation = translation_of(all);
    for (unsigned y = 2; y < 32; y++) {
        for (unsigned x = 0; x < 32; x++) {
            unsigned noc_x, noc_y;
            if (!noc_translate(&translation, x, y, &noc_x, &noc_y)) {
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
    struct noc_translation translation = translation_of(all);
    for (unsigned y = 2; y < 32; y++) {
        for (unsigned x = y < 12 ? 1 : 8; x < 32; x++) {
            bool listed = (y < 12 && x <= 16 && x != 8 && x != 9) || (y >= 12 && y <= 23 && (x == 17 || x == 18)) ||
                          (y == 24 && x == 19) || (y == 25 && x >= 20) || (x == 8 && y >= 26 && y <= 30);
            unsigned noc_x, noc_y;
            if (!listed) {
                continue;
            }
            assert_true(noc_translate(&translation, x, y, &noc_x, &noc_y));
            seen[noc_tile_kind(noc_x, noc_y)]++;
            if (noc_tile_kind(noc_x, noc_y) == TILE_DRAM) {
                /* Three tiles in a row are the same channel. */
                unsigned first_x, first_y;
                assert_true(noc_translate(&translation, x, 12 + (y - 12) / 3 * 3, &first_x, &first_y));
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

static void assert_at(const struct noc_translation *translation, unsigned x, unsigned y, unsigned noc_x, unsigned noc_y)
{
    unsigned found_x, found_y;
    assert_true(noc_translate(translation, x, y, &found_x, &found_y));
    assert_int_equal(found_x, noc_x);
    assert_int_equal(found_y, noc_y);
}

/* As tt-umd expects of a p100 whose cluster descriptor has columns 12 and 13 of the die (x 7 and 10) harvested, and
   DRAM channel 3 in the west. */
static void harvested_tiles_come_last(void **context)
{
    (void)context;
    struct noc_translation p100 = translation_of((struct noc_tiles){0x0fff, 0, 0xf7});
    assert_at(&p100, 1, 2, 1, 2);
    assert_at(&p100, 6, 11, 6, 11);
    assert_at(&p100, 7, 2, 11, 2);
    assert_at(&p100, 10, 2, 12, 2);
    assert_at(&p100, 14, 2, 16, 2);
    assert_at(&p100, 16, 2, 7, 2);
    assert_at(&p100, 15, 2, 10, 2);
    assert_false(noc_tile_present(&p100, 7, 2));
    assert_false(noc_tile_present(&p100, 10, 11));
    assert_true(noc_tile_present(&p100, 11, 2));
    assert_at(&p100, 17, 12, 9, 0); /* the side with all channels first */
    assert_at(&p100, 18, 12, 0, 0);
    assert_at(&p100, 18, 18, 0, 9);
    assert_at(&p100, 17, 21, 9, 5); /* opposite of the harvested channel */
    assert_at(&p100, 18, 23, 0, 6);
    assert_false(noc_tile_present(&p100, 0, 6));
    assert_true(noc_tile_present(&p100, 9, 6));
    assert_false(noc_tile_present(&p100, 1, 1));
    struct noc_translation east = translation_of((struct noc_tiles){ALL_TENSIX_COLUMNS, ALL_ETHERNET, 0xdf});
    assert_at(&east, 17, 12, 0, 0);
    assert_at(&east, 18, 15, 9, 9); /* channel 5 is not there: 6 follows 4 */
    assert_at(&east, 18, 21, 9, 2);
}

static void ethernet_tiles_that_are_there_come_first(void **context)
{
    (void)context;
    struct noc_translation p150 = translation_of((struct noc_tiles){ALL_TENSIX_COLUMNS, 0x3edf, ALL_DRAM});
    static const uint8_t columns[12] = {1, 16, 2, 15, 3, 4, 13, 12, 6, 11, 7, 10};
    for (unsigned i = 0; i < 12; i++) {
        assert_at(&p150, 20 + i, 25, columns[i], 1);
    }
}

/* Software asks a tile where it is: translating the answer leads back to the tile. */
static void logical_coordinates_lead_back(void **context)
{
    (void)context;
    static const struct noc_tiles boards[] = {
        {ALL_TENSIX_COLUMNS, 0x0fff, ALL_DRAM}, {0x0fff, 0, 0xf7}, {0x3f5f, 0x3edf, 0xbf}};
    for (unsigned i = 0; i < 3; i++) {
        struct noc_translation translation = translation_of(boards[i]);
        for (unsigned y = 0; y < NOC_HEIGHT; y++) {
            for (unsigned x = 0; x < NOC_WIDTH; x++) {
                unsigned logical_x, logical_y;
                noc_logical(&translation, x, y, &logical_x, &logical_y);
                if (noc_tile_kind(x, y) != TILE_NONE) {
                    assert_at(&translation, logical_x, logical_y, x, y);
                }
            }
        }
    }
    struct niu niu = {};
    struct noc_translation p100 = translation_of((struct noc_tiles){0x0fff, 0, 0xf7});
    niu_reset(&niu, 0, 11, 2, &p100);
    assert_int_equal(niu.config[NOC_ID_LOGICAL], at(7, 2));
    assert_int_equal(niu.config[ROUTER_CFG_1], 1 << 0 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10);
    niu_reset(&niu, 1, 11, 2, &p100);
    assert_int_equal(niu.config[ROUTER_CFG_1], 1 << 16 | 1 << 9 | 1 << 8 | 1 << 7 | 1 << 6);
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
        cmocka_unit_test(both_nocs_reach_the_same_tiles),
        cmocka_unit_test(the_top_rows_keep_their_columns),
        cmocka_unit_test(tiles_of_a_kind_lie_together),
        cmocka_unit_test(harvested_tiles_come_last),
        cmocka_unit_test(ethernet_tiles_that_are_there_come_first),
        cmocka_unit_test(logical_coordinates_lead_back),
        cmocka_unit_test(without_translation_coordinates_are_raw),
        cmocka_unit_test(tables_and_masks_decide),
        TEST(a_tile_can_be_misled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
