/* What a request does at the tiles that it reaches, one step at a time: bytes, counters, what observers are told.
   In functional mode carry.c does all steps of a request at once; in timed mode packet.c does each at its time.
   Sources: ISA documentation NoC/MemoryMap.md, NoC/Counters.md, NoC/Atomics.md. */
#ifndef BHEMU_NOC_EFFECTS_H
#define BHEMU_NOC_EFFECTS_H

#include <string.h>

#include "memory/l1.h"
#include "noc/observe.h"

enum {
    BYTE_ENABLES = 64,  /* bytes that a write with byte enables reaches */
    REGISTER_BYTES = 4, /* of a transfer from or to a register */
    HEADER_BYTES = 16,  /* that NOC_PACKET_TAG_HEADER_STORE stores */
    TAG_HEADER_STORE = 1 << 9,
    TAG_DELIVER_TO_OVERLAY = 1 << 6,
    WRITE_ALIGNMENT = 0xf, /* low bits in which source and destination of a write are the same */
};

/* Which bytes of the request a packet has. */
struct extent {
    uint64_t offset;
    uint32_t size;
};

/* A packet of a write: a pointer to its bytes at the source, or a copy of them. */
struct packet {
    uint64_t done; /* bytes of the request before it */
    uint32_t size;
    const uint8_t *data;
};

/* The host's pointer to an endpoint's bytes, if the access only copies them; else null. */
static inline uint8_t *bytes_at(const struct noc_endpoint *endpoint, bool write, uint64_t address, uint32_t size)
{
    return endpoint->bytes ? endpoint->bytes(endpoint->context, write, address, size) : NULL;
}

/* Writes bytes, by a plain copy where that is enough. */
static inline enum step put(const struct journey *journey, struct noc_endpoint *endpoint, uint64_t address,
                            const void *data, uint32_t size)
{
    uint8_t *place = bytes_at(endpoint, true, address, size);
    if (!place) {
        return journey_write(journey, endpoint, address, data, size);
    }
    memcpy(place, data, size);
    if (endpoint->l1) {
        l1_written(endpoint->l1, (uint32_t)address, size);
    }
    journey_accessed(journey, endpoint, true, address, size, place);
    return STEP_DONE;
}

/* Reads bytes, by a plain copy where that is enough. */
static inline enum step get(const struct journey *journey, struct noc_endpoint *endpoint, uint64_t address, void *data,
                            uint32_t size)
{
    const uint8_t *place = bytes_at(endpoint, false, address, size);
    if (!place) {
        return journey_read(journey, endpoint, address, data, size);
    }
    memcpy(data, place, size);
    journey_accessed(journey, endpoint, false, address, size, place);
    return STEP_DONE;
}

/* Writes contiguous bytes, or adds them to L1 (NOC_CMD_L1_ACC_AT_EN). */
enum step effect_deliver(const struct journey *journey, struct noc_endpoint *endpoint, uint64_t address,
                         const uint8_t *data, uint32_t size);

/* Alignment and sizes of a read or write. */
enum step effect_check_transfer(const struct journey *journey, const struct noc_endpoint *source, uint64_t from,
                                const struct noc_endpoint *destination, uint64_t to, uint64_t size, unsigned alignment);

/* The arrival of a response, which `counter` counts. */
void effect_acknowledge(const struct journey *journey, const struct noc_endpoint *to, unsigned counter,
                        struct extent extent);

/* Reads: a packet has been read at its source; its data are in place at the destination. */
void effect_read_served(const struct journey *journey, const struct noc_endpoint *source, struct extent extent);
void effect_read_returned(const struct journey *journey, const struct noc_endpoint *destination, struct extent extent);

/* Writes: a packet has left; has arrived; the acknowledgement has come back, if one was asked for. */
void effect_write_sent(const struct journey *journey, uint32_t flits);
void effect_write_arrived(const struct journey *journey, const struct noc_endpoint *endpoint, struct extent extent);
void effect_write_acknowledged(const struct journey *journey, const struct noc_endpoint *to, struct extent extent);

/* Puts the data of a packet in place, and, NOC_PACKET_TAG_HEADER_STORE, its header. */
enum step effect_write_packet(const struct journey *journey, struct noc_endpoint *endpoint,
                              const struct packet *packet);

/* DeliverToReceiverOverlay: tells the receiver's stream of a packet whose data are in place. */
enum step effect_tell_overlay(const struct journey *journey, const struct noc_endpoint *endpoint, uint64_t done,
                              uint32_t size);

/* The bytes that a write reads in L1 of its initiator: of one with byte enables those that it may need. */
struct noc_source {
    uint64_t address;
    uint32_t size;
};

struct noc_source noc_source_of(const struct noc_request *request);

/* Writes with byte enables. The data come from the initiator: those of a register, or the 64 bytes around the address,
   as they are or, from noc_source_of() on, as they were kept; what is written there is `extent` bytes. */
enum step effect_read_enabled(const struct journey *journey, bool to_register, const uint8_t *kept,
                              uint8_t data[BYTE_ENABLES]);
enum step effect_write_enabled(const struct journey *journey, struct noc_endpoint *endpoint, bool to_register,
                               const uint8_t data[BYTE_ENABLES]);
struct extent effect_enabled_extent(const struct journey *journey, bool to_register);

/* Inline writes. Byte enables choose among the 16 bytes around an L1 address; a register is written whole. */
enum step effect_write_inline(const struct journey *journey, struct noc_endpoint *endpoint);

/* Atomics: whether the place is one for them, and that of the result one for it, which may be memory of a DRAM tile
   where the policy lets it; the operation, which leaves the previous word in *result; it is counted where it is sent
   and where it arrives; the result comes back. */
enum step effect_check_atomic(const struct journey *journey, const struct noc_endpoint *endpoint, const char *what,
                              uint64_t address);
enum step effect_check_returned(const struct journey *journey, const struct noc_endpoint *back);
void effect_atomic_sent(const struct journey *journey);
enum step effect_operate(const struct journey *journey, struct noc_endpoint *endpoint, uint32_t *result);
void effect_atomic_arrived(const struct journey *journey, const struct noc_endpoint *endpoint);
enum step effect_atomic_returned(const struct journey *journey, struct noc_endpoint *back, uint32_t result);

#endif
