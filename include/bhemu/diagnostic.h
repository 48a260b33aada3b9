/* What went wrong, where, and what the device does about it. */
#ifndef BHEMU_DIAGNOSTIC_H
#define BHEMU_DIAGNOSTIC_H

#include <stdint.h>

#include "bhemu/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a diagnostic was given. The first three are the terms of the vendor's ISA documentation (Glossary). */
enum bh_category {
    BH_UNDEFINED_BEHAVIOR,  /* the documentation promises nothing about what happens */
    BH_UNPREDICTABLE_VALUE, /* a value was used that the documentation calls unpredictable */
    BH_NON_CONTRACTUAL,     /* behaviour that is known, but outside the hardware/software contract */
    BH_UNSUPPORTED,         /* the chip can, this emulator can not yet */
    BH_HAZARD,              /* a race, or a result used before it is there */
    BH_DEADLOCK,            /* nothing can make progress any more */
    BH_BAD_INPUT,           /* an ELF, a job, an address or an argument that makes no sense */
    BH_INTERNAL_ERROR,      /* the emulator contradicts itself: a bug of its own, not of the program */
    BH_CATEGORY_COUNT
};

/* What to do when a category is met. */
enum bh_action { BH_IGNORE, BH_WARN, BH_STOP };

enum bh_policy_preset {
    BH_POLICY_DEFAULT, /* stop on undefined, unsupported, hazard, deadlock, bad input; warn once about the rest */
    BH_POLICY_STRICT,  /* stop on everything */
    BH_POLICY_SILICON  /* stop only where continuing is impossible */
};

/* The agents. Diagnostics name the first three; the others are units that observers see (bhemu/observer.h). */
enum bh_agent {
    BH_AGENT_HOST,
    BH_AGENT_CORE,
    BH_AGENT_THREAD,
    BH_AGENT_UNPACKER, /* 0, 1 */
    BH_AGENT_PACKER,
    BH_AGENT_MOVER,
    BH_AGENT_SCALAR,   /* the scalar unit: LOADIND, ATINCGET and so on */
    BH_AGENT_NIU,      /* by its NoC */
    BH_AGENT_STREAM,   /* of the overlay, by its number */
    BH_AGENT_RECORDER, /* the timestamper, and the daisychain's writes of debug signals to L1 */
    BH_AGENT_ETHERNET, /* the queues of an Ethernet tile */
    BH_AGENT_DMA,      /* the engine of a DRAM tile that copies between GDDR and the L1 of its core */
    BH_AGENTS
};

/* The five baby RISC-V cores of a Tensix tile, in the order of the hardware's own numbering. */
enum bh_core { BH_CORE_B, BH_CORE_T0, BH_CORE_T1, BH_CORE_T2, BH_CORE_NC, BH_CORE_COUNT };

/* And the two of an Ethernet tile, and that of a DRAM tile, where the text says that they may be named. */
enum { BH_CORE_E0 = BH_CORE_COUNT, BH_CORE_E1, BH_CORE_DRISC, BH_CORE_KINDS };

/* The position of a core or a thread; pc as in struct bh_diagnostic. */
struct bh_place {
    enum bh_agent agent;
    uint8_t index;
    uint32_t pc;
};

enum { BH_PLACES = 8, BH_DIAGNOSTIC_TEXT = 2500 }; /* five cores and three threads */

struct bh_diagnostic {
    enum bh_category category;
    enum bh_action action;  /* what was done: BH_WARN or BH_STOP */
    uint8_t tile_x, tile_y; /* NoC 0 coordinates of the tile */
    enum bh_agent agent;
    uint8_t index;        /* BH_AGENT_CORE: enum bh_core; BH_AGENT_THREAD: 0..2; BH_AGENT_DMA: stream */
    uint32_t pc;          /* of the RISC-V instruction executing, or of the one that pushed the Tensix instruction */
    uint32_t instruction; /* the RISC-V word, or the Tensix word (not rotated); 0 when there is none */
    uint64_t cycle;       /* of the tile's clock */
    uint16_t chip, chips; /* the chip's number in its system, and how many it has; 0: it is in none */
    /* Cause, what was expected, what to do, without a newline at the end. One line; of a BH_DEADLOCK mostly several:
       the first says which wait nobody can end, then, each behind "\n  ", follow one for each core and thread that has
       not finished, and which tiles hang alike. */
    char text[BH_DIAGNOSTIC_TEXT];
    unsigned places_count;
    struct bh_place
        places[BH_PLACES];     /* BH_DEADLOCK: positions of all waiting agents, in the order in which text names them */
    uint16_t lines[BH_PLACES]; /* where the line about each of them begins in text */
};

/* The name of a category as it is printed: "UndefinedBehavior", ... */
BH_API const char *bh_category_name(enum bh_category category);

/* The name of a core: "B", "T0", "T1", "T2", "NC", "E0", "E1". */
BH_API const char *bh_core_name(enum bh_core core);

/* For people: category, tile, core or thread, PC, the instruction disassembled, text; as many lines as text has. Writes
   at most size bytes with the terminating zero; returns the length that it would have liked, as snprintf does.
   diagnostic null: nothing, 0. */
BH_API int bh_diagnostic_format(const struct bh_diagnostic *diagnostic, char *buffer, unsigned size);

#ifdef __cplusplus
}
#endif
#endif
