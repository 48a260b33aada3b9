/* Programs over links through libttsim.so, which know registers and the numbers on the die alone: no translated
   coordinates, no discovery. With BHEMU_PEER on a library of so many chips as a test is about. */
#include "client.h"
#include "system/programs.h"

#define CHIP_SIZE 0x1000000000ull

enum { AT = 0x20000 };

static void close_chips(struct client *client)
{
    client->exit();
    assert_int_equal(dlclose(client->library), 0);
    unsetenv("BHEMU_SYSTEM");
}

/* Whether the library has so many chips; ours is told to. */
static bool open_chips(struct client *client, const char *system, unsigned chips)
{
    setenv("BHEMU_SYSTEM", system, 1);
    assert_true(client_load(client));
    client->init();
    unsigned count = 0;
    for (unsigned device = 0; device < 32; device++) {
        count += client->config_read(device << 3, 0) != UINT32_MAX;
    }
    assert_true(count == chips || client_is_peer());
    if (count != chips) {
        close_chips(client);
    }
    return count == chips;
}

/* Ethernet tiles where they are on the die, in row 1, which no translation moves: programs that know nothing of
   translated coordinates find them there. By channel. */
static const uint8_t column[] = {1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11};
enum { ROW = 1, PAYLOAD = 0x30000, PAYLOAD_SIZE = 0x1000, MARK = PAYLOAD + PAYLOAD_SIZE, CODE = 0x2000 };

/* Chooses the BARs of a chip. */
static void choose_chip(struct client *client, unsigned chip)
{
    client->bar0 = 0x100000000ull + chip * CHIP_SIZE;
}

/* As a host sends that knows TX queues and nothing else: from one tile's L1 to that at the other end of the link. */
static void host_sends(struct client *client, unsigned channel, unsigned queue, uint32_t from, uint32_t size,
                       uint32_t to)
{
    uint32_t tx = TX + queue * QUEUE;
    client_tile_put32(client, column[channel], ROW, tx + TX_FROM, from);
    client_tile_put32(client, column[channel], ROW, tx + TX_SIZE, size);
    client_tile_put32(client, column[channel], ROW, tx + TX_TO, to);
    client_tile_put32(client, column[channel], ROW, tx + TX_CMD, L1_WRITE);
    while (client_tile_get32(client, column[channel], ROW, tx + TX_STATUS)) {
    }
}

static void a_host_sends_over_each_link_both_ways(void **context)
{
    static const uint8_t ends[][2] = {{2, 9}, {3, 8}}; /* of x2 */
    static uint8_t sent[PAYLOAD_SIZE], got[PAYLOAD_SIZE];
    static struct client client;
    if (!open_chips(&client, "x2", 2)) {
        skip();
    }
    for (unsigned i = 0; i < 4; i++) {
        unsigned from = i & 1, to = from ^ 1, link = i / 2;
        for (unsigned at = 0; at < sizeof sent; at++) {
            sent[at] = (uint8_t)(13 * at + 7 * i + 1);
        }
        choose_chip(&client, from);
        client_write_block(&client, column[ends[link][from]], ROW, AT, sent, sizeof sent);
        host_sends(&client, ends[link][from], i % 3, AT, sizeof sent, PAYLOAD);
        client.clock(100000);
        choose_chip(&client, to);
        for (unsigned channel = 0; channel < 12; channel++) {
            static const uint8_t none[PAYLOAD_SIZE];
            bool linked = channel == ends[link][to];
            client_read_block(&client, column[channel], ROW, PAYLOAD, got, sizeof got);
            assert_memory_equal(got, linked ? sent : none, sizeof got);
            client_write_block(&client, column[channel], ROW, PAYLOAD, none, sizeof none);
        }
    }
    close_chips(&client);
}

static void emit_write_to_channel(struct code *code, unsigned self, unsigned to, uint32_t address, uint32_t size,
                                  uint32_t acknowledged)
{
    enum { WRITE = 1 << 1, RESPONSE = 1 << 4, ACKNOWLEDGED = 0x204 };
    store(code, NIU + 0x00, address);
    store(code, NIU + 0x08, column[self] | ROW << 6);
    store(code, NIU + 0x0c, address);
    store(code, NIU + 0x14, column[to] | ROW << 6);
    store(code, NIU + 0x1c, WRITE | RESPONSE);
    store(code, NIU + 0x20, size);
    store(code, NIU + 0x40, 1);
    emit_wait(code, NIU + ACKNOWLEDGED, acknowledged);
}

/* Waits for the payload and its mark, adds one to its first word, and passes both on: to another Ethernet tile of the
   chip, or over the link. */
static struct code passes_on(unsigned channel, unsigned to)
{
    struct code code = {0};
    emit_wait(&code, MARK, 1);
    load(&code, T0, PAYLOAD);
    emit(&code, lw(T1, T0, 0));
    emit(&code, addi(T1, T1, 1));
    emit(&code, sw(T1, T0, 0));
    emit(&code, lw(T1, T0, 0));
    if (to == channel) {
        emit_send(&code, 0, L1_WRITE, PAYLOAD, PAYLOAD_SIZE, PAYLOAD);
        emit_send(&code, 0, L1_WRITE, MARK, 16, MARK);
    } else {
        emit_write_to_channel(&code, channel, to, PAYLOAD, PAYLOAD_SIZE, 1);
        emit_write_to_channel(&code, channel, to, MARK, 16, 2);
    }
    emit(&code, SELF_JUMP);
    return code;
}

static void start_on(struct client *client, unsigned chip, unsigned channel, const struct code *code)
{
    choose_chip(client, chip);
    unsigned x = column[channel];
    client_write_block(client, x, ROW, CODE, code->words, 4 * code->count);
    client_tile_put32(client, x, ROW, E1_RESET_PC, CODE);
    uint32_t held = client_tile_get32(client, x, ROW, SOFT_RESET);
    client_tile_put32(client, x, ROW, SOFT_RESET, held & ~(uint32_t)E1_HELD);
}

/* Round the ring of x4 by programs on E1: each chip takes the payload at one Ethernet tile and sends it from another.
 */
static void programs_forward_over_three_chips(void **context)
{
    static const uint8_t in[] = {2, 3, 4, 3}, out[] = {8, 4, 8, 5}; /* 0:8-1:3, 1:4-2:4, 2:8-3:3, 3:5-0:2 */
    static uint32_t sent[PAYLOAD_SIZE / 4], got[PAYLOAD_SIZE / 4];
    static struct client client;
    if (!open_chips(&client, "x4", 4)) {
        skip();
    }
    for (unsigned chip = 0; chip < 4; chip++) {
        struct code takes = passes_on(in[chip], out[chip]), sends = passes_on(out[chip], out[chip]);
        if (chip > 0) {
            start_on(&client, chip, in[chip], &takes);
        }
        start_on(&client, chip, out[chip], &sends);
    }
    for (unsigned i = 0; i < PAYLOAD_SIZE / 4; i++) {
        sent[i] = 0x9e3779b9u * i;
    }
    choose_chip(&client, 0);
    client_write_block(&client, column[out[0]], ROW, PAYLOAD, sent, sizeof sent);
    client_tile_put32(&client, column[out[0]], ROW, MARK, 1);
    for (unsigned i = 0; i < 1000 && !client_tile_get32(&client, column[in[0]], ROW, MARK); i++) {
        client.clock(100);
    }
    client.clock(1000);
    client_read_block(&client, column[in[0]], ROW, PAYLOAD, got, sizeof got);
    sent[0] += 7; /* four tiles that send, three that take */
    assert_memory_equal(got, sent, sizeof got);
    close_chips(&client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_sends_over_each_link_both_ways),
        cmocka_unit_test(programs_forward_over_three_chips),
    };
    return cmocka_run_group_tests_name("abi.links", tests, NULL, NULL);
}
