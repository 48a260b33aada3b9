#include "isa/tensix_table.h"
#include "isa/tensix_facts.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Counts and masks of fields: an initialiser of the list below can not sum over its own fields, an enumeration can. */
enum {
#define TENSIX_BEGIN(name, ...) TENSIX_USED_##name = 0
#define TENSIX_FIELD(name, field, shift, width) | ((1 << (width)) - 1) << (shift)
#define TENSIX_RESERVED(...)
#define TENSIX_END(name) ,
#include "tensix.def"
};

enum {
#define TENSIX_BEGIN(name, ...) TENSIX_FIELD_COUNT_##name = 0
#define TENSIX_FIELD(name, field, shift, width) +1
#define TENSIX_END(name) ,
#include "tensix.def"
};

enum {
#define TENSIX_BEGIN(name, ...) TENSIX_ARGUMENT_COUNT_##name = 0
#define TENSIX_FIELD(name, field, shift, width) +1
#define TENSIX_EXTRA(...)
#define TENSIX_END(name) ,
#include "tensix.def"
};

enum {
#define TENSIX_BEGIN(name, ...) TENSIX_IGNORED_BY_##name = 0
#define TENSIX_IGNORED(name, shift, width) | ((1 << (width)) - 1) << (shift)
#define TENSIX_END(name) ,
#include "tensix.def"
};

enum { UNKNOWN = TENSIX_CYCLES_UNKNOWN, VARIES = TENSIX_CYCLES_VARIES };

const struct tensix_instruction tensix_instructions[TENSIX_INSTRUCTIONS] = {
#define TENSIX_BEGIN(name_, opcode_, unit_, block_, issue_, latency_, summary_)                                        \
    {                                                                                                                  \
        .name = #name_, .opcode = (opcode_), .issue = (issue_), .latency = (latency_),                                 \
        .block = TENSIX_BLOCKED_##block_, .unit = TENSIX_##unit_, .field_count = TENSIX_FIELD_COUNT_##name_,           \
        .argument_count = TENSIX_ARGUMENT_COUNT_##name_, .reserved = 0xffffff & ~TENSIX_USED_##name_,                  \
        .ignored = TENSIX_IGNORED_BY_##name_, .summary = (summary_), .fields = {
#define TENSIX_FIELD(name_, field, shift, width) {#field, (shift), (width), TENSIX_FIELD_PLAIN},
#define TENSIX_RESERVED(name_, field, shift, width) {#field, (shift), (width), TENSIX_FIELD_RESERVED},
#define TENSIX_EXTRA(name_, field, shift, width) {#field, (shift), (width), TENSIX_FIELD_EXTRA},
#define TENSIX_END(name_)                                                                                              \
    {                                                                                                                  \
        "", 0, 0, 0                                                                                                    \
    }                                                                                                                  \
    }                                                                                                                  \
    }                                                                                                                  \
    ,
#include "tensix.def"
};

const uint8_t tensix_unit_of[256] = {
#define TENSIX_BEGIN(name, opcode, unit, ...) [opcode] = TENSIX_##unit,
#include "tensix.def"
};

const uint16_t tensix_block_class[256] = {
#define TENSIX_BEGIN(name, opcode, unit, block, ...) [opcode] = TENSIX_BLOCKED_##block,
#include "tensix.def"
};

/* Opcode to place in the list, plus 1; 0: none. */
enum {
    TENSIX_PLACE_BEFORE,
#define TENSIX_BEGIN(name, ...) TENSIX_PLACE_##name,
#include "tensix.def"
};

static const uint8_t places[256] = {
#define TENSIX_BEGIN(name, opcode, ...) [opcode] = TENSIX_PLACE_##name,
#include "tensix.def"
};

const struct tensix_instruction *tensix_by_opcode(uint8_t opcode)
{
    return places[opcode] ? &tensix_instructions[places[opcode] - 1] : NULL;
}

/* Whether two names are the same but for case and underscores. */
static bool same_name(const char *name, size_t length, const char *other)
{
    const char *end = name + length;
    for (;;) {
        while (name < end && *name == '_') {
            name++;
        }
        while (*other == '_') {
            other++;
        }
        if (name == end || !*other) {
            return name == end && !*other;
        }
        if (toupper((unsigned char)*name++) != *other++) {
            return false;
        }
    }
}

const struct tensix_instruction *tensix_by_name_n(const char *name, size_t length)
{
    static const char *const prefixes[] = {"", "TT_OP_", "TTI_", "TT_", "TT"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t prefix = strlen(prefixes[i]);
        if (length <= prefix || strncasecmp(name, prefixes[i], prefix) != 0) {
            continue;
        }
        for (size_t j = 0; j < TENSIX_INSTRUCTIONS; j++) {
            if (same_name(name + prefix, length - prefix, tensix_instructions[j].name)) {
                return &tensix_instructions[j];
            }
        }
    }
    return NULL;
}

const struct tensix_instruction *tensix_by_name(const char *name)
{
    return tensix_by_name_n(name, strlen(name));
}

uint32_t tensix_encode(const struct tensix_instruction *instruction, const uint32_t *values)
{
    uint32_t word = (uint32_t)instruction->opcode << 24;
    for (unsigned i = 0; i < instruction->field_count; i++) {
        const struct tensix_field *field = &instruction->fields[i];
        word |= (values[i] & tensix_field_mask(field)) << field->shift;
    }
    return word;
}

const char *tensix_unit_name(enum tensix_unit unit)
{
    static const char *const names[TENSIX_UNITS] = {
#define TENSIX_UNIT(name, text, ...) text,
#include "tensix.def"
    };
    return (unsigned)unit < TENSIX_UNITS ? names[unit] : "?";
}
