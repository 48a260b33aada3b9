/* Kernels that tests need; a test without them is skipped. To be called by the test itself: cmocka takes what a
   function that sets up skips for a failure. */
#ifndef BHEMU_TESTS_HOST_KERNELS_H
#define BHEMU_TESTS_HOST_KERNELS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

/* Those of this build, which has none without a compiler for RV32. */
static inline void need_kernels(void)
{
    if (access(BHEMU_BUILD_DIR "/kernels/built", R_OK) != 0) {
        skip();
    }
}

/* Those that the jobs in kernels/ name: of build/, whichever build the test is of. */
static inline void need_kernels_of_jobs(void)
{
    if (access(BHEMU_SOURCE_DIR "/build/kernels/built", R_OK) != 0) {
        skip();
    }
}

#endif
