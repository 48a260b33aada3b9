/* Facts of an instruction in tables/tensix.def besides its encoding: its sub-unit, the operands that it reads and
   writes, and its duration, in the mode given by its word. The head of the table defines each fact. Constant data, and
   functions of words; no state. */
#ifndef BHEMU_ISA_TENSIX_FACTS_H
#define BHEMU_ISA_TENSIX_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/tensix_isa.h"

enum tensix_sub_unit {
    TENSIX_SUB_UNIT_NONE,
    TENSIX_SUB_UNIT_LOAD,
    TENSIX_SUB_UNIT_SIMPLE,
    TENSIX_SUB_UNIT_MAD,
    TENSIX_SUB_UNIT_ROUND,
    TENSIX_SUB_UNIT_STORE
};

enum { TENSIX_TTSYNC_CLASSES = 16, TENSIX_TTSYNC_UNTRACKED = TENSIX_TTSYNC_CLASSES };

/* In place of a number of cycles. */
enum tensix_cycles { TENSIX_CYCLES_UNKNOWN = 0, TENSIX_CYCLES_VARIES = 255 };

/* What the word does not change. */
struct tensix_facts {
    bool known;       /* there is such an instruction */
    uint8_t sub_unit; /* enum tensix_sub_unit */
    uint8_t ttsync;   /* 0 to 15, or TENSIX_TTSYNC_UNTRACKED */
    bool decoded, waits;
};

/* For each opcode. */
extern const struct tensix_facts tensix_facts[256];

/* Sets of operands: bit i for LReg[i], i <= 16, and TENSIX_USE_NAME for each TENSIX_RESOURCE. */
enum { TENSIX_LREGS = 17 };
enum tensix_resource {
#define TENSIX_RESOURCE(name, ...) TENSIX_RESOURCE_##name,
#include "tensix.def"
    TENSIX_RESOURCES
};
enum tensix_use {
    TENSIX_USE_NOTHING = 0,
#define TENSIX_RESOURCE(name, ...) TENSIX_USE_##name = UINT64_C(1) << (TENSIX_LREGS + TENSIX_RESOURCE_##name),
#include "tensix.def"
};

/* VB, VC and VD of an instruction of the vector unit: LRegs. */
struct tensix_operands {
    uint8_t vb, vc, vd;
};

/* The operands that its word names; VB and VC are VD if the instruction has no field for them. */
struct tensix_operands tensix_operands_of(uint32_t word);

/* What an instruction with these operands reads and writes. */
uint64_t tensix_reads(uint32_t word, const struct tensix_operands *operands);
uint64_t tensix_writes(uint32_t word, const struct tensix_operands *operands);

/* The operands that hardware's stall logic assumes to be read, which makes instructions wait for products. *missed:
   the LRegs that the instruction reads without that logic's knowledge. */
uint64_t tensix_reads_seen(uint32_t word, const struct tensix_operands *operands, uint64_t *missed);

/* The GPRs of its thread that it reads and writes, one bit for each. */
uint64_t tensix_gprs_read(uint32_t word);
uint64_t tensix_gprs_written(uint32_t word);

/* Cycles until its unit accepts the next instruction, and until the result is there; or TENSIX_CYCLES_UNKNOWN, or
   TENSIX_CYCLES_VARIES. */
struct tensix_duration {
    uint8_t issue, latency;
};

struct tensix_duration tensix_duration_of(uint32_t word);

enum tensix_fact_kind {
    TENSIX_FACT_SOURCE,
    TENSIX_FACT_RESULT,
    TENSIX_FACT_READS,
    TENSIX_FACT_WRITES,
    TENSIX_FACT_UNSEEN, /* TENSIX_SOURCE_UNSEEN and TENSIX_READS_UNSEEN, in addition to their other record */
    TENSIX_FACT_ASSUMED,
    TENSIX_FACT_CYCLES
};

/* A line of the table as text. */
struct tensix_fact_line {
    enum tensix_fact_kind kind;
    char what[80];  /* the operand, such as "lane flags"; of TENSIX_FACT_CYCLES the issue cycles */
    char field[25]; /* the field that names it, if any; of TENSIX_FACT_CYCLES the latency */
    char when[120]; /* the condition; empty: always */
};

/* The first line about an instruction, or the next one; *place is null at first. false: there is no further line. */
bool tensix_next_fact(uint8_t opcode, const char **place, struct tensix_fact_line *line);

#endif
