/* Which vector instructions are used: those that the host has, whoever is asked about them. */
#include "util/host_vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void host_vectors_are_what_the_processor_says(void **context)
{
#if defined(__x86_64__)
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
    bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl");
    enum host_vectors has = v4 ? HOST_VECTORS_V4 : v3 ? HOST_VECTORS_V3 : HOST_VECTORS_BASIC;
    if (getenv("GLIBC_TUNABLES")) { /* may leave some of them out */
        assert_true(host_vectors <= has);
    } else {
        assert_int_equal(host_vectors, has);
    }
#else
    assert_int_equal(host_vectors, HOST_VECTORS_BASIC);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_vectors_are_what_the_processor_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
