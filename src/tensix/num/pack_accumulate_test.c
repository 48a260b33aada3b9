/* L1 accumulation. FP32 is compared with the sum of doubles, rounded once by the compiler's conversion; for the
   special cases the expected values are those that ttsim records of silicon. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tensix/num/pack_accumulate.h"
#include "util/host_vectors.h"
#include "util/xorshift.h"

static uint64_t seed = 88172645463325252;

static uint32_t random32(void)
{
    return xorshift64_word(&seed);
}

static uint32_t bits_of(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static float number_of(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static uint32_t flushed(uint32_t bits)
{
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

static uint32_t fp32_sum(uint32_t held, uint32_t added)
{
    float sum = number_of(flushed(held)) + number_of(flushed(added));
    return isnan(sum) ? 0x7fc00000 : flushed(bits_of(sum));
}

static void fp32_sums_round_to_nearest_even(void **state)
{
    for (unsigned i = 0; i < 400000; i++) {
        uint32_t held = random32(), added = random32();
        added = i % 2 ? added : (held ^ 0x80000000) + (random32() % 0x4000000 - 0x2000000);
        assert_int_equal(pack_accumulate_fp32(held, added), fp32_sum(held, added));
    }
}

static void fp32_specials(void **state)
{
    static const uint32_t specials[] = {0,          0x80000000, 1,          0x807fffff, 0x00800000, 0x80800001,
                                        0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0xffffffff};
    for (unsigned i = 0; i < 12; i++) {
        for (unsigned j = 0; j < 12; j++) {
            assert_int_equal(pack_accumulate_fp32(specials[i], specials[j]), fp32_sum(specials[i], specials[j]));
        }
    }
}

/* Two BF16 numbers with close exponents have an exact sum in FP32, which is then rounded to nearest even. */
static void bf16_sums_round_to_nearest_even(void **state)
{
    for (unsigned i = 0; i < 400000; i++) {
        uint16_t held = (uint16_t)(0x3000 | (random32() & 0x87ff)), added = (uint16_t)(0x3000 | (random32() & 0x87ff));
        uint32_t sum = bits_of(number_of((uint32_t)held << 16) + number_of((uint32_t)added << 16));
        uint32_t rounded = (sum + 0x7fff + (sum >> 16 & 1)) >> 16;
        assert_int_equal(pack_accumulate_bf16(held, added), rounded);
    }
}

/* L1.md: "INT32 (sign-magnitude, with saturation)". */
static void int32_sums_saturate(void **state)
{
    static const uint32_t cases[][3] = {
        {5, 7, 12},
        {5, 0x80000007, 0x80000002},
        {0x80000005, 5, 0},
        {0x80000000, 0x80000000, 0},
        {0x7fffffff, 1, 0x7fffffff},
        {0xffffffff, 0x80000001, 0xffffffff},
        {0xffffffff, 0x7fffffff, 0},
        {0x40000000, 0x40000000, 0x7fffffff},
        {0xc0000000, 0xbfffffff, 0xffffffff},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(pack_accumulate_int32(cases[i][0], cases[i][1]), cases[i][2]);
        assert_int_equal(pack_accumulate_int32(cases[i][1], cases[i][0]), cases[i][2]);
    }
}

static void bf16_specials(void **state)
{
    static const uint16_t cases[][3] = {
        {0x7f80, 0xff80, 0x7fc0}, {0xff80, 0x7f80, 0x7fc0}, {0x7f80, 0x7f80, 0x7f80}, {0x0001, 0x8001, 0x0000},
        {0x8000, 0x8000, 0x8000}, {0x7f7f, 0x7f7f, 0x7f80}, {0x7fc0, 0x3f80, 0x7f80}, {0xffc0, 0x3f80, 0xff80},
        {0x3f80, 0x7fc0, 0x7f80}, {0x7fc0, 0xff80, 0xff80}, {0xff7f, 0x7f81, 0x7c40}, {0x0080, 0x8081, 0x8000},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(pack_accumulate_bf16(cases[i][0], cases[i][1]), cases[i][2]);
    }
}

static void fp16_specials(void **state)
{
    static const uint16_t cases[][3] = {
        {0x3c00, 0x3c00, 0x4000},                           /* 1 + 1 */
        {0x3c00, 0x1000, 0x3c00},                           /* a tie goes to even, */
        {0x3c01, 0x1000, 0x3c02},                           /* up or down */
        {0x03ff, 0x3c00, 0x3c00},                           /* denormals are zero */
        {0x7c00, 0x0000, 0x7c00},                           /* exponent 31 is an ordinary one */
        {0x7fff, 0x7fff, 0x7fff},                           /* overflow saturates */
        {0xffff, 0xfbff, 0xffff}, {0x3c00, 0xbc00, 0x0000}, /* cancellation, */
        {0x7800, 0xf800, 0x7fff},                           /* overflow from exponent 30 on */
        {0x0401, 0x8400, 0x7fff},                           /* saturates if too small by more than a factor of two */
        {0x0700, 0x8480, 0x0000},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(pack_accumulate_fp16(cases[i][0], cases[i][1]), cases[i][2]);
    }
}

/* Random bits; or numbers near each other, including zeroes and denormals, so that sums cancel; `exponents`: the
   mask. */
static uint32_t near(uint32_t other, uint32_t exponents)
{
    switch (random32() % 8) {
    case 0: return random32();
    case 1: return other ^ 0x80008000;
    case 2: return random32() & ~exponents;
    default: return (other ^ (random32() & 0x80008000)) + (random32() & 0x1ff01ff) - 0xff00ff;
    }
}

/* The functions for many data give the results of the function for one, for every vector width of the host. */
static void many_data_accumulate_as_one_does(void **state)
{
    enum { MOST = 80, ROUNDS = 30000 };
    const enum host_vectors host = host_vectors;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t held[MOST], data[MOST], expected[MOST];
        uint16_t held16[MOST], data16[MOST];
        unsigned count = random32() % (MOST + 1), format = random32() % 3;
        uint32_t large = random32() % 4 == 0; /* keeps infinities rare, so that not every group of sixteen has one */
        for (unsigned i = 0; i < count; i++) {
            const uint32_t exponents = format == 0 ? 0x7f800000 : format == 1 ? 0x7f80 : 0x7c00;
            held[i] = large ? random32() : (random32() & ~(exponents >> 2 & exponents));
            data[i] = near(held[i], exponents);
            data[i] = large || (data[i] & exponents) != exponents ? data[i] : data[i] & ~(exponents >> 2 & exponents);
            held16[i] = (uint16_t)held[i];
            data[i] = format ? data[i] & 0xffff : data[i];
            data16[i] = (uint16_t)data[i];
            expected[i] = format == 0   ? pack_accumulate_fp32(held[i], data[i])
                          : format == 1 ? pack_accumulate_bf16(held16[i], (uint16_t)data[i])
                                        : pack_accumulate_fp16(held16[i], (uint16_t)data[i]);
        }
        host_vectors = (enum host_vectors)(random32() % (host + 1));
        switch (format) {
        case 0: pack_accumulate_fp32_data(held, data, count); break;
        case 1: pack_accumulate_bf16_data(held16, data16, count); break;
        default: pack_accumulate_fp16_data(held16, data16, count); break;
        }
        host_vectors = host;
        for (unsigned i = 0; i < count; i++) {
            assert_int_equal(format ? held16[i] : held[i], expected[i]);
        }
    }
}

/* Sums by the host's floats are only used while it rounds as silicon does. */
static void the_hosts_rounding_mode_has_no_say(void **state)
{
    static const int modes[] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(fesetround(modes[i]), 0);
        many_data_accumulate_as_one_does(state);
        assert_int_equal(fesetround(FE_TONEAREST), 0);
    }
}

/* The same holds for the host's modes that treat denormals as zero. */
static void the_hosts_denormals_have_no_say(void **state)
{
#if defined(__x86_64__)
    const unsigned before = __builtin_ia32_stmxcsr(), denormals_are_zero = 0x8040;
    __builtin_ia32_ldmxcsr(before | denormals_are_zero);
    many_data_accumulate_as_one_does(state);
    __builtin_ia32_ldmxcsr(before);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fp32_sums_round_to_nearest_even),
        cmocka_unit_test(fp32_specials),
        cmocka_unit_test(bf16_sums_round_to_nearest_even),
        cmocka_unit_test(int32_sums_saturate),
        cmocka_unit_test(bf16_specials),
        cmocka_unit_test(fp16_specials),
        cmocka_unit_test(many_data_accumulate_as_one_does),
        cmocka_unit_test(the_hosts_rounding_mode_has_no_say),
        cmocka_unit_test(the_hosts_denormals_have_no_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
