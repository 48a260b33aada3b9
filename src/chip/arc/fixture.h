/* Messages to the firmware of the ARC processor, as the host sends them. */
#ifndef BHEMU_CHIP_ARC_FIXTURE_H
#define BHEMU_CHIP_ARC_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bhemu/device.h"

enum {
    X = 8,
    Y = 0,
    TEMPERATURE = 11,
    CLOCK = 14,
    TDP_LIMIT = 64,
    CLOCK_LEAST = 65,
    CLOCK_MOST = 66,
    CLOCK_REASON = 69
};

static struct bh_device *device;

static inline int tear_down(void **context)
{
    (void)context;
    bh_device_destroy(device);
    return 0;
}

static inline uint32_t get(uint32_t address)
{
    uint32_t word;
    assert_int_equal(bh_read(device, X, Y, address, &word, sizeof word), BH_OK);
    return word;
}

static inline void put(uint32_t address, uint32_t word)
{
    assert_int_equal(bh_write(device, X, Y, address, &word, sizeof word), BH_OK);
}

/* The value of a telemetry tag. */
static inline uint32_t telemetry(uint32_t tag)
{
    uint32_t table = get(0x80030434), values = get(0x80030430);
    for (uint32_t i = 0; i < get(table + 4); i++) {
        uint32_t entry = get(table + 8 + 4 * i);
        if ((entry & 0xffff) == tag) {
            return get(values + 4 * (entry >> 16));
        }
    }
    fail_msg("no tag %u", tag);
    return 0;
}

/* Sends a message through queue 2. Returns its status. */
static inline uint32_t send_all(const uint32_t request[8], uint32_t response[8])
{
    uint32_t info = get(0x8003042c), entries = get(info + 4) & 0xff, bytes = 32 + 64 * entries;
    uint32_t queue = get(info) + 2 * bytes, write = get(queue), read = get(queue + 4);
    for (unsigned i = 0; i < 8; i++) {
        put(queue + 32 + 32 * (write % entries) + 4 * i, request[i]);
    }
    put(queue, (write + 1) % (2 * entries));
    put(0x80030100, 1 << 16);
    assert_int_equal(get(queue + 0x14), (read + 1) % (2 * entries)); /* the response was written */
    for (unsigned i = 0; i < 8; i++) {
        response[i] = get(queue + 32 + 32 * entries + 32 * (read % entries) + 4 * i);
    }
    put(queue + 4, (read + 1) % (2 * entries));
    return response[0] & 0xff;
}

static inline uint32_t send(const uint32_t request[4], uint32_t response[8])
{
    return send_all((uint32_t[8]){request[0], request[1], request[2], request[3]}, response);
}

static inline uint32_t ask(uint32_t code, uint32_t first, uint32_t second, uint32_t *value)
{
    uint32_t response[8];
    uint32_t status = send((uint32_t[4]){code, first, second}, response);
    if (value) {
        *value = response[1];
    }
    return status;
}

#endif
