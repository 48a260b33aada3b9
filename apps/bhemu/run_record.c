#include "run_record.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool run_record_begin(struct run_record *record)
{
    if (record->file <= 0) {
        record->file = memfd_create("record", MFD_CLOEXEC);
        return record->file > 0 && fcntl(record->file, F_SETFL, O_APPEND) == 0;
    }
    return ftruncate(record->file, 0) == 0;
}

bool run_record_add(struct run_record *record, struct json *json)
{
    record->stream = open_memstream(&record->text, &record->size);
    if (record->stream) {
        *json = json_to(record->stream);
    }
    return record->stream != NULL;
}

void run_record_end(struct run_record *record)
{
    fputs(",\n", record->stream);
    if (fclose(record->stream) == 0) {
        (void)!write(record->file, record->text, record->size); /* at once: elements do not mix */
    }
    free(record->text);
    record->stream = NULL;
}

void run_record_write(const struct run_record *record, struct json *to)
{
    char piece[1 << 12];
    off_t end = record->file > 0 ? lseek(record->file, 0, SEEK_END) - 2 : 0; /* without the last comma */
    json_begin_array(to);
    for (off_t at = 0; at < end;) {
        size_t wanted = end - at < (off_t)sizeof piece ? (size_t)(end - at) : sizeof piece;
        ssize_t size = pread(record->file, piece, wanted, at);
        if (size <= 0) {
            break;
        }
        (void)fwrite(piece, 1, (size_t)size, to->file);
        at += size;
    }
    json_end_array(to);
}

/* How many bytes the character at `text` has; 0: that is none. */
static unsigned length_of(const unsigned char *text)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned length = text[0] < 0x80 ? 1 : text[0] < 0xc0 ? 0 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    unsigned character = text[0] & (0xffu >> (length + 1));
    if (length < 2) {
        return length;
    }
    for (unsigned i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
        character = character << 6 | (text[i] & 0x3f);
    }
    bool surrogate = character >= 0xd800 && character < 0xe000;
    return text[0] < 0xf8 && character >= least[length] && character < 0x110000 && !surrogate ? length : 0;
}

void run_record_clean(char *text)
{
    while (*text) {
        unsigned length = length_of((const unsigned char *)text);
        if (!length) {
            *text = '?';
        }
        text += length ? length : 1;
    }
}
