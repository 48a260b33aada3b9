/* What the cycles of the vector unit have in common, whether its columns are apart (units/vector/columns.c) or not
   (units/vector/loadmacro/cycles.c). Internal to vector_*.c. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_LOADMACRO_CYCLES_H
#define BHEMU_TENSIX_UNITS_VECTOR_LOADMACRO_CYCLES_H

#include "tensix/units/vector/loadmacro/scheduled.h"

extern const char *const vector_sub_unit_names[VECTOR_SUB_UNITS];

/* The order in which what executes in one cycle is executed. */
extern const uint8_t vector_sub_unit_order[VECTOR_SUB_UNITS];

/* Whether an opcode is one of the vector unit. */
bool vector_executes(unsigned opcode);

/* An instruction that software issues, and how. */
struct vector_issue {
    struct vector_scheduled instruction;
    enum step (*run)(struct tensix *tensix, unsigned thread, uint32_t word);
};

/* What executes in a cycle may be null, which is idle as SFPNOP is. */
static inline bool vector_is_idle(const struct vector_scheduled *instruction)
{
    return !instruction || instruction->word >> 24 == TENSIX_OPCODE_SFPNOP;
}

/* Says which instructions must not meet in one cycle. at[]: what each sub-unit executes; `swapping`: it is the second
   cycle of an SFPSWAP. */
enum step vector_check_company(struct tensix *tensix, const struct vector_scheduled *const *at, bool swapping);

/* How many of queue[] and swap[] count. */
static inline unsigned vector_queues(const struct vector_macro *macro)
{
    return __builtin_expect(macro->apart, 0) ? VECTOR_COLUMNS : 1;
}

/* The parts of a cycle. Takes what is due out of a queue: at[] points to due[], or is null. Returns whether any of what
   stays waits for elapsed instructions. */
unsigned vector_take_due(struct vector_queue *queue, unsigned now, struct vector_scheduled *due,
                         const struct vector_scheduled **at);
void vector_count_down(struct vector_macro *macro);
/* Makes place for late results. */
void vector_turn_over(struct vector_macro *macro);
/* Writes those of the cycle before, and sees what is left. */
void vector_end_cycle(struct vector_unit *vector);

/* One cycle while columns are apart. `issued`: an instruction is issued to the vector unit, that of `issue` unless it
   is null, which is discarded in `discarded` columns. */
enum step vector_columns_cycle(struct tensix *tensix, const struct vector_issue *issue, bool issued,
                               uint32_t discarded);

#endif
