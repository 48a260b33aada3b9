/* A checker that is told events that are made up, and the findings that it has told: shared by the fixtures of its
 * tests. */
#ifndef BHEMU_CHECK_EVENTS_FIXTURE_H
#define BHEMU_CHECK_EVENTS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu/check.h"

enum { X = 1, Y = 2, LW_A0 = 0x0005a503, SW_A0 = 0x00a5a023 };

struct test {
    struct bh_check *check;
    unsigned found;
    char rules[1000]; /* of what was told, with a blank behind each */
    char last[4000];
    uint32_t requests;
    bool uncached; /* loads are of a core whose data cache is off */
};

static inline void on_finding(void *context, const struct bh_check_finding *finding)
{
    struct test *test = context;
    test->found++;
    strcat(strcat(test->rules, finding->rule), " ");
    bh_check_format(test->check, finding, test->last, sizeof test->last);
}

static inline int open_check(void **context, uint32_t tools)
{
    struct test *test = calloc(1, sizeof *test);
    const struct bh_check_options options = {.tools = tools, .on_finding = on_finding, .context = test};
    assert_int_equal(bh_check_open(&options, &test->check, NULL), BH_OK);
    *context = test;
    return 0;
}

static inline int tear_down(void **context)
{
    struct test *test = *context;
    bh_check_close(test->check);
    free(test);
    return 0;
}

/* An event of tile (X, Y), unless it names another. */
static inline void tell(struct test *test, struct bh_event event)
{
    const struct bh_observer *observer = bh_check_observer(test->check);
    event.tile_x = event.tile_x ? event.tile_x : X;
    event.tile_y = event.tile_y ? event.tile_y : Y;
    event.place_x = event.place_x ? event.place_x : event.tile_x;
    event.place_y = event.place_y ? event.place_y : event.tile_y;
    if (observer->kinds >> event.kind & 1) {
        observer->on_event(observer->context, &event);
    }
}

static inline struct bh_event of_core(enum bh_event_kind kind, unsigned core, uint32_t pc, uint32_t word)
{
    return (struct bh_event){.kind = (uint16_t)kind,
                             .agent = BH_AGENT_CORE,
                             .index = (uint8_t)core,
                             .place = {.agent = BH_AGENT_CORE, .index = (uint8_t)core, .pc = pc},
                             .instruction = word};
}

static inline void issue(struct test *test, unsigned core, uint32_t pc, uint32_t word)
{
    tell(test, of_core(BH_EVENT_ISSUED, core, pc, word));
}

static inline enum bh_space space_of(uint64_t address)
{
    return address < 0x180000 ? BH_SPACE_L1 : address < 0xffb02000 ? BH_SPACE_LOCAL_RAM : BH_SPACE_REGISTER;
}

/* An access by a load or a store, whose word is given. */
static inline void access_by(struct test *test, unsigned core, uint32_t pc, uint32_t word, uint64_t address,
                             uint32_t value)
{
    issue(test, core, pc, word);
    struct bh_event event = of_core(BH_EVENT_ACCESS, core, pc, word);
    event.access = (struct bh_access){.space = (uint8_t)space_of(address),
                                      .write = (word & 0x7f) == 0x23,
                                      .uncached = test->uncached,
                                      .size = 4,
                                      .address = address,
                                      .data = &value};
    tell(test, event);
}

static inline void load(struct test *test, unsigned core, uint32_t pc, uint64_t address)
{
    access_by(test, core, pc, LW_A0, address, 0);
}

#endif
