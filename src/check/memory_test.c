/* memcheck with what a program owns: events that are made up here, one rule at a time, broken and kept. */
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

static void on_finding(void *context, const struct bh_check_finding *finding)
{
    struct test *test = context;
    strcat(strcat(test->rules, finding->rule), " ");
    bh_check_format(test->check, finding, test->last, sizeof test->last);
}

static int set_up(void **context)
{
    struct test *test = calloc(1, sizeof *test);
    const struct bh_check_options options = {
        .tools = BH_CHECK_TOOL_BIT(BH_CHECK_MEMORY), .on_finding = on_finding, .context = test};
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

static void expect(struct test *test, const char *rules)
{
    assert_string_equal(test->rules, rules);
    *test->rules = 0;
}

static void expect_text(const struct test *test, const char *text)
{
    if (!strstr(test->last, text)) {
        fail_msg("\"%s\" is not in:\n%s", text, test->last);
    }
}

static void own(struct test *test, struct bh_check_owned owned)
{
    owned.x = owned.space == BH_SPACE_DRAM ? DRAM_X : X;
    owned.y = owned.space == BH_SPACE_DRAM ? DRAM_Y : Y;
    assert_int_equal(bh_check_own(test->check, &owned), BH_OK);
}

static void tell(struct test *test, struct bh_event event)
{
    const struct bh_observer *observer = bh_check_observer(test->check);
    event.tile_x = event.place_x = X;
    event.tile_y = event.place_y = Y;
    if (observer->kinds >> event.kind & 1) {
        observer->on_event(observer->context, &event);
    }
}

static struct bh_event of_core(enum bh_event_kind kind, unsigned core, uint32_t pc, uint32_t word)
{
    return (struct bh_event){.kind = (uint16_t)kind,
                             .agent = BH_AGENT_CORE,
                             .index = (uint8_t)core,
                             .place = {.agent = BH_AGENT_CORE, .index = (uint8_t)core, .pc = pc},
                             .instruction = word};
}

/* Requests on the NoC. */

static void request(struct test *test, struct bh_noc noc)
{
    struct bh_event event = of_core(BH_EVENT_NOC_SENT, BH_CORE_B, 0x200, SW_A0);
    event.agent = BH_AGENT_NIU;
    event.noc = noc;
    tell(test, event);
}

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

/* What cores do. */

static enum bh_space space_of(uint64_t address)
{
    return address < 0x180000 ? BH_SPACE_L1 : address < 0xffb02000 ? BH_SPACE_LOCAL_RAM : BH_SPACE_REGISTER;
}

static void access_by(struct test *test, unsigned core, uint32_t pc, uint32_t word, uint64_t address, uint32_t value)
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

static void load(struct test *test, unsigned core, uint32_t pc, uint64_t address)
{
    access_by(test, core, pc, LW_A0, address, 0);
}

static void store(struct test *test, unsigned core, uint32_t pc, uint64_t address, uint32_t value)
{
    access_by(test, core, pc, SW_A0, address, value);
}

/* Pointers of cores. A0 has the pointer. */

enum { A0 = 10, A1 = 11, A2 = 12, SP = 2, LOCAL = 0xffb00010, DESCRIBED = 0x20000 };

static uint32_t lw(unsigned rd, unsigned base)
{
    return base << 15 | 2 << 12 | rd << 7 | 0x03;
}

static uint32_t sw(unsigned source, unsigned base)
{
    return source << 20 | base << 15 | 2 << 12 | 0x23;
}

static uint32_t addi(unsigned rd, unsigned source, uint32_t value)
{
    return value << 20 | source << 15 | rd << 7 | 0x13;
}

static uint32_t add(unsigned rd, unsigned first, unsigned second)
{
    return second << 20 | first << 15 | rd << 7 | 0x33;
}

static uint32_t lui(unsigned rd, uint32_t value)
{
    return value | rd << 7 | 0x37;
}

static void execute(struct test *test, uint32_t word)
{
    tell(test, of_core(BH_EVENT_ISSUED, BH_CORE_B, 0x500, word));
}

static void use(struct test *test, uint32_t pc, uint32_t word, uint64_t address)
{
    access_by(test, BH_CORE_B, pc, word, address, 0);
}

static void own_two_buffers(struct test *test)
{
    own(test, (struct bh_check_owned){.address = FIRST, .size = BYTES, .name = "input a"});
    own(test, (struct bh_check_owned){.address = SECOND, .size = BYTES, .name = "input b"});
}

/* A loop that loads words from FIRST on. */
static void walk(struct test *test, uint32_t bytes)
{
    execute(test, lui(A0, FIRST));
    for (uint32_t at = 0; at < bytes; at += 4) {
        use(test, 0x100, lw(A1, A0), FIRST + at);
        execute(test, addi(A0, A0, 4));
    }
}

static void a_loop_that_walks_into_the_next_buffer(void **context)
{
    struct test *test = *context;
    own_two_buffers(test);
    walk(test, BYTES);
    expect(test, "");
    walk(test, BYTES + 12);
    expect(test, "memcheck.buffer "); /* once */
    expect_text(test, "B reads 4 bytes at 0x30040, behind the end of input a (0x30000 to 0x3003f), by a pointer that "
                      "began there");
}

static void buffers_that_are_used_one_after_the_other(void **context)
{
    struct test *test = *context;
    own_two_buffers(test);
    for (unsigned i = 0; i < 2; i++) { /* the same loop, with another pointer */
        execute(test, lui(A0, i ? SECOND : FIRST));
        for (uint32_t at = 0; at < BYTES; at += 4) {
            use(test, 0x100, lw(A1, A0), (i ? SECOND : FIRST) + at);
            execute(test, addi(A0, A0, 4));
        }
    }
    execute(test, lui(A0, FIRST)); /* a pointer that is moved to the other buffer, for other instructions */
    use(test, 0x200, lw(A1, A0), FIRST + BYTES - 4);
    execute(test, addi(A0, A0, 64));
    use(test, 0x204, lw(A1, A0), SECOND + BYTES - 4);
    walk(test, 16); /* and one that jumps far ahead */
    execute(test, addi(A0, A0, 2032));
    use(test, 0x100, lw(A1, A0), FIRST + 0x1000);
    expect(test, "");
}

static void own_described(struct test *test)
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

static void pointers_that_a_launch_gives(void **context)
{
    struct test *test = *context;
    own_described(test);
    use(test, 0x100, lw(A0, A1), DESCRIBED);
    use(test, 0x104, sw(A0, SP), LOCAL);
    execute(test, lui(A0, 0));
    use(test, 0x108, lw(A2, SP), LOCAL); /* through local RAM, */
    execute(test, add(A2, A2, A1));      /* and with an offset */
    use(test, 0x10c, sw(A1, A2), FIRST + BYTES - 4);
    expect(test, "");
    use(test, 0x110, sw(A1, A2), FIRST + BYTES); /* this instruction has not been in the buffer */
    expect(test, "memcheck.circular-buffer ");
    expect_text(test, "B writes 4 bytes at 0x30040, behind the end of circular buffer 0 (0x30000 to 0x3003f), by");
    use(test, 0x108, lw(A2, SP), LOCAL);
    use(test, 0x114, sw(A1, A2), FIRST - 4);
    expect(test, "memcheck.circular-buffer ");
    expect_text(test, "at 0x2fffc, before circular buffer 0 (");
    use(test, 0x108, lw(A2, SP), LOCAL);
    use(test, 0x118, sw(A1, A2), 0x50000);
    expect(test, "memcheck.buffer ");
    expect_text(test, "at 0x50000, behind the end of circular buffer 0 (0x30000 to 0x3003f) and of all others, by");
}

static void pointers_that_are_forgotten(void **context)
{
    struct test *test = *context;
    own_described(test);
    use(test, 0x100, lw(A0, A1), DESCRIBED);
    use(test, 0x104, sw(A0, SP), LOCAL);
    execute(test, lui(A0, 0x50000)); /* another value */
    use(test, 0x108, sw(A1, A0), 0x50000);
    use(test, 0x104, sw(A1, SP), LOCAL);
    use(test, 0x10c, lw(A0, SP), LOCAL);
    use(test, 0x110, sw(A1, A0), 0x50000);
    use(test, 0x114, lw(A0, A1), DESCRIBED + 4); /* its size */
    use(test, 0x118, sw(A1, A0), 0x50000);
    use(test, 0x100, lw(A0, A1), DESCRIBED);
    use(test, 0x11c, lw(A2, A1), DESCRIBED + 16);
    execute(test, add(A0, A0, A2)); /* of two pointers */
    use(test, 0x120, sw(A1, A0), 0x50000);
    expect(test, "");
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

/* Circular buffers. */

static void own_circular(struct test *test, uint8_t number, uint64_t address, uint32_t pages)
{
    own(test, (struct bh_check_owned){.kind = BH_CHECK_CIRCULAR_BUFFER,
                                      .address = address,
                                      .size = (uint64_t)pages * BYTES,
                                      .number = number,
                                      .pages = pages});
}

static uint32_t counter(unsigned buffer, unsigned index)
{
    return 0xffb40000 + (8 + buffer) * 0x1000 + 4 * index;
}

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

static void own_arguments(struct test *test, unsigned cores, uint64_t address, uint64_t size)
{
    own(test,
        (struct bh_check_owned){.kind = BH_CHECK_ARGUMENTS, .cores = (uint8_t)cores, .address = address, .size = size});
}

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
#define MEMORY_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        MEMORY_TEST(a_request_that_ends_behind_the_buffer_it_begins_in),
        MEMORY_TEST(a_request_that_reads_behind_a_buffer_in_dram),
        MEMORY_TEST(a_loop_that_walks_into_the_next_buffer),
        MEMORY_TEST(buffers_that_are_used_one_after_the_other),
        MEMORY_TEST(pointers_that_a_launch_gives),
        MEMORY_TEST(pointers_that_are_forgotten),
        MEMORY_TEST(a_stack_above_its_data),
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
