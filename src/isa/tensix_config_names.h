/* The names of the configuration fields that an instruction addresses, for listings. From tables/config.def. */
#ifndef BHEMU_ISA_TENSIX_CONFIG_NAMES_H
#define BHEMU_ISA_TENSIX_CONFIG_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A field as tables/config.def has it. */
struct tensix_config_field {
    char name[61];
    uint16_t address; /* of the 32-bit register */
    uint8_t shift, width;
};

/* The fields of ThreadConfig, or of Config, in the order of the table. */
const struct tensix_config_field *tensix_config_fields(bool thread, size_t *count);

/* Writes the names, separated by blanks: of the ThreadConfig fields that a SETC16 sets, of the Config fields that an
   RMWCIB changes, that a WRCFG, STREAMWRCFG or CFGSHIFTMASK writes or a RDCFG reads. Fields past the room, or past the
   first few, are counted as "+N". Returns the length written, 0: not such an instruction, or an address without a name.
 */
size_t tensix_config_names(uint32_t word, char *buffer, size_t size);

#endif
