/* The NoC: how long a write takes until its acknowledgement is there, to the cycle. */
#include "validation/documented.h"
#include "validation/transfers.h"

enum { CODE = 0x8000, RESULT = 0x120000, SOURCE = 0x10000, TARGET = 0x20000, LONGEST = 2048 };
enum { RING_OF_ROWS = 12 };

static const struct place here = {1, 2};

/* Whether a write has been acknowledged by the time that the core looks, behind so many instructions; in the second of
   two rounds, which is in the instruction cache. */
static bool acknowledged_behind(unsigned instructions, struct place there, unsigned noc, uint32_t bytes)
{
    static struct program program_room;
    struct program *program = &program_room;
    *program = (struct program){.address = CODE};
    emit_li(program, FROM, SOURCE);
    emit_li(program, TO, TARGET);
    emit_li(program, LENGTH, bytes);
    emit_li(program, HERE, here.x | here.y << 6);
    emit_li(program, THERE, there.x | there.y << 6);
    emit_li(program, S1, RESULT);
    emit_address(program, AT, niu(noc, WRITE_BUFFER));
    emit_sw(program, HERE, AT, 4 * NOC_TARG_ADDR_HI);
    emit_li(program, ROUNDS, 2);
    uint32_t top = program->count;
    emit_address(program, S7, niu(noc, 0) + NIU_COUNTER + 4 * NIU_MST_WR_ACK_RECEIVED);
    emit_lw(program, S8, S7, 0);
    RVI(ANDI, T0, S8, 0);
    emit_write(program, noc, CTRL_WRITE);
    emit(program, RV32_OP_FENCE, 0, 0, 0, 0);
    emit_li(program, T0, 1 + instructions / 2); /* a round takes two cycles */
    uint32_t wait = program->count;
    RVI(ADDI, T0, T0, -1);
    emit_branch(program, RV32_OP_BNE, T0, ZERO, wait);
    if (instructions % 2) {
        RVI(ADDI, ZERO, ZERO, 0);
    }
    emit_lw(program, S9 + 1, S7, 0);
    RV(SUB, S8, S9 + 1, S8);
    emit_sw(program, S8, S1, 0);
    emit_li(program, T0, LONGEST);
    wait = program->count;
    RVI(ADDI, T0, T0, -1);
    emit_branch(program, RV32_OP_BNE, T0, ZERO, wait);
    RVI(ADDI, ROUNDS, ROUNDS, -1);
    emit_branch(program, RV32_OP_BNE, ROUNDS, ZERO, top);
    emit_end(program);
    struct bh_device *device = machine_create();
    machine_load(device, here, program);
    machine_start(device, here, BH_CORE_B, program);
    machine_run(device);
    bool acknowledged = machine_word(device, here, RESULT) != 0;
    bh_device_destroy(device);
    return acknowledged;
}

/* Cycles until the acknowledgement, beyond what is the same for all tiles. */
static double until_bytes_are_acknowledged(struct place there, unsigned noc, uint32_t bytes)
{
    unsigned least = 0, most = LONGEST;
    while (least < most) {
        unsigned middle = (least + most) / 2;
        if (acknowledged_behind(middle, there, noc, bytes)) {
            most = middle;
        } else {
            least = middle + 1;
        }
    }
    return least;
}

static double until_acknowledged(struct place there, unsigned noc)
{
    return until_bytes_are_acknowledged(there, noc, 64);
}

/* From one length from which on a write takes longer to the next such length. */
static double flit(const struct documented_figure *figure)
{
    enum { STEP = 16, FIRST = 1024, LAST = 1536 };
    static const struct place there = {4, 5};
    uint32_t steps[2], count = 0;
    double before = until_bytes_are_acknowledged(there, 0, FIRST);
    (void)figure;
    for (uint32_t bytes = FIRST + STEP; bytes < LAST && count < 2; bytes += STEP) {
        double cycles = until_bytes_are_acknowledged(there, 0, bytes);
        if (cycles > before) {
            steps[count++] = bytes;
        }
        before = cycles;
    }
    return count == 2 ? steps[1] - steps[0] : 0;
}

/* A request and its acknowledgement together go round the ring of the columns, and round that of the rows if the tile
   is in another row as well. */
static double router(const struct documented_figure *figure)
{
    (void)figure;
    return (until_acknowledged((struct place){4, 5}, 0) - until_acknowledged((struct place){4, 2}, 0)) / RING_OF_ROWS;
}

/* Hops of both rings, of the router's cycles each. */
static double columns(const struct documented_figure *figure)
{
    return (until_acknowledged((struct place){4, 5}, 0) - until_acknowledged((struct place){1, 5}, 0)) / figure->number;
}

static double rows(const struct documented_figure *figure)
{
    return (until_acknowledged((struct place){4, 5}, 0) - until_acknowledged((struct place){4, 2}, 0)) / figure->number;
}

static double networks(const struct documented_figure *figure)
{
    unsigned count = 0;
    (void)figure;
    for (unsigned noc = 0; noc < 2; noc++) {
        count += until_acknowledged((struct place){4, 5}, noc) < LONGEST;
    }
    return count;
}

const struct documented_figure documented_noc[] = {
    {"D0249", flit, 0, 0, 0},  {"D0251", router, 0, 0, 0},   {"D0256a", columns, 0, 0, 9},
    {"D0256b", rows, 0, 0, 9}, {"D0258", networks, 0, 0, 0}, {0},
};
