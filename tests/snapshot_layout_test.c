/* What is copied to snapshots is plain data, and all of it; its layout is the one that files say they have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "chip/device_state.h"
#include "noc/traffic.h"
#include "snapshot_layout.h"

/* Keeps the structs in this file's debugging information. */
const struct bh_device *the_device;
const struct flight *the_flight;
const struct traffic *the_traffic;

static void refuse_pointer(void *context, const struct layout_leaf *leaf)
{
    if (leaf->pointer) {
        print_error("%s.%s is a pointer\n", *(const char **)context, leaf->path);
        *(const char **)context = NULL;
    }
}

static void states_have_no_pointers(void **context)
{
    static const char *const names[] = {
        "tile_state", "absent_tile", "niu_window",     "noc_translation", "diagnostics", "tile_schedule", "tile_plain",
        "overlay",    "classifier",  "ethernet_timer", "noc_outbox",      "rv32_core",   "arc_manager",   "pcie_config",
        "tlb",        "iatu",        "pcie_dma"};
    struct layout layout;
    assert_true(layout_open(&layout));
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const char *name = names[i];
        assert_true(layout_of(&layout, names[i], refuse_pointer, &name) > 0);
        assert_non_null(name);
    }
    layout_close(&layout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(states_have_no_pointers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
