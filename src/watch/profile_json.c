/* Profiles as JSON; docs/profile.md describes it. Zeroes are left out of lists by name. */
#include <stdlib.h>

#include "util/bits.h"
#include "util/json.h"
#include "watch/profile_figures.h"
#include "watch/profile_state.h"

static const double clock_hz = 1.35e9;

static void put(struct json *json, const char *name, uint64_t value)
{
    json_name(json, name);
    json_unsigned(json, value);
}

static void put_text(struct json *json, const char *name, const char *value)
{
    json_name(json, name);
    json_text(json, value);
}

/* Rounded to six significant digits: more say nothing. */
static void put_rate(struct json *json, const char *name, double value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%.6g", value);
    json_name(json, name);
    json_double(json, strtod(text, NULL));
}

static void put_bytes(struct json *json, struct bh_profile_bytes bytes)
{
    json_begin_object(json);
    put(json, "read", bytes.read);
    put(json, "written", bytes.written);
    json_end_object(json);
}

static uint64_t cycles_of(const struct bh_profile_agent *agent)
{
    uint64_t cycles = 0;
    for (unsigned state = 0; state < BH_PROFILE_STATES; state++) {
        cycles += agent->cycles[state];
    }
    return cycles;
}

static void put_agents(struct json *json, const struct bh_profile *profile, const struct bh_profile_tile *tile)
{
    json_name(json, "agents");
    json_begin_object(json);
    for (unsigned agent = 0; agent < BH_PROFILE_AGENTS; agent++) {
        const struct bh_profile_agent *of = &tile->agent[agent];
        bool tensix = agent < BH_CORE_COUNT || profile_is_thread(agent);
        bool idle = tensix ? !cycles_of(of) : !of->instructions;
        if (idle || !profile_shows_agent(profile, agent)) {
            continue;
        }
        json_name(json, profile_agent_name(agent));
        json_begin_object(json);
        put(json, "instructions", of->instructions);
        put_rate(json, "per_cycle", profile_rate_of(of));
        json_name(json, "cycles");
        json_begin_object(json);
        for (unsigned state = 0; state < BH_PROFILE_STATES; state++) {
            if (of->cycles[state]) {
                put(json, bh_profile_state_name(state), of->cycles[state]);
            }
        }
        json_end_object(json);
        json_end_object(json);
    }
    json_end_object(json);
}

static void put_units(struct json *json, const struct bh_profile_tile *tile)
{
    json_name(json, "units");
    json_begin_object(json);
    for (unsigned unit = BH_UNIT_FRONTEND + 1; unit < BH_UNITS; unit++) {
        json_name(json, bh_unit_name((enum bh_unit)unit));
        json_begin_object(json);
        put(json, "instructions", tile->unit[unit].instructions);
        put(json, "cycles", tile->unit[unit].cycles);
        json_end_object(json);
    }
    json_end_object(json);
}

static void put_memory(struct json *json, const struct bh_profile_tile *tile)
{
    json_name(json, "unpackers");
    json_begin_array(json);
    for (unsigned i = 0; i < 2; i++) {
        json_begin_object(json);
        put(json, "read", tile->unpacker[i].read);
        put(json, "cycles", tile->unpacker_cycles[i]);
        json_end_object(json);
    }
    json_end_array(json);
    json_name(json, "l1");
    json_begin_object(json);
    for (unsigned agent = 0; agent < BH_AGENTS; agent++) {
        if (tile->l1_traffic[agent].read || tile->l1_traffic[agent].written) {
            json_name(json, bh_agent_name((enum bh_agent)agent));
            put_bytes(json, tile->l1_traffic[agent]);
        }
    }
    json_end_object(json);
    json_name(json, "noc");
    json_begin_array(json);
    for (unsigned noc = 0; noc < 2; noc++) {
        json_begin_object(json);
        put(json, "out", tile->noc[noc].read);
        put(json, "in", tile->noc[noc].written);
        json_end_object(json);
    }
    json_end_array(json);
}

static void put_figures(struct json *json, const struct bh_profile_tile *tile, uint64_t cycles)
{
    const struct profile_figures figures = profile_figures_of(tile, cycles);
    json_name(json, "figures");
    json_begin_object(json);
    put_rate(json, "matrix_busy", figures.matrix_busy);
    put_rate(json, "vector_busy", figures.vector_busy);
    put_rate(json, "mvmul_per_cycle", figures.mvmul_rate);
    put_text(json, "fidelity", profile_fidelity_name(figures.phases));
    put_rate(json, "flop_per_cycle", figures.flop_rate);
    put_rate(json, "flop_peak_per_cycle", figures.flop_peak);
    put_rate(json, "vector_flop_per_cycle", figures.vector_flop_rate);
    put_rate(json, "unpack0_bytes_per_cycle", figures.unpack_rate[0]);
    put_rate(json, "unpack1_bytes_per_cycle", figures.unpack_rate[1]);
    put_rate(json, "pack_bytes_per_cycle", figures.pack_rate);
    put_rate(json, "unpack0_bytes_per_busy_cycle", figures.unpack_rate_busy[0]);
    put_rate(json, "unpack1_bytes_per_busy_cycle", figures.unpack_rate_busy[1]);
    put_rate(json, "pack_bytes_per_busy_cycle", figures.pack_rate_busy);
    put(json, "l1_bytes", figures.l1_bytes);
    put(json, "unpacked_bytes", figures.unpacked);
    put(json, "packed_bytes", figures.packed);
    put(json, "noc_in_bytes", figures.noc_in);
    put(json, "noc_out_bytes", figures.noc_out);
    json_end_object(json);
}

static void put_tile(struct json *json, const struct bh_profile *profile, const struct bh_profile_tile *tile,
                     uint64_t cycles, bool total)
{
    json_begin_object(json);
    if (!total) {
        put(json, "x", tile->x);
        put(json, "y", tile->y);
        put_text(json, "kind", tile->ethernet ? "Ethernet" : tile->dram ? "DRAM" : "Tensix");
    }
    put_agents(json, profile, tile);
    put_units(json, tile);
    json_name(json, "phases");
    json_begin_array(json);
    for (unsigned i = 0; i < 4; i++) {
        json_unsigned(json, tile->phase[i]);
    }
    json_end_array(json);
    put(json, "mvmul", tile->mvmul);
    put(json, "flop", tile->flop);
    put(json, "flop_instructions", tile->flop_instructions);
    put(json, "vector_flop", tile->vector_flop);
    put_memory(json, tile);
    put_figures(json, tile, cycles);
    json_end_object(json);
}

static void put_wait(struct json *json, const struct bh_profile_wait *wait)
{
    json_begin_object(json);
    put_text(json, "agent", profile_agent_name(wait->agent));
    put_text(json, "reason", bh_profile_state_name(BH_PROFILE_WAITING + wait->wait.reason));
    put(json, "detail", wait->wait.detail);
    put_text(json, "for", wait->text);
    put(json, "pc", wait->pc);
    put_text(json, "source", wait->source);
    put(json, "tiles", wait->tiles);
    put(json, "count", wait->count);
    put(json, "cycles", wait->cycles);
    put(json, "longest", wait->longest);
    json_end_object(json);
}

static void put_line(struct json *json, const struct bh_profile_line *line)
{
    json_begin_object(json);
    put_text(json, "agent", profile_agent_name(line->agent));
    put_text(json, "function", line->function);
    put_text(json, "line", line->line);
    put(json, "pc", line->pc);
    put(json, "count", line->count);
    put(json, "running", line->running);
    put(json, "waiting", line->waiting);
    json_end_object(json);
}

/* One lane of a timeline, up to its last bin that is not 0; nothing if there is none. */
static void put_bins(struct json *json, const char *name, const uint64_t *bins, uint32_t count)
{
    while (count && !bins[count - 1]) {
        count--;
    }
    if (!count) {
        return;
    }
    json_name(json, name);
    json_begin_array(json);
    for (uint32_t i = 0; i < count; i++) {
        json_unsigned(json, bins[i]);
    }
    json_end_array(json);
}

/* In the order in which data take their way. */
static const struct {
    const char *name;
    unsigned unit;
} unit_lanes[] = {
    {"sync", BH_UNIT_SYNC},           {"scalar", BH_UNIT_SCALAR}, {"config", BH_UNIT_CONFIG},
    {"addr", BH_UNIT_ADDR},           {"mover", BH_UNIT_MOVER},   {"unpack 0", BH_UNIT_UNPACK},
    {"unpack 1", PROFILE_UNPACKER_1}, {"matrix", BH_UNIT_MATRIX}, {"vector", BH_UNIT_VECTOR},
    {"pack", BH_UNIT_PACK},
};

static void put_timeline(struct json *json, const struct bh_profile *profile, const struct profile_tile *tile)
{
    const struct profile_timeline *timeline = tile->timeline;
    json_begin_object(json);
    put(json, "x", tile->sums.x);
    put(json, "y", tile->sums.y);
    put(json, "from", timeline->from);
    put(json, "width", timeline->width);
    put(json, "bins", timeline->bins);
    json_name(json, "agents");
    json_begin_object(json);
    for (unsigned agent = 0; agent < BH_PROFILE_AGENTS; agent++) {
        if (tile->agent[agent].begun && profile_shows_agent(profile, agent)) {
            json_name(json, profile_agent_name(agent));
            json_begin_object(json);
            for (unsigned state = BH_PROFILE_RUNNING; state < BH_PROFILE_STATES; state++) {
                put_bins(json, bh_profile_state_name(state), profile_timeline_states(timeline, agent, state),
                         timeline->bins);
            }
            json_end_object(json);
        }
    }
    json_end_object(json);
    json_name(json, "units");
    json_begin_object(json);
    for (unsigned i = 0; i < COUNT_OF(unit_lanes); i++) {
        unsigned lane = unit_lanes[i].unit, unit = lane == PROFILE_UNPACKER_1 ? BH_UNIT_UNPACK : lane;
        if (profile_shows_unit(profile, unit)) {
            put_bins(json, unit_lanes[i].name, profile_timeline_units(timeline, lane), timeline->bins);
        }
    }
    json_end_object(json);
    json_name(json, "bytes");
    json_begin_object(json);
    put_bins(json, "NoC in", profile_timeline_units(timeline, PROFILE_NOC_IN), timeline->bins);
    put_bins(json, "NoC out", profile_timeline_units(timeline, PROFILE_NOC_OUT), timeline->bins);
    json_end_object(json);
    json_end_object(json);
}

static void put_timelines(struct json *json, const struct bh_profile *profile)
{
    json_name(json, "timelines");
    json_begin_array(json);
    for (unsigned i = 0; i < PROFILE_GRID_X * PROFILE_GRID_Y; i++) {
        const struct profile_tile *tile = profile->tiles[i / PROFILE_GRID_X][i % PROFILE_GRID_X];
        if (tile && tile->timeline) {
            put_timeline(json, profile, tile);
        }
    }
    json_end_array(json);
}

static void put_peaks(struct json *json)
{
    json_name(json, "peaks");
    json_begin_object(json);
    for (unsigned i = 0; i < PROFILE_PEAKS; i++) {
        put_rate(json, profile_rates[i].name, (double)profile_rates[i].numerator / profile_rates[i].denominator);
    }
    json_end_object(json);
}

void profile_write_json(const struct bh_profile *profile, FILE *file)
{
    const struct bh_profile_result *result = &profile->result;
    struct json json = json_to(file);
    json.lines = true;
    json_begin_object(&json);
    put(&json, "version", 1);
    put_text(&json, "title", result->title);
    put_text(&json, "mode", result->mode == BH_MODE_TIMED ? "timed" : "functional");
    put_text(&json, "counts", bh_mode_counts(result->mode));
    put_rate(&json, "clock_hz", clock_hz);
    put(&json, "from", result->from);
    put(&json, "cycles", result->cycles);
    put(&json, "riscv_instructions", result->riscv_instructions);
    put(&json, "tensix_instructions", result->tensix_instructions);
    put(&json, "left_out", result->left_out);
    put(&json, "every", result->every);
    put(&json, "samples", result->samples);
    put_peaks(&json);
    json_name(&json, "total");
    put_tile(&json, profile, &result->total, result->cycles * result->tile_count, true);
    json_name(&json, "dram");
    json_begin_array(&json);
    for (unsigned i = 0; i < 8; i++) {
        put_bytes(&json, result->dram[i]);
    }
    json_end_array(&json);
    json_name(&json, "waits");
    json_begin_array(&json);
    for (unsigned i = 0; i < result->wait_count; i++) {
        put_wait(&json, &result->waits[i]);
    }
    json_end_array(&json);
    json_name(&json, "lines");
    json_begin_array(&json);
    for (unsigned i = 0; i < result->line_count; i++) {
        put_line(&json, &result->lines[i]);
    }
    json_end_array(&json);
    json_name(&json, "tiles");
    json_begin_array(&json);
    for (unsigned i = 0; i < result->tile_count; i++) {
        put_tile(&json, profile, &result->tiles[i], result->cycles, false);
    }
    json_end_array(&json);
    put_timelines(&json, profile);
    json_end_object(&json);
    fputc('\n', file);
}
