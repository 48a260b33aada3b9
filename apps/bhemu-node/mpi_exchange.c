#include "mpi_exchange.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "system/state.h"

enum {
    PIECE = 64 * 1024, /* bytes of the message that neighbours exchange in every epoch; what is more follows */
    SPINS = 2000,      /* looks before a process sleeps between two of them */
    SLEEP = 50 * 1000, /* nanoseconds */
    FIRST = 1,         /* tags */
    REST,
    CALL
};

/* A rank that has chips at other ends of links. */
struct neighbour {
    unsigned rank;
    uint8_t *sent, *received; /* PIECE bytes each: how many bytes there are in all, and the first of them */
    struct wire_buffer rest;  /* all that has come */
};

struct mpi_exchange {
    struct mpi_options options;
    int rank, ranks;
    struct neighbour *neighbour;
    unsigned neighbours;
    MPI_Request *requests;  /* persistent ones: of each neighbour to send, and to receive */
    struct wire_buffer *to; /* by rank */
    uint64_t agreements;    /* so far */
    uint64_t calling;       /* before which agreement this rank has called others last: how many there were */
    uint64_t called_for;    /* the same of the last call that has come, and one more; 0: none has */
    MPI_Request *calls;     /* what was sent then, by rank */
    char failed[200];
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct mpi_exchange *mpi_exchange_create(const struct mpi_options *options)
{
    struct mpi_exchange *mpi = calloc(1, sizeof *mpi);
    if (!mpi) {
        return NULL;
    }
    mpi->options = *options;
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi->ranks);
    mpi->to = calloc((size_t)mpi->ranks, sizeof *mpi->to);
    mpi->calls = malloc((size_t)mpi->ranks * sizeof(MPI_Request));
    if (!mpi->to || !mpi->calls) {
        free(mpi->to);
        free(mpi->calls);
        free(mpi);
        return NULL;
    }
    for (int rank = 0; rank < mpi->ranks; rank++) {
        mpi->calls[rank] = MPI_REQUEST_NULL;
    }
    return mpi;
}

void mpi_exchange_destroy(struct mpi_exchange *mpi)
{
    if (!mpi) {
        return;
    }
    for (unsigned i = 0; i < mpi->neighbours; i++) {
        MPI_Request_free(&mpi->requests[2 * i]);
        MPI_Request_free(&mpi->requests[2 * i + 1]);
        free(mpi->neighbour[i].sent);
        free(mpi->neighbour[i].received);
        free(mpi->neighbour[i].rest.bytes);
    }
    for (int rank = 0; rank < mpi->ranks; rank++) {
        free(mpi->to[rank].bytes);
    }
    MPI_Waitall(mpi->ranks, mpi->calls, MPI_STATUSES_IGNORE);
    free(mpi->calls);
    free(mpi->requests);
    free(mpi->neighbour);
    free(mpi->to);
    free(mpi);
}

/* Finds the neighbours, once the system is there. */
static bool meet_neighbours(struct mpi_exchange *mpi, const struct bh_system *system)
{
    bool *linked = calloc((size_t)mpi->ranks, sizeof *linked);
    if (mpi->requests || !linked) {
        free(linked);
        return mpi->requests != NULL;
    }
    for (unsigned i = 0; i < system->own; i++) {
        for (unsigned channel = 0; channel < BOARD_PORTS; channel++) {
            const struct board_port *port = &system->chip[i].place->port[channel];
            linked[mpi->options.owner[port->number]] |= port->linked;
        }
    }
    linked[mpi->rank] = false;
    mpi->neighbour = calloc((size_t)mpi->ranks, sizeof *mpi->neighbour);
    mpi->requests = calloc(2 * (size_t)mpi->ranks, sizeof *mpi->requests);
    bool done = mpi->neighbour && mpi->requests;
    for (int rank = 0; done && rank < mpi->ranks; rank++) {
        struct neighbour *one = &mpi->neighbour[mpi->neighbours];
        if (!linked[rank]) {
            continue;
        }
        one->rank = (unsigned)rank;
        one->sent = malloc(PIECE);
        one->received = malloc(PIECE);
        done = one->sent && one->received;
        if (done) {
            MPI_Send_init(one->sent, PIECE, MPI_BYTE, rank, FIRST, MPI_COMM_WORLD, &mpi->requests[2 * mpi->neighbours]);
            MPI_Recv_init(one->received, PIECE, MPI_BYTE, rank, FIRST, MPI_COMM_WORLD,
                          &mpi->requests[2 * mpi->neighbours + 1]);
            mpi->neighbours++;
        }
    }
    free(linked);
    return done;
}

/* Whether the requests of neighbour i have ended; those of all if i is the number of neighbours. */
static bool are_done(MPI_Request *requests, unsigned count)
{
    int done;
    MPI_Testall((int)count, requests, &done, MPI_STATUSES_IGNORE);
    return done != 0;
}

/* The first neighbour whose requests have not ended; what a rank waits for otherwise is all others. */
static unsigned first_missing(const struct mpi_exchange *mpi, MPI_Request *requests, unsigned count)
{
    unsigned others = mpi->rank == 0 ? 1 : 0;
    for (unsigned i = 0; i < count && count == 2 * mpi->neighbours; i++) {
        int done;
        MPI_Request_get_status(requests[i], &done, MPI_STATUS_IGNORE);
        if (!done) {
            return mpi->neighbour[i / 2].rank;
        }
    }
    return others;
}

static bool wait_for(struct mpi_exchange *mpi, MPI_Request *requests, unsigned count, uint64_t clock)
{
    const struct timespec sleep = {.tv_nsec = SLEEP};
    double began = 0;
    bool slow = false;
    for (unsigned looks = 0; !are_done(requests, count); looks++) {
        if (looks < SPINS) {
            continue;
        }
        double now = seconds();
        began = began > 0 ? began : now;
        if (!slow && mpi->options.slow && now - began > mpi->options.slow) {
            slow = true;
            mpi->options.on_slow(first_missing(mpi, requests, count), clock);
        }
        if (now - began > mpi->options.patience) {
            char name[SYSTEM_PART_NAME];
            (void)snprintf(mpi->failed, sizeof mpi->failed, "%s has not answered for %u s at cycle %llu",
                           system_name_part("rank", first_missing(mpi, requests, count), mpi->options.owner,
                                            mpi->options.chips, name),
                           mpi->options.patience, (unsigned long long)clock);
            return false;
        }
        nanosleep(&sleep, NULL);
    }
    return true;
}

static uint64_t size_of(const uint8_t *piece)
{
    uint64_t size;
    memcpy(&size, piece, sizeof size);
    return size;
}

enum { ROOM = PIECE - sizeof(uint64_t) };

static bool make_room(struct wire_buffer *buffer, uint64_t size)
{
    if (buffer->room < size) {
        uint8_t *more = realloc(buffer->bytes, size);
        if (!more) {
            return false;
        }
        buffer->bytes = more;
        buffer->room = size;
    }
    return true;
}

/* What did not fit into the first message of an epoch. */
static bool exchange_rest(struct mpi_exchange *mpi, uint64_t clock)
{
    bool done = true;
    unsigned count = 0;
    MPI_Request *requests = calloc(2 * (size_t)mpi->neighbours + 1, sizeof *requests);
    for (unsigned i = 0; requests && done && i < mpi->neighbours; i++) {
        struct neighbour *one = &mpi->neighbour[i];
        const struct wire_buffer *to = &mpi->to[one->rank];
        uint64_t comes = size_of(one->received);
        done = make_room(&one->rest, comes);
        if (done && to->size > ROOM) {
            MPI_Isend(to->bytes + ROOM, (int)(to->size - ROOM), MPI_BYTE, (int)one->rank, REST, MPI_COMM_WORLD,
                      &requests[count++]);
        }
        if (done && comes > ROOM) {
            MPI_Irecv(one->rest.bytes + ROOM, (int)(comes - ROOM), MPI_BYTE, (int)one->rank, REST, MPI_COMM_WORLD,
                      &requests[count++]);
        }
        if (done && comes) {
            memcpy(one->rest.bytes, one->received + sizeof(uint64_t), comes < ROOM ? comes : ROOM);
        }
    }
    done = requests && done && (count == 0 || wait_for(mpi, requests, count, clock));
    free(requests);
    return done;
}

static bool no_memory(struct mpi_exchange *mpi)
{
    if (!mpi->failed[0]) {
        (void)snprintf(mpi->failed, sizeof mpi->failed, "the host has no memory for what chips send to each other");
    }
    return false;
}

static bool swap(void *context, struct bh_system *system, bool *sent)
{
    struct mpi_exchange *mpi = context;
    if (!meet_neighbours(mpi, system) || !exchange_take(system, mpi->to, sent)) {
        return no_memory(mpi);
    }
    for (unsigned i = 0; i < mpi->neighbours; i++) {
        struct neighbour *one = &mpi->neighbour[i];
        const struct wire_buffer *to = &mpi->to[one->rank];
        uint64_t size = to->size;
        memcpy(one->sent, &size, sizeof size);
        if (size) {
            memcpy(one->sent + sizeof size, to->bytes, size < ROOM ? size : ROOM);
        }
    }
    if (mpi->neighbours) {
        MPI_Startall(2 * (int)mpi->neighbours, mpi->requests);
        if (!wait_for(mpi, mpi->requests, 2 * mpi->neighbours, system->clock) || !exchange_rest(mpi, system->clock)) {
            return no_memory(mpi);
        }
    }
    for (unsigned i = 0; i < mpi->neighbours; i++) {
        struct neighbour *one = &mpi->neighbour[i];
        mpi->to[one->rank].size = mpi->to[one->rank].at = 0;
        if (!exchange_put(system, one->rest.bytes, size_of(one->received))) {
            return no_memory(mpi);
        }
    }
    return true;
}

static bool agree(void *context, uint64_t clock, struct agreement *agreement)
{
    struct mpi_exchange *mpi = context;
    uint64_t own[3] = {agreement->clock, agreement->reason, agreement->moves}, all[3];
    MPI_Request request;
    MPI_Iallreduce(own, all, 3, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD, &request);
    if (!wait_for(mpi, &request, 1, clock)) {
        return false;
    }
    mpi->agreements++;
    *agreement = (struct agreement){.clock = all[0], .reason = (uint32_t)all[1], .moves = (uint32_t)all[2]};
    return true;
}

static void call(void *context)
{
    struct mpi_exchange *mpi = context;
    MPI_Waitall(mpi->ranks, mpi->calls, MPI_STATUSES_IGNORE); /* they have come: others have agreed since then */
    mpi->calling = mpi->agreements;
    for (int rank = 0; rank < mpi->ranks; rank++) {
        if (rank != mpi->rank) {
            MPI_Isend(&mpi->calling, 1, MPI_UINT64_T, rank, CALL, MPI_COMM_WORLD, &mpi->calls[rank]);
        }
    }
}

/* Calls for what has been agreed on meanwhile have come to nothing. */
static bool called(void *context)
{
    struct mpi_exchange *mpi = context;
    int any = 1;
    MPI_Status status;
    for (;;) {
        uint64_t count;
        MPI_Iprobe(MPI_ANY_SOURCE, CALL, MPI_COMM_WORLD, &any, &status);
        if (!any) {
            return mpi->called_for == mpi->agreements + 1;
        }
        MPI_Recv(&count, 1, MPI_UINT64_T, status.MPI_SOURCE, CALL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        mpi->called_for = count + 1 > mpi->called_for ? count + 1 : mpi->called_for;
    }
}

static const char *failed(void *context)
{
    return ((struct mpi_exchange *)context)->failed;
}

struct exchange mpi_exchange(struct mpi_exchange *mpi)
{
    return (struct exchange){
        .context = mpi, .swap = swap, .agree = agree, .call = call, .called = called, .failed = failed};
}
