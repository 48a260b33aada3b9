/* What a core pushes for the vector unit again and again, as loops do, kept in decoded form as what stands in a replay
   buffer is (vector_plan.h): sequences of instructions that have stood in a FIFO in the same order, pushed from the
   same places in the core's program. What is executed by one is compared with what stands in the FIFO, every time. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_SEQUENCE_H
#define BHEMU_TENSIX_UNITS_VECTOR_SEQUENCE_H

#include "tensix/frontend/fifo.h"
#include "tensix/units/vector_plan.h"

enum { VECTOR_SEQUENCES = 16, SHORTEST_SEQUENCE = 3 };

/* What is looked at of every place in a program; the sequences themselves are in other pages. */
struct vector_sequence_head {
    struct pushed candidate; /* stood first where the sequence did not help, `sightings` times in a row */
    uint8_t sightings;
    uint8_t count; /* of the sequence */
};

struct vector_sequence {
    struct pushed entries[REPLAY_CAPACITY];
    uint32_t words[REPLAY_CAPACITY]; /* of entries, then zero */
    struct vector_replay replay;     /* as if these were the words of a replay buffer */
};

/* Of a thread. */
struct vector_sequences {
    uint32_t last, place; /* in which sequence execution has come to which place */
    bool cut;             /* because what follows was not in the FIFO yet, or not to be executed */
    uint32_t unknown_pc;  /* from where the last was pushed of instructions that are executed alone */
    struct vector_sequence_head head[VECTOR_SEQUENCES]; /* by where they were pushed from */
    struct vector_sequence sequence[VECTOR_SEQUENCES];  /* the same */
};

/* Executes for `thread` what stands first in its FIFO, `limit` instructions at the most, if it is known. Leaves it in
   the FIFO, and returns how much that is; 0: the first is to be executed the usual way. Nothing may be scheduled by
   SFPLOADMACRO. */
uint32_t vector_run_pushed(struct tensix *tensix, unsigned thread, const struct instruction_fifo *fifo, uint32_t limit);

/* How many of the last entries of a FIFO have been pushed since the core jumped back: what the round of a loop that it
   is in begins with. 0: it has not, or has come to where the round before ended, or there is nothing for the vector
   unit. */
uint32_t vector_round_begun(const struct instruction_fifo *fifo);

#endif
