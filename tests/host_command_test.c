/* bhemu host: a program that loads libttsim.so, with its chips in other processes. Called with arguments, this is such
   a program. */
#include "abi/client.h"
#include "host/files.h"
#include "host/process.h"

#include <signal.h>
#include <time.h>

static char output[1 << 16];

enum { CHIPS = 4, CHANNELS = 12, ETHERNET_X = 20, ETHERNET_Y = 25, CODE = 0x2000, CYCLES = 20000, STEP = 500 };
enum { E1_RESET_PC = 0xFFB14008, SOFT_RESET = 0xFFB121B0, E1_HELD = 0x1000, TX = 0xFFB90000, RX = 0xFFB94000 };

/* The program. */

static struct client chips;

/* Chips are behind each other on the bus. */
static uint64_t bar0_of(unsigned chip)
{
    uint64_t low = chips.config_read(chip << 3, 0x10), high = chips.config_read(chip << 3, 0x14);
    return (high << 32 | low) & ~UINT64_C(15);
}

static unsigned count_chips(void)
{
    unsigned count = 0;
    while (count < 32 && chips.config_read(count << 3, 0) != UINT32_MAX) {
        count++;
    }
    return count;
}

static void emit_store(uint32_t *code, unsigned *count, uint32_t address, uint32_t value)
{
    code[(*count)++] = lui(T0, address + 0x800);
    code[(*count)++] = addi(T0, T0, (int32_t)(address << 20) >> 20);
    code[(*count)++] = lui(T1, value + 0x800);
    code[(*count)++] = addi(T1, T1, (int32_t)(value << 20) >> 20);
    code[(*count)++] = sw(T1, T0, 0);
}

/* E1 sends 256 bytes of its L1 to the other end of its link, three times. */
static void start_sender(uint64_t bar0, unsigned channel, unsigned seed)
{
    uint32_t code[100], data[64];
    unsigned count = 0;
    for (unsigned i = 0; i < 3; i++) {
        code[count++] = lui(T2, TX);
        code[count++] = lw(T1, T2, 8);
        code[count++] = branch(BNE, T1, ZERO, -4);
        emit_store(code, &count, TX + 0x14, 0x10000);
        emit_store(code, &count, TX + 0x18, 256);
        emit_store(code, &count, TX + 0x1c, 0x20000 + (seed + i) % 16 * 256);
        emit_store(code, &count, TX + 4, 2);
    }
    code[count++] = SELF_JUMP;
    for (unsigned i = 0; i < 64; i++) {
        data[i] = seed * 1000 + i;
    }
    unsigned x = ETHERNET_X + channel;
    chips.bar0 = bar0;
    chips.write(client_point(&chips, x, ETHERNET_Y, CODE), code, 4 * count);
    chips.write(client_point(&chips, x, ETHERNET_Y, 0x10000), data, sizeof data);
    client_put32(&chips, client_point(&chips, x, ETHERNET_Y, E1_RESET_PC), CODE);
    uint64_t reset = client_point(&chips, x, ETHERNET_Y, SOFT_RESET);
    client_put32(&chips, reset, client_get32(&chips, reset) & ~(uint32_t)E1_HELD);
}

static uint64_t hash_of(uint64_t hash, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ ((const uint8_t *)data)[i]) * 0x100000001b3u;
    }
    return hash;
}

static uint64_t hash_of_chip(uint64_t bar0)
{
    static uint8_t bytes[0x10000];
    uint64_t hash = 0xcbf29ce484222325u;
    chips.bar0 = bar0;
    for (unsigned channel = 0; channel < CHANNELS; channel++) {
        chips.read(client_point(&chips, ETHERNET_X + channel, ETHERNET_Y, 0x10000), bytes, sizeof bytes);
        uint32_t received = client_get32(&chips, client_point(&chips, ETHERNET_X + channel, ETHERNET_Y, RX + 0x28));
        hash = hash_of(hash_of(hash, bytes, sizeof bytes), &received, sizeof received);
    }
    return hash;
}

static void load(void)
{
    if (!client_load_from(&chips, BHEMU_BUILD_DIR "/libttsim.so")) {
        exit(2);
    }
    chips.init();
}

/* Senders on all channels, also on those without a link, of which chips tell; a line for each chip with what has come
   of it. */
static int send_and_tell(void)
{
    load();
    unsigned count = count_chips(), first = (unsigned)(bar0_of(0) >> 36);
    for (unsigned chip = 0; chip < count; chip++) {
        for (unsigned channel = 0; channel < CHANNELS; channel++) {
            start_sender(bar0_of(chip), channel, (first + chip) * 100 + channel);
        }
    }
    for (unsigned passed = 0; passed < CYCLES; passed += STEP) {
        chips.clock(STEP);
    }
    for (unsigned chip = 0; chip < count; chip++) {
        printf("chip %u: %016llx\n", first + chip, (unsigned long long)hash_of_chip(bar0_of(chip)));
    }
    chips.exit();
    return 0;
}

/* Cores of all chips count. */
static void start_counting(void)
{
    const uint32_t code[] = {addi(T0, T0, 1), jump(-4)};
    load();
    unsigned count = count_chips();
    for (unsigned chip = 0; chip < count; chip++) {
        chips.bar0 = bar0_of(chip);
        chips.write(client_point(&chips, 1, 2, 0), code, sizeof code);
        client_put32(&chips, client_point(&chips, 1, 2, SOFT_RESET), 0x47000);
    }
    puts("counts");
    fflush(stdout);
}

/* Time passes without end while the cores count. */
static _Noreturn void count_for_ever(void)
{
    start_counting();
    for (;;) {
        chips.clock(1000);
    }
}

/* The program is killed while the cores count. */
static _Noreturn void count_and_die(void)
{
    start_counting();
    for (unsigned i = 0; i < 100; i++) {
        chips.clock(1000);
    }
    raise(SIGKILL);
    abort();
}

static int store_wildly(void)
{
    const uint32_t code[] = {lui(T0, 0x90000000), sw(T0, T0, 0), SELF_JUMP};
    load();
    chips.bar0 = bar0_of(1);
    chips.write(client_point(&chips, 1, 2, 0), code, sizeof code);
    client_put32(&chips, client_point(&chips, 1, 2, SOFT_RESET), 0x47000);
    for (unsigned i = 0; i < 100; i++) {
        chips.clock(1000);
    }
    return 0;
}

static int act(const char *what)
{
    return strcmp(what, "send") == 0    ? send_and_tell()
           : strcmp(what, "count") == 0 ? (count_for_ever(), 1)
           : strcmp(what, "die") == 0   ? (count_and_die(), 1)
           : strcmp(what, "wild") == 0  ? store_wildly()
                                        : 0;
}

/* The tests. */

static int run(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A command, with bhemu as $bhemu, this program as $program. */
static int run(const char *format, ...)
{
    char command[4096];
    int length = snprintf(
        command, sizeof command,
        "exec 2>&1; export BHEMU_POLICY=silicon; bhemu='timeout 100 %s/bhemu'; program=%s/tests/test.host_command; ",
        BHEMU_BUILD_DIR, BHEMU_BUILD_DIR);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command + length, sizeof command - (size_t)length, format, arguments);
    va_end(arguments);
    return run_in_shell(command, output, sizeof output);
}

static void assert_says(const char *text)
{
    if (!strstr(output, text)) {
        fail_msg("no \"%s\" in:\n%s", text, output);
    }
}

static void processes_make_no_difference(void **context)
{
    static const char *const modes[] = {"functional", "timed"};
    static char one[sizeof output];
    for (unsigned mode = 0; mode < 2; mode++) {
        assert_int_equal(run("BHEMU_MODE=%s BHEMU_SYSTEM=x4 $program send", modes[mode]), 0);
        assert_says("libttsim: warning: UndefinedBehavior: chip 3 tile (1,1) core E1 pc 0x");
        assert_says("chip 3: ");
        memcpy(one, output, sizeof one);
        for (unsigned processes = 1; processes <= 4; processes++) {
            assert_int_equal(
                run("BHEMU_MODE=%s $bhemu host --system x4 --processes %u $program send", modes[mode], processes), 0);
            assert_string_equal(output, one);
        }
    }
}

static void the_program_s_exit_code_is_passed_on(void **context)
{
    assert_int_equal(run("$bhemu host --processes 2 sh -c 'exit 7'"), 7);
    assert_int_equal(run("$bhemu host --processes 2 sh -c 'kill -9 $$'"), 128 + 9);
    assert_int_equal(run("$bhemu host --processes 2 /no/such/program"), 127);
    assert_says("bhemu: /no/such/program: No such file or directory");
}

/* One host after the other has the chips, each from the beginning. */
static void hosts_come_one_after_the_other(void **context)
{
    static char one[sizeof output];
    assert_int_equal(run("BHEMU_SYSTEM=x2 $program send; BHEMU_SYSTEM=x2 $program send"), 0);
    memcpy(one, output, sizeof one);
    assert_int_equal(run("$bhemu host --processes 2 sh -c \"$program send; $program send\""), 0);
    assert_string_equal(output, one);
    assert_int_equal(run("$bhemu host --processes 2 sh -c \"$program die; $program send\" 2>&1 | grep -v Killed"), 0);
    assert_memory_equal(output, "counts\n", 7);
    assert_memory_equal(output + 7, one, strlen(one) / 2);
}

static void errors_name_their_chip(void **context)
{
    assert_int_equal(run("BHEMU_POLICY=default $bhemu host --processes 2 $program wild"), 1);
    assert_says("libttsim: error: UndefinedBehavior: chip 1 tile (1,2) core B pc 0x");
    assert_int_equal(run("BHEMU_POLICY=default BHEMU_ON_ERROR=report $bhemu host --processes 2 $program wild"), 0);
    assert_says("libttsim: error: UndefinedBehavior: chip 1 tile (1,2) core B pc 0x");
}

static void what_can_not_be_is_refused(void **context)
{
    assert_int_equal(run("$bhemu host --processes 3 $program send"), 2);
    assert_says("bhemu: 3 processes for 2 chips; each has at least one");
    assert_int_equal(run("$bhemu host --system y2 $program send"), 2);
    assert_says("bhemu: --system: 'y2' is not known; it has to be one of x2, ");
    assert_int_equal(run("$bhemu host --colour $program send"), 2);
    assert_says("usage: bhemu host [OPTION...] PROGRAM");
    assert_int_equal(run("$bhemu host --lockstep $program send"), 2);
    assert_int_equal(run("BHEMU_SYSTEM=x4 $bhemu host $program send"), 1);
    assert_says("BHEMU_SYSTEM is set, and BHEMU_NODES: the processes that have the chips say which there are");
    assert_int_equal(run("BHEMU_LOG=/dev/null $bhemu host $program send"), 1);
    assert_says("BHEMU_LOG is set, and BHEMU_NODES: ");
    assert_int_equal(run("BHEMU_NODES=unix:/no/such/socket $program send"), 1);
    assert_says("BHEMU_NODES: unix:/no/such/socket: No such file or directory");
    assert_int_equal(run("BHEMU_NODES=here $program send"), 1);
    assert_says("BHEMU_NODES: here: it begins with neither unix: nor tcp:");
}

/* Starts cores that count, and kills a process, at any time from then on; nothing is left of it. */
static void a_process_that_dies_is_an_error_of_the_host(void **context)
{
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(run("$bhemu host --processes 2 $program count > /tmp/bhemu-count.$$ 2>&1 & parent=$!; "
                             "for i in $(seq 500); do grep -q counts /tmp/bhemu-count.$$ && break; sleep 0.02; done; "
                             "sleep 0.0%u; bhemu=$(pgrep -P $parent); "
                             "kill -9 $(pgrep -x -P $bhemu bhemu | sed -n %up); wait $parent; code=$?; "
                             "cat /tmp/bhemu-count.$$; rm /tmp/bhemu-count.$$; pgrep -P $bhemu; exit $code",
                             3 * i, i % 2 + 1),
                         1);
        /* The host hears it from its connection to that process, or from the other one, whichever notices first. */
        assert_says("libttsim: error: Lost: rank ");
        if (!strstr(output, i % 2 ? "Lost: rank 1 (chip 1)" : "Lost: rank 0 (chip 0)")) {
            assert_says(i % 2 ? "Lost: rank 0 (chip 0): process 1 has died"
                              : "Lost: rank 1 (chip 1): process 0 has died");
        }
        assert_says(i % 2 ? "bhemu: process 1 (chip 1) was ended by signal 9 at cycle "
                          : "bhemu: process 0 (chip 0) was ended by signal 9 at cycle ");
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        return act(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_make_no_difference),   cmocka_unit_test(the_program_s_exit_code_is_passed_on),
        cmocka_unit_test(hosts_come_one_after_the_other), cmocka_unit_test(errors_name_their_chip),
        cmocka_unit_test(what_can_not_be_is_refused),     cmocka_unit_test(a_process_that_dies_is_an_error_of_the_host),
    };
    return cmocka_run_group_tests_name("host_command", tests, NULL, NULL);
}
