#include "host/job_functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/job_input.h"
#include "host/job_target.h"
#include "host/source_names.h"

struct search {
    const char *name;
    bool found;
    unsigned distance; /* of the name in `like` */
    char *like;
};

/* How many letters have to be put in, taken out or replaced; names that are too long are as different as can be. */
static unsigned distance_of(const char *a, const char *b)
{
    unsigned row[JOB_FUNCTION_SIZE];
    size_t length = strlen(b);
    if (strlen(a) >= JOB_FUNCTION_SIZE || length >= JOB_FUNCTION_SIZE) {
        return JOB_FUNCTION_SIZE;
    }
    for (unsigned j = 0; j <= length; j++) {
        row[j] = j;
    }
    for (unsigned i = 1; a[i - 1]; i++) {
        unsigned before = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= length; j++) {
            unsigned replaced = before + (a[i - 1] != b[j - 1]), other = row[j] < row[j - 1] ? row[j] : row[j - 1];
            before = row[j];
            row[j] = replaced <= other ? replaced : other + 1;
        }
    }
    return row[length];
}

static void look(void *context, const char *name)
{
    struct search *search = context;
    search->found |= strcmp(name, search->name) == 0;
    unsigned distance = distance_of(search->name, name);
    bool part = strlen(search->name) > 2 && strstr(name, search->name); /* as good as one letter less */
    distance = part && distance > 1 ? 1 : distance;
    bool better = distance < search->distance || (distance == search->distance && strcmp(name, search->like) < 0);
    if (better && strlen(name) < JOB_FUNCTION_SIZE) {
        search->distance = distance;
        (void)snprintf(search->like, JOB_FUNCTION_SIZE, "%s", name);
    }
}

static void look_in_programs(const struct bh_job *job, unsigned core, struct search *search)
{
    search->found |= job->file->launch.kind == JOB_TT_METAL;
    for (unsigned i = 0; i < job->file->tiles_count; i++) {
        const struct job_tile *tile = &job->file->tiles[i];
        for (unsigned p = 0; p < tile->programs_count && !search->found; p++) {
            if (core != BH_CORE_COUNT && (unsigned)tile->programs[p].core != core) {
                continue;
            }
            char *path = job_resolve(job->folder, tile->programs[p].elf);
            search->found |= !path || !source_functions(path, look, search);
            free(path);
        }
    }
}

bool job_may_have_function(const struct bh_job *job, unsigned core, const char *name, char like[JOB_FUNCTION_SIZE])
{
    struct search search = {.name = name, .distance = (unsigned)strlen(name) / 2 + 1, .like = like};
    like[0] = 0;
    if (job->file->chips_count || job->parts_count) {
        return true; /* of a system: each chip has others */
    }
    look_in_programs(job, core, &search);
    return search.found;
}
