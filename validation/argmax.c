/* A core finds the greatest of many BF16 values in tiles of four faces, by itself. */
#include <stdlib.h>
#include <string.h>

#include "validation/coprocessor.h"
#include "validation/kernels.h"

enum { CODE = 0x8000, INPUT = 0x40000, RESULT = 0x60000, MOST = 4096 };
enum { BEST = S0, BEST_AT = S1, INDEX = S2, KEY = S3, RAW = S4, ADDRESS = S5, SCRATCH = S6, ROW = S7, COLUMN = S8 };

static const struct place core = {1, 2};

/* Values of either sign, the same ones in every run. */
static uint16_t value_of(uint32_t index)
{
    uint32_t bits = index * 0x9e3779b9u;
    bits ^= bits >> 15;
    bits *= 0x85ebca6bu;
    bits ^= bits >> 13;
    return (uint16_t)((bits & 0x8000) | (0x3c00 + (bits >> 16) % 0x400));
}

/* Greater values have greater keys. */
static uint32_t key_of(uint16_t value)
{
    return value & 0x8000 ? (uint16_t)~value : value ^ 0x8000u;
}

/* Where an element of a tile of 32 x 32 stands: faces of 16 x 16, one after the other. */
static uint32_t place_of(uint32_t index)
{
    uint32_t within = index % 1024, row = within / 32, column = within % 32;
    return index - within + row / 16 * 512 + column / 16 * 256 + row % 16 * 16 + column % 16;
}

/* ADDRESS gets one bit field of `from` more, shifted into its place. */
static void add_field(struct program *program, unsigned from, bool high, int32_t shift)
{
    if (high) {
        RVI(SRLI, SCRATCH, from, 4);
    } else {
        RVI(ANDI, SCRATCH, from, 15);
    }
    if (shift) {
        RVI(SLLI, SCRATCH, SCRATCH, shift);
    }
    RV(ADD, ADDRESS, ADDRESS, SCRATCH);
}

static void emit_load(struct program *program)
{
    RVI(ANDI, RAW, INDEX, 1023);
    RV(SUB, ADDRESS, INDEX, RAW);
    RVI(SRLI, ROW, RAW, 5);
    RVI(ANDI, COLUMN, RAW, 31);
    add_field(program, ROW, true, 9);
    add_field(program, COLUMN, true, 8);
    add_field(program, ROW, false, 4);
    add_field(program, COLUMN, false, 0);
    RVI(SLLI, ADDRESS, ADDRESS, 1);
    emit_li(program, SCRATCH, INPUT);
    RV(ADD, ADDRESS, ADDRESS, SCRATCH);
    RVI(LHU, RAW, ADDRESS, 0);
}

static void emit_key(struct program *program)
{
    RVI(SRLI, SCRATCH, RAW, 15);
    uint32_t positive = emit_branch(program, RV32_OP_BEQ, SCRATCH, ZERO, 0);
    RVI(XORI, KEY, RAW, -1);
    RVI(SLLI, KEY, KEY, 16);
    RVI(SRLI, KEY, KEY, 16);
    uint32_t keyed = emit_jump(program, 0);
    emit_bind(program, positive);
    emit_li(program, SCRATCH, 0x8000);
    RV(XOR, KEY, RAW, SCRATCH);
    emit_bind(program, keyed);
}

/* The first one of equals stays. */
static void emit_compare(struct program *program)
{
    RVI(ADDI, RAW, INDEX, 0);
    uint32_t replace = emit_branch(program, RV32_OP_BLTU, BEST, KEY, 0);
    uint32_t smaller = emit_branch(program, RV32_OP_BNE, BEST, KEY, 0);
    uint32_t later = emit_branch(program, RV32_OP_BGEU, RAW, BEST_AT, 0);
    emit_bind(program, replace);
    RVI(ADDI, BEST, KEY, 0);
    RVI(ADDI, BEST_AT, RAW, 0);
    emit_bind(program, smaller);
    emit_bind(program, later);
}

static struct program *scan(uint32_t count)
{
    static struct program program_room;
    struct program *program = &program_room;
    *program = (struct program){.address = CODE};
    emit_firmware_state(program, false);
    mark(program, 0);
    emit_li(program, BEST, 0);
    emit_li(program, BEST_AT, 0x7fffffff);
    emit_li(program, INDEX, 0);
    uint32_t top = program->count;
    emit_load(program);
    emit_key(program);
    emit_compare(program);
    RVI(ADDI, INDEX, INDEX, 1);
    emit_li(program, SCRATCH, count);
    emit_branch(program, RV32_OP_BLTU, INDEX, SCRATCH, top);
    emit_li(program, T0, RESULT);
    emit_sw(program, BEST, T0, 0);
    emit_li(program, T0, RESULT + 4);
    emit_sw(program, BEST_AT, T0, 0);
    RVI(FENCE, ZERO, ZERO, 0xff);
    mark(program, 1);
    emit_end(program);
    return program;
}

bool scalar_argmax(const struct measured *row, double *value)
{
    static uint16_t input[MOST];
    uint32_t best[2] = {0, 0}, count = (uint32_t)strtoul(strrchr(row->what, ' ') + 1, NULL, 10);
    if (!count || count > MOST) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint16_t element = value_of(i);
        input[place_of(i)] = element;
        if (key_of(element) > best[0]) {
            best[0] = key_of(element);
            best[1] = i;
        }
    }
    const struct program *program = scan(count);
    struct bh_device *device = machine_create();
    machine_write(device, core, INPUT, input, sizeof input);
    machine_load(device, core, program);
    machine_start(device, core, BH_CORE_B, program);
    machine_run(device);
    machine_expect(device, core, RESULT, best, sizeof best);
    *value = machine_word(device, core, MARKS + 4) - machine_word(device, core, MARKS);
    bh_device_destroy(device);
    return true;
}
