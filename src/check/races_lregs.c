/* racecheck: products of the vector unit. The result of the MAD sub-unit is there after two cycles; hardware makes the
   next instruction wait if it knows that this reads it, which it does not of all (ISA documentation SFPMAD.md), and
   never for what an SFPLOADMACRO has scheduled (SFPLOADMACRO.md). An instruction stands for a cycle: that a thread is
   slow enough is luck. */
#include "check/order.h"
#include "isa/tensix_facts.h"
#include "isa/tensix_isa.h"

enum { LREGS = 0x1ffff, DELAYS_BY_INSTRUCTION = 0xf00, MISC = 8, IMMEDIATE = 1 };

bool order_is_scheduled(const struct check_tile *tile, const struct bh_event *event)
{
    const struct check_thread *thread = &tile->thread[event->place.index % CHECK_THREADS];
    return event->kind == BH_EVENT_OPERAND && event->place.agent == BH_AGENT_THREAD &&
           event->operand.unit == BH_UNIT_VECTOR &&
           (event->place.pc != thread->pc || event->instruction != thread->word);
}

static struct check_actor actor_at(struct check_tile *tile, unsigned thread, uint32_t place)
{
    unsigned part = PART_VECTOR + thread;
    return (struct check_actor){.tile = tile->number,
                                .part = (uint8_t)part,
                                .step = tile->steps[part],
                                .place = place,
                                .view = &tile->unit[part]};
}

static void report(struct bh_check *check, struct check_tile *tile, enum check_object object, unsigned lreg,
                   const struct check_actor *later, const struct check_actor *earlier, bool earlier_writes)
{
    races_report(check, &(struct check_race){.tile = tile->number,
                                             .object = object,
                                             .index = lreg,
                                             .later = *later,
                                             .earlier = *earlier,
                                             .later_writes = !earlier_writes,
                                             .earlier_writes = earlier_writes});
}

/* Regular instructions. */

/* An instruction right behind a product that it reads without the knowledge of the logic that makes it wait. */
static void reads_product(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    unsigned number = event->index % CHECK_THREADS;
    const struct check_thread *thread = &tile->thread[number];
    struct check_vector *vector = &tile->vector;
    uint32_t word = event->instruction;
    struct tensix_operands operands = tensix_operands_of(word);
    const struct check_product *product = &vector->product[number];
    if (product->lregs && product->number + 1 == thread->instructions) {
        uint64_t missed, known = tensix_reads_seen(word, &operands, &missed);
        uint32_t early = (uint32_t)missed & product->lregs;
        if (early && !(known & product->lregs)) {
            const struct check_actor later = actor_at(tile, number, check_place_of(check, event)),
                                     earlier = actor_at(tile, number, product->place);
            report(check, tile, OBJECT_LREG_UNSETTLED, (unsigned)__builtin_ctz(early), &later, &earlier, true);
        }
    }
    bool makes_one = tensix_facts[word >> 24].sub_unit == TENSIX_SUB_UNIT_MAD;
    uint32_t written = makes_one ? (uint32_t)tensix_writes(word, &operands) & LREGS : 0;
    vector->product[number] = (struct check_product){
        .lregs = written & (written - 1) ? 0 : written, /* several: what LReg[7] says, which is not known */
        .number = thread->instructions,
        .place = written ? check_place_of(check, event) : 0};
}

void races_vector(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    unsigned number = event->index % CHECK_THREADS;
    uint32_t word = event->instruction;
    if (tensix_facts[word >> 24].sub_unit != TENSIX_SUB_UNIT_NONE) {
        reads_product(check, tile, event);
    }
    if (word >> 24 == TENSIX_OPCODE_SFPLOADMACRO) {
        tile->vector.macro[tile->vector.macros++ % CHECK_MACROS] =
            (struct check_macro){.pc = event->place.pc, .number = tile->thread[number].instructions};
    } else if (word >> 24 == TENSIX_OPCODE_SFPCONFIG && decode_SFPCONFIG(word).config_dest == MISC) {
        struct args_SFPCONFIG args = decode_SFPCONFIG(word);
        bool known = args.instr_mod1 & IMMEDIATE;
        tile->vector.by_cycles = known && !(args.imm16_math & DELAYS_BY_INSTRUCTION);
    }
}

/* What SFPLOADMACRO has scheduled. */

static const struct check_macro *macro_of(const struct check_vector *vector, uint32_t pc)
{
    for (uint32_t i = 1; i <= CHECK_MACROS && i <= vector->macros; i++) {
        const struct check_macro *macro = &vector->macro[(vector->macros - i) % CHECK_MACROS];
        if (macro->pc == pc) {
            return macro;
        }
    }
    return NULL;
}

static void writes_scheduled(struct bh_check *check, struct check_tile *tile, const struct bh_event *event,
                             unsigned lreg)
{
    unsigned number = event->place.index % CHECK_THREADS;
    struct check_vector *vector = &tile->vector;
    const struct check_macro *macro = macro_of(vector, event->place.pc);
    const struct check_lreg_read *read = &vector->read[lreg];
    uint64_t now = tile->thread[number].instructions;
    if (!macro) {
        return;
    }
    struct check_actor writer = actor_at(tile, number, check_place_of(check, event));
    if (vector->by_cycles && read->place && read->thread == number && read->number > macro->number) {
        const struct check_actor reader = actor_at(tile, number, read->place);
        report(check, tile, OBJECT_LREG_SCHEDULED, lreg, &writer, &reader, false);
    }
    bool two_cycles = tensix_facts[event->instruction >> 24].sub_unit == TENSIX_SUB_UNIT_MAD;
    vector->scheduled[lreg] = (struct check_scheduled){.place = writer.place,
                                                       .thread = (uint8_t)number,
                                                       .same = vector->by_cycles && now > macro->number ? now : 0,
                                                       .next = two_cycles ? now + 1 : 0};
}

static void reads_scheduled(struct bh_check *check, struct check_tile *tile, const struct bh_event *event,
                            unsigned lreg)
{
    unsigned number = event->place.index % CHECK_THREADS;
    struct check_vector *vector = &tile->vector;
    const struct check_scheduled *scheduled = &vector->scheduled[lreg];
    uint64_t now = tile->thread[number].instructions;
    uint32_t place = check_place_of(check, event);
    if (scheduled->place && scheduled->thread == number && (now == scheduled->same || now == scheduled->next)) {
        const struct check_actor reader = actor_at(tile, number, place),
                                 writer = actor_at(tile, number, scheduled->place);
        report(check, tile, OBJECT_LREG_SCHEDULED, lreg, &reader, &writer, true);
    }
    vector->read[lreg] = (struct check_lreg_read){.number = now, .place = place, .thread = (uint8_t)number};
}

void races_lreg(struct bh_check *check, struct check_tile *tile, const struct bh_event *event, unsigned lreg)
{
    bool scheduled = order_is_scheduled(tile, event);
    if (scheduled && event->operand.write) {
        writes_scheduled(check, tile, event, lreg);
    } else if (!scheduled && !event->operand.write) {
        reads_scheduled(check, tile, event, lreg);
    } else if (!scheduled) {
        tile->vector.scheduled[lreg].place = 0;
    }
}
