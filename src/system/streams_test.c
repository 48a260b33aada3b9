/* Overlay streams over links: random messages from software of one chip to software of the chip after the next one, by
   streams alone. Of the chip between them one Ethernet tile's stream receives over its link and transmits over the NoC
   to another Ethernet tile's, which transmits over its link. Messages arrive whole and in order, whatever a link takes,
   and at the same clocks on any number of threads, in any number of processes. Source: ISA documentation
   NoC/Overlay/TransferBetweenTiles.md, EthernetTile/EthernetTxRx.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bhemu/snapshot.h"
#include "chip/device_state.h"
#include "chip/ethernet/link_constants.h"
#include "noc/streams_fixture.h"
#include "system/part.h"
#include "system/shared.h"
#include "util/sanitized.h"
#include "util/xorshift.h"

enum { CHIPS = 3, LANES = 4, X_0 = 20, Y_0 = 25, LEFT = 4, RIGHT = 5, MOST = 24, ROUNDS = 1200 };
enum { OVER_LINK = 63 | 63 << 6, HEADER_FORMAT = 0x48, MAX_PACKET = 0xc, PLACE = 0x4000, HEADERS_AT = 0x3000 };
#define RX_0 0xFFB94000u
#define TX_0 0xFFB90000u

/* A way of messages: four streams, one behind the other, and the messages. */
struct lane {
    struct place {
        unsigned chip, channel, stream;
        uint32_t size; /* of its buffer */
    } place[4];
    uint32_t buffer, phase, seed, messages, length[MOST];
    uint32_t pushed, pulled;
};

/* When what was pulled, and what of it was wrong. Processes share it. */
struct seen {
    uint64_t clock[LANES][MOST];
    uint32_t wrong[LANES];
};

static uint32_t under(uint64_t *random, uint32_t most)
{
    return xorshift64_word(random) % most;
}

static struct bh_device *chip_of(struct bh_system *system, const struct place *place)
{
    return bh_system_chip(system, place->chip); /* null: another process has it */
}

static void write_word(struct bh_system *system, const struct place *place, uint32_t address, uint32_t word)
{
    assert_int_equal(bh_write(chip_of(system, place), X_0 + place->channel, Y_0, address, &word, sizeof word), BH_OK);
}

static uint32_t read_word(struct bh_system *system, const struct place *place, uint32_t address)
{
    uint32_t word;
    assert_int_equal(bh_read(chip_of(system, place), X_0 + place->channel, Y_0, address, &word, sizeof word), BH_OK);
    return word;
}

static uint32_t stream_register(const struct place *place, uint32_t index)
{
    return 0xFFB40000u + place->stream * 0x1000 + index * 4;
}

static void set(struct bh_system *system, const struct place *place, uint32_t index, uint32_t value)
{
    write_word(system, place, stream_register(place, index), value);
}

static uint32_t look(struct bh_system *system, const struct place *place, uint32_t index)
{
    return read_word(system, place, stream_register(place, index));
}

/* Streams 0 to 3 and 8 to 11 have a peer over the link; lanes that share a tile have different ones. */
static void choose(struct lane lanes[LANES], uint64_t seed)
{
    uint64_t random = seed * 0x9e3779b97f4a7c15u | 1;
    for (unsigned i = 0; i < LANES; i++) {
        struct lane *lane = &lanes[i];
        bool back = i % 2;
        unsigned linked = (i * 2 + under(&random, 2)) % 4 + 8 * (i / 2);
        *lane = (struct lane){.buffer = 0x20000 + i * PLACE, .phase = 1 + under(&random, 1000)};
        lane->place[0] = (struct place){back ? 2 : 0, back ? LEFT : RIGHT, linked, 0};
        lane->place[1] = (struct place){1, back ? RIGHT : LEFT, linked, 0};
        lane->place[2] = (struct place){1, back ? LEFT : RIGHT, linked, 0};
        lane->place[3] = (struct place){back ? 0 : 2, back ? RIGHT : LEFT, linked, 0};
        for (unsigned k = 0; k < 4; k++) {
            lane->place[k].size = 16 + under(&random, 60);
        }
        lane->seed = xorshift64_word(&random);
        lane->messages = 1 + under(&random, MOST);
        for (unsigned m = 0; m < lane->messages; m++) {
            lane->length[m] = 1 + under(&random, 8);
        }
    }
}

/* A stream's buffer, where it transmits to, and where it receives from: the neighbours, by name or over the link. */
static void configure(struct bh_system *system, const struct lane *lane, unsigned k)
{
    const struct place *place = &lane->place[k], *to = place + 1, *from = place - 1;
    struct place first = {place->chip, place->channel, 0, 0};
    bool to_link = k == 0 || k == 2, from_link = k == 1 || k == 3;
    uint32_t headers = (lane->buffer + HEADERS_AT) >> SHIFT, config = 0;
    write_word(system, place, RX_0 + HEADER_FORMAT, LENGTH_IN_BITS_31_0);
    write_word(system, place, TX_0 + MAX_PACKET, 320);
    set(system, &first, MSG_HEADER_FORMAT, LENGTH_IN_BITS_31_0);
    set(system, place, BUF_START, lane->buffer >> SHIFT);
    set(system, place, BUF_SIZE, place->size);
    set(system, place, MSG_INFO_PTR, headers);
    set(system, place, MSG_INFO_WR_PTR, headers);
    if (k < 3) {
        uint32_t toward = to_link ? OVER_LINK : (X_0 + to->channel) | Y_0 << 6;
        set(system, place, REMOTE_DEST, toward | to->stream << 12);
        set(system, place, REMOTE_DEST_BUF_START, lane->buffer >> SHIFT);
        set(system, place, REMOTE_DEST_BUF_SIZE, to->size);
        set(system, place, REMOTE_DEST_MSG_INFO_WR_PTR, headers);
        config |= REMOTE_RECEIVER | DEST_CHANGE;
    }
    if (k > 0) {
        uint32_t toward = from_link ? OVER_LINK : (X_0 + from->channel) | Y_0 << 6;
        set(system, place, REMOTE_SRC, toward | from->stream << 12);
        set(system, place, REMOTE_SRC_PHASE, lane->phase);
        config |= REMOTE_SOURCE | SRC_CHANGE;
    }
    config |= k == 0 ? SOURCE_ENDPOINT : k == 3 ? RECEIVER_ENDPOINT : 0;
    set(system, place, MISC_CFG, config);
    set(system, place, CURR_PHASE, lane->phase);
    set(system, place, HEADER, lane->messages << 12);
    set(system, place, PHASE_ADVANCE, 1);
}

static uint32_t word_of(const struct lane *lane, uint32_t message, uint32_t index)
{
    return index ? lane->seed + message * 0x10000 + index : lane->length[message];
}

static void push_message(struct bh_system *system, struct lane *lane)
{
    const struct place *place = lane->place;
    uint32_t length = lane->length[lane->pushed];
    uint32_t at = look(system, place, WR_PTR), headers = look(system, place, MSG_INFO_WR_PTR) << SHIFT;
    for (uint32_t i = 0; i < length * 4; i++) {
        uint32_t word = word_of(lane, lane->pushed, i);
        write_word(system, place, lane->buffer + (at * 16 + i * 4) % (place->size * 16), word);
        if (i < 4) {
            write_word(system, place, headers + i * 4, word);
        }
    }
    set(system, place, NUM_MSGS_RECEIVED_INC, length << 12 | 1);
    lane->pushed++;
}

static void pull_message(struct bh_system *system, struct lane *lane, uint64_t *clock, uint32_t *wrong)
{
    const struct place *place = &lane->place[3];
    uint32_t at = look(system, place, NEXT_ADDRESS) - (lane->buffer >> SHIFT), length = look(system, place, NEXT_SIZE);
    *clock = bh_system_clock(system);
    *wrong += length != lane->length[lane->pulled];
    set(system, place, MSG_INFO_CLEAR, 1);
    for (uint32_t i = 0; i < lane->length[lane->pulled] * 4; i++) {
        uint32_t word = read_word(system, place, lane->buffer + (at * 16 + i * 4) % (place->size * 16));
        *wrong += word != word_of(lane, lane->pulled, i);
    }
    set(system, place, MSG_DATA_CLEAR, 1);
    lane->pulled++;
}

static struct bh_system *open_row(const struct system_part *part, unsigned threads, enum bh_mode mode)
{
    static const struct bh_link links[] = {{{{0, RIGHT}, {1, LEFT}}}, {{{1, RIGHT}, {2, LEFT}}}};
    static const struct bh_topology_chip chips[CHIPS] = {{.asic_id = 1}, {.asic_id = 2}, {.asic_id = 3}};
    const struct bh_topology topology = {"row", chips, CHIPS, links, 2};
    struct bh_system_config config = {.device = {.mode = mode}, .threads = threads};
    struct bh_system *system;
    assert_int_equal(system_create(&topology, &config, part, &system, NULL), BH_OK);
    return system;
}

/* Software of a chip pushes while there is room, and pulls what has come; it knows of its own chip only. */
static void serve(struct bh_system *system, struct lane *lane, uint64_t *random, struct seen *seen, unsigned number)
{
    bool pushes = under(random, 3), pulls = under(random, 3);
    if (chip_of(system, &lane->place[0])) {
        while (pushes && lane->pushed < lane->messages &&
               look(system, lane->place, BUF_SPACE_AVAILABLE) >= lane->length[lane->pushed] &&
               look(system, lane->place, NUM_MSGS_RECEIVED) < 8) {
            push_message(system, lane);
        }
    }
    if (chip_of(system, &lane->place[3])) {
        while (pulls && lane->pulled < lane->messages && look(system, &lane->place[3], NUM_MSGS_RECEIVED)) {
            pull_message(system, lane, &seen->clock[number][lane->pulled], &seen->wrong[number]);
        }
    }
}

/* Software of all lanes, and how far it has come. */
struct run {
    struct lane lanes[LANES];
    uint64_t random;
    unsigned round;
};

static void begin(struct run *run, uint64_t seed, struct bh_system *system)
{
    *run = (struct run){.random = seed * 77 + 1};
    choose(run->lanes, seed);
    for (unsigned i = 0; i < LANES; i++) {
        for (unsigned k = 0; k < 4; k++) {
            if (chip_of(system, &run->lanes[i].place[k])) {
                configure(system, &run->lanes[i], k);
            }
        }
    }
}

static void go_on(struct run *run, struct bh_system *system, unsigned rounds, struct seen *seen)
{
    for (; run->round < rounds; run->round++) {
        for (unsigned i = 0; i < LANES; i++) {
            serve(system, &run->lanes[i], &run->random, seen, i);
        }
        (void)bh_system_advance(system, 1 + under(&run->random, 700));
    }
}

static void all_are_pulled(const struct run *run, struct bh_system *system, const struct seen *seen)
{
    for (unsigned i = 0; i < LANES; i++) {
        if (chip_of(system, &run->lanes[i].place[3])) {
            assert_int_equal(run->lanes[i].pulled, run->lanes[i].messages);
            assert_int_equal(seen->wrong[i], 0);
        }
    }
}

static void run_lanes(uint64_t seed, enum bh_mode mode, const struct system_part *part, unsigned threads,
                      struct seen *seen)
{
    struct run run;
    struct bh_system *system = open_row(part, threads, mode);
    begin(&run, seed, system);
    go_on(&run, system, ROUNDS, seen);
    all_are_pulled(&run, system, seen);
    bh_system_destroy(system);
}

static void run_processes(uint64_t seed, enum bh_mode mode, unsigned ranks, struct seen *seen)
{
    uint64_t random = seed * 99 + ranks;
    uint16_t owner[CHIPS];
    struct shared *shared = shared_create(ranks);
    for (unsigned i = 0; i < CHIPS; i++) {
        owner[i] = (uint16_t)under(&random, ranks);
    }
    for (unsigned rank = 0; rank < ranks; rank++) {
        if (fork() == 0) {
            struct shared_end *end = shared_join(shared, &(struct shared_options){.rank = rank});
            const struct system_part part = {rank, ranks, owner, shared_exchange(end)};
            run_lanes(seed, mode, &part, 1, seen);
            shared_leave(end);
            _exit(0);
        }
    }
    for (unsigned rank = 0; rank < ranks; rank++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    shared_destroy(shared);
}

static void messages_pass_through_a_chip(enum bh_mode mode)
{
    struct seen *seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (uint64_t seed = 1; seed <= FEWER_IF_SANITIZED(8); seed++) {
        struct seen one = {0};
        run_lanes(seed, mode, NULL, 1, &one);
        for (unsigned threads = 2; threads <= 4; threads++) {
            struct seen more = {0};
            run_lanes(seed, mode, NULL, threads, &more);
            assert_memory_equal(&more, &one, sizeof one);
        }
        for (unsigned ranks = 2; ranks <= CHIPS; ranks++) {
            memset(seen, 0, sizeof *seen);
            run_processes(seed, mode, ranks, seen);
            assert_memory_equal(seen, &one, sizeof one);
        }
    }
    munmap(seen, sizeof *seen);
}

static void messages_pass_through_a_chip_functional(void **context)
{
    messages_pass_through_a_chip(BH_MODE_FUNCTIONAL);
}

static void messages_pass_through_a_chip_timed(void **context)
{
    messages_pass_through_a_chip(BH_MODE_TIMED);
}

/* Snapshots of all chips, taken while messages are on their way, go on in another system. */
static void messages_go_on_from_snapshots(void **context)
{
    enum { EPOCH = LINK_LATENCY };
    for (uint64_t seed = 1; seed <= FEWER_IF_SANITIZED(8); seed++) {
        enum bh_mode mode = seed % 2 ? BH_MODE_FUNCTIONAL : BH_MODE_TIMED;
        struct bh_system *one = open_row(NULL, 1, mode), *other = open_row(NULL, 2, mode);
        struct bh_snapshot *saved[CHIPS];
        struct seen seen = {0}, again;
        struct bh_error error;
        struct run run;
        begin(&run, seed, one);
        go_on(&run, one, (unsigned)seed * 4, &seen);
        (void)bh_system_advance(one, EPOCH - bh_system_clock(one) % EPOCH);
        struct run run_again = run;
        struct system_position position = system_position(one);
        again = seen;
        for (unsigned i = 0; i < CHIPS; i++) {
            assert_int_equal(bh_snapshot_take(bh_system_chip(one, i), &saved[i]), BH_OK);
            assert_int_equal(bh_snapshot_restore(bh_system_chip(other, i), saved[i], &error), BH_OK);
            bh_snapshot_free(saved[i]);
        }
        system_set_position(other, &position);
        go_on(&run, one, ROUNDS, &seen);
        go_on(&run_again, other, ROUNDS, &again);
        all_are_pulled(&run, one, &seen);
        assert_memory_equal(&again, &seen, sizeof seen);
        bh_system_destroy(one);
        bh_system_destroy(other);
    }
}

/* What comes to the chip in the middle over the first lane's link in an epoch: when the last bytes of its packets will
   have. The host pushes a message some cycles after the epoch has begun, and lets time pass in parts. */
static uint64_t arrivals(uint64_t cycles_of_a_call)
{
    enum { EPOCHS = 20, BEFORE = 57 };
    struct bh_system *system = open_row(NULL, 1, BH_MODE_TIMED);
    struct run run;
    uint64_t all = 0;
    begin(&run, 1, system);
    const struct place *to = &run.lanes[0].place[1];
    const struct wire *wire = &chip_of(system, to)->wire;
    for (unsigned epoch = 0; epoch < EPOCHS; epoch++) {
        uint64_t end = bh_system_clock(system) + LINK_LATENCY, now;
        (void)bh_system_advance(system, BEFORE);
        if (run.lanes[0].pushed < run.lanes[0].messages &&
            look(system, &run.lanes[0].place[0], NUM_MSGS_RECEIVED) < 8) {
            push_message(system, &run.lanes[0]);
        }
        while ((now = bh_system_clock(system)) < end) {
            uint64_t part = end - now < cycles_of_a_call ? end - now : cycles_of_a_call;
            struct bh_run_result result;
            assert_int_equal(bh_system_run(system, part, &result), BH_OK);
            (void)bh_system_advance(system, now + part - bh_system_clock(system)); /* where it was idle */
        }
        for (size_t at = wire->in [to->channel].at; at < wire->in[to->channel].size;) {
            const struct wire_message *message = (const void *)(wire->in[to->channel].bytes + at);
            all = all * 31 + message->arrives;
            at += sizeof *message + (message->size + 7) / 8 * 8;
        }
    }
    bh_system_destroy(system);
    return all;
}

static void packets_leave_at_their_time(void **context)
{
    const uint64_t whole = arrivals(LINK_LATENCY);
    assert_true(whole != 0);
    for (uint64_t cycles = 1; cycles < 30; cycles += 4) {
        assert_int_equal(arrivals(cycles), whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_pass_through_a_chip_functional),
        cmocka_unit_test(messages_pass_through_a_chip_timed),
        cmocka_unit_test(messages_go_on_from_snapshots),
        cmocka_unit_test(packets_leave_at_their_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
