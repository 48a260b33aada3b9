/* Which version of the library this is: for programs that find it when they run. */
#ifndef BHEMU_VERSION_H
#define BHEMU_VERSION_H

#include "bhemu/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" */
BH_API const char *bh_version(void);

#ifdef __cplusplus
}
#endif
#endif
