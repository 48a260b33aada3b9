/* The debug interface of the cores, used over the NoC like a debugger does (the order of register accesses is that of
   tt-exalens): programs that write to memory are paused, stepped and watched. Sources: ISA documentation
   BabyRISCV/DebugInterface.md, SoftReset.md; tt-exalens. */
#include "rv32/debug.h"
#include "tile/fixture.h"

enum { CONTROL_0 = 0xFFB12080, CONTROL_1 = 0xFFB12084, STATUS_0 = 0xFFB12088, STATUS_1 = 0xFFB1208C };
enum { SOFT_RESET = 0xFFB121B0, ALL_IN_RESET = 0x47800, B_BIT = 1 << 11, NC_BIT = 1 << 18, DISABLE_RESET = 0xFFB12224 };
enum { DR_STATUS, DR_COMMAND, DR_ARGUMENT_0, DR_ARGUMENT_1, DR_RESULT, DR_MODES, DR_ADDRESS_0 = 10 };
enum {
    PAUSE = 1,
    STEP = 2,
    CONTINUE = 4,
    READ_GPR = 8,
    WRITE_GPR = 16,
    READ = 32,
    WRITE = 64,
    CLEAR = 128,
    FLUSH = 256
};
enum { PAUSED = 1, BREAKPOINT = 2, WATCHPOINT = 4, EBREAK_HIT = 8 };
#define SLOW (1u << 31)
enum { EBREAK = 0x00100073, NOP = 0x00000013, SELF_JUMP = 0x0000006f };
enum { TARGET = 0x10000 };
enum { LUI_A0 = 0x00010537, LUI_A1 = 0x876545b7, SW = 0x00b52023, LW_A2 = 0x00052603 }; /* a0 = TARGET; sw a1, 0(a0) */

static void dr_write(struct fixture *fixture, unsigned core, unsigned index, uint32_t value)
{
    store(fixture, MMIO_NOC, CONTROL_1, value);
    store(fixture, MMIO_NOC, CONTROL_0, 0x80010000 + (core << 17) + index);
    store(fixture, MMIO_NOC, CONTROL_0, 0);
}

static uint32_t dr_read(struct fixture *fixture, unsigned core, unsigned index)
{
    store(fixture, MMIO_NOC, CONTROL_0, 0x80000000 + (core << 17) + index);
    store(fixture, MMIO_NOC, CONTROL_0, 0);
    assert_int_equal(load(fixture, MMIO_NOC, STATUS_0) >> 30, 1);
    return load(fixture, MMIO_NOC, STATUS_1);
}

static void command(struct fixture *fixture, uint32_t bits)
{
    dr_write(fixture, BH_CORE_B, DR_COMMAND, SLOW | bits);
}

static uint32_t status(struct fixture *fixture)
{
    return dr_read(fixture, BH_CORE_B, DR_STATUS);
}

static uint32_t gpr(struct fixture *fixture, uint32_t index)
{
    dr_write(fixture, BH_CORE_B, DR_ARGUMENT_0, index);
    command(fixture, READ_GPR);
    return dr_read(fixture, BH_CORE_B, DR_RESULT);
}

static void set_gpr(struct fixture *fixture, uint32_t index, uint32_t value)
{
    dr_write(fixture, BH_CORE_B, DR_ARGUMENT_1, value);
    dr_write(fixture, BH_CORE_B, DR_ARGUMENT_0, index);
    command(fixture, WRITE_GPR);
}

static uint32_t memory(struct fixture *fixture, uint32_t address)
{
    dr_write(fixture, BH_CORE_B, DR_ARGUMENT_0, address);
    command(fixture, READ);
    assert_int_equal(status(fixture) & PAUSED, PAUSED);
    return dr_read(fixture, BH_CORE_B, DR_RESULT);
}

static void set_memory(struct fixture *fixture, uint32_t address, uint32_t value)
{
    dr_write(fixture, BH_CORE_B, DR_ARGUMENT_1, value);
    dr_write(fixture, BH_CORE_B, DR_ARGUMENT_0, address);
    command(fixture, WRITE);
}

/* On Blackhole one step takes two commands. */
static void step(struct fixture *fixture)
{
    command(fixture, STEP);
    command(fixture, STEP);
}

static void watch(struct fixture *fixture, unsigned i, uint32_t mode, uint32_t address)
{
    uint32_t modes = dr_read(fixture, BH_CORE_B, DR_MODES);
    dr_write(fixture, BH_CORE_B, DR_ADDRESS_0 + i, address);
    dr_write(fixture, BH_CORE_B, DR_MODES, (modes & ~(15u << 4 * i)) | mode << 4 * i);
}

static uint32_t target(struct fixture *fixture)
{
    return l1_load32(&fixture->tile.l1, TARGET);
}

/* Starts B, or the cores of `bits`, with a program at 0. */
static void begin(struct fixture *fixture, uint32_t bits, const uint32_t *words, unsigned count)
{
    l1_store32(&fixture->tile.l1, TARGET, 0x12345678);
    l1_write(&fixture->tile.l1, 0, words, count * 4);
    store(fixture, MMIO_NOC, SOFT_RESET, ALL_IN_RESET);
    store(fixture, MMIO_NOC, SOFT_RESET, ALL_IN_RESET & ~bits);
    tile_run(&fixture->tile, 1000);
}

#define BEGIN(fixture, ...) begin(fixture, B_BIT, (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / 4)

static void ebreak_pauses_behind_itself(void **context)
{
    struct fixture *fixture = *context;
    BEGIN(fixture, EBREAK, LUI_A0, LUI_A1, SW, SELF_JUMP);
    assert_int_equal(status(fixture), PAUSED | EBREAK_HIT);
    assert_int_equal(gpr(fixture, 32), 4);
    assert_int_equal(target(fixture), 0x12345678);
    command(fixture, CONTINUE);
    assert_int_equal(status(fixture), 0);
    tile_run(&fixture->tile, 1000);
    assert_int_equal(target(fixture), 0x87654000);
    assert_int_equal(fixture->state->core[BH_CORE_B].halt, RV32_SELF_JUMP);
}

/* Starts B at 0 again. The reset clears the debugger's settings. */
static void run_again(struct fixture *fixture)
{
    store(fixture, MMIO_NOC, SOFT_RESET, ALL_IN_RESET);
    store(fixture, MMIO_NOC, SOFT_RESET, ALL_IN_RESET & ~B_BIT);
    tile_run(&fixture->tile, 1000);
}

static void an_ebreak_that_no_debugger_asked_for_is_told_once(void **context)
{
    enum { ECALL = 0x00000073 };
    struct fixture *fixture = *context;
    const struct diagnostics *diagnostics = &fixture->state->diagnostics;
    BEGIN(fixture, NOP, EBREAK, ECALL, SELF_JUMP);
    run_again(fixture);
    assert_int_equal(diagnostics->count, 1);
    const struct bh_diagnostic *told = &diagnostics->entries[0];
    assert_int_equal(told->category, BH_NON_CONTRACTUAL);
    assert_int_equal(told->action, BH_WARN);
    assert_int_equal(told->agent, BH_AGENT_CORE);
    assert_int_equal(told->index, BH_CORE_B);
    assert_int_equal(told->pc, 4);
    assert_non_null(strstr(told->text, "ebreak: the core pauses here"));
    dr_write(fixture, BH_CORE_B, DR_COMMAND, CONTINUE);
    tile_run(&fixture->tile, 1000);
    assert_int_equal(status(fixture), PAUSED | EBREAK_HIT);
    assert_int_equal(diagnostics->count, 2);
    assert_non_null(strstr(diagnostics->entries[1].text, "ecall: the core pauses here"));
}

static void an_ebreak_under_a_debugger_is_not_told(void **context)
{
    struct fixture *fixture = *context;
    BEGIN(fixture, NOP, SELF_JUMP);
    static const uint32_t words[] = {NOP, EBREAK, NOP, NOP, NOP, NOP, NOP, NOP, SELF_JUMP};
    l1_write(&fixture->tile.l1, 0, words, sizeof words);
    store(fixture, MMIO_NOC, SOFT_RESET, ALL_IN_RESET);
    store(fixture, MMIO_NOC, SOFT_RESET, ALL_IN_RESET & ~B_BIT);
    dr_write(fixture, BH_CORE_B, DR_COMMAND, SLOW);
    tile_run(&fixture->tile, 1000);
    assert_int_equal(status(fixture), PAUSED | EBREAK_HIT);
    store(fixture, MMIO_NOC, SOFT_RESET, ALL_IN_RESET);
    store(fixture, MMIO_NOC, SOFT_RESET, ALL_IN_RESET & ~B_BIT);
    watch(fixture, 0, 8, 32);
    tile_run(&fixture->tile, 1000);
    assert_int_equal(status(fixture), PAUSED | EBREAK_HIT);
    assert_int_equal(fixture->state->diagnostics.count, 0);
}

static void strictly_an_ebreak_stops(void **context)
{
    struct fixture *fixture = *context;
    diagnostics_set_policy(&fixture->state->diagnostics, BH_POLICY_STRICT);
    BEGIN(fixture, NOP, EBREAK, SELF_JUMP);
    assert_true(fixture->state->diagnostics.stopped);
    assert_int_equal(fixture->state->core[BH_CORE_B].pc, 4);
}

static void a_paused_core_that_no_debugger_looks_at_blocks_the_tile(void **context)
{
    struct fixture *fixture = *context;
    BEGIN(fixture, EBREAK, SELF_JUMP);
    assert_int_equal(tile_run(&fixture->tile, 1000), TILE_BLOCKED);
    dr_write(fixture, BH_CORE_B, DR_COMMAND, SLOW);
    assert_int_equal(tile_run(&fixture->tile, 1000), TILE_IDLE);
}

static void steps_execute_one_instruction_each(void **context)
{
    struct fixture *fixture = *context;
    BEGIN(fixture, EBREAK, NOP, LUI_A0, LUI_A1, SW, SELF_JUMP);
    for (uint32_t pc = 8; pc <= 20; pc += 4) {
        assert_int_equal(target(fixture), 0x12345678);
        command(fixture, STEP);
        assert_int_equal(gpr(fixture, 32), pc - 4); /* the first command only arms the second */
        command(fixture, STEP);
        assert_int_equal(gpr(fixture, 32), pc);
        assert_int_equal(status(fixture), PAUSED);
    }
    assert_int_equal(target(fixture), 0x87654000);
    step(fixture);
    assert_int_equal(gpr(fixture, 32), 20);
}

static void a_running_core_is_halted_and_continued(void **context)
{
    struct fixture *fixture = *context;
    enum { ADDI_A1 = 0x00158593, BACK = 0xff9ff06f };
    BEGIN(fixture, LUI_A0, LUI_A1, ADDI_A1, SW, BACK);
    assert_int_equal(status(fixture), 0);
    uint32_t before = target(fixture);
    for (unsigned i = 0; i < 5; i++) {
        command(fixture, PAUSE);
        assert_int_equal(status(fixture), PAUSED);
        assert_int_equal(gpr(fixture, 11), fixture->state->core[BH_CORE_B].x[11]);
        tile_run(&fixture->tile, 1000);
        assert_int_equal(target(fixture), before);
        command(fixture, CONTINUE);
        tile_run(&fixture->tile, 1000);
        assert_true(target(fixture) > before);
        before = target(fixture);
    }
}

static void registers_are_read_and_written(void **context)
{
    struct fixture *fixture = *context;
    BEGIN(fixture, LUI_A0, SELF_JUMP);
    command(fixture, PAUSE);
    assert_int_equal(gpr(fixture, 10), TARGET);
    for (uint32_t i = 1; i < 32; i++) {
        set_gpr(fixture, i, 0x1000 + i);
        assert_int_equal(gpr(fixture, i), 0x1000 + i);
    }
    set_gpr(fixture, 0, 7);
    assert_int_equal(gpr(fixture, 0), 0);
    command(fixture, CLEAR);
    assert_int_equal(gpr(fixture, 31), 0);
}

static void memory_is_that_of_the_core(void **context)
{
    struct fixture *fixture = *context;
    BEGIN(fixture, LUI_A0, SELF_JUMP);
    command(fixture, PAUSE);
    set_memory(fixture, TARGET + 4, 0xabcdef01);
    assert_int_equal(l1_load32(&fixture->tile.l1, TARGET + 4), 0xabcdef01);
    set_memory(fixture, 0xFFB00010, 0x55667788); /* its local RAM */
    assert_memory_equal(tile_ram(fixture->state, BH_CORE_B) + 16, "\x88\x77\x66\x55", 4);
    assert_int_equal(memory(fixture, 0xFFB00010), 0x55667788);
    set_memory(fixture, 0xFFEF0000 + 2 * 4, 1u << 22); /* backend configuration, which the NoC can not access */
    assert_int_equal(memory(fixture, 0xFFEF0000 + 2 * 4), 1u << 22);
}

static void a_read_that_waits_keeps_the_core_busy(void **context)
{
    struct fixture *fixture = *context;
    enum { MAILBOX_FROM_T0 = 0xFFEC1000 };
    BEGIN(fixture, LUI_A0, SELF_JUMP);
    command(fixture, PAUSE);
    dr_write(fixture, BH_CORE_B, DR_ARGUMENT_0, MAILBOX_FROM_T0);
    command(fixture, READ);
    assert_int_equal(status(fixture), 0);
    fixture->state->registers.mailbox[BH_CORE_T0][BH_CORE_B].values[0] = 99;
    fixture->state->registers.mailbox[BH_CORE_T0][BH_CORE_B].count = 1;
    assert_int_equal(status(fixture), PAUSED);
    assert_int_equal(dr_read(fixture, BH_CORE_B, DR_RESULT), 99);
}

static void the_pc_is_written_by_a_flush(void **context)
{
    struct fixture *fixture = *context;
    BEGIN(fixture, EBREAK, SELF_JUMP, LUI_A0, LUI_A1, SW, SELF_JUMP);
    dr_write(fixture, BH_CORE_B, DR_ARGUMENT_1, 8);
    command(fixture, FLUSH);
    assert_int_equal(status(fixture), PAUSED); /* not by ebreak any more */
    command(fixture, CONTINUE);
    tile_run(&fixture->tile, 1000);
    assert_int_equal(target(fixture), 0x87654000);
    command(fixture, PAUSE);
    dr_write(fixture, BH_CORE_B, DR_COMMAND, FLUSH | STEP); /* slow mode is off after a reset */
    assert_int_equal(fixture->state->core[BH_CORE_B].pc, 0);
}

static void breakpoints_pause_behind_their_instruction(void **context)
{
    struct fixture *fixture = *context;
    BEGIN(fixture, EBREAK, NOP, NOP, NOP, LUI_A0, LUI_A1, SW, SELF_JUMP);
    watch(fixture, 0, 8, 12);
    watch(fixture, 1, 8, 28);
    command(fixture, CONTINUE);
    tile_run(&fixture->tile, 1000);
    assert_int_equal(status(fixture), PAUSED | BREAKPOINT | 0x100);
    assert_int_equal(gpr(fixture, 32), 16);
    assert_int_equal(target(fixture), 0x12345678);
    command(fixture, CONTINUE);
    tile_run(&fixture->tile, 1000);
    assert_int_equal(status(fixture), PAUSED | BREAKPOINT | 0x200);
    assert_int_equal(gpr(fixture, 32), 28); /* the instruction behind a jump to itself */
    assert_int_equal(target(fixture), 0x87654000);
}

static void a_breakpoint_on_a_jump_to_itself_is_hit_at_once(void **context)
{
    struct fixture *fixture = *context;
    BEGIN(fixture, NOP, SELF_JUMP);
    watch(fixture, 7, 8, 4);
    assert_int_equal(status(fixture), PAUSED | BREAKPOINT | 0x8000);
}

static void watchpoints_tell_reads_and_writes_apart(void **context)
{
    struct fixture *fixture = *context;
    enum { LUI_A0_11 = 0x00011537, LUI_A0_12 = 0x00012537, LUI_A0_13 = 0x00013537 };
    static const struct {
        uint32_t mode, address, pc; /* pc: behind the access */
    } watches[] = {{10, 0x10000, 16}, {9, 0x11000, 24}, {11, 0x12000, 32}, {11, 0x13000, 40}};
    BEGIN(fixture, EBREAK, LUI_A0, LUI_A1, SW, LUI_A0_11, LW_A2, LUI_A0_12, SW, LUI_A0_13, LW_A2, SELF_JUMP);
    for (unsigned i = 0; i < 4; i++) {
        watch(fixture, i, watches[i].mode, watches[i].address);
    }
    watch(fixture, 4, 9, 0x10000);  /* a write is no read */
    watch(fixture, 5, 10, 0x11000); /* nor a read a write */
    watch(fixture, 6, 7, 0x12000);  /* disabled */
    for (unsigned i = 0; i < 4; i++) {
        command(fixture, CONTINUE);
        tile_run(&fixture->tile, 1000);
        assert_int_equal(status(fixture), PAUSED | WATCHPOINT | 0x100u << i);
        assert_int_equal(gpr(fixture, 32), watches[i].pc);
    }
    assert_int_equal(target(fixture), 0x87654000);
    command(fixture, CONTINUE);
    tile_run(&fixture->tile, 1000);
    assert_int_equal(status(fixture), 0);
}

static void registers_hold_what_is_written_and_a_reset_clears_them(void **context)
{
    struct fixture *fixture = *context;
    BEGIN(fixture, SELF_JUMP);
    dr_write(fixture, BH_CORE_B, DR_STATUS, ~0u);
    dr_write(fixture, BH_CORE_B, DR_RESULT, ~0u);
    for (unsigned i = 0; i < 8; i++) {
        dr_write(fixture, BH_CORE_B, DR_ADDRESS_0 + i, 0x87654321 + i);
    }
    dr_write(fixture, BH_CORE_B, DR_MODES, 0x76543210);
    assert_int_equal(dr_read(fixture, BH_CORE_B, DR_STATUS), 0);
    assert_int_equal(dr_read(fixture, BH_CORE_B, DR_RESULT), 0);
    assert_int_equal(dr_read(fixture, BH_CORE_B, DR_MODES), 0x76543210);
    assert_int_equal(dr_read(fixture, BH_CORE_B, DR_ADDRESS_0 + 7), 0x87654328);
    store(fixture, MMIO_NOC, DISABLE_RESET, 1 << 7);
    store(fixture, MMIO_NOC, SOFT_RESET, ALL_IN_RESET);
    assert_int_equal(dr_read(fixture, BH_CORE_B, DR_ADDRESS_0), 0x87654321);
    dr_write(fixture, BH_CORE_B, DR_ADDRESS_0, 1);
    store(fixture, MMIO_NOC, SOFT_RESET, ALL_IN_RESET & ~B_BIT);
    assert_int_equal(dr_read(fixture, BH_CORE_B, DR_ADDRESS_0), 1);
    store(fixture, MMIO_NOC, DISABLE_RESET, 0);
    store(fixture, MMIO_NOC, SOFT_RESET, ALL_IN_RESET);
    dr_write(fixture, BH_CORE_B, DR_ADDRESS_0, 2); /* discarded */
    assert_int_equal(dr_read(fixture, BH_CORE_B, DR_ADDRESS_0), 0);
}

static void each_core_but_nc_has_its_own(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned core = BH_CORE_B; core <= BH_CORE_T2; core++) {
        fixture->state->core[core].halt = RV32_RUNNING;
        dr_write(fixture, core, DR_ARGUMENT_0, core + 5);
    }
    for (unsigned core = BH_CORE_B; core <= BH_CORE_T2; core++) {
        assert_int_equal(dr_read(fixture, core, DR_ARGUMENT_0), core + 5);
    }
    store(fixture, MMIO_NOC, CONTROL_0, 0x80010000 + (BH_CORE_T1 << 17) + 6);
    assert_int_equal(load(fixture, MMIO_NOC, STATUS_0), 0x80000000 | 4 << 13 | 6);
}

static void commands_to_a_core_that_is_not_paused_are_told(void **context)
{
    struct fixture *fixture = *context;
    BEGIN(fixture, SELF_JUMP);
    dr_write(fixture, BH_CORE_B, DR_ARGUMENT_0, 10);
    command(fixture, READ_GPR);
    assert_int_equal(fixture->state->diagnostics.count, 1);
    assert_int_equal(fixture->state->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

/* A waiting core pauses once its instruction completes. */
static void a_waiting_core_pauses_later(void **context)
{
    struct fixture *fixture = *context;
    enum { LUI_A0_MAILBOX = 0xffec1537 };
    BEGIN(fixture, LUI_A0_MAILBOX, LW_A2, NOP, SELF_JUMP);
    command(fixture, PAUSE);
    assert_int_equal(status(fixture), 0);
    tile_run(&fixture->tile, 1000);
    assert_int_equal(status(fixture), 0);
    fixture->state->registers.mailbox[BH_CORE_T0][BH_CORE_B].values[0] = 99;
    fixture->state->registers.mailbox[BH_CORE_T0][BH_CORE_B].count = 1;
    tile_run(&fixture->tile, 1000);
    assert_int_equal(status(fixture), PAUSED);
    assert_int_equal(gpr(fixture, 12), 99);
    assert_int_equal(gpr(fixture, 32), 8);
}

/* tt-exalens reads the pc of Blackhole's cores from these signals. */
static void the_pc_shows_on_the_debug_bus(void **context)
{
    struct fixture *fixture = *context;
    static const uint8_t select[] = {11, 13, 15, 17, 25};
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        fixture->state->core[core].pc = 0x1234 + 4 * core;
        store(fixture, MMIO_NOC, 0xFFB12054, 1u << 29 | 1u << 25 | 7u << 16 | select[core]);
        assert_int_equal(load(fixture, MMIO_NOC, 0xFFB1205C), 0x1234 + 4 * core);
        store(fixture, MMIO_NOC, 0xFFB12054, 1u << 29 | 7u << 16 | (select[core] - 1u));
        assert_int_equal(load(fixture, MMIO_NOC, 0xFFB1205C), 0x1234 + 4 * core);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(ebreak_pauses_behind_itself),
        TEST(an_ebreak_that_no_debugger_asked_for_is_told_once),
        TEST(an_ebreak_under_a_debugger_is_not_told),
        TEST(strictly_an_ebreak_stops),
        TEST(a_paused_core_that_no_debugger_looks_at_blocks_the_tile),
        TEST(steps_execute_one_instruction_each),
        TEST(a_running_core_is_halted_and_continued),
        TEST(registers_are_read_and_written),
        TEST(memory_is_that_of_the_core),
        TEST(a_read_that_waits_keeps_the_core_busy),
        TEST(the_pc_is_written_by_a_flush),
        TEST(breakpoints_pause_behind_their_instruction),
        TEST(a_breakpoint_on_a_jump_to_itself_is_hit_at_once),
        TEST(watchpoints_tell_reads_and_writes_apart),
        TEST(registers_hold_what_is_written_and_a_reset_clears_them),
        TEST(each_core_but_nc_has_its_own),
        TEST(commands_to_a_core_that_is_not_paused_are_told),
        TEST(a_waiting_core_pauses_later),
        TEST(the_pc_shows_on_the_debug_bus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
