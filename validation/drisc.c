/* Copies between GDDR and the L1 of a DRAM tile's core, one after the other, each of which the core starts and awaits.
 */
#include "validation/program.h"
#include "validation/validation.h"

#include <string.h>

enum { PROGRAM = 0x3260, STAGE = 0x6000, RESULT = 0x1F000, GDDR = 0x100000, STREAM = 0xFC000000 };
enum { SOURCE = 0x30, SOURCE_HIGH = 0x34, DESTINATION = 0x38 };
enum { FROM_L1 = 0x10, TO_GDDR = 0x14, TO_GDDR_HIGH = 0x18, ATTRIBUTES = 0x50 };
enum { CONTROL_ATTRIBUTES = 0xFC001004, BURST_255 = 0x0003FF01, TIMEOUT = 20000000 };
#define START_READ 0x83000000u
#define START_WRITE 0x10000000u
#define READ_STATUS 0x0000FF10u
#define WRITE_STATUS 0xF00F0009u

static const struct place dram_tile = {17, 12};

static void emit_store(struct program *program, uint32_t address, uint32_t value)
{
    emit_li(program, T0, address);
    emit_li(program, T1, value);
    emit_sw(program, T1, T0, 0);
}

/* Until no bit of `mask` is set in the stream's status, or the core has looked too often. */
static void emit_poll(struct program *program, uint32_t mask)
{
    emit_li(program, T3, TIMEOUT);
    emit_li(program, T2, mask);
    uint32_t loop = program->count;
    uint32_t given_up = emit_branch(program, RV32_OP_BEQ, T3, ZERO, loop);
    emit_li(program, T4, STREAM);
    emit_lw(program, T0, T4, 0);
    emit(program, RV32_OP_AND, T0, T0, T2, 0);
    uint32_t done = emit_branch(program, RV32_OP_BEQ, T0, ZERO, loop);
    emit(program, RV32_OP_ADDI, T3, T3, 0, -1);
    (void)emit_jump(program, loop);
    emit_bind(program, given_up);
    emit_bind(program, done);
}

static void emit_copy(struct program *program, bool reads, uint32_t bytes)
{
    if (reads) {
        emit_store(program, STREAM + SOURCE, GDDR);
        emit_store(program, STREAM + SOURCE_HIGH, 0);
        emit_store(program, STREAM + DESTINATION, STAGE);
    } else {
        emit_store(program, STREAM + FROM_L1, STAGE);
        emit_store(program, STREAM + TO_GDDR, GDDR);
        emit_store(program, STREAM + TO_GDDR_HIGH, 0);
    }
    emit_store(program, STREAM + ATTRIBUTES, (reads ? START_READ : START_WRITE) | bytes / 16);
    emit_poll(program, reads ? READ_STATUS : WRITE_STATUS);
}

static struct program program;

static void make_program(bool reads, uint32_t bytes, uint32_t rounds)
{
    program.count = 0;
    program.address = PROGRAM;
    emit_store(&program, CONTROL_ATTRIBUTES, BURST_255);
    emit_wall_clock(&program, A2, A3);
    emit_li(&program, S0, rounds);
    uint32_t loop = program.count, done = emit_branch(&program, RV32_OP_BEQ, S0, ZERO, loop);
    emit_copy(&program, reads, bytes);
    emit(&program, RV32_OP_ADDI, S0, S0, 0, -1);
    (void)emit_jump(&program, loop);
    emit_bind(&program, done);
    emit_wall_clock(&program, A4, A5);
    emit_li(&program, T0, RESULT);
    emit_sw(&program, A2, T0, 0);
    emit_sw(&program, A4, T0, 4);
    emit_end(&program);
}

/* Cycles of all rounds. */
static bool measure_copies(const struct measured *row, double *value)
{
    uint32_t bytes = (uint32_t)measured_number(row, "bytes", 0), rounds = (uint32_t)measured_number(row, "rounds", 0);
    uint32_t times[2];
    struct bh_device *device = machine_create();
    make_program(strstr(row->what, "read") != NULL, bytes, rounds);
    bool done =
        bh_write(device, dram_tile.x, dram_tile.y, BH_DRISC_L1 + PROGRAM, program.words, 4 * program.count) == BH_OK &&
        bh_core_start(device, dram_tile.x, dram_tile.y, (enum bh_core)BH_CORE_DRISC, PROGRAM) == BH_OK;
    if (!done) {
        machine_fail("the core of a DRAM tile does not start");
    }
    machine_run(device);
    if (bh_read(device, dram_tile.x, dram_tile.y, BH_DRISC_L1 + RESULT, times, sizeof times) != BH_OK) {
        machine_fail("the L1 of a DRAM tile's core can not be read");
    }
    bh_device_destroy(device);
    *value = times[1] - times[0];
    return true;
}

const struct validation_program validation_drisc[] = {{"DRISC DMA", measure_copies}, {0}};
