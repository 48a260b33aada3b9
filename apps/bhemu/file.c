#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_to_end(FILE *in, size_t *size)
{
    enum { MOST = 1 << 30 }; /* what does not end, as a device, is none */
    size_t capacity = 1 << 16, length = 0;
    char *content = malloc(capacity);
    while (content) {
        length += fread(content + length, 1, capacity - length - 1, in);
        if (length < capacity - 1) {
            break;
        }
        capacity *= 2;
        if (capacity > MOST) {
            free(content);
            errno = EFBIG;
            return NULL;
        }
        char *larger = realloc(content, capacity);
        if (!larger) {
            free(content);
        }
        content = larger;
    }
    if (content && ferror(in)) {
        free(content);
        return NULL;
    }
    if (content) {
        content[length] = 0;
        *size = length;
    }
    return content;
}

char *file_read(const char *command, const char *path, size_t *size)
{
    bool standard = strcmp(path, "-") == 0;
    errno = 0;
    FILE *in = standard ? stdin : fopen(path, "rb");
    char *content = in ? read_to_end(in, size) : NULL;
    if (!content) {
        fprintf(stderr, "bhemu %s: %s: %s\n", command, path, strerror(errno ? errno : EIO));
    }
    if (in && !standard) {
        fclose(in);
    }
    return content;
}
