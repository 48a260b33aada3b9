/* Windows onto the coprocessor and local RAM. */
#include "tile/fixture.h"

enum { B = BH_CORE_B, T0 = BH_CORE_T0, T1 = BH_CORE_T1, T2 = BH_CORE_T2, NC = BH_CORE_NC };

static const uint32_t slow_path[BH_CORE_COUNT] = {0xFFB14000, 0xFFB18000, 0xFFB1A000, 0xFFB1C000, 0xFFB16000};

static void local_ram_shows_on_the_slow_path(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        uint32_t size = core == B || core == NC ? 8192 : 4096;
        store(fixture, core, 0xFFB00000 + size - 4, 0x1000 + core);
        assert_int_equal(load(fixture, (core + 1) % BH_CORE_COUNT, slow_path[core] + size - 4), 0x1000 + core);
        store(fixture, MMIO_NOC, slow_path[core], 0x2000 + core);
        assert_int_equal(load(fixture, core, 0xFFB00000), 0x2000 + core);
        uint32_t byte;
        assert_int_equal(mmio_store(&fixture->tile, B, slow_path[core] + 3, 1, 0xee), STEP_DONE);
        assert_int_equal(mmio_load(&fixture->tile, NC, slow_path[core] + 2, 2, &byte), STEP_DONE);
        assert_int_equal(byte, 0xee00);
    }
    /* The RAM of a T core appears twice. */
    assert_int_equal(load(fixture, B, slow_path[T1] + 4096), load(fixture, B, slow_path[T1]));
}

static void the_noc_writes_local_ram_in_any_size(void **context)
{
    struct fixture *fixture = *context;
    uint8_t out[4096], in[4096];
    for (unsigned i = 0; i < sizeof out; i++) {
        out[i] = (uint8_t)(i * 7);
    }
    assert_int_equal(tile_write(&fixture->tile, slow_path[NC] + 13, out, 4001), STEP_DONE);
    assert_int_equal(tile_read(&fixture->tile, slow_path[NC] + 13, in, 4001), STEP_DONE);
    assert_memory_equal(in, out, 4001);
    assert_memory_equal(tile_ram(fixture->state, NC) + 13, out, 4001);
}

static void gprs_show_to_b_and_to_their_core(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned thread = 0; thread < 3; thread++) {
        for (unsigned i = 0; i < 64; i++) {
            store(fixture, B, 0xFFE00000 + 0x100 * thread + 4 * i, 1000 * thread + i);
        }
    }
    for (unsigned thread = 0; thread < 3; thread++) {
        for (unsigned i = 0; i < 64; i++) {
            assert_int_equal(load(fixture, T0 + thread, 0xFFE00000 + 4 * i), 1000 * thread + i);
            assert_int_equal(fixture->state->tensix.scalar.gpr[thread][i], 1000 * thread + i);
        }
    }
    uint32_t value;
    assert_refused(fixture, mmio_load(&fixture->tile, T0, 0xFFE00100, 4, &value), BH_UNDEFINED_BEHAVIOR,
                   "no register there");
    assert_refused(fixture, mmio_store(&fixture->tile, B, 0xFFE00300, 4, 0), BH_UNDEFINED_BEHAVIOR,
                   "no register there");
}

/* BackendConfiguration.md: Config[2], ConfigDualWrite, ThreadConfig[3] in sequence. */
static void configuration_has_two_banks_and_a_dual_write_copy(void **context)
{
    struct fixture *fixture = *context;
    uint32_t base = 0xFFEF0000, bank = 4 * 224;
    store(fixture, T0, base + 4 * 12, 0x11111111);
    store(fixture, B, base + bank + 4 * 12, 0x22222222);
    assert_int_equal(load(fixture, T2, base + 4 * 12), 0x11111111);
    assert_int_equal(load(fixture, T2, base + bank + 4 * 12), 0x22222222);
    store(fixture, T1, base + 2 * bank + 4 * 12, 0x33333333);
    assert_int_equal(load(fixture, T2, base + 4 * 12), 0x33333333);
    assert_int_equal(load(fixture, T2, base + bank + 4 * 12), 0x33333333);
    fixture->state->tensix.config.thread[2][67] = 0xbeef;
    assert_int_equal(load(fixture, B, base + 3 * bank + 4 * (2 * 68 + 67)), 0xbeef);
    assert_refused(fixture, mmio_store(&fixture->tile, B, base + 3 * bank, 4, 0), BH_UNDEFINED_BEHAVIOR, "SETC16");
    assert_refused(fixture, mmio_store(&fixture->tile, B, base + 3 * bank + 4 * 3 * 68, 4, 0), BH_UNDEFINED_BEHAVIOR,
                   "no register there");
    assert_int_equal(fixture->state->diagnostics.count, 0);
    assert_int_equal(load(fixture, B, base + 2 * bank + 4 * 12), 0x33333333);
    assert_int_equal(fixture->state->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

/* BackendConfiguration.md: a store by a core has the side effects that WRCFG has. */
static void stores_to_configuration_have_its_side_effects(void **context)
{
    enum { GLOBAL = 180 };
    struct fixture *fixture = *context;
    const struct tensix_state *tensix = &fixture->state->tensix;
    uint32_t base = 0xFFEF0000, bank = 4 * 224, narrow;
    for (unsigned i = 0; i < GLOBAL; i++) {
        if (i == STATE_RESET_EN_ADDR32) {
            continue;
        }
        store(fixture, B, base + 4 * i, i);
        store(fixture, B, base + bank + 4 * i, i);
    }
    store(fixture, B, base + 4 * 200, 0x600d);
    assert_int_equal(tensix->config.bank[1][200], 0x600d); /* a global word */
    store(fixture, T1, base + bank + 4 * STATE_RESET_EN_ADDR32, 1);
    for (unsigned i = 0; i < GLOBAL; i++) {
        assert_int_equal(tensix->config.bank[0][i], i == STATE_RESET_EN_ADDR32 ? 0 : i);
        assert_int_equal(tensix->config.bank[1][i], 0);
    }
    assert_int_equal(tensix->config.bank[1][200], 0x600d);
    store(fixture, B, base + 4 * PRNG_SEED_Seed_Val_ADDR32, 5);
    uint32_t lane = tensix->vector.prng[3];
    store(fixture, B, base + 4 * PRNG_SEED_Seed_Val_ADDR32, 6);
    assert_int_not_equal(tensix->vector.prng[3], lane);
    store(fixture, B, base + 4 * PRNG_SEED_Seed_Val_ADDR32, 5);
    assert_int_equal(tensix->vector.prng[3], lane);
    store(fixture, B, base + 4 * 12, 0x89abcdef);
    assert_int_equal(mmio_load(&fixture->tile, T0, base + 4 * 12 + 1, 1, &narrow), STEP_DONE);
    assert_int_equal(narrow, 0xcd);
    assert_int_equal(mmio_load(&fixture->tile, T0, base + 4 * 12 + 2, 2, &narrow), STEP_DONE);
    assert_int_equal(narrow, 0x89ab);
}

static void the_debug_registers_read_configuration(void **context)
{
    struct fixture *fixture = *context;
    store(fixture, B, 0xFFEF0000 + 4 * 13, 0xabcd);
    store(fixture, MMIO_NOC, 0xFFB12058, 13);
    assert_int_equal(load(fixture, NC, 0xFFB12078), 0xabcd);
    fixture->state->tensix.config.thread[1][5] = 0x77;
    store(fixture, MMIO_NOC, 0xFFB12058, 0xfffff800 | (3 * 224 + 68 + 5)); /* low eleven bits */
    assert_int_equal(load(fixture, NC, 0xFFB12078), 0x77);
}

static void instructions_are_pushed_to_the_right_thread(void **context)
{
    struct fixture *fixture = *context;
    struct frontend *frontend = fixture->state->tensix.frontend;
    fixture->state->diagnostics.now.pc = 0x1234;
    for (unsigned thread = 0; thread < 3; thread++) {
        store(fixture, T0 + thread, 0xFFE40000, 0x02000000);
        assert_int_equal(frontend[thread].fifo.count, 1);
        assert_int_equal(frontend[thread].fifo.entries[frontend[thread].fifo.head].pc, 0x1234);
        store(fixture, B, 0xFFE40000 + 0x10000 * thread, 0x02000000);
        assert_int_equal(frontend[thread].after_mop.count, 1);
    }
    /* INSTRN_BUF_STATUS: no FIFO is full, none is empty. */
    assert_int_equal(load(fixture, MMIO_NOC, 0xFFB120A8), 0x7);
    (void)tensix_drain(&fixture->tile.tensix);
    assert_int_equal(load(fixture, MMIO_NOC, 0xFFB120A8), 0x77);
    for (unsigned thread = 0; thread < 3; thread++) {
        assert_int_equal(frontend[thread].passed, 2);
    }
}

static void the_debug_bus_pushes_instructions(void **context)
{
    struct fixture *fixture = *context;
    store(fixture, MMIO_NOC, 0xFFB120A4, 0x02000000);
    store(fixture, MMIO_NOC, 0xFFB120A0, 0x02);
    store(fixture, MMIO_NOC, 0xFFB120A0, 0x22);
    assert_int_equal(fixture->state->tensix.frontend[1].after_mop.count, 1);
    store(fixture, MMIO_NOC, 0xFFB120A0, 0x22); /* no edge */
    assert_int_equal(fixture->state->tensix.frontend[1].after_mop.count, 1);
    store(fixture, B, 0xFFE50000, 0x02000000); /* discarded */
    assert_int_equal(fixture->state->tensix.frontend[1].after_mop.count, 1);
    assert_int_equal(fixture->state->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

static void the_mop_expander_is_configured(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned thread = 0; thread < 3; thread++) {
        for (unsigned i = 0; i < 9; i++) {
            store(fixture, T0 + thread, 0xFFB80000 + 4 * i, 10 * thread + i);
            assert_int_equal(fixture->state->tensix.frontend[thread].mop.config[i], 10 * thread + i);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(local_ram_shows_on_the_slow_path),
        TEST(the_noc_writes_local_ram_in_any_size),
        TEST(gprs_show_to_b_and_to_their_core),
        TEST(configuration_has_two_banks_and_a_dual_write_copy),
        TEST(stores_to_configuration_have_its_side_effects),
        TEST(the_debug_registers_read_configuration),
        TEST(instructions_are_pushed_to_the_right_thread),
        TEST(the_debug_bus_pushes_instructions),
        TEST(the_mop_expander_is_configured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
