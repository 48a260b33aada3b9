#include "host/metal_launch.h"

#include <stdlib.h>
#include <string.h>

#include "host/metal_kernel.h"
#include "util/fail.h"

enum { ALIGNMENT = 16, BUFFER_BYTES = 16, SEMAPHORE_BYTES = 16 };
enum { MODE_DEVICE = 0, MODE_HOST = 1 };

/* Where the parts are, counted from the beginning of the kernel configuration. */
struct plan {
    uint32_t unique[BH_CORE_COUNT], common[BH_CORE_COUNT], semaphores, buffers, kernels[BH_CORE_COUNT];
    uint32_t listed; /* circular buffers up to the last that is used */
    uint64_t mask;   /* those that are used */
    uint32_t size;
};

static uint32_t aligned(uint64_t value)
{
    return (uint32_t)((value + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

/* A part of so many bytes, behind all before it. */
static uint32_t reserve(struct plan *plan, uint64_t bytes)
{
    uint32_t at = plan->size;
    plan->size = aligned(at + bytes);
    return at;
}

static enum bh_status plan_buffers(const struct metal_firmware *firmware, const struct metal_program *program,
                                   struct plan *plan, struct bh_error *error)
{
    for (unsigned i = 0; i < program->buffers_count; i++) {
        const struct metal_buffer *buffer = &program->buffers[i];
        const char *wrong = NULL;
        if (buffer->index >= metal_buffers(&firmware->layout)) {
            wrong = "has a number that this firmware does not have";
        } else if (plan->mask >> buffer->index & 1) {
            wrong = "is there twice";
        } else if (buffer->pages == 0 || buffer->page == 0 || buffer->page % ALIGNMENT || buffer->address % ALIGNMENT) {
            wrong = "has no pages, or they or its address are no multiple of 16 bytes";
        } else if (buffer->address >= L1_BYTES || buffer->pages > (L1_BYTES - buffer->address) / buffer->page) {
            wrong = "does not fit into L1";
        }
        if (wrong) {
            return fail(error, BH_ERROR_FORMAT, "circular buffer %u (%u pages of %u bytes at 0x%x) %s", buffer->index,
                        buffer->pages, buffer->page, buffer->address, wrong);
        }
        plan->mask |= 1ull << buffer->index;
        plan->listed = buffer->index >= plan->listed ? buffer->index + 1 : plan->listed;
    }
    return BH_OK;
}

static enum bh_status make_plan(const struct metal_firmware *firmware, const struct metal_program *program,
                                const struct metal_kernel kernels[BH_CORE_COUNT], struct plan *plan,
                                struct bh_error *error)
{
    *plan = (struct plan){};
    enum bh_status status = plan_buffers(firmware, program, plan, error);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        plan->unique[metal_core(i)] = reserve(plan, 4ull * program->unique[metal_core(i)].count);
    }
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        plan->common[metal_core(i)] = reserve(plan, 4ull * program->common[metal_core(i)].count);
    }
    plan->semaphores = reserve(plan, (uint64_t)SEMAPHORE_BYTES * program->semaphores.count);
    plan->buffers = reserve(plan, (uint64_t)BUFFER_BYTES * plan->listed);
    if (status == BH_OK && plan->size > UINT16_MAX) { /* the launch message has half-words for these */
        status = fail(error, BH_ERROR_FORMAT, "arguments, semaphores and circular buffers take 64 KiB or more");
    }
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        enum bh_core core = metal_core(i);
        plan->kernels[core] = program->kernels[core] ? reserve(plan, kernels[core].size) : 0;
    }
    if (status == BH_OK && plan->size > L1_BYTES - firmware->layout.end) {
        status =
            fail(error, BH_ERROR_FORMAT, "kernels and what they are given take %u bytes: more than L1 has", plan->size);
    }
    return status;
}

static enum bh_status check_buffers(const struct metal_firmware *firmware, const struct metal_program *program,
                                    const struct plan *plan, struct bh_error *error)
{
    uint32_t end = firmware->layout.end + plan->size;
    for (unsigned i = 0; i < program->buffers_count; i++) {
        if (program->buffers[i].address < end) {
            return fail(error, BH_ERROR_FORMAT,
                        "circular buffer %u begins at 0x%x, where the firmware and the kernels are: they end at 0x%x",
                        program->buffers[i].index, program->buffers[i].address, end);
        }
    }
    return BH_OK;
}

static void put_word(uint8_t *place, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++) {
        place[i] = (uint8_t)(word >> 8 * i);
    }
}

static void put_words(uint8_t *place, const struct metal_words *words, unsigned stride)
{
    for (unsigned i = 0; i < words->count; i++) {
        put_word(place + (size_t)i * stride, words->values[i]);
    }
}

static void write_message(const struct metal_firmware *firmware, const struct metal_program *program,
                          const struct plan *plan, uint8_t *message)
{
    const struct metal_layout *layout = &firmware->layout;
    uint32_t enables = 0;
    for (unsigned i = 0; i < metal_kinds(layout); i++) {
        metal_put(layout, message, METAL_kernel_config_base, i, layout->end);
        metal_put(layout, message, METAL_sem_offset, i, plan->semaphores);
    }
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        enum bh_core core = metal_core(i);
        metal_put(layout, message, METAL_rta_offset, 2 * i, plan->unique[core]);
        metal_put(layout, message, METAL_rta_offset, 2 * i + 1, plan->common[core]);
        metal_put(layout, message, METAL_kernel_text_offset, i, plan->kernels[core]);
        enables |= program->kernels[core] ? 1u << i : 0;
    }
    metal_put(layout, message, METAL_local_cb_offset, 0, plan->buffers);
    metal_put(layout, message, METAL_remote_cb_offset, 0, plan->buffers + BUFFER_BYTES * plan->listed);
    metal_put(layout, message, METAL_local_cb_mask, 0, plan->mask);
    metal_put(layout, message, METAL_min_remote_cb_start_index, 0, metal_buffers(layout)); /* none */
    metal_put(layout, message, METAL_mode, 0, program->by_device ? MODE_DEVICE : MODE_HOST);
    metal_put(layout, message, METAL_brisc_noc_id, 0, program->noc);
    metal_put(layout, message, METAL_enables, 0, enables);
}

static enum bh_status fill(const struct metal_firmware *firmware, const struct metal_program *program,
                           const struct metal_kernel kernels[BH_CORE_COUNT], const struct plan *plan,
                           struct metal_launch *launch, struct bh_error *error)
{
    launch->config_size = plan->size;
    launch->config = calloc(1, plan->size + 1);
    if (!launch->config) {
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    enum bh_status status = BH_OK;
    for (unsigned core = 0; status == BH_OK && core < BH_CORE_COUNT; core++) {
        put_words(launch->config + plan->unique[core], &program->unique[core], 4);
        put_words(launch->config + plan->common[core], &program->common[core], 4);
        if (program->kernels[core]) {
            launch->linked[core] = metal_kernel_linked(&kernels[core]);
            launch->placed[core] = firmware->layout.end + plan->kernels[core];
            launch->sizes[core] = kernels[core].size;
            status =
                metal_kernel_place(&kernels[core], launch->placed[core], launch->config + plan->kernels[core], error);
        }
    }
    put_words(launch->config + plan->semaphores, &program->semaphores, SEMAPHORE_BYTES);
    for (unsigned i = 0; i < program->buffers_count; i++) {
        const struct metal_buffer *buffer = &program->buffers[i];
        uint8_t *place = launch->config + plan->buffers + (size_t)BUFFER_BYTES * buffer->index;
        put_word(place, buffer->address);
        put_word(place + 4, buffer->pages * buffer->page);
        put_word(place + 8, buffer->pages);
        put_word(place + 12, buffer->page);
    }
    write_message(firmware, program, plan, launch->message);
    return status;
}

/* B starts T0, T1 and T2 together. */
static enum bh_status check_kernels(const struct metal_program *program, struct bh_error *error)
{
    unsigned threads = 0;
    for (unsigned core = BH_CORE_T0; core <= BH_CORE_T2; core++) {
        threads += program->kernels[core] != NULL;
    }
    if (threads != 0 && threads != 3) {
        return fail(error, BH_ERROR_FORMAT,
                    "there are kernels for %u of T0, T1 and T2: the firmware starts these cores together, so that all "
                    "three need one, or none",
                    threads);
    }
    return BH_OK;
}

enum bh_status metal_launch_make(const struct metal_firmware *firmware, const struct metal_program *program,
                                 struct metal_launch *launch, struct bh_error *error)
{
    struct metal_kernel kernels[BH_CORE_COUNT];
    struct plan plan;
    unsigned opened = 0;
    enum bh_status status = check_kernels(program, error);
    *launch = (struct metal_launch){};
    for (unsigned core = 0; status == BH_OK && core < BH_CORE_COUNT; core++) {
        if (program->kernels[core]) {
            opened |= 1u << core;
            status = metal_kernel_open(&kernels[core], program->kernels[core], error);
        }
    }
    if (status == BH_OK) {
        status = make_plan(firmware, program, kernels, &plan, error);
    }
    if (status == BH_OK) {
        status = check_buffers(firmware, program, &plan, error);
    }
    if (status == BH_OK) {
        status = fill(firmware, program, kernels, &plan, launch, error);
    }
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        if (opened >> core & 1) {
            metal_kernel_close(&kernels[core]);
        }
    }
    return status;
}

void metal_launch_free(struct metal_launch *launch)
{
    free(launch->config);
    launch->config = NULL;
}

enum bh_status metal_launch_write(const struct metal_firmware *firmware, const struct metal_launch *launch,
                                  struct bh_device *device, unsigned x, unsigned y, unsigned entry)
{
    const struct metal_layout *layout = &firmware->layout;
    unsigned size = metal_message_size(layout);
    enum bh_status status = bh_write(device, x, y, layout->end, launch->config, launch->config_size);
    return status == BH_OK ? bh_write(device, x, y, layout->launch + entry * size, launch->message, size) : status;
}

enum bh_status metal_launch_go(const struct metal_firmware *firmware, struct bh_device *device, unsigned x, unsigned y)
{
    /* Byte 0 is the number of the dispatcher's counter, 1 and 2 are the tile that it is on. */
    uint32_t message = x << 8 | y << 16 | (uint32_t)METAL_SIGNAL_GO << 8 * METAL_SIGNAL_BYTE;
    return bh_write(device, x, y, firmware->layout.go, &message, sizeof message);
}
