/* bhemu run --dump and --dump-at, on the project's kernels: what Dst holds before it is packed is what the job expects
   in the end; a hang is dumped where it is; JSON and arrays say the same; and wrong options. */
#include "host/files.h"
#include "host/kernels.h"
#include "host/process.h"

#include "host/npy.h"
#include "json_reader.h"

enum { TILE = 32 };

static char output[1 << 22], text[1 << 22];

static int run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int run(const char *format, ...)
{
    char arguments[2000], command[4096];
    va_list list;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    snprintf(command, sizeof command, "exec 2>&1; cd %s && %s/bhemu run -q %s", BHEMU_SOURCE_DIR, BHEMU_BUILD_DIR,
             arguments);
    return run_in_shell(command, output, sizeof output);
}

/* `text` becomes the file. */
static void get(const struct folder *folder, const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    FILE *file = fopen(path, "r");
    if (!file) {
        fail_msg("there is no %s", path);
    }
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
}

static struct bh_array get_array(const char *path)
{
    struct bh_array array;
    struct bh_error error;
    if (npy_read(path, &array, &error) != BH_OK) {
        fail_msg("%s", error.text);
    }
    return array;
}

/* Where thread t2 has its first PACR pushed, in hexadecimal. */
static void find_packing(const struct folder *folder, const char *job, char pc[16])
{
    assert_int_equal(run("--log %s/log --log-unit pack %s", folder->path, job), 0);
    get(folder, "log");
    char *at = strstr(text, " PACR ");
    assert_non_null(at);
    while (*--at == ' ') {
    }
    at -= 9;
    assert_int_equal(strncmp(at, "0x", 2), 0);
    snprintf(pc, 16, "%.10s", at);
}

/* The values of a .npy file of float32, or of BF16 as ml_dtypes keeps it. */
static float value_of(const struct bh_array *array, unsigned i)
{
    float value;
    if (array->type == BH_HOST_BFLOAT16) {
        uint32_t bits = (uint32_t)((const uint16_t *)array->data)[i] << 16;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    assert_int_equal(array->type, BH_HOST_FLOAT32);
    return ((const float *)array->data)[i];
}

/* Before the packer reads its only tile, Dst holds what it then writes: the output that the job expects. */
static void the_product_is_in_dst(const struct folder *folder, const char *job, const char *expected, const char *mode)
{
    char pc[16], path[1000];
    find_packing(folder, job, pc);
    assert_int_equal(run("%s --tile 1-2 --dump 'dst tiles 0 1:%s/dst.npy' --dump 'dst tile 0 1:%s/dst.json' "
                         "--dump-at t2:%s %s",
                         mode, folder->path, folder->path, pc, job),
                     0);
    assert_string_equal(output, "");
    get(folder, "dst.json");
    assert_true(json_is(text, "0.tiles.0.dst.format", "bf16"));
    snprintf(path, sizeof path, "%s/dst.npy", folder->path);
    struct bh_array dst = get_array(path), tensor = get_array(expected);
    assert_int_equal(dst.rows * dst.columns, TILE * TILE);
    assert_int_equal(tensor.rows * tensor.columns, TILE * TILE);
    for (unsigned i = 0; i < TILE * TILE; i++) {
        snprintf(path, sizeof path, "0.tiles.0.dst.tiles.0.%u.%u", i / TILE, i % TILE);
        assert_true(value_of(&dst, i) == value_of(&tensor, i));
        assert_true((float)json_number(text, path) == value_of(&tensor, i));
    }
    free(dst.data);
    free(tensor.data);
}

static void dst_before_packing_is_the_output(void **context)
{
    need_kernels_of_jobs();
    const char *data = BHEMU_SOURCE_DIR "/kernels/jobs/data";
    char lofi[1000], hifi4[1000];
    snprintf(lofi, sizeof lofi, "%s/matmul32_phases1.npy", data);
    snprintf(hifi4, sizeof hifi4, "%s/matmul32_phases4.npy", data);
    the_product_is_in_dst(*context, "kernels/jobs/matmul32_lofi.yaml", lofi, "");
    the_product_is_in_dst(*context, "kernels/jobs/matmul32_hifi4.yaml", hifi4, "");
    the_product_is_in_dst(*context, "kernels/jobs/matmul32_lofi.yaml", lofi, "--timed");
}

static void a_hang_is_dumped_where_it_is(void **context)
{
    const struct folder *folder = *context;
    need_kernels_of_jobs();
    assert_int_equal(run("--dump all:%s/all.json kernels/broken/mixed_up.yaml", folder->path), 5);
    get(folder, "all.json");
    assert_true(json_is(text, "0.title", "at a stop"));
    assert_true(json_is(text, "0.tiles.0.fifos.0.stage", "unpacker 0"));
    assert_true(json_is(text, "0.tiles.0.srcb.banks.0.owner", "unpackers"));
    assert_true(json_is(text, "0.tiles.0.srca.banks.0.owner", "matrix unit"));
    assert_true(json_is(text, "0.tiles.0.cores.T1.state", "waits"));
    assert_true(json_is(text, "0.tiles.0.cores.B.state", "in reset"));
    assert_int_equal(json_number(text, "0.tiles.0.semaphores.1.value"), 0);
    assert_int_equal(json_number(text, "0.tiles.0.config.bank_of_T1"), 0);
    assert_non_null(strstr(text, "\"source\":\"done (kernels/eltwise_add/math.S:"));
    assert_non_null(strstr(text, "\"instruction\":\"ELWADD clear_dvalid=0,"));
    assert_non_null(strstr(text, "\"source\":\"tile (kernels/eltwise_add/math.S:"));
}

/* What Python reads and writes again is the same; numbers of 32 bits are not rounded. */
static void python_reads_what_is_written(void **context)
{
    const struct folder *folder = *context;
    char command[3000];
    need_kernels_of_jobs();
    assert_int_equal(
        run("--dump all:%s/all.json --dump 'lregs':%s/all.json kernels/jobs/dram_add.yaml", folder->path, folder->path),
        0);
    snprintf(command, sizeof command,
             "exec 2>&1; cd %s && python3 -c '\n"
             "import json\n"
             "text = open(\"all.json\").read()\n"
             "dumps = json.loads(text)\n"
             "assert [len(d[\"tiles\"]) for d in dumps] == [4, 4]\n"
             "assert [d[\"request\"] for d in dumps] == [\"all\", \"lregs\"]\n"
             "assert [(t[\"x\"], t[\"y\"]) for t in dumps[0][\"tiles\"]] == [(1, 2), (16, 2), (1, 11), (16, 11)]\n"
             "for tile in dumps[0][\"tiles\"]:\n"
             "    assert list(tile)[:3] == [\"x\", \"y\", \"clock\"]\n"
             "    assert list(tile[\"cores\"]) == [\"B\", \"T0\", \"T1\", \"T2\", \"NC\"]\n"
             "    assert len(tile[\"dst\"][\"rows\"]) == 1024 and len(tile[\"dst\"][\"rows\"][0]) == 16\n"
             "    assert len(tile[\"niu\"][\"counters\"]) == 62\n"
             "again = json.dumps(dumps, separators=(\",\", \":\"))\n"
             "plain = text.replace(\"\\n\", \"\").replace(\"-0,\", \"-0.0,\").replace(\"-0]\", \"-0.0]\")\n"
             "assert json.loads(again) == dumps\n"
             "assert json.loads(plain) == dumps\n"
             "' && echo good",
             folder->path);
    (void)run_in_shell(command, output, sizeof output);
    assert_string_equal(output, "good\n");
}

static void dumps_at_clocks(void **context)
{
    const struct folder *folder = *context;
    need_kernels_of_jobs();
    assert_int_equal(run("--core T1 --dump cores:%s/a.json --dump-at 50 --dump-at 0 --dump-at 100 "
                         "kernels/jobs/matmul32_lofi.yaml",
                         folder->path),
                     0);
    get(folder, "a.json");
    static const double clocks[] = {0, 50, 100};
    for (unsigned i = 0; i < 3; i++) {
        char path[60];
        snprintf(path, sizeof path, "%u.tiles.0.clock", i);
        assert_true(json_number(text, path) == clocks[i]);
        snprintf(path, sizeof path, "%u.tiles.0.cores.T1.instructions", i);
        assert_true(json_number(text, path) == clocks[i]);
    }
    assert_null(json_find(text, "3"));
    assert_null(json_find(text, "0.tiles.0.cores.T0"));
}

static void dumps_at_places_of_cores(void **context)
{
    const struct folder *folder = *context;
    const uint32_t program[] = {addi(T0, ZERO, 5), addi(T1, T1, 1), branch(BNE, T0, T1, -4), SELF_JUMP};
    put_elf(folder, "program.elf", 0x1000, program, sizeof program / sizeof program[0]);
    put_text(folder, "job.yaml", "tiles:\n  - at: [3, 4]\n    programs: [{core: T0, elf: program.elf}]\n");
    assert_int_equal(run("--core T0 --dump cores --dump-at T0:0x1008,3 --dump-at T0:0x100c %s/job.yaml", folder->path),
                     0);
    const char *first = strstr(output, "tile 3-4, clock 6, at T0:0x1008,3\n");
    const char *second = strstr(output, "tile 3-4, clock 11, at T0:0x100c\n");
    assert_true(first && second && first < second);
    assert_non_null(strstr(first, ",3\n  pc 0x00001008\n  instruction bne t0,t1,0x1004\n  cores\n"));
    assert_non_null(strstr(first, "t1       0x00000003"));
    assert_non_null(strstr(second, "t1       0x00000005"));
    assert_int_equal(run("--dump cores --dump-at T0:0x1008,6 %s/job.yaml", folder->path), 2);
    assert_string_equal(output, "bhemu: --dump-at T0:0x1008,6 was not reached\n");
    assert_int_equal(run("--dump cores --dump-at t0:0x1008 %s/job.yaml", folder->path), 2);
    assert_string_equal(output, "bhemu: --dump-at t0:0x1008 was not reached\n");
    assert_int_equal(run("--dump cores --dump-at 1000000 %s/job.yaml", folder->path), 2);
    assert_string_equal(output, "bhemu: --dump-at 1000000 was not reached\n");
}

/* By function and line, of cores and threads, also of what was inlined. */
static void dumps_at_places_of_the_source(void **context)
{
    const char *job = "kernels/broken/forgotten_flag.yaml";
    need_kernels_of_jobs();
    assert_int_equal(run("--core T1 --dump cores --dump-at T1:wait_for_flag --dump-at T1:kernel_main "
                         "--dump-at T1:forgotten_flag.c:7 --dump-at T1:load_shared,3 %s",
                         job),
                     5);
    const char *main = strstr(output, ", at T1:kernel_main\n"), *flag = strstr(output, ", at T1:wait_for_flag\n");
    const char *line = strstr(output, ", at T1:forgotten_flag.c:7\n"),
               *third = strstr(output, ", at T1:load_shared,3\n");
    assert_true(main && flag && line && third && main < flag && flag < third && line < third);
    assert_non_null(strstr(third, "source load_shared (kernels/runtime/mmio.h:"));
    assert_int_equal(run("--dump rwcs --dump-at t1:tile kernels/jobs/eltwise_add.yaml"), 0);
    assert_non_null(strstr(output, ", at t1:tile\n  pc 0x"));
    assert_contains(output, "\n  instruction SETC16 ");
    assert_contains(output, "\n  source tile (kernels/eltwise_add/math.S:");
    assert_int_equal(run("--dump rwcs --dump-at t2:pack_tile --dump-at t2:pack_end_half kernels/jobs/add1.yaml"), 0);
    const char *tile = strstr(output, ", at t2:pack_tile\n"), *half = strstr(output, ", at t2:pack_end_half\n");
    assert_true(tile && half && tile < half);
    assert_int_equal(run("--dump rwcs --dump-at T1:nowhere kernels/jobs/eltwise_add.yaml"), 2);
    assert_string_equal(output, "bhemu: --dump-at T1:nowhere: no program of T1 has this function\n");
    assert_int_equal(run("--dump rwcs --dump-at T1:kernel_mian kernels/jobs/eltwise_add.yaml"), 2);
    assert_string_equal(output, "bhemu: --dump-at T1:kernel_mian: no program of T1 has this function; there is "
                                "'kernel_main'\n");
    assert_int_equal(run("--dump rwcs --dump-at T0:pack_tile kernels/jobs/add1.yaml"), 2);
    assert_contains(output, "bhemu: --dump-at T0:pack_tile: no program of T0 has this function");
    assert_int_equal(run("--dump rwcs --dump-at t1:nowhere kernels/jobs/eltwise_add.yaml"), 2);
    assert_string_equal(output, "bhemu: --dump-at t1:nowhere: no program of the job has this function\n");
    assert_int_equal(run("--dump rwcs --dump-at T1:ath.S:98 kernels/jobs/eltwise_add.yaml"), 2);
    assert_string_equal(output, "bhemu: --dump-at T1:ath.S:98 was not reached\n");
}

/* What the summary counts. */
static void counted(const char *options, char *counts, size_t size)
{
    char command[2000];
    snprintf(command, sizeof command,
             "cd %s && %s/bhemu run %s kernels/jobs/dram_add.yaml | grep -e instructions -e cycles -e steps",
             BHEMU_SOURCE_DIR, BHEMU_BUILD_DIR, options);
    assert_int_equal(run_in_shell(command, counts, size), 0);
}

/* Not when a dump is at the end, at an instruction, or in timed mode at a clock. */
static void dumps_change_no_clocks(void **context)
{
    char with[1000], without[1000];
    need_kernels_of_jobs();
    counted("", without, sizeof without);
    counted("--dump all:/dev/null", with, sizeof with);
    assert_string_equal(with, without);
    counted("--dump all:/dev/null --dump-at B:kernel_main", with, sizeof with);
    assert_string_equal(with, without);
    counted("--timed", without, sizeof without);
    counted("--timed --dump all:/dev/null --dump-at 100 --dump-at 333 --dump-at B:kernel_main", with, sizeof with);
    assert_string_equal(with, without);
}

static void arrays_of_many_tiles_have_their_names(void **context)
{
    const struct folder *folder = *context;
    static const char *const names[] = {"src.1-2.npy", "src.16-2.npy", "src.1-2.2.npy", "src.16-2.2.npy"};
    need_kernels_of_jobs();
    assert_int_equal(
        run("--dump 'srca fp16:%s/src.npy' --dump-at 100 --dump-at 200 kernels/jobs/dram_add.yaml", folder->path), 0);
    for (unsigned i = 0; i < 4; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/%s", folder->path, names[i]);
        struct bh_array array = get_array(path);
        assert_int_equal(array.rows, 128);
        assert_int_equal(array.columns, 16);
        free(array.data);
    }
}

static void circular_buffers_are_described(void **context)
{
    const struct folder *folder = *context;
    need_kernels_of_jobs();
    assert_int_equal(run("--tile 1-2 --dump cbs:%s/cbs.json kernels/jobs/metal_add.yaml", folder->path), 0);
    get(folder, "cbs.json");
    assert_int_equal(json_number(text, "0.tiles.0.cbs.2.number"), 16);
    assert_int_equal(json_number(text, "0.tiles.0.cbs.2.stream"), 24);
    assert_int_equal(json_number(text, "0.tiles.0.cbs.2.address"), 0x32000);
    assert_int_equal(json_number(text, "0.tiles.0.cbs.2.pages"), 2);
    assert_int_equal(json_number(text, "0.tiles.0.cbs.2.page_bytes"), 2048);
    assert_null(json_find(text, "0.tiles.0.cbs.3"));
    assert_int_equal(run("--dump cbs:%s/cbs.json kernels/jobs/matmul128.yaml", folder->path), 0);
    get(folder, "cbs.json");
    assert_int_equal(json_number(text, "0.tiles.0.cbs.0.stream"), 8);
    assert_int_equal(json_number(text, "0.tiles.0.cbs.0.pushed"), 16);
    assert_int_equal(json_number(text, "0.tiles.0.cbs.0.held"), 0);
}

/* On any number of threads, on every run. */
static void dumps_are_the_same_every_time(void **context)
{
    const struct folder *folder = *context;
    need_kernels_of_jobs();
    assert_int_equal(run("--dump all --threads 1 kernels/jobs/dram_add.yaml >%s/a; "
                         "%s/bhemu run -q --dump all --threads 3 kernels/jobs/dram_add.yaml >%s/b; cmp %s/a %s/b",
                         folder->path, BHEMU_BUILD_DIR, folder->path, folder->path, folder->path),
                     0);
    get(folder, "a");
    assert_non_null(strstr(text, "tile 16-2, clock "));
}

static void wrong_options_are_refused(void **context)
{
    static const struct {
        const char *arguments, *why;
        int code;
    } wrong[] = {
        {"--dump nothing kernels/jobs/add1.yaml", "bhemu run: --dump nothing: no dump of 'nothing'; there are ", 2},
        {"--dump dst: kernels/jobs/add1.yaml", "bhemu run: --dump dst:: no file behind the colon\n", 2},
        {"--dump gprs:/tmp/a.npy kernels/jobs/add1.yaml", "gprs is no array", 2},
        {"--dump dst:/tmp/a.npy --dump srca:/tmp/a.npy kernels/jobs/add1.yaml", "a .npy file holds one array", 2},
        {"--dump-at 5 kernels/jobs/add1.yaml", "bhemu run: --dump-at without --dump: dump what?\n", 2},
        {"--dump dst --dump-at X kernels/jobs/add1.yaml", "neither a clock nor CORE:ADDRESS", 2},
        {"--dump dst --dump-at T3:5 kernels/jobs/add1.yaml", "neither a clock nor CORE:ADDRESS", 2},
        {"--dump dst --dump-at tT1:5 kernels/jobs/add1.yaml", "neither a clock nor CORE:ADDRESS", 2},
        {"--dump dst --dump-at T1: kernels/jobs/add1.yaml", "neither a clock nor CORE:ADDRESS", 2},
        {"--dump dst --dump-at T1:0x100000000 kernels/jobs/add1.yaml", "neither a clock nor CORE:ADDRESS", 2},
        {"--dump dst --dump-at T1:5,0 kernels/jobs/add1.yaml", "neither a clock nor CORE:ADDRESS", 2},
        {"--dump dst --dump-at T1:5, kernels/jobs/add1.yaml", "neither a clock nor CORE:ADDRESS", 2},
        {"--dump dst kernels/jobs/add1.yaml kernels/jobs/add1.yaml", "--dump is for one job; here are 2", 2},
        {"--dump dst:/no/such/a.txt kernels/jobs/add1.yaml", "dump /no/such/a.txt: No such file or directory", 2},
        {"--dump dst:/no/such/a.npy --tile 1-2 kernels/jobs/add1.yaml",
         "dump /no/such/a.npy: No such file or directory", 6},
        {"--dump dst:/dev/full kernels/jobs/add1.yaml", "dump /dev/full: No space left on device", 6},
        {"--dump dst --tile 0-0 kernels/jobs/add1.yaml", "there is no Tensix tile at 0-0", 2},
        {"--dump dst --core T7 kernels/jobs/add1.yaml", "no core 'T7'; there are B, T0, T1, T2, NC", 2},
    };
    need_kernels_of_jobs();
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int code = run("%s", wrong[i].arguments);
        if (code != wrong[i].code || !strstr(output, wrong[i].why)) {
            fail_msg("%s: %d: %.500s", wrong[i].arguments, code, output);
        }
    }
}

#define TEST(name) FOLDER_TEST(name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(dst_before_packing_is_the_output), TEST(a_hang_is_dumped_where_it_is),
        TEST(python_reads_what_is_written),     TEST(dumps_at_clocks),
        TEST(dumps_at_places_of_cores),         TEST(dumps_at_places_of_the_source),
        TEST(dumps_change_no_clocks),           TEST(arrays_of_many_tiles_have_their_names),
        TEST(circular_buffers_are_described),   TEST(dumps_are_the_same_every_time),
        TEST(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
