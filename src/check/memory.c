/* memcheck: accesses outside of what a program owns. The stack of a core is what it reaches by its stack pointer; its
   data is what it reaches otherwise, below the stack. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/order.h"
#include "check/owned.h"
#include "check/words.h"
#include "isa/rv32_isa.h"

enum { STACK_POINTER = 2, STORE_OPCODE = 0x23, LOAD_OPCODE = 0x03, LITTLE_STACK = 64, LOCAL_RAM = 0xffb00000 };
enum { STREAMS = 0xffb40000, STREAMS_END = 0xffb80000 };

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

static void points(struct bh_check *check, struct check_stack *stack, const struct bh_event *event, uint32_t pointer)
{
    stack->pointer = pointer;
    if (pointer && (!stack->lowest || pointer < stack->lowest)) {
        stack->lowest = pointer;
        stack->place = check_place_of(check, event);
    }
}

/* A function makes room for its variables, which it may reach by other registers first. */
static void moves_stack_pointer(struct bh_check *check, struct check_stack *stack, const struct bh_event *event)
{
    enum { ADDI_SP_SP = STACK_POINTER << 15 | STACK_POINTER << 7 | 0x13, IMMEDIATE = 0xfff00000 };
    bool adds = (event->instruction & ~(uint32_t)IMMEDIATE) == ADDI_SP_SP && stack->pointer;
    points(check, stack, event,
           adds ? stack->pointer + (uint32_t)rv32_immediate(RV32_FORMAT_I, event->instruction) : 0);
}

/* The core has data up to there. */
static void reaches(struct bh_check *check, struct check_stack *stack, const struct bh_event *event, uint32_t end)
{
    if (stack->walker != event->place.pc || event->access.address > stack->data_end) {
        stack->walker = event->place.pc;
        stack->before = stack->data_end;
        stack->before_place = stack->data_place;
    }
    stack->data_end = end;
    stack->data_place = check_place_of(check, event);
}

/* An instruction that goes on from below the stack into it, word by word, saves or restores the whole RAM, as
   tt-metal's firmware does before and after a reset of E0: what it has reached on its way is no data. */
static void goes_through(struct check_stack *stack, uint32_t pc, uint32_t address)
{
    if (stack->walker == pc && address == stack->data_end) {
        stack->data_end = stack->before;
        stack->data_place = stack->before_place;
        stack->walker = 0;
    }
}

static void local_ram(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    struct check_stack *stack = &tile->stack[check_core(event->index)];
    uint32_t address = (uint32_t)event->access.address, end = address + event->access.size;
    if (!by_stack_pointer(event->instruction)) {
        if (stack->lowest && end > stack->lowest) {
            goes_through(stack, event->place.pc, address);
        } else if (end > stack->data_end && (stack->lowest || event->access.write)) {
            reaches(check, stack, event, end);
        }
        return;
    }
    uint32_t pointer = stack_pointer(event->instruction, address);
    points(check, stack, event, pointer);
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

void memory_owned_data(struct check_tile *tile, const struct bh_check_owned *data)
{
    uint32_t end = (uint32_t)(data->address + data->size);
    for (unsigned core = 0; core < CHECK_CORES; core++) {
        struct check_stack *stack = &tile->stack[core];
        if (data->cores >> core & 1 && end > stack->data_end) {
            stack->data_end = end;
            stack->data_place = 0;
        }
    }
}

void memory_access(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct bh_access *access = &event->access;
    bool core = event->agent == BH_AGENT_CORE;
    if (core) {
        pointers_access(check, tile, event);
    }
    switch ((enum bh_space)access->space) {
    case BH_SPACE_LOCAL_RAM:
        if (core) {
            local_ram(check, tile, event);
        }
        break;
    case BH_SPACE_L1:
        walks_access(check, tile, event);
        if (!access->write && core) {
            arguments_read(check, tile, event);
        }
        break;
    case BH_SPACE_REGISTER:
        walks_register(tile, access);
        if (access->address >= STREAMS && access->address < STREAMS_END) {
            if (access->write) {
                circular_register(check, tile, event);
            } else if (core) {
                circular_look(tile, event);
            }
        }
        break;
    default: break;
    }
}

void memory_core_issues(struct bh_check *check, struct check_tile *tile, const struct bh_event *event,
                        const struct check_decoded *instruction)
{
    if (instruction->writes >> STACK_POINTER & 1) {
        moves_stack_pointer(check, &tile->stack[check_core(event->index)], event);
    }
    if (instruction->computes) {
        pointers_issue(check, tile, event->index, instruction);
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
