#include "chip/explain.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu/report.h"
#include "chip/quantum.h"
#include "tile/sight.h"
#include "tile/waits.h"
#include "util/text.h"

enum { LISTED = 8, LIST = 160, STOPPED_LISTED = 3, STOPPED_LINE = 300 };

/* Tiles that hang alike: the waits of the first, and the names of the others. */
struct alike {
    uint8_t x, y; /* of the first */
    struct waits waits;
    enum waits_root root;
    bool cores_only; /* Ethernet and DRAM tiles, whose firmware always runs */
    unsigned others;
    char list[LIST]; /* of the others, the first LISTED: "(2,2), (3,2)" */
};

struct explanation {
    struct alike alike[EXPLAINED_AT_ONCE];
    unsigned count;
    unsigned left; /* tiles with other reports, for which there is no place */
    unsigned looked_at, most;
    const uint64_t *without; /* null: all tiles are looked at */
};

static void add_other(struct alike *alike, unsigned x, unsigned y)
{
    struct text list = {.buffer = alike->list, .size = sizeof alike->list, .length = strlen(alike->list)};
    if (alike->others < LISTED) {
        text_add(&list, "%s(%u,%u)", alike->others ? ", " : "", x, y);
    }
    alike->others++;
}

/* Lines name cores, threads and addresses, but no tile. */
static void add(struct explanation *explanation, const struct diagnostics *of, const struct waits *waits,
                bool cores_only)
{
    for (unsigned i = 0; i < explanation->count; i++) {
        if (waits_alike(&explanation->alike[i].waits, waits)) {
            add_other(&explanation->alike[i], of->tile_x, of->tile_y);
            return;
        }
    }
    if (explanation->count == EXPLAINED_AT_ONCE) {
        explanation->left++;
        return;
    }
    unsigned node;
    explanation->alike[explanation->count++] = (struct alike){.x = of->tile_x,
                                                              .y = of->tile_y,
                                                              .waits = *waits,
                                                              .root = waits_find_root(waits, &node),
                                                              .cores_only = cores_only};
}

static bool is_to_be_explained(const struct tile *tile)
{
    return tile_active(tile) || tile_misses_code(tile);
}

/* Whether one is to be reported after the other: those with the strongest root first, Ethernet and DRAM tiles that run
   last; else in the order of the tiles. */
static bool comes_after(const struct alike *one, const struct alike *other)
{
    bool one_last = one->cores_only && one->root == ROOT_RUNS,
         other_last = other->cores_only && other->root == ROOT_RUNS;
    return one_last != other_last ? one_last : one->root > other->root;
}

static void order(struct explanation *explanation)
{
    for (unsigned i = 1; i < explanation->count; i++) {
        struct alike one = explanation->alike[i];
        unsigned at = i;
        for (; at && comes_after(&explanation->alike[at - 1], &one); at--) {
            explanation->alike[at] = explanation->alike[at - 1];
        }
        explanation->alike[at] = one;
    }
}

static void collect(struct bh_device *device, struct explanation *explanation)
{
    struct tile_sight sight;
    struct waits waits;
    device_show_all_resting(device);
    for (unsigned i = device_next_tile(device->ready, 0);
         i < TENSIX_TILES && explanation->looked_at < explanation->most; i = device_next_tile(device->ready, i + 1)) {
        const struct tile *tile = &device->tiles[i];
        bool left_out = explanation->without && explanation->without[i / 64] >> i % 64 & 1;
        if (is_to_be_explained(tile) && !left_out) {
            explanation->looked_at++;
            tile_see(tile, &sight);
            tile_explain(tile, &sight, &waits);
            add(explanation, &tile->state->diagnostics, &waits, false);
        }
    }
    for (uint64_t ready = device->ready_cores; ready && explanation->looked_at < explanation->most;
         ready &= ready - 1) {
        const struct core_tile *tile = device_core_tile(device, (unsigned)__builtin_ctzll(ready));
        if (core_tile_active(tile)) {
            explanation->looked_at++;
            core_tile_explain(tile, &waits);
            add(explanation, &tile->diagnostics, &waits, true);
        }
    }
    order(explanation);
}

/* Tiles that an error has stopped, of a device that goes on. */

/* The diagnostic that has stopped a tile; null: it is not among those that were kept. */
static const struct bh_diagnostic *error_of(const struct diagnostics *diagnostics)
{
    const struct bh_diagnostic *last = NULL;
    for (unsigned i = 0; i < DIAGNOSTICS_KEPT; i++) {
        const struct bh_diagnostic *entry = &diagnostics->entries[i];
        if (entry->action == BH_STOP && *entry->text && (!last || entry->cycle >= last->cycle)) {
            last = entry;
        }
    }
    return last;
}

/* "was stopped by an error: UndefinedBehavior, core T0 at 0x00001004: store by T0 at ..." */
static void write_error(const struct diagnostics *diagnostics, char *buffer, size_t size)
{
    const struct bh_diagnostic *error = error_of(diagnostics);
    struct text text = {.buffer = buffer, .size = size};
    text_add(&text, "was stopped by an error");
    if (!error) {
        return;
    }
    text_add(&text, ": %s", bh_category_name(error->category));
    if (error->agent == BH_AGENT_CORE) {
        text_add(&text, ", core %s at 0x%08x", bh_core_name((enum bh_core)error->index), error->pc);
    } else if (error->agent == BH_AGENT_THREAD) {
        text_add(&text, ", thread T%u at 0x%08x", error->index, error->pc);
    }
    text_add(&text, ": %.*s", (int)strcspn(error->text, "\n"), error->text);
}

/* The diagnostics of the next stopped tile, of DEVICE_TILES, from *index on; null: there is none. */
static const struct diagnostics *next_stopped(const struct bh_device *device, unsigned *index)
{
    for (; device->any_dead && *index < DEVICE_TILES; ++*index) {
        unsigned number = *index - TENSIX_TILES;
        bool tensix = *index < TENSIX_TILES;
        bool ready = tensix ? device->ready[*index / 64] >> *index % 64 & 1 : device_core_ready(device, number);
        const struct diagnostics *of = !ready   ? NULL
                                       : tensix ? &device->states[*index].diagnostics
                                                : &device_core_tile(device, number)->diagnostics;
        if (of && device_is_dead(device, of)) {
            return of;
        }
    }
    return NULL;
}

/* Whether somebody outside of the tile may end one of its waits. */
static bool waits_for_others(const struct waits *waits)
{
    for (unsigned node = 0; node < WAIT_NODES; node++) {
        if (waits->node[node].here && waits->node[node].outside) {
            return true;
        }
    }
    return false;
}

/* Stopped tiles end no wait: where somebody may wait for them, they are named. */
static void write_stopped(const struct bh_device *device, struct text *text)
{
    const struct diagnostics *of;
    unsigned listed = 0, more = 0;
    for (unsigned index = 0; (of = next_stopped(device, &index)); index++) {
        char error[STOPPED_LINE];
        if (listed == STOPPED_LISTED) {
            more++;
            continue;
        }
        listed++;
        write_error(of, error, sizeof error);
        text_add(text, "\n  tile (%u,%u) %s", of->tile_x, of->tile_y, error);
    }
    if (more) {
        text_add(text, "\n  %u more tile%s stopped by errors", more, more == 1 ? " was" : "s were");
    }
}

/* Nobody waits but the host, for a tile that was stopped. */
static void deliver_stopped(const struct bh_device *device)
{
    unsigned index = 0, more = 0;
    const struct diagnostics *of = next_stopped(device, &index);
    struct bh_diagnostic diagnostic = {
        .category = BH_DEADLOCK, .action = BH_WARN, .agent = BH_AGENT_HOST, .cycle = device->clock};
    if (!of) {
        return;
    }
    struct text text = {.buffer = diagnostic.text, .size = sizeof diagnostic.text};
    diagnostic.tile_x = of->tile_x;
    diagnostic.tile_y = of->tile_y;
    write_error(of, diagnostic.text, STOPPED_LINE);
    text.length = strlen(diagnostic.text);
    for (index++; next_stopped(device, &index); index++) {
        more++;
    }
    if (more) {
        text_add(&text, "\n  %u more tile%s stopped by errors", more, more == 1 ? " was" : "s were");
    }
    device->config.on_diagnostic(device->config.context, &diagnostic);
}

/* What is said of other tiles; the end of the report is cut off if there is no room. */
static void write_others(const struct bh_device *device, const struct explanation *explanation,
                         const struct alike *alike, char *buffer, unsigned size)
{
    struct text text = {.buffer = buffer, .size = size};
    const char *line = "\n  ";
    if (alike->others) {
        text_add(&text, "%s%u more tile%s like (%u,%u): %s%s", line, alike->others, alike->others == 1 ? "" : "s",
                 alike->x, alike->y, alike->list, alike->others > LISTED ? ", ..." : "");
    }
    if (explanation->left && alike == &explanation->alike[explanation->count - 1]) {
        text_add(&text, "%s%u more tile%s in other ways", line, explanation->left, explanation->left == 1 ? "" : "s");
    }
    if (waits_for_others(&alike->waits)) {
        write_stopped(device, &text);
    }
}

static void deliver(const struct bh_device *device, const struct explanation *explanation, const struct alike *alike,
                    enum bh_action action)
{
    struct bh_diagnostic diagnostic = {
        .category = BH_DEADLOCK,
        .action = action,
        .tile_x = alike->x,
        .tile_y = alike->y,
        .agent = BH_AGENT_HOST,
        .cycle = device->clock,
        .places_count = alike->waits.count,
    };
    char others[LIST + 200 + STOPPED_LISTED * (STOPPED_LINE + 30)] = "";
    struct text text = {.buffer = diagnostic.text, .size = sizeof diagnostic.text};
    waits_write(&alike->waits, &text, diagnostic.places, diagnostic.lines);
    write_others(device, explanation, alike, others, sizeof others);
    size_t most = sizeof diagnostic.text - 1 - strlen(others);
    memcpy(diagnostic.text + (text.length < most ? text.length : most), others, strlen(others) + 1);
    device->config.on_diagnostic(device->config.context, &diagnostic);
}

static void explain(struct bh_device *device, enum bh_action action, unsigned most, const uint64_t *without)
{
    struct explanation *explanation = device->config.on_diagnostic ? calloc(1, sizeof *explanation) : NULL;
    if (!explanation) {
        return;
    }
    explanation->most = most;
    explanation->without = without;
    collect(device, explanation);
    device_look(device);
    for (unsigned i = 0; i < explanation->count; i++) {
        deliver(device, explanation, &explanation->alike[i], action);
    }
    if (!explanation->looked_at) {
        deliver_stopped(device);
    }
    free(explanation);
}

void device_explain(struct bh_device *device, enum bh_action action, unsigned most)
{
    explain(device, action, most, NULL);
}

void device_report(struct bh_device *device, const uint64_t without[DEVICE_BITMAP_WORDS])
{
    device_show_all(device);
    (void)device_any_active(device);
    explain(device, BH_WARN, EXPLAINED_TILES, without);
}

/* The next tile from `from` on where a core does anything but wait, or go round in a loop that changes nothing. */
static unsigned next_computing(struct bh_device *device, unsigned from)
{
    struct tile_sight sight;
    for (unsigned i = device_next_tile(device->ready, from); i < TENSIX_TILES;
         i = device_next_tile(device->ready, i + 1)) {
        if (tile_active(&device->tiles[i])) {
            tile_see(&device->tiles[i], &sight);
            if (sight.computes) {
                return i;
            }
        }
    }
    return TENSIX_TILES;
}

bool device_only_waits(struct bh_device *device)
{
    device_show_all(device);
    device_show_all_resting(device);
    return next_computing(device, 0) == TENSIX_TILES;
}

static uint64_t hash_words(uint64_t hash, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += sizeof hash) {
        uint64_t word;
        memcpy(&word, bytes + at, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

uint64_t device_changes(struct bh_device *device)
{
    uint64_t hash = 0;
    device_show_all(device);
    for (unsigned i = next_computing(device, 0); i < TENSIX_TILES; i = next_computing(device, i + 1)) {
        const struct tile *tile = &device->tiles[i];
        hash = hash_words(hash + i, l1_peek(&tile->l1, 0), L1_SIZE);
        hash = hash_words(hash, tile->state->local_rams, sizeof tile->state->local_rams);
    }
    return hash;
}

/* The graph, in the language of Graphviz. */

struct graph {
    void (*write)(void *context, const char *text);
    void *context;
};

static void __attribute__((format(printf, 2, 3))) put(const struct graph *graph, const char *format, ...)
{
    char buffer[1200];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    graph->write(graph->context, buffer);
}

/* The parts of a line between ", ", each on a line of its own. */
static void put_label(const struct graph *graph, const char *line)
{
    for (const char *part = line; *part;) {
        const char *end = strstr(part, ", ");
        size_t length = end ? (size_t)(end - part) : strlen(part);
        put(graph, "%s%.*s", part == line ? "" : "\\n", (int)length, part);
        part += end ? length + 2 : length;
    }
}

static void put_edges(const struct graph *graph, const struct waits *waits, unsigned group, unsigned node)
{
    const struct wait *wait = &waits->node[node];
    unsigned edges = 0;
    for (unsigned to = 0; to < WAIT_NODES; to++) {
        if (wait->on >> to & 1 && waits->node[to].here) {
            put(graph, "    t%un%u -> t%un%u [label=\"%s\"];\n", group, node, group, to, wait->what);
            edges++;
        }
    }
    if (!wait->runs && !edges && (wait->outside || wait->hopeless || wait->on)) {
        put(graph, "    t%un%u_ [shape=plaintext, label=\"%s\"];\n", group, node,
            *wait->why ? wait->why : "nobody goes on");
        put(graph, "    t%un%u -> t%un%u_ [label=\"%s\", style=dashed];\n", group, node, group, node, wait->what);
    }
}

static void put_group(const struct graph *graph, const struct alike *alike, unsigned group)
{
    unsigned root = WAIT_NODES;
    enum waits_root kind = waits_find_root(&alike->waits, &root);
    put(graph, "  subgraph cluster_%u {\n    label=\"tile (%u,%u)", group, alike->x, alike->y);
    if (alike->others) {
        put(graph, ", %u more like it: %s%s", alike->others, alike->list, alike->others > LISTED ? ", ..." : "");
    }
    put(graph, "\";\n");
    for (unsigned node = 0; node < WAIT_NODES; node++) {
        const struct wait *wait = &alike->waits.node[node];
        if (wait->here) {
            bool is_root = node == root && kind != ROOT_RUNS;
            put(graph, "    t%un%u [label=\"", group, node);
            put_label(graph, wait->line);
            put(graph, "\"%s];\n", is_root ? ", color=red, penwidth=2" : "");
            put_edges(graph, &alike->waits, group, node);
        }
    }
    put(graph, "  }\n");
}

enum bh_status bh_report_graph(struct bh_device *device, void (*write)(void *context, const char *text), void *context)
{
    struct explanation *explanation = calloc(1, sizeof *explanation);
    const struct graph graph = {.write = write, .context = context};
    bool wrong = !device || device_is_remote(device) || !write;
    if (wrong || !explanation) {
        free(explanation);
        return !wrong ? BH_ERROR_MEMORY : BH_ERROR_ARGUMENT;
    }
    explanation->most = EXPLAINED_TILES;
    device_show_all(device);
    (void)device_any_active(device);
    collect(device, explanation);
    put(&graph, "digraph waits {\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n"
                "  edge [fontname=\"sans-serif\", fontsize=9];\n");
    for (unsigned i = 0; i < explanation->count; i++) {
        put_group(&graph, &explanation->alike[i], i);
    }
    put(&graph, "}\n");
    free(explanation);
    return BH_OK;
}
