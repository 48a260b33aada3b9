/* Memory of B: its stack, its local RAM, L1, the code of another core, a buffer that the job names. */
#include "mistakes.h"

enum {
    WORDS = LAYOUT_TENSORS,
    COUNT = 8,
    OTHER_CODE = LAYOUT_NCRISC_CODE + 0x10,
    SCRATCH = WORDS + 0x100,
    COPY = WORDS + 0x200
};
enum { BUFFER = 0x2ff00, BUFFER_SIZE = 16, DEPTH = 3, TOO_DEEP = 24 };

#define WORD(address) (*(volatile uint32_t *)(address))

#ifdef PROGRAM_B

static volatile uint32_t table[768];

static __attribute__((noinline)) uint32_t add_up(uint32_t depth)
{                                       /* first: stack_into_data */
    volatile uint32_t frame[16];        /* first: stack_into_data */
    frame[0] = depth;                   /* first: stack_into_data */
    frame[15] = 1;                      /* first: stack_into_data */
    if (depth > 1) {                    /* first: stack_into_data */
        frame[15] += add_up(depth - 1); /* first: stack_into_data */
    }
    return frame[15];
}

static uint32_t local_ram(void)
{
    volatile uint32_t values[COUNT];
    for (uint32_t i = 0; i < (IS_MISTAKE(local_never_written) ? COUNT - 1 : COUNT); i++) {
        values[i] = i;
    }
    uint32_t sum = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        sum += values[i]; /* first: local_never_written */
    }
    return IS_MISTAKE(local_never_written) ? sum & 0 : sum;
}

static uint32_t l1(void)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        WORD(WORDS + 4 * i) = i;
    }
    uint32_t sum = 0;
    for (uint32_t i = 0; i < (IS_MISTAKE(l1_never_written) ? COUNT + 1 : COUNT); i++) {
        sum += WORD(WORDS + 4 * i); /* first: l1_never_written */
    }
    return sum;
}

void kernel_main(void)
{
    for (uint32_t i = 0; i < sizeof table / sizeof *table; i++) {
        table[i] = 0;
    }
    uint32_t depth = IS_MISTAKE(stack_into_data) ? TOO_DEEP : DEPTH;
    store_result(0, add_up(depth) - depth + local_ram());
    store_result(1, l1());

    /* A word of another core's code, which stays as it is. */
    uint32_t address = IS_MISTAKE(code_overwritten) ? OTHER_CODE : SCRATCH;
    uint32_t value = IS_MISTAKE(code_overwritten) ? WORD(OTHER_CODE) : 0;
    WORD(address) = value; /* first: code_overwritten */
    load_complete(&WORD(address));
    store_result(2, 0);
    store_result(3, 0);

    /* The result once more, over the NoC. */
    struct noc noc = noc_open(0);
    for (uint32_t i = 0; i < 8; i++) {
        WORD(SCRATCH + 4 * i) = i < 4 ? load_complete(&RESULT[i]) : 0;
    }
    load_complete(&WORD(SCRATCH + 28));
    struct noc_place self = {noc.self, BUFFER};
    /* first: behind_the_buffer */
    WRITE(&noc, SCRATCH, self, IS_MISTAKE(behind_the_buffer) ? 2 * BUFFER_SIZE : BUFFER_SIZE);
    noc_wait(&noc, NOC_WR_ACK_RECEIVED);

    /* Four words of code to where they are, or elsewhere. */
    for (uint32_t i = 0; i < 4; i++) {
        WORD(COPY + 4 * i) = WORD(OTHER_CODE + 4 * i);
    }
    load_complete(&WORD(COPY + 12));
    struct noc_place there = {noc.self, IS_MISTAKE(code_overwritten_by_noc) ? OTHER_CODE : SCRATCH};
    WRITE(&noc, COPY, there, 16); /* first: code_overwritten_by_noc */
    noc_wait(&noc, NOC_WR_ACK_RECEIVED);
}

#elif defined PROGRAM_NC

void kernel_main(void) {}

#endif
