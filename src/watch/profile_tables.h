/* What a profile adds up for each place of a program: hash tables that grow up to a limit. */
#ifndef BHEMU_WATCH_PROFILE_TABLES_H
#define BHEMU_WATCH_PROFILE_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu/profile.h"

enum { PROFILE_PLACES = 1 << 16 }; /* of a core or a thread: as many as an instruction for each 24 bytes of L1 */

/* An instruction: of a core its pc, of a thread the pc that pushed it and its opcode. */
struct profile_site {
    uint32_t pc, word; /* the first word of the opcode that came from there */
    uint32_t program;  /* of which the instruction was; 0: not known, or there is one only */
    uint64_t count, running, waiting;
    uint64_t loaded_in; /* a core's last load here: profile_agent.changes at that time, ... */
    uint32_t address, value;
};

struct profile_sites {
    struct profile_site *of;
    uint32_t *slots; /* 0: free; else 1 + index */
    uint32_t count, mask;
};

/* Who may end a wait. */
enum { PROFILE_BY_NIU = BH_PROFILE_AGENTS, PROFILE_BY_OTHERS, PROFILE_WAKERS };

struct profile_waiting {
    struct bh_wait wait;
    uint32_t pc, word, program;
    uint64_t count, cycles, longest;
    uint64_t by[PROFILE_WAKERS]; /* cycles, by who ended it */
};

struct profile_waits {
    struct profile_waiting *of;
    uint32_t *slots;
    uint32_t count, mask;
};

/* An instruction of a program. */
struct profile_place {
    uint32_t pc, word, program;
};

/* The index of an entry, which is made if it is not there. UINT32_MAX: no room, or no memory. */
uint32_t profile_site_of(struct profile_sites *sites, struct profile_place place, bool by_opcode);
uint32_t profile_waiting_of(struct profile_waits *waits, struct profile_place place, struct bh_wait wait);

void profile_sites_free(struct profile_sites *sites);
void profile_waits_free(struct profile_waits *waits);

#endif
