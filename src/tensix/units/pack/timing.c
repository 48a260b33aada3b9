#include "tensix/units/pack/timing.h"

#include "isa/tensix_isa.h"
#include "tensix/units/pack/writes.h"
#include "tensix/units/state.h"
#include "time/timing.h"

/* When the rows that the PACR reads can be read. */
static uint64_t readable(const struct tensix_state *state, unsigned thread, uint32_t word)
{
    struct args_PACR args = decode_PACR(word);
    const uint32_t *config = config_bank(&state->config, thread);
    const struct adc *adc = &state->addr.adc[pack_adc_thread(thread, &args)][ADC_PACKER];
    bool row32 = CONFIG_GET(config, PCK_DEST_RD_CTRL_Read_32b_data);
    uint32_t bytes_of_row = row32 ? ROW_COLUMNS * 4 : ROW_COLUMNS * 2;
    uint32_t row =
        pack_input_address(config, adc) / bytes_of_row + CONFIG_GET(config, DEST_TARGET_REG_CFG_PACK_SEC0_Offset);
    uint32_t place = dst_place(&state->dst, row32, row % DST_ROWS);
    return state->timing.matrix.dst.readable[place / DST_BLOCK_ROWS];
}

bool pack_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next)
{
    struct tensix_state *state = tensix->state;
    struct tensix_timing *timing = &state->timing;
    uint64_t time = timing->pack.accepts;
    timing->pack.row_bytes = 0;
    timing->pack.writes.fresh = 0;
    if (next->word >> 24 == TENSIX_OPCODE_PACR && !decode_PACR(next->word).ZeroWrite) {
        uint64_t there = readable(state, thread, next->word);
        time = time < there ? there : time;
    }
    return timing_wait_until(timing, thread, time);
}

void pack_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed)
{
    struct tensix_timing *timing = &tensix->state->timing;
    struct pack_timing *pack = &timing->pack;
    uint32_t cycles = (pack->row_bytes + TIMING_PACK_INTERFACE_BYTES - 1) / TIMING_PACK_INTERFACE_BYTES;
    pack->accepts = timing->now[thread] + (cycles ? cycles : 1) + tensix->state->lag.delay;
    pack->reads_until = cycles ? pack->accepts : pack->reads_until;
    timing_busy(timing, BUSY_PACK, thread, pack->accepts + TIMING_PACK_LATENCY);
    pack_writes_due(&pack->writes, pack->accepts + TIMING_PACK_LATENCY);
}
