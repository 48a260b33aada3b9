/* What comes to the vector unit again and again, kept in decoded form, as what stands in a replay buffer is
   (engine/plan.h), under the words that it consists of: as many rounds of it as a replay buffer has room for. */
#ifndef BHEMU_TENSIX_ENGINE_GROUP_H
#define BHEMU_TENSIX_ENGINE_GROUP_H

#include "tensix/engine/plan.h"

enum { VECTOR_GROUPS_LOG2 = 5, VECTOR_GROUPS = 1 << VECTOR_GROUPS_LOG2 };

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

/* Which group a round of the `length` instructions at `words` is, at most as many as a replay buffer holds. If it is
   none yet it becomes one, at once or when it has been asked for some times. VECTOR_GROUPS: it is none. */
uint32_t vector_group_find(struct vector_groups *groups, const uint32_t *words, uint32_t length, bool at_once);

/* Counts the contents that a group has had: what was found before is still the same as long as this is. */
static inline uint64_t vector_group_loads(const struct vector_groups *groups, uint32_t index)
{
    return groups->group[index].replay.loads;
}

/* Executes a group for `thread`, `times` rounds. Returns how many instructions it has executed; less than all: the next
   is to be executed the usual way. Nothing may be scheduled by SFPLOADMACRO. */
uint32_t vector_group_run(struct tensix *tensix, unsigned thread, uint32_t index, uint32_t times);

/* The same for `count` instructions of one round, from `place` on. */
uint32_t vector_group_run_part(struct tensix *tensix, unsigned thread, uint32_t index, uint32_t place, uint32_t count);

#endif
