#include "host/job_print.h"

#include <stdlib.h>
#include <string.h>

#include "host/elf_file.h"
#include "host/job_input.h"
#include "host/metal_print.h"
#include "util/fail.h"
#include "watch/print_format.h"

/* The address of a print buffer in a segment of a program (tables/print.def): it says itself that it is one. 0: there
   is none. */
static uint32_t buffer_in(const struct elf_file *file, const GElf_Phdr *segment)
{
    static const uint32_t magic[] = {(uint32_t)PRINT_magic, (uint32_t)PRINT_more_magic};
    for (uint64_t at = 0; at + sizeof magic <= segment->p_filesz; at += 4) {
        if (memcmp(file->bytes + segment->p_offset + at, magic, sizeof magic) == 0) {
            return (uint32_t)(segment->p_paddr + at);
        }
    }
    return 0;
}

static uint32_t print_buffer_of(const struct bh_job *job, const struct job_program *program)
{
    char *path = job_resolve(job->folder, program->elf);
    struct elf_file file = {.descriptor = -1};
    uint32_t address = 0;
    size_t count = 0;
    if (path && elf_open(&file, path, NULL) == BH_OK) {
        (void)elf_getphdrnum(file.elf, &count);
    }
    for (size_t i = 0; i < count && !address; i++) {
        GElf_Phdr segment;
        if (elf_is_loaded(&file, i, &segment) && elf_check_segment(&file, &segment, NULL) == BH_OK) {
            address = buffer_in(&file, &segment);
        }
    }
    elf_close(&file);
    free(path);
    return address;
}

static enum bh_status add_buffers(struct job_run *run, const struct job_tile *tile, struct bh_error *error)
{
    const struct bh_job *job = run->job;
    for (unsigned i = 0; i < tile->programs_count; i++) {
        uint32_t address = print_buffer_of(job, &tile->programs[i]);
        enum bh_status status = BH_OK;
        for (unsigned j = 0; address && j < job->targets_count && status == BH_OK; j++) {
            const struct job_target *target = &job->targets[j];
            const uint32_t messages = 0;
            if (target->tile == tile) {
                status = bh_write(run->device, target->x, target->y, PRINT_sequence_word, &messages, sizeof messages);
            }
            if (target->tile == tile && status == BH_OK) {
                status = bh_print_add(run->print, target->x, target->y, tile->programs[i].core, address);
            }
        }
        if (status != BH_OK) {
            return schema_fail(job->file->schema, &tile->programs[i].elf, error, status,
                               "the print buffer at 0x%x can not be read: %s", address, bh_status_name(status));
        }
    }
    return BH_OK;
}

enum bh_status job_print_open(struct job_run *run, struct bh_error *error)
{
    const struct bh_job *job = run->job;
    if (!run->options->on_print) {
        return BH_OK;
    }
    const struct bh_print_options options = {.on_line = run->options->on_print, .context = run->options->context};
    enum bh_status status = run->print ? BH_OK : bh_print_open(run->device, &options, &run->print);
    if (status != BH_OK) {
        return fail(error, status, "prints can not be shown: %s", bh_status_name(status));
    }
    const struct job_tile *last = NULL;
    for (unsigned i = 0; status == BH_OK && i < job->targets_count; i++) {
        const struct job_tile *tile = job->targets[i].tile;
        if (tile != last) { /* those of an entry follow one another */
            status = add_buffers(run, tile, error);
        }
        last = tile;
    }
    return status;
}

void job_print_close(struct job_run *run)
{
    bh_print_close(run->print);
    metal_formats_free(run->formats);
    run->print = NULL;
    run->formats = NULL;
}
