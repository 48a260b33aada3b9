/* A second implementation of the vector unit, as simple as the ISA documentation's functional models: lane by lane,
   bit by bit, for tests to compare the emulator with. All instructions except SFPLOADMACRO, which has a model in
   src/tensix/units/vector/loadmacro/macro_random_test.c. Undefined instructions must not be passed to it. */
#ifndef BHEMU_TESTS_SFPU_MODEL_H
#define BHEMU_TESTS_SFPU_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "isa/tensix_isa.h"
#include "tensix/num/sfpu_approximate.h"
#include "tensix/num/sfpu_mad.h"

enum { MODEL_LANES = 32, MODEL_LREGS = 16, MODEL_STACK = 8, MODEL_DST_ROWS = 1024, MODEL_DST_COLUMNS = 16 };

struct model {
    uint32_t lreg[MODEL_LREGS][MODEL_LANES];
    bool use_flag[MODEL_LANES], flag[MODEL_LANES];
    struct model_entry {
        bool use_flag, flag;
    } stack[MODEL_STACK][MODEL_LANES];
    unsigned depth[MODEL_LANES];
    uint32_t config[MODEL_LANES], prng[MODEL_LANES];
    uint32_t instruction_template[4][MODEL_LANES], sequence[4][MODEL_LANES], misc[MODEL_LANES];
    uint16_t dst[MODEL_DST_ROWS][MODEL_DST_COLUMNS]; /* in hardware's order of bits */
    /* The configuration and counters that determine the addresses of SFPLOAD and SFPSTORE, and MOD0_FMT_SRCB's
       format. */
    uint32_t math_offset, dst_counter, dst_base, stack_pointer, stack_base, stack_increment;
    uint32_t srcb_mode; /* MOD0_FMT_FP16, _BF16 or _FP32 */
};

static inline bool model_bit(uint32_t word, unsigned bit)
{
    return word >> bit & 1;
}

static inline uint32_t model_sign_extend_12(uint32_t immediate)
{
    return immediate < 0x800 ? immediate : immediate - 0x1000;
}

static inline uint32_t model_advance_prng(struct model *m, unsigned lane)
{
    uint32_t state = m->prng[lane];
    bool even = __builtin_popcount(state & 0x80200003) % 2 == 0;
    m->prng[lane] = state / 2 + (even ? 0x80000000 : 0);
    return state;
}

static inline bool model_enabled(const struct model *m, unsigned lane)
{
    return !model_bit(m->config[lane % 8], 12 + lane / 8) && (!m->use_flag[lane] || m->flag[lane]);
}

static inline void model_write(struct model *m, uint32_t vd, unsigned lane, uint32_t value)
{
    if (vd < 8) {
        m->lreg[vd][lane] = value;
    }
}

/* VD of the multiply-add unit's instructions, some of which take it from LReg[7]. */
static inline void model_write_indirect(struct model *m, uint32_t mod, uint32_t vd, unsigned lane, uint32_t value)
{
    model_write(m, mod & 8 ? m->lreg[7][lane] & 15 : vd, lane, value);
}

static inline uint32_t model_negate_if(bool negate, uint32_t value)
{
    return negate ? value ^ 0x80000000 : value;
}

/* As sign-magnitude integers, or as floats in their total order. */
static inline bool model_smaller(uint32_t c, uint32_t d)
{
    bool c_negative = model_bit(c, 31), d_negative = model_bit(d, 31);
    if (c_negative != d_negative) {
        return c_negative;
    }
    return c_negative ? c > d : c < d;
}

/* --- Arithmetic ----------------------------------------------------------------------------------------------- */

static inline void model_mad(struct model *m, struct args_SFPMAD args, unsigned lane)
{
    uint32_t mod = args.instr_mod1, va = mod & 4 ? m->lreg[7][lane] & 15 : args.lreg_src_a;
    uint32_t b = model_negate_if(mod & 1, m->lreg[args.lreg_src_b][lane]);
    uint32_t c = model_negate_if(mod & 2, m->lreg[args.lreg_src_c][lane]);
    model_write_indirect(m, mod, args.lreg_dest, lane, sfpu_mad(m->lreg[va][lane], b, c));
}

static inline void model_add_immediate(struct model *m, struct args_SFPADDI args, unsigned lane)
{
    uint32_t c = model_negate_if(args.instr_mod1 & 2, m->lreg[args.lreg_dest][lane]);
    model_write_indirect(m, args.instr_mod1, args.lreg_dest, lane, sfpu_mad(args.imm16_math << 16, 0x3f800000, c));
}

static inline void model_multiply_immediate(struct model *m, struct args_SFPMULI args, unsigned lane)
{
    uint32_t c = model_negate_if(args.instr_mod1 & 2, m->lreg[args.lreg_dest][lane]);
    model_write_indirect(m, args.instr_mod1, args.lreg_dest, lane, sfpu_mad(args.imm16_math << 16, c, 0));
}

/* The adder's effect on an integer product when VC is not zero. */
static inline uint32_t model_shift_and_add(uint32_t product, uint32_t z)
{
    uint32_t exponent = z >> 23 & 0xff;
    if (exponent == 0) {
        return product;
    }
    uint32_t result_exponent = exponent > 129 ? exponent : 129;
    uint32_t mantissa = ((z & 0x7fffff) + 0x800000) * 8, amount = (result_exponent - exponent) % 32;
    product >>= (result_exponent - 129) % 32;
    if (mantissa >> amount) {
        uint32_t dropped = mantissa - (mantissa >> amount << amount);
        product = (product + (mantissa >> amount) + (dropped > 0xffff ? 0x10000 : 0)) & 0x7fffff;
    }
    return product;
}

static inline void model_multiply_24(struct model *m, struct args_SFPMUL24 args, unsigned lane)
{
    uint32_t mod = args.instr_mod1, va = mod & 4 ? m->lreg[7][lane] & 15 : args.lreg_src_a;
    uint64_t product = (uint64_t)(m->lreg[va][lane] & 0x7fffff) * (m->lreg[args.lreg_src_b][lane] & 0x7fffff);
    uint32_t part = (uint32_t)(mod & 1 ? product / 0x800000 : product % 0x800000);
    part = model_shift_and_add(part, m->lreg[args.lreg_src_c][lane]);
    model_write_indirect(m, mod, args.lreg_dest, lane, part);
}

static inline void model_add_integers(struct model *m, struct args_SFPIADD args, unsigned lane)
{
    uint32_t mod = args.instr_mod1, c = m->lreg[args.lreg_c][lane], d = m->lreg[args.lreg_dest][lane];
    uint32_t sum = mod & 1 ? c + model_sign_extend_12(args.imm12_math) : mod & 2 ? c - d : c + d;
    model_write(m, args.lreg_dest, lane, sum);
    if (args.lreg_dest < 8) {
        bool flag = mod & 4 ? m->flag[lane] : model_bit(sum, 31);
        m->flag[lane] = mod & 8 ? !flag : flag;
    }
}

static inline uint32_t model_lut8(uint32_t byte)
{
    byte &= 0xff;
    uint32_t exponent = 127 - (byte / 16) % 8;
    return byte == 0xff ? 0 : model_negate_if(byte & 0x80, exponent << 23 | byte % 16 << 19);
}

static inline uint32_t model_lut16(uint32_t half)
{
    uint32_t exponent = half >> 10 & 31;
    return model_negate_if(half & 0x8000, (exponent == 31 ? 0 : exponent + 112) << 23 | (half & 0x3ff) << 13);
}

static inline void model_lut(struct model *m, struct args_SFPLUT args, unsigned lane)
{
    uint32_t x = m->lreg[3][lane], magnitude = x & 0x7fffffff;
    unsigned i = magnitude < 0x3f800000 ? 0 : magnitude < 0x40000000 ? 1 : 2;
    uint32_t both = m->lreg[i][lane], d = sfpu_mad(model_lut8(both >> 8), magnitude, model_lut8(both));
    d = args.instr_mod0 & 4 ? (d & 0x7fffffff) | (x & 0x80000000) : d;
    model_write_indirect(m, args.instr_mod0, args.lreg_ind, lane, d);
}

static inline void model_lut_fp32(struct model *m, struct args_SFPLUTFP32 args, unsigned lane)
{
    enum { SIX_ENTRIES = 2, SECOND_TABLE = 3, THREE_ENTRIES = 10 };
    uint32_t mod = args.instr_mod1, x = m->lreg[3][lane], magnitude = x & 0x7fffffff;
    unsigned i = magnitude < 0x3f800000 ? 0 : magnitude < 0x40000000 ? 1 : 2;
    uint32_t a = m->lreg[i][lane], c = m->lreg[4 + i][lane];
    if ((mod & THREE_ENTRIES) == THREE_ENTRIES) {
        c = model_lut16(a);
        a = model_lut16(a >> 16);
    } else if (mod & SIX_ENTRIES) {
        static const uint32_t middles[] = {0x3f000000, 0x3fc00000, 0x40400000};
        uint32_t middle = i == 2 && (mod & SECOND_TABLE) == SECOND_TABLE ? 0x40800000 : middles[i];
        a = model_lut16(magnitude < middle ? a : a >> 16);
        c = model_lut16(magnitude < middle ? c : c >> 16);
    }
    uint32_t d = sfpu_mad(a, magnitude, c);
    d = mod & 4 ? (d & 0x7fffffff) | (x & 0x80000000) : d;
    model_write_indirect(m, mod, args.lreg_dest, lane, d);
}

static inline void model_approximate(struct model *m, struct args_SFPARECIP args, unsigned lane)
{
    uint32_t x = m->lreg[args.lreg_c][lane], sign = x & 0x80000000, magnitude = x - sign;
    if (args.instr_mod1 == 0) {
        x = sign + sfpu_approximate_reciprocal(magnitude);
    } else if (args.instr_mod1 > 1) {
        x = sign + sfpu_approximate_exponential(magnitude);
    } else if (model_bit(m->lreg[args.imm12_math][lane], 31)) {
        x = sfpu_approximate_reciprocal(magnitude);
    }
    model_write(m, args.lreg_dest, lane, x);
}

/* --- Fields and bits ------------------------------------------------------------------------------------------ */

/* Sign, exponent and mantissa joined. */
static inline uint32_t model_join(uint32_t sign, uint32_t exponent, uint32_t mantissa)
{
    return sign << 31 | exponent << 23 | mantissa;
}

static inline void model_extract_exponent(struct model *m, struct args_SFPEXEXP args, unsigned lane)
{
    uint32_t exponent = m->lreg[args.lreg_c][lane] >> 23 & 0xff;
    int32_t result = (int32_t)exponent - (args.instr_mod1 & 1 ? 0 : 127);
    model_write(m, args.lreg_dest, lane, (uint32_t)result);
    if (args.lreg_dest < 8) {
        bool flag = args.instr_mod1 & 2 ? result < 0 : m->flag[lane];
        m->flag[lane] = args.instr_mod1 & 8 ? !flag : flag;
    }
}

/* SFPSETEXP, SFPSETMAN, SFPSETSGN, SFPDIVP2. */
static inline uint32_t model_set_field(const struct model *m, uint32_t word, unsigned lane)
{
    uint32_t mod = word & 15, c = m->lreg[word >> 8 & 15][lane], b = m->lreg[word >> 4 & 15][lane];
    uint32_t immediate = word >> 12 & 0xfff, sign = c >> 31, exponent = c >> 23 & 0xff, mantissa = c & 0x7fffff;
    switch (word >> 24) {
    case TENSIX_OPCODE_SFPSETEXP: exponent = (mod & 1 ? immediate : mod & 2 ? b >> 23 : b) & 0xff; break;
    case TENSIX_OPCODE_SFPSETMAN: mantissa = mod & 1 ? immediate << 11 : b & 0x7fffff; break;
    case TENSIX_OPCODE_SFPSETSGN: sign = mod & 1 ? immediate & 1 : b >> 31; break;
    default:
        if (!(mod & 1)) {
            exponent = immediate & 0xff;
        } else if (exponent != 255) {
            exponent = (exponent + immediate) & 0xff;
        }
    }
    return model_join(sign, exponent, mantissa);
}

/* -infinity counts as a number (docs/discrepancies.md). */
static inline uint32_t model_absolute(uint32_t x, bool as_float)
{
    if (!model_bit(x, 31)) {
        return x;
    }
    return as_float ? x > 0xff800000 ? x : x - 0x80000000 : 0 - x;
}

static inline void model_leading_zeros(struct model *m, struct args_SFPLZ args, unsigned lane)
{
    uint32_t c = m->lreg[args.lreg_c][lane] & (args.instr_mod1 & 4 ? 0x7fffffff : 0xffffffff), zeros = 32;
    for (uint32_t rest = c; rest; rest /= 2) {
        zeros--;
    }
    model_write(m, args.lreg_dest, lane, zeros);
    if (args.lreg_dest < 8) {
        bool flag = args.instr_mod1 & 2 ? c != 0 : m->flag[lane];
        m->flag[lane] = args.instr_mod1 & 8 ? !flag : flag;
    }
}

static inline uint32_t model_shift(uint32_t x, int32_t amount, bool arithmetic)
{
    unsigned places = (unsigned)(amount < 0 ? 0 - (uint32_t)amount : (uint32_t)amount) % 32;
    if (amount >= 0) {
        return x << places;
    }
    uint32_t filling = arithmetic && model_bit(x, 31) && places ? ~0u << (32 - places) : 0;
    return x >> places | filling;
}

static inline void model_shift_bits(struct model *m, struct args_SFPSHFT args, unsigned lane)
{
    uint32_t mod = args.instr_mod1, c = m->lreg[args.lreg_c][lane], x = m->lreg[args.lreg_dest][lane];
    x = (mod & 5) == 5 ? c : x;
    int32_t amount = (int32_t)(mod & 1 ? model_sign_extend_12(args.imm12_math) : c);
    model_write(m, args.lreg_dest, lane, model_shift(x, amount, mod & 2));
}

/* --- Conversions ---------------------------------------------------------------------------------------------- */

static inline uint32_t model_cast(struct model *m, uint32_t mod, uint32_t c, unsigned lane)
{
    uint32_t sign = c & 0x80000000, magnitude = c & 0x7fffffff;
    if (mod >= 2) {
        uint32_t negated = sign ? 0 - c : c;
        return mod == 2 ? negated : sign | negated;
    }
    uint32_t random = mod == 1 ? model_advance_prng(m, lane) : 0;
    if (magnitude == 0) {
        return sign;
    }
    uint32_t exponent = 127 + 30, normal = magnitude;
    for (; !model_bit(normal, 30); normal *= 2) {
        exponent--;
    }
    /* Seven bits are lost; the first random bits are bits 10 to 16. */
    uint32_t lost = normal & 0x7f, float_bits = sign + model_join(0, exponent, normal >> 7 & 0x7fffff);
    bool up = mod == 1 ? lost > (random >> 10 & 0x7f) : lost > 0x40 || (lost == 0x40 && model_bit(normal, 7));
    return float_bits + up;
}

static inline uint32_t model_round_float(uint32_t x, unsigned lost_bits, uint32_t random)
{
    uint32_t exponent = x >> 23 & 0xff, lost = x & ((1u << lost_bits) - 1);
    if (exponent == 0) {
        return 0;
    }
    if (exponent == 255) {
        return x & 0xff800000;
    }
    return x - lost + (lost >= random >> (23 - lost_bits) ? 1u << lost_bits : 0);
}

/* value / 2^23, rounded by the 23 bits below its point. */
static inline uint32_t model_bounded_integer(uint64_t value, bool negative, uint32_t random, uint32_t limit)
{
    uint64_t magnitude = value / 0x800000 + (value % 0x800000 >= random);
    magnitude = magnitude > limit ? limit : magnitude;
    return (negative && magnitude ? 0x80000000 : 0) + (uint32_t)magnitude;
}

static inline uint32_t model_float_to_integer(uint32_t c, uint32_t random, bool is_signed, uint32_t limit)
{
    int exponent = (int)(c >> 23 & 0xff) - 127;
    uint64_t mantissa = (c & 0x7fffff) + 0x800000;
    bool negative = is_signed && model_bit(c, 31);
    if (exponent < -1) {
        return 0;
    }
    if (exponent >= 16) {
        return model_bounded_integer(UINT64_C(1) << 62, negative, random, limit);
    }
    return model_bounded_integer(exponent < 0 ? mantissa / 2 : mantissa << exponent, negative, random, limit);
}

static inline void model_round(struct model *m, struct args_SFP_STOCH_RND args, unsigned lane)
{
    enum { NEAREST = 0, ZERO = 2, IMMEDIATE = 8 };
    uint32_t random = model_advance_prng(m, lane) & 0x7fffff, c = m->lreg[args.lreg_src_c][lane], d;
    random = args.rnd_mode == NEAREST ? 0x400000 : args.rnd_mode == ZERO ? 0x7fffff : random;
    uint32_t shift = args.instr_mod1 & IMMEDIATE ? args.imm8_math : m->lreg[args.lreg_src_b][lane] & 31;
    uint64_t scaled = (uint64_t)(c & 0x7fffffff) * 0x800000 >> shift;
    switch (args.instr_mod1 & 7) {
    case 0: d = model_round_float(c, 13, random); break;
    case 1: d = model_round_float(c, 16, random); break;
    case 2: d = model_float_to_integer(c, random, false, 255); break;
    case 3: d = model_float_to_integer(c, random, true, 127); break;
    case 4: d = model_bounded_integer(scaled, false, random, 255); break;
    case 5: d = model_bounded_integer(scaled, model_bit(c, 31), random, 127); break;
    case 6: d = model_float_to_integer(c, random, false, 65535); break;
    default: d = model_float_to_integer(c, random, true, 32767); break;
    }
    model_write(m, args.lreg_dest, lane, d);
}

/* --- Moves ---------------------------------------------------------------------------------------------------- */

static inline uint32_t model_special(struct model *m, uint32_t vc, unsigned lane)
{
    if (vc < 8) {
        return vc < 4 ? m->instruction_template[vc][lane] : m->sequence[vc - 4][lane];
    }
    return vc == 8 ? m->misc[lane] : vc == 9 ? model_advance_prng(m, lane) : vc == 15 ? m->config[lane] : 0;
}

static inline void model_move(struct model *m, struct args_SFPMOV args, unsigned lane)
{
    uint32_t x = args.instr_mod1 & 8 ? model_special(m, args.lreg_c, lane)
                                     : model_negate_if(args.instr_mod1 & 1, m->lreg[args.lreg_c][lane]);
    model_write(m, args.lreg_dest, lane, x);
}

static inline void model_load_immediate(struct model *m, struct args_SFPLOADI args, unsigned lane)
{
    uint32_t x = args.imm16, old = m->lreg[args.lreg_ind][lane];
    switch (args.instr_mod0) {
    case 0: x <<= 16; break;
    case 1: x = model_join(x >> 15, (x >> 10 & 31) + 112, (x & 0x3ff) << 13); break;
    case 4: x = x < 0x8000 ? x : x - 0x10000; break;
    case 8: x = x << 16 | (old & 0xffff); break;
    case 10: x = (old & 0xffff0000) | x; break;
    default: break;
    }
    model_write(m, args.lreg_ind, lane, x);
}

/* The rows of eight lanes in which VD gets the minimum, by SFPSWAP's Mod1; bit i for row i. */
static inline bool model_gets_minimum(uint32_t mod, unsigned lane)
{
    static const uint8_t rows[16] = {0, 15, 3, 5, 9, 1, 2, 4, 8};
    return model_bit(rows[mod], lane / 8);
}

static inline void model_exchange(uint32_t *c, uint32_t *d, unsigned lane, bool write_c, bool write_d)
{
    uint32_t old_c = c[lane], old_d = d[lane];
    if (write_c) {
        c[lane] = old_d;
    }
    if (write_d) {
        d[lane] = old_c;
    }
}

static inline void model_swap(struct model *m, struct args_SFPSWAP args, unsigned lane)
{
    uint32_t vc = args.lreg_src_c, vd = args.lreg_dest;
    if (args.instr_mod1) {
        bool c_smaller = model_smaller(m->lreg[vc][lane], m->lreg[vd][lane]);
        bool wanted = model_gets_minimum(args.instr_mod1, lane) == c_smaller;
        if (wanted == model_bit(m->config[lane], 8)) {
            return;
        }
    }
    unsigned writable = model_bit(m->config[lane], 2) ? 4 : 8;
    model_exchange(m->lreg[vc], m->lreg[vd], lane, vc < writable, vd < writable);
    if (writable == 4) {
        model_exchange(m->lreg[4 + vc % 4], m->lreg[4 + vd % 4], lane, true, true);
    }
}

/* --- Flags ---------------------------------------------------------------------------------------------------- */

static inline void model_set_flag(struct model *m, struct args_SFPSETCC args, unsigned lane)
{
    uint32_t c = m->lreg[args.lreg_c][lane], mod = args.instr_mod1;
    bool flag = mod & 2 ? c != 0 : model_bit(c, 31);
    flag = mod & 4 ? !flag : flag;
    flag = mod & 1 ? args.imm12_math != 0 : flag;
    m->flag[lane] = m->use_flag[lane] && !(mod & 8) && flag;
}

/* SFPENCC, in lanes that are not enabled too. */
static inline void model_enable_flag(struct model *m, struct args_SFPENCC args, unsigned lane)
{
    if (args.instr_mod1 & 2) {
        m->use_flag[lane] = args.imm12_math & 1;
    } else if (args.instr_mod1 & 1) {
        m->use_flag[lane] = !m->use_flag[lane];
    }
    m->flag[lane] = args.instr_mod1 & 8 ? args.imm12_math & 2 : true;
}

/* The truth tables of Mod1 = 1 to 12, bit 2 a + b. */
static inline bool model_combine(uint32_t mod, bool a, bool b)
{
    static const uint8_t tables[] = {0, 10, 5, 8, 14, 4, 13, 2, 11, 1, 7, 6, 9};
    return model_bit(tables[mod], 2 * a + b);
}

/* The top entry of the lane's stack; null: it is empty. */
static inline struct model_entry *model_top(struct model *m, unsigned lane)
{
    return m->depth[lane] ? &m->stack[m->depth[lane] - 1][lane] : NULL;
}

static inline void model_push(struct model *m, uint32_t mod, unsigned lane)
{
    m->depth[lane] += mod == 0;
    if (mod == 13) {
        m->flag[lane] = !m->flag[lane];
    }
    struct model_entry *top = model_top(m, lane);
    top->use_flag = mod >= 14 || m->use_flag[lane];
    top->flag = mod == 0 || mod == 13 ? m->flag[lane]
                : mod >= 14           ? mod == 14
                                      : model_combine(mod, top->flag, m->flag[lane]);
}

static inline void model_pop(struct model *m, uint32_t mod, unsigned lane)
{
    const struct model_entry *entry = model_top(m, lane);
    struct model_entry top = entry ? *entry : (struct model_entry){0};
    if (mod != 13) {
        m->use_flag[lane] = mod >= 14 || top.use_flag;
    }
    m->flag[lane] = mod == 0    ? top.flag
                    : mod < 13  ? model_combine(mod, m->flag[lane], top.flag)
                    : mod == 13 ? !m->flag[lane]
                                : mod == 14;
    m->depth[lane] -= mod == 0 && entry;
}

static inline void model_complement(struct model *m, unsigned lane)
{
    const struct model_entry *entry = model_top(m, lane);
    struct model_entry top = entry ? *entry : (struct model_entry){.use_flag = true, .flag = true};
    m->flag[lane] = top.use_flag && m->use_flag[lane] && top.flag && !m->flag[lane];
}

/* SFPGT, and SFPLE as its opposite: in lanes that are not enabled they still change the stack. */
static inline void model_compare(struct model *m, uint32_t word, unsigned lane, bool enabled)
{
    uint32_t mod = word & 15, vd = word >> 4 & 15, vc = word >> 8 & 15;
    bool outcome = model_smaller(m->lreg[vc][lane], m->lreg[vd][lane]) == (word >> 24 == TENSIX_OPCODE_SFPGT);
    if (enabled && mod & 8) {
        model_write(m, vd, lane, outcome ? ~0u : 0);
    }
    if (enabled && mod & 1) {
        m->flag[lane] = outcome;
    }
    struct model_entry *top = model_top(m, lane);
    if (mod & 2 && top) {
        top->flag = mod & 4 ? top->flag || outcome : top->flag && outcome;
    }
}

#endif
