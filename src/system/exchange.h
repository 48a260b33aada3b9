/* How what chips have sent in an epoch gets to the chips at the other ends of their links. It is put behind what is on
   its way there already (chip/ethernet/wire.h), in the order in which the channel sent it; when it arrives, it says
   itself. */
#ifndef BHEMU_SYSTEM_EXCHANGE_H
#define BHEMU_SYSTEM_EXCHANGE_H

#include <stdbool.h>

struct bh_system;

struct exchange {
    void *context;
    /* Called when all chips are at the end of an epoch, or at any clock at which nothing on any chip was running: takes
       all that was sent. *any: whether that was anything, on any chip of the system. false: there is no memory. */
    bool (*swap)(void *context, struct bh_system *system, bool *any);
};

/* All chips are in this process. */
struct exchange exchange_in_process(void);

#endif
