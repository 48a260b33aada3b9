/* The messages between the host, B and the other cores of a tile. Source: chapter "firmware upload". */
#ifndef BHEMU_KERNELS_METAL_MESSAGES_H
#define BHEMU_KERNELS_METAL_MESSAGES_H

#include "layout.h"
#include "mmio.h"

enum metal_processor { METAL_B, METAL_NC, METAL_T0, METAL_T1, METAL_T2, METAL_PROCESSORS };

enum metal_signal {
    SIGNAL_DONE = 0,
    SIGNAL_INIT = 0x40,
    SIGNAL_GO = 0x80,
    SIGNAL_REWIND = 0xc0,
    SIGNAL_REWIND_BY_HOST = 0xe0
};
enum metal_run { RUN_DONE = 0, RUN_LOAD = 1, RUN_CLEAR_COUNTERS = 3, RUN_INIT = 0x40, RUN_GO = 0x80 };
enum { LAUNCH_BY_DEVICE = 0, LAUNCHES = 8 };
enum { METAL_PRELOAD = 0x80, METAL_KINDS = 3 };

struct go_message {
    uint8_t counter, dispatcher_x, dispatcher_y, signal;
};

struct arguments_offset {
    uint16_t unique, common;
};

struct launch_message {
    uint32_t config[METAL_KINDS]; /* Tensix first */
    uint16_t semaphores[METAL_KINDS], buffers, remote_buffers;
    struct arguments_offset arguments[METAL_PROCESSORS];
    uint8_t mode, unused;
    uint32_t kernels[METAL_PROCESSORS], buffer_mask;
    uint8_t noc, noc_mode, first_remote_buffer, unused_too;
    uint32_t id, enables;
    uint16_t watcher_ids[METAL_PROCESSORS], ncrisc_size;
    uint8_t origin_x, origin_y, unused_three, preload;
};
_Static_assert(sizeof(struct launch_message) == 96, "as the chapter has it");

static inline volatile struct launch_message *launch_message(uint32_t index)
{
    return (volatile struct launch_message *)METAL_LAUNCH + index;
}

static inline volatile uint8_t *run_state(enum metal_processor processor)
{
    return (volatile uint8_t *)METAL_RUN_STATES + processor - METAL_NC;
}

/* The data cache must not answer for what others write. */
static inline uint8_t load_shared_byte(const volatile uint8_t *address)
{
    __asm__ volatile("fence" : : : "memory");
    return *address;
}

/* Waits until a core is told to do something, and returns what. */
static inline uint8_t wait_to_run(enum metal_processor processor)
{
    uint8_t state;
    while ((state = load_shared_byte(run_state(processor))) == RUN_DONE || state == RUN_INIT) {
    }
    return state;
}

#endif
