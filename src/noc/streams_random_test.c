/* Random phases of overlay streams, against a model of what the documentation says that they do: messages arrive whole
   and in order, however they are cut into packets; a sender takes what its buffer has room for, a receiver is sent what
   its buffer has room for, both count that room, and what software gives back is told to the sender at once, or from a
   threshold on. Source: ISA documentation NoC/Overlay/README.md, ReceiveFromSoftware.md, TransferBetweenTiles.md,
   TransmitToSoftware.md; tt-metal noc_overlay_parameters.h. */
#include "noc/streams_fixture.h"

#include "util/xorshift.h"

enum {
    PHASES = 400,
    MOST_MESSAGES = 30,
    FIFO = 16,
    LAST_BIT = 40, /* of a header */
    LAST_TILE = 29,
    LINK_X = 20,
    LINK_Y = 25,
};

/* A phase: what it is configured to be, and how far software has come. */
struct phase {
    struct end from, to;
    bool endless, wrapping_headers, link, relayed;
    uint32_t threshold, size, to_size, messages, number;
    uint32_t length[MOST_MESSAGES], seed;
    uint32_t pushed, pulled, pushed_units, pulled_units;
};

static uint32_t under(uint64_t *random, uint32_t most)
{
    return xorshift64_word(random) % most;
}

static uint32_t word_of(const struct phase *phase, uint32_t message, uint32_t index)
{
    bool last = phase->endless && message == phase->messages - 1;
    return index == 0   ? phase->length[message]
           : index == 1 ? (uint32_t)last << (LAST_BIT - 32)
                        : phase->seed + message * 0x10000 + index;
}

static void place_buffers(struct fixture *fixture, struct end end, uint32_t start, uint32_t headers, uint32_t size)
{
    put(fixture, (struct end){end.x, end.y, 0}, MSG_HEADER_FORMAT, LENGTH_IN_BITS_31_0 | LAST_BIT << 14);
    put(fixture, end, BUF_START, start >> SHIFT);
    put(fixture, end, BUF_SIZE, size);
    put(fixture, end, MSG_INFO_PTR, headers >> SHIFT);
    put(fixture, end, MSG_INFO_WR_PTR, headers >> SHIFT);
}

enum { TO_BUFFER = 0x30000, TO_HEADERS = 0x38000, RELAY_BUFFER = 0x40000, RELAY_HEADERS = 0x48000, PLACES = 8 };

static void lead(struct fixture *fixture, struct end end, struct end to, bool link, uint32_t start, uint32_t headers,
                 uint32_t size)
{
    put(fixture, end, REMOTE_DEST, link ? 63 | 63 << 6 | to.stream << 12 : name(to));
    put(fixture, end, REMOTE_DEST_BUF_START, start >> SHIFT);
    put(fixture, end, REMOTE_DEST_BUF_SIZE, size);
    put(fixture, end, REMOTE_DEST_MSG_INFO_WR_PTR, headers >> SHIFT);
}

static void start_receiver(struct fixture *fixture, const struct phase *phase, struct end source, uint32_t config)
{
    place_buffers(fixture, phase->to, TO_BUFFER, TO_HEADERS, phase->to_size);
    put(fixture, phase->to, REMOTE_SRC, phase->link ? 63 | 63 << 6 | source.stream << 12 : name(source));
    put(fixture, phase->to, REMOTE_SRC_PHASE, phase->number);
    put(fixture, phase->to, ACK_THRESHOLD, phase->threshold);
    if (phase->wrapping_headers) {
        put(fixture, phase->to, MSG_INFO_BUF_SIZE, 2); /* 8 places */
        put(fixture, phase->to, MSG_INFO_WR_PTR, 0);
        config |= WRAPPING_HEADERS;
    }
    advance(fixture, phase->to, config | REMOTE_SOURCE | RECEIVER_ENDPOINT | SRC_CHANGE, 1, phase->messages);
}

static void start_sender(struct fixture *fixture, const struct phase *phase, struct end to, uint32_t config)
{
    place_buffers(fixture, phase->from, BUFFER, HEADERS, phase->size);
    if (phase->relayed) {
        lead(fixture, phase->from, to, false, RELAY_BUFFER, RELAY_HEADERS, phase->to_size);
    } else {
        lead(fixture, phase->from, to, phase->link, TO_BUFFER, TO_HEADERS, phase->to_size);
    }
    if (phase->wrapping_headers && !phase->relayed) {
        put(fixture, phase->from, REMOTE_DEST_MSG_INFO_BUF_SIZE, 2);
        put(fixture, phase->from, REMOTE_DEST_MSG_INFO_WRAP_WR_PTR, 0);
        config |= DEST_WRAPPING_HEADERS;
    }
    advance(fixture, phase->from, config | SOURCE_ENDPOINT | REMOTE_RECEIVER | DEST_CHANGE, phase->number,
            phase->messages);
}

static void start_relay(struct fixture *fixture, const struct phase *phase, struct end relay, uint32_t config)
{
    place_buffers(fixture, relay, RELAY_BUFFER, RELAY_HEADERS, phase->to_size);
    lead(fixture, relay, phase->to, false, TO_BUFFER, TO_HEADERS, phase->to_size);
    put(fixture, relay, REMOTE_SRC, name(phase->from));
    put(fixture, relay, REMOTE_SRC_PHASE, phase->number);
    put(fixture, relay, ACK_THRESHOLD, 0);
    if (phase->wrapping_headers) {
        put(fixture, relay, REMOTE_DEST_MSG_INFO_BUF_SIZE, 2);
        put(fixture, relay, REMOTE_DEST_MSG_INFO_WRAP_WR_PTR, 0);
        config |= DEST_WRAPPING_HEADERS;
    }
    advance(fixture, relay, config | REMOTE_SOURCE | REMOTE_RECEIVER | SRC_CHANGE | DEST_CHANGE, phase->number,
            phase->messages);
}

static void push_next(struct fixture *fixture, struct phase *phase)
{
    struct end from = phase->from;
    uint32_t at = get(fixture, from, WR_PTR), headers = get(fixture, from, MSG_INFO_WR_PTR) * 16;
    uint32_t length = phase->length[phase->pushed], last = phase->endless && phase->pushed == phase->messages - 1;
    for (uint32_t i = 0; i < length * 4; i++) {
        uint32_t word = word_of(phase, phase->pushed, i);
        put_word(fixture, from.x, from.y, BUFFER + (at * 16 + i * 4) % (phase->size * 16), word);
        if (i < 4) {
            put_word(fixture, from.x, from.y, headers + i * 4, word);
        }
    }
    put(fixture, from, NUM_MSGS_RECEIVED_INC, length << 12 | 1 | last << LAST_TILE);
    phase->pushed++;
    phase->pushed_units += length;
}

static void pull_next(struct fixture *fixture, struct phase *phase)
{
    struct end to = phase->to;
    uint32_t length = phase->length[phase->pulled], at = get(fixture, to, NEXT_ADDRESS) - (TO_BUFFER >> SHIFT);
    assert_int_equal(get(fixture, to, NEXT_SIZE), length);
    put(fixture, to, MSG_INFO_CLEAR, 1);
    for (uint32_t i = 0; i < length * 4; i++) {
        assert_int_equal(get_word(fixture, to.x, to.y, TO_BUFFER + (at * 16 + i * 4) % (phase->to_size * 16)),
                         word_of(phase, phase->pulled, i));
    }
    put(fixture, to, MSG_DATA_CLEAR, 1);
    phase->pulled++;
    phase->pulled_units += length;
}

/* Once nothing moves any more, of a phase between two streams that tell each other at once. */
static void compare_with_model(struct fixture *fixture, const struct phase *phase)
{
    uint32_t most = phase->pulled_units + phase->to_size;
    uint32_t sent = phase->pushed_units < most ? phase->pushed_units : most;
    uint32_t whole = 0, units = 0;
    while (whole < phase->pushed && units + phase->length[whole] <= sent) {
        units += phase->length[whole++];
    }
    uint32_t received = whole - phase->pulled;
    assert_int_equal(get(fixture, phase->to, NUM_MSGS_RECEIVED), received < FIFO ? received : FIFO);
    assert_int_equal(get(fixture, phase->to, IN_BUF_AND_MEM), received);
    assert_int_equal(get(fixture, phase->to, BUF_SPACE_AVAILABLE), phase->to_size - (sent - phase->pulled_units));
    assert_int_equal(get(fixture, phase->from, BUF_SPACE_AVAILABLE), phase->size - (phase->pushed_units - sent));
    assert_int_equal(get(fixture, phase->from, DEST_SPACE), phase->to_size - (sent - phase->pulled_units));
    assert_int_equal(get(fixture, phase->to, WR_PTR), sent % phase->to_size);
    assert_int_equal(get(fixture, phase->to, RD_PTR), phase->pulled_units % phase->to_size);
    assert_int_equal(get(fixture, phase->from, REMOTE_DEST_WR_PTR), sent % phase->to_size);
}

static struct phase choose(uint64_t *random, unsigned number)
{
    struct phase phase = {.number = number + 1, .seed = under(random, UINT32_MAX)};
    phase.link = under(random, 4) == 0;
    phase.relayed = !phase.link && under(random, 3) == 0;
    phase.endless = under(random, 3) == 0;
    phase.wrapping_headers = under(random, 3) == 0;
    phase.threshold = under(random, 2) ? under(random, 9) : 0;
    phase.messages = 1 + under(random, MOST_MESSAGES);
    phase.size = 8 + under(random, 40);
    phase.to_size = 16 + under(random, 40); /* half of it, and the longest message, find room */
    for (unsigned i = 0; i < phase.messages; i++) {
        phase.length[i] = 1 + under(random, 8);
    }
    phase.from = phase.link ? (struct end){LINK_X, LINK_Y, under(random, 4)}
                            : (struct end){1 + under(random, 3), 3, under(random, 64)};
    phase.to = phase.link ? (struct end){LINK_X, LINK_Y, 8 + under(random, 4)}
                          : (struct end){5 + under(random, 2), 4, under(random, 64)};
    return phase;
}

static void pass(struct fixture *fixture, struct phase *phase, uint64_t *random)
{
    struct end relay = {11, 5, under(random, 64)};
    uint32_t nocs = under(random, 4) << 1, endless = phase->endless ? INFINITE : 0;
    if (under(random, 2)) {
        start_sender(fixture, phase, phase->relayed ? relay : phase->to, nocs | endless);
        start_receiver(fixture, phase, phase->relayed ? relay : phase->from, nocs | endless);
    } else {
        start_receiver(fixture, phase, phase->relayed ? relay : phase->from, nocs | endless);
        start_sender(fixture, phase, phase->relayed ? relay : phase->to, nocs | endless);
    }
    if (phase->relayed) {
        start_relay(fixture, phase, relay, nocs | endless);
    }
    bool modelled = !phase->relayed && !phase->wrapping_headers && phase->threshold % 8 == 0;
    for (unsigned idle = 0; phase->pulled < phase->messages; idle++) {
        assert_in_range(idle, 0, 2000);
        while (phase->pushed < phase->messages && under(random, 3) &&
               get(fixture, phase->from, BUF_SPACE_AVAILABLE) >= phase->length[phase->pushed]) {
            push_next(fixture, phase);
        }
        for (unsigned i = under(random, 3); i; i--) {
            exchange(fixture);
        }
        if (modelled && under(random, 4) == 0) {
            for (unsigned i = 0; i < 40; i++) {
                exchange(fixture);
            }
            compare_with_model(fixture, phase);
        }
        while (get(fixture, phase->to, NUM_MSGS_RECEIVED) && under(random, 3)) {
            pull_next(fixture, phase);
        }
    }
    for (unsigned i = 0; i < 20; i++) {
        exchange(fixture);
    }
    assert_int_equal(get(fixture, phase->from, WAIT_STATUS), IDLE);
    assert_int_equal(get(fixture, phase->to, WAIT_STATUS), IDLE);
    assert_int_equal(get(fixture, phase->from, BUF_SPACE_AVAILABLE), phase->size);
    if (phase->relayed) {
        assert_int_equal(get(fixture, relay, WAIT_STATUS), IDLE);
    }
}

/* What the command line may say. */
static unsigned phases = PHASES;
static uint64_t seed = 1;

static void messages_arrive_whole_and_in_order(void **context)
{
    struct fixture *fixture = *context;
    uint64_t random = seed * 0x9e3779b97f4a7c15u;
    put_word(fixture, LINK_X, LINK_Y, 0xFFB94048, LENGTH_IN_BITS_31_0); /* ETH_RXQ_TILE_HEADER_FORMAT */
    put_word(fixture, LINK_X, LINK_Y, 0xFFB9000C, 64);                  /* ETH_TXQ_MAX_PKT_SIZE_BYTES */
    for (unsigned i = 0; i < phases; i++) {
        struct phase phase = choose(&random, i);
        pass(fixture, &phase, &random);
    }
}

int main(int argc, char **argv)
{
    phases = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : phases;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : seed;
    const struct CMUnitTest tests[] = {TEST(messages_arrive_whole_and_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
