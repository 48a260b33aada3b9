#include "util/host_vectors.h"

enum host_vectors host_vectors;

#if defined(__x86_64__)

/* The loader of the C library has executed CPUID already. __builtin_cpu_supports() would execute a dozen more, which
   take microseconds each on a virtual machine. */
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>

/* As CPU_FEATURE_ACTIVE(), which shifts an int by 31. */
static bool is_active(unsigned feature)
{
    enum { BITS = 32, REGISTERS = 4 };
    const struct cpuid_feature *leaf = __x86_get_cpuid_feature_leaf(feature / (BITS * REGISTERS));
    return leaf->active_array[feature / BITS % REGISTERS] >> feature % BITS & 1;
}

#define HAS(name, NAME) is_active(x86_cpu_##NAME)
#else
#define HAS(name, NAME) __builtin_cpu_supports(name)
#endif

static bool has_v3(void)
{
    return HAS("avx", AVX) && HAS("avx2", AVX2) && HAS("bmi", BMI1) && HAS("bmi2", BMI2) && HAS("f16c", F16C) &&
           HAS("fma", FMA) && HAS("lzcnt", LZCNT) && HAS("movbe", MOVBE);
}

static bool has_avx512(void)
{
    return HAS("avx512f", AVX512F) && HAS("avx512bw", AVX512BW) && HAS("avx512cd", AVX512CD) &&
           HAS("avx512dq", AVX512DQ) && HAS("avx512vl", AVX512VL);
}

__attribute__((constructor)) static void ask(void)
{
    host_vectors = !has_v3() ? HOST_VECTORS_BASIC : has_avx512() ? HOST_VECTORS_V4 : HOST_VECTORS_V3;
}

#endif
