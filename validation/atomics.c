/* Tiles of a column that increment a word of another one over the NoC, with and without the old values. */
#include <string.h>

#include "validation/transfers.h"
#include "validation/validation.h"

enum { CODE = 0x8000, COUNTER = 0x48040, RESULT = 0x130000, RETURN = COUNTER + 16 };
enum { REQUESTS = 64, MOST_SENDERS = 8, SLOT = 3, FIRST_ROW = 2 };
enum { INCREMENT = 0x107C, CTRL_ATOMIC = 0x2091, CTRL_POSTED = 0x2081, OUTSTANDING = 0x240, TRANSACTION = 2 };
enum { COMMAND = S7, NIU = S6, ONE = S8 };

static uint32_t coordinates(struct place place)
{
    return place.x | place.y << NOC_COORDINATE_BITS;
}

static void emit_word(struct program *program, unsigned word, uint32_t value)
{
    emit_li(program, T0, value);
    emit_sw(program, T0, COMMAND, (int32_t)(4 * word));
}

static void wait_zero(struct program *program, unsigned base, int32_t offset)
{
    uint32_t again = program->count;
    emit_lw(program, T0, base, offset);
    emit_branch(program, RV32_OP_BNE, T0, ZERO, again);
}

static void emit_command(struct program *program, struct place here, struct place receiver, bool results)
{
    emit_word(program, NOC_TARG_ADDR_LO, COUNTER);
    emit_word(program, NOC_TARG_ADDR_MID, 0);
    emit_word(program, NOC_TARG_ADDR_HI, coordinates(receiver));
    emit_word(program, NOC_RET_ADDR_LO, RETURN);
    emit_word(program, NOC_RET_ADDR_MID, 0);
    emit_word(program, NOC_RET_ADDR_HI, coordinates(here));
    emit_word(program, NOC_PACKET_TAG, TRANSACTION << 10);
    emit_word(program, NOC_CTRL, results ? CTRL_ATOMIC : CTRL_POSTED);
    emit_word(program, NOC_AT_LEN_BE, INCREMENT);
    emit_word(program, NOC_AT_LEN_BE_1, 0);
    emit_word(program, NOC_AT_DATA, 1);
}

static void start(struct bh_device *device, struct place here, struct place receiver, unsigned noc, bool results)
{
    static struct program program_room;
    struct program *program = &program_room;
    *program = (struct program){.address = CODE};
    emit_wall_clock(program, A2, A3);
    emit_li(program, NIU, niu(noc, 0));
    emit_li(program, COMMAND, niu(noc, SLOT));
    emit_command(program, here, receiver, results);
    emit_li(program, ONE, 1);
    emit_li(program, ROUNDS, REQUESTS);
    uint32_t top = program->count, leave = emit_branch(program, RV32_OP_BEQ, ROUNDS, ZERO, 0);
    wait_zero(program, COMMAND, 4 * NOC_CMD_CTRL);
    emit_sw(program, ONE, COMMAND, 4 * NOC_CMD_CTRL);
    RVI(ADDI, ROUNDS, ROUNDS, -1);
    emit_jump(program, top);
    emit_bind(program, leave);
    wait_zero(program, COMMAND, 4 * NOC_CMD_CTRL);
    if (results) {
        wait_zero(program, NIU, OUTSTANDING + 4 * TRANSACTION);
    }
    emit_wall_clock(program, A4, A5);
    RV(SUB, A4, A4, A2);
    emit_li(program, A2, RESULT);
    emit_sw(program, A4, A2, 0);
    emit_end(program);
    machine_load(device, here, program);
    machine_start(device, here, BH_CORE_B, program);
}

/* A request, of the sender that takes longest. */
static bool increments(const struct measured *row, double *value)
{
    unsigned senders = (unsigned)measured_number(row, "senders", 1), noc = (unsigned)measured_number(row, "noc", 0);
    const struct place receiver = {1, FIRST_ROW};
    struct bh_device *device = machine_create();
    uint32_t most = 0;
    for (unsigned i = 0; i < senders && i < MOST_SENDERS; i++) {
        start(device, (struct place){1, FIRST_ROW + 1 + i}, receiver, noc, measured_has(row, "results", "true"));
    }
    machine_run(device);
    for (unsigned i = 0; i < senders && i < MOST_SENDERS; i++) {
        uint32_t took = machine_word(device, (struct place){1, FIRST_ROW + 1 + i}, RESULT);
        most = took > most ? took : most;
    }
    bh_device_destroy(device);
    *value = (double)most / REQUESTS;
    return true;
}

const struct validation_program validation_atomics[] = {{"NoC atomic increments", increments}, {0}};
