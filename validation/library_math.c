/* The Matrix Unit's thread in a loop over tiles of 32 x 32, as the kernel library's performance tests isolate it: T0
   unpacks nothing, but gives banks to the Matrix Unit; T1 computes tile after tile. Cores do not fuse `.ttinsn`. */
#include <string.h>

#include "validation/coprocessor.h"
#include "validation/validation.h"

enum { TILES = 1024, TILES_IN_DST = 8, TILE_ROWS = 64, FACES = 4, CODE = 0x8000, FILL_CODE = 0x20000, RECORDED = 16 };
/* Arguments of SETRWC, which other instructions share. */
enum {
    CLEAR_A = 1,
    CLEAR_B = 2,
    CLEAR_AB = 3,
    SET_A = 1,
    SET_B = 2,
    SET_AB = 3,
    SET_D = 4,
    SET_ABD = 7,
    SET_ABDF = 15
};
enum { CR_B = 2, CR_AB = 3, CR_D = 4 };
/* Address modes: of SrcA and SrcB, and of Dst with the fidelity phase. */
enum { CARRY = 0x40, CLEAR = 0x80 };
enum { DST_CARRY = 0x400, DST_CLEAR = 0x800, C_TO_CR = 0x1000, NEXT_PHASE = 0x2000, FIRST_PHASE = 0x8000 };
enum { WAIT_SRCA_CLEAR = 0x20, WAIT_SRCB_CLEAR = 0x40, DST_OFFSET = 1, ALL_ROWS = 1 };

static const uint32_t nop = TT_OP_NOP;
static struct program programs[2];

struct kernel {
    const char *name;
    unsigned phases; /* of fidelity */
    unsigned fills;  /* of both banks, for a tile */
    void (*set_up)(struct program *, const struct kernel *);
    void (*tile)(struct program *, const struct kernel *);
    enum { OTHER, ADDS, MAXIMUM, PRODUCT } what; /* PRODUCT of matrices: banks are filled one by one */
    uint32_t pooled;                             /* row of the tile that faces are pooled into */
};

static void set_mode(struct program *program, unsigned mode, uint32_t srca, uint32_t srcb, uint32_t dst)
{
    EMIT(program, TT_OP_SETC16(12 + mode, srca | srcb << 8), TT_OP_SETC16(28 + mode, dst), TT_OP_SETC16(47 + mode, 0));
}

static void run_mop(struct program *program)
{
    emit_tensix(program, TT_OP_MOP(1, 0, 0));
}

static void set_up_elements(struct program *program, const struct kernel *kernel)
{
    set_mode(program, 0, 8, 8, 8);
    set_mode(program, 2, CLEAR, CLEAR, DST_CARRY | NEXT_PHASE);
    set_mode(program, 3, CLEAR, CLEAR, 8 | C_TO_CR | FIRST_PHASE);
    uint32_t word = kernel->what == ADDS ? TT_OP_ELWADD(0, 0, 0, 0, 0) : TT_OP_ELWMUL(0, 0, 0, 0, 0);
    if (kernel->phases == 1) {
        write_mop(program, (const uint32_t[9]){4, 2, nop, TT_OP_SETRWC(CLEAR_AB, CR_AB, 0, 0, 0, SET_AB), nop, word,
                                               nop, word, word});
    } else {
        write_mop(program, (const uint32_t[9]){kernel->phases, 2, nop, nop, nop, word, nop,
                                               TT_OP_ELWMUL(CLEAR_AB, 0, 0, 3, 0), TT_OP_ELWMUL(0, 0, 0, 2, 0)});
    }
}

static void compute_elements(struct program *program, const struct kernel *kernel)
{
    for (unsigned i = 0; i < (kernel->phases == 1 ? 1 : 4); i++) {
        run_mop(program);
    }
    emit_tensix(program, TT_OP_SETRWC(0, 0, 0, 0, 0, SET_D));
}

/* A MOP of all fidelity phases of `count` MVMULs. The last of all gives back the banks of `clear`. */
static void set_up_mvmuls(struct program *program, unsigned phases, const uint8_t *modes, unsigned count,
                          uint32_t clear)
{
    const uint32_t replay = TT_OP_REPLAY(RECORDED, count, 0, 0);
    const uint32_t end = phases == 1 ? nop : TT_OP_SETRWC(clear, 0, 0, 0, 0, SET_ABDF);
    emit_tensix(program, TT_OP_REPLAY(RECORDED, count, 0, 1));
    for (unsigned i = 0; i < count; i++) {
        bool last = phases == 1 && i + 1 == count;
        emit_tensix(program, TT_OP_MVMUL(last ? clear : 0, 0, modes[i], 0));
    }
    write_mop(program, (const uint32_t[9]){1, phases, nop, end, nop, replay, nop, replay, replay});
}

static uint32_t next_phase(const struct kernel *kernel)
{
    return kernel->phases == 1 ? 0 : NEXT_PHASE;
}

static void set_up_row_sum(struct program *program, const struct kernel *kernel)
{
    static const uint8_t modes[8] = {0, 1, 0, 2, 0, 1, 0, 3};
    set_mode(program, 0, 0, 8, 8);
    set_mode(program, 1, 0, 24, 24);
    set_mode(program, 2, 16, 16 | CARRY, DST_CARRY);
    set_mode(program, 3, CLEAR | CARRY, CLEAR | CARRY, DST_CLEAR | DST_CARRY | next_phase(kernel));
    set_up_mvmuls(program, kernel->phases, modes, 8, CLEAR_AB);
}

static void compute_row_sum(struct program *program, const struct kernel *kernel)
{
    (void)kernel;
    run_mop(program);
    emit_tensix(program, TT_OP_SETRWC(0, 0, 0, 0, 0, SET_ABD));
}

static void set_up_pool(struct program *program, const struct kernel *kernel)
{
    set_mode(program, 0, 0, 0, FIRST_PHASE);
    set_mode(program, 1, 0, 0, NEXT_PHASE);
    if (kernel->phases > 1) {
        write_mop(program,
                  (const uint32_t[9]){1, kernel->phases, nop, nop, nop, TT_OP_GAPOOL(0, ALL_ROWS, 1, 0, kernel->pooled),
                                      nop, TT_OP_GAPOOL(0, ALL_ROWS, 0, 0, kernel->pooled),
                                      TT_OP_GAPOOL(0, ALL_ROWS, 0, 0, kernel->pooled)});
    }
}

static void pool_face(struct program *program, const struct kernel *kernel, uint32_t clear)
{
    if (kernel->what == MAXIMUM) {
        emit_tensix(program, TT_OP_GMPOOL(clear, ALL_ROWS, 0, 0, kernel->pooled));
    } else if (kernel->phases > 1) {
        run_mop(program);
        if (clear) {
            emit_tensix(program, TT_OP_CLEARDVALID(clear, 0));
        }
    } else {
        emit_tensix(program, TT_OP_GAPOOL(clear, ALL_ROWS, 0, 0, kernel->pooled));
    }
}

static void pool_columns(struct program *program, const struct kernel *kernel)
{
    for (unsigned row = 0; row < 2; row++) {
        pool_face(program, kernel, 0);
        EMIT(program, TT_OP_SETRWC(0, CR_D, 8, 0, 0, SET_D), TT_OP_SETRWC(CLEAR_AB, CR_D, 8, 0, 0, SET_D));
        pool_face(program, kernel, 0);
        emit_tensix(program, TT_OP_SETRWC(CLEAR_AB, 0, 0, 0, 0, SET_A | SET_D));
    }
}

static void pool_all(struct program *program, const struct kernel *kernel)
{
    for (unsigned face = 0; face < 3; face++) {
        pool_face(program, kernel, CLEAR_AB);
    }
    pool_face(program, kernel, 0);
    EMIT(program, TT_OP_SETRWC(0, CR_D, 0, 0, 0, SET_AB), TT_OP_MOVD2B(0, 16, 0, 0, 4), TT_OP_GATESRCRST(1, 1),
         TT_OP_TRNSPSRCB, TT_OP_GATESRCRST(1, 1));
    for (unsigned i = 0; i < 16; i += 4) {
        emit_tensix(program, TT_OP_MOVB2A(i, 0, 2, 16 + i));
    }
    EMIT(program, TT_OP_GATESRCRST(1, 1), TT_OP_ZEROACC(0, 0, 0, 0, 4));
    if (kernel->what == MAXIMUM) {
        emit_tensix(program, TT_OP_GMPOOL(CLEAR_AB, ALL_ROWS, 0, 0, 0));
        return;
    }
    for (unsigned i = 1; i < kernel->phases; i++) {
        emit_tensix(program, TT_OP_GAPOOL(0, ALL_ROWS, 1, 0, 0));
    }
    emit_tensix(program, TT_OP_GAPOOL(CLEAR_AB, ALL_ROWS, 0, 0, 0));
}

/* The largest of each row of two faces, a row of Dst, becomes a column by way of SrcB. */
static void max_of_face_row(struct program *program)
{
    enum { MODE_NEXT_ROWS = 1 };
    EMIT(program, TT_OP_GMPOOL(CLEAR_AB, ALL_ROWS, 0, 0, 0), TT_OP_GMPOOL(0, ALL_ROWS, 0, 0, 0),
         TT_OP_SETRWC(0, CR_D, 0, 0, 0, SET_AB), TT_OP_MOVD2B(0, 16, 0, 0, 0), TT_OP_TRNSPSRCB,
         TT_OP_MOVD2B(0, 16, 0, 0, 0), TT_OP_SETRWC(0, CR_B, 0, 8, 0, SET_B), TT_OP_SETRWC(0, CR_B, 0, 8, 0, SET_B),
         TT_OP_ZEROSRC(0, 1, 0, 1), TT_OP_ELWADD(0, 0, 0, MODE_NEXT_ROWS, 0), TT_OP_ELWADD(0, 0, 0, MODE_NEXT_ROWS, 0));
}

static void set_up_row_max(struct program *program, const struct kernel *kernel)
{
    (void)kernel;
    set_mode(program, 0, 0, 0, FIRST_PHASE);
    set_mode(program, 1, 0, 8, 8);
}

static void max_of_rows(struct program *program, const struct kernel *kernel)
{
    (void)kernel;
    max_of_face_row(program);
    for (unsigned i = 0; i < 3; i++) {
        emit_tensix(program, TT_OP_SETRWC(0, CR_D, 8, 0, 0, SET_D));
    }
    emit_tensix(program, TT_OP_SETRWC(CLEAR_AB, CR_D, 8, 0, 0, SET_B | SET_D));
    max_of_face_row(program);
    emit_tensix(program, TT_OP_SETRWC(CLEAR_AB, 0, 0, 0, 0, SET_B | SET_D));
}

static void set_up_product(struct program *program, const struct kernel *kernel)
{
    static const uint8_t modes[16] = {0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0, 5};
    set_mode(program, 0, 0, 8, 8);
    set_mode(program, 1, 16, CARRY, 8);
    set_mode(program, 2, CARRY, 32 | CARRY, 8);
    set_mode(program, 4, 32 | CARRY, 48 | CARRY, DST_CARRY);
    set_mode(program, 5, CLEAR | CARRY, CLEAR | CARRY, DST_CLEAR | DST_CARRY | next_phase(kernel));
    set_up_mvmuls(program, kernel->phases, modes, 16, CLEAR_A);
}

static void compute_product(struct program *program, const struct kernel *kernel)
{
    (void)kernel;
    run_mop(program);
    emit_tensix(program, TT_OP_SETRWC(CLEAR_B, 0, 0, 0, 0, SET_ABDF));
}

static const struct kernel kernels[] = {
    {"add LoFi", 1, FACES, set_up_elements, compute_elements, ADDS, 0},
    {"mul LoFi", 1, FACES, set_up_elements, compute_elements, OTHER, 0},
    {"mul HiFi4", 4, FACES, set_up_elements, compute_elements, OTHER, 0},
    {"row sum LoFi", 1, 1, set_up_row_sum, compute_row_sum, OTHER, 0},
    {"row sum HiFi4", 4, 1, set_up_row_sum, compute_row_sum, OTHER, 0},
    {"row max", 1, FACES, set_up_row_max, max_of_rows, MAXIMUM, 0},
    {"column max", 1, FACES, set_up_pool, pool_columns, MAXIMUM, 0},
    {"column sum LoFi", 1, FACES, set_up_pool, pool_columns, OTHER, 0},
    {"column sum HiFi4", 4, FACES, set_up_pool, pool_columns, OTHER, 0},
    {"scalar max", 1, FACES, set_up_pool, pool_all, MAXIMUM, 4},
    {"scalar sum LoFi", 1, FACES, set_up_pool, pool_all, OTHER, 4},
    {"scalar sum HiFi4", 4, FACES, set_up_pool, pool_all, OTHER, 4},
    {"product LoFi", 1, 1, set_up_product, compute_product, PRODUCT, 0},
    {"product HiFi4", 4, 1, set_up_product, compute_product, PRODUCT, 0},
};

static void emit_fills(struct program *program, const struct kernel *kernel)
{
    emit_li(program, S0, kernel->fills * TILES);
    uint32_t top = program->count;
    if (kernel->what == PRODUCT) {
        push_by_store(program, TT_OP_STALLWAIT(STALL_TDMA, WAIT_SRCB_CLEAR));
        push_by_store(program, TT_OP_SETDVALID(2));
        push_by_store(program, TT_OP_STALLWAIT(STALL_TDMA, WAIT_SRCA_CLEAR));
        push_by_store(program, TT_OP_SETDVALID(1));
    } else {
        EMIT(program, TT_OP_STALLWAIT(STALL_TDMA, WAIT_SRCA_CLEAR | WAIT_SRCB_CLEAR), TT_OP_SETDVALID(3));
    }
    RVI(ADDI, S0, S0, -1);
    emit_branch(program, RV32_OP_BNE, S0, ZERO, top);
    emit_end(program);
}

static double measure(const struct kernel *kernel)
{
    struct program *program = &programs[0], *fill = &programs[1];
    *program = (struct program){.address = CODE};
    emit_firmware_state(program, false);
    kernel->set_up(program, kernel);
    emit_tensix(program, TT_OP_SETRWC(0, 0, 0, 0, 0, SET_ABDF));
    wait_for_coprocessor(program);
    mark(program, 0);
    emit_li(program, S0, TILES / TILES_IN_DST);
    uint32_t top = program->count;
    for (unsigned i = 0; i < TILES_IN_DST; i++) {
        push_by_store(program, TT_OP_SETC16(DST_OFFSET, kernel->what == PRODUCT ? 0 : i * TILE_ROWS));
        kernel->tile(program, kernel);
    }
    RVI(ADDI, S0, S0, -1);
    emit_branch(program, RV32_OP_BNE, S0, ZERO, top);
    wait_for_coprocessor(program);
    mark(program, 1);
    *fill = (struct program){.address = FILL_CODE};
    emit_firmware_state(fill, false);
    emit_fills(fill, kernel);
    return run_marked(programs, (const enum bh_core[]){BH_CORE_T1, BH_CORE_T0}, 2) / TILES;
}

static bool isolated_math(const struct measured *row, double *value)
{
    const char *name = strstr(row->what, ": ") + 2;
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (!strcmp(kernels[i].name, name)) {
            *value = measure(&kernels[i]);
            return true;
        }
    }
    return false;
}

const struct validation_program validation_library_math[] = {{"library math: ", isolated_math}, {0}};
