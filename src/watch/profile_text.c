/* The page of a profile for a terminal. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/bits.h"
#include "watch/profile_figures.h"
#include "watch/profile_state.h"

enum {
    LINES_SHOWN = 15,
    WAITS_SHOWN = 12,
    FRAMES_SHOWN = 3,
    TILES_SHOWN = 5,
    SAMPLES_FOR_RATES = 20,
    BAR = 16,
    WIDTH = 110
};

/* A number with commas, right-justified. */
static const char *number(uint64_t value, char text[32])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value), at = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) {
            text[at++] = ',';
        }
        text[at++] = digits[i];
    }
    text[at] = 0;
    return text;
}

static double part(uint64_t of, uint64_t all)
{
    return all ? 100.0 * (double)of / (double)all : 0;
}

/* Of the time of all tiles of the profile; "": functional mode, which knows no time. */
static const char *share(const struct bh_profile_result *result, uint64_t cycles, char text[16])
{
    text[0] = 0;
    if (result->mode == BH_MODE_TIMED) {
        (void)snprintf(text, 16, "%.1f%%", part(cycles, result->cycles * result->tile_count));
    }
    return text;
}

static const char *bar(double percent, char text[BAR + 1])
{
    int filled = (int)(percent / 100 * BAR + 0.5);
    filled = filled < 0 ? 0 : filled > BAR ? BAR : filled;
    memset(text, '#', (size_t)filled);
    memset(text + filled, '.', (size_t)(BAR - filled));
    text[BAR] = 0;
    return text;
}

static uint64_t waiting_of(const struct bh_profile_agent *agent)
{
    uint64_t cycles = 0;
    for (unsigned state = BH_PROFILE_WAITING; state < BH_PROFILE_STATES; state++) {
        cycles += agent->cycles[state];
    }
    return cycles;
}

static void write_head(const struct bh_profile_result *result, FILE *file)
{
    char cycles[32], riscv[32], tensix[32];
    bool timed = result->mode == BH_MODE_TIMED;
    fprintf(file, "profile of %s\n", result->title ? result->title : "a device");
    fprintf(file, "  %s %s", number(result->cycles, cycles), bh_mode_counts(result->mode));
    if (timed) {
        fprintf(file, " (%.1f us at 1.35 GHz)", (double)result->cycles / 1350.0);
    }
    fprintf(file, " on %u tile%s; %s RISC-V and %s Tensix instructions\n", result->tile_count,
            result->tile_count == 1 ? "" : "s", number(result->riscv_instructions, riscv),
            number(result->tensix_instructions, tensix));
    if (!timed) {
        fprintf(file, "  Emulated steps are no measure of time: look at the counts, or run with --timed for cycles.\n");
    }
    if (result->every) {
        fprintf(file, "  %s samples, one in about %s %s: counts of lines and waits are samples\n",
                number(result->samples, riscv), number(result->every, tensix), timed ? "cycles" : "steps");
    }
}

static unsigned tiles_with(const struct bh_profile_result *result, unsigned agent)
{
    unsigned count = 0;
    for (unsigned i = 0; i < result->tile_count; i++) {
        count += profile_has_agent(&result->tiles[i], agent);
    }
    return count;
}

static void write_agents(const struct bh_profile_result *result, FILE *file)
{
    char text[32], most[BAR + 1];
    bool timed = result->mode == BH_MODE_TIMED;
    fprintf(file, "\n  %-10s %8s %8s %8s %8s  %14s %8s  %s\n", "", "running", "waiting", "idle", "stopped",
            "instructions", timed ? "a cycle" : "", "running");
    for (unsigned agent = 0; agent < BH_PROFILE_AGENTS; agent++) {
        const struct bh_profile_agent *of = &result->total.agent[agent];
        if (!of->instructions && !waiting_of(of)) {
            continue;
        }
        char rate[16] = "";
        const uint64_t all = result->cycles * tiles_with(result, agent);
        uint64_t seen = of->cycles[BH_PROFILE_RUNNING] + of->cycles[BH_PROFILE_WAITING + BH_PROFILE_POLLS];
        if (timed && seen >= SAMPLES_FOR_RATES * result->every) {
            (void)snprintf(rate, sizeof rate, "%.2f", profile_rate_of(of));
        }
        fprintf(file, "  %-10s %7.1f%% %7.1f%% %7.1f%% %7.1f%%  %14s %8s  %s\n", profile_agent_name(agent),
                part(of->cycles[BH_PROFILE_RUNNING], all), part(waiting_of(of), all),
                part(of->cycles[BH_PROFILE_IDLE], all), part(of->cycles[BH_PROFILE_STOPPED], all),
                number(of->instructions, text), rate, bar(part(of->cycles[BH_PROFILE_RUNNING], all), most));
    }
}

static void write_units(const struct bh_profile_result *result, FILE *file)
{
    char text[32], most[BAR + 1];
    bool timed = result->mode == BH_MODE_TIMED;
    uint64_t all = result->cycles * result->tile_count;
    if (!result->tensix_instructions || result->every) {
        return;
    }
    fprintf(file, "\n  %-10s %14s  %s\n", "unit", "instructions", timed ? "busy" : "");
    for (unsigned unit = BH_UNIT_FRONTEND + 1; unit < BH_UNITS; unit++) {
        const struct bh_profile_unit *of = &result->total.unit[unit];
        if (!of->instructions) {
            continue;
        }
        fprintf(file, "  %-10s %14s", bh_unit_name((enum bh_unit)unit), number(of->instructions, text));
        if (timed && unit == BH_UNIT_UNPACK) {
            fprintf(file, "  %5.1f %% and %.1f %%, of unpacker 0 and 1", part(result->total.unpacker_cycles[0], all),
                    part(result->total.unpacker_cycles[1], all));
        } else if (timed) {
            double busy = part(of->cycles, all);
            fprintf(file, "  %5.1f %%  %s", busy, bar(busy, most));
        }
        fputc('\n', file);
    }
}

static void write_matrix(const struct bh_profile_result *result, const struct profile_figures *figures, FILE *file)
{
    const struct bh_profile_tile *total = &result->total;
    char text[32];
    if (total->flop_instructions) {
        bool others = total->mvmul == 0;
        fprintf(file, "  matrix unit: %s %s", number(others ? total->flop_instructions : total->mvmul, text),
                others ? "instructions that compute" : "MVMULs");
        if (figures->phases) {
            fprintf(file, " of %s (by phase: %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ")",
                    profile_fidelity_name(figures->phases), total->phase[0], total->phase[1], total->phase[2],
                    total->phase[3]);
        }
        fputc('\n', file);
        if (result->mode == BH_MODE_TIMED) {
            double rate = others ? figures->flop_rate / figures->flop_peak : figures->mvmul_rate;
            fprintf(file, "    %.3f a cycle (at most 1); %.3g FLOP a cycle, %.1f %% of the peak of %.0f\n", rate,
                    figures->flop_rate, 100 * figures->flop_rate / figures->flop_peak, figures->flop_peak);
        }
    }
    if (total->vector_flop) {
        fprintf(file, "  vector unit: %s FLOP", number(total->vector_flop, text));
        if (result->mode == BH_MODE_TIMED) {
            fprintf(file, ", %.1f a cycle (at most 64)", figures->vector_flop_rate);
        }
        fputc('\n', file);
    }
}

/* Bytes of one kind; a line is left out if there were none. */
static void write_bytes(const struct bh_profile_result *result, const char *what, uint64_t bytes, uint64_t busy,
                        FILE *file)
{
    char text[32];
    if (!bytes) {
        return;
    }
    fprintf(file, "  %-14s %14s", what, number(bytes, text));
    if (result->mode == BH_MODE_TIMED && result->cycles) {
        fprintf(file, " %10.1f", (double)bytes / (double)result->cycles);
    }
    if (result->mode == BH_MODE_TIMED && busy) {
        fprintf(file, " %12.1f", (double)bytes / (double)busy);
    }
    fputc('\n', file);
}

static void write_bytes_moved(const struct bh_profile_result *result, const struct profile_figures *figures, FILE *file)
{
    const struct bh_profile_tile *total = &result->total;
    bool timed = result->mode == BH_MODE_TIMED;
    struct bh_profile_bytes dram = {};
    for (unsigned i = 0; i < COUNT_OF(result->dram); i++) {
        dram.read += result->dram[i].read;
        dram.written += result->dram[i].written;
    }
    fprintf(file, "\n  %-14s %14s%s\n", "moved", "bytes", timed ? "    a cycle   while busy" : "");
    write_bytes(result, "unpacker 0", total->unpacker[0].read, total->unpacker_cycles[0], file);
    write_bytes(result, "unpacker 1", total->unpacker[1].read, total->unpacker_cycles[1], file);
    write_bytes(result, "packer", figures->packed, total->unit[BH_UNIT_PACK].cycles, file);
    write_bytes(result, "L1, all", figures->l1_bytes, 0, file);
    write_bytes(result, "NoC in", figures->noc_in, 0, file);
    write_bytes(result, "NoC out", figures->noc_out, 0, file);
    write_bytes(result, "DRAM read", dram.read, 0, file);
    write_bytes(result, "DRAM written", dram.written, 0, file);
}

/* Of several tiles: those that compute most, then those that move most. */

static bool does_more(const struct bh_profile_tile *a, const struct bh_profile_tile *b, uint64_t cycles)
{
    uint64_t left = a->flop + a->vector_flop, right = b->flop + b->vector_flop;
    return left != right ? left > right
                         : profile_figures_of(a, cycles).l1_bytes > profile_figures_of(b, cycles).l1_bytes;
}

static const struct bh_profile_tile *next_tile(const struct bh_profile_result *result, const bool *shown)
{
    const struct bh_profile_tile *best = NULL;
    for (unsigned i = 0; i < result->tile_count; i++) {
        const struct bh_profile_tile *tile = &result->tiles[i];
        best = !shown[i] && (!best || does_more(tile, best, result->cycles)) ? tile : best;
    }
    return best;
}

static uint64_t running_of(const struct bh_profile_tile *tile)
{
    uint64_t cycles = 0;
    for (unsigned core = 0; core < BH_PROFILE_CORES; core++) {
        cycles += tile->agent[core].cycles[BH_PROFILE_RUNNING];
    }
    return cycles;
}

static int by_running(const void *left, const void *right)
{
    const struct bh_profile_tile *const *a = left, *const *b = right;
    uint64_t one = running_of(*a), other = running_of(*b);
    return one != other ? (one < other) - (one > other) : (*a > *b) - (*a < *b);
}

/* Of samples, which know nothing of units and bytes: those whose cores run most, core by core. */
static void write_sampled_tiles(const struct bh_profile_result *result, FILE *file)
{
    const struct bh_profile_tile *tiles[PROFILE_GRID_X * PROFILE_GRID_Y];
    char name[16];
    for (unsigned i = 0; i < result->tile_count; i++) {
        tiles[i] = &result->tiles[i];
    }
    qsort(tiles, result->tile_count, sizeof(void *), by_running);
    fprintf(file, "\n  %-10s", "running");
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        fprintf(file, " %8s", bh_core_name((enum bh_core)core));
    }
    fputc('\n', file);
    for (unsigned i = 0; i < result->tile_count && i < TILES_SHOWN; i++) {
        (void)snprintf(name, sizeof name, "%u-%u", tiles[i]->x, tiles[i]->y);
        fprintf(file, "  %-10s", name);
        for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
            fprintf(file, " %7.1f%%", part(tiles[i]->agent[core].cycles[BH_PROFILE_RUNNING], result->cycles));
        }
        fputc('\n', file);
    }
    if (result->tile_count > TILES_SHOWN) {
        fprintf(file, "  and %u more\n", result->tile_count - TILES_SHOWN);
    }
}

static void write_tiles(const struct bh_profile_result *result, FILE *file)
{
    char bytes[32], in[32], out[32], name[16], busy[16] = "";
    bool shown[PROFILE_GRID_X * PROFILE_GRID_Y] = {};
    bool timed = result->mode == BH_MODE_TIMED;
    if (result->tile_count < 2) {
        return;
    }
    fprintf(file, "\n  %-10s %12s %14s %14s %14s\n", "tiles", timed ? "matrix unit" : "", "bytes of L1", "NoC in",
            "NoC out");
    for (unsigned i = 0; i < result->tile_count && i < TILES_SHOWN; i++) {
        const struct bh_profile_tile *tile = next_tile(result, shown);
        const struct profile_figures figures = profile_figures_of(tile, result->cycles);
        shown[tile - result->tiles] = true;
        (void)snprintf(name, sizeof name, "%u-%u", tile->x, tile->y);
        if (timed) {
            (void)snprintf(busy, sizeof busy, "%.1f %%", 100 * figures.matrix_busy);
        }
        fprintf(file, "  %-10s %12s %14s %14s %14s\n", name, busy, number(figures.l1_bytes, bytes),
                number(figures.noc_in, in), number(figures.noc_out, out));
    }
    if (result->tile_count > TILES_SHOWN) {
        fprintf(file, "  and %u more\n", result->tile_count - TILES_SHOWN);
    }
}

/* The innermost functions of a place, one a line. */
static void write_frames(const char *source, FILE *file)
{
    for (unsigned i = 0; source && i < FRAMES_SHOWN; i++) {
        const char *end = strstr(source, "), in ");
        fprintf(file, "  %-46s %s%.*s\n", "", i ? "in " : "", end ? (int)(end - source) + 1 : WIDTH, source);
        source = end ? end + strlen("), in ") : NULL;
    }
}

static void write_waits(const struct bh_profile_result *result, FILE *file)
{
    char text[32], count[32], percent[16], others[24];
    bool timed = result->mode == BH_MODE_TIMED;
    if (!result->wait_count) {
        return;
    }
    fprintf(file, "\n  %-10s %14s %8s %10s  %s\n", "waits", timed ? "cycles" : "steps", timed ? "of all" : "",
            result->every ? "samples" : "times", "for");
    for (unsigned i = 0; i < result->wait_count && i < WAITS_SHOWN; i++) {
        const struct bh_profile_wait *wait = &result->waits[i];
        fprintf(file, "  %-10s %14s %8s %10s  %s", profile_agent_name(wait->agent), number(wait->cycles, text),
                share(result, wait->cycles, percent), number(wait->count, count), wait->text);
        if (wait->tiles > 1) {
            fprintf(file, ", on %u tiles", wait->tiles);
        }
        if (wait->source) {
            fputc('\n', file);
            write_frames(wait->source, file);
        } else {
            fprintf(file, ", at 0x%08x\n", wait->pc);
        }
    }
    if (result->wait_count > WAITS_SHOWN) {
        uint64_t cycles = 0;
        for (unsigned i = WAITS_SHOWN; i < result->wait_count; i++) {
            cycles += result->waits[i].cycles;
        }
        (void)snprintf(others, sizeof others, "%u others", result->wait_count - WAITS_SHOWN);
        fprintf(file, "  %-10s %14s %8s %10s  %s\n", others, number(cycles, text), "", "", "(they are in the JSON)");
    }
}

static void write_lines(const struct bh_profile_result *result, FILE *file)
{
    char running[32], waiting[32], count[32], percent[16], others[24];
    bool timed = result->mode == BH_MODE_TIMED;
    if (!result->line_count) {
        return;
    }
    fprintf(file, "\n  %-10s %12s %12s %8s %14s  %s\n", "lines", timed ? "running" : "steps", "waiting",
            timed ? "of all" : "", result->every ? "samples" : "instructions", "where");
    for (unsigned i = 0; i < result->line_count && i < LINES_SHOWN; i++) {
        const struct bh_profile_line *line = &result->lines[i];
        fprintf(file, "  %-10s %12s %12s %8s %14s  %s (%s)\n", profile_agent_name(line->agent),
                number(line->running, running), number(line->waiting, waiting),
                share(result, line->running + line->waiting, percent), number(line->count, count), line->function,
                line->line);
    }
    if (result->line_count > LINES_SHOWN) {
        struct bh_profile_line all = {};
        for (unsigned i = LINES_SHOWN; i < result->line_count; i++) {
            all.running += result->lines[i].running;
            all.waiting += result->lines[i].waiting;
            all.count += result->lines[i].count;
        }
        (void)snprintf(others, sizeof others, "%u others", result->line_count - LINES_SHOWN);
        fprintf(file, "  %-10s %12s %12s %8s %14s  %s\n", others, number(all.running, running),
                number(all.waiting, waiting), "", number(all.count, count), "(they are in the JSON)");
    }
}

void profile_write_text(const struct bh_profile *profile, FILE *file)
{
    const struct bh_profile_result *result = &profile->result;
    struct profile_figures figures = profile_figures_of(&result->total, result->cycles * result->tile_count);
    write_head(result, file);
    if (result->tile_count == 0 || result->cycles == 0) {
        fprintf(file, "  Nothing ran on these tiles in this time.\n");
        return;
    }
    write_agents(result, file);
    write_units(result, file);
    if (result->every) {
        write_sampled_tiles(result, file);
    } else {
        fputc('\n', file);
        write_matrix(result, &figures, file);
        write_bytes_moved(result, &figures, file);
        write_tiles(result, file);
    }
    write_waits(result, file);
    write_lines(result, file);
}
