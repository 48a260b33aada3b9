/* Runs of moves give the same result as single moves by units/matrix/move.c and units/matrix/clear.c, for every vector
   width of the host. */
#include "tensix/frontend/frontend.h"
#include "tensix/units/matrix/test_bench.h"

#include "tensix/units/matrix/move_plain.h"
#include "util/host_vectors.h"
#include "util/xorshift.h"

enum { ROUNDS = 16000, SETTLED = 16, MANY = 8 };

static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint32_t random32(void)
{
    return xorshift64_word(&random_state);
}

static bool one_in(uint32_t n)
{
    return random32() % n == 0;
}

/* Any data, including denormals. */
static void fill_source(struct src_register_file *src)
{
    uint32_t *data = &src->rows[0][0][0];
    for (unsigned i = 0; i < sizeof src->rows / sizeof *data; i++) {
        data[i] = random32() & (one_in(4) ? 0x807fe000 : 0xffffe000);
    }
}

/* Most groups of four rows of Dst are either all valid or all invalid. */
static void fill_registers(struct tensix_state *state)
{
    fill_source(&state->srca);
    fill_source(&state->srcb);
    for (unsigned row = 0; row < DST_ROWS; row++) {
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            state->dst.rows[row][column] = (uint16_t)random32();
        }
        state->dst.valid[row] = one_in(64) ? random32() & 1 : row >> 3 & 1;
    }
}

static void choose_settings(struct bench *bench)
{
    static const uint8_t formats[] = {FORMAT_BF16, FORMAT_BF16, FORMAT_BF16, FORMAT_BFP8,
                                      FORMAT_FP32, FORMAT_FP16, FORMAT_TF32, FORMAT_INT8};
    struct tensix_state *state = &bench->state;
    memset(&state->config, 0, sizeof state->config);
    SET_CONFIG(bench, ALU_FORMAT_SPEC_REG0_SrcA, formats[random32() % 8]);
    SET_CONFIG(bench, ALU_FORMAT_SPEC_REG1_SrcB, formats[random32() % 8]);
    SET_CONFIG(bench, ALU_ACC_CTRL_Fp32_enabled, one_in(4));
    SET_CONFIG(bench, ALU_ACC_CTRL_SFPU_Fp32_enabled, one_in(8));
    SET_CONFIG(bench, ALU_ACC_CTRL_INT8_math_enabled, one_in(16));
    SET_CONFIG(bench, ALU_ACC_CTRL_Zero_Flag_disabled_src, one_in(2));
    SET_CONFIG(bench, DEST_ACCESS_CFG_zeroacc_absolute_tile_mode, one_in(2));
    SET_CONFIG(bench, DEST_REGW_BASE_Base, one_in(2) ? random32() & 0x3ff : 0);
    SET_THREAD_CONFIG(bench, DEST_TARGET_REG_CFG_MATH_Offset, random32() & 0x3ff);
    SET_THREAD_CONFIG(bench, DISABLE_IMPLIED_SRCA_FMT_Base, !one_in(4));
    SET_THREAD_CONFIG(bench, DISABLE_IMPLIED_SRCB_FMT_Base, !one_in(4));
    SET_THREAD_CONFIG(bench, FP16A_FORCE_Enable, one_in(16));
    for (unsigned mode = 0; mode < 8; mode++) {
        uint16_t *config = state->config.thread[THREAD] + mode;
        config[ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32] = (uint16_t)(random32() & (one_in(4) ? 0xffff : 0xbfbf));
        config[ADDR_MOD_DST_SEC0_DestIncr_ADDR32] = (uint16_t)(random32() & (one_in(4) ? 0xffff : 0xebff));
        config[ADDR_MOD_BIAS_SEC0_BiasIncr_ADDR32] = one_in(8) ? 1 : 0;
    }
    set_format(bench, formats[random32() % 8]);
    state->srca.owner[0] = state->srcb.owner[0] = one_in(16) ? SRC_UNPACKERS : SRC_MATRIX_UNIT;
    state->dst.only_row32 = one_in(4);
    state->vector.lane_config[1] = state->vector.any_lane_config = one_in(8) ? LANE_CONFIG_BLOCK_DEST_MOV : 0;
    state->addr.rwc[THREAD] = (struct rwc){.srca = random32() & 63,
                                           .srca_cr = random32() & 63,
                                           .srcb = random32() & 63,
                                           .srcb_cr = random32() & 63,
                                           .dst = random32() & 1023,
                                           .dst_cr = random32() & 1023,
                                           .fidelity_phase = random32() & 3,
                                           .extra_addr_mod_bit = one_in(8)};
}

/* Executes the instruction by units/matrix/move.c. */
static enum step execute_any(struct bench *bench, uint32_t word)
{
    switch (word >> 24) {
    case TENSIX_OPCODE_MOVA2D: return execute_MOVA2D(&bench->tensix, THREAD, decode_MOVA2D(word));
    case TENSIX_OPCODE_MOVB2A: return execute_MOVB2A(&bench->tensix, THREAD, decode_MOVB2A(word));
    case TENSIX_OPCODE_MOVB2D: return execute_MOVB2D(&bench->tensix, THREAD, decode_MOVB2D(word));
    case TENSIX_OPCODE_MOVD2A: return execute_MOVD2A(&bench->tensix, THREAD, decode_MOVD2A(word));
    case TENSIX_OPCODE_MOVDBGA2D: return execute_MOVDBGA2D(&bench->tensix, THREAD, decode_MOVDBGA2D(word));
    case TENSIX_OPCODE_ZEROACC: return execute_ZEROACC(&bench->tensix, THREAD, decode_ZEROACC(word));
    default: return execute_MOVD2B(&bench->tensix, THREAD, decode_MOVD2B(word));
    }
}

/* One of the six moves, mostly of whole blocks without low half; or ZEROACC, mostly of sixteen rows. */
static uint32_t choose_word(void)
{
    static const struct {
        uint8_t opcode, shift, mask, block;
    } moves[] = {{TENSIX_OPCODE_MOVA2D, 12, 3, 2}, {TENSIX_OPCODE_MOVB2D, 11, 7, 4},
                 {TENSIX_OPCODE_MOVB2A, 12, 3, 2}, {TENSIX_OPCODE_MOVD2A, 12, 3, 2},
                 {TENSIX_OPCODE_MOVD2B, 12, 3, 2}, {TENSIX_OPCODE_MOVDBGA2D, 12, 3, 2},
                 {TENSIX_OPCODE_ZEROACC, 19, 3, 1}};
    unsigned i = random32() % 7;
    uint32_t mode = one_in(4) ? random32() & moves[i].mask : moves[i].block;
    uint32_t fields = (random32() & 0x007fc3ff) | mode << moves[i].shift;
    uint32_t word = (uint32_t)moves[i].opcode << 24 | fields | (uint32_t)one_in(8) << 23;
    const uint32_t nowhere_in_b2a = 0x00800fc0, nowhere_in_zeroacc = 0x00e00000, zero_flags = 1 << 17;
    if (moves[i].opcode == TENSIX_OPCODE_ZEROACC) {
        word = (word & ~(nowhere_in_zeroacc | 3 << 19)) | mode << 19;
        word &= one_in(4) ? UINT32_MAX : ~UINT32_C(0xc0); /* most blocks exist */
        return one_in(8) ? word : word & ~zero_flags;
    }
    return moves[i].opcode == TENSIX_OPCODE_MOVB2A ? word & ~nowhere_in_b2a : word;
}

static void assert_same(const struct bench *bench, const struct bench *other)
{
    assert_memory_equal(&bench->state.addr, &other->state.addr, sizeof bench->state.addr);
    assert_memory_equal(&bench->state.srca, &other->state.srca, sizeof bench->state.srca);
    assert_memory_equal(&bench->state.srcb, &other->state.srcb, sizeof bench->state.srcb);
    assert_memory_equal(&bench->state.dst, &other->state.dst, sizeof bench->state.dst);
    assert_int_equal(bench->state.matrix.last_srca_row, other->state.matrix.last_srca_row);
    assert_int_equal(bench->diagnostics.count, other->diagnostics.count);
}

/* Copies registers and settings to the second bench. */
static void settle(struct bench *bench, struct bench *other)
{
    fill_registers(&bench->state);
    choose_settings(bench);
    memcpy(&other->state, &bench->state, sizeof other->state);
    memcpy(&other->diagnostics, &bench->diagnostics, sizeof other->diagnostics);
}

static void plain_moves_are_moves(void **state)
{
    struct bench *bench = *state;
    void *copy;
    assert_int_equal(setup_bench(&copy), 0);
    struct bench *other = copy;
    const enum host_vectors host = host_vectors;
    diagnostics_set_policy(&bench->diagnostics, BH_POLICY_SILICON);
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (round % SETTLED == 0) {
            settle(bench, other);
            host_vectors = (enum host_vectors)(random32() % (host + 1));
        }
        uint32_t word = choose_word();
        bench->diagnostics.stopped = other->diagnostics.stopped = false;
        enum step expected = execute_any(other, word);
        assert_int_equal(tensix_execute(&bench->tensix, THREAD, word, 0), expected);
        assert_same(bench, other);
    }
    host_vectors = host;
    teardown_bench(&copy);
}

/* The fields of an instruction that name rows. */
static uint32_t rows_of_word(uint32_t word)
{
    return word >> 24 == TENSIX_OPCODE_MOVB2A ? 0x007e003f : word >> 24 == TENSIX_OPCODE_ZEROACC ? 0x3f : 0x007e03ff;
}

/* Words of a run, most of which differ from the first only in rows; or of two runs that take turns. */
static void choose_words(uint32_t words[], unsigned count)
{
    const uint32_t first = choose_word(), firsts[] = {first, one_in(2) ? choose_word() : first};
    const unsigned turn = 1 + random32() % 3;
    for (unsigned i = 0; i < count; i++) {
        const uint32_t like = firsts[i / turn % 2], rows = rows_of_word(like);
        words[i] = one_in(16) ? choose_word() : (like & ~rows) | (random32() & rows);
    }
}

/* matrix_run_moves() stops before an instruction that is not plain, and repeats plain ones. Its result is that of
   single instructions. */
static void moves_in_a_row_are_moves(void **state)
{
    struct bench *bench = *state;
    void *copy;
    assert_int_equal(setup_bench(&copy), 0);
    struct bench *other = copy;
    unsigned rows_of[MANY + 1] = {0};
    const enum host_vectors host = host_vectors;
    diagnostics_set_policy(&bench->diagnostics, BH_POLICY_SILICON);
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (round % SETTLED == 0) {
            settle(bench, other);
            host_vectors = host > HOST_VECTORS_V3 && one_in(4) ? HOST_VECTORS_V3 : host;
        }
        uint32_t words[MANY], count = 1 + random32() % MANY, times = one_in(4) ? 1 + random32() % 4 : 1;
        choose_words(words, count);
        uint32_t done = matrix_run_moves(&bench->tensix, THREAD, words, count, times);
        assert_true(done < count || done == count * times);
        for (uint32_t i = 0; i < done; i++) {
            assert_int_equal(execute_any(other, words[i % count]), STEP_DONE);
        }
        assert_same(bench, other);
        rows_of[done < count ? done : count]++;
    }
    host_vectors = host;
    for (unsigned count = 1; count <= MANY && host_vectors != HOST_VECTORS_BASIC; count++) {
        assert_int_not_equal(rows_of[count], 0);
    }
    teardown_bench(&copy);
}

/* Any of these or an instruction that changes counters, modes or banks. */
static uint32_t choose_any_word(uint32_t chosen)
{
    switch (random32() % 32) {
    case 0: return TENSIX_OPCODE_SETRWC << 24 | (random32() & (one_in(2) ? 0x00ffffff : 0x003fffff));
    case 1:
        return (uint32_t)TENSIX_OPCODE_SETC16 << 24 | ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32 << 16 | (random32() & 0x3f3f);
    case 2: return TENSIX_OPCODE_SETDVALID << 24 | (random32() & 3);
    default: return chosen;
    }
}

/* Executes words up to the first that waits. Returns the number executed. */
static uint32_t execute_until_wait(struct bench *bench, const uint32_t words[], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (tensix_execute(&bench->tensix, THREAD, words[i], 0) != STEP_DONE) {
            return i;
        }
    }
    return count;
}

/* A replay buffer in two REPLAYs. */
static void replayed_moves_are_moves(void **state)
{
    struct bench *bench = *state;
    void *copy;
    assert_int_equal(setup_bench(&copy), 0);
    struct bench *other = copy;
    diagnostics_set_policy(&bench->diagnostics, BH_POLICY_SILICON);
    for (unsigned round = 0; round < ROUNDS / SETTLED; round++) {
        struct frontend *frontend = &bench->state.frontend[THREAD];
        settle(bench, other);
        uint32_t words[REPLAY_CAPACITY], start = random32() % REPLAY_CAPACITY;
        choose_words(words, REPLAY_CAPACITY);
        frontend->replay = (struct replay_expander){.mode = REPLAY_EXECUTES, .index = start, .left = REPLAY_CAPACITY};
        for (unsigned i = 0; i < REPLAY_CAPACITY; i++) {
            words[i] = choose_any_word(words[i]);
            frontend->replay.words[(start + i) % REPLAY_CAPACITY] = words[i];
        }
        frontend->at_gate = false;
        frontend->passed = 0;
        uint32_t first = 1 + random32() % REPLAY_CAPACITY, done = execute_until_wait(other, words, first);
        frontend->replay.left = first;
        assert_int_equal(frontend_drain(&bench->tensix, THREAD), done);
        assert_same(bench, other);
        if (REPLAY_CAPACITY > first) {
            frontend->replay.left += REPLAY_CAPACITY - first;
            frontend->replay.mode = REPLAY_EXECUTES;
        }
        done += execute_until_wait(other, words + done, REPLAY_CAPACITY - done);
        frontend_drain(&bench->tensix, THREAD);
        assert_int_equal(frontend->passed, done);
        assert_int_equal(frontend_idle(frontend), done == REPLAY_CAPACITY);
        assert_int_equal(bench->diagnostics.now.instruction, words[done < REPLAY_CAPACITY ? done : done - 1]);
        assert_same(bench, other);
    }
    teardown_bench(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {BENCH_TEST(plain_moves_are_moves), BENCH_TEST(moves_in_a_row_are_moves),
                                       BENCH_TEST(replayed_moves_are_moves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
