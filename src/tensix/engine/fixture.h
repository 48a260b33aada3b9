/* A fixture whose coprocessor has an engine with room for code of the host, and random numbers for programs. For tests
   of the engine. */
#ifndef BHEMU_TENSIX_ENGINE_FIXTURE_H
#define BHEMU_TENSIX_ENGINE_FIXTURE_H

#include <sys/mman.h>

#include "tensix/engine/engine.h"
#include "tensix/units/vector/fixture.h"

static uint64_t seed; /* of random programs: main() sets it */

static inline uint32_t random_bits(void)
{
    return xorshift64_word(&seed);
}

static inline bool one_in(uint32_t times)
{
    return random_bits() % times == 0;
}

/* Gives a fixture an engine. Instructions of a fixture without one execute one by one. */
static inline int engine_setup(void **state)
{
    if (fixture_setup(state) != 0) {
        return -1;
    }
    struct fixture *fixture = *state;
    struct engine *engine = calloc(1, sizeof *engine);
    fixture->tensix.engine = engine;
    return engine ? 0 : -1;
}

static inline int engine_teardown(void **state)
{
    struct fixture *fixture = *state;
    free(fixture->tensix.engine);
    return fixture_teardown(state);
}

static inline int compiling_setup(void **state)
{
    if (engine_setup(state) != 0) {
        return -1;
    }
    struct trace_compiler *compiler = &((struct fixture *)*state)->tensix.engine->compiler;
    void *room = mmap(NULL, CODE_BUFFER_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    compiler->buffer = room;
    compiler->patience = 20;
    return room == MAP_FAILED ? -1 : 0;
}

static inline int compiling_teardown(void **state)
{
    struct fixture *fixture = *state;
    munmap(fixture->tensix.engine->compiler.buffer, CODE_BUFFER_SIZE);
    return engine_teardown(state);
}

#define ENGINE_TEST(function) cmocka_unit_test_setup_teardown(function, engine_setup, engine_teardown)

/* Whether there can be code of operations of a kind here. */
static inline bool compiles(const struct fixture *fixture, enum vector_operation_kind kind)
{
    const struct vector_operation operation = {.kind = (uint8_t)kind};
    return trace_compiles(&fixture->tensix.engine->compiler, &operation);
}

/* Forgets all traces and their code. */
static inline void forget_traces(struct fixture *fixture)
{
    memset(&fixture->tensix.engine->cache, 0, sizeof fixture->tensix.engine->cache);
    fixture->tensix.engine->compiler.used = 0;
}

/* How many traces have code; of loads and stores only, if `dst`. */
static inline uint32_t count_code(const struct fixture *fixture, bool dst)
{
    const struct trace *traces = fixture->tensix.engine->cache.traces;
    uint32_t count = 0;
    for (unsigned i = 0; i < TRACES; i++) {
        count += (traces[i].code[0].code || traces[i].code[1].code) && (traces[i].finds_columns || !dst);
    }
    return count;
}

#endif
