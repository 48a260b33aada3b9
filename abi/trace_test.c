/* BHEMU_TRACE and the like: files of tiles that the environment names, and what may not be. */
#include "library_fixture.h"

static char text[1 << 20];

/* Core B of tile (1,2) executes a lui and jumps to itself; so does that of (2,2). */
static void run(void)
{
    abi.init();
    for (unsigned x = 1; x <= 2; x++) {
        write_word(point(0, x, 2, 0), 0x000012b7);
        write_word(point(0, x, 2, 4), 0x0000006f);
        write_word(point(0, x, 2, 0xffb121b0), 0x47000); /* all but B in reset */
    }
    abi.clock(100);
    abi.exit();
}

static void read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    unlink(path);
}

static void check(const char *script, const char *arguments)
{
    char command[500];
    snprintf(command, sizeof command, "python3 " BHEMU_SOURCE_DIR "/tests/trace/%s %s >/dev/null", script, arguments);
    assert_int_equal(system(command), 0);
}

static void files_come_from_the_environment(void **context)
{
    static const char *const names[] = {"BHEMU_TRACE", "BHEMU_PROFILE_LOG", "BHEMU_OPS_REPORT"};
    char paths[3][80], command[200];
    abi.exit();
    for (unsigned i = 0; i < 3; i++) {
        snprintf(paths[i], sizeof paths[i], "/tmp/%s_%d", names[i], (int)getpid());
        setenv(names[i], paths[i], 1);
    }
    setenv("BHEMU_TILES", "1-2", 1);
    run();
    for (unsigned i = 0; i < 3; i++) {
        unsetenv(names[i]);
    }
    unsetenv("BHEMU_TILES");
    abi.init();
    check("check_chrome.py", paths[0]);
    snprintf(command, sizeof command, "log %s", paths[1]);
    check("check_profiler.py", command);
    snprintf(command, sizeof command, "ops %s", paths[2]);
    check("check_profiler.py", command);
    read_file(paths[0]);
    assert_non_null(strstr(text, "\"args\":{\"name\":\"tile 1-2\"}"));
    assert_non_null(strstr(text, "\"name\":\"lui t0,0x1\",\"pid\":66,\"tid\":1,\"ts\":"));
    assert_null(strstr(text, "tile 2-2"));
    read_file(paths[1]);
    assert_non_null(strstr(text, "\n0,1,2,BRISC,"));
    read_file(paths[2]);
    assert_non_null(strstr(text, "\nprogram,tt_dnn_device,1024,0,blackhole,,,1,140,"));
}

/* The log of a core that counts, which the host looks at now and then, into `text`. */
static void log_counting(const char *mode, const char *from, const char *to)
{
    char path[80];
    snprintf(path, sizeof path, "/tmp/bhemu_log_%d", (int)getpid());
    setenv("BHEMU_LOG", path, 1);
    setenv("BHEMU_MODE", mode, 1);
    setenv("BHEMU_FROM", from, 1);
    setenv("BHEMU_TO", to, 1);
    abi.init();
    write_word(point(0, 1, 2, 0), 0x00128293); /* addi t0,t0,1 */
    write_word(point(0, 1, 2, 4), 0x04502023); /* sw t0,64(zero) */
    write_word(point(0, 1, 2, 8), 0xff9ff06f); /* j -8 */
    write_word(point(0, 1, 2, 0xffb121b0), 0x47000);
    for (unsigned i = 0; i < 80; i++) {
        abi.clock(137);
        (void)read_word(point(0, 1, 2, 64));
    }
    abi.exit();
    unsetenv("BHEMU_LOG");
    unsetenv("BHEMU_MODE");
    unsetenv("BHEMU_FROM");
    unsetenv("BHEMU_TO");
    read_file(path);
}

static void a_time_of_a_log_is_a_part_of_the_whole(void **context)
{
    static const char *const modes[] = {"functional", "timed"};
    static char part[1 << 16];
    abi.exit();
    for (unsigned i = 0; i < 2; i++) {
        size_t length = 0;
        log_counting(modes[i], "0", "0");
        for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
            unsigned long clock = strtoul(line, NULL, 10);
            if (clock >= 7000 && clock <= 7300) {
                size_t size = (size_t)(strchr(line, '\n') + 1 - line);
                assert_true(length + size < sizeof part);
                memcpy(part + length, line, size);
                length += size;
            }
        }
        part[length] = 0;
        assert_true(length > 1000);
        log_counting(modes[i], "7000", "7300");
        assert_string_equal(text, part);
    }
    abi.init();
}

/* The process ends there, and the file is whole. */
static void a_violation(void)
{
    abi.exit();
    abi.init();
    write_word(point(0, 1, 2, 0), 0x50000537); /* lui a0,0x50000 */
    write_word(point(0, 1, 2, 4), 0x00052023); /* sw zero,0(a0): nothing is mapped there */
    write_word(point(0, 1, 2, 0xffb121b0), 0x47000);
    abi.clock(5000);
}

static void a_violation_leaves_a_whole_file(void **context)
{
    char path[80];
    snprintf(path, sizeof path, "/tmp/bhemu_trace_%d", (int)getpid());
    setenv("BHEMU_TRACE", path, 1);
    assert_fatal(a_violation, "nothing is mapped there");
    unsetenv("BHEMU_TRACE");
    check("check_chrome.py", path);
    read_file(path);
    assert_non_null(strstr(text, "sw zero,0(a0)"));
}

static void again_with(const char *name, const char *value)
{
    abi.exit();
    setenv("BHEMU_TRACE", "/dev/null", 1);
    setenv(name, value, 1);
    abi.init();
}

static void no_such_folder(void)
{
    again_with("BHEMU_TRACE", "/no/such/folder/trace");
}

static void no_such_tile(void)
{
    again_with("BHEMU_TILES", "8-8");
}

static void no_clock(void)
{
    again_with("BHEMU_FROM", "-1");
}

static void clock_beyond_all(void)
{
    again_with("BHEMU_FROM", "99999999999999999999999");
}

static void no_switch(void)
{
    again_with("BHEMU_TRACE_MERGE", "yes");
}

static void no_names(void)
{
    again_with("BHEMU_ZONES", "/no/such/names");
}

static void no_folder(void)
{
    again_with("BHEMU_NOC_TRACE", "/dev/null");
}

static void what_makes_no_sense_is_said(void **context)
{
    assert_fatal(no_such_folder, "BHEMU_TRACE: trace /no/such/folder/trace: No such file or directory");
    assert_fatal(no_such_tile, "BHEMU_TRACE: BHEMU_TILES names a tile that is not there");
    assert_fatal(no_clock, "BHEMU_FROM is \"-1\"; it may be a clock");
    assert_fatal(clock_beyond_all, "BHEMU_FROM is \"99999999999999999999999\"; it may be a clock");
    assert_fatal(no_switch, "BHEMU_TRACE_MERGE is \"yes\"; it may be 0 to 1");
    assert_fatal(no_names, "BHEMU_TRACE: names of zones /no/such/names: No such file or directory");
    assert_fatal(no_folder, "BHEMU_NOC_TRACE: NoC trace /dev/null: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(files_come_from_the_environment),
        TEST(a_time_of_a_log_is_a_part_of_the_whole),
        TEST(a_violation_leaves_a_whole_file),
        TEST(what_makes_no_sense_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
