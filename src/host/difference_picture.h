/* A picture of an output that differs: what is expected, what came out, and the error, side by side, each with its
   scale, over the grid of 32x32 tiles. Large arrays are drawn smaller: a point shows the largest error of its block. */
#ifndef BHEMU_HOST_DIFFERENCE_PICTURE_H
#define BHEMU_HOST_DIFFERENCE_PICTURE_H

#include "host/job_compare.h"

/* Writes NAME.png into the folder. errors: got - expected. */
enum bh_status difference_picture_write(const struct job_comparison *comparison, const double *errors,
                                        const char *folder, const char *name, struct bh_error *error);

#endif
