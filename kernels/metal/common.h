/* What the firmwares of all cores do. Source: chapter "firmware upload". */
#ifndef BHEMU_KERNELS_METAL_COMMON_H
#define BHEMU_KERNELS_METAL_COMMON_H

#include "messages.h"
#include "metal.h"

/* What the host has told of the tile. */
static inline void read_place(void)
{
    metal.x = load_shared_byte((const volatile uint8_t *)METAL_LOGICAL_X);
    metal.y = load_shared_byte((const volatile uint8_t *)METAL_LOGICAL_Y);
}

static inline void read_buffers(const volatile struct launch_message *launch)
{
    const volatile uint32_t *words = (const volatile uint32_t *)(launch->config[0] + launch->buffers);
    uint32_t mask = launch->buffer_mask;
    for (uint32_t i = 0; i < METAL_BUFFERS; i++, words += 4) {
        if (mask >> i & 1) {
            metal.buffers[i] = (struct metal_buffer){words[0], words[1], words[2], words[3]};
        }
    }
}

/* Prepares this core for a launch, and returns where its kernel is. */
static inline uint32_t read_launch(const volatile struct launch_message *launch, enum metal_processor processor)
{
    uint32_t config = launch->config[0];
    metal.unique = (const volatile uint32_t *)(config + launch->arguments[processor].unique);
    metal.common = (const volatile uint32_t *)(config + launch->arguments[processor].common);
    metal.semaphores = (volatile uint32_t *)(config + launch->semaphores[0]);
    metal.noc = launch->noc;
    read_buffers(launch);
    return config + launch->kernels[processor];
}

static inline const volatile struct launch_message *next_launch(void)
{
    return launch_message(load_shared((const volatile uint32_t *)METAL_LAUNCH_READ_PTR));
}

static inline void call(uint32_t kernel)
{
    __asm__ volatile("fence" : : : "memory");
    ((void (*)(void))kernel)();
}

static inline void copy_words(void *to, uint32_t from, uint32_t bytes)
{
    uint32_t *words = to;
    const volatile uint32_t *source = (const volatile uint32_t *)from;
    for (uint32_t i = 0; i < (bytes + 3) / 4; i++) {
        words[i] = source[i];
    }
}

/* The tables of banks and coordinates, for cores that use the NoC. */
#define READ_TABLES()                                                                                                  \
    do {                                                                                                               \
        copy_words(&metal_banks, METAL_BANKS, sizeof metal_banks);                                                     \
        copy_words(bank_to_dram_offset, METAL_BANKS + sizeof metal_banks, sizeof bank_to_dram_offset);                 \
        copy_words(bank_to_l1_offset, METAL_BANKS + sizeof metal_banks + sizeof bank_to_dram_offset,                   \
                   sizeof bank_to_l1_offset);                                                                          \
        copy_words(logical_columns, METAL_COLUMNS, sizeof logical_columns);                                            \
        copy_words(logical_rows, METAL_COLUMNS + sizeof logical_columns, sizeof logical_rows);                         \
    } while (0)

#endif
