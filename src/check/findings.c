/* Findings: told once, and counted. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/checker.h"
#include "util/bits.h"

enum { DEFAULT_LIMIT = 100, TEXT_SIZE = 600 };

struct finding {
    struct bh_check_finding finding; /* its texts are those below, but for those of constant data */
    uint32_t later, earlier;         /* places */
    char *message, *mend, *what[2];
    bool suppressed;
};

struct check_findings {
    struct finding *finding;
    unsigned count, room;
    unsigned told[BH_SEVERITY_ERROR + 1]; /* of these by severity, those that are not suppressed */
    uint64_t untold, suppressed;
};

const char *bh_check_tool_name(enum bh_check_tool tool)
{
    static const char *const names[] = {"racecheck", "initcheck", "memcheck", "synccheck"};
    return (unsigned)tool < COUNT_OF(names) ? names[tool] : NULL;
}

const char *bh_severity_name(enum bh_severity severity)
{
    static const char *const names[] = {"note", "warning", "error"};
    return (unsigned)severity < COUNT_OF(names) ? names[severity] : NULL;
}

struct check_findings *findings_create(void)
{
    return calloc(1, sizeof(struct check_findings));
}

static void free_texts(struct finding *finding)
{
    free(finding->message);
    free(finding->mend);
    free(finding->what[0]);
    free(finding->what[1]);
}

void findings_free(struct check_findings *findings)
{
    for (unsigned i = 0; findings && i < findings->count; i++) {
        free_texts(&findings->finding[i]);
    }
    free(findings ? findings->finding : NULL);
    free(findings);
}

/* Whether two places are the same instruction of the same agent, whatever their tiles. */
static bool alike(const struct bh_check *check, uint32_t a, uint32_t b)
{
    if (!a || !b || a == b) {
        return a == b;
    }
    const struct check_known_place *one = &check->places[a], *other = &check->places[b];
    return one->pc == other->pc && one->word == other->word && one->agent == other->agent && one->index == other->index;
}

static struct finding *find(struct bh_check *check, const struct check_found *found)
{
    struct check_findings *findings = check->findings;
    for (unsigned i = 0; i < findings->count; i++) {
        struct finding *finding = &findings->finding[i];
        if (strcmp(finding->finding.rule, found->rule) == 0 && finding->finding.severity == found->severity &&
            alike(check, finding->later, found->later) && alike(check, finding->earlier, found->earlier)) {
            return finding;
        }
    }
    return NULL;
}

static struct finding *add(struct bh_check *check)
{
    struct check_findings *findings = check->findings;
    if (findings->count == findings->room) {
        unsigned room = findings->room ? 2 * findings->room : 16;
        struct finding *more = realloc(findings->finding, room * sizeof *more);
        if (!more) {
            return NULL;
        }
        findings->finding = more;
        findings->room = room;
    }
    findings->finding[findings->count] = (struct finding){};
    return &findings->finding[findings->count];
}

static bool copy(char **to, const char *text)
{
    *to = text ? strdup(text) : NULL;
    return !text || *to;
}

static void tell(struct bh_check *check, const struct finding *finding)
{
    if (check->options.on_finding && !finding->suppressed) {
        check->options.on_finding(check->options.context, &finding->finding);
    }
}

static void fill(struct bh_check *check, struct finding *finding, const struct check_found *found)
{
    const uint32_t places[] = {found->earlier, found->later};
    struct bh_check_finding *to = &finding->finding;
    finding->later = found->later;
    finding->earlier = found->earlier;
    *to = (struct bh_check_finding){.tool = found->tool,
                                    .severity = found->severity,
                                    .rule = found->rule,
                                    .message = finding->message,
                                    .because = found->because,
                                    .mend = finding->mend,
                                    .count = 1};
    for (unsigned i = 0; i < 2; i++) {
        if (places[i]) {
            struct bh_check_place *place = &to->place[to->place_count++];
            *place = check_place(check, places[i]);
            place->what = finding->what[i];
        }
    }
}

/* Whether as many as may be told were told, of notes or of all else. What is suppressed does not count, but has a
   limit, too. */
static bool is_full(const struct bh_check *check, enum bh_severity severity)
{
    enum { MOST_SUPPRESSED = 10000 };
    const struct check_findings *findings = check->findings;
    const unsigned *told = findings->told, notes = told[BH_SEVERITY_NOTE];
    const unsigned others = told[BH_SEVERITY_WARNING] + told[BH_SEVERITY_ERROR];
    const unsigned limit = check->options.limit ? check->options.limit : DEFAULT_LIMIT;
    return (severity == BH_SEVERITY_NOTE ? notes : others) >= limit ||
           findings->count - notes - others >= MOST_SUPPRESSED;
}

void check_report(struct bh_check *check, const struct check_found *found, const char *mend, const char *format, ...)
{
    struct check_findings *findings = check->findings;
    struct finding *known = find(check, found);
    if (known) {
        known->finding.count++;
        findings->suppressed += known->suppressed;
        return;
    }
    if (is_full(check, found->severity)) {
        findings->untold++;
        return;
    }
    char message[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    struct finding *finding = add(check);
    bool ok = finding && copy(&finding->message, message) && copy(&finding->mend, mend) &&
              copy(&finding->what[0], found->earlier_what) && copy(&finding->what[1], found->later_what);
    if (ok) {
        fill(check, finding, found);
        findings->count++;
        finding->suppressed = suppresses(check, &finding->finding);
        findings->suppressed += finding->suppressed;
        findings->told[found->severity] += !finding->suppressed;
        tell(check, finding);
    } else {
        check->failed = true;
        if (finding) {
            free_texts(finding);
        }
    }
}

unsigned bh_check_count(const struct bh_check *check)
{
    unsigned count = 0;
    for (unsigned i = 0; check && i < check->findings->count; i++) {
        count += !check->findings->finding[i].suppressed;
    }
    return count;
}

bool bh_check_finding(const struct bh_check *check, unsigned index, struct bh_check_finding *finding)
{
    for (unsigned i = 0; check && finding && i < check->findings->count; i++) {
        if (!check->findings->finding[i].suppressed && index-- == 0) {
            *finding = check->findings->finding[i].finding;
            return true;
        }
    }
    return false;
}

unsigned bh_check_notes(const struct bh_check *check)
{
    return check ? check->findings->told[BH_SEVERITY_NOTE] : 0;
}

uint64_t bh_check_untold(const struct bh_check *check)
{
    return check ? check->findings->untold : 0;
}

uint64_t bh_check_suppressed(const struct bh_check *check)
{
    return check ? check->findings->suppressed : 0;
}
