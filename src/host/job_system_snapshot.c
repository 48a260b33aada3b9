#include "host/job_system_snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chip/device_state.h"
#include "host/file_target.h"
#include "host/job_snapshot.h"
#include "host/snapshot_file.h"
#include "util/fail.h"

enum { VERSION = 2, NAME = 40, MANIFEST_SIZE = 400 };

/* What the file of a chip has of the job: plain data, the same on all hosts. */
struct saved_chip {
    uint64_t identity;
    struct system_position position;
    uint64_t cycles, riscv_instructions, tensix_instructions;
};

/* What a job is known by: its chips, the tiles that it uses of each, what it starts there, and its outputs. */
static uint64_t identity_of(const struct bh_job *job, unsigned chips)
{
    uint64_t hash = job_snapshot_hash(VERSION, chips);
    for (unsigned i = 0; i < job->parts_count; i++) {
        hash = job_snapshot_part(job_snapshot_hash(hash, job->parts[i].chip), &job->parts[i]);
    }
    return hash;
}

/* FOLDER/CLOCK, or FOLDER/CLOCK/name; malloc'ed. */
static char *path_of(const char *folder, uint64_t clock, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%" PRIu64 "%s%s", folder, clock, name ? "/" : "", name ? name : "") < 0 ? NULL : path;
}

static char *chip_path(const char *folder, uint64_t clock, unsigned chip)
{
    char name[NAME];
    (void)snprintf(name, sizeof name, "chip-%u.snapshot", chip);
    return path_of(folder, clock, name);
}

/* The clock that a folder's name is; UINT64_MAX: it is none. */
static uint64_t clock_named(const char *name)
{
    char *end;
    errno = 0;
    uint64_t clock = strtoull(name, &end, 10);
    return *name < '0' || *name > '9' || *end || errno ? UINT64_MAX : clock;
}

/* What a manifest says. */
struct manifest {
    unsigned version, chips, latency;
    uint64_t clock, cycles, job;
    char mode[NAME];
};

/* Its text; returns the length. */
static size_t manifest_text(const struct manifest *manifest, char text[static MANIFEST_SIZE])
{
    int length = snprintf(text, MANIFEST_SIZE,
                          "bhemu system snapshot %u\nclock %" PRIu64 "\ncycles %" PRIu64 "\nchips %u\nlatency %u\nmode "
                          "%s\njob %016" PRIx64 "\n",
                          manifest->version, manifest->clock, manifest->cycles, manifest->chips, manifest->latency,
                          manifest->mode, manifest->job);
    return (size_t)length;
}

/* Whether there is a snapshot of this clock whose manifest has all of its text, and nothing more. */
static bool read_manifest(const char *folder, uint64_t clock, struct manifest *manifest)
{
    char text[MANIFEST_SIZE], own[MANIFEST_SIZE], *path = path_of(folder, clock, "manifest");
    FILE *file = path ? fopen(path, "r") : NULL;
    free(path);
    if (!file) {
        return false;
    }
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = 0;
    fclose(file);
    int found =
        sscanf(text,
               "bhemu system snapshot %u clock %" SCNu64 " cycles %" SCNu64 " chips %u latency %u mode %39s job "
               "%" SCNx64,
               &manifest->version, &manifest->clock, &manifest->cycles, &manifest->chips, &manifest->latency,
               manifest->mode, &manifest->job);
    return found == 7 && manifest->clock == clock && manifest_text(manifest, own) == length &&
           memcmp(text, own, length) == 0;
}

static bool is_whole(const char *folder, uint64_t clock)
{
    struct manifest manifest;
    return read_manifest(folder, clock, &manifest);
}

/* The latest that is whole and has a clock below this one. */
static uint64_t latest_below(const char *folder, uint64_t below)
{
    uint64_t latest = UINT64_MAX;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        uint64_t clock = clock_named(entry->d_name);
        if (clock < below && (latest == UINT64_MAX || clock > latest) && is_whole(folder, clock)) {
            latest = clock;
        }
    }
    if (entries) {
        closedir(entries);
    }
    return latest;
}

uint64_t job_system_latest(const char *folder)
{
    return latest_below(folder, UINT64_MAX);
}

/* Saving. */

static enum bh_status no_memory(struct bh_error *error)
{
    return fail(error, BH_ERROR_MEMORY, "out of memory");
}

static enum bh_status make_folder(const char *path, struct bh_error *error)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST
               ? BH_OK
               : fail(error, BH_ERROR_IO, "%s: the folder can not be made: %s", path, strerror(errno));
}

static enum bh_status save_chip(const struct saved_chip *common, struct bh_system *system, unsigned chip,
                                const char *folder, struct bh_error *error)
{
    struct saved_chip saved = *common;
    system_instructions(system, chip, &saved.riscv_instructions, &saved.tensix_instructions);
    char *path = chip_path(folder, saved.position.clock, chip);
    enum bh_status status =
        path ? snapshot_file_write(path, bh_system_chip(system, chip), &saved, sizeof saved, error) : no_memory(error);
    free(path);
    return status;
}

static enum bh_status write_manifest(const struct saved_chip *saved, unsigned chips, enum bh_mode mode,
                                     const char *folder, struct bh_error *error)
{
    struct manifest manifest = {.version = VERSION,
                                .chips = chips,
                                .latency = saved->position.latency,
                                .clock = saved->position.clock,
                                .cycles = saved->cycles,
                                .job = saved->identity};
    (void)snprintf(manifest.mode, sizeof manifest.mode, "%s", mode == BH_MODE_TIMED ? "timed" : "functional");
    char text[MANIFEST_SIZE];
    size_t length = manifest_text(&manifest, text);
    struct staged_file staged = {0};
    char *path = path_of(folder, saved->position.clock, "manifest");
    enum bh_status status = path ? stage_file(path, text, length, &staged, error) : no_memory(error);
    status = status == BH_OK ? commit_file(&staged, error) : status;
    discard_file(&staged);
    free(path);
    return status;
}

/* The manifest goes first: what is left of a folder is not whole. */
static void remove_snapshot(const char *folder, uint64_t clock, unsigned chips)
{
    char *manifest = path_of(folder, clock, "manifest"), *own = path_of(folder, clock, NULL);
    if (manifest) {
        (void)unlink(manifest);
    }
    for (unsigned i = 0; i < chips; i++) {
        char *path = chip_path(folder, clock, i);
        if (path) {
            (void)unlink(path);
        }
        free(path);
    }
    if (own) {
        (void)rmdir(own);
    }
    free(manifest);
    free(own);
}

enum bh_status job_system_save(const struct bh_job *job, struct bh_system *system, bool first_process,
                               const char *folder, uint64_t cycles, struct bh_error *error)
{
    unsigned chips = bh_system_chip_count(system);
    struct saved_chip saved;
    memset(&saved, 0, sizeof saved); /* padding, too */
    saved.identity = identity_of(job, chips);
    saved.position = system_position(system);
    saved.cycles = cycles;
    char *own = path_of(folder, saved.position.clock, NULL);
    enum bh_status status = make_folder(folder, error);
    status = status != BH_OK ? status : own ? make_folder(own, error) : no_memory(error);
    free(own);
    enum bh_mode mode = BH_MODE_FUNCTIONAL;
    for (unsigned i = 0; i < chips && status == BH_OK; i++) {
        struct bh_device *device = bh_system_chip(system, i);
        mode = device ? device->config.mode : mode;
        status = device ? save_chip(&saved, system, i, folder, error) : BH_OK;
    }
    if (status != BH_OK) {
        return status;
    }
    if (!system_wait_for_all(system)) { /* all files are there */
        return fail(error, BH_ERROR_LOST, "%s", bh_system_failed(system));
    }
    if (first_process) {
        status = write_manifest(&saved, chips, mode, folder, error);
        uint64_t before = latest_below(folder, saved.position.clock), old;
        while (status == BH_OK && before != UINT64_MAX && (old = latest_below(folder, before)) != UINT64_MAX) {
            remove_snapshot(folder, old, chips);
        }
    }
    return status;
}

/* Resuming. */

static enum bh_status check_manifest(const struct bh_job *job, const struct bh_system *system, enum bh_mode mode,
                                     const struct manifest *manifest, const char *path, struct bh_error *error)
{
    const char *own = mode == BH_MODE_TIMED ? "timed" : "functional";
    unsigned chips = bh_system_chip_count(system);
    uint32_t latency = system_position(system).latency;
    if (manifest->version != VERSION) {
        return fail(error, BH_ERROR_FORMAT, "%s: it is of version %u of the format; this program has %d", path,
                    manifest->version, VERSION);
    }
    if (manifest->chips != chips) {
        return fail(error, BH_ERROR_FORMAT, "%s: it is of %u chips; the job's system has %u", path, manifest->chips,
                    chips);
    }
    if (manifest->latency != latency) {
        return fail(error, BH_ERROR_FORMAT, "%s: its links take %u cycles; those of the job %u", path,
                    manifest->latency, latency);
    }
    if (strcmp(manifest->mode, own) != 0) {
        return fail(error, BH_ERROR_FORMAT, "%s: it is of %s mode, and this run is in %s mode", path, manifest->mode,
                    own);
    }
    return manifest->job == identity_of(job, chips)
               ? BH_OK
               : fail(error, BH_ERROR_FORMAT, "%s: it is of another job than %s", path, job->path);
}

static enum bh_status resume_chip(const struct manifest *manifest, struct bh_system *system, unsigned chip,
                                  const char *folder, struct bh_error *error)
{
    char *path = chip_path(folder, manifest->clock, chip);
    struct snapshot_content content = {0};
    struct saved_chip saved = {0};
    enum bh_status status = path ? snapshot_file_read(path, &content, error) : no_memory(error);
    if (status == BH_OK && content.job != sizeof saved) {
        status = fail(error, BH_ERROR_FORMAT, "%s: is not restored: it is of no job on several chips", path);
    }
    if (status == BH_OK && content.bytes) {
        memcpy(&saved, content.bytes + content.device, sizeof saved);
        status = saved.identity == manifest->job && saved.position.clock == manifest->clock
                     ? snapshot_content_restore(&content, path, bh_system_chip(system, chip), error)
                     : fail(error, BH_ERROR_FORMAT, "%s: is not restored: it is of another snapshot than its manifest",
                            path);
    }
    if (status == BH_OK) {
        system_set_position(system, &saved.position);
        system_set_instructions(system, chip, saved.riscv_instructions, saved.tensix_instructions);
    }
    free(content.bytes);
    free(path);
    return status;
}

enum bh_status job_system_resume(const struct bh_job *job, struct bh_system *system, enum bh_mode mode,
                                 const char *folder, uint64_t *cycles, struct bh_error *error)
{
    struct manifest manifest = {0};
    uint64_t latest = job_system_latest(folder);
    if (latest == UINT64_MAX || !read_manifest(folder, latest, &manifest)) {
        return fail(error, BH_ERROR_IO, "%s: there is no whole snapshot of a job on several chips", folder);
    }
    char *path = path_of(folder, latest, "manifest");
    enum bh_status status = path ? check_manifest(job, system, mode, &manifest, path, error) : no_memory(error);
    for (unsigned i = 0; i < bh_system_chip_count(system) && status == BH_OK; i++) {
        status = bh_system_chip(system, i) ? resume_chip(&manifest, system, i, folder, error) : BH_OK;
    }
    free(path);
    *cycles = status == BH_OK ? manifest.cycles : 0;
    return status;
}
