/* Instructions that start transfers and wait for them, as kernels do: the registers of an initiator one after the
   other, and a poll of a counter. */
#ifndef BHEMU_VALIDATION_TRANSFERS_H
#define BHEMU_VALIDATION_TRANSFERS_H

#include "noc/niu.h"
#include "validation/program.h"

enum { READ_BUFFER = 1, WRITE_BUFFER = 0 };
enum {
    CTRL_READ = 0x2090, /* response marked, static virtual channel 1 */
    CTRL_WRITE = 0x2092,
    CTRL_BROADCAST = 0xA132, /* path reserved, static virtual channel 5 */
};

/* Registers of these programs. */
enum { AT = T3, TEMPORARY = T4, FROM = S2, TO = S3, LENGTH = S4, HERE = S5, EXPECTED = S6, ROUNDS = S0, THERE = S9 };

/* The first register of an initiator. */
uint32_t niu(unsigned noc, unsigned buffer);

/* A constant, always by two instructions. */
void emit_address(struct program *program, unsigned rd, uint32_t address);

/* LENGTH bytes from FROM of the tile THERE to TO of the tile HERE, and from FROM of this tile to TO of the tile THERE;
   `control` is NOC_CTRL. They use AT and TEMPORARY. */
void emit_read(struct program *program, unsigned noc);
void emit_write(struct program *program, unsigned noc, uint32_t control);

/* Waits until a counter has come to EXPECTED. */
void emit_await(struct program *program, unsigned noc, unsigned counter);

#endif
