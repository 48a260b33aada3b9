/* include/bhemu/symbols.h: programs that were found in memory, and their source lines. What was found is kept with the
   bytes that were there, and holds as long as memory has them. */
#include "bhemu/symbols.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chip/device_state.h"
#include "chip/visitor.h"
#include "host/code_match.h"
#include "host/source_files.h"
#include "util/fail.h"

enum {
    PROGRAMS = 1 << 14,
    LINES_LOG2 = 14,
    LINE_SIZE = 600,
    MISSES_LOG2 = 10,
    MISS_BYTES = 256,
    RECENT = 4,
    PATIENCE = 20 /* reading the folders takes at most about one part of so many of the time */
};

struct program {
    uint32_t entry, address, size;
    uint8_t *bytes;
};

struct line {
    uint64_t key; /* entry and pc as linked, plus 1; 0: none */
    char *text;   /* null: nothing is known of it */
};

struct bh_symbols {
    struct code_index index;
    struct program *programs;
    unsigned program_count;
    unsigned recent[TENSIX_TILES][BH_CORE_COUNT]
                   [RECENT];           /* programs that were found on each core, the last one first */
    uint64_t misses[1 << MISSES_LOG2]; /* hashes of memory in which nothing was found */
    struct line lines[1 << LINES_LOG2];
    struct source_files files;
    double read_at, took; /* seconds: when the folders were read last, and for how long */
    bool read, refresh;
};

enum bh_status bh_symbols_open(const char *folders, struct bh_symbols **symbols, struct bh_error *error)
{
    if (!folders || !symbols) {
        return fail(error, BH_ERROR_ARGUMENT, "bh_symbols_open(): a null pointer");
    }
    struct bh_symbols *opened = *symbols = calloc(1, sizeof *opened);
    if (!opened) {
        return fail(error, BH_ERROR_MEMORY, "no memory");
    }
    enum bh_status status = code_index_open(&opened->index, folders, error);
    if (status != BH_OK) {
        bh_symbols_close(opened);
        *symbols = NULL;
    }
    return status;
}

void bh_symbols_close(struct bh_symbols *symbols)
{
    if (!symbols) {
        return;
    }
    for (unsigned i = 0; i < symbols->program_count; i++) {
        free(symbols->programs[i].bytes);
    }
    for (unsigned i = 0; i < 1u << LINES_LOG2; i++) {
        free(symbols->lines[i].text);
    }
    source_files_close(&symbols->files);
    free(symbols->programs);
    code_index_close(&symbols->index);
    free(symbols);
}

void bh_symbols_refresh(struct bh_symbols *symbols)
{
    if (symbols) {
        symbols->refresh = true;
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Reads the folders if that is due. Whether they were. */
static bool read_folders(struct bh_symbols *symbols)
{
    double now = seconds();
    if (symbols->read && !symbols->refresh && now - symbols->read_at < PATIENCE * symbols->took) {
        return false;
    }
    (void)code_index_read(&symbols->index);
    symbols->read_at = seconds();
    symbols->took = symbols->read_at - now;
    symbols->read = true;
    symbols->refresh = false;
    memset(symbols->misses, 0, sizeof symbols->misses);
    return true;
}

/* The memory from which a core executes at pc. */
static bool memory_at(const struct bh_device *device, unsigned index, uint32_t pc, struct code_memory *memory)
{
    if (pc % 4 || pc >= L1_SIZE || !device_used(device, index)) {
        return false;
    }
    *memory = (struct code_memory){l1_peek(&device->tiles[index].l1, 0), 0, L1_SIZE};
    return true;
}

static bool program_there(const struct bh_symbols *symbols, unsigned number, const struct code_memory *memory,
                          uint32_t pc)
{
    const struct program *program = &symbols->programs[number - 1];
    return pc - program->address < program->size &&
           memcmp(memory->bytes + (program->address - memory->address), program->bytes, program->size) == 0;
}

/* Of the programs that were found so far, the one that is there; 0: none. */
static unsigned known_program(const struct bh_symbols *symbols, const unsigned recent[RECENT],
                              const struct code_memory *memory, uint32_t pc)
{
    for (unsigned i = 0; i < RECENT && recent[i]; i++) {
        if (program_there(symbols, recent[i], memory, pc)) {
            return recent[i];
        }
    }
    for (unsigned number = symbols->program_count; number; number--) {
        if (program_there(symbols, number, memory, pc)) {
            return number;
        }
    }
    return 0;
}

static unsigned add_program(struct bh_symbols *symbols, const struct code_match *match,
                            const struct code_memory *memory)
{
    struct program program = {match->entry, match->address, 4 * symbols->index.entries[match->entry].count, NULL};
    if (symbols->program_count == PROGRAMS) {
        return 0;
    }
    struct program *more = realloc(symbols->programs, (symbols->program_count + 1) * sizeof *more);
    symbols->programs = more ? more : symbols->programs;
    program.bytes = more ? malloc(program.size) : NULL;
    if (!program.bytes) {
        return 0;
    }
    memcpy(program.bytes, memory->bytes + (program.address - memory->address), program.size);
    symbols->programs[symbols->program_count] = program;
    return ++symbols->program_count;
}

/* Of the code around pc. */
static uint64_t miss_of(const struct code_memory *memory, uint32_t pc)
{
    uint32_t at = pc / MISS_BYTES * MISS_BYTES;
    uint64_t hash = at + 1;
    for (unsigned i = 0; i < MISS_BYTES; i += 8) {
        uint64_t word;
        memcpy(&word, memory->bytes + (at - memory->address) + i, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 31;
    }
    return hash | 1;
}

static unsigned search(struct bh_symbols *symbols, const struct code_memory *memory, uint32_t pc)
{
    struct code_match match;
    if (code_match_find(&symbols->index, memory, pc, &match)) {
        return add_program(symbols, &match, memory);
    }
    return 0;
}

static unsigned new_program(struct bh_symbols *symbols, const struct code_memory *memory, uint32_t pc)
{
    uint64_t miss = miss_of(memory, pc), *slot = &symbols->misses[miss >> (64 - MISSES_LOG2)];
    bool fresh = !symbols->read && read_folders(symbols);
    unsigned found = *slot == miss ? 0 : search(symbols, memory, pc);
    if (!found && !fresh && read_folders(symbols)) {
        found = search(symbols, memory, pc);
    }
    *slot = found ? *slot : miss;
    return found;
}

static void remember(unsigned recent[RECENT], unsigned number)
{
    unsigned at = 0;
    while (at < RECENT - 1 && recent[at] != number) {
        at++;
    }
    memmove(&recent[1], &recent[0], at * sizeof *recent);
    recent[0] = number;
}

unsigned bh_symbols_program(struct bh_symbols *symbols, const struct bh_device *device, unsigned x, unsigned y,
                            const struct bh_place *place)
{
    unsigned index, core;
    struct code_memory memory;
    if (!symbols || !device || device_is_remote(device) || !place || !tensix_index(x, y, &index)) {
        return 0;
    }
    core = place->agent == BH_AGENT_THREAD ? BH_CORE_T0 + place->index : place->index;
    if ((place->agent != BH_AGENT_CORE && place->agent != BH_AGENT_THREAD) || core >= BH_CORE_COUNT ||
        !memory_at(device, index, place->pc, &memory)) {
        return 0;
    }
    unsigned *recent = symbols->recent[index][core];
    unsigned number = known_program(symbols, recent, &memory, place->pc);
    number = number ? number : new_program(symbols, &memory, place->pc);
    if (number) {
        remember(recent, number);
    }
    return number;
}

bool bh_symbols_describe(const struct bh_symbols *symbols, unsigned program, struct bh_symbols_program *description)
{
    if (!symbols || !description || !program || program > symbols->program_count) {
        return false;
    }
    const struct program *found = &symbols->programs[program - 1];
    const struct code_entry *entry = &symbols->index.entries[found->entry];
    *description = (struct bh_symbols_program){entry->path, found->address, entry->linked, found->size};
    return true;
}

static const char *line_of(struct bh_symbols *symbols, uint32_t entry, uint32_t pc)
{
    uint64_t key = ((uint64_t)entry << 32 | pc) + 1;
    struct line *line = &symbols->lines[key * 0x9e3779b97f4a7c15u >> (64 - LINES_LOG2)];
    if (line->key != key) {
        const struct code_entry *of = &symbols->index.entries[entry];
        char text[LINE_SIZE];
        bool found = source_files_line(&symbols->files, of->path, &of->identity, pc, text, sizeof text);
        free(line->text);
        *line = (struct line){key, found ? strdup(text) : NULL};
    }
    return line->text;
}

bool bh_symbols_program_source(struct bh_symbols *symbols, unsigned program, const struct bh_place *place, char *buffer,
                               unsigned size)
{
    struct bh_symbols_program of;
    if (!buffer || !size) {
        return false;
    }
    buffer[0] = 0;
    if (!place || !bh_symbols_describe(symbols, program, &of) || place->pc - of.address >= of.size) {
        return false;
    }
    const char *text = line_of(symbols, symbols->programs[program - 1].entry, place->pc - of.address + of.linked);
    size_t length = text ? strlen(text) : 0;
    length = length < size ? length : size - 1;
    if (text) {
        memcpy(buffer, text, length);
        buffer[length] = 0;
    }
    return text;
}

bool bh_symbols_source(struct bh_symbols *symbols, const struct bh_device *device, unsigned x, unsigned y,
                       const struct bh_place *place, char *buffer, unsigned size)
{
    return bh_symbols_program_source(symbols, bh_symbols_program(symbols, device, x, y, place), place, buffer, size);
}
