/* --json: how jobs ended, as one document on stdout; docs/command.md describes it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa/rv32_text.h"
#include "isa/tensix_text.h"
#include "run_messages.h"
#include "run_part.h"
#include "run_place.h"
#include "run_record.h"

enum { FORMAT = 1, INSTRUCTION_SIZE = 200, SOURCE_SIZE = 1000 };

const struct command_option run_json_list[] = {
    {"json", NULL, "print how the jobs ended as one JSON document; messages for people go to stderr", 0, false},
    {},
};

static struct {
    bool on;
    int to; /* stdout, as it was */
    char *text;
    size_t size;
    FILE *stream;
    struct json json;
    struct run_record comparisons, diagnostics, prints;
    void (*on_print)(void *context, const struct bh_print_line *line); /* which shows lines */
} document;

static bool set(struct run *run, const char *name, const char *value)
{
    return document.on = true;
}

/* From here on stdout is stderr: nothing else comes between. */
static bool check(struct run *run)
{
    if (!document.on) {
        return true;
    }
    fflush(stdout);
    document.to = dup(STDOUT_FILENO);
    document.stream = open_memstream(&document.text, &document.size);
    if (document.to < 0 || !document.stream || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        return run_wrong("--json: there is no stdout, or no memory");
    }
    document.json = json_to(document.stream);
    json_begin_object(&document.json);
    json_name(&document.json, "format");
    json_unsigned(&document.json, FORMAT);
    json_name(&document.json, "bhemu");
    json_text(&document.json, BHEMU_VERSION);
    json_name(&document.json, "jobs");
    json_begin_array(&document.json);
    return true;
}

static void write_text(struct json *json, const char *name, const char *text)
{
    json_name(json, name);
    json_text(json, text);
}

static void write_number(struct json *json, const char *name, uint64_t number)
{
    json_name(json, name);
    json_unsigned(json, number);
}

static void write_real(struct json *json, const char *name, double number)
{
    json_name(json, name);
    json_double(json, number);
}

/* Outputs. */

static void write_element(struct json *json, const char *name, const struct bh_job_element *element)
{
    json_name(json, name);
    json_begin_object(json);
    write_number(json, "row", element->row);
    write_number(json, "column", element->column);
    write_real(json, "got", element->got);
    write_real(json, "expected", element->expected);
    json_end_object(json);
}

static void on_comparison(void *context, const struct bh_job_comparison *comparison)
{
    struct json json;
    if (!run_record_add(&document.comparisons, &json)) {
        return;
    }
    json_begin_object(&json);
    write_text(&json, "expect", comparison->expect);
    write_number(&json, "chip", comparison->chip);
    json_name(&json, "tile");
    if (comparison->in_dram) {
        json_null(&json);
    } else {
        json_format(&json, "%u-%u", comparison->tile_x, comparison->tile_y);
    }
    write_number(&json, "rows", comparison->rows);
    write_number(&json, "columns", comparison->columns);
    write_number(&json, "differ", comparison->differ);
    if (comparison->differ) {
        write_element(&json, "first", &comparison->first);
    }
    if (comparison->finite) {
        write_real(&json, "largest_absolute_error", comparison->absolute);
        write_element(&json, "largest_absolute", &comparison->largest_absolute);
    }
    if (comparison->relative > 0) {
        write_real(&json, "largest_relative_error", comparison->relative);
        write_element(&json, "largest_relative", &comparison->largest_relative);
    }
    json_end_object(&json);
    run_record_end(&document.comparisons);
}

/* Diagnostics. */

static void write_place(struct json *json, const struct run *run, const struct bh_diagnostic *diagnostic,
                        const struct bh_place *place)
{
    char source[SOURCE_SIZE];
    bool thread = place->agent == BH_AGENT_THREAD, core = place->agent == BH_AGENT_CORE;
    json_name(json, "agent");
    if (thread || core) {
        unsigned index = thread ? (unsigned)BH_CORE_T0 + place->index : place->index;
        json_format(json, "%s %s", thread ? "thread" : "core", bh_core_name((enum bh_core)index));
    } else {
        json_text(json, bh_agent_name(place->agent));
    }
    write_number(json, "pc", place->pc);
    bool known = (thread || core) && bh_job_source(run->job, diagnostic->chip, diagnostic->tile_x, diagnostic->tile_y,
                                                   place, source, sizeof source);
    write_text(json, "source", known ? source : NULL);
}

static void write_instruction(struct json *json, const struct bh_diagnostic *diagnostic)
{
    char text[INSTRUCTION_SIZE] = "";
    if (diagnostic->agent == BH_AGENT_THREAD) {
        (void)tensix_disassemble(diagnostic->instruction, TENSIX_TEXT_FIELDS, text, sizeof text);
    } else if (diagnostic->instruction) {
        (void)rv32_disassemble(diagnostic->instruction, diagnostic->pc, text, sizeof text);
    }
    write_text(json, "instruction", *text ? text : NULL);
    write_number(json, "word", diagnostic->instruction);
}

static void on_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    const struct run *run = context;
    struct json json;
    run_print_diagnostic(context, diagnostic);
    if (!run_record_add(&document.diagnostics, &json)) {
        return;
    }
    const struct bh_place place = {diagnostic->agent, diagnostic->index, diagnostic->pc};
    json_begin_object(&json);
    write_text(&json, "category", bh_category_name(diagnostic->category));
    write_text(&json, "severity", diagnostic->action == BH_STOP ? "error" : "warning");
    write_number(&json, "chip", diagnostic->chip);
    json_name(&json, "tile");
    json_format(&json, "%u-%u", diagnostic->tile_x, diagnostic->tile_y);
    write_place(&json, run, diagnostic, &place);
    write_instruction(&json, diagnostic);
    write_number(&json, "cycle", diagnostic->cycle);
    write_text(&json, "cause", diagnostic->text);
    json_name(&json, "places");
    json_begin_array(&json);
    for (unsigned i = 0; i < diagnostic->places_count; i++) {
        json_begin_object(&json);
        write_place(&json, run, diagnostic, &diagnostic->places[i]);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
    run_record_end(&document.diagnostics);
}

static void on_print(void *context, const struct bh_print_line *line)
{
    struct json json;
    document.on_print(context, line);
    if (!run_record_add(&document.prints, &json)) {
        return;
    }
    json_begin_object(&json);
    write_number(&json, "chip", line->chip);
    json_name(&json, "tile");
    json_format(&json, "%u-%u", line->tile_x, line->tile_y);
    write_text(&json, "core", bh_core_name((enum bh_core)line->core));
    write_number(&json, "clock", line->clock);
    write_text(&json, "text", line->text);
    json_end_object(&json);
    run_record_end(&document.prints);
}

static bool forget(void)
{
    return run_record_begin(&document.comparisons) && run_record_begin(&document.diagnostics) &&
           run_record_begin(&document.prints);
}

static enum bh_status begin(struct run *run, struct bh_error *error)
{
    if (!document.on) {
        return BH_OK;
    }
    document.on_print = run->options.on_print;
    run->options.on_print = document.on_print ? on_print : NULL;
    run->options.on_diagnostic = on_diagnostic;
    run->options.on_comparison = on_comparison;
    if (!forget()) {
        (void)snprintf(error->text, sizeof error->text, "--json: out of memory");
        return BH_ERROR_MEMORY;
    }
    return BH_OK;
}

/* Why a run has ended; null: there was none. */
static const char *reason_of(const struct run *run, enum bh_status status)
{
    static const char *const names[] = {[BH_RAN_CYCLES] = "limit",
                                        [BH_RAN_IDLE] = "idle",
                                        [BH_RAN_STOPPED] = "stopped",
                                        [BH_RAN_DEADLOCK] = "deadlock",
                                        [BH_RAN_INTERRUPTED] = "interrupted"};
    return status == BH_OK || status == BH_ERROR_STOPPED ? names[run->result.run.reason] : NULL;
}

static void told(struct run *run, const struct run_end *end)
{
    struct json *json = &document.json;
    const struct bh_job_result *result = &run->result;
    if (!document.on) {
        return;
    }
    json_begin_object(json);
    write_text(json, "job", run->path);
    write_number(json, "exit_code", (unsigned)end->code);
    write_text(json, "result", run_result_name(end->code));
    write_text(json, "mode", run->options.mode == BH_MODE_TIMED ? "timed" : "functional");
    write_text(json, "reason", reason_of(run, end->status));
    write_number(json, "cycles", result->run.cycles);
    write_number(json, "riscv_instructions", result->run.riscv_instructions);
    write_number(json, "tensix_instructions", result->run.tensix_instructions);
    write_real(json, "seconds", round(end->seconds * 1e6) / 1e6);
    write_text(json, "error", end->status == BH_OK ? NULL : end->error->text);
    write_number(json, "outputs", result->outputs);
    json_name(json, "comparisons");
    run_record_write(&document.comparisons, json);
    json_name(json, "diagnostics");
    run_record_write(&document.diagnostics, json);
    json_name(json, "prints");
    run_record_write(&document.prints, json);
    if (run->findings) {
        json_name(json, "check");
        fputs(run->findings, document.stream); /* an object */
        json->member = false;
    }
    json_end_object(json);
    (void)forget();
}

static bool finish(struct run *run, int code)
{
    if (!document.on) {
        return true;
    }
    json_end_array(&document.json);
    write_number(&document.json, "exit_code", (unsigned)code);
    json_end_object(&document.json);
    fputc('\n', document.stream);
    bool good = fclose(document.stream) == 0;
    FILE *out = fdopen(document.to, "w");
    if (good && out) {
        run_record_clean(document.text);
        good = fputs(document.text, out) >= 0 && !ferror(out);
    }
    good = out && fclose(out) == 0 && good;
    free(document.text);
    return good || run_wrong("--json: the document could not be written");
}

const struct run_part run_json_part = {
    .options = run_json_list, .set = set, .check = check, .begin = begin, .told = told, .finish = finish};
