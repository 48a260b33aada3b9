/* Writes the headers that kernels include, from tables/tensix.def and tables/config.def:

     generate-headers tensix OUT   the instructions, for C and for assembly
     generate-headers config OUT   the configuration fields, for both

   Runs on the machine that builds. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "isa/tensix_table.h"

static const char *const tensix_opening =
    "/* Tensix instructions, generated from tables/tensix.def. For C and for preprocessed assembly.\n"
    "\n"
    "     TT_OP_NAME(fields)    the word (a constant when its fields are), for MOP and REPLAY, in C and assembly\n"
    "     TT_NAME(fields)       C: pushes the word through the instruction buffer; fields may be variables\n"
    "     TTI_NAME(fields)      C: the instruction in line, all fields constant; assembly: the same\n"
    "     ttname fields         assembly: the same as TTI_NAME, a macro of the assembler, with range checks\n"
    "\n"
    "   A constant that does not fit its field does not compile. Variables are not checked and must fit. */\n"
    "#ifndef TENSIX_H\n"
    "#define TENSIX_H\n"
    "\n"
    "#ifndef __ASSEMBLER__\n"
    "\n"
    "#include <stdint.h>\n"
    "\n"
    "/* Where a T core pushes instructions into its own thread; core B reaches thread n at + 0x10000 * n. */\n"
    "#ifndef TENSIX_INSTRUCTION_BUFFER\n"
    "#define TENSIX_INSTRUCTION_BUFFER ((volatile uint32_t *)0xFFE40000)\n"
    "#endif\n"
    "\n"
    "/* 1 when x is an integer constant expression: only then is `(void *)(x * 0)` a null pointer constant, and the\n"
    "   conditional of type int *. */\n"
    "#define TENSIX_IS_CONSTANT(x) (sizeof(int) == sizeof(*(1 ? (void *)((long)(x)*0l) : (int *)1)))\n"
    "/* The value at its place in the word. A bit-field of negative width does not compile. */\n"
    "#define TENSIX_PLACE(value, shift, width)                                                                  \\\n"
    "    ((((uint32_t)(value)) << (shift)) +                                                                    \\\n"
    "     0u * (uint32_t)sizeof(struct {                                                                        \\\n"
    "         int value_does_not_fit_its_field                                                                  \\\n"
    "             : __builtin_choose_expr(TENSIX_IS_CONSTANT(value),                                            \\\n"
    "                                     (unsigned long long)(value) >> (width) ? -1 : 1, 1);                  \\\n"
    "     }))\n"
    "#define TENSIX_OPCODE(opcode) ((uint32_t)(opcode) << 24)\n"
    "#define TENSIX_PUSH(word) ((void)(*TENSIX_INSTRUCTION_BUFFER = (word)))\n"
    "/* The word rotated left by 2, among the RISC-V instructions. */\n"
    "#define TENSIX_ROTATE(word) ((uint32_t)(word) << 2 | (uint32_t)(word) >> 30)\n"
    "#define TENSIX_INLINE(word) __asm__ volatile(\".word %0\" : : \"i\"(TENSIX_ROTATE(word)))\n"
    "\n"
    "#else\n"
    "\n"
    "#define TENSIX_PLACE(value, shift, width) ((value) << (shift))\n"
    "#define TENSIX_OPCODE(opcode) ((opcode) << 24)\n"
    "#define TENSIX_ROTATE(word) ((((word) << 2) & 0xfffffffc) | (((word) >> 30) & 3))\n"
    "#define TENSIX_INLINE(value) .word TENSIX_ROTATE(value)\n"
    "\n"
    ".macro tensix_fits value, width, field\n"
    ".if ((\\value) < 0) || ((\\value) >> (\\width))\n"
    ".error \"\\field does not fit \\width bits\"\n"
    ".endif\n"
    ".endm\n"
    "\n"
    "#endif\n";

/* Width of a field's largest allowed value; 0 for fields that must be 0. */
static unsigned usable_width(const struct tensix_field *field)
{
    return field->kind == TENSIX_FIELD_RESERVED ? 0 : field->width;
}

static void write_parameters(FILE *out, const struct tensix_instruction *instruction)
{
    for (unsigned i = 0; i < instruction->argument_count; i++) {
        fprintf(out, "%s%s", i ? ", " : "", instruction->fields[i].name);
    }
}

/* The mnemonic of listings: UNPACR_NOP is ttunpacrnop. */
static void write_mnemonic(FILE *out, const char *name)
{
    fputs("tt", out);
    for (; *name; name++) {
        if (*name != '_') {
            fputc(tolower((unsigned char)*name), out);
        }
    }
}

/* `NAME(a, b)`, or `NAME` alone where there are no fields, as the vendor's kernels have it. */
static void write_macro(FILE *out, const char *prefix, const struct tensix_instruction *instruction)
{
    fprintf(out, "%s%s", prefix, instruction->name);
    if (instruction->argument_count) {
        fputc('(', out);
        write_parameters(out, instruction);
        fputc(')', out);
    }
}

static void write_word(FILE *out, const struct tensix_instruction *instruction)
{
    fputs("#define ", out);
    write_macro(out, "TT_OP_", instruction);
    fprintf(out, " (TENSIX_OPCODE(0x%02x)", instruction->opcode);
    for (unsigned i = 0; i < instruction->argument_count; i++) {
        const struct tensix_field *field = &instruction->fields[i];
        fprintf(out, " + \\\n    TENSIX_PLACE(%s, %u, %u)", field->name, field->shift, usable_width(field));
    }
    fputs(")\n", out);
}

static void write_use(FILE *out, const char *prefix, const char *how, const struct tensix_instruction *instruction)
{
    fputs("#define ", out);
    write_macro(out, prefix, instruction);
    fprintf(out, " %s(", how);
    write_macro(out, "TT_OP_", instruction);
    fputs(")\n", out);
}

static void write_assembler_macro(FILE *out, const struct tensix_instruction *instruction)
{
    fputs(".macro ", out);
    write_mnemonic(out, instruction->name);
    for (unsigned i = 0; i < instruction->argument_count; i++) {
        fprintf(out, "%s%s_:req", i ? ", " : " ", instruction->fields[i].name);
    }
    fputc('\n', out);
    for (unsigned i = 0; i < instruction->argument_count; i++) {
        const struct tensix_field *field = &instruction->fields[i];
        fprintf(out, "tensix_fits (\\%s_), %u, %s\n", field->name, usable_width(field), field->name);
    }
    fprintf(out, ".word TENSIX_ROTATE((0x%02x000000", instruction->opcode);
    for (unsigned i = 0; i < instruction->argument_count; i++) {
        const struct tensix_field *field = &instruction->fields[i];
        fprintf(out, " + ((\\%s_) << %u)", field->name, field->shift);
    }
    fputs("))\n.endm\n", out);
}

static void write_tensix(FILE *out)
{
    fputs(tensix_opening, out);
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        const struct tensix_instruction *instruction = &tensix_instructions[i];
        fputc('\n', out);
        write_word(out, instruction);
        write_use(out, "TTI_", "TENSIX_INLINE", instruction);
    }
    fputs("\n#ifndef __ASSEMBLER__\n\n", out);
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        write_use(out, "TT_", "TENSIX_PUSH", &tensix_instructions[i]);
    }
    fputs("\n#else\n\n", out);
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        write_assembler_macro(out, &tensix_instructions[i]);
    }
    fputs("\n#endif\n#endif\n", out);
}

struct config_field {
    const char *name;
    unsigned address, shift, width;
};

static const struct config_field config_fields[] = {
#define CONFIG_FIELD(name, address, shift, width, ...) {#name, (address), (shift), (width)},
#define THREAD_CONFIG_FIELD(name, address, shift, width, ...) {#name, (address), (shift), (width)},
#include "config.def"
#undef CONFIG_FIELD
#undef THREAD_CONFIG_FIELD
};

static void write_config(FILE *out)
{
    fputs("/* Configuration fields, generated from tables/config.def. For C and for preprocessed assembly.\n"
          "   NAME_ADDR32: the 32-bit register (of Config; of ThreadConfig for the fields that SETC16 sets),\n"
          "   NAME_SHAMT: the field's lowest bit in it, NAME_MASK: its bits, in place. */\n"
          "#ifndef TENSIX_CONFIG_H\n"
          "#define TENSIX_CONFIG_H\n\n",
          out);
    for (size_t i = 0; i < sizeof config_fields / sizeof *config_fields; i++) {
        const struct config_field *field = &config_fields[i];
        unsigned long mask = ((1ul << field->width) - 1) << field->shift & 0xfffffffful;
        fprintf(out, "#define %s_ADDR32 %u\n#define %s_SHAMT %u\n#define %s_MASK 0x%lx\n", field->name, field->address,
                field->name, field->shift, field->name, mask);
    }
    fputs("\n#endif\n", out);
}

int main(int argc, char **argv)
{
    if (argc != 3 || (strcmp(argv[1], "tensix") != 0 && strcmp(argv[1], "config") != 0)) {
        fprintf(stderr, "usage: generate-headers tensix|config OUT\n");
        return 2;
    }
    FILE *out = fopen(argv[2], "w");
    if (!out) {
        fprintf(stderr, "generate-headers: %s: %s\n", argv[2], strerror(errno));
        return 1;
    }
    (strcmp(argv[1], "tensix") == 0 ? write_tensix : write_config)(out);
    int failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        fprintf(stderr, "generate-headers: %s: could not be written\n", argv[2]);
        remove(argv[2]);
        return 1;
    }
    return 0;
}
