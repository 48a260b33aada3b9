/* Profiles as callers have them (include/bhemu/profile.h): opening, ending, writing, closing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/fail.h"
#include "watch/profile_state.h"

enum bh_status bh_profile_open(const struct bh_profile_options *options, struct bh_profile **profile,
                               struct bh_error *error)
{
    static const struct bh_profile_options everything;
    options = options ? options : &everything;
    if (!profile) {
        return fail(error, BH_ERROR_ARGUMENT, "nowhere to put the profile");
    }
    *profile = NULL;
    if ((options->to && options->to < options->from) || options->to == UINT64_MAX) {
        return fail(error, BH_ERROR_ARGUMENT, "profile: its last cycle is before its first one");
    }
    struct bh_profile *opened = calloc(1, sizeof *opened);
    char *title = options->title ? strdup(options->title) : NULL;
    if (!opened || (options->title && !title)) {
        free(opened);
        free(title);
        return fail(error, BH_ERROR_MEMORY, "no memory for a profile");
    }
    opened->options = *options;
    opened->options.title = opened->title = title;
    const struct watch_names names = {.tiles = options->tiles,
                                      .tile_count = options->tile_count,
                                      .mode = options->mode,
                                      .cores = options->cores,
                                      .core_count = options->core_count,
                                      .units = options->units,
                                      .unit_count = options->unit_count};
    enum bh_status status = watch_filter_make(&opened->filter, &names, error);
    if (status != BH_OK) {
        bh_profile_close(opened);
        return status;
    }
    opened->observer = (struct bh_observer){
        .kinds = BH_EVENT_BIT(BH_EVENT_ISSUED) | BH_EVENT_BIT(BH_EVENT_RETIRED) | BH_EVENT_BIT(BH_EVENT_ACCESS) |
                 BH_EVENT_BIT(BH_EVENT_WAIT_BEGAN) | BH_EVENT_BIT(BH_EVENT_WAIT_ENDED) |
                 BH_EVENT_BIT(BH_EVENT_SEMAPHORE) | BH_EVENT_BIT(BH_EVENT_MUTEX) | BH_EVENT_BIT(BH_EVENT_SRC_BANK) |
                 BH_EVENT_BIT(BH_EVENT_NOC_SENT) | BH_EVENT_BIT(BH_EVENT_OCCUPIED),
        .tiles = options->tiles,
        .tile_count = options->tile_count,
        .on_event = profile_on_event,
        .context = opened};
    *profile = opened;
    return BH_OK;
}

const struct bh_observer *bh_profile_observer(const struct bh_profile *profile)
{
    return profile ? &profile->observer : NULL;
}

void bh_profile_begin(struct bh_profile *profile, uint64_t clock)
{
    if (!profile) {
        return;
    }
    uint64_t *from = &profile->options.from;
    *from = clock > *from ? clock : *from;
    profile_begin_tiles(profile);
    if (profile->options.to && profile->options.to < *from) {
        profile->options.to = *from;
    }
}

enum bh_status bh_profile_end(struct bh_profile *profile, uint64_t clock, struct bh_error *error)
{
    if (!profile || profile->stacks) {
        return fail(error, BH_ERROR_ARGUMENT, "profile: %s", profile ? "it has ended already" : "there is none");
    }
    profile_sample_end(profile, clock);
    uint64_t end = profile_account_all(profile, clock);
    profile->result.title = profile->title;
    profile->result.mode = profile->options.mode;
    profile->result.every = profile->options.every;
    profile->result.from = profile->options.from;
    profile->result.cycles = end - profile->options.from;
    if (profile->failed || !profile_conclude(profile)) {
        return fail(error, BH_ERROR_MEMORY, "no memory for a profile");
    }
    return BH_OK;
}

const struct bh_profile_result *bh_profile_result(const struct bh_profile *profile)
{
    return profile ? &profile->result : NULL;
}

static void free_tile(struct profile_tile *tile)
{
    for (unsigned i = 0; tile && i < BH_PROFILE_AGENTS; i++) {
        profile_sites_free(&tile->agent[i].sites);
        profile_waits_free(&tile->agent[i].all_waits);
    }
    if (tile) {
        profile_timeline_free(tile->timeline);
        free(tile);
    }
}

void bh_profile_close(struct bh_profile *profile)
{
    if (!profile) {
        return;
    }
    for (unsigned i = 0; i < PROFILE_GRID_X * PROFILE_GRID_Y; i++) {
        free_tile(profile->tiles[i / PROFILE_GRID_X][i % PROFILE_GRID_X]);
    }
    for (unsigned i = 0; i < profile->text_count; i++) {
        free(profile->texts[i]);
    }
    free(profile->texts);
    if (profile->stacks) {
        free(profile->stacks->of);
        free(profile->stacks);
    }
    free((void *)profile->result.tiles);
    free((void *)profile->result.waits);
    free((void *)profile->result.lines);
    free(profile->title);
    free(profile);
}

/* Writing. */

static void (*const writers[BH_PROFILE_FORMATS])(const struct bh_profile *profile, FILE *file) = {
    [BH_PROFILE_TEXT] = profile_write_text,
    [BH_PROFILE_JSON] = profile_write_json,
    [BH_PROFILE_HTML] = profile_write_html,
    [BH_PROFILE_FOLDED] = profile_write_folded,
};

enum bh_status bh_profile_write(const struct bh_profile *profile, enum bh_profile_format format, const char *path,
                                struct bh_error *error)
{
    if (!profile || !profile->stacks || !path || (unsigned)format >= BH_PROFILE_FORMATS) {
        return fail(error, BH_ERROR_ARGUMENT, "profile: it has not ended, or there is no such format");
    }
    errno = 0;
    FILE *file = fopen(path, "we");
    if (!file) {
        return fail(error, BH_ERROR_IO, "profile %s: %s", path, strerror(errno));
    }
    writers[format](profile, file);
    bool whole = !ferror(file);
    int cause = errno;
    if (fclose(file) != 0) {
        cause = errno;
        whole = false;
    }
    if (!whole) {
        return fail(error, BH_ERROR_IO, "profile %s: %s; what follows is missing", path, strerror(cause ? cause : EIO));
    }
    return BH_OK;
}

char *bh_profile_text(const struct bh_profile *profile, enum bh_profile_format format, size_t *size)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file =
        profile && profile->stacks && (unsigned)format < BH_PROFILE_FORMATS ? open_memstream(&text, &length) : NULL;
    if (!file) {
        return NULL;
    }
    writers[format](profile, file);
    bool whole = !ferror(file);
    if (fclose(file) != 0 || !whole) {
        free(text);
        return NULL;
    }
    if (size) {
        *size = length;
    }
    return text;
}
