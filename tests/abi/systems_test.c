/* Several chips through libttsim.so: how the name of its file chooses them, where they are on the bus, and what several
   copies of the library in one process say. */
#include "../host/files.h"
#include "client.h"

#include <sys/wait.h>

enum { DEVICES = 32, ABSENT = -1, X = 1, Y = 2, AT = 0x20000 };
#define CHIP_SIZE 0x1000000000ull

static int set_up(void **context)
{
    struct folder *folder = calloc(1, sizeof *folder);
    make_folder(folder);
    unsetenv("BHEMU_SYSTEM");
    *context = folder;
    return client_is_peer() ? 1 : 0;
}

static int tear_down(void **context)
{
    unsetenv("BHEMU_SYSTEM");
    remove_folder(*context);
    free(*context);
    return 0;
}

/* A copy of the library under another name. */
static const char *copy(const struct folder *folder, const char *name)
{
    static char path[600];
    char command[1400];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    snprintf(command, sizeof command, "cp '%s/libttsim.so' '%s'", BHEMU_BUILD_DIR, path);
    assert_int_equal(system(command), 0);
    return path;
}

static unsigned count_devices(const struct client *client)
{
    unsigned count = 0;
    for (unsigned device = 0; device < DEVICES; device++) {
        uint32_t id = client->config_read(device << 3, 0);
        assert_true(id == (uint32_t)ABSENT || id == 0xb1401e52);
        count += id != (uint32_t)ABSENT;
    }
    return count;
}

static void the_file_name_chooses_the_system(void **context)
{
    static const struct {
        const char *file, *variable;
        unsigned devices;
    } cases[] = {{"libttsim.so", NULL, 1},         {"libttsim_bh_x2.so", NULL, 2},  {"libttsim_bh_x4.so", NULL, 4},
                 {"libttsim_bh_x32.so", NULL, 32}, {"libttsim_bh_x4.so", "one", 1}, {"libttsim_bh_x4.so", "p150x8", 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct client client;
        if (cases[i].variable) {
            setenv("BHEMU_SYSTEM", cases[i].variable, 1);
        }
        assert_true(client_load_from(&client, copy(*context, cases[i].file)));
        client.init();
        assert_int_equal(count_devices(&client), cases[i].devices);
        client.exit();
        unsetenv("BHEMU_SYSTEM");
        assert_int_equal(dlclose(client.library), 0);
    }
}

/* A word of each chip's tile, through the chip's own windows. */
static void each_chip_has_bars_of_its_own(void **context)
{
    struct client client;
    assert_true(client_load_from(&client, copy(*context, "libttsim_bh_x4.so")));
    client.init();
    client_find_bars(&client);
    uint64_t first = client.bar0;
    for (unsigned chip = 0; chip < 4; chip++) {
        uint64_t bar0 = client.config_read(chip << 3, 0x10) | (uint64_t)client.config_read(chip << 3, 0x14) << 32;
        client.bar0 = bar0 & ~UINT64_C(15);
        assert_int_equal(client.bar0, first + chip * CHIP_SIZE);
        client_put32(&client, client_point(&client, X, Y, AT), 100 + chip);
    }
    for (unsigned chip = 0; chip < 4; chip++) {
        client.bar0 = first + chip * CHIP_SIZE;
        assert_int_equal(client_get32(&client, client_point(&client, X, Y, AT)), 100 + chip);
    }
    client.exit();
    assert_int_equal(dlclose(client.library), 0);
}

/* Runs in a child, whose stderr is returned. */
static void run_apart(void (*act)(const struct folder *), const struct folder *folder, char *text, size_t size)
{
    int ends[2], status;
    size_t length = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        act(folder);
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t got; (got = read(ends[0], text + length, size - 1 - length)) > 0;) {
        length += (size_t)got;
    }
    text[length] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
}

static void load_three_copies(const struct folder *folder)
{
    static const char *const names[] = {"a.so", "b.so", "c.so"};
    for (unsigned i = 0; i < 3; i++) {
        struct client client;
        if (client_load_from(&client, copy(folder, names[i]))) {
            client.init();
            client.clock(1);
        }
    }
}

static void copies_say_that_they_are_not_linked(void **context)
{
    char text[4000];
    run_apart(load_three_copies, *context, text, sizeof text);
    const char *warning = strstr(text, "warning: 2 copies of this library are loaded");
    if (!warning) {
        fail_msg("no warning in: %s", text);
    }
    assert_non_null(strstr(warning, "their chips are not linked to each other; BHEMU_SYSTEM=x2"));
    assert_null(strstr(warning + 20, "copies of this library")); /* one of them says it */
}

static void load_a_wrong_system(const struct folder *folder)
{
    struct client client;
    setenv("BHEMU_SYSTEM", "x3", 1);
    if (client_load_from(&client, copy(folder, "libttsim.so"))) {
        client.init();
    }
}

static void unknown_systems_are_refused(void **context)
{
    char text[4000];
    run_apart(load_a_wrong_system, *context, text, sizeof text);
    assert_non_null(
        strstr(text, "error: ConfigurationError: BHEMU_SYSTEM is \"x3\"; it may be one, x2, x4, x32, p150x2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_file_name_chooses_the_system, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_chip_has_bars_of_its_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(copies_say_that_they_are_not_linked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unknown_systems_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("abi.systems", tests, NULL, NULL);
}
