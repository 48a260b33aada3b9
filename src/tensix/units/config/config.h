/* The configuration unit, and the configuration that all units read: Config in two banks with global registers in both,
   and ThreadConfig for each thread. The fields are those of tables/config.def.
   Sources: chapters "config sync instructions", "gpr and dma instructions"; ISA documentation BackendConfiguration.md.
 */
#ifndef BHEMU_TENSIX_UNITS_CONFIG_CONFIG_H
#define BHEMU_TENSIX_UNITS_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

struct tensix;

enum {
    CONFIG_BANKS = 2,
    CFG_STATE_SIZE = 56,
    CONFIG_WORDS = CFG_STATE_SIZE * 4,
    THD_STATE_SIZE = 68,
    THCON_CFGREG_BASE_ADDR32 = 64,   /* the first word with fields named THCON_ */
    GLOBAL_CFGREG_BASE_ADDR32 = 180, /* the first global word: one register, seen in both banks */
};

/* Layout, in words, of the window through which RISC-V cores and the mover see configuration: Config[0], Config[1],
   ConfigDualWrite, ThreadConfig of each thread. */
enum {
    CONFIG_WINDOW_DUAL_WRITE = CONFIG_BANKS * CONFIG_WORDS,
    CONFIG_WINDOW_THREADS = CONFIG_WINDOW_DUAL_WRITE + CONFIG_WORDS,
    CONFIG_WINDOW_END = CONFIG_WINDOW_THREADS + 3 * THD_STATE_SIZE,
};

/* NAME_ADDR32, NAME_SHAMT and NAME_WIDTH of every field, named as the vendor's cfg_defines.h names them. */
enum config_field_constants {
#define CONFIG_FIELD(name, address, shift, width)                                                                      \
    name##_ADDR32 = (address), name##_SHAMT = (shift), name##_WIDTH = (width),
#define THREAD_CONFIG_FIELD(name, address, shift, width)                                                               \
    name##_ADDR32 = (address), name##_SHAMT = (shift), name##_WIDTH = (width),
#include "config.def"
#undef CONFIG_FIELD
#undef THREAD_CONFIG_FIELD
};

/* NAME_MASK of every field: its bits in its word. */
enum config_field_masks {
#define CONFIG_FIELD(name, address, shift, width) name##_MASK = (uint32_t)(((UINT64_C(1) << (width)) - 1) << (shift)),
#define THREAD_CONFIG_FIELD CONFIG_FIELD
#include "config.def"
#undef CONFIG_FIELD
#undef THREAD_CONFIG_FIELD
};

struct config_unit {
    uint32_t bank[CONFIG_BANKS][CONFIG_WORDS];
    uint16_t thread[3][THD_STATE_SIZE];
    bool thcon_in_reset; /* soft reset holds THCON configuration (the words up to the global ones) */
};

/* The value of field NAME in `words`: a bank of Config, or a thread's ThreadConfig. */
#define CONFIG_GET(words, name)                                                                                        \
    (((uint32_t)(words)[name##_ADDR32] >> name##_SHAMT) & (uint32_t)((UINT64_C(1) << name##_WIDTH) - 1))

/* The bank of Config that `thread` uses: Config[StateID] of the documentation. */
static inline const uint32_t *config_bank(const struct config_unit *config, unsigned thread)
{
    return config->bank[CONFIG_GET(config->thread[thread], CFG_STATE_ID_StateID)];
}

/* Writes a word of Config: global registers go to both banks, some have side effects. `index` < CONFIG_WORDS. `bits`:
   the bits to write; all, except for RMWCIB. */
void config_write(struct tensix *tensix, unsigned bank, uint32_t index, uint32_t value, uint32_t bits);

/* Writes a word of the window: to one bank, or, in ConfigDualWrite, to both. Words held in soft reset are not written;
   only this function checks that, since no instruction executes meanwhile. `index` < CONFIG_WINDOW_THREADS. */
void config_window_write(struct tensix *tensix, uint32_t index, uint32_t value);

/* Writes a word of ThreadConfig, for SETC16, which is the only way to write it. `index` < THD_STATE_SIZE. */
void thread_config_write(struct tensix *tensix, unsigned thread, uint32_t index, uint16_t value);

/* Side effects of configuration in other units. */

/* Seeds the pseudo-random number generators of the vector unit, after a write of PRNG_SEED_Seed_Val. */
void vector_seed_prng(struct tensix *tensix, uint32_t seed);

/* Resets the thread's configuration context counters in both unpackers, after a write of UNPACK_MISC_CFG. */
void unpack_reset_context_counters(struct tensix *tensix, unsigned thread);

#endif
