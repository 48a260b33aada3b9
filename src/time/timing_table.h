/* The constants of tables/timing.def as text, for `bhemu isa` and docs/timing.md. */
#ifndef BHEMU_TIME_TIMING_TABLE_H
#define BHEMU_TIME_TIMING_TABLE_H

#include <stdint.h>

enum timing_evidence { TIMING_DOCUMENTED, TIMING_MEASURED, TIMING_ESTIMATED };

struct timing_constant {
    const char *name;
    uint32_t value;
    enum timing_evidence evidence;
    const char *source, *meaning;
};

/* All of them, in the order of the table; behind the last one a name of null. */
extern const struct timing_constant timing_constants[];

/* The one of this name, whatever the case of its letters; null: there is none. */
const struct timing_constant *timing_by_name(const char *name);

const char *timing_evidence_name(enum timing_evidence evidence);

#endif
