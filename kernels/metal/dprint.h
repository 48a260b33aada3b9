/* The kernel's side of both generations of tt-metal's DPRINT, for kernels in C: what the vendor's headers do in C++.
   Sources: as tables/tt_metal.def, METAL_PRINT. */
#ifndef BHEMU_KERNELS_METAL_DPRINT_H
#define BHEMU_KERNELS_METAL_DPRINT_H

#include "messages.h"
#include "metal.h"

enum dprint_constant {
#define METAL_PRINT(name, value) DPRINT_##name = (int)(value),
#include "tt_metal.def"
};

enum dprint_type {
#define METAL_PRINT_TYPE(name) DPRINT_##name,
#include "tt_metal.def"
};

/* As streams of values. */

struct dprint_stream {
    uint32_t written, read, unused;
    uint8_t data[DPRINT_size - DPRINT_stream_data];
};

static inline volatile struct dprint_stream *dprint_stream(void)
{
    return (volatile struct dprint_stream *)METAL_PRINT_BUFFERS + PROCESSOR;
}

static __attribute__((noinline, unused)) void dprint_value(enum dprint_type type, const void *value, uint32_t size)
{
    volatile struct dprint_stream *stream = dprint_stream();
    const uint8_t *bytes = value;
    if (stream->written == (uint32_t)DPRINT_starting) {
        stream->written = 0;
        stream->read = 0;
    }
    if (stream->written == (uint32_t)DPRINT_disabled) {
        return;
    }
    if (stream->written + size + 2 >= sizeof stream->data) {
        while (load_shared(&stream->read) < stream->written) {
        }
        stream->written = 0;
        stream->read = 0;
    }
    uint32_t at = stream->written;
    stream->data[at++] = (uint8_t)type;
    stream->data[at++] = (uint8_t)size;
    for (uint32_t i = 0; i < size; i++) {
        stream->data[at++] = bytes[i];
    }
    stream->written = at;
}

static inline void dprint_text(const char *text)
{
    uint32_t size = 1;
    while (text[size - 1]) {
        size++;
    }
    dprint_value(DPRINT_CSTR, text, size);
}

#define DPRINT_VALUE(type, ctype, value)                                                                               \
    do {                                                                                                               \
        ctype dprint_it = (value);                                                                                     \
        dprint_value(DPRINT_##type, &dprint_it, sizeof dprint_it);                                                     \
    } while (0)

/* As messages with formats. */

struct dprint_messages {
    uint32_t written, read;
    uint8_t states[DPRINT_states];
    uint32_t lock;
    uint8_t data[METAL_PROCESSORS * DPRINT_size - DPRINT_data_behind_lock];
};

struct dprint_format {
    const char *format, *file;
    uint32_t line, unused;
};

extern const struct dprint_format __device_print_strings_info_start[];

#define DPRINT_BUFFER ((volatile struct dprint_messages *)METAL_PRINT_BUFFERS)

/* The word at `lock` becomes 1; returns what it was. */
static inline uint32_t dprint_swap(volatile uint32_t *lock)
{
    uint32_t before;
    __asm__ volatile(".insn r 0x2f, 2, 4, %0, %1, %2 # amoswap.w" : "=r"(before) : "r"(lock), "r"(1) : "memory");
    return before;
}

/* Waits until nobody reads behind `written`, which the reader sees as where the writer waits. */
static inline void dprint_wait(uint32_t written, uint32_t size)
{
    DPRINT_BUFFER->written = written | (uint32_t)DPRINT_stalled;
    for (;;) {
        uint32_t read = load_shared(&DPRINT_BUFFER->read);
        if (size == 0 ? read != 0 && read <= written : written >= read || written + size < read) {
            break;
        }
    }
    DPRINT_BUFFER->written = written;
}

/* Where so many bytes have room. */
static __attribute__((noinline, unused)) uint32_t dprint_room(uint32_t size)
{
    uint32_t written = DPRINT_BUFFER->written, read = load_shared(&DPRINT_BUFFER->read);
    if (written == (uint32_t)DPRINT_starting) {
        DPRINT_BUFFER->written = 0;
        DPRINT_BUFFER->read = 0;
        return 0;
    }
    if (written + size > sizeof DPRINT_BUFFER->data) {
        if (read == 0 || written < read) {
            dprint_wait(written, 0);
        }
        if (written + 4 <= sizeof DPRINT_BUFFER->data) {
            *(volatile uint32_t *)(DPRINT_BUFFER->data + written) = (uint32_t)DPRINT_wrap;
        }
        DPRINT_BUFFER->written = written = 0;
    }
    if (written < load_shared(&DPRINT_BUFFER->read)) {
        dprint_wait(written, size);
    }
    return written;
}

static inline void dprint_put(uint32_t head)
{
    uint32_t at = dprint_room(4);
    *(volatile uint32_t *)(DPRINT_BUFFER->data + at) = head;
    DPRINT_BUFFER->written = at + 4;
}

static __attribute__((noinline, unused)) void dprint_message(const struct dprint_format *format, const void *payload,
                                                             uint32_t size)
{
    const uint32_t *words = payload;
    uint32_t number = (uint32_t)(format - __device_print_strings_info_start);
    uint32_t head = 1 | PROCESSOR << 1 | size << 6 | number << 16;
    if (DPRINT_BUFFER->written == (uint32_t)DPRINT_disabled) {
        return;
    }
    while (dprint_swap(&DPRINT_BUFFER->lock)) {
    }
    __asm__ volatile("fence" : : : "memory");
    if (DPRINT_BUFFER->states[PROCESSOR] == 0) {
        dprint_put(1 | PROCESSOR << 1 | DPRINT_new_kernel << 6);
        DPRINT_BUFFER->states[PROCESSOR] = 1;
    }
    uint32_t at = dprint_room(4 + size);
    *(volatile uint32_t *)(DPRINT_BUFFER->data + at) = head;
    for (uint32_t i = 0; i < size / 4; i++) {
        *(volatile uint32_t *)(DPRINT_BUFFER->data + at + 4 + 4 * i) = words[i];
    }
    DPRINT_BUFFER->written = at + 4 + size;
    DPRINT_BUFFER->lock = 0;
}

/* The arguments' bytes, largest first, as a structure of whole words. */
#define DPRINT_MESSAGE(text, ...)                                                                                      \
    do {                                                                                                               \
        static const char dprint_text_[] __attribute__((section(".device_print_strings"), used)) = text;               \
        static const char dprint_file[] __attribute__((section(".device_print_strings"), used)) = __FILE__;            \
        static const struct dprint_format dprint_it                                                                    \
            __attribute__((section(".device_print_strings_info"), used)) = {dprint_text_, dprint_file, __LINE__, 0};   \
        const uint32_t dprint_words[] = {__VA_ARGS__};                                                                 \
        dprint_message(&dprint_it, dprint_words, sizeof dprint_words);                                                 \
    } while (0)

#endif
