/* Running a job: everything it names is read and checked first, then written to a device, run, read back, compared, and
   only then written to files. */
#include "bhemu/job.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu/program.h"
#include "host/fail.h"
#include "host/job_file.h"
#include "host/npy.h"

enum { CHUNK = 2000000 }; /* cycles between two calls of on_progress */

struct bh_job {
    struct job_file *file;
    char *folder; /* that paths in the job are relative to */
    char *path;
};

enum bh_status bh_job_load(const char *path, struct bh_job **job, struct bh_error *error)
{
    if (!path || !job) {
        return fail(error, BH_ERROR_ARGUMENT, "no path, or nowhere to put the job");
    }
    struct bh_job *made = calloc(1, sizeof *made);
    if (!made) {
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    enum bh_status status = job_file_load(path, &made->file, error);
    if (status == BH_OK) {
        const char *slash = strrchr(path, '/');
        made->folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("");
        made->path = strdup(path);
        if (!made->folder || !made->path) {
            status = fail(error, BH_ERROR_MEMORY, "out of memory");
        }
    }
    if (status != BH_OK) {
        bh_job_free(made);
        made = NULL;
    }
    *job = made;
    return status;
}

void bh_job_free(struct bh_job *job)
{
    if (job) {
        job_file_free(job->file);
        free(job->folder);
        free(job->path);
        free(job);
    }
}

/* A path that a job names, malloc'ed; null when there is no memory. */
static char *resolve(const char *folder, const char *path)
{
    char *resolved;
    bool absolute = path[0] == '/';
    return asprintf(&resolved, "%s%s", absolute ? "" : folder, path) < 0 ? NULL : resolved;
}

static enum bh_status read_array(const struct bh_job *job, const char *name, struct bh_array *array,
                                 struct bh_error *error)
{
    char *path = resolve(job->folder, name);
    if (!path) {
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    enum bh_status status = npy_read(path, array, error);
    free(path);
    return status;
}

static enum bh_status write_input(const struct bh_job *job, const struct job_tile *tile, const struct job_input *input,
                                  struct bh_device *device, struct bh_error *error)
{
    struct bh_array array;
    enum bh_status status = read_array(job, input->file, &array, error);
    if (status != BH_OK) {
        return status;
    }
    size_t size = array.rows * array.columns * bh_format_size(input->format);
    void *bytes = malloc(size ? size : 1);
    if (!bytes || size > UINT32_MAX) {
        status = fail(error, BH_ERROR_MEMORY, "%s: too large", input->file);
    } else if ((status = bh_tensor_to_device(&array, input->format, input->layout, bytes)) != BH_OK) {
        fail(error, status, "%s: a %zux%zu array of this type can not become %s in %s", input->file, array.rows,
             array.columns, bh_format_name(input->format),
             input->layout == BH_TILES ? "tiles (multiples of 32 are needed)" : "rows");
    } else if ((status = bh_write(device, tile->at[0], tile->at[1], input->address, bytes, (uint32_t)size)) != BH_OK) {
        fail(error, status, "%s: %zu bytes do not fit at 0x%x of tile (%u,%u)", input->file, size, input->address,
             tile->at[0], tile->at[1]);
    }
    free(bytes);
    free(array.data);
    return status;
}

/* Loads the programs and inputs of one tile. */
static enum bh_status prepare_tile(const struct bh_job *job, const struct job_tile *tile, struct bh_device *device,
                                   uint32_t entries[BH_CORE_COUNT], struct bh_error *error)
{
    enum bh_status status;
    unsigned x = tile->at[0], y = tile->at[1];
    uint32_t word;
    if (bh_read(device, x, y, 0, &word, sizeof word) != BH_OK) {
        return fail(error, BH_ERROR_ARGUMENT, "%s: there is no Tensix tile at (%u,%u); x is 1..7 or 10..16, y 2..11",
                    job->path, x, y);
    }
    for (unsigned i = 0; i < tile->programs_count; i++) {
        char *path = resolve(job->folder, tile->programs[i].elf);
        status = path ? bh_load_elf(device, x, y, tile->programs[i].core, path, &entries[tile->programs[i].core], error)
                      : fail(error, BH_ERROR_MEMORY, "out of memory");
        free(path);
        if (status != BH_OK) {
            return status;
        }
    }
    for (unsigned i = 0; i < tile->words_count; i++) {
        const struct job_words *words = &tile->words[i];
        status = bh_write(device, x, y, words->address, words->values, words->values_count * 4);
        if (status != BH_OK) {
            return fail(error, status, "%s: %u words do not fit at 0x%x of tile (%u,%u)", job->path,
                        words->values_count, words->address, x, y);
        }
    }
    for (unsigned i = 0; i < tile->inputs_count; i++) {
        status = write_input(job, tile, &tile->inputs[i], device, error);
        if (status != BH_OK) {
            return status;
        }
    }
    return BH_OK;
}

static bool has_program(const struct job_tile *tile, enum bh_core core)
{
    for (unsigned i = 0; i < tile->programs_count; i++) {
        if (tile->programs[i].core == core) {
            return true;
        }
    }
    return false;
}

static enum bh_status start_tile(const struct bh_job *job, const struct job_tile *tile, struct bh_device *device,
                                 const uint32_t entries[BH_CORE_COUNT], struct bh_error *error)
{
    unsigned count = tile->start_count ? tile->start_count : tile->programs_count;
    for (unsigned i = 0; i < count; i++) {
        enum bh_core core = tile->start_count ? tile->start[i] : tile->programs[i].core;
        if (!has_program(tile, core)) {
            return fail(error, BH_ERROR_FORMAT, "%s: core %s of tile (%u,%u) is to start, but has no program",
                        job->path, bh_core_name(core), tile->at[0], tile->at[1]);
        }
        enum bh_status status = bh_core_start(device, tile->at[0], tile->at[1], core, entries[core]);
        if (status != BH_OK) {
            return fail(error, status, "%s: core %s of tile (%u,%u) does not start: %s", job->path, bh_core_name(core),
                        tile->at[0], tile->at[1], bh_status_name(status));
        }
    }
    return BH_OK;
}

static enum bh_status run(const struct bh_job *job, const struct bh_job_options *options, struct bh_device *device,
                          struct bh_run_result *total, struct bh_error *error)
{
    *total = (struct bh_run_result){.reason = BH_RAN_CYCLES};
    while (total->cycles < job->file->limit) {
        uint64_t left = job->file->limit - total->cycles;
        struct bh_run_result part;
        enum bh_status status = bh_run(device, left < CHUNK ? left : CHUNK, &part);
        total->reason = part.reason;
        total->cycles += part.cycles;
        total->riscv_instructions += part.riscv_instructions;
        total->tensix_instructions += part.tensix_instructions;
        if (status != BH_OK) {
            return fail(error, status, "%s: stopped after %" PRIu64 " cycles, see the diagnostic", job->path,
                        total->cycles);
        }
        if (part.reason == BH_RAN_IDLE) {
            return BH_OK;
        }
        if (options->on_progress) {
            options->on_progress(options->context, total);
        }
    }
    return fail(error, BH_ERROR_STOPPED, "%s: not finished after %" PRIu64 " cycles (its limit)", job->path,
                job->file->limit);
}

static double element_as_double(const struct bh_array *array, size_t index)
{
    double value = 0;
    struct bh_array one = {.type = BH_HOST_FLOAT64, .rows = 1, .columns = 1, .data = &value};
    const uint8_t *place = (const uint8_t *)array->data + index * bh_host_type_size(array->type);
    static const enum bh_format same[BH_HOST_TYPE_COUNT] = {
        [BH_HOST_FLOAT32] = BH_FP32, [BH_HOST_FLOAT16] = BH_FP16, [BH_HOST_BFLOAT16] = BH_BF16};
    switch (array->type) {
    case BH_HOST_FLOAT64: memcpy(&value, place, sizeof value); break;
    case BH_HOST_INT8: value = *(const int8_t *)place; break;
    case BH_HOST_UINT8: value = *place; break;
    case BH_HOST_INT16: value = *(const int16_t *)place; break;
    case BH_HOST_UINT16: value = *(const uint16_t *)place; break;
    case BH_HOST_INT32: value = *(const int32_t *)place; break;
    case BH_HOST_UINT32: value = *(const uint32_t *)place; break;
    default: bh_tensor_from_device(place, same[array->type], BH_ROWS, &one); break;
    }
    return value;
}

/* Compares what came out with what is expected, both as arrays of the expected type. */
static bool equal(const struct job_output *output, const struct bh_array *actual, const struct bh_array *expected,
                  struct bh_error *mismatch)
{
    size_t size = bh_host_type_size(expected->type), count = expected->rows * expected->columns, differ = 0, first = 0;
    for (size_t i = 0; i < count; i++) {
        bool same = memcmp((uint8_t *)actual->data + i * size, (uint8_t *)expected->data + i * size, size) == 0;
        if (!same && output->tolerance) {
            double a = element_as_double(actual, i), b = element_as_double(expected, i);
            same = fabs(a - b) <= *output->tolerance * fmax(1.0, fabs(b));
        }
        if (!same && differ++ == 0) {
            first = i;
        }
    }
    if (differ) {
        fail(mismatch, BH_OK, "%s: %zu of %zu elements differ, first at [%zu,%zu]: %.9g, expected %.9g", output->expect,
             differ, count, first / expected->columns, first % expected->columns, element_as_double(actual, first),
             element_as_double(expected, first));
    }
    return differ == 0;
}

/* The array type that an output becomes when nothing else says. */
static enum bh_host_type natural_type(enum bh_format format)
{
    static const enum bh_host_type types[BH_FORMAT_COUNT] = {
        [BH_FP32] = BH_HOST_FLOAT32, [BH_BF16] = BH_HOST_FLOAT32,  [BH_FP16] = BH_HOST_FLOAT16,
        [BH_INT32] = BH_HOST_INT32,  [BH_UINT16] = BH_HOST_UINT16, [BH_INT8] = BH_HOST_INT8,
        [BH_UINT8] = BH_HOST_UINT8,
    };
    return types[format];
}

struct finished {
    struct bh_array array;
    const struct job_output *output;
};

/* Reads one output back, and compares it. */
static enum bh_status collect(const struct bh_job *job, const struct job_tile *tile, const struct job_output *output,
                              struct bh_device *device, struct finished *finished, struct bh_job_result *result,
                              struct bh_error *error)
{
    struct bh_array expected = {.type = natural_type(output->format)};
    enum bh_status status = BH_OK;
    if (output->expect && (status = read_array(job, output->expect, &expected, error)) != BH_OK) {
        return status;
    }
    size_t rows = output->shape[0], columns = output->shape[1];
    size_t size = rows * columns * bh_format_size(output->format);
    struct bh_array *array = &finished->array;
    *array = (struct bh_array){.type = expected.type, .rows = rows, .columns = columns};
    finished->output = output;
    uint8_t *bytes = size && size <= UINT32_MAX ? malloc(size) : NULL;
    array->data = bytes ? malloc(rows * columns * bh_host_type_size(array->type)) : NULL;
    if (!array->data) {
        status = fail(error, BH_ERROR_ARGUMENT, "%s: an output of %zux%zu can not be read", job->path, rows, columns);
    } else if (expected.data && (expected.rows != rows || expected.columns != columns)) {
        status = fail(error, BH_ERROR_FORMAT, "%s: %zux%zu, but the output is %zux%zu", output->expect, expected.rows,
                      expected.columns, rows, columns);
    } else if ((status = bh_read(device, tile->at[0], tile->at[1], output->address, bytes, (uint32_t)size)) != BH_OK) {
        fail(error, status, "%s: %zu bytes at 0x%x of tile (%u,%u) are not in memory", job->path, size, output->address,
             tile->at[0], tile->at[1]);
    } else if ((status = bh_tensor_from_device(bytes, output->format, output->layout, array)) != BH_OK) {
        fail(error, status, "%s: an output of %zux%zu %s can not become an array of the expected type", job->path, rows,
             columns, bh_format_name(output->format));
    } else if (expected.data) {
        result->outputs_compared++;
        result->outputs_differ += !equal(output, array, &expected, result->outputs_differ ? NULL : &result->mismatch);
    }
    result->outputs++;
    free(bytes);
    free(expected.data);
    return status;
}

static enum bh_status write_output(const struct bh_job *job, const struct bh_job_options *options,
                                   const struct finished *finished, struct bh_error *error)
{
    const char *name = finished->output->file;
    if (!name) {
        return BH_OK;
    }
    char *path;
    if (options->output_folder && name[0] != '/') {
        path = asprintf(&path, "%s/%s", options->output_folder, name) < 0 ? NULL : path;
    } else {
        path = resolve(job->folder, name);
    }
    enum bh_status status =
        path ? npy_write(path, &finished->array, error) : fail(error, BH_ERROR_MEMORY, "out of memory");
    free(path);
    return status;
}

static enum bh_status collect_all(const struct bh_job *job, const struct bh_job_options *options,
                                  struct bh_device *device, struct bh_job_result *result, struct bh_error *error)
{
    size_t count = 0, done = 0;
    for (unsigned i = 0; i < job->file->tiles_count; i++) {
        count += job->file->tiles[i].outputs_count;
    }
    struct finished *all = calloc(count ? count : 1, sizeof *all);
    if (!all) {
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    enum bh_status status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < job->file->tiles_count; i++) {
        const struct job_tile *tile = &job->file->tiles[i];
        for (unsigned j = 0; status == BH_OK && j < tile->outputs_count; j++) {
            status = collect(job, tile, &tile->outputs[j], device, &all[done++], result, error);
        }
    }
    for (size_t i = 0; status == BH_OK && i < count; i++) {
        status = write_output(job, options, &all[i], error);
    }
    for (size_t i = 0; i < count; i++) {
        free(all[i].array.data);
    }
    free(all);
    return status;
}

enum bh_status bh_job_run(const struct bh_job *job, const struct bh_job_options *options, struct bh_job_result *result,
                          struct bh_error *error)
{
    static const struct bh_job_options no_options = {.policy = -1};
    options = options ? options : &no_options;
    if (!job || !result) {
        return fail(error, BH_ERROR_ARGUMENT, "no job, or nowhere to put the result");
    }
    *result = (struct bh_job_result){};
    const struct job_file *file = job->file;
    struct bh_device_config config = {
        .policy = options->policy < 0 ? file->policy : (enum bh_policy_preset)options->policy,
        .on_diagnostic = options->on_diagnostic,
        .context = options->context,
    };
    struct bh_device *device;
    uint32_t(*entries)[BH_CORE_COUNT] = calloc(file->tiles_count, sizeof *entries);
    enum bh_status status = entries ? bh_device_create(&config, &device) : BH_ERROR_MEMORY;
    if (status != BH_OK) {
        free(entries);
        return fail(error, status, "no device: %s", bh_status_name(status));
    }
    for (unsigned i = 0; status == BH_OK && i < file->tiles_count; i++) {
        status = prepare_tile(job, &file->tiles[i], device, entries[i], error);
    }
    for (unsigned i = 0; status == BH_OK && i < file->tiles_count; i++) {
        status = start_tile(job, &file->tiles[i], device, entries[i], error);
    }
    if (status == BH_OK) {
        status = run(job, options, device, &result->run, error);
    }
    if (status == BH_OK) {
        status = collect_all(job, options, device, result, error);
    }
    bh_device_destroy(device);
    free(entries);
    return status;
}
