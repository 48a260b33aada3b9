/* Whole kernels: who measures the rows of the group. */
#ifndef BHEMU_VALIDATION_KERNELS_H
#define BHEMU_VALIDATION_KERNELS_H

#include "validation/validation.h"

validation_measure dram_blocks, semaphore_posts, source_flags; /* handovers.c */
validation_measure scalar_argmax;                              /* argmax.c */
validation_measure stage_source, stage_packed;                 /* staging.c */
validation_measure rmsnorm;                                    /* rmsnorm.c */

#endif
