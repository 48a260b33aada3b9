/* Accesses of the host through TLB windows: single tiles and rectangles, existing tiles and missing ones. */
#include "chip/pcie/fixture.h"

static void absent_tiles_answer_with_ones(void **context)
{
    struct fixture *fixture = *context;
    static const uint8_t places[][2] = {{8, 3}, {8, 29}, {8, 30}, {11, 0}};
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        uint32_t words[2] = {0, 0};
        unsigned x = places[i][0], y = places[i][1];
        fixture->last = (struct bh_diagnostic){};
        assert_int_equal(bh_read(fixture->device, x, y, 0x1000, words, sizeof words), BH_OK);
        assert_int_equal(words[0] & words[1], 0xffffffff);
        assert_int_equal(fixture->last.category, BH_NON_CONTRACTUAL);
        assert_int_equal(fixture->last.action, BH_WARN);
        assert_int_equal(bh_write(fixture->device, x, y, 0x1000, words, sizeof words), BH_OK);
        assert_int_equal(bh_read(fixture->device, x, y, 0xFFFFFFFFFFB20044, words, 4), BH_OK);
        assert_int_equal(words[0] & 0x3f, x);
    }
    uint32_t word;
    assert_int_equal(get(fixture, point(fixture, 8, 11, 0, 0xFFB20044)) & 0xfff,
                     8 | 11 << 6); /* a tile without a function, which has only a NIU */
    assert_int_equal(get(fixture, point(fixture, 8, 11, 1, 0xFF000044)) & 0xfff, 8);
    assert_int_equal(
        get(fixture, point(fixture, 5, 0, 1, 0xFFFFFFFFFF000044)) & 0xfff,
        5 | 11 << 6); /* over NoC 1, where x of this row counts from the other side: PCIe at (11, 0) of NoC 0 */
    assert_int_equal(get(fixture, point(fixture, 5, 0, 1, 0xFFFFFFFFFF000048)) >> 16 & 0xff, 3);
    assert_int_equal(bh_pci_read(fixture->device, point(fixture, 8, 11, 0, 0), &word, 4), BH_ERROR_ADDRESS);
    assert_said(fixture, BH_UNDEFINED_BEHAVIOR, "there is no tile at (8, 11)");
}

/* "0x????_????_FFB2_0000", "0x????_????_FFB3_0000": the registers are in the middle of memory's addresses. */
static void dram_tiles_have_nius(void **context)
{
    struct fixture *fixture = *context;
    static const uint8_t tiles[][3] = {{17, 12, 0}, {17, 14, 0}, {17, 21, 3}, {18, 12, 4}}; /* and their channels */
    for (unsigned i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
        unsigned x = tiles[i][0], y = tiles[i][1];
        uint32_t id[2], endpoint, logical, memory = 0x12345678;
        assert_int_equal(bh_read(fixture->device, x, y, 0xFFB20044, &id[0], 4), BH_OK);
        assert_int_equal(bh_read(fixture->device, x, y, 0xFFB30044, &id[1], 4), BH_OK);
        assert_true((id[0] & 0x3f) == 0 || (id[0] & 0x3f) == 9);
        assert_int_equal((id[0] & 0x3f) + (id[1] & 0x3f), 16);
        assert_int_equal((id[0] >> 6 & 0x3f) + (id[1] >> 6 & 0x3f), 11);
        assert_int_equal(bh_read(fixture->device, x, y, 0xFFB20048, &endpoint, 4), BH_OK);
        assert_int_equal(endpoint & 0xffffff, 0x080000 | tiles[i][2]);
        assert_int_equal(bh_read(fixture->device, x, y, 0xFFB20148, &logical, 4), BH_OK);
        assert_int_equal(logical, x | y << 6);
        assert_int_equal(bh_write(fixture->device, x, y, 0xFFB20000, &memory, 4), BH_OK);
        assert_int_equal(bh_write(fixture->device, x, y, 0xFFB20044, &memory, 4), BH_OK); /* read-only */
        assert_int_equal(bh_read(fixture->device, x, y, 0xFFB20044, &logical, 4), BH_OK);
        assert_int_equal(logical, id[0]);
    }
}

static void harvested_tiles_are_refused(void **context)
{
    struct fixture *fixture = *context;
    uint32_t word = 0;
    assert_int_equal(bh_write(fixture->device, 16, 5, 0, &word, 4), BH_ERROR_ADDRESS);
    assert_said(fixture, BH_UNDEFINED_BEHAVIOR, "the Tensix tile at coordinates (7, 5) of NoC 0 is harvested");
    assert_int_equal(bh_write(fixture->device, 18, 23, 0, &word, 4), BH_ERROR_ADDRESS);
    assert_said(fixture, BH_UNDEFINED_BEHAVIOR, "DRAM");
    assert_int_equal(bh_write(fixture->device, 20, 25, 0, &word, 4), BH_ERROR_ADDRESS);
    assert_said(fixture, BH_UNDEFINED_BEHAVIOR, "Ethernet");
    assert_int_equal(bh_write(fixture->device, 14, 5, 0, &word, 4), BH_OK);
}

/* Firmware configures their NIUs and switches the clock behind them off: NIU_CFG_0_TILE_CLK_OFF is bit 12. */
static void nius_of_harvested_tiles_answer(void **context)
{
    struct fixture *fixture = *context;
    static const uint8_t tiles[][5] = {{16, 5, 7, 5, 1}, {18, 23, 0, 6, 8}, {1, 1, 1, 1, 2}, {10, 1, 10, 1, 2}};
    for (unsigned i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
        unsigned x = tiles[i][0], y = tiles[i][1], noc_x = tiles[i][2], noc_y = tiles[i][3];
        assert_int_equal(get(fixture, point(fixture, x, y, 0, 0xFFB20044)) & 0xfff, noc_x | noc_y << 6);
        assert_int_equal(get(fixture, point(fixture, x, y, 0, 0xFFB30044)) & 0xfff, (16 - noc_x) | (11 - noc_y) << 6);
        assert_int_equal(get(fixture, point(fixture, x, y, 0, 0xFFB20048)) >> 16, tiles[i][4]);
        assert_int_equal(get(fixture, point(fixture, x, y, 0, 0xFFB20100)) >> 12 & 1, 1);
        put(fixture, point(fixture, x, y, 0, 0xFFB30110), 0x1234);
        assert_int_equal(get(fixture, point(fixture, x, y, 0, 0xFFB30110)), 0x1234);
        uint32_t word;
        assert_int_equal(bh_pci_read(fixture->device, point(fixture, x, y, 0, 0x1000), &word, 4), BH_ERROR_ADDRESS);
        assert_said(fixture, BH_UNDEFINED_BEHAVIOR, "is harvested, only its NIUs answer");
    }
}

/* A read is never a broadcast: the tile answers whose coordinates are in the fields of a single target. */
static void windows_for_multicast_can_be_read(void **context)
{
    struct fixture *fixture = *context;
    uint64_t setup = BAR0 + 0x1FC00000 + 12 * 9, window = BAR0 + (9u << 21);
    put(fixture, setup + 4, 14 << 11 | 11u << 17 | 1 << 23 | 2u << 29);
    put(fixture, setup + 8, 1 << 5);
    put(fixture, window + 0x40, 0xbeef);
    assert_int_equal(get(fixture, window + 0x40), 0xbeef);
    put(fixture, point(fixture, 1, 2, 0, 0x40), 1);
    put(fixture, point(fixture, 14, 11, 0, 0x40), 2);
    put(fixture, setup + 4, 14 << 11 | 11u << 17 | 1 << 23 | 2u << 29);
    put(fixture, setup + 8, 1 << 5);
    assert_int_equal(get(fixture, window + 0x40), 2);
}

/* Only Tensix tiles accept multicast writes, and a write that no tile accepts gives a diagnostic. */
static void multicast_is_for_tensix_tiles(void **context)
{
    struct fixture *fixture = *context;
    uint64_t setup = BAR0 + 0x1FC00000 + 12 * 9, window = BAR0 + (9u << 21);
    put(fixture, point(fixture, 17, 12, 0, 0x40), 5);
    put(fixture, setup + 4, 17 << 11 | 12u << 17 | 17u << 23 | 12u << 29);
    put(fixture, setup + 8, 12 >> 3 | 1 << 5);
    put(fixture, window + 0x40, 0xbeef);
    assert_int_equal(fixture->last.category, BH_NON_CONTRACTUAL);
    assert_non_null(strstr(fixture->last.text, "multicast to (17, 12) .. (17, 12): no Tensix tile is among them"));
    assert_int_equal(get(fixture, point(fixture, 17, 12, 0, 0x40)), 5);
}

/* Multicast skips harvested columns inside the rectangle. */
static void multicast_leaves_harvested_columns_out(void **context)
{
    struct fixture *fixture = *context;
    uint64_t setup = BAR0 + 0x1FC00000 + 12 * 9;
    put(fixture, setup + 4, 14 << 11 | 11u << 17 | 1 << 23 | 2u << 29);
    put(fixture, setup + 8, 1 << 5);
    put(fixture, BAR0 + (9u << 21) + 0x40, 0xbeef);
    for (unsigned x = 1; x <= 14; x++) {
        if (x != 8 && x != 9) {
            for (unsigned y = 2; y <= 11; y++) {
                assert_int_equal(get(fixture, point(fixture, x, y, 0, 0x40)), 0xbeef);
            }
        }
    }
}

/* Broadcasts that a tile starts skip harvested columns, on either NoC. */
static void broadcasts_leave_harvested_columns_out(void **context)
{
    struct fixture *fixture = *context;
    for (uint32_t noc = 0; noc < 2; noc++) {
        /* The rectangle starts at its top left corner on NoC 0, at the bottom right one on NoC 1. */
        uint32_t rectangle = noc ? 1 | 2 << 6 | 14 << 12 | 11 << 18 : 14 | 11 << 6 | 1 << 12 | 2 << 18;
        uint32_t word = 0xb0 + noc,
                 writes[][2] = {{0x00, 0x1000},    {0x04, 0},       {0x08, 1 | 2 << 6}, {0x0c, 0x2000}, {0x10, 0},
                                {0x14, rectangle}, {0x1c, 0x20032}, {0x20, 4},          {0x24, 0},      {0x40, 1}};
        assert_int_equal(bh_write(fixture->device, 1, 2, 0x1000, &word, 4), BH_OK);
        for (unsigned i = 0; i < sizeof writes / sizeof writes[0]; i++) {
            uint32_t address = 0xFFB20000 + 0x10000 * noc + writes[i][0];
            assert_int_equal(bh_write(fixture->device, 1, 2, address, &writes[i][1], 4), BH_OK);
        }
        assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
        for (unsigned x = 1; x <= 14; x++) {
            for (unsigned y = 2; x != 8 && x != 9 && y <= 11; y++) {
                assert_int_equal(bh_read(fixture->device, x, y, 0x2000, &word, 4), BH_OK);
                assert_int_equal(word, 0xb0 + noc);
            }
        }
        assert_int_equal(bh_read(fixture->device, 1, 2, 0xFFB20204 + 0x10000 * noc, &word, 4), BH_OK);
        assert_int_equal(word, 120); /* acknowledgements */
    }
}

static uint32_t counter(struct fixture *fixture, unsigned x, unsigned y, uint64_t base, unsigned index)
{
    uint32_t word = 0;
    assert_int_equal(bh_read(fixture->device, x, y, base + 0x200 + 4 * index, &word, 4), BH_OK);
    return word;
}

/* tt-umd counts its writes like this; ISA documentation NoC/Counters.md. The orderings are strict, posted, posted and
   strict. */
static void nius_count_what_goes_through_windows(void **context)
{
    struct fixture *fixture = *context;
    enum { ACK = 49, READ_SENT = 50, READ = 53, WORDS = 56, POSTED_WORDS = 57, WRITES = 58, POSTED_WRITES = 59 };
    enum { SENT = 10, POSTED_SENT = 11, ACKNOWLEDGED = 1 };
    static const struct {
        uint8_t ordering, writes, posted_writes;
    } steps[] = {{1, 1, 0}, {2, 1, 1}, {3, 1, 2}};
    const uint64_t tensix = 0xFFB20000, pcie = 0xFFFFFFFFFFB20000;
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        uint8_t bytes[100] = {0};
        uint64_t window = point(fixture, 3, 4, 0, 0x1000);
        put(fixture, BAR0 + 0x1FC00008 + 12 * 5, (uint32_t)steps[i].ordering << 6);
        assert_int_equal(bh_pci_write(fixture->device, window, bytes, sizeof bytes), BH_OK);
        assert_int_equal(counter(fixture, 3, 4, tensix, WRITES), steps[i].writes);
        assert_int_equal(counter(fixture, 3, 4, tensix, WORDS), 2 * steps[i].writes);
        assert_int_equal(counter(fixture, 3, 4, tensix, ACK), steps[i].writes);
        assert_int_equal(counter(fixture, 3, 4, tensix, POSTED_WRITES), steps[i].posted_writes);
        assert_int_equal(counter(fixture, 3, 4, tensix, POSTED_WORDS), 2 * steps[i].posted_writes);
        assert_int_equal(counter(fixture, 19, 24, pcie, SENT), steps[i].writes);
        assert_int_equal(counter(fixture, 19, 24, pcie, POSTED_SENT), steps[i].posted_writes);
        assert_int_equal(counter(fixture, 19, 24, pcie, ACKNOWLEDGED), steps[i].writes);
        assert_int_equal(bh_pci_read(fixture->device, window, bytes, sizeof bytes), BH_OK);
        assert_int_equal(counter(fixture, 3, 4, tensix, READ), i + 1);
        assert_int_equal(counter(fixture, 3, 4, tensix, READ_SENT), i + 1);
    }
    uint64_t window = point(fixture, 17, 12, 1, 0x1000);
    put(fixture, window, 1);
    assert_int_equal(counter(fixture, 17, 12, 0xFFB30000, WRITES), 1); /* over NoC 1, to DRAM */
    assert_int_equal(counter(fixture, 17, 12, 0xFFB20000, WRITES), 0);
}

/* tt-umd's tests of resets write here, without effect. */
static void the_arc_tile_is_not_behind_bar0(void **context)
{
    struct fixture *fixture = *context;
    put(fixture, BAR0 + 0x1FF30068, 0xdeadbeef);
    assert_int_equal(get(fixture, BAR0 + 0x1FF30068), 0xffffffff);
    assert_int_equal(fixture->last.category, BH_NON_CONTRACTUAL);
    uint32_t word = 0;
    assert_int_equal(bh_read(fixture->device, 8, 0, 0x80030068, &word, 4), BH_OK);
    assert_int_equal(word, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(absent_tiles_answer_with_ones),
        TEST(dram_tiles_have_nius),
        TEST_P100A(harvested_tiles_are_refused),
        TEST_P100A(nius_of_harvested_tiles_answer),
        TEST_P100A(windows_for_multicast_can_be_read),
        TEST(multicast_is_for_tensix_tiles),
        TEST_P100A(multicast_leaves_harvested_columns_out),
        TEST_P100A(broadcasts_leave_harvested_columns_out),
        TEST(nius_count_what_goes_through_windows),
        TEST(the_arc_tile_is_not_behind_bar0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
