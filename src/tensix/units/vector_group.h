/* What comes to the vector unit round by round, again and again, kept in decoded form, as what stands in a replay
   buffer is (vector_plan.h), under the words that it consists of: as many rounds of it as a replay buffer has room for.
 */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_GROUP_H
#define BHEMU_TENSIX_UNITS_VECTOR_GROUP_H

#include "tensix/units/vector_plan.h"

enum { VECTOR_GROUPS_LOG2 = 3, VECTOR_GROUPS = 1 << VECTOR_GROUPS_LOG2 };

/* What is looked at of every group; the groups themselves are in other pages. */
struct vector_group_head {
    uint32_t candidate; /* hash of what was to be executed where the group did not help, `sightings` times in a row */
    uint8_t sightings;
    uint8_t length, rounds; /* of one round; how many are in the group */
    uint16_t failures;      /* how often in a row not all of it could be executed, as long as it was not translated */
};

struct vector_group {
    uint32_t words[REPLAY_CAPACITY]; /* then zero */
    struct vector_replay replay;     /* as if these were the words of a replay buffer */
};

/* Of a thread. */
struct vector_groups {
    struct vector_group_head head[VECTOR_GROUPS]; /* by hash */
    struct vector_group group[VECTOR_GROUPS];     /* the same */
};

/* Executes for `thread` the `length` instructions at `words`, at most as many as a replay buffer holds, `times` times,
   if they are known. Returns how many it has executed; 0: they are to be executed the usual way. Nothing may be
   scheduled by SFPLOADMACRO. */
uint32_t vector_run_group(struct tensix *tensix, unsigned thread, const uint32_t *words, uint32_t length,
                          uint32_t times);

#endif
