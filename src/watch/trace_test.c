/* Traces of events that are made up here: what no kernel of the project does. tests/trace/check_chrome.py checks the
   files, and what is in them is looked for as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bhemu/trace.h"

enum { PACKET = 16384 };

static char path[100], text[1 << 22];

struct test {
    struct bh_trace *trace;
    struct bh_trace_options options;
};

static int set_up(void **context)
{
    static struct test test;
    test = (struct test){};
    snprintf(path, sizeof path, "/tmp/bhemu_trace_test_%d.json", (int)getpid());
    *context = &test;
    return 0;
}

static int tear_down(void **context)
{
    unlink(path);
    return 0;
}

static void begin(struct test *test)
{
    assert_int_equal(bh_trace_open(path, &test->options, &test->trace, NULL), BH_OK);
}

static void tell(const struct test *test, struct bh_event event)
{
    const struct bh_observer *observer = bh_trace_observer(test->trace);
    event.place_x = event.place_x ? event.place_x : event.tile_x;
    event.place_y = event.place_y ? event.place_y : event.tile_y;
    if (observer->kinds >> event.kind & 1) {
        observer->on_event(observer->context, &event);
    }
}

/* Closes the trace; `text` becomes the file, which is valid. */
static void end(struct test *test)
{
    char command[300];
    assert_int_equal(bh_trace_close(test->trace, NULL), BH_OK);
    snprintf(command, sizeof command, "python3 " BHEMU_SOURCE_DIR "/tests/trace/check_chrome.py %s > /dev/null", path);
    assert_int_equal(system(command), 0);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
}

static unsigned count(const char *part)
{
    unsigned found = 0;
    for (const char *at = text; (at = strstr(at, part)); at++) {
        found++;
    }
    return found;
}

static void contains(const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("\"%.2000s\" has no %s", text, part);
    }
}

/* Of core B of tile (1,2), to or from (2,2). */
static struct bh_event request(enum bh_event_kind kind, unsigned x, uint64_t cycle, enum bh_noc_request what,
                               uint32_t number, uint32_t offset, uint32_t size)
{
    bool reads = what == BH_NOC_READ;
    return (struct bh_event){.kind = (uint16_t)kind,
                             .tile_x = (uint8_t)x,
                             .tile_y = 2,
                             .cycle = cycle,
                             .agent = BH_AGENT_NIU,
                             .place = {.agent = BH_AGENT_CORE, .index = BH_CORE_B},
                             .place_x = 1,
                             .place_y = 2,
                             .noc = {.request = (uint8_t)what,
                                     .responds = true,
                                     .initiator_x = 1,
                                     .initiator_y = 2,
                                     .from_x = reads ? 2 : 1,
                                     .from_y = 2,
                                     .to_x = reads ? 1 : 2,
                                     .to_y = 2,
                                     .number = number,
                                     .offset = offset,
                                     .size = size}};
}

static struct bh_event core(enum bh_event_kind kind, uint64_t cycle, uint32_t pc, uint32_t word)
{
    return (struct bh_event){.kind = (uint16_t)kind,
                             .tile_x = 1,
                             .tile_y = 2,
                             .cycle = cycle,
                             .agent = BH_AGENT_CORE,
                             .place = {.agent = BH_AGENT_CORE, .index = BH_CORE_B, .pc = pc},
                             .instruction = word};
}

/* A read of three packets, two of which are on their way back at the same time: a flow each, and one slice for all. */
static void a_long_read_has_a_flow_for_each_packet(void **context)
{
    struct test *test = *context;
    begin(test);
    tell(test, request(BH_EVENT_NOC_SENT, 1, 10, BH_NOC_READ, 7, 0, 2 * PACKET + 64));
    tell(test, request(BH_EVENT_NOC_ARRIVED, 2, 100, BH_NOC_READ, 7, 0, PACKET));
    tell(test, request(BH_EVENT_NOC_ARRIVED, 2, 150, BH_NOC_READ, 7, PACKET, PACKET));
    tell(test, request(BH_EVENT_NOC_ACKNOWLEDGED, 1, 200, BH_NOC_READ, 7, 0, PACKET));
    tell(test, request(BH_EVENT_NOC_ARRIVED, 2, 250, BH_NOC_READ, 7, 2 * PACKET, 64));
    tell(test, request(BH_EVENT_NOC_ACKNOWLEDGED, 1, 300, BH_NOC_READ, 7, PACKET, PACKET));
    tell(test, request(BH_EVENT_NOC_ACKNOWLEDGED, 1, 310, BH_NOC_READ, 7, 2 * PACKET, 64));
    end(test);
    assert_int_equal(count("\"ph\":\"s\""), 3);
    contains("\"ph\":\"s\",\"cat\":\"noc\",\"name\":\"read\",\"pid\":67,\"tid\":53,\"ts\":150,\"id\":2}");
    contains("\"ph\":\"f\",\"cat\":\"noc\",\"name\":\"read\",\"pid\":66,\"tid\":54,\"ts\":300,\"id\":2,\"bp\":\"e\"}");
    assert_int_equal(count("\"ph\":\"b\""), 1);
    contains("\"ph\":\"e\",\"cat\":\"noc\",\"name\":\"in flight\",\"pid\":66,\"tid\":53,\"ts\":310,\"id\":\"1-2:7\"}");
}

/* What comes of requests that began before the trace is shown, without a flow. */
static void requests_from_before_have_no_flow(void **context)
{
    struct test *test = *context;
    begin(test);
    tell(test, request(BH_EVENT_NOC_ARRIVED, 2, 100, BH_NOC_WRITE, 7, 0, 64));
    tell(test, request(BH_EVENT_NOC_ACKNOWLEDGED, 1, 130, BH_NOC_READ, 8, 0, 64));
    end(test);
    contains("\"name\":\"write arrives\"");
    contains("\"name\":\"read returns\"");
    assert_int_equal(count("\"ph\":\"s\""), 0);
    assert_int_equal(count("\"ph\":\"e\""), 0);
}

/* More requests than are remembered, none of which is ever answered. */
static void requests_without_an_end_end_with_the_trace(void **context)
{
    struct test *test = *context;
    begin(test);
    for (uint32_t i = 0; i < 6000; i++) {
        tell(test, request(BH_EVENT_NOC_SENT, 1, i, BH_NOC_WRITE, i, 0, 64));
    }
    end(test);
    assert_int_equal(count("\"ph\":\"b\""), 6000);
    assert_int_equal(count("\"ph\":\"e\""), 6000);
}

/* Timed mode: an instruction lasts to the next one; not if the core was not run for long; nor over a reset. */
static void a_core_that_stands_still_has_a_gap(void **context)
{
    struct test *test = *context;
    test->options.mode = BH_MODE_TIMED;
    begin(test);
    tell(test, core(BH_EVENT_ISSUED, 10, 0x100, 0x00000013));
    tell(test, core(BH_EVENT_RETIRED, 10, 0x100, 0x00000013));
    tell(test, core(BH_EVENT_ISSUED, 17, 0x104, 0x00000013));
    tell(test, core(BH_EVENT_RETIRED, 17, 0x104, 0x00000013));
    tell(test, core(BH_EVENT_ISSUED, 9000, 0x108, 0x00000013)); /* and a reset */
    tell(test, core(BH_EVENT_ISSUED, 9100, 0x0, 0x00000013));
    tell(test, core(BH_EVENT_RETIRED, 9100, 0x0, 0x00000013));
    end(test);
    contains("\"ts\":10,\"dur\":7,\"args\":{\"pc\":\"0x00000100\"}");
    contains("\"ts\":17,\"dur\":1,\"args\":{\"pc\":\"0x00000104\"}");
    contains("\"ts\":9100,\"dur\":1,\"args\":{\"pc\":\"0x00000000\"}");
    assert_null(strstr(text, "0x00000108"));
}

static void tell_instruction(const struct test *test, uint64_t cycle, uint32_t pc)
{
    tell(test, core(BH_EVENT_ISSUED, cycle, pc, 0x00000013));
    tell(test, core(BH_EVENT_RETIRED, cycle, pc, 0x00000013));
}

/* A core retires up to four instructions in a cycle: each is a quarter of it, and no later one is delayed. */
static void instructions_of_a_cycle_are_quarters_of_it(void **context)
{
    struct test *test = *context;
    test->options.mode = BH_MODE_TIMED;
    begin(test);
    for (uint32_t pc = 0x100; pc < 0x110; pc += 4) {
        tell_instruction(test, 10, pc);
    }
    tell_instruction(test, 11, 0x110);
    struct bh_event waits = core(BH_EVENT_WAIT_BEGAN, 11, 0x114, 0x00000013);
    waits.wait.reason = BH_WAIT_FIFO;
    tell(test, core(BH_EVENT_ISSUED, 11, 0x114, 0x00000013));
    tell(test, waits);
    waits.kind = BH_EVENT_WAIT_ENDED;
    waits.cycle = 20;
    tell(test, waits);
    tell(test, core(BH_EVENT_RETIRED, 20, 0x114, 0x00000013));
    tell_instruction(test, 21, 0x118);
    end(test);
    contains("\"ts\":10,\"dur\":0.25,\"args\":{\"pc\":\"0x00000100\"}");
    contains("\"ts\":10.25,\"dur\":0.25,\"args\":{\"pc\":\"0x00000104\"}");
    contains("\"ts\":10.5,\"dur\":0.25,\"args\":{\"pc\":\"0x00000108\"}");
    contains("\"ts\":10.75,\"dur\":0.25,\"args\":{\"pc\":\"0x0000010c\"}");
    contains("\"ts\":11,\"dur\":0.25,\"args\":{\"pc\":\"0x00000110\"}");
    contains("\"ts\":11.25,\"dur\":8.75,\"args\":{\"for\"");
    contains("\"ts\":11.25,\"dur\":9.75,\"args\":{\"pc\":\"0x00000114\"}");
    contains("\"ts\":21,\"dur\":1,\"args\":{\"pc\":\"0x00000118\"}");
}

/* What stands before the gate while the instruction in front of it still works waits, as profiles have it. */
static void a_thread_is_kept_by_its_own_instructions(void **context)
{
    static const uint64_t came[] = {10, 11, 18}, passes[] = {10, 13, 18};
    struct test *test = *context;
    test->options.mode = BH_MODE_TIMED;
    begin(test);
    for (unsigned i = 0; i < 3; i++) {
        struct bh_event of = {.kind = BH_EVENT_ISSUED,
                              .tile_x = 1,
                              .tile_y = 2,
                              .cycle = passes[i],
                              .agent = BH_AGENT_THREAD,
                              .place = {.agent = BH_AGENT_THREAD, .pc = 0x100 + 4 * i},
                              .instruction = 0x58000000,
                              .issue.came = came[i]};
        tell(test, of);
        of.kind = BH_EVENT_RETIRED;
        tell(test, of);
    }
    end(test);
    assert_int_equal(count("wait: unit"), 1);
    contains("\"ts\":11,\"dur\":2,\"args\":{\"for\"");
}

/* Merged, they are one slice; a fifth in a cycle is in the next one. */
static void merged_instructions_of_a_cycle_are_one_slice(void **context)
{
    struct test *test = *context;
    test->options.mode = BH_MODE_TIMED;
    test->options.merge = true;
    begin(test);
    for (uint32_t pc = 0x100; pc < 0x114; pc += 4) {
        tell_instruction(test, 10, pc);
    }
    end(test);
    contains("\"name\":\"5 instructions\"");
    contains("\"ts\":10,\"dur\":2,\"args\":{\"pc\":\"0x00000100\",\"instructions\":5}");
}

/* Two threads use a unit at the same time: two tracks. */
static void units_that_are_shared_have_more_tracks(void **context)
{
    struct test *test = *context;
    test->options.mode = BH_MODE_TIMED;
    begin(test);
    for (uint8_t thread = 0; thread < 3; thread++) {
        tell(test, (struct bh_event){.kind = BH_EVENT_OCCUPIED,
                                     .tile_x = 1,
                                     .tile_y = 2,
                                     .cycle = 100,
                                     .agent = BH_AGENT_THREAD,
                                     .index = thread,
                                     .place = {.agent = BH_AGENT_THREAD, .index = thread},
                                     .instruction = 0x02000000,
                                     .occupied = {.unit = BH_UNIT_SCALAR, .from = 100, .to = 104}});
    }
    end(test);
    contains("{\"name\":\"scalar\"}");
    contains("{\"name\":\"scalar (2)\"}");
    contains("{\"name\":\"scalar (3)\"}");
    assert_int_equal(count("\"ts\":100,\"dur\":4"), 3);
}

/* What goes on beyond the time of the trace ends there. */
static void slices_are_cut_at_both_ends(void **context)
{
    struct test *test = *context;
    test->options.mode = BH_MODE_TIMED;
    test->options.from = 100;
    test->options.to = 109;
    begin(test);
    tell(test, (struct bh_event){.kind = BH_EVENT_OCCUPIED,
                                 .tile_x = 1,
                                 .tile_y = 2,
                                 .cycle = 90,
                                 .agent = BH_AGENT_THREAD,
                                 .place = {.agent = BH_AGENT_THREAD},
                                 .instruction = 0x02000000,
                                 .occupied = {.unit = BH_UNIT_SCALAR, .from = 90, .to = 200}});
    end(test);
    contains("\"ts\":100,\"dur\":10,");
}

static struct bh_event wild_event(uint32_t *state)
{
    struct bh_event event;
    unsigned char *bytes = (unsigned char *)&event;
    for (unsigned i = 0; i < sizeof event; i++) {
        *state = *state * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(*state >> 24);
    }
    event.kind %= BH_EVENT_KINDS;
    event.tile_x = event.place_x = event.tile_x % 17;
    event.tile_y = event.place_y = event.tile_y % 12;
    event.cycle %= 10000;
    event.place.agent = (enum bh_agent)(event.agent % BH_AGENTS);
    if (event.kind == BH_EVENT_ACCESS) {
        event.access.data = NULL;
    } else if (event.kind == BH_EVENT_OCCUPIED) {
        event.occupied.unit %= BH_UNITS;
        event.occupied.from %= 10000;
        event.occupied.to %= 20000;
    }
    return event;
}

/* Words that are no instruction, agents and reasons that are none. */
static void wild_events_leave_a_valid_file(void **context)
{
    struct test *test = *context;
    uint32_t state = 1;
    for (unsigned merge = 0; merge < 2; merge++) {
        test->options.merge = merge;
        begin(test);
        for (unsigned i = 0; i < 20000; i++) {
            tell(test, wild_event(&state));
        }
        end(test);
    }
}

static void wild_events_leave_files_of_the_profiler(void **context)
{
    char folder[100], command[300];
    struct bh_profile_log *log;
    struct bh_ops_report *report;
    struct bh_noc_trace *noc;
    snprintf(folder, sizeof folder, "/tmp/bhemu_noc_test_%d", (int)getpid());
    assert_int_equal(bh_profile_log_open(path, NULL, &log, NULL), BH_OK);
    assert_int_equal(bh_ops_report_open("/dev/null", NULL, &report, NULL), BH_OK);
    assert_int_equal(bh_noc_trace_open(folder, NULL, &noc, NULL), BH_OK);
    const struct bh_observer *observers[] = {bh_profile_log_observer(log), bh_ops_report_observer(report),
                                             bh_noc_trace_observer(noc)};
    uint32_t state = 1;
    for (unsigned i = 0; i < 20000; i++) {
        const struct bh_event event = wild_event(&state);
        for (unsigned j = 0; j < 3; j++) {
            if (observers[j]->kinds >> event.kind & 1) {
                observers[j]->on_event(observers[j]->context, &event);
            }
        }
    }
    assert_int_equal(bh_profile_log_close(log, NULL), BH_OK);
    assert_int_equal(bh_ops_report_close(report, NULL), BH_OK);
    assert_int_equal(bh_noc_trace_close(noc, NULL), BH_OK);
    snprintf(command, sizeof command, "python3 " BHEMU_SOURCE_DIR "/tests/trace/check_profiler.py log %s >/dev/null",
             path);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

static void wrong_arguments_are_refused(void **context)
{
    struct bh_trace *trace;
    struct bh_error error;
    assert_int_equal(bh_trace_open(NULL, NULL, &trace, &error), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_trace_open(path, NULL, NULL, &error), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_trace_open("/no/such/folder/trace", NULL, &trace, NULL), BH_ERROR_IO);
    const struct bh_trace_options backwards = {.from = 20, .to = 10};
    assert_int_equal(bh_trace_open(path, &backwards, &trace, &error), BH_ERROR_ARGUMENT);
    assert_string_equal(error.text, "the time ends before it begins");
    assert_int_equal(bh_trace_close(NULL, &error), BH_OK);
    struct bh_profile_log *log;
    struct bh_ops_report *report;
    struct bh_noc_trace *noc;
    assert_int_equal(bh_profile_log_open(NULL, NULL, &log, &error), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_ops_report_open(NULL, NULL, &report, &error), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_noc_trace_open(NULL, NULL, &noc, &error), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_profile_log_close(NULL, NULL), BH_OK);
    assert_int_equal(bh_ops_report_close(NULL, NULL), BH_OK);
    assert_int_equal(bh_noc_trace_close(NULL, NULL), BH_OK);
}

#define TRACE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TRACE_TEST(a_long_read_has_a_flow_for_each_packet),
        TRACE_TEST(requests_from_before_have_no_flow),
        TRACE_TEST(requests_without_an_end_end_with_the_trace),
        TRACE_TEST(a_core_that_stands_still_has_a_gap),
        TRACE_TEST(instructions_of_a_cycle_are_quarters_of_it),
        TRACE_TEST(merged_instructions_of_a_cycle_are_one_slice),
        TRACE_TEST(slices_are_cut_at_both_ends),
        TRACE_TEST(a_thread_is_kept_by_its_own_instructions),
        TRACE_TEST(units_that_are_shared_have_more_tracks),
        TRACE_TEST(wild_events_leave_a_valid_file),
        TRACE_TEST(wild_events_leave_files_of_the_profiler),
        TRACE_TEST(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
