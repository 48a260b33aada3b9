#include "noc/recipients.h"

/* One axis of a broadcast, in raw coordinates. Positions count from the start of the rectangle, around the torus. */
struct axis {
    unsigned size, start, length;
    unsigned keep, skip; /* pattern along the axis: `keep` tiles receive, the next `skip` do not; none if either is 0 */
    unsigned excluded;   /* first (upwards) or last position that is excluded */
    bool upwards;        /* excluded are positions from there on, else up to there */
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
    const struct niu *niu = endpoint_niu(endpoint, noc);
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
        return journey_wrong(journey, BH_UNDEFINED_BEHAVIOR,
                             "broadcast from (%u, %u) to (%u, %u): there are no such tiles", place->start_x,
                             place->start_y, place->x, place->y);
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
            struct noc_endpoint *endpoint =
                request->noc ? network_endpoint(journey->network, NOC_WIDTH - 1 - x, NOC_HEIGHT - 1 - y)
                             : network_endpoint(journey->network, x, y);
            bool self = endpoint == journey->initiator;
            if (takes_broadcasts(endpoint, request->noc, x, y) && (!self || request->include_source)) {
                recipients->endpoint[recipients->count++] = endpoint;
            }
        }
    }
    return STEP_DONE;
}

enum step recipients_find(const struct journey *journey, const struct noc_place *place, struct recipients *recipients)
{
    recipients->count = 0;
    if (journey->request->broadcast) {
        return find_rectangle(journey, place, recipients);
    }
    recipients->endpoint[0] = place == &journey->request->back ? journey_back(journey) : journey_target(journey);
    recipients->count = 1;
    return recipients->endpoint[0] ? STEP_DONE : STEP_STOP;
}
