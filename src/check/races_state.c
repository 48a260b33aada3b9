/* racecheck: state of the coprocessor - GPRs, configuration, Dst, SrcA, SrcB, LRegs, templates - and registers that
   have an address. */
#include <string.h>

#include "check/order.h"
#include "isa/tensix_config_names.h"
#include "isa/tensix_isa.h"

enum { NIU = 0xffb20000, OVERLAY = 0xffb40000, NIU_REQUEST = 0x800, NIU_REQUEST_END = 0x44, STREAM_ADDS = 0x438 };
enum { NIU_SIZE = 0x10000, NIU_CONTROL = 0x1c, NIU_COMMAND = 0x40 };
enum { GPR = 0xffe00000, PUSH = 0xffe40000, MOP_CONFIG = 0xffb80000, MOP_CONFIG_END = 0xffb80024, CONFIG = 0xffef0000 };
enum { DST_SETTLES = 3 }; /* instructions between a write of the matrix unit and a load of the vector unit */

/* An NIU takes a request out of its initiator's registers some time after it was started. */
static void request_register(struct bh_check *check, struct check_tile *tile, const struct bh_event *event,
                             const struct check_actor *actor)
{
    uint32_t offset = (uint32_t)event->access.address - NIU;
    unsigned noc = offset / NIU_SIZE, initiator = offset % NIU_SIZE / NIU_REQUEST;
    uint32_t *started = &tile->started[noc][initiator];
    if (*started) {
        struct cell_access earlier = {.step = actor->step, .place = *started, .part = actor->part};
        races_report(check, &(struct check_race){.tile = tile->number,
                                                 .object = OBJECT_REQUEST,
                                                 .index = event->access.address,
                                                 .later = *actor,
                                                 .earlier = races_writer(check, tile->number, &earlier),
                                                 .later_writes = true,
                                                 .earlier_writes = true});
        *started = 0; /* once for all registers of the request */
    }
    tile->initiator[noc] = (uint8_t)initiator;
    if (offset % NIU_REQUEST == NIU_COMMAND) {
        *started = actor->place;
    } else if (offset % NIU_REQUEST == NIU_CONTROL && event->access.data && event->access.size == sizeof(uint32_t)) {
        memcpy(&tile->control[noc][initiator], event->access.data, sizeof(uint32_t));
    }
}

/* A register of an overlay stream or of a request is written by one agent, or by agents in an order. */
static void shared_register(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    uint32_t address = (uint32_t)event->access.address;
    bool stream = address >= OVERLAY && address < MOP_CONFIG && address % 0x1000 != STREAM_ADDS;
    bool request = address >= NIU && address < OVERLAY && address % NIU_REQUEST < NIU_REQUEST_END &&
                   address % NIU_SIZE < CHECK_INITIATORS * NIU_REQUEST;
    if (!event->access.write || !check->has_actor || (!stream && !request)) {
        return;
    }
    struct check_actor actor = check->actor;
    if (event->agent == BH_AGENT_CORE) {
        actor.part = (uint8_t)(PART_CORE + check_core(event->index));
        actor.step = tile->steps[actor.part] - stream; /* who sees the value is behind the store: it ended its step */
    }
    if (request && event->agent == BH_AGENT_CORE) {
        request_register(check, tile, event, &actor);
    }
    struct cell *cell = cells_at(&check->cells, tile->number, BH_SPACE_REGISTER, address, true);
    check->failed |= !cell;
    if (cell) {
        races_touch(check, cell,
                    &(struct check_race){.tile = tile->number, .object = OBJECT_REGISTER, .index = address}, &actor,
                    cell_bytes(address, address + event->access.size), true);
    }
}

/* Posts, gets and initialisations of a thread. They are what orders agents: what counts is what was known before. */
void races_semaphores(struct bh_check *check, struct check_tile *tile, const struct bh_event *event, uint32_t mask)
{
    unsigned number = event->index % CHECK_THREADS;
    const struct check_actor actor = {.tile = tile->number,
                                      .part = (uint8_t)(PART_THREAD + number),
                                      .step = tile->steps[PART_THREAD + number],
                                      .place = check_place_of(check, event),
                                      .view = &tile->thread[number].view};
    for (unsigned i = 0; i < CHECK_SEMAPHORES; i++) {
        if (mask >> i & 1) {
            races_touch(check, &tile->semaphores[i],
                        &(struct check_race){.tile = tile->number, .object = OBJECT_SEMAPHORE, .index = i}, &actor, 1,
                        event->instruction >> 24 == TENSIX_OPCODE_SEMINIT);
        }
    }
}

void races_register(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    uint32_t address = (uint32_t)event->access.address;
    unsigned core = event->index;
    bool write = event->access.write;
    shared_register(check, tile, event);
    if (event->agent != BH_AGENT_CORE || !check->has_actor) {
        return;
    }
    if (address >= CONFIG) {
        uint32_t word = (address - CONFIG) / 4;
        for (unsigned bank = 0; bank < CHECK_BANKS; bank++) {
            bool both = word >= 2 * CHECK_CONFIG_WORDS && word < 3 * CHECK_CONFIG_WORDS;
            if (both || word / CHECK_CONFIG_WORDS == bank) {
                unsigned index = word % CHECK_CONFIG_WORDS;
                races_touch(
                    check, &tile->config[bank][index],
                    &(struct check_race){.tile = tile->number, .object = OBJECT_CONFIG, .number = bank, .index = index},
                    &check->actor, UINT32_MAX, write);
            }
        }
    } else if (address >= GPR && address < PUSH) {
        unsigned thread = core == BH_CORE_B ? (address - GPR) / 4 / CHECK_GPRS : core - BH_CORE_T0;
        unsigned index = (address - GPR) / 4 % CHECK_GPRS;
        if (thread < CHECK_THREADS) {
            races_touch(
                check, &tile->gpr[thread][index],
                &(struct check_race){.tile = tile->number, .object = OBJECT_GPR, .number = thread, .index = index},
                &check->actor, 1, write);
        }
    } else if (address >= MOP_CONFIG && address < MOP_CONFIG_END && write && core - BH_CORE_T0 < CHECK_THREADS) {
        unsigned thread = core - BH_CORE_T0;
        tile->mop_written[thread] |= (uint16_t)(1 << (address - MOP_CONFIG) / 4);
        struct cell_access expansion = {.step = tile->steps[PART_MOP + thread],
                                        .part = (uint8_t)(PART_MOP + thread),
                                        .place = tile->mop_place[thread]};
        if (races_unordered(check, &check->actor, tile->number, &expansion)) {
            races_report(check, &(struct check_race){.tile = tile->number,
                                                     .object = OBJECT_MOP,
                                                     .number = thread,
                                                     .later = check->actor,
                                                     .earlier = races_writer(check, tile->number, &expansion),
                                                     .later_writes = true});
        }
    }
}

/* The cells of an operand; null: it is not checked. */
static struct cell *cells_of(struct check_tile *tile, const struct bh_operand *operand, enum check_object *kind,
                             unsigned *count)
{
    unsigned part = operand->part;
    switch (operand->file) {
    case BH_OPERAND_GPR:
        *kind = OBJECT_GPR;
        *count = CHECK_GPRS;
        return part < CHECK_THREADS ? tile->gpr[part] : NULL;
    case BH_OPERAND_CONFIG:
        *kind = OBJECT_CONFIG;
        *count = CHECK_CONFIG_WORDS;
        return part < CHECK_BANKS ? tile->config[part] : NULL;
    case BH_OPERAND_THREAD_CONFIG:
        *kind = OBJECT_THREAD_CONFIG;
        *count = CHECK_THREAD_WORDS;
        return part < CHECK_THREADS ? tile->thread_config[part] : NULL;
    case BH_OPERAND_DST:
        *kind = OBJECT_DST;
        *count = CHECK_DST_ROWS;
        return tile->dst;
    case BH_OPERAND_SRCA:
    case BH_OPERAND_SRCB:
        *kind = operand->file == BH_OPERAND_SRCA ? OBJECT_SRCA : OBJECT_SRCB;
        *count = CHECK_SRC_ROWS;
        return part < CHECK_BANKS ? tile->src[operand->file - BH_OPERAND_SRCA][part] : NULL;
    case BH_OPERAND_LREG:
        *kind = OBJECT_LREG;
        *count = CHECK_LREGS;
        return tile->lreg;
    default: return NULL;
    }
}

/* The vector unit does not wait for the matrix unit's last instructions (SFPLOAD.md): a row that the latter writes, or
   the former reads. */
static void dst_settles(struct bh_check *check, struct check_tile *tile, const struct bh_event *event, unsigned row)
{
    const struct check_thread *thread = &tile->thread[event->place.index % CHECK_THREADS];
    const struct bh_operand *operand = &event->operand;
    const struct cell_access *write = &tile->dst[row].write[0];
    if (operand->write) {
        tile->matrix_wrote[row] = thread->instructions;
    } else if (write->part == PART_MATRIX + event->place.index % CHECK_THREADS && tile->matrix_wrote[row] &&
               thread->instructions - tile->matrix_wrote[row] <= DST_SETTLES &&
               view_knows(&thread->view, tile->number, write->part) < write->step) {
        races_report(check, &(struct check_race){.tile = tile->number,
                                                 .object = OBJECT_DST_UNSETTLED,
                                                 .index = row,
                                                 .later = check->actor,
                                                 .earlier = races_writer(check, tile->number, write),
                                                 .earlier_writes = true});
    }
}

/* What WRCFG and CFGSHIFTMASK write is there behind the next instruction (WRCFG.md). */
static void config_settles(struct bh_check *check, struct check_tile *tile, const struct bh_event *event, unsigned word)
{
    unsigned number = event->place.index % CHECK_THREADS;
    const struct check_thread *thread = &tile->thread[number];
    const struct bh_operand *operand = &event->operand;
    uint64_t *wrote = &tile->config_wrote[number][word];
    uint32_t opcode = event->instruction >> 24;
    if (operand->write) {
        *wrote = opcode == TENSIX_OPCODE_WRCFG || opcode == TENSIX_OPCODE_CFGSHIFTMASK ? thread->instructions : 0;
    } else if (*wrote && thread->instructions == *wrote + 1 && operand->unit != BH_UNIT_CONFIG) {
        races_report(check, &(struct check_race){.tile = tile->number,
                                                 .object = OBJECT_CONFIG_UNSETTLED,
                                                 .number = operand->part,
                                                 .index = word,
                                                 .later = check->actor,
                                                 .earlier = races_writer(check, tile->number,
                                                                         &tile->config[operand->part][word].write[0]),
                                                 .earlier_writes = true});
    }
}

/* Registers of the coprocessor are mostly accessed by one part over and over, with one view, which is in order with
   itself. */

/* A part reads what it has read before: what it knew then it knows now, and nothing was written since. */
static inline bool reads_again(struct cell *cell, const struct cell_access *access)
{
    for (unsigned i = 0; i < CELL_READS; i++) {
        struct cell_access *read = &cell->read[i];
        if (read->part == access->part && read->bytes == access->bytes && read->step && !read->raced) {
            *read = *access;
            return true;
        }
    }
    return false;
}

/* Whether a part accesses what it has written last, all of it, and nobody else has written more. */
static inline bool has_written(const struct cell *cell, const struct cell_access *access)
{
    const struct cell_access *write = cell->write;
    return write[0].part == access->part && write[0].bytes == access->bytes && write[0].step &&
           !(write[1].step | write[2].step | write[3].step);
}

_Static_assert(CELL_WRITES == 4 && CELL_READS == 4, "four are looked at");

/* A part writes what it has written before, and nobody else has read. */
static inline bool writes_again(struct cell *cell, const struct cell_access *access)
{
    for (unsigned i = 0; i < CELL_READS; i++) {
        const struct cell_access *read = &cell->read[i];
        if (read->step && (read->part != access->part || read->bytes != access->bytes)) {
            return false;
        }
    }
    for (unsigned i = 0; i < CELL_READS; i++) {
        cell->read[i].step = cell->read[i].bytes = 0;
    }
    cell->write[0] = *access;
    return true;
}

/* Records an access to a register that is certainly in order. */
static inline bool goes_on(struct cell *cell, const struct cell_access *access, bool write)
{
    if (write) {
        return has_written(cell, access) && writes_again(cell, access);
    }
    if (reads_again(cell, access)) {
        return true;
    }
    const struct cell_access *read = cell->read;
    if (!has_written(cell, access)) {
        return false;
    }
    if (read[0].step | read[1].step | read[2].step | read[3].step) {
        cell_record(cell, access, false);
    } else {
        cell->read[CELL_READS - 1] = *access; /* where cell_record() puts it */
    }
    return true;
}

void races_operand(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct bh_operand *operand = &event->operand;
    enum check_object kind;
    unsigned count;
    struct cell *cells = cells_of(tile, operand, &kind, &count);
    if (!cells || !check->has_actor) {
        return;
    }
    struct check_race object = {.tile = tile->number, .object = kind, .number = operand->part};
    const bool settles = kind == OBJECT_DST && event->agent == BH_AGENT_THREAD &&
                         operand->unit == (operand->write ? BH_UNIT_MATRIX : BH_UNIT_VECTOR);
    const bool initialised = operand->write || !check_has(check, BH_CHECK_INITIALISATION);
    const struct cell_access access = {.step = check->actor.step,
                                       .place = check->actor.place,
                                       .bytes = operand->mask ? operand->mask : 1,
                                       .part = check->actor.part};
    for (unsigned i = operand->index; i < (unsigned)operand->index + operand->count; i++) {
        unsigned index = i < count ? i : i % count;
        struct cell *cell = &cells[index];
        object.index = index;
        if (settles) {
            dst_settles(check, tile, event, index);
        } else if (kind == OBJECT_CONFIG) {
            config_settles(check, tile, event, index);
        } else if (kind == OBJECT_LREG) {
            races_lreg(check, tile, event, index);
        }
        if (!initialised && !cell->written) {
            init_operand(check, event, &object, cell);
        }
        if (check->actor.atomic || !goes_on(cell, &access, operand->write)) {
            races_touch(check, cell, &object, &check->actor, access.bytes, operand->write);
        }
    }
}
