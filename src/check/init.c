/* initcheck: reads of what nobody has written since the program began. A load of a core counts if none of its bytes was
   written, a transfer of a unit or of the NoC if it takes 16 bytes of which none was: what lies between data is often
   moved along. */
#include <inttypes.h>
#include <stdio.h>

#include "check/order.h"
#include "check/words.h"
#include "isa/tensix_facts.h"
#include "isa/tensix_isa.h"
#include "noc/coordinates.h"
#include "tensix/frontend/frontend.h"

enum { BASE_FIRMWARE = 0x70000 }; /* up to the end of an Ethernet tile's L1 (tt-metal dev_mem_map.h) */
enum { FIRST_CONSTANT = 8, LAST_CONSTANT = 10, LANE_NUMBERS = 15, FIRST_TEMPLATE = 12 }; /* LRegs that hardware sets */

static const char *const memory_names[] = {
    [BH_SPACE_L1] = "L1", [BH_SPACE_DRAM] = "DRAM", [BH_SPACE_LOCAL_RAM] = "local RAM"};
static const char *const memory_rules[] = {
    [BH_SPACE_L1] = "initcheck.l1", [BH_SPACE_DRAM] = "initcheck.dram", [BH_SPACE_LOCAL_RAM] = "initcheck.local"};
static const char memory_because[] = "memories hold anything after power-up, and what the last program has left: a "
                                     "program has to write before it reads";

static void report_memory(struct bh_check *check, const struct bh_access *access, const struct check_actor *actor,
                          uint64_t address)
{
    char reader[80], what[160];
    check_name_part(check, actor->part, actor->place, reader, sizeof reader);
    (void)snprintf(what, sizeof what, "%s reads %s 0x%" PRIx64, reader, memory_names[access->space], address);
    check_report(check,
                 &(struct check_found){.tool = BH_CHECK_INITIALISATION,
                                       .severity = BH_SEVERITY_ERROR,
                                       .rule = memory_rules[access->space],
                                       .because = memory_because,
                                       .later = actor->place,
                                       .later_what = what},
                 "", "%s, which nobody has written", what);
}

/* The address from which on the access reads what was not written; UINT64_MAX: there is none. */
static uint64_t unwritten(struct bh_check *check, uint32_t home, const struct bh_access *access, bool by_core)
{
    uint64_t end = access->address + access->size;
    bool all = true;
    for (uint64_t at = access->address; at < end; at = (at / CELL_BYTES + 1) * CELL_BYTES) {
        const struct cell *cell = cells_at(&check->cells, home, (enum bh_space)access->space, at, false);
        uint32_t bytes = cell_bytes(at, end), written = cell ? cell->written & bytes : 0;
        all &= !written;
        if (!by_core && !written && bytes == CELL_WHOLE) {
            return at;
        }
    }
    return by_core && all ? access->address : UINT64_MAX;
}

/* A core's own RAM is a memory of its own; units do not reach it. */
void init_local_ram(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    struct bh_access access = event->access;
    uint32_t home = check_local_home(tile, event->index);
    if (!check_has(check, BH_CHECK_INITIALISATION) || event->agent != BH_AGENT_CORE || !check->has_actor ||
        check->cells.dropped) {
        return;
    }
    if (!access.write) {
        uint64_t at = unwritten(check, home, &access, true);
        if (at != UINT64_MAX) {
            report_memory(check, &access, &check->actor, at);
        }
        return;
    }
    for (uint64_t at = access.address, end = at + access.size; at < end; at = (at / CELL_BYTES + 1) * CELL_BYTES) {
        struct cell *cell = cells_at(&check->cells, home, BH_SPACE_LOCAL_RAM, at, true);
        if (cell) {
            cell->written |= cell_bytes(at, end);
        }
        check->failed |= !cell;
    }
}

void init_memory(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct bh_access *access = &event->access;
    if (!check_has(check, BH_CHECK_INITIALISATION) || access->write || !check->has_actor || check->cells.dropped) {
        return; /* what was dropped may have been written */
    }
    if (access->space == BH_SPACE_L1 && access->address >= BASE_FIRMWARE &&
        noc_tile_kind(tile->x, tile->y) == TILE_ETHERNET) {
        return; /* firmware has written there before the program began, and nobody was told */
    }
    uint64_t at =
        unwritten(check, check_home(tile, (enum bh_space)access->space), access, event->agent == BH_AGENT_CORE);
    if (at != UINT64_MAX) {
        report_memory(check, access, &check->actor, at);
    }
}

/* Registers of the coprocessor. */

static const char *const operand_rules[BH_OPERAND_FILES] = {
    [BH_OPERAND_GPR] = "initcheck.gpr",  [BH_OPERAND_CONFIG] = "initcheck.config", [BH_OPERAND_DST] = "initcheck.dst",
    [BH_OPERAND_SRCA] = "initcheck.src", [BH_OPERAND_SRCB] = "initcheck.src",      [BH_OPERAND_LREG] = "initcheck.lreg",
};

/* A MOP of a template whose counts, flags or instructions nobody has written expands to nothing, or to what the last
   program has left. `event`: it is pushed. */
void init_mop(struct bh_check *check, const struct check_tile *tile, const struct bh_event *event, unsigned thread,
              uint32_t word)
{
    enum { OUTER_COUNT = 1 << 0, INNER_COUNT = 1 << 1, LOOP_OP = 1 << 5, FLAGS = 1 << 1 };
    unsigned type = decode_MOP(word).mop_type;
    struct mop_counts given = mop_given_counts(word);
    unsigned needed =
        type ? (given.outer ? 0 : OUTER_COUNT) | (given.inner ? 0 : INNER_COUNT) | LOOP_OP : (unsigned)FLAGS;
    char what[100];
    if (!check_has(check, BH_CHECK_INITIALISATION) || !(needed & ~tile->mop_written[thread])) {
        return;
    }
    (void)snprintf(what, sizeof what, "T%u pushes a MOP of template %u", thread, type);
    check_report(check,
                 &(struct check_found){.tool = BH_CHECK_INITIALISATION,
                                       .severity = BH_SEVERITY_ERROR,
                                       .rule = "initcheck.mop",
                                       .because = "the MOP expander works with what its configuration holds, which is "
                                                  "anything after reset (MOPExpander.md)",
                                       .later = check_place_of(check, event),
                                       .later_what = what},
                 "write the template before the MOP", "%s, whose configuration nobody has written", what);
}

/* SEMWAIT until semaphores are below their maximum, which only SEMINIT sets. That their value is 0 programs rely on:
   those that end leave it so. */
void init_semwait(struct bh_check *check, const struct check_tile *tile, const struct bh_event *event, uint32_t word)
{
    enum { ON_MAXIMUM = 2 };
    struct args_SEMWAIT args = decode_SEMWAIT(word);
    for (unsigned i = 0; i < CHECK_SEMAPHORES && args.wait_sem_cond & ON_MAXIMUM; i++) {
        if (!(args.sem_sel >> i & 1) || tile->semaphores[i].written || !check_has(check, BH_CHECK_INITIALISATION)) {
            continue;
        }
        char what[100];
        (void)snprintf(what, sizeof what, "thread T%u waits for semaphore %u to be below its maximum", event->index, i);
        check_report(check,
                     &(struct check_found){.tool = BH_CHECK_INITIALISATION,
                                           .severity = BH_SEVERITY_ERROR,
                                           .rule = "initcheck.semaphore",
                                           .because = "the maximum of a semaphore is what the last program has left, "
                                                      "until SEMINIT sets it (SEMINIT.md)",
                                           .later = check_place_of(check, event),
                                           .later_what = what},
                     "SEMINIT before the SEMWAIT", "%s, which nobody has set", what);
    }
}

/* GAPOOL and TRNSPSRCB make each row or column of their result of one row of SrcB: those that nobody has written do not
   spoil the others, and programs that need one row unpack no more. `cell` is that of a row. */
static bool spoils_only_its_row(const struct bh_event *event, const struct check_race *row, const struct cell *cell)
{
    const struct cell *first = cell - row->index + event->operand.index % CHECK_SRC_ROWS;
    uint32_t opcode = event->instruction >> 24;
    bool by_row = opcode == TENSIX_OPCODE_GAPOOL || opcode == TENSIX_OPCODE_TRNSPSRCB;
    return by_row && event->operand.file == BH_OPERAND_SRCB && first->written;
}

void init_operand(struct bh_check *check, const struct bh_event *event, const struct check_race *object,
                  const struct cell *cell)
{
    const char *rule = operand_rules[event->operand.file];
    bool constant = event->operand.file == BH_OPERAND_LREG && object->index >= FIRST_CONSTANT &&
                    (object->index <= LAST_CONSTANT || object->index == LANE_NUMBERS);
    bool becomes_template =
        event->operand.file == BH_OPERAND_LREG && tensix_operands_of(event->instruction).vd >= FIRST_TEMPLATE;
    /* Kernels transpose what they will not use along with what they will. */
    bool moves = event->operand.file == BH_OPERAND_LREG && event->instruction >> 24 == TENSIX_OPCODE_SFPTRANSP;
    bool half = event->operand.file == BH_OPERAND_LREG && event->instruction >> 24 == TENSIX_OPCODE_SFPLOADI;
    bool implicit = event->operand.file == BH_OPERAND_CONFIG && event->instruction >> 24 != TENSIX_OPCODE_RDCFG;
    if (event->operand.write || cell->written || !rule || implicit || constant || becomes_template || half || moves ||
        !check->has_actor || spoils_only_its_row(event, object, cell)) {
        return;
    }
    char reader[80], name[100], what[200];
    check_name_part(check, check->actor.part, check->actor.place, reader, sizeof reader);
    check_name_object(object, name, sizeof name);
    (void)snprintf(what, sizeof what, "%s reads %s", reader, name);
    check_report(check,
                 &(struct check_found){.tool = BH_CHECK_INITIALISATION,
                                       .severity = BH_SEVERITY_ERROR,
                                       .rule = rule,
                                       .because = "registers hold anything after reset, and what the last program has "
                                                  "left: a program has to write before it reads",
                                       .later = check->actor.place,
                                       .later_what = what},
                 "", "%s, which nobody has written", what);
}
