/* The result of a profile: source lines of what was executed, and everything in order. */
#include <stdlib.h>
#include <string.h>

#include "isa/rv32_text.h"
#include "isa/tensix_table.h"
#include "isa/tensix_text.h"
#include "util/bits.h"
#include "watch/profile_state.h"
#include "watch/profile_waits.h"

enum { TEXT_SIZE = 1200, FIRST_SLOTS = 1024 };

/* Texts, each of which is kept once. */

struct texts {
    struct bh_profile *profile; /* which owns them */
    uint32_t *slots;            /* 0: free; else 1 + index */
    uint32_t mask;
};

static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261u;
    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    }
    return hash;
}

static bool more_slots(struct texts *texts)
{
    struct bh_profile *profile = texts->profile;
    uint32_t wanted = texts->slots ? (texts->mask + 1) * 2 : FIRST_SLOTS;
    uint32_t *slots = calloc(wanted, sizeof *slots);
    char **kept = realloc(profile->texts, wanted / 2 * sizeof *kept);
    profile->texts = kept ? kept : profile->texts;
    if (!slots || !kept) {
        free(slots);
        return false;
    }
    free(texts->slots);
    texts->slots = slots;
    texts->mask = wanted - 1;
    for (uint32_t i = 0; i < profile->text_count; i++) {
        uint32_t slot = hash_of(profile->texts[i]);
        while (slots[slot & texts->mask]) {
            slot++;
        }
        slots[slot & texts->mask] = i + 1;
    }
    return true;
}

/* The kept copy; null: no memory. */
static const char *keep(struct texts *texts, const char *text)
{
    struct bh_profile *profile = texts->profile;
    if ((!texts->slots || profile->text_count >= (texts->mask + 1) / 2) && !more_slots(texts)) {
        profile->failed = true;
        return NULL;
    }
    uint32_t slot = hash_of(text);
    for (; texts->slots[slot & texts->mask]; slot++) {
        const char *there = profile->texts[texts->slots[slot & texts->mask] - 1];
        if (strcmp(there, text) == 0) {
            return there;
        }
    }
    char *copy = strdup(text);
    if (!copy) {
        profile->failed = true;
        return NULL;
    }
    profile->texts[profile->text_count++] = copy;
    texts->slots[slot & texts->mask] = profile->text_count;
    return copy;
}

/* Source lines: tiles of a group have the same programs, so that each place is looked up once. */

struct known {
    uint32_t group, pc;
    uint8_t agent, used;
    const char *source;
};

struct lookup {
    struct bh_profile *profile;
    struct texts texts;
    struct known *known;
    uint32_t count, mask;
};

static struct known *place_of(struct known *all, uint32_t mask, uint32_t group, uint8_t agent, uint32_t pc)
{
    uint32_t slot = (pc * 0x9e3779b1u ^ group * 0x85ebca6bu ^ agent * 0xc2b2ae35u);
    slot ^= slot >> 15;
    for (;; slot++) {
        struct known *known = &all[slot & mask];
        if (!known->used || (known->group == group && known->agent == agent && known->pc == pc)) {
            return known;
        }
    }
}

static bool more_known(struct lookup *lookup)
{
    uint32_t wanted = lookup->known ? (lookup->mask + 1) * 2 : FIRST_SLOTS;
    struct known *more = calloc(wanted, sizeof *more);
    if (!more) {
        lookup->profile->failed = true;
        return false;
    }
    for (uint32_t i = 0; lookup->known && i <= lookup->mask; i++) {
        const struct known *known = &lookup->known[i];
        if (known->used) {
            *place_of(more, wanted - 1, known->group, known->agent, known->pc) = *known;
        }
    }
    free(lookup->known);
    lookup->known = more;
    lookup->mask = wanted - 1;
    return true;
}

static const char *find_source(struct lookup *lookup, const struct profile_tile *tile, uint32_t program, unsigned agent,
                               uint32_t pc)
{
    const struct bh_profile_options *options = &lookup->profile->options;
    char text[TEXT_SIZE];
    const struct bh_place place = profile_place_at(agent, pc);
    bool found = options->program_source
                     ? options->program_source(options->context, program, &place, text, sizeof text)
                     : options->source(options->context, tile->sums.x, tile->sums.y, &place, text, sizeof text);
    return found ? keep(&lookup->texts, text) : NULL;
}

/* group: of the tile; where programs are told apart, it is the program that counts. */
static const char *source_of(struct lookup *lookup, const struct profile_tile *tile, uint32_t group, uint32_t program,
                             unsigned agent, uint32_t pc)
{
    const struct bh_profile_options *options = &lookup->profile->options;
    if ((!options->source && !options->program_source) ||
        ((!lookup->known || lookup->count > lookup->mask / 2) && !more_known(lookup))) {
        return NULL;
    }
    group = options->program_source ? program : group;
    struct known *known = place_of(lookup->known, lookup->mask, group, (uint8_t)agent, pc);
    if (!known->used) {
        *known = (struct known){.group = group, .pc = pc, .agent = (uint8_t)agent, .used = true};
        known->source = find_source(lookup, tile, program, agent, pc);
        lookup->count++;
    }
    return known->source;
}

/* Stacks. */

static bool add_stacks(struct profile_stacks *stacks, struct lookup *lookup, const struct profile_tile *tile,
                       uint32_t group)
{
    size_t more = 0;
    for (unsigned agent = 0; agent < BH_PROFILE_AGENTS; agent++) {
        more += tile->agent[agent].sites.count;
    }
    struct profile_stack *of = realloc(stacks->of, (stacks->count + more + 1) * sizeof *of);
    if (!of) {
        return false;
    }
    stacks->of = of;
    for (unsigned agent = 0; agent < BH_PROFILE_AGENTS; agent++) {
        const struct profile_sites *sites = &tile->agent[agent].sites;
        for (uint32_t i = 0; i < sites->count; i++) {
            const struct profile_site *site = &sites->of[i];
            if (!profile_shows(lookup->profile, agent, site->word)) {
                continue;
            }
            of[stacks->count++] =
                (struct profile_stack){.x = tile->sums.x,
                                       .y = tile->sums.y,
                                       .agent = (uint8_t)agent,
                                       .source = source_of(lookup, tile, group, site->program, agent, site->pc),
                                       .pc = site->pc,
                                       .word = site->word,
                                       .count = site->count,
                                       .running = site->running,
                                       .waiting = site->waiting};
        }
    }
    return true;
}

/* Lines. */

/* "function (file:line)" of the innermost function, in two. */
static void split(struct texts *texts, const char *source, struct bh_profile_line *line)
{
    const char *end = strstr(source, "), in "), *bracket;
    size_t length = end ? (size_t)(end - source) : strlen(source);
    length -= !end && length && source[length - 1] == ')';
    char text[TEXT_SIZE];
    (void)snprintf(text, sizeof text, "%.*s", (int)length, source);
    bracket = strstr(text, " (");
    line->line = keep(texts, bracket ? bracket + 2 : "");
    text[bracket ? (size_t)(bracket - text) : length < TEXT_SIZE ? length : TEXT_SIZE - 1] = 0;
    line->function = keep(texts, text);
}

static void name_instruction(struct texts *texts, const struct profile_stack *stack, struct bh_profile_line *line)
{
    char text[TENSIX_TEXT_SIZE], address[24];
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)(stack->word >> 24));
    if (!profile_is_thread(stack->agent)) {
        rv32_disassemble(stack->word, stack->pc, text, sizeof text);
    } else {
        (void)snprintf(text, sizeof text, "%s", instruction ? instruction->name : "instruction");
    }
    (void)snprintf(address, sizeof address, "0x%08x", stack->pc);
    line->function = keep(texts, text);
    line->line = keep(texts, address);
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Texts that are kept once are compared by their addresses only for being the same. */
static int compare_texts(const char *a, const char *b)
{
    return a == b ? 0 : strcmp(a ? a : "", b ? b : "");
}

static int by_place(const void *left, const void *right)
{
    const struct bh_profile_line *a = left, *b = right;
    int order = compare(a->agent, b->agent);
    order = order ? order : compare_texts(a->line, b->line);
    order = order ? order : compare_texts(a->function, b->function);
    return order ? order : compare(a->pc, b->pc);
}

static int by_cycles(const void *left, const void *right)
{
    const struct bh_profile_line *a = left, *b = right;
    int order = -compare(a->running + a->waiting, b->running + b->waiting);
    order = order ? order : -compare(a->count, b->count);
    return order ? order : by_place(left, right);
}

static bool make_lines(struct bh_profile *profile, struct texts *texts)
{
    const struct profile_stacks *stacks = profile->stacks;
    struct bh_profile_line *lines = calloc(stacks->count + 1, sizeof *lines);
    if (!lines) {
        return false;
    }
    for (size_t i = 0; i < stacks->count; i++) {
        const struct profile_stack *stack = &stacks->of[i];
        lines[i] = (struct bh_profile_line){.agent = stack->agent,
                                            .pc = stack->pc,
                                            .count = stack->count,
                                            .running = stack->running,
                                            .waiting = stack->waiting};
        if (stack->source) {
            split(texts, stack->source, &lines[i]);
        } else {
            name_instruction(texts, stack, &lines[i]);
        }
    }
    qsort(lines, stacks->count, sizeof *lines, by_place);
    unsigned count = 0;
    for (size_t i = 0; i < stacks->count; i++) {
        struct bh_profile_line *last = count ? &lines[count - 1] : NULL;
        if (last && last->agent == lines[i].agent && last->line == lines[i].line &&
            last->function == lines[i].function) {
            last->count += lines[i].count;
            last->running += lines[i].running;
            last->waiting += lines[i].waiting;
        } else {
            lines[count++] = lines[i];
        }
    }
    qsort(lines, count, sizeof *lines, by_cycles);
    profile->result.lines = lines;
    profile->result.line_count = count;
    return true;
}

/* Waits. */

/* While they are added up: who ended them, too. */
struct wait_sum {
    struct bh_profile_wait wait;
    unsigned tile;
    uint64_t by[PROFILE_WAKERS];
};

static int same_wait(const void *left, const void *right)
{
    const struct bh_profile_wait *a = &((const struct wait_sum *)left)->wait,
                                 *b = &((const struct wait_sum *)right)->wait;
    int order = compare(a->agent, b->agent);
    order = order ? order : compare(a->wait.reason, b->wait.reason);
    order = order ? order : compare(a->wait.detail, b->wait.detail);
    order = order ? order : compare_texts(a->source, b->source);
    return order || (a->source && b->source) ? order : compare(a->pc, b->pc);
}

static int same_wait_by_tile(const void *left, const void *right)
{
    int order = same_wait(left, right);
    return order ? order : compare(((const struct wait_sum *)left)->tile, ((const struct wait_sum *)right)->tile);
}

static int longest_wait(const void *left, const void *right)
{
    const struct wait_sum *a = left, *b = right;
    int order = -compare(a->wait.cycles, b->wait.cycles);
    order = order ? order : -compare(a->wait.count, b->wait.count);
    return order ? order : same_wait(left, right);
}

static struct bh_place place_of_waker(const uint64_t by[PROFILE_WAKERS])
{
    unsigned most = PROFILE_BY_OTHERS;
    for (unsigned i = 0; i < PROFILE_WAKERS; i++) {
        most = by[i] > by[most] ? i : most;
    }
    if (by[most] == 0 || most == PROFILE_BY_OTHERS) {
        return (struct bh_place){.agent = BH_AGENT_HOST};
    }
    return most == PROFILE_BY_NIU ? (struct bh_place){.agent = BH_AGENT_NIU}
           : profile_is_thread(most)
               ? (struct bh_place){.agent = BH_AGENT_THREAD, .index = (uint8_t)(most - BH_PROFILE_CORES)}
               : (struct bh_place){.agent = BH_AGENT_CORE, .index = (uint8_t)most};
}

static size_t join_waits(struct wait_sum *sums, size_t all)
{
    size_t count = 0;
    for (size_t i = 0; i < all; i++) {
        if (count && same_wait(&sums[count - 1], &sums[i]) == 0) {
            struct wait_sum *last = &sums[count - 1];
            last->wait.tiles += last->tile != sums[i].tile;
            last->tile = sums[i].tile;
            last->wait.count += sums[i].wait.count;
            last->wait.cycles += sums[i].wait.cycles;
            last->wait.longest = sums[i].wait.longest > last->wait.longest ? sums[i].wait.longest : last->wait.longest;
            for (unsigned by = 0; by < PROFILE_WAKERS; by++) {
                last->by[by] += sums[i].by[by];
            }
        } else {
            sums[count++] = sums[i];
        }
    }
    return count;
}

static size_t collect_waits(const struct profile_tile *tile, struct lookup *lookup, uint32_t group,
                            struct wait_sum *sums)
{
    size_t count = 0;
    for (unsigned agent = 0; agent < BH_PROFILE_AGENTS; agent++) {
        const struct profile_waits *waits = &tile->agent[agent].all_waits;
        for (uint32_t i = 0; i < waits->count; i++) {
            const struct profile_waiting *of = &waits->of[i];
            if (!of->count || !profile_shows(lookup->profile, agent, of->word)) {
                continue;
            }
            if (sums) {
                sums[count].wait =
                    (struct bh_profile_wait){.agent = (uint8_t)agent,
                                             .wait = of->wait,
                                             .pc = of->pc,
                                             .word = of->word,
                                             .tiles = 1,
                                             .count = of->count,
                                             .cycles = of->cycles,
                                             .longest = of->longest,
                                             .source = source_of(lookup, tile, group, of->program, agent, of->pc)};
                sums[count].tile = (unsigned)tile->sums.y * PROFILE_GRID_X + tile->sums.x;
                memcpy(sums[count].by, of->by, sizeof of->by);
            }
            count++;
        }
    }
    return count;
}

static bool finish_waits(struct bh_profile *profile, struct texts *texts, struct wait_sum *sums, size_t all)
{
    size_t count = 0;
    if (all) {
        qsort(sums, all, sizeof *sums, same_wait_by_tile);
        count = join_waits(sums, all);
        qsort(sums, count, sizeof *sums, longest_wait);
    }
    struct bh_profile_wait *waits = calloc(count + 1, sizeof *waits);
    if (!waits) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        char text[200];
        waits[i] = sums[i].wait;
        waits[i].awaited = place_of_waker(sums[i].by);
        profile_describe_wait(&waits[i], text, sizeof text);
        waits[i].text = keep(texts, text);
    }
    profile->result.waits = waits;
    profile->result.wait_count = (unsigned)count;
    return true;
}

/* Tiles. */

static void add_bytes(struct bh_profile_bytes *sum, const struct bh_profile_bytes *more, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        sum[i].read += more[i].read;
        sum[i].written += more[i].written;
    }
}

static void add_tile(struct bh_profile_tile *sum, const struct bh_profile_tile *tile)
{
    for (unsigned i = 0; i < BH_PROFILE_AGENTS; i++) {
        sum->agent[i].instructions += tile->agent[i].instructions;
        for (unsigned state = 0; state < BH_PROFILE_STATES; state++) {
            sum->agent[i].cycles[state] += tile->agent[i].cycles[state];
        }
    }
    for (unsigned i = 0; i < BH_UNITS; i++) {
        sum->unit[i].instructions += tile->unit[i].instructions;
        sum->unit[i].cycles += tile->unit[i].cycles;
    }
    for (unsigned i = 0; i < COUNT_OF(sum->phase); i++) {
        sum->phase[i] += tile->phase[i];
    }
    sum->unpacker_cycles[0] += tile->unpacker_cycles[0];
    sum->unpacker_cycles[1] += tile->unpacker_cycles[1];
    sum->mvmul += tile->mvmul;
    sum->flop += tile->flop;
    sum->flop_instructions += tile->flop_instructions;
    sum->vector_flop += tile->vector_flop;
    add_bytes(sum->l1_traffic, tile->l1_traffic, BH_AGENTS);
    add_bytes(sum->unpacker, tile->unpacker, COUNT_OF(sum->unpacker));
    add_bytes(sum->noc, tile->noc, COUNT_OF(sum->noc));
}

/* What the profile is not about. */
static void leave_out(const struct bh_profile *profile, struct bh_profile_tile *tile)
{
    for (unsigned agent = 0; agent < BH_PROFILE_AGENTS; agent++) {
        if (!profile_shows_agent(profile, agent)) {
            tile->agent[agent] = (struct bh_profile_agent){};
        }
    }
    for (unsigned unit = 0; unit < BH_UNITS; unit++) {
        if (!profile_shows_unit(profile, unit)) {
            tile->unit[unit] = (struct bh_profile_unit){};
        }
    }
}

static void count_instructions(struct bh_profile_result *result)
{
    for (unsigned i = 0; i < BH_PROFILE_AGENTS; i++) {
        uint64_t *count = profile_is_thread(i) ? &result->tensix_instructions : &result->riscv_instructions;
        *count += result->total.agent[i].instructions;
    }
}

static bool collect(struct bh_profile *profile, struct lookup *lookup, struct bh_profile_tile *tiles,
                    struct wait_sum **sums, size_t *wait_count)
{
    for (unsigned i = 0; i < PROFILE_GRID_X * PROFILE_GRID_Y; i++) {
        const struct profile_tile *tile = profile->tiles[i / PROFILE_GRID_X][i % PROFILE_GRID_X];
        if (!tile) {
            continue;
        }
        const struct bh_profile_options *options = &profile->options;
        uint32_t group = options->group ? options->group(options->context, tile->sums.x, tile->sums.y) : 0;
        size_t more = collect_waits(tile, lookup, group, NULL);
        struct wait_sum *grown = realloc(*sums, (*wait_count + more + 1) * sizeof *grown);
        *sums = grown ? grown : *sums;
        if (!grown || !add_stacks(profile->stacks, lookup, tile, group)) {
            return false;
        }
        *wait_count += collect_waits(tile, lookup, group, *sums + *wait_count);
        struct bh_profile_tile *shown = &tiles[profile->result.tile_count++];
        *shown = tile->sums;
        leave_out(profile, shown);
        add_tile(&profile->result.total, shown);
    }
    return true;
}

bool profile_conclude(struct bh_profile *profile)
{
    struct lookup lookup = {.profile = profile, .texts = {.profile = profile}};
    struct bh_profile_tile *tiles = calloc(PROFILE_GRID_X * PROFILE_GRID_Y, sizeof *tiles);
    struct wait_sum *sums = NULL;
    size_t wait_count = 0;
    profile->stacks = calloc(1, sizeof *profile->stacks);
    profile->result.tiles = tiles;
    bool done = tiles && profile->stacks && collect(profile, &lookup, tiles, &sums, &wait_count) &&
                make_lines(profile, &lookup.texts) && finish_waits(profile, &lookup.texts, sums, wait_count) &&
                !profile->failed;
    count_instructions(&profile->result);
    free(sums);
    free(lookup.known);
    free(lookup.texts.slots);
    return done;
}
