#include "tensix/frontend/burst.h"

#include <string.h>

#include "tensix/engine/trace.h"

/* What is left of the REPLAY that executes, up to the end of the buffer. */
static bool show_replay(const struct replay_expander *replay, struct shown *shown)
{
    uint32_t index = replay->index % REPLAY_CAPACITY, straight = REPLAY_CAPACITY - index;
    shown->burst = (struct burst){.words = &replay->words[index],
                                  .length = straight < replay->left ? straight : replay->left,
                                  .times = 1,
                                  .place = index,
                                  .pc = replay->pc};
    return true;
}

/* What a REPLAY executes, how many of which is *count. Null: it loads, or what it executes does not stand in a row. */
static inline const uint32_t *replayed_words(const struct replay_expander *replay, uint32_t word, uint32_t *count)
{
    struct args_REPLAY args = decode_REPLAY(word);
    *count = replay_count(args);
    return args.load_mode || args.start_idx + *count > REPLAY_CAPACITY ? NULL : replay->words + args.start_idx;
}

/* Adds what a REPLAY executes to a round. false: it can not be, or there is no room for that much. */
static bool add_replay(const struct replay_expander *replay, uint32_t word, struct shown *shown)
{
    uint32_t count, length = shown->burst.length;
    const uint32_t *words = replayed_words(replay, word, &count);
    if (!words || length + count > BURST_LONGEST) {
        return false;
    }
    memcpy(shown->words + length, words, count * sizeof *words);
    shown->burst.length += count;
    return true;
}

/* Writes out a round of the MOP expander. false: it is longer than a burst, or loads. */
static bool add_round(const struct replay_expander *replay, struct shown *shown)
{
    const struct rounds *rounds = &shown->rounds;
    struct burst *burst = &shown->burst;
    for (uint32_t i = 0; i < rounds->count; i++) {
        if (is_replay(rounds->words[i])) {
            if (!add_replay(replay, rounds->words[i], shown)) {
                return false;
            }
        } else if (burst->length == BURST_LONGEST) {
            return false;
        } else {
            shown->words[burst->length++] = rounds->words[i];
        }
    }
    return true;
}

/* The rounds that the MOP expander gives next. A round that is one REPLAY is shown where it stands; once it has begun
   it comes to its end. */
static bool show_rounds(const struct frontend *frontend, struct shown *shown, uint64_t most)
{
    const struct rounds *rounds = &shown->rounds;
    struct burst *burst = &shown->burst;
    if (!mop_rounds(&frontend->mop, &shown->rounds)) {
        return false;
    }
    *burst = (struct burst){.words = shown->words, .place = BURST_ELSEWHERE, .pc = frontend->mop.pc};
    if (rounds->count == 1 && is_replay(rounds->words[0])) {
        burst->words = replayed_words(&frontend->replay, rounds->words[0], &burst->length);
        burst->place = (uint32_t)(burst->words - frontend->replay.words);
        most += burst->length - 1;
        if (!burst->words) {
            return false;
        }
    } else if (!add_round(&frontend->replay, shown)) {
        return false;
    }
    uint64_t may_begin = rounds->times * burst->length <= most ? rounds->times : most / burst->length;
    burst->times = (uint32_t)may_begin;
    return may_begin != 0;
}

/* Adds the entries that stand first in the FIFO, as they pass the replay expander. What they load has to stand in its
   buffer already. Returns how many entries. */
static uint32_t add_entries(const struct frontend *frontend, struct shown *shown, uint64_t most)
{
    const struct instruction_fifo *fifo = &frontend->fifo;
    struct burst *burst = &shown->burst;
    uint32_t loading = 0, place = 0, i = 0;
    if (frontend->replay.mode == REPLAY_LOADS_AND_PASSES) {
        loading = frontend->replay.left;
        place = frontend->replay.index;
    }
    for (; i < fifo->count && burst->length < BURST_LONGEST && burst->length < most; i++) {
        const struct pushed *entry = fifo_entry(fifo, i);
        uint32_t before = burst->length;
        if (!loading && is_replay(entry->word)) {
            if (!add_replay(&frontend->replay, entry->word, shown)) {
                break;
            }
            shown->replays = true;
        } else if (!tensix_in_a_row_at_once(entry->word) ||
                   (loading && frontend->replay.words[place % REPLAY_CAPACITY] != entry->word)) {
            break;
        } else {
            shown->words[burst->length++] = entry->word;
            loading -= loading != 0;
            place++;
        }
        for (uint32_t j = before; j < burst->length; j++) {
            shown->pcs[j] = entry->pc;
        }
    }
    return loading ? 0 : i;
}

typedef uint32_t four __attribute__((vector_size(16), aligned(sizeof(uint32_t)), may_alias));

/* Copies `count` entries, as words and pcs. */
static void split(const struct pushed *entries, uint32_t count, uint32_t *words, uint32_t *pcs)
{
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        four first = *(const four *)&entries[i], second = *(const four *)&entries[i + 2];
        *(four *)&words[i] = __builtin_shufflevector(first, second, 0, 2, 4, 6);
        *(four *)&pcs[i] = __builtin_shufflevector(first, second, 1, 3, 5, 7);
    }
    for (; i < count; i++) {
        words[i] = entries[i].word;
        pcs[i] = entries[i].pc;
    }
}

/* Shows the entries that stand first, none of which concerns the replay expander. false: one does. */
static bool show_plain_entries(const struct frontend *frontend, struct shown *shown, uint64_t most)
{
    const struct instruction_fifo *fifo = &frontend->fifo;
    uint32_t count = fifo->count < BURST_LONGEST ? fifo->count : BURST_LONGEST, straight = FIFO_CAPACITY - fifo->head;
    count = count < most ? count : (uint32_t)most;
    straight = straight < count ? straight : count;
    split(fifo->entries + fifo->head, straight, shown->words, shown->pcs);
    split(fifo->entries, count - straight, shown->words + straight, shown->pcs + straight);
    uint32_t length = shown->burst.traced = trace_candidates(shown->words, count);
    while (length < count && tensix_in_a_row_at_once(shown->words[length])) {
        length++;
    }
    shown->burst.length = length;
    return length == count || !is_replay(shown->words[length]);
}

/* How often the entries that stand first in the FIFO follow each other, `count` of them each time. */
static uint32_t count_repetitions(const struct instruction_fifo *fifo, uint32_t count)
{
    uint32_t i = count;
    while (i < fifo->count && fifo_entry(fifo, i)->word == fifo_entry(fifo, i - count)->word &&
           fifo_entry(fifo, i)->pc == fifo_entry(fifo, i - count)->pc) {
        i++;
    }
    return i / count;
}

static bool show_entries(const struct frontend *frontend, struct shown *shown, uint64_t most)
{
    const struct instruction_fifo *fifo = &frontend->fifo;
    const struct pushed *first = fifo_entry(fifo, 0);
    if (fifo->count < FEWEST_SHOWN || !(tensix_in_a_row_at_once(first->word) || is_replay(first->word))) {
        return false;
    }
    struct burst *burst = &shown->burst;
    *burst =
        (struct burst){.words = shown->words, .times = 1, .place = BURST_ELSEWHERE, .pcs = shown->pcs, .pc = first->pc};
    if (frontend->replay.mode == REPLAY_PASSES && !is_replay(first->word) &&
        show_plain_entries(frontend, shown, most)) {
        return burst->length >= FEWEST_SHOWN;
    }
    burst->length = burst->traced = 0;
    uint32_t count = add_entries(frontend, shown, most);
    if (count && burst->length && shown->replays) {
        uint32_t repetitions = count_repetitions(fifo, count);
        uint64_t may_begin = most / burst->length;
        burst->times = repetitions < may_begin ? repetitions : may_begin ? (uint32_t)may_begin : 1;
    }
    return burst->length >= FEWEST_SHOWN;
}

bool frontend_show(const struct frontend *frontend, struct shown *shown)
{
    uint64_t most = frontend->passed_limit ? frontend->passed_limit - frontend->passed : UINT32_MAX;
    shown->rounds.count = 0;
    shown->replays = false;
    switch (frontend->replay.mode) {
    case REPLAY_EXECUTES: return show_replay(&frontend->replay, shown);
    case REPLAY_LOADS: return false;
    default: break;
    }
    if (frontend->after_mop.count) {
        return false;
    }
    if (frontend->mop.active) {
        return frontend->replay.mode == REPLAY_PASSES && show_rounds(frontend, shown, most);
    }
    return show_entries(frontend, shown, most);
}

/* One after the other, through the expanders. */
static void leave_one_by_one(struct frontend *frontend, uint32_t executed)
{
    struct replay_expander *replay = &frontend->replay;
    while (executed) {
        uint32_t count = 1;
        if (replay->mode != REPLAY_EXECUTES) {
            struct pushed next = frontend->mop.active ? mop_next(&frontend->mop) : fifo_pop(&frontend->fifo);
            if (replay->mode == REPLAY_PASSES && is_replay(next.word)) {
                replay_begin(replay, decode_REPLAY(next.word), next.pc);
                continue;
            }
        } else {
            count = replay->left < executed ? replay->left : executed;
        }
        if (replay->mode != REPLAY_PASSES) {
            replay_advance(replay, count);
        }
        executed -= count;
    }
}

void frontend_leave(struct frontend *frontend, const struct shown *shown, uint32_t executed)
{
    frontend->passed += executed;
    if (shown->rounds.count) {
        /* all but the last round, to which counts what the replay expander is left with */
        uint32_t length = shown->burst.length, whole = (executed - 1) / length;
        if (whole) {
            mop_leave_out_rounds(&frontend->mop, &shown->rounds, whole);
        }
        executed -= whole * length;
    } else if (frontend->replay.mode == REPLAY_PASSES && !shown->replays) {
        fifo_leave_out(&frontend->fifo, executed);
        return;
    }
    leave_one_by_one(frontend, executed);
}
