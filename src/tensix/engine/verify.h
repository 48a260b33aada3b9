/* Verification of translated code: a row that code of the host has executed is executed a second time, one instruction
   after the other, from the state in which it began; what differs is an InternalError. The state that the second
   execution leaves is what the program goes on with. For struct bh_device_config's `verify`. */
#ifndef BHEMU_TENSIX_ENGINE_VERIFY_H
#define BHEMU_TENSIX_ENGINE_VERIFY_H

#include <stdint.h>

struct tensix;
struct vector_replay;
struct vector_run;
struct vector_translated_run;

/* Executes a translation of a run of `replay` up to `times` times, at least once, in the lanes that are enabled, and
   verifies it. Returns how often it has executed. dst_origin: struct vector_calling. */
uint32_t vector_verify(struct tensix *tensix, unsigned thread, const struct vector_replay *replay,
                       const struct vector_run *run, const struct vector_translated_run *translated,
                       uint32_t dst_origin, uint32_t times);

#endif
