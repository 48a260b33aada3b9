#include "tile/rest.h"

#include "tile/handlers.h"

enum {
    FIRST_PATIENCE = 2,   /* turns between two attempts, doubled after each failed one */
    LAST_PATIENCE = 1024, /* keeps the cost of attempts small */
    SHORTEST_TURN = 64,   /* in cycles: shorter turns do not contain an idle loop twice */
    SHORT_REST = 2000,    /* in cycles: shorter rests cost more than they save */
    BUSY_PATIENCE = 64,   /* for a tile whose rests are short */
};

bool rest_due(struct tile_rest *rest, uint64_t cycles)
{
    if (rest->due > 0) {
        rest->due--;
        return false;
    }
    return cycles >= SHORTEST_TURN;
}

void rest_try(struct tile_rest *rest)
{
    uint16_t patience = rest->patience;
    *rest = (struct tile_rest){.patience = patience};
}

void rest_add(struct tile_rest *rest, unsigned core, const struct circle *circle)
{
    rest->circle[core] = circle->length;
    rest->code[core][0] = circle->first;
    rest->code[core][1] = circle->last;
    rest->any_access |= circle->any_access;
    for (unsigned i = 0; i < circle->words && i < CIRCLE_WORDS; i++) {
        circle_add_word(rest->looked_at, &rest->words, circle->word[i]);
    }
    if (circle->words > CIRCLE_WORDS) {
        rest->words = CIRCLE_WORDS + 1;
    }
}

static void wait_longer(struct tile_rest *rest, uint16_t most)
{
    uint16_t longer = rest->patience < FIRST_PATIENCE ? FIRST_PATIENCE : (uint16_t)(rest->patience * 2);
    rest->patience = longer < most ? longer : most;
}

void rest_tried(struct tile_rest *rest, bool found)
{
    rest->resting = found && rest_cores(rest) > 0;
    if (rest->resting || !rest->patience) {
        rest->patience = rest->patience ? rest->patience : FIRST_PATIENCE;
    } else {
        wait_longer(rest, LAST_PATIENCE);
    }
    rest->due = rest->patience;
}

void rest_ended(struct tile_rest *rest, uint64_t cycles)
{
    if (cycles >= SHORT_REST) {
        rest->patience = FIRST_PATIENCE;
    } else {
        wait_longer(rest, BUSY_PATIENCE);
    }
    rest->due = rest->patience;
}

unsigned rest_cores(const struct tile_rest *rest)
{
    unsigned cores = 0;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        cores += rest->circle[core] > 0;
    }
    return cores;
}

/* Whether [first, first + size) and the word at `address` share a byte. */
static bool reaches(uint64_t first, uint32_t size, uint32_t address)
{
    return address + 4 > first && address < first + size;
}

bool rest_disturbed(const struct tile_rest *rest, bool write, uint64_t address, uint32_t size)
{
    if (address >= L1_SIZE || rest->any_access) {
        return true;
    }
    if (!write) {
        return false;
    }
    if (rest->words > CIRCLE_WORDS) {
        return true;
    }
    for (unsigned i = 0; i < rest->words; i++) {
        if (reaches(address, size, rest->looked_at[i])) {
            return true;
        }
    }
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        if (rest->circle[core] && address < (uint64_t)rest->code[core][1] + 4 && address + size > rest->code[core][0]) {
            return true;
        }
    }
    return false;
}

/* Advances a core by `cycles`. Whole iterations of its idle loop change nothing; only the remainder is executed. */
static void catch_up(struct tile *tile, unsigned core, uint64_t cycles)
{
    struct tile_state *state = tile->state;
    uint32_t rest = (uint32_t)(cycles % state->rest.circle[core]);
    state->diagnostics.now.cycle = state->clock.now;
    (void)rv32_run(&tile->core[core], rest);
    state->core[core].instret += cycles - rest;
}

void tile_show(struct tile *tile, uint64_t cycles)
{
    struct tile_state *state = tile->state;
    struct tile_rest *rest = &state->rest;
    struct diagnostic_origin now = state->diagnostics.now; /* origin of the current access */
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        if (rest->circle[core]) {
            catch_up(tile, core, rest->behind + cycles);
        }
    }
    rest->rested += rest->behind + cycles;
    rest->behind = 0;
    clock_begin(&state->clock, state->clock.now);
    state->diagnostics.now = now;
}

void tile_wake(struct tile *tile, uint64_t cycles)
{
    struct tile_rest *rest = &tile->state->rest;
    if (rest->resting) {
        rest->resting = false;
        tile_show(tile, cycles);
        rest_ended(rest, rest->rested);
    }
}
