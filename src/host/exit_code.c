#include "host/exit_code.h"

#include <signal.h>

#include "util/bits.h"

static const struct exit_code_meaning by_severity[] = {
#define EXIT_CODE(name, number, meaning) {name, meaning},
    EXIT_CODES(EXIT_CODE)
#undef EXIT_CODE
};
_Static_assert(COUNT_OF(by_severity) == EXIT_CODE_COUNT, "the number of exit codes");

const struct exit_code_meaning exit_code_meanings[EXIT_CODE_COUNT + 2] = {
#define EXIT_CODE(name, number, meaning) [number] = {name, meaning},
    EXIT_CODES(EXIT_CODE)
#undef EXIT_CODE
        [EXIT_CODE_COUNT] = {EXIT_SIGNAL + SIGINT, "interrupted by SIGINT (^C)"},
    {EXIT_SIGNAL + SIGTERM, "interrupted by SIGTERM"},
};

enum exit_code exit_code_of_status(enum bh_status status)
{
    switch (status) {
    case BH_OK: return EXIT_DONE;
    case BH_ERROR_MEMORY:
    case BH_ERROR_LOST: return EXIT_HOST_FAILED;
    case BH_ERROR_STOPPED: return EXIT_STOPPED;
    default: return EXIT_WRONG;
    }
}

enum exit_code exit_code_of_run(enum bh_status status, const struct bh_run_result *result)
{
    if (status == BH_ERROR_STOPPED && result->reason != BH_RAN_STOPPED) {
        return EXIT_ENDLESS;
    }
    return status == BH_ERROR_IO && result->cycles ? EXIT_HOST_FAILED : exit_code_of_status(status);
}

static unsigned severity(int code)
{
    unsigned i = 0;
    while (i < EXIT_CODE_COUNT && (int)by_severity[i].code != code) {
        i++;
    }
    return i;
}

int exit_code_worse(int one, int other)
{
    return severity(one) >= severity(other) ? one : other;
}
