/* bhemu diff: what it says of a peer that does the same, of one with a wrong bit, and of those that fail. */
#include "host/files.h"
#include "host/kernels.h"
#include "host/process.h"

static char output[1 << 14];

static int set_up(void **context)
{
    struct folder *folder = calloc(1, sizeof *folder);
    make_folder(folder);
    const uint32_t store[] = {lui(T0, 0x50000), addi(T1, ZERO, 7), sw(T1, T0, 16), SELF_JUMP};
    put_elf(folder, "store.elf", 0x1000, store, sizeof store / sizeof store[0]);
    put_text(folder, "job.yaml",
             "tiles:\n  - at: [1, 2]\n    programs: [{core: T1, elf: store.elf}]\n"
             "    outputs: [{file: out.npy, address: 0x50000, shape: [1, 8], format: int32}]\n");
    *context = folder;
    return 0;
}

static int tear_down(void **context)
{
    remove_folder(*context);
    free(*context);
    return 0;
}

/* `bhemu diff ARGUMENTS job.yaml` with ODD_PEER. Returns its exit code. */
static int diff(const struct folder *folder, const char *odd, const char *arguments)
{
    char command[2048];
    snprintf(command, sizeof command, "exec 2>&1; cd %s && ODD_PEER=%s %s/bhemu diff %s job.yaml", folder->path, odd,
             BHEMU_BUILD_DIR, arguments);
    return run_in_shell(command, output, sizeof output);
}

#define ODD "--peer " BHEMU_BUILD_DIR "/tests/libodd_peer.so"

static void a_peer_that_does_the_same_is_the_same(void **context)
{
    assert_int_equal(diff(*context, "none", "--peer " BHEMU_BUILD_DIR "/libttsim.so"), 0);
    assert_contains(output, "job.yaml: the same on ");
    assert_int_equal(diff(*context, "none", ODD), 0);
    assert_contains(output, ": 1.5 MiB of L1 and DRAM after ");
    assert_int_equal(count_files(*context, 0), 2); /* no output is written */
}

static void a_wrong_bit_is_found_with_what_wrote_the_byte(void **context)
{
    assert_int_equal(diff(*context, "flip", ODD), 1);
    assert_contains(output, ": 1 byte in 1 place, first at 0x00050010 of tile (1,2): 0x07 here, 0x06 there\n");
    assert_contains(output, "  in out.npy (int32): element 4: 7 here, 6 there\n");
    assert_contains(output, "  written last here at clock 2 by tile (1,2) core T1 pc 0x00001008 [sw t1,16(t0)]\n");
}

/* The job stores what it counts. */
static void count_down(const struct folder *folder)
{
    const uint32_t count[] = {lui(T0, 0x50000), addi(T1, ZERO, 2000),      sw(T1, T0, 16),
                              addi(T1, T1, -1), branch(BNE, T1, ZERO, -8), SELF_JUMP};
    put_elf(folder, "store.elf", 0x1000, count, sizeof count / sizeof count[0]);
}

static void timed_runs_are_compared_on_the_way(void **context)
{
    char *at;
    count_down(*context);
    assert_int_equal(diff(*context, "none", ODD " --timed"), 0);
    assert_non_null(at = strstr(output, " after "));
    unsigned long cycles = strtoul(at + 7, &at, 10);
    assert_true(cycles > 4000);
    assert_contains(at, " modelled cycles\n");
    assert_int_equal(diff(*context, "none", ODD " --timed --every 700"), 0);
    char said[100];
    snprintf(said, sizeof said, " after %lu modelled cycles, and at %lu clocks before\n", cycles, cycles / 700);
    assert_contains(output, said);
    assert_int_equal(diff(*context, "late", ODD " --timed --every 300"), 1);
    assert_contains(output, "libodd_peer.so after 2700 modelled cycles, not 300 before: 1 byte in 1 place, first at "
                            "0x00050010 of tile (1,2): ");
    assert_non_null(at = strstr(output, "written last here at clock "));
    assert_in_range(strtoul(at + strlen("written last here at clock "), &at, 10), 2680, 2699);
    assert_contains(at, " by tile (1,2) core T1 pc 0x00001008 [sw t1,16(t0)]\n");
    assert_int_equal(diff(*context, "late", ODD " --timed --every 2500"), 1);
    assert_contains(output, " after 2500 modelled cycles, not 2500 before: ");
    assert_int_equal(diff(*context, "late", ODD " --timed --every 100000"), 1); /* only the end is looked at */
    assert_contains(output, "libodd_peer.so: 1 byte in 1 place, ");
}

/* Both see what crosses the NoC where a quantum ends, wherever they look. */
static void transfers_under_way_are_no_difference(void **context)
{
    static const unsigned every[] = {3, 10, 100};
    need_kernels_of_jobs();
    for (unsigned i = 0; i < sizeof every / sizeof every[0]; i++) {
        char command[1024];
        snprintf(command, sizeof command,
                 "exec 2>&1; %s/bhemu diff --timed --every %u --peer %s/libttsim.so " BHEMU_SOURCE_DIR
                 "/kernels/jobs/dram_add.yaml",
                 BHEMU_BUILD_DIR, every[i], BHEMU_BUILD_DIR);
        assert_int_equal(run_in_shell(command, output, sizeof output), 0);
        assert_contains(output, "dram_add.yaml: the same on ");
    }
    (void)context;
}

static void peers_that_fail_are_explained(void **context)
{
    static const struct {
        const char *odd, *arguments, *said;
        int code;
    } peers[] = {
        {"exit", ODD, "ended its process with exit code 7: nothing like this is implemented\n", 6},
        {"crash", ODD, "ended by signal 6 (Aborted)\n", 6},
        {"hang", ODD " --seconds 1", "has not ended within 1 s\n", 5},
        {"none", "--peer ./none.so", "bhemu: ./none.so can not be a peer: ./none.so: cannot open shared object file",
         2},
        {"none", "--peer libm.so.6", "libm.so.6 can not be a peer: it has no function libttsim_pci_mem_rd_bytes\n", 2},
    };
    for (unsigned i = 0; i < sizeof peers / sizeof *peers; i++) {
        assert_int_equal(diff(*context, peers[i].odd, peers[i].arguments), peers[i].code);
        assert_contains(output, peers[i].said);
    }
}

/* Of several chips a peer would have to be a system, too. */
static void jobs_on_several_chips_are_refused(void **context)
{
    put_text(*context, "job.yaml",
             "system: x2\nchips:\n  - chips: [0]\n    tiles:\n      - at: [1, 2]\n"
             "        programs: [{core: T1, elf: store.elf}]\n");
    assert_int_equal(diff(*context, "none", ODD), 2);
    assert_contains(output, "it is on several chips; jobs on one chip can be compared\n");
}

static void the_command_line_is_checked(void **context)
{
    assert_int_equal(diff(*context, "none", ""), 2);
    assert_contains(output, "usage: bhemu diff");
    assert_int_equal(diff(*context, "none", ODD " --seconds x"), 2);
    assert_contains(output, "'x' is no number of seconds");
    assert_int_equal(diff(*context, "none", ODD " --timed --every 0"), 2);
    assert_contains(output, "'0' is no number of cycles");
    assert_int_equal(diff(*context, "none", ODD " --every 100"), 2);
    assert_contains(output, "--every is for --timed");
    assert_int_equal(diff(*context, "none", ODD " none.yaml"), 2);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_peer_that_does_the_same_is_the_same), TEST(a_wrong_bit_is_found_with_what_wrote_the_byte),
        TEST(timed_runs_are_compared_on_the_way),    TEST(transfers_under_way_are_no_difference),
        TEST(peers_that_fail_are_explained),         TEST(jobs_on_several_chips_are_refused),
        TEST(the_command_line_is_checked),
    };
    return cmocka_run_group_tests_name("diff_command", tests, NULL, NULL);
}
