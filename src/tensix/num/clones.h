/* Marks a function of which the compiler makes one copy for each level of the host's vector instructions; the loader
   chooses. Not under sanitizers, which run before the loader's choice would be safe. */
#ifndef BHEMU_TENSIX_NUM_CLONES_H
#define BHEMU_TENSIX_NUM_CLONES_H

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&          \
    !defined(__SANITIZE_THREAD__) && defined(__OPTIMIZE__)
#define FPU_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FPU_CLONES
#endif

/* Before a loop over the columns of a row: it is to become vector instructions, rather than 16 times the same before
   the compiler looks for those. */
#define AS_VECTOR _Pragma("GCC unroll 1")

#endif
