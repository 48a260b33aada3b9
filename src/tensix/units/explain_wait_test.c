/* Descriptions of waiting instructions of the sync and the scalar unit. */
#include "tensix/tensix_fixture.h"
#include "tensix/units/explain_wait.h"

static uint32_t word_of(unsigned opcode, uint32_t fields)
{
    return opcode << 24 | fields;
}

/* Asserts that the instruction waits, and how this is described. */
static void assert_waits(struct fixture *f, unsigned thread, uint32_t word, const char *expected)
{
    char text[200] = "";
    assert_int_equal(tensix_execute(&f->tensix, thread, word, 0), STEP_WAIT);
    int length = explain_wait(&f->tensix, thread, word, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void a_mutex_names_its_owner(void **state)
{
    struct fixture *f = *state;
    RUN_OK(f, 2, ATGETM, .mutex_index = 3);
    assert_waits(f, 0, word_of(TENSIX_OPCODE_ATGETM, 3),
                 "mutex 3 is held by T2: only an ATRELM of that thread releases it");
    assert_waits(f, 0, word_of(TENSIX_OPCODE_ATRELM, 1), "there is no mutex 1: nobody can end this wait");
}

static void words_in_l1_are_shown(void **state)
{
    struct fixture *f = *state;
    f->state.scalar.gpr[1][5] = 0x2000 / 16;
    l1_store32(&f->l1, 0x2004, 7);
    l1_store32(&f->l1, 0x2008, 0x55);
    assert_waits(f, 1, word_of(TENSIX_OPCODE_ATCAS, 3 << 14 | 2 << 12 | 5),
                 "the word at 0x02008 of L1 is 0x55, not 3: nobody has written it");
    l1_store32(&f->l1, 0x2000, 7);
    assert_waits(f, 1, word_of(TENSIX_OPCODE_ATINCGETPTR, 3 << 14 | 5),
                 "the FIFO at 0x02000 of L1 is empty: nobody pushes onto it (read counter 7, write counter 7)");
    l1_store32(&f->l1, 0x2000, 3);
    assert_waits(f, 1, word_of(TENSIX_OPCODE_ATINCGETPTR, 3 << 14 | 1 << 12 | 5),
                 "the FIFO at 0x02000 of L1 is full: nobody pops from it (read counter 3, write counter 7)");
}

static void a_bank_names_its_owner(void **state)
{
    struct fixture *f = *state;
    f->state.srcb.owner[0] = SRC_MATRIX_UNIT;
    assert_waits(
        f, 1, word_of(TENSIX_OPCODE_STOREIND, 1 << 21),
        "SrcB bank 0 belongs to the matrix unit: nobody has given it back (CLEARDVALID, SETRWC or clear_dvalid)");
}

static void other_instructions_are_left_to_others(void **state)
{
    struct fixture *f = *state;
    char text[8] = "-";
    assert_int_equal(explain_wait(&f->tensix, 0, word_of(TENSIX_OPCODE_MVMUL, 0), text, sizeof text), 0);
    assert_string_equal(text, "-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(a_mutex_names_its_owner),
        FIXTURE_TEST(words_in_l1_are_shown),
        FIXTURE_TEST(a_bank_names_its_owner),
        FIXTURE_TEST(other_instructions_are_left_to_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
