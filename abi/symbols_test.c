/* BHEMU_SYMBOLS: kernels that are written to L1 as tt-umd does, and their source lines in all that is told of them. */
#include <arpa/inet.h>
#include <sys/socket.h>

#include "host/metal_kernel.h"
#include "program_fixture.h"

static void (*run)(void);

static void run_with_symbols(void)
{
    setenv("BHEMU_SYMBOLS", FOLDER, 0);
    run();
}

static int told_with_symbols(void (*what)(void))
{
    run = what;
    return told_by(run_with_symbols);
}

static void store_wildly(void)
{
    abi.init();
    load("wild_store.trisc1", 1);
    abi.clock(10000);
    abi.clock(10000);
}

static void diagnostics_have_source_lines(void **context)
{
    assert_int_equal(told_with_symbols(store_wildly), 1);
    assert_says("libttsim: error: UndefinedBehavior: tile (1,2) core T1 pc 0x0000a0a0 [sw zero,0(a5)]");
    assert_says("\n  core T1 at 0x0000a0a0: clear (");
    assert_says("kernels/broken/wild_store.c:7), in kernel_main (");
    assert_says("kernels/broken/wild_store.c:13)\n");
}

static void without_matches(void)
{
    setenv("BHEMU_SYMBOLS", BHEMU_SOURCE_DIR "/docs", 1);
    store_wildly();
}

static void a_folder_without_the_program_changes_nothing(void **context)
{
    assert_int_equal(told_with_symbols(without_matches), 1);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

static void hang(void)
{
    setenv("BHEMU_REPORT_AFTER", "0.01", 1);
    abi.init();
    load("forgotten_flag.trisc1", 1);
    for (unsigned i = 0; i < 200; i++) {
        abi.clock(1000);
        usleep(1000);
    }
}

static void reports_have_source_lines(void **context)
{
    assert_int_equal(told_with_symbols(hang), 0);
    assert_says("libttsim: warning: Deadlock: tile (1,2): core T1 ");
    assert_says(" polls 0x00030000");
    assert_says("in wait_for_flag (");
    assert_says("kernels/broken/forgotten_flag.c:13)");
}

/* From begin_file() to end_file() the library writes the file that a variable names; `text` becomes what is in it. */
static char path_of_file[100];

static void begin_file(const char *variable, const char *ending)
{
    char value[200];
    snprintf(path_of_file, sizeof path_of_file, "/tmp/bhemu_symbols_%d%s", (int)getpid(), ending);
    snprintf(value, sizeof value, "%s%s", strcmp(variable, "BHEMU_DUMP") ? "" : "cores:", path_of_file);
    abi.exit();
    setenv(variable, value, 1);
    setenv("BHEMU_SYMBOLS", FOLDER, 1);
    setenv("BHEMU_TILES", "1-2", 1);
    setenv("BHEMU_POLICY", "silicon", 1);
    abi.init();
}

static void end_file(const char *variable)
{
    abi.exit();
    unsetenv(variable);
    unsetenv("BHEMU_SYMBOLS");
    unsetenv("BHEMU_TILES");
    unsetenv("BHEMU_POLICY");
    abi.init();
    FILE *stream = fopen(path_of_file, "r");
    assert_non_null(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = 0;
    fclose(stream);
    unlink(path_of_file);
}

/* `text` becomes the file of two kernels that have run one after the other at the same address. */
static void write_file(const char *variable, const char *ending)
{
    begin_file(variable, ending);
    load("forgotten_flag.trisc1", 1);
    abi.clock(2000);
    load("wild_store.trisc1", 1);
    abi.clock(2000);
    end_file(variable);
}

static void a_profile_tells_programs_apart(void **context)
{
    write_file("BHEMU_PROFILE", ".json");
    assert_says("forgotten_flag.c:");
    assert_says("\"function\":\"clear\"");
    assert_says("wild_store.c:7");
    write_file("BHEMU_PROFILE", ".folded");
    assert_says("1-2;T1;kernel_main;clear ");
    assert_says("1-2;T1;kernel_main;wait_for_flag");
    setenv("BHEMU_PROFILE_EVERY", "100", 1);
    write_file("BHEMU_PROFILE", ".json");
    unsetenv("BHEMU_PROFILE_EVERY");
    assert_says("forgotten_flag.c:");
}

static void a_trace_tells_programs_apart(void **context)
{
    setenv("BHEMU_TO", "30000", 1);
    setenv("BHEMU_TRACE_MERGE", "1", 1);
    write_file("BHEMU_TRACE", ".trace");
    unsetenv("BHEMU_TO");
    unsetenv("BHEMU_TRACE_MERGE");
    assert_says("forgotten_flag.c:");
    assert_says("\"name\":\"clear\"");
    assert_says("wild_store.c:");
}

/* As tt-metal loads kernels: linked to one address, and moved to another. */
static void a_moved_kernel_has_its_lines(void **context)
{
    enum { THERE = 0x20010 };
    struct metal_kernel kernel;
    static uint8_t image[1 << 16];
    assert_int_equal(metal_kernel_open(&kernel, FOLDER "/metal_add.trisc1.elf", NULL), BH_OK);
    assert_in_range(kernel.size, 1, sizeof image);
    assert_int_not_equal(metal_kernel_linked(&kernel), THERE);
    assert_int_equal(metal_kernel_place(&kernel, THERE, image, NULL), BH_OK);
    begin_file("BHEMU_PROFILE", ".folded");
    abi.write(point(0, 1, 2, THERE), image, kernel.size);
    start_t1(1, THERE);
    abi.clock(1000);
    metal_kernel_close(&kernel);
    end_file("BHEMU_PROFILE");
    assert_says("1-2;T1;kernel_main;");
}

static void a_dump_has_the_lines_of_its_cores(void **context)
{
    begin_file("BHEMU_DUMP", ".txt");
    load("forgotten_flag.trisc1", 1);
    abi.clock(1000);
    end_file("BHEMU_DUMP");
    assert_says("kernels/broken/forgotten_flag.c:");
}

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

static void gdb_is_told_of_the_files(void **context)
{
    char port[20], command[500];
    (void)snprintf(port, sizeof port, "%u", free_port());
    abi.exit();
    setenv("BHEMU_GDB", port, 1);
    setenv("BHEMU_TILES", "1-2", 1);
    setenv("BHEMU_SYMBOLS", FOLDER, 1);
    abi.init();
    unsetenv("BHEMU_GDB");
    unsetenv("BHEMU_TILES");
    unsetenv("BHEMU_SYMBOLS");
    load("forgotten_flag.trisc1", 1);
    (void)snprintf(
        command, sizeof command,
        "exec 2>&1; exec timeout 60 gdb-multiarch -nx -q -batch -ex 'set architecture riscv:rv32' -ex 'target "
        "remote 127.0.0.1:%s' -ex 'hbreak *0xa010' -ex continue -ex 'monitor symbols' -ex detach",
        port);
    FILE *gdb = popen(command, "r");
    assert_non_null(gdb);
    for (unsigned i = 0; i < 10; i++) {
        abi.clock(100);
    }
    text[fread(text, 1, sizeof text - 1, gdb)] = 0;
    (void)pclose(gdb);
    assert_says("1,2 T1     add-symbol-file " FOLDER "/forgotten_flag.trisc1.elf -o 0x0\n");
}

static void no_such_folder(void)
{
    abi.exit();
    setenv("BHEMU_SYMBOLS", BHEMU_BUILD_DIR ":/no/such/folder", 1);
    abi.init();
}

static void no_folder(void)
{
    abi.exit();
    setenv("BHEMU_SYMBOLS", BHEMU_BUILD_DIR "/libttsim.so", 1);
    abi.init();
}

static void what_is_no_folder_is_refused(void **context)
{
    assert_fatal(no_such_folder, "ConfigurationError: BHEMU_SYMBOLS: /no/such/folder: No such file or directory");
    assert_fatal(no_folder, "/libttsim.so: not a folder");
}

int main(void)
{
    if (access(FOLDER "/built", R_OK) != 0) {
        return 0;
    }
    const struct CMUnitTest tests[] = {
        TEST(diagnostics_have_source_lines),     TEST(a_folder_without_the_program_changes_nothing),
        TEST(reports_have_source_lines),         TEST(a_profile_tells_programs_apart),
        TEST(a_trace_tells_programs_apart),      TEST(a_moved_kernel_has_its_lines),
        TEST(a_dump_has_the_lines_of_its_cores), TEST(gdb_is_told_of_the_files),
        TEST(what_is_no_folder_is_refused),
    };
    return cmocka_run_group_tests_name("BHEMU_SYMBOLS", tests, NULL, NULL);
}
