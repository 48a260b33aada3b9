#include "watch/profile_tables.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

static uint32_t mix(uint32_t hash, uint32_t value)
{
    hash = (hash ^ value) * 0x9e3779b1u;
    return hash ^ hash >> 15;
}

static uint32_t site_hash(uint32_t pc, uint32_t program, uint32_t opcode)
{
    return mix(mix(mix(0, pc), opcode), program);
}

static uint32_t waiting_hash(uint32_t pc, uint32_t program, struct bh_wait wait)
{
    return mix(mix(mix(mix(0, pc), wait.reason), wait.detail), program);
}

/* Room for one entry more: entries have half as much room as there are slots. Returns whether slots have to be filled
   anew. false in *room: there is none. */
static bool make_room(void **entries, size_t size, uint32_t **slots, uint32_t count, uint32_t *mask, bool *room)
{
    uint32_t now = *slots ? *mask + 1 : 0;
    *room = true;
    if (count < now / 2) {
        return false;
    }
    uint32_t wanted = now ? now * 2 : FIRST_SLOTS;
    *room = count < PROFILE_PLACES;
    void *more = *room ? realloc(*entries, wanted / 2 * size) : NULL;
    *entries = more ? more : *entries;
    uint32_t *fresh = more ? calloc(wanted, sizeof *fresh) : NULL;
    if (!fresh) {
        *room = false;
        return false;
    }
    free(*slots);
    *slots = fresh;
    *mask = wanted - 1;
    return true;
}

static void put(uint32_t *slots, uint32_t mask, uint32_t hash, uint32_t index)
{
    while (slots[hash & mask]) {
        hash++;
    }
    slots[hash & mask] = index + 1;
}

static uint32_t opcode_of(uint32_t word, bool by_opcode)
{
    return by_opcode ? word >> 24 : 0;
}

uint32_t profile_site_of(struct profile_sites *sites, struct profile_place place, bool by_opcode)
{
    uint32_t opcode = opcode_of(place.word, by_opcode), hash = site_hash(place.pc, place.program, opcode);
    for (uint32_t slot = hash; sites->slots && sites->slots[slot & sites->mask]; slot++) {
        uint32_t index = sites->slots[slot & sites->mask] - 1;
        if (sites->of[index].pc == place.pc && sites->of[index].program == place.program &&
            opcode_of(sites->of[index].word, by_opcode) == opcode) {
            return index;
        }
    }
    bool room;
    if (make_room((void **)&sites->of, sizeof *sites->of, &sites->slots, sites->count, &sites->mask, &room)) {
        for (uint32_t i = 0; i < sites->count; i++) {
            const struct profile_site *site = &sites->of[i];
            put(sites->slots, sites->mask, site_hash(site->pc, site->program, opcode_of(site->word, by_opcode)), i);
        }
    }
    if (!room) {
        return UINT32_MAX;
    }
    put(sites->slots, sites->mask, hash, sites->count);
    sites->of[sites->count] = (struct profile_site){.pc = place.pc, .word = place.word, .program = place.program};
    return sites->count++;
}

uint32_t profile_waiting_of(struct profile_waits *waits, struct profile_place place, struct bh_wait wait)
{
    uint32_t hash = waiting_hash(place.pc, place.program, wait);
    for (uint32_t slot = hash; waits->slots && waits->slots[slot & waits->mask]; slot++) {
        uint32_t index = waits->slots[slot & waits->mask] - 1;
        const struct profile_waiting *there = &waits->of[index];
        if (there->pc == place.pc && there->program == place.program && there->wait.reason == wait.reason &&
            there->wait.detail == wait.detail) {
            return index;
        }
    }
    bool room;
    if (make_room((void **)&waits->of, sizeof *waits->of, &waits->slots, waits->count, &waits->mask, &room)) {
        for (uint32_t i = 0; i < waits->count; i++) {
            put(waits->slots, waits->mask, waiting_hash(waits->of[i].pc, waits->of[i].program, waits->of[i].wait), i);
        }
    }
    if (!room) {
        return UINT32_MAX;
    }
    put(waits->slots, waits->mask, hash, waits->count);
    waits->of[waits->count] =
        (struct profile_waiting){.wait = wait, .pc = place.pc, .word = place.word, .program = place.program};
    return waits->count++;
}

void profile_sites_free(struct profile_sites *sites)
{
    free(sites->of);
    free(sites->slots);
}

void profile_waits_free(struct profile_waits *waits)
{
    free(waits->of);
    free(waits->slots);
}
