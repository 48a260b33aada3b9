#include "system/shared.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "system/state.h"

enum {
    PIECE = 64 * 1024, /* bytes that go from one process to another at once */
    SPINS = 300,       /* looks at the others before a process sleeps: a meeting may take less than a sleep */
    LOOK = 100,        /* milliseconds between two looks at whether a process has died */
    PATIENCE = 600,    /* seconds */
};

/* What a process shows the others. Each is on cache lines of its own. */
struct face {
    _Alignas(64) uint32_t meetings; /* how many it has come to; others wait until it is as many as theirs */
    uint64_t clock;
    struct agreement agreement[2]; /* of this meeting, and of the last one, which others may still read */
    uint64_t sizes[SHARED_RANKS];  /* bytes that it sends to each */
};

struct shared {
    size_t size;
    uint32_t ranks;
    uint32_t came; /* how often processes have come to meetings */
    uint32_t met;  /* the last meeting that has taken place: a futex */
    uint32_t dead; /* rank + 1 of the first process that has died */
    struct face face[SHARED_RANKS];
    uint8_t pieces[]; /* from each process to each */
};

struct shared_end {
    struct shared *shared;
    struct shared_options options;
    struct wire_buffer *to;   /* by rank: what is to be sent */
    struct wire_buffer *from; /* by rank: what has come */
    unsigned agreements;
    char failed[200];
};

static uint8_t *piece_of(struct shared *shared, unsigned from, unsigned to)
{
    return shared->pieces + ((size_t)from * shared->ranks + to) * PIECE;
}

struct shared *shared_create(unsigned ranks)
{
    size_t size = sizeof(struct shared) + (size_t)ranks * ranks * PIECE;
    struct shared *shared = ranks >= 1 && ranks <= SHARED_RANKS
                                ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
                                : MAP_FAILED;
    if (shared == MAP_FAILED) {
        return NULL;
    }
    shared->size = size;
    shared->ranks = ranks;
    return shared;
}

void shared_destroy(struct shared *shared)
{
    if (shared) {
        munmap(shared, shared->size);
    }
}

struct shared_end *shared_join(struct shared *shared, const struct shared_options *options)
{
    struct shared_end *end = calloc(1, sizeof *end);
    if (!end) {
        return NULL;
    }
    *end = (struct shared_end){.shared = shared, .options = *options};
    end->options.patience = options->patience ? options->patience : PATIENCE;
    end->to = calloc(shared->ranks, sizeof *end->to);
    end->from = calloc(shared->ranks, sizeof *end->from);
    if (!end->to || !end->from) {
        shared_leave(end);
        return NULL;
    }
    return end;
}

void shared_leave(struct shared_end *end)
{
    for (unsigned i = 0; end && end->to && end->from && i < end->shared->ranks; i++) {
        free(end->to[i].bytes);
        free(end->from[i].bytes);
    }
    if (end) {
        free(end->to);
        free(end->from);
        free(end);
    }
}

static void wake(struct shared *shared)
{
    (void)syscall(SYS_futex, &shared->met, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void shared_tell_of_death(struct shared *shared, unsigned rank)
{
    uint32_t none = 0;
    (void)__atomic_compare_exchange_n(&shared->dead, &none, rank + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    wake(shared);
}

uint64_t shared_clock(const struct shared *shared, unsigned rank)
{
    return __atomic_load_n(&shared->face[rank].clock, __ATOMIC_RELAXED);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The first process that has not come to this meeting; ranks: all have. */
static unsigned first_missing(const struct shared *shared, uint32_t meeting)
{
    unsigned rank = 0;
    while (rank < shared->ranks &&
           (int32_t)(__atomic_load_n(&shared->face[rank].meetings, __ATOMIC_ACQUIRE) - meeting) >= 0) {
        rank++;
    }
    return rank;
}

static bool fail_end(struct shared_end *end, unsigned rank, uint64_t clock, const char *what)
{
    (void)snprintf(end->failed, sizeof end->failed, "process %u %s; this one is at cycle %llu", rank, what,
                   (unsigned long long)clock);
    return false;
}

/* Sleeps until a meeting has taken place, but not for long. */
static void sleep_until_met(struct shared *shared, uint32_t met)
{
    const struct timespec look = {.tv_nsec = LOOK * 1000000L};
    (void)syscall(SYS_futex, &shared->met, FUTEX_WAIT, met, &look, NULL, 0);
}

/* Comes to the next meeting, and waits until all others have: the last one wakes them. */
static bool meet(struct shared_end *end, uint64_t clock)
{
    struct shared *shared = end->shared;
    struct face *own = &shared->face[end->options.rank];
    uint32_t meeting = own->meetings + 1;
    __atomic_store_n(&own->clock, clock, __ATOMIC_RELAXED);
    __atomic_store_n(&own->meetings, meeting, __ATOMIC_RELAXED);
    if (__atomic_add_fetch(&shared->came, 1, __ATOMIC_SEQ_CST) == meeting * shared->ranks) {
        __atomic_store_n(&shared->met, meeting, __ATOMIC_SEQ_CST);
        wake(shared);
        return true;
    }
    double began = 0;
    bool slow = false;
    for (unsigned looks = 0;; looks++) {
        uint32_t met = __atomic_load_n(&shared->met, __ATOMIC_SEQ_CST), dead;
        if (met == meeting) {
            return true;
        }
        if ((dead = __atomic_load_n(&shared->dead, __ATOMIC_SEQ_CST))) {
            return fail_end(end, dead - 1, clock, "has died");
        }
        if (looks < SPINS) {
            continue;
        }
        double now = seconds();
        began = began > 0 ? began : now;
        if (now - began > end->options.patience) {
            return fail_end(end, first_missing(shared, meeting), clock, "does not answer");
        }
        if (end->options.slow && end->options.on_slow && !slow && now - began > end->options.slow) {
            slow = true;
            end->options.on_slow(end->options.context, first_missing(shared, meeting), clock);
        }
        sleep_until_met(shared, met);
    }
}

/* The greatest number of bytes that any process sends to another one. */
static uint64_t most_bytes(const struct shared *shared)
{
    uint64_t most = 0;
    for (unsigned from = 0; from < shared->ranks; from++) {
        for (unsigned to = 0; to < shared->ranks; to++) {
            uint64_t size = shared->face[from].sizes[to];
            most = size > most ? size : most;
        }
    }
    return most;
}

static size_t part_of(uint64_t size, uint64_t at)
{
    return at >= size ? 0 : size - at < PIECE ? (size_t)(size - at) : PIECE;
}

static void show(struct shared_end *end, uint64_t at)
{
    for (unsigned rank = 0; rank < end->shared->ranks; rank++) {
        size_t part = part_of(end->to[rank].size, at);
        if (part) {
            memcpy(piece_of(end->shared, end->options.rank, rank), end->to[rank].bytes + at, part);
        }
    }
}

static bool add_bytes(struct wire_buffer *buffer, const uint8_t *bytes, size_t size)
{
    if (buffer->size + size > buffer->room) {
        size_t room = 2 * (buffer->size + size);
        uint8_t *more = realloc(buffer->bytes, room);
        if (!more) {
            return false;
        }
        buffer->bytes = more;
        buffer->room = room;
    }
    memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
    return true;
}

static bool look(struct shared_end *end, uint64_t at)
{
    bool done = true;
    for (unsigned rank = 0; rank < end->shared->ranks && done; rank++) {
        size_t part = part_of(end->shared->face[rank].sizes[end->options.rank], at);
        done = part == 0 || add_bytes(&end->from[rank], piece_of(end->shared, rank, end->options.rank), part);
    }
    return done;
}

/* All that a meeting's processes send each other goes in pieces: between two pieces they meet again. */
static bool transport(struct shared_end *end, uint64_t clock)
{
    struct shared *shared = end->shared;
    for (unsigned rank = 0; rank < shared->ranks; rank++) {
        shared->face[end->options.rank].sizes[rank] = end->to[rank].size;
        end->from[rank].size = 0;
    }
    show(end, 0);
    if (!meet(end, clock)) {
        return false;
    }
    uint64_t most = most_bytes(shared);
    bool done = look(end, 0);
    for (uint64_t at = PIECE; at < most && done; at += PIECE) {
        if (!meet(end, clock)) { /* all have looked */
            return false;
        }
        show(end, at);
        if (!meet(end, clock)) {
            return false;
        }
        done = look(end, at);
    }
    return done;
}

static bool swap(void *context, struct bh_system *system, bool *sent)
{
    struct shared_end *end = context;
    bool done = exchange_take(system, end->to, sent);
    if (done && !transport(end, system->clock)) {
        return false;
    }
    for (unsigned rank = 0; rank < end->shared->ranks; rank++) {
        end->to[rank].size = end->to[rank].at = 0;
        done = done && exchange_put(system, end->from[rank].bytes, end->from[rank].size);
    }
    if (!done) {
        (void)snprintf(end->failed, sizeof end->failed, "the host has no memory for what chips send to each other");
    }
    return done;
}

static bool agree(void *context, uint64_t clock, struct agreement *agreement)
{
    struct shared_end *end = context;
    struct shared *shared = end->shared;
    unsigned place = end->agreements++ % 2;
    shared->face[end->options.rank].agreement[place] = *agreement;
    if (!meet(end, clock)) {
        return false;
    }
    for (unsigned rank = 0; rank < shared->ranks; rank++) {
        struct agreement other = shared->face[rank].agreement[place];
        agreement->clock = other.clock > agreement->clock ? other.clock : agreement->clock;
        agreement->reason = other.reason > agreement->reason ? other.reason : agreement->reason;
        agreement->moves |= other.moves;
    }
    return true;
}

/* Others see that it comes. */
static void call(void *context) {}

static bool called(void *context)
{
    struct shared_end *end = context;
    struct shared *shared = end->shared;
    uint32_t came = __atomic_load_n(&shared->came, __ATOMIC_SEQ_CST);
    return came != shared->face[end->options.rank].meetings * shared->ranks ||
           __atomic_load_n(&shared->dead, __ATOMIC_SEQ_CST);
}

static const char *failed(void *context)
{
    return ((struct shared_end *)context)->failed;
}

struct exchange shared_exchange(struct shared_end *end)
{
    return (struct exchange){
        .context = end, .swap = swap, .agree = agree, .call = call, .called = called, .failed = failed};
}
