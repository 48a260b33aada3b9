/* What the fields of Tensix instructions mean: tables/tensix_fields.def, for `bhemu isa`. Constant data; no state. */
#ifndef BHEMU_APPS_ISA_FIELDS_H
#define BHEMU_APPS_ISA_FIELDS_H

#include <stdint.h>

enum isa_field_kind { ISA_FIELD_END, ISA_FIELD_MEANING, ISA_FIELD_VALUE, ISA_FIELD_BITS };

/* A line of the table. Lines of values and bits follow that of their field. */
struct isa_field_line {
    enum isa_field_kind kind;
    uint32_t value;           /* of ISA_FIELD_VALUE; of ISA_FIELD_BITS the lowest bit */
    uint32_t high;            /* of ISA_FIELD_BITS the highest bit */
    const char *names;        /* of ISA_FIELD_MEANING: instructions, parted by spaces, or "*" */
    const char *field, *text; /* field: of ISA_FIELD_MEANING */
};

/* All of them; the last one is of kind ISA_FIELD_END. */
extern const struct isa_field_line isa_field_lines[];

/* The line of kind ISA_FIELD_MEANING of an instruction's field; null where there is none. */
const struct isa_field_line *isa_field_meaning(const char *instruction, const char *field);

/* The next value or bit of the same field; null behind the last one. */
const struct isa_field_line *isa_field_next(const struct isa_field_line *line);

#endif
