/* Determines the packer's conversions from the configuration, once for each instruction: PCK_DEST_RD_CTRL,
   ALU_FORMAT_SPEC, STACC_RELU, INT_DESCALE and THCON_SEC0_REG1. Source: ISA documentation Packers/FormatConversion.md
   ("Configuring the conversions"), ReLU.md, ExponentThresholding.md; ttsim, where Blackhole adds BF16 and FP32 in Dst
   to FP16 through Round_10b_mant. */
#ifndef BHEMU_TENSIX_UNITS_PACK_CONVERT_H
#define BHEMU_TENSIX_UNITS_PACK_CONVERT_H

#include "tensix/num/pack_formats.h"
#include "tensix/units/state.h"

/* One of the 64 bytes of INT_DESCALE_VALUES. */
unsigned pack_shift_of_plane(const uint32_t *config, uint32_t plane);

/* Reads `config`, a bank of Config. Anything but STEP_DONE: a diagnostic was given. */
enum step pack_choose_conversion(struct tensix *tensix, const uint32_t *config, struct pack_conversion *conversion);

#endif
