/* When the Configuration Unit accepts instructions, in timed mode (units/timing.h). SETC16 of each thread executes at
   once. Everything else goes through one pipeline, whose stages are numbered -4 to +1: at stage 0 is the access to
   Config, for which there is one a cycle. An instruction enters at the earliest stage that it needs, if neither this
   stage nor, from stage -3 on, one of a lower number is occupied, by whichever thread: so what enters early can starve
   what enters late. Source: ISA documentation ConfigurationUnit.md. */
#ifndef BHEMU_TENSIX_UNITS_CONFIG_TIMING_H
#define BHEMU_TENSIX_UNITS_CONFIG_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/units/issue.h"
#include "tensix/units/thread.h"

struct tensix;
struct timing_word;
struct tensix_timing;

enum config_stage { STAGE_PREPARE, STAGE_ISSUE, STAGE_WAIT, STAGE_READ, STAGE_ACCESS, CONFIG_STAGES };

/* Plain data, all zero at first. Times are absolute. */
struct config_timing {
    uint64_t base;                   /* the time of bit 0 of occupied[] */
    uint8_t occupied[CONFIG_STAGES]; /* one bit for each cycle */
    uint8_t entered;                 /* at `base` something has entered at this stage: one bit for each */
    uint64_t turn;                   /* at this time, at the stage turn_at, it is the turn of thread turn_of */
    uint8_t turn_at, turn_of;
};

/* timing_holds() and timing_passed() for instructions of the unit. */
bool config_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next);
void config_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed);

/* A core's access to configuration, or the mover's, is there at `time`. Returns when it has been made. */
uint64_t config_accessed(struct tensix_timing *timing, uint64_t time);

#endif
