#include "check/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/order.h"
#include "isa/tensix_config_names.h"
#include "isa/tensix_isa.h"
#include "isa/tensix_table.h"
#include "util/bits.h"

/* Names. */

static const char *const unit_names[CHECK_PARTS] = {
    [PART_UNPACKER] = "unpacker 0",    [PART_UNPACKER + 3] = "unpacker 1",
    [PART_MATRIX] = "the matrix unit", [PART_VECTOR] = "the vector unit",
    [PART_PACKER] = "the packer",      [PART_SCALAR] = "the scalar unit",
    [PART_LOADED] = "the scalar unit", [PART_CONFIG] = "the configuration unit",
    [PART_MOVER] = "the mover",
};

static const char *core_name(unsigned core)
{
    const char *name = bh_core_name((enum bh_core)core);
    return name ? name : "?";
}

void check_name_part(const struct bh_check *check, unsigned part, uint32_t place, char *text, size_t size)
{
    const struct check_known_place *at = &check->places[place];
    unsigned x = at->tile % CHECK_GRID, y = at->tile / CHECK_GRID;
    if (is_core_part(part)) {
        (void)snprintf(text, size, "%s", core_name(core_of_part(part)));
    } else if (part < PART_MOP) {
        (void)snprintf(text, size, "thread T%u", part - PART_THREAD);
    } else if (part < PART_UNPACKER) {
        (void)snprintf(text, size, "the MOP expander of T%u", part - PART_MOP);
    } else if (is_dma_part(part)) {
        (void)snprintf(text, size, "a copy of %s by DMA", core_name(at->index));
    } else if (part < PART_NOC_READ) {
        (void)snprintf(text, size, at->agent == BH_AGENT_THREAD ? "%s for T%u" : "%s for core %u",
                       unit_names[unit_of_part(part)], at->index);
    } else {
        (void)snprintf(text, size, "a request of %s of %u-%u over NoC %u", core_name(at->index), x, y,
                       (part - PART_NOC_READ) % 2);
    }
}

/* A field of the word that has some of the bits; 0: any. */
static void name_config(unsigned word, uint32_t bits, bool thread, char *text, size_t size)
{
    size_t count;
    const struct tensix_config_field *fields = tensix_config_fields(thread, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t mask = (uint32_t)(((UINT64_C(1) << fields[i].width) - 1) << fields[i].shift);
        if (fields[i].address == word && (!bits || (bits & mask))) {
            (void)snprintf(text, size, "%s", fields[i].name);
            return;
        }
    }
    (void)snprintf(text, size, "word %u", word);
}

void check_name_object(const struct check_race *race, char *text, size_t size)
{
    char field[64];
    unsigned index = (unsigned)race->index;
    switch (race->object) {
    case OBJECT_L1:
    case OBJECT_L1_CACHED: (void)snprintf(text, size, "L1 0x%" PRIx64, race->index); break;
    case OBJECT_DRAM: (void)snprintf(text, size, "DRAM 0x%" PRIx64, race->index); break;
    case OBJECT_GPR: (void)snprintf(text, size, "GPR %u of T%u", index, race->number); break;
    case OBJECT_CONFIG:
    case OBJECT_CONFIG_UNSETTLED:
        name_config(index, race->both, false, field, sizeof field);
        (void)snprintf(text, size, "Config[%u].%s", race->number, field);
        break;
    case OBJECT_THREAD_CONFIG:
        name_config(index, race->both, true, field, sizeof field);
        (void)snprintf(text, size, "ThreadConfig[%u].%s", race->number, field);
        break;
    case OBJECT_DST:
    case OBJECT_DST_UNSETTLED: (void)snprintf(text, size, "Dst row %u", index); break;
    case OBJECT_SRCA: (void)snprintf(text, size, "SrcA bank %u row %u", race->number, index); break;
    case OBJECT_SRCB: (void)snprintf(text, size, "SrcB bank %u row %u", race->number, index); break;
    case OBJECT_REQUEST:
    case OBJECT_REGISTER: (void)snprintf(text, size, "register 0x%" PRIx64, race->index); break;
    case OBJECT_SEMAPHORE: (void)snprintf(text, size, "semaphore %u", index); break;
    case OBJECT_LREG:
    case OBJECT_LREG_UNSETTLED:
    case OBJECT_LREG_SCHEDULED: (void)snprintf(text, size, "LReg[%u]", index); break;
    case OBJECT_COUNTERS:
        (void)snprintf(text, size, "the address counters of T%u for %s", race->number,
                       index == 2 ? "the packer" : unit_names[PART_UNPACKER + 3 * index]);
        break;
    default: (void)snprintf(text, size, "the MOP template of T%u", race->number); break;
    }
}

/* Rules. */

struct rule {
    const char *name, *because;
};

static const struct rule rules[CHECK_OBJECTS] = {
    [OBJECT_L1] = {"racecheck.l1", "cores and units access L1 in no order of their own: a flag that is polled, a "
                                   "semaphore or a wait has to stand between them (MemoryOrdering.md)"},
    [OBJECT_L1_CACHED] = {"racecheck.l1",
                          "the data cache of a core does not follow L1: a load may see what was there before "
                          "until a fence empties the cache (MemoryOrdering.md)"},
    [OBJECT_DRAM] = {"racecheck.dram", "requests of different tiles reach DRAM in no order of their own (Ordering.md)"},
    [OBJECT_GPR] = {"racecheck.gpr", "a GPR has its value when the unit that writes it is done; only a STALLWAIT, "
                                     "FLUSHDMA or TTSync waits for that (ScalarUnit.md, LOADIND.md)"},
    [OBJECT_CONFIG] = {"racecheck.config", "units read their configuration while they work, and stores to it arrive "
                                           "later than instructions (BackendConfiguration.md)"},
    [OBJECT_CONFIG_UNSETTLED] = {"racecheck.config", "the instruction right behind WRCFG or CFGSHIFTMASK does not see "
                                                     "what it writes (WRCFG.md)"},
    [OBJECT_THREAD_CONFIG] = {"racecheck.config", "units read their configuration while they work "
                                                  "(BackendConfiguration.md)"},
    [OBJECT_DST] = {"racecheck.dst", "packer, unpackers and the threads that compute share Dst; only semaphores behind "
                                     "a STALLWAIT order them (Dst.md, SyncUnit.md)"},
    [OBJECT_DST_UNSETTLED] = {"racecheck.dst", "at least three instructions have to stand between a write of "
                                               "the matrix unit and a load of the vector unit (SFPLOAD.md)"},
    [OBJECT_SRCA] = {"racecheck.src", "the instruction does not wait for its bank of SrcA (MOVD2A.md, ZEROSRC.md)"},
    [OBJECT_SRCB] = {"racecheck.src", "the instruction does not wait for its bank of SrcB (MOVD2B.md, ZEROSRC.md)"},
    [OBJECT_REGISTER] = {"racecheck.register", "two agents that write one register overwrite each other's requests and "
                                               "counts (MemoryOrdering.md)"},
    [OBJECT_REQUEST] = {"racecheck.register",
                        "the NIU takes a request out of its registers some time after it was started, "
                        "when NOC_CMD_CTRL becomes 0 (NoC/MemoryMap.md)"},
    [OBJECT_SEMAPHORE] = {"racecheck.semaphore", "a post or a get that comes before SEMINIT is lost (SEMINIT.md)"},
    [OBJECT_LREG] = {"racecheck.lreg",
                     "the threads share the LRegs: a thread that uses what another one has left in them "
                     "has to wait for it (VectorUnit.md)"},
    [OBJECT_LREG_UNSETTLED] = {"racecheck.lreg",
                               "the result is there two cycles later, and hardware does not make this "
                               "instruction wait for it (SFPMAD.md)"},
    [OBJECT_LREG_SCHEDULED] = {"racecheck.lreg",
                               "nothing waits for what SFPLOADMACRO has scheduled: it counts cycles, which "
                               "instructions may take more or less of (SFPLOADMACRO.md, SFPMAD.md)"},
    [OBJECT_COUNTERS] = {"racecheck.adc", "address counters of a thread are in order with its own instructions only: "
                                          "those of others take what is there when they begin (ADCs.md)"},
    [OBJECT_MOP] = {"synccheck.mop", "the MOP expander reads its template while it expands (MOPExpander.md)"},
};

static const struct rule noc_rule = {
    "racecheck.noc", "a request on the NoC works on by itself: it has read or written L1 only when the counters of the "
                     "NIU say so (Counters.md)"};
static const struct rule store_rule = {
    "racecheck.l1", "a store to L1 and a store elsewhere are performed in no order; a load of what was stored "
                    "comes behind the store (MemoryOrdering.md)"};

static const struct rule answer_rule = {
    "racecheck.l1", "a load waits for an earlier one from another memory only if something has used what that has "
                    "loaded, or behind a fence (MemoryOrdering.md)"};

/* The store is only not known to be performed: what its core did before is known. */
#define DMA_RULE                                                                                                       \
    "a copy of the DMA engine ends some time after it was started: STATUS of its stream shows how many are under way " \
    "(tt-metal gddr_dma.h)"
static const struct rule dma_rules[CHECK_OBJECTS] = {
    [OBJECT_L1] = {"racecheck.l1", DMA_RULE},
    [OBJECT_DRAM] = {"racecheck.dram", DMA_RULE},
};

static bool is_unperformed(const struct check_race *race)
{
    unsigned part = race->earlier.part;
    return part >= PART_STORE && part < PART_CONFIG_STORE && race->object == OBJECT_L1 && race->later_knows_core;
}

static const struct rule *rule_of(const struct check_race *race)
{
    if (dma_rules[race->object].name && !is_unperformed(race) &&
        (is_dma_part(race->earlier.part) || is_dma_part(race->later.part))) {
        return &dma_rules[race->object];
    }
    if (race->object == OBJECT_L1 && (is_noc_part(race->earlier.part) || is_noc_part(race->later.part))) {
        return &noc_rule;
    }
    if (race->object == OBJECT_L1 && race->unanswered) {
        return &answer_rule;
    }
    return is_unperformed(race) ? &store_rule : &rules[race->object];
}

/* How to mend it. */

/* The condition of a STALLWAIT that waits for a unit; null: none does. */
static const char *condition_of(unsigned part)
{
    switch (unit_of_part(part)) {
    case PART_SCALAR:
    case PART_LOADED: return "THCON";
    case PART_UNPACKER: return "UNPACK0";
    case PART_UNPACKER + 3: return "UNPACK1";
    case PART_PACKER: return "PACK";
    case PART_MATRIX: return "MATH";
    case PART_VECTOR: return "WAIT_SFPU";
    case PART_MOVER: return "XMOV";
    case PART_CONFIG: return "CFGEXU";
    default: return part >= PART_CONFIG_STORE && part < PART_THREAD ? "TRISC_CFG" : NULL;
    }
}

/* The bit of the block mask that holds an instruction. */
static const char *block_of(uint32_t word)
{
    static const char *const names[] = {"STALL_TDMA",  "STALL_SYNC", "STALL_PACK", "STALL_UNPACK", "STALL_XMOV",
                                        "STALL_THCON", "STALL_MATH", "STALL_CFG",  "STALL_SFPU"};
    uint32_t class = tensix_block_class[word >> 24];
    for (unsigned i = COUNT_OF(names); i-- > 0;) {
        if (class >> i & 1) {
            return names[i];
        }
    }
    return "STALL_THREAD";
}

static const char *name_of(uint32_t word)
{
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)(word >> 24));
    return instruction ? instruction->name : "instruction";
}

/* The thread that an access belongs to, if it is one of a core T or of a thread. */
static unsigned thread_of(const struct check_known_place *place)
{
    if (place->agent == BH_AGENT_THREAD) {
        return place->index;
    }
    return place->agent == BH_AGENT_CORE && place->index >= BH_CORE_T0 && place->index <= BH_CORE_T2
               ? place->index - BH_CORE_T0
               : CHECK_THREADS;
}

/* What is at a place: the instruction of a thread, the store or load of a core. */
static const char *doing_at(const struct check_known_place *place, bool writes)
{
    return place->agent == BH_AGENT_THREAD ? name_of(place->word) : writes ? "store" : "load";
}

static void mend_threads(struct check_words *words, const struct check_known_place *later,
                         const struct check_known_place *earlier, const char *condition, bool earlier_writes)
{
    unsigned one = thread_of(earlier), other = thread_of(later);
    if (later->agent == BH_AGENT_THREAD && one == other) {
        (void)snprintf(words->mend, sizeof words->mend, "STALLWAIT(%s, %s) before the %s at pc 0x%x",
                       block_of(later->word), condition, name_of(later->word), later->pc);
    } else if (one == other) {
        (void)snprintf(words->mend, sizeof words->mend,
                       "wait until the thread is idle (read PCBuf + 4) before the access at pc 0x%x", later->pc);
    } else {
        (void)snprintf(words->mend, sizeof words->mend,
                       "in T%u STALLWAIT(STALL_SYNC, %s) and SEMPOST behind the %s at pc 0x%x, and wait for that "
                       "semaphore before pc 0x%x",
                       one, condition, doing_at(earlier, earlier_writes), earlier->pc, later->pc);
    }
}

/* Whether an access of a request on the NoC, which nothing orders behind another one of its tile, was rather to come
   before that: the core that has started the request did the other one behind that, or somebody else has read what the
   request fetches, where nothing was before. */
static bool was_to_come_first(const struct check_race *race, const struct check_known_place *later,
                              const struct check_known_place *earlier)
{
    const bool own = earlier->agent == BH_AGENT_CORE && later->agent == BH_AGENT_CORE && earlier->index == later->index;
    const bool fetches = race->later.part < PART_NOC_SOURCE && !race->earlier_writes && race->unwritten;
    return is_noc_part(race->later.part) && later->tile == earlier->tile && (own || fetches);
}

enum { PC_SIZE = 40 };

/* "0x200", with its tile if the other place is on another one: "0x200 (1-2)". */
static const char *pc_of(const struct check_known_place *place, const struct check_known_place *other, char *text)
{
    if (place->tile == other->tile) {
        (void)snprintf(text, PC_SIZE, "0x%x", place->pc);
    } else {
        (void)snprintf(text, PC_SIZE, "0x%x (%u-%u)", place->pc, place->tile % CHECK_GRID, place->tile / CHECK_GRID);
    }
    return text;
}

/* How to wait for what a request on the NoC does. */
static void mend_request(struct check_words *words, unsigned part, const struct check_known_place *request,
                         const struct check_known_place *other)
{
    bool read = part < PART_NOC_SOURCE, source = !read && part < PART_NOC_WRITE;
    char request_pc[PC_SIZE], other_pc[PC_SIZE];
    (void)snprintf(words->mend, sizeof words->mend, "wait for %s behind the request at pc %s, before pc %s",
                   read     ? "NIU_MST_RD_RESP_RECEIVED (or the response of the atomic operation)"
                   : source ? "NIU_MST_WR_ACK_RECEIVED, or until the request was sent,"
                            : "NIU_MST_WR_ACK_RECEIVED",
                   pc_of(request, other, request_pc), pc_of(other, request, other_pc));
}

static void mend_copy(struct check_words *words, const struct check_known_place *copy,
                      const struct check_known_place *other)
{
    char copy_pc[PC_SIZE], other_pc[PC_SIZE];
    (void)snprintf(words->mend, sizeof words->mend,
                   "wait behind pc %s until STATUS of the stream shows no such copy, before pc %s",
                   pc_of(copy, other, copy_pc), pc_of(other, copy, other_pc));
}

/* What an instruction has to wait for before it uses a bank: a thread's own unit that works on it; else until the bank
   is handed over to the unit that uses it. */
static const char *condition_of_bank(const struct check_race *race, const struct check_known_place *later,
                                     const struct check_known_place *earlier)
{
    const char *condition = condition_of(race->earlier.part);
    const bool a = race->object == OBJECT_SRCA, by_matrix = unit_of_part(race->later.part) == PART_MATRIX;
    if (condition && later->agent == BH_AGENT_THREAD && earlier->agent == BH_AGENT_THREAD &&
        later->index == earlier->index && unit_of_part(race->earlier.part) != unit_of_part(race->later.part)) {
        return condition;
    }
    return by_matrix ? a ? "SRCA_VLD" : "SRCB_VLD" : a ? "SRCA_CLR" : "SRCB_CLR";
}

/* A core executes what may not be there yet. */
static void mend_fetch(struct check_words *words, const struct check_race *race, const struct check_known_place *fetch,
                       const struct check_known_place *writer)
{
    char pc[PC_SIZE];
    (void)snprintf(words->mend, sizeof words->mend, "%s at pc %s, before the core is let go, or told to jump there",
                   is_noc_part(race->earlier.part)    ? race->earlier.part < PART_NOC_SOURCE
                                                            ? "wait for NIU_MST_RD_RESP_RECEIVED behind the request"
                                                            : "wait for NIU_MST_WR_ACK_RECEIVED behind the request"
                   : is_core_part(race->earlier.part) ? "load what was stored by the store"
                                                      : "wait for the unit behind the instruction",
                   pc_of(writer, fetch, pc));
}

static void mend(struct check_words *words, const struct bh_check *check, const struct check_race *race)
{
    const struct check_known_place *later = &check->places[race->later.place],
                                   *earlier = &check->places[race->earlier.place];
    const char *condition = condition_of(race->earlier.part);
    size_t size = sizeof words->mend;
    if (race->fetches) {
        mend_fetch(words, race, later, earlier);
    } else if (race->unanswered) {
        (void)snprintf(words->mend, size, "a fence before the access at pc 0x%x", later->pc);
    } else if (race->object == OBJECT_MOP) {
        (void)snprintf(words->mend, size, "wait until the expander is idle (read PCBuf + 8) before pc 0x%x", later->pc);
    } else if (race->object == OBJECT_L1_CACHED) {
        (void)snprintf(words->mend, size, "a fence (invalidate_l1_cache) before the load at pc 0x%x", later->pc);
    } else if (race->object == OBJECT_CONFIG_UNSETTLED) {
        (void)snprintf(words->mend, size, "an instruction that does not use it, such as NOP, before the %s at pc 0x%x",
                       name_of(later->word), later->pc);
    } else if (race->object == OBJECT_REQUEST) {
        (void)snprintf(words->mend, size, "wait until NOC_CMD_CTRL is 0 before pc 0x%x", later->pc);
    } else if (race->object == OBJECT_LREG_UNSETTLED) {
        (void)snprintf(words->mend, size, "SFPNOP before the %s at pc 0x%x", name_of(later->word), later->pc);
    } else if (race->object == OBJECT_LREG_SCHEDULED) {
        (void)snprintf(words->mend, size, "SFPNOP behind the SFPLOADMACRO at pc 0x%x until its sequence has ended",
                       race->later_writes ? later->pc : earlier->pc);
    } else if (race->object == OBJECT_DST_UNSETTLED) {
        (void)snprintf(words->mend, size, "STALLWAIT(STALL_SFPU, MATH) before the %s at pc 0x%x", name_of(later->word),
                       later->pc);
    } else if (is_noc_part(race->earlier.part)) {
        mend_request(words, race->earlier.part, earlier, later);
    } else if (is_dma_part(race->earlier.part)) {
        mend_copy(words, earlier, later);
    } else if (is_unperformed(race)) {
        (void)snprintf(words->mend, size, "load what the store at pc 0x%x has stored before pc 0x%x", earlier->pc,
                       later->pc);
    } else if (is_dma_part(race->later.part) &&
               later->tile == earlier->tile) { /* the core has not waited for its end */
        mend_copy(words, later, earlier);
    } else if (was_to_come_first(race, later, earlier)) {
        mend_request(words, race->later.part, later, earlier);
    } else if (race->object == OBJECT_SRCA || race->object == OBJECT_SRCB) {
        (void)snprintf(words->mend, size, "STALLWAIT(%s, %s) before the %s at pc 0x%x", block_of(later->word),
                       condition_of_bank(race, later, earlier), name_of(later->word), later->pc);
    } else if (condition && thread_of(later) < CHECK_THREADS && thread_of(earlier) < CHECK_THREADS) {
        mend_threads(words, later, earlier, condition, race->earlier_writes);
    } else if (condition && earlier->agent == BH_AGENT_THREAD) {
        (void)snprintf(words->mend, size,
                       "in T%u STALLWAIT(STALL_THCON, %s) behind the %s at pc 0x%x, then tell the other side",
                       earlier->index, condition, name_of(earlier->word), earlier->pc);
    } else {
        char earlier_pc[PC_SIZE], later_pc[PC_SIZE];
        (void)snprintf(words->mend, size, "%s between the access at pc %s and that at pc %s",
                       later->tile == earlier->tile ? "a flag in L1, a semaphore or a mailbox"
                                                    : "a flag in L1, or an atomic operation of the NoC",
                       pc_of(earlier, later, earlier_pc), pc_of(later, earlier, later_pc));
    }
}

void check_words_of_race(struct check_words *words, const struct bh_check *check, const struct check_race *race)
{
    char object[100], later[80], earlier[80];
    const struct rule *rule = rule_of(race);
    check_name_object(race, object, sizeof object);
    check_name_part(check, race->later.part, race->later.place, later, sizeof later);
    check_name_part(check, race->earlier.part, race->earlier.place, earlier, sizeof earlier);
    words->rule = rule->name;
    words->because = rule->because;
    words->severity = race->same_value      ? BH_SEVERITY_NOTE
                      : rule == &store_rule ? BH_SEVERITY_WARNING
                                            : BH_SEVERITY_ERROR;
    const char *does = race->fetches        ? "executes"
                       : race->later_writes ? "writes"
                                            : "reads",
               *did = race->earlier_writes ? "writes" : "reads";
    (void)snprintf(words->later, sizeof words->later, "%s %s %s", later, does, object);
    (void)snprintf(words->earlier, sizeof words->earlier, "%s %s it", earlier, did);
    (void)snprintf(words->message, sizeof words->message, "%s %s %s, and nothing orders that behind %s, which %s it%s",
                   later, does, object, earlier, did, race->same_value ? ", with the same value" : "");
    mend(words, check, race);
}
