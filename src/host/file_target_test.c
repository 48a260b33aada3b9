/* Files are replaced as a whole, behind symbolic links, with the mode that they have; nothing else is. */
#include "host/file_target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[256];

static int set_up(void **state)
{
    snprintf(folder, sizeof folder, "%s/tests/target-XXXXXX", BHEMU_BUILD_DIR);
    return mkdtemp(folder) ? 0 : -1;
}

static const char *in_folder(const char *name)
{
    static char paths[4][1024];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* How many are in the folder. */
static unsigned count_entries(bool remove)
{
    unsigned count = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            count++;
            if (remove && unlink(in_folder(entry->d_name)) != 0) {
                rmdir(in_folder(entry->d_name));
            }
        }
    }
    closedir(directory);
    return count;
}

static int tear_down(void **state)
{
    count_entries(true);
    return rmdir(folder);
}

static void put(const char *name, const char *content, mode_t mode)
{
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
    assert_int_equal(chmod(in_folder(name), mode), 0);
}

static void holds(const char *name, const char *content)
{
    char found[64] = "";
    FILE *file = fopen(in_folder(name), "r");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = 0;
    fclose(file);
    assert_string_equal(found, content);
}

static mode_t mode_of(const char *name)
{
    struct stat about;
    assert_int_equal(lstat(in_folder(name), &about), 0);
    return about.st_mode;
}

static void writes(const char *path, const char *content)
{
    struct staged_file staged;
    struct bh_error error = {};
    if (stage_file(path, content, strlen(content), &staged, &error) != BH_OK || commit_file(&staged, &error) != BH_OK) {
        fail_msg("%s", error.text);
    }
}

static void refuses(const char *path, const char *cause)
{
    struct staged_file staged;
    struct bh_error error = {};
    unsigned before = count_entries(false);
    assert_int_equal(stage_file(path, "new", 3, &staged, &error), BH_ERROR_IO);
    discard_file(&staged);
    if (!strstr(error.text, cause)) {
        fail_msg("\"%s\" does not say \"%s\"", error.text, cause);
    }
    assert_int_equal(count_entries(false), before);
}

static void what_is_no_regular_file_stays_as_it_is(void **state)
{
    assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
    assert_int_equal(mkdir(in_folder("folder"), 0700), 0);
    assert_int_equal(symlink("/dev/full", in_folder("device")), 0);
    assert_int_equal(symlink("fifo", in_folder("to_fifo")), 0);
    assert_int_equal(symlink("loop", in_folder("loop")), 0);
    refuses("/dev/full", "is a character device; only a regular file can be written");
    refuses(in_folder("device"), "is a character device");
    refuses(in_folder("fifo"), "is a FIFO or a pipe");
    refuses(in_folder("to_fifo"), "is a FIFO or a pipe");
    refuses(in_folder("folder"), "Is a directory");
    refuses(in_folder("folder/"), "Is a directory");
    refuses(in_folder("new/"), "No such file or directory");
    refuses(in_folder("fifo/x"), "/fifo: Not a directory");
    refuses(in_folder("none/x"), "/none: No such file or directory");
    refuses(in_folder("loop"), strerror(ELOOP));
    assert_true(S_ISFIFO(mode_of("fifo")));
    struct stat about;
    assert_int_equal(stat("/dev/full", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
}

static void open_descriptors_are_followed_to_files_only(void **state)
{
    int channel[2];
    char path[64];
    assert_int_equal(pipe(channel), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", channel[1]);
    refuses(path, "is a FIFO or a pipe");
    close(channel[0]);
    close(channel[1]);
    put("gone", "old", 0600);
    int file = open(in_folder("gone"), O_RDWR);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    writes(path, "new");
    holds("gone", "new");
    close(file);
    file = open(in_folder("gone"), O_RDWR);
    unlink(in_folder("gone"));
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    refuses(path, "where it leads can not be found out");
    close(file);
}

/* As when two processes run the same job. */
static void a_file_that_another_process_replaces_can_be_written(void **state)
{
    enum { WRITES = 20000 };
    struct bh_error error;
    put("file", "old", 0600);
    pid_t other = fork();
    assert_true(other >= 0);
    while (other == 0) {
        put("other", "theirs", 0600);
        if (rename(in_folder("other"), in_folder("file")) != 0) {
            _exit(1);
        }
    }
    unsigned refused = 0;
    for (unsigned i = 0; i < WRITES; i++) {
        struct file_target target;
        refused += file_target_find(in_folder("file"), &target, &error) != BH_OK;
        file_target_free(&target);
    }
    assert_int_equal(kill(other, SIGKILL), 0);
    assert_int_equal(waitpid(other, NULL, 0), other);
    assert_int_equal(refused, 0);
}

static void symbolic_links_are_followed(void **state)
{
    put("file", "old", 0600);
    assert_int_equal(mkdir(in_folder("sub"), 0700), 0);
    assert_int_equal(symlink("file", in_folder("link")), 0);
    assert_int_equal(symlink("../link", in_folder("sub/up")), 0);
    writes(in_folder("sub/up"), "new");
    holds("file", "new");
    assert_true(S_ISLNK(mode_of("link")) && S_ISLNK(mode_of("sub/up")) && S_ISREG(mode_of("file")));
    assert_int_equal(symlink("sub/late", in_folder("early")), 0); /* to what is not there yet */
    writes(in_folder("early"), "first");
    holds("sub/late", "first");
    assert_true(S_ISLNK(mode_of("early")));
    unlink(in_folder("sub/late"));
    unlink(in_folder("sub/up"));
}

static void modes_are_kept(void **state)
{
    static const mode_t modes[] = {0600, 0640, 0666, 0755};
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
        put("file", "old", modes[i]);
        writes(in_folder("file"), "new");
        holds("file", "new");
        assert_int_equal(mode_of("file") & 07777, modes[i]);
    }
    mode_t before = umask(027);
    writes(in_folder("fresh"), "new");
    umask(before);
    assert_int_equal(mode_of("fresh") & 07777, 0640);
}

static void what_must_not_be_written_is_not_replaced(void **state)
{
    if (geteuid() == 0) {
        skip(); /* may write everything */
    }
    put("file", "old", 0400);
    refuses(in_folder("file"), "Permission denied");
    holds("file", "old");
    assert_int_equal(mkdir(in_folder("locked"), 0500), 0);
    refuses(in_folder("locked/x"), "no file can be created in ");
}

/* Long names leave no room for a suffix; several are staged together; what a killed run has left behind is in nobody's
   way. */
static void temporary_names_are_free(void **state)
{
    enum { FILES = 3, NAME_KEPT = 200 };
    char names[FILES][NAME_MAX + 1], left[NAME_MAX + 1];
    struct staged_file staged[FILES];
    for (unsigned i = 0; i < FILES; i++) {
        memset(names[i], 'x', NAME_MAX);
        names[i][NAME_MAX - 1] = (char)('0' + i);
        names[i][NAME_MAX] = 0;
    }
    snprintf(left, sizeof left, ".%.*s.%ld-0.tmp", NAME_KEPT, names[0], (long)getpid());
    put(left, "left", 0600);
    for (unsigned i = 0; i < FILES; i++) {
        assert_int_equal(stage_file(in_folder(names[i]), &names[i][NAME_MAX - 1], 1, &staged[i], NULL), BH_OK);
    }
    assert_int_equal(count_entries(false), FILES + 1);
    for (unsigned i = 0; i < FILES; i++) {
        assert_int_equal(commit_file(&staged[i], NULL), BH_OK);
        holds(names[i], &names[i][NAME_MAX - 1]);
    }
    holds(left, "left");
    assert_int_equal(count_entries(false), FILES + 1);
}

static struct file_target find(const char *name)
{
    struct file_target target;
    struct bh_error error;
    if (file_target_find(in_folder(name), &target, &error) != BH_OK) {
        fail_msg("%s", error.text);
    }
    return target;
}

static void one_file_is_one_target_by_all_its_names(void **state)
{
    static const struct {
        const char *a, *b;
        bool same;
    } cases[] = {
        {"file", "file", true},     {"file", "./file", true}, {"file", "symbolic", true}, {"file", "hard", true},
        {"file", "other", false},   {"new", "new", true},     {"new", "to_new", true},    {"new", "newer", false},
        {"symbolic", "hard", true}, {"file", "new", false},
    };
    put("file", "old", 0600);
    put("other", "old", 0600);
    assert_int_equal(symlink("file", in_folder("symbolic")), 0);
    assert_int_equal(symlink("new", in_folder("to_new")), 0);
    assert_int_equal(link(in_folder("file"), in_folder("hard")), 0);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct file_target a = find(cases[i].a), b = find(cases[i].b);
        assert_int_equal(file_target_same(&a, &b), cases[i].same);
        assert_int_equal(file_target_same(&b, &a), cases[i].same);
        file_target_free(&a);
        file_target_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_no_regular_file_stays_as_it_is, set_up, tear_down),
        cmocka_unit_test_setup_teardown(open_descriptors_are_followed_to_files_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_another_process_replaces_can_be_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(symbolic_links_are_followed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(modes_are_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_must_not_be_written_is_not_replaced, set_up, tear_down),
        cmocka_unit_test_setup_teardown(temporary_names_are_free, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_file_is_one_target_by_all_its_names, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("host.file_target", tests, NULL, NULL);
}
