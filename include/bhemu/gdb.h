/* A server of GDB's remote protocol: each RISC-V core of the chosen tiles is a thread. docs/gdb.md tells how to use it.

   Cores are stopped exactly before an instruction. While gdb has stopped the program the whole device stands still, so
   that bits and clocks are those of a run without a debugger; in gdb's non-stop mode only the stopped cores do. What is
   recorded ("monitor record on") gdb can take back, within bh_gdb_run(), and from one call of it to the next if nothing
   was changed in between. Observers, on_diagnostic and so on are told of everything once. */
#ifndef BHEMU_GDB_H
#define BHEMU_GDB_H

#include "bhemu/device.h"
#include "bhemu/error.h"
#include "bhemu/event.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bh_gdb;

struct bh_gdb_options {
    unsigned port; /* of 127.0.0.1; 0: any that is free */
    /* Which tiles: Tensix, Ethernet, DRAM tiles. None: all of which a core runs, or has run, when it is attached. */
    const struct bh_tile *tiles;
    unsigned tile_count;
    /* Only these cores, "B", "T0", "E0", "DRISC", ...; none: all. */
    const char *const *cores;
    unsigned core_count;
    /* For "monitor symbols": writes the path of the ELF that a core (a place with its pc) of a tile, by its coordinates
       of NoC 0, executes now, and by how much it was moved from where it was linked. false: not known. May be null. */
    bool (*program)(void *context, unsigned x, unsigned y, const struct bh_place *place, char *path, unsigned size,
                    uint32_t *moved);
    void *context;
    const volatile sig_atomic_t *interrupted; /* nonzero: do not wait for gdb any more. May be null */
};

/* Listens. BH_ERROR_ARGUMENT: a core is not known; BH_ERROR_IO: the port is taken, say. */
BH_API enum bh_status bh_gdb_open(const struct bh_gdb_options *options, struct bh_gdb **gdb, struct bh_error *error);
BH_API unsigned bh_gdb_port(const struct bh_gdb *gdb);

/* Attaches it to a device, of which nothing runs before gdb has connected and said so. Until bh_gdb_detach() the
   device's `interrupted` and on_diagnostic go through the server. */
BH_API enum bh_status bh_gdb_attach(struct bh_gdb *gdb, struct bh_device *device, struct bh_error *error);

/* In place of bh_run(). `kill` of gdb: BH_RAN_INTERRUPTED. After an error of the program, or a deadlock, gdb can look
   at it before this returns. */
BH_API enum bh_status bh_gdb_run(struct bh_gdb *gdb, uint64_t cycles, struct bh_run_result *result);

/* For hosts that use bh_advance() instead: handles what gdb has sent, and returns when the device may run. false: gdb
   has killed the program. */
BH_API bool bh_gdb_serve(struct bh_gdb *gdb);

/* Whether gdb has stopped threads in its non-stop mode, so that others may wait for them. */
BH_API bool bh_gdb_holds(const struct bh_gdb *gdb);

/* Tells gdb that the program has ended, with this exit code, and leaves the device as it is. The device has to be there
   still. */
BH_API void bh_gdb_detach(struct bh_gdb *gdb, unsigned code);

/* Detaches it if it is attached: then, too, the device has to be there still. gdb may be null. */
BH_API void bh_gdb_close(struct bh_gdb *gdb);

#ifdef __cplusplus
}
#endif
#endif
