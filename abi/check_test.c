/* BHEMU_CHECK: findings on stderr when they are found, their number at the end, all of them as JSON, with source lines
   by BHEMU_SYMBOLS; in both modes. */
#include "../kernels/runtime/layout.h"
#include "../tests/json_reader.h"
#include "program_fixture.h"

#define COPY "mistakes/copy.T1"
#define WRONG_COPY "mistakes/copy_address_changed.T1"
#define COMPLETION_OF_T1 (LAYOUT_COMPLETION + 4 * 2)
#define FINDING "check: racecheck.config: error: thread T1 writes Config[0].THCON_SEC0_REG1_L1_Dest_addr, and nothing "

static const char *const modes[] = {"functional", "timed"};
static const char *program;
static unsigned tile_x;
static char path_of_file[100];

static void mark(const char *line)
{
    (void)!write(2, line, strlen(line));
}

static void begin(void)
{
    setenv("BHEMU_CHECK", "1", 0);
    abi.init();
}

/* Until T1 has told, by its completion word, that the program has ended. */
static void run_to_its_end(void)
{
    write_word(point(0, tile_x, 2, COMPLETION_OF_T1), 0);
    load(program, tile_x);
    mark("begins\n");
    for (unsigned i = 0; i < 10000 && read_word(point(0, tile_x, 2, COMPLETION_OF_T1)) == 0; i++) {
        abi.clock(100);
    }
    mark(read_word(point(0, tile_x, 2, COMPLETION_OF_T1)) ? "ended\n" : "hangs\n");
}

static void run(void)
{
    begin();
    run_to_its_end();
}

static void assert_in_order(const char *const *parts)
{
    for (const char *at = text; *parts; parts++) {
        at = strstr(at, *parts);
        if (!at) {
            fail_msg("\"%s\" is not there, or out of order, in:\n%.4000s", *parts, text);
        }
    }
}

static int told_of(const char *name)
{
    program = name;
    tile_x = 1;
    return told_by(run);
}

static void findings_are_told_when_they_are_found(void **context)
{
    static const char *const order[] = {"begins\n",
                                        FINDING,
                                        "\n  at 1-2 thread T1 pc 0x0000",
                                        "\n  and 1-2 thread T1 pc 0x0000",
                                        "\n  rule: ",
                                        "\n  mend: STALLWAIT(STALL_CFG, PACK) before the WRCFG at pc 0xa",
                                        "ended\n",
                                        "check: 1 finding\n",
                                        NULL};
    for (unsigned i = 0; i < 2; i++) {
        setenv("BHEMU_MODE", modes[i], 1);
        assert_int_equal(told_of(WRONG_COPY), 0);
        assert_in_order(order);
        assert_null(strstr(text, "copy.c"));
    }
    unsetenv("BHEMU_MODE");
}

static void a_right_program_has_no_findings(void **context)
{
    for (unsigned i = 0; i < 2; i++) {
        setenv("BHEMU_MODE", modes[i], 1);
        assert_int_equal(told_of(COPY), 0);
        assert_string_equal(text, "begins\nended\ncheck: 0 findings\n");
    }
    unsetenv("BHEMU_MODE");
}

static void findings_have_source_lines(void **context)
{
    setenv("BHEMU_SYMBOLS", FOLDER, 1);
    for (unsigned i = 0; i < 2; i++) {
        setenv("BHEMU_MODE", modes[i], 1);
        assert_int_equal(told_of(WRONG_COPY), 0);
        static const char *const order[] = {FINDING,
                                            "\n      kernel_main (",
                                            "kernels/mistakes/copy.c:82)\n",
                                            "\n      kernel_main (",
                                            "kernels/mistakes/copy.c:87)\n",
                                            NULL};
        assert_in_order(order);
    }
    unsetenv("BHEMU_MODE");
    unsetenv("BHEMU_SYMBOLS");
}

static void read_report(void)
{
    FILE *stream = fopen(path_of_file, "r");
    assert_non_null(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = 0;
    fclose(stream);
    unlink(path_of_file);
}

static void assert_report(const char *name, const char *value)
{
    const char *at = json_find(text, name);
    if (!at || strncmp(at, value, strlen(value)) != 0) {
        fail_msg("%s is not %s in:\n%.4000s", name, value, text);
    }
}

static void a_report_has_all_findings(void **context)
{
    setenv("BHEMU_SYMBOLS", FOLDER, 1);
    setenv("BHEMU_CHECK_REPORT", path_of_file, 1);
    for (unsigned i = 0; i < 2; i++) {
        setenv("BHEMU_MODE", modes[i], 1);
        assert_int_equal(told_of(WRONG_COPY), 0);
        read_report();
        assert_report("findings.0.tool", "\"racecheck\"");
        assert_report("findings.0.rule", "\"racecheck.config\"");
        assert_report("findings.0.count", "1");
        assert_report("findings.0.places.0.tile", "\"1-2\"");
        assert_report("findings.0.places.0.agent", "\"T1\"");
        assert_report("findings.0.places.1.instruction", "\"WRCFG ");
        assert_report("findings.0.places.1.source", "\"kernel_main (");
        assert_report("untold", "0");
        assert_null(json_find(text, "findings.1"));
    }
    unsetenv("BHEMU_MODE");
    unsetenv("BHEMU_SYMBOLS");
    setenv("BHEMU_CHECK_REPORT", "/no/such/folder/report.json", 1);
    assert_int_equal(told_of(WRONG_COPY), 0);
    unsetenv("BHEMU_CHECK_REPORT");
    assert_says("check: 1 finding\nlibttsim: warning: BHEMU_CHECK_REPORT: cannot write /no/such/folder/report.json: ");
}

static void tools_and_tiles_are_chosen(void **context)
{
    setenv("BHEMU_CHECK", "initcheck,memcheck", 1);
    assert_int_equal(told_of(WRONG_COPY), 0);
    assert_says("check: 0 findings\n");
    setenv("BHEMU_CHECK", "initcheck,racecheck", 1);
    assert_int_equal(told_of(WRONG_COPY), 0);
    assert_says("check: 1 finding\n");
    setenv("BHEMU_CHECK", "0", 1);
    assert_int_equal(told_of(WRONG_COPY), 0);
    assert_string_equal(text, "begins\nended\n");
    unsetenv("BHEMU_CHECK");
    setenv("BHEMU_TILES", "2-2", 1);
    assert_int_equal(told_of(WRONG_COPY), 0);
    assert_says("check: 0 findings\n");
    tile_x = 2;
    assert_int_equal(told_by(run), 0);
    assert_says("check: 1 finding\n");
    unsetenv("BHEMU_TILES");
}

/* Of a system the checker watches the chip that BHEMU_CHIP names, or the first. */

#define CHIP_SIZE 0x1000000000ull /* from the BARs of one chip to those of the next one */

static void (*read_first)(uint64_t, void *, uint32_t);
static void (*write_first)(uint64_t, const void *, uint32_t);

static void read_second(uint64_t paddr, void *data, uint32_t size)
{
    read_first(paddr + CHIP_SIZE, data, size);
}

static void write_second(uint64_t paddr, const void *data, uint32_t size)
{
    write_first(paddr + CHIP_SIZE, data, size);
}

static void run_on_the_second_chip(void)
{
    begin();
    read_first = abi.read;
    write_first = abi.write;
    abi.read = read_second;
    abi.write = write_second;
    run_to_its_end();
}

static void a_chip_of_a_system_is_chosen(void **context)
{
    static const struct {
        const char *chip, *end; /* what is told with the program on chip 1 */
    } cases[] = {{"0", "check: 0 findings\n"}, {"1", "check: 1 finding\n"}, {NULL, "check: 0 findings\n"}};
    setenv("BHEMU_SYSTEM", "x2", 1);
    program = WRONG_COPY;
    tile_x = 1;
    for (unsigned i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        setenv("BHEMU_MODE", modes[i & 1], 1);
        if (cases[i / 2].chip) {
            setenv("BHEMU_CHIP", cases[i / 2].chip, 1);
        } else {
            unsetenv("BHEMU_CHIP");
        }
        assert_int_equal(told_by(run_on_the_second_chip), 0);
        assert_says("ended\n");
        assert_says(cases[i / 2].end);
    }
    assert_int_equal(told_by(run), 0); /* on the first one */
    assert_says("check: 1 finding\n");
    unsetenv("BHEMU_SYSTEM");
    unsetenv("BHEMU_MODE");
}

/* Writes what is to be left out, and returns what was told at the end. */
static const char *told_without(const char *suppressions)
{
    FILE *stream = fopen(path_of_file, "w");
    assert_non_null(stream);
    fputs(suppressions, stream);
    fclose(stream);
    setenv("BHEMU_CHECK_SUPPRESS", path_of_file, 1);
    assert_int_equal(told_of(WRONG_COPY), 0);
    unsetenv("BHEMU_CHECK_SUPPRESS");
    unlink(path_of_file);
    const char *end = strstr(text, "ended\n");
    assert_non_null(end);
    return end + strlen("ended\n");
}

static void findings_are_left_out(void **context)
{
    assert_string_equal(told_without("racecheck.config\n"), "check: 0 findings; suppressed 1 times\n");
    assert_string_equal(told_without("racecheck.dst\n"), "check: 1 finding\n");
    assert_string_equal(told_without("racecheck.* at copy.c:82\n"), "check: 1 finding\n"); /* it has no lines */
    setenv("BHEMU_SYMBOLS", FOLDER, 1);
    assert_string_equal(told_without("racecheck.* at copy.c:82\n"), "check: 0 findings; suppressed 1 times\n");
    assert_string_equal(told_without("racecheck.* at copy.c:83\n"), "check: 1 finding\n");
    unsetenv("BHEMU_SYMBOLS");
}

static void run_and_then_store_wildly(void)
{
    begin();
    run_to_its_end();
    load("wild_store.trisc1", 2);
    for (unsigned i = 0; i < 100; i++) {
        abi.clock(1000);
    }
}

static void findings_are_told_before_an_error_ends_the_process(void **context)
{
    program = WRONG_COPY;
    tile_x = 1;
    setenv("BHEMU_CHECK_REPORT", path_of_file, 1);
    assert_int_equal(told_by(run_and_then_store_wildly), 1);
    unsetenv("BHEMU_CHECK_REPORT");
    assert_says(FINDING);
    assert_says("check: 1 finding\n");
    assert_says("libttsim: error: UndefinedBehavior: tile (2,2) core T1 pc 0x");
    read_report();
    assert_report("findings.0.rule", "\"racecheck.config\"");
}

static void a_second_device_begins_anew(void)
{
    run();
    abi.exit();
    run();
}

static void each_device_has_its_own_findings(void **context)
{
    static const char *const order[] = {FINDING, "check: 1 finding\n", FINDING, "check: 1 finding\n", NULL};
    program = WRONG_COPY;
    tile_x = 1;
    assert_int_equal(told_by(a_second_device_begins_anew), 0);
    assert_in_order(order);
}

static void with(const char *variable, const char *value)
{
    abi.exit();
    setenv(variable, value, 1);
    begin();
}

static void no_such_tool(void)
{
    with("BHEMU_CHECK", "racecheck,lint");
}

static void no_such_file(void)
{
    with("BHEMU_CHECK_SUPPRESS", "/no/such/file");
}

static void no_such_rule(void)
{
    with("BHEMU_CHECK_SUPPRESS", path_of_file);
}

static void no_such_tile(void)
{
    with("BHEMU_TILES", "8-8");
}

static void wrong_variables_are_refused(void **context)
{
    assert_fatal(no_such_tool, "ConfigurationError: BHEMU_CHECK: 'lint' is neither 0 nor 1 nor ");
    assert_fatal(no_such_file, "ConfigurationError: BHEMU_CHECK_SUPPRESS: /no/such/file can not be read");
    assert_fatal(no_such_tile, "BHEMU_TILES");
    FILE *stream = fopen(path_of_file, "w");
    assert_non_null(stream);
    fputs("racecheck.dst\nracecheck.dst near copy.c\n", stream);
    fclose(stream);
    assert_fatal(no_such_rule, "ConfigurationError: BHEMU_CHECK_SUPPRESS: /tmp/");
    unlink(path_of_file);
}

int main(void)
{
    if (access(FOLDER "/built", R_OK) != 0) {
        return 0;
    }
    (void)snprintf(path_of_file, sizeof path_of_file, "/tmp/bhemu_check_%d", (int)getpid());
    const struct CMUnitTest tests[] = {
        TEST(findings_are_told_when_they_are_found),
        TEST(a_right_program_has_no_findings),
        TEST(findings_have_source_lines),
        TEST(a_report_has_all_findings),
        TEST(tools_and_tiles_are_chosen),
        TEST(a_chip_of_a_system_is_chosen),
        TEST(findings_are_left_out),
        TEST(findings_are_told_before_an_error_ends_the_process),
        TEST(each_device_has_its_own_findings),
        TEST(wrong_variables_are_refused),
    };
    return cmocka_run_group_tests_name("BHEMU_CHECK", tests, NULL, NULL);
}
