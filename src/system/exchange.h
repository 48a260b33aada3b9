/* How processes that own the chips of a system keep in step. What chips have sent in an epoch gets to the chips at the
   other ends of their links: it is put behind what is on its way there already (chip/ethernet/wire.h), in the order in
   which the channel sent it; when it arrives, it says itself. And processes agree on what all of them are to do next.
   One process may own all chips; then there is nothing to agree on. */
#ifndef BHEMU_SYSTEM_EXCHANGE_H
#define BHEMU_SYSTEM_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

struct bh_system;
struct wire_buffer;
struct wire_message;

/* What one process knows, and then the greatest of each, over all processes. */
struct agreement {
    uint64_t clock;  /* the latest of its chips */
    uint32_t reason; /* why its chips do not run on; greater ones outweigh others */
    uint32_t moves;  /* whether anything was sent, or some core does not spin */
};

struct exchange {
    void *context;
    /* When all chips are at the end of an epoch: takes all that was sent. *sent: whether that was anything, of this
       process. false: it did not get there, and the system can not go on; `failed` says why. */
    bool (*swap)(void *context, struct bh_system *system, bool *sent);
    /* Null: there are no other processes. clock: of this process, for what is said when another one does not come.
       false: as above. */
    bool (*agree)(void *context, uint64_t clock, struct agreement *agreement);
    /* For processes that do something else until others want to agree: this one will next, and whether another one
       does. Null: there are none. */
    void (*call)(void *context);
    bool (*called)(void *context);
    /* Why one of these has failed, in one line. */
    const char *(*failed)(void *context);
};

/* All chips are in this process. */
struct exchange exchange_in_process(void);

/* Takes all that the chips of this process have sent. What goes to others of them is put on its way; the rest comes
   into to[], by the number of the process that owns the receiver, with the receiver's chip and channel in the message.
   false: there is no memory. */
bool exchange_take(struct bh_system *system, struct wire_buffer *to, bool *sent);

/* Puts messages, as exchange_take() has left them at another process, on their way. false: there is no memory, or these
   are no such messages. */
bool exchange_put(struct bh_system *system, const void *messages, uint64_t size);

#endif
