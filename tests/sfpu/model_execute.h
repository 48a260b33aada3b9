/* The model of the vector unit, second part: Dst, moves between lanes, configuration, and a function that executes any
   instruction. */
#ifndef BHEMU_TESTS_SFPU_MODEL_EXECUTE_H
#define BHEMU_TESTS_SFPU_MODEL_EXECUTE_H

#include "model.h"

/* --- Dst ------------------------------------------------------------------------------------------------------ */

enum model_mode {
    MODEL_SRCB,
    MODEL_FP16,
    MODEL_BF16,
    MODEL_FP32,
    MODEL_INT32,
    MODEL_INT8,
    MODEL_UINT16,
    MODEL_HI16,
    MODEL_INT16,
    MODEL_LO16,
    MODEL_INT32_ALL,
    MODEL_ZERO,
    MODEL_INT32_SM,
    MODEL_INT8_COMP,
    MODEL_LO16_ONLY,
    MODEL_HI16_ONLY
};

/* The row of 16 bits with the high halves of row `row` of 32 bits; the low ones are eight rows on. The ten bits of
   `row` give only 512 such rows. */
static inline uint32_t model_high_row(uint32_t row)
{
    return (row / 8 * 16 | (row & 0x200)) % MODEL_DST_ROWS + row % 8;
}

static inline uint32_t model_read_32(const struct model *m, uint32_t row, uint32_t column)
{
    return (uint32_t)m->dst[model_high_row(row)][column] << 16 | m->dst[model_high_row(row) + 8][column];
}

static inline void model_write_32(struct model *m, uint32_t row, uint32_t column, uint32_t datum)
{
    m->dst[model_high_row(row)][column] = (uint16_t)(datum >> 16);
    m->dst[model_high_row(row) + 8][column] = (uint16_t)datum;
}

/* Converts between the usual order (sign, exponent, mantissa) and Dst's (sign, mantissa, exponent), for BF16 and
   formats that begin with a BF16. */
static inline uint32_t model_shuffle(uint32_t datum)
{
    return (datum & 0x8000ffff) | (datum >> 16 & 0x7f) << 24 | (datum >> 23 & 0xff) << 16;
}

static inline uint32_t model_unshuffle(uint32_t stored)
{
    return (stored & 0x8000ffff) | (stored >> 24 & 0x7f) << 16 | (stored >> 16 & 0xff) << 23;
}

static inline uint32_t model_flush(uint32_t datum)
{
    return datum & 0x7f800000 ? datum : datum & 0x80000000;
}

static inline uint32_t model_load_fp16(uint32_t cell, bool with_infinity)
{
    uint32_t exponent = cell & 31, mantissa = cell >> 5 & 0x3ff;
    if (with_infinity && exponent == 31 && mantissa == 0x3ff) {
        return model_join(cell >> 15, 255, 0);
    }
    return model_join(cell >> 15, exponent ? exponent + 112 : 0, mantissa << 13);
}

static inline uint32_t model_loaded(const struct model *m, enum model_mode mode, uint32_t row, uint32_t column,
                                    uint32_t config, uint32_t old)
{
    uint32_t cell = m->dst[row][column], sign = (cell & 0x8000) << 16;
    switch (mode) {
    case MODEL_FP16: return model_load_fp16(cell, config & 1);
    case MODEL_BF16: return model_unshuffle(cell << 16);
    case MODEL_INT8: return sign | (cell >> 5 & 0xff);
    case MODEL_INT8_COMP: return sign | (cell >> 5 & 0x3ff);
    case MODEL_INT16: return sign | (cell & 0x7fff);
    case MODEL_UINT16:
    case MODEL_LO16: return cell;
    case MODEL_HI16: return cell << 16;
    case MODEL_LO16_ONLY: return (old & 0xffff0000) | cell;
    case MODEL_HI16_ONLY: return cell << 16 | (old & 0xffff);
    case MODEL_ZERO: return 0;
    default: return model_unshuffle(model_read_32(m, row, column));
    }
}

static inline uint32_t model_fp16_of(uint32_t datum)
{
    int exponent = (int)(datum >> 23 & 0xff) - 112;
    uint32_t mantissa = datum >> 13 & 0x3ff, sign = datum >> 31 << 15;
    return exponent <= 0 ? sign : exponent > 31 ? sign | 0x7fff : sign | mantissa << 5 | (uint32_t)exponent;
}

static inline void model_stored(struct model *m, enum model_mode mode, uint32_t row, uint32_t column, uint32_t datum)
{
    uint32_t sign = datum >> 31 << 15, cell = datum & 0xffff;
    switch (mode) {
    case MODEL_FP32: model_write_32(m, row, column, model_shuffle(model_flush(datum))); return;
    case MODEL_INT32:
    case MODEL_INT32_ALL:
    case MODEL_INT32_SM: model_write_32(m, row, column, model_shuffle(datum)); return;
    case MODEL_LO16: model_write_32(m, row, column, datum << 16 | datum >> 16); return;
    case MODEL_HI16: model_write_32(m, row, column, datum); return;
    case MODEL_FP16: cell = model_fp16_of(datum); break;
    case MODEL_BF16: cell = model_shuffle(model_flush(datum)) >> 16; break;
    case MODEL_INT8:
    case MODEL_INT8_COMP: cell = sign | (datum & 0x3ff) << 5 | 16; break;
    case MODEL_INT16: cell = sign | (datum & 0x7fff); break;
    case MODEL_HI16_ONLY: cell = datum >> 16; break;
    case MODEL_ZERO: cell = 0; break;
    default: break;
    }
    m->dst[row][column] = (uint16_t)cell;
}

static inline uint32_t model_address(const struct model *m, enum model_mode mode, uint32_t immediate)
{
    uint32_t dst = m->dst_counter + m->dst_base, stack = m->stack_pointer + m->stack_base;
    uint32_t moving = mode == MODEL_INT32_ALL ? stack + dst % 4 : dst + stack % 4;
    return (immediate + m->math_offset + moving) % MODEL_DST_ROWS;
}

static inline bool model_odd(const struct model *m, uint32_t address, unsigned lane, unsigned exchange)
{
    return model_bit(address, 1) || model_bit(m->config[lane % 8], exchange);
}

/* executing: the lanes in which the instruction does not become a template. */
static inline void model_load(struct model *m, struct args_SFPLOAD args, uint32_t executing)
{
    enum { BLOCKED = 5, EXCHANGE = 6, INDEX = 2, CAPTURE = 3 };
    enum model_mode mode = args.instr_mod0 ? args.instr_mod0 : m->srcb_mode;
    uint32_t vd = args.lreg_ind;
    if (!executing) {
        return;
    }
    if (mode == MODEL_INT32_ALL && m->stack_pointer) {
        m->stack_pointer = (m->stack_pointer - m->stack_increment) % MODEL_DST_ROWS;
    }
    uint32_t address = model_address(m, mode, args.dest_reg_addr);
    for (unsigned lane = 0; lane < MODEL_LANES && vd < 8; lane++) {
        uint32_t config = m->config[lane], row = address - address % 4 + lane / 8;
        uint32_t column = lane % 8 * 2 + model_odd(m, address, lane, EXCHANGE);
        if (model_bit(config, BLOCKED) || (mode != MODEL_INT32_ALL && !model_enabled(m, lane))) {
            continue;
        }
        m->lreg[vd][lane] = model_loaded(m, mode, row, column, config, m->lreg[vd][lane]);
        if (vd < 4 && model_bit(config, INDEX) && model_bit(config, CAPTURE)) {
            m->lreg[vd + 4][lane] = row * 16 + column;
        }
    }
}

static inline void model_store(struct model *m, struct args_SFPSTORE args, uint32_t executing)
{
    enum { BLOCKED = 4, EXCHANGE = 7 };
    enum model_mode mode = args.instr_mod0 ? args.instr_mod0 : m->srcb_mode;
    if (!executing) {
        return;
    }
    uint32_t address = model_address(m, mode, args.dest_reg_addr);
    for (unsigned lane = 0; lane < MODEL_LANES; lane++) {
        bool stores = model_bit(executing, lane) && !model_bit(m->config[lane], BLOCKED);
        if (stores && (mode == MODEL_INT32_ALL || model_enabled(m, lane))) {
            model_stored(m, mode, address - address % 4 + lane / 8,
                         lane % 8 * 2 + model_odd(m, address, lane, EXCHANGE), m->lreg[args.lreg_ind][lane]);
        }
    }
    if (mode == MODEL_INT32_ALL) {
        m->stack_pointer = (m->stack_pointer + m->stack_increment) % MODEL_DST_ROWS;
    }
}

/* --- Between lanes -------------------------------------------------------------------------------------------- */

static inline void model_transpose(struct model *m, unsigned base, uint32_t lanes)
{
    uint32_t old[4][MODEL_LANES];
    memcpy(old, m->lreg[base], sizeof old);
    for (unsigned lane = 0; lane < MODEL_LANES; lane++) {
        for (unsigned i = 0; i < 4; i++) {
            if (model_bit(lanes, lane)) {
                m->lreg[base + i][lane] = old[lane / 8][i * 8 + lane % 8];
            }
        }
    }
}

static inline void model_shift_2(struct model *m, struct args_SFPSHFT2 args, uint32_t lanes)
{
    uint32_t old[MODEL_LREGS][MODEL_LANES];
    memcpy(old, m->lreg, sizeof old);
    const uint32_t *c = old[args.lreg_src_c];
    uint32_t amount = model_sign_extend_12(args.imm12_math);
    for (unsigned lane = 0; lane < MODEL_LANES; lane++) {
        uint32_t right = c[lane / 8 * 8 + (lane + 7) % 8], below = lane < 24 ? old[0][lane + 8] : 0;
        uint32_t b = old[args.imm12_math & 15][lane];
        if (!model_bit(lanes, lane)) {
            continue;
        }
        if (args.instr_mod1 < 3) {
            for (unsigned i = 0; i < 3; i++) {
                m->lreg[i][lane] = old[i + 1][lane];
            }
        }
        switch (args.instr_mod1) {
        case 0: m->lreg[3][lane] = 0; break;
        case 1: m->lreg[3][lane] = below; break;
        case 2: m->lreg[3][lane] = right; break;
        case 3: model_write(m, args.lreg_dest, lane, right); break;
        case 4: model_write(m, args.lreg_dest, lane, lane % 8 ? right : 0); break;
        case 5: model_write(m, args.lreg_dest, lane, model_shift(b, (int32_t)c[lane], false)); break;
        default: model_write(m, args.lreg_dest, lane, model_shift(b, (int32_t)amount, false)); break;
        }
    }
}

/* --- Configuration -------------------------------------------------------------------------------------------- */

static inline uint32_t model_modified(uint32_t mod, uint32_t old, uint32_t value)
{
    switch (mod & 6) {
    case 2: return old | value;
    case 4: return old & value;
    case 6: return old ^ value;
    default: return value;
    }
}

static inline void model_configure_lane(struct model *m, struct args_SFPCONFIG args, unsigned lane, uint32_t from_lreg)
{
    static const uint32_t defaults[] = {0xbf800000, 0x37800000, 0xbf2cc4c7, 0xbeb08ff9};
    uint32_t target = args.config_dest, mod = args.instr_mod1, value = mod & 1 ? args.imm16_math : from_lreg;
    if (target < 4) {
        m->instruction_template[target][lane] = from_lreg;
    } else if (target < 8) {
        m->sequence[target - 4][lane] = value;
    } else if (target == 8) {
        m->misc[lane] = model_modified(mod, m->misc[lane], value) & 0xfff;
    } else if (target == 15) {
        uint32_t old = m->config[lane], result = model_modified(mod, old, value);
        m->config[lane] = (mod & 1 ? result | (old & 0x30000) : result) & 0x3ffff;
    } else if (target > 10) {
        m->lreg[target][lane] = mod & 1 ? defaults[target - 11] : from_lreg;
    }
}

/* All values come from the first eight lanes, before they change. */
static inline void model_configure(struct model *m, struct args_SFPCONFIG args)
{
    uint32_t from_lreg[8];
    memcpy(from_lreg, m->lreg[0], sizeof from_lreg);
    for (unsigned lane = 0; lane < MODEL_LANES; lane++) {
        unsigned first = lane % 8;
        bool chosen = !(args.instr_mod1 & 8) || model_bit(args.imm16_math, 2 * first);
        if (chosen && (!m->use_flag[first] || m->flag[first])) {
            model_configure_lane(m, args, lane, from_lreg[first]);
        }
    }
}

/* --- Any instruction ------------------------------------------------------------------------------------------ */

/* Executes an action for every lane of `lanes`. */
#define EACH_LANE(lanes, action)                                                                                       \
    for (unsigned lane = 0; lane < MODEL_LANES; lane++) {                                                              \
        if (model_bit(lanes, lane)) {                                                                                  \
            action;                                                                                                    \
        }                                                                                                              \
    }                                                                                                                  \
    break

/* Instructions that execute in enabled lanes, each lane by itself. */
static inline void model_execute_lanes(struct model *m, uint32_t word, uint32_t lanes)
{
    uint32_t mod = word & 15, vd = word >> 4 & 15;
    const uint32_t *b = m->lreg[mod & 1 ? word >> 12 & 15 : vd], *c = m->lreg[word >> 8 & 15], *d = m->lreg[vd];
    switch (word >> 24) {
    case TENSIX_OPCODE_SFPLOADI: EACH_LANE(lanes, model_load_immediate(m, decode_SFPLOADI(word), lane));
    case TENSIX_OPCODE_SFPLUT: EACH_LANE(lanes, model_lut(m, decode_SFPLUT(word), lane));
    case TENSIX_OPCODE_SFPMULI: EACH_LANE(lanes, model_multiply_immediate(m, decode_SFPMULI(word), lane));
    case TENSIX_OPCODE_SFPADDI: EACH_LANE(lanes, model_add_immediate(m, decode_SFPADDI(word), lane));
    case TENSIX_OPCODE_SFPEXEXP: EACH_LANE(lanes, model_extract_exponent(m, decode_SFPEXEXP(word), lane));
    case TENSIX_OPCODE_SFPEXMAN:
        EACH_LANE(lanes, model_write(m, vd, lane, (c[lane] & 0x7fffff) + (mod & 1 ? 0 : 0x800000)));
    case TENSIX_OPCODE_SFPIADD: EACH_LANE(lanes, model_add_integers(m, decode_SFPIADD(word), lane));
    case TENSIX_OPCODE_SFPSHFT: EACH_LANE(lanes, model_shift_bits(m, decode_SFPSHFT(word), lane));
    case TENSIX_OPCODE_SFPSETCC: EACH_LANE(lanes, model_set_flag(m, decode_SFPSETCC(word), lane));
    case TENSIX_OPCODE_SFPMOV: EACH_LANE(lanes, model_move(m, decode_SFPMOV(word), lane));
    case TENSIX_OPCODE_SFPABS: EACH_LANE(lanes, model_write(m, vd, lane, model_absolute(c[lane], mod & 1)));
    case TENSIX_OPCODE_SFPAND: EACH_LANE(lanes, model_write(m, vd, lane, b[lane] & c[lane]));
    case TENSIX_OPCODE_SFPOR: EACH_LANE(lanes, model_write(m, vd, lane, b[lane] | c[lane]));
    case TENSIX_OPCODE_SFPXOR: EACH_LANE(lanes, model_write(m, vd, lane, c[lane] ^ d[lane]));
    case TENSIX_OPCODE_SFPNOT: EACH_LANE(lanes, model_write(m, vd, lane, 0xffffffff - c[lane]));
    case TENSIX_OPCODE_SFPLZ: EACH_LANE(lanes, model_leading_zeros(m, decode_SFPLZ(word), lane));
    case TENSIX_OPCODE_SFPSETEXP:
    case TENSIX_OPCODE_SFPSETMAN:
    case TENSIX_OPCODE_SFPSETSGN:
    case TENSIX_OPCODE_SFPDIVP2: EACH_LANE(lanes, model_write(m, vd, lane, model_set_field(m, word, lane)));
    case TENSIX_OPCODE_SFPMAD:
    case TENSIX_OPCODE_SFPADD:
    case TENSIX_OPCODE_SFPMUL: EACH_LANE(lanes, model_mad(m, decode_SFPMAD(word), lane));
    case TENSIX_OPCODE_SFPMUL24: EACH_LANE(lanes, model_multiply_24(m, decode_SFPMUL24(word), lane));
    case TENSIX_OPCODE_SFPLUTFP32: EACH_LANE(lanes, model_lut_fp32(m, decode_SFPLUTFP32(word), lane));
    case TENSIX_OPCODE_SFPARECIP: EACH_LANE(lanes, model_approximate(m, decode_SFPARECIP(word), lane));
    case TENSIX_OPCODE_SFPCAST: EACH_LANE(lanes, model_write(m, vd, lane, model_cast(m, mod & 3, c[lane], lane)));
    case TENSIX_OPCODE_SFP_STOCH_RND: EACH_LANE(lanes, model_round(m, decode_SFP_STOCH_RND(word), lane));
    case TENSIX_OPCODE_SFPSWAP: EACH_LANE(lanes, model_swap(m, decode_SFPSWAP(word), lane));
    default: break;
    }
}

/* Instructions that also execute in lanes that are not enabled. */
static inline void model_execute_flags(struct model *m, uint32_t word, uint32_t lanes)
{
    uint32_t mod = word & 15;
    switch (word >> 24) {
    case TENSIX_OPCODE_SFPENCC: EACH_LANE(lanes, model_enable_flag(m, decode_SFPENCC(word), lane));
    case TENSIX_OPCODE_SFPCOMPC: EACH_LANE(lanes, model_complement(m, lane));
    case TENSIX_OPCODE_SFPPUSHC: EACH_LANE(lanes, model_push(m, mod, lane));
    case TENSIX_OPCODE_SFPPOPC: EACH_LANE(lanes, model_pop(m, mod, lane));
    case TENSIX_OPCODE_SFPGT:
    case TENSIX_OPCODE_SFPLE: EACH_LANE(lanes, model_compare(m, word, lane, model_enabled(m, lane)));
    default: break;
    }
}

static inline bool model_has_vd_above(uint32_t word)
{
    uint32_t opcode = word >> 24;
    return opcode <= TENSIX_OPCODE_SFPLUT; /* SFPLOAD, SFPLOADI, SFPSTORE, SFPLUT have VD in bits 23:20 */
}

static inline uint32_t model_vd(uint32_t word)
{
    return model_has_vd_above(word) ? word >> 20 & 15 : word >> 4 & 15;
}

/* The lanes in which `word` executes; in others it becomes a template of SFPLOADMACRO. */
static inline uint32_t model_executing(struct model *m, uint32_t word)
{
    enum { BACKDOOR_DISABLED = 1 };
    uint32_t vd = model_vd(word), lanes = 0xffffffff;
    if (vd >= 12) {
        for (unsigned lane = 0; lane < MODEL_LANES; lane++) {
            if (!model_bit(m->config[lane], BACKDOOR_DISABLED)) {
                m->instruction_template[vd - 12][lane] = word;
                lanes &= ~(1u << lane);
            }
        }
    }
    return lanes;
}

static inline void model_execute(struct model *m, uint32_t word)
{
    uint32_t opcode = word >> 24, enabled = 0;
    if (opcode == TENSIX_OPCODE_SFPCONFIG) {
        model_configure(m, decode_SFPCONFIG(word));
        return;
    }
    if (opcode == TENSIX_OPCODE_SFPNOP) {
        return;
    }
    uint32_t executing = model_executing(m, word);
    bool all = opcode == TENSIX_OPCODE_SFPMOV && (word & 15) == 2;
    for (unsigned lane = 0; lane < MODEL_LANES; lane++) {
        enabled |= (uint32_t)(all || model_enabled(m, lane)) << lane;
    }
    enabled &= executing;
    switch (opcode) {
    case TENSIX_OPCODE_SFPLOAD: model_load(m, decode_SFPLOAD(word), executing); return;
    case TENSIX_OPCODE_SFPSTORE: model_store(m, decode_SFPSTORE(word), executing); return;
    case TENSIX_OPCODE_SFPTRANSP:
        model_transpose(m, 0, enabled);
        model_transpose(m, 4, enabled);
        return;
    case TENSIX_OPCODE_SFPSHFT2: model_shift_2(m, decode_SFPSHFT2(word), enabled); return;
    default: break;
    }
    model_execute_flags(m, word, executing);
    model_execute_lanes(m, word, enabled);
}

#endif
