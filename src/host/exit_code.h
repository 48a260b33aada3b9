/* What a process of the project's commands ends with: the one list of exit codes, from which their help, the manual
   pages and docs/command.md come. */
#ifndef BHEMU_HOST_EXIT_CODE_H
#define BHEMU_HOST_EXIT_CODE_H

#include "bhemu/device.h"

/* Name, number, meaning; of several jobs the one that comes last here counts. */
#define EXIT_CODES(X)                                                                                                  \
    X(EXIT_DONE, 0, "all jobs ended well, and all outputs are as expected")                                            \
    X(EXIT_FINDINGS, 3, "all outputs are as expected, but --check has found something")                                \
    X(EXIT_DIFFERENT, 1, "an output differs from what is expected, or from another run that was compared")             \
    X(EXIT_ENDLESS, 5, "a program did not end: a deadlock, or the limit of cycles")                                    \
    X(EXIT_STOPPED, 4, "an error stopped a program; the diagnostic names the program and the place")                   \
    X(EXIT_WRONG, 2, "the command line is wrong, or a file that it or a job names is wrong or missing")                \
    X(EXIT_HOST_FAILED, 6, "the host failed: no memory, a file cannot be written, a process was lost")

enum exit_code {
#define EXIT_CODE(name, number, meaning) name = (number),
    EXIT_CODES(EXIT_CODE)
#undef EXIT_CODE
        EXIT_SIGNAL = 128 /* and the number of the signal that interrupted it */
};

enum { EXIT_CODE_COUNT = 7 };

struct exit_code_meaning {
    enum exit_code code;
    const char *meaning;
};

/* In the order of the numbers, and behind them 130 and 143, of signals. */
extern const struct exit_code_meaning exit_code_meanings[EXIT_CODE_COUNT + 2];

/* Of a call that is no run, or before one. */
enum exit_code exit_code_of_status(enum bh_status status);

/* Of a run: by `result` a deadlock is told from an error, and a file that could not be read from one that could not be
   written. */
enum exit_code exit_code_of_run(enum bh_status status, const struct bh_run_result *result);

/* The one of two that counts. Those of signals are the worst. */
int exit_code_worse(int one, int other);

#endif
