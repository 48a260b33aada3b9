/* bhemu run --log: its lines, its filters, its errors when it can not write; and that the log is the same with any
   number of threads. */
#include "host/files.h"
#include "host/kernels.h"
#include "host/process.h"

#include <sys/stat.h>

static char output[1 << 16];

static int run(const char *arguments)
{
    char command[2048];
    snprintf(command, sizeof command, "exec 2>&1; cd %s && %s/bhemu run %s", BHEMU_SOURCE_DIR, BHEMU_BUILD_DIR,
             arguments);
    return run_in_shell(command, output, sizeof output);
}

/* `bhemu run -q OPTIONS job.yaml`; `output` becomes the log. */
static void log_with(const struct folder *folder, const char *options)
{
    char arguments[1024];
    snprintf(arguments, sizeof arguments, "-q --log %s/log %s %s/job.yaml && cat %s/log", folder->path, options,
             folder->path, folder->path);
    assert_int_equal(run(arguments), 0);
}

static unsigned lines(void)
{
    unsigned count = 0;
    for (const char *at = output; (at = strchr(at, '\n')); at++) {
        count++;
    }
    return count;
}

static int set_up(void **context)
{
    struct folder *folder = calloc(1, sizeof *folder);
    make_folder(folder);
    const uint32_t program[] = {lui(T0, 0x20000),
                                addi(T1, ZERO, 7),
                                sw(T1, T0, 4),
                                ttinsn(0x45123400 | 41), /* SETDMAREG: the high half of GPR 20 */
                                ttinsn(0xa3120008),      /* SEMINIT max_value=1, init_value=2, sem_sel=2 */
                                ttinsn(0x02000000),      /* NOP */
                                lui(T0, 0xffe80000),
                                lw(T1, T0, 4), /* until the thread has executed everything */
                                SELF_JUMP};
    put_elf(folder, "program.elf", 0x1000, program, sizeof program / sizeof program[0]);
    put_text(folder, "job.yaml", "tiles:\n  - at: [1, 2]\n    programs: [{core: T0, elf: program.elf}]\n");
    *context = folder;
    return 0;
}

static int tear_down(void **context)
{
    remove_folder(*context);
    free(*context);
    return 0;
}

static void a_line_has_who_where_what_and_its_effects(void **context)
{
    log_with(*context, "");
    assert_contains(output, "         0 1-2   T0        0x00001000  lui t0,0x20  ; t0=0x00020000\n"
                            "         1 1-2   T0        0x00001004  addi t1,zero,7  ; t1=0x00000007\n"
                            "         2 1-2   T0        0x00001008  sw t1,4(t0)  ; [0x00020004]=0x00000007\n");
    assert_contains(output, "1-2   T0        0x00001010  .ttinsn SEMINIT max_value=1, init_value=2, sem_sel=2\n");
    assert_contains(output, "1-2   T0        0x00001014  .ttinsn NOP\n");
    assert_contains(output, "1-2   t0.scalar 0x0000100c  SETDMAREG ");
    assert_contains(output, "  ; gpr20=0x12340000\n");
    assert_contains(output, "1-2   t0.sync   0x00001010  SEMINIT max_value=1, init_value=2, sem_sel=2  ; "
                            "semaphore1=2/1\n");
    assert_contains(output, "1-2   t0.addr   0x00001014  NOP\n");
    assert_int_equal(lines(), 8 + 3);
}

static void filters_keep_to_what_they_name(void **context)
{
    log_with(*context, "--log-core T0");
    assert_int_equal(lines(), 8);
    assert_null(strstr(output, "t0."));
    log_with(*context, "--log-unit scalar");
    assert_int_equal(lines(), 1);
    log_with(*context, "--log-unit scalar --log-unit sync --log-unit addr --log-core B");
    assert_int_equal(lines(), 3);
    log_with(*context, "--log-core NC");
    assert_int_equal(lines(), 0);
    log_with(*context, "--log-tile 1-2");
    assert_int_equal(lines(), 11);
    log_with(*context, "--log-tile 7-5 --log-tile 16-11");
    assert_string_equal(output, "warning: --tile 7-5: no core of this tile has run\n"
                                "warning: --tile 16-11: no core of this tile has run\n");
    log_with(*context, "--core T0 --from 1 --to 2");
    assert_int_equal(lines(), 2);
    assert_contains(output, "         1 1-2   T0        0x00001004  addi t1,zero,7  ; t1=0x00000007\n"
                            "         2 1-2   T0        0x00001008  sw t1,4(t0)  ; [0x00020004]=0x00000007\n");
}

static void fails(const struct folder *folder, int code, const char *options, const char *text)
{
    char arguments[1024];
    snprintf(arguments, sizeof arguments, "-q %s %s/job.yaml", options, folder->path);
    assert_int_equal(run(arguments), code);
    assert_contains(output, text);
    assert_int_equal(lines(), 1);
}

static void what_makes_no_sense_is_said(void **context)
{
    fails(*context, 2, "--log /no/such/folder/log", "log /no/such/folder/log: No such file or directory");
    fails(*context, 6, "--log /dev/full", "log /dev/full: No space left on device; what follows is missing");
    fails(*context, 2, "--log /dev/null --log-core T3", "no core 'T3'; there are B, T0, T1, T2, NC");
    fails(*context, 2, "--log /dev/null --log-unit fpu", "no unit 'fpu'; there are sync, scalar");
    fails(*context, 2, "--log /dev/null --log-tile 40-2", "there is no such tile");
    put_text(*context, "kept", "kept\n");
    char option[600];
    snprintf(option, sizeof option, "--log %s --log-tile 99-99", in_folder(*context, "kept"));
    fails(*context, 2, option, "--tile 99-99: there is no such tile");
    struct stat kept;
    assert_int_equal(stat(in_folder(*context, "kept"), &kept), 0);
    assert_int_equal(kept.st_size, 5); /* it has not been written over */
    fails(*context, 2, "--log /dev/null --log-tile 12", "'12' is no tile; the one at [1, 2] is 1-2");
    fails(*context, 2, "--log /dev/null other.yaml", "--log is for one job; here are 2");
}

static void it_is_the_same_on_any_number_of_threads(void **context)
{
    const struct folder *folder = *context;
    char command[2048];
    need_kernels_of_jobs();
    snprintf(command, sizeof command,
             "-q --threads 1 --log %s/one kernels/jobs/all_reduce.yaml && "
             "%s/bhemu run -q --threads 3 --log %s/three kernels/jobs/all_reduce.yaml && "
             "cmp %s/one %s/three && test -s %s/one",
             folder->path, BHEMU_BUILD_DIR, folder->path, folder->path, folder->path, folder->path);
    assert_int_equal(run(command), 0);
}

/* `log` of a time, and that time of a log of everything; lines of both as `lines`, a sed script, leaves them. */
static void is_a_part(const struct folder *folder, const char *job, const char *options, unsigned from,
                      const char *lines)
{
    char command[4096];
    const char *path = folder->path;
    snprintf(command, sizeof command,
             "-q %s --log %s/whole kernels/jobs/%s.yaml && awk '$1 >= %u && $1 <= %u' %s/whole | %s >%s/part && "
             "%s/bhemu run -q %s --threads 2 --from %u --to %u --log %s/log kernels/jobs/%s.yaml && "
             "cat %s/log | %s | cmp - %s/part && test -s %s/part && ! cmp -s %s/log %s/whole",
             options, path, job, from, from + 700, path, lines, path, BHEMU_BUILD_DIR, options, from, from + 700, path,
             job, path, lines, path, path, path, path);
    if (run(command) != 0) {
        fail_msg("%s %s, from %u on: %s", job, options, from, output);
    }
}

/* In timed mode agents that do not see each other may be told of in another order, and what a unit does later. */
static void a_time_of_it_is_a_part_of_the_whole(void **context)
{
    static const struct {
        const char *job;
        unsigned from;
    } parts[] = {
        {"all_reduce", 600}, {"metal_add", 8600}, {"messages", 34000}, {"credits", 9000}, {"matmul128", 28000}};
    need_kernels_of_jobs();
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        is_a_part(*context, parts[i].job, "", parts[i].from, "cat");
        is_a_part(*context, parts[i].job, "--timed", parts[i].from, "sed 's/  ; .*//' | sort");
    }
}

#define LOG_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOG_TEST(a_line_has_who_where_what_and_its_effects),
        LOG_TEST(filters_keep_to_what_they_name),
        LOG_TEST(what_makes_no_sense_is_said),
        LOG_TEST(it_is_the_same_on_any_number_of_threads),
        LOG_TEST(a_time_of_it_is_a_part_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
