/* Translated code of a device, or of all devices of a system in one process: cores of all tiles that execute the same
   instructions at the same address share it. Which instructions are executed often is found out by looking where cores
   are when their turns end.

   Code is written into a room, a page or more at a time, which are never written again before all of it is forgotten.
   Where the host does not allow to execute it nothing is translated. */
#ifndef BHEMU_RV32_TRANSLATOR_H
#define BHEMU_RV32_TRANSLATOR_H

#include <pthread.h>

#include "rv32/translate.h"

enum { TRANSLATOR_ENTRIES = UINT16_MAX };

struct translated_region;

struct rv32_translator {
    pthread_mutex_t mutex;
    uint8_t *room;                   /* null until something is translated */
    struct translated_place *places; /* by entries of struct l1 */
    uint32_t used, entries;
    _Atomic bool off;  /* no memory, or the host is not supported */
    _Atomic bool full; /* translator_forget() makes room */
    struct translate_shared shared;
    struct translated_region *translations;
};

void translator_create(struct rv32_translator *translator);
void translator_destroy(struct rv32_translator *translator);

/* Discards all translations; no core may be executing, and no L1 may have entries. */
void translator_forget(struct rv32_translator *translator);

/* Translates the code at the core's pc, if it is worth it. Unless `often`, it only uses a translation made for another
   core. `heat` is the index in struct rv32_heat. */
void translator_heated(struct rv32 *rv32, unsigned heat, bool often);

/* Samples the pc at the end of a core's turn that retired all of `budget` instructions. */
static inline void translator_sample(struct rv32 *rv32, uint32_t budget)
{
    enum { WORTH_IT = 64, BLOCK = 256, OFTEN = 16, SOME = 2 };
    if (rv32->translator && budget >= WORTH_IT) {
        unsigned heat = rv32->core->pc / BLOCK % RV32_HEATS;
        unsigned ends = ++rv32->heat.ends[heat];
        if (__builtin_expect(ends % SOME == 0, 0)) {
            translator_heated(rv32, heat, ends % OFTEN == 0);
        }
    }
}

/* The offset at which translated code for `pc` is entered, as entries of L1 have it; 0: none. */
uint32_t translator_entry(const struct rv32_translator *translator, const struct l1 *l1, uint32_t pc);

/* Executes the translated code for `pc`, with `left` instructions left of the core's turn, at whose end the core has
   retired instret_at_end instructions. Returns the value of translated_code. */
uint64_t rv32_run_translated(struct rv32 *rv32, uint32_t pc, uint32_t left, uint64_t instret_at_end);

#endif
