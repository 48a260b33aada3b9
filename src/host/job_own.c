/* What a job's programs own, told to the checker. */
#include <stdio.h>
#include <stdlib.h>

#include "host/elf_load.h"
#include "host/job_input.h"
#include "util/fail.h"

struct owner {
    const struct bh_job *job;
    struct bh_check *check;
    struct bh_error *error;
    struct noc_translation translation;
};

static enum bh_status own(const struct owner *owner, unsigned x, unsigned y, struct bh_check_owned owned)
{
    unsigned noc_x, noc_y;
    if (!noc_translate(&owner->translation, x, y, &noc_x, &noc_y)) {
        return BH_OK; /* running the job says what is wrong with that */
    }
    owned.x = (uint8_t)noc_x;
    owned.y = (uint8_t)noc_y;
    enum bh_status status = bh_check_own(owner->check, &owned);
    return status == BH_ERROR_MEMORY ? fail(owner->error, status, "out of memory") : BH_OK;
}

static enum bh_status own_region(const struct owner *owner, const struct job_region *region, const char *role,
                                 const char *file)
{
    char name[200];
    (void)snprintf(name, sizeof name, "%s %.150s", role, file);
    enum bh_status status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < job_region_extents(region); i++) {
        struct job_extent extent = job_region_extent(region, i);
        enum { FIRST_ROW_OF_DRAM = 12 };
        bool dram = extent.y >= FIRST_ROW_OF_DRAM && extent.x >= 17;
        status = own(owner, extent.x, extent.y,
                     (struct bh_check_owned){.kind = BH_CHECK_BUFFER,
                                             .space = dram ? BH_SPACE_DRAM : BH_SPACE_L1,
                                             .address = extent.first,
                                             .size = extent.end - extent.first,
                                             .name = name});
    }
    return status;
}

/* target is null for a tensor in DRAM. */
static enum bh_status own_tensor(const struct owner *owner, const struct job_target *target,
                                 const struct job_place *place, const size_t shape[2], enum bh_format format,
                                 enum bh_layout layout, const char *role, const char *file)
{
    size_t size = job_tensor_size(format, shape[0], shape[1]);
    struct job_region region;
    enum bh_status status = BH_OK;
    if (target) {
        region = job_tile_region(target, place, size);
    } else {
        status = job_dram_region(owner->job, place, job_page_size(format, layout, shape[1]), size, file, &region,
                                 owner->error);
    }
    return status == BH_OK ? own_region(owner, &region, role, file) : status;
}

static enum bh_status own_tensors(const struct owner *owner, const struct job_target *target,
                                  const struct job_input *inputs, unsigned inputs_count,
                                  const struct job_output *outputs, unsigned outputs_count)
{
    enum bh_status status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < inputs_count; i++) {
        struct bh_array array = {};
        status = job_read_array(owner->job, &inputs[i].file, &array, owner->error);
        free(array.data);
        if (status == BH_OK) {
            status = own_tensor(owner, target, &inputs[i].place, (size_t[]){array.rows, array.columns},
                                inputs[i].format, inputs[i].layout, "input", inputs[i].file);
        }
    }
    for (unsigned i = 0; status == BH_OK && i < outputs_count; i++) {
        const struct job_output *output = &outputs[i];
        status = own_tensor(owner, target, &output->place, (size_t[]){output->shape[0], output->shape[1]},
                            output->format, output->layout, "output", job_output_name(output));
    }
    return status;
}

/* The programs of a tile, and what a launch gives them. */
static enum bh_status own_programs(const struct owner *owner, const struct job_target *target)
{
    unsigned x, y;
    if (!noc_translate(&owner->translation, target->x, target->y, &x, &y)) {
        return BH_OK;
    }
    if (owner->job->file->launch.kind == JOB_TT_METAL) {
        return job_launcher_own(owner->job, target, x, y, owner->check, owner->error);
    }
    enum bh_status status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < target->tile->programs_count; i++) {
        const struct job_program *program = &target->tile->programs[i];
        char *path = job_resolve(owner->job->folder, program->elf);
        status = path ? elf_own(path, x, y, program->core, false, owner->check) : BH_ERROR_MEMORY;
        free(path);
    }
    return status == BH_OK ? BH_OK : fail(owner->error, status, "out of memory");
}

static enum bh_status own_all(const struct bh_job *job, struct bh_check *check, struct bh_error *error)
{
    struct owner owner = {.job = job, .check = check, .error = error};
    noc_translation_create(&owner.translation, job->tiles);
    const struct job_dram *dram = &job->file->dram;
    enum bh_status status =
        own_tensors(&owner, NULL, dram->inputs, dram->inputs_count, dram->outputs, dram->outputs_count);
    for (unsigned i = 0; status == BH_OK && i < job->targets_count; i++) {
        const struct job_tile *tile = job->targets[i].tile;
        status =
            own_tensors(&owner, &job->targets[i], tile->inputs, tile->inputs_count, tile->outputs, tile->outputs_count);
        if (status == BH_OK) {
            status = own_programs(&owner, &job->targets[i]);
        }
    }
    return status;
}

enum bh_status bh_job_own(const struct bh_job *job, unsigned chip, struct bh_check *check, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    if (!job || !check) {
        return fail(error, BH_ERROR_ARGUMENT, "no job, or no checker");
    }
    for (unsigned i = 0; status == BH_OK && i < job->parts_count; i++) {
        status = job->parts[i].chip == chip ? own_all(&job->parts[i], check, error) : BH_OK;
    }
    return job->parts_count ? status : own_all(job, check, error);
}
