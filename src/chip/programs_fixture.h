/* Random programs on all Tensix tiles: arithmetic, loops, and requests over the NoC to the others' data. */
#ifndef BHEMU_CHIP_PROGRAMS_FIXTURE_H
#define BHEMU_CHIP_PROGRAMS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>

#include "bhemu/device.h"
#include "noc/coordinates.h"

enum { PROGRAM_WORDS = 1000, LONGEST_WAIT = 300, DATA = 0x20000, DATA_BYTES = 0x800, INITIATOR = 0x800 };
enum { DATA_BASE = 8, NIU_BASE = 9, ROUNDS_LEFT = 18, WAIT = 19, SCRATCH = 20, FIRST_VALUE = 10, VALUES = 8 };
enum { CMD_ATOMIC = 0x1, CMD_WRITE = 0x2, CMD_INLINE = 0x8, CMD_READ = 0x10, CMD_MARKED = 0x10 };

static uint64_t random_state;

static inline uint32_t below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) * limit >> 31);
}

/* A program that grows. */
struct program {
    uint32_t word[PROGRAM_WORDS];
    unsigned count;
    unsigned x, y, core; /* whom it is for */
};

static inline void put_word(struct program *program, uint32_t word)
{
    assert_true(program->count < PROGRAM_WORDS);
    program->word[program->count++] = word;
}

static inline void put_addi(struct program *program, unsigned rd, unsigned rs, int32_t value)
{
    put_word(program, (uint32_t)value << 20 | rs << 15 | rd << 7 | 0x13);
}

static inline void put_constant(struct program *program, unsigned rd, uint32_t value)
{
    put_word(program, ((value + 0x800) & 0xfffff000) | rd << 7 | 0x37);
    put_addi(program, rd, rd, (int32_t)(value << 20) >> 20);
}

static inline void put_store(struct program *program, unsigned value, unsigned base, uint32_t offset)
{
    put_word(program, (offset >> 5 & 0x7f) << 25 | value << 20 | base << 15 | 2 << 12 | (offset & 0x1f) << 7 | 0x23);
}

static inline void put_load(struct program *program, unsigned rd, unsigned base, uint32_t offset)
{
    put_word(program, offset << 20 | base << 15 | 2 << 12 | rd << 7 | 0x03);
}

/* Jumps to `target`, a number of a word before this one. */
static inline void put_jump(struct program *program, unsigned target)
{
    uint32_t offset = (target - program->count) * 4;
    put_word(program, (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3ff) << 21 | (offset >> 11 & 1) << 20 |
                          (offset >> 12 & 0xff) << 12 | 0x6f);
}

/* Jumps there as long as a register, counted down, is not 0. */
static inline void put_loop(struct program *program, unsigned counter, unsigned target)
{
    put_addi(program, counter, counter, -1);
    put_word(program, counter << 15 | 8 << 7 | 0x63); /* beq counter, zero: over the jump */
    put_jump(program, target);
}

static inline unsigned any_value(void)
{
    return FIRST_VALUE + below(VALUES);
}

static inline uint32_t any_word(void)
{
    return below(DATA_BYTES / 4) * 4;
}

static inline void put_arithmetic(struct program *program)
{
    static const uint32_t operations[] = {0x33, 0x40000033, 0x4033, 0x2000033, 0x7033, 0x6033, 0x3033};
    put_word(program, operations[below(sizeof operations / sizeof operations[0])] | any_value() << 20 |
                          any_value() << 15 | any_value() << 7);
}

static inline void put_wait(struct program *program)
{
    put_addi(program, WAIT, 0, (int32_t)(1 + below(LONGEST_WAIT)));
    put_loop(program, WAIT, program->count);
}

static inline void put_register(struct program *program, uint32_t offset, uint32_t value)
{
    put_constant(program, SCRATCH, value);
    put_store(program, SCRATCH, NIU_BASE, offset);
}

/* A request to any tile: it writes a block of our data there, adds one of our values to a word, or brings a block
   here. */
static inline void put_request(struct program *program)
{
    unsigned x, y, kind = below(3);
    tensix_coordinates(below(TENSIX_TILES), &x, &y);
    uint32_t there = x | y << 6, here = program->x | program->y << 6, block = (DATA_BYTES - 256) / 16;
    put_register(program, 0x0, DATA + (kind == 1 ? any_word() : below(block) * 16));
    put_register(program, 0x8, kind == 0 ? here : there);
    put_register(program, 0xc, DATA + below(block) * 16);
    put_register(program, 0x14, kind == 0 ? there : here);
    put_register(program, 0x18, below(16) << 10);
    put_register(program, 0x1c, kind == 0 ? CMD_WRITE | CMD_MARKED : kind == 1 ? CMD_ATOMIC : CMD_READ);
    put_register(program, 0x20, kind == 1 ? 0x1000 | 31 << 2 : 16 + below(15) * 16); /* increments of 32 bits */
    put_store(program, any_value(), NIU_BASE, 0x28);
    put_register(program, 0x40, 1);
}

static inline void put_statement(struct program *program)
{
    switch (below(12)) {
    case 0:
    case 1: put_load(program, any_value(), DATA_BASE, any_word()); break;
    case 2:
    case 3: put_store(program, any_value(), DATA_BASE, any_word()); break;
    case 4: put_wait(program); break;
    case 5: put_request(program); break;
    case 6:
        if (below(8) == 0) {
            put_store(program, any_value(), NIU_BASE,
                      0x200 - INITIATOR * program->core); /* NIU counters are read-only: a warning */
        }
        break;
    default: put_arithmetic(program); break;
    }
}

/* Each core has an initiator of its own. */
static inline void make_program(struct program *program)
{
    program->count = 0;
    put_constant(program, DATA_BASE, DATA);
    put_constant(program, NIU_BASE, (below(2) ? 0xFFB20000 : 0xFFB30000) + INITIATOR * program->core);
    put_constant(program, ROUNDS_LEFT, 1 + below(20));
    for (unsigned i = 0; i < VALUES; i++) {
        put_constant(program, FIRST_VALUE + i, below(0x7fffffff));
    }
    unsigned begin = program->count, statements = 5 + below(25);
    for (unsigned i = 0; i < statements; i++) {
        put_statement(program);
    }
    put_loop(program, ROUNDS_LEFT, begin);
    put_jump(program, program->count);
}

/* Starts programs on two cores each of about `share` of every eight tiles. */
static inline void start_programs(struct bh_device *device, unsigned share)
{
    static struct program program;
    for (unsigned i = 0; i < TENSIX_TILES; i++) {
        unsigned x, y;
        tensix_coordinates(i, &x, &y);
        for (unsigned core = 0; core < 2 && below(8) < share; core++) {
            uint32_t pc = 0x1000 + core * 0x4000;
            program.x = x;
            program.y = y;
            program.core = core;
            make_program(&program);
            assert_int_equal(bh_write(device, x, y, pc, program.word, program.count * 4), BH_OK);
            assert_int_equal(bh_core_start(device, x, y, core ? BH_CORE_T1 : BH_CORE_B, pc), BH_OK);
        }
    }
}

#endif
