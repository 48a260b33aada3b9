/* BHEMU_PROFILE: a file of each kind, and what it may not be. */
#include "library_fixture.h"

static char text[1 << 20];

/* Core B of tile (1,2) executes a lui and jumps to itself; so does that of (2,2). `text` becomes the file. */
static void profile(const char *ending)
{
    char path[60];
    snprintf(path, sizeof path, "/tmp/bhemu_profile_%d%s", (int)getpid(), ending);
    abi.exit();
    setenv("BHEMU_PROFILE", path, 1);
    setenv("BHEMU_TILES", "1-2", 1);
    abi.init();
    for (unsigned x = 1; x <= 2; x++) {
        write_word(point(0, x, 2, 0), 0x000012b7);
        write_word(point(0, x, 2, 4), 0x0000006f);
        write_word(point(0, x, 2, 0xffb121b0), 0x47000); /* all but B in reset */
    }
    abi.clock(100);
    abi.exit();
    unsetenv("BHEMU_PROFILE");
    unsetenv("BHEMU_TILES");
    abi.init();
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    unlink(path);
}

static void a_profile_comes_from_the_environment(void **context)
{
    profile(".json");
    assert_non_null(strstr(text, "\"riscv_instructions\":1,"));
    assert_non_null(strstr(text, "{\"x\":1,\"y\":2,\"kind\":\"Tensix\""));
    assert_null(strstr(text, "{\"x\":2,\"y\":2"));
    profile(".txt");
    assert_non_null(strstr(text, "profile of libttsim.so\n"));
    assert_non_null(strstr(text, "lui t0,0x1 (0x00000000)\n"));
    profile(".folded");
    assert_string_equal(text, "1-2;B;0x00000000 1\n");
    profile(".html");
    assert_non_null(strstr(text, "<!doctype html>"));
}

static void it_may_be_one_of_samples(void **context)
{
    setenv("BHEMU_PROFILE_EVERY", "10", 1);
    profile(".json");
    unsetenv("BHEMU_PROFILE_EVERY");
    assert_non_null(strstr(text, "\"riscv_instructions\":1,"));
    assert_non_null(strstr(text, "\"every\":10,"));
    assert_non_null(strstr(text, "{\"x\":1,\"y\":2,\"kind\":\"Tensix\""));
    assert_null(strstr(text, "{\"x\":2,\"y\":2"));
}

static void no_such_tile_to_sample(void)
{
    abi.exit();
    setenv("BHEMU_PROFILE", "/dev/shm/bhemu_profile.txt", 1);
    setenv("BHEMU_PROFILE_EVERY", "10", 1);
    setenv("BHEMU_TILES", "8-8", 1);
    abi.init();
}

static void no_such_format(void)
{
    abi.exit();
    setenv("BHEMU_PROFILE", "/tmp/profile.pdf", 1);
    abi.init();
}

static void no_such_folder(void)
{
    abi.exit();
    setenv("BHEMU_PROFILE", "/no/such/profile.html", 1);
    abi.init();
}

static void no_such_tile(void)
{
    abi.exit();
    setenv("BHEMU_PROFILE", "/dev/shm/bhemu_profile.txt", 1);
    setenv("BHEMU_TILES", "8-8", 1);
    abi.init();
}

static void what_makes_no_sense_ends_the_process(void **context)
{
    assert_fatal(no_such_format, "BHEMU_PROFILE is \"/tmp/profile.pdf\"; it may be FILE.html, .txt, .json or .folded");
    assert_fatal(no_such_folder, "BHEMU_PROFILE: /no/such/profile.html: No such file or directory");
    assert_fatal(no_such_tile_to_sample, "BHEMU_PROFILE_EVERY: profile: there is no Tensix tile 8-8");
    assert_fatal(no_such_tile, "BHEMU_PROFILE: BHEMU_TILES names a tile that is not there");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_profile_comes_from_the_environment, set_up, tear_down),
        cmocka_unit_test_setup_teardown(it_may_be_one_of_samples, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_makes_no_sense_ends_the_process, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
