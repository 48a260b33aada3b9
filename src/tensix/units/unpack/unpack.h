/* The two unpackers: UNPACR and UNPACR_NOP. Unpacker 0 moves datums from L1 to SrcA or to Dst, unpacker 1 to SrcB,
   converting them on their way; each fills a bank of its register file and hands it to the matrix unit.
   UNPACR_NOP may also write registers of the tile, among others the sum of such writes.
   An instruction waits until the bank that it fills is the unpackers', at its gate or within the unpacker (begun.h). It
   changes Src, Dst, the owners of Src banks, the ADCs and the state below; it reads L1 and configuration.
   Errors: configuration and addresses that the documentation does not define (UndefinedBehavior).
   Sources: ISA documentation UNPACR_Regular.md, UNPACR_IncrementContextCounter.md, UNPACR_FlushCache.md,
   UNPACR_NOP_*.md, Unpackers/README.md; chapter "unpack data path"; descriptions of the instructions' fields in the
   vendor's kernel library. */
#ifndef BHEMU_TENSIX_UNITS_UNPACK_UNPACK_H
#define BHEMU_TENSIX_UNITS_UNPACK_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

enum { UNPACKERS = 2, UNPACK_CONTEXTS = 8 };

struct unpack_unit {
    uint8_t context_counter[UNPACKERS][3]; /* ContextCounter[thread]: 3 bits */
    uint32_t register_sum[UNPACKERS];      /* SetRegAcc: 17 bits */
    uint8_t begun[UNPACKERS];              /* instructions that wait for a bank within the unpacker */
    uint8_t may_begin;                     /* functional mode: a bit for each thread whose next one may wait there */
};

static inline unsigned unpack_all_begun(const struct unpack_unit *unit)
{
    return (unsigned)unit->begun[0] + unit->begun[1];
}

#endif
