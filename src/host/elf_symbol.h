/* Symbols of an ELF file. */
#ifndef BHEMU_HOST_ELF_SYMBOL_H
#define BHEMU_HOST_ELF_SYMBOL_H

#include <gelf.h>
#include <stdbool.h>

/* false: there is no such symbol. */
bool elf_symbol(Elf *elf, const char *name, GElf_Sym *symbol);

#endif
