/* memcheck: accesses outside of what a program owns. The stack of a core is what it reaches by its stack pointer; its
   data is what it reaches otherwise, below the stack. */
#include <inttypes.h>
#include <stdio.h>

#include "check/order.h"
#include "check/words.h"
#include "isa/rv32_isa.h"

enum { STACK_POINTER = 2, STORE_OPCODE = 0x23, LOAD_OPCODE = 0x03, LITTLE_STACK = 64, LOCAL_RAM = 0xffb00000 };
enum {
    STREAMS = 0xffb40000,
    STREAMS_END = 0xffb80000,
    STREAM_SIZE = 0x1000,
    REGISTER_POPPED = 8,
    REGISTER_PUSHED = 10
};
enum { COUNT_MASK = 0xffff, COUNT_NEGATIVE = 0x8000 };

static void report(struct bh_check *check, const struct check_found *found, const char *mend)
{
    struct check_found whole = *found;
    whole.tool = BH_CHECK_MEMORY;
    check_report(check, &whole, mend, "%s", found->later_what);
}

/* Stacks. */

static bool by_stack_pointer(uint32_t word)
{
    uint32_t opcode = word & 0x7f;
    return (opcode == STORE_OPCODE || opcode == LOAD_OPCODE) && rv32_rs1(word) == STACK_POINTER;
}

static uint32_t stack_pointer(uint32_t word, uint32_t address)
{
    enum rv32_format format = (word & 0x7f) == STORE_OPCODE ? RV32_FORMAT_STORE : RV32_FORMAT_LOAD;
    return address - (uint32_t)rv32_immediate(format, word);
}

static void local_ram(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    struct check_stack *stack = &tile->stack[event->index % CHECK_CORES];
    uint32_t address = (uint32_t)event->access.address, end = address + event->access.size;
    if (!by_stack_pointer(event->instruction)) {
        if ((stack->lowest && end <= stack->lowest) || (!stack->lowest && event->access.write)) {
            if (end > stack->data_end) {
                stack->data_end = end;
                stack->data_place = check_place_of(check, event);
            }
        }
        return;
    }
    uint32_t pointer = stack_pointer(event->instruction, address);
    if (!stack->lowest || pointer < stack->lowest) {
        stack->lowest = pointer;
        stack->place = check_place_of(check, event);
    }
    if (event->access.write && address < stack->data_end) {
        char what[160];
        (void)snprintf(what, sizeof what, "the stack of %s grows into its data: sp is 0x%x, and data ends at 0x%x",
                       bh_core_name((enum bh_core)event->index), pointer, stack->data_end);
        report(check,
               &(struct check_found){.severity = BH_SEVERITY_ERROR,
                                     .rule = "memcheck.stack",
                                     .because = "data and stack of a core share its local RAM, and nothing stops one "
                                                "from overwriting the other (BabyRISCV/README.md)",
                                     .later = check_place_of(check, event),
                                     .later_what = what,
                                     .earlier = stack->data_place,
                                     .earlier_what = "the last byte of data was accessed here"},
               "smaller frames, less data in local RAM, or buffers in L1");
    }
}

/* Code. */

static void executes(struct check_tile *tile, uint32_t pc)
{
    if (pc < CHECK_CODE_BYTES) {
        tile->code[pc / 4 / 64] |= UINT64_C(1) << pc / 4 % 64;
    }
}

static void writes(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct bh_access *access = &event->access;
    bool loads_code = event->agent == BH_AGENT_NIU || event->agent == BH_AGENT_HOST || !check->has_actor;
    uint64_t end = access->address + access->size;
    for (uint64_t at = access->address & ~UINT64_C(3); at < end && at < CHECK_CODE_BYTES; at += 4) {
        uint64_t *word = &tile->code[at / 4 / 64], bit = UINT64_C(1) << at / 4 % 64;
        if (!(*word & bit)) {
            continue;
        }
        *word &= ~bit; /* a program that is loaded over another one is new */
        if (!loads_code) {
            char who[80], what[160];
            check_name_part(check, check->actor.part, check->actor.place, who, sizeof who);
            (void)snprintf(what, sizeof what, "%s writes L1 0x%" PRIx64 ", where code is that was executed", who, at);
            report(check,
                   &(struct check_found){.severity = BH_SEVERITY_ERROR,
                                         .rule = "memcheck.code",
                                         .because = "instruction caches do not follow L1: what is executed next is "
                                                    "chance (InstructionCache.md)",
                                         .later = check->actor.place,
                                         .later_what = what},
                   "another address, or a layout that keeps code apart");
        }
    }
}

/* Circular buffers: an idle stream's registers count what was pushed and popped. */
static void stream_register(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct bh_access *access = &event->access;
    uint32_t stream = (uint32_t)(access->address - STREAMS) / STREAM_SIZE % CHECK_STREAMS;
    uint32_t index = (uint32_t)(access->address - STREAMS) % STREAM_SIZE / 4;
    struct check_stream *of = &tile->counts[stream];
    if (!access->data || access->size != sizeof(uint32_t) || (index != REGISTER_POPPED && index != REGISTER_PUSHED)) {
        return;
    }
    uint32_t value = *(const uint32_t *)access->data & COUNT_MASK;
    if (index == REGISTER_PUSHED) {
        of->pushed = value;
        of->counts = true;
        of->popped = value ? of->popped : 0;
        return;
    }
    of->popped = value;
    if (of->counts && ((of->pushed - value) & COUNT_MASK) >= COUNT_NEGATIVE) {
        char what[160];
        (void)snprintf(what, sizeof what,
                       "%u tiles were popped from the circular buffer of stream %u, and only %u pushed", value, stream,
                       of->pushed);
        report(check,
               &(struct check_found){.severity = BH_SEVERITY_ERROR,
                                     .rule = "memcheck.circular-buffer",
                                     .because = "a consumer pops only tiles that it has waited for",
                                     .later = check_place_of(check, event),
                                     .later_what = what},
               "wait for the tiles (cb_wait_front) before they are read and popped");
    }
}

void memory_event(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct bh_access *access = &event->access;
    if (event->kind == BH_EVENT_ISSUED && event->agent == BH_AGENT_CORE) {
        executes(tile, event->place.pc);
    }
    if (event->kind == BH_EVENT_NOC_SENT) {
        transfer_event(check, event);
    }
    if (event->kind != BH_EVENT_ACCESS) {
        return;
    }
    if (access->space == BH_SPACE_LOCAL_RAM && event->agent == BH_AGENT_CORE) {
        local_ram(check, tile, event);
    } else if (access->space == BH_SPACE_L1 && access->write) {
        writes(check, tile, event);
    } else if (access->space == BH_SPACE_REGISTER && access->write && access->address >= STREAMS &&
               access->address < STREAMS_END) {
        stream_register(check, tile, event);
    }
}

void memory_end(struct bh_check *check, struct check_tile *tile)
{
    for (unsigned core = 0; core < CHECK_CORES; core++) {
        const struct check_stack *stack = &tile->stack[core];
        uint32_t data_end = stack->data_end ? stack->data_end : LOCAL_RAM;
        if (stack->lowest && stack->lowest >= data_end && stack->lowest - data_end < LITTLE_STACK) {
            char what[120];
            (void)snprintf(what, sizeof what, "the stack of %s has %u bytes left", bh_core_name((enum bh_core)core),
                           stack->lowest - data_end);
            report(check,
                   &(struct check_found){.severity = BH_SEVERITY_NOTE,
                                         .rule = "memcheck.stack",
                                         .because = "data and stack of a core share its local RAM, and nothing stops "
                                                    "one from overwriting the other (BabyRISCV/README.md)",
                                         .later = stack->place,
                                         .later_what = what,
                                         .earlier = stack->data_place,
                                         .earlier_what = "the last byte of data was accessed here"},
                   "");
        }
    }
}
