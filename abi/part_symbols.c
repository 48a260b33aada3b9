/* BHEMU_SYMBOLS=FOLDER[:FOLDER...]: the ELFs of the programs that the host loads (bhemu/symbols.h). Diagnostics,
   traces, profiles, dumps, the checker and gdb then have their source lines. */
#include <stdlib.h>

#include "libdw_calls.h"
#include "part.h"

static void begin(struct abi *abi)
{
    const char *folders = getenv("BHEMU_SYMBOLS");
    struct bh_error error;
    if (!folders || !*folders) {
        return;
    }
    const char *missing = libdw_load();
    if (missing) {
        abi_fail("ConfigurationError", "BHEMU_SYMBOLS needs libdw.so.1 of elfutils (Debian: package libdw1): %s",
                 missing);
    }
    if (bh_symbols_open(folders, &abi->symbols, &error) != BH_OK) {
        abi_fail("ConfigurationError", "BHEMU_SYMBOLS: %s", error.text);
    }
}

static void end(struct abi *abi)
{
    bh_symbols_close(abi->symbols);
    abi->symbols = NULL;
}

bool symbols_source(void *context, unsigned x, unsigned y, const struct bh_place *place, char *buffer, unsigned size)
{
    struct abi *abi = context;
    return bh_symbols_source(abi->symbols, abi->device, x, y, place, buffer, size);
}

unsigned symbols_program(void *context, unsigned x, unsigned y, const struct bh_place *place)
{
    struct abi *abi = context;
    return bh_symbols_program(abi->symbols, abi->device, x, y, place);
}

bool symbols_program_source(void *context, unsigned program, const struct bh_place *place, char *buffer, unsigned size)
{
    struct abi *abi = context;
    return bh_symbols_program_source(abi->symbols, program, place, buffer, size);
}

const struct abi_part abi_symbols_part = {begin, end};
