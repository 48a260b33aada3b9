/* bh_dump(): include/bhemu/dump.h. */
#include "bhemu/dump.h"

#include <stdlib.h>
#include <string.h>

#include "chip/device_state.h"
#include "inspect/sections.h"
#include "isa/rv32_text.h"
#include "isa/tensix_text.h"
#include "util/arguments.h"
#include "util/fail.h"
#include "util/npy_header.h"

enum { DUMP_VERSION = 1 };

/* The caller's sink as a stream. */
struct sink {
    bh_dump_write *write;
    void *context;
};

static ssize_t sink_write(void *context, const char *bytes, size_t size)
{
    const struct sink *sink = context;
    sink->write(sink->context, bytes, size);
    return (ssize_t)size;
}

struct dumping {
    struct bh_device *device;
    const struct bh_dump *dump;
    struct dump_request request;
    uint32_t cores;
    struct bh_tile tiles[TENSIX_TILES];
    unsigned tile_count;
};

/* The Tensix tile at translated coordinates; it is shown up to the device's clock. Null: there is none. */
static const struct tile *tile_at(const struct dumping *dumping, unsigned x, unsigned y)
{
    struct bh_device *device = dumping->device;
    unsigned raw_x, raw_y;
    unsigned index;
    if (!noc_translate(&device->translation, x, y, &raw_x, &raw_y) || !tensix_index(raw_x, raw_y, &index)) {
        return NULL;
    }
    (void)network_endpoint(&device->network, raw_x, raw_y);
    if (!device_used(device, index)) { /* it is left out of the board */
        return NULL;
    }
    if (dumping->dump->event || dumping->dump->in_callback) { /* tiles may be in the middle of a turn */
        return &device->tiles[index];
    }
    device_show(device, index);
    if (device_rests(device, index)) {
        device_show_resting(device, index);
    }
    return &device->tiles[index];
}

static bool is_used(const struct bh_device *device, unsigned x, unsigned y)
{
    unsigned raw_x, raw_y;
    unsigned index;
    if (!noc_translate(&device->translation, x, y, &raw_x, &raw_y) || !tensix_index(raw_x, raw_y, &index) ||
        !device_used(device, index)) {
        return false;
    }
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        const struct rv32_core *state = &device->states[index].core[core];
        if (state->halt != RV32_IN_RESET || state->instret) {
            return true;
        }
    }
    return false;
}

struct bh_tile bh_dump_tile_of(const struct bh_device *device, const struct bh_event *event)
{
    for (unsigned i = 0; device && event && i < NOC_HEIGHT * NOC_WIDTH; i++) {
        unsigned x = i % NOC_WIDTH, y = i / NOC_WIDTH, raw_x, raw_y;
        if (noc_translate(&device->translation, x, y, &raw_x, &raw_y) && raw_x == event->tile_x &&
            raw_y == event->tile_y) {
            return (struct bh_tile){(uint8_t)x, (uint8_t)y};
        }
    }
    return (struct bh_tile){};
}

static enum bh_status choose_tiles(struct dumping *dumping, struct bh_error *error)
{
    const struct bh_dump *dump = dumping->dump;
    const struct bh_tile there = dump->event ? bh_dump_tile_of(dumping->device, dump->event) : (struct bh_tile){};
    const struct bh_tile *tiles = dump->event ? &there : dump->tiles;
    unsigned count = dump->event ? 1 : dump->tile_count;
    if (count == 0) {
        dumping->tile_count = bh_dump_tiles(dumping->device, dumping->tiles, TENSIX_TILES);
        return BH_OK;
    }
    if (arguments_array(tiles, count, "tiles", error) != BH_OK) {
        return BH_ERROR_ARGUMENT;
    }
    if (count > TENSIX_TILES) {
        return fail(error, BH_ERROR_ARGUMENT, "%u tiles; there are %d", count, TENSIX_TILES);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct bh_tile *tile = &tiles[i];
        if (!tile_at(dumping, tile->x, tile->y)) {
            return fail(error, BH_ERROR_ARGUMENT, "there is no Tensix tile at %u-%u", tile->x, tile->y);
        }
        dumping->tiles[dumping->tile_count++] = *tile;
    }
    return BH_OK;
}

static enum bh_status choose_cores(struct dumping *dumping, struct bh_error *error)
{
    const struct bh_dump *dump = dumping->dump;
    if (arguments_pointers(dump->cores, dump->core_count, "cores", error) != BH_OK) {
        return BH_ERROR_ARGUMENT;
    }
    for (unsigned i = 0; i < dump->core_count; i++) {
        if (!dump_add_core(dump->cores[i], &dumping->cores)) {
            return fail(error, BH_ERROR_ARGUMENT, "no core '%.100s'; there are B, T0, T1, T2, NC", dump->cores[i]);
        }
    }
    dumping->cores = (dump->core_count ? dumping->cores : DUMP_ALL_CORES) & dumping->request.cores;
    return BH_OK;
}

static enum bh_status check_form(const struct dump_request *request, enum bh_dump_form form, struct bh_error *error)
{
    const struct dump_section *section = request->section;
    if ((unsigned)form > BH_DUMP_NPY) {
        return fail(error, BH_ERROR_ARGUMENT, "there is no such form of a dump");
    }
    if (form == BH_DUMP_NPY && (!section || !section->array)) {
        return fail(error, BH_ERROR_ARGUMENT, "%s is no array: only dst, srca, srcb, lregs and l1 can be .npy",
                    section ? section->name : "all");
    }
    return BH_OK;
}

static enum bh_status check_dump(const struct dumping *dumping, struct bh_error *error)
{
    if (dumping->dump->form == BH_DUMP_NPY && dumping->tile_count != 1) {
        return fail(error, BH_ERROR_ARGUMENT, "a .npy file is of one tile, not of %u", dumping->tile_count);
    }
    return check_form(&dumping->request, dumping->dump->form, error);
}

static struct inspection inspection_of(const struct dumping *dumping, const struct bh_tile *tile)
{
    return (struct inspection){.dump = dumping->dump,
                               .request = &dumping->request,
                               .tile = tile_at(dumping, tile->x, tile->y),
                               .x = tile->x,
                               .y = tile->y,
                               .cores = dumping->cores,
                               .event = dumping->dump->event};
}

static void write_sections(const struct inspection *inspection, struct out *out)
{
    unsigned count;
    const struct dump_section *sections = dump_sections(&count);
    for (unsigned i = 0; i < count; i++) {
        const struct dump_section *wanted = inspection->request->section;
        if (wanted ? wanted == &sections[i] : !sections[i].memory) {
            sections[i].write(inspection, out);
        }
    }
}

/* What is about to be executed. */
static void write_place(const struct inspection *inspection, struct out *out)
{
    const struct bh_event *event = inspection->event;
    char text[TENSIX_TEXT_SIZE], source[DUMP_SOURCE_SIZE];
    if (event->place.agent == BH_AGENT_THREAD) {
        tensix_disassemble(event->instruction, TENSIX_TEXT_FIELDS, text, sizeof text);
    } else {
        rv32_disassemble(event->instruction, event->place.pc, text, sizeof text);
    }
    out_hex(out, "pc", event->place.pc, 8);
    out_text(out, "instruction", text);
    out_text(out, "source", inspection_source(inspection, &event->place, source));
}

static void write_tile(const struct dumping *dumping, const struct bh_tile *tile, struct out *out)
{
    const struct inspection inspection = inspection_of(dumping, tile);
    const struct bh_event *event = dumping->dump->event;
    const char *title = dumping->dump->title;
    uint64_t clock = event ? event->cycle : dumping->device->clock;
    out_begin(out, NULL, "tile %u-%u, clock %llu%s%s", tile->x, tile->y, (unsigned long long)clock, title ? ", " : "",
              title ? title : "");
    if (out->as_json) {
        out_number(out, "x", tile->x);
        out_number(out, "y", tile->y);
        out_number(out, "clock", clock);
    }
    if (event && event->instruction) {
        write_place(&inspection, out);
    }
    write_sections(&inspection, out);
    out_end(out);
}

static void write_all(const struct dumping *dumping, struct out *out)
{
    if (out->as_json) {
        out_begin(out, NULL, NULL);
        out_number(out, "bhemu_dump", DUMP_VERSION);
        out_text(out, "request", dumping->dump->request);
        out_text(out, "title", dumping->dump->title);
    }
    out_begin_list(out, "tiles");
    for (unsigned i = 0; i < dumping->tile_count; i++) {
        write_tile(dumping, &dumping->tiles[i], out);
    }
    out_end_list(out);
    if (out->as_json) {
        out_end(out);
        fputc('\n', out->file);
    }
}

/* .npy. */

static const char *npy_type(enum dump_type type)
{
    switch (dump_kind_of(type)) {
    case DUMP_FLOAT: return "<f4";
    case DUMP_SIGNED: return "<i4";
    default: return "<u4";
    }
}

/* The datum as its element in the file: all have 32 bits, in the host's order, which is little-endian. */
static uint32_t element_of(enum dump_type type, double value)
{
    float single = (float)value;
    uint32_t element;
    switch (dump_kind_of(type)) {
    case DUMP_FLOAT: memcpy(&element, &single, sizeof element); return element;
    case DUMP_SIGNED: return (uint32_t)(int32_t)value;
    default: return (uint32_t)value;
    }
}

static bool write_npy(const struct dumping *dumping, FILE *file)
{
    const struct inspection inspection = inspection_of(dumping, &dumping->tiles[0]);
    struct dump_array array;
    char header[NPY_HEADER];
    size_t count = 1;
    if (!dumping->request.section->array(&inspection, &array)) {
        return false;
    }
    npy_header(header, npy_type(array.type), array.shape, array.dimensions);
    fwrite(header, 1, sizeof header, file);
    for (unsigned i = 0; i < array.dimensions; i++) {
        count *= array.shape[i];
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t element = element_of(array.type, array.values[i]);
        fwrite(&element, sizeof element, 1, file);
    }
    free(array.values);
    return true;
}

static enum bh_status write_dump(const struct dumping *dumping, struct sink *sink, struct bh_error *error)
{
    FILE *file = fopencookie(sink, "w", (cookie_io_functions_t){.write = sink_write});
    if (!file) {
        return fail(error, BH_ERROR_MEMORY, "no memory for a dump");
    }
    struct out out = {.file = file, .as_json = dumping->dump->form == BH_DUMP_JSON, .json = json_to(file)};
    if (dumping->dump->form == BH_DUMP_NPY) {
        out.failed = !write_npy(dumping, file);
    } else {
        write_all(dumping, &out);
    }
    bool failed = out.failed | (fclose(file) != 0);
    return failed ? fail(error, BH_ERROR_MEMORY, "no memory for a dump") : BH_OK;
}

enum bh_status bh_dump(struct bh_device *device, const struct bh_dump *dump, bh_dump_write *write, void *context,
                       struct bh_error *error)
{
    if (!device || device_is_remote(device) || !dump || !write) {
        return fail(error, BH_ERROR_ARGUMENT, "no device, or one in another process, no dump, or nowhere to write it");
    }
    struct dumping *dumping = calloc(1, sizeof *dumping);
    if (!dumping) {
        return fail(error, BH_ERROR_MEMORY, "no memory for a dump");
    }
    dumping->device = device;
    dumping->dump = dump;
    enum bh_status status = dump_request_read(dump->request, &dumping->request, error);
    status = status == BH_OK ? choose_cores(dumping, error) : status;
    status = status == BH_OK ? choose_tiles(dumping, error) : status;
    status = status == BH_OK ? check_dump(dumping, error) : status;
    status = status == BH_OK ? write_dump(dumping, &(struct sink){write, context}, error) : status;
    free(dumping);
    return status;
}

/* Text. */

struct text_sink {
    void (*write)(void *context, const char *text);
    void *context;
};

static void write_text(void *context, const void *bytes, size_t size)
{
    enum { PIECE = 1000 };
    const struct text_sink *sink = context;
    char piece[PIECE + 1];
    for (size_t done = 0, length; done < size; done += length) {
        length = size - done < PIECE ? size - done : PIECE;
        memcpy(piece, (const char *)bytes + done, length);
        piece[length] = 0;
        sink->write(sink->context, piece);
    }
}

enum bh_status bh_dump_text(struct bh_device *device, unsigned x, unsigned y, const char *request,
                            void (*write)(void *context, const char *text), void *context, struct bh_error *error)
{
    const struct bh_tile tile = {(uint8_t)x, (uint8_t)y};
    const struct bh_dump dump = {.request = request, .tiles = &tile, .tile_count = 1};
    if (!write || x > UINT8_MAX || y > UINT8_MAX) {
        return fail(error, BH_ERROR_ARGUMENT, write ? "no such tile" : "nowhere to write the dump");
    }
    return bh_dump(device, &dump, write_text, &(struct text_sink){write, context}, error);
}

enum bh_status bh_dump_check(const char *request, enum bh_dump_form form, struct bh_error *error)
{
    struct dump_request read;
    enum bh_status status = dump_request_read(request, &read, error);
    return status == BH_OK ? check_form(&read, form, error) : status;
}

unsigned bh_dump_tiles(struct bh_device *device, struct bh_tile *tiles, unsigned room)
{
    unsigned count = 0;
    for (unsigned i = 0; device && !device_is_remote(device) && i < NOC_HEIGHT * NOC_WIDTH; i++) {
        struct bh_tile tile = {.x = (uint8_t)(i % NOC_WIDTH), .y = (uint8_t)(i / NOC_WIDTH)};
        if (is_used(device, tile.x, tile.y)) {
            if (count < room) {
                tiles[count] = tile;
            }
            count++;
        }
    }
    return count;
}
