/* RISC-V cores: bodies of a loop, once and twice in each round, so that the loop itself drops out. */
#include <string.h>

#include "validation/documented.h"

enum { CODE = 0x8000, RESULT = 0x120000, SCRATCH = 0x124000, ROUNDS = 1000, NO_L0_CACHE = 1 << 3, CFG0 = 0x7c0 };
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
                     uint32_t address, bool cache)
{
    static struct program program_room;
    struct program *program = &program_room;
    *program = (struct program){.address = CODE};
    if (!cache) {
        emit_li(program, T0, NO_L0_CACHE);
        emit(program, RV32_OP_CSRRS, ZERO, T0, 0, CFG0);
    }
    emit_li(program, S1, 1);
    emit_li(program, S2, 0x12345679);
    emit_li(program, S3, SCRATCH);
    emit_li(program, S4, address);
    emit_sw(program, S3, S3, 0); /* a pointer to itself */
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
                        bool cache)
{
    return (end_of(figure, core, body, 2 * COPIES, address, cache) -
            end_of(figure, core, body, COPIES, address, cache)) /
           (COPIES * (double)ROUNDS);
}

static double cycles_on_b(const struct documented_figure *figure, emit_body *body)
{
    return cycles_of(figure, BH_CORE_B, body, 0, false);
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

/* figure->number: 0 by zero, 1 by one, 2 overflow, 6 the smallest dividend, 33 the largest. Beyond the division:
   loading both operands, two or four instructions. */
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

static double load_latency(const struct documented_figure *figure, uint32_t address, bool cache)
{
    return cycles_of(figure, BH_CORE_T0, emit_dependent_load, address, cache) - 2;
}

/* The greatest or least of several places that the document names together. */
static double least_latency(const struct documented_figure *figure, const uint32_t *addresses, unsigned count)
{
    double least = 1e9;
    for (unsigned i = 0; i < count; i++) {
        double latency = load_latency(figure, addresses[i], false);
        least = latency < least ? latency : least;
    }
    return least;
}

static double load_local(const struct documented_figure *figure)
{
    double ram = load_latency(figure, OWN_RAM, false), hit = load_latency(figure, SCRATCH + 64, true);
    return ram == hit ? ram : hit;
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
    return load_latency(figure, RAM_OF_NC, false);
}

static double load_l1(const struct documented_figure *figure)
{
    return load_latency(figure, SCRATCH + 64, false);
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
    return cycles_of(figure, BH_CORE_B, emit_atomic, SCRATCH + 64, false) - 2;
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
    return cycles_of(figure, BH_CORE_B, emit_stores, SCRATCH + 1024, false) / 8;
}

static double store_elsewhere(const struct documented_figure *figure)
{
    return 8 / cycles_of(figure, BH_CORE_B, emit_stores, OWN_RAM, false);
}

const struct documented_figure documented_riscv[] = {
    {"D0002", instructions_per_cycle, 0, 0, 0},
    {"D0003", multiply, 0, 0, 0},
    {"D0004", float_operation, 0, 0, 0},
    {"D0005a", division, 0, 0, 0},
    {"D0005b", division, 0, 0, 1},
    {"D0006a", division, 0, 0, 6},
    {"D0006b", division, 0, 0, 33},
    {"D0008", load_local, 0, 0, 0},
    {"D0009", load_fifo, 0, 0, 0},
    {"D0010", load_backend, 0, 0, 0},
    {"D0011", load_tile, 0, 0, 0},
    {"D0012", load_slow_path, 0, 0, 0},
    {"D0013", load_l1, 0, 0, 0},
    {"D0014", atomic, 0, 0, 0},
    {"D0015", store_interval, 0, 0, 64},
    {"D0016", store_interval, 0, 0, 4},
    {"D0027", store_elsewhere, 0, 0, 4},
    {0},
};
