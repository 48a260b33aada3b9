/* Verification of generated code: a row that code of the host has executed is executed a second time, one instruction
   after the other, from the state in which it began; what differs is an InternalError. The state that the second
   execution leaves is what the program goes on with. For struct bh_device_config's `verify`. */
#ifndef BHEMU_TENSIX_ENGINE_VERIFY_H
#define BHEMU_TENSIX_ENGINE_VERIFY_H

#include <stdint.h>

struct tensix;
struct trace;
struct trace_code;

/* Executes code of a trace up to `times` times, at least once, in the lanes that are enabled, and verifies it. Returns
   how often it has executed. dst_origin: see trace_function. */
uint32_t verify_code(struct tensix *tensix, unsigned thread, const struct trace *trace, const struct trace_code *code,
                     uint32_t dst_origin, uint32_t times);

#endif
