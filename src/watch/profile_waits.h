/* Waits of a profile in words. */
#ifndef BHEMU_WATCH_PROFILE_WAITS_H
#define BHEMU_WATCH_PROFILE_WAITS_H

#include "bhemu/profile.h"

/* What is waited for, and whose doing ends it: "semaphore 1, by thread T1". */
void profile_describe_wait(const struct bh_profile_wait *wait, char *buffer, unsigned size);

#endif
