/* Stochastic rounding by instructions, and its generators: ISA documentation BackendConfiguration.md (PRNG_SEED),
   SoftReset.md and Packers/FormatConversion.md. */
#include "tensix/num/rounding.h"
#include "tensix/units/pack/fixture.h"

enum { MATH = 1, BLOCK_ROWS = 8 };

static void numbers_of_a_generator_are_spread_evenly(void **state)
{
    struct fixture *f = *state;
    enum { ROWS = 1 << 12, BINS = 16 };
    unsigned bins[BINS] = {0}, same_as_before = 0;
    for (unsigned row = 0; row < ROWS; row++) {
        uint32_t numbers[1][ROW_COLUMNS];
        stochastic_draw(&f->state.matrix.random, numbers, 1);
        for (unsigned i = 0; i < ROW_COLUMNS; i++) {
            assert_in_range(numbers[0][i], 0, (1 << STOCHASTIC_BITS) - 1);
            bins[numbers[0][i] >> (STOCHASTIC_BITS - 4)]++;
            same_as_before += i && numbers[0][i] >> 22 == numbers[0][i - 1] >> 22;
        }
    }
    for (unsigned i = 0; i < BINS; i++) {
        assert_in_range(bins[i], ROWS * 95 / 100, ROWS * 105 / 100);
    }
    assert_in_range(same_as_before, ROWS * 15 / 2 * 97 / 100, ROWS * 15 / 2 * 103 / 100);
}

/* BackendConfiguration.md: a write to PRNG_SEED seeds all the generators. This includes all ones, the state that a
   shift register of this kind never leaves. */
static void a_seed_decides_on_the_numbers(void **state)
{
    struct fixture *f = *state;
    uint32_t first[3][ROW_COLUMNS], again[3][ROW_COLUMNS], other[3][ROW_COLUMNS];
    const uint32_t seeds[] = {0, 1, UINT32_MAX};
    for (unsigned i = 0; i < 3; i++) {
        config_write(&f->tensix, 0, PRNG_SEED_Seed_Val_ADDR32, seeds[i], UINT32_MAX);
        stochastic_draw(&f->state.matrix.random, first, 3);
        stochastic_draw(&f->state.pack.gasket_random, other, 3);
        assert_memory_not_equal(first, other, sizeof first);
        assert_memory_not_equal(first[0], first[1], sizeof first[0]);
        config_write(&f->tensix, 1, PRNG_SEED_Seed_Val_ADDR32, seeds[i], UINT32_MAX);
        stochastic_draw(&f->state.matrix.random, again, 3);
        assert_memory_equal(first, again, sizeof first);
        config_write(&f->tensix, 1, PRNG_SEED_Seed_Val_ADDR32, seeds[i] + 1, UINT32_MAX);
        stochastic_draw(&f->state.matrix.random, again, 3);
        assert_memory_not_equal(first, again, sizeof first);
    }
}

static void set_up_math(struct fixture *f, uint32_t a, uint32_t b)
{
    SET(f, ALU_ROUNDING_MODE_Fpu_srnd_en, 1);
    for (unsigned bank = 0; bank < SRC_BANKS; bank++) {
        f->state.srca.format[bank] = f->state.srcb.format[bank] = FORMAT_BF16;
        f->state.srca.owner[bank] = f->state.srcb.owner[bank] = SRC_MATRIX_UNIT;
        for (unsigned i = 0; i < SRC_ROWS * ROW_COLUMNS; i++) {
            f->state.srca.rows[bank][i / ROW_COLUMNS][i % ROW_COLUMNS] = a;
            f->state.srcb.rows[bank][i / ROW_COLUMNS][i % ROW_COLUMNS] = b;
        }
    }
}

enum arithmetic { SUM, PRODUCT, MATRIX_PRODUCT };

static enum step run_math(struct fixture *f, enum arithmetic arithmetic)
{
    memset(f->state.dst.rows, 0, sizeof f->state.dst.rows);
    return arithmetic == SUM       ? RUN(f, MATH, ELWADD, .dst = 0)
           : arithmetic == PRODUCT ? RUN(f, MATH, ELWMUL, .dst = 0)
                                   : RUN(f, MATH, MVMUL, .dst = 0);
}

/* The number of data of the eight rows that are `above`; all others are `below`. */
static unsigned count_above(const struct fixture *f, uint16_t below, uint16_t above)
{
    unsigned count = 0;
    for (unsigned i = 0; i < BLOCK_ROWS * ROW_COLUMNS; i++) {
        uint16_t cell = f->state.dst.rows[i / ROW_COLUMNS][i % ROW_COLUMNS];
        assert_true(cell == below || cell == above);
        count += cell == above;
    }
    return count;
}

/* 256 + 1, and 1.0625 * 1.0625, lie halfway between two numbers of BF16. */
static void the_matrix_unit_rounds_halves_either_way(void **state)
{
    struct fixture *f = *state;
    static const struct {
        uint32_t a, b;
        uint16_t below, above;
    } cases[] = {
        [SUM] = {0x43800000, 0x3f800000, 0x4380, 0x4381},
        [PRODUCT] = {0x3f880000, 0x3f880000, 0x3f90, 0x3f91},
        [MATRIX_PRODUCT] = {0x3f880000, 0x3f880000, 0x4190, 0x4191}, /* 16 times as much */
    };
    for (unsigned arithmetic = SUM; arithmetic <= MATRIX_PRODUCT; arithmetic++) {
        enum { TIMES = 64 };
        unsigned above = 0;
        set_up_math(f, cases[arithmetic].a, cases[arithmetic].b);
        for (unsigned i = 0; i < TIMES; i++) {
            assert_int_equal(run_math(f, (enum arithmetic)arithmetic), STEP_DONE);
            above += count_above(f, cases[arithmetic].below, cases[arithmetic].above);
        }
        assert_in_range(above, TIMES * 128 * 45 / 100, TIMES * 128 * 55 / 100);
    }
}

static void exact_results_of_the_matrix_unit_stay(void **state)
{
    struct fixture *f = *state;
    set_up_math(f, 0x40400000, 0x3fc00000); /* 3 and 1.5 */
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(run_math(f, SUM), STEP_DONE);
        assert_int_equal(count_above(f, 0x4090, 0x4090), 128);
        assert_int_equal(run_math(f, PRODUCT), STEP_DONE);
        assert_int_equal(count_above(f, 0x4090, 0x4090), 128);
        assert_int_equal(run_math(f, MATRIX_PRODUCT), STEP_DONE);
        assert_int_equal(count_above(f, 0x4290, 0x4290), 128);
    }
}

/* SoftReset.md: the generators are reset upon leaving soft reset. Then the same instructions give the same bits. */
static void the_same_program_gives_the_same_bits(void **state)
{
    struct fixture *f = *state;
    static struct dst_register_file first;
    set_up_math(f, 0x43800000, 0x3f800000);
    assert_int_equal(run_math(f, SUM), STEP_DONE);
    first = f->state.dst;
    assert_int_equal(run_math(f, SUM), STEP_DONE);
    assert_memory_not_equal(&first, &f->state.dst, sizeof first);
    stochastic_reset_matrix(&f->state);
    assert_int_equal(run_math(f, SUM), STEP_DONE);
    assert_memory_equal(&first, &f->state.dst, sizeof first);
}

static void integers_are_not_rounded_at_random(void **state)
{
    struct fixture *f = *state;
    set_up_math(f, 0x88000000 | 200u << 13, 0x08000000 | 100u << 13);
    SET(f, ALU_ACC_CTRL_INT8_math_enabled, 1);
    const struct stochastic before = f->state.matrix.random;
    for (unsigned arithmetic = SUM; arithmetic <= MATRIX_PRODUCT; arithmetic++) {
        assert_int_equal(run_math(f, (enum arithmetic)arithmetic), STEP_DONE);
    }
    assert_memory_equal(&before, &f->state.matrix.random, sizeof before);
    assert_int_equal(f->diagnostics.count, 0);
}

/* A tile of 1 + 3/8 of a step of BF16 is packed as BF16: three of eight data are rounded up. */
static void the_packer_rounds_as_often_as_the_bits_say(void **state)
{
    struct fixture *f = *state;
    unsigned above = 0;
    configure(f, FORMAT_BF16, FORMAT_BF16, true);
    SET(f, ALU_ROUNDING_MODE_Gasket_srnd_en, 1);
    for (unsigned i = 0; i < TILE_ROWS * ROW_COLUMNS; i++) {
        put32(f, i / 16, i % 16, 0x3f806000);
    }
    for (unsigned i = 0; i < 16; i++) {
        assert_int_equal(RUN(f, THREAD, PACR,
                             .AddrMode = i == 15      ? 1
                                         : i % 4 == 3 ? 2
                                                      : 0,
                             .Last = i == 15),
                         STEP_DONE);
    }
    for (unsigned i = 0; i < TILE_ROWS * ROW_COLUMNS; i++) {
        uint16_t datum = load16(f, DESTINATION + 2 * i);
        assert_true(datum == 0x3f80 || datum == 0x3f81);
        above += datum == 0x3f81;
    }
    assert_in_range(above, 1024 * 3 / 8 - 60, 1024 * 3 / 8 + 60);
}

/* The same for block floats, with and without zero compression. Gasket_srnd_en has no effect on them, nor
   Packer_srnd_en on other formats. */
static void block_floats_are_rounded_by_the_packer(void **state)
{
    struct fixture *f = *state;
    number_dst(f);
    for (unsigned i = 0; i < 64; i++) {
        f->state.dst.rows[i / 16][i % 16] = i % 16 ? 0x3f01 : 0x3f80; /* half of 64.5 / 64, and 1 */
    }
    for (unsigned mode = 0; mode < 4; mode++) {
        bool random = mode & 1, compress = mode & 2;
        configure(f, FORMAT_BF16, FORMAT_BFP8, false);
        SET(f, THCON_SEC0_REG1_Disable_zero_compress, !compress);
        SET(f, THCON_SEC0_REG1_Row_start_section_size, 1);
        SET(f, ALU_ROUNDING_MODE_Packer_srnd_en, random);
        SET(f, ALU_ROUNDING_MODE_Gasket_srnd_en, !random);
        unsigned above = 0;
        for (unsigned times = 0; times < 32; times++) {
            assert_int_equal(RUN(f, THREAD, PACR, .Last = 1, .AddrMode = 3), STEP_DONE);
            const uint8_t *data = f->l1_bytes + DESTINATION + (compress ? 16 : 0) + 64;
            for (unsigned i = 0; i < 64; i++) {
                uint8_t datum = data[i < 32 || !compress ? i : i + 16];
                assert_true(i % 16 ? datum == 0x20 || datum == 0x21 : datum == 0x40);
                above += datum == 0x21;
            }
        }
        assert_in_range(above, random ? 420 : 0, random ? 540 : 0); /* a quarter of 1920 */
    }
}

/* There is one warning, for all instructions together. */
static void it_is_warned_of_once(void **state)
{
    struct fixture *f = *state;
    set_up_math(f, 0x43800000, 0x3f800000);
    configure(f, FORMAT_BF16, FORMAT_BF16, true);
    SET(f, ALU_ROUNDING_MODE_Gasket_srnd_en, 1);
    for (unsigned i = 0; i < 3; i++) {
        f->diagnostics.now.pc = 0x1000 + 4 * i;
        assert_int_equal(run_math(f, (enum arithmetic)i), STEP_DONE);
        assert_int_equal(RUN(f, THREAD, PACR, .Last = 1), STEP_DONE);
    }
    assert_int_equal(f->diagnostics.count, 1);
    assert_int_equal(f->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
    assert_non_null(strstr(f->diagnostics.entries[0].text, "no public document gives the sequence"));
    diagnostics_set_policy(&f->diagnostics, BH_POLICY_STRICT);
    assert_int_equal(run_math(f, SUM), STEP_STOP);
    assert_int_equal(RUN(f, THREAD, PACR, .Last = 1), STEP_STOP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(numbers_of_a_generator_are_spread_evenly),
        FIXTURE_TEST(a_seed_decides_on_the_numbers),
        FIXTURE_TEST(the_matrix_unit_rounds_halves_either_way),
        FIXTURE_TEST(exact_results_of_the_matrix_unit_stay),
        FIXTURE_TEST(the_same_program_gives_the_same_bits),
        FIXTURE_TEST(integers_are_not_rounded_at_random),
        FIXTURE_TEST(the_packer_rounds_as_often_as_the_bits_say),
        FIXTURE_TEST(block_floats_are_rounded_by_the_packer),
        FIXTURE_TEST(it_is_warned_of_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
