/* What core T pushes again and again for the vector unit, as loops do: instructions and REPLAYs of them, found by where
   they were pushed from, with the group of engine/group.h that they execute as. What executes so is compared with what
   stands in the FIFO, every time. */
#ifndef BHEMU_TENSIX_ENGINE_PUSHES_H
#define BHEMU_TENSIX_ENGINE_PUSHES_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/frontend/fifo.h"

struct tensix;

enum { PUSHES_LOG2 = 5, PUSHES = 1 << PUSHES_LOG2, FEWEST_PUSHES = 3 };

/* What is looked at of every place in a program; the rest is in other pages. */
struct pushes_head {
    struct pushed candidate; /* stood first where what is known did not help, `sightings` times in a row */
    uint8_t sightings;
    uint8_t count; /* of entries that are known; 0: none */
    uint8_t seen;  /* of entries in the FIFO when they became known */
    uint8_t parts; /* how often in a row less than a round has executed */
    uint8_t anew;  /* how often others became known since it was so often that this did not help */
};

/* Entries that execute as whole rounds of a group, one or more. */
struct known_pushes {
    struct pushed entries[FIFO_CAPACITY];
    uint16_t executes[FIFO_CAPACITY + 1]; /* how many instructions the entries before one come to */
    uint16_t times;                       /* how many rounds all of them are */
    uint8_t last_replay;                  /* which entry is; none of them: each entry is one instruction */
    uint8_t group, length;                /* which, and how many instructions one of its rounds has */
    uint64_t group_loads;                 /* the group is the same as long as this is */
    uint64_t replay_loads;                /* of the replay buffer: REPLAYs execute the same as long as it stays so */
};

/* Of a thread. */
struct pushes {
    uint32_t last, place;              /* a part of which has executed, up to which entry; 0: of none */
    uint32_t unknown_pc;               /* from where the last was pushed of instructions that are executed alone */
    struct pushes_head head[PUSHES];   /* by where they were pushed from */
    struct known_pushes known[PUSHES]; /* the same */
};

/* Executes for `thread` what stands first in the FIFO of its core T, as far as a quantum lets it, if it is known.
   false: nothing has happened, the first is to be executed the usual way. The replay expander passes, no wait is
   latched, and nothing stands at the gate or has been pushed by core B. */
bool pushes_run(struct tensix *tensix, unsigned thread);

/* How many of the last entries of a full FIFO are to stay there, to be executed with what follows: what the round of a
   loop has begun with. 0: it has not, or has come to where the round before ended, or there is nothing for the vector
   unit. */
uint32_t pushes_begun(const struct instruction_fifo *fifo);

#endif
