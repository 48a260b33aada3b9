/* --check: finds races, uninitialised data, accesses out of bounds and misused synchronisation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu/check.h"
#include "disasm.h"
#include "run_part.h"

enum { SOURCE_SIZE = 600 };

static const struct run_option options[] = {
    {"check", "[=TOOLS]", "find what is right only by luck: racecheck,initcheck,memcheck,synccheck; all unless named",
     0},
    {"check-limit", "N", "tell at most N different findings (100)", 0},
    {},
};

static uint32_t tools;
static unsigned limit;
static struct bh_check *check;

static bool add_tool(const char *name, size_t length)
{
    for (unsigned i = 0; i < BH_CHECK_TOOLS; i++) {
        const char *known = bh_check_tool_name((enum bh_check_tool)i);
        if (strlen(known) == length && strncmp(known, name, length) == 0) {
            tools |= BH_CHECK_TOOL_BIT(i);
            return true;
        }
    }
    return false;
}

static bool set_tools(const char *list)
{
    if (!list) {
        tools = BH_CHECK_ALL_TOOLS;
        return true;
    }
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        if (!add_tool(at, length)) {
            return run_wrong("--check: there is no tool '%.*s': racecheck, initcheck, memcheck, synccheck", (int)length,
                             at);
        }
        at += length;
        if (!*at) {
            return true;
        }
    }
}

static bool set(struct run *run, const char *name, const char *value)
{
    if (strcmp(name, "check") == 0) {
        return set_tools(value);
    }
    uint64_t number;
    if (!run_number(value, &number) || number == 0 || number > 1000000) {
        return run_wrong("--check-limit: '%s' is no number from 1 to 1000000", value);
    }
    limit = (unsigned)number;
    return true;
}

static void print_place(const struct run *run, const char *preposition, const struct bh_check_place *at)
{
    char instruction[200] = "", source[SOURCE_SIZE];
    bool thread = at->place.agent == BH_AGENT_THREAD;
    fprintf(stderr, "  %s %u-%u %s%s pc 0x%x: %s%s%s\n", preposition, at->x, at->y, thread ? "thread " : "",
            bh_core_name((enum bh_core)(thread ? BH_CORE_T0 + at->place.index : at->place.index)), at->place.pc,
            at->what ? at->what : "", *instruction ? ": " : "", instruction);
    if (bh_job_source(run->job, at->x, at->y, &at->place, source, sizeof source)) {
        fputs("      ", stderr);
        run_print_relative(source);
    }
}

static void on_finding(void *context, const struct bh_check_finding *finding)
{
    const struct run *run = context;
    run_end_progress();
    fprintf(stderr, "check: %s: %s: %s\n", finding->rule, bh_severity_name(finding->severity), finding->message);
    for (unsigned i = 0; i < finding->place_count; i++) {
        print_place(run, i ? "and" : "at", &finding->place[i]);
    }
    fprintf(stderr, "  rule: %s\n", finding->because);
    if (finding->mend) {
        fprintf(stderr, "  mend: %s\n", finding->mend);
    }
}

static enum bh_status job_ended(void *context, struct bh_device *device, enum bh_status how, struct bh_error *error)
{
    return bh_check_end(check);
}

static const struct bh_job_hook hook = {.ended = job_ended};

static enum bh_status begin(struct run *run, struct bh_error *error)
{
    if (!tools) {
        return BH_OK;
    }
    enum bh_status status = bh_check_open(&(struct bh_check_options){.mode = run->options.mode,
                                                                     .tools = tools,
                                                                     .tiles = run->filter.tiles,
                                                                     .tile_count = run->filter.tile_count,
                                                                     .limit = limit,
                                                                     .on_finding = on_finding,
                                                                     .context = run},
                                          &check, error);
    if (status == BH_OK) {
        run_add_observer(run, bh_check_observer(check));
        run_add_hook(run, &hook);
    }
    return status;
}

static enum bh_status end(struct run *run, enum bh_status how, struct bh_error *error)
{
    if (check) {
        unsigned count = bh_check_count(check);
        fprintf(stderr, "check: %u finding%s\n", count, count == 1 ? "" : "s");
    }
    bh_check_close(check);
    check = NULL;
    return BH_OK;
}

const struct run_part run_check_part = {.options = options, .set = set, .begin = begin, .end = end};
