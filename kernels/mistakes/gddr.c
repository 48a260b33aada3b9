/* The core of a DRAM tile: copies between GDDR and its L1, both ways. */
#include "gddr.h"
#include "mistakes.h"

enum { FROM = 0x100000, TO = 0x110000, COUNT = 16, SIZE = 4 * COUNT };
enum { STAGE = LAYOUT_BUFFERS, OUT = STAGE + 0x1000, BACK = STAGE + 0x2000 };

#define WORD(address) (*(volatile uint32_t *)(address))

/* Copies as gddr_read() and gddr_write() start them, in the line that says so. */
#define GDDR_READ(stream, from, to)                                                                                    \
    do {                                                                                                               \
        volatile uint32_t *registers = gddr_stream(stream);                                                            \
        registers[GDDR_READ_TRANSFER_SOURCE_LOW] = (from);                                                             \
        registers[GDDR_READ_TRANSFER_SOURCE_HIGH] = 0;                                                                 \
        registers[GDDR_READ_TRANSFER_DEST] = (to);                                                                     \
        registers[GDDR_TRANSFER_ATTRIBUTES] = GDDR_START_READ | SIZE / 16;                                             \
    } while (0)
#define GDDR_WRITE(stream, from, to)                                                                                   \
    do {                                                                                                               \
        volatile uint32_t *registers = gddr_stream(stream);                                                            \
        registers[GDDR_WRITE_TRANSFER_START_ADDR] = (from);                                                            \
        registers[GDDR_WRITE_DEST_ADDR_LOW] = (to);                                                                    \
        registers[GDDR_WRITE_DEST_ADDR_HIGH] = 0;                                                                      \
        registers[GDDR_TRANSFER_ATTRIBUTES] = GDDR_START_WRITE | SIZE / 16;                                            \
    } while (0)

static uint32_t sum_of(uint32_t address)
{
    uint32_t sum = 0;
    FENCE();
    for (uint32_t i = 0; i < COUNT; i++) {
        sum += WORD(address + 4 * i); /* second: gddr_read_not_awaited, gddr_other_stream_awaited */
    }
    return sum;
}

void kernel_main(void)
{
    GDDR_READ(0, FROM, STAGE); /* first: gddr_read_not_awaited, gddr_other_stream_awaited */
    ONLY_IF(gddr_other_stream_awaited) gddr_wait_reads(1, 0);
    UNLESS(gddr_read_not_awaited)
    {
        UNLESS(gddr_other_stream_awaited) gddr_wait_reads(0, 0);
    }
    uint32_t sum = sum_of(STAGE);
    gddr_wait_reads(0, 0);
    store_result(0, IS_MISTAKE(gddr_read_not_awaited) || IS_MISTAKE(gddr_other_stream_awaited) ? 136 : sum);

    for (uint32_t i = 0; i < COUNT; i++) {
        WORD(OUT + 4 * i) = 3 * i; /* first: gddr_source_not_read_back */
    }
    UNLESS(gddr_source_not_read_back) load_complete(&WORD(OUT + SIZE - 4));
    /* first: gddr_write_not_awaited, gddr_source_used_again second: gddr_source_not_read_back */
    GDDR_WRITE(0, OUT, TO);
    ONLY_IF(gddr_source_used_again) WORD(OUT) = 0; /* second: gddr_source_used_again */
    UNLESS(gddr_write_not_awaited) gddr_wait_writes(0);
    GDDR_READ(1, TO, BACK); /* second: gddr_write_not_awaited */
    gddr_wait_reads(1, 0);
    gddr_wait_writes(0);
    sum = sum_of(BACK);
    store_result(1, IS_MISTAKE(gddr_write_not_awaited) || IS_MISTAKE(gddr_source_not_read_back) ? 360 : sum);
    store_result(2, 0);
    store_result(3, 0);
}
