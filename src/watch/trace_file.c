#include "watch/trace_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

enum { BUFFER_SIZE = 1 << 18 };

int trace_file_open(struct trace_file *out, const char *path, bool timed, const char *name)
{
    errno = 0;
    *out = (struct trace_file){.file = fopen(path, "we"), .buffer = malloc(BUFFER_SIZE)};
    if (!out->file || !out->buffer) {
        int error = errno ? errno : ENOMEM;
        if (out->file) {
            fclose(out->file);
        }
        free(out->buffer);
        return error;
    }
    setvbuf(out->file, out->buffer, _IOFBF, BUFFER_SIZE);
    out->json = json_to(out->file);
    struct json *json = &out->json;
    json_begin_object(json);
    trace_file_text(out, "displayTimeUnit", "ns");
    json_name(json, "otherData");
    json_begin_object(json);
    trace_file_text(out, "producer", "bhemu");
    if (name) {
        trace_file_text(out, "program", name);
    }
    trace_file_text(out, "mode", timed ? "timed" : "functional");
    trace_file_text(out, "time", timed ? "1 us is 1 modelled cycle" : "1 us is 1 emulated step");
    json_end_object(json);
    json_name(json, "traceEvents");
    json_begin_array(json);
    fputc('\n', out->file);
    return 0;
}

int trace_file_close(struct trace_file *out)
{
    if (!out->error) {
        json_end_array(&out->json);
        json_end_object(&out->json);
        fputc('\n', out->file);
    }
    errno = 0;
    bool failed = ferror(out->file);
    if (fclose(out->file) != 0 || failed) {
        out->error = out->error ? out->error : errno ? errno : EIO;
    }
    free(out->buffer);
    return out->error;
}

bool trace_file_begin(struct trace_file *out, const struct trace_event *event)
{
    if (out->error) {
        return false;
    }
    errno = 0;
    json_begin_object(&out->json);
    trace_file_text(out, "ph", event->phase);
    if (event->category) {
        trace_file_text(out, "cat", event->category);
    }
    trace_file_text(out, "name", event->name);
    trace_file_number(out, "pid", event->process);
    trace_file_number(out, "tid", event->track);
    trace_file_quarters(out, "ts", event->time, event->quarter);
    return true;
}

void trace_file_end(struct trace_file *out)
{
    json_end_object(&out->json);
    fputc('\n', out->file);
    if (ferror(out->file)) {
        out->error = errno ? errno : EIO;
    }
}

static void write_metadata(struct trace_file *out, unsigned process, unsigned track, const char *what,
                           const char *member, const char *text, unsigned number)
{
    const struct trace_event event = {.phase = "M", .name = what, .process = process, .track = track};
    if (trace_file_begin(out, &event)) {
        json_name(&out->json, "args");
        json_begin_object(&out->json);
        if (text) {
            trace_file_text(out, member, text);
        } else {
            trace_file_number(out, member, number);
        }
        json_end_object(&out->json);
        trace_file_end(out);
    }
}

void trace_file_name_process(struct trace_file *out, unsigned process, const char *name, unsigned order)
{
    write_metadata(out, process, 0, "process_name", "name", name, 0);
    write_metadata(out, process, 0, "process_sort_index", "sort_index", NULL, order);
}

void trace_file_name_track(struct trace_file *out, unsigned process, unsigned track, const char *name)
{
    write_metadata(out, process, track, "thread_name", "name", name, 0);
    write_metadata(out, process, track, "thread_sort_index", "sort_index", NULL, track);
}

void trace_file_counter(struct trace_file *out, unsigned process, const char *name, uint64_t time, const char *series,
                        uint64_t value)
{
    const struct trace_event event = {.phase = "C", .name = name, .process = process, .time = time};
    if (trace_file_begin(out, &event)) {
        json_name(&out->json, "args");
        json_begin_object(&out->json);
        trace_file_number(out, series, value);
        json_end_object(&out->json);
        trace_file_end(out);
    }
}

void trace_file_number(struct trace_file *out, const char *name, uint64_t value)
{
    json_name(&out->json, name);
    json_unsigned(&out->json, value);
}

void trace_file_quarters(struct trace_file *out, const char *name, uint64_t cycles, unsigned quarters)
{
    json_name(&out->json, name);
    if (quarters) {
        json_double(&out->json, (double)cycles + quarters / 4.0);
    } else {
        json_unsigned(&out->json, cycles);
    }
}

void trace_file_text(struct trace_file *out, const char *name, const char *text)
{
    json_name(&out->json, name);
    json_text(&out->json, text);
}

void trace_file_hex(struct trace_file *out, const char *name, uint64_t value)
{
    json_name(&out->json, name);
    json_format(&out->json, "0x%08" PRIx64, value);
}
