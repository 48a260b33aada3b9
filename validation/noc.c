/* Transfers over the NoC between L1s. */
#include <stdio.h>
#include <string.h>

#include "noc/niu.h"
#include "validation/program.h"
#include "validation/validation.h"

enum { CODE = 0x8000, RESULT = 0x130000, SOURCE = 0x134000, TARGET = 0x134800, SHORT_LOOP = 100 };
enum { READ_BUFFER = 1, WRITE_BUFFER = 0 };
enum {
    CTRL_READ = 0x2090, /* response marked, static virtual channel 1 */
    CTRL_WRITE = 0x2092,
};

/* Registers of these programs. */
enum { AT = T3, TEMPORARY = T4, FROM = S2, TO = S3, LENGTH = S4, HERE = S5, EXPECTED = S6, ROUNDS = S0, THERE = S9 };

static uint32_t niu(unsigned noc, unsigned buffer)
{
    return 0xFFB20000 + 0x10000 * noc + NIU_INITIATOR_STRIDE * buffer;
}

/* Always two instructions. */
static void emit_address(struct program *program, unsigned rd, uint32_t address)
{
    int32_t low = (int32_t)(address << 20) >> 20;
    RVI(LUI, rd, 0, (int32_t)(address - (uint32_t)low));
    RVI(ADDI, rd, rd, low);
}

static void emit_wait_ready(struct program *program, unsigned noc, unsigned buffer)
{
    emit_address(program, AT, niu(noc, buffer) + 4 * NOC_CMD_CTRL);
    uint32_t poll = program->count;
    emit_lw(program, TEMPORARY, AT, 0);
    emit_branch(program, RV32_OP_BNE, TEMPORARY, ZERO, poll);
    emit_address(program, AT, niu(noc, buffer));
}

static void emit_go(struct program *program)
{
    emit_li(program, TEMPORARY, 1);
    emit_sw(program, TEMPORARY, AT, 4 * NOC_CMD_CTRL);
}

static void emit_read(struct program *program, unsigned noc)
{
    emit_wait_ready(program, noc, READ_BUFFER);
    emit_li(program, TEMPORARY, CTRL_READ);
    emit_sw(program, TEMPORARY, AT, 4 * NOC_CTRL);
    emit_sw(program, TO, AT, 4 * NOC_RET_ADDR_LO);
    emit_sw(program, ZERO, AT, 4 * NOC_RET_ADDR_MID);
    emit_sw(program, HERE, AT, 4 * NOC_RET_ADDR_HI);
    emit_sw(program, FROM, AT, 4 * NOC_TARG_ADDR_LO);
    emit_sw(program, ZERO, AT, 4 * NOC_TARG_ADDR_MID);
    emit_sw(program, THERE, AT, 4 * NOC_TARG_ADDR_HI);
    emit_sw(program, LENGTH, AT, 4 * NOC_AT_LEN_BE);
    emit_sw(program, ZERO, AT, 4 * NOC_AT_LEN_BE_1);
    emit_go(program);
}

static void emit_write(struct program *program, unsigned noc)
{
    emit_wait_ready(program, noc, WRITE_BUFFER);
    emit_li(program, TEMPORARY, CTRL_WRITE);
    emit_sw(program, TEMPORARY, AT, 4 * NOC_CTRL);
    emit_sw(program, FROM, AT, 4 * NOC_TARG_ADDR_LO);
    emit_sw(program, TO, AT, 4 * NOC_RET_ADDR_LO);
    emit_sw(program, ZERO, AT, 4 * NOC_RET_ADDR_MID);
    emit_sw(program, THERE, AT, 4 * NOC_RET_ADDR_HI);
    emit_sw(program, LENGTH, AT, 4 * NOC_AT_LEN_BE);
    emit_sw(program, ZERO, AT, 4 * NOC_AT_LEN_BE_1);
    emit_go(program);
}

/* Waits until a counter has come to EXPECTED. */
static void emit_await(struct program *program, unsigned noc, unsigned counter)
{
    emit_address(program, AT, niu(noc, 0) + NIU_COUNTER + 4 * counter);
    uint32_t poll = program->count;
    emit_lw(program, TEMPORARY, AT, 0);
    emit_branch(program, RV32_OP_BLTU, TEMPORARY, EXPECTED, poll);
    RVI(FENCE, ZERO, ZERO, 0xff);
}

/* Columns of NoC 0 by their translated coordinates. */
static struct place translated(unsigned x, unsigned y)
{
    return (struct place){x, y};
}

/* What one round does. */
struct operation {
    char name[8]; /* "read", "write", or nothing */
    unsigned bytes, noc;
    bool waits;
    unsigned rounds;
    struct place from, to;
};

static void emit_round(struct program *program, const struct operation *operation)
{
    if (!strcmp(operation->name, "read")) {
        emit_read(program, operation->noc);
    } else if (!strcmp(operation->name, "write")) {
        emit_write(program, operation->noc);
    }
    RVI(ADDI, EXPECTED, EXPECTED, 1);
    if (operation->waits) {
        emit_await(program, operation->noc,
                   !strcmp(operation->name, "read") ? NIU_MST_RD_RESP_RECEIVED : NIU_MST_WR_ACK_RECEIVED);
    }
}

/* Cycles of a loop of so many rounds. */
static double loop(const struct operation *operation)
{
    static struct program program_room;
    struct program *program = &program_room;
    *program = (struct program){.address = CODE};
    emit_li(program, FROM, SOURCE);
    emit_li(program, TO, TARGET);
    emit_li(program, LENGTH, operation->bytes);
    emit_li(program, HERE, operation->from.x | operation->from.y << NOC_COORDINATE_BITS);
    emit_li(program, THERE, operation->to.x | operation->to.y << NOC_COORDINATE_BITS);
    emit_li(program, EXPECTED, 0);
    emit_li(program, AT, niu(operation->noc, WRITE_BUFFER)); /* as firmware leaves it: acknowledgements come here */
    emit_sw(program, HERE, AT, 4 * NOC_TARG_ADDR_HI);
    RVI(FENCE, ZERO, ZERO, 0xff);
    emit_wall_clock(program, A2, A3);
    emit_li(program, ROUNDS, operation->rounds);
    uint32_t top = program->count, leave = emit_branch(program, RV32_OP_BEQ, ROUNDS, ZERO, 0);
    emit_round(program, operation);
    RVI(ADDI, ROUNDS, ROUNDS, -1);
    emit_jump(program, top);
    emit_bind(program, leave);
    emit_wall_clock(program, A4, A5);
    RV(SUB, A4, A4, A2);
    emit_li(program, A2, RESULT);
    emit_sw(program, A4, A2, 0);
    emit_end(program);
    struct bh_device *device = machine_create();
    machine_load(device, operation->from, program);
    machine_start(device, operation->from, BH_CORE_B, program);
    machine_run(device);
    double cycles = machine_word(device, operation->from, RESULT);
    bh_device_destroy(device);
    return cycles;
}

/* Cycles of an operation, without those of the loop around it. */
static double adjusted(struct operation *operation)
{
    struct operation empty = {.rounds = operation->rounds, .from = operation->from, .to = operation->to};
    return (loop(operation) - loop(&empty)) / operation->rounds;
}

static bool parse(const char *text, struct operation *operation)
{
    char wait[16] = "";
    const char *at = strchr(text, ':');
    int read = at ? sscanf(at + 1, " %5[a-z]%u%*1[ +]%15s", operation->name, &operation->bytes, wait) : 0;
    operation->waits = strcmp(wait, "command") != 0 && strcmp(wait, "cmd") != 0;
    return read == 3 && operation->bytes <= TARGET - SOURCE;
}

static bool one_peer(const struct measured *row, double *value)
{
    struct operation operation = {.noc = !strncmp(row->params, "NoC1", 4), .rounds = SHORT_LOOP};
    if (!parse(row->what, &operation)) {
        return false;
    }
    bool local = strstr(row->what, "local") != NULL, sweep = strstr(row->what, "sweep") != NULL;
    long distance = sweep ? measured_number(row, "logical dx", 1) : !local;
    operation.from = operation.to = translated(sweep && operation.noc ? 14 : 1, 2);
    operation.to.x = (unsigned)(sweep && operation.noc ? operation.from.x - distance : operation.from.x + distance);
    *value = adjusted(&operation);
    return true;
}

const struct validation_program validation_noc[] = {
    {"NoC local (self)", one_peer}, {"NoC peer", one_peer}, {"NoC hop sweep", one_peer}, {0}};
