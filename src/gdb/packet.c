#include "gdb/packet.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ESCAPE = '}', ESCAPED = 0x20, INTERRUPT = 3 };

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static void begin(struct packet_reader *reader)
{
    reader->state = PACKET_INSIDE;
    reader->size = 0;
    reader->sum = 0;
    reader->escaped = reader->bad = false;
}

static enum packet_event outside(struct packet_reader *reader, uint8_t byte)
{
    switch (byte) {
    case '$': begin(reader); return PACKET_NOTHING;
    case '+': return PACKET_ACK;
    case '-': return PACKET_NACK;
    case INTERRUPT: return PACKET_INTERRUPT;
    default: return PACKET_NOTHING;
    }
}

static void inside(struct packet_reader *reader, uint8_t byte)
{
    if (byte == '$') { /* the packet before was cut off */
        begin(reader);
        return;
    }
    if (byte == '#') {
        reader->state = PACKET_FIRST_DIGIT;
        reader->bad |= reader->escaped;
        return;
    }
    reader->sum += byte;
    if (byte == ESCAPE && !reader->escaped) {
        reader->escaped = true;
        return;
    }
    if (reader->size == PACKET_SIZE) {
        reader->bad = true;
        return;
    }
    reader->data[reader->size++] = (char)(reader->escaped ? byte ^ ESCAPED : byte);
    reader->escaped = false;
}

enum packet_event packet_read(struct packet_reader *reader, uint8_t byte)
{
    int value = digit((char)byte);
    switch (reader->state) {
    case PACKET_OUTSIDE: return outside(reader, byte);
    case PACKET_INSIDE: inside(reader, byte); return PACKET_NOTHING;
    case PACKET_FIRST_DIGIT:
        reader->given = (uint8_t)((unsigned)value << 4);
        reader->bad |= value < 0;
        reader->state = PACKET_SECOND_DIGIT;
        return PACKET_NOTHING;
    default:
        reader->state = PACKET_OUTSIDE;
        reader->data[reader->size] = 0;
        return value >= 0 && !reader->bad && (reader->given | value) == reader->sum ? PACKET_WHOLE : PACKET_WRONG;
    }
}

void packet_begin(struct packet_writer *writer)
{
    writer->size = 0;
    writer->full = false;
}

static void add(struct packet_writer *writer, const char *bytes, size_t size)
{
    if (size > sizeof writer->data - writer->size) {
        writer->full = true;
        return;
    }
    memcpy(writer->data + writer->size, bytes, size);
    writer->size += size;
}

void packet_text(struct packet_writer *writer, const char *format, ...)
{
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add(writer, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
}

void packet_hex(struct packet_writer *writer, const void *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = ((const uint8_t *)bytes)[i];
        add(writer, (char[]){digits[byte >> 4], digits[byte & 15]}, 2);
    }
}

void packet_binary(struct packet_writer *writer, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char byte = ((const char *)bytes)[i];
        if (byte == '#' || byte == '$' || byte == ESCAPE || byte == '*') {
            add(writer, (char[]){ESCAPE, (char)(byte ^ ESCAPED)}, 2);
        } else {
            add(writer, &byte, 1);
        }
    }
}

size_t packet_frame(const struct packet_writer *writer, char start, char *frame)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t sum = 0;
    for (size_t i = 0; i < writer->size; i++) {
        sum += (uint8_t)writer->data[i];
    }
    frame[0] = start;
    memcpy(frame + 1, writer->data, writer->size);
    char *end = frame + 1 + writer->size;
    end[0] = '#';
    end[1] = digits[sum >> 4];
    end[2] = digits[sum & 15];
    return writer->size + PACKET_FRAME;
}

bool packet_take(const char **text, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0) {
        return false;
    }
    *text += length;
    return true;
}

bool packet_number(const char **text, uint64_t *number)
{
    const char *start = *text;
    *number = 0;
    for (; digit(**text) >= 0; ++*text) {
        if (*text - start == 16) {
            return false;
        }
        *number = *number << 4 | (unsigned)digit(**text);
    }
    return *text != start;
}

bool packet_bytes(const char **text, void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++, *text += 2) {
        int high = digit((*text)[0]), low = high < 0 ? -1 : digit((*text)[1]);
        if (low < 0) {
            return false;
        }
        ((uint8_t *)bytes)[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}
