/* memcheck: unpackers, the packer and the mover that begin in a buffer of L1 and go on behind it. An instruction of an
   unpacker, and a transfer of the mover, begins where its first access is. The packer goes on from one instruction to
   the next until its address is written. */
#include <inttypes.h>
#include <stdio.h>

#include "check/owned.h"
#include "check/words.h"
#include "tensix/units/config/config.h"
#include "util/bits.h"

enum { CONFIG = 0xffef0000 };

static bool is_packer_address(uint32_t word)
{
    static const uint16_t words[] = {THCON_SEC0_REG1_L1_Dest_addr_ADDR32, THCON_SEC0_REG8_L1_Dest_addr_ADDR32,
                                     THCON_SEC1_REG1_L1_Dest_addr_ADDR32, THCON_SEC1_REG8_L1_Dest_addr_ADDR32};
    for (unsigned i = 0; i < COUNT_OF(words); i++) {
        if (word == words[i]) {
            return true;
        }
    }
    return false;
}

void walks_operand(struct check_tile *tile, const struct bh_operand *operand)
{
    for (unsigned i = 0; operand->write && operand->file == BH_OPERAND_CONFIG && i < operand->count; i++) {
        tile->walk[WALK_PACKER].new_address |= is_packer_address(operand->index + i);
    }
}

void walks_register(struct check_tile *tile, const struct bh_access *access)
{
    if (access->write && access->address >= CONFIG) {
        uint32_t word = (uint32_t)(access->address - CONFIG) / 4 % CHECK_CONFIG_WORDS;
        tile->walk[WALK_PACKER].new_address |= is_packer_address(word);
    }
}

static unsigned walk_of(const struct bh_event *event)
{
    switch (event->agent) {
    case BH_AGENT_UNPACKER: return WALK_UNPACKER + (event->index & 1u);
    case BH_AGENT_PACKER: return WALK_PACKER;
    case BH_AGENT_MOVER: return event->access.write ? WALK_MOVER_WRITES : WALK_MOVER_READS;
    default: return CHECK_WALKS;
    }
}

static void report(struct bh_check *check, const struct bh_access *access, const struct owned *buffer)
{
    bool circular = buffer->what.kind == BH_CHECK_CIRCULAR_BUFFER;
    uint64_t end = access->address + access->size, begin = owned_end(buffer);
    char who[80], name[200];
    check_name_part(check, check->actor.part, check->actor.place, who, sizeof who);
    owned_name(buffer, name, sizeof name);
    begin = access->address > begin ? access->address : begin;
    check_report(check,
                 &(struct check_found){.tool = BH_CHECK_MEMORY,
                                       .severity = BH_SEVERITY_ERROR,
                                       .rule = circular ? "memcheck.circular-buffer" : "memcheck.buffer",
                                       .because = "what begins in a buffer ends in it: what lies behind belongs to "
                                                  "others (docs/jobs.md)",
                                       .later = check->actor.place},
                 circular ? "pages as large as what is packed and unpacked, and room or data for all of them"
                          : "fewer data, or a larger buffer",
                 "%s %s %" PRIu64 " bytes at 0x%" PRIx64 ", behind the end of %s, in which it began", who,
                 access->write ? "writes" : "reads", end - begin, begin, name);
}

void walks_access(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct bh_access *access = &event->access;
    const struct owned_list *list = owned_in(check, tile->number);
    unsigned number = walk_of(event);
    if (number == CHECK_WALKS || !list->count || !check->has_actor) {
        return;
    }
    struct check_walk *walk = &tile->walk[number];
    bool next = walk->end == access->address;
    bool same = number == WALK_PACKER ? !walk->new_address : walk->step == check->actor.step;
    if (next && number == WALK_PACKER && walk->new_address && check->options.mode == BH_MODE_TIMED) {
        walk->buffer = 0; /* what it had still to write of the instruction before, or the first of the new address */
    } else if (!next || !same) {
        const struct owned *begins = owned_buffer_at(check, tile->number, access->address);
        walk->buffer = begins ? (uint32_t)(begins - list->item) + 1 : 0;
    }
    walk->new_address = false;
    walk->step = check->actor.step;
    walk->end = access->address + access->size;
    const struct owned *buffer = walk->buffer ? &list->item[walk->buffer - 1] : NULL;
    if (buffer && walk->end > owned_end(buffer)) {
        report(check, access, buffer);
        walk->buffer = 0; /* told once */
    }
}
