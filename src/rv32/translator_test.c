/* When code is translated, which cores share it, and when it is discarded. translate_test.c tests its results. */
#include "rv32/translate_fixture.h"

#include "rv32/execute.h"

enum { PROGRAM = 0x100, LENGTH = 5, ROUND = LENGTH, DATA = 0x8000, ENOUGH = 64 * ROUND };

static const uint8_t ids[TWIN_CORES] = {BH_CORE_B, BH_CORE_T1};

/* Tiles that share a translator. */
struct tiles {
    struct rv32_translator translator;
    struct twins tile[2];
};

static int setup(void **state)
{
    struct tiles *tiles = calloc(1, sizeof *tiles);
    assert_non_null(tiles);
    translator_create(&tiles->translator);
    for (unsigned i = 0; i < 2; i++) {
        twins_create(&tiles->tile[i], &tiles->translator, ids);
    }
    *state = tiles;
    return 0;
}

static int teardown(void **state)
{
    struct tiles *tiles = *state;
    for (unsigned i = 0; i < 2; i++) {
        twins_destroy(&tiles->tile[i]);
    }
    translator_destroy(&tiles->translator);
    free(tiles);
    return 0;
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#define NEEDS_TRANSLATION()                                                                                            \
    do {                                                                                                               \
        if (!translate_possible()) {                                                                                   \
            skip();                                                                                                    \
        }                                                                                                              \
    } while (0)

static void write_word(struct twins *twins, uint32_t address, uint32_t word)
{
    BOTH(twins, twin)
    {
        l1_store32(&twin->l1, address, word);
    }
}

/* A program that adds `step` to A1 and stores it, for ever. */
static void load(struct twins *twins, int32_t step)
{
    const uint32_t words[LENGTH] = {word_addi(A1, A1, step), word_r(RV32_OP_XOR, A2, A2, A1),
                                    word_s(RV32_OP_SW, A1, 0, S0), word_addi(A3, A3, 1),
                                    word_b(RV32_OP_BNE, S0, ZERO, -4 * (LENGTH - 1))};
    for (unsigned i = 0; i < LENGTH; i++) {
        write_word(twins, PROGRAM + 4 * i, words[i]);
    }
}

static void start(struct twins *twins, unsigned core)
{
    BOTH(twins, twin)
    {
        rv32_reset(&twin->core[core], PROGRAM);
        twin->core[core].x[S0] = DATA;
    }
}

/* Runs a core; from the second turn on by translated code if it can be translated. */
static void run(struct twins *twins, unsigned core)
{
    twins_turn(twins, core, ENOUGH, TWIN_RUNS);
    twins_heat(twins, core);
    twins_turn(twins, core, ENOUGH, TWIN_RUNS);
}

static bool is_translated(const struct twins *twins)
{
    return translator_entry(twins->translating.rv32[0].translator, &twins->translating.l1, PROGRAM) != 0;
}

/* How much A1 grows in an iteration. The predecoded addition is changed by 100, which shows whether the interpreter or
   translated code executed it. */
static uint32_t growth(struct twins *twins)
{
    struct twin *twin = &twins->translating;
    struct rv32_code *code = (struct rv32_code *)&twin->l1.code[PROGRAM / 4];
    uint32_t before = twin->core[0].x[A1];
    code->immediate += 100;
    assert_int_equal(rv32_run(&twin->rv32[0], ROUND), ROUND);
    code->immediate -= 100;
    return twin->core[0].x[A1] - before;
}

static void translated_code_is_what_is_executed(void **state)
{
    NEEDS_TRANSLATION();
    struct twins *twins = &((struct tiles *)*state)->tile[0];
    load(twins, 3);
    start(twins, 0);
    twins_turn(twins, 0, ENOUGH, TWIN_RUNS);
    assert_int_equal(growth(twins), 103);
    twins_heat(twins, 0);
    assert_true(is_translated(twins));
    assert_int_equal(growth(twins), 3);
}

static void what_begins_many_turns_is_translated(void **state)
{
    NEEDS_TRANSLATION();
    struct twins *twins = &((struct tiles *)*state)->tile[0];
    load(twins, 1);
    start(twins, 0);
    unsigned turns = 0;
    for (; turns < 100 && !is_translated(twins); turns++) {
        twins_turn(twins, 0, ENOUGH, TWIN_RUNS);
    }
    assert_in_range(turns, 2, 99);
}

static void turns_that_are_short_do_not_count(void **state)
{
    struct twins *twins = &((struct tiles *)*state)->tile[0];
    load(twins, 1);
    start(twins, 0);
    for (unsigned turns = 0; turns < 1000; turns++) {
        twins_turn(twins, 0, ROUND, TWIN_RUNS);
    }
    assert_false(is_translated(twins));
}

/* What counts is how often the code is executed on all tiles: a program that many run is translated at once. */
static void what_many_tiles_execute_is_translated_as_soon(void **state)
{
    NEEDS_TRANSLATION();
    struct tiles *tiles = *state;
    unsigned alone = 0, turns = 0;
    load(&tiles->tile[0], 1);
    start(&tiles->tile[0], 0);
    for (; alone < 100 && !is_translated(&tiles->tile[0]); alone++) {
        twins_turn(&tiles->tile[0], 0, ENOUGH, TWIN_RUNS);
    }
    for (unsigned i = 0; i < 2; i++) {
        load(&tiles->tile[i], 2);
        start(&tiles->tile[i], 0);
    }
    for (; turns < 100 && !is_translated(&tiles->tile[1]); turns++) {
        twins_turn(&tiles->tile[turns % 2], 0, ENOUGH, TWIN_RUNS);
    }
    assert_in_range(turns, alone, alone + 1); /* of both together */
    assert_true(is_translated(&tiles->tile[1]));
}

/* Of a loop that a core checks for polling for some rounds, another tile may know already that it does not poll. */
static void a_loop_that_polls_on_no_tile_is_entered_at_once(void **state)
{
    NEEDS_TRANSLATION();
    struct tiles *tiles = *state;
    for (unsigned i = 0; i < 2; i++) {
        load(&tiles->tile[i], 1);
        start(&tiles->tile[i], 0);
    }
    run(&tiles->tile[0], 0);
    uint32_t used = tiles->translator.used;
    twins_turn(&tiles->tile[1], 0, LENGTH - 1, TWIN_RUNS); /* up to the branch back, which is predecoded, not checked */
    twins_turn(&tiles->tile[1], 0, 1, TWIN_RUNS);
    ((struct rv32_code *)tiles->tile[1].translating.l1.code)[PROGRAM / 4 + LENGTH - 1].op = RV32_CODE_BNE_BACK;
    twins_heat(&tiles->tile[1], 0);
    assert_true(is_translated(&tiles->tile[1]));
    assert_int_equal(tiles->translator.used, used);
    twins_turn(&tiles->tile[1], 0, ENOUGH, TWIN_RUNS);
}

/* A jump through a register to where nothing can be entered: soon it is an entry. */
static void what_is_jumped_to_becomes_an_entry(void **state)
{
    NEEDS_TRANSLATION();
    struct twins *twins = &((struct tiles *)*state)->tile[0];
    enum { TARGET = PROGRAM + 12 };
    const uint32_t words[] = {word_addi(A1, A1, 1),
                              word_b(RV32_OP_BEQ, S0, ZERO, 8), /* never: so what is behind it belongs to the region */
                              word_i(RV32_OP_JALR, ZERO, S1, 0),
                              word_i(RV32_OP_LW, A3, S0, 0),
                              word_addi(A4, A4, 1),
                              word_s(RV32_OP_SW, A4, 0, S0),
                              word_b(RV32_OP_BNE, S0, ZERO, -24)};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        write_word(twins, PROGRAM + 4 * i, words[i]);
    }
    start(twins, 0);
    BOTH(twins, twin)
    {
        twin->core[0].x[S1] = TARGET;
    }
    for (unsigned turns = 0; turns < 200; turns++) {
        twins_turn(twins, 0, ENOUGH, TWIN_RUNS);
    }
    assert_true(translator_entry(twins->translating.rv32[0].translator, &twins->translating.l1, TARGET) != 0);
}

static void tiles_with_the_same_code_share_it(void **state)
{
    NEEDS_TRANSLATION();
    struct tiles *tiles = *state;
    for (unsigned i = 0; i < 2; i++) {
        load(&tiles->tile[i], 1);
        start(&tiles->tile[i], i); /* by cores with more and less local RAM */
    }
    run(&tiles->tile[0], 0);
    uint32_t used = tiles->translator.used;
    run(&tiles->tile[1], 1);
    assert_true(is_translated(&tiles->tile[1]));
    assert_int_equal(tiles->translator.used, used);
}

static void tiles_with_other_code_have_their_own(void **state)
{
    NEEDS_TRANSLATION();
    struct tiles *tiles = *state;
    for (unsigned i = 0; i < 2; i++) {
        load(&tiles->tile[i], 1 + (int32_t)i);
        start(&tiles->tile[i], 0);
        run(&tiles->tile[i], 0);
    }
    assert_true(translator_entry(&tiles->translator, &tiles->tile[0].translating.l1, PROGRAM) !=
                translator_entry(&tiles->translator, &tiles->tile[1].translating.l1, PROGRAM));
    assert_int_equal(growth(&tiles->tile[0]), 1);
    assert_int_equal(growth(&tiles->tile[1]), 2);
}

/* The limit is the size of the executing core's local RAM, not of the core for which it was translated. */
static void cores_reach_their_own_local_ram_only(void **state)
{
    NEEDS_TRANSLATION();
    struct twins *twins = &((struct tiles *)*state)->tile[0];
    load(twins, 1);
    write_word(twins, PROGRAM + 12, word_i(RV32_OP_LBU, A3, A4, 0));
    for (unsigned core = 0; core < TWIN_CORES; core++) {
        start(twins, core);
        BOTH(twins, twin)
        {
            twin->core[core].x[A4] = MEM_LOCAL_BASE + LOCAL_RAM_SIZE_T;
            memset(twin->ram[core], 0x11, LOCAL_RAM_SIZE);
            twin->loaded = 0x77;
        }
        run(twins, core);
    }
    assert_true(is_translated(twins));
    assert_int_equal(twins->translating.core[0].x[A3], 0x11);
    assert_int_equal(twins->translating.core[1].x[A3], 0x77);
}

static void what_is_written_over_code_is_executed(void **state)
{
    struct twins *twins = &((struct tiles *)*state)->tile[0];
    for (int32_t step = 1; step < 100; step++) {
        load(twins, step);
        start(twins, 0);
        run(twins, 0);
        assert_int_equal(twins->translating.core[0].x[A1], step * 2 * (ENOUGH / ROUND));
    }
}

/* Kernels that are loaded again reuse their translations, and those loaded before still have theirs. */
static void kernels_that_come_again_take_no_more_room(void **state)
{
    NEEDS_TRANSLATION();
    struct tiles *tiles = *state;
    uint32_t used = 0;
    for (int32_t i = 0; i < 300; i++) {
        load(&tiles->tile[0], 1 + i % 3);
        start(&tiles->tile[0], 0);
        run(&tiles->tile[0], 0);
        assert_true(is_translated(&tiles->tile[0]));
        used = i == 2 ? tiles->translator.used : used;
    }
    assert_int_equal(tiles->translator.used, used);
}

/* Loads other kernels until the code buffer is full. */
static void fill(struct tiles *tiles)
{
    for (int32_t i = 0; i < 20000 && !tiles->translator.full; i++) {
        write_word(&tiles->tile[0], PROGRAM, word_addi(A1, A1, i % 2000));
        write_word(&tiles->tile[0], PROGRAM + 12, word_addi(A3, A3, i / 2000));
        start(&tiles->tile[0], 0);
        twins_turn(&tiles->tile[0], 0, ENOUGH, TWIN_RUNS);
        twins_heat(&tiles->tile[0], 0);
    }
    assert_true(tiles->translator.full);
}

static void a_room_that_is_full_is_filled_anew_when_all_is_forgotten(void **state)
{
    NEEDS_TRANSLATION();
    struct tiles *tiles = *state;
    for (unsigned i = 0; i < 2; i++) {
        load(&tiles->tile[i], 1);
        start(&tiles->tile[i], 0);
        run(&tiles->tile[i], 0);
    }
    fill(tiles);
    load(&tiles->tile[0], 77); /* this kernel is interpreted; existing translations stay in use */
    for (unsigned i = 0; i < 2; i++) {
        start(&tiles->tile[i], 0);
        run(&tiles->tile[i], 0);
        assert_int_equal(is_translated(&tiles->tile[i]), i == 1);
    }
    for (unsigned i = 0; i < 2; i++) {
        l1_forget_translations(&tiles->tile[i].translating.l1);
        assert_false(is_translated(&tiles->tile[i]));
    }
    translator_forget(&tiles->translator);
    for (unsigned i = 0; i < 2; i++) {
        run(&tiles->tile[i], 0);
        assert_true(is_translated(&tiles->tile[i]));
    }
}

/* The core's instruction cache may hold stale code, whether it was translated or not. */
static void code_that_may_be_stale_is_told_of(void **state)
{
    struct twins *twins = &((struct tiles *)*state)->tile[0];
    BOTH(twins, twin)
    {
        twin->rv32[0].flushable = true;
        diagnostics_set_policy(&twin->diagnostics, BH_POLICY_STRICT);
    }
    load(twins, 1);
    start(twins, 0);
    run(twins, 0);
    load(twins, 1); /* the same program */
    run(twins, 0);
    assert_false(twins->translating.diagnostics.stopped);
    write_word(twins, PROGRAM + 12, word_addi(A3, A3, 2));
    twins_turn(twins, 0, ENOUGH, TWIN_RUNS);
    assert_true(twins->translating.diagnostics.stopped);
    assert_int_equal(twins->translating.diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
    assert_int_equal(twins->translating.core[0].pc, PROGRAM + 12);
}

static void a_flush_makes_what_was_written_good(void **state)
{
    struct twins *twins = &((struct tiles *)*state)->tile[0];
    BOTH(twins, twin)
    {
        twin->rv32[0].flushable = true;
        diagnostics_set_policy(&twin->diagnostics, BH_POLICY_STRICT);
    }
    for (int32_t step = 1; step < 10; step++) {
        load(twins, step);
        start(twins, 0);
        BOTH(twins, twin)
        {
            rv32_flush_cache(&twin->rv32[0]);
        }
        run(twins, 0);
        assert_false(twins->translating.diagnostics.stopped);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(translated_code_is_what_is_executed),
        TEST(what_begins_many_turns_is_translated),
        TEST(turns_that_are_short_do_not_count),
        TEST(what_many_tiles_execute_is_translated_as_soon),
        TEST(a_loop_that_polls_on_no_tile_is_entered_at_once),
        TEST(what_is_jumped_to_becomes_an_entry),
        TEST(tiles_with_the_same_code_share_it),
        TEST(tiles_with_other_code_have_their_own),
        TEST(cores_reach_their_own_local_ram_only),
        TEST(what_is_written_over_code_is_executed),
        TEST(kernels_that_come_again_take_no_more_room),
        TEST(a_room_that_is_full_is_filled_anew_when_all_is_forgotten),
        TEST(code_that_may_be_stale_is_told_of),
        TEST(a_flush_makes_what_was_written_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
