/* Runs patterns of Tensix instructions, and finds who measures a documented figure. */
#include "validation/documented.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/tensix_table.h"
#include "isa/tensix_text.h"

enum {
    CODE = 0x8000,
    CODE_STRIDE = 0x4000,
    RESULT = 0x120000,
    ROUNDS = 64,
    REPLAY_ROOM = 32,
    SETUP_ROOM = 128,
    TEXT = 256
};
#define CONFIG 0xFFEF0000u
#define MOP_CONFIG 0xFFB80000u
#define NOP 0x02000000u
#define SETADCXX 0x5E000000u
#define WALL_CLOCK 0xFFB121F0u
#define COPROCESSOR_DONE 0xFFE80004u

static const struct place tile = {1, 2};

unsigned assemble(const char *text, uint32_t *words, unsigned room)
{
    unsigned count = 0;
    while (text && *text) {
        char one[TEXT];
        struct tensix_text_error error;
        size_t length = strcspn(text, ";");
        (void)snprintf(one, sizeof one, "%.*s", (int)length, text);
        const char *name = one + strspn(one, " ");
        const struct tensix_instruction *instruction = tensix_by_name(name);
        if (instruction && count < room) { /* no operands: all of them 0 */
            words[count] = (uint32_t)instruction->opcode << 24;
        } else if (count == room || !tensix_assemble(one, &words[count], &error)) {
            (void)fprintf(stderr, "validation: %s: %s\n", one, count == room ? "too much" : error.text);
            exit(1);
        }
        count++;
        text += length + (text[length] == ';');
    }
    return count;
}

static void emit_text(struct program *program, const char *text)
{
    uint32_t words[SETUP_ROOM];
    unsigned count = assemble(text, words, SETUP_ROOM);
    for (unsigned i = 0; i < count; i++) {
        emit_tensix(program, words[i]);
    }
}

/* Waits until the coprocessor has done everything that this core's thread was given. */
static void emit_wait_for_thread(struct program *program)
{
    emit_li(program, T0, COPROCESSOR_DONE);
    emit_sw(program, ZERO, T0, 0);
    emit_lw(program, T1, T0, 0);
    RVI(ANDI, T1, T1, 0);
}

static uint32_t replay(unsigned length, bool load)
{
    char text[TEXT];
    uint32_t word;
    (void)snprintf(text, sizeof text, "REPLAY len=%u, load_mode=%u", length & 31, load);
    (void)assemble(text, &word, 1);
    return word;
}

/* The core of a thread puts the pattern, `copies` of it, into the replay buffer and plays it `rounds` times. What it
   stores is the clock when the thread has come to its end. */
static void emit_config(struct program *program, const struct setting *setting)
{
    for (; setting && setting->address; setting++) {
        emit_li(program, T0, CONFIG + 4 * setting->address);
        emit_li(program, T1, setting->value);
        emit_sw(program, T1, T0, 0);
    }
    emit(program, RV32_OP_FENCE, 0, 0, 0, 0);
}

/* What a round of the loop pushes: a replay of the pattern, or the pattern itself. */
static void emit_round(struct program *program, const struct thread_work *work, unsigned length)
{
    if (work->loops) {
        emit_text(program, work->pattern);
    } else {
        emit_tensix(program, replay(length, false));
    }
}

/* MOPs become so many NOPs. */
static void emit_mop_config(struct program *program, unsigned loops)
{
    emit_li(program, T0, MOP_CONFIG);
    emit_li(program, T1, 1);
    emit_sw(program, T1, T0, 0);
    emit_li(program, T1, loops);
    emit_sw(program, T1, T0, 4);
    emit_li(program, T1, NOP);
    for (int32_t i = 2; i < 5; i++) {
        emit_sw(program, T1, T0, 4 * i);
    }
    emit_sw(program, T1, T0, 24);
    emit_li(program, T1, SETADCXX);
    emit_sw(program, T1, T0, 20);
    emit_sw(program, T1, T0, 28);
    emit_sw(program, T1, T0, 32);
    emit(program, RV32_OP_FENCE, 0, 0, 0, 0);
}

static void emit_thread(struct program *program, unsigned thread, const struct thread_work *work, unsigned copies,
                        unsigned rounds)
{
    uint32_t pattern[REPLAY_ROOM];
    unsigned length = assemble(work->pattern, pattern, REPLAY_ROOM);
    emit_config(program, work->config);
    emit_text(program, work->setup);
    if (work->loops) {
        emit_mop_config(program, work->loops);
    } else {
        emit_tensix(program, replay(length * copies, true));
        for (unsigned i = 0; i < length * copies; i++) {
            emit_tensix(program, pattern[i % length]);
        }
    }
    emit_wait_for_thread(program);
    emit_li(program, S0, rounds);
    uint32_t top = program->count;
    emit_round(program, work, length * copies);
    RVI(ADDI, S0, S0, -1);
    emit_branch(program, RV32_OP_BNE, S0, ZERO, top);
    emit_wait_for_thread(program);
    emit_li(program, A7, WALL_CLOCK);
    RV(ADD, A7, A7, T1);
    emit_lw(program, A2, A7, 0);
    emit_li(program, S1, RESULT + 4 * thread);
    emit_sw(program, A2, S1, 0);
    emit_end(program);
}

/* The clock when the last thread has come to its end. */
static double end_of(const struct thread_work work[THREADS], unsigned copies, unsigned rounds)
{
    static struct program program;
    struct bh_device *device = machine_create();
    double end = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        if (work[i].pattern) {
            program = (struct program){.address = CODE + CODE_STRIDE * i};
            emit_thread(&program, i, &work[i], copies, rounds);
            machine_load(device, tile, &program);
        }
    }
    for (unsigned i = 0; i < THREADS; i++) {
        if (work[i].pattern) {
            program.address = CODE + CODE_STRIDE * i;
            machine_start(device, tile, BH_CORE_T0 + i, &program);
        }
    }
    machine_run(device);
    for (unsigned i = 0; i < THREADS; i++) {
        if (work[i].pattern) {
            double own = machine_word(device, tile, RESULT + 4 * i);
            end = own > end ? own : end;
        }
    }
    bh_device_destroy(device);
    return end;
}

double cycles_of_round(const struct thread_work work[THREADS])
{
    unsigned longest = 1;
    for (unsigned i = 0; i < THREADS; i++) {
        uint32_t words[REPLAY_ROOM];
        unsigned length = assemble(work[i].pattern, words, REPLAY_ROOM);
        longest = length > longest ? length : longest;
    }
    unsigned copies = REPLAY_ROOM / longest;
    return (end_of(work, copies, 2 * ROUNDS) - end_of(work, copies, ROUNDS)) / ((double)ROUNDS * copies);
}

double cycles_of_pushes(const char *pattern, unsigned loops)
{
    const struct thread_work work[THREADS] = {{.pattern = pattern, .loops = loops}};
    return (end_of(work, 1, 2 * ROUNDS) - end_of(work, 1, ROUNDS)) / ROUNDS;
}

double cycles_of_pattern(const char *setup, const char *pattern)
{
    const struct thread_work work[THREADS] = {{.setup = setup, .pattern = pattern}};
    return cycles_of_round(work);
}

unsigned length_of(const char *text)
{
    uint32_t words[SETUP_ROOM];
    return assemble(text, words, SETUP_ROOM);
}

double measure_mean(const struct documented_figure *figure)
{
    return cycles_of_pattern(figure->other, figure->text) / length_of(figure->text);
}

double measure_rate(const struct documented_figure *figure)
{
    return 1 / measure_mean(figure);
}

double measure_beyond(const struct documented_figure *figure)
{
    return cycles_of_pattern(figure->other, figure->text) - figure->number;
}

bool measure_documented(const struct measured *row, double *value)
{
    static const struct documented_figure *const all[] = {
        documented_riscv,  documented_queues, documented_frontend, documented_small_units, documented_matrix,
        documented_vector, documented_data,   documented_noc,      documented_patterns};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        for (const struct documented_figure *figure = all[i]; figure->id; figure++) {
            if (!strcmp(figure->id, row->id)) {
                *value = figure->measure(figure);
                return true;
            }
        }
    }
    return false;
}
