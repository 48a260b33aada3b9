/* Values to the coprocessor by way of a buffer in L1 that a core fills byte by byte. */
#include <stdlib.h>
#include <string.h>

#include "validation/engines.h"
#include "validation/kernels.h"

enum { CODE = 0x8000, OUTER = 0x40000, BUFFER = 0x43000, MOST = 256 };
enum { COUNT = S0, AT_INDEX = S1, LIMIT = S2, FROM_BYTE = S3, TO_BYTE = S4, VALUE = S5 };

static const struct place core = {1, 11};
static struct program program_room;

static struct program *begin(void)
{
    program_room = (struct program){.address = CODE};
    emit_firmware_state(&program_room, false);
    return &program_room;
}

/* A loop that asks at its top: where it begins; *leave: its branch. */
static uint32_t open_loop(struct program *program, uint32_t *leave)
{
    uint32_t top = program->count;
    *leave = emit_branch(program, RV32_OP_BGEU, AT_INDEX, LIMIT, 0);
    return top;
}

static void close_loop(struct program *program, uint32_t top, uint32_t leave)
{
    RVI(ADDI, AT_INDEX, AT_INDEX, 1);
    emit_jump(program, top);
    emit_bind(program, leave);
}

/* COUNT values. */
static void copy_bytes(struct program *program, uint32_t from, uint32_t to, uint32_t size)
{
    uint32_t leave;
    RVI(SLLI, VALUE, COUNT, size == 4 ? 2 : 1);
    RVI(ADDI, T2, VALUE, 0);
    emit_li(program, FROM_BYTE, from);
    emit_li(program, TO_BYTE, to);
    emit_li(program, AT_INDEX, 0);
    RVI(ADDI, LIMIT, T2, 0);
    uint32_t top = open_loop(program, &leave);
    RVI(LBU, VALUE, FROM_BYTE, 0);
    emit(program, RV32_OP_SB, 0, TO_BYTE, VALUE, 0);
    RVI(ADDI, FROM_BYTE, FROM_BYTE, 1);
    RVI(ADDI, TO_BYTE, TO_BYTE, 1);
    close_loop(program, top, leave);
    RVI(FENCE, ZERO, ZERO, 0xff);
}

static void clear_words(struct program *program, uint32_t address, uint32_t words)
{
    uint32_t leave;
    emit_li(program, TO_BYTE, address);
    emit_li(program, AT_INDEX, 0);
    emit_li(program, LIMIT, words);
    uint32_t top = open_loop(program, &leave);
    emit_sw(program, ZERO, TO_BYTE, 0);
    RVI(ADDI, TO_BYTE, TO_BYTE, 4);
    close_loop(program, top, leave);
}

static void mark_and_fence(struct program *program, unsigned index)
{
    mark(program, index);
    RVI(FENCE, ZERO, ZERO, 0xff);
}

/* What the core has staged must be what was there. */
static double run(const void *input, uint32_t bytes)
{
    emit_end(&program_room);
    struct bh_device *device = machine_create();
    machine_write(device, core, OUTER, input, bytes);
    machine_load(device, core, &program_room);
    machine_start(device, core, BH_CORE_T0, &program_room);
    machine_run(device);
    machine_expect(device, core, BUFFER, input, bytes);
    double cycles = machine_word(device, core, MARKS + 4) - machine_word(device, core, MARKS);
    bh_device_destroy(device);
    return cycles;
}

static uint32_t count_of(const struct measured *row)
{
    return (uint32_t)strtoul(strrchr(row->what, 'N') + 1, NULL, 10);
}

/* So many values and zeros behind them to a buffer in L1, and from there to SrcA. */
bool stage_source(const struct measured *row, double *value)
{
    uint32_t format = strstr(row->what, "FP32") ? FORMAT_FP32 : FORMAT_BF16, size = format == FORMAT_FP32 ? 4 : 2;
    uint32_t count = count_of(row), capacity = count > 128 ? 256 : 128, input[MOST];
    for (uint32_t i = 0; i < MOST; i++) {
        input[i] = (0x3f00 + i) << 16 | (0x3f80 + i);
    }
    struct program *program = begin();
    emit_tensix(program, TT_OP_SEMINIT(2, 0, 1 << SEM_UNPACK_CONFIG));
    wait_for_coprocessor(program);
    emit_li(program, COUNT, count);
    mark(program, 0);
    mark(program, 2);
    clear_words(program, BUFFER, (capacity * size + 64) / 4);
    copy_bytes(program, OUTER, BUFFER, size);
    mark_and_fence(program, 3);
    set_up_unpacker(program, 0, BUFFER, format);
    commit_unpackers(program, 0);
    store(program, CONFIG + 0x120, 0x20 | FORMAT_BF16);
    store(program, CONFIG + 0xe0, 2 | 32 << 16);
    store(program, CONFIG + 0xe4, 512);
    store(program, CONFIG + 0x150, 64 | 64 << 16);
    emit_tensix(program, TT_OP_SETADCXX(1, capacity - 1, 0));
    emit_tensix(program, TT_OP_SETADCZW(3, 0, 0, 0, 0, 15));
    emit_tensix(program, TT_OP_STALLWAIT(STALL_UNPACK, 0x400));
    emit_tensix(program, unpack_word(0));
    emit_tensix(program, TT_OP_STALLWAIT(STALL_UNPACK, WAIT_UNPACK0));
    take_semaphore(program, SEM_UNPACK_CONFIG);
    wait_for_coprocessor(program);
    mark(program, 1);
    *value = run(input, count * size);
    return true;
}
