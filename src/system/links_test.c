/* Links that go down and come up again: by their cables, and by requests to the firmware of one end. tt-metal
   eth_fw_api.h (status words), tools/scaleout (requests), ISA documentation EthernetTile/EthernetTxRx.md (TT-link
   packets are sent again until they are acknowledged). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chip/ethernet/link_constants.h"
#include "system/part.h"
#include "system/shared.h"

#define SOFT_RESET 0xFFB121B0u
#define TX 0xFFB90000u
#define RX 0xFFB94000u
#define PCS_STATUS 0xFFB9800Cu

enum { X = 20, Y = 25 };
enum { PORT = 0x7cc04, TRAIN = 0x7cc08, RETRAINED = 0x7ce00, RX_UP = 0x7ce04, RESENDS = 0x7cea0, MAILBOX = 0x7d000 };
enum { UP = 1, DOWN = 2, TRAINING = 0, TRAINED = 2, TIMED_OUT = 9 };
enum { RAW = 1, L1_WRITE = 2, EPOCH = LINK_LATENCY };
#define CALL 0xca110000u
#define ACKNOWLEDGED 0xcede0000u
#define DONE 0xd0e50000u

static const struct bh_link_end ends[] = {{0, 2}, {1, 9}}; /* of the first link of x2 */

static struct bh_system *open_part(const struct system_part *part, unsigned threads, enum bh_mode mode)
{
    struct bh_topology *topology;
    struct bh_system *system;
    struct bh_system_config config = {.device = {.mode = mode}, .threads = threads};
    assert_int_equal(bh_topology_by_name("x2", &topology), BH_OK);
    assert_int_equal(system_create(topology, &config, part, &system, NULL), BH_OK);
    bh_topology_destroy(topology);
    return system;
}

static struct bh_system *open_system(unsigned threads, enum bh_mode mode)
{
    return open_part(NULL, threads, mode);
}

static void put(struct bh_system *system, unsigned end, uint32_t address, uint32_t word)
{
    struct bh_device *device = bh_system_chip(system, ends[end].chip);
    assert_int_equal(bh_write(device, X + ends[end].channel, Y, address, &word, sizeof word), BH_OK);
}

static uint32_t get(struct bh_system *system, unsigned end, uint32_t address)
{
    struct bh_device *device = bh_system_chip(system, ends[end].chip);
    uint32_t word;
    assert_int_equal(bh_read(device, X + ends[end].channel, Y, address, &word, sizeof word), BH_OK);
    return word;
}

static void request(struct bh_system *system, unsigned end, uint32_t kind, uint32_t argument, uint32_t option)
{
    put(system, end, MAILBOX + 4, argument);
    put(system, end, MAILBOX + 8, option);
    put(system, end, MAILBOX, CALL | kind);
}

static void send(struct bh_system *system, unsigned end, unsigned queue, uint32_t command, uint32_t from, uint32_t to)
{
    uint32_t tx = TX + 0x1000 * queue;
    put(system, end, tx + 0x14, from);
    put(system, end, tx + 0x18, 64);
    put(system, end, tx + 0x1c, to);
    put(system, end, tx + 0x04, command);
}

static void assert_words(struct bh_system *system, unsigned end, uint32_t port, uint32_t train, uint32_t retrained)
{
    assert_int_equal(get(system, end, PORT), port);
    assert_int_equal(get(system, end, TRAIN), train);
    assert_int_equal(get(system, end, RX_UP), port == UP);
    assert_int_equal(get(system, end, PCS_STATUS), port == UP);
    assert_int_equal(get(system, end, RETRAINED), retrained);
}

static void a_cable_is_pulled_and_plugged_in(void **context)
{
    struct bh_system *system = open_system(1, BH_MODE_FUNCTIONAL);
    for (uint32_t round = 0; round < 3; round++) {
        assert_int_equal(bh_system_plug(system, ends[round % 2], false), BH_OK);
        for (unsigned end = 0; end < 2; end++) {
            assert_int_equal(bh_system_link(system, ends[end]), BH_LINK_DOWN);
            assert_words(system, end, DOWN, TRAINING, round);
        }
        assert_int_equal(bh_system_link(system, (struct bh_link_end){0, 3}), BH_LINK_UP); /* another cable */
        (void)bh_system_advance(system, 100000);
        assert_int_equal(bh_system_link(system, ends[0]), BH_LINK_DOWN);
        assert_int_equal(bh_system_plug(system, ends[0], true), BH_OK);
        assert_int_equal(bh_system_link(system, ends[1]), BH_LINK_TRAINING);
        (void)bh_system_advance(system, LINK_TRAINING - 1000);
        assert_words(system, 0, DOWN, TRAINING, round);
        (void)bh_system_advance(system, 2000);
        for (unsigned end = 0; end < 2; end++) {
            assert_int_equal(bh_system_link(system, ends[end]), BH_LINK_UP);
            assert_words(system, end, UP, TRAINED, round + 1);
        }
    }
    bh_system_destroy(system);
}

static void there_is_no_link_elsewhere(void **context)
{
    struct bh_system *system = open_system(1, BH_MODE_FUNCTIONAL);
    const struct bh_link_end none[] = {{0, 0}, {0, 12}, {0, 99}, {2, 2}};
    for (unsigned i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_int_equal(bh_system_link(system, none[i]), BH_LINK_NONE);
        assert_int_equal(bh_system_plug(system, none[i], false), BH_ERROR_ARGUMENT);
    }
    bh_system_destroy(system);
}

/* A port that is switched off takes the other end's link down a latency later, and so when it is on again. */
static void firmware_switches_a_port(void **context)
{
    struct bh_system *system = open_system(1, BH_MODE_FUNCTIONAL);
    request(system, 0, 9, 2, 0);
    assert_int_equal(get(system, 0, MAILBOX), DONE | 9);
    assert_words(system, 0, DOWN, TRAINING, 0);
    assert_words(system, 1, UP, TRAINED, 0);
    (void)bh_system_advance(system, 3 * EPOCH);
    assert_words(system, 1, DOWN, TRAINING, 0);
    assert_int_equal(bh_system_link(system, ends[1]), BH_LINK_DOWN);
    request(system, 0, 9, 1, 0);
    (void)bh_system_advance(system, LINK_TRAINING + 3 * EPOCH);
    assert_words(system, 0, UP, TRAINED, 1);
    assert_words(system, 1, UP, TRAINED, 1);
    bh_system_destroy(system);
}

/* As tt-metal resets links: both ports off, then both are initialised. The request ends with the link up. */
static void ports_are_initialised(void **context)
{
    struct bh_system *system = open_system(1, BH_MODE_FUNCTIONAL);
    for (unsigned end = 0; end < 2; end++) {
        request(system, end, 9, 2, 0);
    }
    (void)bh_system_advance(system, 10 * EPOCH);
    for (unsigned end = 0; end < 2; end++) {
        request(system, end, 6, 1, 2);
        assert_int_equal(get(system, end, MAILBOX), ACKNOWLEDGED | 6);
    }
    (void)bh_system_advance(system, LINK_TRAINING / 2);
    assert_int_equal(get(system, 0, MAILBOX), ACKNOWLEDGED | 6);
    (void)bh_system_advance(system, LINK_TRAINING / 2 + 3 * EPOCH);
    for (unsigned end = 0; end < 2; end++) {
        assert_int_equal(get(system, end, MAILBOX), DONE | 6);
        assert_int_equal(get(system, end, MAILBOX + 4), 0);
        assert_words(system, end, UP, TRAINED, 1);
    }
    bh_system_destroy(system);
}

static void initialising_a_port_ends_without_a_cable_too(void **context)
{
    struct bh_system *system = open_system(1, BH_MODE_FUNCTIONAL);
    assert_int_equal(bh_system_plug(system, ends[0], false), BH_OK);
    request(system, 0, 6, 1, 2);
    (void)bh_system_advance(system, LINK_PATIENCE - EPOCH);
    assert_int_equal(get(system, 0, MAILBOX), ACKNOWLEDGED | 6);
    (void)bh_system_advance(system, 3 * EPOCH);
    assert_int_equal(get(system, 0, MAILBOX), DONE | 6);
    assert_words(system, 0, DOWN, TIMED_OUT, 0);
    assert_int_equal(bh_system_plug(system, ends[0], true), BH_OK);
    (void)bh_system_advance(system, LINK_TRAINING + EPOCH);
    assert_words(system, 0, UP, TRAINED, 1);
    bh_system_destroy(system);
}

/* While a program has E0, words in L1 stay as they are; PCS_STATUS does not. */
static void words_wait_for_a_program_that_asks(void **context)
{
    struct bh_system *system = open_system(1, BH_MODE_FUNCTIONAL);
    put(system, 0, 0x2000, 0x6f); /* j . */
    request(system, 0, 2, 0x2000, 0);
    assert_int_equal(bh_system_plug(system, ends[0], false), BH_OK);
    (void)bh_system_advance(system, 10 * EPOCH);
    assert_int_equal(get(system, 0, PORT), UP);
    assert_int_equal(get(system, 0, RX_UP), 1);
    assert_int_equal(get(system, 0, PCS_STATUS), 0);
    /* lui t0, 0x7d; lw t1, -248(t0); addi a0, x0, -1; jalr ra, t1; j .: the function that checks the link */
    const uint32_t program[] = {0x0007d2b7, 0xf082a303, 0xfff00513, 0x000300e7, 0x6f};
    for (unsigned i = 0; i < 5; i++) {
        put(system, 0, 0x3000 + 4 * i, program[i]);
    }
    put(system, 0, SOFT_RESET, 0x1800);
    put(system, 0, 0xFFB14000, 0x3000);
    put(system, 0, SOFT_RESET, 0x1000);
    (void)bh_system_advance(system, 10 * EPOCH);
    assert_words(system, 0, DOWN, TRAINING, 0);
    bh_system_destroy(system);
}

/* What TT-link packets carry arrives when the link is up again; raw frames do not. */
static void packets_are_sent_again(void **context)
{
    struct bh_system *system = open_system(1, BH_MODE_FUNCTIONAL);
    uint32_t sent = 0xabcdef01;
    put(system, 0, 0x20000, sent);
    assert_int_equal(bh_system_plug(system, ends[0], false), BH_OK);
    send(system, 0, 0, L1_WRITE, 0x20000, 0x30000);
    for (unsigned i = 1; i <= 8; i++) {
        assert_int_equal(get(system, 0, TX + 0x8), 0); /* it takes eight packets ahead */
        send(system, 0, 0, L1_WRITE, 0x20000, 0x30000 + 64 * i);
    }
    assert_int_equal(get(system, 0, TX + 0x8), 1 << 16); /* the next command has to wait */
    put(system, 1, RX + 0x2000, 0);                      /* queue 2: raw mode, 4 KiB at 0x40000 */
    put(system, 1, RX + 0x200c, 0x4000);
    put(system, 1, RX + 0x2010, 0x100);
    send(system, 0, 2, RAW, 0x20000, 0);
    (void)bh_system_advance(system, 50 * EPOCH);
    assert_int_equal(get(system, 1, 0x30000), 0);
    assert_int_equal(get(system, 0, TX + 0x8), 1 << 16);
    assert_int_equal(bh_system_plug(system, ends[1], true), BH_OK);
    (void)bh_system_advance(system, LINK_TRAINING + 3 * EPOCH);
    assert_int_equal(get(system, 1, 0x30000), sent);
    assert_int_equal(get(system, 0, TX + 0x8), 0);
    assert_int_equal(get(system, 1, 0x30000 + 64 * 8), sent);
    assert_int_equal(get(system, 1, RX + 0x28), 9);   /* packets of queue 0 */
    assert_int_equal(get(system, 1, RX + 0x2028), 0); /* of queue 2 */
    assert_int_equal(get(system, 0, TX + 0x2030), 1); /* it has sent one */
    request(system, 0, 1, 0xffffffff, 0);
    assert_int_equal(get(system, 0, RESENDS), 1);
    assert_int_equal(get(system, 0, TX + 0x68), 1); /* ETH_TXQ_RESEND_CNT */
    assert_int_equal(get(system, 0, RESENDS + 16), 0);
    assert_int_equal(get(system, 0, 0x7ce20), 0); /* frames while the link was up */
    bh_system_destroy(system);
}

/* Training leaves the queues as after power-on, at both ends; tt-metal's fabric configures them again. */
static void training_configures_queues_again(void **context)
{
    enum { RX_CTRL = 0, ACCEPT_AHEAD = 0x6c, SEL_SW = 0x80, SEL_HW = 0x84, DESTINATION = 0x18 };
    static const uint32_t destinations[] = {UINT32_MAX, 0xffff, 1, 0x100, 0, 0x200}; /* of queues 0, 1, 2 */
    struct bh_system *system = open_system(1, BH_MODE_FUNCTIONAL);
    for (unsigned end = 0; end < 2; end++) {
        assert_int_equal(get(system, end, TX + ACCEPT_AHEAD), 8);
        put(system, end, TX + ACCEPT_AHEAD, 32);
        put(system, end, TX + 0x1000 + SEL_SW, 0x333);
        put(system, end, RX + 0x2000 + RX_CTRL, 0);
        put(system, end, 0xFFB98200u + 2 * 0x80 + DESTINATION, 1);
    }
    assert_int_equal(bh_system_plug(system, ends[0], true), BH_OK); /* it is in */
    (void)bh_system_advance(system, LINK_TRAINING + EPOCH);
    assert_int_equal(get(system, 0, TX + ACCEPT_AHEAD), 32);
    request(system, 1, 6, 1, 2);
    (void)bh_system_advance(system, LINK_TRAINING + 3 * EPOCH);
    for (unsigned end = 0; end < 2; end++) {
        assert_int_equal(get(system, end, TX + ACCEPT_AHEAD), 8);
        for (uint32_t queue = 0; queue < 3; queue++) {
            assert_int_equal(get(system, end, TX + 0x1000 * queue + SEL_SW), 0x111 * queue);
            assert_int_equal(get(system, end, TX + 0x1000 * queue + SEL_HW), queue);
            for (uint32_t half = 0; half < 2; half++) {
                assert_int_equal(get(system, end, 0xFFB98200u + queue * 0x80 + DESTINATION + 4 * half),
                                 destinations[2 * queue + half]);
            }
        }
        assert_int_equal(get(system, end, RX + 0x2000 + RX_CTRL), 2);
        assert_int_equal(get(system, end, 0xFFB98154u), 0xa50); /* each kind of destination to its RX queue */
        assert_int_equal(get(system, end, 0xFFB980D8u), 0);     /* ERR_STAT */
    }
    bh_system_destroy(system);
}

/* What is on its way when the cable is pulled. */
static void packets_on_their_way_arrive_later(void **context)
{
    struct bh_system *system = open_system(1, BH_MODE_FUNCTIONAL);
    put(system, 0, 0x20000, 77);
    send(system, 0, 0, L1_WRITE, 0x20000, 0x30000);
    send(system, 0, 1, L1_WRITE, 0x20000, 0x30040);
    (void)bh_system_advance(system, EPOCH / 2);
    assert_int_equal(bh_system_plug(system, ends[0], false), BH_OK);
    (void)bh_system_advance(system, 10 * EPOCH);
    assert_int_equal(get(system, 1, 0x30000), 0);
    assert_int_equal(bh_system_plug(system, ends[0], true), BH_OK);
    (void)bh_system_advance(system, LINK_TRAINING + EPOCH);
    assert_int_equal(get(system, 1, 0x30000), 77);
    assert_int_equal(get(system, 1, 0x30040), 77);
    bh_system_destroy(system);
}

/* Both chips send all the time while links go down and up: the same clocks and words however chips are run. */
enum { ROUNDS = 24, ROUND_WORDS = 5 };

struct seen {
    uint32_t words[ROUNDS][2][ROUND_WORDS];
};

static void act(struct bh_system *system, unsigned end, uint32_t round)
{
    put(system, end, 0x20000, round + 1);
    if (get(system, end, TX + 0x8) == 0) {
        send(system, end, 0, L1_WRITE, 0x20000, 0x30000 + 64 * round);
    }
    if (end == 1 && round % 10 == 9) {
        request(system, end, 6, 1, 2);
    } else if (end == 0 && round % 8 == 2) {
        request(system, end, 9, 1 + round / 8 % 2, 0);
    }
}

static void look(struct bh_system *system, unsigned end, uint32_t round, uint32_t words[ROUND_WORDS])
{
    words[0] = (uint32_t)bh_system_clock(system);
    words[1] = get(system, end, 0x30000 + 64 * round);
    words[2] = get(system, end, PORT) | get(system, end, TRAIN) << 8 | get(system, end, PCS_STATUS) << 16;
    words[3] = get(system, end, RETRAINED);
    words[4] = get(system, end, RX + 0x28) << 16 | get(system, end, MAILBOX) >> 16;
}

/* What a process sees of its chips; part: null: of both. */
static void run_rounds(const struct system_part *part, unsigned threads, enum bh_mode mode, struct seen *seen)
{
    struct bh_system *system = open_part(part, threads, mode);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (round % 6 == 0) {
            assert_int_equal(bh_system_plug(system, ends[0], round / 6 % 2), BH_OK);
        }
        for (unsigned end = 0; end < 2; end++) {
            if (bh_system_chip(system, ends[end].chip)) {
                act(system, end, round);
            }
        }
        (void)bh_system_advance(system, 7777);
        for (unsigned end = 0; end < 2; end++) {
            if (bh_system_chip(system, ends[end].chip)) {
                look(system, end, round, seen->words[round][end]);
            }
        }
    }
    bh_system_destroy(system);
}

static void threads_make_no_difference(void **context)
{
    for (enum bh_mode mode = BH_MODE_FUNCTIONAL; mode <= BH_MODE_TIMED; mode++) {
        struct seen one = {0}, two = {0};
        run_rounds(NULL, 1, mode, &one);
        run_rounds(NULL, 2, mode, &two);
        assert_memory_equal(&one, &two, sizeof one);
        assert_true(one.words[ROUNDS - 1][0][3] > 1); /* it was retrained */
    }
}

/* Each chip in a process of its own. */
static void processes_make_no_difference(void **context)
{
    static const uint16_t owner[] = {0, 1};
    for (enum bh_mode mode = BH_MODE_FUNCTIONAL; mode <= BH_MODE_TIMED; mode++) {
        struct seen one = {0};
        struct seen *two = mmap(NULL, sizeof *two, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        struct shared *shared = shared_create(2);
        run_rounds(NULL, 1, mode, &one);
        for (unsigned rank = 0; rank < 2; rank++) {
            if (fork() == 0) {
                struct shared_end *end = shared_join(shared, &(struct shared_options){.rank = rank});
                const struct system_part part = {rank, 2, owner, shared_exchange(end)};
                run_rounds(&part, 1, mode, two);
                shared_leave(end);
                _exit(0);
            }
        }
        for (unsigned rank = 0; rank < 2; rank++) {
            int status;
            assert_true(wait(&status) > 0);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
        assert_memory_equal(&one, two, sizeof one);
        shared_destroy(shared);
        munmap(two, sizeof *two);
    }
}

/* Telemetry of the ARC processor says which links are up (tag 21). */
static void telemetry_tells_of_links(void **context)
{
    struct bh_system *system = open_system(1, BH_MODE_FUNCTIONAL);
    struct bh_device *device = bh_system_chip(system, 0);
    uint32_t tags, values, count, entry, index = 0;
    assert_int_equal(bh_read(device, 8, 0, 0x80030434, &tags, 4), BH_OK);
    assert_int_equal(bh_read(device, 8, 0, 0x80030430, &values, 4), BH_OK);
    assert_int_equal(bh_read(device, 8, 0, tags + 4, &count, 4), BH_OK);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(bh_read(device, 8, 0, tags + 8 + 4 * i, &entry, 4), BH_OK);
        index = (entry & 0xffff) == 21 ? entry >> 16 : index;
    }
    for (unsigned in = 0; in < 2; in++) {
        uint32_t links = 0;
        assert_int_equal(bh_system_plug(system, ends[0], in), BH_OK);
        (void)bh_system_advance(system, LINK_TRAINING + EPOCH);
        assert_int_equal(bh_read(device, 8, 0, values + 4 * index, &links, 4), BH_OK);
        assert_int_equal(links >> 16, in ? 0xc : 0x8);
    }
    bh_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cable_is_pulled_and_plugged_in),
        cmocka_unit_test(there_is_no_link_elsewhere),
        cmocka_unit_test(firmware_switches_a_port),
        cmocka_unit_test(ports_are_initialised),
        cmocka_unit_test(initialising_a_port_ends_without_a_cable_too),
        cmocka_unit_test(words_wait_for_a_program_that_asks),
        cmocka_unit_test(packets_are_sent_again),
        cmocka_unit_test(training_configures_queues_again),
        cmocka_unit_test(packets_on_their_way_arrive_later),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(processes_make_no_difference),
        cmocka_unit_test(telemetry_tells_of_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
