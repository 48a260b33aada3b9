/* Systems of linked chips, through include/bhemu/system.h: ISA documentation EthernetTile/EthernetTxRx.md, and what
   hosts read of links (tt-umd blackhole_eth.hpp, tests of two cards). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/ethernet/link_constants.h"
#include "system/programs.h"

struct system_fixture {
    struct bh_system *system;
    struct bh_diagnostic last;
    unsigned told;
};

static void on_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    struct system_fixture *fixture = context;
    fixture->last = *diagnostic;
    fixture->told++;
}

static struct system_fixture open_system(const char *name, unsigned threads, enum bh_mode mode)
{
    struct bh_topology *topology;
    struct bh_error error = {""};
    struct bh_system_config config = {.device = {.mode = mode}, .threads = threads};
    struct system_fixture fixture = {0};
    assert_int_equal(bh_topology_by_name(name, &topology), BH_OK);
    enum bh_status status = bh_system_create(topology, &config, &fixture.system, &error);
    if (status != BH_OK) {
        fail_msg("%s: %s", name, error.text);
    }
    bh_topology_destroy(topology);
    return fixture;
}

/* What firmware has left in L1 says of every link who is at its other end, on both. */
static void links_are_up_at_both_ends(void **context)
{
    enum { PORT = 0x7cc04, TRAIN = 0x7cc08, LIVE = 0x7ce04, LOCAL = 0x7cfc0, EXCHANGE = 0x7cfdc, REMOTE = 0x7cfe0 };
    enum { PARAMETERS = 0x7c000 };
    static const uint32_t headers = 0xFFB98200;
    const char *name;
    for (unsigned i = 0; (name = bh_topology_name(i)); i++) {
        struct bh_topology *topology;
        struct system_fixture fixture = open_system(name, 1, BH_MODE_FUNCTIONAL);
        struct bh_system *system = fixture.system;
        assert_int_equal(bh_topology_by_name(name, &topology), BH_OK);
        assert_int_equal(bh_system_chip_count(system), topology->chip_count);
        for (unsigned link = 0; link < topology->link_count; link++) {
            for (unsigned end = 0; end < 2; end++) {
                struct bh_link_end here = topology->links[link].end[end], there = topology->links[link].end[!end];
                assert_int_equal(get(system, here.chip, here.channel, PORT), 1);
                assert_int_equal(get(system, here.chip, here.channel, TRAIN), 2);
                assert_int_equal(get(system, here.chip, here.channel, LIVE), 1);
                assert_int_equal(get(system, here.chip, here.channel, EXCHANGE), 2);
                uint64_t own = topology->chips[here.chip].board_id, own_id = topology->chips[here.chip].asic_id;
                static const uint32_t pcbs[] = {[0x40] = 2, [0x44] = 3, [0x47] = 4}; /* P150, P300, UBB */
                assert_int_equal(get(system, here.chip, here.channel, LOCAL) >> 24, here.channel);
                assert_int_equal(get(system, here.chip, here.channel, LOCAL) & 0xff, pcbs[own >> 36]);
                assert_int_equal(get(system, here.chip, here.channel, LOCAL + 12), 0x208c47);
                assert_int_equal(get(system, here.chip, here.channel, LOCAL + 16), own_id * 12 + here.channel);
                assert_int_equal(get(system, here.chip, here.channel, PARAMETERS + 37 * 4), own_id * 12);
                assert_int_equal(get(system, here.chip, here.channel, PARAMETERS + 34 * 4),
                                 get(system, here.chip, here.channel, LOCAL + 4));
                for (unsigned entry = 0; entry < 10; entry++) { /* the source of frames */
                    assert_int_equal(get(system, here.chip, here.channel, headers + 0x80 * entry + 0x10),
                                     0x47000000 | get(system, here.chip, here.channel, LOCAL + 16));
                    assert_int_equal(get(system, here.chip, here.channel, headers + 0x80 * entry + 0x14), 0x208c);
                }
                for (unsigned word = 0; word < 7; word++) {
                    assert_int_equal(get(system, here.chip, here.channel, REMOTE + 4 * word),
                                     get(system, there.chip, there.channel, LOCAL + 4 * word));
                }
                uint64_t id = topology->chips[there.chip].asic_id, board = topology->chips[there.chip].board_id;
                assert_int_equal(get(system, here.chip, here.channel, REMOTE + 24), (uint32_t)id);
                assert_int_equal(get(system, here.chip, here.channel, REMOTE + 4), (uint32_t)(board >> 32));
                assert_int_equal(get(system, here.chip, here.channel, REMOTE + 8), (uint32_t)board);
            }
        }
        bh_topology_destroy(topology);
        bh_system_destroy(system);
    }
}

static void other_ports_are_down(void **context)
{
    struct system_fixture fixture = open_system("x2", 1, BH_MODE_FUNCTIONAL);
    for (unsigned channel = 0; channel < 12; channel++) {
        bool linked = channel == 2 || channel == 3;
        assert_int_equal(get(fixture.system, 0, channel, 0x7cc04), linked ? 1 : 2);
        assert_int_equal(get(fixture.system, 0, channel, 0x7cfdc), linked ? 2 : 1);
    }
    bh_system_destroy(fixture.system);
}

/* A command of a TX queue, by the host. */
static void send(struct bh_system *system, unsigned chip, unsigned channel, unsigned queue, uint32_t command,
                 uint32_t from, uint32_t size, uint32_t to)
{
    put(system, chip, channel, TX + queue * QUEUE + TX_FROM, from);
    put(system, chip, channel, TX + queue * QUEUE + TX_SIZE, size);
    put(system, chip, channel, TX + queue * QUEUE + TX_TO, to);
    put(system, chip, channel, TX + queue * QUEUE + TX_CMD, command);
}

/* A latency after the last byte has left; on all three queues, as firmware has them. */
static void a_write_arrives_after_the_latency(void **context)
{
    struct system_fixture fixture = open_system("x2", 1, BH_MODE_FUNCTIONAL);
    for (unsigned queue = 0; queue < 3; queue++) {
        uint32_t bytes[64], back[64];
        for (unsigned i = 0; i < 64; i++) {
            bytes[i] = (queue + 1) * 0x01010101u * i;
        }
        assert_int_equal(bh_write(bh_system_chip(fixture.system, 0), X + 2, Y, 0x20000, bytes, sizeof bytes), BH_OK);
        send(fixture.system, 0, 2, queue, L1_WRITE, 0x20000, sizeof bytes, 0x30000);
        (void)bh_system_advance(fixture.system, LINK_LATENCY);
        assert_int_equal(get(fixture.system, 1, 9, 0x30004), 0);
        (void)bh_system_advance(fixture.system, LINK_LATENCY);
        assert_int_equal(bh_read(bh_system_chip(fixture.system, 1), X + 9, Y, 0x30000, back, sizeof back), BH_OK);
        assert_memory_equal(back, bytes, sizeof back);
        assert_int_equal(get(fixture.system, 1, 9, RX + queue * QUEUE + 0x28), 1);           /* packets */
        assert_int_equal(get(fixture.system, 1, 9, RX + queue * QUEUE + 0x4), sizeof bytes); /* bytes */
        assert_int_equal(get(fixture.system, 0, 2, TX + queue * QUEUE + 0x30), 1);           /* commands */
        assert_int_equal(get(fixture.system, 0, 2, RX + queue * QUEUE + 0x28), 0);
        memset(bytes, 0, sizeof bytes);
        assert_int_equal(bh_write(bh_system_chip(fixture.system, 1), X + 9, Y, 0x30000, bytes, sizeof bytes), BH_OK);
    }
    bh_system_destroy(fixture.system);
}

/* 37 bytes a cycle: 64 KiB in packets of 4112 bytes, with 32 bytes of headers each, take 1785 cycles. */
static void a_link_has_a_bandwidth(void **context)
{
    struct system_fixture fixture = open_system("x2", 1, BH_MODE_TIMED);
    uint32_t last = 0x12345678;
    assert_int_equal(bh_write(bh_system_chip(fixture.system, 1), X + 8, Y, 0x1fffc, &last, 4), BH_OK);
    send(fixture.system, 1, 8, 0, L1_WRITE, 0x10000, 0x10000, 0x40000);
    const uint64_t bytes = 0x10000 + 16 * 32, arrives = (bytes + 36) / 37 + LINK_LATENCY;
    (void)bh_system_advance(fixture.system, arrives - 1);
    assert_int_equal(get(fixture.system, 0, 3, 0x4fffc), 0);
    (void)bh_system_advance(fixture.system, 1);
    assert_int_equal(get(fixture.system, 0, 3, 0x4fffc), last);
    bh_system_destroy(fixture.system);
}

/* A queue takes so many packets before those in front of them are sent (ETH_TXQ_DATA_PACKET_ACCEPT_AHEAD), and a
   command when it has taken its last packet. */
static void a_queue_takes_packets_ahead(void **context)
{
    enum { PACKET = (0x1000 + 32 + 36) / 37 };
    struct system_fixture fixture = open_system("x2", 1, BH_MODE_FUNCTIONAL);
    struct bh_system *system = fixture.system;
    for (unsigned ahead = 8; ahead; ahead = ahead == 8 ? 1 : 0) {
        put(system, 0, 2, TX + 0x6c, ahead);
        for (unsigned i = 0; i < ahead; i++) {
            send(system, 0, 2, 0, L1_WRITE, 0x10000, 0x1000, 0x40000);
            assert_int_equal(get(system, 0, 2, TX + TX_STATUS), 0);
        }
        put(system, 0, 2, TX + TX_CMD, L1_WRITE);
        assert_int_equal(get(system, 0, 2, TX + TX_STATUS), 1 << 16);
        assert_int_equal(get(system, 0, 2, TX + QUEUE + TX_STATUS), 0);
        uint32_t command = L1_WRITE;
        assert_int_equal(bh_write(bh_system_chip(system, 0), X + 2, Y, TX + TX_CMD, &command, 4), BH_ERROR_ADDRESS);
        (void)bh_system_advance(system, PACKET);
        assert_int_equal(get(system, 0, 2, TX + TX_STATUS), 0);
        (void)bh_system_advance(system, 10 * PACKET);
    }
    send(system, 0, 2, 0, L1_WRITE, 0x10000, 0x4000, 0x40000); /* four packets */
    (void)bh_system_advance(system, 3 * PACKET - 10);
    assert_int_equal(get(system, 0, 2, TX + TX_STATUS), 1 << 16);
    (void)bh_system_advance(system, 20);
    assert_int_equal(get(system, 0, 2, TX + TX_STATUS), 0);
    bh_system_destroy(system);
}

static void a_register_is_written_over_the_link(void **context)
{
    struct system_fixture fixture = open_system("x4", 1, BH_MODE_FUNCTIONAL);
    put(fixture.system, 2, 8, TX + QUEUE + TX_DATA, 0xabcd00);
    send(fixture.system, 2, 8, 1, MMIO_WRITE, 0, 0, E1_END_PC);
    (void)bh_system_advance(fixture.system, 1000);
    assert_int_equal(get(fixture.system, 3, 3, E1_END_PC), 0xabcd00);
    assert_int_equal(get(fixture.system, 2, 8, E1_END_PC), 0);
    bh_system_destroy(fixture.system);
}

static void a_channel_without_a_link_says_so(void **context)
{
    struct bh_topology *topology;
    struct system_fixture fixture = {0};
    struct bh_system_config config = {.device = {.on_diagnostic = on_diagnostic, .context = &fixture}};
    uint32_t command = L1_WRITE;
    assert_int_equal(bh_topology_by_name("x2", &topology), BH_OK);
    assert_int_equal(bh_system_create(topology, &config, &fixture.system, NULL), BH_OK);
    bh_topology_destroy(topology);
    assert_int_equal(bh_write(bh_system_chip(fixture.system, 1), X + 5, Y, TX + TX_CMD, &command, 4), BH_ERROR_ADDRESS);
    assert_int_equal(fixture.last.chip, 1);
    assert_int_equal(fixture.last.chips, 2);
    assert_non_null(strstr(fixture.last.text, "channel 5 is linked to no other chip"));
    char line[3000];
    (void)bh_diagnostic_format(&fixture.last, line, sizeof line);
    assert_non_null(strstr(line, "chip 1 tile ("));
    bh_system_destroy(fixture.system);
}

enum { VALUE = 0x10000, STAGE = 0x10100, WAYS = 10 };

/* Sends 1, 3, ..., each when the answer to the last one has come. */
static struct code caller(void)
{
    struct code code = {0};
    for (uint32_t i = 0; i < WAYS; i++) {
        store(&code, STAGE, 2 * i + 1);
        emit_send(&code, 0, L1_WRITE, STAGE, 16, VALUE);
        emit_wait(&code, VALUE, 2 * i + 2);
    }
    emit(&code, SELF_JUMP);
    return code;
}

/* Answers each with the next number. */
static struct code answerer(void)
{
    struct code code = {0};
    for (uint32_t i = 0; i < WAYS; i++) {
        emit_wait(&code, VALUE, 2 * i + 1);
        store(&code, STAGE, 2 * i + 2);
        emit_send(&code, 0, L1_WRITE, STAGE, 16, VALUE);
    }
    emit(&code, SELF_JUMP);
    return code;
}

static void cores_call_and_answer(void **context)
{
    static const struct bh_link pairs[] = {
        {{{0, 8}, {1, 3}}}, {{{1, 4}, {2, 4}}}, {{{2, 8}, {3, 3}}}, {{{3, 5}, {0, 2}}}};
    for (unsigned mode = 0; mode < BH_MODES; mode++) {
        struct system_fixture fixture = open_system("x4", 1, (enum bh_mode)mode);
        struct code calls = caller(), answers = answerer();
        for (unsigned i = 0; i < 4; i++) {
            start(fixture.system, pairs[i].end[0].chip, pairs[i].end[0].channel, &calls);
            start(fixture.system, pairs[i].end[1].chip, pairs[i].end[1].channel, &answers);
        }
        struct bh_run_result result;
        assert_int_equal(bh_system_run(fixture.system, 1000 * 1000, &result), BH_OK);
        assert_int_equal(result.reason, BH_RAN_IDLE);
        for (unsigned i = 0; i < 4; i++) {
            assert_int_equal(get(fixture.system, pairs[i].end[0].chip, pairs[i].end[0].channel, VALUE), 2 * WAYS);
            assert_int_equal(get(fixture.system, pairs[i].end[1].chip, pairs[i].end[1].channel, VALUE), 2 * WAYS - 1);
        }
        /* One way after the other, and in timed mode the cores' work between. */
        assert_in_range(result.cycles, 2 * WAYS * LINK_LATENCY + (mode == BH_MODE_TIMED),
                        2 * WAYS * (LINK_LATENCY + 100));
        bh_system_destroy(fixture.system);
    }
}

/* Nobody answers: all chips are asked, and the one that waits is named. */
static void waiting_for_nobody_is_a_deadlock(void **context)
{
    struct bh_topology *topology;
    struct system_fixture fixture = {0};
    struct bh_system_config config = {.device = {.on_diagnostic = on_diagnostic, .context = &fixture}};
    assert_int_equal(bh_topology_by_name("x4", &topology), BH_OK);
    assert_int_equal(bh_system_create(topology, &config, &fixture.system, NULL), BH_OK);
    bh_topology_destroy(topology);
    struct code code = caller();
    struct bh_run_result result;
    start(fixture.system, 2, 8, &code);
    assert_int_equal(bh_system_run(fixture.system, 100 * 1000 * 1000, &result), BH_ERROR_STOPPED);
    assert_int_equal(result.reason, BH_RAN_DEADLOCK);
    assert_in_range(result.cycles, 1000 * 1000, 5 * 1000 * 1000);
    assert_int_equal(fixture.told, 1);
    assert_int_equal(fixture.last.chip, 2);
    assert_non_null(strstr(fixture.last.text, "polls 0x00010000 in L1"));
    bh_system_destroy(fixture.system);
}

static void start_brisc(struct bh_system *system, const struct code *code)
{
    struct bh_device *chip = bh_system_chip(system, 0);
    assert_int_equal(bh_write(chip, 1, 2, 0x4000, code->words, code->count * 4), BH_OK);
    assert_int_equal(bh_core_start(chip, 1, 2, BH_CORE_B, 0x4000), BH_OK);
}

/* A core that reads from DRAM again and again, and waits for each response, waits for what happens. */
static void waiting_for_memory_is_no_deadlock(void **context)
{
    enum { DRAM = 17 | 12 << 6, SELF = 1 | 2 << 6, RESPONSES = 0x208, CYCLES = 1200 * 1000 };
    const uint32_t request[][2] = {{0x00, 0x500}, {0x08, DRAM}, {0x0c, 0x2000}, {0x14, SELF}, {0x1c, 0x10}, {0x20, 64}};
    struct code code = {.count = 0};
    for (unsigned i = 0; i < sizeof request / sizeof *request; i++) {
        store(&code, NIU + request[i][0], request[i][1]);
    }
    load(&code, S0, NIU);
    emit(&code, lw(S1, S0, RESPONSES));
    emit(&code, addi(T1, 0, 1));
    unsigned begin = code.count;
    emit(&code, sw(T1, S0, 0x40));
    emit(&code, addi(S1, S1, 1));
    emit(&code, lw(T2, S0, RESPONSES));
    emit(&code, bne(T2, S1, -4));
    emit(&code, bne(T1, 0, (int32_t)(begin - code.count) * 4));
    for (uint32_t latency = LINK_LATENCY; latency < LINK_LATENCY + 20; latency += 7) {
        struct bh_topology *topology;
        struct bh_system_config config = {.device = {.mode = BH_MODE_TIMED}, .latency = latency};
        struct bh_system *system;
        struct bh_run_result result;
        assert_int_equal(bh_topology_by_name("x2", &topology), BH_OK);
        assert_int_equal(bh_system_create(topology, &config, &system, NULL), BH_OK);
        bh_topology_destroy(topology);
        start_brisc(system, &code);
        assert_int_equal(bh_system_run(system, CYCLES, &result), BH_OK);
        assert_int_equal(result.reason, BH_RAN_CYCLES);
        assert_int_equal(result.cycles, CYCLES);
        bh_system_destroy(system);
    }
}

/* Also where it is time to look whether cores spin. */
static void no_more_cycles_pass_than_were_asked_for(void **context)
{
    struct code code = {.words = {addi(T0, T0, 1), bne(T0, 0, -4)}, .count = 2};
    for (uint64_t cycles = 999999; cycles <= 1000 * 1000 + LINK_LATENCY; cycles += 160) {
        struct system_fixture fixture = open_system("x2", 1, BH_MODE_FUNCTIONAL);
        struct bh_run_result result;
        start_brisc(fixture.system, &code);
        assert_int_equal(bh_system_run(fixture.system, cycles, &result), BH_OK);
        assert_int_equal(result.cycles, cycles);
        assert_int_equal(bh_system_clock(fixture.system), cycles);
        bh_system_destroy(fixture.system);
    }
}

/* Only the system lets time pass. */
static void a_chip_does_not_run_alone(void **context)
{
    struct system_fixture fixture = open_system("x2", 1, BH_MODE_FUNCTIONAL);
    struct bh_device *chip = bh_system_chip(fixture.system, 1);
    assert_int_equal(bh_run(chip, 1000, NULL), BH_ERROR_ARGUMENT);
    bh_pass(chip, 1000);
    (void)bh_advance(chip, 1000);
    assert_int_equal(bh_clock(chip), 0);
    (void)bh_system_advance(fixture.system, 12345);
    assert_int_equal(bh_clock(chip), 12345);
    assert_int_equal(bh_clock(bh_system_chip(fixture.system, 0)), 12345);
    assert_int_equal(bh_system_clock(fixture.system), 12345);
    assert_null(bh_system_chip(fixture.system, 2));
    bh_system_destroy(fixture.system);
}

static void assert_refused(const struct bh_topology *topology, const char *why)
{
    struct bh_system *system;
    struct bh_error error = {""};
    assert_int_equal(bh_system_create(topology, NULL, &system, &error), BH_ERROR_FORMAT);
    if (!strstr(error.text, why)) {
        fail_msg("\"%s\" does not say \"%s\"", error.text, why);
    }
}

static void impossible_topologies_are_refused(void **context)
{
    const struct bh_topology_chip chips[] = {{.asic_id = 1}, {.asic_id = 2}}, same[] = {{.asic_id = 7}, {.asic_id = 7}};
    const struct bh_link nowhere = {{{0, 1}, {2, 1}}}, beyond = {{{0, 12}, {1, 1}}};
    const struct bh_link twice[] = {{{{0, 1}, {1, 1}}}, {{{1, 2}, {0, 1}}}}, itself = {{{1, 3}, {1, 3}}};
    struct bh_system *system;
    struct bh_system_config config = {.latency = 99};
    assert_refused(&(struct bh_topology){"t", chips, 2, &nowhere, 1}, "a link leads to chip 2; there are 2");
    assert_refused(&(struct bh_topology){"t", chips, 2, &beyond, 1}, "Ethernet channel 12 of chip 0, which has 12");
    assert_refused(&(struct bh_topology){"t", chips, 2, twice, 2}, "two links lead to Ethernet channel 1 of chip 0");
    assert_refused(&(struct bh_topology){"t", chips, 2, &itself, 1}, "two links lead to Ethernet channel 3 of chip 1");
    assert_refused(&(struct bh_topology){"t", same, 2, NULL, 0}, "chips 0 and 1 have the same id 0x7");
    assert_refused(&(struct bh_topology){"t", chips, 0, NULL, 0}, "it has 0 chips");
    assert_int_equal(bh_system_create(&(struct bh_topology){"t", chips, 2, NULL, 0}, &config, &system, NULL),
                     BH_ERROR_ARGUMENT);
}

/* A packet from the last of many chips to the first one, and back. */
static void chips_are_thousands(void **context)
{
    enum { CHIPS = 2000 };
    static struct bh_topology_chip chips[CHIPS];
    static struct bh_link links[CHIPS];
    for (unsigned i = 0; i < CHIPS; i++) {
        chips[i] = (struct bh_topology_chip){.board_id = i, .asic_id = i + 1};
        links[i] = (struct bh_link){.end = {{i, 4}, {(i + 1) % CHIPS, 5}}};
    }
    struct bh_topology topology = {"ring", chips, CHIPS, links, CHIPS};
    struct bh_system *system;
    struct bh_error error;
    assert_int_equal(bh_system_create(&topology, NULL, &system, &error), BH_OK);
    put(system, CHIPS - 1, 4, 0x20000, 0x600d);
    send(system, CHIPS - 1, 4, 0, L1_WRITE, 0x20000, 16, 0x30000);
    (void)bh_system_advance(system, 2 * LINK_LATENCY);
    assert_int_equal(get(system, 0, 5, 0x30000), 0x600d);
    send(system, 0, 5, 0, L1_WRITE, 0x30000, 16, 0x40000);
    (void)bh_system_advance(system, 2 * LINK_LATENCY);
    assert_int_equal(get(system, CHIPS - 1, 4, 0x40000), 0x600d);
    bh_system_destroy(system);
    topology.chip_count = BH_SYSTEM_CHIPS + 1;
    assert_int_equal(bh_system_create(&topology, NULL, &system, &error), BH_ERROR_FORMAT);
    assert_string_equal(error.text, "system ring: it has 16385 chips; there can be 1 to 16384");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_up_at_both_ends),
        cmocka_unit_test(chips_are_thousands),
        cmocka_unit_test(other_ports_are_down),
        cmocka_unit_test(a_write_arrives_after_the_latency),
        cmocka_unit_test(a_link_has_a_bandwidth),
        cmocka_unit_test(a_queue_takes_packets_ahead),
        cmocka_unit_test(a_register_is_written_over_the_link),
        cmocka_unit_test(a_channel_without_a_link_says_so),
        cmocka_unit_test(cores_call_and_answer),
        cmocka_unit_test(waiting_for_nobody_is_a_deadlock),
        cmocka_unit_test(a_chip_does_not_run_alone),
        cmocka_unit_test(impossible_topologies_are_refused),
        cmocka_unit_test(waiting_for_memory_is_no_deadlock),
        cmocka_unit_test(no_more_cycles_pass_than_were_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
