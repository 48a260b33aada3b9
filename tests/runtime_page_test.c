/* docs/runtime.md: its declarations are those of kernels/runtime/. With --write, writes them anew. */
#include "page.h"

#include <dirent.h>
#include <stdlib.h>

/* In the order in which the page has them. print.h has a page of its own. */
static const char *const headers[] = {"layout.h",   "arguments.h",   "mmio.h",   "sync.h",    "mop.h",
                                      "unpack.h",   "math.h",        "matmul.h", "pack.h",    "circular_buffer.h",
                                      "noc.h",      "interleaved.h", "gddr.h",   "credits.h", "streams.h",
                                      "ethernet.h", "link.h",        "route.h",  NULL};

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

static bool ends(const char *line, const char *with)
{
    size_t length = strlen(line), end = strlen(with);
    return length >= end && strcmp(line + length - end, with) == 0;
}

/* A line without its newline, into `line`. Null: there is no more. */
static const char *next_line(const char *text, char line[512])
{
    size_t length = strcspn(text, "\n");
    assert_true(length < 512);
    snprintf(line, 512, "%.*s", (int)length, text);
    return *text ? text + length + (text[length] == '\n') : NULL;
}

/* The comment that a header begins with becomes text. Returns what follows it. */
static const char *put_introduction(struct page *page, const char *text)
{
    const char *end = strstr(text, " */");
    assert_true(begins(text, "/* ") && end);
    bool indented = false; /* what a comment indents is code */
    put(page, "\n");
    for (const char *at = text + 3; at < end;) {
        char line[512];
        at = next_line(at, line);
        char *stop = strstr(line, " */");
        if (stop) {
            *stop = 0;
        }
        const char *shown = begins(line, "   ") ? line + 3 : line;
        if (begins(shown, "  ") != indented) {
            indented = !indented;
            put(page, indented ? "```text\n" : "```\n");
        }
        put(page, "%s\n", indented ? shown + 2 : shown);
    }
    put(page, "\n");
    return strchr(end, '\n') + 1;
}

/* Of a function its declaration. Returns what follows its body. */
static const char *put_function(struct page *page, const char *text)
{
    char line[512];
    text = next_line(text, line);
    const char *shown = line + strlen("static inline ");
    while (!ends(line, ")") && !ends(line, ";")) {
        put(page, "%s\n", shown);
        text = next_line(text, line);
        shown = line + strspn(line, " ");
        put(page, "        ");
    }
    put(page, "%s%s\n", shown, ends(line, ";") ? "" : ";");
    if (ends(line, ";")) {
        return text;
    }
    do {
        text = next_line(text, line);
        assert_non_null(text);
    } while (strcmp(line, "}") != 0);
    return text;
}

/* Of a macro of several lines its name and parameters, or its value. */
static const char *put_macro(struct page *page, const char *text)
{
    char line[512];
    text = next_line(text, line);
    if (!ends(line, "\\")) {
        put(page, "%s\n", line);
        return text;
    }
    char *parameters = strchr(line, ')');
    assert_non_null(parameters);
    put(page, "%.*s\n", (int)(parameters + 1 - line), line);
    while (text && ends(line, "\\")) {
        text = next_line(text, line);
    }
    return text;
}

static void put_header(struct page *page, const char *name)
{
    char path[4096], line[512];
    static char text[1 << 16];
    snprintf(path, sizeof path, BHEMU_SOURCE_DIR "/kernels/runtime/%s", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    put(page, "\n## %s\n", name);
    const char *at = put_introduction(page, text);
    put(page, "```c\n");
    bool blank = true;
    while (at) {
        const char *next = next_line(at, line);
        if (!next) {
            break;
        }
        if (begins(line, "#ifndef") || begins(line, "#include") || begins(line, "#endif") ||
            (begins(line, "#define BHEMU_KERNELS_") && ends(line, "_H")) || (blank && !*line)) {
            at = next;
            continue;
        }
        blank = !*line;
        if (begins(line, "static inline ")) {
            at = put_function(page, at);
        } else if (begins(line, "#define ")) {
            at = put_macro(page, at);
        } else {
            put(page, "%s\n", line);
            at = next;
        }
    }
    while (page->length && page->text[page->length - 1] == '\n') {
        page->text[--page->length] = 0;
    }
    put(page, "\n```\n");
}

static void put_headers(struct page *page)
{
    for (unsigned i = 0; headers[i]; i++) {
        put_header(page, headers[i]);
    }
}

static void the_page_has_all_declarations(void **state)
{
    (void)state;
    static const struct page_section sections[] = {{"headers", put_headers}, {0}};
    page_compare("docs/runtime.md", sections);
}

static void no_header_is_left_out(void **state)
{
    (void)state;
    DIR *folder = opendir(BHEMU_SOURCE_DIR "/kernels/runtime");
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        unsigned i = 0;
        while (headers[i] && strcmp(headers[i], entry->d_name) != 0) {
            i++;
        }
        if (ends(entry->d_name, ".h") && !headers[i] && strcmp(entry->d_name, "print.h") != 0) {
            fail_msg("docs/runtime.md does not have kernels/runtime/%s", entry->d_name);
        }
    }
    closedir(folder);
}

/* The section "What is where" of docs/kernels.md names functions and macros of the runtime: those in backquotes that
 * end in "()". */
static void the_page_of_kernels_names_what_there_is(void **state)
{
    (void)state;
    static char text[1 << 16];
    static struct page page;
    FILE *file = fopen(BHEMU_SOURCE_DIR "/docs/kernels.md", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    put_headers(&page);
    unsigned count = 0;
    const char *at = strstr(text, "\n## What is where\n");
    assert_non_null(at);
    const char *end = strstr(at + 1, "\n## ");
    for (; (at = strstr(at, "()`")) && at < end; at++) {
        const char *name = at;
        while (name[-1] != '`') {
            name--;
        }
        char wanted[100];
        snprintf(wanted, sizeof wanted, "%.*s(", (int)(at - name), name);
        if (!strstr(page.text, wanted)) {
            fail_msg("docs/kernels.md names %s), which no header of kernels/runtime/ has", wanted);
        }
        count++;
    }
    assert_in_range(count, 15, 100);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_page_has_all_declarations),
                                       cmocka_unit_test(no_header_is_left_out),
                                       cmocka_unit_test(the_page_of_kernels_names_what_there_is)};
    page_arguments(argc, argv);
    return cmocka_run_group_tests_name("runtime_page", tests, NULL, NULL);
}
