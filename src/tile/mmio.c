#include "tile/mmio.h"

#include <stddef.h>
#include <stdio.h>

#include "noc/niu.h"
#include "tile/handlers.h"

enum {
    AGENTS_B = 1 << BH_CORE_B,
    AGENTS_T = 1 << BH_CORE_T0 | 1 << BH_CORE_T1 | 1 << BH_CORE_T2,
    AGENTS_BT = AGENTS_B | AGENTS_T,
    AGENTS_B_NC = AGENTS_B | 1 << BH_CORE_NC,
    AGENTS_CORES = AGENTS_BT | AGENTS_B_NC,
    AGENTS_ALL = AGENTS_CORES | 1 << MMIO_NOC | 1 << MMIO_COPROCESSOR,
};

/* The handler of a region for loads or stores, or null if the region has none. */
#define HANDLER_NONE(function) NULL
#define HANDLER_WORD(function) function
#define HANDLER_LANES(function) function
#define HANDLER_ANY(function) function

static const struct mmio_region regions[MMIO_REGIONS] = {
#define MMIO_REGION(name_, first_, last_, agents_, load_, store_, handler_, title_)                                    \
    [MMIO_##name_] = {.name = #name_,                                                                                  \
                      .title = title_,                                                                                 \
                      .first = first_,                                                                                 \
                      .last = last_,                                                                                   \
                      .agents = AGENTS_##agents_,                                                                      \
                      .load = MMIO_##load_,                                                                            \
                      .store = MMIO_##store_,                                                                          \
                      .load_handler = HANDLER_##load_(handler_##_load),                                                \
                      .store_handler = HANDLER_##store_(handler_##_store)},
#include "mmio.def"
#undef MMIO_REGION
};

static const struct mmio_register registers[] = {
#define MMIO_REGISTER(address_, name_, load_, store_, reset_, meaning_)                                                \
    {.address = address_,                                                                                              \
     .name = #name_,                                                                                                   \
     .load = MMIO_KIND_##load_,                                                                                        \
     .store = MMIO_KIND_##store_,                                                                                      \
     .reset = reset_,                                                                                                  \
     .meaning = meaning_},
#include "mmio.def"
#undef MMIO_REGISTER
};

enum { REGISTERS = sizeof registers / sizeof registers[0] };

/* The compiler makes a search tree of this switch, and reports regions that overlap. */
enum mmio_region_index mmio_region_at(uint32_t address)
{
    switch (address) {
#define MMIO_REGION(name, first, last, ...)                                                                            \
    case first ... last:                                                                                               \
        return MMIO_##name;
#include "mmio.def"
#undef MMIO_REGION
    default: return MMIO_UNMAPPED;
    }
}

const struct mmio_region *mmio_region(enum mmio_region_index index)
{
    return &regions[index];
}

const struct mmio_register *mmio_registers(unsigned *count)
{
    *count = REGISTERS;
    return registers;
}

enum register_index {
#define MMIO_REGISTER(address, name, ...) REGISTER_##name,
#include "mmio.def"
#undef MMIO_REGISTER
};

/* The address under which the table lists a register that has several copies. */
static uint32_t listed_address(enum mmio_region_index region, uint32_t address)
{
    uint32_t offset;
    switch (region) {
    case MMIO_NIU0:
    case MMIO_NIU1:
        offset = address - regions[region].first;
        return regions[MMIO_NIU0].first + (offset < 0x2000 && (offset & 0x7ff) < 0x80 ? offset & 0x7ff : offset);
    case MMIO_OVERLAY: return regions[MMIO_OVERLAY].first + (address & 0xfff);
    default: return address;
    }
}

/* As for the regions, the compiler makes a search of this switch, here mostly by jump tables. */
static const struct mmio_register *find_register(enum mmio_region_index region, uint32_t address)
{
    switch (listed_address(region, address & ~3u)) {
#define MMIO_REGISTER(address_, name, ...)                                                                             \
    case address_:                                                                                                     \
        return &registers[REGISTER_##name];
#include "mmio.def"
#undef MMIO_REGISTER
    default: return NULL;
    }
}

const struct mmio_register *mmio_register_at(uint32_t address)
{
    return find_register(mmio_region_at(address), address);
}

const struct mmio_register *mmio_register_of(const struct mmio_access *access)
{
    return find_register(access->region, access->address);
}

const char *mmio_counter_name(uint32_t address)
{
    static const struct {
        char name[40];
        uint8_t count;
    } counters[] = {
#define NOC_COUNTER(name, count) {#name, count},
#include "noc_counters.def"
#undef NOC_COUNTER
    };
    enum mmio_region_index region = mmio_region_at(address);
    unsigned index = ((address & 0xffff) - NIU_COUNTER) / 4;
    if ((region != MMIO_NIU0 && region != MMIO_NIU1) || index >= NIU_COUNTERS) {
        return NULL;
    }
    unsigned at = 0;
    while (index >= counters[at].count) {
        index -= counters[at++].count;
    }
    return counters[at].name;
}

const char *mmio_agent_name(unsigned agent)
{
    return agent == MMIO_NOC ? "the NoC" : agent == MMIO_COPROCESSOR ? "the coprocessor" : bh_core_name(agent);
}

/* "B, T0, T1" */
static const char *agent_names(unsigned agents, char *buffer, size_t size)
{
    size_t length = 0;
    buffer[0] = 0;
    for (unsigned agent = 0; agent < MMIO_AGENTS; agent++) {
        if (agents & 1u << agent && length < size) {
            length +=
                (size_t)snprintf(buffer + length, size - length, "%s%s", length ? ", " : "", mmio_agent_name(agent));
        }
    }
    return buffer;
}

bool mmio_allows(unsigned agent, uint32_t address, bool store)
{
    enum mmio_region_index index = mmio_region_at(address);
    return index != MMIO_UNMAPPED && regions[index].agents & 1u << agent &&
           (store ? regions[index].store : regions[index].load) != MMIO_NONE;
}

static enum step refuse_unmapped(struct tile *tile, unsigned agent, uint32_t address, const char *access)
{
    if (address >= L1_SIZE && address < 0xFFB00000u) {
        return diagnose(tile->tensix.diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "%s by %s at 0x%08x: nothing is mapped there; L1 ends at 0x%08x, registers begin at 0xffb00000",
                        access, mmio_agent_name(agent), address, L1_SIZE - 1);
    }
    unsigned below = 0;
    while (below < MMIO_REGIONS && regions[below].first <= address) {
        below++;
    }
    if (below == 0) {
        return diagnose(tile->tensix.diagnostics, BH_UNDEFINED_BEHAVIOR, "%s by %s at 0x%08x: not possible there",
                        access, mmio_agent_name(agent), address);
    }
    const struct mmio_region *before = &regions[below - 1];
    return diagnose(tile->tensix.diagnostics, BH_UNDEFINED_BEHAVIOR,
                    "%s by %s at 0x%08x: nothing is mapped there; %s (%s) ends at 0x%08x", access,
                    mmio_agent_name(agent), address, before->name, before->title, before->last);
}

static enum step refuse_agent(const struct mmio_access *access, const char *what)
{
    const struct mmio_region *region = &regions[access->region];
    char names[64];
    return diagnose(access->tile->tensix.diagnostics, BH_UNDEFINED_BEHAVIOR,
                    "%s by %s at 0x%08x: %s (%s) is mapped for %s only", what, mmio_agent_name(access->agent),
                    access->address, region->name, region->title, agent_names(region->agents, names, sizeof names));
}

/* What is wrong with an access. */
enum fault { FAULT_NONE, FAULT_UNMAPPED, FAULT_AGENT, FAULT_DIRECTION, FAULT_WIDTH };

static inline enum fault fault_of(const struct mmio_access *access, bool store)
{
    if (access->region == MMIO_UNMAPPED) {
        return FAULT_UNMAPPED;
    }
    const struct mmio_region *region = &regions[access->region];
    enum mmio_width width = store ? region->store : region->load;
    return !(region->agents & 1u << access->agent)   ? FAULT_AGENT
           : width == MMIO_NONE                      ? FAULT_DIRECTION
           : access->size != 4 && width == MMIO_WORD ? FAULT_WIDTH
                                                     : FAULT_NONE;
}

static __attribute__((noinline)) enum step refuse(const struct mmio_access *access, bool store, enum fault fault)
{
    const char *what = store ? "store" : "load", *agent = mmio_agent_name(access->agent);
    const struct mmio_region *region = &regions[access->region];
    struct diagnostics *diagnostics = access->tile->tensix.diagnostics;
    switch (fault) {
    case FAULT_UNMAPPED: return refuse_unmapped(access->tile, access->agent, access->address, what);
    case FAULT_AGENT: return refuse_agent(access, what);
    case FAULT_DIRECTION:
        return diagnose(diagnostics, BH_UNDEFINED_BEHAVIOR, "%s by %s at 0x%08x: %s (%s) is %s", what, agent,
                        access->address, region->name, region->title, store ? "read-only" : "write-only");
    default:
        return diagnose(diagnostics, BH_UNDEFINED_BEHAVIOR, "%s of %u byte%s by %s at 0x%08x: %s (%s) takes words only",
                        what, access->size, access->size == 1 ? "" : "s", agent, access->address, region->name,
                        region->title);
    }
}

/* Accesses to registers of the NoC, and the requests that they start, do not affect the scheduler's decisions. */
static inline void access_region(struct tile *tile, enum mmio_region_index index)
{
    if (index != MMIO_NIU0 && index != MMIO_NIU1 && index != MMIO_OVERLAY) {
        tile->plain.cores = 0;
    }
}

enum step mmio_load(struct tile *tile, unsigned agent, uint32_t address, unsigned size, uint32_t *value)
{
    enum mmio_region_index index = mmio_region_at(address);
    struct mmio_access access = {tile, agent, address, 0, size, index};
    enum fault fault = fault_of(&access, false);
    access_region(tile, index);
    *value = 0;
    if (__builtin_expect(fault != FAULT_NONE, 0)) {
        return refuse(&access, false, fault);
    }
    const struct mmio_region *region = &regions[index];
    access.offset = address - region->first;
    if (size == 4 || region->load == MMIO_ANY) {
        return region->load_handler(&access, value);
    }
    unsigned shift = 8 * (address & 3);
    access.address &= ~3u;
    access.offset &= ~3u;
    access.size = 4;
    uint32_t word = 0;
    enum step step = region->load_handler(&access, &word);
    *value = word >> shift & ((1u << 8 * size) - 1);
    return step;
}

enum step mmio_store(struct tile *tile, unsigned agent, uint32_t address, unsigned size, uint32_t value)
{
    enum mmio_region_index index = mmio_region_at(address);
    struct mmio_access access = {tile, agent, address, 0, size, index};
    enum fault fault = fault_of(&access, true);
    access_region(tile, index);
    if (__builtin_expect(fault != FAULT_NONE, 0)) {
        enum step step = refuse(&access, true, fault);
        /* A T core that stores to another thread's push window hangs: PushTensixInstruction.md. */
        bool hangs = step == STEP_DONE && (index == MMIO_PUSH1 || index == MMIO_PUSH2);
        return hangs ? STEP_WAIT : step;
    }
    access.offset = address - regions[index].first;
    return regions[index].store_handler(&access, value);
}

enum step mmio_nothing_there(const struct mmio_access *access)
{
    const struct mmio_region *region = &regions[access->region];
    return diagnose(access->tile->tensix.diagnostics, BH_UNDEFINED_BEHAVIOR,
                    "access by %s at 0x%08x: %s (%s) has no register there", mmio_agent_name(access->agent),
                    access->address, region->name, region->title);
}

/* tt-exalens lists all of these regions as safe to read over the NoC. */
enum step mmio_nothing_to_load(const struct mmio_access *access)
{
    const struct mmio_region *region = &regions[access->region];
    bool answers = access->region == MMIO_DEBUG || access->region == MMIO_PIC || access->region == MMIO_NIU0 ||
                   access->region == MMIO_NIU1 || access->region == MMIO_OVERLAY;
    if (access->agent != MMIO_NOC || !answers) {
        return mmio_nothing_there(access);
    }
    return diagnose(access->tile->tensix.diagnostics, BH_UNPREDICTABLE_VALUE,
                    "read of 0x%08x: %s (%s) has no register there that is known, here it reads as 0", access->address,
                    region->name, region->title);
}

/* The word behind the last one of a NoC request: programs of blackhole-py that set up a request clear it, too. */
static bool is_behind_request(const struct mmio_access *access)
{
    return (access->region == MMIO_NIU0 || access->region == MMIO_NIU1) &&
           listed_address(access->region, access->address & ~3u) == regions[MMIO_NIU0].first + 0x38;
}

/* Programs of tt-umd's tests store to addresses of MMIO_DEBUG. */
enum step mmio_nothing_to_store(const struct mmio_access *access)
{
    const struct mmio_region *region = &regions[access->region];
    if (access->region != MMIO_DEBUG && !is_behind_request(access)) {
        return mmio_nothing_there(access);
    }
    return diagnose(access->tile->tensix.diagnostics, BH_NON_CONTRACTUAL,
                    "store by %s at 0x%08x: %s (%s) has no register there that is known, the store has no effect",
                    mmio_agent_name(access->agent), access->address, region->name, region->title);
}

static enum step absent(const struct mmio_access *access, const struct mmio_register *named, const char *what)
{
    return diagnose(access->tile->tensix.diagnostics, BH_UNSUPPORTED, "%s %s (0x%08x, %s) is not emulated yet", what,
                    named->name, access->address, named->meaning);
}

enum step mmio_register_load(const struct mmio_access *access, const uint32_t *word, uint32_t *value, bool *handled)
{
    const struct mmio_register *named = mmio_register_of(access);
    *handled = true;
    if (!named) {
        return mmio_nothing_to_load(access);
    }
    switch ((enum mmio_kind)named->load) {
    case MMIO_KIND_STATE: *value = *word; return STEP_DONE;
    case MMIO_KIND_EFFECT: *handled = false; return STEP_DONE;
    case MMIO_KIND_ABSENT: return absent(access, named, "reading");
    case MMIO_KIND_NONE: break;
    }
    enum bh_category category = access->agent == MMIO_NOC ? BH_UNPREDICTABLE_VALUE : BH_UNDEFINED_BEHAVIOR;
    return diagnose(access->tile->tensix.diagnostics, category, "%s (0x%08x, %s) is write-only", named->name,
                    access->address, named->meaning);
}

enum step mmio_register_store(const struct mmio_access *access, uint32_t *word, uint32_t value, bool *handled)
{
    const struct mmio_register *named = mmio_register_of(access);
    *handled = true;
    if (!named) {
        return mmio_nothing_to_store(access);
    }
    switch ((enum mmio_kind)named->store) {
    case MMIO_KIND_STATE: *word = value; return STEP_DONE;
    case MMIO_KIND_EFFECT: *handled = false; return STEP_DONE;
    case MMIO_KIND_ABSENT: return absent(access, named, "writing");
    case MMIO_KIND_NONE: break;
    }
    return diagnose(access->tile->tensix.diagnostics, BH_NON_CONTRACTUAL,
                    "%s (0x%08x, %s) is read-only: the store has no effect", named->name, access->address,
                    named->meaning);
}
