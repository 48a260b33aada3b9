#include "version.h"

#include <stdio.h>

#include "commit.h"
#include "util/host_vectors.h"

const char version_day[] = BHEMU_DAY;

static const char *vectors(void)
{
    switch (host_vectors) {
    case HOST_VECTORS_V4: return "x86-64-v4";
    case HOST_VECTORS_V3: return "x86-64-v3";
    default: return "those of every host";
    }
}

void version_print(void)
{
    const char *open = *BHEMU_COMMIT ? " (" : "", *close = *BHEMU_COMMIT ? ")" : "";
    printf("bhemu " BHEMU_VERSION "%s" BHEMU_COMMIT "%s\nbuild: " BHEMU_BUILD "\nvector instructions: %s\n", open,
           close, vectors());
}
