#include "tensix/units/late.h"

#include "isa/tensix_isa.h"
#include "tensix/units/state.h"
#include "time/timing.h"

static void arrive(struct tensix *tensix, const struct late_result *result)
{
    if (result->kind != LATE_CONFIG) {
        memcpy(&tensix->state->scalar.gpr[result->owner][result->index], result->data, result->bytes);
    } else {
        config_write(tensix, result->owner, result->index, result->data[0], UINT32_MAX);
    }
}

/* Of those that are due at the same time, the one whose instruction came first. */
static uint32_t first_due(const struct late_results *results)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < results->count; i++) {
        first = results->of[i].due < results->of[first].due ? i : first;
    }
    return first;
}

static void take(struct tensix *tensix, uint32_t index)
{
    struct late_results *results = &tensix->state->timing.late;
    struct late_result result = results->of[index];
    results->count--;
    memmove(&results->of[index], &results->of[index + 1], (results->count - index) * sizeof result);
    arrive(tensix, &result);
}

void late_arrive(struct tensix *tensix, uint64_t time)
{
    struct late_results *results = &tensix->state->timing.late;
    while (results->count) {
        uint32_t first = first_due(results);
        if (results->of[first].due > time) {
            break;
        }
        take(tensix, first);
    }
}

void late_reads_arrive(struct tensix *tensix, unsigned thread, uint64_t time)
{
    struct late_results *results = &tensix->state->timing.late;
    for (uint32_t i = 0; i < results->count;) {
        const struct late_result *result = &results->of[i];
        if (result->kind == LATE_READ && result->owner == thread && result->due <= time) {
            take(tensix, i);
        } else {
            i++;
        }
    }
}

static void add(struct tensix *tensix, struct late_result result)
{
    struct late_results *results = &tensix->state->timing.late;
    if (results->count == LATE_RESULTS) {
        late_arrive(tensix, results->of[first_due(results)].due);
    }
    results->of[results->count++] = result;
}

/* When the result is there of the instruction that the thread executes now. */
static uint64_t due(const struct tensix *tensix, unsigned thread)
{
    uint32_t word = tensix->diagnostics->now.instruction;
    uint64_t now = tensix->state->timing.now[thread] + tensix->state->lag.delay;
    switch (word >> 24) {
    case TENSIX_OPCODE_LOADIND:
    case TENSIX_OPCODE_LOADREG: return now + TIMING_SCALAR_LOAD;
    case TENSIX_OPCODE_ATINCGET: return now + TIMING_SCALAR_ATOMIC;
    default: return now + timing_latency(word);
    }
}

static bool reads_config(const struct tensix *tensix)
{
    return tensix->diagnostics->now.instruction >> 24 == TENSIX_OPCODE_RDCFG;
}

void late_gpr(struct tensix *tensix, unsigned thread, unsigned index, const void *data, unsigned bytes)
{
    struct late_result result = {.due = due(tensix, thread),
                                 .kind = reads_config(tensix) ? LATE_READ : LATE_GPR,
                                 .owner = (uint8_t)thread,
                                 .index = (uint8_t)index,
                                 .bytes = (uint8_t)bytes};
    memcpy(result.data, data, bytes);
    add(tensix, result);
}

void late_config(struct tensix *tensix, unsigned thread, unsigned bank, uint32_t index, uint32_t value)
{
    add(tensix, (struct late_result){.due = due(tensix, thread),
                                     .kind = LATE_CONFIG,
                                     .owner = (uint8_t)bank,
                                     .index = (uint8_t)index,
                                     .data = {value}});
}
