/* What a UNPACR does after its data have moved. Internal to units/unpack/. */
#ifndef BHEMU_TENSIX_UNITS_UNPACK_FINISH_H
#define BHEMU_TENSIX_UNITS_UNPACK_FINISH_H

#include "tensix/units/src_banks.h"
#include "tensix/units/state.h"
#include "util/bits.h"

/* Adds AddrMode to the counters of the thread, and of that whose counters it has used for X and Y. */
static inline void unpack_increment_adcs(struct addr_unit *addr, unsigned unpacker, unsigned thread,
                                         unsigned adc_thread, uint32_t addr_mode)
{
    for (unsigned i = 0; addr_mode && i < TENSIX_THREADS; i++) {
        if (i != thread && i != adc_thread) {
            continue;
        }
        struct adc_channel *channel = addr->adc[i][unpacker].channel;
        channel[0].z = (channel[0].z + bits_get(addr_mode, 0, 2)) & ADC_Z_MASK;
        channel[0].y = (channel[0].y + bits_get(addr_mode, 2, 2)) & ADC_Y_MASK;
        channel[1].z = (channel[1].z + bits_get(addr_mode, 4, 2)) & ADC_Z_MASK;
        channel[1].y = (channel[1].y + bits_get(addr_mode, 6, 2)) & ADC_Y_MASK;
    }
}

/* `section`: Config, as struct unpack_config has it. */
static inline struct unpack_bank_end unpack_bank_end(const struct tensix_state *state, const uint32_t *section,
                                                     unsigned unpacker, unsigned thread, bool sets_valid)
{
    const uint16_t *config = state->config.thread[thread];
    uint32_t base = unpacker ? CONFIG_GET(config, SRCB_SET_Base) : CONFIG_GET(config, SRCA_SET_Base);
    return (struct unpack_bank_end){
        .sets_valid = sets_valid,
        .next_set = CONFIG_GET(section, THCON_SEC0_REG2_Unpack_Src_Reg_Set_Upd),
        .base = (uint8_t)(base << 4),
    };
}

/* Hands the bank, with data of format `out`, over, or advances to its next set of 16 rows. */
static inline void unpack_finish_bank(struct tensix_state *state, unsigned unpacker, unsigned thread, uint8_t out,
                                      struct unpack_bank_end end)
{
    struct src_register_file *src = unpacker ? &state->srcb : &state->srca;
    uint8_t *row = &src->unpacker_row[thread];
    if (end.sets_valid) {
        src_bank_release_to_matrix(src, out);
        *row = end.base;
    } else if (end.next_set) {
        *row = (uint8_t)((*row + 16 + end.base) % SRC_ROWS);
    }
}

#endif
