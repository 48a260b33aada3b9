/* A suite of 100 jobs in one process, each on a device of its own. Every fifth fails, each in another way: the others
   have the results, clocks and digests that they have before any failed, and none costs threads or files. */
#include "job_fixture.h"

#include "process.h"

enum { JOBS = 100, FAILS_EVERY = 5, RESULT = 0x30000 };

#define TILE "tiles:\n  - at: [1, 2]\n"
#define RUNS(core, elf) TILE "    programs: [{core: " core ", elf: " elf "}]\n"

static const struct {
    const char *text;
    enum bh_status status;
    const char *cause;
    int category; /* of the diagnostic that stops it; -1: none does */
} bad[] = {
    {RUNS("T0", "wild.elf"), BH_ERROR_STOPPED, "UndefinedBehavior", BH_UNDEFINED_BEHAVIOR},
    {RUNS("T0", "jump.elf"), BH_ERROR_STOPPED, "UndefinedBehavior", BH_UNDEFINED_BEHAVIOR},
    {RUNS("T0", "mailbox.elf"), BH_ERROR_STOPPED, "Deadlock", BH_DEADLOCK},
    {RUNS("T0", "polls.elf"), BH_ERROR_STOPPED, "Deadlock", BH_DEADLOCK},
    {RUNS("T0", "ebreak.elf"), BH_ERROR_STOPPED, "Deadlock", BH_DEADLOCK},
    {"policy: strict\n" RUNS("T0", "ebreak.elf"), BH_ERROR_STOPPED, "NonContractual", BH_NON_CONTRACTUAL},
    {RUNS("T0", "unpack.elf"), BH_ERROR_STOPPED, "", BH_UNDEFINED_BEHAVIOR},
    {"limit: 1000\n" RUNS("T0", "counts.elf"), BH_ERROR_STOPPED, "not finished after 1000", -1},
    {RUNS("T0", "short.elf"), BH_ERROR_FORMAT, "short.elf", -1},
    {RUNS("T0", "text.elf"), BH_ERROR_FORMAT, "text.elf", -1},
    {RUNS("T0", "none.elf"), BH_ERROR_IO, "none.elf", -1},
    {RUNS("T9", "wild.elf"), BH_ERROR_FORMAT, "T9", -1},
    {"tiles:\n  - at: [9, 9]\n", BH_ERROR_ARGUMENT, "there is no tile", -1},
    {"colour: red\n" TILE, BH_ERROR_FORMAT, "colour", -1},
    {"{", BH_ERROR_FORMAT, "job.yaml", -1},
    {TILE "    inputs: [{file: text.elf, address: 0x20000, format: bf16}]\n", BH_ERROR_FORMAT, "text.elf", -1},
    {TILE "    outputs: [{file: no/folder/out.npy, address: 0x20000, shape: [1, 1], format: bf16}]\n", BH_ERROR_IO,
     "no/folder/out.npy", -1},
    {"system: x2\nchips:\n  - chips: [7]\n    tiles: [{at: [1, 2]}]\n", BH_ERROR_FORMAT, "there is no chip 7", -1},
    {"system: x2\nchips:\n  - chips: [1]\n    tiles:\n      - at: [1, 2]\n        programs: [{core: T0, elf: "
     "wild.elf}]\n",
     BH_ERROR_STOPPED, "chip 1: UndefinedBehavior", BH_UNDEFINED_BEHAVIOR},
    {"system: x2\nchips:\n  - chips: [0]\n    tiles:\n      - at: [1, 2]\n        programs: [{core: T0, elf: "
     "polls.elf}]\n",
     BH_ERROR_STOPPED, "chip 0: Deadlock", BH_DEADLOCK},
};

static void put_programs(const struct folder *folder)
{
    const uint32_t wild[] = {lui(T0, 0x50000000), sw(0, T0, 0), SELF_JUMP};
    const uint32_t jumps[] = {lui(T0, 0x50000000), T0 << 15 | 0x67};
    const uint32_t mailbox[] = {lui(T0, 0xFFEC0000), lw(T1, T0, 0), SELF_JUMP};
    const uint32_t polls[] = {lui(T0, 0x30000), lw(T1, T0, 0), branch(BEQ, T1, ZERO, -4), SELF_JUMP};
    const uint32_t ebreak[] = {0x00100073, SELF_JUMP}, counts[] = {addi(T0, T0, 1), jump(-4)};
    const uint32_t no_such_instruction[] = {UINT32_C(0xffffffff) << 2 | 2, SELF_JUMP};
    /* Stores the word that the job has put behind it. */
    const uint32_t good[] = {lui(T0, 0x20000),    lw(T1, T0, 0),    lui(T0, RESULT),           sw(T1, T0, 0),
                             addi(T2, ZERO, 500), addi(T2, T2, -1), branch(BNE, T2, ZERO, -4), SELF_JUMP};
    put_elf(folder, "wild.elf", 0x1000, wild, 3);
    put_elf(folder, "jump.elf", 0x1000, jumps, 2);
    put_elf(folder, "mailbox.elf", 0x1000, mailbox, 3);
    put_elf(folder, "polls.elf", 0x1000, polls, 4);
    put_elf(folder, "ebreak.elf", 0x1000, ebreak, 2);
    put_elf(folder, "counts.elf", 0x1000, counts, 2);
    put_elf(folder, "unpack.elf", 0x1000, no_such_instruction, 2);
    put_elf(folder, "good.elf", 0x1000, good, sizeof good / sizeof good[0]);
    put_text(folder, "short.elf",
             "\x7f"
             "ELF");
    put_text(folder, "text.elf", "no ELF, and no array\n");
}

static int set_up(void **context)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    make_folder(&fixture->folder);
    put_programs(&fixture->folder);
    *context = fixture;
    return 0;
}

static int tear_down(void **context)
{
    struct fixture *fixture = *context;
    remove_folder(&fixture->folder);
    free(fixture);
    return 0;
}

static unsigned open_files(void)
{
    unsigned count = 0;
    DIR *files = opendir("/proc/self/fd");
    while (files && readdir(files)) {
        count++;
    }
    closedir(files);
    return count;
}

static struct bh_job_result run_good(struct fixture *fixture, unsigned number)
{
    char text[400];
    snprintf(text, sizeof text,
             RUNS("T0", "good.elf") "    words: [{address: 0x20000, values: [%u]}]\n"
                                    "    outputs: [{file: out.npy, address: 0x30000, shape: [1, 1], format: int32}]\n",
             1000 + number);
    fixture->diagnostics = 0;
    if (run(fixture, text) != BH_OK) {
        fail_msg("job %u: %s", number, fixture->error.text);
    }
    assert_int_equal(fixture->diagnostics, 0);
    return fixture->result;
}

static void run_bad(struct fixture *fixture, unsigned kind)
{
    fixture->diagnostics = 0;
    enum bh_status status = run(fixture, bad[kind].text);
    if (status != bad[kind].status || !strstr(fixture->error.text, bad[kind].cause)) {
        fail_msg("case %u: %s: %s", kind, bh_status_name(status), fixture->error.text);
    }
    if (bad[kind].category >= 0) {
        assert_true(fixture->diagnostics >= 1);
        assert_int_equal(fixture->last.category, bad[kind].category);
        assert_int_equal(fixture->last.action, BH_STOP);
    }
}

static void jobs_that_fail_leave_the_others_alone(void **context)
{
    static struct bh_job_result before[JOBS];
    struct fixture *fixture = *context;
    for (unsigned i = 0; i < JOBS; i++) {
        before[i] = run_good(fixture, i);
    }
    unsigned files = open_files(), threads = threads_of_this_process(), kind = 0;
    for (unsigned i = 0; i < JOBS; i++) {
        if (i % FAILS_EVERY == FAILS_EVERY - 1) {
            run_bad(fixture, kind++);
            continue;
        }
        struct bh_job_result now = run_good(fixture, i);
        assert_memory_equal(&now.run, &before[i].run, sizeof now.run);
        assert_true(now.digest == before[i].digest && now.digest != before[(i + 1) % JOBS].digest);
    }
    assert_int_equal(kind, sizeof bad / sizeof bad[0]);
    assert_int_equal(open_files(), files);
    assert_int_equal(threads_of_this_process(), threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(jobs_that_fail_leave_the_others_alone, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("host.suite", tests, NULL, NULL);
}
