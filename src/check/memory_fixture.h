/* What tests of memcheck share: a checker that is told events that are made up, and what it has found. */
#ifndef BHEMU_CHECK_MEMORY_FIXTURE_H
#define BHEMU_CHECK_MEMORY_FIXTURE_H

#include "check/events_fixture.h"

enum {
    DRAM_X = 0,
    DRAM_Y = 2,
    SAME_CHANNEL_Y = 10,
    OTHER_CHANNEL_Y = 4,
    FIRST = 0x30000,
    SECOND = 0x30040,
    BYTES = 64
};

static inline int set_up(void **context)
{
    return open_check(context, BH_CHECK_TOOL_BIT(BH_CHECK_MEMORY));
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

/* Requests on the NoC. */

static inline void request(struct test *test, struct bh_noc noc)
{
    struct bh_event event = of_core(BH_EVENT_NOC_SENT, BH_CORE_B, 0x200, SW_A0);
    event.agent = BH_AGENT_NIU;
    event.noc = noc;
    tell(test, event);
}

/* What cores do. */

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
