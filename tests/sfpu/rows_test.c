/* Random rows of vector instructions out of a replay buffer, again and again until they are compiled, and each
   compiled execution verified by one of its instructions one by one (engine/verify.h). Rows are made of what
   traces have to take care of: results that the next instruction reads, that none reads, or that another
   replaces; flags that the next instructions go by; conditions that no lane meets, with enough work behind them for a
   jump; rounding, at random and not; sums and tables beside what needs registers; rows of which only a few instructions
   do anything. Skipped on hosts for which there is no generated code.

   BHEMU_ROWS=N runs N rows instead, BHEMU_SEED=N others. */
#include <stdio.h>
#include <stdlib.h>

#include "tensix/engine/fixture.h"
#include "tensix/units/dispatch.h"
#include "tensix/units/vector/parts.h"
#include "util/sanitized.h"

enum { THREAD = 1, ROWS = FEWER_IF_SANITIZED(20000), OPCODES = 256, OFTEN = 4, NOPS = 0x8f000000 };

#define REPLAY_WORD(start, count, load) (0x04000000u | (start) << 14 | ((count)&31) << 4 | (load))

/* The choices for an instruction of a row. Fields that are not in the mask are zero. */
struct choice {
    uint8_t opcode, weight;
    uint32_t mask;
};

static const struct choice choices[] = {
    {TENSIX_OPCODE_SFPIADD, 8, 0xffffff},    {TENSIX_OPCODE_SFPLOADI, 6, 0xffffff},
    {TENSIX_OPCODE_SFPMAD, 4, 0x0ffff3},     {TENSIX_OPCODE_SFPMUL, 2, 0x0ffff3},
    {TENSIX_OPCODE_SFPADD, 2, 0x0ffff3},     {TENSIX_OPCODE_SFPMULI, 2, 0xfffff2},
    {TENSIX_OPCODE_SFPADDI, 2, 0xfffff2},    {TENSIX_OPCODE_SFPSHFT, 4, 0xffffff},
    {TENSIX_OPCODE_SFPSHFT2, 6, 0xffffff},   {TENSIX_OPCODE_SFPARECIP, 4, 0x000fff},
    {TENSIX_OPCODE_SFPLZ, 5, 0x000fff},      {TENSIX_OPCODE_SFPABS, 2, 0x000fff},
    {TENSIX_OPCODE_SFPAND, 2, 0x00ffff},     {TENSIX_OPCODE_SFPOR, 2, 0x00ffff},
    {TENSIX_OPCODE_SFPXOR, 2, 0x000fff},     {TENSIX_OPCODE_SFPNOT, 2, 0x000fff},
    {TENSIX_OPCODE_SFPEXEXP, 4, 0x000fff},   {TENSIX_OPCODE_SFPEXMAN, 2, 0x000fff},
    {TENSIX_OPCODE_SFPSETEXP, 2, 0xffffff},  {TENSIX_OPCODE_SFPSETMAN, 2, 0xffffff},
    {TENSIX_OPCODE_SFPSETSGN, 2, 0xffffff},  {TENSIX_OPCODE_SFPDIVP2, 4, 0xffffff},
    {TENSIX_OPCODE_SFPSETCC, 4, 0x000fff},   {TENSIX_OPCODE_SFPENCC, 3, 0x003fff},
    {TENSIX_OPCODE_SFPCOMPC, 4, 0x000000},   {TENSIX_OPCODE_SFPPUSHC, 5, 0x000000},
    {TENSIX_OPCODE_SFPPOPC, 5, 0x000000},    {TENSIX_OPCODE_SFPLE, 4, 0x000fff},
    {TENSIX_OPCODE_SFPGT, 4, 0x000fff},      {TENSIX_OPCODE_SFPMOV, 4, 0x000fff},
    {TENSIX_OPCODE_SFPSWAP, 4, 0x000fff},    {TENSIX_OPCODE_SFPTRANSP, 3, 0x000000},
    {TENSIX_OPCODE_SFPCONFIG, 2, 0x0000f0},  {TENSIX_OPCODE_SFPLUT, 3, 0xf40000},
    {TENSIX_OPCODE_SFPLUTFP32, 3, 0x0000ff}, {TENSIX_OPCODE_SFP_STOCH_RND, 6, 0xffffff},
    {TENSIX_OPCODE_SFPCAST, 5, 0x000fff},    {TENSIX_OPCODE_SFPMUL24, 2, 0x0fffff},
    {TENSIX_OPCODE_SFPLOAD, 5, 0xffefff},    {TENSIX_OPCODE_SFPSTORE, 5, 0xffefff},
    {TENSIX_OPCODE_INCRWC, 2, 0x03ff00},     {TENSIX_OPCODE_SFPNOP, 3, 0x000000},
};

static const struct choice *choose(void)
{
    static unsigned total;
    if (!total) {
        for (unsigned i = 0; i < COUNT_OF(choices); i++) {
            total += choices[i].weight;
        }
    }
    unsigned i = 0, at = random_bits() % total;
    while (at >= choices[i].weight) {
        at -= choices[i++].weight;
    }
    return &choices[i];
}

/* How a row is made. */
struct shape {
    unsigned sparse;    /* one of `sparse` instructions is not SFPNOP */
    unsigned near;      /* one of `near` instructions reads the last result */
    unsigned registers; /* LRegs that instructions select from */
    unsigned narrow;    /* one of `narrow` instructions is a condition that few lanes meet, or none */
    unsigned same;      /* one of `same` instructions has the opcode of the one before */
};

static struct shape random_shape(void)
{
    static const uint8_t registers[] = {2, 4, 8, 16};
    return (struct shape){.sparse = one_in(4) ? 3 : 1,
                          .near = 1 + random_bits() % 4,
                          .registers = registers[random_bits() % COUNT_OF(registers)],
                          .narrow = 2 + random_bits() % 12,
                          .same = 2 + random_bits() % 12};
}

/* VD and VC of most instructions. */
enum { VD_SHIFT = 4, VC_SHIFT = 8, FIELD = 15 };

static uint32_t with_field(uint32_t word, unsigned shift, uint32_t value)
{
    return (word & ~(uint32_t)(FIELD << shift)) | value << shift;
}

/* Destinations are LReg[0..7] except for one in 20; sources are not changed. */
static uint32_t with_registers(const struct shape *shape, uint32_t word, uint32_t before)
{
    uint32_t opcode = word >> 24;
    bool loads = opcode == TENSIX_OPCODE_SFPLOAD || opcode == TENSIX_OPCODE_SFPSTORE ||
                 opcode == TENSIX_OPCODE_SFPLUT || opcode == TENSIX_OPCODE_SFPLOADI ||
                 opcode == TENSIX_OPCODE_SFPADDI || opcode == TENSIX_OPCODE_SFPMULI;
    if (opcode == TENSIX_OPCODE_SFPCONFIG) {
        return with_field(word, VD_SHIFT, 11 + random_bits() % 4);
    }
    unsigned destination = loads ? 20 : VD_SHIFT;
    if (!one_in(20) && opcode != TENSIX_OPCODE_INCRWC && opcode != TENSIX_OPCODE_SFPENCC) {
        word = with_field(word, destination, random_bits() % (shape->registers < 8 ? shape->registers : 8));
    }
    if (!loads && one_in(shape->near)) {
        word = with_field(word, VC_SHIFT, before >> VD_SHIFT & FIELD);
    }
    return word;
}

/* Selects modes that are defined and have an effect. */
static uint32_t with_mode(uint32_t word)
{
    uint32_t mode = word & FIELD;
    switch (word >> 24) {
    case TENSIX_OPCODE_SFPSHFT2: return (word & ~(uint32_t)FIELD) | random_bits() % 7;
    case TENSIX_OPCODE_SFP_STOCH_RND: return (word & ~(uint32_t)FIELD) | random_bits() % 8;
    case TENSIX_OPCODE_SFPCAST: return (word & ~(uint32_t)FIELD) | random_bits() % 4;
    case TENSIX_OPCODE_SFPSETCC: return one_in(8) ? word : word & ~(uint32_t)9;
    case TENSIX_OPCODE_SFPENCC: return one_in(2) ? 0x8a003000u | 10 : word;
    case TENSIX_OPCODE_SFPLZ:
    case TENSIX_OPCODE_SFPEXEXP: return one_in(2) ? (word & ~(uint32_t)FIELD) | (mode & 1) | 2 : word;
    case TENSIX_OPCODE_SFPLOADI: {
        static const uint8_t modes[] = {0, 1, 2, 4, 8, 10};
        return with_field(word, 16, modes[random_bits() % COUNT_OF(modes)]);
    }
    case TENSIX_OPCODE_SFPLUTFP32: return one_in(4) ? word : word & ~(uint32_t)8;
    default: return word;
    }
}

/* A condition that few lanes meet: a comparison with a constant register, or of an LReg with itself. */
static uint32_t narrow_condition(void)
{
    uint32_t lreg = random_bits() % 8;
    switch (random_bits() % 3) {
    case 0: return 0x7b000000u | lreg << VC_SHIFT | (one_in(2) ? 6 : 0);
    case 1: return 0x96000000u | (one_in(2) ? lreg : 9) << VC_SHIFT | lreg << VD_SHIFT | 1;
    default: return 0x97000000u | lreg << VC_SHIFT | (one_in(2) ? lreg : 10) << VD_SHIFT | 1;
    }
}

static void choose_row(uint32_t *words, uint32_t count)
{
    struct shape shape = random_shape();
    const struct choice *last = choose();
    uint32_t before = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (shape.sparse > 1 && !one_in(shape.sparse)) {
            words[i] = NOPS;
            continue;
        }
        last = one_in(shape.same) ? last : choose();
        uint32_t fields = random_bits() & last->mask & tensix_dispatch[last->opcode].fields;
        words[i] = one_in(shape.narrow)
                       ? narrow_condition()
                       : with_mode(with_registers(&shape, (uint32_t)last->opcode << 24 | fields, before));
        before = words[i];
    }
}

static uint32_t random_datum(void)
{
    static const uint32_t special[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                       0x7fc00000, 0xffffffff, 0x7fffffff, 1,          0x80000001, 0x007fffff,
                                       0x00800000, 0x7f7fffff, 0x40000000, 0x3f000000, 31,         0xffffffe0};
    uint32_t word = random_bits();
    switch (random_bits() % 5) {
    case 0: return special[word % COUNT_OF(special)];
    case 1: return (word & 0x807fffff) | (118 + random_bits() % 20) << 23;
    case 2: return (word & 0x80000000) | (word & 0x7fffffff) >> random_bits() % 32;
    default: return word;
    }
}

/* Sometimes an LReg has the same value in all lanes. */
static void randomize_lregs(struct vector_unit *vector)
{
    for (unsigned lreg = 0; lreg < SFPU_LREGS; lreg++) {
        bool settable = lreg < LREG_WRITABLE || (lreg >= 11 && lreg < 15), same = one_in(4);
        for (unsigned lane = 0; settable && lane < SFPU_LANES; lane++) {
            vector->lreg[lreg][lane] = same && lane ? vector->lreg[lreg][0] : random_datum();
        }
    }
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        vector->prng[lane] = random_bits();
    }
}

/* Mostly states in which rows are compiled. */
static void randomize_state(struct fixture *fixture)
{
    struct vector_unit *vector = vector_of(fixture);
    randomize_lregs(vector);
    vector->use_lane_flags = one_in(4) ? 0 : ALL_LANES;
    vector->lane_flags = one_in(4) ? ALL_LANES : one_in(8) ? 0 : random_bits();
    vector->stack_depth = random_bits() % (SFPU_STACK + 1);
    for (unsigned i = 0; i < SFPU_STACK; i++) {
        vector->stack[i] =
            (struct vector_flags){.use_lane_flags = one_in(8) ? ~vector->use_lane_flags : vector->use_lane_flags,
                                  .lane_flags = one_in(4) ? ALL_LANES : random_bits()};
    }
    set_lane_config(fixture, one_in(16) ? random_bits() & LANE_CONFIG_BITS & ~LANE_CONFIG_ENABLE_DEST_INDEX : 2);
    fixture->state.addr.rwc[THREAD].dst = (uint16_t)(random_bits() & (DST_ROWS - 1));
    for (unsigned mode = 0; mode < 8; mode++) {
        fixture->state.config.thread[THREAD][ADDR_MOD_DST_SEC0_DestIncr_ADDR32 + mode] =
            (uint16_t)(one_in(2) ? 0 : random_bits() % 9);
    }
    for (unsigned row = 0; row < DST_ROWS; row++) {
        fixture->state.dst.valid[row] = !one_in(16);
        for (unsigned column = 0; column < ROW_COLUMNS; column += 2) {
            uint32_t cells = random_bits();
            memcpy(&fixture->state.dst.rows[row][column], &cells, sizeof cells);
        }
    }
}

/* Continues after all diagnostics except internal errors. */
static void set_policies(struct fixture *fixture)
{
    for (unsigned i = 0; i < BH_CATEGORY_COUNT; i++) {
        fixture->diagnostics.policy[i] = i == BH_INTERNAL_ERROR ? BH_STOP : BH_IGNORE;
    }
}

static void replay(struct fixture *fixture, uint32_t start, uint32_t count)
{
    frontend_push(&fixture->tensix, THREAD, REPLAY_WORD(start, count, 0), 0, false);
    frontend_drain(&fixture->tensix, THREAD);
}

/* Repeats replays like a MOP of REPLAYs does. Returns the number of instructions. */
static uint64_t repeat(struct fixture *fixture, uint32_t start, uint32_t count)
{
    enum step step;
    const struct burst burst = {.words = fixture->state.frontend[THREAD].replay.words + start,
                                .length = count,
                                .times = 2 + random_bits() % 4,
                                .place = start};
    return engine_run(&fixture->tensix, THREAD, &burst, UINT32_MAX, &step);
}

static void check(const struct fixture *fixture, unsigned row)
{
    if (fixture->diagnostics.stopped) {
        fail_msg("row %u: %s", row, fixture->diagnostics.entries[0].text);
    }
}

/* A row of a few instructions at the given indices; the others are SFPNOP. */
struct kept_row {
    uint32_t start, count;
    struct {
        uint32_t place, word;
    } live[10];
};

/* Rows that once gave wrong LRegs. */
static const struct kept_row kept_rows[] = {
    /* Rounding that is not random, which leaves random numbers to be advanced, and a result with flags before a sum. */
    {0,
     8,
     {{0, 0x87000000},
      {2, 0x8a00300a},
      {3, 0x8e001772},
      {4, 0x88000000},
      {5, 0x77000612},
      {6, 0x78000160},
      {7, 0x8501a002}}},
    /* SFPSHFT2 that copies LRegs, with eleven constants or more. */
    {9,
     23,
     {{2, 0x7954a1fb},
      {3, 0x90000120},
      {4, 0x796df255},
      {5, 0x94210c22},
      {7, 0x99000220},
      {12, 0x71080e48},
      {19, 0x790d7775}}},
    {0, 12, {{3, 0x76034210}, {4, 0x99000050}, {5, 0x94c9ac21}, {7, 0x79089775}, {11, 0x76014d10}}},
    {4, 6, {{0, 0x89001661}, {1, 0x8209c641}, {2, 0x94000462}, {3, 0x820a8661}, {4, 0x76057640}, {5, 0x99000660}}},
};

static void load_row(struct fixture *fixture, const uint32_t *words, uint32_t start, uint32_t count)
{
    frontend_push(&fixture->tensix, THREAD, REPLAY_WORD(start, count, 1), 0, false);
    for (uint32_t i = 0; i < count; i++) {
        frontend_push(&fixture->tensix, THREAD, words[i], 0, false);
    }
}

static void run_kept_row(struct fixture *fixture, unsigned number)
{
    const struct kept_row *row = &kept_rows[number];
    uint32_t words[REPLAY_CAPACITY];
    for (uint32_t i = 0; i < row->count; i++) {
        words[i] = NOPS;
    }
    for (uint32_t i = 0; row->live[i].word; i++) {
        words[row->live[i].place] = row->live[i].word;
    }
    randomize_state(fixture);
    load_row(fixture, words, row->start, row->count);
    for (unsigned i = 0; i < OFTEN; i++) {
        replay(fixture, row->start, row->count);
        (void)repeat(fixture, row->start, row->count);
        check(fixture, number);
    }
}

/* Replays a row, and sometimes parts of it that begin later. */
static uint64_t run_row(struct fixture *fixture, unsigned row)
{
    uint32_t count = 3 + random_bits() % 30, start = random_bits() % REPLAY_CAPACITY, words[REPLAY_CAPACITY];
    uint64_t executed = 0;
    start = start + count > REPLAY_CAPACITY ? REPLAY_CAPACITY - count : start;
    choose_row(words, count);
    randomize_state(fixture);
    load_row(fixture, words, start, count);
    for (unsigned i = 0; i < OFTEN; i++) {
        uint32_t from = one_in(4) ? random_bits() % count : 0;
        replay(fixture, start + from, count - from);
        executed += count - from + repeat(fixture, start + from, count - from);
        check(fixture, row);
        if (one_in(2)) {
            randomize_lregs(vector_of(fixture));
        }
    }
    return executed;
}

static unsigned long number_from_environment(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 0) : otherwise;
}

static void begin(struct fixture *fixture)
{
#if !defined(__x86_64__) || !defined(__linux__)
    skip();
#endif
    if (!host_has_avx512()) {
        skip();
    }
    seed = number_from_environment("BHEMU_SEED", 0x5f9d);
    set_policies(fixture);
    fixture->tensix.engine->compiler.verifies = true;
    fixture->tensix.engine->compiler.patience = 1;
}

static void rows_that_went_wrong_are_right(void **state)
{
    enum { STATES = FEWER_IF_SANITIZED(200) };
    struct fixture *fixture = *state;
    begin(fixture);
    for (unsigned i = 0; i < STATES * COUNT_OF(kept_rows); i++) {
        run_kept_row(fixture, i % COUNT_OF(kept_rows));
    }
    assert_true(fixture->tensix.engine->compiler.verified > STATES);
    assert_int_equal(fixture->tensix.engine->compiler.refused, 0);
}

static void lowered_rows_do_what_their_instructions_do(void **state)
{
    struct fixture *fixture = *state;
    unsigned long rows = number_from_environment("BHEMU_ROWS", ROWS);
    uint64_t executed = 0;
    begin(fixture);
    for (unsigned row = 0; row < rows; row++) {
        executed += run_row(fixture, row);
    }
    assert_true(fixture->tensix.engine->compiler.verified > rows);
    assert_int_equal(fixture->tensix.engine->compiler.refused, 0);
    print_message("%lu rows, %llu instructions, of those %llu compiled and verified\n", rows,
                  (unsigned long long)executed, (unsigned long long)fixture->tensix.engine->compiler.verified);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_that_went_wrong_are_right, compiling_setup, compiling_teardown),
        cmocka_unit_test_setup_teardown(lowered_rows_do_what_their_instructions_do, compiling_setup,
                                        compiling_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
