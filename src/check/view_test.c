/* What agents know of each other: the same as lists that are never shared, in memory that is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "check/view.h"

enum { TILES = 12, VIEWS = 2 * TILES, RANDOM_STEPS = 100000, GRID = 140 };

/* What each view is to know. */
struct model {
    uint32_t known[VIEWS][TILES][CHECK_PARTS];
};

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void model_join(struct model *model, unsigned to, unsigned from)
{
    for (unsigned i = 0; i < TILES * CHECK_PARTS; i++) {
        uint32_t *ours = &model->known[to][0][0] + i, theirs = (&model->known[from][0][0])[i];
        *ours = *ours < theirs ? theirs : *ours;
    }
}

static bool model_includes(const struct model *model, unsigned to, unsigned from, uint32_t tile, unsigned part)
{
    bool all = true;
    for (unsigned i = 0; i < TILES * CHECK_PARTS; i++) {
        all &= i == tile * CHECK_PARTS + part || (&model->known[to][0][0])[i] >= (&model->known[from][0][0])[i];
    }
    return all;
}

static void compare(const struct view *view, uint32_t known[TILES][CHECK_PARTS])
{
    for (uint32_t tile = 0; tile < TILES; tile++) {
        for (unsigned part = 0; part < CHECK_PARTS; part++) {
            assert_int_equal(view_knows(view, tile, part), known[tile][part]);
        }
    }
}

/* Two views of each tile learn of steps, of each other, and of requests, in any order. One of them is shared, the other
   one cleared now and then. */
static void views_know_what_they_have_learnt(void **context)
{
    (void)context;
    static struct model model;
    struct view views[VIEWS] = {0};
    uint32_t seed = 1, requests = 0;
    for (unsigned i = 0; i < VIEWS; i++) {
        views[i].home = i / 2;
    }
    for (unsigned i = 0; i < RANDOM_STEPS; i++) {
        unsigned to = next_random(&seed) % VIEWS, from = next_random(&seed) % VIEWS;
        unsigned part = next_random(&seed) % PART_NOC_READ;
        assert_int_equal(view_includes(&views[to], &views[from], from / 2, part),
                         model_includes(&model, to, from, from / 2, part));
        switch (next_random(&seed) % 8) {
        case 0:
        case 1:
        case 2: assert_true(view_join(&views[to], &views[from])); break;
        case 3: {
            from &= ~1u;
            const unsigned request = PART_NOC_READ + next_random(&seed) % 2;
            struct view_tile *own = view_share_own(&views[from], request, ++requests);
            assert_non_null(own);
            assert_true(view_join_with(&views[to], &views[from], own));
            view_leave(own);
            if (model.known[to][from / 2][request] < requests) {
                model.known[to][from / 2][request] = requests;
            }
            break;
        }
        case 4:
            to |= 1;
            if (i % 16 == 0) {
                view_clear(&views[to]);
                memset(model.known[to], 0, sizeof model.known[to]);
            }
            continue;
        default: {
            uint32_t tile = next_random(&seed) % 4 ? to / 2 : next_random(&seed) % TILES, step = i / 16;
            assert_true(view_learn_step(&views[to], tile, part, step));
            if (model.known[to][tile][part] < step) {
                model.known[to][tile][part] = step;
            }
            continue;
        }
        }
        model_join(&model, to, from);
        compare(&views[to], model.known[to]);
    }
    for (unsigned i = 0; i < VIEWS; i++) {
        compare(&views[i], model.known[i]);
        view_free(&views[i]);
    }
}

/* Tiles that tell each other by requests what they know share it: there is as much as there are tiles, not pairs. */
static void views_that_know_the_same_share_it(void **context)
{
    (void)context;
    struct view views[GRID] = {0};
    for (uint32_t i = 0; i < GRID; i++) {
        views[i].home = i;
    }
    for (uint32_t round = 1; round <= 3; round++) {
        struct view_tile *told[GRID];
        for (uint32_t i = 0; i < GRID; i++) {
            assert_true(view_learn_step(&views[i], i, PART_CORE, round));
            told[i] = view_share_own(&views[i], PART_NOC_WRITE, round);
            assert_non_null(told[i]);
        }
        for (uint32_t pair = 0; pair < GRID * GRID; pair++) {
            const uint32_t to = pair / GRID, from = pair % GRID;
            assert_true(to == from || view_join_with(&views[to], &views[from], told[from]));
        }
        for (uint32_t tile = 0; tile < GRID; tile++) {
            for (uint32_t to = 0; to < GRID; to++) {
                assert_true(to == tile || view_find(&views[to], tile) == told[tile]);
            }
        }
        for (uint32_t i = 0; i < GRID; i++) {
            view_leave(told[i]);
        }
    }
    struct view other = {.home = 0};
    assert_true(view_join(&other, &views[0]));
    assert_ptr_equal(other.others, views[0].others);
    view_free(&other);
    for (uint32_t i = 0; i < GRID; i++) {
        view_free(&views[i]);
    }
}

/* A write that has arrived says nothing of those before it, in whatever way it is learnt. */
static void arrivals_are_known_one_by_one(void **context)
{
    (void)context;
    enum { SENDER, RECEIVER, NEXT, OTHERS, PART = PART_NOC_WRITE + 1 };
    struct view views[OTHERS] = {{.home = SENDER}, {.home = RECEIVER}, {.home = NEXT}};
    struct view_tile *first = view_share_own(&views[SENDER], PART, 1);
    struct view_tile *second = view_share_arrival(&views[SENDER], PART, 2);
    struct view_tile *third = view_share_arrival(&views[SENDER], PART, 3);
    assert_true(first && second && third);
    assert_true(view_join_with(&views[NEXT], &views[SENDER], first));
    assert_true(view_join_with(&views[NEXT], &views[SENDER], third));
    assert_true(view_join_with(&views[NEXT], &views[SENDER], second));
    for (uint32_t step = 1; step <= 4; step++) {
        assert_int_equal(view_has(view_find(&views[NEXT], SENDER), PART, step), step <= 3);
    }
    view_clear(&views[NEXT]);
    assert_true(view_join_with(&views[NEXT], &views[SENDER], third));
    assert_true(view_join_with(&views[NEXT], &views[SENDER], first));
    assert_int_equal(view_knows(&views[NEXT], SENDER, PART), 1);
    assert_true(view_has(view_find(&views[NEXT], SENDER), PART, 3));
    assert_false(view_has(view_find(&views[NEXT], SENDER), PART, 2));
    view_clear(&views[NEXT]);
    assert_true(view_join_with(&views[RECEIVER], &views[SENDER], third));
    assert_int_equal(view_knows(&views[RECEIVER], SENDER, PART), 0);
    assert_true(view_has(view_find(&views[RECEIVER], SENDER), PART, 3));
    assert_false(view_has(view_find(&views[RECEIVER], SENDER), PART, 2));
    assert_false(view_has(view_find(&views[RECEIVER], SENDER), PART - 1, 3));

    assert_true(view_join_with(&views[RECEIVER], &views[SENDER], first));
    assert_true(view_learn_arrival(&views[NEXT], SENDER, PART, 2));
    assert_false(view_includes(&views[NEXT], &views[RECEIVER], NEXT, PART));
    assert_false(view_includes(&views[RECEIVER], &views[NEXT], NEXT, PART));
    assert_true(view_join(&views[NEXT], &views[RECEIVER]));
    assert_true(view_includes(&views[NEXT], &views[RECEIVER], NEXT, PART));
    assert_int_equal(view_knows(&views[NEXT], SENDER, PART), 1);
    for (uint32_t step = 1; step <= 4; step++) {
        assert_int_equal(view_has(view_find(&views[NEXT], SENDER), PART, step), step <= 3);
    }
    assert_false(view_has(view_find(&views[RECEIVER], SENDER), PART, 2));

    /* Behind all of them, a request that stays in order. */
    assert_true(view_learn_step(&views[NEXT], SENDER, PART, 3));
    assert_true(view_learn_arrival(&views[SENDER], SENDER, PART, 3));
    struct view_tile *fourth = view_share_own(&views[SENDER], PART, 4);
    assert_true(fourth && !fourth->any_arrived);
    view_clear(&views[SENDER]);
    assert_false(view_has(view_find(&views[SENDER], SENDER), PART, 3));
    view_leave(first);
    view_leave(second);
    view_leave(third);
    view_leave(fourth);
    for (unsigned i = 0; i < OTHERS; i++) {
        view_free(&views[i]);
    }
}

/* The latest arrivals are kept: joining older ones changes nothing, and views go on sharing. */
static void as_many_arrivals_as_are_kept(void **context)
{
    (void)context;
    enum { SENDER = 5 };
    struct view later = {.home = 1}, earlier = {.home = 2};
    for (uint32_t i = 0; i < VIEW_ARRIVALS; i++) {
        assert_true(view_learn_arrival(&earlier, SENDER, PART_NOC_WRITE, 2 + i));
        assert_true(view_learn_arrival(&later, SENDER, PART_NOC_WRITE, 2 + VIEW_ARRIVALS + i));
    }
    const struct view_tile *known = view_find(&later, SENDER);
    assert_true(view_includes(&later, &earlier, SENDER, PART_CORE));
    assert_false(view_includes(&earlier, &later, SENDER, PART_CORE));
    assert_true(view_join(&later, &earlier));
    assert_ptr_equal(view_find(&later, SENDER), known);
    assert_true(view_join(&earlier, &later));
    for (uint32_t i = 0; i < VIEW_ARRIVALS; i++) {
        assert_true(view_has(view_find(&earlier, SENDER), PART_NOC_WRITE, 2 + VIEW_ARRIVALS + i));
    }
    assert_ptr_equal(view_find(&earlier, SENDER), known);
    view_free(&later);
    view_free(&earlier);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_know_what_they_have_learnt),
        cmocka_unit_test(views_that_know_the_same_share_it),
        cmocka_unit_test(arrivals_are_known_one_by_one),
        cmocka_unit_test(as_many_arrivals_as_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
