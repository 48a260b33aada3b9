/* Requests of dumps, of a tile with something in it. The first byte selects the form, the rest is the request. */
#include <stdlib.h>
#include <string.h>

#include "bhemu/dump.h"
#include "fuzz.h"

static void discard(void *context, const void *bytes, size_t size)
{
    volatile uint8_t last = size ? ((const uint8_t *)bytes)[size - 1] : 0;
    (void)context;
    (void)last;
}

static struct bh_device *make_device(void)
{
    struct bh_device *device;
    if (bh_device_create(NULL, &device) != BH_OK) {
        abort();
    }
    for (uint32_t address = 0; address < 0x10000; address += 4) {
        uint32_t word = address * 0x9e3779b1u;
        (void)bh_write(device, 1, 2, address, &word, sizeof word);
    }
    return device;
}

void fuzz_dump(const uint8_t *bytes, size_t size)
{
    static const struct bh_tile tile = {1, 2};
    struct bh_error error;
    if (size == 0) {
        return;
    }
    struct bh_device *device = make_device();
    char *request = strndup((const char *)bytes + 1, size - 1);
    const struct bh_dump dump = {
        .request = request, .form = (enum bh_dump_form)(bytes[0] % 3), .tiles = &tile, .tile_count = 1};
    if (!request) {
        abort();
    }
    enum bh_status checked = bh_dump_check(request, dump.form, &error);
    if (bh_dump(device, &dump, discard, NULL, &error) != checked) {
        abort();
    }
    free(request);
    bh_device_destroy(device);
}
