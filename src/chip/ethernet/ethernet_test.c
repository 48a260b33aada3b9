/* Ethernet tiles through the device: ISA documentation EthernetTile/, and the data that firmware leaves in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "chip/device_fixture.h"
#include "chip/device_state.h"

#define SOFT_RESET 0xFFB121B0u
#define RESET_PC 0xFFB14000u
#define TX 0xFFB90000u
#define RX 0xFFB94000u
#define HEADERS 0xFFB98200u

enum { X = 20, Y = 25, E0_HELD = 0x800, E1_HELD = 0x1000 };

static void put(struct fixture *fixture, unsigned x, uint32_t address, uint32_t word)
{
    assert_int_equal(bh_write(fixture->device, x, Y, address, &word, sizeof word), BH_OK);
}

static uint32_t get(struct fixture *fixture, unsigned x, uint32_t address)
{
    uint32_t word;
    assert_int_equal(bh_read(fixture->device, x, Y, address, &word, sizeof word), BH_OK);
    return word;
}

static void assert_refused(struct fixture *fixture, uint32_t address, enum bh_category category, const char *part)
{
    uint32_t word = 0;
    assert_int_equal(bh_write(fixture->device, X, Y, address, &word, sizeof word), BH_ERROR_ADDRESS);
    assert_int_equal(fixture->last.category, category);
    if (!strstr(fixture->last.text, part)) {
        fail_msg("\"%s\" does not say \"%s\"", fixture->last.text, part);
    }
}

static void l1_has_512_kib(void **context)
{
    struct fixture *fixture = *context;
    uint8_t bytes[100], back[100];
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 11);
    }
    for (unsigned x = 20; x <= 31; x++) {
        assert_int_equal(bh_write(fixture->device, x, Y, 0x7001 + x, bytes, sizeof bytes), BH_OK);
        assert_int_equal(bh_read(fixture->device, x, Y, 0x7001 + x, back, sizeof back), BH_OK);
        assert_memory_equal(back, bytes, sizeof back);
    }
    put(fixture, X, 0x7fffc, 1);
    assert_refused(fixture, 0x80000, BH_UNSUPPORTED, "not emulated");
}

/* Resets the cores and releases all except those that are held. */
static void release(struct fixture *fixture, uint32_t held)
{
    put(fixture, X, SOFT_RESET, E0_HELD | E1_HELD);
    put(fixture, X, SOFT_RESET, held);
}

/* A program that adds one to the word at 0x1000 + 4 * core for ever: `addi t0, x0, base; lw; addi; sw; j`. */
static void load_counter(struct fixture *fixture, uint32_t at, uint32_t counter)
{
    const uint32_t program[] = {
        0x000012b7,                 /* lui t0, 0x1 */
        0x0002a303 | counter << 20, /* lw t1, counter(t0) */
        0x00130313,                 /* addi t1, t1, 1 */
        0x0062a023 | counter << 7,  /* sw t1, counter(t0) */
        0xff5ff06f,                 /* j -12 */
    };
    assert_int_equal(bh_write(fixture->device, X, Y, at, program, sizeof program), BH_OK);
}

static void both_cores_run_from_their_reset_pcs(void **context)
{
    struct fixture *fixture = *context;
    load_counter(fixture, 0x2000, 0);
    load_counter(fixture, 0x3000, 4);
    put(fixture, X, RESET_PC, 0x2000);
    put(fixture, X, RESET_PC + 8, 0x3000);
    release(fixture, E1_HELD);
    struct bh_run_result result;
    assert_int_equal(bh_run(fixture->device, 1000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_CYCLES);
    assert_in_range(result.riscv_instructions, 900, 1000);
    assert_in_range(get(fixture, X, 0x1000), 200, 250);
    assert_int_equal(get(fixture, X, 0x1004), 0);
    put(fixture, X, SOFT_RESET, E0_HELD);
    uint32_t before = get(fixture, X, 0x1000);
    assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
    assert_int_equal(get(fixture, X, 0x1000), before);
    assert_in_range(get(fixture, X, 0x1004), 200, 250);
}

/* Cores of Ethernet tiles run when the host accesses the device, in step with the clock that it sees. */
static void they_have_no_pace(void **context)
{
    struct fixture *fixture = *context;
    load_counter(fixture, 0x2000, 0);
    put(fixture, X, RESET_PC, 0x2000);
    release(fixture, E1_HELD);
    assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
    assert_int_equal(bh_pace(fixture->device), 0);
    assert_int_equal(bh_advance(fixture->device, 64), BH_RAN_CYCLES);
    assert_in_range(get(fixture, X, 0x1000), 200, 266);
    assert_int_equal(bh_advance(fixture->device, 936), BH_RAN_CYCLES);
    assert_in_range(get(fixture, X, 0x1000), 375, 500);
    put(fixture, X, SOFT_RESET, E0_HELD | E1_HELD);
}

static void a_core_without_a_reset_pc_does_nothing(void **context)
{
    struct fixture *fixture = *context;
    struct bh_run_result result;
    release(fixture, 0);
    assert_int_equal(bh_run(fixture->device, 1000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_IDLE);
}

/* The core's instruction cache holds the jump until a reset. */
static void a_jump_to_itself_stays_until_reset(void **context)
{
    struct fixture *fixture = *context;
    static const uint32_t jump = 0x0000006f,
                          program[] = {0x000042b7 /* lui t0, 0x4 */, 0x0002a023 /* sw x0, 0(t0) */, jump};
    assert_int_equal(bh_write(fixture->device, X, Y, 0x2000, &jump, sizeof jump), BH_OK);
    put(fixture, X, 0x4000, 5);
    put(fixture, X, RESET_PC + 8, 0x2000);
    put(fixture, X, SOFT_RESET, E0_HELD);
    assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
    assert_int_equal(bh_write(fixture->device, X, Y, 0x2000, program, sizeof program), BH_OK);
    assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
    assert_int_equal(get(fixture, X, 0x4000), 5);
    put(fixture, X, SOFT_RESET, E0_HELD | E1_HELD);
    put(fixture, X, SOFT_RESET, E0_HELD);
    assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
    assert_int_equal(get(fixture, X, 0x4000), 0);
}

/* An Ethernet core that only waits is reported as a deadlock, and does not hide the deadlock of a Tensix tile. */
static void cores_that_only_wait_are_a_deadlock(void **context)
{
    struct fixture *fixture = *context;
    static const uint32_t poll[] = {
        0x000042b7, /* lui t0, 0x4 */
        0x0002a303, /* lw t1, 0(t0) */
        0xfe030ee3, /* beqz t1, -4 */
        0x0000006f, /* j . */
    };
    assert_int_equal(bh_write(fixture->device, X, Y, 0x2000, poll, sizeof poll), BH_OK);
    assert_int_equal(bh_write(fixture->device, 1, 2, 0, poll, sizeof poll), BH_OK);
    put(fixture, X, RESET_PC + 8, 0x2000);
    put(fixture, X, SOFT_RESET, E0_HELD);
    struct bh_run_result result;
    assert_int_equal(bh_run(fixture->device, 100000000, &result), BH_ERROR_STOPPED);
    assert_int_equal(result.reason, BH_RAN_DEADLOCK);
    assert_int_equal(fixture->last.category, BH_DEADLOCK);
    assert_non_null(strstr(fixture->last.text, "core E1 at 0x0000200"));
    assert_non_null(strstr(fixture->last.text, "polls 0x00004000 in L1, reads 0x0"));
    assert_int_equal(fixture->last.places[0].index, BH_CORE_E1);
    assert_int_equal(bh_core_start(fixture->device, 1, 2, BH_CORE_B, 0), BH_OK);
    fixture->diagnostics = 0;
    assert_int_equal(bh_run(fixture->device, 100000000, &result), BH_ERROR_STOPPED);
    assert_int_equal(fixture->diagnostics, 2); /* both tiles */
    put(fixture, X, 0x4000, 1);
    assert_int_equal(bh_run(fixture->device, 1000, &result), BH_OK);
    assert_int_equal(bh_core_stop(fixture->device, 1, 2, BH_CORE_B), BH_OK);
    assert_int_equal(bh_run(fixture->device, 100000000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_IDLE);
}

/* The DR registers of the cores' debug interface, as tt-exalens accesses those of Tensix tiles. */
static void dr_write(struct fixture *fixture, unsigned core, unsigned index, uint32_t value)
{
    put(fixture, X, 0xFFB12084, value);
    put(fixture, X, 0xFFB12080, 0x80010000 + (core << 17) + index);
    put(fixture, X, 0xFFB12080, 0);
}

static uint32_t dr_read(struct fixture *fixture, unsigned core, unsigned index)
{
    put(fixture, X, 0xFFB12080, 0x80000000 + (core << 17) + index);
    put(fixture, X, 0xFFB12080, 0);
    assert_int_equal(get(fixture, X, 0xFFB12088) >> 30, 1);
    return get(fixture, X, 0xFFB1208C);
}

static uint32_t pc_on_the_debug_bus(struct fixture *fixture, unsigned core)
{
    put(fixture, X, 0xFFB12054, (19 + 2 * core) | 7 << 16 | 1 << 25 | 1 << 29);
    return get(fixture, X, 0xFFB1205C);
}

static void cores_can_be_debugged(void **context)
{
    enum { STATUS, COMMAND, ARGUMENT_0, ARGUMENT_1, RESULT, MODES, ADDRESS_0 = 10 };
    enum { PAUSE = 1, CONTINUE = 4, READ_GPR = 8, WRITE_GPR = 16, READ = 32, WATCH = 8 };
    struct fixture *fixture = *context;
    static const uint32_t program[] = {
        0x00100073, /* ebreak */
        0x12300293, /* li t0, 0x123 */
        0x00502023, /* sw t0, 0(x0): spoils the ebreak */
        0x0000006f, /* j . */
    };
    assert_int_equal(bh_write(fixture->device, X, Y, 0x2000, program, sizeof program), BH_OK);
    for (unsigned core = 0; core < 2; core++) {
        put(fixture, X, RESET_PC + 8 * core, 0x2000);
    }
    release(fixture, 0);
    struct bh_run_result result;
    assert_int_equal(bh_run(fixture->device, 100, &result), BH_OK);
    for (unsigned core = 0; core < 2; core++) {
        assert_int_equal(dr_read(fixture, core, STATUS), 1 | 1 << 3); /* paused by an ebreak */
        assert_int_equal(pc_on_the_debug_bus(fixture, core), 0x2004);
        put(fixture, X, 0xFFB12050, 15); /* the same signals, written to L1 by the daisychain */
        put(fixture, X, 0xFFB12048, 0x300);
        put(fixture, X, 0xFFB12050, 1);
        put(fixture, X, 0xFFB12050, 1 << 12 | 1);
        assert_int_equal(get(fixture, X, 0x3004), 0x2004);
        dr_write(fixture, core, ADDRESS_0, 0x2008);
        dr_write(fixture, core, MODES, WATCH);
        dr_write(fixture, core, COMMAND, 1u << 31 | CONTINUE);
        assert_int_equal(bh_run(fixture->device, 100, NULL), BH_OK);
        assert_int_equal(dr_read(fixture, core, STATUS), 1 | 1 << 1 | 1 << 8); /* by breakpoint 0 */
        dr_write(fixture, core, ARGUMENT_0, 5);
        dr_write(fixture, core, COMMAND, 1u << 31 | READ_GPR);
        assert_int_equal(dr_read(fixture, core, RESULT), 0x123);
        dr_write(fixture, core, ARGUMENT_0, 0x2004);
        dr_write(fixture, core, COMMAND, 1u << 31 | READ);
        assert_int_equal(dr_read(fixture, core, RESULT), program[1]);
    }
    assert_int_equal(get(fixture, X, 0), 0x123);
    put(fixture, X, SOFT_RESET, E0_HELD | E1_HELD);
    assert_int_equal(dr_read(fixture, 0, MODES), 0);
    assert_int_equal(dr_read(fixture, 2, STATUS), 0); /* there is no such core */
}

/* Firmware's mailbox: run a program on E0, and let it have the core. */
static void the_mailbox_hands_e0_over(void **context)
{
    struct fixture *fixture = *context;
    load_counter(fixture, 0x2000, 0);
    put(fixture, X, 0x7d004, 0x2000);
    put(fixture, X, 0x7d000, 0xca110002);
    assert_int_equal(get(fixture, X, 0x7d000), 0xd0e50002);
    assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
    assert_in_range(get(fixture, X, 0x1000), 200, 250);
}

/* ReleaseEthReset(): "leave RISC1 in reset still". Without a program of its own, firmware begins anew after a reset.
   The bits of cores that only Tensix tiles have are set, too, and do nothing. */
static void firmware_runs_on_e0_while_it_is_out_of_reset(void **context)
{
    struct fixture *fixture = *context;
    assert_int_equal(get(fixture, X, SOFT_RESET), 0x47000);
    assert_int_equal(get(fixture, X, RESET_PC), 0x70000);
    assert_int_equal(get(fixture, X, RESET_PC + 4), 0x7bffc);
    put(fixture, X, SOFT_RESET, UINT32_MAX);
    assert_int_equal(get(fixture, X, SOFT_RESET), 0x47800);
    put(fixture, X, SOFT_RESET, 0x47000);
    uint32_t beat = get(fixture, X, 0x7cc70);
    assert_int_equal(beat >> 16, 0xabcd);
    assert_int_equal(get(fixture, X, 0x7cc70), beat);
    bh_pass(fixture->device, 5000);
    assert_int_equal(get(fixture, X, 0x7cc70), beat + 5);
    put(fixture, X, SOFT_RESET, E0_HELD | E1_HELD);
    bh_pass(fixture->device, 5000);
    assert_int_equal(get(fixture, X, 0x7cc70), beat + 5);
    put(fixture, X, 0x7d004, 0x2000);
    put(fixture, X, 0x7d000, 0xca110002);
    assert_int_equal(get(fixture, X, 0x7d000), 0xca110002); /* no firmware runs that would serve the mailbox */
    put(fixture, X, SOFT_RESET, E1_HELD);
    bh_pass(fixture->device, 1000);
    assert_int_equal(get(fixture, X, 0x7cc70), beat + 6);
}

static void a_wrong_program_is_named_by_its_core(void **context)
{
    struct fixture *fixture = *context;
    put(fixture, X, 0x2000, 0xffffffff);
    put(fixture, X, RESET_PC + 8, 0x2000);
    put(fixture, X, SOFT_RESET, E0_HELD);
    assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_ERROR_STOPPED);
    char text[1000];
    bh_diagnostic_format(&fixture->last, text, sizeof text);
    assert_non_null(strstr(text, "tile (1,1) core E1 pc 0x00002000"));
}

static void l1_of_a_tensix_tile_is_larger(void **context)
{
    struct fixture *fixture = *context;
    put(fixture, X, 0x2000, 0x000802b7); /* lui t0, 0x80 */
    put(fixture, X, 0x2004, 0x0002a303); /* lw t1, 0(t0) */
    put(fixture, X, 0x2008, 0x0000006f);
    put(fixture, X, RESET_PC, 0x2000);
    release(fixture, E1_HELD);
    assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_ERROR_STOPPED);
    assert_non_null(strstr(fixture->last.text, "load at 0x00080000: L1 of an Ethernet tile ends at 0x0007ffff"));
}

/* Cores access these words directly, without the registers' functions: both ways must reach the same words. */
static void words_of_the_nius_are_their_registers(void **context)
{
    struct fixture *fixture = *context;
    (void)get(fixture, X, 0);
    struct ethernet *ethernet = &fixture->device->ethernet[0];
    unsigned words = 0;
    for (uint32_t offset = 0; offset < NIU_INITIATOR_END; offset += 4) {
        const uint32_t few = offset ^ 0x5a5, many = ~offset;
        uint32_t value, *word = core_tile_niu_word(&ethernet->tile, 1, offset, true);
        if (word) {
            words++;
            assert_int_equal(core_tile_niu_write(&ethernet->tile, 1, offset, few), STEP_DONE);
            assert_int_equal(*word, few);
        }
        word = core_tile_niu_word(&ethernet->tile, 1, offset, true);
        if (word) {
            assert_int_equal(core_tile_niu_write(&ethernet->tile, 1, offset, many), STEP_DONE);
            assert_int_equal(*word, many);
        }
        word = core_tile_niu_word(&ethernet->tile, 1, offset, false);
        if (word) {
            words++;
            assert_int_equal(core_tile_niu_read(&ethernet->tile, 1, offset, &value), STEP_DONE);
            assert_int_equal(*word, value);
        }
    }
    assert_true(words > 200);
}

/* A core that polls an unchanging word executes the same number of instructions whether clocks come in one call or
   many. */
static void a_core_that_polls_goes_round_all_the_time(void **context)
{
    struct fixture *fixture = *context;
    put(fixture, X, 0x2000, 0x00000293); /* li t0, 0 */
    put(fixture, X, 0x2004, 0x10002303); /* 1: lw t1, 0x100(zero) */
    put(fixture, X, 0x2008, 0xfe030ee3); /* beqz t1, 1b */
    put(fixture, X, 0x200c, 0xb02022f3); /* csrr t0, minstret */
    put(fixture, X, 0x2010, 0x10502223); /* sw t0, 0x104(zero) */
    put(fixture, X, 0x2014, 0x0000006f);
    uint32_t counts[2];
    for (unsigned i = 0; i < 2; i++) {
        put(fixture, X, 0x100, 0);
        put(fixture, X, RESET_PC, 0x2000);
        put(fixture, X, SOFT_RESET, E0_HELD | E1_HELD);
        release(fixture, E1_HELD);
        for (unsigned calls = 0; calls < (i ? 100 : 1); calls++) {
            assert_int_equal(bh_run(fixture->device, i ? 70 : 7000, NULL), BH_OK);
        }
        put(fixture, X, 0x100, 1);
        assert_int_equal(bh_run(fixture->device, 70, NULL), BH_OK);
        counts[i] = get(fixture, X, 0x104);
    }
    assert_in_range(counts[0], 7000, 7010);
    assert_int_equal(counts[0], counts[1]);
}

/* TT-link: "L1 write packet" and "MMIO write packet" of queues 0 and 1. */
static void link_packets_come_back(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned queue = 0; queue < 3; queue++) {
        uint32_t tx = TX + 0x1000 * queue, rx = RX + 0x1000 * queue;
        for (unsigned i = 0; i < 1024; i++) {
            put(fixture, X, 0x10000 + 4 * i, i * 0x1001 + queue);
        }
        put(fixture, X, tx + 0x14, 0x10000);
        put(fixture, X, tx + 0x18, 4096);
        put(fixture, X, tx + 0x1c, 0x20000);
        put(fixture, X, tx + 0x0c, 1024); /* four packets */
        put(fixture, X, tx + 0x04, 2);
        assert_int_equal(get(fixture, X, tx + 0x08) >> 16 & 1, 0); /* not ongoing */
        assert_int_equal(get(fixture, X, 0x20000 + 4 * 1023), 1023 * 0x1001 + queue);
        assert_int_equal(get(fixture, X, tx + 0x30), 1);
        assert_int_equal(get(fixture, X, tx + 0x34), 4);
        assert_int_equal(get(fixture, X, tx + 0x3c), 4);
        assert_int_equal(get(fixture, X, rx + 0x28), 4);
        assert_int_equal(get(fixture, X, rx + 0x04), 4096);
        assert_int_equal(get(fixture, X, tx + 0x04), 0); /* reads of the command are 0 */
    }
    put(fixture, X, TX + 0x1000 + 0x1c, RESET_PC);
    put(fixture, X, TX + 0x1000 + 0x44, 0x4321);
    put(fixture, X, TX + 0x1000 + 0x04, 4);
    assert_int_equal(get(fixture, X, RESET_PC), 0x4321);
}

static void queue_2_sends_no_mmio_writes(void **context)
{
    struct fixture *fixture = *context;
    uint32_t command = 4;
    put(fixture, X, TX + 0x2000 + 0x1c, RESET_PC);
    assert_int_equal(bh_write(fixture->device, X, Y, TX + 0x2000 + 0x04, &command, 4), BH_ERROR_ADDRESS);
    assert_int_equal(fixture->last.category, BH_UNDEFINED_BEHAVIOR);
    put(fixture, X, TX + 0x1c, TX + 0x04); /* would send for ever */
    put(fixture, X, TX + 0x44, 4);
    assert_int_equal(bh_write(fixture->device, X, Y, TX + 0x04, &command, 4), BH_ERROR_ADDRESS);
    assert_int_equal(fixture->last.category, BH_UNSUPPORTED);
    put(fixture, X, TX + 0x14, 0x10008); /* not a multiple of 16 */
    put(fixture, X, TX + 0x18, 16);
    command = 2;
    assert_int_equal(bh_write(fixture->device, X, Y, TX + 0x04, &command, 4), BH_ERROR_ADDRESS);
    assert_int_equal(fixture->last.category, BH_UNDEFINED_BEHAVIOR);
}

/* Raw mode: the RX queue strips the 14 bytes of MAC header, and wraps around. */
static void raw_packets_fill_the_buffer(void **context)
{
    struct fixture *fixture = *context;
    uint8_t payload[100], back[128];
    for (unsigned i = 0; i < sizeof payload; i++) {
        payload[i] = (uint8_t)(i + 1);
    }
    assert_int_equal(bh_write(fixture->device, X, Y, 0x10003, payload, sizeof payload), BH_OK);
    put(fixture, X, TX + 0x14, 0x10003);
    put(fixture, X, TX + 0x18, sizeof payload);
    put(fixture, X, TX + 0x04, 1);
    assert_int_equal(get(fixture, X, RX + 0x4c), 1); /* no TT-link packet: dropped */
    put(fixture, X, RX, 1 << 2);                     /* raw, and wrap around */
    put(fixture, X, RX + 0x0c, 0x30000 >> 4);
    put(fixture, X, RX + 0x10, 128 >> 4);
    put(fixture, X, TX + 0x04, 1);
    assert_int_equal(get(fixture, X, RX + 0x08), 100);
    put(fixture, X, TX + 0x04, 1);
    assert_int_equal(get(fixture, X, RX + 0x08), 72);
    assert_int_equal(get(fixture, X, RX + 0x04), 200);
    assert_int_equal(bh_read(fixture->device, X, Y, 0x30000, back, sizeof back), BH_OK);
    assert_memory_equal(back + 100, payload, 28);
    assert_memory_equal(back, payload + 28, 72);
    assert_memory_equal(back + 72, payload + 72, 28);
}

/* MAC_RX_ADDR_ROUTING: two bits for broadcast, multicast and unicast frames, data and MMIO style (bit 216). */
static void frames_go_to_the_queue_of_their_address(void **context)
{
    enum { ROUTING = 0xFFB98150, ADDRESS_ROUTING = 0xFFB98154, ENTRY = 0xFFB98200 + 0x80 * 4, QUEUE = 0x1000 };
    static const uint32_t high_halves[] = {0xffff, 0x0122, 0x0022}; /* of broadcast, multicast, unicast addresses */
    struct fixture *fixture = *context;
    for (unsigned queue = 0; queue < 3; queue++) {
        put(fixture, X, RX + QUEUE * queue, 0);
        put(fixture, X, RX + QUEUE * queue + 0x0c, 0x30000 >> 4);
        put(fixture, X, RX + QUEUE * queue + 0x10, 0x1000 >> 4);
    }
    put(fixture, X, TX + 0x80, 4);
    put(fixture, X, TX + 0x14, 0x10000);
    put(fixture, X, TX + 0x18, 20);
    put(fixture, X, ADDRESS_ROUTING, 2 | 1 << 2 | 0 << 4 | 2 << 6 | 1 << 8 | 0 << 10);
    static const uint8_t expected[3][2] = {{2, 1}, {0, 2}, {1, 0}}; /* by kind and style */
    for (unsigned kind = 0; kind < 3; kind++) {
        put(fixture, X, ENTRY + 0x18, kind ? 0x33445566 : 0xffffffff);
        put(fixture, X, ENTRY + 0x1c, high_halves[kind]);
        for (unsigned style = 0; style < 2; style++) {
            put(fixture, X, 0x10000 + 12,
                style << 8); /* byte 27 of the frame, which is byte 13 behind the MAC header */
            uint32_t before = get(fixture, X, RX + QUEUE * expected[kind][style] + 0x04);
            put(fixture, X, TX + 0x04, 1);
            assert_int_equal(get(fixture, X, RX + QUEUE * expected[kind][style] + 0x04), before + 20);
        }
    }
    put(fixture, X, ROUTING, 1); /* reserved */
    uint32_t one = 1;
    assert_int_equal(bh_write(fixture->device, X, Y, TX + 0x04, &one, 4), BH_ERROR_ADDRESS);
    assert_non_null(strstr(fixture->last.text, "MAC_RX_ROUTING 1"));
}

/* With nothing stripped, the frame begins with the addresses of the TX header table and the length. */
static void frames_carry_the_header_of_the_table(void **context)
{
    struct fixture *fixture = *context;
    static const uint8_t expected[] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0xa1, 0xa2, 0xa3,
                                       0xa4, 0xa5, 0xa6, 0x12, 0x34, 1,    2,    3,    4};
    uint8_t frame[sizeof expected];
    put(fixture, X, HEADERS + 0x80 * 3 + 0x18, 0x33445566);
    put(fixture, X, HEADERS + 0x80 * 3 + 0x1c, 0x1122);
    put(fixture, X, HEADERS + 0x80 * 3 + 0x10, 0xa3a4a5a6);
    put(fixture, X, HEADERS + 0x80 * 3 + 0x14, 0xa1a2);
    put(fixture, X, HEADERS + 0x80 * 3 + 0x20, 0x12340001);
    put(fixture, X, TX + 0x80, 3);
    put(fixture, X, 0x10000, 0x04030201);
    put(fixture, X, TX + 0x14, 0x10000);
    put(fixture, X, TX + 0x18, 4);
    put(fixture, X, 0xFFB98154, 0); /* MAC_RX_ADDR_ROUTING: all to queue 0 */
    put(fixture, X, RX, 0);
    put(fixture, X, RX + 0x0c, 0x30000 >> 4);
    put(fixture, X, RX + 0x10, 64 >> 4);
    put(fixture, X, RX + 0x18, 0);
    put(fixture, X, TX + 0x04, 1);
    assert_int_equal(bh_read(fixture->device, X, Y, 0x30000, frame, sizeof frame), BH_OK);
    assert_memory_equal(frame, expected, sizeof expected);
}

/* The NIU is that of a Tensix tile: here the host starts a read of DRAM into the tile's L1. */
static void the_niu_carries_requests(void **context)
{
    struct fixture *fixture = *context;
    static const struct {
        uint32_t offset, value;
    } writes[] = {{0x00, 0x1000},     {0x04, 0},    {0x08, 17 | 12 << 6}, {0x0c, 0x4000}, {0x10, 0},
                  {0x14, X | Y << 6}, {0x1c, 0x10}, {0x20, 64},           {0x24, 0},      {0x40, 1}};
    uint32_t words[16];
    for (unsigned i = 0; i < 16; i++) {
        words[i] = 0xd0000000 + i;
    }
    assert_int_equal(bh_write(fixture->device, 17, 12, 0x1000, words, sizeof words), BH_OK);
    for (unsigned noc = 0; noc < 2; noc++) {
        for (unsigned i = 0; i < sizeof writes / sizeof writes[0]; i++) {
            put(fixture, X, 0xFFB20000 + 0x10000 * noc + writes[i].offset, writes[i].value);
        }
        assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
        for (unsigned i = 0; i < 16; i++) {
            assert_int_equal(get(fixture, X, 0x4000 + 4 * i), words[i]);
            put(fixture, X, 0x4000 + 4 * i, 0);
        }
        assert_int_equal(get(fixture, X, 0xFFB20000 + 0x10000 * noc + 0x208), 1); /* NIU_MST_RD_RESP_RECEIVED */
    }
    assert_int_equal(get(fixture, X, 0xFFB20048), 0x0200 << 8);
    assert_int_equal(get(fixture, 22, 0xFFB30048), 2 | 0x0200 << 8 | 1 << 24);
}

static void tensix_tiles_write_to_ethernet_tiles(void **context)
{
    struct fixture *fixture = *context;
    static const struct {
        uint32_t offset, value;
    } writes[] = {{0x00, 0x1000},      {0x04, 0}, {0x08, 1 | 2 << 6}, {0x0c, 0x5000}, {0x10, 0},
                  {0x14, 31 | Y << 6}, {0x1c, 2}, {0x20, 4},          {0x24, 0},      {0x40, 1}};
    uint32_t word = 0x600d;
    assert_int_equal(bh_write(fixture->device, 1, 2, 0x1000, &word, 4), BH_OK);
    for (unsigned i = 0; i < sizeof writes / sizeof writes[0]; i++) {
        assert_int_equal(bh_write(fixture->device, 1, 2, 0xFFB20000 + writes[i].offset, &writes[i].value, 4), BH_OK);
    }
    assert_int_equal(bh_run(fixture->device, 1000, NULL), BH_OK);
    assert_int_equal(get(fixture, 31, 0x5000), 0x600d);
}

/* "as general use": buffer sizes of idle streams serve as counters that other tiles add to. */
static void idle_streams_count(void **context)
{
    struct fixture *fixture = *context;
    enum { REMOTE_SRC = 0x10, STREAM = 0x1000 };
    uint32_t stream = 0xFFB40000 + 31 * STREAM, size = stream + 0x28, update = stream + 4 * 270,
             space = stream + 4 * 297;
    put(fixture, X, size, 0x30010);
    assert_int_equal(get(fixture, X, size), 0x10010); /* 17 bits */
    assert_int_equal(get(fixture, X, space), 0x10010);
    put(fixture, X, update, 5 << 6);
    assert_int_equal(get(fixture, X, space), 0x10015);
    put(fixture, X, update, 0x1ffffu << 6); /* minus one */
    assert_int_equal(get(fixture, X, space), 0x10014);
    assert_int_equal(get(fixture, X, size), 0x10010);
    put(fixture, X, stream + REMOTE_SRC, 0xff123456);
    assert_int_equal(get(fixture, X, stream + REMOTE_SRC), 0x123456);
}

static void what_is_not_emulated_says_so(void **context)
{
    struct fixture *fixture = *context;
    assert_refused(fixture, 0xFFB45500, BH_UNSUPPORTED,
                   "this part of an Ethernet tile is not emulated");  /* no register of stream 5 */
    assert_refused(fixture, 0xFFB9C010, BH_UNSUPPORTED, "this part"); /* no register of the RX classifier */
    assert_refused(fixture, 0xFFBA0000, BH_UNSUPPORTED, "this part"); /* MAC and PCS */
    assert_refused(fixture, 0xFFB00000, BH_UNSUPPORTED, "this part"); /* only the core itself sees its local RAM */
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(l1_has_512_kib),
        TEST(both_cores_run_from_their_reset_pcs),
        TEST(they_have_no_pace),
        TEST(a_core_without_a_reset_pc_does_nothing),
        TEST(a_jump_to_itself_stays_until_reset),
        TEST(cores_that_only_wait_are_a_deadlock),
        TEST(cores_can_be_debugged),
        TEST(the_mailbox_hands_e0_over),
        TEST(firmware_runs_on_e0_while_it_is_out_of_reset),
        TEST(a_wrong_program_is_named_by_its_core),
        TEST(l1_of_a_tensix_tile_is_larger),
        TEST(words_of_the_nius_are_their_registers),
        TEST(a_core_that_polls_goes_round_all_the_time),
        TEST(link_packets_come_back),
        TEST(queue_2_sends_no_mmio_writes),
        TEST(raw_packets_fill_the_buffer),
        TEST(frames_go_to_the_queue_of_their_address),
        TEST(frames_carry_the_header_of_the_table),
        TEST(the_niu_carries_requests),
        TEST(tensix_tiles_write_to_ethernet_tiles),
        TEST(idle_streams_count),
        TEST(what_is_not_emulated_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
