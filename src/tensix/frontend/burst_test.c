/* What a replay buffer and a MOP hold of all units but the vector unit's does, in bursts that the engine executes, what
   it does one instruction at a time, wherever it has to wait, gives a diagnostic, or quanta end: without an engine they
   execute so. */
#include "tensix/engine/fixture.h"
#include "tensix/units/dispatch.h"

enum { THREAD = 1, PROGRAMS = 1500, ROUNDS = 12 };

/* Words of any unit: most of them with fields as they come, but few that wait for what nobody does here. */
static uint32_t random_word(void)
{
    uint32_t opcode;
    do {
        opcode = random_bits() % 256;
    } while (!tensix_dispatch[opcode].run || opcode == TENSIX_OPCODE_MOP || opcode == TENSIX_OPCODE_MOP_CFG ||
             opcode == TENSIX_OPCODE_REPLAY || opcode == TENSIX_OPCODE_XMOV || opcode == TENSIX_OPCODE_STREAMWAIT ||
             (!tensix_dispatch[opcode].in_a_row && !one_in(8)));
    uint32_t fields = random_bits() & tensix_dispatch[opcode].fields & 0xffffff;
    switch (opcode) {
    case TENSIX_OPCODE_SETC16: /* address modes, and seldom anything else */
        fields = one_in(16) ? fields : (fields & 0xffff) | (12 + random_bits() % 32) << 16;
        break;
    case TENSIX_OPCODE_SETRWC: fields = one_in(8) ? fields : fields & 0x3fffff; break;
    case TENSIX_OPCODE_STALLWAIT: fields = one_in(8) ? fields : fields & ~UINT32_C(0x1e0); break;
    case TENSIX_OPCODE_SEMWAIT: fields = one_in(2) ? fields : fields & ~UINT32_C(1); break;
    default: break;
    }
    return opcode << 24 | (one_in(64) ? random_bits() & 0xffffff : fields);
}

static uint32_t replay(uint32_t first, uint32_t count)
{
    return (uint32_t)TENSIX_OPCODE_REPLAY << 24 | first << 14 | count << 4;
}

/* For the MOP expander: mostly REPLAYs, and what is left out. */
static uint32_t random_element(uint32_t loaded)
{
    uint32_t first = one_in(4) ? random_bits() % loaded : 0;
    return one_in(4)   ? (uint32_t)TENSIX_OPCODE_NOP << 24
           : one_in(2) ? replay(first, 1 + random_bits() % (loaded - first))
                       : random_word();
}

/* Fills the replay buffer and the MOP expander of both. */
static void load(struct fixture *both[2])
{
    struct frontend *frontend = &both[0]->state.frontend[THREAD];
    uint32_t loaded = 1 + random_bits() % (one_in(2) ? REPLAY_CAPACITY : 4);
    for (uint32_t i = 0; i < loaded; i++) {
        frontend->replay.words[i] = random_word();
    }
    for (uint32_t i = 0; i < MOP_CONFIG_WORDS; i++) {
        frontend->mop.config[i] = random_element(loaded);
    }
    bool masked = one_in(2);
    frontend->mop.config[0] = 1 + random_bits() % (one_in(2) ? 3 : 20);
    frontend->mop.config[1] = masked ? random_bits() % 4 : random_bits() % (one_in(2) ? 3 : 20);
    uint32_t mop = (uint32_t)TENSIX_OPCODE_MOP << 24 | (masked ? (random_bits() % 64) << 16 : 1 << 23);
    uint32_t word = one_in(3) ? replay(0, loaded) : mop;
    both[1]->state.frontend[THREAD] = *frontend;
    engine_replay_loaded(both[0]->tensix.engine, THREAD);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(frontend_push(&both[i]->tensix, THREAD, word, 64, false), STEP_DONE);
    }
}

/* The contents of a frontend, without those that have left it. */
static struct frontend held(const struct fixture *fixture)
{
    struct frontend frontend = fixture->state.frontend[THREAD];
    frontend.next = frontend.at_gate ? frontend.next : (struct pushed){};
    return frontend;
}

static bool same_bytes(const struct tensix_state *a, const struct tensix_state *b, size_t from, size_t to)
{
    return memcmp((const char *)a + from, (const char *)b + from, to - from) == 0;
}

/* Compares units; structs that the packer copies have padding bytes. */
static bool same_packer(const struct pack_unit *a, const struct pack_unit *b)
{
    return a->tile.data.open == b->tile.data.open && a->tile.data.address == b->tile.data.address &&
           a->tile.exponents.address == b->tile.exponents.address && a->tile.datums == b->tile.datums &&
           a->tile_position == b->tile_position && a->max_exponent == b->max_exponent &&
           memcmp(a->accumulated_tile_size, b->accumulated_tile_size, sizeof a->accumulated_tile_size) == 0;
}

static void compare(struct fixture *both[2], unsigned program, unsigned round)
{
    const struct tensix_state *a = &both[0]->state, *b = &both[1]->state;
    struct frontend held_a = held(both[0]), held_b = held(both[1]);
    if (!same_bytes(a, b, 0, offsetof(struct tensix_state, frontend)) ||
        !same_bytes(a, b, offsetof(struct tensix_state, sync), offsetof(struct tensix_state, pack)) ||
        !same_bytes(a, b, offsetof(struct tensix_state, mover), offsetof(struct tensix_state, pack_plan)) ||
        !same_bytes(a, b, offsetof(struct tensix_state, srca), sizeof *a) || !same_packer(&a->pack, &b->pack) ||
        memcmp(&held_a, &held_b, sizeof held_a) != 0 || memcmp(both[0]->l1_bytes, both[1]->l1_bytes, L1_SIZE) != 0) {
        fail_msg("program %u, round %u", program, round);
    }
    const struct diagnostics *in_a_row = &both[0]->diagnostics, *one_by_one = &both[1]->diagnostics;
    assert_int_equal(in_a_row->count, one_by_one->count);
    assert_int_equal(in_a_row->stopped, one_by_one->stopped);
    if (!held_a.wait.latched) { /* else nobody executes anything */
        assert_int_equal(in_a_row->now.instruction, one_by_one->now.instruction);
        assert_int_equal(in_a_row->now.pc, one_by_one->now.pc);
    }
}

/* Drops what both stopped at, or wait with, and gives the banks of Src to others. What executed last may have differed
   while a wait was latched, and nothing may execute in the next round. */
static void go_on(struct fixture *both[2])
{
    uint32_t owners = random_bits();
    both[1]->diagnostics.now = both[0]->diagnostics.now;
    for (unsigned i = 0; i < 2; i++) {
        struct tensix_state *state = &both[i]->state;
        state->frontend[THREAD].at_gate = false;
        state->frontend[THREAD].wait.latched = false;
        both[i]->diagnostics.stopped = false;
        both[i]->diagnostics.count = 0;
        for (unsigned bank = 0; bank < SRC_BANKS; bank++) {
            state->srca.owner[bank] = owners >> bank & 1 ? SRC_MATRIX_UNIT : SRC_UNPACKERS;
            state->srcb.owner[bank] = owners >> (2 + bank) & 1 ? SRC_MATRIX_UNIT : SRC_UNPACKERS;
        }
    }
}

static void bursts_do_what_their_instructions_do(void **state)
{
    void *other = NULL;
    assert_int_equal(fixture_setup(&other), 0);
    struct fixture *both[2] = {*state, other};
    uint64_t passed = 0, waits = 0, stops = 0;
    for (unsigned number = 0; number < PROGRAMS; number++) {
        const bool silicon = !one_in(3);
        diagnostics_set_policy(&both[0]->diagnostics, silicon ? BH_POLICY_SILICON : BH_POLICY_DEFAULT);
        diagnostics_set_policy(&both[1]->diagnostics, silicon ? BH_POLICY_SILICON : BH_POLICY_DEFAULT);
        load(both);
        for (unsigned round = 0; !frontend_idle(&both[0]->state.frontend[THREAD]) && round < ROUNDS; round++) {
            uint32_t limit = one_in(2) ? 0 : 1 + random_bits() % 64;
            for (unsigned i = 0; i < 2; i++) {
                struct frontend *frontend = &both[i]->state.frontend[THREAD];
                frontend->passed_limit = limit ? frontend->passed + limit : 0;
                uint32_t drained = frontend_drain(&both[i]->tensix, THREAD);
                passed += drained;
            }
            compare(both, number, round);
            stops += both[0]->diagnostics.stopped;
            waits += both[0]->state.frontend[THREAD].at_gate && !both[0]->diagnostics.stopped;
            go_on(both);
        }
        for (unsigned i = 0; i < 2; i++) { /* the next program begins anew */
            struct frontend *frontend = &both[i]->state.frontend[THREAD];
            frontend->mop.active = false;
            frontend->replay.mode = REPLAY_PASSES;
            frontend->fifo.count = 0;
            frontend->passed_limit = 0;
        }
    }
    assert_in_range(passed, 2 * 20 * PROGRAMS, UINT64_MAX);
    assert_in_range(waits, PROGRAMS / 8, UINT64_MAX);
    assert_in_range(stops, PROGRAMS / 8, UINT64_MAX);
    fixture_teardown(&other);
}

int main(void)
{
    seed = 0x9b05688c2b3e6c1f;
    const struct CMUnitTest tests[] = {ENGINE_TEST(bursts_do_what_their_instructions_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
