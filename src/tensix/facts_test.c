/* What tables/tensix.def says that instructions read and write, against what they do: random words in random states.
   Nothing may change that an instruction is not said to write, and what it is not said to read may be anything. */
#include "isa/tensix_facts.h"
#include "isa/tensix_table.h"
#include "tensix/tensix_fixture.h"
#include "tensix/units/dispatch.h"

enum { ROUNDS = 150, THREAD = 1, L1_USED = 0x10000, GPR_LIMIT = 0x800 };

/* A part of the state, and what of `enum tensix_use` it is. */
struct part {
    const char *name;
    uint64_t use;
    size_t offset, size;
};
#define PART(use, member)                                                                                              \
    {                                                                                                                  \
#member, (use), offsetof(struct tensix_state, member), sizeof((struct tensix_state *)NULL)->member             \
    }
#define ALL_LREGS UINT64_C(0x1ffff)

static const struct part parts[] = {
    PART(ALL_LREGS, vector.lreg),
    PART(TENSIX_USE_PRNG, vector.prng),
    PART(TENSIX_USE_LANE_FLAGS, vector.use_lane_flags),
    PART(TENSIX_USE_LANE_FLAGS, vector.lane_flags),
    PART(TENSIX_USE_FLAG_STACK, vector.stack),
    PART(TENSIX_USE_FLAG_STACK, vector.stack_depth),
    PART(TENSIX_USE_LANE_CONFIG, vector.lane_config),
    PART(TENSIX_USE_LANE_CONFIG, vector.any_lane_config),
    PART(TENSIX_USE_LANE_CONFIG, vector.row_masked),
    PART(TENSIX_USE_RWC, vector.dst_stack_pointer),
    PART(TENSIX_USE_MACRO_CONFIG, vector.load_macro),
    PART(TENSIX_USE_SCHEDULE, vector.macro),
    PART(TENSIX_USE_DST, dst.rows),
    PART(TENSIX_USE_DST, dst.valid),
    PART(TENSIX_USE_SRCA, srca.rows),
    PART(TENSIX_USE_SRCB, srcb.rows),
    PART(TENSIX_USE_SRC_BANKS, srca.owner),
    PART(TENSIX_USE_SRC_BANKS, srca.format),
    PART(TENSIX_USE_SRC_BANKS, srca.unpacker_bank),
    PART(TENSIX_USE_SRC_BANKS, srca.matrix_bank),
    PART(TENSIX_USE_SRC_BANKS, srca.unpacker_row),
    PART(TENSIX_USE_SRC_BANKS, srcb.owner),
    PART(TENSIX_USE_SRC_BANKS, srcb.format),
    PART(TENSIX_USE_SRC_BANKS, srcb.unpacker_bank),
    PART(TENSIX_USE_SRC_BANKS, srcb.matrix_bank),
    PART(TENSIX_USE_SRC_BANKS, srcb.unpacker_row),
    PART(TENSIX_USE_LAST_SRCA_ROW, matrix.last_srca_row),
    PART(TENSIX_USE_STOCHASTIC, matrix.random),
    PART(TENSIX_USE_STOCHASTIC, pack.gasket_random),
    PART(TENSIX_USE_STOCHASTIC, pack.random),
    PART(TENSIX_USE_CONFIG, config.bank),
    PART(TENSIX_USE_THREAD_CONFIG, config.thread),
    PART(TENSIX_USE_GPR, scalar.gpr),
    PART(TENSIX_USE_ADC, addr.adc),
    PART(TENSIX_USE_RWC, addr.rwc),
    PART(TENSIX_USE_SEMAPHORES, sync.semaphore),
    PART(TENSIX_USE_MUTEXES, sync.mutex_owner),
    PART(TENSIX_USE_MUTEXES, sync.mutex_waiters),
    PART(TENSIX_USE_WAIT_GATE, frontend[THREAD].wait),
    PART(TENSIX_USE_EXPANDERS, frontend[THREAD].mop),
    PART(TENSIX_USE_EXPANDERS, frontend[THREAD].replay),
    PART(TENSIX_USE_TTSYNC, frontend[THREAD].resources),
    PART(TENSIX_USE_UNPACKERS, unpack),
    PART(TENSIX_USE_HISTOGRAM, pack.exponent_histogram),
    PART(TENSIX_USE_HISTOGRAM, pack.max_exponent),
    PART(TENSIX_USE_PACKER, pack.tile),
    PART(TENSIX_USE_PACKER, pack.all_zero_flags),
    PART(TENSIX_USE_PACKER, pack.last_tile_size),
    PART(TENSIX_USE_PACKER, pack.accumulated_tile_size),
    PART(TENSIX_USE_PACKER, pack.setreg_value),
};

/* Of which random bytes are a state. */
#define FREE_BYTES                                                                                                     \
    (TENSIX_USE_PRNG | TENSIX_USE_SRCA | TENSIX_USE_SRCB | TENSIX_USE_MACRO_CONFIG | TENSIX_USE_STOCHASTIC |           \
     TENSIX_USE_HISTOGRAM | TENSIX_USE_THREAD_CONFIG | TENSIX_USE_CONFIG)

struct world {
    struct fixture *f;
    uint64_t seed;
    uint64_t accesses; /* TENSIX_USE_REGISTERS if any register was accessed */
};

static enum step load_register(void *context, uint32_t address, uint32_t *value)
{
    ((struct world *)context)->accesses |= TENSIX_USE_REGISTERS;
    *value = address * 7;
    return STEP_DONE;
}

static enum step store_register(void *context, uint32_t address, uint32_t value)
{
    ((struct world *)context)->accesses |= TENSIX_USE_REGISTERS;
    return STEP_DONE;
}

static void fill_at_random(struct world *world, void *bytes, size_t size)
{
    for (size_t i = 0; i + 4 <= size; i += 4) {
        uint32_t word = xorshift64_word(&world->seed);
        memcpy((char *)bytes + i, &word, 4);
    }
}

static uint32_t below(struct world *world, uint32_t limit)
{
    return xorshift64_word(&world->seed) % limit;
}

static void mix_banks(struct world *world, struct src_register_file *src)
{
    for (unsigned i = 0; i < SRC_BANKS; i++) {
        src->owner[i] = (uint8_t)below(world, 2);
        src->format[i] = (uint8_t)below(world, 2);
    }
    src->unpacker_bank = (uint8_t)below(world, 2);
    src->matrix_bank = (uint8_t)below(world, 2);
    for (unsigned i = 0; i < 3; i++) {
        src->unpacker_row[i] = (uint8_t)(below(world, 4) * 16);
    }
}

/* Makes anything of all that is in `uses`, and of the GPRs in `gprs`. */
static void mix(struct world *world, uint64_t uses, uint64_t gprs)
{
    struct tensix_state *state = world->f->tensix.state;
    enum { CONSTANTS = 1 << 8 | 1 << 9 | 1 << 10 | 1 << 15 }; /* that nothing can change */
    for (unsigned i = 0; i < SFPU_LREGS; i++) {
        if (uses >> i & 1 && !(CONSTANTS >> i & 1)) {
            fill_at_random(world, state->vector.lreg[i], sizeof state->vector.lreg[i]);
        }
    }
    for (unsigned i = 0; i < COUNT_OF(parts); i++) {
        if (parts[i].use & uses & FREE_BYTES) {
            fill_at_random(world, (char *)state + parts[i].offset, parts[i].size);
        }
    }
    for (unsigned i = 0; i < GPRS; i++) {
        if (gprs >> i & 1) {
            state->scalar.gpr[THREAD][i] = below(world, GPR_LIMIT);
        }
    }
    if (uses & TENSIX_USE_MACRO_CONFIG && below(world, 2)) { /* else most of what it schedules is undefined */
        memset(&state->vector.load_macro, 0, sizeof state->vector.load_macro);
    }
    if (uses & TENSIX_USE_LANE_FLAGS) {
        state->vector.use_lane_flags = below(world, 4) ? UINT32_MAX : xorshift64_word(&world->seed);
        state->vector.lane_flags = xorshift64_word(&world->seed);
    }
    if (uses & TENSIX_USE_FLAG_STACK) {
        memset(state->vector.stack, 0, sizeof state->vector.stack);
        state->vector.stack_depth = 1 + below(world, SFPU_STACK - 1);
        for (unsigned i = 0; i < state->vector.stack_depth; i++) {
            state->vector.stack[i].lane_flags = xorshift64_word(&world->seed);
            state->vector.stack[i].use_lane_flags = UINT32_MAX;
        }
    }
    if (uses & TENSIX_USE_DST) {
        fill_at_random(world, state->dst.rows, sizeof state->dst.rows);
        for (unsigned i = 0; i < DST_ROWS; i++) {
            state->dst.valid[i] = below(world, 8) != 0;
        }
    }
    if (uses & TENSIX_USE_SRC_BANKS) {
        mix_banks(world, &state->srca);
        mix_banks(world, &state->srcb);
    }
    if (uses & TENSIX_USE_LAST_SRCA_ROW) {
        state->matrix.last_srca_row = below(world, 8) * 8;
    }
    if (uses & TENSIX_USE_ADC) {
        struct adc_channel *channels = state->addr.adc[0][0].channel;
        for (unsigned i = 0; i < sizeof state->addr.adc / sizeof *channels; i++) {
            channels[i] = (struct adc_channel){.x = below(world, 16), .y = below(world, 8), .z = below(world, 4)};
        }
    }
    if (uses & TENSIX_USE_RWC) {
        for (unsigned i = 0; i < 3; i++) {
            state->addr.rwc[i] = (struct rwc){.srca = below(world, 64),
                                              .srca_cr = below(world, 64),
                                              .srcb = below(world, 64),
                                              .srcb_cr = below(world, 64),
                                              .dst = below(world, 1024),
                                              .dst_cr = below(world, 1024),
                                              .fidelity_phase = below(world, 4),
                                              .extra_addr_mod_bit = below(world, 2)};
        }
    }
    if (uses & TENSIX_USE_SEMAPHORES) {
        for (unsigned i = 0; i < SEMAPHORES; i++) {
            state->sync.semaphore[i].value = (uint8_t)below(world, 16);
            state->sync.semaphore[i].max = (uint8_t)below(world, 16);
        }
    }
    if (uses & TENSIX_USE_MUTEXES) {
        for (unsigned i = 0; i < MUTEXES; i++) {
            state->sync.mutex_owner[i] = below(world, 2) ? MUTEX_FREE : THREAD;
        }
    }
    if (uses & TENSIX_USE_UNPACKERS) {
        for (unsigned i = 0; i < UNPACKERS; i++) {
            state->unpack.context_counter[i][THREAD] = (uint8_t)below(world, 8);
        }
    }
    if (uses & TENSIX_USE_L1) {
        fill_at_random(world, world->f->l1_bytes, L1_USED);
    }
}

/* What came of an execution. */
struct outcome {
    enum step step;
    struct tensix_state before, after;
    uint8_t l1_before[L1_USED], l1_after[L1_USED];
};

static void execute(struct world *world, uint32_t word, struct outcome *outcome)
{
    struct fixture *f = world->f;
    memcpy(&outcome->before, &f->state, sizeof f->state);
    memcpy(outcome->l1_before, f->l1_bytes, L1_USED);
    memset(f->tensix.modes, 0, sizeof f->tensix.modes);
    f->diagnostics.count = 0;
    f->diagnostics.stopped = false;
    tensix_now(&f->tensix, THREAD, (struct pushed){.word = word});
    outcome->step = tensix_dispatch[word >> 24].run(&f->tensix, THREAD, word);
    memcpy(&outcome->after, &f->state, sizeof f->state);
    memcpy(outcome->l1_after, f->l1_bytes, L1_USED);
}

static const void *in(const struct tensix_state *state, const struct part *part)
{
    return (const char *)state + part->offset;
}

/* The LRegs, or GPRs, that differ. */
static uint64_t different(const uint32_t *a, const uint32_t *b, unsigned count, unsigned words)
{
    uint64_t set = 0;
    for (unsigned i = 0; i < count; i++) {
        set |= (uint64_t)(memcmp(a + i * words, b + i * words, words * sizeof *a) != 0) << i;
    }
    return set;
}

/* Whatever changed is written. What a write of configuration sets off belongs to it, as does a template that an
   instruction becomes. */
static void check_writes(uint32_t word, const struct outcome *outcome)
{
    struct tensix_operands operands = tensix_operands_of(word);
    uint64_t writes = tensix_writes(word, &operands), gprs = tensix_gprs_written(word);
    if (writes & (TENSIX_USE_CONFIG | TENSIX_USE_THREAD_CONFIG)) {
        writes |= TENSIX_USE_PRNG | TENSIX_USE_STOCHASTIC | TENSIX_USE_UNPACKERS | TENSIX_USE_CONFIG;
    }
    if (tensix_facts[word >> 24].sub_unit && operands.vd >= 12) {
        writes |= TENSIX_USE_MACRO_CONFIG;
    }
    for (unsigned i = 0; i < COUNT_OF(parts); i++) {
        const struct part *part = &parts[i];
        if (part->use & ~(ALL_LREGS | TENSIX_USE_GPR) & ~writes &&
            memcmp(in(&outcome->before, part), in(&outcome->after, part), part->size) != 0) {
            fail_msg("%s (0x%08x) changes %s", tensix_by_opcode((uint8_t)(word >> 24))->name, word, part->name);
        }
    }
    uint64_t lregs =
        different(outcome->before.vector.lreg[0], outcome->after.vector.lreg[0], SFPU_LREGS, SFPU_LANES) & ~writes;
    if (lregs) {
        fail_msg("%s (0x%08x) changes LReg[%d]", tensix_by_opcode((uint8_t)(word >> 24))->name, word,
                 __builtin_ctzll(lregs));
    }
    uint64_t registers =
        different(outcome->before.scalar.gpr[THREAD], outcome->after.scalar.gpr[THREAD], GPRS, 1) & ~gprs;
    if (registers) {
        fail_msg("%s (0x%08x) changes GPR %d", tensix_by_opcode((uint8_t)(word >> 24))->name, word,
                 __builtin_ctzll(registers));
    }
    if (!(writes & TENSIX_USE_L1) && memcmp(outcome->l1_before, outcome->l1_after, L1_USED) != 0) {
        fail_msg("%s (0x%08x) changes L1", tensix_by_opcode((uint8_t)(word >> 24))->name, word);
    }
}

/* Whether two executions did the same: each byte became the same, or stayed in both. */
static bool same_effect(const void *before_a, const void *after_a, const void *before_b, const void *after_b,
                        size_t size)
{
    const uint8_t *before[] = {before_a, before_b}, *after[] = {after_a, after_b};
    if (memcmp(after_a, after_b, size) == 0) {
        return true;
    }
    for (size_t i = 0; i < size; i++) {
        if (after[0][i] != after[1][i] && (after[0][i] != before[0][i] || after[1][i] != before[1][i])) {
            return false;
        }
    }
    return true;
}

/* Null, or where what they did differs. */
static const char *difference(const struct outcome *a, const struct outcome *b)
{
    if (a->step != b->step) {
        return "whether it executes";
    }
    for (unsigned i = 0; i < COUNT_OF(parts); i++) {
        if (!same_effect(in(&a->before, &parts[i]), in(&a->after, &parts[i]), in(&b->before, &parts[i]),
                         in(&b->after, &parts[i]), parts[i].size)) {
            return parts[i].name;
        }
    }
    return same_effect(a->l1_before, a->l1_after, b->l1_before, b->l1_after, L1_USED) ? NULL : "L1";
}

/* What may be anything as far as the table says. Bytes that are no state by themselves stay, as does what the head of
   the table says of all instructions of the vector unit. */
static uint64_t not_read(uint32_t word)
{
    struct tensix_operands operands = tensix_operands_of(word);
    uint64_t stays = TENSIX_USE_LANE_CONFIG | TENSIX_USE_SCHEDULE | TENSIX_USE_WAIT_GATE | TENSIX_USE_EXPANDERS |
                     TENSIX_USE_TTSYNC | TENSIX_USE_PACKER;
    return ~(tensix_reads(word, &operands) | stays);
}

/* The same again, where `uses` and `gprs` are anything. Where the outcome differs; null: nowhere. */
static const char *again(struct world *world, uint32_t word, const struct outcome *first, struct outcome *second,
                         uint64_t uses, uint64_t gprs)
{
    memcpy(&world->f->state, &first->before, sizeof world->f->state);
    memcpy(world->f->l1_bytes, first->l1_before, L1_USED);
    mix(world, uses, gprs);
    execute(world, word, second);
    return difference(first, second);
}

static void check_reads(struct world *world, uint32_t word, const struct outcome *first, struct outcome *second)
{
    uint64_t uses = not_read(word), gprs = ~tensix_gprs_read(word);
    if (!again(world, word, first, second, uses, gprs)) {
        return;
    }
    const char *name = tensix_by_opcode((uint8_t)(word >> 24))->name, *where;
    for (unsigned i = 0; i < TENSIX_LREGS + TENSIX_RESOURCES; i++) {
        where = again(world, word, first, second, uses & UINT64_C(1) << i, 0);
        if (where && i < TENSIX_LREGS) {
            fail_msg("%s (0x%08x) reads LReg[%u]: it shows in %s", name, word, i, where);
        } else if (where) {
            fail_msg("%s (0x%08x) reads resource %u: it shows in %s", name, word, i - TENSIX_LREGS, where);
        }
    }
    fail_msg("%s (0x%08x) reads GPRs that the table does not say", name, word);
}

static uint32_t random_word(struct world *world, const struct tensix_instruction *instruction)
{
    uint32_t word = (uint32_t)instruction->opcode << 24;
    uint32_t bits = xorshift64_word(&world->seed), few = bits & xorshift64_word(&world->seed);
    return word | ((below(world, 2) ? bits : few & xorshift64_word(&world->seed)) & 0xffffff & ~instruction->reserved);
}

/* Those that are never executed: what belongs to an expander, and what nobody documents. */
static bool never_executes(const struct tensix_instruction *instruction)
{
    struct tensix_operands operands = {};
    uint64_t uses = tensix_reads((uint32_t)instruction->opcode << 24, &operands);
    return uses & TENSIX_USE_UNDOCUMENTED || instruction->unit == TENSIX_FRONTEND;
}

static void instructions_read_and_write_what_the_table_says(void **state)
{
    struct world world = {.f = *state, .seed = 20};
    struct outcome *first = aligned_zeroed(sizeof *first), *second = aligned_zeroed(sizeof *second);
    struct tensix_state *reset = aligned_zeroed(sizeof *reset);
    memcpy(reset, &world.f->state, sizeof *reset);
    world.f->tensix.bus = (struct tensix_bus){&world, load_register, store_register, NULL};
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        const struct tensix_instruction *instruction = &tensix_instructions[i];
        unsigned executed = 0;
        for (unsigned round = 0; round < ROUNDS; round++) {
            uint32_t word = random_word(&world, instruction);
            memcpy(&world.f->state, reset, sizeof *reset);
            uint64_t configuration = round % 4 == 0 ? TENSIX_USE_THREAD_CONFIG : 0;
            mix(&world, ~(TENSIX_USE_CONFIG | TENSIX_USE_THREAD_CONFIG) | configuration, UINT64_MAX);
            if (round % 2) {
                memset(world.f->state.srca.owner, SRC_MATRIX_UNIT, SRC_BANKS);
                memset(world.f->state.srcb.owner, SRC_MATRIX_UNIT, SRC_BANKS);
            }
            world.accesses = 0;
            execute(&world, word, first);
            if (first->step == STEP_WAIT && !tensix_facts[instruction->opcode].waits) {
                fail_msg("%s (0x%08x) waits", instruction->name, word);
            }
            if (first->step != STEP_STOP) {
                struct tensix_operands operands = tensix_operands_of(word);
                assert_int_equal(world.accesses & ~(tensix_reads(word, &operands) | tensix_writes(word, &operands)), 0);
                check_writes(word, first);
                check_reads(&world, word, first, second);
                executed++;
            }
        }
        if (!executed && !never_executes(instruction)) {
            fail_msg("no word of %s executes", instruction->name);
        }
    }
    free(first);
    free(second);
    free(reset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(instructions_read_and_write_what_the_table_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
