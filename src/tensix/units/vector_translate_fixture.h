/* A fixture whose vector unit has room for code of the host. For vector_translate*_test.c and
   vector_sequence_test.c only. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_TRANSLATE_FIXTURE_H
#define BHEMU_TENSIX_UNITS_VECTOR_TRANSLATE_FIXTURE_H

#include <sys/mman.h>

#include "tensix/units/vector_fixture.h"

static inline int translating_setup(void **state)
{
    if (fixture_setup(state) != 0) {
        return -1;
    }
    struct fixture *fixture = *state;
    void *room = mmap(NULL, VECTOR_CODE_ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fixture->tensix.translator.room = room;
    return room == MAP_FAILED ? -1 : 0;
}

static inline int translating_teardown(void **state)
{
    struct fixture *fixture = *state;
    munmap(fixture->tensix.translator.room, VECTOR_CODE_ROOM);
    return fixture_teardown(state);
}

#endif
