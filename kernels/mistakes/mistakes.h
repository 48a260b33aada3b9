/* Programs with mistakes, and their correct twins from the same source. corpus.def lists them. A program is compiled
   once without any mistake, and once for each of its mistakes: what they are is all that differs.

   A place that a finding has to name is marked by a comment behind it, "first: NAME" or "second: NAME". Where several
   lines may be named, all of them are marked. */
#ifndef BHEMU_KERNELS_MISTAKES_H
#define BHEMU_KERNELS_MISTAKES_H

#include "arguments.h"
#include "mmio.h"
#include "noc.h"
#include "sync.h"

/* 1 when the compiler was given -DMISTAKE_name=1, else 0. */
#define IS_MISTAKE(name) MISTAKE_IS(MISTAKE_##name)
#define MISTAKE_IS(value) MISTAKE_JUNK(value)
#define MISTAKE_JUNK(value) MISTAKE_PICK(MISTAKE_COMMA_##value)
#define MISTAKE_PICK(comma_or_junk) MISTAKE_SECOND(comma_or_junk 1, 0, 0)
#define MISTAKE_COMMA_1 0,
#define MISTAKE_SECOND(first, second, ...) second

/* What follows is left out by the mistake, or there because of it. */
#define UNLESS(name) if (!IS_MISTAKE(name))
#define ONLY_IF(name) if (IS_MISTAKE(name))

/* What the program has computed: four words, which the job reads. */
#ifdef PROGRAM_DRISC
#define RESULT ((volatile uint32_t *)0x1ff00)
#else
#define RESULT ((volatile uint32_t *)0x2ff00)
#endif

/* Stores it, and returns when L1 has it. */
static inline void store_result(uint32_t index, uint32_t value)
{
    RESULT[index] = value;
    load_complete(&RESULT[index]);
}

#define FENCE() __asm__ volatile("fence" : : : "memory")

/* Halves of a GPR, by the scalar unit; all constants. */
#define SET_GPR_LOW(gpr, value) TTI_SETDMAREG((value) >> 14 & 3, (value)&0x3fff, 0, 2 * (gpr))
#define SET_GPR_HIGH(gpr, value) TTI_SETDMAREG((value) >> 30 & 3, (value) >> 16 & 0x3fff, 0, 2 * (gpr) + 1)

/* The same, of variables. */
#define SET_GPR(gpr, value)                                                                                            \
    do {                                                                                                               \
        uint32_t new_value = (value);                                                                                  \
        TT_SETDMAREG(new_value >> 14 & 3, new_value & 0x3fff, 0, 2 * (gpr));                                           \
        TT_SETDMAREG(new_value >> 30 & 3, new_value >> 16 & 0x3fff, 0, 2 * (gpr) + 1);                                 \
    } while (0)

/* Requests as noc_read() and noc_write() start them, in the line that says so. */
#define NOC_SEND(noc, initiator, ctrl, target, back, length, data)                                                     \
    do {                                                                                                               \
        NOC_WAIT_TAKEN(noc, initiator);                                                                                \
        NOC_START(noc, initiator, ctrl, target, back, length, data);                                                   \
    } while (0)
#define NOC_WAIT_TAKEN(noc, initiator)                                                                                 \
    do {                                                                                                               \
        while ((noc)->niu[(initiator) * (0x800 / 4) + NOC_CMD_CTRL]) {                                                 \
        }                                                                                                              \
    } while (0)
#define NOC_START(noc, initiator, ctrl, target, back, length, data)                                                    \
    do {                                                                                                               \
        volatile uint32_t *registers = (noc)->niu + (initiator) * (0x800 / 4);                                         \
        registers[NOC_TARG_ADDR_LO] = (target).address;                                                                \
        registers[NOC_TARG_ADDR_MID] = 0;                                                                              \
        registers[NOC_TARG_ADDR_HI] = (target).at;                                                                     \
        registers[NOC_RET_ADDR_LO] = (back).address;                                                                   \
        registers[NOC_RET_ADDR_MID] = 0;                                                                               \
        registers[NOC_RET_ADDR_HI] = (back).at;                                                                        \
        registers[NOC_PACKET_TAG] = 0;                                                                                 \
        registers[NOC_CTRL] = (ctrl);                                                                                  \
        registers[NOC_AT_LEN_BE] = (length);                                                                           \
        registers[NOC_AT_DATA] = (data);                                                                               \
        registers[NOC_CMD_CTRL] = 1;                                                                                   \
    } while (0)
#define PLACE(at, address) ((struct noc_place){at, address})
#define READ(noc, from, to, size)                                                                                      \
    do {                                                                                                               \
        NOC_SEND(noc, NOC_READS, NOC_READ | NOC_RESPONSE, from, PLACE((noc)->self, to), size, 0);                      \
        (noc)->expected[NOC_RD_RESP_RECEIVED]++;                                                                       \
    } while (0)
#define WRITE(noc, from, to, size)                                                                                     \
    do {                                                                                                               \
        NOC_SEND(noc, NOC_WRITES, NOC_WRITE | NOC_RESPONSE, PLACE((noc)->self, from), to, size, 0);                    \
        (noc)->expected[NOC_WR_ACK_RECEIVED]++;                                                                        \
    } while (0)

/* More conditions of STALLWAIT. */
enum { WAIT_SRCA_VALID = 1 << 7, WAIT_SRCB_VALID = 1 << 8, WAIT_MOVER = 1 << 9, WAIT_CONFIG_UNIT = 1 << 12 };
enum { BLOCK_MOVER = 1 << 4, BLOCK_ALL = 0x1ff };

#endif
