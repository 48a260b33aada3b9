/* bhemu-node: a job on several chips by processes that MPI starts. */
#include "host/files.h"
#include "host/process.h"

static char output[1 << 16];

static int run(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A command in the source folder, with mpirun as $run. */
static int run(const char *format, ...)
{
    char command[4096];
    int length = snprintf(command, sizeof command,
                          "exec 2>&1; cd %s; export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; "
                          "run='timeout 120 mpirun --oversubscribe'; node=%s/bhemu-node; ",
                          BHEMU_SOURCE_DIR, BHEMU_BUILD_DIR);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command + length, sizeof command - (size_t)length, format, arguments);
    va_end(arguments);
    return run_in_shell(command, output, sizeof output);
}

static void skip_where_it_can_not_run(void)
{
    if (access(BHEMU_BUILD_DIR "/bhemu-node", X_OK) != 0 || access(BHEMU_BUILD_DIR "/kernels/built", R_OK) != 0 ||
        strcmp(BHEMU_BUILD_DIR, BHEMU_SOURCE_DIR "/build") != 0 || run("$run -n 2 true") != 0) {
        skip();
    }
}

static void assert_says(const char *text)
{
    if (!strstr(output, text)) {
        fail_msg("no \"%s\" in:\n%s", text, output);
    }
}

static void ranks_make_no_difference(void **context)
{
    static const char *const modes[] = {"", "--timed"};
    const struct folder *folder = *context;
    static char one[sizeof output];
    skip_where_it_can_not_run();
    for (unsigned mode = 0; mode < 2; mode++) {
        for (unsigned ranks = 1; ranks <= 4; ranks++) {
            int code = run("$run -n %u $node run %s --output %s kernels/jobs/link_all_reduce.yaml", ranks, modes[mode],
                           folder->path);
            assert_int_equal(code, 0);
            assert_says("kernels/jobs/link_all_reduce.yaml: ok\n");
            assert_says("4 (4 compared, 4 as expected)");
            assert_says("digest");
            if (ranks == 1) {
                memcpy(one, output, sizeof one);
            }
            assert_string_equal(output, one);
        }
    }
}

static void it_goes_on_from_a_snapshot_with_other_ranks(void **context)
{
    const struct folder *folder = *context;
    static char one[sizeof output];
    skip_where_it_can_not_run();
    assert_int_equal(run("$run -n 3 $node run --output %s --save-every 20000 --save-folder %s/saved "
                         "kernels/jobs/link_matmul4.yaml; [ -r %s/saved/60480/manifest ]" /* 126 epochs */,
                         folder->path, folder->path, folder->path),
                     0);
    memcpy(one, output, sizeof one);
    assert_int_equal(run("$run -n 2 $node run --output %s --resume %s/saved kernels/jobs/link_matmul4.yaml; rm -r "
                         "%s/saved",
                         folder->path, folder->path, folder->path),
                     0);
    assert_says("kernels/jobs/link_matmul4.yaml: ok\n");
    assert_string_equal(output, one);
}

static void what_can_not_be_is_refused(void **context)
{
    const struct folder *folder = *context;
    skip_where_it_can_not_run();
    assert_int_not_equal(run("$run -n 3 $node run kernels/jobs/link_copy.yaml"), 0);
    assert_says("bhemu-node: kernels/jobs/link_copy.yaml: 3 ranks for 2 chips; each has at least one");
    assert_int_not_equal(run("$run -n 2 $node run kernels/jobs/add1.yaml"), 0);
    assert_says("bhemu-node: kernels/jobs/add1.yaml: it is on one chip, which bhemu run runs");
    assert_int_not_equal(run("$run -n 2 $node run --colour kernels/jobs/link_copy.yaml"), 0);
    assert_says("usage: mpirun -n RANKS bhemu-node run");
    /* Ranks that do not run the same. */
    assert_int_not_equal(run("cp kernels/jobs/link_copy.yaml %s/other.yaml; echo '# other' >> %s/other.yaml; "
                             "$run -n 1 $node run kernels/jobs/link_copy.yaml : -n 1 $node run %s/other.yaml",
                             folder->path, folder->path, folder->path),
                         0);
    assert_says("bhemu-node: rank 1 has another job file than rank 0");
    assert_int_not_equal(run("$run -n 1 $node run kernels/jobs/link_copy.yaml : -n 1 $node run --timed "
                             "kernels/jobs/link_copy.yaml"),
                         0);
    assert_says("bhemu-node: rank 1 runs in another mode than rank 0");
}

/* Rank 1 stops to answer. */
static void a_rank_that_does_not_answer_is_named(void **context)
{
    const struct folder *folder = *context;
    const uint32_t count[] = {addi(T0, T0, 1), jump(-4)};
    skip_where_it_can_not_run();
    put_elf(folder, "count.elf", 0x1000, count, 2);
    put_text(folder, "count.yaml",
             "system: x2\nlimit: 400000000000\nchips:\n  - chips: [0, 1]\n    tiles:\n"
             "      - {at: [1, 2], programs: [{core: T0, elf: count.elf}]}\n");
    /* $run is timeout, which runs mpirun, which runs the ranks. */
    assert_int_not_equal(run("cd %s; $run -n 2 $node run --patience 1 count.yaml & parent=$!; "
                             "for i in $(seq 500); do mpirun=$(pgrep -P $parent); "
                             "[ -n \"$mpirun\" ] && [ $(pgrep -x -P $mpirun bhemu-node | wc -l) = 2 ] && break; "
                             "sleep 0.02; done; sleep 0.5; "
                             "kill -STOP $(pgrep -x -P $mpirun bhemu-node | tail -n 1); wait $parent",
                             folder->path),
                         0);
    assert_says(" has not answered for 1 s at cycle ");
}

/* A host, test.host_command as such a program, whose chips ranks have. */
static void ranks_make_no_difference_to_a_host(void **context)
{
    static const char *const ways[] = {"-n 1 $node host", "-n 2 $node host", "-n 3 $node host --tcp"};
    static char one[sizeof output];
    skip_where_it_can_not_run();
    assert_int_equal(run("export BHEMU_POLICY=silicon; BHEMU_SYSTEM=x4 %s/tests/test.host_command send 2>/dev/null",
                         BHEMU_BUILD_DIR),
                     0);
    assert_says("chip 3: ");
    memcpy(one, output, sizeof one);
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        assert_int_equal(run("export BHEMU_POLICY=silicon; $run %s --system x4 %s/tests/test.host_command send "
                             "2>/dev/null",
                             ways[i], BHEMU_BUILD_DIR),
                         0);
        assert_string_equal(output, one);
    }
    assert_int_equal(run("$run -n 2 $node host sh -c 'exit 7'"), 7);
    assert_int_not_equal(run("$run -n 3 $node host true"), 0);
    assert_says("bhemu-node: x2: 3 ranks for 2 chips; each has at least one");
}

/* Each rank has one, and sees its chips only: together they come to what one host does. */
static void each_rank_has_a_host(void **context)
{
    static char one[sizeof output];
    skip_where_it_can_not_run();
    assert_int_equal(run("export BHEMU_POLICY=silicon; BHEMU_SYSTEM=x4 %s/tests/test.host_command send 2>/dev/null",
                         BHEMU_BUILD_DIR),
                     0);
    memcpy(one, output, sizeof one);
    assert_int_equal(run("export BHEMU_POLICY=silicon; ($run -n 2 $node host --each --lockstep --system x4 "
                         "%s/tests/test.host_command send 2>/dev/null) | sort",
                         BHEMU_BUILD_DIR),
                     0);
    assert_string_equal(output, one);
}

/* One of two ranks is killed while the host lets time pass: the host says so, and nothing is left. */
static void a_rank_that_dies_is_an_error_of_the_host(void **context)
{
    skip_where_it_can_not_run();
    for (unsigned i = 0; i < 2; i++) {
        assert_int_not_equal(
            run("file=$(mktemp); $run -n 2 $node host %s/tests/test.host_command count > $file 2>&1 & parent=$!; "
                "for i in $(seq 500); do grep -q counts $file && break; sleep 0.02; done; mpirun=$(pgrep -P $parent); "
                "kill -9 $(pgrep -x -P $mpirun bhemu-node | sed -n %up); wait $parent; code=$?; cat $file; rm $file; "
                "for i in $(seq 100); do pgrep -x -s 0 test.host_comman > /dev/null || break; sleep 0.02; done; "
                "pgrep -x -s 0 test.host_comman && echo left; exit $code",
                BHEMU_BUILD_DIR, i + 1),
            0);
        if (i == 1) { /* the host of rank 0 ends with it, perhaps before it has said something */
            assert_says("libttsim: error: Lost: rank ");
        }
        assert_null(strstr(output, "left"));
    }
}

/* Ranks that are killed leave their sockets: in a folder of these tests, whose path is short enough for sockets. */
static char sockets[] = "/tmp/bhemu-node-test-XXXXXX";

static int make_folder_of_sockets(void **context)
{
    return mkdtemp(sockets) && setenv("TMPDIR", sockets, 1) == 0 ? 0 : -1;
}

static int remove_folder_of_sockets(void **context)
{
    return system("rm -rf \"$TMPDIR\"") == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(ranks_make_no_difference),
        FOLDER_TEST(it_goes_on_from_a_snapshot_with_other_ranks),
        FOLDER_TEST(what_can_not_be_is_refused),
        FOLDER_TEST(a_rank_that_does_not_answer_is_named),
        cmocka_unit_test(ranks_make_no_difference_to_a_host),
        cmocka_unit_test(each_rank_has_a_host),
        cmocka_unit_test(a_rank_that_dies_is_an_error_of_the_host),
    };
    return cmocka_run_group_tests_name("node", tests, make_folder_of_sockets, remove_folder_of_sockets);
}
