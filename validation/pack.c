/* Packers and unpackers, and reductions of what they have brought: how long rows and tiles take. */
#include <string.h>

#include "noc/coordinates.h"
#include "validation/engines.h"
#include "validation/transfers.h"
#include "validation/validation.h"

enum { LOADER_CODE = 0x8000, MATH_CODE = 0x18000, PACKER_CODE = 0x28000, INPUT = 0x40000, OUTPUT = 0x48000 };
enum { FP32 = 0, BF16 = 5 };
enum { MATH_PACK = 1, UNPACK_TO_DEST = 2, UNPACK_SYNC = 5, MATH_DONE = 7 }; /* semaphores */
enum { ON_ZERO = 1 };

static const uint32_t config = 0xFFEF0000, semaphores = 0xFFE80020;
static struct program programs[2];

static struct program *begin(unsigned i, uint32_t address)
{
    programs[i] = (struct program){.address = address};
    return &programs[i];
}

struct setting {
    uint32_t offset, value;
};

static void configure(struct program *program, const struct setting *settings, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        store(program, config + settings[i].offset, settings[i].value);
    }
}

#define CONFIGURE(program, ...)                                                                                        \
    do {                                                                                                               \
        const struct setting settings[] = {__VA_ARGS__};                                                               \
        configure(program, settings, sizeof settings / sizeof *settings);                                              \
    } while (0)

/* Rows of Dst of 32 bits, one after the other, to dense data in L1; each PACR that is not the last goes on by so many
   rows. */
static void configure_packer(struct program *program, uint32_t format, uint32_t rows)
{
    uint32_t size = format == FP32 ? 4 : 2;
    emit_tensix(program, TT_OP_SETC16(0, 0));
    emit_tensix(program, TT_OP_RMWCIB3(0x1e, format << 1, 1));
    CONFIGURE(program, {0x110, 0x40000}, {0x118, 1 | format << 4 | format << 8}, {0x48, 1}, {0x30, 16 * size << 16},
              {0x34, 256 * size | 1024 * size << 16}, {0x60, 0xffff}, {0x64, 0}, {0x50, 0}, {0x54, 0}, {0x70, 0x100},
              {0x2d0, 0});
    emit_tensix(program, TT_OP_SETC16(37, rows));
    emit_tensix(program, TT_OP_SETC16(38, 0x20));
    emit_tensix(program, TT_OP_SETC16(39, 0));
    emit_tensix(program, TT_OP_SETADCXY(4, 0, 0, 0, 0, 11));
    emit_tensix(program, TT_OP_SETADCZW(4, 0, 0, 0, 0, 15));
    wait_for_coprocessor(program);
}

static uint32_t pacr(uint32_t interfaces, bool last)
{
    return TT_OP_PACR(0, 0, 0, last, 0, 0, (1u << interfaces) - 1, 0, 0, 0, 0, last);
}

static void set_dst_position(struct program *program, uint32_t row)
{
    emit_tensix(program, TT_OP_SETADC(4, 0, 1, row & 15));
    emit_tensix(program, TT_OP_SETADC(4, 0, 2, row >> 4));
    emit_tensix(program, TT_OP_SETADC(4, 0, 3, 0));
}

/* n values `passes` times to the same place in L1, drained after each. */
static bool pack_to_l1(const struct measured *row, double *value)
{
    struct program *program = begin(0, PACKER_CODE);
    bool accumulates = strstr(row->what, "accumulate") != NULL;
    configure_packer(program, measured_has(row, "fmt", "FP32") ? FP32 : BF16, 1);
    configure_mop(program, (uint32_t)measured_number(row, "n", 16) / 16, pacr(1, false), pacr(1, true));
    emit_tensix(program, TT_OP_STALLWAIT(STALL_CFG, WAIT_PACK0));
    emit_tensix(program, TT_OP_RMWCIB0(4, accumulates ? 4 : 0, 70));
    emit_tensix(program, TT_OP_RMWCIB2(8, accumulates ? 8 : 0, 71));
    wait_for_coprocessor(program);
    mark(program, 0);
    for (long pass = 0; pass < measured_number(row, "passes", 1); pass++) {
        set_dst_position(program, 0);
        store(program, config + 0x114, ((OUTPUT >> 4) - 1) | 0x80000000);
        store(program, config + 0x2d0, 0);
        emit_tensix(program, TT_OP_SETADCXX(4, 15, 0));
        emit_tensix(program, TT_OP_MOP(1, 0, 0));
        drain(program, WAIT_PACK0);
    }
    mark(program, 1);
    *value = run_marked(programs, (const enum bh_core[]){BH_CORE_T2}, 1);
    return true;
}

/* 512 values to one place in L1, as a whole or in four parts, all by replays. */
struct scattered {
    const char *name; /* of its row, behind "packer: " */
    uint32_t interfaces;
    bool output; /* the place is written for each pack */
    bool parts;
    bool drained;     /* each part */
    bool one_counter; /* tells where a part is, else three do */
};

static const struct scattered scattered[] = {
    {"512 contiguous", 1, true, false, false, false},
    {"512 split", 1, true, true, true, false},
    {"512 drained", 1, true, true, true, false},
    {"512 queued", 1, true, true, false, false},
    {"512 one counter", 1, true, true, false, true},
    {"1 interface fixed out a", 1, false, false, false, true},
    {"1 interface fixed out b", 1, false, true, false, true},
    {"4 interfaces a", 4, false, false, false, true},
    {"4 interfaces b", 4, false, true, false, true},
};

static void pack_part(struct program *program, const struct scattered *way, uint32_t part)
{
    uint32_t count = 8 / way->interfaces;
    if (part && way->drained) {
        emit_tensix(program, TT_OP_STALLWAIT(STALL_SYNC, WAIT_PACK0));
    }
    if (way->one_counter) {
        emit_tensix(program, TT_OP_SETADC(4, 0, 1, part * 8));
    } else {
        set_dst_position(program, part * 8);
    }
    emit_tensix(program, TT_OP_REPLAY(part * count, count, 0, 0));
}

static void pack_once(struct program *program, const struct scattered *way)
{
    if (way->output) {
        set_packer_address(program, OUTPUT);
    }
    if (way->parts) {
        if (way->one_counter) {
            emit_tensix(program, TT_OP_SETADCZW(4, 0, 0, 0, 0, 5));
        }
        for (uint32_t part = 0; part < 4; part++) {
            pack_part(program, way, part);
        }
    } else {
        set_dst_position(program, 0);
        emit_tensix(program, TT_OP_REPLAY(0, 32 / way->interfaces, 0, 0));
    }
    drain(program, WAIT_PACK0);
}

static struct program *set_up_scattered(const struct scattered *way)
{
    enum { WORDS = 32 };
    uint32_t words[WORDS], count = WORDS / way->interfaces;
    struct program *program = begin(0, PACKER_CODE);
    configure_packer(program, BF16, way->interfaces);
    emit_tensix(program, TT_OP_SETADCXX(4, 15, 0));
    for (uint32_t i = 0; i < count; i++) {
        words[i] = pacr(way->interfaces, i == count - 1);
    }
    record_replay(program, words, count);
    set_packer_address(program, OUTPUT);
    wait_for_coprocessor(program);
    pack_once(program, way);
    return program;
}

static double measure_scattered(const struct scattered *way)
{
    enum { REPEATS = 32 };
    struct program *program = set_up_scattered(way);
    mark(program, 0);
    emit_li(program, S0, REPEATS);
    uint32_t top = program->count;
    pack_once(program, way);
    RVI(ADDI, S0, S0, -1);
    emit_branch(program, RV32_OP_BNE, S0, ZERO, top);
    mark(program, 1);
    return run_marked(programs, (const enum bh_core[]){BH_CORE_T2}, 1) / REPEATS;
}

/* Until a word at this address is zero. */
static void await_zero(struct program *program, uint32_t address)
{
    emit_li(program, T0, address);
    emit_li(program, T1, 0);
    uint32_t again = program->count;
    emit_lw(program, T2, T0, 0);
    uint32_t leave = emit_branch(program, RV32_OP_BEQ, T2, T1, 0);
    RVI(FENCE, ZERO, ZERO, 0xff);
    emit_jump(program, again);
    emit_bind(program, leave);
    RVI(FENCE, ZERO, ZERO, 0xff);
}

/* The packer's core writes what has been packed to the nearest bank of DRAM, and waits until it is there. */
static double write_to_dram(void)
{
    enum { BYTES = 1024, TRANSACTION = 1, OF_PACKER = 1 << 1 | 1 << 4 | 1 << 7 | 1 << 13, HERE_NODE = 0x148 };
    enum { LEAVING = 0x280 + 4 * TRANSACTION, OUTSTANDING = 0x240 + 4 * TRANSACTION };
    const uint32_t first = niu(0, 0), bank = 18 | 23 << NOC_COORDINATE_BITS;
    struct program *program = set_up_scattered(&scattered[0]);
    emit_li(program, S0, first + HERE_NODE);
    emit_lw(program, S1, S0, 0);
    RVI(SLLI, S1, S1, 20);
    RVI(SRLI, S1, S1, 20);
    const uint32_t words[] = {OUTPUT, 0, 0, 0x1000000, 0, bank, TRANSACTION << 10, OF_PACKER, BYTES, 0, 0, 0};
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (i == NOC_TARG_ADDR_HI) {
            emit_li(program, T0, first + 4 * i);
            emit_sw(program, S1, T0, 0);
        } else {
            store(program, first + 4 * i, words[i]);
        }
    }
    mark(program, 0);
    store(program, first + 4 * NOC_CMD_CTRL, 1);
    await_zero(program, first + 4 * NOC_CMD_CTRL);
    await_zero(program, first + LEAVING);
    await_zero(program, first + OUTSTANDING);
    mark(program, 1);
    return run_marked(programs, (const enum bh_core[]){BH_CORE_T2}, 1);
}

static bool pack_scattered(const struct measured *row, double *value)
{
    const char *name = strstr(row->what, ": ") + 2;
    if (!strcmp(name, "DRAM 1KB write")) {
        *value = write_to_dram();
        return true;
    }
    for (unsigned i = 0; i < sizeof scattered / sizeof *scattered; i++) {
        if (!strcmp(name, scattered[i].name)) {
            *value = measure_scattered(&scattered[i]);
            return true;
        }
    }
    return false;
}

static void sem_wait(struct program *program, unsigned semaphore, uint32_t stalled)
{
    emit_tensix(program, TT_OP_SEMWAIT(stalled, 1 << semaphore, ON_ZERO));
    emit_tensix(program, TT_OP_SEMGET(1 << semaphore));
}

/* The core itself waits until a semaphore has been posted. */
static void await(struct program *program, unsigned semaphore)
{
    emit_li(program, T0, semaphores + 4 * semaphore);
    uint32_t again = program->count;
    emit_lw(program, T1, T0, 0);
    emit_branch(program, RV32_OP_BEQ, T1, ZERO, again);
}

static void sem_post(struct program *program, unsigned semaphore)
{
    emit_tensix(program, TT_OP_SEMPOST(1 << semaphore));
}

/* FP32 in L1 to Dst as it is, or to a source register as BF16. */
static void configure_unpacker(struct program *program, unsigned engine, bool direct)
{
    uint32_t of_engine = engine * 0xc0, pair = engine * 8, dst = engine ? 0 : 64, size = direct ? 4 : 2;
    uint32_t base = (INPUT >> 4) - 1;
    emit_tensix(program, TT_OP_SETC16(0, 0));
    CONFIGURE(program, {0x100 + of_engine, FP32 | 0x10 | (engine ? 256 << 16 : 0)}, {0x104 + of_engine, 1 | 4 << 16},
              {0x108 + of_engine, 0}, {0x10c + of_engine, 0}, {0x120 + of_engine, 0x20 | (direct ? FP32 : BF16)},
              {0x124 + of_engine, direct ? 0x33 : 3}, {0x128 + of_engine, 0}, {0x12c + of_engine, 0}, {0xb0 + pair, 0},
              {0xb4 + pair, 0}, {0xe0 + pair, size | 16 * size << 16}, {0xe4 + pair, 256 * size},
              {engine ? 0xf0 : 0xc0, 0}, {engine ? 0xf4 : 0xc4, 0}, {engine ? 0xf8 : 0xc8, engine ? 0 : 0x100},
              {engine ? 0xfc : 0xd4, 0}, {0x150 + of_engine, dst | dst << 16}, {0x158 + of_engine, 256 | 256 << 16},
              {0x170 + of_engine, 0}, {0x174 + of_engine, 0}, {0x130 + of_engine, base}, {0x134 + of_engine, base});
    emit_tensix(program, TT_OP_SETC16(41, 0));
    if (!engine) {
        emit_tensix(program, TT_OP_SETC16(5, direct ? 0 : 4));
    }
}

static uint32_t unpacr(unsigned engine, bool direct)
{
    return TT_OP_UNPACR(engine, direct ? 0x11 : 1, 0, 0, 0, 1, !direct, 0, 0, 0, 0, 0, 1);
}

/* Values of FP32 to Dst: as they are, by way of SrcA, or by way of SrcB. */
struct path {
    bool direct;
    unsigned engine; /* the unpacker */
    uint32_t count;
};

/* The Matrix Unit's part: it waits for the unpacker, moves what is in SrcA or SrcB, and answers. */
static void acknowledge(struct program *program, const struct path *path)
{
    bool direct = path->direct, b = path->engine == 1;
    uint32_t rows = b ? 4 : 8;
    emit_tensix(program, TT_OP_ZEROACC(3, 1, 0, 1, 0));
    emit_tensix(program, TT_OP_SETC16(1, 0));
    emit_tensix(program, TT_OP_STALLWAIT(STALL_CFG, WAIT_MATH | WAIT_SFPU));
    emit_tensix(program, TT_OP_RMWCIB3(0x20, 0x20, 1));
    if (!direct) {
        uint32_t move = b ? TT_OP_MOVB2D(0, 0, 2, 4, 0) : TT_OP_MOVA2D(0, 0, 2, 2, 0);
        emit_tensix(program, TT_OP_SETC16(14, b ? rows << 8 : rows));
        emit_tensix(program, TT_OP_SETC16(30, rows));
        emit_tensix(program, TT_OP_SETC16(49, 0));
        emit_tensix(program, TT_OP_SETRWC(0, 0, 0, 0, 0, 15));
        configure_mop(program, path->count / (rows * 16), move, move);
    }
    drain(program, WAIT_MATH);
    sem_post(program, MATH_DONE);
    sem_wait(program, UNPACK_TO_DEST, STALL_SYNC);
    if (!direct) {
        emit_tensix(program, TT_OP_STALLWAIT(STALL_MATH, b ? WAIT_SRCB_VALID : WAIT_SRCB_VALID >> 1));
        emit_tensix(program, TT_OP_MOP(1, 0, 0));
        emit_tensix(program, TT_OP_SETRWC(b ? 2 : 1, 0, 0, 0, 0, 15));
    }
    drain(program, WAIT_MATH);
    sem_post(program, MATH_DONE);
}

static bool path_of(const char *name, struct path *path)
{
    const char *count = strrchr(name, ' ') + 1;
    *path = (struct path){.direct = !strncmp(name, "direct Dst", 10),
                          .engine = !strncmp(name, "SrcB+MOVB2D", 11),
                          .count = strcmp(count, "1024") ? 128 : 1024};
    return (path->direct || path->engine || !strncmp(name, "SrcA+MOVA2D", 11)) &&
           (path->count == 1024 || !strcmp(count, "128"));
}

/* From L1 until the loader knows that they are there. */
static bool unpack_to_dst(const struct measured *row, double *value)
{
    struct path path;
    if (!path_of(strstr(row->what, ": ") + 2, &path)) {
        return false;
    }
    bool direct = path.direct;
    unsigned engine = path.engine;
    uint32_t part = direct && path.count > 256 ? 256 : path.count;
    struct program *loader = begin(0, LOADER_CODE);
    configure_unpacker(loader, engine, direct);
    emit_tensix(loader, TT_OP_SETADCXX(engine + 1, part - 1, 0));
    emit_tensix(loader, TT_OP_SETADCZW(3, 0, 0, 0, 0, 15));
    if (direct) {
        uint32_t replay = TT_OP_REPLAY(0, 2, 0, 0);
        record_replay(loader, (const uint32_t[]){unpacr(0, true), TT_OP_STALLWAIT(STALL_UNPACK, WAIT_UNPACK0)}, 2);
        configure_mop(loader, path.count / part, replay, replay);
    } else {
        configure_single_mop(loader, unpacr(engine, false));
    }
    wait_for_coprocessor(loader);
    await(loader, MATH_DONE); /* the SEMGET below is not blocked by its SEMWAIT: it must find the post */
    sem_wait(loader, MATH_DONE, STALL_UNPACK);
    wait_for_coprocessor(loader);
    mark(loader, 0);
    emit_tensix(loader, TT_OP_MOP(1, 0, 0));
    emit_tensix(loader, TT_OP_STALLWAIT(STALL_UNPACK, engine ? WAIT_UNPACK1 : WAIT_UNPACK0));
    emit_tensix(loader, TT_OP_SEMGET(1 << UNPACK_SYNC));
    sem_post(loader, UNPACK_TO_DEST);
    sem_wait(loader, MATH_DONE, STALL_UNPACK);
    wait_for_coprocessor(loader);
    mark(loader, 1);
    acknowledge(begin(1, MATH_CODE), &path);
    *value = run_marked(programs, (const enum bh_core[]){BH_CORE_T0, BH_CORE_T1}, 2);
    return true;
}

const struct validation_program validation_pack[] = {
    {"pack to L1", pack_to_l1}, {"packer: ", pack_scattered}, {"unpacker: ", unpack_to_dst}, {0}};
