/* A device whose requests the host starts, for the tests of this folder. */
#ifndef BHEMU_NOC_FIXTURE_H
#define BHEMU_NOC_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bhemu/device.h"
#include "noc/niu.h"

enum {
    CMD_READ = 0x10,
    CMD_ATOMIC = 0x1,
    CMD_WRITE = 0x2,
    BYTE_ENABLES = 0x4,
    INLINE = 0x8,
    MARKED = 0x10,
    BROADCAST = 0x20,
    LINKED = 0x40,
    LOOPBACK = 0x20000,
};

struct fixture {
    struct bh_device *device;
    unsigned diagnostics;
    struct bh_diagnostic last;
};

/* A request as software writes it to an initiator. */
struct command {
    uint8_t x, y, noc, initiator; /* where it starts */
    uint32_t ctrl;
    uint64_t target, back; /* addresses */
    uint32_t target_at, back_at;
    uint32_t tag;
    uint64_t length;
    uint32_t data, exclude, accumulate;
};

static inline void on_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    struct fixture *fixture = context;
    fixture->diagnostics++;
    fixture->last = *diagnostic;
}

static inline int set_up_policy(void **context, enum bh_policy_preset policy)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct bh_device_config config = {.policy = policy, .on_diagnostic = on_diagnostic, .context = fixture};
    *context = fixture;
    return bh_device_create(&config, &fixture->device) == BH_OK ? 0 : -1;
}

static inline int set_up(void **context)
{
    return set_up_policy(context, BH_POLICY_DEFAULT);
}

static inline int set_up_silicon(void **context)
{
    return set_up_policy(context, BH_POLICY_SILICON);
}

static inline int tear_down(void **context)
{
    struct fixture *fixture = *context;
    bh_device_destroy(fixture->device);
    free(fixture);
    return 0;
}

static inline uint32_t at(unsigned x, unsigned y)
{
    return x | y << 6;
}

static inline uint32_t rectangle(unsigned start_x, unsigned start_y, unsigned end_x, unsigned end_y)
{
    return at(end_x, end_y) | at(start_x, start_y) << 12;
}

static inline void put_word(struct fixture *fixture, unsigned x, unsigned y, uint64_t address, uint32_t word)
{
    assert_int_equal(bh_write(fixture->device, x, y, address, &word, sizeof word), BH_OK);
}

static inline uint32_t get_word(struct fixture *fixture, unsigned x, unsigned y, uint64_t address)
{
    uint32_t word = 0;
    assert_int_equal(bh_read(fixture->device, x, y, address, &word, sizeof word), BH_OK);
    return word;
}

static inline uint32_t counter(struct fixture *fixture, unsigned x, unsigned y, unsigned noc, unsigned index)
{
    return get_word(fixture, x, y, 0xFFB20200 + 0x10000 * noc + 4 * index);
}

/* Writes the command to its initiator, NOC_CMD_CTRL last. Returns what became of that. */
static inline enum bh_status start(struct fixture *fixture, const struct command *command)
{
    const uint32_t registers[] = {(uint32_t)command->target,
                                  (uint32_t)(command->target >> 32),
                                  command->target_at,
                                  (uint32_t)command->back,
                                  (uint32_t)(command->back >> 32),
                                  command->back_at,
                                  command->tag,
                                  command->ctrl,
                                  (uint32_t)command->length,
                                  command->length >> 32,
                                  command->data,
                                  command->exclude,
                                  command->accumulate};
    uint32_t base = 0xFFB20000u + 0x10000 * command->noc + 0x800 * command->initiator, one = 1;
    for (unsigned i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        put_word(fixture, command->x, command->y, base + 4 * i, registers[i]);
    }
    return bh_write(fixture->device, command->x, command->y, base + 0x40, &one, sizeof one);
}

/* Carries out what was started. */
static inline void exchange(struct fixture *fixture)
{
    assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
    assert_int_equal(fixture->diagnostics, 0);
}

static inline void do_command(struct fixture *fixture, const struct command *command)
{
    assert_int_equal(start(fixture, command), BH_OK);
    exchange(fixture);
}

/* The command is wrong, and the diagnostic says `part` of the tile that started it. */
static inline void assert_wrong(struct fixture *fixture, const struct command *command, enum bh_category category,
                                const char *part)
{
    if (start(fixture, command) == BH_OK) {
        assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_ERROR_STOPPED);
    }
    assert_int_equal(fixture->diagnostics, 1);
    assert_int_equal(fixture->last.category, category);
    assert_int_equal(fixture->last.tile_x, command->x);
    assert_int_equal(fixture->last.tile_y, command->y);
    if (!strstr(fixture->last.text, part)) {
        fail_msg("\"%s\" does not say \"%s\"", fixture->last.text, part);
    }
}

static inline void fill(struct fixture *fixture, unsigned x, unsigned y, uint64_t address, uint32_t size, uint32_t seed)
{
    uint8_t *bytes = malloc(size);
    for (uint32_t i = 0; i < size; i++) {
        seed = seed * 1664525 + 1013904223;
        bytes[i] = (uint8_t)(seed >> 24);
    }
    assert_int_equal(bh_write(fixture->device, x, y, address, bytes, size), BH_OK);
    free(bytes);
}

/* What is at one place is what is at the other. */
static inline void assert_same(struct fixture *fixture, unsigned x, unsigned y, uint64_t address, unsigned other_x,
                               unsigned other_y, uint64_t other_address, uint32_t size)
{
    uint8_t *a = malloc(size), *b = malloc(size);
    assert_int_equal(bh_read(fixture->device, x, y, address, a, size), BH_OK);
    assert_int_equal(bh_read(fixture->device, other_x, other_y, other_address, b, size), BH_OK);
    assert_memory_equal(a, b, size);
    free(a);
    free(b);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
#define TEST_SILICON(function) cmocka_unit_test_setup_teardown(function, set_up_silicon, tear_down)

#endif
