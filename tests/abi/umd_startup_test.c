/* The start-up of tt-umd on a simulator, register by register: the older form (config space, iATU, cores parked) and
   the newer one, which comes up as on silicon (NIU, ARC, telemetry, messages, Ethernet). With BHEMU_PEER naming another
   libttsim.so, the same start-up runs on that one; what only this library has is left out.
   Sources: tt-umd tt_sim_tt_device.cpp, blackhole_tt_device.cpp, arc_telemetry_reader.cpp,
   blackhole_arc_message_queue.cpp, topology_discovery_blackhole.cpp. */
#include "client.h"

enum { ARC_X = 8, ARC_Y = 0, SYSMEM = 1 << 20 };
#define SOFT_RESET 0xFFB121B0u
#define ARC_APB 0x80000000u

static struct client client;
static uint8_t sysmem[SYSMEM];
#define HOST_BASE 0x40000000u

static void host_read(uint64_t paddr, void *data, uint32_t size)
{
    assert_in_range(paddr, HOST_BASE, HOST_BASE + SYSMEM - size);
    memcpy(data, sysmem + (paddr - HOST_BASE), size);
}

static void host_write(uint64_t paddr, const void *data, uint32_t size)
{
    assert_in_range(paddr, HOST_BASE, HOST_BASE + SYSMEM - size);
    memcpy(sysmem + (paddr - HOST_BASE), data, size);
}

static int set_up(void **context)
{
    if (!client_load(&client)) {
        return -1;
    }
    client.set_callbacks(host_read, host_write);
    client.init();
    client_find_bars(&client);
    return 0;
}

static int tear_down(void **context)
{
    client.exit();
    unsetenv("BHEMU_BOARD");
    return dlclose(client.library);
}

/* Region `region` of the outbound iATU, as TTSimTTDevice::configure_iatu_region() writes it. */
static void configure_iatu(unsigned region, uint64_t target, uint64_t size)
{
    uint64_t base = (uint64_t)region << 30, limit = base + size - 1, iatu = client.bar2 + 0x1000 + 0x200 * region;
    client_put32(&client, iatu + 0x04, 0);
    client_put32(&client, iatu + 0x00, 0);
    client_put32(&client, iatu + 0x08, (uint32_t)base);
    client_put32(&client, iatu + 0x0c, (uint32_t)(base >> 32));
    client_put32(&client, iatu + 0x10, (uint32_t)limit);
    client_put32(&client, iatu + 0x14, (uint32_t)target);
    client_put32(&client, iatu + 0x18, (uint32_t)(target >> 32));
    client_put32(&client, iatu + 0x04, 1u << 31);
}

/* Every worker is parked in a jump to itself; then the registers of one core are used as UMD uses them. */
static void the_older_form(void **context)
{
    assert_int_equal(client.bar0, 0x100000000);
    assert_int_equal(client.bar2, 0x120000000);
    assert_int_equal(client.bar4, 0x800000000);
    configure_iatu(0, HOST_BASE, 1 << 30);
    for (unsigned y = 2; y <= 11; y++) {
        for (unsigned x = 1; x <= 16; x++) {
            if (x == 8 || x == 9) {
                continue;
            }
            client_tile_put32(&client, x, y, 0, 0x6f);
            uint32_t reset = client_tile_get32(&client, x, y, SOFT_RESET);
            client_tile_put32(&client, x, y, SOFT_RESET, reset | 0x47800);
            client_tile_put32(&client, x, y, SOFT_RESET, 0x47000);
            assert_int_equal(client_tile_get32(&client, x, y, SOFT_RESET) & 0x47800, 0x47000);
        }
    }
    client.clock(1000);
    assert_int_equal(client_tile_get32(&client, 16, 11, 0), 0x6f);
}

/* Sysmem, over the NoC: window 4 of the PCIe tile goes through the iATU. */
static void the_device_reaches_sysmem(void **context)
{
    configure_iatu(0, HOST_BASE, 1 << 30);
    for (unsigned i = 0; i < 256; i++) {
        sysmem[0x1000 + i] = (uint8_t)(i ^ 0x5a);
    }
    uint8_t bytes[256];
    client_read_block(&client, 19, 24, ((uint64_t)4 << 58) + 0x1000, bytes, sizeof bytes);
    assert_memory_equal(bytes, sysmem + 0x1000, sizeof bytes);
    client_tile_put32(&client, 2, 0, ((uint64_t)4 << 58) + 0x2000, 0xcafe1234);
    assert_memory_equal(sysmem + 0x2000, &(uint32_t){0xcafe1234}, 4);
    client_tile_put32(&client, 2, 0, HOST_BASE + 0x2004, 0xcafe5678); /* window 0: straight to the host */
    assert_memory_equal(sysmem + 0x2004, &(uint32_t){0xcafe5678}, 4);
}

/* The DMA engine, as BlackholeDmaTransfer::h2d_transfer() runs it. */
static void dma_moves_blocks_to_the_device(void **context)
{
    enum { SIZE = 64 * 1024 };
    static uint8_t back[SIZE];
    for (unsigned i = 0; i < SIZE; i++) {
        sysmem[i] = (uint8_t)(i * 7 + (i >> 8));
    }
    memset(sysmem + SYSMEM - 16, 0xee, 16);
    uint32_t window = (uint32_t)(client_point(&client, 3, 4, 0x8000) - client.bar0);
    static const struct {
        uint32_t offset, value;
    } writes[] = {{0x188, 0x28}, {0x190, HOST_BASE + SYSMEM - 16},
                  {0x194, 0},    {0x1a0, HOST_BASE + SYSMEM - 12},
                  {0x1a4, 0},    {0x1a8, 0},
                  {0x100, 1},    {0x120, HOST_BASE},
                  {0x124, 0}};
    for (unsigned i = 0; i < sizeof writes / sizeof writes[0]; i++) {
        client_put32(&client, client.bar2 + writes[i].offset, writes[i].value);
    }
    client_put32(&client, client.bar2 + 0x128, window);
    client_put32(&client, client.bar2 + 0x12c, 0);
    client_put32(&client, client.bar2 + 0x11c, SIZE);
    client_put32(&client, client.bar2 + 0x104, 1);
    assert_int_equal(client_get32(&client, client.bar2 + 0x11c), 0); /* done */
    client_read_block(&client, 3, 4, 0x8000, back, SIZE);
    assert_memory_equal(back, sysmem, SIZE);
    if (!client_is_peer()) {
        assert_int_equal(sysmem[SYSMEM - 16], 0); /* the completion message */
        assert_int_equal(sysmem[SYSMEM - 12], 0xee);
    }
}

static uint32_t apb(uint32_t offset)
{
    return client_tile_get32(&client, ARC_X, ARC_Y, ARC_APB + offset);
}

static void the_nius_translate(void **context)
{
    assert_int_equal(client_get32(&client, client.bar0 + 0x1fd04044) & 0x3f, 2); /* not behind AXI: ARC over the NoC */
    assert_int_equal(client_get32(&client, client.bar0 + 0x1fd04100) >> 14 & 1, 1);
    assert_int_equal(client_tile_get32(&client, 2, 0, 0xFFFFFFFFFF000044) & 0xfff, 2);
    assert_int_equal(client_tile_get32(&client, 2, 0, 0xFFFFFFFFFF000100) >> 14 & 1, 1);
    assert_int_equal(apb(0x50100) >> 14 & 1, 1);
    assert_int_equal(apb(0x50044) & 0xfff, 8);
    assert_int_equal(client_tile_get32(&client, 5, 6, 0xFFB20044) & 0xfff, 5 | 6 << 6);
    assert_int_equal(client_tile_get32(&client, 5, 6, 0xFFB20148) & 0xfff, 5 | 6 << 6);
    assert_int_equal(client_tile_get32(&client, 20, 25, 0xFFB20044) & 0xfff, 1 | 1 << 6);
    assert_int_equal(client_tile_get32(&client, 21, 25, 0xFFB20148) & 0xfff, 21 | 25 << 6);
}

static void arc_has_started(void **context)
{
    assert_int_equal(apb(0x30408) & 7, 5);
    if (!client_is_peer()) {
        assert_int_equal(apb(0x30060) >> 16, 0xc0de);
    }
}

/* The value of a telemetry tag, found like ArcTelemetryReader does. *found: the tag exists. */
static uint32_t telemetry(unsigned tag, bool *found)
{
    uint32_t table = apb(0x30434), values = apb(0x30430), count = client_tile_get32(&client, ARC_X, ARC_Y, table + 4);
    assert_in_range(count, 1, 100);
    if (!client_is_peer()) {
        assert_int_equal(values, table + 8 + 4 * count); /* right after the tags: some hosts rely on it */
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t entry = client_tile_get32(&client, ARC_X, ARC_Y, table + 8 + 4 * i);
        assert_in_range(entry >> 16, 0, count - 1); /* UMD indexes a vector of as many values */
        if ((entry & 0xffff) == tag) {
            *found = true;
            return client_tile_get32(&client, ARC_X, ARC_Y, values + 4 * (entry >> 16));
        }
    }
    *found = false;
    return 0;
}

static void assert_telemetry(unsigned tag, uint32_t value)
{
    bool found;
    uint32_t read = telemetry(tag, &found);
    if (!client_is_peer()) {
        assert_true(found);
    }
    if (found && read != value) {
        fail_msg("tag %u is 0x%x, not 0x%x", tag, read, value);
    }
}

/* A tag for which the peer's value is not that of silicon's firmware. */
static void assert_telemetry_as_firmware(unsigned tag, uint32_t value)
{
    if (!client_is_peer()) {
        assert_telemetry(tag, value);
    }
}

static void telemetry_describes_the_board(void **context)
{
    assert_telemetry(1, 0x400); /* p150 */
    assert_telemetry(2, 1);
    assert_telemetry(4, 0);
    assert_telemetry(11, 40 << 16);
    assert_telemetry_as_firmware(13, 0);
    assert_telemetry_as_firmware(15, 960);
    assert_telemetry_as_firmware(16, 800);
    assert_telemetry_as_firmware(21, 0);
    assert_telemetry(22, 0x5555);
    assert_telemetry(34, 0x3fff);
    assert_telemetry(35, 0x0fff);
    assert_telemetry(36, 0xff);
    assert_telemetry(37, 0xf);
    assert_telemetry(38, 1); /* instance 0 is the endpoint */
    assert_telemetry(52, 0);
    assert_telemetry(61, 0);
    assert_telemetry(62, 1);
    bool found;
    if (!client_is_peer()) {
        assert_true(telemetry(28, &found) >= 0x120c0000);
        assert_true(found);
        uint32_t heartbeat = telemetry(32, &found);
        assert_true(telemetry(32, &found) > heartbeat);
    }
}

/* Other boards: only this library has them. */
static void boards_are_chosen_by_the_environment(void **context)
{
    static const struct {
        const char *board;
        uint32_t kind, columns, ethernet, dram, gddr_status;
    } boards[] = {
        {"p100a", 0x430, 0x0fff, 0, 0xf7, 0x55155515},
        {"p150a", 0x400, 0x0fff, 0x3edf, 0xff, 0x55555555},
        {"p150a,tensix=0x3ff3,ethernet=0x1fff,dram=0x7f", 0x400, 0x3ff3, 0x1fff, 0x7f, 0x15551555},
    };
    if (client_is_peer()) {
        skip();
    }
    for (unsigned i = 0; i < sizeof boards / sizeof boards[0]; i++) {
        client.exit();
        setenv("BHEMU_BOARD", boards[i].board, 1);
        client.init();
        assert_telemetry(1, boards[i].kind);
        assert_telemetry(34, boards[i].columns);
        assert_telemetry(35, boards[i].ethernet);
        assert_telemetry(36, boards[i].dram);
        assert_telemetry(22, boards[i].gddr_status);
        unsigned last = 16 - (unsigned)__builtin_popcount(0x3fff & ~boards[i].columns);
        for (unsigned x = 1; x <= last; x++) {
            if (x != 8 && x != 9) {
                uint32_t logical = client_tile_get32(&client, x, 5, 0xFFB20148);
                assert_int_equal(logical & 0xfff, x | 5 << 6);
                client_tile_put32(&client, x, 5, 0x1000, x);
                assert_int_equal(client_tile_get32(&client, x, 5, 0x1000), x);
            }
        }
    }
}

/* One message through queue `queue`, as BlackholeArcMessageQueue sends it. */
static void send_message(unsigned queue, const uint32_t request[8], uint32_t response[8])
{
    uint32_t info = apb(0x3042c), base = client_tile_get32(&client, ARC_X, ARC_Y, info);
    uint32_t entries = client_tile_get32(&client, ARC_X, ARC_Y, info + 4) & 0xff;
    uint32_t header = base + queue * (32 + 2 * entries * 32);
    uint32_t write = client_tile_get32(&client, ARC_X, ARC_Y, header);
    uint32_t read = client_tile_get32(&client, ARC_X, ARC_Y, header + 0x10);
    assert_int_not_equal((write - read) % (2 * entries), entries); /* not full */
    client_write_block(&client, ARC_X, ARC_Y, header + 32 + write % entries * 32, request, 32);
    client_tile_put32(&client, ARC_X, ARC_Y, header, (write + 1) % (2 * entries));
    client_tile_put32(&client, ARC_X, ARC_Y, ARC_APB + 0x30100, 1 << 16);
    uint32_t response_read = client_tile_get32(&client, ARC_X, ARC_Y, header + 4);
    unsigned polls = 0;
    while (client_tile_get32(&client, ARC_X, ARC_Y, header + 0x14) == response_read) {
        assert_true(polls++ < 1000);
    }
    uint32_t place = header + 32 + (entries + response_read % entries) * 32;
    client_read_block(&client, ARC_X, ARC_Y, place, response, 32);
    client_tile_put32(&client, ARC_X, ARC_Y, header + 4, (response_read + 1) % (2 * entries));
}

static void messages_are_answered(void **context)
{
    uint32_t response[8];
    for (unsigned i = 0; i < 20; i++) { /* the pointers wrap */
        send_message(3, (uint32_t[8]){0x90, i}, response);
        assert_int_equal(response[0] & 0xff, 0);
        if (!client_is_peer()) {
            assert_int_equal(response[1], i + 1);
            assert_int_equal(response[2], i + 1); /* serial numbers */
        }
    }
    send_message(3, (uint32_t[8]){0x52}, response); /* busy */
    assert_int_equal(response[0], 0);
    if (client_is_peer()) {
        return;
    }
    bool found;
    assert_int_equal(telemetry(14, &found), 1350);
    send_message(0, (uint32_t[8]){0x54}, response); /* idle, through another queue */
    assert_int_equal(telemetry(14, &found), 800);
    send_message(3, (uint32_t[8]){0x11}, response); /* silicon's firmware does not know it */
    assert_int_equal(response[0], 0xff);
    send_message(3, (uint32_t[8]){0xbe, 100}, response);
    send_message(3, (uint32_t[8]){0x90, 1}, response);
    assert_int_equal(response[2], 101);
}

/* The values that topology discovery reads from each Ethernet tile. */
static void ethernet_links_are_down(void **context)
{
    for (unsigned x = 20; x <= 31; x++) {
        assert_int_equal(client_tile_get32(&client, x, 25, 0x7cc00), 0xc0dea000);
        assert_int_equal(client_tile_get32(&client, x, 25, 0x7cc04), 2);
        uint8_t version[3];
        client_read_block(&client, x, 25, 0x7cfbc, version, 3);
        assert_int_equal(version[2], 1);
        assert_int_equal(version[1], 6);
        assert_int_equal(version[0], 0);
        uint32_t heartbeat = client_tile_get32(&client, x, 25, 0x7cc70), now = heartbeat;
        for (unsigned looks = 0; now == heartbeat && looks < 2000; looks++) { /* one clock each, at least */
            now = client_tile_get32(&client, x, 25, 0x7cc70);
        }
        assert_int_not_equal(now, heartbeat);
        if (!client_is_peer()) { /* base firmware runs on E0; discovery skips tiles whose E0 is held */
            assert_int_equal(client_tile_get32(&client, x, 25, SOFT_RESET) & 0x1800, 0x1000);
        }
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_older_form),
        TEST(the_device_reaches_sysmem),
        TEST(dma_moves_blocks_to_the_device),
        TEST(the_nius_translate),
        TEST(arc_has_started),
        TEST(telemetry_describes_the_board),
        TEST(boards_are_chosen_by_the_environment),
        TEST(messages_are_answered),
        TEST(ethernet_links_are_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
