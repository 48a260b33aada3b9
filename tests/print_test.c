/* bhemu run shows what kernels print: from all cores, in order, on any number of threads, in both modes, before what
   stops the job; and kernels wait while a print buffer is full. */
#include "host/files.h"
#include "host/kernels.h"
#include "host/process.h"

static char output[1 << 20], other[1 << 20];

static int run_to(const char *arguments, char *to)
{
    char command[2048];
    need_kernels();
    snprintf(command, sizeof command, "exec 2>&1; cd %s && %s/bhemu run %s", BHEMU_SOURCE_DIR, BHEMU_BUILD_DIR,
             arguments);
    return run_in_shell(command, to, sizeof output);
}

static int run(const char *arguments)
{
    return run_to(arguments, output);
}

/* The hello job on one tile, of so many rounds. */
static int make_job(void **context)
{
    struct folder *folder = calloc(1, sizeof *folder);
    make_folder(folder);
    static const char *const cores[] = {"B", "T0", "T1", "T2", "NC"};
    static const char *const files[] = {"brisc", "trisc0", "trisc1", "trisc2", "ncrisc"};
    char text[2048] = "limit: 100000000\ntiles:\n  - at: [3, 4]\n    programs:\n";
    for (unsigned i = 0; i < 5; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "      - {core: %s, elf: %s/kernels/hello.%s.elf}\n",
                 cores[i], BHEMU_BUILD_DIR, files[i]);
    }
    strcat(text, "    words: [{address: 0x16100, values: [500, 0, 0, 0, 0, 0]}]\n");
    put_text(folder, "job.yaml", text);
    *context = folder;
    return 0;
}

static int remove_job(void **context)
{
    remove_folder(*context);
    free(*context);
    return 0;
}

#define ROUND(tile, number)                                                                                            \
    tile " B: hello from B, round " number "\n" tile " T0: hello from T0, round " number "\n" tile                     \
         " T1: hello from T1, round " number "\n" tile                                                                 \
         " T1: -1  12.5% 0xb1ac -5000000000 0x00016100 x 1.5 -inf 6.022e+23\n" tile                                    \
         " T2: hello from T2, round " number "\n" tile " NC: hello from NC, round " number "\n"

/* Whether the lines of a tile in the output are these. */
static void assert_tile(const char *tile, const char *expected)
{
    char lines[4096] = "";
    for (const char *line = output; *line; line = strchr(line, '\n') + 1) {
        if (strncmp(line, tile, strlen(tile)) == 0) {
            strncat(lines, line, (size_t)(strchr(line, '\n') + 1 - line));
        }
    }
    assert_string_equal(lines, expected);
}

static void all_five_cores_of_two_tiles_print_in_order(void **context)
{
    static const char *const modes[] = {"", "--timed ", "--engine plain "};
    need_kernels_of_jobs();
    for (unsigned i = 0; i < 3; i++) {
        char arguments[100];
        snprintf(arguments, sizeof arguments, "-q %s kernels/jobs/hello.yaml", modes[i]);
        assert_int_equal(run(arguments), 0);
        assert_tile("1-2 ", ROUND("1-2", "0") ROUND("1-2", "1"));
        assert_tile("2-2 ", ROUND("2-2", "0") ROUND("2-2", "1"));
        assert_int_equal(strlen(output), 2 * strlen(ROUND("1-2", "0") ROUND("1-2", "1")));
    }
}

static void the_order_is_the_same_on_any_number_of_threads(void **context)
{
    need_kernels_of_jobs();
    assert_int_equal(run_to("-q kernels/jobs/hello.yaml", other), 0);
    for (unsigned threads = 2; threads <= 3; threads++) {
        char arguments[100];
        snprintf(arguments, sizeof arguments, "-q --threads %u kernels/jobs/hello.yaml", threads);
        assert_int_equal(run(arguments), 0);
        assert_string_equal(output, other);
    }
}

static void kernels_wait_while_a_buffer_is_full(void **context)
{
    const struct folder *folder = *context;
    char arguments[1024], line[100];
    snprintf(arguments, sizeof arguments, "-q %s/job.yaml", folder->path);
    assert_int_equal(run(arguments), 0);
    const char *at = output;
    for (unsigned round = 0; round < 500; round++) {
        snprintf(line, sizeof line, "3-4 T1: hello from T1, round %u\n", round);
        at = strstr(at, line);
        assert_non_null(at);
        snprintf(line, sizeof line, "3-4 NC: hello from NC, round %u\n", round);
        at = strstr(at, line);
        assert_non_null(at);
    }
    assert_null(strstr(output, "missing"));
}

static void without_a_reader_they_do_not_wait(void **context)
{
    const struct folder *folder = *context;
    char arguments[1024];
    snprintf(arguments, sizeof arguments, "-q --no-print %s/job.yaml", folder->path);
    assert_int_equal(run(arguments), 0);
    assert_string_equal(output, "");
}

static void prints_come_before_the_deadlock_behind_them(void **context)
{
    static const char begin[] = "1-2 T1: waiting for tile 1 of 3, there are 2\n"
                                "1-2 T1: waiting for tile 2 of 3, there are 2\n"
                                "1-2 T1: waiting for tile 3 of 3, there are 2\n"
                                "error: Deadlock: tile (1,2): core T1 at 0x";
    need_kernels_of_jobs();
    assert_int_equal(run("kernels/broken/chatty_hang.yaml"), 5);
    assert_memory_equal(output, begin, strlen(begin));
    assert_contains(output, "polls 0x00030000 in L1, reads 0x2: nobody writes it");
    assert_int_equal(run("--limit 500 kernels/broken/chatty_hang.yaml"), 5);
    assert_memory_equal(output, begin, strlen("1-2 T1: waiting for tile 1 of 3, there are 2\n") * 3);
}

static void prints_that_make_no_sense_are_said(void **context)
{
    need_kernels_of_jobs();
    assert_int_equal(run("-q kernels/broken/bad_prints.yaml"), 0);
    assert_string_equal(output,
                        "1-2 B: one 1, two <%d: no argument>, three <%s: no argument>\n"
                        "1-2 B: a text at <no text at 0x50000000>, and its address 0x50000000\n"
                        "1-2 B: 7 <%y: no such conversion>\n"
                        "1-2 B: nothing<1 argument too many, the first 0x7>\n"
                        "1-2 B: <no format at 0x50000000, for 0 arguments>\n"
                        "1-2 B: <the print buffer at 0x16c00 was overwritten: word 0x12345678 at 0x16c98 begins "
                        "no message; what else it held is lost>\n");
}

/* DPRINT of tt-metal's kernels. */

/* `bhemu run OPTIONS` of a job of the project with so many lines of each core, in the folder. */
static int run_metal(const struct folder *folder, const char *options, const char *name, unsigned count)
{
    static char text[4096];
    char arguments[1024];
    snprintf(arguments, sizeof arguments, "%s/kernels/jobs/%s.yaml", BHEMU_SOURCE_DIR, name);
    FILE *file = fopen(arguments, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    snprintf(arguments, sizeof arguments,
             "-e 's|\\.\\./\\.\\./build|%s|' -e 's/values: .2./values: [%u]/' %s/all.yaml > %s/job.yaml && %s/bhemu "
             "run -q %s "
             "%s/job.yaml",
             BHEMU_BUILD_DIR, count, folder->path, folder->path, BHEMU_BUILD_DIR, options, folder->path);
    put_text(folder, "all.yaml", text);
    char command[2048];
    snprintf(command, sizeof command, "exec 2>&1; sed %s", arguments);
    return run_in_shell(command, output, sizeof output);
}

static const char *const metal_cores[] = {"B", "NC", "T0", "T1", "T2"};

/* Whether each core of both tiles has printed so many lines, each once and in order. */
static void assert_metal_lines(const char *kind, unsigned count)
{
    for (unsigned tile = 1; tile <= 2; tile++) {
        for (unsigned core = 0; core < 5; core++) {
            const char *at = output;
            for (unsigned line = 0; line < count; line++) {
                char expected[100];
                snprintf(expected, sizeof expected, "%u-2 %s: %s of %s, line %3u\n", tile, metal_cores[core], kind,
                         metal_cores[core], line);
                at = strstr(at, expected);
                assert_non_null(at);
                at += strlen(expected);
            }
        }
    }
    unsigned lines = 0;
    for (const char *at = output; (at = strchr(at, '\n')); at++) {
        lines++;
    }
    assert_int_equal(lines, 10 * count + (kind[0] == 's' ? 2 : 6));
    assert_null(strchr(output, '<'));
}

static void streams_of_metal_kernels_are_shown(void **context)
{
    static const char *const options[] = {"", "--timed", "--threads 2"};
    need_kernels();
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(run_metal(*context, options[i], "metal_print_stream", 40), 0);
        assert_metal_lines("stream", 40);
        assert_contains(output, "1-2 T1: fffe -5000000000 1.5 3.14\n");
    }
}

static void messages_of_metal_kernels_are_shown(void **context)
{
    static const char *const options[] = {"", "--timed", "--threads 2"};
    need_kernels();
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(run_metal(*context, options[i], "metal_print_messages", 100), 0);
        assert_metal_lines("message", 100);
        assert_contains(output, "1-2 T1: -2 0x0000b1ac 3.14 3.1415927 {}\n");
        assert_contains(output, "1-2 T1: GREEN RED | BLUE | (color)8 (color)13 color::GREEN ***GREEN\n");
        assert_contains(output, "1-2 T1:  -5000000000 1.5 true -1\n");
    }
}

static void metal_kernels_do_not_wait_for_nobody(void **context)
{
    need_kernels();
    assert_int_equal(run_metal(*context, "--no-print", "metal_print_stream", 100), 0);
    assert_string_equal(output, "");
    assert_int_equal(run_metal(*context, "--no-print", "metal_print_messages", 200), 0);
    assert_string_equal(output, "");
}

/* Whether each core of both tiles has printed its last lines, each once and in order, up to the one before `count`. */
static unsigned assert_last_metal_lines(const char *kind, unsigned count)
{
    unsigned lines = 0;
    for (unsigned of = 0; of < 10; of++) {
        char begin[60], expected[100];
        snprintf(begin, sizeof begin, "%u-2 %s: %s of %s, line ", 1 + of / 5, metal_cores[of % 5], kind,
                 metal_cores[of % 5]);
        const char *at = strstr(output, begin);
        for (unsigned line = at ? (unsigned)strtoul(at + strlen(begin), NULL, 10) : count; line < count; line++) {
            snprintf(expected, sizeof expected, "%s%3u\n", begin, line);
            assert_memory_equal(at, expected, strlen(expected));
            at = strstr(at + strlen(expected), begin);
            lines++;
        }
        assert_null(at);
    }
    return lines;
}

/* A snapshot holds what nobody has read yet, and the kernels' positions, which the job that goes on must not reset. */
static void jobs_that_go_on_print_what_is_left(void **context)
{
    static const char *const jobs[] = {"metal_print_stream", "metal_print_messages"};
    static const char *const kinds[] = {"stream", "message"};
    const struct folder *folder = *context;
    need_kernels();
    for (unsigned i = 0; i < 2; i++) {
        unsigned left = UINT32_MAX;
        for (unsigned clock = 9000; clock <= 18000; clock += 3000) {
            char options[400];
            snprintf(options, sizeof options, "--timed --save-at %u %s/saved", clock, folder->path);
            assert_int_equal(run_metal(folder, options, jobs[i], 40), 0);
            snprintf(options, sizeof options, "--timed --restore %s/saved", folder->path);
            assert_int_equal(run_metal(folder, options, jobs[i], 40), 0);
            unsigned lines = assert_last_metal_lines(kinds[i], 40);
            assert_true(lines <= left);
            left = lines;
        }
        assert_in_range(left, 1, 10 * 40 - 1);
    }
}

/* Gives the sections of formats addresses in memory, as those of tt-metal's kernels have, in no segment. */
static void allocate_formats(const char *path)
{
    FILE *file = fopen(path, "r+");
    Elf32_Ehdr header;
    assert_non_null(file);
    assert_int_equal(fread(&header, sizeof header, 1, file), 1);
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf32_Shdr section;
        long at = (long)(header.e_shoff + i * header.e_shentsize);
        assert_int_equal(fseek(file, at, SEEK_SET), 0);
        assert_int_equal(fread(&section, sizeof section, 1, file), 1);
        if (section.sh_type == SHT_PROGBITS && (section.sh_addr == 0x6400000 || section.sh_addr == 0x6500000)) {
            section.sh_flags |= SHF_ALLOC;
            assert_int_equal(fseek(file, at, SEEK_SET), 0);
            assert_int_equal(fwrite(&section, sizeof section, 1, file), 1);
        }
    }
    fclose(file);
}

static void formats_may_have_addresses_in_no_segment(void **context)
{
    const struct folder *folder = *context;
    char command[2048];
    need_kernels();
    snprintf(command, sizeof command, "mkdir %s/kernels && cp %s/kernels/metal*.elf %s/kernels", folder->path,
             BHEMU_BUILD_DIR, folder->path);
    assert_int_equal(run_in_shell(command, output, sizeof output), 0);
    for (unsigned i = 0; i < 5; i++) {
        static const char *const files[] = {"brisc", "trisc0", "trisc1", "trisc2", "ncrisc"};
        snprintf(command, sizeof command, "%s/kernels/metal_print_messages.%s.elf", folder->path, files[i]);
        allocate_formats(command);
    }
    snprintf(command, sizeof command,
             "exec 2>&1; sed 's|\\.\\./\\.\\./build/||' %s/kernels/jobs/metal_print_messages.yaml > %s/job.yaml && "
             "%s/bhemu run -q %s/job.yaml; rm -r %s/kernels",
             BHEMU_SOURCE_DIR, folder->path, BHEMU_BUILD_DIR, folder->path, folder->path);
    assert_int_equal(run_in_shell(command, output, sizeof output), 0);
    assert_metal_lines("message", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_five_cores_of_two_tiles_print_in_order),
        cmocka_unit_test(the_order_is_the_same_on_any_number_of_threads),
        cmocka_unit_test_setup_teardown(kernels_wait_while_a_buffer_is_full, make_job, remove_job),
        cmocka_unit_test_setup_teardown(without_a_reader_they_do_not_wait, make_job, remove_job),
        cmocka_unit_test(prints_come_before_the_deadlock_behind_them),
        cmocka_unit_test(prints_that_make_no_sense_are_said),
        cmocka_unit_test_setup_teardown(streams_of_metal_kernels_are_shown, make_job, remove_job),
        cmocka_unit_test_setup_teardown(messages_of_metal_kernels_are_shown, make_job, remove_job),
        cmocka_unit_test_setup_teardown(metal_kernels_do_not_wait_for_nobody, make_job, remove_job),
        cmocka_unit_test_setup_teardown(jobs_that_go_on_print_what_is_left, make_job, remove_job),
        cmocka_unit_test_setup_teardown(formats_may_have_addresses_in_no_segment, make_job, remove_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
