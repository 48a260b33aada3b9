#include "tensix/engine/group.h"

#include <string.h>

#include "tensix/engine/run.h"

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
   place. Returns whether it has. */
static __attribute__((noinline)) bool consider(struct vector_group_head *head, struct vector_group *group,
                                               uint32_t hash, const uint32_t *words, uint32_t length, bool at_once)
{
    if (head->candidate != hash) {
        head->candidate = hash;
        head->sightings = 0;
    }
    if (head->sightings == UINT8_MAX || (++head->sightings != OFTEN_SEEN && !(at_once && !head->length))) {
        return false;
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
    return true;
}

uint32_t vector_group_find(struct vector_groups *groups, const uint32_t *words, uint32_t length, bool at_once)
{
    uint32_t hash = hash_of(words, length), index = hash >> (32 - VECTOR_GROUPS_LOG2), other = index ^ 1;
    if (is_of(&groups->head[index], &groups->group[index], words, length)) {
        return index;
    }
    if (is_of(&groups->head[other], &groups->group[other], words, length)) {
        return other;
    }
    index = groups->head[index].length && !groups->head[other].length ? other : index;
    return consider(&groups->head[index], &groups->group[index], hash, words, length, at_once) ? index : VECTOR_GROUPS;
}

/* The last `count` instructions of a group, or `count` of those before them. Returns how many have executed. */
static inline uint32_t run_from(struct tensix *tensix, unsigned thread, struct vector_group *group, uint32_t place,
                                uint32_t count)
{
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

/* More rounds than a group has. Returns how many instructions have executed. */
static uint32_t run_many(struct tensix *tensix, unsigned thread, const struct vector_group_head *head,
                         struct vector_group *group, uint32_t times)
{
    uint32_t length = head->length, done = 0, at_once = times < 2u * head->rounds ? head->rounds : even_rounds(head);
    const struct vector_run *run = &group->replay.runs[(head->rounds - at_once) * length];
    if (run->count == at_once * length) {
        done = run->count * vector_repeat_translated(tensix, thread, &group->replay, run, times / at_once);
    }
    while (done < times * length) {
        uint32_t left = times - done / length, rounds = left < at_once ? left : at_once;
        uint32_t some = run_from(tensix, thread, group, (head->rounds - rounds) * length, rounds * length);
        done += some;
        if (some < rounds * length) {
            break;
        }
    }
    return done;
}

/* A group that can never be executed as a whole is none any more, nor will be before another was considered. */
static __attribute__((noinline)) void note_failure(struct vector_group_head *head, struct vector_group *group)
{
    if (++head->failures == OFTEN_FAILED) {
        uint32_t hash = hash_of(group->words, head->length);
        *head = (struct vector_group_head){.candidate = hash, .sightings = UINT8_MAX};
        vector_replay_loaded(&group->replay);
    }
}

uint32_t vector_group_run(struct tensix *tensix, unsigned thread, uint32_t index, uint32_t times)
{
    struct vector_group_head *head = &tensix->groups[thread].head[index];
    struct vector_group *group = &tensix->groups[thread].group[index];
    uint32_t count = times * head->length, done;
    head->sightings = 0;
    if (times <= head->rounds) {
        done = run_from(tensix, thread, group, head->rounds * head->length - count, count);
    } else {
        done = run_many(tensix, thread, head, group, times);
    }
    if (__builtin_expect(done < count, 0)) {
        note_failure(head, group);
    } else {
        head->failures = 0;
    }
    return done;
}

/* What begins or ends anywhere is executed in pieces, as that of a replay buffer is that ends anywhere: else there
   would be a translation from each place. */
uint32_t vector_group_run_part(struct tensix *tensix, unsigned thread, uint32_t index, uint32_t place, uint32_t count)
{
    const struct vector_group_head *head = &tensix->groups[thread].head[index];
    struct vector_group *group = &tensix->groups[thread].group[index];
    uint32_t done = 0, some = count;
    place += (head->rounds - 1u) * head->length;
    while (done < count && some && !vector_known_not_planned(&group->replay, place + done)) {
        uint32_t left = count - done, piece = VECTOR_PIECE - (place + done) % VECTOR_PIECE;
        some =
            vector_run_plans(tensix, thread, &group->replay, group->words, place + done, piece < left ? piece : left);
        done += some;
    }
    return done;
}
