/* Requests on the NoC. What a request does is ordered behind what the core knew when it started it; the core learns of
   its end by the counters of the NIU, and others from the core. Writes of one tile over one NoC to one destination come
   in their order if they stay on one virtual channel (NOC_CMD_VC_STATIC), or are linked; of others one may overtake
   another (ISA documentation NoC/README.md, "Virtual channels" and "Ordering"; NoC/MemoryMap.md, NoC/Counters.md). */
#include <string.h>

#include "check/order.h"

enum { DONE_READS, DONE_WRITES, DONE_ATOMICS };
enum { NIU_ALIKE = 0x10000, NIU_0 = 0xffb20000, NIU_COUNTERS = 0x200, NIU_COUNTERS_END = 0x300 };
enum {
    NOC_CMD_VC_LINKED = 1 << 6,
    NOC_CMD_VC_STATIC = 1 << 7,
    NOC_CMD_STATIC_VC_SHIFT = 13,
    NOC_CMD_STATIC_VC_MASK = 7
};
enum { COORDINATES = 64, CHANNELS = NOC_CMD_STATIC_VC_MASK + 1, OF_A_TRANSACTION = 1 << 30 };
enum niu_counter {
    COUNTER_ATOMIC_RESPONSES,
    COUNTER_WRITE_ACKS,
    COUNTER_READ_RESPONSES,
    COUNTER_READ_WORDS,
    COUNTER_OUTSTANDING = 16, /* of transaction id 0; those between count requests that were sent */
    COUNTER_OUTGOING = COUNTER_OUTSTANDING + CHECK_TRANSACTIONS,
};

static unsigned done_of(unsigned kind)
{
    return kind == BH_NOC_READ ? DONE_READS : kind == BH_NOC_ATOMIC ? DONE_ATOMICS : DONE_WRITES;
}

static unsigned first_part(unsigned kind)
{
    unsigned done = done_of(kind);
    return done == DONE_READS ? PART_NOC_READ : done == DONE_ATOMICS ? PART_NOC_ATOMIC : PART_NOC_WRITE;
}

static struct check_request *slot_of(struct check_tile *initiator, uint32_t number)
{
    return &initiator->request[number % CHECK_REQUESTS];
}

/* Requests of one path stay in order: those with the same virtual channel and destination, and those of a transaction,
   which all but its last request are linked in. 0: of none. */
static uint32_t path_of(struct check_tile *tile, const struct bh_noc *noc)
{
    uint32_t control = tile->control[noc->noc & 1][tile->initiator[noc->noc & 1]];
    uint32_t *transaction = &tile->transaction[noc->noc & 1], path = *transaction;
    if (!path && (control & NOC_CMD_VC_STATIC)) {
        uint32_t place =
            (((uint32_t)noc->first_x * COORDINATES + noc->first_y) * COORDINATES + noc->to_x) * COORDINATES + noc->to_y;
        uint32_t channel = control >> NOC_CMD_STATIC_VC_SHIFT & NOC_CMD_STATIC_VC_MASK;
        path = ((place * CHANNELS + channel) * 2 + noc->broadcast) * 2 + 1;
    } else if (!path && (control & NOC_CMD_VC_LINKED)) {
        path = OF_A_TRANSACTION | noc->number;
    }
    *transaction = control & NOC_CMD_VC_LINKED ? path : 0;
    return path;
}

/* Whether a write may arrive before earlier ones of its tile, behind the one that its core knows to have ended. */
static bool may_overtake(struct check_tile *tile, const struct check_request *request, uint32_t ended)
{
    bool last = request->part < PART_NOC_WRITE || request->step - 1 <= ended, overtakes = false;
    for (uint32_t i = 1; !last && !overtakes && i < CHECK_REQUESTS; i++) {
        const struct check_request *other = slot_of(tile, request->number - i);
        if (other->open && other->part == request->part && other->step > ended) {
            overtakes = !request->path || other->path != request->path;
            last = other->step == ended + 1;
        }
    }
    return overtakes;
}

/* Those that it cannot overtake arrive before it, though others may not. */
static void same_path_arrives(struct check_tile *tile, const struct check_request *request, uint32_t ended)
{
    bool last = !request->path || !request->known;
    for (uint32_t i = 1; !last && i < CHECK_REQUESTS; i++) {
        const struct check_request *other = slot_of(tile, request->number - i);
        if (other->open && other->part == request->part && other->step > ended) {
            if (other->path == request->path) {
                view_add_arrival(request->known, other->part, other->step);
            }
            last = other->step == ended + 1;
        }
    }
}

static void sent(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct bh_noc *noc = &event->noc;
    struct check_request *request = slot_of(tile, noc->number);
    view_leave(request->known);
    *request = (struct check_request){
        .open = true,
        .kind = noc->request,
        .noc = noc->noc & 1,
        .part = (uint8_t)(first_part(noc->request) + (noc->noc & 1)),
        .core = event->agent == BH_AGENT_NIU && event->place.agent == BH_AGENT_CORE ? event->place.index % CHECK_CORES
                                                                                    : CHECK_CORES,
        .responds = noc->responds || noc->request == BH_NOC_READ,
        .number = noc->number,
        .place = check_place_of(check, event),
        .size = noc->size,
        .path = path_of(tile, noc),
    };
    request->step = ++tile->steps[request->part];
    if (request->core < CHECK_CORES) {
        struct view *view = &tile->core[request->core].view;
        unsigned part = PART_CORE + request->core;
        learn_step(check, view, tile->number, part, tile->steps[part]++);
        uint32_t ended = view_knows(view, tile->number, request->part);
        request->alone = may_overtake(tile, request, ended);
        request->known = request->alone ? view_share_arrival(view, request->part, request->step)
                                        : view_share_own(view, request->part, request->step);
        check->failed |= !request->known;
        if (request->alone) {
            same_path_arrives(tile, request, ended);
        }
    }
}

/* Requests without data in a response are done with the first one. */
static void acknowledged(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    struct check_request *request = slot_of(tile, event->noc.number);
    if (!request->open || request->number != event->noc.number) {
        return;
    }
    request->acknowledged += event->noc.size;
    bool done = request->kind != BH_NOC_READ || request->acknowledged >= request->size;
    if (done) {
        learn_step(check, &tile->done[request->noc][done_of(request->kind)], tile->number, request->part,
                   request->step);
        learn_step(check, &tile->done_with[request->noc][event->noc.transaction_id % CHECK_TRANSACTIONS], tile->number,
                   request->part, request->step);
    }
}

void order_noc(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    if (event->kind == BH_EVENT_NOC_SENT) {
        sent(check, tile, event);
    } else {
        acknowledged(check, tile, event);
    }
}

/* A core has read a counter of an NIU: it knows of the requests that it counts. Those of requests that were sent say
   that the data were read, not that they have arrived. */
void order_niu_counter(struct bh_check *check, struct check_tile *tile, struct view *view, uint32_t address)
{
    uint32_t offset = (address - NIU_0) % NIU_ALIKE, noc = (address - NIU_0) / NIU_ALIKE & 1;
    if (offset < NIU_COUNTERS || offset >= NIU_COUNTERS_END) {
        return;
    }
    uint32_t counter = (offset - NIU_COUNTERS) / 4;
    const struct view *done = tile->done[noc];
    if (counter >= COUNTER_OUTSTANDING && counter < COUNTER_OUTGOING) {
        learn(check, view, &tile->done_with[noc][counter - COUNTER_OUTSTANDING]);
        return;
    }
    const bool sends = counter > COUNTER_READ_WORDS && counter < COUNTER_OUTSTANDING;
    if (counter == COUNTER_ATOMIC_RESPONSES || counter >= COUNTER_OUTSTANDING) {
        learn(check, view, &done[DONE_ATOMICS]);
    }
    if (counter == COUNTER_WRITE_ACKS || counter >= COUNTER_OUTSTANDING) {
        learn(check, view, &done[DONE_WRITES]);
    }
    if (counter >= COUNTER_READ_RESPONSES && !sends) {
        learn(check, view, &done[DONE_READS]);
    }
    if (sends) {
        learn_step(check, view, tile->number, PART_NOC_SOURCE + noc, tile->steps[PART_NOC_WRITE + noc]);
    }
}

struct check_request *request_of(struct bh_check *check, const struct bh_event *event, struct check_tile **initiator)
{
    *initiator = check_tile_at(check, event->place_x, event->place_y);
    struct check_request *request = *initiator ? slot_of(*initiator, event->access.request) : NULL;
    return request && request->open && request->number == event->access.request ? request : NULL;
}

static void learn_streams(struct bh_check *check, struct check_tile *tile, const struct check_tile *from)
{
    learn(check, &tile->streams, &from->streams);
    for (unsigned i = 0; i < 3 * CHECK_STREAMS; i++) {
        learn(check, &tile->streams, &(&from->stream[0][0])[i]);
    }
}

bool order_niu_actor(struct bh_check *check, struct check_tile *tile, const struct bh_event *event,
                     struct check_actor *actor)
{
    struct check_tile *initiator;
    struct check_request *request = request_of(check, event, &initiator);
    if (!request || request->core >= CHECK_CORES) {
        if (initiator && initiator != tile) { /* streams tell each other what is there and what is free */
            learn_streams(check, tile, initiator);
            learn_streams(check, initiator, tile);
        }
        return false;
    }
    const bool reads_source = request->part >= PART_NOC_WRITE && !event->access.write;
    *actor = (struct check_actor){.tile = initiator->number,
                                  .part = (uint8_t)(reads_source ? PART_NOC_SOURCE + request->noc : request->part),
                                  .step = request->step,
                                  .place = request->place,
                                  .atomic = request->kind == BH_NOC_ATOMIC,
                                  .alone = request->alone,
                                  .view = &initiator->core[request->core].view,
                                  .own = request->known};
    return true;
}
