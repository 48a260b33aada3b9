/* Random rows of vector instructions on a whole tile, in the ways in which kernels execute them: a core pushes them one
   by one in a loop, REPLAYs all of a recorded row or parts of it, in any order, records it anew in each round, or has a
   MOP do that. They execute until traces have set in. Afterwards the tile's LRegs, lane flags, stack, random
   numbers, LaneConfig and Dst are what one instruction after the other leaves on a coprocessor that stands alone.

   A program keeps to few opcodes and few LRegs, others for each one, so that it makes much of what these do to each
   other. Idioms of kernels stand in between: a condition with something in it, a result that the next instruction
   reads.

   BHEMU_ROWS=N runs N programs instead, BHEMU_SEED=N others. */
#include <stdio.h>
#include <stdlib.h>

#include "tile_rows.h"

#include "chip/device_state.h"
#include "chip/rv32_words.h"
#include "noc/coordinates.h"
#include "tensix/engine/engine.h"
#include "tensix/tensix_fixture.h"
#include "tensix/units/dispatch.h"
#include "util/host_vectors.h"
#include "util/sanitized.h"

enum { THREAD = 1, PROGRAMS = FEWER_IF_SANITIZED(12000), PATIENCE = 3, NOP_WORD = 0x02000000 };
enum { CODE = 0xa000, CODE_WORDS = 1024, ACTIONS = 40, WORDS_AT_MOST = 1500, TEXT_SIZE = 500, ROW = REPLAY_CAPACITY };

#define REPLAY_WORD(start, count, execute, load)                                                                       \
    (0x04000000u | (uint32_t)(start) << 14 | (uint32_t)(count) << 4 | (uint32_t)(execute) << 1 | (load))

/* What the core does in a round. */
struct action {
    enum { PUSH, PUSH_BY_STORE, RECORD, RECORD_AND_EXECUTE, RUN_MOP } kind;
    uint32_t word; /* the pushed word */
};

struct program {
    uint32_t row[ROW], count, start; /* the recorded row, and its place in the replay buffer */
    struct action actions[ACTIONS];
    uint32_t actions_count;
    uint32_t mop[9], mop_word;
    uint32_t rounds;
};

/* The instructions that a round expands to. */
struct round {
    uint32_t words[WORDS_AT_MOST], count;
};

static bool append(struct round *round, const struct program *program, uint32_t word)
{
    bool replays = word >> 24 == TENSIX_OPCODE_REPLAY;
    uint32_t count = replays ? word >> 4 & 0x3f : 1;
    const uint32_t *words = replays ? &program->row[(word >> 14 & 0x1f) - program->start] : &word;
    if (round->count + count > WORDS_AT_MOST) {
        return false;
    }
    memcpy(round->words + round->count, words, count * sizeof *words);
    round->count += count;
    return true;
}

/* Expands a MOP, with template 1 or 0 by mop_word (MOPExpander.md). */
static bool append_mop(struct round *round, const struct program *program)
{
    const uint32_t *mop = program->mop;
    bool fits = true;
    for (uint32_t i = 0; program->mop_word >> 23 & 1 && i < mop[0]; i++) {
        fits &= append(round, program, mop[2]);
        for (uint32_t j = 1; j < mop[1]; j++) {
            fits &= append(round, program, mop[5]);
        }
        fits &= append(round, program, i + 1 < mop[0] ? mop[8] : mop[7]) && append(round, program, mop[3]) &&
                append(round, program, mop[4]);
    }
    for (uint32_t i = 0; !(program->mop_word >> 23 & 1) && i <= (program->mop_word >> 16 & 0x7f); i++) {
        bool skips = program->mop_word >> i & 1; /* up to 16 */
        fits &= append(round, program, skips ? mop[7] : mop[3]);
        fits &= append(round, program, skips ? mop[8] : mop[2]);
    }
    return fits;
}

static bool expand(struct round *round, const struct program *program)
{
    bool fits = true;
    round->count = 0;
    for (uint32_t i = 0; i < program->actions_count; i++) {
        const struct action *action = &program->actions[i];
        switch (action->kind) {
        case PUSH:
        case PUSH_BY_STORE: fits &= append(round, program, action->word); break;
        case RECORD: break;
        case RECORD_AND_EXECUTE:
            fits &= append(round, program, REPLAY_WORD(program->start, program->count, 0, 0));
            break;
        case RUN_MOP: fits &= append_mop(round, program); break;
        }
    }
    return fits && round->count > 0;
}

/* Whether a round leaves the stack unchanged. */
static bool is_balanced(const struct round *round, uint32_t depth)
{
    uint32_t first_depth = depth;
    for (uint32_t i = 0; i < round->count; i++) {
        if (!follow_stack(round->words[i], &depth)) {
            return false;
        }
    }
    return depth == first_depth;
}

static uint32_t replay_of_part(const struct program *program)
{
    uint32_t from = one_in(3) ? 0 : below(program->count), count = 1 + below(program->count - from);
    return REPLAY_WORD(program->start + from, one_in(3) ? program->count - from : count, 0, 0);
}

static uint32_t replay_of_all(const struct program *program)
{
    return REPLAY_WORD(program->start, program->count, 0, 0);
}

static void add_action(struct program *program, struct action action)
{
    if (program->actions_count < ACTIONS) {
        program->actions[program->actions_count++] = action;
    }
}

static void choose_mop(struct program *program)
{
    program->mop_word = one_in(2) ? 0x01800000 : 0x01000000 | below(16) << 16 | (random_bits() & 0xffff);
    program->mop[0] = 1 + below(8);
    program->mop[1] = program->mop_word >> 23 & 1 ? 1 + below(4) : 1;
    for (unsigned i = 2; i < 9; i++) {
        uint32_t word = program->row[below(program->count)]; /* the MOP expander leaves NOPs out */
        program->mop[i] = one_in(2)                       ? replay_of_all(program)
                          : one_in(3) && word != NOP_WORD ? word
                                                          : replay_of_part(program);
    }
    program->mop[6] = NOP_WORD;
}

/* The way in which the core executes the row in each round. */
enum { WAYS = 7, REPLAY_ALL = 0 };
static void choose_actions(struct program *program, unsigned way)
{
    program->actions_count = 0;
    switch (way) {
    case 1: add_action(program, (struct action){one_in(2) ? RECORD : RECORD_AND_EXECUTE, 0}); break;
    case 2:
        choose_mop(program);
        add_action(program, (struct action){RUN_MOP, 0});
        return;
    case 3:
        for (uint32_t i = 0; i < program->count; i++) {
            add_action(program, (struct action){one_in(4) ? PUSH_BY_STORE : PUSH, program->row[i]});
        }
        return;
    case 4:
        for (uint32_t i = 2 + below(6); i--;) {
            uint32_t word = one_in(2) ? program->row[below(program->count)] : replay_of_part(program);
            add_action(program, (struct action){PUSH, word});
        }
        return;
    case 5:
        for (uint32_t i = 1 + below(4); i--;) {
            add_action(program, (struct action){PUSH, replay_of_part(program)});
        }
        return;
    default: break;
    }
    for (uint32_t i = 1 + below(3); i--;) {
        add_action(program, (struct action){PUSH, replay_of_all(program)});
    }
}

/* Returns the words of a round. */
static void choose_program(struct program *program, struct round *round, uint32_t depth)
{
    unsigned way = below(WAYS);
    memset(program, 0, sizeof *program);
    program->count = 1 + below(ROW);
    program->start = below(ROW + 1 - program->count);
    choose_row(program->row, program->count, depth);
    choose_actions(program, way);
    if (!expand(round, program) || !is_balanced(round, depth)) {
        choose_actions(program, REPLAY_ALL);
        assert_true(expand(round, program) && is_balanced(round, depth));
    }
    uint32_t executions = (PATIENCE + 20 + below(20)) * program->count / round->count;
    program->rounds = 4 + (executions < 60 ? executions : 60);
}

/* RISC-V code: T0 counts rounds, T1 is the value to store, T2 has the address of the FIFO, S1 that of the MOP
   configuration. */
struct code {
    uint32_t words[CODE_WORDS], count;
};

static void emit(struct code *code, uint32_t word)
{
    assert_true(code->count < CODE_WORDS);
    code->words[code->count++] = word;
}

static void emit_number(struct code *code, unsigned rd, uint32_t number)
{
    emit(code, lui(rd, number + 0x800));
    emit(code, addi(rd, rd, (int32_t)(number << 20) >> 20));
}

static void emit_push(struct code *code, uint32_t word)
{
    emit(code, word << 2 | word >> 30);
}

static void emit_load(struct code *code, const struct program *program, uint32_t execute)
{
    emit_push(code, REPLAY_WORD(program->start, program->count, execute, 1));
    for (uint32_t i = 0; i < program->count; i++) {
        emit_push(code, program->row[i]);
    }
}

static void emit_action(struct code *code, const struct program *program, const struct action *action)
{
    switch (action->kind) {
    case PUSH: emit_push(code, action->word); break;
    case PUSH_BY_STORE:
        emit_number(code, T1, action->word);
        emit(code, sw(T1, T2, 0));
        break;
    case RECORD:
    case RECORD_AND_EXECUTE: emit_load(code, program, action->kind == RECORD_AND_EXECUTE); break;
    case RUN_MOP: emit_push(code, program->mop_word); break;
    }
}

static void assemble(struct code *code, const struct program *program)
{
    code->count = 0;
    emit_number(code, T2, 0xffe40000);
    emit_number(code, S1, 0xffb80000);
    for (unsigned i = 0; i < 9; i++) {
        emit_number(code, T1, program->mop[i]);
        emit(code, sw(T1, S1, 4 * i));
    }
    emit_load(code, program, 0);
    emit_number(code, T0, program->rounds);
    uint32_t loop = code->count;
    for (uint32_t i = 0; i < program->actions_count; i++) {
        emit_action(code, program, &program->actions[i]);
    }
    emit(code, addi(T0, T0, -1));
    emit(code, bne(T0, 0, 4 * ((int32_t)loop - (int32_t)code->count)));
    emit(code, SELF_JUMP);
}

static uint32_t random_datum(void)
{
    uint32_t word = random_bits();
    switch (below(4)) {
    case 0: return (word & 0x807fffff) | (118 + below(20)) << 23;
    case 1: return (uint32_t)((int32_t)word >> below(32));
    case 2: return below(4) << 30;
    default: return word;
    }
}

/* The initial state of both. No other state affects the execution. */
static void choose_state(struct tensix_state *state)
{
    struct vector_unit *vector = &state->vector;
    tensix_reset(state);
    for (unsigned lreg = 0; lreg < SFPU_LREGS; lreg++) {
        bool settable = lreg < LREG_WRITABLE || (lreg >= 11 && lreg < 15), same = one_in(4);
        for (unsigned lane = 0; settable && lane < SFPU_LANES; lane++) {
            vector->lreg[lreg][lane] = same && lane ? vector->lreg[lreg][0] : random_datum();
        }
    }
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        vector->prng[lane] = random_bits();
    }
    vector->use_lane_flags = one_in(4) ? 0 : ALL_LANES;
    vector->lane_flags = one_in(3) ? ALL_LANES : one_in(8) ? 0 : random_bits();
    vector->stack_depth = below(4);
    for (unsigned i = 0; i < vector->stack_depth; i++) {
        vector->stack[i] = (struct vector_flags){.use_lane_flags = vector->use_lane_flags,
                                                 .lane_flags = one_in(3) ? ALL_LANES : random_bits()};
    }
    for (unsigned mode = 0; mode < 8; mode++) {
        state->config.thread[THREAD][ADDR_MOD_DST_SEC0_DestIncr_ADDR32 + mode] =
            (uint16_t)(one_in(2) ? 0 : 2 * below(5));
    }
    for (unsigned row = 0; row < DST_ROWS; row++) {
        state->dst.valid[row] = !one_in(16);
        for (unsigned column = 0; column < ROW_COLUMNS; column += 2) {
            uint32_t cells = random_bits();
            memcpy(&state->dst.rows[row][column], &cells, sizeof cells);
        }
    }
}

static void copy_state(struct tensix_state *to, const struct tensix_state *from)
{
    to->vector = from->vector;
    to->dst = from->dst;
    memcpy(to->config.thread[THREAD], from->config.thread[THREAD], sizeof to->config.thread[THREAD]);
}

static bool is_same(const struct tensix_state *tile, const struct tensix_state *expected)
{
    const struct vector_unit *one = &tile->vector, *other = &expected->vector;
    bool same = one->use_lane_flags == other->use_lane_flags && one->lane_flags == other->lane_flags &&
                one->stack_depth == other->stack_depth && tile->addr.rwc[THREAD].dst == expected->addr.rwc[THREAD].dst;
    for (uint32_t i = 0; same && i < other->stack_depth; i++) {
        same = one->stack[i].use_lane_flags == other->stack[i].use_lane_flags &&
               one->stack[i].lane_flags == other->stack[i].lane_flags;
    }
    return same && memcmp(one->lreg, other->lreg, sizeof one->lreg) == 0 &&
           memcmp(one->prng, other->prng, sizeof one->prng) == 0 &&
           memcmp(one->lane_config, other->lane_config, sizeof one->lane_config) == 0 &&
           memcmp(tile->dst.valid, expected->dst.valid, sizeof expected->dst.valid) == 0 &&
           memcmp(tile->dst.rows, expected->dst.rows, sizeof expected->dst.rows) == 0;
}

static void print_program(const struct program *program, unsigned number)
{
    print_message("# program %u: %u rounds of the row of %u at %u:", number, program->rounds, program->count,
                  program->start);
    for (uint32_t i = 0; i < program->count; i++) {
        print_message(" %08x", program->row[i]);
    }
    print_message("\n# each round:");
    for (uint32_t i = 0; i < program->actions_count; i++) {
        print_message(" %u:%08x", program->actions[i].kind, program->actions[i].word);
    }
    print_message("; MOP %08x:", program->mop_word);
    for (unsigned i = 0; i < 9; i++) {
        print_message(" %08x", program->mop[i]);
    }
    print_message("\n");
}

/* The instructions of all rounds, one after the other. */
static void execute_one_by_one(struct fixture *fixture, const struct program *program, const struct round *round)
{
    for (uint32_t i = 0; i < program->rounds; i++) {
        for (uint32_t k = 0; k < round->count; k++) {
            assert_int_equal(tensix_execute(&fixture->tensix, THREAD, round->words[k], 0), STEP_DONE);
        }
    }
}

static void run_on_tile(struct bh_device *device, unsigned number, const struct program *program,
                        const struct tensix_state *begin)
{
    static struct code code;
    struct tile *tile = &device->tiles[number];
    unsigned x, y;
    tensix_coordinates(number, &x, &y);
    assemble(&code, program);
    assert_int_equal(bh_write(device, x, y, CODE, code.words, code.count * sizeof *code.words), BH_OK);
    copy_state(&tile->state->tensix, begin);
    tile->tensix.engine->compiler.patience = PATIENCE;
    assert_int_equal(bh_core_start(device, x, y, BH_CORE_T1, CODE), BH_OK);
    assert_int_equal(bh_run(device, 10000000, NULL), BH_OK);
}

static void note_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    char *text = context;
    if (diagnostic->action == BH_STOP) {
        bh_diagnostic_format(diagnostic, text, TEXT_SIZE);
    }
}

static unsigned long number_from_environment(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoul(text, NULL, 0) : otherwise;
}

static void tiles_leave_what_instructions_one_by_one_leave(void **state)
{
    struct fixture *fixture = *state;
    struct bh_device *device = NULL;
    struct program program;
    struct round round;
    uint64_t compiled = 0;
    unsigned long programs = number_from_environment("BHEMU_ROWS", PROGRAMS);
    char text[TEXT_SIZE] = "";
    struct bh_device_config config = {.policy = BH_POLICY_SILICON, .on_diagnostic = note_diagnostic, .context = text};
    seed = number_from_environment("BHEMU_SEED", 1) * 0x9e3779b97f4a7c15;
    diagnostics_set_policy(&fixture->diagnostics, BH_POLICY_SILICON);
    for (unsigned long i = 0; i < programs; i++) {
        unsigned tile = (unsigned)(i % TENSIX_TILES);
        if (tile == 0) {
            bh_device_destroy(device);
            assert_int_equal(bh_device_create(&config, &device), BH_OK);
        }
        choose_state(&fixture->state);
        choose_program(&program, &round, fixture->state.vector.stack_depth);
        run_on_tile(device, tile, &program, &fixture->state);
        execute_one_by_one(fixture, &program, &round);
        assert_string_equal(text, "");
        if (!is_same(&device->tiles[tile].state->tensix, &fixture->state)) {
            print_program(&program, (unsigned)i);
            fail_msg("the tile has left something else");
        }
        compiled += device->tiles[tile].tensix.engine->compiler.used;
    }
    assert_true(compiled > 0 || !host_has_avx512());
    bh_device_destroy(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {FIXTURE_TEST(tiles_leave_what_instructions_one_by_one_leave)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
