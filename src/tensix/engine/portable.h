/* Executes decoded operations of the vector unit (struct vector_operation) on any host: the back end of the engine
   where there is no generated code for them. Each operation is a handler, a function that is compiled for every level
   of the host's vector instructions; which one is decided when an instruction is decoded. */
#ifndef BHEMU_TENSIX_ENGINE_PORTABLE_H
#define BHEMU_TENSIX_ENGINE_PORTABLE_H

#include <stdint.h>

struct tensix;
struct vector_operation;
struct vector_unit;

/* Executes `count` operations, at least 1, for `thread`, one after the other, of any kinds and in any mix; and all of
   them again, `times` times, at least once. Returns how many, those of each time; fewer: the next one has more to it in
   the state at hand. Nothing of it has happened, and its unit executes it. */
uint32_t portable_run(struct tensix *tensix, unsigned thread, const struct vector_operation *operations, uint32_t count,
                      uint32_t times);

/* Executes an operation of EFFECT_ROUND, EFFECT_CONVERT, EFFECT_LOOK_UP or EFFECT_SHUFFLE, or a sum, in `lanes`. */
void portable_run_alone(struct vector_unit *vector, const struct vector_operation *operation, uint32_t lanes);

/* Prepares an operation, whose other members are set, for this. */
void portable_prepare(struct vector_operation *operation);

#endif
