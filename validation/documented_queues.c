/* How much queues hold: a core pushes into one that nobody empties, and notes what it has got rid of. */
#include "validation/documented.h"

enum {
    CODE = 0x8000,
    OTHER_CODE = 0xC000,
    RESULT = 0x120000,
    MOST = 48,
    LONG = 20000,
    CFG0 = 0x7c0,
    NO_STORE_MERGING = 1 << 12
};
#define PUSH 0xFFE40000u
#define PCBUF_OF_T0 0xFFE80000u
#define MAILBOX_TO_T0 0xFFEC1000u

static const struct place tile = {1, 2};

/* What the queue has taken after a long time, counted by the core in L1. */
static double taken(enum bh_core core, struct program *program)
{
    struct bh_device *device = machine_create();
    struct bh_run_result result;
    emit_end(program);
    machine_load(device, tile, program);
    machine_start(device, tile, core, program);
    (void)bh_run(device, LONG, &result);
    double count = machine_word(device, tile, RESULT);
    bh_device_destroy(device);
    return count;
}

static void emit_count(struct program *program, unsigned pushed)
{
    emit(program, RV32_OP_FENCE, 0, 0, 0, 0);
    RVI(ADDI, S2, S2, (int32_t)pushed);
    emit_sw(program, S2, S1, 0);
}

static void emit_start(struct program *program, uint32_t queue)
{
    *program = (struct program){.address = CODE};
    emit_li(program, S1, RESULT);
    emit_li(program, S2, 0);
    emit_li(program, S3, queue);
    emit_li(program, S4, 0x02000000); /* NOP */
}

static double stored_to(uint32_t queue)
{
    static struct program program_room;
    struct program *program = &program_room;
    emit_start(program, queue);
    for (unsigned i = 0; i < MOST; i++) {
        emit_sw(program, S4, S3, 0);
        emit_count(program, 1);
    }
    return taken(BH_CORE_B, program);
}

static double pcbuf(const struct documented_figure *figure)
{
    (void)figure;
    return stored_to(PCBUF_OF_T0);
}

static double mailbox(const struct documented_figure *figure)
{
    (void)figure;
    return stored_to(MAILBOX_TO_T0);
}

/* Instructions behind a wait that never ends, figure->number at a time; once before without it, for the instruction
   cache. */
static double behind_a_wait(const struct documented_figure *figure)
{
    static struct program program_room;
    struct program *program = &program_room;
    uint32_t wait;
    (void)assemble("SEMWAIT stall_res=0x1ff, sem_sel=1, wait_sem_cond=1", &wait, 1);
    emit_start(program, PUSH);
    emit_li(program, S0, 0);
    uint32_t top = program->count, first = emit_branch(program, RV32_OP_BEQ, S0, ZERO, 0);
    emit_tensix(program, wait);
    emit_bind(program, first);
    emit_li(program, S2, 0);
    for (unsigned i = 0; i < 32; i++) {
        RVI(ADDI, ZERO, ZERO, 0);
    }
    while (program->count % 4) {
        RVI(ADDI, ZERO, ZERO, 0);
    }
    for (unsigned i = 0; i < MOST; i += (unsigned)figure->number) {
        for (unsigned j = 0; j < (unsigned)figure->number; j++) {
            emit_tensix(program, 0x02000000);
        }
        emit_count(program, (unsigned)figure->number);
        while (program->count % 4) {
            RVI(ADDI, ZERO, ZERO, 0);
        }
    }
    RVI(ADDI, S0, S0, 1);
    RVI(SLTIU, T0, S0, 2);
    emit_branch(program, RV32_OP_BNE, T0, ZERO, top);
    return taken(BH_CORE_T0, program);
}

/* The last single instruction that the FIFO takes is the one that has it hold more. */
static double soft_limit(const struct documented_figure *figure)
{
    return behind_a_wait(figure) - 1;
}

/* Instructions for one another's FIFO in a cycle of the core, which has four of them at a time. */
static double fused(const struct documented_figure *figure)
{
    static struct program program_room;
    struct program *program = &program_room;
    (void)figure;
    double end[2];
    for (unsigned groups = 2; groups <= 6; groups += 4) {
        emit_start(program, 0xFFB121F0u);
        emit_li(program, S0, 0);
        uint32_t top = program->count;      /* three rounds: then it is in the instruction cache */
        for (unsigned i = 0; i < 64; i++) { /* until the FIFO is empty */
            RVI(ADDI, ZERO, ZERO, 0);
        }
        while (program->count % 4) {
            RVI(ADDI, ZERO, ZERO, 0);
        }
        emit_lw(program, S5, S3, 0);
        RVI(ANDI, T0, S5, 0);
        RVI(ADDI, ZERO, ZERO, 0);
        RVI(ADDI, ZERO, ZERO, 0);
        for (unsigned i = 0; i < 4 * groups; i++) {
            emit_tensix(program, 0x02000000);
        }
        emit_lw(program, S6, S3, 0);
        RV(SUB, S6, S6, S5);
        emit_sw(program, S6, S1, 0);
        RVI(ADDI, S0, S0, 1);
        RVI(SLTIU, T0, S0, 3);
        emit_branch(program, RV32_OP_BNE, T0, ZERO, top);
        end[groups / 4] = taken(BH_CORE_T0, program);
    }
    return 4 * 4 / (end[1] - end[0]);
}

/* Stores to L1 that can not join: the last one enters the queue when it has room, and leaves it five cycles for each
   entry later. */
static double time_until(unsigned stores, bool leaves)
{
    static struct program program_room;
    struct program *program = &program_room;
    emit_start(program, 0xFFB121F0u);
    emit_li(program, S5, RESULT + 0x1000);
    emit_li(program, S0, 0);
    emit_li(program, T0, NO_STORE_MERGING);
    emit(program, RV32_OP_CSRRS, ZERO, T0, 0, CFG0);
    uint32_t top = program->count; /* three rounds: then it is in the instruction cache */
    emit(program, RV32_OP_FENCE, 0, 0, 0, 0);
    emit_lw(program, S7, S3, 0);
    RVI(ANDI, T0, S7, 0);
    for (unsigned i = 0; i < stores; i++) {
        emit_sw(program, S4, S5, (int32_t)(64 * i));
    }
    if (leaves) {
        emit(program, RV32_OP_FENCE, 0, 0, 0, 0);
    }
    emit_lw(program, S6, S3, 0);
    RVI(ADDI, S0, S0, 1);
    RVI(SLTIU, T0, S0, 3);
    emit_branch(program, RV32_OP_BNE, T0, ZERO, top);
    RV(SUB, S6, S6, S7);
    emit_sw(program, S6, S1, 0);
    return taken(BH_CORE_B, program);
}

static double store_queue(const struct documented_figure *figure)
{
    enum { MANY = 16, INTERVAL = 5 };
    (void)figure;
    double many = time_until(MANY, true) - time_until(MANY, false);
    double one = time_until(1, true) - time_until(1, false);
    return (double)(int)((many - one) / INTERVAL + 0.999);
}

const struct documented_figure documented_queues[] = {
    {"D0017", store_queue, 0, 0, 0},
    {"D0021", fused, 0, 0, 0},
    {"D0031", behind_a_wait, 0, 0, 4},
    {"D0032", soft_limit, 0, 0, 1},
    {"D0034", pcbuf, 0, 0, 0},
    {"D0035", mailbox, 0, 0, 0},
    {0},
};
