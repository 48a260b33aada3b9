/* bhemu run --profile and the like, on real kernels: what adds up, bytes of known tensors, the matrix unit's rate, the
   same on any number of threads. */
#include "host/files.h"
#include "host/kernels.h"
#include "host/process.h"
#include "json_reader.h"

static char output[1 << 16];
static char json[1 << 22];

static const char *const agents[] = {"B", "T0", "T1", "T2", "NC", "thread T0", "thread T1", "thread T2"};
enum { AGENTS = sizeof agents / sizeof *agents };

static int run(const char *arguments)
{
    char command[2048];
    snprintf(command, sizeof command, "exec 2>&1; cd %s && BHEMU_MODE= %s/bhemu run %s", BHEMU_SOURCE_DIR,
             BHEMU_BUILD_DIR, arguments);
    return run_in_shell(command, output, sizeof output);
}

static void read_file(const char *path, char *buffer, size_t size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(buffer, 1, size - 1, file);
    assert_true(length < size - 1);
    buffer[length] = 0;
    fclose(file);
}

/* `json` becomes the profile of a job, `output` what the command prints. */
static void profile(const struct folder *folder, const char *options, const char *job)
{
    char arguments[1024], path[600];
    snprintf(path, sizeof path, "%s/profile.json", folder->path);
    snprintf(arguments, sizeof arguments, "-o %s --no-progress %s --profile-json %s kernels/jobs/%s.yaml", folder->path,
             options, path, job);
    int code = run(arguments);
    if (code != 0) {
        fail_msg("%s", output);
    }
    read_file(path, json, sizeof json);
}

static double at(const char *format, ...) __attribute__((format(printf, 1, 2)));

static double at(const char *format, ...)
{
    char path[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    assert_non_null(json_find(json, path));
    return json_number(json, path);
}

/* A figure of the summary that `bhemu run` prints. */
static double printed(const char *name)
{
    const char *found = strstr(output, name);
    assert_non_null(found);
    return strtod(found + strlen(name), NULL);
}

static void check_sums(void)
{
    double cycles = at("cycles"), tiles = json_count(json, "tiles");
    char path[100];
    for (unsigned tile = 0; tile < tiles; tile++) {
        for (unsigned i = 0; i < AGENTS; i++) {
            snprintf(path, sizeof path, "tiles.%u.agents.%s.cycles", tile, agents[i]);
            assert_true(json_sum(json, path) == cycles);
        }
    }
    for (unsigned i = 0; i < AGENTS; i++) {
        snprintf(path, sizeof path, "total.agents.%s.cycles", agents[i]);
        assert_true(json_sum(json, path) == cycles * tiles);
    }
}

/* Of all agents together: cycles in states of waiting are those of the list of waits, reason by reason. */
static void check_waits(void)
{
    static const char *const reasons[] = {"STALLWAIT",        "SEMWAIT", "STREAMWAIT", "Src bank", "mutex",
                                          "memory",           "unit",    "mailbox",    "PCBuf",    "TTSync",
                                          "instruction FIFO", "NoC",     "register",   "polling"};
    unsigned count = json_count(json, "waits");
    for (unsigned i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        double of_agents = 0, of_waits = 0;
        char path[100];
        for (unsigned agent = 0; agent < AGENTS; agent++) {
            snprintf(path, sizeof path, "total.agents.%s.cycles.%s", agents[agent], reasons[i]);
            of_agents += json_number(json, path);
        }
        for (unsigned wait = 0; wait < count; wait++) {
            snprintf(path, sizeof path, "waits.%u.reason", wait);
            of_waits += json_is(json, path, reasons[i]) ? at("waits.%u.cycles", wait) : 0;
        }
        assert_true(of_agents == of_waits);
    }
}

/* What lines have, is what agents have: but for cycles in which they do nothing. */
static void check_lines(void)
{
    double running = 0, instructions = 0, of_lines = 0, of_instructions = 0;
    for (unsigned i = 0; i < AGENTS; i++) {
        running += at("total.agents.%s.cycles.running", agents[i]);
        instructions += at("total.agents.%s.instructions", agents[i]);
    }
    for (unsigned i = 0; i < json_count(json, "lines"); i++) {
        of_lines += at("lines.%u.running", i);
        of_instructions += at("lines.%u.count", i);
    }
    assert_true(of_lines == running);
    assert_true(of_instructions == instructions);
}

static void cycles_waits_and_lines_add_up(void **context)
{
    need_kernels_of_jobs();
    profile(*context, "--timed", "matmul128");
    assert_true(json_is(json, "mode", "timed"));
    assert_true(at("cycles") == printed("modelled cycles"));
    assert_true(at("riscv_instructions") == printed("RISC-V instructions"));
    assert_true(at("tensix_instructions") == printed("Tensix instructions"));
    check_sums();
    check_waits();
    check_lines();
}

static void they_add_up_on_several_tiles(void **context)
{
    need_kernels_of_jobs();
    profile(*context, "--timed", "matmul_grid");
    assert_int_equal(json_count(json, "tiles"), 2);
    for (unsigned i = 0; i < 2; i++) { /* what timelines have of bytes is what tiles have */
        char path[60];
        snprintf(path, sizeof path, "timelines.%u.bytes.NoC in", i);
        assert_true(json_sum(json, path) == at("tiles.%u.figures.noc_in_bytes", i));
        snprintf(path, sizeof path, "timelines.%u.bytes.NoC out", i);
        assert_true(json_sum(json, path) == at("tiles.%u.figures.noc_out_bytes", i));
    }
    assert_true(at("cycles") == printed("modelled cycles"));
    check_sums();
    check_waits();
}

static void they_add_up_in_functional_mode(void **context)
{
    need_kernels_of_jobs();
    profile(*context, "", "matmul128");
    assert_true(json_is(json, "mode", "functional"));
    assert_true(at("cycles") == printed("emulated steps"));
    assert_true(at("tensix_instructions") == printed("Tensix instructions"));
    check_sums();
    check_waits();
}

/* eltwise_add: two tensors of 64x64 BF16 and their sum, in tiles. */
enum { TENSOR = 64 * 64 * 2 };

static void bytes_are_those_of_the_tensors(void **context)
{
    static const char *const modes[] = {"", "--timed"};
    need_kernels_of_jobs();
    for (unsigned i = 0; i < 2; i++) {
        profile(*context, modes[i], "eltwise_add");
        assert_true(at("total.unpackers.0.read") == TENSOR);
        assert_true(at("total.unpackers.1.read") == TENSOR);
        assert_true(at("total.l1.unpacker.read") == 2 * TENSOR);
        assert_true(at("total.l1.packer.written") == TENSOR);
        assert_true(at("total.figures.packed_bytes") == TENSOR);
    }
}

static void bytes_of_dram_are_those_of_the_tensors(void **context)
{
    static const char *const modes[] = {"", "--timed"};
    need_kernels_of_jobs();
    for (unsigned i = 0; i < 2; i++) {
        double read = 0, written = 0;
        profile(*context, modes[i], "dram_add");
        for (unsigned channel = 0; channel < 8; channel++) {
            read += at("dram.%u.read", channel);
            written += at("dram.%u.written", channel);
        }
        assert_true(read == 2 * TENSOR);
        assert_true(written == TENSOR);
        assert_true(at("total.figures.noc_in_bytes") >= read);
        assert_true(at("total.figures.noc_out_bytes") >= written);
        assert_true(at("total.l1.NIU.written") >= read);
    }
}

/* ISA documentation, MatrixUnit.md: a product of 32x32 tiles takes 16 MVMULs for each fidelity phase, one a cycle. */
static void a_product_takes_16_cycles_a_fidelity_phase(void **context)
{
    static const char *const names[] = {"LoFi", "HiFi2", "HiFi3", "HiFi4"};
    static const char *const jobs[] = {"matmul32_lofi", "matmul32_hifi2", "matmul32_hifi3", "matmul32_hifi4"};
    need_kernels_of_jobs();
    for (unsigned phases = 1; phases <= 4; phases++) {
        profile(*context, "--timed", jobs[phases - 1]);
        assert_true(json_is(json, "total.figures.fidelity", names[phases - 1]));
        assert_true(at("total.mvmul") == 16 * phases);
        assert_true(at("total.flop") == 2 * 32 * 32 * 32);
        assert_float_equal(at("total.figures.flop_peak_per_cycle"), 4096.0 / phases, 0.01);
        for (unsigned phase = 0; phase < 4; phase++) {
            assert_true(at("total.phases.%u", phase) == (phase < phases ? 16 : 0));
        }
        /* The longest time in which the matrix unit is busy without a gap: the MVMULs one behind the other. */
        unsigned width = (unsigned)at("timelines.0.width"), longest = 0, busy = 0;
        const char *bins = json_find(json, "timelines.0.units.matrix");
        assert_int_equal(width, 1);
        for (bins++; *bins != ']'; bins += *bins == ',') {
            busy = strtoul(bins, (char **)&bins, 10) ? busy + 1 : 0;
            longest = busy > longest ? busy : longest;
        }
        assert_in_range(longest, 16 * phases, 16 * phases + 1); /* a SETRWC behind them, of the same unit */
    }
}

static void it_is_the_same_on_any_number_of_threads(void **context)
{
    static const char *const modes[] = {"", "--timed "};
    static char first[sizeof json];
    need_kernels_of_jobs();
    for (unsigned i = 0; i < 2; i++) {
        char options[60];
        snprintf(options, sizeof options, "%s--threads 1", modes[i]);
        profile(*context, options, "all_reduce");
        strcpy(first, json);
        snprintf(options, sizeof options, "%s--threads 3", modes[i]);
        profile(*context, options, "all_reduce");
        assert_string_equal(first, json);
        assert_int_equal(json_count(json, "tiles"), 4);
    }
}

/* The firmware's lines and those of the kernels that it launches, on a board on which some columns are harvested. */
static void launched_kernels_have_lines_on_all_tiles(void **context)
{
    need_kernels_of_jobs();
    profile(*context, "--timed", "metal_add");
    assert_int_equal(json_count(json, "tiles"), 4);
    const char *without = strstr(json, "\"line\":\"0x"); /* the jump with which the host starts B */
    assert_non_null(without);
    assert_null(strstr(without + 1, "\"line\":\"0x"));
    assert_null(strstr(json, "\"source\":null"));
    assert_non_null(strstr(json, "(kernels/metal/messages.h:"));
    assert_non_null(strstr(json, "kernels/metal/add_writer.c:"));
    check_sums();
    check_waits();
}

static void it_keeps_to_tiles_and_times(void **context)
{
    need_kernels_of_jobs();
    profile(*context, "--timed --tile 10-6", "all_reduce");
    assert_int_equal(json_count(json, "tiles"), 1);
    assert_true(at("tiles.0.x") == 10 && at("tiles.0.y") == 6);
    profile(*context, "--timed --from 100 --to 299", "matmul32_lofi");
    assert_true(at("cycles") == 200);
    assert_true(at("from") == 100);
    check_sums();
}

/* Waits before and after a clock are those of the whole run; what waits at that clock is there twice. */
static void waits_at_other_times_do_not_count(void **context)
{
    static const char *const jobs[] = {"messages", "fused", "matmul128"};
    need_kernels_of_jobs();
    for (unsigned i = 0; i < 2 * sizeof jobs / sizeof *jobs; i++) {
        const char *job = jobs[i / 2], *mode = i % 2 ? "--timed" : "", *times[] = {"--to", "--from"};
        profile(*context, mode, job);
        double all = json_sum_of(json, "waits", "count"), parts = 0, middle = (double)(unsigned)(at("cycles") / 2);
        for (unsigned part = 0; part < 2; part++) {
            char options[100];
            snprintf(options, sizeof options, "%s %s %.0f", mode, times[part], middle + part);
            profile(*context, options, job);
            assert_true(json_sum_of(json, "waits", "count") > 0);
            parts += json_sum_of(json, "waits", "count");
        }
        assert_true(parts >= all && parts <= all + AGENTS * json_count(json, "tiles"));
    }
}

static void of_a_snapshot_it_is_the_rest_of_the_run(void **context)
{
    const struct folder *folder = *context;
    char options[1024];
    need_kernels_of_jobs();
    snprintf(options, sizeof options, "--timed --save-at 40000 %s/snapshot", folder->path);
    profile(folder, options, "matmul128");
    double cycles = at("cycles"), mvmul = at("total.mvmul"), instructions = at("tensix_instructions");
    snprintf(options, sizeof options, "--timed --restore %s/snapshot", folder->path);
    profile(folder, options, "matmul128");
    double from = at("from");
    assert_in_range((unsigned)from, 40000, 42000); /* it is saved where the device can be stopped */
    assert_true(at("cycles") == cycles - from);
    check_sums();
    check_waits();
    mvmul -= at("total.mvmul");
    instructions -= at("tensix_instructions");
    snprintf(options, sizeof options, "--timed --to %.0f", from - 1);
    profile(folder, options, "matmul128");
    assert_true(at("tensix_instructions") == instructions);
    assert_true(at("total.mvmul") == mvmul);
}

static void stacks_add_up(void **context)
{
    const struct folder *folder = *context;
    char arguments[1024], path[600];
    need_kernels_of_jobs();
    double sum = 0, waits = 0;
    snprintf(path, sizeof path, "%s/folded", folder->path);
    snprintf(arguments, sizeof arguments, "--timed --profile-folded %s", path);
    profile(folder, arguments, "matmul128");
    for (unsigned i = 0; i < json_count(json, "lines"); i++) {
        waits += at("lines.%u.running", i) + at("lines.%u.waiting", i);
    }
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    bool found = false;
    for (char line[2000]; fgets(line, sizeof line, file);) {
        char *count = strrchr(line, ' ');
        assert_non_null(count);
        assert_ptr_equal(strchr(line, ' '), count); /* no other blank: the formats of tools */
        sum += strtod(count, NULL);
        found |= strncmp(line, "1-2;thread_T1;kernel_main;", 26) == 0 && strstr(line, ";MVMUL ");
    }
    fclose(file);
    assert_true(found);
    assert_true(sum == waits);
}

/* A number with commas. */
static double counted(const char *at)
{
    double value = 0;
    for (at += strspn(at, " "); (*at >= '0' && *at <= '9') || *at == ','; at++) {
        value = *at == ',' ? value : 10 * value + (*at - '0');
    }
    return value;
}

/* The sum of a column, by where it begins, of a table of the page, of which places of waits are lines without numbers.
 */
static double sum_of_column(const char *table, unsigned column)
{
    double sum = 0;
    const char *line = strstr(output, table);
    assert_non_null(line);
    for (line = strchr(line + 1, '\n') + 1; *line == ' '; line = strchr(line, '\n') + 1) {
        sum += strcspn(line, "\n") > column ? counted(line + column) : 0;
    }
    return sum;
}

/* Of the page: what it has no line for is in the sums of the others. */
static void tables_of_the_page_add_up(void **context)
{
    static const struct {
        const char *options, *job;
    } runs[] = {{"-q --timed --profile", "matmul128"}, {"-q --timed --profile", "dram_add"}, {"-q --profile", "add1"}};
    enum { WAITS = 12, LINES = 12, LINES_WAITING = 25, LINES_COUNT = 47 };
    need_kernels_of_jobs();
    for (unsigned run = 0; run < sizeof runs / sizeof *runs; run++) {
        double waits = 0, lines = 0, waiting = 0, count = 0;
        profile(*context, runs[run].options, runs[run].job);
        for (unsigned i = 0; i < json_count(json, "waits"); i++) {
            waits += at("waits.%u.cycles", i);
        }
        for (unsigned i = 0; i < json_count(json, "lines"); i++) {
            lines += at("lines.%u.running", i);
            waiting += at("lines.%u.waiting", i);
            count += at("lines.%u.count", i);
        }
        assert_contains(output, " others ");
        assert_true(sum_of_column("\n  waits ", WAITS) == waits);
        assert_true(sum_of_column("\n  lines ", LINES) == lines);
        assert_true(sum_of_column("\n  lines ", LINES_WAITING) == waiting);
        assert_true(sum_of_column("\n  lines ", LINES_COUNT) == count);
    }
}

static void the_page_for_a_terminal_has_the_figures(void **context)
{
    (void)context;
    need_kernels_of_jobs();
    assert_int_equal(run("-q --timed --profile kernels/jobs/matmul32_hifi4.yaml"), 0);
    assert_contains(output, "profile of kernels/jobs/matmul32_hifi4.yaml\n");
    assert_contains(output, " modelled cycles (");
    assert_contains(output, "matrix unit: 64 MVMULs of HiFi4 (by phase: 16, 16, 16, 16)\n");
    assert_contains(output, "  thread T1 ");
    assert_contains(output, "kernels/matmul32/math.c:");
    assert_contains(output, "\n  moved                   bytes    a cycle   while busy\n"
                            "  unpacker 0              2,048 ");
    assert_contains(output, " of the peak of 1024\n");
    assert_contains(output, "cycles   of all ");
    assert_null(strstr(output, "no measure of time"));
    assert_null(strstr(output, "NoC out"));
    assert_int_equal(run("-q --timed --profile kernels/jobs/matmul_grid.yaml"), 0);
    assert_contains(output, " on 2 tiles;");
    assert_contains(output, "  tiles       matrix unit    bytes of L1         NoC in        NoC out\n  3-4 ");
    assert_contains(output, ", on 2 tiles\n");
    assert_int_equal(run("-q --profile kernels/jobs/matmul32_hifi4.yaml"), 0);
    assert_contains(output, "Emulated steps are no measure of time");
    assert_null(strstr(output, " a cycle"));
    assert_null(strstr(output, "of all "));
    assert_int_equal(run("-q --timed --profile --tile 3-3 kernels/jobs/matmul32_hifi4.yaml"), 0);
    assert_contains(output, " on 0 tiles; 0 RISC-V and 0 Tensix instructions\n"
                            "  Nothing ran on these tiles in this time.\n");
    assert_null(strstr(output, "instructions  a cycle"));
}

static double share(const char *path)
{
    return at("%s", path) / at("cycles") / json_count(json, "tiles");
}

/* Samples find the same as all events, within what a few hundred of them can tell; instructions are counted. */
static void samples_say_the_same_as_all_events(void **context)
{
    static const char *const paths[] = {
        "total.agents.B.cycles.running",  "total.agents.B.cycles.polling",
        "total.agents.NC.cycles.running", "total.agents.NC.cycles.polling",
        "total.agents.T0.cycles.polling", "total.agents.T2.cycles.instruction FIFO",
        "total.agents.T1.cycles.TTSync",  "total.agents.thread T1.cycles.Src bank",
    };
    need_kernels_of_jobs();
    enum { PATHS = sizeof paths / sizeof *paths };
    double exact[PATHS], instructions[AGENTS];
    char seconds[64];
    profile(*context, "--timed", "matmul128");
    for (unsigned i = 0; i < PATHS; i++) {
        exact[i] = share(paths[i]);
    }
    for (unsigned i = 0; i < AGENTS; i++) {
        instructions[i] = at("total.agents.%s.instructions", agents[i]);
    }
    snprintf(seconds, sizeof seconds, "%.0f", printed("modelled cycles"));
    profile(*context, "--timed --profile-every 200", "matmul128");
    assert_true(at("every") == 200 && at("cycles") == strtod(seconds, NULL) &&
                at("cycles") == printed("modelled cycles"));
    assert_in_range((unsigned)at("samples"), (unsigned)(at("cycles") / 400), (unsigned)(at("cycles") / 100));
    for (unsigned i = 0; i < PATHS; i++) {
        assert_float_equal(share(paths[i]), exact[i], 0.05);
    }
    for (unsigned i = 0; i < AGENTS; i++) {
        assert_true(at("total.agents.%s.instructions", agents[i]) == instructions[i]);
    }
    check_sums();
    check_waits();
    assert_non_null(strstr(json, "kernels/matmul128/math.c:"));
    assert_true(at("total.agents.thread T0.cycles.running") == at("total.agents.thread T0.instructions"));
    profile(*context, "--timed --from 6000", "fused");
    double left = at("tensix_instructions");
    profile(*context, "--timed --from 6000 --profile-every 20", "fused");
    assert_float_equal(at("tensix_instructions"), left, 20); /* it begins where the quantum ends */
    assert_non_null(strstr(json, "\"for\":\"semaphore 1\""));
}

/* What is looked at does not run otherwise, and looks the same on any number of threads. */
static void samples_change_nothing(void **context)
{
    static char first[sizeof json];
    need_kernels_of_jobs();
    profile(*context, "", "all_reduce");
    double steps = printed("emulated steps"), instructions = printed("RISC-V instructions");
    profile(*context, "--profile-every 100 --threads 1", "all_reduce");
    assert_true(printed("emulated steps") == steps && printed("RISC-V instructions") == instructions);
    assert_true(at("riscv_instructions") == instructions);
    assert_int_equal(json_count(json, "tiles"), 4);
    strcpy(first, json);
    profile(*context, "--profile-every 100 --threads 3", "all_reduce");
    assert_string_equal(first, json);
    check_sums();
    profile(*context, "--profile-every 100 --tile 10-6 --core B", "all_reduce");
    assert_int_equal(json_count(json, "tiles"), 1);
    assert_true(at("tiles.0.x") == 10 && at("tiles.0.y") == 6);
    profile(*context, "--profile-every 100", "hello"); /* which prints: two look at the device */
    assert_int_equal(run("-q --timed --profile --profile-every 300 kernels/jobs/matmul_grid.yaml"), 0);
    assert_contains(output, " samples, one in about 300 cycles: counts of lines and waits are samples\n");
    assert_contains(output, "\n  running           B       T0       T1       T2       NC\n  3-");
    assert_null(strstr(output, "matrix"));
}

/* --core and --unit: what is left is as without them. */
static void it_keeps_to_cores_and_units(void **context)
{
    need_kernels_of_jobs();
    profile(*context, "--timed", "matmul128");
    double t1 = at("total.agents.T1.instructions"), running = at("total.agents.T1.cycles.running");
    double mvmul = at("total.mvmul"), matrix = at("total.units.matrix.instructions");
    profile(*context, "--timed --core T1", "matmul128");
    assert_true(at("riscv_instructions") == t1 && at("tensix_instructions") == 0);
    assert_true(at("total.agents.T1.cycles.running") == running);
    assert_null(json_find(json, "total.agents.B"));
    assert_null(json_find(json, "total.agents.thread T1"));
    assert_null(json_find(json, "timelines.0.agents.NC"));
    for (unsigned i = 0; i < json_count(json, "lines"); i++) {
        char path[60];
        snprintf(path, sizeof path, "lines.%u.agent", i);
        assert_true(json_is(json, path, "T1"));
    }
    for (unsigned i = 0; i < json_count(json, "waits"); i++) {
        char path[60];
        snprintf(path, sizeof path, "waits.%u.agent", i);
        assert_true(json_is(json, path, "T1"));
    }
    profile(*context, "--timed --unit matrix", "matmul128");
    double count = 0;
    for (unsigned i = 0; i < json_count(json, "lines"); i++) {
        count += at("lines.%u.count", i);
    }
    assert_true(count == matrix && at("total.units.matrix.instructions") == matrix && at("total.mvmul") == mvmul);
    assert_true(at("total.units.pack.instructions") == 0);
    assert_null(json_find(json, "total.agents.T1"));
    assert_non_null(json_find(json, "total.agents.thread T1"));
    assert_null(json_find(json, "timelines.0.units.pack"));
}

static void fails(int code, const char *arguments, const char *text)
{
    assert_int_equal(run(arguments), code);
    assert_contains(output, text);
}

static void what_makes_no_sense_is_said(void **context)
{
    (void)context;
    need_kernels_of_jobs();
    fails(2, "-q --profile-html /no/such/page kernels/jobs/matmul32_lofi.yaml",
          "--profile-html /no/such/page: No such file or directory");
    fails(6, "-q --profile-json /dev/full kernels/jobs/matmul32_lofi.yaml",
          "profile /dev/full: No space left on device");
    fails(2, "-q --profile-folded /dev/null kernels/jobs/matmul32_lofi.yaml other.yaml",
          "--profile-... are for one job; here are 2");
    fails(2, "-q --profile --tile 40-2 kernels/jobs/matmul32_lofi.yaml", "there is no such tile");
    fails(2, "-q --profile --core T3 kernels/jobs/matmul32_lofi.yaml", "no core 'T3'; there are B, T0, T1, T2, NC");
    fails(2, "-q --profile --unit fpu kernels/jobs/matmul32_lofi.yaml", "no unit 'fpu'; there are sync, scalar");
    fails(2, "-q --profile --profile-every 0 kernels/jobs/matmul32_lofi.yaml",
          "--profile-every 0: that is no number of cycles from 1 to 1000000000");
    fails(2, "-q --profile-every 100 kernels/jobs/matmul32_lofi.yaml", "--profile-every needs --profile");
    fails(2, "-q --profile --profile-every 100 --tile 20-25 kernels/jobs/matmul32_lofi.yaml",
          "profile: there is no Tensix tile 20-25");
}

/* A run that ends in a deadlock has a profile, too: it is most wanted there. */
static void a_run_that_hangs_has_one(void **context)
{
    (void)context;
    need_kernels_of_jobs();
    assert_int_equal(run("-q --profile kernels/broken/forgotten_flag.yaml"), 5);
    assert_contains(output, "profile of kernels/broken/forgotten_flag.yaml\n");
    assert_contains(output, "0x00030000 in L1 to change (polling)");
    assert_contains(output, "in wait_for_flag (kernels/broken/forgotten_flag.c:7)");
}

/* Registers that cores poll have names, counters of NIUs among them. */
static void polled_registers_have_names(void **context)
{
    (void)context;
    need_kernels_of_jobs();
    assert_int_equal(run("-q --timed --profile --output /tmp kernels/jobs/matmul_grid.yaml"), 0);
    assert_contains(output, "STREAM_REMOTE_DEST_BUF_SIZE (0xffb49028) to change (polling)");
    assert_contains(output, "NIU_MST_RD_RESP_RECEIVED (0xffb20208) to change (polling)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_waits_and_lines_add_up),
        cmocka_unit_test(they_add_up_on_several_tiles),
        cmocka_unit_test(they_add_up_in_functional_mode),
        cmocka_unit_test(bytes_are_those_of_the_tensors),
        cmocka_unit_test(bytes_of_dram_are_those_of_the_tensors),
        cmocka_unit_test(a_product_takes_16_cycles_a_fidelity_phase),
        cmocka_unit_test(it_is_the_same_on_any_number_of_threads),
        cmocka_unit_test(launched_kernels_have_lines_on_all_tiles),
        cmocka_unit_test(it_keeps_to_tiles_and_times),
        cmocka_unit_test(waits_at_other_times_do_not_count),
        cmocka_unit_test(of_a_snapshot_it_is_the_rest_of_the_run),
        cmocka_unit_test(stacks_add_up),
        cmocka_unit_test(tables_of_the_page_add_up),
        cmocka_unit_test(the_page_for_a_terminal_has_the_figures),
        cmocka_unit_test(samples_say_the_same_as_all_events),
        cmocka_unit_test(samples_change_nothing),
        cmocka_unit_test(it_keeps_to_cores_and_units),
        cmocka_unit_test(what_makes_no_sense_is_said),
        cmocka_unit_test(polled_registers_have_names),
        cmocka_unit_test(a_run_that_hangs_has_one),
    };
    return cmocka_run_group_tests(tests, make_folder_of_test, remove_folder_of_test);
}
