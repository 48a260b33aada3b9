/* Parts of random programs of cores that drive the coprocessor: what they wait for, and what takes time. For *_test.c
   only. */
#ifndef BHEMU_CHIP_RANDOM_WAITS_H
#define BHEMU_CHIP_RANDOM_WAITS_H

#include "chip/random_words.h"
#include "isa/tensix_isa.h"
#include "noc/niu.h"

/* Registers; from LOGS on they have an address. */
enum { A0 = 10, A1, A2, LOGS = 19, CLOCK, LOCAL, L1, PCBUF, PUSH, OTHER };
enum { WALL_CLOCK = 0x1F0, SEMAPHORE = 0x20, FENCE = 0x0ff0000f, TTINSNS_OF_5 = 4 };
enum { FUNCT3 = 12, BEQ = 0, BNE, BLTU = 6 };

#define OP(name) ((uint32_t)TENSIX_OPCODE_##name << 24)
#define STALLWAIT(block, condition) (OP(STALLWAIT) | (uint32_t)(block) << 15 | (condition))
#define SEMWAIT(block, which, condition) (OP(SEMWAIT) | (uint32_t)(block) << 15 | 1u << (which) << 2 | (condition))
#define SEMINIT(max, value, which) (OP(SEMINIT) | (max) << 20 | (value) << 16 | 1u << (which) << 2)
#define SEMPOST(which) (OP(SEMPOST) | 1u << (which) << 2)
#define SEMGET(which) (OP(SEMGET) | 1u << (which) << 2)
#define SETDMAREG(half, value) (OP(SETDMAREG) | (uint32_t)(value) << 8 | (half))
#define SETC16(word, value) (OP(SETC16) | (uint32_t)(word) << 16 | (value))
#define ATCAS(swap, compare, address) (OP(ATCAS) | (swap) << 18 | (compare) << 14 | (address))
#define STREAMWAIT(block, target) (OP(STREAMWAIT) | (uint32_t)(block) << 15 | (target) << 4)
#define STOREREG(data, address) (OP(STOREREG) | (uint32_t)(data) << 18 | ((address) >> 2 & 0x3ffff))

enum { STALL_TDMA = 0x1, STALL_SYNC = 0x2, STALL_PACK = 0x4, STALL_THCON = 0x20, STALL_MATH = 0x40, STALL_CFG = 0x80 };
enum { STALL_THREAD = 0x1ff };
enum { THCON = 0x1, PACKER = 0x8, SRCA_CLEAR = 0x20, SRCA_VALID = 0x80, CONFIGURED = 0x1000, UNITS = 0x1e1f };
enum { WHILE_ZERO = 1, WHILE_MAX = 2, GPR = 4, SRCA = 1, SRCB };

static inline uint32_t branch(unsigned kind, unsigned one, unsigned other, int32_t distance)
{
    return (bne(one, other, distance) & ~(7u << FUNCT3)) | kind << FUNCT3;
}

/* Back to the word number `first`. */
static inline void put_back(struct writer *writer, unsigned kind, unsigned one, unsigned other, unsigned first)
{
    put(writer, branch(kind, one, other, (int32_t)(first - writer->count) * 4));
}

static inline void put_note(struct writer *writer)
{
    put(writer, lw(T1, CLOCK, WALL_CLOCK));
    put(writer, sw(T1, LOGS, 0));
    put(writer, addi(LOGS, LOGS, 4));
}

static inline void put_maybe_note(struct writer *writer)
{
    if (below(writer, 2)) {
        put_note(writer);
    }
}

/* Performance counters of threads, unpackers, the Matrix Unit and packers: registers, from CLOCK on. */
static const struct {
    uint16_t mode, control, value;
} counter_banks[] = {{0x004, 0x008, 0x104}, {0x010, 0x014, 0x10C}, {0x01C, 0x020, 0x124}, {0x0F4, 0x0F8, 0x114}};
enum { COUNTER_BANKS = 4, COUNTERS_OF_THREADS = 60, COUNTERS_OF_UNITS = 5 };

static inline void put_start_counters(struct writer *writer)
{
    put(writer, addi(T0, 0, 1));
    for (unsigned bank = 0; bank < COUNTER_BANKS; bank++) {
        put(writer, sw(T0, CLOCK, counter_banks[bank].control));
    }
}

static inline void put_note_counter(struct writer *writer)
{
    unsigned bank = below(writer, 2) ? 0 : below(writer, COUNTER_BANKS);
    put_constant(writer, T0, below(writer, bank ? COUNTERS_OF_UNITS : COUNTERS_OF_THREADS) << 8);
    put(writer, sw(T0, CLOCK, counter_banks[bank].mode));
    put(writer, lw(T1, CLOCK, counter_banks[bank].value));
    put(writer, sw(T1, LOGS, 0));
    put(writer, addi(LOGS, LOGS, 4));
}

/* What a polling loop may do besides polling. */
static inline void put_idle(struct writer *writer)
{
    switch (below(writer, 8)) {
    case 0: put(writer, addi(T2, T1, 1)); break;
    case 1: put(writer, lw(T2, LOCAL, 4 * below(writer, 8))); break;
    case 2: put(writer, lw(T2, NIU, NIU_COUNTER + 4 * below(writer, 16))); break;
    case 3: put(writer, FENCE); break;
    case 4: put(writer, bne(0, 0, 8)); break;                                  /* never taken */
    case 5: put(writer, 0x02000033 | T2 << 7 | T1 << 15 | T1 << 20); break;    /* mul */
    case 6: put(writer, 0x02004033 | T2 << 7 | T1 << 15 | CLOCK << 20); break; /* div */
    default: break;
    }
}

/* Until the word there is not `value`, or is, as `kind` says: BEQ, BNE. */
static inline void put_poll(struct writer *writer, unsigned base, uint32_t offset, unsigned kind, unsigned value)
{
    unsigned first = writer->count;
    for (unsigned i = below(writer, 3); i; i--) {
        put_idle(writer);
    }
    put(writer, lw(T1, base, offset));
    for (unsigned i = below(writer, 3); i; i--) {
        put_idle(writer);
    }
    put_back(writer, kind, T1, value, first);
}

/* Takes a while, in one of several ways. */
static inline void put_delay(struct writer *writer)
{
    unsigned first, kind = below(writer, 4);
    if (kind == 0) {
        return;
    }
    if (kind == 1) { /* until the wall clock says so */
        put(writer, lw(A1, CLOCK, WALL_CLOCK));
        put(writer, addi(A1, A1, 20 + (int32_t)below(writer, 1500)));
        first = writer->count;
        put(writer, lw(T1, CLOCK, WALL_CLOCK));
        put_back(writer, BLTU, T1, A1, first);
        return;
    }
    put(writer, addi(A1, 0, 2 + (int32_t)below(writer, kind == 2 ? 30 : 150)));
    first = writer->count;
    for (unsigned i = 1 + below(writer, 5); i; i--) {
        switch (below(writer, 7)) {
        case 0: put(writer, lw(T2, L1, 4 * below(writer, 256))); break;
        case 1: put(writer, sw(T1, OTHER, 4 * below(writer, 64))); break;
        case 2: put(writer, sw(T1, LOCAL, 4 * below(writer, 8))); break;
        case 3: put(writer, lw(T1, LOCAL, 4 * below(writer, 8))); break;
        case 4: put(writer, lw(T2, NIU, NIU_COUNTER + 4 * below(writer, 16))); break;
        default: put(writer, addi(T1, T2, 5));
        }
    }
    put(writer, addi(A1, A1, -1));
    put_back(writer, BNE, A1, 0, first);
}

/* Core T pushes an instruction to its thread. */
static inline void put_tensix(struct writer *writer, uint32_t word)
{
    if (below(writer, 5) < TTINSNS_OF_5) {
        put(writer, word << 2 | word >> 30);
    } else {
        put_constant(writer, T0, word);
        put(writer, sw(T0, PUSH, 0));
    }
}

/* What keeps units busy, and waits for nobody. */
static inline void put_tensix_noise(struct writer *writer)
{
    uint32_t gpr = 8 + below(writer, 16);
    switch (below(writer, 16)) {
    case 0: put_tensix(writer, OP(NOP)); break;
    case 1: put_tensix(writer, OP(SFPLOADI) | below(writer, 4) << 20 | below(writer, 0x10000)); break;
    case 2:
        put_tensix(writer, OP(SFPMAD) | below(writer, 4) << 16 | below(writer, 4) << 12 | below(writer, 4) << 4);
        break;
    case 3: put_tensix(writer, OP(ADDDMAREG) | gpr << 12 | gpr << 6 | (8 + below(writer, 16))); break;
    case 4: put_tensix(writer, SETDMAREG(2 * gpr, below(writer, 0x4000))); break;
    case 5: put_tensix(writer, OP(WRCFG) | gpr << 16 | (209 + below(writer, 3))); break;
    case 6: put_tensix(writer, OP(RDCFG) | gpr << 16 | (209 + below(writer, 3))); break;
    case 7: put_tensix(writer, STALLWAIT(1 + below(writer, STALL_THREAD), below(writer, 0x2000) & UNITS)); break;
    case 8: put_tensix(writer, OP(ZEROACC) | 1 << 17); break;
    case 9: put_tensix(writer, OP(INCRWC) | below(writer, 4) << 14); break;
    case 10: put_tensix(writer, OP(FLUSHDMA)); break;
    case 11: put_tensix(writer, OP(DMANOP)); break;
    case 12: put_tensix(writer, OP(SFPNOP)); break;
    case 13: /* records two, and replays them */
        put_tensix(writer, OP(REPLAY) | 2 << 4 | below(writer, 2) << 1 | 1);
        put_tensix(writer, OP(SFPLOADI) | below(writer, 4) << 20);
        put_tensix(writer, OP(INCRWC) | below(writer, 4) << 14);
        put_tensix(writer, OP(REPLAY) | 2 << 4);
        break;
    case 14: put_tensix(writer, OP(MULDMAREG) | gpr << 12 | gpr << 6 | gpr); break;
    default: put_tensix(writer, OP(SFPADD) | below(writer, 4) << 16 | 10 << 12 | below(writer, 4) << 8 | 1 << 4);
    }
}

static inline void put_some_tensix_noise(struct writer *writer)
{
    for (unsigned i = below(writer, 4); i; i--) {
        put_tensix_noise(writer);
    }
}

/* Core T waits until its thread has done all, or its MOP expander. */
static inline void put_ttsync(struct writer *writer)
{
    put(writer, lw(T1, PCBUF, below(writer, 3) ? 4 : 8));
    put_maybe_note(writer);
}

/* Core T, or its thread, posts a semaphore. */
static inline void put_post(struct writer *writer, unsigned semaphore)
{
    if (below(writer, 2)) {
        put_some_tensix_noise(writer);
        put_tensix(writer, SEMPOST(semaphore));
    } else {
        put(writer, sw(0, PCBUF, SEMAPHORE + 4 * semaphore));
    }
}

/* Core T, or its thread, waits until a semaphore is posted, and takes it. */
static inline void put_get(struct writer *writer, unsigned semaphore)
{
    if (below(writer, 3)) {
        put_tensix(writer, SEMWAIT(STALL_SYNC | below(writer, STALL_THREAD), semaphore, WHILE_ZERO));
        put_some_tensix_noise(writer);
        put_tensix(writer, SEMGET(semaphore));
        put_some_tensix_noise(writer);
    } else {
        put_poll(writer, PCBUF, SEMAPHORE + 4 * semaphore, BEQ, 0);
        put_note(writer);
        put(writer, addi(T0, 0, 1));
        put(writer, sw(T0, PCBUF, SEMAPHORE + 4 * semaphore));
    }
}

/* A bank of SrcA, of SrcB or of both goes to the Matrix Unit. */
static inline void put_fill(struct writer *writer, unsigned which)
{
    if (below(writer, 2)) {
        put_tensix(writer, STALLWAIT(STALL_TDMA | below(writer, STALL_THREAD), which * SRCA_CLEAR));
        put_tensix(writer, OP(SETDVALID) | which);
        return;
    }
    uint32_t stall = below(writer, 2);
    for (unsigned i = 0; i < 2; i++) {
        if (which >> i & 1) {
            put_tensix(writer, OP(UNPACR_NOP) | i << 23 | 1 << 8 | stall << 5 | 1);
        }
    }
}

/* It is given back. */
static inline void put_use(struct writer *writer, unsigned which)
{
    uint32_t dst = 4 * below(writer, 16);
    unsigned kind = which == (SRCA | SRCB) ? below(writer, 4) : below(writer, 2);
    if (kind < 2) {
        put_tensix(writer, STALLWAIT(STALL_MATH | below(writer, STALL_THREAD),
                                     which * SRCA_VALID | (below(writer, 0x2000) & UNITS)));
    }
    switch (kind) {
    case 0: put_tensix(writer, OP(SETRWC) | which << 22); break;
    case 1: put_tensix(writer, OP(CLEARDVALID) | which << 22); break;
    case 2: put_tensix(writer, OP(ELWADD) | which << 22 | dst); break;
    default: put_tensix(writer, OP(MVMUL) | dst); put_tensix(writer, OP(MVMUL) | which << 22 | dst);
    }
}

#endif
