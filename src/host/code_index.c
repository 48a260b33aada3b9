#include "host/code_index.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/fail.h"

enum { FILTER_LOG2 = 20, FIRST_ROOM = 64, DEPTH = 32 };

bool code_row_hash(const uint32_t *words, uint32_t *hash)
{
    uint64_t mixed = 0;
    bool differ = false;
    for (unsigned i = 0; i < CODE_ROW; i++) {
        mixed = (mixed ^ words[i]) * 0x9e3779b97f4a7c15u;
        mixed ^= mixed >> 29;
        differ |= words[i] != words[0];
    }
    *hash = (uint32_t)(mixed >> 32);
    return differ;
}

static uint32_t path_hash(const char *path)
{
    uint32_t hash = 2166136261u;
    while (*path) {
        hash = (hash ^ (uint8_t)*path++) * 16777619u;
    }
    return hash;
}

/* Room for one element more. */
static bool make_room(void **elements, size_t size, uint32_t count, uint32_t *room)
{
    if (count < *room) {
        return true;
    }
    uint32_t wanted = *room ? *room * 2 : FIRST_ROOM;
    void *more = realloc(*elements, wanted * size);
    if (more) {
        *elements = more;
        *room = wanted;
    }
    return more;
}

/* The slot of a path, or the free one where it is to be. */
static uint32_t *slot_of(const struct code_index *index, const char *path)
{
    uint32_t slot = path_hash(path);
    for (;; slot++) {
        uint32_t *at = &index->by_path[slot & index->by_path_mask];
        if (!*at || strcmp(index->entries[*at - 1].path, path) == 0) {
            return at;
        }
    }
}

static bool enlarge_paths(struct code_index *index)
{
    uint32_t wanted = index->by_path ? (index->by_path_mask + 1) * 2 : 2 * FIRST_ROOM;
    uint32_t *slots = calloc(wanted, sizeof *slots);
    if (!slots) {
        return false;
    }
    free(index->by_path);
    index->by_path = slots;
    index->by_path_mask = wanted - 1;
    for (uint32_t i = 0; i < index->entry_count; i++) { /* of a path's entries the last one is what is there */
        *slot_of(index, index->entries[i].path) = i + 1;
    }
    return true;
}

static int by_hash(const void *left, const void *right)
{
    const struct code_anchor *a = left, *b = right;
    if (a->hash != b->hash) {
        return a->hash < b->hash ? -1 : 1;
    }
    if (a->entry != b->entry) {
        return a->entry < b->entry ? -1 : 1;
    }
    return a->word < b->word ? -1 : a->word > b->word;
}

static bool row_moves(const struct code_file *code, uint32_t word)
{
    bool moves = false;
    for (unsigned i = 0; i < CODE_ROW; i++) {
        moves |= code->moves[word + i];
    }
    return moves;
}

/* Adds the rows with the smallest hashes. */
static bool add_anchors(struct code_index *index, uint32_t entry, const struct code_file *code)
{
    struct code_anchor *all = malloc((code->count + 1) * sizeof *all);
    uint32_t count = 0, added = 0;
    for (uint32_t word = 0; all && word + CODE_ROW <= code->count; word++) {
        uint32_t hash;
        if (!row_moves(code, word) && code_row_hash(&code->words[word], &hash)) {
            all[count++] = (struct code_anchor){hash, entry, word};
        }
    }
    bool room = all;
    if (count) {
        qsort(all, count, sizeof *all, by_hash);
    }
    for (uint32_t i = 0; i < count && added < CODE_ANCHORS; i++) {
        if (i && all[i].hash == all[i - 1].hash) {
            continue;
        }
        room = room &&
               make_room((void **)&index->anchors, sizeof *index->anchors, index->anchor_count, &index->anchor_room);
        if (room) {
            index->anchors[index->anchor_count++] = all[i];
            added++;
        }
    }
    free(all);
    return room;
}

static void add_file(struct code_index *index, unsigned folder, const char *path, const struct file_identity *identity)
{
    if ((index->entry_count >= index->by_path_mask / 2 || !index->by_path) && !enlarge_paths(index)) {
        index->failed = true;
        return;
    }
    uint32_t *slot = slot_of(index, path);
    char *copy = strdup(path);
    if (!copy || !make_room((void **)&index->entries, sizeof *index->entries, index->entry_count, &index->entry_room)) {
        index->failed = true;
        free(copy);
        return;
    }
    uint32_t number = index->entry_count++;
    struct code_entry *entry = &index->entries[number];
    *entry = (struct code_entry){.path = copy, .folder = folder, .identity = *identity, .seen = true};
    *slot = number + 1;
    struct code_file code;
    if (code_file_read(path, &code)) {
        entry->identity = code.identity;
        entry->linked = code.linked;
        entry->count = code.count;
        index->failed |= !add_anchors(index, number, &code);
        code_file_free(&code);
    }
}

/* A file that is there: known, replaced, or new. Whether it is one of the last two. */
static bool take_file(struct code_index *index, unsigned folder, const char *path, const struct stat *status)
{
    const struct file_identity identity = file_identity(status);
    uint32_t known = index->by_path ? *slot_of(index, path) : 0;
    if (known) {
        struct code_entry *entry = &index->entries[known - 1];
        entry->seen = true;
        if (!entry->gone && file_identity_equal(&entry->identity, &identity)) {
            return false;
        }
        entry->gone = true;
    }
    add_file(index, folder, path, &identity);
    return true;
}

static int by_name(const FTSENT **left, const FTSENT **right)
{
    return strcmp((*left)->fts_name, (*right)->fts_name);
}

static bool read_folder(struct code_index *index, unsigned folder, unsigned *files)
{
    char *const paths[] = {index->folders[folder], NULL};
    FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
    bool changed = false;
    for (FTSENT *at; tree && *files < CODE_INDEX_FILES && (at = fts_read(tree));) {
        struct stat status;
        if (at->fts_info == FTS_D && at->fts_level > DEPTH) {
            (void)fts_set(tree, at, FTS_SKIP);
        } else if (at->fts_info == FTS_F && S_ISREG(at->fts_statp->st_mode)) {
            changed |= take_file(index, folder, at->fts_path, at->fts_statp);
            ++*files;
        } else if (at->fts_info == FTS_SL && stat(at->fts_path, &status) == 0 && S_ISREG(status.st_mode)) {
            changed |= take_file(index, folder, at->fts_path, &status);
            ++*files;
        }
    }
    if (tree) {
        (void)fts_close(tree);
    }
    return changed;
}

static void sort_anchors(struct code_index *index)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < index->anchor_count; i++) {
        if (!index->entries[index->anchors[i].entry].gone) {
            index->anchors[kept++] = index->anchors[i];
        }
    }
    index->anchor_count = kept;
    if (kept) {
        qsort(index->anchors, kept, sizeof *index->anchors, by_hash);
    }
    memset(index->filter, 0, (1u << FILTER_LOG2) / 8);
    for (uint32_t i = 0; i < kept; i++) {
        uint32_t bit = index->anchors[i].hash >> (32 - FILTER_LOG2);
        index->filter[bit / 64] |= UINT64_C(1) << bit % 64;
    }
}

bool code_index_read(struct code_index *index)
{
    bool changed = false;
    unsigned files = 0;
    for (uint32_t i = 0; i < index->entry_count; i++) {
        index->entries[i].seen = false;
    }
    for (unsigned i = 0; i < index->folder_count; i++) {
        changed |= read_folder(index, i, &files);
    }
    for (uint32_t i = 0; i < index->entry_count; i++) {
        struct code_entry *entry = &index->entries[i];
        changed |= !entry->seen && !entry->gone;
        entry->gone |= !entry->seen;
    }
    if (changed) {
        sort_anchors(index);
    }
    return changed;
}

const struct code_anchor *code_index_find(const struct code_index *index, uint32_t hash, uint32_t *count)
{
    uint32_t bit = hash >> (32 - FILTER_LOG2), begin = 0, end = index->anchor_count;
    *count = 0;
    if (!(index->filter[bit / 64] >> bit % 64 & 1)) {
        return NULL;
    }
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        if (index->anchors[middle].hash < hash) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    while (begin + *count < index->anchor_count && index->anchors[begin + *count].hash == hash) {
        ++*count;
    }
    return *count ? &index->anchors[begin] : NULL;
}

/* A folder that can be listed. */
static enum bh_status check_folder(const char *path, struct bh_error *error)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return fail(error, BH_ERROR_IO, "%s: %s", path, strerror(errno));
    }
    if (!S_ISDIR(status.st_mode)) {
        return fail(error, BH_ERROR_IO, "%s: not a folder", path);
    }
    if (access(path, R_OK | X_OK) != 0) {
        return fail(error, BH_ERROR_IO, "%s: %s", path, strerror(errno));
    }
    return BH_OK;
}

/* The first of the folders, and *end behind it; malloc'ed, null: no memory. */
static char *next_folder(const char *folders, const char **end)
{
    char *name = malloc(strlen(folders) + 1), *to = name;
    const char *from = folders;
    while (name && *from && *from != ':') {
        from += from[0] == '\\' && from[1] == ':';
        *to++ = *from++;
    }
    if (name) {
        *to = 0;
    }
    *end = from;
    return name;
}

/* Owns the name. */
static enum bh_status add_folder(struct code_index *index, char *name, struct bh_error *error)
{
    char **more = realloc(index->folders, (index->folder_count + 1) * sizeof *more);
    index->folders = more ? more : index->folders;
    if (!more) {
        free(name);
        return fail(error, BH_ERROR_MEMORY, "no memory");
    }
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] == '/') {
        name[--length] = 0;
    }
    index->folders[index->folder_count++] = name;
    return check_folder(name, error);
}

enum bh_status code_index_open(struct code_index *index, const char *folders, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    *index = (struct code_index){.filter = calloc((1u << FILTER_LOG2) / 64, 8)};
    if (!index->filter) {
        return fail(error, BH_ERROR_MEMORY, "no memory");
    }
    while (status == BH_OK && *folders) {
        char *name = next_folder(folders, &folders);
        if (!name) {
            status = fail(error, BH_ERROR_MEMORY, "no memory");
        } else if (*name) {
            status = add_folder(index, name, error);
        } else {
            free(name);
        }
        folders += *folders == ':';
    }
    if (status == BH_OK && !index->folder_count) {
        return fail(error, BH_ERROR_IO, "no folder is named");
    }
    return status;
}

void code_index_close(struct code_index *index)
{
    for (unsigned i = 0; i < index->folder_count; i++) {
        free(index->folders[i]);
    }
    for (uint32_t i = 0; i < index->entry_count; i++) {
        free(index->entries[i].path);
    }
    free(index->folders);
    free(index->entries);
    free(index->by_path);
    free(index->anchors);
    free(index->filter);
    *index = (struct code_index){0};
}
