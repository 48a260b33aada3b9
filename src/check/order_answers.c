/* Answers to loads. The next instruction of a core may begin before a load is answered: it waits if it uses the value,
   behind a fence, or if seven instructions stand between them (ISA documentation BabyRISCV/MemoryOrdering.md,
   "Enforcing stronger ordering"). What a counter, a semaphore or a flag says orders the core only if the program looks
   at it: a branch depends on the value. A value that goes where it is not followed - memory, a call by pointer - counts
   as looked at. */
#include "check/order.h"
#include "util/bits.h"

enum { NIU = 0xffb20000, NIU_END = 0xffb40000, NIU_SIZE = 0x10000, NIU_REQUEST = 0x800, NIU_COMMAND = 0x40 };
enum { NIU_COUNTERS = 0x200 };
enum { ANSWERED = 8 /* instructions behind a load, it has left the queue */ };

static void forget(struct check_core *core, unsigned number)
{
    for (unsigned i = 0; i < COUNT_OF(core->asked); i++) {
        core->asked[i] &= (uint8_t) ~(1 << number);
    }
}

/* Whoever has looked at NOC_CMD_CTRL, or at counters of responses, knows that the request was taken
   (NoC/MemoryMap.md). */
static void looked_at_niu(struct check_tile *tile, uint32_t address)
{
    uint32_t offset = (address - NIU) % NIU_SIZE, initiator = offset / NIU_REQUEST;
    if (address < NIU || address >= NIU_END) {
        return;
    }
    for (unsigned i = 0; i < CHECK_INITIATORS; i++) {
        bool taken =
            offset % NIU_REQUEST == NIU_COMMAND ? i == initiator : offset >= NIU_COUNTERS && offset < NIU_REQUEST;
        if (taken) {
            tile->started[(address - NIU) / NIU_SIZE][i] = 0;
        }
    }
}

static void end(struct bh_check *check, struct check_tile *tile, struct check_core *core, unsigned number)
{
    learn(check, &core->view, &core->answer[number].told);
    looked_at_niu(tile, core->answer[number].address);
    core->awaited &= (uint8_t) ~(1 << number);
    forget(core, number);
}

/* Whether a register still has something of the value. */
static bool lives(const struct check_core *core, unsigned number)
{
    uint8_t any = 0;
    for (unsigned i = 1; i < COUNT_OF(core->asked); i++) {
        any |= core->asked[i];
    }
    return any >> number & 1;
}

struct view *answer_to(struct bh_check *check, struct check_tile *tile, struct check_core *core, uint32_t word,
                       const struct check_question *question)
{
    unsigned number = core->next_answer, rd = rv32_rd(word);
    struct check_answer *answer = &core->answer[number];
    core->next_answer = (number + 1) % CHECK_ANSWERS;
    if ((core->awaited >> number & 1) && (!answer->asks || lives(core, number))) {
        end(check, tile, core, number);
    }
    forget(core, number);
    core->awaited |= (uint8_t)(1 << number);
    answer->address = question->address;
    answer->asks = question->asks;
    answer->decided = !question->asks;
    answer->rd = (uint8_t)rd;
    answer->born = core->instructions;
    view_clear(&answer->told);
    core->asked[rd] |= rd ? (uint8_t)(1 << number) : 0;
    return &answer->told;
}

bool order_is_unanswered(const struct bh_check *check, const struct check_actor *later,
                         const struct check_actor *earlier)
{
    bool any = false;
    for (unsigned i = 0; is_core_part(later->part) && i < CHECK_ANSWERS; i++) {
        const struct check_core *core = &check->tile[later->tile]->core[core_of_part(later->part)];
        const struct check_answer *answer = &core->answer[i];
        any |= (core->awaited >> i & 1) && !answer->asks &&
               view_has(view_find(&answer->told, earlier->tile), earlier->part, earlier->step);
    }
    return any;
}

/* The registers that an instruction reads, as far as loads are concerned: instructions of the vector and floating-point
   units read others. */
static uint32_t reads_x(enum rv32_format format, uint32_t word)
{
    uint32_t first = 1u << rv32_rs1(word), both = first | 1u << rv32_rs2(word);
    switch (format) {
    case RV32_FORMAT_R:
    case RV32_FORMAT_B:
    case RV32_FORMAT_STORE:
    case RV32_FORMAT_AMO: return both;
    case RV32_FORMAT_UNARY:
    case RV32_FORMAT_I:
    case RV32_FORMAT_SHIFT:
    case RV32_FORMAT_JALR:
    case RV32_FORMAT_LOAD:
    case RV32_FORMAT_FLOAD:
    case RV32_FORMAT_FSTORE:
    case RV32_FORMAT_XTOF:
    case RV32_FORMAT_CSR: return first;
    default: return 0;
    }
}

bool rv32_writes_x(enum rv32_format format)
{
    switch (format) {
    case RV32_FORMAT_NONE:
    case RV32_FORMAT_B:
    case RV32_FORMAT_STORE:
    case RV32_FORMAT_FENCE:
    case RV32_FORMAT_FENCE_I:
    case RV32_FORMAT_FLOAD:
    case RV32_FORMAT_FSTORE:
    case RV32_FORMAT_FR:
    case RV32_FORMAT_FR4:
    case RV32_FORMAT_FUNARY:
    case RV32_FORMAT_XTOF:
    case RV32_FORMAT_VECTOR: return false;
    default: return true;
    }
}

/* The answers that an instruction looks at, or takes where they are not followed. */
static uint8_t looks_at(const struct check_core *core, enum rv32_format format, uint32_t word)
{
    uint8_t first = core->asked[rv32_rs1(word)], second = core->asked[rv32_rs2(word)];
    switch (format) {
    case RV32_FORMAT_B: return first | second;
    case RV32_FORMAT_STORE: return second;
    case RV32_FORMAT_AMO: return second;
    case RV32_FORMAT_JALR:
    case RV32_FORMAT_CSR:
    case RV32_FORMAT_XTOF:
    case RV32_FORMAT_VECTOR: return first;
    default: return 0;
    }
}

static uint8_t asked_of_sources(const struct check_core *core, enum rv32_format format, uint32_t word)
{
    switch (format) {
    case RV32_FORMAT_R: return core->asked[rv32_rs1(word)] | core->asked[rv32_rs2(word)];
    case RV32_FORMAT_UNARY:
    case RV32_FORMAT_I:
    case RV32_FORMAT_SHIFT: return core->asked[rv32_rs1(word)];
    default: return 0;
    }
}

void answers_at(struct bh_check *check, struct check_tile *tile, struct check_core *core, enum rv32_format format,
                uint32_t word)
{
    if (!core->awaited) {
        return;
    }
    bool all = format == RV32_FORMAT_FENCE || format == RV32_FORMAT_AMO, writes = rv32_writes_x(format);
    uint32_t reads = reads_x(format, word), written = writes ? 1u << rv32_rd(word) : 0;
    uint8_t looked_at = looks_at(core, format, word), depends = asked_of_sources(core, format, word);
    for (uint32_t left = core->awaited; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        struct check_answer *answer = &core->answer[i];
        bool used = answer->rd && (reads >> answer->rd & 1);
        bool answered = all || used || core->instructions - answer->born >= ANSWERED;
        answer->decided |= looked_at >> i & 1;
        if (answer->decided && (answered || answer->asks)) {
            end(check, tile, core, i);
        } else if (answer->rd && written >> answer->rd & 1) {
            answer->rd = 0;
        }
    }
    if (writes && rv32_rd(word)) {
        core->asked[rv32_rd(word)] = depends;
    }
}
