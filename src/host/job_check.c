#include "host/job_check.h"

#include <inttypes.h>

#include "host/elf_file.h"
#include "noc/coordinates.h"

enum { TILE_EDGE = 32, TENSOR_MAX = 1 << 30 };

/* The job that is checked, and the file, for line numbers. */
struct check {
    const struct bh_job *job;
    const struct schema_file *schema;
    struct bh_error *error;
};

/* A cause, at the line of a member or a mapping. */
#define REFUSE(check, what, ...) schema_fail((check)->schema, what, (check)->error, BH_ERROR_FORMAT, __VA_ARGS__)

/* Refuses two programs for one core; `role` names what they are. */
static enum bh_status check_programs(const struct check *check, const struct job_program *programs, unsigned count,
                                     const char *role)
{
    unsigned seen = 0;
    for (unsigned i = 0; i < count; i++) {
        if (seen >> programs[i].core & 1) {
            return REFUSE(check, &programs[i].core, "core %s has two %s", bh_core_name(programs[i].core), role);
        }
        seen |= 1u << programs[i].core;
    }
    return BH_OK;
}

static bool has_program(const struct job_program *programs, unsigned count, enum bh_core core)
{
    for (unsigned i = 0; i < count; i++) {
        if (programs[i].core == core) {
            return true;
        }
    }
    return false;
}

static enum bh_status check_firmware(const struct check *check)
{
    const struct job_launch *launch = &check->job->file->launch;
    enum bh_status status = check_programs(check, launch->firmware, launch->firmware_count, "firmwares");
    for (unsigned core = 0; status == BH_OK && core < BH_CORE_COUNT; core++) {
        if (!has_program(launch->firmware, launch->firmware_count, (enum bh_core)core)) {
            status = REFUSE(check, launch, "there is no firmware for core %s; all five cores need one",
                            bh_core_name((enum bh_core)core));
        }
    }
    return status;
}

/* A member whose key is not allowed here, and the key. */
struct misplaced {
    const void *member;
    const char *key;
};

static enum bh_status check_misplaced(const struct check *check, const struct misplaced *misplaced, unsigned count,
                                      const char *why)
{
    for (unsigned i = 0; i < count; i++) {
        if (schema_has(check->schema, misplaced[i].member)) {
            return REFUSE(check, misplaced[i].member, "%s: %s", misplaced[i].key, why);
        }
    }
    return BH_OK;
}

#define MISPLACED(check, list, why) check_misplaced(check, list, sizeof(list) / sizeof *(list), why)

static enum bh_status check_launch(const struct check *check)
{
    const struct job_launch *launch = &check->job->file->launch;
    if (launch->kind == JOB_TT_METAL) {
        return check_firmware(check);
    }
    const struct misplaced launched[] = {{&launch->firmware, "firmware"},
                                         {&launch->layout, "layout"},
                                         {&launch->times, "times"},
                                         {&launch->dispatch, "dispatch"}};
    return MISPLACED(check, launched, "only with kind: tt-metal");
}

/* The keys that go with the job's kind of launch. */
static enum bh_status check_kind(const struct check *check, const struct job_tile *tile)
{
    const struct misplaced direct[] = {{&tile->programs, "programs"}, {&tile->start, "start"}};
    const struct misplaced launched[] = {
        {&tile->kernels, "kernels"}, {&tile->arguments, "arguments"},   {&tile->common_arguments, "common_arguments"},
        {&tile->buffers, "buffers"}, {&tile->semaphores, "semaphores"}, {&tile->noc, "noc"}};
    return check->job->file->launch.kind == JOB_TT_METAL
               ? MISPLACED(check, direct, "not with launch: {kind: tt-metal}; what firmware launches are kernels")
               : MISPLACED(check, launched, "only with launch: {kind: tt-metal}, which the job does not say");
}

static enum bh_status check_start(const struct check *check, const struct job_tile *tile)
{
    unsigned seen = 0;
    for (unsigned i = 0; i < tile->start_count; i++) {
        enum bh_core core = tile->start[i];
        if (seen >> core & 1) {
            return REFUSE(check, &tile->start, "core %s is started twice", bh_core_name(core));
        }
        if (!has_program(tile->programs, tile->programs_count, core)) {
            return REFUSE(check, &tile->start, "core %s is to start, but has no program", bh_core_name(core));
        }
        seen |= 1u << core;
    }
    return BH_OK;
}

/* Checks words that do not depend on the tile. */
static enum bh_status check_words(const struct check *check, const struct job_tile *tile, const struct job_words *words,
                                  const void *entry)
{
    unsigned tiles = job_tiles_of(tile);
    if (!words->values == !words->each) {
        return REFUSE(check, entry, "either values or each has to be there, and not both");
    }
    tiles *= check->job->among_all ? check->job->among_all : 1;
    if (words->by_chip && !check->job->among_all) {
        return REFUSE(check, entry, "by_chip: only in an entry of chips");
    }
    if (words->each && (words->by_column || words->by_row || words->by_chip)) {
        return REFUSE(check, entry, "by_column, by_row and by_chip go with values, not with each");
    }
    if (words->by_column_count > words->values_count || words->by_row_count > words->values_count ||
        words->by_chip_count > words->values_count) {
        return REFUSE(check, entry, "there are fewer values than by_column%s",
                      words->by_chip ? ", by_row or by_chip" : " or by_row");
    }
    if (words->each_count % tiles) {
        return REFUSE(check, &words->each, "each has %u words, not as many for each of %u tiles", words->each_count,
                      tiles);
    }
    return BH_OK;
}

static enum bh_status check_all_words(const struct check *check, const struct job_tile *tile)
{
    enum bh_status status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < tile->words_count; i++) {
        status = check_words(check, tile, &tile->words[i], &tile->words[i]);
    }
    for (unsigned i = 0; status == BH_OK && i < tile->arguments_count; i++) {
        status = check_words(check, tile, &tile->arguments[i].words, &tile->arguments[i]);
    }
    for (unsigned i = 0; status == BH_OK && i < tile->common_arguments_count; i++) {
        status = check_words(check, tile, &tile->common_arguments[i].words, &tile->common_arguments[i]);
    }
    return status;
}

/* Each core gets arguments of one kind once. */
static enum bh_status check_arguments(const struct check *check, const struct job_arguments *arguments, unsigned count)
{
    unsigned seen = 0;
    for (unsigned i = 0; i < count; i++) {
        for (unsigned j = 0; j < arguments[i].cores_count; j++) {
            enum bh_core core = arguments[i].cores[j];
            if (seen >> core & 1) {
                return REFUSE(check, &arguments[i].cores, "core %s has arguments twice", bh_core_name(core));
            }
            seen |= 1u << core;
        }
    }
    return BH_OK;
}

static enum bh_status check_buffers(const struct check *check, const struct job_tile *tile)
{
    uint64_t seen = 0;
    for (unsigned i = 0; i < tile->buffers_count; i++) {
        const struct metal_buffer *buffer = &tile->buffers[i];
        if (seen >> buffer->index & 1) {
            return REFUSE(check, &buffer->index, "circular buffer %u is there twice", buffer->index);
        }
        if (buffer->pages * (uint64_t)buffer->page > L1_BYTES - buffer->address) {
            return REFUSE(check, &buffer->address,
                          "circular buffer %u (%u pages of %u bytes at 0x%x) does not fit into L1", buffer->index,
                          buffer->pages, buffer->page, buffer->address);
        }
        seen |= 1ull << buffer->index;
    }
    return BH_OK;
}

/* Bytes that an element has at least: those of block formats share theirs. */
static size_t element_size(enum bh_format format)
{
    size_t size = bh_format_size(format);
    return size ? size : 1;
}

/* Elements lie at multiples of their size. Those of block formats, which lie in tiles, have none. */
static enum bh_status check_place(const struct check *check, const struct job_place *place, const enum bh_format *in,
                                  enum bh_layout layout)
{
    enum bh_format format = *in;
    unsigned size = (unsigned)bh_format_size(format);
    if (!size) {
        return layout == BH_TILES ? BH_OK
                                  : REFUSE(check, in, "format: %s goes with layout: tiles", bh_format_name(format));
    }
    if (place->address % size) {
        return REFUSE(check, &place->address,
                      "address: 0x%" PRIx64 " is no multiple of %u, the bytes of an element in %s", place->address,
                      size, bh_format_name(format));
    }
    if (place->page % size) {
        return REFUSE(check, &place->page, "page: %u is no multiple of %u, the bytes of an element in %s", place->page,
                      size, bh_format_name(format));
    }
    return BH_OK;
}

static enum bh_status check_output(const struct check *check, const struct job_output *output)
{
    size_t rows = output->shape[0], columns = output->shape[1];
    if (!output->file && !output->expect) {
        return REFUSE(check, output, "an output without file and expect is neither written nor compared");
    }
    if (output->tolerance && !output->expect) {
        return REFUSE(check, &output->tolerance, "tolerance goes with expect, which is not there");
    }
    if (rows * columns > TENSOR_MAX / element_size(output->format)) {
        return REFUSE(check, &output->shape, "shape: %zux%zu elements are larger than any memory", rows, columns);
    }
    if (output->layout == BH_TILES && (rows % TILE_EDGE || columns % TILE_EDGE)) {
        return REFUSE(check, &output->shape,
                      "shape: [%zu, %zu] can not be cut into tiles: rows and columns have to be multiples of 32", rows,
                      columns);
    }
    return check_place(check, &output->place, &output->format, output->layout);
}

/* Checks that do not depend on which of its tiles an entry is about. */
static enum bh_status check_entry(const struct check *check, const struct job_tile *tile)
{
    enum bh_status status = check_kind(check, tile);
    if (status == BH_OK) {
        status = check_programs(check, tile->programs, tile->programs_count, "programs");
    }
    if (status == BH_OK) {
        status = check_programs(check, tile->kernels, tile->kernels_count, "kernels");
    }
    if (status == BH_OK) {
        status = check_start(check, tile);
    }
    if (status == BH_OK) {
        status = check_all_words(check, tile);
    }
    if (status == BH_OK) {
        status = check_arguments(check, tile->arguments, tile->arguments_count);
    }
    if (status == BH_OK) {
        status = check_arguments(check, tile->common_arguments, tile->common_arguments_count);
    }
    if (status == BH_OK) {
        status = check_buffers(check, tile);
    }
    for (unsigned i = 0; status == BH_OK && i < tile->inputs_count; i++) {
        status = check_place(check, &tile->inputs[i].place, &tile->inputs[i].format, tile->inputs[i].layout);
    }
    for (unsigned i = 0; status == BH_OK && i < tile->outputs_count; i++) {
        status = check_output(check, &tile->outputs[i]);
        if (status == BH_OK && tile->outputs[i].file && job_tiles_of(tile) > 1) {
            status = REFUSE(check, &tile->outputs[i].file, "output %s: several tiles would write the same file",
                            tile->outputs[i].file);
        }
    }
    return status;
}

static size_t bytes_of(const struct job_output *output)
{
    return job_tensor_size(output->format, output->shape[0], output->shape[1]);
}

/* Whether a tile has the cores that programs are for. */
static enum bh_status check_cores(const struct check *check, const struct job_target *target,
                                  const struct job_program *programs, unsigned count)
{
    enum { ETHERNET_ROW = 25 };
    unsigned index;
    bool tensix = tensix_index(target->x, target->y, &index), ethernet = target->y == ETHERNET_ROW;
    for (unsigned i = 0; i < count; i++) {
        bool drisc = (unsigned)programs[i].core == BH_CORE_DRISC;
        bool has = tensix     ? programs[i].core < BH_CORE_COUNT
                   : ethernet ? programs[i].core >= BH_CORE_COUNT && !drisc
                              : drisc;
        if (!has) {
            return schema_fail(check->schema, &programs[i], check->error, BH_ERROR_ARGUMENT,
                               "tile (%u,%u) has no core %s; %s", target->x, target->y, bh_core_name(programs[i].core),
                               tensix     ? "it has B, NC, T0, T1 and T2"
                               : ethernet ? "it has E0 and E1"
                                          : "it has DRISC");
        }
    }
    return BH_OK;
}

/* Whether all that an entry puts into one of its tiles, or takes from there, fits. Of an input only the first element
   is known by now. */
static enum bh_status check_target(const struct check *check, const struct job_target *target)
{
    const struct job_tile *tile = target->tile;
    const struct bh_job *job = check->job;
    enum bh_status status = check_cores(check, target, tile->programs, tile->programs_count);
    if (status == BH_OK) {
        status = check_cores(check, target, tile->kernels, tile->kernels_count);
    }
    for (unsigned i = 0; status == BH_OK && i < tile->words_count; i++) {
        const struct job_words *words = &tile->words[i];
        struct job_place place = {.address = words->address};
        struct job_region region = job_tile_region(target, &place, job_words_count(target, words) * (size_t)4);
        status = job_region_check(job, &region, &words->address, "words", check->error);
    }
    for (unsigned i = 0; status == BH_OK && i < tile->inputs_count; i++) {
        const struct job_input *input = &tile->inputs[i];
        struct job_region region = job_tile_region(target, &input->place, element_size(input->format));
        status = job_region_check(job, &region, &input->place.address, input->file, check->error);
    }
    for (unsigned i = 0; status == BH_OK && i < tile->outputs_count; i++) {
        const struct job_output *output = &tile->outputs[i];
        struct job_region region = job_tile_region(target, &output->place, bytes_of(output));
        status = job_region_check(job, &region, &output->place.address, job_output_name(output), check->error);
    }
    return status;
}

static enum bh_status check_dram(const struct check *check)
{
    const struct bh_job *job = check->job;
    const struct job_dram *dram = &job->file->dram;
    struct job_region region;
    enum bh_status status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < dram->inputs_count; i++) {
        const struct job_input *input = &dram->inputs[i];
        status = check_place(check, &input->place, &input->format, input->layout);
        if (status == BH_OK) { /* its size is not known yet */
            status = job_dram_region(job, &input->place, 0, 0, input->file, &region, check->error);
        }
    }
    for (unsigned i = 0; status == BH_OK && i < dram->outputs_count; i++) {
        const struct job_output *output = &dram->outputs[i];
        status = check_output(check, output);
        if (status == BH_OK) {
            size_t page = job_page_size(output->format, output->layout, output->shape[1]);
            status = job_dram_region(job, &output->place, page, bytes_of(output), job_output_name(output), &region,
                                     check->error);
        }
        if (status == BH_OK) {
            status = job_region_check(job, &region, &output->place.address, job_output_name(output), check->error);
        }
    }
    return status;
}

enum bh_status job_check(const struct bh_job *job, struct bh_error *error)
{
    const struct check check = {job, job->file->schema, error};
    enum bh_status status = check_launch(&check);
    for (unsigned i = 0; status == BH_OK && i < job->file->tiles_count; i++) {
        status = check_entry(&check, &job->file->tiles[i]);
    }
    for (unsigned i = 0; status == BH_OK && i < job->targets_count; i++) {
        status = check_target(&check, &job->targets[i]);
    }
    return status == BH_OK ? check_dram(&check) : status;
}
