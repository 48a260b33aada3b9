/* A job in memory: its file, and the tiles and regions of memory that it is about. */
#ifndef BHEMU_HOST_JOB_TARGET_H
#define BHEMU_HOST_JOB_TARGET_H

#include "bhemu/job.h"
#include "host/job_file.h"
#include "noc/translation.h"

/* A tile of an entry, and its place among them. */
struct job_target {
    const struct job_tile *tile;
    unsigned x, y;
    unsigned column, row; /* counted from 0 */
    unsigned chip, chips; /* the same, among the chips of the entry, and how many these are */
    bool alone;           /* the entry is about no other */
};

struct bh_job {
    struct job_file *file;
    char *folder; /* that paths in the job are relative to */
    char *path;
    struct noc_tiles tiles; /* of the board */
    unsigned channels;      /* of DRAM, there */
    struct job_target *targets;
    unsigned targets_count;
    /* A job on a system: what each chip has is a job by itself, without a path of its own. */
    struct bh_job *parts;
    unsigned parts_count;
    unsigned chips;                    /* of the system, or 1 */
    const struct bh_tiles *chip_tiles; /* of a part that is being made: which tiles its chip has; null: the board's */
    unsigned chip;                     /* of a part: its number in the system, */
    unsigned among, among_all;         /* its place among the chips of its entry, and how many these are; 0: no part */
    struct job_sources *sources;       /* host/job_source.h; null in a part: those of the whole job */
};

/* Fills in tiles and channels. */
void job_find_board(struct bh_job *job);

/* Fills in targets and targets_count. Refuses entries that do not say which tiles they are about, tiles that are not
   on the board, and tiles that are there twice. */
enum bh_status job_find_targets(struct bh_job *job, struct bh_error *error);

/* How many tiles an entry is about. */
unsigned job_tiles_of(const struct job_tile *tile);

/* How many of the words are those of one tile. */
unsigned job_words_count(const struct job_target *target, const struct job_words *words);

/* The words of one tile, malloc'ed; null when there is no memory. */
uint32_t *job_words_of(const struct job_target *target, const struct job_words *words, unsigned *count);

/* Where a tensor of `size` bytes lies: in one tile, or as pages that go around channels of DRAM as tt-metal's
   interleaved buffers do: page i is in channel i % count, (i / count) times `stride` behind the tensor's address. */
struct job_region {
    unsigned x, y; /* of the tile */
    uint64_t address;
    size_t size;
    unsigned channels; /* 0: in the tile */
    uint8_t channel[8];
    size_t page, stride;
};

struct job_region job_tile_region(const struct job_target *target, const struct job_place *place, size_t size);

/* natural: bytes of a page if the job does not say. Refuses channels that are not there or are named twice, and tensors
   that are no whole number of pages. name is that of the tensor. */
enum bh_status job_dram_region(const struct bh_job *job, const struct job_place *place, size_t natural, size_t size,
                               const char *name, struct job_region *region, struct bh_error *error);

/* Bytes of a tensor; of one that can not be cut into tiles those of its elements, 0 in a block format. */
size_t job_tensor_size(enum bh_format format, size_t rows, size_t columns);

/* Bytes of a tile or a row of a tensor. */
size_t job_page_size(enum bh_format format, enum bh_layout layout, size_t columns);

enum bh_status job_region_write(struct bh_device *device, const struct job_region *region, const uint8_t *bytes);
enum bh_status job_region_read(struct bh_device *device, const struct job_region *region, uint8_t *bytes);

/* Where in the tensor a byte of a tile is; SIZE_MAX: not in it. Of DRAM x and y are those of a channel's first tile. */
size_t job_region_offset(const struct job_region *region, unsigned x, unsigned y, uint64_t address);

/* "tile (1,2)" or "DRAM". */
struct job_region_name {
    char text[40];
};
struct job_region_name job_region_name(const struct job_region *region);

/* Refuses a region that is not all in memory. `member` is of the job file, `name` says what would lie there. */
enum bh_status job_region_check(const struct bh_job *job, const struct job_region *region, const void *member,
                                const char *name, struct bh_error *error);

/* The file of an output, or of what it is to be. */
const char *job_output_name(const struct job_output *output);

/* Some of a region's memory, within one tile or channel: up to where its last page would end if it were as long as the
   distance between two. */
struct job_extent {
    unsigned x, y; /* translated coordinates; in DRAM those of the channel's first tile */
    uint64_t first, end;
};
unsigned job_region_extents(const struct job_region *region);
struct job_extent job_region_extent(const struct job_region *region, unsigned index);

/* Whether two regions have memory in common. */
bool job_regions_overlap(const struct job_region *a, const struct job_region *b);

#endif
