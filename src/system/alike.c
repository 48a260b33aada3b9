#include "system/alike.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

enum { LISTED = 8, LIST = 100 };

struct report {
    struct bh_diagnostic diagnostic; /* of the first chip */
    unsigned others;                 /* chips that say the same */
    char list[LIST];                 /* of the others, the first LISTED: "1, 2" */
};

struct alike_reports {
    struct report report[ALIKE_MOST];
    unsigned count;
    unsigned left; /* reports that are not among them */
};

struct alike_reports *alike_begin(void)
{
    return calloc(1, sizeof(struct alike_reports));
}

/* Of the clock, which is that of all chips, and of the chip itself nothing is compared. */
static bool are_alike(const struct bh_diagnostic *one, const struct bh_diagnostic *other)
{
    return one->category == other->category && one->action == other->action && one->tile_x == other->tile_x &&
           one->tile_y == other->tile_y && one->agent == other->agent && strcmp(one->text, other->text) == 0;
}

static void add_chip(struct report *report, unsigned chip)
{
    struct text list = {.buffer = report->list, .size = sizeof report->list, .length = strlen(report->list)};
    if (report->others < LISTED) {
        text_add(&list, "%s%u", report->others ? ", " : "", chip);
    }
    report->others++;
}

void alike_add(struct alike_reports *reports, const struct bh_diagnostic *diagnostic)
{
    for (unsigned i = 0; i < reports->count; i++) {
        struct report *report = &reports->report[i];
        if (report->diagnostic.chip != diagnostic->chip && are_alike(&report->diagnostic, diagnostic)) {
            add_chip(report, diagnostic->chip);
            return;
        }
    }
    if (reports->count == ALIKE_MOST) {
        reports->left++;
        return;
    }
    reports->report[reports->count++] = (struct report){.diagnostic = *diagnostic};
}

/* Adds which chips say the same; the end of the report is cut off if there is no room. */
static void add_others(const struct alike_reports *reports, struct report *report)
{
    char others[LIST + 200] = "";
    struct text text = {.buffer = others, .size = sizeof others};
    if (report->others) {
        text_add(&text, "\n  %u more chip%s like chip %u: %s%s", report->others, report->others == 1 ? "" : "s",
                 report->diagnostic.chip, report->list, report->others > LISTED ? ", ..." : "");
    }
    if (reports->left && report == &reports->report[reports->count - 1]) {
        text_add(&text, "\n  %u more report%s of chips", reports->left, reports->left == 1 ? "" : "s");
    }
    size_t most = sizeof report->diagnostic.text - 1 - strlen(others), length = strlen(report->diagnostic.text);
    memcpy(report->diagnostic.text + (length < most ? length : most), others, strlen(others) + 1);
}

void alike_end(struct alike_reports *reports, void (*tell)(void *context, const struct bh_diagnostic *diagnostic),
               void *context)
{
    for (unsigned i = 0; reports && i < reports->count; i++) {
        add_others(reports, &reports->report[i]);
        tell(context, &reports->report[i].diagnostic);
    }
    free(reports);
}
