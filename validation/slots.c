/* Two blocks of Dst in turn, each with operands of its own in SrcA and SrcB, 64 times over: the measured interval
   begins when Dst has been loaded, not when SrcA and SrcB have. */
#include <string.h>

#include "validation/engines.h"
#include "validation/validation.h"

enum { LOADER_CODE = 0x8000, MATH_CODE = 0x18000, BEGUN = 0x38000 };
enum { INPUT = 0x40000, INPUT_A = INPUT + 4096, INPUT_B = INPUT_A + 2048, REPEATS = 64, ALL_COUNTERS = 15 };
enum { NEXT = 0, BACK = 1, BACK_AND_CLEAR = 2, FIDELITY_INCR = 1 << 13, FIDELITY_CLEAR = 1 << 15 }; /* address modes */
enum { WAIT_SRCA_CLEAR = 0x20, WAIT_SRCB_CLEAR = 0x40, WAIT_SRCA_VALID = 0x80 };

static struct program programs[2];

static struct program *begin(unsigned i, uint32_t address)
{
    programs[i] = (struct program){.address = address};
    emit_firmware_state(&programs[i], false);
    return &programs[i];
}

/* A tile to Dst, then all of SrcA and SrcB. The wait for the Matrix Unit is not the core's. */
static void load(void)
{
    struct program *program = begin(0, LOADER_CODE);
    uint32_t nop = TT_OP_NOP, other = unpack_word(1);
    emit_tensix(program, TT_OP_SEMINIT(1, 0, 1 << SEM_MATH_PACK | 1 << SEM_LOADED | 1 << SEM_MATH_DONE));
    emit_tensix(program, TT_OP_SEMINIT(2, 0, 1 << SEM_UNPACK_CONFIG));
    wait_for_coprocessor(program);
    store(program, BEGUN, 1);
    emit_li(program, AMOUNT, 4096);
    load_to_dst(program, INPUT, 0, false);
    set_up_unpacker(program, 0, INPUT_A, FORMAT_BF16);
    set_up_unpacker(program, 1, INPUT_B, FORMAT_BF16);
    commit_unpackers(program, 0);
    EMIT(program, TT_OP_SETADCXX(1, 255, 0), TT_OP_SETADCXX(2, 255, 0), TT_OP_SETADCZW(3, 0, 0, 0, 0, ALL_COUNTERS),
         TT_OP_SETADCXX(3, 1023, 0), TT_OP_STALLWAIT(STALL_UNPACK, WAIT_SRCA_CLEAR | WAIT_SRCB_CLEAR));
    write_mop(program, (const uint32_t[9]){1, 1, unpack_word(0), nop, nop, other, nop, other, other});
    EMIT(program, TT_OP_MOP(1, 0, 0), TT_OP_STALLWAIT(STALL_UNPACK, WAIT_UNPACK0 | WAIT_UNPACK1));
    take_semaphore(program, SEM_UNPACK_CONFIG);
    wait_for_coprocessor(program);
}

/* What alternates: `word` for the first address mode and block; rows of SrcA from one operand to the other. */
struct operation {
    const char *name;
    uint32_t word, mode_at, rows;
    bool twice; /* for two fidelity phases */
};

static void operate(const struct operation *operation)
{
    uint32_t round[4], count = operation->twice ? 4 : 2, block = 8, replay = TT_OP_REPLAY(0, count, 0, 0);
    uint32_t rows = operation->rows, step = rows | 8 << 8, back = (64 - rows) | 56 << 8;
    const uint32_t modes[][2] = {{step, 0}, {back, FIDELITY_INCR}, {back, FIDELITY_CLEAR}};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t mode = i % 2 == 0 ? NEXT : i + 1 == count ? BACK_AND_CLEAR : BACK;
        round[i] = operation->word | mode << operation->mode_at | i % 2 * block;
    }
    struct program *program = begin(1, MATH_CODE);
    emit_li(program, T0, BEGUN); /* the loader has initialised the semaphores */
    uint32_t again = program->count;
    emit_lw(program, T1, T0, 0);
    emit_branch(program, RV32_OP_BEQ, T1, ZERO, again);
    EMIT(program, TT_OP_ZEROACC(3, 1, 0, 1, 0), TT_OP_STALLWAIT(STALL_SYNC, WAIT_MATH));
    wait_semaphore(program, SEM_MATH_DONE, UNTIL_ROOM, STALL_SYNC);
    post_semaphore(program, SEM_MATH_DONE);
    wait_semaphore(program, SEM_LOADED, UNTIL_POSTED, STALL_SYNC);
    take_semaphore(program, SEM_LOADED);
    EMIT(program, TT_OP_SETC16(0, 0), TT_OP_SETC16(1, 0), TT_OP_STALLWAIT(STALL_CFG, WAIT_MATH | WAIT_SFPU),
         TT_OP_RMWCIB3(0x20, 0x20, 1), TT_OP_SETC16(11, 0));
    for (uint32_t mode = NEXT; mode <= BACK_AND_CLEAR; mode++) {
        EMIT(program, TT_OP_SETC16(12 + mode, modes[mode][0]), TT_OP_SETC16(28 + mode, modes[mode][1]),
             TT_OP_SETC16(47 + mode, 0));
    }
    emit_tensix(program, TT_OP_SETRWC(0, 0, 0, 0, 0, ALL_COUNTERS));
    record_replay(program, round, count);
    configure_mop(program, REPEATS, replay, replay);
    emit_tensix(program, TT_OP_STALLWAIT(STALL_MATH, WAIT_SRCA_VALID | WAIT_SRCB_VALID));
    wait_for_coprocessor(program);
    mark(program, 0);
    emit_tensix(program, TT_OP_MOP(1, 0, 0));
    drain(program, WAIT_MATH);
    mark(program, 1);
}

/* What comes behind "FPU reductions: ". */
static const struct operation operations[] = {
    {"ELWMUL HiFi2 pair", TT_OP_ELWMUL(0, 0, 0, 0, 0), 14, 8, true},
    {"GAPOOL", TT_OP_GAPOOL(0, 0, 0, 0, 0), 15, 16, true},
    {"GMPOOL", TT_OP_GMPOOL(0, 1, 0, 0, 0), 15, 16, false},
};

/* Cycles of a round. */
static bool alternating_blocks(const struct measured *row, double *value)
{
    const char *name = strstr(row->what, ": ") + 2;
    for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (!strcmp(operations[i].name, name)) {
            load();
            operate(&operations[i]);
            *value = run_marked(programs, (const enum bh_core[]){BH_CORE_T0, BH_CORE_T1}, 2) / REPEATS;
            return true;
        }
    }
    return false;
}

const struct validation_program validation_slots[] = {{"FPU reductions", alternating_blocks}, {0}};
