#include "watch/filter.h"
#include "util/arguments.h"
#include "util/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum bh_unit watch_unit(uint32_t word)
{
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)(word >> 24));
    return instruction ? (enum bh_unit)instruction->unit : BH_UNIT_FRONTEND;
}

static bool find_core(const char *name, uint32_t *cores)
{
    for (unsigned core = 0; core < WATCH_CORES; core++) {
        if (strcmp(name, bh_core_name((enum bh_core)core)) == 0) {
            *cores |= 1u << core;
            return true;
        }
    }
    return false;
}

static bool find_unit(const char *name, uint32_t *units)
{
    for (unsigned unit = 0; unit < BH_UNITS; unit++) {
        if (unit != BH_UNIT_FRONTEND && strcmp(name, bh_unit_name((enum bh_unit)unit)) == 0) {
            *units |= 1u << unit;
            return true;
        }
    }
    return false;
}

enum bh_status watch_filter_make(struct watch_filter *filter, const struct watch_names *names, struct bh_error *error)
{
    *filter = (struct watch_filter){
        .all = !names->core_count && !names->unit_count, .from = names->from, .to = names->to ? names->to : UINT64_MAX};
    if (filter->from > filter->to) {
        return fail(error, BH_ERROR_ARGUMENT, "the time ends before it begins");
    }
    if ((unsigned)names->mode >= BH_MODES) {
        return fail(error, BH_ERROR_ARGUMENT, "there is no such mode");
    }
    if (arguments_array(names->tiles, names->tile_count, "tiles", error) != BH_OK ||
        arguments_pointers(names->cores, names->core_count, "cores", error) != BH_OK ||
        arguments_pointers(names->units, names->unit_count, "units", error) != BH_OK) {
        return BH_ERROR_ARGUMENT;
    }
    for (unsigned i = 0; i < names->core_count; i++) {
        if (!find_core(names->cores[i], &filter->cores)) {
            return fail(error, BH_ERROR_ARGUMENT,
                        "no core '%s'; there are B, T0, T1, T2, NC, E0, E1 of Ethernet tiles, and DRISC of DRAM tiles",
                        names->cores[i]);
        }
    }
    for (unsigned i = 0; i < names->unit_count; i++) {
        if (!find_unit(names->units[i], &filter->units)) {
            return fail(error, BH_ERROR_ARGUMENT,
                        "no unit '%s'; there are sync, scalar, config, addr, unpack, matrix, vector, pack, mover",
                        names->units[i]);
        }
    }
    return BH_OK;
}
