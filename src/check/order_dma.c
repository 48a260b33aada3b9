/* Copies that the core of a DRAM tile has the tile's DMA engine make between GDDR and its L1. Reads and writes of a
   stream each end in the order in which they were started, and are steps of a part of their own, which know what the
   core knows when it starts them. A core that finds fewer under way in the status of a stream, or none in that of all
   streams, knows that the others are done. Sources: tt-metal gddr_dma.h; tables/gddr_dma.def. */
#include <string.h>

#include "check/order.h"

enum { STREAM_STRIDE = 0x100 };
#define STREAMS 0xfc000000u
#define CONTROL 0xfc001000u

enum {
#define GDDR_DMA_STREAM(offset, name, kind, reset) STREAM_##name = (offset),
#define GDDR_DMA_CONTROL(offset, name, kind, reset) CONTROL_##name = (offset),
#include "gddr_dma.def"
};

enum { READ, WRITE };

static unsigned part_of(unsigned stream, unsigned way)
{
    return PART_DMA + 2 * stream + way;
}

static void start(struct bh_check *check, struct check_tile *tile, unsigned core, const struct bh_event *event,
                  unsigned part)
{
    uint32_t step = ++tile->steps[part];
    tile->dma_place[part - PART_DMA][step % CHECK_COPIES] = check_place_of(check, event);
    order_tell(check, tile, &tile->unit[part], &tile->core[core].view, PART_CORE + core);
}

static void learn_ended(struct bh_check *check, struct check_tile *tile, unsigned core, unsigned part, uint32_t count)
{
    uint32_t steps = tile->steps[part];
    learn_step(check, &tile->core[core].view, tile->number, part, steps > count ? steps - count : 0);
}

static void stream(struct bh_check *check, struct check_tile *tile, unsigned core, const struct bh_event *event)
{
    uint32_t value, offset = (uint32_t)event->access.address - STREAMS, number = offset / STREAM_STRIDE;
    memcpy(&value, event->access.data, sizeof value);
    switch (offset % STREAM_STRIDE) {
    case STREAM_TRANSFER_ATTRIBUTES:
        for (unsigned way = READ; event->access.write && way <= WRITE; way++) {
            if (value & (way == READ ? 1u << 31 : 1u << 28)) {
                start(check, tile, core, event, part_of(number, way));
            }
        }
        break;
    case STREAM_STATUS:
        learn_ended(check, tile, core, part_of(number, READ), value >> 8 & 0xff);
        learn_ended(check, tile, core, part_of(number, WRITE), value >> 28);
        break;
    default: break;
    }
}

static void control(struct bh_check *check, struct check_tile *tile, unsigned core, const struct bh_event *event)
{
    enum { BUSY = 1 << 1 };
    uint32_t value, offset = (uint32_t)event->access.address - CONTROL;
    memcpy(&value, event->access.data, sizeof value);
    if ((offset == CONTROL_TX_READ_STATUS || offset == CONTROL_TX_WRITE_STATUS) && !(value & BUSY)) {
        for (unsigned number = 0; number < CHECK_DMA_STREAMS; number++) {
            learn_ended(check, tile, core, part_of(number, offset == CONTROL_TX_READ_STATUS ? READ : WRITE), 0);
        }
    }
}

void order_dma(struct bh_check *check, struct check_tile *tile, unsigned core, const struct bh_event *event)
{
    if (event->access.data == NULL || event->access.size != sizeof(uint32_t)) {
        return;
    }
    if (event->access.address - STREAMS < (uint64_t)CHECK_DMA_STREAMS * STREAM_STRIDE) {
        stream(check, tile, core, event);
    } else if (event->access.address - CONTROL < STREAM_STRIDE) {
        control(check, tile, core, event);
    }
}

/* Of each copy the engine reads first, then it writes. */
void order_dma_actor(struct check_tile *tile, const struct bh_event *event, struct check_actor *actor)
{
    bool is_write = (event->access.space == BH_SPACE_DRAM) == event->access.write;
    unsigned part = part_of(event->index % CHECK_DMA_STREAMS, is_write ? WRITE : READ);
    uint32_t *copied = &tile->copied[part - PART_DMA], step = *copied + 1;
    *copied += event->access.write;
    actor->part = (uint8_t)part;
    actor->step = step;
    actor->view = &tile->unit[part];
    actor->place = tile->dma_place[part - PART_DMA][step % CHECK_COPIES];
}
