/* Pairs of rows that tell one thing from another: what is faster, and in which order times grow. */
#ifndef BHEMU_VALIDATION_PAIRS_H
#define BHEMU_VALIDATION_PAIRS_H

#include "validation/validation.h"

/* Whether two rows are of one group and in one unit, and all but one of what their names and parameters say is the
   same. Each word of a name says one thing, what stands behind ": " another, each parameter another. A parameter that
   only one of the rows has is a difference; a parameter that both have is one difference if its values are not the
   same. */
bool rows_are_a_pair(const struct measured *one, const struct measured *other);

#endif
