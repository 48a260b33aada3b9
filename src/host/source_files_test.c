/* Several ELFs of which some stay open: kernels of the project's own, copied. */
#include "host/source_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elf.h>

#include <cmocka.h>

#include "../../tests/host/kernels.h"

enum { TEXT = 300 };

struct fixture {
    char folder[64];
    struct source_files files;
    uint32_t entry; /* of the copies */
};

static const char *path_of(const struct fixture *fixture, unsigned number)
{
    static char path[100];
    snprintf(path, sizeof path, "%s/%u.elf", fixture->folder, number);
    return path;
}

static void copy(struct fixture *fixture, unsigned number, const char *kernel)
{
    char from[300], bytes[1 << 16];
    snprintf(from, sizeof from, BHEMU_BUILD_DIR "/kernels/%s.elf", kernel);
    FILE *file = fopen(from, "rb"), *made = fopen(path_of(fixture, number), "wb");
    assert_non_null(file);
    assert_non_null(made);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    assert_int_equal(fwrite(bytes, 1, size, made), size);
    assert_int_equal(fclose(made) | fclose(file), 0);
    fixture->entry = ((const Elf32_Ehdr *)bytes)->e_entry;
}

static int set_up(void **context)
{
    struct fixture *fixture = *context = calloc(1, sizeof *fixture);
    snprintf(fixture->folder, sizeof fixture->folder, "/tmp/bhemu_source_files_XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    return 0;
}

static int tear_down(void **context)
{
    struct fixture *fixture = *context;
    source_files_close(&fixture->files);
    for (unsigned i = 0; i <= SOURCE_FILES; i++) {
        unlink(path_of(fixture, i));
    }
    rmdir(fixture->folder);
    free(fixture);
    return 0;
}

static bool ask(struct fixture *fixture, unsigned number, const struct file_identity *only)
{
    char text[TEXT] = "x";
    bool found = source_files_line(&fixture->files, path_of(fixture, number), only, fixture->entry, text, sizeof text);
    assert_int_equal(found, strstr(text, ".S:") != NULL);
    assert_int_equal(!found, text[0] == 0);
    return found;
}

static void a_file_answers_when_it_is_deleted(void **context)
{
    struct fixture *fixture = *context;
    need_kernels();
    copy(fixture, 0, "matmul32.trisc1");
    assert_true(ask(fixture, 0, NULL));
    unlink(path_of(fixture, 0));
    assert_true(ask(fixture, 0, NULL));
    source_files_close(&fixture->files);
    assert_false(ask(fixture, 0, NULL));
}

/* Overwritten with another program, and cut off. */
static void a_file_answers_as_it_was_when_it_was_opened(void **context)
{
    struct fixture *fixture = *context;
    need_kernels();
    copy(fixture, 0, "matmul32.trisc1");
    assert_true(ask(fixture, 0, NULL));
    uint32_t entry = fixture->entry;
    copy(fixture, 0, "credits.ncrisc");
    assert_int_not_equal(fixture->entry, entry);
    assert_int_equal(truncate(path_of(fixture, 0), 100), 0);
    fixture->entry = entry;
    assert_true(ask(fixture, 0, NULL));
}

static void the_one_asked_longest_ago_is_closed(void **context)
{
    struct fixture *fixture = *context;
    need_kernels();
    for (unsigned i = 0; i <= SOURCE_FILES; i++) {
        copy(fixture, i, "matmul32.trisc1");
    }
    for (unsigned i = 0; i < SOURCE_FILES; i++) {
        assert_true(ask(fixture, i, NULL));
    }
    assert_true(ask(fixture, 0, NULL));
    assert_true(ask(fixture, SOURCE_FILES, NULL));
    for (unsigned i = 0; i <= SOURCE_FILES; i++) {
        unlink(path_of(fixture, i));
    }
    for (unsigned i = 0; i <= SOURCE_FILES; i++) {
        assert_int_equal(ask(fixture, i, NULL), i != 1);
    }
}

static void only_the_file_that_is_meant_answers(void **context)
{
    struct fixture *fixture = *context;
    struct stat status;
    need_kernels();
    copy(fixture, 0, "matmul32.trisc1");
    assert_int_equal(stat(path_of(fixture, 0), &status), 0);
    struct file_identity first = file_identity(&status);
    assert_true(ask(fixture, 0, &first));
    copy(fixture, 1, "matmul32.trisc1");
    assert_int_equal(stat(path_of(fixture, 1), &status), 0);
    struct file_identity second = file_identity(&status);
    assert_false(ask(fixture, 0, &second));
    char path[100];
    snprintf(path, sizeof path, "%s", path_of(fixture, 0));
    assert_int_equal(rename(path_of(fixture, 1), path), 0);
    assert_true(ask(fixture, 0, &second));
    assert_true(ask(fixture, 0, &first)); /* it is still open */
    source_files_close(&fixture->files);
    assert_false(ask(fixture, 0, &first));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_answers_when_it_is_deleted),
        TEST(a_file_answers_as_it_was_when_it_was_opened),
        TEST(the_one_asked_longest_ago_is_closed),
        TEST(only_the_file_that_is_meant_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
