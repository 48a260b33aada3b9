/* The code of all ELFs in some folders, to be found by a piece of it. Of each file it keeps where some rows of four
   words are that no move changes, chosen by their hashes: so the memory that it takes does not grow with the files'
   sizes, and whoever looks for code at any address finds the same rows. */
#ifndef BHEMU_HOST_CODE_INDEX_H
#define BHEMU_HOST_CODE_INDEX_H

#include "bhemu/error.h"
#include "host/code_file.h"

enum { CODE_ROW = 4, CODE_ANCHORS = 64, CODE_INDEX_FILES = 1 << 17 };

struct code_entry {
    char *path;
    unsigned folder; /* the number of that in which it was found */
    struct file_identity identity;
    uint32_t linked, count; /* of words; 0: not a program */
    bool gone;              /* not there any more, or replaced */
    bool seen;              /* by the reading of the folders that is under way */
};

struct code_anchor {
    uint32_t hash, entry, word; /* the row begins at this word of the entry's code */
};

struct code_index {
    char **folders;
    unsigned folder_count;
    struct code_entry *entries;
    uint32_t entry_count, entry_room;
    uint32_t *by_path; /* a hash table: 0 or 1 + index of an entry that is not gone */
    uint32_t by_path_mask;
    struct code_anchor *anchors; /* by hash */
    uint32_t anchor_count, anchor_room;
    uint64_t *filter; /* a bit for each value of the hashes' upper bits */
    bool failed;      /* no memory: something is missing */
};

/* BH_ERROR_IO: one of the folders, separated by ':' as of bh_symbols_open(), can not be read. Nothing else is read. */
enum bh_status code_index_open(struct code_index *index, const char *folders, struct bh_error *error);
void code_index_close(struct code_index *index);

/* Reads the folders; of files that it knows nothing but their sizes and times. At most CODE_INDEX_FILES files, in the
   order of their paths. Whether anything is different. */
bool code_index_read(struct code_index *index);

/* The hash of four words; false: they are all equal, as of an empty memory, and say nothing. */
bool code_row_hash(const uint32_t *words, uint32_t *hash);

/* The first anchor with this hash, and how many have it. */
const struct code_anchor *code_index_find(const struct code_index *index, uint32_t hash, uint32_t *count);

#endif
