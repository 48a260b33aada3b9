#include "watch/instruction_text.h"

#include <stdio.h>

#include "isa/rv32_isa.h"
#include "isa/rv32_text.h"
#include "isa/tensix_text.h"

void watch_core_instruction(uint32_t word, uint32_t pc, char *buffer, size_t size)
{
    if (rv32_identify(word) != RV32_OP_TTINSN) {
        rv32_disassemble(word, pc, buffer, size);
        return;
    }
    int length = snprintf(buffer, size, ".ttinsn ");
    if (length > 0 && (size_t)length < size) {
        tensix_disassemble(watch_pushed(word), TENSIX_TEXT_FIELDS, buffer + length, size - (size_t)length);
    }
}
