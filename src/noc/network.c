#include "noc/network.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "noc/atomics.h"

enum {
    TAG_HEADER_STORE = 1 << 9,
    HEADER_BYTES = 16,
    BYTE_ENABLES = 64, /* bytes that a write with byte enables reaches */
    INLINE_BYTES = 16, /* those that an inline write to L1 reaches */
    L1_UNIT = 16,
    REGISTER_BYTES = 4,
    WRITE_ALIGNMENT = 0xf, /* low bits in which source and destination of a write are the same */
};

void network_connect(struct network *network, const struct noc_endpoint *endpoint)
{
    struct noc_endpoint *place = &network->endpoint[endpoint->y][endpoint->x];
    *place = *endpoint;
    if (endpoint->outbox) {
        network->initiator[network->initiators++] = place;
    }
}

bool network_pending(const struct network *network)
{
    for (unsigned i = 0; i < network->initiators; i++) {
        if (network->initiator[i]->outbox->count) {
            return true;
        }
    }
    return false;
}

/* One request on its way. */
struct journey {
    struct network *network;
    struct noc_endpoint *initiator;
    const struct noc_request *request;
};

/* Who is wrong is the initiator, whoever finds it out. */
static enum step __attribute__((format(printf, 3, 4)))
wrong(const struct journey *journey, enum bh_category category, const char *format, ...)
{
    struct diagnostics *diagnostics = journey->initiator->diagnostics;
    struct diagnostic_origin now = diagnostics->now;
    char text[sizeof diagnostics->entries[0].text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    diagnostics->now = journey->request->origin;
    enum step step = diagnose(diagnostics, category, "NoC %u: %s", journey->request->noc, text);
    diagnostics->now = now;
    return step;
}

/* The endpoint at raw coordinates of the request's NoC; null, and a diagnostic, if none is connected. */
static struct noc_endpoint *endpoint_at(const struct journey *journey, unsigned x, unsigned y)
{
    unsigned noc = journey->request->noc;
    unsigned noc_x = noc ? NOC_WIDTH - 1 - x : x, noc_y = noc ? NOC_HEIGHT - 1 - y : y;
    if (x >= NOC_WIDTH || y >= NOC_HEIGHT) {
        (void)wrong(journey, BH_UNDEFINED_BEHAVIOR, "there is no tile at coordinates (%u, %u)", x, y);
        return NULL;
    }
    struct noc_endpoint *endpoint = &journey->network->endpoint[noc_y][noc_x];
    if (!endpoint->read) {
        enum tile_kind kind = noc_tile_kind(noc_x, noc_y);
        (void)wrong(journey, kind == TILE_NONE ? BH_UNDEFINED_BEHAVIOR : BH_UNSUPPORTED,
                    "request to the %s tile at NoC 0 coordinates (%u, %u)%s", tile_kind_name(kind), noc_x, noc_y,
                    kind == TILE_NONE ? "" : ", which is not emulated yet");
        return NULL;
    }
    return endpoint;
}

static struct niu *niu_of(const struct noc_endpoint *endpoint, unsigned noc)
{
    return endpoint && endpoint->niu ? &endpoint->niu[noc] : NULL;
}

static void count(const struct noc_endpoint *endpoint, unsigned noc, unsigned counter, uint32_t amount)
{
    struct niu *niu = niu_of(endpoint, noc);
    if (niu) {
        niu_count(niu, counter, amount);
    }
}

/* Accesses. */

/* What an endpoint finds wrong is said of the initiator: for the time of an access its diagnostics are the initiator's.
 */
struct borrowed {
    struct diagnostic_origin now;
    uint8_t tile_x, tile_y;
    bool stopped;
    uint32_t count;
};

static struct borrowed borrow(const struct journey *journey, struct noc_endpoint *endpoint)
{
    struct diagnostics *theirs = endpoint->diagnostics, *ours = journey->initiator->diagnostics;
    struct borrowed before = {theirs->now, theirs->tile_x, theirs->tile_y, theirs->stopped, theirs->count};
    theirs->now = journey->request->origin;
    theirs->tile_x = ours->tile_x;
    theirs->tile_y = ours->tile_y;
    return before;
}

static void give_back(const struct journey *journey, struct noc_endpoint *endpoint, const struct borrowed *before)
{
    struct diagnostics *theirs = endpoint->diagnostics, *ours = journey->initiator->diagnostics;
    for (uint32_t i = before->count; i < theirs->count && i < DIAGNOSTICS_KEPT; i++) {
        char said[sizeof theirs->entries[i].text];
        memcpy(said, theirs->entries[i].text, sizeof said);
        (void)snprintf(theirs->entries[i].text, sizeof theirs->entries[i].text, "NoC %u, at tile (%u, %u): %.500s",
                       journey->request->noc, before->tile_x, before->tile_y, said);
    }
    bool stops = theirs->stopped && !before->stopped;
    theirs->now = before->now;
    theirs->tile_x = before->tile_x;
    theirs->tile_y = before->tile_y;
    if (ours != theirs) {
        theirs->stopped = before->stopped;
        ours->stopped |= stops;
    }
}

static enum step end_access(const struct journey *journey, const struct noc_endpoint *endpoint, enum step step,
                            uint64_t address)
{
    if (step == STEP_STOP && !endpoint->diagnostics) {
        return wrong(journey, BH_UNDEFINED_BEHAVIOR, "access to 0x%llx of tile (%u, %u): it leaves what is mapped",
                     (unsigned long long)address, endpoint->x, endpoint->y);
    }
    if (step == STEP_WAIT) {
        return wrong(journey, BH_UNSUPPORTED, "the register at 0x%llx of tile (%u, %u) cannot take the access now",
                     (unsigned long long)address, endpoint->x, endpoint->y);
    }
    return step;
}

static enum step read(const struct journey *journey, struct noc_endpoint *endpoint, uint64_t address, void *data,
                      uint32_t size)
{
    if (!endpoint->diagnostics) {
        return end_access(journey, endpoint, endpoint->read(endpoint->context, address, data, size), address);
    }
    struct borrowed before = borrow(journey, endpoint);
    enum step step = endpoint->read(endpoint->context, address, data, size);
    give_back(journey, endpoint, &before);
    return end_access(journey, endpoint, step, address);
}

static enum step write(const struct journey *journey, struct noc_endpoint *endpoint, uint64_t address, const void *data,
                       uint32_t size)
{
    if (!endpoint->diagnostics) {
        return end_access(journey, endpoint, endpoint->write(endpoint->context, address, data, size), address);
    }
    struct borrowed before = borrow(journey, endpoint);
    enum step step = endpoint->write(endpoint->context, address, data, size);
    give_back(journey, endpoint, &before);
    return end_access(journey, endpoint, step, address);
}

static bool is_memory(const struct noc_endpoint *endpoint, uint64_t address)
{
    return address < endpoint->memory;
}

/* A write of contiguous bytes as L1 takes it: it may add instead. */
static enum step deliver(const struct journey *journey, struct noc_endpoint *endpoint, uint64_t address,
                         const uint8_t *data, uint32_t size)
{
    const struct noc_request *request = journey->request;
    if (!request->accumulate || !endpoint->l1 || !is_memory(endpoint, address)) {
        return write(journey, endpoint, address, data, size);
    }
    uint8_t sum[NOC_PACKET_BYTES];
    enum step step = read(journey, endpoint, address, sum, size);
    for (uint32_t i = 0; i + L1_UNIT <= size && step == STEP_DONE; i += L1_UNIT) {
        if (!noc_accumulate(request->instruction & 0xf, data + i, sum + i)) {
            return wrong(journey, BH_UNDEFINED_BEHAVIOR, "NOC_L1_ACC_AT_INSTRN 0x%x: there is no such format",
                         request->instruction);
        }
    }
    return step == STEP_DONE ? write(journey, endpoint, address, sum, size) : step;
}

/* Alignment and sizes. */

static enum step check_transfer(const struct journey *journey, const struct noc_endpoint *source, uint64_t from,
                                const struct noc_endpoint *destination, uint64_t to, uint64_t size, unsigned alignment)
{
    const char *what = journey->request->kind == NOC_READ ? "read" : "write";
    bool registers = !is_memory(source, from) || !is_memory(destination, to);
    if (registers && size != REGISTER_BYTES) {
        return wrong(
            journey, BH_UNDEFINED_BEHAVIOR,
            "%s of %llu bytes from 0x%llx of tile (%u, %u) to 0x%llx of tile (%u, %u): with a register on either "
            "side it has to be 4 bytes",
            what, (unsigned long long)size, (unsigned long long)from, source->x, source->y, (unsigned long long)to,
            destination->x, destination->y);
    }
    unsigned mask = registers ? REGISTER_BYTES - 1 : alignment;
    if ((from ^ to) & mask) {
        return wrong(
            journey, BH_UNDEFINED_BEHAVIOR,
            "%s from 0x%llx of tile (%u, %u) to 0x%llx of tile (%u, %u): the addresses have to be the same modulo "
            "%u",
            what, (unsigned long long)from, source->x, source->y, (unsigned long long)to, destination->x,
            destination->y, mask + 1);
    }
    return STEP_DONE;
}

/* Recipients. */

struct recipients {
    struct noc_endpoint *endpoint[NOC_WIDTH * NOC_HEIGHT];
    unsigned count;
};

/* One axis of a broadcast, in raw coordinates. Positions count from the start of the rectangle, around the torus. */
struct axis {
    unsigned size, start, length;
    unsigned keep, skip; /* a pattern: so many receive it, so many do not; unless one of them is 0 */
    unsigned excluded;   /* the position from which on, or up to which, tiles are excluded */
    bool upwards;        /* from which on */
};

static struct axis axis_of(unsigned size, unsigned start, unsigned end, unsigned stride, unsigned excluded,
                           bool upwards)
{
    return (struct axis){.size = size,
                         .start = start,
                         .length = (end + size - start) % size + 1,
                         .keep = stride & 3,
                         .skip = stride >> 2 & 3,
                         .excluded = (excluded + size - start) % size,
                         .upwards = upwards};
}

static bool kept(const struct axis *axis, unsigned position)
{
    return !axis->keep || !axis->skip || position % (axis->keep + axis->skip) < axis->keep;
}

static bool beyond(const struct axis *axis, unsigned position)
{
    return axis->upwards ? position >= axis->excluded : position <= axis->excluded;
}

/* Whether this NIU takes broadcasts: ROUTER_CFG_1 and ROUTER_CFG_3 have a bit for its own column and row. */
static bool takes_broadcasts(const struct noc_endpoint *endpoint, unsigned noc, unsigned x, unsigned y)
{
    const struct niu *niu = niu_of(endpoint, noc);
    return niu && endpoint->outbox && endpoint->l1 && !(niu->config[ROUTER_CFG_1] >> x & 1) &&
           !(niu->config[ROUTER_CFG_3] >> y & 1);
}

static enum step find_rectangle(const struct journey *journey, const struct noc_place *place,
                                struct recipients *recipients)
{
    enum { EXCLUDE_ENABLED = 1 << 22 };
    const struct noc_request *request = journey->request;
    uint32_t exclude = request->exclude;
    if (place->x >= NOC_WIDTH || place->start_x >= NOC_WIDTH || place->y >= NOC_HEIGHT ||
        place->start_y >= NOC_HEIGHT) {
        return wrong(journey, BH_UNDEFINED_BEHAVIOR, "broadcast from (%u, %u) to (%u, %u): there are no such tiles",
                     place->start_x, place->start_y, place->x, place->y);
    }
    struct axis columns =
        axis_of(NOC_WIDTH, place->start_x, place->x, exclude & 0xf, exclude >> 8 & 0x3f, exclude >> 20 & 1);
    struct axis rows =
        axis_of(NOC_HEIGHT, place->start_y, place->y, exclude >> 4 & 0xf, exclude >> 14 & 0x3f, exclude >> 21 & 1);
    for (unsigned j = 0; j < rows.length; j++) {
        for (unsigned i = 0; i < columns.length; i++) {
            if (!kept(&columns, i) || !kept(&rows, j) ||
                (exclude & EXCLUDE_ENABLED && beyond(&columns, i) && beyond(&rows, j))) {
                continue;
            }
            unsigned x = (columns.start + i) % NOC_WIDTH, y = (rows.start + j) % NOC_HEIGHT;
            struct noc_endpoint *endpoint = request->noc
                                                ? &journey->network->endpoint[NOC_HEIGHT - 1 - y][NOC_WIDTH - 1 - x]
                                                : &journey->network->endpoint[y][x];
            bool self = endpoint == journey->initiator;
            if (takes_broadcasts(endpoint, request->noc, x, y) && (!self || request->include_source)) {
                recipients->endpoint[recipients->count++] = endpoint;
            }
        }
    }
    return STEP_DONE;
}

static enum step find_recipients(const struct journey *journey, const struct noc_place *place,
                                 struct recipients *recipients)
{
    recipients->count = 0;
    if (journey->request->broadcast) {
        return find_rectangle(journey, place, recipients);
    }
    recipients->endpoint[0] = endpoint_at(journey, place->x, place->y);
    recipients->count = 1;
    return recipients->endpoint[0] ? STEP_DONE : STEP_STOP;
}

/* Responses arrive. */

static void acknowledge(const struct journey *journey, const struct noc_endpoint *to, unsigned counter)
{
    struct niu *niu = niu_of(to, journey->request->noc);
    if (niu) {
        niu_count(niu, counter, 1);
        niu_complete(niu, journey->request->transaction_id);
    }
}

/* Reads. */

static enum step carry_read(const struct journey *journey)
{
    const struct noc_request *request = journey->request;
    unsigned noc = request->noc;
    struct noc_endpoint *source = endpoint_at(journey, request->target.x, request->target.y);
    struct noc_endpoint *destination = source ? endpoint_at(journey, request->back.x, request->back.y) : NULL;
    if (!destination) {
        return STEP_STOP;
    }
    enum step step = check_transfer(journey, source, request->target_address, destination, request->back_address,
                                    request->length, source->read_alignment);
    for (uint64_t done = 0; step == STEP_DONE && done < request->length; done += NOC_PACKET_BYTES) {
        uint8_t data[NOC_PACKET_BYTES];
        uint64_t left = request->length - done;
        uint32_t size = left < sizeof data ? (uint32_t)left : sizeof data;
        step = read(journey, source, request->target_address + done, data, size);
        if (step == STEP_DONE) {
            step = deliver(journey, destination, request->back_address + done, data, size);
        }
        if (step == STEP_DONE) {
            count(journey->initiator, noc, NIU_MST_RD_REQ_SENT, 1);
            count(source, noc, NIU_SLV_REQ_ACCEPTED, 1);
            count(source, noc, NIU_SLV_RD_REQ_RECEIVED, 1);
            count(source, noc, NIU_SLV_RD_RESP_SENT, 1);
            count(source, noc, NIU_SLV_RD_DATA_WORD_SENT, noc_flits(size));
            count(destination, noc, NIU_MST_RD_DATA_WORD_RECEIVED, noc_flits(size));
            acknowledge(journey, destination, NIU_MST_RD_RESP_RECEIVED);
        }
    }
    return step;
}

/* Writes. */

/* One packet has arrived at one recipient. */
static void count_write(const struct journey *journey, const struct noc_endpoint *endpoint, uint32_t flits,
                        const struct noc_endpoint *acknowledged)
{
    unsigned noc = journey->request->noc, posted = journey->request->response_marked ? 0 : POSTED;
    count(endpoint, noc, NIU_SLV_NONPOSTED_WR_REQ_STARTED + posted, 1);
    count(endpoint, noc, NIU_SLV_NONPOSTED_WR_DATA_WORD_RECEIVED + posted, flits);
    count(endpoint, noc, NIU_SLV_NONPOSTED_WR_REQ_RECEIVED + posted, 1);
    if (!posted) {
        count(endpoint, noc, NIU_SLV_WR_ACK_SENT, 1);
        acknowledge(journey, acknowledged, NIU_MST_WR_ACK_RECEIVED);
    }
}

static void count_write_sent(const struct journey *journey, uint32_t flits)
{
    const struct noc_request *request = journey->request;
    unsigned posted = request->response_marked ? 0 : POSTED;
    count(journey->initiator, request->noc, NIU_MST_NONPOSTED_WR_REQ_SENT + posted, 1);
    count(journey->initiator, request->noc, NIU_MST_NONPOSTED_WR_DATA_WORD_SENT + posted, flits);
    count(journey->initiator, request->noc, NIU_MST_WRITE_REQS_OUTGOING_ID + request->transaction_id, -1u);
}

/* NOC_PACKET_TAG_HEADER_STORE: the receiver keeps the first 16 bytes of a posted write a second time. */
static enum step store_header(const struct journey *journey, struct noc_endpoint *endpoint, const uint8_t *data)
{
    const struct noc_request *request = journey->request;
    bool wanted = request->packet_tag & TAG_HEADER_STORE && !request->response_marked;
    return wanted ? write(journey, endpoint, (uint64_t)request->data << 4, data, HEADER_BYTES) : STEP_DONE;
}

static enum step carry_write(const struct journey *journey)
{
    const struct noc_request *request = journey->request;
    struct noc_endpoint *acknowledged = endpoint_at(journey, request->target.x, request->target.y);
    struct recipients recipients;
    enum step step = acknowledged ? find_recipients(journey, &request->back, &recipients) : STEP_STOP;
    for (unsigned i = 0; step == STEP_DONE && i < recipients.count; i++) {
        step = check_transfer(journey, journey->initiator, request->target_address, recipients.endpoint[i],
                              request->back_address, request->length, WRITE_ALIGNMENT);
    }
    for (uint64_t done = 0; step == STEP_DONE && done < request->length; done += NOC_PACKET_BYTES) {
        uint8_t data[NOC_PACKET_BYTES];
        uint64_t left = request->length - done;
        uint32_t size = left < sizeof data ? (uint32_t)left : sizeof data;
        step = read(journey, journey->initiator, request->target_address + done, data, size);
        if (step != STEP_DONE) {
            break;
        }
        count_write_sent(journey, noc_flits(size));
        for (unsigned i = 0; step == STEP_DONE && i < recipients.count; i++) {
            step = deliver(journey, recipients.endpoint[i], request->back_address + done, data, size);
            if (step == STEP_DONE && done == 0) {
                step = store_header(journey, recipients.endpoint[i], data);
            }
            if (step == STEP_DONE) {
                count_write(journey, recipients.endpoint[i], noc_flits(size), acknowledged);
            }
        }
    }
    return step;
}

/* Writes those bytes of the window at `address` that `enables` says, as few accesses as that takes. */
static enum step write_enabled(const struct journey *journey, struct noc_endpoint *endpoint, uint64_t address,
                               const uint8_t *data, uint64_t enables)
{
    enum step step = STEP_DONE;
    while (enables && step == STEP_DONE) {
        unsigned first = (unsigned)__builtin_ctzll(enables);
        uint64_t rest = ~(enables >> first);
        unsigned length = rest ? (unsigned)__builtin_ctzll(rest) : BYTE_ENABLES - first;
        step = write(journey, endpoint, address + first, data + first, length);
        enables &= first + length < BYTE_ENABLES ? ~UINT64_C(0) << (first + length) : 0;
    }
    return step;
}

static enum step carry_write_bytes(const struct journey *journey)
{
    const struct noc_request *request = journey->request;
    struct noc_endpoint *acknowledged = endpoint_at(journey, request->target.x, request->target.y);
    struct recipients recipients;
    enum step step = acknowledged ? find_recipients(journey, &request->back, &recipients) : STEP_STOP;
    if (step != STEP_DONE) {
        return step;
    }
    uint64_t from = request->target_address & ~(uint64_t)(L1_UNIT - 1),
             to = request->back_address & ~(uint64_t)(L1_UNIT - 1);
    bool registers = recipients.count && !is_memory(recipients.endpoint[0], request->back_address);
    uint8_t data[BYTE_ENABLES] = {0};
    uint32_t needed = request->length ? BYTE_ENABLES - (unsigned)__builtin_clzll(request->length) : 0;
    step = registers ? read(journey, journey->initiator, request->target_address, data, REGISTER_BYTES)
                     : read(journey, journey->initiator, from, data, needed);
    if (step != STEP_DONE) {
        return step;
    }
    count_write_sent(journey, 1);
    for (unsigned i = 0; step == STEP_DONE && i < recipients.count; i++) {
        struct noc_endpoint *endpoint = recipients.endpoint[i];
        step = registers ? write(journey, endpoint, request->back_address, data, REGISTER_BYTES)
                         : write_enabled(journey, endpoint, to, data, request->length);
        if (step == STEP_DONE) {
            count_write(journey, endpoint, 1, acknowledged);
        }
    }
    return step;
}

/* Inline writes. Byte enables choose among the 16 bytes around an L1 address; a register is written whole. */

static enum step write_inline(const struct journey *journey, struct noc_endpoint *endpoint)
{
    const struct noc_request *request = journey->request;
    uint64_t address = request->target_address;
    if (!endpoint->l1) {
        return wrong(journey, BH_UNDEFINED_BEHAVIOR,
                     "inline write to tile (%u, %u): inline writes are for Tensix and Ethernet tiles", endpoint->x,
                     endpoint->y);
    }
    if (!is_memory(endpoint, address)) {
        return write(journey, endpoint, address, &request->data, REGISTER_BYTES);
    }
    enum step step = wrong(journey, BH_UNDEFINED_BEHAVIOR,
                           "inline write to L1 address 0x%llx of tile (%u, %u): silicon does not do that safely; write "
                           "from L1, or to a register",
                           (unsigned long long)address, endpoint->x, endpoint->y);
    if (step != STEP_DONE) {
        return step;
    }
    uint32_t data[INLINE_BYTES / 4];
    for (unsigned i = 0; i < INLINE_BYTES / 4; i++) {
        data[i] = request->data;
    }
    uint32_t enables = (uint32_t)request->length;
    return write_enabled(journey, endpoint, address & ~(uint64_t)(INLINE_BYTES - 1), (const uint8_t *)data,
                         (enables | enables >> INLINE_BYTES) & 0xffff);
}

static enum step carry_write_inline(const struct journey *journey)
{
    struct recipients recipients;
    enum step step = find_recipients(journey, &journey->request->target, &recipients);
    for (unsigned i = 0; step == STEP_DONE && i < recipients.count; i++) {
        step = write_inline(journey, recipients.endpoint[i]);
        if (step == STEP_DONE) {
            count_write(journey, recipients.endpoint[i], 1, journey->initiator);
        }
    }
    return step;
}

/* Atomics. */

static enum step check_atomic(const struct journey *journey, const struct noc_endpoint *endpoint, const char *what,
                              uint64_t address)
{
    if (!endpoint->l1 || !is_memory(endpoint, address) || address % 4) {
        return wrong(journey, BH_UNDEFINED_BEHAVIOR,
                     "atomic request: its %s is 0x%llx of tile (%u, %u); it has to be an aligned word of the L1 of a "
                     "Tensix or Ethernet tile",
                     what, (unsigned long long)address, endpoint->x, endpoint->y);
    }
    return STEP_DONE;
}

/* The operation itself; *result is the word at the target address from before. */
static enum step operate(const struct journey *journey, struct noc_endpoint *endpoint, uint32_t *result)
{
    const struct noc_request *request = journey->request;
    uint64_t base = request->target_address & ~(uint64_t)(L1_UNIT - 1);
    uint8_t unit[L1_UNIT];
    enum step step = check_atomic(journey, endpoint, "target", request->target_address);
    if (step == STEP_DONE) {
        step = read(journey, endpoint, base, unit, sizeof unit);
    }
    if (step == STEP_DONE) {
        memcpy(result, unit + request->target_address % L1_UNIT, sizeof *result);
        noc_atomic(request->instruction, request->data, unit);
        step = write(journey, endpoint, base, unit, sizeof unit);
    }
    return step;
}

static enum step carry_atomic(const struct journey *journey)
{
    const struct noc_request *request = journey->request;
    unsigned noc = request->noc, posted = request->response_marked ? 0 : POSTED;
    struct recipients recipients;
    enum step step = find_recipients(journey, &request->target, &recipients);
    struct noc_endpoint *back = NULL;
    if (step == STEP_DONE && request->response_marked) {
        back = endpoint_at(journey, request->back.x, request->back.y);
        step = back ? check_atomic(journey, back, "return address", request->back_address) : STEP_STOP;
    }
    if (step == STEP_DONE) {
        count(journey->initiator, noc, NIU_MST_NONPOSTED_ATOMIC_SENT + posted, 1);
    }
    for (unsigned i = 0; step == STEP_DONE && i < recipients.count; i++) {
        struct noc_endpoint *endpoint = recipients.endpoint[i];
        uint32_t result;
        step = operate(journey, endpoint, &result);
        if (step == STEP_DONE) {
            count(endpoint, noc, NIU_SLV_REQ_ACCEPTED, 1);
            count(endpoint, noc, NIU_SLV_NONPOSTED_ATOMIC_RECEIVED + posted, 1);
        }
        if (step == STEP_DONE && back) {
            count(endpoint, noc, NIU_SLV_ATOMIC_RESP_SENT, 1);
            step = write(journey, back, request->back_address, &result, sizeof result);
            acknowledge(journey, back, NIU_MST_ATOMIC_RESP_RECEIVED);
        }
    }
    return step;
}

static void carry(const struct journey *journey)
{
    switch ((enum noc_request_kind)journey->request->kind) {
    case NOC_READ: (void)carry_read(journey); break;
    case NOC_WRITE: (void)carry_write(journey); break;
    case NOC_WRITE_BYTES: (void)carry_write_bytes(journey); break;
    case NOC_WRITE_INLINE: (void)carry_write_inline(journey); break;
    case NOC_ATOMIC: (void)carry_atomic(journey); break;
    }
}

unsigned network_exchange(struct network *network)
{
    uint32_t counts[NOC_HEIGHT * NOC_WIDTH];
    unsigned carried = 0;
    for (unsigned i = 0; i < network->initiators; i++) {
        counts[i] = network->initiator[i]->outbox->count;
    }
    for (unsigned i = 0; i < network->initiators; i++) {
        struct noc_endpoint *initiator = network->initiator[i];
        struct noc_outbox *outbox = initiator->outbox;
        for (uint32_t j = 0; j < counts[i] && !initiator->diagnostics->stopped; j++) {
            struct journey journey = {network, initiator, &outbox->request[j]};
            carry(&journey);
        }
        if (counts[i]) {
            outbox->count -= counts[i];
            memmove(outbox->request, outbox->request + counts[i], outbox->count * sizeof *outbox->request);
            carried += counts[i];
        }
    }
    return carried;
}
