/* RISC-V cores: bodies of a loop, once and twice in each round, so that the loop itself drops out. */
#include "validation/documented.h"

enum {
    CODE = 0x8000,
    RESULT = 0x120000,
    SCRATCH = 0x124000,
    ROUNDS = 1000,
    NO_L0_CACHE = 1 << 3,
    NO_PERIODIC_FLUSH = 1 << 24,
    CFG0 = 0x7c0
};
#define OWN_RAM 0xFFB00100u
#define RAM_OF_NC 0xFFB16100u
#define WALL_CLOCK 0xFFB121F0u
#define TDMA 0xFFB11000u
#define CONFIG 0xFFEF0000u
#define GPRS 0xFFE00000u
#define SEMAPHORE 0xFFE80020u
#define MAILBOX_STATE 0xFFEC0004u
#define PIC 0xFFB13000u
#define NOC 0xFFB20000u
#define OVERLAY 0xFFB40000u

static const struct place tile = {1, 2};
static const unsigned registers[] = {T2, T3, T4, T5, T6, S6, S7, S8, S9, S10, S11, A1};

/* What is measured. Registers: S1 and S2 values, S3 an address of L1, S4 one as `number` says. */
typedef void emit_body(struct program *program, const struct documented_figure *figure);

/* The clock at the end of ROUNDS rounds of a loop with so many bodies. */
static double end_of(const struct documented_figure *figure, enum bh_core core, emit_body *body, unsigned copies,
                     uint32_t address, uint32_t cfg0)
{
    static struct program program_room;
    struct program *program = &program_room;
    *program = (struct program){.address = CODE};
    emit_li(program, T0, cfg0);
    emit(program, RV32_OP_CSRRS, ZERO, T0, 0, CFG0);
    emit_li(program, S1, 1);
    emit_li(program, S2, 0x12345679);
    emit_li(program, S3, SCRATCH);
    emit_li(program, S4, address);
    emit_li(program, S5, 0x02000000); /* NOP of the coprocessor */
    emit_sw(program, S3, S3, 0);      /* a pointer to itself */
    emit_li(program, S0, ROUNDS);
    uint32_t top = program->count;
    for (unsigned i = 0; i < copies; i++) {
        body(program, figure);
    }
    RVI(ADDI, S0, S0, -1);
    emit_branch(program, RV32_OP_BNE, S0, ZERO, top);
    emit(program, RV32_OP_FENCE, 0, 0, 0, 0);
    emit_li(program, A7, WALL_CLOCK);
    emit_lw(program, A2, A7, 0);
    emit_li(program, S1, RESULT);
    emit_sw(program, A2, S1, 0);
    emit_end(program);
    struct bh_device *device = machine_create();
    machine_load(device, tile, program);
    machine_start(device, tile, core, program);
    machine_run(device);
    double end = machine_word(device, tile, RESULT);
    bh_device_destroy(device);
    return end;
}

enum { COPIES = 4 };

static double cycles_of(const struct documented_figure *figure, enum bh_core core, emit_body *body, uint32_t address,
                        uint32_t cfg0)
{
    return (end_of(figure, core, body, 2 * COPIES, address, cfg0) - end_of(figure, core, body, COPIES, address, cfg0)) /
           (COPIES * (double)ROUNDS);
}

static double cycles_on_b(const struct documented_figure *figure, emit_body *body)
{
    return cycles_of(figure, BH_CORE_B, body, SCRATCH, NO_L0_CACHE);
}

static void emit_independent(struct program *program, const struct documented_figure *figure)
{
    (void)figure;
    for (unsigned i = 0; i < 8; i++) {
        RVI(ADDI, registers[i], registers[i], 1);
    }
}

static double instructions_per_cycle(const struct documented_figure *figure)
{
    return 8 / cycles_on_b(figure, emit_independent);
}

static void emit_multiplies(struct program *program, const struct documented_figure *figure)
{
    (void)figure;
    RV(MUL, S2, S2, S1);
    RV(MULHU, S2, S2, S1);
}

static double multiply(const struct documented_figure *figure)
{
    return cycles_on_b(figure, emit_multiplies) / 2;
}

static void emit_floats(struct program *program, const struct documented_figure *figure)
{
    (void)figure;
    emit(program, RV32_OP_FADD_S, 1, 1, 2, 0);
    emit(program, RV32_OP_FMUL_S, 1, 1, 2, 0);
}

static double float_operation(const struct documented_figure *figure)
{
    return cycles_on_b(figure, emit_floats) / 2;
}

/* figure->number: 0 by zero, 1 by one, 2 overflow, 6 the smallest dividend, 33 the largest. Loading
   its operands takes two instructions. */
static void emit_division(struct program *program, const struct documented_figure *figure)
{
    bool overflow = figure->number == 2;
    emit_li(program, T2, overflow ? 0x80000000u : figure->number == 33 ? 0xfffff000u : 2);
    emit_li(program, T3, overflow ? 0xffffffffu : figure->number == 6 || figure->number == 33 ? 3 : figure->number);
    if (overflow) {
        RV(DIV, T4, T2, T3);
    } else {
        RV(DIVU, T4, T2, T3);
    }
}

static double division(const struct documented_figure *figure)
{
    return cycles_on_b(figure, emit_division) - 2;
}

/* A load, and at once an instruction that needs it, whose result the next load's address needs: loads go to S4 with a
   difference that is always 0. */
static void emit_dependent_load(struct program *program, const struct documented_figure *figure)
{
    (void)figure;
    emit_lw(program, T2, S4, 0);
    RVI(ANDI, T2, T2, 0);
    RV(ADD, S4, S4, T2);
}

static double load_latency(const struct documented_figure *figure, uint32_t address, uint32_t cfg0)
{
    return cycles_of(figure, BH_CORE_T0, emit_dependent_load, address, cfg0) - 2;
}

/* Of places that a document names together, the one whose load is the fastest. */
static double least_latency(const struct documented_figure *figure, const uint32_t *addresses, unsigned count)
{
    double least = 1e9;
    for (unsigned i = 0; i < count; i++) {
        double latency = load_latency(figure, addresses[i], NO_L0_CACHE);
        least = latency < least ? latency : least;
    }
    return least;
}

static double load_local(const struct documented_figure *figure)
{
    double ram = load_latency(figure, OWN_RAM, NO_L0_CACHE),
           hit = load_latency(figure, SCRATCH + 64, NO_PERIODIC_FLUSH);
    return ram > hit ? ram : hit;
}

static double load_fifo(const struct documented_figure *figure)
{
    static const uint32_t places[] = {SEMAPHORE, MAILBOX_STATE};
    return least_latency(figure, places, 2);
}

static double load_backend(const struct documented_figure *figure)
{
    static const uint32_t places[] = {GPRS, CONFIG + 64, TDMA};
    return least_latency(figure, places, 3);
}

static double load_tile(const struct documented_figure *figure)
{
    static const uint32_t places[] = {WALL_CLOCK, PIC, NOC, OVERLAY + 0x20};
    return least_latency(figure, places, 4);
}

static double load_slow_path(const struct documented_figure *figure)
{
    return load_latency(figure, RAM_OF_NC, NO_L0_CACHE);
}

static double load_l1(const struct documented_figure *figure)
{
    return load_latency(figure, SCRATCH + 64, NO_L0_CACHE);
}

static void emit_atomic(struct program *program, const struct documented_figure *figure)
{
    (void)figure;
    emit(program, RV32_OP_AMOADD_W, T2, S4, ZERO, 0);
    RVI(ANDI, T2, T2, 0);
    RV(ADD, S4, S4, T2);
}

static double atomic(const struct documented_figure *figure)
{
    return cycles_of(figure, BH_CORE_B, emit_atomic, SCRATCH + 64, NO_L0_CACHE) - 2;
}

/* Eight stores to L1, figure->number bytes apart. */
static void emit_stores(struct program *program, const struct documented_figure *figure)
{
    for (unsigned i = 0; i < 8; i++) {
        emit_sw(program, S1, S4, (int32_t)(i * (unsigned)figure->number));
    }
}

static double store_interval(const struct documented_figure *figure)
{
    return cycles_of(figure, BH_CORE_B, emit_stores, SCRATCH + 1024, NO_L0_CACHE) / 8;
}

static double store_elsewhere(const struct documented_figure *figure)
{
    return 8 / cycles_of(figure, BH_CORE_B, emit_stores, OWN_RAM, NO_L0_CACHE);
}

enum { BRANCHES = 128, FIRST = 64 };

/* Branches that a sequence without a pattern has taken or not, each between two readings of the clock. */
static void emit_branches(struct program *program)
{
    emit_li(program, S2, 0x2545f491);
    emit_li(program, A7, WALL_CLOCK);
    emit_li(program, S5, RESULT);
    emit_li(program, S0, BRANCHES);
    uint32_t top = program->count;
    emit(program, RV32_OP_FENCE, 0, 0, 0, 0);
    RVI(SLLI, T2, S2, 13);
    RV(XOR, S2, S2, T2);
    RVI(SRLI, T2, S2, 17);
    RV(XOR, S2, S2, T2);
    RVI(SLLI, T2, S2, 5);
    RV(XOR, S2, S2, T2);
    RVI(ANDI, T3, S2, 1);
    emit_lw(program, A2, A7, 0);
    RVI(ANDI, T4, A2, 0);
    RV(ADD, T4, T4, T3);
    emit_branch(program, RV32_OP_BEQ, T4, ZERO, program->count + 2);
    RVI(ADDI, ZERO, ZERO, 0);
    emit_lw(program, A3, A7, 0);
    RV(SUB, A3, A3, A2);
    emit_sw(program, A3, S5, 0);
    emit_sw(program, T3, S5, 4);
    RVI(ADDI, S5, S5, 8);
    RVI(ADDI, S0, S0, -1);
    emit_branch(program, RV32_OP_BNE, S0, ZERO, top);
    emit_end(program);
}

/* What the slowest of branches that are taken takes more than the fastest. */
static double mispredicted(const struct documented_figure *figure)
{
    static struct program program;
    program = (struct program){.address = CODE};
    (void)figure;
    emit_branches(&program);
    struct bh_device *device = machine_create();
    machine_load(device, tile, &program);
    machine_start(device, tile, BH_CORE_B, &program);
    machine_run(device);
    uint32_t least = UINT32_MAX, most = 0;
    for (unsigned i = FIRST; i < BRANCHES; i++) {
        if (!machine_word(device, tile, RESULT + 8 * i + 4)) {
            uint32_t cycles = machine_word(device, tile, RESULT + 8 * i);
            least = cycles < least ? cycles : least;
            most = cycles > most ? cycles : most;
        }
    }
    bh_device_destroy(device);
    return most - least;
}

static void emit_loads(struct program *program, const struct documented_figure *figure)
{
    (void)figure;
    for (unsigned i = 0; i < 8; i++) {
        emit_lw(program, registers[i], S4, (int32_t)(4 * i));
    }
}

/* Four loads in one cycle less than the latency of one: minus 1. */
static double sustained_loads(const struct documented_figure *figure)
{
    return cycles_of(figure, BH_CORE_B, emit_loads, SCRATCH, NO_L0_CACHE) / 2 -
           load_latency(figure, SCRATCH, NO_L0_CACHE);
}

static double fast_loads(const struct documented_figure *figure)
{
    return 8 / cycles_of(figure, BH_CORE_B, emit_loads, OWN_RAM, NO_L0_CACHE);
}

/* An atomic, so many instructions that do not need its result, and the next atomic, which does. */
static void emit_atomic_and_others(struct program *program, const struct documented_figure *figure)
{
    emit(program, RV32_OP_AMOADD_W, T2, S4, ZERO, 0);
    for (unsigned i = 0; i < (unsigned)figure->number; i++) {
        RVI(ADDI, registers[1 + i % 11], ZERO, 1);
    }
    RVI(ANDI, T2, T2, 0);
    RV(ADD, S4, S4, T2);
}

/* Entries: the atomic's own, those of as many instructions as take no time behind it, and that of the instruction which
   waits for it. */
static double retire_queue(const struct documented_figure *figure)
{
    struct documented_figure with = *figure;
    with.number = 0;
    double alone = cycles_of(&with, BH_CORE_B, emit_atomic_and_others, SCRATCH, NO_L0_CACHE);
    do {
        with.number++;
    } while (with.number < 16 && cycles_of(&with, BH_CORE_B, emit_atomic_and_others, SCRATCH, NO_L0_CACHE) == alone);
    return with.number + 1;
}

static void emit_loads_of_lines(struct program *program, const struct documented_figure *figure)
{
    for (unsigned i = 0; i < (unsigned)figure->number; i++) {
        emit_lw(program, registers[i % 8], S4, (int32_t)(16 * i));
    }
}

/* As many lines as are loaded again and again at one a cycle. */
static double cached_lines(const struct documented_figure *figure)
{
    struct documented_figure with = *figure;
    double cycles;
    do {
        with.number++;
        cycles = cycles_of(&with, BH_CORE_B, emit_loads_of_lines, SCRATCH, NO_PERIODIC_FLUSH);
    } while (with.number < 32 && cycles < with.number + 0.5);
    return with.number - 1;
}

enum { LOADS_IN_A_ROW = 24 };

/* Words behind each other, more of them than the cache holds. */
static void emit_loads_in_a_row(struct program *program, const struct documented_figure *figure)
{
    (void)figure;
    for (unsigned i = 0; i < LOADS_IN_A_ROW; i++) {
        emit_lw(program, T2, S4, (int32_t)(4 * i));
        RVI(ANDI, T2, T2, 0);
    }
}

/* What the words take beyond hits, by what a miss takes beyond a hit: how many lines they are in. */
static double line_bytes(const struct documented_figure *figure)
{
    double all = cycles_of(figure, BH_CORE_B, emit_loads_in_a_row, SCRATCH, NO_PERIODIC_FLUSH);
    double hits = cycles_of(figure, BH_CORE_B, emit_loads_in_a_row, OWN_RAM, NO_PERIODIC_FLUSH);
    return 4 * LOADS_IN_A_ROW * (load_l1(figure) - load_local(figure)) / (all - hits);
}

/* KiB of the longest of loops of instructions that takes a cycle for each in its second round. */
static double instruction_cache(const struct documented_figure *figure)
{
    static struct program program_room;
    struct program *program = &program_room;
    static const unsigned sizes[] = {64, 96, 128, 192, 256, 384, 512, 544, 640, 768};
    unsigned most = 0;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double end[2];
        for (unsigned rounds = 8; rounds <= 16; rounds += 8) {
            *program = (struct program){.address = CODE};
            emit_li(program, S0, rounds);
            emit_li(program, T0, 1 << 2); /* without prefetching */
            emit(program, RV32_OP_CSRRS, ZERO, T0, 0, CFG0);
            while (program->count % 16) {
                RVI(ADDI, ZERO, ZERO, 0);
            }
            uint32_t top = program->count;
            while (program->count < top + sizes[i] - 2) {
                RVI(ADDI, ZERO, ZERO, 0);
            }
            RVI(ADDI, S0, S0, -1);
            emit_branch(program, RV32_OP_BNE, S0, ZERO, top);
            emit_li(program, A7, WALL_CLOCK);
            emit_lw(program, A2, A7, 0);
            emit_li(program, S1, RESULT);
            emit_sw(program, A2, S1, 0);
            emit_end(program);
            struct bh_device *device = machine_create();
            machine_load(device, tile, program);
            machine_start(device, tile, (enum bh_core)(unsigned)figure->number, program);
            machine_run(device);
            end[rounds / 16] = machine_word(device, tile, RESULT);
            bh_device_destroy(device);
        }
        most = end[1] - end[0] <= 8.0 * sizes[i] ? sizes[i] : most;
    }
    return most * 4 / 1024.0;
}

static void emit_pushes(struct program *program, const struct documented_figure *figure)
{
    (void)figure;
    for (unsigned i = 0; i < 8; i++) {
        emit_sw(program, S5, S4, 0);
    }
}

/* Stores of NOPs to the FIFO. */
static double push_rate(const struct documented_figure *figure)
{
    return 8 / cycles_of(figure, BH_CORE_T0, emit_pushes, 0xFFE40000u, NO_L0_CACHE);
}

const struct documented_figure documented_riscv[] = {
    {"D0002", instructions_per_cycle, 0, 0, 0},
    {"D0003", multiply, 0, 0, 0},
    {"D0004", float_operation, 0, 0, 0},
    {"D0005a", division, 0, 0, 0},
    {"D0005b", division, 0, 0, 1},
    {"D0006a", division, 0, 0, 6},
    {"D0006b", division, 0, 0, 33},
    {"D0005c", division, 0, 0, 2},
    {"D0007", mispredicted, 0, 0, 0},
    {"D0008", load_local, 0, 0, 0},
    {"D0009", load_fifo, 0, 0, 0},
    {"D0010", load_backend, 0, 0, 0},
    {"D0011", load_tile, 0, 0, 0},
    {"D0012", load_slow_path, 0, 0, 0},
    {"D0013", load_l1, 0, 0, 0},
    {"D0014", atomic, 0, 0, 0},
    {"D0015", store_interval, 0, 0, 64},
    {"D0016", store_interval, 0, 0, 4},
    {"D0018", retire_queue, 0, 0, 0},
    {"D0019", cached_lines, 0, 0, 0},
    {"D0020", line_bytes, 0, 0, 0},
    {"D0024", sustained_loads, 0, 0, 0},
    {"D0025", fast_loads, 0, 0, 0},
    {"D0026", store_interval, 0, 0, 64},
    {"D0239", store_interval, 0, 0, 64},
    {"D0028", instruction_cache, 0, 0, BH_CORE_B},
    {"D0029", instruction_cache, 0, 0, BH_CORE_NC},
    {"D0030", load_local, 0, 0, 0},
    {"D0033", push_rate, 0, 0, 0},
    {"D0027", store_elsewhere, 0, 0, 4},
    {0},
};
