/* dram_feed, DRISC: while one page is on its way to the Tensix tile, the next one comes from GDDR. */
#include "feed.h"
#include "gddr.h"

/* Page by page, a tile of the one tensor and a tile of the other. */
static uint32_t source_of(const struct feed_arguments *arguments, uint32_t page)
{
    return (page % 2 ? arguments->input_b : arguments->input_a) + page / 2 * TILE_SIZE;
}

static uint32_t stage_of(uint32_t page)
{
    return FEED_STAGES + page % 2 * TILE_SIZE;
}

static uint32_t destination_of(uint32_t page)
{
    return LAYOUT_TENSORS + page % 2 * 0x20000 + page / 2 * TILE_SIZE;
}

static void push_pages(struct noc *noc, const struct feed_arguments *arguments)
{
    uint32_t pages = 2 * arguments->tiles;
    gddr_read(0, source_of(arguments, 0), stage_of(0), TILE_SIZE);
    for (uint32_t page = 0; page < pages; page++) {
        uint32_t next = page + 1;
        if (next < pages) {
            gddr_read(0, source_of(arguments, next), stage_of(next), TILE_SIZE);
        }
        gddr_wait_reads(0, next < pages);
        noc_write(noc, stage_of(page), (struct noc_place){arguments->other, destination_of(page)}, TILE_SIZE);
        noc_wait(noc, NOC_WR_ACK_RECEIVED);
    }
}

void kernel_main(void)
{
    struct feed_arguments arguments = *(const volatile struct feed_arguments *)FEED_ARGUMENTS;
    gddr_set_mode(0, 0);
    struct noc noc = noc_open(0);
    push_pages(&noc, &arguments);
    feed_signal(&noc, arguments.other);
    feed_wait();
    gddr_write(0, FEED_SUM, arguments.output, arguments.tiles * TILE_SIZE);
    gddr_wait_writes(0);
    gddr_set_mode(0, 1);
}
