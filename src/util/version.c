#include "bhemu/version.h"

const char *bh_version(void)
{
    return BHEMU_VERSION;
}
