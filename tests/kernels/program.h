/* Programs of the project's kernels for tests that drive them through the public C API. */
#ifndef BHEMU_TESTS_KERNELS_PROGRAM_H
#define BHEMU_TESTS_KERNELS_PROGRAM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "bhemu/device.h"
#include "bhemu/program.h"

#include "../../kernels/runtime/layout.h"

enum { T_CORES = 3 };

static inline void print_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    char line[1024];
    (void)context;
    bh_diagnostic_format(diagnostic, line, sizeof line);
    print_message("# %s\n", line);
}

/* BHEMU_MODE=timed: for its `mode`. */
static inline enum bh_mode mode_from_environment(void)
{
    enum bh_mode mode = BH_MODE_FUNCTIONAL;
    (void)bh_mode_by_name(getenv("BHEMU_MODE"), &mode);
    return mode;
}

/* BHEMU_VERIFY=1: for struct bh_device_config's `verify`. */
static inline bool verify_from_environment(void)
{
    const char *text = getenv("BHEMU_VERIFY");
    return text && *text == '1';
}

/* Loads NAME.elf of the kernels for a core; false when there is none. *entry may be null. */
static inline bool load_program(struct bh_device *device, unsigned x, unsigned y, enum bh_core core, const char *name,
                                uint32_t *entry)
{
    char path[4096];
    struct bh_error error = {};
    snprintf(path, sizeof path, BHEMU_BUILD_DIR "/kernels/%s.elf", name);
    if (access(path, R_OK) != 0) {
        return false;
    }
    if (bh_load_elf(device, x, y, core, path, entry, &error) != BH_OK) {
        fail_msg("%s", error.text);
    }
    return true;
}

/* The same, and starts it; skips the test where the kernels are not built. */
static inline void start_program(struct bh_device *device, unsigned x, unsigned y, enum bh_core core, const char *name)
{
    uint32_t entry;
    if (!load_program(device, x, y, core, name, &entry)) {
        skip();
    }
    assert_int_equal(bh_core_start(device, x, y, core, entry), BH_OK);
}

/* As before T0, T1 and T2 have run. */
static inline void clear_completion(struct bh_device *device, unsigned x, unsigned y)
{
    const uint32_t completion[1 + T_CORES] = {0};
    assert_int_equal(bh_write(device, x, y, LAYOUT_COMPLETION, completion, sizeof completion), BH_OK);
}

/* Runs until T0, T1 and T2 have ended their programs. */
static inline void run_to_completion(struct bh_device *device, unsigned x, unsigned y)
{
    enum { CYCLES_AT_A_TIME = 2000, RUNS_MAX = 10000 };
    uint32_t completion[1 + T_CORES];
    for (unsigned i = 0; i < RUNS_MAX; i++) {
        assert_int_equal(bh_run(device, CYCLES_AT_A_TIME, NULL), BH_OK);
        assert_int_equal(bh_read(device, x, y, LAYOUT_COMPLETION, completion, sizeof completion), BH_OK);
        if (completion[1] == COMPLETION_DONE && completion[2] == COMPLETION_DONE && completion[3] == COMPLETION_DONE) {
            return;
        }
    }
    fail_msg("the programs of tile (%u,%u) do not end", x, y);
}

#endif
