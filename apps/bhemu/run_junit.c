/* --junit: how jobs ended, as an XML file that servers of continuous integration read; a test case for each job. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/exit_code.h"
#include "run_files.h"
#include "run_part.h"
#include "run_record.h"

const struct command_option run_junit_list[] = {
    {"junit", "FILE", "write how the jobs ended to FILE, as JUnit's XML: a test case for each job", 0, true},
    {},
};

static struct {
    const char *path; /* null: none is wanted */
    char *text;       /* of the cases */
    size_t size;
    FILE *stream;
    unsigned cases, failures, errors;
    double seconds;
} suite;

static bool set(struct run *run, const char *name, const char *value)
{
    suite.path = value;
    return true;
}

static bool check(struct run *run)
{
    suite.stream = suite.path ? open_memstream(&suite.text, &suite.size) : NULL;
    return !suite.path || suite.stream || run_wrong("--junit: out of memory");
}

/* XML has no control characters but these three. */
static void write_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\n': fputs("&#10;", out); break;
        default: fputc((unsigned char)*text < ' ' && *text != '\t' ? '?' : *text, out); break;
        }
    }
}

static void told(struct run *run, const struct run_end *end)
{
    if (!suite.path) {
        return;
    }
    bool failed = end->code == EXIT_DIFFERENT || end->code == EXIT_FINDINGS || end->code == EXIT_STOPPED ||
                  end->code == EXIT_ENDLESS; /* by the program's fault; else it is an error */
    const char *kind = failed ? "failure" : "error";
    const char *why = end->status != BH_OK         ? end->error->text
                      : run->result.outputs_differ ? run->result.mismatch.text
                      : end->code == EXIT_FINDINGS ? "the checker has findings"
                                                   : "with some seed something else comes out";
    suite.cases++;
    suite.failures += failed;
    suite.errors += !failed && end->code != EXIT_DONE;
    suite.seconds += end->seconds;
    fputs("  <testcase classname=\"bhemu\" name=\"", suite.stream);
    write_escaped(suite.stream, run->path);
    fprintf(suite.stream, "\" time=\"%.3f\"", end->seconds);
    if (end->code == EXIT_DONE) {
        fputs("/>\n", suite.stream);
        return;
    }
    char first[200];
    (void)snprintf(first, sizeof first, "%.*s", (int)strcspn(why, "\n"), why);
    fprintf(suite.stream, ">\n    <%s type=\"%s\" message=\"", kind, run_result_name(end->code));
    write_escaped(suite.stream, first);
    fputs("\">", suite.stream);
    write_escaped(suite.stream, why);
    fprintf(suite.stream, "</%s>\n  </testcase>\n", kind);
}

static bool finish(struct run *run, int code)
{
    if (!suite.path) {
        return true;
    }
    bool good = fclose(suite.stream) == 0;
    if (!run_files_may_write("junit")) { /* which was told */
        free(suite.text);
        return true;
    }
    errno = 0;
    FILE *file = good ? fopen(suite.path, "w") : NULL;
    if (file) {
        run_record_clean(suite.text);
        fprintf(file,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"bhemu\" tests=\"%u\" "
                "failures=\"%u\" errors=\"%u\" skipped=\"0\" time=\"%.3f\">\n%s</testsuite>\n</testsuites>\n",
                suite.cases, suite.failures, suite.errors, suite.seconds, suite.text);
        good = !ferror(file);
    }
    good = file && fclose(file) == 0 && good;
    free(suite.text);
    return good || run_wrong("--junit: %s: %s", suite.path, strerror(errno ? errno : EIO));
}

const struct run_part run_junit_part = {
    .options = run_junit_list, .set = set, .check = check, .told = told, .finish = finish};
