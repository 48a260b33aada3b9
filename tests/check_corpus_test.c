/* The programs with mistakes of kernels/mistakes/corpus.def: their correct twins give the right results, the wrong ones
   end by themselves, in both modes; and where bhemu has the checker it finds each mistake, with its rule and both
   lines, and nothing in a twin. */
#include "host/files.h"
#include "host/process.h"

#include <stdbool.h>

struct program {
    const char *source, *cores;
    uint32_t results[4];
};

struct mistake {
    const char *name, *source, *core, *rule, *also, *agents, *document;
};

static const struct program programs[] = {
#define PROGRAM(source, cores, ...) {#source, cores, {__VA_ARGS__}},
#define MISTAKE(...)
#include "../kernels/mistakes/corpus.def"
};

static const struct mistake mistakes[] = {
#define PROGRAM(...)
#define MISTAKE(name, source, core, ...) {#name, #source, #core, __VA_ARGS__},
#include "../kernels/mistakes/corpus.def"
};

enum { PROGRAMS = sizeof programs / sizeof *programs, MISTAKES = sizeof mistakes / sizeof *mistakes };

static const char *const modes[] = {"", "--timed"};
static char output[1 << 18];

/* What went wrong, a line each; all of it is shown at the end of a test. */
static char failures[1 << 16];

static void failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void failed(const char *format, ...)
{
    size_t length = strlen(failures);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failures + length, sizeof failures - length, format, arguments);
    va_end(arguments);
}

static void show_failures(void)
{
    if (*failures) {
        fail_msg("%s", failures);
    }
}

static int set_up(void **context)
{
    *failures = 0;
    struct folder *folder = calloc(1, sizeof *folder);
    make_folder(folder);
    *context = folder;
    return 0;
}

static int tear_down(void **context)
{
    remove_folder(*context);
    free(*context);
    return 0;
}

static bool kernels_are_built(void)
{
    return access(BHEMU_BUILD_DIR "/kernels/built", R_OK) == 0;
}

/* Runs the job of this name; its output files come into the folder. */
static int run(const struct folder *folder, const char *options, const char *name)
{
    char command[2048];
    snprintf(command, sizeof command, "exec 2>&1; %s/bhemu run -q %s --output '%s' %s/kernels/mistakes/%s.yaml",
             BHEMU_BUILD_DIR, options, folder->path, BHEMU_BUILD_DIR, name);
    return run_in_shell(command, output, sizeof output);
}

/* The four words of a .npy file: its last 16 bytes. */
static void read_results(const struct folder *folder, const char *name, uint32_t words[4])
{
    char file_name[128];
    snprintf(file_name, sizeof file_name, "%s.npy", name);
    FILE *file = fopen(in_folder(folder, file_name), "rb");
    if (!file) {
        failed("%s: no output\n", name);
        return;
    }
    assert_int_equal(fseek(file, -16, SEEK_END), 0);
    assert_int_equal(fread(words, 4, 4, file), 4);
    fclose(file);
    assert_int_equal(unlink(in_folder(folder, file_name)), 0);
}

static void twins_give_the_right_results(void **context)
{
    if (!kernels_are_built()) {
        skip();
    }
    for (unsigned mode = 0; mode < 2; mode++) {
        for (unsigned i = 0; i < PROGRAMS; i++) {
            const struct program *program = &programs[i];
            uint32_t words[4] = {0};
            if (run(*context, modes[mode], program->source) != 0 || *output) {
                failed("%s %s: %s\n", program->source, modes[mode], output);
                continue;
            }
            read_results(*context, program->source, words);
            if (memcmp(words, program->results, sizeof words) != 0) {
                failed("%s %s: 0x%x 0x%x 0x%x 0x%x\n", program->source, modes[mode], words[0], words[1], words[2],
                       words[3]);
            }
        }
    }
    show_failures();
}

static void mistakes_end_by_themselves(void **context)
{
    if (!kernels_are_built()) {
        skip();
    }
    for (unsigned mode = 0; mode < 2; mode++) {
        for (unsigned i = 0; i < MISTAKES; i++) {
            int status = run(*context, modes[mode], mistakes[i].name);
            if (status > 1 || strstr(output, "Deadlock") || strstr(output, "not finished") ||
                strstr(output, "No such file")) {
                failed("%s %s: %d: %s\n", mistakes[i].name, modes[mode], status, output);
            }
        }
    }
    show_failures();
}

/* Whether two files of kernels/mistakes/ in the build folder have the same bytes. */
static bool same_files(const char *a, const char *a_core, const char *b, const char *b_core)
{
    static char bytes[2][1 << 20];
    size_t sizes[2];
    for (unsigned i = 0; i < 2; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/kernels/mistakes/%s.%s.elf", BHEMU_BUILD_DIR, i ? b : a, i ? b_core : a_core);
        FILE *file = fopen(path, "rb");
        sizes[i] = file ? fread(bytes[i], 1, sizeof bytes[i], file) : 0;
        if (file) {
            fclose(file);
        }
    }
    return sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0;
}

static void every_mistake_changes_its_program(void **context)
{
    (void)context;
    if (!kernels_are_built()) {
        skip();
    }
    for (unsigned i = 0; i < MISTAKES; i++) {
        const struct mistake *mistake = &mistakes[i];
        if (strcmp(mistake->core, "ALL") != 0 && strcmp(mistake->core, "JOB") != 0 &&
            same_files(mistake->name, mistake->core, mistake->source, mistake->core)) {
            failed("%s: the program of %s is that of its twin\n", mistake->name, mistake->core);
        }
    }
    show_failures();
}

/* The source of a program with mistakes, which is valid until the next call. */
static const char *source_of(const char *source)
{
    static char text[1 << 16];
    snprintf(text, sizeof text, "%s/kernels/mistakes/%s.c", BHEMU_SOURCE_DIR, source);
    FILE *file = fopen(text, "r");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    assert_true(feof(file));
    fclose(file);
    text[size] = 0;
    return text;
}

/* Whether these characters have the mark "PLACE: NAME", alone or among other names. */
static bool has_mark(const char *at, const char *end, const char *place, const char *name)
{
    while ((at = memmem(at, (size_t)(end - at), place, strlen(place)))) {
        at += strlen(place);
        while (*at && strchr(" ,:", *at)) {
            at++;
            size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
            if (length == strlen(name) && memcmp(at, name, length) == 0) {
                return true;
            }
            at += length;
        }
    }
    return false;
}

/* Whether this line of a source is marked: in a comment behind its code, or in lines of comments right before it. Line
   0: any line. */
static bool marked(const char *text, unsigned line, const char *place, const char *name)
{
    bool before = false;
    unsigned number = 1;
    for (const char *at = text; *at; number++) {
        const char *end = strchrnul(at, '\n');
        bool here = has_mark(at, end, place, name);
        bool comment = strncmp(at + strspn(at, " "), "/*", 2) == 0;
        if ((here || before) && (line == 0 || (line == number && !comment))) {
            return true;
        }
        before = comment && (here || before);
        at = *end ? end + 1 : end;
    }
    return false;
}

static void every_mistake_is_marked(void **context)
{
    (void)context;
    for (unsigned i = 0; i < MISTAKES; i++) {
        const struct mistake *mistake = &mistakes[i];
        if (strcmp(mistake->core, "JOB") == 0) {
            continue;
        }
        const char *text = source_of(mistake->source);
        char condition[128];
        snprintf(condition, sizeof condition, "(%s)", mistake->name);
        if (!strstr(text, condition)) {
            failed("%s: nothing in %s.c depends on it\n", mistake->name, mistake->source);
        }
        if (!marked(text, 0, "first", mistake->name)) {
            failed("%s: no line of %s.c is marked\n", mistake->name, mistake->source);
        }
    }
    show_failures();
}

static void every_mistake_has_a_rule_of_the_page(void **context)
{
    (void)context;
    static char page[1 << 16];
    FILE *file = fopen(BHEMU_SOURCE_DIR "/docs/checker.md", "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = 0;
    fclose(file);
    for (unsigned i = 0; i < MISTAKES; i++) {
        char row[128];
        snprintf(row, sizeof row, "| `%s` |", mistakes[i].rule);
        if (!strstr(page, row)) {
            failed("%s: %s is no rule\n", mistakes[i].name, mistakes[i].rule);
        }
    }
    show_failures();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(twins_give_the_right_results, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mistakes_end_by_themselves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_mistake_changes_its_program, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_mistake_is_marked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_mistake_has_a_rule_of_the_page, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
