/* The registers of a Tensix tile that belong to no unit of the coprocessor. Plain data, a section of the tile's state.
   tables/mmio.def lists their addresses. */
#ifndef BHEMU_TILE_REGISTERS_H
#define BHEMU_TILE_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "noc/niu.h"
#include "tile/overlay/overlay.h"
#include "tile/perf_counters.h"

enum {
    MAILBOX_CORES = 4, /* B, T0, T1, T2 */
    MAILBOX_CAPACITY = 4,
    PC_BUFS = 3,
    PC_BUF_CAPACITY = 16,
    DEBUG_REGISTERS = 0x24c / 4,
    PIC_REGISTERS = 0x138 / 4,
    TDMA_REGISTERS = 0x40 / 4,
};

/* One mailbox: the values that one core has sent to another. */
struct mailbox {
    uint32_t values[MAILBOX_CAPACITY];
    uint8_t head, count;
};

/* One PCBuf: the values that B has sent to a T core. */
struct pc_buf {
    uint32_t values[PC_BUF_CAPACITY];
    uint8_t head, count;
};

/* The debug timestamper: the next addresses for events in L1, and the event data not written yet. */
struct timestamper {
    struct {
        bool full, overflow; /* sticky */
        uint32_t position;   /* 16-byte units written */
    } buffer[2];
    uint32_t data[4];   /* events not yet written */
    uint32_t position;  /* words in data */
    uint8_t event_size; /* size of each of these events in bits; 0: none */
};

struct tile_registers {
    struct mailbox mailbox[MAILBOX_CORES][MAILBOX_CORES]; /* [from][to] */
    uint32_t mailbox_answer[MAILBOX_CORES];               /* last value that B took of the mailbox from each core */
    struct pc_buf pc_buf[PC_BUFS];
    uint32_t debug[DEBUG_REGISTERS]; /* from 0xFFB1_2000 on: those that are plain words */
    uint32_t pic[PIC_REGISTERS];
    uint64_t watchdog_since;     /* the clock at which WATCHDOG_TIMER had its stored value */
    uint32_t wall_clock_high;    /* latched by an access to the low half */
    uint32_t debug_capture_next; /* next capture address of the debug daisychain, in units of 16 bytes of L1 */
    struct timestamper timestamper;
    uint32_t tdma[TDMA_REGISTERS];             /* from 0xFFB1_1000 on: those that are plain words */
    uint32_t tdma_command_base[MAILBOX_CORES]; /* MovCmdBase of B, T0, T1, T2 */
    uint32_t tdma_setreg_scaler[4];            /* Packers.SetRegHiScaler */
    struct niu niu[NIUS];
    struct noc_outbox outbox; /* of both NIUs */
    struct perf_bank_state perf[PERF_BANKS];
    struct overlay overlay;
};

#endif
