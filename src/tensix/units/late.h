/* Results that are where others look for them only some time after their instruction has left the gate, in timed mode:
   what is loaded into GPRs, and what goes through the Configuration Unit's pipeline. Until then the old value stands
   there. Sources: chapters "gpr and dma instructions", "config sync instructions"; ISA documentation LOADIND.md,
   RDCFG.md, WRCFG.md. */
#ifndef BHEMU_TENSIX_UNITS_LATE_H
#define BHEMU_TENSIX_UNITS_LATE_H

#include <stdint.h>

struct tensix;

enum { LATE_RESULTS = 64, LATE_BYTES = 16 };

struct late_result {
    uint64_t due;
    uint8_t kind;  /* enum late_kind */
    uint8_t owner; /* the thread of GPRs, the bank of Config */
    uint8_t index;
    uint8_t bytes;
    uint32_t data[LATE_BYTES / 4];
};

enum late_kind { LATE_GPR, LATE_READ /* by RDCFG, of a GPR */, LATE_CONFIG };

/* Plain data, all zero at first; in the order of their instructions. */
struct late_results {
    struct late_result of[LATE_RESULTS];
    uint32_t count;
};

/* The instruction that `thread` executes now has as its result `bytes` of `data` for GPRs of the thread from `index`
   on, or a word for a bank of Config. */
void late_gpr(struct tensix *tensix, unsigned thread, unsigned index, const void *data, unsigned bytes);
void late_config(struct tensix *tensix, unsigned thread, unsigned bank, uint32_t index, uint32_t value);

/* What is due until `time` arrives. */
void late_arrive(struct tensix *tensix, uint64_t time);

/* The same for what RDCFG has read into GPRs of the thread, whose instruction takes its operands only then. */
void late_reads_arrive(struct tensix *tensix, unsigned thread, uint64_t time);

#endif
