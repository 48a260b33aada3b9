/* What kernels do between their parts: blocks from and to DRAM with all setup, semaphores, banks of source registers.
 */
#include <stdio.h>
#include <string.h>

#include "noc/coordinates.h"
#include "validation/coprocessor.h"
#include "validation/kernels.h"
#include "validation/transfers.h"

enum { CODE = 0x8000, LOCAL = 0x48040, SEED = 0x160000, BLOCK = 128, FIRST_BYTE = 64, TRANSACTION = 3, NIU_WORDS = 12 };
enum { WRITES_LEAVING = 0x280, REQUESTS_OUTSTANDING = 0x240, LOGICAL_NODE = 0x148 }; /* of an NIU, in bytes */

static const struct place core = {1, 4}, last_bank = {18, 23};
static const uint32_t dram_address = 0x1000000;
static struct program program_room;

static struct program *begin(void)
{
    program_room = (struct program){.address = CODE};
    emit_firmware_state(&program_room, false);
    return &program_room;
}

enum { NIU = S0, COMMAND = S1, REMOTE = A2, NEAR = A3, BYTES = A4, THERE_COORDINATES = A5, EXTERNAL = S2 };

struct blocks {
    bool writes, serial;
    uint32_t count, bytes;
};

static void wait_zero(struct program *program, unsigned base, int32_t offset)
{
    uint32_t again = program->count;
    emit_lw(program, T3, base, offset);
    emit_branch(program, RV32_OP_BNE, T3, ZERO, again);
}

static void drain_transfers(struct program *program, bool writes)
{
    if (writes) {
        wait_zero(program, NIU, WRITES_LEAVING + 4 * TRANSACTION);
        RVI(FENCE, ZERO, ZERO, 0xff);
    }
    wait_zero(program, NIU, REQUESTS_OUTSTANDING + 4 * TRANSACTION);
    RVI(FENCE, ZERO, ZERO, 0xff);
}

static void clear_command(struct program *program, bool writes)
{
    for (int32_t word = 0; word < NIU_WORDS; word++) {
        uint32_t value = word == NOC_PACKET_TAG ? TRANSACTION << 10 : word == NOC_CTRL ? writes ? 0x2092 : 0x2090 : 0;
        if (value) {
            emit_li(program, T4, value);
        }
        emit_sw(program, value ? T4 : ZERO, COMMAND, 4 * word);
    }
}

static void submit(struct program *program, bool writes)
{
    wait_zero(program, COMMAND, 4 * NOC_CMD_CTRL);
    emit_sw(program, writes ? NEAR : REMOTE, COMMAND, 4 * NOC_TARG_ADDR_LO);
    emit_sw(program, writes ? HERE : THERE_COORDINATES, COMMAND, 4 * NOC_TARG_ADDR_HI);
    emit_sw(program, writes ? REMOTE : NEAR, COMMAND, 4 * NOC_RET_ADDR_LO);
    emit_sw(program, writes ? THERE_COORDINATES : HERE, COMMAND, 4 * NOC_RET_ADDR_HI);
    emit_sw(program, BYTES, COMMAND, 4 * NOC_AT_LEN_BE);
    emit_li(program, T5, 1);
    emit_sw(program, T5, COMMAND, 4 * NOC_CMD_CTRL);
}

static void transfer(struct program *program, const struct blocks *blocks)
{
    emit_li(program, NIU, niu(0, 0));
    emit_li(program, COMMAND, niu(0, 1));
    wait_zero(program, COMMAND, 4 * NOC_CMD_CTRL);
    wait_zero(program, NIU, REQUESTS_OUTSTANDING + 4 * TRANSACTION);
    RVI(FENCE, ZERO, ZERO, 0xff);
    if (blocks->writes) {
        wait_zero(program, NIU, WRITES_LEAVING + 4 * TRANSACTION);
        RVI(FENCE, ZERO, ZERO, 0xff);
    }
    clear_command(program, blocks->writes);
    emit_li(program, T3, niu(0, 0) + LOGICAL_NODE);
    emit_lw(program, HERE, T3, 0);
    RVI(SLLI, HERE, HERE, 20);
    RVI(SRLI, HERE, HERE, 20);
    emit_li(program, THERE_COORDINATES, last_bank.x | last_bank.y << NOC_COORDINATE_BITS);
    emit_li(program, BYTES, blocks->bytes);
    for (uint32_t i = 0; i < blocks->count; i++) {
        emit_li(program, REMOTE, FIRST_BYTE + i * blocks->bytes * 2);
        RV(ADD, REMOTE, EXTERNAL, REMOTE);
        emit_li(program, NEAR, LOCAL + i * blocks->bytes);
        submit(program, blocks->writes);
        if (blocks->serial) {
            wait_zero(program, COMMAND, 4 * NOC_CMD_CTRL);
            drain_transfers(program, blocks->writes);
        }
    }
    wait_zero(program, COMMAND, 4 * NOC_CMD_CTRL);
    drain_transfers(program, blocks->writes);
}

static void seed(struct bh_device *device, const struct blocks *blocks, bool compare)
{
    uint32_t data[BLOCK];
    for (uint32_t i = 0; i < blocks->count; i++) {
        for (uint32_t j = 0; j < blocks->bytes / 4; j++) {
            data[j] = (i * BLOCK + j) * 0x9e3779b9;
        }
        uint32_t remote = dram_address + FIRST_BYTE + i * blocks->bytes * 2, local = LOCAL + i * blocks->bytes;
        bool at_core = blocks->writes != compare;
        if (compare) {
            machine_expect(device, at_core ? core : last_bank, at_core ? local : remote, data, blocks->bytes);
        } else {
            machine_write(device, at_core ? core : last_bank, at_core ? local : remote, data, blocks->bytes);
        }
    }
}

/* One block or two of 128 values between L1 and DRAM, begun one after the other or each after the one before it. */
bool dram_blocks(const struct measured *row, double *value)
{
    uint32_t count = strstr(row->what, "N256") ? 2 : 1, size = strstr(row->what, "fp32") ? 4 : 2;
    struct blocks blocks = {.writes = strstr(row->what, " write ") != NULL,
                            .serial = strstr(row->what, " serial") != NULL,
                            .count = count,
                            .bytes = BLOCK * size};
    struct program *program = begin();
    emit_li(program, EXTERNAL, dram_address);
    mark(program, 0);
    transfer(program, &blocks);
    mark(program, 1);
    emit_end(program);
    struct bh_device *device = machine_create();
    seed(device, &blocks, false);
    machine_load(device, core, program);
    machine_start(device, core, blocks.writes ? BH_CORE_NC : BH_CORE_B, program);
    machine_run(device);
    seed(device, &blocks, true);
    *value = machine_word(device, core, MARKS + 4) - machine_word(device, core, MARKS);
    bh_device_destroy(device);
    return true;
}

/* A semaphore is posted seven times, the core waiting for each. */
bool semaphore_posts(const struct measured *row, double *value)
{
    enum { SEMAPHORE = 1, TIMES = 7 };
    (void)row;
    struct program *program = begin();
    emit_tensix(program, TT_OP_SEMINIT(15, 0, 1 << SEMAPHORE));
    wait_for_coprocessor(program);
    mark(program, 0);
    for (unsigned i = 0; i < TIMES; i++) {
        emit_tensix(program, TT_OP_SEMPOST(1 << SEMAPHORE));
        wait_for_coprocessor(program);
    }
    mark(program, 1);
    *value = run_marked(program, (const enum bh_core[]){BH_CORE_T1}, 1);
    return true;
}

enum { WAIT_FREE, PUBLISH, WAIT_VALID, RELEASE, STEPS };

/* The bank of SrcA changes hands, and the thread waits until that is so. */
static void step(struct program *program, unsigned which)
{
    enum { WAIT_SRCA_CLEAR = 0x20, WAIT_SRCA_VALID = 0x80 };
    static const uint32_t until[STEPS] = {WAIT_SRCA_CLEAR, WAIT_UNPACK0, WAIT_SRCA_VALID, WAIT_MATH};
    if (which == PUBLISH) {
        emit_tensix(program, TT_OP_UNPACR_NOP(0, 0, 0, 1, 0, 0, 0, 0, 1));
    } else if (which == RELEASE) {
        emit_tensix(program, TT_OP_CLEARDVALID(1, 0));
    }
    emit_tensix(program, TT_OP_STALLWAIT(STALL_SYNC, until[which]));
    emit_tensix(program, TT_OP_SEMPOST(0));
    wait_for_coprocessor(program);
}

/* Eight times each step; those of one are added up. */
bool source_flags(const struct measured *row, double *value)
{
    enum { TIMES = 8, STARTED = S3, STOPPED = S4, SUM = S5 };
    static const char *const names[STEPS] = {"wait_free", "publish", "wait_valid", "release"};
    struct program *program = begin();
    emit_li(program, SUM, 0);
    for (unsigned i = 0; i < TIMES * STEPS; i++) {
        bool measured = strstr(row->what, names[i % STEPS]) != NULL;
        store(program, SEED, i);
        if (measured) {
            emit_li(program, T0, 0xFFB121F0);
            emit_lw(program, STARTED, T0, 0);
        }
        step(program, i % STEPS);
        if (measured) {
            emit_li(program, T0, 0xFFB121F0);
            emit_lw(program, STOPPED, T0, 0);
            RV(SUB, STOPPED, STOPPED, STARTED);
            RV(ADD, SUM, SUM, STOPPED);
            emit_li(program, T0, MARKS + 4);
            emit_sw(program, SUM, T0, 0);
            RVI(FENCE, ZERO, ZERO, 0xff);
        }
    }
    *value = run_marked(program, (const enum bh_core[]){BH_CORE_T0}, 1);
    return true;
}
