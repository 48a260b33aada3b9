/* Pages of docs/ with tables that are made of tables/: for tests that compare them, or, with --write, write them anew.
 */
#ifndef BHEMU_TESTS_PAGE_H
#define BHEMU_TESTS_PAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { PAGE_SIZE = 1 << 17 };

struct page {
    char text[PAGE_SIZE];
    size_t length;
};

/* A section of a page: what stands between "<!-- name -->" and "<!-- end -->". A list ends with null. */
struct page_section {
    const char *name;
    void (*put)(struct page *page);
};

static bool page_writes;

/* Takes --write. */
static inline void page_arguments(int argc, char **argv)
{
    page_writes = argc > 1 && strcmp(argv[1], "--write") == 0;
}

static void put(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct page *page, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    page->length += (size_t)vsnprintf(page->text + page->length, sizeof page->text - page->length, format, arguments);
    va_end(arguments);
    assert_true(page->length < sizeof page->text);
}

/* "|" ends a cell of a table. */
static inline void put_cell(struct page *page, const char *text)
{
    for (; *text; text++) {
        put(page, *text == '|' ? "\\%c" : "%c", *text);
    }
}

/* Copies a page, with its tables generated anew. */
static inline void page_compose(const char *old, const struct page_section *sections, struct page *page)
{
    for (; sections->name; sections++) {
        char marker[64];
        (void)snprintf(marker, sizeof marker, "<!-- %s -->\n", sections->name);
        const char *begin = strstr(old, marker);
        assert_non_null(begin);
        begin += strlen(marker);
        put(page, "%.*s", (int)(begin - old), old);
        sections->put(page);
        old = strstr(begin, "<!-- end -->\n");
        assert_non_null(old);
    }
    put(page, "%s", old);
}

/* Fails unless the page is what its sections are now; with --write it becomes that. */
static inline void page_compare(const char *name, const struct page_section *sections)
{
    static struct page page, old;
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", BHEMU_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    old.length = fread(old.text, 1, sizeof old.text - 1, file);
    fclose(file);
    page_compose(old.text, sections, &page);
    if (page_writes) {
        file = fopen(path, "w");
        assert_non_null(file);
        assert_int_equal(fwrite(page.text, 1, page.length, file), page.length);
        fclose(file);
    } else if (strcmp(page.text, old.text) != 0) {
        fail_msg("%s is not what tables/ say: run this test with --write and look at the difference", name);
    }
}

#endif
