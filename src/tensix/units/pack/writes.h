/* What the packer writes to L1: at once in functional mode; in timed mode when silicon has it there, so that a program
   that does not wait for the packer reads what stood there before. Up to then the bytes are kept here. The packer's own
   reads of L1 follow its writes. With jitter, in both modes, a PACR writes nothing before it is due (units/lag.h). */
#ifndef BHEMU_TENSIX_UNITS_PACK_WRITES_H
#define BHEMU_TENSIX_UNITS_PACK_WRITES_H

#include "memory/l1.h"
#include "tensix/units/pack/address.h"
#include "tensix/units/state.h"
#include "time/clock.h"

/* Appended to the writes that are on their way; those that find no room there make the others arrive early. Returns
   where the bytes go, which are those of L1 so far. */
uint8_t *pack_write_later(struct tensix *tensix, uint32_t address, uint32_t size);

/* Of the last write to `address`, only the first `size` bytes were written. */
void pack_write_ends(struct tensix *tensix, uint32_t address, uint32_t size);

/* The PACR that has just executed has its bytes in L1 at `time`. */
void pack_writes_due(struct pack_writes *writes, uint64_t time);

/* What is due until `time` arrives. Returns whether anything did. */
bool pack_writes_arrive(struct tensix *tensix, uint64_t time);

/* When the next one arrives; CLOCK_NEVER: none is on its way. They arrive in their order. */
static inline uint64_t pack_writes_next(const struct pack_writes *writes)
{
    return writes->count ? writes->of[0].due : CLOCK_NEVER;
}

/* Pointer for writing at most `size` bytes from `address` on; pack_end_write() is to be called afterwards. */
static inline uint8_t *pack_begin_write(struct tensix *tensix, uint32_t address, uint32_t size)
{
    return __builtin_expect(tensix->defers, 0) ? pack_write_later(tensix, address, size)
                                               : l1_begin_write(tensix->l1, address);
}

static inline void pack_end_write(struct tensix *tensix, uint32_t address, uint32_t size)
{
    if (__builtin_expect(tensix->defers, 0)) {
        pack_write_ends(tensix, address, size);
    } else {
        l1_end_write(tensix->l1, pack_actor, address, size);
    }
}

/* Copies `size` bytes to L1; size may be 0. */
static inline void pack_put(struct tensix *tensix, uint32_t address, const void *data, uint32_t size)
{
    if (size) {
        memcpy(pack_begin_write(tensix, address, size), data, size);
        pack_end_write(tensix, address, size);
    }
}

/* [address, address + size) of L1, to be read. */
static inline const uint8_t *pack_read(struct tensix *tensix, uint32_t address, uint32_t size)
{
    if (__builtin_expect(tensix->defers, 0)) {
        (void)pack_writes_arrive(tensix, CLOCK_NEVER);
        lag_settle(tensix, 1u << BUSY_PACK, TENSIX_THREADS);
    }
    return l1_read(tensix->l1, pack_actor, address, size);
}

#endif
