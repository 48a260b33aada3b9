/* Accesses of the coprocessor to registers of its tile: those of LOADREG, STOREREG, STOREIND, STREAMWRCFG,
   STREAMWAIT, PACR_SETREG and UNPACR_NOP. Addresses are those of the RISC-V cores' memory map, aligned to words.
   Source: ISA documentation BabyRISCV/README.md (memory map), NoC/Overlay. */
#ifndef BHEMU_TENSIX_UNITS_BUS_H
#define BHEMU_TENSIX_UNITS_BUS_H

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

/* PACR_SETREG and UNPACR_NOP write at 0xffb00000 plus an offset that is the sum of 4096 times six bits of the
   instruction and a base of twelve bits. bus_window_base() gives the base: that of the first or second of two, which
   the low 24 bits of `addresses` describe. bus_store_in_window() leaves out what is beyond the window and gives a
   diagnostic to `instruction` for what is below it. */
uint32_t bus_window_base(uint32_t addresses, unsigned second);
enum step bus_store_in_window(const struct tensix *tensix, const char *instruction, uint32_t offset, uint32_t value);

#endif
