/* What ends a quantum. */
#include "isa/tensix_isa.h"
#include "tile/fixture.h"

enum { THREAD = 1, LENGTH = 20, INCRWC_1 = TENSIX_OPCODE_INCRWC << 24 | 1 << 14 };

static void push(struct fixture *fixture, uint32_t word)
{
    assert_int_equal(frontend_push(&fixture->tile.tensix, THREAD, word, 0, false), STEP_DONE);
}

static uint32_t replay(bool load)
{
    return (uint32_t)TENSIX_OPCODE_REPLAY << 24 | LENGTH << 4 | load;
}

/* At most one instruction a cycle leaves a frontend, on the average: a REPLAY that has begun ends in the same quantum,
   and what is too much then is taken off those that follow. */
static void a_replay_beyond_a_quantum_is_taken_off_the_next(void **context)
{
    struct fixture *fixture = *context;
    const struct frontend *frontend = &fixture->state->tensix.frontend[THREAD];
    push(fixture, replay(true));
    for (unsigned i = 0; i < LENGTH; i++) {
        push(fixture, INCRWC_1);
    }
    push(fixture, replay(false));
    push(fixture, replay(false));
    static const struct {
        uint32_t cycles, passed;
    } quanta[] = {{10, LENGTH}, {5, LENGTH}, {5, LENGTH}, {1, 2 * LENGTH}};
    for (unsigned i = 0; i < sizeof quanta / sizeof *quanta; i++) {
        assert_int_equal(tile_run(&fixture->tile, quanta[i].cycles), TILE_RUNNING);
        assert_int_equal(frontend->passed, quanta[i].passed);
        assert_int_equal(fixture->state->tensix.addr.rwc[THREAD].dst, quanta[i].passed);
    }
    assert_true(frontend_idle(frontend));
    assert_int_equal(fixture->state->diagnostics.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_replay_beyond_a_quantum_is_taken_off_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
