/* What observers are told, by small programs through the public API: every kind of event, where what the specification
   says of the program must show. That observers change nothing, and are told the same on any number of threads, random
   programs prove (src/chip/race_test.c, src/chip/threads_test.c). */
#include "host/files.h"

#include "bhemu/job.h"
#include "bhemu/observer.h"
#include "chip/device_fixture.h"
#include "isa/tensix_text.h"

enum { X = 1, Y = 2, OTHER_X = 7, OTHER_Y = 5, PROGRAM = 0x1000, APART = 0x1000, DATA = 0x20000, EVENTS = 4096 };
enum { LIMIT = 20000 };

/* What was told, with the first bytes of data. */
static struct {
    unsigned count, seen; /* those that were looked at already */
    struct bh_event event[EVENTS];
    uint32_t data[EVENTS];
} told;

static void record(void *context, const struct bh_event *event)
{
    (void)context;
    if (told.count < EVENTS) {
        told.event[told.count] = *event;
        told.data[told.count] = 0;
        if (event->kind == BH_EVENT_ACCESS && event->access.data) {
            memcpy(&told.data[told.count], event->access.data, event->access.size < 4 ? event->access.size : 4);
        }
        told.count++;
    }
}

static struct bh_observer observer;

static int set_up_observed(void **context)
{
    static const struct bh_tile tiles[] = {{X, Y}, {OTHER_X, OTHER_Y}};
    observer = (struct bh_observer){.kinds = BH_EVENT_ALL, .tiles = tiles, .tile_count = 2, .on_event = record};
    told.count = told.seen = 0;
    if (set_up(context) != 0) {
        return -1;
    }
    struct fixture *fixture = *context;
    return bh_device_add_observer(fixture->device, &observer) == BH_OK ? 0 : -1;
}

static uint32_t place(enum bh_core core)
{
    return PROGRAM + core * APART;
}

static void start(struct fixture *fixture, enum bh_core core, const uint32_t *words, unsigned count)
{
    assert_int_equal(bh_write(fixture->device, X, Y, place(core), words, count * 4), BH_OK);
    assert_int_equal(bh_core_start(fixture->device, X, Y, core, place(core)), BH_OK);
    told.count = told.seen = 0;
}

#define START(fixture, core, ...)                                                                                      \
    start(fixture, core, (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / 4)

static void run(struct fixture *fixture, uint64_t cycles)
{
    (void)bh_run(fixture->device, cycles, &fixture->result);
}

static uint32_t tt(const char *text)
{
    uint32_t word = 0;
    struct tensix_text_error error;
    assert_true(tensix_assemble(text, &word, &error));
    return ttinsn(word);
}

/* SETDMAREG of half a GPR. */
static uint32_t tt_gpr(unsigned half, uint16_t value)
{
    return ttinsn(0x45000000 | (uint32_t)value << 8 | half);
}

/* The next event of this kind, by this agent, behind those that were found so far. */
static const struct bh_event *next(enum bh_event_kind kind, enum bh_agent agent, unsigned index)
{
    for (unsigned i = told.seen; i < told.count; i++) {
        const struct bh_event *event = &told.event[i];
        if (event->kind == kind && event->agent == agent && event->index == index) {
            told.seen = i + 1;
            return event;
        }
    }
    fail_msg("there is no event '%s' by %s %u behind the first %u of %u", bh_event_name(kind), bh_agent_name(agent),
             index, told.seen, told.count);
    return NULL;
}

/* The same from the first one on. */
static const struct bh_event *first(enum bh_event_kind kind, enum bh_agent agent, unsigned index)
{
    told.seen = 0;
    return next(kind, agent, index);
}

static uint32_t data_of(const struct bh_event *event)
{
    return told.data[event - told.event];
}

static unsigned count_of(enum bh_event_kind kind)
{
    unsigned count = 0;
    for (unsigned i = 0; i < told.count; i++) {
        count += told.event[i].kind == kind;
    }
    return count;
}

static void assert_access(const struct bh_event *event, enum bh_space space, bool write, uint64_t address,
                          uint32_t size)
{
    assert_int_equal(event->access.space, space);
    assert_int_equal(event->access.write, write);
    assert_int_equal(event->access.address, address);
    assert_int_equal(event->access.size, size);
}

static void assert_register(const struct bh_event *event, enum bh_register_file file, unsigned part, unsigned index,
                            uint32_t before, uint32_t value)
{
    assert_int_equal(event->reg.file, file);
    assert_int_equal(event->reg.part, part);
    assert_int_equal(event->reg.index, index);
    assert_int_equal(event->reg.before, before);
    assert_int_equal(event->reg.value, value);
}

static void assert_place(const struct bh_event *event, enum bh_agent agent, unsigned index, uint32_t pc)
{
    assert_int_equal(event->place.agent, agent);
    assert_int_equal(event->place.index, index);
    assert_int_equal(event->place.pc, pc);
    assert_int_equal(event->place_x, X);
    assert_int_equal(event->place_y, Y);
}

/* Cores. */

static void a_core_issues_and_retires_one_instruction_a_cycle(void **context)
{
    struct fixture *fixture = *context;
    uint64_t clock = bh_clock(fixture->device);
    START(fixture, BH_CORE_T1, lui(T0, DATA), addi(T1, ZERO, 7), sw(T1, T0, 4), lw(T2, T0, 4), SELF_JUMP);
    run(fixture, LIMIT);
    static const struct {
        enum bh_event_kind kind;
        unsigned word; /* of the program */
    } expected[] = {{BH_EVENT_ISSUED, 0},   {BH_EVENT_REGISTER, 0}, {BH_EVENT_RETIRED, 0}, {BH_EVENT_ISSUED, 1},
                    {BH_EVENT_REGISTER, 1}, {BH_EVENT_RETIRED, 1},  {BH_EVENT_ISSUED, 2},  {BH_EVENT_ACCESS, 2},
                    {BH_EVENT_RETIRED, 2},  {BH_EVENT_ISSUED, 3},   {BH_EVENT_ACCESS, 3},  {BH_EVENT_REGISTER, 3},
                    {BH_EVENT_RETIRED, 3},  {BH_EVENT_ISSUED, 4}};
    const unsigned count = sizeof expected / sizeof expected[0];
    assert_int_equal(told.count, count); /* a jump to itself never retires */
    for (unsigned i = 0; i < count; i++) {
        const struct bh_event *event = &told.event[i];
        assert_int_equal(event->kind, expected[i].kind);
        assert_int_equal(event->agent, BH_AGENT_CORE);
        assert_int_equal(event->index, BH_CORE_T1);
        assert_int_equal(event->tile_x, X);
        assert_int_equal(event->tile_y, Y);
        assert_place(event, BH_AGENT_CORE, BH_CORE_T1, place(BH_CORE_T1) + 4 * expected[i].word);
        assert_int_equal(event->cycle, clock + expected[i].word);
    }
    assert_int_equal(told.event[0].instruction, lui(T0, DATA));
    assert_register(&told.event[1], BH_REGISTER_X, 0, T0, 0, DATA);
    assert_register(&told.event[4], BH_REGISTER_X, 0, T1, 0, 7);
    assert_access(&told.event[7], BH_SPACE_L1, true, DATA + 4, 4);
    assert_int_equal(data_of(&told.event[7]), 7);
    assert_access(&told.event[10], BH_SPACE_L1, false, DATA + 4, 4);
    assert_register(&told.event[11], BH_REGISTER_X, 0, T2, 0, 7);
}

static void accesses_have_a_space_and_a_size(void **context)
{
    struct fixture *fixture = *context;
    enum { SH = 0x23 | 1 << 12, LBU = 0x03 | 4 << 12 };
    START(fixture, BH_CORE_NC, lui(T0, 0xFFB00000), addi(T1, ZERO, -2), SH | T1 << 20 | T0 << 15 | 8 << 7,
          LBU | T2 << 7 | T0 << 15 | 9u << 20, lui(T0, 0xFFB20000), lw(T2, T0, 0x148), SELF_JUMP);
    run(fixture, LIMIT);
    const struct bh_event *event = first(BH_EVENT_ACCESS, BH_AGENT_CORE, BH_CORE_NC);
    assert_access(event, BH_SPACE_LOCAL_RAM, true, 0xFFB00008, 2);
    assert_int_equal(data_of(event), 0xfffe);
    event = next(BH_EVENT_ACCESS, BH_AGENT_CORE, BH_CORE_NC);
    assert_access(event, BH_SPACE_LOCAL_RAM, false, 0xFFB00009, 1);
    assert_int_equal(data_of(event), 0xff);
    event = next(BH_EVENT_ACCESS, BH_AGENT_CORE, BH_CORE_NC);
    assert_access(event, BH_SPACE_REGISTER, false, 0xFFB20148, 4); /* NOC_ID_LOGICAL */
}

static void an_atomic_instruction_reads_and_writes(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t amoadd = 0x2f | 2 << 12 | T2 << 7 | T0 << 15 | T1 << 20;
    START(fixture, BH_CORE_B, lui(T0, DATA), addi(T1, ZERO, 5), sw(T1, T0, 0), amoadd, SELF_JUMP);
    run(fixture, LIMIT);
    (void)first(BH_EVENT_ACCESS, BH_AGENT_CORE, BH_CORE_B);
    const struct bh_event *read = next(BH_EVENT_ACCESS, BH_AGENT_CORE, BH_CORE_B);
    assert_access(read, BH_SPACE_L1, false, DATA, 4);
    const struct bh_event *write = next(BH_EVENT_ACCESS, BH_AGENT_CORE, BH_CORE_B);
    assert_access(write, BH_SPACE_L1, true, DATA, 4);
    assert_int_equal(data_of(write), 10);
    assert_register(next(BH_EVENT_REGISTER, BH_AGENT_CORE, BH_CORE_B), BH_REGISTER_X, 0, T2, 0, 5);
}

static void csrs_and_vector_registers_are_told(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t vsetvli_e32 = 0x57 | 7 << 12 | T0 << 7 | T1 << 15 | 2u << 23, /* e32, m1 */
        vmv_v_i = 0x57 | 3 << 12 | 4 << 7 | 3u << 15 | 1u << 25 | 0x17u << 26,
                   csrrwi_cfg1 = 0x7c3u << 20 | 9u << 15 | 5 << 12 | 0x73;
    START(fixture, BH_CORE_T2, addi(T1, ZERO, 4), vsetvli_e32, vmv_v_i, csrrwi_cfg1, SELF_JUMP);
    run(fixture, LIMIT);
    (void)first(BH_EVENT_REGISTER, BH_AGENT_CORE, BH_CORE_T2);
    assert_register(next(BH_EVENT_REGISTER, BH_AGENT_CORE, BH_CORE_T2), BH_REGISTER_X, 0, T0, 0, 4); /* the length */
    for (unsigned word = 0; word < 4; word++) {
        const struct bh_event *event;
        do {
            event = next(BH_EVENT_REGISTER, BH_AGENT_CORE, BH_CORE_T2);
        } while (event->reg.file != BH_REGISTER_V);
        assert_register(event, BH_REGISTER_V, 0, 4 * 4 + word, 0, 3);
    }
    const struct bh_event *csr;
    do {
        csr = next(BH_EVENT_REGISTER, BH_AGENT_CORE, BH_CORE_T2);
    } while (csr->reg.index != 0x7c3);
    assert_register(csr, BH_REGISTER_CSR, 0, 0x7c3, 0, 9);
    assert_place(csr, BH_AGENT_CORE, BH_CORE_T2, place(BH_CORE_T2) + 12);
}

/* Threads. */

static void a_thread_issues_and_retires_with_what_it_changes(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt_gpr(2 * 20 + 1, 0x1234), tt("WRCFG GprAddress=20, wr128b=0, CfgReg=200"),
          tt("SETC16 setc16_reg=5, setc16_value=77"),
          tt("SETADC CntSetMask=4, ChannelIndex=1, DimensionIndex=2, Value=9"),
          tt("SETRWC clear_ab_vld=0, rwc_cr=0, rwc_d=6, rwc_b=0, rwc_a=0, BitMask=4"), SELF_JUMP);
    run(fixture, LIMIT);
    const struct bh_event *issued = first(BH_EVENT_ISSUED, BH_AGENT_THREAD, 1);
    assert_place(issued, BH_AGENT_THREAD, 1, place(BH_CORE_T1));
    assert_int_equal(issued->instruction, 0x45123400 | 41);
    assert_register(next(BH_EVENT_REGISTER, BH_AGENT_THREAD, 1), BH_REGISTER_GPR, 1, 20, 0, 0x12340000);
    const struct bh_event *retired = next(BH_EVENT_RETIRED, BH_AGENT_THREAD, 1);
    assert_place(retired, BH_AGENT_THREAD, 1, place(BH_CORE_T1));
    /* a global word of Config is in both banks */
    assert_register(next(BH_EVENT_REGISTER, BH_AGENT_THREAD, 1), BH_REGISTER_CONFIG, 0, 200, 0, 0x12340000);
    assert_register(next(BH_EVENT_REGISTER, BH_AGENT_THREAD, 1), BH_REGISTER_CONFIG, 1, 200, 0, 0x12340000);
    assert_register(next(BH_EVENT_REGISTER, BH_AGENT_THREAD, 1), BH_REGISTER_THREAD_CONFIG, 1, 5, 0, 77);
    assert_register(next(BH_EVENT_REGISTER, BH_AGENT_THREAD, 1), BH_REGISTER_ADC, 1, 2 * 16 + 8 + BH_ADC_Z, 0, 9);
    assert_register(next(BH_EVENT_REGISTER, BH_AGENT_THREAD, 1), BH_REGISTER_ADC, 1, 2 * 16 + 8 + BH_ADC_Z_CR, 0, 9);
    const struct bh_event *rwc = next(BH_EVENT_REGISTER, BH_AGENT_THREAD, 1);
    assert_register(rwc, BH_REGISTER_RWC, 1, BH_RWC_DST, 0, 6);
    assert_place(rwc, BH_AGENT_THREAD, 1, place(BH_CORE_T1) + 16);
    assert_int_equal(count_of(BH_EVENT_ISSUED), 5 + 6); /* the thread's, and the core's */
}

static void what_a_replay_and_a_mop_expand_to_is_issued_one_by_one(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, tt("REPLAY start_idx=0, len=3, execute_while_loading=1, load_mode=1"), tt("NOP"),
          tt("SETADCXX CntSetMask=1, x_end2=1, x_start=0"), tt("NOP"),
          tt("REPLAY start_idx=0, len=3, execute_while_loading=0, load_mode=0"), SELF_JUMP);
    run(fixture, LIMIT);
    unsigned issued = 0, retired = 0;
    for (unsigned i = 0; i < told.count; i++) {
        issued += told.event[i].kind == BH_EVENT_ISSUED && told.event[i].agent == BH_AGENT_THREAD;
        retired += told.event[i].kind == BH_EVENT_RETIRED && told.event[i].agent == BH_AGENT_THREAD;
    }
    assert_int_equal(issued, 6);
    assert_int_equal(retired, 6);
}

/* Memory that units access. */

static void the_scalar_unit_reads_and_writes_l1(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, tt_gpr(2 * 16, DATA / 16), tt_gpr(2 * 18, 3), tt_gpr(2 * 20, 0),
          tt("STOREIND MemHierSel=1, SizeSel=0, RegSizeSel=1, OffsetIndex=40, AutoIncSpec=0, DataRegIndex=18, "
             "AddrRegIndex=16"),
          tt("ATINCGET MemHierSel=0, WrapVal=31, Sel32b=0, DataRegIndex=18, AddrRegIndex=16"), SELF_JUMP);
    run(fixture, LIMIT);
    const struct bh_event *event = first(BH_EVENT_ACCESS, BH_AGENT_SCALAR, 0);
    assert_access(event, BH_SPACE_L1, true, DATA, 4);
    assert_int_equal(data_of(event), 3);
    assert_place(event, BH_AGENT_THREAD, 0, place(BH_CORE_T0) + 12);
    event = next(BH_EVENT_ACCESS, BH_AGENT_SCALAR, 0);
    assert_access(event, BH_SPACE_L1, false, DATA, 4);
    event = next(BH_EVENT_ACCESS, BH_AGENT_SCALAR, 0);
    assert_access(event, BH_SPACE_L1, true, DATA, 4);
    assert_int_equal(data_of(event), 6);
}

/* A move that core B starts: TDMA-RISC's parameters, in units of 16 bytes, and command 0x40. */
static void the_mover_reads_and_writes_l1(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_B, lui(T0, 0xFFB11000), lui(T1, DATA / 16), addi(T1, T1, DATA / 16 % 4096), sw(T1, T0, 0),
          addi(T1, T1, 0x10), sw(T1, T0, 4), addi(T1, ZERO, 2), sw(T1, T0, 8), addi(T1, ZERO, 3), sw(T1, T0, 12),
          addi(T1, ZERO, 0x40), sw(T1, T0, 16), SELF_JUMP);
    run(fixture, LIMIT);
    assert_access(first(BH_EVENT_ACCESS, BH_AGENT_MOVER, 0), BH_SPACE_L1, false, DATA, 32);
    const struct bh_event *write = next(BH_EVENT_ACCESS, BH_AGENT_MOVER, 0);
    assert_access(write, BH_SPACE_L1, true, DATA + 0x100, 32);
    assert_int_equal(write->place.agent, BH_AGENT_CORE);
    assert_int_equal(write->place.index, BH_CORE_B);
}

/* A job says where its inputs and outputs are. */
struct extents {
    uint64_t read[2], written; /* bytes of inputs, and of the output, that were accessed */
    bool elsewhere;
    unsigned agents;
};

static void add_extent(void *context, const struct bh_event *event)
{
    struct extents *extents = context;
    uint64_t address = event->access.address;
    if (event->agent == BH_AGENT_UNPACKER) {
        unsigned input = event->index ? 0 : 1; /* SrcB, unpacker 1, has the left matrix */
        uint64_t begin = input ? 0x40000 : 0x30000;
        extents->elsewhere |= event->access.write || address < begin || address + event->access.size > begin + 2048;
        extents->read[input] += event->access.size;
        extents->agents |= 1u << event->index;
    } else if (event->agent == BH_AGENT_PACKER) {
        extents->elsewhere |= !event->access.write || address < 0x50000 || address + event->access.size > 0x50800;
        extents->written += event->access.size;
        extents->agents |= 4;
    }
}

static bool has_kernels(void)
{
    return access(BHEMU_BUILD_DIR "/kernels/matmul32.trisc0.elf", R_OK) == 0;
}

static void unpackers_read_the_inputs_and_the_packer_writes_the_output(void **context)
{
    struct bh_job *job;
    struct bh_error error;
    struct bh_job_result result;
    struct extents extents = {};
    const struct bh_observer looks = {
        .kinds = BH_EVENT_BIT(BH_EVENT_ACCESS), .on_event = add_extent, .context = &extents};
    const struct bh_observer *all[] = {&looks};
    const struct bh_job_options options = {.policy = -1, .observers = all, .observer_count = 1};
    (void)context;
    if (!has_kernels()) {
        skip();
    }
    assert_int_equal(bh_job_load(BHEMU_SOURCE_DIR "/kernels/jobs/matmul32_lofi.yaml", &job, &error), BH_OK);
    assert_int_equal(bh_job_run(job, &options, &result, &error), BH_OK);
    assert_int_equal(result.outputs_differ, 0);
    bh_job_free(job);
    assert_false(extents.elsewhere);
    assert_int_equal(extents.agents, 7);
    assert_int_equal(extents.read[0], 2048); /* a tile of 32x32 BF16 each */
    assert_int_equal(extents.read[1], 2048);
    assert_int_equal(extents.written, 2048);
}

static void the_host_reads_and_writes(void **context)
{
    struct fixture *fixture = *context;
    uint32_t word = 5;
    told.count = 0;
    assert_int_equal(bh_write(fixture->device, X, Y, DATA, &word, 4), BH_OK);
    assert_int_equal(bh_read(fixture->device, X, Y, DATA + 2, &word, 2), BH_OK);
    assert_int_equal(bh_read(fixture->device, X, Y + 1, DATA, &word, 4), BH_OK); /* not observed */
    assert_int_equal(told.count, 2);
    assert_access(first(BH_EVENT_ACCESS, BH_AGENT_HOST, 0), BH_SPACE_L1, true, DATA, 4);
    assert_access(next(BH_EVENT_ACCESS, BH_AGENT_HOST, 0), BH_SPACE_L1, false, DATA + 2, 2);
}

/* Waits. */

static void assert_wait(const struct bh_event *event, enum bh_wait_reason reason, uint32_t detail)
{
    assert_int_equal(event->wait.reason, reason);
    assert_int_equal(event->wait.detail, detail);
}

static void semwait_holds_until_somebody_posts(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt("SEMINIT max_value=2, init_value=0, sem_sel=2"),
          tt("SEMWAIT stall_res=511, sem_sel=2, wait_sem_cond=1"), tt("NOP"), SELF_JUMP);
    run(fixture, 100);
    START(fixture, BH_CORE_T0, tt("SEMPOST sem_sel=2"), SELF_JUMP);
    told.count = 0;
    assert_int_equal(bh_device_remove_observer(fixture->device, &observer), BH_OK);
    assert_int_equal(bh_device_add_observer(fixture->device, &observer), BH_OK);
    run(fixture, LIMIT);
    const struct bh_event *post = first(BH_EVENT_SEMAPHORE, BH_AGENT_THREAD, 0);
    assert_int_equal(post->semaphore.number, 1);
    assert_int_equal(post->semaphore.value_before, 0);
    assert_int_equal(post->semaphore.value, 1);
    assert_int_equal(post->semaphore.maximum, 2);
    const struct bh_event *ended = next(BH_EVENT_WAIT_ENDED, BH_AGENT_THREAD, 1);
    assert_wait(ended, BH_WAIT_SEMWAIT, 2);
    assert_place(ended, BH_AGENT_THREAD, 1, place(BH_CORE_T1) + 8); /* it is the NOP that waits */
    const struct bh_event *issued = next(BH_EVENT_ISSUED, BH_AGENT_THREAD, 1);
    assert_int_equal(issued->instruction, 0x02000000);
    (void)next(BH_EVENT_RETIRED, BH_AGENT_THREAD, 1);
}

static void a_wait_that_begins_is_told_once(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt("STALLWAIT stall_res=64, wait_res=128"), tt("NOP"), /* until SrcA is valid: C7 */
          tt("MVMUL clear_dvalid=0, instr_mod19=0, addr_mode=0, dst=0"), SELF_JUMP);
    run(fixture, 3000);
    run(fixture, 3000);
    assert_int_equal(count_of(BH_EVENT_WAIT_BEGAN), 1);
    assert_int_equal(count_of(BH_EVENT_WAIT_ENDED), 0);
    const struct bh_event *began = first(BH_EVENT_WAIT_BEGAN, BH_AGENT_THREAD, 1);
    assert_wait(began, BH_WAIT_STALLWAIT, 1 << 7);
    assert_int_equal(began->instruction >> 24, 0x26);
}

/* MVMUL leaves the gate, waits for both banks, and executes when T0 hands them over. */
static void mvmul_waits_for_banks_of_src(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt("MVMUL clear_dvalid=3, instr_mod19=0, addr_mode=0, dst=0"), SELF_JUMP);
    run(fixture, 100);
    (void)first(BH_EVENT_ISSUED, BH_AGENT_THREAD, 1);
    assert_wait(next(BH_EVENT_WAIT_BEGAN, BH_AGENT_THREAD, 1), BH_WAIT_SRC_BANK, 4 | 2 | 1);
    START(fixture, BH_CORE_T0, tt("SETDVALID setvalid=1"), tt("SETDVALID setvalid=2"), SELF_JUMP);
    run(fixture, LIMIT);
    for (unsigned src = 0; src < 2; src++) {
        const struct bh_event *given =
            src ? next(BH_EVENT_SRC_BANK, BH_AGENT_THREAD, 0) : first(BH_EVENT_SRC_BANK, BH_AGENT_THREAD, 0);
        assert_int_equal(given->src_bank.src, src);
        assert_int_equal(given->src_bank.bank, 0);
        assert_int_equal(given->src_bank.owner, BH_SRC_MATRIX);
    }
    for (unsigned src = 0; src < 2; src++) {
        const struct bh_event *back = next(BH_EVENT_SRC_BANK, BH_AGENT_THREAD, 1);
        assert_int_equal(back->src_bank.src, src);
        assert_int_equal(back->src_bank.owner, BH_SRC_UNPACKERS);
    }
    (void)next(BH_EVENT_WAIT_ENDED, BH_AGENT_THREAD, 1);
    (void)next(BH_EVENT_RETIRED, BH_AGENT_THREAD, 1);
    assert_int_equal(count_of(BH_EVENT_SRC_BANK), 4);
}

static void an_unpacker_waits_for_its_bank(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, tt("SETDVALID setvalid=2"), tt("SETDVALID setvalid=2"),
          tt("UNPACR Unpack_block_selection=1, SetDatValid=1"), SELF_JUMP);
    run(fixture, 100);
    assert_wait(first(BH_EVENT_WAIT_BEGAN, BH_AGENT_THREAD, 0), BH_WAIT_SRC_BANK, 2);
}

static void a_mutex_has_an_owner_and_one_who_waits(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, tt("ATGETM mutex_index=3"), SELF_JUMP);
    run(fixture, 100);
    const struct bh_event *mutex = first(BH_EVENT_MUTEX, BH_AGENT_THREAD, 0);
    assert_int_equal(mutex->mutex.number, 3);
    assert_int_equal(mutex->mutex.owner_before, BH_MUTEX_FREE);
    assert_int_equal(mutex->mutex.owner, 0);
    START(fixture, BH_CORE_T2, tt("ATGETM mutex_index=3"), SELF_JUMP);
    run(fixture, 100);
    assert_wait(first(BH_EVENT_WAIT_BEGAN, BH_AGENT_THREAD, 2), BH_WAIT_MUTEX, 3);
    START(fixture, BH_CORE_T0, tt("ATRELM mutex_index=3"), SELF_JUMP);
    run(fixture, 100);
    mutex = first(BH_EVENT_MUTEX, BH_AGENT_THREAD, 0); /* it goes to who waits */
    assert_int_equal(mutex->mutex.owner_before, 0);
    assert_int_equal(mutex->mutex.owner, 2);
    assert_wait(next(BH_EVENT_WAIT_ENDED, BH_AGENT_THREAD, 2), BH_WAIT_MUTEX, 3);
}

static void atcas_waits_for_memory(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t one = 1;
    START(fixture, BH_CORE_T0, tt_gpr(2 * 16, DATA / 16),
          tt("ATCAS MemHierSel=0, SwapVal=2, CmpVal=1, Sel32b=0, DataRegIndex=0, AddrRegIndex=16"), SELF_JUMP);
    run(fixture, 100);
    assert_wait(first(BH_EVENT_WAIT_BEGAN, BH_AGENT_THREAD, 0), BH_WAIT_MEMORY, 0);
    assert_int_equal(bh_write(fixture->device, X, Y, DATA, &one, 4), BH_OK);
    run(fixture, 100);
    assert_wait(next(BH_EVENT_WAIT_ENDED, BH_AGENT_THREAD, 0), BH_WAIT_MEMORY, 0);
}

static void a_semaphore_that_a_core_posts_is_the_cores_doing(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T2, lui(T0, 0xFFE80000), sw(ZERO, T0, 0x20 + 4 * 6), SELF_JUMP);
    run(fixture, 100);
    const struct bh_event *post = first(BH_EVENT_SEMAPHORE, BH_AGENT_CORE, BH_CORE_T2);
    assert_place(post, BH_AGENT_CORE, BH_CORE_T2, place(BH_CORE_T2) + 4);
    assert_int_equal(post->semaphore.number, 6);
    assert_int_equal(post->semaphore.value, 1);
}

/* The core that is to wait at this address, loading a word from there. */
static void assert_core_waits(struct fixture *fixture, enum bh_core core, uint32_t address, enum bh_wait_reason reason)
{
    START(fixture, core, lui(T0, address), lw(T1, T0, address & 0xfff), SELF_JUMP);
    run(fixture, 600);
    const struct bh_event *began = first(BH_EVENT_WAIT_BEGAN, BH_AGENT_CORE, core);
    assert_wait(began, reason, address);
    assert_place(began, BH_AGENT_CORE, core, place(core) + 4);
    assert_int_equal(bh_core_stop(fixture->device, X, Y, core), BH_OK);
}

static void cores_wait_for_mailboxes_and_pcbufs(void **context)
{
    struct fixture *fixture = *context;
    assert_core_waits(fixture, BH_CORE_T0, 0xFFEC0000, BH_WAIT_MAILBOX);
    assert_core_waits(fixture, BH_CORE_T1, 0xFFE80000, BH_WAIT_PCBUF);
    assert_core_waits(fixture, BH_CORE_B, 0xFFE90000, BH_WAIT_PCBUF);
}

/* Behind a SEMWAIT that nobody ends: the FIFO of the thread fills, and is never empty. */
static void cores_wait_for_their_threads(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt("SEMINIT max_value=2, init_value=0, sem_sel=2"),
          tt("SEMWAIT stall_res=511, sem_sel=2, wait_sem_cond=1"), tt("NOP"), lui(T0, 0xFFE80000), lw(T1, T0, 4),
          SELF_JUMP);
    run(fixture, 600);
    assert_wait(first(BH_EVENT_WAIT_BEGAN, BH_AGENT_CORE, BH_CORE_T1), BH_WAIT_TTSYNC, 0xFFE80004);
    START(fixture, BH_CORE_T1, tt("NOP"), jump(-4));
    run(fixture, 600);
    assert_wait(first(BH_EVENT_WAIT_BEGAN, BH_AGENT_CORE, BH_CORE_T1), BH_WAIT_FIFO, 0xFFE40000);
}

/* The NoC. */

enum { NIU = 0xFFB20000u, CMD_READ = 0x10, CMD_WRITE_MARKED = 0x12, CMD_ATOMIC_MARKED = 0x11 };

static unsigned put_register(uint32_t *program, unsigned count, uint32_t offset, uint32_t value)
{
    program[count++] = lui(T1, (value + 0x800) & 0xfffff000);
    program[count++] = addi(T1, T1, (int32_t)(value << 20) >> 20);
    program[count++] = sw(T1, T0, offset);
    return count;
}

/* A request of core B of one tile from DATA of it, or of another, to an address of the other. */
static void start_request_to(struct fixture *fixture, uint32_t ctrl, unsigned x, unsigned y, uint32_t length,
                             uint32_t address)
{
    uint32_t program[64], there = x | y << 6, here = X | Y << 6;
    bool to_target = ctrl == CMD_READ || ctrl == CMD_ATOMIC_MARKED;
    unsigned count = 0;
    program[count++] = lui(T0, NIU);
    count = put_register(program, count, 0x0, DATA);
    count = put_register(program, count, 0x8, to_target ? there : here);
    count = put_register(program, count, 0xc, address);
    count = put_register(program, count, 0x14, to_target ? here : there);
    count = put_register(program, count, 0x18, 3 << 10);
    count = put_register(program, count, 0x1c, ctrl);
    count = put_register(program, count, 0x20, length);
    count = put_register(program, count, 0x28, 1);
    count = put_register(program, count, 0x40, 1);
    program[count++] = SELF_JUMP;
    start(fixture, BH_CORE_B, program, count);
    run(fixture, LIMIT);
}

static void start_request(struct fixture *fixture, uint32_t ctrl, unsigned x, unsigned y, uint32_t length)
{
    start_request_to(fixture, ctrl, x, y, length, DATA + 0x400);
}

static void assert_noc(const struct bh_event *event, unsigned x, unsigned y, enum bh_noc_request request, uint32_t size)
{
    assert_int_equal(event->tile_x, x);
    assert_int_equal(event->tile_y, y);
    assert_int_equal(event->noc.request, request);
    assert_int_equal(event->noc.initiator_x, X);
    assert_int_equal(event->noc.initiator_y, Y);
    assert_int_equal(event->noc.transaction_id, 3);
    assert_int_equal(event->noc.size, size);
    assert_true(event->noc.responds);
    assert_int_equal(event->place.index, BH_CORE_B);
    assert_int_equal(event->place_x, X);
}

static void a_write_is_sent_arrives_and_is_acknowledged(void **context)
{
    struct fixture *fixture = *context;
    start_request(fixture, CMD_WRITE_MARKED, OTHER_X, OTHER_Y, 64);
    const struct bh_event *sent = first(BH_EVENT_NOC_SENT, BH_AGENT_NIU, 0);
    assert_noc(sent, X, Y, BH_NOC_WRITE, 64);
    assert_int_equal(sent->noc.from_address, DATA);
    assert_int_equal(sent->noc.to_address, DATA + 0x400);
    assert_int_equal(sent->noc.to_x, OTHER_X);
    assert_int_equal(sent->noc.to_y, OTHER_Y);
    const struct bh_event *read = next(BH_EVENT_ACCESS, BH_AGENT_NIU, 0);
    assert_access(read, BH_SPACE_L1, false, DATA, 64);
    assert_int_equal(read->tile_x, X);
    const struct bh_event *write = next(BH_EVENT_ACCESS, BH_AGENT_NIU, 0);
    assert_access(write, BH_SPACE_L1, true, DATA + 0x400, 64);
    assert_int_equal(write->tile_x, OTHER_X);
    const struct bh_event *arrived = next(BH_EVENT_NOC_ARRIVED, BH_AGENT_NIU, 0);
    assert_noc(arrived, OTHER_X, OTHER_Y, BH_NOC_WRITE, 64);
    assert_int_equal(arrived->noc.number, sent->noc.number);
    const struct bh_event *acknowledged = next(BH_EVENT_NOC_ACKNOWLEDGED, BH_AGENT_NIU, 0);
    assert_noc(acknowledged, X, Y, BH_NOC_WRITE, 64);
    assert_int_equal(acknowledged->noc.number, sent->noc.number);
    uint32_t number = sent->noc.number;
    start_request(fixture, CMD_WRITE_MARKED, OTHER_X, OTHER_Y, 64);
    assert_int_equal(first(BH_EVENT_NOC_SENT, BH_AGENT_NIU, 0)->noc.number, number + 1);
}

/* More than NOC_PACKET_BYTES are split. */
static void a_long_read_arrives_in_packets(void **context)
{
    struct fixture *fixture = *context;
    start_request(fixture, CMD_READ, OTHER_X, OTHER_Y, 16384 + 1024);
    assert_int_equal(first(BH_EVENT_NOC_SENT, BH_AGENT_NIU, 0)->noc.size, 16384 + 1024);
    const struct bh_event *arrived = next(BH_EVENT_NOC_ARRIVED, BH_AGENT_NIU, 0);
    assert_noc(arrived, OTHER_X, OTHER_Y, BH_NOC_READ, 16384);
    assert_noc(next(BH_EVENT_NOC_ACKNOWLEDGED, BH_AGENT_NIU, 0), X, Y, BH_NOC_READ, 16384);
    arrived = next(BH_EVENT_NOC_ARRIVED, BH_AGENT_NIU, 0);
    assert_noc(arrived, OTHER_X, OTHER_Y, BH_NOC_READ, 1024);
    assert_int_equal(arrived->noc.offset, 16384);
    assert_int_equal(arrived->noc.from_x, OTHER_X);
    assert_int_equal(arrived->noc.to_x, X);
    assert_int_equal(count_of(BH_EVENT_NOC_ARRIVED), 2);
}

static void an_atomic_request_reads_writes_and_answers(void **context)
{
    struct fixture *fixture = *context;
    start_request(fixture, CMD_ATOMIC_MARKED, OTHER_X, OTHER_Y, 0x1000 | 31 << 2); /* increment, wrap at 32 bits */
    (void)first(BH_EVENT_NOC_SENT, BH_AGENT_NIU, 0);
    assert_access(next(BH_EVENT_ACCESS, BH_AGENT_NIU, 0), BH_SPACE_L1, false, DATA, 16);
    assert_access(next(BH_EVENT_ACCESS, BH_AGENT_NIU, 0), BH_SPACE_L1, true, DATA, 16);
    assert_noc(next(BH_EVENT_NOC_ARRIVED, BH_AGENT_NIU, 0), OTHER_X, OTHER_Y, BH_NOC_ATOMIC, 4);
    const struct bh_event *answer = next(BH_EVENT_ACCESS, BH_AGENT_NIU, 0);
    assert_access(answer, BH_SPACE_L1, true, DATA + 0x400, 4);
    assert_int_equal(answer->tile_x, X);
    assert_noc(next(BH_EVENT_NOC_ACKNOWLEDGED, BH_AGENT_NIU, 0), X, Y, BH_NOC_ATOMIC, 4);
}

/* Of a register; cores and threads of the tile go on at full speed, since nobody wants to hear of them. */
static void who_wants_to_hear_of_the_noc_only_is_told_of_that(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t target_address = NIU, word = 0x1234560;
    uint32_t written = 0;
    assert_int_equal(bh_write(fixture->device, X, Y, DATA, &word, 4), BH_OK);
    assert_int_equal(bh_device_remove_observer(fixture->device, &observer), BH_OK);
    observer.kinds = BH_EVENT_BIT(BH_EVENT_NOC_SENT) | BH_EVENT_BIT(BH_EVENT_NOC_ARRIVED);
    assert_int_equal(bh_device_add_observer(fixture->device, &observer), BH_OK);
    start_request_to(fixture, CMD_WRITE_MARKED, OTHER_X, OTHER_Y, 4, target_address);
    assert_int_equal(told.count, 2);
    assert_noc(first(BH_EVENT_NOC_SENT, BH_AGENT_NIU, 0), X, Y, BH_NOC_WRITE, 4);
    assert_noc(next(BH_EVENT_NOC_ARRIVED, BH_AGENT_NIU, 0), OTHER_X, OTHER_Y, BH_NOC_WRITE, 4);
    assert_int_equal(bh_read(fixture->device, OTHER_X, OTHER_Y, target_address, &written, 4), BH_OK);
    assert_int_equal(written, word);
}

static void dram_is_a_space_of_its_own(void **context)
{
    struct fixture *fixture = *context;
    static const struct bh_tile dram = {17, 12};
    const struct bh_observer looks = {
        .kinds = BH_EVENT_BIT(BH_EVENT_ACCESS), .tiles = &dram, .tile_count = 1, .on_event = record};
    assert_int_equal(bh_device_remove_observer(fixture->device, &observer), BH_OK);
    assert_int_equal(bh_device_add_observer(fixture->device, &looks), BH_OK);
    start_request(fixture, CMD_READ, dram.x, dram.y, 64);
    assert_int_equal(told.count, 1);
    assert_access(first(BH_EVENT_ACCESS, BH_AGENT_NIU, 0), BH_SPACE_DRAM, false, DATA, 64);
}

/* 64 requests are under way at most. */
static void a_core_waits_for_the_noc(void **context)
{
    struct fixture *fixture = *context;
    uint32_t program[200];
    unsigned count = 0;
    program[count++] = lui(T0, NIU);
    count = put_register(program, count, 0x8, OTHER_X | OTHER_Y << 6);
    count = put_register(program, count, 0x14, X | Y << 6);
    count = put_register(program, count, 0x1c, CMD_READ);
    count = put_register(program, count, 0x20, 16);
    program[count++] = addi(T1, ZERO, 1);
    for (unsigned i = 0; i < 70; i++) {
        program[count++] = sw(T1, T0, 0x40);
    }
    program[count++] = SELF_JUMP;
    start(fixture, BH_CORE_B, program, count);
    run(fixture, LIMIT);
    assert_wait(first(BH_EVENT_WAIT_BEGAN, BH_AGENT_CORE, BH_CORE_B), BH_WAIT_NOC, NIU + 0x40);
    assert_wait(next(BH_EVENT_WAIT_ENDED, BH_AGENT_CORE, BH_CORE_B), BH_WAIT_NOC, NIU + 0x40);
    assert_int_equal(count_of(BH_EVENT_NOC_SENT), 70);
    assert_int_equal(count_of(BH_EVENT_NOC_ACKNOWLEDGED), 70);
}

/* Observers. */

static void observers_are_told_only_what_they_ask_for_while_they_are_there(void **context)
{
    struct fixture *fixture = *context;
    const struct bh_observer retired = {.kinds = BH_EVENT_BIT(BH_EVENT_RETIRED), .on_event = record};
    const struct bh_tile nowhere = {40, 0};
    const struct bh_observer wrong = {.tiles = &nowhere, .tile_count = 1, .on_event = record}, silent = {.kinds = 1};
    assert_int_equal(bh_device_add_observer(fixture->device, &observer), BH_ERROR_ARGUMENT); /* it is there */
    assert_int_equal(bh_device_add_observer(fixture->device, &wrong), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_device_add_observer(fixture->device, &silent), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_device_add_observer(fixture->device, NULL), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_device_add_observer(NULL, &retired), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_device_remove_observer(fixture->device, &retired), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_device_remove_observer(fixture->device, &observer), BH_OK);
    START(fixture, BH_CORE_B, addi(T0, T0, 1), jump(-4));
    run(fixture, 100);
    assert_int_equal(told.count, 0);
    assert_int_equal(bh_device_add_observer(fixture->device, &retired), BH_OK);
    run(fixture, 100);
    assert_int_equal(told.count, 100);
    assert_int_equal(count_of(BH_EVENT_RETIRED), 100);
    assert_int_equal(bh_device_add_observer(fixture->device, &observer), BH_OK);
    told.count = 0;
    run(fixture, 100); /* now both are told of each that retires */
    assert_int_equal(count_of(BH_EVENT_RETIRED), 200);
    assert_int_equal(count_of(BH_EVENT_ISSUED), 100);
    assert_int_equal(bh_device_remove_observer(fixture->device, &retired), BH_OK);
    assert_int_equal(bh_device_remove_observer(fixture->device, &observer), BH_OK);
    told.count = 0;
    run(fixture, 100);
    assert_int_equal(told.count, 0);
}

static void every_name_is_there(void **context)
{
    (void)context;
    for (unsigned i = 0; i < BH_EVENT_KINDS; i++) {
        assert_non_null(bh_event_name(i));
    }
    for (unsigned i = 0; i < BH_AGENTS; i++) {
        assert_non_null(bh_agent_name(i));
    }
    for (unsigned i = 0; i < BH_WAIT_REASONS; i++) {
        assert_non_null(bh_wait_name(i));
    }
    assert_null(bh_event_name(BH_EVENT_KINDS));
    assert_null(bh_agent_name(BH_AGENTS));
    assert_null(bh_wait_name(BH_WAIT_REASONS));
}

#define OBSERVED_TEST(function) cmocka_unit_test_setup_teardown(function, set_up_observed, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OBSERVED_TEST(a_core_issues_and_retires_one_instruction_a_cycle),
        OBSERVED_TEST(accesses_have_a_space_and_a_size),
        OBSERVED_TEST(an_atomic_instruction_reads_and_writes),
        OBSERVED_TEST(csrs_and_vector_registers_are_told),
        OBSERVED_TEST(a_thread_issues_and_retires_with_what_it_changes),
        OBSERVED_TEST(what_a_replay_and_a_mop_expand_to_is_issued_one_by_one),
        OBSERVED_TEST(the_scalar_unit_reads_and_writes_l1),
        OBSERVED_TEST(the_mover_reads_and_writes_l1),
        OBSERVED_TEST(unpackers_read_the_inputs_and_the_packer_writes_the_output),
        OBSERVED_TEST(the_host_reads_and_writes),
        OBSERVED_TEST(semwait_holds_until_somebody_posts),
        OBSERVED_TEST(a_wait_that_begins_is_told_once),
        OBSERVED_TEST(mvmul_waits_for_banks_of_src),
        OBSERVED_TEST(an_unpacker_waits_for_its_bank),
        OBSERVED_TEST(a_mutex_has_an_owner_and_one_who_waits),
        OBSERVED_TEST(atcas_waits_for_memory),
        OBSERVED_TEST(a_semaphore_that_a_core_posts_is_the_cores_doing),
        OBSERVED_TEST(cores_wait_for_mailboxes_and_pcbufs),
        OBSERVED_TEST(cores_wait_for_their_threads),
        OBSERVED_TEST(a_write_is_sent_arrives_and_is_acknowledged),
        OBSERVED_TEST(a_long_read_arrives_in_packets),
        OBSERVED_TEST(an_atomic_request_reads_writes_and_answers),
        OBSERVED_TEST(who_wants_to_hear_of_the_noc_only_is_told_of_that),
        OBSERVED_TEST(dram_is_a_space_of_its_own),
        OBSERVED_TEST(a_core_waits_for_the_noc),
        OBSERVED_TEST(observers_are_told_only_what_they_ask_for_while_they_are_there),
        OBSERVED_TEST(every_name_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
