/* Code in L1: which words cores have executed since they were written, and who writes to these. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/owned.h"
#include "check/words.h"

enum { SOFT_RESET_0 = 0xffb121b0 };

void code_executes(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    uint32_t pc = event->place.pc;
    tile->running |= (uint8_t)(1 << check_core(event->index));
    if (pc >= CHECK_CODE_BYTES) {
        return;
    }
    uint64_t *word = &tile->code[pc / 4 / 64], bit = UINT64_C(1) << pc / 4 % 64;
    if (!(*word & bit)) {
        *word |= bit;
        races_fetch(check, tile, event);
    }
}

/* Cores that are put into reset run nothing, until they execute again. */
static void resets(struct check_tile *tile, const struct bh_access *access)
{
    static const uint32_t bits[BH_CORE_COUNT] = {[BH_CORE_B] = 1 << 11,
                                                 [BH_CORE_T0] = 1 << 12,
                                                 [BH_CORE_T1] = 1 << 13,
                                                 [BH_CORE_T2] = 1 << 14,
                                                 [BH_CORE_NC] = 1 << 18};
    if (!access->data || access->size != sizeof(uint32_t)) {
        return;
    }
    uint32_t value;
    memcpy(&value, access->data, sizeof value);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        if (value & bits[core]) {
            tile->running &= (uint8_t) ~(1 << core);
        }
    }
    if (!tile->running) { /* nobody is within a program */
        memset(tile->code, 0, sizeof tile->code);
    }
}

/* The core that is within the program to which an address belongs; CHECK_CORES: none. */
static unsigned runs_at(const struct bh_check *check, const struct check_tile *tile, uint64_t address)
{
    const struct owned_list *list = owned_in(check, tile->number);
    for (unsigned i = 0; i < list->count; i++) {
        const struct owned *owned = &list->item[i];
        for (unsigned core = 0; core < CHECK_CORES && owned->what.kind == BH_CHECK_CODE; core++) {
            if (owned->what.cores >> core & tile->running >> core & 1 && owned_has(owned, address) &&
                owned_has(owned, tile->core[core].pc)) {
                return core;
            }
        }
    }
    return CHECK_CORES;
}

/* Programs are loaded by the host, and over the NoC: that is wrong only while a core runs what was there. */
static void written(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct bh_access *access = &event->access;
    bool niu = event->agent == BH_AGENT_NIU, loads = event->agent == BH_AGENT_HOST || !check->has_actor;
    uint64_t end = access->address + access->size;
    for (uint64_t at = access->address & ~UINT64_C(3); at < end && at < CHECK_CODE_BYTES; at += 4) {
        uint64_t *word = &tile->code[at / 4 / 64], bit = UINT64_C(1) << at / 4 % 64;
        if (!(*word & bit)) {
            continue;
        }
        *word &= ~bit; /* a program that is loaded over another one is new */
        unsigned core = niu && !loads ? runs_at(check, tile, at) : CHECK_CORES;
        if (loads || (niu && core == CHECK_CORES) || !check_has(check, BH_CHECK_MEMORY)) {
            continue;
        }
        char who[80], where[80] = "where code is that was executed", what[240];
        check_name_part(check, check->actor.part, check->actor.place, who, sizeof who);
        if (core != CHECK_CORES) {
            (void)snprintf(where, sizeof where, "in the program that %s runs", bh_core_name((enum bh_core)core));
        }
        (void)snprintf(what, sizeof what, "%s writes L1 0x%" PRIx64 ", %s", who, at, where);
        check_report(check,
                     &(struct check_found){.tool = BH_CHECK_MEMORY,
                                           .severity = BH_SEVERITY_ERROR,
                                           .rule = "memcheck.code",
                                           .because = "instruction caches do not follow L1: what is executed next is "
                                                      "chance (InstructionCache.md)",
                                           .later = check->actor.place,
                                           .later_what = what},
                     "another address, or a layout that keeps code apart", "%s", what);
    }
}

void code_access(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct bh_access *access = &event->access;
    if (access->write && access->space == BH_SPACE_L1) {
        written(check, tile, event);
    } else if (access->write && access->space == BH_SPACE_REGISTER && access->address == SOFT_RESET_0) {
        resets(tile, access);
    }
}
