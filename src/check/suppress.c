/* Suppressions: findings that the user knows of. */
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/checker.h"
#include "util/fail.h"

enum { PATTERN_SIZE = 200, SOURCE_SIZE = 1000 };

struct suppression {
    char rule[PATTERN_SIZE], place[PATTERN_SIZE]; /* place: between two wildcards; empty: any */
};

struct check_suppressions {
    struct suppression *one;
    unsigned count;
};

void suppressions_free(struct check_suppressions *suppressions)
{
    free(suppressions ? suppressions->one : NULL);
    free(suppressions);
}

/* The line without its comment and the blanks around it. */
static void trim(char *line)
{
    line[strcspn(line, "#")] = 0;
    size_t length = strlen(line), blanks = strspn(line, " \t\r");
    while (length > blanks && isspace((unsigned char)line[length - 1])) {
        length--;
    }
    memmove(line, line + blanks, length - blanks);
    line[length - blanks] = 0;
}

static bool parse(char *line, struct suppression *suppression)
{
    char *at = strstr(line, " at ");
    *suppression = (struct suppression){};
    if (at) {
        char *place = at + 4;
        *at = 0;
        trim(line);
        trim(place);
        if (!*place || snprintf(suppression->place, PATTERN_SIZE, "*%s*", place) >= PATTERN_SIZE) {
            return false;
        }
    }
    bool one = *line && !strpbrk(line, " \t");
    return one && snprintf(suppression->rule, PATTERN_SIZE, "%s", line) < PATTERN_SIZE;
}

static bool append(struct bh_check *check, const struct suppression *suppression)
{
    if (!check->suppressions && !(check->suppressions = calloc(1, sizeof *check->suppressions))) {
        return false;
    }
    struct check_suppressions *all = check->suppressions;
    struct suppression *more = realloc(all->one, (all->count + 1) * sizeof *more);
    if (!more) {
        return false;
    }
    more[all->count++] = *suppression;
    all->one = more;
    return true;
}

enum bh_status bh_check_suppress(struct bh_check *check, const char *text, struct bh_error *error)
{
    if (!check || !text) {
        return fail(error, BH_ERROR_ARGUMENT, "no checker, or no text");
    }
    for (unsigned number = 1; *text; number++) {
        char line[2 * PATTERN_SIZE];
        size_t length = strcspn(text, "\n");
        struct suppression suppression;
        bool fits = length < sizeof line;
        (void)snprintf(line, sizeof line, "%.*s", (int)(fits ? length : 0), text);
        trim(line);
        if (!fits || (*line && !parse(line, &suppression))) {
            return fail(error, BH_ERROR_FORMAT, "line %u is neither RULE nor RULE at PLACE", number);
        }
        if (*line && !append(check, &suppression)) {
            return fail(error, BH_ERROR_MEMORY, "no memory for what is suppressed");
        }
        text += length + (text[length] == '\n');
    }
    return BH_OK;
}

static bool is_at(const struct bh_check *check, const struct bh_check_finding *finding, const char *pattern)
{
    for (unsigned i = 0; i < finding->place_count; i++) {
        char source[SOURCE_SIZE];
        check_source(check, &finding->place[i], source, sizeof source);
        if (fnmatch(pattern, source, 0) == 0) {
            return true;
        }
    }
    return false;
}

bool suppresses(const struct bh_check *check, const struct bh_check_finding *finding)
{
    for (unsigned i = 0; check->suppressions && i < check->suppressions->count; i++) {
        const struct suppression *one = &check->suppressions->one[i];
        if (fnmatch(one->rule, finding->rule, 0) == 0 && (!*one->place || is_at(check, finding, one->place))) {
            return true;
        }
    }
    return false;
}
