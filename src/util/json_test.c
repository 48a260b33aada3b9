/* JSON: values nest, are separated and escaped as RFC 8259 says. */
#include "util/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check(FILE *file, char **text, const char *expected)
{
    fclose(file);
    assert_string_equal(*text, expected);
    free(*text);
}

#define BEGIN()                                                                                                        \
    char *text = NULL;                                                                                                 \
    size_t size;                                                                                                       \
    struct json json = json_to(open_memstream(&text, &size))
#define END(expected) check(json.file, &text, expected)

static void values_are_separated(void **state)
{
    BEGIN();
    json_begin_object(&json);
    json_name(&json, "a");
    json_begin_array(&json);
    json_unsigned(&json, UINT64_MAX);
    json_signed(&json, -7);
    json_bool(&json, true);
    json_null(&json);
    json_begin_array(&json);
    json_end_array(&json);
    json_end_array(&json);
    json_name(&json, "b");
    json_format(&json, "%s-%d", "x", 1);
    json_name(&json, "c");
    json_begin_object(&json);
    json_end_object(&json);
    json_end_object(&json);
    END("{\"a\":[18446744073709551615,-7,true,null,[]],\"b\":\"x-1\",\"c\":{}}");
}

static void texts_are_escaped(void **state)
{
    BEGIN();
    json_begin_array(&json);
    json_text(&json, "a\"b\\c\n\x01 \xc3\xa4");
    json_text(&json, NULL);
    json_end_array(&json);
    END("[\"a\\\"b\\\\c\\u000a\\u0001 \xc3\xa4\",null]");
}

static void doubles_are_read_back_as_they_were(void **state)
{
    BEGIN();
    json_begin_array(&json);
    json_double(&json, 0.1);
    json_double(&json, 1.0 / 3);
    json_double(&json, -0.0);
    json_double(&json, 1e300);
    json_double(&json, 3);
    json_double(&json, -INFINITY);
    json_double(&json, NAN);
    json_end_array(&json);
    END("[0.1,0.3333333333333333,-0,1e+300,3,\"-inf\",\"nan\"]");
}

static void elements_of_the_outermost_array_may_have_lines(void **state)
{
    BEGIN();
    json.lines = true;
    json_begin_array(&json);
    json_begin_array(&json);
    json_unsigned(&json, 1);
    json_unsigned(&json, 2);
    json_end_array(&json);
    json_unsigned(&json, 3);
    json_end_array(&json);
    END("[\n[1,2],\n3\n]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_separated),
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(doubles_are_read_back_as_they_were),
        cmocka_unit_test(elements_of_the_outermost_array_may_have_lines),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
