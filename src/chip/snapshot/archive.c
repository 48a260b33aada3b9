#include "chip/snapshot/archive.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE_BITS = 12 };

void archive_begin_save(struct archive *archive)
{
    memset(archive, 0, offsetof(struct archive, window));
    archive->page_map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
}

void archive_begin_load(struct archive *archive, const uint8_t *bytes, size_t size)
{
    memset(archive, 0, offsetof(struct archive, window));
    archive->loads = true;
    archive->bytes = (uint8_t *)bytes; /* only read */
    archive->size = size;
    archive->page_map = -1;
}

void archive_end(struct archive *archive)
{
    if (archive->page_map >= 0) {
        close(archive->page_map);
    }
    archive->page_map = -1;
}

void archive_wrong(struct archive *archive, const char *what)
{
    archive->wrong = archive->wrong ? archive->wrong : what;
}

void archive_no_memory(struct archive *archive)
{
    archive->no_memory |= !archive->wrong;
    archive_wrong(archive, "there is no memory for it");
}

static bool make_room(struct archive *archive, size_t size)
{
    if (size <= archive->room - archive->size) {
        return true;
    }
    size_t room = archive->room ? 2 * archive->room : 1 << 16;
    while (room - archive->size < size) {
        room *= 2;
    }
    uint8_t *bytes = realloc(archive->bytes, room);
    if (!bytes) {
        archive_no_memory(archive);
        return false;
    }
    archive->bytes = bytes;
    archive->room = room;
    return true;
}

void archive_raw(struct archive *archive, void *data, size_t size)
{
    if (!archive->loads) {
        if (!archive->wrong && make_room(archive, size)) {
            memcpy(archive->bytes + archive->size, data, size);
            archive->size += size;
        }
        return;
    }
    size_t end = archive->section ? archive->section_at : archive->size;
    if (!archive->wrong && size > end - archive->at) {
        archive_wrong(archive, "a section is shorter than what it is to have");
    }
    if (archive->wrong) {
        memset(data, 0, size);
        return;
    }
    memcpy(data, archive->bytes + archive->at, size);
    archive->at += size;
}

void archive_bytes(struct archive *archive, void *data, size_t size)
{
    if (archive->saved) {
        archive->saved(archive->context, data, size);
    }
    archive_raw(archive, data, size);
}

void archive_flag(struct archive *archive, bool *flag)
{
    uint8_t byte = *flag;
    if (archive->saved) {
        archive->saved(archive->context, flag, sizeof *flag);
    }
    ARCHIVE_RAW(archive, byte);
    if (byte > 1) {
        archive_wrong(archive, "a flag is neither set nor clear");
    }
    *flag = byte == 1;
}

uint32_t archive_number(struct archive *archive, uint32_t number, uint32_t limit)
{
    ARCHIVE_RAW(archive, number);
    if (archive->loads && number >= limit) {
        archive_wrong(archive, "a number is out of range");
        return 0;
    }
    return number;
}

/* Sections. */

void archive_section(struct archive *archive, const char *name)
{
    char text[ARCHIVE_NAME] = {0}, found[ARCHIVE_NAME];
    uint64_t length = 0;
    strncpy(text, name, sizeof text - 1);
    memcpy(found, text, sizeof found);
    archive_raw(archive, found, sizeof found);
    ARCHIVE_RAW(archive, length);
    if (archive->loads && !archive->wrong &&
        (memcmp(found, text, sizeof text) != 0 || length > archive->size - archive->at)) {
        archive_wrong(archive, "its sections are not those of a snapshot");
    }
    archive->section = name;
    archive->section_at = !archive->loads ? archive->size : archive->wrong ? archive->at : archive->at + length;
}

void archive_end_section(struct archive *archive)
{
    uint64_t length = archive->size - archive->section_at;
    if (!archive->loads && !archive->wrong) {
        memcpy(archive->bytes + archive->section_at - sizeof length, &length, sizeof length);
    } else if (archive->loads && !archive->wrong && archive->at != archive->section_at) {
        archive_wrong(archive, "a section is longer than what it is to have");
    }
    archive->section = NULL;
}

/* Memory. */

/* Whether the process may have written to a page since it was mapped: an entry of the page map has bit 63 if the page
   is in memory, and bit 62 if it is in swap space. */
static bool may_be_written(struct archive *archive, uint64_t page)
{
    if (archive->page_map < 0) {
        return true;
    }
    if (page - archive->window_first >= archive->window_count) {
        ssize_t got = pread(archive->page_map, archive->window, sizeof archive->window, (off_t)(page * 8));
        archive->window_first = page;
        archive->window_count = got > 0 ? (uint32_t)got / 8 : 0;
        if (archive->window_count == 0) {
            return true;
        }
    }
    return archive->window[page - archive->window_first] >> 62 != 0;
}

static bool is_zero(const uint8_t *data, size_t size)
{
    uint64_t any = 0, eight;
    size_t at = 0;
    for (; at + sizeof eight <= size; at += sizeof eight) {
        memcpy(&eight, data + at, sizeof eight);
        any |= eight;
    }
    for (; at < size; at++) {
        any |= data[at];
    }
    return any == 0;
}

static void save_memory(struct archive *archive, uint8_t *memory, size_t size)
{
    for (size_t at = 0; at < size && !archive->wrong; at += ARCHIVE_PAGE) {
        size_t length = size - at < ARCHIVE_PAGE ? size - at : ARCHIVE_PAGE;
        uint64_t first = (uintptr_t)(memory + at) >> PAGE_BITS,
                 last = (uintptr_t)(memory + at + length - 1) >> PAGE_BITS;
        bool written = may_be_written(archive, first) || (last != first && may_be_written(archive, last));
        if (written && !is_zero(memory + at, length)) {
            uint32_t index = (uint32_t)(at / ARCHIVE_PAGE);
            ARCHIVE_RAW(archive, index);
            archive_raw(archive, memory + at, length);
        }
    }
    uint32_t end = UINT32_MAX;
    ARCHIVE_RAW(archive, end);
}

static void load_memory(struct archive *archive, uint8_t *memory, size_t size)
{
    for (;;) {
        uint32_t index = 0;
        ARCHIVE_RAW(archive, index);
        size_t at = (size_t)index * ARCHIVE_PAGE;
        if (archive->wrong || index == UINT32_MAX) {
            return;
        }
        if (at >= size) {
            archive_wrong(archive, "it has memory beyond the end of a tile's");
            return;
        }
        archive_raw(archive, memory + at, size - at < ARCHIVE_PAGE ? size - at : ARCHIVE_PAGE);
    }
}

void archive_memory(struct archive *archive, void *memory, size_t size)
{
    if (archive->saved) {
        archive->saved(archive->context, memory, size);
    }
    if (archive->loads) {
        load_memory(archive, memory, size);
    } else {
        save_memory(archive, memory, size);
    }
}
