/* cmocka, with an assert_memory_equal() that asks memcmp() first. Cmocka's own compares a byte at a time, which took a
   tenth of the processor time of all tests. */
#ifndef BHEMU_TESTS_CMOCKA_H
#define BHEMU_TESTS_CMOCKA_H

#include_next <cmocka.h>

#include <string.h>

static inline void assert_same_memory(const void *a, const void *b, size_t size, const char *file, int line)
{
    if (size && memcmp(a, b, size) != 0) {
        _assert_memory_equal(a, b, size, file, line);
    }
}

#undef assert_memory_equal
#define assert_memory_equal(a, b, size) assert_same_memory(a, b, size, __FILE__, __LINE__)

#endif
