/* The checker with made-up events: one rule at a time, broken and kept. */
#include "check/check_fixture.h"

/* Tests. Each is told the broken program first, then, by a fresh checker, the right one. */

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

/* A program that was stopped before its end may still have read the word. */
static void a_program_that_was_stopped(void **context)
{
    struct test *test = *context;
    store(test, BH_CORE_B, 0x100, 0xffec1000);
    assert_int_equal(bh_check_stop(test->check), BH_OK);
    assert_string_equal(test->rules, "");
}

/* The mend names what a core does, not the Tensix instruction that its word would be. */
static void a_word_of_configuration_of_two_cores(void **context)
{
    enum { CONFIG = 0xffef0000 };
    struct test *test = *context;
    store(test, BH_CORE_T1, 0x100, CONFIG + 400);
    load(test, BH_CORE_T0, 0x200, CONFIG + 400);
    expect(test, "racecheck.config ");
    assert_non_null(strstr(test->last, "mend: in T1 STALLWAIT(STALL_SYNC, TRISC_CFG) and SEMPOST behind the store at "
                                       "pc 0x100, and wait for that semaphore before pc 0x200"));
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
        access_by(test, BH_CORE_T0, 0x108, SW_A0, PUSH, word_of("ttunpacr 0,0,0,0,0,1,1,0,0,0,0,0,1"));
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

/* Dst.md: the matrix unit takes the instructions of all threads in one order. Firmware has T0 clear Dst for all. */
static void dst_of_threads_that_share_the_matrix_unit(void **context)
{
    for (unsigned waits = 0; waits < 2; waits++, again(context)) {
        struct test *test = *context;
        execute_with(test, 0, 0x80, "ttzeroacc 3,0,0,1,0", &dst_written, NULL, BH_AGENT_THREAD);
        execute(test, 0, 0x84, "ttsempost 4"); /* when the unit has taken it, not when it has ended */
        if (waits) {
            execute(test, 1, 0xfc, "ttsemwait 64,4,1"); /* MATH: semaphore 2 is 0 */
        }
        multiply(test, 0x100);
        execute(test, 1, 0x104, "ttstallwait 2,16"); /* SYNC: MATH */
        execute(test, 1, 0x108, "ttsempost 2");
        execute(test, 2, 0x200, "ttsemwait 1,2,1");
        execute_with(test, 2, 0x204, "ttpacr 0,0,0,0,0,0,0,0,0,0,0,0",
                     &(struct bh_operand){.file = BH_OPERAND_DST, .unit = BH_UNIT_PACK, .index = 0, .count = 8},
                     &l1_written, BH_AGENT_PACKER);
        expect(test, waits ? "" : "racecheck.dst ");
        assert_true(waits || strstr(test->last, "behind the matrix unit for T0"));
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

/* A core loads what its read has not brought yet, or overwrites what its write has not taken yet: what is missing is
   the wait for the request, though the request is the later one of the two. */
static void what_a_request_works_on_is_used_too_early(void **context)
{
    for (unsigned reads = 0; reads < 2; reads++, again(context)) {
        struct test *test = *context;
        uint32_t request = start(test, BH_CORE_B, 0x100, reads ? BH_NOC_READ : BH_NOC_WRITE);
        if (reads) {
            load(test, BH_CORE_B, 0x200, BUFFER);
        } else {
            store(test, BH_CORE_B, 0x200, BUFFER);
        }
        transfer(test, BH_CORE_B, 0x100, request, reads);
        acknowledge(test, BH_CORE_B, request);
        go_on(test, BH_CORE_B);
        expect(test, "racecheck.noc ");
        assert_non_null(strstr(test->last, "behind the request at pc 0x100, before pc 0x200"));
    }
}

/* A second read into what an unpacker still works on: that is what lacks a wait. A store that is not read back before
   the write that takes it lacks that. */
static void what_is_used_is_fetched_again_too_early(void **context)
{
    struct test *test = *context;
    uint32_t request = start(test, BH_CORE_B, 0x100, BH_NOC_READ);
    transfer(test, BH_CORE_B, 0x100, request, true);
    acknowledge(test, BH_CORE_B, request);
    unpack(test, 0x300);
    request = start(test, BH_CORE_B, 0x200, BH_NOC_READ);
    transfer(test, BH_CORE_B, 0x200, request, true);
    assert_non_null(strstr(test->last, "mend: in T0 STALLWAIT(STALL_THCON, UNPACK0) behind the UNPACR at pc 0x300"));
    again(context);
    test = *context;
    store(test, BH_CORE_B, 0x100, BUFFER);
    request = start(test, BH_CORE_B, 0x200, BH_NOC_WRITE);
    transfer(test, BH_CORE_B, 0x200, request, false);
    acknowledge(test, BH_CORE_B, request);
    assert_non_null(strstr(test->last, "mend: load what the store at pc 0x100 has stored before pc 0x200"));
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

/* RDCFG writes its GPR late: what its own thread has read before is read by then, what it reads next is not yet there.
 */
static void a_gpr_that_rdcfg_writes(void **context)
{
    struct bh_operand gpr = {.file = BH_OPERAND_GPR, .unit = BH_UNIT_CONFIG, .index = 52, .count = 1}, late = gpr;
    late.write = late.late = 1;
    for (unsigned again_read = 0; again_read < 2; again_read++, again(context)) {
        struct test *test = *context;
        execute_with(test, 0, 0x100, "ttwrcfg 52,0,57", &gpr, NULL, BH_AGENT_THREAD);
        execute_with(test, 0, 0x104, "ttrdcfg 52,57", &late, NULL, BH_AGENT_THREAD);
        if (again_read) {
            execute_with(test, 0, 0x108, "ttwrcfg 52,0,57", &gpr, NULL, BH_AGENT_THREAD);
        }
        expect(test, again_read ? "racecheck.gpr " : "");
        assert_true(!again_read ||
                    strstr(test->last, "mend: STALLWAIT(STALL_CFG, CFGEXU) before the WRCFG at pc 0x108"));
    }
}

/* Data in the line of the flag that announces them come with it; data in another line may be in the cache. */
static void data_in_the_line_of_their_flag(void **context)
{
    enum { SKIP_IF_A0_IS_0 = 0x00050463 /* beqz a0, +8 */, ROUNDS = 3 };
    for (unsigned other_line = 0; other_line < 2; other_line++, again(context)) {
        struct test *test = *context;
        uint64_t flag = BUFFER + (other_line ? 16 : 8);
        for (unsigned round = 0; round < ROUNDS; round++) { /* behind the first it is known to be a flag */
            store(test, BH_CORE_B, 0x100, BUFFER);
            store(test, BH_CORE_B, 0x104, flag);
            if (round == 2) {
                store(test, BH_CORE_NC, 0x200, flag + 4); /* empties the line of the flag */
            }
            load(test, BH_CORE_NC, 0x204, flag);
            issue(test, BH_CORE_NC, 0x208, SKIP_IF_A0_IS_0);
            load(test, BH_CORE_NC, 0x20c, BUFFER);
            go_on(test, BH_CORE_NC);
            store(test, BH_CORE_NC, 0x210, FLAG + 64);
            poll(test, BH_CORE_B, 0x108, FLAG + 64);
        }
        expect(test, other_line ? "racecheck.l1 " : "");
        assert_true(!other_line ||
                    strstr(test->last, "mend: a fence (invalidate_l1_cache) before the load at pc 0x20c"));
    }
}

/* Of two accesses that it does not wait for, the later one is told: waiting for it is waiting for both. */
static void a_gpr_that_was_written_and_read(void **context)
{
    struct test *test = *context;
    struct bh_operand gpr = {
        .file = BH_OPERAND_GPR, .part = 1, .write = 1, .unit = BH_UNIT_SCALAR, .index = 20, .count = 1};
    execute_with(test, 1, 0x100, "ttsetdmareg 0,5,0,40", &gpr, NULL, BH_AGENT_THREAD);
    gpr.write = 0;
    execute_with(test, 1, 0x104, "ttstoreind 1,0,1,120,0,20,16", &gpr, NULL, BH_AGENT_THREAD);
    store(test, BH_CORE_T1, 0x108, 0xffe00000 + 4 * 20);
    expect(test, "racecheck.gpr ");
    assert_non_null(strstr(test->last, "pc 0x00000104"));
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
        access_by(test, BH_CORE_T1, 0x100, SW_A0, PUSH, word_of("ttmop 1,0,0"));
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

static void check_initialisation(struct test *test)
{
    const struct bh_check_options options = {
        .tools = BH_CHECK_TOOL_BIT(BH_CHECK_INITIALISATION), .on_finding = on_finding, .context = test};
    bh_check_close(test->check);
    assert_int_equal(bh_check_open(&options, &test->check, NULL), BH_OK);
}

/* The vendor's kernels transpose LRegs that they have not written along with others. */
static void lregs_that_are_only_transposed(void **context)
{
    for (unsigned adds = 0; adds < 2; adds++, again(context)) {
        struct test *test = *context;
        check_initialisation(test);
        const struct bh_operand unwritten = {.file = BH_OPERAND_LREG, .unit = BH_UNIT_VECTOR, .count = 1};
        execute_with(test, 1, 0x100, adds ? "ttsfpadd 10,0,0,1,0" : "ttsfptransp 0,0,0,0", &unwritten, NULL,
                     BH_AGENT_THREAD);
        expect(test, adds ? "initcheck.lreg " : "");
    }
}

static void what_nobody_has_written(void **context)
{
    struct test *test = *context;
    check_initialisation(test);
    store(test, BH_CORE_B, 0x100, BUFFER);
    load(test, BH_CORE_NC, 0x200, BUFFER); /* a race, which is not asked for */
    load(test, BH_CORE_NC, 0x204, BUFFER + 4);
    expect(test, "initcheck.l1 ");
    assert_non_null(strstr(test->last, "NC reads L1 0x30004, which nobody has written"));
}

/* Of an Ethernet tile, where base firmware has its program and what it tells: the table of its functions, say. */
static void what_base_firmware_has_written(void **context)
{
    enum { FIRMWARE = 0x70000, FUNCTIONS = 0x7cf00, ETHERNET_X = 3, ETHERNET_Y = 1 };
    static const uint32_t addresses[] = {FUNCTIONS, FIRMWARE, FIRMWARE - 4};
    struct test *test = *context;
    check_initialisation(test);
    for (unsigned i = 0; i < 3; i++) {
        expect(test, "");
        struct bh_event event = of_core(BH_EVENT_ACCESS, BH_CORE_E0, 0x200 + 4 * i, LW_A0);
        event.tile_x = ETHERNET_X;
        event.tile_y = ETHERNET_Y;
        event.access = (struct bh_access){.space = BH_SPACE_L1, .size = 4, .address = addresses[i]};
        tell(test, event);
    }
    load(test, BH_CORE_B, 0x300, FUNCTIONS); /* on a Tensix tile there is no firmware */
    expect(test, "initcheck.l1 initcheck.l1 ");
}

/* GAPOOL.md: four rows of Dst, each of one row of SrcB. */
static void rows_of_srcb_that_are_not_needed(void **context)
{
    static const struct bh_operand unpacked = {
        .file = BH_OPERAND_SRCB, .write = 1, .unit = BH_UNIT_UNPACK, .index = 16, .count = 1};
    static const struct bh_operand pooled = {.file = BH_OPERAND_SRCB, .unit = BH_UNIT_MATRIX, .index = 16, .count = 4};
    static const struct {
        bool unpacks;
        const char *reader, *rules;
    } cases[] = {{true, "ttgapool 3,0,0,0,0", ""},
                 {false, "ttgapool 3,0,0,0,0", "initcheck.src "},
                 {true, "ttmvmul 0,0,0,0", "initcheck.src "}};
    for (unsigned i = 0; i < 3; i++, again(context)) {
        struct test *test = *context;
        check_initialisation(test);
        if (cases[i].unpacks) {
            execute_with(test, 0, 0x100, "ttunpacr 1,0,0,0,0,1,1,0,0,0,0,0,1", &unpacked, NULL, BH_AGENT_THREAD);
            tell(test, (struct bh_event){.kind = BH_EVENT_SRC_BANK,
                                         .place = {.agent = BH_AGENT_THREAD, .index = 0, .pc = 0x100},
                                         .src_bank = {.src = 1, .bank = 0, .owner = BH_SRC_MATRIX}});
        }
        execute_with(test, 1, 0x200, cases[i].reader, &pooled, NULL, BH_AGENT_THREAD);
        expect(test, cases[i].rules);
    }
}

/* MOPExpander.md: the words that each template cannot do without. */
static void a_mop_of_a_template_that_was_not_written(void **context)
{
    static const unsigned words[][3] = {{1, 1, 1}, {0, 1, 5}};
    for (unsigned type = 0; type < 2; type++) {
        for (unsigned written = 0; written <= 3; written++, again(context)) {
            struct test *test = *context;
            check_initialisation(test);
            for (unsigned i = 0; i < written; i++) {
                store(test, BH_CORE_T1, 0x100, MOP_CONFIG + 4 * words[type][i]);
            }
            access_by(test, BH_CORE_T1, 0x104, SW_A0, PUSH, word_of(type ? "ttmop 1,0,0" : "ttmop 0,3,0"));
            expect(test, written == 3 || (type == 0 && written) ? "" : "initcheck.mop ");
        }
    }
}

/* Counts that the instruction itself has need none in the configuration (assembly.yaml of tt_llk_blackhole). */
static void a_mop_that_names_its_counts(void **context)
{
    struct test *test = *context;
    check_initialisation(test);
    store(test, BH_CORE_T1, 0x100, MOP_CONFIG + 4 * 5);
    access_by(test, BH_CORE_T1, 0x104, SW_A0, PUSH, word_of("ttmop 1,0,0x1402"));
    expect(test, "");
    access_by(test, BH_CORE_T1, 0x108, SW_A0, PUSH, word_of("ttmop 1,0,0x1400"));
    expect(test, "initcheck.mop ");
}

/* SEMINIT.md: it alone sets the maximum, for which SEMWAIT waits with bit 1 of wait_sem_cond. */
static void a_maximum_that_was_not_set(void **context)
{
    static const char *const waits[] = {"ttsemwait 2,4,1", "ttsemwait 2,4,2", "ttsemwait 2,8,2"};
    for (unsigned i = 0; i < 6; i++, again(context)) {
        struct test *test = *context;
        check_initialisation(test);
        if (i >= 3) {
            execute(test, 1, 0x100, "ttseminit 2,0,4");
        }
        execute(test, 1, 0x104, waits[i % 3]);
        expect(test, i == 1 || i == 2 || i == 5 ? "initcheck.semaphore " : "");
    }
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
    const struct CMUnitTest tests[] = {
        CHECK_TEST(data_behind_a_flag_that_is_polled),
        CHECK_TEST(a_poll_without_a_fence),
        CHECK_TEST(a_register_of_two_cores),
        CHECK_TEST(a_semaphore_that_is_initialised_late),
        CHECK_TEST(a_word_that_is_left_in_a_mailbox),
        CHECK_TEST(a_program_that_was_stopped),
        CHECK_TEST(a_word_of_configuration_of_two_cores),
        CHECK_TEST(two_cores_that_write_one_word),
        CHECK_TEST(lregs_that_are_only_transposed),
        CHECK_TEST(stores_before_an_instruction_that_reads_them),
        CHECK_TEST(dst_between_matrix_unit_and_packer),
        CHECK_TEST(dst_of_threads_that_share_the_matrix_unit),
        CHECK_TEST(rows_of_srcb_that_are_not_needed),
        CHECK_TEST(a_wait_that_blocks_something_else),
        CHECK_TEST(a_buffer_given_back_while_it_is_unpacked),
        CHECK_TEST(what_a_request_works_on_is_used_too_early),
        CHECK_TEST(what_is_used_is_fetched_again_too_early),
        CHECK_TEST(a_gpr_before_the_scalar_unit_is_done),
        CHECK_TEST(a_gpr_that_rdcfg_writes),
        CHECK_TEST(data_in_the_line_of_their_flag),
        CHECK_TEST(a_gpr_that_was_written_and_read),
        CHECK_TEST(data_of_the_noc_before_it_is_there),
        CHECK_TEST(the_source_of_a_write_that_was_not_sent),
        CHECK_TEST(a_kernel_that_ends_with_a_write_under_way),
        CHECK_TEST(a_mop_that_is_programmed_while_it_expands),
        CHECK_TEST(a_semaphore_that_is_got_at_0),
        CHECK_TEST(mutexes_of_others_and_of_nobody),
        CHECK_TEST(a_stack_that_grows_into_data),
        CHECK_TEST(what_nobody_has_written),
        CHECK_TEST(what_base_firmware_has_written),
        CHECK_TEST(a_mop_of_a_template_that_was_not_written),
        CHECK_TEST(a_mop_that_names_its_counts),
        CHECK_TEST(a_maximum_that_was_not_set),
        CHECK_TEST(memory_is_bounded),
        CHECK_TEST(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
