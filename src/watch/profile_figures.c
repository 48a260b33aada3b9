#include "watch/profile_figures.h"

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

double profile_rate_of(const struct bh_profile_agent *agent)
{
    return ratio(agent->instructions,
                 agent->cycles[BH_PROFILE_RUNNING] + agent->cycles[BH_PROFILE_WAITING + BH_PROFILE_POLLS]);
}

const char *profile_fidelity_name(unsigned phases)
{
    static const char *const names[] = {"", "LoFi", "HiFi2", "HiFi3", "HiFi4"};
    return names[phases % 5];
}

struct profile_figures profile_figures_of(const struct bh_profile_tile *tile, uint64_t cycles)
{
    struct profile_figures figures = {
        .matrix_busy = ratio(tile->unit[BH_UNIT_MATRIX].cycles, cycles),
        .vector_busy = ratio(tile->unit[BH_UNIT_VECTOR].cycles, cycles),
        .mvmul_rate = ratio(tile->mvmul, cycles),
        .flop_rate = ratio(tile->flop, cycles),
        .flop_peak = ratio(tile->flop, tile->flop_instructions),
        .vector_flop_rate = ratio(tile->vector_flop, cycles),
        .packed = tile->l1_traffic[BH_AGENT_PACKER].written,
    };
    figures.pack_rate = ratio(figures.packed, cycles);
    figures.pack_rate_busy = ratio(figures.packed, tile->unit[BH_UNIT_PACK].cycles);
    for (unsigned i = 0; i < 2; i++) {
        figures.unpacked += tile->unpacker[i].read;
        figures.unpack_rate[i] = ratio(tile->unpacker[i].read, cycles);
        figures.unpack_rate_busy[i] = ratio(tile->unpacker[i].read, tile->unpacker_cycles[i]);
        figures.noc_in += tile->noc[i].written;
        figures.noc_out += tile->noc[i].read;
    }
    for (unsigned i = 0; i < BH_AGENTS; i++) {
        figures.l1_bytes += i == BH_AGENT_HOST ? 0 : tile->l1_traffic[i].read + tile->l1_traffic[i].written;
    }
    for (unsigned phase = 0; phase < 4; phase++) {
        figures.phases = tile->phase[phase] ? phase + 1 : figures.phases;
    }
    return figures;
}
