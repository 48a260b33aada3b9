/* What observers are told that instructions read and write (units/operands.h, tables/operands.def; in L1, as accesses),
   against what they do: random words in random states. Nothing changes that is not told as written. What is not told as
   read may be anything: the instruction is executed again with other values there, down to single bits of configuration
   and single bytes of L1, and must do the same. */
#include "tensix/units/matrix/timing.h"
#include "tensix/units/operands_fixture.h"
#include "util/sanitized.h"

enum { ROUNDS = 200, ROUNDS_OF_TILES = FEWER_IF_SANITIZED(3000), AT_LEAST = FEWER_IF_SANITIZED(5) };

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
    memset(&f->state.pack_plan, 0, sizeof f->state.pack_plan);
    f->diagnostics.count = 0;
    f->diagnostics.stopped = false;
    tensix_now(&f->tensix, THREAD, (struct pushed){.word = word});
    outcome->step = tensix_dispatch_now(&f->tensix, THREAD, word);
    memcpy(&outcome->after, &f->state, sizeof f->state);
    memcpy(outcome->l1_after, f->l1_bytes, L1_USED);
}

static void restore(struct world *world, const struct outcome *outcome)
{
    memcpy(&world->f->state, &outcome->before, sizeof world->f->state);
    memcpy(world->f->l1_bytes, outcome->l1_before, L1_USED);
}

static const char *name_of(uint32_t word)
{
    return tensix_by_opcode((uint8_t)(word >> 24))->name;
}

/* ---- writes ---- */

#define FAIL_OF(word, ...)                                                                                             \
    do {                                                                                                               \
        print_message("%s (0x%08x): ", name_of(word), word);                                                           \
        fail_msg(__VA_ARGS__);                                                                                         \
    } while (0)

/* Whatever changed was told as written. */
static void check_writes(const struct world *world, uint32_t word, const struct outcome *outcome,
                         const struct set *written)
{
    bool changes_l1 = memcmp(outcome->l1_before, outcome->l1_after, L1_USED) != 0;
    for (unsigned i = 0; changes_l1 && i < L1_USED; i++) {
        if (outcome->l1_before[i] != outcome->l1_after[i] && !world->l1_written[i]) {
            FAIL_OF(word, "changes L1 at 0x%x", i);
        }
    }
    const struct tensix_state *a = &outcome->before, *b = &outcome->after;
    for (unsigned i = 0; i < TENSIX_THREADS * GPRS; i++) {
        unsigned thread = i / GPRS, gpr = i % GPRS;
        if (a->scalar.gpr[thread][gpr] != b->scalar.gpr[thread][gpr] && !(written->gpr[thread] >> gpr & 1)) {
            FAIL_OF(word, "changes GPR %u of thread %u", gpr, thread);
        }
    }
    for (unsigned i = 0; i < CONFIG_BANKS * CONFIG_WORDS; i++) {
        unsigned bank = i / CONFIG_WORDS, at = i % CONFIG_WORDS;
        if ((a->config.bank[bank][at] ^ b->config.bank[bank][at]) & ~written->config[bank][at]) {
            FAIL_OF(word, "changes Config[%u][%u]", bank, at);
        }
    }
    for (unsigned i = 0; i < TENSIX_THREADS * THD_STATE_SIZE; i++) {
        unsigned thread = i / THD_STATE_SIZE, at = i % THD_STATE_SIZE;
        if ((a->config.thread[thread][at] ^ b->config.thread[thread][at]) & ~written->thread_config[thread][at]) {
            FAIL_OF(word, "changes ThreadConfig[%u][%u]", thread, at);
        }
    }
    for (unsigned i = 0; i < DST_ROWS; i++) {
        bool same = memcmp(a->dst.rows[i], b->dst.rows[i], sizeof a->dst.rows[i]) == 0;
        if ((!same || a->dst.valid[i] != b->dst.valid[i]) && !(written->dst[i / 64] >> i % 64 & 1)) {
            FAIL_OF(word, "changes row %u of Dst", i);
        }
    }
    for (unsigned i = 0; i < 2 * SRC_BANKS * SRC_ROWS; i++) {
        unsigned which = i / (SRC_BANKS * SRC_ROWS), bank = i / SRC_ROWS % SRC_BANKS, row = i % SRC_ROWS;
        const uint32_t *from = which ? a->srcb.rows[bank][row] : a->srca.rows[bank][row];
        const uint32_t *to = which ? b->srcb.rows[bank][row] : b->srca.rows[bank][row];
        if (memcmp(from, to, ROW_COLUMNS * sizeof *from) != 0 && !(written->src[which][bank] >> row & 1)) {
            FAIL_OF(word, "changes row %u of bank %u of Src%c", row, bank, which ? 'B' : 'A');
        }
    }
    for (unsigned i = 0; i < SFPU_LREGS; i++) {
        if (memcmp(a->vector.lreg[i], b->vector.lreg[i], sizeof a->vector.lreg[i]) != 0 && !(written->lregs >> i & 1)) {
            FAIL_OF(word, "changes LReg[%u]", i);
        }
    }
    if ((a->vector.use_lane_flags != b->vector.use_lane_flags || a->vector.lane_flags != b->vector.lane_flags ||
         a->vector.stack_depth != b->vector.stack_depth ||
         memcmp(a->vector.stack, b->vector.stack, sizeof a->vector.stack) != 0) &&
        !written->flags) {
        FAIL_OF(word, "changes lane flags");
    }
}

/* ---- reads ---- */

/* The eight bytes at an offset, or those that are left there. */
static uint64_t eight_at(const void *bytes, size_t at, size_t size)
{
    uint64_t eight = 0;
    const char *from = (const char *)bytes + at;
    if (size - at >= sizeof eight) {
        memcpy(&eight, from, sizeof eight);
    } else {
        memcpy(&eight, from, size - at);
    }
    return eight;
}

/* Whether two executions did the same: each bit became the same, or stayed in both. */
static bool same_effect(const void *before_a, const void *after_a, const void *before_b, const void *after_b,
                        const void *values, size_t size)
{
    if (memcmp(after_a, after_b, size) == 0) {
        return true;
    }
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
        uint64_t a = eight_at(after_a, i, size), b = eight_at(after_b, i, size);
        uint64_t differ = (a ^ b) & (values ? eight_at(values, i, size) : UINT64_MAX);
        if (differ & ((a ^ eight_at(before_a, i, size)) | (b ^ eight_at(before_b, i, size)))) {
            return false;
        }
    }
    return true;
}

#define PART(member)                                                                                                   \
    {                                                                                                                  \
#member, offsetof(struct tensix_state, member), sizeof((struct tensix_state *)NULL)->member                    \
    }

static const struct {
    const char *name;
    size_t offset, size;
} parts[] = {PART(dst),    PART(frontend),       PART(issue),  PART(sync),   PART(scalar),
             PART(config), PART(addr),           PART(unpack), PART(matrix), PART(pack),
             PART(mover),  PART(src_given_back), PART(vector), PART(srca),   PART(srcb)};

/* The state with all bits of values set: what lies between members may be anything after an assignment. */
static const uint8_t *bits_of_values(void)
{
    static struct tensix_state *state;
    if (!state) {
        static _Alignas(64) uint8_t room[sizeof *state];
        state = (struct tensix_state *)room;
        memset(room, 0xff, sizeof room);
#ifdef __has_builtin
#if __has_builtin(__builtin_clear_padding)
        __builtin_clear_padding(&state->unpack); /* by parts: of the whole GCC 12 leaves it */
        __builtin_clear_padding(&state->matrix);
        __builtin_clear_padding(&state->pack);
        __builtin_clear_padding(&state->mover);
        __builtin_clear_padding(&state->sync);
        __builtin_clear_padding(&state->addr);
        __builtin_clear_padding(&state->vector);
#endif
#endif
    }
    return (const uint8_t *)state;
}

static const char *difference(const struct outcome *a, const struct outcome *b)
{
    if (a->step != b->step) {
        return "whether it executes";
    }
    for (unsigned i = 0; i < COUNT_OF(parts); i++) {
        size_t at = parts[i].offset;
        if (!same_effect((const char *)&a->before + at, (const char *)&a->after + at, (const char *)&b->before + at,
                         (const char *)&b->after + at, bits_of_values() + at, parts[i].size)) {
            return parts[i].name;
        }
    }
    return same_effect(a->l1_before, a->l1_after, b->l1_before, b->l1_after, NULL, L1_USED) ? NULL : "L1";
}

static const char *again(struct world *world, uint32_t word, const struct outcome *first, struct outcome *second,
                         const struct set *kept, const struct set *only)
{
    restore(world, first);
    mix(world, kept, only);
    execute(world, word, second);
    return difference(first, second);
}

static const char *field_name(bool thread, unsigned word, unsigned bit)
{
    size_t count;
    const struct tensix_config_field *fields = tensix_config_fields(thread, &count);
    for (size_t i = 0; i < count; i++) {
        if (fields[i].address == word && bit - fields[i].shift < fields[i].width) {
            return fields[i].name;
        }
    }
    return "no field";
}

/* Finds out what it was: one part of the state after the other, and one bit of configuration. */
static void explain(struct world *world, uint32_t word, const struct outcome *first, struct outcome *second,
                    const struct set *read)
{
    struct set only;
    for (unsigned tries = 0; tries < 4; tries++) {
        for (unsigned i = 0; i < CONFIG_BANKS * CONFIG_WORDS * 32; i++) {
            unsigned at = i / 32, bit = i % 32;
            uint32_t told = (&read->config[0][0])[at];
            told |= at % CONFIG_WORDS >= GLOBAL_CFGREG_BASE_ADDR32 ? other_bank(read, at) : 0;
            if (told >> bit & 1) {
                continue;
            }
            restore(world, first);
            (&world->f->state.config.bank[0][0])[at] ^= 1u << bit;
            keep_global(&world->f->state.config, &world->f->state.config.bank[0][0] + at);
            execute(world, word, second);
            const char *where = difference(first, second);
            if (where) {
                FAIL_OF(word, "reads %s (Config[%u][%u], bit %u): it shows in %s",
                        field_name(false, at % CONFIG_WORDS, bit), at / CONFIG_WORDS, at % CONFIG_WORDS, bit, where);
            }
        }
        for (unsigned i = 0; i < TENSIX_THREADS * THD_STATE_SIZE * 16; i++) {
            unsigned at = i / 16, bit = i % 16;
            if ((&read->thread_config[0][0])[at] >> bit & 1) {
                continue;
            }
            restore(world, first);
            (&world->f->state.config.thread[0][0])[at] ^= (uint16_t)(1u << bit);
            execute(world, word, second);
            const char *where = difference(first, second);
            if (where) {
                FAIL_OF(word, "reads %s of thread %u: it shows in %s", field_name(true, at % THD_STATE_SIZE, bit),
                        at / THD_STATE_SIZE, where);
            }
        }
        for (unsigned i = 0; i < DST_ROWS + 4 * SRC_ROWS + SFPU_LREGS + 3 * GPRS; i++) {
            memset(&only, 0, sizeof only);
            unsigned j = i;
            const char *what = "row of Dst";
            if (j < DST_ROWS) {
                only.dst[j / 64] = UINT64_C(1) << j % 64;
            } else if ((j -= DST_ROWS) < 4 * SRC_ROWS) {
                only.src[j / 128][j / 64 % 2] = UINT64_C(1) << j % 64;
                what = "row of Src";
            } else if ((j -= 4 * SRC_ROWS) < SFPU_LREGS) {
                only.lregs = 1u << j;
                what = "LReg";
            } else {
                j -= SFPU_LREGS;
                only.gpr[j / 64] = UINT64_C(1) << j % 64;
                what = "GPR";
            }
            const char *where = again(world, word, first, second, read, &only);
            if (where) {
                FAIL_OF(word, "reads %s %u: it shows in %s", what, j, where);
            }
        }
        memset(&only, 0, sizeof only);
        only.l1 = true;
        if (again(world, word, first, second, read, &only)) {
            FAIL_OF(word, "reads L1 without telling");
        }
        memset(&only, 0, sizeof only);
        only.flags = true;
        if (again(world, word, first, second, read, &only)) {
            FAIL_OF(word, "reads lane flags");
        }
    }
    FAIL_OF(word, "reads what is not told");
}

static uint32_t random_word(struct world *world, const struct tensix_instruction *instruction)
{
    uint32_t word = (uint32_t)instruction->opcode << 24, bits = any_word(world), few = bits & any_word(world);
    return word | ((one_in(world, 2) ? bits : few & any_word(world)) & 0xffffff & ~instruction->reserved);
}

/* Those that are never executed: what belongs to an expander, and what nobody documents. */
static bool never_executes(const struct tensix_instruction *instruction)
{
    struct tensix_operands operands = {};
    uint64_t uses = tensix_reads((uint32_t)instruction->opcode << 24, &operands);
    return uses & TENSIX_USE_UNDOCUMENTED || instruction->unit == TENSIX_FRONTEND;
}

struct room {
    struct outcome first, second;
    struct operand_list list;
    struct set read, written;
    struct tensix_state reset;
};

/* Whether the instruction was executed. */
static bool check_once(struct world *world, struct room *room, uint32_t word, bool lenient)
{
    struct fixture *f = world->f;
    memcpy(&f->state, &room->reset, sizeof room->reset);
    diagnostics_set_policy(&f->diagnostics, lenient ? BH_POLICY_SILICON : BH_POLICY_DEFAULT);
    mix_others(world);
    mix(world, NULL, NULL);
    configure(world);
    f->diagnostics.now = (struct diagnostic_origin){0};
    operands_of_word(&f->tensix, THREAD, word, &room->list);
    sort(&room->list, &room->read, &room->written);
    world->word = word;
    memset(world->l1_read, 0, L1_USED);
    memset(world->l1_written, 0, L1_USED);
    f->l1.observed = &world->observed;
    execute(world, word, &room->first);
    f->l1.observed = NULL;
    if (room->first.step != STEP_DONE) {
        return false;
    }
    check_writes(world, word, &room->first, &room->written);
    if (again(world, word, &room->first, &room->second, &room->read, NULL)) {
        explain(world, word, &room->first, &room->second, &room->read);
    }
    return true;
}

static void told_operands_are_those_of_random_instructions(void **state)
{
    struct world world = {.f = *state, .seed = 47};
    const struct bh_observer observer = {
        .kinds = BH_EVENT_BIT(BH_EVENT_ACCESS), .on_event = take_access, .context = &world};
    const struct bh_observer *const observers[] = {&observer};
    world.observed = (struct observed){
        .kinds = observer.kinds, .observers = observers, .count = 1, .diagnostics = &world.f->diagnostics};
    struct room *room = aligned_zeroed(sizeof *room);
    memcpy(&room->reset, &world.f->state, sizeof room->reset);
    world.f->tensix.bus = (struct tensix_bus){&world, load_register, store_register, NULL};
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        const struct tensix_instruction *instruction = &tensix_instructions[i];
        bool tiles = instruction->unit == TENSIX_UNPACK || instruction->unit == TENSIX_PACK;
        unsigned executed = 0, rounds = tiles ? ROUNDS_OF_TILES : ROUNDS;
        for (unsigned round = 0; round < rounds; round++) {
            executed += check_once(&world, room, random_word(&world, instruction), round % 3 == 0);
        }
        if (executed < AT_LEAST && !never_executes(instruction)) {
            fail_msg("%s was executed %u times only", instruction->name, executed);
        }
    }
    free(room);
}

/* An instruction of the matrix unit that has no bank to read from waits, and so neither reads nor writes anything. */
static void who_waits_for_a_bank_has_no_operands(void **state)
{
    enum { WORDS = 40, BANKS = 4, SEEN_AT_LEAST = 20 };
    struct world world = {.f = *state, .seed = 11};
    struct fixture *f = world.f;
    struct room *room = aligned_zeroed(sizeof *room);
    memcpy(&room->reset, &f->state, sizeof room->reset);
    unsigned waiting = 0, others = 0;
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS * WORDS * BANKS; i++) {
        const struct tensix_instruction *instruction = &tensix_instructions[i / (WORDS * BANKS)];
        if (instruction->unit != TENSIX_MATRIX) {
            continue;
        }
        uint32_t word = random_word(&world, instruction);
        memcpy(&f->state, &room->reset, sizeof room->reset);
        diagnostics_set_policy(&f->diagnostics, BH_POLICY_SILICON);
        f->state.srca.owner[f->state.srca.matrix_bank] = i & 1 ? SRC_MATRIX_UNIT : SRC_UNPACKERS;
        f->state.srcb.owner[f->state.srcb.matrix_bank] = i & 2 ? SRC_MATRIX_UNIT : SRC_UNPACKERS;
        bool waits = matrix_lacks_sources(&f->state, word);
        operands_of_word(&f->tensix, THREAD, word, &room->list);
        execute(&world, word, &room->first);
        if (waits) {
            assert_int_equal(room->list.count, 0);
            assert_int_not_equal(room->first.step, STEP_DONE);
        } else if (room->first.step == STEP_DONE) {
            others += room->list.count != 0;
        }
        waiting += waits;
    }
    assert_true(waiting >= SEEN_AT_LEAST && others >= SEEN_AT_LEAST);
    free(room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(who_waits_for_a_bank_has_no_operands),
        FIXTURE_TEST(told_operands_are_those_of_random_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
