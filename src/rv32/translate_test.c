/* Translated code gives the results of the interpreter: random programs, on tiles that translate and on tiles that do
   not, reach the same state after each turn of any length, while the test rewrites data, code and FIFOs in between. */
#include "rv32/translate_fixture.h"
#include "rv32/translate_program.h"

enum { LIVES = 250, PROGRAMS = 6, TURNS = 14, TILES = 2 };

static unsigned lives = LIVES;
static uint64_t first_seed = 1;

/* A test run of two tiles that share a translator. */
struct life {
    struct rv32_translator translator;
    struct twins tile[TILES];
    struct program program;
    bool interrupts;
};

static void begin_life(struct life *life)
{
    static const uint8_t ids[][TWIN_CORES] = {{BH_CORE_B, BH_CORE_NC},
                                              {BH_CORE_T0, BH_CORE_T1},
                                              {BH_CORE_B, BH_CORE_T2},
                                              {BH_CORE_T2, BH_CORE_NC},
                                              {BH_CORE_T1, BH_CORE_B}};
    const uint8_t *cores = ids[below(5)];
    uint32_t l1_size = one_in(3) ? L1_SIZE - 0x1000 * below(3) - 0x100 : 0;
    bool flushable = one_in(2), words = one_in(2), pushes[TWIN_CORES] = {!one_in(3), !one_in(3)};
    life->interrupts = one_in(4);
    translator_create(&life->translator);
    for (unsigned i = 0; i < TILES; i++) {
        twins_create(&life->tile[i], &life->translator, cores);
        BOTH(&life->tile[i], twin)
        {
            for (unsigned core = 0; core < TWIN_CORES; core++) {
                twin->rv32[core].l1_size = l1_size;
                twin->rv32[core].flushable = flushable;
                twin->rv32[core].bus.word = words ? twin_word : NULL;
                twin->rv32[core].pushes = pushes[core] ? &twin->fifo[core] : NULL;
            }
        }
    }
}

static void end_life(struct life *life)
{
    for (unsigned i = 0; i < TILES; i++) {
        assert_same_tile(&life->tile[i], 0, 0, L1_SIZE);
        twins_destroy(&life->tile[i]);
    }
    translator_destroy(&life->translator);
}

/* Restarts the program on the same core of both twins. */
static void start(struct twins *twins, const struct program *program, unsigned core)
{
    uint32_t x[RV32_REGISTERS];
    for (unsigned reg = 0; reg < RV32_REGISTERS; reg++) {
        x[reg] = random_value();
    }
    const struct rv32 *rv32 = &twins->plain.rv32[core];
    x[0] = x[RV32_SINK] = 0;
    x[TO_RAM] = MEM_LOCAL_BASE + 0x800;
    x[TO_RAM_END] = MEM_LOCAL_BASE + rv32->local_ram_size;
    x[TO_REGISTERS] = (uint32_t)TWIN_REGISTERS;
    x[TO_EDGE] = rv32->l1_size ? rv32->l1_size : one_in(2) ? L1_SIZE : 32;
    x[TO_DATA] = PROGRAM_DATA + 4 * below(PROGRAM_DATA_BYTES / 8) + 64;
    x[TO_CODE] = program->at + 4 * below(program->count);
    x[AN_INSTRUCTION] = random_operation(program);
    BOTH(twins, twin)
    {
        twin->diagnostics.stopped = false;
        rv32_reset(&twin->core[core], program->at);
        memcpy(twin->core[core].x, x, sizeof x);
        if (x[RV32_F0] % 4 == 0) {
            rv32_flush_cache(&twin->rv32[core]);
        }
    }
}

static void write_both(struct twins *twins, uint32_t address, const void *data, uint32_t size)
{
    BOTH(twins, twin)
    {
        l1_write(&twin->l1, address, data, size);
    }
}

/* Loads the program; on the second tile one word may differ. */
static void load(struct life *life)
{
    struct program *program = &life->program;
    const uint32_t handler[] = {word_addi(A0, A0, 1), rv32_instructions[RV32_OP_MRET].match};
    if (one_in(3) || program->count == 0) {
        make_program(program);
    }
    for (unsigned i = 0; i < TILES; i++) {
        write_both(&life->tile[i], program->at, program->word, 4 * program->count);
        write_both(&life->tile[i], PROGRAM_HANDLER, handler, sizeof handler);
    }
    if (one_in(2)) {
        uint32_t other = random_operation(program);
        write_both(&life->tile[1], program->at + 4 * below(program->count), &other, sizeof other);
    }
    for (unsigned i = 0; i < TILES * TWIN_CORES; i++) {
        start(&life->tile[i % TILES], program, i / TILES);
    }
}

/* Makes a random change to a tile between two turns. */
static void change(struct life *life, struct twins *twins, unsigned core)
{
    const struct program *program = &life->program;
    uint32_t value = random_value(), place = below(program->count), drained = one_in(2) ? below(FIFO_CAPACITY + 1) : 0;
    uint32_t address = PROGRAM_DATA + 4 * below(PROGRAM_DATA_BYTES / 4);
    enum step answer = one_in(6) ? STEP_WAIT : STEP_DONE;
    bool yields = one_in(5), flushes = one_in(12), interrupts = life->interrupts && one_in(8);
    unsigned rewrites = below(30);
    uint32_t word = rewrites == 0 ? random_operation(program) : program->word[place];
    BOTH(twins, twin)
    {
        struct rv32 *rv32 = &twin->rv32[core];
        twin->answer = answer;
        twin->yields = yields;
        twin->loaded = value;
        twin->words[place % TWIN_WORDS] = value;
        l1_store32(&twin->l1, address, value);
        for (uint32_t i = 0; i < drained && twin->fifo[core].count; i++) {
            fifo_pop(&twin->fifo[core]);
        }
        if (rewrites < 3) {
            l1_store32(&twin->l1, program->at + 4 * place, word);
        }
        if (flushes) {
            rv32_flush_cache(rv32);
        }
        if (interrupts && twin->core[core].halt == RV32_RUNNING && !twin->core[core].interrupted) {
            rv32_interrupt(&twin->core[core], PROGRAM_HANDLER);
        }
    }
    if (twins->plain.core[core].halt != RV32_RUNNING || twins->plain.diagnostics.stopped || one_in(40)) {
        start(twins, program, core);
    }
}

static void forget(struct life *life)
{
    for (unsigned i = 0; i < TILES; i++) {
        l1_forget_translations(&life->tile[i].translating.l1);
    }
    translator_forget(&life->translator);
}

static uint32_t random_budget(void)
{
    static const uint32_t longest[] = {3, 30, 300, 700, 2000};
    return 1 + below(longest[below(5)]);
}

/* Chooses how a turn runs; one made of several parts gives other diagnostics if a part ends at the end of L1. */
static enum twin_turn random_turn(const struct program *program)
{
    if (one_in(10)) {
        return TWIN_IS_HOOKED;
    }
    if (program->at >= L1_SIZE / 2) {
        return TWIN_RUNS;
    }
    return one_in(20) ? TWIN_IS_DEBUGGED : one_in(2) ? TWIN_RUNS : TWIN_COUNTS;
}

static void live(struct life *life)
{
    for (unsigned programs = 0; programs < PROGRAMS; programs++) {
        load(life);
        for (unsigned turn = 0; turn < TURNS * TILES * TWIN_CORES; turn++) {
            struct twins *twins = &life->tile[turn % TILES];
            unsigned core = turn / TILES % TWIN_CORES;
            if (!one_in(3)) {
                twins_heat(twins, core);
            }
            twins_turn(twins, core, random_budget(), random_turn(&life->program));
            assert_same_tile(twins, core, PROGRAM_DATA, PROGRAM_DATA_BYTES);
            assert_same_tile(twins, core, life->program.at, 4 * PROGRAM_WORDS);
            change(life, twins, core);
        }
        if (life->translator.full || one_in(5)) {
            forget(life);
        } else if (life->translator.room && life->translator.entries < TRANSLATOR_ENTRIES / 2 &&
                   one_in(6)) { /* leaves only a few free entries */
            life->translator.entries = TRANSLATOR_ENTRIES - REGION_WORDS - below(60);
        }
    }
}

static void translated_code_does_what_the_interpreter_does(void **state)
{
    static struct life life;
    uint64_t retired = 0, counted = 0, translated = 0;
    unsigned none = 0;
    for (unsigned i = 0; i < lives; i++) {
        program_random = (first_seed + i) * UINT64_C(0x9e3779b97f4a7c15);
        life.program.count = 0;
        begin_life(&life);
        live(&life);
        for (unsigned tile = 0; tile < TILES; tile++) {
            retired += life.tile[tile].retired;
            counted += life.tile[tile].counted;
            translated += life.tile[tile].translated;
            none += life.tile[tile].translated == 0;
        }
        end_life(&life);
    }
    print_message("%llu instructions of %u programs; of %llu of them, %llu were translated\n",
                  (unsigned long long)retired, lives * PROGRAMS, (unsigned long long)counted,
                  (unsigned long long)translated);
    if (translate_possible()) {
        assert_true(translated * 4 > counted);
        assert_true(none * 4 < lives);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(translated_code_does_what_the_interpreter_does),
    };
    lives = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : LIVES;
    first_seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
