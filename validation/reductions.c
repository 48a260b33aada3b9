/* The mean or sum of 1024 values of FP32 in L1, by three threads: the Matrix Unit adds up rows or columns, with ones in
   the other source, and the Vector Unit what is left; or the Vector Unit does it alone; or, of a sum, the Matrix Unit.
 */
#include <string.h>

#include "validation/engines.h"
#include "validation/validation.h"

enum { LOADER_CODE = 0x8000, MATH_CODE = 0x18000, PACKER_CODE = 0x28000 };
enum { COUNT = 1024, INPUT = 0x40000, WEIGHTS = INPUT + 4 * COUNT, OUTPUT = WEIGHTS + 4 * COUNT };
enum { EMPTY_MARKS = 0, WHOLE_MARKS = 2, REDUCTION_MARKS = 4, FINISH_MARKS = 6, ALL_COUNTERS = 15, TF32 = 4 };
enum { WAIT_SRCA_CLEAR = 0x20, WAIT_SRCB_CLEAR = 0x40, WAIT_SRCA_VALID = 0x80 };
enum { STEP, NEXT_PHASE, FIRST_PHASE, STAY, SECOND_PHASE, THIRD_PHASE, LAST_PHASE, MODES }; /* of addresses */
enum { AS_FP32 = 3 };

static const struct place tile = {1, 2};
static struct program programs[3];

struct variant {
    enum { BY_ROWS, BY_COLUMNS, BY_VECTORS } way; /* values in SrcB, in SrcA, or in Dst */
    bool folded;                                  /* the weights are 1/1024 rather than 1 */
    enum {
        MEAN,
        SUM,
        SUM_BY_TRANSPOSING,
        SUM_BY_ROW
    } what;     /* how sixteen sums become one: by the Vector Unit; as a column or row of SrcA, by the Matrix Unit */
    bool apart; /* the finish is measured by itself, when what comes before it is done */
};

static struct program *begin(unsigned i, uint32_t address)
{
    programs[i] = (struct program){.address = address};
    emit_firmware_state(&programs[i], false);
    return &programs[i];
}

static void take(struct program *program, unsigned semaphore, uint32_t stalled)
{
    wait_semaphore(program, semaphore, UNTIL_POSTED, stalled);
    take_semaphore(program, semaphore);
}

static void end_mark(struct program *program, unsigned index)
{
    mark(program, index);
    RVI(FENCE, ZERO, ZERO, 0xff);
}

/* Values to one source and weights to the other, as TF32. */
static void set_up_sources(struct program *program, bool rows)
{
    uint32_t nop = TT_OP_NOP, other = unpack_word(1);
    for (unsigned unpacker = 0; unpacker < 2; unpacker++) {
        set_up_unpacker(program, unpacker, unpacker == rows ? INPUT : WEIGHTS, FORMAT_FP32);
        store(program, CONFIG + 0x120 + unpacker * 0xc0, 0x20 | TF32);
    }
    commit_unpackers(program, 0);
    EMIT(program, TT_OP_SETADCXX(3, COUNT - 1, 0), TT_OP_SETADCZW(3, 0, 0, 0, 0, ALL_COUNTERS));
    write_mop(program, (const uint32_t[9]){1, 1, unpack_word(0), nop, nop, other, nop, other, other});
}

/* Values to Dst, in four parts that are drained one by one. */
static void set_up_direct(struct program *program)
{
    uint32_t replay = TT_OP_REPLAY(0, 2, 0, 0);
    set_up_unpacker_to_dst(program, INPUT, 0);
    commit_unpackers(program, 0);
    EMIT(program, TT_OP_SETADCXX(1, COUNT / 4 - 1, 0), TT_OP_SETADCZW(3, 0, 0, 0, 0, ALL_COUNTERS));
    record_replay(program,
                  (const uint32_t[]){TT_OP_UNPACR(0, 0x11, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1),
                                     TT_OP_STALLWAIT(STALL_UNPACK, WAIT_UNPACK0)},
                  2);
    configure_mop(program, 4, replay, replay);
}

/* The wait for the Matrix Unit blocks only unpackers: SEMGET does not wait, and the next STALLWAIT replaces it. */
static void load(const struct variant *variant)
{
    struct program *program = begin(0, LOADER_CODE);
    emit_tensix(program, TT_OP_SEMINIT(1, 0, 1 << SEM_MATH_PACK | 1 << SEM_LOADED | 1 << SEM_MATH_DONE));
    emit_tensix(program, TT_OP_SEMINIT(2, 0, 1 << SEM_UNPACK_CONFIG));
    wait_for_coprocessor(program);
    if (variant->way == BY_VECTORS) {
        set_up_direct(program);
    } else {
        set_up_sources(program, variant->way == BY_ROWS);
    }
    wait_for_coprocessor(program);
    post_semaphore(program, SEM_LOADED); /* ready, not loaded */
    take(program, SEM_MATH_DONE, STALL_UNPACK);
    if (variant->way != BY_VECTORS) {
        emit_tensix(program, TT_OP_STALLWAIT(STALL_UNPACK, WAIT_SRCA_CLEAR | WAIT_SRCB_CLEAR));
    }
    EMIT(program, TT_OP_MOP(1, 0, 0), TT_OP_STALLWAIT(STALL_UNPACK, WAIT_UNPACK0 | WAIT_UNPACK1));
    take_semaphore(program, SEM_UNPACK_CONFIG);
    wait_for_coprocessor(program);
    post_semaphore(program, SEM_LOADED);
}

/* Two fidelity phases, each of all the values. The number of instructions. */
static uint32_t set_up_matrix(struct program *program, const struct variant *variant)
{
    bool rows = variant->way == BY_ROWS;
    uint32_t replay[16], blocks = rows ? 8 : 4, step = rows ? 8 << 8 : 16;
    const uint32_t modes[MODES][2] = {
        {step, 0}, {step, (rows ? 2 : 1) << 13}, {step, 1 << 15}, {0, 0}, {0, 1 << 13}, {0, 2 << 13}, {0, 1 << 15}};
    EMIT(program, TT_OP_ZEROACC(3, 1, 0, 1, 0), TT_OP_SETC16(0, 0), TT_OP_SETC16(1, 0),
         TT_OP_STALLWAIT(STALL_CFG, WAIT_MATH | WAIT_SFPU), TT_OP_RMWCIB3(0x20, 0x20, 1), TT_OP_SETC16(11, 0));
    for (uint32_t mode = 0; mode < (variant->what == MEAN ? STAY + 1 : MODES); mode++) {
        EMIT(program, TT_OP_SETC16(12 + mode, modes[mode][0]), TT_OP_SETC16(28 + mode, modes[mode][1]),
             TT_OP_SETC16(47 + mode, 0));
    }
    EMIT(program, TT_OP_SETRWC(0, 0, 0, 0, 0, ALL_COUNTERS), TT_OP_SFPENCC(0, 0, 0, 2));
    if (variant->way == BY_VECTORS) {
        return 0;
    }
    for (uint32_t i = 0; i < 2 * blocks; i++) {
        uint32_t mode = (i + 1) % blocks ? STEP : i < blocks ? NEXT_PHASE : FIRST_PHASE;
        replay[i] = rows ? TT_OP_MVMUL(0, 0, mode, 0) : TT_OP_GAPOOL(0, 0, mode, 0, 0);
    }
    record_replay(program, replay, 2 * blocks);
    return 2 * blocks;
}

static uint32_t add(unsigned one, unsigned other, unsigned to)
{
    return TT_OP_SFPADD(one, 10, other, to, 0);
}

/* LReg[0]'s eight lanes of a row. */
static void add_lanes(struct program *program)
{
    for (unsigned distance = 4; distance; distance /= 2) {
        emit_tensix(program, TT_OP_SFPMOV(0, 0, 1, 0));
        for (unsigned i = 0; i < distance; i++) {
            emit_tensix(program, TT_OP_SFPSHFT2(0, 1, 1, 3));
        }
        emit_tensix(program, add(0, 1, 0));
    }
}

/* LReg[0]'s four rows. */
static void add_rows(struct program *program)
{
    EMIT(program, TT_OP_SFPMOV(0, 0, 1, 0), TT_OP_SFPMOV(0, 0, 2, 0), TT_OP_SFPMOV(0, 0, 3, 0),
         TT_OP_SFPTRANSP(0, 0, 0, 0), add(0, 1, 0), add(0, 2, 0), add(0, 3, 0));
}

/* What is not zero in Dst. */
static void add_up(struct program *program, const struct variant *variant)
{
    bool alone = variant->way == BY_VECTORS, rows = variant->way == BY_ROWS;
    uint32_t step = rows ? 4 : 2, end = alone ? 64 : 2 * step;
    emit_tensix(program, TT_OP_SFPLOAD(0, AS_FP32, STAY, 0));
    for (uint32_t at = step; at < end; at += step) {
        EMIT(program, TT_OP_SFPLOAD(1, AS_FP32, STAY, at), add(0, 1, 0));
    }
    if (!rows) {
        add_lanes(program);
    }
    if (rows || alone) {
        add_rows(program);
    }
    if (!variant->folded && variant->what == MEAN) {
        emit_tensix(program, TT_OP_SFPMULI(0x3a80, 0, 0));
    }
    emit_tensix(program, TT_OP_SFPSTORE(0, AS_FP32, STAY, 0));
}

/* Sixteen sums go from Dst by way of SrcB to SrcA, whose rows or columns are added up in two phases. */
static void add_up_in_matrix(struct program *program, const struct variant *variant)
{
    bool transposes = variant->what == SUM_BY_TRANSPOSING;
    EMIT(program, TT_OP_SETRWC(0, 0, 0, 0, 0, ALL_COUNTERS), TT_OP_MOVD2B(0, transposes ? 16 : 0, STAY, 0, 0),
         TT_OP_GATESRCRST(1, 1));
    if (transposes) {
        EMIT(program, TT_OP_TRNSPSRCB, TT_OP_GATESRCRST(1, 1));
    }
    for (uint32_t row = 0; row < 16; row += 4) {
        emit_tensix(program, TT_OP_MOVB2A(row, STAY, 2, 16 + row));
    }
    EMIT(program, TT_OP_GATESRCRST(1, 1), TT_OP_ZEROACC(3, 1, 0, STAY, 0),
         TT_OP_GAPOOL(0, 0, transposes ? SECOND_PHASE : THIRD_PHASE, 0, 0), TT_OP_GAPOOL(0, 0, LAST_PHASE, 0, 0));
}

static void finish(struct program *program, const struct variant *variant, bool by_matrix)
{
    if (variant->apart) {
        drain(program, WAIT_MATH);
        mark(program, FINISH_MARKS);
    }
    if (variant->what == SUM_BY_TRANSPOSING || variant->what == SUM_BY_ROW) {
        add_up_in_matrix(program, variant);
    } else {
        if (by_matrix) {
            emit_tensix(program, TT_OP_STALLWAIT(STALL_SFPU, WAIT_MATH));
        }
        add_up(program, variant);
    }
    drain(program, variant->what == MEAN ? WAIT_SFPU : WAIT_MATH | WAIT_SFPU);
    if (variant->apart) {
        end_mark(program, FINISH_MARKS + 1);
    }
}

static void reduce(const struct variant *variant)
{
    struct program *program = begin(1, MATH_CODE);
    uint32_t count = set_up_matrix(program, variant);
    emit_tensix(program, TT_OP_STALLWAIT(STALL_SYNC, WAIT_MATH | WAIT_SFPU));
    take(program, SEM_LOADED, STALL_SYNC);
    wait_for_coprocessor(program);
    mark(program, EMPTY_MARKS);
    end_mark(program, EMPTY_MARKS + 1);
    mark(program, WHOLE_MARKS);
    post_semaphore(program, SEM_MATH_DONE);
    take(program, SEM_LOADED, STALL_SYNC);
    if (count) {
        emit_tensix(program, TT_OP_STALLWAIT(STALL_MATH, WAIT_SRCA_VALID | WAIT_SRCB_VALID));
    }
    if (variant->what != MEAN) {
        emit_tensix(program, TT_OP_GATESRCRST(1, 1));
    }
    wait_for_coprocessor(program);
    mark(program, REDUCTION_MARKS);
    if (count) {
        emit_tensix(program, TT_OP_REPLAY(0, count, 0, 0));
    }
    finish(program, variant, count != 0);
    end_mark(program, REDUCTION_MARKS + 1);
    if (count) {
        emit_tensix(program, TT_OP_SETRWC(3, 0, 0, 0, 0, ALL_COUNTERS));
    }
    emit_tensix(program, TT_OP_STALLWAIT(STALL_SYNC, WAIT_MATH | WAIT_SFPU));
    post_semaphore(program, SEM_MATH_PACK);
    take(program, SEM_MATH_DONE, STALL_SYNC);
    end_mark(program, WHOLE_MARKS + 1);
}

/* A row of 16 values, of which the first is the result. */
static void pack(void)
{
    struct program *program = begin(2, PACKER_CODE);
    wait_semaphore(program, SEM_MATH_PACK, UNTIL_POSTED, STALL_TDMA);
    set_up_packer(program, FORMAT_FP32);
    set_packer_address(program, OUTPUT);
    EMIT(program, TT_OP_SETADC(4, 0, 1, 0), TT_OP_SETADC(4, 0, 2, 0), TT_OP_SETADC(4, 0, 3, 0));
    store(program, CONFIG + 0x2d0, 0);
    emit_tensix(program, TT_OP_SETADCXX(4, 15, 0));
    set_up_packed_rows(program, 1);
    EMIT(program, TT_OP_STALLWAIT(STALL_CFG, WAIT_PACK0), TT_OP_MOP(1, 0, 0));
    drain(program, WAIT_PACK0);
    take_semaphore(program, SEM_MATH_PACK);
    post_semaphore(program, SEM_MATH_DONE);
}

static struct bh_device *run(const struct variant *variant)
{
    static const enum bh_core cores[] = {BH_CORE_T0, BH_CORE_T1, BH_CORE_T2};
    const float result = (COUNT - 1) / 2.0F * (variant->what == MEAN ? 1 : COUNT);
    float values[COUNT], weights[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        bool second = variant->what == SUM_BY_ROW && i >= 256 && i < 512 && i % 16 == 0;
        bool counts = second || (variant->way == BY_ROWS ? i % 16 == 0 : i < 16);
        values[i] = (float)i;
        weights[i] = counts ? variant->folded ? 1.0F / COUNT : 1.0F : 0.0F;
    }
    struct bh_device *device = machine_create();
    machine_write(device, tile, INPUT, values, sizeof values);
    machine_write(device, tile, WEIGHTS, weights, sizeof weights);
    load(variant);
    reduce(variant);
    pack();
    for (unsigned i = 0; i < 3; i++) {
        emit_end(&programs[i]);
        machine_load(device, tile, &programs[i]);
    }
    for (unsigned i = 0; i < 3; i++) {
        machine_start(device, tile, cores[i], &programs[i]);
    }
    machine_run(device);
    machine_expect(device, tile, OUTPUT, &result, sizeof result);
    return device;
}

static double measure(const struct variant *variant, unsigned marks)
{
    struct bh_device *device = run(variant);
    uint32_t from = MARKS + 4 * marks;
    double cycles = machine_word(device, tile, from + 4) - machine_word(device, tile, from);
    bh_device_destroy(device);
    return cycles;
}

/* What comes behind "FPU reductions: ". */
static const struct {
    const char *name;
    struct variant variant;
    unsigned marks;
} rows[] = {
    {"mean GAPOOL/MVMUL SrcA", {.way = BY_COLUMNS}, REDUCTION_MARKS},
    {"mean SrcA L1-L1", {.way = BY_COLUMNS}, WHOLE_MARKS},
    {"mean SrcB", {.way = BY_ROWS}, REDUCTION_MARKS},
    {"mean SrcB L1-L1", {.way = BY_ROWS}, WHOLE_MARKS},
    {"folded SrcA", {.way = BY_COLUMNS, .folded = true}, REDUCTION_MARKS},
    {"folded SrcA L1-L1", {.way = BY_COLUMNS, .folded = true}, WHOLE_MARKS},
    {"folded SrcB", {.way = BY_ROWS, .folded = true}, REDUCTION_MARKS},
    {"folded SrcB L1-L1", {.way = BY_ROWS, .folded = true}, WHOLE_MARKS},
    {"mean SFPU", {.way = BY_VECTORS}, REDUCTION_MARKS},
    {"mean SFPU L1-L1", {.way = BY_VECTORS}, WHOLE_MARKS},
};

static bool reduction(const struct measured *row, double *value)
{
    const char *name = strstr(row->what, ": ") + 2;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!strcmp(rows[i].name, name)) {
            *value = measure(&rows[i].variant, rows[i].marks);
            return true;
        }
    }
    return false;
}

/* Of each way to finish a sum: a: with the reduction; b: alone; c: from L1 to L1. */
static bool sum(const struct measured *row, double *value)
{
    struct variant variant = {.way = BY_COLUMNS,
                              .what = strstr(row->what, "transpose") ? SUM_BY_TRANSPOSING
                                      : strstr(row->what, "row")     ? SUM_BY_ROW
                                                                     : SUM};
    const char *part = strrchr(row->what, ' ') + 1;
    if (strlen(part) != 1 || !strchr("abc", *part)) {
        return false;
    }
    variant.apart = *part == 'b';
    *value = measure(&variant, *part == 'a' ? REDUCTION_MARKS : *part == 'b' ? FINISH_MARKS : WHOLE_MARKS);
    return true;
}

const struct validation_program validation_reductions[] = {
    {"FPU reductions: mean", reduction}, {"FPU reductions: folded", reduction}, {"FPU reductions: transpose ", sum},
    {"FPU reductions: row ", sum},       {"FPU reductions: SFPU ", sum},        {0}};
