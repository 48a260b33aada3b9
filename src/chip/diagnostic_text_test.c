/* Diagnostics as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bhemu/diagnostic.h"

static const struct bh_diagnostic of_a_thread = {.category = BH_UNDEFINED_BEHAVIOR,
                                                 .action = BH_STOP,
                                                 .tile_x = 1,
                                                 .tile_y = 2,
                                                 .agent = BH_AGENT_THREAD,
                                                 .index = 1,
                                                 .pc = 0x6404,
                                                 .instruction = 0x26004000,
                                                 .text = "what is wrong"};

static void assert_formatted(const struct bh_diagnostic *diagnostic, const char *expected)
{
    char line[1024];
    bh_diagnostic_format(diagnostic, line, sizeof line);
    assert_string_equal(line, expected);
}

static void one_line_has_everything_there_is_to_know(void **state)
{
    char line[1024];
    int length = bh_diagnostic_format(&of_a_thread, line, sizeof line);
    assert_string_equal(line, "error: UndefinedBehavior: tile (1,2) thread T1 pc 0x00006404 "
                              "[MVMUL clear_dvalid=0, instr_mod19=0, addr_mode=1, dst=0]: what is wrong");
    assert_int_equal(length, strlen(line));
}

static void warnings_are_called_so(void **state)
{
    struct bh_diagnostic diagnostic = of_a_thread;
    diagnostic.action = BH_WARN;
    diagnostic.instruction = 0;
    assert_formatted(&diagnostic, "warning: UndefinedBehavior: tile (1,2) thread T1 pc 0x00006404: what is wrong");
}

static void cores_are_named(void **state)
{
    struct bh_diagnostic diagnostic = of_a_thread;
    diagnostic.agent = BH_AGENT_CORE;
    diagnostic.index = BH_CORE_NC;
    diagnostic.instruction = 0;
    assert_formatted(&diagnostic, "error: UndefinedBehavior: tile (1,2) core NC pc 0x00006404: what is wrong");
}

static void instructions_of_cores_are_riscv(void **state)
{
    struct bh_diagnostic diagnostic = of_a_thread;
    diagnostic.agent = BH_AGENT_CORE;
    diagnostic.index = BH_CORE_T0;
    diagnostic.instruction = 0x00430293;
    assert_formatted(&diagnostic,
                     "error: UndefinedBehavior: tile (1,2) core T0 pc 0x00006404 [addi t0,t1,4]: what is wrong");
}

static void the_host_has_no_pc(void **state)
{
    struct bh_diagnostic diagnostic = of_a_thread;
    diagnostic.agent = BH_AGENT_HOST;
    diagnostic.category = BH_BAD_INPUT;
    assert_formatted(&diagnostic, "error: BadInput: tile (1,2): what is wrong");
}

static void a_short_buffer_is_not_overrun(void **state)
{
    char line[64];
    memset(line, 'x', sizeof line);
    assert_true(bh_diagnostic_format(&of_a_thread, line, 20) > 20);
    assert_int_equal(strlen(line), 19);
    assert_int_equal(line[20], 'x');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_line_has_everything_there_is_to_know),
        cmocka_unit_test(warnings_are_called_so),
        cmocka_unit_test(cores_are_named),
        cmocka_unit_test(instructions_of_cores_are_riscv),
        cmocka_unit_test(the_host_has_no_pc),
        cmocka_unit_test(a_short_buffer_is_not_overrun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
