#include "tensix/units/src_banks.h"

#include "tensix/units/state.h"

void src_banks_clear_dvalid(struct tensix *tensix, unsigned thread, unsigned which)
{
    struct tensix_state *state = tensix->state;
    const uint16_t *thread_config = state->config.thread[thread];
    state->src_given_back |= which != 0;
    if (which & SRC_SET_A) {
        src_bank_release_to_unpackers(&state->srca, CONFIG_GET(thread_config, CLR_DVALID_SrcA_Disable));
    }
    if (which & SRC_SET_B) {
        src_bank_release_to_unpackers(&state->srcb, CONFIG_GET(thread_config, CLR_DVALID_SrcB_Disable));
    }
}

void src_banks_set_dvalid(struct tensix *tensix, unsigned thread, unsigned which)
{
    struct tensix_state *state = tensix->state;
    const uint32_t *config = config_bank(&state->config, thread);
    const uint16_t *thread_config = state->config.thread[thread];
    if (which & SRC_SET_A) {
        src_bank_release_to_matrix(&state->srca, (uint8_t)CONFIG_GET(config, THCON_SEC0_REG2_Out_data_format));
        state->srca.unpacker_row[thread] = (uint8_t)(CONFIG_GET(thread_config, SRCA_SET_Base) << 4);
    }
    if (which & SRC_SET_B) {
        src_bank_release_to_matrix(&state->srcb, (uint8_t)CONFIG_GET(config, THCON_SEC1_REG2_Out_data_format));
        state->srcb.unpacker_row[thread] = (uint8_t)(CONFIG_GET(thread_config, SRCB_SET_Base) << 4);
    }
}
