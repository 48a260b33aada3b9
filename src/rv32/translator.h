/* Translated code of a device, or of all devices of a system in one process: cores of all tiles that execute the same
   instructions at the same address share it. Which instructions are executed often is found out by looking where cores
   are when their turns end, those of all tiles together: a program that many tiles execute is translated in its first
   turns.

   Code is written into a room, a page or more at a time, which are never written again before all of it is forgotten.
   Where the host does not allow to execute it nothing is translated. */
#ifndef BHEMU_RV32_TRANSLATOR_H
#define BHEMU_RV32_TRANSLATOR_H

#include <pthread.h>

#include "rv32/translate.h"

enum { TRANSLATOR_ENTRIES = UINT16_MAX };

enum { TRANSLATOR_HEATS = 256, TRANSLATOR_WANTS = 256 };

struct translated_region;

/* Of a block of instructions that is not translated. Threads that count at the same time may lose a count. */
struct translator_heat {
    _Atomic uint8_t ends; /* turns that ended there */
    _Atomic uint8_t cold; /* attempts to translate it that are left out, since earlier ones failed */
    _Atomic uint8_t vain; /* how many were left out so far */
};

/* A pc at which translated code often returns to the interpreter. */
struct translator_want {
    uint32_t pc, count, patience; /* patience: count at which code for it is translated */
};

struct rv32_translator {
    pthread_mutex_t mutex;
    uint8_t *room;                   /* null until something is translated */
    struct translated_place *places; /* by entries of struct l1 */
    uint32_t used, entries;
    uint32_t taken;    /* bytes of the room whose pages were taken */
    _Atomic bool off;  /* no memory, or the host is not supported */
    _Atomic bool full; /* translator_forget() makes room */
    struct translate_shared shared;
    struct translated_region *translations;
    _Atomic uint32_t made; /* how many there ever were */
    struct translator_heat heat[TRANSLATOR_HEATS];
    struct translator_want wants[TRANSLATOR_WANTS];
};

void translator_create(struct rv32_translator *translator);
void translator_destroy(struct rv32_translator *translator);

/* Discards all translations; no core may be executing, and no L1 may have entries. */
void translator_forget(struct rv32_translator *translator);

/* Translates the code at the core's pc, if it is worth it. Unless `often`, it only uses a translation made for another
   core. */
void translator_heated(struct rv32 *rv32, bool often);

/* A core's turn has ended where nothing is translated. */
void translator_count(struct rv32 *rv32);

/* Samples the pc at the end of a core's turn that retired all of `budget` instructions. */
static inline void translator_sample(struct rv32 *rv32, uint32_t budget)
{
    enum { WORTH_IT = 64 };
    uint32_t pc = rv32->core->pc;
    if (rv32->translator && budget >= WORTH_IT && pc < L1_SIZE && !l1_is_translated(rv32->l1, pc)) {
        translator_count(rv32);
    }
}

/* The offset at which translated code for `pc` is entered, as entries of L1 have it; 0: none. */
uint32_t translator_entry(const struct rv32_translator *translator, const struct l1 *l1, uint32_t pc);

/* Executes the translated code for `pc`, with `left` instructions left of the core's turn, at whose end the core has
   retired instret_at_end instructions. Returns the value of translated_code. */
uint64_t rv32_run_translated(struct rv32 *rv32, uint32_t pc, uint32_t left, uint64_t instret_at_end);

#endif
