/* The rows that instructions of the unpackers write, for observers, and what they wait for. */
#ifndef BHEMU_TENSIX_UNITS_UNPACK_OPERANDS_H
#define BHEMU_TENSIX_UNITS_UNPACK_OPERANDS_H

#include "tensix/units/operands.h"
#include "tensix/units/unpack/job.h"

/* Of any instruction of the unpackers. *context: the configuration context of an UNPACR; otherwise 0. Call it while
   diagnostics are silent and L1 is not observed. */
void unpack_operands(struct tensix *tensix, unsigned thread, uint32_t word, struct operand_sets *sets,
                     unsigned *context);

/* Of an UNPACR's data; broadcast: the row goes to those after it, too. */
void unpack_rows_written(struct tensix *tensix, const struct unpack_job *job, bool broadcast,
                         struct operand_rows *written);

/* Of its data alone. */
void unpack_job_operands(struct tensix *tensix, const struct unpack_job *job, struct operand_rows *written);

/* Tells observers that the rows are written. */
void unpack_tell_rows(struct tensix *tensix, const struct unpack_job *job, bool broadcast);

/* Of an UNPACR_NOP. */
void unpack_nop_operands(struct tensix_state *state, struct args_UNPACR_NOP args, struct operand_rows *written);

/* Whether that is the bank that it fills, not the Matrix Unit's next one. */
bool unpack_awaits_own_bank(uint32_t word);

/* The bank that has to be the unpackers' before an instruction of theirs is executed; `src` is what it fills. */
unsigned unpack_awaited_bank(const struct src_register_file *src, uint32_t word);

#endif
