/* The exchange between processes of several machines, by MPI (system/exchange.h). Processes whose chips are linked send
   each other what was sent in an epoch, if only that it was nothing; then all agree. */
#ifndef BHEMU_APPS_NODE_MPI_EXCHANGE_H
#define BHEMU_APPS_NODE_MPI_EXCHANGE_H

#include "system/part.h"

struct mpi_exchange;

struct mpi_options {
    const uint16_t *owner; /* by chip: its rank */
    unsigned chips;
    unsigned patience; /* seconds, after which a rank that does not answer is given up */
    unsigned slow;     /* seconds, after which on_slow is called, once for each wait */
    void (*on_slow)(unsigned rank, uint64_t clock);
};

/* Of this rank; MPI has been initialised. Null: there is no memory. */
struct mpi_exchange *mpi_exchange_create(const struct mpi_options *options);
void mpi_exchange_destroy(struct mpi_exchange *mpi);
struct exchange mpi_exchange(struct mpi_exchange *mpi);

#endif
