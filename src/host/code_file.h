/* The code of an ELF for baby RISC-V cores: its bytes, and which of its words change when it is moved. Reads only that
   much of the file, so that thousands of files can be looked through, and needs no library. */
#ifndef BHEMU_HOST_CODE_FILE_H
#define BHEMU_HOST_CODE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* What tells a file from the one that is later at the same path. */
struct file_identity {
    uint64_t device, inode, size, seconds, nanoseconds;
};

struct code_file {
    struct file_identity identity;
    uint32_t linked; /* the address that its first word was linked to */
    uint32_t count;  /* of words; at most as many as L1 has */
    uint32_t *words;
    uint8_t *moves; /* of each word, whether it has a relocation by which a move may change it */
};

struct file_identity file_identity(const struct stat *status);
bool file_identity_equal(const struct file_identity *a, const struct file_identity *b);

/* The sections with code of the segment with code that has most of it, and what is between them; without sections, the
   segment. false: the file can not be read, is no such ELF, or is cut off. Call code_file_free() afterwards. */
bool code_file_read(const char *path, struct code_file *code);
void code_file_free(struct code_file *code);

#endif
