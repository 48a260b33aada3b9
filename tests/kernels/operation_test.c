/* The kernel "operation" through the public C API: every operation and format that tests/vectors/kernel_operation.bin
   records, bit for bit, and tilize, untilize and transpose by their definitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../kernels/operation/operation.h"
#include "program.h"
#include "util/xorshift.h"

enum { TILE_X = 1, TILE_Y = 2, VECTOR_TEXT = 1024, TENSOR_SIZE = 0x40000 };
enum { INPUT_A = LAYOUT_TENSORS, INPUT_B = INPUT_A + TENSOR_SIZE, OUTPUT = INPUT_B + TENSOR_SIZE, THREADS = 3 };
enum { FP32 = 0, FP16 = 1, TF32 = 4, BF16 = 5, BFP8 = 6, BFP4 = 7, BFP2 = 15 };
enum style { ANY_BITS, MODERATE, SPECIAL, ALL_DATA };

struct vector {
    struct operation_arguments arguments;
    uint32_t seed, style, digest[2];
};

struct fixture {
    struct bh_device *device;
    uint8_t a[TENSOR_SIZE], b[TENSOR_SIZE], output[TENSOR_SIZE];
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct bh_device_config config = {
        .on_diagnostic = print_diagnostic, .verify = verify_from_environment(), .mode = mode_from_environment()};
    assert_int_equal(bh_device_create(&config, &fixture->device), BH_OK);
    static const char *const names[THREADS] = {"operation.trisc0", "operation.trisc1", "operation.trisc2"};
    for (unsigned i = 0; i < THREADS; i++) {
        if (!load_program(fixture->device, TILE_X, TILE_Y, BH_CORE_T0 + i, names[i], NULL)) {
            print_message("# the kernels are not built (BHEMU_KERNELS is OFF)\n");
            bh_device_destroy(fixture->device);
            fixture->device = NULL;
            break;
        }
    }
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    bh_device_destroy(fixture->device);
    free(fixture);
    return 0;
}

/* Runs the kernel on a, b and the given contents of output. */
static void run(struct fixture *fixture, struct operation_arguments arguments)
{
    static const struct {
        enum bh_core core;
        uint32_t pc;
    } threads[THREADS] = {
        {BH_CORE_T0, LAYOUT_TRISC0_CODE}, {BH_CORE_T1, LAYOUT_TRISC1_CODE}, {BH_CORE_T2, LAYOUT_TRISC2_CODE}};
    struct bh_device *device = fixture->device;
    arguments.input_a = INPUT_A;
    arguments.input_b = INPUT_B;
    arguments.output = OUTPUT;
    uint32_t a_size = arguments.tiles * operation_tile_size(arguments.a_format);
    uint32_t b_size = arguments.tiles * operation_tile_size(arguments.b_format);
    uint32_t output_size = arguments.tiles * operation_tile_size(arguments.output_format);
    assert_true(a_size <= TENSOR_SIZE && b_size <= TENSOR_SIZE && output_size <= TENSOR_SIZE);
    assert_int_equal(bh_write(device, TILE_X, TILE_Y, INPUT_A, fixture->a, a_size), BH_OK);
    assert_int_equal(bh_write(device, TILE_X, TILE_Y, INPUT_B, fixture->b, b_size), BH_OK);
    assert_int_equal(bh_write(device, TILE_X, TILE_Y, OUTPUT, fixture->output, output_size), BH_OK);
    assert_int_equal(bh_write(device, TILE_X, TILE_Y, LAYOUT_ARGUMENTS, &arguments, sizeof arguments), BH_OK);
    clear_completion(device, TILE_X, TILE_Y);
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(bh_core_start(device, TILE_X, TILE_Y, threads[i].core, threads[i].pc), BH_OK);
    }
    run_to_completion(device, TILE_X, TILE_Y);
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(bh_core_stop(device, TILE_X, TILE_Y, threads[i].core), BH_OK);
    }
    assert_int_equal(bh_read(device, TILE_X, TILE_Y, OUTPUT, fixture->output, output_size), BH_OK);
}

/* ---- inputs ---- */

static bool is_fp32_like(uint32_t format)
{
    return format == FP32 || format == TF32;
}

/* Exponents around that of 1. */
static uint32_t made_moderate(uint32_t word, uint32_t format)
{
    if (is_fp32_like(format)) {
        return (word & 0x807fffff) | (119 + (word >> 23 & 15)) << 23;
    }
    if (format == BF16) {
        return (word & 0x807f807f) | (119 + (word >> 7 & 15)) << 7 | (119 + (word >> 23 & 15)) << 23;
    }
    if (format == FP16) {
        return (word & 0x83ff83ff) | (8 + (word >> 10 & 7)) << 10 | (8 + (word >> 26 & 7)) << 26;
    }
    return word;
}

/* Zeroes, denormals, infinities, NaNs, the largest numbers, and those near the limits of FP16's range. */
static uint32_t made_special(uint32_t word, uint32_t format)
{
    static const uint32_t fp32[16] = {0,          0x80000000, 1,          0x807fffff, 0x00800000, 0x7f800000,
                                      0xff800000, 0x7fc00000, 0xff800001, 0x7f7fffff, 0xff7fffff, 0x3f800000,
                                      0xbf7fffff, 0x477fe000, 0x47800000, 0x38000000};
    static const uint16_t bf16[16] = {0,      0x8000, 1,      0x807f, 0x0080, 0x7f80, 0xff80, 0x7fc0,
                                      0xff81, 0x7f7f, 0xff7f, 0x3f80, 0xbf7f, 0x4780, 0x4700, 0x3800};
    static const uint16_t fp16[16] = {0,      0x8000, 1,      0x83ff, 0x0400, 0x7c00, 0xfc00, 0x7e00,
                                      0xfc01, 0x7bff, 0xfbff, 0x3c00, 0xbbff, 0x7fff, 0xffff, 0x0401};
    if (is_fp32_like(format)) {
        return fp32[word & 15];
    }
    const uint16_t *halves = format == BF16 ? bf16 : format == FP16 ? fp16 : NULL;
    return halves ? halves[word & 15] | (uint32_t)halves[word >> 4 & 15] << 16 : word;
}

/* Four exponents of a block format: moderate ones or, for five-bit exponents, any. */
static uint32_t made_exponents(uint32_t word, uint32_t format, enum style style)
{
    bool eight_bits = format == BFP8 || format == BFP4 || format == BFP2;
    if (style != ANY_BITS) {
        return (word & 0x03030303) + (eight_bits ? 0x7b7b7b7b : 0x0c0c0c0c);
    }
    return eight_bits ? word : word & 0x1f1f1f1f;
}

/* Every datum of 16 bits or fewer, in as many tiles as needed; of a block format with every exponent. */
static void generate_all(uint8_t *bytes, uint32_t tiles, uint32_t format)
{
    uint32_t bits = operation_format_bits(format), tile_size = operation_tile_size(format);
    bool block = operation_format_is_block(format);
    for (uint32_t tile = 0; tile < tiles; tile++) {
        uint8_t *exponents = bytes + tile * tile_size, *data = exponents + (block ? 64 : 0);
        for (uint32_t i = 0; i < 64 && block; i++) {
            exponents[i] = (uint8_t)((tile * 64 + i) / (bits == 8 ? 16 : 1));
        }
        memset(data, 0, 1024 * bits / 8);
        for (uint32_t i = 0; i < 1024; i++) {
            uint32_t datum = (tile * 1024 + i) & ((1u << bits) - 1);
            for (uint32_t bit = 0; bit < bits; bit += 8) {
                data[(i * bits + bit) / 8] |= (uint8_t)(datum >> bit << i * bits % 8);
            }
        }
    }
}

static void generate(uint8_t *bytes, uint32_t tiles, uint32_t format, enum style style, uint64_t seed)
{
    if (style == ALL_DATA) {
        generate_all(bytes, tiles, format);
        return;
    }
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    uint32_t tile_words = operation_tile_size(format) / 4;
    for (uint32_t i = 0; i < tiles * tile_words; i++) {
        uint32_t word = (uint32_t)(xorshift64(&random) >> 32);
        word = style == ANY_BITS ? word : made_moderate(word, format);
        word = style == SPECIAL && !(word & 0x00300000) ? made_special(word, format) : word;
        word = operation_format_is_block(format) && i % tile_words < 16 ? made_exponents(word, format, style) : word;
        memcpy(bytes + 4 * i, &word, sizeof word);
    }
}

/* Reductions use only row 0 of each face of b: any weights, or 1, which a maximum needs. */
static void keep_weights(uint8_t *bytes, const struct operation_arguments *arguments)
{
    uint32_t one = arguments->b_format == FP32 ? 0x3f800000 : arguments->b_format == FP16 ? 0x3c00 : 0x3f80;
    uint32_t size = operation_format_bits(arguments->b_format) / 8;
    for (uint32_t i = 0; i < arguments->tiles * 1024; i++) {
        if (i % 256 >= 16) {
            memset(bytes + i * size, 0, size);
        } else if (arguments->flags & OPERATION_MAXIMUM) {
            memcpy(bytes + i * size, &one, size);
        }
    }
}

static uint64_t digest(const uint8_t *bytes, uint32_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < size; i += 4) {
        uint32_t word;
        memcpy(&word, bytes + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* ---- tests ---- */

static void check_vector(struct fixture *fixture, const struct vector *vector, unsigned number)
{
    const struct operation_arguments *arguments = &vector->arguments;
    enum style style = (enum style)vector->style;
    uint32_t size = arguments->tiles * operation_tile_size(arguments->output_format);
    assert_true(size <= TENSOR_SIZE);
    generate(fixture->a, arguments->tiles, arguments->a_format, style, vector->seed);
    generate(fixture->b, arguments->tiles, arguments->b_format, style, vector->seed + 1);
    if (arguments->operation >= OPERATION_REDUCE_ROWS) {
        keep_weights(fixture->b, arguments);
    }
    memset(fixture->output, 0xee, size);
    if (arguments->flags & OPERATION_ACCUMULATE) {
        generate(fixture->output, arguments->tiles, arguments->output_format, style, vector->seed + 2);
    }
    run(fixture, *arguments);
    uint64_t want = vector->digest[0] | (uint64_t)vector->digest[1] << 32;
    if (digest(fixture->output, size) != want) {
        fail_msg("case %u: operation %u, broadcast %u, phases %u, flags 0x%x, formats a %u to %u, b %u to %u, Dst %u, "
                 "output %u, ReLU 0x%x",
                 number, arguments->operation, arguments->broadcast, arguments->fidelity_phases, arguments->flags,
                 arguments->a_format, arguments->a_register, arguments->b_format, arguments->b_register,
                 arguments->dst_format, arguments->output_format, arguments->relu);
    }
}

static void every_recorded_operation_gives_the_same_bits(void **state)
{
    struct fixture *fixture = *state;
    if (!fixture->device) {
        skip();
    }
    FILE *file = fopen(BHEMU_SOURCE_DIR "/tests/vectors/kernel_operation.bin", "rb");
    assert_non_null(file);
    char text[VECTOR_TEXT] = "";
    assert_int_equal(fread(text, 1, sizeof text, file), sizeof text);
    text[sizeof text - 1] = 0;
    const char *cases = strstr(text, "cases: ");
    assert_non_null(cases);
    struct vector vector;
    unsigned count = 0;
    for (; fread(&vector, sizeof vector, 1, file) == 1; count++) {
        check_vector(fixture, &vector, count);
    }
    fclose(file);
    assert_int_equal(count, atoi(cases + strlen("cases: ")));
}

/* The place of a datum of a tile, in data: four faces, each row-major. */
static uint32_t place_in_tiles(uint32_t tile, uint32_t row, uint32_t column)
{
    return tile * 1024 + (row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16;
}

static uint32_t place_in_rows(uint32_t tile, uint32_t row, uint32_t column, uint32_t row_tiles)
{
    return (tile / row_tiles * 32 + row) * row_tiles * 32 + tile % row_tiles * 32 + column;
}

static void check_layout(struct fixture *fixture, uint32_t format, uint32_t flags)
{
    struct operation_arguments arguments = {
        .tiles = 6,
        .fidelity_phases = 1,
        .flags = flags | (format == FP32 ? OPERATION_DST_32 : 0),
        .a_format = format,
        .a_register = format == FP32 ? TF32 : format,
        .b_format = format,
        .b_register = format == FP32 ? TF32 : format,
        .dst_format = format,
        .output_format = format,
        .row_tiles = 3,
    };
    uint32_t size = operation_format_bits(format) / 8;
    generate(fixture->a, arguments.tiles, format, MODERATE, 7 + flags);
    run(fixture, arguments);
    for (uint32_t tile = 0; tile < arguments.tiles; tile++) {
        for (uint32_t i = 0; i < 1024; i++) {
            uint32_t row = i / 32, column = i % 32, from, to;
            from = flags & OPERATION_TILIZE      ? place_in_rows(tile, row, column, 3)
                   : flags & OPERATION_TRANSPOSE ? place_in_tiles(tile, column, row)
                                                 : place_in_tiles(tile, row, column);
            to = flags & OPERATION_UNTILIZE ? place_in_rows(tile, row, column, 3) : place_in_tiles(tile, row, column);
            uint32_t want = 0, got = 0;
            memcpy(&want, fixture->a + from * size, size);
            memcpy(&got, fixture->output + to * size, size);
            want &= format == FP32 ? 0xffffe000 : 0xffff; /* TF32 has ten bits of mantissa */
            assert_int_equal(got, want);
        }
    }
}

static void layouts_are_those_of_their_names(void **state)
{
    static const uint32_t formats[] = {BF16, FP16, FP32};
    static const uint32_t flags[] = {0, OPERATION_TILIZE, OPERATION_UNTILIZE, OPERATION_TRANSPOSE,
                                     OPERATION_TRANSPOSE | OPERATION_UNTILIZE};
    struct fixture *fixture = *state;
    if (!fixture->device) {
        skip();
    }
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++) {
        for (unsigned k = 0; k < sizeof flags / sizeof *flags; k++) {
            check_layout(fixture, formats[i], flags[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_recorded_operation_gives_the_same_bits),
        cmocka_unit_test(layouts_are_those_of_their_names),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
