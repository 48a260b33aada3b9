/* What a launch by tt-metal's firmware gives the kernels of a tile, told to the checker (bhemu/check.h): circular
   buffers and arguments, as its message and its kernel configuration say, and the kernels themselves. */
#ifndef BHEMU_HOST_METAL_OWN_H
#define BHEMU_HOST_METAL_OWN_H

#include "bhemu/check.h"
#include "host/metal_launch.h"

/* x, y: coordinates of NoC 0. BH_ERROR_MEMORY. */
enum bh_status metal_own(struct bh_check *check, unsigned x, unsigned y, const struct metal_firmware *firmware,
                         const struct metal_program *program, const struct metal_launch *launch);

/* The circular buffers alone, as a launch message says. `config` are the bytes of L1 from its kernel configuration on.
 */
enum bh_status metal_own_buffers(struct bh_check *check, unsigned x, unsigned y, const struct metal_layout *layout,
                                 const uint8_t *message, const uint8_t *config, uint32_t config_size);

#endif
