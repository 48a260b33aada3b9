/* Small programs through the public API, and what an observer of two tiles is told of them. For the tests here. */
#ifndef BHEMU_TESTS_OBSERVERS_FIXTURE_H
#define BHEMU_TESTS_OBSERVERS_FIXTURE_H

#include "../host/files.h"

#include "bhemu/observer.h"
#include "chip/device_fixture.h"
#include "isa/tensix_text.h"

enum { X = 1, Y = 2, OTHER_X = 7, OTHER_Y = 5, PROGRAM = 0x1000, APART = 0x1000, DATA = 0x20000, EVENTS = 4096 };
enum { LIMIT = 20000 };

/* The recorded events, with the first bytes of their data. */
static struct {
    unsigned count, seen; /* seen: those that were examined already */
    struct bh_event event[EVENTS];
    uint32_t data[EVENTS];
} told;

static inline void record(void *context, const struct bh_event *event)
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

static inline int set_up_observed(void **context)
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

static inline uint32_t place(enum bh_core core)
{
    return PROGRAM + core * APART;
}

static inline void start(struct fixture *fixture, enum bh_core core, const uint32_t *words, unsigned count)
{
    assert_int_equal(bh_write(fixture->device, X, Y, place(core), words, count * 4), BH_OK);
    assert_int_equal(bh_core_start(fixture->device, X, Y, core, place(core)), BH_OK);
    told.count = told.seen = 0;
}

#define START(fixture, core, ...)                                                                                      \
    start(fixture, core, (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / 4)

static inline void run(struct fixture *fixture, uint64_t cycles)
{
    (void)bh_run(fixture->device, cycles, &fixture->result);
}

static inline uint32_t tt(const char *text)
{
    uint32_t word = 0;
    struct tensix_text_error error;
    assert_true(tensix_assemble(text, &word, &error));
    return ttinsn(word);
}

/* SETDMAREG of half a GPR. */
static inline uint32_t tt_gpr(unsigned half, uint16_t value)
{
    return ttinsn(0x45000000 | (uint32_t)value << 8 | half);
}

/* The next event of this kind by this agent, after those found so far. */
static inline const struct bh_event *next(enum bh_event_kind kind, enum bh_agent agent, unsigned index)
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

/* The first event of this kind by this agent. */
static inline const struct bh_event *first(enum bh_event_kind kind, enum bh_agent agent, unsigned index)
{
    told.seen = 0;
    return next(kind, agent, index);
}

static inline uint32_t data_of(const struct bh_event *event)
{
    return told.data[event - told.event];
}

static inline unsigned count_of(enum bh_event_kind kind)
{
    unsigned count = 0;
    for (unsigned i = 0; i < told.count; i++) {
        count += told.event[i].kind == kind;
    }
    return count;
}

static inline void assert_access(const struct bh_event *event, enum bh_space space, bool write, uint64_t address,
                                 uint32_t size)
{
    assert_int_equal(event->access.space, space);
    assert_int_equal(event->access.write, write);
    assert_int_equal(event->access.address, address);
    assert_int_equal(event->access.size, size);
}

static inline void assert_register(const struct bh_event *event, enum bh_register_file file, unsigned part,
                                   unsigned index, uint32_t before, uint32_t value)
{
    assert_int_equal(event->reg.file, file);
    assert_int_equal(event->reg.part, part);
    assert_int_equal(event->reg.index, index);
    assert_int_equal(event->reg.before, before);
    assert_int_equal(event->reg.value, value);
}

static inline void assert_place(const struct bh_event *event, enum bh_agent agent, unsigned index, uint32_t pc)
{
    assert_int_equal(event->place.agent, agent);
    assert_int_equal(event->place.index, index);
    assert_int_equal(event->place.pc, pc);
    assert_int_equal(event->place_x, X);
    assert_int_equal(event->place_y, Y);
}

static inline void assert_wait(const struct bh_event *event, enum bh_wait_reason reason, uint32_t detail)
{
    assert_int_equal(event->wait.reason, reason);
    assert_int_equal(event->wait.detail, detail);
}

#define OBSERVED_TEST(function) cmocka_unit_test_setup_teardown(function, set_up_observed, tear_down)

#endif
