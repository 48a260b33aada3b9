/* Programs for the cores of DRAM tiles, as tests write them. For *_test.c only. */
#ifndef BHEMU_CHIP_DRAM_DRISC_FIXTURE_H
#define BHEMU_CHIP_DRAM_DRISC_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chip/rv32_words.h"

enum { STREAM_STRIDE = 0x100 };

#define DMA 0xFC000000u
#define DMA_CONTROL 0xFC001000u
#define READ_STATUS 0xFF10u
#define WRITE_STATUS 0xF00F0009u
#define START_READ 0x83000000u
#define START_WRITE 0x13000000u

/* A program as it grows. */
struct program {
    uint32_t words[500];
    unsigned count;
};

static inline void add(struct program *program, uint32_t word)
{
    assert_true(program->count < sizeof program->words / sizeof *program->words);
    program->words[program->count++] = word;
}

static inline void load_value(struct program *program, unsigned rd, uint32_t value)
{
    uint32_t carry = (value & 0x800) << 1;
    add(program, lui(rd, value + carry));
    add(program, addi(rd, rd, (int32_t)(value << 20) >> 20));
}

static inline void store(struct program *program, uint32_t address, uint32_t value)
{
    load_value(program, T0, address);
    load_value(program, T1, value);
    add(program, sw(T1, T0, 0));
}

/* Waits until no bit of `mask` is set at the address. */
static inline void wait_for_zero(struct program *program, uint32_t address, uint32_t mask)
{
    enum { AND_T1_T1_T2 = 0x00737333 };
    load_value(program, T0, address);
    load_value(program, T2, mask);
    add(program, lw(T1, T0, 0));
    add(program, AND_T1_T1_T2);
    add(program, bne(T1, 0, -8));
}

static inline void read_from_gddr(struct program *program, unsigned stream, uint32_t gddr, uint32_t l1, uint32_t bytes)
{
    uint32_t base = DMA + stream * STREAM_STRIDE;
    store(program, base + 0x30, gddr);
    store(program, base + 0x34, 0);
    store(program, base + 0x38, l1);
    store(program, base + 0x50, START_READ | bytes / 16);
    wait_for_zero(program, base, READ_STATUS);
}

static inline void write_to_gddr(struct program *program, unsigned stream, uint32_t l1, uint32_t gddr, uint32_t bytes)
{
    uint32_t base = DMA + stream * STREAM_STRIDE;
    store(program, base + 0x10, l1);
    store(program, base + 0x14, gddr);
    store(program, base + 0x18, 0);
    store(program, base + 0x50, START_WRITE | bytes / 16);
    wait_for_zero(program, base, WRITE_STATUS);
}

#endif
