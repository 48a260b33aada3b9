/* Dumps of the state of Tensix tiles: register files, configuration, counters, buffers, cores. As text for people, as
   JSON (docs/dump.md has its form), and arrays as NumPy's .npy.

   What is dumped is named by a request, words that are separated by spaces or commas:

     dst [FIRST COUNT] [tiles] [FORMAT]    rows of Dst, or tiles of 4 faces of 16 rows each
     srca|srcb [bank 0|1] [FIRST COUNT] [tiles] [FORMAT]
     lregs [FIRST COUNT] [FORMAT]          and lane flags, their stack, LaneConfig, LoadMacroConfig
     l1 ADDRESS COUNT [tiles] FORMAT       rows of 16 data in L1, or tiles, with their exponents in front
     gprs                                  of the scalar unit
     config [FIELD...]                     fields that are not zero, or those named: a part of their names is enough
     adcs | rwcs | semaphores | mutexes    counters of addresses; what threads synchronize with
     cbs                                   circular buffers of tt-metal's kernels, and of this project's
     niu                                   counters and requests of both NIUs
     fifos | mop | replay                  instructions on their way, and those of MOP and REPLAY, disassembled
     cores                                 pc, x, f, v and CSRs
     all                                   each of these but l1, with its defaults

   and the names of cores, B, T0, T1, T2, NC: only what belongs to these cores, and to their threads. Without a format
   Dst is read as the packer reads it, SrcA and SrcB as their bank's implied format has it, LRegs as FP32.

   Reading changes nothing, neither state nor clocks. */
#ifndef BHEMU_DUMP_H
#define BHEMU_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bhemu/device.h"
#include "bhemu/error.h"
#include "bhemu/event.h"

#ifdef __cplusplus
extern "C" {
#endif

enum bh_dump_form { BH_DUMP_TEXT, BH_DUMP_JSON, BH_DUMP_NPY };

struct bh_dump {
    const char *request;
    enum bh_dump_form form; /* BH_DUMP_NPY: of dst, srca, srcb, lregs and l1; of one tile */
    /* Which tiles; none: all Tensix tiles of which a core runs, or has run. */
    const struct bh_tile *tiles;
    unsigned tile_count;
    /* Only what belongs to these cores, "B", "T0", ..., and their threads; none: to all. */
    const char *const *cores;
    unsigned core_count;
    /* Where in the source a place of a tile is, as bh_job_source() says it. May be null. */
    bool (*source)(void *context, unsigned x, unsigned y, const struct bh_place *place, char *buffer, unsigned size);
    void *source_context;
    const char *title; /* why it is dumped, such as "end"; stands in the dump. May be null */
    /* In a callback of an observer its event: the event's tile is dumped, and no other, as it is right then. Null
       everywhere else. */
    const struct bh_event *event;
    bool in_callback; /* in another callback of the device: tiles as they are right then */
};

/* Gets the next bytes of the dump. */
typedef void bh_dump_write(void *context, const void *bytes, size_t size);

/* BH_ERROR_ARGUMENT: the request, the form, a tile or a core is not understood or not there, *error says why; nothing
   was written. */
BH_API enum bh_status bh_dump(struct bh_device *device, const struct bh_dump *dump, bh_dump_write *write, void *context,
                              struct bh_error *error);

/* The same of one tile as text, in pieces that end with zero. */
BH_API enum bh_status bh_dump_text(struct bh_device *device, unsigned x, unsigned y, const char *request,
                                   void (*write)(void *context, const char *text), void *context,
                                   struct bh_error *error);

/* Whether the request is one, and one of an array, which can be .npy. Without a device. */
BH_API enum bh_status bh_dump_check(const char *request, enum bh_dump_form form, struct bh_error *error);

/* The Tensix tile of an event; (0, 0): it is of another tile. */
BH_API struct bh_tile bh_dump_tile_of(const struct bh_device *device, const struct bh_event *event);

/* The tiles that are dumped if none are named. Fills in at most `room` of them; returns how many there are. */
BH_API unsigned bh_dump_tiles(struct bh_device *device, struct bh_tile *tiles, unsigned room);

#ifdef __cplusplus
}
#endif
#endif
