/* Shared by cycles of the vector unit with columns apart (units/vector/columns.c) and joined
   (units/vector/loadmacro/cycles.c). Internal to units/vector/. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_LOADMACRO_CYCLES_H
#define BHEMU_TENSIX_UNITS_VECTOR_LOADMACRO_CYCLES_H

#include "tensix/units/vector/loadmacro/scheduled.h"

extern const char *const vector_sub_unit_names[VECTOR_SUB_UNITS];

/* The order in which the instructions of one cycle are executed. */
extern const uint8_t vector_sub_unit_order[VECTOR_SUB_UNITS];

/* Whether an opcode is one of the vector unit. */
bool vector_executes(unsigned opcode);

/* An instruction that software issues, and the function that executes it. */
struct vector_issue {
    struct vector_scheduled instruction;
    enum step (*run)(struct tensix *tensix, unsigned thread, uint32_t word);
};

/* Whether a sub-unit is idle in a cycle: no instruction, or SFPNOP. */
static inline bool vector_is_idle(const struct vector_scheduled *instruction)
{
    return !instruction || instruction->word >> 24 == TENSIX_OPCODE_SFPNOP;
}

/* Diagnoses instructions that must not execute in one cycle. at[]: the instruction of each sub-unit; `swapping`: it is
   the second cycle of an SFPSWAP. */
enum step vector_check_company(struct tensix *tensix, const struct vector_scheduled *const *at, bool swapping);

/* The number of entries of queue[] and swap[] in use. */
static inline unsigned vector_queues(const struct vector_macro *macro)
{
    return __builtin_expect(macro->apart, 0) ? VECTOR_COLUMNS : 1;
}

/* The parts of a cycle. Takes due instructions out of a queue: at[] points to due[], or is null. Returns whether any
   remaining instruction waits for elapsed instructions. */
unsigned vector_take_due(struct vector_queue *queue, unsigned now, struct vector_scheduled *due,
                         const struct vector_scheduled **at);
void vector_count_down(struct vector_macro *macro);
/* Makes place for late results. */
void vector_turn_over(struct vector_macro *macro);
/* Writes the late results of the previous cycle, and updates whether anything is scheduled. */
void vector_end_cycle(struct vector_unit *vector);

/* One cycle while columns are apart. `issued`: an instruction is issued to the vector unit, namely that of `issue`
   unless this is null; it is discarded in `discarded` columns. */
enum step vector_columns_cycle(struct tensix *tensix, const struct vector_issue *issue, bool issued,
                               uint32_t discarded);

#endif
