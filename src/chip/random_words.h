/* Random programs of RISC-V words that use NIUs. For *_test.c only. */
#ifndef BHEMU_CHIP_RANDOM_WORDS_H
#define BHEMU_CHIP_RANDOM_WORDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chip/rv32_words.h"
#include "util/xorshift.h"

enum { NIU = 18, WRITER_BYTES = 0x1000 }; /* the register that has an NIU's address; room for a program */

struct writer {
    uint64_t random; /* not 0 */
    uint32_t words[WRITER_BYTES / 4];
    unsigned count;
};

static inline uint32_t below(struct writer *writer, uint32_t limit)
{
    return xorshift64_word(&writer->random) % limit;
}

static inline void put(struct writer *writer, uint32_t word)
{
    assert_true(writer->count < WRITER_BYTES / 4);
    writer->words[writer->count++] = word;
}

static inline void put_constant(struct writer *writer, unsigned rd, uint32_t value)
{
    put(writer, lui(rd, value + 0x800));
    put(writer, addi(rd, rd, (int32_t)(value << 20) >> 20));
}

/* A word of the NIU's first initiator. */
static inline void put_register(struct writer *writer, unsigned which, uint32_t value)
{
    put_constant(writer, T0, value);
    put(writer, sw(T0, NIU, 4 * which));
}

#endif
