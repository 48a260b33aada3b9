/* What is derived from the sums of a profile: rates, and how they compare with what is possible. */
#ifndef BHEMU_WATCH_PROFILE_FIGURES_H
#define BHEMU_WATCH_PROFILE_FIGURES_H

#include "bhemu/profile.h"

/* Of one tile, or of a tile on the average. */
struct profile_figures {
    double matrix_busy, vector_busy; /* part of all cycles; timed mode */
    double mvmul_rate;               /* MVMULs a cycle */
    double flop_rate, flop_peak;     /* a cycle: done; if each instruction that did them took one cycle */
    double vector_flop_rate;
    double unpack_rate[2], pack_rate;           /* bytes of L1 a cycle */
    double unpack_rate_busy[2], pack_rate_busy; /* the same of cycles in which the unit works; timed mode */
    unsigned phases;                            /* fidelity phases of products; 0: there are none */
    uint64_t l1_bytes, unpacked, packed, noc_in, noc_out;
};

struct profile_figures profile_figures_of(const struct bh_profile_tile *tile, uint64_t cycles);

/* Instructions for each cycle in which the core or thread runs, or polls. */
double profile_rate_of(const struct bh_profile_agent *agent);

/* "LoFi", "HiFi2", "HiFi3", "HiFi4"; "": no products. */
const char *profile_fidelity_name(unsigned phases);

#endif
