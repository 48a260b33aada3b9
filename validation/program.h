/* Programs for the baby RISC-V cores, written word by word, and a device in timed mode that runs them. What goes wrong
   here ends the process with a message: it is a mistake in a program of this folder. */
#ifndef BHEMU_VALIDATION_PROGRAM_H
#define BHEMU_VALIDATION_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu/device.h"
#include "isa/rv32_isa.h"

/* Registers by their ABI names. */
enum {
    ZERO,
    RA,
    SP,
    GP,
    TP,
    T0,
    T1,
    T2,
    S0,
    S1,
    A0,
    A1,
    A2,
    A3,
    A4,
    A5,
    A6,
    A7,
    S2,
    S3,
    S4,
    S5,
    S6,
    S7,
    S8,
    S9,
    S10,
    S11,
    T3,
    T4,
    T5,
    T6
};

enum { PROGRAM_WORDS = 16384 };

struct program {
    uint32_t words[PROGRAM_WORDS];
    uint32_t count;
    uint32_t address; /* in L1, where words[0] will stand */
};

/* An instruction of any format: `operand` is rs2 of R, B, STORE and AMO, whose immediate or distance in bytes is
   `immediate`; of others rs2 is 0. */
void emit(struct program *program, enum rv32_op op, unsigned rd, unsigned rs1, unsigned rs2, int32_t immediate);

#define RV(op, rd, rs1, rs2) emit(program, RV32_OP_##op, rd, rs1, rs2, 0)              /* rd = rs1 op rs2 */
#define RVI(op, rd, rs1, immediate) emit(program, RV32_OP_##op, rd, rs1, 0, immediate) /* rd = rs1 op immediate */
void emit_li(struct program *program, unsigned rd, uint32_t value);                    /* one or two instructions */
void emit_lw(struct program *program, unsigned rd, unsigned base, int32_t offset);
void emit_sw(struct program *program, unsigned value, unsigned base, int32_t offset);

/* A jump or branch to word `to` of the program, which may still be unknown: then bind it later, by what this returns.
 */
uint32_t emit_branch(struct program *program, enum rv32_op op, unsigned rs1, unsigned rs2, uint32_t to);
uint32_t emit_jump(struct program *program, uint32_t to);
void emit_bind(struct program *program, uint32_t branch); /* to where the program ends now */

/* `.ttinsn`. */
void emit_tensix(struct program *program, uint32_t word);

/* Reads both halves of the wall clock until they belong together, as programs on silicon do. Uses A7 and A6. */
void emit_wall_clock(struct program *program, unsigned low, unsigned high);

/* cfg0 as the measuring firmware leaves it: no L0 data cache, stores wait 16 cycles to be joined; `fuses`: cores of the
   coprocessor's threads make one of up to four .ttinsn. Uses A7. */
void emit_firmware_state(struct program *program, bool fuses);

/* The same without fusing, for firmware of June 2026, which leaves the configuration as reset does. Its code behaves as
   if nothing were prefetched; later firmware clears the configuration (docs/timing.md). */
void emit_early_firmware_state(struct program *program);

/* The program's end: the core stays there. */
void emit_end(struct program *program);

/* A tile of the device by NoC 0 coordinates. */
struct place {
    unsigned x, y;
};

_Noreturn void machine_fail(const char *what);

/* A device in timed mode, every tile as after power-on. */
struct bh_device *machine_create(void);

void machine_load(struct bh_device *device, struct place tile, const struct program *program);
void machine_start(struct bh_device *device, struct place tile, enum bh_core core, const struct program *program);
void machine_write(struct bh_device *device, struct place tile, uint32_t address, const void *data, uint32_t size);
/* Ends the process if memory of the tile holds anything else: a program of this folder did not compute what it should.
 */
void machine_expect(struct bh_device *device, struct place tile, uint32_t address, const void *data, uint32_t size);
uint32_t machine_word(struct bh_device *device, struct place tile, uint32_t address);

/* Runs until all cores have come to their ends. */
void machine_run(struct bh_device *device);

#endif
