/* Accesses of the coprocessor to registers of its tile: those of LOADREG, STOREREG, STOREIND, STREAMWRCFG,
   STREAMWAIT, PACR_SETREG and UNPACR_NOP. Addresses are those of the RISC-V cores' memory map, aligned to words.
   Source: ISA documentation BabyRISCV/README.md (memory map), NoC/Overlay. */
#ifndef BHEMU_TENSIX_UNITS_BUS_H
#define BHEMU_TENSIX_UNITS_BUS_H

#include <stdint.h>

#include "debug/diagnostic.h"

struct tensix;

enum {
    NOC_STREAM_REGISTERS = 0x400, /* bytes between the registers of two streams */
    NOC_STREAMS = 64,
};

/* Reads or writes one register. Without a connected bus there is a diagnostic. */
enum step bus_load(const struct tensix *tensix, uint32_t address, uint32_t *value);
enum step bus_store(const struct tensix *tensix, uint32_t address, uint32_t value);

/* NOC_STREAM_READ_REG of the documentation: register `index` of overlay stream `stream`. */
enum step bus_load_stream(const struct tensix *tensix, uint32_t stream, uint32_t index, uint32_t *value);

/* NOC_STREAM_WRITE_REG. */
enum step bus_store_stream(const struct tensix *tensix, uint32_t stream, uint32_t index, uint32_t value);

/* PACR_SETREG and UNPACR_NOP write to 0xffb00000 plus 4096 times six bits of the instruction plus a base of twelve
   bits. bus_window_base() extracts the base: the first or second of two in the low 24 bits of `addresses`.
   bus_store_in_window() ignores stores beyond the window, and gives those below it a diagnostic that names
   `instruction`. */
uint32_t bus_window_base(uint32_t addresses, unsigned second);
enum step bus_store_in_window(const struct tensix *tensix, const char *instruction, uint32_t offset, uint32_t value);

#endif
