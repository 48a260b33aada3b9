#include "util/npy_header.h"

#include <stdio.h>
#include <string.h>

#include "util/text.h"

void npy_header(char header[NPY_HEADER], const char *type, const size_t *shape, unsigned dimensions)
{
    enum { PREFIX = 10 };
    static const char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, NPY_HEADER - PREFIX, 0};
    struct text text = {.buffer = header + PREFIX, .size = NPY_HEADER - PREFIX};
    memset(header, ' ', NPY_HEADER);
    memcpy(header, magic, sizeof magic);
    text_add(&text, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
    for (unsigned i = 0; i < dimensions; i++) {
        text_add(&text, i ? ", %zu" : "%zu", shape[i]);
    }
    text_add(&text, dimensions == 1 ? ",), }" : "), }");
    header[PREFIX + text.length] = ' ';
    header[NPY_HEADER - 1] = '\n';
}
