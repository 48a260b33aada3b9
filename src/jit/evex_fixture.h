/* For tests of emitted code: the expected bytes are those that the GNU assembler gives for the instructions beside
   them. */
#ifndef BHEMU_JIT_EVEX_FIXTURE_H
#define BHEMU_JIT_EVEX_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jit/evex.h"

/* Asserts that this code has been emitted, and clears the buffer. */
#define ASSERT_CODE(code, ...)                                                                                         \
    do {                                                                                                               \
        const uint8_t expected[] = {__VA_ARGS__};                                                                      \
        assert_int_equal((code)->size, sizeof expected);                                                               \
        assert_memory_equal((code)->bytes, expected, sizeof expected);                                                 \
        (code)->size = 0;                                                                                              \
    } while (0)

#endif
