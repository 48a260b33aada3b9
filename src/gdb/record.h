/* Recording, for reverse-step and reverse-continue. What a device executes depends on nothing but its state. So to go
   back is to restore a snapshot of before and to run on from there, up to the place that is wanted. Snapshots are taken
   on the way, between two quanta; from one of them a search runs on to where gdb has stopped the program, and finds the
   last place before it at which a breakpoint, a watchpoint or a step is to stop.

   Places are counted in events of the debugged tiles, which are the same on each run (bhemu/observer.h). What other
   observers, users of diagnostics and readers of prints were told once they are not told again. */
#ifndef BHEMU_GDB_RECORD_H
#define BHEMU_GDB_RECORD_H

#include "bhemu/snapshot.h"
#include "chip/run.h"
#include "gdb/state.h"

/* Snapshots are thinned out behind either. */
enum { RECORD_MARKS = 64 };
extern const size_t gdb_record_bytes;

struct gdb_place {
    uint64_t position; /* events before it */
    bool between;      /* between two quanta, not at an event: */
    unsigned call;     /* within this call of bh_gdb_run(), the first is 0, */
    uint64_t clock;    /* at this clock */
};

/* A snapshot, with what is not a part of it. */
struct gdb_mark {
    struct gdb_place at;
    struct bh_snapshot *snapshot;
    struct device_run run;
    uint8_t *rest; /* what observers are to be told next, and what visitors remember */
    size_t bytes;
};

struct gdb_goal {
    unsigned thread; /* 0: none */
    struct gdb_stop stop;
    struct gdb_place at;
    struct gdb_place quantum; /* the last end of a quantum before it */
    struct bh_event access;   /* that a watchpoint is about */
};

/* What is looked for up to a place, from the last snapshot before it on, then from the one before that. */
struct gdb_search {
    struct gdb_place end;
    unsigned steps;                      /* the thread that goes back by an instruction; 0: none */
    bool has_retired;                    /* the instruction, whose beginning is before the snapshot */
    struct gdb_place quantum;            /* the last end of a quantum so far */
    struct gdb_goal found, issued, last; /* the last instruction that the thread, and that any thread has begun */
};

enum gdb_record_mode {
    RECORD_RUNS,
    RECORD_LEAVES,   /* runs to the end of a quantum, and will then be elsewhere */
    RECORD_SEARCHES, /* runs to the end of `search` */
    RECORD_GOES,     /* runs to `goal` */
};

struct gdb_record {
    bool on;      /* snapshots are taken */
    bool asked;   /* gdb wants to go back */
    bool failed;  /* there was no memory to restore a snapshot */
    bool repeats; /* observers know what happens, up to `told` */
    struct gdb_place told;
    enum gdb_record_mode mode;
    uint64_t position; /* events so far */
    struct device_run run;
    unsigned call, calls;
    uint64_t *cycles;         /* of each call, as asked for */
    struct bh_snapshot *left; /* at the end of the last call */
    struct gdb_mark marks[RECORD_MARKS];
    unsigned mark_count;
    struct gdb_search search;
    struct gdb_goal goal;
};

/* record.c: snapshots. */

/* Negative: the first is before the second; 0: they are the same. */
int gdb_place_compare(const struct gdb_place *one, const struct gdb_place *other);

/* Where the device is between two quanta. */
struct gdb_place gdb_record_place(const struct bh_gdb *gdb);

/* The last snapshot before a place, or at it if that is good, too. Null: there is none. */
struct gdb_mark *gdb_record_mark(struct bh_gdb *gdb, const struct gdb_place *place, bool at);

/* Takes a snapshot of now if `always`, or if the last one is long ago. Without memory there is one less. */
void gdb_record_take(struct bh_gdb *gdb, bool always);
void gdb_record_restore(struct bh_gdb *gdb, const struct gdb_mark *mark);

/* Forgets all snapshots. */
void gdb_record_forget(struct bh_gdb *gdb);

/* Whether nobody but gdb is told what happens. */
void gdb_record_mute(struct bh_gdb *gdb, bool mute);

/* reverse.c: running while it is recorded. */

/* In place of bh_run(). */
enum bh_status gdb_record_run(struct bh_gdb *gdb, uint64_t cycles, struct bh_run_result *result);

/* An event. true: it is of no concern to anybody else. */
bool gdb_record_event(struct bh_gdb *gdb, const struct bh_event *event, unsigned number);

#endif
