/* memcheck: circular buffers whose size nobody has told, between two cores: the producer stores, counts what it has
   pushed in a register of an overlay stream, and the consumer waits for that count. Where the producer waits for no
   room it may be through before the consumer begins: no race, as the consumer waits for all of it, but what was pushed
   first is lost. So a store over what the same core has announced by its push, and nobody has read or popped, is kept
   in mind until the consumer reads there. A core that pushes to several streams is left out: it is not known which of
   them a store belongs to. */
#include <inttypes.h>
#include <stdio.h>

#include "check/checker.h"

enum { COUNT_NEGATIVE = 0x8000 };

void overruns_push(struct check_tile *tile, unsigned number, unsigned stream, uint32_t before)
{
    struct check_announcements *announcements = &tile->announcements[number];
    if (announcements->count && announcements->stream != stream) {
        announcements->several = true;
    }
    announcements->stream = (uint8_t)stream;
    announcements->at[announcements->count++ % CHECK_ANNOUNCED] =
        (struct check_announced){.store = tile->steps[PART_STORE + number], .before = (uint16_t)before};
}

void overruns_wait(struct check_tile *tile, unsigned number, unsigned stream)
{
    tile->counts[stream].waits |= (uint8_t)(1u << number);
}

static bool is_popped(const struct check_tile *tile, unsigned stream, uint16_t before)
{
    return (uint16_t)(before - tile->counts[stream].popped) >= COUNT_NEGATIVE;
}

/* The push behind a store of the core; null: there is none, or it is too long ago. */
static const struct check_announced *push_behind(const struct check_announcements *announcements, uint32_t store)
{
    uint32_t first = announcements->count > CHECK_ANNOUNCED ? announcements->count - CHECK_ANNOUNCED : 0;
    for (uint32_t i = first; i < announcements->count; i++) {
        const struct check_announced *at = &announcements->at[i % CHECK_ANNOUNCED];
        if (at->store >= store) {
            return i == first && first ? NULL : at;
        }
    }
    return NULL;
}

void overruns_store(struct check_tile *tile, struct cell *cell, unsigned number, uint32_t bytes)
{
    const struct check_announcements *announcements = &tile->announcements[number];
    if (!announcements->count || announcements->several || cell->lost) {
        return;
    }
    for (unsigned i = 0; i < CELL_READS; i++) {
        if (cell->read[i].step && cell->read[i].bytes & bytes && cell->read[i].part != PART_CORE + number) {
            return;
        }
    }
    for (unsigned i = 0; i < CELL_WRITES; i++) {
        const struct cell_access *write = &cell->write[i];
        if (write->step && write->part == PART_STORE + number && write->bytes & bytes) {
            const struct check_announced *push = push_behind(announcements, write->step);
            if (push && !is_popped(tile, announcements->stream, push->before)) {
                cell->lost = true;
                cell->lost_core = (uint8_t)number;
                cell->lost_count = push->before;
            }
        }
    }
}

void overruns_load(struct bh_check *check, struct check_tile *tile, struct cell *cell, unsigned number, uint32_t bytes)
{
    unsigned stream = tile->announcements[cell->lost_core].stream;
    const struct cell_access *write = NULL;
    for (unsigned i = 0; i < CELL_WRITES && !write; i++) {
        const struct cell_access *at = &cell->write[i];
        write = at->step && at->part == PART_STORE + cell->lost_core && at->bytes & bytes ? at : NULL;
    }
    if (number == cell->lost_core || !write || !(tile->counts[stream].waits >> number & 1)) {
        return;
    }
    cell->lost = false;
    if (is_popped(tile, stream, cell->lost_count) || !check_has(check, BH_CHECK_MEMORY)) {
        return;
    }
    char what[200];
    const char *producer = bh_core_name((enum bh_core)cell->lost_core);
    (void)snprintf(
        what, sizeof what,
        "%s reads page %u of the circular buffer of stream %u, which %s has overwritten before it was popped",
        bh_core_name((enum bh_core)number), cell->lost_count, stream, producer);
    check_report(check,
                 &(struct check_found){.tool = BH_CHECK_MEMORY,
                                       .severity = BH_SEVERITY_ERROR,
                                       .rule = "memcheck.circular-buffer",
                                       .because = "a producer writes and pushes only pages for which there is room: "
                                                  "the others are still to be read",
                                       .earlier = write->place,
                                       .earlier_what = "what was pushed before is overwritten here",
                                       .later = check->actor.place,
                                       .later_what = "and read here"},
                 "wait for room (cb_reserve_back) before the pages are written and pushed", "%s", what);
}
