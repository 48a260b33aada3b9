/* Print buffers of the project's own printf() (kernels/runtime/print.h, tables/print.def). */
#include <stdlib.h>
#include <string.h>

#include "chip/device_state.h"
#include "watch/print.h"
#include "watch/print_format.h"

enum {
#define PRINT_WORD(name) WORD_##name,
#include "print.def"
    HEADER_WORDS
};

enum {
#define PRINT_MESSAGE_WORD(name) MESSAGE_##name,
#include "print.def"
    MESSAGE_WORDS
};

static const uint8_t words_of_kind[PRINT_KINDS] = {
#define PRINT_KIND(name, words) words,
#include "print.def"
};

enum { HEAD_MASK = 0xffff0000u, MOST_WORDS = L1_SIZE / 4 };

struct buffer {
    struct print_memory memory; /* first: readers of strings find the rest by it */
    struct print_stream stream;
    const struct bh_device *device;
    unsigned tile; /* its number */
    uint32_t address;
    uint32_t words; /* of messages; 0: there is no buffer yet */
    uint32_t read;  /* those up to here were read, */
    uint32_t told;  /* and of these the kernel knows */
    uint32_t lost;  /* of which the user was told */
    bool found;     /* nobody has said that there is one: what is there may be replaced by something else */
    bool drained;   /* the kernel knows that it is read */
    bool broken;    /* it holds no messages; waits for a new one */
};

static bool read_memory(const struct print_memory *memory, uint32_t address, void *data, uint32_t size)
{
    const struct buffer *buffer = (const struct buffer *)memory;
    return device_peek(buffer->device, buffer->tile, (enum bh_core)buffer->stream.core, address, data, size);
}

static uint32_t word_at(const struct buffer *buffer, uint32_t index)
{
    uint32_t word = 0;
    (void)read_memory(&buffer->memory, buffer->address + 4 * index, &word, sizeof word);
    return word;
}

static void write_word(struct buffer *buffer, uint32_t index, uint32_t word)
{
    (void)bh_write((struct bh_device *)buffer->device, buffer->stream.x, buffer->stream.y, buffer->address + 4 * index,
                   &word, sizeof word);
}

/* Text of the host, as a line of its own. */
static void put_complaint(struct buffer *buffer, struct bh_print *print, struct print_text *text)
{
    print_text_add(text, "\n", 1);
    print_say(print, &buffer->stream, text);
}

/* The clock of the device at a time of the tile's wall clock, which was not long ago. */
static uint64_t clock_at(const struct buffer *buffer, uint32_t time)
{
    uint64_t now = bh_clock(buffer->device);
    uint32_t age = (uint32_t)now - time;
    return age > INT32_MAX || age > now ? now : now - age;
}

/* Formats the message at `place`, which has so many words. false: it is none. */
static bool read_message(struct buffer *buffer, struct bh_print *print, uint32_t place, uint32_t words)
{
    const uint32_t first = HEADER_WORDS + place;
    uint32_t count = word_at(buffer, first + MESSAGE_head) >> 8 & 0xff, kinds = word_at(buffer, first + MESSAGE_kinds);
    uint32_t format = word_at(buffer, first + MESSAGE_format), next = MESSAGE_WORDS;
    struct print_argument arguments[PRINT_arguments];
    if (count > PRINT_arguments) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        enum print_kind kind = kinds >> 2 * i & 3;
        uint64_t bits = word_at(buffer, first + next);
        bits |= words_of_kind[kind] > 1 ? (uint64_t)word_at(buffer, first + next + 1) << 32 : 0;
        arguments[i] = (struct print_argument){kind, bits};
        next += words_of_kind[kind];
    }
    if (next != words) {
        return false;
    }
    struct print_text text = {}, template = {};
    if (print_add_string(&template, &buffer->memory, format, UINT16_MAX)) {
        print_format(&text, template.bytes ? template.bytes : "", arguments, count, &buffer->memory);
    } else {
        print_text_complain(&text, "no format at 0x%x, for %u argument%s", format, count, count == 1 ? "" : "s");
        print_text_add(&text, "\n", 1);
    }
    text.wrong |= template.wrong;
    print_text_free(&template);
    print_put(print, &buffer->stream, clock_at(buffer, word_at(buffer, first + MESSAGE_time)),
              word_at(buffer, first + MESSAGE_sequence), &text);
    return true;
}

/* What is wrong with a buffer. */
static bool give_up(struct buffer *buffer, struct bh_print *print, uint32_t place)
{
    struct print_text text = {};
    print_text_complain(
        &text,
        "the print buffer at 0x%x was overwritten: word 0x%x at 0x%x begins no message; what else it held is lost",
        buffer->address, word_at(buffer, HEADER_WORDS + place), buffer->address + 4 * (HEADER_WORDS + place));
    put_complaint(buffer, print, &text);
    buffer->broken = true;
    return true;
}

static bool read_messages(struct buffer *buffer, struct bh_print *print, uint32_t written)
{
    bool any = false;
    while (buffer->read != written) {
        uint32_t place = buffer->read, head = word_at(buffer, HEADER_WORDS + place), words = head & 0xff;
        any = true;
        if (head == (uint32_t)PRINT_wrap && place > written) {
            buffer->read = 0;
            continue;
        }
        uint32_t room = written > place ? written - place : buffer->words - 1 - place;
        if ((head & HEAD_MASK) != (uint32_t)PRINT_head || words < MESSAGE_WORDS || words > room ||
            !read_message(buffer, print, place, words)) {
            return give_up(buffer, print, place);
        }
        buffer->read = place + words;
    }
    return any;
}

static void tell_lost(struct buffer *buffer, struct bh_print *print, uint32_t lost)
{
    struct print_text text = {};
    print_text_complain(&text, "%u message%s missing here: the print buffer was full, and nobody read it",
                        lost - buffer->lost, lost - buffer->lost == 1 ? " is" : "s are");
    put_complaint(buffer, print, &text);
    buffer->lost = lost;
}

static bool has_magic(const struct buffer *buffer)
{
    return word_at(buffer, WORD_magic) == (uint32_t)PRINT_magic &&
           word_at(buffer, WORD_more_magic) == (uint32_t)PRINT_more_magic;
}

/* Whether a header makes sense. */
static bool is_header(const struct buffer *buffer)
{
    uint32_t words = word_at(buffer, WORD_words);
    return has_magic(buffer) && words > MESSAGE_WORDS && words <= MOST_WORDS &&
           (uint64_t)buffer->address + 4 * (uint64_t)(HEADER_WORDS + words) <= L1_SIZE &&
           word_at(buffer, WORD_written) < words && word_at(buffer, WORD_read) < words;
}

/* Whether the program was loaded anew, or the device's state was exchanged: then the buffer is not as it was left. */
static bool is_new(const struct buffer *buffer)
{
    if (buffer->broken) {
        return !word_at(buffer, WORD_drained) && !word_at(buffer, WORD_written) && !word_at(buffer, WORD_read);
    }
    return !buffer->words || word_at(buffer, WORD_read) != buffer->told ||
           (buffer->drained && !word_at(buffer, WORD_drained));
}

/* Whether there is a buffer; takes one that is new as it is. */
static bool is_there(struct buffer *buffer)
{
    if (!is_header(buffer)) {
        return false;
    }
    if (is_new(buffer)) {
        buffer->drained = word_at(buffer, WORD_drained);
        buffer->words = word_at(buffer, WORD_words);
        buffer->read = buffer->told = word_at(buffer, WORD_read);
        buffer->lost = buffer->drained ? word_at(buffer, WORD_lost) : 0;
        buffer->broken = false;
    }
    return buffer->words == word_at(buffer, WORD_words);
}

/* The kernel may wait for room, and go on. */
static void settle_buffer(struct buffer *buffer)
{
    if (!buffer->broken && buffer->told != buffer->read) {
        write_word(buffer, WORD_read, buffer->read);
        buffer->told = buffer->read;
    }
    if (word_at(buffer, WORD_drained) != !buffer->broken) {
        write_word(buffer, WORD_drained, !buffer->broken);
    }
    buffer->drained = !buffer->broken;
}

static bool read_buffer(void *context, struct bh_print *print, bool settle)
{
    struct buffer *buffer = context;
    if (!device_used(buffer->device, buffer->tile)) {
        return false;
    }
    if (buffer->found && !has_magic(buffer)) {
        buffer->words = 0;
        buffer->broken = buffer->drained = false;
        return false;
    }
    if (!is_there(buffer)) {
        if (buffer->words && !buffer->broken) {
            buffer->broken = true;
            struct print_text text = {};
            print_text_complain(&text,
                                "the print buffer at 0x%x was overwritten: its header makes no sense; what it "
                                "held is lost",
                                buffer->address);
            put_complaint(buffer, print, &text);
            return true;
        }
        return false;
    }
    bool any = !buffer->broken && read_messages(buffer, print, word_at(buffer, WORD_written));
    uint32_t lost = word_at(buffer, WORD_lost);
    if (!buffer->broken && lost > buffer->lost) {
        tell_lost(buffer, print, lost);
    }
    if (settle) {
        settle_buffer(buffer);
    }
    return any;
}

static void remember(void *context, void *memory, bool back)
{
    struct buffer *buffer = context, then;
    if (!back) {
        memcpy(memory, buffer, sizeof *buffer);
        return;
    }
    memcpy(&then, memory, sizeof then);
    print_recall(&buffer->stream, &then.stream);
    then.stream = buffer->stream;
    *buffer = then;
}

static void free_buffer(void *context, struct bh_print *print)
{
    struct buffer *buffer = context;
    print_end_stream(print, &buffer->stream);
    free(buffer);
}

_Static_assert(BH_PRINT_ADDRESS == (int)PRINT_address && BH_PRINT_SIZE == (int)PRINT_size, "tables/print.def");

static enum bh_status add_buffer(struct bh_print *print, unsigned x, unsigned y, enum bh_core core, uint32_t address,
                                 bool found)
{
    unsigned tile;
    if (!print || core >= BH_CORE_COUNT || !device_find_tensix(print_device(print), x, y, &tile)) {
        return BH_ERROR_ARGUMENT;
    }
    if (address % 4 || address > L1_SIZE - 4 * HEADER_WORDS) {
        return BH_ERROR_ADDRESS;
    }
    struct buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer) {
        return BH_ERROR_MEMORY;
    }
    *buffer = (struct buffer){.memory = {read_memory},
                              .stream = {.x = (uint8_t)x, .y = (uint8_t)y, .core = (uint8_t)core},
                              .device = print_device(print),
                              .tile = tile,
                              .address = address,
                              .found = found};
    enum bh_status status =
        print_add_reader(print, &(struct print_reader){read_buffer, free_buffer, buffer, remember, sizeof *buffer});
    if (status == BH_OK) {
        (void)read_buffer(buffer, print, true);
    }
    return status;
}

enum bh_status bh_print_add(struct bh_print *print, unsigned x, unsigned y, enum bh_core core, uint32_t address)
{
    return add_buffer(print, x, y, core, address, false);
}

/* Those of all cores of a tile. */
static enum bh_status add_tile(struct bh_print *print, unsigned x, unsigned y)
{
    enum bh_status status = BH_OK;
    for (unsigned core = 0; core < BH_CORE_COUNT && status == BH_OK; core++) {
        status = add_buffer(print, x, y, (enum bh_core)core, BH_PRINT_ADDRESS + core * BH_PRINT_SIZE, true);
    }
    return status;
}

enum bh_status bh_print_add_all(struct bh_print *print, unsigned x, unsigned y)
{
    enum { COLUMNS = 17, ROWS = 12 };
    if (x || y) {
        return add_tile(print, x, y);
    }
    enum bh_status status = print ? BH_OK : BH_ERROR_ARGUMENT;
    for (unsigned i = 0; status == BH_OK && i < COLUMNS * ROWS; i++) {
        status = add_tile(print, i % COLUMNS, i / COLUMNS);
        status = status == BH_ERROR_ARGUMENT ? BH_OK : status; /* no Tensix tile */
    }
    return status;
}
