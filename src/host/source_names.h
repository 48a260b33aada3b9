/* The functions of a program: what DWARF and the symbol table of an ELF say. Not for libttsim.so, which names places
   only (source_lines.h). */
#ifndef BHEMU_HOST_SOURCE_NAMES_H
#define BHEMU_HOST_SOURCE_NAMES_H

#include <stdbool.h>

/* Names that source_line() may give to functions, once or several times each, and in no order. A name is valid while it
   is told. false: the file can not be read, or is no ELF. */
typedef void source_each_name(void *context, const char *name);
bool source_functions(const char *elf_path, source_each_name *each, void *context);

#endif
