#include "time/timing_table.h"

#include <stddef.h>
#include <strings.h>

const struct timing_constant timing_constants[] = {
#define TIMING(name, value, evidence, source, meaning) {#name, value, TIMING_##evidence, source, meaning},
#include "timing.def"
    {0}};

const struct timing_constant *timing_by_name(const char *name)
{
    for (const struct timing_constant *constant = timing_constants; constant->name; constant++) {
        if (strcasecmp(constant->name, name) == 0) {
            return constant;
        }
    }
    return NULL;
}

const char *timing_evidence_name(enum timing_evidence evidence)
{
    static const char *const names[] = {
        [TIMING_DOCUMENTED] = "documented", [TIMING_MEASURED] = "measured", [TIMING_ESTIMATED] = "estimated"};
    return names[evidence];
}
