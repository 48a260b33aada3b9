/* Reads values out of JSON by their paths, for tests: "total.units.matrix.cycles", "waits.3.for". */
#ifndef BHEMU_TESTS_JSON_READER_H
#define BHEMU_TESTS_JSON_READER_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline const char *json_blank(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* Behind the text that begins at `at`. */
static inline const char *json_text_end(const char *at)
{
    for (at++; *at && *at != '"'; at++) {
        at += *at == '\\' && at[1];
    }
    return *at ? at + 1 : at;
}

/* Behind the value that begins at `at`. */
static inline const char *json_value_end(const char *at)
{
    unsigned depth = 0;
    at = json_blank(at);
    do {
        if (*at == '"') {
            at = json_text_end(at);
            continue;
        }
        depth += *at == '{' || *at == '[';
        depth -= *at == '}' || *at == ']';
        at++;
    } while (*at && (depth || !strchr(",}] \n", *at)));
    return at;
}

/* The element of the array or object at `at` with this name or number; null: there is none. */
static inline const char *json_element(const char *at, const char *name, size_t length)
{
    bool object = *at == '{';
    unsigned long index = strtoul(name, NULL, 10);
    at = json_blank(at + 1);
    for (unsigned long i = 0; *at && *at != '}' && *at != ']'; i++) {
        bool found = i == index && !object;
        if (object) {
            const char *end = json_text_end(at);
            found = (size_t)(end - at) == length + 2 && memcmp(at + 1, name, length) == 0;
            at = json_blank(json_blank(end) + 1);
        }
        if (found) {
            return at;
        }
        at = json_blank(json_value_end(at));
        at = *at == ',' ? json_blank(at + 1) : at;
    }
    return NULL;
}

/* Where the value of a path begins; null: it is not there. */
static inline const char *json_find(const char *json, const char *path)
{
    const char *at = json_blank(json);
    while (at && *path) {
        size_t length = strcspn(path, ".");
        at = *at == '{' || *at == '[' ? json_element(at, path, length) : NULL;
        path += length + (path[length] == '.');
    }
    return at;
}

static inline double json_number(const char *json, const char *path)
{
    const char *at = json_find(json, path);
    return at ? strtod(at, NULL) : 0;
}

static inline bool json_is(const char *json, const char *path, const char *text)
{
    const char *at = json_find(json, path);
    return at && *at == '"' && (size_t)(json_text_end(at) - at) == strlen(text) + 2 &&
           strncmp(at + 1, text, strlen(text)) == 0;
}

/* The elements of an array or object. */
static inline unsigned json_count(const char *json, const char *path)
{
    const char *at = json_find(json, path);
    unsigned count = 0;
    if (!at || (*at != '[' && *at != '{')) {
        return 0;
    }
    bool object = *at == '{';
    for (at = json_blank(at + 1); *at && *at != ']' && *at != '}'; count++) {
        at = object ? json_blank(json_blank(json_text_end(at)) + 1) : at;
        at = json_blank(json_value_end(at));
        at = *at == ',' ? json_blank(at + 1) : at;
    }
    return count;
}

/* The sum of the numbers of an array or object; 0 if it is not there. */
static inline double json_sum(const char *json, const char *path)
{
    const char *at = json_find(json, path);
    double sum = 0;
    if (!at || (*at != '[' && *at != '{')) {
        return 0;
    }
    bool object = *at == '{';
    for (at = json_blank(at + 1); *at && *at != ']' && *at != '}';) {
        at = object ? json_blank(json_blank(json_text_end(at)) + 1) : at;
        sum += strtod(at, NULL);
        at = json_blank(json_value_end(at));
        at = *at == ',' ? json_blank(at + 1) : at;
    }
    return sum;
}

/* The sum of a member of each of an array's objects. */
static inline double json_sum_of(const char *json, const char *array, const char *member)
{
    double sum = 0;
    for (unsigned i = 0; i < json_count(json, array); i++) {
        char path[200];
        snprintf(path, sizeof path, "%s.%u.%s", array, i, member);
        sum += json_number(json, path);
    }
    return sum;
}

#endif
