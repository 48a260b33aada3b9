#include "chip/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    CACHE_LINE = 64,
    SPINS = 1000, /* some ten microseconds: about as long as an exchange takes, and no burden on other processes */
    INDEX_BITS = 16,
};

/* What is left of a thread's part: from the high bits on, the number of the quantum, the end of the part, the next
   index to take. Whoever increments it and finds its old value below the end has taken that index. */
struct part {
    alignas(CACHE_LINE) _Atomic uint64_t ticket;
};

struct worker {
    struct pool *pool;
    unsigned number;
    pthread_t thread;
};

struct pool {
    struct part part[POOL_THREADS];
    alignas(CACHE_LINE) _Atomic uint32_t done; /* calls of this quantum */
    alignas(CACHE_LINE) _Atomic uint32_t sleepers;
    _Atomic bool caller_sleeps;
    _Atomic bool stop;
    alignas(CACHE_LINE) unsigned asked; /* number of threads wanted */
    unsigned threads;                   /* number of threads created */
    unsigned spins;                     /* how often a thread looks for a new quantum before it sleeps */
    pid_t process;                      /* the process that created the threads; 0: there are none */
    struct worker worker[POOL_THREADS]; /* from 1 on: 0 is the caller of pool_run() */
    pthread_mutex_t mutex;
    pthread_cond_t begin, end;
    uint32_t quantum;
    unsigned count;
    void (*run)(void *context, unsigned index);
    void *context;
};

static unsigned index_of(uint64_t ticket)
{
    return ticket & ((1u << INDEX_BITS) - 1);
}

static unsigned end_of(uint64_t ticket)
{
    return ticket >> INDEX_BITS & ((1u << INDEX_BITS) - 1);
}

static uint32_t quantum_of(uint64_t ticket)
{
    return (uint32_t)(ticket >> 2 * INDEX_BITS);
}

static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Works off what is left of a part. A quantum does not end before every index that was taken is counted in `done`; so
   what the pool says of the quantum stays true meanwhile, also for a thread that comes late and takes an index of the
   next one. */
static uint32_t work_off(struct pool *pool, struct part *part)
{
    uint32_t taken = 0;
    uint64_t ticket;
    while (ticket = atomic_fetch_add(&part->ticket, 1), index_of(ticket) < end_of(ticket)) {
        pool->run(pool->context, index_of(ticket));
        taken++;
    }
    return taken;
}

/* Works off the thread's own part, then what is left of others. */
static void take_part(struct pool *pool, unsigned number)
{
    uint32_t taken = 0;
    for (unsigned i = 0; i < pool->threads; i++) {
        taken += work_off(pool, &pool->part[(number + i) % pool->threads]);
    }
    if (taken == 0) {
        return;
    }
    unsigned count = pool->count;
    if (atomic_fetch_add(&pool->done, taken) + taken == count && atomic_load(&pool->caller_sleeps)) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_signal(&pool->end);
        pthread_mutex_unlock(&pool->mutex);
    }
}

/* Whether a quantum other than `seen` has begun, or none will. */
static bool begun(struct pool *pool, unsigned number, uint32_t seen)
{
    return quantum_of(atomic_load(&pool->part[number].ticket)) != seen || atomic_load(&pool->stop);
}

static void await_quantum(struct pool *pool, unsigned number, uint32_t seen)
{
    for (unsigned i = 0; i < pool->spins; i++) {
        if (begun(pool, number, seen)) {
            return;
        }
        pause_briefly();
    }
    pthread_mutex_lock(&pool->mutex);
    /* Counted before the thread looks: whoever begins a quantum looks for sleepers afterwards. */
    atomic_fetch_add(&pool->sleepers, 1);
    while (!begun(pool, number, seen)) {
        pthread_cond_wait(&pool->begin, &pool->mutex);
    }
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->mutex);
}

static void *work(void *context)
{
    const struct worker *worker = context;
    struct pool *pool = worker->pool;
    uint32_t seen = 0;
    await_quantum(pool, worker->number, seen);
    while (!atomic_load(&pool->stop)) {
        seen = quantum_of(atomic_load(&pool->part[worker->number].ticket));
        take_part(pool, worker->number);
        await_quantum(pool, worker->number, seen);
    }
    return NULL;
}

/* Wakes the threads that sleep. */
static void wake(struct pool *pool)
{
    if (atomic_load(&pool->sleepers)) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_broadcast(&pool->begin);
        pthread_mutex_unlock(&pool->mutex);
    }
}

static void await_end(struct pool *pool)
{
    for (unsigned i = 0; i < pool->spins; i++) {
        if (atomic_load(&pool->done) == pool->count) {
            return;
        }
        pause_briefly();
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->caller_sleeps, true);
    while (atomic_load(&pool->done) != pool->count) {
        pthread_cond_wait(&pool->end, &pool->mutex);
    }
    atomic_store(&pool->caller_sleeps, false);
    pthread_mutex_unlock(&pool->mutex);
}

struct pool *pool_create(unsigned threads)
{
    struct pool *pool = aligned_alloc(CACHE_LINE, sizeof *pool);
    if (pool) {
        memset(pool, 0, sizeof *pool);
        pool->asked = threads < 1 ? 1 : threads < POOL_THREADS ? threads : POOL_THREADS;
    }
    return pool;
}

/* Creates the threads. What a parent process has left in the pool is forgotten. */
static void start(struct pool *pool)
{
    sigset_t all, old;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned asked = pool->asked, created = 1;
    memset(pool, 0, sizeof *pool);
    pool->asked = pool->threads = asked;
    pool->process = getpid();
    /* On fewer processors, a thread that spins would keep another from running. */
    pool->spins = processors >= (long)asked ? SPINS : 0;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    for (; created < asked; created++) {
        struct worker *worker = &pool->worker[created];
        *worker = (struct worker){.pool = pool, .number = created};
        if (pthread_create(&worker->thread, NULL, work, worker) != 0) {
            break;
        }
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pool->threads = created; /* nobody looks at it before the first quantum begins */
}

void pool_run(struct pool *pool, unsigned count, void (*run)(void *context, unsigned index), void *context)
{
    if (pool->process != getpid()) {
        start(pool);
    }
    pool->run = run;
    pool->context = context;
    pool->count = count;
    pool->quantum++;
    atomic_store(&pool->done, 0);
    for (unsigned i = 0; i < pool->threads; i++) {
        uint64_t begin = (uint64_t)count * i / pool->threads, end = (uint64_t)count * (i + 1) / pool->threads;
        atomic_store(&pool->part[i].ticket, (uint64_t)pool->quantum << 2 * INDEX_BITS | end << INDEX_BITS | begin);
    }
    wake(pool);
    take_part(pool, 0);
    await_end(pool);
}

void pool_dismiss(struct pool *pool)
{
    if (!pool || !pool->process || pool->process != getpid()) {
        return;
    }
    atomic_store(&pool->stop, true);
    wake(pool);
    for (unsigned i = 1; i < pool->threads; i++) {
        pthread_join(pool->worker[i].thread, NULL);
    }
    pthread_cond_destroy(&pool->end);
    pthread_cond_destroy(&pool->begin);
    pthread_mutex_destroy(&pool->mutex);
    pool->process = 0;
}

void pool_destroy(struct pool *pool)
{
    pool_dismiss(pool);
    free(pool);
}
