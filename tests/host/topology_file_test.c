/* Topologies from files: the project's own form, and cluster descriptors as tt-umd writes them. */
#include "files.h"

#include "bhemu/system.h"

static struct bh_topology *load(struct folder *folder, const char *text)
{
    struct bh_topology *topology;
    struct bh_error error = {};
    if (bh_topology_load(put_text(folder, "system.yaml", text), &topology, &error) != BH_OK) {
        fail_msg("%s", error.text);
    }
    return topology;
}

static void chips_and_links_are_read(void **context)
{
    struct bh_topology *topology =
        load(*context, "chips: 3\nboard: p150a\nlinks:\n  - [0, 4, 1, 4]\n  - [1, 5, 2, 11]\n");
    assert_string_equal(topology->name, "system.yaml");
    assert_int_equal(topology->chip_count, 3);
    assert_int_equal(topology->link_count, 2);
    assert_int_equal(topology->links[1].end[0].chip, 1);
    assert_int_equal(topology->links[1].end[0].channel, 5);
    assert_int_equal(topology->links[1].end[1].chip, 2);
    assert_int_equal(topology->links[1].end[1].channel, 11);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(topology->chips[i].board, BH_BOARD_P150A);
        assert_true(topology->chips[i].asic_id != topology->chips[(i + 1) % 3].asic_id);
        assert_true(topology->chips[i].board_id != topology->chips[(i + 1) % 3].board_id);
    }
    struct bh_system *system;
    struct bh_error error = {};
    assert_int_equal(bh_system_create(topology, NULL, &system, &error), BH_OK);
    bh_topology_destroy(topology); /* nothing of it is needed any more */
    assert_int_equal(bh_system_chip_count(system), 3);
    bh_system_destroy(system);
}

/* Two boards of two chips, one of which has lost columns 2 and 16, Ethernet tiles 5 and 8 and a DRAM channel. */
static const char descriptor[] = "arch:\n  1: blackhole\n  0: Blackhole\n"
                                 "chips:\n  {}\n"
                                 "chip_unique_ids: {0: 143238000422112, 1: 7}\n"
                                 "ethernet_connections:\n"
                                 "  -\n    - chip: 0\n      chan: 4\n    - chip: 1\n      chan: 9\n"
                                 "  - [{chip: 1, chan: 2}, {chip: 0, chan: 0}]\n"
                                 "ethernet_connections_to_remote_devices:\n  []\n"
                                 "chips_with_mmio:\n  - 0: 0\n  - 1: 1\n"
                                 "io_device_type: PCIe\n"
                                 "harvesting:\n"
                                 "  0: {noc_translation: true, harvest_mask: 0x2002, dram_harvesting_mask: 16, "
                                 "eth_harvesting_mask: 288, pcie_harvesting_mask: 2}\n"
                                 "  1: {noc_translation: true, harvest_mask: 0}\n"
                                 "boards:\n"
                                 "  -\n    - board_id: 4476187513102\n    - board_type: p300\n"
                                 "    - chips:\n        - 0\n        - 1\n"
                                 "asic_locations: {0: 1, 1: 0}\n"
                                 "chip_pci_bdfs:\n  0: 0000:01:00.0\n  1: 0000:41:00.0\n";

static void cluster_descriptors_are_read(void **context)
{
    struct bh_topology *topology = load(*context, descriptor);
    assert_int_equal(topology->chip_count, 2);
    assert_int_equal(topology->link_count, 2);
    assert_int_equal(topology->links[0].end[1].chip, 1);
    assert_int_equal(topology->links[0].end[1].channel, 9);
    assert_int_equal(topology->links[1].end[1].chip, 0);
    assert_int_equal(topology->links[1].end[1].channel, 0);
    const struct bh_topology_chip *chips = topology->chips;
    assert_int_equal(chips[0].board_id, 4476187513102);
    assert_int_equal(chips[1].board_id, 4476187513102);
    assert_int_equal(chips[0].asic_id, 143238000422112);
    assert_int_equal(chips[1].asic_id, 7);
    assert_int_equal(chips[0].asic_location, 1);
    assert_int_equal(chips[1].asic_location, 0);
    /* The second column from the left has x 2: bit 2 of the telemetry's mask; the last one, x 16, has bit 1. */
    assert_int_equal(chips[0].tiles->tensix_columns, 0x3fff & ~6);
    assert_int_equal(chips[0].tiles->ethernet, 0x3fff & ~288);
    assert_int_equal(chips[0].tiles->dram, 0xff & ~16);
    assert_int_equal(chips[1].tiles->tensix_columns, 0x3fff);
    assert_int_equal(chips[1].tiles->ethernet, 0x3fff);
    bh_topology_destroy(topology);
}

static void what_is_wrong_is_told_with_its_line(void **context)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", ": empty; it has to be a mapping"},
        {"chips: 0\n", ":1: chips: '0' is not allowed; it has to be a whole number from 1 to 16384"},
        {"board: full\n", ":1: chips is missing"},
        {"chips: 2\nlinks: [[0, 1, 2]]\n", ":2: links: a list of 3 is not allowed; it has to be a list of 4"},
        {"chips: 2\ncables: []\n", ":2: 'cables' is no key here; the keys are chips, board, links"},
        {"arch: {0: wormhole_b0}\n", ":1: arch: chip 0 is a wormhole_b0, no blackhole"},
        {"arch: {1: blackhole}\n", ":1: there is no chip 1; arch has 1, which are counted from 0"},
        {"arch: {0: blackhole, 0: blackhole}\n", ":1: arch: 0 is there twice"},
        {"arch: {x: blackhole}\n", ":1: arch: 'x' is not allowed; it has to be a whole number"},
        {"arch: [blackhole]\n", ":1: arch: a list is not allowed; it has to be a mapping from numbers, each to a text"},
        {"arch: {0: blackhole}\nethernet_connections:\n  - [{chip: 0, chan: 1}, {chip: 1, chan: 1}]\n",
         ":3: there is no chip 1; arch has 1, which are counted from 0"},
        {"arch: {0: blackhole}\nharvesting: {0: {harvest_mask: 0x4000}}\n",
         ":2: harvest_mask: '0x4000' is not allowed; it has to be a whole number from 0 to 16383"},
        {"arch: {0: blackhole}\nboards: [[{board_id: 1}, {board_type: p300}, {chips: [3]}]]\n",
         ":2: there is no chip 3; arch has 1, which are counted from 0"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct bh_topology *topology;
        struct bh_error error = {};
        const char *path = put_text(*context, "system.yaml", bad[i].text);
        assert_int_not_equal(bh_topology_load(path, &topology, &error), BH_OK);
        assert_null(topology);
        if (strncmp(error.text, path, strlen(path)) != 0 ||
            strncmp(error.text + strlen(path), bad[i].message, strlen(bad[i].message)) != 0) {
            fail_msg("\"%s\" says %s, not %s", bad[i].text, error.text, bad[i].message);
        }
    }
}

static void links_to_nowhere_are_refused_before_anything_runs(void **context)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"chips: 2\nlinks: [[0, 0, 2, 0]]\n", "system system.yaml: a link leads to chip 2; there are 2"},
        {"chips: 2\nlinks: [[0, 12, 1, 0]]\n", "system system.yaml: "},
        {"chips: 2\nboard: p100a\nlinks: [[0, 0, 1, 0]]\n", "system system.yaml: "},
        {"chips: 3\nlinks: [[0, 0, 1, 0], [2, 1, 1, 0]]\n", "system system.yaml: "},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct bh_topology *topology = load(*context, bad[i].text);
        struct bh_system *system = NULL;
        struct bh_error error = {};
        assert_int_equal(bh_system_create(topology, NULL, &system, &error), BH_ERROR_FORMAT);
        assert_null(system);
        if (strncmp(error.text, bad[i].message, strlen(bad[i].message)) != 0) {
            fail_msg("%s, not %s", error.text, bad[i].message);
        }
        bh_topology_destroy(topology);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(chips_and_links_are_read),
        FOLDER_TEST(cluster_descriptors_are_read),
        FOLDER_TEST(what_is_wrong_is_told_with_its_line),
        FOLDER_TEST(links_to_nowhere_are_refused_before_anything_runs),
    };
    return cmocka_run_group_tests_name("host.topology_file", tests, NULL, NULL);
}
