#include "tile/waits.h"

#include <string.h>

#include "tile/tile.h"

/* The nodes that one waits for, as far as they are here. A thread that has nothing at its gate goes on when its core
   does. */
static unsigned awaited(const struct waits *waits, unsigned node)
{
    unsigned here = 0;
    for (unsigned i = 0; i < WAIT_NODES; i++) {
        if (!(waits->node[node].on >> i & 1)) {
            continue;
        }
        if (waits->node[i].here) {
            here |= 1u << i;
        } else if (i >= BH_CORE_COUNT && waits->node[i - BH_CORE_COUNT + BH_CORE_T0].here &&
                   i - BH_CORE_COUNT + BH_CORE_T0 != node) {
            here |= 1u << (i - BH_CORE_COUNT + BH_CORE_T0);
        }
    }
    return here;
}

/* All that a node waits for in the end, itself only if it waits for itself. */
static unsigned reached_from(const struct waits *waits, unsigned node)
{
    unsigned reached = 0, next = awaited(waits, node);
    while (next & ~reached) {
        unsigned i = (unsigned)__builtin_ctz(next & ~reached);
        reached |= 1u << i;
        next |= awaited(waits, i);
    }
    return reached;
}

static enum waits_root kind_of(const struct waits *waits, unsigned node)
{
    const struct wait *wait = &waits->node[node];
    bool circle = reached_from(waits, node) >> node & 1;
    if (wait->runs) {
        return ROOT_RUNS;
    }
    if (wait->on & waits->going && !wait->hopeless) {
        return ROOT_NONE;
    }
    if (wait->hopeless || (!awaited(waits, node) && !wait->outside)) {
        return ROOT_HOPELESS;
    }
    if (circle) {
        return wait->outside ? ROOT_OUTSIDE : ROOT_CIRCLE;
    }
    return wait->outside && !awaited(waits, node) ? ROOT_OUTSIDE : ROOT_NONE;
}

/* How many wait for a node in the end. */
static unsigned waiting_for(const struct waits *waits, unsigned node)
{
    unsigned count = 0;
    for (unsigned i = 0; i < WAIT_NODES; i++) {
        count += waits->node[i].here && i != node && reached_from(waits, i) >> node & 1;
    }
    return count;
}

/* Among equals the one for which most others wait. */
enum waits_root waits_find_root(const struct waits *waits, unsigned *node)
{
    enum waits_root best = ROOT_NONE;
    unsigned most = 0;
    *node = WAIT_NODES;
    for (unsigned i = 0; i < WAIT_NODES; i++) {
        enum waits_root kind = waits->node[i].here ? kind_of(waits, i) : ROOT_NONE;
        unsigned count = kind != ROOT_NONE ? waiting_for(waits, i) : 0;
        if (kind < best || (kind == best && kind != ROOT_NONE && count > most)) {
            best = kind;
            most = count;
            *node = i;
        }
    }
    return best;
}

void wait_name(const struct wait *wait, struct text *text)
{
    bool core = wait->agent == BH_AGENT_CORE;
    text_add(text, "%s %s", core ? "core" : "thread",
             bh_core_name((enum bh_core)(core ? wait->index : BH_CORE_T0 + wait->index)));
}

/* "core B waits for a value from T0, core T0 for a value from B, and so on in a circle" */
static void write_circle(const struct waits *waits, unsigned first, struct text *text)
{
    unsigned node = first, seen = 0;
    while (!(seen >> node & 1)) {
        const struct wait *wait = &waits->node[node];
        text_add(text, "%s", seen ? ", " : "");
        wait_name(wait, text);
        text_add(text, " %s %s", seen ? "for" : "waits for", wait->what);
        seen |= 1u << node;
        unsigned next = awaited(waits, node), back = next;
        for (unsigned i = 0; i < WAIT_NODES; i++) { /* of those, the ones that lead back */
            if (back >> i & 1 && i != first && !(reached_from(waits, i) >> first & 1)) {
                back &= ~(1u << i);
            }
        }
        node = back >> first & 1 ? first : (unsigned)__builtin_ctz(back ? back : next);
    }
    text_add(text, ": a circle");
}

static void write_root(const struct waits *waits, struct text *text)
{
    unsigned node;
    enum waits_root kind = waits_find_root(waits, &node);
    const struct wait *wait = kind == ROOT_NONE ? NULL : &waits->node[node];
    if (!wait) {
        if (waits->going) {
            text_add(text, "thread T%u runs", (unsigned)__builtin_ctz(waits->going) - BH_CORE_COUNT);
        } else {
            text_add(text, "it is not known what is waited for");
        }
    } else if (kind == ROOT_RUNS) {
        wait_name(wait, text);
        text_add(text, " runs");
    } else if (!*wait->what) {
        text_add(text, "%s", wait->line);
    } else if (kind == ROOT_CIRCLE) {
        write_circle(waits, node, text);
    } else {
        wait_name(wait, text);
        text_add(text, " waits for %s%s%s", wait->what, *wait->why ? "; " : "", wait->why);
    }
}

void waits_write(const struct waits *waits, struct text *text, struct bh_place places[BH_PLACES],
                 uint16_t lines[BH_PLACES])
{
    unsigned count = 0;
    if (waits->count != 1) {
        write_root(waits, text);
    }
    for (unsigned i = 0; i < WAIT_NODES; i++) {
        const struct wait *wait = &waits->node[i];
        if (wait->here) {
            text_add(text, "%s", waits->count == 1 ? "" : "\n  ");
            lines[count] = (uint16_t)(text->length < text->size ? text->length : 0);
            places[count++] =
                (struct bh_place){.agent = (enum bh_agent)wait->agent, .index = wait->index, .pc = wait->pc};
            text_add(text, "%s", wait->line);
        }
    }
}

bool waits_alike(const struct waits *a, const struct waits *b)
{
    bool alike = a->count == b->count;
    for (unsigned i = 0; i < WAIT_NODES && alike; i++) {
        alike = a->node[i].here == b->node[i].here && strcmp(a->node[i].line, b->node[i].line) == 0;
    }
    return alike;
}
