/* Instructions as logs and traces show them. */
#ifndef BHEMU_WATCH_INSTRUCTION_TEXT_H
#define BHEMU_WATCH_INSTRUCTION_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* The Tensix instruction that a core's word pushes; of RV32_OP_TTINSN only. */
static inline uint32_t watch_pushed(uint32_t word)
{
    return word >> 2 | word << 30; /* it has it rotated left by two */
}

/* An instruction of a core, as "addi t1,zero,7", or ".ttinsn SEMINIT max_value=1, init_value=2, sem_sel=2". */
void watch_core_instruction(uint32_t word, uint32_t pc, char *buffer, size_t size);

#endif
