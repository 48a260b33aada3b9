/* A program of a core that grows, as tests of tiles that transfer need it. For *_test.c only. */
#ifndef BHEMU_CHIP_PROGRAM_FIXTURE_H
#define BHEMU_CHIP_PROGRAM_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chip/rv32_words.h"

enum { WORDS = 128 };

struct program {
    uint32_t word[WORDS];
    unsigned count;
};

static inline void put(struct program *program, uint32_t word)
{
    assert_true(program->count < WORDS);
    program->word[program->count++] = word;
}

static inline void put_constant(struct program *program, unsigned rd, uint32_t value)
{
    put(program, lui(rd, value + 0x800));
    put(program, addi(rd, rd, (int32_t)(value << 20) >> 20));
}

#endif
