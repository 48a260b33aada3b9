/* Where the packer reads and writes, and how the address counters move on.
   Source: ISA documentation PACR.md (Blackhole), InputAddressGenerator.md, OutputAddressGenerator.md, EdgeMasking.md.
 */
#ifndef BHEMU_TENSIX_UNITS_PACK_ADDRESS_H
#define BHEMU_TENSIX_UNITS_PACK_ADDRESS_H

#include "isa/tensix_isa.h"
#include "tensix/tensix.h"

struct pack_input {
    unsigned rows;                  /* at most PACK_INTERFACES, but when `zero` */
    uint32_t row[PACK_INTERFACES];  /* of Dst */
    unsigned first_column, columns; /* of each row */
    bool zero;                      /* zeroes instead of Dst */
};

struct pack_destination {
    uint32_t row_starts, exponents, data; /* byte addresses in L1 of a new tile */
};

/* The thread whose ADC the instruction uses. */
unsigned pack_adc_thread(unsigned thread, const struct args_PACR *args);

/* What the instruction reads. Anything but STEP_DONE: a diagnostic was given. */
enum step pack_choose_input(struct tensix *tensix, const uint32_t *config, const struct adc *adc,
                            const struct args_PACR *args, struct pack_input *input);

/* Where a tile goes that begins now. `compressed`: with row start indices; `short_datums`: of fewer than 16 bits. */
struct pack_destination pack_choose_destination(const struct tensix *tensix, const uint32_t *config,
                                                const struct adc *adc, bool compressed, bool short_datums);

/* Applies ADDR_MOD_PACK entry `mode` of the thread's configuration to Y and Z of both channels. */
void pack_apply_addr_mod(struct adc *adc, const uint16_t *thread_config, unsigned mode);

/* Which columns pass to L1, and which are masked. */
struct pack_edges {
    bool none;       /* all columns of all rows pass */
    bool transposed; /* the position counts planes, the plane counts rows */
    uint8_t plane;
    const uint32_t *config;
    uint32_t row_set; /* the 2-bit mask numbers of the 16 rows, where the plane decides on it */
};

struct pack_edges pack_choose_edges(const uint32_t *config, const struct pack_unit *pack);

/* The columns that pass of the row at tile position `position`. */
uint32_t pack_edge_mask(const struct pack_edges *edges, unsigned position);

/* Moves the tile position on by `rows`. It comes round to zero only where it lands on the rows of a plane. */
void pack_advance_tile_position(struct pack_unit *pack, const uint32_t *config, unsigned rows);

#endif
