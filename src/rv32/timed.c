#include "rv32/timed.h"

#include "rv32/execute.h"
#include "rv32/stores_seen.h"
#include "time/clock.h"

#include <string.h>

static bool allows(const struct rv32 *rv32, uint32_t disabling)
{
    return !(rv32->core->csr[RV32_CSR_cfg0] & disabling);
}

uint32_t rv32_division_cycles(enum rv32_op op, uint32_t dividend, uint32_t divisor)
{
    bool is_signed = op == RV32_OP_DIV || op == RV32_OP_REM;
    if (divisor <= 1 || (is_signed && dividend == 1u << 31 && divisor == UINT32_MAX)) {
        return TIMING_RV32_DIVIDE_TRIVIAL;
    }
    uint32_t magnitude = is_signed && dividend >> 31 ? -dividend : dividend;
    uint32_t bits = 32 - (uint32_t)__builtin_clz(magnitude | 1);
    uint32_t steps = (bits - 1) / TIMING_RV32_DIVIDE_STEP_BITS;
    uint32_t cycles = TIMING_RV32_DIVIDE + steps * TIMING_RV32_DIVIDE_STEP;
    return cycles < TIMING_RV32_DIVIDE_LONGEST ? cycles : TIMING_RV32_DIVIDE_LONGEST;
}

/* The instruction cache. */

void rv32_time_flush(struct rv32_timing *timing)
{
    memset(timing->fetched, 0, sizeof timing->fetched);
    memset(timing->branch, 0, sizeof timing->branch); /* measured: blackhole-py operation_pocs/runtime */
    timing->line = timing->coming = 0;
}

void rv32_time_reset(struct rv32_timing *timing)
{
    struct rv32_timing fresh = {.unseen_count = timing->unseen_count};
    memcpy(fresh.unseen, timing->unseen, sizeof fresh.unseen);
    *timing = fresh;
}

/* When a line comes that the core would execute `now` and has not executed before. */
static uint64_t comes(const struct rv32_timing *timing, uint64_t now, uint32_t line, bool follows)
{
    const uint32_t ahead = RV32_FETCHED(line) - timing->coming;
    const uint64_t missed = now + TIMING_RV32_FETCH_MISS;
    if (timing->coming && ahead < TIMING_RV32_FETCH_AHEAD) {
        return clock_sooner(missed, timing->coming_at + (uint64_t)ahead * TIMING_RV32_FETCH_LINE);
    }
    return follows ? now : missed;
}

/* The prefetcher goes on behind the last line that was not in the cache. What it takes for a line it takes for its
   parts of 16 bytes, as wide as accesses to L1 are, one after the other: a jump into a line leaves those before out. */
uint64_t rv32_time_fetch(struct rv32 *rv32, uint64_t now, uint32_t word, bool follows)
{
    enum { HEAD_START = (TIMING_RV32_FETCH_AHEAD - 1) * TIMING_RV32_FETCH_LINE };
    enum { PARTS = RV32_FETCH_BYTES / RV32_LINE, PART_WORDS = RV32_LINE / 4 };
    const uint32_t line = word / RV32_FETCH_WORDS, parts = PARTS - word % RV32_FETCH_WORDS / PART_WORDS;
    struct rv32_timing *timing = rv32->timing;
    uint32_t *entry = &timing->fetched[line % rv32_fetch_lines(rv32->core)];
    if (*entry == RV32_FETCHED(line)) {
        return now;
    }
    rv32_frontend_learns(timing);
    timing->cold_line = *entry = RV32_FETCHED(line);
    timing->cold = line * RV32_FETCH_BYTES;
    if (!allows(rv32, RV32_CFG0_DIS_IC_PREFETCH)) {
        timing->coming = 0;
        return now + (follows ? TIMING_RV32_FETCH_NEXT : TIMING_RV32_FETCH_MISS);
    }
    const uint64_t come = comes(timing, now, line, follows);
    timing->coming = RV32_FETCHED(line + 1);
    timing->coming_at = clock_later(come, now - clock_sooner(now, HEAD_START)) + TIMING_RV32_FETCH_LINE * parts / PARTS;
    return clock_later(now, come);
}

/* The store queue. Its entries leave it in order; the last one, if it is a store to L1, waits for others that join it.
 */

static struct rv32_queued *last_store(struct rv32_timing *timing)
{
    return &timing->stores[(timing->store - 1) % RV32_STORE_QUEUE];
}

static bool is_open(const struct rv32_queued *store)
{
    return store->leaves == CLOCK_NEVER;
}

/* When the bank of L1 takes a store that leaves the queue at `time`. One of less than a line keeps it from others. */
static uint64_t bank_takes(struct rv32 *rv32, const struct rv32_queued *store, uint64_t time, uint32_t cycles)
{
    struct rv32_shared_timing *shared = rv32->shared_timing;
    if (!shared) {
        return time;
    }
    uint64_t *next = &shared->bank[store->address / RV32_LINE % TIMING_L1_BANKS], taken = clock_later(time, *next);
    *next = taken + cycles;
    return taken;
}

/* Nothing joins the store any more from `time` on, because of what the core does `now`: `in_turn` if that is done when
   it is the core's turn, as all is but accesses of its own RAM. */
static void close_store(struct rv32 *rv32, struct rv32_queued *store, uint64_t time, uint64_t now, bool in_turn)
{
    struct rv32_timing *timing = rv32->timing;
    uint32_t cycles = rv32_cycles_to_write(store->bytes);
    store->leaves = clock_later(clock_later(timing->drained, timing->l1_stores), time);
    timing->drained = store->leaves + TIMING_RV32_STORE;
    /* What is over already is not in the way of what others have done since. */
    bool noticed = in_turn && store->leaves + cycles > now;
    uint64_t taken = noticed ? bank_takes(rv32, store, store->leaves, cycles) : store->leaves;
    timing->l1_stores = taken + cycles;
    rv32_store_written(timing, timing->l1_stores);
    timing->port_free = taken + TIMING_RV32_STORE_TO_LOAD + TIMING_RV32_STORE_L1;
}

/* The last store no longer waits for others if it has waited long enough by `time`. */
static void expire_store(struct rv32 *rv32, uint64_t time, bool in_turn)
{
    struct rv32_queued *last = last_store(rv32->timing);
    if (is_open(last) && last->joined + rv32_merge_timer(rv32->core) <= time) {
        close_store(rv32, last, last->joined + rv32_merge_timer(rv32->core), time, in_turn);
    }
}

static bool is_own_ram(uint32_t address)
{
    return address - MEM_LOCAL_BASE < LOCAL_RAM_SIZE;
}

static uint32_t bytes_in_line(uint32_t address, uint32_t size)
{
    return ((1u << size) - 1) << address % RV32_LINE;
}

static bool joins(const struct rv32_queued *last, uint32_t address)
{
    uint32_t distance = address - last->first;
    return is_open(last) && address / RV32_LINE == last->address / RV32_LINE &&
           (distance <= TIMING_RV32_MERGE_BYTES || -distance <= TIMING_RV32_MERGE_BYTES);
}

/* A store to L1 empties the line of the L0 data cache that has what it writes. */
static void forget_l0(struct rv32_timing *timing, uint32_t address)
{
    for (unsigned i = 0; i < RV32_L0_LINES; i++) {
        if (timing->l0[i] == address / RV32_LINE + 1) {
            timing->l0[i] = 0;
        }
    }
}

uint64_t rv32_time_store(struct rv32 *rv32, uint64_t at, uint32_t address, uint32_t size, const void *replaced)
{
    struct rv32_timing *timing = rv32->timing;
    struct rv32_queued *last = last_store(timing);
    bool to_l1 = address < L1_SIZE, in_turn = !is_own_ram(address);
    if (to_l1) {
        forget_l0(timing, address);
    }
    if (is_open(last)) {
        expire_store(rv32, at + 1, in_turn);
        if (to_l1 && joins(last, address)) {
            last->bytes |= bytes_in_line(address, size);
            last->first = address;
            last->joined = at + 1;
            if (replaced) {
                rv32_store_hides(rv32, last, address, size, replaced);
            }
            return at;
        }
        if (is_open(last)) {
            close_store(rv32, last, at + 1, at, in_turn);
        }
    }
    struct rv32_queued *store = &timing->stores[timing->store++ % RV32_STORE_QUEUE];
    at = clock_later(at, store->leaves ? store->leaves - 1 : 0);
    *store = (struct rv32_queued){.address = address, .bytes = size, .first = address, .joined = at + 1};
    if (to_l1 && allows(rv32, RV32_CFG0_DIS_ST_MERGE)) {
        store->leaves = CLOCK_NEVER;
        store->bytes = bytes_in_line(address, size);
    } else if (to_l1) {
        store->bytes = bytes_in_line(address, size);
        close_store(rv32, store, at + 1, at, in_turn);
    } else {
        store->leaves = clock_later(timing->drained, at + 1);
        timing->drained = store->leaves + TIMING_RV32_STORE;
    }
    if (replaced) {
        rv32_store_hides(rv32, store, address, size, replaced);
    } else if (in_turn && !to_l1) { /* it leaves behind all others, and is seen at once */
        timing->unseen_count = 0;
    }
    return at;
}

static bool overlaps(const struct rv32_queued *store, uint32_t address, uint32_t size)
{
    if (store->address < L1_SIZE) {
        return address / RV32_LINE == store->address / RV32_LINE && (store->bytes & bytes_in_line(address, size));
    }
    return address < store->address + store->bytes && store->address < address + size;
}

/* Whether a load at `time` could overtake the store. */
static bool is_queued(const struct rv32_queued *store, uint64_t time)
{
    return is_open(store) || (store->leaves && store->leaves + TIMING_RV32_STORE_TO_LOAD > time);
}

/* A store that waits for others does so no longer from `time` on. */
static void release_store(struct rv32 *rv32, struct rv32_queued *last, uint64_t time)
{
    if (is_open(last)) {
        close_store(rv32, last, time, time, true);
    }
}

/* When a load that would leave EX1 at `time` does, since stores are in the queue that it must not overtake. */
static uint64_t after_stores(struct rv32 *rv32, uint64_t time, uint32_t address, uint32_t size)
{
    struct rv32_timing *timing = rv32->timing;
    bool in_turn = !is_own_ram(address);
    if (!is_open(last_store(timing)) && timing->drained + TIMING_RV32_STORE_TO_LOAD <= time) {
        return time; /* the queue has been empty for long enough */
    }
    if (address >= L1_SIZE && timing->drained + TIMING_RV32_STORE_TO_LOAD <= time) {
        struct rv32_queued *last = last_store(timing);
        if (in_turn) { /* the only one in the queue, which waits for others, need not, as L1's port is free */
            expire_store(rv32, time, true);
            release_store(rv32, last, time);
        }
        return time;
    }
    expire_store(rv32, time, in_turn);
    for (unsigned i = 0; i < RV32_STORE_QUEUE; i++) {
        struct rv32_queued *store = &timing->stores[i];
        if (is_queued(store, time) && overlaps(store, address, size)) {
            struct rv32_queued *last = last_store(timing);
            if (is_open(last)) {
                close_store(rv32, last, time - 1 + TIMING_RV32_STORE_RELEASE, time - 1, in_turn);
            }
            return clock_later(time, last->leaves + TIMING_RV32_STORE_TO_LOAD);
        }
    }
    return time;
}

/* When all stores have left the queue. */
static uint64_t after_all_stores(struct rv32 *rv32, uint64_t time)
{
    struct rv32_queued *last = last_store(rv32->timing);
    if (is_open(last)) {
        expire_store(rv32, time, true);
        release_store(rv32, last, time); /* nothing can join it any more */
    }
    return clock_later(time, last->leaves);
}

/* Loads. */

static inline uint32_t latency_of(uint32_t address)
{
#define RV32_REGION(first, end, latency, meaning)                                                                      \
    if (address - (first) < (end) - (first)) {                                                                         \
        return TIMING_RV32_LOAD_##latency;                                                                             \
    }
#include "rv32_regions.def"
#undef RV32_REGION
    return TIMING_RV32_LOAD_TILE;
}

/* Whether the line is in the L0 data cache; from now on it is. */
static bool hits_l0(struct rv32 *rv32, uint32_t address)
{
    struct rv32_timing *timing = rv32->timing;
    uint32_t line = address / RV32_LINE + 1;
    if (!allows(rv32, RV32_CFG0_DIS_LOW_CASH)) {
        return false;
    }
    for (unsigned i = 0; i < RV32_L0_LINES; i++) {
        if (timing->l0[i] == line) {
            if (allows(rv32, RV32_CFG0_DIS_LOW_CACHE_PERIODIC_FLUSH) &&
                ++timing->l0_hits % TIMING_RV32_L0_HITS_TO_FLUSH == 0) {
                memset(timing->l0, 0, sizeof timing->l0);
            }
            return true;
        }
    }
    timing->l0[timing->l0_next++ % RV32_L0_LINES] = line;
    return false;
}

static bool takes_slow_path(uint32_t address)
{
    return address >= MEM_LOCAL_BASE && latency_of(address) == TIMING_RV32_LOAD_SLOW_PATH;
}

/* How much later than at `time` what all cores reach takes a load. */
static uint32_t contention(struct rv32 *rv32, uint64_t time, uint32_t address)
{
    struct rv32_shared_timing *shared = rv32->shared_timing;
    bool from_l1 = address < L1_SIZE;
    if (!shared || (!from_l1 && !takes_slow_path(address))) {
        return 0;
    }
    uint64_t *next = from_l1 ? &shared->bank[address / RV32_LINE % TIMING_L1_BANKS] : &shared->slow_path;
    uint64_t taken = clock_later(time, *next);
    *next = taken + (from_l1 ? TIMING_L1_ACCESS : TIMING_RV32_SLOW_PATH_INTERVAL);
    return (uint32_t)(taken - time);
}

uint64_t rv32_time_load(struct rv32 *rv32, uint64_t *at, uint32_t address, uint32_t size)
{
    struct rv32_timing *timing = rv32->timing;
    uint32_t latency = latency_of(address);
    timing->polling.learned = true; /* the L0 data cache, or what other cores wait for */
    timing->polling.loaded |= takes_slow_path(address) ? RV32_SLOW_PATH : 0;
    uint64_t leaves = after_stores(rv32, *at + 1, address, size);
    if (address < L1_SIZE) {
        timing->polling.loaded |= RV32_BANK_OF(address);
        latency = hits_l0(rv32, address) ? TIMING_RV32_LOAD_LOCAL : latency;
    }
    if (latency > TIMING_RV32_LOAD_LOCAL) {
        uint64_t *in_flight = &timing->loads[timing->load++ % RV32_LOADS];
        leaves = clock_later(leaves, *in_flight);
        uint64_t arrives = leaves;
        if (address < L1_SIZE && timing->port_free > leaves) { /* right behind the store that the port is taken by */
            latency += (uint32_t)(timing->port_free - leaves);
            arrives = clock_later(leaves, timing->port_free - TIMING_RV32_STORE_TO_LOAD);
        }
        latency += contention(rv32, arrives, address);
        *in_flight = leaves + latency - 1;
    }
    *at = leaves - 1;
    timing->last_load = clock_later(timing->last_load, *at + latency);
    return latency;
}

/* Atomics and fences wait for stores and loads before them, and empty the L0 data cache. */

static uint64_t after_accesses(struct rv32 *rv32, uint64_t at)
{
    memset(rv32->timing->l0, 0, sizeof rv32->timing->l0);
    return clock_later(after_all_stores(rv32, at + 1), rv32->timing->last_load) - 1;
}

uint64_t rv32_time_atomic(struct rv32 *rv32, uint64_t *at, uint32_t address)
{
    *at = after_accesses(rv32, *at);
    rv32->timing->unseen_count = 0; /* who sees the operation sees the stores before it */
    uint32_t latency = TIMING_RV32_ATOMIC + contention(rv32, *at + 1, address);
    rv32->timing->last_load = *at + latency;
    return latency;
}

/* A store that has just left the queue still counts as one that is in it. */
uint64_t rv32_time_fence(struct rv32 *rv32, uint64_t at)
{
    uint64_t entered = after_accesses(rv32, at);
    const struct rv32_queued *last = last_store(rv32->timing);
    uint32_t empty = last->address < L1_SIZE ? TIMING_RV32_STORE_L1_TO_FENCE : TIMING_RV32_STORE_TO_FENCE;
    return last->leaves ? clock_later(entered, last->leaves + empty - 1) : entered;
}
