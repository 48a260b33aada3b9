/* BHEMU_LOG=FILE: a log of the instructions that the tiles of BHEMU_TILES execute (bhemu/log.h). */
#include <stdio.h>
#include <stdlib.h>

#include "bhemu/log.h"
#include "bhemu/observer.h"
#include "part.h"

static struct bh_log *file;
static struct bh_tile tiles[ABI_MAXIMUM_TILES]; /* while the log is open */

static void begin(struct abi *abi)
{
    const char *path = getenv("BHEMU_LOG");
    struct bh_error error;
    if (!path || !*path) {
        return;
    }
    const struct bh_log_options options = {.tiles = tiles,
                                           .tile_count = tiles_from_environment(tiles),
                                           .from = clock_from_environment("BHEMU_FROM"),
                                           .to = clock_from_environment("BHEMU_TO")};
    if (bh_log_open(path, &options, &file, &error) != BH_OK) {
        abi_fail("ConfigurationError", "BHEMU_LOG: %s", error.text);
    }
    if (bh_device_add_observer(abi->device, bh_log_observer(file)) != BH_OK) {
        abi_fail("ConfigurationError", "BHEMU_LOG: BHEMU_TILES names a tile that is not there");
    }
}

static void end(struct abi *abi)
{
    struct bh_error error;
    if (bh_log_close(file, &error) != BH_OK) {
        fprintf(stderr, "libttsim: warning: BHEMU_LOG: %s\n", error.text);
    }
    file = NULL;
}

const struct abi_part abi_log_part = {begin, end};
