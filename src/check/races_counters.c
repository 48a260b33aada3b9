/* racecheck: address counters. Each thread has a set for each unpacker and for the packer; instructions of other
   threads may name it. They are read and changed as an instruction leaves the wait gate, so that a thread's own
   instructions are in order (ISA documentation ADCs.md, UNPACR_Regular.md, PACR.md). */
#include "check/order.h"
#include "isa/tensix_isa.h"
#include "util/bits.h"

/* Counters of a set, one bit for each; those of channel 1 are CHANNEL_1 bits further. */
enum { X = 1, Y = 2, Z = 4, W = 8, CHANNEL_1 = 4, XYZW = 15 };
enum { PACKER = 2 };

static void touch(struct bh_check *check, struct check_tile *tile, const struct bh_event *event, unsigned owner,
                  unsigned unit, uint32_t counters, bool write)
{
    unsigned thread = event->index % CHECK_THREADS;
    const struct check_actor actor = {.tile = tile->number,
                                      .part = (uint8_t)(PART_THREAD + thread),
                                      .step = tile->steps[PART_THREAD + thread],
                                      .place = check_place_of(check, event),
                                      .view = &tile->thread[thread].view};
    if (counters && owner < CHECK_THREADS) {
        races_touch(
            check, &tile->counters[owner][unit],
            &(struct check_race){.tile = tile->number, .object = OBJECT_COUNTERS, .number = owner, .index = unit},
            &actor, counters, write);
    }
}

/* An instruction of the miscellaneous unit. `thread_override`: 0, or the number of a thread plus one. */
static void change(struct bh_check *check, struct check_tile *tile, const struct bh_event *event, uint32_t units,
                   uint32_t thread_override, uint32_t counters)
{
    unsigned owner = thread_override ? thread_override - 1 : event->index % CHECK_THREADS;
    for (unsigned unit = 0; unit < CHECK_COUNTERS; unit++) {
        if (units >> unit & 1) {
            touch(check, tile, event, owner, unit, counters, true);
        }
    }
}

/* BitMask has a bit for the first and the second counter of each channel. */
static uint32_t of_mask(uint32_t mask, uint32_t first)
{
    return (mask & 3) * first | (mask >> 2 & 3) * first << CHANNEL_1;
}

static void unpack(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    struct args_UNPACR args = decode_UNPACR(event->instruction);
    unsigned unit = args.Unpack_block_selection & 1, own = event->index % CHECK_THREADS;
    unsigned named = args.OvrdThreadId && args.AddrCntContextId < CHECK_THREADS ? args.AddrCntContextId : own;
    uint32_t steps = (bits_get(args.AddrMode, 0, 2) ? Z : 0) | (bits_get(args.AddrMode, 2, 2) ? Y : 0) |
                     (bits_get(args.AddrMode, 4, 2) ? Z << CHANNEL_1 : 0) |
                     (bits_get(args.AddrMode, 6, 2) ? Y << CHANNEL_1 : 0);
    if (args.CfgContextCntInc || args.SearchCacheFlush) {
        return;
    }
    touch(check, tile, event, named, unit, X | Y | X << CHANNEL_1, false);
    touch(check, tile, event, own, unit, Z | W | (Y | Z | W) << CHANNEL_1, false);
    touch(check, tile, event, own, unit, steps, true);
    if (named != own) {
        touch(check, tile, event, named, unit, steps, true);
    }
}

static void pack(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    struct args_PACR args = decode_PACR(event->instruction);
    unsigned owner =
        !args.OvrdThreadId ? event->index % CHECK_THREADS : args.AddrCntContext % CHECK_THREADS; /* 3: T0 */
    touch(check, tile, event, owner, PACKER, XYZW | XYZW << CHANNEL_1, false);
    if (owner != event->index % CHECK_THREADS) { /* ADDR_MOD_PACK says what it adds */
        touch(check, tile, event, owner, PACKER, (Y | Z) | (Y | Z) << CHANNEL_1, true);
    }
}

void races_counters(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    uint32_t word = event->instruction;
    switch (word >> 24) {
    case TENSIX_OPCODE_SETADC: {
        struct args_SETADC args = decode_SETADC(word);
        uint32_t counter = 1u << (args.DimensionIndex & 3) << (args.ChannelIndex ? CHANNEL_1 : 0);
        change(check, tile, event, args.CntSetMask, args.Value >> 16, counter);
        break;
    }
    case TENSIX_OPCODE_SETADCXX:
        change(check, tile, event, decode_SETADCXX(word).CntSetMask, 0, X | X << CHANNEL_1);
        break;
#define CHANGES(name, first, mask)                                                                                     \
    case TENSIX_OPCODE_##name: {                                                                                       \
        struct args_##name args = decode_##name(word);                                                                 \
        change(check, tile, event, args.CntSetMask, args.ThreadOverride, of_mask(mask, first));                        \
        break;                                                                                                         \
    }
        CHANGES(SETADCXY, X, args.BitMask)
        CHANGES(SETADCZW, Z, args.BitMask)
        CHANGES(ADDRCRXY, X, args.BitMask)
        CHANGES(ADDRCRZW, Z, args.BitMask)
        CHANGES(INCADCXY, X,
                (args.Ch0_X != 0) | (args.Ch0_Y != 0) << 1 | (args.Ch1_X != 0) << 2 | (args.Ch1_Y != 0) << 3)
        CHANGES(INCADCZW, Z,
                (args.Ch0_X != 0) | (args.Ch0_Y != 0) << 1 | (args.Ch1_X != 0) << 2 | (args.Ch1_Y != 0) << 3)
#undef CHANGES
    case TENSIX_OPCODE_UNPACR: unpack(check, tile, event); break;
    case TENSIX_OPCODE_PACR: pack(check, tile, event); break;
    default: break;
    }
}
