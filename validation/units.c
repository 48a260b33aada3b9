/* The Matrix Unit and the Vector Unit, pushed by one core or two: how long rows of their instructions take. */
#include <string.h>

#include "validation/coprocessor.h"
#include "validation/validation.h"

enum { CODE = 0x8000, OTHER_CODE = 0x18000, READY = 0x128000 };
enum { FEW = 32, MANY = 128 }; /* rounds of a loop: the difference of both is measured */

static const uint32_t wall_clock = 0xFFB121F0;
static struct program programs[2];

static struct program *begin(unsigned i)
{
    programs[i] = (struct program){.address = i ? OTHER_CODE : CODE};
    return &programs[i];
}

static void wait_for(struct program *program, uint32_t address)
{
    emit_li(program, T0, address);
    uint32_t again = program->count;
    emit_lw(program, T1, T0, 0);
    emit_branch(program, RV32_OP_BEQ, T1, ZERO, again);
}

/* A MOP that replays `count` words so many times. */
static void configure_rounds(struct program *program, const uint32_t *words, uint32_t count, uint32_t rounds)
{
    uint32_t replay = TT_OP_REPLAY(0, count, 0, 0);
    record_replay(program, words, count);
    configure_mop(program, rounds, replay, replay);
}

/* The thread's counters are zero, both banks belong to the Matrix Unit. */
static void prepare(struct program *program, bool row32)
{
    emit_tensix(program, TT_OP_SETDVALID(3));
    emit_tensix(program, TT_OP_RMWCIB3(0x20, row32 ? 0x20 : 0, 1));
    for (unsigned i = 0; i < 3; i++) {
        emit_tensix(program, TT_OP_SETC16(12 + i, 0)); /* ADDR_MOD_AB, ADDR_MOD_DST, ADDR_MOD_BIAS */
        emit_tensix(program, TT_OP_SETC16(28 + i, 0));
        emit_tensix(program, TT_OP_SETC16(47 + i, 0));
    }
    emit_tensix(program, TT_OP_SETRWC(0, 0, 0, 0, 0, 15));
    emit_tensix(program, TT_OP_ZEROACC(3, row32, 0, 0, 0));
    emit_tensix(program, TT_OP_SFPENCC(0, 0, 0, 2));
    drain(program, WAIT_MATH | WAIT_SFPU);
}

/* Runs one program, or both, and gives the cycles between the marks. */
static double run(unsigned count)
{
    static const enum bh_core cores[] = {BH_CORE_T1, BH_CORE_T2};
    return run_marked(programs, cores, count);
}

/* The whole wall clock, which is kept before anything else happens. */
static void mark_whole_clock(struct program *program, unsigned index)
{
    emit_wall_clock(program, A1, A2);
    emit_li(program, A0, MARKS + 4 * index);
    emit_sw(program, A1, A0, 0);
    emit_sw(program, A2, A0, 8);
    emit(program, RV32_OP_FENCE, 0, 0, 0, 0);
}

/* Rounds of a MOP, with what it takes to begin and to drain. */
static double rounds_of(const uint32_t *words, uint32_t count, uint32_t rounds, bool row32,
                        void (*marks)(struct program *program, unsigned index))
{
    struct program *program = begin(0);
    prepare(program, row32);
    configure_rounds(program, words, count, rounds);
    wait_for_coprocessor(program);
    marks(program, 0);
    emit_tensix(program, TT_OP_MOP(1, 0, 0));
    drain(program, WAIT_MATH | WAIT_SFPU);
    marks(program, 1);
    return run(1);
}

static bool mvmul_count(const struct measured *row, double *value)
{
    uint32_t words[32];
    const char *last = strrchr(row->what, ' ');
    uint32_t count = strcmp(last, " 512") ? strcmp(last, " 8192") ? 0 : 8192 : 512;
    for (unsigned i = 0; i < 32; i++) {
        words[i] = TT_OP_MVMUL(0, 0, 0, i * 8);
    }
    *value = count ? rounds_of(words, 32, count / 32, false, mark_whole_clock) : 0;
    return count;
}

static bool matrix_operation(const struct measured *row, double *value)
{
    enum { HIFI_INCREMENTS = 1, HIFI_CLEARS = 2, PLAIN = 0 };
    static const struct {
        const char *name;
        uint32_t count, words[2];
    } operations[] = {
        {"elwadd", 1, {TT_OP_ELWADD(0, 1, 0, PLAIN, 0)}},
        {"elwsub", 1, {TT_OP_ELWSUB(0, 1, 0, PLAIN, 0)}},
        {"mvmul LoFi", 1, {TT_OP_MVMUL(0, 0, PLAIN, 0)}},
        {"mvmul HiFi2", 2, {TT_OP_MVMUL(0, 0, HIFI_INCREMENTS, 0), TT_OP_MVMUL(0, 0, HIFI_CLEARS, 0)}},
        {"elwmul", 2, {TT_OP_ELWMUL(0, 0, 0, HIFI_INCREMENTS, 0), TT_OP_ELWMUL(0, 0, 0, HIFI_CLEARS, 0)}},
        {"gapool", 2, {TT_OP_GAPOOL(0, 0, HIFI_INCREMENTS, 0, 0), TT_OP_GAPOOL(0, 0, HIFI_CLEARS, 0, 0)}},
        {"gmpool", 1, {TT_OP_GMPOOL(0, 1, PLAIN, 0, 0)}},
        {"movd2a", 2, {TT_OP_MOVD2A(0, 0, 0, 2, 0), TT_OP_MOVD2A(0, 4, 0, 2, 4)}},
        {"movb2d", 2, {TT_OP_MOVB2D(0, 0, 0, 4, 0), TT_OP_MOVB2D(0, 4, 0, 4, 4)}},
        {"moves", 2, {TT_OP_MOVB2D(0, 0, 0, 4, 0), TT_OP_MOVB2D(0, 4, 0, 4, 4)}},
    };
    bool row32 = strstr(row->what, "FP32") != NULL;
    const char *name = strstr(row->what, ": ") + 2;
    for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (!strcmp(name, operations[i].name)) {
            *value = rounds_of(operations[i].words, operations[i].count, row32 ? 16 : 1, row32, mark);
            return true;
        }
    }
    return false;
}

static void loop(struct program *program, const uint32_t *words, uint32_t count, uint32_t rounds)
{
    emit_li(program, S0, rounds);
    uint32_t top = program->count;
    for (uint32_t i = 0; i < count; i++) {
        emit_tensix(program, words[i]);
    }
    RVI(ADDI, S0, S0, -1);
    emit_branch(program, RV32_OP_BNE, S0, ZERO, top);
}

enum { MOVA2D, ELWMUL, SFPLOAD, SFPSTORE, SFPMAD };

static uint32_t operation(unsigned kind, unsigned i)
{
    unsigned block = i % 8 * 8;
    switch (kind) {
    case MOVA2D: return TT_OP_MOVA2D(0, block, 3, 2, 64 + block);
    case ELWMUL: return TT_OP_ELWMUL(0, 0, 0, 3, 64 + block);
    case SFPLOAD: return TT_OP_SFPLOAD(i % 4, 3, 3, i * 2);
    case SFPSTORE: return TT_OP_SFPSTORE(0, 3, 3, i * 2);
    default: return TT_OP_SFPMAD(0, 0, 7, 7, 0);
    }
}

enum { ALL = 0, CONCURRENT = -1, LONGEST_ROUND = 64 };

/* `width` instructions of each of two kinds in a round, in groups of so many. */
static double pairs(unsigned matrix, unsigned vector, unsigned width, int group, uint32_t rounds)
{
    uint32_t first[LONGEST_ROUND], second[LONGEST_ROUND], mixed[LONGEST_ROUND];
    struct program *program = begin(0), *other = begin(1);
    unsigned count = 0;
    for (unsigned i = 0; i < width; i++) {
        first[i] = operation(matrix, i);
        second[i] = operation(vector, i);
    }
    for (unsigned i = 0; group > 0 && i < width; i += (unsigned)group) {
        for (unsigned j = 0; j < (unsigned)group; j++) {
            mixed[count++] = first[i + j];
        }
        for (unsigned j = 0; j < (unsigned)group; j++) {
            mixed[count++] = second[i + j];
        }
    }
    prepare(program, true);
    mark(program, 0);
    if (group == CONCURRENT) {
        store(program, READY, 1);
        wait_for(other, READY);
        loop(other, second, width, rounds);
        drain(other, WAIT_SFPU);
        store(other, READY + 32, 1);
    }
    if (group > 0) {
        loop(program, mixed, count, rounds);
    } else {
        loop(program, first, width, rounds);
    }
    if (group == ALL) {
        loop(program, second, width, rounds);
    }
    drain(program, WAIT_MATH | WAIT_SFPU);
    if (group == CONCURRENT) {
        wait_for(program, READY + 32);
    }
    mark(program, 1);
    return run(group == CONCURRENT ? 2 : 1);
}

static double cycles_per_pair(unsigned matrix, unsigned vector, unsigned width, int group)
{
    double difference = pairs(matrix, vector, width, group, MANY) - pairs(matrix, vector, width, group, FEW);
    return difference / (width * (MANY - FEW));
}

static bool pair_cost(const struct measured *row, double *value)
{
    unsigned matrix = strstr(row->what, "ELWMUL") ? ELWMUL : MOVA2D;
    unsigned vector = strstr(row->what, "SFPLOAD") ? SFPLOAD : strstr(row->what, "SFPSTORE") ? SFPSTORE : SFPMAD;
    int group = strstr(row->params, "interleaved") ? 1 : strstr(row->params, "batched") ? ALL : CONCURRENT;
    *value = cycles_per_pair(matrix, vector, 16, group);
    return true;
}

static bool switch_cost(const struct measured *row, double *value)
{
    *value = cycles_per_pair(ELWMUL, SFPLOAD, 32, (int)measured_number(row, "group", ALL));
    return true;
}

static bool bandwidth(const struct measured *row, double *value)
{
    unsigned kind = strstr(row->what, "MOVA2D") ? MOVA2D : strstr(row->what, "SFPLOAD") ? SFPLOAD : SFPSTORE;
    uint32_t words[32];
    for (unsigned i = 0; i < 32; i++) {
        words[i] = operation(kind, i);
    }
    *value = (rounds_of(words, 32, MANY, true, mark) - rounds_of(words, 32, FEW, true, mark)) / (32 * (MANY - FEW));
    return true;
}

static void load_constant(struct program *program, unsigned lreg, uint32_t bits)
{
    emit_tensix(program, TT_OP_SFPLOADI(lreg, 8, bits >> 16));
    emit_tensix(program, TT_OP_SFPLOADI(lreg, 10, bits & 0xffff));
}

/* One of the functions, on LReg[0]: what it takes is LReg[1] and LReg[2]. */
static bool emit_function(struct program *program, const char *name)
{
    if (!strncmp(name, "add", 3) || !strncmp(name, "sub", 3)) {
        emit_tensix(program, TT_OP_SFPADD(10, 0, 1, 0, *name == 's' ? 2 : 0));
    } else if (!strncmp(name, "mul", 3)) {
        emit_tensix(program, TT_OP_SFPMUL(0, 1, 9, 0, 0));
    } else if (!strncmp(name, "mad", 3)) {
        emit_tensix(program, TT_OP_SFPMAD(0, 1, 2, 0, 0));
    } else if (!strncmp(name, "neg", 3)) {
        emit_tensix(program, TT_OP_SFPMOV(0, 0, 0, 1));
    } else if (!strncmp(name, "abs", 3)) {
        emit_tensix(program, TT_OP_SFPABS(0, 0, 0, 1));
    } else if (!strcmp(name, "recip native")) {
        emit_tensix(program, TT_OP_SFPARECIP(0, 0, 0, 0));
    } else if (!strcmp(name, "recip refined")) { /* two steps of Newton */
        emit_tensix(program, TT_OP_SFPMOV(0, 0, 3, 0));
        emit_tensix(program, TT_OP_SFPARECIP(0, 0, 0, 0));
        load_constant(program, 5, 0x40000000);
        for (unsigned i = 0; i < 2; i++) {
            emit_tensix(program, TT_OP_SFPMAD(3, 0, 5, 4, 1));
            emit_tensix(program, TT_OP_SFPMUL(0, 4, 9, 0, 0));
        }
    } else if (!strcmp(name, "exp native")) {
        emit_tensix(program, TT_OP_SFPMOV(0, 0, 3, 0));
        emit_tensix(program, TT_OP_SFPARECIP(0, 0, 0, 2));
        emit_tensix(program, TT_OP_SFPARECIP(3, 0, 0, 1));
    } else if (!strcmp(name, "exp refined")) { /* a polynomial of degree 8, squared eight times */
        emit_tensix(program, TT_OP_SFPMOV(0, 0, 3, 0));
        emit_tensix(program, TT_OP_SFPMULI(0x3b80, 3, 0));
        load_constant(program, 0, 0x37d00d01);
        for (unsigned i = 0; i < 8; i++) {
            load_constant(program, 5, 0x3f800000);
            emit_tensix(program, TT_OP_SFPMAD(0, 3, 5, 0, 0));
        }
        for (unsigned i = 0; i < 8; i++) {
            emit_tensix(program, TT_OP_SFPMUL(0, 0, 9, 0, 0));
        }
    } else {
        return false;
    }
    return true;
}

/* Adds up the time of the function on four vectors, drained after each. */
static bool vector_function(const struct measured *row, double *value)
{
    const char *name = strstr(row->what, ": ") + 2;
    struct program *program = begin(0);
    bool known = true;
    prepare(program, true);
    if (!strcmp(name, "marker pair")) {
        mark(program, 0);
        mark(program, 1);
        *value = run(1);
        return true;
    }
    emit_li(program, S1, 0);
    for (unsigned vector = 0; vector < 4 && known; vector++) {
        for (unsigned lreg = 0; lreg < 3; lreg++) {
            emit_tensix(program, TT_OP_SFPLOADI(lreg, 0, 0x3f80));
        }
        drain(program, WAIT_SFPU);
        emit_li(program, A0, wall_clock);
        emit_lw(program, A2, A0, 0);
        known = emit_function(program, name);
        drain(program, WAIT_SFPU);
        emit_li(program, A0, wall_clock);
        emit_lw(program, A1, A0, 0);
        RV(SUB, A2, A1, A2);
        RV(ADD, S1, S1, A2);
        emit_li(program, A0, MARKS + 4);
        emit_sw(program, S1, A0, 0);
        emit(program, RV32_OP_FENCE, 0, 0, 0, 0);
    }
    *value = known ? run(1) : 0;
    return known;
}

/* Macro 0 multiplies what it loads by LReg[6] in the next cycle, and stores the product two cycles later. */
static void configure_scaling_macro(struct program *program)
{
    enum { MISC = 8, SEQUENCE_0 = 4, LANE_CONFIG = 15, TEMPLATE_0 = 12, FP32_STORES = 3 };
    EMIT(program, TT_OP_SFPCONFIG(0, LANE_CONFIG, 1), TT_OP_SFPNOP, TT_OP_SFPMUL(6, 0, 9, TEMPLATE_0, 0),
         TT_OP_SFPLOADI(0, 8, 0x1300), TT_OP_SFPLOADI(0, 10, 0x8400), TT_OP_SFPCONFIG(0, SEQUENCE_0, 0),
         TT_OP_SFPCONFIG(FP32_STORES, MISC, 1));
}

/* 8192 values in Dst are doubled, by macros or without; once, or four vectors at a time. */
static bool scaled_values(const struct measured *row, double *value)
{
    enum { VECTORS = 256, PLAYED = 4, ROWS = 2, MAX_WORDS = 4 * VECTORS };
    const char *schedule = strstr(row->what, ": ") + 2;
    bool macro = !strncmp(schedule, "macro", 5), replay = strstr(schedule, "replay") != NULL;
    bool spread = strstr(schedule, "serial") != NULL;
    struct program *program = begin(0);
    uint32_t body[MAX_WORDS], count = 0;
    prepare(program, true);
    emit_tensix(program, TT_OP_SFPLOADI(6, 0, 0x4000));
    if (macro) {
        configure_scaling_macro(program);
    }
    for (uint32_t i = 0; i < (replay ? PLAYED : VECTORS); i++) {
        uint32_t lreg = i % 4, address = replay ? 0 : i * ROWS;
        if (macro) {
            body[count++] = TT_OP_SFPLOADMACRO(lreg, 3, 0, address);
            for (unsigned j = 0; spread && j < 3; j++) {
                body[count++] = TT_OP_SFPNOP;
            }
        } else {
            body[count++] = TT_OP_SFPLOAD(lreg, 3, 0, address);
            body[count++] = TT_OP_SFPMUL(6, lreg, 9, lreg, 0);
            body[count++] = TT_OP_SFPNOP;
            body[count++] = TT_OP_SFPSTORE(lreg, 3, 0, address);
        }
        if (replay) {
            body[count++] = TT_OP_INCRWC(0, ROWS, 0, 0);
        }
    }
    drain(program, WAIT_SFPU);
    mark(program, 0);
    if (replay) {
        configure_rounds(program, body, count, VECTORS / PLAYED);
        emit_tensix(program, TT_OP_MOP(1, 0, 0));
    } else {
        emit_words(program, body, count);
    }
    EMIT(program, TT_OP_SFPNOP, TT_OP_SFPNOP, TT_OP_SFPNOP, TT_OP_SFPNOP);
    drain(program, WAIT_SFPU);
    mark(program, 1);
    *value = run(1);
    return true;
}

const struct validation_program validation_units[] = {
    {"MVMUL count", mvmul_count},
    {"FPU op", matrix_operation},
    {"FPU/SFPU pair cost", pair_cost},
    {"FPU<->SFPU switch cost", switch_cost},
    {"Dst bandwidth", bandwidth},
    {"SFPU: ", vector_function},
    {"SFPU LOADMACRO 8192 values", scaled_values},
    {0},
};
