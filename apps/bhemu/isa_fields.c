#include "isa_fields.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

const struct isa_field_line isa_field_lines[] = {
#define TENSIX_MEANING(names, field, text) {ISA_FIELD_MEANING, 0, 0, names, #field, text},
#define TENSIX_VALUE(value, text) {ISA_FIELD_VALUE, value, 0, NULL, NULL, text},
#define TENSIX_BITS(high, low, text) {ISA_FIELD_BITS, low, high, NULL, NULL, text},
#include "tensix_fields.def"
    {},
};

/* Whether a name is one of those in a list that is parted by spaces. */
static bool is_among(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at += length) {
        if ((at == names || at[-1] == ' ') && (!at[length] || at[length] == ' ')) {
            return true;
        }
    }
    return false;
}

const struct isa_field_line *isa_field_meaning(const char *instruction, const char *field)
{
    for (const struct isa_field_line *line = isa_field_lines; line->kind != ISA_FIELD_END; line++) {
        if (line->kind == ISA_FIELD_MEANING && strcmp(line->field, field) == 0 &&
            (strcmp(line->names, "*") == 0 || is_among(line->names, instruction))) {
            return line;
        }
    }
    return NULL;
}

const struct isa_field_line *isa_field_next(const struct isa_field_line *line)
{
    line++;
    return line->kind == ISA_FIELD_VALUE || line->kind == ISA_FIELD_BITS ? line : NULL;
}
