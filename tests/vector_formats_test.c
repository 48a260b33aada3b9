/* SFPLOAD and SFPSTORE on every 16-bit datum, in every mode, against formulas of their own. A cell of Dst is given in
   hardware's order of bits: sign, mantissa, exponent. Source: ISA documentation SFPLOAD.md, SFPSTORE.md (Blackhole),
   Dst.md. */
#include "tensix/tensix_fixture.h"

enum { MATH_THREAD = 1, LANES = 32, LANES_IN_ROW = 8, ALL_HALVES = 0x10000, UNTOUCHED = 0x5a5aa5a5 };

enum mode {
    FP16 = 1,
    BF16,
    FP32,
    INT32,
    INT8,
    UINT16,
    HI16,
    INT16,
    LO16,
    ZERO = 11,
    INT32_SM,
    INT8_COMP,
    LO16_ONLY,
    HI16_ONLY
};

static uint32_t sign_of(uint32_t hardware)
{
    return (hardware & 0x8000) << 16;
}

/* The number in a cell read as FP16, whose largest exponent is an ordinary one, and as BF16. */
static uint32_t loaded_fp16(uint32_t hardware)
{
    uint32_t exponent = hardware & 31, mantissa = hardware >> 5 & 0x3ff;
    return sign_of(hardware) | (exponent + (exponent ? 127 - 15 : 0)) << 23 | mantissa << 13;
}

static uint32_t loaded_bf16(uint32_t hardware)
{
    return sign_of(hardware) | (hardware & 0xff) << 23 | (hardware >> 8 & 0x7f) << 16;
}

static uint32_t loaded(enum mode mode, uint32_t hardware, uint32_t before)
{
    switch (mode) {
    case FP16: return loaded_fp16(hardware);
    case BF16: return loaded_bf16(hardware);
    case INT8: return sign_of(hardware) | (hardware >> 5 & 0xff);
    case INT8_COMP: return sign_of(hardware) | (hardware >> 5 & 0x3ff);
    case INT16: return sign_of(hardware) | (hardware & 0x7fff);
    case UINT16:
    case LO16: return hardware;
    case HI16: return hardware << 16;
    case LO16_ONLY: return (before & 0xffff0000) | hardware;
    case HI16_ONLY: return (before & 0xffff) | hardware << 16;
    default: return 0;
    }
}

/* The hardware's bits of FP16 and BF16 in the usual order. */
static uint32_t stored_fp16(uint32_t fp16)
{
    return (fp16 & 0x8000) | (fp16 & 0x3ff) << 5 | (fp16 >> 10 & 31);
}

static uint32_t stored_bf16(uint32_t bf16)
{
    return (bf16 & 0x8000) | (bf16 & 0x7f) << 8 | (bf16 >> 7 & 0xff);
}

static uint32_t fp32_cut_to_fp16(uint32_t datum)
{
    int exponent = (int)(datum >> 23 & 0xff) - 127 + 15;
    uint32_t magnitude = (uint32_t)exponent << 10 | (datum >> 13 & 0x3ff);
    return (datum >> 16 & 0x8000) | (exponent <= 0 ? 0 : exponent > 31 ? 0x7fff : magnitude);
}

static uint32_t without_denormals(uint32_t datum)
{
    return datum & 0x7f800000 ? datum : datum & 0x80000000;
}

/* The cell after a store of 16 bits. */
static uint32_t stored(enum mode mode, uint32_t datum)
{
    switch (mode) {
    case FP16: return stored_fp16(fp32_cut_to_fp16(datum));
    case BF16: return stored_bf16(without_denormals(datum) >> 16);
    case INT8:
    case INT8_COMP: return stored_fp16((datum >> 16 & 0x8000) | 16 << 10 | (datum & 0x3ff));
    case INT16: return (datum >> 16 & 0x8000) | (datum & 0x7fff);
    case UINT16:
    case LO16_ONLY: return datum & 0xffff;
    case HI16_ONLY: return datum >> 16;
    default: return 0;
    }
}

/* The 32-bit datum after a store, in FP32's layout. */
static uint32_t stored_32(enum mode mode, uint32_t datum)
{
    return mode == FP32 ? without_denormals(datum) : datum;
}

static const enum mode modes_of_16_bits[] = {FP16, BF16, INT8, UINT16, INT16, ZERO, INT8_COMP, LO16_ONLY, HI16_ONLY};
enum { MODES_OF_16_BITS = sizeof modes_of_16_bits / sizeof *modes_of_16_bits };

static void check_loads(struct fixture *f, enum mode mode)
{
    for (uint32_t half = 0; half < ALL_HALVES; half += LANES) {
        for (uint32_t lane = 0; lane < LANES; lane++) {
            f->state.dst.rows[lane / LANES_IN_ROW][2 * (lane % LANES_IN_ROW)] =
                dst_from_hardware((uint16_t)(half + lane));
            f->state.dst.valid[lane / LANES_IN_ROW] = 1;
            f->state.vector.lreg[0][lane] = UNTOUCHED;
        }
        RUN_OK(f, MATH_THREAD, SFPLOAD, .lreg_ind = 0, .instr_mod0 = mode);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            assert_int_equal(f->state.vector.lreg[0][lane], loaded(mode, half + lane, UNTOUCHED));
        }
    }
}

static void every_cell_loads_in_every_mode(void **state)
{
    struct fixture *f = *state;
    for (unsigned i = 0; i < MODES_OF_16_BITS; i++) {
        check_loads(f, modes_of_16_bits[i]);
    }
    check_loads(f, HI16);
    check_loads(f, LO16);
}

/* Both halves of the datum take all values; together they make numbers of every sign and exponent. */
static uint32_t datum_of(uint32_t half)
{
    return half << 16 | (half * 40503 & 0xffff);
}

static void fill_register(struct fixture *f, uint32_t half)
{
    for (uint32_t lane = 0; lane < LANES; lane++) {
        f->state.vector.lreg[0][lane] = datum_of(half + lane);
    }
}

static void every_half_stores_in_every_mode(void **state)
{
    struct fixture *f = *state;
    for (unsigned i = 0; i < MODES_OF_16_BITS; i++) {
        for (uint32_t half = 0; half < ALL_HALVES; half += LANES) {
            fill_register(f, half);
            RUN_OK(f, MATH_THREAD, SFPSTORE, .lreg_ind = 0, .instr_mod0 = modes_of_16_bits[i]);
            for (uint32_t lane = 0; lane < LANES; lane++) {
                uint16_t cell = f->state.dst.rows[lane / LANES_IN_ROW][2 * (lane % LANES_IN_ROW)];
                assert_int_equal(dst_to_hardware(cell), stored(modes_of_16_bits[i], datum_of(half + lane)));
            }
        }
    }
}

static void every_half_stores_as_32_bits_and_loads_again(void **state)
{
    static const enum mode modes[] = {FP32, INT32, INT32_SM};
    struct fixture *f = *state;
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
        for (uint32_t half = 0; half < ALL_HALVES; half += LANES) {
            fill_register(f, half);
            RUN_OK(f, MATH_THREAD, SFPSTORE, .lreg_ind = 0, .instr_mod0 = modes[i]);
            RUN_OK(f, MATH_THREAD, SFPLOAD, .lreg_ind = 1, .instr_mod0 = modes[i]);
            for (uint32_t lane = 0; lane < LANES; lane++) {
                uint32_t row = lane / LANES_IN_ROW, column = 2 * (lane % LANES_IN_ROW);
                uint32_t expected = stored_32(modes[i], datum_of(half + lane));
                uint32_t high = dst_to_hardware(f->state.dst.rows[row][column]);
                assert_int_equal(high, stored_bf16(expected >> 16));
                assert_int_equal(dst_to_hardware(f->state.dst.rows[row + 8][column]), expected & 0xffff);
                assert_int_equal(f->state.vector.lreg[1][lane], expected);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(every_cell_loads_in_every_mode),
        FIXTURE_TEST(every_half_stores_in_every_mode),
        FIXTURE_TEST(every_half_stores_as_32_bits_and_loads_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
