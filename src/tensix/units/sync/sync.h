/* The sync unit: mutexes and semaphores between the three threads, and wait instructions, which it latches. ATGETM,
   ATRELM, SEMINIT, SEMPOST, SEMGET, SEMWAIT, STALLWAIT, STREAMWAIT. Sources: chapter "stallwait conditions"; ISA
   documentation SyncUnit.md. */
#ifndef BHEMU_TENSIX_UNITS_SYNC_SYNC_H
#define BHEMU_TENSIX_UNITS_SYNC_SYNC_H

#include <stdbool.h>
#include <stdint.h>

enum { SEMAPHORES = 8, SEMAPHORE_LIMIT = 15, MUTEXES = 8, MUTEX_FREE = 0xff };

struct sync_unit {
    struct {
        uint8_t value; /* 0..15 */
        uint8_t max;   /* 0..15; matters to SEMWAIT only */
    } semaphore[SEMAPHORES];
    uint8_t mutex_owner[MUTEXES];   /* thread, or MUTEX_FREE */
    uint8_t mutex_waiters[MUTEXES]; /* bit i: ATGETM of thread i waits for it */
};

/* All semaphores at zero, all mutexes free. */
void sync_reset(struct sync_unit *sync);

/* Whether there is a mutex of this number: 0, 2, 3 and 4 on Blackhole. */
bool sync_mutex_exists(unsigned mutex);

/* SEMPOST and SEMGET, also for the semaphore window of the RISC-V cores: they saturate. */
void sync_semaphore_post(struct sync_unit *sync, unsigned semaphore);
void sync_semaphore_get(struct sync_unit *sync, unsigned semaphore);

#endif
