/* Shared by the files of the scalar unit. */
#ifndef BHEMU_TENSIX_UNITS_SCALAR_PARTS_H
#define BHEMU_TENSIX_UNITS_SCALAR_PARTS_H

#include "tensix/units/execute.h"

static const struct actor scalar_actor = {.agent = BH_AGENT_SCALAR};

/* SETDMAREG with SetSignalsMode set. */
void scalar_set_from_signals(struct tensix *tensix, unsigned thread, struct args_SETDMAREG args);

/* SETDMAREG's writes to `gpr`, given the thread's bank of Config and the packers' status. */
void scalar_write_signals(uint32_t gpr[GPRS], const uint32_t *config, const struct pack_status status[PACKERS_READ],
                          struct args_SETDMAREG args);

/* Diagnoses an `address` outside L1. If it returns STEP_DONE although it gave a diagnostic, the access is dropped. */
enum step scalar_check_l1(struct tensix *tensix, const char *instruction, uint32_t address);

#endif
