/* A trace: a row of instructions of the vector unit, and of the counters by which it finds its rows, in decoded form,
   with code of the host for it once it has been executed often. A tile has a cache of traces, by the words that they
   consist of: wherever these come from (a replay buffer, MOPs, a core that pushes), they are decoded once. */
#ifndef BHEMU_TENSIX_ENGINE_TRACE_H
#define BHEMU_TENSIX_ENGINE_TRACE_H

#include "tensix/engine/burst.h"
#include "tensix/engine/guards.h"
#include "tensix/units/vector/operation.h"

struct engine;

/* Fewer instructions do not pay the call of their code. */
enum { SHORTEST_COMPILED = 3 };

enum { TRACE_LONGEST = BURST_LONGEST, TRACE_WAYS = 4, TRACE_SETS = 32, TRACES = TRACE_WAYS * TRACE_SETS };
enum { TRACE_LATEST = 8 };

/* Executes a trace up to `times` times, at least once, in `lanes` as it begins, those that are enabled. dst_origin:
   what is added to an address in Dst besides the counter. The vector unit is that of a struct tensix_state. Returns how
   often it has not. */
typedef uint32_t trace_function(struct vector_unit *vector, uint32_t lanes, uint32_t dst_origin, uint32_t times);

struct trace_code {
    trace_function *code; /* null: there is none */
    struct trace_guards guards;
};

struct trace {
    uint8_t length;            /* in words: at least 1 */
    uint8_t decoded;           /* how many of them are operations, from the first on, that are executed together */
    bool compiles;             /* there can be code: of all of them, which are SHORTEST_COMPILED or more */
    bool finds_columns;        /* of Dst, odd ones or even ones ... */
    uint8_t executed;          /* how often without code, up to when there is some */
    struct trace_code code[2]; /* ... code[1] is for a counter of Dst with bit 1 set; else there is code[0] only */
    uint32_t words[TRACE_LONGEST];
    struct vector_operation operations[TRACE_LONGEST];
};

/* What a lookup compares before it touches the trace itself. */
struct trace_tag {
    uint32_t hash;
    uint32_t loads; /* how many traces have stood here */
};

/* Which trace the words from a place of a replay buffer on are. */
struct trace_memo {
    uint64_t buffer_loads; /* struct trace_cache, when it was looked up */
    uint32_t trace_loads;
    uint8_t length, index;
};

struct trace_cache {
    uint64_t buffer_loads[3]; /* of each thread: how often another word has come to stand in its replay buffer */
    struct trace_memo memos[3][BURST_LONGEST];
    struct trace_tag tags[TRACES];
    uint32_t candidates[TRACE_SETS]; /* the hash of the words last looked up in vain */
    uint8_t victims[TRACE_SETS];
    uint8_t latest[TRACE_LATEST]; /* the traces that were found last, by their first word's opcode */
    struct trace traces[TRACES];
};

/* The decoded form of an instruction, as traces have it. */
struct vector_operation trace_decode(uint32_t word);

/* How many of the words, from the first on, may be operations of a trace. */
uint32_t trace_candidates(const uint32_t *words, uint32_t count);

/* The trace that the words of a burst are from number `from` on, `count` of them at the most, up to the first that is
   of another unit. Null: there is none, as long as these words have been looked up once only. */
struct trace *trace_find(struct engine *engine, unsigned thread, const struct burst *burst, uint32_t from,
                         uint32_t count);

/* Forgets all code. */
void trace_forget_code(struct trace_cache *cache);

#endif
