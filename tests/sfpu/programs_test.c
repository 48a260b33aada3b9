/* Random programs of the vector unit, on the emulator and on the model: all state must be the same after every
   instruction. All opcodes but SFPLOADMACRO, with every defined modifier, format, lane mask and LaneConfig. */
#include "model_execute.h"
#include "tensix/engine/fixture.h"
#include "tensix/frontend/frontend.h"
#include "tensix/units/vector/operation.h"

enum { THREAD = 1, PROGRAMS = 1500, SHORTEST = 50, LONGEST = 500, OPCODES = 256 };

/* Every bit of an opcode that a program may choose. */
static uint32_t variable_bits[OPCODES];

static void find_variable_bits(void)
{
#define TENSIX_BEGIN(name, opcode, ...) variable_bits[opcode] = 0
#define TENSIX_FIELD(name, field, shift, width) | ((1u << (width)) - 1) << (shift)
#define TENSIX_EXTRA TENSIX_FIELD
#define TENSIX_RESERVED(...)
#define TENSIX_END(name) ;
#include "tensix.def"
}

static uint64_t seed = 0x5f9d;

static uint32_t pick(uint32_t count)
{
    return xorshift64_word(&seed) % count;
}

/* Typical numbers: random bits, special values, floats around one, integers of every size. */
static uint32_t random_datum(void)
{
    static const uint32_t special[] = {
        0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001,
        0xffffffff, 0x7fffffff, 1,          0x80000001, 0x007fffff, 0x00800000, 0x807fffff, 0x7f7fffff, 0xff7fffff,
        0x40000000, 0x3f000000, 0x3fc00000, 0x40400000, 0x40800000, 0x47ffe000, 0x3effffff, 31,         0xffffffe0,
    };
    uint32_t word = xorshift64_word(&seed);
    switch (pick(6)) {
    case 0: return special[word % (sizeof special / sizeof *special)];
    case 1: return (word & 0x807fffff) | (118 + pick(20)) << 23;
    case 2: return (uint32_t)((int32_t)word >> pick(32));
    case 3: return (word & 0x80000000) | (word & 0x7fffffff) >> pick(32);
    default: return word;
    }
}

static unsigned depth_of(const struct vector_unit *v, unsigned lane)
{
    unsigned depth = 0;
    while (depth < v->stack_depth && !(v->stack[depth].missing >> lane & 1)) {
        depth++;
    }
    return depth;
}

/* The name of a part of the state in which the model and the emulator differ, or null. */
static const char *difference(const struct fixture *f, const struct model *m)
{
    const struct vector_unit *v = &f->state.vector;
    if (memcmp(v->lreg, m->lreg, sizeof m->lreg) != 0) {
        return "LReg";
    }
    if (memcmp(v->lane_config, m->config, sizeof m->config) != 0) {
        return "LaneConfig";
    }
    if (memcmp(v->prng, m->prng, sizeof m->prng) != 0) {
        return "PRNG";
    }
    if (memcmp(v->load_macro.instruction_template, m->instruction_template, sizeof m->instruction_template) != 0 ||
        memcmp(v->load_macro.sequence, m->sequence, sizeof m->sequence) != 0 ||
        memcmp(v->load_macro.misc, m->misc, sizeof m->misc) != 0) {
        return "LoadMacroConfig";
    }
    if (v->dst_stack_pointer[THREAD] != m->stack_pointer) {
        return "stack pointer";
    }
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        if ((v->lane_flags >> lane & 1) != m->flag[lane] || (v->use_lane_flags >> lane & 1) != m->use_flag[lane]) {
            return "LaneFlags";
        }
        if (depth_of(v, lane) != m->depth[lane]) {
            return "depth of FlagStack";
        }
        for (unsigned i = 0; i < m->depth[lane]; i++) {
            if ((v->stack[i].lane_flags >> lane & 1) != m->stack[i][lane].flag ||
                (v->stack[i].use_lane_flags >> lane & 1) != m->stack[i][lane].use_flag) {
                return "FlagStack";
            }
        }
    }
    return NULL;
}

static bool same_dst(const struct fixture *f, const struct model *m)
{
    for (unsigned row = 0; row < DST_ROWS; row++) {
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            if (dst_to_hardware(f->state.dst.rows[row][column]) != m->dst[row][column]) {
                return false;
            }
        }
    }
    return true;
}

#define SET_FIELD(words, name, value)                                                                                  \
    (words)[name##_ADDR32] = (typeof(*(words)))(((words)[name##_ADDR32] & ~(uint32_t)name##_MASK) |                    \
                                                ((uint32_t)(value) << name##_SHAMT & name##_MASK))

/* Sets the addresses of loads and stores, and SrcB's format, whose mode is that of FP16, BF16 or FP32. */
static void randomize_configuration(struct fixture *f, struct model *m)
{
    enum { ALL_FORMATS = 16, FP32_MODE = 3, BF16_MODE = 2, FP16_MODE = 1 };
    static const uint8_t bf16_like[] = {0, 4, 5, 6, 7, 8, 9, 15}; /* FP32 TF32 BF16 BFP8 BFP4 INT32 INT16 BFP2 */
    uint32_t *config = f->state.config.bank[0];
    uint16_t *thread_config = f->state.config.thread[THREAD];
    uint32_t formats[2] = {pick(ALL_FORMATS), pick(ALL_FORMATS)}, override = pick(2), wide = pick(4) == 0;
    m->math_offset = pick(DST_ROWS);
    m->dst_counter = pick(DST_ROWS);
    m->dst_base = pick(4) ? 0 : pick(DST_ROWS);
    m->stack_pointer = pick(3) ? pick(DST_ROWS) : 0;
    m->stack_base = pick(DST_ROWS);
    m->stack_increment = pick(8);
    m->srcb_mode = wide                                                          ? FP32_MODE
                   : memchr(bf16_like, (int)formats[override], sizeof bf16_like) ? BF16_MODE
                                                                                 : FP16_MODE;
    SET_FIELD(config, ALU_ACC_CTRL_SFPU_Fp32_enabled, wide);
    SET_FIELD(config, ALU_FORMAT_SPEC_REG1_SrcB, formats[0]);
    SET_FIELD(config, ALU_FORMAT_SPEC_REG_SrcB_val, formats[1]);
    SET_FIELD(config, ALU_FORMAT_SPEC_REG_SrcB_override, override);
    SET_FIELD(config, DEST_REGW_BASE_Base, m->dst_base);
    SET_FIELD(config, DEST_SP_BASE_Base, m->stack_base);
    SET_FIELD(thread_config, DEST_TARGET_REG_CFG_MATH_Offset, m->math_offset);
    SET_FIELD(thread_config, SFPU_STACK_Incr, m->stack_increment);
    f->state.addr.rwc[THREAD].dst = (uint16_t)m->dst_counter;
    f->state.vector.dst_stack_pointer[THREAD] = m->stack_pointer;
}

/* The initial state of a program, the same on both sides. */
static void randomize_state(struct fixture *f, struct model *m)
{
    struct vector_unit *v = &f->state.vector;
    bool lanes_differ = pick(4) == 0, index = pick(4) == 0;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        for (unsigned i = 0; i < MODEL_LREGS; i++) {
            bool settable = i < 8 || (i >= 11 && i < 15);
            v->lreg[i][lane] = settable ? random_datum() : v->lreg[i][lane];
        }
        v->prng[lane] = xorshift64_word(&seed);
        v->lane_config[lane] = lanes_differ && pick(8) == 0 ? pick(1 << 18) : index ? pick(4) << 2 | 2 : 2 * pick(2);
    }
    vector_configure(v);
    v->use_lane_flags = pick(4) ? UINT32_MAX : xorshift64_word(&seed);
    v->lane_flags = pick(4) ? xorshift64_word(&seed) : UINT32_MAX;
    v->stack_depth = pick(SFPU_STACK + 1);
    for (unsigned i = 0; i < SFPU_STACK; i++) {
        v->stack[i].missing = 0;
        v->stack[i].use_lane_flags = pick(4) ? UINT32_MAX : xorshift64_word(&seed);
        v->stack[i].lane_flags = xorshift64_word(&seed);
    }
    memcpy(m->lreg, v->lreg, sizeof m->lreg);
    memcpy(m->prng, v->prng, sizeof m->prng);
    memcpy(m->config, v->lane_config, sizeof m->config);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        m->depth[lane] = v->stack_depth;
        m->flag[lane] = v->lane_flags >> lane & 1;
        m->use_flag[lane] = v->use_lane_flags >> lane & 1;
        for (unsigned i = 0; i < SFPU_STACK; i++) {
            m->stack[i][lane].flag = v->stack[i].lane_flags >> lane & 1;
            m->stack[i][lane].use_flag = v->stack[i].use_lane_flags >> lane & 1;
        }
    }
    randomize_configuration(f, m);
}

static void randomize_dst(struct fixture *f, struct model *m)
{
    for (unsigned row = 0; row < DST_ROWS; row++) {
        f->state.dst.valid[row] = 1;
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            m->dst[row][column] = (uint16_t)xorshift64_word(&seed);
            f->state.dst.rows[row][column] = dst_from_hardware(m->dst[row][column]);
        }
    }
}

/* Whether the stack of every lane that executes `word`, an SFPPUSHC or SFPPOPC, has a suitable depth. */
static bool depths_allow(const struct model *m, uint32_t word)
{
    bool push = word >> 24 == TENSIX_OPCODE_SFPPUSHC, plain = (word & 15) == 0;
    for (unsigned lane = 0; lane < MODEL_LANES; lane++) {
        bool allowed = push && plain ? m->depth[lane] < MODEL_STACK : (!push && !plain) || m->depth[lane] > 0;
        bool executes = (word >> 4 & 15) < 12 || m->config[lane] & LANE_CONFIG_DISABLE_BACKDOOR_LOAD;
        if (executes && !allowed) {
            return false;
        }
    }
    return true;
}

/* Whether `word`, a random number, is defined in the current state. */
static bool is_defined(const struct model *m, uint32_t word)
{
    uint32_t mod0 = word >> 16 & 15, mod1 = word & 15;
    switch (word >> 24) {
    case TENSIX_OPCODE_SFPLOADI: return 0x517 >> mod0 & 1;
    case TENSIX_OPCODE_SFP_STOCH_RND: return 0x30ff >> mod1 & 1;
    case TENSIX_OPCODE_SFPSHFT2: return mod1 <= 6;
    case TENSIX_OPCODE_SFPPUSHC:
    case TENSIX_OPCODE_SFPPOPC: return depths_allow(m, word);
    default: return true;
    }
}

/* Words that would dominate most programs if they were as frequent as others. */
static bool is_rare(uint32_t word)
{
    switch (word >> 24) {
    case TENSIX_OPCODE_SFPCONFIG: return (word >> 4 & 15) == 15;
    case TENSIX_OPCODE_SFPENCC:
    case TENSIX_OPCODE_SFPSETCC: return true;
    default: return model_vd(word) >= 12;
    }
}

static uint32_t next_word(const struct model *m)
{
    for (;;) {
        uint32_t opcode = TENSIX_OPCODE_SFPLOAD + pick(TENSIX_OPCODE_SFPARECIP + 1 - TENSIX_OPCODE_SFPLOAD);
        uint32_t word = opcode << 24 | (xorshift64_word(&seed) & variable_bits[opcode]);
        if (opcode != TENSIX_OPCODE_SFPLOADMACRO && is_defined(m, word) && (!is_rare(word) || pick(4) == 0)) {
            return word;
        }
    }
}

static void check_same(const struct fixture *f, const struct model *m, bool with_dst, uint32_t word)
{
    const char *what = difference(f, m);
    if (!what && with_dst && !same_dst(f, m)) {
        what = "Dst";
    }
    if (what) {
        fail_msg("%s differs after 0x%08x", what, word);
    }
}

static void execute(struct fixture *f, uint32_t word)
{
    assert_int_equal(tensix_execute(&f->tensix, THREAD, word, 0), STEP_DONE);
}

static uint32_t random_length(void)
{
    return SHORTEST + pick(LONGEST - SHORTEST + 1);
}

static void run_program(struct fixture *f, struct model *m, uint32_t *executed)
{
    randomize_state(f, m);
    for (uint32_t left = random_length(); left; left--) {
        uint32_t word = next_word(m);
        model_execute(m, word);
        execute(f, word);
        check_same(f, m, word >> 24 == TENSIX_OPCODE_SFPSTORE, word);
        executed[word >> 24]++;
    }
}

/* A replay buffer. */
struct replayed {
    uint32_t words[REPLAY_CAPACITY];
    uint32_t decoded;
};

static void replay(struct fixture *f, struct replayed *replayed)
{
    for (uint32_t i = 0; i < REPLAY_CAPACITY;) {
        struct burst burst = {
            .words = replayed->words + i, .length = REPLAY_CAPACITY - i, .times = 1, .place = BURST_ELSEWHERE};
        (void)trace_find(f->tensix.engine, THREAD, &burst, 0, burst.length); /* not the first time */
        const struct trace *trace = trace_find(f->tensix.engine, THREAD, &burst, 0, burst.length);
        uint32_t decoded = trace ? trace->decoded : 0;
        enum step step;
        assert_int_equal(engine_run(&f->tensix, THREAD, &burst, decoded ? decoded : 1, &step), decoded ? decoded : 1);
        assert_int_equal(step, STEP_DONE);
        replayed->decoded += decoded;
        i += decoded ? decoded : 1;
    }
}

static void run_replayed_program(struct fixture *f, struct model *m, struct replayed *replayed)
{
    randomize_state(f, m);
    for (uint32_t left = random_length() / REPLAY_CAPACITY; left; left--) {
        for (uint32_t i = 0; i < REPLAY_CAPACITY; i++) {
            replayed->words[i] = next_word(m);
            model_execute(m, replayed->words[i]);
        }
        replay(f, replayed);
        check_same(f, m, true, replayed->words[REPLAY_CAPACITY - 1]);
    }
}

/* Continues after diagnostics, except those of undefined or unsupported behaviour. */
static void set_policies(struct fixture *f)
{
    for (unsigned i = 0; i < BH_CATEGORY_COUNT; i++) {
        bool refused = i == BH_UNSUPPORTED || i == BH_UNDEFINED_BEHAVIOR || i == BH_BAD_INPUT || i == BH_INTERNAL_ERROR;
        f->diagnostics.policy[i] = refused ? BH_STOP : BH_IGNORE;
    }
}

static void programs_leave_what_the_model_leaves(void **state)
{
    static struct model m;
    struct fixture *f = *state;
    uint32_t executed[OPCODES] = {};
    find_variable_bits();
    set_policies(f);
    randomize_dst(f, &m);
    for (unsigned i = 0; i < PROGRAMS; i++) {
        run_program(f, &m, executed);
    }
    assert_true(same_dst(f, &m));
    for (uint32_t opcode = TENSIX_OPCODE_SFPLOAD; opcode <= TENSIX_OPCODE_SFPARECIP; opcode++) {
        assert_true(executed[opcode] > PROGRAMS || opcode == TENSIX_OPCODE_SFPLOADMACRO);
    }
}

static void replayed_programs_leave_what_the_model_leaves(void **state)
{
    static struct model m;
    static struct replayed replayed;
    struct fixture *f = *state;
    find_variable_bits();
    set_policies(f);
    randomize_dst(f, &m);
    for (unsigned i = 0; i < PROGRAMS; i++) {
        run_replayed_program(f, &m, &replayed);
    }
    assert_true(replayed.decoded > 10 * PROGRAMS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(programs_leave_what_the_model_leaves),
        ENGINE_TEST(replayed_programs_leave_what_the_model_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
