/* What the threads of a matrix product push for one tile or block, with nobody at the other end: T1 sets up and runs
   the MOP that multiplies tiles of 32 x 32, T0 loads rows of tiles while T1 does nothing but give banks back. */
#include <string.h>

#include "validation/engines.h"
#include "validation/validation.h"

enum { CODE = 0x8000, RELEASE_CODE = 0x20000, DONE = 0x7ff0, TILES_A = 0x57000, TILES_B = 0x97000, TILE_UNITS = 128 };
enum { SEMAPHORES = 0xFFE80020u, REGISTERS = 0xFFE00000u, PUSH = 0xFFE40000u, LOCAL = 0xFFB00000u };
enum { BASE_A = 0x4c, BASE_B = 0x7c, GPR_ADDRESS = 12, GPR_TILE = 36, REPLAY_MATH = 16, WAIT_CORE_CONFIG = 0x400 };

static const struct place tile_of_cores = {1, 2};
static struct program programs[2];

/* Between two readings of the wall clock: `round` so many times, in a loop that counts S8 down. */
struct loop {
    enum bh_core core;
    unsigned rounds;
    unsigned width; /* of a block of tiles, or what kind of product */
    void (*set_up)(struct program *);
    void (*round)(struct program *, unsigned width);
};

static void emit_loop(struct program *program, const struct loop *loop)
{
    emit_wall_clock(program, A2, A3);
    emit_li(program, S8, loop->rounds);
    uint32_t top = program->count, leave = emit_branch(program, RV32_OP_BEQ, S8, ZERO, 0);
    loop->round(program, loop->width);
    RVI(ADDI, S8, S8, -1);
    emit_jump(program, top);
    emit_bind(program, leave);
    emit_wall_clock(program, A4, A5);
}

/* T1 gives both banks back again and again until the other core is done. */
static void emit_releases(struct program *program)
{
    emit_li(program, S0, DONE);
    uint32_t top = program->count;
    emit_lw(program, T0, S0, 0);
    uint32_t leave = emit_branch(program, RV32_OP_BNE, T0, ZERO, 0);
    emit_tensix(program, TT_OP_SETRWC(3, 0, 0, 0, 0, 3));
    emit_jump(program, top);
    emit_bind(program, leave);
    emit_end(program);
}

static void start(struct bh_device *device, struct program *program, enum bh_core core)
{
    machine_load(device, tile_of_cores, program);
    machine_start(device, tile_of_cores, core, program);
}

/* The cycles of a round. */
static double measure(const struct loop *loop)
{
    struct program *program = &programs[0], *releases = &programs[1];
    *program = (struct program){.address = CODE};
    emit_early_firmware_state(program);
    loop->set_up(program);
    emit_loop(program, loop);
    RV(SUB, A4, A4, A2);
    emit_li(program, S2, MARKS);
    emit_sw(program, A4, S2, 0);
    store(program, DONE, 1);
    emit_end(program);
    struct bh_device *device = machine_create();
    start(device, program, loop->core);
    if (loop->core == BH_CORE_T0) {
        *releases = (struct program){.address = RELEASE_CODE};
        emit_early_firmware_state(releases);
        emit_releases(releases);
        start(device, releases, BH_CORE_T1);
    }
    machine_run(device);
    double cycles = machine_word(device, tile_of_cores, MARKS);
    bh_device_destroy(device);
    return cycles / loop->rounds;
}

/* Stores a value: a load-immediate for its address's upper part and for itself each time. */
static void store_near(struct program *program, uint32_t address, uint32_t value)
{
    int32_t low = (int32_t)(address << 20) >> 20;
    emit(program, RV32_OP_LUI, T0, 0, 0, (int32_t)(address - (uint32_t)low));
    emit_li(program, T1, value);
    emit_sw(program, T1, T0, low);
}

static void synchronize(struct program *program, uint32_t address)
{
    int32_t low = (int32_t)(address << 20) >> 20;
    store_near(program, address, 0);
    emit(program, RV32_OP_LUI, T1, 0, 0, (int32_t)(address - (uint32_t)low));
    emit_lw(program, T1, T1, low);
    RV(AND, ZERO, ZERO, T1);
}

static void wait_pushed(struct program *program)
{
    enum { DONE_CHECK = 0xFFE80004u };
    synchronize(program, DONE_CHECK);
}

/* The nine words of a MOP, relative to one address. */
static void write_mop_words(struct program *program, const uint32_t words[9])
{
    enum { MOP_EXPANDER = 0xFFE80008u, MOP_CONFIG = 0xFFB80000u };
    synchronize(program, MOP_EXPANDER);
    emit_li(program, T0, MOP_CONFIG);
    for (int32_t i = 0; i < 9; i++) {
        emit_li(program, T1, words[i]);
        emit_sw(program, T1, T0, 4 * i);
    }
}

/* Until the low byte of a semaphore is zero. */
static void await_zero(struct program *program, unsigned semaphore)
{
    emit_li(program, T0, SEMAPHORES + 4 * semaphore);
    uint32_t top = program->count;
    emit_lw(program, T1, T0, 0);
    RVI(ANDI, T1, T1, 0xff);
    uint32_t leave = emit_branch(program, RV32_OP_BEQ, T1, ZERO, 0);
    RVI(FENCE, ZERO, ZERO, 0xff);
    emit_jump(program, top);
    emit_bind(program, leave);
}

/* T1. The published names of two sequences for one tile, of which the second has no NOPs. */
enum { UNTHROTTLED, THROTTLE0 };

/* The modes that step through a product of tiles, in two phases of fidelity. */
static void set_math_modes(struct program *program)
{
    static const struct {
        uint32_t section, source, dst;
    } modes[] = {{0, 2048, 8}, {1, 16400, 8}, {2, 24640, 8}, {4, 28768, 1024}, {5, 49344, 11264}, {6, 49344, 35840}};
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
        EMIT(program, TT_OP_SETC16(12 + modes[i].section, modes[i].source),
             TT_OP_SETC16(28 + modes[i].section, modes[i].dst), TT_OP_SETC16(47 + modes[i].section, 0));
    }
    emit_tensix(program, TT_OP_SETRWC(0, 0, 0, 0, 0, 15));
}

/* MVMUL every third cycle: two NOPs before each. */
static void program_slow_mop(struct program *program)
{
    const uint32_t nop = TT_OP_NOP;
    const uint32_t slow[11] = {nop, nop, TT_OP_MVMUL(0, 0, 0, 0), nop, nop, TT_OP_MVMUL(0, 0, 1, 0),
                               nop, nop, TT_OP_MVMUL(0, 0, 0, 0), nop, nop};
    emit_tensix(program, TT_OP_REPLAY(REPLAY_MATH, 11, 0, 1));
    emit_words(program, slow, 11);
    write_mop_words(program,
                    (const uint32_t[9]){2, 2, nop, nop, nop, TT_OP_REPLAY(REPLAY_MATH, 11, 0, 0),
                                        TT_OP_MVMUL(0, 0, 2, 0), TT_OP_MVMUL(0, 0, 5, 0), TT_OP_MVMUL(0, 0, 4, 0)});
}

/* One MVMUL behind the other. */
static void program_fast_mop(struct program *program)
{
    static const uint8_t modes[16] = {0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0, 5};
    const uint32_t nop = TT_OP_NOP, replay = TT_OP_REPLAY(REPLAY_MATH, 16, 0, 0);
    emit_tensix(program, TT_OP_REPLAY(REPLAY_MATH, 16, 0, 1));
    for (unsigned i = 0; i < sizeof modes; i++) {
        emit_tensix(program, TT_OP_MVMUL(0, 0, modes[i], 0));
    }
    write_mop_words(program,
                    (const uint32_t[9]){1, 2, nop, TT_OP_SETRWC(1, 0, 0, 0, 0, 15), nop, replay, nop, replay, replay});
}

static void program_mop(struct program *program, unsigned kind)
{
    set_math_modes(program);
    if (kind == THROTTLE0) {
        program_fast_mop(program);
    } else {
        program_slow_mop(program);
    }
    emit_tensix(program, TT_OP_SETRWC(0, 0, 0, 0, 0, 15));
}

/* What the thread keeps of the unpacker's formats in its local memory, then all that a product needs. */
static void math_init(struct program *program, unsigned kind)
{
    enum { FACES = LOCAL + 0x40, FORMATS = LOCAL + 0x60 };
    wait_pushed(program);
    emit_li(program, T0, FACES);
    emit_li(program, T1, 0x04040404);
    for (int32_t i = 0; i < 8; i++) {
        emit_sw(program, T1, T0, 4 * i);
    }
    store_near(program, FORMATS, FORMAT_BF16);
    store_near(program, FORMATS + 4, FORMAT_BF16);
    EMIT(program, TT_OP_SETC16(13, 0), TT_OP_SETC16(29, 0), TT_OP_SETC16(48, 0), TT_OP_ZEROACC(3, 0, 0, 1, 0));
    await_zero(program, SEM_UNPACK_CONFIG);
    program_mop(program, kind);
    wait_pushed(program);
    await_zero(program, SEM_MATH_PACK);
    emit_tensix(program, TT_OP_SEMINIT(2, 0, 1 << SEM_MATH_PACK));
    program_mop(program, kind);
    push_by_store(program, TT_OP_SETC16(1, 0));
    push_by_store(program, TT_OP_RMWCIB0(8, 8, 2));
    emit_tensix(program, TT_OP_STALLWAIT(STALL_CFG, WAIT_MATH));
}

static void drain_math(struct program *program)
{
    emit_tensix(program, TT_OP_STALLWAIT(STALL_SYNC, WAIT_MATH | WAIT_SFPU));
    wait_pushed(program);
}

/* One tile of the product, of sources that are zero. */
static void multiply_tile(struct program *program, unsigned kind)
{
    EMIT(program, TT_OP_ZEROSRC(0, 0, 1, 3), TT_OP_ZEROACC(3, 0, 0, 1, 0), TT_OP_SETRWC(0, 0, 0, 0, 0, 15));
    drain_math(program);
    emit_li(program, T0, LOCAL + 0x80);
    emit_lw(program, T3, T0, 0);
    RVI(SLLI, T3, T3, 9);
    emit_li(program, T2, TT_OP_SETC16(1, 0));
    RV(ADD, T3, T3, T2);
    emit_li(program, T0, PUSH);
    emit_sw(program, T3, T0, 0);
    emit_tensix(program, TT_OP_MOP(1, 0, 0));
    if (kind == UNTHROTTLED) {
        EMIT(program, TT_OP_MOP(1, 0, 0), TT_OP_SETRWC(1, 0, 0, 0, 0, 15));
    }
    drain_math(program);
}

static void set_up_math(struct program *program)
{
    store(program, LOCAL + 0x80, 0);
}

/* T0. */

static uint32_t unpack_tile(unsigned unpacker)
{
    return TT_OP_UNPACR(unpacker, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1);
}

static void record_step(struct program *program, uint32_t first, uint32_t base)
{
    const uint32_t step[6] = {unpack_tile(0),
                              TT_OP_RDCFG(GPR_ADDRESS, base),
                              TT_OP_ADDDMAREG(0, GPR_ADDRESS, GPR_ADDRESS, GPR_TILE),
                              TT_OP_STALLWAIT(STALL_CFG, WAIT_THCON),
                              TT_OP_WRCFG(GPR_ADDRESS, 0, base),
                              TT_OP_NOP};
    emit_tensix(program, TT_OP_REPLAY(first, 6, 0, 1));
    emit_words(program, step, 6);
}

static void write_row_mop(struct program *program)
{
    write_mop_words(program,
                    (const uint32_t[9]){0, 0, 0, TT_OP_REPLAY(0, 6, 0, 0), 0, 0, 0, TT_OP_REPLAY(6, 6, 0, 0), 0});
}

static void set_up_rows(struct program *program)
{
    set_up_unpacker(program, 0, TILES_B, FORMAT_BF16);
    set_up_unpacker(program, 1, TILES_A, FORMAT_BF16);
    write_row_mop(program);
    EMIT(program, TT_OP_SETADCXX(1, 1023, 0), TT_OP_SETADCXX(2, 1023, 0));
    record_step(program, 0, BASE_A);
    record_step(program, 6, BASE_A + 1);
    store(program, REGISTERS + 4 * GPR_TILE, TILE_UNITS);
    emit_tensix(program, TT_OP_SEMINIT(2, 0, 1 << SEM_UNPACK_CONFIG));
    wait_pushed(program);
    store(program, LOCAL + 0x80, 0);
    emit_tensix(program, TT_OP_SETC16(41, 0));
    emit_li(program, S0, TILES_A >> 4);
    emit_li(program, S1, TILES_B >> 4);
    emit_li(program, A4, TILE_UNITS);
    emit_li(program, A5, TILE_UNITS);
    emit_li(program, S4, CONFIG + 4 * BASE_A);
    emit_li(program, S5, CONFIG + 4 * BASE_B);
    emit_li(program, S7, SEMAPHORES + 4 * SEM_UNPACK_CONFIG);
    emit_li(program, S11, LOCAL + 0x80);
}

/* Until the unpackers have taken what was configured before. */
static void await_context(struct program *program)
{
    uint32_t top = program->count;
    emit_lw(program, T1, S7, 0);
    RVI(ANDI, T1, T1, 0xfe);
    uint32_t leave = emit_branch(program, RV32_OP_BEQ, T1, ZERO, 0);
    RVI(FENCE, ZERO, ZERO, 0xff);
    emit_jump(program, top);
    emit_bind(program, leave);
}

/* value = index * size + first - 1 */
static void emit_address_of(struct program *program, unsigned value, unsigned index, unsigned size, unsigned first)
{
    RV(MUL, value, index, size);
    RV(ADD, value, value, first);
    RVI(ADDI, value, value, -1);
}

/* To the address register of the context in T2. */
static void write_base(struct program *program, unsigned registers, unsigned value)
{
    RVI(ADDI, T3, registers, 0);
    uint32_t first = emit_branch(program, RV32_OP_BEQ, T2, ZERO, 0);
    RVI(ADDI, T3, T3, 4);
    emit_bind(program, first);
    emit_sw(program, value, T3, 0);
}

/* One of two instructions, by the context in T2. */
static void emit_by_context(struct program *program, enum rv32_op op, uint32_t here, uint32_t there)
{
    uint32_t other = emit_branch(program, op, T2, ZERO, 0);
    emit_tensix(program, here);
    uint32_t done = emit_jump(program, 0);
    emit_bind(program, other);
    emit_tensix(program, there);
    emit_bind(program, done);
}

static void other_context(struct program *program)
{
    emit_li(program, T3, 1);
    RV(SUB, T3, T3, T2);
    emit_sw(program, T3, S11, 0);
    emit_by_context(program, RV32_OP_BEQ, TT_OP_SETC16(41, 0), TT_OP_SETC16(41, 257));
}

static void flip_context(struct program *program, unsigned width)
{
    (void)width;
    emit_lw(program, T2, S11, 0);
    other_context(program);
}

/* A tile of A to SrcB, tile S9 of its buffer; then two of B to SrcA, from tile S10 on. */
static void load_row(struct program *program)
{
    await_context(program);
    emit_address_of(program, A0, S9, A4, S0);
    emit_address_of(program, A1, S10, A5, S1);
    emit_lw(program, T2, S11, 0);
    write_base(program, S4, A1);
    write_base(program, S5, A0);
    emit_sw(program, ZERO, S7, 0);
    EMIT(program, TT_OP_STALLWAIT(STALL_UNPACK, WAIT_CORE_CONFIG), unpack_tile(1));
    emit_by_context(program, RV32_OP_BNE, TT_OP_MOP(0, 1, 0), TT_OP_MOP(0, 1, 0xff));
    take_semaphore(program, SEM_UNPACK_CONFIG);
    other_context(program);
}

static void load_one_row(struct program *program, unsigned width)
{
    (void)width;
    emit_li(program, S9, 0);
    emit_li(program, S10, 0);
    load_row(program);
}

static void poll_context(struct program *program, unsigned width)
{
    (void)width;
    await_context(program);
}

/* All that two rows of two tiles of the product need. */
static void load_block(struct program *program, unsigned width)
{
    emit_tensix(program, TT_OP_SETADCZW(3, 0, 0, 0, 0, 15));
    for (unsigned i = 0; i < width; i++) {
        emit_li(program, S9, i);
        emit_li(program, S10, i * 2);
        load_row(program);
        emit_li(program, S9, width + i);
        load_row(program);
    }
}

/* Sums that were packed before, face by face to SrcA: SrcB only counts as loaded. */
static void load_sum(struct program *program, unsigned tile)
{
    emit_tensix(program, TT_OP_SETADCZW(3, 0, 0, 0, 0, 15));
    await_context(program);
    emit_li(program, T4, tile);
    emit_address_of(program, A0, T4, A4, S0);
    emit_lw(program, T2, S11, 0);
    write_base(program, S4, A0);
    emit_sw(program, ZERO, S7, 0);
    EMIT(program, TT_OP_STALLWAIT(STALL_UNPACK, WAIT_CORE_CONFIG), TT_OP_MOP(1, 0, 0));
    take_semaphore(program, SEM_UNPACK_CONFIG);
    flip_context(program, 0);
}

static void load_sums(struct program *program, unsigned width)
{
    const uint32_t nop = TT_OP_NOP, valid = TT_OP_UNPACR_NOP(1, 0, 0, 1, 0, 0, 0, 0, 1);
    (void)width;
    store_near(program, PUSH, TT_OP_RMWCIB1(1, 0, 0x48));
    emit_tensix(program, TT_OP_SETADCXX(1, 255, 0));
    write_mop_words(program, (const uint32_t[9]){4, 1, unpack_word(0), nop, nop, valid, nop, valid, valid});
    for (unsigned tile = 0; tile < 4; tile++) {
        load_sum(program, tile);
    }
    wait_pushed(program);
    store_near(program, PUSH, TT_OP_RMWCIB1(1, 0, 0x48));
    EMIT(program, TT_OP_SETADCZW(3, 0, 0, 0, 0, 15), TT_OP_SETADCXX(1, 1023, 0), TT_OP_SETADCXX(2, 1023, 0));
    write_row_mop(program);
}

static void count(struct program *program, unsigned width)
{
    (void)width;
    RVI(ADDI, S6, S6, 1);
}

static bool math_backend(const struct measured *row, double *value)
{
    static const struct {
        const char *name;
        void (*round)(struct program *, unsigned);
    } rows[] = {{"program_mop", program_mop}, {"math_init", math_init}, {"mop_tile", multiply_tile}};
    const char *name = strstr(row->what, ": ") + 2;
    unsigned kind = strstr(name, "throttle0") ? THROTTLE0 : UNTHROTTLED;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!strncmp(name, rows[i].name, strlen(rows[i].name))) {
            *value = measure(&(struct loop){BH_CORE_T1, 1, kind, set_up_math, rows[i].round});
            return true;
        }
    }
    return false;
}

/* Less a loop that only counts. */
static double more_than_counting(unsigned rounds, unsigned width, void (*round)(struct program *, unsigned))
{
    return measure(&(struct loop){BH_CORE_T0, rounds, width, set_up_rows, round}) -
           measure(&(struct loop){BH_CORE_T0, rounds, 0, set_up_rows, count});
}

static bool unpack_backend(const struct measured *row, double *value)
{
    enum { ROUNDS = 10, ROUNDS_OF_SIX = 5 };
    const char *name = strstr(row->what, ": ") + 2, *width = "block width ";
    if (!strncmp(name, width, strlen(width))) {
        unsigned tiles = (unsigned)(name[strlen(width)] - '0');
        *value = more_than_counting(tiles == 6 ? ROUNDS_OF_SIX : ROUNDS, tiles, load_block);
    } else if (!strcmp(name, "reload_reconfig")) {
        *value = more_than_counting(ROUNDS, 0, load_sums);
    } else if (!strncmp(name, "cfg_context_flip", 16)) {
        *value = more_than_counting(ROUNDS, 0, flip_context);
    } else if (strstr(name, "row")) {
        *value = more_than_counting(ROUNDS, 0, load_one_row);
    } else if (strstr(name, "sync_poll")) {
        *value = more_than_counting(ROUNDS, 0, poll_context);
    } else {
        return false;
    }
    return true;
}

const struct validation_program validation_backends[] = {
    {"math backend: ", math_backend}, {"unpack backend: ", unpack_backend}, {0}};
