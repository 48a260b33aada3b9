/* The host's floating-point environment, which belongs to the program that the library is part of: how it rounds, what
   becomes of denormals, what traps. Arithmetic that goes by the host's floats stands between the two. */
#ifndef BHEMU_UTIL_HOST_FLOATS_H
#define BHEMU_UTIL_HOST_FLOATS_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
typedef uint32_t host_floats;
enum { HOST_FLOATS_USUAL = 0x1f80, HOST_FLOATS_FLAGS = 0x3f };
#define HOST_FLOATS_GET() __builtin_ia32_stmxcsr()
#define HOST_FLOATS_SET(value) __builtin_ia32_ldmxcsr(value)
#elif defined(__aarch64__)
typedef uint64_t host_floats;
enum { HOST_FLOATS_USUAL = 0, HOST_FLOATS_FLAGS = 0 };
#define HOST_FLOATS_GET() ((host_floats)__builtin_aarch64_get_fpcr())
#define HOST_FLOATS_SET(value) __builtin_aarch64_set_fpcr((unsigned)(value))
#else
#error "how does this host round?"
#endif

static inline bool host_floats_are_usual(host_floats floats)
{
    return (floats & ~(host_floats)HOST_FLOATS_FLAGS) == HOST_FLOATS_USUAL;
}

/* Rounding to nearest, ties to even; denormals are denormals; nothing traps. Returns what was. */
static inline host_floats host_floats_begin(void)
{
    host_floats before = HOST_FLOATS_GET();
    if (__builtin_expect(!host_floats_are_usual(before), 0)) {
        HOST_FLOATS_SET(HOST_FLOATS_USUAL);
    }
    __asm__ volatile("" ::: "memory");
    return before;
}

static inline void host_floats_end(host_floats before)
{
    __asm__ volatile("" ::: "memory");
    if (__builtin_expect(!host_floats_are_usual(before), 0)) {
        HOST_FLOATS_SET(before);
    }
}

#endif
