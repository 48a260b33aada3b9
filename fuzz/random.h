/* Random numbers that are the same on every run. */
#ifndef BHEMU_FUZZ_RANDOM_H
#define BHEMU_FUZZ_RANDOM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct random {
    uint64_t state;
};

static inline uint32_t next(struct random *random)
{
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = random->state;
    return (uint32_t)((x ^ x >> 29) * 0x9e3779b97f4a7c15u >> 32);
}

static inline void fill(struct random *random, void *bytes, size_t size)
{
    for (size_t i = 0; i + 4 <= size; i += 4) {
        uint32_t word = next(random);
        memcpy((uint8_t *)bytes + i, &word, 4);
    }
}

#endif
