/* The vendor's C ABI, as its client uses it: violations end a child process. */
#include "library_fixture.h"

static void config_space_names_the_chip_and_its_bars(void **context)
{
    assert_int_equal(abi.config_read(0, 0), 0xB1401E52);
    assert_int_equal(abi.config_read(0, 0x10) & ~0xfu, (uint32_t)BAR0);
    assert_int_equal(abi.config_read(0, 0x14), BAR0 >> 32);
    assert_int_equal(abi.config_read(0, 0x18) & ~0xfu, (uint32_t)BAR2);
    assert_int_equal(abi.config_read(0, 0x1c), BAR2 >> 32);
    assert_int_equal(abi.config_read(0, 0x20) & ~0xfu, (uint32_t)BAR4);
    assert_int_equal(abi.config_read(0, 0x24), BAR4 >> 32);
    assert_int_equal(abi.config_read(1 << 3, 0), 0xffffffff); /* no second device */
    abi.config_write(0, 0x10, 0xffffffff);
    assert_int_equal(abi.config_read(0, 0x10), 0xe0000004); /* 512 MiB, 64 bits */
    abi.config_write(0, 0x04, 0x12345678);
    assert_int_equal(abi.config_read(0, 0x04), 0x5678);
}

static void windows_show_l1_of_every_tile(void **context)
{
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned y = 2; y <= 11; y++) {
            for (unsigned x = 1; x <= 16; x++) {
                if (x == 8 || x == 9) {
                    continue;
                }
                uint64_t paddr = point(x * 12 + y - 12, x, y, 0x1234);
                if (pass == 0) {
                    write_word(paddr, x << 8 | y);
                } else {
                    assert_int_equal(read_word(paddr), x << 8 | y);
                    assert_int_equal(read_word(point_4g(x % 8, x, y, 0x1234)), x << 8 | y);
                }
            }
        }
    }
}

static void windows_take_any_size(void **context)
{
    static uint8_t out[100000], in[100000];
    for (unsigned i = 0; i < sizeof out; i++) {
        out[i] = (uint8_t)(i * 31 + (i >> 8));
    }
    uint64_t paddr = point(201, 16, 11, 0x7001);
    abi.write(paddr, out, sizeof out);
    abi.read(point_4g(7, 16, 11, 0x7001), in, sizeof in);
    assert_memory_equal(in, out, sizeof out);
    abi.write(point_4g(0, 16, 11, 0x7001), in + 1, 3);
    abi.read(paddr, in, 4);
    assert_memory_equal(in, out + 1, 3);
}

static void multicast_reaches_the_rectangle_and_nobody_else(void **context)
{
    uint64_t window = point_multicast(3, 5, 4, 11, 9, 0x100);
    write_word(window, 0xcafe);
    assert_int_equal(read_word(window), 0xcafe); /* drivers flush posted writes so */
    for (unsigned y = 2; y <= 11; y++) {
        for (unsigned x = 1; x <= 16; x++) {
            if (x != 8 && x != 9) {
                bool inside = x >= 5 && x <= 11 && y >= 4 && y <= 9;
                assert_int_equal(read_word(point(4, x, y, 0x100)), inside ? 0xcafe : 0);
            }
        }
    }
}

static void a_host_runs_a_program(void **context)
{
    /* Adds the words at 0x1000 and 0x1004 to 0x1008 for ever. */
    static const uint32_t program[] = {
        0x000012b7, /* lui t0, 0x1 */
        0x0002a303, /* lw  t1, 0(t0) */
        0x0042a383, /* lw  t2, 4(t0) */
        0x00730333, /* add t1, t1, t2 */
        0x0062a423, /* sw  t1, 8(t0) */
        0xff1ff06f, /* j   -16 */
    };
    uint64_t l1 = point(0, 1, 2, 0), registers = point(1, 1, 2, 0xFFA00000);
    uint64_t soft_reset = registers + 0x1121B0;
    assert_int_equal(read_word(soft_reset), 0x47800);
    abi.write(l1, program, sizeof program);
    write_word(l1 + 0x1000, 40);
    write_word(l1 + 0x1004, 2);
    abi.clock(1);
    assert_int_equal(read_word(l1 + 0x1008), 0);
    write_word(soft_reset, read_word(soft_reset) & ~(1u << 11));
    abi.clock(1); /* enough for a host that polls */
    assert_int_equal(read_word(l1 + 0x1008), 42);
    write_word(soft_reset, 0x47800);
    write_word(l1 + 0x1004, 3);
    abi.clock(1000);
    assert_int_equal(read_word(l1 + 0x1008), 42);
}

/* Also where nothing runs, and as long as whatever runs waits. */
static void clocks_go_on(void **context)
{
    uint64_t wall_clock = point(0, 3, 3, 0xFFB121F0), refclk = point(1, 8, 0, 0x800300E0);
    uint32_t before = read_word(wall_clock), reference = read_word(refclk);
    abi.clock(27000);
    assert_int_equal(read_word(wall_clock) - before, 27000);
    assert_int_equal(read_word(refclk) - reference, 1000);
    write_word(point(2, 3, 3, 0), 0x6f);
    write_word(point(3, 3, 3, 0xFFB121B0), 0x47000);
    abi.clock(27000);
    assert_int_equal(read_word(wall_clock) - before, 54000);
}

static void the_pcie_tile_says_where_it_is(void **context)
{
    assert_int_equal(read_word(BAR0 + 0x1FD04044), 2 | 17 << 12 | 12 << 19 | 1 << 28);
    assert_int_equal(read_word(BAR0 + 0x1FD04100) & 1 << 14, 1 << 14);
    assert_int_equal(read_word(BAR0 + 0x1FD14044), 14 | 11 << 6 | 17 << 12 | 12 << 19);
}

static void address_translation_is_kept(void **context)
{
    for (unsigned i = 0; i < 32; i++) {
        write_word(BAR2 + 0x1000 + 0x100 * i + 8, i + 1);
    }
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(read_word(BAR2 + 0x1000 + 0x100 * i + 8), i + 1);
    }
}

static void the_library_can_be_loaded_again(void **context)
{
    for (unsigned i = 0; i < 3; i++) {
        uint64_t paddr = point(0, 1, 2, 0);
        assert_int_equal(read_word(paddr), 0);
        write_word(paddr, 5);
        abi.exit();
        assert_int_equal(dlclose(abi.library), 0);
        assert_int_equal(load_library(context), 0);
        abi.init();
    }
}

static void a_forked_child_goes_its_own_way(void **context)
{
    uint64_t paddr = point(0, 1, 2, 0);
    write_word(paddr, 0x6f); /* j . */
    write_word(paddr + 0x100, 1);
    pid_t child = fork();
    if (child == 0) {
        write_word(paddr + 0x100, 2);
        abi.clock(100);
        _exit(read_word(paddr + 0x100) == 2 ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(read_word(paddr + 0x100), 1);
}

/* Violations. */

static void init_twice(void)
{
    abi.init();
}

static void access_after_exit(void)
{
    abi.exit();
    abi.clock(1);
}

static void callbacks_too_late(void)
{
    abi.set_callbacks(NULL, NULL);
}

static void config_of_a_function(void)
{
    (void)abi.config_read(1, 0);
}

static void config_offset(void)
{
    (void)abi.config_read(0, 2);
}

static void config_beyond(void)
{
    (void)abi.config_read(0, 0x40);
}

static void no_bytes(void)
{
    abi.read(BAR0, NULL, 0);
}

static void no_bar(void)
{
    (void)read_word(0x1000);
}

static void end_of_window(void)
{
    uint8_t bytes[8];
    abi.read(point(0, 1, 2, 0) + 0x1ffffc, bytes, 8);
}

static void end_of_l1(void)
{
    (void)read_word(point(0, 1, 2, 0x17fffe));
}

static void unmapped(void)
{
    (void)read_word(point(0, 1, 2, 0x180000));
}

static void half_a_register(void)
{
    uint16_t half = 0;
    abi.write(point(0, 1, 2, 0xFFB12228), &half, 2);
}

static void nowhere(void)
{
    (void)read_word(point(0, 8, 11, 0));
}

static void multicast_backwards(void)
{
    write_word(point_multicast(0, 3, 4, 1, 2, 0), 1);
}

static void reserved_ordering(void)
{
    uint64_t paddr = point(0, 1, 2, 0);
    write_word(BAR0 + 0x1FC00008, 3 << 6 | 1 << 5);
    (void)read_word(paddr);
}

static void bar0_elsewhere(void)
{
    (void)read_word(BAR0 + 0x1A000000);
}

static void bar2_elsewhere(void)
{
    (void)read_word(BAR2 + 0x10);
}

static void tile_relative(void)
{
    abi.tile_read(1, 2, 0, NULL, 4);
}

static void start_core_b(void)
{
    write_word(point(1, 4, 7, 0xFFB121B0), 0x47000);
    abi.clock(1000);
}

static void undefined_instruction(void)
{
    write_word(point(0, 4, 7, 0), 0xffffffff);
    start_core_b();
}

static void polls_a_deadlock(void)
{
    write_word(point(0, 4, 7, 0), 0xffec12b7); /* lui t0, 0xffec1: mailbox with T0 */
    write_word(point(0, 4, 7, 4), 0x0002a303); /* lw t1, 0(t0) */
    start_core_b();
    for (unsigned i = 0; i < 2000000; i++) {
        abi.clock(1);
    }
}

static void polls_a_deadlock_by_reads(void)
{
    abi.exit();
    setenv("BHEMU_HOST_CYCLES", "100", 1);
    abi.init();
    write_word(point(0, 4, 7, 0), 0xffec12b7); /* lui t0, 0xffec1: mailbox with T0 */
    write_word(point(0, 4, 7, 4), 0x0002a303); /* lw t1, 0(t0) */
    start_core_b();
    for (unsigned i = 0; i < 2000000; i++) {
        (void)read_word(BAR0);
    }
}

static void bad_policy(void)
{
    abi.exit();
    setenv("BHEMU_POLICY", "lenient", 1);
    abi.init();
}

static void no_number_of_threads(void)
{
    abi.exit();
    setenv("BHEMU_THREADS", "many", 1);
    abi.init();
}

static void too_many_threads(void)
{
    abi.exit();
    setenv("BHEMU_THREADS", "65", 1);
    abi.init();
}

static void no_verification(void)
{
    abi.exit();
    setenv("BHEMU_VERIFY", "yes", 1);
    abi.init();
}

static void no_seed(void)
{
    abi.exit();
    setenv("BHEMU_JITTER", "4294967296", 1);
    abi.init();
}

static void neither_stop_nor_report(void)
{
    abi.exit();
    setenv("BHEMU_ON_ERROR", "ignore", 1);
    abi.init();
}

static void no_time(void)
{
    abi.exit();
    setenv("BHEMU_REPORT_AFTER", "soon", 1);
    abi.init();
}

static void no_time_at_all(void)
{
    abi.exit();
    setenv("BHEMU_REPORT_AFTER", "0", 1);
    abi.init();
}

static void semihosting(void)
{
    abi.exit();
    setenv("TTSIM_SEMIHOSTING", "1", 1);
    abi.init();
}

static void no_tiles(void)
{
    abi.exit();
    setenv("BHEMU_TILES", "1-2,3", 1);
    setenv("BHEMU_LOG", "/dev/null", 1);
    abi.init();
}

static void a_log_of_a_tile_that_is_not_there(void)
{
    abi.exit();
    setenv("BHEMU_TILES", "1-2,8-8", 1);
    setenv("BHEMU_LOG", "/dev/null", 1);
    abi.init();
}

static void prints_of_a_tile_that_is_not_there(void)
{
    abi.exit();
    setenv("BHEMU_TILES", "1-2,8-8", 1);
    setenv("BHEMU_PRINT", "1", 1);
    abi.init();
}

static void a_log_without_a_folder(void)
{
    abi.exit();
    setenv("BHEMU_LOG", "/no/such/folder/log", 1);
    abi.init();
}

static void violations_end_the_process_with_one_line(void **context)
{
    static const struct {
        void (*violate)(void);
        const char *part;
    } violations[] = {
        {init_twice, "ConfigurationError: libttsim_init() is called a second time"},
        {access_after_exit, "ConfigurationError: libttsim_clock() is called outside"},
        {callbacks_too_late, "after libttsim_init()"},
        {config_of_a_function, "bus and function must be 0"},
        {config_offset, "multiple of 4"},
        {config_beyond, "config space offset 0x40"},
        {no_bytes, "no bytes"},
        {no_bar, "0x1000 is in no BAR"},
        {end_of_window, "leaves TLB window 0"},
        {end_of_l1, "L1 ends at 0x0017ffff"},
        {unmapped, "UndefinedBehavior: tile (1,2)"},
        {half_a_register, "takes aligned words"},
        {nowhere, "there is no tile at (8, 11)"},
        {multicast_backwards, "its corners must be tiles, the first one first"},
        {reserved_ordering, "ordering 3 (posted and strict) is not for multicast"},
        {bar0_elsewhere, "BAR0: reading offset 0x1a000000"},
        {bar2_elsewhere, "BAR2: offset 0x10"},
        {tile_relative, "not for Blackhole"},
        {undefined_instruction, "tile (4,7)"},
        {polls_a_deadlock, "core B at 0x00000004 waits for a value in its mailbox from T0"},
        {polls_a_deadlock_by_reads, "core B at 0x00000004 waits for a value in its mailbox from T0"},
        {bad_policy, "BHEMU_POLICY is \"lenient\""},
        {no_number_of_threads, "BHEMU_THREADS is \"many\""},
        {too_many_threads, "BHEMU_THREADS is \"65\""},
        {no_verification, "BHEMU_VERIFY is \"yes\"; it may be 0 to 1"},
        {no_seed, "BHEMU_JITTER is \"4294967296\"; it may be 0 to 4294967295"},
        {neither_stop_nor_report, "BHEMU_ON_ERROR is \"ignore\"; it may be stop or report"},
        {no_time, "BHEMU_REPORT_AFTER is \"soon\"; it may be a number of seconds"},
        {no_time_at_all, "BHEMU_REPORT_AFTER is \"0\""},
        {no_tiles, "BHEMU_TILES is \"1-2,3\"; it may be a list"},
        {a_log_of_a_tile_that_is_not_there, "BHEMU_TILES names a tile that is not there"},
        {prints_of_a_tile_that_is_not_there, "BHEMU_PRINT: BHEMU_TILES names a tile that is not there"},
        {a_log_without_a_folder, "BHEMU_LOG: log /no/such/folder/log: No such file or directory"},
        {semihosting, "semihosting is not emulated"},
    };
    for (unsigned i = 0; i < sizeof violations / sizeof violations[0]; i++) {
        assert_fatal(violations[i].violate, violations[i].part);
    }
}

/* Core B of tile (1,2) executes a lui and jumps to itself; so does that of (2,2). */
static void a_log_comes_from_the_environment(void **context)
{
    char path[] = "/tmp/bhemu_log_XXXXXX", text[500] = "";
    int file = mkstemp(path);
    assert_true(file >= 0);
    abi.exit();
    setenv("BHEMU_LOG", path, 1);
    setenv("BHEMU_TILES", "1-2", 1);
    abi.init();
    for (unsigned x = 1; x <= 2; x++) {
        write_word(point(0, x, 2, 0), 0x000012b7);
        write_word(point(0, x, 2, 4), 0x0000006f);
        write_word(point(0, x, 2, 0xffb121b0), 0x47000); /* all but B in reset */
    }
    abi.clock(100);
    abi.exit();
    unsetenv("BHEMU_LOG");
    unsetenv("BHEMU_TILES");
    abi.init();
    assert_true(read(file, text, sizeof text - 1) > 0);
    close(file);
    unlink(path);
    assert_non_null(strstr(text, "1-2   B         0x00000000  lui t0,0x1  ; t0=0x00001000\n"));
    assert_null(strstr(text, "2-2"));
}

/* Puts a print buffer of 32 words into L1 of a tile, and "NUMBER" in it, as a program of core T0 would. */
static void print_a_number(unsigned x, uint32_t number)
{
    const uint64_t buffer = point(0, x, 2, 0x17000), format = point(1, x, 2, 0x20000);
    const uint32_t words[] = {0x72706862, 0x31746e69, 32, 6, 0, 0, 0, 0, 0x5a5a0106, 0, 0x20000, 0, 0, number};
    abi.write(format, "a %u\n", 6);
    abi.write(buffer, words, sizeof words);
}

/* What the library prints on stdout between init() and exit(). */
static void run_to_text(char text[500])
{
    int ends[2], kept = dup(STDOUT_FILENO);
    fflush(NULL);
    assert_int_equal(pipe(ends), 0);
    abi.exit();
    dup2(ends[1], STDOUT_FILENO);
    abi.init();
    print_a_number(1, 7);
    print_a_number(2, 8);
    abi.clock(100);
    abi.exit();
    fflush(NULL);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(ends[1]);
    ssize_t length = read(ends[0], text, 499);
    text[length > 0 ? length : 0] = 0;
    close(ends[0]);
}

static void prints_come_if_the_environment_says_so(void **context)
{
    char text[500];
    run_to_text(text);
    assert_string_equal(text, "");
    abi.init();
    setenv("BHEMU_PRINT", "1", 1);
    run_to_text(text);
    assert_string_equal(text, "1-2 T0: a 7\n2-2 T0: a 8\n");
    abi.init();
    setenv("BHEMU_TILES", "2-2", 1);
    run_to_text(text);
    assert_string_equal(text, "2-2 T0: a 8\n");
    unsetenv("BHEMU_PRINT");
    unsetenv("BHEMU_TILES");
    abi.init();
}

static void policies_come_from_the_environment(void **context)
{
    abi.exit();
    setenv("BHEMU_POLICY", "silicon", 1);
    abi.init();
    /* Undefined, yet silicon goes on: an access where nothing is mapped reads as zero. */
    assert_int_equal(read_word(point(0, 1, 2, 0xFFB12FF0)), 0);
    unsetenv("BHEMU_POLICY");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(config_space_names_the_chip_and_its_bars),
        TEST(windows_show_l1_of_every_tile),
        TEST(windows_take_any_size),
        TEST(multicast_reaches_the_rectangle_and_nobody_else),
        TEST(a_host_runs_a_program),
        TEST(clocks_go_on),
        TEST(the_pcie_tile_says_where_it_is),
        TEST(address_translation_is_kept),
        TEST(the_library_can_be_loaded_again),
        TEST(a_forked_child_goes_its_own_way),
        TEST(violations_end_the_process_with_one_line),
        TEST(a_log_comes_from_the_environment),
        TEST(prints_come_if_the_environment_says_so),
        TEST(policies_come_from_the_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
