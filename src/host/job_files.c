#include "host/job_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/file_target.h"
#include "host/job_input.h"
#include "host/job_system.h"
#include "util/fail.h"

/* A file that the job reads. */
struct source {
    const char *name;
    struct stat about;
};

/* The first of them that can not be read. */
struct missing {
    char *const *name; /* in the job's file; null: all can be read */
    int reason;        /* an errno */
};

struct output_file {
    const struct job_output *output;
    struct file_target target;
};

struct files {
    const struct bh_job *job;
    const struct bh_job_options *options;
    struct source *sources;
    struct output_file *outputs;
    size_t sources_count, outputs_count;
    struct missing missing;
};

char *job_output_path(const struct bh_job *job, const struct bh_job_options *options, const char *name)
{
    char *path;
    if (options->output_folder && name[0] != '/') {
        return asprintf(&path, "%s/%s", options->output_folder, name) < 0 ? NULL : path;
    }
    return job_resolve(job->folder, name);
}

static void add_source(struct files *files, const char *folder, char *const *name)
{
    char *path = *name ? job_resolve(folder, *name) : NULL;
    struct source source = {.name = *name};
    if (path && stat(path, &source.about) == 0) {
        files->sources[files->sources_count++] = source;
    }
    if (path && !files->missing.name && access(path, R_OK) != 0) {
        files->missing = (struct missing){.name = name, .reason = errno};
    }
    free(path);
}

static void add_programs(struct files *files, const struct job_program *programs, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        add_source(files, files->job->folder, &programs[i].elf);
    }
}

static void add_inputs(struct files *files, const struct job_input *inputs, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        add_source(files, files->job->folder, &inputs[i].file);
    }
}

static void add_outputs(struct files *files, const struct job_output *outputs, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        add_source(files, files->job->folder, &outputs[i].expect);
        if (outputs[i].file) {
            files->outputs[files->outputs_count++].output = &outputs[i];
        }
    }
}

static void add_file(struct files *files, const struct job_file *file)
{
    add_programs(files, file->launch.firmware, file->launch.firmware_count);
    add_inputs(files, file->dram.inputs, file->dram.inputs_count);
    add_outputs(files, file->dram.outputs, file->dram.outputs_count);
    for (unsigned i = 0; i < file->tiles_count; i++) {
        const struct job_tile *tile = &file->tiles[i];
        add_programs(files, tile->programs, tile->programs_count);
        add_programs(files, tile->kernels, tile->kernels_count);
        add_inputs(files, tile->inputs, tile->inputs_count);
        add_outputs(files, tile->outputs, tile->outputs_count);
    }
}

static void add_all(struct files *files)
{
    const struct bh_job *job = files->job;
    char *const own = job->path;
    add_source(files, "", &own);
    files->missing = (struct missing){}; /* a job that was given as a text has no file */
    if (job_names_file(job->file->system)) {
        add_source(files, job->folder, &job->file->system);
    }
    add_file(files, job->file);
    for (unsigned i = 0; i < job->parts_count; i++) {
        add_file(files, job->parts[i].file);
    }
}

/* The *left'th of outputs that have a file; null: there are fewer, and *left is by their number less. */
static const char *file_among(const struct job_output *outputs, unsigned count, unsigned *left)
{
    for (unsigned i = 0; i < count; i++) {
        if (outputs[i].file && (*left)-- == 0) {
            return outputs[i].file;
        }
    }
    return NULL;
}

static const char *output_file_of(const struct job_file *file, unsigned *left)
{
    const char *name = NULL;
    for (unsigned i = 0; !name && i < file->tiles_count; i++) {
        name = file_among(file->tiles[i].outputs, file->tiles[i].outputs_count, left);
    }
    return name ? name : file_among(file->dram.outputs, file->dram.outputs_count, left);
}

const char *bh_job_output_file(const struct bh_job *job, unsigned index)
{
    const char *name = job ? output_file_of(job->file, &index) : NULL;
    for (unsigned i = 0; job && !name && i < job->parts_count; i++) {
        name = output_file_of(job->parts[i].file, &index);
    }
    return name;
}

/* An upper bound for the number of files of both kinds. */
static size_t count_file(const struct job_file *file)
{
    size_t count = 1 + file->launch.firmware_count + file->dram.inputs_count + file->dram.outputs_count;
    for (unsigned i = 0; i < file->tiles_count; i++) {
        const struct job_tile *tile = &file->tiles[i];
        count += tile->programs_count + tile->kernels_count + tile->inputs_count + tile->outputs_count;
    }
    return count;
}

static size_t count_all(const struct bh_job *job)
{
    size_t count = count_file(job->file) + 1; /* of its topology */
    for (unsigned i = 0; i < job->parts_count; i++) {
        count += count_file(job->parts[i].file);
    }
    return count;
}

/* Checks one output against all files that are read, and the outputs before it. */
static enum bh_status check_output(struct files *files, size_t index, struct bh_error *error)
{
    struct output_file *file = &files->outputs[index];
    const struct job_output *output = file->output;
    const struct schema_file *schema = files->job->file->schema;
    char *path = job_output_path(files->job, files->options, output->file);
    struct bh_error why = {};
    enum bh_status status =
        path ? file_target_find(path, &file->target, &why) : fail(&why, BH_ERROR_MEMORY, "out of memory");
    free(path);
    if (status != BH_OK) {
        return schema_fail(schema, &output->file, error, status, "output %s can not be written: %s", output->file,
                           why.text);
    }
    for (size_t i = 0; i < files->sources_count; i++) {
        if (file_target_is(&file->target, &files->sources[i].about)) {
            return schema_fail(schema, &output->file, error, BH_ERROR_IO,
                               "output %s can not be written: it is the file %s, which the job reads", output->file,
                               files->sources[i].name);
        }
    }
    for (size_t i = 0; i < index; i++) {
        if (file_target_same(&file->target, &files->outputs[i].target)) {
            return schema_fail(schema, &output->file, error, BH_ERROR_IO,
                               "output %s can not be written: it is the same file as output %s", output->file,
                               files->outputs[i].output->file);
        }
    }
    return BH_OK;
}

static enum bh_status find_all(struct files *files, struct bh_error *error)
{
    size_t count = count_all(files->job);
    files->sources = calloc(count, sizeof *files->sources);
    files->outputs = calloc(count, sizeof *files->outputs);
    if (!files->sources || !files->outputs) {
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    add_all(files);
    return BH_OK;
}

static void free_all(struct files *files)
{
    for (size_t i = 0; i < files->outputs_count; i++) {
        file_target_free(&files->outputs[i].target);
    }
    free(files->sources);
    free(files->outputs);
}

enum bh_status job_check_files(const struct bh_job *job, const struct bh_job_options *options, struct bh_error *error)
{
    struct files files = {.job = job, .options = options};
    enum bh_status status = find_all(&files, error);
    for (size_t i = 0; status == BH_OK && i < files.outputs_count; i++) {
        status = check_output(&files, i, error);
    }
    bool reads = !options->restore && !options->resume;
    if (status == BH_OK && reads && files.missing.name) {
        status = schema_fail(job->file->schema, files.missing.name, error, BH_ERROR_IO, "%s: %s", *files.missing.name,
                             strerror(files.missing.reason));
    }
    free_all(&files);
    return status;
}

static enum bh_status check_written(struct files *files, const struct file_target *target, const char *what,
                                    const char *path, struct bh_error *error)
{
    struct stat restored;
    if (files->options->restore && stat(files->options->restore, &restored) == 0 && file_target_is(target, &restored)) {
        return fail(error, BH_ERROR_ARGUMENT, "%s %s: that is the snapshot that the job goes on from", what, path);
    }
    for (size_t i = 0; i < files->sources_count; i++) {
        if (file_target_is(target, &files->sources[i].about)) {
            return fail(error, BH_ERROR_ARGUMENT, "%s %s: that is the file %s, which the job reads", what, path,
                        files->sources[i].name);
        }
    }
    for (size_t i = 0; i < files->outputs_count; i++) {
        const char *name = files->outputs[i].output->file;
        char *output = job_output_path(files->job, files->options, name);
        bool found = output && file_target_find(output, &files->outputs[i].target, NULL) == BH_OK;
        free(output);
        if (found && !files->options->no_output_files && file_target_same(target, &files->outputs[i].target)) {
            return fail(error, BH_ERROR_ARGUMENT, "%s %s: that is the output %s, too", what, path, name);
        }
    }
    return BH_OK;
}

enum bh_status job_check_written(const struct bh_job *job, const struct bh_job_options *options, const char *what,
                                 const char *path, struct bh_error *error)
{
    struct file_target target = {0};
    struct files files = {.job = job, .options = options};
    enum bh_status status = find_all(&files, error);
    if (status == BH_OK && file_target_find(path, &target, NULL) == BH_OK) { /* else it is none, or a device */
        status = check_written(&files, &target, what, path, error);
    }
    file_target_free(&target);
    free_all(&files);
    return status;
}
