/* Names of zones, as the compiler has printed them: NAME,FILE,LINE,KERNEL_PROFILER. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/fail.h"
#include "watch/zones.h"

static const char mark[] = ",KERNEL_PROFILER";

struct known {
    char *text; /* NAME, zero, FILE, zero */
    unsigned line;
};

struct zone_names {
    struct known of[1 << 16]; /* by hash */
};

static uint16_t hash_of(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    }
    return (uint16_t)(hash ^ hash >> 16);
}

/* The compiler's note is '#pragma message: NAME,...', in quotation marks of any kind. Names may contain commas. */
static bool read_line(struct zone_names *names, char *text)
{
    static const char pragma[] = "#pragma message: ";
    char *end = NULL, *note = strstr(text, pragma), *begin = note ? note + strlen(pragma) : text;
    for (char *at = begin; (at = strstr(at, mark)); at++) {
        end = at;
    }
    if (!end) {
        return true;
    }
    struct known *known = &names->of[hash_of(begin, (size_t)(end - begin) + strlen(mark))];
    *end = 0;
    char *line = strrchr(begin, ','), *file = NULL;
    if (line) {
        *line = 0;
        file = strrchr(begin, ',');
    }
    if (!file || file == begin || known->text) {
        return true;
    }
    *file = 0;
    size_t size = (size_t)(line - begin) + 1;
    known->text = malloc(size);
    if (known->text) {
        memcpy(known->text, begin, size);
        known->line = (unsigned)strtoul(line + 1, NULL, 10);
    }
    return known->text;
}

enum bh_status zone_names_read(const char *path, struct zone_names **names, struct bh_error *error)
{
    char *line = NULL;
    size_t size = 0;
    bool read = true;
    *names = NULL;
    if (!path) {
        return BH_OK;
    }
    FILE *file = fopen(path, "re");
    if (!file) {
        return fail(error, BH_ERROR_IO, "names of zones %s: %s", path, strerror(errno));
    }
    *names = calloc(1, sizeof **names);
    errno = 0;
    while (*names && read && getline(&line, &size, file) >= 0) {
        read = read_line(*names, line);
    }
    int failed = ferror(file) ? errno : 0;
    free(line);
    (void)fclose(file);
    if (*names && read && !failed) {
        return BH_OK;
    }
    enum bh_status status = !*names || !read
                                ? fail(error, BH_ERROR_MEMORY, "no memory for names of zones")
                                : fail(error, BH_ERROR_IO, "names of zones %s: %s", path, strerror(failed));
    zone_names_free(*names);
    *names = NULL;
    return status;
}

struct zone_name zone_name(struct zone_names *names, uint16_t id, char buffer[16])
{
    const struct known *known = names ? &names->of[id] : NULL;
    if (known && known->text) {
        return (struct zone_name){
            .name = known->text, .file = known->text + strlen(known->text) + 1, .line = known->line};
    }
    (void)snprintf(buffer, 16, "zone 0x%04x", id);
    return (struct zone_name){.name = buffer, .file = ""};
}

void zone_names_free(struct zone_names *names)
{
    for (unsigned i = 0; names && i < sizeof names->of / sizeof names->of[0]; i++) {
        free(names->of[i].text);
    }
    free(names);
}
