/* The mover, by itself and through XMOV. Sources: ISA documentation Mover.md, XMOV.md, BackendConfiguration.md,
   SoftReset.md. */
#include "tensix/tensix_fixture.h"
#include "util/aligned.h"

/* Fills the memories that a move may change with a different number for every byte. */
static void fill(struct fixture *f, uint64_t seed)
{
    for (uint32_t address = 0; address < L1_SIZE; address += 4) {
        uint32_t value = xorshift64_word(&seed);
        memcpy(f->l1_bytes + address, &value, sizeof value);
    }
    for (unsigned index = 0; index < CONFIG_WORDS; index++) {
        f->state.config.bank[0][index] = xorshift64_word(&seed);
        f->state.config.bank[1][index] =
            index < GLOBAL_CFGREG_BASE_ADDR32 ? xorshift64_word(&seed) : f->state.config.bank[0][index];
    }
}

static enum step move(struct fixture *f, enum mover_direction direction, uint32_t source, uint32_t destination,
                      uint32_t size)
{
    struct mover_transfer transfer = {
        .source = source, .destination = destination, .size = size, .direction = direction};
    return mover_move(&f->tensix, transfer);
}

static void move_ok(struct fixture *f, enum mover_direction direction, uint32_t source, uint32_t destination,
                    uint32_t size)
{
    assert_int_equal(move(f, direction, source, destination, size), STEP_DONE);
    assert_int_equal(f->diagnostics.count, 0);
}

/* Asserts that everything except the diagnostics is as it was in `before`. */
static void assert_unchanged(const struct fixture *f, const struct fixture *before)
{
    assert_memory_equal(f->l1_bytes, before->l1_bytes, L1_SIZE);
    assert_memory_equal(&f->state, &before->state, sizeof f->state);
}

static struct fixture *copy_of(const struct fixture *f)
{
    struct fixture *copy = aligned_zeroed(sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, f, sizeof *copy);
    return copy;
}

static void assert_warned(struct fixture *f, enum step step, enum bh_category category, const char *part)
{
    assert_int_equal(step, STEP_DONE);
    assert_int_equal(f->diagnostics.count, 1);
    assert_int_equal(f->diagnostics.entries[0].category, category);
    assert_int_equal(f->diagnostics.entries[0].action, BH_WARN);
    assert_non_null(strstr(f->diagnostics.entries[0].text, part));
    f->diagnostics.count = 0;
}

/* Mover.md: memcpy from L1 to L1. */
static void l1_to_l1_copies(void **state)
{
    struct fixture *f = *state;
    fill(f, 1);
    struct fixture *before = copy_of(f);
    move_ok(f, XMOV_L1_TO_L1, 0x1230, 0x80010, 0x330);
    assert_memory_equal(f->l1_bytes + 0x80010, before->l1_bytes + 0x1230, 0x330);
    memcpy(f->l1_bytes + 0x80010, before->l1_bytes + 0x80010, 0x330);
    assert_unchanged(f, before);
    free(before);
}

/* Mover.md: memset with 0; the source is ignored. */
static void l0_to_l1_writes_zeros(void **state)
{
    struct fixture *f = *state;
    static const uint8_t zeros[0x40];
    fill(f, 2);
    struct fixture *before = copy_of(f);
    move_ok(f, XMOV_L0_TO_L1, 0xfffffff0, 0x17ffc0, 0x40);
    assert_memory_equal(f->l1_bytes + 0x17ffc0, zeros, 0x40);
    memcpy(f->l1_bytes + 0x17ffc0, before->l1_bytes + 0x17ffc0, 0x40);
    assert_unchanged(f, before);
    free(before);
}

/* Mover.md: destinations up to 0xffff are TENSIX_CFG_BASE and further. */
static void l1_to_l0_writes_configuration(void **state)
{
    struct fixture *f = *state;
    for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
        fill(f, 3);
        struct fixture *before = copy_of(f);
        move_ok(f, XMOV_L1_TO_L0, 0x500, 4 * (CONFIG_WORDS * bank + 64), 0x20);
        assert_memory_equal(&f->state.config.bank[bank][64], before->l1_bytes + 0x500, 0x20);
        memcpy(&f->state.config.bank[bank][64], &before->state.config.bank[bank][64], 0x20);
        assert_unchanged(f, before);
        free(before);
    }
}

static void l0_to_l0_clears_configuration(void **state)
{
    struct fixture *f = *state;
    static const uint32_t zeros[4];
    fill(f, 4);
    struct fixture *before = copy_of(f);
    move_ok(f, XMOV_L0_TO_L0, 0xfffffff0, 4 * (CONFIG_WORDS + 68), 0x10);
    assert_memory_equal(&f->state.config.bank[1][68], zeros, 0x10);
    memcpy(&f->state.config.bank[1][68], &before->state.config.bank[1][68], 0x10);
    assert_unchanged(f, before);
    free(before);
}

/* BackendConfiguration.md: ConfigDualWrite lies behind the two banks. */
static void dual_write_reaches_both_banks(void **state)
{
    struct fixture *f = *state;
    fill(f, 5);
    move_ok(f, XMOV_L1_TO_L0, 0x10, 4 * (2 * CONFIG_WORDS + 72), 0x10);
    for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
        assert_memory_equal(&f->state.config.bank[bank][72], f->l1_bytes + 0x10, 0x10);
    }
}

/* BackendConfiguration.md: words from GLOBAL_CFGREG_BASE_ADDR32 are one register. */
static void global_registers_show_in_both_banks(void **state)
{
    struct fixture *f = *state;
    fill(f, 6);
    move_ok(f, XMOV_L1_TO_L0, 0x100, 4 * (CONFIG_WORDS + 184), 0x20);
    for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
        assert_memory_equal(&f->state.config.bank[bank][184], f->l1_bytes + 0x100, 0x20);
    }
}

/* BackendConfiguration.md, special cases: writing anything to STATE_RESET_EN clears the bank's words below the global
   ones. The mover writes in ascending order, so words after it keep their new values. */
static void writing_state_reset_en_resets_the_bank(void **state)
{
    struct fixture *f = *state;
    fill(f, 7);
    unsigned first = STATE_RESET_EN_ADDR32 & ~3u;
    uint32_t kept = f->state.config.bank[1][100];
    move_ok(f, XMOV_L1_TO_L0, 0x200, 4 * first, 0x10);
    for (unsigned index = 0; index < GLOBAL_CFGREG_BASE_ADDR32; index++) {
        bool behind = index > STATE_RESET_EN_ADDR32 && index < first + 4;
        assert_int_equal(f->state.config.bank[0][index], behind ? l1_load32(&f->l1, 0x200 + 4 * (index - first)) : 0);
    }
    assert_int_equal(f->state.config.bank[1][100], kept);
}

/* Every destination for a move of one unit into configuration; the last valid one is the last of ConfigDualWrite. */
static void configuration_ends_where_thread_config_begins(void **state)
{
    struct fixture *f = *state;
    fill(f, 8);
    uint32_t end = 4 * 3 * CONFIG_WORDS;
    move_ok(f, XMOV_L1_TO_L0, 0, end - 0x10, 0x10);
    struct fixture *before = copy_of(f);
    static const struct {
        uint32_t offset, size; /* from the end */
    } cases[] = {{-0x10u, 0x20}, {0, 0x10}, {0x320, 0x10}, {0x330, 0x10}, {0x1000, 0x40}};
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        ASSERT_STOPPED(f, move(f, XMOV_L1_TO_L0, 0, end + cases[i].offset, cases[i].size), BH_UNDEFINED_BEHAVIOR);
        ASSERT_STOPPED(f, move(f, XMOV_L0_TO_L0, 0, end + cases[i].offset, cases[i].size), BH_UNDEFINED_BEHAVIOR);
        assert_unchanged(f, before);
    }
    free(before);
}

/* Mover.md: "the writes get discarded". */
static void writes_to_nowhere_are_discarded_with_a_warning(void **state)
{
    struct fixture *f = *state;
    static const uint32_t nowhere[] = {0x10000, 0x3fff0, 0x50000, 0x8000000, 0xfffffff0};
    fill(f, 9);
    struct fixture *before = copy_of(f);
    for (unsigned i = 0; i < COUNT_OF(nowhere); i++) {
        f->diagnostics.now.pc = i; /* a warning is given once at each place */
        assert_warned(f, move(f, i % 2 ? XMOV_L0_TO_L0 : XMOV_L1_TO_L0, 0, nowhere[i], 0x10), BH_NON_CONTRACTUAL,
                      "nothing is");
    }
    diagnostics_set_policy(&f->diagnostics, BH_POLICY_STRICT);
    ASSERT_STOPPED(f, move(f, XMOV_L1_TO_L0, 0, 0x10000, 0x10), BH_NON_CONTRACTUAL);
    assert_unchanged(f, before);
    free(before);
}

/* BabyRISCV/README.md (Blackhole): instructions are fetched from L1 only. */
static void there_is_no_instruction_ram(void **state)
{
    struct fixture *f = *state;
    fill(f, 10);
    struct fixture *before = copy_of(f);
    assert_warned(f, move(f, XMOV_L1_TO_L0, 0, 0x40000, 0x4000), BH_NON_CONTRACTUAL, "instruction RAM");
    f->diagnostics.now.pc = 4;
    assert_warned(f, move(f, XMOV_L0_TO_L0, 0, 0x4fff0, 0x10), BH_NON_CONTRACTUAL, "instruction RAM");
    assert_unchanged(f, before);
    free(before);
}

/* Mover.md: "access more than one region at a time". */
static void a_move_stays_within_one_region(void **state)
{
    struct fixture *f = *state;
    fill(f, 11);
    struct fixture *before = copy_of(f);
    static const uint32_t regions[] = {0, 0x10000, 0x30000, 0x40000, 0xffff0000};
    for (unsigned i = 0; i < COUNT_OF(regions); i++) {
        ASSERT_STOPPED(f, move(f, XMOV_L1_TO_L0, 0, regions[i] + 0xfff0, 0x20), BH_UNDEFINED_BEHAVIOR);
        ASSERT_STOPPED(f, move(f, XMOV_L0_TO_L0, 0, regions[i] + 0x10, 0x10000), BH_UNDEFINED_BEHAVIOR);
    }
    assert_unchanged(f, before);
    free(before);
}

/* Mover.md: addresses beyond L1 are UndefinedBehaviour. L1 of Blackhole has 1536 KiB. */
static void l1_ends(void **state)
{
    struct fixture *f = *state;
    fill(f, 12);
    move_ok(f, XMOV_L1_TO_L1, 0x17fff0, 0, 0x10);
    move_ok(f, XMOV_L1_TO_L1, 0, 0x17fff0, 0x10);
    struct fixture *before = copy_of(f);
    static const struct {
        uint32_t address, size;
    } cases[] = {{0x180000, 0}, {0x180000, 0x10}, {0x17fff0, 0x20}, {0x100000, 0xffff0}, {0xfffffff0, 0x20}};
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        uint32_t address = cases[i].address, size = cases[i].size;
        ASSERT_STOPPED(f, move(f, XMOV_L1_TO_L1, address, 0x1000, size), BH_UNDEFINED_BEHAVIOR);
        ASSERT_STOPPED(f, move(f, XMOV_L1_TO_L1, 0x1000, address, size), BH_UNDEFINED_BEHAVIOR);
        ASSERT_STOPPED(f, move(f, XMOV_L0_TO_L1, 0, address, size), BH_UNDEFINED_BEHAVIOR);
        ASSERT_STOPPED(f, move(f, XMOV_L1_TO_L0, address, 0, size), BH_UNDEFINED_BEHAVIOR);
        assert_unchanged(f, before);
    }
    free(before);
}

static void nothing_to_move_changes_nothing(void **state)
{
    struct fixture *f = *state;
    fill(f, 13);
    struct fixture *before = copy_of(f);
    for (unsigned direction = 0; direction < 4; direction++) {
        move_ok(f, (enum mover_direction)direction, 0x100, 0x200, 0);
    }
    move_ok(f, XMOV_L1_TO_L0, 0x100, 0x40000, 0);
    move_ok(f, XMOV_L1_TO_L0, 0x100, 4 * 3 * CONFIG_WORDS, 0);
    assert_unchanged(f, before);
    free(before);
}

/* Mover.md says memcpy, not memmove. */
static void overlapping_copies_warn(void **state)
{
    struct fixture *f = *state;
    fill(f, 14);
    struct fixture *before = copy_of(f);
    assert_warned(f, move(f, XMOV_L1_TO_L1, 0x1000, 0x1010, 0x40), BH_UNPREDICTABLE_VALUE, "overlap");
    assert_memory_equal(f->l1_bytes + 0x1010, before->l1_bytes + 0x1000, 0x40);
    f->diagnostics.now.pc = 4;
    assert_warned(f, move(f, XMOV_L1_TO_L1, 0x2030, 0x2000, 0x40), BH_UNPREDICTABLE_VALUE, "overlap");
    assert_memory_equal(f->l1_bytes + 0x2000, before->l1_bytes + 0x2030, 0x40);
    f->diagnostics.now.pc = 8;
    move_ok(f, XMOV_L1_TO_L1, 0x3000, 0x3040, 0x40); /* side by side */
    move_ok(f, XMOV_L1_TO_L1, 0x4040, 0x4000, 0x40);
    move_ok(f, XMOV_L1_TO_L1, 0x5000, 0x5000, 0x40); /* to itself */
    move_ok(f, XMOV_L0_TO_L1, 0x6000, 0x6010, 0x40); /* reads nothing */
    move_ok(f, XMOV_L1_TO_L0, 0x100, 0x110, 0x40);   /* other memories */
    free(before);
}

/* Under a policy that continues, data outside are left out. */
static void silicon_policy_moves_what_is_within_reach(void **state)
{
    struct fixture *f = *state;
    fill(f, 15);
    diagnostics_set_policy(&f->diagnostics, BH_POLICY_SILICON);
    struct fixture *before = copy_of(f);
    assert_int_equal(move(f, XMOV_L1_TO_L1, 0x17ffe0, 0x1000, 0x1000), STEP_DONE);
    assert_memory_equal(f->l1_bytes + 0x1000, before->l1_bytes + 0x17ffe0, 0x20);
    assert_memory_equal(f->l1_bytes + 0x1020, before->l1_bytes + 0x1020, 0x1000);
    assert_int_equal(move(f, XMOV_L1_TO_L1, 0x3000, 0x17ffc0, 0x100), STEP_DONE);
    assert_memory_equal(f->l1_bytes + 0x17ffc0, before->l1_bytes + 0x3000, 0x40);
    assert_int_equal(move(f, XMOV_L1_TO_L1, 0x3000, 0x200000, 0x100), STEP_DONE);
    assert_int_equal(move(f, XMOV_L1_TO_L1, 0x200000, 0x3000, 0x100), STEP_DONE);
    assert_memory_equal(f->l1_bytes + 0x3000, before->l1_bytes + 0x3000, 0x100);
    assert_int_equal(move(f, XMOV_L1_TO_L0, 0x4000, 4 * (3 * CONFIG_WORDS - 8), 0x10000), STEP_DONE);
    for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
        assert_memory_equal(&f->state.config.bank[bank][CONFIG_WORDS - 8], before->l1_bytes + 0x4000, 0x20);
    }
    assert_memory_equal(f->state.config.thread, before->state.config.thread, sizeof f->state.config.thread);
    free(before);
}

/* SoftReset.md: XMOV and mover commands "will be discarded rather than being sent to the mover". */
static void a_mover_in_reset_discards(void **state)
{
    struct fixture *f = *state;
    fill(f, 16);
    f->state.mover.in_reset = true;
    struct fixture *before = copy_of(f);
    move_ok(f, XMOV_L1_TO_L1, 0x100, 0x200, 0x10);
    move_ok(f, XMOV_L0_TO_L1, 0x100, 0xfffffff0, 0x10);
    assert_unchanged(f, before);
    free(before);
}

/* XMOV.md, TDMA-RISC.md: the shifts by four, 16 bits of size, two of direction. */
static void transfers_are_given_in_units_of_16_bytes(void **state)
{
    (void)state;
    struct mover_transfer transfer = mover_transfer_of(0x12345, 0x10000001, 0xabcd0002, 7);
    assert_int_equal(transfer.source, 0x123450);
    assert_int_equal(transfer.destination, 0x10);
    assert_int_equal(transfer.size, 0x20);
    assert_int_equal(transfer.direction, XMOV_L1_TO_L1);
    assert_int_equal(mover_transfer_of(0, 0, 0xffff, 4).size, 0xffff0);
    assert_int_equal(mover_transfer_of(0, 0, 0xffff, 4).direction, XMOV_L0_TO_L1);
}

/* Writes the transfer into a bank of configuration as XMOV.md reads it. */
static void configure(struct fixture *f, unsigned bank, enum mover_direction direction, uint32_t source,
                      uint32_t destination, uint32_t size)
{
    uint32_t *words = f->state.config.bank[bank];
    words[THCON_SEC0_REG6_Source_address_ADDR32] = source;
    words[THCON_SEC0_REG6_Destination_address_ADDR32] = destination;
    words[THCON_SEC0_REG6_Buffer_size_ADDR32] = (uint32_t)direction << 30 | size;
}

static void xmov_takes_its_transfer_from_configuration(void **state)
{
    struct fixture *f = *state;
    fill(f, 17);
    struct fixture *before = copy_of(f);
    configure(f, 0, XMOV_L1_TO_L1, 0x100, 0x200, 0x3fff0003); /* the size is in the low 16 bits */
    RUN_OK(f, 0, XMOV, );
    assert_memory_equal(f->l1_bytes + 0x2000, before->l1_bytes + 0x1000, 0x30);
    assert_memory_equal(f->l1_bytes + 0x2030, before->l1_bytes + 0x2030, 0x100);
    configure(f, 0, XMOV_L0_TO_L1, 0x100, 0x300, 2);
    RUN_OK(f, 0, XMOV, .Last = 1);
    assert_int_equal(l1_load32(&f->l1, 0x3000) | l1_load32(&f->l1, 0x301c), 0);
    configure(f, 0, XMOV_L1_TO_L0, 0x400, CONFIG_WORDS / 4 + 10, 1);
    RUN_OK(f, 0, XMOV, );
    assert_memory_equal(&f->state.config.bank[1][40], before->l1_bytes + 0x4000, 0x10);
    configure(f, 0, XMOV_L0_TO_L0, 0x400, CONFIG_WORDS / 4 + 10, 1);
    RUN_OK(f, 0, XMOV, );
    assert_int_equal(f->state.config.bank[1][40], 0);
    free(before);
}

/* XMOV.md: Config[StateID] of the thread. */
static void each_thread_moves_by_its_bank(void **state)
{
    struct fixture *f = *state;
    fill(f, 18);
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
            configure(f, 0, XMOV_L1_TO_L1, 0x10 + thread, 0x100, 1);
            configure(f, 1, XMOV_L1_TO_L1, 0x20 + thread, 0x100, 1);
            thread_config_write(&f->tensix, thread, CFG_STATE_ID_StateID_ADDR32, (uint16_t)bank);
            RUN_OK(f, thread, XMOV, );
            assert_memory_equal(f->l1_bytes + 0x1000, f->l1_bytes + 0x100 * (bank + 1) + 0x10 * thread, 0x10);
        }
    }
}

/* The mover reads its description before it moves: a move may overwrite that. */
static void a_move_may_overwrite_its_own_description(void **state)
{
    struct fixture *f = *state;
    fill(f, 19);
    configure(f, 0, XMOV_L1_TO_L0, 0x100, THCON_SEC0_REG6_Source_address_ADDR32 / 4 - 1, 3);
    RUN_OK(f, 0, XMOV, );
    assert_memory_equal(&f->state.config.bank[0][THCON_SEC0_REG6_Source_address_ADDR32 - 4], f->l1_bytes + 0x1000,
                        0x30);
}

static void there_is_one_mover(void **state)
{
    struct fixture *f = *state;
    fill(f, 20);
    configure(f, 0, XMOV_L1_TO_L1, 0x100, 0x200, 1);
    struct fixture *before = copy_of(f);
    ASSERT_STOPPED(f, RUN(f, 0, XMOV, .Mov_block_selection = 1), BH_UNDEFINED_BEHAVIOR);
    assert_unchanged(f, before);
    free(before);
}

static void xmov_that_is_stopped_changes_nothing(void **state)
{
    struct fixture *f = *state;
    fill(f, 21);
    configure(f, 0, XMOV_L1_TO_L1, 0x100, 0x18000, 1);
    struct fixture *before = copy_of(f);
    ASSERT_STOPPED(f, RUN(f, 0, XMOV, ), BH_UNDEFINED_BEHAVIOR);
    assert_unchanged(f, before);
    free(before);
}

#define OP(name) ((uint32_t)TENSIX_OPCODE_##name << 24)
#define SETDMAREG(half, value) (OP(SETDMAREG) | (uint32_t)(value) << 8 | (half))
#define WRCFG(reg, word) (OP(WRCFG) | (uint32_t)(reg) << 16 | (word))
#define WRCFG128(reg, word) (WRCFG(reg, word) | 1u << 15)
#define STALLWAIT(block, condition) (OP(STALLWAIT) | (uint32_t)(block) << 15 | (condition))

static void push(struct fixture *f, unsigned thread, uint32_t word)
{
    assert_int_equal(frontend_push(&f->tensix, thread, word, 0, false), STEP_DONE);
}

/* A thread describes the transfer in its GPRs, waits for the mover by C9, and reads the moved data. */
static void a_thread_moves_by_its_gprs(void **state)
{
    struct fixture *f = *state;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        fill(f, 22 + thread);
        static const uint32_t transfer[4] = {0x1800, 0x2800, 3u << 30 | 5, 0};
        for (unsigned i = 0; i < 4; i++) {
            push(f, thread, SETDMAREG(2 * (8 + i), transfer[i] & 0xffff));
            push(f, thread, SETDMAREG(2 * (8 + i) + 1, transfer[i] >> 16));
        }
        push(f, thread, WRCFG128(8, THCON_SEC0_REG6_Source_address_ADDR32));
        push(f, thread, OP(XMOV));
        push(f, thread, STALLWAIT(TENSIX_BLOCK_TDMA | TENSIX_BLOCK_THCON, 1 << 9));
        push(f, thread, SETDMAREG(0, 0x2800));
        push(f, thread, SETDMAREG(1, 0));
        push(f, thread, SETDMAREG(2, 0x40));
        push(f, thread, OP(LOADIND) | 1u << 22 | 2u << 14 | 20u << 6); /* GPR 20: one word at GPR 0 * 16 + half 2 */
        tensix_drain(&f->tensix);
        assert_int_equal(f->diagnostics.count, 0);
        assert_true(tensix_idle(&f->state));
        assert_memory_equal(f->l1_bytes + 0x28000, f->l1_bytes + 0x18000, 0x50);
        assert_int_equal(f->state.scalar.gpr[thread][20], l1_load32(&f->l1, 0x18040));
    }
}

/* A model in plain bytes: L1, and the window of configuration. */
struct model {
    uint8_t l1[L1_SIZE];
    uint32_t window[2][CONFIG_WORDS];
};

static void model_move(struct model *model, const struct mover_transfer *transfer)
{
    static uint8_t data[0x100000];
    bool copies = transfer->direction & 1;
    for (uint32_t i = 0; i < transfer->size; i++) {
        data[i] = copies ? model->l1[transfer->source + i] : 0;
    }
    if (transfer->direction == XMOV_L0_TO_L1 || transfer->direction == XMOV_L1_TO_L1) {
        memcpy(model->l1 + transfer->destination, data, transfer->size);
        return;
    }
    for (uint32_t i = 0; i < transfer->size; i += 4) {
        uint32_t index = (transfer->destination + i) / 4;
        for (unsigned bank = 0; bank < 2; bank++) {
            if (index / CONFIG_WORDS == bank || index / CONFIG_WORDS == 2 ||
                index % CONFIG_WORDS >= GLOBAL_CFGREG_BASE_ADDR32) {
                memcpy(&model->window[bank][index % CONFIG_WORDS], data + i, 4);
            }
        }
    }
}

/* Whether words [first, last) of the window are one of Config's, of a bank or of both. */
static bool writes_config_word(uint32_t first, uint32_t last, uint32_t index)
{
    for (uint32_t word = index; word < CONFIG_WINDOW_THREADS; word += CONFIG_WORDS) {
        if (first <= word && word < last) {
            return true;
        }
    }
    return false;
}

static void random_moves_agree_with_the_model(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = 0x9e3779b97f4a7c15;
    fill(f, 30);
    diagnostics_set_policy(&f->diagnostics, BH_POLICY_SILICON); /* overlaps are fine */
    struct model *model = aligned_zeroed(sizeof *model);
    assert_non_null(model);
    memcpy(model->l1, f->l1_bytes, L1_SIZE);
    memcpy(model->window, f->state.config.bank, sizeof model->window);
    for (unsigned i = 0; i < 20000; i++) {
        struct mover_transfer transfer = {.direction = xorshift64_word(&seed) & 3};
        bool to_l1 = transfer.direction == XMOV_L0_TO_L1 || transfer.direction == XMOV_L1_TO_L1;
        uint32_t room = to_l1 ? L1_SIZE / 16 : 3 * CONFIG_WORDS / 4;
        uint32_t longest = i % 64 == 0 && to_l1 ? 0xffff : 64;
        uint32_t units = xorshift64_word(&seed) % (longest + 1);
        uint32_t source = xorshift64_word(&seed) % (L1_SIZE / 16 - units + 1);
        uint32_t destination = xorshift64_word(&seed) % (room - units);
        if (i % 3 == 0 && to_l1 && source < room - units) {
            destination = source ^ (xorshift64_word(&seed) & 31); /* likely to overlap */
            destination = destination < room - units ? destination : source;
        }
        transfer.source = 16 * source - (source == L1_SIZE / 16 ? 16 : 0);
        transfer.destination = 16 * destination;
        transfer.size = 16 * units;
        uint32_t first = transfer.destination / 4, last = first + transfer.size / 4;
        bool has_effects =
            !to_l1 && (writes_config_word(first, last, STATE_RESET_EN_ADDR32) ||
                       writes_config_word(first, last, SRC_ACCESS_CFG_math_view_srca_as_one_bank_ADDR32));
        if (has_effects) {
            continue; /* other tests cover these */
        }
        assert_int_equal(mover_move(&f->tensix, transfer), STEP_DONE);
        assert_int_equal(f->diagnostics.count, 0);
        model_move(model, &transfer);
        if (to_l1) {
            assert_memory_equal(f->l1_bytes + transfer.destination, model->l1 + transfer.destination, transfer.size);
        } else {
            assert_memory_equal(f->state.config.bank, model->window, sizeof model->window);
        }
        if (i % 256 == 0) {
            assert_memory_equal(f->l1_bytes, model->l1, L1_SIZE);
        }
    }
    assert_memory_equal(f->l1_bytes, model->l1, L1_SIZE);
    assert_memory_equal(f->state.config.bank, model->window, sizeof model->window);
    free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(l1_to_l1_copies),
        FIXTURE_TEST(l0_to_l1_writes_zeros),
        FIXTURE_TEST(l1_to_l0_writes_configuration),
        FIXTURE_TEST(l0_to_l0_clears_configuration),
        FIXTURE_TEST(dual_write_reaches_both_banks),
        FIXTURE_TEST(global_registers_show_in_both_banks),
        FIXTURE_TEST(writing_state_reset_en_resets_the_bank),
        FIXTURE_TEST(configuration_ends_where_thread_config_begins),
        FIXTURE_TEST(writes_to_nowhere_are_discarded_with_a_warning),
        FIXTURE_TEST(there_is_no_instruction_ram),
        FIXTURE_TEST(a_move_stays_within_one_region),
        FIXTURE_TEST(l1_ends),
        FIXTURE_TEST(nothing_to_move_changes_nothing),
        FIXTURE_TEST(overlapping_copies_warn),
        FIXTURE_TEST(silicon_policy_moves_what_is_within_reach),
        FIXTURE_TEST(a_mover_in_reset_discards),
        FIXTURE_TEST(transfers_are_given_in_units_of_16_bytes),
        FIXTURE_TEST(xmov_takes_its_transfer_from_configuration),
        FIXTURE_TEST(each_thread_moves_by_its_bank),
        FIXTURE_TEST(a_move_may_overwrite_its_own_description),
        FIXTURE_TEST(there_is_one_mover),
        FIXTURE_TEST(xmov_that_is_stopped_changes_nothing),
        FIXTURE_TEST(a_thread_moves_by_its_gprs),
        FIXTURE_TEST(random_moves_agree_with_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
