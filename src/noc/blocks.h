/* Memory of packets under way and of their data, kept for those that come next. The C library gives what is longer than
   a KiB back to the kernel as soon as it is free, and page faults then take most of the time of writes (bench row
   write_l1_2k in timed mode). A tile's blocks belong to its turn, and to the device between turns. */
#ifndef BHEMU_NOC_BLOCKS_H
#define BHEMU_NOC_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

/* The last class has room for a packet of NOC_PACKET_BYTES. */
enum { BLOCK_CLASSES = 7, BLOCKS_KEPT = 16 };

struct noc_block;

/* All zeroes: none is kept. */
struct noc_blocks {
    struct noc_block *spare[BLOCK_CLASSES];
    uint8_t kept[BLOCK_CLASSES]; /* how many of each class, at most BLOCKS_KEPT */
};

/* Memory of so many bytes, aligned as malloc() aligns. `blocks` may be null: nothing is kept then. Null: there is none.
 */
void *blocks_take(struct noc_blocks *blocks, size_t size);

/* Memory that blocks_take() returned, of these blocks or of others. It may be null. */
void blocks_give(struct noc_blocks *blocks, void *memory);

/* Frees what is kept. */
void blocks_clear(struct noc_blocks *blocks);

#endif
