/* The information that tests use about their own process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <semaphore.h>

#include "process.h"

enum { ROUNDS = 500 };

static void *wait_for(void *semaphore)
{
    sem_wait(semaphore);
    return NULL;
}

static void join(pthread_t thread, sem_t *semaphore)
{
    sem_post(semaphore);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void threads_count_from_their_creation_to_their_join(void **state)
{
    sem_t semaphore;
    pthread_t thread;
    assert_int_equal(sem_init(&semaphore, 0, 0), 0);
    assert_int_equal(pthread_create(&thread, NULL, wait_for, &semaphore), 0);
    join(thread, &semaphore); /* with the first thread, sanitizers start one of their own */
    unsigned alone = threads_of_this_process();
    assert_int_not_equal(alone, 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        assert_int_equal(pthread_create(&thread, NULL, wait_for, &semaphore), 0);
        assert_int_equal(threads_of_this_process(), alone + 1);
        join(thread, &semaphore);
        assert_int_equal(threads_of_this_process(), alone);
    }
    sem_destroy(&semaphore);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_count_from_their_creation_to_their_join)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
