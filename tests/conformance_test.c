/* The pages of docs/conformance: every test that they name exists and passes. Usually ctest has run the programs
   before, and scripts/record-test has saved their output; programs that were rebuilt since, or not run, are run
   here. */
#include <ctype.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

enum { MOST_PROGRAMS = 200, NAME_SIZE = 128, OUTPUT_SIZE = 1 << 20, LINE_SIZE = 4096, PATH_SIZE = 512 };

/* A test program, and what it wrote. */
struct program {
    char name[NAME_SIZE];
    char *output;
};

static struct program programs[MOST_PROGRAMS];
static unsigned program_count;

static char *read_all(FILE *file)
{
    char *output = calloc(1, OUTPUT_SIZE);
    if (file && output) {
        size_t length = fread(output, 1, OUTPUT_SIZE - 1, file);
        output[length] = 0;
    }
    return output;
}

static char *run(const char *program)
{
    char command[PATH_SIZE + 64];
    snprintf(command, sizeof command, "CMOCKA_MESSAGE_OUTPUT=TAP '%s' 2>&1", program);
    FILE *pipe = popen(command, "r");
    char *output = read_all(pipe);
    if (pipe) {
        pclose(pipe);
    }
    return output;
}

/* The output of a program's last run, if the program has not changed since; else null. */
static char *recorded(const char *program)
{
    char path[PATH_SIZE + 64];
    struct stat built, ran;
    snprintf(path, sizeof path, "%s.tap", program);
    bool current = stat(program, &built) == 0 && stat(path, &ran) == 0 &&
                   (ran.st_mtim.tv_sec > built.st_mtim.tv_sec ||
                    (ran.st_mtim.tv_sec == built.st_mtim.tv_sec && ran.st_mtim.tv_nsec > built.st_mtim.tv_nsec));
    FILE *file = current ? fopen(path, "r") : NULL;
    if (!file) {
        return NULL;
    }
    char *output = read_all(file);
    fclose(file);
    return output;
}

/* The output of a program, which is read only once. */
static const char *output_of(const char *name)
{
    for (unsigned i = 0; i < program_count; i++) {
        if (strcmp(programs[i].name, name) == 0) {
            return programs[i].output;
        }
    }
    assert_true(program_count < MOST_PROGRAMS);
    struct program *program = &programs[program_count++];
    snprintf(program->name, sizeof program->name, "%s", name);
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/tests/test.%s", BHEMU_BUILD_DIR, name);
    program->output = recorded(path);
    if (!program->output) {
        program->output = run(path);
    }
    assert_non_null(program->output);
    return program->output;
}

/* Whether a line of `output` begins with `result`, and has `test` after the first `mark` in it. */
static bool has_line(const char *output, const char *result, const char *mark, const char *test)
{
    size_t length = strlen(test);
    for (const char *line = output; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        const char *name = strncmp(line, result, strlen(result)) == 0 ? strstr(line, mark) : NULL;
        name = name ? name + strlen(mark) : NULL;
        if (name && strncmp(name, test, length) == 0 && !isalnum((unsigned char)name[length]) && name[length] != '_') {
            return true;
        }
    }
    return false;
}

/* Whether a test passed, from TAP output. The project's jobs name the kernels of build/, so that sanitized builds skip
   the tests that run them. */
static bool passed(const char *output, const char *test)
{
    bool may_skip = strcmp(BHEMU_BUILD_DIR, BHEMU_SOURCE_DIR "/build") != 0;
    return has_line(output, "ok ", " - ", test) || (may_skip && has_line(output, "not ok ", " # SKIP ", test));
}

/* Whether `text` has the form "program: test"; pages also quote other texts. */
static bool is_test(const char *text, char program[NAME_SIZE], char test[NAME_SIZE])
{
    char rest;
    return sscanf(text, "%127[a-z0-9_.]: %127[a-z0-9_]%c", program, test, &rest) == 2;
}

/* Checks every `program: test` of one line; in a strict page all such quotes have this form. Returns their number. */
static unsigned check_line(const char *page, unsigned number, const char *line, bool strict)
{
    unsigned count = 0;
    const char *end;
    for (const char *at = strchr(line, '`'); at && (end = strchr(at + 1, '`')); at = strchr(end + 1, '`')) {
        char program[NAME_SIZE], test[NAME_SIZE], text[2 * NAME_SIZE];
        snprintf(text, sizeof text, "%.*s", (int)(end - at - 1), at + 1);
        if (!is_test(text, program, test)) {
            if (!strict) {
                continue;
            }
            fail_msg("%s:%u: `%s` is not `program: test`", page, number, text);
        }
        if (!passed(output_of(program), test)) {
            fail_msg("%s:%u: test %s of %s does not exist or did not pass", page, number, test, program);
        }
        count++;
    }
    return count;
}

/* Every row of a strict page's table names a test, of a chapter whose number begins the test's name. Other pages may
   also say that no test covers a statement. Returns the number of tests named. */
static unsigned check_page(const char *page)
{
    char path[512], line[LINE_SIZE];
    snprintf(path, sizeof path, "%s/docs/conformance/%s", BHEMU_SOURCE_DIR, page);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    unsigned named = 0;
    bool strict = isdigit((unsigned char)page[0]);
    for (unsigned number = 1; fgets(line, sizeof line, file); number++) {
        bool is_row = line[0] == '|' && strncmp(line, "|---", 4) != 0 && strncmp(line, "| statement", 11) != 0;
        if (is_row) {
            unsigned tests = check_line(page, number, line, strict);
            if (strict && tests == 0) {
                fail_msg("%s:%u: a statement without a test", page, number);
            }
            named += tests;
        }
    }
    fclose(file);
    return named;
}

static void every_statement_has_a_test_that_passes(void **state)
{
    DIR *directory = opendir(BHEMU_SOURCE_DIR "/docs/conformance");
    assert_non_null(directory);
    unsigned pages = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        size_t length = strlen(entry->d_name);
        if (length > 3 && strcmp(entry->d_name + length - 3, ".md") == 0 && strcmp(entry->d_name, "README.md") != 0) {
            assert_true(check_page(entry->d_name) > 0);
            pages++;
        }
    }
    closedir(directory);
    assert_true(pages > 0);
    for (unsigned i = 0; i < program_count; i++) {
        free(programs[i].output);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_statement_has_a_test_that_passes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
