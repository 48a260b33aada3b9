/* racecheck: two accesses to one object, one of them a write, that nothing orders. */
#include "check/order.h"
#include "check/words.h"
#include "noc/coordinates.h"

/* The tile whose part has made an access to an object of tile `tile`. A channel of GDDR has several tiles. */
static uint32_t tile_of(const struct bh_check *check, uint32_t tile, const struct cell_access *access)
{
    return is_noc_part(access->part) || is_dma_part(access->part) ? check->places[access->place].tile : tile;
}

bool races_unordered(const struct bh_check *check, const struct check_actor *actor, uint32_t tile,
                     const struct cell_access *access)
{
    uint32_t theirs = tile_of(check, tile, access);
    bool same_agent = actor->tile == theirs &&
                      (actor->part == access->part || (is_core_part(actor->part) && is_core_part(access->part) &&
                                                       core_of_part(actor->part) == core_of_part(access->part)));
    return access->step && !same_agent && !(actor->atomic && access->atomic) &&
           !actor_knows(actor, theirs, access->part, access->step);
}

/* What a core knew of its tile at a store: what it knows now, but of itself only what it had done then. Valid until the
   next call. */
static const struct view_tile *core_knew(struct bh_check *check, struct check_tile *tile,
                                         const struct cell_access *access)
{
    unsigned core = core_of_part(access->part);
    const struct view_tile *now = view_find(&tile->core[core].view, tile->number);
    bool store = access->part >= PART_STORE && access->part < PART_CONFIG_STORE;
    if (!now || !store || tile->steps[access->part] - access->step >= CHECK_TOLD) {
        return NULL;
    }
    check->knew = *now;
    check->knew.known[access->part] = access->step;
    check->knew.known[PART_CORE + core] = tile->core[core].told[access->step % CHECK_TOLD];
    return &check->knew;
}

static const struct check_request *request_at(const struct check_tile *tile, const struct cell_access *access)
{
    bool source = access->part >= PART_NOC_SOURCE && access->part < PART_NOC_WRITE;
    unsigned part = source ? access->part + PART_NOC_WRITE - PART_NOC_SOURCE : access->part;
    for (unsigned i = 0; tile && i < CHECK_REQUESTS; i++) {
        const struct check_request *request = &tile->request[i];
        if (request->open && request->part == part && request->step == access->step) {
            return request;
        }
    }
    return NULL;
}

/* The earlier one of two accesses as an actor, whose view others may learn. */
struct check_actor races_writer(struct bh_check *check, uint32_t number, const struct cell_access *access)
{
    struct check_actor writer = {.tile = tile_of(check, number, access),
                                 .part = access->part,
                                 .step = access->step,
                                 .place = access->place,
                                 .atomic = access->atomic};
    struct check_tile *tile = check->tile[writer.tile];
    const struct check_known_place *place = &check->places[access->place];
    if (is_core_part(access->part)) {
        writer.view = &tile->core[core_of_part(access->part)].view;
        writer.own = core_knew(check, tile, access);
    } else if (is_noc_part(access->part)) {
        writer.view = tile && place->agent == BH_AGENT_CORE ? &tile->core[place->index % CHECK_CORES].view : NULL;
        const struct check_request *request = request_at(tile, access);
        writer.own = request ? request->known : NULL;
        writer.alone = request && request->alone;
    } else if (access->part < PART_MOP) {
        writer.view = &tile->thread[access->part - PART_THREAD].view;
    } else {
        writer.view = &tile->unit[access->part];
    }
    return writer;
}

/* Of a store of a core: whether the later one knows that the core has got past it. */
static bool knows_core(const struct bh_check *check, const struct check_actor *later, const struct check_actor *earlier)
{
    if (earlier->part < PART_STORE || earlier->part >= PART_CONFIG_STORE) {
        return false;
    }
    const struct check_tile *tile = check->tile[earlier->tile];
    unsigned core = core_of_part(earlier->part);
    return tile->steps[earlier->part] - earlier->step < CHECK_TOLD &&
           actor_knows(later, earlier->tile, PART_CORE + core, tile->core[core].told[earlier->step % CHECK_TOLD]);
}

void races_report(struct bh_check *check, struct check_race *race)
{
    struct check_words words;
    enum bh_check_tool tool = race->object == OBJECT_MOP ? BH_CHECK_SYNCHRONISATION : BH_CHECK_RACES;
    if (!check_has(check, tool)) {
        return;
    }
    check_words_of_race(&words, check, race);
    check_report(check,
                 &(struct check_found){.tool = tool,
                                       .severity = words.severity,
                                       .rule = words.rule,
                                       .because = words.because,
                                       .later = race->later.place,
                                       .earlier = race->earlier.place,
                                       .later_what = words.later,
                                       .earlier_what = words.earlier},
                 words.mend, "%s", words.message);
}

/* A load of a core that its data cache may answer with what was there before a write. */
void races_report_stale(struct bh_check *check, struct check_tile *tile, const struct bh_event *event,
                        const struct cell_access *write)
{
    struct cell_access load = {.step = 1, .part = (uint8_t)(PART_CORE + event->index % CHECK_CORES)};
    struct check_race race = {.tile = tile->number,
                              .object = OBJECT_L1_CACHED,
                              .index = event->access.address,
                              .later = races_writer(check, tile->number, &load),
                              .earlier = races_writer(check, tile->number, write),
                              .earlier_writes = true};
    race.later.place = check_place_of(check, event);
    if (write->step) {
        races_report(check, &race);
    }
}

/* A loop that polls L1 without a fence: its data cache may answer from the second look on. */
void races_report_poll(struct bh_check *check, struct check_tile *tile, const struct check_load *load)
{
    const struct cell *cell = cells_at(&check->cells, tile->number, BH_SPACE_L1, load->address, false);
    unsigned core = check->places[load->place].index % CHECK_CORES;
    const struct cell_access *write = cell ? &cell->write[0] : NULL;
    bool own = write && is_core_part(write->part) && core_of_part(write->part) == core;
    if (write && write->step && !own) {
        struct cell_access poll = {.step = 1, .part = (uint8_t)(PART_CORE + core)};
        struct check_race race = {.tile = tile->number,
                                  .object = OBJECT_L1_CACHED,
                                  .index = load->address,
                                  .later = races_writer(check, tile->number, &poll),
                                  .earlier = races_writer(check, tile->number, write),
                                  .earlier_writes = true};
        race.later.place = load->place;
        races_report(check, &race);
    }
}

void races_report_load(struct bh_check *check, struct check_load *load)
{
    races_report(check, &load->race);
}

/* The load of a core that an access is, while it may turn out to be a poll; null: it is none. */
static struct check_load *open_load(struct bh_check *check, const struct check_race *race,
                                    const struct check_actor *actor, bool writes)
{
    if (writes || actor->part >= PART_STORE || (race->object != OBJECT_L1 && race->object != OBJECT_DRAM)) {
        return NULL;
    }
    struct check_core *core = &check->tile[actor->tile]->core[core_of_part(actor->part)];
    struct check_load *latest = NULL;
    for (uint32_t left = core->open; left; left &= left - 1) {
        struct check_load *load = &core->load[__builtin_ctz(left)];
        bool its = load->place == actor->place && load->address / CELL_BYTES == race->index / CELL_BYTES;
        if (its && (!latest || load->born > latest->born)) {
            latest = load;
        }
    }
    return latest;
}

static void keep_own(struct check_actor *actor, struct view_tile *own)
{
    if (actor->own) {
        *own = *actor->own;
        own->users = 0;
        actor->own = own;
    }
}

/* A race with a core's load waits until it is clear whether the load is a poll. */
static void found(struct bh_check *check, struct check_race *race)
{
    struct check_load *load = open_load(check, race, &race->later, race->later_writes);
    race->later_knows_core = knows_core(check, &race->later, &race->earlier);
    race->unanswered = order_is_unanswered(check, &race->later, &race->earlier);
    load = load ? load : open_load(check, race, &race->earlier, race->earlier_writes);
    if (!load) {
        races_report(check, race);
    } else if (!load->races) {
        load->races = true;
        load->race = *race;
        keep_own(&load->race.earlier, &load->own[0]);
        keep_own(&load->race.later, &load->own[1]);
    }
}

/* Whether a write may be one of a flag or a count. Atomic operations of the NoC are, too, which are told with the 16
   bytes around their word. */
static bool is_word(uint32_t bytes)
{
    return (unsigned)__builtin_popcount(bytes) <= sizeof(uint32_t);
}

bool races_is_flag(const struct check_load *load)
{
    const struct check_actor *writer = load->race.earlier_writes ? &load->race.earlier : &load->race.later;
    return load->races && (writer->atomic || is_word(load->race.written));
}

void races_only_looked(struct bh_check *check, struct check_tile *tile, const struct check_load *load)
{
    struct cell *cell = cells_at(&check->cells, tile->number, BH_SPACE_L1, load->address, false);
    unsigned core = check->places[load->place].index % CHECK_CORES;
    for (unsigned i = 0; cell && i < CELL_READS; i++) {
        if (cell->read[i].step && cell->read[i].part == PART_CORE + core && cell->read[i].place == load->place) {
            cell->read[i].looked |= (uint16_t)cell_bytes(load->address, load->address + load->size);
        }
    }
}

/* Whether who has made the other access has read behind it. */
static bool is_later(const struct cell_access *read, const struct cell_access *other)
{
    return read->part == other->part && read->step > other->step;
}

/* The access of the cell that conflicts with one of `bytes`; null: there is none. */
static const struct cell_access *conflicting(const struct bh_check *check, const struct cell *cell, uint32_t tile,
                                             const struct check_actor *actor, uint32_t bytes, bool write)
{
    const struct cell_access *found = NULL;
    for (unsigned i = 0; i < CELL_WRITES; i++) {
        if ((cell->write[i].bytes & bytes) && races_unordered(check, actor, tile, &cell->write[i])) {
            found = &cell->write[i];
            break;
        }
    }
    for (unsigned i = 0; i < CELL_READS && write; i++) {
        const struct cell_access *read = &cell->read[i];
        uint32_t looked = actor->atomic || is_word(bytes) ? read->looked : 0;
        bool overlaps = read->bytes & ~looked & bytes;
        /* What is to be waited for is the last one. */
        if (overlaps && (!found || is_later(read, found)) && races_unordered(check, actor, tile, read)) {
            found = read;
        }
    }
    return found;
}

/* Checks and records an access of `bytes` of the cell of an object. */
void races_touch(struct bh_check *check, struct cell *cell, const struct check_race *object,
                 const struct check_actor *actor, uint32_t bytes, bool write)
{
    struct cell_access access = {
        .step = actor->step, .place = actor->place, .bytes = bytes, .part = actor->part, .atomic = actor->atomic};
    access.valued = write && actor->valued;
    access.value = access.valued ? actor->value : 0;
    const struct cell_access *earlier = conflicting(check, cell, object->tile, actor, bytes, write);
    if (earlier) {
        struct check_race race = *object;
        race.later = *actor;
        race.later_writes = write;
        race.earlier = races_writer(check, race.tile, earlier);
        race.earlier_writes = earlier < &cell->write[CELL_WRITES];
        race.written = race.earlier_writes ? earlier->bytes : bytes;
        race.both = earlier->bytes & bytes;
        race.unwritten = !(cell->written & bytes);
        race.same_value = race.earlier_writes && access.valued && earlier->valued && earlier->bytes == bytes &&
                          earlier->value == access.value;
        access.raced = true;
        found(check, &race);
    }
    cell_record(cell, &access, write);
}

/* Memories. */

/* The memory of a DRAM channel is reached through several tiles of the NoC: it is that of the first. */
uint32_t check_home(const struct check_tile *tile, enum bh_space space)
{
    return space == BH_SPACE_DRAM ? CHECK_TILES - 1 - dram_channel_at(tile->x, tile->y) : tile->number;
}

/* The host waits until what it reads is there, and starts what reads its writes. */
static void host_accesses(struct bh_check *check, uint32_t home, const struct bh_access *access)
{
    uint64_t end = access->address + access->size;
    for (uint64_t at = access->address; access->write && at < end; at = (at / CELL_BYTES + 1) * CELL_BYTES) {
        struct cell *cell = cells_at(&check->cells, home, (enum bh_space)access->space, at, true);
        if (!cell) {
            check->failed = true;
            return;
        }
        cell->written |= cell_bytes(at, end);
        for (unsigned i = 0; i < CELL_WRITES; i++) {
            cell->write[i] = (struct cell_access){};
        }
        for (unsigned i = 0; i < CELL_READS; i++) {
            cell->read[i] = (struct cell_access){};
        }
    }
}

/* Whether others wait for a word of a short access. Atomic operations of the NoC are told with the 16 bytes around it.
 */
static bool has_signal(struct check_tile *tile, const struct bh_access *access)
{
    bool any = false;
    for (uint32_t at = 0; access->size <= CELL_BYTES && at < access->size && !any; at += sizeof(uint32_t)) {
        any = signal_find(tile, (enum bh_space)access->space, access->address + at) != NULL;
    }
    return any;
}

/* Whether an access is an amoadd of a core: others than this set a word, as those of locks do, which plain stores open.
 */
static bool adds_by_core(const struct bh_check *check, bool atomic, uint32_t at)
{
    enum { AMO = 0x2f, FUNCTION_SHIFT = 27 };
    const struct check_known_place *place = &check->places[at];
    return atomic && place->agent == BH_AGENT_CORE && (place->word & 0x7f) == AMO && place->word >> FUNCTION_SHIFT == 0;
}

/* What others wait for is in order by itself, but not an atomic operation beside a store that overwrites it: of a word
   that the core has loaded before without one, or to which other cores add, or by a request that does not know of the
   store. */
static void lost_update(struct bh_check *check, const struct cell *cell, const struct check_race *object,
                        const struct check_actor *actor, uint32_t bytes)
{
    const bool stores = is_core_part(actor->part) && !actor->atomic;
    const bool adds = (is_noc_part(actor->part) && actor->atomic) || adds_by_core(check, actor->atomic, actor->place);
    bool loaded = false;
    for (unsigned i = 0; i < CELL_READS && stores; i++) {
        const struct cell_access *read = &cell->read[i];
        loaded |=
            read->step && (read->bytes & bytes) && !read->atomic && read->part == PART_CORE + core_of_part(actor->part);
    }
    for (unsigned i = 0; i < CELL_WRITES && (stores || adds); i++) {
        const struct cell_access *write = &cell->write[i];
        const bool other = stores ? (loaded && write->atomic) || adds_by_core(check, write->atomic, write->place)
                                  : is_core_part(write->part) && !write->atomic;
        if (other && (write->bytes & bytes) && races_unordered(check, actor, object->tile, write)) {
            struct check_race race = *object;
            race.later = *actor;
            race.later_writes = race.earlier_writes = true;
            race.earlier = races_writer(check, object->tile, write);
            race.written = write->bytes;
            race.both = write->bytes & bytes;
            found(check, &race);
            return;
        }
    }
}

static void memory(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct bh_access *access = &event->access;
    enum bh_space space = (enum bh_space)access->space;
    uint32_t home = check_home(tile, space);
    uint64_t end = access->address + access->size;
    if (!check->has_actor) {
        host_accesses(check, home, access);
        return;
    }
    struct check_actor actor = check->actor;
    const bool signal = has_signal(tile, access);
    actor.valued = access->write && access->data && access->size <= sizeof actor.value && is_core_part(actor.part);
    if (actor.valued) {
        memcpy(&actor.value, access->data, access->size);
    }
    const bool by_core = actor.part < PART_CONFIG_STORE && !signal && space == BH_SPACE_L1;
    struct check_race object = {.tile = home, .object = space == BH_SPACE_DRAM ? OBJECT_DRAM : OBJECT_L1};
    for (uint64_t at = access->address; at < end; at = (at / CELL_BYTES + 1) * CELL_BYTES) {
        struct cell *cell = cells_at(&check->cells, home, space, at, true);
        uint32_t bytes = cell_bytes(at, end);
        if (!cell) {
            check->failed = true;
            return;
        }
        object.index = at;
        if (by_core) {
            unsigned core = core_of_part(actor.part);
            if (access->write) {
                overruns_store(tile, cell, core, bytes);
            } else if (cell->lost) {
                overruns_load(check, tile, cell, core, bytes);
            }
        }
        if (signal) { /* its own order is what others wait for */
            if (access->write) {
                lost_update(check, cell, &object, &actor, bytes);
            }
            cell_record(cell,
                        &(struct cell_access){.step = actor.step,
                                              .place = actor.place,
                                              .bytes = bytes,
                                              .part = actor.part,
                                              .atomic = actor.atomic},
                        access->write);
        } else {
            races_touch(check, cell, &object, &actor, bytes, access->write);
        }
    }
}

void races_access(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    switch (event->access.space) {
    case BH_SPACE_REGISTER: races_register(check, tile, event); break;
    case BH_SPACE_LOCAL_RAM: init_local_ram(check, tile, event); break; /* the core's own: nobody races */
    default:
        init_memory(check, tile, event);
        memory(check, tile, event);
        break;
    }
}

/* A core that was let go, or told to jump there, before what loads its program has arrived may execute what was there
   before. */
void races_fetch(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    uint32_t pc = event->place.pc;
    unsigned core = check_core(event->index), part = PART_CORE + core;
    uint32_t *reported = &tile->late_code[core];
    const struct cell *cell = cells_at(&check->cells, tile->number, BH_SPACE_L1, pc, false);
    struct check_race race = {.tile = tile->number, .object = OBJECT_L1, .index = pc, .fetches = true};
    race.later = (struct check_actor){
        .tile = tile->number, .part = (uint8_t)part, .step = tile->steps[part], .view = &tile->core[core].view};
    const struct cell_access *write =
        cell ? conflicting(check, cell, tile->number, &race.later, cell_bytes(pc, pc + sizeof(uint32_t)), false) : NULL;
    if (write && write->place != *reported) {
        race.later.place = check_place_of(check, event);
        race.earlier = races_writer(check, tile->number, write);
        race.earlier_writes = true;
        race.later_knows_core = knows_core(check, &race.later, &race.earlier);
        if (!order_is_unanswered(check, &race.later, &race.earlier)) { /* a jump waits for that */
            *reported = write->place; /* once for a program, not for each of its instructions */
            races_report(check, &race);
        }
    }
}

void races_thread_issues(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    races_counters(check, tile, event);
    races_vector(check, tile, event);
}
