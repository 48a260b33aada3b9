/* BHEMU_DUMP=WHAT[:FILE][;WHAT[:FILE]...]: the state of the tiles of BHEMU_TILES when the device is left, or when a
   violation ends the process (bhemu/dump.h), as text to FILE or stderr, or as JSON or NumPy's arrays by FILE's ending.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu/dump.h"
#include "part.h"

enum { DUMPS = 16, TEXT_SIZE = 4000 };

static struct {
    char text[TEXT_SIZE]; /* which the dumps point into */
    struct {
        const char *request, *path; /* path null: stderr */
        FILE *file;                 /* that is open; null: stderr */
        enum bh_dump_form form;
    } dumps[DUMPS];
    unsigned count;
    struct bh_tile tiles[ABI_MAXIMUM_TILES];
    unsigned tile_count;
} dumping;

static enum bh_dump_form form_of(const char *path)
{
    const char *ending = path ? strrchr(path, '.') : NULL;
    return !ending                        ? BH_DUMP_TEXT
           : strcmp(ending, ".json") == 0 ? BH_DUMP_JSON
           : strcmp(ending, ".npy") == 0  ? BH_DUMP_NPY
                                          : BH_DUMP_TEXT;
}

static void add(char *request)
{
    char *colon = strchr(request, ':');
    struct bh_error error;
    unsigned i = dumping.count;
    if (i == DUMPS) {
        abi_fail("ConfigurationError", "BHEMU_DUMP has more than %d dumps", DUMPS);
    }
    if (colon) {
        *colon++ = 0;
    }
    dumping.dumps[i].request = request;
    dumping.dumps[i].path = colon;
    dumping.dumps[i].form = form_of(colon);
    dumping.dumps[i].file = NULL;
    if (bh_dump_check(request, form_of(colon), &error) != BH_OK) {
        abi_fail("ConfigurationError", "BHEMU_DUMP: %s", error.text);
    }
    if (form_of(colon) == BH_DUMP_NPY && dumping.tile_count != 1) {
        abi_fail("ConfigurationError", "BHEMU_DUMP: %s: a .npy file is of one tile: BHEMU_TILES names it", colon);
    }
    dumping.dumps[i].file = colon ? fopen(colon, "we") : NULL;
    if (colon && !dumping.dumps[i].file) {
        abi_fail("ConfigurationError", "BHEMU_DUMP: %s: %s", colon, strerror(errno));
    }
    dumping.count++;
}

static void begin(struct abi *abi)
{
    const char *text = getenv("BHEMU_DUMP");
    char *rest = NULL;
    dumping.count = 0;
    if (!text || !*text) {
        return;
    }
    if (strlen(text) >= sizeof dumping.text) {
        abi_fail("ConfigurationError", "BHEMU_DUMP is too long");
    }
    memcpy(dumping.text, text, strlen(text) + 1);
    dumping.tile_count = tiles_from_environment(dumping.tiles);
    for (char *request = strtok_r(dumping.text, ";", &rest); request; request = strtok_r(NULL, ";", &rest)) {
        add(request);
    }
}

static void write_bytes(void *context, const void *bytes, size_t size)
{
    fwrite(bytes, 1, size, context);
}

static void end(struct abi *abi)
{
    for (unsigned i = 0; i < dumping.count; i++) {
        const struct bh_dump dump = {.request = dumping.dumps[i].request,
                                     .form = dumping.dumps[i].form,
                                     .tiles = dumping.tiles,
                                     .tile_count = dumping.tile_count,
                                     .title = abi->ends ? "at a violation" : "at the end",
                                     .in_callback = abi->ends,
                                     .source = abi->symbols ? symbols_source : NULL,
                                     .source_context = abi};
        FILE *file = dumping.dumps[i].file ? dumping.dumps[i].file : stderr;
        struct bh_error error;
        enum bh_status status = bh_dump(abi->device, &dump, write_bytes, file, &error);
        bool failed = ferror(file);
        failed |= dumping.dumps[i].file && fclose(file) != 0;
        if (status != BH_OK || failed) {
            fprintf(stderr, "libttsim: warning: BHEMU_DUMP: %s\n",
                    status != BH_OK ? error.text : "not all could be written");
        }
    }
    dumping.count = 0;
}

const struct abi_part abi_dump_part = {begin, end};
