/* bhemu disasm: words, binaries and ELF files to text. */
#include "disasm.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "file.h"
#include "isa/rv32_text.h"
#include "isa/tensix_table.h"

void disassemble_program_word(uint32_t word, uint32_t address, enum tensix_text form)
{
    char text[TENSIX_TEXT_SIZE];
    if ((word & 3) == 3) {
        rv32_disassemble(word, address, text, sizeof text);
    } else {
        tensix_disassemble(tensix_from_inline(word), form, text, sizeof text);
    }
    printf("%8x:  %08x  %s\n", address, word, text);
}

static void disassemble_word(uint32_t word, bool rotated, enum tensix_text form)
{
    char text[TENSIX_TEXT_SIZE];
    tensix_disassemble(rotated ? tensix_from_inline(word) : word, form, text, sizeof text);
    printf("%08x  %s\n", word, text);
}

static uint32_t word_at(const char *content)
{
    const unsigned char *bytes = (const unsigned char *)content;
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static int disassemble_binary(const char *path, const char *content, size_t size, bool rotated, enum tensix_text form)
{
    if (size == 0 || size % 4) {
        fprintf(stderr, "bhemu disasm: %s: %zu bytes are no whole number of 32-bit words\n", path, size);
        return EXIT_WRONG;
    }
    for (size_t i = 0; i < size; i += 4) {
        disassemble_word(word_at(content + i), rotated, form);
    }
    return 0;
}

static int disassemble_file(const char *path, bool rotated, enum tensix_text form)
{
    size_t size;
    char *content = file_read("disasm", path, &size);
    if (!content) {
        return EXIT_WRONG;
    }
    int code = size >= 4 && memcmp(content, "\177ELF", 4) == 0 ? disassemble_elf(path, content, size, form)
                                                               : disassemble_binary(path, content, size, rotated, form);
    free(content);
    return code;
}

/* A word of up to eight hexadecimal digits, with or without 0x. */
static bool parse_word(const char *text, uint32_t *word)
{
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        text += 2;
    }
    size_t digits = strspn(text, "0123456789abcdefABCDEF");
    if (digits == 0 || digits > 8 || text[digits]) {
        return false;
    }
    *word = (uint32_t)strtoul(text, NULL, 16);
    return true;
}

static int disassemble_words(int count, char **arguments, bool rotated, enum tensix_text form)
{
    uint32_t word;
    for (int i = 0; i < count; i++) {
        if (!parse_word(arguments[i], &word)) {
            fprintf(stderr, "bhemu disasm: %s: %s\n", arguments[i],
                    count == 1 ? "there is no such file, and it is no hexadecimal word"
                               : "a hexadecimal word of at most 8 digits expected");
            return EXIT_WRONG;
        }
    }
    for (int i = 0; i < count; i++) {
        parse_word(arguments[i], &word);
        disassemble_word(word, rotated, form);
    }
    return 0;
}

struct how {
    enum tensix_text form;
    bool rotated;
};

static bool set(void *context, const struct command_option *option, const char *value, const char *second)
{
    struct how *how = context;
    if (strcmp(option->name, "compact") == 0) {
        how->form |= TENSIX_TEXT_COMPACT;
    } else {
        how->rotated = true;
    }
    return true;
}

static int start(int argc, char **argv)
{
    struct how how = {.form = TENSIX_TEXT_COMMENT};
    const struct command_line line = {.command = &command_disasm, .least = 1, .set = set, .context = &how};
    int code;
    if (!command_read(&line, argc, argv, &code)) {
        return code;
    }
    int first = optind;
    if (argc - first == 1 && (strcmp(argv[first], "-") == 0 || access(argv[first], F_OK) == 0)) {
        return disassemble_file(argv[first], how.rotated, how.form);
    }
    return disassemble_words(argc - first, argv + first, how.rotated, how.form);
}

static const struct command_option options[] = {
    {"compact", NULL, "print instructions as the vendor's toolchain does: ttmvmul 0,0,1,0", 0, false},
    {"rotated", NULL, "take words as they are in a RISC-V program (.ttinsn): rotated left by 2", 0, false},
    {},
};
static const struct command_option *const lists[] = {options, NULL};

const struct command command_disasm = {
    .name = "disasm",
    .summary = "disassemble Tensix words, binaries and RISC-V ELF files",
    .usage = "[OPTION...] FILE\n[OPTION...] -\n[OPTION...] WORD...",
    .description =
        "Disassembles Tensix words, given in hexadecimal or as a raw little-endian binary, or the executable sections "
        "of a RISC-V ELF file with the Tensix instructions in it; - reads standard input.",
    .lists = lists,
    .operand = OPERAND_FILES,
    .run = start,
};
