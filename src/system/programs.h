/* What tests of systems share: accesses to Ethernet tiles, and programs for their E1. */
#ifndef BHEMU_SYSTEM_PROGRAMS_H
#define BHEMU_SYSTEM_PROGRAMS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bhemu/system.h"
#include "chip/rv32_words.h"

#define SOFT_RESET 0xFFB121B0u
#define E1_RESET_PC 0xFFB14008u
#define E1_END_PC 0xFFB1400Cu
#define TX 0xFFB90000u
#define RX 0xFFB94000u
#define NIU 0xFFB20000u

enum { QUEUE = 0x1000, X = 20, Y = 25, E1_HELD = 0x1000 };
enum { TX_CMD = 0x4, TX_STATUS = 0x8, TX_FROM = 0x14, TX_SIZE = 0x18, TX_TO = 0x1c, TX_DATA = 0x44 };
enum { RX_CTRL = 0x0, RX_BUFFER = 0xc, RX_BUFFER_SIZE = 0x10 };
enum { L1_WRITE = 2, MMIO_WRITE = 4, FENCE = 0x0ff0000f };

static inline void put(struct bh_system *system, unsigned chip, unsigned channel, uint32_t address, uint32_t word)
{
    assert_int_equal(bh_write(bh_system_chip(system, chip), X + channel, Y, address, &word, sizeof word), BH_OK);
}

static inline uint32_t get(struct bh_system *system, unsigned chip, unsigned channel, uint32_t address)
{
    uint32_t word;
    assert_int_equal(bh_read(bh_system_chip(system, chip), X + channel, Y, address, &word, sizeof word), BH_OK);
    return word;
}

/* Programs of E1. */

struct code {
    uint32_t words[1000];
    unsigned count;
};

static inline void emit(struct code *code, uint32_t word)
{
    assert_true(code->count < sizeof code->words / sizeof *code->words);
    code->words[code->count++] = word;
}

static inline void load(struct code *code, unsigned rd, uint32_t value)
{
    emit(code, lui(rd, value + 0x800));
    emit(code, addi(rd, rd, (int32_t)(value << 20) >> 20));
}

static inline void store(struct code *code, uint32_t address, uint32_t value)
{
    load(code, T0, address);
    load(code, T1, value);
    emit(code, sw(T1, T0, 0));
}

/* Waits until the queue takes a command, and gives it one. */
static inline void emit_send(struct code *code, unsigned queue, uint32_t command, uint32_t from, uint32_t size,
                             uint32_t to)
{
    uint32_t base = TX + queue * QUEUE;
    load(code, T0, base);
    emit(code, lw(T1, T0, TX_STATUS));
    emit(code, bne(T1, 0, -4));
    store(code, base + TX_FROM, from);
    store(code, base + TX_SIZE, size);
    store(code, base + TX_TO, to);
    store(code, base + TX_CMD, command);
    emit(code, lw(T1, T0, 0));
}

/* Until the word has this value. */
static inline void emit_wait(struct code *code, uint32_t address, uint32_t value)
{
    load(code, T0, address);
    load(code, T2, value);
    emit(code, FENCE); /* the queue's writes do not reach the data cache */
    emit(code, lw(T1, T0, 0));
    emit(code, bne(T1, T2, -8));
}

static inline void start(struct bh_system *system, unsigned chip, unsigned channel, const struct code *code)
{
    enum { AT = 0x2000 };
    assert_int_equal(bh_write(bh_system_chip(system, chip), X + channel, Y, AT, code->words, 4 * code->count), BH_OK);
    put(system, chip, channel, E1_RESET_PC, AT);
    put(system, chip, channel, SOFT_RESET, get(system, chip, channel, SOFT_RESET) & ~(uint32_t)E1_HELD);
}

#endif
