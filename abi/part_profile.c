/* BHEMU_PROFILE=FILE.html, .txt, .json or .folded: where the time of the tiles of BHEMU_TILES goes (bhemu/profile.h);
   with BHEMU_PROFILE_EVERY=N by samples. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu/observer.h"
#include "bhemu/profile.h"
#include "part.h"

static struct bh_profile *profile;
static enum bh_profile_format format;
static const char *path;
static uint64_t every;                          /* 0: all events */
static struct bh_tile tiles[ABI_MAXIMUM_TILES]; /* while the profile is open */

static bool choose_format(void)
{
    static const char *const endings[BH_PROFILE_FORMATS] = {
        [BH_PROFILE_TEXT] = ".txt",
        [BH_PROFILE_JSON] = ".json",
        [BH_PROFILE_HTML] = ".html",
        [BH_PROFILE_FOLDED] = ".folded",
    };
    const char *ending = strrchr(path, '.');
    for (int i = 0; ending && i < BH_PROFILE_FORMATS; i++) {
        if (strcmp(ending, endings[i]) == 0) {
            format = (enum bh_profile_format)i;
            return true;
        }
    }
    return false;
}

/* Whether the file can be written is known before the programs run. */
static void check_file(void)
{
    FILE *file = fopen(path, "we");
    if (!file) {
        abi_fail("ConfigurationError", "BHEMU_PROFILE: %s: %s", path, strerror(errno));
    }
    (void)fclose(file);
}

static void begin(struct abi *abi)
{
    struct bh_error error;
    path = getenv("BHEMU_PROFILE");
    if (!path || !*path) {
        return;
    }
    if (!choose_format()) {
        abi_fail("ConfigurationError", "BHEMU_PROFILE is \"%s\"; it may be FILE.html, .txt, .json or .folded", path);
    }
    check_file();
    every = clock_from_environment("BHEMU_PROFILE_EVERY");
    const struct bh_profile_options options = {
        .every = every,
        .tiles = tiles,
        .tile_count = tiles_from_environment(tiles),
        .mode = mode_from_environment(),
        .title = "libttsim.so",
        .program = abi->symbols ? symbols_program : NULL,
        .program_source = abi->symbols ? symbols_program_source : NULL,
        .context = abi,
    };
    if (bh_profile_open(&options, &profile, &error) != BH_OK) {
        abi_fail("ConfigurationError", "BHEMU_PROFILE: %s", error.text);
    }
    if (every && bh_profile_sample(profile, abi->device, &error) != BH_OK) {
        abi_fail("ConfigurationError", "BHEMU_PROFILE_EVERY: %s", error.text);
    }
    if (!every && bh_device_add_observer(abi->device, bh_profile_observer(profile)) != BH_OK) {
        abi_fail("ConfigurationError", "BHEMU_PROFILE: BHEMU_TILES names a tile that is not there");
    }
}

static void end(struct abi *abi)
{
    struct bh_error error;
    if (profile && (bh_profile_end(profile, bh_clock(abi->device), &error) != BH_OK ||
                    bh_profile_write(profile, format, path, &error) != BH_OK)) {
        fprintf(stderr, "libttsim: warning: BHEMU_PROFILE: %s\n", error.text);
    }
    bh_profile_close(profile);
    profile = NULL;
}

const struct abi_part abi_profile_part = {begin, end};
