/* The multiply-add of the vector unit: the reference against what ISA documentation SFPMAD.md says of it, the versions
   for 32 lanes against the reference. */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tensix/num/sfpu_mad.h"
#include "tensix/num/sfpu_mad_registers.h"
#include "util/bits.h"
#include "util/host_floats.h"
#include "util/host_vectors.h"
#include "util/xorshift.h"

enum { LANES = 32 };

#define ONE 0x3f800000u
#define SIGN 0x80000000u
#define INFINITE 0x7f800000u
#define CANONICAL_NAN 0x7fc00000u

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint32_t random_bits(void)
{
    return xorshift64_word(&seed);
}

static const uint32_t specials[] = {0,          SIGN,       ONE,        ONE | SIGN, INFINITE,   INFINITE | SIGN,
                                    0x7fc00000, 0xffffffff, 0x7f800001, 1,          0x807fffff, 0x00800000,
                                    0x80800000, 0x7f7fffff, 0xff7fffff, 0x00ffffff, 0x3f7fffff, 0x3fffffff,
                                    0x7f000000, 0x3f000000, 0x40000000, 0x3f800001, 0xbf800001};

/* Specials, exponents close to each other, at either end, few mantissa bits, and anything. */
static uint32_t random_operand(void)
{
    uint32_t kind = random_bits(), bits = random_bits();
    switch (kind & 7) {
    case 0: return specials[(kind >> 3) % COUNT_OF(specials)];
    case 1: return (bits & 0x807fffff) | (118 + (kind >> 3) % 20) << 23;
    case 2: return (bits & 0x807fffff) | (kind >> 3) % 60 << 23;
    case 3: return (bits & 0x807f0000) | (110 + (kind >> 3) % 40) << 23;
    case 4: return (bits & 0x80000007) | (120 + (kind >> 3) % 20) << 23 | (kind & 0x100 ? 0x7ffff8 : 0);
    case 5: return (bits & 0x807fffff) | (200 + (kind >> 3) % 55) << 23;
    default: return bits;
    }
}

/* The negative of x * y cut to FP32, changed a little: what cancels the product nearly. */
static uint32_t nearly_cancelling(uint32_t x, uint32_t y)
{
    uint32_t product = sfpu_mad(x, y, 0) ^ SIGN, kind = random_bits();
    product += (kind & 7) - 3;
    return kind & 8 ? product ^ 1u << (kind >> 4 & 31) : product;
}

struct row {
    uint32_t x[LANES], y[LANES], z[LANES];
};

/* Exponents within +-reach of that of one: what aligns in every way. */
static uint32_t operand_near_one(uint32_t reach)
{
    uint32_t kind = random_bits(), exponent = 127 - reach + (kind >> 4) % (2 * reach);
    uint32_t kept = (kind & 3) == 0 ? 0x807f0000 : (kind & 3) == 1 ? 0x8000000f : 0x807fffff;
    return (random_bits() & kept) | exponent << 23;
}

static struct row row_near_one(uint32_t reach)
{
    struct row row;
    for (unsigned lane = 0; lane < LANES; lane++) {
        row.x[lane] = operand_near_one(reach);
        row.y[lane] = operand_near_one(reach);
        row.z[lane] = operand_near_one(reach);
    }
    return row;
}

static struct row random_row(void)
{
    struct row row;
    for (unsigned lane = 0; lane < LANES; lane++) {
        row.x[lane] = random_operand();
        row.y[lane] = random_operand();
        row.z[lane] = random_bits() % 3 ? random_operand() : nearly_cancelling(row.x[lane], row.y[lane]);
    }
    return row;
}

typedef void lanes_version(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes);

static void expect_reference(lanes_version *version, const struct row *row, uint32_t x_sign, uint32_t z_sign,
                             uint32_t lanes)
{
    uint32_t result[LANES];
    memset(result, 0x5a, sizeof result);
    struct sfpu_mad_operands operands = {row->x, row->y, row->z, x_sign, z_sign};
    version(result, &operands, lanes);
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t expected = sfpu_mad(row->x[lane] ^ x_sign, row->y[lane], row->z[lane] ^ z_sign);
        if (result[lane] != (lanes >> lane & 1 ? expected : 0x5a5a5a5a)) {
            fail_msg("%08x * %08x + %08x: %08x instead of %08x", row->x[lane] ^ x_sign, row->y[lane],
                     row->z[lane] ^ z_sign, result[lane], expected);
        }
    }
}

/* As on a host that has no more than that; with those of this host if it has less. */
static void on_level(enum host_vectors level, uint32_t *result, const struct sfpu_mad_operands *operands,
                     uint32_t lanes)
{
    enum host_vectors before = host_vectors;
    host_vectors = level < before ? level : before;
    sfpu_mad_lanes(result, operands, lanes);
    host_vectors = before;
}

static void with_avx2(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes)
{
    on_level(HOST_VECTORS_V3, result, operands, lanes);
}

static void on_any_host(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes)
{
    on_level(HOST_VECTORS_BASIC, result, operands, lanes);
}

/* By the functions for generated code: that which adds where x is 1 in all lanes, or multiplies where z is null; on
   hosts that have them. */
#if defined(__x86_64__)
typedef uint32_t half __attribute__((vector_size(64), aligned(4), may_alias));
typedef half half_function(half x, half y, half z, uint32_t lanes);

static bool is_one(const uint32_t *x, uint32_t sign)
{
    bool one = true;
    for (unsigned lane = 0; lane < LANES; lane++) {
        one &= (x[lane] ^ sign) == ONE;
    }
    return one;
}

__attribute__((target("avx512f"))) static void by_halves(uint32_t *result, const struct sfpu_mad_operands *operands,
                                                         uint32_t lanes)
{
    static const uint32_t zeros[LANES];
    bool product = !operands->z && !operands->z_sign, addition = !product && is_one(operands->x, operands->x_sign);
    half_function *function = (half_function *)sfpu_mad_in_registers(product    ? SFPU_MULTIPLY
                                                                     : addition ? SFPU_ADD
                                                                                : SFPU_MULTIPLY_ADD);
    for (unsigned first = 0; first < LANES; first += LANES / 2) {
        half x = *(const half *)(operands->x + first) ^ operands->x_sign, y = *(const half *)(operands->y + first);
        half z = *(const half *)((operands->z ? operands->z : zeros) + first) ^ operands->z_sign;
        half sums = addition ? function(y, z, z, lanes >> first & 0xffff) : function(x, y, z, lanes >> first & 0xffff);
        for (unsigned lane = 0; lane < LANES / 2; lane++) {
            result[first + lane] = lanes >> (first + lane) & 1 ? sums[lane] : result[first + lane];
        }
    }
}
#endif

static void in_registers(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes)
{
#if defined(__x86_64__)
    if (host_has_avx512() && sfpu_mad_in_registers(SFPU_MULTIPLY)) {
        host_floats before = host_floats_begin();
        by_halves(result, operands, lanes);
        host_floats_end(before);
        return;
    }
#endif
    sfpu_mad_lanes(result, operands, lanes);
}

static void expect_all_versions(const struct row *row, uint32_t x_sign, uint32_t z_sign, uint32_t lanes)
{
    expect_reference(sfpu_mad_lanes, row, x_sign, z_sign, lanes);
    expect_reference(with_avx2, row, x_sign, z_sign, lanes);
    expect_reference(on_any_host, row, x_sign, z_sign, lanes);
    expect_reference(in_registers, row, x_sign, z_sign, lanes);
}

static void lanes_equal_the_reference_on_random_operands(void **state)
{
    for (unsigned i = 0; i < 40000; i++) {
        struct row row = random_row();
        uint32_t kind = random_bits();
        expect_all_versions(&row, kind & 1 ? SIGN : 0, kind & 2 ? SIGN : 0, kind & 4 ? UINT32_MAX : random_bits());
    }
}

/* A product whose exponent is near the limits, or anywhere. */
static struct row row_of_products(void)
{
    enum { LEAST = 1, MOST = 254, SPREAD = 6 };
    struct row row = random_row();
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t kind = random_bits(), exponent = LEAST + random_bits() % MOST;
        uint32_t sum = (kind & 1 ? LEAST + 127 : MOST + 127) + kind / 256 % SPREAD - SPREAD / 2, other = sum - exponent;
        if (kind % 16 && other >= LEAST && other <= MOST) {
            row.x[lane] = (row.x[lane] & 0x807fffff) | exponent << 23;
            row.y[lane] = (row.y[lane] & 0x807fffff) | other << 23;
        }
        row.z[lane] = 0;
    }
    return row;
}

static void products_equal_sums_with_zero(void **state)
{
    for (unsigned i = 0; i < 40000; i++) {
        struct row row = i & 1 ? row_of_products() : row_near_one(100);
        uint32_t kind = random_bits(), result[LANES];
        memset(row.z, 0, sizeof row.z);
        struct sfpu_mad_operands operands = {row.x, row.y, NULL, kind & 1 ? SIGN : 0, kind & 2 ? SIGN : 0};
        lanes_version *versions[] = {sfpu_mad_lanes, with_avx2, on_any_host, in_registers};
        for (unsigned version = 0; version < COUNT_OF(versions); version++) {
            versions[version](result, &operands, UINT32_MAX);
            for (unsigned lane = 0; lane < LANES; lane++) {
                assert_int_equal(result[lane], sfpu_mad(row.x[lane] ^ operands.x_sign, row.y[lane], operands.z_sign));
            }
        }
    }
}

static void sums_equal_sums_of_products_with_one(void **state)
{
    for (unsigned i = 0; i < 40000; i++) {
        struct row row = i & 1 ? random_row() : row_near_one(30);
        uint32_t kind = random_bits();
        for (unsigned lane = 0; lane < LANES; lane++) {
            row.x[lane] = ONE;
            row.z[lane] = random_bits() % 8 ? row.z[lane] : row.y[lane] ^ (random_bits() & (SIGN | 3));
        }
        expect_all_versions(&row, 0, kind & 2 ? SIGN : 0, kind & 4 ? UINT32_MAX : random_bits());
    }
}

/* Without a factor of one in memory. */
static void additions_equal_sums_of_products_with_one(void **state)
{
    for (unsigned i = 0; i < 40000; i++) {
        struct row row = i & 1 ? random_row() : row_near_one(1 + i % 100);
        uint32_t kind = random_bits(), result[LANES];
        for (unsigned lane = 0; lane < LANES && kind & 4; lane++) {
            row.z[lane] = random_bits() % 8 ? row.z[lane] : row.x[lane] ^ (random_bits() & (SIGN | 3));
        }
        struct sfpu_mad_operands operands = {row.x, NULL, row.z, kind & 1 ? SIGN : 0, kind & 2 ? SIGN : 0};
        lanes_version *versions[] = {sfpu_mad_lanes, with_avx2, on_any_host};
        for (unsigned version = 0; version < COUNT_OF(versions); version++) {
            versions[version](result, &operands, UINT32_MAX);
            for (unsigned lane = 0; lane < LANES; lane++) {
                assert_int_equal(result[lane],
                                 sfpu_mad(row.x[lane] ^ operands.x_sign, ONE, row.z[lane] ^ operands.z_sign));
            }
        }
    }
}

/* What is not zero is in range for the host's floats: the same once more for rows that have zeros, too. */
static void lanes_equal_the_reference_beside_zeros(void **state)
{
    for (unsigned i = 0; i < 40000; i++) {
        struct row row = row_near_one(1 + i % 40);
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint32_t kind = random_bits();
            if (i & 1) { /* products that may be too small for floats */
                row.x[lane] -= 38u << 23;
                row.y[lane] -= 38u << 23;
            }
            row.x[lane] &= kind & 7 ? UINT32_MAX : SIGN;
            row.y[lane] &= kind & 0x70 ? UINT32_MAX : SIGN;
            row.z[lane] &= kind & 0x700 ? UINT32_MAX : SIGN;
        }
        expect_all_versions(&row, 0, 0, UINT32_MAX);
    }
}

/* A product and an addend that nearly cancel, however the exponents of factors lie. */
static void lanes_equal_the_reference_where_terms_cancel(void **state)
{
    for (unsigned i = 0; i < 60000; i++) {
        struct row row = row_near_one(1 + i % 20);
        for (unsigned lane = 0; lane < LANES; lane++) {
            row.z[lane] = nearly_cancelling(row.x[lane], row.y[lane]);
        }
        expect_all_versions(&row, 0, 0, UINT32_MAX);
    }
}

static void lanes_equal_the_reference_however_operands_align(void **state)
{
    for (unsigned i = 0; i < 60000; i++) {
        struct row row = row_near_one(1 + i % 16);
        expect_all_versions(&row, 0, 0, UINT32_MAX);
    }
}

static void lanes_equal_the_reference_on_all_triples_of_specials(void **state)
{
    for (unsigned x = 0; x < COUNT_OF(specials); x++) {
        for (unsigned y = 0; y < COUNT_OF(specials); y++) {
            struct row row;
            for (unsigned lane = 0; lane < LANES; lane++) {
                row.x[lane] = specials[x];
                row.y[lane] = specials[y];
                row.z[lane] = specials[lane % COUNT_OF(specials)];
            }
            expect_all_versions(&row, 0, 0, UINT32_MAX);
        }
    }
}

static void results_do_not_depend_on_the_hosts_rounding(void **state)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (unsigned i = 0; i < 2000; i++) {
        struct row row = random_row();
        for (unsigned mode = 0; mode < COUNT_OF(modes); mode++) {
            fesetround(modes[mode]);
            expect_all_versions(&row, 0, 0, UINT32_MAX);
        }
        fesetround(FE_TONEAREST);
    }
}

#if defined(__x86_64__)
/* Denormals as zero, and flushed to zero, in the control register of SSE. */
static void results_do_not_depend_on_the_hosts_denormals(void **state)
{
    unsigned before = __builtin_ia32_stmxcsr();
    for (unsigned i = 0; i < 2000; i++) {
        struct row row = random_row();
        __builtin_ia32_ldmxcsr(before | 0x8040);
        expect_all_versions(&row, 0, 0, UINT32_MAX);
        __builtin_ia32_ldmxcsr(before);
    }
}
#endif

/* Nothing traps, although the program that the library is part of has asked for that. */
static void inexact_results_do_not_trap(void **state)
{
    struct row row = random_row();
    feenableexcept(FE_INEXACT | FE_OVERFLOW | FE_INVALID);
    expect_all_versions(&row, 0, 0, UINT32_MAX);
    fedisableexcept(FE_ALL_EXCEPT);
}

static void the_result_may_be_an_operand(void **state)
{
    struct row row = random_row(), copy = row;
    sfpu_mad_lanes(row.z, &(struct sfpu_mad_operands){row.z, row.z, row.z, 0, 0}, 0x0ff05a3c);
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t z = copy.z[lane];
        assert_int_equal(row.z[lane], 0x0ff05a3c >> lane & 1 ? sfpu_mad(z, z, z) : z);
    }
}

static void denormals_count_as_zero_and_become_zero(void **state)
{
    assert_int_equal(sfpu_mad(0x007fffff, 0x7f000000, 0), 0);
    assert_int_equal(sfpu_mad(ONE, 0x007fffff, 0x80000001), 0);
    assert_int_equal(sfpu_mad(ONE | SIGN, 0x007fffff, 0x80000001), SIGN);
    assert_int_equal(sfpu_mad(0x00800000, ONE, 0x80ffffff), SIGN);
    assert_int_equal(sfpu_mad(0x3f7fffff, 0x00800000, 0), 0x00800000); /* rounded up to the smallest normal number */
}

static void nan_is_canonical_and_infinities_follow_ieee(void **state)
{
    assert_int_equal(sfpu_mad(0xffffffff, ONE, ONE), CANONICAL_NAN);
    assert_int_equal(sfpu_mad(INFINITE, 0, ONE), CANONICAL_NAN);
    assert_int_equal(sfpu_mad(INFINITE, 0x00000001, ONE), CANONICAL_NAN);
    assert_int_equal(sfpu_mad(INFINITE, ONE, INFINITE | SIGN), CANONICAL_NAN);
    assert_int_equal(sfpu_mad(INFINITE, ONE | SIGN, INFINITE | SIGN), INFINITE | SIGN);
    assert_int_equal(sfpu_mad(ONE, ONE, INFINITE | SIGN), INFINITE | SIGN);
    assert_int_equal(sfpu_mad(0x7f7fffff, 0x7f7fffff, 0), INFINITE);
    assert_int_equal(sfpu_mad(0x7f7fffff, ONE, 0x7f7fffff), INFINITE);
}

static void one_rounding_to_even(void **state)
{
    assert_int_equal(sfpu_mad(ONE, 0x4b800000, ONE), 0x4b800000);      /* 2^24 + 1 is a tie */
    assert_int_equal(sfpu_mad(ONE, 0x4b800001, ONE), 0x4b800002);      /* 2^24 + 3 too */
    assert_int_equal(sfpu_mad(0x3f800001, 0x3f800001, 0), 0x3f800002); /* 1 + 2^-22 + 2^-46 */
}

/* The square of 1 + 2^-12 has 2^-24; all of it is kept. That of 1 + 2^-23 has 2^-46: only a trace of it, worth 2^-26,
   remains, and becomes the result when the rest cancels. */
static void products_are_kept_to_27_bits(void **state)
{
    assert_int_equal(sfpu_mad(0x3f800800, 0x3f800800, 0xbf801000), 0x33800000);
    assert_int_equal(sfpu_mad(0x3f800001, 0x3f800001, 0xbf800002), 0x32800000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(denormals_count_as_zero_and_become_zero),
        cmocka_unit_test(nan_is_canonical_and_infinities_follow_ieee),
        cmocka_unit_test(one_rounding_to_even),
        cmocka_unit_test(products_are_kept_to_27_bits),
        cmocka_unit_test(lanes_equal_the_reference_on_random_operands),
        cmocka_unit_test(products_equal_sums_with_zero),
        cmocka_unit_test(sums_equal_sums_of_products_with_one),
        cmocka_unit_test(additions_equal_sums_of_products_with_one),
        cmocka_unit_test(lanes_equal_the_reference_beside_zeros),
        cmocka_unit_test(lanes_equal_the_reference_where_terms_cancel),
        cmocka_unit_test(lanes_equal_the_reference_however_operands_align),
        cmocka_unit_test(lanes_equal_the_reference_on_all_triples_of_specials),
        cmocka_unit_test(results_do_not_depend_on_the_hosts_rounding),
#if defined(__x86_64__)
        cmocka_unit_test(results_do_not_depend_on_the_hosts_denormals),
#endif
        cmocka_unit_test(inexact_results_do_not_trap),
        cmocka_unit_test(the_result_may_be_an_operand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
