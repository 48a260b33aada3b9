/* Random programs for Tensix tiles that send requests of all kinds to each other, to DRAM and to themselves, and what
   the host does meanwhile. For *_test.c only. */
#ifndef BHEMU_CHIP_SERIES_PROGRAMS_H
#define BHEMU_CHIP_SERIES_PROGRAMS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>

#include "bhemu/device.h"
#include "chip/rv32_words.h"
#include "isa/tensix_isa.h"
#include "noc/coordinates.h"
#include "util/xorshift.h"

enum {
    WORDS = 900,
    CODE = 0x4000,
    CODE_STRIDE = 0x1000,
    SHARED = 0x20000,
    SHARED_BYTES = 0x800,
    PATCHES = 0x21000, /* pieces of code of 16 bytes, and where each core has one of them */
    PATCH_BYTES = 16,
    HEADERS = 0x30000,
    BUFFER = 0x31000,
    BUFFER_UNITS = 16,
    MOST_TILES = 40,
    MOST_ACTS = 12,
    DRAM_X = 17,
    DRAM_Y = 12,
};
enum {
    NIU = 18,
    COUNTERS = 19,
    STREAM = 20,
    NEW = 28,
    SCRATCH = 22,
    ROUNDS = 23,
    TRIES = 24,
    FIRST_VALUE = 10,
    VALUES = 7
};
enum {
    READ = 0,
    ATOMIC = 1,
    WRITE = 2,
    BYTES = 4,
    INLINE = 8,
    MARKED = 0x10,
    BROADCAST = 0x20,
    LINKED = 0x40,
    SELF = 0x20000
};
enum { SENDER = 4, RECEIVER = 5, RING = 6, STRIDE = 0x1000 };
enum { ARC_AT = 8, REFCLK_LOW = (int32_t)0x800300e0 };
#define SOFT_RESET 0xFFB121B0u
#define ALL_CORES 0x47800u
#define STREAMS 0xFFB40000u

static uint64_t random_state;

static inline uint32_t below(uint32_t limit)
{
    return xorshift64_word(&random_state) % limit;
}

static inline bool one_in(uint32_t count)
{
    return below(count) == 0;
}

struct scenario {
    uint64_t seed, end;
    unsigned tiles, cores;                       /* of each tile */
    bool errors, streams, resets, patches, runs; /* runs: by bh_run() */
    enum bh_on_error on_error;
    unsigned acts;
    struct {
        uint64_t clock;
        unsigned tile, kind;
        uint32_t value;
    } act[MOST_ACTS];
};

struct program {
    const struct scenario *scenario;
    uint32_t word[WORDS];
    unsigned count, tile, core, noc, slot;
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

static inline void put_register(struct program *program, uint32_t offset, uint32_t value)
{
    put_constant(program, SCRATCH, value);
    put(program, sw(SCRATCH, NIU, offset));
}

static inline void put_branch_back(struct program *program, unsigned one, unsigned other, unsigned to)
{
    put(program, bne(one, other, ((int32_t)to - (int32_t)program->count) * 4));
}

static inline unsigned any_value(void)
{
    return FIRST_VALUE + below(VALUES);
}

static inline uint32_t any_word(void)
{
    return below(SHARED_BYTES / 4) * 4;
}

static inline uint32_t at(unsigned tile)
{
    unsigned x, y;
    tensix_coordinates(tile, &x, &y);
    return x | y << 6;
}

/* A rectangle of some of the first tiles. */
static inline uint32_t rectangle(unsigned tiles, unsigned noc)
{
    uint32_t one = at(below(tiles)), other = at(below(tiles));
    uint32_t x0 = one & 63, x1 = other & 63, y0 = one >> 6, y1 = other >> 6, swap;
    if ((x0 > x1) != (noc == 1)) {
        swap = x0, x0 = x1, x1 = swap;
    }
    if ((y0 > y1) != (noc == 1)) {
        swap = y0, y0 = y1, y1 = swap;
    }
    return x1 | y1 << 6 | x0 << 12 | y0 << 18;
}

/* A value of SOFT_RESET_0: the cores that have a program are there as in `value`, the others never run. */
static inline uint32_t soft_reset(const struct scenario *scenario, uint32_t value)
{
    static const uint32_t bit[BH_CORE_COUNT] = {1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 18};
    for (unsigned core = scenario->cores; core < BH_CORE_COUNT; core++) {
        value |= bit[core];
    }
    return value & ALL_CORES;
}

/* Memory of somebody: usually L1 of a tile, sometimes the own one, sometimes DRAM. */
static inline uint32_t any_place(const struct program *program)
{
    return one_in(6)   ? DRAM_X | (DRAM_Y + below(12)) << 6
           : one_in(5) ? at(program->tile)
                       : at(below(program->scenario->tiles));
}

struct wanted {
    uint32_t target, target_at, back, back_at, ctrl, length, high, data;
};

/* Registers of a tile that others may write to. */
static inline uint32_t any_register(const struct program *program)
{
    switch (below(program->scenario->resets ? 6 : 4)) {
    case 0: return STREAMS + 36 * 4 + below(8) * STRIDE;
    case 1: return 0xFFB20000 + 0x1800 + 0x28; /* of an initiator that nobody else uses */
    case 2: return 0xFFB20000 + 0x1800 + 0x40 + 0x10000 * below(2);
    case 3: return 0xFFB14000 + 0x20;
    default: return SOFT_RESET;
    }
}

static inline struct wanted any_wanted(struct program *program)
{
    const struct scenario *scenario = program->scenario;
    const uint32_t here = at(program->tile), there = any_place(program), marked = one_in(3) ? 0 : MARKED;
    const uint32_t block = (SHARED_BYTES - 256) / 16;
    struct wanted wanted = {.target = SHARED + below(block) * 16,
                            .target_at = here,
                            .back = SHARED + below(block) * 16,
                            .back_at = there,
                            .length = 16 + below(15) * 16,
                            .data = below(0x7fffffff)};
    switch (below(14)) {
    case 0:
    case 1:
    case 2:
        wanted.target_at = there;
        wanted.back_at = here;
        wanted.ctrl = READ | MARKED;
        wanted.back = (wanted.back & ~63u) | (wanted.target & 63); /* as DRAM wants it */
        break;
    case 3:
    case 4:
    case 5: wanted.ctrl = WRITE | marked; break;
    case 6:
        wanted.ctrl = WRITE | BROADCAST | marked | (one_in(2) ? SELF : 0);
        wanted.back_at = rectangle(scenario->tiles, program->noc);
        break;
    case 7:
        wanted.ctrl = WRITE | BYTES | marked;
        wanted.back &= ~63u;
        wanted.target &= ~63u;
        wanted.length = below(0x7fffffff);
        wanted.high = below(0x7fffffff);
        break;
    case 8: /* a word of L1, or a register */
        wanted.ctrl = WRITE | INLINE | marked;
        wanted.target_at = one_in(4) ? here : at(below(scenario->tiles));
        wanted.target = SHARED + any_word();
        wanted.length = 0xf << (wanted.target & 0xf);
        if (!scenario->errors || one_in(2)) {
            wanted.target = any_register(program);
            wanted.length = 0xf;
            wanted.data =
                wanted.target == SOFT_RESET ? soft_reset(scenario, one_in(2) ? 0 : wanted.data) : wanted.data & 1;
        }
        break;
    case 9: /* a register is read: a counter, or a clock of the firmware */
        wanted.target_at = at(below(scenario->tiles));
        wanted.target = 0xFFB20200 + 4 * below(54);
        if (one_in(4)) {
            wanted.target_at = ARC_AT;
            wanted.target = REFCLK_LOW;
        }
        wanted.back_at = here;
        wanted.back = (wanted.back & ~0xfu) | (wanted.target & 0xf);
        wanted.length = 4;
        wanted.ctrl = READ | MARKED;
        break;
    case 10: /* code */
        if (scenario->patches) {
            unsigned core = below(scenario->cores);
            wanted.ctrl = WRITE | marked;
            wanted.target = PATCHES + below(4) * PATCH_BYTES;
            wanted.back = CODE + core * CODE_STRIDE;
            wanted.back_at = one_in(2) ? here : at(below(scenario->tiles));
            wanted.length = PATCH_BYTES;
            break;
        }    /* fall through */
    default: /* with a result, or without; to one, or to many */
        wanted.target_at = at(below(scenario->tiles));
        wanted.target = SHARED + any_word();
        wanted.back_at = here;
        wanted.back = SHARED + any_word();
        wanted.ctrl = ATOMIC | marked;
        wanted.length = 0x1000 | 31 << 2 | (wanted.target >> 2 & 3);
        if (one_in(5)) {
            wanted.ctrl = ATOMIC | BROADCAST;
            wanted.target_at = rectangle(scenario->tiles, program->noc);
        }
        break;
    }
    if (scenario->errors && one_in(30)) {
        if (one_in(2)) {
            wanted.back_at = wanted.target_at = 40 | 40 << 6;
        } else {
            wanted.back += 4;
        }
    }
    return wanted;
}

static inline void put_start(struct program *program, const struct wanted *wanted, uint32_t ctrl)
{
    put_register(program, 0x0, wanted->target);
    put_register(program, 0x8, wanted->target_at);
    put_register(program, 0xc, wanted->back);
    put_register(program, 0x14, wanted->back_at);
    put_register(program, 0x18, below(16) << 10);
    put_register(program, 0x1c, wanted->ctrl | ctrl);
    put_register(program, 0x20, wanted->length);
    put_register(program, 0x24, wanted->high);
    put_register(program, 0x28, wanted->data);
    put_register(program, 0x40, 1);
}

static inline void put_request(struct program *program)
{
    struct wanted wanted = any_wanted(program);
    bool links = (wanted.ctrl & ~(uint32_t)MARKED) == WRITE && one_in(8) && program->core == 0;
    if (links) {
        put_start(program, &wanted, LINKED);
    }
    put_start(program, &wanted, 0);
    for (unsigned i = below(4); i && one_in(3) && !links; i--) { /* the same again, at once */
        put(program, sw(SCRATCH, NIU, 0x40));
    }
}

/* Reads a word at a base, over and over, until it is another than at first, or for so many times, if it is not for
 * ever. */
static inline void put_poll(struct program *program, unsigned base, uint32_t offset)
{
    bool forever = one_in(6);
    put(program, lw(SCRATCH, base, offset));
    put(program, addi(TRIES, 0, 1 + (int32_t)below(200)));
    unsigned begin = program->count;
    put(program, lw(NEW, base, offset));
    if (!forever) {
        put(program, addi(TRIES, TRIES, -1));
        put(program, TRIES << 15 | (3 * 4) << 7 | 0x63); /* beq tries, zero: leaves the loop */
    }
    put(program, bne(NEW, SCRATCH, 8));
    put_branch_back(program, S0, 0, begin);
}

static inline void put_message(struct program *program)
{
    put_constant(program, STREAM, STREAMS + (program->core == 0 ? SENDER : RECEIVER) * STRIDE);
    if (program->core == 0) {
        put(program, lw(SCRATCH, STREAM, 260 * 4));
        put(program, SCRATCH << 15 | (4 * 4) << 7 | 0x63);
        put_constant(program, SCRATCH, 1 << 12 | 1);
        put(program, sw(SCRATCH, STREAM, 4));
    } else if (program->core == 1) {
        put(program, lw(SCRATCH, STREAM, 259 * 4));
        put(program, SCRATCH << 15 | (4 * 4) << 7 | 0x63);
        put(program, addi(SCRATCH, 0, 1));
        put(program, sw(SCRATCH, STREAM, 265 * 4));
        put(program, sw(SCRATCH, STREAM, 266 * 4));
    }
}

static inline void put_tensix(struct program *program, unsigned count)
{
    for (; count && program->core >= BH_CORE_T0 && program->core <= BH_CORE_T2; count--) {
        uint32_t gpr = 16 + below(8),
                 word = (uint32_t)TENSIX_OPCODE_ADDDMAREG << 24 | gpr << 12 | (16 + below(8)) << 6 | gpr;
        put(program, word << 2 | word >> 30);
    }
}

static inline void put_wait(struct program *program, uint32_t rounds)
{
    put_constant(program, TRIES, rounds);
    put(program, addi(TRIES, TRIES, -1));
    put_branch_back(program, TRIES, 0, program->count - 1);
}

static inline void put_statement(struct program *program)
{
    static const uint32_t operations[] = {0x33, 0x40000033, 0x4033, 0x2000033, 0x7033, 0x6033, 0x3033};
    switch (below(18)) {
    case 0:
    case 1: put(program, lw(any_value(), S0, any_word())); break;
    case 2:
    case 3: put(program, sw(any_value(), S0, any_word())); break;
    case 4: put_poll(program, S0, any_word()); break;
    case 5: put_poll(program, COUNTERS, 0x200 + 4 * below(4)); break;
    case 6: put_wait(program, 1 + (one_in(4) ? below(2000) : below(60))); break;
    case 7: put_tensix(program, one_in(6) ? 100 : below(6)); break;
    case 8:
        if (program->scenario->streams) {
            put_message(program);
        }
        break;
    case 9:
    case 10:
    case 11:
    case 12: put_request(program); break;
    default:
        put(program, operations[below(sizeof operations / sizeof operations[0])] | any_value() << 20 |
                         any_value() << 15 | any_value() << 7);
        break;
    }
}

static inline void make(struct program *program)
{
    program->count = 0;
    for (unsigned i = 0; i < PATCH_BYTES / 4; i++) { /* others write here */
        put(program, addi(FIRST_VALUE, FIRST_VALUE, (int32_t)i));
    }
    unsigned body = program->count;
    if (body == PATCH_BYTES / 4) {
        put(program, 1 << 15 | 0x67 | 0 << 7); /* ret: the piece is called */
    }
    program->slot = program->count;
    put_constant(program, S0, SHARED);
    put_constant(program, NIU, 0xFFB20000 + 0x10000 * program->noc + 0x800 * (program->core % 3));
    put_constant(program, COUNTERS, 0xFFB20000 + 0x10000 * program->noc);
    for (unsigned i = 0; i < VALUES; i++) {
        put_constant(program, FIRST_VALUE + i, below(0x7fffffff));
    }
    put_constant(program, ROUNDS, 1 + below(one_in(3) ? 400 : 40));
    put_wait(program, 1 + below(400));
    unsigned begin = program->count, statements = 2 + below(one_in(2) ? 6 : 20);
    for (unsigned i = 0; i < statements && program->count < WORDS - 160; i++) {
        put_statement(program);
        if (one_in(10)) {
            put_constant(program, SCRATCH, CODE + program->core * CODE_STRIDE);
            put(program, SCRATCH << 15 | 1 << 7 | 0x67); /* jalr ra */
        }
    }
    put(program, addi(ROUNDS, ROUNDS, -1));
    put(program, ROUNDS << 15 | 8 << 7 | 0x63);
    uint32_t offset = (begin - program->count) * 4;
    put(program, (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3ff) << 21 | (offset >> 11 & 1) << 20 |
                     (offset >> 12 & 0xff) << 12 | 0x6f);
    if (one_in(3)) {
        put(program, lw(SCRATCH, S0, any_word()));
        put_branch_back(program, S0, 0, program->count - 1);
    }
    put(program, SELF_JUMP);
}

static inline void write_word(struct bh_device *device, unsigned tile, uint32_t address, uint32_t value)
{
    assert_int_equal(bh_write(device, at(tile) & 63, at(tile) >> 6, address, &value, 4), BH_OK);
}

static inline void configure(struct bh_device *device, unsigned tile, unsigned stream, uint32_t index, uint32_t value)
{
    write_word(device, tile, STREAMS + stream * STRIDE + index * 4, value);
}

/* Streams of each tile that lead messages of one unit from its first core to the second one of the next tile. */
static inline void start_stream(struct bh_device *device, unsigned tile, unsigned stream, unsigned peer, bool sends)
{
    const uint32_t named = at(peer) | (sends ? RECEIVER : SENDER) << 12, place = HEADERS + !sends * 0x400,
                   buffer = BUFFER + !sends * BUFFER_UNITS * 16;
    configure(device, tile, 0, 33, 32 << 7 | 40 << 14);
    configure(device, tile, stream, 17, buffer / 16);
    configure(device, tile, stream, 18, BUFFER_UNITS);
    configure(device, tile, stream, 22, place / 16);
    configure(device, tile, stream, 21, 2);
    configure(device, tile, stream, 23, 0);
    if (sends) {
        configure(device, tile, stream, 7, named);
        configure(device, tile, stream, 8, (BUFFER + BUFFER_UNITS * 16) / 16);
        configure(device, tile, stream, 10, BUFFER_UNITS);
        configure(device, tile, stream, 11, 0);
        configure(device, tile, stream, 12, 2);
        configure(device, tile, stream, 15, 0);
        configure(device, tile, stream, 13, (HEADERS + 0x400) / 16);
    } else {
        configure(device, tile, stream, 4, named);
        configure(device, tile, stream, 5, 1);
    }
    uint32_t common = 1 << 21 | 1 << 15;
    configure(device, tile, stream, 3,
              common | (sends ? 1 << 4 | 1 << 8 | 1 << 12 | 1 << 16 : 1 << 5 | 1 << 6 | 1 << 11));
    configure(device, tile, stream, 29, 1);
    configure(device, tile, stream, 34, 100 << 12);
    configure(device, tile, stream, 267, 1);
}

static inline void start(struct bh_device *device, const struct scenario *scenario)
{
    static struct program program;
    uint32_t ones[0x300], pieces[16];
    for (unsigned i = 0; i < sizeof ones / sizeof ones[0]; i++) {
        ones[i] = 1;
    }
    for (unsigned tile = 0; tile < scenario->tiles; tile++) {
        unsigned x = at(tile) & 63, y = at(tile) >> 6;
        for (unsigned i = 0; i < 16; i++) {
            pieces[i] = addi(FIRST_VALUE, FIRST_VALUE + below(3), (int32_t)below(100));
        }
        assert_int_equal(bh_write(device, x, y, PATCHES, pieces, sizeof pieces), BH_OK);
        for (unsigned i = 0; scenario->streams && i < 4; i++) {
            assert_int_equal(bh_write(device, x, y, HEADERS + i * sizeof ones, ones, sizeof ones), BH_OK);
        }
        if (scenario->streams) {
            start_stream(device, tile, SENDER, (tile + 1) % scenario->tiles, true);
            start_stream(device, tile, RECEIVER, (tile + scenario->tiles - 1) % scenario->tiles, false);
        }
        for (unsigned core = 0; core < scenario->cores; core++) {
            program.scenario = scenario;
            program.tile = tile;
            program.core = core;
            program.noc = below(2);
            make(&program);
            uint32_t pc = CODE + core * CODE_STRIDE;
            assert_int_equal(bh_write(device, x, y, pc, program.word, program.count * 4), BH_OK);
            assert_int_equal(bh_core_start(device, x, y, core, pc + program.slot * 4), BH_OK);
        }
    }
}

static inline struct scenario plan(uint64_t seed)
{
    static const unsigned tiles[] = {1, 2, 2, 3, 4, 8, 12, MOST_TILES};
    struct scenario scenario = {.seed = seed};
    random_state = seed * 0x9E3779B97F4A7C15u + 1;
    scenario.tiles = tiles[below(sizeof tiles / sizeof tiles[0])];
    scenario.cores = 1 + below(5);
    scenario.errors = one_in(3);
    scenario.streams = scenario.tiles > 1 && one_in(2);
    scenario.resets = one_in(3);
    scenario.patches = one_in(2);
    scenario.runs = one_in(3);
    scenario.on_error = one_in(3) ? BH_ON_ERROR_STOP : BH_ON_ERROR_REPORT;
    scenario.acts = below(MOST_ACTS);
    for (unsigned i = 0; i < scenario.acts; i++) {
        scenario.end += 1 + below(3000);
        scenario.act[i].clock = scenario.end;
        scenario.act[i].tile = below(scenario.tiles);
        scenario.act[i].kind = below(8);
        scenario.act[i].value = below(0x7fffffff);
    }
    scenario.end += 1000 + below(60000 / (scenario.tiles + 4));
    return scenario;
}

static inline void act(struct bh_device *device, const struct scenario *scenario, unsigned i)
{
    unsigned tile = scenario->act[i].tile, x = at(tile) & 63, y = at(tile) >> 6;
    uint32_t value = scenario->act[i].value;
    switch (scenario->act[i].kind) {
    case 0: (void)bh_core_stop(device, x, y, value % scenario->cores); break;
    case 1: (void)bh_tile_reset(device, x, y); break;
    case 2: (void)bh_write(device, x, y, SOFT_RESET, &(uint32_t){soft_reset(scenario, value)}, 4); break;
    case 3: (void)bh_write(device, x, y, SOFT_RESET, &(uint32_t){soft_reset(scenario, 0)}, 4); break;
    case 4: (void)bh_write(device, DRAM_X, DRAM_Y, SHARED + value % SHARED_BYTES / 4 * 4, &value, 4); break;
    default: (void)bh_write(device, x, y, SHARED + value % SHARED_BYTES / 4 * 4, &value, 4); break;
    }
}

#endif
