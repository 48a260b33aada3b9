/* Frames as the TX header table of an Ethernet tile makes them. An entry is 0x80 bytes of registers. Source:
   chip/ethernet/frames.c. */
#ifndef BHEMU_CHIP_ETHERNET_FRAMES_H
#define BHEMU_CHIP_ETHERNET_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

enum {
    ETHERNET_MAC_HEADER = 14,
    ETHERNET_MOST_HEADERS = ETHERNET_MAC_HEADER + 2 * 4 + 40 + 20,
    ETHERNET_MOST_FRAME = 16380,
};

/* The error in a header table entry, or null; whether the entry requests an RoCE iCRC, which is not emulated. */
const char *ethernet_header_wrong(const uint32_t *entry);
bool ethernet_header_unsupported(const uint32_t *entry);

/* Writes headers and payload; `frame` has room for size + ETHERNET_MOST_HEADERS bytes. Returns the frame's size. */
uint32_t ethernet_frame(const uint32_t *entry, const uint8_t *payload, uint32_t size, uint8_t *frame);

#endif
