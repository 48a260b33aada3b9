/* The exchange between processes of one machine, over memory that they share. One process makes it and forks the
   others, or becomes one of them. Each has its part of the chips (system/part.h). */
#ifndef BHEMU_SYSTEM_SHARED_H
#define BHEMU_SYSTEM_SHARED_H

#include "system/part.h"

enum { SHARED_RANKS = 64 };

struct shared;

/* For so many processes, at most SHARED_RANKS. Null: there is no memory. */
struct shared *shared_create(unsigned ranks);
void shared_destroy(struct shared *shared);

struct shared_options {
    unsigned rank;
    unsigned patience; /* seconds, after which a process that does not answer is given up; 0: 600 */
    unsigned slow;     /* seconds, after which on_slow is called, once for each wait; 0: never */
    void (*on_slow)(void *context, unsigned rank, uint64_t clock);
    void *context;
};

/* That of one process; call shared_leave() at its end. Null: there is no memory. */
struct shared_end;
struct shared_end *shared_join(struct shared *shared, const struct shared_options *options);
void shared_leave(struct shared_end *end);
struct exchange shared_exchange(struct shared_end *end);

/* A process has died: those that wait for it fail, and say so. By whoever has noticed, once. */
void shared_tell_of_death(struct shared *shared, unsigned rank);

/* The clock at which a process has last met the others. */
uint64_t shared_clock(const struct shared *shared, unsigned rank);

#endif
