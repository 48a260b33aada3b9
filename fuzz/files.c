/* Files: ELF, jobs, .npy. */
#include <stdio.h>
#include <stdlib.h>

#include "bhemu/device.h"
#include "bhemu/job.h"
#include "bhemu/program.h"
#include "fuzz.h"
#include "host/job_output.h"
#include "host/metal_kernel.h"
#include "host/npy.h"
#include "host/source_lines.h"
#include "memory_file.h"

/* Places it like a kernel that tt-metal's firmware launches. */
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
    /* Writes no file: names are random. */
    for (unsigned i = 0; i < job->file->tiles_count; i++) {
        for (unsigned j = 0; j < job->file->tiles[i].outputs_count; j++) {
            job->file->tiles[i].outputs[j].file = NULL;
        }
    }
    for (unsigned i = 0; i < job->file->dram.outputs_count; i++) {
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

/* A job that boots the project's firmware, with this file as firmware of B, and launches a kernel on these cores. */
static int launch_job(char *text, size_t size, const char *firmware, const char *kernel, const char *const *cores,
                      unsigned count)
{
    static const char others[] = "    - {core: NC, elf: " FUZZ_KERNELS "/metal.ncrisc.elf}\n"
                                 "    - {core: T0, elf: " FUZZ_KERNELS "/metal.trisc0.elf}\n"
                                 "    - {core: T1, elf: " FUZZ_KERNELS "/metal.trisc1.elf}\n"
                                 "    - {core: T2, elf: " FUZZ_KERNELS "/metal.trisc2.elf}\n"
                                 "tiles:\n  - at: [1, 2]\n    semaphores: [0]\n"
                                 "    buffers: [{index: 3, address: 0x30000, pages: 2, page: 32}]\n";
    int length =
        snprintf(text, size, "limit: 100000\nlaunch:\n  kind: tt-metal\n  firmware:\n    - {core: B, elf: %s}\n%s%s",
                 firmware, others, count ? "    kernels:\n" : "");
    for (unsigned i = 0; i < count; i++) {
        length += snprintf(text + length, size - (size_t)length, "      - {core: %s, elf: %s}\n", cores[i], kernel);
    }
    return length;
}

/* Where a kernel has stopped is looked up in its source lines. */
static void look_up(void *context, const struct bh_diagnostic *diagnostic)
{
    struct bh_place place = {.agent = diagnostic->agent, .index = diagnostic->index, .pc = diagnostic->pc};
    char source[200];
    (void)bh_job_source(context, 0, 1, 2, &place, source, sizeof source);
}

void fuzz_launch(const uint8_t *bytes, size_t size)
{
    static const char *const cores[] = {"B", "NC", "T0", "T1", "T2"};
    static const struct {
        unsigned first, count;
    } choices[] = {{0, 1}, {1, 1}, {2, 3}, {0, 0}};
    unsigned choice = size % 4, count = choices[choice].count;
    char text[2000];
    struct memory_file kernel = open_memory(bytes, size);
    int length = launch_job(text, sizeof text, count ? FUZZ_KERNELS "/metal.brisc.elf" : kernel.path, kernel.path,
                            cores + choices[choice].first, count);
    struct memory_file file = open_memory(text, (size_t)length);
    struct bh_job *job = NULL;
    struct bh_error error = {};
    enum bh_status status = bh_job_load(file.path, &job, &error);
    if (status == BH_OK) {
        struct bh_job_options options = {
            .policy = size & 8 ? BH_POLICY_SILICON : -1, .on_diagnostic = look_up, .context = job};
        struct bh_job_result result;
        status = bh_job_run(job, &options, &result, &error);
    }
    if (status != BH_OK && !error.text[0]) {
        abort();
    }
    bh_job_free(job);
    close(file.descriptor);
    close(kernel.descriptor);
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
