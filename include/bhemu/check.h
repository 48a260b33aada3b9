/* The checker: finds programs that are right only by luck. An observer (bhemu/observer.h) that follows who is ordered
   behind whom on a device, and who has written what. It changes no result and no clock. docs/checker.md describes the
   rules. */
#ifndef BHEMU_CHECK_H
#define BHEMU_CHECK_H

#include "bhemu/device.h"
#include "bhemu/error.h"
#include "bhemu/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The tools, each with rules of its own: "racecheck", "initcheck", "memcheck", "synccheck". */
enum bh_check_tool {
    BH_CHECK_RACES,           /* two accesses without an order between them, one of them a write */
    BH_CHECK_INITIALISATION,  /* reads of what nobody has written */
    BH_CHECK_MEMORY,          /* accesses outside of what a program owns */
    BH_CHECK_SYNCHRONISATION, /* misuse of semaphores, mutexes, barriers and hand-overs */
    BH_CHECK_TOOLS
};

BH_API const char *bh_check_tool_name(enum bh_check_tool tool);

#define BH_CHECK_TOOL_BIT(tool) (UINT32_C(1) << (tool))
#define BH_CHECK_ALL_TOOLS (BH_CHECK_TOOL_BIT(BH_CHECK_TOOLS) - 1)

enum bh_severity {
    BH_SEVERITY_NOTE,    /* worth knowing; not wrong */
    BH_SEVERITY_WARNING, /* wrong by the documents, though nobody has seen it fail */
    BH_SEVERITY_ERROR,
};

BH_API const char *bh_severity_name(enum bh_severity severity);

/* One side of a finding. */
struct bh_check_place {
    uint8_t x, y; /* coordinates of NoC 0 of the tile whose core or thread it is */
    struct bh_place place;
    uint32_t instruction; /* its word; 0: none */
    uint64_t cycle;       /* of that tile's clock */
    const char *what;     /* "the packer reads Dst rows 0 to 63" */
};

/* Texts are valid while the callback runs. */
struct bh_check_finding {
    enum bh_check_tool tool;
    enum bh_severity severity;
    const char *rule;    /* "racecheck.dst" */
    const char *message; /* one line */
    const char *because; /* the rule of the documents that is broken */
    const char *mend;    /* what would mend it, or null */
    unsigned place_count;
    struct bh_check_place place[2]; /* if there are two, what happened first comes first */
    uint64_t count;                 /* how often it was found so far: places alike on any tile are one finding */
};

struct bh_check_options {
    enum bh_mode mode; /* of the device */
    uint32_t tools;    /* bits of BH_CHECK_TOOL_BIT(); 0: all */
    const struct bh_tile *tiles;
    unsigned tile_count; /* 0: all tiles */
    unsigned limit;      /* different findings that are told, and as many notes; 0: 100. Others are counted */
    size_t memory; /* bytes at most for what is known of memories; 0: 1 GiB. Beyond that the oldest is forgotten */
    /* Tells a finding when it is found, for the first time. Called on the thread that runs the device; must not call
       functions that take it. */
    void (*on_finding)(void *context, const struct bh_check_finding *finding);
    void *context;
    /* Where in the source a place of a tile is, as bh_job_source() says it. May be null. */
    bool (*source)(void *context, unsigned x, unsigned y, const struct bh_place *place, char *buffer, unsigned size);
};

struct bh_check;

/* options may be null. BH_ERROR_ARGUMENT: there is no such tool or mode; BH_ERROR_MEMORY. error may be null. */
BH_API enum bh_status bh_check_open(const struct bh_check_options *options, struct bh_check **check,
                                    struct bh_error *error);

/* The observer to add to a device, or to give to a job: before the program's first write, or what was written before
   counts as uninitialised. A snapshot (bhemu/snapshot.h) does not hold what a checker has learned: do not use one with
   a device or a job that goes on from a snapshot, or back to one. It would report right programs and miss mistakes. */
BH_API const struct bh_observer *bh_check_observer(const struct bh_check *check);

/* What a program owns, for memcheck. Addresses are those of L1, of a channel of DRAM, or of local RAM as cores see it.
 */
enum bh_check_owned_kind {
    BH_CHECK_BUFFER,          /* a tensor, or a piece of one that lies in one place */
    BH_CHECK_CIRCULAR_BUFFER, /* of a launch by tt-metal's firmware */
    BH_CHECK_ARGUMENTS,       /* of the kernels of some cores; only these read them */
    BH_CHECK_CODE,            /* of one core's program */
    BH_CHECK_DATA             /* of one core's program in its local RAM: its stack stays above that */
};

struct bh_check_owned {
    enum bh_check_owned_kind kind;
    uint8_t x, y;  /* of the tile, any of a channel's; coordinates of NoC 0 */
    uint8_t space; /* enum bh_space: L1; for a buffer L1 or DRAM; for data local RAM */
    uint8_t cores; /* of arguments, code and data: a bit for each enum bh_core */
    uint64_t address, size;
    const char *name; /* "output sum.npy"; copied. Null: it has none */
    /* Of a circular buffer: */
    uint8_t number;
    uint32_t pages;
    uint32_t described; /* the word of L1 that its address is read from; 0: not known */
};

/* Tells of one thing that the program owns: before it accesses it. BH_ERROR_ARGUMENT: not all of it is in memory, or
   no such kind; BH_ERROR_MEMORY. */
BH_API enum bh_status bh_check_own(struct bh_check *check, const struct bh_check_owned *owned);

/* The next launch begins on a tile: forgets its circular buffers and arguments. May be called from an observer that was
   added before the checker. */
BH_API void bh_check_disown(struct bh_check *check, unsigned x, unsigned y);

/* The program has ended: finds what is left undone. Afterwards bh_check_finding() gives all that were told, with their
   final counts; its texts are valid until bh_check_close(). BH_ERROR_MEMORY: some findings may be missing. */
BH_API enum bh_status bh_check_end(struct bh_check *check);

/* In its place when the program was stopped before its end, by an error, a limit, or the user: what it would still have
   done is no finding. */
BH_API enum bh_status bh_check_stop(struct bh_check *check);
BH_API unsigned bh_check_count(const struct bh_check *check);

/* How many of these are notes: a program that has nothing else is right. */
BH_API unsigned bh_check_notes(const struct bh_check *check);
BH_API bool bh_check_finding(const struct bh_check *check, unsigned index, struct bh_check_finding *finding);

/* How many different findings there were beyond `limit`; how often suppressed ones were found. */
BH_API uint64_t bh_check_untold(const struct bh_check *check);
BH_API uint64_t bh_check_suppressed(const struct bh_check *check);

/* Findings that are not to be told. Each line of the text is `RULE` or `RULE at PLACE`; both may have the wildcards of
   the shell. A place is the source of one of the finding's two sides, as options.source says it, or a part of that:
   "copy_tile", "add.c:12". What follows a # is a comment. BH_ERROR_FORMAT: *error names the line. */
BH_API enum bh_status bh_check_suppress(struct bh_check *check, const char *text, struct bh_error *error);

/* A finding for people, several lines with their ends. Returns the length that it would have liked, as snprintf does.
   finding null: nothing, 0; check null: without lines of the source. */
BH_API int bh_check_format(const struct bh_check *check, const struct bh_check_finding *finding, char *buffer,
                           unsigned size);

/* How many findings there were, a line for people with its end: "check: 1 finding, 2 notes". Returns the length that it
   would have liked. */
BH_API int bh_check_format_count(const struct bh_check *check, char *buffer, unsigned size);

/* Writes all findings to a file as JSON: an object with an array `findings` of objects with tool, rule, severity,
   message, because, mend, count and places, each with tile, agent, pc, instruction, cycle, what and source. */
BH_API enum bh_status bh_check_write(const struct bh_check *check, const char *path, struct bh_error *error);

/* check may be null. No device may use it any more. */
BH_API void bh_check_close(struct bh_check *check);

#ifdef __cplusplus
}
#endif
#endif
