/* What tests of memcheck share: a checker that is told events that are made up, and what it has found. */
#ifndef BHEMU_CHECK_MEMORY_FIXTURE_H
#define BHEMU_CHECK_MEMORY_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu/check.h"

enum {
    X = 1,
    Y = 2,
    DRAM_X = 0,
    DRAM_Y = 2,
    SAME_CHANNEL_Y = 10,
    OTHER_CHANNEL_Y = 4,
    FIRST = 0x30000,
    SECOND = 0x30040,
    BYTES = 64
};
enum { LW_A0 = 0x0005a503, SW_A0 = 0x00a5a023 };

struct test {
    struct bh_check *check;
    char rules[1000]; /* of what was told, with a blank behind each */
    char last[4000];
    uint32_t requests;
};

static inline void on_finding(void *context, const struct bh_check_finding *finding)
{
    struct test *test = context;
    strcat(strcat(test->rules, finding->rule), " ");
    bh_check_format(test->check, finding, test->last, sizeof test->last);
}

static inline int set_up(void **context)
{
    struct test *test = calloc(1, sizeof *test);
    const struct bh_check_options options = {
        .tools = BH_CHECK_TOOL_BIT(BH_CHECK_MEMORY), .on_finding = on_finding, .context = test};
    assert_int_equal(bh_check_open(&options, &test->check, NULL), BH_OK);
    *context = test;
    return 0;
}

static inline int tear_down(void **context)
{
    struct test *test = *context;
    bh_check_close(test->check);
    free(test);
    return 0;
}

static inline void expect(struct test *test, const char *rules)
{
    assert_string_equal(test->rules, rules);
    *test->rules = 0;
}

static inline void expect_text(const struct test *test, const char *text)
{
    if (!strstr(test->last, text)) {
        fail_msg("\"%s\" is not in:\n%s", text, test->last);
    }
}

static inline void own(struct test *test, struct bh_check_owned owned)
{
    owned.x = owned.space == BH_SPACE_DRAM ? DRAM_X : X;
    owned.y = owned.space == BH_SPACE_DRAM ? DRAM_Y : Y;
    assert_int_equal(bh_check_own(test->check, &owned), BH_OK);
}

static inline void tell(struct test *test, struct bh_event event)
{
    const struct bh_observer *observer = bh_check_observer(test->check);
    event.tile_x = event.place_x = X;
    event.tile_y = event.place_y = Y;
    if (observer->kinds >> event.kind & 1) {
        observer->on_event(observer->context, &event);
    }
}

static inline struct bh_event of_core(enum bh_event_kind kind, unsigned core, uint32_t pc, uint32_t word)
{
    return (struct bh_event){.kind = (uint16_t)kind,
                             .agent = BH_AGENT_CORE,
                             .index = (uint8_t)core,
                             .place = {.agent = BH_AGENT_CORE, .index = (uint8_t)core, .pc = pc},
                             .instruction = word};
}

/* Requests on the NoC. */

static inline void request(struct test *test, struct bh_noc noc)
{
    struct bh_event event = of_core(BH_EVENT_NOC_SENT, BH_CORE_B, 0x200, SW_A0);
    event.agent = BH_AGENT_NIU;
    event.noc = noc;
    tell(test, event);
}

/* What cores do. */

static inline enum bh_space space_of(uint64_t address)
{
    return address < 0x180000 ? BH_SPACE_L1 : address < 0xffb02000 ? BH_SPACE_LOCAL_RAM : BH_SPACE_REGISTER;
}

static inline void access_by(struct test *test, unsigned core, uint32_t pc, uint32_t word, uint64_t address,
                             uint32_t value)
{
    tell(test, of_core(BH_EVENT_ISSUED, core, pc, word));
    struct bh_event event = of_core(BH_EVENT_ACCESS, core, pc, word);
    event.access = (struct bh_access){.space = (uint8_t)space_of(address),
                                      .write = (word & 0x7f) == 0x23,
                                      .size = 4,
                                      .address = address,
                                      .data = &value};
    tell(test, event);
}

static inline void load(struct test *test, unsigned core, uint32_t pc, uint64_t address)
{
    access_by(test, core, pc, LW_A0, address, 0);
}

static inline void store(struct test *test, unsigned core, uint32_t pc, uint64_t address, uint32_t value)
{
    access_by(test, core, pc, SW_A0, address, value);
}

/* Pointers of cores. A0 has the pointer. */

enum { A0 = 10, A1 = 11, A2 = 12, SP = 2, LOCAL = 0xffb00010, DESCRIBED = 0x20000 };

static inline uint32_t lw(unsigned rd, unsigned base)
{
    return base << 15 | 2 << 12 | rd << 7 | 0x03;
}

static inline uint32_t sw(unsigned source, unsigned base)
{
    return source << 20 | base << 15 | 2 << 12 | 0x23;
}

static inline uint32_t addi(unsigned rd, unsigned source, uint32_t value)
{
    return value << 20 | source << 15 | rd << 7 | 0x13;
}

static inline uint32_t add(unsigned rd, unsigned first, unsigned second)
{
    return second << 20 | first << 15 | rd << 7 | 0x33;
}

static inline uint32_t lui(unsigned rd, uint32_t value)
{
    return value | rd << 7 | 0x37;
}

static inline void execute(struct test *test, uint32_t word)
{
    tell(test, of_core(BH_EVENT_ISSUED, BH_CORE_B, 0x500, word));
}

static inline void use(struct test *test, uint32_t pc, uint32_t word, uint64_t address)
{
    access_by(test, BH_CORE_B, pc, word, address, 0);
}

static inline void own_two_buffers(struct test *test)
{
    own(test, (struct bh_check_owned){.address = FIRST, .size = BYTES, .name = "input a"});
    own(test, (struct bh_check_owned){.address = SECOND, .size = BYTES, .name = "input b"});
}

/* A loop that loads words from FIRST on. */
static inline void walk(struct test *test, uint32_t bytes)
{
    execute(test, lui(A0, FIRST));
    for (uint32_t at = 0; at < bytes; at += 4) {
        use(test, 0x100, lw(A1, A0), FIRST + at);
        execute(test, addi(A0, A0, 4));
    }
}

static inline void own_described(struct test *test)
{
    for (unsigned i = 0; i < 2; i++) {
        own(test, (struct bh_check_owned){.kind = BH_CHECK_CIRCULAR_BUFFER,
                                          .address = i ? SECOND + 64 : FIRST,
                                          .size = BYTES,
                                          .number = (uint8_t)i,
                                          .pages = 1,
                                          .described = DESCRIBED + 16 * i});
    }
}

/* Circular buffers. */

static inline void own_circular(struct test *test, uint8_t number, uint64_t address, uint32_t pages)
{
    own(test, (struct bh_check_owned){.kind = BH_CHECK_CIRCULAR_BUFFER,
                                      .address = address,
                                      .size = (uint64_t)pages * BYTES,
                                      .number = number,
                                      .pages = pages});
}

static inline uint32_t counter(unsigned buffer, unsigned index)
{
    return 0xffb40000 + (8 + buffer) * 0x1000 + 4 * index;
}

/* Arguments. */

static inline void own_arguments(struct test *test, unsigned cores, uint64_t address, uint64_t size)
{
    own(test,
        (struct bh_check_owned){.kind = BH_CHECK_ARGUMENTS, .cores = (uint8_t)cores, .address = address, .size = size});
}

#define MEMORY_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
