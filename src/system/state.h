/* What the files behind include/bhemu/system.h share: the system itself. */
#ifndef BHEMU_SYSTEM_STATE_H
#define BHEMU_SYSTEM_STATE_H

#include <pthread.h>

#include "bhemu/system.h"
#include "chip/pool.h"
#include "chip/wired.h"
#include "system/part.h"

enum { SYSTEM_NOT_OWN = 0xffff };

struct alike_reports;
struct nodes;

/* Diagnostics of a chip that were not yet handed on. */
struct told {
    struct bh_diagnostic *entries;
    unsigned count, room;
    bool lost; /* there was no memory for one */
};

struct system_chip {
    struct bh_system *system;
    struct bh_device *device;
    const struct wired_place *place; /* and where its links lead */
    struct told told;
    uint64_t riscv_instructions, tensix_instructions; /* in all */
    struct bh_run_result result;                      /* of what it has run of the epoch in the last call */
    enum bh_run_reason reason;
};

struct bh_system {
    struct bh_system_config config;
    struct nodes *nodes; /* other processes have all chips (system/nodes.h); null: they do not */
    unsigned count;      /* of all chips */
    struct system_part part;
    unsigned own;             /* chips of this process, */
    struct system_chip *chip; /* in the order of their numbers; */
    uint16_t *own_of;         /* by number, which of them that is: SYSTEM_NOT_OWN: another process has it */
    struct wired_place *places;
    struct rv32_translator translator; /* of all own chips */
    struct pool *pool;                 /* chips run on its threads; null: on the calling one */
    pthread_mutex_t host;              /* host_read() and host_write() are called by one thread at a time */
    uint64_t clock;                    /* of all chips, but for what they have left of the part that they run */
    uint64_t exchanged_at;             /* when something was last sent from a chip to another */
    enum bh_run_reason reason;         /* why chips did not run on, of all processes */
    uint64_t ended_at;                 /* system_ended_at() */
    uint64_t spin_check;               /* the clock at which the next look is due whether all cores spin */
    bool running;                      /* chips run: what they tell waits until they do not */
    bool lost;                         /* processes have lost each other */
    bool halted;                       /* an error has stopped a chip of all processes, and the epoch has ended */
    bool explained;                    /* a deadlock was told of, and nothing has come since */
    bool served;                       /* hosts of other processes put reports together */
    struct alike_reports *gathered;    /* not null: what chips tell now is a report, and is told when all are there */
};

/* The callbacks of a chip's device, whose context is struct system_chip. */
void system_chip_tells(void *context, const struct bh_diagnostic *diagnostic);
void system_chip_reads(void *context, uint64_t address, void *data, uint32_t size);
void system_chip_writes(void *context, uint64_t address, const void *data, uint32_t size);

/* Tells of the deadlock of each chip that is in one: device_explain(). Of chips that say the same one speaks for all
   (system/alike.h). */
void system_explain(struct bh_system *system, unsigned limit);

/* Ends the threads, as pool_dismiss() does. */
void system_dismiss(struct bh_system *system);

/* Hands on what chips have told, in the order of their numbers. The second hands on, or gathers, one diagnostic. */
void system_tell(struct bh_system *system);
void system_hand_on(struct bh_system *system, const struct bh_diagnostic *diagnostic);

/* What chips tell in between are reports. */
void system_gather(struct bh_system *system);
void system_tell_gathered(struct bh_system *system);

#endif
