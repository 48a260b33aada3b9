/* RISC-V instructions as text: the assembler's own mnemonics, no pseudo-instructions, registers by their ABI names. */
#ifndef BHEMU_ISA_RV32_TEXT_H
#define BHEMU_ISA_RV32_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* The ABI names of registers, which are 0..31. */
const char *rv32_x_name(unsigned x);
const char *rv32_f_name(unsigned f);

/* The instruction `word` at `pc`; targets of jumps are absolute addresses. Writes at most `size` bytes with the
   terminating zero; returns the length that it would have liked, as snprintf does. */
int rv32_disassemble(uint32_t word, uint32_t pc, char *buffer, size_t size);

#endif
