#include "validation/pairs.h"

#include <string.h>

enum { MOST = 32 };

/* A part of a text. */
struct part {
    const char *text;
    size_t length;
};

struct parts {
    struct part part[MOST];
    unsigned count;
};

static bool same(struct part one, struct part other)
{
    return one.length == other.length && !memcmp(one.text, other.text, one.length);
}

static struct parts split(const char *text, char at)
{
    struct parts parts = {0};
    while (*text && parts.count < MOST) {
        const char *end = strchr(text, at);
        size_t length = end ? (size_t)(end - text) : strlen(text);
        parts.part[parts.count++] = (struct part){text, length};
        text += length + (end != NULL);
    }
    return parts;
}

/* The words up to ": ", and all that follows as one. */
static struct parts split_name(const char *name)
{
    struct parts parts = split(name, ' ');
    for (unsigned i = 0; i + 1 < parts.count; i++) {
        if (parts.part[i].text[parts.part[i].length - 1] == ':') {
            parts.part[i + 1].length = strlen(parts.part[i + 1].text);
            parts.count = i + 2;
        }
    }
    return parts;
}

static unsigned differences_of_names(const char *one, const char *other)
{
    struct parts a = split_name(one), b = split_name(other);
    unsigned differences = a.count == b.count ? 0 : MOST;
    for (unsigned i = 0; i < a.count && i < b.count; i++) {
        differences += !same(a.part[i], b.part[i]);
    }
    return differences;
}

/* What stands before '=', or nothing. */
static struct part name_of(struct part parameter)
{
    const char *equals = memchr(parameter.text, '=', parameter.length);
    return (struct part){parameter.text, equals ? (size_t)(equals - parameter.text) : 0};
}

static bool holds(const struct parts *parts, struct part wanted)
{
    for (unsigned i = 0; i < parts->count; i++) {
        if (same(parts->part[i], wanted)) {
            return true;
        }
    }
    return false;
}

static bool holds_name(const struct parts *parts, struct part name)
{
    for (unsigned i = 0; i < parts->count; i++) {
        if (same(name_of(parts->part[i]), name)) {
            return true;
        }
    }
    return false;
}

static unsigned differences_of_parameters(const char *one, const char *other)
{
    struct parts a = split(one, ';'), b = split(other, ';');
    unsigned only_a = 0, only_b = 0, values = 0;
    for (unsigned i = 0; i < a.count; i++) {
        if (!holds(&b, a.part[i])) {
            bool both = holds_name(&b, name_of(a.part[i]));
            values += both;
            only_a += !both;
        }
    }
    for (unsigned i = 0; i < b.count; i++) {
        only_b += !holds(&a, b.part[i]) && !holds_name(&a, name_of(b.part[i]));
    }
    return values + only_a + only_b;
}

bool rows_are_a_pair(const struct measured *one, const struct measured *other)
{
    return !strcmp(one->group, other->group) && !strcmp(one->unit, other->unit) &&
           differences_of_names(one->what, other->what) + differences_of_parameters(one->params, other->params) == 1;
}
