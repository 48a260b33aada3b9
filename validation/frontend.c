/* Pushes of Tensix instructions by a core T, and its waits until they have been executed. */
#include <string.h>

#define TENSIX_INSTRUCTION_BUFFER ((volatile uint32_t *)0) /* where the header's TT_NAME() would push: unused */
#include "kernel/tensix.h"

#include "validation/program.h"
#include "validation/validation.h"

#define INSTRN_BUF_BASE 0xFFE40000u
#define PC_BUF_BASE 0xFFE80000u
enum { COPROCESSOR_DONE_CHECK = 4, MATH_PACK = 1 << 1 };
enum { STALL_SYNC = 2, WAIT_MATH = 0x10, WAIT_SFPU = 0x800, STALL_ON_MAX = 2 };
enum { CODE = 0x8000, RESULT = 0x120000 };

static const struct place tile = {1, 2};

/* Two readings of the wall clock around what is measured. */
static void begin_measure(struct program *program)
{
    *program = (struct program){.address = CODE};
}

static double end_measure(struct program *program, enum bh_core core)
{
    emit_wall_clock(program, A4, A5);
    RV(SUB, A4, A4, A2);
    emit_li(program, S2, RESULT);
    emit_sw(program, A4, S2, 0);
    emit_end(program);
    struct bh_device *device = machine_create();
    machine_load(device, tile, program);
    machine_start(device, tile, core, program);
    machine_run(device);
    double cycles = machine_word(device, tile, RESULT);
    bh_device_destroy(device);
    return cycles;
}

/* A loop whose round `emit_round` writes down: it counts S0 down and is left at its top. */
static double loop_cycles(enum bh_core core, long rounds, void (*emit_setup)(struct program *, const char *),
                          void (*emit_round)(struct program *, const char *), const char *name)
{
    static struct program program;
    begin_measure(&program);
    emit_setup(&program, name);
    emit_wall_clock(&program, A2, A3);
    emit_li(&program, S0, (uint32_t)rounds);
    uint32_t top = program.count, leave = emit_branch(&program, RV32_OP_BEQ, S0, ZERO, 0);
    emit_round(&program, name);
    emit(&program, RV32_OP_ADDI, S0, S0, 0, -1);
    emit_jump(&program, top);
    emit_bind(&program, leave);
    return end_measure(&program, core);
}

/* Words that a core pushes by stores, out of registers. */
struct pushes {
    const char *name;
    uint32_t words[2]; /* one after the other, again and again */
    unsigned count;
};

static const struct pushes pushes[] = {
    {"empty", {0}, 0},
    {"sync_empty", {0}, 0},
    {"ttnop_", {TT_OP_NOP, TT_OP_NOP}, 8},
    {"stallwait_none_", {TT_OP_STALLWAIT(0, 0), TT_OP_STALLWAIT(0, 0)}, 8},
    {"seminit_stallwait_", {TT_OP_SEMINIT(1, 0, MATH_PACK), TT_OP_STALLWAIT(0, 0)}, 4},
    {"seminit_", {TT_OP_SEMINIT(1, 0, MATH_PACK), TT_OP_SEMINIT(1, 0, MATH_PACK)}, 4},
};

static const struct pushes *pushes_of(const char *name)
{
    for (unsigned i = 0; i < sizeof pushes / sizeof *pushes; i++) {
        if (!strncmp(name, pushes[i].name, strlen(pushes[i].name))) {
            return &pushes[i];
        }
    }
    return NULL;
}

static void emit_push_setup(struct program *program, const char *name)
{
    const struct pushes *chosen = pushes_of(name);
    emit_li(program, S3, INSTRN_BUF_BASE);
    emit_li(program, S8, PC_BUF_BASE + COPROCESSOR_DONE_CHECK);
    emit_li(program, S4, chosen->words[0]);
    emit_li(program, S5, chosen->words[1]);
}

static void emit_pushes(struct program *program, const char *name)
{
    const struct pushes *chosen = pushes_of(name);
    for (unsigned i = 0; i < chosen->count; i++) {
        emit_sw(program, i % 2 && chosen->words[1] != chosen->words[0] ? S5 : S4, S3, 0);
    }
    if (strstr(name, "sync")) {
        emit_sw(program, ZERO, S8, 0);
        emit_lw(program, S1, S8, 0);
        RV(AND, ZERO, ZERO, S1);
    }
}

static bool issue(const struct measured *row, double *value)
{
    const char *name = strstr(row->what, ": ") + 2;
    if (!pushes_of(name)) {
        return false;
    }
    *value = loop_cycles(BH_CORE_T1, measured_number(row, "iters", 100), emit_push_setup, emit_pushes, name);
    return true;
}

/* Waits until the thread has executed all that was pushed, with the address made anew for each access. */
static void emit_done_check(struct program *program)
{
    emit(program, RV32_OP_LUI, T0, 0, 0, (int32_t)PC_BUF_BASE);
    emit_li(program, T1, 0);
    emit_sw(program, T1, T0, COPROCESSOR_DONE_CHECK);
    emit(program, RV32_OP_LUI, T0, 0, 0, (int32_t)PC_BUF_BASE);
    emit_lw(program, S1, T0, COPROCESSOR_DONE_CHECK);
    RV(AND, ZERO, ZERO, S1);
}

static void emit_nothing(struct program *program, const char *name)
{
    (void)program, (void)name;
}

static void emit_semaphore_setup(struct program *program, const char *name)
{
    emit_tensix(program, TT_OP_SEMINIT(15, strstr(name, "ttsemwait") ? 0 : 1, MATH_PACK));
    emit_done_check(program);
}

static void emit_semaphores(struct program *program, const char *name)
{
    if (strstr(name, "ttsemwait")) {
        emit_tensix(program, TT_OP_SEMWAIT(STALL_SYNC, MATH_PACK, STALL_ON_MAX));
    } else {
        bool posts_first = strstr(name, "ttsempost") != NULL;
        emit_tensix(program, posts_first ? TT_OP_SEMPOST(MATH_PACK) : TT_OP_SEMGET(MATH_PACK));
        emit_tensix(program, posts_first ? TT_OP_SEMGET(MATH_PACK) : TT_OP_SEMPOST(MATH_PACK));
    }
    emit_done_check(program);
}

static void emit_increment(struct program *program, const char *name)
{
    (void)name;
    emit(program, RV32_OP_ADDI, S1, S1, 0, 1);
}

/* Less a loop that only counts, for each instruction. */
static bool semaphores(const struct measured *row, double *value)
{
    const char *name = strstr(row->what, ": ") + 2;
    long rounds = measured_number(row, "iters", 1000);
    if (strncmp(name, "ttsem", 5) != 0) {
        return false;
    }
    double empty = loop_cycles(BH_CORE_T2, rounds, emit_nothing, emit_increment, name);
    double all = loop_cycles(BH_CORE_T2, rounds, emit_semaphore_setup, emit_semaphores, name);
    *value = (all - empty) / (double)rounds / (strstr(name, "ttsemwait") ? 1 : 2);
    return true;
}

static void emit_drain(struct program *program, const char *name)
{
    (void)name;
    emit_tensix(program, TT_OP_STALLWAIT(STALL_SYNC, WAIT_MATH | WAIT_SFPU));
    emit_done_check(program);
}

static bool math_sync(const struct measured *row, double *value)
{
    enum { ROUNDS = 20 };
    (void)row;
    *value = loop_cycles(BH_CORE_T1, ROUNDS, emit_nothing, emit_drain, "") / ROUNDS;
    return true;
}

static void emit_prepare_sources(struct program *program, const char *name)
{
    emit_tensix(program, TT_OP_ZEROSRC(0, 0, 1, 3));
    emit_tensix(program, TT_OP_ZEROACC(3, 0, 0, 1, 0));
    emit_tensix(program, TT_OP_SETRWC(0, 0, 0, 0, 0, 15));
    emit_drain(program, name);
}

static bool prepare_sources(const struct measured *row, double *value)
{
    enum { ROUNDS = 20 };
    (void)row;
    *value = loop_cycles(BH_CORE_T1, ROUNDS, emit_nothing, emit_prepare_sources, "") / ROUNDS;
    return true;
}

const struct validation_program validation_frontend[] = {{"Tensix issue", issue},
                                                         {"semaphore and CB: ttsem", semaphores},
                                                         {"math backend: sync_empty", math_sync},
                                                         {"math backend: prep_src", prepare_sources},
                                                         {0}};
