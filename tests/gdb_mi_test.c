/* What IDEs do: gdb with its machine interface, asynchronous, commands one after the other as answers come. The
   commands are those that the C/C++ extension of VS Code (cppdbg) and CLion send when they attach to a server, stop at
   a breakpoint, show threads, frames and variables, interrupt and go on. */
#include "host/files.h"
#include "host/kernels.h"
#include "host/process.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

enum { PATIENCE = 60 * 1000 };

static struct {
    FILE *to;
    int from;
    pid_t gdb;
    char said[1 << 17]; /* since the last command */
    size_t size;
} mi;

static void start_gdb(const char *elf)
{
    int in[2], out[2];
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    mi.gdb = fork();
    assert_true(mi.gdb >= 0);
    if (mi.gdb == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        dup2(out[1], 2);
        close(in[1]);
        close(out[0]);
        execlp("gdb-multiarch", "gdb-multiarch", "-nx", "-q", "--interpreter=mi3", elf, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    mi.to = fdopen(in[1], "w");
    mi.from = out[0];
}

/* Reads until gdb has said that, after the last command. */
static void await(const char *text)
{
    while (!strstr(mi.said, text)) {
        struct pollfd from = {.fd = mi.from, .events = POLLIN};
        if (poll(&from, 1, PATIENCE) <= 0 || mi.size + 1 >= sizeof mi.said) {
            fail_msg("gdb does not say \"%s\" but:\n%s", text, mi.said);
        }
        ssize_t size = read(mi.from, mi.said + mi.size, sizeof mi.said - 1 - mi.size);
        if (size <= 0) {
            fail_msg("gdb has ended without \"%s\":\n%s", text, mi.said);
        }
        mi.size += (size_t)size;
        mi.said[mi.size] = 0;
    }
}

/* Sends a command, and waits for its result: "^done", "^running", and so on. */
static void tell(const char *command, const char *result)
{
    static unsigned token;
    char begins[64];
    mi.size = 0;
    mi.said[0] = 0;
    fprintf(mi.to, "%u%s\n", ++token, command);
    fflush(mi.to);
    snprintf(begins, sizeof begins, "%u^%s", token, result);
    await(begins);
    if (strcmp(result, "exit") != 0) {
        await("(gdb)");
    }
}

/* Starts the job with --gdb 0, and returns the address of its server. */
static void start_job(struct folder *folder, const char *options, char *address, size_t size)
{
    static char output[1 << 12];
    char command[2048];
    snprintf(command, sizeof command,
             "cd %s; log=%s/job.log; (timeout 100 %s/bhemu run --gdb 0 %s kernels/jobs/eltwise_add.yaml >$log 2>&1; "
             "echo code $? >>$log) >/dev/null 2>&1 &\n"
             "log=%s/job.log; for i in $(seq 600); do grep -q 'target remote' $log 2>/dev/null && break; sleep 0.05; "
             "done; sed -n 's/.*target remote //p' $log",
             BHEMU_SOURCE_DIR, folder->path, BHEMU_BUILD_DIR, options, folder->path);
    assert_int_equal(run_in_shell(command, output, sizeof output), 0);
    snprintf(address, size, "%.60s", output);
    address[strcspn(address, "\n")] = 0;
}

static void assert_job_ended_well(struct folder *folder)
{
    static char output[1 << 12];
    char command[1024];
    snprintf(command, sizeof command,
             "for i in $(seq 600); do grep -q ^code %s/job.log && break; sleep 0.05; done; cat %s/job.log",
             folder->path, folder->path);
    assert_int_equal(run_in_shell(command, output, sizeof output), 0);
    assert_non_null(strstr(output, "1 compared, 1 as expected"));
    assert_non_null(strstr(output, "code 0"));
}

static void an_ide_attaches_and_goes_on(const char *options)
{
    struct folder folder;
    char address[100], command[200];
    need_kernels_of_jobs();
    make_folder(&folder);
    start_job(&folder, options, address, sizeof address);
    start_gdb(BHEMU_BUILD_DIR "/kernels/eltwise_add.trisc0.elf");
    tell("-gdb-set mi-async on", "done");
    tell("-gdb-set pagination off", "done");
    tell("-gdb-set breakpoint pending on", "done");
    tell("-enable-pretty-printing", "done");
    tell("-list-features", "done");
    tell("-list-target-features", "done");
    snprintf(command, sizeof command, "-target-select remote %s", address);
    tell(command, "connected");
    await("*stopped");
    tell("-thread-info", "done");
    await("name=\"1,2 T0\"");
    tell("-break-insert -f kernel_main", "done");
    tell("-break-insert -f unpack_begin", "done");
    tell("-exec-continue --all", "running");
    await("*stopped,reason=\"breakpoint-hit\"");
    await("func=\"kernel_main\"");
    tell("-exec-continue --thread 2", "running");
    await("*stopped,reason=\"breakpoint-hit\"");
    await("func=\"unpack_begin\"");
    tell("-stack-list-frames --thread 2", "done");
    await("func=\"kernel_main\"");
    tell("-stack-list-variables --thread 2 --frame 1 --simple-values", "done");
    tell("-var-create --thread 2 --frame 1 - * unpack", "done");
    await("type=\"struct unpack\"");
    tell("-var-list-children --simple-values var1", "done");
    await("exp=\"context\"");
    await("value=\"0\"");
    tell("-data-list-register-names", "done");
    tell("-data-list-register-values --thread 2 x 32", "done");
    tell("-data-read-memory-bytes 0x16100 16", "done");
    await("00000300000004000000050002000000");
    tell("-data-disassemble -s $pc -e \"$pc + 16\" -- 2", "done");
    tell("-exec-next --thread 2", "running");
    await("*stopped,reason=\"end-stepping-range\"");
    tell("-interpreter-exec console \"monitor dump dst 0 1 bf16\"", "done");
    tell("-break-delete", "done");
    tell("-exec-continue", "running");
    await("*stopped,reason=\"exited-normally\"");
    tell("-gdb-exit", "exit");
    fclose(mi.to);
    close(mi.from);
    assert_int_equal(waitpid(mi.gdb, NULL, 0), mi.gdb);
    assert_job_ended_well(&folder);
    remove_folder(&folder);
}

static void an_ide_debugs_a_kernel(void **context)
{
    an_ide_attaches_and_goes_on("");
}

static void and_in_timed_mode_with_two_host_threads(void **context)
{
    an_ide_attaches_and_goes_on("--timed --threads 2");
}

int main(void)
{
    (void)signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ide_debugs_a_kernel),
        cmocka_unit_test(and_in_timed_mode_with_two_host_threads),
    };
    return cmocka_run_group_tests_name("gdb, machine interface", tests, NULL, NULL);
}
