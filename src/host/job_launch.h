/* Jobs whose kernels are launched by tt-metal's firmware (host/metal_firmware.h, host/metal_launch.h). */
#ifndef BHEMU_HOST_JOB_LAUNCH_H
#define BHEMU_HOST_JOB_LAUNCH_H

#include "host/job_run.h"

struct job_launcher;

/* Looks at the firmware and the kernels that the job names, and lays out what each tile gets. */
enum bh_status job_launcher_open(const struct bh_job *job, struct job_launcher **launcher, struct bh_error *error);
void job_launcher_close(struct job_launcher *launcher);

/* Where L1 is free on a tile of the job, by its index: inputs belong behind it. */
uint32_t job_launcher_end(const struct job_launcher *launcher, unsigned target);

/* Tells the firmware of all tiles, before it is booted, whether what it and the kernels print is read; reads it. */
enum bh_status job_launcher_print(struct job_launcher *launcher, struct job_run *run, struct bh_error *error);

/* Boots the firmware on all tiles of the job and runs until it is ready. */
enum bh_status job_launcher_boot(struct job_launcher *launcher, struct job_run *run, struct bh_error *error);

/* Launches the kernels, as often as the job says, each time until all have ended, and puts the tiles into reset. */
enum bh_status job_launcher_run(struct job_launcher *launcher, struct job_run *run, struct bh_error *error);

/* Where a launch puts the programs of a tile, and the files they come from. */
struct job_launch_layout {
    bool known;
    char *firmware[BH_CORE_COUNT];
    char *kernels[BH_CORE_COUNT];   /* null: none */
    uint32_t placed[BH_CORE_COUNT]; /* where a kernel is in L1; 0: none */
    uint32_t linked[BH_CORE_COUNT]; /* the address that it was linked to */
};

/* false: files can not be read, or do not fit; nothing is left to be freed. */
bool job_launch_layout_find(const struct bh_job *job, const struct job_target *target,
                            struct job_launch_layout *layout);
void job_launch_layout_free(struct job_launch_layout *layout);

/* As bh_job_own(), of one tile, whose coordinates of NoC 0 are x and y. */
enum bh_status job_launcher_own(const struct bh_job *job, const struct job_target *target, unsigned x, unsigned y,
                                struct bh_check *check, struct bh_error *error);

#endif
