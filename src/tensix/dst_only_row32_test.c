/* Bit 11 of DBG_FEATURE_DISABLE, as ISA documentation Dst.md states it: Dst16b[r] is the high half of Dst32b[r]. So
   every instruction that uses 16-bit rows does with the bit, on high halves, what it does without it on plain rows.
   Here each runs both ways on the same random data. */
#include "tensix/num/formats.h"
#include "tensix/tensix_fixture.h"
#include "util/aligned.h"

enum { ROWS16 = DST_ROWS / 2, ROUNDS = 300, TILE = 0x10000, PACKED = 0x20000 };

#define SET_CONFIG(state, name, value)                                                                                 \
    ((state)->config.bank[0][name##_ADDR32] =                                                                          \
         bits_set((state)->config.bank[0][name##_ADDR32], name##_SHAMT, name##_WIDTH, value))
#define SET_THREAD_CONFIG(state, thread_, name, value)                                                                 \
    ((state)->config.thread[thread_][name##_ADDR32] =                                                                  \
         (uint16_t)bits_set((state)->config.thread[thread_][name##_ADDR32], name##_SHAMT, name##_WIDTH, value))

/* The two coprocessors: without the bit, and with it. */
struct pair {
    struct fixture *plain, *only_row32;
    uint64_t seed;
    uint16_t low[ROWS16][ROW_COLUMNS]; /* the low halves */
};

static int set_up(void **state)
{
    struct pair *pair = aligned_zeroed(sizeof *pair);
    pair->seed = UINT64_C(0x9e3779b97f4a7c15);
    void *fixture;
    if (fixture_setup(&fixture) != 0) {
        return -1;
    }
    pair->plain = fixture;
    if (fixture_setup(&fixture) != 0) {
        return -1;
    }
    pair->only_row32 = fixture;
    *state = pair;
    return 0;
}

static int tear_down(void **state)
{
    struct pair *pair = *state;
    void *plain = pair->plain, *only_row32 = pair->only_row32;
    fixture_teardown(&plain);
    fixture_teardown(&only_row32);
    free(pair);
    return 0;
}

/* An exponent near that of 1. */
static uint16_t random_cell(uint64_t *seed)
{
    uint32_t random = xorshift64_word(seed);
    return (uint16_t)((random & 0x807f) | (120 + (random >> 16) % 16) << 7);
}

static void fill_banks(struct pair *pair, struct tensix_state *state, enum data_format format)
{
    struct src_register_file *files[] = {&state->srca, &state->srcb};
    for (unsigned i = 0; i < 2; i++) {
        memset(files[i]->format, format, sizeof files[i]->format);
        for (unsigned place = 0; place < SRC_ROWS * ROW_COLUMNS; place++) {
            uint16_t cell = random_cell(&pair->seed);
            files[i]->rows[0][place / ROW_COLUMNS][place % ROW_COLUMNS] =
                format == FORMAT_FP16 ? (uint32_t)cell << 16 & ~UINT32_C(0x70000000) : (uint32_t)cell << 16;
        }
    }
}

/* Gives both the same random data, each in its own rows of Dst. */
static void begin(struct pair *pair, enum data_format format)
{
    struct tensix_state *plain = &pair->plain->state, *other = &pair->only_row32->state;
    tensix_reset(plain);
    for (unsigned row = 0; row < ROWS16; row++) {
        plain->dst.valid[row] = xorshift64_word(&pair->seed) % 8 != 0;
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            plain->dst.rows[row][column] = random_cell(&pair->seed);
            pair->low[row][column] = (uint16_t)xorshift64_word(&pair->seed);
        }
    }
    fill_banks(pair, plain, format);
    plain->srca.owner[0] = plain->srcb.owner[0] = SRC_MATRIX_UNIT;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        plain->vector.lreg[0][lane] = (uint32_t)random_cell(&pair->seed) << 16 | (lane << 5);
    }
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        plain->addr.rwc[thread].dst = (uint16_t)(xorshift64_word(&pair->seed) % 128);
        SET_THREAD_CONFIG(plain, thread, DEST_TARGET_REG_CFG_MATH_Offset, xorshift64_word(&pair->seed) % 128);
    }
    *other = *plain;
    other->dst.only_row32 = true;
    for (unsigned row = 0; row < ROWS16; row++) {
        uint32_t place = dst_row32(row);
        memcpy(other->dst.rows[place], plain->dst.rows[row], sizeof plain->dst.rows[row]);
        memcpy(other->dst.rows[place + DST_LOW_HALF], pair->low[row], sizeof pair->low[row]);
        other->dst.valid[place] = plain->dst.valid[row];
    }
}

static void expect_same(const struct pair *pair)
{
    const struct tensix_state *plain = &pair->plain->state, *other = &pair->only_row32->state;
    for (unsigned row = 0; row < ROWS16; row++) {
        uint32_t place = dst_row32(row);
        assert_int_equal(other->dst.valid[place], plain->dst.valid[row]);
        assert_memory_equal(other->dst.rows[place], plain->dst.rows[row], sizeof plain->dst.rows[row]);
        assert_memory_equal(other->dst.rows[place + DST_LOW_HALF], pair->low[row], sizeof pair->low[row]);
    }
    assert_memory_equal(&other->srca, &plain->srca, sizeof plain->srca);
    assert_memory_equal(&other->srcb, &plain->srcb, sizeof plain->srcb);
    assert_memory_equal(other->vector.lreg, plain->vector.lreg, sizeof plain->vector.lreg);
    assert_memory_equal(&other->addr, &plain->addr, sizeof plain->addr);
    assert_memory_equal(pair->only_row32->l1_bytes + PACKED, pair->plain->l1_bytes + PACKED, 4096);
    assert_int_equal(pair->plain->diagnostics.count, 0);
    assert_int_equal(pair->only_row32->diagnostics.count, 0);
}

#define BOTH(pair, thread, name, ...)                                                                                  \
    do {                                                                                                               \
        assert_int_equal(RUN((pair)->plain, thread, name, __VA_ARGS__), STEP_DONE);                                    \
        assert_int_equal(RUN((pair)->only_row32, thread, name, __VA_ARGS__), STEP_DONE);                               \
        expect_same(pair);                                                                                             \
    } while (0)

static const enum data_format formats[] = {FORMAT_BF16, FORMAT_FP16};

static void the_matrix_unit_computes_in_high_halves(void **state)
{
    struct pair *pair = *state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        begin(pair, formats[round % 2]);
        uint32_t dst = xorshift64_word(&pair->seed) % 128;
        switch (round / 2 % 6) {
        case 0: BOTH(pair, 1, MVMUL, .dst = dst); break;
        case 1: BOTH(pair, 1, ELWADD, .dst = dst, .dest_accum_en = 1); break;
        case 2: BOTH(pair, 1, ELWMUL, .dst = dst); break;
        case 3: BOTH(pair, 1, GMPOOL, .dst = dst, .instr_mod19 = 1); break;
        case 4: BOTH(pair, 1, GAPOOL, .dst = dst); break;
        default: BOTH(pair, 1, DOTPV, .dst = dst); break;
        }
    }
}

static void moves_go_to_and_come_from_high_halves(void **state)
{
    struct pair *pair = *state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        begin(pair, formats[round % 2]);
        struct vector_unit *vectors[] = {&pair->plain->state.vector, &pair->only_row32->state.vector};
        for (unsigned i = 0; i < 2 && round / 2 % 3 == 0; i++) {
            vectors[i]->lane_config[3] = 2 << 9; /* BLOCK_DEST_MOV: not whole rows */
            vector_configure(vectors[i]);
        }
        uint32_t dst = xorshift64_word(&pair->seed) % 128, mode = xorshift64_word(&pair->seed) % 6;
        BOTH(pair, 1, MOVA2D, .dst = dst, .instr_mod = mode & 2);
        BOTH(pair, 1, MOVB2D, .dst = dst + 64, .movb2d_instr_mod = mode);
        BOTH(pair, 1, MOVD2A, .dst = dst + 2, .instr_mod = mode & 2, .src = 8);
        BOTH(pair, 1, MOVD2B, .dst = dst + 66, .instr_mod = mode & 2, .src = 16);
    }
}

static void zeroacc_clears_high_halves(void **state)
{
    struct pair *pair = *state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        begin(pair, FORMAT_BF16);
        uint32_t where = xorshift64_word(&pair->seed) % 128;
        BOTH(pair, 1, ZEROACC, .clear_mode = 0, .where = where);
        BOTH(pair, 1, ZEROACC, .clear_mode = 1, .where = where % 32);
    }
}

static void the_vector_unit_loads_and_stores_high_halves(void **state)
{
    static const uint8_t modes[] = {1, 2, 5, 6, 8}; /* FP16, BF16, INT8, UINT16, INT16 */
    struct pair *pair = *state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        begin(pair, FORMAT_BF16);
        memset(pair->plain->state.dst.valid, 1, ROWS16);
        memset(pair->only_row32->state.dst.valid, 1, DST_ROWS);
        uint32_t dst = xorshift64_word(&pair->seed) % 128, mode = modes[round % 5];
        BOTH(pair, 1, SFPSTORE, .lreg_ind = 0, .instr_mod0 = mode, .dest_reg_addr = dst);
        BOTH(pair, 1, SFPLOAD, .lreg_ind = 1, .instr_mod0 = mode, .dest_reg_addr = dst + 2);
    }
}

/* `staged`: with ReLU, which the packer does not do in one pass. */
static void configure_packer(struct tensix_state *state, enum data_format out, bool staged)
{
    SET_CONFIG(state, ALU_FORMAT_SPEC_REG2_Dstacc, FORMAT_BF16);
    SET_CONFIG(state, THCON_SEC0_REG1_In_data_format, FORMAT_BF16);
    SET_CONFIG(state, THCON_SEC0_REG1_Out_data_format, out);
    SET_CONFIG(state, THCON_SEC0_REG1_Disable_zero_compress, 1);
    SET_CONFIG(state, THCON_SEC0_REG1_Exp_section_size, 4);
    SET_CONFIG(state, THCON_SEC0_REG1_L1_Dest_addr, 0x80000000u | (PACKED / 16 - 1));
    SET_CONFIG(state, PCK0_ADDR_CTRL_XY_REG_0_Ystride, 32);
    SET_CONFIG(state, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 16);
    SET_CONFIG(state, PCK_EDGE_OFFSET_SEC0_mask, 0xffff);
    SET_CONFIG(state, STACC_RELU_ApplyRelu, staged);
    state->addr.adc[2][ADC_PACKER].channel[1].x = ROW_COLUMNS - 1;
}

static void the_packer_reads_high_halves(void **state)
{
    struct pair *pair = *state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        begin(pair, FORMAT_BF16);
        struct tensix_state *states[] = {&pair->plain->state, &pair->only_row32->state};
        uint32_t row = xorshift64_word(&pair->seed) % 100 * 4;
        for (unsigned i = 0; i < 2; i++) {
            configure_packer(states[i], round & 1 ? FORMAT_BFP8 : FORMAT_BF16, round & 2);
            states[i]->addr.adc[2][ADC_PACKER].channel[0].y = (uint16_t)row;
        }
        memset(pair->plain->l1_bytes + PACKED, 0, 4096);
        memset(pair->only_row32->l1_bytes + PACKED, 0, 4096);
        BOTH(pair, 2, PACR, .Last = 1);
        if (!(round & 3) && pair->plain->state.dst.valid[row]) {
            assert_memory_equal(pair->plain->l1_bytes + PACKED, pair->plain->state.dst.rows[row], 32);
        }
    }
}

static void unpacker_0_writes_high_halves(void **state)
{
    struct pair *pair = *state;
    begin(pair, FORMAT_BF16);
    struct fixture *fixtures[] = {pair->plain, pair->only_row32};
    for (unsigned i = 0; i < 2; i++) {
        struct tensix_state *unpacking = &fixtures[i]->state;
        unpacking->config.bank[0][THCON_SEC0_REG0_TileDescriptor_ADDR32] = FORMAT_BF16 | 1 << 4 | 256u << 16;
        unpacking->config.bank[0][THCON_SEC0_REG0_TileDescriptor_ADDR32 + 1] = 1 | 4 << 16;
        SET_CONFIG(unpacking, THCON_SEC0_REG2_Out_data_format, FORMAT_BF16);
        SET_CONFIG(unpacking, THCON_SEC0_REG3_Base_address, TILE / 16);
        SET_CONFIG(unpacking, THCON_SEC0_REG2_Disable_zero_compress_cntx0, 1);
        SET_CONFIG(unpacking, THCON_SEC0_REG5_Dest_cntx0_address, 64 + 24 * ROW_COLUMNS);
        SET_CONFIG(unpacking, THCON_SEC0_REG5_Tile_x_dim_cntx0, 256);
        SET_CONFIG(unpacking, THCON_SEC0_REG2_Unpack_if_sel_cntx0, 1);
        unpacking->srca.owner[0] = SRC_UNPACKERS;
        unpacking->addr.adc[0][0].channel[1].x = 255;
        for (unsigned byte = 0; byte < 1024; byte++) {
            fixtures[i]->l1_bytes[TILE + byte] = (uint8_t)(byte * 37 + 1);
        }
    }
    BOTH(pair, 0, UNPACR, .OvrdThreadId = 1, .Last = 1);
    uint16_t datum;
    memcpy(&datum, pair->plain->l1_bytes + TILE + 16, sizeof datum);
    assert_int_equal(pair->plain->state.dst.rows[24][0], datum);
}

/* What the vendor's 32-bit transposes do with the bit set and Fp32_enabled clear: both halves go over SrcB, whatever
   bits they are, and come back. */
static void both_halves_of_32_bits_can_go_over_srcb(void **state)
{
    struct pair *pair = *state;
    struct fixture *f = pair->only_row32;
    begin(pair, FORMAT_BF16);
    SET_CONFIG(&f->state, ALU_ACC_CTRL_Zero_Flag_disabled_src, 1);
    f->state.addr.rwc[1].dst = 0;
    SET_THREAD_CONFIG(&f->state, 1, DEST_TARGET_REG_CFG_MATH_Offset, 0);
    uint16_t before[2][4][ROW_COLUMNS];
    for (unsigned i = 0; i < 4; i++) {
        f->state.dst.valid[dst_row32(20 + i)] = 1;
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            before[0][i][column] = f->state.dst.rows[dst_row32(20 + i)][column] =
                (uint16_t)xorshift64_word(&pair->seed);
            before[1][i][column] = pair->low[20 + i][column];
        }
    }
    for (unsigned low = 0; low < 2; low++) {
        assert_int_equal(RUN(f, 1, MOVD2B, .dest_32b_lo = low, .dst = 20, .src = 16, .instr_mod = 2), STEP_DONE);
        assert_int_equal(RUN(f, 1, MOVB2D, .dest_32b_lo = low, .dst = 40, .src = 16, .movb2d_instr_mod = 4), STEP_DONE);
    }
    for (unsigned i = 0; i < 4; i++) {
        assert_memory_equal(f->state.dst.rows[dst_row32(40 + i)], before[0][i], sizeof before[0][i]);
        assert_memory_equal(f->state.dst.rows[dst_row32(40 + i) + DST_LOW_HALF], before[1][i], sizeof before[1][i]);
    }
    assert_int_equal(f->diagnostics.count, 1);
    assert_int_equal(f->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

#define PAIR_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PAIR_TEST(the_matrix_unit_computes_in_high_halves),
        PAIR_TEST(moves_go_to_and_come_from_high_halves),
        PAIR_TEST(zeroacc_clears_high_halves),
        PAIR_TEST(the_vector_unit_loads_and_stores_high_halves),
        PAIR_TEST(the_packer_reads_high_halves),
        PAIR_TEST(unpacker_0_writes_high_halves),
        PAIR_TEST(both_halves_of_32_bits_can_go_over_srcb),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
