#include "host/job_compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/difference_picture.h"
#include "host/npy.h"
#include "util/fail.h"
#include "util/text.h"

enum bh_host_type job_natural_type(enum bh_format format)
{
    static const enum bh_host_type types[BH_FORMAT_COUNT] = {
        [BH_FP32] = BH_HOST_FLOAT32, [BH_BF16] = BH_HOST_FLOAT32,  [BH_FP16] = BH_HOST_FLOAT16,
        [BH_INT32] = BH_HOST_INT32,  [BH_UINT16] = BH_HOST_UINT16, [BH_INT8] = BH_HOST_INT8,
        [BH_UINT8] = BH_HOST_UINT8,  [BH_UINT32] = BH_HOST_UINT32, [BH_INT16] = BH_HOST_INT16,
    }; /* of all others float32 */
    return types[format];
}

double job_element(const struct bh_array *array, size_t index)
{
    double value = 0;
    struct bh_array one = {.type = BH_HOST_FLOAT64, .rows = 1, .columns = 1, .data = &value};
    const uint8_t *place = (const uint8_t *)array->data + index * bh_host_type_size(array->type);
    static const enum bh_format same[BH_HOST_TYPE_COUNT] = {
        [BH_HOST_FLOAT32] = BH_FP32, [BH_HOST_FLOAT16] = BH_FP16, [BH_HOST_BFLOAT16] = BH_BF16};
    switch (array->type) {
    case BH_HOST_FLOAT64: memcpy(&value, place, sizeof value); break;
    case BH_HOST_INT8: value = *(const int8_t *)place; break;
    case BH_HOST_UINT8: value = *place; break;
    case BH_HOST_INT16: value = *(const int16_t *)place; break;
    case BH_HOST_UINT16: value = *(const uint16_t *)place; break;
    case BH_HOST_INT32: value = *(const int32_t *)place; break;
    case BH_HOST_UINT32: value = *(const uint32_t *)place; break;
    default: bh_tensor_from_device(place, same[array->type], BH_ROWS, &one); break;
    }
    return value;
}

static bool is_same(const struct job_comparison *comparison, size_t index)
{
    size_t size = bh_host_type_size(comparison->expected->type);
    const uint8_t *got = comparison->got->data, *expected = comparison->expected->data;
    if (memcmp(got + index * size, expected + index * size, size) == 0) {
        return true;
    }
    if (!comparison->tolerance) {
        return false;
    }
    double a = job_element(comparison->got, index), b = job_element(comparison->expected, index);
    return fabs(a - b) <= *comparison->tolerance * fmax(1.0, fabs(b));
}

static void add(struct job_difference *difference, size_t index, double got, double expected)
{
    double absolute = fabs(got - expected), relative = absolute / fabs(expected);
    difference->nans += isnan(got);
    difference->infinities += isinf(got);
    difference->expected_nans += isnan(expected);
    difference->expected_infinities += isinf(expected);
    if (difference->differ++ == 0) {
        difference->first = index;
    }
    if (!isfinite(got) || !isfinite(expected)) {
        return;
    }
    if (difference->finite++ == 0 || absolute > difference->absolute) {
        difference->absolute = absolute;
        difference->worst_absolute = index;
    }
    if (expected != 0 && relative > difference->relative) {
        difference->relative = relative;
        difference->worst_relative = index;
    }
}

bool job_compare(const struct job_comparison *comparison, struct job_difference *difference)
{
    size_t count = comparison->expected->rows * comparison->expected->columns;
    *difference = (struct job_difference){};
    for (size_t i = 0; i < count; i++) {
        if (!is_same(comparison, i)) {
            add(difference, i, job_element(comparison->got, i), job_element(comparison->expected, i));
        }
    }
    return difference->differ == 0;
}

/* "[row,column]", and where that is in the tiles of the device. */
static void name_place(const struct job_comparison *comparison, size_t index, struct text *text)
{
    enum { TILE = 32, FACE = 16 };
    size_t columns = comparison->expected->columns, row = index / columns, column = index % columns;
    text_add(text, "[%zu,%zu]", row, column);
    if (comparison->layout == BH_TILES) {
        size_t tile = row / TILE * (columns / TILE) + column / TILE;
        size_t face = row % TILE / FACE * 2 + column % TILE / FACE;
        text_add(text, " (tile %zu face %zu row %zu column %zu)", tile, face, row % FACE, column % FACE);
    }
}

static void name_values(const struct job_comparison *comparison, size_t index, struct text *text)
{
    text_add(text, ": %.9g instead of %.9g", job_element(comparison->got, index),
             job_element(comparison->expected, index));
}

void job_describe_difference(const struct job_comparison *comparison, const struct job_difference *difference,
                             const char *name, struct bh_error *error)
{
    struct text text = {.buffer = error->text, .size = sizeof error->text};
    text_add(&text, "%s: %zu of %zu elements differ, first at ", name, difference->differ,
             comparison->expected->rows * comparison->expected->columns);
    name_place(comparison, difference->first, &text);
    name_values(comparison, difference->first, &text);
    if (difference->finite) {
        text_add(&text, "\n  largest absolute error %.4g at ", difference->absolute);
        name_place(comparison, difference->worst_absolute, &text);
        name_values(comparison, difference->worst_absolute, &text);
    }
    if (difference->relative > 0) {
        text_add(&text, "\n  largest relative error %.4g %% at ", 100 * difference->relative);
        name_place(comparison, difference->worst_relative, &text);
        name_values(comparison, difference->worst_relative, &text);
    }
    if (difference->nans || difference->expected_nans || difference->infinities || difference->expected_infinities) {
        text_add(&text, "\n  of those that differ %zu are NaN and %zu infinite; expected are %zu and %zu",
                 difference->nans, difference->infinities, difference->expected_nans, difference->expected_infinities);
    }
}

/* got - expected; 0 where the bits are equal, whatever they mean. */
static double *differences_of(const struct job_comparison *comparison)
{
    size_t size = bh_host_type_size(comparison->expected->type);
    size_t count = comparison->expected->rows * comparison->expected->columns;
    const uint8_t *got = comparison->got->data, *expected = comparison->expected->data;
    double *values = malloc(count * sizeof *values);
    for (size_t i = 0; values && i < count; i++) {
        bool same = memcmp(got + i * size, expected + i * size, size) == 0;
        values[i] = same ? 0 : job_element(comparison->got, i) - job_element(comparison->expected, i);
    }
    return values;
}

static enum bh_status write_array(const struct bh_array *array, const char *folder, const char *name, const char *what,
                                  struct bh_error *error)
{
    char *path;
    if (asprintf(&path, "%s/%s.%s.npy", folder, name, what) < 0) {
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    enum bh_status status = npy_write(path, array, error);
    free(path);
    return status;
}

enum bh_status job_write_difference(const struct job_comparison *comparison, const char *folder, const char *name,
                                    struct bh_error *error)
{
    struct bh_array difference = *comparison->expected;
    difference.type = BH_HOST_FLOAT64;
    difference.data = differences_of(comparison);
    enum bh_status status = difference.data ? BH_OK : fail(error, BH_ERROR_MEMORY, "out of memory");
    if (status == BH_OK) {
        status = write_array(comparison->expected, folder, name, "expected", error);
    }
    if (status == BH_OK) {
        status = write_array(comparison->got, folder, name, "got", error);
    }
    if (status == BH_OK) {
        status = write_array(&difference, folder, name, "difference", error);
    }
    if (status == BH_OK) {
        status = difference_picture_write(comparison, difference.data, folder, name, error);
    }
    free(difference.data);
    return status;
}
