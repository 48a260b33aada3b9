/* Reading and writing .npy files, good and bad. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/npy.h"

static char path[] = "/tmp/bhemu-npy-test-XXXXXX";

static int setup(void **state)
{
    int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int teardown(void **state)
{
    return remove(path);
}

static void write_bytes(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* A file as numpy 1.x writes it, with `dictionary` in its header. */
static void write_npy(const char *dictionary, size_t data)
{
    uint8_t bytes[512] = "\x93NUMPY\x01";
    size_t length = strlen(dictionary);
    bytes[8] = (uint8_t)length;
    memcpy(bytes + 10, dictionary, length);
    for (size_t i = 0; i < data; i++) {
        bytes[10 + length + i] = (uint8_t)i;
    }
    write_bytes(bytes, 10 + length + data);
}

static void arrays_survive_the_way_there_and_back(void **state)
{
    float values[2][3] = {{1, 2, 3}, {4, 5, 6}};
    struct bh_array array = {.type = BH_HOST_FLOAT32, .rows = 2, .columns = 3, .data = values}, back;
    struct bh_error error;
    assert_int_equal(npy_write(path, &array, &error), BH_OK);
    assert_int_equal(npy_read(path, &back, &error), BH_OK);
    assert_int_equal(back.type, BH_HOST_FLOAT32);
    assert_int_equal(back.rows, 2);
    assert_int_equal(back.columns, 3);
    assert_memory_equal(back.data, values, sizeof values);
    free(back.data);
}

static void dimensions_but_the_last_fold_into_rows(void **state)
{
    struct bh_array array;
    struct bh_error error;
    write_npy("{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3, 4), }", 48);
    assert_int_equal(npy_read(path, &array, &error), BH_OK);
    assert_int_equal(array.rows, 6);
    assert_int_equal(array.columns, 4);
    assert_int_equal(((uint16_t *)array.data)[1], 0x0302);
    free(array.data);
    write_npy("{'descr': '|V2', 'fortran_order': False, 'shape': (5,), }", 10);
    assert_int_equal(npy_read(path, &array, &error), BH_OK);
    assert_int_equal(array.type, BH_HOST_BFLOAT16);
    assert_int_equal(array.rows, 1);
    assert_int_equal(array.columns, 5);
    free(array.data);
}

static void bad_files_are_refused_with_a_cause(void **state)
{
    static const struct {
        const char *dictionary;
        size_t data;
        const char *cause;
    } cases[] = {
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }", 11, "truncated"},
        {"{'descr': '>u2', 'fortran_order': False, 'shape': (2, 3), }", 12, "element type"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (2, 3), }", 48, "element type"},
        {"{'descr': '<u2', 'fortran_order': True, 'shape': (2, 3), }", 12, "Fortran"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (x), }", 12, "shape"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (2 3), }", 12, "shape"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (,2), }", 12, "shape"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (-2, -3), }", 12, "shape"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3]), }", 12, "shape"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (99999999999999999999,), }", 12, "shape"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 12, "shape"},
        {"{}", 0, "element type"},
        {"{'descr':'", 0, "element type"}, /* nothing behind the quote, nor behind what is read of the type */
        {"{'descr':'<", 0, "element type"},
        {"{'descr':'<u2", 0, "element type"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bh_array array;
        struct bh_error error;
        write_npy(cases[i].dictionary, cases[i].data);
        assert_int_equal(npy_read(path, &array, &error), BH_ERROR_FORMAT);
        assert_non_null(strstr(error.text, cases[i].cause));
        assert_null(array.data);
    }
    struct bh_array array;
    struct bh_error error;
    write_bytes("\x93NUMPY\x01\x00\xff\xff{", 11);
    assert_int_equal(npy_read(path, &array, &error), BH_ERROR_FORMAT);
    write_bytes("hello", 5);
    assert_int_equal(npy_read(path, &array, &error), BH_ERROR_FORMAT);
    assert_int_equal(npy_read("/nonexistent/x.npy", &array, &error), BH_ERROR_IO);
    assert_int_equal(npy_read("/tmp", &array, &error), BH_ERROR_IO);
}

static void a_failed_write_leaves_nothing(void **state)
{
    struct bh_error error;
    struct bh_array array = {.type = BH_HOST_INT8, .rows = 1, .columns = 1, .data = (char[]){1}};
    assert_int_equal(npy_write("/nonexistent/x.npy", &array, &error), BH_ERROR_IO);
    assert_non_null(strstr(error.text, "/nonexistent: No such file or directory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_survive_the_way_there_and_back),
        cmocka_unit_test(dimensions_but_the_last_fold_into_rows),
        cmocka_unit_test(bad_files_are_refused_with_a_cause),
        cmocka_unit_test(a_failed_write_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
