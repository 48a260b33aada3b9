/* Shared by the parts of bhemu disasm. */
#ifndef BHEMU_DISASM_H
#define BHEMU_DISASM_H

#include <stddef.h>
#include <stdint.h>

#include "isa/tensix_text.h"

/* Prints one line: address, word, text. A word of a RISC-V program whose two lowest bits are 11 is a RISC-V
   instruction, any other a Tensix instruction, rotated left by 2 (ISA documentation, PushTensixInstruction.md). */
void disassemble_program_word(uint32_t word, uint32_t address, enum tensix_text form);

/* Disassembles the executable sections of an ELF file in memory, with its symbols as labels. Returns the exit code. */
int disassemble_elf(const char *path, char *content, size_t size, enum tensix_text form);

#endif
