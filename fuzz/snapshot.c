/* Snapshots: files, and what is within them as if its checksum fitted. */
#include <stdlib.h>
#include <string.h>

#include "bhemu/snapshot.h"
#include "chip/snapshot/snapshot.h"
#include "fuzz.h"
#include "memory_file.h"

enum { CHANGE = 4, NIU = 0xFFB20000 };

static void put(struct bh_device *device, unsigned x, uint32_t offset, uint32_t word)
{
    if (bh_write(device, x, 2, NIU + offset, &word, sizeof word) != BH_OK) {
        abort();
    }
}

/* Tiles of each kind, and packets under way. */
static struct bh_device *make_device(void)
{
    enum { READ_MARKED = 0x10, BYTES = 8192 };
    static const struct bh_device_config config = {.mode = BH_MODE_TIMED};
    static const unsigned others[][2] = {{20, 25}, {19, 24}, {8, 0}};
    struct bh_device *device;
    uint32_t word;
    if (bh_device_create(&config, &device) != BH_OK) {
        abort();
    }
    for (unsigned i = 0; i < 3; i++) {
        (void)bh_read(device, others[i][0], others[i][1], 0, &word, sizeof word);
    }
    for (unsigned x = 1; x < 4; x++) {
        put(device, x, 0x0, 0x20000);
        put(device, x, 0x8, 4 | 4 << 6);
        put(device, x, 0xc, 0x30000);
        put(device, x, 0x14, x | 2 << 6);
        put(device, x, 0x1c, READ_MARKED);
        put(device, x, 0x20, BYTES);
        put(device, x, 0x40, 1);
    }
    if (bh_run(device, 100, NULL) != BH_OK) {
        abort();
    }
    return device;
}

/* Four bytes are a change: the low three bits of the first say what it is, the rest and two more where. */
static void change(struct bh_snapshot *snapshot, const uint8_t *bytes)
{
    size_t at = ((size_t)(bytes[0] >> 3) << 16 | (size_t)bytes[1] << 8 | bytes[2]) % snapshot->size;
    uint8_t *byte = &snapshot->bytes[bytes[0] & 1 ? snapshot->size - 1 - at : at];
    *byte = bytes[0] & 2 ? bytes[3] : (uint8_t)(*byte ^ 1 << bytes[3] % 8);
    snapshot->size = bytes[0] % 8 == 7 && bytes[3] < 8 ? at : snapshot->size;
}

/* What is taken is given back: a state that is none is not run. */
static void restore_changed(struct bh_device *device, const struct bh_snapshot *good, const uint8_t *bytes, size_t size)
{
    struct bh_snapshot changed = {good->clock, good->size, malloc(good->size)};
    struct bh_snapshot *now = NULL;
    const char *why = NULL;
    memcpy(changed.bytes, good->bytes, good->size);
    for (; size >= CHANGE; bytes += CHANGE, size -= CHANGE) {
        if (changed.size) {
            change(&changed, bytes);
        }
    }
    enum bh_status status = snapshot_load(device, changed.bytes, changed.size, &why);
    if (status == BH_OK) {
        status = bh_snapshot_restore(device, good, NULL);
    } else if (!why) {
        abort();
    }
    if (bh_snapshot_take(device, &now) != BH_OK || now->size != good->size ||
        memcmp(now->bytes, good->bytes, good->size) != 0) {
        abort();
    }
    bh_snapshot_free(now);
    free(changed.bytes);
}

void fuzz_snapshot(const uint8_t *bytes, size_t size)
{
    struct bh_device *device = make_device();
    struct bh_snapshot *good;
    if (bh_snapshot_take(device, &good) != BH_OK) {
        abort();
    }
    if (size && bytes[0] % 4 == 0) {
        struct memory_file file = open_memory(bytes + 1, size - 1);
        struct bh_error error = {};
        if (bh_restore(device, file.path, &error) != BH_OK && !error.text[0]) {
            abort();
        }
        close(file.descriptor);
    }
    restore_changed(device, good, bytes, size);
    bh_snapshot_free(good);
    bh_device_destroy(device);
}
