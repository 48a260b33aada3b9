/* Host threads that share the tiles of a quantum. Each has a part of its own, the same in every quantum as long as the
   tiles are the same, so that a tile stays in the caches of one processor; a thread that has finished its part takes
   from those of others. pool_run() returns when all tiles are done. Between two quanta the threads look for the next
   one for a while, then sleep. No lock is taken unless somebody sleeps. Threads are created by the first pool_run(),
   and again after fork(), whose child has none of its parent's. They block all signals: handlers run where the process
   expects them. If the host refuses a thread, there are fewer. */
#ifndef BHEMU_CHIP_POOL_H
#define BHEMU_CHIP_POOL_H

enum { POOL_THREADS = 64 };

struct pool;

/* A pool of `threads` threads, the calling one among them, at least 1 and at most POOL_THREADS. null: no memory. */
struct pool *pool_create(unsigned threads);

/* Ends the threads, if this process created them. The next pool_run() creates them again. pool may be null. */
void pool_dismiss(struct pool *pool);
void pool_destroy(struct pool *pool);

/* Calls run(context, index) once for each index below count, which is below 32768, in any order and on any of the
   threads. What one call writes, no other may touch. */
void pool_run(struct pool *pool, unsigned count, void (*run)(void *context, unsigned index), void *context);

#endif
