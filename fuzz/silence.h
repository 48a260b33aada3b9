/* Redirects output to nowhere for a while. */
#ifndef BHEMU_FUZZ_SILENCE_H
#define BHEMU_FUZZ_SILENCE_H

#include <stdio.h>
#include <stdlib.h>

struct silence {
    FILE *output, *errors;
};

static inline struct silence be_silent(void)
{
    static FILE *nowhere;
    if (!nowhere && !(nowhere = fopen("/dev/null", "w"))) {
        abort();
    }
    struct silence silence = {stdout, stderr};
    stdout = nowhere;
    stderr = nowhere;
    return silence;
}

static inline void end_silence(struct silence silence)
{
    stdout = silence.output;
    stderr = silence.errors;
}

#endif
