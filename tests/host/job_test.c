/* Jobs through the public API: the project's own succeed; of a wrong one the first error is reported in one line, and
   no file is written. */
#include "job_fixture.h"

#include <math.h>
#include <sys/stat.h>

#include "host/npy.h"
#include "host/read_file.h"

static void put_array(struct fixture *fixture, const char *name, enum bh_host_type type, size_t rows, size_t columns,
                      const void *data)
{
    struct bh_array array = {.type = type, .rows = rows, .columns = columns, .data = (void *)data};
    assert_int_equal(npy_write(in_folder(&fixture->folder, name), &array, NULL), BH_OK);
}

/* A program that copies one word from 0x20000 to 0x30000, one that never ends, one that stores to nothing. */
static int set_up(void **context)
{
    make_fixture(context);
    struct fixture *fixture = *context;
    const uint32_t copy[] = {lui(T0, 0x20000), lw(T1, T0, 0), lui(T0, 0x30000), sw(T1, T0, 0), SELF_JUMP};
    const uint32_t count[] = {addi(T0, T0, 1), jump(-4)};
    const uint32_t wild[] = {lui(T0, 0x40000000), sw(T1, T0, 0), SELF_JUMP};
    put_elf(&fixture->folder, "copy.elf", 0x1000, copy, 5);
    put_elf(&fixture->folder, "count.elf", 0x1000, count, 2);
    put_elf(&fixture->folder, "wild.elf", 0x1000, wild, 3);
    static const uint16_t words[4] = {0x1234, 0x5678, 0x9abc, 0xdef0};
    put_array(fixture, "words.npy", BH_HOST_UINT16, 2, 2, words);
    return 0;
}

#define TILE "tiles:\n  - at: [1, 2]\n"
#define PROGRAM "    programs: [{core: T0, elf: copy.elf}]\n"
#define INPUT "    inputs: [{file: words.npy, address: 0x20000, format: uint16}]\n"
#define OUTPUT "    outputs:\n      - {file: out.npy, address: 0x30000, shape: [1, 2], format: uint16}\n"
#define GOOD TILE PROGRAM INPUT

static void the_projects_kernels_give_what_they_should(void **context)
{
    struct fixture *fixture = *context;
    static const char *const jobs[] = {
        "add1",     "eltwise_add", "matmul32_lofi", "matmul32_hifi2", "matmul32_hifi3", "matmul32_hifi4", "matmul128",
        "dram_add", "dram_feed",   "matmul_grid",   "credits",        "messages",       "metal_add",      "fused"};
    if (access(BHEMU_BUILD_DIR "/kernels/built", R_OK) != 0 ||
        strcmp(BHEMU_BUILD_DIR, BHEMU_SOURCE_DIR "/build") != 0) {
        skip(); /* the jobs name the kernels of build/ */
    }
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        char path[512];
        snprintf(path, sizeof path, BHEMU_SOURCE_DIR "/kernels/jobs/%s.yaml", jobs[i]);
        if (run_file(fixture, path, fixture->folder.path) != BH_OK) {
            fail_msg("%s", fixture->error.text);
        }
        assert_int_equal(fixture->result.run.reason, BH_RAN_IDLE);
        assert_int_equal(fixture->result.outputs, 1);
        assert_int_equal(fixture->result.outputs_compared, 1);
        assert_int_equal(fixture->result.outputs_differ, 0);
        assert_true(fixture->result.run.riscv_instructions);
        assert_int_equal(fixture->diagnostics, 0);
    }
    assert_int_equal(run_file(fixture, BHEMU_SOURCE_DIR "/kernels/jobs/all_reduce.yaml", NULL), BH_OK);
    assert_int_equal(fixture->result.outputs_compared, 4);
    assert_int_equal(fixture->result.outputs_differ, 0);
}

static void a_job_writes_its_output(void **context)
{
    struct fixture *fixture = *context;
    assert_int_equal(run(fixture, GOOD OUTPUT), BH_OK);
    assert_int_equal(fixture->result.run.reason, BH_RAN_IDLE);
    assert_int_equal(fixture->result.outputs, 1);
    assert_int_equal(fixture->result.outputs_compared, 0);
    struct bh_array array;
    assert_int_equal(npy_read(in_folder(&fixture->folder, "out.npy"), &array, NULL), BH_OK);
    assert_int_equal(array.type, BH_HOST_UINT16);
    assert_int_equal(array.rows, 1);
    assert_int_equal(array.columns, 2);
    assert_memory_equal(array.data, ((const uint16_t[]){0x1234, 0x5678}), 4);
    free(array.data);
}

/* Of a job without a file: it is named as if it had one, and its files are relative to that one's folder. */
static void a_text_is_a_job(void **context)
{
    struct fixture *fixture = *context;
    struct bh_job *job;
    char path[sizeof fixture->folder.path + 10];
    snprintf(path, sizeof path, "%s/no-file", fixture->folder.path);
    assert_int_equal(bh_job_parse(GOOD OUTPUT, path, &job, &fixture->error), BH_OK);
    assert_int_equal(bh_job_run(job, NULL, &fixture->result, &fixture->error), BH_OK);
    assert_int_equal(fixture->result.outputs, 1);
    assert_int_equal(access(in_folder(&fixture->folder, "out.npy"), R_OK), 0);
    bh_job_free(job);
    assert_int_equal(bh_job_parse(TILE "    program: []\n", path, &job, &fixture->error), BH_ERROR_FORMAT);
    assert_null(job);
    assert_contains(fixture->error.text, "/no-file:3: 'program' is no key here");
    assert_int_equal(bh_job_parse("tiles: [", path, &job, &fixture->error), BH_ERROR_FORMAT);
    assert_int_equal(bh_job_parse(NULL, path, &job, &fixture->error), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_job_parse(GOOD, NULL, &job, &fixture->error), BH_ERROR_ARGUMENT);
}

static void a_job_needs_no_outputs(void **context)
{
    struct fixture *fixture = *context;
    assert_int_equal(run(fixture, GOOD), BH_OK);
    assert_int_equal(fixture->result.outputs, 0);
    assert_int_equal(run(fixture, TILE PROGRAM "    outputs: []\n"), BH_OK);
    assert_int_equal(fixture->result.outputs, 0);
}

static void what_differs_is_told(void **context)
{
    struct fixture *fixture = *context;
    put_array(fixture, "expect.npy", BH_HOST_UINT16, 1, 2, (const uint16_t[]){0x1234, 0x5679});
    const char *text =
        GOOD "    outputs:\n      - {address: 0x30000, shape: [1, 2], format: uint16, expect: expect.npy}\n";
    assert_int_equal(run(fixture, text), BH_OK);
    assert_int_equal(fixture->result.outputs_compared, 1);
    assert_int_equal(fixture->result.outputs_differ, 1);
    assert_contains(fixture->result.mismatch.text, "1 of 2 elements differ, first at [0,1]: 22136 instead of 22137");
    put_array(fixture, "expect.npy", BH_HOST_UINT16, 1, 2, (const uint16_t[]){0x1234, 0x5678});
    assert_int_equal(run(fixture, text), BH_OK);
    assert_int_equal(fixture->result.outputs_differ, 0);
}

static void tolerance_is_for_numbers_only(void **context)
{
    struct fixture *fixture = *context;
    const char *text = TILE PROGRAM "    words: [{address: 0x20000, values: [0x3f800000]}]\n"
                                    "    outputs:\n      - {address: 0x30000, shape: [1, 1], format: fp32, expect: "
                                    "expect.npy, tolerance: 0.01}\n";
    put_array(fixture, "expect.npy", BH_HOST_FLOAT32, 1, 1, (const float[]){1.005F});
    assert_int_equal(run(fixture, text), BH_OK);
    assert_int_equal(fixture->result.outputs_differ, 0);
    put_array(fixture, "expect.npy", BH_HOST_FLOAT32, 1, 1, (const float[]){1.05F});
    assert_int_equal(run(fixture, text), BH_OK);
    assert_int_equal(fixture->result.outputs_differ, 1);
    put_array(fixture, "expect.npy", BH_HOST_FLOAT32, 1, 1, (const float[]){NAN});
    assert_int_equal(run(fixture, text), BH_OK);
    assert_int_equal(fixture->result.outputs_differ, 1);
}

static void job_files_that_are_none_are_refused(void **context)
{
    struct fixture *fixture = *context;
    assert_int_equal(run_file(fixture, "no/such.yaml", NULL), BH_ERROR_IO);
    assert_string_equal(fixture->error.text, "no/such.yaml: No such file or directory");
    assert_int_equal(run_file(fixture, fixture->folder.path, NULL), BH_ERROR_IO);
    assert_contains(fixture->error.text, "Is a directory");
    fails(fixture, "", BH_ERROR_FORMAT, "empty");
    fails(fixture, "# nothing\n", BH_ERROR_FORMAT, "empty");
    fails(fixture, "tiles: [", BH_ERROR_FORMAT, "job.yaml:1: did not find expected node content");
    fails(fixture, "\177ELF\1\1\1", BH_ERROR_FORMAT, "job.yaml: ");
    fails(fixture, "just words", BH_ERROR_FORMAT,
          "job.yaml:1: 'just words' is not allowed; it has to be a mapping with keys");
    fails(fixture, "tiles: 3\n", BH_ERROR_FORMAT, "job.yaml:1: tiles: '3'");
    fails(fixture, "limit: 3\n", BH_ERROR_FORMAT, "tiles");
    fails(fixture, "tiles: []\n", BH_ERROR_FORMAT, "job.yaml:1: tiles: a list of 0 is not allowed");
    assert_int_equal(run_file(fixture, "/dev/null", NULL), BH_ERROR_FORMAT);
}

static void what_a_job_names_must_be_there(void **context)
{
    struct fixture *fixture = *context;
    fails(fixture, "tiles:\n  - at: [17, 12]\n" PROGRAM, BH_ERROR_ARGUMENT,
          "tile (17,12) has no core T0; it has DRISC");
    fails(fixture, "tiles:\n  - at: [1, 12]\n" PROGRAM, BH_ERROR_ARGUMENT, "there is no tile at (1,12)");
    fails(fixture, TILE "    programs: [{core: T0, elf: none.elf}]\n", BH_ERROR_IO, "none.elf: No such file");
    fails(fixture, TILE "    programs: [{core: T0, elf: words.npy}]\n", BH_ERROR_FORMAT, "words.npy: not an ELF file");
    fails(fixture, TILE PROGRAM "    inputs: [{file: none.npy, address: 0x20000, format: bf16}]\n", BH_ERROR_IO,
          "none.npy: No such file");
    fails(fixture, TILE PROGRAM "    inputs: [{file: copy.elf, address: 0x20000, format: bf16}]\n", BH_ERROR_FORMAT,
          "copy.elf: not a .npy file");
    fails(fixture, GOOD "    outputs: [{address: 0, shape: [1, 1], format: bf16, expect: none.npy}]\n", BH_ERROR_IO,
          "none.npy: No such file");
    assert_int_equal(fixture->diagnostics, 0);
}

static void names_are_unique(void **context)
{
    struct fixture *fixture = *context;
    fails(fixture, TILE "    programs: [{core: T0, elf: copy.elf}, {core: T0, elf: count.elf}]\n", BH_ERROR_FORMAT,
          "job.yaml:3: core T0 has two programs");
    fails(fixture, TILE PROGRAM "  - at: [1, 2]\n" PROGRAM, BH_ERROR_FORMAT, "tile (1,2) is there twice");
    fails(fixture, TILE PROGRAM "    start: [T0, T0]\n", BH_ERROR_FORMAT, "job.yaml:4: core T0 is started twice");
    fails(fixture, TILE PROGRAM "    start: [T0, NC]\n", BH_ERROR_FORMAT, "job.yaml:4: core NC is to start");
}

static void tensors_must_fit(void **context)
{
    struct fixture *fixture = *context;
    fails(fixture, TILE PROGRAM "    inputs: [{file: words.npy, address: 0x20000, format: bf16, layout: tiles}]\n",
          BH_ERROR_ARGUMENT,
          "words.npy: a 2x2 array of uint16 can not be cut into tiles: rows and columns must be multiples of 32");
    fails(fixture, TILE PROGRAM "    inputs: [{file: words.npy, address: 0x20000, format: fp32}]\n", BH_ERROR_ARGUMENT,
          "a 2x2 array of uint16 can not become fp32");
    fails(fixture, TILE PROGRAM "    inputs: [{file: words.npy, address: 0x17fffc, format: bf16}]\n", BH_ERROR_ADDRESS,
          "job.yaml:4: words.npy: 8 bytes at 0x17fffc of tile (1,2) reach beyond L1, which ends at 0x180000");
    fails(fixture, TILE PROGRAM "    words: [{address: 0x17fffc, values: [1, 2]}]\n", BH_ERROR_ADDRESS,
          "job.yaml:4: words: 8 bytes at 0x17fffc of tile (1,2) reach beyond L1");
    static const struct {
        const char *output;
        enum bh_status status;
        const char *cause;
    } outputs[] = {
        {"address: 0x17fffe, shape: [1, 2], format: bf16", BH_ERROR_ADDRESS,
         "job.yaml:5: out.npy: 4 bytes at 0x17fffe of tile (1,2) reach beyond L1"},
        {"address: 0, shape: [0, 2], format: bf16", BH_ERROR_FORMAT, "shape: '0' is not allowed"},
        {"address: 0, shape: [4294967295, 4294967295], format: bf16", BH_ERROR_FORMAT, "larger than any memory"},
        {"address: 0, shape: [16, 32], format: bf16, layout: tiles", BH_ERROR_FORMAT, "multiples of 32"},
        {"address: 0, shape: [2, 3], format: uint16, expect: words.npy", BH_ERROR_FORMAT,
         "words.npy: 2x2, but the output is 2x3"},
        {"address: 0, shape: [2, 2], format: fp32, expect: words.npy", BH_ERROR_ARGUMENT,
         "2x2 elements in fp32 can not become an array of uint16, which is expected"},
    };
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        char text[512];
        snprintf(text, sizeof text, GOOD "    outputs: [{file: out.npy, %s}]\n", outputs[i].output);
        fails(fixture, text, outputs[i].status, outputs[i].cause);
    }
}

static void inputs_do_not_overlap(void **context)
{
    struct fixture *fixture = *context;
    fails(fixture,
          TILE PROGRAM "    inputs:\n      - {file: words.npy, address: 0x20000, format: uint16}\n"
                       "      - {file: words.npy, address: 0x20006, format: uint16}\n",
          BH_ERROR_FORMAT, "inputs words.npy (0x20000, 8 bytes) and words.npy (0x20006, 8 bytes) overlap");
    fails(fixture, TILE PROGRAM "    inputs: [{file: words.npy, address: 0x1010, format: uint16}]\n", BH_ERROR_FORMAT,
          "input words.npy (0x1010, 8 bytes) overlaps the program copy.elf");
    assert_int_equal(run(fixture, TILE PROGRAM "    inputs:\n"
                                               "      - {file: words.npy, address: 0x1014, format: uint16}\n"
                                               "      - {file: words.npy, address: 0x101c, format: uint16}\n"),
                     BH_OK);
}

#define GRID "tiles:\n  - columns: [1, 2]\n    rows: [2, 5]\n"
#define SEEN "    outputs: [{address: 0x30000, shape: [1, 1], format: int32, expect: expect.npy}]\n"

/* Each of four tiles copies its word; the expectation holds for one, or for all. */
static void entries_of_several_tiles_have_words_for_each(void **context)
{
    struct fixture *fixture = *context;
    static const struct {
        const char *words;
        int32_t expected;
        unsigned differ;
    } cases[] = {
        {"values: [7]", 7, 0},
        {"values: [7], by_column: [1], by_row: [16]", 7 + 1 + 16, 3},
        {"values: [7], by_row: [16]", 7 + 16, 2},
        {"values: [7], by_column: [1]", 7, 2},
        {"each: [3, 4, 5, 6]", 4, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, GRID PROGRAM "    words: [{address: 0x20000, %s}]\n" SEEN, cases[i].words);
        put_array(fixture, "expect.npy", BH_HOST_INT32, 1, 1, &cases[i].expected);
        assert_int_equal(run(fixture, text), BH_OK);
        assert_int_equal(fixture->result.outputs_compared, 4);
        assert_int_equal(fixture->result.outputs_differ, cases[i].differ);
    }
    assert_int_equal(run(fixture, GRID PROGRAM INPUT "    words: [{address: 0x20000, values: [7]}]\n"), BH_OK);
}

static void entries_of_several_tiles_are_checked(void **context)
{
    struct fixture *fixture = *context;
    fails(fixture, GRID PROGRAM "    at: [1, 2]\n", BH_ERROR_FORMAT, "entry 1 of tiles has neither");
    fails(fixture, TILE PROGRAM "  - columns: [1]\n" PROGRAM, BH_ERROR_FORMAT, "entry 2 of tiles has neither");
    fails(fixture, TILE PROGRAM "  - columns: [2, 1]\n    rows: [2]\n" PROGRAM, BH_ERROR_FORMAT,
          "tile (1,2) is there twice");
    fails(fixture, "tiles:\n  - columns: [1, 2, 1]\n    rows: [2]\n" PROGRAM, BH_ERROR_FORMAT,
          "tile (1,2) is there twice");
    fails(fixture, "tiles:\n  - columns: [7, 9]\n    rows: [2]\n" PROGRAM, BH_ERROR_ARGUMENT,
          "job.yaml:2: there is no tile at (9,2)");
    fails(fixture, GRID PROGRAM "    words: [{address: 0x20000}]\n", BH_ERROR_FORMAT,
          "job.yaml:5: either values or each has to be there");
    fails(fixture, GRID PROGRAM "    words: [{address: 0x20000, values: [1], each: [1, 2, 3, 4]}]\n", BH_ERROR_FORMAT,
          "either values or each has");
    fails(fixture, GRID PROGRAM "    words: [{address: 0x20000, each: [1, 2, 3]}]\n", BH_ERROR_FORMAT,
          "job.yaml:5: each has 3 words, not as many for each of 4 tiles");
    fails(fixture, GRID PROGRAM "    words: [{address: 0x20000, values: [1], by_row: [1, 2]}]\n", BH_ERROR_FORMAT,
          "fewer values than by_column or by_row");
    fails(fixture, GRID PROGRAM OUTPUT, BH_ERROR_FORMAT, "output out.npy: several tiles would write the same file");
}

#define DRAM_INPUT "dram:\n  inputs: [{file: rows.npy, format: uint16, "

/* Pages go around the channels, 64 bytes apart; compared with tiles of DRAM, and with a tensor of the same layout. */
static void tensors_in_dram_are_interleaved(void **context)
{
    struct fixture *fixture = *context;
    uint16_t rows[20];
    for (unsigned i = 0; i < 20; i++) {
        rows[i] = (uint16_t)(0x1000 + i);
    }
    put_array(fixture, "rows.npy", BH_HOST_UINT16, 10, 2, rows);
    put_array(fixture, "row9.npy", BH_HOST_UINT16, 1, 2, rows + 18);
    put_array(fixture, "rows23.npy", BH_HOST_UINT16, 1, 4, rows + 4);
    /* Row 9 is the second page of channel 1. */
    assert_int_equal(run(fixture,
                         DRAM_INPUT "address: 0x80001000}]\n"
                                    "  outputs:\n"
                                    "    - {address: 0x80001000, shape: [10, 2], format: uint16, expect: rows.npy}\n"
                                    "    - {address: 0x80001040, channels: [1], shape: [1, 2], format: uint16, expect: "
                                    "row9.npy}\n"
                                    "tiles:\n  - at: [17, 16]\n"
                                    "    outputs: [{address: 0x80001040, shape: [1, 2], format: uint16, expect: "
                                    "row9.npy}]\n"),
                     BH_OK);
    assert_int_equal(fixture->result.outputs_compared, 3);
    assert_int_equal(fixture->result.outputs_differ, 0);
    /* Pages of two rows go around channels 6 and 2: the second page is the first of channel 2. */
    assert_int_equal(run(fixture, DRAM_INPUT
                         "address: 64, page: 8, channels: [6, 2]}]\n"
                         "  outputs:\n"
                         "    - {address: 64, page: 8, channels: [6, 2], shape: [10, 2], format: uint16, "
                         "expect: rows.npy}\n"
                         "tiles:\n  - at: [17, 20]\n"
                         "    outputs: [{address: 64, shape: [1, 4], format: uint16, expect: rows23.npy}]\n"),
                     BH_OK);
    assert_int_equal(fixture->result.outputs_compared, 2);
    assert_int_equal(fixture->result.outputs_differ, 0);
}

/* A tile of BFP8 has 1088 bytes: the second tile is the next page, on the next channel. */
static void tensors_of_block_formats_are_in_tiles(void **context)
{
    struct fixture *fixture = *context;
    static float matrix[32][64];
    static uint8_t second[1088] = {[0] = 127, [64] = 0x40, [65] = 0xe0};
    matrix[0][32] = 1, matrix[0][33] = -1.5f;
    put_array(fixture, "matrix.npy", BH_HOST_FLOAT32, 32, 64, matrix);
    put_array(fixture, "second.npy", BH_HOST_UINT8, 1, sizeof second, second);
    const char *job = "dram:\n  inputs: [{file: matrix.npy, format: bfp8, layout: tiles, address: 0x1000}]\n"
                      "  outputs:\n"
                      "    - {address: 0x1000, shape: [32, 64], format: bfp8, layout: tiles, expect: matrix.npy}\n"
                      "    - {address: 0x1000, channels: [1], shape: [1, 1088], format: uint8, expect: second.npy}\n"
                      "tiles:\n  - at: [1, 2]\n"
                      "    inputs: [{file: matrix.npy, format: bfp4, layout: tiles, address: 0x20000}]\n"
                      "    outputs: [{address: 0x20000, shape: [32, 64], format: bfp4, layout: tiles, "
                      "expect: matrix.npy}]\n";
    if (run(fixture, job) != BH_OK) {
        fail_msg("%s", fixture->error.text);
    }
    assert_int_equal(fixture->result.outputs_compared, 3);
    assert_int_equal(fixture->result.outputs_differ, 0);
}

/* On a p100a the last channel and the last columns do not exist. */
static void a_job_says_which_board(void **context)
{
    struct fixture *fixture = *context;
    put_array(fixture, "rows.npy", BH_HOST_UINT16, 8, 1, (const uint16_t[8]){1, 2, 3, 4, 5, 6, 7, 8});
    put_array(fixture, "row7.npy", BH_HOST_UINT16, 1, 1, (const uint16_t[1]){8});
    const char *text = "board: p100a\n" DRAM_INPUT "address: 0}]\n"
                       "  outputs: [{address: 64, channels: [0], shape: [1, 1], format: uint16, expect: row7.npy}]\n"
                       "tiles:\n  - at: [%u, 2]\n" PROGRAM;
    char job[512];
    snprintf(job, sizeof job, text, 14U);
    assert_int_equal(run(fixture, job), BH_OK);
    assert_int_equal(fixture->result.outputs_compared, 1);
    assert_int_equal(fixture->result.outputs_differ, 0);
    snprintf(job, sizeof job, text, 16U);
    assert_int_equal(run(fixture, job), BH_ERROR_ARGUMENT);
    assert_contains(fixture->error.text, "(16,2)");
    fails(fixture, "board: p100a\n" DRAM_INPUT "address: 0, channels: [7]}]\n" GOOD, BH_ERROR_FORMAT,
          "rows.npy: channel 7 of DRAM is not there; they are 0 to 6");
}

static void tensors_in_dram_are_checked(void **context)
{
    struct fixture *fixture = *context;
    put_array(fixture, "rows.npy", BH_HOST_UINT16, 10, 2, (const uint16_t[20]){});
    static const struct {
        const char *place;
        enum bh_status status;
        const char *cause;
    } cases[] = {
        {"address: 0, channels: [8]", BH_ERROR_FORMAT,
         "channels: '8' is not allowed; it has to be a whole number from 0 to 7"},
        {"address: 0, channels: [1, 2, 1]", BH_ERROR_FORMAT, "rows.npy: channel 1 of DRAM is there twice"},
        {"address: 0, page: 6", BH_ERROR_FORMAT, "40 bytes are no whole number of pages of 6 bytes"},
        {"address: 0xffffffc0", BH_ERROR_ADDRESS,
         "rows.npy: 40 bytes at 0xffffffc0 of DRAM reach beyond the memory of a channel, which ends at 0x100000000"},
        {"address: 0}, {file: rows.npy, format: uint16, address: 64, channels: [1]", BH_ERROR_FORMAT,
         "inputs rows.npy (0x0, 40 bytes) and rows.npy (0x40, 40 bytes) overlap"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, DRAM_INPUT "%s}]\n" TILE PROGRAM, cases[i].place);
        fails(fixture, text, cases[i].status, cases[i].cause);
    }
    /* Channel 2 has one page less, and a tile of DRAM is the same memory. */
    assert_int_equal(run(fixture, DRAM_INPUT "address: 0}, {file: rows.npy, format: uint16, address: 64, channels: "
                                             "[2]}]\n" TILE PROGRAM),
                     BH_OK);
    fails(fixture,
          DRAM_INPUT "address: 0}]\ntiles:\n  - at: [18, 14]\n    inputs: [{file: rows.npy, address: 2, format: "
                     "uint16}]\n",
          BH_ERROR_FORMAT, "overlap");
    fails(fixture,
          "dram:\n  outputs: [{file: out.npy, address: 0xfffffff0, shape: [9, 16], format: int8}]\n" TILE PROGRAM,
          BH_ERROR_ADDRESS, "out.npy: 144 bytes at 0xfffffff0 of DRAM reach beyond the memory of a channel");
    fails(fixture, TILE PROGRAM "    inputs: [{file: rows.npy, address: 0x20000, page: 4, format: uint16}]\n",
          BH_ERROR_FORMAT, "page");
}

/* Either all outputs are written or none, and nothing else is left. */
static void outputs_are_written_all_or_none(void **context)
{
    struct fixture *fixture = *context;
    const char *text = GOOD OUTPUT "      - {file: taken, address: 0x30000, shape: [1, 2], format: uint16}\n";
    fails(fixture, GOOD "    outputs: [{file: no/out.npy, address: 0, shape: [1, 1], format: bf16}]\n", BH_ERROR_IO,
          "job.yaml:5: output no/out.npy can not be written: /");
    put_text(&fixture->folder, "job.yaml", text);
    assert_int_equal(run_file(fixture, in_folder(&fixture->folder, "job.yaml"), "/no/such/folder"), BH_ERROR_IO);
    assert_contains(fixture->error.text, "/no/such/folder: No such file or directory");
    /* A folder has the name of the second output. */
    assert_int_equal(mkdir(in_folder(&fixture->folder, "taken"), 0777), 0);
    fails(fixture, text, BH_ERROR_IO, "/taken: Is a directory");
    assert_int_equal(rmdir(in_folder(&fixture->folder, "taken")), 0);
    assert_int_equal(run(fixture, text), BH_OK);
    assert_int_equal(access(in_folder(&fixture->folder, "taken"), R_OK), 0);
    assert_int_equal(access(in_folder(&fixture->folder, "out.npy"), R_OK), 0);
}

/* Existing output files are unchanged when a job fails. */
static void a_failed_job_leaves_old_outputs_alone(void **context)
{
    struct fixture *fixture = *context;
    put_text(&fixture->folder, "out.npy", "old");
    fails(fixture, "limit: 1000\n" TILE "    programs: [{core: T0, elf: count.elf}]\n" OUTPUT, BH_ERROR_STOPPED,
          "not finished after 1000 emulated steps");
    assert_int_equal(fixture->diagnostics, 1);
    assert_int_equal(fixture->last.action, BH_WARN); /* says where it was */
    fails(fixture, TILE "    programs: [{core: T0, elf: wild.elf}]\n" OUTPUT, BH_ERROR_STOPPED,
          "emulated steps: UndefinedBehavior: store by T0 at 0x40000000");
    assert_int_equal(fixture->diagnostics, 2);
    assert_int_equal(fixture->last.category, BH_UNDEFINED_BEHAVIOR);
    assert_int_equal(fixture->last.pc, 0x1004);
    size_t size;
    uint8_t *bytes;
    assert_int_equal(read_file(in_folder(&fixture->folder, "out.npy"), &bytes, &size, NULL), BH_OK);
    assert_int_equal(size, 3);
    assert_memory_equal(bytes, "old", 3);
    free(bytes);
}

static void long_runs_tell_their_progress(void **context)
{
    struct fixture *fixture = *context;
    fails(fixture, "limit: 30000000\n" TILE "    programs: [{core: T0, elf: count.elf}]\n", BH_ERROR_STOPPED,
          "not finished after 30000000 emulated steps (its limit)");
    assert_in_range(fixture->progress, 5, 100);
    assert_int_equal(fixture->result.run.cycles, 30000000);
    assert_int_equal(fixture->result.run.riscv_instructions, 30000000);
}

static void arguments_are_checked(void **context)
{
    struct fixture *fixture = *context;
    struct bh_job *job;
    assert_int_equal(bh_job_load(NULL, &job, &fixture->error), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_job_load("x", NULL, &fixture->error), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_job_run(NULL, NULL, &fixture->result, &fixture->error), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_job_load(put_text(&fixture->folder, "job.yaml", GOOD), &job, NULL), BH_OK);
    assert_int_equal(bh_job_run(job, NULL, NULL, NULL), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_job_run(job, NULL, &fixture->result, NULL), BH_OK);
    assert_int_equal(bh_job_run(job, NULL, &fixture->result, NULL), BH_OK); /* again, on a new device */
    bh_job_free(job);
    bh_job_free(NULL);
}

/* NC stays in the jump in its instruction cache (InstructionCache.md): the job ends, but not as its programs intend. */
static void a_core_that_does_not_see_its_new_program_is_told_of(void **context)
{
    enum { NOP = 0x13 };
    struct fixture *fixture = *context;
    const uint32_t parked[] = {jump(0), jump(0)};
    const uint32_t writer[] = {
        addi(T1, ZERO, 1000), addi(T1, T1, -1), branch(BNE, T1, ZERO, -4), lui(T0, 0x14000), addi(T2, ZERO, NOP),
        sw(T2, T0, 0),        jump(0)};
    put_elf(&fixture->folder, "parked.elf", 0x14000, parked, 2);
    put_elf(&fixture->folder, "writer.elf", 0x10000, writer, 7);
    assert_int_equal(run(fixture, TILE "    programs: [{core: B, elf: writer.elf}, {core: NC, elf: parked.elf}]\n"),
                     BH_OK);
    assert_int_equal(fixture->diagnostics, 1);
    assert_int_equal(fixture->last.action, BH_WARN);
    assert_contains(fixture->last.text, "core NC at 0x00014000 keeps to the jump to itself");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, remove_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_projects_kernels_give_what_they_should),
        TEST(a_job_writes_its_output),
        TEST(a_text_is_a_job),
        TEST(a_job_needs_no_outputs),
        TEST(a_core_that_does_not_see_its_new_program_is_told_of),
        TEST(what_differs_is_told),
        TEST(tolerance_is_for_numbers_only),
        TEST(job_files_that_are_none_are_refused),
        TEST(what_a_job_names_must_be_there),
        TEST(names_are_unique),
        TEST(tensors_must_fit),
        TEST(inputs_do_not_overlap),
        TEST(entries_of_several_tiles_have_words_for_each),
        TEST(entries_of_several_tiles_are_checked),
        TEST(tensors_in_dram_are_interleaved),
        TEST(tensors_of_block_formats_are_in_tiles),
        TEST(a_job_says_which_board),
        TEST(tensors_in_dram_are_checked),
        TEST(outputs_are_written_all_or_none),
        TEST(a_failed_job_leaves_old_outputs_alone),
        TEST(long_runs_tell_their_progress),
        TEST(arguments_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
