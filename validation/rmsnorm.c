/* RMSNorm of a vector in L1 by three threads: y = x * gamma / sqrt(mean(x^2) + epsilon). The Matrix Unit multiplies x
   and gamma while macros of the Vector Unit add up squares of x; then macros scale the products, and the packer writes
   BF16. Tiles are of 1024 values; the next one is loaded while the one before is computed, unless the row says
   otherwise. */
#include <math.h>
#include <string.h>

#include "validation/engines.h"
#include "validation/kernels.h"

enum { LOADER_CODE = 0x8000, MATH_CODE = 0x18000, PACKER_CODE = 0x28000 };
enum { INPUT = 0x40000, GAMMA = 0x42000, OUTPUT = 0x44000, TILE_BYTES = 2048, TILE = 1024, MOST = 4 };
enum { PACK_MARK = 2, ALL_COUNTERS = 15 };

static const struct place tile_of_cores = {1, 2};
static const double epsilon = 1e-5;
static struct program programs[3];

struct variant {
    uint32_t tiles;
    bool sequential;
    bool mop;   /* multiplies the tile by one MOP */
    bool early; /* the wait for the Matrix Unit blocks only the unpackers, and what comes next may replace it */
    enum {
        BY_MACROS,
        QUEUED,
        SERIALIZED,
        INTERLEAVED
    } squares; /* by macros; by loads and SFPMADs, behind the products, when these are done, or between them */
};

static struct program *begin(unsigned i, uint32_t address)
{
    programs[i] = (struct program){.address = address};
    emit_firmware_state(&programs[i], true);
    return &programs[i];
}

static uint32_t bits_of(double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

static void load_constant(struct program *program, unsigned lreg, double value)
{
    EMIT(program, TT_OP_SFPLOADI(lreg, 8, bits_of(value) >> 16), TT_OP_SFPLOADI(lreg, 10, bits_of(value) & 0xffff));
}

static void load(struct program *program, const struct variant *variant, uint32_t tile)
{
    uint32_t nop = TT_OP_NOP, other = unpack_word(1);
    if (variant->sequential || tile == 0) {
        wait_semaphore(program, SEM_MATH_DONE, UNTIL_POSTED, variant->early ? STALL_UNPACK : STALL_UNPACK | STALL_SYNC);
        take_semaphore(program, SEM_MATH_DONE);
    }
    if (tile == 0) {
        set_up_unpacker(program, 0, INPUT, FORMAT_BF16);
        set_up_unpacker(program, 1, GAMMA, FORMAT_BF16);
        commit_unpackers(program, 0);
        EMIT(program, TT_OP_SETADCXX(1, 255, 0), TT_OP_SETADCXX(2, 255, 0), TT_OP_SETADCZW(3, 0, 0, 0, 0, ALL_COUNTERS),
             TT_OP_SETADCXX(3, TILE - 1, 0));
        write_mop(program, (const uint32_t[9]){1, 1, unpack_word(0), nop, nop, other, nop, other, other});
    } else {
        set_unpacker_address(program, 0, INPUT + tile * TILE_BYTES);
        set_unpacker_address(program, 1, GAMMA + tile * TILE_BYTES);
        emit_tensix(program, TT_OP_SETADCZW(3, 0, 0, 0, 0, ALL_COUNTERS));
    }
    enum { WAIT_CLEAR = 0x60 };
    EMIT(program, TT_OP_STALLWAIT(STALL_UNPACK, WAIT_CLEAR), TT_OP_MOP(1, 0, 0),
         TT_OP_STALLWAIT(STALL_UNPACK, WAIT_UNPACK0 | WAIT_UNPACK1));
    take_semaphore(program, SEM_UNPACK_CONFIG);
    wait_for_coprocessor(program);
    if (!variant->sequential) {
        wait_semaphore(program, SEM_LOADED, UNTIL_ROOM, STALL_SYNC);
    }
    post_semaphore(program, SEM_LOADED);
}

/* How rows of the sources and of Dst, and the phase of fidelity, go on behind an instruction. In a MOP they are the
   same words for all blocks of rows, so that Dst goes on, too. */
static const uint32_t single_modes[4][2] = {{0x808, 0}, {0x808, 1 << 13}, {0x808, 1 << 15}, {0, 0}};
static const uint32_t mop_modes[4][2] = {{0x808, 8}, {0x808, 0x800 | 1 << 13}, {0x808, 0x800 | 1 << 15}, {0, 0}};

/* Macro: x, which it loads, times LReg[0] back to where it was. */
static void set_up_scaling(struct program *program)
{
    EMIT(program, TT_OP_SFPMUL(0, 0, 9, 12, 0), TT_OP_SFPLOADI(0, 8, 0x1300), TT_OP_SFPLOADI(0, 10, 0x8400),
         TT_OP_SFPCONFIG(0, 4, 0), TT_OP_SFPCONFIG(3, 8, 1));
}

/* Macros: LReg = its square + the other sum, a cycle after the load. */
static void set_up_squares(struct program *program)
{
    for (uint32_t lreg = 0; lreg < 4; lreg++) {
        EMIT(program, TT_OP_SFPMAD(lreg, lreg, lreg ^ 2, 12 + lreg, 0),
             TT_OP_SFPCONFIG((0x84 + lreg) << 8, 4 + lreg, 1));
    }
    emit_tensix(program, TT_OP_SFPCONFIG(3, 8, 1));
    load_constant(program, 2, 0);
    load_constant(program, 3, 0);
}

static void set_up_math(struct program *program, const struct variant *variant)
{
    const uint32_t(*modes)[2] = variant->mop ? mop_modes : single_modes;
    EMIT(program, TT_OP_SETC16(0, 0), TT_OP_SETC16(1, 0), TT_OP_STALLWAIT(STALL_CFG, WAIT_MATH | WAIT_SFPU),
         TT_OP_RMWCIB3(0x20, 0x20, 1), TT_OP_RMWCIB3(0x40, 0x40, 1), TT_OP_ZEROACC(3, 1, 0, 1, 0),
         TT_OP_SFPENCC(0, 0, 0, 2), TT_OP_SFPCONFIG(0, 15, 1), TT_OP_SFPNOP);
    /* Sources count as TF32, so that MOVA2D writes rows of 32 bits. */
    EMIT(program, TT_OP_RMWCIB0(0xff, 0x94, 0), TT_OP_RMWCIB1(3, 2, 0), TT_OP_SETC16(2, 1), TT_OP_SETC16(3, 1));
    for (uint32_t i = 0; i < 4; i++) {
        EMIT(program, TT_OP_SETC16(12 + i, modes[i][0]), TT_OP_SETC16(28 + i, modes[i][1]), TT_OP_SETC16(47 + i, 0));
    }
    (variant->squares == BY_MACROS ? set_up_squares : set_up_scaling)(program);
    load_constant(program, 7, 0);
}

static void await_sources(struct program *program, const struct variant *variant, uint32_t tile)
{
    enum { WAIT_BOTH_VALID = 0x180 };
    if (variant->sequential) {
        emit_tensix(program, TT_OP_STALLWAIT(STALL_SYNC, WAIT_MATH | WAIT_SFPU));
    }
    if (variant->sequential || tile == 0) {
        post_semaphore(program, SEM_MATH_DONE);
    }
    wait_semaphore(program, SEM_LOADED, UNTIL_POSTED, STALL_SYNC);
    take_semaphore(program, SEM_LOADED);
    emit_tensix(program, TT_OP_STALLWAIT(STALL_MATH, WAIT_BOTH_VALID));
}

/* LReg[7] += LReg[0] * LReg[0] */
static void add_square(struct program *program, uint32_t row)
{
    EMIT(program, TT_OP_SFPLOAD(0, 3, 3, row), TT_OP_SFPMAD(0, 0, 7, 7, 0));
}

/* Products of the tile, in four phases of fidelity. */
static void multiply_by_words(struct program *program, uint32_t tile, bool squares)
{
    for (uint32_t phase = 0; phase < 4; phase++) {
        for (uint32_t block = 0; block < 8; block++) {
            uint32_t mode = block < 7 ? 0 : phase < 3 ? 1 : 2;
            emit_tensix(program, TT_OP_ELWMUL(0, 0, 0, mode, (tile + 1) * 64 + block * 8));
            if (squares) {
                add_square(program, 2 * (phase * 8 + block));
            }
        }
    }
}

/* The same: the MOP is written for the first tile, its three instructions for others. */
static void multiply_by_mop(struct program *program, uint32_t tile)
{
    enum { MOP_CONFIG = 0xFFB80000u };
    uint32_t nop = TT_OP_NOP, dst = (tile + 1) * 64;
    const uint32_t mop[9] = {4,
                             8,
                             nop,
                             nop,
                             nop,
                             TT_OP_ELWMUL(0, 0, 0, 0, dst),
                             nop,
                             TT_OP_ELWMUL(0, 0, 0, 2, dst),
                             TT_OP_ELWMUL(0, 0, 0, 1, dst)};
    if (tile == 0) {
        write_mop(program, mop);
    } else {
        wait_for_mop_expander(program);
        store(program, MOP_CONFIG + 4 * 5, mop[5]);
        store(program, MOP_CONFIG + 4 * 7, mop[7]);
        store(program, MOP_CONFIG + 4 * 8, mop[8]);
    }
    emit_tensix(program, TT_OP_MOP(1, 0, 0));
}

static void add_squares(struct program *program, const struct variant *variant)
{
    if (variant->squares == SERIALIZED) {
        emit_tensix(program, TT_OP_STALLWAIT(STALL_SFPU, WAIT_MATH));
    }
    for (uint32_t vector = 0; vector < 32 && variant->squares != INTERLEAVED; vector++) {
        uint32_t lreg = vector % 4;
        if (variant->squares == BY_MACROS) {
            emit_tensix(program, TT_OP_SFPLOADMACRO(lreg << 2 | lreg, 3, 3, vector * 2));
        } else {
            add_square(program, vector * 2);
        }
    }
    if (variant->squares == BY_MACROS) {
        EMIT(program, TT_OP_SFPNOP, TT_OP_SFPNOP, TT_OP_SFPNOP);
    }
}

/* x to the scratch tile, products to the tile's own place, squares to the sums. */
static void compute(struct program *program, const struct variant *variant, uint32_t tile)
{
    for (uint32_t row = 0; row < 64; row += 8) {
        emit_tensix(program, TT_OP_MOVA2D(0, row, 3, 2, row));
    }
    emit_tensix(program, TT_OP_STALLWAIT(STALL_SFPU, WAIT_MATH));
    if (tile == 0) {
        wait_for_coprocessor(program);
        mark(program, PACK_MARK + 2); /* the measured kernel keeps this time, too */
    }
    emit_tensix(program, TT_OP_SETRWC(0, 0, 0, 0, 0, 15));
    if (variant->mop) {
        multiply_by_mop(program, tile);
    } else {
        multiply_by_words(program, tile, variant->squares == INTERLEAVED);
    }
    add_squares(program, variant);
    EMIT(program, TT_OP_STALLWAIT(STALL_SYNC, WAIT_MATH | WAIT_SFPU), TT_OP_SETRWC(3, 0, 0, 0, 0, 15));
}

/* LReg[c] = LReg[a] + LReg[b], or their product, and a cycle until that can be read. */
static void add(struct program *program, uint32_t a, uint32_t b, uint32_t c)
{
    EMIT(program, TT_OP_SFPADD(10, a, b, c, 0), TT_OP_SFPNOP);
}

static void multiply(struct program *program, uint32_t a, uint32_t b, uint32_t c, uint32_t mode)
{
    EMIT(program, TT_OP_SFPMUL(a, b, 9, c, mode), TT_OP_SFPNOP);
}

/* The sum of all lanes of LReg[0] into all of them. */
static void add_lanes(struct program *program)
{
    for (uint32_t turns = 4; turns; turns /= 2) {
        emit_tensix(program, TT_OP_SFPMOV(0, 0, 1, 0));
        for (uint32_t i = 0; i < turns; i++) {
            EMIT(program, TT_OP_SFPSHFT2(0, 1, 1, 3), TT_OP_SFPNOP);
        }
        add(program, 0, 1, 0);
    }
    EMIT(program, TT_OP_SFPMOV(0, 0, 1, 0), TT_OP_SFPMOV(0, 0, 2, 0), TT_OP_SFPMOV(0, 0, 3, 0),
         TT_OP_SFPTRANSP(0, 0, 0, 0));
    for (uint32_t lreg = 1; lreg < 4; lreg++) {
        add(program, 0, lreg, 0);
    }
}

/* LReg[0] = 1 / sqrt(LReg[0]): an estimate from its bits, made better twice. */
static void reciprocal_root(struct program *program)
{
    EMIT(program, TT_OP_SFPMOV(0, 0, 6, 0), TT_OP_SFPMOV(0, 6, 1, 0), TT_OP_SFPSHFT(0xfff, 9, 1, 1),
         TT_OP_SFPLOADI(2, 10, 0x10a0), TT_OP_SFPLOADI(2, 8, 0x5f11), TT_OP_SFPIADD(0, 2, 1, 6));
    multiply(program, 6, 1, 2, 0);
    emit_tensix(program, TT_OP_SFPMUL(1, 2, 9, 2, 1));
    load_constant(program, 3, 2.2825186);
    load_constant(program, 4, 2.2533049);
    add(program, 4, 2, 4);
    EMIT(program, TT_OP_SFPMAD(2, 4, 3, 2, 0), TT_OP_SFPNOP);
    multiply(program, 1, 2, 1, 0);
    multiply(program, 6, 1, 2, 0);
    multiply(program, 1, 2, 2, 1);
    emit_tensix(program, TT_OP_SFPADD(10, 10, 2, 2, 0));
    load_constant(program, 5, 0.5);
    multiply(program, 1, 5, 5, 0);
    emit_tensix(program, TT_OP_SFPMAD(2, 5, 1, 0, 0));
}

static void scale(struct program *program, const struct variant *variant)
{
    const uint32_t tiles = variant->tiles;
    if (variant->squares == BY_MACROS) {
        EMIT(program, TT_OP_SFPADD(10, 2, 3, 7, 0), TT_OP_SFPNOP);
        set_up_scaling(program);
    }
    emit_tensix(program, TT_OP_SFPMOV(0, 7, 0, 0));
    add_lanes(program);
    load_constant(program, 4, 1.0 / (tiles * TILE));
    emit_tensix(program, TT_OP_SFPMUL(0, 4, 9, 0, 0));
    load_constant(program, 4, epsilon);
    add(program, 0, 4, 0);
    reciprocal_root(program);
    emit_tensix(program, TT_OP_STALLWAIT(STALL_SFPU, WAIT_MATH));
    for (uint32_t vector = 0; vector < tiles * 32; vector++) {
        uint32_t lreg = 1 + vector % 4;
        emit_tensix(program, TT_OP_SFPLOADMACRO(lreg & 3, 3, 3, (64 + vector * 2) | lreg >> 2));
    }
    EMIT(program, TT_OP_SFPNOP, TT_OP_SFPNOP, TT_OP_SFPNOP, TT_OP_SFPNOP,
         TT_OP_STALLWAIT(STALL_SYNC, WAIT_MATH | WAIT_SFPU));
    wait_for_coprocessor(program);
}

static void do_math(const struct variant *variant)
{
    struct program *program = begin(1, MATH_CODE);
    set_up_math(program, variant);
    wait_semaphore(program, SEM_LOADED, UNTIL_POSTED, STALL_SYNC);
    take_semaphore(program, SEM_LOADED);
    wait_for_coprocessor(program);
    mark(program, 0);
    for (uint32_t tile = 0; tile < variant->tiles; tile++) {
        await_sources(program, variant, tile);
        compute(program, variant, tile);
    }
    scale(program, variant);
    mark(program, PACK_MARK + 3);
    mark(program, PACK_MARK);
    emit_tensix(program, TT_OP_STALLWAIT(STALL_SYNC, WAIT_MATH | WAIT_SFPU));
    post_semaphore(program, SEM_MATH_PACK);
}

static void do_load(const struct variant *variant)
{
    struct program *program = begin(0, LOADER_CODE);
    emit_tensix(program, TT_OP_SEMINIT(1, 0, 1 << SEM_MATH_PACK | 1 << SEM_LOADED | 1 << SEM_MATH_DONE));
    emit_tensix(program, TT_OP_SEMINIT(2, 0, 1 << SEM_UNPACK_CONFIG));
    wait_for_coprocessor(program);
    post_semaphore(program, SEM_LOADED);
    for (uint32_t tile = 0; tile < variant->tiles; tile++) {
        load(program, variant, tile);
    }
}

static void do_pack(const struct variant *variant)
{
    struct program *program = begin(2, PACKER_CODE);
    wait_semaphore(program, SEM_MATH_PACK, UNTIL_POSTED, STALL_TDMA);
    set_up_packer(program, FORMAT_BF16);
    set_up_packed_rows(program, 64);
    for (uint32_t tile = 0; tile < variant->tiles; tile++) {
        wait_for_coprocessor(program);
        EMIT(program, TT_OP_SETADC(4, 0, 1, 0), TT_OP_SETADC(4, 0, 2, 0), TT_OP_SETADC(4, 0, 3, 1 + tile));
        store(program, CONFIG + 0x114, (((OUTPUT + tile * TILE_BYTES) >> 4) - 1) | 0x80000000);
        store(program, CONFIG + 0x2d0, 0);
        EMIT(program, TT_OP_SETADCXX(4, 15, 0), TT_OP_MOP(1, 0, 0));
        drain(program, WAIT_PACK0);
    }
    take_semaphore(program, SEM_MATH_PACK);
    mark(program, PACK_MARK + 1);
    RVI(FENCE, ZERO, ZERO, 0xff);
    mark(program, 1);
}

static double value_of(uint16_t bf16)
{
    uint32_t bits = (uint32_t)bf16 << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static void check(struct bh_device *device, const uint16_t *x, const uint16_t *gamma, uint32_t count)
{
    double squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        squares += value_of(x[i]) * value_of(x[i]);
    }
    double factor = 1 / sqrt(squares / count + epsilon);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word = machine_word(device, tile_of_cores, OUTPUT + i / 2 * 4);
        double got = value_of((uint16_t)(i % 2 ? word >> 16 : word)),
               expected = value_of(x[i]) * value_of(gamma[i]) * factor;
        if (fabs(got - expected) > fabs(expected) * 0.004 + 1e-7) {
            machine_fail("RMSNorm computes something else");
        }
    }
}

static void run(const struct variant *variant, double *total, double *pack)
{
    static uint16_t x[MOST * TILE], gamma[MOST * TILE];
    static const enum bh_core cores[] = {BH_CORE_T0, BH_CORE_T1, BH_CORE_T2};
    for (uint32_t i = 0; i < variant->tiles * TILE; i++) {
        x[i] = (uint16_t)(0x3e80 + i * 37 % 0x180 + (i * 5 % 2 << 15));
        gamma[i] = (uint16_t)(0x3f00 + i * 29 % 0x100 + (i * 3 % 7 % 2 << 15));
    }
    do_load(variant);
    do_math(variant);
    do_pack(variant);
    struct bh_device *device = machine_create();
    machine_write(device, tile_of_cores, INPUT, x, variant->tiles * TILE_BYTES);
    machine_write(device, tile_of_cores, GAMMA, gamma, variant->tiles * TILE_BYTES);
    for (unsigned i = 0; i < 3; i++) {
        emit_end(&programs[i]);
        machine_load(device, tile_of_cores, &programs[i]);
        machine_start(device, tile_of_cores, cores[i], &programs[i]);
    }
    machine_run(device);
    check(device, x, gamma, variant->tiles * TILE);
    *total = machine_word(device, tile_of_cores, MARKS + 4) - machine_word(device, tile_of_cores, MARKS);
    *pack = machine_word(device, tile_of_cores, MARKS + 4 * (PACK_MARK + 1)) -
            machine_word(device, tile_of_cores, MARKS + 4 * PACK_MARK);
    bh_device_destroy(device);
}

/* What comes behind "RMSNorm L1-L1: ". */
static const struct {
    const char *name;
    struct variant variant;
    bool packs; /* the time of packing; else the whole */
} rows[] = {
    {"pack", {.tiles = 2}, true},
    {"pack 1", {.tiles = 1}, true},
    {"pack 2", {.tiles = 2}, true},
    {"pack 3", {.tiles = 3}, true},
    {"pack 4", {.tiles = 4}, true},
    {"double-buffered 1", {.tiles = 1}, false},
    {"double-buffered 2", {.tiles = 2}, false},
    {"double-buffered 3", {.tiles = 3}, false},
    {"double-buffered 4", {.tiles = 4}, false},
    {"no MOP a", {.tiles = 2}, false},
    {"no MOP b", {.tiles = 4}, false},
    {"MOP a", {.tiles = 2, .mop = true}, false},
    {"MOP b", {.tiles = 4, .mop = true}, false},
    {"macro a", {.tiles = 1, .sequential = true, .early = true}, false},
    {"macro b", {.tiles = 2, .sequential = true, .early = true}, false},
    {"sequential 1", {.tiles = 1, .sequential = true}, false},
    {"sequential 2", {.tiles = 2, .sequential = true}, false},
    {"sequential 3", {.tiles = 3, .sequential = true}, false},
    {"sequential 4", {.tiles = 4, .sequential = true}, false},
    {"queued a", {.tiles = 1, .sequential = true, .early = true, .squares = QUEUED}, false},
    {"queued b", {.tiles = 2, .sequential = true, .early = true, .squares = QUEUED}, false},
    {"serialized a", {.tiles = 1, .sequential = true, .early = true, .squares = SERIALIZED}, false},
    {"serialized b", {.tiles = 2, .sequential = true, .early = true, .squares = SERIALIZED}, false},
    {"interleaved a", {.tiles = 1, .sequential = true, .early = true, .squares = INTERLEAVED}, false},
    {"interleaved b", {.tiles = 2, .sequential = true, .early = true, .squares = INTERLEAVED}, false},
};

bool rmsnorm(const struct measured *row, double *value)
{
    const char *name = strstr(row->what, ": ") + 2;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!strcmp(rows[i].name, name)) {
            double total, pack;
            run(&rows[i].variant, &total, &pack);
            *value = rows[i].packs ? pack : total;
            return true;
        }
    }
    return false;
}
