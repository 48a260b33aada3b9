/* STREAMWAIT, as chapter "config sync instructions" and the ISA documentation's STREAMWAIT.md state it. */
#include "tensix/tensix_fixture.h"

enum { PHASE = 0, MESSAGES = 1, BLOCK_SYNC = 1 << 1, BLOCK_THCON = 1 << 5, BLOCK_MATH = 1 << 6, BLOCK_CFG = 1 << 7 };

#define STREAMWAIT(block, target, condition, select)                                                                   \
    ((uint32_t)TENSIX_OPCODE_STREAMWAIT << 24 | (uint32_t)(block) << 15 | (target) << 4 | (condition) << 3 | (select))
#define SETDMAREG(half, value) ((uint32_t)TENSIX_OPCODE_SETDMAREG << 24 | (uint32_t)(value) << 8 | (half))
#define SETC16(word, value) ((uint32_t)TENSIX_OPCODE_SETC16 << 24 | (uint32_t)(word) << 16 | (value))
#define INCRWC(d) ((uint32_t)TENSIX_OPCODE_INCRWC << 24 | (uint32_t)(d) << 14)

/* Streams whose two registers a test moves. */
struct streams {
    uint32_t phase[64], messages[64];
};

static enum step load(void *context, uint32_t address, uint32_t *value)
{
    struct streams *streams = context;
    unsigned stream = (address - 0xffb40000) >> 12, index = address % 0x1000 / 4;
    assert_true(stream < 64);
    *value = index < 256 ? streams->phase[stream] : streams->messages[stream];
    return STEP_DONE;
}

static struct streams *connect(struct fixture *f)
{
    static struct streams streams;
    memset(&streams, 0, sizeof streams);
    f->tensix.bus = (struct tensix_bus){.context = &streams, .load = load};
    return &streams;
}

static void push(struct fixture *f, unsigned thread, uint32_t word)
{
    assert_int_equal(frontend_push(&f->tensix, thread, word, 0, false), STEP_DONE);
}

/* Whether a SETDMAREG behind the wait has executed. */
static bool passed(struct fixture *f, unsigned thread)
{
    tensix_drain(&f->tensix);
    assert_int_equal(f->diagnostics.count, 0);
    return f->state.scalar.gpr[thread][0] == 1;
}

static void waits_until_the_stream_reaches_the_target(void **state)
{
    struct fixture *f = *state;
    struct streams *streams = connect(f);
    for (unsigned condition = 0; condition < 2; condition++) {
        for (unsigned select = 0; select < 4; select++) {
            unsigned stream = 20 + 4 * condition + select;
            uint32_t *watched = condition == PHASE ? streams->phase : streams->messages;
            uint32_t *other = condition == PHASE ? streams->messages : streams->phase;
            f->state.scalar.gpr[1][0] = 0;
            push(f, 1, SETC16(STREAM_ID_SYNC_SEC0_BankSel_ADDR32 + select, stream));
            push(f, 1, STREAMWAIT(BLOCK_THCON, 10, condition, select));
            push(f, 1, SETDMAREG(0, 1));
            assert_false(passed(f, 1));
            watched[stream] = 9;
            other[stream] = 100;
            watched[stream + 1] = 100;
            assert_false(passed(f, 1));
            watched[stream] = 10;
            assert_true(passed(f, 1));
            watched[stream + 1] = 0;
        }
    }
}

static void high_bits_of_the_target_come_from_the_threads_configuration(void **state)
{
    struct fixture *f = *state;
    struct streams *streams = connect(f);
    push(f, 0, SETC16(STREAMWAIT_PHASE_HI_Val_ADDR32, 0x155));
    push(f, 0, SETC16(STREAMWAIT_NUM_MSGS_HI_Val_ADDR32, 0x2a));
    push(f, 2, SETC16(STREAMWAIT_PHASE_HI_Val_ADDR32, 0));
    push(f, 0, STREAMWAIT(BLOCK_THCON, 0x3ff, PHASE, 0));
    push(f, 0, SETDMAREG(0, 1));
    streams->phase[0] = (0x155 << 10 | 0x3ff) - 1;
    assert_false(passed(f, 0));
    streams->phase[0]++;
    assert_true(passed(f, 0));
    f->state.scalar.gpr[0][0] = 0;
    push(f, 0, STREAMWAIT(BLOCK_THCON, 1, MESSAGES, 0));
    push(f, 0, SETDMAREG(0, 1));
    streams->messages[0] = 0x2a << 10;
    assert_false(passed(f, 0));
    streams->messages[0]++;
    assert_true(passed(f, 0));
}

/* The target is taken when the wait is latched, the stream is read each time. */
static void other_classes_pass_until_the_first_blocked_instruction(void **state)
{
    struct fixture *f = *state;
    struct streams *streams = connect(f);
    push(f, 1, STREAMWAIT(BLOCK_THCON, 5, PHASE, 0));
    push(f, 1, SETC16(1, 7));
    push(f, 1, INCRWC(3));
    push(f, 1, SETDMAREG(0, 1));
    push(f, 1, SETC16(1, 8));
    assert_false(passed(f, 1));
    assert_int_equal(f->state.config.thread[1][1], 7);
    assert_int_equal(f->state.addr.rwc[1].dst, 3);
    streams->phase[0] = 6;
    assert_true(passed(f, 1));
    assert_int_equal(f->state.config.thread[1][1], 8);
}

static void an_empty_block_mask_blocks_the_matrix_unit(void **state)
{
    struct fixture *f = *state;
    struct streams *streams = connect(f);
    push(f, 1, STREAMWAIT(0, 5, PHASE, 0));
    push(f, 1, SETDMAREG(0, 1));
    push(f, 1, INCRWC(3));
    assert_true(passed(f, 1));
    assert_int_equal(f->state.addr.rwc[1].dst, 0);
    streams->phase[0] = 5;
    tensix_drain(&f->tensix);
    assert_int_equal(f->state.addr.rwc[1].dst, 3);
}

static void a_condition_that_is_met_at_once_holds_nothing(void **state)
{
    struct fixture *f = *state;
    struct streams *streams = connect(f);
    streams->messages[0] = 1;
    push(f, 2, STREAMWAIT(0x1ff, 1, MESSAGES, 0));
    push(f, 2, STREAMWAIT(0x1ff, 0, PHASE, 0));
    push(f, 2, SETDMAREG(0, 1));
    assert_true(passed(f, 2));
}

static void a_second_wait_waits_for_the_first(void **state)
{
    struct fixture *f = *state;
    struct streams *streams = connect(f);
    push(f, 0, STREAMWAIT(BLOCK_CFG, 2, PHASE, 0));
    push(f, 0, STREAMWAIT(BLOCK_THCON, 1, MESSAGES, 0));
    push(f, 0, SETDMAREG(0, 1));
    streams->messages[0] = 1;
    assert_false(passed(f, 0));
    streams->phase[0] = 2;
    assert_true(passed(f, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(waits_until_the_stream_reaches_the_target),
        FIXTURE_TEST(high_bits_of_the_target_come_from_the_threads_configuration),
        FIXTURE_TEST(other_classes_pass_until_the_first_blocked_instruction),
        FIXTURE_TEST(an_empty_block_mask_blocks_the_matrix_unit),
        FIXTURE_TEST(a_condition_that_is_met_at_once_holds_nothing),
        FIXTURE_TEST(a_second_wait_waits_for_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
