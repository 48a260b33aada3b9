/* Accesses of the coprocessor to registers of its tile: those of LOADREG, STOREREG, STOREIND, STREAMWRCFG,
   STREAMWAIT and UNPACR_NOP. Addresses are those of the RISC-V cores' memory map, aligned to words. Source: ISA
   documentation BabyRISCV/README.md (memory map), NoC/Overlay. */
#ifndef BHEMU_TENSIX_BUS_H
#define BHEMU_TENSIX_BUS_H

#include <stdint.h>

#include "debug/diagnostic.h"

struct tensix;

enum {
    NOC_STREAM_REGISTERS = 0x400, /* words of one stream */
    NOC_STREAMS = 64,
};

/* Reads or writes one register. A tensix that no tile has connected to a bus gives a diagnostic. */
enum step bus_load(const struct tensix *tensix, uint32_t address, uint32_t *value);
enum step bus_store(const struct tensix *tensix, uint32_t address, uint32_t value);

/* NOC_STREAM_READ_REG of the documentation: register `index` of overlay stream `stream`. */
enum step bus_load_stream(const struct tensix *tensix, uint32_t stream, uint32_t index, uint32_t *value);

/* NOC_STREAM_WRITE_REG. */
enum step bus_store_stream(const struct tensix *tensix, uint32_t stream, uint32_t index, uint32_t value);

#endif
