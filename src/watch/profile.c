/* The profile of include/bhemu/profile.h: adds events up. What a core or a thread does is a state that lasts from one
   of its events to the next; the cycles between them are counted for the state, for the instruction, and in the
   timeline. */
#include <stdlib.h>
#include <string.h>

#include "isa/tensix_isa.h"
#include "noc/coordinates.h"
#include "util/bits.h"
#include "watch/profile_state.h"

enum { SELF_JUMP = 0x6f };
static const uint64_t soft_reset_address = 0xffb121b0;

/* Bits of SOFT_RESET_0, by enum bh_core. */
static const uint8_t soft_reset_bit[BH_CORE_COUNT] = {11, 12, 13, 14, 18};

/* Tiles. */

uint64_t profile_limited(const struct bh_profile *profile, uint64_t cycle)
{
    uint64_t from = profile->options.from, end = profile->options.to + 1;
    return cycle < from ? from : profile->options.to && cycle > end ? end : cycle;
}

static bool in_time(const struct bh_profile *profile, uint64_t cycle)
{
    return profile_limited(profile, cycle) == cycle && !(profile->options.to && cycle > profile->options.to);
}

static struct profile_tile *new_tile(struct bh_profile *profile, unsigned x, unsigned y)
{
    struct profile_tile *tile = calloc(1, sizeof *tile);
    if (!tile) {
        profile->failed = true;
        return NULL;
    }
    tile->sums.x = (uint8_t)x;
    tile->sums.y = (uint8_t)y;
    tile->sums.ethernet = noc_tile_kind(x, y) == TILE_ETHERNET;
    tile->sums.dram = noc_tile_kind(x, y) == TILE_DRAM;
    memset(&tile->actors, PROFILE_NOBODY, sizeof tile->actors);
    for (unsigned i = 0; i < BH_PROFILE_AGENTS; i++) {
        tile->agent[i].at = profile->options.from;
        tile->agent[i].site = tile->agent[i].waits = UINT32_MAX;
    }
    return tile;
}

struct profile_tile *profile_tile_at(struct bh_profile *profile, unsigned x, unsigned y)
{
    struct profile_tile **tile = &profile->tiles[y][x];
    *tile = *tile ? *tile : new_tile(profile, x, y);
    return *tile;
}

/* Whether an instruction that has retired lasts until the next one. */
static bool keeps(const struct bh_profile *profile, const struct profile_agent *agent, unsigned index)
{
    return agent->polls || (profile->options.mode == BH_MODE_TIMED && !profile_is_thread(index));
}

void profile_begin_tiles(struct bh_profile *profile)
{
    const uint64_t from = profile->options.from;
    for (unsigned i = 0; i < PROFILE_GRID_X * PROFILE_GRID_Y; i++) {
        struct profile_tile *tile = profile->tiles[i / PROFILE_GRID_X][i % PROFILE_GRID_X];
        for (unsigned index = 0; tile && index < BH_PROFILE_AGENTS; index++) {
            struct profile_agent *agent = &tile->agent[index];
            if (agent->state == BH_PROFILE_RUNNING && agent->retired && agent->at < from &&
                !keeps(profile, agent, index)) {
                agent->state = BH_PROFILE_IDLE;
            }
            agent->at = agent->at < from ? from : agent->at;
            memset(tile->sums.agent[index].cycles, 0, sizeof tile->sums.agent[index].cycles);
        }
        if (tile && tile->timeline && tile->timeline->from < from) {
            tile->timeline->from = from;
        }
    }
}

/* The first tiles that run have timelines, but only so many of those with the same programs. */
void profile_begin_tile(struct bh_profile *profile, struct profile_tile *tile)
{
    const struct bh_profile_options *options = &profile->options;
    unsigned group = options->group ? options->group(options->context, tile->sums.x, tile->sums.y) : 0, alike = 0;
    tile->begun = true;
    for (unsigned i = 0; i < profile->timelines; i++) {
        alike += profile->timeline_groups[i] == group;
    }
    if (profile->timelines < PROFILE_TIMELINES && alike < PROFILE_TIMELINES_OF_GROUP) {
        tile->timeline = profile_timeline_new(options->from, profile->timelines ? PROFILE_BINS : PROFILE_BINS_MOST);
        profile->failed |= !tile->timeline;
        profile->timeline_groups[profile->timelines++] = group;
    }
}

/* The tile of an event that has programs, or L1; null: it has none. */
static struct profile_tile *tile_of(struct bh_profile *profile, const struct bh_event *event)
{
    if (event->tile_x >= PROFILE_GRID_X || event->tile_y >= PROFILE_GRID_Y) {
        return NULL;
    }
    struct profile_tile **tile = &profile->tiles[event->tile_y][event->tile_x];
    if (!*tile) {
        enum tile_kind kind = noc_tile_kind(event->tile_x, event->tile_y);
        bool core = kind == TILE_DRAM && event->agent == BH_AGENT_CORE && event->kind == BH_EVENT_ISSUED;
        bool counts = core || ((kind == TILE_TENSIX || kind == TILE_ETHERNET) &&
                               !(event->kind == BH_EVENT_ACCESS && event->agent == BH_AGENT_HOST));
        return counts ? profile_tile_at(profile, event->tile_x, event->tile_y) : NULL;
    }
    return *tile;
}

static unsigned agent_at(enum bh_agent agent, unsigned index)
{
    if (agent == BH_AGENT_CORE && index < BH_PROFILE_CORES) {
        return index;
    }
    return agent == BH_AGENT_THREAD && index < BH_PROFILE_THREADS ? BH_PROFILE_CORES + index : PROFILE_NOBODY;
}

/* The agent of the tile whose instruction causes an event. */
static unsigned causer_of(const struct bh_event *event)
{
    bool here = event->place_x == event->tile_x && event->place_y == event->tile_y;
    return here ? agent_at(event->place.agent, event->place.index) : PROFILE_NOBODY;
}

struct profile_place profile_place_of(const struct bh_profile *profile, const struct profile_tile *tile, unsigned index,
                                      uint32_t pc, uint32_t word)
{
    const struct bh_profile_options *options = &profile->options;
    const struct bh_place place = profile_place_at(index, pc);
    struct profile_place found = {.pc = pc, .word = word};
    if (options->program) {
        found.program = options->program(options->context, tile->sums.x, tile->sums.y, &place);
    }
    return found;
}

/* States. */

enum { POLLING = BH_PROFILE_WAITING + BH_PROFILE_POLLS };

void profile_add_cycles(struct profile_tile *tile, unsigned index, unsigned state, uint64_t from, uint64_t to)
{
    struct profile_agent *agent = &tile->agent[index];
    tile->sums.agent[index].cycles[state] += to - from;
    if (agent->site != UINT32_MAX && state != BH_PROFILE_STOPPED && state != BH_PROFILE_IDLE) {
        struct profile_site *site = &agent->sites.of[agent->site];
        *(state == BH_PROFILE_RUNNING ? &site->running : &site->waiting) += to - from;
    }
    if (tile->timeline) {
        profile_timeline_state(tile->timeline, index, state, from, to);
    }
}

/* Counts the cycles up to `cycle`. An instruction that has retired keeps a core up to its next one in timed mode, where
   results take time; else it has taken one cycle, and nothing has happened since. */
static void account(struct bh_profile *profile, struct profile_tile *tile, unsigned index, uint64_t cycle)
{
    struct profile_agent *agent = &tile->agent[index];
    cycle = profile_limited(profile, cycle);
    if (cycle <= agent->at) {
        return;
    }
    uint64_t from = agent->at;
    if (agent->state == BH_PROFILE_RUNNING && agent->retired && !keeps(profile, agent, index)) {
        profile_add_cycles(tile, index, BH_PROFILE_RUNNING, from, from + 1);
        agent->state = BH_PROFILE_IDLE;
        from++;
    }
    if (from < cycle) {
        profile_add_cycles(tile, index, agent->state, from, cycle);
    }
    agent->at = cycle;
}

/* Who ended a wait: the last one that did what it is for. */
static unsigned waker_of(const struct profile_tile *tile, unsigned index, struct bh_wait wait)
{
    enum { SRC_A = 1, FOR_MATRIX = 4, SRC_CONDITIONS = 0x1e0, OF_A = 0x0a0, FILLED = 0x180 };
    const struct profile_actors *actors = &tile->actors;
    switch ((enum bh_wait_reason)wait.reason) {
    case BH_WAIT_SEMWAIT:
        return wait.detail & 0xff ? actors->semaphore[__builtin_ctz(wait.detail & 0xff)] : PROFILE_NOBODY;
    case BH_WAIT_SRC_BANK:
        return actors->src[!(wait.detail & SRC_A)][wait.detail & FOR_MATRIX ? BH_SRC_MATRIX : BH_SRC_UNPACKERS];
    case BH_WAIT_STALLWAIT:
        return wait.detail & SRC_CONDITIONS
                   ? actors->src[!(wait.detail & OF_A)][wait.detail & FILLED ? BH_SRC_MATRIX : BH_SRC_UNPACKERS]
                   : PROFILE_NOBODY;
    case BH_WAIT_MUTEX: return actors->mutex;
    case BH_WAIT_FIFO:
    case BH_WAIT_TTSYNC:
        return index >= BH_CORE_T0 && index <= BH_CORE_T2 ? BH_PROFILE_CORES + index - BH_CORE_T0 : PROFILE_NOBODY;
    case BH_WAIT_NOC: return PROFILE_BY_NIU;
    default: return PROFILE_NOBODY;
    }
}

/* A wait counts if a part of it is in the time that is looked at. */
static void end_wait(struct bh_profile *profile, struct profile_tile *tile, unsigned index, struct bh_wait wait,
                     uint64_t cycle)
{
    struct profile_agent *agent = &tile->agent[index];
    if (agent->waits != UINT32_MAX && (agent->at > agent->since || in_time(profile, cycle))) {
        struct profile_waiting *waiting = &agent->all_waits.of[agent->waits];
        uint64_t cycles = agent->at - agent->since;
        unsigned waker = waker_of(tile, index, wait);
        waiting->count++;
        waiting->cycles += cycles;
        waiting->longest = cycles > waiting->longest ? cycles : waiting->longest;
        waiting->by[waker < PROFILE_WAKERS ? waker : PROFILE_BY_OTHERS] += cycles;
    }
    agent->waits = UINT32_MAX;
}

/* Polling: a core that loads the same value from the same address as the last time there, and has neither stored
   anything nor loaded anything new in between. It ends, too, when it loads nothing for long. */

enum { LONGEST_ROUND = 1000 }; /* instructions */

static void start_polling(struct bh_profile *profile, struct profile_tile *tile, unsigned index,
                          const struct bh_event *event)
{
    struct profile_agent *agent = &tile->agent[index];
    const struct bh_wait wait = {.reason = BH_PROFILE_POLLS, .detail = (uint32_t)event->access.address};
    account(profile, tile, index, event->cycle);
    agent->waits = profile_waiting_of(
        &agent->all_waits, profile_place_of(profile, tile, index, event->place.pc, event->instruction), wait);
    agent->since = agent->at;
    agent->polls = true;
    agent->state = POLLING;
}

static void stop_polling(struct bh_profile *profile, struct profile_tile *tile, unsigned index, uint64_t cycle)
{
    struct profile_agent *agent = &tile->agent[index];
    agent->changes++;
    if (agent->polls) {
        account(profile, tile, index, cycle);
        end_wait(profile, tile, index, (struct bh_wait){.reason = BH_PROFILE_POLLS}, cycle);
        agent->polls = false;
        agent->state = BH_PROFILE_RUNNING;
    }
}

static void core_accesses(struct bh_profile *profile, struct profile_tile *tile, unsigned index,
                          const struct bh_event *event)
{
    struct profile_agent *agent = &tile->agent[index];
    const struct bh_access *access = &event->access;
    uint32_t value = 0, address = (uint32_t)access->address;
    if (access->write || agent->site == UINT32_MAX || !access->data || access->size > sizeof value) {
        stop_polling(profile, tile, index, event->cycle);
        return;
    }
    struct profile_site *site = &agent->sites.of[agent->site];
    memcpy(&value, access->data, access->size);
    bool again = site->loaded_in && site->address == address && site->value == value;
    if (!again) {
        stop_polling(profile, tile, index, event->cycle);
    } else if (site->loaded_in == agent->changes + 1 && !agent->polls && access->space != BH_SPACE_LOCAL_RAM) {
        start_polling(profile, tile, index, event);
    }
    site->loaded_in = agent->changes + 1;
    agent->unlooked = 0;
    site->address = address;
    site->value = value;
}

/* A thread passes an instruction that has stood before the gate since issue.came, and for which the cycle of the one
   before was over: what that one still did kept it there. */
static void was_kept(struct bh_profile *profile, struct profile_tile *tile, unsigned index,
                     const struct bh_event *event)
{
    const struct bh_wait wait = {.reason = BH_WAIT_UNIT};
    struct profile_agent *agent = &tile->agent[index];
    const uint64_t over = agent->at + agent->retired, since = event->issue.came > over ? event->issue.came : over;
    if (since >= event->cycle) {
        return;
    }
    account(profile, tile, index, since);
    if (agent->state != BH_PROFILE_IDLE || profile_limited(profile, event->cycle) <= agent->at) {
        return;
    }
    const struct profile_place place = profile_place_of(profile, tile, index, event->place.pc, event->instruction);
    agent->site = profile_site_of(&agent->sites, place, true);
    agent->waits = profile_waiting_of(&agent->all_waits, place, wait);
    agent->since = agent->at;
    agent->state = BH_PROFILE_WAITING + BH_WAIT_UNIT;
    account(profile, tile, index, event->cycle);
    end_wait(profile, tile, index, wait, event->cycle);
}

static void begins(struct bh_profile *profile, struct profile_tile *tile, unsigned index, const struct bh_event *event)
{
    struct profile_agent *agent = &tile->agent[index];
    if (profile_is_thread(index) && event->issue.came) {
        was_kept(profile, tile, index, event);
    }
    bool ends = !profile_is_thread(index) && event->instruction == SELF_JUMP;
    if (ends || agent->unlooked++ >= LONGEST_ROUND) {
        stop_polling(profile, tile, index, event->cycle);
    }
    account(profile, tile, index, event->cycle);
    agent->site =
        profile_site_of(&agent->sites, profile_place_of(profile, tile, index, event->place.pc, event->instruction),
                        profile_is_thread(index));
    agent->state = ends ? BH_PROFILE_STOPPED : agent->polls ? POLLING : BH_PROFILE_RUNNING;
    agent->retired = false;
    agent->begun = true;
    agent->phase = profile_is_thread(index) ? event->issue.fidelity_phase : 0;
}

static bool is_latched(uint32_t word)
{
    uint32_t opcode = word >> 24;
    return opcode == TENSIX_OPCODE_STALLWAIT || opcode == TENSIX_OPCODE_SEMWAIT || opcode == TENSIX_OPCODE_STREAMWAIT;
}

static bool at_gate(uint32_t reason)
{
    return reason == BH_WAIT_STALLWAIT || reason == BH_WAIT_SEMWAIT || reason == BH_WAIT_STREAM;
}

static void count_operations(struct bh_profile_tile *sums, uint32_t word, unsigned phase)
{
    bool repeats;
    uint32_t flop = profile_flop(word, &repeats);
    if (!flop) {
        return;
    }
    if (watch_unit(word) == BH_UNIT_VECTOR) {
        sums->vector_flop += flop;
        return;
    }
    sums->phase[phase % COUNT_OF(sums->phase)] += repeats;
    sums->mvmul += word >> 24 == TENSIX_OPCODE_MVMUL;
    sums->flop += repeats && phase ? 0 : flop;
    sums->flop_instructions++;
}

static void ends(struct bh_profile *profile, struct profile_tile *tile, unsigned index, const struct bh_event *event)
{
    struct profile_agent *agent = &tile->agent[index];
    account(profile, tile, index, event->cycle);
    agent->state = agent->polls ? POLLING : BH_PROFILE_RUNNING;
    agent->retired = true;
    if (event->cycle < profile->options.from && !keeps(profile, agent, index)) {
        agent->state = BH_PROFILE_IDLE; /* its cycle is over, too */
    }
    if (!in_time(profile, event->cycle)) {
        return;
    }
    tile->sums.agent[index].instructions++;
    if (agent->site == UINT32_MAX) {
        profile->result.left_out++;
    } else {
        agent->sites.of[agent->site].count++;
    }
    if (profile_is_thread(index)) {
        enum bh_unit unit = watch_unit(event->instruction);
        tile->sums.unit[unit].instructions++;
        count_operations(&tile->sums, event->instruction, agent->phase);
        if (profile->options.mode != BH_MODE_TIMED && tile->timeline) {
            profile_timeline_unit(tile->timeline, unit, event->cycle, event->cycle + 1);
        }
        if (is_latched(event->instruction)) {
            agent->latched_pc = event->place.pc;
            agent->latched_word = event->instruction;
        }
    }
}

static void begins_to_wait(struct bh_profile *profile, struct profile_tile *tile, unsigned index,
                           const struct bh_event *event)
{
    struct profile_agent *agent = &tile->agent[index];
    stop_polling(profile, tile, index, event->cycle);
    account(profile, tile, index, event->cycle);
    bool latched = at_gate(event->wait.reason);
    uint32_t pc = latched ? agent->latched_pc : event->place.pc;
    uint32_t word = latched ? agent->latched_word : event->instruction;
    const struct profile_place place = profile_place_of(profile, tile, index, pc, word);
    if (profile_is_thread(index)) {
        agent->site = profile_site_of(&agent->sites, place, true);
    }
    agent->waits = profile_waiting_of(&agent->all_waits, place, event->wait);
    agent->since = agent->at;
    agent->state = (uint8_t)(BH_PROFILE_WAITING + event->wait.reason % BH_WAIT_REASONS);
    agent->begun = true;
}

static void goes_on(struct bh_profile *profile, struct profile_tile *tile, unsigned index, const struct bh_event *event)
{
    account(profile, tile, index, event->cycle);
    end_wait(profile, tile, index, event->wait, event->cycle);
    tile->agent[index].state = BH_PROFILE_RUNNING;
    tile->agent[index].retired = false;
}

/* Whoever writes SOFT_RESET_0 stops cores. */
static void reset_cores(struct bh_profile *profile, struct profile_tile *tile, const struct bh_event *event)
{
    uint32_t value = 0;
    memcpy(&value, event->access.data, sizeof value);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        if (value >> soft_reset_bit[core] & 1) {
            stop_polling(profile, tile, core, event->cycle);
            account(profile, tile, core, event->cycle);
            tile->agent[core].state = BH_PROFILE_STOPPED;
            tile->agent[core].site = UINT32_MAX;
        }
    }
}

/* Bytes. */

static void add_bytes(struct bh_profile_bytes *bytes, bool write, uint64_t size)
{
    *(write ? &bytes->written : &bytes->read) += size;
}

static void accessed(struct bh_profile *profile, struct profile_tile *tile, const struct bh_event *event)
{
    const struct bh_access *access = &event->access;
    if (access->write && access->space == BH_SPACE_REGISTER && access->address == soft_reset_address &&
        access->size == sizeof(uint32_t) && access->data) {
        reset_cores(profile, tile, event);
    }
    if (event->agent == BH_AGENT_CORE && event->index < BH_PROFILE_CORES) {
        core_accesses(profile, tile, event->index, event);
    }
    if (!in_time(profile, event->cycle) || event->agent >= BH_AGENTS) {
        return;
    }
    if (event->agent == BH_AGENT_DMA && access->space == BH_SPACE_DRAM) {
        struct bh_profile_bytes *dram = profile->result.dram;
        add_bytes(&dram[dram_channel_at(event->tile_x, event->tile_y)], access->write, access->size);
    }
    if (access->space == BH_SPACE_L1) {
        add_bytes(&tile->sums.l1_traffic[event->agent], access->write, access->size);
        if (event->agent == BH_AGENT_UNPACKER) {
            add_bytes(&tile->sums.unpacker[event->index & 1], access->write, access->size);
        }
    }
    if (event->agent == BH_AGENT_NIU) {
        add_bytes(&tile->sums.noc[event->index & 1], access->write, access->size);
        if (tile->timeline) {
            profile_timeline_bytes(tile->timeline, access->write ? PROFILE_NOC_IN : PROFILE_NOC_OUT, event->cycle,
                                   access->size);
        }
    }
}

/* What the tile asks for of DRAM. */
static void sent(struct bh_profile *profile, const struct bh_event *event)
{
    const struct bh_noc *noc = &event->noc;
    bool reads = noc->request == BH_NOC_READ;
    unsigned x = reads ? noc->from_x : noc->to_x, y = reads ? noc->from_y : noc->to_y;
    if (in_time(profile, event->cycle) && noc_tile_kind(x, y) == TILE_DRAM) {
        add_bytes(&profile->result.dram[dram_channel_at(x, y)], !reads, noc->size);
    }
}

static void occupied(struct bh_profile *profile, struct profile_tile *tile, const struct bh_event *event)
{
    const struct bh_occupied *occupied = &event->occupied;
    uint64_t from = profile_limited(profile, occupied->from), to = profile_limited(profile, occupied->to);
    if (occupied->unit >= BH_UNITS || from >= to) {
        return;
    }
    bool second = occupied->unit == BH_UNIT_UNPACK && occupied->number == 1;
    uint64_t *busy_until = &tile->busy_until[second ? PROFILE_UNPACKER_1 : occupied->unit];
    from = from < *busy_until ? *busy_until : from; /* SFPSWAP and the SFPNOP behind it share a cycle */
    if (from >= to) {
        return;
    }
    *busy_until = to;
    tile->sums.unit[occupied->unit].cycles += to - from;
    if (occupied->unit == BH_UNIT_UNPACK) {
        tile->sums.unpacker_cycles[second] += to - from;
    }
    if (tile->timeline) {
        profile_timeline_unit(tile->timeline, second ? PROFILE_UNPACKER_1 : occupied->unit, from, to);
    }
}

static void note_actor(struct profile_tile *tile, const struct bh_event *event)
{
    uint8_t who = (uint8_t)causer_of(event);
    switch (event->kind) {
    case BH_EVENT_SEMAPHORE: tile->actors.semaphore[event->semaphore.number % PROFILE_SEMAPHORES] = who; break;
    case BH_EVENT_SRC_BANK: tile->actors.src[event->src_bank.src & 1][event->src_bank.owner & 1] = who; break;
    default: tile->actors.mutex = who; break;
    }
}

void profile_on_event(void *context, const struct bh_event *event)
{
    struct bh_profile *profile = context;
    struct profile_tile *tile = profile->failed ? NULL : tile_of(profile, event);
    if (!tile) {
        return;
    }
    unsigned index = agent_at((enum bh_agent)event->agent, event->index);
    switch ((enum bh_event_kind)event->kind) {
    case BH_EVENT_ACCESS: accessed(profile, tile, event); return;
    case BH_EVENT_SEMAPHORE:
    case BH_EVENT_SRC_BANK:
    case BH_EVENT_MUTEX: note_actor(tile, event); return;
    case BH_EVENT_NOC_SENT: sent(profile, event); return;
    case BH_EVENT_OCCUPIED: occupied(profile, tile, event); return;
    default: break;
    }
    if (index == PROFILE_NOBODY) {
        return;
    }
    if (!tile->begun) {
        profile_begin_tile(profile, tile);
    }
    switch ((enum bh_event_kind)event->kind) {
    case BH_EVENT_ISSUED: begins(profile, tile, index, event); break;
    case BH_EVENT_RETIRED: ends(profile, tile, index, event); break;
    case BH_EVENT_WAIT_BEGAN: begins_to_wait(profile, tile, index, event); break;
    case BH_EVENT_WAIT_ENDED: goes_on(profile, tile, index, event); break;
    default: break;
    }
}

/* The end. */

/* All agents that are there are accounted for up to the same cycle: the end, or the last event if a core was ahead. */
static uint64_t end_of(const struct bh_profile *profile, uint64_t clock)
{
    uint64_t end = profile_limited(profile, clock);
    for (unsigned i = 0; i < PROFILE_GRID_X * PROFILE_GRID_Y; i++) {
        const struct profile_tile *tile = profile->tiles[i / PROFILE_GRID_X][i % PROFILE_GRID_X];
        for (unsigned agent = 0; tile && agent < BH_PROFILE_AGENTS; agent++) {
            end = tile->agent[agent].at > end ? tile->agent[agent].at : end;
        }
    }
    return end;
}

uint64_t profile_account_all(struct bh_profile *profile, uint64_t clock)
{
    uint64_t end = end_of(profile, clock);
    for (unsigned i = 0; i < PROFILE_GRID_X * PROFILE_GRID_Y; i++) {
        struct profile_tile *tile = profile->tiles[i / PROFILE_GRID_X][i % PROFILE_GRID_X];
        for (unsigned agent = 0; tile && agent < BH_PROFILE_AGENTS; agent++) {
            if (!profile_has_agent(&tile->sums, agent)) {
                continue;
            }
            account(profile, tile, agent, end);
            if (tile->agent[agent].state >= BH_PROFILE_WAITING && tile->agent[agent].waits != UINT32_MAX) {
                end_wait(profile, tile, agent, tile->agent[agent].all_waits.of[tile->agent[agent].waits].wait, end);
            }
        }
    }
    return end;
}
