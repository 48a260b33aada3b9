/* BHEMU_REPORT_AFTER=SECONDS: who waits for whom, once so much time has passed without progress. Progress is a write of
   the host, a Tensix instruction, a request on the NoC, or a core that does anything but go round in a loop which
   changes nothing; but if that changes no memory for PATIENCE times as long, all the same, as long as the host lets the
   device's time pass. Under tt-metal's firmware also which kernels have not ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chip/explain.h"
#include "chip/quantum.h"
#include "host/metal_seen.h"
#include "noc/translation.h"
#include "part.h"

enum { TEXT = 400, STATES = 8, MAXIMUM_SECONDS = 1000 * 1000, PATIENCE = 4, LOOK_CYCLES = 4096 };

static struct {
    double after, since;        /* seconds; 0: no reports; time of the last progress */
    uint64_t writes, worked_at; /* as they were then */
    uint64_t changes, clock;    /* device_changes(), when it was last asked, and the device's clock then */
    unsigned unchanged;         /* how often in a row it was the same */
    bool told;                  /* of this hang */
} report;

/* Tiles whose launches are in the same state. */
struct state {
    char text[TEXT];
    unsigned x, y, tiles; /* the first of them, and how many they are */
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void begin(struct abi *abi)
{
    const char *text = getenv("BHEMU_REPORT_AFTER");
    char *end = NULL;
    report.after = 0;
    if (text && *text) {
        report.after = strtod(text, &end);
        if (end == text || *end || !(report.after > 0 && report.after <= MAXIMUM_SECONDS)) {
            abi_fail("ConfigurationError", "BHEMU_REPORT_AFTER is \"%s\"; it may be a number of seconds, up to %d",
                     text, MAXIMUM_SECONDS);
        }
    }
    abi->reports = report.after > 0;
    report.since = seconds();
    report.told = false;
    report.unchanged = 0;
    report.clock = 0;
}

static void end(struct abi *abi)
{
    abi->reports = false;
}

static void add_state(struct state states[STATES], const char *text, unsigned x, unsigned y)
{
    unsigned i = 0;
    while (i < STATES - 1 && states[i].tiles && strcmp(states[i].text, text) != 0) {
        i++;
    }
    if (!states[i].tiles++) {
        (void)snprintf(states[i].text, TEXT, "%s", text);
        states[i].x = x;
        states[i].y = y;
    }
}

/* What tt-metal's firmware is at. *idle: tiles on which it waits for the host, as it should. */
static void look_at_launches(struct bh_device *device, struct state states[STATES], uint64_t idle[DEVICE_BITMAP_WORDS])
{
    for (unsigned i = device_next_tile(device->ready, 0); i < TENSIX_TILES;
         i = device_next_tile(device->ready, i + 1)) {
        const struct diagnostics *diagnostics = &device->states[i].diagnostics;
        struct metal_seen seen;
        unsigned x, y;
        char text[TEXT];
        noc_logical(&device->translation, diagnostics->tile_x, diagnostics->tile_y, &x, &y);
        if (!metal_see(device, x, y, &seen)) {
            continue;
        }
        if (metal_is_busy(&seen)) {
            metal_describe(&seen, text, sizeof text);
            add_state(states, text, diagnostics->tile_x, diagnostics->tile_y);
        } else {
            idle[i / 64] |= UINT64_C(1) << i % 64;
        }
    }
}

static void print_launches(const struct state states[STATES])
{
    for (unsigned i = 0; i < STATES && states[i].tiles; i++) {
        fprintf(stderr, "libttsim: report: tt-metal on tile (%u,%u)", states[i].x, states[i].y);
        if (states[i].tiles > 1) {
            fprintf(stderr, " and %u more", states[i].tiles - 1);
        }
        fprintf(stderr, ": %s\n", states[i].text);
    }
}

static void tell(struct abi *abi)
{
    struct state states[STATES] = {};
    uint64_t idle[DEVICE_BITMAP_WORDS] = {};
    look_at_launches(abi->device, states, idle);
    abi->explaining = true;
    device_report(abi->device, idle);
    abi->explaining = false;
    print_launches(states);
}

/* Cores that read clocks may have a timeout, or wait between two looks at a word: they get on, but not for ever. */
static bool only_time_passes(struct bh_device *device)
{
    uint64_t clock = bh_clock(device);
    if (clock - report.clock < LOOK_CYCLES) { /* too few to say anything: this process hardly runs */
        return false;
    }
    report.clock = clock;
    uint64_t changes = device_changes(device);
    report.unchanged = changes == report.changes ? report.unchanged + 1 : 0;
    report.changes = changes;
    return report.unchanged >= PATIENCE;
}

void report_look(struct abi *abi)
{
    double now = seconds();
    bool got_on = abi->writes != report.writes || abi->device->worked_at != report.worked_at;
    if (!got_on && (report.told || now - report.since < report.after)) {
        return;
    }
    report.writes = abi->writes;
    report.worked_at = abi->device->worked_at;
    report.since = now;
    report.told = false;
    if (got_on) {
        report.unchanged = 0;
    } else if (device_only_waits(abi->device) || only_time_passes(abi->device)) {
        report.told = true;
        tell(abi);
    }
}

const struct abi_part abi_report_part = {begin, end};
