/* Packets of GDB's remote protocol: `$`, the payload, `#` and two digits of checksum. In a payload `}` escapes the next
   byte, whose bit 5 is flipped. Run-length encoding, which only servers may use, is not used. */
#ifndef BHEMU_GDB_PACKET_H
#define BHEMU_GDB_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACKET_SIZE = 0x4000 }; /* bytes of a payload: what is said to gdb as PacketSize */

enum packet_event {
    PACKET_NOTHING,   /* more bytes are to come */
    PACKET_WHOLE,     /* `data` is a payload */
    PACKET_WRONG,     /* the checksum is wrong, or the packet too long */
    PACKET_ACK,       /* + */
    PACKET_NACK,      /* -: the last packet is to be sent again */
    PACKET_INTERRUPT, /* the byte 3, outside of packets: stop the program */
};

struct packet_reader {
    enum { PACKET_OUTSIDE, PACKET_INSIDE, PACKET_FIRST_DIGIT, PACKET_SECOND_DIGIT } state;
    bool escaped, bad;
    uint8_t sum, given;
    size_t size;
    char data[PACKET_SIZE + 1]; /* a zero follows the payload, which may have others */
};

enum packet_event packet_read(struct packet_reader *reader, uint8_t byte);

/* What is to be sent: a payload that is put together, and framed as a whole. What does not fit is left out, and
   `full` set. */
struct packet_writer {
    size_t size;
    bool full;
    char data[PACKET_SIZE];
};

void packet_begin(struct packet_writer *writer);
void packet_text(struct packet_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void packet_hex(struct packet_writer *writer, const void *bytes, size_t size);
void packet_binary(struct packet_writer *writer, const void *bytes, size_t size); /* escaped */

/* The packet with `start`, $ or for notifications %, and its checksum. Returns its size: at most that of the payload
   and PACKET_FRAME. */
enum { PACKET_FRAME = 4 };
size_t packet_frame(const struct packet_writer *writer, char start, char *frame);

/* Parsing of payloads. `*text` moves on behind what was read. */
bool packet_take(const char **text, const char *word);          /* this word */
bool packet_number(const char **text, uint64_t *number);        /* up to 16 hexadecimal digits, at least one */
bool packet_bytes(const char **text, void *bytes, size_t size); /* two digits each */

#endif
