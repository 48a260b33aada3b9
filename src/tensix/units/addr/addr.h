/* The address counters: ADCs, which unpackers and packers use, and RWCs, which the matrix and the vector unit use.
   Source: chapter "rwc and addressing". */
#ifndef BHEMU_TENSIX_UNITS_ADDR_ADDR_H
#define BHEMU_TENSIX_UNITS_ADDR_ADDR_H

#include <stdbool.h>
#include <stdint.h>

struct tensix;

enum { ADC_UNPACKER0, ADC_UNPACKER1, ADC_PACKER, ADC_UNITS };
/* Blackhole's Z and W have 13 bits, of which the unpackers' input addresses see the low eight. */
enum { ADC_X_MASK = 0x3ffff, ADC_Y_MASK = 0x1fff, ADC_Z_MASK = 0x1fff, ADC_W_MASK = 0x1fff, ADC_INPUT_ZW_MASK = 0xff };

struct adc_channel {
    uint32_t x, x_cr; /* 18 bits */
    uint32_t y, y_cr; /* 13 bits */
    uint32_t z, z_cr; /* 13 bits */
    uint32_t w, w_cr; /* 13 bits */
};

struct adc {
    struct adc_channel channel[2];
};

struct rwc {
    uint32_t srca, srca_cr;      /* 6 bits */
    uint32_t srcb, srcb_cr;      /* 6 bits */
    uint32_t dst, dst_cr;        /* 10 bits */
    uint32_t fidelity_phase;     /* 2 bits */
    uint32_t extra_addr_mod_bit; /* 1 bit */
};

enum { RWC_ADDR_MODES = 8, RWC_BIAS_OFFSET = 4 };

/* All counters of a struct rwc except the extra bit, packed in one word so that an address mode advances them at once:
   rwc.h. */
typedef uint64_t rwc_packed;

/* An address mode on packed counters: adds, then masks. */
struct rwc_mode {
    rwc_packed add, keep;
};

/* A thread's address modes, and the ThreadConfig words that they were made from. Modes from RWC_ADDR_MODES on repeat
   the first ones, since the extra bit adds RWC_BIAS_OFFSET to a mode's number. */
struct rwc_modes {
    uint16_t ab[RWC_ADDR_MODES], dst[RWC_ADDR_MODES], bias[RWC_ADDR_MODES];
    bool known;
    uint32_t plain; /* one bit for each mode: it only adds or clears, without checkpoints and the extra bit */
    struct rwc_mode modes[RWC_ADDR_MODES + RWC_BIAS_OFFSET];
};

struct addr_unit {
    struct adc adc[3][ADC_UNITS]; /* [thread][unit] */
    struct rwc rwc[3];            /* [thread] */
};

/* Applies ADDR_MOD_AB, ADDR_MOD_DST and ADDR_MOD_BIAS entry `addr_mode` (3 bits) of the thread to its RWCs.
   update_fidelity: including the fidelity phase (all matrix unit instructions but a few). */
void rwc_apply_addr_mod(struct tensix *tensix, unsigned thread, unsigned addr_mode, bool update_fidelity);

/* The same for SFPLOAD and SFPSTORE: only the Dst counter, and the fidelity phase as the documentation's
   ApplyPartialAddrMod does. */
void rwc_apply_partial_addr_mod(struct tensix *tensix, unsigned thread, unsigned addr_mode);

#endif
