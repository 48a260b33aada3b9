/* Random systems for tests: programs on random topologies, and a digest of what they leave. */
#ifndef BHEMU_SYSTEM_RANDOM_SYSTEMS_H
#define BHEMU_SYSTEM_RANDOM_SYSTEMS_H

#include <stdlib.h>
#include <string.h>

#include "system/programs.h"
#include "util/hash.h"

static inline uint32_t random_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* RX queue 2 takes raw frames of all kinds, in a buffer that is full before the program ends, and then begins anew. */
enum { RAW = 1, RAW_QUEUE = 2, RAW_BUFFER = 0x1C000, RAW_BUFFER_BYTES = 0x200, EACH_TO_2 = 0xaaa, RX_WRAPS = 1 << 2 };
#define RX_ROUTING 0xFFB98154u

static inline void emit_raw_queue(struct code *code)
{
    uint32_t base = RX + RAW_QUEUE * QUEUE;
    store(code, base + RX_CTRL, RX_WRAPS);
    store(code, base + RX_BUFFER, RAW_BUFFER / 16);
    store(code, base + RX_BUFFER_SIZE, RAW_BUFFER_BYTES / 16);
    store(code, RX_ROUTING, EACH_TO_2);
}

/* A write over the NoC, by an Ethernet tile, to L1 of the Ethernet tile of the next channel. */
static inline void emit_noc_write(struct code *code, unsigned channel, uint32_t from, uint32_t to, uint32_t size)
{
    enum { WRITE = 1 << 1, RESPONSE = 1 << 4 };
    store(code, NIU + 0x00, from);
    store(code, NIU + 0x08, (X + channel) | Y << 6);
    store(code, NIU + 0x0c, to);
    store(code, NIU + 0x14, (X + (channel + 1) % 12) | Y << 6);
    store(code, NIU + 0x1c, WRITE | RESPONSE);
    store(code, NIU + 0x20, size);
    store(code, NIU + 0x40, 1);
    emit(code, lw(T1, T0, 0));
    emit(code, bne(T1, 0, -4));
}

static inline struct code random_program(uint64_t *seed, unsigned channel)
{
    struct code code = {0};
    emit_raw_queue(&code);
    for (unsigned i = 0; i < 24; i++) {
        uint32_t kind = random_number(seed) % 10, queue = random_number(seed) % 2;
        uint32_t at = 0x10000 + random_number(seed) % 0x400 * 16, to = 0x10000 + random_number(seed) % 0x400 * 16;
        if (kind < 2) {
            emit_send(&code, queue, L1_WRITE, at, 16 * (random_number(seed) % 64), to);
        } else if (kind == 2) {
            store(&code, TX + queue * QUEUE + TX_DATA, random_number(seed));
            emit_send(&code, queue, MMIO_WRITE, 0, 0, E1_END_PC);
        } else if (kind == 3) { /* as long as what it reads says */
            load(&code, T0, at);
            emit(&code, lw(T1, T0, 0));
            emit(&code, 0x03f37313); /* andi t1, t1, 63 */
            emit(&code, addi(T1, T1, 1));
            emit(&code, addi(T1, T1, -1));
            emit(&code, bne(T1, 0, -4));
        } else if (kind == 4) { /* adds what has come to what is here */
            load(&code, T0, at);
            emit(&code, FENCE);
            emit(&code, lw(T1, T0, 0));
            load(&code, T0, to);
            emit(&code, lw(T2, T0, 0));
            emit(&code, 0x007303b3); /* add t2, t1, t2 */
            emit(&code, addi(T2, T2, 1));
            emit(&code, sw(T2, T0, 0));
        } else if (kind == 5) {
            emit_send(&code, random_number(seed) % 3, RAW, at + random_number(seed) % 16,
                      14 + random_number(seed) % 300, 0);
        } else if (kind == 6) {
            emit_noc_write(&code, channel, at, to, 16 * (1 + random_number(seed) % 16));
        } else {
            store(&code, at, random_number(seed));
        }
    }
    emit(&code, SELF_JUMP);
    return code;
}

/* How a random system is run. */
struct way {
    unsigned threads;
    uint64_t step; /* of cycles; 0: all at once, by bh_system_run() */
};

enum { RANDOM_CHIPS = 6, RANDOM_LINKS = 20, RANDOM_CYCLES = 30000 };

static inline unsigned random_links(uint64_t *seed, struct bh_link links[RANDOM_LINKS])
{
    bool used[RANDOM_CHIPS][12] = {{false}};
    unsigned count = 0;
    for (unsigned i = 0; i < RANDOM_LINKS; i++) {
        struct bh_link link;
        for (unsigned end = 0; end < 2; end++) {
            link.end[end] = (struct bh_link_end){random_number(seed) % RANDOM_CHIPS, random_number(seed) % 12};
        }
        bool *one = &used[link.end[0].chip][link.end[0].channel], *other = &used[link.end[1].chip][link.end[1].channel];
        if (!*one && !*other && one != other) {
            *one = *other = true;
            links[count++] = link;
        }
    }
    return count;
}

/* What the programs at one end of a link have left. */
struct left {
    uint64_t hash;
    uint32_t received; /* packets and raw frames */
};

static inline struct left what_is_left(struct bh_system *system, const struct bh_link_end *end)
{
    static uint8_t bytes[0x20000];
    assert_int_equal(bh_read(bh_system_chip(system, end->chip), X + end->channel, Y, 0, bytes, sizeof bytes), BH_OK);
    uint32_t words[] = {get(system, end->chip, end->channel, E1_END_PC),
                        get(system, end->chip, end->channel, RX + 0x28),
                        get(system, end->chip, end->channel, RX + QUEUE + 0x28),
                        get(system, end->chip, end->channel, RX + RAW_QUEUE * QUEUE + 0x08),
                        get(system, end->chip, end->channel, RX + RAW_QUEUE * QUEUE + 0x28)};
    uint64_t hash = hash_of(0xcbf29ce484222325u, bytes, sizeof bytes);
    return (struct left){hash_of(hash, words, sizeof words), words[1] + words[2] + words[4]};
}

/* A random topology. */
struct random_topology {
    struct bh_topology_chip chips[RANDOM_CHIPS];
    struct bh_link links[RANDOM_LINKS];
    struct bh_topology topology;
};

static inline void random_topology(uint64_t *seed, struct random_topology *random)
{
    memset(random, 0, sizeof *random);
    for (unsigned i = 0; i < RANDOM_CHIPS; i++) {
        random->chips[i].asic_id = i + 1;
    }
    unsigned links = random_links(seed, random->links);
    random->topology = (struct bh_topology){"random", random->chips, RANDOM_CHIPS, random->links, links};
}

/* Lets so many cycles pass. */
static inline void let_pass(struct bh_system *system, struct way way, uint64_t cycles)
{
    if (way.step == 0) {
        assert_int_equal(bh_system_run(system, cycles, NULL), BH_OK);
        (void)bh_system_advance(system, cycles - bh_system_clock(system));
    }
    for (uint64_t rest = way.step ? cycles : 0; rest;) {
        uint64_t step = rest < way.step ? rest : way.step;
        (void)bh_system_advance(system, step);
        rest -= step;
    }
}

/* Starts programs at all ends of links whose chips are there. */
static inline void start_random_programs(uint64_t seed, const struct bh_topology *topology, struct bh_system *system)
{
    for (unsigned i = 0; i < 2 * topology->link_count; i++) {
        const struct bh_link_end *end = &topology->links[i / 2].end[i % 2];
        struct code code = random_program(&seed, end->channel);
        if (bh_system_chip(system, end->chip)) {
            start(system, end->chip, end->channel, &code);
        }
    }
}

/* Fills in left[] for these ends. */
static inline void see_what_is_left(const struct bh_topology *topology, struct bh_system *system,
                                    struct left left[2 * RANDOM_LINKS])
{
    for (unsigned i = 0; i < 2 * topology->link_count; i++) {
        const struct bh_link_end *end = &topology->links[i / 2].end[i % 2];
        if (bh_system_chip(system, end->chip)) {
            left[i] = what_is_left(system, end);
        }
    }
}

/* Runs such programs, and fills in left[]. */
static inline void run_random_system(uint64_t seed, const struct bh_topology *topology, struct bh_system *system,
                                     struct way way, struct left left[2 * RANDOM_LINKS])
{
    start_random_programs(seed, topology, system);
    let_pass(system, way, RANDOM_CYCLES);
    see_what_is_left(topology, system, left);
}

static inline uint64_t digest_of(const struct left left[2 * RANDOM_LINKS], unsigned *received)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < 2 * RANDOM_LINKS; i++) {
        hash = hash_of(hash, &left[i].hash, sizeof left[i].hash);
        *received += left[i].received;
    }
    return hash;
}

#endif
