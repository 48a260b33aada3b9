/* Files in the Chrome trace event format ("Trace Event Format", JSON Object Format): processes, their tracks, and
   events on these. A microsecond of the format is a cycle, of which there are quarters, too. */
#ifndef BHEMU_WATCH_TRACE_FILE_H
#define BHEMU_WATCH_TRACE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/json.h"

struct trace_file {
    FILE *file;
    struct json json;
    char *buffer;
    int error; /* errno of the first failure; nothing is written behind it */
};

/* An event on a track: (process, thread) of the format. */
struct trace_event {
    const char *phase, *category, *name;
    unsigned process, track;
    uint64_t time;
    uint8_t quarter; /* of that cycle */
};

/* Returns an errno; 0: it is open. */
int trace_file_open(struct trace_file *out, const char *path, bool timed, const char *name);

/* Returns the errno of the first failure; 0: all was written. */
int trace_file_close(struct trace_file *out);

/* What comes before and behind the members of an event that only it has. false: it is not to be written. */
bool trace_file_begin(struct trace_file *out, const struct trace_event *event);
void trace_file_end(struct trace_file *out);

/* Names of processes and tracks, which are shown by ascending order. */
void trace_file_name_process(struct trace_file *out, unsigned process, const char *name, unsigned order);
void trace_file_name_track(struct trace_file *out, unsigned process, unsigned track, const char *name);

void trace_file_counter(struct trace_file *out, unsigned process, const char *name, uint64_t time, const char *series,
                        uint64_t value);

/* Members. */
void trace_file_number(struct trace_file *out, const char *name, uint64_t value);
void trace_file_quarters(struct trace_file *out, const char *name, uint64_t cycles, unsigned quarters);
void trace_file_text(struct trace_file *out, const char *name, const char *text);
void trace_file_hex(struct trace_file *out, const char *name, uint64_t value);

#endif
