/* The passages that are planned of worms. Most are in one of the next cycles: each of these has a list (noc/worms.h).
 */
#ifndef BHEMU_NOC_PASSAGES_H
#define BHEMU_NOC_PASSAGES_H

#include "noc/worms.h"

/* The place among the cycles of the first one that has any; WORMS_CYCLES: none has. */
static inline unsigned first_cycle(const struct worms *worms)
{
    unsigned begin = worms->from % WORMS_CYCLES;
    uint64_t near = worms->some[begin / 64] >> begin % 64;
    if (near) {
        return begin + (unsigned)__builtin_ctzll(near);
    }
    for (unsigned i = 1; i <= WORMS_CYCLES / 64; i++) { /* of the first word, that is empty from `begin` on */
        unsigned word = (begin / 64 + i) % (WORMS_CYCLES / 64);
        if (worms->some[word]) {
            return word * 64 + (unsigned)__builtin_ctzll(worms->some[word]);
        }
    }
    return WORMS_CYCLES;
}

static inline struct worm *first_worm(const struct worms *worms)
{
    unsigned cycle = first_cycle(worms);
    return cycle == WORMS_CYCLES ? NULL : worms->cycle[cycle].first;
}

static inline bool passes_before(const struct worm *worm, uint64_t time, uint64_t order)
{
    return worm->passage < time || (worm->passage == time && worm->order < order);
}

/* Into a list with another one behind it. */
static inline void insert_before_last(struct worms_cycle *list, struct worm *worm)
{
    struct worm **place = &list->first;
    while (passes_before(*place, worm->passage, worm->order)) {
        place = &(*place)->following;
    }
    worm->following = *place;
    *place = worm;
}

/* Adds a worm to the list of its cycle, where most come last. false: that is not one of those that have a list. */
static inline bool list_passage(struct worms *worms, struct worm *worm)
{
    uint64_t cycle = worm->passage / MILLI;
    struct worms_cycle *list = &worms->cycle[cycle % WORMS_CYCLES];
    if (cycle - worms->from >= WORMS_CYCLES) { /* or it is before all of them */
        return false;
    }
    worm->following = NULL;
    if (!list->first) {
        worms->some[cycle % WORMS_CYCLES / 64] |= UINT64_C(1) << cycle % 64;
        list->first = list->last = worm;
    } else if (passes_before(list->last, worm->passage, worm->order)) {
        list->last->following = worm;
        list->last = worm;
    } else {
        insert_before_last(list, worm);
    }
    return true;
}

/* Takes the first one, whose list this is; leave_cycle() comes when it was the last one. */
static inline struct worm *take_first(struct worms_cycle *list)
{
    struct worm *worm = list->first;
    list->first = worm->following;
    return worm;
}

/* The list is empty. */
static inline void leave_cycle(struct worms *worms, unsigned place)
{
    worms->some[place / 64] &= ~(UINT64_C(1) << place % 64);
}

#endif
