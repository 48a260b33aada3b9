/* Random programs of the scalar, configuration, sync and address instructions on three threads, against a model of its
   own: words are taken apart by bit positions here, state is kept as the chapters write it down, and everything that
   these instructions can reach is compared after each program.
   Sources: the five chapters; ISA documentation for what they leave open. */
#include "tensix/tensix_fixture.h"

enum { PROGRAMS = 2000, LENGTH = 900, HEAP = 0x8000, HEAP_SIZE = 0x1000 };

struct model {
    uint32_t gpr[3][64];
    uint32_t config[2][224];
    uint16_t thread_config[3][68];
    uint32_t value[8], max[8];
    uint32_t adc[3][3][2][4], adc_cr[3][3][2][4];  /* thread, unit, channel, dimension */
    uint32_t rwc[3][3], rwc_cr[3][3], fidelity[3]; /* SrcA, SrcB, Dst */
    uint8_t l1[HEAP_SIZE];
};

static struct model m;

static uint32_t field(uint32_t word, unsigned low, unsigned high)
{
    return (uint32_t)((uint64_t)word >> low) & (uint32_t)((UINT64_C(2) << (high - low)) - 1);
}

static void model_config(unsigned bank, unsigned index, uint32_t value, bool by_byte)
{
    m.config[bank][index] = value;
    if (index >= 180) {
        m.config[0][index] = m.config[1][index] = value;
    } else if (index == 4 && !by_byte) {
        memset(m.config[bank], 0, 180 * 4);
    }
}

static uint32_t rotr(uint32_t value, unsigned count)
{
    return (uint32_t)((((uint64_t)value << 32 | value) >> count) & 0xffffffff);
}

static void model_cfgshiftmask(unsigned t, unsigned bank, uint32_t w)
{
    uint32_t select = field(w, 8, 9), mask = (uint32_t)((UINT64_C(2) << field(w, 15, 19)) - 1);
    uint32_t s = rotr(m.config[bank][209 + (select == 3 ? t : select)] & mask, field(w, 10, 14));
    uint32_t c = m.config[bank][field(w, 0, 7)];
    if (!field(w, 23, 23)) {
        c &= ~rotr(mask, field(w, 10, 14));
    }
    uint32_t x = field(w, 22, 22) ? ~s : s;
    switch (field(w, 20, 22)) {
    case 3: c += s; break;
    case 7: c -= s; break;
    default: c = field(w, 20, 21) == 0 ? c | x : field(w, 20, 21) == 1 ? c & x : c ^ x;
    }
    model_config(bank, field(w, 0, 7), c, false);
}

static void model_arithmetic(unsigned t, uint32_t w)
{
    uint32_t a = m.gpr[t][field(w, 0, 5)], b = field(w, 6, 11);
    b = field(w, 23, 23) ? b : m.gpr[t][b];
    uint32_t mode = field(w, 18, 20), *r = &m.gpr[t][field(w, 12, 17)];
    switch (w >> 24) {
    case 0x58: *r = a + b; break;
    case 0x59: *r = a - b; break;
    case 0x5a: *r = (a & 0xffff) * (b & 0xffff); break;
    case 0x5b: *r = mode == 0 ? a & b : mode == 1 ? a | b : a ^ b; break;
    case 0x5c: *r = mode == 0 ? a << (b & 31) : a >> (b & 31); break;
    default: *r = mode == 0 ? a > b : mode == 1 ? a < b : a == b; break;
    }
}

/* LOADIND and STOREIND to L1. */
static void model_memory(unsigned t, uint32_t w)
{
    static const uint8_t bytes[] = {16, 4, 2, 1}, steps[] = {0, 2, 4, 16};
    bool load = w >> 24 == 0x49;
    unsigned size = load ? field(w, 22, 23) : field(w, 21, 22), half = field(w, 14, 20);
    uint16_t *offset = (uint16_t *)m.gpr[t] + half;
    uint32_t at = (m.gpr[t][field(w, 0, 5)] * 16 + *offset - HEAP) & ~(bytes[size] - 1u);
    unsigned data = field(w, 6, 11) & (size ? 63 : 60);
    *offset = (uint16_t)(*offset + steps[field(w, 12, 13)]);
    memcpy(load ? (void *)&m.gpr[t][data] : &m.l1[at], load ? (void *)&m.l1[at] : &m.gpr[t][data], bytes[size]);
}

static void model_adc(unsigned t, uint32_t w)
{
    static const uint32_t width[] = {18, 13, 13, 13};
    unsigned opcode = w >> 24, override = opcode == 0x50 ? field(w, 16, 17) : field(w, 18, 19);
    unsigned first = opcode == 0x54 || opcode == 0x55 || opcode == 0x56 ? 2 : 0;
    for (unsigned unit = 0; unit < 3; unit++) {
        for (unsigned i = 0; i < 8; i++) {
            unsigned channel = i / 4, dimension = i % 4, slot = channel * 2 + dimension - first;
            unsigned thread = opcode == 0x5e || !override ? t : override - 1;
            uint32_t *counter = &m.adc[thread][unit][channel][dimension];
            uint32_t *cr = &m.adc_cr[thread][unit][channel][dimension], limit = 1u << width[dimension];
            bool in_pair = dimension >= first && dimension < first + 2;
            bool in_mask = in_pair && field(w, 0, 3) >> slot & 1;
            uint32_t operand = in_pair ? field(w, 6 + 3 * slot, 8 + 3 * slot) : 0;
            if (!(field(w, 21, 23) >> unit & 1)) {
                continue;
            }
            if (opcode == 0x50 && field(w, 20, 20) == channel && field(w, 18, 19) == dimension) {
                *counter = *cr = field(w, 0, 17) % limit;
            } else if (opcode == 0x5e && dimension == 0) {
                *counter = *cr = channel ? field(w, 10, 19) : field(w, 0, 9);
            } else if ((opcode == 0x51 || opcode == 0x54) && in_mask) {
                *counter = *cr = operand;
            } else if ((opcode == 0x53 || opcode == 0x56) && in_mask) {
                *counter = *cr = (*cr + operand) % limit;
            } else if ((opcode == 0x52 || opcode == 0x55) && in_pair) {
                *counter = (*counter + operand) % limit;
            }
        }
    }
}

static void model_rwc(unsigned t, uint32_t w)
{
    bool set = w >> 24 == 0x37;
    static const uint32_t limits[] = {64, 64, 1024};
    for (unsigned i = 0; i < 3; i++) {
        uint32_t *counter = &m.rwc[t][i], *cr = &m.rwc_cr[t][i], operand = field(w, 6 + 4 * i, 9 + 4 * i);
        bool in_cr = field(w, 18, 21) >> i & 1, in_mask = field(w, 0, 3) >> i & 1;
        bool c_to_cr = set && i == 2 && field(w, 21, 21);
        if (c_to_cr) {
            *counter = *cr = (*counter + operand) % limits[i];
        } else if (set && in_mask) {
            *counter = *cr = (in_cr ? *cr + operand : operand) % limits[i];
        } else if (!set && in_cr) {
            *counter = *cr = (*cr + operand) % limits[i];
        } else if (!set) {
            *counter = (*counter + operand) % limits[i];
        }
    }
    if (set && field(w, 3, 3)) {
        m.fidelity[t] = 0;
    }
}

static void model_semaphores(uint32_t w)
{
    for (unsigned i = 0; i < 8; i++) {
        if (!(field(w, 2, 9) >> i & 1)) {
            continue;
        }
        switch (w >> 24) {
        case 0xa3:
            m.value[i] = field(w, 16, 19);
            m.max[i] = field(w, 20, 23);
            break;
        case 0xa4: m.value[i] += m.value[i] < 15; break;
        default: m.value[i] -= m.value[i] > 0; break;
        }
    }
}

static void model_step(unsigned t, uint32_t w)
{
    unsigned bank = m.thread_config[t][0] & 1, word = field(w, 0, 10), byte = (w >> 24) - 0xb3;
    switch (w >> 24) {
    case 0x37:
    case 0x38: model_rwc(t, w); break;
    case 0x45: ((uint16_t *)m.gpr[t])[field(w, 0, 6)] = (uint16_t)field(w, 8, 23); break;
    case 0x48: /* REG2FLOP to configuration */
        if (field(w, 22, 23)) {
            model_config(bank, 64 + field(w, 6, 12), m.gpr[t][field(w, 0, 5)], false);
        } else {
            memcpy(&m.config[bank][64 + field(w, 8, 12) * 4], &m.gpr[t][field(w, 2, 5) * 4], 16);
        }
        break;
    case 0x49:
    case 0x66: model_memory(t, w); break;
    case 0x50 ... 0x56:
    case 0x5e: model_adc(t, w); break;
    case 0x58 ... 0x5d: model_arithmetic(t, w); break;
    case 0xa3 ... 0xa5: model_semaphores(w); break;
    case 0xb0:
        if (field(w, 15, 15)) {
            for (unsigned i = 0; i < 4; i++) {
                model_config(bank, word / 4 * 4 + i, m.gpr[t][field(w, 18, 21) * 4 + i], false);
            }
        } else {
            model_config(bank, word, m.gpr[t][field(w, 16, 21)], false);
        }
        break;
    case 0xb1: m.gpr[t][field(w, 16, 21)] = m.config[bank][word]; break;
    case 0xb2: m.thread_config[t][field(w, 16, 23)] = (uint16_t)w; break;
    case 0xb3 ... 0xb6: {
        uint32_t mask = field(w, 16, 23) << 8 * byte, data = field(w, 8, 15) << 8 * byte;
        model_config(bank, field(w, 0, 7), (m.config[bank][field(w, 0, 7)] & ~mask) | (data & mask), true);
        break;
    }
    case 0xb8: model_cfgshiftmask(t, bank, w); break;
    default: break; /* DMANOP, FLUSHDMA */
    }
}

/* A random word of one of the instructions, its undefined modes left out. Addresses are set up by the caller. */
static uint32_t random_word(uint64_t *seed)
{
    static const uint8_t opcodes[] = {0x37, 0x38, 0x45, 0x45, 0x45, 0x46, 0x48, 0x50, 0x51, 0x52, 0x53, 0x54,
                                      0x55, 0x56, 0x58, 0x59, 0x5a, 0x5b, 0x5c, 0x5d, 0x5e, 0x60, 0xa3, 0xa4,
                                      0xa5, 0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb8, 0x49, 0x66};
    unsigned opcode = opcodes[xorshift64_word(seed) % sizeof opcodes];
    uint32_t w = opcode << 24 | (xorshift64_word(seed) & 0xffffff), random = xorshift64_word(seed);
    /* SRC_ACCESS_CFG, of the last four words, takes nothing but 0. */
    uint32_t config = random % (SRC_ACCESS_CFG_math_view_srca_as_one_bank_ADDR32 & ~3u), shift = random >> 8 & 1;
    switch (opcode) {
    case 0x37: return w & 0xff3fffcf; /* gives no bank back */
    case 0x38: return w & 0xff1fffc0;
    case 0x45: return w & ~0x80u;
    case 0x46: return w & 0xff00000f;
    case 0x48: return (w & 0xffc0003f) | random % 116 << 6;
    case 0x51:
    case 0x53:
    case 0x54:
    case 0x56: return w & 0xffefffcf;
    case 0x52:
    case 0x55: return w & 0xffefffc0;
    case 0x5e: return w & 0xffefffff;
    case 0x58 ... 0x5a: return w & 0xff83ffff;
    case 0x5b:
    case 0x5d: return (w & 0xff83ffff) | random % 3 << 18;
    case 0x5c: return (w & 0xff83ffff) | shift << 18;
    case 0x60: return 0x60000000;
    case 0xa3: return w & 0xffff03fc;
    case 0xa4:
    case 0xa5: return w & 0xff0003fc;
    case 0xb0: return (w & 0xff3f8000) | config;
    case 0xb1: return (w & 0xff3f0000) | config;
    case 0xb2: return (w & 0xff00ffff) | random % 68 << 16;
    case 0xb3 ... 0xb6:
    case 0xb8: return (w & 0xffffff00) | config;
    default: /* LOADIND, STOREIND to L1: base in one of the low registers, offset in one of the high */
        w = (w & ~0x20u) | 1u << 20;
        return opcode == 0x49 ? w & 0xffdfffff : w | 1 << 23;
    }
}

/* Gives an L1 access an address in the heap, in the two registers that its word names. */
static void aim(struct fixture *f, unsigned t, uint32_t w, uint64_t *seed)
{
    unsigned half = field(w, 14, 20), base = field(w, 0, 5);
    uint32_t address = HEAP + xorshift64_word(seed) % (HEAP_SIZE - 64);
    m.gpr[t][base] = address / 16;
    ((uint16_t *)m.gpr[t])[half] = (uint16_t)(address % 16);
    f->state.scalar.gpr[t][base] = m.gpr[t][base];
    f->state.scalar.gpr[t][half / 2] = m.gpr[t][half / 2];
}

static void assert_states_equal(const struct fixture *f)
{
    const struct tensix_state *s = &f->state;
    assert_memory_equal(s->scalar.gpr, m.gpr, sizeof m.gpr);
    assert_memory_equal(s->config.bank, m.config, sizeof m.config);
    assert_memory_equal(s->config.thread, m.thread_config, sizeof m.thread_config);
    assert_memory_equal(f->l1_bytes + HEAP, m.l1, sizeof m.l1);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(s->sync.semaphore[i].value, m.value[i]);
        assert_int_equal(s->sync.semaphore[i].max, m.max[i]);
    }
    for (unsigned t = 0; t < 3; t++) {
        const struct rwc *rwc = &s->addr.rwc[t];
        const uint32_t counters[] = {rwc->srca, rwc->srcb, rwc->dst, rwc->srca_cr, rwc->srcb_cr, rwc->dst_cr};
        assert_memory_equal(counters, m.rwc[t], sizeof m.rwc[t]);
        assert_memory_equal(counters + 3, m.rwc_cr[t], sizeof m.rwc_cr[t]);
        assert_int_equal(rwc->fidelity_phase, m.fidelity[t]);
        for (unsigned i = 0; i < 6; i++) {
            const struct adc_channel *c = &s->addr.adc[t][i / 2].channel[i % 2];
            const uint32_t adc[] = {c->x, c->y, c->z, c->w}, cr[] = {c->x_cr, c->y_cr, c->z_cr, c->w_cr};
            assert_memory_equal(adc, m.adc[t][i / 2][i % 2], sizeof adc);
            assert_memory_equal(cr, m.adc_cr[t][i / 2][i % 2], sizeof cr);
        }
    }
}

static void random_programs_on_three_threads_follow_the_model(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = 2026;
    for (unsigned program = 0; program < PROGRAMS; program++) {
        tensix_reset(&f->state);
        memset(&m, 0, sizeof m);
        memset(f->l1_bytes + HEAP, 0, HEAP_SIZE);
        for (unsigned i = 0; i < LENGTH; i++) {
            unsigned thread = xorshift64_word(&seed) % 3;
            uint32_t word = random_word(&seed);
            if (word >> 24 == TENSIX_OPCODE_LOADIND || word >> 24 == TENSIX_OPCODE_STOREIND) {
                aim(f, thread, word, &seed);
            }
            assert_int_equal(frontend_push(&f->tensix, thread, word, 4 * i, false), STEP_DONE);
            tensix_drain(&f->tensix);
            if (f->diagnostics.count) {
                fail_msg("0x%08x: %s", word, f->diagnostics.entries[0].text);
            }
            model_step(thread, word);
        }
        assert_states_equal(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(random_programs_on_three_threads_follow_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
