/* What observers are told of the coprocessor: instructions of its threads, what they change, and why they wait. Threads
   of a tile that is observed execute one instruction at a time (frontend.c); so it is told here, around the dispatch of
   one, and no unit need know. Memory is told of by memory/l1.h. */
#ifndef BHEMU_TENSIX_UNITS_OBSERVE_H
#define BHEMU_TENSIX_UNITS_OBSERVE_H

#include "tensix/units/dispatch.h"

/* The registers of the coprocessor as observers know them. */
struct observed_tensix {
    uint64_t kinds; /* of events for which they were last brought up to date */
    struct sync_unit sync;
    uint8_t owner[2][SRC_BANKS]; /* of SrcA, of SrcB */
    struct scalar_unit scalar;
    struct config_unit config;
    struct addr_unit addr;
};

/* Tells of what has changed since the last time: it is the doing of who executes now. */
void tensix_tell_changes(struct tensix *tensix);

/* The slow ways of the two below. */
enum step tensix_dispatch_observed(struct tensix *tensix, unsigned thread, struct pushed instruction);
void tensix_tell_held(struct tensix *tensix, unsigned thread, struct pushed instruction);

/* tensix_dispatch_word(), told. */
static inline enum step tensix_dispatch_told(struct tensix *tensix, unsigned thread, struct pushed instruction)
{
    if (__builtin_expect(tensix->observed != NULL, 0)) {
        return tensix_dispatch_observed(tensix, thread, instruction);
    }
    return tensix_dispatch_word(tensix, thread, instruction);
}

/* The latched wait of the thread holds an instruction before the gate. */
static inline void tensix_held(struct tensix *tensix, unsigned thread, struct pushed instruction)
{
    if (__builtin_expect(tensix->observed != NULL, 0)) {
        tensix_tell_held(tensix, thread, instruction);
    }
}

#endif
