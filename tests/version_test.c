/* bhemu --version and --color: which bhemu it is, also without git, and where colours are. */
#include "host/files.h"
#include "host/process.h"

static char output[1 << 16];

static int shell(const char *script)
{
    char command[4096];
    snprintf(command, sizeof command, "exec 2>&1; unset NO_COLOR; export TERM=xterm; cd %s; PATH=%s:$PATH; %s",
             BHEMU_SOURCE_DIR, BHEMU_BUILD_DIR, script);
    return run_in_shell(command, output, sizeof output);
}

static void version_has_build_and_vectors(void **context)
{
    assert_int_equal(shell("bhemu --version"), 0);
    assert_memory_equal(output, "bhemu 0.", strlen("bhemu 0."));
    assert_contains(output, "\nbuild: ");
    assert_contains(output, "\nvector instructions: ");
}

/* What cmake/commit.cmake says of a copy of the sources: at the root of a repository, within one, and in none. */
static void commits_are_of_the_sources_own_repository(void **context)
{
    const struct folder *folder = *context;
    char script[4000];
    snprintf(
        script, sizeof script,
        "cd %s; mkdir -p all/bhemu; touch -d '2025-03-04 12:00 UTC' all/bhemu/CMakeLists.txt; export HOME=$PWD "
        "GIT_CEILING_DIRECTORIES=$PWD TZ=UTC; commit() { cmake -DSOURCE=$PWD/$1 -DTO=$PWD/commit.h -P " BHEMU_SOURCE_DIR
        "/cmake/commit.cmake && cat commit.h; }; one() { cd all$1; git init -q; "
        "git -c user.name=n -c user.email=e commit -q --allow-empty -m m --date=2024-01-02 && git tag v$2; cd $OLDPWD; "
        "}; "
        "export GIT_COMMITTER_DATE=2024-01-02T00:00:00Z; commit all/bhemu; one '' 1; commit all/bhemu; "
        "one /bhemu 2; commit all/bhemu; rm -rf all",
        folder->path);
    if (shell("command -v git >/dev/null") != 0) {
        skip();
    }
    assert_int_equal(shell(script), 0);
    assert_string_equal(output, "#define BHEMU_COMMIT \"\"\n#define BHEMU_DAY \"2025-03-04\"\n"
                                "#define BHEMU_COMMIT \"\"\n#define BHEMU_DAY \"2025-03-04\"\n"
                                "#define BHEMU_COMMIT \"v2\"\n#define BHEMU_DAY \"2024-01-02\"\n");
}

#define RED "\033[1;31m"
#define END "\033[0m"

static void colours_are_where_they_are_wanted(void **context)
{
    static const char begins[] = RED "bhemu:" END " no.yaml: No such file";
    assert_int_equal(shell("bhemu run no.yaml"), 2); /* into a pipe */
    assert_contains(output, "bhemu: no.yaml: No such file");
    assert_int_equal(shell("bhemu run --color=always no.yaml"), 2);
    assert_contains(output, begins);
    assert_int_equal(shell("NO_COLOR=1 bhemu run --color=always no.yaml"), 2);
    assert_contains(output, begins);
    assert_int_equal(shell("bhemu run --color=blue no.yaml"), 2);
    assert_contains(output, "--color: 'blue' is none of auto, always, never\n");
    if (shell("command -v script >/dev/null") != 0) {
        skip();
    }
    shell("script -qc 'bhemu run no.yaml' /dev/null </dev/null"); /* on a terminal */
    assert_contains(output, begins);
    static const char *const without[] = {"NO_COLOR=1 script -qc 'bhemu run no.yaml'",
                                          "TERM=dumb script -qc 'bhemu run no.yaml'",
                                          "script -qc 'bhemu run --color=never no.yaml'"};
    for (unsigned i = 0; i < sizeof without / sizeof *without; i++) {
        char script[300];
        snprintf(script, sizeof script, "%s /dev/null </dev/null", without[i]);
        shell(script);
        assert_contains(output, "bhemu: no.yaml: No such file");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_has_build_and_vectors),
        FOLDER_TEST(commits_are_of_the_sources_own_repository),
        cmocka_unit_test(colours_are_where_they_are_wanted),
    };
    return cmocka_run_group_tests_name("version", tests, NULL, NULL);
}
