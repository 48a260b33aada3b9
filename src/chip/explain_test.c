/* Hangs are told of once: tiles of which the same is to be said share a diagnostic. An interrupted run tells who waits
   for what. */
#include <stdio.h>
#include <string.h>

#include "chip/device_fixture.h"
#include "chip/rv32_words.h"

enum { KEPT = 16, FLAG = 0x20000, PC = 0x1000, BRANCH_BACK = 0xfe030ee3, JUMP_BACK = 0xffdff06f };

struct told {
    struct bh_device *device;
    volatile sig_atomic_t interrupted;
    unsigned count;
    struct bh_diagnostic diagnostic[KEPT];
};

static void keep(void *context, const struct bh_diagnostic *diagnostic)
{
    struct told *told = context;
    told->diagnostic[told->count++ % KEPT] = *diagnostic;
}

static int set_up_told(void **context)
{
    struct told *told = calloc(1, sizeof *told);
    struct bh_device_config config = {.on_diagnostic = keep, .context = told, .interrupted = &told->interrupted};
    *context = told;
    return bh_device_create(&config, &told->device) == BH_OK ? 0 : -1;
}

static int tear_down_told(void **context)
{
    struct told *told = *context;
    bh_device_destroy(told->device);
    free(told);
    return 0;
}

static void start(struct told *told, unsigned x, unsigned y, enum bh_core core, uint32_t pc, const uint32_t *words,
                  unsigned count)
{
    assert_int_equal(bh_write(told->device, x, y, pc, words, count * 4), BH_OK);
    assert_int_equal(bh_core_start(told->device, x, y, core, pc), BH_OK);
}

/* T0 polls a word that nobody writes. */
static void poll(struct told *told, unsigned x, unsigned y, uint32_t pc)
{
    const uint32_t program[] = {lui(T0, FLAG), lw(T1, T0, 0), BRANCH_BACK, SELF_JUMP};
    start(told, x, y, BH_CORE_T0, pc, program, 4);
}

static void on_all_tiles(struct told *told, uint32_t step)
{
    uint32_t pc = PC;
    for (unsigned y = 2; y <= 11; y++) {
        for (unsigned x = 1; x <= 16; x = x == 7 ? 10 : x + 1) {
            poll(told, x, y, pc);
            pc += step;
        }
    }
}

static void tiles_that_hang_alike_are_told_of_together(void **context)
{
    struct told *told = *context;
    on_all_tiles(told, 0);
    struct bh_run_result result;
    assert_int_equal(bh_run(told->device, 1000000000, &result), BH_ERROR_STOPPED);
    assert_int_equal(result.reason, BH_RAN_DEADLOCK);
    assert_int_equal(told->count, 1);
    const struct bh_diagnostic *only = &told->diagnostic[0];
    assert_int_equal(only->tile_x, 1);
    assert_int_equal(only->tile_y, 2);
    assert_int_equal(only->action, BH_STOP);
    assert_int_equal(only->places_count, 1);
    assert_string_equal(only->text,
                        "core T0 at 0x00001004 polls 0x00020000 in L1, reads 0x0: nobody writes it\n"
                        "  139 more tiles like (1,2): (2,2), (3,2), (4,2), (5,2), (6,2), (7,2), (10,2), (11,2), "
                        "...");
    bh_report(told->device); /* the same, as a warning */
    assert_int_equal(told->count, 2);
    assert_int_equal(told->diagnostic[1].action, BH_WARN);
    assert_string_equal(told->diagnostic[1].text, only->text);
}

static void tiles_that_hang_otherwise_are_told_of_by_themselves(void **context)
{
    struct told *told = *context;
    poll(told, 1, 2, PC);
    poll(told, 2, 2, PC);
    poll(told, 3, 2, PC + 16);
    poll(told, 4, 2, PC);
    assert_int_equal(bh_run(told->device, 1000000000, NULL), BH_ERROR_STOPPED);
    assert_int_equal(told->count, 2);
    assert_non_null(strstr(told->diagnostic[0].text, "writes it\n  2 more tiles like (1,2): (2,2), (4,2)"));
    assert_null(strstr(told->diagnostic[0].text, "..."));
    assert_int_equal(told->diagnostic[1].tile_x, 3);
    assert_non_null(strstr(told->diagnostic[1].text, "core T0 at 0x00001014 polls"));
    assert_null(strstr(told->diagnostic[1].text, "more"));
}

static void no_more_than_eight_are_told_of(void **context)
{
    struct told *told = *context;
    on_all_tiles(told, 16);
    assert_int_equal(bh_run(told->device, 1000000000, NULL), BH_ERROR_STOPPED);
    assert_int_equal(told->count, 8);
    assert_null(strstr(told->diagnostic[6].text, "more"));
    assert_non_null(strstr(told->diagnostic[7].text, "nobody writes it\n  132 more tiles in other ways"));
}

/* T0 polls, NC counts: no deadlock. */
static void an_interrupted_run_ends_and_can_tell_who_waits(void **context)
{
    struct told *told = *context;
    const uint32_t count[] = {addi(T0, T0, 1), JUMP_BACK};
    poll(told, 1, 2, PC);
    start(told, 1, 2, BH_CORE_NC, 0x2000, count, 2);
    struct bh_run_result result;
    assert_int_equal(bh_run(told->device, 5000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_CYCLES);
    assert_int_equal(result.cycles, 5000);
    told->interrupted = 1;
    assert_int_equal(bh_run(told->device, 1000000000000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_INTERRUPTED);
    assert_in_range(result.cycles, 0, 100000);
    assert_int_equal(told->count, 0);
    bh_report(told->device);
    assert_int_equal(told->count, 1);
    assert_int_equal(told->diagnostic[0].action, BH_WARN);
    assert_non_null(strstr(told->diagnostic[0].text,
                           " polls 0x00020000 in L1, reads 0x0: nobody writes it\n  core NC at "
                           "0x0000200"));
    told->interrupted = 0;
    assert_int_equal(bh_run(told->device, 5000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_CYCLES);
    assert_int_equal(result.cycles, 5000);
}

/* A core T pushes `count` words, and ends. */
static void push(struct told *told, enum bh_core core, uint32_t pc, const uint32_t *words, unsigned count)
{
    enum { ROTATED = 2, MOST = 8 };
    uint32_t program[MOST + 1];
    for (unsigned i = 0; i < count; i++) { /* .ttinsn */
        program[i] = words[i] << ROTATED | words[i] >> (32 - ROTATED);
    }
    program[count] = SELF_JUMP;
    start(told, 1, 2, core, pc, program, count + 1);
}

/* T1's instruction that would end T0's wait is itself held at the gate: T1's wait is the root, or part of a circle. */
static void what_would_end_a_wait_may_be_held(void **context)
{
    enum { SEMWAIT_3 = 0xa6010021, SEMGET_3 = 0xa5000020, SEMPOST_3 = 0xa4000020, STALLWAIT_SRCB_VLD = 0xa2010100 };
    enum { SEMPOST_4 = 0xa4000040, SEMWAIT_4 = 0xa6010041 };
    static const uint32_t first[2][2] = {{SEMWAIT_3, SEMGET_3}, {SEMWAIT_3, SEMPOST_4}};
    static const uint32_t second[2][2] = {{STALLWAIT_SRCB_VLD, SEMPOST_3}, {SEMWAIT_4, SEMPOST_3}};
    static const char *const roots[] = {
        "thread T1 waits for SrcB; nothing unpacks to it",
        "thread T0 waits for semaphore 3, thread T1 for semaphore 4: a circle",
    };
    for (unsigned circle = 0; circle < 2; circle++) {
        struct told *told = *context;
        push(told, BH_CORE_T0, PC, first[circle], 2);
        push(told, BH_CORE_T1, PC + 0x1000, second[circle], 2);
        assert_int_equal(bh_run(told->device, 1000000000, NULL), BH_ERROR_STOPPED);
        assert_int_equal(told->count, 1);
        assert_non_null(strstr(told->diagnostic[0].text, roots[circle]));
        tear_down_told(context);
        set_up_told(context);
    }
}

/* MOVB2D needs no SrcA. */
static void an_instruction_waits_for_the_banks_that_it_needs(void **context)
{
    static const uint32_t movb2d[] = {0x1300c000};
    struct told *told = *context;
    push(told, BH_CORE_T1, PC, movb2d, 1);
    assert_int_equal(bh_run(told->device, 1000000000, NULL), BH_ERROR_STOPPED);
    assert_non_null(strstr(told->diagnostic[0].text, "SrcB bank 0 belongs to the unpackers: nothing was unpacked"));
    assert_null(strstr(told->diagnostic[0].text, "SrcA"));
}

/* T0 waits for the bank of SrcB that the matrix unit has, since its instruction is to clear that one. */
static void an_unpacker_that_clears_waits_for_the_bank_of_the_matrix_unit(void **context)
{
    enum { SETDVALID_B = 0x57000002, UNPACR_NOP_CLEARS_B = 0x43800101 };
    struct told *told = *context;
    push(told, BH_CORE_T0, PC, (const uint32_t[]){SETDVALID_B, UNPACR_NOP_CLEARS_B}, 2);
    assert_int_equal(bh_run(told->device, 1000000000, NULL), BH_ERROR_STOPPED);
    assert_int_equal(told->count, 1);
    assert_non_null(strstr(told->diagnostic[0].text, "thread T0 has passed all instructions, unpacker 1 has begun "
                                                     "UNPACR_NOP 0x43800101 pushed at 0x00001004"));
    assert_non_null(strstr(told->diagnostic[0].text, "SrcB bank 0 belongs to the matrix unit"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_told, tear_down_told)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tiles_that_hang_alike_are_told_of_together),
        TEST(tiles_that_hang_otherwise_are_told_of_by_themselves),
        TEST(no_more_than_eight_are_told_of),
        TEST(an_interrupted_run_ends_and_can_tell_who_waits),
        TEST(an_unpacker_that_clears_waits_for_the_bank_of_the_matrix_unit),
        TEST(what_would_end_a_wait_may_be_held),
        TEST(an_instruction_waits_for_the_banks_that_it_needs),
    };
    return cmocka_run_group_tests_name("chip.explain", tests, NULL, NULL);
}
