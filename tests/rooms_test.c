/* scripts/check-rooms: no source file includes a header of a room above its own; and the accepted and reported
   includes in a made-up tree of three rooms. */
#include "host/files.h"
#include "host/process.h"

static char output[1 << 14];

/* Makes the tree, changes it with the command `edit`, and checks it. Returns the exit code; `output` is the check's
   output. */
static int check_after(const char *edit)
{
    struct folder folder;
    make_folder(&folder);
    char command[2048];
    snprintf(command, sizeof command,
             "cd '%s' && mkdir -p docs abi apps src/top src/tensix/inner && "
             "printf '| folder | what |\\n|---|---|\\n| `abi/` | |\\n| `src/top/` | `src/inner/` |\\n"
             "| `src/tensix/` | |\\n| `src/tensix/inner/` | |\\n' >docs/architecture.md && "
             "echo '#include \"tensix/inner/inner.h\"' >src/top/top.c && "
             "echo '#include \"bhemu/public.h\"' >src/tensix/inner/inner.h && "
             "{ %s; } && { '%s/scripts/check-rooms' . 2>&1; status=$?; rm -rf '%s'; exit $status; }",
             folder.path, edit, BHEMU_SOURCE_DIR, folder.path);
    return run_in_shell(command, output, sizeof output);
}

static void the_sources_keep_the_order(void **context)
{
    int status = run_in_shell(BHEMU_SOURCE_DIR "/scripts/check-rooms 2>&1", output, sizeof output);
    if (status) {
        fail_msg("%s", output);
    }
}

static void rooms_below_may_be_used(void **context)
{
    assert_int_equal(check_after("echo '#include \"top/top.h\"' >abi/abi.c"), 0);
    assert_string_equal(output, "");
}

static void rooms_above_may_not(void **context)
{
    assert_int_equal(check_after("echo '#include \"top/top.h\"' >src/tensix/tensix.c"), 1);
    assert_string_equal(output, "check-rooms: src/tensix/tensix.c includes top/top.h, of a room above it: src/top/\n");
    assert_int_equal(check_after("echo '  # include \"tensix/tensix.h\"' >>src/tensix/inner/inner.h"), 1);
    assert_string_equal(output, "check-rooms: src/tensix/inner/inner.h includes tensix/tensix.h, of a room above it: "
                                "src/tensix/\n");
}

static void tests_may_use_all(void **context)
{
    assert_int_equal(check_after("echo '#include \"top/top.h\"' | "
                                 "tee src/tensix/tensix_test.c src/tensix/fixture.h >src/tensix/tensix_fixture.h"),
                     0);
}

static void folders_have_rooms(void **context)
{
    assert_int_equal(check_after("mkdir src/attic && echo '#include \"top/top.h\"' >src/attic/old.c"), 1);
    assert_string_equal(output, "check-rooms: src/attic/old.c is in no room of the table\n");
    assert_int_equal(check_after("echo >docs/architecture.md"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sources_keep_the_order), cmocka_unit_test(rooms_below_may_be_used),
        cmocka_unit_test(rooms_above_may_not),        cmocka_unit_test(tests_may_use_all),
        cmocka_unit_test(folders_have_rooms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
