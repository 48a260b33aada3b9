/* memcheck: arguments of a launch. Each core reads those of its own kernel, as many as the launch has. */
#include <inttypes.h>
#include <stdio.h>

#include "check/owned.h"

static bool is_of(const struct owned *owned, unsigned core)
{
    return owned->what.kind == BH_CHECK_ARGUMENTS && owned->what.cores >> core & 1;
}

/* The core's own arguments behind which an address lies; null: it has none before it. */
static const struct owned *own_before(const struct owned_list *list, unsigned core, uint64_t address)
{
    const struct owned *best = NULL;
    for (unsigned i = 0; i < list->count; i++) {
        const struct owned *owned = &list->item[i];
        if (is_of(owned, core) && owned->what.address <= address &&
            (!best || owned->what.address > best->what.address)) {
            best = owned;
        }
    }
    return best;
}

/* Whether an address lies among arguments, and in none of the core's. */
static bool is_of_others(const struct owned_list *list, unsigned core, uint64_t address)
{
    bool among = false;
    for (unsigned i = 0; i < list->count; i++) {
        const struct owned *owned = &list->item[i];
        if (owned->what.kind == BH_CHECK_ARGUMENTS && owned_has(owned, address)) {
            if (is_of(owned, core)) {
                return false;
            }
            among = true;
        }
    }
    return among;
}

void arguments_read(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct owned_list *list = owned_in(check, tile->number);
    unsigned core = check_core(event->index);
    uint64_t address = event->access.address;
    if (!is_of_others(list, core, address)) {
        return;
    }
    char what[240];
    const struct owned *own = own_before(list, core, address);
    const char *who = bh_core_name((enum bh_core)core);
    if (own) {
        (void)snprintf(what, sizeof what,
                       "%s reads word %" PRIu64 " of its %s (0x%" PRIx64 "), of which there are %" PRIu64, who,
                       (address - own->what.address) / 4, own->what.name ? own->what.name : "arguments", address,
                       own->what.size / 4);
    } else {
        (void)snprintf(what, sizeof what, "%s reads 0x%" PRIx64 ", where arguments of other cores are: it has none",
                       who, address);
    }
    check_report(check,
                 &(struct check_found){.tool = BH_CHECK_MEMORY,
                                       .severity = BH_SEVERITY_ERROR,
                                       .rule = "memcheck.arguments",
                                       .because = "a kernel has the arguments that its launch gives it; what lies "
                                                  "behind them belongs to others, and is whatever was there",
                                       .later = check_place_of(check, event)},
                 "more arguments in the launch, or a smaller index", "%s", what);
}
