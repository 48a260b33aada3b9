#include "host/job_target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "chip/board.h"
#include "host/elf_file.h"
#include "host/elf_load.h"
#include "noc/translation.h"
#include "util/fail.h"

enum { FIRST_DRAM_X = 17, FIRST_DRAM_Y = 12, DRAM_END_Y = 24 };

#define FIRST_REGISTER 0xFFB00000u

void job_find_board(struct bh_job *job)
{
    job->tiles = board_create(job->file->board, job->chip_tiles).tiles; /* of a part: that of its chip */
    job->channels = (unsigned)__builtin_popcount(job->tiles.dram);
}

static bool is_dram(unsigned x, unsigned y)
{
    return x >= FIRST_DRAM_X && x <= FIRST_DRAM_X + 1 && y >= FIRST_DRAM_Y && y < DRAM_END_Y;
}

/* Whether the board has a tile there that has memory for the host. */
static bool is_there(const struct bh_job *job, unsigned x, unsigned y)
{
    struct noc_translation translation;
    unsigned noc_x, noc_y;
    noc_translation_create(&translation, job->tiles);
    if (!noc_translate(&translation, x, y, &noc_x, &noc_y) || !noc_tile_present(&translation, noc_x, noc_y)) {
        return false;
    }
    switch (noc_tile_kind(noc_x, noc_y)) {
    case TILE_TENSIX: return true;
    case TILE_DRAM: return is_dram(x, y);
    case TILE_ETHERNET: return true;
    default: return false;
    }
}

static enum bh_status add_target(struct bh_job *job, struct job_target target, struct bh_error *error)
{
    for (unsigned i = 0; i < job->targets_count; i++) {
        if (job->targets[i].x == target.x && job->targets[i].y == target.y) {
            return schema_fail(job->file->schema, target.tile, error, BH_ERROR_FORMAT, "tile (%u,%u) is there twice",
                               target.x, target.y);
        }
    }
    if (!is_there(job, target.x, target.y)) {
        return schema_fail(job->file->schema, target.tile, error, BH_ERROR_ARGUMENT,
                           "there is no tile at (%u,%u) on this board that a job can use; Tensix tiles have x 1..7 or "
                           "10..16, y 2..11, DRAM tiles x 17 or 18, y 12..23, Ethernet tiles x 20..31, y 25",
                           target.x, target.y);
    }
    job->targets[job->targets_count++] = target;
    return BH_OK;
}

unsigned job_tiles_of(const struct job_tile *tile)
{
    return tile->at ? 1 : tile->columns_count * tile->rows_count;
}

enum bh_status job_find_targets(struct bh_job *job, struct bh_error *error)
{
    size_t most = 0;
    for (unsigned i = 0; i < job->file->tiles_count; i++) {
        const struct job_tile *tile = &job->file->tiles[i];
        bool grid = tile->columns && tile->rows;
        if (!tile->at == !grid || (tile->at && (tile->columns || tile->rows))) {
            return schema_fail(job->file->schema, tile, error, BH_ERROR_FORMAT,
                               "entry %u of tiles has neither at nor columns and rows, or both", i + 1);
        }
        most += job_tiles_of(tile);
    }
    job->targets = calloc(most + 1, sizeof *job->targets);
    if (!job->targets) {
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    enum bh_status status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < job->file->tiles_count; i++) {
        const struct job_tile *tile = &job->file->tiles[i];
        unsigned columns = tile->at ? 1 : tile->columns_count, count = job_tiles_of(tile);
        for (unsigned j = 0; status == BH_OK && j < count; j++) {
            unsigned column = j % columns, row = j / columns;
            status = add_target(job,
                                (struct job_target){.tile = tile,
                                                    .x = tile->at ? tile->at[0] : tile->columns[column],
                                                    .y = tile->at ? tile->at[1] : tile->rows[row],
                                                    .column = column,
                                                    .row = row,
                                                    .chip = job->among,
                                                    .chips = job->among_all ? job->among_all : 1,
                                                    .alone = count == 1 && job->among_all <= 1},
                                error);
        }
    }
    return status;
}

unsigned job_words_count(const struct job_target *target, const struct job_words *words)
{
    return words->each ? words->each_count / (job_tiles_of(target->tile) * target->chips) : words->values_count;
}

uint32_t *job_words_of(const struct job_target *target, const struct job_words *words, unsigned *count)
{
    const struct job_tile *tile = target->tile;
    *count = job_words_count(target, words);
    uint32_t *values = calloc(*count + 1, sizeof *values);
    for (unsigned i = 0; values && i < *count; i++) {
        if (words->each) {
            unsigned place = target->chip * job_tiles_of(tile) + target->row * tile->columns_count + target->column;
            values[i] = words->each[place * *count + i];
            continue;
        }
        values[i] = words->values[i] + (i < words->by_chip_count ? target->chip * words->by_chip[i] : 0) +
                    (i < words->by_column_count ? target->column * words->by_column[i] : 0) +
                    (i < words->by_row_count ? target->row * words->by_row[i] : 0);
    }
    return values;
}

struct job_region job_tile_region(const struct job_target *target, const struct job_place *place, size_t size)
{
    return (struct job_region){.x = target->x, .y = target->y, .address = place->address, .size = size};
}

enum bh_status job_dram_region(const struct bh_job *job, const struct job_place *place, size_t natural, size_t size,
                               const char *name, struct job_region *region, struct bh_error *error)
{
    unsigned seen = 0;
    size_t page = place->page ? place->page : natural;
    *region = (struct job_region){.address = place->address,
                                  .size = size,
                                  .channels = place->channels_count ? place->channels_count : job->channels,
                                  .page = page,
                                  .stride = (page + 63) / 64 * 64}; /* reads from DRAM need it */
    for (unsigned i = 0; i < region->channels; i++) {
        unsigned channel = place->channels_count ? place->channels[i] : i;
        if (channel >= job->channels || seen >> channel & 1) {
            return schema_fail(job->file->schema, &place->channels, error, BH_ERROR_FORMAT,
                               "%s: channel %u of DRAM is %s; they are 0 to %u", name, channel,
                               channel < job->channels ? "there twice" : "not there", job->channels - 1);
        }
        seen |= 1u << channel;
        region->channel[i] = (uint8_t)channel;
    }
    if (page && size % page) {
        return schema_fail(job->file->schema, place->page ? (const void *)&place->page : &place->address, error,
                           BH_ERROR_FORMAT, "%s: %zu bytes are no whole number of pages of %zu bytes", name, size,
                           page);
    }
    return BH_OK;
}

size_t job_tensor_size(enum bh_format format, size_t rows, size_t columns)
{
    size_t element = bh_format_size(format);
    return element ? rows * columns * element : bh_tensor_size(format, BH_TILES, rows, columns);
}

size_t job_page_size(enum bh_format format, enum bh_layout layout, size_t columns)
{
    return layout == BH_TILES ? bh_tensor_size(format, layout, 32, 32) : bh_format_size(format) * columns;
}

/* A channel's first tile, in translated coordinates. */
static unsigned channel_x(unsigned channel)
{
    return 17 + channel / 4;
}

static unsigned channel_y(unsigned channel)
{
    return 12 + channel % 4 * 3;
}

static size_t pages_of(const struct job_region *region)
{
    return region->page ? region->size / region->page : 0;
}

/* How far a region reaches in the index-th of its channels. */
static uint64_t end_in(const struct job_region *region, unsigned index)
{
    return region->address +
           (pages_of(region) + region->channels - 1 - index) / region->channels * (uint64_t)region->stride;
}

/* One of the two buffers is null. */
static enum bh_status transfer(struct bh_device *device, const struct job_region *region, const uint8_t *from,
                               uint8_t *to)
{
    size_t count = region->channels ? pages_of(region) : 1;
    uint64_t address = region->address;
    enum bh_status status = BH_OK;
    for (size_t i = 0; status == BH_OK && i < count; i++) {
        unsigned x = region->x, y = region->y;
        size_t size = region->size;
        if (region->channels) {
            unsigned channel = region->channel[i % region->channels];
            x = channel_x(channel);
            y = channel_y(channel);
            size = region->page;
            address = region->address + i / region->channels * (uint64_t)region->stride;
        }
        status = to ? bh_read(device, x, y, address, to + i * size, (uint32_t)size)
                    : bh_write(device, x, y, address, from + i * size, (uint32_t)size);
    }
    return status;
}

enum bh_status job_region_write(struct bh_device *device, const struct job_region *region, const uint8_t *bytes)
{
    return transfer(device, region, bytes, NULL);
}

enum bh_status job_region_read(struct bh_device *device, const struct job_region *region, uint8_t *bytes)
{
    return transfer(device, region, NULL, bytes);
}

size_t job_region_offset(const struct job_region *region, unsigned x, unsigned y, uint64_t address)
{
    if (!region->channels) {
        bool inside =
            region->x == x && region->y == y && address >= region->address && address - region->address < region->size;
        return inside ? (size_t)(address - region->address) : SIZE_MAX;
    }
    for (unsigned i = 0; i < region->channels && address >= region->address; i++) {
        uint64_t row = (address - region->address) / region->stride, at = (address - region->address) % region->stride;
        size_t page = (size_t)row * region->channels + i;
        if (channel_x(region->channel[i]) == x && channel_y(region->channel[i]) == y && at < region->page &&
            page < pages_of(region)) {
            return page * region->page + (size_t)at;
        }
    }
    return SIZE_MAX;
}

struct job_region_name job_region_name(const struct job_region *region)
{
    struct job_region_name name = {"DRAM"};
    if (!region->channels) {
        snprintf(name.text, sizeof name.text, "tile (%u,%u)", region->x, region->y);
    }
    return name;
}

/* A part of what a host reaches in a tile. */
struct memory {
    const char *name;
    uint64_t first, end;
};

enum { DRISC_L1_BYTES = 128 * 1024 };

/* What there is at an address; false: nothing. Registers, and tiles that are neither Tensix nor DRAM, know themselves
   what they have. */
static bool find_memory(const struct job_region *region, struct memory *memory)
{
    unsigned index;
    if (!region->channels && is_dram(region->x, region->y) && region->address >= BH_DRISC_L1) {
        *memory = (struct memory){"the L1 of its core", BH_DRISC_L1, BH_DRISC_L1 + DRISC_L1_BYTES};
        return true;
    }
    if (region->channels || is_dram(region->x, region->y)) {
        *memory = (struct memory){"the memory of a channel", 0, 1ull << 32};
        return true;
    }
    *memory = (struct memory){"its addresses", 0, 1ull << 32};
    if (region->address >= memory->end) {
        return false;
    }
    if (!tensix_index(region->x, region->y, &index)) {
        return true;
    }
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        struct local_ram ram = elf_local_ram((enum bh_core)core);
        if (region->address >= ram.base && region->address - ram.base < ram.room) {
            *memory = (struct memory){"local RAM", ram.base, ram.base + (uint64_t)ram.size};
            return true;
        }
    }
    if (region->address < L1_BYTES) {
        *memory = (struct memory){"L1", 0, L1_BYTES};
    }
    return region->address < L1_BYTES || region->address >= FIRST_REGISTER;
}

enum bh_status job_region_check(const struct bh_job *job, const struct job_region *region, const void *member,
                                const char *name, struct bh_error *error)
{
    struct memory memory;
    uint64_t end = region->address + region->size;
    if (region->channels && region->size) {
        end = region->address + (pages_of(region) - 1) / region->channels * (uint64_t)region->stride + region->page;
    }
    if (!find_memory(region, &memory)) {
        return schema_fail(job->file->schema, member, error, BH_ERROR_ADDRESS,
                           "%s: nothing is at 0x%" PRIx64 " of %s; L1 ends at 0x%x, registers begin at 0x%x", name,
                           region->address, job_region_name(region).text, L1_BYTES, FIRST_REGISTER);
    }
    if (end > memory.end) {
        return schema_fail(job->file->schema, member, error, BH_ERROR_ADDRESS,
                           "%s: %zu bytes at 0x%" PRIx64 " of %s reach beyond %s, which ends at 0x%" PRIx64, name,
                           region->size, region->address, job_region_name(region).text, memory.name, memory.end);
    }
    return BH_OK;
}

const char *job_output_name(const struct job_output *output)
{
    return output->file ? output->file : output->expect ? output->expect : "that is not kept";
}

unsigned job_region_extents(const struct job_region *region)
{
    return region->channels ? region->channels : 1;
}

struct job_extent job_region_extent(const struct job_region *region, unsigned index)
{
    if (region->channels) {
        unsigned channel = region->channel[index];
        return (struct job_extent){channel_x(channel), channel_y(channel), region->address, end_in(region, index)};
    }
    bool dram = region->y >= 12; /* Tensix tiles end there */
    unsigned y = dram ? region->y / 3 * 3 : region->y;
    return (struct job_extent){region->x, y, region->address, region->address + region->size};
}

bool job_regions_overlap(const struct job_region *a, const struct job_region *b)
{
    for (unsigned i = 0; i < job_region_extents(a); i++) {
        for (unsigned j = 0; j < job_region_extents(b); j++) {
            struct job_extent one = job_region_extent(a, i), other = job_region_extent(b, j);
            if (one.x == other.x && one.y == other.y && one.first < other.end && other.first < one.end) {
                return true;
            }
        }
    }
    return false;
}
