/* A thread whose instruction waits for a bank of Src within its unpacker, with the scheduler of both modes. */
#include "isa/tensix_isa.h"
#include "tensix/frontend/timed.h"
#include "tile/timed_fixture.h"
#include "util/bits.h"

#define TENSIX_INSTRUCTION_BUFFER ((volatile uint32_t *)0) /* where the header's TT_NAME() would push: unused */
#include "kernel/tensix.h"

enum { T0, T1, FACES = 4, DATA = 16, BASE = 0x20000, LONG = 20000, STALL_MATH = 1 << 6, A = 1, B = 2 };

#define SET(state, name, value)                                                                                        \
    do {                                                                                                               \
        uint32_t *word = &(state)->tensix.config.bank[0][name##_ADDR32];                                               \
        *word = bits_set(*word, name##_SHAMT, name##_WIDTH, value);                                                    \
    } while (0)

/* Both unpackers move a row of 16 data, the next one each time. */
static void configure(struct fixture *fixture)
{
    struct tile_state *state = fixture->state;
    for (unsigned i = 0; i < 2; i++) {
        uint32_t *descriptor = &state->tensix.config.bank[0][THCON_SEC0_REG0_TileDescriptor_ADDR32 + 48 * i];
        descriptor[0] = FORMAT_BF16 | 1 << 4 | (uint32_t)DATA << 16;
        descriptor[1] = 1 | 8 << 16;
        state->tensix.addr.adc[T0][i].channel[1].x = DATA - 1;
    }
    SET(state, THCON_SEC0_REG2_Out_data_format, FORMAT_BF16);
    SET(state, THCON_SEC1_REG2_Out_data_format, FORMAT_BF16);
    SET(state, THCON_SEC0_REG2_Disable_zero_compress_cntx0, 1);
    SET(state, THCON_SEC1_REG2_Disable_zero_compress_cntx0, 1);
    SET(state, THCON_SEC0_REG3_Base_address, BASE / 16 - 1);
    SET(state, THCON_SEC1_REG3_Base_address, BASE / 16 - 1);
    SET(state, THCON_SEC0_REG5_Dest_cntx0_address, 64);
    SET(state, THCON_SEC0_REG5_Tile_x_dim_cntx0, DATA);
    state->tensix.config.thread[T0][SRCA_SET_SetOvrdWithAddr_ADDR32] = SRCA_SET_SetOvrdWithAddr_MASK;
    for (uint32_t i = 0; i < 8 * DATA; i++) {
        const uint16_t value = (uint16_t)(0x3f80 + i);
        memcpy(&state->l1[BASE + 2 * i], &value, sizeof value);
    }
}

static void push(struct fixture *fixture, unsigned thread, uint32_t word)
{
    const struct pushed instruction = {.word = word};
    struct tensix *tensix = &fixture->tile.tensix;
    assert_int_equal(tensix->timed ? frontend_push_timed(tensix, thread, instruction, false, START)
                                   : frontend_push(tensix, thread, word, 0, false),
                     STEP_DONE);
}

/* T0 unpacks rows to SrcA and SrcB in turn; T1 takes all of SrcA's, then all of SrcB's, and copies them to Dst: as a
   test of blackhole-py does, which passes on cards. T0 has to go on to the rows for SrcA that are left while those for
   SrcB wait. */
static void unpack_in_turn_and_take_one_source_first(struct fixture *fixture)
{
    configure(fixture);
    for (unsigned i = 0; i < FACES; i++) {
        push(fixture, T0, TT_OP_UNPACR(0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1));
        push(fixture, T0, TT_OP_UNPACR(1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1));
    }
    for (unsigned i = 0; i < FACES; i++) {
        push(fixture, T1, TT_OP_MOVA2D(0, 0, 0, 0, i));
        push(fixture, T1, TT_OP_SETRWC(A, 0, 0, 0, 0, 0));
    }
    for (unsigned i = 0; i < FACES; i++) {
        push(fixture, T1, TT_OP_MOVB2D(0, 0, 0, 0, FACES + i));
        push(fixture, T1, TT_OP_SETRWC(B, 0, 0, 0, 0, 0));
    }
}

static void assert_rows(const struct fixture *fixture)
{
    assert_true(tensix_idle(&fixture->state->tensix));
    assert_int_equal(fixture->state->diagnostics.count, 0);
    for (unsigned row = 0; row < 2 * FACES; row++) {
        for (unsigned column = 0; column < DATA; column++) {
            assert_int_equal(fixture->state->tensix.dst.rows[row][column], 0x3f80 + row % FACES * DATA + column);
        }
    }
}

static void functional_mode_goes_on_when_nothing_else_does(void **context)
{
    struct fixture *fixture = *context;
    struct tile_span span = {.cycles = 320, .quiet = TILE_QUIET, .longest = 32};
    struct tile_turn turn;
    unpack_in_turn_and_take_one_source_first(fixture);
    tile_run_or_rest(&fixture->tile, &span, &turn);
    assert_rows(fixture);
}

/* A core that polls meanwhile: something happens in each quantum, so that it takes a while. */
static void functional_mode_goes_on_while_a_core_polls(void **context)
{
    enum { CODE = 0x4000, JAL_BACK_4 = 0xffdff06f, NOP = 0x13 };
    struct fixture *fixture = *context;
    const uint32_t loop[] = {NOP, JAL_BACK_4};
    memcpy(&fixture->state->l1[CODE], loop, sizeof loop);
    fixture->state->core[BH_CORE_B].pc = CODE;
    fixture->state->core[BH_CORE_B].halt = RV32_RUNNING;
    unpack_in_turn_and_take_one_source_first(fixture);
    (void)tile_run(&fixture->tile, 500);
    assert_false(tensix_idle(&fixture->state->tensix));
    (void)tile_run(&fixture->tile, LONG);
    assert_rows(fixture);
}

static void timed_mode_goes_on(void **context)
{
    struct fixture *fixture = *context;
    struct tile_span span = {.cycles = 2000, .longest = TILE_QUANTUM};
    struct tile_turn turn;
    unpack_in_turn_and_take_one_source_first(fixture);
    tile_run_timed(&fixture->tile, &span, &turn);
    assert_rows(fixture);
}

/* Random programs: T0 unpacks rows to SrcA and SrcB in any order, T1 takes those of each source in their order, but the
   sources in any. */
enum { PROGRAMS = 300, ROWS = 6, BANKS_AND_BEGUN = 4 };

struct order {
    uint8_t of_b[2 * ROWS]; /* 1: of SrcB */
};

static uint32_t random_below(uint32_t *seed, uint32_t limit)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 16) % limit;
}

static struct order any_order(uint32_t *seed)
{
    struct order order = {0};
    for (unsigned left = ROWS; left > 0;) {
        const uint32_t at = random_below(seed, 2 * ROWS);
        left -= !order.of_b[at];
        order.of_b[at] = 1;
    }
    return order;
}

/* Whether T1 gets all: two rows of a source may be in its banks, two wait in its unpacker, and T0 passes one behind the
   other. */
static bool ends(const struct order *unpacked, const struct order *taken)
{
    unsigned filled[2] = {0}, used[2] = {0}, t0 = 0, t1 = 0;
    for (bool any = true; any;) {
        any = false;
        for (; t0 < 2 * ROWS && filled[unpacked->of_b[t0]] - used[unpacked->of_b[t0]] < BANKS_AND_BEGUN; t0++) {
            filled[unpacked->of_b[t0]]++;
            any = true;
        }
        for (; t1 < 2 * ROWS && used[taken->of_b[t1]] < filled[taken->of_b[t1]]; t1++) {
            used[taken->of_b[t1]]++;
            any = true;
        }
    }
    return t1 == 2 * ROWS;
}

static void push_in_order(struct fixture *fixture, const struct order *unpacked, const struct order *taken)
{
    unsigned row[2] = {0, ROWS};
    configure(fixture);
    for (unsigned i = 0; i < 2 * ROWS; i++) {
        push(fixture, T0, TT_OP_UNPACR(0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1) | (uint32_t)unpacked->of_b[i] << 23);
        push(fixture, T1, taken->of_b[i] ? TT_OP_MOVB2D(0, 0, 0, 0, 0) + row[1] : TT_OP_MOVA2D(0, 0, 0, 0, 0) + row[0]);
        push(fixture, T1, taken->of_b[i] ? TT_OP_SETRWC(B, 0, 0, 0, 0, 0) : TT_OP_SETRWC(A, 0, 0, 0, 0, 0));
        row[taken->of_b[i]]++;
    }
}

static void random_programs_end_if_they_can(void **context, bool timed)
{
    uint32_t seed = 1, ended = 0;
    for (unsigned i = 0; i < PROGRAMS; i++) {
        struct fixture *fixture = *context;
        const struct order unpacked = any_order(&seed), taken = any_order(&seed);
        push_in_order(fixture, &unpacked, &taken);
        struct tile_span span = {.cycles = LONG, .quiet = timed ? 0 : TILE_QUIET, .longest = TILE_QUANTUM};
        struct tile_turn turn;
        tile_run_or_rest(&fixture->tile, &span, &turn);
        assert_int_equal(tensix_idle(&fixture->state->tensix), ends(&unpacked, &taken));
        for (unsigned row = 0; row < 2 * ROWS && ends(&unpacked, &taken); row++) {
            assert_int_equal(fixture->state->tensix.dst.rows[row][1], 0x3f80 + row % ROWS * DATA + 1);
        }
        ended += ends(&unpacked, &taken);
        tear_down(context);
        timed ? set_up_timed(context) : set_up(context);
    }
    assert_in_range(ended, PROGRAMS / 4, PROGRAMS - PROGRAMS / 20);
}

static void random_programs_in_functional_mode(void **context)
{
    random_programs_end_if_they_can(context, false);
}

static void random_programs_in_timed_mode(void **context)
{
    random_programs_end_if_they_can(context, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(functional_mode_goes_on_when_nothing_else_does),
        TEST(functional_mode_goes_on_while_a_core_polls),
        TIMED_TEST(timed_mode_goes_on),
        TEST(random_programs_in_functional_mode),
        TIMED_TEST(random_programs_in_timed_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
