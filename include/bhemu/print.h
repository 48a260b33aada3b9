/* What kernels print: the printf() of the project's kernels (kernels/runtime/print.h), line by line, with the tile and
   the core that it is from. docs/print.md describes it. The same programs give the same lines in the same order on
   every run, for any number of host threads.

   Jobs (bhemu/job.h) need none of this, but on_print of struct bh_job_options. */
#ifndef BHEMU_PRINT_H
#define BHEMU_PRINT_H

#include "bhemu/device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bh_print;

struct bh_print_line {
    uint8_t tile_x, tile_y; /* translated coordinates */
    uint8_t core;           /* enum bh_core */
    uint16_t chip, chips;   /* as in struct bh_diagnostic */
    bool wrong;             /* something of it could not be shown; the text says what, between < and > */
    uint64_t clock;         /* of the device, when the end of the line was printed, as far as it is known */
    const char *text; /* without the end of the line; other control characters are written as \x1b. Valid while the
                         callback runs */
};

struct bh_print_options {
    /* Called while the device runs (bh_run(), bh_advance(), bh_print_close()), before a diagnostic of what happened
       later. Must not call functions that take the device. */
    void (*on_line)(void *context, const struct bh_print_line *line);
    void *context;
};

enum {
    BH_PRINT_ADDRESS = 0x16c00,
    BH_PRINT_SIZE = 0x400
}; /* the print buffer of B; behind it those of T0, T1, T2, NC */

/* Shows what is printed on a device from now on. BH_ERROR_ARGUMENT: no callback, or the device has one already. */
BH_API enum bh_status bh_print_open(struct bh_device *device, const struct bh_print_options *options,
                                    struct bh_print **print);

/* Names the print buffer of a core: where its program has `print_buffer`. From the next moment on in which there is
   one, printf() waits for room in it. BH_ERROR_ARGUMENT: there is no such tile or core, or the board
   leaves the tile out; BH_ERROR_ADDRESS: it would not be in L1. */
BH_API enum bh_status bh_print_add(struct bh_print *print, unsigned x, unsigned y, enum bh_core core, uint32_t address);

/* The buffers of all cores of a tile, or of all tiles (x and y 0), at BH_PRINT_ADDRESS, for hosts that do not know
   which programs print: a buffer says itself that it is one. */
BH_API enum bh_status bh_print_add_all(struct bh_print *print, unsigned x, unsigned y);

/* Shows what is still there, and lines that have no end. The device has to be there still. print may be null. */
BH_API void bh_print_close(struct bh_print *print);

/* "1-2 T1: text", or "chip 3 1-2 T1: text". Writes at most size bytes with the terminating zero; returns the length
   that it would have liked, as snprintf does. line null: nothing, 0. */
BH_API int bh_print_format(const struct bh_print_line *line, char *buffer, unsigned size);

#ifdef __cplusplus
}
#endif
#endif
