/* Unpackers and packer as whole kernels set them up: every register of theirs, in the order of the measured kernels,
   because that is part of what is measured. */
#ifndef BHEMU_VALIDATION_ENGINES_H
#define BHEMU_VALIDATION_ENGINES_H

#include "validation/coprocessor.h"

enum { FORMAT_FP32 = 0, FORMAT_BF16 = 5 };
enum { SEM_MATH_PACK = 1, SEM_LOADED = 2, SEM_UNPACK_CONFIG = 5, SEM_MATH_DONE = 7 };
enum { UNTIL_POSTED = 1, UNTIL_ROOM = 2 }; /* what SEMWAIT waits for */
enum { CONFIG = 0xFFEF0000u };

void wait_semaphore(struct program *program, unsigned semaphore, uint32_t until, uint32_t stalled);
void post_semaphore(struct program *program, unsigned semaphore);
void take_semaphore(struct program *program, unsigned semaphore);

/* A dense row of values at `address` to the source register of an unpacker. */
void set_up_unpacker(struct program *program, unsigned unpacker, uint32_t address, uint32_t format);
/* A dense row of FP32 to Dst, from a row of it on. */
void set_up_unpacker_to_dst(struct program *program, uint32_t address, uint32_t row);
void set_unpacker_address(struct program *program, unsigned unpacker, uint32_t address);

/* Tells the unpackers that their configuration is complete, by a semaphore. */
void commit_unpackers(struct program *program, unsigned unpacker);

uint32_t unpack_word(unsigned unpacker);

/* Rows of Dst of 32 bits to dense data. A MOP then packs `rows` of them. */
void set_up_packer(struct program *program, uint32_t format);
void set_up_packed_rows(struct program *program, uint32_t rows);

/* Where the packer writes, by way of GPRs. */
void set_packer_address(struct program *program, uint32_t address);

/* Registers of programs that find out when they run how many values they move. AMOUNT: of bytes to load, or of values
   to pack. */
enum { AMOUNT = S0, WHOLE = S1, TAIL = S2, WORD = S3 };

/* A MOP of which one word of nine is in a register. */
void write_mop_of(struct program *program, const uint32_t words[9], unsigned index, unsigned in_register);

/* SETADCXX of as many values as TAIL. */
void push_tail(struct program *program, uint32_t setadcxx);

/* AMOUNT bytes of FP32 to rows of Dst, when the Matrix Unit's thread has made room; its thread is then told. */
void load_to_dst(struct program *program, uint32_t address, uint32_t row, bool stochastic);

/* AMOUNT values of Dst, from a row of a tile on, to L1, when the Matrix Unit's thread has published them. */
struct packing {
    uint32_t address, tile, row, format;
    bool stochastic;
};
void pack_from_dst(struct program *program, const struct packing *packing);

/* Begins programs of cores that all start at once, as firmware has them do, in code that they have not fetched. The
   first of them initialises the semaphores. */
void begin_together(struct program *program, bool first, uint32_t address);

#endif
