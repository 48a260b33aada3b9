/* Findings as text and as JSON. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/checker.h"
#include "check/report.h"
#include "isa/rv32_text.h"
#include "isa/tensix_text.h"
#include "util/fail.h"
#include "util/json.h"
#include "util/text.h"

enum { SOURCE_SIZE = 1000, INSTRUCTION_SIZE = 200 };

void check_source(const struct bh_check *check, const struct bh_check_place *place, char *text, unsigned size)
{
    text[0] = 0;
    if (check && check->options.source &&
        !check->options.source(check->options.context, place->x, place->y, &place->place, text, size)) {
        text[0] = 0;
    }
}

static void disassemble(const struct bh_check_place *place, char *text, size_t size)
{
    text[0] = 0;
    if (place->place.agent == BH_AGENT_THREAD) {
        (void)tensix_disassemble(place->instruction, TENSIX_TEXT_FIELDS, text, size);
    } else if (place->instruction) {
        (void)rv32_disassemble(place->instruction, place->place.pc, text, size);
    }
}

static const char *agent_name(const struct bh_place *place)
{
    bool thread = place->agent == BH_AGENT_THREAD;
    const char *name = bh_core_name((enum bh_core)(thread ? BH_CORE_T0 + place->index : place->index));
    bool core = place->agent == BH_AGENT_CORE || thread;
    return !core || !name ? bh_agent_name(place->agent) : name;
}

/* "  at 1-2 thread T0 pc 0x62b0, clock 123: UNPACR ...", and what it does, and the line in the source. */
static void add_place(const struct bh_check *check, struct text *text, const char *preposition,
                      const struct bh_check_place *place)
{
    char instruction[INSTRUCTION_SIZE], source[SOURCE_SIZE];
    disassemble(place, instruction, sizeof instruction);
    check_source(check, place, source, sizeof source);
    if (place->place.agent == BH_AGENT_HOST) {
        text_add(text, "  %s %u-%u %s\n", preposition, place->x, place->y, agent_name(&place->place));
        return;
    }
    text_add(text, "  %s %u-%u %s%s pc 0x%08x, clock %" PRIu64 ": %s%s%s\n", preposition, place->x, place->y,
             place->place.agent == BH_AGENT_THREAD ? "thread " : "", agent_name(&place->place), place->place.pc,
             place->cycle, instruction, place->what && *instruction ? ": " : "", place->what ? place->what : "");
    if (*source) {
        text_add(text, "      %s\n", source);
    }
}

int bh_check_format(const struct bh_check *check, const struct bh_check_finding *finding, char *buffer, unsigned size)
{
    struct text text = {.buffer = buffer, .size = buffer ? size : 0};
    if (!finding) {
        return text_nothing(buffer, size);
    }
    text_add(&text, "check: %s: %s: %s\n", finding->rule, bh_severity_name(finding->severity), finding->message);
    for (unsigned i = 0; i < finding->place_count; i++) {
        add_place(check, &text, i ? "and" : "at", &finding->place[i]);
    }
    text_add(&text, "  rule: %s\n", finding->because);
    if (finding->mend && *finding->mend) {
        text_add(&text, "  mend: %s\n", finding->mend);
    }
    return (int)text.length;
}

int bh_check_format_count(const struct bh_check *check, char *buffer, unsigned size)
{
    struct text text = {.buffer = buffer, .size = buffer ? size : 0};
    unsigned notes = bh_check_notes(check), findings = bh_check_count(check) - notes;
    uint64_t untold = bh_check_untold(check), suppressed = bh_check_suppressed(check);
    text_add(&text, "check: %u finding%s", findings, findings == 1 ? "" : "s");
    if (notes) {
        text_add(&text, ", %u note%s", notes, notes == 1 ? "" : "s");
    }
    if (untold) {
        text_add(&text, ", and %" PRIu64 " more times others (beyond the limit)", untold);
    }
    if (suppressed) {
        text_add(&text, "; suppressed %" PRIu64 " times", suppressed);
    }
    text_add(&text, "\n");
    return (int)text.length;
}

/* JSON. */

static void write_place(const struct bh_check *check, struct json *json, const struct bh_check_place *place)
{
    char instruction[INSTRUCTION_SIZE], source[SOURCE_SIZE];
    disassemble(place, instruction, sizeof instruction);
    check_source(check, place, source, sizeof source);
    json_begin_object(json);
    json_name(json, "tile");
    json_format(json, "%u-%u", place->x, place->y);
    json_name(json, "agent");
    json_text(json, agent_name(&place->place));
    json_name(json, "is_thread");
    json_bool(json, place->place.agent == BH_AGENT_THREAD);
    json_name(json, "pc");
    json_unsigned(json, place->place.pc);
    json_name(json, "cycle");
    json_unsigned(json, place->cycle);
    json_name(json, "instruction");
    json_text(json, instruction);
    json_name(json, "what");
    json_text(json, place->what);
    json_name(json, "source");
    json_text(json, source);
    json_end_object(json);
}

static void write_finding(const struct bh_check *check, struct json *json, const struct bh_check_finding *finding)
{
    json_begin_object(json);
    json_name(json, "tool");
    json_text(json, bh_check_tool_name(finding->tool));
    json_name(json, "rule");
    json_text(json, finding->rule);
    json_name(json, "severity");
    json_text(json, bh_severity_name(finding->severity));
    json_name(json, "message");
    json_text(json, finding->message);
    json_name(json, "because");
    json_text(json, finding->because);
    json_name(json, "mend");
    json_text(json, finding->mend && *finding->mend ? finding->mend : NULL);
    json_name(json, "count");
    json_unsigned(json, finding->count);
    json_name(json, "places");
    json_begin_array(json);
    for (unsigned i = 0; i < finding->place_count; i++) {
        write_place(check, json, &finding->place[i]);
    }
    json_end_array(json);
    json_end_object(json);
}

void check_write_json(const struct bh_check *check, FILE *file)
{
    struct json json = json_to(file);
    struct bh_check_finding finding;
    json_begin_object(&json);
    json_name(&json, "findings");
    json_begin_array(&json);
    for (unsigned i = 0; bh_check_finding(check, i, &finding); i++) {
        write_finding(check, &json, &finding);
    }
    json_end_array(&json);
    json_name(&json, "untold");
    json_unsigned(&json, bh_check_untold(check));
    json_name(&json, "suppressed");
    json_unsigned(&json, bh_check_suppressed(check));
    json_end_object(&json);
}

enum bh_status bh_check_write(const struct bh_check *check, const char *path, struct bh_error *error)
{
    if (!check || !path) {
        return fail(error, BH_ERROR_ARGUMENT, "no checker, or no path");
    }
    FILE *file = fopen(path, "w");
    if (file) {
        check_write_json(check, file);
        bool whole = fputc('\n', file) != EOF && !ferror(file);
        if (fclose(file) == 0 && whole) {
            return BH_OK;
        }
    }
    return fail(error, BH_ERROR_IO, "cannot write %.300s: %s", path, strerror(errno));
}
