/* Several chips through libttsim.so: how the name of its file or a description chooses them,
   where they are on the bus, and what several
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

/* The status of a port: 1 up, 2 down. */
static uint32_t port_of(struct client *client, unsigned chip, unsigned channel)
{
    enum { ETHERNET_X = 20, ETHERNET_Y = 25, PORT = 0x7cc04 };
    uint64_t bar0 = client->config_read(chip << 3, 0x10) | (uint64_t)client->config_read(chip << 3, 0x14) << 32;
    client->bar0 = bar0 & ~UINT64_C(15);
    return client_get32(client, client_point(client, ETHERNET_X + channel, ETHERNET_Y, PORT));
}

/* Both forms of docs/systems.md: three chips in a row, and two with a cable. */
static void files_tell_of_chips_and_links(void **context)
{
    static const struct {
        const char *file, *text;
        unsigned devices, linked[2][2], down[2];
    } cases[] = {
        {"row.yaml",
         "chips: 3\nboard: p150a\nlinks:\n  - [0, 4, 1, 5]\n  - [1, 6, 2, 7]\n",
         3,
         {{0, 4}, {2, 7}},
         {2, 4}},
        {"cluster.yml",
         "arch: {0: blackhole, 1: blackhole}\nethernet_connections:\n  - [{chip: 0, chan: 1}, {chip: 1, chan: 3}]\n",
         2,
         {{0, 1}, {1, 3}},
         {1, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct client client;
        setenv("BHEMU_SYSTEM", put_text(*context, cases[i].file, cases[i].text), 1);
        assert_true(client_load_from(&client, copy(*context, "libttsim.so")));
        client.init();
        client_find_bars(&client);
        assert_int_equal(count_devices(&client), cases[i].devices);
        for (unsigned end = 0; end < 2; end++) {
            assert_int_equal(port_of(&client, cases[i].linked[end][0], cases[i].linked[end][1]), 1);
        }
        assert_int_equal(port_of(&client, cases[i].down[0], cases[i].down[1]), 2);
        client.exit();
        unsetenv("BHEMU_SYSTEM");
        assert_int_equal(dlclose(client.library), 0);
    }
}

static void load_the_system(const struct folder *folder)
{
    struct client client;
    if (client_load_from(&client, copy(folder, "libttsim.so"))) {
        client.init();
    }
}

static void wrong_systems_are_refused(void **context)
{
    static const struct {
        const char *name, *text, *message; /* text: of a file of that name */
    } cases[] = {
        {"x3", NULL, " is \"x3\"; it may be one, x2, x4, x32, p150x2"},
        {"absent.yaml", NULL, "absent.yaml: No such file or directory"},
        {"wrong.yaml", "chips: 2\ncables: []\n",
         "wrong.yaml:2: 'cables' is no key here; the keys are chips, board, links"},
        {"broken.yaml", "chips: [2\n", "broken.yaml:1: did not find expected"},
        {"nowhere.yaml", "chips: 2\nlinks: [[0, 0, 2, 0]]\n",
         "system nowhere.yaml: a link leads to chip 2; there are 2"},
        {"many.yaml", "chips: 33\nlinks: [[0, 0, 32, 0]]\n", "many.yaml has 33 chips; a host finds 32 on its bus"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4000];
        setenv("BHEMU_SYSTEM", cases[i].text ? put_text(*context, cases[i].name, cases[i].text) : cases[i].name, 1);
        run_apart(load_the_system, *context, text, sizeof text);
        if (!strstr(text, "error: ConfigurationError: BHEMU_SYSTEM") || !strstr(text, cases[i].message)) {
            fail_msg("%s: %s", cases[i].name, text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_file_name_chooses_the_system, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_chip_has_bars_of_its_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(copies_say_that_they_are_not_linked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_tell_of_chips_and_links, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_systems_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("abi.systems", tests, NULL, NULL);
}
