/* The row functions of fpu.h against the reference, on random operands and special ones. */
#include "tensix/num/fpu_variants.h"
#include "util/xorshift.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint32_t random32(void)
{
    return xorshift64_word(&random_state);
}

/* A datum of 32 bits: any bits, or an exponent near `centre`, or one of the special values. */
static uint32_t random_datum(uint32_t centre, uint32_t exponent_mask)
{
    uint32_t datum = random32();
    uint32_t choice = random32() % 16;
    uint32_t exponent = datum >> 23 & 0xff;
    if (choice < 11) {
        exponent = centre + random32() % 9 - 4;
    } else if (choice == 11) {
        exponent = 0;
    } else if (choice == 12) {
        exponent = random32() & 1 ? exponent_mask : random32() & 3;
    } else if (choice == 13) {
        return datum & 0x80000000;
    }
    if (choice == 14) {
        datum &= 0x80000000;
    }
    return (datum & ~UINT32_C(0x7f800000)) | (exponent & exponent_mask) << 23;
}

static struct fpu_mode random_mode(void)
{
    static const uint32_t bits[] = {FPU_BF16_BITS, FPU_TF32_BITS};
    struct fpu_mode mode = {.exponent_8b = random32() % 3 != 0,
                            .dst32 = random32() & 1,
                            .keep_srcb_denormals = random32() % 4 == 0,
                            .fidelity_phase = random32() & 3};
    mode.srca_bits = mode.exponent_8b ? bits[random32() & 1] : FPU_FP16_BITS;
    mode.srcb_bits = mode.exponent_8b ? bits[random32() & 1] : FPU_FP16_BITS;
    return mode;
}

struct operands {
    uint32_t a[FPU_DEPTH][FPU_COLUMNS], b[FPU_GROUP][FPU_DEPTH], dst[FPU_GROUP][FPU_COLUMNS];
};

static void fill(const struct fpu_mode *mode, struct operands *operands)
{
    uint32_t mask = mode->exponent_8b ? 0xff : 0x1f;
    uint32_t centre_a = mode->exponent_8b ? 127 + random32() % 200 - 100 : 15;
    uint32_t centre_b = mode->exponent_8b ? 254 - centre_a : 15;
    bool extreme = random32() % 8 == 0;
    if (extreme) {
        centre_a = random32() & 1 ? random32() : 0;
        centre_b = random32() & 1 ? random32() : 0;
    }
    uint32_t centre_dst = (centre_a + centre_b - (mode->exponent_8b ? 127 : 15)) & mask;
    if (!mode->exponent_8b && mode->dst32) {
        centre_dst += 112;
    }
    for (unsigned i = 0; i < FPU_DEPTH; i++) {
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            operands->a[i][j] = random_datum(centre_a, mask) & FPU_TF32_BITS;
        }
    }
    for (unsigned i = 0; i < FPU_GROUP; i++) {
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            operands->b[i][j] = random_datum(centre_b, mask) & FPU_TF32_BITS;
            uint32_t dst = random_datum(centre_dst, mode->dst32 ? 0xff : mask);
            operands->dst[i][j] = mode->dst32 ? dst : dst & (uint32_t)(mode->exponent_8b ? 0xffff0000 : 0x8fffe000);
        }
    }
}

static void expect_reference_products(const struct fpu_mode *mode, const struct operands *operands,
                                      uint32_t result[FPU_GROUP][FPU_COLUMNS])
{
    for (unsigned i = 0; i < FPU_GROUP; i++) {
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            uint32_t column[FPU_DEPTH];
            for (unsigned k = 0; k < FPU_DEPTH; k++) {
                column[k] = operands->a[k][j];
            }
            assert_int_equal(result[i][j], fpu_reference_dot(mode, column, operands->b[i], operands->dst[i][j]));
        }
    }
}

static void matrix_products_equal_the_reference(void **state)
{
    const enum host_vectors highest = host_vectors;
    for (unsigned round = 0; round < 20000; round++) {
        struct fpu_mode mode = random_mode();
        struct operands operands;
        fill(&mode, &operands);
        for (host_vectors = HOST_VECTORS_BASIC; host_vectors <= highest; host_vectors++) {
            uint32_t result[FPU_GROUP][FPU_COLUMNS];
            memcpy(result, operands.dst, sizeof result);
            fpu_multiply_matrices(&mode, operands.a, operands.b, result, FPU_GROUP);
            expect_reference_products(&mode, &operands, result);
        }
        host_vectors = highest;
    }
}

static void expect_reference_elements(const struct fpu_mode *mode, const struct operands *operands,
                                      const uint32_t product[][FPU_COLUMNS], const uint32_t sum[][FPU_COLUMNS])
{
    for (unsigned i = 0; i < FPU_GROUP; i++) {
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            uint32_t a = operands->a[i][j], b = operands->b[i][j], dst = operands->dst[i][j];
            assert_int_equal(product[i][j], fpu_reference_multiply(mode, a, b, dst));
            assert_int_equal(sum[i][j], fpu_reference_add(mode, a, b, dst));
        }
    }
}

static void expect_reference_sums(const struct fpu_mode *mode, const struct operands *operands,
                                  const uint32_t sum[][FPU_COLUMNS])
{
    for (unsigned i = 0; i < FPU_GROUP; i++) {
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            assert_int_equal(sum[i][j], fpu_reference_add(mode, operands->a[i][j], operands->b[i][j], 0));
        }
    }
}

static void element_products_and_sums_equal_the_reference(void **state)
{
    const enum host_vectors highest = host_vectors;
    for (unsigned round = 0; round < 40000; round++) {
        struct fpu_mode mode = random_mode();
        struct operands operands;
        fill(&mode, &operands);
        for (host_vectors = HOST_VECTORS_BASIC; host_vectors <= highest; host_vectors++) {
            uint32_t product[FPU_GROUP][FPU_COLUMNS], sum[FPU_GROUP][FPU_COLUMNS];
            memcpy(product, operands.dst, sizeof product);
            memcpy(sum, operands.dst, sizeof sum);
            fpu_multiply_elements(&mode, operands.a, operands.b, product, FPU_GROUP);
            fpu_add_elements(&mode, operands.a, operands.b, sum, FPU_GROUP);
            expect_reference_elements(&mode, &operands, product, sum);
            fpu_sum_elements(&mode, operands.a, operands.b, sum, FPU_GROUP);
            expect_reference_sums(&mode, &operands, sum);
        }
        host_vectors = highest;
    }
}

static const struct fpu_mode bf16_to_fp32 = {
    .srca_bits = FPU_BF16_BITS, .srcb_bits = FPU_BF16_BITS, .exponent_8b = true, .dst32 = true};

/* SrcASrcB.md, "Fidelity phases (floating-point)": the four phases of BF16 together see every mantissa bit. */
static void four_phases_of_bf16_give_the_whole_product(void **state)
{
    struct fpu_mode mode = bf16_to_fp32;
    uint32_t sum = 0;
    for (unsigned phase = 0; phase < 4; phase++) {
        mode.fidelity_phase = (uint8_t)phase;
        sum = fpu_reference_multiply(&mode, 0x3fb50000, 0x40490000, sum); /* 1.4140625 * 3.140625 */
    }
    assert_int_equal(sum, 0x408e1d00); /* 4.44104003906250 exactly */
}

/* FloatBitPatterns.md: a zero exponent is zero, a maximal one is a number, what is too large becomes infinity. */
static void denormals_are_zero_and_overflow_is_infinity(void **state)
{
    struct fpu_mode mode = bf16_to_fp32;
    assert_int_equal(fpu_reference_multiply(&mode, 0x007f0000, 0x3f800000, 0), 0);
    assert_int_equal(fpu_reference_add(&mode, 0x807f0000, 0x80010000, 0x807fffff), 0);
    assert_int_equal(fpu_reference_multiply(&mode, 0x7fc00000, 0x3f000000, 0), 0x7f400000);
    assert_int_equal(fpu_reference_multiply(&mode, 0xff000000, 0x7f000000, 0), 0xff800000);
    mode = (struct fpu_mode){.srca_bits = FPU_FP16_BITS, .srcb_bits = FPU_FP16_BITS};
    assert_int_equal(fpu_reference_multiply(&mode, 0x0f800000, 0x8f800000, 0), 0x8fffe000);
}

/* SrcASrcB.md, "Fidelity phases (integer)": all four phases together multiply 255 * 1023. */
static void four_phases_of_integers_give_the_whole_product(void **state)
{
    uint32_t a[1][FPU_COLUMNS], b[1][FPU_COLUMNS], dst[1][FPU_COLUMNS] = {0};
    for (unsigned j = 0; j < FPU_COLUMNS; j++) {
        a[0][j] = 0x88000000 | 255u << 13;
        b[0][j] = 0x08000000 | 1023u << 13;
    }
    for (unsigned phase = 0; phase < 4; phase++) {
        struct fpu_mode mode = {.fidelity_phase = (uint8_t)phase};
        fpu_multiply_integer_elements(&mode, a, b, dst, 1);
    }
    assert_int_equal(dst[0][3], 0x80000000 | 255 * 1023);
}

/* SrcASrcB.md, "Integer "8"" and "Fidelity phases (integer)". */
static int64_t integer_of(uint32_t datum, uint32_t magnitude_bits, bool keep_denormals)
{
    int64_t magnitude = (datum & 0x7f800000) || keep_denormals ? datum >> 13 & magnitude_bits : 0;
    return datum >> 31 ? -magnitude : magnitude;
}

static uint32_t integer_to_dst(uint32_t dst, int64_t value)
{
    int64_t magnitude = dst & 0x7fffffff, sum = (dst >> 31 ? -magnitude : magnitude) + value;
    sum = sum > INT32_MAX ? INT32_MAX : sum < -INT32_MAX ? -INT32_MAX : sum;
    return sum < 0 ? 0x80000000 | (uint32_t)-sum : (uint32_t)sum;
}

static void expect_integers(const struct fpu_mode *mode, const struct operands *operands)
{
    const uint32_t a_bits = mode->fidelity_phase & 1 ? 0x01f : 0x0e0, b_bits = mode->fidelity_phase & 2 ? 0x00f : 0x3f0;
    const bool keep = mode->keep_srcb_denormals;
    uint32_t matrix[FPU_GROUP][FPU_COLUMNS], product[FPU_GROUP][FPU_COLUMNS], sum[FPU_GROUP][FPU_COLUMNS];
    memcpy(matrix, operands->dst, sizeof matrix);
    memcpy(product, operands->dst, sizeof product);
    memcpy(sum, operands->dst, sizeof sum);
    fpu_multiply_integer_matrices(mode, operands->a, operands->b, matrix, FPU_GROUP);
    fpu_multiply_integer_elements(mode, operands->a, operands->b, product, FPU_GROUP);
    fpu_add_integer_elements(mode, operands->a, operands->b, sum, FPU_GROUP);
    for (unsigned i = 0; i < FPU_GROUP; i++) {
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            uint32_t a = operands->a[i][j], b = operands->b[i][j], dst = operands->dst[i][j];
            int64_t dot = 0;
            for (unsigned k = 0; k < FPU_DEPTH; k++) {
                dot += integer_of(operands->a[k][j], a_bits, false) * integer_of(operands->b[i][k], b_bits, keep);
            }
            assert_int_equal(matrix[i][j], integer_to_dst(dst, dot));
            assert_int_equal(product[i][j],
                             integer_to_dst(dst, integer_of(a, a_bits, false) * integer_of(b, b_bits, keep)));
            assert_int_equal(sum[i][j], integer_to_dst(dst, integer_of(a, 0x3ff, false) + integer_of(b, 0x3ff, keep)));
        }
    }
}

/* At every vector level of the host, with random operands. */
static void integers_are_multiplied_and_added(void **state)
{
    const enum host_vectors highest = host_vectors;
    for (unsigned round = 0; round < 4000; round++) {
        struct operands operands;
        struct fpu_mode mode = {.fidelity_phase = (uint8_t)(round & 3), .keep_srcb_denormals = round & 4};
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            for (unsigned i = 0; i < FPU_DEPTH; i++) {
                operands.a[i][j] = random32() & (random32() % 8 ? 0xffffe000 : 0x807fe000);
            }
            for (unsigned i = 0; i < FPU_GROUP; i++) {
                uint32_t extreme = random32() & 0x8000000f;
                operands.b[i][j] = random32() & (random32() % 8 ? 0xffffe000 : 0x807fe000);
                operands.dst[i][j] = round & 8 ? random32() : round & 16 ? extreme : 0x7ffffff0 | extreme;
            }
        }
        for (host_vectors = HOST_VECTORS_BASIC; host_vectors <= highest; host_vectors++) {
            expect_integers(&mode, &operands);
        }
        host_vectors = highest;
    }
}

/* Products of integer matrices are the same with and without the host's vectors. */
static void integer_products_do_not_depend_on_the_host(void **state)
{
    enum { ROUNDS = 500, ROWS = 8 };
    const enum host_vectors highest = host_vectors;
    uint64_t random = 88172645463325252u;
    uint32_t a[FPU_DEPTH][FPU_COLUMNS], b[ROWS][FPU_DEPTH], before[ROWS][FPU_COLUMNS], plain[ROWS][FPU_COLUMNS],
        fast[ROWS][FPU_COLUMNS];
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < FPU_DEPTH * FPU_COLUMNS; i++) {
            a[i / FPU_COLUMNS][i % FPU_COLUMNS] = xorshift64_word(&random) & 0xffffe000;
        }
        for (unsigned i = 0; i < ROWS * FPU_COLUMNS; i++) {
            uint32_t datum = xorshift64_word(&random) & 0xffffe000, dst = xorshift64_word(&random);
            b[i / FPU_COLUMNS][i % FPU_COLUMNS] = i % 8 ? datum : datum & 0x807fe000;
            before[i / FPU_COLUMNS][i % FPU_COLUMNS] = i % 4 ? dst : dst | 0x7ffff000;
        }
        struct fpu_mode mode = {.fidelity_phase = (uint8_t)(round & 3), .keep_srcb_denormals = round & 4};
        memcpy(plain, before, sizeof plain);
        memcpy(fast, before, sizeof fast);
        host_vectors = HOST_VECTORS_BASIC;
        fpu_multiply_integer_matrices(&mode, a, b, plain, ROWS);
        host_vectors = highest;
        fpu_multiply_integer_matrices(&mode, a, b, fast, ROWS);
        assert_memory_equal(plain, fast, sizeof plain);
    }
}

/* ELWADD.md: sums with Dst clamp at plus and minus 2^31 - 1. */
static void integer_sums_saturate(void **state)
{
    struct fpu_mode mode = {0};
    uint32_t a[1][FPU_COLUMNS], b[1][FPU_COLUMNS], dst[1][FPU_COLUMNS];
    for (unsigned j = 0; j < FPU_COLUMNS; j++) {
        a[0][j] = b[0][j] = (j & 1 ? 0x88000000 : 0x08000000) | 3u << 13;
    }
    static const uint32_t before[] = {0x7ffffffa, 0xfffffffa, 0x7ffffff9, 0xfffffff9,
                                      0x80000006, 6,          0x7fffffff, 0xffffffff};
    static const uint32_t after[] = {0x7fffffff, 0xffffffff, 0x7fffffff, 0xffffffff, 0, 0, 0x7fffffff, 0xffffffff};
    memset(dst, 0, sizeof dst);
    memcpy(dst, before, sizeof before);
    fpu_add_integer_elements(&mode, a, b, dst, 1);
    assert_memory_equal(dst, after, sizeof after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_products_equal_the_reference),
        cmocka_unit_test(element_products_and_sums_equal_the_reference),
        cmocka_unit_test(four_phases_of_bf16_give_the_whole_product),
        cmocka_unit_test(denormals_are_zero_and_overflow_is_infinity),
        cmocka_unit_test(four_phases_of_integers_give_the_whole_product),
        cmocka_unit_test(integers_are_multiplied_and_added),
        cmocka_unit_test(integer_products_do_not_depend_on_the_host),
        cmocka_unit_test(integer_sums_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
