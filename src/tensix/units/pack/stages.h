/* PACR of any data, stage by stage: rows of Dst or data of L1 are converted, those that are selected close up, and go
   to the streams of the tile. What packs whole rows otherwise (units/pack/pack.c) comes to the same. Internal to
   units/pack. */
#ifndef BHEMU_TENSIX_UNITS_PACK_STAGES_H
#define BHEMU_TENSIX_UNITS_PACK_STAGES_H

#include "tensix/num/pack_rows.h"
#include "tensix/units/pack/address.h"

/* The selection between reading and packing: downsampling and padding. */
struct pack_selection {
    uint32_t mask;          /* which of each 16 consecutive data are kept */
    bool pad_rows, pad_end; /* pad with zeroes to a multiple of 16: each row, or all data of the tile so far */
};

struct pack_selection pack_choose_selection(const uint32_t *config, const struct args_PACR *args);

/* Whether all data of whole rows are packed, and no more. */
bool pack_takes_whole_rows(const struct pack_input *input, struct pack_selection selection);

/* How many data the instruction packs. */
uint64_t pack_count_datums(const struct pack_tile *tile, const struct pack_input *input,
                           struct pack_selection selection);

/* How data go to L1. */
struct pack_emission {
    const struct pack_conversion *conversion;
    bool row_ends; /* for compression: the row ends with these data */
    bool last;     /* the tile ends with these data */
    bool write;    /* clear: L1 has no room, and the streams only advance */
};

/* Packs `datums` data, as many as pack_count_datums() has counted. */
void pack_in_stages(struct tensix *tensix, const uint32_t *config, const struct pack_conversion *conversion,
                    const struct pack_input *input, struct pack_selection selection, struct pack_emission emission,
                    uint64_t datums);

/* Takes the largest exponent of some rows into account, the statistic that is always kept. */
static inline void pack_take_exponent(struct pack_unit *pack, uint32_t exponent)
{
    pack->max_exponent = exponent > pack->max_exponent ? (uint8_t)exponent : pack->max_exponent;
}

#endif
