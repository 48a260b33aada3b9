/* Semaphores and mutexes, as the ISA documentation's pages SyncUnit.md, SEMINIT.md, SEMPOST.md, SEMGET.md, ATGETM.md
   and ATRELM.md (Blackhole) state them. */
#include "tensix/tensix_fixture.h"

static void seminit_sets_value_and_max_of_every_selected_semaphore(void **state)
{
    struct fixture *f = *state;
    RUN_OK(f, 0, SEMINIT, .sem_sel = 0xa5, .init_value = 3, .max_value = 9);
    for (unsigned i = 0; i < SEMAPHORES; i++) {
        bool selected = 0xa5 >> i & 1;
        assert_int_equal(f->state.sync.semaphore[i].value, selected ? 3 : 0);
        assert_int_equal(f->state.sync.semaphore[i].max, selected ? 9 : 0);
    }
    /* A value above Max is nothing special. */
    RUN_OK(f, 1, SEMINIT, .sem_sel = 1, .init_value = 12, .max_value = 2);
    assert_int_equal(f->state.sync.semaphore[0].value, 12);
    assert_int_equal(f->state.sync.semaphore[0].max, 2);
}

static void sempost_increments_up_to_15_whatever_max_is(void **state)
{
    struct fixture *f = *state;
    RUN_OK(f, 0, SEMINIT, .sem_sel = 0x81, .init_value = 0, .max_value = 2);
    for (unsigned i = 1; i <= 20; i++) {
        RUN_OK(f, i % 3, SEMPOST, .sem_sel = 0x81);
        unsigned expected = i < 15 ? i : 15;
        assert_int_equal(f->state.sync.semaphore[0].value, expected);
        assert_int_equal(f->state.sync.semaphore[7].value, expected);
        assert_int_equal(f->state.sync.semaphore[1].value, 0);
    }
    assert_int_equal(f->state.sync.semaphore[0].max, 2);
}

static void semget_decrements_down_to_0(void **state)
{
    struct fixture *f = *state;
    RUN_OK(f, 0, SEMINIT, .sem_sel = 0x0e, .init_value = 2, .max_value = 2);
    for (int expected = 1; expected > -3; expected--) {
        RUN_OK(f, 2, SEMGET, .sem_sel = 0x06);
        assert_int_equal(f->state.sync.semaphore[1].value, expected > 0 ? expected : 0);
        assert_int_equal(f->state.sync.semaphore[2].value, expected > 0 ? expected : 0);
        assert_int_equal(f->state.sync.semaphore[3].value, 2);
    }
}

static void an_empty_set_of_semaphores_changes_nothing(void **state)
{
    struct fixture *f = *state;
    struct sync_unit before = f->state.sync;
    RUN_OK(f, 0, SEMINIT, .sem_sel = 0, .init_value = 7, .max_value = 7);
    RUN_OK(f, 0, SEMPOST, .sem_sel = 0);
    RUN_OK(f, 0, SEMGET, .sem_sel = 0);
    assert_memory_equal(&before, &f->state.sync, sizeof before);
}

static void a_mutex_is_held_by_one_thread_until_it_releases_it(void **state)
{
    struct fixture *f = *state;
    static const unsigned mutexes[] = {0, 2, 3, 4};
    for (unsigned i = 0; i < 4; i++) {
        unsigned mutex = mutexes[i];
        RUN_OK(f, 1, ATGETM, .mutex_index = mutex);
        assert_int_equal(RUN(f, 0, ATGETM, .mutex_index = mutex), STEP_WAIT);
        assert_int_equal(f->state.sync.mutex_owner[mutex], 1);
        RUN_OK(f, 1, ATRELM, .mutex_index = mutex);
        RUN_OK(f, 0, ATGETM, .mutex_index = mutex);
        assert_int_equal(f->state.sync.mutex_owner[mutex], 0);
    }
}

static void to_acquire_a_mutex_again_passes(void **state)
{
    struct fixture *f = *state;
    RUN_OK(f, 2, ATGETM, .mutex_index = 3);
    RUN_OK(f, 2, ATGETM, .mutex_index = 3);
    RUN_OK(f, 2, ATRELM, .mutex_index = 3);
    assert_int_equal(f->state.sync.mutex_owner[3], MUTEX_FREE);
}

static void to_release_the_mutex_of_another_thread_changes_nothing(void **state)
{
    struct fixture *f = *state;
    RUN_OK(f, 2, ATGETM, .mutex_index = 0);
    RUN_OK(f, 0, ATRELM, .mutex_index = 0);
    assert_int_equal(f->state.sync.mutex_owner[0], 2);
    RUN_OK(f, 1, ATRELM, .mutex_index = 4);
    assert_int_equal(f->state.sync.mutex_owner[4], MUTEX_FREE);
}

/* "thread (i + 1) % 3 is always chosen to be the acquirer" */
static void a_released_mutex_goes_to_the_next_thread_in_turn(void **state)
{
    struct fixture *f = *state;
    for (unsigned holder = 0; holder < 3; holder++) {
        unsigned next = (holder + 1) % 3, last = (holder + 2) % 3;
        RUN_OK(f, holder, ATGETM, .mutex_index = 2);
        assert_int_equal(RUN(f, last, ATGETM, .mutex_index = 2), STEP_WAIT);
        assert_int_equal(RUN(f, next, ATGETM, .mutex_index = 2), STEP_WAIT);
        RUN_OK(f, holder, ATRELM, .mutex_index = 2);
        assert_int_equal(RUN(f, last, ATGETM, .mutex_index = 2), STEP_WAIT);
        assert_int_equal(RUN(f, holder, ATGETM, .mutex_index = 2), STEP_WAIT);
        RUN_OK(f, next, ATGETM, .mutex_index = 2);
        RUN_OK(f, next, ATRELM, .mutex_index = 2);
        RUN_OK(f, last, ATGETM, .mutex_index = 2);
        RUN_OK(f, last, ATRELM, .mutex_index = 2);
        RUN_OK(f, holder, ATGETM, .mutex_index = 2);
        RUN_OK(f, holder, ATRELM, .mutex_index = 2);
        assert_int_equal(f->state.sync.mutex_owner[2], MUTEX_FREE);
    }
}

/* "Invalid index causes infinite wait" */
static void a_mutex_that_does_not_exist_is_waited_for_with_a_warning(void **state)
{
    struct fixture *f = *state;
    static const unsigned missing[] = {1, 5, 6, 7, 8, 0xffff};
    for (unsigned i = 0; i < COUNT_OF(missing); i++) {
        f->diagnostics.now.pc = i * 4;
        f->diagnostics.count = 0;
        assert_int_equal(RUN(f, 0, ATGETM, .mutex_index = missing[i]), STEP_WAIT);
        assert_int_equal(f->diagnostics.count, 1);
        assert_int_equal(f->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
        assert_int_equal(RUN(f, 0, ATRELM, .mutex_index = missing[i]), STEP_WAIT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(seminit_sets_value_and_max_of_every_selected_semaphore),
        FIXTURE_TEST(sempost_increments_up_to_15_whatever_max_is),
        FIXTURE_TEST(semget_decrements_down_to_0),
        FIXTURE_TEST(an_empty_set_of_semaphores_changes_nothing),
        FIXTURE_TEST(a_mutex_is_held_by_one_thread_until_it_releases_it),
        FIXTURE_TEST(to_acquire_a_mutex_again_passes),
        FIXTURE_TEST(to_release_the_mutex_of_another_thread_changes_nothing),
        FIXTURE_TEST(a_released_mutex_goes_to_the_next_thread_in_turn),
        FIXTURE_TEST(a_mutex_that_does_not_exist_is_waited_for_with_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
