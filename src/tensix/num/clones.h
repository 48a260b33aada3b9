/* Functions that are compiled once for each level of the host's vector instructions (util/host_vectors.h). */
#ifndef BHEMU_TENSIX_NUM_CLONES_H
#define BHEMU_TENSIX_NUM_CLONES_H

#include "util/host_vectors.h"

/* Begins the definition of a function: CLONES(int, sum, (int a, int b), (a, b)) { ... }. Its body, with
   the functions inlined into it, is compiled for each level; the function itself jumps to the version for the host.
   `arguments` are the names of the parameters. Each level has a section of its own, so that a process loads few pages
   of levels that it does not use.

   LEVELS() does the same for a static function that is called through CLONE(name), the version for the host. */
#if defined(__x86_64__) && !defined(__clang__)
#define COMPILE_LEVELS(result, name, parameters, arguments)                                                            \
    __attribute__((always_inline)) static inline result name##_inline parameters;                                      \
    __attribute__((target("arch=x86-64-v4"))) static result name##_v4 parameters                                       \
    {                                                                                                                  \
        return name##_inline arguments;                                                                                \
    }                                                                                                                  \
    __attribute__((target("arch=x86-64-v3"), section(".text.level_v3"))) static result name##_v3 parameters            \
    {                                                                                                                  \
        return name##_inline arguments;                                                                                \
    }                                                                                                                  \
    __attribute__((noinline, section(".text.level_basic"))) static result name##_basic parameters                      \
    {                                                                                                                  \
        return name##_inline arguments;                                                                                \
    }
#define CLONE(name)                                                                                                    \
    (host_vectors == HOST_VECTORS_V4 ? name##_v4 : host_vectors == HOST_VECTORS_V3 ? name##_v3 : name##_basic)
#define LEVELS(result, name, parameters, arguments)                                                                    \
    COMPILE_LEVELS(result, name, parameters, arguments)                                                                \
    __attribute__((always_inline)) static inline result name##_inline parameters
#define CLONES(result, name, parameters, arguments)                                                                    \
    COMPILE_LEVELS(result, name, parameters, arguments)                                                                \
    result name parameters                                                                                             \
    {                                                                                                                  \
        return host_vectors == HOST_VECTORS_V4   ? name##_v4 arguments                                                 \
               : host_vectors == HOST_VECTORS_V3 ? name##_v3 arguments                                                 \
                                                 : name##_basic arguments;                                             \
    }                                                                                                                  \
    __attribute__((always_inline)) static inline result name##_inline parameters
#else
#define CLONE(name) name
#define LEVELS(result, name, parameters, arguments) static result name parameters
#define CLONES(result, name, parameters, arguments) result name parameters
#endif

/* The same for a static function. */
#define STATIC_CLONES(result, name, parameters, arguments)                                                             \
    static result name parameters;                                                                                     \
    CLONES(result, name, parameters, arguments)

/* Put before a loop over the columns of a row, to be vectorised: otherwise the compiler unrolls its 16 iterations
   first. */
#define AS_VECTOR _Pragma("GCC unroll 1")

#endif
