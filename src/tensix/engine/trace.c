#include "tensix/engine/trace.h"

#include <string.h>

#include "tensix/engine/engine.h"
#include "tensix/engine/portable.h"
#include "tensix/units/dispatch.h"
#include "tensix/units/vector/counters.h"

typedef uint32_t four __attribute__((vector_size(16), aligned(sizeof(uint32_t)), may_alias));
typedef int32_t four_signed __attribute__((vector_size(16)));

/* Which of four words have one of `count` opcodes from the first on: words are compared as signed, as hosts do at once.
 */
static inline four_signed have_opcode(four words, uint32_t first, uint32_t count)
{
    const uint32_t least = (uint32_t)INT32_MIN;
    return (four_signed)(words + (least - (first << 24))) < (int32_t)(least + (count << 24));
}

/* Mostly all are of the vector unit or count, which is quickly seen: by fours, of which the last may overlap (rows
   pushed_setrwc and pushed_sfpload of the benchmark). */
static bool all_common(const uint32_t *words, uint32_t count)
{
    enum { STEP = 4 };
    four_signed all = {-1, -1, -1, -1};
    if (count < STEP) {
        return false;
    }
    for (uint32_t i = 0, last = count - STEP;; i = i + STEP < last ? i + STEP : last) {
        const four at = *(const four *)&words[i];
        all &= have_opcode(at, VECTOR_FIRST_OPCODE, TENSIX_OPCODE_SFPLOADMACRO - VECTOR_FIRST_OPCODE) |
               have_opcode(at, TENSIX_OPCODE_SETRWC, 2);
        if (i == last) {
            break;
        }
    }
    return all[0] & all[1] & all[2] & all[3];
}

_Static_assert(TENSIX_OPCODE_INCRWC == TENSIX_OPCODE_SETRWC + 1, "as all_common() has them");

uint32_t trace_candidates(const uint32_t *words, uint32_t count)
{
    uint32_t i = 0;
    if (all_common(words, count)) {
        return count;
    }
    while (i < count && tensix_may_be_traced(words[i])) {
        i++;
    }
    return i;
}

/* A sum of products, none of which waits for another. */
static uint32_t hash_of(const uint32_t *words, uint32_t count)
{
    uint64_t sum = count * UINT64_C(0x85ebca6b9e3779b1), factor = UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = 0; i < count; i++, factor += UINT64_C(0xc2b2ae3d27d4eb4e)) {
        sum += words[i] * factor;
    }
    return (uint32_t)(sum >> 32 ^ sum >> 11);
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

/* How many operations from number `i` on there can be code of, or none of, as `compiles` says. */
static uint32_t alike(const struct trace *trace, const struct trace_compiler *compiler, uint32_t i, uint32_t count,
                      bool compiles)
{
    uint32_t end = i;
    while (end < count && trace_compiles(compiler, &trace->operations[end]) == compiles) {
        end++;
    }
    return end - i;
}

/* How many of `count` decoded operations are executed together: those from the first on that there can be code of, or
   those up to where enough of these begin. */
static uint32_t choose_extent(struct trace *trace, const struct trace_compiler *compiler, uint32_t count)
{
    uint32_t end = alike(trace, compiler, 0, count, true);
    trace->compiles = end >= SHORTEST_COMPILED;
    while (!trace->compiles && end < count) {
        end += alike(trace, compiler, end, count, false);
        uint32_t more = alike(trace, compiler, end, count, true);
        if (more >= SHORTEST_COMPILED) {
            break;
        }
        end += more;
    }
    return end;
}

/* Instructions that only move counters, one behind the other, do so at once; what an SFPCONFIG writes is left out if
   the next one writes it again; and those that do nothing are passed at once (rows setrwc, config_macro, config_lanes
   and nop of the benchmark). */
static void join(struct trace *trace)
{
    for (uint32_t i = 1; i < trace->decoded; i++) {
        struct vector_operation *before = &trace->operations[i - 1];
        vector_join_counters(before, &trace->operations[i]);
        if (vector_configures_anew(before, &trace->operations[i])) {
            *before = (struct vector_operation){.kind = VECTOR_NOTHING, .word = before->word};
        }
    }
    uint32_t nothing = 0;
    for (uint32_t i = trace->decoded; i-- > 0;) {
        struct vector_operation *operation = &trace->operations[i];
        if (operation->kind == VECTOR_NOTHING) {
            operation->immediate = nothing++;
        } else {
            nothing = 0;
        }
        portable_prepare(operation);
    }
}

static void load(struct trace *trace, const struct trace_compiler *compiler, const uint32_t *words, uint32_t count)
{
    trace->length = (uint8_t)count;
    trace->executed = 0;
    trace->finds_columns = false;
    memset(trace->code, 0, sizeof trace->code);
    memcpy(trace->words, words, count * sizeof *words);
    uint32_t decoded = 0;
    for (; decoded < count; decoded++) {
        trace->operations[decoded] = trace_decode(words[decoded]);
        if (trace->operations[decoded].kind == VECTOR_NOT_DECODED) {
            break;
        }
    }
    trace->decoded = (uint8_t)choose_extent(trace, compiler, decoded);
    if (!trace->compiles) {
        join(trace);
    }
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

/* The trace of those words, one by one of their set. */
static struct trace *look_up_all(struct engine *engine, const uint32_t *words, uint32_t count)
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

/* What a core pushes is mostly what it has pushed right before, so that no hash has to be made (rows pushed_*). */
static struct trace *look_up(struct engine *engine, const uint32_t *words, uint32_t count)
{
    struct trace_cache *cache = &engine->cache;
    uint8_t *latest = &cache->latest[words[0] >> 24 & (TRACE_LATEST - 1)];
    if (is_of(&cache->traces[*latest], words, count)) {
        return &cache->traces[*latest];
    }
    struct trace *trace = look_up_all(engine, words, count);
    if (trace) {
        *latest = (uint8_t)(trace - cache->traces);
    }
    return trace;
}

struct trace *trace_find(struct engine *engine, unsigned thread, const struct burst *burst, uint32_t from,
                         uint32_t count)
{
    struct trace_cache *cache = &engine->cache;
    const uint32_t *words = burst->words + from;
    if (burst->place == BURST_ELSEWHERE) {
        uint32_t known = burst->traced > from ? burst->traced - from : trace_candidates(words, count);
        count = known < count ? known : count;
        return count ? look_up(engine, words, count) : NULL;
    }
    struct trace_memo *memo = &cache->memos[thread][burst->place + from];
    if (memo->buffer_loads == cache->buffer_loads[thread] && memo->length == count &&
        cache->tags[memo->index].loads == memo->trace_loads) {
        return &cache->traces[memo->index];
    }
    uint32_t candidates = trace_candidates(words, count);
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
