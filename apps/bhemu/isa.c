/* bhemu isa: the reference of Tensix instructions, from the table. */
#include <ctype.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "isa/tensix_facts.h"
#include "isa/tensix_table.h"
#include "isa/tensix_text.h"
#include "isa_fields.h"
#include "time/timing_table.h"

/* "B0 B5", or words where a list of bits would mislead. */
static const char *block_text(const struct tensix_instruction *instruction, char *buffer, size_t size)
{
    switch (instruction->block) {
    case TENSIX_BLOCKED_NEVER: return "never: it does not reach the wait gate";
    case TENSIX_BLOCKED_NOP: return "only by B0 to B8 all together";
    case TENSIX_BLOCKED_WAIT: return "any of B0 to B8";
    default: break;
    }
    size_t length = 0;
    for (unsigned bit = 0; bit < 9; bit++) {
        if (instruction->block >> bit & 1) {
            length += (size_t)snprintf(buffer + length, size - length, "%sB%u", length ? ", " : "", bit);
        }
    }
    return buffer;
}

static const char *cycles_text(unsigned cycles, char *buffer, size_t size)
{
    if (cycles == TENSIX_CYCLES_UNKNOWN) {
        return "not documented";
    }
    if (cycles == TENSIX_CYCLES_VARIES) {
        return "depends on more than the instruction";
    }
    snprintf(buffer, size, "%u", cycles);
    return buffer;
}

static const char *bits_text(const struct tensix_field *field, char *buffer, size_t size)
{
    if (field->width == 1) {
        snprintf(buffer, size, "%u", field->shift);
    } else {
        snprintf(buffer, size, "%u:%u", field->shift + field->width - 1, field->shift);
    }
    return buffer;
}

/* The meaning of a field; *values: its first value or bit that has one, or null. */
static const char *meaning_text(const struct tensix_instruction *instruction, const struct tensix_field *field,
                                const struct isa_field_line **values)
{
    const struct isa_field_line *line = isa_field_meaning(instruction->name, field->name);
    *values = NULL;
    if (field->kind == TENSIX_FIELD_RESERVED || !line) {
        return field->kind == TENSIX_FIELD_RESERVED ? "reserved: must be 0" : "";
    }
    *values = isa_field_next(line);
    return line->text;
}

static const char *extra_text(const struct tensix_field *field)
{
    return field->kind == TENSIX_FIELD_EXTRA ? " (no argument of TT_ macros)" : "";
}

/* "6", "bit 6" or "bits 7:6" */
static const char *value_text(const struct isa_field_line *value, char *buffer, size_t size)
{
    if (value->kind == ISA_FIELD_VALUE || value->high == value->value) {
        snprintf(buffer, size, "%s%u", value->kind == ISA_FIELD_VALUE ? "" : "bit ", value->value);
    } else {
        snprintf(buffer, size, "bits %u:%u", value->high, value->value);
    }
    return buffer;
}

enum { MEANING_COLUMN = 30 };

static void print_field(const struct tensix_instruction *instruction, const struct tensix_field *field)
{
    char bits[TENSIX_TEXT_SIZE];
    const struct isa_field_line *values;
    const char *meaning = meaning_text(instruction, field, &values);
    int width = printf("    %-7s %s", bits_text(field, bits, sizeof bits), field->name);
    int gap = MEANING_COLUMN - width > 1 ? MEANING_COLUMN - width : 2;
    printf("%*s%s%s\n", gap, "", meaning, extra_text(field));
    for (; values; values = isa_field_next(values)) {
        printf("%*s%-9s %s\n", MEANING_COLUMN + 2, "", value_text(values, bits, sizeof bits), values->text);
    }
}
/* The classes of instructions that a block mask holds, as far as they hold this one. */
static void print_blocked(const struct tensix_instruction *instruction)
{
    char text[TENSIX_TEXT_SIZE];
    bool by_class = instruction->block != TENSIX_BLOCKED_NEVER && instruction->block != TENSIX_BLOCKED_NOP &&
                    instruction->block != TENSIX_BLOCKED_WAIT;
    const char *title = "blocked";
    if (!by_class) {
        printf("  %-9s %s\n", title, block_text(instruction, text, sizeof text));
        return;
    }
    const struct isa_field_line *line = isa_field_next(isa_field_meaning("STALLWAIT", "stall_res"));
    for (; line; line = isa_field_next(line)) {
        if (instruction->block >> line->value & 1) {
            printf("  %-9s %s\n", title, line->text);
            title = "";
        }
    }
}

static const char *const sub_unit_names[] = {[TENSIX_SUB_UNIT_LOAD] = "load",
                                             [TENSIX_SUB_UNIT_SIMPLE] = "simple",
                                             [TENSIX_SUB_UNIT_MAD] = "MAD",
                                             [TENSIX_SUB_UNIT_ROUND] = "round",
                                             [TENSIX_SUB_UNIT_STORE] = "store"};

static const char *ttsync_text(uint8_t class, char *buffer, size_t size)
{
    if (class == TENSIX_TTSYNC_UNTRACKED) {
        return "not tracked";
    }
    snprintf(buffer, size, "class %u", class);
    return buffer;
}

/* "VB (imm12_math), if instr_mod1 & 1" of one of the table's lines. */
static void fact_text(const struct tensix_fact_line *line, char *buffer, size_t size)
{
    bool cycles = line->kind == TENSIX_FACT_CYCLES;
    snprintf(buffer, size,
             cycles         ? "issue %s, latency %s%s%s"
             : *line->field ? "%s (%s)%s%s"
                            : "%s%s%s%s",
             line->what, line->field, *line->when ? ", if " : "", line->when);
}

/* A result without a condition needs no line: its place is shown elsewhere. */
static bool is_said(const struct tensix_fact_line *line)
{
    return strcmp(line->when, "NEVER") != 0;
}

struct fact_list {
    const char *title;
    enum tensix_fact_kind kinds[2]; /* kinds of lines to print, in this order */
};

static const struct fact_list fact_lists[] = {
    {"reads", {TENSIX_FACT_SOURCE, TENSIX_FACT_READS}},      {"writes", {TENSIX_FACT_RESULT, TENSIX_FACT_WRITES}},
    {"unseen", {TENSIX_FACT_UNSEEN, TENSIX_FACT_UNSEEN}}, /* by hardware's logic for products */
    {"assumed", {TENSIX_FACT_ASSUMED, TENSIX_FACT_ASSUMED}}, {"cycles", {TENSIX_FACT_CYCLES, TENSIX_FACT_CYCLES}},
};

/* Passes the texts of a list to `print`, with a flag for the first. */
static void each_fact(const struct tensix_instruction *instruction, const struct fact_list *list,
                      void (*print)(const char *title, const char *text, bool first))
{
    char text[TENSIX_TEXT_SIZE];
    bool first = true;
    for (unsigned i = 0; i < 2; i++) {
        const char *place = NULL;
        struct tensix_fact_line line;
        while ((i == 0 || list->kinds[1] != list->kinds[0]) && tensix_next_fact(instruction->opcode, &place, &line)) {
            if (line.kind == list->kinds[i] && is_said(&line)) {
                fact_text(&line, text, sizeof text);
                print(list->title, text, first);
                first = false;
            }
        }
    }
}

static void print_line(const char *title, const char *text, bool first)
{
    printf("  %-9s %s\n", first ? title : "", text);
}

static void print_facts(const struct tensix_instruction *instruction)
{
    char text[TENSIX_TEXT_SIZE];
    const struct tensix_facts *facts = &tensix_facts[instruction->opcode];
    if (facts->sub_unit != TENSIX_SUB_UNIT_NONE) {
        printf("  sub-unit  %s\n", sub_unit_names[facts->sub_unit]);
    }
    printf("  TTSync    %s\n", ttsync_text(facts->ttsync, text, sizeof text));
    printf("  waits     %s\n", facts->waits ? "maybe, behind the wait gate" : "never behind the wait gate");
    for (unsigned i = 0; i < sizeof fact_lists / sizeof *fact_lists; i++) {
        each_fact(instruction, &fact_lists[i], print_line);
    }
}

/* A word whose fields have different values, as far as they fit: 1, 2, 3... */
static uint32_t example_word(const struct tensix_instruction *instruction)
{
    uint32_t values[TENSIX_MAX_FIELDS] = {};
    for (unsigned i = 0; i < instruction->argument_count; i++) {
        uint32_t most = tensix_field_max(&instruction->fields[i]);
        values[i] = i + 1 < most ? i + 1 : most;
    }
    return tensix_encode(instruction, values);
}

static void describe(const struct tensix_instruction *instruction)
{
    char text[TENSIX_TEXT_SIZE];
    printf("%s: %s\n", instruction->name, instruction->summary);
    printf("  opcode    0x%02x\n", instruction->opcode);
    printf("  unit      %s\n", tensix_unit_name(instruction->unit));
    print_blocked(instruction);
    printf("  issue     %s\n", cycles_text(instruction->issue, text, sizeof text));
    printf("  latency   %s\n", cycles_text(instruction->latency, text, sizeof text));
    print_facts(instruction);
    printf(instruction->field_count ? "  fields\n" : "  fields    none\n");
    for (unsigned i = 0; i < instruction->field_count; i++) {
        print_field(instruction, &instruction->fields[i]);
    }
    printf("  reserved  0x%06x", instruction->reserved);
    printf(instruction->ignored ? ", ignored by cards: 0x%06x\n" : "\n", instruction->ignored);
    uint32_t word = example_word(instruction);
    tensix_disassemble(word, TENSIX_TEXT_COMPACT, text, sizeof text);
    printf("  example   %s  =  0x%08x, in line 0x%08x\n", text, word, tensix_to_inline(word));
}

static void list(void)
{
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        const struct tensix_instruction *instruction = &tensix_instructions[i];
        printf("0x%02x  %-14s %-20s %s\n", instruction->opcode, instruction->name, tensix_unit_name(instruction->unit),
               instruction->summary);
    }
}

static void print_in_row(const char *title, const char *text, bool first)
{
    if (first) {
        printf("\n- %c%s: ", toupper((unsigned char)*title), title + 1);
    }
    printf("%s%s", first ? "" : "; ", text);
}

static void print_markdown_facts(const struct tensix_instruction *instruction)
{
    char text[TENSIX_TEXT_SIZE];
    const struct tensix_facts *facts = &tensix_facts[instruction->opcode];
    if (facts->sub_unit != TENSIX_SUB_UNIT_NONE) {
        printf("Sub-unit: %s. ", sub_unit_names[facts->sub_unit]);
    }
    printf("TTSync: %s.%s\n", ttsync_text(facts->ttsync, text, sizeof text), facts->waits ? " May wait." : "");
    for (unsigned i = 0; i < sizeof fact_lists / sizeof *fact_lists; i++) {
        each_fact(instruction, &fact_lists[i], print_in_row);
    }
    printf("\n");
}

static void print_markdown_row(const struct tensix_instruction *instruction)
{
    char text[TENSIX_TEXT_SIZE];
    printf("\n### %s\n\n%c%s.\n\n", instruction->name, toupper((unsigned char)instruction->summary[0]),
           instruction->summary + 1);
    printf("Opcode 0x%02x. ", instruction->opcode);
    printf("Blocked by: %s. ", block_text(instruction, text, sizeof text));
    printf("Issue: %s. ", cycles_text(instruction->issue, text, sizeof text));
    printf("Latency: %s.\n", cycles_text(instruction->latency, text, sizeof text));
    print_markdown_facts(instruction);
    if (instruction->field_count) {
        printf("\n| bits | field | |\n|---|---|---|\n");
    }
    for (unsigned i = 0; i < instruction->field_count; i++) {
        const struct tensix_field *field = &instruction->fields[i];
        const struct isa_field_line *values;
        const char *meaning = meaning_text(instruction, field, &values);
        printf("| %s | `%s` | %s%s", bits_text(field, text, sizeof text), field->name, meaning, extra_text(field));
        for (; values; values = isa_field_next(values)) {
            printf("<br>%s: %s", value_text(values, text, sizeof text), values->text);
        }
        printf(" |\n");
    }
}

static void print_markdown(void)
{
    printf(
        "# Tensix instructions\n\n"
        "Written by `bhemu isa --markdown` from `tables/tensix.def`, which names the sources. A word has its opcode in "
        "bits 31:24;\nbits of 23:0 that are not listed are reserved. Cycles are minima: *issue* until the unit accepts "
        "the next instruction,\n*latency* until the result is there. Conditions are those of C, of the fields. "
        "*Unseen* "
        "is what hardware does not know to be read\nwhere it makes instructions wait for products, *assumed* what it "
        "takes to be read there in error.\n");
    for (unsigned unit = 0; unit < TENSIX_UNITS; unit++) {
        printf("\n## %s\n", tensix_unit_name((enum tensix_unit)unit));
        for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
            if (tensix_instructions[i].unit == unit) {
                print_markdown_row(&tensix_instructions[i]);
            }
        }
    }
}

static void describe_constant(const struct timing_constant *constant)
{
    printf("%-32s %8u  %-10s  %s%s%s%s\n", constant->name, constant->value, timing_evidence_name(constant->evidence),
           constant->meaning, *constant->source ? " (" : "", constant->source, *constant->source ? ")" : "");
}

static void list_constants(void)
{
    for (const struct timing_constant *constant = timing_constants; constant->name; constant++) {
        describe_constant(constant);
    }
}

enum { LONGEST_NAME = 32, NEAREST = 3 };

/* The number of letters to change, add or remove to turn one name into the other (Levenshtein's distance). */
static unsigned name_distance(const char *name, const char *other)
{
    unsigned row[LONGEST_NAME + 1];
    size_t length = strlen(other);
    for (size_t j = 0; j <= length; j++) {
        row[j] = (unsigned)j;
    }
    for (size_t i = 1; name[i - 1]; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= length; j++) {
            unsigned change = diagonal + (toupper((unsigned char)name[i - 1]) != other[j - 1]);
            unsigned least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            diagonal = row[j];
            row[j] = change < least ? change : least;
        }
    }
    return row[length];
}

static int unknown(const char *name)
{
    unsigned best[NEAREST], distances[NEAREST];
    unsigned count = 0;
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS && strlen(name) <= LONGEST_NAME; i++) {
        unsigned distance = name_distance(name, tensix_instructions[i].name);
        unsigned place = count;
        while (place && distances[place - 1] > distance) {
            place--;
        }
        if (place == NEAREST) {
            continue;
        }
        count += count < NEAREST;
        for (unsigned j = count - 1; j > place; j--) {
            best[j] = best[j - 1];
            distances[j] = distances[j - 1];
        }
        best[place] = i;
        distances[place] = distance;
    }
    fprintf(stderr, "bhemu isa: no instruction is named '%s'", name);
    for (unsigned i = 0; i < count; i++) {
        fprintf(stderr, "%s%s", i ? ", " : "; nearest: ", tensix_instructions[best[i]].name);
    }
    fputc('\n', stderr);
    return EXIT_WRONG;
}

static bool set(void *context, const struct command_option *option, const char *value, const char *second)
{
    *(const struct command_option **)context = option;
    return true;
}

static int start(int argc, char **argv)
{
    const struct command_option *all = NULL;
    const struct command_line line = {.command = &command_isa, .set = set, .context = &all};
    int code;
    if (!command_read(&line, argc, argv, &code)) {
        return code;
    }
    if (all && optind < argc) {
        fprintf(stderr, "bhemu isa: --%s takes no names\n", all->name);
        return EXIT_WRONG;
    }
    if (optind == argc) {
        if (!all) {
            list();
        } else if (strcmp(all->name, "markdown") == 0) {
            print_markdown();
        } else {
            list_constants();
        }
        return EXIT_DONE;
    }
    for (int i = optind; i < argc; i++) {
        if (!tensix_by_name(argv[i]) && !timing_by_name(argv[i])) {
            return unknown(argv[i]);
        }
    }
    for (int i = optind; i < argc; i++) {
        printf("%s", i > optind ? "\n" : "");
        if (tensix_by_name(argv[i])) {
            describe(tensix_by_name(argv[i]));
        } else {
            describe_constant(timing_by_name(argv[i]));
        }
    }
    return EXIT_DONE;
}

static const struct command_option options[] = {
    {"markdown", NULL, "the reference page of all instructions", 0, false},
    {"timing", NULL, "all constants of timed mode", 0, false},
    {},
};
static const struct command_option *const lists[] = {options, NULL};

const struct command command_isa = {
    .name = "isa",
    .summary = "describe Tensix instructions",
    .usage = "[NAME...]\n--markdown\n--timing",
    .description =
        "Describes Tensix instructions, or constants of timed mode; without a name, lists all instructions.\n\nEach "
        "field is followed by its meaning, and by its values or bits. blocked: the bits of a block mask (stall_res of "
        "STALLWAIT, SEMWAIT, STREAMWAIT) that hold the instruction at the wait gate. unseen: operands that hardware "
        "does not know to be read when it makes an instruction wait for a product of the cycle before; assumed: "
        "operands that it wrongly takes to be read there.",
    .lists = lists,
    .operand = OPERAND_INSTRUCTIONS,
    .run = start,
};
