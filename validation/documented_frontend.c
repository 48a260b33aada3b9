/* Frontends: expanders, wait gate, and how much the FIFOs of instructions hold. */
#include "validation/documented.h"

enum { LOOPS = 100 };

static double mop_rate(const struct documented_figure *figure)
{
    return LOOPS * length_of(figure->text) / cycles_of_pushes(figure->text, LOOPS);
}

/* What a MOP and another instruction take beyond a cycle for each instruction. */
static double mop_transition(const struct documented_figure *figure)
{
    return cycles_of_pushes(figure->text, LOOPS) - LOOPS - 1;
}

static double replayed(const struct documented_figure *figure)
{
    return 32 / cycles_of_pattern(0, figure->text) / 32;
}

/* The instructions that one REPLAY plays when the whole buffer is recorded. */
static double replay_buffer(const struct documented_figure *figure)
{
    return 32 * cycles_of_pattern(0, figure->text);
}

static double replay_penalty(const struct documented_figure *figure)
{
    return 32 * cycles_of_pattern(0, figure->text) - 32;
}

static double threads_at_once(const struct documented_figure *figure)
{
    const struct thread_work work[THREADS] = {
        {.pattern = figure->text}, {.pattern = figure->text}, {.pattern = figure->text}};
    return THREADS * length_of(figure->text) / cycles_of_round(work);
}

/* Two threads post a semaphore to each other. Each half of a round: the post, the lag, the SEMGET behind the wait. */
static double lag(const struct documented_figure *figure)
{
    const struct thread_work work[THREADS] = {
        {.setup = "SEMINIT max_value=15, init_value=1, sem_sel=1",
         .pattern = "SEMWAIT stall_res=2, sem_sel=1, wait_sem_cond=1; SEMGET sem_sel=1; SEMPOST sem_sel=2"},
        {.pattern = "SEMWAIT stall_res=2, sem_sel=2, wait_sem_cond=1; SEMGET sem_sel=2; SEMPOST sem_sel=1"}};
    (void)figure;
    return cycles_of_round(work) / 2 - 2;
}

const struct documented_figure documented_frontend[] = {
    {"D0022", measure_rate, "NOP", 0, 0},
    {"D0036", mop_rate, "MOP mop_type=1; MOP mop_type=1", 0, 0},
    {"D0037", mop_transition, "MOP mop_type=1; NOP", 0, 0},
    {"D0038", replayed, "NOP", 0, 0},
    {"D0039", replay_penalty, "NOP", 0, 0},
    {"D0040", replay_buffer, "NOP", 0, 0},
    {"D0041", measure_rate, "NOP", 0, 0},
    {"D0042", threads_at_once, "NOP", 0, 0},
    {"D0043", lag, 0, 0, 0},
    {"D0044", measure_beyond, "NOP; STALLWAIT stall_res=0x40, wait_res=1", 0, 1},
    {0},
};
