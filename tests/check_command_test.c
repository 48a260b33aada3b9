/* bhemu run --check: findings with their places, its exit codes, files; and that the project's own kernels have none.
 */
#include <stdbool.h>

#include "host/files.h"
#include "host/kernels.h"
#include "host/process.h"

enum { FENCE = 0x0ff0000f };

static char output[1 << 16];

/* B writes a word of data and a flag; NC reads both, and does not wait for the flag unless it `polls`. */
static void put_programs(const struct folder *folder, bool polls)
{
    const uint32_t writer[] = {lui(T0, 0x50000), addi(T1, ZERO, 7), sw(T1, T0, 16),
                               sw(T1, T0, 32),   lw(T2, T0, 32),    SELF_JUMP};
    const uint32_t reader[] = {lui(T0, 0x50000), FENCE,
                               lw(T2, T0, 32),   polls ? branch(BEQ, T2, ZERO, -8) : addi(ZERO, ZERO, 0),
                               lw(T1, T0, 16),   SELF_JUMP};
    put_elf(folder, "writer.elf", 0x1000, writer, sizeof writer / sizeof writer[0]);
    put_elf(folder, "reader.elf", 0x2000, reader, sizeof reader / sizeof reader[0]);
    put_text(folder, "job.yaml",
             "limit: 100000\ntiles:\n  - at: [1, 2]\n    programs: [{core: B, elf: writer.elf}, {core: NC, elf: "
             "reader.elf}]\n    words: [{address: 0x50020, values: [0]}]\n");
}

static int run(const struct folder *folder, const char *arguments)
{
    char command[2048];
    snprintf(command, sizeof command, "exec 2>&1; cd %s && %s/bhemu run -q %s", folder->path, BHEMU_BUILD_DIR,
             arguments);
    return run_in_shell(command, output, sizeof output);
}

static void a_race_has_both_places_and_an_exit_code(void **context)
{
    put_programs(*context, false);
    assert_int_equal(run(*context, "--check=racecheck --check-report report.json job.yaml"), 3);
    assert_contains(output, "check: racecheck.l1: error: ");
    assert_contains(output, "0x50010");
    assert_contains(output, "  mend: ");
    assert_int_equal(run(*context, "job.yaml"), 0); /* nobody asked */
    char text[8192];
    char command[1024];
    snprintf(command, sizeof command, "cat %s/report.json", ((const struct folder *)*context)->path);
    assert_int_equal(run_in_shell(command, text, sizeof text), 0);
    assert_contains(text, "\"rule\":\"racecheck.l1\"");
    assert_contains(text, "\"tile\":\"1-2\"");
    assert_contains(text, "\"agent\":\"NC\"");
}

static void a_program_that_waits_has_no_finding(void **context)
{
    static const char *const modes[] = {"", "--timed ", "--threads 2 ", "--engine plain "};
    put_programs(*context, true);
    for (unsigned i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        char arguments[100];
        snprintf(arguments, sizeof arguments, "%s--check job.yaml", modes[i]);
        assert_int_equal(run(*context, arguments), 0);
        assert_contains(output, "check: 0 findings\n");
    }
}

/* What a program that comes to its limit has still to do is no finding. */
static void a_program_that_is_stopped_has_no_finding(void **context)
{
    const uint32_t writer[] = {lui(T0, 0xffec1000), sw(ZERO, T0, 0), addi(ZERO, ZERO, 0), SELF_JUMP}; /* for T0 */
    put_elf(*context, "writer.elf", 0x1000, writer, sizeof writer / sizeof writer[0]);
    put_text(*context, "job.yaml", "tiles:\n  - at: [1, 2]\n    programs: [{core: B, elf: writer.elf}]\n");
    assert_int_equal(run(*context, "--check job.yaml"), 3);
    assert_contains(output, "synccheck.mailbox");
    assert_int_not_equal(run(*context, "--check --limit 3 job.yaml"), 0);
    assert_contains(output, "not finished after 3 emulated steps");
    assert_contains(output, "check: 0 findings\n");
}

/* Two cores that initialise one word with one value are a note, which is told once, and the job is right. */
static void a_note_is_no_mistake(void **context)
{
    const uint32_t store[] = {lui(T0, 0x50000), sw(ZERO, T0, 0), SELF_JUMP};
    put_elf(*context, "one.elf", 0x1000, store, sizeof store / sizeof store[0]);
    put_elf(*context, "other.elf", 0x2000, store, sizeof store / sizeof store[0]);
    put_text(*context, "job.yaml",
             "tiles:\n  - at: [1, 2]\n    programs: [{core: B, elf: one.elf}, {core: NC, elf: other.elf}]\n");
    assert_int_equal(run(*context, "--check job.yaml"), 0);
    assert_contains(output, "check: racecheck.l1: note: ");
    assert_contains(output, "check: 0 findings, 1 note\n");
    assert_int_equal(run(*context, "--check --jitter 1..5 job.yaml"), 0);
    char *note = strstr(output, ": note: ");
    assert_non_null(note);
    assert_null(strstr(note + 1, ": note: "));
    assert_contains(output, "the same with seeds 1 to 5\n");
}

static void suppressions_come_from_a_file(void **context)
{
    put_programs(*context, false);
    put_text(*context, "known.txt", "# the flag of this test\nracecheck.*\n");
    assert_int_equal(run(*context, "--check=racecheck --check-suppress known.txt job.yaml"), 0);
    assert_contains(output, "check: 0 findings; suppressed ");
    put_text(*context, "wrong.txt", "racecheck.l1 everywhere\n");
    assert_int_equal(run(*context, "--check --check-suppress wrong.txt job.yaml"), 2);
    assert_contains(output, "wrong.txt: line 1 is neither RULE nor RULE at PLACE");
    assert_int_equal(run(*context, "--check --check-suppress none.txt job.yaml"), 2);
}

/* A search has one line at its end, and findings of the seed that has some. */
static void a_search_says_once_that_there_are_no_findings(void **context)
{
    put_programs(*context, true);
    assert_int_equal(run(*context, "--check --jitter 1..5 job.yaml"), 0);
    assert_string_equal(output, "check: 0 findings\njitter: job.yaml: the same with seeds 1 to 5\n");
}

static void wrong_options_are_refused(void **context)
{
    put_programs(*context, false);
    assert_int_equal(run(*context, "--check=racecheck,raceczech job.yaml"), 2);
    assert_contains(output, "there is no tool 'raceczech'");
    assert_int_equal(run(*context, "--check-report x.json job.yaml"), 2);
    assert_contains(output, "need --check");
    assert_int_equal(run(*context, "--check --check-limit 0 job.yaml"), 2);
    assert_int_equal(run(*context, "--check --check-report none/x.json job.yaml"), 2);
    assert_contains(output, "--check-report none/x.json: No such file or directory\n");
    assert_int_equal(run(*context, "--check --restore one job.yaml"), 2);
    assert_contains(output, "--check needs the whole run");
}

/* The same findings, in the same order, on any number of threads. */
static void kernels_of_the_project_have_no_findings(void **context)
{
    static const char *const jobs[] = {"add1",
                                       "all_reduce",
                                       "credits",
                                       "dram_add",
                                       "dram_feed",
                                       "eltwise_add",
                                       "fused",
                                       "hello",
                                       "matmul128",
                                       "matmul32_hifi4",
                                       "matmul_grid",
                                       "messages",
                                       "metal_add",
                                       "metal_print_messages",
                                       "metal_print_stream"};
    need_kernels_of_jobs();
    for (unsigned i = 0; i < 2 * sizeof jobs / sizeof jobs[0]; i++) {
        char arguments[300];
        snprintf(arguments, sizeof arguments, "%s --check " BHEMU_SOURCE_DIR "/kernels/jobs/%s.yaml",
                 i & 1 ? "--timed" : "", jobs[i / 2]);
        int code = run(*context, arguments);
        if (code) {
            fail_msg("%s: %d\n%s", arguments, code, output);
        }
        assert_contains(output, "check: 0 findings\n");
    }
}

/* The output's pages are half as long as the tiles that the kernel writes. */
static void writes_behind_a_tensor_in_dram(void **context)
{
    static const char job[] =
        "limit: 10000000\n"
        "dram:\n"
        "  inputs:\n"
        "    - {file: %s/jobs/data/picture64.npy, address: 0x1000000, format: bf16, layout: tiles}\n"
        "    - {file: %s/jobs/data/picture64_later.npy, address: 0x80000000, format: bf16, layout: tiles}\n"
        "  outputs:\n"
        "    - {file: sum.npy, address: 0x2000, page: 1024, shape: [64, 64], format: bf16, layout: tiles}\n"
        "tiles:\n"
        "  - at: [1, 2]\n"
        "    programs:\n"
        "      - {core: B, elf: %s/dram_add.brisc.elf}\n"
        "      - {core: T0, elf: %s/eltwise_add.trisc0.elf}\n"
        "      - {core: T1, elf: %s/eltwise_add.trisc1.elf}\n"
        "      - {core: T2, elf: %s/eltwise_add.trisc2.elf}\n"
        "    start: [B]\n"
        "    words: [{address: 0x16140, values: [0x1000000, 0x80000000, 0x2000, 0, 1]}]\n";
    static const char sources[] = BHEMU_SOURCE_DIR "/kernels", built[] = BHEMU_BUILD_DIR "/kernels";
    char text[4096];
    snprintf(text, sizeof text, job, sources, sources, built, built, built, built);
    put_text(*context, "job.yaml", text);
    assert_int_equal(run(*context, "--check=memcheck job.yaml"), 3);
    assert_contains(output, "memcheck.buffer: error: a request writes 2048 bytes at 0x2000 of tile ");
    assert_contains(output, ", 1024 of them behind the end of output sum.npy (0x2000 to 0x23ff)");
    assert_contains(output, "dram_add/brisc.c:");
    assert_contains(output, "check: 1 finding\n");
}

/* Tiles of 2048 bytes, where the job names 128. */
static void units_walk_behind_tensors(void **context)
{
    static const char built[] = BHEMU_BUILD_DIR "/kernels";
    char text[4096], arguments[100];
    snprintf(text, sizeof text,
             "limit: 10000000\n"
             "tiles:\n"
             "  - at: [1, 2]\n"
             "    programs:\n"
             "      - {core: T0, elf: %s/eltwise_add.trisc0.elf}\n"
             "      - {core: T1, elf: %s/eltwise_add.trisc1.elf}\n"
             "      - {core: T2, elf: %s/eltwise_add.trisc2.elf}\n"
             "    words: [{address: 0x16100, values: [0x30000, 0x40000, 0x50000, 2, 2, 1, 0]}]\n"
             "    outputs:\n"
             "      - {file: a.npy, address: 0x30000, shape: [1, 64], format: bf16}\n"
             "      - {file: next.npy, address: 0x30080, shape: [1, 64], format: bf16}\n"
             "      - {file: sum.npy, address: 0x50000, shape: [1, 64], format: bf16}\n",
             built, built, built);
    put_text(*context, "job.yaml", text);
    for (unsigned timed = 0; timed < 2; timed++) {
        snprintf(arguments, sizeof arguments, "--check=memcheck %s job.yaml", timed ? "--timed" : "");
        assert_int_equal(run(*context, arguments), 3);
        assert_contains(output,
                        "memcheck.buffer: error: unpacker 0 for T0 reads 384 bytes at 0x30080, behind the end of "
                        "output a.npy (0x30000 to 0x3007f), in which it began");
        assert_contains(output, "memcheck.buffer: error: the packer for T2 writes 128 bytes at 0x50080, behind the end "
                                "of output sum.npy (0x50000 to 0x5007f), in which it began");
        assert_contains(output, "check: 2 findings\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_race_has_both_places_and_an_exit_code),
        FOLDER_TEST(a_program_that_waits_has_no_finding),
        FOLDER_TEST(a_program_that_is_stopped_has_no_finding),
        FOLDER_TEST(a_note_is_no_mistake),
        FOLDER_TEST(suppressions_come_from_a_file),
        FOLDER_TEST(wrong_options_are_refused),
        FOLDER_TEST(a_search_says_once_that_there_are_no_findings),
        FOLDER_TEST(writes_behind_a_tensor_in_dram),
        FOLDER_TEST(units_walk_behind_tensors),
        FOLDER_TEST(kernels_of_the_project_have_no_findings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
