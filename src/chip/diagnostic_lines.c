#include "chip/diagnostic_lines.h"

#include <stdio.h>
#include <string.h>

enum { SOURCE_SIZE = 600, LINE_SIZE = BH_DIAGNOSTIC_TEXT + 1000 };

/* named: and whose place it is. */
static void write_source(const struct bh_diagnostic *diagnostic, const struct diagnostic_lines *lines,
                         const struct bh_place *place, bool named)
{
    char source[SOURCE_SIZE], line[SOURCE_SIZE + 100];
    if (!lines->source(lines->context, diagnostic->tile_x, diagnostic->tile_y, place, source, sizeof source)) {
        return;
    }
    bool core = place->agent == BH_AGENT_CORE;
    if (named) {
        (void)snprintf(line, sizeof line, "  %s %s at 0x%08x: %s", core ? "core" : "thread",
                       bh_core_name((enum bh_core)(core ? place->index : BH_CORE_T0 + place->index)), place->pc,
                       source);
    } else {
        (void)snprintf(line, sizeof line, "    %s", source);
    }
    lines->write(lines->context, line);
}

/* The place whose line begins, after spaces, at this one of the text; null: none. */
static const struct bh_place *place_of_line(const struct bh_diagnostic *diagnostic, const char *line)
{
    size_t at = (size_t)(line - diagnostic->text) + strspn(line, " ");
    for (unsigned i = 0; i < diagnostic->places_count; i++) {
        if (diagnostic->lines[i] == at) {
            return &diagnostic->places[i];
        }
    }
    return NULL;
}

void diagnostic_write_lines(const struct bh_diagnostic *diagnostic, const struct diagnostic_lines *lines)
{
    struct bh_diagnostic head = *diagnostic;
    char line[LINE_SIZE];
    size_t length = strcspn(diagnostic->text, "\n");
    head.text[length] = 0;
    bh_diagnostic_format(&head, line, sizeof line);
    lines->write(lines->context, line);
    if (diagnostic->agent != BH_AGENT_HOST) {
        struct bh_place place = {.agent = diagnostic->agent, .index = diagnostic->index, .pc = diagnostic->pc};
        write_source(diagnostic, lines, &place, true);
    }
    for (const char *at = diagnostic->text;; at += length + 1, length = strcspn(at, "\n")) {
        const struct bh_place *place = place_of_line(diagnostic, at);
        if (at != diagnostic->text) {
            (void)snprintf(line, sizeof line, "%.*s", (int)length, at);
            lines->write(lines->context, line);
        }
        if (place) {
            write_source(diagnostic, lines, place, false);
        }
        if (!at[length]) {
            break;
        }
    }
}
