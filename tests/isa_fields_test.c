/* tables/tensix_fields.def beside tables/tensix.def: each field of each instruction has a meaning, and what the table
   says of values fits into their fields. `bhemu isa` prints it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/process.h"
#include "isa/tensix_table.h"
#include "util/bits.h"

enum kind { MEANING, VALUE, BITS };

static const struct line {
    enum kind kind;
    unsigned value, high;
    const char *names, *field, *text;
} lines[] = {
#define TENSIX_MEANING(names, field, text) {MEANING, 0, 0, names, #field, text},
#define TENSIX_VALUE(value, text) {VALUE, value, value, NULL, NULL, text},
#define TENSIX_BITS(high, low, text) {BITS, low, high, NULL, NULL, text},
#include "tensix_fields.def"
};

static char output[1 << 20];

static const char *isa(const char *arguments)
{
    char command[2048];
    snprintf(command, sizeof command, "%s/bhemu isa %s", BHEMU_BUILD_DIR, arguments);
    assert_int_equal(run_in_shell(command, output, sizeof output), 0);
    return output;
}

static const struct tensix_field *field_of(const struct tensix_instruction *instruction, const char *name)
{
    for (const struct tensix_field *field = instruction->fields; *field->name; field++) {
        if (strcmp(field->name, name) == 0) {
            return field;
        }
    }
    return NULL;
}

static bool names_it(const struct line *line, const char *instruction)
{
    char padded[512], wanted[64];
    snprintf(padded, sizeof padded, " %s ", line->names);
    snprintf(wanted, sizeof wanted, " %s ", instruction);
    return strcmp(line->names, "*") == 0 || strstr(padded, wanted);
}

static const struct line *meaning_of(const struct tensix_instruction *instruction, const char *field)
{
    for (unsigned i = 0; i < COUNT_OF(lines); i++) {
        if (lines[i].kind == MEANING && strcmp(lines[i].field, field) == 0 && names_it(&lines[i], instruction->name)) {
            return &lines[i];
        }
    }
    return NULL;
}

static void every_field_has_a_meaning(void **state)
{
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        const struct tensix_instruction *instruction = &tensix_instructions[i];
        for (const struct tensix_field *field = instruction->fields; *field->name; field++) {
            if (field->kind != TENSIX_FIELD_RESERVED && !meaning_of(instruction, field->name)) {
                fail_msg("tables/tensix_fields.def does not say what %s of %s means", field->name, instruction->name);
            }
        }
    }
}

/* How many instructions take the line for their field. */
static unsigned users_of(const struct line *line)
{
    unsigned users = 0;
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        const struct tensix_field *field = field_of(&tensix_instructions[i], line->field);
        users +=
            field && field->kind != TENSIX_FIELD_RESERVED && meaning_of(&tensix_instructions[i], line->field) == line;
    }
    return users;
}

static void every_line_is_of_a_field(void **state)
{
    for (unsigned i = 0; i < COUNT_OF(lines); i++) {
        if (lines[i].kind != MEANING) {
            continue;
        }
        unsigned names = 1;
        for (const char *at = lines[i].names; *at; at++) {
            names += *at == ' ';
        }
        bool all = strcmp(lines[i].names, "*") == 0;
        if (all ? !users_of(&lines[i]) : users_of(&lines[i]) != names) {
            fail_msg("%s of \"%s\": not all of them have the field, or another line comes first", lines[i].field,
                     lines[i].names);
        }
    }
}

/* Values and bits ascend, and fit into the narrowest field that has the line. */
static void values_fit_into_their_fields(void **state)
{
    const struct line *of = NULL;
    for (unsigned i = 0; i < COUNT_OF(lines); i++) {
        const struct line *line = &lines[i];
        if (line->kind == MEANING) {
            of = line;
            continue;
        }
        assert_non_null(of);
        if (line[-1].kind != MEANING) {
            assert_true(line->kind == line[-1].kind && line->value > line[-1].high);
        }
        for (unsigned k = 0; k < TENSIX_INSTRUCTIONS; k++) {
            const struct tensix_field *field = field_of(&tensix_instructions[k], of->field);
            if (field && field->kind != TENSIX_FIELD_RESERVED && meaning_of(&tensix_instructions[k], of->field) == of) {
                unsigned end = line->kind == BITS ? field->width : tensix_field_max(field) + 1;
                if (line->high >= end) {
                    fail_msg("%s of %s has no value %u: %s", of->field, tensix_instructions[k].name, line->value,
                             line->text);
                }
            }
        }
    }
}

static void texts_are_lines(void **state)
{
    for (unsigned i = 0; i < COUNT_OF(lines); i++) {
        size_t length = strlen(lines[i].text);
        assert_true(length && lines[i].text[length - 1] != '.' && !strpbrk(lines[i].text, "\n|"));
    }
}

static void isa_says_what_fields_mean(void **state)
{
    const char *text = isa("SFPSETCC");
    assert_non_null(strstr(text, "    3:0     instr_mod1        where the lane flags of enabled lanes are set"));
    assert_non_null(strstr(text, "                                6         where VC is 0\n"));
    text = isa("SETRWC");
    assert_non_null(strstr(text, "                                bit 3     the fidelity phase, to 0\n"));
    text = isa("STALLWAIT");
    assert_non_null(strstr(text, "bit 12    C12, WAIT_CONFIG: the configuration unit works for this thread\n"));
    text = isa("SFPXOR");
    assert_non_null(strstr(text, "    23:12   imm12_math        reserved: must be 0\n"));
    text = isa("SETADCXY");
    assert_non_null(strstr(text, "(no argument of TT_ macros)\n"));
    text = isa("--markdown");
    assert_non_null(strstr(text, "| 20:18 | `OpSel` | the operation<br>0: and<br>1: or<br>2: exclusive or |\n"));
}

static void isa_says_what_classes_of_the_wait_gate_are(void **state)
{
    const char *text = isa("UNPACR");
    assert_non_null(strstr(text,
                           "  blocked   B0, BLOCK_TDMA: miscellaneous, scalar, unpack, pack and mover instructions\n"
                           "            B3, BLOCK_UNPACK: unpack instructions\n"));
    assert_non_null(strstr(isa("MVMUL"), "  blocked   B6, BLOCK_MATH: matrix instructions\n"));
    assert_non_null(strstr(isa("SEMWAIT"), "  blocked   any of B0 to B8\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_has_a_meaning),    cmocka_unit_test(every_line_is_of_a_field),
        cmocka_unit_test(values_fit_into_their_fields), cmocka_unit_test(texts_are_lines),
        cmocka_unit_test(isa_says_what_fields_mean),    cmocka_unit_test(isa_says_what_classes_of_the_wait_gate_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
