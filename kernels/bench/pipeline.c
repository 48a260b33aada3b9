/* bench, NC, T0 and B: pages from DRAM to DRAM. NC reads them into a circular buffer, T0 copies them to another one, B
   writes them; each waits for every page, as simple readers and writers do. */
#include "bench/core.h"
#include "circular_buffer.h"
#include "noc.h"

enum { STREAM_IN = 0, STREAM_OUT = 1, CAPACITY = 8, PAGES = 64, DRAM_COLUMN = 17 };
enum { TO_COPY = LAYOUT_BUFFERS, TO_WRITE = TO_COPY + CAPACITY * TILE_SIZE, OUTPUTS = 0x2000000 };

/* A page of this tile's own in one of four channels of DRAM, reached by NoC `column` - DRAM_COLUMN. */
static struct noc_place page_at(const struct noc *noc, uint32_t column, uint32_t base, uint32_t page)
{
    uint32_t x = noc->self & 0x3f, y = noc->self >> 6;
    return (struct noc_place){column | (12 + x % 4 * 3) << 6, base + ((y * 17 + x) * PAGES + page % PAGES) * TILE_SIZE};
}

static void read_pages(uint32_t pages)
{
    struct noc noc = noc_open(0);
    struct circular_buffer in = {STREAM_IN, TO_COPY, CAPACITY, 0, 0};
    for (uint32_t page = 0; page < pages; page++) {
        reserve_back(&in, 1);
        noc_read(&noc, page_at(&noc, DRAM_COLUMN, 0, page), tile_address(&in, 0), TILE_SIZE);
        noc_wait(&noc, NOC_RD_RESP_RECEIVED);
        push_back(&in, 1);
    }
}

static void copy_pages(uint32_t pages)
{
    struct circular_buffer in = {STREAM_IN, TO_COPY, CAPACITY, 0, 0}, out = {STREAM_OUT, TO_WRITE, CAPACITY, 0, 0};
    for (uint32_t page = 0; page < pages; page++) {
        wait_front(&in, 1);
        reserve_back(&out, 1);
        copy_tile(tile_address(&out, 0), tile_address(&in, 0));
        pop_front(&in, 1);
        push_back(&out, 1);
    }
}

static void write_pages(uint32_t pages)
{
    struct noc noc = noc_open(1);
    struct circular_buffer out = {STREAM_OUT, TO_WRITE, CAPACITY, 0, 0};
    for (uint32_t page = 0; page < pages; page++) {
        wait_front(&out, 1);
        noc_write(&noc, tile_address(&out, 0), page_at(&noc, DRAM_COLUMN + 1, OUTPUTS, page), TILE_SIZE);
        noc_wait(&noc, NOC_WR_ACK_RECEIVED);
        pop_front(&out, 1);
    }
}

void kernel_main(void)
{
    uint32_t pages = arguments()->rows;
    if (bench_core == KERNEL_BRISC) {
        write_pages(pages);
    } else if (bench_core == KERNEL_TRISC0) {
        copy_pages(pages);
    } else {
        read_pages(pages);
    }
}
