#include "rv32/translate_emitter.h"

#include <stddef.h>
#include <string.h>

#include "util/host_vectors.h"

static const uint8_t homes[] = {X86_RSI, X86_RDI, X86_R8, X86_R9, X86_R10, X86_R11, X86_R12, X86_R14, X86_R15};
static const uint8_t kept[] = {X86_RBX, X86_RBP, X86_R12, X86_R13, X86_R14, X86_R15};

/* Offsets of the stacked values, from the top of the stack. */
static const uint8_t stacked[STACK_CONTEXT] = {
    [STACK_RAM] = offsetof(struct translated_context, local_ram),
    [STACK_RAM_LIMITS] = offsetof(struct translated_context, ram_limits),
    [STACK_RAM_LIMITS_2] = offsetof(struct translated_context, ram_limits) + sizeof(uint64_t),
    [STACK_CODE_BLOCKS] = offsetof(struct translated_context, code_blocks),
    [STACK_PUSHES] = offsetof(struct translated_context, pushes),
    [STACK_ENTRIES] = offsetof(struct translated_context, entries),
    [STACK_PLACES] = offsetof(struct translated_context, places),
    [STACK_ROOM] = offsetof(struct translated_context, room),
    [STACK_WORDS] = offsetof(struct translated_context, words),
};

_Static_assert(offsetof(struct translated_context, entry_mask) ==
                   offsetof(struct translated_context, ram_limits) + sizeof(uint64_t) + sizeof(uint32_t),
               "the mask is stacked with the last limit");

bool translate_possible(void)
{
#if defined(__x86_64__)
    return host_vectors >= HOST_VECTORS_V3;
#else
    return false;
#endif
}

void translate_shared(struct evex_code *code, struct translate_shared *shared)
{
    const enum x86_register context = X86_RDI, entry = X86_RSI;
    for (unsigned i = 0; i < sizeof kept; i++) {
        x86_emit_push(code, x86_in((enum x86_register)kept[i]));
    }
    x86_emit_push(code, x86_in(context));
    for (unsigned i = STACK_CONTEXT; i-- > 0;) {
        x86_emit_push(code, x86_at(context, stacked[i]));
    }
    x86_emit_wide(code, X86_LOAD, X, x86_at(context, offsetof(struct translated_context, x)));
    x86_emit_wide(code, X86_LOAD, BYTES, x86_at(context, offsetof(struct translated_context, l1)));
    x86_emit(code, X86_LOAD, LEFT, x86_at(context, offsetof(struct translated_context, left)));
    x86_emit_jump_to(code, entry);

    /* Jump to a word of L1, whose address is in SCRATCH: looks up translated code for it like translator_entry(). The
       core's registers have been stored to memory. */
    const enum x86_register places = X86_RSI;
    const struct x86_operand entry_mask =
        x86_at(X86_RSP, (int32_t)(STACK_RAM_LIMITS_2 * sizeof(uint64_t) + sizeof(uint32_t)));
    shared->dispatch = code->size;
    x86_emit_constant(code, x86_in(SCRATCH_2), TRANSLATED_HASH);
    x86_emit(code, X86_MULTIPLY, SCRATCH_2, x86_in(SCRATCH));
    x86_emit_shift(code, X86_SHIFT_RIGHT, SCRATCH_2, TRANSLATED_HASH_SHIFT);
    x86_emit(code, X86_AND, SCRATCH_2, entry_mask);
    x86_emit_wide(code, X86_LOAD, places, emitter_on_stack(STACK_PLACES));
    uint32_t again = code->size;
    x86_emit_wide(code, X86_LOAD, SCRATCH_3, emitter_on_stack(STACK_ENTRIES));
    x86_emit(code, X86_LOAD_HALF, SCRATCH_3, x86_at_sum(SCRATCH_3, SCRATCH_2, 1, 0));
    x86_emit(code, X86_TEST, SCRATCH_3, x86_in(SCRATCH_3));
    uint32_t none = x86_emit_jump_ahead(code, X86_EQUAL);
    x86_emit_immediate(code, X86_ADD, x86_in(SCRATCH_2), 1);
    x86_emit(code, X86_AND, SCRATCH_2, entry_mask);
    x86_emit(code, X86_COMPARE, SCRATCH, x86_at_sum(places, SCRATCH_3, 3, offsetof(struct translated_place, pc)));
    x86_emit_jump(code, X86_NOT_EQUAL, again);
    x86_emit(code, X86_LOAD, SCRATCH_3, x86_at_sum(places, SCRATCH_3, 3, offsetof(struct translated_place, offset)));
    x86_emit_wide(code, X86_ADD, SCRATCH_3, emitter_on_stack(STACK_ROOM));
    x86_emit_jump_to(code, SCRATCH_3);
    x86_land(code, none);
    x86_emit_immediate(code, X86_OR, x86_in(SCRATCH), TRANSLATED_MISSED);

    shared->leave = code->size;
    x86_emit_shift_wide(code, X86_SHIFT_LEFT, LEFT, 32);
    x86_emit_wide(code, X86_OR, SCRATCH, x86_in(LEFT));
    shared->end = code->size;
    x86_emit_wide(code, X86_ADDRESS, X86_RSP, emitter_on_stack(STACKED));
    for (unsigned i = sizeof kept; i-- > 0;) {
        x86_emit_pop(code, (enum x86_register)kept[i]);
    }
    evex_emit_return(code);
}

/* Registers. */

static struct x86_operand in_memory(unsigned reg)
{
    return x86_at(X, (int32_t)(reg * sizeof(uint32_t)));
}

struct x86_operand emitter_operand(const struct emitter *emitter, unsigned reg)
{
    unsigned home = emitter_home(emitter, reg);
    return home != NOWHERE ? x86_in((enum x86_register)home) : in_memory(reg);
}

void emitter_fetch(struct emitter *emitter, enum x86_register to, unsigned reg)
{
    struct x86_operand from = emitter_operand(emitter, reg);
    if (reg == 0) {
        x86_emit_constant(emitter->code, x86_in(to), 0);
    } else if (from.in_memory || from.base != to) {
        x86_emit(emitter->code, X86_LOAD, to, from);
    }
}

enum x86_register emitter_fetched(struct emitter *emitter, unsigned reg, enum x86_register scratch)
{
    unsigned home = emitter_home(emitter, reg);
    if (home != NOWHERE) {
        return (enum x86_register)home;
    }
    emitter_fetch(emitter, scratch, reg);
    return scratch;
}

void emitter_store(struct emitter *emitter, unsigned rd, enum x86_register from)
{
    struct x86_operand to = emitter_operand(emitter, rd);
    if (to.in_memory) {
        x86_emit(emitter->code, X86_STORE, from, to);
    } else if (to.base != from) {
        x86_emit(emitter->code, X86_LOAD, (enum x86_register)to.base, x86_in(from));
    }
}

/* Leaving. */

void emitter_later(struct emitter *emitter, const struct aside *aside)
{
    if (emitter->asides == ASIDES) {
        emitter->code->full = true;
        return;
    }
    struct aside *added = &emitter->aside[emitter->asides++];
    *added = *aside;
    added->word = emitter->word;
    added->pc = emitter->region->words[emitter->word].pc;
    added->returns = (uint8_t)emitter->remaining;
}

void emitter_leave_at(struct emitter *emitter, uint32_t jump)
{
    emitter_later(emitter, &(struct aside){.kind = ASIDE_LEAVES, .jump = jump});
}

void emitter_access_at(struct emitter *emitter, uint32_t jump)
{
    emitter_later(emitter, &(struct aside){.kind = ASIDE_ACCESSES, .jump = jump});
}

void emitter_resume(struct emitter *emitter, uint32_t asides, uint32_t resume)
{
    for (uint32_t i = asides; i < emitter->asides; i++) {
        emitter->aside[i].resume = resume;
    }
}

/* Emits a jump to an instruction of the region, or out of the region. */
static void go_to(struct emitter *emitter, enum x86_condition condition, uint32_t pc)
{
    uint32_t word = region_index(emitter->region, pc);
    if (word == emitter->region->count) {
        emitter_leave_at(emitter, x86_emit_jump_ahead(emitter->code, condition));
        struct aside *aside = &emitter->aside[emitter->asides - 1];
        aside->pc = pc;
        aside->returns = 0; /* the block ends with the jump */
    } else if (word <= emitter->word) {
        x86_emit_jump(emitter->code, condition, emitter->label[word]);
    } else if (emitter->jumps == JUMPS) {
        emitter->code->full = true;
    } else {
        emitter->jump[emitter->jumps].jump = x86_emit_jump_ahead(emitter->code, condition);
        emitter->jump[emitter->jumps++].word = word;
    }
}

/* Jumps. */

static enum x86_condition condition_of(uint8_t op)
{
    static const uint8_t conditions[] = {X86_EQUAL, X86_NOT_EQUAL, X86_LESS, X86_NOT_LESS, X86_BELOW, X86_NOT_BELOW};
    return (enum x86_condition)conditions[op - RV32_OP_BEQ];
}

/* A jump to a word of L1 whose address is in SCRATCH, by the table of entries. */
static void go_elsewhere(struct emitter *emitter, const struct region_word *word)
{
    emitter_leave_at(emitter, emitter_check(emitter, L1_SIZE, sizeof(uint32_t)));
    if (word->code.rd != RV32_SINK) {
        x86_emit_constant(emitter->code, emitter_operand(emitter, word->code.rd), word->pc + 4);
    }
    x86_emit_jump(emitter->code, X86_ALWAYS, emitter->spill_dispatch);
}

/* Jumps within the region, to blocks that it has, stay in its code; all other indirect jumps go through the table of
   entries: so a switch or a return costs a few instructions instead of all registers' being stored and loaded (row
   mixed of the benchmark). */
static void jump_indirect(struct emitter *emitter, const struct region_word *word)
{
    struct evex_code *to = emitter->code;
    const struct rv32_code *code = &word->code;
    const uint32_t first = emitter->region->words[0].pc;
    emitter_fetch(emitter, SCRATCH, code->rs1);
    if (code->immediate) {
        x86_emit_immediate(to, X86_ADD, x86_in(SCRATCH), code->immediate);
    }
    x86_emit_immediate(to, X86_AND, x86_in(SCRATCH), ~1);
    if (!emitter->table_words) {
        go_elsewhere(emitter, word);
        return;
    }
    x86_emit(to, X86_ADDRESS, SCRATCH_2, x86_at(SCRATCH, -(int32_t)first));
    x86_emit_rotated(to, SCRATCH_2, x86_in(SCRATCH_2), __builtin_ctz(sizeof(uint32_t)));
    x86_emit_immediate(to, X86_COMPARE, x86_in(SCRATCH_2), (int32_t)emitter->table_words);
    emitter_later(emitter, &(struct aside){.kind = ASIDE_GOES, .jump = x86_emit_jump_ahead(to, X86_NOT_BELOW)});
    if (code->rd != RV32_SINK) {
        x86_emit_constant(to, emitter_operand(emitter, code->rd), word->pc + 4);
    }
    x86_emit_wide(to, X86_LOAD, SCRATCH_3, emitter_on_stack(STACK_ROOM));
    x86_emit(to, X86_LOAD, SCRATCH_2, x86_at_sum(SCRATCH_3, SCRATCH_2, 2, (int32_t)emitter->table));
    x86_emit(to, X86_TEST, SCRATCH_2, x86_in(SCRATCH_2));
    x86_emit_jump(to, X86_EQUAL, emitter->spill_dispatch);
    x86_emit_wide(to, X86_ADD, SCRATCH_2, x86_in(SCRATCH_3));
    x86_emit_jump_to(to, SCRATCH_2);
}

/* Makes room for the table, if there are indirect jumps and the region is no larger than its code. */
static void open_table(struct emitter *emitter)
{
    enum { LARGEST = 2 * REGION_WORDS };
    const struct region *region = emitter->region;
    const uint32_t words = (region->words[region->count - 1].pc - region->words[0].pc) / 4 + 1;
    bool jumps = false;
    for (uint32_t i = 0; i < region->count; i++) {
        jumps |= region->words[i].flow == REGION_INDIRECT;
    }
    emitter->table = emitter->table_words = 0;
    if (jumps && words <= LARGEST && words * sizeof(uint32_t) < emitter->code->capacity - emitter->code->size) {
        emitter->table = emitter->code->size;
        emitter->table_words = words;
        memset(emitter->code->bytes + emitter->table, 0, words * sizeof(uint32_t));
        emitter->code->size += words * (uint32_t)sizeof(uint32_t);
    }
}

static void fill_table(const struct emitter *emitter)
{
    const struct region *region = emitter->region;
    for (uint32_t i = 0; emitter->table_words && i < region->count; i++) {
        uint32_t at = emitter->table + (region->words[i].pc - region->words[0].pc);
        memcpy(emitter->code->bytes + at, &emitter->label[i], sizeof emitter->label[i]);
    }
}

/* Whether the current block, which ends with a branch, is a polling loop by itself. */
static bool only_looks(const struct emitter *emitter, const struct region_word *word)
{
    const struct rv32_code *last = (const struct rv32_code *)emitter->rv32->l1->code + word->pc / 4;
    return region_target(word) == emitter->region->words[emitter->block].pc &&
           region_only_looks(last + word->code.immediate, last);
}

/* Translates one instruction; only those whose flow says so can leave the region. */
static void translate(struct emitter *emitter, const struct region_word *word)
{
    const struct rv32_code *code = &word->code;
    switch (word->flow) {
    case REGION_BRANCH:
        emitter_compare(emitter, code->rs1, code->rs2);
        if (only_looks(emitter, word)) {
            emitter_later(emitter, &(struct aside){.kind = ASIDE_LOOKS,
                                                   .jump = x86_emit_jump_ahead(emitter->code, condition_of(code->op)),
                                                   .resume = emitter->label[emitter->block]});
        } else {
            go_to(emitter, condition_of(code->op), region_target(word));
        }
        return;
    case REGION_JUMP:
        if (code->rd != RV32_SINK) {
            x86_emit_constant(emitter->code, emitter_operand(emitter, code->rd), word->pc + 4);
        }
        go_to(emitter, X86_ALWAYS, region_target(word));
        return;
    case REGION_INDIRECT: jump_indirect(emitter, word); return;
    default: break;
    }
    switch (code->op) {
    case RV32_OP_LB:
    case RV32_OP_LH:
    case RV32_OP_LW:
    case RV32_OP_LBU:
    case RV32_OP_LHU:
    case RV32_OP_SB:
    case RV32_OP_SH:
    case RV32_OP_SW: emitter_access(emitter, code); return;
    case RV32_CODE_TTINSN: emitter_push(emitter, (uint32_t)code->immediate, word->pc); return;
    case RV32_OP_FENCE: return; /* every access takes effect at once and in order */
    default: break;
    }
    emitter_arithmetic(emitter, code);
}

/* Blocks. */

enum { LONGEST_BLOCK = REGION_STRAIGHT };

/* The number of instructions from this one on that are counted together. */
static uint32_t block_length(const struct region *region, uint32_t first)
{
    uint32_t length = 0;
    for (uint32_t i = first; i < region->count && length < LONGEST_BLOCK; i++) {
        const struct region_word *word = &region->words[i];
        if (word->flow == REGION_INTERPRETS || (i > first && (word->leads || word->pc != word[-1].pc + 4))) {
            break;
        }
        length++;
        if (word->flow != REGION_NEXT) {
            break;
        }
    }
    return length;
}

/* Emits a jump to the next word, unless the flow never gets there, or the next word's code follows directly. */
static void fall_through(struct emitter *emitter, const struct region_word *word, bool in_order)
{
    bool goes_on = word->flow == REGION_NEXT || word->flow == REGION_BRANCH;
    bool next = in_order && emitter->word + 1 < emitter->region->count && word[1].pc == word->pc + 4;
    if (goes_on && !next) {
        go_to(emitter, X86_ALWAYS, word->pc + 4);
    }
}

/* How many .ttinsn stand in a row in the block, from the current instruction on; no more than are pushed at once. */
static uint32_t pushes_in_a_row(const struct emitter *emitter)
{
    const struct region_word *words = &emitter->region->words[emitter->word];
    uint32_t most = emitter->remaining < EMITTER_PUSHES ? emitter->remaining : EMITTER_PUSHES, count = 0;
    while (count < most && words[count].code.op == RV32_CODE_TTINSN) {
        count++;
    }
    return count;
}

/* Translates the current instruction, and those that are done with it at once. Returns how many. */
static uint32_t translate_next(struct emitter *emitter)
{
    uint32_t pushes = pushes_in_a_row(emitter);
    if (pushes > 1) {
        emitter_pushes(emitter, pushes);
        return pushes;
    }
    translate(emitter, &emitter->region->words[emitter->word]);
    return 1;
}

/* Returns the word after the block; in_order: the next block to be translated is the following one. */
static uint32_t translate_block(struct emitter *emitter, uint32_t first, bool in_order)
{
    const struct region_word *words = emitter->region->words;
    uint32_t length = block_length(emitter->region, first);
    emitter->word = emitter->block = first;
    emitter->label[first] = emitter->code->size;
    if (length == 0) {
        emitter->remaining = 0;
        emitter_leave_at(emitter, x86_emit_jump_ahead(emitter->code, X86_ALWAYS));
        return first + 1;
    }
    emitter->remaining = length;
    x86_emit_immediate(emitter->code, X86_SUB, x86_in(LEFT), (int32_t)length);
    emitter_leave_at(emitter, x86_emit_jump_ahead(emitter->code, X86_BELOW));
    while (emitter->remaining > 0) {
        uint32_t count = translate_next(emitter);
        emitter->remaining -= count;
        emitter->word += count;
    }
    emitter->word--;
    fall_through(emitter, &words[emitter->word], in_order);
    return first + length;
}

/* Emitted for the backward branch of a polling loop, after one whole iteration: nothing else runs during the core's
   turn, so that the loop repeats until its turn ends, unless a load in it has side effects. A part of an iteration
   would not change registers any more. */
static void skip_rounds(struct emitter *emitter, const struct aside *aside)
{
    struct evex_code *code = emitter->code;
    const struct region_word *word = &emitter->region->words[aside->word];
    uint32_t length = (uint32_t)-word->code.immediate + 1;
    struct x86_operand acted = x86_at(SCRATCH_3, offsetof(struct translated_context, acted));
    x86_emit_wide(code, X86_LOAD, SCRATCH_3, emitter_on_stack(STACK_CONTEXT));
    x86_emit(code, X86_LOAD, SCRATCH, acted);
    x86_emit_constant(code, acted, 0);
    x86_emit(code, X86_TEST, SCRATCH, x86_in(SCRATCH));
    x86_emit_jump(code, X86_NOT_EQUAL, aside->resume);
    x86_emit(code, X86_LOAD, SCRATCH, x86_in(LEFT));
    x86_emit_constant(code, x86_in(SCRATCH_3), 0);
    x86_emit_constant(code, x86_in(SCRATCH_2), length);
    x86_emit_unary(code, X86_DIVIDE, SCRATCH_2);
    x86_emit_constant(code, x86_in(LEFT), 0);
    x86_emit_constant(code, x86_in(SCRATCH), region_target(word));
    x86_emit(code, X86_ADDRESS, SCRATCH, x86_at_sum(SCRATCH, SCRATCH_3, 2, 0));
    x86_emit_jump(code, X86_ALWAYS, emitter->spill);
}

static void emit_aside(struct emitter *emitter, const struct aside *aside)
{
    struct evex_code *code = emitter->code;
    x86_land(code, aside->jump);
    emitter->word = aside->word;
    emitter->remaining = aside->returns;
    switch (aside->kind) {
    case ASIDE_LEAVES:
        if (aside->returns) {
            x86_emit_immediate(code, X86_ADD, x86_in(LEFT), aside->returns);
        }
        x86_emit_constant(code, x86_in(SCRATCH), aside->pc);
        x86_emit_jump(code, X86_ALWAYS, emitter->spill);
        return;
    case ASIDE_OTHER: emitter_other_access(emitter, aside); break;
    case ASIDE_PUSHES: emitter_push_each(emitter, aside); break;
    case ASIDE_WRAPS: emitter_push_round(emitter, aside); break;
    case ASIDE_LOOKS: skip_rounds(emitter, aside); return;
    case ASIDE_GOES: go_elsewhere(emitter, &emitter->region->words[aside->word]); return;
    case ASIDE_ACCESSES:
        x86_emit_constant(code, x86_in(SCRATCH), aside->pc);
        x86_emit(code, X86_ADDRESS, SCRATCH_2, x86_at(LEFT, aside->returns));
        x86_emit_call(code, emitter->access);
        break;
    }
    x86_emit_jump(code, X86_ALWAYS, aside->resume);
}

/* Counts how often the region uses each register of the core, and which ones it writes. */

static void count_uses(struct emitter *emitter, uint32_t uses[RV32_REGISTERS])
{
    enum { LOOP = 3 }; /* a loop is taken to go round 2^3 times */
    for (uint32_t i = 0; i < emitter->region->count; i++) {
        const struct region_word *word = &emitter->region->words[i];
        const struct rv32_code *code = &word->code;
        uint32_t weight = 1u << LOOP * word->depth;
        if (word->flow == REGION_INTERPRETS || code->op >= RV32_OP_FLH) {
            continue;
        }
        enum rv32_format format = (enum rv32_format)rv32_instructions[code->op].format;
        bool stores = format == RV32_FORMAT_STORE || format == RV32_FORMAT_B;
        if (format != RV32_FORMAT_U && format != RV32_FORMAT_J) {
            uses[code->rs1] += weight;
        }
        if (stores || format == RV32_FORMAT_R) {
            uses[code->rs2] += weight;
        }
        if (!stores) {
            uses[code->rd] += weight;
            emitter->written |= code->rd < RV32_SINK ? 1u << code->rd : 0;
        }
    }
}

static void choose_homes(struct emitter *emitter)
{
    uint32_t uses[RV32_REGISTERS] = {0};
    count_uses(emitter, uses);
    for (unsigned reg = 0; reg < RV32_SINK; reg++) {
        emitter->home[reg] = NOWHERE;
    }
    for (unsigned i = 0; i < sizeof homes; i++) {
        unsigned most = 0;
        uses[0] = 0;
        for (unsigned reg = 1; reg < RV32_SINK; reg++) {
            most = uses[reg] > uses[most] ? reg : most;
        }
        if (most) {
            emitter->home[most] = homes[i];
            uses[most] = 0;
        }
    }
}

static void emit_spill(struct emitter *emitter)
{
    for (unsigned reg = 1; reg < RV32_SINK; reg++) {
        if (emitter->home[reg] != NOWHERE && emitter->written >> reg & 1) {
            x86_emit(emitter->code, X86_STORE, (enum x86_register)emitter->home[reg], in_memory(reg));
        }
    }
}

static void emit_fill(struct emitter *emitter)
{
    for (unsigned reg = 1; reg < RV32_SINK; reg++) {
        if (emitter->home[reg] != NOWHERE) {
            x86_emit(emitter->code, X86_LOAD, (enum x86_register)emitter->home[reg], in_memory(reg));
        }
    }
}

/* The subroutine that calls translated_access(). */
static void emit_access(struct emitter *emitter)
{
    struct evex_code *code = emitter->code;
    struct x86_operand context = emitter_on_stack(STACK_CONTEXT);
    context.offset += (int32_t)sizeof(uint64_t); /* behind the return address */
    emit_spill(emitter);
    x86_emit_wide(code, X86_LOAD, X86_RDI, context);
    x86_emit(code, X86_LOAD, X86_RSI, x86_in(SCRATCH));
    x86_emit(code, X86_LOAD, X86_RDX, x86_in(SCRATCH_2));
    x86_emit_call_at(code, x86_at(X86_RDI, offsetof(struct translated_context, access)));
    x86_emit_wide(code, X86_TEST, X86_RAX, x86_in(X86_RAX));
    uint32_t ends = x86_emit_jump_ahead(code, X86_NOT_EQUAL);
    emit_fill(emitter);
    evex_emit_return(code);
    x86_land(code, ends);
    x86_emit_wide(code, X86_ADDRESS, X86_RSP, x86_at(X86_RSP, sizeof(uint64_t)));
    x86_emit_jump(code, X86_ALWAYS, emitter->shared->end);
}

static void emit_entry(struct emitter *emitter, uint32_t word)
{
    emit_fill(emitter);
    x86_emit_jump(emitter->code, X86_ALWAYS, emitter->label[word]);
}

void translate_region(struct evex_code *code, const struct translate_shared *shared, const struct region *region,
                      const struct rv32 *rv32, uint32_t offsets[REGION_WORDS])
{
    struct emitter emitter;
    emitter.code = code;
    emitter.shared = shared;
    emitter.region = region;
    emitter.rv32 = rv32;
    emitter.asides = emitter.jumps = emitter.written = 0;
    choose_homes(&emitter);
    open_table(&emitter);
    emitter.spill = code->size;
    emit_spill(&emitter);
    x86_emit_jump(code, X86_ALWAYS, shared->leave);
    emitter.spill_dispatch = code->size;
    emit_spill(&emitter);
    x86_emit_jump(code, X86_ALWAYS, shared->dispatch);
    emitter.access = code->size;
    emit_access(&emitter);
    memset(emitter.label, 0, sizeof emitter.label);
    for (uint32_t word = 0; word < region->count;) {
        word = translate_block(&emitter, word, true);
    }
    for (uint32_t word = 0; word < region->count; word++) {
        if (region->words[word].entry && !emitter.label[word]) {
            translate_block(&emitter, word, false); /* once more, from within a block */
        }
    }
    for (uint32_t i = 0; i < emitter.asides; i++) {
        struct aside aside = emitter.aside[i];
        emit_aside(&emitter, &aside);
    }
    fill_table(&emitter);
    for (uint32_t i = 0; i < emitter.jumps; i++) {
        x86_land_at(code, emitter.jump[i].jump, emitter.label[emitter.jump[i].word]);
    }
    for (uint32_t word = 0; word < region->count; word++) {
        if (region->words[word].entry) {
            offsets[word] = code->size;
            emit_entry(&emitter, word);
        }
    }
}
