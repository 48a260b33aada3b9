#include "chip/snapshot/snapshot.h"

#include <stdio.h>
#include <stdlib.h>

#include "chip/snapshot/parts.h"

enum bh_status bh_snapshot_take(struct bh_device *device, struct bh_snapshot **snapshot)
{
    if (!device || device_is_remote(device) || !snapshot || device->exchanging) {
        return BH_ERROR_ARGUMENT;
    }
    *snapshot = NULL;
    struct bh_snapshot *made = malloc(sizeof *made);
    struct archive *archive = malloc(sizeof *archive);
    if (made && archive) {
        archive_begin_save(archive);
        archive_device(archive, device);
        archive_end(archive);
        uint8_t *bytes = archive->wrong ? NULL : realloc(archive->bytes, archive->size);
        *made = (struct bh_snapshot){device->clock, archive->size, bytes ? bytes : archive->bytes};
        if (!archive->wrong) {
            *snapshot = made;
        } else {
            free(archive->bytes);
        }
    }
    if (!*snapshot) {
        free(made);
    }
    free(archive);
    return *snapshot ? BH_OK : BH_ERROR_MEMORY;
}

/* Loads what may be wrong: then the device is half of it. */
static enum bh_status load(struct bh_device *device, const uint8_t *bytes, size_t size, const char **why)
{
    struct archive *archive = malloc(sizeof *archive);
    *why = "there is no memory for it";
    if (!archive) {
        return BH_ERROR_MEMORY;
    }
    archive_begin_load(archive, bytes, size);
    archive_device(archive, device);
    if (archive->at != archive->size) {
        archive_wrong(archive, "there is more behind its end");
    }
    *why = archive->wrong;
    enum bh_status status = !archive->wrong ? BH_OK : archive->no_memory ? BH_ERROR_MEMORY : BH_ERROR_FORMAT;
    free(archive);
    return status;
}

enum bh_status snapshot_load(struct bh_device *device, const uint8_t *bytes, size_t size, const char **why)
{
    struct bh_snapshot *before;
    const char *not_back;
    *why = "the device is in use";
    enum bh_status status = bh_snapshot_take(device, &before);
    if (status != BH_OK) {
        return status;
    }
    status = load(device, bytes, size, why);
    if (status != BH_OK) {
        (void)load(device, before->bytes, before->size, &not_back);
    }
    bh_snapshot_free(before);
    return status;
}

enum bh_status bh_snapshot_restore(struct bh_device *device, const struct bh_snapshot *snapshot, struct bh_error *error)
{
    const char *why = "no device, no snapshot, or the device is in use, or in another process";
    enum bh_status status = BH_ERROR_ARGUMENT;
    if (device && !device_is_remote(device) && snapshot && !device->exchanging) {
        status = load(device, snapshot->bytes, snapshot->size, &why);
        status = status == BH_ERROR_FORMAT ? BH_ERROR_ARGUMENT : status; /* of another device: nothing was loaded */
    }
    if (status != BH_OK && error) {
        snprintf(error->text, sizeof error->text, "the snapshot is not restored: %s", why);
    }
    return status;
}

void bh_snapshot_free(struct bh_snapshot *snapshot)
{
    if (snapshot) {
        free(snapshot->bytes);
        free(snapshot);
    }
}

uint64_t bh_snapshot_clock(const struct bh_snapshot *snapshot)
{
    return snapshot ? snapshot->clock : 0;
}

size_t bh_snapshot_size(const struct bh_snapshot *snapshot)
{
    return snapshot ? sizeof *snapshot + snapshot->size : 0;
}
