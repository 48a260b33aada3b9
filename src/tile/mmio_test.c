/* Who may access what, and how wide: BabyRISCV/README.md, memory map. */
#include "tile/fixture.h"

/* Columns of the documentation's table, written down independently of tables/mmio.def: B, T0, T1, T2, NC, NoC. */
static const struct {
    uint32_t first, last;
    bool may[6];
} map[] = {
    {0xFFB00000, 0xFFB00FFF, {1, 1, 1, 1, 1, 0}}, {0xFFB01000, 0xFFB01FFF, {1, 0, 0, 0, 1, 0}},
    {0xFFB11000, 0xFFB11FFF, {1, 1, 1, 1, 0, 0}}, {0xFFB12000, 0xFFB12FFF, {1, 1, 1, 1, 1, 1}},
    {0xFFB13000, 0xFFB13137, {1, 1, 1, 1, 1, 1}}, {0xFFB13138, 0xFFB1314B, {1, 1, 1, 1, 1, 1}},
    {0xFFB14000, 0xFFB15FFF, {1, 1, 1, 1, 1, 1}}, {0xFFB16000, 0xFFB17FFF, {1, 1, 1, 1, 1, 1}},
    {0xFFB18000, 0xFFB19FFF, {1, 1, 1, 1, 1, 1}}, {0xFFB1A000, 0xFFB1BFFF, {1, 1, 1, 1, 1, 1}},
    {0xFFB1C000, 0xFFB1DFFF, {1, 1, 1, 1, 1, 1}}, {0xFFB20000, 0xFFB2FFFF, {1, 1, 1, 1, 1, 1}},
    {0xFFB30000, 0xFFB3FFFF, {1, 1, 1, 1, 1, 1}}, {0xFFB40000, 0xFFB7FFFF, {1, 1, 1, 1, 1, 1}},
    {0xFFB80000, 0xFFB80023, {0, 1, 1, 1, 0, 0}}, {0xFFBD8000, 0xFFBDFFFF, {0, 1, 1, 1, 0, 0}},
    {0xFFE00000, 0xFFE00FFF, {1, 1, 1, 1, 0, 0}}, {0xFFE40000, 0xFFE4FFFF, {1, 1, 1, 1, 0, 0}},
    {0xFFE50000, 0xFFE5FFFF, {1, 0, 0, 0, 0, 0}}, {0xFFE60000, 0xFFE6FFFF, {1, 0, 0, 0, 0, 0}},
    {0xFFE80000, 0xFFE8FFFF, {1, 1, 1, 1, 0, 0}}, {0xFFE90000, 0xFFE9FFFF, {1, 0, 0, 0, 0, 0}},
    {0xFFEA0000, 0xFFEAFFFF, {1, 0, 0, 0, 0, 0}}, {0xFFEC0000, 0xFFEC3FFF, {1, 1, 1, 1, 0, 0}},
    {0xFFEF0000, 0xFFEFFFFF, {1, 1, 1, 1, 0, 0}},
};

static bool documented(unsigned agent, uint32_t address)
{
    for (unsigned i = 0; i < sizeof map / sizeof map[0]; i++) {
        if (address >= map[i].first && address <= map[i].last) {
            return map[i].may[agent];
        }
    }
    return false;
}

static bool mapped(unsigned agent, uint32_t address)
{
    return mmio_allows(agent, address, false) || mmio_allows(agent, address, true);
}

static void each_region_is_open_to_those_that_the_documentation_names(void **context)
{
    for (uint32_t address = 0xFFB00000; address != 0; address += 4) {
        for (unsigned agent = 0; agent <= MMIO_NOC; agent++) {
            if (mapped(agent, address) != documented(agent, address)) {
                fail_msg("0x%08x: %s", address, mmio_agent_name(agent));
            }
        }
        assert_int_equal(mapped(MMIO_COPROCESSOR, address), mapped(MMIO_NOC, address));
    }
}

static void what_is_not_mapped_is_named(void **context)
{
    struct fixture *fixture = *context;
    uint32_t value;
    static const uint32_t nowhere[] = {0x00180000, 0x12345678, 0xFFAFFFFC, 0xFFB02000, 0xFFB1E000,
                                       0xFFB80024, 0xFFC00000, 0xFFE01000, 0xFFEB0000, 0xFFF00000};
    for (unsigned i = 0; i < sizeof nowhere / sizeof nowhere[0]; i++) {
        for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
            char address[16];
            snprintf(address, sizeof address, "0x%08x", nowhere[i]);
            assert_refused(fixture, mmio_load(&fixture->tile, core, nowhere[i], 4, &value), BH_UNDEFINED_BEHAVIOR,
                           address);
            assert_refused(fixture, mmio_store(&fixture->tile, core, nowhere[i], 4, 1), BH_UNDEFINED_BEHAVIOR,
                           "nothing is mapped");
        }
    }
}

static void a_forbidden_core_is_told_who_may(void **context)
{
    struct fixture *fixture = *context;
    uint32_t value;
    assert_refused(fixture, mmio_store(&fixture->tile, BH_CORE_NC, 0xFFE40000, 4, 0), BH_UNDEFINED_BEHAVIOR,
                   "store by NC at 0xffe40000: PUSH (Tensix instruction push) is mapped for B, T0, T1, T2 only");
    assert_refused(fixture, mmio_load(&fixture->tile, BH_CORE_B, 0xFFBD8000, 4, &value), BH_UNDEFINED_BEHAVIOR,
                   "mapped for T0, T1, T2 only");
    assert_refused(fixture, mmio_load(&fixture->tile, MMIO_NOC, 0xFFEF0000, 4, &value), BH_UNDEFINED_BEHAVIOR,
                   "load by the NoC at 0xffef0000");
    assert_refused(fixture, mmio_load(&fixture->tile, BH_CORE_T1, 0xFFB01000, 4, &value), BH_UNDEFINED_BEHAVIOR,
                   "B, NC only");
}

static void directions_and_widths_are_checked(void **context)
{
    struct fixture *fixture = *context;
    uint32_t value;
    assert_refused(fixture, mmio_load(&fixture->tile, BH_CORE_T0, 0xFFE40000, 4, &value), BH_UNDEFINED_BEHAVIOR,
                   "write-only");
    assert_refused(fixture, mmio_load(&fixture->tile, BH_CORE_T0, 0xFFB80000, 4, &value), BH_UNDEFINED_BEHAVIOR,
                   "write-only");
    assert_refused(fixture, mmio_store(&fixture->tile, BH_CORE_T0, 0xFFB13138, 4, 0), BH_UNDEFINED_BEHAVIOR,
                   "read-only");
    assert_refused(fixture, mmio_store(&fixture->tile, BH_CORE_T0, 0xFFEF0002, 2, 0), BH_UNDEFINED_BEHAVIOR,
                   "store of 2 bytes by T0 at 0xffef0002: CONFIG (Tensix backend configuration) takes words only");
    assert_refused(fixture, mmio_load(&fixture->tile, BH_CORE_T0, 0xFFEC0001, 1, &value), BH_UNDEFINED_BEHAVIOR,
                   "load of 1 byte");
}

static void a_narrow_load_takes_its_bytes_out_of_the_word(void **context)
{
    struct fixture *fixture = *context;
    store(fixture, BH_CORE_T0, 0xFFE00008, 0x89abcdef);
    uint32_t value;
    assert_int_equal(mmio_load(&fixture->tile, BH_CORE_T0, 0xFFE00009, 1, &value), STEP_DONE);
    assert_int_equal(value, 0xcd);
    assert_int_equal(mmio_load(&fixture->tile, BH_CORE_T0, 0xFFE0000a, 2, &value), STEP_DONE);
    assert_int_equal(value, 0x89ab);
}

/* PushTensixInstruction.md: "attempting to store here will hang the RISCV". */
static void pushing_to_another_thread_hangs_when_it_is_let(void **context)
{
    struct fixture *fixture = *context;
    assert_refused(fixture, mmio_store(&fixture->tile, BH_CORE_T0, 0xFFE50000, 4, 0), BH_UNDEFINED_BEHAVIOR,
                   "mapped for B only");
    diagnostics_set_policy(&fixture->state->diagnostics, BH_POLICY_SILICON);
    assert_int_equal(mmio_store(&fixture->tile, BH_CORE_T0, 0xFFE50000, 4, 0), STEP_WAIT);
}

static void every_named_register_is_found_by_its_address(void **context)
{
    unsigned count;
    const struct mmio_register *named = mmio_registers(&count);
    for (unsigned i = 0; i < count; i++) {
        assert_ptr_equal(mmio_register_at(named[i].address), &named[i]);
        assert_true(i == 0 || named[i - 1].address < named[i].address);
        assert_int_not_equal(mmio_region_at(named[i].address), MMIO_UNMAPPED);
    }
    assert_string_equal(mmio_register_at(0xFFB3181C)->name, "NOC_CTRL");
    assert_string_equal(mmio_register_at(0xFFB70438)->name, "STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE");
    assert_null(mmio_register_at(0xFFB12FF0));
    assert_string_equal(mmio_counter_name(0xFFB20208), "NIU_MST_RD_RESP_RECEIVED");
    assert_string_equal(mmio_counter_name(0xFFB30204), "NIU_MST_WR_ACK_RECEIVED");
    assert_null(mmio_counter_name(0xFFB20148));
}

static uint32_t random_word(void)
{
    return (uint32_t)rand() << 16 ^ (uint32_t)rand();
}

/* An address in or near some region, not where instructions are pushed. */
static uint32_t random_address(void)
{
    uint32_t address;
    do {
        const struct mmio_region *region = mmio_region((enum mmio_region_index)(random_word() % MMIO_REGIONS));
        uint32_t length = region->last - region->first + 1;
        switch (random_word() % 4) {
        case 0: address = region->first + random_word() % 0x100; break;
        case 1: address = region->last - random_word() % 0x10; break;
        case 2: address = random_word(); break;
        default: address = region->first + random_word() % length; break;
        }
    } while (address >> 20 == 0xffe && (address >> 16 & 0xf) >= 4 && (address >> 16 & 0xf) <= 6);
    return address;
}

/* Any access of cores, coprocessor and NoC to registers gets an answer and does not crash. */
static void random_accesses_are_answered(void **context)
{
    struct fixture *fixture = *context;
    struct diagnostics *diagnostics = &fixture->state->diagnostics;
    srand(7);
    for (unsigned i = 0; i < 300000; i++) {
        diagnostics_set_policy(diagnostics, i % 2 ? BH_POLICY_SILICON : BH_POLICY_STRICT);
        unsigned agent = random_word() % MMIO_AGENTS, size = 1u << random_word() % 3;
        uint32_t address = random_address() & ~(size - 1), value = random_word() >> random_word() % 32;
        if ((address & ~3u) == MMIO_ADDRESS_INSTRN_BUF_CTRL0) {
            continue;
        }
        enum step step = random_word() % 2 ? mmio_load(&fixture->tile, agent, address, size, &value)
                                           : mmio_store(&fixture->tile, agent, address, size, value);
        assert_in_range(step, STEP_DONE, STEP_STOP);
        assert_int_equal(step == STEP_STOP, diagnostics->stopped);
        diagnostics->stopped = false;
        diagnostics->count = 0;
    }
}

/* The same for transfers of any size from outside the tile. */
static void random_transfers_are_answered(void **context)
{
    struct fixture *fixture = *context;
    struct diagnostics *diagnostics = &fixture->state->diagnostics;
    static uint8_t data[8192];
    srand(8);
    for (unsigned i = 0; i < 100000; i++) {
        uint64_t address = random_word() % 4 ? random_address() : random_word() % (2 * L1_SIZE);
        address |= random_word() % 16 ? 0 : (uint64_t)random_word() << 32;
        uint32_t size = random_word() % 2 ? 4 * (random_word() % 16) : random_word() % sizeof data;
        enum step step = random_word() % 2 ? tile_read(&fixture->tile, address, data, size)
                                           : tile_write(&fixture->tile, address, data, size);
        assert_int_not_equal(step, STEP_WAIT);
        diagnostics->stopped = false;
        diagnostics->count = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_region_is_open_to_those_that_the_documentation_names),
        TEST(what_is_not_mapped_is_named),
        TEST(a_forbidden_core_is_told_who_may),
        TEST(directions_and_widths_are_checked),
        TEST(a_narrow_load_takes_its_bytes_out_of_the_word),
        TEST(pushing_to_another_thread_hangs_when_it_is_let),
        TEST(every_named_register_is_found_by_its_address),
        TEST(random_accesses_are_answered),
        TEST(random_transfers_are_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
