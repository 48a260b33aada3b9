/* Several devices whose Ethernet tiles are linked: a board with two chips, boards with cables between them, a Galaxy.

   All chips of a system have one clock, and only the system lets time pass: everything else is done to a chip as to any
   device (bhemu/device.h, bhemu/pci.h). What a chip sends over a link arrives some hundred cycles later at the other
   one. The same bits and clocks for any number of threads. */
#ifndef BHEMU_SYSTEM_H
#define BHEMU_SYSTEM_H

#include "bhemu/device.h"
#include "bhemu/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bh_system;
struct bh_topology;

/* One end of a link: an Ethernet tile. Channels count those that are there, in the order of struct bh_tiles: channel c
   is the tile with x = 20 + c, y = 25. */
struct bh_link_end {
    unsigned chip, channel;
};

struct bh_link {
    struct bh_link_end end[2];
};

struct bh_topology_chip {
    enum bh_board board;
    const struct bh_tiles *tiles; /* null: those of the board */
    uint64_t board_id;            /* the same for chips of one board; bits 55:36 are the kind of board */
    uint64_t asic_id;             /* each has another */
    unsigned asic_location;       /* which of its board's chips it is */
    unsigned pcie_usage;          /* PCIE_USAGE of its telemetry; 0: 1 */
};

/* Which chips there are, and what links them. */
struct bh_topology {
    const char *name;
    const struct bh_topology_chip *chips;
    unsigned chip_count;
    const struct bh_link *links;
    unsigned link_count;
};

enum { BH_SYSTEM_CHIPS = 16384 };

/* Topologies that have a name (tables/systems.def): "x2", "x4", "x32", "p150x2", "p150x4", "p150x8", "galaxy".
 *topology has to be destroyed. BH_ERROR_ARGUMENT: none is called so. */
BH_API enum bh_status bh_topology_by_name(const char *name, struct bh_topology **topology);
BH_API void bh_topology_destroy(struct bh_topology *topology);

/* From a file that docs/systems.md describes, or a cluster descriptor of tt-umd. What is wrong with it *error says, in
   one line with file and line. *topology has to be destroyed. */
BH_API enum bh_status bh_topology_load(const char *path, struct bh_topology **topology, struct bh_error *error);

/* Gives all chips of such a topology other tiles. tiles: as in struct bh_device_config, needed until a system is
 * created. */
BH_API void bh_topology_set_board(struct bh_topology *topology, enum bh_board board, const struct bh_tiles *tiles);

/* The name of the i-th of them; null: there are no more. */
BH_API const char *bh_topology_name(unsigned i);

struct bh_system_config {
    /* Of every chip, but for board, tiles and threads. on_diagnostic is called on the calling thread, in an order that
       does not depend on the number of threads; struct bh_diagnostic says which chip it is of. host_read and host_write
       are called by one thread at a time, which may be another one. */
    struct bh_device_config device;
    unsigned threads; /* of the host, for all chips; as in struct bh_device_config */
    uint32_t latency; /* of each link, in cycles, and length of an epoch: 100 to 100,000; 0: 480 */
};

/* All chips are as after bh_device_create(), with their links up. *error says what is wrong with a topology
   (BH_ERROR_FORMAT): a link to nowhere, a channel with two links; or what can not be (BH_ERROR_ARGUMENT): a latency, a
   mode, a policy, the tiles of a chip, a null pointer. Nothing of *topology or *config is needed afterwards. config may
   be null. */
BH_API enum bh_status bh_system_create(const struct bh_topology *topology, const struct bh_system_config *config,
                                       struct bh_system **system, struct bh_error *error);
BH_API void bh_system_destroy(struct bh_system *system);

/* A system whose chips other processes have: those of `bhemu host` or `bhemu-node host` (docs/systems.md), which say
   which chips there are. address: null: what BHEMU_NODES says. config->device.board counts only if its tiles are not
   null: then all chips have those. What the chips read and write of the host's memory, and diagnostics, come on the
   calling thread while it is in one of these functions. Devices of such a system take accesses, resets and bh_report();
   everything else refuses them (BH_ERROR_ARGUMENT). When a process is lost everything returns BH_ERROR_LOST, or says
   that the system has stopped. BH_ERROR_IO: *error says who can not be reached, and why; BH_ERROR_ARGUMENT: what does
   not fit. */
BH_API enum bh_status bh_system_connect(const char *address, const struct bh_system_config *config,
                                        struct bh_system **system, struct bh_error *error);

/* Why the system can not go on, in one line: a process that has chips of it is lost, or there is no memory. Null: it
   can. */
BH_API const char *bh_system_failed(const struct bh_system *system);

BH_API unsigned bh_system_chip_count(const struct bh_system *system);

/* Belongs to the system. bh_run(), bh_advance(), bh_pass() and bh_device_destroy() refuse it. Null: there is no such
 * chip. */
BH_API struct bh_device *bh_system_chip(struct bh_system *system, unsigned chip);

/* The clock of all chips. */
BH_API uint64_t bh_system_clock(const struct bh_system *system);

enum bh_link_state {
    BH_LINK_NONE, /* no link leads there */
    BH_LINK_DOWN,
    BH_LINK_TRAINING, /* it will be up soon */
    BH_LINK_UP,
};

/* What the Ethernet tile at an end of a link sees of it. */
BH_API enum bh_link_state bh_system_link(const struct bh_system *system, struct bh_link_end end);

/* Pulls the cable of the link that an end belongs to out, or plugs it in again, which makes both ends train. While a
 * link is down, raw frames are lost, and TT-link packets are sent again until they arrive. BH_ERROR_ARGUMENT: there is
 * no such link. */
BH_API enum bh_status bh_system_plug(struct bh_system *system, struct bh_link_end end, bool in);

/* bh_report() of all chips. Of those that say the same the first one speaks for all. */
BH_API void bh_system_report(struct bh_system *system);

/* Advances all chips by at most `cycles`: until an error stops one, until nothing can run on any and nothing is on its
   way, or until everything that runs waits for events that can not happen. result->cycles ends where the last chip
   ended. Returns as bh_run() does. result may be null.

   When an error stops a chip, all chips come to the end of the epoch in which it happens, the next clock that is a
   multiple of the latency: in this call, up to an epoch more than `cycles`. Only the tile with the error does not run
   on (in timed mode, if the error is in a request over the NoC, it does, too). There the system halts: later calls
   return the same, and no time passes, before bh_device_reset() resets every chip that was stopped. So what is left of
   all chips, clocks and diagnostics are the same in however many calls the error is met. */
BH_API enum bh_status bh_system_run(struct bh_system *system, uint64_t cycles, struct bh_run_result *result);

/* As bh_advance(): for a host that looks at the chips between few cycles. Of a system that has halted no time passes:
   whoever waits for a clock has to look for BH_RAN_STOPPED. */
BH_API enum bh_run_reason bh_system_advance(struct bh_system *system, uint64_t cycles);

#ifdef __cplusplus
}
#endif
#endif
