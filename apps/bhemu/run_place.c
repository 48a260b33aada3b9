#include "run_place.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SOURCE_SIZE = 600, PLACE_SIZE = 1000, FIRST_ROOM = 1024 };

/* Answers found so far, in a table that is hashed by all that they depend on: tiles of one group have the same
   programs. */
struct answer {
    const char *source; /* null: the entry is free */
    unsigned group;
    struct bh_place place;
    bool is_there;
};

static struct answer *answers;
static size_t room, used;

bool run_is_source(const char *text)
{
    return isalpha((unsigned char)*text) || *text == '_' || *text == '/' || *text == '.';
}

/* Of one level, as "function (path/file.c:57)"; `end` is behind it. */
static bool level_is(const char *level, const char *end, const char *source)
{
    size_t length = strlen(source);
    const char *open = memchr(level, '(', (size_t)(end - level));
    if (!open || !strchr(source, ':')) {
        size_t name = (size_t)((open ? open - 1 : end) - level);
        return name == length && memcmp(level, source, length) == 0;
    }
    const char *at = end - 1 - length; /* before the parenthesis */
    return at > open && memcmp(at, source, length) == 0 && (at[-1] == '/' || at - 1 == open);
}

static bool any_level_is(const char *levels, const char *source)
{
    static const char between[] = ", in ";
    for (const char *level = levels; level;) {
        const char *next = strstr(level, between);
        if (level_is(level, next ? next : level + strlen(level), source)) {
            return true;
        }
        level = next ? next + strlen(between) : NULL;
    }
    return false;
}

static bool is_answer_to(const struct answer *answer, const struct answer *asked)
{
    return answer->source == asked->source && answer->group == asked->group && answer->place.pc == asked->place.pc &&
           answer->place.agent == asked->place.agent && answer->place.index == asked->place.index;
}

/* The entry with the answer, or a free one. */
static struct answer *find(const struct answer *asked)
{
    size_t i = (asked->place.pc / 4 * 0x9e3779b1u + asked->group * 31 + asked->place.index) % room;
    while (answers[i].source && !is_answer_to(&answers[i], asked)) {
        i = (i + 1) % room;
    }
    return &answers[i];
}

/* false: there is no memory. */
static bool make_room(void)
{
    if (2 * used < room) {
        return true;
    }
    struct answer *before = answers, *more = calloc(room ? 2 * room : FIRST_ROOM, sizeof *more);
    size_t count = room;
    if (!more) {
        return false;
    }
    answers = more;
    room = room ? 2 * room : FIRST_ROOM;
    for (size_t i = 0; i < count; i++) {
        if (before[i].source) {
            *find(&before[i]) = before[i];
        }
    }
    free(before);
    return true;
}

bool run_is_at_source(const struct run *run, unsigned x, unsigned y, const struct bh_place *place, const char *source)
{
    char levels[SOURCE_SIZE];
    struct answer asked = {.source = source, .group = bh_job_group(run->job, run->options.chip, x, y), .place = *place};
    struct answer *answer = make_room() ? find(&asked) : NULL;
    if (answer && answer->source) {
        return answer->is_there;
    }
    asked.is_there =
        bh_job_source(run->job, run->options.chip, x, y, place, levels, sizeof levels) && any_level_is(levels, source);
    if (answer) {
        *answer = asked;
        used++;
    }
    return asked.is_there;
}

void run_forget_sources(void)
{
    free(answers);
    answers = NULL;
    room = used = 0;
}

bool run_source(const struct run *run, unsigned x, unsigned y, const struct bh_place *place, char *buffer,
                unsigned size)
{
    char text[PLACE_SIZE], folder[PATH_MAX + 1];
    bool known = bh_job_source(run->job, run->options.chip, x, y, place, text, sizeof text);
    size_t length = known && getcwd(folder, sizeof folder - 1) ? strlen(folder) : 0;
    if (length) {
        folder[length++] = '/';
        folder[length] = 0;
    }
    for (char *found; length && (found = strstr(text, folder));) {
        memmove(found, found + length, strlen(found + length) + 1);
    }
    size_t used_size = strnlen(text, size - 1); /* only now: what does not fit is at the end */
    memcpy(buffer, text, used_size);
    buffer[used_size] = 0;
    return known;
}
