/* Tensix instructions as text: disassembler and assembler.

   Two forms, both of which the assembler reads:
     fields    MVMUL clear_dvalid=0, instr_mod19=0, addr_mode=1, dst=0
     compact   ttmvmul 0,0,1,0           as the vendor's toolchain lists it

   A word that no instruction has, or that sets reserved bits, is `.word 0x...` in both.
   Words here are as they are pushed, not rotated. No state. */
#ifndef BHEMU_ISA_TENSIX_TEXT_H
#define BHEMU_ISA_TENSIX_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tensix_text {
    TENSIX_TEXT_FIELDS = 0,
    TENSIX_TEXT_COMPACT = 1 << 0,
    TENSIX_TEXT_COMMENT = 1 << 1 /* with "  ; ...": the configuration fields that are addressed, reserved bits */
};

/* Longer than any text, including its comment. */
enum { TENSIX_TEXT_SIZE = 512 };

/* Writes the text of a word, at most size bytes with the terminating zero. Returns the length that it would have liked,
   as snprintf does. */
size_t tensix_disassemble(uint32_t word, enum tensix_text form, char *buffer, size_t size);

struct tensix_text_error {
    size_t position; /* of the offending character in the text */
    char text[160];  /* what is wrong, and what was expected */
};

/* Reads one instruction in either form, or `.word N`. Fields that the first form leaves out are 0; the second form may
   go on after the kernels' arguments with TENSIX_EXTRA fields; its operands may stand in parentheses, as in
   TT_OP_MVMUL(0, 0, 1, 0). A comment starts with ;, # or //. An empty text is an error.
   false: `error` says why, `word` is untouched. */
bool tensix_assemble(const char *text, uint32_t *word, struct tensix_text_error *error);

/* Whether a text has only blanks and a comment. */
bool tensix_text_is_blank(const char *text);

#endif
