/* Comparing snapshots of devices, byte for byte but for padding within structs. */
#ifndef BHEMU_TESTS_SNAPSHOT_COMPARE_H
#define BHEMU_TESTS_SNAPSHOT_COMPARE_H

#include <stdlib.h>

#include "chip/snapshot/snapshot.h"
#include "noc/traffic.h"
#include "snapshot_layout.h"
#include "tile/tile.h"

/* Keep the structs in the debugging information. */
const struct tile_state *the_state;
const struct flight *the_flight;
const struct delivery *the_delivery;

/* Padding within structs has any value: it is made zero. */

static uint8_t of_state[sizeof(struct tile_state)], of_flight[sizeof(struct flight)],
    of_delivery[sizeof(struct delivery)];

static inline void note_member(void *context, const struct layout_leaf *leaf)
{
    memset((uint8_t *)context + leaf->offset, 0xff, leaf->size);
}

/* Call it once. Returns whether the structs were found. */
static inline bool snapshot_find_members(void)
{
    struct layout layout;
    bool found = layout_open(&layout) && layout_of(&layout, "tile_state", note_member, of_state) &&
                 layout_of(&layout, "flight", note_member, of_flight) &&
                 layout_of(&layout, "delivery", note_member, of_delivery);
    layout_close(&layout);
    return found;
}

enum { HEADER = 24, PAGE = 4096, ENTRY = 4 + PAGE };

static inline uint32_t number_at(const uint8_t *bytes)
{
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return number;
}

/* Which jumps are known not to poll makes no difference but to the time that the host takes. Behind the pages of a tile
   are its schedule and the like, then blocks of predecoded instructions: their number, bits of those that are
   predecoded, are plain, and were rewritten, caches, and a mark for each of the last. */
static inline void clean_code(uint8_t *behind, const uint8_t *end)
{
    const struct tile *tile = NULL;
    uint8_t *at = behind + sizeof(uint32_t) + sizeof tile->plain + sizeof tile->schedule + sizeof tile->ahead_until +
                  sizeof tile->unreported + sizeof tile->holds_pushes + sizeof tile->pushes_told + sizeof tile->passed +
                  sizeof tile->circles + sizeof tile->circle + sizeof tile->l1.flushes + sizeof tile->l1.flushed;
    while (at < end && number_at(at) < L1_CODE_BLOCKS) {
        uint64_t rewritten;
        memset(at + 4 + 8, 0, 8);
        memcpy(&rewritten, at + 4 + 16, sizeof rewritten);
        at += 4 + 24 + 1 + 8 * (unsigned)__builtin_popcountll(rewritten);
    }
}

/* Copies the state of a tile, pages and what is behind them, without pages that only have padding. */
static inline uint8_t *copy_tile(uint8_t *to, const uint8_t *from, uint64_t length)
{
    const uint8_t *end = from + length;
    for (; number_at(from) != UINT32_MAX; from += ENTRY) {
        bool any = false;
        memcpy(to, from, ENTRY);
        for (unsigned i = 0; i < PAGE; i++) {
            to[4 + i] &= of_state[(size_t)number_at(from) * PAGE + i];
            any |= to[4 + i] != 0;
        }
        to += any ? ENTRY : 0;
    }
    memcpy(to, from, (size_t)(end - from));
    clean_code(to, to + (end - from));
    return to + (end - from);
}

static inline uint8_t *mask(uint8_t *bytes, const uint8_t *members, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bytes[i] &= members[i];
    }
    return bytes + size;
}

/* Packets, each with its data; worms; lists of deliveries: for the device, for the network, and for each inbox. */
static inline void clean_traffic(uint8_t *at)
{
    at += sizeof(uint64_t); /* traffic.done */
    uint32_t count = number_at(at);
    at += sizeof count;
    for (uint32_t i = 0; i < count; i++) {
        at = mask(at, of_flight, sizeof of_flight);
        at += number_at(at - sizeof of_flight + offsetof(struct flight, bytes));
    }
    at += sizeof count + number_at(at) * sizeof(struct worm);
    for (unsigned list = 0; list < 3 + NETWORK_INITIATORS; list++) {
        count = number_at(at);
        at += sizeof count;
        for (uint32_t i = 0; i < count; i++) {
            at = mask(at, of_delivery, sizeof of_delivery);
        }
    }
}

static inline void clean(struct bh_snapshot *snapshot)
{
    uint8_t *made = malloc(snapshot->size), *to = made;
    for (size_t at = 0; at < snapshot->size;) {
        const uint8_t *section = snapshot->bytes + at;
        uint64_t length;
        memcpy(&length, section + HEADER - sizeof length, sizeof length);
        memcpy(to, section, HEADER);
        uint8_t *end = to + HEADER;
        if (!strncmp((const char *)section, "tensix", 6)) {
            end = copy_tile(end, section + HEADER, length);
        } else {
            memcpy(end, section + HEADER, length);
            if (!strcmp((const char *)section, "traffic")) {
                clean_traffic(end);
            }
            end += length;
        }
        uint64_t left = (uint64_t)(end - to) - HEADER;
        memcpy(to + HEADER - sizeof left, &left, sizeof left);
        to = end;
        at += HEADER + length;
    }
    free(snapshot->bytes);
    snapshot->bytes = made;
    snapshot->size = (size_t)(to - made);
}

/* Where a byte of a snapshot is: the section, and in a tile's state the offset. */
static inline void find(const struct bh_snapshot *snapshot, size_t at, char *text, size_t size)
{
    const uint8_t *section = snapshot->bytes;
    uint64_t length;
    for (;; section += HEADER + length) {
        memcpy(&length, section + HEADER - sizeof length, sizeof length);
        if (snapshot->bytes + at < section + HEADER + length) {
            break;
        }
    }
    size_t offset = (size_t)(snapshot->bytes + at - section - HEADER);
    const uint8_t *page = section + HEADER;
    while (!strncmp((const char *)section, "tensix", 6) && number_at(page) != UINT32_MAX &&
           page + ENTRY <= snapshot->bytes + at) {
        page += ENTRY;
    }
    snprintf(text, size, "section %s, byte 0x%zx: 0x%zx of page 0x%x of a tile's state, or of what is behind",
             (const char *)section, offset, (size_t)(snapshot->bytes + at - page) - 4, number_at(page));
}

/* Changes both. *text becomes where they differ. */
static inline bool snapshots_are_same(struct bh_snapshot *a, struct bh_snapshot *b, char *text, size_t room)
{
    clean(a);
    clean(b);
    size_t at = 0, size = a->size < b->size ? a->size : b->size;
    while (at < size && a->bytes[at] == b->bytes[at]) {
        at++;
    }
    if (a->size != b->size || at < size) {
        find(a, at, text, room);
        return false;
    }
    return true;
}

#endif
