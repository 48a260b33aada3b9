#include "host/metal_own.h"

#include <string.h>

#include "host/elf_file.h"

enum { ALIGNMENT = 16, BUFFER_BYTES = 16 };

struct owner {
    struct bh_check *check;
    uint8_t x, y;
    const struct metal_layout *layout;
    const uint8_t *message, *config;
    uint32_t config_size, base; /* of the kernel configuration */
};

static struct owner owner_of(struct bh_check *check, unsigned x, unsigned y, const struct metal_layout *layout,
                             const uint8_t *message, const uint8_t *config, uint32_t config_size)
{
    return (struct owner){.check = check,
                          .x = (uint8_t)x,
                          .y = (uint8_t)y,
                          .layout = layout,
                          .message = message,
                          .config = config,
                          .config_size = config_size,
                          .base = (uint32_t)metal_get(layout, message, METAL_kernel_config_base, 0)};
}

static enum bh_status own(const struct owner *owner, struct bh_check_owned owned)
{
    owned.x = owner->x;
    owned.y = owner->y;
    return bh_check_own(owner->check, &owned);
}

static uint32_t word_of(const struct owner *owner, uint32_t offset)
{
    uint32_t word = 0;
    if (offset + sizeof word <= owner->config_size) {
        memcpy(&word, owner->config + offset, sizeof word);
    }
    return word;
}

/* Each is described by its address, its bytes, pages, and bytes of a page, a word each. */
static enum bh_status own_buffers(const struct owner *owner)
{
    uint64_t mask = metal_get(owner->layout, owner->message, METAL_local_cb_mask, 0);
    uint32_t first = (uint32_t)metal_get(owner->layout, owner->message, METAL_local_cb_offset, 0);
    enum bh_status status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < metal_buffers(owner->layout); i++) {
        uint32_t offset = first + BUFFER_BYTES * i;
        uint32_t address = word_of(owner, offset), size = word_of(owner, offset + 4);
        if (mask >> i & 1 && size && address < L1_BYTES && size <= L1_BYTES - address) {
            status = own(owner, (struct bh_check_owned){.kind = BH_CHECK_CIRCULAR_BUFFER,
                                                        .space = BH_SPACE_L1,
                                                        .address = address,
                                                        .size = size,
                                                        .number = (uint8_t)i,
                                                        .pages = word_of(owner, offset + 8),
                                                        .described = owner->base + offset});
        }
    }
    return status;
}

/* Those of one core, and nobody's padding behind them. */
static enum bh_status own_arguments(const struct owner *owner, enum bh_core core, unsigned which,
                                    const struct metal_words *words)
{
    uint32_t offset =
        (uint32_t)metal_get(owner->layout, owner->message, METAL_rta_offset, 2 * metal_processor(core) + which);
    uint32_t size = 4 * words->count, padding = (ALIGNMENT - size % ALIGNMENT) % ALIGNMENT;
    enum bh_status status = own(owner, (struct bh_check_owned){.kind = BH_CHECK_ARGUMENTS,
                                                               .space = BH_SPACE_L1,
                                                               .cores = (uint8_t)(1 << core),
                                                               .address = owner->base + offset,
                                                               .size = size,
                                                               .name = which ? "common arguments" : "arguments"});
    if (status == BH_OK && padding) {
        status = own(owner, (struct bh_check_owned){.kind = BH_CHECK_ARGUMENTS,
                                                    .space = BH_SPACE_L1,
                                                    .address = owner->base + offset + size,
                                                    .size = padding});
    }
    return status;
}

enum bh_status metal_own(struct bh_check *check, unsigned x, unsigned y, const struct metal_firmware *firmware,
                         const struct metal_program *program, const struct metal_launch *launch)
{
    const struct owner owner =
        owner_of(check, x, y, &firmware->layout, launch->message, launch->config, launch->config_size);
    enum bh_status status = own_buffers(&owner);
    for (unsigned core = 0; status == BH_OK && core < BH_CORE_COUNT; core++) {
        if (!launch->sizes[core]) {
            continue;
        }
        status = own_arguments(&owner, (enum bh_core)core, 0, &program->unique[core]);
        if (status == BH_OK) {
            status = own_arguments(&owner, (enum bh_core)core, 1, &program->common[core]);
        }
        if (status == BH_OK) {
            status = own(&owner, (struct bh_check_owned){.kind = BH_CHECK_CODE,
                                                         .space = BH_SPACE_L1,
                                                         .cores = (uint8_t)(1 << core),
                                                         .address = launch->placed[core],
                                                         .size = launch->sizes[core]});
        }
    }
    return status;
}

enum bh_status metal_own_buffers(struct bh_check *check, unsigned x, unsigned y, const struct metal_layout *layout,
                                 const uint8_t *message, const uint8_t *config, uint32_t config_size)
{
    const struct owner owner = owner_of(check, x, y, layout, message, config, config_size);
    return own_buffers(&owner);
}
