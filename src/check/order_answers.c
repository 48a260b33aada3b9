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
    check_forget(core->asked, number);
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

static struct check_learned *learned(struct check_core *core, uint32_t address)
{
    enum { STREAM_SIZE = 0x1000 };
    return &core->learned[address / STREAM_SIZE % CHECK_LEARNED];
}

static void end(struct bh_check *check, struct check_tile *tile, struct check_core *core, unsigned number)
{
    struct check_answer *answer = &core->answer[number];
    learn(check, &core->view, &answer->told);
    looked_at_niu(tile, answer->address);
    if (answer->of) {
        *learned(core, answer->address) = (struct check_learned){.of = answer->of, .changes = answer->changes};
    }
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
    answer->of = NULL;
    answer->asks = question->asks;
    answer->decided = !question->asks;
    answer->rd = (uint8_t)rd;
    answer->born = core->instructions;
    view_clear(&answer->told);
    core->asked[rd] |= rd ? (uint8_t)(1 << number) : 0;
    return &answer->told;
}

bool answer_repeats(struct check_core *core, const struct view *told, const struct view *of, const struct view *also)
{
    struct check_answer *answer = &core->answer[(core->next_answer + CHECK_ANSWERS - 1) % CHECK_ANSWERS];
    bool arrived = (of->own && of->own->any_arrived) || (also->own && also->own->any_arrived);
    if (&answer->told != told || !answer->asks || arrived) { /* more arrivals than a view has room for come again */
        return false;
    }
    const struct check_learned *before = learned(core, answer->address);
    answer->of = of;
    answer->changes = of->changes + also->changes;
    return before->of == of && before->changes == answer->changes;
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

void answers_at(struct bh_check *check, struct check_tile *tile, struct check_core *core,
                const struct check_decoded *instruction)
{
    uint8_t looked_at = check_sources(core->asked, instruction, instruction->looks);
    uint8_t depends = check_sources(core->asked, instruction, instruction->asked);
    for (uint32_t left = core->awaited; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        struct check_answer *answer = &core->answer[i];
        bool used = answer->rd && (instruction->reads >> answer->rd & 1);
        bool answered = instruction->answered || used || core->instructions - answer->born >= ANSWERED;
        answer->decided |= looked_at >> i & 1;
        if (answer->decided && (answered || answer->asks)) {
            end(check, tile, core, i);
        } else if (answer->rd && instruction->writes >> answer->rd & 1) {
            answer->rd = 0;
        }
    }
    if (instruction->writes && instruction->rd) {
        core->asked[instruction->rd] = depends;
    }
}
