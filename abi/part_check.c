/* BHEMU_CHECK=1 or BHEMU_CHECK=TOOLS: the checker (bhemu/check.h) watches the tiles of BHEMU_TILES. Findings go to
   stderr as they come, and with BHEMU_CHECK_REPORT=FILE to a file, as JSON; BHEMU_CHECK_SUPPRESS=FILE names some to
   leave out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu/check.h"
#include "bhemu/observer.h"
#include "host/metal_watch.h"
#include "part.h"

enum { TEXT_SIZE = 8000, SUMMARY_SIZE = 200, SUPPRESSIONS_SIZE = 1 << 16 };

static struct bh_check *check;                  /* once it watches */
static struct metal_watch *watch;               /* null: without memcheck */
static struct bh_tile tiles[ABI_MAXIMUM_TILES]; /* while it is open */

static uint32_t tool_of(const char *name, size_t length)
{
    for (unsigned i = 0; i < BH_CHECK_TOOLS; i++) {
        const char *known = bh_check_tool_name((enum bh_check_tool)i);
        if (strlen(known) == length && strncmp(known, name, length) == 0) {
            return BH_CHECK_TOOL_BIT(i);
        }
    }
    abi_fail("ConfigurationError",
             "BHEMU_CHECK: '%.*s' is neither 0 nor 1 nor one of racecheck, initcheck, memcheck, "
             "synccheck, with commas between",
             (int)length, name);
}

/* 0: the checker is off. */
static uint32_t tools_from_environment(void)
{
    const char *value = getenv("BHEMU_CHECK");
    uint32_t tools = 0;
    if (!value || !*value || strcmp(value, "0") == 0) {
        return 0;
    }
    if (strcmp(value, "1") == 0) {
        return BH_CHECK_ALL_TOOLS;
    }
    for (size_t length; *value; value += length + (value[length] == ',')) {
        length = strcspn(value, ",");
        tools |= tool_of(value, length);
    }
    return tools;
}

static void on_finding(void *context, const struct bh_check_finding *finding)
{
    char text[TEXT_SIZE];
    bh_check_format(check, finding, text, sizeof text);
    fputs(text, stderr);
}

static void suppress(struct bh_check *opened)
{
    const char *path = getenv("BHEMU_CHECK_SUPPRESS");
    static char text[SUPPRESSIONS_SIZE];
    if (!path || !*path) {
        return;
    }
    FILE *file = fopen(path, "r");
    size_t size = file ? fread(text, 1, sizeof text, file) : sizeof text;
    if (file) {
        (void)fclose(file);
    }
    if (size == sizeof text) {
        abi_fail("ConfigurationError", "BHEMU_CHECK_SUPPRESS: %s can not be read, or has more than 65535 bytes", path);
    }
    text[size] = 0;
    struct bh_error error;
    if (bh_check_suppress(opened, text, &error) != BH_OK) {
        abi_fail("ConfigurationError", "BHEMU_CHECK_SUPPRESS: %s: %s", path, error.text);
    }
}

static void begin(struct abi *abi)
{
    uint32_t tools = tools_from_environment();
    struct bh_check *opened;
    struct bh_error error;
    if (!tools) {
        return;
    }
    const struct bh_check_options options = {.mode = mode_from_environment(),
                                             .tools = tools,
                                             .tiles = tiles,
                                             .tile_count = tiles_from_environment(tiles),
                                             .on_finding = on_finding,
                                             .source = abi->symbols ? symbols_source : NULL,
                                             .context = abi};
    if (bh_check_open(&options, &opened, &error) != BH_OK) {
        abi_fail("ConfigurationError", "BHEMU_CHECK: no memory");
    }
    suppress(opened);
    if (tools & BH_CHECK_TOOL_BIT(BH_CHECK_MEMORY)) {
        watch = metal_watch_open(opened, tiles, options.tile_count);
        if (!watch || bh_device_add_observer(abi->device, metal_watch_observer(watch)) != BH_OK) {
            abi_fail("ConfigurationError", "BHEMU_CHECK: no memory, or BHEMU_TILES names a tile that is not there");
        }
    }
    if (bh_device_add_observer(abi->device, bh_check_observer(opened)) != BH_OK) {
        abi_fail("ConfigurationError", "BHEMU_CHECK: BHEMU_TILES names a tile that is not there");
    }
    check = opened;
}

static void end(struct abi *abi)
{
    const char *path = getenv("BHEMU_CHECK_REPORT");
    struct bh_error error;
    if (!check) {
        return;
    }
    if ((abi->ends ? bh_check_stop(check) : bh_check_end(check)) != BH_OK) {
        fputs("libttsim: warning: BHEMU_CHECK: no memory; findings may be missing\n", stderr);
    }
    char text[SUMMARY_SIZE];
    bh_check_format_count(check, text, sizeof text);
    fputs(text, stderr);
    if (path && *path && bh_check_write(check, path, &error) != BH_OK) {
        fprintf(stderr, "libttsim: warning: BHEMU_CHECK_REPORT: %s\n", error.text);
    }
    bh_check_close(check);
    metal_watch_close(watch);
    check = NULL;
    watch = NULL;
}

const struct abi_part abi_check_part = {begin, end};
