/* BHEMU_ON_ERROR=report: 40 programs in one process, of which every other one fails, with a reset behind each failure.
   The good ones have the results and clocks that they have in processes of their own. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chip/rv32_words.h"
#include "client.h"
#include "isa/tensix_text.h"
#include "tile/mmio.h"

#define SOFT_RESET 0xFFB121B0u
#define TRISC1_RESET_PC 0xFFB1222Cu
#define TRISC_OVERRIDE 0xFFB12234u

enum { X = 1, Y = 2, PROGRAMS = 40, PROGRAM = 0x1000, RESULTS = 0x20000, RESULT_WORDS = 200, DONE = RESULTS + 0x1000 };
enum { ALL_IN_RESET = 0x47800, T1_IN_RESET = 1 << 13, GPRS = 64, CONFIG_WORDS = 100, READ_MCYCLE = 0xb0002473 };

static struct client client;
static char log_path[] = "/tmp/bhemu_on_error_XXXXXX";
static int log_file, standard_error;

static void put(unsigned x, unsigned y, uint64_t address, uint32_t word)
{
    client_put32(&client, client_point(&client, x, y, address), word);
}

static uint32_t get(unsigned x, unsigned y, uint64_t address)
{
    return client_get32(&client, client_point(&client, x, y, address));
}

static uint32_t tt(const char *text)
{
    uint32_t word = 0;
    struct tensix_text_error error;
    assert_true(tensix_assemble(text, &word, &error));
    return word << 2 | word >> 30;
}

/* Core T1, with all others in reset. */
static void start(unsigned x, unsigned y, const uint32_t *words, unsigned count)
{
    put(x, y, SOFT_RESET, ALL_IN_RESET);
    client.write(client_point(&client, x, y, PROGRAM), words, count * 4);
    put(x, y, TRISC1_RESET_PC, PROGRAM);
    put(x, y, TRISC_OVERRIDE, 2);
    put(x, y, SOFT_RESET, ALL_IN_RESET & ~T1_IN_RESET);
}

/* Good programs. They copy what a fresh tile holds of GPRs and configuration, then execute Tensix instructions with
   operands of their own, and count their cycles. */

struct program {
    uint32_t words[1024];
    unsigned count;
};

static void add(struct program *program, uint32_t word)
{
    program->words[program->count++] = word;
}

static void copy(struct program *program, uint32_t from, unsigned words, unsigned *result)
{
    add(program, lui(T0, from));
    add(program, lui(T1, RESULTS));
    for (unsigned i = 0; i < words; i++) {
        add(program, lw(T2, T0, 4 * i));
        add(program, sw(T2, T1, 4 * (*result)++));
    }
}

static struct program good_program(unsigned number)
{
    struct program program = {};
    unsigned result = 0;
    char text[100];
    copy(&program, 0xFFE00000, GPRS, &result);
    copy(&program, 0xFFEF0000, CONFIG_WORDS, &result);
    add(&program, READ_MCYCLE); /* s0 */
    add(&program, addi(S1, S0, 0));
    for (unsigned i = 0; i < 8; i++) {
        snprintf(text, sizeof text,
                 "SETDMAREG Payload_SigSelSize=0, Payload_SigSel=%u, SetSignalsMode=0, RegIndex16b=%u",
                 (number * 37 + i * 11) & 0x3fff, 8 + 2 * i);
        add(&program, tt(text));
    }
    for (unsigned i = 0; i < 6; i++) {
        snprintf(text, sizeof text, "%s OpBisConst=0, ResultRegIndex=%u, OpBRegIndex=%u, OpARegIndex=%u",
                 i % 2 ? "ADDDMAREG" : "MULDMAREG", 16 + i, 4 + i, 5 + (number + i) % 4);
        add(&program, tt(text));
    }
    snprintf(text, sizeof text, "SEMINIT max_value=15, init_value=%u, sem_sel=8", number % 15);
    add(&program, tt(text));
    add(&program, tt("SEMPOST sem_sel=8"));
    copy(&program, 0xFFE00000, 32, &result);
    add(&program, READ_MCYCLE);
    add(&program, S1 << 20 | S0 << 15 | S0 << 7 | 0x40000033); /* sub s0, s0, s1 */
    add(&program, lui(T1, RESULTS));
    add(&program, sw(S0, T1, 4 * result++));
    assert_in_range(result, 1, RESULT_WORDS);
    add(&program, lui(T1, DONE));
    add(&program, addi(T2, 0, 1));
    add(&program, sw(T2, T1, 0));
    add(&program, SELF_JUMP);
    return program;
}

static void run_good(unsigned number, uint32_t results[RESULT_WORDS])
{
    const uint32_t nothing[RESULT_WORDS] = {};
    struct program program = good_program(number);
    put(X, Y, DONE, 0);
    client.write(client_point(&client, X, Y, RESULTS), nothing, sizeof nothing);
    start(X, Y, program.words, program.count);
    for (unsigned i = 0; get(X, Y, DONE) != 1; i++) {
        assert_in_range(i, 0, 100000);
        client.clock(64);
    }
    client.read(client_point(&client, X, Y, RESULTS), results, RESULT_WORDS * 4);
}

/* The same in a process of its own. */
static void run_alone(unsigned number, uint32_t results[RESULT_WORDS])
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_int_not_equal(child, -1);
    if (child == 0) {
        client.exit();
        client.init();
        run_good(number, results);
        _exit(write(ends[1], results, RESULT_WORDS * 4) != RESULT_WORDS * 4);
    }
    assert_int_equal(read(ends[0], results, RESULT_WORDS * 4), RESULT_WORDS * 4);
    close(ends[0]);
    close(ends[1]);
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

/* Wrong ones. */

enum outcome {
    DEAD,   /* the tile answers all ones */
    HANGS,  /* it does nothing more, without a line */
    REFUSED /* only the host's access was wrong */
};

#define WRONG(...)                                                                                                     \
    do {                                                                                                               \
        const uint32_t words[] = {__VA_ARGS__};                                                                        \
        start(X, Y, words, sizeof words / 4);                                                                          \
        client.clock(3000);                                                                                            \
    } while (0)

static enum outcome go_wrong(unsigned kind)
{
    uint32_t word = 0;
    switch (kind) {
    case 0: WRONG(lui(T0, 0x50000000), sw(0, T0, 0), SELF_JUMP); return DEAD;                /* a wild store */
    case 1: WRONG(lui(T0, 0x50000000), lw(T1, T0, 0), SELF_JUMP); return DEAD;               /* a wild load */
    case 2: WRONG(lui(T0, 0x50000000), T0 << 15 | 0x67); return DEAD;                        /* jalr x0, t0 */
    case 3: WRONG(0xffffffff); return DEAD;                                                  /* no instruction */
    case 4: WRONG(0xffffffff << 2 | 2); return DEAD;                                         /* no Tensix instruction */
    case 5: WRONG(lui(T0, 0xFFB00000), lui(T1, 0xFFE50000), sw(T0, T1, 0)); return DEAD;     /* for B only */
    case 6: WRONG(lui(T0, 0xFFB12000), lui(T1, 0xFFB13000), sw(T0, T1, 0x7fc)); return DEAD; /* no such register */
    case 7: WRONG(tt("SETC16 setc16_reg=255, setc16_value=1")); return DEAD;                 /* no such word */
    case 8: WRONG(tt("MVMUL clear_dvalid=0, instr_mod19=0, addr_mode=0, dst=0"), SELF_JUMP); return HANGS;
    case 9: WRONG(lui(T0, 0xFFEC0000), lw(T1, T0, 0), SELF_JUMP); return HANGS;           /* mailbox */
    case 10: WRONG(lui(T0, 0x30000), lw(T1, T0, 0), 0xfe030ee3, SELF_JUMP); return HANGS; /* polls */
    case 11: client.read(0x1000, &word, 4); return REFUSED;                               /* in no BAR */
    case 12: word = get(8, 8, 0); return REFUSED;                                         /* no tile there */
    case 13: client.read(client_point(&client, X, Y, SOFT_RESET) + 1, &word, 2); return REFUSED;
    case 14: word = get(X, Y, 0x200000); return REFUSED; /* behind L1 */
    case 15: word = client.config_read(0, 3); return REFUSED;
    case 16: word = client.config_read(0, 0x1000); return REFUSED;
    case 17: client.tile_read(1, 2, 0, &word, 4); return REFUSED;
    case 18: client.init(); return REFUSED; /* a second time */
    default: /* a read over the NoC from the tile itself: its addresses have to be the same modulo 16 */
        WRONG(lui(T0, MMIO_ADDRESS_NOC_TARG_ADDR_LO), addi(T1, 0, 4), sw(T1, T0, 0), addi(T1, 0, X | Y << 6),
              sw(T1, T0, MMIO_ADDRESS_NOC_TARG_ADDR_HI & 0xff), sw(T1, T0, MMIO_ADDRESS_NOC_RET_ADDR_HI & 0xff),
              addi(T1, 0, 16), sw(T1, T0, MMIO_ADDRESS_NOC_AT_LEN_BE & 0xff), addi(T1, 0, 1),
              sw(T1, T0, MMIO_ADDRESS_NOC_CMD_CTRL & 0xff), SELF_JUMP);
        return DEAD;
    }
}

static void catch_lines(void)
{
    fflush(stderr);
    standard_error = dup(2);
    dup2(log_file, 2);
}

static void let_lines_pass(void)
{
    fflush(stderr);
    dup2(standard_error, 2);
    close(standard_error);
}

/* All lines so far. */
static const char *said(void)
{
    static char text[1 << 16];
    ssize_t length = pread(log_file, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = 0;
    return text;
}

static unsigned lines(void)
{
    unsigned count = 0;
    for (const char *at = said(); *at; at++) {
        count += *at == '\n';
    }
    return count;
}

static int set_up(void **context)
{
    setenv("BHEMU_ON_ERROR", "report", 1);
    log_file = mkstemp(log_path);
    if (log_file < 0 || !client_load(&client)) {
        return -1;
    }
    client.init();
    client_find_bars(&client);
    return 0;
}

static int tear_down(void **context)
{
    client.exit();
    close(log_file);
    unlink(log_path);
    memcpy(log_path + strlen(log_path) - 6, "XXXXXX", 6);
    return dlclose(client.library);
}

/* A tile that hangs is reset as a whole, of which the library is closed and opened again; one that an error has stopped
   by the write with which a host holds its cores, or by that, too. */
static void reset(unsigned number, enum outcome outcome)
{
    if (outcome != DEAD || number % 3 == 2) {
        client.exit();
        client.init();
    } else {
        uint32_t held = get(X, Y, SOFT_RESET) | ALL_IN_RESET; /* as hosts do it */
        put(X, Y, SOFT_RESET, held);
        assert_int_equal(get(X, Y, SOFT_RESET), ALL_IN_RESET);
    }
}

static void programs_that_fail_leave_the_others_alone(void **context)
{
    static uint32_t alone[PROGRAMS][RESULT_WORDS], together[RESULT_WORDS];
    for (unsigned i = 0; i < PROGRAMS; i += 2) {
        run_alone(i, alone[i]);
    }
    for (unsigned i = 0; i < PROGRAMS; i++) {
        if (i % 2 == 0) {
            run_good(i, together);
            assert_memory_equal(together, alone[i], sizeof together);
            continue;
        }
        unsigned before = lines();
        catch_lines();
        enum outcome outcome = go_wrong(i / 2);
        bool dead = outcome == DEAD && get(X, Y, PROGRAM) == UINT32_MAX && get(X, Y, SOFT_RESET) == UINT32_MAX;
        put(X, Y, 0x40000, 7);
        bool lost = get(X, Y, 0x40000) == UINT32_MAX;
        let_lines_pass();
        if (dead != (outcome == DEAD) || lost != dead || lines() - before != (outcome == HANGS ? 0 : 1)) {
            fail_msg("case %u: dead %d, lost %d, %u lines", i / 2, dead, lost, lines() - before);
        }
        reset(i, outcome);
    }
}

/* T1 of another tile counts, from before the error until after the reset. It reads and writes the tile that is dead. */
static void other_tiles_go_on(void **context)
{
    const uint32_t count[] = {lui(T0, RESULTS), addi(T1, T1, 1), sw(T1, T0, 0), 0xff9ff06f /* j -8 */};
    start(2, 2, count, 4);
    catch_lines();
    assert_int_equal(go_wrong(0), DEAD);
    let_lines_pass();
    uint32_t before = get(2, 2, RESULTS);
    client.clock(10000);
    assert_in_range(get(2, 2, RESULTS) - before, 1000, 10000);
    assert_int_equal(get(X, Y, RESULTS), UINT32_MAX);
    put(X, Y, SOFT_RESET, ALL_IN_RESET & ~T1_IN_RESET); /* does not hold all: lost */
    assert_int_equal(get(X, Y, SOFT_RESET), UINT32_MAX);
    put(X, Y, SOFT_RESET, ALL_IN_RESET);
    assert_int_equal(get(X, Y, PROGRAM), lui(T0, 0x50000000)); /* L1 is kept */
    before = get(2, 2, RESULTS);
    client.clock(10000);
    assert_in_range(get(2, 2, RESULTS) - before, 1000, 10000);
}

/* A host that polls what it may not reads all ones, and one line; after a reset one more. */
static void what_is_refused_again_is_told_of_once(void **context)
{
    uint32_t word;
    catch_lines();
    unsigned before = lines();
    for (unsigned i = 0; i < 100; i++) {
        word = 0;
        client.read(0x1000, &word, sizeof word);
        assert_int_equal(word, UINT32_MAX);
        assert_int_equal(client.config_read(0, 3), UINT32_MAX);
        client.write(0x1000, &word, sizeof word);
    }
    let_lines_pass();
    assert_int_equal(lines() - before, 2); /* the first and the third say the same */
    catch_lines();
    client.exit();
    client.read(client.bar0, &word, sizeof word); /* no device */
    assert_int_equal(word, UINT32_MAX);
    client.write(client.bar0, &word, sizeof word);
    client.clock(1);
    client.exit();
    let_lines_pass();
    assert_int_equal(lines() - before, 6);
    catch_lines();
    client.init();
    client.read(0x1000, &word, sizeof word);
    let_lines_pass();
    assert_int_equal(lines() - before, 7);
}

/* Core B waits for a message that never comes. */
static void a_deadlock_is_told_of_and_the_process_goes_on(void **context)
{
    catch_lines();
    assert_int_equal(go_wrong(9), HANGS);
    unsigned before = lines();
    for (unsigned i = 0; i < 1100000; i++) {
        client.clock(1);
    }
    let_lines_pass();
    assert_int_equal(lines() - before, 1);
    assert_non_null(
        strstr(said(), "error: Deadlock: tile (1,2): core T1 at 0x00001004 waits for a value in its mailbox"));
    assert_int_equal(get(X, Y, PROGRAM), lui(T0, 0xFFEC0000));
}

static void begin_with_reports(void)
{
    client.exit();
    setenv("BHEMU_REPORT_AFTER", "0.02", 1);
    client.init();
    unsetenv("BHEMU_REPORT_AFTER");
    catch_lines();
}

/* Lets time pass until there is a line more than before, or for so many calls. */
static void wait_for_line(unsigned before, unsigned calls)
{
    for (unsigned i = 0; i < calls && lines() == before; i++) {
        client.clock(64);
        usleep(50);
    }
}

/* One core polls a word of L1: nothing else would ever tell of it. */
static void a_core_that_polls_is_reported_after_a_while(void **context)
{
    begin_with_reports();
    unsigned before = lines();
    assert_int_equal(go_wrong(10), HANGS);
    wait_for_line(before, 100000);
    for (unsigned i = 0; i < 100; i++) { /* once for each hang */
        client.clock(1);
        usleep(500);
    }
    let_lines_pass();
    assert_int_equal(lines() - before, 1);
    assert_non_null(strstr(said(), "warning: Deadlock: tile (1,2): core T1 at 0x0000100"));
    assert_non_null(strstr(said(), " polls 0x00030000 in L1, reads 0x0: nobody writes it\n"));
}

/* Firmware that waits some time between two looks at a command hides no hang, one that counts in L1 gets on. */
static void cores_that_only_read_clocks_hide_no_hang_for_ever(void **context)
{
    /* Each ends with a jump back to its lw. */
    const uint32_t look_at_clock[] = {lui(T0, 0xFFB12000), lw(T1, T0, 0x1f0), 0xffdff06f};
    const uint32_t count[] = {lui(T0, 0x30000), lw(T1, T0, 0), addi(T1, T1, 1), sw(T1, T0, 0), 0xff5ff06f};
    begin_with_reports();
    unsigned before = lines();
    start(2, 2, count, sizeof count / 4); /* before the other one: this process may stand still at any place */
    assert_int_equal(go_wrong(10), HANGS);
    wait_for_line(before, 5000);
    bool told_too_early = lines() != before;
    start(2, 2, look_at_clock, sizeof look_at_clock / 4);
    wait_for_line(before, 100000);
    let_lines_pass();
    assert_false(told_too_early);
    assert_non_null(strstr(said(), "warning: Deadlock: tile (1,2): core T1 at 0x0000100"));
    assert_non_null(strstr(said(), " polls 0x00030000 in L1, reads 0x0: nobody writes it\n"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(programs_that_fail_leave_the_others_alone),   TEST(other_tiles_go_on),
        TEST(what_is_refused_again_is_told_of_once),       TEST(a_deadlock_is_told_of_and_the_process_goes_on),
        TEST(a_core_that_polls_is_reported_after_a_while), TEST(cores_that_only_read_clocks_hide_no_hang_for_ever),
    };
    return cmocka_run_group_tests_name("abi.on_error", tests, NULL, NULL);
}
