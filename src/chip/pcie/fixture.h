/* A device with a host behind its PCIe tile, for the tests of this folder. */
#ifndef BHEMU_CHIP_PCIE_FIXTURE_H
#define BHEMU_CHIP_PCIE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bhemu/device.h"
#include "bhemu/pci.h"

#define BAR0 0x100000000u
#define BAR2 0x120000000u
#define BAR4 0x800000000u
#define IATU (BAR2 + 0x1000)
#define THROUGH_IATU ((uint64_t)4 << 58)

enum { HOST_SIZE = 1 << 16 };

struct fixture {
    struct bh_device *device;
    struct bh_diagnostic last;
    uint8_t host[HOST_SIZE];
    uint64_t host_address; /* of the last access */
};

static inline void on_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    ((struct fixture *)context)->last = *diagnostic;
}

static inline void host_read(void *context, uint64_t address, void *data, uint32_t size)
{
    struct fixture *fixture = context;
    fixture->host_address = address;
    memcpy(data, fixture->host + address % HOST_SIZE, size);
}

static inline void host_write(void *context, uint64_t address, const void *data, uint32_t size)
{
    struct fixture *fixture = context;
    fixture->host_address = address;
    memcpy(fixture->host + address % HOST_SIZE, data, size);
}

static inline int create(void **context, enum bh_board board, bool with_host)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct bh_device_config config = {.on_diagnostic = on_diagnostic,
                                      .context = fixture,
                                      .board = board,
                                      .host_read = with_host ? host_read : NULL,
                                      .host_write = with_host ? host_write : NULL};
    *context = fixture;
    return bh_device_create(&config, &fixture->device) == BH_OK ? 0 : -1;
}

static inline int set_up(void **context)
{
    return create(context, BH_BOARD_FULL, true);
}

static inline int set_up_p100a(void **context)
{
    return create(context, BH_BOARD_P100A, true);
}

static inline int set_up_without_host(void **context)
{
    return create(context, BH_BOARD_FULL, false);
}

static inline int tear_down(void **context)
{
    struct fixture *fixture = *context;
    bh_device_destroy(fixture->device);
    free(fixture);
    return 0;
}

static inline void put(struct fixture *fixture, uint64_t address, uint32_t word)
{
    assert_int_equal(bh_pci_write(fixture->device, address, &word, sizeof word), BH_OK);
}

static inline uint32_t get(struct fixture *fixture, uint64_t address)
{
    uint32_t word;
    assert_int_equal(bh_pci_read(fixture->device, address, &word, sizeof word), BH_OK);
    return word;
}

static inline void assert_said(struct fixture *fixture, enum bh_category category, const char *part)
{
    assert_int_equal(fixture->last.category, category);
    if (!strstr(fixture->last.text, part)) {
        fail_msg("\"%s\" does not say \"%s\"", fixture->last.text, part);
    }
}

/* Points window 5 at `address` of a tile through the given NoC. Returns the host's address of it. */
static inline uint64_t point(struct fixture *fixture, unsigned x, unsigned y, unsigned noc, uint64_t address)
{
    uint64_t setup = BAR0 + 0x1FC00000 + 12 * 5;
    put(fixture, setup, (uint32_t)(address >> 21));
    put(fixture, setup + 4, (uint32_t)(address >> 53) | x << 11 | y << 17);
    put(fixture, setup + 8, noc << 3);
    return BAR0 + (5u << 21) + (address & 0x1fffff);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
#define TEST_P100A(function) cmocka_unit_test_setup_teardown(function, set_up_p100a, tear_down)

#endif
