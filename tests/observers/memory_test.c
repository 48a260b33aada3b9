/* What observers are told of the memory that units and the host access. */
#include "../host/kernels.h"
#include "bhemu/job.h"
#include "observed_fixture.h"

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

/* A load says whether the core's data cache may answer it: cfg0 switches it off. */
static void loads_past_the_data_cache(void **context)
{
    const uint32_t csrrs_cfg0_t1 = 0x7c032073;
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_B, lui(T0, DATA), lw(T2, T0, 0), addi(T1, ZERO, 8), csrrs_cfg0_t1, lw(T2, T0, 0),
          sw(T2, T0, 0), SELF_JUMP);
    run(fixture, LIMIT);
    const struct bh_event *event = first(BH_EVENT_ACCESS, BH_AGENT_CORE, BH_CORE_B);
    assert_access(event, BH_SPACE_L1, false, DATA, 4);
    assert_int_equal(event->access.uncached, 0);
    event = next(BH_EVENT_ACCESS, BH_AGENT_CORE, BH_CORE_B);
    assert_access(event, BH_SPACE_L1, false, DATA, 4);
    assert_int_equal(event->access.uncached, 1);
    event = next(BH_EVENT_ACCESS, BH_AGENT_CORE, BH_CORE_B);
    assert_access(event, BH_SPACE_L1, true, DATA, 4);
    assert_int_equal(event->access.uncached, 0);
}

/* The address ranges of a job's inputs and outputs. */
struct extents {
    uint64_t read[2], written; /* accessed bytes of inputs, and of the output */
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
    need_kernels_of_jobs();
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

/* Whose write it is, although it arrives only later. */
static void check_cause(void *context, const struct bh_event *event)
{
    unsigned *writes = context;
    if (event->agent == BH_AGENT_PACKER && event->access.write) {
        assert_int_equal(event->access.cause.agent, BH_AGENT_THREAD);
        assert_int_equal(event->access.cause.index, 2);
        assert_int_equal(event->access.cause_instruction >> 24, 0x41); /* PACR */
        ++*writes;
    } else {
        assert_int_equal(event->access.cause.agent, event->place.agent);
        assert_int_equal(event->access.cause.index, event->place.index);
        assert_int_equal(event->access.cause.pc, event->place.pc);
        assert_int_equal(event->access.cause_instruction, event->instruction);
    }
}

static void writes_of_the_packer_have_their_cause_in_timed_mode(void **context)
{
    struct bh_job *job;
    struct bh_error error;
    struct bh_job_result result;
    unsigned writes = 0;
    const struct bh_observer looks = {
        .kinds = BH_EVENT_BIT(BH_EVENT_ACCESS), .on_event = check_cause, .context = &writes};
    const struct bh_observer *all[] = {&looks};
    const struct bh_job_options options = {.policy = -1, .observers = all, .observer_count = 1, .mode = BH_MODE_TIMED};
    (void)context;
    need_kernels_of_jobs();
    assert_int_equal(bh_job_load(BHEMU_SOURCE_DIR "/kernels/jobs/matmul32_lofi.yaml", &job, &error), BH_OK);
    assert_int_equal(bh_job_run(job, &options, &result, &error), BH_OK);
    bh_job_free(job);
    assert_true(writes > 0);
}

/* XMOV.md: direction 1, from L1 to configuration, words 100 to 103 of bank 0. */
static void the_mover_writes_configuration(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, tt_gpr(8, DATA / 16), tt_gpr(10, 25), tt_gpr(12, 1), tt_gpr(13, 0x4000),
          tt("WRCFG GprAddress=4, wr128b=1, CfgReg=88"), tt("XMOV Mov_block_selection=0, Last=1"), SELF_JUMP);
    run(fixture, LIMIT);
    assert_int_equal(fixture->diagnostics, 0);
    told.seen = 0;
    for (unsigned i = 0; i < 4; i++) {
        assert_access(next(BH_EVENT_ACCESS, BH_AGENT_MOVER, 0), BH_SPACE_L1, false, DATA + 4 * i, 4);
        assert_access(next(BH_EVENT_ACCESS, BH_AGENT_MOVER, 0), BH_SPACE_REGISTER, true, 0xFFEF0000 + 4 * (100 + i), 4);
    }
}

/* Register 10 of overlay stream 8, by which circular buffers count. */
static void threads_read_and_write_registers(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, tt_gpr(60, 7), tt_gpr(61, 0), tt("STOREREG TdmaDataRegIndex=30, RegAddr=0x1200a"),
          tt("LOADREG TdmaDataRegIndex=31, RegAddr=0x1200a"), SELF_JUMP);
    run(fixture, LIMIT);
    const struct bh_event *event = first(BH_EVENT_ACCESS, BH_AGENT_THREAD, 0);
    assert_access(event, BH_SPACE_REGISTER, true, 0xffb48028, 4);
    assert_int_equal(data_of(event), 7);
    assert_int_equal(event->place.agent, BH_AGENT_THREAD);
    event = next(BH_EVENT_ACCESS, BH_AGENT_THREAD, 0);
    assert_access(event, BH_SPACE_REGISTER, false, 0xffb48028, 4);
    assert_int_equal(data_of(event), 7);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        OBSERVED_TEST(the_scalar_unit_reads_and_writes_l1),
        OBSERVED_TEST(the_mover_reads_and_writes_l1),
        OBSERVED_TEST(loads_past_the_data_cache),
        OBSERVED_TEST(unpackers_read_the_inputs_and_the_packer_writes_the_output),
        OBSERVED_TEST(writes_of_the_packer_have_their_cause_in_timed_mode),
        OBSERVED_TEST(the_mover_writes_configuration),
        OBSERVED_TEST(threads_read_and_write_registers),
        OBSERVED_TEST(the_host_reads_and_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
