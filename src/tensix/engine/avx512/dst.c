/* SFPLOAD, SFPSTORE and what moves the counter of Dst, in generated code. Where rows lie is computed from the counter
   as it was when the run began, which is kept in a register, and from what instructions have added since then, which
   is known. Of rows that are not valid zeros are loaded, and all that is stored to becomes valid, as in
   units/vector/dst.c.
 */
#include "tensix/units/vector/dst.h"
#include "jit/evex_words.h"
#include "tensix/engine/avx512/lowering.h"
#include "tensix/units/addr/rwc.h"

/* Bytes from the vector unit to another member of the state. */
#define FROM_VECTOR_UNIT(member)                                                                                       \
    ((int32_t)offsetof(struct tensix_state, member) - (int32_t)offsetof(struct tensix_state, vector))

/* In the host's registers: the counter as the run began plus its origin, the place of the rows at hand, 32 times that,
   as EVEX_INDEXED wants it. */
#define COUNTER WORD_R9D
#define PLACE WORD_EAX
#define PLACE_IN_BYTES WORD_ECX
enum { ROW_BYTES_LOG2 = 5, HALF_BYTES = 64, VALID_BYTES = 0xff, ALL_VALID = 0x01010101 };
_Static_assert(sizeof(uint16_t[ROW_COLUMNS]) == 1 << ROW_BYTES_LOG2, "rows are found by a shift");
_Static_assert(FROM_VECTOR_UNIT(dst.rows) % HALF_BYTES == 0, "rows are aligned to the host's vectors");

/* Cells on their way, one to a lane; of a datum of 32 bits those of both halves. */
enum { CELL = FIRST_RESULT, LOW_CELL };

/* For each format, how an operation of VECTOR_DST_OPERATIONS has it. */
static const struct dst_format {
    uint8_t load, load_shift;
    uint8_t store, store_low, store_shift;
    bool row32_load, row32_store;
} formats[] = {
#define LOAD(format, shift, expression)                                                                                \
    [MOD0_FMT_##format].load = WORDS_load_##format, [MOD0_FMT_##format].load_shift = (shift),
#define LOAD32(format, shift, expression) LOAD(format, shift, expression)[MOD0_FMT_##format].row32_load = true,
#define STORE(format, shift, cell)                                                                                     \
    [MOD0_FMT_##format].store = WORDS_store_##format, [MOD0_FMT_##format].store_shift = (shift),
#define STORE32(format, shift, high, low)                                                                              \
    STORE(format, shift, high)                                                                                         \
    [MOD0_FMT_##format].store_low = WORDS_store_low_##format, [MOD0_FMT_##format].row32_store = true,
    VECTOR_DST_LOADS(LOAD, LOAD32) VECTOR_DST_STORES(STORE, STORE32)
#undef LOAD
#undef LOAD32
#undef STORE
#undef STORE32
};

/* ---- guards ---- */

bool find_dst_guards(const struct tensix_state *state, unsigned thread, const struct vector_operation *operations,
                     uint32_t count, struct dst_guards *guards)
{
    *guards = (struct dst_guards){
        .thread = (uint8_t)thread,
        .only_row32 = state->dst.only_row32,
        .remainder = (state->addr.rwc[thread].dst + vector_dst_origin(state, thread)) % LANES_ROWS,
        .extra_addr_mod_bit = state->addr.rwc[thread].extra_addr_mod_bit,
        .srcb_format = (uint8_t)vector_dst_format(state, thread, MOD0_FMT_SRCB),
    };
    for (uint32_t i = 0; i < count; i++) {
        const struct vector_operation *operation = &operations[i];
        uint32_t step = 0;
        guards->any |= operation->effect >= EFFECT_LOAD && operation->effect <= EFFECT_COUNT;
        if (operation->effect == EFFECT_LOAD || operation->effect == EFFECT_STORE) {
            if (!rwc_partial_step(state->config.thread[thread], &state->addr.rwc[thread], operation->addr_mode,
                                  &step)) {
                return false;
            }
            guards->modes |= (uint8_t)(1u << operation->addr_mode);
            guards->steps[operation->addr_mode] = (uint16_t)step;
            guards->by_srcb_format |= operation->format == MOD0_FMT_SRCB;
            guards->lane_config |= operation->effect == EFFECT_LOAD ? DST_LOAD_LANE_CONFIG : DST_STORE_LANE_CONFIG;
        }
    }
    return !(state->vector.any_lane_config & guards->lane_config);
}

/* Whether address modes do what the guards say, and nothing else. */
static bool steps_hold(const struct tensix_state *state, const struct dst_guards *guards)
{
    const struct rwc *rwc = &state->addr.rwc[guards->thread];
    uint32_t differences = rwc->extra_addr_mod_bit ^ guards->extra_addr_mod_bit;
    for (uint32_t modes = guards->modes; modes; modes &= modes - 1) {
        unsigned mode = (unsigned)__builtin_ctz(modes);
        uint32_t step;
        differences |= !rwc_partial_step(state->config.thread[guards->thread], rwc, mode, &step);
        differences |= step ^ guards->steps[mode];
    }
    return differences == 0;
}

bool dst_guards_hold(const struct tensix_state *state, const struct dst_guards *guards, uint32_t *origin)
{
    *origin = vector_dst_origin(state, guards->thread);
    return state->dst.only_row32 == guards->only_row32 && !(state->vector.any_lane_config & guards->lane_config) &&
           steps_hold(state, guards) &&
           (!guards->by_srcb_format || vector_dst_format(state, guards->thread, MOD0_FMT_SRCB) == guards->srcb_format);
}

/* ---- where rows lie ---- */

static struct word_place counter_place(const struct lowering *t)
{
    size_t counter = t->guards->dst.thread * sizeof(struct rwc) + offsetof(struct rwc, dst);
    return (struct word_place){WORD_NO_INDEX, FROM_VECTOR_UNIT(addr.rwc) + (int32_t)counter};
}

static const struct word_place valid_flags = {PLACE, FROM_VECTOR_UNIT(dst.valid)};

void lower_first_dst(struct lowering *t)
{
    t->dst_step = 0;
    t->dst_remainder = t->guards->dst.remainder;
    if (t->guards->dst.any) {
        word_emit_load(&t->code, COUNTER, counter_place(t));
        word_emit(&t->code, WORD_ADD, COUNTER, WORD_EDX);
    }
}

void lower_last_dst(struct lowering *t)
{
    if (t->dst_step % DST_ROWS) {
        word_emit_load(&t->code, WORD_EAX, counter_place(t));
        word_emit_immediate(&t->code, WORD_ADD, WORD_EAX, t->dst_step);
        word_emit_immediate(&t->code, WORD_AND, WORD_EAX, RWC_DST_MASK);
        word_emit_store(&t->code, counter_place(t), WORD_EAX);
    }
}

bool lowered_dst_returns(const struct lowering *t, uint32_t times)
{
    return !t->guards->dst.any || t->dst_step * times % LANES_ROWS == 0;
}

void lower_dst_again(struct lowering *t)
{
    if (t->guards->dst.any) {
        word_emit_immediate(&t->code, WORD_ADD, COUNTER, t->dst_step);
    }
    t->dst_remainder = (t->dst_remainder + t->dst_step) % LANES_ROWS;
    t->dst_step = 0;
}

void lower_counting(struct lowering *t, const struct vector_operation *operation)
{
    t->dst_step += operation->immediate;
}

/* dst_place() of an instruction's rows. */
static void emit_place(struct lowering *t, const struct vector_operation *operation, bool row32)
{
    enum { DOUBLED = 0x1f8, KEPT = 0x207 }; /* bits of a row's number, as dst_row32() has them */
    word_emit_sum(&t->code, PLACE, COUNTER, operation->immediate + t->dst_step);
    word_emit_immediate(&t->code, WORD_AND, PLACE, DST_ROWS - LANES_ROWS);
    if (row32 || t->guards->dst.only_row32) {
        word_emit(&t->code, WORD_MOVE, WORD_ECX, PLACE);
        word_emit_immediate(&t->code, WORD_AND, WORD_ECX, DOUBLED);
        word_emit_immediate(&t->code, WORD_AND, PLACE, KEPT);
        word_emit(&t->code, WORD_ADD, WORD_ECX, WORD_ECX);
        word_emit(&t->code, WORD_OR, PLACE, WORD_ECX);
    }
    word_emit(&t->code, WORD_MOVE, PLACE_IN_BYTES, PLACE);
    word_emit_shift_left(&t->code, PLACE_IN_BYTES, ROW_BYTES_LOG2);
}

/* The rows of this half of the lanes; of a datum of 32 bits those of its high half, or of its low one. */
static struct evex_operand rows_of(const struct lowering *t, bool low)
{
    enum { LOW_BYTES = DST_LOW_HALF << ROW_BYTES_LOG2 };
    int32_t offset = FROM_VECTOR_UNIT(dst.rows) + t->half * HALF_BYTES + (low ? LOW_BYTES : 0);
    return (struct evex_operand){EVEX_INDEXED, (uint32_t)offset};
}

/* How far up in its pair of columns an instruction's cell lies. */
static uint8_t shift_of_column(const struct lowering *t, const struct vector_operation *operation)
{
    enum { ODD = 2 };
    bool odd = (t->dst_remainder + operation->immediate + t->dst_step) & ODD;
    return odd ? DST_ODD_SHIFT : DST_EVEN_SHIFT;
}

/* The format of an instruction, and what the address mode of one does afterwards. */
static const struct dst_format *format_of(const struct lowering *t, const struct vector_operation *operation)
{
    return &formats[operation->format == MOD0_FMT_SRCB ? t->guards->dst.srcb_format : operation->format];
}

static void step_on(struct lowering *t, const struct vector_operation *operation)
{
    t->dst_step += t->guards->dst.steps[operation->addr_mode];
}

/* ---- loads and stores ---- */

/* For instructions that zero what is not in a mask, if they have one. */
static uint8_t zeroing(uint8_t mask)
{
    return mask ? (uint8_t)(mask | EVEX_ZEROES) : 0;
}

static void emit_shift(struct lowering *t, uint8_t to, struct evex_operand from, uint8_t mask, int by)
{
    evex_emit(&t->code, &(struct evex_instruction){.operation = by < 0 ? EVEX_SHIFT_RIGHT : EVEX_SHIFT_LEFT,
                                                   .to = to,
                                                   .mask = zeroing(mask),
                                                   .count = (uint8_t)(by < 0 ? -by : by),
                                                   .y = from});
}

/* The cells of this half into register `to`, `shift` bits up, zero in those places that are not in MASK_TEMPORARY. */
static void emit_gathering(struct lowering *t, uint8_t to, bool low, uint8_t column, uint8_t shift)
{
    struct evex_operand rows = rows_of(t, low);
    if (column != shift) {
        emit_shift(t, to, rows, MASK_TEMPORARY, shift - column);
        return;
    }
    evex_emit(&t->code,
              &(struct evex_instruction){.operation = EVEX_MOVE, .to = to, .mask = zeroing(MASK_TEMPORARY), .y = rows});
    evex_emit(&t->code, &(struct evex_instruction){
                            .operation = EVEX_AND, .to = to, .x = to, .y = lowered_constant(t, 0xffffu << column)});
}

void lower_load(struct lowering *t, const struct vector_operation *operation, struct lane_mask lanes)
{
    const struct dst_format *format = format_of(t, operation);
    const struct vector_operation conversion = {.word_operation = format->load,
                                                .vd = operation->vd,
                                                .vb = format->row32_load ? IN_REGISTER + LOW_CELL : operation->vd,
                                                .vc = IN_REGISTER + CELL};
    uint8_t column = shift_of_column(t, operation);
    if (lanes.kind != MASK_NONE) {
        emit_place(t, operation, format->row32_load);
        word_emit_load_product(&t->code, PLACE, valid_flags, VALID_BYTES);
        for (t->half = 0; t->half < HALVES; t->half++) {
            word_emit_to_mask(&t->code, MASK_TEMPORARY, PLACE);
            word_emit_shift_right(&t->code, PLACE, SFPU_LANES / HALVES);
            emit_gathering(t, CELL, false, column, format->load_shift);
            if (format->row32_load) {
                emit_gathering(t, LOW_CELL, true, column, 0);
            }
            lower_half(t, &conversion, lanes);
        }
    }
    step_on(t, operation);
}

/* What is in register `cell`, `shift` bits up, into its columns of this half, in the lanes of k`mask`. */
static void emit_scattering(struct lowering *t, uint8_t cell, bool low, uint8_t column, uint8_t shift, uint8_t mask)
{
    enum { FIELD = FIRST_TEMPORARY };
    if (column != shift) {
        emit_shift(t, cell, (struct evex_operand){EVEX_REGISTER, cell}, 0, column - shift);
    }
    evex_emit(&t->code, &(struct evex_instruction){.operation = EVEX_MOVE,
                                                   .to = FIELD,
                                                   .mask = zeroing(mask),
                                                   .y = lowered_constant(t, 0xffffu << column)});
    evex_emit(&t->code,
              &(struct evex_instruction){
                  .operation = EVEX_TERNARY, .to = FIELD, .x = cell, .count = EVEX_TABLE_SELECT, .y = rows_of(t, low)});
    evex_emit_indexed_store(&t->code, FIELD, (int32_t)rows_of(t, low).number);
}

/* Rows with any of `lanes` become valid. */
static void emit_validation(struct lowering *t, struct lane_mask lanes)
{
    enum { ALL_BUT_HIGHEST = 0x7f7f7f7f, HIGHEST = 7 };
    if (lanes.kind == MASK_ALL) {
        word_emit_immediate_store(&t->code, valid_flags, ALL_VALID);
        return;
    }
    evex_emit_mask(&t->code, EVEX_MASK_JOIN, 0, mask_register(lanes, 1), mask_register(lanes, 0));
    word_emit_from_mask(&t->code, WORD_ESI, 0);
    word_emit(&t->code, WORD_MOVE, WORD_R8D, WORD_ESI);
    word_emit_immediate(&t->code, WORD_AND, WORD_ESI, ALL_BUT_HIGHEST);
    word_emit_immediate(&t->code, WORD_ADD, WORD_ESI, ALL_BUT_HIGHEST);
    word_emit(&t->code, WORD_OR, WORD_ESI, WORD_R8D);
    word_emit_shift_right(&t->code, WORD_ESI, HIGHEST);
    word_emit_immediate(&t->code, WORD_AND, WORD_ESI, ALL_VALID);
    word_emit_or_store(&t->code, valid_flags, WORD_ESI);
}

void lower_store(struct lowering *t, const struct vector_operation *operation, struct lane_mask lanes)
{
    const struct dst_format *format = format_of(t, operation);
    struct vector_operation high = {.word_operation = format->store, .vb = operation->vc, .vc = operation->vc},
                            low = high;
    uint8_t column = shift_of_column(t, operation);
    low.word_operation = format->store_low;
    if (lanes.kind != MASK_NONE) {
        emit_place(t, operation, format->row32_store);
        for (t->half = 0; t->half < HALVES; t->half++) {
            uint8_t mask = mask_register(lanes, t->half);
            lower_into(t, &high, CELL);
            emit_scattering(t, CELL, false, column, format->store_shift, mask);
            if (format->row32_store) {
                lower_into(t, &low, LOW_CELL);
                emit_scattering(t, LOW_CELL, true, column, 0, mask);
            }
        }
        emit_validation(t, lanes);
    }
    step_on(t, operation);
}
