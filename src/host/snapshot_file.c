#include "host/snapshot_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include "chip/snapshot/layout.h"
#include "chip/snapshot/snapshot.h"
#include "host/file_target.h"
#include "util/fail.h"

enum { LEVEL = 1 }; /* of compression: most of a device is the same again and again, which any level finds */

static const char magic[8] = "bhemusnp";

struct header {
    char magic[8];
    uint32_t version, layout;
    uint64_t device, job, frame;
    uint64_t hash;
};

_Static_assert(sizeof(struct header) == 48, "as in the file");

/* Each step is reversible: two texts that differ in eight bytes have different hashes. */
static uint64_t hash_of(const struct header *header, const uint8_t *frame)
{
    uint64_t hash = 0, eight;
    for (size_t at = 0; at < offsetof(struct header, hash); at += sizeof eight) {
        memcpy(&eight, (const uint8_t *)header + at, sizeof eight);
        hash = (hash ^ eight) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
    }
    for (uint64_t at = 0; at < header->frame; at += sizeof eight) {
        uint64_t left = header->frame - at;
        eight = 0;
        memcpy(&eight, frame + at, left < sizeof eight ? left : sizeof eight);
        hash = (hash ^ eight) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
    }
    return hash;
}

/* Writing. */

static enum bh_status compress(const struct bh_snapshot *snapshot, const void *job, size_t size, uint8_t **file,
                               size_t *length)
{
    struct header header = {
        .version = SNAPSHOT_VERSION, .layout = snapshot_layout(), .device = snapshot->size, .job = size};
    memcpy(header.magic, magic, sizeof magic);
    size_t room = ZSTD_compressBound(snapshot->size + size);
    uint8_t *bytes = malloc(sizeof header + room);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_inBuffer parts[] = {{snapshot->bytes, snapshot->size, 0}, {job, size, 0}};
    ZSTD_outBuffer out = {bytes ? bytes + sizeof header : NULL, room, 0};
    bool done = bytes && context && !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL)) &&
                !ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(context, snapshot->size + size)) &&
                !ZSTD_isError(ZSTD_compressStream2(context, &out, &parts[0], ZSTD_e_continue)) &&
                parts[0].pos == parts[0].size && ZSTD_compressStream2(context, &out, &parts[1], ZSTD_e_end) == 0;
    ZSTD_freeCCtx(context);
    if (!done) {
        free(bytes);
        return BH_ERROR_MEMORY;
    }
    header.frame = out.pos;
    header.hash = hash_of(&header, bytes + sizeof header);
    memcpy(bytes, &header, sizeof header);
    *file = bytes;
    *length = sizeof header + out.pos;
    return BH_OK;
}

enum bh_status snapshot_file_write(const char *path, struct bh_device *device, const void *job, size_t size,
                                   struct bh_error *error)
{
    struct bh_snapshot *snapshot = NULL;
    struct staged_file staged = {};
    uint8_t *file = NULL;
    size_t length;
    if (!path || !device) {
        return fail(error, BH_ERROR_ARGUMENT, "no path, or no device");
    }
    enum bh_status status = bh_snapshot_take(device, &snapshot);
    if (status == BH_OK) {
        status = compress(snapshot, job, size, &file, &length);
    }
    bh_snapshot_free(snapshot);
    if (status != BH_OK) {
        return fail(error, status, "%s: no snapshot: %s", path, bh_status_name(status));
    }
    status = stage_file(path, file, length, &staged, error);
    if (status == BH_OK) {
        status = commit_file(&staged, error);
    }
    discard_file(&staged);
    free(file);
    return status;
}

/* Reading. */

/* *bytes is null unless the result is BH_OK. */
static enum bh_status read_whole(const char *path, uint8_t **bytes, size_t *size, struct bh_error *error)
{
    struct stat about;
    *bytes = NULL;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &about) != 0) {
        int why = errno;
        if (file) {
            fclose(file);
        }
        return fail(error, BH_ERROR_IO, "%s: %s", path, strerror(why));
    }
    if (!S_ISREG(about.st_mode)) {
        fclose(file);
        return fail(error, BH_ERROR_IO, "%s: is no regular file", path);
    }
    *size = (size_t)about.st_size;
    uint8_t *all = malloc(*size + 1);
    size_t got = all ? fread(all, 1, *size, file) : 0;
    bool failed = ferror(file) != 0;
    fclose(file);
    if (all && got == *size) {
        *bytes = all;
        return BH_OK;
    }
    free(all);
    return !all     ? fail(error, BH_ERROR_MEMORY, "%s: too large for this machine's memory", path)
           : failed ? fail(error, BH_ERROR_IO, "%s: %s", path, strerror(EIO))
                    : fail(error, BH_ERROR_IO, "%s: became shorter while it was read", path);
}

/* What is wrong with a file, but for what is compressed in it; null: nothing. */
static const char *wrong_with(const uint8_t *bytes, size_t size, struct header *header, char *text, size_t room)
{
    if (size < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0) {
        return size < sizeof magic && memcmp(bytes, magic, size) == 0 ? "it is truncated: its header is cut off"
                                                                      : "it is no snapshot";
    }
    if (size < sizeof *header) {
        return "it is truncated: its header is cut off";
    }
    memcpy(header, bytes, sizeof *header);
    if (header->version != SNAPSHOT_VERSION) {
        snprintf(text, room, "it is of version %u of the format; this is a bhemu of version %d", header->version,
                 SNAPSHOT_VERSION);
        return text;
    }
    if (size - sizeof *header < header->frame) {
        return "it is truncated";
    }
    if (size - sizeof *header > header->frame) {
        return "there is more behind its end";
    }
    if (header->hash != hash_of(header, bytes + sizeof *header)) {
        return "it was altered: its checksum is another one";
    }
    if (header->layout != snapshot_layout()) {
        return "it is of a bhemu that lays out a device's state otherwise";
    }
    return NULL;
}

static enum bh_status decompress(const struct header *header, const uint8_t *frame, struct snapshot_content *content,
                                 const char **why)
{
    uint64_t size = header->device + header->job;
    *why = "what is compressed in it does not have the size that it says";
    if (size < header->device || ZSTD_getFrameContentSize(frame, header->frame) != size) {
        return BH_ERROR_FORMAT;
    }
    *content = (struct snapshot_content){malloc(size + 1), header->device, header->job};
    if (!content->bytes) {
        *why = "there is no memory for what is compressed in it";
        return BH_ERROR_MEMORY;
    }
    if (ZSTD_decompress(content->bytes, size, frame, header->frame) != size) {
        free(content->bytes);
        content->bytes = NULL;
        return BH_ERROR_FORMAT;
    }
    return BH_OK;
}

enum bh_status snapshot_file_read(const char *path, struct snapshot_content *content, struct bh_error *error)
{
    uint8_t *bytes;
    size_t size = 0;
    struct header header;
    char text[100];
    *content = (struct snapshot_content){};
    enum bh_status status = read_whole(path, &bytes, &size, error);
    if (!bytes) {
        return status;
    }
    const char *why = wrong_with(bytes, size, &header, text, sizeof text);
    status = why ? BH_ERROR_FORMAT : decompress(&header, bytes + sizeof header, content, &why);
    free(bytes);
    return status == BH_OK ? BH_OK : fail(error, status, "%s: is not restored: %s", path, why);
}

enum bh_status snapshot_content_restore(const struct snapshot_content *content, const char *path,
                                        struct bh_device *device, struct bh_error *error)
{
    const char *why;
    enum bh_status status = snapshot_load(device, content->bytes, content->device, &why);
    return status == BH_OK ? BH_OK : fail(error, status, "%s: is not restored: %s", path, why);
}

/* include/bhemu/snapshot.h */

enum bh_status bh_save(struct bh_device *device, const char *path, struct bh_error *error)
{
    return snapshot_file_write(path, device, NULL, 0, error);
}

enum bh_status bh_restore(struct bh_device *device, const char *path, struct bh_error *error)
{
    struct snapshot_content content;
    if (!device || !path) {
        return fail(error, BH_ERROR_ARGUMENT, "no device, or no path");
    }
    enum bh_status status = snapshot_file_read(path, &content, error);
    if (content.bytes) {
        status = snapshot_content_restore(&content, path, device, error);
        free(content.bytes);
    }
    return status;
}
