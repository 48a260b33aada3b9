#include "tensix/units/issue.h"

#include "isa/tensix_table.h"

enum issue_class issue_class_of(uint32_t word)
{
    static const uint8_t class_of[TENSIX_UNITS] = {
#define TENSIX_UNIT(name, text, class) [TENSIX_##name] = ISSUE_##class,
#include "tensix.def"
    };
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)(word >> 24));
    return instruction ? (enum issue_class)class_of[instruction->unit] : ISSUE_OTHER;
}

void issue_count(struct issue_counts *counts, unsigned thread, uint32_t word)
{
    counts->executed[thread][issue_class_of(word)]++;
}
