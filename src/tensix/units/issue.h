/* Counts of the instructions that have left the wait gate, for the performance counters. */
#ifndef BHEMU_TENSIX_UNITS_ISSUE_H
#define BHEMU_TENSIX_UNITS_ISSUE_H

#include <stdint.h>

enum { TENSIX_THREADS = 3 };

/* Classes of instructions that performance counters distinguish, by unit. */
enum issue_class {
    ISSUE_CFG,
    ISSUE_SYNC,
    ISSUE_THCON,
    ISSUE_MOVE,
    ISSUE_MATRIX,
    ISSUE_VECTOR,
    ISSUE_UNPACK,
    ISSUE_PACK,
    ISSUE_OTHER,
    ISSUE_CLASSES
};
#define ISSUE_BIT(class) (1u << ISSUE_##class)
enum { ISSUE_ALL = (1 << ISSUE_CLASSES) - 1 };

/* Only updated while a bank of performance counters is on. */
struct issue_counts {
    uint32_t wanted; /* one bit for each bank of performance counters that is on */
    uint32_t executed[TENSIX_THREADS][ISSUE_CLASSES];
};

/* The class of an instruction. */
enum issue_class issue_class_of(uint32_t word);

/* Counts an instruction that `thread` has executed. */
void issue_count(struct issue_counts *counts, unsigned thread, uint32_t word);

#endif
