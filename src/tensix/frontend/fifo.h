/* A FIFO of a frontend: instructions on their way from a core to the expanders. */
#ifndef BHEMU_TENSIX_FRONTEND_FIFO_H
#define BHEMU_TENSIX_FRONTEND_FIFO_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tensix/units/thread.h"

/* Pushes a word into a FIFO. false: it is full, nothing happened. */
static inline bool fifo_push(struct instruction_fifo *fifo, uint32_t word, uint32_t pc)
{
    if (fifo->count == FIFO_CAPACITY) {
        return false;
    }
    fifo->entries[(fifo->head + fifo->count) % FIFO_CAPACITY] = (struct pushed){.word = word, .pc = pc};
    fifo->count++;
    return true;
}

/* The entry that comes as number `i` from the first on. */
static inline const struct pushed *fifo_entry(const struct instruction_fifo *fifo, uint32_t i)
{
    return &fifo->entries[(fifo->head + i) % FIFO_CAPACITY];
}

/* Whether the `count` entries from number `i` on, all of which it has, are those. */
static inline bool fifo_holds(const struct instruction_fifo *fifo, uint32_t i, const struct pushed *entries,
                              uint32_t count)
{
    uint32_t first = (fifo->head + i) % FIFO_CAPACITY, straight = FIFO_CAPACITY - first;
    straight = straight < count ? straight : count;
    return memcmp(&fifo->entries[first], entries, straight * sizeof *entries) == 0 &&
           (straight == count || memcmp(fifo->entries, entries + straight, (count - straight) * sizeof *entries) == 0);
}

static inline bool fifo_holds_opcode(const struct instruction_fifo *fifo, unsigned opcode)
{
    for (uint32_t i = 0; i < fifo->count; i++) {
        if (fifo_entry(fifo, i)->word >> 24 == opcode) {
            return true;
        }
    }
    return false;
}

/* Takes out the first `count` entries. */
static inline void fifo_leave_out(struct instruction_fifo *fifo, uint32_t count)
{
    fifo->head = (fifo->head + count) % FIFO_CAPACITY;
    fifo->count -= count;
}

static inline struct pushed fifo_pop(struct instruction_fifo *fifo)
{
    struct pushed first = fifo->entries[fifo->head];
    fifo_leave_out(fifo, 1);
    return first;
}

#endif
