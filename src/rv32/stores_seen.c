#include "rv32/stores_seen.h"

/* When others see it. One that is still in the queue leaves it when its merge timer ends. A core that stores to one
   place over and over again is seen now and then. */
static uint64_t due_at(const struct rv32 *rv32, const struct rv32_unseen *unseen)
{
    const struct rv32_timing *timing = rv32->timing;
    const struct rv32_queued *last = &timing->stores[(timing->store - 1) % RV32_STORE_QUEUE];
    uint64_t leaves = last->joined + rv32_merge_timer(rv32->core);
    uint64_t written = unseen->written == CLOCK_NEVER ? leaves + rv32_cycles_to_write(unseen->bytes) : unseen->written;
    return clock_sooner(written, unseen->since + TIMING_RV32_STORE_LATEST);
}

/* Exchanges what is in L1 with what is not. */
static void exchange(struct rv32 *rv32, struct rv32_unseen *unseen)
{
    uint8_t *bytes = l1_direct(rv32->l1) + unseen->address;
    for (uint32_t left = unseen->bytes; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint8_t other = unseen->other[i];
        unseen->other[i] = bytes[i];
        bytes[i] = other;
    }
    l1_written(rv32->l1, unseen->address, RV32_LINE);
}

/* The first ones are unseen no longer. */
static void forget(struct rv32_timing *timing, uint32_t count)
{
    timing->unseen_count -= count;
    memmove(timing->unseen, timing->unseen + count, timing->unseen_count * sizeof *timing->unseen);
}

void rv32_store_hides(struct rv32 *rv32, const struct rv32_queued *last, uint32_t address, uint32_t size,
                      const uint8_t *replaced)
{
    struct rv32_timing *timing = rv32->timing;
    if (rv32->l1->code_blocks[address / L1_CODE_BLOCK] && rv32->l1->code[address / 4]) {
        return;
    }
    uint32_t first = address % RV32_LINE, count = timing->unseen_count;
    if (count == 0 || timing->unseen[count - 1].written != CLOCK_NEVER) {
        if (count == RV32_UNSEEN) { /* the first one has left the queue long ago */
            forget(timing, 1);
        }
        count = timing->unseen_count += 1;
        timing->unseen[count - 1] =
            (struct rv32_unseen){.written = last->leaves == CLOCK_NEVER ? CLOCK_NEVER : timing->l1_stores,
                                 .since = last->joined,
                                 .address = address - first};
    }
    struct rv32_unseen *unseen = &timing->unseen[count - 1];
    for (uint32_t i = first; i < first + size; i++) {
        if (!(unseen->bytes >> i & 1)) {
            unseen->other[i] = replaced[i - first];
        }
    }
    unseen->bytes |= ((1u << size) - 1) << first;
}

void rv32_stores_hide(struct rv32 *rv32, uint64_t time)
{
    struct rv32_timing *timing = rv32->timing;
    uint64_t due = 0;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < timing->unseen_count; i++) {
        due = clock_later(due, due_at(rv32, &timing->unseen[i])); /* in their order */
        timing->unseen[i].due = due;
        seen += due < time;
    }
    forget(timing, seen);
    for (uint32_t i = timing->unseen_count; i-- > 0;) { /* several may be to the same place */
        exchange(rv32, &timing->unseen[i]);
    }
}

void rv32_stores_show(struct rv32 *rv32)
{
    for (uint32_t i = 0; i < rv32->timing->unseen_count; i++) {
        exchange(rv32, &rv32->timing->unseen[i]);
    }
}

void rv32_stores_arrive(struct rv32 *rv32, uint64_t time)
{
    struct rv32_timing *timing = rv32->timing;
    uint32_t seen = 0;
    for (; seen < timing->unseen_count && timing->unseen[seen].due <= time; seen++) {
        exchange(rv32, &timing->unseen[seen]);
    }
    forget(timing, seen);
}

void rv32_stores_leave(struct rv32 *rv32, uint64_t time)
{
    struct rv32_timing *timing = rv32->timing;
    uint64_t due = 0;
    for (uint32_t i = 0; i < timing->unseen_count; i++) {
        struct rv32_unseen *unseen = &timing->unseen[i];
        unseen->written = clock_sooner(unseen->written, time + rv32_cycles_to_write(unseen->bytes));
        unseen->due = due = clock_later(due, clock_sooner(unseen->due, unseen->written)); /* in their order */
    }
}

void rv32_stores_look(const struct rv32_timing *timing, uint32_t address, uint8_t *copy, uint32_t size)
{
    for (uint32_t n = 0; n < timing->unseen_count; n++) {
        const struct rv32_unseen *unseen = &timing->unseen[n];
        for (uint32_t left = unseen->bytes; left; left &= left - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(left), offset = unseen->address + i - address;
            if (offset < size) {
                copy[offset] = unseen->other[i];
            }
        }
    }
}
