/* Random programs of three threads of many tiles: replay buffers, MOPs and pushes of nearly all instructions; and
   whether two devices that have executed them are in the same state. For *_test.c only. */
#ifndef BHEMU_TESTS_RANDOM_THREADS_H
#define BHEMU_TESTS_RANDOM_THREADS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "chip/device_state.h"
#include "chip/rv32_words.h"
#include "isa/tensix_table.h"
#include "noc/coordinates.h"
#include "tensix/units/dispatch.h"
#include "util/xorshift.h"

enum { TILES = 20, BLOCKS = 5, PROGRAM = 0x4000, STRIDE = 0x2000, NOTES = 0x2000, NOTES_OF_ONE = 0x40 };
enum { MOP_CONFIG = (int32_t)0xFFB80000, CLOCKS = (int32_t)0xFFB12000, WALL_CLOCK = 0x1F0 };
enum { COUNTER = S0, BASE = S1, VALUE = T0, WORDS = STRIDE / 4 };

static uint64_t random_state;
static uint32_t most_rounds = 400; /* of a loop, in one of three */

static inline uint32_t below(uint32_t limit)
{
    return xorshift64_word(&random_state) % limit;
}

static inline bool one_in(uint32_t n)
{
    return below(n) == 0;
}

struct program {
    uint32_t words[WORDS], count;
    bool vector; /* mostly instructions of one unit */
};

static inline void put(struct program *program, uint32_t word)
{
    assert_true(program->count < WORDS);
    program->words[program->count++] = word;
}

static inline void put_constant(struct program *program, unsigned rd, uint32_t value)
{
    put(program, lui(rd, value + 0x800));
    put(program, addi(rd, rd, (int32_t)(value << 20) >> 20));
}

static inline void put_tensix(struct program *program, uint32_t word)
{
    put(program, word << 2 | word >> 30);
}

/* Instructions that usually neither wait nor stop. */
static const uint8_t harmless[] = {
    TENSIX_OPCODE_NOP,       TENSIX_OPCODE_SETADC,    TENSIX_OPCODE_SETADCXY,    TENSIX_OPCODE_INCADCZW,
    TENSIX_OPCODE_SETRWC,    TENSIX_OPCODE_INCRWC,    TENSIX_OPCODE_INCRWC,      TENSIX_OPCODE_SETDMAREG,
    TENSIX_OPCODE_ADDDMAREG, TENSIX_OPCODE_MULDMAREG, TENSIX_OPCODE_SHIFTDMAREG, TENSIX_OPCODE_MOVDBGA2D,
    TENSIX_OPCODE_ZEROACC,   TENSIX_OPCODE_MOVD2A,    TENSIX_OPCODE_SETC16,      TENSIX_OPCODE_STALLWAIT,
};

/* An opcode of any unit, except those that access registers of the tile; rarely one that waits for an event that never
   happens. */
static inline uint32_t random_opcode(bool vector)
{
    if (!one_in(vector ? 8 : 300)) {
        return vector ? 0x70 + below(0x2a) : harmless[below(sizeof harmless)];
    }
    return one_in(20) ? below(256) : harmless[below(sizeof harmless)];
}

static inline uint32_t random_word(bool vector)
{
    uint32_t opcode;
    do {
        opcode = random_opcode(vector);
    } while (!tensix_dispatch[opcode].run || !tensix_dispatch[opcode].in_a_row || opcode == TENSIX_OPCODE_XMOV ||
             (opcode == TENSIX_OPCODE_SFPLOADMACRO && !one_in(10)));
    uint32_t fields = xorshift64_word(&random_state) & tensix_dispatch[opcode].fields & 0xffffff;
    switch (opcode) {
    case TENSIX_OPCODE_SETC16: /* address modes, and seldom anything else */
        fields = one_in(16) ? fields : (fields & 0xffff) | (12 + below(32)) << 16;
        break;
    case TENSIX_OPCODE_SETRWC: fields &= one_in(8) ? 0xffffff : 0x3fffff; break;
    case TENSIX_OPCODE_SFPPUSHC:
    case TENSIX_OPCODE_SFPPOPC: fields = one_in(16) ? fields : 0; break;
    case TENSIX_OPCODE_MOVD2A: fields &= 0x3f03f; break;
    case TENSIX_OPCODE_STALLWAIT: fields &= one_in(64) ? 0xffffff : ~UINT32_C(0x1e0); break;
    case TENSIX_OPCODE_SEMWAIT: fields = one_in(2) ? fields : fields & ~UINT32_C(1); break;
    case TENSIX_OPCODE_SFPLOADMACRO: fields = one_in(16) ? fields : fields & 0xff; break;
    default: break;
    }
    return opcode << 24 | fields;
}

static inline uint32_t replay(uint32_t first, uint32_t count, uint32_t mode)
{
    return (uint32_t)TENSIX_OPCODE_REPLAY << 24 | first << 14 | count << 4 | mode;
}

static inline uint32_t random_replay(void)
{
    uint32_t first = one_in(4) ? below(REPLAY_CAPACITY) : 0;
    return replay(first, 1 + below(REPLAY_CAPACITY - first), 0);
}

/* An instruction that a core pushes, or that a MOP is made of. */
static inline uint32_t random_element(const struct program *program)
{
    return one_in(6) ? (uint32_t)TENSIX_OPCODE_NOP << 24 : one_in(4) ? random_replay() : random_word(program->vector);
}

static inline uint32_t random_push(const struct program *program)
{
    enum { DOUBLE_LOOP = 1 << 23 };
    uint32_t mop = one_in(2) ? DOUBLE_LOOP : below(64) << 16 | below(0x10000);
    return one_in(8) ? (uint32_t)TENSIX_OPCODE_MOP << 24 | mop : random_element(program);
}

static inline void put_mop_configuration(struct program *program)
{
    put_constant(program, BASE, (uint32_t)MOP_CONFIG);
    for (unsigned i = 0; i < MOP_CONFIG_WORDS; i++) {
        uint32_t word = i == 0   ? 1 + below(one_in(2) ? 3 : 30)
                        : i == 1 ? below(one_in(2) ? 4 : 30)
                                 : random_element(program);
        put_constant(program, VALUE, word);
        put(program, sw(VALUE, BASE, 4 * i));
    }
}

static inline void put_replay_buffer(struct program *program)
{
    enum { LOAD = 1, EXECUTE = 2 };
    uint32_t first = one_in(3) ? below(REPLAY_CAPACITY) : 0, count = 1 + below(REPLAY_CAPACITY - first);
    put_tensix(program, replay(first, count, one_in(3) ? LOAD | EXECUTE : LOAD));
    for (uint32_t i = 0; i < count; i++) {
        put_tensix(program, random_word(program->vector));
    }
}

/* A loop of pushes, some of which reload the replay buffer. */
static inline void put_loop(struct program *program)
{
    put_constant(program, COUNTER, 1 + below(one_in(3) ? most_rounds : most_rounds / 20));
    uint32_t begin = program->count;
    if (one_in(4)) {
        put_replay_buffer(program);
    }
    for (uint32_t left = 1 + below(one_in(2) ? 8 : 50); left; left--) {
        put_tensix(program, random_push(program));
    }
    put(program, addi(COUNTER, COUNTER, -1));
    put(program, bne(COUNTER, 0, -(int32_t)(4 * (program->count - begin))));
}

/* Writes down the clock. */
static inline void put_note(struct program *program, uint32_t address)
{
    put_constant(program, BASE, (uint32_t)CLOCKS);
    put(program, lw(VALUE, BASE, WALL_CLOCK));
    put_constant(program, BASE, address);
    put(program, sw(VALUE, BASE, 0));
}

static inline void make_program(struct program *program, unsigned thread)
{
    program->count = 0;
    program->vector = one_in(2);
    for (unsigned block = 0; block < BLOCKS; block++) {
        put_mop_configuration(program);
        put_replay_buffer(program);
        put_loop(program);
        put_note(program, NOTES + thread * NOTES_OF_ONE + 4 * block);
    }
    put(program, SELF_JUMP);
}

/* The same ones on all devices. */
static inline void start_programs(struct bh_device *const devices[], unsigned count)
{
    static struct program program;
    for (unsigned tile = 0; tile < TILES; tile++) {
        unsigned x, y, threads = 1 + below(3);
        tensix_coordinates(tile, &x, &y);
        for (unsigned thread = 0; thread < threads; thread++) {
            make_program(&program, thread);
            for (unsigned i = 0; i < count; i++) {
                uint32_t pc = PROGRAM + thread * STRIDE;
                assert_int_equal(bh_write(devices[i], x, y, pc, program.words, program.count * 4), BH_OK);
                assert_int_equal(bh_core_start(devices[i], x, y, (enum bh_core)(BH_CORE_T0 + thread), pc), BH_OK);
            }
        }
    }
}

/* The contents of a frontend, without those that have left it. */
static inline struct frontend held(const struct frontend *of)
{
    struct frontend frontend = *of;
    frontend.next = frontend.at_gate ? frontend.next : (struct pushed){0};
    return frontend;
}

static inline bool same_frontends(const struct tensix_state *a, const struct tensix_state *b)
{
    bool same = true;
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        struct frontend one = held(&a->frontend[i]), other = held(&b->frontend[i]);
        same &= memcmp(&one, &other, sizeof one) == 0;
    }
    return same;
}

/* Compares units; structs that the packer copies have padding bytes. */
static inline bool same_units(const struct tensix_state *a, const struct tensix_state *b)
{
    return memcmp(&a->dst, &b->dst, sizeof a->dst) == 0 && memcmp(&a->sync, &b->sync, sizeof a->sync) == 0 &&
           memcmp(&a->scalar, &b->scalar, sizeof a->scalar) == 0 &&
           memcmp(&a->config, &b->config, sizeof a->config) == 0 && memcmp(&a->addr, &b->addr, sizeof a->addr) == 0 &&
           memcmp(&a->unpack, &b->unpack, sizeof a->unpack) == 0 &&
           memcmp(&a->matrix, &b->matrix, sizeof a->matrix) == 0 &&
           memcmp(&a->vector, &b->vector, sizeof a->vector) == 0 && memcmp(&a->srca, &b->srca, sizeof a->srca) == 0 &&
           memcmp(&a->srcb, &b->srcb, sizeof a->srcb) == 0;
}

static inline bool same_cores(const struct tile_state *a, const struct tile_state *b)
{
    bool same = true;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        same &= a->core[core].pc == b->core[core].pc && a->core[core].instret == b->core[core].instret &&
                memcmp(a->core[core].x, b->core[core].x, sizeof a->core[core].x) == 0;
    }
    return same;
}

/* What differs between two tiles; null: nothing. */
static inline const char *difference(const struct tile_state *a, const struct tile_state *b)
{
    return !same_cores(a, b)                                                 ? "cores"
           : !same_frontends(&a->tensix, &b->tensix)                         ? "frontends"
           : !same_units(&a->tensix, &b->tensix)                             ? "units"
           : memcmp(a->l1, b->l1, sizeof a->l1) != 0                         ? "L1"
           : a->diagnostics.stopped != b->diagnostics.stopped                ? "diagnostics"
           : memcmp(a->local_rams, b->local_rams, sizeof a->local_rams) != 0 ? "local RAM"
                                                                             : NULL;
}

static inline uint64_t count_instructions(const struct bh_device *device)
{
    uint64_t count = 0;
    for (unsigned tile = 0; tile < TILES; tile++) {
        count += tile_tensix_instructions(&device->tiles[tile]);
    }
    return count;
}

#endif
