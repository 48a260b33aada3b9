/* What is on the tracks of a tile: instructions, waits, and zones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/rv32_isa.h"
#include "isa/rv32_text.h"
#include "isa/tensix_text.h"
#include "noc/coordinates.h"
#include "watch/instruction_text.h"
#include "watch/trace_state.h"
#include "watch/wait_text.h"

enum { MERGED_GAP = 16 }; /* cycles between instructions of a slice */

/* Names. */

static void name_tile(struct bh_trace *trace, struct trace_tile *tile)
{
    if (!tile->named) {
        char name[40];
        enum tile_kind kind = noc_tile_kind(tile->x, tile->y);
        bool tensix = kind == TILE_TENSIX;
        (void)snprintf(name, sizeof name, "%s %u-%u", tensix ? "tile" : tile_kind_name(kind), tile->x, tile->y);
        tile->named = true;
        trace_file_name_process(&trace->file, trace_process(tile->x, tile->y), name,
                                trace_process(tile->x, tile->y) + (tensix ? 0 : WATCH_GRID * WATCH_GRID));
    }
}

static void unit_name(unsigned track, char *name, size_t size)
{
    unsigned unit = (track - TRACK_UNIT) / WATCH_THREADS, other = (track - TRACK_UNIT) % WATCH_THREADS;
    char number[8] = "";
    if (other) {
        (void)snprintf(number, sizeof number, " (%u)", other + 1);
    }
    if (unit == BH_UNIT_UNPACK || unit == BH_UNITS) {
        (void)snprintf(name, size, "unpacker %u%s", unit == BH_UNITS, number);
    } else {
        (void)snprintf(name, size, "%s%s", unit == BH_UNIT_PACK ? "packer" : bh_unit_name((enum bh_unit)unit), number);
    }
}

void trace_name_track(struct bh_trace *trace, struct trace_tile *tile, unsigned track)
{
    char name[40];
    name_tile(trace, tile);
    if (tile->track[track].named) {
        return;
    }
    tile->track[track].named = true;
    if (track < TRACK_THREAD) {
        (void)snprintf(name, sizeof name, "core %s", bh_core_name((enum bh_core)(track - TRACK_CORE)));
    } else if (track < TRACK_UNIT) {
        (void)snprintf(name, sizeof name, "thread T%u", track - TRACK_THREAD);
    } else if (track < TRACK_NIU) {
        unit_name(track, name, sizeof name);
    } else if (track >= TRACK_ZONES) {
        (void)snprintf(name, sizeof name, "core %s zones", bh_core_name((enum bh_core)(track - TRACK_ZONES)));
    } else {
        (void)snprintf(name, sizeof name, "NIU %u %s", (track - TRACK_NIU) / 2, (track - TRACK_NIU) % 2 ? "in" : "out");
    }
    trace_file_name_track(&trace->file, trace_process(tile->x, tile->y), track, name);
}

/* Places in the source, of which the last ones are kept. */

enum { SOURCES_LOG2 = 11, SOURCE_SIZE = 600 };

struct trace_sources {
    struct {
        uint64_t key; /* plus 1 */
        unsigned program;
        char text[SOURCE_SIZE];
    } of[1 << SOURCES_LOG2];
};

const char *trace_source(struct bh_trace *trace, const struct trace_tile *tile, bool core, unsigned index, uint32_t pc)
{
    if (!trace->options.source || (!trace->sources && !(trace->sources = calloc(1, sizeof *trace->sources)))) {
        return NULL;
    }
    uint64_t key = 1 + ((uint64_t)(trace_process(tile->x, tile->y) * 16 + index * 2 + core) << 32 | pc);
    unsigned slot = (unsigned)(key * 0x9e3779b97f4a7c15u >> (64 - SOURCES_LOG2));
    char *text = trace->sources->of[slot].text;
    const struct bh_place place = {.agent = core ? BH_AGENT_CORE : BH_AGENT_THREAD, .index = (uint8_t)index, .pc = pc};
    const struct bh_trace_options *options = &trace->options;
    unsigned program = options->program ? options->program(options->context, tile->x, tile->y, &place) : 0;
    if (trace->sources->of[slot].key != key || trace->sources->of[slot].program != program) {
        trace->sources->of[slot].key = key;
        trace->sources->of[slot].program = program;
        if (!trace->options.source(trace->options.context, tile->x, tile->y, &place, text, SOURCE_SIZE)) {
            text[0] = 0;
        }
    }
    return text[0] ? text : NULL;
}

/* Instructions. */

static void write_fields(struct trace_file *out, uint32_t word)
{
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)(word >> 24));
    for (unsigned i = 0; instruction && i < instruction->field_count; i++) {
        const struct tensix_field *field = &instruction->fields[i];
        if (field->kind != TENSIX_FIELD_RESERVED) {
            trace_file_number(out, field->name, tensix_field_get(field, word));
        }
    }
}

/* The name of a slice: the instruction; of several of a core, the function. */
static void name_slice(const struct trace_slice *slice, char *name, size_t size)
{
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)(slice->word >> 24));
    if (slice->core && slice->function[0]) {
        (void)snprintf(name, size, "%s", slice->function);
    } else if (slice->core && slice->count > 1) {
        (void)snprintf(name, size, "%u instructions", slice->count);
    } else if (slice->core && rv32_identify(slice->word) == RV32_OP_TTINSN) {
        const struct tensix_instruction *pushed = tensix_by_opcode((uint8_t)(watch_pushed(slice->word) >> 24));
        (void)snprintf(name, size, ".ttinsn %s", pushed ? pushed->name : "?");
    } else if (slice->core) {
        rv32_disassemble(slice->word, slice->pc, name, size);
    } else if (slice->count > 1) {
        (void)snprintf(name, size, "%s x%u", instruction ? instruction->name : "?", slice->count);
    } else {
        (void)snprintf(name, size, "%s", instruction ? instruction->name : "?");
    }
}

static void write_place(struct bh_trace *trace, const struct trace_tile *tile, bool core, unsigned index, uint32_t pc)
{
    const char *source = trace_source(trace, tile, core, index, pc);
    trace_file_hex(&trace->file, "pc", pc);
    if (source) {
        trace_file_text(&trace->file, "source", source);
    }
}

static bool is_unit(unsigned track)
{
    return track >= TRACK_UNIT && track < TRACK_NIU;
}

static void write_slice(struct bh_trace *trace, struct trace_tile *tile, unsigned track,
                        const struct trace_slice *slice)
{
    struct trace_file *out = &trace->file;
    char name[TENSIX_TEXT_SIZE];
    name_slice(slice, name, sizeof name);
    const struct trace_event event = {.phase = "X",
                                      .category = is_unit(track) ? "unit"
                                                  : slice->core  ? "core"
                                                                 : "thread",
                                      .name = name,
                                      .process = trace_process(tile->x, tile->y),
                                      .track = track,
                                      .time = slice->begin,
                                      .quarter = slice->begin_quarter};
    const bool borrows = slice->end_quarter < slice->begin_quarter;
    trace_name_track(trace, tile, track);
    if (!trace_file_begin(out, &event)) {
        return;
    }
    trace_file_quarters(out, "dur", slice->end - slice->begin - borrows,
                        (slice->end_quarter + TRACE_QUARTERS - slice->begin_quarter) % TRACE_QUARTERS);
    json_name(&out->json, "args");
    json_begin_object(&out->json);
    write_place(trace, tile, slice->core, slice->index, slice->pc);
    if (trace->options.merge) {
        trace_file_number(out, "instructions", slice->count);
    }
    if (is_unit(track)) {
        trace_file_number(out, "thread", slice->index);
    }
    if (!slice->core) {
        write_fields(out, slice->word);
    }
    json_end_object(&out->json);
    trace_file_end(out);
}

static bool is_empty(const struct trace_slice *slice)
{
    return slice->end < slice->begin || (slice->end == slice->begin && slice->end_quarter <= slice->begin_quarter);
}

static bool shows_slice(const struct bh_trace *trace, const struct trace_slice *slice)
{
    return trace_shows(trace, slice->begin, slice->end + (slice->end_quarter > 0));
}

static void write_pending(struct bh_trace *trace, struct trace_tile *tile, unsigned track)
{
    struct trace_slice *pending = &tile->track[track].pending;
    if (!is_empty(pending) && shows_slice(trace, pending)) {
        write_slice(trace, tile, track, pending);
    }
    pending->begin = pending->end = 0;
    pending->begin_quarter = pending->end_quarter = 0;
}

/* Merging: the innermost function. */
static void find_function(struct bh_trace *trace, const struct trace_tile *tile, struct trace_slice *slice)
{
    const char *source = slice->core ? trace_source(trace, tile, true, slice->index, slice->pc) : NULL;
    int length = source ? (int)strcspn(source, " ") : 0;
    (void)snprintf(slice->function, sizeof slice->function, "%.*s", length, source ? source : "");
}

static bool goes_together(const struct trace_slice *pending, const struct trace_slice *slice)
{
    bool near = !is_empty(pending) && slice->begin - pending->end <= MERGED_GAP;
    return near && (slice->core ? strcmp(pending->function, slice->function) == 0
                                : pending->word >> 24 == slice->word >> 24 && pending->index == slice->index);
}

void trace_put(struct bh_trace *trace, struct trace_tile *tile, unsigned track, struct trace_slice slice)
{
    struct trace_track *on = &tile->track[track];
    struct trace_slice *pending = &on->pending;
    if (slice.begin < on->end) {
        slice.begin = on->end;
        slice.begin_quarter = 0;
    }
    if (is_empty(&slice)) {
        slice.end = slice.begin + 1;
        slice.end_quarter = 0;
    }
    on->end = slice.end;
    if (!shows_slice(trace, &slice)) {
        return;
    }
    if (slice.begin < trace->filter.from) {
        slice.begin = trace->filter.from;
        slice.begin_quarter = 0;
    }
    if (slice.end > trace->filter.to) { /* the last cycle that counts is the filter's */
        slice.end = trace->filter.to + 1;
        slice.end_quarter = 0;
    }
    if (!trace->options.merge) {
        write_slice(trace, tile, track, &slice);
        return;
    }
    find_function(trace, tile, &slice);
    if (goes_together(pending, &slice)) {
        pending->end = slice.end;
        pending->end_quarter = slice.end_quarter;
        pending->count++;
        return;
    }
    write_pending(trace, tile, track);
    *pending = slice;
}

void trace_put_rest(struct bh_trace *trace)
{
    for (unsigned i = 0; i < WATCH_GRID * WATCH_GRID; i++) {
        struct trace_tile *tile = trace->tiles[i / WATCH_GRID][i % WATCH_GRID];
        for (unsigned track = 0; tile && track < TRACKS; track++) {
            write_pending(trace, tile, track);
        }
    }
}

/* Waits. */

void trace_put_wait(struct bh_trace *trace, struct trace_tile *tile, unsigned track, const struct trace_wait *wait)
{
    struct trace_file *out = &trace->file;
    const bool late = wait->begin < tile->track[track].end || wait->begin < trace->filter.from;
    const unsigned quarter = late ? 0 : wait->begin_quarter;
    uint64_t begin = wait->begin < tile->track[track].end ? tile->track[track].end : wait->begin;
    const char *reason = bh_wait_name((enum bh_wait_reason)wait->wait.reason);
    char name[40], text[TENSIX_TEXT_SIZE] = "";
    struct text what = {.buffer = text, .size = sizeof text};
    if (wait->end <= begin || !trace_shows(trace, begin, wait->end)) {
        return;
    }
    begin = trace_from(trace, begin);
    trace_name_track(trace, tile, track);
    (void)snprintf(name, sizeof name, "wait: %s", reason ? reason : "?");
    const struct trace_event event = {.phase = "X",
                                      .category = "wait",
                                      .name = name,
                                      .process = trace_process(tile->x, tile->y),
                                      .track = track,
                                      .time = begin,
                                      .quarter = (uint8_t)quarter};
    if (!trace_file_begin(out, &event)) {
        return;
    }
    trace_file_quarters(out, "dur", wait->end - begin - (quarter > 0), (TRACE_QUARTERS - quarter) % TRACE_QUARTERS);
    json_name(&out->json, "args");
    json_begin_object(&out->json);
    wait_add(&what, wait->wait, wait->word);
    if (text[0]) {
        trace_file_text(out, "for", text);
    }
    write_place(trace, tile, wait->core, wait->index, wait->pc);
    if (!wait->core) {
        tensix_disassemble(wait->word, TENSIX_TEXT_FIELDS, text, sizeof text);
    } else {
        watch_core_instruction(wait->word, wait->pc, text, sizeof text);
    }
    trace_file_text(out, "instruction", text);
    json_end_object(&out->json);
    trace_file_end(out);
}

/* Zones. */

void trace_zone(void *context, unsigned x, unsigned y, unsigned core, const struct zone *zone)
{
    struct bh_trace *trace = context;
    struct trace_file *out = &trace->file;
    struct trace_tile *tile = trace_tile_at(trace, x, y);
    char buffer[16];
    uint64_t begin = trace_from(trace, zone->begin), end = zone->end;
    if (!tile || !watch_core(&trace->filter, core) || end <= begin || !trace_shows(trace, begin, end)) {
        return;
    }
    const struct zone_name known = zone_name(trace->zone_names, zone->id, buffer);
    trace_name_track(trace, tile, TRACK_ZONES + core);
    const struct trace_event event = {.phase = "X",
                                      .category = "zone",
                                      .name = *known.name ? known.name : "?",
                                      .process = trace_process(x, y),
                                      .track = TRACK_ZONES + core,
                                      .time = begin};
    if (!trace_file_begin(out, &event)) {
        return;
    }
    trace_file_number(out, "dur", end - begin);
    json_name(&out->json, "args");
    json_begin_object(&out->json);
    trace_file_hex(out, "id", zone->id);
    if (*known.file) {
        char source[300];
        (void)snprintf(source, sizeof source, "%s:%u", known.file, known.line);
        trace_file_text(out, "source", source);
    }
    json_end_object(&out->json);
    trace_file_end(out);
}
