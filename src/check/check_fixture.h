/* A checker, and events that are made up for it. */
#ifndef BHEMU_CHECK_CHECK_FIXTURE_H
#define BHEMU_CHECK_CHECK_FIXTURE_H

#include <unistd.h>

#include "check/events_fixture.h"
#include "isa/tensix_text.h"

enum { BUFFER = 0x30000, FLAG = 0x40000, STREAM_8 = 0xffb40020, PUSH = 0xffe40000 };
enum { IDLE = 0xffe80004, MOP_IDLE = 0xffe80008, MOP_CONFIG = 0xffb80000, SEMAPHORE_1 = 0xffe80024 };
enum { READS = 0xffb20208, ACKS = 0xffb20204, JUMP_TO_ITSELF = 0x6f };
enum { FENCE = 0x0ff0000f, BRANCH_BACK_IF_A0_IS_0 = 0xfe050ce3, SW_SP = 0x00a12023, NOP = 0x13 }; /* beqz a0, -8 */
enum { AND_A0 = 0x00a57033 /* and zero, a0, a0 */, LI_A0 = 0x00000513 };

static inline int set_up(void **context)
{
    return open_check(context, BH_CHECK_ALL_TOOLS & ~BH_CHECK_TOOL_BIT(BH_CHECK_INITIALISATION));
}

/* Cores. */

static inline void store(struct test *test, unsigned core, uint32_t pc, uint64_t address)
{
    access_by(test, core, pc, SW_A0, address, 0);
}

/* A load, and a branch back to it as long as it is 0: once round. */
static inline void poll(struct test *test, unsigned core, uint32_t pc, uint64_t address)
{
    issue(test, core, pc, FENCE);
    load(test, core, pc + 4, address);
    issue(test, core, pc + 8, BRANCH_BACK_IF_A0_IS_0);
}

/* So many other instructions that a load is no poll any more. */
static inline void go_on(struct test *test, unsigned core)
{
    for (unsigned i = 0; i < 100; i++) {
        issue(test, core, 0x5000 + 4 * i, NOP);
    }
}

/* Threads. */

static inline uint32_t word_of(const char *text)
{
    uint32_t word = 0;
    struct tensix_text_error error;
    if (!tensix_assemble(text, &word, &error)) {
        fail_msg("%s: %s", text, error.text);
    }
    return word;
}

static inline struct bh_event of_thread(enum bh_event_kind kind, unsigned thread, uint32_t pc, const char *text)
{
    return (struct bh_event){.kind = (uint16_t)kind,
                             .agent = BH_AGENT_THREAD,
                             .index = (uint8_t)thread,
                             .place = {.agent = BH_AGENT_THREAD, .index = (uint8_t)thread, .pc = pc},
                             .instruction = word_of(text)};
}

static inline struct bh_event operand_of(unsigned thread, uint32_t pc, const char *text, struct bh_operand operand)
{
    struct bh_event event = of_thread(BH_EVENT_OPERAND, thread, pc, text);
    event.operand = operand;
    return event;
}

/* An instruction with up to one operand and one access to L1. */
static inline void execute_with(struct test *test, unsigned thread, uint32_t pc, const char *text,
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

static inline void execute(struct test *test, unsigned thread, uint32_t pc, const char *text)
{
    execute_with(test, thread, pc, text, NULL, NULL, BH_AGENT_THREAD);
}

static const struct bh_operand dst_written = {
    .file = BH_OPERAND_DST, .write = 1, .unit = BH_UNIT_MATRIX, .index = 0, .count = 8};
static const struct bh_operand dst_read = {.file = BH_OPERAND_DST, .unit = BH_UNIT_PACK, .index = 4, .count = 8};
static const struct bh_access l1_read = {.space = BH_SPACE_L1, .size = 64, .address = BUFFER};
static const struct bh_access l1_written = {.space = BH_SPACE_L1, .write = 1, .size = 64, .address = BUFFER};

static inline void multiply(struct test *test, uint32_t pc)
{
    execute_with(test, 1, pc, "ttmvmul 0,0,0,0", &dst_written, NULL, BH_AGENT_THREAD);
}

static inline void pack(struct test *test, uint32_t pc)
{
    execute_with(test, 2, pc, "ttpacr 0,0,0,0,0,0,0,0,0,0,0,0", &dst_read, &l1_written, BH_AGENT_PACKER);
}

static inline void unpack(struct test *test, uint32_t pc)
{
    execute_with(test, 0, pc, "ttunpacr 0,0,0,0,0,1,1,0,0,0,0,0,1", NULL, &l1_read, BH_AGENT_UNPACKER);
}

/* The NoC. */

static inline uint32_t start(struct test *test, unsigned core, uint32_t pc, enum bh_noc_request kind)
{
    struct bh_event event = of_core(BH_EVENT_NOC_SENT, core, pc, SW_A0);
    event.agent = BH_AGENT_NIU;
    event.index = 0;
    event.noc = (struct bh_noc){.request = (uint8_t)kind, .responds = 1, .number = ++test->requests, .size = 64};
    tell(test, event);
    return test->requests;
}

static inline void transfer(struct test *test, unsigned core, uint32_t pc, uint32_t request, bool write)
{
    struct bh_event event = of_core(BH_EVENT_ACCESS, core, pc, SW_A0);
    event.agent = BH_AGENT_NIU;
    event.index = 0;
    event.access =
        (struct bh_access){.space = BH_SPACE_L1, .write = write, .size = 64, .address = BUFFER, .request = request};
    tell(test, event);
}

static inline void acknowledge(struct test *test, unsigned core, uint32_t request)
{
    struct bh_event event = of_core(BH_EVENT_NOC_ACKNOWLEDGED, core, 0, 0);
    event.agent = BH_AGENT_NIU;
    event.noc = (struct bh_noc){.number = request, .size = 64, .responds = 1};
    tell(test, event);
}

static inline void expect(struct test *test, const char *rules)
{
    assert_int_equal(bh_check_end(test->check), BH_OK);
    assert_string_equal(test->rules, rules);
}

static inline void again(void **context)
{
    tear_down(context);
    set_up(context);
}

#define CHECK_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
