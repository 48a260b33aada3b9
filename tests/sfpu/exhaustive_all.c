/* Instructions of the vector unit with one operand, on all 2^32 values: `make exhaustive`. Takes about as many minutes
   as there are cases, divided by the number of processors. Arguments: numbers of the cases to run, else all. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "exhaustive.h"
#include "isa/tensix_text.h"

enum { MOST_THREADS = 64 };

struct work {
    pthread_mutex_t lock;
    unsigned cases[EXHAUSTIVE_CASES], count, next, failed;
};

/* Writes the result of a case to `text`; true if it is right. */
static bool check(struct exhaustive *run, const struct exhaustive_case *test, char *text, size_t size)
{
    uint64_t digest = 0;
    for (uint32_t i = 0; i < EXHAUSTIVE_SPANS; i++) {
        struct exhaustive_operands operands = {i * EXHAUSTIVE_SPAN, 1, EXHAUSTIVE_SPAN};
        uint64_t of_span = 0;
        uint32_t done = exhaustive_digest(run, test, operands, &of_span);
        if (done != operands.count) {
            snprintf(text, size, "the emulator and the model differ for one of 32 operands from 0x%08x on",
                     operands.first + done);
            return false;
        }
        digest = exhaustive_mix(digest, of_span);
    }
    snprintf(text, size, "digest 0x%016llx, recorded was 0x%016llx", (unsigned long long)digest,
             (unsigned long long)test->all);
    return digest == test->all;
}

static void report(struct work *work, unsigned number, bool passed, const char *text)
{
    char instruction[TENSIX_TEXT_SIZE];
    tensix_disassemble(exhaustive_cases[number].word, TENSIX_TEXT_COMPACT, instruction, sizeof instruction);
    pthread_mutex_lock(&work->lock);
    printf("%sok %u - %s: %s\n", passed ? "" : "not ", number, instruction, text);
    fflush(stdout);
    work->failed += !passed;
    pthread_mutex_unlock(&work->lock);
}

static void *run_cases(void *argument)
{
    struct work *work = argument;
    struct exhaustive *run = exhaustive_create();
    for (;;) {
        pthread_mutex_lock(&work->lock);
        unsigned i = work->next++;
        pthread_mutex_unlock(&work->lock);
        if (i >= work->count) {
            break;
        }
        char text[256];
        bool passed = check(run, &exhaustive_cases[work->cases[i]], text, sizeof text);
        report(work, work->cases[i], passed, text);
    }
    exhaustive_destroy(run);
    return NULL;
}

static bool choose_cases(struct work *work, int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        char *end;
        unsigned long number = strtoul(arguments[i], &end, 10);
        if (*end || end == arguments[i] || number >= EXHAUSTIVE_CASES || work->count == EXHAUSTIVE_CASES) {
            fprintf(stderr, "%s is not the number of a case: 0 to %d\n", arguments[i], EXHAUSTIVE_CASES - 1);
            return false;
        }
        work->cases[work->count++] = (unsigned)number;
    }
    if (!work->count) {
        for (; work->count < EXHAUSTIVE_CASES; work->count++) {
            work->cases[work->count] = work->count;
        }
    }
    return true;
}

int main(int argument_count, char **arguments)
{
    static struct work work = {.lock = PTHREAD_MUTEX_INITIALIZER};
    if (!choose_cases(&work, argument_count, arguments)) {
        return 2;
    }
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = processors < 1 ? 1 : processors > MOST_THREADS ? MOST_THREADS : (unsigned)processors;
    pthread_t started[MOST_THREADS];
    unsigned count = 0;
    while (count < threads - 1 && pthread_create(&started[count], NULL, run_cases, &work) == 0) {
        count++;
    }
    run_cases(&work);
    while (count) {
        pthread_join(started[--count], NULL);
    }
    printf("%u of %u cases passed\n", work.count - work.failed, work.count);
    return work.failed != 0;
}
