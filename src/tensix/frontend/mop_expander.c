/* The MOP expander: one MOP instruction becomes a loop of others, out of nine words of configuration.
   Source: ISA documentation MOPExpander.md; tt-llk tt_llk_blackhole/instructions/assembly.yaml (counts that an
   instruction names). Configuration is sampled when an instruction leaves, as hardware does. */
#include "isa/tensix_isa.h"
#include "tensix/frontend/frontend.h"

/* Words of the configuration, under the names of the documentation. */
enum { T0_FLAGS = 1, T0_INSN_B, T0_INSN_A0, T0_INSN_A1, T0_INSN_A2, T0_INSN_A3, T0_SKIP_A0, T0_SKIP_B };
enum { T0_HAS_B = 1, T0_HAS_A123 = 2 };
enum {
    T1_OUTER_COUNT,
    T1_INNER_COUNT,
    T1_START_OP,
    T1_END_OP0,
    T1_END_OP1,
    T1_LOOP_OP,
    T1_LOOP_OP1,
    T1_LOOP0_LAST,
    T1_LOOP1_LAST
};
/* The documentation gives both counts seven bits; on Blackhole silicon inner loops of 128, 256 and 600 rounds run as
   written (docs/discrepancies.md). */
enum { OUTER_COUNT_MASK = 127, INNER_COUNT_MASK = 1023 };
/* Blackhole's MOP of template 1 can name counts of ten bits itself; 0 leaves those of the configuration. */
enum { GIVEN_INNER_BITS = 10, GIVEN_OUTER_LOW_BITS = 6, GIVEN_OUTER_HIGH_MASK = 15 };

/* What comes next within an iteration: of template 0, an index into its instructions; of template 1, one of these. */
enum { AT_START, AT_LOOP, AT_END0, AT_END1 };

/* Only a plain NOP counts, neither DMANOP nor SFPNOP. */
static bool is_nop(uint32_t word)
{
    return word >> 24 == TENSIX_OPCODE_NOP;
}

/* Moves on to the first place in template 1, from `phase` on, where an instruction leaves. */
static void settle(struct mop_expander *mop, unsigned phase)
{
    const uint32_t *config = mop->config;
    for (;;) {
        if (phase == AT_START) {
            if (!is_nop(config[T1_START_OP])) {
                break;
            }
            phase = AT_LOOP;
        } else if (phase == AT_LOOP) {
            if (mop->inner) {
                break;
            }
            phase = AT_END0;
        } else if (phase == AT_END0 && !is_nop(config[T1_END_OP0])) {
            break;
        } else if (phase == AT_END1 && !is_nop(config[T1_END_OP0]) && !is_nop(config[T1_END_OP1])) {
            break;
        } else if (phase == AT_END0) {
            phase = AT_END1;
        } else { /* the outer iteration is over */
            mop->inner = mop->inner_count;
            if (--mop->outer == 0) {
                mop->active = false;
                return;
            }
            phase = AT_START;
        }
    }
    mop->phase = (uint8_t)phase;
}

struct mop_counts mop_given_counts(uint32_t word)
{
    struct args_MOP args = decode_MOP(word);
    uint32_t low = args.zmask_lo16_or_loop_count;
    if (args.mop_type == 0) {
        return (struct mop_counts){};
    }
    uint32_t high = args.loop_count & GIVEN_OUTER_HIGH_MASK;
    return (struct mop_counts){.inner = low & INNER_COUNT_MASK,
                               .outer = low >> GIVEN_INNER_BITS | high << GIVEN_OUTER_LOW_BITS};
}

void mop_start(struct mop_expander *mop, uint32_t word, uint32_t pc)
{
    struct args_MOP args = decode_MOP(word);
    const uint32_t *config = mop->config;
    mop->template_number = (uint8_t)args.mop_type;
    mop->pc = pc;
    mop->active = true;
    mop->phase = 0;
    if (args.mop_type == 0) {
        mop->mask = (uint32_t)mop->zmask_high << 16 | args.zmask_lo16_or_loop_count;
        mop->inner = args.loop_count + 1;
        return;
    }
    struct mop_counts given = mop_given_counts(word);
    mop->outer = given.outer ? given.outer : config[T1_OUTER_COUNT] & OUTER_COUNT_MASK;
    mop->inner_count = given.inner ? given.inner : config[T1_INNER_COUNT] & INNER_COUNT_MASK;
    if (mop->outer == 1 && is_nop(config[T1_START_OP]) && mop->inner_count == 0 && !is_nop(config[T1_END_OP0])) {
        mop->outer += 128; /* a hardware bug, documented */
    }
    if (!is_nop(config[T1_LOOP_OP1])) {
        mop->inner_count *= 2; /* LoopOp and LoopOp1 alternate */
    }
    mop->inner = mop->inner_count;
    if (mop->outer == 0) {
        mop->active = false;
        return;
    }
    settle(mop, AT_START);
}

static uint32_t next_of_template0(struct mop_expander *mop)
{
    static const uint8_t kept[] = {T0_INSN_A0, T0_INSN_A1, T0_INSN_A2, T0_INSN_A3, T0_INSN_B};
    static const uint8_t skipped[] = {T0_SKIP_A0, T0_SKIP_B};
    const uint32_t *config = mop->config;
    bool has_b = config[T0_FLAGS] & T0_HAS_B, has_a123 = config[T0_FLAGS] & T0_HAS_A123, skip = mop->mask & 1;
    uint32_t word = config[skip ? skipped[mop->phase] : kept[mop->phase]];
    unsigned last = skip ? 1 : 4; /* the place of the B instruction */
    unsigned next = mop->phase + 1u;
    if (!skip && next == 1 && !has_a123) {
        next = last;
    }
    if (next > last || (next == last && !has_b)) {
        next = 0;
        mop->mask >>= 1;
        if (--mop->inner == 0) {
            mop->active = false;
        }
    }
    mop->phase = (uint8_t)next;
    return word;
}

static uint32_t next_of_template1(struct mop_expander *mop)
{
    const uint32_t *config = mop->config;
    uint32_t word;
    switch (mop->phase) {
    case AT_START:
        word = config[T1_START_OP];
        settle(mop, AT_LOOP);
        break;
    case AT_LOOP: {
        bool odd = (mop->inner_count - mop->inner) & 1;
        if (mop->inner > 1) {
            word = config[odd && !is_nop(config[T1_LOOP_OP1]) ? T1_LOOP_OP1 : T1_LOOP_OP];
        } else {
            word = config[mop->outer > 1 ? T1_LOOP1_LAST : T1_LOOP0_LAST];
        }
        mop->inner--;
        if (mop->inner == 0) { /* else it stays where it is */
            settle(mop, AT_LOOP);
        }
        break;
    }
    case AT_END0:
        word = config[T1_END_OP0];
        settle(mop, AT_END1);
        break;
    default:
        word = config[T1_END_OP1];
        settle(mop, AT_END1 + 1);
        break;
    }
    return word;
}

struct pushed mop_next(struct mop_expander *mop)
{
    uint32_t pc = mop->pc;
    uint32_t word = mop->template_number == 0 ? next_of_template0(mop) : next_of_template1(mop);
    return (struct pushed){.word = word, .pc = pc};
}

/* Rounds of template 0: iterations whose instructions are all kept, or all skipped. */
static bool rounds_of_template0(const struct mop_expander *mop, struct rounds *rounds)
{
    const uint32_t *config = mop->config;
    bool has_b = config[T0_FLAGS] & T0_HAS_B, has_a123 = config[T0_FLAGS] & T0_HAS_A123, skip = mop->mask & 1;
    uint32_t count = 0, end = skip ? ~mop->mask : mop->mask; /* the first bit that is set ends the rounds */
    if (mop->phase != 0) {
        return false;
    }
    rounds->words[count++] = config[skip ? T0_SKIP_A0 : T0_INSN_A0];
    if (!skip && has_a123) {
        rounds->words[count++] = config[T0_INSN_A1];
        rounds->words[count++] = config[T0_INSN_A2];
        rounds->words[count++] = config[T0_INSN_A3];
    }
    if (has_b) {
        rounds->words[count++] = config[skip ? T0_SKIP_B : T0_INSN_B];
    }
    uint32_t until = end ? (uint32_t)__builtin_ctz(end) : mop->inner;
    rounds->count = count;
    rounds->times = until < mop->inner ? until : mop->inner;
    rounds->of = ROUNDS_OF_TEMPLATE_0;
    return true;
}

static uint32_t last_of_inner_loop(const struct mop_expander *mop, uint32_t outer)
{
    return mop->config[outer > 1 ? T1_LOOP1_LAST : T1_LOOP0_LAST];
}

/* Rounds of an inner loop: one instruction, or two that alternate. */
static bool rounds_of_inner_loop(const struct mop_expander *mop, struct rounds *rounds)
{
    const uint32_t *config = mop->config;
    bool alternate = !is_nop(config[T1_LOOP_OP1]);
    if (mop->phase != AT_LOOP || (alternate && mop->inner % 2 != 0)) {
        return false;
    }
    rounds->words[0] = config[T1_LOOP_OP];
    rounds->words[1] = config[T1_LOOP_OP1];
    rounds->count = alternate ? 2 : 1;
    rounds->times = mop->inner / rounds->count;
    rounds->times -= last_of_inner_loop(mop, mop->outer) != rounds->words[alternate];
    rounds->of = ROUNDS_OF_INNER_LOOP;
    return true;
}

/* Whether a loop has nothing but one REPLAY, in an inner loop. */
static bool is_loop_of_one_replay(const struct mop_expander *mop)
{
    const uint32_t *config = mop->config, replay = config[T1_LOOP_OP];
    return replay >> 24 == TENSIX_OPCODE_REPLAY && config[T1_LOOP1_LAST] == replay && config[T1_LOOP0_LAST] == replay &&
           is_nop(config[T1_LOOP_OP1]) && is_nop(config[T1_START_OP]) && is_nop(config[T1_END_OP0]) &&
           mop->inner_count > 1;
}

/* Rounds of an outer loop, as one is about to begin, that has few instructions. */
static bool rounds_of_outer_loop(const struct mop_expander *mop, struct rounds *rounds)
{
    const uint32_t *config = mop->config;
    bool starts = !is_nop(config[T1_START_OP]), alternate = !is_nop(config[T1_LOOP_OP1]);
    bool ends = !is_nop(config[T1_END_OP0]), ends_twice = ends && !is_nop(config[T1_END_OP1]);
    uint32_t inner = mop->inner_count, count = 0;
    if (inner == 0 || starts + inner + ends + ends_twice > ROUND_WORDS || mop->inner != inner ||
        mop->phase != (starts ? AT_START : AT_LOOP) || is_loop_of_one_replay(mop)) {
        return false;
    }
    if (starts) {
        rounds->words[count++] = config[T1_START_OP];
    }
    for (uint32_t i = 0; i + 1 < inner; i++) {
        rounds->words[count++] = config[alternate && i % 2 ? T1_LOOP_OP1 : T1_LOOP_OP];
    }
    rounds->words[count++] = last_of_inner_loop(mop, mop->outer);
    if (ends) {
        rounds->words[count++] = config[T1_END_OP0];
    }
    if (ends_twice) {
        rounds->words[count++] = config[T1_END_OP1];
    }
    bool last_too = last_of_inner_loop(mop, mop->outer) == last_of_inner_loop(mop, 1);
    rounds->count = count;
    rounds->times = last_too ? mop->outer : mop->outer - 1;
    rounds->of = ROUNDS_OF_OUTER_LOOP;
    return true;
}

bool mop_rounds(const struct mop_expander *mop, struct rounds *rounds)
{
    bool found = mop->template_number == 0 ? rounds_of_template0(mop, rounds)
                                           : rounds_of_outer_loop(mop, rounds) || rounds_of_inner_loop(mop, rounds);
    return found && rounds->times;
}

void mop_leave_out_rounds(struct mop_expander *mop, const struct rounds *rounds, uint32_t times)
{
    switch (rounds->of) {
    case ROUNDS_OF_TEMPLATE_0:
        mop->mask = times < 32 ? mop->mask >> times : 0;
        mop->inner -= times;
        mop->active = mop->inner != 0;
        break;
    case ROUNDS_OF_OUTER_LOOP:
        mop->outer -= times;
        mop->active = mop->outer != 0;
        break;
    default:
        mop->inner -= times * rounds->count;
        if (mop->inner == 0) {
            settle(mop, AT_LOOP);
        }
        break;
    }
}
