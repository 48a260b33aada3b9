#include "host/read_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/fail.h"

enum { FILE_MAX = 1 << 30 };

enum bh_status read_file(const char *path, uint8_t **bytes, size_t *size, struct bh_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return fail(error, BH_ERROR_IO, "%s: %s", path, strerror(errno));
    }
    uint8_t *data = NULL;
    size_t length = 0, room = 0;
    for (;;) {
        if (length == room) {
            room = room ? room * 2 : 65536;
            uint8_t *more = realloc(data, room);
            if (!more) {
                free(data);
                fclose(file);
                return fail(error, BH_ERROR_MEMORY, "%s: too large for this machine's memory", path);
            }
            data = more;
        }
        size_t got = fread(data + length, 1, room - length, file);
        length += got;
        if (got == 0) {
            break;
        }
        if (length > FILE_MAX) { /* a device, perhaps, that never ends */
            free(data);
            fclose(file);
            return fail(error, BH_ERROR_IO, "%s: larger than %d MiB", path, FILE_MAX >> 20);
        }
    }
    bool failed = ferror(file);
    fclose(file);
    if (failed) {
        free(data);
        return fail(error, BH_ERROR_IO, "%s: %s", path, strerror(errno ? errno : EIO));
    }
    *bytes = data;
    *size = length;
    return BH_OK;
}
