/* A UNPACR that executes by a plan does what it does without one, for random settings of configuration and counters
   that change between instructions, so that plans become invalid; and plans are used. */
#include "tensix/units/unpack/fixture.h"

#include <string.h>

#include "tensix/units/unpack/plan.h"
#include "util/xorshift.h"

enum { PROGRAMS = 800, INSTRUCTIONS = 24 };

static uint64_t seed = 20261128;

static uint32_t random_bits(void)
{
    return xorshift64_word(&seed);
}

static bool one_in(unsigned n)
{
    return random_bits() % n == 0;
}

static enum data_format random_format(void)
{
    static const enum data_format formats[] = {FORMAT_FP32, FORMAT_TF32,  FORMAT_BF16, FORMAT_BF16,  FORMAT_FP16,
                                               FORMAT_BFP8, FORMAT_BFP4,  FORMAT_BFP2, FORMAT_BFP8A, FORMAT_INT8,
                                               FORMAT_FP8,  FORMAT_INT32, FORMAT_INT16};
    return formats[random_bits() % (sizeof formats / sizeof *formats)];
}

/* Both fixtures get the same. */
#define SET_BOTH(name, value)                                                                                          \
    do {                                                                                                               \
        uint32_t value_ = (value);                                                                                     \
        set(planned, name##_ADDR32, name##_SHAMT, name##_WIDTH, value_);                                               \
        set(plain, name##_ADDR32, name##_SHAMT, name##_WIDTH, value_);                                                 \
    } while (0)

static void change_config(struct fixture *planned, struct fixture *plain)
{
    switch (random_bits() % 16) {
    case 0: SET_BOTH(THCON_SEC0_REG2_Out_data_format, random_format()); break;
    case 1: {
        enum data_format in = random_format(), out = in == FORMAT_FP32 ? FORMAT_TF32 : in;
        set_formats(planned, in, out);
        set_formats(plain, in, out);
        break;
    }
    case 2: SET_BOTH(THCON_SEC0_REG3_Base_address, BASE / 16 + random_bits() % 64); break;
    case 3: SET_BOTH(THCON_SEC0_REG7_Offset_address, random_bits() % 4); break;
    case 4: SET_BOTH(UNP0_ADDR_CTRL_XY_REG_1_Ystride, random_bits() % 5 * 16); break;
    case 5: SET_BOTH(UNP0_ADDR_BASE_REG_1_Base, random_bits() % 4 * 64); break;
    case 6: SET_BOTH(UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr, random_bits() & 1); break;
    case 7: SET_BOTH(THCON_SEC0_REG5_Dest_cntx0_address, 48 + random_bits() % 3 * 16); break;
    case 8: SET_BOTH(THCON_SEC0_REG5_Tile_x_dim_cntx0, 16 << random_bits() % 5); break;
    case 9: SET_BOTH(THCON_SEC0_REG2_Haloize_mode, one_in(3)); break;
    case 10: SET_BOTH(THCON_SEC0_REG2_Upsample_rate, one_in(3)); break;
    case 11: SET_BOTH(THCON_SEC0_REG2_Shift_amount_cntx0, one_in(3)); break;
    case 12: SET_BOTH(THCON_SEC0_REG2_Force_shared_exp, one_in(3)); break;
    case 13: SET_BOTH(THCON_SEC0_REG2_Unpack_if_sel_cntx0, one_in(3)); break;
    case 14: SET_BOTH(ALU_FORMAT_SPEC_REG0_SrcAUnsigned, one_in(2)); break;
    default:
        SET_BOTH(THCON_SEC0_REG2_Unpack_fifo_size, one_in(3) ? 4 : 0);
        SET_BOTH(THCON_SEC0_REG2_Unpack_limit_address, BASE / 16 + 8);
        break;
    }
}

static void change_counters(struct fixture *planned, struct fixture *plain)
{
    static const uint32_t ends[] = {15, 15, 15, 31, 255, 1023, 1024, 14, 0};
    unsigned unpacker = one_in(3);
    struct adc *adc = &planned->state->addr.adc[0][unpacker];
    adc->channel[0].x = one_in(4) ? random_bits() % 20 : 0;
    adc->channel[1].x = ends[random_bits() % (sizeof ends / sizeof *ends)];
    adc->channel[0].y = random_bits() % 4;
    adc->channel[1].y = random_bits() % 4;
    adc->channel[0].z = random_bits() % 4;
    adc->channel[1].z = one_in(3);
    adc->channel[0].w = one_in(5);
    plain->state->addr.adc[0][unpacker] = *adc;
    planned->state->srca.owner[0] = plain->state->srca.owner[0] = one_in(8);
    planned->state->srca.unpacker_row[0] = plain->state->srca.unpacker_row[0] = (uint8_t)(one_in(4) * 16);
}

static uint32_t random_instruction(void)
{
    uint32_t addr_mode = one_in(2) ? 0 : random_bits() % 256;
    uint32_t word = (uint32_t)TENSIX_OPCODE_UNPACR << 24 | (uint32_t)one_in(3) << 23 | addr_mode << 15 | 1;
    word |= !one_in(5) ? 1 << 7 : 0;                  /* OvrdThreadId */
    word |= one_in(6) ? 1 << 6 : 0;                   /* SetDatValid */
    word |= one_in(12) ? random_bits() % 8 << 10 : 0; /* CfgContextId */
    word |= one_in(12) ? random_bits() % 4 << 8 : 0;  /* AddrCntContextId */
    return word | (one_in(12) ? random_bits() & 0x203c : 0);
}

static void compare(const struct fixture *planned, const struct fixture *plain)
{
    assert_memory_equal(planned->state, plain->state, sizeof *plain->state);
    assert_int_equal(planned->diagnostics.count, plain->diagnostics.count);
    assert_int_equal(planned->diagnostics.stopped, plain->diagnostics.stopped);
}

static void run_program(struct fixture *planned, struct fixture *plain, enum bh_policy_preset policy)
{
    diagnostics_set_policy(&planned->diagnostics, policy);
    diagnostics_set_policy(&plain->diagnostics, policy);
    set_thread(planned, SRCA_SET_SetOvrdWithAddr_ADDR32, SRCA_SET_SetOvrdWithAddr_SHAMT, 1, one_in(3));
    plain->state->config.thread[0][SRCA_SET_SetOvrdWithAddr_ADDR32] =
        planned->state->config.thread[0][SRCA_SET_SetOvrdWithAddr_ADDR32];
    memcpy(plain->state->config.thread, planned->state->config.thread, sizeof plain->state->config.thread);
    change_config(planned, plain);
    uint32_t word = random_instruction();
    for (unsigned i = 0; i < INSTRUCTIONS; i++) {
        if (one_in(3)) {
            change_counters(planned, plain);
        }
        if (one_in(6)) {
            change_config(planned, plain);
        }
        if (one_in(4)) {
            word = random_instruction();
        }
        enum step step = run_UNPACR(&planned->tensix, 0, word);
        assert_int_equal(step, execute_UNPACR(&plain->tensix, 0, decode_UNPACR(word)));
        compare(planned, plain);
        for (uint32_t j = one_in(3) ? unpack_as_planned(&planned->tensix, 0, word, 1 + random_bits() % 4) : 0; j; j--) {
            assert_int_equal(execute_UNPACR(&plain->tensix, 0, decode_UNPACR(word)), STEP_DONE);
        }
        compare(planned, plain);
        planned->diagnostics.stopped = plain->diagnostics.stopped = false;
        planned->diagnostics.count = plain->diagnostics.count = 0;
    }
}

static void what_is_planned_does_the_same(void **state)
{
    for (unsigned program = 0; program < PROGRAMS; program++) {
        void *planned, *plain;
        setup(&planned);
        setup(&plain);
        run_program(planned, plain, program % 2 ? BH_POLICY_DEFAULT : BH_POLICY_SILICON);
        teardown(&planned);
        teardown(&plain);
    }
}

static void a_plan_is_made_once_and_used(void **state)
{
    struct fixture *fixture = *state;
    const uint32_t word = (uint32_t)TENSIX_OPCODE_UNPACR << 24 | 1 << 7;
    assert_int_equal(unpack_as_planned(&fixture->tensix, 0, word, 1), 0);
    assert_int_equal(run_UNPACR(&fixture->tensix, 0, word), STEP_DONE);
    assert_int_equal(unpack_as_planned(&fixture->tensix, 0, word, 1), 1);
    assert_int_equal(fixture->state->srca.rows[0][0][1], half(fixture, 1) << 16);
    SET(THCON_SEC0_REG2_Upsample_rate, 1);
    assert_int_equal(unpack_as_planned(&fixture->tensix, 0, word, 1), 0);
    SET(THCON_SEC0_REG2_Upsample_rate, 0);
    assert_int_equal(unpack_as_planned(&fixture->tensix, 0, word, 1), 1);
    fixture->state->srca.owner[0] = SRC_MATRIX_UNIT;
    assert_int_equal(unpack_as_planned(&fixture->tensix, 0, word, 1), 0);
}

/* Up to the one that finds no bank. */
static void several_at_once_are_as_many_alone(void **state)
{
    const uint32_t next_row = (uint32_t)TENSIX_OPCODE_UNPACR << 24 | 1 << 7 | (1 << 2 | 1 << 6) << 15, last = 1 << 6;
    struct fixture *fixture = *state;
    void *other;
    setup(&other);
    struct fixture *alone = other;
    fixture->state->addr.adc[0][0].channel[1].x = alone->state->addr.adc[0][0].channel[1].x = 15;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t word = next_row | (i ? last : 0), times = i ? 3 : 5, done = 0;
        assert_int_equal(run_UNPACR(&fixture->tensix, 0, word), STEP_DONE);
        assert_int_equal(execute_UNPACR(&alone->tensix, 0, decode_UNPACR(word)), STEP_DONE);
        done = unpack_as_planned(&fixture->tensix, 0, word, times);
        for (unsigned j = 0; j < done; j++) {
            assert_int_equal(execute_UNPACR(&alone->tensix, 0, decode_UNPACR(word)), STEP_DONE);
        }
        assert_int_equal(done, i ? 1 : times);
        compare(fixture, alone);
        fixture->state->srca.owner[0] = fixture->state->srca.owner[1] = SRC_UNPACKERS;
        alone->state->srca.owner[0] = alone->state->srca.owner[1] = SRC_UNPACKERS;
    }
    teardown(&other);
}

static void what_was_unpacked_is_cleared_again(void **state)
{
    enum { CLEAR_SRC = 1 };
    struct fixture *fixture = *state;
    const uint32_t clear = (uint32_t)TENSIX_OPCODE_UNPACR_NOP << 24 | CLEAR_SRC;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(run_UNPACR(&fixture->tensix, 0, (uint32_t)TENSIX_OPCODE_UNPACR << 24 | 1 << 7), STEP_DONE);
        assert_int_equal(fixture->state->srca.rows[0][0][1], half(fixture, 1) << 16);
        assert_int_equal(run_UNPACR_NOP(&fixture->tensix, 0, clear), STEP_DONE);
        assert_int_equal(run_UNPACR_NOP(&fixture->tensix, 0, clear), STEP_DONE);
        assert_int_equal(fixture->state->srca.rows[0][0][1], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(what_is_planned_does_the_same), TEST(a_plan_is_made_once_and_used),
                                       TEST(several_at_once_are_as_many_alone),
                                       TEST(what_was_unpacked_is_cleared_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
