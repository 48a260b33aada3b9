/* Which conversions the configuration asks of the packer. Read once for an instruction, out of PCK_DEST_RD_CTRL,
   ALU_FORMAT_SPEC, STACC_RELU, INT_DESCALE and THCON_SEC0_REG1.
   Source: ISA documentation Packers/FormatConversion.md ("Configuring the conversions"), ReLU.md,
   ExponentThresholding.md; ttsim, where Blackhole adds BF16 and FP32 in Dst to FP16 by way of Round_10b_mant. */
#ifndef BHEMU_TENSIX_UNITS_PACK_CONVERT_H
#define BHEMU_TENSIX_UNITS_PACK_CONVERT_H

#include "tensix/num/pack_formats.h"
#include "tensix/tensix.h"

enum pack_accumulation {
    PACK_OVERWRITE,
    PACK_ACCUMULATE_FP32,
    PACK_ACCUMULATE_FP16,
    PACK_ACCUMULATE_BF16,
    PACK_ACCUMULATE_INT32
};

struct pack_conversion {
    bool read_32b;
    enum pack_early early;
    unsigned shift;      /* of INT32 to INT8 */
    bool shift_by_plane; /* INT_DESCALE_Mode 1: each plane of a tile has its own shift: pack_shift_of_plane() */
    enum pack_kind kind; /* of what the early conversion gives */
    enum pack_relu relu;
    uint32_t relu_threshold, relu_sign;
    bool narrow; /* what the early conversion gives is wide, what the packer takes is narrow: the gasket converts */
    bool exponent_threshold_enabled;
    uint32_t exponent_threshold;
    enum data_format in; /* of the late conversion */
    enum pack_late late;
    enum data_format out;
    bool bfp;
    bool apart;                    /* Dis_shared_exp_assembler: each datum of a group as if it were alone */
    bool random_early, random_bfp; /* round at random: the early conversion; block floats */
    unsigned bits;                 /* of a datum in L1 */
    enum pack_accumulation accumulation;
    bool compress;           /* leave out zeroes */
    bool zero_flags;         /* flag compressed rows that are all zero */
    uint32_t minus_infinity; /* as the early conversion would give it */
};

/* One of the 64 bytes of INT_DESCALE_VALUES. */
unsigned pack_shift_of_plane(const uint32_t *config, uint32_t plane);

/* Reads `config`, a bank of Config. Anything but STEP_DONE: a diagnostic was given. */
enum step pack_choose_conversion(struct tensix *tensix, const uint32_t *config, struct pack_conversion *conversion);

#endif
