/* libttsim.so as a guest in another process: the libraries that it links, and that it loads from a sealed memory file,
   starts no threads, opens no files and does not touch signals. Source: libttsim_api.md, "Hidden API". */
#include "client.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIBRARY BHEMU_BUILD_DIR "/libttsim.so"

/* The lines of a command's output. */
static unsigned run(const char *command, char lines[][200], unsigned most)
{
    FILE *output = popen(command, "r");
    unsigned count = 0;
    assert_non_null(output);
    while (count < most && fgets(lines[count], 200, output)) {
        lines[count][strcspn(lines[count], "\n")] = 0;
        count++;
    }
    assert_int_equal(pclose(output), 0);
    return count;
}

static void it_needs_nothing_but_the_c_library(void **context)
{
    char lines[20][200];
    unsigned count = run("readelf -dW " LIBRARY " | sed -n 's/.*NEEDED.*\\[\\(.*\\)\\]/\\1/p'", lines, 20);
    assert_true(count > 0);
    for (unsigned i = 0; i < count; i++) {
        bool own = strncmp(lines[i], "libasan", 7) == 0 || strncmp(lines[i], "libubsan", 8) == 0 ||
                   strncmp(lines[i], "libtsan", 7) == 0; /* sanitized builds */
        if (strcmp(lines[i], "libc.so.6") != 0 && strcmp(lines[i], "libm.so.6") != 0 &&
            strncmp(lines[i], "ld-linux", 8) != 0 && !own) {
            fail_msg("it links %s", lines[i]);
        }
    }
}

static void it_exports_the_ten_entry_points_alone(void **context)
{
    char lines[40][200];
    unsigned count = run("nm -D --defined-only " LIBRARY " | awk '{print $3}'", lines, 40), entries = 0;
    for (unsigned i = 0; i < count; i++) {
        if (strncmp(lines[i], "libttsim_", 9) == 0) {
            entries++;
        } else if (strncmp(lines[i], "LIBTTSIM", 8) != 0) { /* the version's own name */
            fail_msg("it exports %s", lines[i]);
        }
    }
    assert_int_equal(entries, 10);
}

/* Like TTSimCommunicator loads it for each of several chips. */
static void it_loads_from_a_sealed_memory_file(void **context)
{
    struct client first = {}, second = {};
    int from = open(LIBRARY, O_RDONLY),
        memory = memfd_create("libttsim_communicator.so", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    struct stat status;
    assert_true(from >= 0 && memory >= 0);
    assert_int_equal(fstat(from, &status), 0);
    char *bytes = malloc((size_t)status.st_size);
    assert_int_equal(read(from, bytes, (size_t)status.st_size), status.st_size);
    assert_int_equal(write(memory, bytes, (size_t)status.st_size), status.st_size);
    free(bytes);
    close(from);
    assert_int_equal(fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL), 0);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    assert_true(client_load_from(&first, path));
    assert_true(client_load_from(&second, LIBRARY)); /* another image: another device */
    first.init();
    second.init();
    client_find_bars(&first);
    client_find_bars(&second);
    client_tile_put32(&first, 1, 2, 0x100, 1);
    client_tile_put32(&second, 1, 2, 0x100, 2);
    assert_int_equal(client_tile_get32(&first, 1, 2, 0x100), 1);
    assert_int_equal(client_tile_get32(&second, 1, 2, 0x100), 2);
    first.exit();
    second.exit();
    assert_int_equal(dlclose(first.library), 0);
    assert_int_equal(dlclose(second.library), 0);
    close(memory);
}

static unsigned entries_of(const char *path)
{
    DIR *directory = opendir(path);
    unsigned count = 0;
    assert_non_null(directory);
    while (readdir(directory)) {
        count++;
    }
    closedir(directory);
    return count;
}

static void get_handlers(void (**handlers)(int))
{
    for (int signal = 1; signal < 32; signal++) {
        struct sigaction action;
        assert_int_equal(sigaction(signal, NULL, &action), 0);
        handlers[signal] = action.sa_handler;
    }
}

static void it_leaves_the_process_alone(void **context)
{
    struct client client = {};
    void (*before[32])(int) = {}, (*after[32])(int) = {};
    unsigned threads = entries_of("/proc/self/task"), files = entries_of("/proc/self/fd");
    get_handlers(before);
    assert_true(client_load_from(&client, LIBRARY));
    client.init();
    client_find_bars(&client);
    client_tile_put32(&client, 1, 2, 0, 0x6f);
    client_tile_put32(&client, 1, 2, 0xFFB121B0, 0x47000);
    client.clock(100000);
    get_handlers(after);
    assert_memory_equal(before, after, sizeof before);
    assert_int_equal(entries_of("/proc/self/task"), threads);
    assert_int_equal(entries_of("/proc/self/fd"), files);
    client.exit();
    assert_int_equal(dlclose(client.library), 0);
}

/* One initialization, many runs: every child has the device to itself, DRAM and Ethernet tiles included. */
static void forked_children_have_devices_of_their_own(void **context)
{
    struct client client = {};
    assert_true(client_load_from(&client, LIBRARY));
    client.init();
    client_find_bars(&client);
    client_tile_put32(&client, 17, 12, 0x1000, 1);
    for (uint32_t child = 0; child < 4; child++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            client_tile_put32(&client, 17, 12, 0x1000, child + 10);
            client_tile_put32(&client, 20, 25, 0x1000, child + 20);
            client.clock(1000);
            bool own = client_tile_get32(&client, 17, 12, 0x1000) == child + 10 &&
                       client_tile_get32(&client, 20, 25, 0x1000) == child + 20;
            _exit(own ? 0 : 1);
        }
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
    assert_int_equal(client_tile_get32(&client, 17, 12, 0x1000), 1);
    assert_int_equal(client_tile_get32(&client, 20, 25, 0x1000), 0);
    client.exit();
    assert_int_equal(dlclose(client.library), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_needs_nothing_but_the_c_library),
        cmocka_unit_test(it_exports_the_ten_entry_points_alone),
        cmocka_unit_test(it_loads_from_a_sealed_memory_file),
        cmocka_unit_test(it_leaves_the_process_alone),
        cmocka_unit_test(forked_children_have_devices_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
