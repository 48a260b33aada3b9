/* Kernels' prints on their way to the host: readers of print buffers hand messages over, which become lines in the
   order of their times. The readers: watch/print_buffer.c of the project's own printf(), host/metal_print.h of
   tt-metal's DPRINT. */
#ifndef BHEMU_WATCH_PRINT_H
#define BHEMU_WATCH_PRINT_H

#include "bhemu/print.h"
#include "watch/print_text.h"

/* What a core prints. */
struct print_stream {
    uint8_t x, y, core;
    uint64_t time;          /* of the last message, */
    uint32_t sequence;      /* and its number in the tile */
    struct print_text line; /* that has no end yet */
};

/* A reader of one or more streams. */
struct print_reader {
    /* Hands over what is new. settle: the device may be accessed, so that the kernel can be told what was read. Returns
       whether there was anything. */
    bool (*read)(void *context, struct bh_print *print, bool settle);
    void (*free)(void *context, struct bh_print *print);
    void *context;
    /* Copies `size` bytes of what it remembers of the device out, or back: all but the texts of lines that have no end
       yet, which are the user's. */
    void (*remember)(void *context, void *memory, bool back);
    size_t size;
};

/* BH_ERROR_MEMORY: the reader is freed. */
enum bh_status print_add_reader(struct bh_print *print, const struct print_reader *reader);

/* Takes text that a stream has printed, and its time and number; empties it. Messages of a stream come in order; those
   of a tile are sorted by their numbers, then by the order of streams; those of different tiles by time. */
void print_put(struct bh_print *print, struct print_stream *stream, uint64_t time, uint32_t sequence,
               struct print_text *text);

/* The same of text without a time, in the order in which it is said. */
void print_say(struct bh_print *print, struct print_stream *stream, struct print_text *text);

/* Gives a stream back what it was, as a part of that; the text of its line stays. */
void print_recall(struct print_stream *stream, const struct print_stream *then);

/* The line without an end, if there is one: as the readers' free() is to do. */
void print_end_stream(struct bh_print *print, struct print_stream *stream);

/* Reads now, and tells kernels that they are read: while the device does not run. */
void print_visit(struct bh_print *print);

struct bh_device *print_device(const struct bh_print *print);

#endif
