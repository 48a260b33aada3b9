/* Loops of RISC-V instructions on one core. */
#include <string.h>

#include "validation/program.h"
#include "validation/validation.h"

enum { CODE = 0x8000, RESULT = 0x120000, SCRATCH = 0x124000 };

static enum bh_core core_of(const struct measured *row)
{
    static const struct {
        const char *name;
        enum bh_core core;
    } cores[] = {{"ncrisc", BH_CORE_NC}, {"trisc0", BH_CORE_T0}, {"trisc1", BH_CORE_T1}, {"trisc2", BH_CORE_T2}};
    for (unsigned i = 0; i < sizeof cores / sizeof *cores; i++) {
        if (measured_has(row, "core", cores[i].name)) {
            return cores[i].core;
        }
    }
    return BH_CORE_B;
}

static void emit_body(struct program *program, const char *body)
{
    if (!strcmp(body, "addi8")) {
        for (unsigned i = 0; i < 8; i++) {
            RVI(ADDI, S1, S1, 1);
        }
    }
}

/* The time of a loop that counts down and leaves at its top, between two readings of the wall clock. */
static bool loop_body(const struct measured *row, double *value)
{
    static struct program program_room;
    struct program *program = &program_room;
    const char *body = strstr(row->what, ": ") + 2;
    const struct place tile = {1, 2};
    if (strcmp(body, "empty") && strcmp(body, "addi8")) {
        return false;
    }
    *program = (struct program){.address = CODE};
    emit_wall_clock(program, A2, A3);
    emit_li(program, S0, (uint32_t)measured_number(row, "iters", 10000));
    uint32_t top = program->count, leave = emit_branch(program, RV32_OP_BEQ, S0, ZERO, 0);
    emit_body(program, body);
    RVI(ADDI, S0, S0, -1);
    emit_jump(program, top);
    emit_bind(program, leave);
    emit_wall_clock(program, A4, A5);
    RV(SUB, A4, A4, A2);
    emit_li(program, S2, RESULT);
    emit_sw(program, A4, S2, 0);
    emit_end(program);
    struct bh_device *device = machine_create();
    machine_load(device, tile, program);
    machine_start(device, tile, core_of(row), program);
    machine_run(device);
    *value = machine_word(device, tile, RESULT);
    bh_device_destroy(device);
    return true;
}

const struct validation_program validation_riscv[] = {{"RISC-V loop body", loop_body}, {0}};
