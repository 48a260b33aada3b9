/* BHEMU_PRINT=1: what kernels print by the project's printf() (bhemu/print.h), on stdout; of the tiles of BHEMU_TILES.
 */
#include <stdio.h>

#include "bhemu/print.h"
#include "part.h"

static struct bh_print *print;

static void on_line(void *context, const struct bh_print_line *line)
{
    printf("%u-%u %s: %s\n", line->tile_x, line->tile_y, bh_core_name((enum bh_core)line->core), line->text);
    fflush(stdout);
}

static void begin(struct abi *abi)
{
    struct bh_tile tiles[ABI_MAXIMUM_TILES];
    if (!print_from_environment()) {
        return;
    }
    const struct bh_print_options options = {.on_line = on_line};
    unsigned count = tiles_from_environment(tiles);
    enum bh_status status = bh_print_open(abi->device, &options, &print);
    if (status == BH_OK && count == 0) {
        status = bh_print_add_all(print, 0, 0);
    }
    for (unsigned i = 0; i < count && status == BH_OK; i++) {
        status = bh_print_add_all(print, tiles[i].x, tiles[i].y);
    }
    if (status != BH_OK) {
        abi_fail("ConfigurationError", status == BH_ERROR_MEMORY
                                           ? "BHEMU_PRINT: there is no memory"
                                           : "BHEMU_PRINT: BHEMU_TILES names a tile that is not there");
    }
}

static void end(struct abi *abi)
{
    bh_print_close(print);
    print = NULL;
}

const struct abi_part abi_print_part = {begin, end};
