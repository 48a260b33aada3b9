/* From a PC of a program to its source: what DWARF and the symbol table of an ELF say. */
#ifndef BHEMU_HOST_SOURCE_LINES_H
#define BHEMU_HOST_SOURCE_LINES_H

#include <stdbool.h>
#include <stdint.h>

/* Writes "function (file:line)", or what of it is known, at most size bytes with the terminating zero; for what has
   been inlined, ", in " and the same of the function around it. false: the file can not be read, or nothing in it is at
   `pc`; then buffer is empty. */
bool source_line(const char *elf_path, uint32_t pc, char *buffer, unsigned size);

/* The same of a file that is read once, for many places; it answers also when it has been altered or deleted since.
   Null: it can not be read, or is no ELF. */
struct source_file;
struct source_file *source_file_open(const char *elf_path);
bool source_file_line(const struct source_file *file, uint32_t pc, char *buffer, unsigned size);
void source_file_close(struct source_file *file); /* null: nothing */

/* Whether the last string of each table of strings that DWARF refers to (.debug_str, .debug_line_str) ends within it:
   libdw 0.188 takes that for granted. */
struct Elf;
bool source_strings_end(struct Elf *elf);

#endif
