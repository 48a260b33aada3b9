#include "inspect/request.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "inspect/sections.h"
#include "util/fail.h"
#include "util/text.h"

static const struct dump_section sections[] = {
    {.name = "cores", .write = inspect_cores},
    {.name = "gprs", .write = inspect_gprs},
    {.name = "rwcs", .write = inspect_rwcs},
    {.name = "adcs", .write = inspect_adcs},
    {.name = "semaphores", .write = inspect_semaphores},
    {.name = "mutexes", .write = inspect_mutexes},
    {.name = "fifos", .write = inspect_fifos},
    {.name = "mop", .write = inspect_mop},
    {.name = "replay", .write = inspect_replay},
    {.name = "config", .fields = true, .write = inspect_config},
    {.name = "cbs", .write = inspect_buffers},
    {.name = "niu", .write = inspect_niu},
    {.name = "srca",
     .rows = true,
     .tiles = true,
     .bank = true,
     .format = true,
     .file = DUMP_SRC,
     .rows_all = SRC_ROWS,
     .write = inspect_srca,
     .array = array_srca},
    {.name = "srcb",
     .rows = true,
     .tiles = true,
     .bank = true,
     .format = true,
     .file = DUMP_SRC,
     .rows_all = SRC_ROWS,
     .write = inspect_srcb,
     .array = array_srcb},
    {.name = "lregs",
     .rows = true,
     .format = true,
     .file = DUMP_LREG,
     .rows_all = SFPU_LREGS,
     .write = inspect_lregs,
     .array = array_lregs},
    {.name = "dst",
     .rows = true,
     .tiles = true,
     .format = true,
     .file = DUMP_DST,
     .rows_all = DST_ROWS,
     .write = inspect_dst,
     .array = array_dst},
    {.name = "l1",
     .rows = true,
     .tiles = true,
     .memory = true,
     .file = DUMP_L1,
     .write = inspect_l1,
     .array = array_l1},
};

const struct dump_section *dump_sections(unsigned *count)
{
    *count = sizeof sections / sizeof *sections;
    return sections;
}

bool dump_add_core(const char *name, uint32_t *cores)
{
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        if (strcmp(name, bh_core_name((enum bh_core)core)) == 0) {
            *cores |= 1u << core;
            return true;
        }
    }
    return false;
}

static enum bh_status find_section(const char *name, struct dump_request *request, struct bh_error *error)
{
    char known[400] = "";
    struct text list = {.buffer = known, .size = sizeof known};
    for (unsigned i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (strcmp(name, sections[i].name) == 0) {
            request->section = &sections[i];
            return BH_OK;
        }
        text_add(&list, "%s, ", sections[i].name);
    }
    return strcmp(name, "all") == 0
               ? BH_OK
               : fail(error, BH_ERROR_ARGUMENT, "no dump of '%.100s'; there are %sall", name, known);
}

static bool read_number(const char *word, uint32_t *number)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(word, &end, 0);
    *number = (uint32_t)value;
    return isdigit((unsigned char)*word) && !*end && !errno && value <= UINT32_MAX;
}

/* What a request says word by word. */
struct reading {
    struct dump_request *request;
    const struct dump_section *section;
    char *rest; /* of the text */
    unsigned numbers;
    struct bh_error *error;
};

static char *next_word(struct reading *reading)
{
    return strtok_r(NULL, " ,\t\n", &reading->rest);
}

static enum bh_status read_bank(struct reading *reading)
{
    char *word = next_word(reading);
    uint32_t bank;
    if (!word || !read_number(word, &bank) || bank >= SRC_BANKS) {
        return fail(reading->error, BH_ERROR_ARGUMENT, "'%.100s' is no bank of %s; there are 0 and 1", word ? word : "",
                    reading->section->name);
    }
    reading->request->bank = (int)bank;
    return BH_OK;
}

static enum bh_status add_number(struct reading *reading, uint32_t number)
{
    struct dump_request *request = reading->request;
    switch (reading->numbers++) {
    case 0: request->first = number; return BH_OK;
    case 1:
        request->count = number;
        request->counted = true;
        return BH_OK;
    default:
        return fail(reading->error, BH_ERROR_ARGUMENT, "%s: more numbers than the first row and how many",
                    reading->section->name);
    }
}

static enum bh_status read_word(struct reading *reading, char *word)
{
    struct dump_request *request = reading->request;
    const struct dump_section *section = reading->section;
    uint32_t number;
    enum dump_type type;
    if (dump_add_core(word, &request->cores)) {
        return BH_OK;
    }
    if (section && section->bank && strcmp(word, "bank") == 0) {
        return read_bank(reading);
    }
    if (section && section->tiles && (strcmp(word, "tiles") == 0 || strcmp(word, "tile") == 0)) {
        request->as_tiles = true;
        return BH_OK;
    }
    if (section && section->rows && strcmp(word, "rows") == 0) {
        return BH_OK;
    }
    if (section && section->rows && read_number(word, &number)) {
        return add_number(reading, number);
    }
    if (section && section->format && (type = dump_type_by_name(word)) != DUMP_TYPES) {
        if (!dump_type_fits(type, section->file)) {
            return fail(reading->error, BH_ERROR_ARGUMENT, "%s does not hold %s", section->name, word);
        }
        request->type = type;
        return BH_OK;
    }
    if (section && section->memory && (request->format = dump_format_by_name(word, &request->type)) != FORMATS) {
        request->e4m3 = strcasecmp(word, "e4m3") == 0;
        request->unsigned_ = request->type == DUMP_UINT8;
        return BH_OK;
    }
    if (section && section->fields && request->field_count < REQUEST_FIELDS) {
        request->fields[request->field_count++] = word;
        return BH_OK;
    }
    return fail(reading->error, BH_ERROR_ARGUMENT, "%s: '%.100s' is not understood%s", section ? section->name : "all",
                word, section && (section->format || section->memory) ? ", and no data format" : "");
}

/* How many rows or tiles there are with this request's format, if it names one. */
static uint32_t all_of(const struct dump_request *request)
{
    const struct dump_section *section = request->section;
    uint32_t rows = section->rows_all;
    if (section->file == DUMP_DST && request->type != DUMP_TYPES && dump_is_wide(request->type)) {
        rows /= 2;
    }
    return request->as_tiles ? rows / DUMP_TILE_ROWS : rows;
}

static const char *things_of(const struct dump_request *request)
{
    return request->as_tiles ? "tiles" : request->section->file == DUMP_LREG ? "registers" : "rows";
}

static enum bh_status check_range(const struct reading *reading)
{
    struct dump_request *request = reading->request;
    uint32_t all = all_of(request);
    if (reading->numbers == 1) {
        return fail(reading->error, BH_ERROR_ARGUMENT, "%s: how many %s from %u on? '%u 1' is one",
                    request->section->name, things_of(request), request->first, request->first);
    }
    if (request->first > all || request->count > all - request->first || (request->counted && !request->count)) {
        return fail(reading->error, BH_ERROR_ARGUMENT, "%s has %u %s%s%s: not %u from %u on", request->section->name,
                    all, things_of(request), request->type != DUMP_TYPES ? " of " : "",
                    request->type != DUMP_TYPES ? dump_type_name(request->type) : "", request->count, request->first);
    }
    return BH_OK;
}

static enum bh_status check_memory(const struct reading *reading)
{
    struct dump_request *request = reading->request;
    bool block = format_is_bfp(request->format);
    if (reading->numbers < 2 || request->type == DUMP_TYPES) {
        return fail(reading->error, BH_ERROR_ARGUMENT,
                    "l1: an address, how many rows of 16 or tiles, and a data format, as in 'l1 0x30000 1 tiles bf16'");
    }
    if (block && !request->as_tiles) {
        return fail(reading->error, BH_ERROR_ARGUMENT, "l1: %s has exponents of its own: only as tiles",
                    format_name(request->format));
    }
    uint64_t size = (uint64_t)request->count * dump_l1_bytes(request->format, request->as_tiles);
    if (!request->count || !l1_contains(request->first, size)) {
        return fail(reading->error, BH_ERROR_ARGUMENT, "l1: %u %s at 0x%x: L1 has 0x%x bytes", request->count,
                    request->as_tiles ? "tiles" : "rows", request->first, L1_SIZE);
    }
    return BH_OK;
}

enum bh_status dump_request_read(const char *text, struct dump_request *request, struct bh_error *error)
{
    *request = (struct dump_request){.bank = -1, .type = DUMP_TYPES, .format = FORMATS};
    struct reading reading = {.request = request, .error = error};
    if (!text || strlen(text) >= sizeof request->text) {
        return fail(error, BH_ERROR_ARGUMENT, text ? "the request is too long" : "no request");
    }
    memcpy(request->text, text, strlen(text) + 1);
    char *word = strtok_r(request->text, " ,\t\n", &reading.rest);
    enum bh_status status = find_section(word ? word : "", request, error);
    reading.section = request->section;
    while (status == BH_OK && (word = next_word(&reading))) {
        status = read_word(&reading, word);
    }
    request->cores = request->cores ? request->cores : DUMP_ALL_CORES;
    if (status != BH_OK || !request->section || !request->section->rows) {
        return status;
    }
    return request->section->memory ? check_memory(&reading) : check_range(&reading);
}
