/* The example of the documentation compiles and does what it says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

int example_main(void);
#define main example_main
#include "../docs/example.c"
#undef main

static void the_example_finds_the_answer(void **context)
{
    assert_int_equal(example_main(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_example_finds_the_answer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
