#include "tensix/units/vector_sequence.h"

#include <string.h>

#include "tensix/units/vector_run.h"

enum { OFTEN_SEEN = 3 };

static bool same(const struct pushed *a, const struct pushed *b)
{
    return a->pc == b->pc && a->word == b->word;
}

/* Takes down at the end of a sequence what stands in a FIFO from entry `i` on, up to what is not for the vector unit,
   or another round of a loop. Returns whether that is anything. */
static bool extend(struct vector_sequence_head *head, struct vector_sequence *sequence,
                   const struct instruction_fifo *fifo, uint32_t i)
{
    uint32_t count = head->count;
    for (; count < REPLAY_CAPACITY && i < fifo->count; count++, i++) {
        const struct pushed *next = fifo_entry(fifo, i);
        if (!vector_may_be_planned(next->word) || (count > 0 && next->pc <= sequence->entries[count - 1].pc)) {
            break;
        }
        sequence->entries[count] = *next;
        sequence->words[count] = next->word;
    }
    if (count == head->count) {
        return false;
    }
    head->count = (uint8_t)count;
    vector_replay_loaded(&sequence->replay);
    return true;
}

/* The sequence that is kept for that place in a program is of something else, or there is none. What stands there
   again and again, before that is executed once more, takes its place. */
static __attribute__((noinline)) void consider(struct vector_sequence_head *head, struct vector_sequence *sequence,
                                               const struct instruction_fifo *fifo)
{
    if (!same(&head->candidate, fifo_entry(fifo, 0))) {
        head->candidate = *fifo_entry(fifo, 0);
        head->sightings = 0;
    }
    if (++head->sightings == OFTEN_SEEN) {
        head->sightings = head->count = 0;
        memset(sequence->words, 0, sizeof sequence->words);
        (void)extend(head, sequence, fifo, 0);
    }
}

/* Finds where in a sequence that stands which stands first in a FIFO: behind what was executed last, with an
   instruction in between that was executed alone, or none; or where it begins. Returns how many there are the same.
   0: it stands nowhere. */
static uint32_t find(struct vector_sequences *sequences, const struct instruction_fifo *fifo, uint32_t limit)
{
    const struct pushed *first = fifo_entry(fifo, 0);
    const struct vector_sequence *sequence = &sequences->sequence[sequences->last];
    uint32_t place = sequences->place, length = sequences->head[sequences->last].count;
    place += place < length && !same(first, &sequence->entries[place]);
    if (place >= length || !same(first, &sequence->entries[place])) {
        sequences->last = (first->pc / 4 * 0x9e3779b1u) >> 28;
        sequence = &sequences->sequence[sequences->last];
        length = sequences->head[sequences->last].count;
        sequences->cut = false;
        place = 0;
    }
    sequences->place = place;
    uint32_t count = length - place;
    count = count < limit ? count : limit;
    return count && fifo_holds(fifo, 0, sequence->entries + place, count) ? count : 0;
}

/* Executes what stands in a sequence. What begins or ends anywhere is executed in pieces, as that of a replay buffer is
   that ends anywhere: else there would be a translation from each place. */
static uint32_t run_sequence(struct tensix *tensix, unsigned thread, struct vector_sequence *sequence, uint32_t place,
                             uint32_t count, bool cut)
{
    struct vector_replay *replay = &sequence->replay;
    uint32_t done = cut ? 0 : vector_run_translated(tensix, thread, replay, &replay->runs[place], count), some = count;
    while (done < count && some && !vector_known_not_planned(replay, place + done)) {
        uint32_t left = count - done, piece = VECTOR_PIECE - (place + done) % VECTOR_PIECE;
        some =
            vector_run_plans(tensix, thread, replay, sequence->words, place + done, cut && piece < left ? piece : left);
        done += some;
    }
    return done;
}

uint32_t vector_run_pushed(struct tensix *tensix, unsigned thread, const struct instruction_fifo *fifo, uint32_t limit)
{
    limit = limit < fifo->count ? limit : fifo->count;
    if (limit < SHORTEST_SEQUENCE) {
        return 0;
    }
    struct vector_sequences *sequences = &tensix->sequences[thread];
    uint32_t pc = fifo_entry(fifo, 0)->pc;
    if (pc == sequences->unknown_pc + 4) { /* no sequence begins within others */
        sequences->unknown_pc = pc;
        return 0;
    }
    uint32_t count = find(sequences, fifo, limit), place = sequences->place;
    struct vector_sequence *sequence = &sequences->sequence[sequences->last];
    struct vector_sequence_head *head = &sequences->head[sequences->last];
    if (!count) {
        consider(head, sequence, fifo);
        sequences->unknown_pc = pc;
        return 0;
    }
    sequences->unknown_pc = 0;
    head->sightings = 0;
    if (place + count == head->count && count < limit && extend(head, sequence, fifo, count)) {
        count = head->count - place < limit ? head->count - place : limit;
    }
    uint32_t done = run_sequence(tensix, thread, sequence, place, count, sequences->cut);
    sequences->place = place + done;
    sequences->cut |= done == count && place + done < head->count;
    return done;
}

uint32_t vector_round_begun(const struct instruction_fifo *fifo)
{
    const struct pushed *first = fifo_entry(fifo, 0), *last = fifo_entry(fifo, fifo->count - 1);
    if ((!vector_may_be_planned(last->word) && last->word >> 24 != TENSIX_OPCODE_REPLAY) ||
        last->pc - first->pc == 4 * (fifo->count - 1)) { /* straight on */
        return 0;
    }
    for (uint32_t i = fifo->count - 1; i > 0; i--) {
        const struct pushed *end = fifo_entry(fifo, i - 1); /* of the round before */
        if (fifo_entry(fifo, i)->pc <= end->pc) {
            return end->pc == last->pc ? 0 : fifo->count - i;
        }
    }
    return 0;
}
