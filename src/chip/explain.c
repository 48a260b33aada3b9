#include "chip/explain.h"

#include <string.h>

#include "chip/quantum.h"
#include "util/text.h"

enum { LISTED = 8, LIST = 160 };

/* Tiles with the same report: the report of the first, and the names of the others. */
struct alike {
    struct bh_diagnostic first;
    unsigned others;
    char list[LIST]; /* of the others, the first LISTED: "(2,2), (3,2)" */
};

struct explanation {
    struct bh_device *device;
    enum bh_action action;
    struct alike alike[EXPLAINED_AT_ONCE];
    unsigned count;
    unsigned left; /* tiles with other reports, for which there is no place */
    unsigned looked_at, most;
};

/* A Tensix tile, or an Ethernet tile. */
static struct bh_diagnostic explain_tile(const struct explanation *explanation, const struct diagnostics *of,
                                         const struct tile *tile, const struct ethernet *ethernet)
{
    struct bh_diagnostic diagnostic = {
        .category = BH_DEADLOCK,
        .action = explanation->action,
        .tile_x = of->tile_x,
        .tile_y = of->tile_y,
        .agent = BH_AGENT_HOST,
        .cycle = explanation->device->clock,
    };
    (void)(tile ? tile_explain(tile, diagnostic.text, sizeof diagnostic.text, diagnostic.places)
                : ethernet_explain(ethernet, diagnostic.text, sizeof diagnostic.text, diagnostic.places));
    while (diagnostic.places_count < BH_PLACES && diagnostic.places[diagnostic.places_count].agent) {
        diagnostic.places_count++;
    }
    return diagnostic;
}

static void add_other(struct alike *alike, const struct bh_diagnostic *other)
{
    struct text list = {.buffer = alike->list, .size = sizeof alike->list, .length = strlen(alike->list)};
    if (alike->others < LISTED) {
        text_add(&list, "%s(%u,%u)", alike->others ? ", " : "", other->tile_x, other->tile_y);
    }
    alike->others++;
}

/* The text names cores, threads and addresses, but no tile. */
static void add(struct explanation *explanation, const struct diagnostics *of, const struct tile *tile,
                const struct ethernet *ethernet)
{
    if (explanation->looked_at++ >= explanation->most) {
        return;
    }
    struct bh_diagnostic diagnostic = explain_tile(explanation, of, tile, ethernet);
    for (unsigned i = 0; i < explanation->count; i++) {
        if (strcmp(explanation->alike[i].first.text, diagnostic.text) == 0) {
            add_other(&explanation->alike[i], &diagnostic);
            return;
        }
    }
    if (explanation->count < EXPLAINED_AT_ONCE) {
        explanation->alike[explanation->count++] = (struct alike){.first = diagnostic};
    } else {
        explanation->left++;
    }
}

/* Appends to the report of a tile, whose end is cut off when there is no room. */
static void append(struct bh_diagnostic *diagnostic, const char *what)
{
    size_t length = strlen(diagnostic->text), most = sizeof diagnostic->text - 1 - strlen(what);
    memcpy(diagnostic->text + (length < most ? length : most), what, strlen(what) + 1);
}

static void deliver(struct explanation *explanation)
{
    const struct bh_device_config *config = &explanation->device->config;
    device_look(explanation->device);
    for (unsigned i = 0; config->on_diagnostic && i < explanation->count; i++) {
        struct alike *alike = &explanation->alike[i];
        char more[LIST + 100] = "";
        struct text text = {.buffer = more, .size = sizeof more};
        if (alike->others) {
            text_add(&text, "; the same on %u more tile%s: %s%s", alike->others, alike->others == 1 ? "" : "s",
                     alike->list, alike->others > LISTED ? ", ..." : "");
        }
        if (explanation->left && i + 1 == explanation->count) {
            text_add(&text, "; still other things on %u more tile%s", explanation->left,
                     explanation->left == 1 ? "" : "s");
        }
        append(&alike->first, more);
        config->on_diagnostic(config->context, &alike->first);
    }
}

void device_explain(struct bh_device *device, enum bh_action action, unsigned most)
{
    struct explanation explanation = {.device = device, .action = action, .most = most};
    device_show_all_resting(device);
    for (unsigned i = device_next_tile(device->ready, 0); i < TENSIX_TILES;
         i = device_next_tile(device->ready, i + 1)) {
        const struct tile *tile = &device->tiles[i];
        if (tile_active(tile) || tile_misses_code(tile)) {
            add(&explanation, &tile->state->diagnostics, tile, NULL);
        }
    }
    for (unsigned channel = 0; channel < ETHERNET_TILES; channel++) {
        const struct ethernet *ethernet = &device->ethernet[channel];
        if (device_ethernet_ready(device, channel) && ethernet_active(ethernet)) {
            add(&explanation, &ethernet->diagnostics, NULL, ethernet);
        }
    }
    deliver(&explanation);
}
