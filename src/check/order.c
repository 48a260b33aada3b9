#include "check/order.h"

#include "isa/tensix_isa.h"
#include "tensix/units/config/config.h"
#include "util/bits.h"

void order_tell(struct bh_check *check, struct check_tile *tile, struct view *object, struct view *view, unsigned part)
{
    if (part != NO_PART) {
        learn_step(check, view, tile->number, part, tile->steps[part]++);
    }
    learn(check, object, view);
}

void learn_actor(struct bh_check *check, struct view *view, const struct check_actor *actor)
{
    if (actor->view) {
        check->failed |= !view_join_with(view, actor->view, actor->own);
    }
    if (!actor->alone) {
        learn_step(check, view, actor->tile, actor->part, actor->step);
    } else {
        check->failed |= !view_learn_arrival(view, actor->tile, actor->part, actor->step);
    }
}

/* Signals: a hash table without deletion. */

static struct check_signal *signal_slot(struct check_tile *tile, enum bh_space space, uint64_t address)
{
    uint64_t word = address & ~UINT64_C(3);
    uint32_t slot = (uint32_t)((word ^ (uint64_t)space << 60) * 0x9e3779b97f4a7c15u >> 54);
    for (unsigned i = 0; i < CHECK_SIGNALS; i++, slot = (slot + 1) % CHECK_SIGNALS) {
        struct check_signal *signal = &tile->signal[slot];
        if (!signal->used || (signal->address == word && signal->space == space)) {
            return signal;
        }
    }
    return NULL;
}

struct check_signal *signal_find(struct check_tile *tile, enum bh_space space, uint64_t address)
{
    struct check_signal *signal = tile->signals ? signal_slot(tile, space, address) : NULL;
    return signal && signal->used ? signal : NULL;
}

struct check_signal *signal_make(struct check_tile *tile, enum bh_space space, uint64_t address)
{
    struct check_signal *signal = signal_slot(tile, space, address);
    if (signal && !signal->used) {
        if (tile->signals >= CHECK_SIGNALS - 1) {
            return NULL;
        }
        tile->signals++;
        signal->used = true;
        signal->view.home = tile->number;
        signal->space = space;
        signal->address = address & ~UINT64_C(3);
    }
    return signal;
}

/* Whoever writes to a word that others wait for tells them what it knows. */
static void signals(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct bh_access *access = &event->access;
    const struct check_actor *actor = &check->actor;
    if (!tile->signals || !access->write || access->space == BH_SPACE_REGISTER || !check->has_actor) {
        return;
    }
    for (uint64_t word = access->address & ~UINT64_C(3); word < access->address + access->size; word += 4) {
        struct check_signal *signal = signal_find(tile, (enum bh_space)access->space, word);
        if (signal) {
            learn_actor(check, &signal->view, actor);
            if (is_core_part(actor->part)) {
                unsigned core = core_of_part(actor->part);
                learn_step(check, &signal->view, tile->number, PART_CORE + core, tile->steps[PART_CORE + core]++);
            }
        }
        if (access->size > PAGE_BYTES) {
            return; /* bulk data */
        }
    }
}

static void access_by_thread(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    unsigned thread = event->place.index % CHECK_THREADS;
    if (event->access.space == BH_SPACE_REGISTER && event->place.agent == BH_AGENT_THREAD) {
        order_register(check, tile,
                       &(struct register_access){.address = (uint32_t)event->access.address,
                                                 .write = event->access.write,
                                                 .view = order_thread_view(tile, thread),
                                                 .part = PART_THREAD + thread,
                                                 .core = CHECK_CORES});
    }
}

/* A register of this tile that a request on the NoC writes. */
static void access_by_niu(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    if (event->access.space == BH_SPACE_REGISTER && event->access.write && check->has_actor) {
        struct view view = {.home = tile->number};
        learn_actor(check, &view, &check->actor);
        order_register(check, tile,
                       &(struct register_access){.address = (uint32_t)event->access.address,
                                                 .write = true,
                                                 .view = &view,
                                                 .part = NO_PART,
                                                 .core = CHECK_CORES});
        view_free(&view);
    }
}

static void host_learns(struct bh_check *check, uint32_t home, const struct cell_access *write)
{
    const struct check_actor writer = races_writer(check, home, write);
    struct check_tile *tile = check->tile[writer.tile];
    learn_actor(check, &check->host, &writer);
    if (is_core_part(writer.part)) {
        unsigned core = core_of_part(writer.part);
        order_tell(check, tile, &check->host, &tile->core[core].view, PART_CORE + core);
    }
}

/* What the host reads tells it what the writer knew, as a poll tells a core; a register, what all cores of the tile do.
 */
static void host_reads(struct bh_check *check, struct check_tile *tile, const struct bh_access *access)
{
    const enum bh_space space = (enum bh_space)access->space;
    const uint32_t home = check_home(tile, space);
    const uint64_t end = access->address + access->size;
    for (unsigned core = 0; core < CHECK_CORES && space == BH_SPACE_REGISTER; core++) {
        order_tell(check, tile, &check->host, &tile->core[core].view, PART_CORE + core);
    }
    for (uint64_t at = access->address; at < end && space != BH_SPACE_REGISTER;
         at = (at / CELL_BYTES + 1) * CELL_BYTES) {
        const struct cell *cell = cells_at(&check->cells, home, space, at, false);
        for (unsigned i = 0; cell && i < CELL_WRITES; i++) {
            const struct cell_access *write = &cell->write[i];
            if (write->step && write->bytes & cell_bytes(at, end)) {
                host_learns(check, home, write);
            }
        }
    }
}

/* Whoever looks at what the host writes, or is let go by that, knows what the host knows: any core of the tile, since
   it is not known which. Long accesses are data. */
static void access_by_host(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    enum { LONGEST_FLAG = 64 };
    if (event->access.size > LONGEST_FLAG) {
        return;
    }
    if (!event->access.write) {
        host_reads(check, tile, &event->access);
        return;
    }
    for (unsigned core = 0; core < CHECK_CORES; core++) {
        learn(check, &tile->core[core].view, &check->host);
    }
}

/* Of a core: its loads are steps of its own, its stores to L1 others, and so are those to Dst and other registers. */
static void core_actor(struct check_tile *tile, const struct bh_event *event, struct check_actor *actor)
{
    unsigned core = check_core(event->index);
    bool to_dst = event->kind == BH_EVENT_OPERAND && event->operand.write;
    bool write = to_dst || (event->kind == BH_EVENT_ACCESS && event->access.write);
    bool to_register = to_dst || event->access.space == BH_SPACE_REGISTER;
    unsigned part = !write ? PART_CORE : to_register ? PART_CONFIG_STORE : PART_STORE;
    actor->part = (uint8_t)(part + core);
    tile->steps[actor->part] += to_dst;
    actor->step = tile->steps[actor->part];
    actor->view = &tile->core[core].view;
    actor->atomic = (event->instruction & 0x7f) == 0x2f;
}

static void thread_actor(struct check_tile *tile, const struct bh_event *event, struct check_actor *actor)
{
    unsigned number = event->place.index % CHECK_THREADS;
    const struct check_thread *thread = &tile->thread[number];
    if (order_is_scheduled(tile, event)) {
        actor->part = (uint8_t)(PART_VECTOR + number);
        actor->step = tile->steps[actor->part];
        actor->view = &tile->unit[actor->part];
        return;
    }
    unsigned part;
    if (order_unpacks(event, &part)) {
        actor->part = (uint8_t)part;
        actor->step = tile->steps[part];
        actor->view = &tile->unit[part];
        return;
    }
    actor->part = thread->part;
    actor->step = thread->step;
    actor->view = order_thread_view(tile, number);
}

/* A unit accesses L1 for its last instruction. In timed mode it does so some time after that, so that the place of the
   event is anybody's. */
static void unit_actor(struct check_tile *tile, unsigned unit, struct check_actor *actor)
{
    unsigned part = unit == PART_MOVER ? unit : unit + tile->unit_thread[unit];
    actor->part = (uint8_t)part;
    actor->step = tile->steps[part];
    actor->view = &tile->unit[part];
    actor->place = tile->unit_place[part];
}

/* An unpacker takes its address when it begins: that is what its two contexts are for. */
static bool is_base_address(const struct bh_operand *operand)
{
    static const uint16_t words[] = {THCON_SEC0_REG3_Base_address_ADDR32, THCON_SEC0_REG3_Base_cntx1_address_ADDR32,
                                     THCON_SEC1_REG3_Base_address_ADDR32, THCON_SEC1_REG3_Base_cntx1_address_ADDR32};
    for (unsigned i = 0; operand->file == BH_OPERAND_CONFIG && operand->unit == BH_UNIT_UNPACK && i < COUNT_OF(words);
         i++) {
        if (operand->index == words[i] && operand->count == 1) {
            return true;
        }
    }
    return false;
}

/* Configuration of the thread, and Config where a part of the frontend looks at it, is read as the instruction leaves
   the wait gate; what is written later has a part of its own. */
static void operand_actor(struct check_tile *tile, const struct bh_event *event, struct check_actor *actor)
{
    const struct bh_operand *operand = &event->operand;
    unsigned number = event->place.index % CHECK_THREADS;
    bool by_stream = operand->file == BH_OPERAND_CONFIG && event->instruction >> 24 == TENSIX_OPCODE_STREAMWRCFG;
    if (operand->write && (operand->late || by_stream)) {
        actor->part = operand->unit == BH_UNIT_CONFIG ? PART_CONFIG : PART_LOADED;
        actor->step = tile->steps[actor->part];
    } else if (operand->file == BH_OPERAND_THREAD_CONFIG || is_base_address(operand)) {
        actor->part = (uint8_t)(PART_THREAD + number);
        actor->step = tile->steps[actor->part];
        actor->view = &tile->thread[number].view;
    }
}

/* Who makes the access or has the operand of an event. false: nobody who can race. */
static bool actor_of(struct bh_check *check, struct check_tile *tile, const struct bh_event *event,
                     struct check_actor *actor)
{
    *actor = (struct check_actor){.tile = tile->number, .place = check_place_of(check, event)};
    switch (event->agent) {
    case BH_AGENT_CORE: core_actor(tile, event, actor); return true;
    case BH_AGENT_NIU: return order_niu_actor(check, tile, event, actor);
    case BH_AGENT_UNPACKER: unit_actor(tile, PART_UNPACKER + 3 * (event->index & 1u), actor); return actor->step != 0;
    case BH_AGENT_PACKER: unit_actor(tile, PART_PACKER, actor); return actor->step != 0;
    case BH_AGENT_MOVER: unit_actor(tile, PART_MOVER, actor); return actor->step != 0;
    case BH_AGENT_SCALAR: unit_actor(tile, PART_SCALAR, actor); return actor->step != 0;
    case BH_AGENT_DMA: order_dma_actor(tile, event, actor); return true;
    case BH_AGENT_THREAD: break;
    default: return false;
    }
    thread_actor(tile, event, actor);
    if (event->kind == BH_EVENT_OPERAND) {
        operand_actor(tile, event, actor);
    }
    return actor->part != 0;
}

void order_access(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    if (event->agent == BH_AGENT_CORE) {
        order_core_accesses(check, tile, event);
    }
    check->has_actor = actor_of(check, tile, event, &check->actor);
    switch (event->agent) {
    case BH_AGENT_THREAD:
    case BH_AGENT_SCALAR: access_by_thread(check, tile, event); break;
    case BH_AGENT_NIU: access_by_niu(check, tile, event); break;
    case BH_AGENT_HOST: access_by_host(check, tile, event); break;
    default: break;
    }
    signals(check, tile, event);
    if (event->access.write && event->access.space == BH_SPACE_L1 && check->has_actor) {
        order_stales(tile, event, &check->actor);
    }
}

void order_finds_operand(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    order_operand(check, tile, event);
    check->has_actor = actor_of(check, tile, event, &check->actor);
}

/* All but what check.c tells apart, since there is so much of it. */
void order_event(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    switch (event->kind) {
    case BH_EVENT_ISSUED: order_thread_issues(check, tile, event); break;
    case BH_EVENT_MUTEX: order_mutex(check, tile, event); break;
    case BH_EVENT_SRC_BANK: order_hands_over(check, tile, event); break;
    case BH_EVENT_NOC_SENT:
    case BH_EVENT_NOC_ACKNOWLEDGED: order_noc(check, tile, event); break;
    default: break;
    }
}

void order_end(struct bh_check *check)
{
    for (unsigned i = 0; i < CHECK_TILES; i++) {
        for (unsigned core = 0; check->tile[i] && core < CHECK_CORES; core++) {
            order_core_ends(check, check->tile[i], core);
        }
    }
}
