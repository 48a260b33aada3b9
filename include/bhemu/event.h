/* The events that observers (bhemu/observer.h) receive. */
#ifndef BHEMU_EVENT_H
#define BHEMU_EVENT_H

#include <stdint.h>

#include "bhemu/api.h"
#include "bhemu/diagnostic.h"

#ifdef __cplusplus
extern "C" {
#endif

enum bh_event_kind {
    BH_EVENT_ISSUED,      /* a core begins an instruction; an instruction of a Tensix thread leaves the wait gate */
    BH_EVENT_RETIRED,     /* it was executed. A jump to itself, at which a core ends, never retires */
    BH_EVENT_REGISTER,    /* `reg`: it has changed a register; before it retires */
    BH_EVENT_ACCESS,      /* `access`: memory, or a register that has an address, was read or written */
    BH_EVENT_WAIT_BEGAN,  /* `wait`: the instruction can not execute now */
    BH_EVENT_WAIT_ENDED,  /* `wait`: this reason has ended */
    BH_EVENT_SEMAPHORE,   /* `semaphore`: its value or maximum has changed */
    BH_EVENT_MUTEX,       /* `mutex`: has another owner */
    BH_EVENT_SRC_BANK,    /* `src_bank`: was handed over */
    BH_EVENT_NOC_SENT,    /* `noc`: a request was started at an NIU, or by an overlay stream, of this tile */
    BH_EVENT_NOC_ARRIVED, /* `noc`: a packet of it has arrived at this tile, and its effect is complete */
    BH_EVENT_NOC_ACKNOWLEDGED, /* `noc`: the response to a packet of it has come back to this tile */
    BH_EVENT_OCCUPIED, /* `occupied`, in timed mode: an instruction of a thread, which has just retired, keeps its unit
                        */
    BH_EVENT_OPERAND,  /* `operand`: an instruction of a thread reads or writes a part of the coprocessor's state; after
                          BH_EVENT_ISSUED, before it retires */
    BH_EVENT_KINDS
};

#define BH_EVENT_BIT(kind) (UINT64_C(1) << (kind))
#define BH_EVENT_ALL (~UINT64_C(0))

/* Units of the coprocessor. */
enum bh_unit {
    BH_UNIT_FRONTEND, /* no unit: instructions that the frontend itself executes */
    BH_UNIT_SYNC,
    BH_UNIT_SCALAR,
    BH_UNIT_CONFIG,
    BH_UNIT_ADDR,
    BH_UNIT_UNPACK,
    BH_UNIT_MATRIX,
    BH_UNIT_VECTOR,
    BH_UNIT_PACK,
    BH_UNIT_MOVER,
    BH_UNITS
};

/* BH_EVENT_ISSUED, of a thread. */
enum bh_expander { BH_EXPANDED_BY_MOP = 1, BH_EXPANDED_BY_REPLAY = 2 };

struct bh_issue {
    uint8_t fidelity_phase; /* 0..3, of an instruction of the matrix unit; else 0 */
    uint8_t expanders;      /* enum bh_expander, of those that it has come out of: a REPLAY's first instruction out of
                               both if the REPLAY came out of a MOP */
    uint8_t reserved[6];
    uint64_t came; /* timed mode: the cycle in which it came before the wait gate, if nothing stood there any more; else
                      0 */
};

/* BH_EVENT_OCCUPIED. The cycles from `from` on, up to but without `to`, in which the unit works on the instruction and
   on no other: of the matrix, vector and scalar unit, until it accepts the next one; of an unpacker, in which it
   fetches data; of the packer, in which it reads Dst; of the mover, until it is ready for the next transfer. */
struct bh_occupied {
    uint8_t unit;   /* enum bh_unit */
    uint8_t number; /* BH_UNIT_UNPACK: 0, 1; else 0 */
    uint64_t from, to;
};

/* BH_EVENT_OPERAND. A range of registers of one file that the instruction reads or writes, operands that its word does
   not name included: the configuration that it consults, the GPRs that it takes addresses and data from, the rows that
   its counters lead to. Of rows and registers of lanes those are told whose lanes may all be off; what is told as
   written then keeps its value. What instructions do in memory and to registers that have an address: BH_EVENT_ACCESS.
   Of a core, the rows of Dst that it accesses in its address space (BH_UNIT_FRONTEND), beside BH_EVENT_ACCESS. What
   SFPLOADMACRO has scheduled is told when it executes, as the template's instruction at the SFPLOADMACRO's place,
   within another one's events or between them. What expanders read is told of the instructions that come out of them,
   the slots that they load when they do. */
enum bh_operand_file {
    BH_OPERAND_GPR,           /* part: thread; index: 0..63 */
    BH_OPERAND_CONFIG,        /* part: bank; index: word; a global one is read in the thread's bank, written in both */
    BH_OPERAND_THREAD_CONFIG, /* part: thread; index: word of 16 bits */
    BH_OPERAND_DST,           /* index: row of 16 bits, 0..1023; of a row of 32 bits both rows that it is kept in */
    BH_OPERAND_SRCA,          /* part: bank; index: row 0..63 */
    BH_OPERAND_SRCB,          /* the same */
    BH_OPERAND_LREG,          /* index: 0..16 */
    BH_OPERAND_LANE_FLAGS,
    BH_OPERAND_MOP,    /* part: thread; index: word of the MOP expander's template, 0..8 */
    BH_OPERAND_REPLAY, /* part: thread; index: slot, 0..31 */
    BH_OPERAND_FILES
};

struct bh_operand {
    uint8_t file; /* enum bh_operand_file */
    uint8_t part;
    uint8_t write;  /* 0: read, 1: write */
    uint8_t unit;   /* enum bh_unit: who reads or writes it */
    uint8_t number; /* BH_UNIT_UNPACK: 0, 1; else 0 */
    uint8_t late;   /* written some time after the instruction has left its unit: what is loaded from memory, what RDCFG
                       has read */
    uint16_t index, count; /* the first, and how many */
    uint16_t reserved;
    uint32_t mask; /* BH_OPERAND_CONFIG, BH_OPERAND_THREAD_CONFIG: the bits of each of these words; other files: 0 */
};

/* BH_EVENT_ACCESS. Instruction fetches are not reported: BH_EVENT_ISSUED implies them. */
enum bh_space { BH_SPACE_L1, BH_SPACE_DRAM, BH_SPACE_LOCAL_RAM, BH_SPACE_REGISTER };

struct bh_access {
    uint8_t space;    /* enum bh_space */
    uint8_t write;    /* 0: read, 1: write */
    uint8_t uncached; /* 1: of a core that reads L1 with its data cache off (cfg0.DisLowCash) */
    uint8_t reserved;
    uint32_t size;    /* in bytes */
    uint64_t address; /* as the agent sees it: of local RAM, cores have their own view at 0xFFB00000 */
    const void *data; /* `size` bytes that were read or written; null: not known. Valid while the callback runs */
    uint32_t request; /* BH_AGENT_NIU: the number of the request, which the tile at (place_x, place_y) started */
    /* Mostly the event's place and instruction. Of a write that arrives some time after its instruction has left the
       unit, as those of the packer do in timed mode: that instruction's. */
    struct bh_place cause;
    uint32_t cause_instruction;
};

/* BH_EVENT_REGISTER. Of a core: registers written by its instruction, even if the value is the same. Of a thread:
   words whose value has changed. */
enum bh_register_file {
    BH_REGISTER_X,             /* index: 1..31 */
    BH_REGISTER_F,             /* index: 0..31 */
    BH_REGISTER_V,             /* index: register * 4 + word of it */
    BH_REGISTER_CSR,           /* index: number of the CSR */
    BH_REGISTER_GPR,           /* part: thread; index: 0..63 */
    BH_REGISTER_CONFIG,        /* part: bank; index: word */
    BH_REGISTER_THREAD_CONFIG, /* part: thread; index: word of 16 bits */
    BH_REGISTER_ADC,           /* part: thread; index: counter (0: unpacker 0, 1: unpacker 1, 2: packer) * 16 +
                                  channel * 8 + enum bh_adc_field */
    BH_REGISTER_RWC,           /* part: thread; index: enum bh_rwc_field */
    BH_REGISTER_FILES
};

enum bh_adc_field { BH_ADC_X, BH_ADC_Y, BH_ADC_Z, BH_ADC_W, BH_ADC_X_CR, BH_ADC_Y_CR, BH_ADC_Z_CR, BH_ADC_W_CR };

enum bh_rwc_field {
    BH_RWC_SRCA,
    BH_RWC_SRCB,
    BH_RWC_DST,
    BH_RWC_FIDELITY,
    BH_RWC_SRCA_CR,
    BH_RWC_SRCB_CR,
    BH_RWC_DST_CR,
    BH_RWC_EXTRA_ADDR_MOD
};

struct bh_register {
    uint8_t file; /* enum bh_register_file */
    uint8_t part;
    uint16_t index;
    uint32_t before, value;
};

/* BH_EVENT_WAIT_BEGAN, BH_EVENT_WAIT_ENDED. The reason for which an instruction can not execute, and its `detail`. */
enum bh_wait_reason {
    BH_WAIT_NONE,
    BH_WAIT_STALLWAIT, /* held at the wait gate; detail: conditions, bit i for Ci */
    BH_WAIT_SEMWAIT,   /* held at the wait gate; detail: bit i for semaphore i */
    BH_WAIT_STREAM,    /* held at the wait gate by STREAMWAIT; detail: which STREAM_ID_SYNC_SEC it selects */
    BH_WAIT_SRC_BANK,  /* a bank of Src belongs to the other side; detail: bit 0 for SrcA, bit 1 for SrcB; bit 2: the
                          matrix unit waits for the unpackers, otherwise the unpackers for it */
    BH_WAIT_MUTEX,     /* detail: its number */
    BH_WAIT_MEMORY,    /* ATCAS, ATINCGETPTR: for a word of L1 to change */
    BH_WAIT_UNIT,      /* its unit does not accept it for another reason: in timed mode mostly since it is busy */
    /* Of cores; detail: the address that the instruction accesses. */
    BH_WAIT_FIFO,     /* a thread's instruction FIFO is full */
    BH_WAIT_MAILBOX,  /* nothing is in the mailbox, or no room */
    BH_WAIT_PCBUF,    /* a PCBuf is empty, or full, or not yet emptied */
    BH_WAIT_TTSYNC,   /* instructions of its thread have to execute first */
    BH_WAIT_NOC,      /* an NIU takes no request now */
    BH_WAIT_REGISTER, /* another register does not answer */
    BH_WAIT_REASONS
};

struct bh_wait {
    uint32_t reason; /* enum bh_wait_reason */
    uint32_t detail;
};

struct bh_semaphore {
    uint8_t number, value, maximum, value_before, maximum_before;
};

enum { BH_MUTEX_FREE = 0xff };

struct bh_mutex {
    uint8_t number;
    uint8_t owner, owner_before; /* thread, or BH_MUTEX_FREE */
};

enum bh_src_owner { BH_SRC_UNPACKERS, BH_SRC_MATRIX };

struct bh_src_bank {
    uint8_t src;   /* 0: SrcA, 1: SrcB */
    uint8_t bank;  /* 0, 1 */
    uint8_t owner; /* enum bh_src_owner: the new owner */
};

/* BH_EVENT_NOC_*. A request is identified by the tile that started it and its number there. */
enum bh_noc_request { BH_NOC_READ, BH_NOC_WRITE, BH_NOC_WRITE_BYTES, BH_NOC_WRITE_INLINE, BH_NOC_ATOMIC };

struct bh_noc {
    uint8_t request; /* enum bh_noc_request */
    uint8_t noc;     /* 0, 1 */
    uint8_t transaction_id;
    uint8_t responds;                 /* whether a response comes back */
    uint8_t broadcast;                /* whether it goes to a rectangle of tiles, whose end is `to` */
    uint8_t initiator_x, initiator_y; /* these, too, are coordinates of NoC 0 */
    uint8_t from_x, from_y;           /* source of data: of a read the tile that is read, else the initiator */
    uint8_t to_x, to_y;               /* destination of data: of a read mostly the initiator */
    uint8_t reserved;
    uint32_t number;
    uint32_t offset;                   /* of the packet within the request; BH_EVENT_NOC_SENT: 0 */
    uint32_t size;                     /* bytes of the packet; BH_EVENT_NOC_SENT: of the request */
    uint64_t from_address, to_address; /* of the request */
    uint8_t first_x, first_y;          /* `broadcast`: where the rectangle begins; else as `to` */
};

/* Members may be appended in later versions: observers only get a pointer to an event. */
struct bh_event {
    uint16_t kind;          /* enum bh_event_kind */
    uint8_t chip;           /* 0: a device is one chip */
    uint8_t tile_x, tile_y; /* place of the event: coordinates of NoC 0 */
    uint8_t agent;          /* enum bh_agent: the agent, and ... */
    uint8_t index;          /* ... its number */
    uint8_t reserved;
    uint64_t cycle;           /* of the tile's clock, as for diagnostics */
    struct bh_place place;    /* the core or thread whose instruction causes it; BH_AGENT_HOST: no instruction */
    uint8_t place_x, place_y; /* its tile: another one for events caused over the NoC */
    uint16_t reserved_too;
    uint32_t instruction; /* its word, as in struct bh_diagnostic */
    union {               /* only the member of the event's kind means something */
        struct bh_issue issue;
        struct bh_occupied occupied;
        struct bh_operand operand;
        struct bh_access access;
        struct bh_register reg;
        struct bh_wait wait;
        struct bh_semaphore semaphore;
        struct bh_mutex mutex;
        struct bh_src_bank src_bank;
        struct bh_noc noc;
        uint64_t room[16];
    };
};

/* A tile by its translated coordinates, as everywhere in bhemu/device.h. */
struct bh_tile {
    uint8_t x, y;
};

struct bh_observer {
    uint64_t kinds; /* kinds of events: BH_EVENT_BIT() of each */
    const struct bh_tile *tiles;
    unsigned tile_count; /* 0: all tiles */
    void (*on_event)(void *context, const struct bh_event *event);
    void *context;
    /* Clocks: it is told of what happens from the first one up to and with the last; to 0: without an end. It may be
       told of events before and behind them, of some thousand cycles, and has to look at their clocks. Otherwise tiles
       run at full speed as if it were not there. What is under way at the first clock since long may not be told to
       have begun. */
    uint64_t from, to;
};

/* "issued", "unpacker", "Src bank" and so on; null: there is no such. */
BH_API const char *bh_event_name(enum bh_event_kind kind);
BH_API const char *bh_agent_name(enum bh_agent agent);
BH_API const char *bh_wait_name(enum bh_wait_reason reason);
BH_API const char *bh_unit_name(enum bh_unit unit);            /* "matrix" */
BH_API const char *bh_operand_name(enum bh_operand_file file); /* "Config" */

#ifdef __cplusplus
}
#endif
#endif
