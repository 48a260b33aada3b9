#include "host/job_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/fail.h"
#include "noc/coordinates.h"

enum bh_status job_find_board(struct bh_job *job, struct bh_error *error)
{
    struct bh_tiles tiles;
    const char *name = job->file->board ? job->file->board : "full";
    if (bh_board_by_name(name, &job->board, &tiles) != BH_OK) {
        return fail(error, BH_ERROR_FORMAT, "%s: no board is called %s; there are full, p100a and p150a", job->path,
                    name);
    }
    job->channels = (unsigned)__builtin_popcount(tiles.dram);
    return BH_OK;
}

static enum bh_status add_target(struct bh_job *job, struct job_target target, struct bh_error *error)
{
    for (unsigned i = 0; i < job->targets_count; i++) {
        if (job->targets[i].x == target.x && job->targets[i].y == target.y) {
            return fail(error, BH_ERROR_FORMAT, "%s: tile (%u,%u) is there twice", job->path, target.x, target.y);
        }
    }
    job->targets[job->targets_count++] = target;
    return BH_OK;
}

static unsigned tiles_of(const struct job_tile *tile)
{
    return tile->at ? 1 : tile->columns_count * tile->rows_count;
}

/* name is that of the words. */
static enum bh_status check_one(const struct bh_job *job, const struct job_tile *tile, const struct job_words *words,
                                const char *name, struct bh_error *error)
{
    const char *wrong = NULL;
    if (!words->values == !words->each) {
        wrong = "have either values or each";
    } else if (words->by_column_count > words->values_count || words->by_row_count > words->values_count) {
        wrong = "have fewer values than by_column or by_row";
    } else if (words->each_count % tiles_of(tile)) {
        wrong = "are not as many for each tile";
    }
    return wrong ? fail(error, BH_ERROR_FORMAT, "%s: %s %s", job->path, name, wrong) : BH_OK;
}

static enum bh_status check_words(const struct bh_job *job, const struct job_tile *tile, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < tile->words_count; i++) {
        char name[40];
        snprintf(name, sizeof name, "words at 0x%x", tile->words[i].address);
        status = check_one(job, tile, &tile->words[i], name, error);
    }
    for (unsigned i = 0; status == BH_OK && i < tile->arguments_count; i++) {
        status = check_one(job, tile, &tile->arguments[i].words, "arguments", error);
    }
    for (unsigned i = 0; status == BH_OK && i < tile->common_arguments_count; i++) {
        status = check_one(job, tile, &tile->common_arguments[i].words, "common arguments", error);
    }
    return status;
}

enum bh_status job_find_targets(struct bh_job *job, struct bh_error *error)
{
    size_t most = 0;
    for (unsigned i = 0; i < job->file->tiles_count; i++) {
        const struct job_tile *tile = &job->file->tiles[i];
        bool grid = tile->columns && tile->rows;
        if (!tile->at == !grid || (tile->at && (tile->columns || tile->rows))) {
            return fail(error, BH_ERROR_FORMAT, "%s: entry %u of tiles has neither at nor columns and rows, or both",
                        job->path, i + 1);
        }
        most += tiles_of(tile);
    }
    job->targets = calloc(most + 1, sizeof *job->targets);
    if (!job->targets) {
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    enum bh_status status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < job->file->tiles_count; i++) {
        const struct job_tile *tile = &job->file->tiles[i];
        unsigned columns = tile->at ? 1 : tile->columns_count, count = tiles_of(tile);
        status = check_words(job, tile, error);
        for (unsigned j = 0; status == BH_OK && j < count; j++) {
            unsigned column = j % columns, row = j / columns;
            status = add_target(job,
                                (struct job_target){.tile = tile,
                                                    .x = tile->at ? tile->at[0] : tile->columns[column],
                                                    .y = tile->at ? tile->at[1] : tile->rows[row],
                                                    .column = column,
                                                    .row = row,
                                                    .alone = count == 1},
                                error);
        }
    }
    return status;
}

uint32_t *job_words_of(const struct job_target *target, const struct job_words *words, unsigned *count)
{
    const struct job_tile *tile = target->tile;
    *count = words->each ? words->each_count / tiles_of(tile) : words->values_count;
    uint32_t *values = calloc(*count + 1, sizeof *values);
    for (unsigned i = 0; values && i < *count; i++) {
        if (words->each) {
            values[i] = words->each[(target->row * tile->columns_count + target->column) * *count + i];
            continue;
        }
        values[i] = words->values[i] + (i < words->by_column_count ? target->column * words->by_column[i] : 0) +
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
            return fail(error, BH_ERROR_FORMAT, "%s: %s: channel %u of DRAM is %s; they are 0 to %u", job->path, name,
                        channel, channel < job->channels ? "there twice" : "not there", job->channels - 1);
        }
        seen |= 1u << channel;
        region->channel[i] = (uint8_t)channel;
    }
    if (page && size % page) {
        return fail(error, BH_ERROR_FORMAT, "%s: %s: %zu bytes are no whole number of pages of %zu bytes", job->path,
                    name, size, page);
    }
    return BH_OK;
}

size_t job_page_size(enum bh_format format, enum bh_layout layout, size_t columns)
{
    return bh_format_size(format) * (layout == BH_TILES ? 32 * 32 : columns);
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

struct job_region_name job_region_name(const struct job_region *region)
{
    struct job_region_name name = {"DRAM"};
    if (!region->channels) {
        snprintf(name.text, sizeof name.text, "tile (%u,%u)", region->x, region->y);
    }
    return name;
}

/* Some of a region's memory, within one tile or channel. */
struct extent {
    unsigned x, y; /* in DRAM those of the channel's first tile */
    uint64_t first, end;
};

static struct extent extent_of(const struct job_region *region, unsigned index)
{
    if (region->channels) {
        unsigned channel = region->channel[index];
        return (struct extent){channel_x(channel), channel_y(channel), region->address, end_in(region, index)};
    }
    bool dram = region->y >= 12; /* Tensix tiles end there */
    unsigned y = dram ? region->y / 3 * 3 : region->y;
    return (struct extent){region->x, y, region->address, region->address + region->size};
}

bool job_regions_overlap(const struct job_region *a, const struct job_region *b)
{
    for (unsigned i = 0; i < (a->channels ? a->channels : 1); i++) {
        for (unsigned j = 0; j < (b->channels ? b->channels : 1); j++) {
            struct extent one = extent_of(a, i), other = extent_of(b, j);
            if (one.x == other.x && one.y == other.y && one.first < other.end && other.first < one.end) {
                return true;
            }
        }
    }
    return false;
}
