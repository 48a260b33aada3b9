/* Vector instructions as text, for rv32_text.c: the assembler's own mnemonics. */
#ifndef BHEMU_ISA_RV32_VECTOR_TEXT_H
#define BHEMU_ISA_RV32_VECTOR_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Like rv32_disassemble(); x and f are the names of the scalar registers. */
int rv32_vector_text(uint32_t word, const char *const *x, const char *const *f, char *buffer, size_t size);

#endif
