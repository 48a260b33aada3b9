/* BHEMU_GDB=PORT: a debugger for the cores of the tiles of BHEMU_TILES (bhemu/gdb.h). The device stands still in the
   first libttsim_clock() until gdb has connected and lets it go on; gdb is served while the host calls that. */
#include <stdio.h>
#include <stdlib.h>

#include "bhemu/gdb.h"
#include "part.h"

enum { MAXIMUM_PORT = 65535 };

static struct bh_gdb *gdb;

static bool program_at(void *context, unsigned x, unsigned y, const struct bh_place *place, char *path, unsigned size,
                       uint32_t *moved)
{
    struct abi *abi = context;
    struct bh_symbols_program program;
    if (!bh_symbols_describe(abi->symbols, bh_symbols_program(abi->symbols, abi->device, x, y, place), &program)) {
        return false;
    }
    *moved = program.address - program.linked;
    return snprintf(path, size, "%s", program.path) < (int)size;
}

static void begin(struct abi *abi)
{
    const char *text = getenv("BHEMU_GDB");
    char *end;
    struct bh_tile tiles[ABI_MAXIMUM_TILES];
    struct bh_error error;
    abi->debugs = false;
    if (!text || !*text) {
        return;
    }
    unsigned long port = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || port > MAXIMUM_PORT) {
        abi_fail("ConfigurationError", "BHEMU_GDB is \"%s\"; it may be a port, 0 to %d", text, MAXIMUM_PORT);
    }
    const struct bh_gdb_options wanted = {.port = (unsigned)port,
                                          .tiles = tiles,
                                          .tile_count = tiles_from_environment(tiles),
                                          .program = abi->symbols ? program_at : NULL,
                                          .context = abi};
    if (!wanted.tile_count) {
        abi_fail("ConfigurationError", "BHEMU_GDB needs BHEMU_TILES: the tiles whose cores are debugged, such as 1-2");
    }
    if (bh_gdb_open(&wanted, &gdb, &error) != BH_OK || bh_gdb_attach(gdb, abi->device, &error) != BH_OK) {
        abi_fail("ConfigurationError", "BHEMU_GDB: %s", error.text);
    }
    fprintf(stderr, "libttsim: gdb: target remote 127.0.0.1:%u\n", bh_gdb_port(gdb));
    abi->debugs = true;
}

static void end(struct abi *abi)
{
    abi->debugs = false;
    bh_gdb_detach(gdb, abi->ends);
    bh_gdb_close(gdb);
    gdb = NULL;
}

void gdb_serve(struct abi *abi)
{
    if (!bh_gdb_serve(gdb)) {
        abi_fail("Interrupted", "gdb has killed the program");
    }
}

const struct abi_part abi_gdb_part = {begin, end};
