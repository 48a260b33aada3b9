/* Random states of the coprocessor for tests of operands: the world that an instruction executes in, what it tells of
   its accesses to L1, sets of operands, and changes of all that is not in a set. */
#ifndef BHEMU_TENSIX_UNITS_OPERANDS_FIXTURE_H
#define BHEMU_TENSIX_UNITS_OPERANDS_FIXTURE_H

#include "tensix/units/operands.h"

#include "isa/tensix_config_names.h"
#include "isa/tensix_facts.h"
#include "isa/tensix_table.h"
#include "tensix/num/formats.h"
#include "tensix/tensix_fixture.h"

enum { THREAD = 1, L1_USED = 0x20000, GPR_LIMIT = 0x800 };

struct world {
    struct fixture *f;
    uint64_t seed;
    struct observed observed;
    uint32_t word;                                 /* the instruction that executes */
    uint8_t l1_read[L1_USED], l1_written[L1_USED]; /* 1: it has told so */
};

static uint32_t below(struct world *world, uint32_t limit)
{
    return xorshift64_word(&world->seed) % limit;
}

static bool one_in(struct world *world, uint32_t count)
{
    return below(world, count) == 0;
}

static uint32_t any_word(struct world *world)
{
    return xorshift64_word(&world->seed);
}

static void fill(struct world *world, void *bytes, size_t size)
{
    for (size_t i = 0; i + 4 <= size; i += 4) {
        uint32_t word = any_word(world);
        memcpy((char *)bytes + i, &word, 4);
    }
}

static enum step load_register(void *context, uint32_t address, uint32_t *value)
{
    (void)context;
    *value = address * 7;
    return STEP_DONE;
}

static enum step store_register(void *context, uint32_t address, uint32_t value)
{
    (void)context, (void)address, (void)value;
    return STEP_DONE;
}

/* ---- accesses to L1 ---- */

static enum bh_agent agent_of(uint32_t word)
{
    switch (tensix_by_opcode((uint8_t)(word >> 24))->unit) {
    case TENSIX_UNPACK: return BH_AGENT_UNPACKER;
    case TENSIX_PACK: return BH_AGENT_PACKER;
    case TENSIX_MOVER: return BH_AGENT_MOVER;
    default: return BH_AGENT_SCALAR;
    }
}

static void take_access(void *context, const struct bh_event *event)
{
    struct world *world = context;
    assert_int_equal(event->access.space, BH_SPACE_L1);
    assert_int_equal(event->agent, agent_of(world->word));
    if (event->agent == BH_AGENT_UNPACKER) {
        assert_int_equal(event->index, decode_UNPACR(world->word).Unpack_block_selection);
    }
    for (uint64_t i = event->access.address; i < event->access.address + event->access.size && i < L1_USED; i++) {
        (event->access.write ? world->l1_written : world->l1_read)[i] = 1;
    }
}

/* ---- sets of operands ---- */

/* One bit for each bit of configuration, and for each of all others. */
struct set {
    uint64_t gpr[TENSIX_THREADS];
    uint32_t config[CONFIG_BANKS][CONFIG_WORDS];
    uint16_t thread_config[TENSIX_THREADS][THD_STATE_SIZE];
    uint64_t dst[DST_ROWS / 64], src[2][SRC_BANKS];
    uint32_t lregs;
    bool flags, l1;
};

/* The same word of the other bank. */
static uint32_t other_bank(const struct set *set, unsigned word)
{
    return set->config[word < CONFIG_WORDS][word % CONFIG_WORDS];
}

static void put(struct set *set, const struct bh_operand *operand)
{
    for (unsigned i = operand->index; i < (unsigned)operand->index + operand->count; i++) {
        switch ((enum bh_operand_file)operand->file) {
        case BH_OPERAND_GPR: set->gpr[operand->part] |= UINT64_C(1) << i; break;
        case BH_OPERAND_CONFIG: set->config[operand->part][i] |= operand->mask; break;
        case BH_OPERAND_THREAD_CONFIG: set->thread_config[operand->part][i] |= (uint16_t)operand->mask; break;
        case BH_OPERAND_DST: set->dst[i / 64] |= UINT64_C(1) << i % 64; break;
        case BH_OPERAND_SRCA: set->src[0][operand->part] |= UINT64_C(1) << i; break;
        case BH_OPERAND_SRCB: set->src[1][operand->part] |= UINT64_C(1) << i; break;
        case BH_OPERAND_LREG: set->lregs |= 1u << i; break;
        case BH_OPERAND_LANE_FLAGS: set->flags = true; break;
        default: fail(); break;
        }
    }
}

static void sort(const struct operand_list *list, struct set *read, struct set *written)
{
    memset(read, 0, sizeof *read);
    memset(written, 0, sizeof *written);
    assert_in_range(list->count, 0, OPERANDS_AT_MOST - 1); /* there was room */
    for (uint32_t i = 0; i < list->count; i++) {
        put(list->of[i].write ? written : read, &list->of[i]);
    }
}

/* ---- random states ---- */

/* A global word, which has been changed in one bank, is the same in both. */
static void keep_global(struct config_unit *config, const uint32_t *changed)
{
    unsigned index = (unsigned)(changed - &config->bank[0][0]) % CONFIG_WORDS;
    if (index >= GLOBAL_CFGREG_BASE_ADDR32) {
        config->bank[0][index] = config->bank[1][index] = *changed;
    }
}

#define SET_THREAD(world, name, value)                                                                                 \
    ((world)->f->state.config.thread[THREAD][name##_ADDR32] = (uint16_t)bits_set(                                      \
         (world)->f->state.config.thread[THREAD][name##_ADDR32], name##_SHAMT, name##_WIDTH, value))
#define SET(world, name, value) set_field(world, name##_ADDR32, name##_SHAMT, name##_WIDTH, value)

static void set_field(struct world *world, unsigned word, unsigned shift, unsigned width, uint32_t value)
{
    for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
        uint32_t *at = &world->f->state.config.bank[bank][word];
        *at = bits_set(*at, shift, width, value);
    }
}

static void set_any_field(struct world *world, bool thread)
{
    size_t count;
    const struct tensix_config_field *fields = tensix_config_fields(thread, &count);
    const struct tensix_config_field *field = &fields[below(world, (uint32_t)count)];
    uint32_t value = one_in(world, 2) ? any_word(world) : below(world, 4);
    if (thread) {
        uint16_t *at = &world->f->state.config.thread[THREAD][field->address];
        *at = (uint16_t)bits_set(*at, field->shift, field->width, value);
    } else {
        uint32_t *at = &world->f->state.config.bank[below(world, 2)][field->address];
        *at = bits_set(*at, field->shift, field->width, value);
        keep_global(&world->f->state.config, at);
    }
}

/* Formats, addresses and sizes with which unpackers and packer work, for all their contexts. */
static void configure_unpackers(struct world *world)
{
    static const uint8_t formats[] = {FORMAT_BF16, FORMAT_BF16, FORMAT_FP32, FORMAT_TF32, FORMAT_BFP8,
                                      FORMAT_FP16, FORMAT_INT8, FORMAT_BFP4, FORMAT_FP8,  FORMAT_INT32};
    enum { SECTION = 48 };
    for (unsigned section = 0; section < 2; section++) {
        uint32_t in = formats[below(world, 10)], out = in == FORMAT_BFP8 || in == FORMAT_BFP4 ? FORMAT_BF16 : in;
        out = in == FORMAT_FP8 ? FORMAT_FP16 : in == FORMAT_FP32 && one_in(world, 2) ? FORMAT_TF32 : out;
        unsigned first = section * SECTION;
        const uint32_t descriptor[] = {in | (uint32_t)!one_in(world, 4) << 4 | (uint32_t)one_in(world, 4) << 5 |
                                           (uint32_t)one_in(world, 2) << 8 | 16u << 16,
                                       16 | (1 + below(world, 4)) << 16, one_in(world, 4) ? any_word(world) : 0,
                                       (uint32_t)one_in(world, 4) << 24};
        for (unsigned i = 0; i < COUNT_OF(descriptor); i++) {
            set_field(world, THCON_SEC0_REG0_TileDescriptor_ADDR32 + first + i, 0, 32, descriptor[i]);
        }
        set_field(world, THCON_SEC0_REG2_Out_data_format_ADDR32 + first, 0, 4, out);
        set_field(world, THCON_SEC0_REG2_Context_count_ADDR32 + first, THCON_SEC0_REG2_Context_count_SHAMT, 2,
                  below(world, 4));
        set_field(world, THCON_SEC0_REG2_Context_count_non_log2_ADDR32 + first,
                  THCON_SEC0_REG2_Context_count_non_log2_SHAMT, 4, below(world, 16)); /* and _en, above it */
        set_field(world, THCON_SEC0_REG2_Force_shared_exp_ADDR32 + first, THCON_SEC0_REG2_Force_shared_exp_SHAMT, 1,
                  one_in(world, 3));
        bool rows_apart = one_in(world, 4);
        set_field(world, THCON_SEC0_REG2_Tileize_mode_ADDR32 + first, THCON_SEC0_REG2_Tileize_mode_SHAMT, 1,
                  rows_apart);
        set_field(world, THCON_SEC0_REG2_Shift_amount_cntx0_ADDR32 + first, THCON_SEC0_REG2_Shift_amount_cntx0_SHAMT,
                  16, rows_apart ? any_word(world) & 0x133 : 0);
        set_field(world, THCON_SEC0_REG2_Haloize_mode_ADDR32 + first, THCON_SEC0_REG2_Haloize_mode_SHAMT, 1,
                  one_in(world, 4) && !section);
        set_field(world, THCON_SEC0_REG2_Upsample_rate_ADDR32 + first, THCON_SEC0_REG2_Upsample_rate_SHAMT, 2,
                  one_in(world, 6) ? below(world, 4) : 0);
        for (unsigned i = 0; i < 8; i++) {
            set_field(world, THCON_SEC0_REG3_Base_address_ADDR32 + first + i, 0, 32, 0x100 + below(world, 0x400));
        }
        for (unsigned i = 0; i < 4; i++) {
            set_field(world, THCON_SEC0_REG7_Offset_address_ADDR32 + first + i, 0, 16, below(world, 0x100));
            set_field(world, THCON_SEC0_REG7_Offset_address_ADDR32 + first + i, 16, 16,
                      in | out << 4 | in << 8 | out << 12);
        }
        set_field(world, THCON_SEC0_REG2_Disable_zero_compress_cntx0_ADDR32 + first, 0, 4, one_in(world, 8) ? 5 : 15);
        set_field(world, THCON_SEC0_REG2_Disable_zero_compress_cntx0_ADDR32 + first, 16, 4, 15);
        set_field(world, THCON_SEC0_REG2_Unpack_limit_address_ADDR32 + first, 0, 17,
                  one_in(world, 4) ? 0x400 : 0x1ffff);
        set_field(world, THCON_SEC0_REG2_Unpack_fifo_size_ADDR32 + first, 0, 17, one_in(world, 4) ? 0x100 : 0);
    }
    SET(world, THCON_SEC0_REG2_Unpack_If_Sel, one_in(world, 3));
    SET(world, THCON_SEC0_REG2_Unpack_if_sel_cntx0, one_in(world, 3));
    set_field(world, THCON_SEC0_REG5_Dest_cntx0_address_ADDR32, 0, 32, below(world, 64) * 16 * 0x10001);
    set_field(world, THCON_SEC0_REG5_Dest_cntx0_address_ADDR32 + 1, 0, 32, below(world, 64) * 16 * 0x10001);
    set_field(world, THCON_SEC0_REG5_Tile_x_dim_cntx0_ADDR32, 0, 32, 0x00100010);
    set_field(world, THCON_SEC0_REG5_Tile_x_dim_cntx0_ADDR32 + 1, 0, 32, 0x00100010);
    SET(world, UNP0_ADDR_CTRL_XY_REG_1_Ystride, 64);
    SET(world, UNP1_ADDR_CTRL_XY_REG_1_Ystride, 64);
    SET(world, UNP0_ADDR_BASE_REG_1_Base, below(world, 16) * 64);
}

static void configure_packer(struct world *world)
{
    static const struct {
        uint8_t from, to, read_32b;
    } ways[] = {{FORMAT_BF16, FORMAT_BF16, 0}, {FORMAT_BF16, FORMAT_BFP8, 0}, {FORMAT_FP32, FORMAT_FP32, 1},
                {FORMAT_FP16, FORMAT_FP16, 0}, {FORMAT_INT8, FORMAT_INT8, 1}, {FORMAT_INT32, FORMAT_INT32, 1},
                {FORMAT_BF16, FORMAT_BFP4, 1}, {FORMAT_TF32, FORMAT_BF16, 1}, {FORMAT_FP32, FORMAT_FP16, 1},
                {FORMAT_BFP8, FORMAT_BFP8, 0}};
    enum { SECTION = 48, REG8 = 28 };
    unsigned way = below(world, 10), from = ways[way].from, to = ways[way].to;
    unsigned stride = (from & 3) == 0 ? 4 : (from & 3) == 1 ? 2 : 1;
    SET(world, ALU_FORMAT_SPEC_REG2_Dstacc, from);
    SET(world, PCK_DEST_RD_CTRL_Read_32b_data, ways[way].read_32b);
    SET(world, PCK_DEST_RD_CTRL_Read_int8, one_in(world, 4));
    SET(world, PCK0_ADDR_CTRL_XY_REG_0_Ystride, 16 * stride);
    SET(world, PCK0_ADDR_CTRL_ZW_REG_0_Zstride, 256 * stride);
    SET(world, PCK0_ADDR_CTRL_XY_REG_1_Ystride, below(world, 4) * 16);
    for (unsigned i = 0; i < 4; i++) {
        unsigned first = (i & 2 ? SECTION : 0) + (i & 1 ? REG8 : 0);
        set_field(world, THCON_SEC0_REG1_L1_Dest_addr_ADDR32 + first, 0, 32, 0x800 + below(world, 0x400));
        set_field(world, THCON_SEC0_REG1_In_data_format_ADDR32 + first, THCON_SEC0_REG1_In_data_format_SHAMT, 4, from);
        set_field(world, THCON_SEC0_REG1_Out_data_format_ADDR32 + first, THCON_SEC0_REG1_Out_data_format_SHAMT, 4, to);
        set_field(world, THCON_SEC0_REG1_Disable_zero_compress_ADDR32 + first, 0, 1, !one_in(world, 4));
        set_field(world, THCON_SEC0_REG1_Exp_section_size_ADDR32 + first, 16, 16, below(world, 8));
        set_field(world, THCON_SEC0_REG1_Pack_L1_Acc_ADDR32 + first, THCON_SEC0_REG1_Pack_L1_Acc_SHAMT, 1,
                  one_in(world, 8));
        set_field(world, DEST_TARGET_REG_CFG_PACK_SEC0_Offset_ADDR32 + i, 0, 12, below(world, 1024));
        set_field(world, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane_ADDR32 + i, 8, 8, 16);
    }
    SET(world, INT_DESCALE_Enable, one_in(world, 2));
    SET(world, INT_DESCALE_Mode, one_in(world, 2));
    SET(world, STACC_RELU_ApplyRelu, one_in(world, 4) ? below(world, 4) : 0);
    SET(world, PCK_EDGE_OFFSET_SEC0_mask, one_in(world, 4) ? any_word(world) : 0xffff);
    SET(world, PCK_EDGE_TILE_ROW_SET_SELECT_select, one_in(world, 4) ? any_word(world) : 0);
    SET(world, PCK_EDGE_TILE_FACE_SET_SELECT_enable, one_in(world, 4));
}

/* The formats of SrcA, SrcB and Dst, which may come from several places each. */
static void configure_formats(struct world *world)
{
    static const uint8_t formats[] = {FORMAT_BF16, FORMAT_TF32, FORMAT_FP16, FORMAT_FP32};
    SET(world, ALU_FORMAT_SPEC_REG_SrcA_override, one_in(world, 2));
    SET(world, ALU_FORMAT_SPEC_REG_SrcB_override, one_in(world, 2));
    SET(world, ALU_FORMAT_SPEC_REG_SrcA_val, formats[below(world, 4)]);
    SET(world, ALU_FORMAT_SPEC_REG_SrcB_val, formats[below(world, 4)]);
    SET(world, ALU_FORMAT_SPEC_REG0_SrcA, formats[below(world, 4)]);
    SET(world, ALU_FORMAT_SPEC_REG1_SrcB, formats[below(world, 4)]);
    SET_THREAD(world, DISABLE_IMPLIED_SRCA_FMT_Base, one_in(world, 2));
    SET_THREAD(world, DISABLE_IMPLIED_SRCB_FMT_Base, one_in(world, 2));
    SET_THREAD(world, SFPU_DEST_FMT_Enable, one_in(world, 2));
    SET_THREAD(world, SFPU_DEST_FMT_Base, formats[below(world, 4)]);
    SET(world, ALU_ACC_CTRL_Fp32_enabled, one_in(world, 2));
    SET(world, ALU_ACC_CTRL_SFPU_Fp32_enabled, one_in(world, 2));
}

static void configure(struct world *world)
{
    struct config_unit *config = &world->f->state.config;
    configure_unpackers(world);
    configure_packer(world);
    configure_formats(world);
    SET(world, DEST_REGW_BASE_Base, one_in(world, 4) ? below(world, 1024) : 0);
    for (unsigned i = 0; i < 8; i++) {
        config->thread[THREAD][ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32 + i] = (uint16_t)any_word(world);
        config->thread[THREAD][ADDR_MOD_DST_SEC0_DestIncr_ADDR32 + i] = (uint16_t)any_word(world);
        config->thread[THREAD][ADDR_MOD_BIAS_SEC0_BiasIncr_ADDR32 + i] = (uint16_t)below(world, 32);
    }
    for (unsigned i = 0; i < 4; i++) {
        config->thread[THREAD][ADDR_MOD_PACK_SEC0_YsrcIncr_ADDR32 + i] = (uint16_t)any_word(world);
    }
    config->thread[THREAD][DEST_TARGET_REG_CFG_MATH_Offset_ADDR32] = (uint16_t)below(world, 1024);
    config->thread[THREAD][SRCA_SET_Base_ADDR32] = (uint16_t)below(world, 8);
    for (unsigned left = below(world, 24); left; left--) {
        set_any_field(world, one_in(world, 4));
    }
    config->thread[THREAD][CFG_STATE_ID_StateID_ADDR32] = (uint16_t)below(world, 2);
}

static void mix_banks(struct world *world, struct src_register_file *src)
{
    static const uint8_t formats[] = {FORMAT_BF16, FORMAT_TF32, FORMAT_FP16, FORMAT_INT8};
    for (unsigned i = 0; i < SRC_BANKS; i++) {
        src->owner[i] = (uint8_t)below(world, 2);
        src->format[i] = formats[below(world, 4)];
    }
    src->unpacker_bank = (uint8_t)below(world, 2);
    src->matrix_bank = (uint8_t)below(world, 2);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        src->unpacker_row[i] = (uint8_t)(below(world, 4) * 16);
    }
}

/* What instructions find besides operands: all that no event tells of. */
static void mix_others(struct world *world)
{
    struct tensix_state *state = &world->f->state;
    struct adc_channel *channels = state->addr.adc[0][0].channel;
    for (unsigned i = 0; i < sizeof state->addr.adc / sizeof *channels; i++) {
        channels[i] = (struct adc_channel){.x = i % 2 ? 15 : 0, .y = below(world, 8), .z = below(world, 4)};
        channels[i].x = one_in(world, 6) ? below(world, 16) : channels[i].x;
    }
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        state->addr.rwc[i] = (struct rwc){.srca = below(world, 64),
                                          .srcb = below(world, 64),
                                          .dst = below(world, 1024),
                                          .fidelity_phase = below(world, 4),
                                          .extra_addr_mod_bit = below(world, 2)};
        state->vector.dst_stack_pointer[i] = below(world, 4) * 256;
        state->unpack.context_counter[0][i] = (uint8_t)below(world, 8);
        state->unpack.context_counter[1][i] = (uint8_t)below(world, 2);
    }
    mix_banks(world, &state->srca);
    mix_banks(world, &state->srcb);
    state->dst.only_row32 = one_in(world, 8);
    state->matrix.last_srca_row = below(world, 8) * 8;
    state->pack.context = (uint8_t)below(world, 4);
    if (one_in(world, 2)) { /* within a tile */
        const uint32_t address = 0x10000 + below(world, 0x400) * 16;
        state->pack.tile.data = state->pack.tile.exponents =
            (struct pack_stream){.open = true, .address = address + below(world, 4) * 2};
        state->pack.tile.exponents.address += 0x4000;
    }
    if (one_in(world, 4)) {
        uint32_t bits =
            any_word(world) & any_word(world) & (LANE_CONFIG_BITS & ~(uint32_t)LANE_CONFIG_DISABLE_BACKDOOR_LOAD);
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            state->vector.lane_config[lane] = bits;
        }
        vector_configure(&state->vector);
    }
    fill(world, state->vector.prng, sizeof state->vector.prng);
    memset(state->sync.mutex_owner, MUTEX_FREE, sizeof state->sync.mutex_owner);
    fill(world, world->f->l1_bytes, L1_USED);
    if (one_in(world, 4)) { /* what atomics compare with */
        memset(world->f->l1_bytes, 0, L1_USED);
    }
}

/* Makes anything of the bytes of L1 that are not told as read. */
static void mix_l1(struct world *world)
{
    for (unsigned i = 0; i < L1_USED; i += sizeof(uint32_t)) {
        uint32_t word, read;
        memcpy(&word, world->f->l1_bytes + i, sizeof word);
        memcpy(&read, world->l1_read + i, sizeof read);
        word = (word & read * 255) | (any_word(world) & ~(read * 255));
        memcpy(world->f->l1_bytes + i, &word, sizeof word);
    }
}

/* Makes anything of all operands that are not in `kept`; null: of all, so that the state makes sense. */
static void mix(struct world *world, const struct set *kept, const struct set *only)
{
    static const struct set nothing;
    struct tensix_state *state = &world->f->state;
    const struct set *keep = kept ? kept : &nothing;
#define MAY(member, bit) (!(keep->member >> (bit)&1) && (!only || only->member >> (bit)&1))
    for (unsigned i = 0; i < TENSIX_THREADS * GPRS; i++) {
        if (MAY(gpr[i / GPRS], i % GPRS)) {
            state->scalar.gpr[i / GPRS][i % GPRS] = below(world, GPR_LIMIT);
        }
    }
    for (unsigned i = 0; i < DST_ROWS; i++) {
        if (MAY(dst[i / 64], i % 64)) {
            fill(world, state->dst.rows[i], sizeof state->dst.rows[i]);
            state->dst.valid[i] = !one_in(world, 8);
        }
    }
    for (unsigned i = 0; i < SRC_BANKS * SRC_ROWS; i++) {
        unsigned bank = i / SRC_ROWS, row = i % SRC_ROWS;
        if (MAY(src[0][bank], row)) {
            fill(world, state->srca.rows[bank][row], sizeof state->srca.rows[bank][row]);
        }
        if (MAY(src[1][bank], row)) {
            fill(world, state->srcb.rows[bank][row], sizeof state->srcb.rows[bank][row]);
        }
    }
    for (unsigned i = 0; i < SFPU_LREGS; i++) {
        enum { CONSTANTS = 1 << 8 | 1 << 9 | 1 << 10 | 1 << 15 }; /* that nothing can change */
        if (MAY(lregs, i) && !(CONSTANTS >> i & 1)) {
            fill(world, state->vector.lreg[i], sizeof state->vector.lreg[i]);
        }
    }
    if (!keep->flags && (!only || only->flags)) {
        state->vector.use_lane_flags = one_in(world, 2) ? UINT32_MAX : any_word(world);
        state->vector.lane_flags = any_word(world);
        memset(state->vector.stack, 0, sizeof state->vector.stack);
        state->vector.stack_depth = 1 + below(world, SFPU_STACK - 1);
        for (unsigned i = 0; i < state->vector.stack_depth; i++) {
            state->vector.stack[i].lane_flags = any_word(world);
            state->vector.stack[i].use_lane_flags = UINT32_MAX;
        }
    }
    if (!kept) {
        return;
    }
    if (!only || only->l1) {
        mix_l1(world);
    }
    for (unsigned i = 0; i < CONFIG_BANKS * CONFIG_WORDS; i++) {
        uint32_t *word = &state->config.bank[0][0] + i, all = only ? (&only->config[0][0])[i] : UINT32_MAX;
        uint32_t other = i % CONFIG_WORDS >= GLOBAL_CFGREG_BASE_ADDR32 ? other_bank(keep, i) : 0;
        uint32_t free = ~((&keep->config[0][0])[i] | other) & all;
        *word = (*word & ~free) | (any_word(world) & free);
        keep_global(&state->config, word);
    }
    for (unsigned i = 0; i < TENSIX_THREADS * THD_STATE_SIZE; i++) {
        uint16_t *word = &state->config.thread[0][0] + i,
                 all = only ? (&only->thread_config[0][0])[i] : (uint16_t)UINT16_MAX;
        uint16_t free = (uint16_t)(~(&keep->thread_config[0][0])[i] & all);
        *word = (uint16_t)((*word & ~free) | (any_word(world) & free));
    }
}

#endif
