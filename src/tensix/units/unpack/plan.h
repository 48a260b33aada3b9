/* Fast path of the unpackers for the most common case: uncompressed data that go to adjacent places of SrcA or SrcB,
   without shifts, upsampling and a ring buffer. What configuration says of such a UNPACR is resolved once and cached
   together with the words that it depends on: the plan is valid as long as they are the same, whoever writes them. Base
   addresses, strides and counters are not among them: they are read each time. */
#ifndef BHEMU_TENSIX_UNITS_UNPACK_PLAN_H
#define BHEMU_TENSIX_UNITS_UNPACK_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct tensix;

/* The words of an unpacker's section that say what becomes of its data, and the bits of an instruction that do. */
enum { UNPACK_KEY_WORDS = 12, UNPACK_PLANNED_CONTEXTS = 2 };
#define UNPACK_KEY_WORD UINT32_C(0xff803fbe)

/* Plain data, made anew from nothing. */
struct unpack_plan {
    bool known, covers; /* made; and for what it was made is of that kind */
    uint8_t thread;
    uint8_t context, adc_thread;
    uint32_t word;                  /* of the instruction, bits of UNPACK_KEY_WORD */
    uint32_t key[UNPACK_KEY_WORDS]; /* THCON_SECx_REG0 to REG2 */
    uint32_t format_spec;           /* ALU_FORMAT_SPEC */
    uint8_t bits;                   /* of a datum in L1 */
    uint8_t conversion;             /* enum unpack_conversion */
    uint8_t out;                    /* enum data_format */
    uint8_t out_shift;              /* log2 of its bytes, by which addresses count */
    uint8_t bytes_per_cycle;        /* fetched from L1 at most: timed mode */
    bool has_exponents;
    bool exponents_apart; /* they stand before the data of all of the tile */
    bool by_context;      /* unpacker 0's: the context has a say in dimensions and addresses, too */
};

/* Executes a UNPACR by its plan, up to `times` times. Returns how often it has: fewer, if it has to wait, or something
   comes up that the plan does not cover. */
uint32_t unpack_as_planned(struct tensix *tensix, unsigned thread, uint32_t word, uint32_t times);

/* Makes a plan for a UNPACR that has executed without one, unless there is one that does not cover it. */
void unpack_make_plan(struct tensix *tensix, unsigned thread, uint32_t word);

#endif
