/* What the files of the checker share: what it knows of each tile, the actors, and findings. */
#ifndef BHEMU_CHECK_CHECKER_H
#define BHEMU_CHECK_CHECKER_H

#include "bhemu/check.h"
#include "check/cells.h"
#include "check/decoded.h"
#include "check/view.h"

enum { CHECK_GRID = 32, CHECK_TILES = CHECK_GRID * CHECK_GRID };
enum { CHECK_COPIES = 256 }; /* more than a stream of the DMA engine has under way */
enum { CHECK_CORES = BH_CORE_KINDS, CHECK_THREADS = 3, CHECK_UNITS_OF_THREAD = CHECK_PARTS };
enum { CHECK_CODE_BYTES = 1536 * 1024, CHECK_JUMP_TO_ITSELF = 0x6f /* at which a core ends */ };
enum { CHECK_GPRS = 64, CHECK_BANKS = 2, CHECK_CONFIG_WORDS = 224, CHECK_THREAD_WORDS = 68 };
enum { CHECK_DST_ROWS = 1024, CHECK_SRC_ROWS = 64, CHECK_LREGS = 17, CHECK_SEMAPHORES = 8, CHECK_MUTEXES = 8 };
enum {
    CHECK_STREAMS = 64,
    CHECK_FIFO = 16,
    CHECK_TRANSACTIONS = 16,
    CHECK_REQUESTS = 256,
    CHECK_LOADS = 8,
    CHECK_STORES = 8,
    CHECK_TOLD = 64,
    CHECK_LINES = 4,
    CHECK_ROUNDS = 16,
    CHECK_ANSWERS = 8,
    CHECK_LEARNED = 4,
    CHECK_INITIATORS = 4,
    CHECK_MACROS = 8,
    CHECK_PUSHES = 128,
    CHECK_PUSH_VIEWS = 32,
    CHECK_COUNTERS = 3,
    CHECK_ANNOUNCED = 32,
    CHECK_SIGNALS = 1024
};

/* Who makes an access: its part and step, and what it knows. */
struct check_actor {
    uint32_t tile; /* of the part */
    uint32_t step;
    uint32_t place;              /* places_find() */
    uint32_t value;              /* that a core stores, ... */
    bool valued;                 /* ... if it does */
    uint8_t part;                /* enum check_part */
    bool atomic;                 /* atomic operations are ordered among each other */
    bool alone;                  /* a write over the NoC that may overtake earlier ones of its tile */
    const struct view *view;     /* what it knows, but ... */
    const struct view_tile *own; /* ... of this tile this, if it is not null */
};

/* What a race is about. */
enum check_object {
    OBJECT_L1,
    OBJECT_L1_CACHED, /* read from the core's data cache */
    OBJECT_DRAM,
    OBJECT_GPR,
    OBJECT_CONFIG,
    OBJECT_CONFIG_UNSETTLED, /* read by the instruction right behind the one that writes it */
    OBJECT_THREAD_CONFIG,
    OBJECT_DST,
    OBJECT_DST_UNSETTLED, /* read by the vector unit too soon */
    OBJECT_SRCA,
    OBJECT_SRCB,
    OBJECT_LREG,
    OBJECT_MOP,
    OBJECT_LREG_UNSETTLED, /* read by the instruction right behind the one that writes it */
    OBJECT_LREG_SCHEDULED, /* read when what SFPLOADMACRO has scheduled may not have written it */
    OBJECT_COUNTERS,       /* of addresses; number: thread, index: unit */
    OBJECT_REGISTER,       /* written by two agents */
    OBJECT_REQUEST,        /* a register of an NIU's request that may not have been taken */
    OBJECT_SEMAPHORE,
    CHECK_OBJECTS
};

struct check_race {
    uint32_t tile;
    enum check_object object;
    unsigned number; /* of the bank, or of the thread */
    uint64_t index;  /* address, number of a register, row */
    struct check_actor later, earlier;
    uint32_t written; /* bytes of the cell, by the earlier one */
    uint32_t both;    /* bytes, of configuration bits, that both access; 0: not known */
    bool later_writes, earlier_writes;
    bool same_value;       /* both write the same bytes, with the same value */
    bool fetches;          /* `later` is a core that executes what `earlier` writes */
    bool unwritten;        /* nobody has written to these bytes before `later` */
    bool later_knows_core; /* `earlier` is a store: the later one knows what its core did */
    bool unanswered;       /* `later` is a core, and will know of it when its loads have been answered */
};

/* A load of a core that may turn out to be a poll: of a word that its value decides whether to load again. Until then a
   finding about it is kept back. */
struct check_load {
    uint32_t pc;
    uint32_t born; /* when, in instructions of the core */
    bool used;     /* as data, or as an address */
    uint8_t size;
    bool atomic;
    bool uncached; /* the core's data cache is off */
    uint32_t place;
    uint64_t address;
    enum bh_space space;
    bool races; /* : */
    struct check_race race;
    struct view_tile own[2]; /* that the two actors of the race knew */
};

/* A branch back to before a load: when it was last executed, in instructions of the core. */
struct check_round {
    uint32_t pc, at;
};

/* A load whose answer may not have come yet, or has not been looked at: the core does not know what it tells. */
struct check_answer {
    bool asks;        /* the answer only says something once it has decided about a branch */
    bool decided;     /* it has, or has gone where it is not followed */
    uint32_t address; /* of a register; 0: of none */
    uint8_t rd;       /* an instruction that reads it waits for the answer; 0: none does, or it has come */
    uint32_t born;
    const struct view *of; /* whose knowledge it tells, of a register of an overlay stream; null: of others */
    uint32_t changes;      /* of that view, and of all streams' */
    struct view told;
};

/* What a core has learned from a view: all until then. */
struct check_learned {
    const struct view *of;
    uint32_t changes;
};

/* A line of a core's data cache. */
struct check_line {
    uint64_t number;
    bool filled;
    struct view_tile known;     /* of the tile, when it was filled */
    uint32_t stale;             /* bytes that others have written since then, and ... */
    struct cell_access written; /* ... the last write to them */
};

struct check_core {
    struct view view;
    struct check_answer answer[CHECK_ANSWERS];
    struct check_learned learned[CHECK_LEARNED]; /* by register */
    uint8_t awaited;                             /* answers, by their bits */
    unsigned next_answer;
    uint8_t asked[32]; /* for each register: answers, by their bits, that its value depends on */
    bool begun;
    uint8_t tainted[32]; /* for each register: loads, by their bits, that its value depends on */
    struct check_load load[CHECK_LOADS];
    uint8_t open, decided; /* some of them, by their bits: may be polls; a branch depended on them */
    unsigned next_load;
    struct {
        uint64_t address;
        uint32_t step;
    } store[CHECK_STORES]; /* its latest stores to L1, by their steps */
    struct check_line line[CHECK_LINES];
    unsigned next_line;
    uint32_t fence, fenced; /* pc of the last one, and when it was, in instructions of the core */
    uint32_t drained;       /* the step of its latest store to L1 in front of that */
    struct check_round round[CHECK_ROUNDS];
    uint32_t instructions;     /* so far, */
    uint32_t look_at;          /* and when an open load may be too old for a poll */
    uint32_t told[CHECK_TOLD]; /* the steps of the core at its latest stores, by theirs */
    uint32_t pc, word;
};

/* What those knew who have put words into a FIFO. */
struct check_fifo {
    struct view view[CHECK_FIFO];
    uint32_t read, written;
    uint32_t place; /* of the last write */
};

/* A wait that is latched at a thread's gate: what it will know when the wait has ended. */
struct check_wait {
    bool latched;
    uint32_t stores; /* of its core to configuration that were there when it was pushed: later ones may come later */
    uint16_t block, condition;
    uint8_t semaphores;
};

/* An instruction that a core has pushed. */
struct check_push {
    uint32_t pc, step; /* of the core, whose step ended */
    uint32_t view;     /* what it knew, by its number */
    uint32_t stores;   /* the core's latest store to configuration, by its step */
    uint8_t core;
    bool expands; /* several instructions may come out of it, or none */
};

/* Rings, by numbers that only rise. */
struct check_pushes {
    struct check_push push[CHECK_PUSHES];
    uint32_t issued, pushed; /* the first that may still be on its way, the next one */
    struct view view[CHECK_PUSH_VIEWS];
    bool by_others;          /* some are not of the thread's own core */
    uint32_t learned, views; /* the first that the thread has not learned, the next one */
};

struct check_thread {
    struct view view;
    struct check_pushes pushes;
    struct check_wait wait[2];  /* one may be latched behind another */
    uint32_t last[CHECK_PARTS]; /* its last instruction in each unit; 0: none */
    uint64_t instructions;
    bool core_ended;  /* at a jump to itself */
    uint32_t stores;  /* check_push.stores of the instruction that executes */
    uint32_t flushes; /* conditions of a FLUSHDMA that has begun */
    bool took_banks;  /* the instruction of the matrix unit has learnt of its banks */
    uint8_t banks;    /* of SrcA and SrcB, a bit each, that the instruction has learnt of */
    uint8_t part;     /* of the instruction that executes, and ... */
    uint32_t step;    /* ... its step */
    uint32_t pc, word;
    uint8_t state;      /* CFG_STATE_ID, */
    uint64_t state_set; /* when it changed, in instructions, */
    uint32_t state_place;
    bool tracks_config, tracks_gprs; /* Auto TTSync */
};

/* A request on the NoC, by its number at the tile that started it. */
struct check_request {
    bool open;
    uint8_t kind; /* enum bh_noc_request */
    uint8_t noc, part;
    uint8_t core; /* that started it; CHECK_CORES: no core */
    bool responds;
    bool alone; /* it may overtake earlier ones */
    uint32_t number, step, place;
    uint32_t size, acknowledged;
    uint32_t path;           /* requests with the same one stay in order; 0: with none */
    struct view_tile *known; /* what that core knew of its own tile */
};

/* A word that others wait for: whoever writes it tells what it knows. */
struct check_signal {
    bool used;
    enum bh_space space;
    uint64_t address;
    struct view view;
};

/* Of a core. */
struct check_stack {
    uint32_t lowest;  /* stack pointer; 0: none was seen */
    uint32_t pointer; /* as it is now; 0: not known */
    uint32_t place, data_end, data_place;
    uint32_t walker, /* pc of the instruction that has reached the last byte of data */
        before,      /* and where data ended when it began, */
        before_place;
};

/* The counts of a circular buffer that an overlay stream keeps. */
struct check_stream {
    uint32_t pushed, popped;
    bool counts;
    uint8_t waits; /* cores that have looked at what was pushed, by their bits */
};

/* A core's pushes to a circular buffer, the latest: its last store before, and the stream's count until then. */
struct check_announced {
    uint32_t store;
    uint16_t before;
};
struct check_announcements {
    struct check_announced at[CHECK_ANNOUNCED];
    uint32_t count;
    uint8_t stream;
    bool several; /* streams */
};

/* Accesses of a unit, one behind the other, that have begun in a buffer (walks.c). */
enum { WALK_UNPACKER, WALK_PACKER = WALK_UNPACKER + 2, WALK_MOVER_READS, WALK_MOVER_WRITES, CHECK_WALKS };
struct check_walk {
    uint64_t end;     /* so far */
    uint32_t buffer;  /* in the tile's owned_list, from 1 on; 0: it began in none */
    uint32_t step;    /* of the unit */
    bool new_address; /* the unit's address was written since */
};

struct check_pointers; /* pointers.c */

/* What follows of the vector unit; instructions by their numbers among their thread's. */

/* A thread's last product of the MAD sub-unit. */
struct check_product {
    uint32_t lregs, place; /* that it writes */
    uint64_t number;
};

/* An SFPLOADMACRO. */
struct check_macro {
    uint32_t pc;
    uint64_t number;
};

/* A write that SFPLOADMACRO had scheduled. */
struct check_scheduled {
    uint32_t place; /* 0: none */
    uint8_t thread;
    uint64_t same, next; /* instructions that execute before the result is there; 0: none */
};

struct check_lreg_read {
    uint64_t number;
    uint32_t place; /* 0: none */
    uint8_t thread;
};

struct check_vector {
    struct check_product product[CHECK_THREADS];
    struct check_macro macro[CHECK_MACROS]; /* the latest */
    uint32_t macros;
    bool by_cycles; /* delays of what is scheduled are cycles, not instructions; false: or it is not known */
    struct check_scheduled scheduled[CHECK_LREGS];
    struct check_lreg_read read[CHECK_LREGS]; /* the last one by a regular instruction */
};

struct check_tile {
    uint32_t number;
    uint8_t x, y;
    uint8_t caches;              /* of cores, by their bits: those that may have a filled line */
    uint64_t lines;              /* by check_line_bit(): those that may be filled */
    uint32_t steps[CHECK_PARTS]; /* the last step of each part; of cores the one that goes on */
    struct check_core core[CHECK_CORES];
    struct check_thread thread[CHECK_THREADS];
    struct view unit[CHECK_PARTS];
    uint8_t unit_thread[CHECK_PARTS]; /* that used the unit last */
    uint32_t unit_place[CHECK_PARTS]; /* of the last instruction of each unit */
    /* By part of the DMA engine: copies that have ended, and where the latest ones were started. */
    uint32_t copied[2 * CHECK_DMA_STREAMS], dma_place[2 * CHECK_DMA_STREAMS][CHECK_COPIES];
    struct view done[2][3]; /* by NoC: what acknowledged reads, writes and atomic operations tell, */
    struct view done_with[2][CHECK_TRANSACTIONS]; /* and those with each transaction id */
    struct view semaphore[CHECK_SEMAPHORES], mutex[CHECK_MUTEXES], bank[2][2];
    uint8_t matrix_bank[2];               /* the bank of SrcA, of SrcB, that the matrix unit has or gets next */
    struct view stream[CHECK_STREAMS][3]; /* what was told by writing the registers of each overlay stream, */
    struct view streams;                  /* and by the traffic of streams with other tiles */
    struct check_fifo mailbox[BH_CORE_COUNT][BH_CORE_COUNT], pcbuf[CHECK_THREADS];
    struct check_signal signal[CHECK_SIGNALS]; /* a hash table */
    uint32_t control[2][CHECK_INITIATORS];     /* NOC_CTRL of each initiator, and ... */
    uint8_t initiator[2];                      /* ... the one whose registers were written last */
    uint32_t transaction[2];                   /* path of linked requests, of which more come; 0: none */
    uint32_t started[2][CHECK_INITIATORS];     /* where the request of each initiator was started that may not have been
                                                  taken; 0: none */
    unsigned signals;
    struct check_request request[CHECK_REQUESTS];
    struct cell gpr[CHECK_THREADS][CHECK_GPRS], config[CHECK_BANKS][CHECK_CONFIG_WORDS],
        thread_config[CHECK_THREADS][CHECK_THREAD_WORDS], dst[CHECK_DST_ROWS], src[2][CHECK_BANKS][CHECK_SRC_ROWS],
        lreg[CHECK_LREGS];
    struct cell counters[CHECK_THREADS][CHECK_COUNTERS]; /* ADCs of each thread: unpackers, packer */
    struct check_vector vector;
    struct cell semaphores[CHECK_SEMAPHORES];                 /* written by SEMINIT, read by others */
    uint32_t mop_place[CHECK_THREADS];                        /* of the last MOP */
    uint16_t mop_written[CHECK_THREADS];                      /* words of the MOP configuration, a bit for each */
    uint64_t config_wrote[CHECK_THREADS][CHECK_CONFIG_WORDS]; /* words of Config: number of the thread's instruction */
    uint64_t matrix_wrote[CHECK_DST_ROWS]; /* Dst rows: number of the thread's instruction that wrote it; 0: none */
    /* synccheck */
    uint8_t semaphore_value[CHECK_SEMAPHORES], semaphore_maximum[CHECK_SEMAPHORES];
    uint8_t mutex_owner[CHECK_MUTEXES];
    uint32_t mutex_place[CHECK_MUTEXES]; /* where it was taken; 0: nobody has it */
    uint32_t bank_place[2];              /* where a bank of SrcA, of SrcB, was handed over last */
    uint8_t bank_owner[2][2];            /* of SrcA, SrcB: enum bh_src_owner */
    uint64_t bank_rows[2][2];            /* rows that were written since the unpackers got the bank */
    uint32_t bank_empty[2][2];           /* where the matrix unit was given a bank without any; 0: it has some */
    uint32_t bank_handed[2];             /* where a bank was handed over last */
    uint32_t bank_before[2][2];          /* where the bank before this one was handed over; 0: none */
    uint32_t handed_over[2];             /* how many banks unpackers have given to the matrix unit */
    uint32_t outstanding[2][CHECK_TRANSACTIONS];
    /* memcheck */
    struct check_stack stack[CHECK_CORES];
    struct check_stream counts[CHECK_STREAMS];
    struct check_announcements announcements[CHECK_CORES];
    uint64_t code[CHECK_CODE_BYTES / 4 / 64]; /* words that were executed */
    uint32_t late_code[CHECK_CORES];          /* of each core: the place of who last wrote what it executed too early */
    uint8_t running;                          /* cores that have executed anything since their last reset */
    struct check_walk walk[CHECK_WALKS];
    struct check_pointers *pointers; /* null: none that are followed */
};

/* A place as it is kept, 0 is none. */
struct check_known_place {
    uint32_t tile, pc, word;
    uint8_t agent, index;
    uint64_t cycle; /* of the last access from there */
};

struct check_findings;

/* What is owned in one tile's L1, or in one channel of DRAM (owned.h). */
struct owned_list {
    struct owned *item;
    unsigned count;
};

struct bh_check {
    struct bh_observer observer;
    struct bh_check_options options;
    struct bh_tile *tiles;
    bool failed; /* no memory */
    struct check_tile *tile[CHECK_TILES];
    struct view host; /* what it has found out by reading, and tells by writing; its home is no tile */
    struct owned_list owned[CHECK_TILES]; /* by check_home() */
    struct cells cells;
    struct check_known_place *places;
    uint32_t place_count, place_room;
    uint32_t *place_table;
    uint32_t place_slots;
    uint32_t latest_place; /* the last that was looked for: most events are at the place of the one before */
    struct check_findings *findings;
    struct check_suppressions *suppressions;
    struct view_tile knew; /* core_knew() in races.c */
    bool has_actor;        /* of the access or operand that is being told: */
    struct check_actor actor;
    struct check_decoded decoded[CHECK_DECODED]; /* instructions of cores */
};

static inline uint64_t check_line_bit(uint64_t line)
{
    return UINT64_C(1) << (line * 0x9e3779b97f4a7c15u >> 58);
}

/* A core's number, within the arrays of cores. */
static inline unsigned check_core(unsigned index)
{
    return index < CHECK_CORES ? index : index % CHECK_CORES;
}

/* The tile of coordinates of NoC 0; null: no memory. */
struct check_tile *check_tile_create(struct bh_check *check, unsigned x, unsigned y);
static inline struct check_tile *check_tile_at(struct bh_check *check, unsigned x, unsigned y)
{
    struct check_tile *tile = check->tile[y % CHECK_GRID * CHECK_GRID + x % CHECK_GRID];
    return tile ? tile : check_tile_create(check, x, y);
}

/* The number of the place of an event, whose tile is (place_x, place_y). */
uint32_t check_find_place(struct bh_check *check, const struct bh_event *event);
static inline uint32_t check_place_of(struct bh_check *check, const struct bh_event *event)
{
    struct check_known_place *latest = check->latest_place ? &check->places[check->latest_place] : NULL;
    if (latest && latest->pc == event->place.pc && latest->word == event->instruction &&
        latest->agent == (uint8_t)event->place.agent && latest->index == event->place.index &&
        latest->tile == (uint32_t)(event->place_y * CHECK_GRID + event->place_x)) {
        latest->cycle = event->cycle;
        return check->latest_place;
    }
    return check_find_place(check, event);
}
struct bh_check_place check_place(const struct bh_check *check, uint32_t place);

/* A finding of a rule at one or two places (0: none); what each of them does. Texts are copied. The same rule at the
   same places of any tile is counted. */
struct check_found {
    enum bh_check_tool tool;
    enum bh_severity severity;
    const char *rule, *because;
    uint32_t later, earlier;
    const char *later_what, *earlier_what; /* null: nothing to say */
};

void check_report(struct bh_check *check, const struct check_found *found, const char *mend, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static inline bool check_has(const struct bh_check *check, enum bh_check_tool tool)
{
    return check->options.tools >> tool & 1;
}

/* Where in the source a place is; an empty text: that is not known. */
void check_source(const struct bh_check *check, const struct bh_check_place *place, char *text, unsigned size);

/* Whether a suppression is about a finding (suppress.c). */
struct check_suppressions;
bool suppresses(const struct bh_check *check, const struct bh_check_finding *finding);
void suppressions_free(struct check_suppressions *suppressions);

/* Findings (findings.c). */
struct check_findings *findings_create(void);
void findings_free(struct check_findings *findings);

/* The order of things (order.c): called for each event before the tools. */
void order_event(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void order_access(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void order_finds_operand(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void order_end(struct bh_check *check);

static inline bool actor_knows(const struct check_actor *actor, uint32_t tile, unsigned part, uint32_t step)
{
    bool own = actor->own && tile == actor->own->tile;
    return view_has(own ? actor->own : view_find(actor->view, tile), part, step);
}

/* The tile by which a memory is known: DRAM is reached through several, and each core has RAM of its own. */
uint32_t check_home(const struct check_tile *tile, enum bh_space space);
static inline uint32_t check_local_home(const struct check_tile *tile, unsigned core)
{
    return tile->number | (core + 1) << 10;
}

/* initcheck (init.c). */
void init_memory(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void init_semwait(struct bh_check *check, const struct check_tile *tile, const struct bh_event *event, uint32_t word);
void init_mop(struct bh_check *check, const struct check_tile *tile, const struct bh_event *event, unsigned thread,
              uint32_t word);
void init_local_ram(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void init_operand(struct bh_check *check, const struct bh_event *event, const struct check_race *object,
                  const struct cell *cell);

/* synccheck (sync.c), memcheck (memory.c): after order_event(). At the end: of a tile. */
void sync_event(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void sync_register(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void sync_operand(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void sync_end(struct bh_check *check, struct check_tile *tile);
void memory_access(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void memory_core_issues(struct bh_check *check, struct check_tile *tile, const struct bh_event *event,
                        const struct check_decoded *instruction);
void memory_end(struct bh_check *check, struct check_tile *tile);
void memory_owned_data(struct check_tile *tile, const struct bh_check_owned *data);

/* A core executes an instruction; L1, or the soft reset of cores, is accessed (code.c). */
void code_executes(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void code_access(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);

/* Circular buffers (circular.c): a register of an overlay stream is written; a core loads one; one is owned from now
 * on.
 */
struct owned;
void circular_look(struct check_tile *tile, const struct bh_event *event);
void circular_register(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void circular_owned(struct bh_check *check, const struct check_tile *tile, const struct owned *buffer);

/* A core pushes to the circular buffer of a stream, whose count was `before`; looks at what was pushed; stores to L1,
   before that is recorded; loads from L1 what was lost there (overruns.c). */
void overruns_push(struct check_tile *tile, unsigned number, unsigned stream, uint32_t before);
void overruns_wait(struct check_tile *tile, unsigned number, unsigned stream);
void overruns_store(struct check_tile *tile, struct cell *cell, unsigned number, uint32_t bytes);
void overruns_load(struct bh_check *check, struct check_tile *tile, struct cell *cell, unsigned number, uint32_t bytes);

/* A core reads L1 (arguments.c). */
void arguments_read(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);

/* A core executes an instruction; it accesses memory; it has started a request (pointers.c). */
void pointers_issue(struct bh_check *check, struct check_tile *tile, unsigned core,
                    const struct check_decoded *instruction);
void pointers_access(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void pointers_send(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void pointers_forget(struct check_tile *tile);

/* A unit accesses L1; an instruction or a core writes configuration (walks.c). */
void walks_access(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void walks_operand(struct check_tile *tile, const struct bh_operand *operand);
void walks_register(struct check_tile *tile, const struct bh_access *access);

/* A request on the NoC is sent (transfers.c). */
void transfer_event(struct bh_check *check, const struct bh_event *event);

/* Who reads and writes what: memories and registers with an address (races.c), state of the coprocessor
   (races_state.c); what an instruction of a thread does before it executes; a core executes a word of L1. */
void races_access(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void races_operand(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void races_thread_issues(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void races_fetch(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);

#endif
