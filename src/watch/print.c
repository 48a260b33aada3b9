#include "watch/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/device_state.h"
#include "chip/visitor.h"
#include "util/text.h"

/* Cycles between two looks at the buffers: few while kernels print, since one whose buffer is full waits. */
enum { BUSY_INTERVAL = 1000, IDLE_INTERVAL = 8000 };

struct message {
    struct print_stream *stream;
    uint64_t time;
    uint32_t sequence;
    size_t number; /* among those of all streams */
    struct print_text text;
};

struct bh_print {
    struct bh_print_options options;
    struct bh_device *device;
    struct device_visitor visitor;
    struct print_reader *readers;
    unsigned readers_count, readers_room;
    struct message *messages; /* not shown yet */
    size_t messages_count, messages_room;
    bool reading;
    bool incomplete; /* there was no memory for a message */
};

struct bh_device *print_device(const struct bh_print *print)
{
    return print->device;
}

/* Room for one more. */
static bool grow(void **array, size_t count, size_t size, size_t *room)
{
    if (count < *room) {
        return true;
    }
    size_t more = *room ? 2 * *room : 16;
    void *grown = realloc(*array, more * size);
    if (grown) {
        *array = grown;
        *room = more;
    }
    return grown != NULL;
}

enum bh_status print_add_reader(struct bh_print *print, const struct print_reader *reader)
{
    size_t room = print->readers_room;
    if (!grow((void **)&print->readers, print->readers_count, sizeof *reader, &room)) {
        reader->free(reader->context, print);
        return BH_ERROR_MEMORY;
    }
    print->readers_room = (unsigned)room;
    print->readers[print->readers_count++] = *reader;
    return BH_OK;
}

void print_put(struct bh_print *print, struct print_stream *stream, uint64_t time, uint32_t sequence,
               struct print_text *text)
{
    stream->time = time > stream->time ? time : stream->time;
    stream->sequence = (int32_t)(sequence - stream->sequence) > 0 ? sequence : stream->sequence;
    if (print->device->observers.only) { /* it was shown before */
        print_text_free(text);
    } else if (grow((void **)&print->messages, print->messages_count, sizeof *print->messages, &print->messages_room)) {
        size_t number = print->messages_count++;
        print->messages[number] = (struct message){stream, stream->time, stream->sequence, number, *text};
    } else {
        stream->line.wrong = print->incomplete = true;
        print_text_free(text);
    }
    *text = (struct print_text){};
}

void print_say(struct bh_print *print, struct print_stream *stream, struct print_text *text)
{
    print_put(print, stream, bh_clock(print->device), stream->sequence, text);
}

/* Lines. */

/* Control characters could do anything to a terminal. */
static void escape(struct print_text *to, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if ((byte < ' ' && byte != '\t') || byte == 0x7f) {
            print_text_addf(to, "\\x%02x", byte);
        } else {
            print_text_add(to, bytes + i, 1);
        }
    }
}

static void show_line(struct bh_print *print, struct print_stream *stream, uint64_t time)
{
    const struct bh_print_line line = {.chip = print->device->chip,
                                       .chips = print->device->chips,
                                       .tile_x = stream->x,
                                       .tile_y = stream->y,
                                       .core = stream->core,
                                       .wrong = stream->line.wrong,
                                       .clock = time,
                                       .text = stream->line.bytes ? stream->line.bytes : ""};
    print->options.on_line(print->options.context, &line);
    print_text_free(&stream->line);
}

static void show_message(struct bh_print *print, struct message *message)
{
    struct print_stream *stream = message->stream;
    const char *at = message->text.bytes, *end = at + message->text.length;
    stream->line.wrong |= message->text.wrong;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        escape(&stream->line, at, (size_t)((line_end ? line_end : end) - at));
        at = line_end ? line_end + 1 : end;
        if (line_end) {
            show_line(print, stream, message->time);
        }
    }
    print_text_free(&message->text);
}

static unsigned tile_of(const struct message *message)
{
    return message->stream->y << 8 | message->stream->x;
}

static int in_tile_order(const void *one, const void *other)
{
    const struct message *a = one, *b = other;
    int32_t before = (int32_t)(a->sequence - b->sequence);
    if (tile_of(a) != tile_of(b)) {
        return tile_of(a) < tile_of(b) ? -1 : 1;
    }
    return before ? before : a->number < b->number ? -1 : 1;
}

static int in_order(const void *one, const void *other)
{
    const struct message *a = one, *b = other;
    return a->time != b->time ? (a->time < b->time ? -1 : 1) : a->number < b->number ? -1 : 1;
}

/* Cores of a tile that wait for one another may have clocks that do not say who was first: then later ones count as
   printed when the last before them was. */
static void sort(struct bh_print *print)
{
    struct message *message = print->messages;
    qsort(message, print->messages_count, sizeof *message, in_tile_order);
    for (size_t i = 0; i < print->messages_count; i++) {
        bool same = i && tile_of(&message[i]) == tile_of(&message[i - 1]);
        message[i].time = same && message[i].time < message[i - 1].time ? message[i - 1].time : message[i].time;
        message[i].number = i;
    }
    qsort(message, print->messages_count, sizeof *message, in_order);
}

static void show(struct bh_print *print)
{
    if (print->messages_count > 1) {
        sort(print);
    }
    for (size_t i = 0; i < print->messages_count; i++) {
        show_message(print, &print->messages[i]);
    }
    print->messages_count = 0;
}

void print_end_stream(struct bh_print *print, struct print_stream *stream)
{
    if (stream->line.length) {
        show_line(print, stream, stream->time);
    }
    print_text_free(&stream->line);
}

/* Visits. */

static bool read_all(struct bh_print *print, bool settle)
{
    bool any = false;
    if (print->reading) {
        return false;
    }
    print->reading = true;
    for (unsigned i = 0; i < print->readers_count; i++) {
        any |= print->readers[i].read(print->readers[i].context, print, settle);
    }
    show(print);
    print->reading = false;
    return any;
}

static void come(void *context)
{
    struct bh_print *print = context;
    uint64_t interval = 2 * print->visitor.interval;
    bool any = read_all(print, true);
    print->visitor.interval = any ? BUSY_INTERVAL : interval < IDLE_INTERVAL ? interval : IDLE_INTERVAL;
}

void print_visit(struct bh_print *print)
{
    come(print);
}

static void look(void *context)
{
    (void)read_all(context, false);
}

static size_t remember(void *context, void *memory, bool back)
{
    struct bh_print *print = context;
    uint8_t *at = memory;
    size_t size = 0;
    for (unsigned i = 0; i < print->readers_count; i++) {
        const struct print_reader *reader = &print->readers[i];
        if (at) {
            reader->remember(reader->context, at + size, back);
        }
        size += reader->size;
    }
    return size;
}

void print_recall(struct print_stream *stream, const struct print_stream *then)
{
    stream->time = then->time;
    stream->sequence = then->sequence;
}

enum bh_status bh_print_open(struct bh_device *device, const struct bh_print_options *options, struct bh_print **print)
{
    if (!device || device_is_remote(device) || !options || !options->on_line || !print) {
        return BH_ERROR_ARGUMENT;
    }
    struct bh_print *opened = *print = calloc(1, sizeof *opened);
    if (!opened) {
        return BH_ERROR_MEMORY;
    }
    opened->options = *options;
    opened->device = device;
    opened->visitor = (struct device_visitor){
        .come = come, .look = look, .remember = remember, .context = opened, .acts = true, .interval = BUSY_INTERVAL};
    if (!device_add_visitor(device, &opened->visitor)) {
        free(opened);
        *print = NULL;
        return BH_ERROR_ARGUMENT;
    }
    return BH_OK;
}

void bh_print_close(struct bh_print *print)
{
    if (!print) {
        return;
    }
    (void)read_all(print, false);
    device_remove_visitor(print->device, &print->visitor);
    for (unsigned i = 0; i < print->readers_count; i++) {
        print->readers[i].free(print->readers[i].context, print);
    }
    free(print->readers);
    free(print->messages);
    free(print);
}

int bh_print_format(const struct bh_print_line *line, char *buffer, unsigned size)
{
    char chip[24] = "";
    if (!line) {
        return text_nothing(buffer, size);
    }
    if (line->chips) {
        (void)snprintf(chip, sizeof chip, "chip %u ", line->chip);
    }
    return snprintf(buffer, buffer ? size : 0, "%s%u-%u %s: %s", chip, line->tile_x, line->tile_y,
                    bh_core_name((enum bh_core)line->core), line->text);
}
