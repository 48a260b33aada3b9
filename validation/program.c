#include "validation/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CYCLES_AT_ONCE = 1000000, PATIENCE = 2000 };

static char last_diagnostic[2048];

static void on_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    (void)context;
    (void)bh_diagnostic_format(diagnostic, last_diagnostic, sizeof last_diagnostic);
}

void machine_fail(const char *what)
{
    (void)fprintf(stderr, "validation: %s\n", what);
    if (*last_diagnostic) {
        (void)fprintf(stderr, "validation: %s\n", last_diagnostic);
    }
    exit(1);
}

static uint32_t immediate_bits(enum rv32_format format, int32_t immediate)
{
    uint32_t bits = (uint32_t)immediate;
    switch (format) {
    case RV32_FORMAT_I:
    case RV32_FORMAT_JALR:
    case RV32_FORMAT_LOAD:
    case RV32_FORMAT_FLOAD:
    case RV32_FORMAT_CSR:
    case RV32_FORMAT_CSRI: return bits << 20;
    case RV32_FORMAT_SHIFT: return (bits & 31) << 20;
    case RV32_FORMAT_U: return bits & 0xfffff000;
    case RV32_FORMAT_STORE:
    case RV32_FORMAT_FSTORE: return (bits >> 5 & 0x7f) << 25 | (bits & 31) << 7;
    case RV32_FORMAT_B:
        return (bits >> 12 & 1) << 31 | (bits >> 5 & 0x3f) << 25 | (bits >> 1 & 0xf) << 8 | (bits >> 11 & 1) << 7;
    case RV32_FORMAT_J:
        return (bits >> 20 & 1) << 31 | (bits >> 1 & 0x3ff) << 21 | (bits >> 11 & 1) << 20 | (bits >> 12 & 0xff) << 12;
    default: return 0;
    }
}

static void put(struct program *program, uint32_t word)
{
    if (program->count == PROGRAM_WORDS) {
        machine_fail("a program is too long");
    }
    program->words[program->count++] = word;
}

void emit(struct program *program, enum rv32_op op, unsigned rd, unsigned rs1, unsigned rs2, int32_t immediate)
{
    const struct rv32_instruction *instruction = &rv32_instructions[op];
    put(program, instruction->match | rd << 7 | rs1 << 15 | rs2 << 20 |
                     immediate_bits((enum rv32_format)instruction->format, immediate));
}

void emit_li(struct program *program, unsigned rd, uint32_t value)
{
    int32_t low = (int32_t)(value << 20) >> 20;
    uint32_t high = value - (uint32_t)low;
    if (high) {
        emit(program, RV32_OP_LUI, rd, 0, 0, (int32_t)high);
    }
    if (low || !high) {
        emit(program, RV32_OP_ADDI, rd, high ? rd : ZERO, 0, low);
    }
}

void emit_lw(struct program *program, unsigned rd, unsigned base, int32_t offset)
{
    emit(program, RV32_OP_LW, rd, base, 0, offset);
}

void emit_sw(struct program *program, unsigned value, unsigned base, int32_t offset)
{
    emit(program, RV32_OP_SW, 0, base, value, offset);
}

static int32_t distance(const struct program *program, uint32_t to)
{
    return ((int32_t)to - (int32_t)program->count) * 4;
}

uint32_t emit_branch(struct program *program, enum rv32_op op, unsigned rs1, unsigned rs2, uint32_t to)
{
    emit(program, op, 0, rs1, rs2, distance(program, to));
    return program->count - 1;
}

uint32_t emit_jump(struct program *program, uint32_t to)
{
    emit(program, RV32_OP_JAL, ZERO, 0, 0, distance(program, to));
    return program->count - 1;
}

void emit_bind(struct program *program, uint32_t branch)
{
    uint32_t word = program->words[branch];
    enum rv32_format format = (enum rv32_format)rv32_instructions[rv32_identify(word)].format;
    uint32_t all = immediate_bits(format, -1);
    program->words[branch] = (word & ~all) | immediate_bits(format, (int32_t)(program->count - branch) * 4);
}

void emit_tensix(struct program *program, uint32_t word)
{
    put(program, word << 2 | word >> 30);
}

void emit_wall_clock(struct program *program, unsigned low, unsigned high)
{
    emit_li(program, A7, 0xFFB121F8);
    uint32_t retry = program->count;
    emit_lw(program, high, A7, 0);
    emit_lw(program, low, A7, -8);
    emit_lw(program, A6, A7, 0);
    emit_branch(program, RV32_OP_BNE, high, A6, retry);
}

enum { NO_PREFETCH = 1 << 2, NO_L0 = 1 << 3, NO_FUSION = 1 << 18, MERGE_TIMER = 16 << 13 };

static void set_cfg0(struct program *program, uint32_t value)
{
    enum { CFG0 = 0x7c0 };
    emit_li(program, A7, value);
    emit(program, RV32_OP_CSRRW, ZERO, A7, 0, CFG0);
}

void emit_firmware_state(struct program *program, bool fuses)
{
    set_cfg0(program, MERGE_TIMER | NO_L0 | (fuses ? 0 : NO_FUSION));
}

void emit_early_firmware_state(struct program *program)
{
    set_cfg0(program, MERGE_TIMER | NO_L0 | NO_FUSION | NO_PREFETCH);
}

void emit_end(struct program *program)
{
    emit_jump(program, program->count);
}

struct bh_device *machine_create(void)
{
    struct bh_device *device;
    const struct bh_device_config config = {.mode = BH_MODE_TIMED, .on_diagnostic = on_diagnostic};
    if (bh_device_create(&config, &device) != BH_OK) {
        machine_fail("there is no memory for a device");
    }
    return device;
}

void machine_write(struct bh_device *device, struct place tile, uint32_t address, const void *data, uint32_t size)
{
    if (bh_write(device, tile.x, tile.y, address, data, size) != BH_OK) {
        machine_fail("a program can not be written");
    }
}

void machine_load(struct bh_device *device, struct place tile, const struct program *program)
{
    machine_write(device, tile, program->address, program->words, program->count * 4);
}

void machine_start(struct bh_device *device, struct place tile, enum bh_core core, const struct program *program)
{
    if (bh_core_start(device, tile.x, tile.y, core, program->address) != BH_OK) {
        machine_fail("a core can not be started");
    }
}

uint32_t machine_word(struct bh_device *device, struct place tile, uint32_t address)
{
    uint32_t word;
    if (bh_read(device, tile.x, tile.y, address, &word, sizeof word) != BH_OK) {
        machine_fail("a result can not be read");
    }
    return word;
}

void machine_expect(struct bh_device *device, struct place tile, uint32_t address, const void *data, uint32_t size)
{
    enum { CHUNK = 256 };
    uint8_t found[CHUNK];
    for (uint32_t at = 0; at < size; at += CHUNK) {
        uint32_t length = size - at < CHUNK ? size - at : CHUNK;
        if (bh_read(device, tile.x, tile.y, address + at, found, length) != BH_OK ||
            memcmp(found, (const uint8_t *)data + at, length) != 0) {
            machine_fail("a program has computed something else than it should");
        }
    }
}

void machine_run(struct bh_device *device)
{
    struct bh_run_result result = {.reason = BH_RAN_CYCLES};
    for (unsigned i = 0; i < PATIENCE && result.reason == BH_RAN_CYCLES; i++) {
        (void)bh_run(device, CYCLES_AT_ONCE, &result);
    }
    if (result.reason != BH_RAN_IDLE) {
        machine_fail("a program does not come to its end");
    }
}
