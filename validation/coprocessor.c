#include "validation/coprocessor.h"

static const uint32_t wall_clock = 0xFFB121F0, mop_config = 0xFFB80000, sync_all = 0xFFE80004, sync_mop = 0xFFE80008,
                      instruction_buffer = 0xFFE40000;
static const struct place tile = {1, 2};

void store(struct program *program, uint32_t address, uint32_t value)
{
    emit_li(program, T0, address);
    emit_li(program, T1, value);
    emit_sw(program, T1, T0, 0);
}

static void synchronize(struct program *program, uint32_t address)
{
    emit_li(program, T0, address);
    emit_sw(program, ZERO, T0, 0);
    emit_lw(program, T1, T0, 0);
    RV(AND, ZERO, ZERO, T1);
}

void wait_for_coprocessor(struct program *program)
{
    synchronize(program, sync_all);
}

void wait_for_mop_expander(struct program *program)
{
    synchronize(program, sync_mop);
}

void drain(struct program *program, uint32_t what)
{
    emit_tensix(program, TT_OP_STALLWAIT(STALL_SYNC, what));
    wait_for_coprocessor(program);
}

void mark(struct program *program, unsigned index)
{
    emit_li(program, T0, wall_clock);
    emit_lw(program, T1, T0, 0);
    emit_li(program, T0, MARKS + 4 * index);
    emit_sw(program, T1, T0, 0);
}

void emit_words(struct program *program, const uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        emit_tensix(program, words[i]);
    }
}

void push_by_store(struct program *program, uint32_t word)
{
    emit_li(program, T0, word);
    emit_li(program, T1, instruction_buffer);
    emit_sw(program, T0, T1, 0);
}

void record_replay(struct program *program, const uint32_t *words, uint32_t count)
{
    emit_tensix(program, TT_OP_REPLAY(0, count, 0, 1));
    emit_words(program, words, count);
}

void write_mop(struct program *program, const uint32_t config[9])
{
    wait_for_mop_expander(program);
    for (unsigned i = 0; i < 9; i++) {
        store(program, mop_config + 4 * i, config[i]);
    }
}

void configure_mop(struct program *program, uint32_t rounds, uint32_t word, uint32_t last)
{
    uint32_t nop = TT_OP_NOP;
    write_mop(program, (const uint32_t[9]){1, rounds, nop, nop, nop, word, nop, last, last});
}

void configure_single_mop(struct program *program, uint32_t word)
{
    uint32_t nop = TT_OP_NOP;
    write_mop(program, (const uint32_t[9]){1, 1, word, nop, nop, nop, nop, nop, nop});
}

double run_marked(struct program *programs, const enum bh_core *cores, unsigned count)
{
    struct bh_device *device = machine_create();
    for (unsigned i = 0; i < count; i++) {
        emit_end(&programs[i]);
        machine_load(device, tile, &programs[i]);
    }
    for (unsigned i = 0; i < count; i++) {
        machine_start(device, tile, cores[i], &programs[i]);
    }
    machine_run(device);
    double cycles = machine_word(device, tile, MARKS + 4) - machine_word(device, tile, MARKS);
    bh_device_destroy(device);
    return cycles;
}
