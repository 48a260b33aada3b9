/* The files of a job: errors in its input files name the job, the line, the file and the problem; output files replace
   no input file, and only regular files. */
#include "job_fixture.h"

#include <sys/stat.h>

#include "host/npy.h"

static const uint16_t words[4] = {1, 2, 3, 4};

static void put_words(const struct fixture *fixture, const char *name)
{
    struct bh_array array = {.type = BH_HOST_UINT16, .rows = 2, .columns = 2, .data = (void *)(uintptr_t)words};
    assert_int_equal(npy_write(in_folder(&fixture->folder, name), &array, NULL), BH_OK);
}

static int set_up(void **context)
{
    make_fixture(context);
    struct fixture *fixture = *context;
    const uint32_t copy[] = {lui(T0, 0x20000), lw(T1, T0, 0), lui(T0, 0x30000), sw(T1, T0, 0), SELF_JUMP};
    put_elf(&fixture->folder, "copy.elf", 0x1000, copy, 5);
    put_words(fixture, "words.npy");
    return 0;
}

#define PROGRAM "tiles:\n  - at: [1, 2]\n    programs: [{core: T0, elf: copy.elf}]\n"
#define INPUT(file, format) PROGRAM "    inputs:\n      - {address: 0x20000, format: " format ", file: " file "}\n"
#define WORDS INPUT("words.npy", "uint16")
#define OUTPUT(file, more)                                                                                             \
    "    outputs:\n      - {file: " file ", address: 0x30000, shape: [1, 2], format: uint16" more "}\n"
#define SECOND(file) "      - {file: " file ", address: 0x30000, shape: [1, 2], format: uint16}\n"

static void put_header(const struct fixture *fixture, const char *dictionary)
{
    char bytes[256] = "\x93NUMPY\x01";
    size_t length = strlen(dictionary);
    assert_true(length + 10 + 64 < sizeof bytes);
    bytes[8] = (char)length;
    memcpy(bytes + 10, dictionary, length);
    put_file(&fixture->folder, "bad.npy", bytes, 10 + length + 64);
}

static void arrays_are_refused_where_the_job_names_them(void **context)
{
    struct fixture *fixture = *context;
    static const struct {
        const char *dictionary, *cause;
    } cases[] = {
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (2, 2), }", "its element type is '>f4', not one of f4"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (2, 2), }", "its element type is '<c8', not one of"},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", "it is in Fortran order"},
        {"{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,), }", "its element type is [('x', '<f4')"},
        {"{'fortran_order': False, 'shape': (2,), }", "its element type is not said, not one of"},
        {"{'descr': '\n', 'fortran_order': False, 'shape': (2,), }", "its element type is '?', not one of"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (200, 2), }", "truncated: 64 bytes of data"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }",
         "bad.npy: a 2x2 array of float32 can not become int8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_header(fixture, cases[i].dictionary);
        fails(fixture, INPUT("bad.npy", "int8"), i == 7 ? BH_ERROR_ARGUMENT : BH_ERROR_FORMAT, cases[i].cause);
        assert_contains(fixture->error.text, "job.yaml:5: ");
        assert_contains(fixture->error.text, "bad.npy: ");
    }
    fails(fixture, WORDS OUTPUT("out.npy", ", expect: bad.npy"), BH_ERROR_FORMAT, "job.yaml:7: ");
    assert_contains(fixture->error.text, "bad.npy: 2x2, but the output is 1x2");
    fails(fixture, INPUT("none.npy", "int8"), BH_ERROR_IO, "job.yaml:5: ");
    assert_contains(fixture->error.text, "none.npy: No such file or directory");
    fails(fixture, "tiles:\n  - at: [1, 2]\n    programs:\n      - {core: T0, elf: words.npy}\n", BH_ERROR_FORMAT,
          "job.yaml:4: ");
    assert_contains(fixture->error.text, "words.npy: not an ELF file");
}

static void outputs_replace_nothing_that_the_job_reads(void **context)
{
    struct fixture *fixture = *context;
    const struct folder *folder = &fixture->folder;
    static const struct {
        const char *output, *cause;
    } cases[] = {
        {OUTPUT("words.npy", ""), "output words.npy can not be written: it is the file words.npy, which the job reads"},
        {OUTPUT("./words.npy", ""), "it is the file words.npy"},
        {OUTPUT("symbolic.npy", ""), "output symbolic.npy can not be written: it is the file words.npy"},
        {OUTPUT("hard.npy", ""), "output hard.npy can not be written: it is the file words.npy"},
        {OUTPUT("copy.elf", ""), "it is the file copy.elf"},
        {OUTPUT("job.yaml", ""), "output job.yaml can not be written: it is the file "},
        {OUTPUT("program", ""), "output program can not be written: it is the file copy.elf"},
        {OUTPUT("expect.npy", ", expect: expect.npy"), "it is the file expect.npy"},
        {OUTPUT("out.npy", "") SECOND("out.npy"), "it is the same file as output out.npy"},
        {OUTPUT("out.npy", "") SECOND("./out.npy"), "output ./out.npy can not be written: it is the same file"},
        {OUTPUT("late.npy", "") SECOND("to_late.npy"), "it is the same file as output late.npy"},
        {OUTPUT("fifo", ""), "fifo: is a FIFO or a pipe; only a regular file can be written"},
        {OUTPUT("/dev/full", ""), "/dev/full: is a character device; only a regular file can be written"},
    };
    put_words(fixture, "expect.npy");
    assert_int_equal(symlink("words.npy", in_folder(folder, "symbolic.npy")), 0);
    assert_int_equal(symlink("copy.elf", in_folder(folder, "program")), 0);
    assert_int_equal(symlink("late.npy", in_folder(folder, "to_late.npy")), 0);
    assert_int_equal(link(in_folder(folder, "words.npy"), in_folder(folder, "hard.npy")), 0);
    assert_int_equal(mkfifo(in_folder(folder, "fifo"), 0600), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text, WORDS "%s", cases[i].output);
        fails(fixture, text, BH_ERROR_IO, cases[i].cause);
        assert_int_equal(fixture->result.run.cycles, 0); /* it has not run */
    }
    /* Likewise for files of firmware and kernels. */
    fails(fixture,
          "launch:\n  kind: tt-metal\n  firmware: [{core: B, elf: copy.elf}, {core: NC, elf: a}, {core: T0, elf: a}, "
          "{core: T1, elf: a}, {core: T2, elf: a}]\ntiles:\n  - at: [1, 2]\n" OUTPUT("copy.elf", ""),
          BH_ERROR_IO, "it is the file copy.elf");
}

static void outputs_go_where_links_lead_and_keep_modes(void **context)
{
    struct fixture *fixture = *context;
    const struct folder *folder = &fixture->folder;
    struct stat link, file;
    put_text(folder, "real.npy", "old");
    assert_int_equal(chmod(in_folder(folder, "real.npy"), 0600), 0);
    assert_int_equal(symlink("real.npy", in_folder(folder, "out.npy")), 0);
    assert_int_equal(run(fixture, WORDS OUTPUT("out.npy", "")), BH_OK);
    assert_int_equal(lstat(in_folder(folder, "out.npy"), &link), 0);
    assert_int_equal(lstat(in_folder(folder, "real.npy"), &file), 0);
    assert_true(S_ISLNK(link.st_mode));
    assert_true(S_ISREG(file.st_mode));
    assert_int_equal(file.st_mode & 07777, 0600);
    struct bh_array array;
    assert_int_equal(npy_read(in_folder(folder, "real.npy"), &array, NULL), BH_OK);
    assert_memory_equal(array.data, words, 4);
    free(array.data);
    assert_int_equal(count_files(folder, 0), 5); /* the folder has only the job, its program and its input */
}

/* A small YAML file with aliases can expand to more than the memory. */
static void aliases_do_not_multiply_without_end(void **context)
{
    enum { MANY = 3000 };
    struct fixture *fixture = *context;
    size_t room = 64 + 2 * MANY * 6, used = 0;
    char *text = malloc(room);
    used += (size_t)snprintf(text, room, "tiles:\n  - at: [1, 2]\n    words: [&w {address: 0, values: [1");
    for (unsigned i = 1; i < MANY; i++) {
        used += (size_t)snprintf(text + used, room - used, ",1");
    }
    used += (size_t)snprintf(text + used, room - used, "]}");
    for (unsigned i = 1; i < 2 * MANY; i++) {
        used += (size_t)snprintf(text + used, room - used, ",*w");
    }
    snprintf(text + used, room - used, "]\n");
    fails(fixture, text, BH_ERROR_FORMAT, "job.yaml: more than 16777216 values");
    free(text);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, remove_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(arrays_are_refused_where_the_job_names_them),
        TEST(outputs_replace_nothing_that_the_job_reads),
        TEST(outputs_go_where_links_lead_and_keep_modes),
        TEST(aliases_do_not_multiply_without_end),
    };
    return cmocka_run_group_tests_name("host.job_files", tests, NULL, NULL);
}
