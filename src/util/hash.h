/* Hashes that are the same on every run and every machine: after FNV-1a, of eight bytes at a time. Of tests, and of
   states of cores that are compared (rv32/rounds.c). */
#ifndef BHEMU_UTIL_HASH_H
#define BHEMU_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hash_of(uint64_t hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t at = 0; at < size; at += sizeof hash) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, size - at < sizeof word ? size - at : sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 32; /* else the highest bits of words would reach no other ones */
    }
    return hash;
}

#endif
