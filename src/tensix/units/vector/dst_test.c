/* SFPLOAD and SFPSTORE, as ISA documentation SFPLOAD.md and SFPSTORE.md state them. */
#include "tensix/num/formats.h"
#include "tensix/units/vector/fixture.h"

enum { PATTERN = 0x0ff05a3c, KEPT = 0x5a5aa5a5, FP16 = 1, BF16 = 2, FP32 = 3, INT32 = 4, INT32_ALL = 10 };

/* Sets a cell of a 16-bit row, in hardware's order of bits. */
static void put(struct fixture *f, uint32_t row, uint32_t column, uint16_t hardware)
{
    f->state.dst.rows[row][column] = dst_from_hardware(hardware);
    f->state.dst.valid[row] = 1;
}

static uint16_t get(struct fixture *f, uint32_t row, uint32_t column)
{
    return f->state.dst.valid[row] ? dst_to_hardware(f->state.dst.rows[row][column]) : 0;
}

static void lanes_are_every_other_column_of_four_rows(void **state)
{
    struct fixture *f = *state;
    for (uint32_t row = 0; row < 8; row++) {
        for (uint32_t column = 0; column < 16; column++) {
            put(f, row, column, (uint16_t)(row << 8 | column));
        }
    }
    enable_lanes(f, PATTERN);
    for (uint32_t odd = 0; odd < 2; odd++) {
        fill(f, 1, KEPT);
        RUN_OK(f, 0, SFPLOAD, .lreg_ind = 1, .instr_mod0 = 6, .dest_reg_addr = 4 + 2 * odd);
        for (uint32_t lane = 0; lane < SFPU_LANES; lane++) {
            uint32_t place = (4 + lane / 8) << 8 | (lane % 8 * 2 + odd);
            assert_int_equal(vector_of(f)->lreg[1][lane], PATTERN >> lane & 1 ? place : KEPT);
        }
        number(f, 2, 0x8000);
        RUN_OK(f, 0, SFPSTORE, .lreg_ind = 2, .instr_mod0 = 6, .dest_reg_addr = 2 * odd);
        for (uint32_t lane = 0; lane < SFPU_LANES; lane++) {
            uint32_t place = lane / 8 << 8 | (lane % 8 * 2 + odd);
            assert_int_equal(get(f, lane / 8, lane % 8 * 2 + odd), PATTERN >> lane & 1 ? 0x8000 + lane : place);
        }
    }
}

static void addresses_are_sums_of_ten_bits(void **state)
{
    struct fixture *f = *state;
    put(f, 4, 1, 0x1234);
    f->state.addr.rwc[2].dst = 1000;
    f->state.config.thread[2][DEST_TARGET_REG_CFG_MATH_Offset_ADDR32] = 20;
    f->state.vector.dst_stack_pointer[2] = 6; /* only its low two bits matter */
    RUN_OK(f, 2, SFPLOAD, .lreg_ind = 0, .instr_mod0 = 6, .dest_reg_addr = 8);
    assert_int_equal(vector_of(f)->lreg[0][0], 0x1234);
    f->state.dst.valid[4] = 0;
    RUN_OK(f, 2, SFPLOAD, .lreg_ind = 0, .instr_mod0 = 6, .dest_reg_addr = 8);
    ASSERT_LREG(f, 0, 0);
}

/* Cells in hardware's order of bits, and the value that each 16-bit mode of SFPLOAD makes of them. */
static void loads_convert(void **state)
{
    static const struct {
        uint32_t mode;
        uint16_t held;
        uint32_t expected;
    } cases[] = {
        {FP16, 0x802f, 0xbf802000}, {BF16, 0x8180, 0xc0010000},
        {5, 0xffff, 0x800000ff},    {5, 0x1fe0, 0x000000ff},
        {13, 0xffe0, 0x800003ff},   {6, 0xabcd, 0x0000abcd},
        {9, 0xabcd, 0x0000abcd},    {7, 0xabcd, 0xabcd0000},
        {8, 0xabcd, 0x80002bcd},    {11, 0xabcd, 0},
        {14, 0xabcd, 0x5a5aabcd},   {15, 0xabcd, 0xabcda5a5},
    };
    struct fixture *f = *state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        put(f, 3, 14, cases[i].held);
        fill(f, 1, KEPT);
        RUN_OK(f, 0, SFPLOAD, .lreg_ind = 1, .instr_mod0 = cases[i].mode);
        assert_int_equal(vector_of(f)->lreg[1][31], cases[i].expected);
    }
}

/* Dst holds FP16 as sign, ten bits of mantissa, five of exponent. */
static void fp16_has_no_infinity_unless_configured(void **state)
{
    static const uint32_t cases[][3] = {{0x000f, 0x3f800000, 0x3f800000}, {0x800f, 0xbf800000, 0xbf800000},
                                        {0x0020, 0x00002000, 0x00002000}, {0x7fff, 0x47ffe000, 0x7f800000},
                                        {0xffff, 0xc7ffe000, 0xff800000}, {0x7fdf, 0x47ffc000, 0x47ffc000}};
    struct fixture *f = *state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        put(f, 0, 0, (uint16_t)cases[i][0]);
        set_lane_config(f, 0);
        RUN_OK(f, 0, SFPLOAD, .lreg_ind = 1, .instr_mod0 = FP16);
        assert_int_equal(vector_of(f)->lreg[1][0], cases[i][1]);
        set_lane_config(f, LANE_CONFIG_ENABLE_FP16A_INF);
        RUN_OK(f, 0, SFPLOAD, .lreg_ind = 1, .instr_mod0 = FP16);
        assert_int_equal(vector_of(f)->lreg[1][0], cases[i][2]);
    }
}

static void stores_convert(void **state)
{
    static const struct {
        uint32_t mode, datum;
        uint16_t held;
    } cases[] = {
        {FP16, 0xbf800000, 0x800f}, {FP16, 0x3f803fff, 0x002f}, {FP16, 0x80012345, 0x8000}, {FP16, 0x38000000, 0x0000},
        {FP16, 0xc8000000, 0xffff}, {FP16, 0x7fc00000, 0x7fff}, {BF16, 0xc001ffff, 0x8180}, {BF16, 0x807fffff, 0x8000},
        {5, 0x800003ff, 0xfff0},    {13, 0x00000001, 0x0030},   {6, 0x1234abcd, 0xabcd},    {14, 0x1234abcd, 0xabcd},
        {15, 0x1234abcd, 0x1234},   {8, 0x8000ffff, 0xffff},    {8, 0x0000ffff, 0x7fff},    {11, 0x12345678, 0},
    };
    struct fixture *f = *state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        fill(f, 1, cases[i].datum);
        RUN_OK(f, 0, SFPSTORE, .lreg_ind = 1, .instr_mod0 = cases[i].mode, .dest_reg_addr = 2);
        assert_int_equal(get(f, 2, 5), cases[i].held);
    }
}

static void data_of_32_bits_take_two_rows(void **state)
{
    /* mode, datum, value loaded back as INT32; LO16 and HI16 store bits unchanged, without the permutation */
    static const uint32_t cases[][3] = {{FP32, 0xc1234567, 0xc1234567},
                                        {FP32, 0x80012345, 0x80000000},
                                        {INT32, 0x80012345, 0x80012345},
                                        {12, 0x80012345, 0x80012345}};
    struct fixture *f = *state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        fill(f, 1, cases[i][1]);
        RUN_OK(f, 0, SFPSTORE, .lreg_ind = 1, .instr_mod0 = cases[i][0], .dest_reg_addr = 24);
        RUN_OK(f, 0, SFPLOAD, .lreg_ind = 2, .instr_mod0 = INT32, .dest_reg_addr = 24);
        ASSERT_LREG(f, 2, cases[i][2]);
        /* 32-bit row 24 is 16-bit rows 48 and 56 */
        assert_int_equal(f->state.dst.rows[48][0], cases[i][2] >> 16);
        assert_int_equal(get(f, 56, 0), cases[i][2] & 0xffff);
    }
    fill(f, 1, 0x12345678);
    RUN_OK(f, 0, SFPSTORE, .lreg_ind = 1, .instr_mod0 = 7);
    assert_int_equal(get(f, 0, 0), 0x1234);
    assert_int_equal(get(f, 8, 0), 0x5678);
    RUN_OK(f, 0, SFPSTORE, .lreg_ind = 1, .instr_mod0 = 9);
    assert_int_equal(get(f, 0, 0), 0x5678);
    assert_int_equal(get(f, 8, 0), 0x1234);
}

static void set_field(uint32_t *words, uint32_t address, uint32_t shift, uint32_t width, uint32_t value)
{
    words[address] = bits_set(words[address], shift, width, value);
}
#define SET(words, field, value) set_field(words, field##_ADDR32, field##_SHAMT, field##_WIDTH, value)

static void the_format_of_srcb_decides_where_the_mode_does_not(void **state)
{
    struct fixture *f = *state;
    uint32_t *config = f->state.config.bank[0];
    fill(f, 1, 0x3f800000);
    for (uint32_t format = 0; format < 16; format++) {
        bool bf16 = format == FORMAT_FP32 || format == FORMAT_TF32 || format == FORMAT_BF16 || format == FORMAT_BFP8 ||
                    format == FORMAT_BFP4 || format == FORMAT_BFP2 || format == FORMAT_INT32 || format == FORMAT_INT16;
        SET(config, ALU_FORMAT_SPEC_REG1_SrcB, format);
        RUN_OK(f, 0, SFPSTORE, .lreg_ind = 1);
        assert_int_equal(get(f, 0, 0), bf16 ? 0x007f : 0x000f);
        SET(config, ALU_FORMAT_SPEC_REG1_SrcB, bf16 ? FORMAT_FP16 : FORMAT_BF16);
        f->state.config.thread[0][SFPU_DEST_FMT_Enable_ADDR32] = (uint16_t)(1 | format << 1);
        RUN_OK(f, 0, SFPSTORE, .lreg_ind = 1);
        assert_int_equal(get(f, 0, 0), bf16 ? 0x007f : 0x000f);
        f->state.config.thread[0][SFPU_DEST_FMT_Enable_ADDR32] = 0;
    }
    SET(config, ALU_ACC_CTRL_SFPU_Fp32_enabled, 1);
    fill(f, 1, 0x3f801234);
    RUN_OK(f, 0, SFPSTORE, .lreg_ind = 1);
    assert_int_equal(get(f, 8, 0), 0x1234);
}

static void lane_config_blocks_exchanges_and_captures(void **state)
{
    struct fixture *f = *state;
    put(f, 6, 3, 0x1111);
    put(f, 6, 2, 0x2222);
    set_lane_config(f, LANE_CONFIG_DEST_RD_COL_EXCHANGE | LANE_CONFIG_ENABLE_DEST_INDEX |
                           LANE_CONFIG_CAPTURE_DEFAULT_DEST_INDEX);
    RUN_OK(f, 0, SFPLOAD, .lreg_ind = 1, .instr_mod0 = 6, .dest_reg_addr = 4);
    assert_int_equal(vector_of(f)->lreg[1][17], 0x1111);
    assert_int_equal(vector_of(f)->lreg[5][17], 6 << 4 | 3);
    set_lane_config(f, LANE_CONFIG_BLOCK_SFPU_RD_FROM_DEST | LANE_CONFIG_DEST_WR_COL_EXCHANGE);
    fill(f, 1, 0x3333);
    RUN_OK(f, 0, SFPLOAD, .lreg_ind = 1, .instr_mod0 = 6, .dest_reg_addr = 4);
    ASSERT_LREG(f, 1, 0x3333);
    RUN_OK(f, 0, SFPSTORE, .lreg_ind = 1, .instr_mod0 = 6, .dest_reg_addr = 4);
    assert_int_equal(get(f, 6, 3), 0x3333);
    assert_int_equal(get(f, 6, 2), 0x2222);
    set_lane_config(f, LANE_CONFIG_BLOCK_DEST_WR_FROM_SFPU);
    fill(f, 1, 0x4444);
    RUN_OK(f, 0, SFPSTORE, .lreg_ind = 1, .instr_mod0 = 6, .dest_reg_addr = 4);
    assert_int_equal(get(f, 6, 2), 0x2222);
}

static void the_stack_mode_moves_its_pointer_and_ignores_lane_flags(void **state)
{
    struct fixture *f = *state;
    f->state.config.thread[1][SFPU_STACK_Incr_ADDR32] = 4;
    f->state.addr.rwc[1].dst = 8; /* only its low two bits matter */
    enable_lanes(f, 0);
    for (uint32_t i = 0; i < 3; i++) {
        fill(f, 1, 0x1000 + i);
        RUN_OK(f, 1, SFPSTORE, .lreg_ind = 1, .instr_mod0 = INT32_ALL);
        assert_int_equal(vector_of(f)->dst_stack_pointer[1], 4 * (i + 1));
    }
    for (uint32_t i = 3; i-- > 0;) {
        RUN_OK(f, 1, SFPLOAD, .lreg_ind = 2, .instr_mod0 = INT32_ALL);
        ASSERT_LREG(f, 2, 0x1000 + i);
        assert_int_equal(vector_of(f)->dst_stack_pointer[1], 4 * i);
    }
    assert_int_equal(vector_of(f)->dst_stack_pointer[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(lanes_are_every_other_column_of_four_rows),
        FIXTURE_TEST(addresses_are_sums_of_ten_bits),
        FIXTURE_TEST(loads_convert),
        FIXTURE_TEST(fp16_has_no_infinity_unless_configured),
        FIXTURE_TEST(stores_convert),
        FIXTURE_TEST(data_of_32_bits_take_two_rows),
        FIXTURE_TEST(the_format_of_srcb_decides_where_the_mode_does_not),
        FIXTURE_TEST(lane_config_blocks_exchanges_and_captures),
        FIXTURE_TEST(the_stack_mode_moves_its_pointer_and_ignores_lane_flags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
