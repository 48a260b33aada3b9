/* An overlay stream between software and software: messages that a core or the coprocessor pushes and another pulls, in
   one phase of a known number of messages. No packet leaves the tile; what moves are the stream's message metadata
   FIFO, its L1 read complete FIFO, and the pointers of its receive buffer.

   The stream's MISC_CFG has SOURCE_ENDPOINT and RECEIVER_ENDPOINT set, and nothing remote or local. PHASE_ADVANCE
   starts the phase whose number of messages PHASE_AUTO_CFG_HEADER holds; it ends when they all have been pulled and
   their data given back. Lengths and addresses are in units of 16 bytes. Sources: ISA documentation
   NoC/Overlay/ReceiveFromSoftware.md, TransmitToSoftware.md, README.md. */
#ifndef BHEMU_TILE_OVERLAY_MESSAGES_H
#define BHEMU_TILE_OVERLAY_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"

enum { STREAM_MESSAGES = 16 }; /* of each FIFO; docs/discrepancies.md */

struct stream_messages {
    bool forwarding;      /* MSG_FWD_ONGOING: a phase is under way */
    uint16_t expected;    /* messages of the phase that have not been pushed yet */
    uint8_t first, count; /* the message metadata FIFO: pushed, not pulled yet */
    uint16_t length[STREAM_MESSAGES];
    uint8_t first_read, reads; /* the L1 read complete FIFO: pulled, data not given back yet */
    uint32_t read_length[STREAM_MESSAGES];
    uint32_t in_flight; /* of the receive buffer, taken up by both */
};

/* What a stream is handed: its registers, and whom to tell. */
struct stream {
    uint32_t *words; /* by register index */
    struct stream_messages *messages;
    struct diagnostics *diagnostics;
    unsigned number;
};

/* Stores to the registers of these names. Misuse is a diagnostic and changes nothing. */
enum step stream_phase_advance(const struct stream *stream);
enum step stream_new_msg_info(const struct stream *stream, uint32_t value);
enum step stream_msg_info_clear(const struct stream *stream, uint32_t value);
enum step stream_msg_data_clear(const struct stream *stream);

/* BUF_SPACE_AVAILABLE. */
uint32_t stream_buf_space_available(const struct stream *stream);

/* Whether one more message can be pushed, as far as the FIFO's room goes. */
bool stream_has_room(const struct stream *stream);

#endif
