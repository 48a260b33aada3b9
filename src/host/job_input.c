#include "host/job_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/elf_load.h"
#include "host/npy.h"
#include "util/fail.h"

char *job_resolve(const char *folder, const char *path)
{
    char *resolved;
    bool absolute = path[0] == '/';
    return asprintf(&resolved, "%s%s", absolute ? "" : folder, path) < 0 ? NULL : resolved;
}

enum bh_status job_read_array(const struct bh_job *job, char *const *name, struct bh_array *array,
                              struct bh_error *error)
{
    char *path = job_resolve(job->folder, *name);
    if (!path) {
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    struct bh_error why = {};
    enum bh_status status = npy_read(path, array, &why);
    free(path);
    return status == BH_OK ? BH_OK : schema_fail(job->file->schema, name, error, status, "%s", why.text);
}

/* Inputs that have been written. */
struct written {
    const struct job_input *input;
    struct job_region region;
};

struct inputs {
    const struct bh_job *job;
    const struct job_launcher *launcher;
    struct bh_device *device;
    struct written *written;
    size_t count;
};

/* Whether an input lies clear of the inputs before it, and of the programs of the tile, if it is in one. */
static enum bh_status check_overlap(const struct inputs *inputs, const struct job_target *target,
                                    const struct job_input *input, const struct job_region *region,
                                    struct bh_error *error)
{
    const struct bh_job *job = inputs->job;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct written *other = &inputs->written[i];
        if (job_regions_overlap(&other->region, region)) {
            return schema_fail(job->file->schema, &input->place.address, error, BH_ERROR_FORMAT,
                               "inputs %s (0x%" PRIx64 ", %zu bytes) and %s (0x%" PRIx64 ", %zu bytes) overlap",
                               other->input->file, other->input->place.address, other->region.size, input->file,
                               input->place.address, region->size);
        }
    }
    uint32_t reserved =
        target && inputs->launcher ? job_launcher_end(inputs->launcher, (unsigned)(target - job->targets)) : 0;
    if (region->address < reserved) {
        return schema_fail(job->file->schema, &input->place.address, error, BH_ERROR_FORMAT,
                           "input %s (0x%" PRIx64
                           ", %zu bytes) overlaps the firmware and the kernels, which end at 0x%x",
                           input->file, input->place.address, region->size, reserved);
    }
    for (unsigned i = 0; target && i < target->tile->programs_count; i++) {
        char *path = job_resolve(job->folder, target->tile->programs[i].elf);
        uint64_t l1 = (unsigned)target->tile->programs[i].core == BH_CORE_DRISC ? BH_DRISC_L1 : 0;
        bool overlaps = path && region->address >= l1 &&
                        elf_overlaps(path, region->address - l1, region->address - l1 + region->size);
        free(path);
        if (overlaps) {
            return schema_fail(job->file->schema, &input->place.address, error, BH_ERROR_FORMAT,
                               "input %s (0x%" PRIx64 ", %zu bytes) overlaps the program %s", input->file,
                               input->place.address, region->size, target->tile->programs[i].elf);
        }
    }
    return BH_OK;
}

/* Writes the bytes of one input to its region. */
static enum bh_status write_bytes(struct inputs *inputs, const struct job_target *target, const struct job_input *input,
                                  const struct job_region *region, const uint8_t *bytes, struct bh_error *error)
{
    const struct bh_job *job = inputs->job;
    enum bh_status status = job_region_check(job, region, &input->place.address, input->file, error);
    if (status == BH_OK) {
        status = check_overlap(inputs, target, input, region, error);
    }
    if (status != BH_OK) {
        return status;
    }
    status = job_region_write(inputs->device, region, bytes);
    if (status != BH_OK) {
        return schema_fail(job->file->schema, &input->place.address, error, status,
                           "input %s of %zu bytes can not be written to 0x%" PRIx64 " of %s: %s", input->file,
                           region->size, input->place.address, job_region_name(region).text, bh_status_name(status));
    }
    inputs->written[inputs->count++] = (struct written){input, *region};
    return BH_OK;
}

/* Writes one input: of a tile, or, when target is null, in DRAM. */
static enum bh_status write_input(struct inputs *inputs, const struct job_target *target, const struct job_input *input,
                                  struct bh_error *error)
{
    const struct bh_job *job = inputs->job;
    struct bh_array array = {};
    struct job_region region = {};
    enum bh_status status = job_read_array(job, &input->file, &array, error);
    if (status != BH_OK) {
        return status;
    }
    size_t size = job_tensor_size(input->format, array.rows, array.columns);
    uint8_t *bytes = malloc(size ? size : 1);
    if (!bytes || size > UINT32_MAX) {
        status = schema_fail(job->file->schema, &input->file, error, BH_ERROR_MEMORY, "%s: too large", input->file);
    } else if ((status = bh_tensor_to_device(&array, input->format, input->layout, bytes)) != BH_OK) {
        bool uneven = input->layout == BH_TILES && (array.rows % 32 || array.columns % 32);
        schema_fail(job->file->schema, &input->file, error, status, "%s%s: a %zux%zu array of %s can not %s%s",
                    input->file[0] == '/' ? "" : job->folder, input->file, array.rows, array.columns,
                    bh_host_type_name(array.type),
                    uneven ? "be cut into tiles: rows and columns must be multiples of 32" : "become ",
                    uneven ? "" : bh_format_name(input->format));
    } else if (target) {
        region = job_tile_region(target, &input->place, size);
    } else {
        status = job_dram_region(job, &input->place, job_page_size(input->format, input->layout, array.columns), size,
                                 input->file, &region, error);
    }
    if (status == BH_OK) {
        status = write_bytes(inputs, target, input, &region, bytes, error);
    }
    free(bytes);
    free(array.data);
    return status;
}

enum bh_status job_write_inputs(const struct bh_job *job, const struct job_launcher *launcher, struct bh_device *device,
                                struct bh_error *error)
{
    const struct job_dram *dram = &job->file->dram;
    size_t count = dram->inputs_count;
    for (unsigned i = 0; i < job->targets_count; i++) {
        count += job->targets[i].tile->inputs_count;
    }
    struct inputs inputs = {job, launcher, device, calloc(count + 1, sizeof *inputs.written), 0};
    if (!inputs.written) {
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    enum bh_status status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < job->targets_count; i++) {
        const struct job_tile *tile = job->targets[i].tile;
        for (unsigned j = 0; status == BH_OK && j < tile->inputs_count; j++) {
            status = write_input(&inputs, &job->targets[i], &tile->inputs[j], error);
        }
    }
    for (unsigned i = 0; status == BH_OK && i < dram->inputs_count; i++) {
        status = write_input(&inputs, NULL, &dram->inputs[i], error);
    }
    free(inputs.written);
    return status;
}
