/* The arithmetic of the matrix unit against results recorded on another model (tests/vectors/fpu_operations.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "vectors/fpu_operations.h"

static struct fpu_mode mode_of(uint32_t mode)
{
    bool exponent_8b = mode & FPU_VECTORS_EXPONENT_8B;
    uint32_t a_bits = mode & FPU_VECTORS_SRCA_TF32 ? FPU_TF32_BITS : FPU_BF16_BITS;
    uint32_t b_bits = mode & FPU_VECTORS_SRCB_TF32 ? FPU_TF32_BITS : FPU_BF16_BITS;
    return (struct fpu_mode){.exponent_8b = exponent_8b,
                             .dst32 = mode & FPU_VECTORS_DST32,
                             .srca_bits = exponent_8b ? a_bits : FPU_FP16_BITS,
                             .srcb_bits = exponent_8b ? b_bits : FPU_FP16_BITS,
                             .fidelity_phase = mode >> FPU_VECTORS_PHASE_SHIFT & 3};
}

/* The words of one case. false: the file ends here. */
static bool read_case(FILE *file, struct fpu_vectors_case *vectors)
{
    uint8_t bytes[sizeof *vectors];
    size_t size = fread(bytes, 1, sizeof bytes, file);
    for (size_t i = 0; i + 3 < size; i += 4) {
        const uint8_t *b = bytes + i;
        uint32_t word = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        memcpy((uint8_t *)vectors + i, &word, sizeof word);
    }
    assert_true(size == 0 || size == sizeof bytes);
    return size != 0;
}

static void expect_results(const char *operation, const struct fpu_vectors_case *vectors,
                           uint32_t result[FPU_GROUP][FPU_COLUMNS], const uint32_t expected[FPU_GROUP][FPU_COLUMNS])
{
    for (unsigned i = 0; i < FPU_GROUP; i++) {
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            if (result[i][j] != expected[i][j]) {
                fail_msg("%s in mode 0x%x, row %u, column %u, onto 0x%08x: 0x%08x, should be 0x%08x", operation,
                         vectors->mode, i, j, vectors->dst[i][j], result[i][j], expected[i][j]);
            }
        }
    }
}

static void results_equal_the_recorded_ones(void **state)
{
    FILE *file = fopen(BHEMU_SOURCE_DIR "/tests/vectors/fpu_operations.bin", "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, FPU_VECTORS_TEXT, SEEK_SET), 0);
    struct fpu_vectors_case vectors;
    unsigned cases = 0;
    while (read_case(file, &vectors)) {
        struct fpu_mode mode = mode_of(vectors.mode);
        uint32_t result[FPU_GROUP][FPU_COLUMNS];
        memcpy(result, vectors.dst, sizeof result);
        fpu_multiply_matrices(&mode, vectors.a, vectors.b, result, FPU_GROUP);
        expect_results("matrix product", &vectors, result, vectors.matrix_product);
        memcpy(result, vectors.dst, sizeof result);
        fpu_multiply_elements(&mode, vectors.a, vectors.b, result, FPU_GROUP);
        expect_results("product", &vectors, result, vectors.product);
        mode.fidelity_phase = 0;
        memcpy(result, vectors.dst, sizeof result);
        fpu_add_elements(&mode, vectors.a, vectors.b, result, FPU_GROUP);
        expect_results("sum", &vectors, result, vectors.sum);
        cases++;
    }
    fclose(file);
    assert_int_equal(cases, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_equal_the_recorded_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
