/* A circular buffer of tiles in L1 between one producer and one consumer, each a core or the coprocessor thread that it
   drives. How many tiles were ever pushed and popped, modulo 2^16, are two registers of an overlay stream that carries
   no traffic; each side writes one of them and polls the other.

     producer: reserve_back(n) until there is room; write at tile_address(0 to n - 1); push_back(n)
     consumer: wait_front(n) until they are there; read at tile_address(0 to n - 1); pop_front(n)

   A block must not wrap: the capacity is a multiple of every n that is used.
   Source: ISA documentation NoC/Overlay/README.md (stream registers), STOREREG.md. */
#ifndef BHEMU_KERNELS_CIRCULAR_BUFFER_H
#define BHEMU_KERNELS_CIRCULAR_BUFFER_H

#include "arguments.h"
#include "sync.h"

/* One side of a buffer; each side has a struct of its own, with position and count 0 in the beginning. */
struct circular_buffer {
    uint32_t stream;   /* whose registers count: of 64, one that nothing else uses; credits.h uses 5 */
    uint32_t address;  /* of its first tile, in bytes */
    uint32_t capacity; /* tiles */
    uint32_t position; /* this side's next tile, below capacity */
    uint32_t count;    /* this side's own counter */
};

/* The registers of a stream that serve as counters. */
enum { STREAM_POPPED = 8, STREAM_PUSHED = 10 };
#define STREAM_REGISTER(stream, index) (STREAM_REGISTERS + (stream)*0x1000 + (index)*4)

static inline volatile uint32_t *stream_register(uint32_t stream, uint32_t index)
{
    return (volatile uint32_t *)STREAM_REGISTER(stream, index);
}

/* Sets both counters to 0: by whoever starts the kernel, before either side runs. */
static inline void circular_buffer_reset(uint32_t stream)
{
    *stream_register(stream, STREAM_POPPED) = 0;
    *stream_register(stream, STREAM_PUSHED) = 0;
    load_complete(stream_register(stream, STREAM_PUSHED));
}

/* Waits, in the core, until the buffer has so many tiles that were not popped. */
static inline void wait_front(const struct circular_buffer *buffer, uint32_t tiles)
{
    while (((load_complete(stream_register(buffer->stream, STREAM_PUSHED)) - buffer->count) & 0xffff) < tiles) {
    }
}

/* Waits, in the core, until the buffer has room for so many tiles. */
static inline void reserve_back(const struct circular_buffer *buffer, uint32_t tiles)
{
    uint32_t used;
    do {
        used = (buffer->count - load_complete(stream_register(buffer->stream, STREAM_POPPED))) & 0xffff;
    } while (buffer->capacity - used < tiles);
}

/* Where in L1 the index-th tile of the block is, in bytes: of those that wait_front() waited for, or of the room that
   reserve_back() waited for. */
static inline uint32_t tile_address(const struct circular_buffer *buffer, uint32_t index)
{
    return buffer->address + (buffer->position + index) * TILE_SIZE;
}

/* What push_back() and pop_front() do to this side's own position and count. */
static inline void circular_buffer_advance(struct circular_buffer *buffer, uint32_t tiles)
{
    buffer->count = (buffer->count + tiles) & 0xffff;
    buffer->position += tiles;
    if (buffer->position >= buffer->capacity) {
        buffer->position = 0;
    }
}

/* Gives the room of so many tiles back: by a core that read them itself, or whose NoC transfers have read them. */
static inline void pop_front(struct circular_buffer *buffer, uint32_t tiles)
{
    circular_buffer_advance(buffer, tiles);
    *stream_register(buffer->stream, STREAM_POPPED) = buffer->count;
}

/* Hands over so many tiles: by a core that wrote them itself, or whose NoC transfers have. Stores to L1 must have been
   performed (see copy_tile()), and reads over the NoC have ended (noc_wait()). */
static inline void push_back(struct circular_buffer *buffer, uint32_t tiles)
{
    circular_buffer_advance(buffer, tiles);
    *stream_register(buffer->stream, STREAM_PUSHED) = buffer->count;
}

/* The GPR that carries the count of the macros below. */
enum { GPR_BUFFER_COUNT = 30 };

/* pop_front() by the coprocessor, once the thread's unpackers are done with the tiles: the core does not wait.
   of_stream is the buffer's stream, as a constant. */
#define POP_FRONT_AFTER_UNPACK(buffer, of_stream, tiles)                                                               \
    do {                                                                                                               \
        circular_buffer_advance(buffer, tiles);                                                                        \
        gpr_set(GPR_BUFFER_COUNT, (buffer)->count);                                                                    \
        TTI_STALLWAIT(BLOCK_SCALAR, WAIT_UNPACKERS);                                                                   \
        TTI_STOREREG(GPR_BUFFER_COUNT, STREAM_REGISTER(of_stream, STREAM_POPPED) >> 2 & 0x3ffff);                      \
    } while (0)

/* push_back() by the coprocessor, once the thread's packer has written the tiles. */
#define PUSH_BACK_AFTER_PACK(buffer, of_stream, tiles)                                                                 \
    do {                                                                                                               \
        circular_buffer_advance(buffer, tiles);                                                                        \
        gpr_set(GPR_BUFFER_COUNT, (buffer)->count);                                                                    \
        TTI_STALLWAIT(BLOCK_SCALAR, WAIT_PACKER);                                                                      \
        TTI_STOREREG(GPR_BUFFER_COUNT, STREAM_REGISTER(of_stream, STREAM_PUSHED) >> 2 & 0x3ffff);                      \
    } while (0)

/* Copies one tile with the core's own loads and stores; returns when L1 has it. */
static inline void copy_tile(uint32_t to, uint32_t from)
{
    volatile uint32_t *destination = (volatile uint32_t *)to;
    const volatile uint32_t *source = (const volatile uint32_t *)from;
    __asm__ volatile("fence" : : : "memory");
    for (uint32_t i = 0; i < TILE_SIZE / 4; i += 4) {
        uint32_t a = source[i], b = source[i + 1], c = source[i + 2], d = source[i + 3];
        destination[i] = a;
        destination[i + 1] = b;
        destination[i + 2] = c;
        destination[i + 3] = d;
    }
    load_shared(&destination[TILE_SIZE / 4 - 1]);
}

#endif
