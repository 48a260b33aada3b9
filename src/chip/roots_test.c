/* The first line of a report says which wait nobody can end; a report, also as a graph, changes nothing. */
#include <stdio.h>
#include <string.h>

#include "bhemu/report.h"
#include "chip/device_fixture.h"
#include "chip/rv32_words.h"
#include "isa/tensix_text.h"

enum { X = 1, Y = 2, ADDRESS = 0x1000, APART = 0x1000, POLL_BACK = 0xfe030ee3 /* beqz t1 to the load before it */ };

static uint32_t tt(const char *text)
{
    uint32_t word = 0;
    struct tensix_text_error error;
    assert_true(tensix_assemble(text, &word, &error));
    return word << 2 | word >> 30;
}

static void start_at(struct fixture *fixture, unsigned x, unsigned y, enum bh_core core, const uint32_t *words,
                     unsigned count)
{
    uint32_t pc = ADDRESS + core * APART;
    assert_int_equal(bh_write(fixture->device, x, y, pc, words, count * 4), BH_OK);
    assert_int_equal(bh_core_start(fixture->device, x, y, core, pc), BH_OK);
}

#define START(fixture, core, ...)                                                                                      \
    start_at(fixture, X, Y, core, (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / 4)

/* Asserts that the run ends with a deadlock, and what its first line is. */
static void assert_root(struct fixture *fixture, const char *root)
{
    assert_int_equal(bh_run(fixture->device, 3000000, &fixture->result), BH_ERROR_STOPPED);
    assert_int_equal(fixture->result.reason, BH_RAN_DEADLOCK);
    size_t length = strcspn(fixture->last.text, "\n");
    if (length != strlen(root) || memcmp(fixture->last.text, root, length) != 0) {
        fail_msg("the first line is not \"%s\":\n%s", root, fixture->last.text);
    }
}

static void the_root_is_the_bank_that_nobody_fills(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, tt("SETDVALID setvalid=1"), SELF_JUMP);
    START(fixture, BH_CORE_T1, tt("MVMUL clear_dvalid=1, instr_mod19=0, addr_mode=0, dst=0"), lui(T0, 0xFFE80000),
          sw(0, T0, 4), lw(T1, T0, 4), SELF_JUMP);
    START(fixture, BH_CORE_T2, tt("SEMINIT max_value=2, init_value=0, sem_sel=2"),
          tt("SEMWAIT stall_res=511, sem_sel=2, wait_sem_cond=1"), tt("NOP"), SELF_JUMP);
    assert_root(fixture, "thread T1 waits for SrcB; nothing unpacks to it");
}

/* As before, but T0 has code ahead that fills SrcB; it waits for a message that B does not send. */
static void who_could_fill_it_is_waited_for(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, tt("SETDVALID setvalid=1"), lui(T0, 0xFFEC0000), lw(T1, T0, 0),
          tt("SETDVALID setvalid=2"), SELF_JUMP);
    START(fixture, BH_CORE_T1, tt("MVMUL clear_dvalid=1, instr_mod19=0, addr_mode=0, dst=0"), SELF_JUMP);
    assert_root(fixture, "core T0 waits for a value from B in its mailbox; B is in reset");
}

static void the_root_is_the_semaphore_that_nobody_posts(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, tt("SEMINIT max_value=2, init_value=0, sem_sel=6"),
          tt("SEMWAIT stall_res=511, sem_sel=4, wait_sem_cond=1"), tt("SEMPOST sem_sel=2"), SELF_JUMP);
    START(fixture, BH_CORE_T1, addi(T0, 0, 100), addi(T0, T0, -1), bne(T0, 0, -4),
          tt("SEMWAIT stall_res=511, sem_sel=2, wait_sem_cond=1"), tt("NOP"), SELF_JUMP);
    assert_root(fixture, "thread T0 waits for semaphore 2; nothing posts it");
}

static void waits_in_a_circle_are_named(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_B, lui(T0, 0xFFEC1000), lw(T1, T0, 0), SELF_JUMP);
    START(fixture, BH_CORE_T0, lui(T0, 0xFFEC0000), lw(T1, T0, 0), SELF_JUMP);
    START(fixture, BH_CORE_T1, lui(T0, 0xFFEC1000), lw(T1, T0, 0), SELF_JUMP);
    assert_root(fixture,
                "core B waits for a value from T0 in its mailbox, core T0 for a value from B in its mailbox: a "
                "circle");
    assert_int_equal(fixture->last.places_count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_memory_equal(fixture->last.text + fixture->last.lines[i], "core ", 5);
    }
}

static void the_root_is_who_keeps_a_mutex(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, tt("ATGETM mutex_index=2"), SELF_JUMP);
    START(fixture, BH_CORE_T1, addi(T0, 0, 100), addi(T0, T0, -1), bne(T0, 0, -4), tt("ATGETM mutex_index=2"),
          lui(T0, 0xFFE80000), sw(0, T0, 4), lw(T1, T0, 4), SELF_JUMP);
    assert_root(fixture, "thread T1 waits for mutex 2; T0 holds it and does not release it");
}

/* B polls a counter of the responses to its reads, of which there are none; T1 waits for B. */
static void the_root_is_the_response_to_no_request(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_B, lui(T0, 0xFFB20000), lw(T1, T0, 0x208), POLL_BACK, SELF_JUMP);
    START(fixture, BH_CORE_T1, lui(T0, 0xFFEC0000), lw(T1, T0, 0), SELF_JUMP);
    assert_root(fixture,
                "core B waits for NIU_MST_RD_RESP_RECEIVED to change, which is 0x0; no request of this tile is "
                "under way");
}

/* Behind a jump to a computed address there may be anything: T1's wait is not called endless. */
static void what_is_not_known_is_not_claimed(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, lui(T0, 0xFFEC0000), lw(T1, T0, 0), T1 << 15 | 0x67 /* jr t1 */);
    START(fixture, BH_CORE_T1, tt("MVMUL clear_dvalid=1, instr_mod19=0, addr_mode=0, dst=0"), SELF_JUMP);
    assert_root(fixture, "core T0 waits for a value from B in its mailbox; B is in reset");
}

/* The tile with the root comes first, whatever its place. */
static void the_tile_with_the_root_comes_first(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t poll[] = {lui(T0, 0x20000), lw(T1, T0, 0), POLL_BACK, SELF_JUMP};
    const uint32_t wait[] = {lui(T0, 0xFFEC0000), lw(T1, T0, 0), SELF_JUMP};
    for (unsigned x = 1; x <= 6; x++) {
        start_at(fixture, x, Y, BH_CORE_B, poll, 4);
    }
    start_at(fixture, 7, Y, BH_CORE_T0, wait, 3);
    bh_run(fixture->device, 3000000, NULL);
    assert_int_equal(fixture->diagnostics, 2);
    assert_non_null(strstr(fixture->last.text, "\n  5 more tiles like (1,2): (2,2), (3,2)"));
    assert_int_equal(fixture->last.tile_x, 1);
}

/* Two devices with the same programs: a poll of L1, a count in L1, a poll of the wall clock, waits of all kinds. One is
   looked at again and again. */
static void a_report_changes_nothing(void **context)
{
    for (unsigned timed = 0; timed < 2; timed++) {
        struct bh_device_config config = {.mode = timed ? BH_MODE_TIMED : BH_MODE_FUNCTIONAL,
                                          .on_diagnostic = on_diagnostic};
        struct fixture pair[2] = {};
        for (unsigned i = 0; i < 2; i++) {
            config.context = &pair[i];
            assert_int_equal(bh_device_create(&config, &pair[i].device), BH_OK);
            START(&pair[i], BH_CORE_B, lui(T0, 0xFFB12000), lw(T1, T0, 0x1f0), 0xffdff06f);
            START(&pair[i], BH_CORE_T0, lui(T0, 0x20000), lw(T1, T0, 0), POLL_BACK, SELF_JUMP);
            START(&pair[i], BH_CORE_T1, lui(T0, 0x30000), addi(T1, T1, 1), sw(T1, T0, 0), tt("SEMPOST sem_sel=2"),
                  0xff5ff06f);
            START(&pair[i], BH_CORE_T2, tt("SEMWAIT stall_res=511, sem_sel=4, wait_sem_cond=1"), tt("NOP"), SELF_JUMP);
            START(&pair[i], BH_CORE_NC, lui(T0, 0xFFB20000), lw(T1, T0, 0x208), POLL_BACK, SELF_JUMP);
        }
        static uint8_t memory[2][0x40000];
        for (unsigned step = 0; step < 50; step++) {
            for (unsigned i = 0; i < 2; i++) {
                assert_int_equal(bh_run(pair[i].device, 1037, NULL), BH_OK);
            }
            bh_report(pair[0].device);
        }
        for (unsigned i = 0; i < 2; i++) {
            assert_int_equal(bh_read(pair[i].device, X, Y, 0, memory[i], sizeof memory[i]), BH_OK);
        }
        assert_memory_equal(memory[0], memory[1], sizeof memory[0]);
        assert_int_equal(bh_clock(pair[0].device), bh_clock(pair[1].device));
        assert_true(pair[0].diagnostics >= 50);
        assert_int_equal(pair[1].diagnostics, 0);
        assert_non_null(strstr(pair[0].last.text, " polls 0x00020000 in L1, reads 0x0"));
        assert_non_null(strstr(pair[0].last.text, "polls 0xffb20208 (NIU_MST_RD_RESP_RECEIVED), reads 0x0"));
        bh_device_destroy(pair[0].device);
        bh_device_destroy(pair[1].device);
    }
}

static void collect(void *context, const char *text)
{
    strcat(context, text);
}

static void the_graph_has_an_edge_for_each_wait(void **context)
{
    struct fixture *fixture = *context;
    char text[8000] = "";
    START(fixture, BH_CORE_T1, tt("MVMUL clear_dvalid=1, instr_mod19=0, addr_mode=0, dst=0"), lui(T0, 0xFFE80000),
          sw(0, T0, 4), lw(T1, T0, 4), SELF_JUMP);
    assert_int_equal(bh_report_graph(NULL, collect, text), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_report_graph(fixture->device, NULL, text), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_run(fixture->device, 3000000, NULL), BH_ERROR_STOPPED);
    assert_int_equal(bh_report_graph(fixture->device, collect, text), BH_OK);
    assert_memory_equal(text, "digraph waits {\n", 16);
    assert_non_null(strstr(text, "label=\"tile (1,2)\";\n"));
    assert_non_null(strstr(text, "    t0n2 -> t0n6 [label=\"its thread to finish\"];\n"));
    assert_non_null(strstr(text, "    t0n6 -> t0n6_ [label=\"SrcA\", style=dashed];\n"));
    assert_non_null(strstr(text, "SrcA bank 0 belongs to the unpackers: nothing was unpacked into it"));
    assert_string_equal(text + strlen(text) - 6, "  }\n}\n");
    unsigned red = 0;
    for (const char *at = text; (at = strstr(at, "color=red")); at++) {
        red++;
    }
    assert_int_equal(red, 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_root_is_the_bank_that_nobody_fills),
        TEST(who_could_fill_it_is_waited_for),
        TEST(the_root_is_the_semaphore_that_nobody_posts),
        TEST(waits_in_a_circle_are_named),
        TEST(the_root_is_who_keeps_a_mutex),
        TEST(the_root_is_the_response_to_no_request),
        TEST(what_is_not_known_is_not_claimed),
        TEST(the_tile_with_the_root_comes_first),
        TEST(a_report_changes_nothing),
        TEST(the_graph_has_an_edge_for_each_wait),
    };
    return cmocka_run_group_tests_name("chip.roots", tests, NULL, NULL);
}
