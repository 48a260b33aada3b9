#include "bhemu/device.h"
#include "util/bits.h"

const char *bh_status_name(enum bh_status status)
{
    static const char *const names[] = {
        [BH_OK] = "ok",
        [BH_ERROR_ARGUMENT] = "bad argument",
        [BH_ERROR_MEMORY] = "out of memory",
        [BH_ERROR_ADDRESS] = "nothing is mapped at this address",
        [BH_ERROR_FORMAT] = "bad format",
        [BH_ERROR_IO] = "input or output failed",
        [BH_ERROR_STOPPED] = "stopped by a diagnostic",
        [BH_ERROR_LOST] = "another process was lost",
    };
    return (unsigned)status < COUNT_OF(names) ? names[status] : "unknown status";
}
