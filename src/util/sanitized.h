/* For tests: sanitizers make programs many times as slow, and look for mistakes that a few rounds show as well as many.
 */
#ifndef BHEMU_UTIL_SANITIZED_H
#define BHEMU_UTIL_SANITIZED_H

#ifdef BHEMU_SANITIZED /* of the library: a test's own code need not be (tests/CMakeLists.txt) */
#define FEWER_IF_SANITIZED(rounds) (((rounds) + 3) / 4)
#define STRIDE_IF_SANITIZED(stride) (stride)
#else
#define FEWER_IF_SANITIZED(rounds) (rounds)
#define STRIDE_IF_SANITIZED(stride) 1
#endif

#endif
