/* A profile as one HTML page: profile_page.html with the JSON in it. */
#include <stdlib.h>
#include <string.h>

#include "watch/profile_state.h"

static const char page[] = {
#include "watch/profile_page.inc"
    0};

static const char mark[] = "@DATA@";

/* "<" would end the element of the page that holds it; it is within texts only. */
static void write_escaped(const char *json, FILE *file)
{
    for (const char *next; (next = strchr(json, '<')); json = next + 1) {
        fwrite(json, 1, (size_t)(next - json), file);
        fputs("\\u003c", file);
    }
    fputs(json, file);
}

void profile_write_html(const struct bh_profile *profile, FILE *file)
{
    const char *data = strstr(page, mark);
    char *json = bh_profile_text(profile, BH_PROFILE_JSON, NULL);
    if (!json || !data) { /* no memory: an empty page tells as little */
        free(json);
        return;
    }
    fwrite(page, 1, (size_t)(data - page), file);
    write_escaped(json, file);
    fputs(data + strlen(mark), file);
    free(json);
}
