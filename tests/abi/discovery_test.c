/* tt-umd's discovery of the chips of a system, as it reads them since September 2026: devices 0 to 31 of bus 0,
   telemetry of each ARC tile, L1 of each Ethernet tile. The cluster that it would build has to be the topology of the
   system. Sources: tt-umd topology_discovery.cpp, topology_discovery_blackhole.cpp, blackhole_tt_device.cpp,
   blackhole_eth.hpp. */
#include "client.h"

#include "bhemu/system.h"

#define SOFT_RESET 0xFFB121B0u

enum { DEVICES = 32, CHANNELS = 14, ARC_X = 8, ARC_Y = 0, ETH_X = 20, ETH_Y = 25, GALAXY_BOARD = 0x47 };
enum { TAG_BOARD_HIGH = 1, TAG_BOARD_LOW = 2, TAG_LIVE = 21, TAG_ETH_VERSION = 24, TAG_BUNDLE = 28, TAG_ETHERNET = 35 };
enum { TAG_LOCATION = 52, TAG_ASIC_HIGH = 61, TAG_ASIC_LOW = 62 };
enum { PORT = 0x7cc04, VERSION = 0x7cfbc, LOCAL = 0x7cfc0, REMOTE = 0x7cfe0, UP = 1, DOWN = 2 };

/* What discovery keeps of a chip. */
struct found {
    struct client client; /* with the BARs of its device */
    uint64_t id;
    uint32_t ethernet; /* tiles that are there */
    uint32_t live;
    uint32_t version;
    bool galaxy;
};

static struct found chips[DEVICES];
static unsigned count;

static uint32_t bus_read(struct found *chip, uint32_t address)
{
    return client_tile_get32(&chip->client, ARC_X, ARC_Y, address);
}

static uint32_t telemetry(struct found *chip, uint32_t tag)
{
    uint32_t table = bus_read(chip, 0x80030434), values = bus_read(chip, 0x80030430),
             entries = bus_read(chip, table + 4);
    for (uint32_t i = 0; i < entries; i++) {
        uint32_t entry = bus_read(chip, table + 8 + 4 * i);
        if ((entry & 0xffff) == tag) {
            return bus_read(chip, values + 4 * (entry >> 16));
        }
    }
    fail_msg("there is no telemetry tag %u", tag);
    return 0;
}

/* Outside of a Galaxy, whose boards have one number each, chips are told apart by board and location. */
static uint64_t id_of(const uint32_t *words, bool galaxy)
{
    uint64_t board = (uint64_t)words[1] << 32 | words[2], asic = (uint64_t)words[5] << 32 | words[6];
    return galaxy ? asic : board << 5 | (words[0] >> 8 & 0x1f);
}

static void find_chip(unsigned device, const struct client *library)
{
    struct found *chip = &chips[count++];
    uint64_t *bars[] = {&chip->client.bar0, &chip->client.bar2, &chip->client.bar4};
    chip->client = *library;
    for (unsigned i = 0; i < 3; i++) {
        uint32_t at = 0x10 + 8 * i;
        *bars[i] = library->config_read(device << 3, at) | (uint64_t)library->config_read(device << 3, at + 4) << 32;
        *bars[i] &= ~UINT64_C(15);
    }
    uint32_t high = telemetry(chip, TAG_BOARD_HIGH);
    uint32_t words[7] = {
        telemetry(chip, TAG_LOCATION) << 8, high, telemetry(chip, TAG_BOARD_LOW), 0, 0, telemetry(chip, TAG_ASIC_HIGH),
        telemetry(chip, TAG_ASIC_LOW)};
    chip->galaxy = (high >> 4 & 0xff) == GALAXY_BOARD;
    chip->id = id_of(words, chip->galaxy);
    chip->ethernet = telemetry(chip, TAG_ETHERNET);
    chip->live = telemetry(chip, TAG_LIVE);
    chip->version = telemetry(chip, TAG_ETH_VERSION);
    assert_true(telemetry(chip, TAG_BUNDLE) >= 0x120c0000); /* before, remote channels are counted in another way */
}

static void find_chips(const struct client *library)
{
    count = 0;
    for (unsigned device = 0; device < DEVICES; device++) {
        uint32_t word = library->config_read(device << 3, 0);
        if (word != UINT32_MAX) {
            assert_int_equal(word, 0xb1401e52);
            assert_int_equal(device, count);
            find_chip(device, library);
        }
    }
}

static unsigned chip_with(uint64_t id)
{
    for (unsigned i = 0; i < count; i++) {
        if (chips[i].id == id) {
            return i;
        }
    }
    fail_msg("no chip has the id 0x%llx", (unsigned long long)id);
    return 0;
}

/* The end of a link that a topology has at `here`; false: it has none. */
static bool other_end(const struct bh_topology *topology, struct bh_link_end here, struct bh_link_end *there)
{
    for (unsigned i = 0; i < topology->link_count; i++) {
        for (unsigned end = 0; end < 2; end++) {
            const struct bh_link_end *one = &topology->links[i].end[end];
            if (one->chip == here.chip && one->channel == here.channel) {
                *there = topology->links[i].end[!end];
                return true;
            }
        }
    }
    return false;
}

/* One Ethernet tile: `channel` on the die, `logical` among those that are there. Returns whether it has a link. */
static bool check_tile(const struct bh_topology *topology, unsigned number, unsigned channel, unsigned logical)
{
    struct found *chip = &chips[number];
    struct bh_link_end there, here = {number, logical};
    uint32_t local[7], remote[7], version = 0;
    bool linked = other_end(topology, here, &there);
    assert_int_equal(client_tile_get32(&chip->client, ETH_X + logical, ETH_Y, SOFT_RESET) & 1 << 11, 0);
    client_read_block(&chip->client, ETH_X + logical, ETH_Y, VERSION, &version, 3);
    assert_true(chip->version == 0 || chip->version == version);
    assert_int_equal(client_tile_get32(&chip->client, ETH_X + logical, ETH_Y, PORT), linked ? UP : DOWN);
    client_read_block(&chip->client, ETH_X + logical, ETH_Y, LOCAL, local, sizeof local);
    assert_int_equal(id_of(local, chip->galaxy), chip->id);
    assert_int_equal(chip->live >> 16 >> channel & 1, linked);
    if (linked) {
        client_read_block(&chip->client, ETH_X + logical, ETH_Y, REMOTE, remote, sizeof remote);
        unsigned peer = chip_with(id_of(remote, chip->galaxy)), on_die = remote[0] >> 16 & 0xff;
        assert_int_equal(peer, there.chip);
        assert_true(chips[peer].ethernet >> on_die & 1);
        assert_int_equal(__builtin_popcount(chips[peer].ethernet & ((1u << on_die) - 1)), there.channel);
        assert_int_equal(remote[0] >> 24, there.channel);
    }
    return linked;
}

static void check_system(const char *name)
{
    struct client library;
    struct bh_topology *topology;
    unsigned ends = 0;
    setenv("BHEMU_SYSTEM", name, 1);
    assert_true(client_load(&library));
    library.init();
    find_chips(&library);
    assert_int_equal(bh_topology_by_name(name, &topology), BH_OK);
    assert_int_equal(count, topology->chip_count);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(chip_with(chips[i].id), i); /* no two have the same */
        for (unsigned channel = 0, logical = 0; channel < CHANNELS; channel++) {
            if (chips[i].ethernet >> channel & 1) {
                ends += check_tile(topology, i, channel, logical++);
            }
        }
    }
    assert_int_equal(ends, 2 * topology->link_count);
    bh_topology_destroy(topology);
    library.exit();
    unsetenv("BHEMU_SYSTEM");
    assert_int_equal(dlclose(library.library), 0);
}

static void the_cluster_is_the_topology(void **context)
{
    const char *name;
    if (client_is_peer()) {
        skip();
    }
    for (unsigned i = 0; (name = bh_topology_name(i)); i++) {
        check_system(name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_cluster_is_the_topology)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
