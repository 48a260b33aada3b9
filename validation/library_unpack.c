/* T0 in a loop over tiles of 32 x 32, as the kernel library's performance tests isolate it: T1 computes nothing, but
   gives back banks that are filled. Only the reduction to one number is rebuilt, for which each face waits until SrcA
   has been given back: other kernels seem to take as long as their core, whose code is not published. */
#include <string.h>

#include "validation/engines.h"
#include "validation/validation.h"

enum { TILES = 256, FACES = 4, FACE = 256, ROW = 16, CODE = 0x8000, RELEASE_CODE = 0x20000, IN_A = 0x57000 };
enum { IN_B = 0x97000, WAIT_SRCA_VALID = 0x80, CLEAR_AB = 3, ALL_COUNTERS = 15 };

static struct program programs[2];

/* For each face, SrcA is cleared, then gets the face, SrcB a row. */
static void set_up_faces(struct program *program)
{
    const uint32_t nop = TT_OP_NOP, replay = TT_OP_REPLAY(0, 2, 0, 0);
    const uint32_t clear = TT_OP_UNPACR_NOP(0, 0, 0, 0, 0, 0, 0, 0, 1);
    set_up_unpacker(program, 0, IN_A, FORMAT_BF16);
    set_up_unpacker(program, 1, IN_B, FORMAT_BF16);
    commit_unpackers(program, 0);
    EMIT(program, TT_OP_SETADCXX(1, FACE - 1, 0), TT_OP_SETADCXX(2, ROW - 1, 0));
    record_replay(program, (const uint32_t[]){unpack_word(0), unpack_word(1)}, 2);
    write_mop(program, (const uint32_t[9]){1, FACES, nop, nop, nop, clear, replay, replay, replay});
}

static bool isolated_unpacking(const struct measured *row, double *value)
{
    struct program *unpack = &programs[0], *program = &programs[1];
    if (strcmp(row->what, "library unpack: scalar") != 0) {
        return false;
    }
    *program = (struct program){.address = RELEASE_CODE};
    emit_firmware_state(program, false);
    emit_li(program, S0, TILES * FACES);
    uint32_t top = program->count;
    EMIT(program, TT_OP_STALLWAIT(STALL_MATH, WAIT_SRCA_VALID | WAIT_SRCB_VALID), TT_OP_CLEARDVALID(CLEAR_AB, 0));
    RVI(ADDI, S0, S0, -1);
    emit_branch(program, RV32_OP_BNE, S0, ZERO, top);
    program = unpack;
    *program = (struct program){.address = CODE};
    emit_firmware_state(program, false);
    set_up_faces(program);
    wait_for_coprocessor(program);
    mark(program, 0);
    emit_li(program, S0, TILES);
    top = program->count;
    EMIT(program, TT_OP_SETADCZW(3, 0, 0, 0, 0, ALL_COUNTERS), TT_OP_MOP(1, 0, 0));
    RVI(ADDI, S0, S0, -1);
    emit_branch(program, RV32_OP_BNE, S0, ZERO, top);
    wait_for_coprocessor(program);
    mark(program, 1);
    *value = run_marked(programs, (const enum bh_core[]){BH_CORE_T0, BH_CORE_T1}, 2) / TILES;
    return true;
}

const struct validation_program validation_library_unpack[] = {{"library unpack: ", isolated_unpacking}, {0}};
