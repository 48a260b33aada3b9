/* What a device has of translated code: cores of all its tiles that execute the same instructions at the same address
   share it. Which instructions are executed often is found out by looking where cores are when their turns end.

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
    _Atomic bool off;  /* for want of memory, or of a host that it is for */
    _Atomic bool full; /* translator_forget() makes room */
    struct translate_shared shared;
    struct translated_region *translations;
};

void translator_create(struct rv32_translator *translator);
void translator_destroy(struct rv32_translator *translator);

/* Forgets all; no core may be executing, and no L1 have anything translated. */
void translator_forget(struct rv32_translator *translator);

/* Has what is at the core's pc translated, if that is worth it, or, unless `often`, only if it was translated for
   another core already; `heat` is its place in struct rv32_heat. */
void translator_heated(struct rv32 *rv32, unsigned heat, bool often);

/* A core's turn ends: it had enough to do to retire `budget` instructions. */
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

/* Where L1 has that translated code is entered at `pc`; 0: nowhere. */
uint32_t translator_entry(const struct rv32_translator *translator, const struct l1 *l1, uint32_t pc);

/* Executes translated code, of which there is some at `pc`, with `left` of the core's turn, at whose end the core has
   retired instret_at_end. Returns what translated_code does. */
uint64_t rv32_run_translated(struct rv32 *rv32, uint32_t pc, uint32_t left, uint64_t instret_at_end);

#endif
