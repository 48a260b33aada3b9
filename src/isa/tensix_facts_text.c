/* Facts of tables/tensix.def (operands read and written, durations) as text for `bhemu isa`. */
#include <stdio.h>
#include <string.h>

#include "isa/tensix_facts.h"

/* Each instruction: its opcode, records, an empty record. A record: the letter of its kind, and three texts. It is all
   one string without pointers, which would have to be relocated when the library is loaded. */
#define RECORD(letter, what, field, when) letter #what "\0" #field "\0" #when "\0"
static const char records[] = {
#define TENSIX_SOURCE(name, kind, field, when) RECORD("s", kind, field, when)
#define TENSIX_RESULT(name, kind, field, when) RECORD("d", kind, field, when)
#define TENSIX_READS(name, what, when) RECORD("r", what, , when)
#define TENSIX_WRITES(name, what, when) RECORD("w", what, , when)
#define TENSIX_SOURCE_UNSEEN(name, kind, field, when) RECORD("s", kind, field, when) RECORD("u", kind, field, when)
#define TENSIX_READS_UNSEEN(name, what, when) RECORD("r", what, , when) RECORD("u", what, , when)
#define TENSIX_ASSUMED(name, what, when) RECORD("a", what, , when)
#define TENSIX_CYCLES(name, issue, latency, when) RECORD("c", issue, latency, when)
#define TENSIX_END(name) "\0"
#include "tensix.def"
};

static const uint8_t opcodes[] = {
#define TENSIX_BEGIN(name, opcode, ...) opcode,
#include "tensix.def"
};

struct term {
    char name[24], text[40];
};

static const struct term resources[] = {
#define TENSIX_RESOURCE(name, text) {#name, text},
#include "tensix.def"
};

/* Kinds of sources and results, where their names do not say it. */
static const struct term kinds[] = {
    {"CHOSEN_VB", "VB"},
    {"CHOSEN_VC", "VC"},
    {"GPR_GROUP", "four GPRs"},
    {"GPR_HALF", "half a GPR"},
    {"GPR_OF_HALF", "a GPR"},
    {"GPR_GROUP_OF_HALF", "four GPRs"},
    {"GPR", "a GPR"},
    {"DST_ROW", "rows of Dst"},
    {"SRCA_ROW", "rows of SrcA"},
    {"SRCB_ROW", "rows of SrcB"},
};

static const char *end_of_record(const char *record)
{
    for (unsigned i = 0; i < 3; i++) {
        record += strlen(record) + 1;
    }
    return record;
}

static const char *first_record(uint8_t opcode)
{
    const char *record = records;
    for (unsigned i = 0; i < sizeof opcodes; i++, record++) {
        if (opcodes[i] == opcode) {
            return record;
        }
        while (*record) {
            record = end_of_record(record);
        }
    }
    return "";
}

static enum tensix_fact_kind kind_of(char letter)
{
    static const char letters[] = {
        [TENSIX_FACT_SOURCE] = 's', [TENSIX_FACT_RESULT] = 'd',  [TENSIX_FACT_READS] = 'r', [TENSIX_FACT_WRITES] = 'w',
        [TENSIX_FACT_UNSEEN] = 'u', [TENSIX_FACT_ASSUMED] = 'a', [TENSIX_FACT_CYCLES] = 'c'};
    return (enum tensix_fact_kind)((const char *)memchr(letters, letter, sizeof letters) - letters);
}

static void copy(char *to, size_t size, const char *from)
{
    size_t length = strlen(from) < size ? strlen(from) : size - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

static const char *text_of(const char *what, const struct term *terms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(terms[i].name, what) == 0) {
            return terms[i].text;
        }
    }
    return what;
}

/* "LREGS(0x8f)" as "LReg[0..3], LReg[7]". false: it is something else, or the fields decide which. */
static bool lregs_text(const char *what, char *text, size_t size)
{
    unsigned mask;
    if (sscanf(what, "LREGS(0x%x)", &mask) != 1) {
        return false;
    }
    size_t length = 0;
    for (unsigned i = 0; mask >> i && length < size; i++) {
        unsigned last = i;
        if (!(mask >> i & 1)) {
            continue;
        }
        while (mask >> (last + 1) & 1) {
            last++;
        }
        length += (size_t)snprintf(text + length, size - length, last > i ? "%sLReg[%u..%u]" : "%sLReg[%u]",
                                   length ? ", " : "", i, last);
        i = last;
    }
    return true;
}

bool tensix_next_fact(uint8_t opcode, const char **place, struct tensix_fact_line *line)
{
    const char *record = *place ? *place : first_record(opcode);
    if (!*record) {
        return false;
    }
    const char *what = record + 1, *field = what + strlen(what) + 1, *when = field + strlen(field) + 1;
    line->kind = kind_of(*record);
    bool operand = line->kind == TENSIX_FACT_SOURCE || line->kind == TENSIX_FACT_RESULT;
    if (!lregs_text(what, line->what, sizeof line->what)) {
        copy(line->what, sizeof line->what,
             operand || *field ? text_of(what, kinds, sizeof kinds / sizeof *kinds)
                               : text_of(what, resources, sizeof resources / sizeof *resources));
    }
    copy(line->field, sizeof line->field, field);
    copy(line->when, sizeof line->when, strcmp(when, "ALWAYS") == 0 ? "" : when);
    *place = end_of_record(record);
    return true;
}
