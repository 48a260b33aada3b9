#include "rv32/translate_emitter.h"
#include "tensix/frontend/fifo.h"

#include <stddef.h>

struct access {
    uint32_t opcode;
    uint8_t size;
    bool stores;
};

static struct access access_of(uint8_t op)
{
    switch (op) {
    case RV32_OP_LB: return (struct access){X86_LOAD_SIGNED_BYTE, 1, false};
    case RV32_OP_LH: return (struct access){X86_LOAD_SIGNED_HALF, 2, false};
    case RV32_OP_LBU: return (struct access){X86_LOAD_BYTE, 1, false};
    case RV32_OP_LHU: return (struct access){X86_LOAD_HALF, 2, false};
    case RV32_OP_SB: return (struct access){X86_STORE_BYTE, 1, true};
    case RV32_OP_SH: return (struct access){X86_STORE_HALF, 2, true};
    case RV32_OP_SW: return (struct access){X86_STORE, 4, true};
    default: return (struct access){X86_LOAD, 4, false};
    }
}

/* The address in SCRATCH in units of `size`; a huge number if it is misaligned. */
static enum x86_register counted(struct emitter *emitter, uint8_t size)
{
    if (size == 1) {
        return SCRATCH;
    }
    x86_emit_rotated(emitter->code, SCRATCH_2, x86_in(SCRATCH), (uint8_t)__builtin_ctz(size));
    return SCRATCH_2;
}

uint32_t emitter_check(struct emitter *emitter, uint32_t limit, uint8_t size)
{
    x86_emit_immediate(emitter->code, X86_COMPARE, x86_in(counted(emitter, size)), (int32_t)(limit / size));
    return x86_emit_jump_ahead(emitter->code, X86_NOT_BELOW);
}

/* Checks an offset in local RAM. */
static uint32_t check_ram(struct emitter *emitter, uint8_t size)
{
    struct x86_operand limit = emitter_on_stack(STACK_RAM_LIMITS);
    limit.offset += __builtin_ctz(size) * (int32_t)sizeof(uint32_t);
    x86_emit(emitter->code, X86_COMPARE, counted(emitter, size), limit);
    return x86_emit_jump_ahead(emitter->code, X86_NOT_BELOW);
}

/* The access itself, at SCRATCH. */
static void access_at(struct emitter *emitter, const struct access *access, const struct rv32_code *code,
                      enum x86_register base)
{
    struct x86_operand place = x86_at_sum(base, SCRATCH, 0, 0);
    if (access->stores) {
        x86_emit(emitter->code, access->opcode, emitter_fetched(emitter, code->rs2, SCRATCH_2), place);
    } else {
        enum x86_register to = code->rd == RV32_SINK ? SCRATCH : emitter_result(emitter, code->rd);
        x86_emit(emitter->code, access->opcode, to, place);
        if (code->rd != RV32_SINK) {
            emitter_store(emitter, code->rd, to);
        }
    }
}

/* Accesses L1 at SCRATCH. Returns the jump that is taken for other addresses. */
static uint32_t access_l1(struct emitter *emitter, const struct access *access, const struct rv32_code *code)
{
    uint32_t elsewhere = emitter_check(emitter, rv32_l1_size(emitter->rv32), access->size);
    if (access->stores) {
        x86_emit(emitter->code, X86_LOAD, SCRATCH_2, x86_in(SCRATCH));
        x86_emit_shift(emitter->code, X86_SHIFT_RIGHT, SCRATCH_2, __builtin_ctz(L1_CODE_BLOCK));
        x86_emit_wide(emitter->code, X86_LOAD, SCRATCH_3, emitter_on_stack(STACK_CODE_BLOCKS));
        x86_emit_compare_byte(emitter->code, x86_at_sum(SCRATCH_3, SCRATCH_2, 0, 0), 0);
        emitter_access_at(emitter, x86_emit_jump_ahead(emitter->code, X86_NOT_EQUAL));
    }
    access_at(emitter, access, code, BYTES);
    return elsewhere;
}

/* Accesses local RAM at its beginning plus SCRATCH. Returns the jump that is taken for other addresses. */
static uint32_t access_ram(struct emitter *emitter, const struct access *access, const struct rv32_code *code)
{
    uint32_t elsewhere = check_ram(emitter, access->size);
    x86_emit_wide(emitter->code, X86_LOAD, SCRATCH_3, emitter_on_stack(STACK_RAM));
    access_at(emitter, access, code, SCRATCH_3);
    return elsewhere;
}

/* Accesses the register at `pointer`, whose word is known, if this is the address. Returns the jump that is taken for
   others. */
static uint32_t access_word(struct emitter *emitter, const struct access *access, const struct rv32_code *code,
                            uint32_t pointer, int32_t place)
{
    x86_emit_immediate(emitter->code, X86_COMPARE, x86_in(SCRATCH), (int32_t)pointer);
    uint32_t elsewhere = x86_emit_jump_ahead(emitter->code, X86_NOT_EQUAL);
    x86_emit_constant(emitter->code, x86_in(SCRATCH), (uint32_t)place);
    x86_emit_wide(emitter->code, X86_LOAD, SCRATCH_3, emitter_on_stack(STACK_WORDS));
    access_at(emitter, access, code, SCRATCH_3);
    return elsewhere;
}

/* Whether `pointer` is the address of a register that may be accessed directly; *place is its word. */
static bool is_word(const struct rv32 *rv32, const struct access *access, uint32_t pointer, int32_t *place)
{
    const struct rv32_bus *bus = &rv32->bus;
    if (access->size != sizeof(uint32_t) || pointer % sizeof(uint32_t) || pointer < MEM_LOCAL_BASE || !bus->word) {
        return false;
    }
    const uint32_t *word = bus->word(bus->context, rv32->core->id, pointer, access->stores);
    *place = word ? (int32_t)((const uint8_t *)word - (const uint8_t *)bus->words) : 0;
    return word;
}

/* Loads and stores first try the memory that the address register points to at the time of translation. */
void emitter_access(struct emitter *emitter, const struct rv32_code *code)
{
    const struct rv32 *rv32 = emitter->rv32;
    struct access access = access_of(code->op);
    uint32_t pointer = rv32->core->x[code->rs1] + (uint32_t)code->immediate, asides = emitter->asides, elsewhere;
    bool ram_first = code->rs1 && pointer - MEM_LOCAL_BASE < rv32->local_ram_size;
    int32_t offset = code->immediate - (int32_t)(ram_first ? MEM_LOCAL_BASE : 0), place;
    unsigned home = emitter_home(emitter, code->rs1);
    if (home != NOWHERE) {
        x86_emit(emitter->code, X86_ADDRESS, SCRATCH, x86_at((enum x86_register)home, offset));
    } else {
        emitter_fetch(emitter, SCRATCH, code->rs1);
        x86_emit_immediate(emitter->code, X86_ADD, x86_in(SCRATCH), offset);
    }
    enum tried tried = TRIED_L1;
    if (ram_first) {
        tried = TRIED_RAM;
        elsewhere = access_ram(emitter, &access, code);
    } else if (is_word(rv32, &access, pointer, &place)) {
        tried = TRIED_WORD;
        elsewhere = access_word(emitter, &access, code, pointer, place);
    } else {
        elsewhere = access_l1(emitter, &access, code);
    }
    emitter_later(emitter, &(struct aside){.kind = ASIDE_OTHER, .jump = elsewhere, .tried = (uint8_t)tried});
    emitter_resume(emitter, asides, emitter->code->size);
}

void emitter_other_access(struct emitter *emitter, const struct aside *aside)
{
    const struct rv32_code *code = &emitter->region->words[aside->word].code;
    struct access access = access_of(code->op);
    uint32_t asides = emitter->asides;
    if (aside->tried == TRIED_WORD) {
        uint32_t elsewhere = access_l1(emitter, &access, code);
        emitter_later(emitter, &(struct aside){.kind = ASIDE_OTHER, .jump = elsewhere, .tried = TRIED_L1});
    } else {
        bool ram = aside->tried == TRIED_RAM;
        x86_emit_immediate(emitter->code, ram ? X86_ADD : X86_SUB, x86_in(SCRATCH), (int32_t)MEM_LOCAL_BASE);
        emitter_access_at(emitter, (ram ? access_l1 : access_ram)(emitter, &access, code));
    }
    emitter_resume(emitter, asides, aside->resume);
}

enum { COUNT = offsetof(struct instruction_fifo, count), HEAD = offsetof(struct instruction_fifo, head) };

void emitter_push(struct emitter *emitter, uint32_t word, uint32_t pc)
{
    struct evex_code *to = emitter->code;
    uint32_t asides = emitter->asides;
    x86_emit_wide(to, X86_LOAD, SCRATCH_3, emitter_on_stack(STACK_PUSHES));
    x86_emit(to, X86_LOAD, SCRATCH, x86_at(SCRATCH_3, COUNT));
    x86_emit_immediate(to, X86_COMPARE, x86_in(SCRATCH), FIFO_CAPACITY);
    emitter_access_at(emitter, x86_emit_jump_ahead(to, X86_EQUAL));
    x86_emit(to, X86_LOAD, SCRATCH_2, x86_at(SCRATCH_3, HEAD));
    x86_emit(to, X86_ADD, SCRATCH_2, x86_in(SCRATCH));
    x86_emit_immediate(to, X86_AND, x86_in(SCRATCH_2), FIFO_CAPACITY - 1);
    x86_emit_constant(to, x86_at_sum(SCRATCH_3, SCRATCH_2, 3, offsetof(struct pushed, word)), word);
    x86_emit_constant(to, x86_at_sum(SCRATCH_3, SCRATCH_2, 3, offsetof(struct pushed, pc)), pc);
    x86_emit_immediate(to, X86_ADD, x86_in(SCRATCH), 1);
    x86_emit(to, X86_STORE, SCRATCH, x86_at(SCRATCH_3, COUNT));
    emitter_resume(emitter, asides, to->size);
}

/* Stores a .ttinsn as number `i` from the entry on whose index is in SCRATCH_2. */
static void store_entry(struct emitter *emitter, const struct region_word *word, uint32_t i)
{
    const int32_t place = (int32_t)(i * sizeof(struct pushed));
    x86_emit_constant(emitter->code,
                      x86_at_sum(SCRATCH_3, SCRATCH_2, 3, place + (int32_t)offsetof(struct pushed, word)),
                      (uint32_t)word->code.immediate);
    x86_emit_constant(emitter->code, x86_at_sum(SCRATCH_3, SCRATCH_2, 3, place + (int32_t)offsetof(struct pushed, pc)),
                      word->pc);
}

void emitter_pushes(struct emitter *emitter, uint32_t count)
{
    struct evex_code *to = emitter->code;
    uint32_t asides = emitter->asides;
    struct aside aside = {.kind = ASIDE_PUSHES, .pushes = (uint8_t)count};
    x86_emit_wide(to, X86_LOAD, SCRATCH_3, emitter_on_stack(STACK_PUSHES));
    x86_emit(to, X86_LOAD, SCRATCH_2, x86_at(SCRATCH_3, COUNT));
    x86_emit_immediate(to, X86_COMPARE, x86_in(SCRATCH_2), FIFO_CAPACITY - (int32_t)count);
    aside.jump = x86_emit_jump_ahead(to, X86_ABOVE);
    emitter_later(emitter, &aside);
    x86_emit(to, X86_ADD, SCRATCH_2, x86_at(SCRATCH_3, HEAD));
    x86_emit_immediate(to, X86_ADD, x86_at(SCRATCH_3, COUNT), (int32_t)count);
    x86_emit_immediate(to, X86_AND, x86_in(SCRATCH_2), FIFO_CAPACITY - 1);
    x86_emit_immediate(to, X86_COMPARE, x86_in(SCRATCH_2), FIFO_CAPACITY - (int32_t)count);
    aside.kind = ASIDE_WRAPS;
    aside.jump = x86_emit_jump_ahead(to, X86_ABOVE);
    emitter_later(emitter, &aside);
    for (uint32_t i = 0; i < count; i++) {
        store_entry(emitter, &emitter->region->words[emitter->word + i], i);
    }
    emitter_resume(emitter, asides, to->size);
}

void emitter_push_round(struct emitter *emitter, const struct aside *aside)
{
    for (uint32_t i = 0; i < aside->pushes; i++) {
        store_entry(emitter, &emitter->region->words[aside->word + i], 0);
        x86_emit_immediate(emitter->code, X86_ADD, x86_in(SCRATCH_2), 1);
        x86_emit_immediate(emitter->code, X86_AND, x86_in(SCRATCH_2), FIFO_CAPACITY - 1);
    }
}

/* Mostly the FIFO is full: once the first has been pushed it has room for the others. */
void emitter_push_each(struct emitter *emitter, const struct aside *aside)
{
    for (uint32_t i = 0; i < aside->pushes; i++) {
        const struct region_word *word = &emitter->region->words[aside->word + i];
        emitter->word = aside->word + i;
        emitter->remaining = aside->returns - i;
        if (i == 1 && aside->pushes == EMITTER_PUSHES) {
            emitter_pushes(emitter, EMITTER_PUSHES - 1);
            return;
        }
        emitter_push(emitter, (uint32_t)word->code.immediate, word->pc);
    }
}

_Static_assert(sizeof(struct pushed) == 8 && offsetof(struct instruction_fifo, entries) == 0 &&
                   (FIFO_CAPACITY & (FIFO_CAPACITY - 1)) == 0,
               "as emitter_push() has it");
