/* DPRINT as a stream: each value has its type and its size in front, and is shown as C++ streams do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/visitor.h"
#include "host/metal_print.h"
#include "host/metal_print_data.h"

enum {
#define METAL_PRINT_TYPE(name) TYPE_##name,
#include "tt_metal.def"
    TYPES
};

enum { ROOM = METAL_PRINT_size - METAL_PRINT_stream_data };

/* How the stream shows values. */
struct manner {
    unsigned width; /* of the next value only */
    unsigned array_width;
    int precision;
    bool fixed;
    char base;    /* d, x, o */
    uint8_t last; /* type */
};

struct stream {
    struct print_stream stream;
    struct bh_device *device;
    unsigned tile;
    uint32_t address;
    uint32_t read, told;
    struct manner manner;
    bool broken, stopped; /* stopped: the core knows that nobody reads */
};

static void add_padded(struct print_text *text, struct manner *manner, const char *value)
{
    print_text_addf(text, "%*s", (int)manner->width, value);
    manner->width = 0;
}

/* Negative values in other bases are those of their width. */
static void add_integer(struct print_text *text, struct manner *manner, uint64_t value, unsigned bytes, bool is_signed)
{
    char digits[32];
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    value &= 2 * sign - 1;
    if (manner->base == 'x') {
        (void)snprintf(digits, sizeof digits, "%llx", (unsigned long long)value);
    } else if (manner->base == 'o') {
        (void)snprintf(digits, sizeof digits, "%llo", (unsigned long long)value);
    } else if (is_signed) {
        (void)snprintf(digits, sizeof digits, "%lld", (long long)((value ^ sign) - sign));
    } else {
        (void)snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    }
    add_padded(text, manner, digits);
}

static void add_float(struct print_text *text, struct manner *manner, double value)
{
    char digits[400];
    (void)snprintf(digits, sizeof digits, manner->fixed ? "%.*f" : "%.*g", manner->precision, value);
    add_padded(text, manner, digits);
}

static float bf16_of(const uint8_t *bytes)
{
    uint32_t bits = (uint32_t)bytes[1] << 24 | (uint32_t)bytes[0] << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float fp32_of(const uint8_t *bytes)
{
    float value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* Bytes of a value; 0: any number. */
static unsigned size_of(unsigned type)
{
    static const uint8_t sizes[TYPES] = {
        [TYPE_ENDL] = 1,         [TYPE_SETW] = 1, [TYPE_UINT8] = 1,    [TYPE_UINT16] = 2,       [TYPE_UINT32] = 4,
        [TYPE_UINT64] = 8,       [TYPE_INT8] = 1, [TYPE_INT16] = 2,    [TYPE_INT32] = 4,        [TYPE_INT64] = 8,
        [TYPE_FLOAT32] = 4,      [TYPE_CHAR] = 1, [TYPE_BFLOAT16] = 2, [TYPE_SETPRECISION] = 1, [TYPE_FIXED] = 1,
        [TYPE_DEFAULTFLOAT] = 1, [TYPE_HEX] = 1,  [TYPE_OCT] = 1,      [TYPE_DEC] = 1,
    };
    return sizes[type];
}

static void add_end(struct print_text *text, const struct manner *manner)
{
    bool ended = manner->last == TYPE_TILESLICE && text->length && text->bytes[text->length - 1] == '\n';
    print_text_add(text, "\n", !ended);
}

static void add_array(struct print_text *text, struct manner *manner, const uint8_t *bytes, unsigned words, bool typed)
{
    enum { RAW = 1, REGISTERS = 2 };
    uint32_t type = typed && words ? metal_word(bytes + 4 * (words - 1)) : RAW << 16;
    words -= typed && words;
    for (unsigned i = 0; i < words; i++) {
        uint32_t word = metal_word(bytes + 4 * i);
        if (type >> 16 == RAW) {
            print_text_addf(text, "0x%x ", word);
        } else if (type >> 16 == REGISTERS) {
            metal_add_registers(text, word, type & 0xffff, manner->array_width);
        } else {
            print_text_complain(text, "0x%x, an element of an array of unknown kind %u", word, type >> 16);
        }
    }
    manner->base = type >> 16 == RAW && words ? 'x' : manner->base; /* as the stream of tt-metal's host */
}

static void add_value(struct print_text *text, struct manner *manner, unsigned type, const uint8_t *bytes,
                      unsigned size)
{
    uint64_t value = 0;
    memcpy(&value, bytes, size < sizeof value ? size : sizeof value);
    switch (type) {
    case TYPE_CSTR: {
        char string[UINT8_MAX + 1];
        memcpy(string, bytes, size);
        string[size] = 0;
        add_padded(text, manner, string);
        break;
    }
    case TYPE_ENDL: add_end(text, manner); break;
    case TYPE_SETW: manner->width = manner->array_width = bytes[0]; break;
    case TYPE_UINT8:
    case TYPE_UINT16:
    case TYPE_UINT32:
    case TYPE_UINT64: add_integer(text, manner, value, size, false); break;
    case TYPE_INT8:
    case TYPE_INT16:
    case TYPE_INT32:
    case TYPE_INT64: add_integer(text, manner, value, size, true); break;
    case TYPE_FLOAT32: add_float(text, manner, (double)fp32_of(bytes)); break;
    case TYPE_BFLOAT16: add_float(text, manner, (double)bf16_of(bytes)); break;
    case TYPE_CHAR: add_padded(text, manner, (char[]){(char)bytes[0], 0}); break;
    case TYPE_SETPRECISION: manner->precision = bytes[0]; break;
    case TYPE_FIXED: manner->fixed = true; break;
    case TYPE_DEFAULTFLOAT: manner->fixed = false; break;
    case TYPE_HEX: manner->base = 'x'; break;
    case TYPE_OCT: manner->base = 'o'; break;
    case TYPE_DEC: manner->base = 'd'; break;
    case TYPE_TILESLICE: metal_add_slice(text, bytes, size, NULL); break;
    default: add_array(text, manner, bytes, size / 4, type == TYPE_TYPED_U32_ARRAY); break;
    }
    manner->last = (uint8_t)type;
}

/* Reads values. Returns how many bytes they take: fewer than there are if these are no values. */
static uint32_t add_values(struct print_text *text, struct manner *manner, const uint8_t *bytes, uint32_t count)
{
    uint32_t at = 0;
    while (at + 2 <= count) {
        unsigned type = bytes[at], size = bytes[at + 1];
        if (type >= TYPES || at + 2 + size > count || (size_of(type) && size != size_of(type))) {
            break;
        }
        add_value(text, manner, type, bytes + at + 2, size);
        at += 2 + size;
    }
    return at;
}

static void write_word(struct stream *stream, uint32_t offset, uint32_t word)
{
    (void)bh_write(stream->device, stream->stream.x, stream->stream.y, stream->address + offset, &word, sizeof word);
}

static bool read_stream(void *context, struct bh_print *print, bool settle)
{
    struct stream *stream = context;
    uint8_t buffer[METAL_PRINT_size];
    struct print_text text = {};
    if (!device_peek(stream->device, stream->tile, BH_CORE_B, stream->address, buffer, sizeof buffer)) {
        return false;
    }
    uint32_t written = metal_word(buffer), read = metal_word(buffer + 4);
    if (written == (uint32_t)METAL_PRINT_starting || written == (uint32_t)METAL_PRINT_disabled) {
        return false;
    }
    if (read != stream->told) { /* the core went on at 0 */
        stream->read = stream->told = read;
    }
    bool overwritten = written > ROOM || stream->read > ROOM;
    bool any = !stream->broken && (overwritten || stream->read < written); /* more: it is going on at 0 */
    if (any && overwritten) {
        stream->broken = true;
    } else if (any) {
        stream->read +=
            add_values(&text, &stream->manner, buffer + METAL_PRINT_stream_data + stream->read, written - stream->read);
        stream->broken = stream->read != written;
    }
    if (any && stream->broken) {
        print_text_complain(&text,
                            "the print buffer at 0x%x was overwritten: no value begins at its byte %u of %u; "
                            "nothing more of this core is shown",
                            stream->address, stream->read, written);
        print_text_add(&text, "\n", 1);
    }
    if (text.length) {
        print_say(print, &stream->stream, &text);
    }
    if (settle && stream->broken && !stream->stopped) {
        write_word(stream, 0, (uint32_t)METAL_PRINT_disabled);
        stream->stopped = true;
    } else if (settle && !stream->broken && stream->told != stream->read) {
        write_word(stream, 4, stream->read);
        stream->told = stream->read;
    }
    return any;
}

static void remember(void *context, void *memory, bool back)
{
    struct stream *stream = context, then;
    if (!back) {
        memcpy(memory, stream, sizeof *stream);
        return;
    }
    memcpy(&then, memory, sizeof then);
    print_recall(&stream->stream, &then.stream);
    then.stream = stream->stream;
    *stream = then;
}

static void free_stream(void *context, struct bh_print *print)
{
    struct stream *stream = context;
    print_end_stream(print, &stream->stream);
    free(stream);
}

enum bh_status metal_print_add_stream(struct bh_print *print, const struct metal_print_tile *tile, enum bh_core core,
                                      uint32_t address)
{
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream) {
        return BH_ERROR_MEMORY;
    }
    *stream = (struct stream){.stream = {.x = (uint8_t)tile->x, .y = (uint8_t)tile->y, .core = (uint8_t)core},
                              .device = print_device(print),
                              .address = address,
                              .manner = {.precision = 6, .base = 'd'}};
    if (!device_find_tensix(stream->device, tile->x, tile->y, &stream->tile)) {
        free(stream);
        return BH_ERROR_ARGUMENT;
    }
    return print_add_reader(print, &(struct print_reader){read_stream, free_stream, stream, remember, sizeof *stream});
}
