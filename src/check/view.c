#include "check/view.h"

#include <stdlib.h>
#include <string.h>

/* Sorted by tile, and shared: it does not change. What it says of the home of a view is no more than the view's own. */
struct view_others {
    uint32_t users, count;
    struct view_tile *tile[];
};

/* Comparing and joining, by vectors that every host has. */

typedef uint32_t steps __attribute__((vector_size(16), aligned(4), may_alias));

enum { STEPS = sizeof(steps) / sizeof(uint32_t), VECTORS = CHECK_PARTS / STEPS, REST = CHECK_PARTS % STEPS };

/* The place of one more arrival: that of the oldest one; null: it is known, or older than all that are kept. */
static uint32_t *place_of_arrival(const struct view_tile *known, unsigned part, uint32_t step)
{
    const uint32_t *arrived = known->arrived[part - PART_NOC_WRITE], *oldest = arrived;
    for (unsigned i = 1; i < VIEW_ARRIVALS; i++) {
        oldest = arrived[i] < *oldest ? &arrived[i] : oldest;
    }
    return view_has(known, part, step) || *oldest > step ? NULL : (uint32_t *)oldest;
}

void view_add_arrival(struct view_tile *known, unsigned part, uint32_t step)
{
    uint32_t *place = place_of_arrival(known, part, step);
    if (place) {
        *place = step;
        known->any_arrived = true;
    }
}

/* Forgets arrivals behind which nothing is missing any more. */
static void settle_arrivals(struct view_tile *known)
{
    bool any = false;
    for (unsigned i = 0; known->any_arrived && i < 2 * VIEW_ARRIVALS; i++) {
        uint32_t *step = &known->arrived[i / VIEW_ARRIVALS][i % VIEW_ARRIVALS];
        *step = *step > known->known[PART_NOC_WRITE + i / VIEW_ARRIVALS] ? *step : 0;
        any |= *step != 0;
    }
    known->any_arrived = any;
}

static void join_arrivals(struct view_tile *to, const struct view_tile *from)
{
    settle_arrivals(to);
    for (unsigned i = 0; from->any_arrived && i < 2 * VIEW_ARRIVALS; i++) {
        view_add_arrival(to, PART_NOC_WRITE + i / VIEW_ARRIVALS, from->arrived[i / VIEW_ARRIVALS][i % VIEW_ARRIVALS]);
    }
}

/* Whether join_arrivals() would add something. */
static bool more_arrivals(const struct view_tile *of, const struct view_tile *by)
{
    bool any = false;
    for (unsigned i = 0; of->any_arrived && i < 2 * VIEW_ARRIVALS; i++) {
        uint32_t step = of->arrived[i / VIEW_ARRIVALS][i % VIEW_ARRIVALS];
        any |= step && place_of_arrival(by, PART_NOC_WRITE + i / VIEW_ARRIVALS, step);
    }
    return any;
}

static void join_tile(struct view_tile *to, const struct view_tile *from)
{
    steps *ours = (steps *)to->known;
    const steps *theirs = (const steps *)from->known;
    for (unsigned i = 0; i < VECTORS; i++) {
        steps more = (steps)(ours[i] < theirs[i]);
        ours[i] = (theirs[i] & more) | (ours[i] & ~more);
    }
    for (unsigned part = CHECK_PARTS - REST; part < CHECK_PARTS; part++) {
        to->known[part] = to->known[part] < from->known[part] ? from->known[part] : to->known[part];
    }
    if (to->any_arrived || from->any_arrived) {
        join_arrivals(to, from);
    }
}

/* Whether `of` knows something that `by` does not. What one view has shared is never less than what it has shared
   before, but for a part's own writes and arrivals. */
static bool knows_more(const struct view_tile *of, const struct view_tile *by)
{
    if (of->from && of->from == by->from && of->part == by->part) {
        return of->step > by->step || of->known[of->part] > by->known[of->part] || more_arrivals(of, by);
    }
    const steps *ours = (const steps *)of->known, *theirs = (const steps *)by->known;
    steps more = {0};
    for (unsigned i = 0; i < VECTORS; i++) {
        more |= (steps)(ours[i] > theirs[i]);
    }
    uint32_t any = more[0] | more[1] | more[2] | more[3];
    for (unsigned part = CHECK_PARTS - REST; part < CHECK_PARTS; part++) {
        any |= of->known[part] > by->known[part];
    }
    return any || more_arrivals(of, by);
}

/* Sharing. */

static struct view_tile *tile_copy(const struct view_tile *of)
{
    struct view_tile *tile = malloc(sizeof *tile);
    if (tile) {
        *tile = *of;
        tile->users = 1;
    }
    return tile;
}

static struct view_tile *tile_share(const struct view_tile *of)
{
    struct view_tile *tile = (struct view_tile *)of;
    if (!of || !of->users) {
        return of ? tile_copy(of) : NULL;
    }
    tile->users++;
    return tile;
}

void view_leave(struct view_tile *tile)
{
    if (tile && --tile->users == 0) {
        free(tile);
    }
}

/* What two know of a tile; null: no memory. */
static struct view_tile *tile_of_both(const struct view_tile *one, const struct view_tile *other)
{
    if (one == other || !knows_more(other, one)) {
        return tile_share(one);
    }
    if (!knows_more(one, other)) {
        return tile_share(other);
    }
    struct view_tile both = *one;
    both.from = NULL;
    join_tile(&both, other);
    return tile_copy(&both);
}

/* What is known of other tiles. */

static struct view_others *others_create(uint32_t room)
{
    struct view_others *others = malloc(sizeof *others + room * sizeof(void *)); /* its last member: pointers */
    if (others) {
        others->users = 1;
        others->count = 0;
    }
    return others;
}

static struct view_others *others_share(struct view_others *others)
{
    others->users++;
    return others;
}

static void others_leave(struct view_others *others)
{
    if (others && --others->users == 0) {
        for (uint32_t i = 0; i < others->count; i++) {
            view_leave(others->tile[i]);
        }
        free(others);
    }
}

/* Where the piece of a tile is, or belongs. */
static uint32_t place_of(const struct view_others *others, uint32_t tile)
{
    uint32_t first = 0, end = others ? others->count : 0;
    while (first < end) {
        uint32_t middle = (first + end) / 2;
        bool before = others->tile[middle]->tile < tile;
        first = before ? middle + 1 : first;
        end = before ? end : middle;
    }
    return first;
}

static const struct view_tile *tile_of(const struct view_others *others, uint32_t tile)
{
    uint32_t place = place_of(others, tile);
    return others && place < others->count && others->tile[place]->tile == tile ? others->tile[place] : NULL;
}

/* What each of two knows that the other does not: bit 0 for `one`, bit 1 for `other`. */
static unsigned difference(const struct view_others *one, const struct view_others *other)
{
    uint32_t i = 0, j = 0;
    unsigned more = 0;
    while (more != 3 && i < one->count && j < other->count) {
        const struct view_tile *a = one->tile[i], *b = other->tile[j];
        bool takes_a = a == b || a->tile <= b->tile, takes_b = a == b || b->tile <= a->tile;
        if (a != b && takes_a && takes_b) {
            more |= (unsigned)knows_more(a, b) | (unsigned)knows_more(b, a) << 1;
        } else if (a != b) {
            more |= takes_a ? 1 : 2;
        }
        i += takes_a;
        j += takes_b;
    }
    return more | (unsigned)(i < one->count) | (unsigned)(j < other->count) << 1;
}

static struct view_others *others_of_both(const struct view_others *one, const struct view_others *other)
{
    struct view_others *both = others_create(one->count + other->count);
    for (uint32_t i = 0, j = 0; both && (i < one->count || j < other->count);) {
        struct view_tile *a = i < one->count ? one->tile[i] : NULL, *b = j < other->count ? other->tile[j] : NULL;
        bool takes_a = a && (!b || a->tile <= b->tile), takes_b = b && (!a || b->tile <= a->tile);
        struct view_tile *tile = takes_a && takes_b ? tile_of_both(a, b) : tile_share(takes_a ? a : b);
        if (!tile) {
            others_leave(both);
            return NULL;
        }
        both->tile[both->count++] = tile;
        i += takes_a;
        j += takes_b;
    }
    return both;
}

static bool join_others(struct view *to, struct view_others *from)
{
    if (!from || to->others == from || to->joined == from) {
        return true;
    }
    others_leave(to->joined);
    to->joined = others_share(from);
    to->changes++;
    unsigned more = to->others ? difference(to->others, from) : 2;
    if (!(more & 2)) {
        return true;
    }
    struct view_others *both = more == 3 ? others_of_both(to->others, from) : others_share(from);
    if (both) {
        others_leave(to->others);
        to->others = both;
    }
    return both;
}

/* Joins what is known of another tile. */
static bool join_other(struct view *to, const struct view_tile *of)
{
    const struct view_tile *known = tile_of(to->others, of->tile);
    if (known && !knows_more(of, known)) {
        return true;
    }
    struct view_others *one = others_create(1);
    struct view_tile *tile = one ? tile_share(of) : NULL;
    if (tile) {
        one->tile[one->count++] = tile;
    }
    bool joined = tile && join_others(to, one);
    others_leave(one);
    return joined;
}

/* Views. */

void view_clear(struct view *view)
{
    if (view->cleared == view->changes) {
        return;
    }
    if (view->own) {
        *view->own = (struct view_tile){.tile = view->home};
    }
    view->cleared = ++view->changes;
    others_leave(view->others);
    others_leave(view->joined);
    view->others = view->joined = NULL;
}

void view_free(struct view *view)
{
    view_clear(view);
    free(view->own);
    view->own = NULL;
}

const struct view_tile *view_find(const struct view *view, uint32_t tile)
{
    if (tile == view->home) {
        return view->own;
    }
    return tile_of(view->others, tile);
}

static struct view_tile *share_own(const struct view *view, unsigned part, uint32_t step, bool alone)
{
    struct view_tile own = {.tile = view->home};
    if (view->own) {
        own = *view->own;
    }
    if (alone) {
        view_add_arrival(&own, part, step);
    } else {
        own.known[part] = step;
    }
    settle_arrivals(&own);
    own.from = view;
    own.part = part;
    own.step = step;
    return tile_copy(&own);
}

struct view_tile *view_share_own(const struct view *view, unsigned part, uint32_t step)
{
    return share_own(view, part, step, false);
}

struct view_tile *view_share_arrival(const struct view *view, unsigned part, uint32_t step)
{
    return share_own(view, part, step, true);
}

/* What the view knows of its own tile, to be changed. */
static struct view_tile *own(struct view *view)
{
    if (!view->own) {
        view->own = calloc(1, sizeof *view->own);
        if (view->own) {
            view->own->tile = view->home;
        }
    }
    return view->own;
}

static bool join_any(struct view *to, const struct view_tile *of)
{
    if (of->tile != to->home) {
        return join_other(to, of);
    }
    if (own(to)) {
        join_tile(to->own, of);
        to->changes++;
    }
    return to->own;
}

bool view_learn_step(struct view *view, uint32_t tile, unsigned part, uint32_t step)
{
    if (tile == view->home && own(view)) {
        view->changes++;
        view->own->known[part] = view->own->known[part] < step ? step : view->own->known[part];
    } else if (tile != view->home) {
        struct view_tile of = {.tile = tile};
        of.known[part] = step;
        return join_other(view, &of);
    }
    return view->own;
}

bool view_learn_arrival(struct view *view, uint32_t tile, unsigned part, uint32_t step)
{
    struct view_tile of = {.tile = tile};
    view_add_arrival(&of, part, step);
    return join_any(view, &of);
}

bool view_join_with(struct view *to, const struct view *from, const struct view_tile *own)
{
    if (!own && from->cleared == from->changes) {
        return true;
    }
    const struct view_tile *theirs = own ? own : from->own;
    const struct view_tile *home = from->home != to->home ? tile_of(from->others, to->home) : NULL;
    return (!theirs || join_any(to, theirs)) && (!home || join_any(to, home)) && join_others(to, from->others);
}

bool view_join(struct view *to, const struct view *from)
{
    return view_join_with(to, from, NULL);
}

/* Whether the view knows all that is told of a tile, but for a part of a tile. */
static bool includes(const struct view *view, const struct view_tile *told, uint32_t tile, unsigned part)
{
    static const struct view_tile nothing;
    const struct view_tile *known = view_find(view, told->tile);
    struct view_tile but = {.tile = told->tile};
    if (told->tile == tile) {
        but = *told;
        but.known[part] = 0;
        but.from = NULL;
        told = &but;
    }
    return !knows_more(told, known ? known : &nothing);
}

bool view_includes(const struct view *view, const struct view *other, uint32_t tile, unsigned part)
{
    bool all = !other->own || includes(view, other->own, tile, part);
    bool shared = view->others == other->others && view->home == other->home;
    for (uint32_t i = 0; !shared && other->others && all && i < other->others->count; i++) {
        all = includes(view, other->others->tile[i], tile, part);
    }
    return all;
}
