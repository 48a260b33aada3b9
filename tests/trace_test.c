/* bhemu run --trace: files are valid in the Chrome trace event format, have what the program did, are the same with any
   number of threads, and whole however the run ended. trace/check_chrome.py knows the format. */
#include "host/kernels.h"
#include "host/shell.h"
#include "util/sanitized.h"

#include <signal.h>
#include <sys/wait.h>

#define CHECK "python3 tests/trace/check_chrome.py "

/* Traces a job, checks the file, and leaves what `jq`-like filter, a Python expression of events, yields in output. */
static void trace(const struct folder *folder, const char *options, const char *least)
{
    int code =
        shell(RUN "--trace %s/trace.json %s && " CHECK "%s/trace.json %s", folder->path, options, folder->path, least);
    if (code != 0) {
        fail_msg("%s: %s", options, output);
    }
}

/* What a Python expression over `events` prints. */
static const char *ask(const struct folder *folder, const char *expression)
{
    int code =
        shell("python3 -c 'import json; events = json.load(open(\"%s/trace.json\"))[\"traceEvents\"]; print(%s)'",
              folder->path, expression);
    assert_int_equal(code, 0);
    return output;
}

static void kernels_give_valid_traces(void **context)
{
    static const struct {
        const char *job, *least;
    } kernels[] = {
        {"matmul32_lofi", "processes=1 tracks=12 slices=700 counters=5"},
        {"eltwise_add", "processes=1 slices=1000 counters=5 waits=1"},
        {"dram_add", "processes=8 slices=1000 flows=12 requests=12 counters=20"},
        {"messages", "processes=3 slices=10000 flows=1000"},
        {"credits", "processes=2 flows=192 requests=192"},
        {"all_reduce", "processes=4 flows=48 requests=48"},
        {"matmul_grid", "processes=10 flows=50 requests=50 counters=50"},
    };
    need_kernels_of_jobs();
    static const char *const modes[] = {"", "--timed", "--trace-merge", "--timed --trace-merge"};
    enum { MODES = sizeof modes / sizeof modes[0] };
    for (unsigned i = 0; i < MODES * sizeof kernels / sizeof kernels[0]; i += STRIDE_IF_SANITIZED(3)) {
        char options[200];
        snprintf(options, sizeof options, "%s kernels/jobs/%s.yaml", modes[i % MODES], kernels[i / MODES].job);
        trace(*context, options, i % MODES >= 2 ? "" : kernels[i / MODES].least);
    }
}

static void an_instruction_has_its_place_its_fields_and_its_time(void **context)
{
    need_kernels_of_jobs();
    trace(*context, "--timed kernels/jobs/matmul32_lofi.yaml", "");
    assert_string_equal(
        ask(*context, "sorted({e[\"args\"][\"name\"] for e in events if e[\"name\"] == \"thread_name\"})"),
        "['addr', 'addr (2)', 'config', 'config (2)', 'core T0', 'core T1', 'core T2', 'matrix', "
        "'packer', 'scalar', 'sync', 'thread T0', 'thread T1', 'thread T2', 'unpacker 0', "
        "'unpacker 1']\n");
    /* A matrix product of a phase: 16 MVMUL, each of one cycle, none of which waits for another. */
    assert_string_equal(ask(*context, "[e[\"dur\"] for e in events if e[\"name\"] == \"MVMUL\" and "
                                      "e[\"cat\"] == \"unit\"]"),
                        "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n");
    ask(*context, "[e[\"args\"] for e in events if e[\"name\"] == \"MVMUL\" and e[\"cat\"] == \"unit\"][15]");
    assert_contains(output, "'pc': '0x0000a1f8', 'source': 'mop_run_double_loop (kernels/runtime/mop.h:");
    assert_contains(output, "'thread': 1, 'clear_dvalid': 0, 'instr_mod19': 0, 'addr_mode': 5, 'dst': 0}");
    ask(*context, "[e for e in events if e[\"name\"].startswith(\"auipc sp\")][0]");
    assert_contains(output, "'cat': 'core', 'name': 'auipc sp,0xffafb', 'pid': 66, 'tid': 2, 'ts': 10, 'dur': 1, "
                            "'args': {'pc': '0x00006008', 'source': '_start (kernels/runtime/crt0.S:13)'}}");
}

static void waits_say_what_for(void **context)
{
    need_kernels_of_jobs();
    trace(*context, "--timed kernels/jobs/eltwise_add.yaml", "waits=20");
    ask(*context, "sorted({(e[\"name\"], e[\"args\"].get(\"for\")) for e in events if e.get(\"cat\") == \"wait\"}, "
                  "key=str)");
    assert_contains(output, "('wait: SEMWAIT', 'semaphore 1')");
    assert_contains(output, "('wait: Src bank', 'data on their way to SrcA or SrcB')");
    assert_contains(output, "('wait: TTSync', 'instructions of its thread to execute')");
    assert_contains(output, "('wait: instruction FIFO', 'room in the instruction FIFO')");
    assert_contains(output, "('wait: STALLWAIT', 'the packer')");
    assert_contains(output, "('wait: unit', 'the unpack unit to take UNPACR')");
    ask(*context, "{e[\"args\"][\"instruction\"] for e in events if e[\"name\"] == \"wait: instruction FIFO\"}");
    assert_contains(output, "'.ttinsn SETADCZW CntSetMask=");
    assert_contains(ask(*context, "{e[\"name\"] for e in events if e.get(\"cat\") == \"core\"}"),
                    "'.ttinsn STALLWAIT'");
}

static void circular_buffers_and_semaphores_are_counters(void **context)
{
    static const char *const jobs[] = {"--tile 3-4 kernels/jobs/matmul_grid.yaml",
                                       "--timed --tile 3-4 kernels/jobs/matmul_grid.yaml"};
    need_kernels_of_jobs();
    for (unsigned i = 0; i < 2; i++) {
        trace(*context, jobs[i], "processes=1 counters=20");
        ask(*context, "[[e[\"args\"][\"tiles\"] for e in events if e[\"name\"] == f\"circular buffer {i}\"] "
                      "for i in (0, 2)]");
        assert_string_equal(output, "[[0, 2, 4, 2, 4, 2, 4, 2, 0], [0, 8, 0]]\n");
        ask(*context, "[e[\"args\"][\"value\"] for e in events if e[\"name\"] == \"semaphore 1\"]");
        assert_string_equal(output, "[0, 1, 0]\n");
    }
}

/* Of one request, from one tile to another: bytes, ends, and that it arrives after it was sent. */
static void a_transfer_is_a_flow_between_tiles(void **context)
{
    need_kernels_of_jobs();
    trace(*context, "--timed kernels/jobs/all_reduce.yaml", "flows=48");
    ask(*context, "[e for e in events if e[\"ph\"] in \"sf\"][:2]");
    assert_contains(output, "{'ph': 's', 'cat': 'noc', 'name': 'write', 'pid': ");
    assert_contains(output, "'bp': 'e'}");
    assert_string_equal(ask(*context, "all(s[\"ts\"] + 10 < f[\"ts\"] and s[\"pid\"] != f[\"pid\"] for s, f in "
                                      "zip(*[iter(e for e in events if e[\"ph\"] in \"sf\")] * 2))"),
                        "True\n");
}

static void filters_keep_to_what_they_name(void **context)
{
    const char *tracks = "sorted({e[\"args\"][\"name\"] for e in events if e[\"name\"] == \"thread_name\"})";
    need_kernels_of_jobs();
    trace(*context, "--core T1 kernels/jobs/matmul32_lofi.yaml", "");
    assert_string_equal(ask(*context, tracks), "['core T1']\n");
    trace(*context, "--unit matrix --timed kernels/jobs/matmul32_lofi.yaml", "");
    assert_string_equal(ask(*context, tracks), "['matrix', 'thread T1', 'thread T2']\n");
    trace(*context, "--tile 1-3 kernels/jobs/matmul32_lofi.yaml", "");
    assert_string_equal(ask(*context, "events"), "[]\n");
    trace(*context, "--from 100 --to 120 --timed kernels/jobs/matmul32_lofi.yaml", "slices=20");
    assert_string_equal(ask(*context, "all(e[\"ts\"] + e[\"dur\"] > 100 and e[\"ts\"] <= 120 for e in events if "
                                      "e[\"ph\"] == \"X\")"),
                        "True\n");
}

/* What lies within the time alone is the same as in a trace of all; counters begin where they are. */
static void a_part_of_the_time_is_the_part_of_the_trace(void **context)
{
    const char *inside =
        "hash(str(sorted((e[\"tid\"], e[\"ts\"], e[\"dur\"], e[\"name\"]) for e in events if e[\"ph\"] "
        "== \"X\" and e[\"ts\"] > 3100 and e[\"ts\"] + e[\"dur\"] < 4900)))";
    char part[100];
    need_kernels_of_jobs();
    setenv("PYTHONHASHSEED", "0", 1);
    trace(*context, "--timed --tile 3-4 --from 3000 --to 5000 kernels/jobs/matmul_grid.yaml",
          "slices=4000 counters=12");
    assert_string_equal(ask(*context, "max(e[\"ts\"] + e.get(\"dur\", 0) for e in events) < 5100"), "True\n");
    assert_string_equal(
        ask(*context, "[e[\"args\"][\"tiles\"] for e in events if e[\"name\"] == \"circular buffer 0\"]"),
        "[0, 4, 2]\n");
    snprintf(part, sizeof part, "%.90s", ask(*context, inside));
    trace(*context, "--timed --tile 3-4 kernels/jobs/matmul_grid.yaml", "slices=4000");
    assert_string_equal(ask(*context, inside), part);
}

static void merging_keeps_the_number_of_instructions(void **context)
{
    const char *count = "sum(e[\"args\"].get(\"instructions\", 1) for e in events if e.get(\"cat\") in "
                        "(\"core\", \"thread\", \"unit\"))";
    char all[100];
    need_kernels_of_jobs();
    trace(*context, "kernels/jobs/eltwise_add.yaml", "slices=1000");
    snprintf(all, sizeof all, "%.90s", ask(*context, count));
    trace(*context, "--trace-merge kernels/jobs/eltwise_add.yaml", "slices=100");
    assert_string_equal(ask(*context, count), all);
    ask(*context, "{e[\"name\"] for e in events}");
    assert_contains(output, "'copy_words_0'");
}

static void it_is_the_same_on_any_number_of_threads(void **context)
{
    const struct folder *folder = *context;
    need_kernels_of_jobs();
    for (unsigned timed = 0; timed < 2; timed++) {
        for (unsigned threads = 1; threads <= 8; threads = threads == 1 ? 2 : threads + 6) {
            assert_int_equal(shell(RUN "%s --threads %u --trace %s/%u kernels/jobs/matmul_grid.yaml",
                                   timed ? "--timed" : "", threads, folder->path, threads),
                             0);
        }
        assert_int_equal(shell("cd %s && cmp 1 2 && cmp 1 8 && test -s 1", folder->path), 0);
    }
}

/* Waits of what hangs reach to the end of the run. */
static void a_broken_program_leaves_a_whole_file(void **context)
{
    const struct folder *folder = *context;
    static const char *const runs[] = {"kernels/broken/mixed_up.yaml", "kernels/broken/wild_store.yaml",
                                       "kernels/broken/forgotten_flag.yaml", "--limit 500 kernels/jobs/add1.yaml",
                                       "--timed --limit 500 kernels/jobs/add1.yaml"};
    static const int codes[] = {5, 4, 5, 5, 5};
    need_kernels_of_jobs();
    for (unsigned i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        assert_int_equal(shell(RUN "--trace %s/trace.json %s", folder->path, runs[i]), codes[i]);
        assert_int_equal(shell(CHECK "%s/trace.json slices=20", folder->path), 0);
    }
    assert_int_equal(shell(RUN "--trace %s/trace.json %s", folder->path, runs[0]), 5);
    assert_string_equal(ask(folder, "{(e[\"name\"], e[\"args\"][\"for\"]) for e in events if e.get(\"cat\") == "
                                    "\"wait\" and e[\"dur\"] > 100000 and e[\"tid\"] == 11}"),
                        "{('wait: Src bank', 'data in SrcB')}\n");
}

/* A core counts for ever; 10000 of its instructions are in the file. */
static pid_t start_endless(const struct folder *folder)
{
    const uint32_t count[] = {addi(T0, T0, 1), jump(-4)};
    const char *job = in_folder(folder, "job.yaml"), *file = in_folder(folder, "trace.json");
    put_elf(folder, "count.elf", 0x1000, count, 2);
    put_text(folder, "job.yaml",
             "limit: 4000000000000\ntiles: [{at: [1, 2], programs: [{core: NC, elf: count.elf}]}]\n");
    pid_t child = fork();
    if (child == 0) {
        signal(SIGINT, SIG_DFL); /* whatever the test was started with */
        (void)!freopen("/dev/null", "w", stderr);
        execl(BHEMU_BUILD_DIR "/bhemu", "bhemu", "run", "--to", "10000", "--trace", file, job, (char *)NULL);
        _exit(127);
    }
    return child;
}

static void an_interrupt_leaves_a_whole_file(void **context)
{
    const struct folder *folder = *context;
    pid_t child = start_endless(folder);
    int status;
    assert_int_equal(
        shell("for i in $(seq 1000); do test -s %s/trace.json && exit; sleep 0.02; done; exit 1", folder->path), 0);
    assert_int_equal(kill(child, SIGINT), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 130);
    assert_int_equal(shell(CHECK "%s/trace.json slices=1000", folder->path), 0);
}

static void fails(const struct folder *folder, int code, const char *options, const char *text)
{
    assert_int_equal(shell(RUN "%s kernels/jobs/matmul32_lofi.yaml", options), code);
    assert_contains(output, text);
}

/* An empty file does not say that it is empty because of the command line. */
static void what_leaves_nothing_is_said(void **context)
{
    const struct folder *folder = *context;
    need_kernels_of_jobs();
    succeeds(shell(RUN "--trace %s/trace.json --tile 1-2 --tile 3-3 kernels/jobs/eltwise_add.yaml", folder->path));
    assert_string_equal(output, "warning: --tile 3-3: no core of this tile has run\n");
    succeeds(shell(RUN "--trace %s/trace.json --tile 1-2 kernels/jobs/metal_add.yaml", folder->path));
    assert_string_equal(output, "");
    succeeds(shell(RUN "--log %s/log --from 1000000 kernels/jobs/add1.yaml", folder->path));
    assert_contains(output, "warning: --from 1000000: the job has ended at clock ");
    assert_int_equal(shell(RUN "--trace-merge kernels/jobs/add1.yaml"), 2);
    assert_string_equal(output, "bhemu run: --trace-merge without --trace\n");
    assert_int_equal(shell(RUN "--zones no/such kernels/jobs/add1.yaml"), 2);
    assert_string_equal(output, "bhemu run: --zones without --trace or --profile-log\n");
}

static void what_makes_no_sense_is_said(void **context)
{
    need_kernels_of_jobs();
    fails(*context, 2, "--trace /no/such/folder/trace", "trace /no/such/folder/trace: No such file or directory");
    fails(*context, 6, "--trace /dev/full", "trace /dev/full: No space left on device; what follows is missing");
    fails(*context, 2, "--trace /dev/null --core T3", "no core 'T3'; there are B, T0, T1, T2, NC");
    fails(*context, 2, "--trace /dev/null --unit fpu", "no unit 'fpu'; there are sync, scalar");
    fails(*context, 2, "--trace /dev/null --tile 40-2", "there is no such tile");
    fails(*context, 2, "--trace /dev/null other.yaml", "--trace is for one job; here are 2");
    fails(*context, 2, "--trace /dev/null --from 20 --to 10", "--from is behind --to");
}

/* A job that can not begin leaves the trace that was there. */
static void a_job_that_does_not_begin_overwrites_nothing(void **context)
{
    static const char *const jobs[] = {
        "--chip 9 kernels/jobs/link_copy.yaml",
        "--chip 1 kernels/jobs/add1.yaml",
        "$OLD/no_elf.yaml",
        "$OLD/no_input.yaml",
    };
    const struct folder *folder = *context;
    succeeds(
        shell("cd %s && echo old >trace.json && echo 'tiles: [{at: [1, 2], programs: [{core: B, elf: none.elf}]}]' "
              ">no_elf.yaml && echo 'tiles: [{at: [1, 2], inputs: [{file: none.npy, address: 0, format: bf16}]}]' "
              ">no_input.yaml",
              folder->path));
    for (unsigned i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        assert_int_equal(shell("OLD=%s; " RUN "--trace %s/trace.json %s", folder->path, folder->path, jobs[i]), 2);
        assert_contains(output, i < 2 ? "there is no chip " : ": No such file or directory");
        succeeds(shell("grep -x old %s/trace.json", folder->path));
    }
}

#define TRACE_TEST(function) FOLDER_TEST(function)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TRACE_TEST(kernels_give_valid_traces),
        TRACE_TEST(an_instruction_has_its_place_its_fields_and_its_time),
        TRACE_TEST(waits_say_what_for),
        TRACE_TEST(circular_buffers_and_semaphores_are_counters),
        TRACE_TEST(a_transfer_is_a_flow_between_tiles),
        TRACE_TEST(filters_keep_to_what_they_name),
        TRACE_TEST(a_part_of_the_time_is_the_part_of_the_trace),
        TRACE_TEST(merging_keeps_the_number_of_instructions),
        TRACE_TEST(it_is_the_same_on_any_number_of_threads),
        TRACE_TEST(a_broken_program_leaves_a_whole_file),
        TRACE_TEST(an_interrupt_leaves_a_whole_file),
        TRACE_TEST(a_job_that_does_not_begin_overwrites_nothing),
        TRACE_TEST(what_leaves_nothing_is_said),
        TRACE_TEST(what_makes_no_sense_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
