/* Instructions: Tensix words on a tile in random state, and programs for the cores. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu/device.h"
#include "bhemu/program.h"
#include "fuzz.h"
#include "isa/tensix_isa.h"
#include "isa/tensix_table.h"
#include "random.h"
#include "tile/mmio.h"
#include "tile/sight.h"
#include "tile/tile.h"
#include "tile/waits.h"

/* A tile that is allocated once and cleared for each input, since it is large. */
static struct tile *fresh_tile(void)
{
    static struct tile tile;
    static struct tile_state *state;
    if (state) {
        tile_destroy(&tile);
        memset(state, 0, offsetof(struct tile_state, l1));
        memset(state->l1, 0, 0x30000); /* clears the programs' memory; the rest may hold anything */
    } else {
        state = aligned_alloc(4096, (sizeof *state + 4095) / 4096 * 4096);
        if (state) {
            memset(state, 0, sizeof *state);
        }
    }
    if (!state || !tile_create(&tile, state, 1, 2)) {
        abort();
    }
    return &tile;
}

/* Fills state that may hold any bits: configuration, GPRs, data. Most words of the configuration are small or zero, so
   that random addresses and counts sometimes fit. */
static void randomize(struct tile *tile, struct random *random)
{
    struct tensix_state *state = &tile->state->tensix;
    for (unsigned i = 0; i < CONFIG_WORDS; i++) {
        uint32_t word = next(random), kind = next(random) % 4;
        word = kind == 0   ? word
               : kind == 1 ? word & next(random) & next(random) & next(random)
               : kind == 2 ? 0
                           : word & 0x1fff;
        state->config.bank[0][i] = word;
        state->config.bank[1][i] = i < GLOBAL_CFGREG_BASE_ADDR32 && next(random) % 4 ? next(random) : word;
    }
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        for (unsigned i = 0; i < THD_STATE_SIZE; i++) {
            state->config.thread[thread][i] = (uint16_t)(next(random) % 4 ? 0 : next(random));
        }
        for (unsigned i = 0; i < GPRS; i++) {
            uint32_t word = next(random);
            state->scalar.gpr[thread][i] = next(random) % 2 ? word % (L1_SIZE / 16) : word;
        }
        for (unsigned i = 0; i < MOP_CONFIG_WORDS; i++) {
            state->frontend[thread].mop.config[i] = next(random);
        }
    }
    fill(random, state->dst.rows, sizeof state->dst.rows);
    for (unsigned bank = 0; bank < SRC_BANKS; bank++) {
        for (unsigned row = 0; row < SRC_ROWS; row++) {
            for (unsigned column = 0; column < ROW_COLUMNS; column++) {
                state->srca.rows[bank][row][column] = next(random) & 0xffffe000;
                state->srcb.rows[bank][row][column] = next(random) & 0xffffe000;
            }
        }
        state->srca.owner[bank] = next(random) & 1;
        state->srcb.owner[bank] = next(random) & 1;
        state->srca.format[bank] = next(random) & 15;
        state->srcb.format[bank] = next(random) & 15;
    }
    fill(random, tile->state->l1 + 0x20000, 0x10000);
}

static uint32_t word_at(const uint8_t *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, 4);
    return word;
}

/* Makes a word from 5 bytes: the kind, then the word. Mostly an existing instruction without reserved bits. */
static uint32_t tensix_word(const uint8_t *bytes)
{
    uint32_t word = word_at(bytes + 1);
    if (bytes[0] & 0x80) {
        return word;
    }
    for (unsigned i = 0; i < 256; i++) {
        const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)((word >> 24) + i));
        if (instruction) {
            return (uint32_t)instruction->opcode << 24 | (word & 0xffffff & ~instruction->reserved);
        }
    }
    return word;
}

/* Reports who waits for whom. */
static void explain(const struct tile *tile)
{
    static struct tile_sight sight;
    static struct waits waits;
    char buffer[BH_DIAGNOSTIC_TEXT];
    struct text text = {.buffer = buffer, .size = sizeof buffer};
    struct bh_place places[BH_PLACES] = {};
    uint16_t lines[BH_PLACES] = {};
    tile_see(tile, &sight);
    tile_explain(tile, &sight, &waits);
    waits_write(&waits, &text, places, lines);
}

void fuzz_tensix(const uint8_t *bytes, size_t size)
{
    enum { STEP = 5, MOST = 200 };
    if (size < 4) {
        return;
    }
    struct random random = {word_at(bytes)};
    struct tile *tile = fresh_tile();
    struct diagnostics *diagnostics = &tile->state->diagnostics;
    randomize(tile, &random);
    diagnostics_set_policy(diagnostics, random.state & 1 ? BH_POLICY_SILICON : BH_POLICY_DEFAULT);
    for (size_t i = 4, count = 0; i + STEP <= size && count < MOST; i += STEP, count++) {
        unsigned thread = bytes[i] % TENSIX_THREADS;
        (void)frontend_push(&tile->tensix, thread, tensix_word(bytes + i), (uint32_t)i, bytes[i] & 0x40);
        (void)tile_run(tile, 1000);
        if (diagnostics->stopped) { /* continue with the next instruction */
            tile->state->tensix.frontend[thread].at_gate = false;
            diagnostics->stopped = false;
        }
        diagnostics->count = 0;
        explain(tile);
    }
}

/* The page of a register of the table, for any stream or NIU. */
static uint32_t register_page(const uint8_t *bytes)
{
    unsigned count;
    const struct mmio_register *registers = mmio_registers(&count);
    uint32_t address = registers[(bytes[0] | bytes[1] << 8) % count].address, copy = bytes[2];
    switch (mmio_region_at(address)) {
    case MMIO_OVERLAY: return address + copy % STREAMS * STREAM_STRIDE;
    case MMIO_NIU0: return address + copy % NIUS * 0x10000;
    default: return address;
    }
}

/* A load or store of a word at one of the registers x5..x8. */
static uint32_t access_word(const uint8_t *bytes)
{
    uint32_t offset = (bytes[0] | (uint32_t)bytes[1] << 8) & 0xffc, base = (5 + bytes[2] % 4) << 15 | 2 << 12;
    uint32_t other = bytes[3] >> 1 & 31;
    return bytes[3] & 1 ? base | offset >> 5 << 25 | other << 20 | (offset & 0x1f) << 7 | 0x23
                        : base | offset << 20 | other << 7 | 0x03;
}

/* Makes a word from 5 bytes: a random word; one with the opcode of a base instruction; or one that loads an address
   into a register that the others use. */
static uint32_t rv32_word(const uint8_t *bytes)
{
    static const uint8_t opcodes[] = {0x03, 0x13, 0x17, 0x23, 0x2f, 0x33, 0x37, 0x63, 0x67, 0x6f, 0x73, 0x0f};
    uint32_t word = word_at(bytes + 1), lui = (5 + bytes[1] % 4) << 7 | 0x37;
    switch (bytes[0] % 4) {
    case 0: return word;
    case 1: return lui | (bytes[0] & 0x80 ? register_page(bytes + 2) & 0xfffff000 : word & 0x1ff000);
    case 2: return access_word(bytes + 1);
    default: return (word & ~0x7fu) | opcodes[bytes[1] % sizeof opcodes];
    }
}

/* Takes cores out of reset at these addresses. */
static void release(struct tile *tile, const uint32_t pcs[BH_CORE_COUNT])
{
    static const uint32_t soft_reset_of_all = 0x47800;
    const uint32_t set_up[][2] = {
        {MMIO_ADDRESS_TRISC0_RESET_PC, pcs[BH_CORE_T0]},     {MMIO_ADDRESS_TRISC0_RESET_PC + 4, pcs[BH_CORE_T1]},
        {MMIO_ADDRESS_TRISC0_RESET_PC + 8, pcs[BH_CORE_T2]}, {MMIO_ADDRESS_NCRISC_RESET_PC, pcs[BH_CORE_NC]},
        {MMIO_ADDRESS_TRISC_RESET_PC_OVERRIDE, 7},           {MMIO_ADDRESS_NCRISC_RESET_PC_OVERRIDE, 1},
        {MMIO_ADDRESS_SOFT_RESET_0, soft_reset_of_all},      {MMIO_ADDRESS_SOFT_RESET_0, 0}};
    for (size_t i = 0; i < sizeof set_up / sizeof *set_up; i++) {
        (void)tile_write(tile, set_up[i][0], &set_up[i][1], 4);
    }
}

/* Runs several more quanta, with checks for hangs and explanations in between. */
static void run_for_a_while(struct tile *tile, unsigned quanta, uint64_t cycles)
{
    for (unsigned i = 0; i < quanta; i++) {
        uint64_t watched = 200;
        (void)tile_run(tile, cycles);
        (void)tile_spins(tile, &watched);
        tile->state->diagnostics.count = 0;
    }
    explain(tile);
}

void fuzz_rv32(const uint8_t *bytes, size_t size)
{
    enum { STEP = 5, WORDS = 64, APART = 0x1000 };
    struct tile *tile = fresh_tile();
    diagnostics_set_policy(&tile->state->diagnostics, size % 3 ? BH_POLICY_SILICON : BH_POLICY_DEFAULT);
    for (size_t i = 0; i + STEP <= size && i / STEP < (size_t)WORDS * BH_CORE_COUNT; i += STEP) {
        unsigned core = (unsigned)(i / STEP % BH_CORE_COUNT);
        uint32_t word = rv32_word(bytes + i);
        l1_write(&tile->l1, core * APART + (uint32_t)(i / STEP / BH_CORE_COUNT) * 4, &word, 4);
    }
    release(tile, (const uint32_t[]){0, APART, 2 * APART, 3 * APART, 4 * APART});
    run_for_a_while(tile, 8, 300);
}

enum { KERNELS = 3, IMAGE = 0x60000, KERNEL_PROGRAMS = 3, CODE = 0x6000, CODE_APART = 0x4000, CODE_SIZE = 0x800 };
enum { ARGUMENTS = 0x16100, INPUTS = 0x30000, INPUTS_SIZE = 0x20000 };

/* L1 at the start of a kernel; null if the kernel has not been built. */
static const uint8_t *kernel_image(unsigned kernel)
{
    static const char *const names[KERNELS] = {"add1", "eltwise_add", "matmul32"};
    static const uint32_t arguments[] = {INPUTS, INPUTS + 0x10000, 0x50000, 2, 2, 1, 4};
    static uint8_t *images[KERNELS];
    if (images[kernel]) {
        return images[kernel];
    }
    struct bh_device *device;
    uint8_t *image = malloc(IMAGE);
    if (!image || bh_device_create(NULL, &device) != BH_OK) {
        abort();
    }
    bool there = true;
    for (unsigned i = 0; i < KERNEL_PROGRAMS; i++) {
        char path[1000];
        snprintf(path, sizeof path, FUZZ_KERNELS "/%s.trisc%u.elf", names[kernel], i);
        there &= bh_load_elf(device, 1, 2, (enum bh_core)(BH_CORE_T0 + i), path, NULL, NULL) == BH_OK;
    }
    there &= bh_write(device, 1, 2, ARGUMENTS, arguments, sizeof arguments) == BH_OK;
    there &= bh_read(device, 1, 2, 0, image, IMAGE) == BH_OK;
    bh_device_destroy(device);
    if (!there) {
        free(image);
        return NULL;
    }
    struct random random = {kernel};
    fill(&random, image + INPUTS, INPUTS_SIZE);
    images[kernel] = image;
    return image;
}

void fuzz_kernel(const uint8_t *bytes, size_t size)
{
    enum { SELF_JUMP_WORD = 0x6f, CHANGE = 3, MOST = 20, NC_PC = 0x12000 };
    const uint8_t *image = size ? kernel_image(bytes[0] % KERNELS) : NULL;
    if (!image) {
        return;
    }
    static const uint32_t stay = SELF_JUMP_WORD;
    struct tile *tile = fresh_tile();
    diagnostics_set_policy(&tile->state->diagnostics, bytes[0] & 0x80 ? BH_POLICY_DEFAULT : BH_POLICY_SILICON);
    l1_write(&tile->l1, 0, image, IMAGE);
    l1_write(&tile->l1, 0, &stay, 4);
    l1_write(&tile->l1, NC_PC, &stay, 4);
    for (size_t i = 1; i + CHANGE <= size && i < 1 + (size_t)CHANGE * MOST; i += CHANGE) {
        uint32_t place = bytes[i] | (uint32_t)bytes[i + 1] << 8;
        uint32_t address = CODE + place % KERNEL_PROGRAMS * CODE_APART + place / KERNEL_PROGRAMS % CODE_SIZE;
        uint8_t changed = tile->state->l1[address] ^ bytes[i + 2];
        l1_write(&tile->l1, address, &changed, 1);
    }
    release(tile, (const uint32_t[]){0, CODE, CODE + CODE_APART, CODE + 2 * CODE_APART, NC_PC});
    run_for_a_while(tile, 6, 1000);
}
