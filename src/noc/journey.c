#include "noc/observe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "memory/l1.h"
#include "util/bits.h"

/* Errors are reported for the initiator, whichever endpoint finds them. */
enum step journey_wrong(const struct journey *journey, enum bh_category category, const char *format, ...)
{
    struct diagnostics *diagnostics = journey->initiator->diagnostics;
    journey->network->told = true;
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

/* What the program wrote for the tile at raw coordinates of the request's NoC; 0: nothing. */
static uint16_t written_for(const struct noc_request *request, unsigned x, unsigned y)
{
    const struct noc_place *places[] = {&request->target, &request->back};
    for (unsigned i = 0; i < COUNT_OF(places); i++) {
        if (places[i]->written && places[i]->x == x && places[i]->y == y) {
            return places[i]->written;
        }
    }
    return 0;
}

struct journey_name journey_name(const struct journey *journey, unsigned x, unsigned y)
{
    struct journey_name name;
    unsigned noc = journey->request->noc;
    unsigned written =
        written_for(journey->request, noc ? NOC_WIDTH - 1 - x : x, noc ? NOC_HEIGHT - 1 - y : y) & ~NOC_WRITTEN;
    unsigned written_x = written & NOC_COORDINATE, written_y = written >> NOC_COORDINATE_BITS;
    if (!written || (written_x == x && written_y == y)) {
        (void)snprintf(name.text, sizeof name.text, "tile (%u, %u)", x, y);
    } else {
        (void)snprintf(name.text, sizeof name.text, "tile (%u, %u), which is the %s tile at (%u, %u) of NoC 0",
                       written_x, written_y, tile_kind_name(noc_tile_kind(x, y)), x, y);
    }
    return name;
}

struct noc_endpoint *journey_new_endpoint(const struct journey *journey, unsigned x, unsigned y)
{
    unsigned noc = journey->request->noc;
    unsigned noc_x = noc ? NOC_WIDTH - 1 - x : x, noc_y = noc ? NOC_HEIGHT - 1 - y : y;
    if (x >= NOC_WIDTH || y >= NOC_HEIGHT) {
        unsigned written = written_for(journey->request, x, y);
        (void)journey_wrong(journey, BH_UNDEFINED_BEHAVIOR,
                            "there is no tile at coordinates (%u, %u), which are translated to (%u, %u)",
                            written & NOC_COORDINATE, written >> NOC_COORDINATE_BITS & NOC_COORDINATE, x, y);
        return NULL;
    }
    return network_endpoint(journey->network, noc_x, noc_y);
}

/* Accesses. */

/* During an access, diagnostics of the endpoint name the initiator. This is what borrow() overwrites and give_back()
   restores. */
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
    journey->network->told = true;
    theirs->now = journey->request->origin;
    theirs->tile_x = ours->tile_x;
    theirs->tile_y = ours->tile_y;
    if (endpoint->via) {
        *endpoint->via = journey->request->noc;
    }
    return before;
}

static void give_back(const struct journey *journey, struct noc_endpoint *endpoint, const struct borrowed *before)
{
    struct diagnostics *theirs = endpoint->diagnostics, *ours = journey->initiator->diagnostics;
    for (uint32_t i = before->count; i < theirs->count && i < DIAGNOSTICS_KEPT; i++) {
        char said[sizeof theirs->entries[i].text];
        memcpy(said, theirs->entries[i].text, sizeof said);
        (void)snprintf(theirs->entries[i].text, sizeof theirs->entries[i].text, "NoC %u, at %s: %.500s",
                       journey->request->noc, journey_name(journey, endpoint->x, endpoint->y).text, said);
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
        return journey_wrong(journey, BH_UNDEFINED_BEHAVIOR, "access to 0x%llx of %s: it leaves what is mapped",
                             (unsigned long long)address, journey_name(journey, endpoint->x, endpoint->y).text);
    }
    if (step == STEP_WAIT) {
        return journey_wrong(journey, BH_UNSUPPORTED, "the register at 0x%llx of %s cannot take the access now",
                             (unsigned long long)address, journey_name(journey, endpoint->x, endpoint->y).text);
    }
    return step;
}

/* Whether the access is to L1 of a Tensix tile, where none fails. */
static bool always_works(const struct journey *journey, struct noc_endpoint *endpoint, uint64_t address, uint32_t size)
{
    if (!endpoint->l1 || endpoint->memory != L1_SIZE || !l1_contains(address, size)) {
        return false;
    }
    if (endpoint->via) {
        *endpoint->via = journey->request->noc;
    }
    return true;
}

static enum step read_endpoint(const struct journey *journey, struct noc_endpoint *endpoint, uint64_t address,
                               void *data, uint32_t size)
{
    if (always_works(journey, endpoint, address, size)) {
        return endpoint->read(endpoint->context, address, data, size);
    }
    if (!endpoint->diagnostics) {
        enum step step = endpoint->read(endpoint->context, address, data, size);
        if (step != STEP_DONE) {
            memset(data, 0, size); /* the policy may let the request go on */
        }
        return end_access(journey, endpoint, step, address);
    }
    struct borrowed before = borrow(journey, endpoint);
    enum step step = endpoint->read(endpoint->context, address, data, size);
    give_back(journey, endpoint, &before);
    if (step != STEP_DONE) {
        memset(data, 0, size);
    }
    return end_access(journey, endpoint, step, address);
}

static enum step write_endpoint(const struct journey *journey, struct noc_endpoint *endpoint, uint64_t address,
                                const void *data, uint32_t size)
{
    if (always_works(journey, endpoint, address, size)) {
        return endpoint->write(endpoint->context, address, data, size);
    }
    if (!endpoint->diagnostics) {
        return end_access(journey, endpoint, endpoint->write(endpoint->context, address, data, size), address);
    }
    struct borrowed before = borrow(journey, endpoint);
    enum step step = endpoint->write(endpoint->context, address, data, size);
    give_back(journey, endpoint, &before);
    return end_access(journey, endpoint, step, address);
}

enum step journey_read(const struct journey *journey, struct noc_endpoint *endpoint, uint64_t address, void *data,
                       uint32_t size)
{
    enum step step = read_endpoint(journey, endpoint, address, data, size);
    if (step == STEP_DONE) {
        journey_accessed(journey, endpoint, false, address, size, data);
    }
    return step;
}

enum step journey_write(const struct journey *journey, struct noc_endpoint *endpoint, uint64_t address,
                        const void *data, uint32_t size)
{
    enum step step = write_endpoint(journey, endpoint, address, data, size);
    if (step == STEP_DONE) {
        journey_accessed(journey, endpoint, true, address, size, data);
    }
    return step;
}
