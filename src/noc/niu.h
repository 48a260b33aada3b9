/* One NIU (NoC interface unit): four request initiators, configuration, counters; plain data. Starting a request turns
   the initiator's registers into a struct noc_request in the tile's outbox, which network.h carries out. A tile has two
   NIUs, one for each NoC, and one outbox for both: requests leave in the order in which they were started. Coordinates
   in a request are raw ones of its NoC: they are translated when the request starts. The registers keep what software
   wrote (docs/discrepancies.md). Sources: ISA documentation NoC/MemoryMap.md, NoC/Counters.md, NoC/Coordinates.md,
   L2CPUTile/TLBWindows.md (strides and exclusion). */
#ifndef BHEMU_NOC_NIU_H
#define BHEMU_NOC_NIU_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"
#include "noc/coordinates.h"
#include "noc/translation.h"
#include "time/timing.h"

enum {
    NIUS = 2,
    NIU_INITIATORS = 4,
    NIU_INITIATOR_REGISTERS = 0x80 / 4,
    NIU_CONFIG_REGISTERS = 0x80 / 4,
    NIU_FENCE_REGISTERS = 0x100 / 4,
    NIU_TRANSACTION_IDS = 16,
    NIU_COUNTERS = 62,
    NOC_OUTBOX_SIZE = 64,
    NOC_KEPT_BYTES = 128,     /* two flits, which an NIU has read within some tens of cycles */
    NOC_PACKET_BYTES = 16384, /* longer reads and writes are split */
    NOC_FLIT_BYTES = 64,
};

enum { MILLI = 1000 };

/* Where an NIU's registers lie, in bytes from its base. */
enum niu_layout {
    NIU_INITIATOR_STRIDE = 0x800,
    NIU_INITIATOR_END = 0x2000,
    NIU_CONFIG = 0x100,
    NIU_CONFIG_END = NIU_CONFIG + 4 * NIU_CONFIG_REGISTERS,
    NIU_COUNTER = 0x200,
    NIU_COUNTER_END = NIU_COUNTER + 4 * NIU_COUNTERS,
    NIU_FENCE = 0x400,
    NIU_FENCE_END = NIU_FENCE + 4 * NIU_FENCE_REGISTERS,
    NIU_PACKET_TAG_BITS = 0xffff, /* implemented bits; the register may hold more */
};

/* Indices of words. */
enum niu_initiator_register {
    NOC_TARG_ADDR_LO,
    NOC_TARG_ADDR_MID,
    NOC_TARG_ADDR_HI,
    NOC_RET_ADDR_LO,
    NOC_RET_ADDR_MID,
    NOC_RET_ADDR_HI,
    NOC_PACKET_TAG,
    NOC_CTRL,
    NOC_AT_LEN_BE,
    NOC_AT_LEN_BE_1,
    NOC_AT_DATA,
    NOC_BRCST_EXCLUDE,
    NOC_L1_ACC_AT_INSTRN,
    NOC_CMD_CTRL = 16,
};

/* NIU_CFG_0, bit 15, of DRAM tiles: what the NoC asks for goes to GDDR (tt-metal drisc_mode.h). */
enum { NIU_AXI_SUBORDINATE = 1 << 15 };

enum niu_config_register {
    NIU_CFG_0,
    ROUTER_CFG_1 = 2,
    ROUTER_CFG_3 = 4,
    NOC_X_ID_TRANSLATE_TABLE = 6,
    NOC_Y_ID_TRANSLATE_TABLE = 12,
    NOC_ID_LOGICAL = 18,
    NOC_ID_TRANSLATE_COL_MASK = 20,
    NOC_ID_TRANSLATE_ROW_MASK = 21,
    DDR_COORD_TRANSLATE_TABLE = 22,
    DDR_COORD_TRANSLATE_COL_SWAP = 28,
    NIU_TRANS_COUNT_RTZ_CFG = 30,
};

/* Those of which there is one for each transaction id, of 8 bits, take as many numbers. */
enum niu_counter {
#define NOC_COUNTER(name, count) name, name##_LAST = name + (count)-1,
#include "noc_counters.def"
#undef NOC_COUNTER
};

enum { NIU_NARROW_COUNTER = 0xff }; /* of those for each transaction id */

/* Counters come in pairs of the same name: posted is the one behind nonposted. */
enum { POSTED = 1 };

/* Coordinates of a tile, or of a rectangle of tiles: then (x, y) is its end. `written` is what software wrote for (x,
   y), x in bits 5:0, y in bits 11:6, and NOC_WRITTEN; for diagnostics. */
struct noc_place {
    uint8_t x, y, start_x, start_y;
    uint16_t written;
};

enum { NOC_COORDINATE_BITS = 6, NOC_COORDINATE = (1 << NOC_COORDINATE_BITS) - 1, NOC_WRITTEN = 1 << 12 };

static inline uint16_t noc_written(unsigned x, unsigned y)
{
    return (uint16_t)(x | y << NOC_COORDINATE_BITS | NOC_WRITTEN);
}

struct niu {
    uint32_t initiator[NIU_INITIATORS][NIU_INITIATOR_REGISTERS]; /* NOC_CMD_CTRL always 0: niu_busy() */
    uint32_t config[NIU_CONFIG_REGISTERS];                       /* from NIU_CFG_0 */
    uint32_t fence[NIU_FENCE_REGISTERS];                         /* security fence configuration */
    uint32_t counter[NIU_COUNTERS];
    uint16_t returned_to_zero;   /* NIU_TRANS_COUNT_RTZ_SOURCE */
    bool linked;                 /* the last request was linked: the next one belongs to the same transaction */
    bool linked_broadcast;       /* what both have to have in common */
    uint32_t linked_destination; /* the coordinates as they left the NIU */
    /* Timed mode, in thousandths of a cycle: when it has sent all requests that were started, and when it has taken the
       last one of each initiator, whose NOC_CMD_CTRL is 1 before. In cycles: when that one was started, and the last
       one of which nobody knew when it would be taken. */
    uint64_t free_at, taken_at[NIU_INITIATORS];
    uint64_t started[NIU_INITIATORS], waits[NIU_INITIATORS];
    struct {
        uint32_t word; /* coordinates, and NIU_TRANSLATED */
        struct noc_place place;
    } translated[2]; /* the last translation of target and return coordinates: a cache */
};

#define NIU_TRANSLATED (1u << 31)

/* Call this after a change of the configuration. */
static inline void niu_configured(struct niu *niu)
{
    niu->translated[0].word = niu->translated[1].word = 0;
}

enum noc_request_kind { NOC_READ, NOC_WRITE, NOC_WRITE_BYTES, NOC_WRITE_INLINE, NOC_ATOMIC };

struct noc_request {
    uint8_t kind; /* enum noc_request_kind */
    uint8_t noc;
    uint8_t transaction_id;
    bool response_marked;
    bool broadcast;      /* the destination is a rectangle */
    bool reserves;       /* a broadcast that reserves its way, and is not linked to the request before it */
    bool keeps;          /* a broadcast that keeps its way for the next request: NOC_CMD_VC_LINKED */
    bool include_source; /* the initiator is one of the recipients if it is in the rectangle */
    bool link;           /* goes to the Ethernet tile's peer instead of over the NoC, */
    bool carried;        /* and has done so */
    bool kept;           /* a write whose data the outbox keeps */
    bool accumulate;     /* the write adds to L1, as `instruction` says */
    uint8_t reader;      /* NOC_WRITE of an overlay stream: its number plus 1, else 0 */
    uint16_t packet_tag;
    struct noc_place target, back; /* NOC_TARG_ADDR, NOC_RET_ADDR */
    uint64_t target_address, back_address;
    uint64_t length;      /* NOC_READ, NOC_WRITE: bytes; NOC_WRITE_BYTES, NOC_WRITE_INLINE: which ones */
    uint32_t data;        /* NOC_AT_DATA */
    uint32_t instruction; /* NOC_ATOMIC: NOC_AT_LEN_BE; else NOC_L1_ACC_AT_INSTRN */
    uint32_t exclude;     /* NOC_BRCST_EXCLUDE */
    uint8_t initiator;    /* of the NIU */
    uint64_t start;       /* timed mode: when it was started */
    struct diagnostic_origin origin;
};

struct noc_outbox {
    uint32_t count, started; /* requests that it holds, and all that it has held until now */
    struct noc_request request[NOC_OUTBOX_SIZE];
    uint8_t kept[NOC_OUTBOX_SIZE][NOC_KEPT_BYTES]; /* payloads_keep_short() */
};

/* Puts an NIU into the state in which firmware leaves it: translation on, broadcasts for Tensix tiles only.
   x, y: NoC 0 coordinates of the tile. Everything but the configuration stays. */
void niu_reset(struct niu *niu, unsigned noc, unsigned x, unsigned y, const struct noc_translation *translation);

/* The coordinates that (x, y) in NOC_TARG_ADDR_HI or NOC_RET_ADDR_HI stand for: raw coordinates of the NIU's NoC. */
void niu_translate(const struct niu *niu, unsigned x, unsigned y, uint8_t *raw_x, uint8_t *raw_y);

/* Starts the request in an initiator's registers: a write of 1 to NOC_CMD_CTRL at `now`. STEP_WAIT: the outbox is full.
 */
enum step niu_start(struct niu *niu, struct noc_outbox *outbox, unsigned noc, unsigned initiator, uint64_t now,
                    struct diagnostics *diagnostics);

/* Timed mode: the NIU takes the request that was started last when those before it are sent. */
void niu_take(struct niu *niu, const struct noc_outbox *outbox);

/* Timed mode: whether NOC_CMD_CTRL of an initiator is 1 at `now`: shortly beyond when the NIU takes its request. */
static inline bool niu_busy(const struct niu *niu, unsigned initiator, uint64_t now)
{
    return niu->taken_at[initiator] && niu->taken_at[initiator] + TIMING_NOC_READY * MILLI > now * MILLI;
}

#define NIU_UNKNOWN (UINT64_MAX / 2) /* when the network takes a request */

/* Timed mode: the network takes the request no earlier, and is done with it at `free_at`. Its initiator may have
   started another one since. */
void niu_hold(struct niu *niu, const struct noc_request *request, uint64_t taken_at, uint64_t free_at);

/* The same, and it was not known when. */
void niu_taken(struct niu *niu, const struct noc_request *request, uint64_t taken_at, uint64_t free_at);

/* Puts a request that no initiator started into the outbox, which has to have room. */
void niu_post(struct niu *niu, struct noc_outbox *outbox, const struct noc_request *request);

/* Adds to a counter, which wraps around at its width. */
static inline void niu_count(struct niu *niu, unsigned counter, uint32_t amount)
{
    bool narrow = counter >= NIU_MST_REQS_OUTSTANDING_ID && counter < NIU_SLV_ATOMIC_RESP_SENT;
    niu->counter[counter] = (niu->counter[counter] + amount) & (narrow ? NIU_NARROW_COUNTER : UINT32_MAX);
}

/* A transaction with this ID has ended: decrements NIU_MST_REQS_OUTSTANDING_ID(id). */
void niu_complete(struct niu *niu, unsigned transaction_id);

/* NOC_CLEAR_OUTSTANDING_REQ_CNT. */
void niu_clear_outstanding(struct niu *niu, uint32_t mask);

/* Reads NIU_TRANS_COUNT_RTZ_NUM, with its side effect. */
uint32_t niu_returned_to_zero_number(struct niu *niu);

/* How many packets a read or write of `length` bytes takes, and how many flits of data that many bytes take. */
uint32_t noc_packets(uint64_t length);
uint32_t noc_flits(uint64_t length);

/* Timed mode, in thousandths of a cycle: how long a packet of so many flits keeps the NIU that sends it. */
uint64_t noc_sending(uint32_t flits);

#endif
