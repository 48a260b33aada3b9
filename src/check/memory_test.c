/* memcheck with what a program owns: events that are made up here, one rule at a time, broken and kept. */
#include "check/memory_fixture.h"

/* Requests on the NoC. */

static void a_request_that_ends_behind_the_buffer_it_begins_in(void **context)
{
    struct test *test = *context;
    struct bh_noc noc = {.request = BH_NOC_WRITE,
                         .from_x = X,
                         .from_y = Y,
                         .to_x = X,
                         .to_y = Y,
                         .from_address = 0x50000,
                         .to_address = FIRST,
                         .size = BYTES};
    own(test, (struct bh_check_owned){.address = FIRST, .size = BYTES, .name = "input a"});
    own(test, (struct bh_check_owned){.address = SECOND, .size = BYTES, .name = "input b"});
    request(test, noc);
    noc.to_address = SECOND - 16; /* the last 16 bytes of the first buffer */
    noc.size = 16;
    request(test, noc);
    expect(test, "");
    noc.size = 20; /* and the first 4 of the second */
    request(test, noc);
    expect(test, "memcheck.buffer ");
    expect_text(test,
                "a request writes 20 bytes at 0x30030 of tile 1-2, 4 of them behind the end of input a (0x30000 to "
                "0x3003f)");
}

static void a_request_that_reads_behind_a_buffer_in_dram(void **context)
{
    struct test *test = *context;
    struct bh_noc noc = {.request = BH_NOC_READ,
                         .from_x = DRAM_X,
                         .from_y = OTHER_CHANNEL_Y,
                         .to_x = X,
                         .to_y = Y,
                         .from_address = 0x1000000,
                         .to_address = 0x50000,
                         .size = 2048};
    own(test, (struct bh_check_owned){
                  .space = BH_SPACE_DRAM, .address = 0x1000000, .size = 2048, .name = "input data/a.npy"});
    noc.size = 4096; /* of another channel */
    request(test, noc);
    noc.from_y = SAME_CHANNEL_Y;
    noc.from_address = 0x1000800; /* behind the buffer from its beginning on */
    request(test, noc);
    expect(test, "");
    noc.from_address = 0x1000000;
    request(test, noc);
    expect(test, "memcheck.buffer ");
    expect_text(test, "reads 4096 bytes at 0x1000000 of tile 0-10, 2048 of them behind the end of input data/a.npy");
}

/* Units. */

static void pack(struct test *test, uint64_t address, uint32_t size)
{
    enum { PACR = 0x41000000 };
    struct bh_event event = {.kind = BH_EVENT_ISSUED,
                             .agent = BH_AGENT_THREAD,
                             .index = 2,
                             .place = {.agent = BH_AGENT_THREAD, .index = 2, .pc = 0x300},
                             .instruction = PACR};
    tell(test, event);
    event.kind = BH_EVENT_ACCESS;
    event.agent = BH_AGENT_PACKER;
    event.index = 0;
    event.access = (struct bh_access){.space = BH_SPACE_L1, .write = 1, .size = size, .address = address};
    tell(test, event);
}

static void set_packer_address(struct test *test)
{
    enum { WRCFG = 0xb0000000, L1_DEST_ADDR = 69 };
    struct bh_event event = {.kind = BH_EVENT_OPERAND,
                             .agent = BH_AGENT_THREAD,
                             .index = 2,
                             .place = {.agent = BH_AGENT_THREAD, .index = 2, .pc = 0x304},
                             .instruction = WRCFG};
    event.operand = (struct bh_operand){
        .file = BH_OPERAND_CONFIG, .write = 1, .unit = BH_UNIT_CONFIG, .index = L1_DEST_ADDR, .count = 1};
    tell(test, event);
}

static void a_packer_that_goes_on_behind_its_buffer(void **context)
{
    struct test *test = *context;
    own_two_buffers(test);
    pack(test, FIRST, 32);
    pack(test, FIRST + 32, 32);
    set_packer_address(test);
    pack(test, SECOND, 32); /* by its new address */
    pack(test, 0x50000, 32);
    pack(test, FIRST + 32, 32);
    expect(test, "");
    pack(test, SECOND, 32);
    expect(test, "memcheck.buffer ");
    expect_text(test,
                "the packer for T2 writes 32 bytes at 0x30040, behind the end of input a (0x30000 to 0x3003f), in "
                "which it began");
}

/* Stacks. */

static void a_stack_above_its_data(void **context)
{
    enum { DATA = 0xffb00000, DATA_SIZE = 0x100 };
    struct test *test = *context;
    own(test, (struct bh_check_owned){.kind = BH_CHECK_DATA,
                                      .space = BH_SPACE_LOCAL_RAM,
                                      .cores = 1 << BH_CORE_B,
                                      .address = DATA,
                                      .size = DATA_SIZE});
    use(test, 0x100, sw(A0, SP), DATA + DATA_SIZE + 12); /* nobody has accessed the data */
    expect(test, "");
    assert_int_equal(bh_check_end(test->check), BH_OK);
    expect(test, "memcheck.stack ");
    expect_text(test, "note: the stack of B has 12 bytes left");
    use(test, 0x104, sw(A0, SP), DATA + DATA_SIZE - 4);
    expect(test, "memcheck.stack ");
    expect_text(test, "error: the stack of B grows into its data: sp is 0xffb000fc, and data ends at 0xffb00100");
}

/* A function reaches an array on its stack by another register before it has used the stack pointer. */
static void an_array_on_the_stack(void **context)
{
    enum { SP_AT = 0xffb00100, ROOM = 64 };
    for (unsigned moved = 0; moved < 2; moved++, tear_down(context), set_up(context)) {
        struct test *test = *context;
        use(test, 0x100, sw(A0, SP), SP_AT);
        execute(test, moved ? addi(SP, SP, (uint32_t)-ROOM) : addi(A1, SP, (uint32_t)-ROOM));
        use(test, 0x104, sw(A0, A1), SP_AT - ROOM / 2);
        execute(test, addi(SP, SP, (uint32_t)-ROOM));
        use(test, 0x108, sw(A0, SP), SP_AT - ROOM);
        expect(test, moved ? "" : "memcheck.stack ");
    }
}

/* A loop over the whole RAM, by which a program saves or restores it, makes no data of what lies below the stack; one
   that clears data, and then an array on the stack, does. */
static void a_ram_that_is_saved(void **context)
{
    enum { DATA = 0xffb00000, SP_AT = DATA + 0x100, END = DATA + 0x120, GAP = 8 };
    for (unsigned saved = 0; saved < 2; saved++, tear_down(context), set_up(context)) {
        struct test *test = *context;
        use(test, 0x100, sw(A0, SP), SP_AT);
        use(test, 0x104, sw(A0, A1), DATA);
        for (uint32_t at = DATA; at < END; at += sizeof(uint32_t)) {
            use(test, 0x200, sw(A0, A1), !saved && at >= SP_AT ? at + GAP : at);
        }
        use(test, 0x300, sw(A0, SP), SP_AT - 4);
        expect(test, saved ? "" : "memcheck.stack ");
        use(test, 0x304, sw(A0, SP), DATA);
        expect(test, "memcheck.stack ");
    }
}

/* Circular buffers. */

static void more_pages_than_a_circular_buffer_has(void **context)
{
    enum { POPPED = 8, PUSHED = 10 };
    struct test *test = *context;
    own_circular(test, 3, FIRST, 2);
    for (unsigned count = 1; count <= 2; count++) {
        store(test, BH_CORE_NC, 0x100, counter(3, PUSHED), count);
        store(test, BH_CORE_NC, 0x104, counter(4, PUSHED), 100 * count); /* nothing is known of that one */
    }
    store(test, BH_CORE_B, 0x200, counter(3, POPPED), 1);
    store(test, BH_CORE_NC, 0x100, counter(3, PUSHED), 3);
    expect(test, "");
    store(test, BH_CORE_NC, 0x100, counter(3, PUSHED), 4);
    expect(test, "memcheck.circular-buffer ");
    expect_text(test, "circular buffer 3 (0x30000 to 0x3007f) has 2 pages, and this push makes 3 in it");
}

static void counters_go_around(void **context)
{
    enum { POPPED = 8, PUSHED = 10 };
    struct test *test = *context;
    own_circular(test, 0, FIRST, 2);
    for (unsigned count = 0; count < 0x10010; count++) {
        store(test, BH_CORE_NC, 0x100, counter(0, PUSHED), (count + 1) & 0xffff);
        store(test, BH_CORE_B, 0x200, counter(0, POPPED), (count + 1) & 0xffff);
    }
    expect(test, "");
}

static void circular_buffers_that_overlap(void **context)
{
    struct test *test = *context;
    own_circular(test, 0, FIRST, 2);
    own_circular(test, 1, FIRST + 2 * BYTES, 2); /* right behind it */
    own_circular(test, 2, FIRST, 1);             /* the same memory by another number */
    expect(test, "");
    own_circular(test, 16, FIRST + 3 * BYTES, 2);
    expect(test, "memcheck.circular-buffer ");
    expect_text(test, "circular buffer 1 (0x30080 to 0x300ff) and circular buffer 16 (0x300c0 to 0x3013f) overlap\n"
                      "  at 1-2 host\n");
}

/* Arguments. */

static void arguments_that_a_core_does_not_have(void **context)
{
    struct test *test = *context;
    own_arguments(test, 1 << BH_CORE_NC, FIRST, 8);
    own_arguments(test, 0, FIRST + 8, 8);                                   /* padding */
    own_arguments(test, 1 << BH_CORE_T0 | 1 << BH_CORE_T1, FIRST + 16, 16); /* of both */
    load(test, BH_CORE_NC, 0x100, FIRST + 4);
    load(test, BH_CORE_T0, 0x200, FIRST + 28);
    load(test, BH_CORE_T1, 0x200, FIRST + 16);
    load(test, BH_CORE_NC, 0x104, FIRST + 32); /* no arguments */
    expect(test, "");
    load(test, BH_CORE_NC, 0x108, FIRST + 8);
    expect(test, "memcheck.arguments ");
    expect_text(test, "NC reads word 2 of its arguments (0x30008), of which there are 2");
    load(test, BH_CORE_NC, 0x10c, FIRST + 20);
    expect(test, "memcheck.arguments ");
    expect_text(test, "word 5 of its arguments");
    load(test, BH_CORE_B, 0x110, FIRST);
    expect(test, "memcheck.arguments ");
    expect_text(test, "B reads 0x30000, where arguments of other cores are: it has none");
}

/* Code. */

static void write_over_the_noc(struct test *test, uint64_t address)
{
    struct bh_event sent = of_core(BH_EVENT_NOC_SENT, BH_CORE_B, 0x200, SW_A0), arrives;
    sent.agent = BH_AGENT_NIU;
    sent.noc = (struct bh_noc){.request = BH_NOC_WRITE,
                               .number = ++test->requests,
                               .size = 16,
                               .from_x = X,
                               .from_y = Y,
                               .to_x = X,
                               .to_y = Y,
                               .from_address = 0x50000,
                               .to_address = address};
    tell(test, sent);
    arrives = sent;
    arrives.kind = BH_EVENT_ACCESS;
    arrives.access =
        (struct bh_access){.space = BH_SPACE_L1, .write = 1, .size = 16, .address = address, .request = test->requests};
    tell(test, arrives);
}

static void a_program_that_is_loaded_over_one_that_runs(void **context)
{
    enum { CODE = 0x12000, NOP = 0x13, SOFT_RESET_0 = 0xffb121b0, NC_IN_RESET = 1 << 18 };
    struct test *test = *context;
    own(test, (struct bh_check_owned){.kind = BH_CHECK_CODE, .cores = 1 << BH_CORE_NC, .address = CODE, .size = 0x100});
    for (unsigned i = 0; i < 8; i++) {
        tell(test, of_core(BH_EVENT_ISSUED, BH_CORE_NC, CODE + 4 * i, NOP));
    }
    write_over_the_noc(test, CODE + 0x40); /* not executed so far: a part that is loaded later */
    expect(test, "");
    write_over_the_noc(test, CODE);
    expect(test, "memcheck.code ");
    expect_text(test, "writes L1 0x12000, in the program that NC runs");
    tell(test, of_core(BH_EVENT_ISSUED, BH_CORE_NC, CODE, NOP));
    tell(test, of_core(BH_EVENT_ISSUED, BH_CORE_NC, CODE + 0x200, NOP)); /* goes on elsewhere: in firmware, say */
    write_over_the_noc(test, CODE);
    tell(test, of_core(BH_EVENT_ISSUED, BH_CORE_NC, CODE, NOP));
    store(test, BH_CORE_B, 0x300, SOFT_RESET_0, NC_IN_RESET);
    write_over_the_noc(test, CODE);
    expect(test, "");
}

static void the_next_launch(void **context)
{
    enum { POPPED = 8, PUSHED = 10 };
    struct test *test = *context;
    own_two_buffers(test);
    own_described(test);
    own_arguments(test, 1 << BH_CORE_NC, 0x21000, 8);
    use(test, 0x100, lw(A0, A1), DESCRIBED);
    bh_check_disown(test->check, X, Y);
    use(test, 0x104, sw(A1, A0), 0x50000); /* a pointer into nothing that is there */
    load(test, BH_CORE_B, 0x108, 0x21000);
    store(test, BH_CORE_NC, 0x10c, counter(0, PUSHED), 5);
    own_circular(test, 0, FIRST + 32, 8); /* where another one was */
    bh_check_disown(test->check, X, Y);
    own_circular(test, 0, FIRST, 8);
    walk(test, BYTES + 4); /* begins in the larger one */
    expect(test, "");
    bh_check_disown(test->check, X, Y);
    walk(test, BYTES + 4); /* what the job has named stays */
    expect(test, "memcheck.buffer ");
    bh_check_disown(test->check, 31, 31); /* nothing is there */
    bh_check_disown(test->check, 99, 99);
}

static void what_is_nowhere_can_not_be_owned(void **context)
{
    struct test *test = *context;
    struct bh_check_owned owned = {.x = X, .y = Y, .address = FIRST, .size = BYTES};
    assert_int_equal(bh_check_own(test->check, &owned), BH_OK);
    owned.x = DRAM_X; /* has no L1 */
    assert_int_equal(bh_check_own(test->check, &owned), BH_ERROR_ARGUMENT);
    owned.space = BH_SPACE_DRAM;
    assert_int_equal(bh_check_own(test->check, &owned), BH_OK);
    owned.kind = BH_CHECK_ARGUMENTS;
    assert_int_equal(bh_check_own(test->check, &owned), BH_ERROR_ARGUMENT);
    owned = (struct bh_check_owned){.x = 31, .y = 31, .address = FIRST, .size = BYTES};
    assert_int_equal(bh_check_own(test->check, &owned), BH_ERROR_ARGUMENT);
    owned = (struct bh_check_owned){.x = X, .y = Y, .address = 16, .size = UINT64_MAX};
    assert_int_equal(bh_check_own(test->check, &owned), BH_ERROR_ARGUMENT);
    owned = (struct bh_check_owned){.kind = BH_CHECK_DATA, .x = X, .y = Y}; /* in L1 */
    assert_int_equal(bh_check_own(test->check, &owned), BH_ERROR_ARGUMENT);
    owned = (struct bh_check_owned){.kind = BH_CHECK_DATA + 1, .x = X, .y = Y};
    assert_int_equal(bh_check_own(test->check, &owned), BH_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MEMORY_TEST(a_request_that_ends_behind_the_buffer_it_begins_in),
        MEMORY_TEST(a_request_that_reads_behind_a_buffer_in_dram),
        MEMORY_TEST(a_stack_above_its_data),
        MEMORY_TEST(an_array_on_the_stack),
        MEMORY_TEST(a_ram_that_is_saved),
        MEMORY_TEST(a_packer_that_goes_on_behind_its_buffer),
        MEMORY_TEST(more_pages_than_a_circular_buffer_has),
        MEMORY_TEST(counters_go_around),
        MEMORY_TEST(circular_buffers_that_overlap),
        MEMORY_TEST(arguments_that_a_core_does_not_have),
        MEMORY_TEST(a_program_that_is_loaded_over_one_that_runs),
        MEMORY_TEST(the_next_launch),
        MEMORY_TEST(what_is_nowhere_can_not_be_owned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
