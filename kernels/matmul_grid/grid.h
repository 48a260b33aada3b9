/* matmul_grid: output = input_a x input_b, tensors of tiles that are interleaved in DRAM, on a grid of Tensix tiles.
   Each makes `rows` x `columns` tiles of the output, as matmul128 does, whose programs run on T0-T2. What a tile needs
   of A is what the whole row of the grid needs, and what it needs of B the whole column: the first tile of each row and
   column reads it from DRAM and broadcasts it. B moves A over NoC 0, NC moves B and the output over NoC 1.

   The circular buffers of a row (column) go in step. A receiver makes room and counts itself in at the sender; the
   sender waits for all of them, broadcasts the tiles, and then how many broadcasts there were. */
#ifndef BHEMU_KERNELS_GRID_H
#define BHEMU_KERNELS_GRID_H

#include "interleaved.h"
#include "matmul128/blocks.h"

/* Behind struct arguments, whose addresses are those of tensors in DRAM here. */
#define GRID_ARGUMENTS (LAYOUT_ARGUMENTS + 0x40)

struct grid_arguments {
    uint32_t top_left, bottom_right; /* of the grid: x | y << 6 */
    uint32_t columns, rows;          /* of the grid */
    uint32_t column, row;            /* of this tile: 0, 1, ... */
};

/* Words in L1, each in 16 bytes of its own; the host leaves zeroes. */
enum grid_word {
    READY = LAYOUT_ARGUMENTS + 0x100, /* how many times receivers had room */
    SENT = READY + 0x10,              /* how many broadcasts there were */
    OLD = SENT + 0x10,                /* what an increment returns */
};

/* One operand on its way to this tile and, if it is a sender, to others. */
struct operand {
    struct noc noc;
    struct circular_buffer buffer;
    uint32_t words;  /* added to the addresses of grid words */
    uint32_t sender; /* the tile that sends: x | y << 6 */
    uint32_t others; /* the rectangle of the others of the row or column */
    uint32_t count;  /* how many they are */
    uint32_t steps;  /* taken so far */
};

enum { OPERAND_WORDS = 0x40 }; /* between those of A and of B */

static inline struct grid_arguments grid_arguments(void)
{
    return *(const volatile struct grid_arguments *)GRID_ARGUMENTS;
}

static inline volatile uint32_t *operand_word(const struct operand *operand, enum grid_word word)
{
    return (volatile uint32_t *)(operand->words + word);
}

static inline struct operand operand_open(uint32_t noc, struct circular_buffer buffer, uint32_t first, uint32_t last,
                                          uint32_t count)
{
    struct operand operand = {.noc = noc_open(noc), .buffer = buffer, .words = noc * OPERAND_WORDS, .sender = first};
    operand.others = noc_rectangle(noc, first, last);
    operand.count = count - 1;
    return operand;
}

static inline void operand_receive(struct operand *operand)
{
    noc_increment(&operand->noc, (struct noc_place){operand->sender, operand->words + READY}, 1, operand->words + OLD);
    while (load_shared(operand_word(operand, SENT)) != operand->steps) {
    }
}

/* The tiles are in the buffer, or soon will be. */
static inline void operand_send(struct operand *operand, uint32_t tiles)
{
    struct noc *noc = &operand->noc;
    uint32_t address = tile_address(&operand->buffer, 0);
    noc_wait(noc, NOC_RD_RESP_RECEIVED);
    if (operand->count == 0) {
        return;
    }
    while (load_shared(operand_word(operand, READY)) != operand->steps * operand->count) {
    }
    noc_broadcast(noc, address, (struct noc_place){operand->others, address}, tiles * TILE_SIZE, operand->count);
    /* The word must stay until it is read. */
    noc_wait(noc, NOC_WR_ACK_RECEIVED);
    *operand_word(operand, SENT) = operand->steps;
    (void)load_shared(operand_word(operand, SENT));
    noc_broadcast(noc, operand->words + SENT, (struct noc_place){operand->others, operand->words + SENT}, 4,
                  operand->count);
}

/* One step's tiles of the operand: `tiles` of the tensor in DRAM, from `first` on, `stride` apart. */
static inline void operand_step(struct operand *operand, uint32_t tensor, uint32_t first, uint32_t stride,
                                uint32_t tiles)
{
    reserve_back(&operand->buffer, tiles);
    operand->steps++;
    if (operand->sender == operand->noc.self) {
        for (uint32_t i = 0; i < tiles; i++) {
            noc_read(&operand->noc, interleaved_tile(tensor, first + i * stride), tile_address(&operand->buffer, i),
                     TILE_SIZE);
        }
        operand_send(operand, tiles);
    } else {
        operand_receive(operand);
    }
    push_back(&operand->buffer, tiles);
}

static inline void operand_close(struct operand *operand)
{
    noc_wait(&operand->noc, NOC_WR_ACK_RECEIVED);
    noc_wait(&operand->noc, NOC_ATOMIC_RESP_RECEIVED);
}

#endif
