#include "tensix/engine/trace.h"

#include <string.h>

#include "tensix/engine/engine.h"
#include "tensix/engine/portable.h"

/* How many of the words may be operations of a trace: those of the vector unit, SETRWC and INCRWC. */
static uint32_t count_candidates(const uint32_t *words, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && vector_may_be_decoded(words[i])) {
        i++;
    }
    return i;
}

/* Two chains of multiplications, since each waits for the one before it. */
static uint32_t hash_of(const uint32_t *words, uint32_t count)
{
    uint32_t even = count * 0x85ebca6bu, odd = words[count - 1];
    for (uint32_t i = 0; i + 1 < count; i += 2) {
        even = (even ^ words[i]) * 0x9e3779b1u;
        odd = (odd ^ words[i + 1]) * 0xc2b2ae35u;
    }
    even ^= odd << 16 | odd >> 16;
    return (even ^ even >> 15) * 0x2c1b3c6du;
}

static bool is_of(const struct trace *trace, const uint32_t *words, uint32_t count)
{
    return trace->length == count && memcmp(trace->words, words, count * sizeof *words) == 0;
}

struct vector_operation trace_decode(uint32_t word)
{
    struct vector_operation operation = vector_decode(word);
    portable_prepare(&operation);
    return operation;
}

static void load(struct trace *trace, const struct trace_compiler *compiler, const uint32_t *words, uint32_t count)
{
    trace->length = (uint8_t)count;
    trace->executed = 0;
    trace->finds_columns = false;
    memset(trace->code, 0, sizeof trace->code);
    memcpy(trace->words, words, count * sizeof *words);
    uint32_t i = 0;
    for (; i < count; i++) {
        trace->operations[i] = trace_decode(words[i]);
        bool compiles = trace_compiles(compiler, &trace->operations[i]);
        trace->compiles = i ? trace->compiles : compiles;
        if (trace->operations[i].kind == VECTOR_NOT_DECODED || compiles != trace->compiles) {
            break;
        }
    }
    trace->decoded = (uint8_t)i;
}

/* These words are in no trace of their set. When they are looked up a second time they take the place of one. */
static __attribute__((noinline)) struct trace *consider(struct engine *engine, uint32_t hash, const uint32_t *words,
                                                        uint32_t count)
{
    struct trace_cache *cache = &engine->cache;
    uint32_t set = hash % TRACE_SETS;
    if (cache->candidates[set] != hash) {
        cache->candidates[set] = hash;
        return NULL;
    }
    uint32_t index = set * TRACE_WAYS + cache->victims[set]++ % TRACE_WAYS;
    cache->tags[index].hash = hash;
    cache->tags[index].loads++;
    load(&cache->traces[index], &engine->compiler, words, count);
    return &cache->traces[index];
}

static struct trace *look_up(struct engine *engine, const uint32_t *words, uint32_t count)
{
    struct trace_cache *cache = &engine->cache;
    uint32_t hash = hash_of(words, count);
    for (uint32_t index = hash % TRACE_SETS * TRACE_WAYS, i = 0; i < TRACE_WAYS; i++) {
        if (cache->tags[index + i].hash == hash && is_of(&cache->traces[index + i], words, count)) {
            return &cache->traces[index + i];
        }
    }
    return consider(engine, hash, words, count);
}

struct trace *trace_find(struct engine *engine, unsigned thread, const struct burst *burst, uint32_t from,
                         uint32_t count)
{
    struct trace_cache *cache = &engine->cache;
    const uint32_t *words = burst->words + from;
    if (burst->place == BURST_ELSEWHERE) {
        count = count_candidates(words, count);
        return count ? look_up(engine, words, count) : NULL;
    }
    struct trace_memo *memo = &cache->memos[thread][burst->place + from];
    if (memo->buffer_loads == cache->buffer_loads[thread] && memo->length == count &&
        cache->tags[memo->index].loads == memo->trace_loads) {
        return &cache->traces[memo->index];
    }
    uint32_t candidates = count_candidates(words, count);
    struct trace *trace = candidates ? look_up(engine, words, candidates) : NULL;
    if (trace) {
        uint8_t index = (uint8_t)(trace - cache->traces);
        *memo = (struct trace_memo){cache->buffer_loads[thread], cache->tags[index].loads, (uint8_t)count, index};
    }
    return trace;
}

void trace_forget_code(struct trace_cache *cache)
{
    for (unsigned i = 0; i < TRACES; i++) {
        if (cache->tags[i].loads) {
            memset(cache->traces[i].code, 0, sizeof cache->traces[i].code);
            cache->traces[i].executed = 0;
        }
    }
}
