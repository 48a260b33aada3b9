/* Dst.md, "RISCV access to Dst": every format, loads and stores, against the documentation's functions, written here
   as functions of the bits in hardware's order. */
#include "isa/tensix_isa.h"
#include "tensix/units/dispatch.h"
#include "tile/fixture.h"

enum { T0 = BH_CORE_T0, T1 = BH_CORE_T1, T2 = BH_CORE_T2 };

static const uint32_t dst_base = 0xFFBD8000;

struct settings {
    unsigned fmt;
    bool no_swizzle, unsigned_int;
};

/* Word 3 of Config: sections of five bits from bit 14 on: no_swizzle, unsigned_int, fmt. */
static void configure(struct fixture *fixture, unsigned thread, struct settings settings)
{
    uint32_t *word = &fixture->state->tensix.config.bank[0][3];
    unsigned shift = 14 + 5 * thread;
    *word &= ~(0x1fu << shift);
    *word |= (settings.no_swizzle | (uint32_t)settings.unsigned_int << 1 | settings.fmt << 2) << shift;
}

static uint16_t cell_bits(struct fixture *fixture, unsigned row, unsigned column)
{
    return dst_to_hardware(fixture->state->tensix.dst.rows[row][column]);
}

static uint32_t bits32(struct fixture *fixture, unsigned row, unsigned column)
{
    unsigned adjusted = (row & 0x1f8) << 1 | (row & 0x207);
    return (uint32_t)cell_bits(fixture, adjusted, column) << 16 | cell_bits(fixture, adjusted + 8, column);
}

/* The documentation's stores: the value of the cell afterwards. */

static uint32_t documented_store32(struct settings settings, uint32_t value)
{
    if (settings.fmt == 1 && !settings.no_swizzle && value >= 0x80000000u) {
        value = 0x80000000u | -(value + (value == 0x80000000u));
    }
    return settings.no_swizzle ? value : (value & 0x8000ffff) | (value & 0x7f800000) >> 7 | (value & 0x007f0000) << 8;
}

static uint16_t documented_store16(struct settings settings, uint16_t value)
{
    if (settings.fmt == 2 && !settings.no_swizzle) {
        return (uint16_t)((value & 0x8000) | (value & 0x7c00) >> 10 | (value & 0x03ff) << 5);
    }
    if (settings.fmt == 3 && !settings.no_swizzle) {
        return (uint16_t)((value & 0x8000) | (value & 0x7f80) >> 7 | (value & 0x007f) << 8);
    }
    if (settings.fmt == 4 && !settings.no_swizzle && !settings.unsigned_int && value >= 0x8000) {
        return (uint16_t)(0x8000 | -(value + (value == 0x8000)));
    }
    return value;
}

static uint16_t documented_store8(struct settings settings, uint8_t value)
{
    if (settings.no_swizzle || settings.unsigned_int || value < 0x80) {
        return (uint16_t)(value << 5 | (value ? 16 : 0));
    }
    uint8_t magnitude = (uint8_t)(0x180 - value - (value == 0x80));
    return (uint16_t)(0x8000 | magnitude << 5 | 16);
}

/* The documentation's loads: the value read from a cell. */

static uint32_t documented_load32(struct settings settings, uint32_t bits)
{
    uint32_t value = bits;
    if (!settings.no_swizzle) {
        value = (value & 0x8000ffff) | (value & 0x7f000000) >> 8 | (value & 0x00ff0000) << 7;
    }
    return settings.fmt == 1 && !settings.no_swizzle && value >= 0x80000000u ? -(value & 0x7fffffff) : value;
}

static uint16_t documented_load16(struct settings settings, uint16_t bits)
{
    if (settings.fmt == 2 && !settings.no_swizzle) {
        return (uint16_t)((bits & 0x8000) | (bits & 0x7fe0) >> 5 | (bits & 0x001f) << 10);
    }
    if (settings.fmt == 3 && !settings.no_swizzle) {
        return (uint16_t)((bits & 0x8000) | (bits & 0x7f00) >> 8 | (bits & 0x00ff) << 7);
    }
    if (settings.fmt == 4 && !settings.no_swizzle && !settings.unsigned_int && bits >= 0x8000) {
        return (uint16_t) - (bits & 0x7fff);
    }
    return bits;
}

static uint8_t documented_load8(struct settings settings, uint16_t bits)
{
    if (settings.no_swizzle || settings.unsigned_int) {
        return (uint8_t)(bits >> 5);
    }
    uint8_t magnitude = bits >> 5 & 0x7f;
    return (uint8_t)(bits & 0x8000 ? -magnitude : magnitude);
}

static uint32_t random_word(void)
{
    return (uint32_t)rand() << 16 ^ (uint32_t)rand();
}

/* Values that conversions treat specially, then random ones. */
static uint32_t operand(unsigned i)
{
    static const uint32_t special[] = {0,          1,          0x7fffffff, 0x80000000, 0x80000001,
                                       0xffffffff, 0x7f800000, 0xff800000, 0x00008000, 0x00007fff,
                                       0x00000080, 0x0000007f, 0x000000ff, 0x8080};
    return i < sizeof special / sizeof special[0] ? special[i] : random_word();
}

static void check(struct fixture *fixture, unsigned thread, struct settings settings, unsigned row, unsigned column,
                  uint32_t value)
{
    unsigned size = settings.fmt < 2 ? 4 : settings.fmt < 5 ? 2 : 1;
    uint32_t address = dst_base + (row * 16 + column) * size, read;
    unsigned agent = T0 + thread;
    assert_int_equal(mmio_store(&fixture->tile, agent, address, size, value), STEP_DONE);
    assert_int_equal(mmio_load(&fixture->tile, agent, address, size, &read), STEP_DONE);
    if (size == 4) {
        assert_int_equal(bits32(fixture, row, column), documented_store32(settings, value));
        assert_int_equal(read, documented_load32(settings, bits32(fixture, row, column)));
    } else if (size == 2) {
        assert_int_equal(cell_bits(fixture, row, column), documented_store16(settings, (uint16_t)value));
        assert_int_equal(read, documented_load16(settings, cell_bits(fixture, row, column)));
    } else {
        assert_int_equal(cell_bits(fixture, row, column), documented_store8(settings, (uint8_t)value));
        assert_int_equal(read, documented_load8(settings, cell_bits(fixture, row, column)));
    }
}

static void every_format_converts_as_documented(void **context)
{
    struct fixture *fixture = *context;
    srand(1);
    for (unsigned fmt = 0; fmt < 6; fmt++) {
        for (unsigned flags = 0; flags < 4; flags++) {
            struct settings settings = {fmt, flags & 1, flags & 2};
            for (unsigned thread = 0; thread < 3; thread++) {
                configure(fixture, thread, settings);
                for (unsigned i = 0; i < 300; i++) {
                    unsigned rows = fmt < 2 ? 512 : 1024;
                    check(fixture, thread, settings, random_word() % rows, random_word() % 16, operand(i));
                }
            }
        }
    }
}

static void threads_have_settings_of_their_own(void **context)
{
    struct fixture *fixture = *context;
    configure(fixture, 0, (struct settings){0, false, false});
    configure(fixture, 1, (struct settings){3, false, false});
    configure(fixture, 2, (struct settings){5, false, true});
    assert_int_equal(mmio_store(&fixture->tile, T0, dst_base, 4, 0x3f800000), STEP_DONE);
    uint32_t value;
    assert_int_equal(mmio_load(&fixture->tile, T1, dst_base, 2, &value), STEP_DONE);
    assert_int_equal(value, 0x3f80); /* the high half has the bits of BF16 */
    assert_refused(fixture, mmio_load(&fixture->tile, T0, dst_base, 2, &value), BH_UNDEFINED_BEHAVIOR,
                   "elements are of 4 bytes");
    assert_refused(fixture, mmio_load(&fixture->tile, T1, dst_base, 4, &value), BH_UNDEFINED_BEHAVIOR,
                   "access of 4 bytes by T1");
}

static void the_settings_of_the_current_bank_count(void **context)
{
    struct fixture *fixture = *context;
    fixture->state->tensix.config.bank[1][3] = 3u << (14 + 2);
    fixture->state->tensix.config.thread[0][CFG_STATE_ID_StateID_ADDR32] = 1;
    uint32_t value;
    assert_int_equal(mmio_load(&fixture->tile, T0, dst_base, 2, &value), STEP_DONE);
}

static void t2_takes_several_elements_at_once(void **context)
{
    struct fixture *fixture = *context;
    configure(fixture, 2, (struct settings){3, false, false});
    assert_int_equal(mmio_store(&fixture->tile, T2, dst_base + 32, 4, 0x40003f80), STEP_DONE);
    assert_int_equal(fixture->state->tensix.dst.rows[1][0], 0x3f80);
    assert_int_equal(fixture->state->tensix.dst.rows[1][1], 0x4000);
    assert_int_equal(load(fixture, T2, dst_base + 32), 0x40003f80);
    configure(fixture, 2, (struct settings){5, false, true});
    assert_int_equal(mmio_store(&fixture->tile, T2, dst_base + 16, 4, 0x04030201), STEP_DONE);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(cell_bits(fixture, 1, i), (i + 1) << 5 | 16);
    }
}

/* remap_addrs and swizzle_32b permute the rows of all agents alike: a core finds a unit's data at the row to which the
   unit wrote them. */
static void rows_are_those_of_the_units_whatever_the_mapping_is(void **context)
{
    struct fixture *fixture = *context;
    uint32_t *access = &fixture->state->tensix.config.bank[0][DEST_ACCESS_CFG_remap_addrs_ADDR32];
    configure(fixture, 0, (struct settings){3, false, false});
    *access = DEST_ACCESS_CFG_remap_addrs_MASK;
    assert_int_equal(mmio_store(&fixture->tile, T0, dst_base + 32 * 0x08, 2, 0x1111), STEP_DONE);
    assert_int_equal(fixture->state->tensix.dst.rows[0x08][0], 0x1111);
    *access = DEST_ACCESS_CFG_swizzle_32b_MASK;
    configure(fixture, 0, (struct settings){0, false, false});
    assert_int_equal(mmio_store(&fixture->tile, T0, dst_base + 64 * 0x04, 4, 0x22223333), STEP_DONE);
    assert_int_equal(fixture->state->tensix.dst.rows[dst_row32(4)][0], 0x2222);
}

static void rows_of_16_bits_can_be_high_halves(void **context)
{
    struct fixture *fixture = *context;
    fixture->state->tensix.dst.only_row32 = true; /* bit 11 of DBG_FEATURE_DISABLE */
    configure(fixture, 0, (struct settings){3, false, false});
    assert_int_equal(mmio_store(&fixture->tile, T0, dst_base + 32 * 0x18, 2, 0x1111), STEP_DONE);
    assert_int_equal(fixture->state->tensix.dst.rows[0x30][0], 0x1111);
    uint32_t value;
    assert_int_equal(mmio_load(&fixture->tile, T0, dst_base + 32 * 0x18, 2, &value), STEP_DONE);
    assert_int_equal(value, 0x1111);
    configure(fixture, 0, (struct settings){0, false, false});
    assert_int_equal(load(fixture, T0, dst_base + 64 * 0x18) >> 16, 0x1111);
}

static void a_row_that_is_not_valid_reads_as_zero(void **context)
{
    struct fixture *fixture = *context;
    configure(fixture, 0, (struct settings){3, false, false});
    fixture->state->tensix.dst.rows[7][3] = 0x1234;
    fixture->state->tensix.dst.valid[7] = 0;
    uint32_t value;
    assert_int_equal(mmio_load(&fixture->tile, T0, dst_base + 2 * (7 * 16 + 3), 2, &value), STEP_DONE);
    assert_int_equal(value, 0);
    assert_int_equal(mmio_store(&fixture->tile, T0, dst_base + 2 * (7 * 16 + 4), 2, 0x5678), STEP_DONE);
    assert_int_equal(fixture->state->tensix.dst.valid[7], 1);
}

static void reserved_formats_and_ends_are_refused(void **context)
{
    struct fixture *fixture = *context;
    uint32_t value;
    configure(fixture, 0, (struct settings){6, false, false});
    assert_refused(fixture, mmio_load(&fixture->tile, T0, dst_base, 4, &value), BH_UNDEFINED_BEHAVIOR, "reserved");
    configure(fixture, 0, (struct settings){5, false, false});
    assert_int_equal(mmio_load(&fixture->tile, T0, dst_base + 0x3fff, 1, &value), STEP_DONE);
    assert_refused(fixture, mmio_load(&fixture->tile, T0, dst_base + 0x4000, 1, &value), BH_UNDEFINED_BEHAVIOR,
                   "no register there");
}

/* An SFPLOADMACRO has scheduled SFPNOT for the next cycle and a store for the third; no instruction follows it. */
static void schedule_a_store(struct fixture *fixture)
{
    enum { UINT16 = 6, SIMPLE_TEMPLATE_0 = 4, STORE_AFTER_2 = (2 << 3 | 3) << 24 };
    struct vector_unit *vector = &fixture->state->tensix.vector;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        vector->load_macro.instruction_template[0][lane] = (uint32_t)TENSIX_OPCODE_SFPNOT << 24;
        vector->load_macro.sequence[0][lane] = SIMPLE_TEMPLATE_0 | STORE_AFTER_2;
        vector->load_macro.misc[lane] = UINT16;
    }
    configure(fixture, 1, (struct settings){3, true, false});
    uint32_t macro = (uint32_t)TENSIX_OPCODE_SFPLOADMACRO << 24 | UINT16 << 16;
    assert_int_equal(tensix_execute(&fixture->tile.tensix, 1, macro, 0), STEP_DONE);
    assert_int_equal(cell_bits(fixture, 0, 0), 0);
}

static void loads_see_what_was_scheduled(void **context)
{
    struct fixture *fixture = *context;
    uint32_t value;
    schedule_a_store(fixture);
    assert_int_equal(mmio_load(&fixture->tile, T1, dst_base, 2, &value), STEP_DONE);
    assert_int_equal(value, 0xffff);
}

/* In timed mode, when it has been stored by the core's clock. */
static void loads_see_in_timed_mode_what_has_been_stored(void **context)
{
    enum { ISSUED_AT = 1000, STORED_AT = 1003 };
    struct fixture *fixture = *context;
    uint32_t value;
    schedule_a_store(fixture);
    fixture->tile.tensix.timed = true;
    fixture->state->tensix.timing.vector.cycle = ISSUED_AT + 1;
    for (uint64_t now = ISSUED_AT + 1; now < ISSUED_AT + 8; now++) {
        clock_reach(&fixture->state->clock, T1, now);
        assert_int_equal(mmio_load(&fixture->tile, T1, dst_base, 2, &value), STEP_DONE);
        assert_int_equal(value, now > STORED_AT ? 0xffff : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_format_converts_as_documented),
        TEST(threads_have_settings_of_their_own),
        TEST(the_settings_of_the_current_bank_count),
        TEST(t2_takes_several_elements_at_once),
        TEST(rows_are_those_of_the_units_whatever_the_mapping_is),
        TEST(rows_of_16_bits_can_be_high_halves),
        TEST(a_row_that_is_not_valid_reads_as_zero),
        TEST(reserved_formats_and_ends_are_refused),
        TEST(loads_see_what_was_scheduled),
        TEST(loads_see_in_timed_mode_what_has_been_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
