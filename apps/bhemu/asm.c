/* bhemu asm: Tensix instructions to words. */
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "file.h"
#include "isa/tensix_table.h"
#include "isa/tensix_text.h"

struct words {
    uint32_t *words;
    size_t count, capacity;
    unsigned errors;
};

static bool append(struct words *words, uint32_t word)
{
    if (words->count == words->capacity) {
        size_t capacity = words->capacity ? 2 * words->capacity : 256;
        uint32_t *larger = realloc(words->words, capacity * sizeof *larger);
        if (!larger) {
            return false;
        }
        words->words = larger;
        words->capacity = capacity;
    }
    words->words[words->count++] = word;
    return true;
}

static void assemble(struct words *words, const char *text, const char *name, unsigned line)
{
    struct tensix_text_error error;
    uint32_t word;
    if (tensix_text_is_blank(text)) {
        return;
    }
    if (!tensix_assemble(text, &word, &error)) {
        fprintf(stderr, "%s:%u:%zu: %s\n", name, line, error.position + 1, error.text);
        words->errors++;
    } else if (!append(words, word)) {
        fprintf(stderr, "%s:%u: out of memory\n", name, line);
        words->errors++;
    }
}

/* Assembles the lines of `content`, which it modifies. */
static void assemble_lines(struct words *words, char *content, const char *name)
{
    unsigned line = 1;
    for (char *next; content; content = next, line++) {
        next = strchr(content, '\n');
        if (next) {
            *next++ = 0;
        }
        assemble(words, content, name, line);
    }
}

static bool assemble_file(struct words *words, const char *path)
{
    size_t size;
    char *content = file_read("asm", path, &size);
    if (!content) {
        return false;
    }
    if (memchr(content, 0, size)) {
        fprintf(stderr, "bhemu asm: %s: not a text file\n", path);
        free(content);
        return false;
    }
    assemble_lines(words, content, strcmp(path, "-") == 0 ? "<stdin>" : path);
    free(content);
    return true;
}

/* A lone argument that is neither a file nor begins as an instruction is most likely a mistyped path. */
static bool looks_like_path(const char *argument)
{
    size_t length = strcspn(argument, " \t(,");
    return !argument[length] && !tensix_by_name(argument);
}

static bool set(void *context, const struct command_option *option, const char *value, const char *second)
{
    *(bool *)context = true;
    return true;
}

static int start(int argc, char **argv)
{
    bool rotate = false;
    const struct command_line line = {.command = &command_asm, .least = 1, .set = set, .context = &rotate};
    int code;
    if (!command_read(&line, argc, argv, &code)) {
        return code;
    }
    int first = optind;
    struct words words = {};
    bool readable = true;
    if (argc - first == 1 && (strcmp(argv[first], "-") == 0 || access(argv[first], F_OK) == 0)) {
        readable = assemble_file(&words, argv[first]);
    } else if (argc - first == 1 && looks_like_path(argv[first])) {
        fprintf(stderr, "bhemu asm: %s: there is no such file, and no such instruction\n", argv[first]);
        readable = false;
    } else {
        for (int i = first; i < argc; i++) {
            assemble(&words, argv[i], "argument", (unsigned)(i - first + 1));
        }
    }
    if (readable && !words.errors) {
        for (size_t i = 0; i < words.count; i++) {
            printf("0x%08x\n", rotate ? tensix_to_inline(words.words[i]) : words.words[i]);
        }
    }
    free(words.words);
    return readable && !words.errors ? EXIT_DONE : EXIT_WRONG;
}

static const struct command_option options[] = {
    {"rotate", NULL, "print words as they are in a RISC-V program (.ttinsn): rotated left by 2", 0, false},
    {},
};
static const struct command_option *const lists[] = {options, NULL};

const struct command command_asm = {
    .name = "asm",
    .summary = "assemble Tensix instructions",
    .usage = "[OPTION...] FILE\n[OPTION...] -\n[OPTION...] INSTRUCTION...",
    .description =
        "Assembles Tensix instructions, one on each line, and prints their words in hexadecimal. INSTRUCTION is text "
        "such as 'MVMUL addr_mode=1, dst=4' or 'ttmvmul 0,0,1,4'; - reads standard input.",
    .lists = lists,
    .operand = OPERAND_FILES,
    .run = start,
};
