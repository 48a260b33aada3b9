#include "host/job_source.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "host/job_input.h"
#include "host/job_launch.h"
#include "host/source_files.h"

/* Of the tiles of a job, or of a part of one. */
struct layouts {
    struct job_launch_layout *of; /* of each target; null: nobody has asked yet */
    unsigned count;
};

struct job_sources {
    pthread_mutex_t lock;
    struct source_files files;
    unsigned count;
    struct layouts layouts[]; /* of the job, or of each of its parts */
};

struct job_sources *job_sources_create(const struct bh_job *job)
{
    unsigned count = job->parts_count ? job->parts_count : 1;
    struct job_sources *sources = calloc(1, sizeof *sources + count * sizeof sources->layouts[0]);
    if (sources) {
        sources->count = count;
        pthread_mutex_init(&sources->lock, NULL);
    }
    return sources;
}

static void forget(struct job_sources *sources)
{
    source_files_close(&sources->files);
    for (unsigned i = 0; i < sources->count; i++) {
        struct layouts *layouts = &sources->layouts[i];
        for (unsigned j = 0; j < layouts->count; j++) {
            job_launch_layout_free(&layouts->of[j]);
        }
        free(layouts->of);
        *layouts = (struct layouts){};
    }
}

void job_sources_forget(struct job_sources *sources)
{
    pthread_mutex_lock(&sources->lock);
    forget(sources);
    pthread_mutex_unlock(&sources->lock);
}

void job_sources_free(struct job_sources *sources)
{
    if (sources) {
        forget(sources);
        pthread_mutex_destroy(&sources->lock);
        free(sources);
    }
}

/* Where a launch puts the programs of a tile; null: its files can not be read. */
static const struct job_launch_layout *layout_of(struct job_sources *sources, const struct bh_job *job, unsigned part,
                                                 const struct job_target *target)
{
    struct layouts *layouts = &sources->layouts[part];
    if (!layouts->of) {
        layouts->of = calloc(job->targets_count, sizeof *layouts->of);
        layouts->count = layouts->of ? job->targets_count : 0;
    }
    struct job_launch_layout *layout = layouts->of ? &layouts->of[target - job->targets] : NULL;
    return layout && (layout->known || job_launch_layout_find(job, target, layout)) ? layout : NULL;
}

static bool source_in_launch(struct job_sources *sources, const struct bh_job *job, unsigned part,
                             const struct job_target *target, const struct bh_place *place, char *buffer, unsigned size)
{
    unsigned own = place->agent == BH_AGENT_THREAD ? BH_CORE_T0 + place->index : place->index;
    const struct job_launch_layout *layout = own < BH_CORE_COUNT ? layout_of(sources, job, part, target) : NULL;
    bool found = false;
    for (unsigned i = 0; layout && i < BH_CORE_COUNT && !found; i++) { /* B pushes to all threads */
        unsigned core = (own + i) % BH_CORE_COUNT;
        const char *kernel = layout->kernels[core];
        found = (kernel && layout->placed[core] && place->pc >= layout->placed[core] &&
                 source_files_line(&sources->files, kernel, NULL,
                                   place->pc - (layout->placed[core] - layout->linked[core]), buffer, size)) ||
                source_files_line(&sources->files, layout->firmware[core], NULL, place->pc, buffer, size);
    }
    return found;
}

/* The program that most likely pushed an instruction from this PC: the core's own, else any that has code there. */
static bool source_in_programs(struct job_sources *sources, const struct bh_job *job, const struct job_tile *tile,
                               const struct bh_place *place, bool own, char *buffer, unsigned size)
{
    unsigned core = place->agent == BH_AGENT_THREAD ? BH_CORE_T0 + place->index : place->index;
    for (unsigned i = 0; i < tile->programs_count; i++) {
        if (own == (tile->programs[i].core == core)) {
            char *path = job_resolve(job->folder, tile->programs[i].elf);
            bool found = path && source_files_line(&sources->files, path, NULL, place->pc, buffer, size);
            free(path);
            if (found) {
                return true;
            }
        }
    }
    return false;
}

/* The target at coordinates (noc_x, noc_y) of NoC 0; null: there is none. */
static const struct job_target *target_at(const struct bh_job *job, unsigned noc_x, unsigned noc_y)
{
    struct noc_translation translation;
    noc_translation_create(&translation, job->tiles);
    for (unsigned i = 0; i < job->targets_count; i++) {
        unsigned x, y;
        if (noc_translate(&translation, job->targets[i].x, job->targets[i].y, &x, &y) && x == noc_x && y == noc_y) {
            return &job->targets[i];
        }
    }
    return NULL;
}

const struct job_target *job_find_target(const struct bh_job *job, unsigned chip, unsigned x, unsigned y,
                                         const struct bh_job **part)
{
    const struct job_target *target = NULL;
    for (unsigned i = 0; job && i < job->parts_count && !target; i++) {
        *part = &job->parts[i];
        target = (*part)->chip == chip ? target_at(*part, x, y) : NULL;
    }
    if (job && !job->parts_count && chip == 0) {
        *part = job;
        target = target_at(job, x, y);
    }
    return target;
}

bool bh_job_source(const struct bh_job *whole, unsigned chip, unsigned x, unsigned y, const struct bh_place *place,
                   char *buffer, unsigned size)
{
    if (!buffer || size == 0) {
        return false;
    }
    buffer[0] = 0;
    const struct bh_job *job = whole;
    const struct job_target *target = place ? job_find_target(whole, chip, x, y, &job) : NULL;
    if (!target) {
        return false;
    }
    struct job_sources *sources = whole->sources;
    unsigned part = whole->parts_count ? (unsigned)(job - whole->parts) : 0;
    pthread_mutex_lock(&sources->lock);
    bool found = job->file->launch.kind == JOB_TT_METAL
                     ? source_in_launch(sources, job, part, target, place, buffer, size)
                     : source_in_programs(sources, job, target->tile, place, true, buffer, size) ||
                           source_in_programs(sources, job, target->tile, place, false, buffer, size);
    pthread_mutex_unlock(&sources->lock);
    return found;
}
