/* Requests that break the rules are told to whoever started them: ISA documentation NoC/MemoryMap.md, NoC/Atomics.md;
   alignment: ttsim. */
#include "noc/fixture.h"

struct wrong {
    struct command command;
    enum bh_category category;
    const char *part;
};

#define HERE .x = 3, .y = 4
#define SELF at(3, 4)
#define THERE at(5, 6)
#define DRAM at(17, 12)

static void assert_all_wrong(const struct wrong *wrong, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        void *context;
        assert_int_equal(set_up(&context), 0);
        assert_wrong(context, &wrong[i].command, wrong[i].category, wrong[i].part);
        tear_down(&context);
    }
}

#define ALL(wrong) assert_all_wrong(wrong, sizeof wrong / sizeof wrong[0])

static void flags(void **context)
{
    const struct wrong wrong[] = {
        {{HERE, .ctrl = 3, .length = 4}, BH_UNDEFINED_BEHAVIOR, "request type 3 is reserved"},
        {{HERE, .ctrl = CMD_READ | BROADCAST, .length = 4}, BH_UNDEFINED_BEHAVIOR, "a read cannot be a broadcast"},
        {{HERE, .ctrl = CMD_WRITE | 1u << 31, .length = 16}, BH_UNDEFINED_BEHAVIOR, "NOC_CMD_L1_ACC_AT_EN"},
        {{HERE, .ctrl = CMD_WRITE | INLINE, .length = 16, .tag = 1 << 6}, BH_UNSUPPORTED, "overlay streams"},
        {{HERE, .ctrl = CMD_WRITE, .target_at = SELF, .back_at = SELF, .length = 16, .tag = 1 << 6},
         BH_UNDEFINED_BEHAVIOR,
         "does not receive from another stream"},
        {{HERE, .ctrl = CMD_WRITE, .length = 0}, BH_UNDEFINED_BEHAVIOR, "0 bytes"},
        {{HERE, .ctrl = CMD_ATOMIC, .length = 0x2000}, BH_UNSUPPORTED, "no such operation is known"},
        {{HERE, .ctrl = CMD_ATOMIC, .length = 0x9003}, BH_UNSUPPORTED, "no such operation is known"},
    };
    (void)context;
    ALL(wrong);
}

static void places(void **context)
{
    const struct wrong wrong[] = {
        {{HERE, .ctrl = CMD_READ, .target_at = at(8, 11), .back_at = SELF, .length = 4},
         BH_UNDEFINED_BEHAVIOR,
         "there is no tile at (8, 11)"},
        {{HERE, .ctrl = CMD_READ, .target_at = at(19, 24), .back_at = SELF, .length = 4},
         BH_BAD_INPUT,
         "at tile (19, 24), which is the PCIe tile at (2, 0) of NoC 0: read of 4 bytes: the PCIe tile leads to 0x0 of "
         "the host's memory, and none is connected"},
        {{HERE, .ctrl = CMD_READ, .target = 0x1000, .target_at = at(19, 12), .back_at = SELF, .length = 64},
         BH_BAD_INPUT,
         "at tile (19, 12), which is the PCIe tile at (2, 0) of NoC 0"},
        {{HERE, .ctrl = CMD_READ, .target_at = at(31, 31), .back_at = SELF, .length = 64},
         BH_UNDEFINED_BEHAVIOR,
         "at tile (31, 31), which is the PCIe tile at (11, 0) of NoC 0: access of 64 bytes at 0x0: the PCIe tile that "
         "is not in use answers as absent hardware does"},
        {{HERE, .ctrl = CMD_WRITE, .target_at = SELF, .back_at = at(8, 29), .length = 64},
         BH_UNDEFINED_BEHAVIOR,
         "at tile (8, 29), which is the L2CPU tile at (8, 7) of NoC 0: access of 64 bytes at 0x0: an L2CPU tile"},
        {{HERE, .ctrl = CMD_READ, .target = 0x180000, .target_at = THERE, .back_at = SELF, .length = 64},
         BH_UNDEFINED_BEHAVIOR,
         "at tile (5, 6): load by the NoC at 0x00180000: nothing is mapped there; L1 ends at 0x0017ffff"},
        {{HERE, .ctrl = CMD_WRITE, .target_at = SELF, .back = 0x200000, .back_at = THERE, .length = 64},
         BH_UNDEFINED_BEHAVIOR,
         "at tile (5, 6): store by the NoC at 0x00200000: nothing is mapped there; L1 ends at 0x0017ffff"},
        {{HERE, .ctrl = CMD_WRITE, .target = 0x180000, .target_at = SELF, .back_at = THERE, .length = 64},
         BH_UNDEFINED_BEHAVIOR,
         "at tile (3, 4): load by the NoC at 0x00180000: nothing is mapped there"},
        {{HERE, .noc = 1, .ctrl = CMD_READ, .target = 1, .target_at = at(17, 13), .back_at = SELF, .length = 4},
         BH_UNDEFINED_BEHAVIOR,
         "read from 0x1 of tile (17, 13), which is the DRAM tile at (0, 1) of NoC 0 to 0x0 of tile (3, 4)"},
        {{HERE, .ctrl = CMD_READ, .target = 0x17fff0, .target_at = THERE, .back_at = SELF, .length = 64},
         BH_UNDEFINED_BEHAVIOR,
         "NoC 0, at tile (5, 6): read of 64 bytes"},
        {{HERE, .ctrl = CMD_READ, .target = 0xffffffc0, .target_at = DRAM, .back_at = SELF, .length = 128},
         BH_UNDEFINED_BEHAVIOR,
         "it leaves what is mapped"},
        {{HERE, .ctrl = CMD_WRITE, .target_at = SELF, .back = 0xFFE80000, .back_at = THERE, .length = 4},
         BH_UNDEFINED_BEHAVIOR,
         "NoC 0, at tile (5, 6)"},
    };
    (void)context;
    ALL(wrong);
}

static void alignment(void **context)
{
    const struct wrong wrong[] = {
        {{HERE, .ctrl = CMD_WRITE, .target = 0x1008, .target_at = SELF, .back = 0x2000, .back_at = THERE, .length = 4},
         BH_UNDEFINED_BEHAVIOR,
         "the same modulo 16"},
        {{HERE, .ctrl = CMD_WRITE, .target = 0x1008, .target_at = SELF, .back = 0x2000, .back_at = DRAM, .length = 4},
         BH_UNDEFINED_BEHAVIOR,
         "the same modulo 16"},
        {{HERE, .ctrl = CMD_READ, .target = 0x1001, .target_at = THERE, .back = 0x2000, .back_at = SELF, .length = 4},
         BH_UNDEFINED_BEHAVIOR,
         "the same modulo 16"},
        {{HERE, .ctrl = CMD_READ, .target = 0x1020, .target_at = DRAM, .back = 0x2000, .back_at = SELF, .length = 4},
         BH_UNDEFINED_BEHAVIOR,
         "the same modulo 64"},
        {{HERE, .ctrl = CMD_READ, .target = 0xFFB20148, .target_at = THERE, .back = 0x2000, .back_at = SELF,
          .length = 8},
         BH_UNDEFINED_BEHAVIOR,
         "it has to be 4 bytes"},
        {{HERE, .ctrl = CMD_READ, .target = 0xFFB20148, .target_at = THERE, .back = 0x2002, .back_at = SELF,
          .length = 4},
         BH_UNDEFINED_BEHAVIOR,
         "the same modulo 4"},
    };
    (void)context;
    ALL(wrong);
}

static void what_is_for_l1_or_for_registers(void **context)
{
    const struct wrong wrong[] = {
        {{HERE, .ctrl = CMD_WRITE | INLINE, .target = 0x1000, .target_at = THERE, .length = 0xf},
         BH_UNDEFINED_BEHAVIOR,
         "inline write to L1 address 0x1000 of tile (5, 6)"},
        {{HERE, .ctrl = CMD_WRITE | INLINE, .target = 0x1000, .target_at = DRAM, .length = 0xf},
         BH_UNDEFINED_BEHAVIOR,
         "inline writes are for Tensix and Ethernet tiles"},
        {{HERE, .ctrl = CMD_ATOMIC, .target = 0x1000, .target_at = DRAM, .length = 0x107c},
         BH_UNDEFINED_BEHAVIOR,
         "atomic request: its target"},
        {{HERE, .ctrl = CMD_ATOMIC, .target = 0xFFB20148, .target_at = THERE, .length = 0x107c},
         BH_UNDEFINED_BEHAVIOR,
         "atomic request: its target"},
        {{HERE, .ctrl = CMD_ATOMIC, .target = 0x1002, .target_at = THERE, .length = 0x107c},
         BH_UNDEFINED_BEHAVIOR,
         "aligned word"},
        {{HERE, .ctrl = CMD_ATOMIC | MARKED, .target = 0x1000, .target_at = THERE, .back_at = DRAM, .back = 2,
          .length = 0x107c},
         BH_UNDEFINED_BEHAVIOR,
         "return address"},
        {{HERE, .ctrl = CMD_ATOMIC | MARKED, .target = 0x1000, .target_at = THERE, .back = 0xFFB20148, .back_at = SELF,
          .length = 0x107c},
         BH_UNDEFINED_BEHAVIOR,
         "return address"},
    };
    (void)context;
    ALL(wrong);
}

/* blackhole-py, tests/movement/test_atomic.py: increments whose old values nobody reads name (0, 0), a DRAM tile, for
   them, and do on a card what they should. */
static void an_old_value_may_overwrite_memory_of_a_dram_tile(void **context)
{
    struct fixture *fixture = *context;
    uint32_t word = 41;
    assert_int_equal(bh_write(fixture->device, 5, 6, 0x1000, &word, sizeof word), BH_OK);
    assert_int_equal(
        start(fixture, &(struct command){HERE, .ctrl = CMD_ATOMIC | MARKED, .target = 0x1000, .target_at = THERE,
                                         .back = 0x40, .back_at = DRAM, .length = 0x107c, .data = 1}),
        BH_OK);
    assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
    assert_int_equal(fixture->diagnostics, 1);
    assert_int_equal(fixture->last.category, BH_NON_CONTRACTUAL);
    assert_int_equal(fixture->last.action, BH_WARN);
    assert_int_equal(bh_read(fixture->device, 5, 6, 0x1000, &word, sizeof word), BH_OK);
    assert_int_equal(word, 42);
    assert_int_equal(bh_read(fixture->device, 17, 12, 0x40, &word, sizeof word), BH_OK);
    assert_int_equal(word, 41);
}

/* Where the policy lets them go on, each is told of. */
static void silicon_warns_of_what_reaches_nobody(void **context)
{
    const struct command commands[] = {
        {HERE, .ctrl = CMD_READ, .target_at = at(31, 31), .back_at = SELF, .length = 4},
        {HERE, .ctrl = CMD_READ, .target_at = at(31, 31), .back_at = SELF, .length = 64},
        {HERE, .ctrl = CMD_WRITE, .target_at = SELF, .back_at = at(31, 31), .length = 64},
        {HERE, .ctrl = CMD_READ, .target_at = at(8, 11), .back_at = SELF, .length = 64},
        {HERE, .ctrl = CMD_READ, .target = 0x180000, .target_at = THERE, .back_at = SELF, .length = 4},
        {HERE, .ctrl = CMD_WRITE, .target_at = SELF, .back = 0x180000, .back_at = THERE, .length = 64},
    };
    (void)context;
    for (unsigned i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        void *own;
        assert_int_equal(set_up_silicon(&own), 0);
        struct fixture *fixture = own;
        assert_int_equal(start(fixture, &commands[i]), BH_OK);
        assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
        assert_int_equal(fixture->diagnostics, 1);
        assert_int_equal(fixture->last.action, BH_WARN);
        tear_down(&own);
    }
}

/* Where the policy lets it go on, an inline write does what it did on Wormhole: up to 16 bytes around the address. */
static void an_inline_write_to_l1_goes_on_where_it_may(void **context)
{
    struct fixture *fixture = *context;
    assert_int_equal(start(fixture, &(struct command){.x = 3,
                                                      .y = 4,
                                                      .ctrl = CMD_WRITE | INLINE | MARKED,
                                                      .target = 0x1008,
                                                      .target_at = at(5, 6),
                                                      .length = 0x0300c,
                                                      .data = 0x44332211}),
                     BH_OK);
    assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
    assert_int_equal(fixture->diagnostics, 1);
    assert_int_equal(get_word(fixture, 5, 6, 0x1000), 0x44330000);
    assert_int_equal(get_word(fixture, 5, 6, 0x1004), 0);
    assert_int_equal(get_word(fixture, 5, 6, 0x100c), 0x00002211);
}

/* The same for accumulation: NOC_L1_ACC_AT_INSTRN 4 adds words. */
static void a_write_accumulates_where_it_may(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned i = 0; i < 8; i++) {
        put_word(fixture, 3, 4, 0x1000 + 4 * i, i);
        put_word(fixture, 5, 6, 0x2000 + 4 * i, 100);
    }
    assert_int_equal(start(fixture, &(struct command){.x = 3,
                                                      .y = 4,
                                                      .ctrl = CMD_WRITE | MARKED | 1u << 31,
                                                      .target = 0x1000,
                                                      .target_at = at(3, 4),
                                                      .back = 0x2000,
                                                      .back_at = at(5, 6),
                                                      .length = 32,
                                                      .accumulate = 0x9004}),
                     BH_OK);
    assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(get_word(fixture, 5, 6, 0x2000 + 4 * i), 100 + i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags),
        cmocka_unit_test(places),
        cmocka_unit_test(alignment),
        cmocka_unit_test(what_is_for_l1_or_for_registers),
        cmocka_unit_test_setup_teardown(an_old_value_may_overwrite_memory_of_a_dram_tile, set_up, tear_down),
        cmocka_unit_test(silicon_warns_of_what_reaches_nobody),
        TEST_SILICON(an_inline_write_to_l1_goes_on_where_it_may),
        TEST_SILICON(a_write_accumulates_where_it_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
