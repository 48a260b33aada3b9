/* Time and threads of the library: what BHEMU_HOST_CYCLES and BHEMU_THREADS ask for, and what is left of it when the
   library is closed, unloaded, or its process ends. */
#include "library_fixture.h"

#include <pthread.h>

#include "../tests/host/process.h"

/* Core B of a tile counts in a word of its L1, for ever; the physical address of the word. */
static uint64_t start_counting(unsigned x, unsigned y)
{
    static const uint32_t program[] = {0x10002283, 0x00128293, 0x10502023, 0xff5ff06f}; /* lw, addi, sw, j */
    uint64_t l1 = point(0, x, y, 0);
    abi.write(l1, program, sizeof program);
    write_word(point(1, x, y, 0xFFB121B0), 0x47000); /* all but B in reset */
    return l1 + 0x100;
}

static void count_on_all_tiles(void)
{
    for (unsigned y = 2; y <= 11; y++) {
        for (unsigned x = 1; x <= 16; x += x == 7 ? 3 : 1) {
            (void)start_counting(x, y);
        }
    }
    abi.clock(10000);
}

static void *nothing(void *argument)
{
    return argument;
}

/* A sanitizer starts a thread of its own when it sees the first of a program. */
static void let_sanitizers_start_theirs(void)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, nothing, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* Opens the device anew with three host threads, which have work. */
static void begin_threads(void)
{
    abi.exit();
    setenv("BHEMU_THREADS", "3", 1);
    abi.init();
    unsetenv("BHEMU_THREADS");
    count_on_all_tiles();
}

static void threads_come_with_the_environment_variable_and_go_at_the_end(void **context)
{
    let_sanitizers_start_theirs();
    unsigned before = threads_of_this_process();
    count_on_all_tiles();
    assert_int_equal(threads_of_this_process(), before);
    uint32_t counted = read_word(point(0, 16, 11, 0x100));
    assert_true(counted > 1000);
    begin_threads();
    assert_int_equal(threads_of_this_process(), before + 2);
    assert_int_equal(read_word(point(0, 16, 11, 0x100)), counted);
    abi.exit();
    assert_int_equal(threads_of_this_process(), before);
    abi.init();
}

#ifdef __SANITIZE_THREAD__
enum { CHILDREN_OF_THREADS_BEGIN_SOME = false }; /* it does not let them */
#else
enum { CHILDREN_OF_THREADS_BEGIN_SOME = true };
#endif

/* Asked by LeakSanitizer: the memory of a device that is left open is lost with it. */
static int leaves_device_open;
int __lsan_is_turned_off(void);

__attribute__((visibility("default"))) int __lsan_is_turned_off(void)
{
    return leaves_device_open;
}

/* Whether a child that does this ends as it wants to. */
static bool ends_well(void (*child)(void))
{
    int status = -1;
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        leaves_device_open = true;
        child();
        _exit(0);
    }
    return process > 0 && waitpid(process, &status, 0) == process && status == 0;
}

static void unload(void)
{
    dlclose(abi.library);
}

static void run_and_unload(void)
{
    count_on_all_tiles();
    dlclose(abi.library);
}

static void leave(void)
{
    exit(0);
}

static void begin_threads_and_leave(void)
{
    begin_threads();
    exit(0);
}

/* A thread that has been joined may be listed for a moment. */
static bool threads_come_down_to(unsigned count)
{
    for (unsigned i = 0; i < 10000 && threads_of_this_process() != count; i++) {
        usleep(1000);
    }
    return threads_of_this_process() == count;
}

static void unload_with_threads(void)
{
    let_sanitizers_start_theirs();
    unsigned before = threads_of_this_process();
    begin_threads();
    bool begun = threads_of_this_process() == before + 2;
    dlclose(abi.library);
    _exit(begun && threads_come_down_to(before) ? 0 : 1);
}

/* With a device that is open: its threads are there or, in a child, are not. */
static void nobody_has_to_close_the_device(void **context)
{
    assert_true(ends_well(unload));
    assert_true(ends_well(unload_with_threads));
    assert_true(ends_well(begin_threads_and_leave));
    begin_threads();
    assert_true(ends_well(unload));
    assert_true(!CHILDREN_OF_THREADS_BEGIN_SOME || ends_well(run_and_unload));
    assert_true(ends_well(leave));
    uint32_t counted = read_word(point(0, 16, 11, 0x100));
    abi.clock(10000);
    assert_int_not_equal(read_word(point(0, 16, 11, 0x100)), counted);
}
static void begin_with_host_cycles(const char *cycles)
{
    abi.exit();
    setenv("BHEMU_HOST_CYCLES", cycles, 1);
    abi.init();
    unsetenv("BHEMU_HOST_CYCLES");
}

#define WALL_CLOCK 0xFFB121F0

/* By how much what a read shows may be older than the clock: an eighth of the time since the last write. */
enum { STALE = 50 };

/* Time passes in libttsim_clock() only, unless accesses of the host are told to take some. */
static void accesses_take_time_if_they_are_told_to(void **context)
{
    uint64_t counter = start_counting(3, 3), wall_clock = point(2, 3, 3, WALL_CLOCK);
    assert_int_equal(read_word(counter), 0);
    assert_int_equal(read_word(wall_clock), 0);
    begin_with_host_cycles("100");
    counter = start_counting(3, 3);
    assert_in_range(read_word(counter), 20, 30); /* four instructions each */
    wall_clock = point(2, 3, 3, WALL_CLOCK);
    uint32_t before = read_word(wall_clock);
    write_word(counter, 0);
    write_word(counter, 0);
    assert_in_range(read_word(wall_clock) - before, 300 - STALE, 300 + STALE);
}

/* As on a card: a host that polls by nothing but reads sees that the device gets on. */
static void reads_in_a_row_take_time(void **context)
{
    static const char *const cycles[] = {"1", "100", "1000", "1000000"};
    for (unsigned i = 0; i < sizeof cycles / sizeof cycles[0]; i++) {
        begin_with_host_cycles(cycles[i]);
        uint64_t wall_clock = point(2, 3, 3, WALL_CLOCK);
        uint32_t before = read_word(wall_clock), each = (uint32_t)atoi(cycles[i]);
        assert_int_equal(read_word(wall_clock) - before, each);
        assert_int_equal(read_word(wall_clock) - before, 2 * each);
        abi.clock(5000); /* the host has said what time it took */
        assert_int_equal(read_word(wall_clock) - before, 2 * each + 5000);
    }
    begin_with_host_cycles("100");
    uint64_t counter = start_counting(3, 3);
    for (unsigned polls = 0; read_word(counter) < 1000; polls++) {
        assert_true(polls < 1000);
    }
}

/* How far a core counts in so many cycles, in `calls` equal calls; seed null: none. */
static uint32_t counted_with_jitter(const char *seed, unsigned calls)
{
    enum { CYCLES = 100000 };
    abi.exit();
    if (seed) {
        setenv("BHEMU_JITTER", seed, 1);
    }
    abi.init();
    unsetenv("BHEMU_JITTER");
    uint64_t counter = start_counting(3, 3);
    for (unsigned i = 0; i < calls; i++) {
        abi.clock(CYCLES / calls);
    }
    return read_word(counter);
}

/* A seed delays cores, always in the same way. */
static void jitter_delays(void **context)
{
    static const char *const modes[] = {"functional", "timed"};
    for (unsigned mode = 0; mode < 2; mode++) {
        setenv("BHEMU_MODE", modes[mode], 1);
        uint32_t plain = counted_with_jitter(NULL, 1), one = counted_with_jitter("1", 1);
        assert_true(one && one < plain);
        assert_int_equal(counted_with_jitter("1", 1), one);
        assert_int_equal(counted_with_jitter("1", 100), one);
        assert_int_not_equal(counted_with_jitter("2", 1), one);
        assert_int_equal(counted_with_jitter("0", 1), plain);
    }
    unsetenv("BHEMU_MODE");
    abi.exit();
    abi.init();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(accesses_take_time_if_they_are_told_to),
        TEST(reads_in_a_row_take_time),
        TEST(threads_come_with_the_environment_variable_and_go_at_the_end),
        TEST(jitter_delays),
        TEST(nobody_has_to_close_the_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
