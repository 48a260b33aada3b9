/* Shared by the files of this folder: the one device behind the vendor's C ABI, and the way to end the process. The ABI
   is a process-wide singleton and ends the process on any violation; docs/abi.md says what this library does where the
   contract leaves room. */
#ifndef BHEMU_ABI_ABI_H
#define BHEMU_ABI_ABI_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu/device.h"
#include "bhemu/event.h"
#include "bhemu/system.h"

struct abi {
    struct bh_device *device; /* null: not between libttsim_init() and libttsim_exit(); of a system, the chip that parts
                                 accompany */
    struct bh_system *system; /* null: one chip, in none */
    struct bh_symbols *symbols; /* null: BHEMU_SYMBOLS is not set */
    uint64_t deadlocked_clocks; /* calls in a row in which time passed and nothing could go on */
    bool explaining;            /* deadlocks that the device tells of are to be printed now */
    bool reports;               /* report_look() is to be called */
    bool debugs;                /* gdb_serve() is to be called */
    uint64_t writes;            /* of the host, so far */
    unsigned begun;             /* calls of libttsim_init(), so far */
    bool told;                  /* the device has told what was wrong with this access of the host */
    unsigned host_cycles;       /* cycles between one access of the host and the next */
    bool accessed;              /* the host has accessed the device since time last passed */
    bool ends;                  /* a violation ends the process: perhaps in a callback of the device */
    unsigned watched;           /* the number of `device` in its system */
    unsigned parts;             /* how many accompany the device: part.h */
    void (*dma_read)(uint64_t paddr, void *dst, uint32_t size);
    void (*dma_write)(uint64_t paddr, const void *src, uint32_t size);
};

/* Prints lines to stderr, of which the first is `libttsim: ` and the text. */
void abi_print(const char *text);

/* How many copies of this library are loaded in the process, and how many of them were loaded before this one. */
unsigned abi_copies(unsigned *before);

/* Maps all of the library's code. */
void abi_map_library(void);

/* Prints one line to stderr and ends the process with status 1. */
_Noreturn void abi_fail(const char *category, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A decimal number within limits; `otherwise` if the variable is not set. */
unsigned number_from_environment(const char *name, unsigned otherwise, unsigned least, unsigned most);

/* Environment variables. */
enum bh_policy_preset policy_from_environment(void);          /* BHEMU_POLICY */
enum bh_board board_from_environment(struct bh_tiles *tiles); /* BHEMU_BOARD; tiles: those that are there */
unsigned threads_from_environment(void);                      /* BHEMU_THREADS; 1: not set */
enum bh_engine engine_from_environment(void);                 /* BHEMU_ENGINE; BH_ENGINE_FAST: not set */
enum bh_mode mode_from_environment(void);                     /* BHEMU_MODE; BH_MODE_FUNCTIONAL: not set */
bool print_from_environment(void);                            /* BHEMU_PRINT; false: not set */
enum bh_on_error on_error_from_environment(void);             /* BHEMU_ON_ERROR; BH_ON_ERROR_STOP: not set */
bool verify_from_environment(void);                           /* BHEMU_VERIFY; false: not set */
uint64_t jitter_from_environment(void);                       /* BHEMU_JITTER; 0: not set */
unsigned host_cycles_from_environment(void);                  /* BHEMU_HOST_CYCLES; 0: not set */
uint64_t clock_from_environment(const char *name);            /* BHEMU_FROM, BHEMU_TO; 0: not set */
bool switch_from_environment(const char *name);               /* 0 or 1; false: not set */

/* BHEMU_SYSTEM, or the end of the library's file name: null: one chip. *topology has to be destroyed. Its chips have
   the board of BHEMU_BOARD if that is set. */
struct bh_topology *topology_from_environment(void);
const char *nodes_from_environment(void);               /* BHEMU_NODES; null: not set */
uint32_t latency_from_environment(void);                /* BHEMU_LINK_LATENCY; 0: not set */
unsigned watched_chip_from_environment(unsigned chips); /* BHEMU_CHIP, below `chips`; 0: not set */

/* BHEMU_TILES: "1-2,3-4", of which logs, traces and the like are. Returns how many; 0: not set, all tiles. */
enum { ABI_MAXIMUM_TILES = 140 };
unsigned tiles_from_environment(struct bh_tile tiles[ABI_MAXIMUM_TILES]);

#endif
