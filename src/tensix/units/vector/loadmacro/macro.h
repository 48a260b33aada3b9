/* SFPLOADMACRO's schedule: the instructions that wait in the vector unit's four sub-units, and time as they see it.

   Instructions are scheduled by SFPLOADMACRO for later cycles. What has a delay of d executes d + 1 cycles after the
   SFPLOADMACRO, where each instruction that the thread issues takes a cycle; while anything waits for elapsed
   instructions, only instructions of the vector unit count, whoever issues them. All that executes in one cycle reads
   what was there before it. Results of the MAD sub-unit, of SFPSWAP and of SFPSHFT2's ways to move lanes are there one
   cycle later than others.
   While nothing is scheduled the vector unit has no notion of time: instructions wait for each other's results.

   LoadMacroConfig may differ between lanes. SFPCONFIG, and instructions that become templates, give all four lanes of a
   column the same, so that only columns differ. Where they do, each column has a queue of its own until all of them are
   empty; what counts cycles or instructions counts for all.
   Sources: ISA documentation SFPLOADMACRO.md, SFPCONFIG.md, VectorUnit.md, SFPMAD.md, SFPSWAP.md, SFPSHFT2.md. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_LOADMACRO_MACRO_H
#define BHEMU_TENSIX_UNITS_VECTOR_LOADMACRO_MACRO_H

#include <stdbool.h>
#include <stdint.h>

/* VECTOR_LOAD is the fifth, for which nothing can be scheduled. */
enum vector_sub_unit {
    VECTOR_SIMPLE,
    VECTOR_MAD,
    VECTOR_ROUND,
    VECTOR_STORE,
    VECTOR_SUB_UNITS,
    VECTOR_LOAD = VECTOR_SUB_UNITS,
    VECTOR_NONE /* of instructions of other units */
};

enum { VECTOR_DELAYS = 8, VECTOR_LATE_REGISTERS = 4, VECTOR_COLUMNS = 8, VECTOR_ALL_COLUMNS = 0xff };

/* An instruction of the vector unit with the LRegs that it shall use. */
struct vector_scheduled {
    uint32_t word;      /* its template, of which all but the following counts */
    uint32_t pc;        /* of the SFPLOADMACRO */
    uint8_t vb, vc, vd; /* LRegs */
    uint8_t mod0;       /* of an SFPSTORE */
    uint16_t address;   /* of an SFPSTORE: in Dst, as SFPLOADMACRO has computed it */
    uint8_t thread;     /* who issued it */
    bool regular;       /* software has issued it itself */
};

/* What waits in the sub-units. */
struct vector_queue {
    uint8_t waiting[VECTOR_SUB_UNITS];                           /* bit d: something waits there with delay d ... */
    uint8_t by_instruction[VECTOR_SUB_UNITS];                    /* ... for elapsed instructions rather than cycles */
    struct vector_scheduled at[VECTOR_SUB_UNITS][VECTOR_DELAYS]; /* delay d: at[][(now + d) % VECTOR_DELAYS] */
};

/* Results on their way, to be written at the end of the next cycle: value[i] in lanes[i]. */
struct vector_late {
    uint32_t registers;  /* one bit for each LReg that may be written; 0: there is none */
    uint32_t regular;    /* those of them that a regular instruction may write */
    uint32_t waited_for; /* those that hardware takes that instruction to write: what reads them waits */
    uint32_t lanes[VECTOR_LATE_REGISTERS];
    bool indirect; /* value[i] goes where vd[i] says lane by lane; else to the ith of `registers` */
    uint8_t vd[VECTOR_LATE_REGISTERS][32];
    uint32_t value[VECTOR_LATE_REGISTERS][32];
};

/* The second cycle of SFPSWAP. */
struct vector_swap {
    uint32_t lanes;  /* where it swaps */
    uint8_t columns; /* in whose lanes it executes, one bit for each; 0: in none */
    uint8_t vc, vd;
    bool regular;
};

/* Where late results come from. */
enum { VECTOR_LATE_MAD, VECTOR_LATE_ROUND, VECTOR_LATE_SOURCES };

struct vector_macro {
    bool active;    /* something is scheduled, or on its way */
    bool apart;     /* each column has a queue; else queue[0] and swap[0] are those of all lanes */
    uint8_t thread; /* whose SFPLOADMACRO was last: its instructions are cycles */
    uint8_t now;    /* counts cycles */
    uint8_t parity; /* which of late[] gets the results of this cycle */
    struct vector_queue queue[VECTOR_COLUMNS];
    struct vector_late late[2][VECTOR_LATE_SOURCES];
    struct vector_swap swap[VECTOR_COLUMNS];
    uint8_t source_b, source_c; /* VB and VC where they are not what the instruction says, plus 1; else 0 */
};

#endif
