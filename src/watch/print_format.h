/* printf() formats with the arguments of a message (tables/print.def). Nothing of a message is trusted: what does not
   go together is said in its place, between < and >. */
#ifndef BHEMU_WATCH_PRINT_FORMAT_H
#define BHEMU_WATCH_PRINT_FORMAT_H

#include <stdint.h>

#include "watch/print_text.h"

enum print_constant {
#define PRINT_CONSTANT(name, value) PRINT_##name = (int)(value),
#include "print.def"
};

enum print_kind {
#define PRINT_KIND(name, words) PRINT_##name,
#include "print.def"
    PRINT_KINDS
};

struct print_argument {
    enum print_kind kind;
    uint64_t bits;
};

/* The memory of the core that prints. */
struct print_memory {
    bool (*read)(const struct print_memory *memory, uint32_t address, void *data, uint32_t size);
};

/* Appends the text at an address: all of it up to its zero, `most` bytes of it, or what of it is in memory. false:
   nothing is there. */
bool print_add_string(struct print_text *text, const struct print_memory *memory, uint32_t address, uint32_t most);

void print_format(struct print_text *text, const char *format, const struct print_argument *arguments, unsigned count,
                  const struct print_memory *memory);

#endif
