/* gdb itself against the server: sessions on the kernel eltwise_add, whose outputs, instructions and clocks are those
   of a run without a debugger. */
#include "host/files.h"
#include "host/kernels.h"
#include "host/process.h"

static char output[1 << 17];

/* Runs the job with --gdb 0 and these options, and gdb with a script of commands; `output` becomes what both print. */
static void debug_job(struct folder *folder, const char *job, const char *elf, const char *options, const char *before,
                      const char *script)
{
    static const char shell[] =
        "exec 2>&1; cd %s; log=%s/job.log; rm -f $log; timeout 100 %s/bhemu run --gdb 0 %s kernels/jobs/%s.yaml >$log "
        "2>&1 &\n"
        "cd %s; log=%s/job.log; while ! grep -q 'target remote' $log 2>/dev/null; do kill -0 $! || exit 1; sleep 0.05; "
        "done\n"
        "timeout 100 gdb-multiarch -nx -q -batch %s -ex \"$(sed -n 's/.*gdb: //p' $log)\" -x %s/script "
        "%s/kernels/%s.elf; wait; cat $log";
    char command[4096];
    put_text(folder, "script", script);
    snprintf(command, sizeof command, shell, BHEMU_SOURCE_DIR, folder->path, BHEMU_BUILD_DIR, options, job,
             BHEMU_SOURCE_DIR, folder->path, before, folder->path, BHEMU_BUILD_DIR, elf);
    (void)run_in_shell(command, output, sizeof output);
}

static void debug(struct folder *folder, const char *options, const char *before, const char *script)
{
    debug_job(folder, "eltwise_add", "eltwise_add.trisc0", options, before, script);
}

static void assert_has(const char *text)
{
    if (!strstr(output, text)) {
        fail_msg("no \"%s\" in:\n%s", text, output);
    }
}

/* As printed without --gdb. */
static void assert_undisturbed(const char *job, const char *options)
{
    static char plain[1 << 14];
    char command[1024];
    snprintf(command, sizeof command, "cd %s && exec %s/bhemu run %s kernels/jobs/%s.yaml", BHEMU_SOURCE_DIR,
             BHEMU_BUILD_DIR, options, job);
    assert_int_equal(run_in_shell(command, plain, sizeof plain), 0);
    char *seconds = strstr(plain, "  seconds"), *outputs = strstr(plain, "  outputs");
    assert_true(seconds && outputs);
    *seconds = 0;
    assert_has(plain);
    assert_has(outputs);
}

static const char session[] = "info threads\n"
                              "break kernel_main\n"
                              "continue\n"
                              "print $pc\n"
                              "stepi\n" /* over a .ttinsn */
                              "print (int)$pc - (int)kernel_main\n"
                              "next\nnext\n"
                              "break unpack_begin\n"
                              "continue\n"
                              "up\n"
                              "print unpack\n"
                              "watch *(int *)0x5181c\n"
                              "delete 2\n"
                              "continue\n"
                              "print /x *(int *)0x5181c\n"
                              "monitor dump dst 0 16 bf16\n"
                              "monitor wait\n"
                              "monitor threads\n"
                              "print $mcycle > 0\n"
                              "delete\n"
                              "continue\n";

static void assert_session(void)
{
    assert_has("\"1,2 T1\"");
    assert_has("hit Breakpoint 1, kernel_main () at ");
    assert_has("unpack.c:8");
    assert_has("$2 = 4\n");
    assert_has("TTI_NOP;");
    assert_has("hit Breakpoint 2, unpack_begin ");
    assert_has("= {context = 0}");
    assert_has("packer 0 wrote 128 bytes at 0x00051800, for thread T2");
    assert_has("Hardware watchpoint 3: *(int *)0x5181c");
    assert_has("New value = 1066549067");
    assert_has("= 0x3f923f4b");
    assert_has("tile 1-2, clock ");
    assert_has("first_row 0");
    assert_has("core T2 at ");
    assert_has("exited normally");
}

static void a_session_disturbs_nothing(void **context)
{
    need_kernels_of_jobs();
    debug(*context, "", "", session);
    assert_session();
    assert_undisturbed("eltwise_add", "");
}

static void nor_does_it_in_timed_mode(void **context)
{
    need_kernels_of_jobs();
    debug(*context, "--timed", "", session);
    assert_session();
    assert_undisturbed("eltwise_add", "--timed");
}

/* Over a .ttinsn and a line, to a breakpoint, to the last write of a word, and on to the end as if nothing had been. */
static const char backwards[] = "monitor record on\n"
                                "break kernel_main\n"
                                "continue\n"
                                "delete\n"
                                "stepi\n"
                                "stepi\n" /* over a .ttinsn */
                                "print (int)$pc - (int)kernel_main\n"
                                "reverse-stepi\n"
                                "print (int)$pc - (int)kernel_main\n"
                                "next\n"
                                "info line\n"
                                "reverse-next\n"
                                "reverse-next\n"
                                "info line\n"
                                "break unpack_begin\n"
                                "continue\n"
                                "continue\n"
                                "print $minstret\n"
                                "reverse-continue\n"
                                "reverse-finish\n"
                                "delete\n"
                                "continue\n"
                                "watch *(int *)0x5181c\n"
                                "reverse-continue\n"
                                "print /x *(int *)0x5181c\n"
                                "reverse-continue\n"
                                "delete\n"
                                "continue\n"
                                "print /x *(int *)0x5181c\n"
                                "continue\n";

static void it_goes_back(void **context)
{
    static const char *const modes[] = {"", "--timed"};
    need_kernels_of_jobs();
    for (unsigned i = 0; i < 2; i++) {
        debug(*context, modes[i], "", backwards);
        assert_has("$1 = 8\n");
        assert_has("$2 = 4\n"); /* back over it */
        assert_has("starts at address 0x6090 <kernel_main+8>");
        assert_has("Line 8 of "); /* two lines back, in the caller */
        assert_has("hit Breakpoint 2, unpack_begin ");
        assert_has("kernel_end () at "); /* at the end of the program */
        assert_has("packer 0 wrote 128 bytes at 0x00051800, for thread T2");
        assert_has("Old value = 1066549067\nNew value = 0\n");
        assert_has("$4 = 0x0\n");
        assert_has("$5 = 0x3f923f4b\n"); /* forward again */
        assert_undisturbed("eltwise_add", modes[i]);
    }
}

static void cores_may_be_chosen(void **context)
{
    need_kernels_of_jobs();
    debug(*context, "--core T0", "", "info threads\nhbreak unpack_begin\ncontinue\nbt\ndetach\n");
    assert_has("1    Thread 1 \"1,2 T0\"");
    assert_null(strstr(output, "\"1,2 T1\""));
    assert_has("kernel_main () at ");
    assert_has("  RISC-V instructions           635\n");
    assert_has("(1 compared, 1 as expected)");
    assert_undisturbed("eltwise_add", ""); /* also after `detach` */
}

static void registers_and_memory_are_written(void **context)
{
    need_kernels_of_jobs();
    debug(*context, "", "",
          "break kernel_main\ncontinue\nset var $t6 = 77\nprint $t6\nset var *(int *)0x100000 = 0x12345678\n"
          "x/wx 0x100000\nset var $fa0 = 1.5\nprint $fa0\nset var *(int *)0xffb00800 = 5\nprint *(int *)0xffb00800\n"
          "set var $t6 = 0\nkill\n");
    assert_has("= 77");
    assert_has("0x12345678");
    assert_has("= 1.5");
    assert_has("= 5");
    assert_has("interrupted");
}

static void in_non_stop_mode_others_go_on(void **context)
{
    need_kernels_of_jobs();
    debug(*context, "--core T0", "-ex 'set non-stop on'",
          "thread 1\nbreak kernel_main\ncontinue\nprint unpack\ndelete\ncontinue\n");
    assert_has("Breakpoint 1, kernel_main () at ");
    assert_has("exited normally");
    assert_has("= {context = 0}");
    assert_has("1 compared, 1 as expected");
}

/* Both kinds of watchpoints: GDDR, which the tile's other side shows, has the same addresses as L1. */
static void the_core_of_a_dram_tile_is_debugged(void **context)
{
    static const char *const modes[] = {"", "--timed"};
    char options[64];
    need_kernels_of_jobs();
    for (unsigned mode = 0; mode < 2; mode++) {
        snprintf(options, sizeof options, "%s --tile 17-12", modes[mode]);
        debug_job(*context, "dram_feed", "dram_feed.drisc", options, "",
                  "info threads\nmonitor record on\nbreak kernel_main\ncontinue\nstepi\nstepi\nreverse-stepi\n"
                  "print (int)$pc - (int)kernel_main\nmonitor wait\ndelete\nawatch *(int *)0x1000000\n"
                  "watch *(int *)0x16000\ncontinue\nprint /x *(int *)0x16000\nreverse-continue\n"
                  "print /x *(int *)0x16000\ndelete\ncontinue\ncontinue\n");
        assert_has("Thread 1 \"17,12 DRISC\" (runs)");
        assert_has("Breakpoint 1, kernel_main ()");
        assert_has("$1 = 4\n");
        assert_has("17,12: core DRISC at 0x");
        assert_has("Hardware watchpoint 3: *(int *)0x16000\n\nOld value = 0\nNew value = 1146048069");
        assert_has("$2 = 0x444f4e45\n");
        assert_has("$3 = 0x0\n");
        assert_null(strstr(output, "Hardware access (read/write) watchpoint 2: *(int *)0x1000000\n\n"));
        assert_has("exited normally");
        assert_undisturbed("dram_feed", modes[mode]);
    }
    debug_job(*context, "dram_feed", "dram_feed.drisc", "--core DRISC", "-ex 'set non-stop on'",
              "break kernel_main\ncontinue\nstepi\ndelete\ncontinue\n");
    assert_has("Breakpoint 1, kernel_main ()");
    assert_has("exited normally");
    assert_has("1 compared, 1 as expected");
}

static void the_cores_of_an_ethernet_tile_are_debugged(void **context)
{
    static const char *const modes[] = {"", "--timed"};
    const struct folder *folder = *context;
    char options[600];
    need_kernels_of_jobs();
    for (unsigned mode = 0; mode < 2; mode++) {
        snprintf(options, sizeof options, "%s --chip 1 --tile 24-25 --output %s", modes[mode], folder->path);
        debug_job(*context, "link_copy", "link.erisc1", options, "",
                  "info threads\nbreak kernel_main\ncontinue\nstepi\nset *(int *)0x100 = 77\nprint *(int *)0x100\n"
                  "print *(int *)0x16108\nawatch *(int *)0x17000\ncontinue\nmonitor wait\ndelete\ncontinue\n");
        assert_has("Thread 1 \"24,25 E0\" (in reset)");
        assert_has("\"24,25 E1\" hit Breakpoint 1, kernel_main ()");
        assert_has("$1 = 77\n");
        assert_has("$2 = 16\n");
        assert_has("\"24,25 E1\" hit Hardware access (read/write) watchpoint 2");
        assert_has("24,25: core E1 at 0x");
        assert_has("exited normally");
        assert_undisturbed("link_copy", options);
    }
}

/* From a deadlock back to what led there; its diagnostic is printed once, as without gdb. */
static void it_goes_back_from_a_deadlock(void **context)
{
    need_kernels_of_jobs();
    debug_job(*context, "../broken/mixed_up", "eltwise_add.trisc0", "", "",
              "monitor record on\ncontinue\nreverse-stepi\nreverse-stepi\ncontinue\n"
              "continue\n");
    assert_has("in unpack_begin ");
    assert_has("exited with code 01");
    const char *first = strstr(output, "\nerror: Deadlock: "), *second = strstr(first + 1, "\nerror: Deadlock: ");
    assert_non_null(second); /* that gdb shows */
    const char *printed = strstr(second + 1, "\nerror: Deadlock: ");
    assert_non_null(printed);
    assert_null(strstr(printed + 1, "\nerror: Deadlock: "));
}

static unsigned times(const char *text, const char *word)
{
    unsigned count = 0;
    while ((text = strstr(text, word))) {
        count++;
        text++;
    }
    return count;
}

/* As often as there. Between them may be others, of how far the job is. */
static void assert_has_each_line(const char *all)
{
    const char *lines = all;
    char line[500];
    for (const char *end; (end = strchr(lines, '\n')); lines = end + 1) {
        snprintf(line, sizeof line, "%.*s\n", (int)(end - lines), lines);
        if (times(all, line) != times(strstr(output, "gdb: target"), line)) {
            fail_msg("another number of lines \"%s\" in:\n%s", line, output);
        }
    }
}

/* What kernels print is printed once, also of those that firmware launches, and lines that are half printed. */
static void prints_are_not_repeated(void **context)
{
    static const char launched[] = "monitor record on\n"
                                   "watch *(int *)0x370\n" /* the go message */
                                   "continue\ncontinue\ncontinue\n"
                                   "reverse-continue\nreverse-stepi\nreverse-continue\n"
                                   "continue\ndelete\ncontinue\n";
    static const struct {
        const char *job, *elf, *options, *script;
    } jobs[] = {{"hello", "hello.brisc", "",
                 "monitor record on\ncontinue\nreverse-stepi 3\nreverse-continue\nstepi 7\nreverse-stepi 2\n"
                 "continue\ncontinue\n"},
                {"metal_print_stream", "metal.brisc", "--tile 1-2", launched},
                {"metal_print_messages", "metal.brisc", "--tile 1-2", launched}};
    static char plain[1 << 14], command[1000];
    need_kernels_of_jobs();
    for (unsigned i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        snprintf(command, sizeof command, "exec 2>&1; cd %s && exec %s/bhemu run kernels/jobs/%s.yaml",
                 BHEMU_SOURCE_DIR, BHEMU_BUILD_DIR, jobs[i].job);
        assert_int_equal(run_in_shell(command, plain, sizeof plain), 0);
        debug_job(*context, jobs[i].job, jobs[i].elf, jobs[i].options, "", jobs[i].script);
        *strstr(plain, "  seconds") = 0;
        assert_has("No more reverse-execution history.");
        assert_has_each_line(plain);
    }
}

static const char two_tiles[] = "add-symbol-file " BHEMU_BUILD_DIR "/kernels/credits.ncrisc.elf\n"
                                "break kernel_main\ncontinue\ncontinue\ncontinue\n";

static void two_tiles_are_debugged(void **context)
{
    need_kernels_of_jobs();
    debug_job(*context, "credits", "credits.brisc", "", "", two_tiles);
    assert_has("\"4,2 B\" hit Breakpoint 1");
    assert_has("\"14,11 NC\" hit Breakpoint 1");
    assert_has("exited normally");
    assert_has("1 compared, 1 as expected");
}

/* Cores of three tiles come to the same breakpoint, and write the word of a watchpoint, in turn: gdb (13 at least) ends
   itself when it is told of one while it lets only another one step. */
static void many_cores_stop_in_turn(void **context)
{
    need_kernels();
    enum { TURNS = 30, UP = 12 };
    const uint32_t counts[] = {lui(T1, 0x2000), addi(T0, T0, 1), sw(T0, T1, 0), jump(-8)};
    struct folder *folder = *context;
    char job[700] = "", script[TURNS * 10 + 200];
    put_elf(folder, "counts.elf", 0x1000, counts, 4);
    put_elf(folder, "others.elf", 0x3000, counts, 4);
    put_text(folder, "counts.yaml",
             "limit: 100000\ntiles:\n  - columns: [1, 2, 3]\n    rows: [2]\n"
             "    programs: [{core: T0, elf: counts.elf}, {core: T1, elf: others.elf}]\n");
    for (unsigned i = 0; i < UP; i++) {
        strcat(job, "../");
    }
    snprintf(job + strlen(job), sizeof job - strlen(job), "%s/counts", folder->path);
    for (unsigned watched = 0; watched < 2; watched++) {
        snprintf(script, sizeof script, "break *0x1008\nbreak *0x3008\n%s", watched ? "watch *(int *)0x2000\n" : "");
        for (unsigned i = 0; i < TURNS; i++) {
            strcat(script, "continue\n");
        }
        strcat(script, "kill\n");
        debug_job(folder, job, "eltwise_add.trisc0", "--timed", "", script);
        assert_null(strstr(output, "internal-error"));
        assert_int_equal(times(output, "\nThread "), TURNS);
        assert_has("\"1,2 T0\" hit Breakpoint 1");
        assert_has("\"3,2 T1\" hit Breakpoint 2");
    }
}

static void in_non_stop_mode_the_other_tile_goes_on(void **context)
{
    need_kernels_of_jobs();
    debug_job(*context, "credits", "credits.brisc", "--tile 4-2 --core B", "-ex 'set non-stop on'",
              "break kernel_main\ncontinue\nbt\ncontinue\n");
    assert_has("Breakpoint 1, kernel_main");
    assert_has("exited normally");
    assert_has("1 compared, 1 as expected");
}

/* Of a system a chip is debugged; while it stands still the others do, too: its clock is that of a run without. */
static void a_chip_of_a_system_is_debugged(void **context)
{
    static const struct {
        const char *core, *before, *script;
    } sessions[] = {
        {"", "", "break kernel_main\ncontinue\nstepi\nwatch *(int *)0x100000\ncontinue\ndelete\ncontinue\n"},
        {"--core NC", "-ex 'set non-stop on'", "break kernel_main\ncontinue\ndelete\ncontinue\n"}};
    const struct folder *folder = *context;
    char options[600], command[1000], plain[1 << 12];
    need_kernels_of_jobs();
    for (unsigned i = 0; i < 4; i++) {
        const char *timed = i < 2 ? "" : "--timed";
        snprintf(options, sizeof options, "%s %s --chip 1 --tile 1-2 --output %s", timed, sessions[i % 2].core,
                 folder->path);
        debug_job(*context, "link_matmul2", "matmul128.ncrisc", options, sessions[i % 2].before,
                  sessions[i % 2].script);
        assert_has("Breakpoint 1, kernel_main ()");
        assert_has("exited normally");
        assert_has("1 compared, 1 as expected");
        if (i % 2 == 0) {
            assert_has("\"1,2 NC\" hit Hardware watchpoint 2: *(int *)0x100000");
            snprintf(command, sizeof command,
                     "cd " BHEMU_SOURCE_DIR " && " BHEMU_BUILD_DIR
                     "/bhemu run %s kernels/jobs/link_matmul2.yaml | grep -e instructions -e steps -e cycles",
                     options);
            assert_int_equal(run_in_shell(command, plain, sizeof plain), 0);
            assert_has(plain);
        }
    }
    snprintf(options, sizeof options, "--chip 1 --tile 1-2 --output %s", folder->path);
    debug_job(*context, "link_matmul2", "matmul128.ncrisc", options, "", "monitor record on\nkill\n");
    assert_has("or another chip of a system, does cannot be repeated: there is no recording");
    assert_has("link_matmul2.yaml: interrupted after 0 emulated steps");
}

static void a_deadlock_stops_where_it_is(void **context)
{
    need_kernels_of_jobs();
    debug_job(*context, "../broken/mixed_up", "eltwise_add.trisc0", "", "", "continue\nbt\nmonitor wait\ncontinue\n");
    assert_has("\"1,2 T0\" received signal SIGABRT");
    assert_has("1,2: thread T1 waits for SrcB; nothing unpacks to it");
    assert_has("exited with code 01");
}

static void what_makes_no_sense_is_refused(void **context)
{
    char command[1024];
    need_kernels_of_jobs();
    snprintf(command, sizeof command,
             "exec 2>&1; cd %s; %s/bhemu run --gdb 70000 kernels/jobs/eltwise_add.yaml; "
             "%s/bhemu run --gdb 0 --core X kernels/jobs/eltwise_add.yaml",
             BHEMU_SOURCE_DIR, BHEMU_BUILD_DIR, BHEMU_BUILD_DIR);
    assert_int_equal(run_in_shell(command, output, sizeof output), 2);
    assert_has("--gdb 70000: that is no port");
    assert_has("there are cores B, T0, T1, T2, NC, E0, E1, DRISC; none is called: X");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_session_disturbs_nothing),
        FOLDER_TEST(nor_does_it_in_timed_mode),
        FOLDER_TEST(it_goes_back),
        FOLDER_TEST(the_core_of_a_dram_tile_is_debugged),
        FOLDER_TEST(the_cores_of_an_ethernet_tile_are_debugged),
        FOLDER_TEST(it_goes_back_from_a_deadlock),
        FOLDER_TEST(prints_are_not_repeated),
        FOLDER_TEST(cores_may_be_chosen),
        FOLDER_TEST(registers_and_memory_are_written),
        FOLDER_TEST(in_non_stop_mode_others_go_on),
        FOLDER_TEST(two_tiles_are_debugged),
        FOLDER_TEST(many_cores_stop_in_turn),
        FOLDER_TEST(in_non_stop_mode_the_other_tile_goes_on),
        FOLDER_TEST(a_chip_of_a_system_is_debugged),
        FOLDER_TEST(a_deadlock_stops_where_it_is),
        FOLDER_TEST(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests_name("gdb", tests, NULL, NULL);
}
