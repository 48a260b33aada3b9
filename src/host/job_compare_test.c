/* Comparing outputs: what is said of differences, where they are in tiles, and the files about them. */
#include "host/job_compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <png.h>
#include <unistd.h>

#include "host/npy.h"

enum { SIDE = 64 };

static float got[SIDE * SIDE], expected[SIDE * SIDE];

static struct bh_array array_of(float *values)
{
    return (struct bh_array){.type = BH_HOST_FLOAT32, .rows = SIDE, .columns = SIDE, .data = values};
}

static int set_up(void **state)
{
    for (unsigned i = 0; i < SIDE * SIDE; i++) {
        got[i] = expected[i] = (float)i / 16;
    }
    return 0;
}

/* What is said of the arrays; null: they are as expected. */
static const char *said(enum bh_layout layout, const double *tolerance)
{
    static struct bh_error text;
    struct bh_array a = array_of(got), b = array_of(expected);
    const struct job_comparison comparison = {&a, &b, layout, tolerance};
    struct job_difference difference;
    if (job_compare(&comparison, &difference)) {
        return NULL;
    }
    job_describe_difference(&comparison, &difference, "x.npy", &text);
    return text.text;
}

static void equal_arrays_are_as_expected(void **state)
{
    expected[5] = got[5] = NAN; /* the same bits */
    assert_null(said(BH_TILES, NULL));
}

/* Element [36,55]: tile 3 of 2 by 2, its face 1, since 36 - 32 < 16 and 55 - 32 >= 16; in it row 4, column 7. */
static void places_are_those_in_tiles(void **state)
{
    expected[36 * SIDE + 55] = 1;
    got[36 * SIDE + 55] = 1.0078125f;
    assert_string_equal(
        said(BH_TILES, NULL),
        "x.npy: 1 of 4096 elements differ, first at [36,55] (tile 3 face 1 row 4 column 7): 1.0078125 "
        "instead of 1\n"
        "  largest absolute error 0.007812 at [36,55] (tile 3 face 1 row 4 column 7): 1.0078125 instead "
        "of 1\n"
        "  largest relative error 0.7812 % at [36,55] (tile 3 face 1 row 4 column 7): 1.0078125 instead "
        "of 1");
    assert_non_null(strstr(said(BH_ROWS, NULL), "first at [36,55]: 1.0078125 instead of 1\n"));
}

static void the_largest_errors_are_told_apart(void **state)
{
    got[1] = expected[1] + 1;       /* 1/16: relative 16 */
    got[4000] = expected[4000] - 5; /* 250 */
    got[0] = 0.5f;                  /* instead of 0: has no relative error */
    const char *text = said(BH_ROWS, NULL);
    assert_non_null(strstr(text, "3 of 4096 elements differ, first at [0,0]: 0.5 instead of 0\n"));
    assert_non_null(strstr(text, "largest absolute error 5 at [62,32]: 245 instead of 250\n"));
    assert_non_null(strstr(text, "largest relative error 1600 % at [0,1]: 1.0625 instead of 0.0625"));
}

static void nan_and_infinities_are_counted_and_have_no_errors(void **state)
{
    got[7] = NAN;
    got[8] = INFINITY;
    expected[9] = -INFINITY;
    got[10] += 1;
    const char *text = said(BH_ROWS, NULL);
    assert_non_null(strstr(text, "4 of 4096 elements differ, first at [0,7]: nan instead of 0.4375\n"));
    assert_non_null(strstr(text, "largest absolute error 1 at [0,10]"));
    assert_non_null(strstr(text, "of those that differ 1 are NaN and 1 infinite; expected are 0 and 1"));
}

static void a_tolerance_is_absolute_below_1_and_relative_above(void **state)
{
    const double tolerance = 0.01;
    got[1] += 0.009f;
    got[4000] += 2.4f;
    assert_null(said(BH_ROWS, &tolerance));
    got[4000] += 0.2f;
    assert_non_null(strstr(said(BH_ROWS, &tolerance), "1 of 4096 elements differ, first at [62,32]"));
}

static void files_hold_both_sides_and_the_difference(void **state)
{
    char folder[] = "/tmp/bhemu_compare_XXXXXX", path[200];
    assert_non_null(mkdtemp(folder));
    got[100] += 2;
    got[200] -= 3;
    struct bh_array a = array_of(got), b = array_of(expected), read;
    const struct job_comparison comparison = {&a, &b, BH_TILES, NULL};
    struct bh_error error;
    assert_int_equal(job_write_difference(&comparison, folder, "x", &error), BH_OK);
    static const char *const names[] = {"expected", "got", "difference"};
    for (unsigned i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/x.%s.npy", folder, names[i]);
        assert_int_equal(npy_read(path, &read, &error), BH_OK);
        for (unsigned element = 0; element < SIDE * SIDE; element++) {
            double wanted = i == 0           ? expected[element]
                            : i == 1         ? got[element]
                            : element == 100 ? 2
                            : element == 200 ? -3
                                             : 0;
            assert_true(job_element(&read, element) == wanted);
        }
        free(read.data);
        unlink(path);
    }
    png_image image = {.version = PNG_IMAGE_VERSION};
    snprintf(path, sizeof path, "%s/x.png", folder);
    assert_true(png_image_begin_read_from_file(&image, path));
    assert_true(image.width > 3 * 256 && image.height > 256);
    png_image_free(&image);
    unlink(path);
    rmdir(folder);
}

/* The picture of the difference; *width becomes its width. */
static png_byte *picture_of_difference(unsigned *width)
{
    char folder[] = "/tmp/bhemu_compare_XXXXXX", path[200];
    assert_non_null(mkdtemp(folder));
    struct bh_array a = array_of(got), b = array_of(expected);
    const struct job_comparison comparison = {&a, &b, BH_TILES, NULL};
    struct bh_error error;
    assert_int_equal(job_write_difference(&comparison, folder, "x", &error), BH_OK);
    png_image image = {.version = PNG_IMAGE_VERSION};
    snprintf(path, sizeof path, "%s/x.png", folder);
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    png_byte *points = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(points);
    assert_true(png_image_finish_read(&image, NULL, points, 0, NULL));
    *width = image.width;
    static const char *const names[] = {"expected.npy", "got.npy", "difference.npy", "png"};
    for (unsigned i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/x.%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
    return points;
}

/* Arrays of 64x64 have four points for each element; the errors are on the right. The labels' room is 14 points. */
static const png_byte *point_of_error(const png_byte *points, unsigned width, unsigned row, unsigned column)
{
    unsigned left = 16 + 2 * (256 + 16), top = 16 + 14;
    return points + ((size_t)(top + row * 4 + 2) * width + left + column * 4 + 2) * 3;
}

static unsigned brightness(const png_byte *point)
{
    return point[0] + point[1] + point[2];
}

/* Errors below 0 are blue, above red, and darker for each power of ten; nothing else is white but no error. */
static void a_picture_shows_errors_of_all_magnitudes(void **state)
{
    static const float magnitudes[] = {100, 1, 0.01f, 0.0001f};
    unsigned width;
    memset(expected, 0, sizeof expected);
    memset(got, 0, sizeof got);
    for (unsigned i = 0; i < 4; i++) {
        got[SIDE * 2 + i] = magnitudes[i];
        got[SIDE * 3 + i] = -magnitudes[i];
    }
    got[SIDE * 2 + 4] = 1e-30f; /* below the scale: as its smallest */
    got[SIDE * 2 + 5] = NAN;
    png_byte *points = picture_of_difference(&width);
    for (unsigned i = 0; i < 4; i++) {
        const png_byte *above = point_of_error(points, width, 2, i), *below = point_of_error(points, width, 3, i);
        assert_true(above[0] > above[2] && below[2] > below[0]);
        assert_true(brightness(above) < 3 * 255 - 60 && brightness(below) < 3 * 255 - 60);
        if (i) {
            assert_true(brightness(above) > brightness(point_of_error(points, width, 2, i - 1)) + 20);
            assert_true(brightness(below) > brightness(point_of_error(points, width, 3, i - 1)) + 20);
        }
    }
    const png_byte *least = point_of_error(points, width, 2, 4), *nan = point_of_error(points, width, 2, 5);
    assert_true(least[0] > least[2] && brightness(least) < 3 * 255 - 60);
    assert_true(nan[0] == 255 && nan[1] == 0 && nan[2] == 255);
    assert_int_equal(brightness(point_of_error(points, width, 10, 10)), 3 * 255);
    free(points);
}

/* Of errors that are all alike the scale is one power of ten, of none but NaN any. */
static void a_picture_of_equal_errors_or_of_none_has_a_scale(void **state)
{
    unsigned width;
    memset(expected, 0, sizeof expected);
    memset(got, 0, sizeof got);
    got[SIDE * 2] = got[SIDE * 2 + 1] = 10;
    png_byte *points = picture_of_difference(&width);
    assert_memory_equal(point_of_error(points, width, 2, 0), ((const png_byte[]){103, 0, 31}), 3);
    assert_memory_equal(point_of_error(points, width, 2, 1), point_of_error(points, width, 2, 0), 3);
    free(points);
    got[SIDE * 2] = got[SIDE * 2 + 1] = NAN;
    points = picture_of_difference(&width);
    assert_memory_equal(point_of_error(points, width, 2, 0), ((const png_byte[]){255, 0, 255}), 3);
    assert_int_equal(brightness(point_of_error(points, width, 10, 10)), 3 * 255);
    free(points);
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
    struct bh_array a = array_of(got), b = array_of(expected);
    const struct job_comparison comparison = {&a, &b, BH_TILES, NULL};
    struct bh_error error;
    assert_int_equal(job_write_difference(&comparison, "/no/such/folder", "x", &error), BH_ERROR_IO);
    assert_non_null(strstr(error.text, "/no/such/folder"));
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup(function, set_up)
    const struct CMUnitTest tests[] = {
        TEST(equal_arrays_are_as_expected),
        TEST(places_are_those_in_tiles),
        TEST(the_largest_errors_are_told_apart),
        TEST(nan_and_infinities_are_counted_and_have_no_errors),
        TEST(a_tolerance_is_absolute_below_1_and_relative_above),
        TEST(files_hold_both_sides_and_the_difference),
        TEST(a_picture_shows_errors_of_all_magnitudes),
        TEST(a_picture_of_equal_errors_or_of_none_has_a_scale),
        TEST(a_folder_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests_name("host.job_compare", tests, NULL, NULL);
}
