/* Instructions that wait for their banks within an unpacker: WaitGate.md, UNPACR_Regular.md, UNPACR_NOP_ZEROSRC.md. In
   functional mode, where a thread's next one does so when `may_begin` is set. */
#include "tensix/units/unpack/fixture.h"

#define TENSIX_INSTRUCTION_BUFFER ((volatile uint32_t *)0) /* where the header's TT_NAME() would push: unused */
#include "kernel/tensix.h"

enum { T0, T1, T2 };
enum { A, B };
enum { NEXT_FACE = 1, CLEAR_SRC = 1, WAIT_UNPACK0 = 2, WAIT_UNPACK1 = 4, STALL_SYNC = 2 };

/* Unpacks a face, hands it over, and goes on to the next face of the tile. */
#define UNPACK(b) TT_OP_UNPACR(b, NEXT_FACE, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1)
#define GIVE_BACK(which) TT_OP_SETRWC(which, 0, 0, 0, 0, 0)

static void push(struct fixture *fixture, unsigned thread, uint32_t word)
{
    assert_int_equal(frontend_push(&fixture->tensix, thread, word, 0x100 + 4 * thread, false), STEP_DONE);
}

static bool drained(struct fixture *fixture)
{
    tensix_drain(&fixture->tensix);
    return tensix_idle(fixture->state);
}

static void may_begin(struct fixture *fixture)
{
    fixture->state->unpack.may_begin = 1 << T0;
    tensix_drain(&fixture->tensix);
}

/* Both banks of a source have been given to the Matrix Unit, and an UNPACR for a third stands at T0's gate. */
static struct fixture *third_waits(void **state, unsigned b)
{
    struct fixture *fixture = *state;
    for (unsigned i = 0; i < 3; i++) {
        push(fixture, T0, UNPACK(b));
    }
    assert_false(drained(fixture));
    assert_int_equal(fixture->state->frontend[T0].passed, 2);
    return fixture;
}

static void begin_again(void **state)
{
    teardown(state);
    setup(state);
}

static void assert_face(const struct fixture *fixture, const uint32_t rows[][ROW_COLUMNS], unsigned face)
{
    for (unsigned i = 0; i < 256; i++) {
        assert_int_equal(rows[i / 16][i % 16], half(fixture, face * 256 + i) << 16);
    }
}

static void data_are_moved_when_the_bank_is_given_back(void **state)
{
    for (unsigned b = 0; b < 2; b++) {
        struct fixture *fixture = third_waits(state, b);
        const struct src_register_file *src = b ? &fixture->state->srcb : &fixture->state->srca;
        may_begin(fixture);
        assert_int_equal(fixture->state->frontend[T0].passed, 3);
        assert_false(tensix_thread_done(fixture->state, T0));
        assert_int_equal(fixture->state->addr.adc[T0][b].channel[0].z, 3);
        assert_face(fixture, src->rows[0], 0);
        push(fixture, T1, GIVE_BACK(b ? 2 : 1));
        assert_true(drained(fixture));
        assert_face(fixture, src->rows[0], 2);
        assert_face(fixture, src->rows[1], 1);
        assert_int_equal(src->owner[0], SRC_MATRIX_UNIT);
        assert_int_equal(src->unpacker_bank, 1);
        assert_int_equal(src->matrix_bank, 1);
        assert_int_equal(fixture->diagnostics.count, 0);
        begin_again(state);
    }
}

/* The other unpacker's instruction does not wait behind it. */
static void its_thread_goes_on(void **state)
{
    struct fixture *fixture = third_waits(state, A);
    may_begin(fixture);
    push(fixture, T0, UNPACK(B));
    tensix_drain(&fixture->tensix);
    assert_int_equal(fixture->state->frontend[T0].passed, 4);
    assert_face(fixture, fixture->state->srcb.rows[0], 0);
}

static void an_unpacker_takes_two_unpacrs(void **state)
{
    struct fixture *fixture = third_waits(state, A);
    for (unsigned i = 0; i < 4; i++) {
        may_begin(fixture);
        push(fixture, T0, UNPACK(A));
    }
    tensix_drain(&fixture->tensix);
    assert_int_equal(fixture->state->frontend[T0].passed, 4);
    push(fixture, T1, GIVE_BACK(1));
    push(fixture, T1, GIVE_BACK(1));
    tensix_drain(&fixture->tensix);
    assert_face(fixture, fixture->state->srca.rows[0], 2);
    assert_face(fixture, fixture->state->srca.rows[1], 3);
}

static void stallwait_and_flushdma_wait_for_it(void **state)
{
    const uint32_t waits[] = {TT_OP_STALLWAIT(STALL_SYNC, WAIT_UNPACK0), TT_OP_FLUSHDMA(WAIT_UNPACK0)};
    const uint32_t others[] = {TT_OP_STALLWAIT(STALL_SYNC, WAIT_UNPACK1), TT_OP_FLUSHDMA(WAIT_UNPACK1)};
    for (unsigned i = 0; i < 2; i++) {
        struct fixture *fixture = third_waits(state, A);
        struct sync_unit *sync = &fixture->state->sync;
        sync->semaphore[0].max = sync->semaphore[1].max = 15;
        sync->semaphore[0].value = sync->semaphore[1].value = 0;
        may_begin(fixture);
        push(fixture, T0, others[i]);
        push(fixture, T0, TT_OP_SEMPOST(1));
        push(fixture, T0, waits[i]);
        push(fixture, T0, TT_OP_SEMPOST(2));
        tensix_drain(&fixture->tensix);
        assert_int_equal(sync->semaphore[0].value, 1);
        assert_int_equal(sync->semaphore[1].value, 0);
        push(fixture, T1, GIVE_BACK(1));
        assert_true(drained(fixture));
        assert_int_equal(sync->semaphore[1].value, 1);
        begin_again(state);
    }
}

/* What other threads wait for is about their own instructions (STALLWAIT.md). */
static void stallwait_of_another_thread_does_not(void **state)
{
    struct fixture *fixture = third_waits(state, A);
    may_begin(fixture);
    push(fixture, T1, TT_OP_STALLWAIT(STALL_SYNC, WAIT_UNPACK0));
    push(fixture, T1, TT_OP_SEMINIT(15, 0, 1));
    tensix_drain(&fixture->tensix);
    assert_true(frontend_idle(&fixture->state->frontend[T1]));
}

/* The address is taken when it begins; a bank is filled from the thread's row on by the time that it is its turn. */
static void configuration_is_that_of_its_begin(void **state)
{
    struct fixture *fixture = third_waits(state, B);
    may_begin(fixture);
    SET(THCON_SEC1_REG3_Base_address, BASE / 16 + 32);
    SET(THCON_SEC1_REG2_Out_data_format, FORMAT_TF32);
    push(fixture, T1, GIVE_BACK(2));
    assert_true(drained(fixture));
    assert_face(fixture, fixture->state->srcb.rows[0], 2);
    assert_int_equal(fixture->state->srcb.format[0], FORMAT_BF16);
}

static void sets_of_rows_follow_each_other(void **state)
{
    const uint32_t part = TT_OP_UNPACR(1, NEXT_FACE, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1);
    struct fixture *fixture = *state;
    SET(THCON_SEC1_REG2_Unpack_Src_Reg_Set_Upd, 1);
    push(fixture, T0, UNPACK(B));
    push(fixture, T0, UNPACK(B));
    push(fixture, T0, part);
    push(fixture, T0, UNPACK(B));
    may_begin(fixture);
    may_begin(fixture);
    assert_int_equal(fixture->state->frontend[T0].passed, 4);
    push(fixture, T1, GIVE_BACK(2));
    assert_true(drained(fixture));
    assert_face(fixture, fixture->state->srcb.rows[0], 2);
    assert_face(fixture, &fixture->state->srcb.rows[0][16], 3);
    assert_int_equal(fixture->state->srcb.unpacker_bank, 1);
}

/* UNPACR_NOP comes behind what its unpacker has begun. */
static void unpacr_nop_keeps_its_place(void **state)
{
    struct fixture *fixture = third_waits(state, A);
    const uint32_t part = TT_OP_UNPACR(0, NEXT_FACE, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1);
    may_begin(fixture);
    push(fixture, T0, TT_OP_UNPACR_NOP(0, 0, 0, 0, 0, 1, 0, 0, CLEAR_SRC));
    may_begin(fixture);
    push(fixture, T0, part);
    may_begin(fixture);
    assert_int_equal(fixture->state->frontend[T0].passed, 5);
    push(fixture, T1, GIVE_BACK(1));
    tensix_drain(&fixture->tensix);
    assert_face(fixture, fixture->state->srca.rows[0], 2);
    assert_face(fixture, fixture->state->srca.rows[1], 1);
    push(fixture, T1, GIVE_BACK(1));
    assert_true(drained(fixture));
    assert_face(fixture, fixture->state->srca.rows[1], 3);
    assert_int_equal(fixture->state->srca.rows[1][16][0], 0);
    assert_int_equal(fixture->state->srca.owner[1], SRC_UNPACKERS);
}

/* SETDVALID would hand over a bank that an unpacker has yet to fill. */
static void setdvalid_waits_for_its_unpacker(void **state)
{
    struct fixture *fixture = third_waits(state, A);
    may_begin(fixture);
    push(fixture, T0, TT_OP_SETDVALID(1));
    tensix_drain(&fixture->tensix);
    assert_int_equal(fixture->state->frontend[T0].passed, 3);
    push(fixture, T1, GIVE_BACK(1));
    assert_true(drained(fixture));
    assert_face(fixture, fixture->state->srca.rows[0], 2);
    assert_int_equal(fixture->state->srca.owner[0], SRC_MATRIX_UNIT);
}

/* What is wrong is told of the instruction that began, whoever has given the bank back. */
static void errors_are_those_of_the_instruction(void **state)
{
    struct fixture *fixture = *state;
    push(fixture, T0, UNPACK(A));
    push(fixture, T0, UNPACK(A));
    tensix_drain(&fixture->tensix);
    SET(THCON_SEC0_REG3_Base_address, (L1_SIZE - 512) / 16);
    push(fixture, T0, UNPACK(A));
    may_begin(fixture);
    push(fixture, T1, GIVE_BACK(1));
    tensix_drain(&fixture->tensix);
    assert_true(fixture->diagnostics.stopped);
    assert_int_equal(fixture->diagnostics.count, 1);
    assert_int_equal(fixture->diagnostics.entries[0].index, T0);
    assert_int_equal(fixture->diagnostics.entries[0].pc, 0x100);
    assert_int_equal(fixture->diagnostics.entries[0].instruction, UNPACK(A));
    assert_non_null(strstr(fixture->diagnostics.entries[0].text, "datums at"));
}

/* CLEARDVALID gives banks back, too. */
static void cleardvalid_lets_it_go_on(void **state)
{
    struct fixture *fixture = third_waits(state, A);
    may_begin(fixture);
    push(fixture, T1, TT_OP_CLEARDVALID(1, 0));
    assert_true(drained(fixture));
    assert_face(fixture, fixture->state->srca.rows[0], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(data_are_moved_when_the_bank_is_given_back),
        TEST(its_thread_goes_on),
        TEST(an_unpacker_takes_two_unpacrs),
        TEST(stallwait_and_flushdma_wait_for_it),
        TEST(stallwait_of_another_thread_does_not),
        TEST(configuration_is_that_of_its_begin),
        TEST(sets_of_rows_follow_each_other),
        TEST(unpacr_nop_keeps_its_place),
        TEST(setdvalid_waits_for_its_unpacker),
        TEST(errors_are_those_of_the_instruction),
        TEST(cleardvalid_lets_it_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
