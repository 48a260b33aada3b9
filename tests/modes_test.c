/* Random programs of all cores of several tiles, which synchronise what they share: they leave the same bits in both
   modes, and in timed mode they read the same clocks on any number of host threads, in any slices. */
#include <stdio.h>
#include <stdlib.h>

#include "bhemu/program.h"
#include "isa/rv32_isa.h"
#include "noc/fixture.h"
#include "util/xorshift.h"

#define TENSIX_INSTRUCTION_BUFFER ((volatile uint32_t *)0) /* where the header's TT_NAME() would push: unused */
#include "kernel/tensix.h"

enum {
    TILES = 12,
    CORES = 5,
    WORDS = 4096, /* of a program */
    PROGRAMS = 0x8000,
    PROGRAM_BYTES = 4 * WORDS,
    DATA = 0x20000, /* of each core */
    DATA_BYTES = 0x1000,
    MAIL = 0x30000, /* from each core that sends */
    MAIL_BYTES = 0x200,
    CONSTANTS = 0x40000,
    CONSTANT_BYTES = 0x1000,
    COUNTED = 0x41000, /* by atomic requests and instructions */
    FLAG = 0x41100,    /* from the tile before */
    RAISED = 0x41200,
    COMPARED = FLAG + 0x100 - DATA, /* bytes from DATA on */
    NOTES = 0x50000,                /* clocks, of each core; and what arrives in no certain order */
    NOTE_BYTES = 0x200,
    UNORDERED = 0x5f000,
    SEEDS = 12,
    CYCLES = 400000,
};
_Static_assert(PROGRAMS + CORES * PROGRAM_BYTES <= DATA, "programs are before data");

/* Registers of the programs: others hold random values. */
enum { X0, RA, SP, LOG, LEFT, TMP, AT, TMP2, BASE, LOCAL, FIRST, SYNC = 18, NIU = 19, LAST = 31 };

struct emitter {
    uint64_t random;
    uint32_t *words, count;
    unsigned tile, core, notes, transfers;
};

static uint32_t below(struct emitter *e, uint32_t limit)
{
    return xorshift64_word(&e->random) % limit;
}

static void put(struct emitter *e, uint32_t word)
{
    assert_true(e->count < WORDS);
    e->words[e->count++] = word;
}

static void put_i(struct emitter *e, enum rv32_op op, unsigned rd, unsigned rs1, uint32_t immediate)
{
    put(e, rv32_instructions[op].match | immediate << 20 | rs1 << 15 | rd << 7);
}

static void put_store(struct emitter *e, enum rv32_op op, unsigned value, unsigned base, uint32_t offset)
{
    put(e, rv32_instructions[op].match | (offset >> 5 & 0x7f) << 25 | value << 20 | base << 15 | (offset & 31) << 7);
}

static void put_branch(struct emitter *e, enum rv32_op op, unsigned one, unsigned other, int32_t words)
{
    uint32_t d = 4 * (uint32_t)words;
    put(e, rv32_instructions[op].match | (d >> 12 & 1) << 31 | (d >> 5 & 0x3f) << 25 | other << 20 | one << 15 |
               (d >> 1 & 0xf) << 8 | (d >> 11 & 1) << 7);
}

static void put_constant(struct emitter *e, unsigned rd, uint32_t value)
{
    put(e, rv32_instructions[RV32_OP_LUI].match | ((value + 0x800) & 0xfffff000) | rd << 7);
    put_i(e, RV32_OP_ADDI, rd, rd, value & 0xfff);
}

static void put_tensix(struct emitter *e, uint32_t word)
{
    put(e, word << 2 | word >> 30);
}

/* A register that may hold anything. */
static unsigned any(struct emitter *e)
{
    unsigned rd = FIRST + below(e, LAST + 1 - FIRST);
    return rd == SYNC || rd == NIU ? LAST : rd;
}

static bool computes(enum rv32_op op, bool floating)
{
    uint8_t format = rv32_instructions[op].format, extension = rv32_instructions[op].extension;
    if (format >= RV32_FORMAT_FR && format <= RV32_FORMAT_XTOF) { /* half precision wants operands of its own */
        return floating && extension == RV32_F;
    }
    return extension != RV32_INTERRUPT && format >= RV32_FORMAT_R && format <= RV32_FORMAT_SHIFT;
}

static void put_computation(struct emitter *e)
{
    enum rv32_op op;
    do {
        op = 1 + below(e, RV32_OP_TTINSN - 1);
    } while (!computes(op, e->core == BH_CORE_T2));
    uint32_t free_bits = (31u << 7 | 31u << 15 | 31u << 20 | 31u << 27) & ~rv32_instructions[op].mask;
    uint32_t operands = any(e) << 7 | any(e) << 15 | any(e) << 20;
    if (rv32_instructions[op].format == RV32_FORMAT_FR4) {
        operands |= any(e) << 27;
    }
    put(e, rv32_instructions[op].match | (operands & free_bits));
}

static unsigned memory(struct emitter *e)
{
    return below(e, 2) ? BASE : LOCAL;
}

static void put_access(struct emitter *e)
{
    static const struct {
        enum rv32_op op;
        unsigned bytes;
    } loads[] = {{RV32_OP_LB, 1}, {RV32_OP_LBU, 1}, {RV32_OP_LH, 2}, {RV32_OP_LHU, 2}, {RV32_OP_LW, 4}},
      stores[] = {{RV32_OP_SB, 1}, {RV32_OP_SH, 2}, {RV32_OP_SW, 4}};
    uint32_t near = below(e, 4) ? 64 : 0x7e0; /* often the same lines */
    if (below(e, 2)) {
        unsigned i = below(e, 5);
        put_i(e, loads[i].op, any(e), memory(e), below(e, near) & ~(loads[i].bytes - 1));
    } else {
        unsigned i = below(e, 3);
        put_store(e, stores[i].op, any(e), memory(e), below(e, near) & ~(stores[i].bytes - 1));
    }
}

static void put_atomic(struct emitter *e)
{
    static const enum rv32_op ops[] = {RV32_OP_AMOADD_W, RV32_OP_AMOSWAP_W, RV32_OP_AMOXOR_W,  RV32_OP_AMOOR_W,
                                       RV32_OP_AMOAND_W, RV32_OP_AMOMIN_W,  RV32_OP_AMOMAXU_W, RV32_OP_AMOMINU_W};
    put_i(e, RV32_OP_ADDI, AT, BASE, below(e, 0x7e0) & ~3u);
    put(e, rv32_instructions[ops[below(e, 8)]].match | any(e) << 20 | AT << 15 | any(e) << 7);
}

static void put_forward_branch(struct emitter *e)
{
    put_branch(e, (enum rv32_op)(RV32_OP_BEQ + below(e, 6)), any(e), any(e), 2);
    put_computation(e);
}

/* The thread's own GPRs but for the first four; a counter that all three share. */
static void put_coprocessor(struct emitter *e)
{
    unsigned a = 4 + below(e, 60), b = 4 + below(e, 60), to = 4 + below(e, 60), constant = below(e, 2);
    switch (below(e, 9)) {
    case 0: put_tensix(e, TT_OP_ADDDMAREG(constant, to, b, a)); return;
    case 1: put_tensix(e, TT_OP_SUBDMAREG(constant, to, b, a)); return;
    case 2: put_tensix(e, TT_OP_MULDMAREG(constant, to, b, a)); return;
    case 3: put_tensix(e, TT_OP_BITWOPDMAREG(constant, below(e, 3), to, b, a)); return;
    case 4: put_tensix(e, TT_OP_SHIFTDMAREG(constant, below(e, 2), to, b, a)); return;
    case 5: put_tensix(e, TT_OP_CMPDMAREG(constant, below(e, 3), to, b, a)); return;
    case 6: put_tensix(e, TT_OP_SETDMAREG(0, below(e, 0x4000), 0, 8 + below(e, 120))); return;
    case 7: put_tensix(e, TT_OP_STALLWAIT(0x1ff, 1)); return;
    default: /* the counter's address in units of 16 bytes; what it was is known to nobody */
        put_tensix(e, TT_OP_SETDMAREG(COUNTED / 16 >> 14, COUNTED / 16 & 0x3fff, 0, 0));
        put_tensix(e, TT_OP_SETDMAREG(0, 0, 0, 1));
        put_tensix(e, TT_OP_SETDMAREG(0, 1 + below(e, 100), 0, 2));
        put_tensix(e, TT_OP_SETDMAREG(0, 0, 0, 3));
        put_tensix(e, TT_OP_ATINCGET(1, 31, 1, 1, 0));
        put_tensix(e, TT_OP_STALLWAIT(0x1ff, 1));
        return;
    }
}

/* Waits until the thread's instructions are done, and takes over a register of its. */
static void put_result_of_coprocessor(struct emitter *e)
{
    put_store(e, RV32_OP_SW, X0, SYNC, 4);
    put_i(e, RV32_OP_LW, TMP, SYNC, 4);
    put_i(e, RV32_OP_ADDI, TMP, TMP, 0);
    put_constant(e, TMP, 0xFFE00000);
    put_i(e, RV32_OP_LW, any(e), TMP, 4 * (4 + below(e, 60)));
}

static unsigned tile_x(unsigned tile)
{
    return 1 + tile % 4 * 2;
}

static unsigned tile_y(unsigned tile)
{
    return 2 + tile / 4 * 3;
}

static void put_niu(struct emitter *e, unsigned index, uint32_t value)
{
    put_constant(e, TMP, value);
    put_store(e, RV32_OP_SW, TMP, NIU, 4 * index);
}

/* Starts a request, and mostly waits for its end. */
static void put_request(struct emitter *e, const struct command *command)
{
    put_niu(e, NOC_TARG_ADDR_LO, (uint32_t)command->target);
    put_niu(e, NOC_TARG_ADDR_HI, command->target_at);
    put_niu(e, NOC_RET_ADDR_LO, (uint32_t)command->back);
    put_niu(e, NOC_RET_ADDR_HI, command->back_at);
    put_niu(e, NOC_CTRL, command->ctrl);
    put_niu(e, NOC_AT_LEN_BE, (uint32_t)command->length);
    put_niu(e, NOC_AT_DATA, command->data);
    put_niu(e, NOC_CMD_CTRL, 1);
    put_i(e, RV32_OP_LW, TMP, NIU, 4 * NOC_CMD_CTRL);
    put_branch(e, RV32_OP_BNE, TMP, X0, -1);
}

static void put_wait_for_requests(struct emitter *e)
{
    put_i(e, RV32_OP_LW, TMP, NIU, NIU_COUNTER + 4 * NIU_MST_REQS_OUTSTANDING_ID);
    put_branch(e, RV32_OP_BNE, TMP, X0, -1);
    put(e, rv32_instructions[RV32_OP_FENCE].match | 0xff << 20);
}

static uint32_t own_data(const struct emitter *e)
{
    return DATA + DATA_BYTES * e->core;
}

/* Each core that sends has a place of its own in each tile, of which it writes another part each time. */
static struct command random_request(struct emitter *e)
{
    unsigned other = below(e, TILES), noc = e->core == BH_CORE_NC;
    uint32_t here = at(tile_x(e->tile), tile_y(e->tile)), there = at(tile_x(other), tile_y(other));
    uint32_t mail = MAIL + MAIL_BYTES * (2 * e->tile + noc), own = own_data(e) + 64 * below(e, 16);
    uint32_t length = 64 + 64 * below(e, 7);
    switch (below(e, 3)) {
    case 0:
        return (struct command){.target = own,
                                .target_at = here,
                                .back = mail,
                                .back_at = there,
                                .ctrl = CMD_WRITE | CMD_READ,
                                .length = length};
    case 1:
        return (struct command){.target = CONSTANTS + 64 * below(e, 32),
                                .target_at = there,
                                .back = own,
                                .back_at = here,
                                .ctrl = CMD_READ,
                                .length = length};
    default:
        return (struct command){.target = COUNTED,
                                .target_at = there,
                                .back = UNORDERED + 64 * noc,
                                .back_at = here,
                                .ctrl = CMD_ATOMIC | CMD_READ,
                                .length = 0x1000 | 31 << 2,
                                .data = 1 + below(e, 100)};
    }
}

static void put_transfers(struct emitter *e)
{
    struct command command = random_request(e);
    put_request(e, &command);
    put_wait_for_requests(e);
}

static void put_note(struct emitter *e)
{
    assert_true(e->notes < NOTE_BYTES / 4);
    put_constant(e, TMP, 0xFFB121F0);
    put_i(e, RV32_OP_LW, TMP2, TMP, 0);
    put_store(e, RV32_OP_SW, TMP2, LOG, 4 * e->notes++);
}

/* A loop of random instructions. */
static void put_block(struct emitter *e)
{
    bool pushes = e->core != BH_CORE_B && e->core != BH_CORE_NC;
    put_i(e, RV32_OP_ADDI, LEFT, X0, 1 + below(e, 12));
    uint32_t top = e->count;
    for (unsigned n = 4 + below(e, 24); n; n--) {
        switch (below(e, 12)) {
        case 0: put_forward_branch(e); break;
        case 1: put_atomic(e); break;
        case 2:
        case 3:
        case 4: put_access(e); break;
        case 5:
        case 6: pushes ? put_coprocessor(e) : put_computation(e); break;
        default: put_computation(e); break;
        }
    }
    put_i(e, RV32_OP_ADDI, LEFT, LEFT, 0xfff);
    put_branch(e, RV32_OP_BNE, LEFT, X0, (int32_t)top - (int32_t)e->count);
    put_note(e);
    if (pushes) {
        put_result_of_coprocessor(e);
    } else if (below(e, 2)) {
        put_transfers(e);
    }
}

/* B of each tile waits for B of the one before it, takes over what that has sent, and sends to the next one. */
static void put_ring(struct emitter *e)
{
    unsigned before = (e->tile + TILES - 1) % TILES, next = (e->tile + 1) % TILES;
    uint32_t here = at(tile_x(e->tile), tile_y(e->tile)), there = at(tile_x(next), tile_y(next));
    if (e->tile) {
        put_constant(e, AT, FLAG);
        put(e, rv32_instructions[RV32_OP_FENCE].match | 0xff << 20);
        put_i(e, RV32_OP_LW, TMP, AT, 0);
        put_branch(e, RV32_OP_BEQ, TMP, X0, -2);
        put_constant(e, AT, MAIL + MAIL_BYTES * 2 * before);
        for (unsigned i = 0; i < 8; i++) {
            put_i(e, RV32_OP_LW, TMP, AT, 4 * i);
            put_store(e, RV32_OP_SW, TMP, BASE, 4 * i);
        }
        put(e, rv32_instructions[RV32_OP_FENCE].match | 0xff << 20);
        put_i(e, RV32_OP_LW, TMP, BASE, 28);
    }
    const struct command data = {.target = own_data(e),
                                 .target_at = here,
                                 .back = MAIL + MAIL_BYTES * 2 * e->tile,
                                 .back_at = there,
                                 .ctrl = CMD_WRITE | CMD_READ,
                                 .length = 64},
                         flag = {.target = RAISED,
                                 .target_at = here,
                                 .back = FLAG,
                                 .back_at = there,
                                 .ctrl = CMD_WRITE | CMD_READ,
                                 .length = 64};
    put_request(e, &data);
    put_wait_for_requests(e);
    put_request(e, &flag);
    put_wait_for_requests(e);
}

static void put_program(struct emitter *e)
{
    put_constant(e, BASE, own_data(e));
    put_constant(e, LOCAL, 0xFFB00000);
    put_constant(e, LOG, NOTES + NOTE_BYTES * e->core);
    put_constant(e, SYNC, 0xFFE80000);
    put_constant(e, NIU, 0xFFB20000 + 0x10000 * (e->core == BH_CORE_NC));
    for (unsigned i = FIRST; i <= LAST; i++) {
        if (i != SYNC && i != NIU) {
            put_constant(e, i, xorshift64_word(&e->random) >> below(e, 32));
        }
    }
    for (unsigned i = 0; e->core == BH_CORE_T2 && i < 32; i++) {
        put(e, rv32_instructions[RV32_OP_FMV_W_X].match | any(e) << 15 | i << 7);
    }
    for (unsigned n = 3 + below(e, 8); n; n--) {
        put_block(e);
    }
    for (unsigned i = FIRST; i <= LAST; i++) {
        put_store(e, RV32_OP_SW, i, BASE, 0x7e0 + 4 * (i - FIRST) - 0x60);
    }
    put(e, rv32_instructions[RV32_OP_FENCE].match | 0xff << 20);
    put_i(e, RV32_OP_LW, TMP, BASE, 0x7dc);
    if (e->core == BH_CORE_B) {
        put_ring(e);
    }
    put_note(e);
    put(e, 0x6f);
}

static void load_tile(struct fixture *fixture, unsigned tile, uint64_t seed)
{
    static uint32_t words[WORDS];
    unsigned x = tile_x(tile), y = tile_y(tile);
    fill(fixture, x, y, DATA, CORES * DATA_BYTES, (uint32_t)seed + tile);
    fill(fixture, x, y, CONSTANTS, CONSTANT_BYTES, (uint32_t)seed * 7 + tile);
    put_word(fixture, x, y, RAISED, 1);
    for (unsigned core = 0; core < CORES; core++) {
        struct emitter e = {.random = (seed * TILES + tile) * CORES + core + UINT64_C(0x9e3779b97f4a7c15),
                            .words = words,
                            .tile = tile,
                            .core = core};
        put_program(&e);
        uint32_t pc = PROGRAMS + PROGRAM_BYTES * core;
        assert_int_equal(bh_write(fixture->device, x, y, pc, words, e.count * 4), BH_OK);
        assert_int_equal(bh_core_start(fixture->device, x, y, (enum bh_core)core, pc), BH_OK);
    }
}

struct way {
    enum bh_mode mode;
    unsigned threads;
    uint64_t slice; /* 0: of random length */
    bool advances;
};

struct outcome {
    uint8_t bits[TILES][COMPARED];
    uint8_t clocks[TILES][CORES * NOTE_BYTES];
};

static void run(uint64_t seed, const struct way *way, struct outcome *outcome)
{
    struct fixture fixture = {0};
    struct bh_device_config config = {
        .mode = way->mode, .threads = way->threads, .on_diagnostic = on_diagnostic, .context = &fixture};
    uint64_t random = seed + 1;
    assert_int_equal(bh_device_create(&config, &fixture.device), BH_OK);
    for (unsigned tile = 0; tile < TILES; tile++) {
        load_tile(&fixture, tile, seed);
    }
    struct bh_run_result result = {0};
    while (result.reason != BH_RAN_IDLE && bh_clock(fixture.device) < CYCLES) {
        uint64_t slice = way->slice ? way->slice : 1 + xorshift64(&random) % 300;
        if (way->advances) {
            result.reason = bh_advance(fixture.device, slice);
        } else {
            (void)bh_run(fixture.device, slice, &result);
        }
        if (fixture.diagnostics) {
            fail_msg("seed %u: %s", (unsigned)seed, fixture.last.text);
        }
    }
    for (unsigned tile = 0; tile < TILES; tile++) {
        assert_int_equal(
            bh_read(fixture.device, tile_x(tile), tile_y(tile), DATA, outcome->bits[tile], sizeof outcome->bits[tile]),
            BH_OK);
        assert_int_equal(bh_read(fixture.device, tile_x(tile), tile_y(tile), NOTES, outcome->clocks[tile],
                                 sizeof outcome->clocks[tile]),
                         BH_OK);
    }
    bh_device_destroy(fixture.device);
}

static void check(uint64_t seed, const struct way *ways, unsigned count)
{
    struct outcome *expected = calloc(2, sizeof *expected), *other = expected + 1;
    run(seed, &ways[0], expected);
    for (unsigned i = 1; i < count; i++) {
        memset(other, 0, sizeof *other);
        run(seed, &ways[i], other);
        for (unsigned tile = 0; tile < TILES; tile++) {
            if (memcmp(other->bits[tile], expected->bits[tile], COMPARED) != 0) {
                fail_msg("seed %u, way %u: tile %u has other bits", (unsigned)seed, i, tile);
            }
            if (ways[0].mode == ways[i].mode &&
                memcmp(other->clocks[tile], expected->clocks[tile], sizeof other->clocks[tile]) != 0) {
                fail_msg("seed %u, way %u: tile %u read other clocks", (unsigned)seed, i, tile);
            }
        }
    }
    free(expected);
}

static uint64_t first_seed(void)
{
    const char *text = getenv("MODES_SEED");
    return text ? strtoull(text, NULL, 10) : 1;
}

static void both_modes_leave_the_same_bits(void **state)
{
    static const struct way ways[] = {{BH_MODE_FUNCTIONAL, 1, CYCLES, false}, {BH_MODE_TIMED, 1, CYCLES, false}};
    (void)state;
    for (uint64_t seed = first_seed(); seed < first_seed() + SEEDS; seed++) {
        check(seed, ways, sizeof ways / sizeof *ways);
    }
}

static void clocks_depend_neither_on_threads_nor_on_slices(void **state)
{
    static const struct way ways[] = {{BH_MODE_TIMED, 1, CYCLES, false}, {BH_MODE_TIMED, 2, 0, false},
                                      {BH_MODE_TIMED, 3, 1000, false},   {BH_MODE_TIMED, 8, CYCLES, false},
                                      {BH_MODE_TIMED, 1, 1, false},      {BH_MODE_TIMED, 1, 0, true}};
    (void)state;
    for (uint64_t seed = first_seed() + SEEDS; seed < first_seed() + SEEDS + SEEDS / 4; seed++) {
        check(seed, ways, sizeof ways / sizeof *ways);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_modes_leave_the_same_bits),
        cmocka_unit_test(clocks_depend_neither_on_threads_nor_on_slices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
