#include "tensix/units/vector_group.h"

#include <string.h>

#include "tensix/units/vector_run.h"

enum { OFTEN_SEEN = 3, OFTEN_FAILED = 1000 };

static uint32_t hash_of(const uint32_t *words, uint32_t length)
{
    uint32_t a = words[0] + words[length / 2] * 0x85ebca6bu, b = words[length - 1] + length * 0xc2b2ae35u;
    return (a ^ (b << 16 | b >> 16)) * 0x9e3779b1u;
}

static bool is_of(const struct vector_group_head *head, const struct vector_group *group, const uint32_t *words,
                  uint32_t length)
{
    return head->length == length && memcmp(group->words, words, length * sizeof *words) == 0;
}

/* The group in this place is another, or of no use. What comes again and again, before that does once more, takes its
   place. */
static __attribute__((noinline)) void consider(struct vector_group_head *head, struct vector_group *group,
                                               uint32_t hash, const uint32_t *words, uint32_t length)
{
    if (head->candidate != hash) {
        head->candidate = hash;
        head->sightings = 0;
    }
    if (head->sightings == UINT8_MAX || ++head->sightings != OFTEN_SEEN) {
        return;
    }
    memset(group->words, 0, sizeof group->words);
    head->sightings = 0;
    head->length = (uint8_t)length;
    head->rounds = (uint8_t)(REPLAY_CAPACITY / length);
    head->failures = 0;
    for (uint32_t i = 0; i < head->rounds; i++) {
        memcpy(group->words + i * length, words, length * sizeof *words);
    }
    vector_replay_loaded(&group->replay);
}

/* Finds a group, in one of two places. Returns VECTOR_GROUPS if it is in none. */
static uint32_t find(struct vector_groups *groups, const uint32_t *words, uint32_t length)
{
    uint32_t hash = hash_of(words, length), index = hash >> (32 - VECTOR_GROUPS_LOG2), other = index ^ 1;
    if (is_of(&groups->head[index], &groups->group[index], words, length)) {
        return index;
    }
    if (is_of(&groups->head[other], &groups->group[other], words, length)) {
        return other;
    }
    index = groups->head[index].length && !groups->head[other].length ? other : index;
    consider(&groups->head[index], &groups->group[index], hash, words, length);
    return VECTOR_GROUPS;
}

/* The last `rounds` rounds of a group. Returns how many instructions have executed. */
static inline uint32_t run_rounds(struct tensix *tensix, unsigned thread, const struct vector_group_head *head,
                                  struct vector_group *group, uint32_t rounds)
{
    uint32_t place = (head->rounds - rounds) * head->length, count = rounds * head->length;
    uint32_t done = vector_run_translated(tensix, thread, &group->replay, &group->replay.runs[place], count);
    if (done < count && !vector_known_not_planned(&group->replay, place + done)) {
        done += vector_run_plans(tensix, thread, &group->replay, group->words, place + done, count - done);
    }
    return done;
}

/* How many rounds are translated to be repeated many times: where each moves on by two rows, as the vector unit numbers
   them, an even number leaves the translation where it began among the rows that an instruction finds. */
static inline uint32_t even_rounds(const struct vector_group_head *head)
{
    return head->rounds > 1 ? head->rounds & ~1u : 1;
}

uint32_t vector_run_group(struct tensix *tensix, unsigned thread, const uint32_t *words, uint32_t length,
                          uint32_t times)
{
    struct vector_groups *groups = &tensix->groups[thread];
    uint32_t index = find(groups, words, length), done = 0;
    if (index == VECTOR_GROUPS) {
        return 0;
    }
    struct vector_group_head *head = &groups->head[index];
    struct vector_group *group = &groups->group[index];
    head->sightings = 0;
    uint32_t at_once = times < 2 * head->rounds ? head->rounds : even_rounds(head);
    const struct vector_run *run = &group->replay.runs[(head->rounds - at_once) * length];
    if (run->count == at_once * length) {
        done = run->count * vector_repeat_translated(tensix, thread, &group->replay, run, times / at_once);
    }
    while (done < times * length) {
        uint32_t left = times - done / length, rounds = left < at_once ? left : at_once;
        uint32_t some = run_rounds(tensix, thread, head, group, rounds);
        done += some;
        if (some < rounds * length) {
            if (++head->failures == OFTEN_FAILED) { /* and is not considered again before another was */
                *head = (struct vector_group_head){.candidate = hash_of(words, length), .sightings = UINT8_MAX};
            }
            return done;
        }
    }
    head->failures = 0;
    return done;
}
