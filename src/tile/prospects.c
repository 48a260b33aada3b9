#include "tile/prospects.h"

#include <string.h>

#include "isa/rv32_isa.h"
#include "isa/tensix_facts.h"
#include "isa/tensix_table.h"
#include "tensix/units/src_banks.h"
#include "tile/mmio.h"
#include "tile/tile.h"

enum { CODE_WORDS = L1_SIZE / 4, STARTS = 512, MOST_INSTRUCTIONS = 32768 };
enum { OPCODE_LUI = 0x37, OPCODE_ADDI = 0x13, OPCODE_STORE = 0x23, OPCODE_BRANCH = 0x63, OPCODE_JALR = 0x67 };
enum { OPCODE_JAL = 0x6f, RETURN_ADDRESS = 1, STACK_POINTER = 2, ALL_SEMAPHORES = 0xff };

static bool hands_back(uint32_t word)
{
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)(word >> 24));
    struct tensix_operands operands = tensix_operands_of(word);
    return instruction && instruction->unit == TENSIX_MATRIX && tensix_writes(word, &operands) & TENSIX_USE_SRC_BANKS;
}

/* A Tensix word that is to be executed. */
static void add_word(struct prospects *prospects, uint32_t word)
{
    enum { CLEAR_BIT = 22, REPLAY_LOADS_ONLY = 1 };
    switch (word >> 24) {
    case TENSIX_OPCODE_UNPACR: prospects->fills |= word >> 23 & 1 ? SRC_SET_B : SRC_SET_A; break;
    case TENSIX_OPCODE_UNPACR_NOP: prospects->fills |= word >> 23 & 1 ? SRC_SET_B : SRC_SET_A; break;
    case TENSIX_OPCODE_SETDVALID: prospects->fills |= word & (SRC_SET_A | SRC_SET_B); break;
    case TENSIX_OPCODE_SEMPOST: prospects->posts |= (uint8_t)(word >> 2); break;
    case TENSIX_OPCODE_SEMGET: prospects->takes |= (uint8_t)(word >> 2); break;
    case TENSIX_OPCODE_SEMINIT:
        prospects->posts |= (uint8_t)(word >> 2);
        prospects->takes |= (uint8_t)(word >> 2);
        break;
    case TENSIX_OPCODE_ATRELM: prospects->releases |= (uint8_t)(1 << (word & 7)); break;
    case TENSIX_OPCODE_MOP: prospects->mop = true; break;
    case TENSIX_OPCODE_REPLAY: prospects->replay |= (word & 3) != REPLAY_LOADS_ONLY; break;
    default:
        if (hands_back(word)) {
            prospects->frees |= word >> CLEAR_BIT & (SRC_SET_A | SRC_SET_B);
        }
    }
}

static void add_fifo(struct prospects *prospects, const struct instruction_fifo *fifo)
{
    for (uint32_t i = 0; i < fifo->count; i++) {
        add_word(prospects, fifo->entries[(fifo->head + i) % FIFO_CAPACITY].word);
    }
}

/* What the expanders of a thread hold for those who use them. */
static void add_expanders(struct prospects *prospects, const struct frontend *frontend, bool mop, bool replay)
{
    for (unsigned i = 0; mop && i < MOP_CONFIG_WORDS; i++) {
        add_word(prospects, frontend->mop.config[i]);
    }
    for (unsigned i = 0; (replay || prospects->replay) && i < REPLAY_CAPACITY; i++) {
        add_word(prospects, frontend->replay.words[i]);
    }
}

void prospects_of_thread(const struct tile *tile, unsigned thread, struct prospects *prospects)
{
    const struct frontend *frontend = &tile->state->tensix.frontend[thread];
    *prospects = (struct prospects){};
    if (frontend->at_gate) {
        add_word(prospects, frontend->next.word);
    }
    add_fifo(prospects, &frontend->fifo);
    add_fifo(prospects, &frontend->after_mop);
    add_expanders(prospects, frontend, frontend->mop.active || prospects->mop,
                  frontend->replay.mode == REPLAY_EXECUTES);
}

/* A walk through the code that a core can reach. */
struct walk {
    const struct tile *tile;
    struct prospects *prospects;
    uint32_t starts[STARTS]; /* to be visited */
    unsigned count, instructions;
    bool registers;     /* the code has addresses of registers of TTSync and semaphores */
    uint8_t stores;     /* offsets of stores that would be those of semaphores, a bit for each */
    uint32_t known;     /* registers whose values the code has, a bit for each, */
    uint32_t value[32]; /* and these */
    uint8_t visited[CODE_WORDS / 8];
};

static void add_start(struct walk *walk, uint32_t pc)
{
    if (pc % 4 || !l1_contains(pc, 4) || walk->visited[pc / 32] >> (pc / 4 % 8) & 1) {
        return;
    }
    if (walk->count == STARTS) {
        walk->prospects->unknown = true;
        return;
    }
    walk->starts[walk->count++] = pc;
}

/* A constant that may be the beginning of a Tensix word, or of an address. */
static void add_constant(struct walk *walk, uint32_t pc, uint32_t word)
{
    uint32_t next = l1_contains(pc + 4, 4) ? l1_load32(&walk->tile->l1, pc + 4) : 0, value = word & 0xfffff000;
    bool whole = (next & 0x7f) == OPCODE_ADDI && rv32_rd(next) == rv32_rd(word) && rv32_rs1(next) == rv32_rd(word);
    if (whole) {
        value += (uint32_t)rv32_immediate(RV32_FORMAT_I, next);
    }
    uint32_t opcode = value >> 24;
    if (!whole && (opcode == TENSIX_OPCODE_SEMPOST || opcode == TENSIX_OPCODE_SEMGET)) {
        value |= ALL_SEMAPHORES << 2; /* the mask is a variable */
    }
    add_word(walk->prospects, value);
    uint32_t first = mmio_region(MMIO_SEMAPHORES)->first;
    walk->registers |= value >> 16 == first >> 16;
    if (value >= first && value < first + 4 * SEMAPHORES) {
        walk->stores |= (uint8_t)(1 << (value - first) / 4);
    }
}

/* A word of L1 that is stored to. */
static void add_stored(struct prospects *prospects, uint32_t address)
{
    for (unsigned i = 0; i < prospects->stores; i++) {
        if (prospects->stored[i] == address) {
            return;
        }
    }
    if (prospects->stores < PROSPECT_STORES) {
        prospects->stored[prospects->stores++] = address;
    }
}

static void add_store(struct walk *walk, uint32_t word)
{
    uint32_t offset = (uint32_t)rv32_immediate(RV32_FORMAT_STORE, word), base = rv32_rs1(word);
    if (walk->known >> base & 1 && l1_contains(walk->value[base] + offset, 1)) {
        add_stored(walk->prospects, (walk->value[base] + offset) & ~3u);
    }
    uint32_t first = mmio_region(MMIO_SEMAPHORES)->first & 0xffff;
    if (rv32_rs1(word) != STACK_POINTER && offset >= first && offset < first + 4 * SEMAPHORES) {
        walk->stores |= (uint8_t)(1 << (offset - first) / 4);
    }
}

/* A jump to an address in a register: a return, a call behind `auipc`, or one to a computed address. */
static void add_indirect(struct walk *walk, uint32_t pc, uint32_t word)
{
    uint32_t before = pc >= 4 ? l1_load32(&walk->tile->l1, pc - 4) : 0, base = rv32_rs1(word);
    bool pair = (before & 0x7f) == 0x17 && rv32_rd(before) == base;
    if (pair) {
        add_start(walk, pc - 4 + (before & 0xfffff000) + (uint32_t)rv32_immediate(RV32_FORMAT_JALR, word));
    } else if (base != RETURN_ADDRESS || rv32_rd(word)) {
        walk->prospects->unknown = true;
    }
}

/* Keeps track of the values that lui and addi give to registers. */
static void follow_values(struct walk *walk, uint32_t word)
{
    uint32_t opcode = word & 0x7f, to = rv32_rd(word), from = rv32_rs1(word);
    bool addi = opcode == OPCODE_ADDI && !(word >> 12 & 7) && walk->known >> from & 1;
    if (opcode == OPCODE_STORE || opcode == OPCODE_BRANCH || to == 0) {
        return;
    }
    walk->known &= ~(1u << to);
    if (opcode == OPCODE_LUI || addi) {
        walk->value[to] = addi ? walk->value[from] + (uint32_t)rv32_immediate(RV32_FORMAT_I, word) : word & 0xfffff000;
        walk->known |= 1u << to;
    }
}

/* One instruction. Returns whether execution may go on behind it. */
static bool visit(struct walk *walk, uint32_t pc)
{
    uint32_t word = l1_load32(&walk->tile->l1, pc);
    if ((word & 3) != 3) {
        add_word(walk->prospects, word >> 2 | word << 30);
        return true;
    }
    follow_values(walk, word);
    switch (word & 0x7f) {
    case OPCODE_LUI: add_constant(walk, pc, word); return true;
    case OPCODE_STORE: add_store(walk, word); return true;
    case OPCODE_BRANCH: add_start(walk, pc + (uint32_t)rv32_immediate(RV32_FORMAT_B, word)); return true;
    case OPCODE_JAL: add_start(walk, pc + (uint32_t)rv32_immediate(RV32_FORMAT_J, word)); return rv32_rd(word) != 0;
    case OPCODE_JALR: add_indirect(walk, pc, word); return rv32_rd(word) != 0;
    default: return true;
    }
}

static void visit_from(struct walk *walk, uint32_t pc)
{
    walk->known = 1; /* x0 */
    while (l1_contains(pc, 4) && !(walk->visited[pc / 32] >> (pc / 4 % 8) & 1)) {
        walk->visited[pc / 32] |= (uint8_t)(1 << pc / 4 % 8);
        if (walk->instructions++ == MOST_INSTRUCTIONS) {
            walk->prospects->unknown = true;
            return;
        }
        if (!visit(walk, pc)) {
            return;
        }
        pc += 4;
    }
}

static bool is_return_address(const struct tile *tile, uint32_t address)
{
    if (address % 4 || address < 4 || !l1_contains(address, 4)) {
        return false;
    }
    uint32_t call = l1_load32(&tile->l1, address - 4);
    return ((call & 0x7f) == OPCODE_JAL || (call & 0x7f) == OPCODE_JALR) && rv32_rd(call) == RETURN_ADDRESS;
}

/* Where the functions in which the core is return to. */
static void add_callers(struct walk *walk, unsigned core)
{
    const struct rv32_core *state = &walk->tile->state->core[core];
    const uint8_t *ram = tile_ram(walk->tile->state, core);
    if (is_return_address(walk->tile, state->x[RETURN_ADDRESS])) {
        add_start(walk, state->x[RETURN_ADDRESS]);
    }
    for (uint32_t at = state->x[STACK_POINTER] - MEM_LOCAL_BASE; at % 4 == 0 && at < LOCAL_RAM_SIZE; at += 4) {
        uint32_t word;
        memcpy(&word, ram + at, sizeof word);
        if (is_return_address(walk->tile, word)) {
            add_start(walk, word);
        }
    }
}

void prospects_of_core(const struct tile *tile, unsigned core, struct prospects *prospects)
{
    *prospects = (struct prospects){};
    if (tile->state->core[core].halt != RV32_RUNNING) {
        return;
    }
    struct walk walk = {.tile = tile, .prospects = prospects};
    add_start(&walk, tile->state->core[core].pc);
    add_callers(&walk, core);
    while (walk.count) {
        visit_from(&walk, walk.starts[--walk.count]);
    }
    if (walk.registers) {
        prospects->posts |= walk.stores;
        prospects->takes |= walk.stores;
    }
    if (core >= BH_CORE_T0 && core <= BH_CORE_T2) {
        add_expanders(prospects, &tile->state->tensix.frontend[core - BH_CORE_T0], prospects->mop, prospects->replay);
    }
}
