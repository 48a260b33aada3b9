#include "host/npy.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/read_file.h"
#include "util/bits.h"
#include "util/fail.h"
#include "util/npy_header.h"

static const char magic[6] = "\x93NUMPY";

/* numpy's names of the types; BF16 has none, ml_dtypes writes it as two opaque bytes. */
static const char *const descriptions[BH_HOST_TYPE_COUNT] = {
    [BH_HOST_FLOAT32] = "<f4", [BH_HOST_FLOAT64] = "<f8", [BH_HOST_FLOAT16] = "<f2", [BH_HOST_BFLOAT16] = "<V2",
    [BH_HOST_INT8] = "|i1",    [BH_HOST_UINT8] = "|u1",   [BH_HOST_INT16] = "<i2",   [BH_HOST_UINT16] = "<u2",
    [BH_HOST_INT32] = "<i4",   [BH_HOST_UINT32] = "<u4",
};

/* The text after 'key': in the header's Python dictionary, or null. */
static const char *find_value(const char *header, const char *key)
{
    const char *found = strstr(header, key);
    if (!found || found[strlen(key)] != '\'') {
        return NULL;
    }
    found += strlen(key) + 1;
    found += strspn(found, " ");
    if (*found++ != ':') {
        return NULL;
    }
    return found + strspn(found, " ");
}

static bool parse_type(const char *header, enum bh_host_type *type)
{
    const char *value = find_value(header, "descr");
    if (!value || (*value != '\'' && *value != '"')) {
        return false;
    }
    value++;
    for (unsigned i = 0; i < BH_HOST_TYPE_COUNT; i++) {
        bool order_free = i == BH_HOST_INT8 || i == BH_HOST_UINT8 || i == BH_HOST_BFLOAT16;
        if ((value[0] == '<' || (order_free && (value[0] == '|' || value[0] == '='))) &&
            strncmp(value + 1, descriptions[i] + 1, 2) == 0 && (value[3] == '\'' || value[3] == '"')) {
            *type = (enum bh_host_type)i;
            return true;
        }
    }
    return false;
}

/* The element type as the header has it, on one line: "'>f4'", "[('x', '<f4'), ..."; what ends it is left away. */
static void found_type(const char *header, char *type, size_t size)
{
    const char *value = find_value(header, "descr");
    size_t length = value ? strcspn(value, *value == '[' ? "]" : ",}") : 0;
    length = length < size ? length : size - 1;
    for (size_t i = 0; i < length; i++) {
        type[i] = (char)(value[i] >= ' ' && value[i] < 0x7f ? value[i] : '?');
    }
    type[length] = 0;
    if (length == 0) {
        snprintf(type, size, "not said");
    }
}

static bool parse_shape(const char *header, size_t *rows, size_t *columns)
{
    const char *value = find_value(header, "shape");
    if (!value || *value++ != '(') {
        return false;
    }
    *rows = 1;
    *columns = 1;
    for (;;) {
        value += strspn(value, " ");
        if (*value == ')') {
            return true;
        }
        char *end;
        errno = 0;
        unsigned long long extent = strtoull(value, &end, 10);
        if (*value < '0' || *value > '9' || errno || (extent && *rows > SIZE_MAX / 16 / extent)) {
            return false;
        }
        *rows *= *columns;
        *columns = (size_t)extent;
        if (*columns && *rows > SIZE_MAX / 16 / *columns) {
            return false;
        }
        value = end + strspn(end, " ");
        if (*value == ',') {
            value++;
        } else if (*value != ')') {
            return false;
        }
    }
}

static enum bh_status parse(const char *path, const uint8_t *bytes, size_t size, struct bh_array *array,
                            struct bh_error *error)
{
    if (size < 10 || memcmp(bytes, magic, sizeof magic) != 0 || bytes[6] < 1 || bytes[6] > 3) {
        return fail(error, BH_ERROR_FORMAT, "%s: not a .npy file", path);
    }
    size_t start = bytes[6] == 1 ? 10 : 12;
    size_t length = bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] > 1 && size >= 12) {
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }
    if (size < start || length > size - start) {
        return fail(error, BH_ERROR_FORMAT, "%s: truncated: the .npy header is cut off", path);
    }
    char *header = strndup((const char *)bytes + start, length);
    if (!header) {
        return fail(error, BH_ERROR_MEMORY, "%s: out of memory", path);
    }
    const char *order = find_value(header, "fortran_order");
    const char *problem = NULL;
    char type[40], wrong[150];
    if (!parse_type(header, &array->type)) {
        found_type(header, type, sizeof type);
        snprintf(wrong, sizeof wrong, "its element type is %s, not one of f4 f8 f2 V2 i1 u1 i2 u2 i4 u4, little-endian",
                 type);
        problem = wrong;
    } else if (!order) {
        problem = "its header does not say fortran_order";
    } else if (strncmp(order, "False", 5) != 0) {
        problem = "it is in Fortran order; numpy.ascontiguousarray() makes C order of it";
    } else if (!parse_shape(header, &array->rows, &array->columns)) {
        problem = "its shape can not be read";
    }
    free(header);
    if (problem) {
        return fail(error, BH_ERROR_FORMAT, "%s: %s", path, problem);
    }
    size_t wanted = array->rows * array->columns * bh_host_type_size(array->type);
    if (size - start - length < wanted) {
        return fail(error, BH_ERROR_FORMAT, "%s: truncated: %zu bytes of data, its shape needs %zu", path,
                    size - start - length, wanted);
    }
    array->data = malloc(wanted ? wanted : 1);
    if (!array->data) {
        return fail(error, BH_ERROR_MEMORY, "%s: out of memory", path);
    }
    memcpy(array->data, bytes + start + length, wanted);
    return BH_OK;
}

enum bh_status npy_read(const char *path, struct bh_array *array, struct bh_error *error)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    *array = (struct bh_array){.data = NULL};
    enum bh_status status = read_file(path, &bytes, &size, error);
    if (status == BH_OK) {
        status = parse(path, bytes, size, array, error);
        free(bytes);
    }
    return status;
}

enum bh_status npy_stage(const char *path, const struct bh_array *array, struct staged_file *staged,
                         struct bh_error *error)
{
    size_t data = array->rows * array->columns * bh_host_type_size(array->type);
    uint8_t *bytes = malloc(NPY_HEADER + data);
    *staged = (struct staged_file){};
    if (!bytes) {
        return fail(error, BH_ERROR_MEMORY, "%s: out of memory", path);
    }
    npy_header((char *)bytes, descriptions[array->type], (const size_t[]){array->rows, array->columns}, 2);
    memcpy(bytes + NPY_HEADER, array->data, data);
    enum bh_status status = stage_file(path, bytes, NPY_HEADER + data, staged, error);
    free(bytes);
    return status;
}

enum bh_status npy_write(const char *path, const struct bh_array *array, struct bh_error *error)
{
    struct staged_file staged = {};
    enum bh_status status = npy_stage(path, array, &staged, error);
    if (status == BH_OK) {
        return commit_file(&staged, error);
    }
    discard_file(&staged);
    return status;
}
