#include "level.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/host_vectors.h"

static const struct level {
    const char *option, *name, *tunables;
} levels[] = {
    [HOST_VECTORS_BASIC] = {"baseline", "baseline", "glibc.cpu.hwcaps=-AVX512F,-AVX2_Usable,-AVX2"},
    [HOST_VECTORS_V3] = {"avx2", "AVX2", "glibc.cpu.hwcaps=-AVX512F"},
    [HOST_VECTORS_V4] = {"avx512", "AVX-512", ""},
};
enum { LEVELS = sizeof levels / sizeof *levels };

const char *level_name(void)
{
#if defined(__aarch64__)
    return "NEON";
#else
    return levels[host_vectors].name;
#endif
}

double level_goal(const struct measure *measure)
{
    return host_vectors == HOST_VECTORS_V4   ? measure->goals.avx512
           : host_vectors == HOST_VECTORS_V3 ? measure->goals.avx2
                                             : 0;
}

bool level_choose(const char *option, char **argv)
{
    unsigned wanted = 0;
    while (wanted < LEVELS && strcmp(levels[wanted].option, option) != 0) {
        wanted++;
    }
    if (wanted == host_vectors) {
        return true;
    }
    const char *tunables = getenv("GLIBC_TUNABLES");
    if (wanted > host_vectors) {
        fprintf(stderr, "bench: this host has no level %s: its own is %s\n", option, level_name());
    } else if (tunables && strcmp(tunables, levels[wanted].tunables) == 0) {
        fprintf(stderr, "bench: this host's C library does not leave out what GLIBC_TUNABLES names\n");
    } else {
        setenv("GLIBC_TUNABLES", levels[wanted].tunables, 1);
        execv("/proc/self/exe", argv);
        perror("bench");
    }
    return false;
}
