/* bhemu run, interrupted: after the first signal it reports where everything is, and ends; the second ends it at
   once. */
#include "host/files.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>

/* T0 waits for a word that nobody writes, NC counts for ever. */
static int set_up(void **context)
{
    struct folder *folder = calloc(1, sizeof *folder);
    make_folder(folder);
    const uint32_t count[] = {addi(T0, T0, 1), jump(-4)};
    const uint32_t wait[] = {lui(T0, 0x20000), lw(T1, T0, 0), branch(BEQ, T1, ZERO, -4), SELF_JUMP};
    put_elf(folder, "count.elf", 0x1000, count, 2);
    put_elf(folder, "wait.elf", 0x2000, wait, 4);
    put_text(folder, "job.yaml",
             "limit: 4000000000000\ntiles:\n  - columns: [1, 2]\n    rows: [2, 3]\n"
             "    programs: [{core: T0, elf: wait.elf}, {core: NC, elf: count.elf}]\n"
             "  - at: [1, 4]\n    outputs: [{file: out.npy, address: 0x20000, shape: [1, 1], format: int32}]\n");
    *context = folder;
    return 0;
}

static int tear_down(void **context)
{
    remove_folder(*context);
    free(*context);
    return 0;
}

/* Starts a run of this job and another one after it; stderr goes to `errors`. */
static pid_t start(const struct folder *folder, int errors, void (*sigint)(int))
{
    const char *job = in_folder(folder, "job.yaml");
    pid_t child = fork();
    if (child == 0) {
        signal(SIGINT, sigint); /* whatever the test was started with */
        signal(SIGTERM, SIG_DFL);
        dup2(errors, STDERR_FILENO);
        execl(BHEMU_BUILD_DIR "/bhemu", "bhemu", "run", "--threads", "2", job, job, (char *)NULL);
        _exit(127);
    }
    return child;
}

/* The signals that a process handles, a bit each; 0 also when it has ended. */
static uint64_t handled_by(pid_t child)
{
    char path[64], line[200];
    unsigned long long handled = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)child);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        (void)sscanf(line, "SigCgt: %llx", &handled);
    }
    if (file) {
        fclose(file);
    }
    return handled;
}

static void wait_until_handled(pid_t child, int number, bool handled)
{
    while ((handled_by(child) >> (number - 1) & 1) != handled) {
        usleep(1000);
    }
}

static void is_explained(const struct folder *folder, int number)
{
    static char text[1 << 16];
    int channel[2], status;
    unsigned files = count_files(folder, 0);
    assert_int_equal(pipe(channel), 0);
    pid_t child = start(folder, channel[1], SIG_DFL);
    close(channel[1]);
    wait_until_handled(child, number, true);
    assert_int_equal(kill(child, number), 0);
    size_t length = 0;
    for (ssize_t got; (got = read(channel[0], text + length, sizeof text - 1 - length)) > 0;) {
        length += (size_t)got;
    }
    text[length] = 0;
    close(channel[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 128 + number);
    assert_contains(text, "\n  core T0 at 0x0000200");
    assert_contains(text, "\n  core NC at 0x0000100");
    assert_contains(text, "\n  3 more tiles like (1,2): (2,2), (1,3), (2,3)\n");
    assert_contains(text, "job.yaml: interrupted after ");
    assert_null(strstr(strstr(text, "interrupted after") + 1, "interrupted after")); /* the next job was not begun */
    assert_int_equal(count_files(folder, 0), files);
}

static void the_first_signal_has_it_explained_and_ends_the_run(void **context)
{
    is_explained(*context, SIGINT);
    is_explained(*context, SIGTERM);
}

/* Its report can not be written, so that it does not end by itself. */
static void the_second_signal_ends_at_once(void **context)
{
    static char filler[1 << 16];
    int channel[2], status;
    assert_int_equal(pipe(channel), 0);
    assert_int_equal(fcntl(channel[1], F_SETFL, O_NONBLOCK), 0);
    while (write(channel[1], filler, sizeof filler) > 0 || write(channel[1], filler, 1) > 0) {
    }
    assert_int_equal(fcntl(channel[1], F_SETFL, 0), 0);
    pid_t child = start(*context, channel[1], SIG_DFL);
    wait_until_handled(child, SIGINT, true);
    assert_int_equal(kill(child, SIGINT), 0);
    wait_until_handled(child, SIGINT, false);
    assert_int_equal(kill(child, SIGINT), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    close(channel[0]);
    close(channel[1]);
}

/* Like in commands that a shell runs in the background. */
static void an_ignored_signal_stays_ignored(void **context)
{
    int status, nowhere = open("/dev/null", O_WRONLY);
    pid_t child = start(*context, nowhere, SIG_IGN);
    wait_until_handled(child, SIGTERM, true);
    assert_false(handled_by(child) >> (SIGINT - 1) & 1);
    assert_int_equal(kill(child, SIGTERM), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 128 + SIGTERM);
    close(nowhere);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_signal_has_it_explained_and_ends_the_run),
        TEST(the_second_signal_ends_at_once),
        TEST(an_ignored_signal_stays_ignored),
    };
    return cmocka_run_group_tests_name("interrupt", tests, NULL, NULL);
}
