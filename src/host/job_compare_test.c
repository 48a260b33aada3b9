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
        TEST(a_folder_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests_name("host.job_compare", tests, NULL, NULL);
}
