/* DPRINT with formats: the five cores of a tile share a buffer of messages, each of which has the number of its format
   in its program. */
#include <stdlib.h>
#include <string.h>

#include "chip/visitor.h"
#include "host/metal_print.h"
#include "host/metal_print_data.h"
#include "host/metal_print_fmt.h"

enum { BYTES = METAL_PRINT_size * BH_CORE_COUNT };

struct messages;

/* What a core prints. */
struct core {
    struct print_memory memory; /* first: readers of strings find the rest by it */
    struct messages *messages;
    struct print_stream stream;
    struct metal_core_formats formats;
};

struct messages {
    struct bh_device *device;
    unsigned tile;
    uint32_t address;
    uint32_t data; /* where messages begin in the buffer; 0: that is not known before the first one */
    uint32_t read, told, count;
    bool broken, stopped;            /* stopped: the cores know that nobody reads */
    struct core core[BH_CORE_COUNT]; /* by tt-metal's numbers */
};

/* is_kernel: 1, processor: 5, payload: 10, format: 16 bits, lowest first. */
struct head {
    bool kernel;
    unsigned processor, payload, format;
};

static struct head head_of(uint32_t word)
{
    return (struct head){
        .kernel = word & 1, .processor = word >> 1 & 0x1f, .payload = word >> 6 & 0x3ff, .format = word >> 16};
}

static bool read_memory(const struct print_memory *memory, uint32_t address, void *data, uint32_t size)
{
    const struct core *core = (const struct core *)memory;
    return device_peek(core->messages->device, core->messages->tile, (enum bh_core)core->stream.core, address, data,
                       size);
}

static void say(struct messages *messages, struct bh_print *print, struct core *core, struct print_text *text)
{
    print_put(print, &core->stream, bh_clock(messages->device), ++messages->count, text);
}

static void add_message(struct messages *messages, struct bh_print *print, const struct head *head,
                        const uint8_t *payload)
{
    struct core *core = &messages->core[head->processor];
    const struct metal_format_list *list = head->kernel ? core->formats.kernel : core->formats.firmware;
    const char *format = list ? metal_format(list, head->format) : NULL;
    struct print_text text = {};
    if (format) {
        metal_add_message(&text, format, payload, head->payload, list, &core->memory);
    } else {
        print_text_complain(&text, "the %s has no format %u", head->kernel ? "kernel" : "firmware", head->format);
        print_text_add(&text, "\n", 1);
    }
    if (text.length) {
        say(messages, print, core, &text);
    }
    print_text_free(&text);
}

/* Reads the message at `read`, of which no byte is at `end` or behind it. false: there is none. */
static bool read_message(struct messages *messages, struct bh_print *print, const uint8_t *data, uint32_t end)
{
    struct head head;
    if (messages->read % 4 || end - messages->read < 4) {
        return false;
    }
    head = head_of(metal_word(data + messages->read));
    bool begins = head.kernel && head.payload == METAL_PRINT_new_kernel;
    uint32_t size = begins ? 4 : 4 + (head.payload + 3) / 4 * 4;
    if (head.processor >= BH_CORE_COUNT || size > end - messages->read) {
        return false;
    }
    if (!begins) {
        add_message(messages, print, &head, data + messages->read + 4);
    }
    messages->read += size;
    return true;
}

static bool is_wrap(const uint8_t *data, uint32_t at, uint32_t room)
{
    return room - at < 4 || metal_word(data + at) == (uint32_t)METAL_PRINT_wrap;
}

/* false: what is there are no messages. */
static bool read_messages(struct messages *messages, struct bh_print *print, const uint8_t *data, uint32_t written)
{
    uint32_t room = BYTES - messages->data;
    if (written > room || messages->read > room) {
        return false;
    }
    while (messages->read != written) {
        bool behind = messages->read > written;
        if (behind && is_wrap(data, messages->read, room)) {
            messages->read = 0;
        } else if (!read_message(messages, print, data, behind ? room : written)) {
            return false;
        }
    }
    return true;
}

/* The first message says that a kernel begins to print; where versions with a lock have it, others have that. */
static uint32_t find_data(const uint8_t *buffer)
{
    struct head head = head_of(metal_word(buffer + METAL_PRINT_data));
    return head.kernel && head.payload == METAL_PRINT_new_kernel ? METAL_PRINT_data : METAL_PRINT_data_behind_lock;
}

static void give_up(struct messages *messages, struct bh_print *print, uint32_t written)
{
    struct print_text text = {};
    print_text_complain(
        &text,
        "the print buffer at 0x%x was overwritten: no message begins at its byte %u of %u; nothing more "
        "of this tile is shown",
        messages->address, messages->read, written);
    print_text_add(&text, "\n", 1);
    say(messages, print, &messages->core[0], &text);
    messages->broken = true;
}

static void write_word(struct messages *messages, uint32_t offset, uint32_t word)
{
    const struct print_stream *stream = &messages->core[0].stream;
    (void)bh_write(messages->device, stream->x, stream->y, messages->address + offset, &word, sizeof word);
}

static bool read_buffer(struct messages *messages, struct bh_print *print)
{
    uint8_t buffer[BYTES];
    if (messages->broken ||
        !device_peek(messages->device, messages->tile, BH_CORE_B, messages->address, buffer, sizeof buffer)) {
        return false;
    }
    uint32_t written = metal_word(buffer), read = metal_word(buffer + 4);
    if (written == (uint32_t)METAL_PRINT_starting || written == (uint32_t)METAL_PRINT_disabled) {
        return false;
    }
    written &= ~(uint32_t)METAL_PRINT_stalled;
    if (read != messages->told) {
        messages->read = messages->told = read;
    }
    if (messages->read == written) {
        return false;
    }
    messages->data = messages->data ? messages->data : find_data(buffer);
    if (!read_messages(messages, print, buffer + messages->data, written)) {
        give_up(messages, print, written);
    }
    return true;
}

/* The cores may wait for room. */
static bool read_and_settle(void *context, struct bh_print *print, bool settle)
{
    struct messages *messages = context;
    bool any = read_buffer(messages, print);
    if (settle && messages->broken && !messages->stopped) {
        write_word(messages, 0, (uint32_t)METAL_PRINT_disabled);
        messages->stopped = true;
    } else if (settle && !messages->broken && messages->told != messages->read) {
        write_word(messages, 4, messages->read);
        messages->told = messages->read;
    }
    return any;
}

static void remember(void *context, void *memory, bool back)
{
    struct messages *messages = context, then;
    if (!back) {
        memcpy(memory, messages, sizeof *messages);
        return;
    }
    memcpy(&then, memory, sizeof then);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        print_recall(&messages->core[i].stream, &then.core[i].stream);
        then.core[i].stream = messages->core[i].stream;
    }
    *messages = then;
}

static void free_messages(void *context, struct bh_print *print)
{
    struct messages *messages = context;
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        print_end_stream(print, &messages->core[i].stream);
    }
    free(messages);
}

enum bh_status metal_print_add_messages(struct bh_print *print, const struct metal_print_tile *tile, uint32_t address,
                                        const struct metal_core_formats formats[BH_CORE_COUNT])
{
    struct messages *messages = calloc(1, sizeof *messages);
    if (!messages) {
        return BH_ERROR_MEMORY;
    }
    *messages = (struct messages){.device = print_device(print), .address = address};
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        enum bh_core core = metal_core(i);
        messages->core[i] = (struct core){
            .memory = {read_memory},
            .messages = messages,
            .stream = {.x = (uint8_t)tile->x, .y = (uint8_t)tile->y, .core = (uint8_t)core},
            .formats = formats[core],
        };
    }
    if (!device_find_tensix(messages->device, tile->x, tile->y, &messages->tile)) {
        free(messages);
        return BH_ERROR_ARGUMENT;
    }
    return print_add_reader(
        print, &(struct print_reader){read_and_settle, free_messages, messages, remember, sizeof *messages});
}
