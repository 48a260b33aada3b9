/* The constants of tables/timing.def, as TIMING_NAME. */
#ifndef BHEMU_TIME_TIMING_H
#define BHEMU_TIME_TIMING_H

enum timing {
#define TIMING(name, value, ...) TIMING_##name = (value),
#include "timing.def"
};

#endif
