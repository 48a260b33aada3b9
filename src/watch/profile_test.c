/* Profiles of events that are made up: states, waits, polling, bins, limits. Real programs: tests/profile_test.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bhemu/profile.h"
#include "isa/tensix_isa.h"
#include "watch/profile_state.h"

enum { X = 1, Y = 2, LOAD = 0x2003, NOP = 0x13, SELF_JUMP = 0x6f };

static struct bh_profile *profile;

static void begin(enum bh_mode mode)
{
    const struct bh_profile_options options = {.mode = mode};
    assert_int_equal(bh_profile_open(&options, &profile, NULL), BH_OK);
}

static const struct bh_profile_result *ended_at(uint64_t clock)
{
    assert_int_equal(bh_profile_end(profile, clock, NULL), BH_OK);
    return bh_profile_result(profile);
}

static int tear_down(void **context)
{
    bh_profile_close(profile);
    profile = NULL;
    return 0;
}

static struct bh_event event(enum bh_event_kind kind, enum bh_agent agent, unsigned index, uint64_t cycle)
{
    return (struct bh_event){.kind = (uint16_t)kind,
                             .tile_x = X,
                             .tile_y = Y,
                             .agent = (uint8_t)agent,
                             .index = (uint8_t)index,
                             .cycle = cycle,
                             .place = {.agent = agent, .index = (uint8_t)index},
                             .place_x = X,
                             .place_y = Y};
}

static void tell(struct bh_event of)
{
    const struct bh_observer *observer = bh_profile_observer(profile);
    assert_true(observer->kinds >> of.kind & 1);
    observer->on_event(observer->context, &of);
}

/* An instruction of core B that begins at `cycle`. */
static void execute(uint64_t cycle, uint32_t pc, uint32_t word)
{
    struct bh_event of = event(BH_EVENT_ISSUED, BH_AGENT_CORE, BH_CORE_B, cycle);
    of.place.pc = pc;
    of.instruction = word;
    tell(of);
    if (word != SELF_JUMP) {
        of.kind = BH_EVENT_RETIRED;
        tell(of);
    }
}

/* The same of a load, or a store. */
static void access_memory(uint64_t cycle, uint32_t pc, bool write, uint64_t address, uint32_t value)
{
    struct bh_event of = event(BH_EVENT_ISSUED, BH_AGENT_CORE, BH_CORE_B, cycle);
    of.place.pc = pc;
    of.instruction = LOAD;
    tell(of);
    struct bh_event access = of;
    access.kind = BH_EVENT_ACCESS;
    access.access =
        (struct bh_access){.space = BH_SPACE_L1, .write = write, .size = 4, .address = address, .data = &value};
    tell(access);
    of.kind = BH_EVENT_RETIRED;
    tell(of);
}

static void wait_for(enum bh_event_kind kind, unsigned thread, uint64_t cycle, struct bh_wait wait)
{
    struct bh_event of = event(kind, BH_AGENT_THREAD, thread, cycle);
    of.wait = wait;
    of.instruction = TENSIX_OPCODE_MVMUL << 24;
    tell(of);
}

static uint64_t sum_of(const struct bh_profile_agent *agent)
{
    uint64_t sum = 0;
    for (unsigned state = 0; state < BH_PROFILE_STATES; state++) {
        sum += agent->cycles[state];
    }
    return sum;
}

static void a_core_is_stopped_before_and_after(void **context)
{
    begin(BH_MODE_TIMED);
    execute(10, 0x100, NOP);
    execute(13, 0x104, NOP);
    execute(20, 0x108, SELF_JUMP);
    const struct bh_profile_result *result = ended_at(100);
    const struct bh_profile_agent *core = &result->total.agent[BH_CORE_B];
    assert_int_equal(core->instructions, 2);
    assert_int_equal(core->cycles[BH_PROFILE_RUNNING], 10);
    assert_int_equal(core->cycles[BH_PROFILE_STOPPED], 90);
    assert_int_equal(sum_of(&result->total.agent[BH_CORE_T0]), 100);
    assert_int_equal(result->lines[0].running, 7); /* of 0x104, up to where the next one begins */
    assert_string_equal(result->lines[0].line, "0x00000104");
}

static void in_functional_mode_an_instruction_is_a_step(void **context)
{
    begin(BH_MODE_FUNCTIONAL);
    execute(10, 0x100, NOP);
    execute(30, 0x104, NOP);
    const struct bh_profile_agent *core = &ended_at(50)->total.agent[BH_CORE_B];
    assert_int_equal(core->cycles[BH_PROFILE_RUNNING], 2);
    assert_int_equal(core->cycles[BH_PROFILE_IDLE], 38);
    assert_int_equal(core->cycles[BH_PROFILE_STOPPED], 10);
}

static void reset_stops_cores(void **context)
{
    uint32_t all = 0x47800;
    begin(BH_MODE_TIMED);
    execute(10, 0x100, NOP);
    struct bh_event of = event(BH_EVENT_ACCESS, BH_AGENT_HOST, 0, 30);
    of.access =
        (struct bh_access){.space = BH_SPACE_REGISTER, .write = true, .size = 4, .address = 0xffb121b0, .data = &all};
    tell(of);
    const struct bh_profile_agent *core = &ended_at(100)->total.agent[BH_CORE_B];
    assert_int_equal(core->cycles[BH_PROFILE_RUNNING], 20);
    assert_int_equal(core->cycles[BH_PROFILE_STOPPED], 80);
}

static void copies_of_dram_tiles_count(void **context)
{
    begin(BH_MODE_TIMED);
    struct bh_event of = event(BH_EVENT_ISSUED, BH_AGENT_CORE, BH_CORE_DRISC, 10);
    of.instruction = NOP;
    of.tile_x = 0;
    of.tile_y = 2; /* channel 1 */
    tell(of);
    of.kind = BH_EVENT_ACCESS;
    of.agent = of.place.agent = BH_AGENT_DMA;
    of.cycle = 30;
    of.access = (struct bh_access){.space = BH_SPACE_DRAM, .size = 2048, .address = 0x1000};
    tell(of);
    of.access.write = true;
    of.access.size = 64;
    tell(of);
    const struct bh_profile_result *result = ended_at(100);
    assert_int_equal(result->dram[1].read, 2048);
    assert_int_equal(result->dram[1].written, 64);
}

static void who_ended_a_wait_is_known(void **context)
{
    const struct bh_wait wait = {.reason = BH_WAIT_SEMWAIT, .detail = 1 << 3};
    begin(BH_MODE_TIMED);
    wait_for(BH_EVENT_WAIT_BEGAN, 1, 100, wait);
    struct bh_event of = event(BH_EVENT_SEMAPHORE, BH_AGENT_THREAD, 2, 140);
    of.semaphore = (struct bh_semaphore){.number = 3, .value = 1};
    tell(of);
    wait_for(BH_EVENT_WAIT_ENDED, 1, 150, wait);
    wait_for(BH_EVENT_WAIT_BEGAN, 1, 160, wait);
    const struct bh_profile_result *result = ended_at(170); /* a wait that has not ended counts, too */
    assert_int_equal(result->wait_count, 1);
    assert_int_equal(result->waits[0].cycles, 60);
    assert_int_equal(result->waits[0].longest, 50);
    assert_int_equal(result->waits[0].count, 2);
    assert_int_equal(result->waits[0].awaited.agent, BH_AGENT_THREAD);
    assert_int_equal(result->waits[0].awaited.index, 2);
    assert_string_equal(result->waits[0].text, "semaphore 3, by thread T2");
    assert_int_equal(result->total.agent[BH_PROFILE_CORES + 1].cycles[BH_PROFILE_WAITING + BH_WAIT_SEMWAIT], 60);
}

/* Polls 0x2000 from 100 on; at 150 there is something new, which ends it. */
/* An instruction of thread T1 that came before the gate at `came`, and passes at `cycle`. */
static void pass(uint64_t cycle, uint64_t came, uint32_t pc)
{
    struct bh_event of = event(BH_EVENT_ISSUED, BH_AGENT_THREAD, 1, cycle);
    of.place.pc = pc;
    of.instruction = TENSIX_OPCODE_ADDDMAREG << 24;
    of.issue.came = came;
    tell(of);
    of.kind = BH_EVENT_RETIRED;
    tell(of);
}

/* What stands before the gate while the instruction in front of it still works waits; what has not come yet does not.
 */
static void a_thread_is_kept_by_its_own_instructions(void **context)
{
    begin(BH_MODE_TIMED);
    pass(10, 10, 0x100);
    pass(13, 11, 0x104); /* waits for two cycles: one is that of the instruction before */
    pass(20, 18, 0x108); /* idle for four, and waits for two */
    pass(21, 19, 0x10c);
    const struct bh_profile_result *result = ended_at(22);
    const struct bh_profile_agent *agent = &result->tiles[0].agent[BH_PROFILE_CORES + 1];
    assert_int_equal(agent->cycles[BH_PROFILE_RUNNING], 4);
    assert_int_equal(agent->cycles[BH_PROFILE_WAITING + BH_WAIT_UNIT], 4);
    assert_int_equal(agent->cycles[BH_PROFILE_IDLE], 4);
    assert_int_equal(result->waits[0].count + result->waits[1].count, 2);
    assert_int_equal(sum_of(agent), 22);
}

/* Nothing before the first cycle counts, whenever that is known: of a snapshot, once there are tiles. */
static void what_was_before_does_not_count(void **context)
{
    for (unsigned late = 0; late < 2; late++) {
        const struct bh_profile_options options = {.mode = BH_MODE_TIMED, .from = late ? 0 : 100};
        assert_int_equal(bh_profile_open(&options, &profile, NULL), BH_OK);
        pass(10, 10, 0x100);
        execute(10, 0x200, NOP);
        bh_profile_begin(profile, late ? 100 : 0);
        pass(110, 110, 0x104);
        const struct bh_profile_result *result = ended_at(120);
        const struct bh_profile_agent *agent = &result->tiles[0].agent[BH_PROFILE_CORES + 1];
        assert_int_equal(agent->cycles[BH_PROFILE_RUNNING], 1);
        assert_int_equal(agent->cycles[BH_PROFILE_IDLE], 19);
        assert_int_equal(sum_of(agent), 20);
        assert_int_equal(sum_of(&result->tiles[0].agent[BH_CORE_B]), 20);
        bh_profile_close(profile);
        profile = NULL;
    }
}

/* Ethernet tiles have no core B, and Tensix tiles none of theirs: no time of these counts. */
static void tiles_have_the_cores_of_their_kind(void **context)
{
    begin(BH_MODE_TIMED);
    execute(10, 0x100, NOP);
    struct bh_event of = event(BH_EVENT_ISSUED, BH_AGENT_CORE, BH_CORE_E1, 10);
    of.tile_y = of.place_y = 1; /* of an Ethernet tile */
    of.instruction = NOP;
    tell(of);
    of.kind = BH_EVENT_RETIRED;
    tell(of);
    const struct bh_profile_result *result = ended_at(30);
    assert_int_equal(result->tile_count, 2);
    assert_int_equal(sum_of(&result->total.agent[BH_CORE_B]), 30);
    assert_int_equal(sum_of(&result->total.agent[BH_CORE_E1]), 30);
    char *text = bh_profile_text(profile, BH_PROFILE_TEXT, NULL);
    assert_non_null(strstr(text, "  B             66.7%     0.0%     0.0%    33.3%"));
    assert_non_null(strstr(text, "  E1            66.7%     0.0%     0.0%    33.3%"));
    free(text);
}

/* Two instructions that a unit works on in one cycle. */
static void a_unit_is_busy_once(void **context)
{
    begin(BH_MODE_TIMED);
    for (uint64_t cycle = 10; cycle < 20; cycle += 2) {
        struct bh_event of = event(BH_EVENT_OCCUPIED, BH_AGENT_THREAD, 1, cycle);
        of.occupied = (struct bh_occupied){.unit = BH_UNIT_VECTOR, .from = cycle, .to = cycle + 2};
        tell(of);
        of.occupied = (struct bh_occupied){.unit = BH_UNIT_VECTOR, .from = cycle + 1, .to = cycle + 2};
        tell(of);
    }
    execute(20, 0x100, NOP);
    assert_int_equal(ended_at(30)->tiles[0].unit[BH_UNIT_VECTOR].cycles, 10);
}

static void a_loop_that_loads_the_same_polls(void **context)
{
    begin(BH_MODE_TIMED);
    for (uint64_t cycle = 100; cycle < 150; cycle += 10) {
        access_memory(cycle, 0x100, false, 0x2000, 7);
        execute(cycle + 5, 0x104, NOP);
    }
    access_memory(150, 0x100, false, 0x2000, 8);
    execute(160, 0x108, SELF_JUMP);
    const struct bh_profile_result *result = ended_at(200);
    const struct bh_profile_agent *core = &result->total.agent[BH_CORE_B];
    assert_int_equal(core->cycles[BH_PROFILE_WAITING + BH_PROFILE_POLLS], 40);
    assert_int_equal(core->cycles[BH_PROFILE_RUNNING], 20);
    assert_int_equal(result->waits[0].wait.reason, BH_PROFILE_POLLS);
    assert_int_equal(result->waits[0].wait.detail, 0x2000);
    assert_int_equal(result->waits[0].cycles, 40);
}

/* It gives up, and computes: from then on, and at the end, it does not poll. */
static void who_gives_up_does_not_poll(void **context)
{
    for (unsigned long_way = 0; long_way < 2; long_way++) {
        uint64_t cycle = 100, work = long_way ? 5000 : 10;
        begin(BH_MODE_TIMED);
        for (; cycle < 200; cycle += 10) {
            access_memory(cycle, 0x100, false, 0x2000, 7);
        }
        for (uint64_t i = 0; i < work; i++) {
            execute(cycle++, 0x200 + 4 * (uint32_t)(i % 8), NOP);
        }
        execute(cycle, 0x300, SELF_JUMP);
        const struct bh_profile_result *result = ended_at(cycle + 50);
        const struct bh_profile_agent *core = &result->total.agent[BH_CORE_B];
        uint64_t polled = core->cycles[BH_PROFILE_WAITING + BH_PROFILE_POLLS];
        assert_int_equal(result->waits[0].cycles, polled);
        assert_int_equal(core->cycles[BH_PROFILE_RUNNING] + polled, 100 + work);
        assert_in_range(polled, 90, 90 + 1010);
        bh_profile_close(profile);
        profile = NULL;
    }
}

static void a_loop_that_stores_or_loads_other_things_does_not(void **context)
{
    begin(BH_MODE_TIMED);
    for (uint32_t i = 0; i < 20; i++) {
        access_memory(100 + 10 * i, 0x100, false, 0x2000, 7);
        access_memory(105 + 10 * i, 0x104, true, 0x3000 + i, 7);
    }
    for (uint32_t i = 0; i < 20; i++) {
        access_memory(300 + 10 * i, 0x200, false, 0x2000, 7);
        access_memory(305 + 10 * i, 0x204, false, 0x3000 + 4 * i, 7);
    }
    assert_int_equal(ended_at(600)->total.agent[BH_CORE_B].cycles[BH_PROFILE_WAITING + BH_PROFILE_POLLS], 0);
}

static void a_product_counts_once(void **context)
{
    begin(BH_MODE_TIMED);
    for (unsigned i = 0; i < 32; i++) {
        struct bh_event of = event(BH_EVENT_ISSUED, BH_AGENT_THREAD, 1, 100 + i);
        of.instruction = TENSIX_OPCODE_MVMUL << 24;
        of.issue.fidelity_phase = i / 16;
        tell(of);
        of.kind = BH_EVENT_RETIRED;
        tell(of);
        of.kind = BH_EVENT_OCCUPIED;
        of.occupied = (struct bh_occupied){.unit = BH_UNIT_MATRIX, .from = 100 + i, .to = 101 + i};
        tell(of);
    }
    const struct bh_profile_tile *total = &ended_at(200)->total;
    assert_int_equal(total->mvmul, 32);
    assert_int_equal(total->phase[0], 16);
    assert_int_equal(total->phase[1], 16);
    assert_int_equal(total->flop, 16 * 4096);
    assert_int_equal(total->flop_instructions, 32);
    assert_int_equal(total->unit[BH_UNIT_MATRIX].cycles, 32);
}

static void operations_of_instructions_are_those_of_the_table(void **context)
{
    bool repeats;
    assert_int_equal(profile_flop(TENSIX_OPCODE_MVMUL << 24, &repeats), 4096);
    assert_true(repeats);
    assert_int_equal(profile_flop(TENSIX_OPCODE_MVMUL << 24 | 1 << 19, &repeats), 560);
    assert_int_equal(profile_flop(TENSIX_OPCODE_ELWADD << 24, &repeats), 128);
    assert_int_equal(profile_flop(TENSIX_OPCODE_ELWADD << 24 | 1 << 21, &repeats), 256);
    assert_false(repeats);
    assert_int_equal(profile_flop((uint32_t)TENSIX_OPCODE_SFPMAD << 24, &repeats), 64);
    assert_int_equal(profile_flop((uint32_t)TENSIX_OPCODE_SFPLOAD << 24, &repeats), 0);
}

/* A device's clock may be anything. */
static void bins_hold_the_longest_runs(void **context)
{
    enum { BINS = 64 };
    const uint64_t last = UINT64_MAX;
    struct profile_timeline *timeline = profile_timeline_new(0, BINS);
    uint64_t sum = 0;
    profile_timeline_state(timeline, 0, BH_PROFILE_RUNNING, 0, last);
    profile_timeline_unit(timeline, BH_UNIT_MATRIX, last - 5, last);
    for (uint32_t i = 0; i < timeline->bins; i++) {
        sum += profile_timeline_states(timeline, 0, BH_PROFILE_RUNNING)[i];
    }
    assert_true(sum == last);
    assert_true(profile_timeline_units(timeline, BH_UNIT_MATRIX)[BINS - 1] == 5);
    profile_timeline_free(timeline);
}

/* However long a run is, the bins of its timeline have all of it. */
static void bins_grow_with_the_run(void **context)
{
    struct profile_timeline *timeline = profile_timeline_new(1000, 64);
    uint64_t cycles = 0;
    for (uint64_t at = 1000, length = 1; at < 1000000; at += length + 3, length = length * 5 % 97) {
        profile_timeline_state(timeline, 0, BH_PROFILE_RUNNING, at, at + length);
        profile_timeline_unit(timeline, BH_UNIT_MATRIX, at, at + length);
        profile_timeline_bytes(timeline, PROFILE_NOC_IN, at, (uint32_t)length);
        cycles += length;
    }
    assert_int_equal(timeline->width, 1 << 14);
    uint64_t of_states = 0, of_units = 0, bytes = 0;
    for (uint32_t i = 0; i < timeline->bins; i++) {
        uint64_t in_bin = profile_timeline_states(timeline, 0, BH_PROFILE_RUNNING)[i];
        assert_true(in_bin <= timeline->width);
        of_states += in_bin;
        of_units += profile_timeline_units(timeline, BH_UNIT_MATRIX)[i];
        bytes += profile_timeline_units(timeline, PROFILE_NOC_IN)[i];
    }
    assert_int_equal(of_states, cycles);
    assert_int_equal(of_units, cycles);
    assert_int_equal(bytes, cycles);
    profile_timeline_free(timeline);
}

/* A core that runs wild over many places does not take all memory: what has no room is counted. */
static void places_have_a_limit(void **context)
{
    begin(BH_MODE_TIMED);
    for (uint32_t i = 0; i < PROFILE_PLACES + 100; i++) {
        execute(i, 4 * i, NOP);
    }
    const struct bh_profile_result *result = ended_at(PROFILE_PLACES + 100);
    assert_int_equal(result->left_out, 100);
    assert_int_equal(result->line_count, PROFILE_PLACES);
    assert_int_equal(result->riscv_instructions, PROFILE_PLACES + 100);
    assert_int_equal(result->total.agent[BH_CORE_B].cycles[BH_PROFILE_RUNNING], PROFILE_PLACES + 100);
}

static void only_the_part_of_the_run_counts(void **context)
{
    const struct bh_profile_options options = {.mode = BH_MODE_TIMED, .from = 15, .to = 24};
    assert_int_equal(bh_profile_open(&options, &profile, NULL), BH_OK);
    for (uint32_t i = 0; i < 40; i++) {
        execute(i, 0x100, NOP);
    }
    const struct bh_profile_result *result = ended_at(40);
    assert_int_equal(result->cycles, 10);
    assert_int_equal(result->riscv_instructions, 10);
    assert_int_equal(result->total.agent[BH_CORE_B].cycles[BH_PROFILE_RUNNING], 10);
}

static bool tricky_source(void *context, unsigned x, unsigned y, const struct bh_place *place, char *buffer,
                          unsigned size)
{
    (void)snprintf(buffer, size, "f</script> \"; (a b\\c.c:%u), in main (m.c:1)", place->pc);
    return true;
}

/* Names of sources do not break out of the page, nor out of a stack. */
static void names_are_escaped(void **context)
{
    const struct bh_profile_options options = {.mode = BH_MODE_TIMED, .source = tricky_source, .title = "</title>"};
    assert_int_equal(bh_profile_open(&options, &profile, NULL), BH_OK);
    execute(0, 7, NOP);
    (void)ended_at(10);
    char *page = bh_profile_text(profile, BH_PROFILE_HTML, NULL), *end;
    const char *data = strstr(page, "id=\"data\">");
    end = strstr(data, "</script>");
    assert_non_null(end);
    *end = 0;
    assert_non_null(strstr(data, "f\\u003c/script> \\\";"));
    assert_non_null(strstr(data, "\"timelines\":["));
    free(page);
    char *stacks = bh_profile_text(profile, BH_PROFILE_FOLDED, NULL);
    assert_string_equal(stacks, "1-2;B;main;f</script>_\"_ 10\n");
    free(stacks);
}

static void wrong_arguments_are_refused(void **context)
{
    const struct bh_profile_options backwards = {.from = 10, .to = 9};
    struct bh_error error;
    assert_int_equal(bh_profile_open(NULL, NULL, NULL), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_profile_open(&backwards, &profile, &error), BH_ERROR_ARGUMENT);
    assert_string_equal(error.text, "profile: its last cycle is before its first one");
    assert_int_equal(bh_profile_open(NULL, &profile, NULL), BH_OK);
    assert_int_equal(bh_profile_write(profile, BH_PROFILE_TEXT, "/dev/null", &error), BH_ERROR_ARGUMENT);
    assert_null(bh_profile_text(profile, BH_PROFILE_TEXT, NULL));
    assert_int_equal(bh_profile_end(profile, 0, NULL), BH_OK);
    assert_int_equal(bh_profile_end(profile, 0, NULL), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_profile_write(profile, BH_PROFILE_FORMATS, "/dev/null", NULL), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_profile_write(profile, BH_PROFILE_TEXT, "/no/such", &error), BH_ERROR_IO);
    assert_int_equal(bh_profile_write(profile, BH_PROFILE_HTML, "/dev/full", &error), BH_ERROR_IO);
    bh_profile_close(NULL);
}

/* Of a device that has not done anything there is a profile, too. */
static void nothing_happened(void **context)
{
    begin(BH_MODE_TIMED);
    (void)ended_at(0);
    for (int format = 0; format < BH_PROFILE_FORMATS; format++) {
        size_t size = 7;
        char *text = bh_profile_text(profile, (enum bh_profile_format)format, &size);
        assert_non_null(text);
        assert_int_equal(strlen(text), size);
        assert_null(strstr(text, "nan"));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_thread_is_kept_by_its_own_instructions, tear_down),
        cmocka_unit_test_teardown(what_was_before_does_not_count, tear_down),
        cmocka_unit_test_teardown(a_unit_is_busy_once, tear_down),
        cmocka_unit_test_teardown(tiles_have_the_cores_of_their_kind, tear_down),
        cmocka_unit_test_teardown(a_core_is_stopped_before_and_after, tear_down),
        cmocka_unit_test_teardown(in_functional_mode_an_instruction_is_a_step, tear_down),
        cmocka_unit_test_teardown(reset_stops_cores, tear_down),
        cmocka_unit_test_teardown(copies_of_dram_tiles_count, tear_down),
        cmocka_unit_test_teardown(who_ended_a_wait_is_known, tear_down),
        cmocka_unit_test_teardown(a_loop_that_loads_the_same_polls, tear_down),
        cmocka_unit_test_teardown(who_gives_up_does_not_poll, tear_down),
        cmocka_unit_test_teardown(a_loop_that_stores_or_loads_other_things_does_not, tear_down),
        cmocka_unit_test_teardown(a_product_counts_once, tear_down),
        cmocka_unit_test(operations_of_instructions_are_those_of_the_table),
        cmocka_unit_test(bins_grow_with_the_run),
        cmocka_unit_test(bins_hold_the_longest_runs),
        cmocka_unit_test_teardown(places_have_a_limit, tear_down),
        cmocka_unit_test_teardown(only_the_part_of_the_run_counts, tear_down),
        cmocka_unit_test_teardown(names_are_escaped, tear_down),
        cmocka_unit_test_teardown(wrong_arguments_are_refused, tear_down),
        cmocka_unit_test_teardown(nothing_happened, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
