/* What comes next before the wait gate of a thread: the frontend shows it, the engine executes as much of it as it can
   at once, and the frontend lets so much of it leave. */
#ifndef BHEMU_TENSIX_ENGINE_BURST_H
#define BHEMU_TENSIX_ENGINE_BURST_H

#include <stdint.h>

enum { BURST_LONGEST = 32, BURST_ELSEWHERE = BURST_LONGEST };

struct burst {
    const uint32_t *words; /* of one round */
    uint32_t length;       /* of one round, in instructions: 1 to BURST_LONGEST */
    uint32_t times;        /* rounds, one or more, that follow each other */
    uint32_t place;        /* of the first word in the thread's replay buffer, if all are there; or BURST_ELSEWHERE */
    uint32_t traced;       /* how many of the words, from the first on, tensix_may_be_traced(); 0: unknown */
    const uint32_t *pcs;   /* from where each word was pushed; null: all of them, or their MOP or REPLAY, ... */
    uint32_t pc;           /* ... from here */
};

#endif
