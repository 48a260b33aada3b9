/* scripts/check-l1: the sources pass; what it reports, on a made-up tree. */
#include "host/files.h"
#include "host/process.h"

static char output[1 << 14];

static void the_sources_reach_l1_by_accessors(void **context)
{
    (void)context;
    int status = run_in_shell(BHEMU_SOURCE_DIR "/scripts/check-l1 2>&1", output, sizeof output);
    if (status) {
        fail_msg("%s", output);
    }
}

/* A tree of four files, one of which has this line. Returns the exit code; `output` is what the check said. */
static int check(const char *file, const char *line)
{
    struct folder folder;
    char command[2048];
    make_folder(&folder);
    snprintf(command, sizeof command,
             "cd '%s' && mkdir -p src/memory src/tile src/rv32 src/tensix/units && "
             "touch src/memory/l1.h src/tile/tile.c src/rv32/rv32.c src/tensix/units/mover.c && echo '%s' >%s && "
             "{ '%s/scripts/check-l1' . 2>&1; status=$?; rm -rf '%s'; exit $status; }",
             folder.path, line, file, BHEMU_SOURCE_DIR, folder.path);
    return run_in_shell(command, output, sizeof output);
}

static void bytes_are_for_the_header_only(void **context)
{
    (void)context;
    assert_int_equal(check("src/memory/l1.h", "return l1->bytes + address;"), 0);
    assert_string_equal(output, "");
    assert_int_equal(check("src/rv32/rv32.c", "return rv32->l1->bytes + address;"), 1);
    assert_contains(output, "src/rv32/rv32.c:1:return rv32->l1->bytes + address;\ncheck-l1: L1 is reached through");
    assert_int_equal(check("src/tile/tile.c", "return tile->l1.bytes;"), 1);
    assert_int_equal(check("src/tile/tile_test.c", "return tile->l1.bytes;"), 0);
}

static void units_tell_who_accesses(void **context)
{
    (void)context;
    assert_int_equal(check("src/tensix/units/mover.c", "l1_store32(tensix->l1, address, 0);"), 1);
    assert_contains(output, "check-l1: units and tiles use the accessors that take an actor");
    assert_int_equal(check("src/tensix/units/mover.c", "l1_write32(tensix->l1, the_mover, address, 0);"), 0);
    assert_int_equal(check("src/rv32/rv32.c", "l1_store32(rv32->l1, address, 0);"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sources_reach_l1_by_accessors),
        cmocka_unit_test(bytes_are_for_the_header_only),
        cmocka_unit_test(units_tell_who_accesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
