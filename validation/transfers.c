#include "validation/transfers.h"

uint32_t niu(unsigned noc, unsigned buffer)
{
    return 0xFFB20000 + 0x10000 * noc + NIU_INITIATOR_STRIDE * buffer;
}

void emit_address(struct program *program, unsigned rd, uint32_t address)
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

void emit_read(struct program *program, unsigned noc)
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

void emit_write(struct program *program, unsigned noc, uint32_t control)
{
    emit_wait_ready(program, noc, WRITE_BUFFER);
    emit_li(program, TEMPORARY, control);
    emit_sw(program, TEMPORARY, AT, 4 * NOC_CTRL);
    emit_sw(program, FROM, AT, 4 * NOC_TARG_ADDR_LO);
    emit_sw(program, TO, AT, 4 * NOC_RET_ADDR_LO);
    emit_sw(program, ZERO, AT, 4 * NOC_RET_ADDR_MID);
    emit_sw(program, THERE, AT, 4 * NOC_RET_ADDR_HI);
    emit_sw(program, LENGTH, AT, 4 * NOC_AT_LEN_BE);
    emit_sw(program, ZERO, AT, 4 * NOC_AT_LEN_BE_1);
    emit_go(program);
}

void emit_await(struct program *program, unsigned noc, unsigned counter)
{
    emit_address(program, AT, niu(noc, 0) + NIU_COUNTER + 4 * counter);
    uint32_t poll = program->count;
    emit_lw(program, TEMPORARY, AT, 0);
    emit_branch(program, RV32_OP_BLTU, TEMPORARY, EXPECTED, poll);
    RVI(FENCE, ZERO, ZERO, 0xff);
}
