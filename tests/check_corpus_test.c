/* The programs with mistakes of kernels/mistakes/corpus.def: their correct twins give the right results, the wrong ones
   end by themselves, in both modes; and where bhemu has the checker it finds each mistake, with its rule and both
   lines, and nothing in a twin. */
#include "host/files.h"
#include "host/process.h"
#include "json_reader.h"
#include "util/sanitized.h"

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
static char output[1 << 18], report[1 << 20];

/* What went wrong, a line each; all of it is shown at the end of a test. */
static char failures[1 << 20];

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
        fputs(failures, stderr); /* more than fail_msg() has room for */
        fail();
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
        for (unsigned i = mode; i < MISTAKES; i += STRIDE_IF_SANITIZED(6)) {
            int status = run(*context, modes[mode], mistakes[i].name);
            if ((status > 1 && status != 4) || strstr(output, "Deadlock") || strstr(output, "not finished") ||
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

/* Runs a job with the checker; its findings are in `report`. */
static void check(const struct folder *folder, const char *mode, const char *name)
{
    char options[1024];
    snprintf(options, sizeof options, "%s --check --check-report '%s'", mode, in_folder(folder, "report.json"));
    *report = 0;
    run(folder, options, name);
    FILE *file = fopen(in_folder(folder, "report.json"), "r");
    if (file) {
        report[fread(report, 1, sizeof report - 1, file)] = 0;
        fclose(file);
        assert_int_equal(unlink(in_folder(folder, "report.json")), 0);
    }
}

/* Whether the text of a value of the report names a line of the source that has this mark. */
static bool names_marked_line(const char *path, const char *text, const struct mistake *mistake, const char *place)
{
    char file_name[128];
    snprintf(file_name, sizeof file_name, "/%s.c:", mistake->source);
    const char *at = json_find(report, path), *end = at ? json_text_end(at) : NULL;
    while (at && (at = memmem(at, (size_t)(end - at), file_name, strlen(file_name)))) {
        at += strlen(file_name);
        if (marked(text, (unsigned)strtoul(at, NULL, 10), place, mistake->name)) {
            return true;
        }
    }
    return false;
}

/* Whether the finding of this number has the rule, and names the lines that are marked. */
static bool is_found(unsigned number, const char *text, const struct mistake *mistake)
{
    char path[64];
    snprintf(path, sizeof path, "findings.%u.rule", number);
    if (!json_is(report, path, mistake->rule)) {
        return false;
    }
    unsigned wanted = 0, named = 0;
    for (unsigned order = 0; order < 2; order++) {
        bool here[2];
        for (unsigned place = 0; place < 2; place++) {
            snprintf(path, sizeof path, "findings.%u.places.%u.source", number, place ^ order);
            here[place] = names_marked_line(path, text, mistake, place ? "second" : "first");
        }
        wanted = 1u + marked(text, 0, "second", mistake->name);
        unsigned these = here[0] + (wanted == 2 && here[1]);
        named = these > named ? these : named;
    }
    return named == wanted || strcmp(mistake->core, "JOB") == 0;
}

/* Whether a finding may be there beside the one that has to be. */
static bool may_be_found(unsigned number, const struct mistake *mistake)
{
    char path[64], also[256];
    snprintf(path, sizeof path, "findings.%u.rule", number);
    snprintf(also, sizeof also, "%s %s", mistake->rule, mistake->also);
    for (char *rule = strtok(also, " "); rule; rule = strtok(NULL, " ")) {
        if (json_is(report, path, rule)) {
            return true;
        }
    }
    return false;
}

/* Whether kernels/mistakes/missed.txt has a line with this name: what the checker does not find yet, or finds
   otherwise. Said if it does. */
static bool is_missed(const char *name, bool right)
{
    char line[128];
    bool listed = false;
    FILE *file = fopen(BHEMU_SOURCE_DIR "/kernels/mistakes/missed.txt", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        listed |= strcmp(line, name) == 0;
    }
    fclose(file);
    if (listed && right) {
        print_message("%s is as it should be, but in kernels/mistakes/missed.txt\n", name);
    }
    return listed;
}

static bool checker_is_there(void)
{
    return run_in_shell("exec 2>&1; " BHEMU_BUILD_DIR "/bhemu run --help", output, sizeof output) == 0 &&
           strstr(output, "--check") != NULL;
}

static void nothing_is_found_in_twins(void **context)
{
    if (!kernels_are_built() || !checker_is_there()) {
        skip();
    }
    for (unsigned mode = 0; mode < 2; mode++) {
        for (unsigned i = 0; i < PROGRAMS; i++) {
            check(*context, modes[mode], programs[i].source);
            bool right = *report && json_count(report, "findings") == 0;
            if (!is_missed(programs[i].source, right) && !right) {
                failed("%s %s: %s\n", programs[i].source, modes[mode], output);
            }
        }
    }
    show_failures();
}

static void mistakes_are_found(void **context)
{
    if (!kernels_are_built() || !checker_is_there()) {
        skip();
    }
    for (unsigned mode = 0; mode < 2; mode++) {
        for (unsigned i = mode; i < MISTAKES; i += STRIDE_IF_SANITIZED(3)) {
            const struct mistake *mistake = &mistakes[i];
            const char *text = source_of(mistake->source);
            check(*context, modes[mode], mistake->name);
            unsigned count = json_count(report, "findings"), found = 0, others = 0;
            for (unsigned number = 0; number < count; number++) {
                found += is_found(number, text, mistake);
                others += !may_be_found(number, mistake);
            }
            found += strstr(output, "error: Hazard: ") != NULL; /* the device itself has stopped there */
            if (!is_missed(mistake->name, found && !others) && (!found || others)) {
                failed("%s %s: %s%s: %s\n", mistake->name, modes[mode],
                       found ? "" : "not found: ", others ? "something else" : mistake->rule, output);
            }
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
        cmocka_unit_test_setup_teardown(nothing_is_found_in_twins, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mistakes_are_found, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
