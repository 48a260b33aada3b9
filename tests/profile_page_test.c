/* The page of a profile in headless Chromium: its scripts run without complaint, its numbers are those of the JSON, and
   there is something to be seen. */
#include "host/files.h"
#include "host/kernels.h"
#include "host/process.h"
#include "json_reader.h"

static char output[1 << 24];
static char json[1 << 23];

static int run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int run(const char *format, ...)
{
    char command[4096];
    int length = snprintf(command, sizeof command, "cd %s && ", BHEMU_SOURCE_DIR);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command + length, sizeof command - (size_t)length, format, arguments);
    va_end(arguments);
    return run_in_shell(command, output, sizeof output);
}

static int set_up(void **context)
{
    struct folder *folder = calloc(1, sizeof *folder);
    make_folder(folder);
    *context = folder;
    return 0;
}

static int tear_down(void **context)
{
    const struct folder *folder = *context;
    run("rm -rf %s/chromium", folder->path);
    remove_folder(*context);
    free(*context);
    return 0;
}

#define CHROMIUM                                                                                                       \
    "timeout 120 $(command -v chromium || command -v chromium-browser || command -v google-chrome || echo chromium) "  \
    "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --disable-background-networking "                   \
    "--no-first-run --virtual-time-budget=4000 --user-data-dir=%s/chromium "

/* Runs a job; `json` is its profile. */
static void make_page_of(const struct folder *folder, const char *options, const char *job)
{
    int code = run("BHEMU_MODE= %s/bhemu run -q --no-progress -o %s %s --profile-html %s/page.html --profile-json "
                   "%s/page.json %s.yaml 2>&1",
                   BHEMU_BUILD_DIR, folder->path, options, folder->path, folder->path, job);
    if (code != 0) {
        fail_msg("%s", output);
    }
    assert_int_equal(run("cat %s/page.json", folder->path), 0);
    assert_true(strlen(output) < sizeof json - 1);
    strcpy(json, output);
}

static void make_page(const struct folder *folder, const char *options, const char *job)
{
    char path[100];
    snprintf(path, sizeof path, "kernels/jobs/%s", job);
    make_page_of(folder, options, path);
}

/* The page as Chromium has it when its scripts have run; its console goes to another file. */
static void look(const struct folder *folder)
{
    assert_int_equal(run(CHROMIUM "--enable-logging=stderr --v=0 --hide-scrollbars --window-size=1280,3000 "
                                  "--screenshot=%s/page.png --dump-dom file://%s/page.html 2>%s/console",
                         folder->path, folder->path, folder->path, folder->path),
                     0);
}

/* What a user may do with the page, as a script at its end: whether each does what it should. */
static const char deeds[] =
    "<script>{ const did = {}, canvas = by(\"timeline\"), shows = () => canvas.getAttribute(\"aria-label\");"
    "const key = (element, name) => element.dispatchEvent(new KeyboardEvent(\"keydown\", {key: name, bubbles: true}));"
    "const set = (id, value) => { by(id).value = value; by(id).dispatchEvent(new Event(\"change\")); };"
    "const first = shows(); key(canvas, \"+\"); did.zooms = shows() !== first;"
    "const near = shows(); key(canvas, \"ArrowRight\"); did.moves = shows() !== near;"
    "key(canvas, \"Home\"); did.returns = shows() === first;"
    "by(\"zoom-in\").click(); did.zoomsByButton = shows() !== first; by(\"zoom-all\").click();"
    "const colours = () => [...document.querySelectorAll(\".cell\")].map(cell => cell.getAttribute(\"fill\")).join();"
    "const before = colours(); set(\"metric\", 6); did.switches = colours() !== before;"
    "const tile = document.querySelector('[data-tile=\"10-7\"]'); tile.focus(); key(tile, \"ArrowDown\");"
    "did.walks = document.activeElement.dataset.tile === \"10-8\"; key(document.activeElement, \"Enter\");"
    "did.chooses = by(\"tile\").value === \"10-8\" && by(\"units-note\").textContent.includes(\"10-8\");"
    "const paper = style(\"--paper\"); by(\"theme\").click(); did.darkens = style(\"--paper\") !== paper;"
    "const rows = by(\"lines\").children.length; by(\"more-lines\").click();"
    "did.showsAll = by(\"lines\").children.length > rows;"
    "document.documentElement.dataset.did = JSON.stringify(did); }</script>";

static void act_on_page(const struct folder *folder)
{
    FILE *file = fopen(in_folder(folder, "page.html"), "a");
    assert_non_null(file);
    fputs(deeds, file);
    assert_int_equal(fclose(file), 0);
}

/* An attribute of an element that begins at `at`. */
static void attribute(const char *at, const char *name, char *value, size_t size)
{
    char start[40];
    snprintf(start, sizeof start, " %s=\"", name);
    const char *end = strchr(at, '>'), *found = strstr(at, start);
    assert_true(found && found < end);
    found += strlen(start);
    size_t length = strcspn(found, "\"");
    assert_true(length < size);
    memcpy(value, found, length);
    value[length] = 0;
}

/* Numbers in the page that name their place in the JSON. Returns how many there are. */
static unsigned check_numbers(void)
{
    unsigned count = 0;
    for (const char *at = output; (at = strstr(at, "<data ")); at++) {
        char path[200], value[60], digits[60];
        size_t length = 0;
        attribute(at, "data-path", path, sizeof path);
        attribute(at, "value", value, sizeof value);
        const char *there = json_find(json, path);
        if (!there || strtod(there, NULL) != strtod(value, NULL)) {
            fail_msg("%s is %s in the page, %.20s in the JSON", path, value, there ? there : "not there");
        }
        const char *text = strchr(at, '>') + 1;
        bool rounded = false;
        for (; *text && *text != '<'; text++) { /* but for narrow spaces between thousands */
            rounded |= *text == '.' || (*text >= 'A' && *text <= 'z');
            if (*text >= '0' && *text <= '9' && length < sizeof digits - 1) {
                digits[length++] = *text;
            }
        }
        digits[length] = 0;
        if (!rounded && !strchr(value, '.') && !strchr(value, 'e')) {
            assert_string_equal(digits, value);
        }
        count++;
    }
    return count;
}

/* A picture without content takes some kilobytes only. */
static void check_picture(const struct folder *folder)
{
    enum { LEAST_BYTES = 60000 };
    char command[600], bytes[40];
    snprintf(command, sizeof command, "wc -c <%s/page.png", folder->path);
    assert_int_equal(run_in_shell(command, bytes, sizeof bytes), 0);
    assert_true(strtoul(bytes, NULL, 10) > LEAST_BYTES);
}

static void check_page(const struct folder *folder, unsigned least)
{
    look(folder);
    assert_non_null(strstr(output, "data-ready=\"yes\""));
    assert_true(check_numbers() >= least);
    assert_null(strstr(output, "NaN"));
    assert_null(strstr(output, "undefined\""));
    char command[600], console[4000];
    snprintf(command, sizeof command, "grep CONSOLE %s/console", folder->path);
    if (run_in_shell(command, console, sizeof console) != 1) {
        fail_msg("%s", console);
    }
    check_picture(folder);
}

static void numbers_are_those_of_the_json(void **context)
{
    need_kernels_of_jobs();
    make_page(*context, "--timed", "matmul128");
    check_page(*context, 100);
}

static void functional_mode_says_that_it_measures_no_time(void **context)
{
    need_kernels_of_jobs();
    make_page(*context, "", "matmul32_hifi4");
    check_page(*context, 50);
    assert_non_null(strstr(output, "no measure of time on silicon"));
    assert_non_null(strstr(output, "<p class=\"warn\" id=\"functional\">"));
}

/* A job for all 140 tiles: those of three rows are a ring that adds up vectors, the others multiply. */

enum { RING_ROWS = 3, COLUMNS = 14, RING = RING_ROWS * COLUMNS, CHUNK_WORDS = 4 };

static const char columns[] = "[1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16]";

/* The tile at a position of the ring, which goes through its rows to and fro. */
static unsigned ring_column(unsigned position)
{
    unsigned row = position / COLUMNS, at = row % 2 ? COLUMNS - 1 - position % COLUMNS : position % COLUMNS;
    return at < 7 ? 1 + at : 3 + at;
}

static unsigned ring_position(unsigned row, unsigned at)
{
    return row * COLUMNS + (row % 2 ? COLUMNS - 1 - at : at);
}

static void make_job(const struct folder *folder)
{
    FILE *file = fopen(in_folder(folder, "all.yaml"), "w");
    assert_non_null(file);
    fprintf(file, "limit: 10000000\ntiles:\n");
    fprintf(file,
            "  - columns: %s\n    rows: [2, 3, 4]\n    programs: [{core: B, elf: %s/kernels/all_reduce.brisc.elf}]\n",
            columns, BHEMU_BUILD_DIR);
    fprintf(file, "    words:\n      - {address: 0xffb45028, values: [0]}\n      - address: 0x16100\n        each: [");
    for (unsigned row = 0; row < RING_ROWS; row++) {
        for (unsigned at = 0; at < COLUMNS; at++) {
            unsigned position = ring_position(row, at), next = (position + 1) % RING;
            fprintf(file, "%s%u, %u, %u, %u", row || at ? ", " : "", position, RING,
                    (2 + next / COLUMNS) << 6 | ring_column(next), CHUNK_WORDS);
        }
    }
    fprintf(file, "]\n  - columns: %s\n    rows: [5, 6, 7, 8, 9, 10, 11]\n    programs:\n", columns);
    for (unsigned i = 0; i < 3; i++) {
        fprintf(file, "      - {core: T%u, elf: %s/kernels/matmul32.trisc%u.elf}\n", i, BHEMU_BUILD_DIR, i);
    }
    fprintf(file,
            "    words:\n      - {address: 0x16100, values: [0x30000, 0x40000, 0x50000, 1, 1, 1, 1]}\n    inputs:\n");
    fprintf(file, "      - {file: %s/kernels/jobs/data/dct32.npy, address: 0x30000, format: bf16, layout: tiles}\n",
            BHEMU_SOURCE_DIR);
    fprintf(file, "      - {file: %s/kernels/jobs/data/picture32.npy, address: 0x40000, format: bf16, layout: tiles}\n",
            BHEMU_SOURCE_DIR);
    assert_int_equal(fclose(file), 0);
}

static unsigned count_in_page(const char *text)
{
    unsigned count = 0;
    for (const char *at = output; (at = strstr(at, text)); at++) {
        count++;
    }
    return count;
}

static void of_all_140_tiles_too(void **context)
{
    const struct folder *folder = *context;
    char path[600];
    double steps = RING * 2.0 * (RING - 1); /* each tile receives so many chunks, and a credit with each */
    make_job(folder);
    snprintf(path, sizeof path, "%s/all", folder->path);
    make_page_of(folder, "--timed --threads 2", path);
    assert_int_equal(json_count(json, "tiles"), 140);
    assert_true(json_number(json, "total.figures.noc_out_bytes") == steps * CHUNK_WORDS * 4);
    assert_true(json_number(json, "total.figures.noc_in_bytes") == steps * (CHUNK_WORDS * 4 + 4));
    assert_true(json_number(json, "total.mvmul") == (140 - RING) * 16);
    act_on_page(folder);
    check_page(folder, 100);
    assert_non_null(strstr(output, " data-did=\"{"));
    assert_null(strstr(output, "&quot;:false"));
    assert_int_equal(count_in_page("&quot;:true"), 9);
    assert_int_equal(count_in_page("class=\"cell"), 140);
    assert_int_equal(count_in_page("<circle "), 140 - RING);
}

/* Nothing is fetched: neither scripts nor styles nor fonts nor pictures. */
static void it_needs_nothing_else(void **context)
{
    const struct folder *folder = *context;
    need_kernels_of_jobs();
    make_page(folder, "--timed", "matmul32_lofi");
    assert_int_equal(
        run("grep -n -e 'src=' -e '@import' -e 'url(h' -e fetch -e XMLHttp -e 'href=.h' %s/page.html", folder->path),
        1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_the_json),
        cmocka_unit_test(of_all_140_tiles_too),
        cmocka_unit_test(functional_mode_says_that_it_measures_no_time),
        cmocka_unit_test(it_needs_nothing_else),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
