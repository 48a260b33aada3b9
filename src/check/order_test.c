/* What orders agents, and what does not, with made-up events: each rule broken, then kept. */
#include "check/check_fixture.h"

enum { MAILBOX_B_TO_T0 = 0xffec1000, MAILBOX_OF_B = 0xffec0000 };

/* How a core waits for the answer to a load before its next one. */
static void answered_loads(void **context)
{
    enum { NOT, USED, FENCED, SEVEN_OTHERS, SIX_OTHERS, WAYS };
    for (unsigned way = 0; way < WAYS; way++, again(context)) {
        struct test *test = *context;
        store(test, BH_CORE_B, 0x100, BUFFER);
        load(test, BH_CORE_B, 0x104, BUFFER);
        issue(test, BH_CORE_B, 0x108, AND_A0);
        store(test, BH_CORE_B, 0x10c, MAILBOX_B_TO_T0);
        load(test, BH_CORE_T0, 0x200, MAILBOX_OF_B);
        for (unsigned i = 0; i < (way == SEVEN_OTHERS ? 7 : way == SIX_OTHERS ? 6 : 0); i++) {
            issue(test, BH_CORE_T0, 0x204 + 4 * i, NOP);
        }
        if (way == USED || way == FENCED) {
            issue(test, BH_CORE_T0, 0x204, way == USED ? AND_A0 : FENCE);
        }
        load(test, BH_CORE_T0, 0x300, BUFFER);
        go_on(test, BH_CORE_T0);
        expect(test, way == NOT || way == SIX_OTHERS ? "racecheck.l1 " : "");
        if (way == NOT) {
            assert_non_null(strstr(test->last, "mend: a fence before the access at pc 0x300"));
        }
    }
}

/* A flag that is written behind data over the same NoC, to the same tile. */
static void writes_of_one_tile(void **context)
{
    enum {
        CONTROL = 0xffb2001c,
        COMMAND = 0xffb20040,
        STATIC_VC_0 = 1 << 7,
        STATIC_VC_1 = 1 << 7 | 1 << 13,
        LINKED = 1 << 6
    };
    enum { ANY, ACKNOWLEDGED, STATIC, OTHER_CHANNEL, LINKED_ON, LINKED_END, LINKED_NEXT, BEHIND_ANOTHER, WAYS };
    static const uint32_t control[WAYS][2] = {
        [STATIC] = {STATIC_VC_0, STATIC_VC_0}, [OTHER_CHANNEL] = {STATIC_VC_0, STATIC_VC_1},
        [LINKED_ON] = {LINKED, LINKED},        [LINKED_END] = {LINKED, 0},
        [LINKED_NEXT] = {0, LINKED},           [BEHIND_ANOTHER] = {STATIC_VC_0, STATIC_VC_0}};
    for (unsigned way = 0; way < WAYS; way++, again(context)) {
        struct test *test = *context;
        poll(test, BH_CORE_NC, 0x200, FLAG);
        if (way == BEHIND_ANOTHER) { /* which both may overtake */
            access_by(test, BH_CORE_B, 0xf8, SW_A0, CONTROL, STATIC_VC_1);
            start(test, BH_CORE_B, 0xfc, BH_NOC_WRITE);
        }
        access_by(test, BH_CORE_B, 0x100, SW_A0, CONTROL, control[way][0]);
        uint32_t data = start(test, BH_CORE_B, 0x104, BH_NOC_WRITE);
        transfer(test, BH_CORE_B, 0x104, data, true);
        if (way == ACKNOWLEDGED) {
            acknowledge(test, BH_CORE_B, data);
            load(test, BH_CORE_B, 0x108, ACKS);
            issue(test, BH_CORE_B, 0x10c, BRANCH_BACK_IF_A0_IS_0);
        }
        access_by(test, BH_CORE_B, 0x110, SW_A0, CONTROL, control[way][1]);
        uint32_t flag = start(test, BH_CORE_B, 0x114, BH_NOC_WRITE);
        struct bh_event event = of_core(BH_EVENT_ACCESS, BH_CORE_B, 0x114, SW_A0);
        event.agent = BH_AGENT_NIU;
        event.access =
            (struct bh_access){.space = BH_SPACE_L1, .write = 1, .size = 4, .address = FLAG, .request = flag};
        tell(test, event);
        poll(test, BH_CORE_NC, 0x200, FLAG);
        load(test, BH_CORE_NC, 0x300, BUFFER);
        go_on(test, BH_CORE_NC);
        expect(test, way == ANY || way == OTHER_CHANNEL || way == LINKED_NEXT ? "racecheck.noc " : "");
    }
}

/* The registers of a request, until the NIU has taken it. */
static void registers_of_a_request(void **context)
{
    enum { TARGET = 0xffb20000, COMMAND = 0xffb20040, NEXT_INITIATOR = 0x800 };
    enum { NOT, LOADED, POLLED, RESPONDED, OTHER_INITIATOR, WAYS };
    for (unsigned way = 0; way < WAYS; way++, again(context)) {
        struct test *test = *context;
        store(test, BH_CORE_B, 0x100, TARGET);
        store(test, BH_CORE_B, 0x104, COMMAND);
        if (way == LOADED || way == POLLED || way == RESPONDED) {
            load(test, BH_CORE_B, 0x108, way == RESPONDED ? READS : COMMAND);
            issue(test, BH_CORE_B, 0x10c, way == LOADED ? AND_A0 : BRANCH_BACK_IF_A0_IS_0);
            issue(test, BH_CORE_B, 0x110, LI_A0);
        }
        store(test, BH_CORE_B, 0x200, TARGET + 4 + (way == OTHER_INITIATOR ? NEXT_INITIATOR : 0));
        store(test, BH_CORE_B, 0x204, TARGET + 8 + (way == OTHER_INITIATOR ? NEXT_INITIATOR : 0));
        expect(test, way == NOT || way == LOADED ? "racecheck.register " : "");
    }
}

/* Instructions of a thread whose core has ended. */
static void threads_that_go_on(void **context)
{
    enum { EXECUTING, ON_ITS_WAY, IDLE_FIRST, PUSHED_BY_B, WAYS };
    for (unsigned way = 0; way < WAYS; way++, again(context)) {
        struct test *test = *context;
        uint32_t word = word_of("ttpacr 0,0,0,0,0,0,0,0,0,0,0,0");
        if (way == PUSHED_BY_B) {
            access_by(test, BH_CORE_B, 0x100, SW_A0, PUSH + 0x20000, word);
        } else {
            access_by(test, BH_CORE_T2, 0x100, SW_A0, PUSH, word);
        }
        if (way == EXECUTING || way == IDLE_FIRST) {
            pack(test, 0x100);
        }
        if (way == IDLE_FIRST) {
            load(test, BH_CORE_T2, 0x104, IDLE);
            issue(test, BH_CORE_T2, 0x108, AND_A0);
        }
        issue(test, BH_CORE_T2, 0x10c, JUMP_TO_ITSELF);
        issue(test, BH_CORE_T2, 0x10c, JUMP_TO_ITSELF);
        if (way == ON_ITS_WAY || way == PUSHED_BY_B) {
            pack(test, 0x100);
        }
        expect(test, way == IDLE_FIRST || way == PUSHED_BY_B ? "" : "synccheck.thread-idle ");
    }
}

/* A line of a data cache that others write, and what empties it. Firmware looks at a flag once without a fence, and
   polls it with one if it is not set yet: an old line only lets it poll. */
static void lines_of_data_caches(void **context)
{
    enum { NOTHING, FENCED, STORED, OTHER_BYTES, POLLED, OFF, WAYS };
    for (unsigned way = 0; way < WAYS; way++, again(context)) {
        struct test *test = *context;
        test->uncached = way == OFF;
        load(test, BH_CORE_B, 0x100, way == OTHER_BYTES ? BUFFER - 16 : BUFFER);
        go_on(test, BH_CORE_B);
        uint32_t request = start(test, BH_CORE_B, 0x200, BH_NOC_READ);
        transfer(test, BH_CORE_B, 0x200, request, true);
        acknowledge(test, BH_CORE_B, request);
        load(test, BH_CORE_B, 0x204, READS);
        issue(test, BH_CORE_B, 0x208, BRANCH_BACK_IF_A0_IS_0);
        if (way == FENCED) {
            issue(test, BH_CORE_B, 0x20c, FENCE);
        } else if (way == STORED) {
            store(test, BH_CORE_B, 0x20c, BUFFER + 12);
        } else if (way == POLLED) {
            poll(test, BH_CORE_B, 0x2f0, BUFFER + 4);
            load(test, BH_CORE_B, 0x2fc, BUFFER); /* the line, once more */
            request = start(test, BH_CORE_B, 0x200, BH_NOC_READ);
            transfer(test, BH_CORE_B, 0x200, request, true);
            acknowledge(test, BH_CORE_B, request);
            load(test, BH_CORE_B, 0x204, READS);
            issue(test, BH_CORE_B, 0x208, AND_A0);
        }
        load(test, BH_CORE_B, 0x300, BUFFER + 4);
        go_on(test, BH_CORE_B);
        expect(test, way == NOTHING ? "racecheck.l1 " : "");
        if (way == NOTHING) {
            assert_non_null(strstr(test->last, "mend: a fence (invalidate_l1_cache) before the load at pc 0x300"));
        }
    }
}

/* Two words of a line whose stores may not be there yet: that is no matter of the cache, and no fence mends it. */
static void stores_that_are_not_read_back(void **context)
{
    enum { PUSHED = STREAM_8 + 8 };
    struct test *test = *context;
    store(test, BH_CORE_B, 0x100, BUFFER);
    store(test, BH_CORE_B, 0x104, BUFFER + 4);
    store(test, BH_CORE_B, 0x108, PUSHED);
    load(test, BH_CORE_NC, 0x200, PUSHED);
    issue(test, BH_CORE_NC, 0x204, BRANCH_BACK_IF_A0_IS_0);
    issue(test, BH_CORE_NC, 0x208, FENCE);
    for (unsigned i = 0; i < 2; i++) {
        load(test, BH_CORE_NC, 0x20c + 4 * i, BUFFER + 4 * i);
    }
    go_on(test, BH_CORE_NC);
    expect(test, "racecheck.l1 racecheck.l1 ");
    assert_non_null(strstr(test->last, "mend: load what the store at pc 0x104 has stored before pc 0x210"));
}

/* A fence and an atomic operation wait until the store queue is empty: what is loaded from L1 behind that comes behind
   the stores. */
static void stores_in_front_of_a_fence(void **context)
{
    enum { PUSHED = STREAM_8 + 8, AMOADD = 0x00a5a52f /* to a0 */ };
    enum { BOTH, NO_FENCE, NO_LOAD, ATOMIC, WAYS };
    for (unsigned way = 0; way < WAYS; way++, again(context)) {
        struct test *test = *context;
        store(test, BH_CORE_B, 0x100, BUFFER);
        issue(test, BH_CORE_B, 0x104, way == BOTH || way == NO_LOAD ? FENCE : NOP);
        if (way != NO_LOAD) {
            access_by(test, BH_CORE_B, 0x108, way == ATOMIC ? AMOADD : LW_A0, FLAG + 64, 0);
            issue(test, BH_CORE_B, 0x10c, AND_A0);
        }
        store(test, BH_CORE_B, 0x110, PUSHED);
        poll(test, BH_CORE_NC, 0x200, PUSHED);
        load(test, BH_CORE_NC, 0x300, BUFFER);
        go_on(test, BH_CORE_NC);
        expect(test, way == BOTH || way == ATOMIC ? "" : "racecheck.l1 ");
    }
}

/* An instruction knows what its core knew when it pushed it. */
static void instructions_know_no_more_than_their_push(void **context)
{
    for (unsigned late = 0; late < 2; late++, again(context)) {
        struct test *test = *context;
        uint32_t word = word_of("ttunpacr 0,0,0,0,0,1,1,0,0,0,0,0,1");
        store(test, BH_CORE_B, 0x100, BUFFER);
        store(test, BH_CORE_B, 0x104, FLAG);
        if (late) {
            access_by(test, BH_CORE_T0, 0x300, SW_A0, PUSH, word);
        }
        poll(test, BH_CORE_T0, 0x200, FLAG);
        if (!late) {
            access_by(test, BH_CORE_T0, 0x300, SW_A0, PUSH, word);
        }
        access_by(test, BH_CORE_T0, 0x304, SW_A0, PUSH, word_of("ttnop"));
        unpack(test, 0x300);
        execute(test, 0, 0x304, "ttnop");
        expect(test, late ? "racecheck.l1 " : "");
    }
}

/* Many pushes, between which the core learns something: none of it is lost, and what follows is told as well. */
static void pushes_of_a_long_program(void **context)
{
    struct test *test = *context;
    uint32_t word = word_of("ttunpacr 0,0,0,0,0,1,1,0,0,0,0,0,1");
    for (unsigned round = 0; round < 200; round++) {
        store(test, BH_CORE_B, 0x100, BUFFER);
        store(test, BH_CORE_B, 0x104, FLAG);
        poll(test, BH_CORE_T0, 0x200, FLAG);
        access_by(test, BH_CORE_T0, 0x300, SW_A0, PUSH, word);
        unpack(test, 0x300);
        load(test, BH_CORE_T0, 0x30c, IDLE);
        issue(test, BH_CORE_T0, 0x310, AND_A0);
        store(test, BH_CORE_T0, 0x314, FLAG + 64);
        poll(test, BH_CORE_B, 0x400, FLAG + 64);
    }
    expect(test, "");
    store(test, BH_CORE_B, 0x100, BUFFER);
    access_by(test, BH_CORE_T0, 0x300, SW_A0, PUSH, word);
    unpack(test, 0x300);
    expect(test, "racecheck.l1 ");
}

static void address_counters_of_another_thread(void **context)
{
    for (unsigned waits = 0; waits < 2; waits++, again(context)) {
        struct test *test = *context;
        execute(test, 0, 0x100, "ttsetadcxx 1,255,0");
        if (waits) {
            execute(test, 0, 0x104, "ttsempost 2");
            execute(test, 1, 0x200, "ttsemwait 1,2,1");
        }
        execute(test, 1, 0x204, "ttunpacr 0,0,0,0,0,1,1,0,0,0,0,0,1"); /* OvrdThreadId: counters of T0 */
        expect(test, waits ? "" : "racecheck.adc ");
    }
}

static void own_address_counters(void **context)
{
    struct test *test = *context;
    execute(test, 0, 0x100, "ttsetadcxx 1,255,0");
    execute(test, 0, 0x104, "ttunpacr 0,0,0,0,0,1,1,0,0,0,0,0,1");
    execute(test, 0, 0x108, "ttsetadcxx 1,511,0");
    execute(test, 1, 0x200, "ttsetadcxx 7,255,0"); /* of T1 */
    execute(test, 1, 0x204, "ttunpacr 0,0,0,0,0,0,1,0,0,0,0,0,1");
    expect(test, "");
}

/* Rows of Dst that a core accesses in its address space. */
static void dst_of_a_core(void **context)
{
    for (unsigned waits = 0; waits < 2; waits++, again(context)) {
        struct test *test = *context;
        struct bh_event event = of_core(BH_EVENT_OPERAND, BH_CORE_T1, 0x300, SW_A0);
        event.operand = (struct bh_operand){.file = BH_OPERAND_DST, .write = 1, .index = 6, .count = 1};
        pack(test, 0x100);
        if (waits) {
            execute(test, 2, 0x104, "ttstallwait 2,8"); /* SYNC: PACK */
            execute(test, 2, 0x108, "ttsempost 2");
            load(test, BH_CORE_T1, 0x200, SEMAPHORE_1);
            issue(test, BH_CORE_T1, 0x204, BRANCH_BACK_IF_A0_IS_0);
        }
        tell(test, event);
        expect(test, waits ? "" : "racecheck.dst ");
    }
}

/* Configuration of the packer that another thread changes: the field of the bits that both use is named. */
static void configuration_of_another_thread(void **context)
{
    enum { RELU_WORD = 2, RELU_BITS = 0xf << 2, OTHER_BITS = 3 };
    for (unsigned bits = OTHER_BITS;; bits = RELU_BITS, again(context)) {
        struct test *test = *context;
        struct bh_operand operand = {
            .file = BH_OPERAND_CONFIG, .unit = BH_UNIT_PACK, .index = RELU_WORD, .count = 1, .mask = RELU_BITS};
        execute_with(test, 2, 0x100, "ttpacr 0,0,0,0,0,0,0,0,0,0,0,0", &operand, NULL, BH_AGENT_THREAD);
        operand.write = 1;
        operand.unit = BH_UNIT_CONFIG;
        operand.mask = bits;
        execute_with(test, 1, 0x200, "ttrmwcib0 60,0,2", &operand, NULL, BH_AGENT_THREAD);
        expect(test, bits == RELU_BITS ? "racecheck.config " : "");
        if (bits == RELU_BITS) {
            assert_non_null(strstr(test->last, "T1 writes Config[0].STACC_RELU_ApplyRelu, and nothing orders"));
            return;
        }
    }
}

/* Products of the vector unit. */

static void lregs(struct test *test, uint32_t pc, const char *text, unsigned lreg, bool write)
{
    const struct bh_operand operand = {
        .file = BH_OPERAND_LREG, .write = write, .unit = BH_UNIT_VECTOR, .index = (uint16_t)lreg, .count = 1};
    tell(test, operand_of(1, pc, text, operand));
}

static void products_that_nothing_waits_for(void **context)
{
    static const struct {
        const char *second;
        bool waits;
    } readers[] = {
        {"ttsfpiadd 0,2,0,4", false},                               /* reads VD: the stall logic does not know */
        {"ttsfpswap 0,2,0,9", false},                               /* compares */
        {"ttsfpswap 0,2,0,0", true},                                /* reads in its second cycle */
        {"ttsfpadd 10,0,1,3,0", true}, {"ttsfpiadd 0,2,3,4", true}, /* another LReg */
    };
    for (unsigned i = 0; i < sizeof readers / sizeof *readers; i++) {
        for (unsigned gap = 0; gap < 2; gap++, again(context)) {
            struct test *test = *context;
            execute(test, 1, 0x100, "ttsfpadd 10,0,1,0,0");
            if (gap) {
                execute(test, 1, 0x104, "ttsfpnop");
            }
            execute(test, 1, 0x108, readers[i].second);
            expect(test, gap || readers[i].waits ? "" : "racecheck.lreg ");
        }
    }
}

/* A macro's addition to LReg[0], in the cycle of the instruction behind it: `others` stand before one that reads it. */
static void products_of_macros(void **context)
{
    static const char macro[] = "ttsfploadmacro 0,2,3,16", *add = "ttsfpadd 10,1,0,12,0",
                      *store = "ttsfpstore 0,2,3,12";
    for (unsigned others = 0; others < 3; others++, again(context)) {
        struct test *test = *context;
        execute(test, 1, 0x100, "ttsfpconfig 0,8,1");
        execute(test, 1, 0x104, macro);
        for (unsigned i = 0; i <= others; i++) {
            bool reads = i == others;
            tell(test, of_thread(BH_EVENT_ISSUED, 1, 0x108 + 4 * i, reads ? store : "ttsfpnop"));
            if (i == 0) {
                lregs(test, 0x104, add, 0, true);
            }
            if (reads) {
                lregs(test, 0x108 + 4 * i, store, 0, false);
            }
        }
        expect(test, others == 2 ? "" : "racecheck.lreg ");
    }
}

/* The macro's addition comes two instructions later than one that reads the LReg: if they are late, it comes first. */
static void instructions_within_a_macro(void **context)
{
    for (unsigned by_instruction = 0; by_instruction < 2; by_instruction++, again(context)) {
        struct test *test = *context;
        execute(test, 1, 0x100, by_instruction ? "ttsfpconfig 3840,8,1" : "ttsfpconfig 0,8,1");
        execute(test, 1, 0x104, "ttsfploadmacro 0,2,3,16");
        execute(test, 1, 0x108, "ttsfpstore 0,2,3,12");
        lregs(test, 0x108, "ttsfpstore 0,2,3,12", 0, false);
        execute(test, 1, 0x10c, "ttsfpnop");
        tell(test, of_thread(BH_EVENT_ISSUED, 1, 0x110, "ttsfpnop"));
        lregs(test, 0x104, "ttsfpadd 10,1,0,12,0", 0, true);
        expect(test, by_instruction ? "" : "racecheck.lreg ");
    }
}

static void lregs_of_another_thread(void **context)
{
    struct test *test = *context;
    struct bh_operand operand = {.file = BH_OPERAND_LREG, .write = 1, .unit = BH_UNIT_VECTOR, .count = 1};
    execute_with(test, 0, 0x100, "ttsfploadi 0,0,0", &operand, NULL, BH_AGENT_THREAD);
    operand.write = 0;
    execute_with(test, 1, 0x200, "ttsfpstore 0,2,3,12", &operand, NULL, BH_AGENT_THREAD);
    expect(test, "racecheck.lreg ");
}

/* Banks of Src. */

static void hand_over(struct test *test, unsigned thread, const char *text, enum bh_src_owner owner)
{
    struct bh_event event = of_thread(BH_EVENT_SRC_BANK, thread, 0x100, text);
    event.src_bank = (struct bh_src_bank){.owner = (uint8_t)owner};
    tell(test, event);
}

static void banks_without_data(void **context)
{
    enum { READ, FILLED_BEFORE, FILLED_BY_MATRIX, NEVER_READ, NEVER_GIVEN_BACK, WAYS };
    struct bh_operand rows = {.file = BH_OPERAND_SRCA, .count = 8};
    for (unsigned way = 0; way < WAYS; way++, again(context)) {
        struct test *test = *context;
        static const char set[] = "ttsetdvalid 1", *move = "ttmova2d 0,0,0,2,0", *fill = "ttmovd2a 0,0,0,2,0";
        if (way == FILLED_BEFORE) {
            rows.write = 1;
            rows.unit = BH_UNIT_UNPACK;
            execute_with(test, 0, 0x0fc, "ttunpacr 0,0,0,0,0,0,0,0,0,0,0,0,1", &rows, NULL, BH_AGENT_THREAD);
            execute(test, 0, 0x0fe, "ttstallwait 511,2"); /* UNPACK0 */
        }
        execute(test, 0, 0x100, set);
        hand_over(test, 0, set, BH_SRC_MATRIX);
        execute(test, 1, 0x200, "ttstallwait 64,128"); /* MATH: SRCA_VLD */
        rows.unit = BH_UNIT_MATRIX;
        if (way == FILLED_BY_MATRIX) {
            rows.write = 1;
            execute_with(test, 1, 0x204, fill, &rows, NULL, BH_AGENT_THREAD);
        }
        rows.write = 0;
        if (way < NEVER_READ) {
            execute_with(test, 1, 0x208, move, &rows, NULL, BH_AGENT_THREAD);
        }
        if (way != NEVER_GIVEN_BACK) {
            execute(test, 1, 0x20c, "ttcleardvalid 1,0");
            hand_over(test, 1, "ttcleardvalid 1,0", BH_SRC_UNPACKERS);
        }
        expect(test, way == READ || way == NEVER_GIVEN_BACK ? "synccheck.data-valid " : "");
    }
}

/* ZEROSRC does not wait for its bank: an unpacker's instruction of the same thread has to wait until the matrix unit is
   done, whose bank it is not yet; MOVA2D of another thread for the hand-over. */
static void banks_whose_rows_are_still_written(void **context)
{
    static const char zero[] = "ttzerosrc 0,0,0,1", fill[] = "ttunpacr 0,0,0,0,0,0,0,0,0,0,0,0,1",
                      move[] = "ttmova2d 0,0,0,2,0";
    for (unsigned by_matrix = 0; by_matrix < 2; by_matrix++, again(context)) {
        struct test *test = *context;
        struct bh_operand rows = {.file = BH_OPERAND_SRCA, .count = 8, .write = 1, .unit = BH_UNIT_MATRIX};
        if (by_matrix) {
            rows.unit = BH_UNIT_UNPACK;
            execute_with(test, 0, 0x100, fill, &rows, NULL, BH_AGENT_THREAD);
            rows.unit = BH_UNIT_MATRIX;
            rows.write = 0;
            execute_with(test, 1, 0x200, move, &rows, NULL, BH_AGENT_THREAD);
        } else {
            execute_with(test, 0, 0x100, zero, &rows, NULL, BH_AGENT_THREAD);
            rows.unit = BH_UNIT_UNPACK;
            execute_with(test, 0, 0x104, fill, &rows, NULL, BH_AGENT_THREAD);
        }
        expect(test, "racecheck.src ");
        assert_non_null(strstr(test->last, by_matrix
                                               ? "mend: STALLWAIT(STALL_MATH, SRCA_VLD) before the MOVA2D at pc 0x200"
                                               : "mend: STALLWAIT(STALL_UNPACK, MATH) before the UNPACR at pc 0x104"));
    }
}

/* STALLWAIT with TRISC_CFG waits for stores that the core made before it pushed that; later ones it may not see. */
static void stores_behind_the_wait_for_them(void **context)
{
    static const char wait[] = "ttstallwait 16,1024", move[] = "ttxmov 0,0";
    enum { CONFIG = 0xffef0000, SOURCE = 77 };
    const struct bh_operand source = {.file = BH_OPERAND_CONFIG, .unit = BH_UNIT_MOVER, .index = SOURCE, .count = 1};
    for (unsigned late = 0; late < 2; late++, again(context)) {
        struct test *test = *context;
        access_by(test, BH_CORE_T1, 0x100, late ? NOP : SW_A0, late ? BUFFER : CONFIG + 4 * SOURCE, 0);
        access_by(test, BH_CORE_T1, 0x104, SW_A0, PUSH, word_of(wait));
        access_by(test, BH_CORE_T1, 0x108, late ? SW_A0 : NOP, late ? CONFIG + 4 * SOURCE : BUFFER, 0);
        access_by(test, BH_CORE_T1, 0x10c, SW_A0, PUSH, word_of(move));
        execute(test, 1, 0x104, wait);
        execute_with(test, 1, 0x10c, move, &source, NULL, BH_AGENT_THREAD);
        expect(test, late ? "racecheck.config " : "");
        assert_true(!late || strstr(test->last, "mend: STALLWAIT(STALL_XMOV, TRISC_CFG) before the XMOV at pc 0x10c"));
    }
}

/* What a core stores to Dst is there when it has loaded it again. */
static void dst_that_a_core_has_stored(void **context)
{
    enum { DST_OF_CORES = 0xffbd8000 };
    static const char text[] = "ttsfpload 0,2,3,0";
    const struct bh_operand row = {.file = BH_OPERAND_DST, .unit = BH_UNIT_VECTOR, .index = 4, .count = 4};
    for (unsigned loads = 0; loads < 2; loads++, again(context)) {
        struct test *test = *context;
        struct bh_event stores = of_core(BH_EVENT_OPERAND, BH_CORE_T1, 0x100, SW_A0);
        stores.operand = (struct bh_operand){.file = BH_OPERAND_DST, .write = 1, .index = 4, .count = 1};
        issue(test, BH_CORE_T1, 0x100, SW_A0);
        tell(test, stores);
        if (loads) {
            load(test, BH_CORE_T1, 0x104, DST_OF_CORES + 4 * 32);
            issue(test, BH_CORE_T1, 0x108, AND_A0);
        }
        access_by(test, BH_CORE_T1, 0x10c, SW_A0, PUSH, word_of(text));
        execute_with(test, 1, 0x10c, text, &row, NULL, BH_AGENT_THREAD);
        expect(test, loads ? "" : "racecheck.dst ");
    }
}

/* A plain store to a word that another core adds to, in either order; locks are opened by plain stores. */
static void stores_beside_atomic_operations(void **context)
{
    enum { AMOADD = 0x00a5a02f, AMOSWAP = 0x08a5a02f }; /* of a0 */
    for (unsigned way = 0; way < 4; way++, again(context)) {
        struct test *test = *context;
        bool adds = way & 1, stores_first = way & 2;
        for (unsigned i = 0; i < 2; i++) {
            if ((i == 0) == stores_first) {
                store(test, BH_CORE_B, 0x100, BUFFER);
            } else {
                const uint32_t word = adds ? AMOADD : AMOSWAP;
                issue(test, BH_CORE_NC, 0x200, word);
                struct bh_event event = of_core(BH_EVENT_ACCESS, BH_CORE_NC, 0x200, word);
                event.access = (struct bh_access){.space = BH_SPACE_L1, .size = 4, .address = BUFFER};
                tell(test, event);
                event.access.write = 1;
                tell(test, event);
            }
        }
        expect(test, adds ? "racecheck.l1 " : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK_TEST(answered_loads),
        CHECK_TEST(writes_of_one_tile),
        CHECK_TEST(registers_of_a_request),
        CHECK_TEST(threads_that_go_on),
        CHECK_TEST(lines_of_data_caches),
        CHECK_TEST(stores_that_are_not_read_back),
        CHECK_TEST(stores_in_front_of_a_fence),
        CHECK_TEST(instructions_know_no_more_than_their_push),
        CHECK_TEST(pushes_of_a_long_program),
        CHECK_TEST(address_counters_of_another_thread),
        CHECK_TEST(own_address_counters),
        CHECK_TEST(dst_of_a_core),
        CHECK_TEST(configuration_of_another_thread),
        CHECK_TEST(products_that_nothing_waits_for),
        CHECK_TEST(products_of_macros),
        CHECK_TEST(instructions_within_a_macro),
        CHECK_TEST(lregs_of_another_thread),
        CHECK_TEST(banks_without_data),
        CHECK_TEST(banks_whose_rows_are_still_written),
        CHECK_TEST(stores_behind_the_wait_for_them),
        CHECK_TEST(dst_that_a_core_has_stored),
        CHECK_TEST(stores_beside_atomic_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
