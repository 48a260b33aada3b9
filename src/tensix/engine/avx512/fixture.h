/* A fixture whose vector unit has room for code of the host, and random numbers for programs. For
   vector_translate*_test.c and pushes_test.c, rounds_test.c only. */
#ifndef BHEMU_TENSIX_ENGINE_AVX512_FIXTURE_H
#define BHEMU_TENSIX_ENGINE_AVX512_FIXTURE_H

#include <sys/mman.h>

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

static inline int translating_setup(void **state)
{
    if (fixture_setup(state) != 0) {
        return -1;
    }
    struct fixture *fixture = *state;
    void *room = mmap(NULL, VECTOR_CODE_ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fixture->tensix.translator.room = room;
    fixture->tensix.translator.patience = 20;
    return room == MAP_FAILED ? -1 : 0;
}

static inline int translating_teardown(void **state)
{
    struct fixture *fixture = *state;
    munmap(fixture->tensix.translator.room, VECTOR_CODE_ROOM);
    return fixture_teardown(state);
}

#endif
