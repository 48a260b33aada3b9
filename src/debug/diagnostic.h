/* Diagnostics of one tile: who executes now, what was found, and whether the tile may go on.
   Plain data, a section of the tile's state. Whoever executes an instruction says so in `now`; whoever finds something
   wrong calls diagnose(). The device hands the entries to its user between two quanta. */
#ifndef BHEMU_DEBUG_DIAGNOSTIC_H
#define BHEMU_DEBUG_DIAGNOSTIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "bhemu/diagnostic.h"

/* What became of one instruction, or of one memory access. */
enum step {
    STEP_DONE, /* it happened */
    STEP_WAIT, /* nothing happened; try the same again later */
    STEP_STOP  /* a diagnostic was given that stops the tile; nothing happened */
};

/* A tile gives no more warnings than DIAGNOSTICS_SITES, so that all have room. */
enum { DIAGNOSTICS_SITES = 64, DIAGNOSTICS_KEPT = DIAGNOSTICS_SITES, DIAGNOSTICS_REPEATED = 4 };

/* Who executes what, and when. */
struct diagnostic_origin {
    uint64_t cycle;
    uint32_t pc;
    uint32_t instruction;
    uint8_t agent; /* enum bh_agent */
    uint8_t index;
    uint8_t unused[6]; /* there is no padding, which snapshots would save with whatever it holds */
};

/* A warning that was to be given again: found here, its text need not be hashed. Plain data, as all of a tile's state.
 */
struct repeated_warning {
    uint32_t text;           /* where its format lies, counted from a place in the library */
    uint32_t pc, hash, site; /* warned[site] is the hash */
};

/* From `policy` on is what programs without diagnostics write. */
struct diagnostics {
    struct bh_diagnostic entries[DIAGNOSTICS_KEPT];
    uint32_t warned[DIAGNOSTICS_SITES]; /* hashes of what was warned of already */
    struct repeated_warning repeated[DIAGNOSTICS_REPEATED];
    uint64_t once;                     /* one bit for each entry: it is the device's to tell, and once */
    uint8_t policy[BH_CATEGORY_COUNT]; /* enum bh_action */
    struct diagnostic_origin now;
    uint8_t tile_x, tile_y;
    bool stopped; /* a BH_STOP was given: the tile does not run any more; the first one in this cycle: */
    uint64_t stopped_at;
    uint32_t count; /* entries not yet taken; more than DIAGNOSTICS_KEPT are only counted */
};

/* Makes them those of a tile that has nothing; what is behind `count` in `entries` stays as it is. */
static inline void diagnostics_clear(struct diagnostics *diagnostics)
{
    memset(diagnostics->warned, 0, sizeof *diagnostics - offsetof(struct diagnostics, warned));
}

/* Records what is wrong with the instruction that executes now, as the policy of `category` asks.
   Returns STEP_STOP when the tile must stop, else STEP_DONE: the caller goes on as silicon would.
   A warning is given once for each text and PC. */
enum step diagnose(struct diagnostics *diagnostics, enum bh_category category, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same about what is not the instruction's but the program's: a warning is given once by the whole device. */
enum step diagnose_once(struct diagnostics *diagnostics, enum bh_category category, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A hash of a text, never 0. */
uint32_t diagnostic_hash(const char *text, uint32_t pc);

/* Sets the policies of all categories. */
void diagnostics_set_policy(struct diagnostics *diagnostics, enum bh_policy_preset preset);

#endif
