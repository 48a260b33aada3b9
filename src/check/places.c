/* Places of accesses, each kept once. */
#include <stdlib.h>

#include "check/checker.h"

enum { FIRST_SLOTS = 4096, MOST_PLACES = 1 << 20 };

static uint32_t hash_of(const struct check_known_place *place)
{
    uint64_t hash = place->pc * 0x9e3779b97f4a7c15u ^ place->word;
    hash =
        (hash ^ place->tile << 8 ^ (uint64_t)place->agent << 32 ^ (uint64_t)place->index << 40) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash >> 32);
}

static bool same(const struct check_known_place *a, const struct check_known_place *b)
{
    return a->tile == b->tile && a->pc == b->pc && a->word == b->word && a->agent == b->agent && a->index == b->index;
}

/* The place's entry of the table, or the free one where it belongs. */
static uint32_t *slot_of(struct bh_check *check, const struct check_known_place *place)
{
    uint32_t slot = hash_of(place) & (check->place_slots - 1);
    while (check->place_table[slot] && !same(&check->places[check->place_table[slot]], place)) {
        slot = (slot + 1) & (check->place_slots - 1);
    }
    return &check->place_table[slot];
}

/* Room for twice as many. */
static bool grow(struct bh_check *check)
{
    uint32_t slots = check->place_slots ? 2 * check->place_slots : FIRST_SLOTS;
    struct check_known_place *places = realloc(check->places, slots / 2 * sizeof *places);
    check->places = places ? places : check->places;
    uint32_t *table = calloc(slots, sizeof *table);
    if (!places || !table) {
        free(table);
        return false;
    }
    free(check->place_table);
    check->place_table = table;
    check->place_slots = slots;
    check->place_room = slots / 2;
    check->place_count = check->place_count ? check->place_count : 1;
    for (uint32_t i = 1; i < check->place_count; i++) {
        *slot_of(check, &check->places[i]) = i;
    }
    return true;
}

uint32_t check_find_place(struct bh_check *check, const struct bh_event *event)
{
    struct check_known_place place = {.tile = event->place_y * CHECK_GRID + event->place_x,
                                      .pc = event->place.pc,
                                      .word = event->instruction,
                                      .agent = (uint8_t)event->place.agent,
                                      .index = event->place.index,
                                      .cycle = event->cycle};
    if (check->place_count >= check->place_room && (check->place_count >= MOST_PLACES || !grow(check))) {
        check->failed = true;
        return 0;
    }
    uint32_t *slot = slot_of(check, &place);
    if (!*slot) {
        *slot = check->place_count++;
    }
    check->places[*slot] = place;
    check->latest_place = *slot;
    return *slot;
}

struct bh_check_place check_place(const struct bh_check *check, uint32_t number)
{
    const struct check_known_place *place = &check->places[number];
    return (struct bh_check_place){
        .x = (uint8_t)(place->tile % CHECK_GRID),
        .y = (uint8_t)(place->tile / CHECK_GRID),
        .place = {.agent = (enum bh_agent)place->agent, .index = place->index, .pc = place->pc},
        .instruction = place->word,
        .cycle = place->cycle};
}
