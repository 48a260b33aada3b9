/* Rounds of loops in timed mode: whether a core polls, what its next instructions' times depend on, and how that is
   after it has gone round often. */
#include "rv32/timed.h"

#include "rv32/execute.h"
#include "time/clock.h"
#include "util/hash.h"

#include <string.h>

/* What is over so long has no effect any more, not even on loads and stores, which meet stores until later. */
enum { LATER = 64 };

/* A time that is not over at `now`. What is over has no effect any more. */
static inline void put_off(uint64_t *time, uint64_t now, uint64_t cycles)
{
    *time += *time > now && *time != CLOCK_NEVER ? cycles : 0;
}

/* The same for stores. */
static void put_off_stores(struct rv32_timing *timing, uint64_t now, uint64_t cycles)
{
    uint64_t over = now > LATER ? now - LATER : 0;
    for (unsigned i = 0; i < RV32_STORE_QUEUE; i++) {
        put_off(&timing->stores[i].leaves, over, cycles);
        put_off(&timing->stores[i].joined, over, cycles);
    }
    put_off(&timing->drained, over, cycles);
    put_off(&timing->l1_stores, over, cycles);
    put_off(&timing->port_free, over, cycles);
}

static inline void put_off_register(struct rv32_written *last, uint64_t now, uint64_t cycles)
{
    if (last->retires > now) {
        last->ready += cycles;
        last->retires += cycles;
    }
}

/* The same for registers. Most of their results have left the retire queue, which is found out for four at once. */
static void put_off_registers(struct rv32_timing *timing, uint64_t now, uint64_t cycles)
{
    enum { TOGETHER = 4, FOURS = RV32_REGISTERS / TOGETHER * TOGETHER };
    struct rv32_written *last = timing->written;
    for (; last < timing->written + FOURS; last += TOGETHER) {
        uint64_t left = now - last[0].retires, right = now - last[2].retires;
        left |= now - last[1].retires;
        right |= now - last[3].retires;
        if ((left | right) >> 63) {
            for (unsigned i = 0; i < TOGETHER; i++) {
                put_off_register(last + i, now, cycles);
            }
        }
    }
    for (; last < timing->written + RV32_REGISTERS; last++) {
        put_off_register(last, now, cycles);
    }
}

void rv32_time_rounds(struct rv32 *rv32, uint64_t rounds)
{
    struct rv32_timing *timing = rv32->timing;
    const struct rv32_circle *circle = &timing->polling.circle;
    uint64_t cycles = rounds * circle->cycles, now = clock_of(rv32->clock, rv32->core->id);
    rv32->core->instret += rounds * circle->instructions;
    timing->l0_hits += (uint32_t)(rounds * circle->hits);
    clock_pass(rv32->clock, rv32->core->id, cycles);
    if (timing->retired > now + 1) { /* else none has a result that anything would wait for */
        put_off_registers(timing, now, cycles);
    }
    for (unsigned i = 0; i < RV32_VECTOR_REGISTERS && rv32->core->id == BH_CORE_T2; i++) {
        put_off(&timing->vector[i], now, cycles);
    }
    for (unsigned i = 0; i < RV32_RETIRE_QUEUE; i++) {
        put_off(&timing->queue[i], now, cycles);
    }
    for (unsigned i = 0; i < RV32_LOADS; i++) {
        put_off(&timing->loads[i], now, cycles);
    }
    put_off_stores(timing, now, cycles);
    put_off(&timing->retired, now, cycles);
    put_off(&timing->last_load, now, cycles);
    timing->coming_at += rv32_prefetches_until(timing) > now ? cycles : 0;
    timing->polling.at += cycles;
    timing->polling.instret += rounds * circle->instructions;
}

void rv32_time_shared_rounds(struct rv32_shared_timing *timing, uint64_t shared, uint64_t cycles)
{
    for (unsigned i = 0; shared && i < TIMING_L1_BANKS; i++) {
        timing->bank[i] += shared >> i & 1 ? cycles : 0;
    }
    if (shared & RV32_SLOW_PATH) {
        timing->slow_path += cycles;
    }
}

/* Digests. */

static inline uint64_t add(uint64_t digest, uint64_t word)
{
    return hash_of(digest, &word, sizeof word);
}

/* A time, relative to `now`: one that is over is as if it had never been. */
static inline uint64_t add_time(uint64_t digest, uint64_t time, uint64_t now)
{
    uint64_t later = time + LATER;
    return add(digest, time == CLOCK_NEVER ? time : later > now ? later - now : 0);
}

/* A store that is neither in the queue nor has just left it might be any. */
static uint64_t add_store(uint64_t digest, const struct rv32_queued *store, uint64_t now)
{
    if (store->leaves != CLOCK_NEVER && store->leaves + LATER <= now) {
        return add(digest, 0);
    }
    digest = add_time(digest, store->leaves, now);
    digest = add_time(digest, store->joined, now);
    digest = add(digest, (uint64_t)store->address << 32 | store->bytes);
    return add(digest, store->first);
}

uint64_t rv32_registers_digest(const struct rv32 *rv32)
{
    return hash_of(rv32->core->pc, rv32->core->x, sizeof rv32->core->x);
}

uint64_t rv32_frontend_digest(const struct rv32_timing *timing)
{
    return hash_of(hash_of(0, timing->fetched, sizeof timing->fetched), timing->branch, sizeof timing->branch);
}

/* Queues are rings, whose next entry may be any: those that come next are taken in their order. */
uint64_t rv32_time_digest(const struct rv32 *rv32)
{
    const struct rv32_core *core = rv32->core;
    const struct rv32_timing *timing = rv32->timing;
    uint64_t now = clock_of(rv32->clock, core->id), digest = hash_of(core->pc, core->csr, sizeof core->csr);
    for (unsigned i = 0; i < RV32_REGISTERS; i++) {
        digest = add_time(digest, timing->written[i].ready, now);
        digest = add_time(digest, timing->written[i].retires, now);
    }
    for (unsigned i = 0; i < RV32_VECTOR_REGISTERS && core->id == BH_CORE_T2; i++) {
        digest = add_time(digest, timing->vector[i], now);
    }
    for (unsigned i = 0; i < RV32_RETIRE_QUEUE; i++) {
        digest = add_time(digest, timing->queue[(timing->place + i) % RV32_RETIRE_QUEUE], now);
    }
    for (unsigned i = 0; i < RV32_LOADS; i++) {
        digest = add_time(digest, timing->loads[(timing->load + i) % RV32_LOADS], now);
    }
    for (unsigned i = 0; i < RV32_STORE_QUEUE; i++) {
        digest = add_store(digest, &timing->stores[(timing->store + i) % RV32_STORE_QUEUE], now);
    }
    for (unsigned i = 0; i < RV32_L0_LINES; i++) {
        digest = add(digest, timing->l0[(timing->l0_next + i) % RV32_L0_LINES]);
    }
    digest = add(digest, timing->passed_at >= now ? timing->passed_on : 0);
    digest = add_time(digest, timing->retired, now);
    digest = add(digest, rv32_prefetches_until(timing) > now ? timing->coming : 0);
    digest = add_time(digest, rv32_prefetches_until(timing), now);
    digest = add_time(digest, timing->last_load, now);
    digest = add_time(digest, timing->drained, now);
    digest = add_time(digest, timing->l1_stores, now);
    digest = add_time(digest, timing->port_free, now);
    digest = add(digest, timing->l0_hits % TIMING_RV32_L0_HITS_TO_FLUSH);
    digest = add(digest, (uint64_t)timing->fused << 32 | timing->next_fused);
    return add(digest, (uint64_t)timing->unseen_count << 32 | timing->line);
}

uint64_t rv32_shared_digest(const struct rv32_shared_timing *timing, uint64_t shared, uint64_t now)
{
    uint64_t digest = shared;
    for (uint64_t left = shared & (RV32_SLOW_PATH - 1); left; left &= left - 1) {
        digest = add_time(digest, timing->bank[__builtin_ctzll(left)], now);
    }
    return add_time(digest, shared & RV32_SLOW_PATH ? timing->slow_path : 0, now);
}

enum { CHANGES_OF_OTHERS = 3 };

/* Whether nothing that has begun delays what enters EX1 from `now` on, where an instruction before the last one, which
   is a jump, left the retire queue at `before`. That of the jump itself, a cycle later, is in nobody's way. */
static inline bool is_clear(const struct rv32_timing *timing, uint64_t now, uint64_t before)
{
    return before <= now && timing->last_load <= now && rv32_stores_drained(timing, now) &&
           rv32_prefetches_until(timing) <= now;
}

/* The L0 data cache, what is replaced next first. */
static inline void lines_of(const struct rv32_timing *timing, uint32_t lines[RV32_L0_LINES])
{
    for (unsigned i = 0; i < RV32_L0_LINES; i++) {
        lines[i] = timing->l0[(timing->l0_next + i) % RV32_L0_LINES];
    }
}

/* Whether no store was in the way of anything from `time` on. */
static inline bool stores_are_over(const struct rv32_timing *timing, uint64_t time)
{
    return timing->drained + LATER <= time && timing->l1_stores + LATER <= time && timing->port_free + LATER <= time &&
           !timing->unseen_count && !rv32_store_waits(timing);
}

/* A time round a loop that loads from L1 has ended, in which the core has changed neither L1 nor registers: whether all
   that the time of the next one depends on is as it was, but for what other cores do. That it depends on is what
   rv32_time_digest() has; of banks none is taken when the last load is over. What is there for the next comparison. */
static bool look_at_lines(struct rv32_timing *timing)
{
    struct rv32_polling *polling = &timing->polling;
    uint32_t lines[RV32_L0_LINES];
    lines_of(timing, lines);
    bool same = polling->foreseen == polling->frontend_changes && polling->hits == timing->l0_hits &&
                memcmp(polling->lines, lines, sizeof lines) == 0;
    memcpy(polling->lines, lines, sizeof lines);
    polling->foreseen = polling->frontend_changes;
    polling->hits = timing->l0_hits;
    return same && stores_are_over(timing, polling->at) && !(polling->loaded & RV32_SLOW_PATH);
}

bool rv32_time_round(struct rv32_timing *timing, uint32_t self, int32_t distance, const uint32_t *x, uint64_t now,
                     uint64_t instret, uint64_t before)
{
    struct rv32_polling *polling = &timing->polling;
    bool again = polling->jump == self, idle = again && !polling->acted && rv32_same_registers(polling->x, x);
    bool clear = is_clear(timing, now, before);
    polling->sure = idle && !polling->touched && clear && polling->clear && !polling->learned;
    polling->changes = idle || !again ? 0 : polling->changes + 1;
    polling->recurs = false;
    if (idle && polling->loaded && look_at_lines(timing)) {
        polling->recurs = !polling->touched && clear && polling->clear && polling->unbroken;
        polling->round = (struct rv32_circle){.cycles = now - polling->at, .instructions = instret - polling->instret};
    }
    polling->unbroken = true;
    if (polling->sure) {
        polling->circle = (struct rv32_circle){.cycles = now - polling->at, .instructions = instret - polling->instret};
    }
    if (!idle) {
        memcpy(polling->x, x, sizeof polling->x);
    }
    if (polling->acted || polling->sure) {
        polling->loaded = 0; /* it loads again what it polls before it is known to poll */
    }
    polling->first = self + (uint32_t)distance;
    polling->jump = self;
    polling->acted = polling->touched = polling->learned = false;
    polling->clear = clear;
    polling->at = now;
    polling->instret = instret;
    return polling->changes == CHANGES_OF_OTHERS;
}
