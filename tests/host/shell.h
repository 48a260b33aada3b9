/* For tests of commands: a shell in the folder of the sources, and what it printed. */
#ifndef BHEMU_TESTS_HOST_SHELL_H
#define BHEMU_TESTS_HOST_SHELL_H

#include "files.h"
#include "process.h"

static char output[1 << 20]; /* of the last command, stderr too */

static inline int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Runs a command. Returns its exit code. */
static inline int shell(const char *format, ...)
{
    char text[4096], command[4300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(command, sizeof command, "exec 2>&1; cd " BHEMU_SOURCE_DIR " && %s", text);
    return run_in_shell(command, output, sizeof output);
}

static inline void succeeds(int code)
{
    if (code != 0) {
        fail_msg("%s", output);
    }
}

#define RUN BHEMU_BUILD_DIR "/bhemu run -q --no-progress "

#endif
