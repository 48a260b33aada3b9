/* Loops of RISC-V instructions on one core, and on several at once. */
#include <string.h>

#include "validation/program.h"
#include "validation/validation.h"

enum { RESULT = 0x120000, SCRATCH = 0x124000, PROGRAM = 0x8000, PROGRAM_STRIDE = 0x4000 };

/* Local data RAM: a core's own, and as all cores see those of B, NC, T0, T1, T2. */
#define OWN_RAM 0xFFB00080u
#define RAM_OF_B 0xFFB14080u
#define RAM_OF_NC 0xFFB16080u
#define RAM_OF_T0 0xFFB18080u
#define WALL_CLOCK 0xFFB121F0u

/* What the measuring firmware leaves in cfg0: no L0 data cache, no fusion of .ttinsn, stores wait 16 cycles to be
   joined. */
enum { CFG0_NUMBER = 0x7c0, CFG0 = 0x60008 };

static const struct place tile = {1, 2};

static const unsigned free_registers[] = {T0, T1, T2, T3, T4, T5, T6, A0};

/* The loops. Registers: S0 counts, S1 a value, S2 the core's own line of L1, S3 a line of L1, S4 is 3, S5 takes what is
   loaded, S6 own local RAM, S7 that of B, S8 the wall clock. */

static void times(struct program *program, unsigned count, enum rv32_op op, unsigned rd, unsigned rs1, unsigned rs2,
                  int32_t immediate)
{
    for (unsigned i = 0; i < count; i++) {
        emit(program, op, rd, rs1, rs2, immediate);
    }
}

static bool is_one_of(const char *name, const char *body, unsigned *count)
{
    size_t length = strlen(name);
    const char *rest = body + length;
    if (strncmp(body, name, length) != 0) {
        return false;
    }
    rest += !strncmp(rest, "_dep", 4) ? 4 : 0;
    *count = (unsigned)(*rest - '0');
    return *count >= 1 && *count <= 8 && !rest[1];
}

/* name8: so many instructions, each of which needs the result of the one before it. */
static bool emit_chain(struct program *program, const char *body)
{
    static const struct {
        const char *name;
        enum rv32_op op;
        int32_t immediate;
    } chains[] = {
        {"addi", RV32_OP_ADDI, 1},     {"xori", RV32_OP_XORI, 0x5a5},   {"ori", RV32_OP_ORI, 0x123},
        {"andi", RV32_OP_ANDI, 0x7ff}, {"sltiu", RV32_OP_SLTIU, 0x400}, {"slli", RV32_OP_SLLI, 1},
        {"srli", RV32_OP_SRLI, 1},     {"srai", RV32_OP_SRAI, 1},       {"ctz", RV32_OP_CTZ, 0},
        {"sext_b", RV32_OP_SEXT_B, 0}, {"sext_h", RV32_OP_SEXT_H, 0},   {"zext_h", RV32_OP_ZEXT_H, 0},
        {"add", RV32_OP_ADD, 0},       {"sub", RV32_OP_SUB, 0},         {"xor", RV32_OP_XOR, 0},
        {"or", RV32_OP_OR, 0},         {"and", RV32_OP_AND, 0},         {"sll", RV32_OP_SLL, 0},
        {"srl", RV32_OP_SRL, 0},       {"sra", RV32_OP_SRA, 0},         {"slt", RV32_OP_SLT, 0},
        {"sltu", RV32_OP_SLTU, 0},     {"sh1add", RV32_OP_SH1ADD, 0},   {"sh2add", RV32_OP_SH2ADD, 0},
        {"sh3add", RV32_OP_SH3ADD, 0}, {"min", RV32_OP_MIN, 0},         {"minu", RV32_OP_MINU, 0},
        {"maxu", RV32_OP_MAXU, 0},     {"mul", RV32_OP_MUL, 0},         {"mulhu", RV32_OP_MULHU, 0},
        {"divu", RV32_OP_DIVU, 0},     {"remu", RV32_OP_REMU, 0},
    };
    for (unsigned i = 0; i < sizeof chains / sizeof *chains; i++) {
        unsigned count;
        if (is_one_of(chains[i].name, body, &count)) {
            bool registers = rv32_instructions[chains[i].op].format == RV32_FORMAT_R;
            times(program, count, chains[i].op, S1, S1, registers ? S4 : 0, chains[i].immediate);
            return true;
        }
    }
    return false;
}

/* name_ind8: so many instructions, each with a register of its own. */
static bool emit_independent(struct program *program, const char *body)
{
    static const struct {
        const char *name;
        enum rv32_op op;
        unsigned count;
        int32_t immediate;
    } groups[] = {
        {"addi_ind8", RV32_OP_ADDI, 8, 1}, {"add_ind8", RV32_OP_ADD, 8, 0},      {"xor_ind8", RV32_OP_XOR, 8, 0},
        {"mul_ind4", RV32_OP_MUL, 4, 0},   {"lui8", RV32_OP_LUI, 8, 0x12345000}, {"auipc8", RV32_OP_AUIPC, 8, 0},
    };
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (!strcmp(body, groups[i].name)) {
            enum rv32_format format = (enum rv32_format)rv32_instructions[groups[i].op].format;
            for (unsigned j = 0; j < groups[i].count; j++) {
                unsigned own = free_registers[j];
                emit(program, groups[i].op, own, format == RV32_FORMAT_U ? 0 : own, format == RV32_FORMAT_R ? S4 : 0,
                     groups[i].immediate);
            }
            return true;
        }
    }
    return false;
}

/* Loads and stores: `loads` words into registers of their own, from `base`, or `stores` words there. */
static void emit_accesses(struct program *program, unsigned base, unsigned loads, unsigned stores)
{
    for (unsigned i = 0; i < stores; i++) {
        emit_sw(program, S1, base, (int32_t)(4 * i));
    }
    for (unsigned i = 0; i < loads; i++) {
        emit_lw(program, free_registers[i], base, (int32_t)(4 * i));
    }
}

/* A load, so many instructions that do not need it, and one that does. */
static void emit_load_use(struct program *program, unsigned between)
{
    emit_lw(program, S5, S3, 0);
    for (unsigned i = 0; i < between; i++) {
        RVI(ADDI, free_registers[i], free_registers[i], 1);
    }
    RV(ADD, S1, S1, S5);
}

static bool emit_memory(struct program *program, const char *body)
{
    if (!strcmp(body, "l1_lw_ind4") || !strcmp(body, "l1_lw_ind8")) {
        emit_accesses(program, S3, (unsigned)(body[9] - '0'), 0);
    } else if (!strcmp(body, "store_l1_4") || !strcmp(body, "l1_sw_ind4")) {
        emit_accesses(program, S3, 0, 4);
    } else if (!strcmp(body, "load_l1_dep1") || !strcmp(body, "l1_lw_chase1")) {
        emit_lw(program, S3, S3, 0);
    } else if (!strncmp(body, "l1_load_use", 11)) {
        emit_load_use(program, (unsigned)(body[11] - '0'));
    } else if (!strcmp(body, "l1_sw_fixed1")) {
        emit_sw(program, S1, S3, 4);
    } else if (!strcmp(body, "sw")) {
        emit_sw(program, S1, S3, 0);
    } else if (!strcmp(body, "ldm_lw_fixed1")) {
        emit_lw(program, S1, S6, 0);
    } else if (!strcmp(body, "ldm_sw_lw_pair2")) {
        emit_sw(program, S1, S6, 4);
        emit_lw(program, S5, S6, 4);
    } else if (!strncmp(body, "l1_same_lw", 10)) {
        emit_lw(program, S1, S3, 0);
    } else if (!strcmp(body, "mmio_wall_lw1")) {
        emit_lw(program, S1, S8, 0);
    } else if (!strncmp(body, "2-role xldm", 11) || !strncmp(body, "xldm", 4)) {
        emit_lw(program, S1, S7, 0);
    } else {
        return false;
    }
    return true;
}

static bool emit_other(struct program *program, const char *body)
{
    if (!strcmp(body, "nop8")) {
        times(program, 8, RV32_OP_ADDI, ZERO, ZERO, 0, 0);
    } else if (!strcmp(body, "branch_taken1")) {
        emit_branch(program, RV32_OP_BEQ, S1, S1, program->count + 1);
    } else if (!strcmp(body, "branch_not_taken1")) {
        emit_branch(program, RV32_OP_BNE, S1, S1, program->count + 1);
    } else if (!strcmp(body, "jal1")) {
        emit_jump(program, program->count + 1);
    } else if (!strcmp(body, "fence1")) {
        emit(program, RV32_OP_FENCE, 0, 0, 0, 0);
    } else {
        return !strcmp(body, "empty");
    }
    return true;
}

static bool emit_body(struct program *program, const char *body)
{
    return emit_other(program, body) || emit_chain(program, body) || emit_independent(program, body) ||
           emit_memory(program, body);
}

static uint32_t result_of(enum bh_core core)
{
    return RESULT + 64 * core;
}

static void emit_preparation(struct program *program, enum bh_core core)
{
    emit_li(program, S1, CFG0);
    emit(program, RV32_OP_CSRRW, ZERO, S1, 0, CFG0_NUMBER);
    emit_li(program, S1, 0x12345679);
    emit_li(program, S2, SCRATCH + 0x100 + 64 * core);
    emit_li(program, S3, SCRATCH);
    emit_li(program, S4, 3);
    emit_li(program, S6, OWN_RAM);
    emit_li(program, S7, RAM_OF_B);
    emit_li(program, S8, WALL_CLOCK);
    emit_sw(program, S3, S3, 0); /* a pointer to itself */
    emit_sw(program, S6, S6, 0);
    for (unsigned i = 0; i < sizeof free_registers / sizeof *free_registers; i++) {
        emit_li(program, free_registers[i], 0x1001 + i);
    }
}

/* A loop that counts down and leaves at its top, between two readings of the wall clock. */
static bool emit_loop(struct program *program, enum bh_core core, const char *body, uint32_t iterations)
{
    *program = (struct program){.address = PROGRAM + PROGRAM_STRIDE * core};
    emit_preparation(program, core);
    emit_wall_clock(program, A2, A3);
    emit_li(program, S0, iterations);
    uint32_t top = program->count, leave = emit_branch(program, RV32_OP_BEQ, S0, ZERO, 0);
    if (!emit_body(program, body)) {
        return false;
    }
    RVI(ADDI, S0, S0, -1);
    emit_jump(program, top);
    emit_bind(program, leave);
    emit_wall_clock(program, A4, A5);
    RV(SUB, A4, A4, A2);
    emit_li(program, S2, result_of(core));
    emit_sw(program, A4, S2, 0);
    emit_end(program);
    return true;
}

/* The longest of the times that these cores need for the loop when they run at once. 0: it is not rebuilt. */
static uint32_t loop_cycles(const enum bh_core *cores, unsigned count, const char *body, uint32_t iterations)
{
    static struct program program;
    uint32_t longest = 0;
    struct bh_device *device = machine_create();
    bool rebuilt = true;
    for (unsigned i = 0; i < count && rebuilt; i++) {
        rebuilt = emit_loop(&program, cores[i], body, iterations);
        if (rebuilt) {
            machine_load(device, tile, &program);
            machine_start(device, tile, cores[i], &program);
        }
    }
    if (rebuilt) {
        machine_run(device);
        for (unsigned i = 0; i < count; i++) {
            uint32_t cycles = machine_word(device, tile, result_of(cores[i]));
            longest = cycles > longest ? cycles : longest;
        }
    }
    bh_device_destroy(device);
    return longest;
}

/* A row names its core in its parameters, or in front of the loop's name. */
static enum bh_core core_of(const struct measured *row, const char **body)
{
    static const struct {
        const char *name;
        enum bh_core core;
    } cores[] = {{"ncrisc", BH_CORE_NC}, {"trisc0", BH_CORE_T0}, {"trisc1", BH_CORE_T1}, {"trisc2", BH_CORE_T2}};
    for (unsigned i = 0; i < sizeof cores / sizeof *cores; i++) {
        size_t length = strlen(cores[i].name);
        if (!strncmp(*body, cores[i].name, length) && (*body)[length] == ' ') {
            *body += length + 1;
            return cores[i].core;
        }
        if (measured_has(row, "core", cores[i].name)) {
            return cores[i].core;
        }
    }
    return BH_CORE_B;
}

static bool one_core(const struct measured *row, double *value)
{
    const char *body = strstr(row->what, ": ") + 2;
    enum bh_core core = core_of(row, &body);
    const enum bh_core pair[] = {BH_CORE_B, BH_CORE_NC};
    uint32_t iterations = (uint32_t)measured_number(row, "iters", 10000);
    *value =
        strncmp(body, "2-role", 6) ? loop_cycles(&core, 1, body, iterations) : loop_cycles(pair, 2, body, iterations);
    return *value != 0;
}

/* Cycles of the loop's one instruction: more than what the empty loop takes. */
static bool contention(const struct measured *row, double *value)
{
    static const enum bh_core all[] = {BH_CORE_B, BH_CORE_NC, BH_CORE_T0, BH_CORE_T1, BH_CORE_T2};
    const char *body = strstr(row->what, ": ") + 2;
    unsigned count = strstr(body, "all five") ? 5 : strstr(body, "two roles") ? 2 : 0;
    enum { ITERATIONS = 10000 };
    *value =
        ((double)loop_cycles(all, count, body, ITERATIONS) - (double)loop_cycles(all, count, "empty", ITERATIONS)) /
        ITERATIONS;
    return count && *value > 0;
}

const struct validation_program validation_riscv[] = {{"RISC-V contention, five cores", contention},
                                                      {"RISC-V loop body", one_core},
                                                      {"RISC-V memory", one_core},
                                                      {"RISC-V special", one_core},
                                                      {"RISC-V contention", one_core},
                                                      {0}};
