/* Files: ELF, jobs, .npy. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bhemu/device.h"
#include "bhemu/job.h"
#include "bhemu/program.h"
#include "fuzz.h"
#include "host/job_output.h"
#include "host/metal_kernel.h"
#include "host/npy.h"
#include "host/source_lines.h"

struct memory_file {
    int descriptor;
    char path[32];
};

static struct memory_file open_memory(const uint8_t *bytes, size_t size)
{
    struct memory_file file = {.descriptor = memfd_create("fuzz", MFD_CLOEXEC)};
    if (file.descriptor < 0 || write(file.descriptor, bytes, size) != (ssize_t)size) {
        abort();
    }
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.descriptor);
    return file;
}

/* As a kernel that tt-metal's firmware launches. */
static void place_kernel(const char *path)
{
    struct metal_kernel kernel;
    struct bh_error error = {};
    enum bh_status status = metal_kernel_open(&kernel, path, &error);
    if (status == BH_OK) {
        uint8_t *image = malloc(kernel.size);
        status = metal_kernel_place(&kernel, 0x12340, image, &error);
        free(image);
    }
    if (status != BH_OK && !error.text[0]) {
        abort();
    }
    metal_kernel_close(&kernel);
}

void fuzz_elf(const uint8_t *bytes, size_t size)
{
    static struct bh_device *device;
    static const enum bh_core cores[] = {BH_CORE_B, BH_CORE_T0, BH_CORE_NC};
    struct memory_file file = open_memory(bytes, size);
    if (!device && bh_device_create(NULL, &device) != BH_OK) {
        abort();
    }
    for (unsigned i = 0; i < 3; i++) {
        uint32_t entry = 0;
        struct bh_error error = {};
        enum bh_status status = bh_load_elf(device, 1, 2, cores[i], file.path, &entry, &error);
        if (status != BH_OK && !error.text[0]) {
            abort();
        }
    }
    place_kernel(file.path);
    char source[200];
    for (uint32_t pc = 0; pc < 0x20000; pc += 0x1a04) {
        (void)source_line(file.path, pc, source, sizeof source);
    }
    close(file.descriptor);
}

void fuzz_job(const uint8_t *bytes, size_t size)
{
    struct memory_file file = open_memory(bytes, size);
    struct bh_job *job;
    struct bh_error error = {};
    if (bh_job_load(file.path, &job, &error) != BH_OK) {
        if (!error.text[0]) {
            abort();
        }
        close(file.descriptor);
        return;
    }
    /* Nothing is written where a random name says. */
    for (unsigned i = 0; i < job->file->tiles_count; i++) {
        for (unsigned j = 0; j < job->file->tiles[i].outputs_count; j++) {
            free(job->file->tiles[i].outputs[j].file);
            job->file->tiles[i].outputs[j].file = NULL;
        }
    }
    for (unsigned i = 0; i < job->file->dram.outputs_count; i++) {
        free(job->file->dram.outputs[i].file);
        job->file->dram.outputs[i].file = NULL;
    }
    struct bh_job_options options = {.policy = -1, .limit = 2000};
    struct bh_job_result result;
    if (bh_job_run(job, &options, &result, &error) != BH_OK && !error.text[0]) {
        abort();
    }
    bh_job_free(job);
    close(file.descriptor);
}

void fuzz_npy(const uint8_t *bytes, size_t size)
{
    struct memory_file file = open_memory(bytes, size);
    struct bh_array array;
    struct bh_error error = {};
    enum bh_status status = npy_read(file.path, &array, &error);
    close(file.descriptor);
    if (status != BH_OK) {
        if (!error.text[0]) {
            abort();
        }
        return;
    }
    size_t count = array.rows * array.columns;
    uint8_t *tensor = count <= 1 << 20 ? malloc(count * 8 + 1) : NULL;
    for (unsigned format = 0; tensor && format < BH_FORMAT_COUNT; format++) {
        for (unsigned layout = BH_ROWS; layout <= BH_TILES; layout++) {
            if (bh_tensor_to_device(&array, (enum bh_format)format, (enum bh_layout)layout, tensor) == BH_OK) {
                (void)bh_tensor_from_device(tensor, (enum bh_format)format, (enum bh_layout)layout, &array);
            }
        }
    }
    free(tensor);
    free(array.data);
}
