/* memcheck: requests on the NoC that begin in a buffer and end behind it. */
#include <inttypes.h>
#include <stdio.h>

#include "check/owned.h"
#include "noc/coordinates.h"

static void side(struct bh_check *check, const struct bh_event *event, struct check_tile *at, uint64_t address,
                 bool write)
{
    bool dram = noc_tile_kind(at->x, at->y) == TILE_DRAM;
    const struct owned *buffer = owned_buffer_at(check, check_home(at, dram ? BH_SPACE_DRAM : BH_SPACE_L1), address);
    uint64_t end = address + event->noc.size;
    if (!buffer || end <= owned_end(buffer)) {
        return;
    }
    bool circular = buffer->what.kind == BH_CHECK_CIRCULAR_BUFFER;
    char name[200], what[160], message[420];
    owned_name(buffer, name, sizeof name);
    (void)snprintf(what, sizeof what, "%s %" PRIu32 " bytes at 0x%" PRIx64 " of tile %u-%u", write ? "writes" : "reads",
                   event->noc.size, address, at->x, at->y);
    (void)snprintf(message, sizeof message, "a request %s, %" PRIu64 " of them behind the end of %s", what,
                   end - owned_end(buffer), name);
    check_report(check,
                 &(struct check_found){.tool = BH_CHECK_MEMORY,
                                       .severity = BH_SEVERITY_ERROR,
                                       .rule = circular ? "memcheck.circular-buffer" : "memcheck.buffer",
                                       .because = "what begins in a buffer ends in it: what lies behind belongs to "
                                                  "others (docs/jobs.md)",
                                       .later = check_place_of(check, event),
                                       .later_what = what},
                 "a shorter request, or a larger buffer", "%s", message);
}

void transfer_event(struct bh_check *check, const struct bh_event *event)
{
    const struct bh_noc *noc = &event->noc;
    struct check_tile *from = check_tile_at(check, noc->from_x, noc->from_y);
    struct check_tile *to = check_tile_at(check, noc->to_x, noc->to_y);
    bool data = noc->request == BH_NOC_READ || noc->request == BH_NOC_WRITE;
    if (!data || !from || !to) {
        return;
    }
    side(check, event, from, noc->from_address, false);
    side(check, event, to, noc->to_address, true);
}
