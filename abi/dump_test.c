/* BHEMU_DUMP: text, JSON and arrays, at the end and at a violation; and what it may not be. */
#include "library_fixture.h"

static char text[1 << 20];

static void read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    unlink(path);
}

/* Core B of tile (1,2) loads a register and jumps to itself. */
static void run_a_program(void)
{
    write_word(point(0, 1, 2, 0), 0x000012b7); /* lui t0, 1 */
    write_word(point(0, 1, 2, 4), 0x0000006f);
    write_word(point(0, 1, 2, 0xffb121b0), 0x47000); /* all but B in reset */
    abi.clock(100);
}

static void a_dump_comes_from_the_environment(void **context)
{
    char variable[200], cores[60], dst[60];
    snprintf(cores, sizeof cores, "/tmp/bhemu_dump_%d.json", (int)getpid());
    snprintf(dst, sizeof dst, "/tmp/bhemu_dump_%d.npy", (int)getpid());
    snprintf(variable, sizeof variable, "cores B:%s;dst 0 2 fp32:%s", cores, dst);
    abi.exit();
    setenv("BHEMU_DUMP", variable, 1);
    setenv("BHEMU_TILES", "1-2", 1);
    abi.init();
    run_a_program();
    abi.exit();
    unsetenv("BHEMU_DUMP");
    unsetenv("BHEMU_TILES");
    abi.init();
    read_file(cores);
    assert_non_null(strstr(text, "\"title\":\"at the end\",\"tiles\":[{\"x\":1,\"y\":2,\"clock\":"));
    assert_non_null(strstr(text, "\"cores\":{\"B\":{\"state\":\"at its end, a jump to itself\",\"pc\":4,"));
    assert_non_null(strstr(text, "\"t0\":4096,"));
    read_file(dst);
    assert_memory_equal(text + 1, "NUMPY", 5);
}

static char at_violation[60];

/* A store to nowhere. */
static void violation(void)
{
    char variable[100];
    snprintf(variable, sizeof variable, "cores B:%s", at_violation);
    abi.exit();
    setenv("BHEMU_DUMP", variable, 1);
    abi.init();
    write_word(point(0, 1, 2, 0), 0x500002b7); /* lui t0, 0x50000 */
    write_word(point(0, 1, 2, 4), 0x0002a023); /* sw zero, 0(t0) */
    write_word(point(0, 1, 2, 0xffb121b0), 0x47000);
    abi.clock(10000);
    (void)read_word(point(0, 1, 2, 0));
}

static void a_violation_is_dumped(void **context)
{
    snprintf(at_violation, sizeof at_violation, "/tmp/bhemu_dump_%d.txt", (int)getpid());
    assert_fatal(violation, "nothing is mapped there");
    read_file(at_violation);
    assert_non_null(strstr(text, ", at a violation\n  cores\n    B\n      state runs\n      pc 0x00000004\n"
                                 "      instruction sw zero,0(t0)\n"));
}

static void dump_of(const char *what)
{
    abi.exit();
    setenv("BHEMU_DUMP", what, 1);
    abi.init();
}

static void no_such_dump(void)
{
    dump_of("cores;dts");
}

static void no_array(void)
{
    dump_of("cores:/tmp/cores.npy");
}

static void array_of_many_tiles(void)
{
    dump_of("dst:/tmp/dst.npy");
}

static void no_such_folder(void)
{
    dump_of("dst:/no/such/dst.txt");
}

static void what_makes_no_sense_ends_the_process(void **context)
{
    assert_fatal(no_such_dump, "BHEMU_DUMP: no dump of 'dts'; there are cores, ");
    assert_fatal(no_array, "BHEMU_DUMP: cores is no array");
    assert_fatal(array_of_many_tiles, "BHEMU_DUMP: /tmp/dst.npy: a .npy file is of one tile: BHEMU_TILES names it");
    assert_fatal(no_such_folder, "BHEMU_DUMP: /no/such/dst.txt: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_dump_comes_from_the_environment, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_violation_is_dumped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_makes_no_sense_ends_the_process, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
