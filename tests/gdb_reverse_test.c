/* Going back: what is seen then is what was there, and forward again all is as if nothing had been: registers, memory,
   clocks, what observers are told, and the end. Two cores of a tile, which look at what the other writes, and programs
   on other tiles, which reach this one over the NoC. */
#include "bhemu/observer.h"
#include "chip/programs_fixture.h"
#include "chip/rv32_words.h"
#include "gdb_client.h"

enum { SHARED = 0x2000, STEPS = 80, PLACES = 40, COUNT = 700, BACK = 5 };

/* What an observer was told. */
struct told {
    uint64_t events, hash;
};

static void on_event(void *context, const struct bh_event *event)
{
    struct told *told = context;
    uint64_t what[] = {event->kind,        event->tile_x,
                       event->tile_y,      event->agent,
                       event->index,       event->cycle,
                       event->place.pc,    event->place.index,
                       event->instruction, event->kind == BH_EVENT_ACCESS ? event->access.address : 0};
    told->events++;
    for (unsigned i = 0; i < sizeof what / sizeof *what; i++) {
        told->hash = (told->hash ^ what[i]) * 0x9e3779b97f4a7c15;
        told->hash ^= told->hash >> 29;
    }
}

/* A run, with observers before and behind the debugger. */
struct run {
    struct session session;
    struct told before, behind;
    struct bh_observer observers[2];
    uint64_t clock;
    uint8_t memory[0x200];
};

/* Counts to COUNT in steps, adds what the other core has written, and writes it. */
static void load_core(struct bh_device *device, enum bh_core core, uint32_t pc, uint32_t own, uint32_t other)
{
    const uint32_t words[] = {lui(S0, SHARED), addi(T0, 0, 0),  addi(S1, 0, COUNT),  lw(T1, S0, other), addi(T2, T1, 1),
                              sw(T2, S0, own), addi(T0, T0, 1), sw(T0, S0, own + 4), bne(T0, S1, -20),  SELF_JUMP};
    assert_int_equal(bh_write(device, 1, 2, pc, words, sizeof words), BH_OK);
    assert_int_equal(bh_core_start(device, 1, 2, core, pc), BH_OK);
}

static void begin_run(struct run *run, enum bh_mode mode, bool busy)
{
    const struct bh_device_config config = {.mode = mode};
    struct bh_device *device;
    memset(run, 0, sizeof *run);
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    random_state = 7;
    if (busy) {
        start_programs(device, 8);
    } else {
        load_core(device, BH_CORE_T0, 0x1000, 0, 8);
        load_core(device, BH_CORE_T2, 0x1800, 8, 0);
    }
    run->observers[0] = (struct bh_observer){.kinds = UINT64_MAX, .on_event = on_event, .context = &run->before};
    run->observers[1] = (struct bh_observer){.kinds = UINT64_MAX, .on_event = on_event, .context = &run->behind};
    assert_int_equal(bh_device_add_observer(device, &run->observers[0]), BH_OK);
    begin_session(&run->session, device, NULL);
    assert_non_null(strstr(ask(&run->session, "?"), "T05")); /* nothing runs now */
    assert_int_equal(bh_device_add_observer(device, &run->observers[1]), BH_OK);
}

static void end_run(struct run *run)
{
    leave_session(&run->session);
    run->clock = bh_clock(run->session.device);
    assert_int_equal(bh_read(run->session.device, 1, 2, SHARED, run->memory, sizeof run->memory), BH_OK);
    bh_device_destroy(run->session.device);
}

/* The answer behind what is written for the user. */
static const char *ask_for(struct run *run, const char *packet)
{
    const char *answer = ask(&run->session, packet);
    while (*answer == 'O' && strcmp(answer, "OK") != 0) {
        answer = receive(&run->session);
    }
    return answer;
}

static void monitor(struct run *run, const char *command)
{
    char packet[200] = "qRcmd,";
    for (const char *c = command; *c; c++) {
        (void)snprintf(packet + strlen(packet), 3, "%02x", (unsigned char)*c);
    }
    assert_string_equal(ask_for(run, packet), "OK");
}

static void assert_begins(const char *text, const char *with)
{
    if (strncmp(text, with, strlen(with)) != 0) {
        fail_msg("\"%s\" does not begin with \"%s\"", text, with);
    }
}

/* To where nothing is left to run, and to the end. */
static void finish(struct run *run, bool recorded)
{
    const char *answer = ask_for(run, "vCont;c");
    if (recorded) {
        assert_non_null(strstr(answer, "replaylog:end;"));
        answer = ask_for(run, "vCont;c");
    }
    assert_string_equal(answer, "W00");
    end_run(run);
}

static void assert_same_runs(const struct run *one, const struct run *other)
{
    assert_int_equal(one->session.result.reason, other->session.result.reason);
    assert_int_equal(one->session.result.cycles, other->session.result.cycles);
    assert_int_equal(one->session.result.riscv_instructions, other->session.result.riscv_instructions);
    assert_int_equal(one->clock, other->clock);
    assert_memory_equal(one->memory, other->memory, sizeof one->memory);
    assert_int_equal(one->before.events, other->before.events);
    assert_int_equal(one->before.hash, other->before.hash);
    assert_int_equal(one->behind.events, other->behind.events);
    assert_int_equal(one->behind.hash, other->behind.hash);
}

/* Runs a program without a debugger's doing, and begins to record it in another run. */
static void begin_recorded(struct run *plain, struct run *run, enum bh_mode mode, bool busy)
{
    begin_run(plain, mode, busy);
    finish(plain, false);
    begin_run(run, mode, busy);
    monitor(run, "record on");
}

/* Both have been the same run. */
static void end_recorded(const struct run *plain, struct run *run)
{
    finish(run, true);
    assert_same_runs(plain, run);
}

static void keep(char *copy, size_t size, const char *answer)
{
    assert_true(strlen(answer) < size);
    memcpy(copy, answer, strlen(answer) + 1);
}

/* All that a debugger sees of two cores. */
struct state {
    char registers[2][8192];
    char memory[64];
};

static void look_at(struct run *run, struct state *state)
{
    static const char *const packets[] = {"Hg2", "g", "Hg4", "g", "m2000,10"};
    enum { PACKETS = sizeof packets / sizeof *packets };
    char ok[2][3]; /* OK */
    for (unsigned i = 0; i < PACKETS; i++) {
        put(&run->session, packets[i]);
    }
    keep(ok[0], sizeof ok[0], receive(&run->session));
    keep(state->registers[0], sizeof state->registers[0], receive(&run->session));
    keep(ok[1], sizeof ok[1], receive(&run->session));
    keep(state->registers[1], sizeof state->registers[1], receive(&run->session));
    keep(state->memory, sizeof state->memory, receive(&run->session));
}

static void assert_same_state(const struct state *one, const struct state *other)
{
    assert_string_equal(one->registers[0], other->registers[0]);
    assert_string_equal(one->registers[1], other->registers[1]);
    assert_string_equal(one->memory, other->memory);
}

static void steps_lead_back(void **context)
{
    static struct state states[STEPS], now;
    static struct run plain, run;
    for (enum bh_mode mode = BH_MODE_FUNCTIONAL; mode <= BH_MODE_TIMED; mode++) {
        begin_recorded(&plain, &run, mode, false);
        assert_string_equal(ask(&run.session, "Z0,1810,4"), "OK");
        for (unsigned i = 0; i < PLACES; i++) {
            assert_begins(ask(&run.session, "vCont;c"), "T05thread:4;swbreak");
        }
        assert_string_equal(ask(&run.session, "z0,1810,4"), "OK");
        for (unsigned i = 0; i < STEPS; i++) {
            look_at(&run, &states[i]);
            assert_begins(ask(&run.session, "vCont;s:4;c"), "T05thread:4;");
        }
        for (unsigned i = STEPS; i--;) {
            assert_string_equal(ask(&run.session, "Hc4"), "OK");
            assert_begins(ask(&run.session, "bs"), "T05thread:4;");
            look_at(&run, &now);
            assert_same_state(&states[i], &now);
        }
        for (unsigned i = 1; i < STEPS; i++) {
            assert_begins(ask(&run.session, "vCont;s:4;c"), "T05thread:4;");
            look_at(&run, &now);
            assert_same_state(&states[i], &now);
        }
        end_recorded(&plain, &run);
    }
}

/* Breakpoints of both cores, and back over them. */
static void breakpoints_stop_on_the_way_back(void **context)
{
    static char stops[PLACES][200];
    static struct state states[PLACES], now;
    static struct run plain, run;
    for (enum bh_mode mode = BH_MODE_FUNCTIONAL; mode <= BH_MODE_TIMED; mode++) {
        begin_recorded(&plain, &run, mode, false);
        assert_string_equal(ask(&run.session, "Z0,1014,4"), "OK");
        assert_string_equal(ask(&run.session, "Z1,180c,4"), "OK");
        for (unsigned i = 0; i < PLACES; i++) {
            keep(stops[i], sizeof stops[i], ask(&run.session, "vCont;c"));
            look_at(&run, &states[i]);
        }
        for (unsigned i = PLACES - 1; i--;) {
            assert_string_equal(ask(&run.session, "bc"), stops[i]);
            look_at(&run, &now);
            assert_same_state(&states[i], &now);
        }
        assert_non_null(strstr(ask(&run.session, "bc"), "replaylog:begin;"));
        for (unsigned i = 0; i < PLACES; i++) {
            assert_string_equal(ask(&run.session, "vCont;c"), stops[i]);
            look_at(&run, &now);
            assert_same_state(&states[i], &now);
        }
        assert_string_equal(ask(&run.session, "z0,1014,4"), "OK");
        assert_string_equal(ask(&run.session, "z1,180c,4"), "OK");
        end_recorded(&plain, &run);
    }
}

/* From the end to the last write of a word, which is not there yet, then to the one before. */
static void the_last_write_is_found(void **context)
{
    static struct run plain, run;
    for (enum bh_mode mode = BH_MODE_FUNCTIONAL; mode <= BH_MODE_TIMED; mode++) {
        begin_recorded(&plain, &run, mode, false);
        assert_non_null(strstr(ask(&run.session, "vCont;c"), "replaylog:end;"));
        assert_string_equal(ask(&run.session, "m200c,4"), "bc020000"); /* COUNT */
        assert_string_equal(ask(&run.session, "Z2,200c,4"), "OK");
        assert_string_equal(ask(&run.session, "bc"), "T05thread:4;watch:200c;20:1c180000;");
        assert_string_equal(ask(&run.session, "m200c,4"), "bb020000");
        assert_string_equal(ask(&run.session, "bc"), "T05thread:4;watch:200c;20:1c180000;");
        assert_string_equal(ask(&run.session, "m200c,4"), "ba020000");
        assert_begins(ask(&run.session, "vCont;c"), "T05thread:4;watch:200c;");
        assert_string_equal(ask(&run.session, "m200c,4"), "bb020000");
        assert_string_equal(ask(&run.session, "z2,200c,4"), "OK");
        end_recorded(&plain, &run);
    }
}

/* A search for what is not there, over all of a long recording: ^C ends it where it began, in time, instead of at the
   beginning of the recording. */
static void a_long_search_is_interrupted(void **context)
{
    enum { ROUNDS = 300000 };
    const uint32_t counts[] = {lui(T0, ROUNDS), addi(T0, T0, -1), bne(T0, 0, -4), SELF_JUMP};
    for (enum bh_mode mode = BH_MODE_FUNCTIONAL; mode <= BH_MODE_TIMED; mode++) {
        struct run run = {};
        const struct bh_device_config config = {.mode = mode};
        struct bh_device *device;
        assert_int_equal(bh_device_create(&config, &device), BH_OK);
        assert_int_equal(bh_write(device, 1, 2, 0x1000, counts, sizeof counts), BH_OK);
        assert_int_equal(bh_core_start(device, 1, 2, BH_CORE_T0, 0x1000), BH_OK);
        begin_session(&run.session, device, NULL);
        monitor(&run, "record on");
        assert_non_null(strstr(ask(&run.session, "vCont;c"), "replaylog:end;"));
        uint64_t end = bh_clock(device);
        assert_string_equal(ask(&run.session, "Z2,2000,4"), "OK");
        for (unsigned i = 0; i < 3; i++) {
            put(&run.session, "bc");
            assert_int_equal(send(run.session.socket, "\3", 1, MSG_NOSIGNAL), 1);
            assert_begins(receive(&run.session), "T02thread:");
            assert_int_equal(bh_clock(device), end);
        }
        assert_non_null(strstr(ask(&run.session, "bc"), "replaylog:begin;")); /* if it may */
        assert_string_equal(ask(&run.session, "D"), "OK");
        end_run(&run);
    }
}

/* Programs on all tiles: whoever goes back and on, often, sees the run that he would have seen. */
static void a_busy_chip_ends_as_without(void **context)
{
    static struct run plain, run;
    for (enum bh_mode mode = BH_MODE_FUNCTIONAL; mode <= BH_MODE_TIMED; mode++) {
        begin_recorded(&plain, &run, mode, true);
        for (unsigned i = 0; i < BACK; i++) {
            for (unsigned j = 0; j < 3 * i; j++) {
                assert_begins(ask(&run.session, "vCont;s:1;c"), "T05");
            }
            assert_string_equal(ask(&run.session, "Z2,20000,800"), "OK");
            assert_begins(ask_for(&run, "vCont;c"), "T05");
            assert_begins(ask_for(&run, "bs"), "T05");
            assert_begins(ask_for(&run, "bc"), "T05");
            assert_begins(ask_for(&run, "vCont;c"), "T05");
            assert_string_equal(ask(&run.session, "z2,20000,800"), "OK");
        }
        assert_non_null(strstr(ask_for(&run, "vCont;c"), "replaylog:end;"));
        assert_begins(ask_for(&run, "bs"), "T05");
        end_recorded(&plain, &run);
    }
}

/* What gdb writes makes another run: the way back ends behind it. */
static void writing_ends_the_way_back(void **context)
{
    static struct run run;
    begin_run(&run, BH_MODE_FUNCTIONAL, false);
    assert_begins(ask(&run.session, "bs"), "E.nothing is recorded: ");
    monitor(&run, "record on");
    assert_begins(ask(&run.session, "vCont;s:4;c"), "T05thread:4;");
    assert_begins(ask(&run.session, "vCont;s:4;c"), "T05thread:4;");
    assert_begins(ask(&run.session, "bs"), "T05thread:4;");
    assert_string_equal(ask(&run.session, "M2000,4:efbeadde"), "OK");
    assert_begins(ask(&run.session, "bs"), "E.nothing is recorded yet: ");
    assert_string_equal(ask(&run.session, "Z2,200c,4"), "OK");
    for (unsigned i = 0; i < COUNT / 2; i++) {
        assert_begins(ask(&run.session, "vCont;c"), "T05thread:4;watch");
    }
    assert_string_equal(ask(&run.session, "m200c,4"), "5e010000"); /* COUNT / 2 */
    assert_string_equal(ask(&run.session, "bc"), "T05thread:4;watch:200c;20:1c180000;");
    assert_string_equal(ask(&run.session, "m200c,4"), "5d010000");
    monitor(&run, "record off");
    assert_begins(ask(&run.session, "bc"), "E.nothing is recorded: ");
    assert_string_equal(ask(&run.session, "z2,200c,4"), "OK");
    finish(&run, false);
}

/* A debugger that leaves in the past: the run goes on to its end, and observers are told all of it once. */
static void leaving_in_the_past_changes_nothing(void **context)
{
    static struct run plain, run;
    for (enum bh_mode mode = BH_MODE_FUNCTIONAL; mode <= BH_MODE_TIMED; mode++) {
        begin_run(&plain, mode, false);
        assert_string_equal(ask(&plain.session, "D"), "OK");
        end_run(&plain);
        begin_run(&run, mode, false);
        monitor(&run, "record on");
        for (unsigned i = 0; i < STEPS; i++) {
            assert_begins(ask(&run.session, "vCont;s:4;c"), "T05thread:4;");
        }
        assert_non_null(strstr(ask(&run.session, "bc"), "replaylog:begin;"));
        assert_begins(ask(&run.session, "vCont;s:4;c"), "T05thread:4;");
        assert_string_equal(ask(&run.session, "D"), "OK");
        end_run(&run);
        assert_int_equal(plain.session.result.cycles, run.session.result.cycles);
        assert_int_equal(plain.session.result.riscv_instructions, run.session.result.riscv_instructions);
        assert_memory_equal(plain.memory, run.memory, sizeof run.memory);
    }
}

static void it_is_refused_in_non_stop_mode(void **context)
{
    static struct run run;
    begin_run(&run, BH_MODE_FUNCTIONAL, false);
    assert_string_equal(ask(&run.session, "QNonStop:1"), "OK");
    assert_begins(ask(&run.session, "bs"), "O7468657265206973206e6f2077617920"); /* there is no way */
    assert_string_equal(ask(&run.session, "D"), "OK");
    end_run(&run);
    begin_run(&run, BH_MODE_FUNCTIONAL, false);
    monitor(&run, "record on");
    assert_begins(ask(&run.session, "QNonStop:1"), "E.there is no recording in non-stop mode");
    assert_string_equal(ask(&run.session, "D"), "OK");
    end_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_lead_back),
        cmocka_unit_test(breakpoints_stop_on_the_way_back),
        cmocka_unit_test(it_is_refused_in_non_stop_mode),
        cmocka_unit_test(the_last_write_is_found),
        cmocka_unit_test(a_long_search_is_interrupted),
        cmocka_unit_test(a_busy_chip_ends_as_without),
        cmocka_unit_test(writing_ends_the_way_back),
        cmocka_unit_test(leaving_in_the_past_changes_nothing),
    };
    return cmocka_run_group_tests_name("gdb, going back", tests, NULL, NULL);
}
