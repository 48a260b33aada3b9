/* The kernel "sfpu" through the public C API: its functions against the host's in double precision, within the error
   bound of each, and bit for bit against the results of ttsim with the same programs and inputs (digests below;
   recorded through its C ABI, libttsim_api.md). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../kernels/sfpu/sfpu.h"
#include "copy.h"
#include "program.h"
#include "util/xorshift.h"

enum { TILE_X = 1, TILE_Y = 2, TILES = 5, DATA = TILES * 1024, THREADS = 3 };
enum { INPUT = LAYOUT_TENSORS, OUTPUT = INPUT + DATA * 4, KEEP_THRESHOLD = 0x60000000 };

/* Runs the function on `input`; false if the kernels are not built. */
static bool run(enum sfpu_function function, uint32_t parameter, const float *input, float *output)
{
    static const enum bh_core cores[THREADS] = {BH_CORE_T0, BH_CORE_T1, BH_CORE_T2};
    static const uint32_t pcs[THREADS] = {LAYOUT_TRISC0_CODE, LAYOUT_TRISC1_CODE, LAYOUT_TRISC2_CODE};
    struct bh_device_config config = {
        .on_diagnostic = print_diagnostic, .verify = verify_from_environment(), .mode = mode_from_environment()};
    struct bh_device *device;
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    if (!load_program(device, TILE_X, TILE_Y, BH_CORE_T0, "operation.trisc0", NULL) ||
        !load_program(device, TILE_X, TILE_Y, BH_CORE_T1, "sfpu.trisc1", NULL) ||
        !load_program(device, TILE_X, TILE_Y, BH_CORE_T2, "operation.trisc2", NULL)) {
        bh_device_destroy(device);
        return false;
    }
    struct sfpu_arguments arguments = {
        .operation = copy_of_fp32(INPUT, OUTPUT, TILES),
        .function = function,
        .parameter = parameter,
        .seed = 0x5eed,
    };
    assert_int_equal(bh_write(device, TILE_X, TILE_Y, INPUT, input, DATA * 4), BH_OK);
    assert_int_equal(bh_write(device, TILE_X, TILE_Y, LAYOUT_ARGUMENTS, &arguments, sizeof arguments), BH_OK);
    clear_completion(device, TILE_X, TILE_Y);
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(bh_core_start(device, TILE_X, TILE_Y, cores[i], pcs[i]), BH_OK);
    }
    run_to_completion(device, TILE_X, TILE_Y);
    assert_int_equal(bh_read(device, TILE_X, TILE_Y, OUTPUT, output, DATA * 4), BH_OK);
    bh_device_destroy(device);
    return true;
}

/* With ten bits of mantissa. */
static float as_tf32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0xffffe000;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

/* Uniform in [low, high). */
static void fill_uniform(float *data, float low, float high)
{
    uint64_t random = 0x5f9u;
    for (unsigned i = 0; i < DATA; i++) {
        data[i] = as_tf32(low + (high - low) * ((float)((uint32_t)(xorshift64(&random) >> 32) >> 8) / 0x1p24f));
    }
}

/* Magnitudes of 2^low to 2^high, with equally frequent exponents, of both signs or positive. */
static void fill_exponents(float *data, int low, int high, bool both_signs)
{
    uint64_t random = 0x5f9u;
    for (unsigned i = 0; i < DATA; i++) {
        uint32_t word = (uint32_t)(xorshift64(&random) >> 32);
        float x =
            as_tf32(ldexpf(1 + (float)(word & 0x3ff) / 0x1p10f, low + (int)((word >> 10) % (unsigned)(high - low))));
        data[i] = both_signs && word >> 31 ? -x : x;
    }
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double reciprocal(double x)
{
    return 1 / x;
}

/* x times the probability that a normally distributed number is below x. */
static double gelu(double x)
{
    return x * erfc(-x / sqrt(2)) / 2;
}

static uint64_t digest(const float *data)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (unsigned i = 0; i < DATA; i++) {
        uint32_t word;
        memcpy(&word, data + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* ttsim does not run SFPLOADMACRO, so there is none for SFPU_ESTIMATE. */
static const uint64_t recorded[SFPU_FUNCTIONS] = {
    [SFPU_EXPONENTIAL] = UINT64_C(0xec132b9f1dcce89a), [SFPU_LOGARITHM] = UINT64_C(0x3720dfa280349751),
    [SFPU_RECIPROCAL] = UINT64_C(0xea82222da631af3c),  [SFPU_SQUARE_ROOT] = UINT64_C(0xa609f62494c29867),
    [SFPU_SIGMOID] = UINT64_C(0xf6e211fed08d5b05),     [SFPU_TANH] = UINT64_C(0xf6f45b1f1f891078),
    [SFPU_GELU] = UINT64_C(0x26d4566b256d2e65),        [SFPU_DROPOUT] = UINT64_C(0x9e3e591497ba7325),
    [SFPU_GCD] = UINT64_C(0xbefc3d8cf636b325),         [SFPU_SORT] = UINT64_C(0x6969e87ada66f325),
};

static float input[DATA], output[DATA];

static void check_bits(enum sfpu_function function)
{
    assert_int_equal(digest(output), recorded[function]);
}

/* |error| <= relative * |exact| + absolute. */
static void check_function(enum sfpu_function function, double (*exact)(double), double relative, double absolute)
{
    if (!run(function, 0, input, output)) {
        skip();
    }
    double worst = 0;
    for (unsigned i = 0; i < DATA; i++) {
        double want = exact((double)input[i]), error = fabs((double)output[i] - want);
        double share = error / (relative * fabs(want) + absolute);
        if (!(share <= worst)) {
            worst = share;
        }
        if (!(share <= 1)) {
            fail_msg("f(%.9g) = %.9g, exactly %.17g", (double)input[i], (double)output[i], want);
        }
    }
    print_message("# worst error: %.3f of the bound\n", worst);
    check_bits(function);
}

static void exponentials(void **state)
{
    fill_uniform(input, -87, 88);
    check_function(SFPU_EXPONENTIAL, exp, 0x1p-22, 0);
}

static void logarithms(void **state)
{
    fill_exponents(input, -120, 120, false);
    check_function(SFPU_LOGARITHM, log, 0x1p-22, 0x1p-23);
}

static void reciprocals(void **state)
{
    fill_exponents(input, -100, 100, true);
    check_function(SFPU_RECIPROCAL, reciprocal, 0x1p-23, 0);
}

static void square_roots(void **state)
{
    fill_exponents(input, -100, 120, false);
    input[0] = 0;
    check_function(SFPU_SQUARE_ROOT, sqrt, 0x1p-23, 0x1p-149);
}

static void sigmoids(void **state)
{
    fill_uniform(input, -60, 60);
    check_function(SFPU_SIGMOID, sigmoid, 0x1p-21, 0);
}

static void hyperbolic_tangents(void **state)
{
    fill_uniform(input, -8, 8);
    check_function(SFPU_TANH, tanh, 0, 0x1p-22);
}

/* 2^-126, since results that would be denormal are zero. */
static void gelus(void **state)
{
    static float small[DATA];
    fill_exponents(small, -100, 4, true);
    fill_uniform(input, -15, 15);
    for (unsigned i = 0; i < DATA; i += 2) {
        input[i] = small[i];
    }
    check_function(SFPU_GELU, gelu, 0x1p-20, 0x1p-126);
}

static void gelus_of_what_is_not_in_range(void **state)
{
    static const struct {
        float x, result;
    } cases[] = {{0, 0},
                 {-0.0f, 0},
                 {15, 15},
                 {-15, 0},
                 {0x1p100f, 0x1p100f},
                 {-0x1p100f, 0},
                 {INFINITY, INFINITY},
                 {-INFINITY, 0},
                 {0x1.ffcp127f, 0x1.ffcp127f},
                 {-0x1.ffcp127f, 0},
                 {NAN, NAN},
                 {-NAN, NAN}};
    memset(input, 0, sizeof input);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        input[i] = cases[i].x;
    }
    if (!run(SFPU_GELU, 0, input, output)) {
        skip();
    }
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(isnan(cases[i].result) ? isnan(output[i]) : output[i] == cases[i].result);
    }
}

/* Three of four data are kept, since the threshold is three quarters of 2^31; the generator determines which. */
static void dropouts(void **state)
{
    fill_uniform(input, 1, 2);
    if (!run(SFPU_DROPOUT, KEEP_THRESHOLD, input, output)) {
        skip();
    }
    unsigned kept = 0;
    for (unsigned i = 0; i < DATA; i++) {
        assert_true(output[i] == 0 || output[i] == input[i]);
        kept += output[i] != 0;
    }
    assert_in_range(kept, DATA * 70 / 100, DATA * 80 / 100);
    check_bits(SFPU_DROPOUT);
}

static void greatest_common_divisors(void **state)
{
    uint64_t random = 0x6cd;
    for (unsigned i = 0; i < DATA; i++) {
        uint32_t word = (uint32_t)(xorshift64(&random) >> 32);
        input[i] = (float)(1 + (word >> 3) % 2047 / (1 + word % 8 * 3));
    }
    if (!run(SFPU_GCD, 0, input, output)) {
        skip();
    }
    for (unsigned i = 0; i < DATA; i += 2) {
        unsigned a = (unsigned)input[i], b = (unsigned)input[i + 1];
        while (b) {
            unsigned rest = a % b;
            a = b;
            b = rest;
        }
        assert_int_equal((unsigned)output[i], a);
        assert_int_equal((unsigned)output[i + 1], a);
    }
    check_bits(SFPU_GCD);
}

static void sorts(void **state)
{
    fill_exponents(input, -20, 20, true);
    if (!run(SFPU_SORT, 0, input, output)) {
        skip();
    }
    for (unsigned place = 0; place < DATA; place += place % 64 == 63 ? 193 : 1) { /* the first four rows of faces */
        float want[4];
        for (unsigned i = 0; i < 4; i++) {
            unsigned k = i;
            for (; k && want[k - 1] > input[place + i * 64]; k--) {
                want[k] = want[k - 1];
            }
            want[k] = input[place + i * 64];
        }
        for (unsigned i = 0; i < 4; i++) {
            assert_true(output[place + i * 64] == want[i]);
        }
    }
    check_bits(SFPU_SORT);
}

/* SFPARECIP.md: 0.9944 / x < estimate < 1.0054 / x; by SFPLOADMACRO or instruction by instruction. */
static void estimates(void **state)
{
    static float expanded[DATA];
    fill_exponents(input, -120, 120, true);
    if (!run(SFPU_ESTIMATE, 0, input, output) || !run(SFPU_ESTIMATE, 1, input, expanded)) {
        skip();
    }
    for (unsigned i = 0; i < DATA; i++) {
        double product = (double)input[i] * (double)output[i];
        assert_true(product > 0.9944 && product < 1.0054);
    }
    assert_memory_equal(output, expanded, sizeof output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponentials), cmocka_unit_test(logarithms),
        cmocka_unit_test(reciprocals),  cmocka_unit_test(square_roots),
        cmocka_unit_test(sigmoids),     cmocka_unit_test(hyperbolic_tangents),
        cmocka_unit_test(gelus),        cmocka_unit_test(gelus_of_what_is_not_in_range),
        cmocka_unit_test(dropouts),     cmocka_unit_test(greatest_common_divisors),
        cmocka_unit_test(sorts),        cmocka_unit_test(estimates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
