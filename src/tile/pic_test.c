/* The PIC and interrupt handlers. Source: ISA documentation PIC.md. */
#include "tile/fixture.h"

enum {
    PIC = 0xFFB13000,
    B_SW_EN = PIC,
    B_HW_EN = PIC + 4,
    B_INT_NO = PIC + 8,
    NC_SW_EN = PIC + 12,
    NC_INT_NO = PIC + 20
};
enum { SW_INT = PIC + 0x18, HW_INT = PIC + 0x98, SW_INT_PC = PIC + 0xa8, HW_INT_PC = PIC + 0x128 };
enum { SOFT_RESET = 0xFFB121B0, ALL_IN_RESET = 0x47800, B_BIT = 1 << 11, NC_BIT = 1 << 18 };
enum { MRET = 0x30200073, NOP = 0x00000013, SELF_JUMP = 0x0000006f, HANDLER = 0x800 };
enum { ADDI_S0 = 0x00140413, CSRW_CFG1 = 0x7c341073, CSRR_RESTORE = 0xbca02573 }; /* s0 += 1; cfg1 = s0; a0 = pc */

/* Starts cores: B at 0, NC at 0x12000. */
static void begin(struct fixture *fixture, uint32_t bits)
{
    store(fixture, MMIO_NOC, SOFT_RESET, ALL_IN_RESET & ~bits);
    tile_run(&fixture->tile, 1000);
}

static void put(struct fixture *fixture, uint32_t address, const uint32_t *words, unsigned count)
{
    l1_write(&fixture->tile.l1, address, words, count * 4);
}

#define PUT(fixture, address, ...)                                                                                     \
    put(fixture, address, (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / 4)

static void software_interrupts_are_single_slots(void **context)
{
    struct fixture *fixture = *context;
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(load(fixture, MMIO_NOC, SW_INT + 4 * i), 0);
        store(fixture, MMIO_NOC, SW_INT + 4 * i, i + 7);
        assert_int_equal(load(fixture, BH_CORE_T1, SW_INT + 4 * i), i + 7);
        assert_int_equal(load(fixture, BH_CORE_B, SW_INT + 4 * i), 0);
        store(fixture, MMIO_NOC, SW_INT + 4 * i, 1);
        store(fixture, MMIO_NOC, SW_INT + 4 * i, 0);
        assert_int_equal(load(fixture, BH_CORE_B, SW_INT + 4 * i), 0);
    }
}

static void an_interrupt_runs_its_handler_and_returns(void **context)
{
    struct fixture *fixture = *context;
    struct rv32_core *b = &fixture->state->core[BH_CORE_B];
    /* the handler reads SW_INT[3] into a1, at s1 */
    PUT(fixture, 0, NOP, NOP, SELF_JUMP);
    PUT(fixture, HANDLER, ADDI_S0, CSRR_RESTORE, 0x0004a583, MRET);
    begin(fixture, B_BIT);
    assert_int_equal(b->halt, RV32_SELF_JUMP);
    b->x[9] = SW_INT + 3 * 4;
    store(fixture, MMIO_NOC, SW_INT_PC + 3 * 4, HANDLER);
    store(fixture, MMIO_NOC, SW_INT + 3 * 4, 0x42);
    tile_run(&fixture->tile, 1000);
    assert_int_equal(b->x[8], 0); /* not enabled */
    store(fixture, MMIO_NOC, B_SW_EN, 1 << 3);
    assert_true(tile_active(&fixture->tile));
    tile_run(&fixture->tile, 1000);
    assert_int_equal(b->x[8], 1);
    assert_int_equal(b->x[10], 8);
    assert_int_equal(b->x[11], 0x42);
    assert_int_equal(b->pc, 8);
    assert_int_equal(b->halt, RV32_SELF_JUMP);
    assert_false(b->interrupted);
    assert_int_equal(load(fixture, BH_CORE_B, B_INT_NO), 3);
    assert_false(tile_active(&fixture->tile));
    assert_int_equal(fixture->state->diagnostics.count, 0);
}

/* An interrupt stays raised until it is read or cleared: otherwise the handler runs again as soon as it has
   returned. */
static void handlers_do_not_nest_and_take_turns(void **context)
{
    struct fixture *fixture = *context;
    struct rv32_core *b = &fixture->state->core[BH_CORE_B];
    PUT(fixture, 0, SELF_JUMP);
    PUT(fixture, HANDLER, ADDI_S0, MRET);
    PUT(fixture, HANDLER + 0x100, 0x00148493, MRET); /* s1 += 1 */
    begin(fixture, B_BIT);
    store(fixture, MMIO_NOC, SW_INT_PC, HANDLER);
    store(fixture, MMIO_NOC, SW_INT_PC + 4, HANDLER + 0x100);
    store(fixture, MMIO_NOC, SW_INT, 1);
    store(fixture, MMIO_NOC, SW_INT + 4, 1);
    store(fixture, MMIO_NOC, B_SW_EN, 3);
    tile_run(&fixture->tile, 400);
    assert_in_range(b->x[8], 90, 110); /* two instructions each, in turn */
    assert_in_range(b->x[9], b->x[8] - 1, b->x[8] + 1);
}

static void a_core_interrupts_itself_and_another_one(void **context)
{
    struct fixture *fixture = *context;
    /* B: s1 = SW_INT; stores a0 there; then s2 += 1 for ever, so that the interrupt comes before the second one */
    PUT(fixture, 0, 0xffb134b7, 0x00100513, 0x00a4ac23, 0x00190913, SELF_JUMP);
    PUT(fixture, HANDLER, 0x00090993, 0x0184a583, MRET); /* s3 = s2; a1 = SW_INT[0] */
    PUT(fixture, 0x12000, SELF_JUMP);
    store(fixture, MMIO_NOC, SW_INT_PC, HANDLER);
    store(fixture, MMIO_NOC, B_SW_EN, 1);
    store(fixture, MMIO_NOC, NC_SW_EN, 2);
    store(fixture, MMIO_NOC, SW_INT_PC + 4, HANDLER + 0x100);
    PUT(fixture, HANDLER + 0x100, 0xffb134b7, 0x01c4a583, MRET); /* a1 = SW_INT[1] */
    begin(fixture, B_BIT | NC_BIT);
    assert_int_equal(fixture->state->core[BH_CORE_B].x[19], 0);
    assert_int_equal(fixture->state->core[BH_CORE_B].x[18], 1);
    assert_int_equal(fixture->state->core[BH_CORE_B].x[11], 1);
    store(fixture, BH_CORE_T0, SW_INT + 4, 5);
    tile_run(&fixture->tile, 1000);
    assert_int_equal(fixture->state->core[BH_CORE_NC].x[11], 5);
    assert_int_equal(load(fixture, BH_CORE_NC, NC_INT_NO), 1);
}

static void hardware_interrupts_come_from_the_nius(void **context)
{
    struct fixture *fixture = *context;
    struct rv32_core *b = &fixture->state->core[BH_CORE_B];
    struct niu *niu = &fixture->state->registers.niu[1];
    PUT(fixture, 0, SELF_JUMP);
    PUT(fixture, HANDLER, ADDI_S0, 0x0104a023, MRET); /* sw a6, 0(s1) clears */
    begin(fixture, B_BIT);
    b->x[9] = 0xFFB3017C;
    b->x[16] = 1 << 4;
    store(fixture, MMIO_NOC, HW_INT_PC + 2 * 4, HANDLER);
    store(fixture, MMIO_NOC, B_HW_EN, 0xf);
    niu->returned_to_zero = 1 << 4;
    assert_int_equal(load(fixture, MMIO_NOC, HW_INT + 2 * 4), 0); /* not configured to interrupt */
    niu->config[NIU_TRANS_COUNT_RTZ_CFG] = 1 << 4;
    assert_int_equal(load(fixture, MMIO_NOC, HW_INT + 2 * 4), 1);
    tile_run(&fixture->tile, 1000);
    assert_int_equal(b->x[8], 1);
    assert_int_equal(load(fixture, MMIO_NOC, B_INT_NO), 34);
    assert_int_equal(load(fixture, MMIO_NOC, HW_INT + 2 * 4), 0);
}

/* "Due to a hardware bug, interrupt handlers cannot write to CSRs" */
/* "NoC Overlay when STREAM_BLOB_AUTO_CFG_DONE non-zero"; software clears it in that register. */
static void hardware_interrupt_0_comes_from_the_overlay(void **context)
{
    enum { STREAM_6 = 0xFFB46000, MISC_CFG = STREAM_6 + 3 * 4, ADVANCE = STREAM_6 + 267 * 4, DONE = 0xFFB40480 };
    struct fixture *fixture = *context;
    assert_int_equal(load(fixture, BH_CORE_B, HW_INT), 0);
    store(fixture, BH_CORE_B, MISC_CFG, 1 << 4);
    store(fixture, BH_CORE_B, ADVANCE, 1); /* a phase without messages */
    assert_int_equal(load(fixture, BH_CORE_B, HW_INT), 1);
    store(fixture, BH_CORE_B, DONE, 1 << 6);
    assert_int_equal(load(fixture, BH_CORE_B, HW_INT), 0);
}

static void handlers_can_not_write_csrs(void **context)
{
    struct fixture *fixture = *context;
    PUT(fixture, 0, SELF_JUMP);
    PUT(fixture, HANDLER, ADDI_S0, CSRW_CFG1, SELF_JUMP);
    begin(fixture, B_BIT);
    store(fixture, MMIO_NOC, SW_INT_PC, HANDLER);
    store(fixture, MMIO_NOC, SW_INT, 1);
    store(fixture, MMIO_NOC, B_SW_EN, 1);
    tile_run(&fixture->tile, 1000);
    assert_int_equal(fixture->state->core[BH_CORE_B].x[8], 1);
    assert_int_equal(fixture->state->core[BH_CORE_B].csr[RV32_CSR_cfg1], 0);
    assert_int_equal(fixture->state->diagnostics.count, 1);
    assert_int_equal(fixture->state->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

static void t_cores_are_not_interrupted(void **context)
{
    struct fixture *fixture = *context;
    PUT(fixture, 0x6000, SELF_JUMP);
    store(fixture, MMIO_NOC, SW_INT_PC, HANDLER);
    store(fixture, MMIO_NOC, SW_INT, 1);
    store(fixture, MMIO_NOC, B_SW_EN, 1);
    begin(fixture, 1 << 12);
    assert_int_equal(fixture->state->core[BH_CORE_T0].pc, 0x6000);
    assert_false(tile_active(&fixture->tile));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(software_interrupts_are_single_slots),
        TEST(an_interrupt_runs_its_handler_and_returns),
        TEST(handlers_do_not_nest_and_take_turns),
        TEST(a_core_interrupts_itself_and_another_one),
        TEST(hardware_interrupts_come_from_the_nius),
        TEST(hardware_interrupt_0_comes_from_the_overlay),
        TEST(handlers_can_not_write_csrs),
        TEST(t_cores_are_not_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
