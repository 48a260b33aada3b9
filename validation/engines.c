#include "validation/engines.h"

enum { ALL_COUNTERS = 15, FACE = 256, WAIT_TRISC_CONFIG = 0x400 };

static const uint32_t instruction_buffer = 0xFFE40000, mop_config = 0xFFB80000;

struct setting {
    uint32_t offset, value;
};

static void write_settings(struct program *program, const struct setting *settings, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        store(program, CONFIG + settings[i].offset, settings[i].value);
    }
}

void wait_semaphore(struct program *program, unsigned semaphore, uint32_t until, uint32_t stalled)
{
    emit_tensix(program, TT_OP_SEMWAIT(stalled, 1u << semaphore, until));
}

void post_semaphore(struct program *program, unsigned semaphore)
{
    emit_tensix(program, TT_OP_SEMPOST(1u << semaphore));
}

void take_semaphore(struct program *program, unsigned semaphore)
{
    emit_tensix(program, TT_OP_SEMGET(1u << semaphore));
}

void set_unpacker_address(struct program *program, unsigned unpacker, uint32_t address)
{
    store(program, CONFIG + 0x130 + unpacker * 0xc0, (address >> 4) - 1);
    store(program, CONFIG + 0x134 + unpacker * 0xc0, (address >> 4) - 1);
}

/* Until the unpackers have taken the configuration before. */
static void await_unpacker_config(struct program *program)
{
    emit_li(program, T0, 0xFFE80020 + 4 * SEM_UNPACK_CONFIG);
    uint32_t again = program->count;
    emit_lw(program, T1, T0, 0);
    RVI(ANDI, T1, T1, 0xfe);
    uint32_t leave = emit_branch(program, RV32_OP_BEQ, T1, ZERO, 0);
    RVI(FENCE, ZERO, ZERO, 0xff);
    emit_jump(program, again);
    emit_bind(program, leave);
}

/* `direct`: to Dst. */
static void set_up(struct program *program, unsigned unpacker, uint32_t address, uint32_t format, bool direct,
                   uint32_t dst)
{
    uint32_t of = unpacker * 0xc0, pair = unpacker * 8, size = format == FORMAT_FP32 ? 4 : 2;
    const struct setting before[] = {
        {0x100 + of, format | 0x10 | (unpacker ? FACE << 16 : 0)},
        {0x104 + of, 1 | 4 << 16},
        {0x108 + of, 0},
        {0x10c + of, 0},
        {0x120 + of, 0x20 | format},
        {0x124 + of, direct ? 0x33 : 3},
        {0x128 + of, 0},
        {0x12c + of, 0},
    };
    const struct setting after[] = {
        {0xb0 + pair, 0},
        {0xb4 + pair, 0},
        {0xe0 + pair, size | 16 * size << 16},
        {0xe4 + pair, FACE * size},
        {unpacker ? 0xf0 : 0xc0, 0},
        {unpacker ? 0xf4 : 0xc4, 0},
        {unpacker ? 0xf8 : 0xc8, unpacker ? 0 : 0x100},
        {unpacker ? 0xfc : 0xd4, 0},
        {0x150 + of, dst | dst << 16},
        {0x158 + of, FACE | FACE << 16},
        {0x170 + of, 0},
        {0x174 + of, 0},
    };
    await_unpacker_config(program);
    emit_tensix(program, TT_OP_SETC16(0, 0));
    write_settings(program, before, sizeof before / sizeof *before);
    emit_tensix(program, TT_OP_RMWCIB2(0x40, 0, 71 + unpacker * 48));
    write_settings(program, after, sizeof after / sizeof *after);
    set_unpacker_address(program, unpacker, address);
    emit_tensix(program, TT_OP_SETC16(41, 0));
    if (!unpacker) {
        emit_tensix(program, TT_OP_SETC16(5, direct ? 0 : 4));
    }
}

void set_up_unpacker(struct program *program, unsigned unpacker, uint32_t address, uint32_t format)
{
    set_up(program, unpacker, address, format, false, unpacker ? 0 : 64);
}

void set_up_unpacker_to_dst(struct program *program, uint32_t address, uint32_t row)
{
    set_up(program, 0, address, FORMAT_FP32, true, 64 + row * 16);
}

void commit_unpackers(struct program *program, unsigned unpacker)
{
    emit_li(program, T0, CONFIG + 0x130 + unpacker * 0xc0);
    emit_lw(program, T1, T0, 0);
    store(program, 0xFFE80020 + 4 * SEM_UNPACK_CONFIG, 0);
}

uint32_t unpack_word(unsigned unpacker)
{
    return TT_OP_UNPACR(unpacker, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1);
}

void set_up_packer(struct program *program, uint32_t format)
{
    uint32_t size = format == FORMAT_FP32 ? 4 : 2;
    const struct setting settings[] = {
        {0x110, 0x40000},
        {0x118, 1 | format << 4 | format << 8},
        {0x48, 1},
        {0x30, 16 * size << 16},
        {0x34, FACE * size | 1024 * size << 16},
        {0x70, 0x1000},
        {0x60, 0xffff},
        {0x64, 0},
        {0x50, 0},
        {0x54, 0},
    };
    static const uint32_t steps[] = {0x0104, 0x2820, 0x1120};
    uint32_t nop = TT_OP_NOP;
    emit_tensix(program, TT_OP_RMWCIB2(0x80, 0, 71));
    emit_tensix(program, TT_OP_SETC16(0, 0));
    emit_tensix(program, TT_OP_RMWCIB3(0x1e, format << 1, 1));
    emit_tensix(program, TT_OP_RMWCIB0(7, 0, 1));
    emit_tensix(program, TT_OP_RMWCIB0(0xfc, 0, 2));
    emit_tensix(program, TT_OP_RMWCIB1(0xff, 0, 2));
    emit_tensix(program, TT_OP_RMWCIB2(0x3f, 0, 2));
    write_settings(program, settings, sizeof settings / sizeof *settings);
    store(program, 0xFFE00000 + 16 * 4, 1024 * size >> 4);
    store(program, 0xFFE00000 + 52 * 4, 0x40000);
    for (uint32_t i = 0; i < 3; i++) {
        emit_tensix(program, TT_OP_SETC16(37 + i, steps[i]));
    }
    emit_tensix(program, TT_OP_SETADCXY(4, 0, 0, 0, 0, 11));
    emit_tensix(program, TT_OP_SETADCZW(4, 0, 0, 0, 0, ALL_COUNTERS));
    write_mop(program, (const uint32_t[9]){4, 4, nop, nop, nop, TT_OP_PACR(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), nop,
                                           TT_OP_PACR(0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1),
                                           TT_OP_PACR(0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)});
    wait_for_coprocessor(program);
    emit_tensix(program, TT_OP_SETC16(37, 1)); /* the next row; the last one goes back */
    emit_tensix(program, TT_OP_SETC16(38, 0x20));
    emit_tensix(program, TT_OP_SETC16(39, 0));
    store(program, CONFIG + 0x70, 0x100);
}

void set_up_packed_rows(struct program *program, uint32_t rows)
{
    configure_mop(program, rows, TT_OP_PACR(0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0),
                  TT_OP_PACR(0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1));
}

/* SETDMAREG of half a GPR, made of a value in a register. */
static void push_setdmareg(struct program *program, unsigned half, unsigned value)
{
    RVI(SLLI, T2, value, 8);
    emit_li(program, T3, 0xffff00);
    RV(AND, T2, T2, T3);
    emit_li(program, T4, TT_OP_SETDMAREG(0, 0, 0, half));
    RV(OR, T2, T2, T4);
    emit_li(program, T0, 0xFFE40000);
    emit_sw(program, T2, T0, 0);
}

void set_packer_address(struct program *program, uint32_t address)
{
    uint32_t base = (address >> 4) - 1;
    emit_tensix(program, TT_OP_SETADC(4, 0, 3, 0));
    emit_li(program, T5, base);
    push_setdmareg(program, 24, T5);
    emit_li(program, T6, base);
    RVI(SRLI, T6, T6, 16);
    emit_li(program, T5, 0x8000);
    RV(OR, T5, T5, T6);
    push_setdmareg(program, 25, T5);
    emit_tensix(program, TT_OP_STALLWAIT(STALL_CFG, WAIT_THCON | WAIT_PACK0));
    emit_tensix(program, TT_OP_WRCFG(12, 0, 0x114 / 4));
    push_setdmareg(program, 25, T6);
    emit_tensix(program, TT_OP_DMANOP);
}

void write_mop_of(struct program *program, const uint32_t words[9], unsigned index, unsigned in_register)
{
    wait_for_mop_expander(program);
    for (unsigned i = 0; i < 9; i++) {
        if (i == index) {
            emit_li(program, T0, mop_config + 4 * i);
            emit_sw(program, in_register, T0, 0);
        } else {
            store(program, mop_config + 4 * i, words[i]);
        }
    }
}

void push_tail(struct program *program, uint32_t setadcxx)
{
    RVI(ADDI, WORD, TAIL, -1);
    RVI(SLLI, WORD, WORD, 10);
    emit_li(program, T1, setadcxx);
    RV(OR, WORD, WORD, T1);
    emit_li(program, T0, instruction_buffer);
    emit_sw(program, WORD, T0, 0);
}

static void load_parts(struct program *program, unsigned parts)
{
    uint32_t nop = TT_OP_NOP, replay = TT_OP_REPLAY(0, 2, 0, 0);
    write_mop_of(program, (const uint32_t[9]){0, 1, replay, nop, nop, nop, nop, nop, nop}, 0, parts);
    emit_tensix(program, TT_OP_MOP(1, 0, 0));
}

void load_to_dst(struct program *program, uint32_t address, uint32_t row, bool stochastic)
{
    set_up_unpacker_to_dst(program, address, row);
    commit_unpackers(program, 0);
    emit_tensix(program, TT_OP_RMWCIB0(7, stochastic ? 6 : 0, 1));
    record_replay(program,
                  (const uint32_t[]){TT_OP_UNPACR(0, 0x11, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1),
                                     TT_OP_STALLWAIT(STALL_UNPACK, WAIT_UNPACK0)},
                  2);
    emit_tensix(program, TT_OP_SETADCZW(3, 0, 0, 0, 0, ALL_COUNTERS));
    wait_semaphore(program, SEM_MATH_DONE, UNTIL_POSTED, STALL_UNPACK);
    take_semaphore(program, SEM_MATH_DONE);
    wait_semaphore(program, SEM_LOADED, UNTIL_ROOM, STALL_UNPACK);
    emit_tensix(program, TT_OP_STALLWAIT(STALL_UNPACK, WAIT_TRISC_CONFIG | WAIT_PACK0));
    RVI(SRLI, AMOUNT, AMOUNT, 2);
    RVI(SRLI, WHOLE, AMOUNT, 8);
    RVI(ANDI, TAIL, AMOUNT, 255);
    uint32_t no_whole = emit_branch(program, RV32_OP_BEQ, WHOLE, ZERO, 0);
    emit_tensix(program, TT_OP_SETADCXX(1, 255, 0));
    load_parts(program, WHOLE);
    uint32_t whole = emit_jump(program, 0);
    emit_bind(program, no_whole);
    emit_bind(program, whole);
    uint32_t no_tail = emit_branch(program, RV32_OP_BEQ, TAIL, ZERO, 0);
    push_tail(program, TT_OP_SETADCXX(1, 0, 0));
    emit_li(program, WHOLE, 1);
    load_parts(program, WHOLE);
    emit_bind(program, no_tail);
    emit_tensix(program, TT_OP_STALLWAIT(STALL_UNPACK, WAIT_THCON | WAIT_UNPACK0));
    take_semaphore(program, SEM_UNPACK_CONFIG);
    wait_for_coprocessor(program);
    emit_tensix(program, TT_OP_SETC16(5, 4));
    post_semaphore(program, SEM_LOADED);
}

/* Rows, the last of which ends the output or does not. */
static void write_row_mop(struct program *program, unsigned rows, bool ends)
{
    uint32_t nop = TT_OP_NOP, row = TT_OP_PACR(0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0);
    uint32_t last = ends ? TT_OP_PACR(0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1) : row;
    write_mop_of(program, (const uint32_t[9]){1, 0, nop, nop, nop, row, nop, last, nop}, 1, rows);
}

static void pack_rows(struct program *program)
{
    RVI(SRLI, WHOLE, AMOUNT, 4);
    RVI(ANDI, TAIL, AMOUNT, 15);
    uint32_t no_rows = emit_branch(program, RV32_OP_BEQ, WHOLE, ZERO, 0);
    uint32_t no_tail = emit_branch(program, RV32_OP_BEQ, TAIL, ZERO, 0);
    emit_tensix(program, TT_OP_SETADCXX(4, 15, 0));
    write_row_mop(program, WHOLE, false);
    uint32_t written = emit_jump(program, 0);
    emit_bind(program, no_tail);
    emit_tensix(program, TT_OP_SETADCXX(4, 15, 0));
    write_row_mop(program, WHOLE, true);
    emit_bind(program, written);
    emit_tensix(program, TT_OP_STALLWAIT(STALL_CFG, WAIT_PACK0));
    emit_tensix(program, TT_OP_MOP(1, 0, 0));
    emit_bind(program, no_rows);
    no_tail = emit_branch(program, RV32_OP_BEQ, TAIL, ZERO, 0);
    push_tail(program, TT_OP_SETADCXX(4, 0, 0));
    emit_li(program, WHOLE, 1);
    write_row_mop(program, WHOLE, true);
    emit_tensix(program, TT_OP_STALLWAIT(STALL_CFG, WAIT_PACK0));
    emit_tensix(program, TT_OP_MOP(1, 0, 0));
    emit_bind(program, no_tail);
}

void pack_from_dst(struct program *program, const struct packing *packing)
{
    wait_semaphore(program, SEM_MATH_PACK, UNTIL_POSTED, STALL_TDMA);
    set_up_packer(program, packing->format);
    if (packing->stochastic) {
        emit_tensix(program, TT_OP_RMWCIB0(7, 6, 1));
    }
    set_packer_address(program, packing->address);
    emit_tensix(program, TT_OP_SETADC(4, 0, 1, packing->row & 15));
    emit_tensix(program, TT_OP_SETADC(4, 0, 2, packing->row >> 4));
    emit_tensix(program, TT_OP_SETADC(4, 0, 3, packing->tile));
    store(program, CONFIG + 0x2d0, 0);
    pack_rows(program);
    drain(program, WAIT_PACK0);
    take_semaphore(program, SEM_MATH_PACK);
}

static void jump_to_cold_code(struct program *program)
{
    enum { LINE_WORDS = 16, LINES = 4 };
    uint32_t jump = emit_jump(program, 0);
    while (program->count % LINE_WORDS || program->count < jump + LINES * LINE_WORDS) {
        RVI(ADDI, ZERO, ZERO, 0);
    }
    emit_bind(program, jump);
}

void begin_together(struct program *program, bool first, uint32_t address)
{
    enum { BEGUN = 0x38000 };
    *program = (struct program){.address = address};
    emit_firmware_state(program, false);
    if (first) {
        emit_tensix(program, TT_OP_SEMINIT(1, 0, 1 << SEM_MATH_PACK | 1 << SEM_LOADED | 1 << SEM_MATH_DONE));
        emit_tensix(program, TT_OP_SEMINIT(2, 0, 1 << SEM_UNPACK_CONFIG));
        wait_for_coprocessor(program);
        store(program, BEGUN, 1);
    }
    emit_li(program, T0, BEGUN);
    uint32_t again = program->count;
    emit_lw(program, T1, T0, 0);
    emit_branch(program, RV32_OP_BEQ, T1, ZERO, again);
    jump_to_cold_code(program);
}
