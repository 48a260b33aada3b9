/* How a tile's software and its debugger flush the instruction caches of its cores.
   Source: ISA documentation (Wormhole) BabyRISCV/InstructionCache.md. */
#include "tile/fixture.h"

enum { SOFT_RESET = 0xFFB121B0, ALL_IN_RESET = 0x47800, B_BIT = 1 << 11, T1_BIT = 1 << 13, NC_BIT = 1 << 18 };
enum { T1_RESET_PC = 0xA000, NC_RESET_PC = 0x12000, IC_INVALIDATE = 0xFFEF0000 + 4 * 185 };
enum { SELF_JUMP = 0x6f, LI_A0_7 = 0x00700513 };

/* Brings cores T1 and NC to a jump to itself, and overwrites it through the host. */
static void park(struct fixture *fixture)
{
    l1_store32(&fixture->tile.l1, T1_RESET_PC, SELF_JUMP);
    l1_store32(&fixture->tile.l1, NC_RESET_PC, SELF_JUMP);
    store(fixture, MMIO_NOC, SOFT_RESET, ALL_IN_RESET & ~(T1_BIT | NC_BIT));
    tile_run(&fixture->tile, 1000);
    static const uint32_t program[] = {LI_A0_7, SELF_JUMP};
    l1_write(&fixture->tile.l1, T1_RESET_PC, program, sizeof program);
    l1_write(&fixture->tile.l1, NC_RESET_PC, program, sizeof program);
    assert_false(tile_active(&fixture->tile));
    tile_run(&fixture->tile, 1000);
    assert_int_equal(fixture->state->core[BH_CORE_T1].pc, T1_RESET_PC);
    assert_int_equal(fixture->state->core[BH_CORE_T1].halt, RV32_SELF_JUMP);
}

static void assert_got_going(struct fixture *fixture, unsigned core, bool going)
{
    assert_int_equal(fixture->state->core[core].x[10], going ? 7 : 0);
    assert_int_equal(fixture->state->core[core].halt, RV32_SELF_JUMP);
}

static void configuration_flushes_the_caches_that_its_bits_name(void **context)
{
    struct fixture *fixture = *context;
    park(fixture);
    store(fixture, BH_CORE_B, IC_INVALIDATE, 1 << BH_CORE_T1);
    assert_true(tile_active(&fixture->tile));
    tile_run(&fixture->tile, 1000);
    assert_got_going(fixture, BH_CORE_T1, true);
    assert_got_going(fixture, BH_CORE_NC, false);
    store(fixture, BH_CORE_B, IC_INVALIDATE, 1 << BH_CORE_NC);
    tile_run(&fixture->tile, 1000);
    assert_got_going(fixture, BH_CORE_NC, true);
    assert_int_equal(fixture->state->diagnostics.count, 0);
}

static void a_program_flushes_the_cache_of_another_core(void **context)
{
    struct fixture *fixture = *context;
    static const uint32_t program[] = {
        0xffef0337, /* lui t1, 0xffef0 */
        0x01f00393, /* li  t2, 0x1f */
        0x2e732223, /* sw  t2, 0x2e4(t1) */
        SELF_JUMP,
    };
    park(fixture);
    l1_write(&fixture->tile.l1, 0, program, sizeof program);
    store(fixture, MMIO_NOC, SOFT_RESET, ALL_IN_RESET & ~(B_BIT | T1_BIT | NC_BIT));
    tile_run(&fixture->tile, 1000);
    assert_got_going(fixture, BH_CORE_T1, true);
    assert_got_going(fixture, BH_CORE_NC, true);
    assert_int_equal(fixture->state->diagnostics.count, 0);
}

static void a_reset_flushes_the_cache(void **context)
{
    struct fixture *fixture = *context;
    park(fixture);
    store(fixture, MMIO_NOC, SOFT_RESET, ALL_IN_RESET & ~NC_BIT);
    store(fixture, MMIO_NOC, SOFT_RESET, ALL_IN_RESET & ~(T1_BIT | NC_BIT));
    tile_run(&fixture->tile, 1000);
    assert_got_going(fixture, BH_CORE_T1, true);
    assert_got_going(fixture, BH_CORE_NC, false);
    assert_int_equal(fixture->state->diagnostics.count, 0);
}

static void a_core_that_is_rewritten_while_it_runs_is_told(void **context)
{
    struct fixture *fixture = *context;
    enum { B_RESET_PC = 0, POLLED = 0x20000 };
    static const uint32_t program[] = {
        0x000204b7, /* lui  s1, 0x20 */
        0x0004a283, /* lw   t0, 0(s1) */
        0xfe028ee3, /* beqz t0, -4 */
        SELF_JUMP,
    };
    l1_write(&fixture->tile.l1, B_RESET_PC, program, sizeof program);
    store(fixture, MMIO_NOC, SOFT_RESET, ALL_IN_RESET & ~B_BIT);
    tile_run(&fixture->tile, 1000);
    l1_store32(&fixture->tile.l1, B_RESET_PC + 8, 0xfe029ee3); /* bnez t0, -4 */
    tile_run(&fixture->tile, 1000);
    struct diagnostics *diagnostics = &fixture->state->diagnostics;
    assert_int_equal(diagnostics->count, 1);
    assert_int_equal(diagnostics->entries[0].category, BH_NON_CONTRACTUAL);
    assert_int_equal(diagnostics->entries[0].pc, B_RESET_PC + 8);
    assert_int_equal(fixture->state->core[BH_CORE_B].pc, B_RESET_PC + 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(configuration_flushes_the_caches_that_its_bits_name),
        TEST(a_program_flushes_the_cache_of_another_core),
        TEST(a_reset_flushes_the_cache),
        TEST(a_core_that_is_rewritten_while_it_runs_is_told),
    };
    return cmocka_run_group_tests_name("tile.cache", tests, NULL, NULL);
}
