/* Instructions of the vector unit with one operand, on a sample of all 2^32 values: emulator, model, and recorded
   results agree. exhaustive_all.c does the same with all values. */
#include <stdio.h>

#include "exhaustive.h"
#include "isa/tensix_text.h"

static const struct exhaustive_operands sample = {0, EXHAUSTIVE_STRIDE, EXHAUSTIVE_SAMPLE};

static void every_instruction_computes_what_was_recorded(void **state)
{
    struct exhaustive *run = exhaustive_create();
    for (unsigned i = 0; i < EXHAUSTIVE_CASES; i++) {
        const struct exhaustive_case *test = &exhaustive_cases[i];
        char text[TENSIX_TEXT_SIZE];
        uint64_t digest = 0;
        tensix_disassemble(test->word, TENSIX_TEXT_COMPACT, text, sizeof text);
        uint32_t done = exhaustive_digest(run, test, sample, &digest);
        if (done != sample.count) {
            fail_msg("%s: the emulator and the model differ for one of 32 operands from 0x%08x on, in steps of %u",
                     text, sample.first + sample.stride * done, sample.stride);
        }
        if (digest != test->sample) {
            fail_msg("%s: digest 0x%016llx, recorded was 0x%016llx", text, (unsigned long long)digest,
                     (unsigned long long)test->sample);
        }
    }
    exhaustive_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_instruction_computes_what_was_recorded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
