/* The PCIe and ARC tiles through the public API, from the host and over the NoC. */
#include "chip/pcie/fixture.h"

static void set_region(struct fixture *fixture, unsigned region, uint64_t base, uint64_t limit, uint64_t target,
                       uint32_t control)
{
    uint64_t place = IATU + 0x200 * region;
    put(fixture, place + 0x04, 0);
    put(fixture, place + 0x00, control);
    put(fixture, place + 0x08, (uint32_t)base);
    put(fixture, place + 0x0c, (uint32_t)(base >> 32));
    put(fixture, place + 0x10, (uint32_t)limit);
    put(fixture, place + 0x14, (uint32_t)target);
    put(fixture, place + 0x18, (uint32_t)(target >> 32));
    put(fixture, place + 0x20, (uint32_t)(limit >> 32));
    put(fixture, place + 0x04, 1u << 31);
}

static uint64_t host_address_of(struct fixture *fixture, uint64_t address)
{
    uint32_t word;
    assert_int_equal(bh_read(fixture->device, 19, 24, address, &word, sizeof word), BH_OK);
    return fixture->host_address;
}

/* With each setup of one of the first 32 windows, the kernel driver also clears a word behind the setup of all
   windows. */
static void multicasts_by_patterns_are_refused(void **context)
{
    struct fixture *fixture = *context;
    uint64_t setup = BAR0 + 0x1FC00000, patterns = setup + 12 * 210;
    uint32_t word = 1;
    for (unsigned window = 0; window < 32; window++) {
        put(fixture, patterns + 4 * window, window);
    }
    for (unsigned window = 0; window < 32; window++) {
        assert_int_equal(get(fixture, patterns + 4 * window), window);
    }
    assert_int_equal(bh_pci_write(fixture->device, patterns + 4 * 32, &word, 4), BH_ERROR_ADDRESS);
    assert_said(fixture, BH_UNSUPPORTED, "BAR0: writing offset 0x1fc00a58");
    put(fixture, point(fixture, 1, 2, 0, 0x40), 5);
    put(fixture, setup + 12 * 5 + 4, 3 << 11 | 4u << 17 | 1 << 23 | 2u << 29);
    put(fixture, setup + 12 * 5 + 8, 1 << 5);
    assert_int_equal(bh_pci_write(fixture->device, BAR0 + (5u << 21), &word, 4), BH_ERROR_ADDRESS);
    assert_said(fixture, BH_UNSUPPORTED, "TLB window 5: multicasts by the pattern 0x5");
    put(fixture, patterns + 4 * 5, 0);
    put(fixture, BAR0 + (5u << 21) + 0x40, 6);
    assert_int_equal(get(fixture, point(fixture, 3, 4, 0, 0x40)), 6);
}

static void bars_follow_config_space(void **context)
{
    struct fixture *fixture = *context;
    uint32_t word;
    assert_int_equal(bh_pci_config_write(fixture->device, 0x14, 0x23), BH_OK);
    assert_int_equal(get(fixture, 0x2300000000u + 0x1FD04044) & 0xfff, 2);
    assert_int_equal(bh_pci_read(fixture->device, BAR0 + 0x1FD04044, &word, 4), BH_ERROR_ADDRESS);
    assert_said(fixture, BH_BAD_INPUT, "is in no BAR");
    assert_int_equal(bh_pci_config_read(fixture->device, 0x41, &word), BH_ERROR_ADDRESS);
    assert_said(fixture, BH_BAD_INPUT, "not a multiple of 4");
}

static void both_nocs_lead_to_the_same_tile(void **context)
{
    struct fixture *fixture = *context;
    put(fixture, point(fixture, 4, 7, 0, 0x1000), 1);
    put(fixture, point(fixture, 4, 7, 1, 0x1004), 2);
    assert_int_equal(get(fixture, point(fixture, 4, 7, 1, 0x1000)), 1);
    assert_int_equal(get(fixture, point(fixture, 4, 7, 0, 0x1004)), 2);
    /* Tiles other than Tensix, Ethernet and DRAM tiles show the NIU of the NoC that the window uses. */
    assert_int_equal(get(fixture, point(fixture, 8, 0, 0, 0xFFFFFFFFFF000044)) & 0xfff, 8);
    assert_int_equal(get(fixture, point(fixture, 8, 0, 1, 0xFFFFFFFFFF000044)) & 0xfff, 8 | 11 << 6);
    assert_int_equal(get(fixture, point(fixture, 19, 24, 1, 0xFFFFFFFFFF000044)) & 0xfff, 14 | 11 << 6);
    /* Rows 0 and 1 are not translated: their columns count from the other side of NoC 1. */
    put(fixture, point(fixture, 1, 1, 0, 0x1000), 3);
    assert_int_equal(get(fixture, point(fixture, 15, 1, 1, 0x1000)), 3);
}

static void addresses_pass_through_the_iatu(void **context)
{
    struct fixture *fixture = *context;
    assert_int_equal(host_address_of(fixture, THROUGH_IATU + 0x123450), 0x123450); /* in no region */
    set_region(fixture, 0, 0, 0x3fffffff, 0x700000000, 0);
    set_region(fixture, 3, 0x40000000, 0x4fffffff, 0x90000000, 0);
    assert_int_equal(host_address_of(fixture, THROUGH_IATU + 0x123450), 0x700123450);
    assert_int_equal(host_address_of(fixture, THROUGH_IATU + 0x40000010), 0x90000010);
    assert_int_equal(host_address_of(fixture, THROUGH_IATU + 0x50000000), 0x50000000);
    assert_int_equal(host_address_of(fixture, 0x123450), 0x123450); /* windows 0 to 3 bypass the iATU */
    assert_int_equal(host_address_of(fixture, ((uint64_t)3 << 58) + 0x10), 0x10);
    assert_int_equal(host_address_of(fixture, ((uint64_t)7 << 58) + 0x10), 0x700000010);
    /* Without bit 13 of control 1 the limit is below the same 4 GiB boundary as the base. */
    set_region(fixture, 4, 0x100000000, 0x2ffffffff, 0, 0);
    assert_int_equal(host_address_of(fixture, THROUGH_IATU + 0x1f0000000), 0xf0000000);
    assert_int_equal(host_address_of(fixture, THROUGH_IATU + 0x2f0000000), 0x2f0000000);
    set_region(fixture, 4, 0x100000000, 0x2ffffffff, 0, 1 << 13);
    assert_int_equal(host_address_of(fixture, THROUGH_IATU + 0x2f0000000), 0x1f0000000);
}

/* "remap addresses in the host-to-device direction [...] along with an identity mapping for addresses outside" */
static void inbound_regions_move_the_hosts_accesses(void **context)
{
    struct fixture *fixture = *context;
    uint64_t window = point(fixture, 4, 7, 0, 0x10000), elsewhere = 0x240000000;
    const uint32_t region[] = {0, 0, 0x40000000, 2, 0x4001ffff, (uint32_t)window, (uint32_t)(window >> 32)};
    put(fixture, window, 0x11111111);
    put(fixture, window + 0x20, 0x22222222);
    uint32_t word;
    assert_int_equal(bh_pci_read(fixture->device, elsewhere, &word, 4), BH_ERROR_ADDRESS); /* outside of all BARs */
    for (unsigned i = 0; i < sizeof region / sizeof region[0]; i++) {
        put(fixture, IATU + 5 * 0x200 + 0x100 + 4 * i, region[i]);
    }
    put(fixture, IATU + 5 * 0x200 + 0x104, 1u << 31);
    assert_int_equal(get(fixture, elsewhere), 0x11111111);
    assert_int_equal(get(fixture, elsewhere + 0x20), 0x22222222);
    put(fixture, elsewhere + 4, 0x33333333);
    assert_int_equal(get(fixture, window + 4), 0x33333333); /* outside of the region */
    assert_int_equal(bh_pci_read(fixture->device, elsewhere + 0x1fffe, &word, 4), BH_ERROR_ADDRESS);
    assert_said(fixture, BH_UNDEFINED_BEHAVIOR, "crosses the border of an inbound region");
}

/* Linux, pcie-designware.c: an inbound region in BAR match mode redirects the BAR, at any address, to the target. */
static void inbound_regions_may_match_a_bar(void **context)
{
    enum { BAR2_SIZE = 1 << 20, MATCH_BAR_2 = 1 << 30 | 2 << 8 };
    struct fixture *fixture = *context;
    uint64_t window = point(fixture, 4, 7, 0, 0); /* a multiple of the BAR's size */
    put(fixture, window + 0x2040, 0x55555555);
    uint64_t region = IATU + 3 * 0x200 + 0x100, dma = BAR2 + 0x28;
    put(fixture, dma, 0x1234);
    put(fixture, region + 0x14, (uint32_t)window + 0x1234); /* target bits below the BAR's size are ignored */
    put(fixture, region + 0x18, (uint32_t)(window >> 32));
    put(fixture, region + 0x04, 1u << 31 | MATCH_BAR_2);
    assert_int_equal(get(fixture, BAR2 + 0x2040), 0x55555555);
    assert_int_equal(get(fixture, window + 0x2040), 0x55555555); /* BAR0 is unchanged */
    put(fixture, BAR2 + 0x2044, 0x66666666);
    assert_int_equal(get(fixture, window + 0x2044), 0x66666666);
    assert_int_equal(bh_pci_config_write(fixture->device, 0x18, 0x30000000), BH_OK); /* the host moves the BAR */
    assert_int_equal(bh_pci_config_write(fixture->device, 0x1c, 2), BH_OK);
    assert_int_equal(get(fixture, 0x230000000 + 0x2040), 0x55555555);
    uint32_t word;
    assert_int_equal(bh_pci_read(fixture->device, 0x230000000 + BAR2_SIZE - 2, &word, 4), BH_ERROR_ADDRESS);
}

/* No request of PCIe crosses 4 KiB, by which regions begin and end: each part goes where its own region leads. */
static void what_crosses_the_border_of_a_region_is_translated_in_parts(void **context)
{
    enum { FIRST = 0x3000, SECOND = 0x8000, SIZE = 24 };
    struct fixture *fixture = *context;
    uint8_t bytes[SIZE], back[SIZE];
    for (unsigned i = 0; i < SIZE; i++) {
        bytes[i] = (uint8_t)(i + 1);
    }
    set_region(fixture, 0, 0x0000, 0x0fff, FIRST, 0);
    set_region(fixture, 1, 0x1000, 0x1fff, SECOND, 0);
    const uint64_t border = THROUGH_IATU + 0x1000;
    assert_int_equal(bh_write(fixture->device, 19, 24, border - 8, bytes, SIZE), BH_OK);
    assert_memory_equal(fixture->host + FIRST + 0xff8, bytes, 8);
    assert_memory_equal(fixture->host + SECOND, bytes + 8, SIZE - 8);
    assert_int_equal(bh_read(fixture->device, 19, 24, border - 8, back, SIZE), BH_OK);
    assert_memory_equal(back, bytes, SIZE);
    assert_int_equal(bh_write(fixture->device, 19, 24, border + 0x1000 - 8, bytes, SIZE),
                     BH_OK); /* 0x2000: no region */
    assert_memory_equal(fixture->host + SECOND + 0xff8, bytes, 8);
    assert_memory_equal(fixture->host + 0x2000, bytes + 8, SIZE - 8);
}

static void what_the_iatu_can_not_translate_is_refused(void **context)
{
    struct fixture *fixture = *context;
    uint64_t word = 0;
    uint32_t enable = 1u << 31;
    set_region(fixture, 0, 0, 0xffff, 0x10000, 0);
    set_region(fixture, 1, 0x8000, 0x1ffff, 0x10000, 0);
    assert_int_equal(bh_read(fixture->device, 19, 24, THROUGH_IATU + 0x9000, &word, 8), BH_ERROR_ADDRESS);
    assert_said(fixture, BH_UNDEFINED_BEHAVIOR, "2 enabled regions");
    uint32_t match_type = enable | 1 << 27;
    assert_int_equal(bh_pci_write(fixture->device, IATU + 0x104, &match_type, 4), BH_ERROR_ADDRESS);
    assert_said(fixture, BH_UNSUPPORTED, "only bits 0xc0000700");
    assert_int_equal(bh_pci_write(fixture->device, IATU + 0x004, &match_type, 4), BH_ERROR_ADDRESS);
    assert_said(fixture, BH_UNSUPPORTED, "only bits 0x80000000");
    assert_int_equal(bh_read(fixture->device, 19, 24, (uint64_t)8 << 58, &word, 8), BH_ERROR_ADDRESS);
    assert_said(fixture, BH_UNSUPPORTED, "windows to the host");
}

/* Both channels, across the border of two windows. */
static void dma_moves_in_both_directions(void **context)
{
    struct fixture *fixture = *context;
    enum { SIZE = 0x3000 };
    static uint8_t back[SIZE];
    for (unsigned i = 0; i < SIZE; i++) {
        fixture->host[i] = (uint8_t)(i * 13 + (i >> 8));
    }
    for (unsigned window = 0; window < 2; window++) {
        put(fixture, BAR0 + 0x1FC00000 + 12 * window, window); /* DRAM, from 0 on */
        put(fixture, BAR0 + 0x1FC00000 + 12 * window + 4, 17 << 11 | 12 << 17);
    }
    put(fixture, BAR2 + 0x100, 1);
    put(fixture, BAR2 + 0x120, 0);
    put(fixture, BAR2 + 0x128, 0x1ff000);
    put(fixture, BAR2 + 0x11c, SIZE);
    put(fixture, BAR2 + 0x104, 1);
    assert_int_equal(get(fixture, BAR2 + 0x11c), 0);
    assert_int_equal(get(fixture, BAR2 + 0x180), 3);
    assert_int_equal(bh_read(fixture->device, 17, 12, 0x1ff000, back, SIZE), BH_OK);
    assert_memory_equal(back, fixture->host, SIZE);
    put(fixture, BAR2 + 0x20, 0x1ff000);
    put(fixture, BAR2 + 0x28, 0x8000);
    put(fixture, BAR2 + 0x1c, SIZE);
    put(fixture, BAR2 + 0x88, 0x28);
    put(fixture, BAR2 + 0x90, 0x7000);
    put(fixture, BAR2 + 0xa8, 0xd04e);
    put(fixture, BAR2 + 0x04, 1);
    assert_memory_equal(fixture->host + 0x8000, fixture->host, SIZE);
    assert_memory_equal(fixture->host + 0x7000, &(uint32_t){0xd04e}, 4);
    assert_int_equal(get(fixture, BAR2 + 0x84), 1);
    put(fixture, BAR2 + 0x8c, 1);
    assert_int_equal(get(fixture, BAR2 + 0x84), 0);
}

static void dma_takes_words_of_the_windows(void **context)
{
    struct fixture *fixture = *context;
    uint32_t ring = 1;
    put(fixture, BAR2 + 0x11c, 6);
    assert_int_equal(bh_pci_write(fixture->device, BAR2 + 0x104, &ring, 4), BH_ERROR_ADDRESS);
    assert_said(fixture, BH_UNDEFINED_BEHAVIOR, "DMA of 6 bytes");
    put(fixture, BAR2 + 0x11c, 8);
    put(fixture, BAR2 + 0x128, 0x19400000 - 4);
    assert_int_equal(bh_pci_write(fixture->device, BAR2 + 0x104, &ring, 4), BH_ERROR_ADDRESS);
    assert_said(fixture, BH_BAD_INPUT, "the TLB windows of BAR0 end at");
}

/* Nothing is behind the windows, whatever the policy makes of a transfer that is odd as well. */
static void dma_ends_with_the_windows_under_each_policy(void **context)
{
    static const struct {
        uint32_t low, high, size;
    } transfers[] = {
        {0xfffffffc, 0xffffffff, 8},          {0xfffffff0, 0xffffffff, 64}, {0x00000001, 0xffffffff, 64},
        {0x00000000, 0x00000000, 0xfffffffd}, {0x193ffffd, 0, 8},           {0x19400000, 0, 4},
    };
    (void)context;
    for (unsigned policy = BH_POLICY_DEFAULT; policy <= BH_POLICY_SILICON; policy++) {
        struct fixture fixture = {0};
        struct bh_device_config config = {.policy = (enum bh_policy_preset)policy,
                                          .on_diagnostic = on_diagnostic,
                                          .host_read = host_read,
                                          .host_write = host_write,
                                          .context = &fixture};
        assert_int_equal(bh_device_create(&config, &fixture.device), BH_OK);
        for (unsigned i = 0; i < 2 * sizeof transfers / sizeof *transfers; i++) {
            unsigned channel = i % 2 * 0x100, address = channel ? 0x28 : 0x20;
            uint32_t ring = 1;
            put(&fixture, BAR2 + channel + 0x1c, transfers[i / 2].size);
            put(&fixture, BAR2 + channel + address, transfers[i / 2].low);
            put(&fixture, BAR2 + channel + address + 4, transfers[i / 2].high);
            assert_int_equal(bh_pci_write(fixture.device, BAR2 + channel + 4, &ring, 4), BH_ERROR_ADDRESS);
            assert_said(&fixture, BH_BAD_INPUT, "the TLB windows of BAR0 end at");
        }
        bh_device_destroy(fixture.device);
    }
}

static void without_a_host_there_is_no_memory(void **context)
{
    struct fixture *fixture = *context;
    uint32_t word = 0;
    assert_int_equal(bh_read(fixture->device, 19, 24, 0x1000, &word, 4), BH_ERROR_ADDRESS);
    assert_said(fixture, BH_BAD_INPUT, "no callback");
    assert_int_equal(bh_write(fixture->device, 19, 24, 0x1000, &word, 4), BH_ERROR_ADDRESS);
}

/* A program's own write to the host, as fast dispatch writes its completion queue. */
static void tiles_write_to_the_host_over_the_noc(void **context)
{
    struct fixture *fixture = *context;
    static const struct {
        uint32_t offset, value;
    } writes[] = {{0x00, 0x1000},       {0x04, 0},          {0x08, 3 | 5 << 6}, {0x0c, 0x2000}, {0x10, 4 << 26},
                  {0x14, 19 | 24 << 6}, {0x1c, 2 | 1 << 4}, {0x20, 256},        {0x24, 0},      {0x40, 1}};
    set_region(fixture, 0, 0, 0x3fffffff, 0x10000000, 0);
    uint8_t bytes[256];
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(255 - i);
    }
    for (unsigned noc = 0; noc < 2; noc++) {
        memset(fixture->host, 0, HOST_SIZE);
        assert_int_equal(bh_write(fixture->device, 3, 5, 0x1000, bytes, sizeof bytes), BH_OK);
        for (unsigned i = 0; i < sizeof writes / sizeof writes[0]; i++) {
            assert_int_equal(
                bh_write(fixture->device, 3, 5, 0xFFB20000 + 0x10000 * noc + writes[i].offset, &writes[i].value, 4),
                BH_OK);
        }
        assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
        assert_memory_equal(fixture->host + 0x2000, bytes, sizeof bytes);
        assert_in_range(fixture->host_address, 0x10002000, 0x100020ff);
        uint32_t acknowledged;
        assert_int_equal(bh_read(fixture->device, 3, 5, 0xFFB20204 + 0x10000 * noc, &acknowledged, 4), BH_OK);
        assert_int_equal(acknowledged, 1);
    }
}

static void the_controller_has_registers(void **context)
{
    struct fixture *fixture = *context;
    uint64_t dbi = 0xF800000000000000;
    uint32_t word = 0x2810;
    assert_int_equal(bh_write(fixture->device, 2, 0, dbi + 0x78, &word, 4), BH_OK);
    word = 0;
    assert_int_equal(bh_read(fixture->device, 2, 0, dbi + 0x78, &word, 4), BH_OK);
    assert_int_equal(word, 0x2810);
    assert_int_equal(bh_read(fixture->device, 2, 0, dbi, &word, 4), BH_OK);
    assert_int_equal(word, 0xb1401e52);
    assert_int_equal(bh_read(fixture->device, 2, 0, dbi + 0x100, &word, 4), BH_ERROR_ADDRESS);
    assert_said(fixture, BH_UNSUPPORTED, "DBI");
}

static void cores_start_by_translated_coordinates(void **context)
{
    struct fixture *fixture = *context;
    /* Copies NOC_ID_LOGICAL to 0x1000. */
    static const uint32_t program[] = {0xffb202b7, 0x1482a303, 0x000013b7, 0x0063a023, 0x0000006f};
    for (unsigned x = 1; x <= 14; x++) {
        if (x != 8 && x != 9) {
            assert_int_equal(bh_write(fixture->device, x, 4, 0, program, sizeof program), BH_OK);
            assert_int_equal(bh_core_start(fixture->device, x, 4, BH_CORE_B, 0), BH_OK);
        }
    }
    assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
    for (unsigned x = 1; x <= 14; x++) {
        if (x != 8 && x != 9) {
            uint32_t word;
            assert_int_equal(bh_read(fixture->device, x, 4, 0x1000, &word, 4), BH_OK);
            assert_int_equal(word & 0xfff, x | 4 << 6);
        }
    }
}

static void the_arc_tile_has_its_address_space(void **context)
{
    struct fixture *fixture = *context;
    uint8_t bytes[33], back[33];
    uint32_t word = 0x1234;
    memset(bytes, 0xa5, sizeof bytes);
    assert_int_equal(bh_write(fixture->device, 8, 0, 0x1007f001, bytes, sizeof bytes), BH_OK); /* CSM */
    assert_int_equal(bh_read(fixture->device, 8, 0, 0x1007f001, back, sizeof back), BH_OK);
    assert_memory_equal(back, bytes, sizeof back);
    assert_int_equal(bh_write(fixture->device, 8, 0, 0x80030064, &word, 4), BH_OK); /* scratch 1 */
    word = 0;
    assert_int_equal(bh_read(fixture->device, 8, 0, 0x80030064, &word, 4), BH_OK);
    assert_int_equal(word, 0x1234);
    assert_int_equal(bh_read(fixture->device, 8, 0, 0x80030064, bytes, 8), BH_ERROR_ADDRESS);
    assert_said(fixture, BH_UNDEFINED_BEHAVIOR, "aligned words");
    assert_int_equal(bh_read(fixture->device, 8, 0, 0x1007fffc, bytes, 8), BH_ERROR_ADDRESS);
    assert_int_equal(bh_read(fixture->device, 8, 0, 0x80090000, &word, 4), BH_ERROR_ADDRESS);
    assert_said(fixture, BH_UNSUPPORTED, "APB");
}

static void boards_have_to_be_possible(void **context)
{
    struct bh_device *device;
    static const struct bh_tiles impossible[] = {{0, 0, 0xff}, {0x4000, 0, 0xff}, {1, 0x4000, 0xff}, {1, 0, 0}};
    for (unsigned i = 0; i < sizeof impossible / sizeof impossible[0]; i++) {
        struct bh_device_config config = {.tiles = &impossible[i]};
        assert_int_equal(bh_device_create(&config, &device), BH_ERROR_ARGUMENT);
    }
    struct bh_device_config config = {.board = BH_BOARDS};
    assert_int_equal(bh_device_create(&config, &device), BH_ERROR_ARGUMENT);
    enum bh_board board;
    assert_int_equal(bh_board_by_name("p100a", &board, NULL), BH_OK);
    assert_int_equal(board, BH_BOARD_P100A);
    assert_int_equal(bh_board_by_name("p100", &board, NULL), BH_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(multicasts_by_patterns_are_refused),
        TEST(bars_follow_config_space),
        TEST(both_nocs_lead_to_the_same_tile),
        TEST(addresses_pass_through_the_iatu),
        TEST(inbound_regions_move_the_hosts_accesses),
        TEST(inbound_regions_may_match_a_bar),
        TEST(what_crosses_the_border_of_a_region_is_translated_in_parts),
        TEST(what_the_iatu_can_not_translate_is_refused),
        TEST(dma_moves_in_both_directions),
        TEST(dma_takes_words_of_the_windows),
        TEST(dma_ends_with_the_windows_under_each_policy),
        cmocka_unit_test_setup_teardown(without_a_host_there_is_no_memory, set_up_without_host, tear_down),
        TEST(tiles_write_to_the_host_over_the_noc),
        TEST(the_controller_has_registers),
        TEST_P100A(cores_start_by_translated_coordinates),
        TEST(the_arc_tile_has_its_address_space),
        cmocka_unit_test(boards_have_to_be_possible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
