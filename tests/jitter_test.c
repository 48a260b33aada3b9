/* bhemu run --jitter: a program that is right by a margin of time is found, the same seed gives the same run, and
   programs that are synchronised give what they give without it. */
#include "host/files.h"
#include "host/kernels.h"
#include "host/process.h"
#include "util/sanitized.h"

#include <stdbool.h>

static char output[1 << 14];

enum { ROUNDS_OF_WRITER = 40, ROUNDS_OF_READER = 80 };

/* B stores a word after some rounds of a loop, NC copies it after twice as many. */
static int set_up(void **context)
{
    struct folder *folder = calloc(1, sizeof *folder);
    make_folder(folder);
    const uint32_t writer[] = {lui(T0, 0x50000),  addi(T1, ZERO, ROUNDS_OF_WRITER),
                               addi(T1, T1, -1),  branch(BNE, T1, ZERO, -4),
                               addi(T1, ZERO, 7), sw(T1, T0, 16),
                               SELF_JUMP};
    const uint32_t reader[] = {lui(T0, 0x50000), addi(T1, ZERO, ROUNDS_OF_READER),
                               addi(T1, T1, -1), branch(BNE, T1, ZERO, -4),
                               lw(T1, T0, 16),   sw(T1, T0, 32),
                               SELF_JUMP};
    put_elf(folder, "writer.elf", 0x1000, writer, sizeof writer / sizeof writer[0]);
    put_elf(folder, "reader.elf", 0x2000, reader, sizeof reader / sizeof reader[0]);
    put_text(folder, "job.yaml",
             "limit: 100000\ntiles:\n  - at: [1, 2]\n    programs: [{core: B, elf: writer.elf}, {core: NC, elf: "
             "reader.elf}]\n    words: [{address: 0x50010, values: [0]}]\n"
             "    outputs: [{file: out.npy, address: 0x50020, shape: [1, 1], format: int32}]\n");
    *context = folder;
    return 0;
}

static int tear_down(void **context)
{
    remove_folder(*context);
    free(*context);
    return 0;
}

static int run(const struct folder *folder, const char *arguments)
{
    char command[2048];
    snprintf(command, sizeof command, "exec 2>&1; cd %s && %s/bhemu run -q %s", folder->path, BHEMU_BUILD_DIR,
             arguments);
    return run_in_shell(command, output, sizeof output);
}

static void a_margin_of_time_is_no_order(void **context)
{
    char first[sizeof output];
    assert_int_equal(run(*context, "--jitter 1..300 job.yaml"), 1);
    assert_contains(output, "gives other outputs than none");
    strcpy(first, output);
    assert_int_equal(run(*context, "--jitter 1..300 --threads 2 job.yaml"), 1);
    assert_string_equal(output, first); /* the same seed */
    assert_int_equal(run(*context, "--jitter 1..300 --engine plain job.yaml"), 1);
    assert_string_equal(output, first);
}

enum { HAND_OVER_A = 0x43000101, HAND_OVER_A_AHEAD = 0x43000121 };

/* T0 hands over SrcA by `hand_over_a`, and SrcB, which it clears, right behind that in a MOP; T1 waits for SrcA alone,
   and gives back both. */
static void copies_tiles(void **context, uint32_t hand_over_a)
{
    enum { TILES = 30, MOP_WORDS = 9, MOP_NOP = 0x02000000, MOP_TEMPLATE_1 = 0x01800000 };
    enum { HAND_OVER_B = 0x43800101, MOVA2D_8_ROWS = 0x12002000, RELEASE_BOTH = 0x37c00000 };
    const uint32_t mop[MOP_WORDS] = {1,           1,       hand_over_a, MOP_NOP,    MOP_NOP,
                                     HAND_OVER_B, MOP_NOP, HAND_OVER_B, HAND_OVER_B}; /* each loop once */
    uint32_t unpack[1 + 3 * MOP_WORDS + TILES + 1], math[2 * TILES + 1];
    unsigned words = 0;
    unpack[words++] = lui(T0, 0xffb80000);
    for (unsigned i = 0; i < MOP_WORDS; i++) {
        unpack[words++] = lui(T1, mop[i] & 0xfffff000);
        unpack[words++] = addi(T1, T1, mop[i] & 0xfff);
        unpack[words++] = sw(T1, T0, 4 * i);
    }
    for (unsigned i = 0; i < TILES; i++) {
        unpack[words++] = ttinsn(MOP_TEMPLATE_1);
        math[2 * i] = ttinsn(MOVA2D_8_ROWS);
        math[2 * i + 1] = ttinsn(RELEASE_BOTH);
    }
    unpack[words++] = math[2 * TILES] = SELF_JUMP;
    put_elf(*context, "unpack.elf", 0x6000, unpack, words);
    put_elf(*context, "math.elf", 0xa000, math, 2 * TILES + 1);
    put_text(*context, "copy.yaml",
             "limit: 100000\ntiles:\n  - at: [1, 2]\n    programs: [{core: T0, elf: unpack.elf}, {core: T1, elf: "
             "math.elf}]\n    words: [{address: 0x50010, values: [0]}]\n"
             "    outputs: [{file: out.npy, address: 0x50010, shape: [1, 1], format: int32}]\n");
    assert_int_equal(run(*context, "--jitter 1..300 copy.yaml"), 0);
    assert_contains(output, "the same with seeds 1 to 300\n");
    assert_int_equal(run(*context, "--timed --jitter 1..450 copy.yaml"), 0);
    assert_contains(output, "the same with seeds 1 to 450\n");
    put_text(*context, "ends", "synccheck.thread-idle\n"); /* neither core waits for its thread at its end */
    if (run(*context, "--check=synccheck --check-suppress ends --jitter 1..80 copy.yaml")) {
        fail_msg("%s", output); /* a bank is given back that nobody has */
    }
    assert_contains(output, "the same with seeds 1 to 80\n");
}

/* tt-llk's copy of a tile (llk_unpack_A.h, llk_math_eltwise_unary_datacopy.h). */
static void what_follows_a_hand_over_is_not_delayed(void **context)
{
    copies_tiles(context, HAND_OVER_A);
}

/* The same with UNPACR, which fills the next bank of SrcA while T1 has both. SrcB follows when T1 gives one back. */
static void what_waits_for_a_bank_is_not_delayed(void **context)
{
    copies_tiles(context, HAND_OVER_A_AHEAD);
}

static void kernels_of_the_project_give_the_same(void **context)
{
    static const char *const jobs[] = {"all_reduce",  "credits",     "dram_add", "dram_feed",
                                       "eltwise_add", "matmul_grid", "messages"};
    need_kernels_of_jobs();
    for (unsigned i = 0; i < 2 * sizeof jobs / sizeof jobs[0]; i++) {
        char arguments[300];
        snprintf(arguments, sizeof arguments, "%s --jitter 1..5 %s " BHEMU_SOURCE_DIR "/kernels/jobs/%s.yaml",
                 i & 1 ? "--timed" : "", i % 4 < 2 ? "--check" : "", jobs[i / 2]);
        if (run(*context, arguments)) {
            fail_msg("%s: %s", arguments, output);
        }
        assert_contains(output, "the same with seeds 1 to 5\n");
    }
}

/* Clocks, too: with a seed they are those of that seed on every run. */
static void a_seed_is_a_run(void **context)
{
    char first[sizeof output];
    assert_int_equal(run(*context, "--jitter 7 --log log.txt job.yaml && md5sum log.txt"), 0);
    strcpy(first, output);
    assert_int_equal(run(*context, "--jitter 7 --threads 2 --log log.txt job.yaml && md5sum log.txt"), 0);
    assert_string_equal(output, first);
    assert_int_equal(run(*context, "--jitter 8 --log log.txt job.yaml && md5sum log.txt"), 0);
    assert_string_not_equal(output, first);
}

static void try_seeds(const struct folder *folder, const char *mode, const char *name, int expected)
{
    char arguments[400];
    snprintf(arguments, sizeof arguments, "%s --jitter 1..40 --output . %s/kernels/mistakes/%s.yaml", mode,
             BHEMU_BUILD_DIR, name);
    if (run(folder, arguments) != expected) {
        fail_msg("%s: %s", arguments, output);
    }
}

/* What units have begun they do later than others find out: without the wait that is left out other bits come out. */
static void units_that_nobody_waits_for_are_late(void **context)
{
    static const struct {
        const char *mode, *name;
    } racy[] = {
        {"", "copy_zeroed_too_early"},        /* Dst, by the packer */
        {"", "copy_address_changed"},         /* configuration, by the packer */
        {"", "relu_out_pushed_too_early"},    /* L1, by the packer */
        {"", "relu_half_not_free"},           /* Dst, by the packer, and semaphores */
        {"", "loadind_used_at_once"},         /* GPRs, by the Scalar Unit */
        {"", "storeind_behind_atincget"},     /* GPRs of an atomic operation */
        {"", "xmov_not_waited_for"},          /* L1, by the mover */
        {"--timed", "copy_zeroed_too_early"}, /* the same with times of silicon */
        {"--timed", "relu_out_pushed_too_early"},
        {"--timed", "relu_a_popped_too_early"}, /* L1, by an unpacker */
        {"--timed", "xmov_not_waited_for"},
    };
    need_kernels();
    for (unsigned i = 0; i < sizeof racy / sizeof *racy; i += STRIDE_IF_SANITIZED(2)) {
        try_seeds(*context, racy[i].mode, racy[i].name, 1);
        assert_contains(output, "gives other outputs than none");
    }
}

static void units_that_are_waited_for_give_the_same(void **context)
{
    static const char *const right[] = {"relu",   "scalar", "mover", "copy",        "units",    "pack_and_load",
                                        "vector", "sync",   "cores", "two_threads", "requests", "ttsync"};
    need_kernels();
    for (unsigned i = 0; i < 2 * sizeof right / sizeof *right; i += STRIDE_IF_SANITIZED(3)) {
        try_seeds(*context, i & 1 ? "--timed" : "", right[i / 2], 0);
    }
}

/* What units have begun is part of a snapshot, and of the same run for any number of threads. */
static void a_snapshot_holds_what_units_have_begun(void **context)
{
    static const char *const modes[] = {"", "--timed"};
    need_kernels();
    for (unsigned i = 0; i < 2; i++) {
        char arguments[1000], all[sizeof output];
        const char *job = BHEMU_BUILD_DIR "/kernels/mistakes/relu_out_pushed_too_early.yaml";
        snprintf(arguments, sizeof arguments, "%s --jitter 9 --output . --log all.txt %s && tail -n 40 all.txt",
                 modes[i], job);
        assert_int_equal(run(*context, arguments), 0);
        strcpy(all, output);
        for (unsigned cycle = 1500; cycle < 6000; cycle += 1111) {
            snprintf(
                arguments, sizeof arguments,
                "%s --jitter 9 --output . --save-at %u half.snapshot %s && %s/bhemu run -q %s --threads 2 --jitter 9 "
                "--output . --log rest.txt --restore half.snapshot %s && tail -n 40 rest.txt",
                modes[i], cycle, job, BHEMU_BUILD_DIR, modes[i], job);
            assert_int_equal(run(*context, arguments), 0);
            assert_string_equal(output, all);
        }
    }
}

static void the_last_seed_ends_a_range(void **context)
{
    assert_int_equal(run(*context, "--jitter 18446744073709551614..18446744073709551615 job.yaml"), 0);
    assert_contains(output, "the same with seeds 18446744073709551614 to 18446744073709551615");
}

static void seeds_that_are_none_are_refused(void **context)
{
    static const char *const seeds[] = {"0", "x", "5..4", "1..", "..3", "1..x", "0..3"};
    for (unsigned i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        char arguments[100];
        snprintf(arguments, sizeof arguments, "--jitter %s job.yaml", seeds[i]);
        assert_int_equal(run(*context, arguments), 2);
        assert_contains(output, "is no seed from 1 on");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_margin_of_time_is_no_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_follows_a_hand_over_is_not_delayed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_waits_for_a_bank_is_not_delayed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kernels_of_the_project_give_the_same, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_seed_is_a_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(units_that_nobody_waits_for_are_late, set_up, tear_down),
        cmocka_unit_test_setup_teardown(units_that_are_waited_for_give_the_same, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_snapshot_holds_what_units_have_begun, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_last_seed_ends_a_range, set_up, tear_down),
        cmocka_unit_test_setup_teardown(seeds_that_are_none_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
