/* memcheck: circular buffers against their counters. How many pages were pushed and popped are two registers of an
   overlay stream without traffic, whoever keeps them; which memory a buffer has is known if a launch says so. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/owned.h"

enum { STREAMS = 0xffb40000, STREAM_SIZE = 0x1000, REGISTER_POPPED = 8, REGISTER_PUSHED = 10 };
enum { COUNT_MASK = 0xffff, COUNT_NEGATIVE = 0x8000 };
enum { METAL_FIRST_STREAM = 8 }; /* of circular buffer 0 of a launch: tt-metal's stream_io_map.h */

static void report(struct bh_check *check, uint32_t place, const char *because, const char *mend, const char *what)
{
    check_report(check,
                 &(struct check_found){.tool = BH_CHECK_MEMORY,
                                       .severity = BH_SEVERITY_ERROR,
                                       .rule = "memcheck.circular-buffer",
                                       .because = because,
                                       .later = place},
                 mend, "%s", what);
}

/* The buffer whose counters a stream has; null: none that is known. */
static const struct owned *buffer_of(const struct bh_check *check, const struct check_tile *tile, uint32_t stream)
{
    const struct owned_list *list = owned_in(check, tile->number);
    for (unsigned i = 0; i < list->count; i++) {
        const struct bh_check_owned *what = &list->item[i].what;
        if (what->kind == BH_CHECK_CIRCULAR_BUFFER && stream - METAL_FIRST_STREAM == what->number) {
            return &list->item[i];
        }
    }
    return NULL;
}

static void pushes(struct bh_check *check, const struct check_tile *tile, const struct bh_event *event, uint32_t stream)
{
    const struct owned *buffer = buffer_of(check, tile, stream);
    uint32_t held = (tile->counts[stream].pushed - tile->counts[stream].popped) & COUNT_MASK;
    if (buffer && held < COUNT_NEGATIVE && held > buffer->what.pages) {
        char name[200], what[320];
        owned_name(buffer, name, sizeof name);
        (void)snprintf(what, sizeof what, "%s has %" PRIu32 " pages, and this push makes %" PRIu32 " in it", name,
                       buffer->what.pages, held);
        report(check, check_place_of(check, event),
               "a producer writes and pushes only pages for which there is room: the others are still to be read",
               "wait for room (cb_reserve_back) before the pages are written and pushed", what);
    }
}

static void pops(struct bh_check *check, const struct check_tile *tile, const struct bh_event *event, uint32_t stream)
{
    const struct check_stream *of = &tile->counts[stream];
    if (of->counts && ((of->pushed - of->popped) & COUNT_MASK) >= COUNT_NEGATIVE) {
        char what[160];
        (void)snprintf(what, sizeof what,
                       "%u tiles were popped from the circular buffer of stream %u, and only %u pushed", of->popped,
                       stream, of->pushed);
        report(check, check_place_of(check, event), "a consumer pops only tiles that it has waited for",
               "wait for the tiles (cb_wait_front) before they are read and popped", what);
    }
}

void circular_register(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct bh_access *access = &event->access;
    uint32_t stream = (uint32_t)(access->address - STREAMS) / STREAM_SIZE % CHECK_STREAMS;
    uint32_t index = (uint32_t)(access->address - STREAMS) % STREAM_SIZE / 4, value;
    struct check_stream *of = &tile->counts[stream];
    if (!access->data || access->size != sizeof value) {
        return;
    }
    memcpy(&value, access->data, sizeof value);
    value &= COUNT_MASK;
    if (index == REGISTER_PUSHED) {
        if (value && event->agent == BH_AGENT_CORE) {
            overruns_push(tile, event->index % CHECK_CORES, stream, of->pushed);
        }
        of->pushed = value;
        of->counts = true;
        of->popped = value ? of->popped : 0;
        pushes(check, tile, event, stream);
    } else if (index == REGISTER_POPPED) {
        of->popped = value;
        pops(check, tile, event, stream);
    }
}

void circular_look(struct check_tile *tile, const struct bh_event *event)
{
    uint32_t offset = (uint32_t)(event->access.address - STREAMS);
    if (offset % STREAM_SIZE / 4 == REGISTER_PUSHED) {
        overruns_wait(tile, event->index % CHECK_CORES, offset / STREAM_SIZE % CHECK_STREAMS);
    }
}

/* Buffers that begin at the same address share their memory on purpose: tt-metal gives one allocation several numbers.
 */
void circular_owned(struct bh_check *check, const struct check_tile *tile, const struct owned *buffer)
{
    const struct owned_list *list = owned_in(check, tile->number);
    for (unsigned i = 0; i < list->count; i++) {
        const struct owned *other = &list->item[i];
        bool overlap = other->what.kind == BH_CHECK_CIRCULAR_BUFFER && other != buffer &&
                       other->what.address < owned_end(buffer) && buffer->what.address < owned_end(other);
        if (!overlap || other->what.address == buffer->what.address) {
            continue;
        }
        /* The host gives them to the tile; the pc makes one finding of each pair. */
        const struct bh_event event = {.place = {.agent = BH_AGENT_HOST, .pc = (uint32_t)buffer->what.address},
                                       .place_x = tile->x,
                                       .place_y = tile->y};
        char one[200], another[200], what[480];
        owned_name(other, one, sizeof one);
        owned_name(buffer, another, sizeof another);
        (void)snprintf(what, sizeof what, "%s and %s overlap", one, another);
        report(check, check_place_of(check, &event),
               "each circular buffer has memory of its own: pages of one are written while those of the other wait",
               "another address, or fewer pages", what);
    }
}
