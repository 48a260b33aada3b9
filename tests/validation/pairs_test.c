#include "validation/pairs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct measured sixty_four_bytes = {
    .group = "noc", .what = "transfer ONE_TO_ONE unicast L1", .params = "bytes=64;same_axis=true", .unit = "cycles"};
static const struct measured dependent = {
    .group = "riscv", .what = "RISC-V loop body: mul dep", .params = "brisc;10 rounds", .unit = "cycles"};

static void one_parameter_makes_a_pair(void **state)
{
    (void)state;
    struct measured other = sixty_four_bytes;
    assert_false(rows_are_a_pair(&sixty_four_bytes, &other));
    assert_true(rows_are_a_pair(&sixty_four_bytes, &(struct measured){.group = "noc",
                                                                      .what = "transfer ONE_TO_ONE unicast L1",
                                                                      .params = "bytes=512;same_axis=true",
                                                                      .unit = "cycles"}));
    assert_true(rows_are_a_pair(&sixty_four_bytes, &(struct measured){.group = "noc",
                                                                      .what = "transfer ONE_TO_ONE unicast L1",
                                                                      .params = "same_axis=true",
                                                                      .unit = "cycles"}));
    assert_false(rows_are_a_pair(&sixty_four_bytes, &(struct measured){.group = "noc",
                                                                       .what = "transfer ONE_TO_ONE unicast L1",
                                                                       .params = "bytes=512",
                                                                       .unit = "cycles"}));
}

static void one_word_of_the_name_makes_a_pair(void **state)
{
    (void)state;
    struct measured other = {.group = "noc",
                             .what = "transfer ONE_FROM_ONE unicast L1",
                             .params = "bytes=64;same_axis=true",
                             .unit = "cycles"};
    assert_true(rows_are_a_pair(&sixty_four_bytes, &other));
    other.params[6] = '1';
    assert_false(rows_are_a_pair(&sixty_four_bytes, &other));
}

static void all_behind_the_colon_is_one_word(void **state)
{
    (void)state;
    struct measured other = {
        .group = "riscv", .what = "RISC-V loop body: add", .params = "brisc;10 rounds", .unit = "cycles"};
    assert_true(rows_are_a_pair(&dependent, &other));
    assert_true(rows_are_a_pair(&dependent, &(struct measured){.group = "riscv",
                                                               .what = "RISC-V loop body: mul dep",
                                                               .params = "ncrisc;10 rounds",
                                                               .unit = "cycles"}));
}

static void other_units_and_groups_do_not_compare(void **state)
{
    (void)state;
    assert_false(rows_are_a_pair(
        &dependent, &(struct measured){
                        .group = "riscv", .what = "RISC-V loop body: add", .params = "brisc;10 rounds", .unit = "us"}));
    assert_false(rows_are_a_pair(&dependent, &(struct measured){.group = "tensix",
                                                                .what = "RISC-V loop body: add",
                                                                .params = "brisc;10 rounds",
                                                                .unit = "cycles"}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_parameter_makes_a_pair),
        cmocka_unit_test(one_word_of_the_name_makes_a_pair),
        cmocka_unit_test(all_behind_the_colon_is_one_word),
        cmocka_unit_test(other_units_and_groups_do_not_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
