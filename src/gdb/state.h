/* What the files of the server share. */
#ifndef BHEMU_GDB_STATE_H
#define BHEMU_GDB_STATE_H

#include <stdio.h>

#include "bhemu/gdb.h"
#include "chip/device_state.h"
#include "gdb/link.h"

enum { GDB_THREADS = TENSIX_TILES * BH_CORE_COUNT + ETHERNET_TILES * ETHERNET_CORES + DRAM_TILES };
enum { GDB_POINTS = 256, GDB_NAME = 16 };

/* Signals as gdb numbers them. */
enum { GDB_SIGNAL_NONE = 0, GDB_SIGNAL_INT = 2, GDB_SIGNAL_TRAP = 5, GDB_SIGNAL_ABRT = 6, GDB_SIGNAL_CHLD = 20 };

enum gdb_cause {
    GDB_NOTHING,
    GDB_STOPPED, /* gdb asked for it, a step has ended, an ebreak, an error */
    GDB_SOFTWARE_BREAKPOINT,
    GDB_HARDWARE_BREAKPOINT,
    GDB_WATCHED_WRITE,
    GDB_WATCHED_READ,
    GDB_WATCHED_ACCESS,
    GDB_HISTORY_BEGINS, /* there is no way back, */
    GDB_HISTORY_ENDS,   /* or on */
};

struct gdb_stop {
    enum gdb_cause cause;
    unsigned signal;
    uint32_t address; /* that was watched */
};

/* A core. Its number is its place in the list, from 1 on. */
struct gdb_thread {
    unsigned tile;       /* the index of its tile on the device, among DEVICE_TILES */
    uint8_t x, y;        /* its tile: translated coordinates, */
    uint8_t core;        /* enum bh_core */
    uint8_t slot;        /* among the cores of its tile */
    char name[GDB_NAME]; /* "1,2 T1" */
    struct observed *observed;
    /* What it is to do once the program runs. */
    enum { GDB_CONTINUES, GDB_STEPS, GDB_STEPS_IN_RANGE } action;
    uint32_t from, to;       /* of GDB_STEPS_IN_RANGE */
    bool stepped;            /* the instruction has retired */
    bool left_out;           /* gdb wants it to stand still while another one steps */
    struct gdb_stop watched; /* a watchpoint was hit: the program stops before the next instruction */
    /* Non-stop mode. */
    bool held;            /* gdb has it stopped */
    bool paused;          /* for that it is in state RV32_PAUSED */
    bool untold;          /* gdb does not know yet why, */
    bool late;            /* and will be told later */
    struct gdb_stop stop; /* why */
    uint64_t retired;     /* instructions, as far as events have told */
};

/* Break- and watchpoints, by the numbers that packets Z have for them. */
struct gdb_point {
    uint8_t type; /* 0, 1: break, software and hardware; 2: write, 3: read, 4: access */
    uint32_t address, size;
};

struct gdb_record;

struct bh_gdb {
    struct link link;
    struct bh_tile chosen[DEVICE_TILES];
    unsigned chosen_count;
    uint32_t chosen_cores; /* a bit for each */
    const volatile sig_atomic_t *interrupted;
    bool (*program)(void *context, unsigned x, unsigned y, const struct bh_place *place, char *path, unsigned size,
                    uint32_t *moved); /* as in struct bh_gdb_options */
    void *program_context;

    struct bh_device *device; /* null: not attached */
    struct bh_observer observer;
    struct bh_tile tiles[DEVICE_TILES];
    struct bh_device_config config; /* of the device before it was attached */
    struct gdb_thread threads[GDB_THREADS];
    unsigned thread_count;
    uint16_t thread_of[NOC_HEIGHT][NOC_WIDTH][BH_CORE_KINDS]; /* by coordinates of NoC 0; 0: none */

    struct gdb_point points[GDB_POINTS];
    unsigned point_count;

    bool non_stop;
    bool stopped;                 /* all-stop mode: gdb has the program stopped */
    bool greeted;                 /* gdb has connected to this device */
    bool killed;                  /* by gdb */
    bool stop_asked;              /* ^C */
    bool alone;                   /* one thread steps, while gdb wants all others to stand still */
    bool watched;                 /* a thread has `watched` */
    unsigned general;             /* thread of packets g, p, m and so on, */
    unsigned control;             /* and of packet bs; 0: the same */
    struct gdb_stop why;          /* the stop in all-stop mode, */
    unsigned why_thread;          /* and whose it is */
    const struct bh_event *event; /* within an observer's callback */
    unsigned current;             /* the thread whose instruction is about to begin; 0: none */
    bool telling;                 /* a notification was sent that gdb has not asked on about */
    bool answers;                 /* to a "monitor" command */
    bool runs;                    /* within bh_gdb_run() */
    bool violated;                /* an error has stopped a tile: there is no way on */
    unsigned violation_thread;
    bool calls;                /* bh_gdb_run() has been called, and has not returned */
    struct gdb_record *record; /* null: nobody has asked for it */

    struct packet_writer reply, notice;
};

static inline struct gdb_thread *gdb_thread(struct bh_gdb *gdb, unsigned number)
{
    return &gdb->threads[number - 1];
}

/* tiles.c: the tile of a thread; null: it is no Tensix tile. Its core. */
struct tile *gdb_tensix(struct bh_gdb *gdb, const struct gdb_thread *thread);
struct rv32 *gdb_core(struct bh_gdb *gdb, const struct gdb_thread *thread);

/* Where a tile is: its index among DEVICE_TILES, and its coordinates of NoC 0. */
struct gdb_site {
    unsigned index;
    uint8_t x, y;
};

/* Finds a tile, makes it ready and wakes it. false: there is none, or none with cores. */
bool gdb_find_tile(struct bh_gdb *gdb, const struct bh_tile *tile, struct gdb_site *site);

/* Its cores, in the order of their slots: enum bh_core. Returns how many there are. */
unsigned gdb_site_cores(struct bh_gdb *gdb, const struct gdb_site *site, uint8_t cores[BH_CORE_COUNT]);

/* All tiles of which a core runs, or has run. */
unsigned gdb_running_tiles(struct bh_gdb *gdb, struct bh_tile tiles[DEVICE_TILES]);

/* Something of the tile was changed; the device has to look at it again. */
void gdb_touch_tile(struct bh_gdb *gdb, const struct gdb_thread *thread);
void gdb_wake_tile(struct bh_gdb *gdb, const struct gdb_thread *thread);

/* Timed mode: replaces in a copy of bytes of L1 what cores have stored and others do not see yet; all see it. */
void gdb_stores_look(struct bh_gdb *gdb, const struct gdb_thread *thread, uint32_t address, void *copy, uint32_t size);
void gdb_stores_arrive(struct bh_gdb *gdb, const struct gdb_thread *thread);

/* Instructions that gdb has changed are those that cores execute next: they do not find old ones in their caches. */
void gdb_flush_caches(struct bh_gdb *gdb, const struct gdb_thread *thread);

/* Who waits for whom on the thread's tile. */
struct waits;
void gdb_explain_tile(struct bh_gdb *gdb, const struct gdb_thread *thread, struct waits *waits);

/* stops.c: when threads stop, and go on. */

extern const uint64_t gdb_kinds; /* of events */
void gdb_on_event(void *context, const struct bh_event *event);

/* The program stands still until gdb lets it go on, or is gone. */
void gdb_stand_still(struct bh_gdb *gdb, unsigned thread, struct gdb_stop stop);

/* Handles what gdb has sent. */
void gdb_look(struct bh_gdb *gdb);

/* Between two calls of the device: what is to be told by now, although no instruction begins. */
void gdb_stop_between(struct bh_gdb *gdb);

const struct gdb_point *gdb_breakpoint_at(const struct bh_gdb *gdb, uint32_t pc);

/* The pc of a thread. */
uint32_t gdb_pc(struct bh_gdb *gdb, const struct gdb_thread *thread);
void gdb_set_pc(struct bh_gdb *gdb, struct gdb_thread *thread, uint32_t pc);

/* Non-stop mode: one thread. */
void gdb_hold(struct bh_gdb *gdb, struct gdb_thread *thread, struct gdb_stop stop);
void gdb_release(struct bh_gdb *gdb, struct gdb_thread *thread);
bool gdb_any_held(const struct bh_gdb *gdb);

/* Nobody debugs any more: all go on. */
void gdb_let_go(struct bh_gdb *gdb);

/* An error has stopped the program: gdb can look at it. */
void gdb_show_violation(struct bh_gdb *gdb);

/* commands.c: executes a packet, and answers. */
void gdb_command(struct bh_gdb *gdb, const char *packet, size_t size);
void gdb_send_stop(struct bh_gdb *gdb, unsigned thread, struct gdb_stop stop);
/* Makes a stop the answer to the packet that is executed. */
void gdb_answer_stop(struct bh_gdb *gdb, unsigned thread, struct gdb_stop stop);
void gdb_notify(struct bh_gdb *gdb);
/* A line for gdb's user. */
void gdb_say(struct bh_gdb *gdb, const char *text);

/* What an instruction, or an access, is to stop; GDB_NOTHING: it is not. */
struct gdb_stop gdb_stop_before(const struct bh_gdb *gdb, const struct bh_event *event);
struct gdb_stop gdb_stop_behind(struct bh_gdb *gdb, const struct bh_event *event, unsigned *thread);
void gdb_say_who(struct bh_gdb *gdb, unsigned thread, const struct bh_event *event);

/* resume.c: vCont. Writes the answer, if there is one. */
void gdb_resume(struct bh_gdb *gdb, const char *actions);

/* registers.c */
enum { GDB_X = 0, GDB_PC = 32, GDB_F = 33, GDB_FFLAGS = 65, GDB_FRM, GDB_FCSR, GDB_V, GDB_CSR = GDB_V + 32 };
unsigned gdb_register_count(void);
bool gdb_read_register(struct bh_gdb *gdb, const struct gdb_thread *thread, unsigned number); /* into the reply */
bool gdb_write_register(struct bh_gdb *gdb, struct gdb_thread *thread, unsigned number, const char *text);
unsigned gdb_register_size(unsigned number);

/* memory.c: memory as the thread's core sees it. false: at `*address` it can not be accessed without side effects. */
bool gdb_read_memory(struct bh_gdb *gdb, const struct gdb_thread *thread, uint32_t address, void *data, uint32_t size);
bool gdb_write_memory(struct bh_gdb *gdb, const struct gdb_thread *thread, uint32_t address, const void *data,
                      uint32_t size);

/* transfer.c: qXfer. false: there is no such object. */
bool gdb_transfer(struct bh_gdb *gdb, const char *request);

/* monitor.c: "monitor ..." */
void gdb_monitor(struct bh_gdb *gdb, const char *command);

/* record.c: switches recording on or off. Null, or why it cannot be done. */
const char *gdb_record_switch(struct bh_gdb *gdb, bool on);

/* Whether bh_gdb_run() has to record: it does so from the end of a quantum on. */
bool gdb_records(const struct bh_gdb *gdb);

/* gdb has changed memory or registers: what was recorded before is of another run. */
void gdb_record_changed(struct bh_gdb *gdb);
void gdb_record_end(struct bh_gdb *gdb);
void gdb_record_describe(const struct bh_gdb *gdb, FILE *out);

/* reverse.c: bs and bc. Null, or why gdb cannot have it; the stop will be the answer. */
const char *gdb_go_back(struct bh_gdb *gdb, bool step);

/* Whether what happens now is not to be told the user, since it was before, or is left for what was before. */
bool gdb_repeats(const struct bh_gdb *gdb);
bool gdb_passes(const struct bh_gdb *gdb);

#endif
