/* The base firmware of Ethernet tiles: requests in its mailboxes, functions that programs call, and a program that
   hands E0 back. tt-metal eth_fw_api.h (requests, table of functions, live status), active_erisc.cc (who calls what).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "chip/device_fixture.h"
#include "chip/rv32_words.h"

#define SOFT_RESET 0xFFB121B0u
#define E1_RESET_PC 0xFFB14008u
#define TX 0xFFB90000u

enum { X = 20, Y = 25, E0_HELD = 0x800, E1_HELD = 0x1000 };
enum { RA = 1, A0 = 10, RET = 0x8067, PROGRAM = 0x2000, OTHER = 0x3000, RESULT = 0x1000 };
enum { MAILBOXES = 0x7d000, OF_HOST = 0, OF_E1 = 1, LIVE = 0x7ce00, NOC_COUNTERS = 0x7d040, HEARTBEAT = 0x7cc70 };
enum { SERVICE = 0x7cf04, CHECK = 0x7cf08, INIT_NOC = 0x7cf0c };
#define CALL 0xca110000u
#define DONE 0xd0e50000u

static void put(struct fixture *fixture, uint32_t address, uint32_t word)
{
    assert_int_equal(bh_write(fixture->device, X, Y, address, &word, sizeof word), BH_OK);
}

static uint32_t get(struct fixture *fixture, uint32_t address)
{
    uint32_t word;
    assert_int_equal(bh_read(fixture->device, X, Y, address, &word, sizeof word), BH_OK);
    return word;
}

static void load(struct fixture *fixture, uint32_t address, const uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        put(fixture, address + 4 * i, words[i]);
    }
}

/* To `distance` bytes from here. */
static uint32_t beq(unsigned one, unsigned other, int32_t distance)
{
    return bne(one, other, distance) & ~0x1000u;
}

#define LOAD(address, ...)                                                                                             \
    load(fixture, address, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static void request(struct fixture *fixture, unsigned mailbox, uint32_t kind, uint32_t argument)
{
    put(fixture, MAILBOXES + 16 * mailbox + 4, argument);
    put(fixture, MAILBOXES + 16 * mailbox, CALL | kind);
}

static void run(struct fixture *fixture, uint64_t cycles)
{
    assert_int_equal(bh_run(fixture->device, cycles, NULL), BH_OK);
}

/* `addi t1, x0, value; sw t1, RESULT + offset` with t0 = RESULT. */
#define NOTE(value, offset) lui(T0, RESULT), addi(T1, 0, value), sw(T1, T0, offset)

/* Calls the function whose address is in the table at `entry`. */
#define CALL_FUNCTION(entry) lui(T0, 0x7d000), lw(T1, T0, (entry)-0x7d000), 0x000300e7 /* jalr ra, t1 */

/* Sends 64 bytes over the loopback of the PCS. */
static void send(struct fixture *fixture)
{
    put(fixture, TX + 0x14, 0x10000);
    put(fixture, TX + 0x18, 64);
    put(fixture, TX + 0x1c, 0x11000);
    put(fixture, TX + 0x04, 2);
}

static void a_link_check_brings_the_counters_up_to_date(void **context)
{
    struct fixture *fixture = *context;
    enum { FRAMES_TXD = 0x20, BYTES_TXD = 0x38, FRAMES_RXD_OK = 0x58, BYTES_RXD = 0x70, FRAME = 14 + 18 + 64 };
    send(fixture);
    send(fixture);
    assert_int_equal(get(fixture, LIVE + FRAMES_TXD), 0);
    request(fixture, OF_HOST, 1, 0xffffffff);
    assert_int_equal(get(fixture, MAILBOXES), DONE | 1);
    assert_int_equal(get(fixture, LIVE + FRAMES_TXD), 2);
    assert_int_equal(get(fixture, LIVE + BYTES_TXD), 2 * FRAME);
    assert_int_equal(get(fixture, LIVE + FRAMES_RXD_OK), 2);
    assert_int_equal(get(fixture, LIVE + BYTES_RXD), 2 * FRAME);
    send(fixture);
    request(fixture, OF_HOST, 1, 0x5000); /* and a copy */
    assert_int_equal(get(fixture, 0x5000 + FRAMES_TXD), 3);
    assert_int_equal(get(fixture, 0x5000 + BYTES_RXD), 3 * FRAME);
    assert_int_equal(get(fixture, 0x7cc04), 2); /* no cable */
}

/* Requests that only a link could answer end at once where there is none. */
static void a_port_without_a_cable_stays_down(void **context)
{
    struct fixture *fixture = *context;
    request(fixture, OF_HOST, 9, 2);
    assert_int_equal(get(fixture, MAILBOXES), DONE | 9);
    request(fixture, OF_HOST, 6, 1);
    assert_int_equal(get(fixture, MAILBOXES), DONE | 6);
    assert_int_equal(get(fixture, 0x7cc04), 2);
}

static void unknown_requests_are_refused(void **context)
{
    struct fixture *fixture = *context;
    uint32_t word = CALL | 5;
    assert_int_equal(bh_write(fixture->device, X, Y, MAILBOXES, &word, 4), BH_ERROR_ADDRESS);
    assert_int_equal(fixture->last.category, BH_UNSUPPORTED);
    assert_int_equal(get(fixture, MAILBOXES), DONE | 5);
    put(fixture, MAILBOXES + 4, 7);
    word = CALL | 9;
    assert_int_equal(bh_write(fixture->device, X, Y, MAILBOXES, &word, 4), BH_ERROR_ADDRESS);
    assert_non_null(strstr(fixture->last.text, "port action 7"));
}

/* E1 may ask while firmware has E0: tt-metal does so with 0xf from its second core. */
static void e1_sends_requests(void **context)
{
    struct fixture *fixture = *context;
    LOAD(PROGRAM, lui(T0, MAILBOXES), lui(T1, CALL), addi(T1, T1, 0xf), sw(T1, T0, 16), /* CALL | 0xf */
         lw(T2, T0, 16), beq(T2, T1, -4), lui(T0, RESULT), sw(T2, T0, 0), SELF_JUMP);
    put(fixture, NOC_COUNTERS, 0x1234);
    put(fixture, E1_RESET_PC, PROGRAM);
    put(fixture, SOFT_RESET, 0);
    run(fixture, 3000);
    assert_int_equal(get(fixture, RESULT), DONE | 0xf);
    assert_int_equal(get(fixture, NOC_COUNTERS), 0);
}

/* A request and its arguments in one write; two at once. */
static void requests_come_in_blocks(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t words[] = {CALL | 1, 0x5000, 0, 0, CALL | 0xf, 0, 0, 0};
    send(fixture);
    assert_int_equal(bh_write(fixture->device, X, Y, MAILBOXES, words, sizeof words), BH_OK);
    assert_int_equal(get(fixture, MAILBOXES), DONE | 1);
    assert_int_equal(get(fixture, MAILBOXES + 16), DONE | 0xf);
    assert_int_equal(get(fixture, 0x5000 + 0x20), 1);
}

/* What came while a program had E0 is served when it returns. A reset of E0 empties the mailboxes. */
static void firmware_serves_what_has_waited(void **context)
{
    struct fixture *fixture = *context;
    LOAD(PROGRAM, lui(T0, RESULT), lw(T1, T0, 4), beq(T1, 0, -4), NOTE(4, 0), RET); /* until the word behind is set */
    put(fixture, RESULT + 4, 0);
    request(fixture, OF_HOST, 2, PROGRAM);
    request(fixture, OF_HOST, 1, 0xffffffff);
    request(fixture, OF_E1, 0xf, 0);
    run(fixture, 1000);
    assert_int_equal(get(fixture, MAILBOXES), CALL | 1);
    put(fixture, RESULT + 4, 1);
    run(fixture, 1000);
    assert_int_equal(get(fixture, RESULT), 4);
    assert_int_equal(get(fixture, MAILBOXES), DONE | 1);
    assert_int_equal(get(fixture, MAILBOXES + 16), DONE | 0xf);
    put(fixture, SOFT_RESET, E0_HELD | E1_HELD);
    request(fixture, OF_HOST, 2, PROGRAM);
    put(fixture, SOFT_RESET, E1_HELD);
    assert_int_equal(get(fixture, MAILBOXES), 0);
}

/* Whenever a tile is first looked at: here only after the reset. */
static void heartbeats_count_from_the_reset_of_the_chip(void **context)
{
    struct fixture *fixture = *context;
    uint32_t of_other;
    bh_pass(fixture->device, 7000);
    assert_int_equal(get(fixture, HEARTBEAT), 0xabcd0007);
    assert_int_equal(bh_device_reset(fixture->device), BH_OK);
    bh_pass(fixture->device, 3000);
    assert_int_equal(bh_read(fixture->device, X + 1, Y, HEARTBEAT, &of_other, sizeof of_other), BH_OK);
    assert_int_equal(of_other, 0xabcd0003);
    bh_pass(fixture->device, 2000);
    assert_int_equal(get(fixture, HEARTBEAT), 0xabcd0005);
    assert_int_equal(bh_read(fixture->device, X + 1, Y, HEARTBEAT, &of_other, sizeof of_other), BH_OK);
    assert_int_equal(of_other, 0xabcd0005);
}

/* Those of a program on E0 are its own affair. */
static void mailboxes_wait_while_a_program_has_e0(void **context)
{
    struct fixture *fixture = *context;
    LOAD(PROGRAM, SELF_JUMP);
    request(fixture, OF_HOST, 2, PROGRAM);
    assert_int_equal(get(fixture, MAILBOXES), DONE | 2);
    request(fixture, OF_HOST, 1, 0xffffffff);
    run(fixture, 1000);
    assert_int_equal(get(fixture, MAILBOXES), CALL | 1);
    uint32_t beat = get(fixture, HEARTBEAT);
    bh_pass(fixture->device, 100000);
    assert_int_equal(get(fixture, HEARTBEAT), beat);
}

/* As tt-metal's firmware does between two kernels: it serves the mailboxes by the function of the table. */
static void a_program_has_requests_served(void **context)
{
    struct fixture *fixture = *context;
    LOAD(PROGRAM, CALL_FUNCTION(SERVICE), NOTE(1, 0), SELF_JUMP);
    LOAD(OTHER, SELF_JUMP);
    request(fixture, OF_HOST, 2, OTHER); /* E0 is busy, so that the next requests wait */
    send(fixture);
    request(fixture, OF_HOST, 1, 0xffffffff);
    request(fixture, OF_E1, 0xf, 0);
    put(fixture, 0xFFB14000, PROGRAM);
    put(fixture, SOFT_RESET, E0_HELD | E1_HELD);
    put(fixture, SOFT_RESET, E1_HELD);
    run(fixture, 1000);
    assert_int_equal(get(fixture, RESULT), 1);
    assert_int_equal(get(fixture, MAILBOXES), DONE | 1);
    assert_int_equal(get(fixture, MAILBOXES + 16), DONE | 0xf);
    assert_int_equal(get(fixture, LIVE + 0x20), 1);
}

/* A request to run another program, in a function that a program calls: that one returns to the caller. */
static void a_program_calls_another_one_for_the_host(void **context)
{
    struct fixture *fixture = *context;
    LOAD(PROGRAM, CALL_FUNCTION(SERVICE), NOTE(1, 0), SELF_JUMP);
    LOAD(OTHER, NOTE(2, 4), RET);
    put(fixture, 0xFFB14000, PROGRAM);
    put(fixture, SOFT_RESET, E0_HELD | E1_HELD);
    request(fixture, OF_HOST, 2, OTHER);
    put(fixture, SOFT_RESET, E1_HELD);
    run(fixture, 1000);
    assert_int_equal(get(fixture, RESULT), 1);
    assert_int_equal(get(fixture, RESULT + 4), 2);
    assert_int_equal(get(fixture, MAILBOXES), DONE | 2);
}

/* Of each NoC, another number of writes. */
static void write_over_the_noc(struct fixture *fixture)
{
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t niu = i ? 0xFFB30000u : 0xFFB20000u;
        put(fixture, niu + 0x00, 0x10000);
        put(fixture, niu + 0x08, X | Y << 6);
        put(fixture, niu + 0x0c, 0x20000);
        put(fixture, niu + 0x14, 17 | 12 << 6);
        put(fixture, niu + 0x20, 64);
        put(fixture, niu + 0x1c, 2 | 1 << 4);
        put(fixture, niu + 0x40, 1);
        run(fixture, 1000);
    }
    assert_int_equal(get(fixture, 0xFFB30204), 2); /* NIU_MST_WR_ACK_RECEIVED */
}

static void functions_check_the_link_and_count(void **context)
{
    struct fixture *fixture = *context;
    enum { NOC = 40, CORE = 20, ACKNOWLEDGED = 8, WRITES = 4 };
    LOAD(PROGRAM, lui(A0, 0x6000), CALL_FUNCTION(CHECK), CALL_FUNCTION(INIT_NOC), NOTE(1, 0), SELF_JUMP);
    send(fixture);
    write_over_the_noc(fixture);
    for (unsigned i = 0; i < 20; i++) {
        put(fixture, NOC_COUNTERS + 4 * i, 0x100 + i);
    }
    request(fixture, OF_HOST, 2, PROGRAM);
    run(fixture, 1000);
    assert_int_equal(get(fixture, RESULT), 1);
    assert_int_equal(get(fixture, 0x6000 + 0x20), 1); /* frames */
    for (unsigned noc = 0; noc < 2; noc++) {
        for (unsigned core = 0; core < 2; core++) {
            uint32_t at = NOC_COUNTERS + noc * NOC + core * CORE;
            uint32_t niu = 0xFFB20200u + 0x10000 * noc;
            bool own = core == noc;
            assert_int_equal(get(fixture, at), own ? get(fixture, niu + 4 * 2) : 0);
            assert_int_equal(get(fixture, at + WRITES), own ? get(fixture, niu + 4 * 10) : 0);
            assert_int_equal(get(fixture, at + ACKNOWLEDGED), own ? get(fixture, niu + 4 * 1) : 0);
            assert_int_equal(get(fixture, at + 12), own ? get(fixture, niu + 4 * 0) : 0);
            assert_int_equal(get(fixture, at + 16), own ? get(fixture, niu + 4 * 11) : 0);
        }
    }
}

/* Since 1.8.0 there is a function to recover links: of one that is up, or has no cable, nothing is to be done. Earlier
   firmware has none, and callers look. */
static void newer_firmware_recovers_links(void **context)
{
    enum { RECOVER = 0x7cf10 };
    struct bh_device_config config = {.board = BH_BOARD_P150A};
    struct fixture *fixture = *context;
    assert_int_equal(get(fixture, RECOVER), 0);
    bh_device_destroy(fixture->device);
    assert_int_equal(bh_device_create(&config, &fixture->device), BH_OK);
    LOAD(PROGRAM, CALL_FUNCTION(RECOVER), NOTE(1, 0), SELF_JUMP);
    request(fixture, OF_HOST, 2, PROGRAM);
    run(fixture, 1000);
    assert_int_equal(get(fixture, RESULT), 1);
}

/* A program that returns hands E0 back: the next request is served again, and the heartbeat goes on. */
static void a_program_that_returns_hands_e0_back(void **context)
{
    struct fixture *fixture = *context;
    LOAD(PROGRAM, NOTE(3, 0), RET);
    request(fixture, OF_HOST, 2, PROGRAM);
    run(fixture, 1000);
    assert_int_equal(get(fixture, RESULT), 3);
    uint32_t beat = get(fixture, HEARTBEAT);
    assert_int_equal(beat >> 16, 0xabcd);
    bh_pass(fixture->device, 3000);
    assert_in_range(get(fixture, HEARTBEAT), beat + 2, beat + 4);
    put(fixture, RESULT, 0);
    request(fixture, OF_HOST, 2, PROGRAM);
    run(fixture, 1000);
    assert_int_equal(get(fixture, RESULT), 3);
}

/* Two programs share the tile as tt-metal's two cores do: E0's saves its stack pointer and halts, E1's resets E0, whose
   reset PC has been set, and E0 goes on, returns, and firmware has it again. The reset has cleared its local RAM. */
static void e1_resets_e0(void **context)
{
    struct fixture *fixture = *context;
    enum { RESUME = 0x2400, SAVED = 0x108, RETURNS = 0x8067 };
    LOAD(PROGRAM, lui(T0, 0xFFB14000), lui(T1, RESUME & 0xfffff000), addi(T1, T1, RESUME & 0xfff), sw(T1, T0, 0),
         sw(RA, 0, SAVED + 4), lui(T0, 0xFFB00000), sw(T1, T0, 0x10), sw(2, 0, SAVED), SELF_JUMP);
    LOAD(RESUME, lw(2, 0, SAVED), lw(RA, 0, SAVED + 4), lui(T0, 0xFFB00000), lw(T2, T0, 0x10), NOTE(5, 0),
         sw(T2, T0, 8), RETURNS);
    put(fixture, RESULT + 8, 1);
    LOAD(OTHER, lw(T1, 0, SAVED), beq(T1, 0, -4), lui(T0, 0xFFB12000), addi(T1, 0, 0x7ff), addi(T1, T1, 1),
         sw(T1, T0, 0x1b0), sw(0, T0, 0x1b0), lui(T0, RESULT), addi(T1, 0, 6), sw(T1, T0, 4), SELF_JUMP);
    put(fixture, SAVED, 0);
    put(fixture, E1_RESET_PC, OTHER);
    put(fixture, SOFT_RESET, 0);
    request(fixture, OF_HOST, 2, PROGRAM);
    run(fixture, 5000);
    assert_int_equal(get(fixture, RESULT), 5);
    assert_int_equal(get(fixture, RESULT + 4), 6);
    assert_int_equal(get(fixture, RESULT + 8), 0);
    request(fixture, OF_HOST, 1, 0xffffffff);
    assert_int_equal(get(fixture, MAILBOXES), DONE | 1);
}

/* The register at which the firmware's own code acts knows no other functions. */
static void other_stores_to_the_call_register_are_refused(void **context)
{
    struct fixture *fixture = *context;
    LOAD(PROGRAM, lui(T0, 0xffb98000), addi(T1, 0, 77), sw(T1, T0, 0x1f0), SELF_JUMP);
    request(fixture, OF_HOST, 2, PROGRAM);
    assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_ERROR_STOPPED);
    assert_int_equal(fixture->last.category, BH_UNDEFINED_BEHAVIOR);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_link_check_brings_the_counters_up_to_date),
        TEST(heartbeats_count_from_the_reset_of_the_chip),
        TEST(a_port_without_a_cable_stays_down),
        TEST(unknown_requests_are_refused),
        TEST(e1_sends_requests),
        TEST(requests_come_in_blocks),
        TEST(firmware_serves_what_has_waited),
        TEST(mailboxes_wait_while_a_program_has_e0),
        TEST(a_program_has_requests_served),
        TEST(a_program_calls_another_one_for_the_host),
        TEST(functions_check_the_link_and_count),
        TEST(newer_firmware_recovers_links),
        TEST(a_program_that_returns_hands_e0_back),
        TEST(e1_resets_e0),
        TEST(other_stores_to_the_call_register_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
