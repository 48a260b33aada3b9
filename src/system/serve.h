/* A process that has chips of a system for hosts of other processes (system/message.h): it carries out what they do to
   its chips, and lets time pass together with the others that have chips of the system.

   One host may see all chips: then it speaks to all processes, and time passes when it says so. Or each process has a
   host of its own, which sees the chips of that process. Then time passes for all as far as any host wants it to; a
   host that does not want it to sleeps, and finds at its next call that it has. In lockstep it passes only as far as
   every host that has opened its chips wants it to: what hosts do then happens at clocks that depend on nothing but
   what they do.

   Processes agree (system/exchange.h) on each stretch of time, and on the end: no process waits for others that do
   not come, unless one of them dies, which the exchange finds out. */
#ifndef BHEMU_SYSTEM_SERVE_H
#define BHEMU_SYSTEM_SERVE_H

#include "bhemu/system.h"
#include "system/part.h"

struct serve_options {
    const struct bh_topology *topology;
    struct system_part part;
    int listening;         /* the socket to which hosts come */
    const char *addresses; /* of all processes: HOST_ADDRESS bytes each */
    bool each;             /* each process has a host of its own */
    bool lockstep;
    bool once;          /* no other host comes when the first one has gone */
    volatile int *host; /* becomes the socket of the host that is there, for a signal handler; -1: none; may be null */
    unsigned patience;  /* seconds, after which a process, or a host in lockstep, that does not answer is given up */
};

/* Returns when whoever has started the processes has told so (serve_end()). BH_ERROR_LOST: another process was lost, or
   hosts do not fit together; *error says so. */
enum bh_status serve(const struct serve_options *options, struct bh_error *error);

/* Tells the process with this address that no more hosts will come. false: it is not there any more. */
bool serve_end(const char *address);

#endif
