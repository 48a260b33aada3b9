#include "host/job_output.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/job_compare.h"
#include "host/job_files.h"
#include "host/job_input.h"
#include "host/npy.h"
#include "util/fail.h"

/* One output on its way from the device to its file. */
struct finished {
    const struct bh_job *job;
    const struct job_target *target; /* null: it is in DRAM */
    const struct job_output *output;
    struct bh_array array;
    struct staged_file staged;
    unsigned number; /* among those whose files about differences would have the same name */
};

/* Reads one output as an array of the type that `expected` has. Its data are malloc'ed. */
static enum bh_status read_output(const struct bh_job *job, const struct job_target *target,
                                  const struct job_output *output, enum bh_host_type type, struct bh_device *device,
                                  struct bh_array *array, struct bh_error *error)
{
    enum bh_status status;
    size_t rows = output->shape[0], columns = output->shape[1], count = rows * columns;
    *array = (struct bh_array){.type = type, .rows = rows, .columns = columns};
    size_t size = job_tensor_size(output->format, rows, columns);
    struct job_region region = {};
    if (target) {
        region = job_tile_region(target, &output->place, size);
    } else {
        status = job_dram_region(job, &output->place, job_page_size(output->format, output->layout, columns), size,
                                 job_output_name(output), &region, error);
        if (status != BH_OK) {
            return status;
        }
    }
    uint8_t *bytes = malloc(size);
    array->data = bytes ? malloc(count * bh_host_type_size(type)) : NULL;
    if (!array->data) {
        status = fail(error, BH_ERROR_MEMORY, "out of memory");
    } else if ((status = job_region_read(device, &region, bytes)) != BH_OK) {
        schema_fail(job->file->schema, &output->place.address, error, status,
                    "output %s: %zu bytes at 0x%" PRIx64 " of %s can not be read: %s", job_output_name(output), size,
                    output->place.address, job_region_name(&region).text, bh_status_name(status));
    } else if ((status = bh_tensor_from_device(bytes, output->format, output->layout, array)) != BH_OK) {
        schema_fail(job->file->schema, &output->format, error, status,
                    "output %s: %zux%zu elements in %s can not become an array of %s, which is expected",
                    job_output_name(output), rows, columns, bh_format_name(output->format), bh_host_type_name(type));
    }
    free(bytes);
    return status;
}

/* Reads what an output is to be; expected->data is null when the job does not say. */
static enum bh_status read_expected(const struct bh_job *job, const struct job_output *output,
                                    struct bh_array *expected, struct bh_error *error)
{
    *expected = (struct bh_array){.type = job_natural_type(output->format)};
    enum bh_status status = output->expect ? job_read_array(job, &output->expect, expected, error) : BH_OK;
    if (status == BH_OK && expected->data &&
        (expected->rows != output->shape[0] || expected->columns != output->shape[1])) {
        status = schema_fail(job->file->schema, &output->expect, error, BH_ERROR_FORMAT,
                             "%s%s: %zux%zu, but the output is %ux%u", output->expect[0] == '/' ? "" : job->folder,
                             output->expect, expected->rows, expected->columns, output->shape[0], output->shape[1]);
    }
    return status;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The name of files about an output: that of the file with what is expected, of the chip, if the job is on several, of
   the tile, if its entry is about several, and a number, if another output has the same name. */
static char *difference_name(const struct finished *finished)
{
    const char *base = base_of(finished->output->expect), *dot = strrchr(base, '.');
    const struct job_target *target = finished->target;
    char *name, chip[30] = "", tile[40] = "", number[20] = "";
    if (finished->job->among_all) {
        snprintf(chip, sizeof chip, "-chip%u", finished->job->chip);
    }
    if (target && !target->alone) {
        snprintf(tile, sizeof tile, "-%u-%u", target->x, target->y);
    }
    if (finished->number) {
        snprintf(number, sizeof number, ".%u", finished->number);
    }
    int length = dot && dot != base ? (int)(dot - base) : (int)strlen(base);
    return asprintf(&name, "%.*s%s%s%s", length, base, chip, tile, number) < 0 ? NULL : name;
}

static bool has_same_name(const struct finished *one, const struct finished *other)
{
    bool tiles = one->target && other->target && !one->target->alone && !other->target->alone;
    return one->output->expect && other->output->expect && (!tiles || one->target == other->target) &&
           strcmp(base_of(one->output->expect), base_of(other->output->expect)) == 0;
}

static struct bh_job_element element_of(const struct job_comparison *comparison, size_t index)
{
    size_t columns = comparison->expected->columns;
    return (struct bh_job_element){.row = (uint32_t)(index / columns),
                                   .column = (uint32_t)(index % columns),
                                   .got = job_element(comparison->got, index),
                                   .expected = job_element(comparison->expected, index)};
}

static void tell_comparison(const struct finished *finished, const struct job_comparison *comparison,
                            const struct job_difference *difference, const struct bh_job_options *options)
{
    const struct job_target *target = finished->target;
    if (!options || !options->on_comparison) {
        return;
    }
    struct bh_job_comparison told = {.expect = finished->output->expect,
                                     .chip = finished->job->among_all ? finished->job->chip : 0,
                                     .in_dram = !target,
                                     .tile_x = (uint8_t)(target ? target->x : 0),
                                     .tile_y = (uint8_t)(target ? target->y : 0),
                                     .rows = (uint32_t)comparison->expected->rows,
                                     .columns = (uint32_t)comparison->expected->columns,
                                     .differ = difference->differ,
                                     .finite = difference->finite,
                                     .absolute = difference->absolute,
                                     .relative = difference->relative};
    if (difference->differ) {
        told.first = element_of(comparison, difference->first);
    }
    if (difference->finite) {
        told.largest_absolute = element_of(comparison, difference->worst_absolute);
        told.largest_relative = element_of(comparison, difference->worst_relative);
    }
    options->on_comparison(options->context, &told);
}

/* Compares an output with what is expected; what differs goes into the result, and into files if they are asked for. */
static enum bh_status compare(const struct finished *finished, const struct bh_array *expected,
                              const struct bh_job_options *options, struct bh_job_result *result,
                              struct bh_error *error)
{
    const struct job_output *output = finished->output;
    const struct job_comparison comparison = {&finished->array, expected, output->layout, output->tolerance};
    struct job_difference difference;
    enum bh_status status = BH_OK;
    result->outputs_compared++;
    bool same = job_compare(&comparison, &difference);
    tell_comparison(finished, &comparison, &difference, options);
    if (same) {
        return BH_OK;
    }
    if (result->outputs_differ++ == 0) {
        job_describe_difference(&comparison, &difference, output->expect, &result->mismatch);
    }
    if (options && options->differences_folder) {
        char *name = difference_name(finished);
        status = name ? job_write_difference(&comparison, options->differences_folder, name, error)
                      : fail(error, BH_ERROR_MEMORY, "out of memory");
        free(name);
    }
    return status;
}

/* FNV-1a, of all outputs one after the other. */
static uint64_t digest_of(const struct bh_array *array, uint64_t digest)
{
    const uint8_t *bytes = array->data;
    size_t size = array->data ? array->rows * array->columns * bh_host_type_size(array->type) : 0;
    digest = digest ? digest : 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) {
        digest = (digest ^ bytes[i]) * 0x100000001b3u;
    }
    return digest;
}

/* Reads one output back and compares it. options: null before the run. */
static enum bh_status collect(const struct bh_job *job, struct finished *finished, struct bh_device *device,
                              const struct bh_job_options *options, struct bh_job_result *result,
                              struct bh_error *error)
{
    const struct job_output *output = finished->output;
    struct bh_array expected, *array = &finished->array;
    enum bh_status status = read_expected(job, output, &expected, error);
    if (status == BH_OK) {
        status = read_output(job, finished->target, output, expected.type, device, array, error);
    }
    if (status == BH_OK) {
        result->outputs++;
        result->digest = digest_of(array, result->digest);
    }
    if (status == BH_OK && expected.data && array->data) {
        status = compare(finished, &expected, options, result, error);
    }
    free(expected.data);
    return status;
}

/* All outputs of a job, malloc'ed; null when there is no memory. */
static struct finished *list_outputs(const struct bh_job *job, size_t *count)
{
    const struct job_dram *dram = &job->file->dram;
    *count = dram->outputs_count;
    for (unsigned i = 0; i < job->targets_count; i++) {
        *count += job->targets[i].tile->outputs_count;
    }
    struct finished *all = calloc(*count ? *count : 1, sizeof *all), *next = all;
    for (unsigned i = 0; all && i < job->targets_count; i++) {
        const struct job_target *target = &job->targets[i];
        for (unsigned j = 0; j < target->tile->outputs_count; j++) {
            *next++ = (struct finished){.job = job, .target = target, .output = &target->tile->outputs[j]};
        }
    }
    for (unsigned i = 0; all && i < dram->outputs_count; i++) {
        *next++ = (struct finished){.job = job, .output = &dram->outputs[i]};
    }
    for (size_t i = 1; all && i < *count; i++) {
        for (size_t j = 0; j < i; j++) {
            all[i].number += has_same_name(&all[i], &all[j]);
        }
    }
    return all;
}

static void free_outputs(struct finished *all, size_t count)
{
    for (size_t i = 0; all && i < count; i++) {
        discard_file(&all[i].staged);
        free(all[i].array.data);
    }
    free(all);
}

enum bh_status job_check_outputs(const struct bh_job *job, struct bh_device *device, struct bh_error *error)
{
    size_t count;
    struct bh_job_result ignored = {};
    struct finished *all = list_outputs(job, &count);
    if (!all) {
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    enum bh_status status = BH_OK;
    for (size_t i = 0; status == BH_OK && i < count; i++) {
        status = collect(job, &all[i], device, NULL, &ignored, error);
    }
    free_outputs(all, count);
    return status;
}

static enum bh_status stage(const struct bh_job *job, const struct bh_job_options *options, struct finished *finished,
                            struct bh_error *error)
{
    if (!finished->output->file) {
        return BH_OK;
    }
    char *path = job_output_path(job, options, finished->output->file);
    enum bh_status status = path ? npy_stage(path, &finished->array, &finished->staged, error)
                                 : fail(error, BH_ERROR_MEMORY, "out of memory");
    free(path);
    return status;
}

/* Writes all files beside where they belong, and when that went well moves them there. A signal that ends the process
   waits until that is over, so that it leaves nothing half done. */
static enum bh_status write_outputs(const struct bh_job *job, const struct bh_job_options *options,
                                    struct finished *all, size_t count, struct bh_error *error)
{
    sigset_t every, before;
    sigfillset(&every);
    pthread_sigmask(SIG_BLOCK, &every, &before);
    enum bh_status status = BH_OK;
    for (size_t i = 0; status == BH_OK && i < count; i++) {
        status = stage(job, options, &all[i], error);
    }
    for (size_t i = 0; status == BH_OK && i < count; i++) {
        status = commit_file(&all[i].staged, error);
    }
    for (size_t i = 0; i < count; i++) {
        discard_file(&all[i].staged);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

enum bh_status job_collect_outputs(const struct bh_job *job, const struct bh_job_options *options,
                                   struct bh_device *device, struct bh_job_result *result, struct bh_error *error)
{
    size_t count;
    struct finished *all = list_outputs(job, &count);
    if (!all) {
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    enum bh_status status = BH_OK;
    for (size_t i = 0; status == BH_OK && i < count; i++) {
        status = collect(job, &all[i], device, options, result, error);
    }
    if (status == BH_OK && !options->no_output_files) {
        status = write_outputs(job, options, all, count, error);
    }
    free_outputs(all, count);
    return status;
}
