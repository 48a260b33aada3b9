/* BHEMU_GDB: gdb debugs a core while the host calls libttsim_clock(); and what it may not be. */
#include "library_fixture.h"

#include <arpa/inet.h>
#include <sys/socket.h>

static unsigned free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int any = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(any, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(any, (struct sockaddr *)&address, &size), 0);
    close(any);
    return ntohs(address.sin_port);
}

static void gdb_stops_a_core(void **context)
{
    char port[20], command[500], output[10000];
    (void)snprintf(port, sizeof port, "%u", free_port());
    abi.exit();
    setenv("BHEMU_GDB", port, 1);
    setenv("BHEMU_TILES", "1-2", 1);
    abi.init();
    unsetenv("BHEMU_GDB");
    unsetenv("BHEMU_TILES");
    write_word(point(0, 1, 2, 0), 0x000012b7); /* lui t0, 1 */
    write_word(point(0, 1, 2, 4), 0x00628293); /* addi t0, t0, 6 */
    write_word(point(0, 1, 2, 8), 0x0000006f);
    write_word(point(0, 1, 2, 0xffb121b0), 0x47000); /* all but B in reset */
    (void)snprintf(
        command, sizeof command,
        "exec 2>&1; exec timeout 60 gdb-multiarch -nx -q -batch -ex 'set architecture riscv:rv32' -ex 'target "
        "remote 127.0.0.1:%s' -ex 'hbreak *4' -ex continue -ex 'print $t0' -ex stepi -ex 'print $t0' -ex "
        "'monitor threads' -ex reverse-stepi -ex 'monitor record on' -ex 'print $pc' -ex detach",
        port);
    FILE *gdb = popen(command, "r");
    assert_non_null(gdb);
    for (unsigned i = 0; i < 10; i++) {
        abi.clock(100);
    }
    output[fread(output, 1, sizeof output - 1, gdb)] = 0;
    (void)pclose(gdb);
    static const char *const texts[] = {
        "$1 = 4096\n",
        "$2 = 4102\n",
        "1,2 B ",
        "what the host of libttsim.so, or another chip of a system, does cannot be repeated: there is no way back",
        "what the host of libttsim.so, or another chip of a system, does cannot be repeated: there is no recording",
        "$3 = (void (*)()) 0x8"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!strstr(output, texts[i])) {
            fail_msg("no \"%s\" in:\n%s", texts[i], output);
        }
    }
}

static void no_port(void)
{
    abi.exit();
    setenv("BHEMU_GDB", "x", 1);
    abi.init();
}

static void no_tiles(void)
{
    abi.exit();
    setenv("BHEMU_GDB", "0", 1);
    unsetenv("BHEMU_TILES");
    abi.init();
}

static void what_makes_no_sense_is_refused(void **context)
{
    assert_fatal(no_port, "ConfigurationError: BHEMU_GDB is \"x\"");
    assert_fatal(no_tiles, "BHEMU_GDB needs BHEMU_TILES");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(gdb_stops_a_core),
        TEST(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests_name("gdb of libttsim.so", tests, NULL, NULL);
}
