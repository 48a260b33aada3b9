/* bhemu disasm: words, binaries and ELF files to text. */
#include "disasm.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "file.h"
#include "isa/rv32_text.h"
#include "isa/tensix_table.h"

static const char usage[] = "usage: bhemu disasm [--compact] [--rotated] FILE | - | WORD...\n"
                            "\n"
                            "Disassembles Tensix words, given in hexadecimal or as a raw little-endian binary, or the "
                            "executable sections of a\n"
                            "RISC-V ELF file with the Tensix instructions in it.\n"
                            "  --compact  as the vendor's toolchain lists it: ttmvmul 0,0,1,0\n"
                            "  --rotated  words as they stand in a RISC-V program (.ttinsn): rotated left by 2\n";

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
        return 1;
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
        return 1;
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
            return 1;
        }
    }
    for (int i = 0; i < count; i++) {
        parse_word(arguments[i], &word);
        disassemble_word(word, rotated, form);
    }
    return 0;
}

int command_disasm(int argc, char **argv)
{
    enum tensix_text form = TENSIX_TEXT_COMMENT;
    bool rotated = false;
    int first = 1;
    for (; first < argc && argv[first][0] == '-' && argv[first][1]; first++) {
        if (strcmp(argv[first], "--compact") == 0) {
            form |= TENSIX_TEXT_COMPACT;
        } else if (strcmp(argv[first], "--rotated") == 0) {
            rotated = true;
        } else if (strcmp(argv[first], "--help") == 0) {
            fputs(usage, stdout);
            return 0;
        } else {
            fprintf(stderr, "bhemu disasm: no option is named '%s'\n", argv[first]);
            return EXIT_USAGE;
        }
    }
    if (first == argc) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    if (argc - first == 1 && (strcmp(argv[first], "-") == 0 || access(argv[first], F_OK) == 0)) {
        return disassemble_file(argv[first], rotated, form);
    }
    return disassemble_words(argc - first, argv + first, rotated, form);
}
