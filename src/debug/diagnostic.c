#include "debug/diagnostic.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const uint8_t policies[][BH_CATEGORY_COUNT] = {
    [BH_POLICY_DEFAULT] = {[BH_UNDEFINED_BEHAVIOR] = BH_STOP,
                           [BH_UNPREDICTABLE_VALUE] = BH_WARN,
                           [BH_NON_CONTRACTUAL] = BH_WARN,
                           [BH_UNSUPPORTED] = BH_STOP,
                           [BH_HAZARD] = BH_STOP,
                           [BH_DEADLOCK] = BH_STOP,
                           [BH_BAD_INPUT] = BH_STOP,
                           [BH_INTERNAL_ERROR] = BH_STOP},
    [BH_POLICY_STRICT] = {BH_STOP, BH_STOP, BH_STOP, BH_STOP, BH_STOP, BH_STOP, BH_STOP, BH_STOP},
    [BH_POLICY_SILICON] = {[BH_UNDEFINED_BEHAVIOR] = BH_WARN,
                           [BH_UNPREDICTABLE_VALUE] = BH_IGNORE,
                           [BH_NON_CONTRACTUAL] = BH_IGNORE,
                           [BH_UNSUPPORTED] = BH_STOP,
                           [BH_HAZARD] = BH_WARN,
                           [BH_DEADLOCK] = BH_STOP,
                           [BH_BAD_INPUT] = BH_STOP,
                           [BH_INTERNAL_ERROR] = BH_STOP},
};

void diagnostics_set_policy(struct diagnostics *diagnostics, enum bh_policy_preset preset)
{
    memcpy(diagnostics->policy, policies[preset], sizeof diagnostics->policy);
}

/* Over the text's format and the PC: the same on every run, whatever the addresses of strings are. Eight bytes at a
   time, for a program may warn of the same with every instruction. */
uint32_t diagnostic_hash(const char *text, uint32_t pc)
{
    const uint64_t multiplier = 0x9e3779b97f4a7c15;
    uint64_t hash = pc, eight;
    size_t length = strlen(text);
    for (; length; text += sizeof eight) {
        size_t bytes = length < sizeof eight ? length : sizeof eight;
        eight = 0;
        if (bytes == sizeof eight) {
            memcpy(&eight, text, sizeof eight);
        } else {
            memcpy(&eight, text, bytes);
        }
        hash = (hash ^ eight) * multiplier;
        hash ^= hash >> 29;
        length -= bytes;
    }
    return (uint32_t)(hash * multiplier >> 32) | 1; /* 0 marks a free place */
}

/* The place of a format in the library, which is nowhere near 4 GiB. */
static uint32_t place_of(const char *text)
{
    static const char origin[] = "";
    return (uint32_t)((uintptr_t)text - (uintptr_t)origin);
}

/* Where a warning is looked for that was given just before. */
static struct repeated_warning *repeated_warning(struct diagnostics *diagnostics, const char *text, uint32_t pc)
{
    return &diagnostics->repeated[(place_of(text) >> 3 ^ pc >> 2) % DIAGNOSTICS_REPEATED];
}

static bool is_repeated(struct diagnostics *diagnostics, const char *text, uint32_t pc)
{
    const struct repeated_warning *known = repeated_warning(diagnostics, text, pc);
    return known->text == place_of(text) && known->pc == pc && diagnostics->warned[known->site] == known->hash;
}

static bool already_warned(struct diagnostics *diagnostics, const char *text, uint32_t pc)
{
    if (is_repeated(diagnostics, text, pc)) {
        return true;
    }
    uint32_t hash = diagnostic_hash(text, pc), site = 0;
    while (site < DIAGNOSTICS_SITES && diagnostics->warned[site] != hash && diagnostics->warned[site] != 0) {
        site++;
    }
    if (site == DIAGNOSTICS_SITES) {
        return true; /* a program that has this many different warnings has been warned */
    }
    bool known = diagnostics->warned[site] == hash;
    diagnostics->warned[site] = hash;
    *repeated_warning(diagnostics, text, pc) = (struct repeated_warning){place_of(text), pc, hash, site};
    return known;
}

static enum step record(struct diagnostics *diagnostics, enum bh_category category, bool once, const char *format,
                        va_list arguments)
{
    enum bh_action action = (enum bh_action)diagnostics->policy[category];
    if (action == BH_IGNORE) {
        return STEP_DONE;
    }
    if (action == BH_WARN && already_warned(diagnostics, format, once ? 0 : diagnostics->now.pc)) {
        return STEP_DONE;
    }
    /* What stops the tile takes the last place rather than getting lost behind warnings. */
    uint32_t place = diagnostics->count < DIAGNOSTICS_KEPT ? diagnostics->count : DIAGNOSTICS_KEPT - 1;
    if (diagnostics->count < DIAGNOSTICS_KEPT || action == BH_STOP) {
        struct bh_diagnostic *entry = &diagnostics->entries[place];
        *entry = (struct bh_diagnostic){
            .category = category,
            .action = action,
            .tile_x = diagnostics->tile_x,
            .tile_y = diagnostics->tile_y,
            .agent = (enum bh_agent)diagnostics->now.agent,
            .index = diagnostics->now.index,
            .pc = diagnostics->now.pc,
            .instruction = diagnostics->now.instruction,
            .cycle = diagnostics->now.cycle,
        };
        vsnprintf(entry->text, sizeof entry->text, format, arguments);
        const uint64_t bit = UINT64_C(1) << place;
        diagnostics->once = once && action == BH_WARN ? diagnostics->once | bit : diagnostics->once & ~bit;
    }
    diagnostics->count++;
    if (action == BH_STOP) {
        diagnostics->stopped_at = diagnostics->stopped ? diagnostics->stopped_at : diagnostics->now.cycle;
        diagnostics->stopped = true;
        return STEP_STOP;
    }
    return STEP_DONE;
}

enum step diagnose(struct diagnostics *diagnostics, enum bh_category category, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    enum step step = record(diagnostics, category, false, format, arguments);
    va_end(arguments);
    return step;
}

enum step diagnose_once(struct diagnostics *diagnostics, enum bh_category category, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    enum step step = record(diagnostics, category, true, format, arguments);
    va_end(arguments);
    return step;
}

const char *bh_category_name(enum bh_category category)
{
    static const char *const names[BH_CATEGORY_COUNT] = {
        [BH_UNDEFINED_BEHAVIOR] = "UndefinedBehavior",
        [BH_UNPREDICTABLE_VALUE] = "UnpredictableValue",
        [BH_NON_CONTRACTUAL] = "NonContractual",
        [BH_UNSUPPORTED] = "Unsupported",
        [BH_HAZARD] = "Hazard",
        [BH_DEADLOCK] = "Deadlock",
        [BH_BAD_INPUT] = "BadInput",
        [BH_INTERNAL_ERROR] = "InternalError",
    };
    return (unsigned)category < BH_CATEGORY_COUNT ? names[category] : "Unknown";
}

const char *bh_core_name(enum bh_core core)
{
    static const char *const names[] = {"B", "T0", "T1", "T2", "NC", "E0", "E1", "DRISC"};
    return (unsigned)core < BH_CORE_KINDS ? names[core] : "?";
}
