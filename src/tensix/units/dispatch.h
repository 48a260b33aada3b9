/* From an instruction word to the function of its unit. */
#ifndef BHEMU_TENSIX_UNITS_DISPATCH_H
#define BHEMU_TENSIX_UNITS_DISPATCH_H

#include "tensix/units/state.h"

struct tensix_dispatch {
    enum step (*run)(struct tensix *tensix, unsigned thread, uint32_t word); /* null: no such instruction */
    uint32_t fields; /* bits of the word that are not reserved */
    bool in_a_row;   /* tensix_in_a_row() */
    bool by_unit;    /* tensix_in_a_row_by_unit() */
    bool traced;     /* tensix_may_be_traced() */
};

extern const struct tensix_dispatch tensix_dispatch[256];

/* Diagnoses a word that is no instruction, or has reserved bits set. */
enum step tensix_check_word(struct tensix *tensix, uint32_t word);

/* Whether the word of an existing instruction has reserved bits set. */
static inline bool tensix_sets_reserved_bits(uint32_t word)
{
    return (word & ~tensix_dispatch[word >> 24].fields) != 0;
}

/* Executes one instruction word for `thread`: decodes it, checks its reserved bits, calls its unit. `pc` is that of
   the RISC-V instruction that pushed it. Called by the frontends behind their wait gates. */
enum step tensix_execute(struct tensix *tensix, unsigned thread, uint32_t word, uint32_t pc);

/* tensix_execute() after tensix_now(), inline. */
static inline enum step tensix_dispatch_now(struct tensix *tensix, unsigned thread, uint32_t word)
{
    const struct tensix_dispatch *entry = &tensix_dispatch[word >> 24];
    if (__builtin_expect(tensix_sets_reserved_bits(word) || !entry->run, 0)) {
        enum step step = tensix_check_word(tensix, word);
        if (step != STEP_DONE || !entry->run) {
            return step;
        }
    }
    if (__builtin_expect(vector_schedule_active(&tensix->state->vector), 0)) {
        return vector_cycle(tensix, thread, word, entry->run);
    }
    return entry->run(tensix, thread, word);
}

/* Whether the engine may execute the instruction as part of a burst: see dispatch.c. */
static inline bool tensix_in_a_row(uint32_t word)
{
    return tensix_dispatch[word >> 24].in_a_row && !tensix_sets_reserved_bits(word);
}

/* Whether it may, and knows no other way than by the instruction's unit: it has no decoded operation
   (units/vector/operation.h), and is no move (units/matrix/move_plain.h). */
static inline bool tensix_in_a_row_by_unit(uint32_t word)
{
    return tensix_dispatch[word >> 24].by_unit && !tensix_sets_reserved_bits(word);
}

/* Whether the instruction may be an operation of a trace of the engine: units/vector/operation.h may decode it. */
static inline bool tensix_may_be_traced(uint32_t word)
{
    return tensix_dispatch[word >> 24].traced;
}

/* Whether the engine may know another way. */
static inline bool tensix_in_a_row_at_once(uint32_t word)
{
    const struct tensix_dispatch *entry = &tensix_dispatch[word >> 24];
    return entry->in_a_row && !entry->by_unit;
}

/* tensix_execute(), inline. */
static inline enum step tensix_dispatch_word(struct tensix *tensix, unsigned thread, struct pushed instruction)
{
    tensix_now(tensix, thread, instruction);
    return tensix_dispatch_now(tensix, thread, instruction.word);
}

#endif
