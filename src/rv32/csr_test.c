/* The CSRs: values after reset and after writes, counters, and the CSRs that the coprocessor updates. Source: ISA
   documentation, BabyRISCV/CSRs.md; RISC-V Unprivileged ISA, chapter Zicsr. */
#include "rv32/fixture.h"

#include <string.h>

enum { CYCLE = 0xb00, CYCLEH = 0xb80, INSTRET = 0xb02, INSTRETH = 0xb82, CFG0 = 0x7c0, QSTATUS = 0xbc0 };

/* Executes one CSR instruction; returns a2, which was 0x55. */
static uint32_t execute(struct fixture *fixture, enum rv32_op op, unsigned csr, unsigned rd, unsigned rs1,
                        uint32_t operand)
{
    PROGRAM(fixture, word_i(op, rd, rs1, (int32_t)csr));
    fixture->core.pc = 0x100;
    fixture->core.x[A2] = 0x55;
    fixture->core.x[A0] = operand;
    rv32_run(&fixture->rv32, 1);
    return fixture->core.x[A2];
}

static uint32_t read_csr(struct fixture *fixture, unsigned csr)
{
    return execute(fixture, RV32_OP_CSRRS, csr, A2, ZERO, 0);
}

static void write_csr(struct fixture *fixture, unsigned csr, uint32_t value)
{
    execute(fixture, RV32_OP_CSRRW, csr, ZERO, A0, value);
}

static void csrs_have_their_documented_values_after_reset(void **state)
{
    static const struct {
        uint16_t number;
        uint32_t value;
    } nonzero[] = {{0x300, 0x80006600}, {0x301, 0x40201123}, {CFG0, 16 << 13}, {0xc22, 16}};
    static const uint16_t zero[] = {0x003, 0x008, 0x009, 0x00a, 0x320, 0x323, 0x324, 0x7c1, 0x7c2, 0x7c3, 0x7c4, 0x7c5,
                                    0x7c6, 0xb03, 0xb04, 0xb83, 0xb84, 0xbc2, 0xbc9, 0xbca, 0xc20, 0xc21, 0xf14};
    struct fixture *fixture = *state;
    for (unsigned i = 0; i < sizeof nonzero / sizeof nonzero[0]; i++) {
        assert_int_equal(read_csr(fixture, nonzero[i].number), nonzero[i].value);
    }
    for (unsigned i = 0; i < sizeof zero / sizeof zero[0]; i++) {
        assert_int_equal(read_csr(fixture, zero[i]), 0);
    }
    assert_int_equal(fixture->diagnostics.count, 0);
}

static void each_csr_instruction_reads_and_writes_as_specified(void **state)
{
    struct fixture *fixture = *state;
    enum { SCRATCH = 0x7c3 };
    write_csr(fixture, SCRATCH, 0xff00);
    assert_int_equal(execute(fixture, RV32_OP_CSRRW, SCRATCH, A2, A0, 0xf0f0), 0xff00);
    assert_int_equal(execute(fixture, RV32_OP_CSRRS, SCRATCH, A2, A0, 0x000f), 0xf0f0);
    assert_int_equal(execute(fixture, RV32_OP_CSRRC, SCRATCH, A2, A0, 0xf000), 0xf0ff);
    assert_int_equal(execute(fixture, RV32_OP_CSRRSI, SCRATCH, A2, 31, 0), 0x00ff);
    assert_int_equal(execute(fixture, RV32_OP_CSRRCI, SCRATCH, A2, 1, 0), 0x00ff);
    assert_int_equal(execute(fixture, RV32_OP_CSRRWI, SCRATCH, A2, 17, 0), 0x00fe);
    assert_int_equal(read_csr(fixture, SCRATCH), 17);
}

/* rd may be rs1: the instruction reads its operand, then the CSR, and then writes the register. */
static void a_csr_and_a_register_can_be_exchanged(void **state)
{
    struct fixture *fixture = *state;
    write_csr(fixture, 0x7c3, 0x1234);
    PROGRAM(fixture, word_i(RV32_OP_CSRRW, A0, A0, 0x7c3));
    fixture->core.pc = 0x100;
    fixture->core.x[A0] = 0x5678;
    rv32_run(&fixture->rv32, 1);
    assert_int_equal(fixture->core.x[A0], 0x1234);
    assert_int_equal(read_csr(fixture, 0x7c3), 0x5678);
}

static void writes_to_read_only_csrs_are_ignored_with_a_warning(void **state)
{
    static const uint16_t numbers[] = {0x008, 0x300, 0x301, 0xf14};
    struct fixture *fixture = *state;
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        uint32_t before = read_csr(fixture, numbers[i]);
        memset(fixture->diagnostics.warned, 0, sizeof fixture->diagnostics.warned);
        fixture->diagnostics.count = 0;
        write_csr(fixture, numbers[i], ~before);
        assert_int_equal(fixture->diagnostics.count, 1);
        assert_int_equal(fixture->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
        assert_int_equal(read_csr(fixture, numbers[i]), before);
    }
}

/* csrrs and csrrc with x0 or 0 do not write the CSR, csrrw with rd = x0 does not read it. */
static void a_read_only_csr_can_be_read_by_set_and_clear(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(execute(fixture, RV32_OP_CSRRC, 0x301, A2, ZERO, 0), 0x40201123);
    assert_int_equal(execute(fixture, RV32_OP_CSRRSI, 0x301, A2, 0, 0), 0x40201123);
    assert_int_equal(execute(fixture, RV32_OP_CSRRCI, 0x301, A2, 0, 0), 0x40201123);
    assert_int_equal(fixture->diagnostics.count, 0);
}

static void fields_narrower_than_the_register_keep_their_width(void **state)
{
    struct fixture *fixture = *state;
    write_csr(fixture, 0x003, 0xffffffff);
    assert_int_equal(read_csr(fixture, 0x003), 0xff);
    write_csr(fixture, 0x009, 0xffffffff);
    assert_int_equal(read_csr(fixture, 0x009), 1);
    write_csr(fixture, 0x00a, 0xffffffff);
    assert_int_equal(read_csr(fixture, 0x00a), 3);
}

static void an_unknown_csr_is_told(void **state)
{
    struct fixture *fixture = *state;
    read_csr(fixture, 0x305);
    assert_true(fixture->diagnostics.stopped);
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_UNDEFINED_BEHAVIOR);
    assert_non_null(strstr(fixture->diagnostics.entries[0].text, "there is no CSR 0x305"));
}

static void mcycle_follows_the_clock_and_counts_instructions_within_a_run(void **state)
{
    struct fixture *fixture = *state;
    clock_begin(&fixture->clock, 0x5fffffff0);
    PROGRAM(fixture, word_addi(ZERO, ZERO, 0), word_i(RV32_OP_CSRRS, A0, ZERO, CYCLE),
            word_i(RV32_OP_CSRRS, A1, ZERO, 0xc00), word_i(RV32_OP_CSRRS, A2, ZERO, CYCLEH),
            word_i(RV32_OP_CSRRS, A3, ZERO, 0xc80), word_self_jump());
    rv32_run(&fixture->rv32, 100);
    assert_int_equal(fixture->core.x[A0], 0xfffffff1);
    assert_int_equal(fixture->core.x[A1], 0xfffffff2);
    assert_int_equal(fixture->core.x[A2], 5);
    assert_int_equal(fixture->core.x[A3], 5);
}

/* CSRs.md: cycle, instret and their high halves are read/write aliases. */
static void counters_go_on_from_what_is_written(void **state)
{
    struct fixture *fixture = *state;
    clock_begin(&fixture->clock, 1000);
    write_csr(fixture, 0xc00, 0xffffffff);
    clock_begin(&fixture->clock, 1000);
    write_csr(fixture, CYCLEH, 7);
    clock_begin(&fixture->clock, 1002);
    assert_int_equal(read_csr(fixture, CYCLE), 1);
    assert_int_equal(read_csr(fixture, CYCLEH), 8);

    write_csr(fixture, 0xc02, 100);
    assert_int_equal(read_csr(fixture, INSTRET), 101);
    write_csr(fixture, 0xc82, 3);
    assert_int_equal(read_csr(fixture, INSTRETH), 3);
    assert_int_equal(read_csr(fixture, 0xc02), 104);
}

static void time_passes_without_instructions(void **state)
{
    struct fixture *fixture = *state;
    clock_begin(&fixture->clock, 1000);
    uint32_t cycles = read_csr(fixture, CYCLE), instructions = read_csr(fixture, INSTRET);
    clock_pass(&fixture->clock, fixture->core.id, 5000);
    assert_int_equal(read_csr(fixture, INSTRET) - instructions, 1);
    assert_int_equal(read_csr(fixture, CYCLE) - cycles, 5000 + 3); /* one for each instruction that reads a CSR */
}

static void minstret_starts_at_zero_after_reset(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_j(ZERO, 4), word_j(ZERO, -4));
    rv32_run(&fixture->rv32, 77);
    rv32_reset(&fixture->core, 0x100);
    assert_int_equal(fixture->core.instret, 77);
    assert_int_equal(read_csr(fixture, INSTRET), 0);
    assert_int_equal(read_csr(fixture, INSTRET), 1);
}

static void selected_events_are_not_counted_silently(void **state)
{
    struct fixture *fixture = *state;
    write_csr(fixture, 0xb03, 5);
    assert_int_equal(read_csr(fixture, 0xb03), 5);
    write_csr(fixture, 0x323, 1);
    read_csr(fixture, 0xb03);
    assert_true(fixture->diagnostics.stopped);
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_UNSUPPORTED);
}

static void performance_counters_clear_on_read_when_asked_to(void **state)
{
    struct fixture *fixture = *state;
    write_csr(fixture, 0xb84, 5);
    write_csr(fixture, CFG0, 1 << 8);
    assert_int_equal(read_csr(fixture, 0xb84), 5);
    assert_int_equal(read_csr(fixture, 0xb84), 0);
}

static enum step status(void *context, unsigned core, enum rv32_csr csr, uint32_t *value)
{
    *value = 0x1000u * core + rv32_csrs[csr].number;
    return STEP_DONE;
}

static void status_csrs_come_from_the_tile(void **state)
{
    struct fixture *fixture = *state;
    fixture->rv32.bus.status = status;
    fixture->core.id = BH_CORE_T1;
    assert_int_equal(read_csr(fixture, QSTATUS), 0x2bc0);
    write_csr(fixture, QSTATUS, 1); /* the hardware writes it again at once */
    assert_int_equal(read_csr(fixture, QSTATUS), 0x2bc0);
    assert_int_equal(read_csr(fixture, 0xbc7), 0x2bc7);
    fixture->core.id = BH_CORE_NC;
    write_csr(fixture, 0xbc7, 9);
    assert_int_equal(read_csr(fixture, 0xbc7), 9); /* scratch on B and NC */
    assert_int_equal(read_csr(fixture, 0xbc1), 0x4bc1);
}

/* cfg0, DisTTStatusReg: frozen, and changed by CSR instructions only. */
static void frozen_status_csrs_hold_what_is_written(void **state)
{
    struct fixture *fixture = *state;
    fixture->rv32.bus.status = status;
    fixture->core.id = BH_CORE_T0;
    write_csr(fixture, CFG0, 1u << 29);
    fixture->rv32.bus.status = NULL;
    assert_int_equal(read_csr(fixture, QSTATUS), 0x1bc0);
    write_csr(fixture, QSTATUS, 5);
    assert_int_equal(read_csr(fixture, QSTATUS), 5);
    assert_int_equal(fixture->diagnostics.count, 0);
}

static void status_without_a_tile_is_told(void **state)
{
    struct fixture *fixture = *state;
    fixture->core.id = BH_CORE_T0;
    read_csr(fixture, QSTATUS);
    assert_true(fixture->diagnostics.stopped);
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_UNSUPPORTED);
    assert_non_null(strstr(fixture->diagnostics.entries[0].text, "tt_cfg_qstatus"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(csrs_have_their_documented_values_after_reset),
        TEST(each_csr_instruction_reads_and_writes_as_specified),
        TEST(a_csr_and_a_register_can_be_exchanged),
        TEST(writes_to_read_only_csrs_are_ignored_with_a_warning),
        TEST(a_read_only_csr_can_be_read_by_set_and_clear),
        TEST(fields_narrower_than_the_register_keep_their_width),
        TEST(an_unknown_csr_is_told),
        TEST(mcycle_follows_the_clock_and_counts_instructions_within_a_run),
        TEST(counters_go_on_from_what_is_written),
        TEST(time_passes_without_instructions),
        TEST(minstret_starts_at_zero_after_reset),
        TEST(selected_events_are_not_counted_silently),
        TEST(performance_counters_clear_on_read_when_asked_to),
        TEST(status_csrs_come_from_the_tile),
        TEST(frozen_status_csrs_hold_what_is_written),
        TEST(status_without_a_tile_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
