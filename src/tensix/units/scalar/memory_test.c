/* LOADIND, STOREIND, LOADREG, STOREREG, as chapter "gpr and dma instructions" and the ISA documentation's LOADIND.md,
   STOREIND_L1.md, STOREIND_MMIO.md, STOREIND_Src.md, LOADREG.md and STOREREG.md state them. */
#include "tensix/tensix_fixture.h"

static const unsigned increments[] = {0, 2, 4, 16};
static const unsigned sizes[] = {16, 4, 2, 1};

static void fill_l1(struct fixture *f, uint64_t *seed)
{
    for (unsigned i = 0; i < 4096; i++) {
        f->l1_bytes[i] = f->l1_bytes[L1_SIZE - 4096 + i] = (uint8_t)xorshift64_word(seed);
    }
}

/* An address of L1 around which fill_l1() has filled the memory, as the two registers that give it: in units of 16
   bytes, and bytes. */
static uint32_t choose_address(uint64_t *seed, uint32_t *base, uint16_t *offset)
{
    uint32_t address = xorshift64_word(seed) % 4096;
    if (xorshift64_word(seed) & 1) {
        address += L1_SIZE - 4096;
    }
    *offset = (uint16_t)(xorshift64_word(seed) % 65536);
    *offset = (uint16_t)((*offset & ~15) | (address & 15));
    *base = (address - *offset) / 16; /* may wrap below zero, as the sum does */
    return address;
}

static void loadind_and_storeind_follow_the_functional_models(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = 7;
    uint8_t *l1 = malloc(L1_SIZE);
    for (unsigned round = 0; round < 20000; round++) {
        uint32_t random = xorshift64_word(&seed);
        unsigned size = random & 3, increment = random >> 2 & 3, data = random >> 4 & 63,
                 address_reg = random >> 10 & 63;
        unsigned half = random >> 16 & 127, store = random >> 23 & 1, thread = round % 3;
        if (half / 2 == address_reg) {
            continue; /* the test writes the two in sequence */
        }
        uint32_t *gpr = f->state.scalar.gpr[thread];
        for (unsigned i = 0; i < GPRS; i++) {
            gpr[i] = xorshift64_word(&seed);
        }
        fill_l1(f, &seed);
        uint16_t offset;
        uint32_t address = choose_address(&seed, &gpr[address_reg], &offset);
        gpr_set_half(gpr, half, offset);
        assert_int_equal((uint32_t)(gpr[address_reg] * 16 + offset), address);
        uint32_t expected[GPRS];
        memcpy(expected, gpr, sizeof expected);
        memcpy(l1, f->l1_bytes, 4096);
        memcpy(l1 + L1_SIZE - 4096, f->l1_bytes + L1_SIZE - 4096, 4096);
        ((uint16_t *)expected)[half] = (uint16_t)(offset + increments[increment]);
        uint32_t aligned = address / sizes[size] * sizes[size];
        unsigned first = size == 0 ? data & 0x3c : data;
        if (store) {
            memcpy(l1 + aligned, &expected[first], sizes[size]);
            RUN_OK(f, thread, STOREIND, .MemHierSel = 1, .SizeSel = size >> 1, .RegSizeSel = size & 1,
                   .OffsetIndex = half, .AutoIncSpec = increment, .DataRegIndex = data, .AddrRegIndex = address_reg);
        } else {
            memcpy(&expected[first], l1 + aligned, sizes[size]);
            RUN_OK(f, thread, LOADIND, .SizeSel = size, .OffsetIndex = half, .AutoIncSpec = increment,
                   .DataRegIndex = data, .AddrRegIndex = address_reg);
        }
        assert_memory_equal(gpr, expected, sizeof expected);
        assert_memory_equal(f->l1_bytes, l1, 4096);
        assert_memory_equal(f->l1_bytes + L1_SIZE - 4096, l1 + L1_SIZE - 4096, 4096);
    }
    free(l1);
}

static void an_address_beyond_l1_is_undefined_and_changes_nothing(void **state)
{
    struct fixture *f = *state;
    uint32_t *gpr = f->state.scalar.gpr[0];
    gpr[1] = L1_SIZE / 16 - 1;
    gpr[2] = 16;
    ASSERT_STOPPED(f, RUN(f, 0, LOADIND, .AddrRegIndex = 1, .OffsetIndex = 4, .AutoIncSpec = 1, .DataRegIndex = 8),
                   BH_UNDEFINED_BEHAVIOR);
    ASSERT_STOPPED(f, RUN(f, 0, STOREIND, .MemHierSel = 1, .AddrRegIndex = 1, .OffsetIndex = 4, .AutoIncSpec = 1),
                   BH_UNDEFINED_BEHAVIOR);
    assert_int_equal(gpr[2], 16);
    gpr[2] = 15;
    RUN_OK(f, 0, LOADIND, .AddrRegIndex = 1, .OffsetIndex = 4, .SizeSel = 3, .DataRegIndex = 8);
}

/* Registers of the tile, with a record of the last access. */
struct tile_register {
    uint32_t address, value;
    unsigned loads, stores;
    enum step step;
};

static enum step load(void *context, uint32_t address, uint32_t *value)
{
    struct tile_register *r = context;
    if (r->step == STEP_DONE) {
        r->address = address;
        r->loads++;
        *value = r->value;
    }
    return r->step;
}

static enum step store(void *context, uint32_t address, uint32_t value)
{
    struct tile_register *r = context;
    if (r->step == STEP_DONE) {
        r->address = address;
        r->stores++;
        r->value = value;
    }
    return r->step;
}

static void connect(struct fixture *f, struct tile_register *r)
{
    f->tensix.bus = (struct tensix_bus){.context = r, .load = load, .store = store};
}

static void loadreg_and_storereg_reach_words_from_ffb11000_on(void **state)
{
    struct fixture *f = *state;
    struct tile_register r = {.value = 0xcafe, .step = STEP_DONE};
    connect(f, &r);
    static const uint32_t addresses[] = {0xffb11000, 0xffb40010, 0xffbffffc};
    for (unsigned i = 0; i < COUNT_OF(addresses); i++) {
        uint32_t low = (addresses[i] - 0xffb00000) >> 2;
        r.value = 100 + i;
        RUN_OK(f, 1, LOADREG, .TdmaDataRegIndex = 9, .RegAddr = low);
        assert_int_equal(r.address, addresses[i]);
        assert_int_equal(f->state.scalar.gpr[1][9], 100 + i);
        f->state.scalar.gpr[1][63] = 200 + i;
        RUN_OK(f, 1, STOREREG, .TdmaDataRegIndex = 63, .RegAddr = low);
        assert_int_equal(r.value, 200 + i);
    }
    assert_int_equal(r.loads, 3);
    assert_int_equal(r.stores, 3);
    uint32_t below = (0xffb10ffc - 0xffb00000) >> 2;
    ASSERT_STOPPED(f, RUN(f, 1, LOADREG, .RegAddr = below), BH_UNDEFINED_BEHAVIOR);
    ASSERT_STOPPED(f, RUN(f, 1, STOREREG, .RegAddr = below), BH_UNDEFINED_BEHAVIOR);
    r.step = STEP_WAIT;
    assert_int_equal(RUN(f, 1, LOADREG, .TdmaDataRegIndex = 9, .RegAddr = 0x10000), STEP_WAIT);
    assert_int_equal(f->state.scalar.gpr[1][9], 102);
}

/* Addr = 0xFFB00000 + ((GPR + (Offset >> 4)) & 0xFFFFC). */
static void storeind_to_mmio_takes_the_offset_in_sixteenths(void **state)
{
    struct fixture *f = *state;
    struct tile_register r = {.step = STEP_DONE};
    connect(f, &r);
    uint32_t *gpr = f->state.scalar.gpr[2];
    for (unsigned increment = 0; increment < 4; increment++) {
        gpr[4] = 0xabc40003;
        gpr[5] = 0x01251111;
        gpr[6] = 0x5555;
        RUN_OK(f, 2, STOREIND, .SizeSel = 1, .OffsetIndex = 11, .AutoIncSpec = increment, .DataRegIndex = 6,
               .AddrRegIndex = 4);
        assert_int_equal(r.address, 0xffb40014);
        assert_int_equal(r.value, 0x5555);
        assert_int_equal(gpr[5], 0x01251111 + (increments[increment] << 16));
    }
    gpr[4] = 0x10ffc;
    gpr[5] = 0;
    ASSERT_STOPPED(f, RUN(f, 2, STOREIND, .SizeSel = 1, .OffsetIndex = 11, .AutoIncSpec = 1, .AddrRegIndex = 4),
                   BH_UNDEFINED_BEHAVIOR);
    gpr[4] = 0x40000;
    r.step = STEP_WAIT;
    assert_int_equal(RUN(f, 2, STOREIND, .SizeSel = 1, .OffsetIndex = 11, .AutoIncSpec = 1, .AddrRegIndex = 4),
                     STEP_WAIT);
    assert_int_equal(gpr[5], 0);
    ASSERT_STOPPED(f, RUN(f, 2, STOREIND, .SizeSel = 1, .RegSizeSel = 1, .AddrRegIndex = 4), BH_UNDEFINED_BEHAVIOR);
}

/* -1.5, 2^-126, 1, 3: the low half of each register is sign, mantissa, exponent, the high half as BF16 is. */
static const uint32_t src_data[2] = {0x0080c07f, 0x4040007f};
static const uint32_t src_expected[4] = {0xbfc00000, 0x00800000, 0x3f800000, 0x40400000};

static void assert_stored(const struct src_register_file *src, unsigned bank, int row, unsigned column)
{
    for (unsigned b = 0; b < SRC_BANKS; b++) {
        for (int r = 0; r < SRC_ROWS; r++) {
            for (unsigned c = 0; c < ROW_COLUMNS; c++) {
                bool here = b == bank && r == row && c / 4 == column / 4;
                assert_int_equal(src->rows[b][r][c], here ? src_expected[c % 4] : 0);
            }
        }
    }
}

static void storeind_to_srcb_writes_four_bf16_behind_the_threads_row(void **state)
{
    struct fixture *f = *state;
    uint32_t *gpr = f->state.scalar.gpr[0];
    for (unsigned address = 0; address < 64; address++) {
        memset(&f->state.srcb, 0, sizeof f->state.srcb);
        f->state.srcb.unpacker_bank = address & 1;
        f->state.srcb.unpacker_row[0] = 32;
        memcpy(&gpr[8], src_data, sizeof src_data);
        gpr[1] = address - 3;
        gpr[2] = 3 << 4;
        RUN_OK(f, 0, STOREIND, .RegSizeSel = 1, .OffsetIndex = 4, .AutoIncSpec = 3, .DataRegIndex = 11,
               .AddrRegIndex = 1);
        assert_stored(&f->state.srcb, address & 1, 32 + (int)address / 4, address % 4 * 4);
        assert_int_equal(gpr[2], 4 << 4);
    }
    gpr[2] = 0;
    gpr[1] = 64;
    ASSERT_STOPPED(f, RUN(f, 0, STOREIND, .RegSizeSel = 1, .OffsetIndex = 4, .AddrRegIndex = 1), BH_UNDEFINED_BEHAVIOR);
    gpr[1] = 0x10000;
    ASSERT_STOPPED(f, RUN(f, 0, STOREIND, .RegSizeSel = 1, .OffsetIndex = 4, .AddrRegIndex = 1), BH_UNDEFINED_BEHAVIOR);
}

/* SrcA: four rows less; what lies before the first is dropped; SRCA_SET_SetOvrdWithAddr opens the whole bank. */
static void storeind_to_srca_counts_from_its_fifth_row(void **state)
{
    struct fixture *f = *state;
    uint32_t *gpr = f->state.scalar.gpr[1];
    for (unsigned whole = 0; whole < 2; whole++) {
        RUN_OK(f, 1, SETC16, .setc16_reg = SRCA_SET_SetOvrdWithAddr_ADDR32, .setc16_value = whole << 2);
        unsigned rows = whole ? 64 : 16;
        for (unsigned address = 0; address < 4 * (rows + 4); address++) {
            memset(&f->state.srca, 0, sizeof f->state.srca);
            f->state.srca.unpacker_row[1] = 16;
            memcpy(&gpr[8], src_data, sizeof src_data);
            gpr[1] = address;
            RUN_OK(f, 1, STOREIND, .OffsetIndex = 4, .DataRegIndex = 8, .AddrRegIndex = 1);
            int row = (int)address / 4 - 4;
            assert_stored(&f->state.srca, 0, row < 0 ? -1 : row + (whole ? 0 : 16), address % 4 * 4);
        }
        gpr[1] = 4 * (rows + 4);
        ASSERT_STOPPED(f, RUN(f, 1, STOREIND, .OffsetIndex = 4, .AddrRegIndex = 1), BH_UNDEFINED_BEHAVIOR);
    }
}

static void storeind_to_src_waits_for_the_unpackers_bank(void **state)
{
    struct fixture *f = *state;
    uint32_t *gpr = f->state.scalar.gpr[1];
    for (unsigned to_b = 0; to_b < 2; to_b++) {
        struct src_register_file *src = to_b ? &f->state.srcb : &f->state.srca;
        struct src_register_file *other = to_b ? &f->state.srca : &f->state.srcb;
        src->unpacker_bank = 1;
        src->owner[1] = SRC_MATRIX_UNIT;
        memcpy(&gpr[8], src_data, sizeof src_data);
        gpr[1] = 16;
        gpr[2] = 0;
        assert_int_equal(RUN(f, 1, STOREIND, .RegSizeSel = to_b, .OffsetIndex = 4, .AutoIncSpec = 1, .DataRegIndex = 8,
                             .AddrRegIndex = 1),
                         STEP_WAIT);
        assert_int_equal(gpr[2], 0);
        assert_stored(src, 2, -1, 0);
        src->owner[1] = SRC_UNPACKERS;
        other->owner[other->unpacker_bank] = SRC_MATRIX_UNIT;
        RUN_OK(f, 1, STOREIND, .RegSizeSel = to_b, .OffsetIndex = 4, .AutoIncSpec = 1, .DataRegIndex = 8,
               .AddrRegIndex = 1);
        assert_int_equal(gpr[2], 2);
        assert_stored(src, 1, to_b ? 4 : 0, 0);
        other->owner[other->unpacker_bank] = SRC_UNPACKERS;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(loadind_and_storeind_follow_the_functional_models),
        FIXTURE_TEST(an_address_beyond_l1_is_undefined_and_changes_nothing),
        FIXTURE_TEST(loadreg_and_storereg_reach_words_from_ffb11000_on),
        FIXTURE_TEST(storeind_to_mmio_takes_the_offset_in_sixteenths),
        FIXTURE_TEST(storeind_to_srcb_writes_four_bf16_behind_the_threads_row),
        FIXTURE_TEST(storeind_to_srca_counts_from_its_fifth_row),
        FIXTURE_TEST(storeind_to_src_waits_for_the_unpackers_bank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
