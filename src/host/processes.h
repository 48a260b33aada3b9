/* Processes of this machine that have the chips of a system (system/shared.h): they are forked, watched, and end with
   the one that has forked them. */
#ifndef BHEMU_HOST_PROCESSES_H
#define BHEMU_HOST_PROCESSES_H

#include <sys/types.h>

#include "bhemu/device.h"
#include "bhemu/error.h"
#include "system/shared.h"

struct processes {
    unsigned ranks;
    struct shared *shared;
    /* What each process does; it exits with what this returns. */
    int (*run)(void *context, unsigned rank);
    /* Whether one that has ended, with such a status of waitpid(), has done what it should. */
    bool (*ended_well)(void *context, unsigned rank, int status);
    void *context;
    pid_t pids[SHARED_RANKS]; /* 0: it has ended */
    unsigned dead;            /* the first that has died; ranks: none has */
    int how;                  /* it has */
};

/* Returns in the calling process. If one can not be started *error says so; processes_look() goes on with the others,
   which notice it. */
enum bh_status processes_start(struct processes *all, struct bh_error *error);

/* Notices which have ended, and tells the others of one that has died. Returns how many are left. The caller may have
   other children, which are not waited for. */
unsigned processes_look(struct processes *all);

/* "was ended by signal 9" */
const char *process_end(int how, char text[60]);

#endif
