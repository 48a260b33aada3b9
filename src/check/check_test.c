/* The checker with events that are made up here: one rule at a time, broken and kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bhemu/check.h"
#include "isa/tensix_text.h"

enum { X = 1, Y = 2, BUFFER = 0x30000, FLAG = 0x40000, STREAM_8 = 0xffb40020, PUSH = 0xffe40000 };
enum { IDLE = 0xffe80004, MOP_IDLE = 0xffe80008, MOP_CONFIG = 0xffb80000, SEMAPHORE_1 = 0xffe80024 };
enum { READS = 0xffb20208, ACKS = 0xffb20204, JUMP_TO_ITSELF = 0x6f, LW_A0 = 0x0005a503, SW_A0 = 0x00a5a023 };
enum { FENCE = 0x0ff0000f, BRANCH_BACK_IF_A0_IS_0 = 0xfe050ce3, SW_SP = 0x00a12023, NOP = 0x13 }; /* beqz a0, -8 */

struct test {
    struct bh_check *check;
    unsigned found;
    char rules[1000]; /* of what was told, with a blank behind each */
    char last[4000];
    uint32_t requests;
};

static void on_finding(void *context, const struct bh_check_finding *finding)
{
    struct test *test = context;
    test->found++;
    strcat(strcat(test->rules, finding->rule), " ");
    bh_check_format(test->check, finding, test->last, sizeof test->last);
}

static int set_up(void **context)
{
    struct test *test = calloc(1, sizeof *test);
    const struct bh_check_options options = {.tools = BH_CHECK_ALL_TOOLS & ~BH_CHECK_TOOL_BIT(BH_CHECK_INITIALISATION),
                                             .on_finding = on_finding,
                                             .context = test};
    assert_int_equal(bh_check_open(&options, &test->check, NULL), BH_OK);
    *context = test;
    return 0;
}

static int tear_down(void **context)
{
    struct test *test = *context;
    bh_check_close(test->check);
    free(test);
    return 0;
}

static void tell(struct test *test, struct bh_event event)
{
    const struct bh_observer *observer = bh_check_observer(test->check);
    event.tile_x = event.tile_x ? event.tile_x : X;
    event.tile_y = event.tile_y ? event.tile_y : Y;
    event.place_x = event.place_x ? event.place_x : event.tile_x;
    event.place_y = event.place_y ? event.place_y : event.tile_y;
    if (observer->kinds >> event.kind & 1) {
        observer->on_event(observer->context, &event);
    }
}

/* Cores. */

static struct bh_event of_core(enum bh_event_kind kind, unsigned core, uint32_t pc, uint32_t word)
{
    return (struct bh_event){.kind = (uint16_t)kind,
                             .agent = BH_AGENT_CORE,
                             .index = (uint8_t)core,
                             .place = {.agent = BH_AGENT_CORE, .index = (uint8_t)core, .pc = pc},
                             .instruction = word};
}

static void issue(struct test *test, unsigned core, uint32_t pc, uint32_t word)
{
    tell(test, of_core(BH_EVENT_ISSUED, core, pc, word));
}

static enum bh_space space_of(uint64_t address)
{
    return address < 0x180000 ? BH_SPACE_L1 : address < 0xffb02000 ? BH_SPACE_LOCAL_RAM : BH_SPACE_REGISTER;
}

static void access_by(struct test *test, unsigned core, uint32_t pc, bool write, uint64_t address, uint32_t value)
{
    uint32_t word = write ? SW_A0 : LW_A0;
    issue(test, core, pc, word);
    struct bh_event event = of_core(BH_EVENT_ACCESS, core, pc, word);
    event.access = (struct bh_access){
        .space = (uint8_t)space_of(address), .write = write, .size = 4, .address = address, .data = &value};
    tell(test, event);
}

static void load(struct test *test, unsigned core, uint32_t pc, uint64_t address)
{
    access_by(test, core, pc, false, address, 0);
}

static void store(struct test *test, unsigned core, uint32_t pc, uint64_t address)
{
    access_by(test, core, pc, true, address, 0);
}

/* A load, and a branch back to it as long as it is 0: once round. */
static void poll(struct test *test, unsigned core, uint32_t pc, uint64_t address)
{
    issue(test, core, pc, FENCE);
    load(test, core, pc + 4, address);
    issue(test, core, pc + 8, BRANCH_BACK_IF_A0_IS_0);
}

/* So many other instructions that a load is no poll any more. */
static void go_on(struct test *test, unsigned core)
{
    for (unsigned i = 0; i < 100; i++) {
        issue(test, core, 0x5000 + 4 * i, NOP);
    }
}

/* Threads. */

static uint32_t word_of(const char *text)
{
    uint32_t word = 0;
    struct tensix_text_error error;
    if (!tensix_assemble(text, &word, &error)) {
        fail_msg("%s: %s", text, error.text);
    }
    return word;
}

static struct bh_event of_thread(enum bh_event_kind kind, unsigned thread, uint32_t pc, const char *text)
{
    return (struct bh_event){.kind = (uint16_t)kind,
                             .agent = BH_AGENT_THREAD,
                             .index = (uint8_t)thread,
                             .place = {.agent = BH_AGENT_THREAD, .index = (uint8_t)thread, .pc = pc},
                             .instruction = word_of(text)};
}

static struct bh_event operand_of(unsigned thread, uint32_t pc, const char *text, struct bh_operand operand)
{
    struct bh_event event = of_thread(BH_EVENT_OPERAND, thread, pc, text);
    event.operand = operand;
    return event;
}

/* An instruction with up to one operand and one access to L1. */
static void execute_with(struct test *test, unsigned thread, uint32_t pc, const char *text,
                         const struct bh_operand *operand, const struct bh_access *access, enum bh_agent agent)
{
    tell(test, of_thread(BH_EVENT_ISSUED, thread, pc, text));
    if (operand) {
        tell(test, operand_of(thread, pc, text, *operand));
    }
    if (access) {
        struct bh_event event = of_thread(BH_EVENT_ACCESS, thread, pc, text);
        event.agent = (uint8_t)agent;
        event.index = 0;
        event.access = *access;
        tell(test, event);
    }
    tell(test, of_thread(BH_EVENT_RETIRED, thread, pc, text));
}

static void execute(struct test *test, unsigned thread, uint32_t pc, const char *text)
{
    execute_with(test, thread, pc, text, NULL, NULL, BH_AGENT_THREAD);
}

static const struct bh_operand dst_written = {
    .file = BH_OPERAND_DST, .write = 1, .unit = BH_UNIT_MATRIX, .index = 0, .count = 8};
static const struct bh_operand dst_read = {.file = BH_OPERAND_DST, .unit = BH_UNIT_PACK, .index = 4, .count = 8};
static const struct bh_access l1_read = {.space = BH_SPACE_L1, .size = 64, .address = BUFFER};
static const struct bh_access l1_written = {.space = BH_SPACE_L1, .write = 1, .size = 64, .address = BUFFER};

static void multiply(struct test *test, uint32_t pc)
{
    execute_with(test, 1, pc, "ttmvmul 0,0,0,0", &dst_written, NULL, BH_AGENT_THREAD);
}

static void pack(struct test *test, uint32_t pc)
{
    execute_with(test, 2, pc, "ttpacr 0,0,0,0,0,0,0,0,0,0,0,0", &dst_read, &l1_written, BH_AGENT_PACKER);
}

static void unpack(struct test *test, uint32_t pc)
{
    execute_with(test, 0, pc, "ttunpacr 0,0,0,0,0,1,1,0,0,0,0,0,1", NULL, &l1_read, BH_AGENT_UNPACKER);
}

/* The NoC. */

static uint32_t start(struct test *test, unsigned core, uint32_t pc, enum bh_noc_request kind)
{
    struct bh_event event = of_core(BH_EVENT_NOC_SENT, core, pc, SW_A0);
    event.agent = BH_AGENT_NIU;
    event.index = 0;
    event.noc = (struct bh_noc){.request = (uint8_t)kind, .responds = 1, .number = ++test->requests, .size = 64};
    tell(test, event);
    return test->requests;
}

static void transfer(struct test *test, unsigned core, uint32_t pc, uint32_t request, bool write)
{
    struct bh_event event = of_core(BH_EVENT_ACCESS, core, pc, SW_A0);
    event.agent = BH_AGENT_NIU;
    event.index = 0;
    event.access =
        (struct bh_access){.space = BH_SPACE_L1, .write = write, .size = 64, .address = BUFFER, .request = request};
    tell(test, event);
}

static void acknowledge(struct test *test, unsigned core, uint32_t request)
{
    struct bh_event event = of_core(BH_EVENT_NOC_ACKNOWLEDGED, core, 0, 0);
    event.agent = BH_AGENT_NIU;
    event.noc = (struct bh_noc){.number = request, .size = 64, .responds = 1};
    tell(test, event);
}

/* Tests. Each is told the broken program first, then, by a fresh checker, the right one. */

static void expect(struct test *test, const char *rules)
{
    assert_int_equal(bh_check_end(test->check), BH_OK);
    assert_string_equal(test->rules, rules);
}

static void again(void **context)
{
    tear_down(context);
    set_up(context);
}

static void data_behind_a_flag_that_is_polled(void **context)
{
    for (unsigned polls = 0; polls < 2; polls++, again(context)) {
        struct test *test = *context;
        store(test, BH_CORE_B, 0x100, BUFFER);
        store(test, BH_CORE_B, 0x104, FLAG);
        if (polls) {
            poll(test, BH_CORE_NC, 0x200, FLAG);
        }
        load(test, BH_CORE_NC, 0x300, BUFFER);
        go_on(test, BH_CORE_NC);
        expect(test, polls ? "" : "racecheck.l1 ");
        if (!polls) {
            assert_non_null(
                strstr(test->last, "NC reads L1 0x30000, and nothing orders that behind B, which writes it"));
            assert_non_null(strstr(test->last, "  and 1-2 NC pc 0x00000300"));
            assert_non_null(strstr(test->last, "  at 1-2 B pc 0x00000100"));
        }
    }
}

static void a_poll_without_a_fence(void **context)
{
    struct test *test = *context;
    store(test, BH_CORE_B, 0x100, FLAG);
    issue(test, BH_CORE_NC, 0x1fc, NOP);
    load(test, BH_CORE_NC, 0x200, FLAG);
    issue(test, BH_CORE_NC, 0x204, BRANCH_BACK_IF_A0_IS_0);
    expect(test, "racecheck.l1 ");
    assert_non_null(strstr(test->last, "mend: a fence (invalidate_l1_cache) before the load at pc 0x200"));
}

static void a_register_of_two_cores(void **context)
{
    struct test *test = *context;
    store(test, BH_CORE_B, 0x100, STREAM_8);
    store(test, BH_CORE_NC, 0x200, STREAM_8);
    expect(test, "racecheck.register ");
}

static void a_semaphore_that_is_initialised_late(void **context)
{
    struct test *test = *context;
    execute(test, 0, 0x100, "ttsempost 2");
    execute(test, 1, 0x200, "ttseminit 2,0,2");
    expect(test, "racecheck.semaphore ");
}

static void a_word_that_is_left_in_a_mailbox(void **context)
{
    struct test *test = *context;
    store(test, BH_CORE_B, 0x100, 0xffec1000);
    expect(test, "synccheck.mailbox ");
}

static void two_cores_that_write_one_word(void **context)
{
    struct test *test = *context;
    store(test, BH_CORE_B, 0x100, BUFFER);
    store(test, BH_CORE_NC, 0x200, BUFFER + 4); /* another word */
    store(test, BH_CORE_NC, 0x204, BUFFER);
    expect(test, "racecheck.l1 ");
}

static void stores_before_an_instruction_that_reads_them(void **context)
{
    for (unsigned loads = 0; loads < 2; loads++, again(context)) {
        struct test *test = *context;
        store(test, BH_CORE_T0, 0x100, BUFFER);
        if (loads) {
            load(test, BH_CORE_T0, 0x104, BUFFER);
        }
        access_by(test, BH_CORE_T0, 0x108, true, PUSH, word_of("ttunpacr 0,0,0,0,0,1,1,0,0,0,0,0,1"));
        unpack(test, 0x108);
        expect(test, loads ? "" : "racecheck.l1 ");
    }
}

static void dst_between_matrix_unit_and_packer(void **context)
{
    for (unsigned waits = 0; waits < 3; waits++, again(context)) {
        struct test *test = *context;
        multiply(test, 0x100);
        if (waits) {
            execute(test, 1, 0x104, "ttstallwait 2,2064"); /* SYNC: MATH, SFPU */
        }
        execute(test, 1, 0x108, "ttsempost 2");
        if (waits != 2) {
            execute(test, 2, 0x200, "ttsemwait 1,2,1"); /* TDMA: semaphore 1 is 0 */
        }
        pack(test, 0x204);
        expect(test, waits == 1 ? "" : "racecheck.dst ");
        assert_true(waits == 1 || strstr(test->last, "the packer for T2 reads Dst row 4"));
    }
}

/* Chapter "stallwait conditions": only what the block mask names waits. */
static void a_wait_that_blocks_something_else(void **context)
{
    for (unsigned right = 0; right < 2; right++, again(context)) {
        struct test *test = *context;
        multiply(test, 0x100);
        execute(test, 1, 0x104, right ? "ttstallwait 2,16" : "ttstallwait 128,16"); /* SYNC, CFG: MATH */
        execute(test, 1, 0x108, "ttsempost 2");
        execute(test, 2, 0x200, "ttsemwait 1,2,1");
        pack(test, 0x204);
        expect(test, right ? "" : "racecheck.dst ");
    }
}

static void a_buffer_given_back_while_it_is_unpacked(void **context)
{
    for (unsigned waits = 0; waits < 2; waits++, again(context)) {
        struct test *test = *context;
        const struct bh_access pop = {.space = BH_SPACE_REGISTER, .write = 1, .size = 4, .address = STREAM_8};
        unpack(test, 0x100);
        if (waits) {
            execute(test, 0, 0x104, "ttstallwait 32,6"); /* THCON: both unpackers */
        }
        execute_with(test, 0, 0x108, "ttstorereg 30,0", NULL, &pop, BH_AGENT_THREAD);
        poll(test, BH_CORE_B, 0x200, STREAM_8);
        store(test, BH_CORE_B, 0x208, BUFFER);
        expect(test, waits ? "" : "racecheck.l1 ");
        assert_true(waits || strstr(test->last, "mend: in T0 STALLWAIT(STALL_THCON, UNPACK0)"));
    }
}

static void a_gpr_before_the_scalar_unit_is_done(void **context)
{
    const struct bh_operand set = {.file = BH_OPERAND_GPR,
                                   .part = 2,
                                   .write = 1,
                                   .unit = BH_UNIT_SCALAR,
                                   .index = 12,
                                   .count = 1},
                            used = {.file = BH_OPERAND_GPR, .part = 2, .unit = BH_UNIT_CONFIG, .index = 12, .count = 1};
    for (unsigned waits = 0; waits < 2; waits++, again(context)) {
        struct test *test = *context;
        execute_with(test, 2, 0x100, "ttsetdmareg 0,5,0,24", &set, NULL, BH_AGENT_THREAD);
        if (waits) {
            execute(test, 2, 0x104, "ttstallwait 128,1");
        }
        execute_with(test, 2, 0x108, "ttwrcfg 12,0,100", &used, NULL, BH_AGENT_THREAD);
        expect(test, waits ? "" : "racecheck.gpr ");
        assert_true(waits || strstr(test->last, "mend: STALLWAIT(STALL_CFG, THCON) before the WRCFG at pc 0x108"));
    }
}

static void data_of_the_noc_before_it_is_there(void **context)
{
    for (unsigned waits = 0; waits < 2; waits++, again(context)) {
        struct test *test = *context;
        uint32_t request = start(test, BH_CORE_NC, 0x100, BH_NOC_READ);
        transfer(test, BH_CORE_NC, 0x100, request, true);
        acknowledge(test, BH_CORE_NC, request);
        if (waits) {
            poll(test, BH_CORE_NC, 0x104, READS);
        }
        load(test, BH_CORE_NC, 0x110, BUFFER);
        go_on(test, BH_CORE_NC);
        expect(test, waits ? "" : "racecheck.noc ");
    }
}

static void the_source_of_a_write_that_was_not_sent(void **context)
{
    for (unsigned waits = 0; waits < 2; waits++, again(context)) {
        struct test *test = *context;
        uint32_t request = start(test, BH_CORE_NC, 0x100, BH_NOC_WRITE);
        transfer(test, BH_CORE_NC, 0x100, request, false);
        acknowledge(test, BH_CORE_NC, request);
        if (waits) {
            poll(test, BH_CORE_NC, 0x104, ACKS);
        }
        store(test, BH_CORE_NC, 0x110, BUFFER);
        expect(test, waits ? "" : "racecheck.noc ");
    }
}

static void a_kernel_that_ends_with_a_write_under_way(void **context)
{
    for (unsigned waits = 0; waits < 2; waits++, again(context)) {
        struct test *test = *context;
        acknowledge(test, BH_CORE_NC, start(test, BH_CORE_NC, 0x100, BH_NOC_WRITE));
        if (waits) {
            poll(test, BH_CORE_NC, 0x104, ACKS);
        }
        issue(test, BH_CORE_NC, 0x110, JUMP_TO_ITSELF);
        expect(test, waits ? "" : "synccheck.noc-barrier ");
    }
}

static void a_mop_that_is_programmed_while_it_expands(void **context)
{
    for (unsigned waits = 0; waits < 2; waits++, again(context)) {
        struct test *test = *context;
        access_by(test, BH_CORE_T1, 0x100, true, PUSH, word_of("ttmop 1,0,0"));
        if (waits) {
            load(test, BH_CORE_T1, 0x104, MOP_IDLE);
        }
        store(test, BH_CORE_T1, 0x108, MOP_CONFIG);
        expect(test, waits ? "" : "synccheck.mop ");
    }
}

static void a_semaphore_that_is_got_at_0(void **context)
{
    for (unsigned posted = 0; posted < 2; posted++, again(context)) {
        struct test *test = *context;
        if (posted) {
            struct bh_event event = of_thread(BH_EVENT_SEMAPHORE, 1, 0x100, "ttsempost 2");
            event.semaphore = (struct bh_semaphore){.number = 1, .value = 1, .maximum = 2};
            tell(test, event);
        }
        execute(test, 2, 0x200, "ttsemget 2");
        expect(test, posted ? "" : "synccheck.semaphore ");
    }
}

static void mutexes_of_others_and_of_nobody(void **context)
{
    struct test *test = *context;
    struct bh_event taken = of_thread(BH_EVENT_MUTEX, 0, 0x100, "ttatgetm 2");
    taken.mutex = (struct bh_mutex){.number = 2, .owner = 0, .owner_before = BH_MUTEX_FREE};
    tell(test, taken);
    execute(test, 1, 0x200, "ttatrelm 2");
    expect(test, "synccheck.mutex synccheck.mutex "); /* released by another, and held at the end */
}

static void a_stack_that_grows_into_data(void **context)
{
    struct test *test = *context;
    struct bh_event push = of_core(BH_EVENT_ACCESS, BH_CORE_T1, 0x200, SW_SP);
    store(test, BH_CORE_T1, 0x100, 0xffb00100); /* data */
    push.access = (struct bh_access){.space = BH_SPACE_LOCAL_RAM, .write = 1, .size = 4, .address = 0xffb00fe0};
    tell(test, push);
    assert_int_equal(test->found, 0);
    push.access.address = 0xffb00100;
    tell(test, push);
    assert_string_equal(test->rules, "memcheck.stack ");
}

static void places_alike_are_one_finding(void **context)
{
    struct test *test = *context;
    struct bh_check_finding finding;
    for (unsigned i = 0; i < 3; i++) {
        store(test, BH_CORE_B, 0x100, BUFFER + 16 * i);
        store(test, BH_CORE_NC, 0x204, BUFFER + 16 * i);
    }
    expect(test, "racecheck.l1 ");
    assert_int_equal(bh_check_count(test->check), 1);
    assert_true(bh_check_finding(test->check, 0, &finding));
    assert_int_equal(finding.count, 3);
    assert_false(bh_check_finding(test->check, 1, &finding));
}

static void suppressed_findings_are_not_told(void **context)
{
    struct test *test = *context;
    struct bh_error error;
    assert_int_equal(bh_check_suppress(test->check, "one two three\n", &error), BH_ERROR_FORMAT);
    assert_string_equal(error.text, "line 1 is neither RULE nor RULE at PLACE");
    assert_int_equal(bh_check_suppress(test->check, "# known\n\n racecheck.l* # all\n", &error), BH_OK);
    store(test, BH_CORE_B, 0x100, BUFFER);
    store(test, BH_CORE_NC, 0x204, BUFFER);
    assert_int_equal(test->found, 0);
    assert_int_equal(bh_check_count(test->check), 0);
    assert_int_equal(bh_check_suppressed(test->check), 1);
}

static void what_nobody_has_written(void **context)
{
    struct test *test = *context;
    const struct bh_check_options options = {
        .tools = BH_CHECK_TOOL_BIT(BH_CHECK_INITIALISATION), .on_finding = on_finding, .context = test};
    bh_check_close(test->check);
    assert_int_equal(bh_check_open(&options, &test->check, NULL), BH_OK);
    store(test, BH_CORE_B, 0x100, BUFFER);
    load(test, BH_CORE_NC, 0x200, BUFFER); /* a race, which is not asked for */
    load(test, BH_CORE_NC, 0x204, BUFFER + 4);
    expect(test, "initcheck.l1 ");
    assert_non_null(strstr(test->last, "NC reads L1 0x30004, which nobody has written"));
}

/* What is known of memories is bounded: the oldest is forgotten, nothing fails. */
static void memory_is_bounded(void **context)
{
    struct test *test = *context;
    const struct bh_check_options options = {.memory = 1 << 18, .on_finding = on_finding, .context = test};
    bh_check_close(test->check);
    assert_int_equal(bh_check_open(&options, &test->check, NULL), BH_OK);
    for (uint32_t address = 0x10000; address < 0x110000; address += 64) {
        store(test, BH_CORE_B, 0x100, address);
    }
    for (uint32_t address = 0x10000; address < 0x110000; address += 64) {
        store(test, BH_CORE_B, 0x104, address);
    }
    expect(test, "");
}

static void wrong_options_are_refused(void **context)
{
    struct bh_check *check;
    struct bh_error error;
    assert_int_equal(bh_check_open(&(struct bh_check_options){.tools = 1 << 7}, &check, &error), BH_ERROR_ARGUMENT);
    assert_string_equal(error.text, "there is no such tool");
    assert_null(check);
    bh_check_close(NULL);
}

int main(void)
{
#define CHECK_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CHECK_TEST(data_behind_a_flag_that_is_polled),
        CHECK_TEST(a_poll_without_a_fence),
        CHECK_TEST(a_register_of_two_cores),
        CHECK_TEST(a_semaphore_that_is_initialised_late),
        CHECK_TEST(a_word_that_is_left_in_a_mailbox),
        CHECK_TEST(two_cores_that_write_one_word),
        CHECK_TEST(stores_before_an_instruction_that_reads_them),
        CHECK_TEST(dst_between_matrix_unit_and_packer),
        CHECK_TEST(a_wait_that_blocks_something_else),
        CHECK_TEST(a_buffer_given_back_while_it_is_unpacked),
        CHECK_TEST(a_gpr_before_the_scalar_unit_is_done),
        CHECK_TEST(data_of_the_noc_before_it_is_there),
        CHECK_TEST(the_source_of_a_write_that_was_not_sent),
        CHECK_TEST(a_kernel_that_ends_with_a_write_under_way),
        CHECK_TEST(a_mop_that_is_programmed_while_it_expands),
        CHECK_TEST(a_semaphore_that_is_got_at_0),
        CHECK_TEST(mutexes_of_others_and_of_nobody),
        CHECK_TEST(a_stack_that_grows_into_data),
        CHECK_TEST(places_alike_are_one_finding),
        CHECK_TEST(suppressed_findings_are_not_told),
        CHECK_TEST(what_nobody_has_written),
        CHECK_TEST(memory_is_bounded),
        CHECK_TEST(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
