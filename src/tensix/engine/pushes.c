#include "tensix/engine/pushes.h"

#include "tensix/frontend/replay.h"
#include "tensix/tensix.h"

enum { FIRST_ATTEMPT = 4, OFTEN_IN_PART = 8, MOST_ANEW = 4, MOST_INSTRUCTIONS = FIFO_CAPACITY * REPLAY_CAPACITY };
enum { UNKNOWN_NOWHERE = 1 }; /* no instruction is pushed from behind there */

static inline bool same(const struct pushed *a, const struct pushed *b)
{
    return a->pc == b->pc && a->word == b->word;
}

static inline uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* How many entries a FIFO begins with that are those, `most` at the most. */
static inline uint32_t count_same(const struct instruction_fifo *fifo, const struct pushed *entries, uint32_t most)
{
    uint32_t count = 0;
    most = smaller(most, fifo->count);
    if (fifo_holds(fifo, 0, entries, most)) {
        return most;
    }
    while (same(fifo_entry(fifo, count), &entries[count])) {
        count++;
    }
    return count;
}

/* What entries of a FIFO come to before the wait gate. */
struct expansion {
    struct known_pushes *known;
    uint32_t count; /* of entries */
    uint32_t instructions, words[MOST_INSTRUCTIONS];
    uint32_t loading; /* how many of the next also go to the replay buffer, where they stand already */
};

/* Adds a REPLAY, which is entry `i`. false: it is one that hardware does not support, or it only loads; or what it
   loads has not been pushed yet, or does not stand in the replay buffer already. */
static bool expand_replay(const uint32_t *buffer, const struct instruction_fifo *fifo, uint32_t i,
                          struct expansion *expansion)
{
    struct args_REPLAY args = decode_REPLAY(fifo_entry(fifo, i)->word);
    uint32_t count = replay_count(args);
    if (args.start_idx + count > REPLAY_CAPACITY) {
        return false;
    }
    buffer += args.start_idx;
    if (!args.load_mode) {
        memcpy(&expansion->words[expansion->instructions], buffer, count * sizeof *buffer);
        expansion->instructions += count;
        return true;
    }
    expansion->loading = count;
    for (uint32_t j = 0; j < count; j++) {
        if (i + 1 + j >= fifo->count || fifo_entry(fifo, i + 1 + j)->word != buffer[j]) {
            return false;
        }
    }
    return args.execute_while_loading;
}

/* Adds what a FIFO begins with, up to what is not for the vector unit. */
static void expand(const uint32_t *buffer, const struct instruction_fifo *fifo, struct expansion *expansion)
{
    struct known_pushes *known = expansion->known;
    for (uint32_t i = 0; i < fifo->count; i++) {
        const struct pushed *entry = fifo_entry(fifo, i);
        if (!expansion->loading && is_replay(entry->word)) {
            if (!expand_replay(buffer, fifo, i, expansion)) {
                return;
            }
        } else if (vector_may_be_planned(entry->word) && vector_plan_of(entry->word).kind != VECTOR_NOT_PLANNED) {
            expansion->loading -= expansion->loading != 0;
            expansion->words[expansion->instructions++] = entry->word;
        } else {
            return;
        }
        known->entries[i] = *entry;
        known->executes[i + 1] = (uint16_t)expansion->instructions;
        expansion->count = i + 1;
    }
}

/* How many of the first `most` entries are whole rounds, of `instructions` at the most. */
static inline uint32_t whole_rounds(const struct known_pushes *known, uint32_t most, uint64_t instructions)
{
    const uint16_t *executes = known->executes;
    while (most && (executes[most] > instructions || executes[most] % known->length != 0 ||
                    executes[most] == executes[most - 1])) {
        most--;
    }
    return most;
}

/* Finds after how many instructions most of the first are repeated. Returns how many entries do so; 0: they are not. */
static uint32_t find_rounds(const struct expansion *expansion)
{
    struct known_pushes *known = expansion->known;
    const uint32_t *words = expansion->words, all = expansion->instructions;
    uint32_t most = 0;
    for (uint32_t length = 1; length <= REPLAY_CAPACITY && 2 * length <= all; length++) {
        uint32_t count = length;
        while (count < all && words[count] == words[count - length]) {
            count++;
        }
        count -= count % length;
        if (count > length && count > most) {
            most = count;
            known->length = (uint8_t)length;
        }
    }
    return most ? whole_rounds(known, expansion->count, most) : 0;
}

/* One round that is not repeated, up to where the core has jumped back. Returns how many entries it is. */
static uint32_t one_round(const struct expansion *expansion)
{
    const struct known_pushes *known = expansion->known;
    uint32_t count = 1;
    while (count < expansion->count && known->executes[count + 1] <= REPLAY_CAPACITY &&
           known->entries[count].pc > known->entries[count - 1].pc) {
        count++;
    }
    return count;
}

/* Chooses which entries are to be rounds. Returns how many; 0: that is not worth it. */
static uint32_t choose_rounds(const struct expansion *expansion)
{
    struct known_pushes *known = expansion->known;
    if (expansion->instructions < FEWEST_PUSHES) {
        return 0;
    }
    uint32_t once = one_round(expansion), repeated = find_rounds(expansion);
    if (known->executes[repeated] >= FEWEST_PUSHES && 2 * known->executes[repeated] >= known->executes[once]) {
        return repeated;
    }
    known->length = (uint8_t)known->executes[once];
    return once > 1 && known->length >= FEWEST_PUSHES ? once : 0;
}

/* Takes down what stands first in the FIFO. */
static __attribute__((noinline)) void learn(struct tensix *tensix, unsigned thread, struct pushes_head *head,
                                            struct known_pushes *known)
{
    const struct frontend *frontend = &tensix->state->frontend[thread];
    struct vector_groups *groups = &tensix->groups[thread];
    struct expansion expansion;
    expansion.known = known;
    expansion.count = expansion.instructions = expansion.loading = 0;
    head->count = 0;
    expand(frontend->replay.words, &frontend->fifo, &expansion);
    uint32_t count = choose_rounds(&expansion);
    uint32_t group = count ? vector_group_find(groups, expansion.words, known->length, true) : VECTOR_GROUPS;
    if (group == VECTOR_GROUPS) {
        return;
    }
    head->count = (uint8_t)count;
    head->seen = (uint8_t)frontend->fifo.count;
    head->parts = head->sightings = 0;
    known->times = known->executes[count] / known->length;
    known->group = (uint8_t)group;
    known->group_loads = vector_group_loads(groups, group);
    known->replay_loads = tensix->replays[thread].loads;
    known->last_replay = (uint8_t)count;
    for (uint32_t i = 0; i < count; i++) {
        known->last_replay = is_replay(known->entries[i].word) ? (uint8_t)i : known->last_replay;
    }
}

/* Something else is known of that place in a program, or nothing. What stands there again and again is learned, and if
   that can not be, is tried again after twice as many times. */
static void consider(struct tensix *tensix, unsigned thread, struct pushes_head *head, struct known_pushes *known)
{
    const struct pushed *first = fifo_entry(&tensix->state->frontend[thread].fifo, 0);
    if (!same(&head->candidate, first)) {
        head->candidate = *first;
        head->sightings = 0;
    }
    head->sightings = (uint8_t)(head->sightings + (head->sightings != UINT8_MAX));
    if (head->sightings >= FIRST_ATTEMPT && (head->sightings & (head->sightings - 1)) == 0) {
        head->anew = 0;
        learn(tensix, thread, head, known);
    }
}

/* Finds what stands first in a FIFO: behind what was executed last, if that ended within a round, or where it begins,
   in one of two places. false: it is not known, and would be pushes->last. */
static inline bool find(struct pushes *pushes, const struct pushed *first)
{
    uint32_t place = pushes->place, index = (first->pc / 4 * 0x9e3779b1u) >> (32 - PUSHES_LOG2), other = index ^ 1;
    const struct known_pushes *last = &pushes->known[pushes->last];
    bool follows = place && place < pushes->head[pushes->last].count && same(first, &last->entries[place]);
    if (follows && place % last->length != 0) {
        return true;
    }
    bool begins = pushes->head[index].count && same(first, &pushes->known[index].entries[0]);
    if (!begins && pushes->head[other].count) {
        begins = same(first, &pushes->known[other].entries[0]);
        index = begins ? other : index;
    } else if (!begins && pushes->head[index].count) {
        index = other; /* there is nothing */
    }
    if (begins || !follows) {
        pushes->last = index;
        pushes->place = 0;
    }
    return begins || follows;
}

/* Whether the group is still what it was, and REPLAYs still execute what they did. After a reset the replay buffer is
   all zero. */
static inline bool still_holds(const struct tensix *tensix, unsigned thread, const struct pushes_head *head,
                               const struct known_pushes *known)
{
    const uint32_t *buffer = tensix->state->frontend[thread].replay.words;
    return known->group_loads == vector_group_loads(&tensix->groups[thread], known->group) &&
           (known->last_replay == head->count ||
            (known->replay_loads == tensix->replays[thread].loads &&
             buffer[decode_REPLAY(known->entries[known->last_replay].word).start_idx] != 0));
}

/* Instructions that have executed go out of the FIFO. What the replay expander is left with, the last REPLAY says. */
static void leave(struct tensix *tensix, unsigned thread, const struct pushes_head *head,
                  const struct known_pushes *known, uint32_t executed)
{
    struct frontend *frontend = &tensix->state->frontend[thread];
    struct pushed last;
    frontend->passed += executed;
    if (known->last_replay == head->count) {
        last = *fifo_entry(&frontend->fifo, executed - 1);
        fifo_leave_out(&frontend->fifo, executed);
    } else {
        uint32_t before = executed == known->executes[head->count] ? known->last_replay : 0;
        fifo_leave_out(&frontend->fifo, before);
        last = rounds_leave(frontend, executed - known->executes[before]);
    }
    tensix_now(tensix, thread, last);
}

/* Finds what is known of what stands first in the FIFO, from pushes->place on. false: nothing is. */
static inline bool look_up(struct tensix *tensix, unsigned thread, struct pushes *pushes, const struct pushed *first)
{
    bool found = find(pushes, first);
    struct pushes_head *head = &pushes->head[pushes->last];
    struct known_pushes *known = &pushes->known[pushes->last];
    if (found && still_holds(tensix, thread, head, known)) {
        return true;
    }
    if (found) {
        pushes->place = 0;
        learn(tensix, thread, head, known);
    } else if (first->pc != pushes->unknown_pc + 4) { /* what is learned does not begin within what is not */
        consider(tensix, thread, head, known);
    }
    return head->count && same(first, &known->entries[0]);
}

/* The first `count` entries are those from `place` on, not all that are known. Executes whole rounds of them, else what
   is left of one, or a part, `limit` instructions at the most. Returns how many have executed. */
static uint32_t run_some(struct tensix *tensix, unsigned thread, struct pushes_head *head,
                         const struct known_pushes *known, uint32_t place, uint32_t count, uint64_t limit)
{
    uint32_t in_round = place % known->length, whole = in_round ? 0 : whole_rounds(known, count, limit);
    if (whole) {
        head->parts = 0;
        return vector_group_run(tensix, thread, known->group, known->executes[whole] / known->length);
    }
    if (known->last_replay != head->count) {
        return 0;
    }
    head->parts = (uint8_t)(head->parts + (place == 0));
    count = smaller(count, known->length - in_round);
    return vector_group_run_part(tensix, thread, known->group, in_round, limit < count ? (uint32_t)limit : count);
}

bool pushes_run(struct tensix *tensix, unsigned thread)
{
    const struct frontend *frontend = &tensix->state->frontend[thread];
    const struct instruction_fifo *fifo = &frontend->fifo;
    struct pushes *pushes = &tensix->pushes[thread];
    const struct pushed *first = fifo_entry(fifo, 0);
    if (fifo->count < FEWEST_PUSHES || !look_up(tensix, thread, pushes, first)) {
        pushes->unknown_pc = first->pc;
        return false;
    }
    pushes->unknown_pc = UNKNOWN_NOWHERE;
    struct pushes_head *head = &pushes->head[pushes->last];
    struct known_pushes *known = &pushes->known[pushes->last];
    uint32_t place = pushes->place, count = count_same(fifo, &known->entries[place], head->count - place);
    bool in_part = head->parts == OFTEN_IN_PART && head->anew < MOST_ANEW;
    if (place == 0 && (in_part || (count == head->count && fifo->count > head->seen))) {
        head->anew = (uint8_t)(head->anew + in_part);
        learn(tensix, thread, head, known);
        count = head->count;
        if (count == 0) {
            return false;
        }
    }
    uint64_t limit = frontend->passed_limit ? frontend->passed_limit - frontend->passed : MOST_INSTRUCTIONS;
    bool all = count == head->count && known->executes[count] <= limit; /* then place is 0 */
    uint32_t done = all ? vector_group_run(tensix, thread, known->group, known->times)
                        : run_some(tensix, thread, head, known, place, count, limit);
    head->parts = all ? 0 : head->parts;
    pushes->place = known->last_replay != head->count ? 0 : place + (done ? done : 1);
    head->sightings = 0;
    if (done) {
        leave(tensix, thread, head, known, done);
    }
    return done;
}

/* The same for a loop that has been unrolled: the last instructions are the same as those before them. A round ends, as
   bodies of loops do by INCRWC, with its smallest word, wherever it began to be pushed. */
static uint32_t unrolled_begun(const struct instruction_fifo *fifo)
{
    uint32_t last = fifo->count - 1, ends = last;
    for (uint32_t length = 1; 2 * length <= fifo->count; length++) {
        uint32_t count = 0;
        while (count < length &&
               fifo_entry(fifo, last - count)->word == fifo_entry(fifo, last - count - length)->word) {
            count++;
        }
        if (count == length) {
            for (uint32_t i = last; i > last - length; i--) {
                ends = fifo_entry(fifo, i)->word < fifo_entry(fifo, ends)->word ? i : ends;
            }
            return last - ends;
        }
    }
    return 0;
}

uint32_t pushes_begun(const struct instruction_fifo *fifo)
{
    const struct pushed *first = fifo_entry(fifo, 0), *last = fifo_entry(fifo, fifo->count - 1);
    if (!vector_may_be_planned(last->word) && !is_replay(last->word)) {
        return 0;
    }
    if (last->pc - first->pc == 4 * (fifo->count - 1)) { /* straight on */
        return unrolled_begun(fifo);
    }
    for (uint32_t i = fifo->count - 1; i > 0; i--) {
        const struct pushed *end = fifo_entry(fifo, i - 1); /* of the round before */
        if (fifo_entry(fifo, i)->pc <= end->pc) {
            return end->pc == last->pc ? 0 : fifo->count - i;
        }
    }
    return 0;
}
