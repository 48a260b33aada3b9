/* What observers are told of requests on the NoC. */
#include "observed_fixture.h"

enum { NIU = 0xFFB20000u, CMD_READ = 0x10, CMD_WRITE_MARKED = 0x12, CMD_ATOMIC_MARKED = 0x11 };

static unsigned put_register(uint32_t *program, unsigned count, uint32_t offset, uint32_t value)
{
    program[count++] = lui(T1, (value + 0x800) & 0xfffff000);
    program[count++] = addi(T1, T1, (int32_t)(value << 20) >> 20);
    program[count++] = sw(T1, T0, offset);
    return count;
}

/* Starts a request of core B of one tile from DATA of it, or of another tile, to an address of the other. */
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

static int set_up_timed(void **context)
{
    static const struct bh_tile tiles[] = {{X, Y}, {OTHER_X, OTHER_Y}};
    struct fixture *fixture = calloc(1, sizeof *fixture);
    const struct bh_device_config config = {.on_diagnostic = on_diagnostic, .context = fixture, .mode = BH_MODE_TIMED};
    observer = (struct bh_observer){.kinds = BH_EVENT_ALL, .tiles = tiles, .tile_count = 2, .on_event = record};
    *context = fixture;
    return bh_device_create(&config, &fixture->device) == BH_OK &&
                   bh_device_add_observer(fixture->device, &observer) == BH_OK
               ? 0
               : -1;
}

/* Timed mode: events have the times at which packets arrive. A NoC carries 64 bytes a cycle; each tile on the way takes
   nine cycles (ISA documentation, NoC/README.md): there are nine tiles from one to the other. */
static void packets_arrive_at_their_times(void **context)
{
    struct fixture *fixture = *context;
    start_request(fixture, CMD_WRITE_MARKED, OTHER_X, OTHER_Y, 2 * 16384);
    uint64_t sent = first(BH_EVENT_NOC_SENT, BH_AGENT_NIU, 0)->cycle;
    uint64_t one = next(BH_EVENT_NOC_ARRIVED, BH_AGENT_NIU, 0)->cycle;
    uint64_t other = next(BH_EVENT_NOC_ARRIVED, BH_AGENT_NIU, 0)->cycle;
    uint64_t acknowledged = first(BH_EVENT_NOC_ACKNOWLEDGED, BH_AGENT_NIU, 0)->cycle;
    assert_in_range(one - sent, 9 * 9, 9 * 9 + 16384 / 64 + 100);
    assert_in_range(other - one, 16384 / 64, 16384 / 64 + 32); /* a header, and a gap behind long packets */
    assert_in_range(acknowledged - one, 9 * 9, 500);
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

/* For an observer of NoC events only, cores and threads of the tile run at full speed and report nothing. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        OBSERVED_TEST(a_write_is_sent_arrives_and_is_acknowledged),
        OBSERVED_TEST(a_long_read_arrives_in_packets),
        cmocka_unit_test_setup_teardown(packets_arrive_at_their_times, set_up_timed, tear_down),
        OBSERVED_TEST(an_atomic_request_reads_writes_and_answers),
        OBSERVED_TEST(who_wants_to_hear_of_the_noc_only_is_told_of_that),
        OBSERVED_TEST(dram_is_a_space_of_its_own),
        OBSERVED_TEST(a_core_waits_for_the_noc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
