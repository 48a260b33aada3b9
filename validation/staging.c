/* Values to the coprocessor by way of a buffer in L1 that a core fills byte by byte, and back by way of another one. */
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

/* So many values and zeros behind them to a buffer in L1, and from there to SrcA or SrcB. */
bool stage_source(const struct measured *row, double *value)
{
    uint32_t format = strstr(row->what, "FP32") ? FORMAT_FP32 : FORMAT_BF16, size = format == FORMAT_FP32 ? 4 : 2;
    uint32_t count = count_of(row), capacity = count > 128 ? 256 : 128, input[MOST];
    unsigned unpacker = strstr(row->what, "SRCB") != NULL;
    const uint32_t of = unpacker * 0xc0;
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
    set_up_unpacker(program, unpacker, BUFFER, format);
    commit_unpackers(program, unpacker);
    store(program, CONFIG + 0x120 + of, 0x20 | FORMAT_BF16);
    store(program, CONFIG + 0xe0 + 8 * unpacker, 2 | 32 << 16);
    store(program, CONFIG + 0xe4 + 8 * unpacker, 512);
    if (unpacker) {
        store(program, CONFIG + 61 * 4, 0);
    } else {
        store(program, CONFIG + 0x150, 64 | 64 << 16);
    }
    emit_tensix(program, TT_OP_SETADCXX(unpacker + 1, capacity - 1, 0));
    emit_tensix(program, TT_OP_SETADCZW(3, 0, 0, 0, 0, 15));
    emit_tensix(program, TT_OP_STALLWAIT(STALL_UNPACK, 0x400));
    emit_tensix(program, unpack_word(unpacker));
    emit_tensix(program, TT_OP_STALLWAIT(STALL_UNPACK, unpacker ? WAIT_UNPACK1 : WAIT_UNPACK0));
    take_semaphore(program, SEM_UNPACK_CONFIG);
    wait_for_coprocessor(program);
    mark(program, 1);
    *value = run(input, count * size);
    return true;
}

enum { LOADER_CODE = 0x10000, MATH_CODE = 0x18000, PACKER_CODE = 0x20000, TILES_IN_DST = 8, TILE_BYTES = 4096 };
enum { TILES = 0x50000, EXACT = 0x60000, PACKED = 0x61000 };

/* All of Dst is loaded first. */
static void load_all(struct program *loader, struct program *math)
{
    begin_together(loader, true, LOADER_CODE);
    begin_together(math, false, MATH_CODE);
    for (uint32_t tile = 0; tile < TILES_IN_DST; tile++) {
        emit_li(loader, AMOUNT, TILE_BYTES);
        load_to_dst(loader, TILES + tile * TILE_BYTES, tile * 64, false);
        post_semaphore(math, SEM_MATH_DONE);
        wait_semaphore(math, SEM_LOADED, UNTIL_POSTED, STALL_SYNC);
        take_semaphore(math, SEM_LOADED);
    }
    emit_tensix(math, TT_OP_STALLWAIT(STALL_SYNC, WAIT_MATH | WAIT_SFPU));
    post_semaphore(math, SEM_MATH_PACK);
}

/* So many values from Dst to a buffer in L1, and from there byte by byte to where nothing behind them changes. */
static void pack_exactly(struct program *program, uint32_t count, uint32_t format)
{
    begin_together(program, false, PACKER_CODE);
    wait_semaphore(program, SEM_MATH_PACK, UNTIL_POSTED, STALL_TDMA);
    wait_for_coprocessor(program);
    emit_li(program, AMOUNT, count); /* COUNT is the same register */
    mark(program, 4);
    mark_and_fence(program, 5);
    mark(program, 0);
    pack_from_dst(program, &(struct packing){PACKED, 0, 0, format, false});
    mark(program, 2);
    copy_bytes(program, PACKED, EXACT, format == FORMAT_FP32 ? 4 : 2);
    mark_and_fence(program, 3);
    mark_and_fence(program, 1);
}

bool stage_packed(const struct measured *row, double *value)
{
    static const enum bh_core cores[] = {BH_CORE_T0, BH_CORE_T1, BH_CORE_T2};
    static struct program programs[3];
    uint32_t format = strstr(row->what, "FP32") ? FORMAT_FP32 : FORMAT_BF16;
    load_all(&programs[0], &programs[1]);
    pack_exactly(&programs[2], count_of(row), format);
    *value = run_marked(programs, cores, 3);
    return true;
}
