/* So many values of FP32 from L1 to Dst, and from there back to L1, with all that it takes to set unpacker and packer
   up: how many is known only when the program runs. And stores to Dst that are pushed meanwhile. */
#include <string.h>

#include "validation/engines.h"
#include "validation/validation.h"

enum { LOADER_CODE = 0x8000, MATH_CODE = 0x18000, PACKER_CODE = 0x28000, TILE = 1024 };
enum { PARAMETERS = 0x30000, INPUT = 0x40000, OUTPUT = 0x48000 };
enum { UNPACK_MARKS = 0, PACK_MARKS = 2, STORE_MARKS = 4, CONTROL_MARKS = 6 };

static const struct place tile_of_cores = {1, 2};
static struct program programs[3];

struct copy {
    uint32_t tile, loaded, loaded_to; /* so many values, from this one of the tile on */
    uint32_t packed, packed_from, format;
    bool stochastic;
};

static struct program *begin(unsigned i, uint32_t address)
{
    begin_together(&programs[i], i == 0, address);
    emit_li(&programs[i], T0, PARAMETERS + 4 * i);
    emit_lw(&programs[i], AMOUNT, T0, 0);
    return &programs[i];
}

static void end_mark(struct program *program, unsigned index)
{
    mark(program, index);
    RVI(FENCE, ZERO, ZERO, 0xff);
}

static void load(const struct copy *copy)
{
    struct program *program = begin(0, LOADER_CODE);
    mark(program, UNPACK_MARKS);
    load_to_dst(program, INPUT, copy->tile * 64 + copy->loaded_to / 16, copy->stochastic);
    end_mark(program, UNPACK_MARKS + 1);
}

static void hand_over(const struct copy *copy)
{
    enum { PRNG_SEED = CONFIG + 186 * 4, NOPS = 600 };
    struct program *program = begin(1, MATH_CODE);
    if (copy->stochastic) {
        store(program, PRNG_SEED, 0x13579bdf);
        configure_mop(program, NOPS, TT_OP_SFPNOP, TT_OP_SFPNOP);
        emit_tensix(program, TT_OP_MOP(1, 0, 0));
        emit_tensix(program, TT_OP_STALLWAIT(STALL_SFPU, WAIT_SFPU));
    }
    emit_tensix(program, TT_OP_ZEROACC(3, 1, 0, 1, copy->tile * 4));
    emit_tensix(program, TT_OP_STALLWAIT(STALL_SYNC, WAIT_MATH));
    wait_semaphore(program, SEM_MATH_DONE, UNTIL_ROOM, STALL_SYNC);
    post_semaphore(program, SEM_MATH_DONE);
    wait_semaphore(program, SEM_LOADED, UNTIL_POSTED, STALL_SYNC);
    take_semaphore(program, SEM_LOADED);
    emit_tensix(program, TT_OP_STALLWAIT(STALL_SYNC, WAIT_MATH | WAIT_SFPU));
    post_semaphore(program, SEM_MATH_PACK);
}

static void pack(const struct copy *copy)
{
    struct program *program = begin(2, PACKER_CODE);
    mark(program, PACK_MARKS);
    pack_from_dst(program,
                  &(struct packing){OUTPUT, copy->tile, copy->packed_from / 16, copy->format, copy->stochastic});
    end_mark(program, PACK_MARKS + 1);
}

static void check(struct bh_device *device, const struct copy *copy, const uint32_t *input)
{
    for (uint32_t i = 0; i < copy->packed && !copy->stochastic; i++) {
        uint32_t at = copy->packed_from + i - copy->loaded_to;
        uint32_t expected = at < copy->loaded ? input[at] : 0, found;
        if (copy->format == FORMAT_FP32) {
            found = machine_word(device, tile_of_cores, OUTPUT + 4 * i);
        } else {
            found = machine_word(device, tile_of_cores, OUTPUT + i / 2 * 4) >> i % 2 * 16 << 16;
        }
        if (found != expected) {
            machine_fail("a copy is not what it should be");
        }
    }
}

static double run(const struct copy *copy, unsigned marks)
{
    static const enum bh_core cores[] = {BH_CORE_T0, BH_CORE_T1, BH_CORE_T2};
    uint32_t input[TILE], parameters[3] = {copy->loaded * 4, 0, copy->packed};
    for (uint32_t i = 0; i < TILE; i++) {
        input[i] = 0x3f000000 + i % 0x80 * 0x10000;
    }
    load(copy);
    hand_over(copy);
    pack(copy);
    struct bh_device *device = machine_create();
    machine_write(device, tile_of_cores, INPUT, input, sizeof input);
    machine_write(device, tile_of_cores, PARAMETERS, parameters, sizeof parameters);
    for (unsigned i = 0; i < 3; i++) {
        emit_end(&programs[i]);
        machine_load(device, tile_of_cores, &programs[i]);
    }
    for (unsigned i = 0; i < 3; i++) {
        machine_start(device, tile_of_cores, cores[i], &programs[i]);
    }
    machine_run(device);
    check(device, copy, input);
    uint32_t from = MARKS + 4 * marks;
    double cycles = machine_word(device, tile_of_cores, from + 4) - machine_word(device, tile_of_cores, from);
    bh_device_destroy(device);
    return cycles;
}

/* What a row is called, and what it copies; tiles have their number behind their name. */
static const struct {
    const char *what;
    struct copy copy;
    unsigned marks;
} rows[] = {
    {"unpacker: partial a", {3, 16, 0, TILE, 0, FORMAT_FP32, false}, UNPACK_MARKS},
    {"unpacker: partial b", {3, 128, 16, TILE, 0, FORMAT_FP32, false}, UNPACK_MARKS},
    {"unpacker: partial c", {3, 256, 256, TILE, 0, FORMAT_FP32, false}, UNPACK_MARKS},
    {"unpacker: partial d", {3, 512, 128, TILE, 0, FORMAT_FP32, false}, UNPACK_MARKS},
    {"unpacker: partial e", {3, 768, 32, TILE, 0, FORMAT_FP32, false}, UNPACK_MARKS},
    {"packer: N1 a", {0, TILE, 0, 1, 0, FORMAT_BF16, false}, PACK_MARKS},
    {"packer: N1 b", {0, TILE, 0, 1, 0, FORMAT_FP32, false}, PACK_MARKS},
    {"packer: N1024 a", {7, TILE, 0, TILE, 0, FORMAT_BF16, false}, PACK_MARKS},
    {"packer: N1024 b", {7, TILE, 0, TILE, 0, FORMAT_FP32, false}, PACK_MARKS},
    {"packer: BF16 stochastic", {6, TILE, 0, TILE, 0, FORMAT_BF16, true}, PACK_MARKS},
};

/* Stores of vectors that are pushed while all of Dst is still being loaded, which they wait for. */
static bool vector_stores(const struct measured *row, double *value)
{
    enum { ALL = 8192, STORES = 64 };
    const struct copy copy = {.loaded = ALL};
    const uint32_t bytes = ALL * 4;
    load(&copy);
    struct program *program = begin(1, MATH_CODE);
    post_semaphore(program, SEM_MATH_DONE);
    wait_semaphore(program, SEM_LOADED, UNTIL_POSTED, STALL_SYNC);
    take_semaphore(program, SEM_LOADED);
    emit_tensix(program, TT_OP_SETC16(0, 0));
    emit_tensix(program, TT_OP_SETC16(1, 0));
    emit_tensix(program, TT_OP_STALLWAIT(STALL_CFG, WAIT_MATH | WAIT_SFPU));
    emit_tensix(program, TT_OP_RMWCIB3(0x20, 0x20, 1));
    emit_tensix(program, TT_OP_SETC16(12, 0));
    emit_tensix(program, TT_OP_SETC16(28, 0));
    emit_tensix(program, TT_OP_SETC16(47, 0));
    emit_tensix(program, TT_OP_SETRWC(0, 0, 0, 0, 0, 15));
    emit_tensix(program, TT_OP_SFPENCC(0, 0, 0, 2));
    emit_tensix(program, TT_OP_STALLWAIT(STALL_SYNC, WAIT_SFPU));
    mark(program, CONTROL_MARKS);
    emit_tensix(program, TT_OP_STALLWAIT(STALL_SYNC, WAIT_SFPU));
    end_mark(program, CONTROL_MARKS + 1);
    emit_tensix(program, TT_OP_SFPLOAD(1, 3, 0, 0));
    emit_tensix(program, TT_OP_SFPLOADI(0, 0, 0xc0e4));
    mark(program, STORE_MARKS);
    for (uint32_t i = 0; i < STORES; i++) {
        emit_tensix(program, TT_OP_SFPSTORE(1, 3, 0, i % 4 * 2));
    }
    emit_tensix(program, TT_OP_STALLWAIT(STALL_SYNC, WAIT_SFPU));
    end_mark(program, STORE_MARKS + 1);
    struct bh_device *device = machine_create();
    machine_write(device, tile_of_cores, PARAMETERS, &bytes, sizeof bytes);
    for (unsigned i = 0; i < 2; i++) {
        emit_end(&programs[i]);
        machine_load(device, tile_of_cores, &programs[i]);
    }
    machine_start(device, tile_of_cores, BH_CORE_T0, &programs[0]);
    machine_start(device, tile_of_cores, BH_CORE_T1, &programs[1]);
    machine_run(device);
    uint32_t from = MARKS + 4 * STORE_MARKS;
    *value =
        (machine_word(device, tile_of_cores, from + 4) - machine_word(device, tile_of_cores, from)) / (double)STORES;
    bh_device_destroy(device);
    return true;
}

static bool copies(const struct measured *row, double *value)
{
    const char *tile = "unpacker: tile", *number = row->what + strlen(tile);
    if (!strncmp(row->what, tile, strlen(tile)) && *number >= '0' && *number <= '7') {
        *value = run(&(struct copy){(uint32_t)(*number - '0'), TILE, 0, TILE, 0, FORMAT_FP32, false}, UNPACK_MARKS);
        return true;
    }
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!strcmp(rows[i].what, row->what)) {
            *value = run(&rows[i].copy, rows[i].marks);
            return true;
        }
    }
    return false;
}

const struct validation_program validation_copies[] = {{"unpacker: tile", copies},
                                                       {"unpacker: partial", copies},
                                                       {"packer: N1", copies},
                                                       {"packer: BF16 stochastic", copies},
                                                       {"SFPU movement: store K=64", vector_stores},
                                                       {0}};
