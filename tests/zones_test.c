/* Zones that kernels mark as tt-metal's DeviceZoneScopedN does: in traces, and in profile_log_device.csv. */
#include "host/shell.h"

/* Hashes of tt-metal's Hash16_CT() of the names below; the last is of none. */
enum { OUTER = 0x976a, COMMA = 0xc59e, WHOLE = 0xc911, UNKNOWN = 0x1234 };
enum { START, END, TOTAL };
enum { CLOCKS = 0xffb12000, LOW = 0x1f0, HIGH_LIVE = 0x1f4 };

static const char names[] = "OUTER,/k/reader.cpp,12,KERNEL_PROFILER\n"
                            "/k/reader.cpp:20:5: note: '#pragma message: a, b,/k/reader.cpp,20,KERNEL_PROFILER'\n"
                            "   20 |     DeviceZoneScopedN(\"a, b\");\n"
                            ",KERNEL_PROFILER\nx,KERNEL_PROFILER\n"
                            "NCRISC-KERNEL,/fw/ncrisck.cc,50,KERNEL_PROFILER\n";

/* What the compiler makes of mark_time_at_index_inlined(): T0 is CLOCKS, the buffer is at 0x400 + 8 * slot. */
#define MARK(id, kind, slot)                                                                                           \
    lw(T1, T0, HIGH_LIVE), lui(T2, 0x80000000 | (uint32_t)(kind) << 28 | (uint32_t)(id) << 12),                        \
        sw(T2, ZERO, 0x400 + 8 * (slot)), lw(T1, T0, LOW), sw(T1, ZERO, 0x404 + 8 * (slot))

static int set_up(void **context)
{
    (void)make_folder_of_test(context);
    const struct folder *folder = *context;
    const uint32_t program[] = {
        lui(T0, CLOCKS),         MARK(WHOLE, START, 0),
        MARK(OUTER, START, 1),   MARK(COMMA, START, 2),
        MARK(UNKNOWN, TOTAL, 3),                      /* no zone */
        addi(T2, ZERO, 0),       sw(T2, ZERO, 0x500), /* no marker between */
        MARK(COMMA, END, 4),     MARK(COMMA, START, 5),
        MARK(COMMA, END, 6),     MARK(UNKNOWN, START, 7),
        MARK(OUTER, END, 8),                               /* the one in it ends, too */
        MARK(UNKNOWN, END, 9),                             /* ends none */
        MARK(WHOLE, END, 10),    MARK(UNKNOWN, START, 11), /* ends with the kernel */
        lui(T2, 0x80000000),     sw(T2, ZERO, 0x508),      /* a word like that of a marker, with another behind it */
        sw(T1, ZERO, 0x50c),     SELF_JUMP,
    };
    put_elf(folder, "program.elf", 0x1000, program, sizeof program / sizeof program[0]);
    put_text(folder, "names.log", names);
    put_text(folder, "job.yaml", "tiles:\n  - at: [1, 2]\n    programs: [{core: NC, elf: program.elf}]\n");
    return 0;
}

/* Instruction i of the program executes at clock i; the time of a marker is that of its fourth. */
static void they_are_in_the_profile_log(void **context)
{
    const struct folder *folder = *context;
    const char *path = folder->path;
    succeeds(shell(RUN "--zones %s/names.log --profile-log %s/log.csv %s/job.yaml && "
                       "python3 tests/trace/check_profiler.py log %s/log.csv && tail -n +3 %s/log.csv",
                   path, path, path, path, path));
    assert_contains(output, "launches=1 tiles=1 zones=2\n"
                            "0,1,2,NCRISC,50590,14,0,1024,,,a  b,ZONE_START,20,/k/reader.cpp,\n"
                            "0,1,2,NCRISC,50590,26,0,1024,,,a  b,ZONE_END,20,/k/reader.cpp,\n"
                            "0,1,2,NCRISC,50590,31,0,1024,,,a  b,ZONE_START,20,/k/reader.cpp,\n"
                            "0,1,2,NCRISC,50590,36,0,1024,,,a  b,ZONE_END,20,/k/reader.cpp,\n"
                            "0,1,2,NCRISC,4660,41,0,1024,,,zone 0x1234,ZONE_START,0,,\n"
                            "0,1,2,NCRISC,4660,46,0,1024,,,zone 0x1234,ZONE_END,0,,\n"
                            "0,1,2,NCRISC,38762,9,0,1024,,,OUTER,ZONE_START,12,/k/reader.cpp,\n"
                            "0,1,2,NCRISC,38762,46,0,1024,,,OUTER,ZONE_END,12,/k/reader.cpp,\n"
                            "0,1,2,NCRISC,4660,61,0,1024,,,zone 0x1234,ZONE_START,0,,\n"
                            "0,1,2,NCRISC,4660,66,0,1024,,,zone 0x1234,ZONE_END,0,,\n"
                            "0,1,2,NCRISC,15069,0,0,1024,,,NCRISC-FW,ZONE_START,0,,\n");
    const char *whole = strstr(output, "NCRISC-KERNEL,ZONE_START"); /* once: not the kernel's own, too */
    assert_non_null(whole);
    assert_null(strstr(whole + 1, "NCRISC-KERNEL,ZONE_START"));
    succeeds(shell(RUN "--profile-log %s/log.csv %s/job.yaml && cat %s/log.csv", path, path, path));
    assert_contains(output, ",zone 0xc59e,ZONE_START,0,,\n"); /* without names */
}

static unsigned times(const char *part)
{
    unsigned count = 0;
    for (const char *at = output; (at = strstr(at, part)); at++) {
        count++;
    }
    return count;
}

static void they_are_in_traces(void **context)
{
    const struct folder *folder = *context;
    const char *path = folder->path;
    for (unsigned timed = 0; timed < 2; timed++) {
        succeeds(shell(RUN "%s --zones %s/names.log --trace %s/trace.json %s/job.yaml && "
                           "python3 tests/trace/check_chrome.py %s/trace.json && grep zone %s/trace.json",
                       timed ? "--timed" : "", path, path, path, path, path));
        assert_contains(output, "\"args\":{\"name\":\"core NC zones\"}");
        assert_int_equal(times("\"cat\":\"zone\""), 6);
        assert_int_equal(times("\"name\":\"zone 0x1234\""), 2);
        assert_int_equal(times("\"name\":\"a, b\""), 2);
        assert_int_equal(times("\"source\":\"/k/reader.cpp:20\""), 2);
        assert_int_equal(times("\"name\":\"NCRISC-KERNEL\""), 1);
    }
    succeeds(shell(RUN "--zones %s/names.log --from 20 --to 33 --trace %s/trace.json %s/job.yaml && "
                       "grep zone %s/trace.json",
                   path, path, path, path));
    assert_contains(output, "\"name\":\"a, b\",\"pid\":66,\"tid\":61,\"ts\":20,\"dur\":6,"); /* cut */
    assert_contains(output, "\"name\":\"a, b\",\"pid\":66,\"tid\":61,\"ts\":31,\"dur\":3,");
    assert_contains(output, "\"name\":\"OUTER\",\"pid\":66,\"tid\":61,\"ts\":20,\"dur\":14,");
    assert_null(strstr(output, "0x1234"));
}

static void a_file_of_names_has_to_be_there(void **context)
{
    const struct folder *folder = *context;
    const char *path = folder->path;
    assert_int_equal(shell(RUN "--zones %s/none --trace %s/trace.json %s/job.yaml", path, path, path), 2);
    assert_contains(output, "/none: No such file or directory");
    assert_int_equal(shell(RUN "--zones %s --profile-log %s/log.csv %s/job.yaml", path, path, path), 2);
    assert_contains(output, ": Is a directory");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, remove_folder_of_test)
    const struct CMUnitTest tests[] = {
        TEST(they_are_in_the_profile_log),
        TEST(they_are_in_traces),
        TEST(a_file_of_names_has_to_be_there),
    };
    return cmocka_run_group_tests_name("zones", tests, NULL, NULL);
}
