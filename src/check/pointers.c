/* memcheck: loads, stores and requests on the NoC of cores behind the buffer that their pointer began in. What a
   pointer began in is followed through registers and local RAM: a value that is read from where a launch describes a
   circular buffer's address is a pointer into that buffer, wherever it goes from there; another pointer begins in the
   buffer that it is used in first. Of the latter a program may know better, so that only a walk out of its buffer
   counts: the same instruction with the same pointer, a little further on. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/order.h"
#include "check/owned.h"
#include "isa/rv32_isa.h"

enum { LOCAL_RAM = 0xffb00000, LOCAL_WORDS = 2048, KNOWN_ACCESSES = 256, LONGEST_STEP = 256, REGISTERS = 32 };
enum { STACK_POINTER = 2, GLOBAL_POINTER = 3 };
enum { NIU = 0xffb20000, NIU_DISTANCE = 0x10000, NIUS = 2, NIU_INITIATORS = 4, INITIATOR_DISTANCE = 0x800 };
enum { TARGET_ADDRESS = 0, BACK_ADDRESS = 0xc, LAST_REGISTER = 0x40 };
enum { LOAD = 0x03, FLOAD = 0x07, STORE = 0x23, FSTORE = 0x27, AMO = 0x2f };

struct pointer {
    uint32_t buffer; /* its number in the tile's owned_list, from 1 on; 0: none */
    uint32_t origin; /* when it began: the same for all that was computed from it */
    bool described;  /* by a launch */
};

/* The last access by an instruction to the buffer that its pointer began in. */
struct known_access {
    uint32_t pc, origin;
    uint64_t address;
};

/* Address registers of an NIU's request initiators, which a core has written. */
struct niu_pointers {
    struct pointer target, back;
    uint32_t target_value, back_value;
};

struct core_pointers {
    struct pointer x[REGISTERS], local[LOCAL_WORDS];
    struct niu_pointers niu[NIUS][NIU_INITIATORS];
    uint8_t last_initiator[NIUS];              /* whose registers it has written last */
    struct known_access known[KNOWN_ACCESSES]; /* by pc */
};

struct check_pointers {
    uint32_t origins;
    struct core_pointers core[CHECK_CORES];
};

/* null: nothing is known of the tile, or there is no memory. */
static struct core_pointers *pointers_of(struct bh_check *check, struct check_tile *tile, unsigned core)
{
    if (!tile->pointers && owned_in(check, tile->number)->count) {
        tile->pointers = calloc(1, sizeof *tile->pointers);
        check->failed |= !tile->pointers;
    }
    return tile->pointers ? &tile->pointers->core[check_core(core)] : NULL;
}

void pointers_forget(struct check_tile *tile)
{
    free(tile->pointers);
    tile->pointers = NULL;
}

/* What an instruction that accesses no memory computes. */
static struct pointer computed(const struct core_pointers *core, const struct check_decoded *by)
{
    const struct pointer *first = &core->x[by->rs1], *second = &core->x[by->rs2];
    static const struct pointer none;
    switch ((enum check_computes)by->computes) {
    case COMPUTES_FIRST: return *first;
    case COMPUTES_UNITS: return first->described ? *first : none; /* some kernels count in units of 16 bytes */
    case COMPUTES_SUM: return !second->buffer ? *first : !first->buffer ? *second : none;
    case COMPUTES_SECOND: return *second;
    case COMPUTES_DIFFERENCE: return second->buffer ? none : *first;
    default: return none;
    }
}

void pointers_issue(struct bh_check *check, struct check_tile *tile, unsigned number,
                    const struct check_decoded *instruction)
{
    struct core_pointers *core = pointers_of(check, tile, number);
    if (core && instruction->computes != COMPUTES_NOTHING) {
        core->x[instruction->rd] = computed(core, instruction);
    }
}

/* Behind all circular buffers of the tile. */
static bool is_behind_all(const struct owned_list *list, uint64_t address)
{
    for (unsigned i = 0; i < list->count; i++) {
        if (list->item[i].what.kind == BH_CHECK_CIRCULAR_BUFFER && address < owned_end(&list->item[i])) {
            return false;
        }
    }
    return true;
}

/* Bytes that are accessed by a pointer. */
struct use {
    const char *what; /* "B reads" */
    uint64_t address;
    uint32_t size;
};

static void report(struct bh_check *check, struct check_tile *tile, const struct bh_event *event,
                   const struct pointer *pointer, const struct use *use)
{
    const struct owned_list *list = owned_in(check, tile->number);
    const struct owned *buffer = &list->item[pointer->buffer - 1];
    bool circular = buffer->what.kind == BH_CHECK_CIRCULAR_BUFFER, all = is_behind_all(list, use->address);
    bool before = use->address < buffer->what.address;
    char name[200];
    owned_name(buffer, name, sizeof name);
    check_report(check,
                 &(struct check_found){.tool = BH_CHECK_MEMORY,
                                       .severity = BH_SEVERITY_ERROR,
                                       .rule = circular && !all ? "memcheck.circular-buffer" : "memcheck.buffer",
                                       .because = "what begins in a buffer ends in it: what lies behind belongs to "
                                                  "others (docs/jobs.md)",
                                       .later = check_place_of(check, event)},
                 circular ? "the buffer's own size and number of pages at both of its ends"
                          : "a loop that ends with the buffer, or a larger buffer",
                 "%s %" PRIu32 " bytes at 0x%" PRIx64 ", %s %s%s, by a pointer that began there", use->what, use->size,
                 use->address, before ? "before" : "behind the end of", name,
                 circular && all ? " and of all others" : "");
}

static void report_access(struct bh_check *check, struct check_tile *tile, const struct bh_event *event,
                          const struct pointer *pointer)
{
    char what[40];
    (void)snprintf(what, sizeof what, "%s %s", bh_core_name((enum bh_core)event->index),
                   event->access.write ? "writes" : "reads");
    report(check, tile, event, pointer,
           &(struct use){.what = what, .address = event->access.address, .size = event->access.size});
}

/* Whether it is the next of accesses that have come through the buffer. */
static bool walks_on(const struct known_access *known, const struct bh_event *event, const struct pointer *pointer)
{
    uint64_t address = event->access.address;
    return known->pc == event->place.pc && known->origin == pointer->origin && address > known->address &&
           address - known->address <= LONGEST_STEP;
}

/* L1 is accessed by the pointer in a register. */
static void uses(struct bh_check *check, struct check_tile *tile, const struct bh_event *event,
                 struct core_pointers *core, unsigned base)
{
    const struct owned_list *list = owned_in(check, tile->number);
    struct pointer *pointer = &core->x[base];
    struct known_access *known = &core->known[event->place.pc / 4 % KNOWN_ACCESSES];
    uint64_t address = event->access.address;
    if (pointer->buffer) {
        const struct owned *buffer = &list->item[pointer->buffer - 1];
        bool inside = owned_has(buffer, address) && owned_has(buffer, address + event->access.size - 1);
        bool wrong = !inside && (pointer->described || walks_on(known, event, pointer));
        if (wrong) { /* told once: what follows may be as wrong */
            report_access(check, tile, event, pointer);
            *pointer = (struct pointer){};
            return;
        }
        if (inside) {
            *known = (struct known_access){.pc = event->place.pc, .origin = pointer->origin, .address = address};
            return;
        }
    }
    const struct owned *begins = owned_buffer_at(check, tile->number, address);
    *pointer = (struct pointer){};
    if (begins) {
        *pointer = (struct pointer){.buffer = (uint32_t)(begins - list->item) + 1, .origin = ++tile->pointers->origins};
        *known = (struct known_access){.pc = event->place.pc, .origin = pointer->origin, .address = address};
    }
}

/* What is loaded from L1: the address of a circular buffer, if a launch describes it there. */
static struct pointer loaded(struct check_tile *tile, const struct owned_list *list, uint64_t address)
{
    for (unsigned i = 0; i < list->count; i++) {
        const struct bh_check_owned *what = &list->item[i].what;
        if (what->kind == BH_CHECK_CIRCULAR_BUFFER && what->described && what->described == address && what->size) {
            return (struct pointer){.buffer = i + 1, .origin = ++tile->pointers->origins, .described = true};
        }
    }
    return (struct pointer){};
}

/* A register of a request is written. */
static void keep_niu(struct core_pointers *core, const struct bh_event *event)
{
    uint32_t offset = (uint32_t)event->access.address - NIU, number = offset % INITIATOR_DISTANCE;
    uint32_t niu = offset / NIU_DISTANCE, initiator = offset % NIU_DISTANCE / INITIATOR_DISTANCE;
    if (niu >= NIUS || initiator >= NIU_INITIATORS || number > LAST_REGISTER || !event->access.data ||
        event->access.size != sizeof(uint32_t)) {
        return;
    }
    struct niu_pointers *registers = &core->niu[niu][initiator];
    const struct pointer pointer = core->x[rv32_rs2(event->instruction)];
    core->last_initiator[niu] = (uint8_t)initiator;
    if (number == TARGET_ADDRESS) {
        registers->target = pointer;
        memcpy(&registers->target_value, event->access.data, sizeof(uint32_t));
    } else if (number == BACK_ADDRESS) {
        registers->back = pointer;
        memcpy(&registers->back_value, event->access.data, sizeof(uint32_t));
    }
}

/* A core has started a request: on its own tile's side it has to begin in the buffer of its pointer. Where it ends is
   for transfers.c. */
void pointers_send(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct bh_noc *noc = &event->noc;
    bool read = noc->request == BH_NOC_READ,
         by_core = event->agent == BH_AGENT_NIU && event->place.agent == BH_AGENT_CORE;
    bool own = read ? noc->to_x == tile->x && noc->to_y == tile->y : noc->request == BH_NOC_WRITE;
    struct core_pointers *core = by_core && own ? pointers_of(check, tile, event->place.index) : NULL;
    if (!core) {
        return;
    }
    const struct niu_pointers *registers = &core->niu[noc->noc & 1][core->last_initiator[noc->noc & 1]];
    const struct pointer *pointer = read ? &registers->back : &registers->target;
    uint64_t address = read ? noc->to_address : noc->from_address;
    bool known = pointer->described && (read ? registers->back_value : registers->target_value) == address;
    if (known && !owned_has(&owned_in(check, tile->number)->item[pointer->buffer - 1], address)) {
        char what[60];
        (void)snprintf(what, sizeof what, "a request of %s %s", bh_core_name((enum bh_core)event->place.index),
                       read ? "writes" : "reads");
        report(check, tile, event, pointer, &(struct use){.what = what, .address = address, .size = noc->size});
    }
}

void pointers_access(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    struct core_pointers *core = pointers_of(check, tile, event->index);
    const struct bh_access *access = &event->access;
    uint32_t word = event->instruction, opcode = word & 0x7f;
    unsigned base = rv32_rs1(word);
    if (!core || !(opcode == LOAD || opcode == STORE || opcode == FLOAD || opcode == FSTORE || opcode == AMO)) {
        return;
    }
    if (access->space == BH_SPACE_L1 && base && base != STACK_POINTER && base != GLOBAL_POINTER) {
        uses(check, tile, event, core, base);
    }
    struct pointer *local =
        access->space == BH_SPACE_LOCAL_RAM ? &core->local[(access->address - LOCAL_RAM) / 4 % LOCAL_WORDS] : NULL;
    bool whole = access->size == sizeof(uint32_t);
    if (opcode == STORE && local) {
        *local = whole ? core->x[rv32_rs2(word)] : (struct pointer){};
    } else if (opcode == STORE && access->space == BH_SPACE_REGISTER && access->address >= NIU) {
        keep_niu(core, event);
    } else if (opcode == FSTORE && local) {
        *local = (struct pointer){};
    } else if ((opcode == LOAD || opcode == AMO) && rv32_rd(word)) {
        core->x[rv32_rd(word)] = local && whole ? *local
                                 : access->space == BH_SPACE_L1 && opcode == LOAD
                                     ? loaded(tile, owned_in(check, tile->number), access->address)
                                     : (struct pointer){};
    }
}
