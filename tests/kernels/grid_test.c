/* Jobs of many tiles on tensors in DRAM, with every bit of their output checked: kernels/matmul_grid,
   kernels/dram_add. */
#include "../host/files.h"
#include "../host/kernels.h"

#include <math.h>
#include <stdbool.h>

#include "bhemu/job.h"
#include "host/npy.h"
#include "program.h"

struct grid {
    const char *columns, *rows; /* of the grid, as a job file lists them */
    unsigned grid_columns, grid_rows;
    uint32_t top_left, bottom_right;
    unsigned tile_columns, tile_rows; /* of the output on each tile */
    unsigned inner;                   /* in tiles */
};

static void on_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    char line[1024];
    (void)context;
    bh_diagnostic_format(diagnostic, line, sizeof line);
    print_message("# %s\n", line);
}

static void put_matrix(const struct folder *folder, const char *name, const uint16_t *data, size_t rows, size_t columns)
{
    struct bh_array array = {.type = BH_HOST_UINT16, .rows = rows, .columns = columns, .data = (void *)(uintptr_t)data};
    assert_int_equal(npy_write(in_folder(folder, name), &array, NULL), BH_OK);
}

/* Runs a job of this text, that makes c.npy; its bits, malloc'ed. The folder is removed. */
static uint16_t *run(const struct folder *folder, const char *text)
{
    struct bh_job *job;
    struct bh_error error = {};
    struct bh_job_options options = {
        .policy = BH_POLICY_STRICT, .on_diagnostic = on_diagnostic, .mode = mode_from_environment()};
    struct bh_job_result result;
    struct bh_array product = {};
    if (bh_job_load(put_text(folder, "job.yaml", text), &job, &error) != BH_OK ||
        bh_job_run(job, &options, &result, &error) != BH_OK) {
        remove_folder(folder);
        fail_msg("%s", error.text);
    }
    print_message("# %llu cycles\n", (unsigned long long)result.run.cycles);
    bh_job_free(job);
    assert_int_equal(npy_read(in_folder(folder, "c.npy"), &product, NULL), BH_OK);
    remove_folder(folder);
    assert_int_equal(product.type, BH_HOST_FLOAT32);
    uint16_t *bits = malloc(product.rows * product.columns * sizeof *bits);
    assert_non_null(bits);
    assert_int_equal(bh_tensor_to_device(&product, BH_BF16, BH_ROWS, bits), BH_OK);
    free(product.data);
    return bits;
}

/* Multiplies A and B, bits of BF16; the product, malloc'ed. */
static uint16_t *multiply(const struct grid *grid, const uint16_t *a, const uint16_t *b)
{
    struct folder folder;
    char text[4000];
    unsigned rows = grid->grid_rows * grid->tile_rows * 32, columns = grid->grid_columns * grid->tile_columns * 32;
    unsigned inner = grid->inner * 32;
    need_kernels();
    make_folder(&folder);
    put_matrix(&folder, "a.npy", a, rows, inner);
    put_matrix(&folder, "b.npy", b, inner, columns);
    snprintf(text, sizeof text,
             "dram:\n"
             "  inputs:\n"
             "    - {file: a.npy, address: 0x1000000, format: bf16, layout: tiles}\n"
             "    - {file: b.npy, address: 0x2000000, format: bf16, layout: tiles}\n"
             "  outputs: [{file: c.npy, address: 0x3000000, shape: [%u, %u], format: bf16, layout: tiles}]\n"
             "tiles:\n"
             "  - columns: [%s]\n"
             "    rows: [%s]\n"
             "    programs:\n"
             "      - {core: B, elf: " BHEMU_BUILD_DIR "/kernels/matmul_grid.brisc.elf}\n"
             "      - {core: NC, elf: " BHEMU_BUILD_DIR "/kernels/matmul_grid.ncrisc.elf}\n"
             "      - {core: T0, elf: " BHEMU_BUILD_DIR "/kernels/matmul128.trisc0.elf}\n"
             "      - {core: T1, elf: " BHEMU_BUILD_DIR "/kernels/matmul128.trisc1.elf}\n"
             "      - {core: T2, elf: " BHEMU_BUILD_DIR "/kernels/matmul128.trisc2.elf}\n"
             "    start: [B]\n"
             "    words:\n"
             "      - {address: 0x16100, values: [0x1000000, 0x2000000, 0x3000000, %u, %u, %u, 4]}\n"
             "      - {address: 0x16140, values: [0x%x, 0x%x, %u, %u, 0, 0], by_column: [0, 0, 0, 0, 1],\n"
             "         by_row: [0, 0, 0, 0, 0, 1]}\n",
             rows, columns, grid->columns, grid->rows, grid->tile_rows, grid->tile_columns, grid->inner, grid->top_left,
             grid->bottom_right, grid->grid_columns, grid->grid_rows);
    return run(&folder, text);
}

/* Numbers -1, 0 and 1: all sums are small integers, which BF16 has. */
static uint16_t *random_units(size_t count, uint32_t seed, int8_t *values)
{
    static const uint16_t bits[3] = {0xbf80, 0, 0x3f80};
    uint16_t *matrix = malloc(count * sizeof *matrix);
    assert_non_null(matrix);
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        unsigned which = (seed >> 16) % 3;
        matrix[i] = bits[which];
        values[i] = (int8_t)which - 1;
    }
    return matrix;
}

static uint16_t bf16_of(int value)
{
    float number = (float)value;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    assert_int_equal(bits & 0xffff, 0);
    return (uint16_t)(bits >> 16);
}

static void check_integers(const struct grid *grid)
{
    unsigned rows = grid->grid_rows * grid->tile_rows * 32, columns = grid->grid_columns * grid->tile_columns * 32;
    unsigned inner = grid->inner * 32;
    int8_t *a_values = malloc((size_t)rows * inner), *b_values = malloc((size_t)inner * columns);
    int16_t *sum = calloc(columns, sizeof *sum);
    assert_true(a_values && b_values && sum);
    uint16_t *a = random_units((size_t)rows * inner, 1, a_values);
    uint16_t *b = random_units((size_t)inner * columns, 2, b_values);
    uint16_t *product = multiply(grid, a, b);
    for (unsigned i = 0; i < rows; i++) {
        memset(sum, 0, columns * sizeof *sum);
        for (unsigned k = 0; k < inner; k++) {
            for (unsigned j = 0; j < columns; j++) {
                sum[j] = (int16_t)(sum[j] + a_values[i * inner + k] * b_values[k * columns + j]);
            }
        }
        for (unsigned j = 0; j < columns; j++) {
            if (product[i * columns + j] != bf16_of(sum[j])) {
                fail_msg("[%u,%u]: 0x%04x, expected %d", i, j, product[i * columns + j], sum[j]);
            }
        }
    }
    free(a);
    free(b);
    free(a_values);
    free(b_values);
    free(product);
    free(sum);
}

static void a_tile_alone_multiplies(void **context)
{
    check_integers(&(struct grid){"5", "7", 1, 1, 5 | 7 << 6, 5 | 7 << 6, 4, 4, 3});
}

static void a_row_and_a_column_multiply(void **context)
{
    check_integers(&(struct grid){"11, 12, 13", "7", 3, 1, 11 | 7 << 6, 13 | 7 << 6, 4, 2, 5});
    check_integers(&(struct grid){"3", "9, 10, 11", 1, 3, 3 | 9 << 6, 3 | 11 << 6, 4, 2, 5});
}

/* Across the middle of the chip, where columns have no Tensix tiles. */
static void broadcasts_cross_the_middle(void **context)
{
    check_integers(&(struct grid){"6, 7, 10", "2, 3", 3, 2, 6 | 2 << 6, 10 | 3 << 6, 4, 2, 2});
}

/* Numbers of either sign from 2^-6 to 4. */
static uint16_t *random_numbers(size_t count, uint32_t *seed)
{
    uint16_t *matrix = malloc(count * sizeof *matrix);
    assert_non_null(matrix);
    for (size_t i = 0; i < count; i++) {
        *seed = *seed * 1664525 + 1013904223;
        uint32_t random = *seed >> 8;
        matrix[i] = (uint16_t)((random & 0x8000) | (121 + (random >> 16) % 8) << 7 | (random & 0x7f));
    }
    return matrix;
}

static float float_of(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* FNV-1a, a datum at a time. */
static uint64_t checksum(const uint16_t *data, size_t count)
{
    uint64_t sum = 0xcbf29ce484222325;
    for (size_t i = 0; i < count; i++) {
        sum = (sum ^ data[i]) * 0x100000001b3;
    }
    return sum;
}

/* The checksum was recorded from ttsim with the same programs and data. Some rows are also compared with exact
   results, within the error of BF16 sums. */
static void tiles_of_64_multiply_matrices_of_1024(void **context)
{
    enum { SIZE = 1024, EVERY = 61 };
    static const struct grid grid = {
        "1, 2, 3, 4, 5, 6, 7, 10", "2, 3, 4, 5, 6, 7, 8, 9", 8, 8, 1 | 2 << 6, 10 | 9 << 6, 4, 4, 32};
    uint32_t seed = 9;
    uint16_t *a = random_numbers((size_t)SIZE * SIZE, &seed);
    uint16_t *b = random_numbers((size_t)SIZE * SIZE, &seed);
    uint16_t *product = multiply(&grid, a, b);
    static float sum[SIZE], size[SIZE];
    for (unsigned i = 0; i < SIZE; i += EVERY) {
        memset(sum, 0, sizeof sum);
        memset(size, 0, sizeof size);
        for (unsigned k = 0; k < SIZE; k++) {
            for (unsigned j = 0; j < SIZE; j++) {
                float term = float_of(a[i * SIZE + k]) * float_of(b[k * SIZE + j]);
                sum[j] += term;
                size[j] += fabsf(term);
            }
        }
        for (unsigned j = 0; j < SIZE; j++) {
            float found = float_of(product[i * SIZE + j]);
            if (!(fabsf(found - sum[j]) <= 0.02F * size[j])) {
                fail_msg("[%u,%u]: %g, expected %g", i, j, (double)found, (double)sum[j]);
            }
        }
    }
    assert_true(checksum(product, (size_t)SIZE * SIZE) == 0x3a2f5f791a6f083f);
    free(a);
    free(b);
    free(product);
}

/* Each of the 140 tiles adds three of 420. */
static void all_tiles_add(void **context)
{
    enum { ROWS = 420 * 32, COLUMNS = 32, COUNT = ROWS * COLUMNS };
    static uint16_t a[COUNT], b[COUNT];
    struct folder folder;
    need_kernels();
    make_folder(&folder);
    for (int i = 0; i < COUNT; i++) {
        a[i] = bf16_of(i % 128);
        b[i] = bf16_of(i / 128 % 101 - 50);
    }
    put_matrix(&folder, "a.npy", a, ROWS, COLUMNS);
    put_matrix(&folder, "b.npy", b, ROWS, COLUMNS);
    uint16_t *sum = run(
        &folder, "dram:\n"
                 "  inputs:\n"
                 "    - {file: a.npy, address: 0, format: bf16, layout: tiles}\n"
                 "    - {file: b.npy, address: 0xfff00000, format: bf16, layout: tiles}\n"
                 "  outputs: [{file: c.npy, address: 0x80000000, shape: [13440, 32], format: bf16, layout: tiles}]\n"
                 "tiles:\n"
                 "  - columns: [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16]\n"
                 "    rows: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]\n"
                 "    programs:\n"
                 "      - {core: B, elf: " BHEMU_BUILD_DIR "/kernels/dram_add.brisc.elf}\n"
                 "      - {core: T0, elf: " BHEMU_BUILD_DIR "/kernels/eltwise_add.trisc0.elf}\n"
                 "      - {core: T1, elf: " BHEMU_BUILD_DIR "/kernels/eltwise_add.trisc1.elf}\n"
                 "      - {core: T2, elf: " BHEMU_BUILD_DIR "/kernels/eltwise_add.trisc2.elf}\n"
                 "    start: [B]\n"
                 "    words:\n"
                 "      - {address: 0x16140, values: [0, 0xfff00000, 0x80000000, 0, 3],\n"
                 "         by_column: [0, 0, 0, 3], by_row: [0, 0, 0, 42]}\n");
    for (int i = 0; i < COUNT; i++) {
        if (sum[i] != bf16_of(i % 128 + i / 128 % 101 - 50)) {
            fail_msg("datum %d: 0x%04x", i, sum[i]);
        }
    }
    free(sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tile_alone_multiplies),
        cmocka_unit_test(a_row_and_a_column_multiply),
        cmocka_unit_test(broadcasts_cross_the_middle),
        cmocka_unit_test(all_tiles_add),
        cmocka_unit_test(tiles_of_64_multiply_matrices_of_1024),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
