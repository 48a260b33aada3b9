/* Text, words and ELF files as input of the commands bhemu asm, disasm, isa. Their output is discarded. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../apps/bhemu/commands.h"
#include "fuzz.h"
#include "memory_file.h"
#include "silence.h"

enum { ARGUMENTS = 6, TEXT = 1 << 12 };

struct invocation {
    const struct command *command;
    const char *options[3];
    bool file; /* the rest is the contents of a file, otherwise an argument */
};

static const struct invocation invocations[] = {
    {&command_asm, {"asm"}, true},
    {&command_asm, {"asm", "--rotate"}, false},
    {&command_disasm, {"disasm"}, true},
    {&command_disasm, {"disasm", "--compact"}, true},
    {&command_disasm, {"disasm", "--compact", "--rotated"}, true},
    {&command_disasm, {"disasm"}, false},
    {&command_isa, {"isa"}, false},
};

void fuzz_text(const uint8_t *bytes, size_t size)
{
    if (size == 0) {
        return;
    }
    const struct invocation *invocation = &invocations[*bytes++ % (sizeof invocations / sizeof invocations[0])];
    char *argv[ARGUMENTS] = {NULL}, *argument = strndup((const char *)bytes, --size < TEXT ? size : TEXT);
    struct memory_file file = open_memory(bytes, size);
    int argc = 0;
    if (!argument) {
        abort();
    }
    for (unsigned i = 0; i < 3 && invocation->options[i]; i++) {
        argv[argc++] = (char *)(uintptr_t)invocation->options[i];
    }
    argv[argc++] = invocation->file ? file.path : argument;
    if (strcmp(argv[argc - 1], "-") != 0) { /* the standard input would be waited for */
        struct silence silence = be_silent();
        (void)invocation->command->run(argc, argv);
        end_silence(silence);
    }
    close(file.descriptor);
    free(argument);
}
