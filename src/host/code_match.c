#include "host/code_match.h"

#include <stdlib.h>
#include <string.h>

enum { REACH = 128 * 1024, VOTES = 1 << 18, CANDIDATES = 256, COMMON = 64 };

/* An entry that may be at an address, since so many of its anchors are where they would be then. */
struct candidate {
    uint32_t entry, address, votes, differing;
};

static uint32_t word_at(const struct code_memory *memory, uint32_t address)
{
    uint32_t word;
    memcpy(&word, memory->bytes + (address - memory->address), sizeof word);
    return word;
}

static int by_place(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->entry != b->entry) {
        return a->entry < b->entry ? -1 : 1;
    }
    return a->address < b->address ? -1 : a->address > b->address;
}

/* Adds the entries that have an anchor at this address, and would reach from before pc to behind it; unless that are
   more than `most`. */
static uint32_t vote(const struct code_index *index, const struct code_memory *memory, uint32_t address, uint32_t pc,
                     uint32_t most, struct candidate *votes, uint32_t count)
{
    uint32_t row[CODE_ROW], hash, anchors;
    for (unsigned i = 0; i < CODE_ROW; i++) {
        row[i] = word_at(memory, address + 4 * i);
    }
    const struct code_anchor *anchor = code_row_hash(row, &hash) ? code_index_find(index, hash, &anchors) : NULL;
    for (uint32_t i = 0; anchor && anchors <= most && i < anchors && count < VOTES; i++) {
        const struct code_entry *entry = &index->entries[anchor[i].entry];
        uint32_t begin = address - 4 * anchor[i].word, size = 4 * entry->count;
        if (!entry->gone && anchor[i].word <= (address - memory->address) / 4 && pc - begin < size &&
            size <= memory->size - (begin - memory->address)) {
            votes[count++] = (struct candidate){.entry = anchor[i].entry, .address = begin, .votes = 1};
        }
    }
    return count;
}

static uint32_t collect(const struct code_index *index, const struct code_memory *memory, uint32_t pc, uint32_t most,
                        struct candidate *votes)
{
    uint32_t count = 0, kept = 0, end = memory->address + memory->size - 4 * CODE_ROW;
    uint32_t from = pc - memory->address > REACH ? pc - REACH : memory->address;
    for (uint32_t address = from; address <= end && address < pc + REACH && count < VOTES; address += 4) {
        count = vote(index, memory, address, pc, most, votes, count);
    }
    qsort(votes, count, sizeof *votes, by_place);
    for (uint32_t i = 0; i < count; i++) {
        if (kept && by_place(&votes[kept - 1], &votes[i]) == 0) {
            votes[kept - 1].votes++;
        } else {
            votes[kept++] = votes[i];
        }
    }
    return kept;
}

/* Whether all of the entry's code is there; how many of the words differ that a move may change. */
static bool is_there(const struct code_entry *entry, const struct code_memory *memory, struct candidate *candidate)
{
    struct code_file code;
    bool same = code_file_read(entry->path, &code) && file_identity_equal(&code.identity, &entry->identity) &&
                code.count == entry->count;
    for (uint32_t i = 0; same && i < code.count; i++) {
        if (code.words[i] != word_at(memory, candidate->address + 4 * i)) {
            same = code.moves[i];
            candidate->differing++;
        }
    }
    code_file_free(&code);
    return same;
}

/* The index's own order of entries is that in which they came: paths are the same at any time. */
static int by_path(const struct code_entry *a, const struct code_entry *b)
{
    return a->folder != b->folder ? (a->folder < b->folder ? -1 : 1) : strcmp(a->path, b->path);
}

/* Most anchors first: so that those that are there are among the first. */
static int by_votes(const void *left, const void *right, void *context)
{
    const struct code_entry *entries = context;
    const struct candidate *a = left, *b = right;
    if (a->votes != b->votes) {
        return a->votes > b->votes ? -1 : 1;
    }
    bool a_stays = a->address == entries[a->entry].linked, b_stays = b->address == entries[b->entry].linked;
    return a_stays != b_stays ? b_stays - a_stays : by_path(&entries[a->entry], &entries[b->entry]);
}

/* Of two that are both there, whether the first one is the better answer. */
static bool is_better(const struct code_index *index, const struct candidate *a, const struct candidate *b)
{
    const struct code_entry *of_a = &index->entries[a->entry], *of_b = &index->entries[b->entry];
    uint32_t same_a = of_a->count - a->differing, same_b = of_b->count - b->differing;
    if (same_a != same_b) {
        return same_a > same_b;
    }
    bool a_stays = a->address == of_a->linked, b_stays = b->address == of_b->linked;
    return a_stays != b_stays ? a_stays : by_path(of_a, of_b) < 0;
}

/* Rows that more than `most` entries have are left out. */
static bool find(const struct code_index *index, const struct code_memory *memory, uint32_t pc, uint32_t most,
                 struct candidate *candidates, struct code_match *match)
{
    const struct candidate *best = NULL;
    uint32_t count = collect(index, memory, pc, most, candidates);
    qsort_r(candidates, count, sizeof *candidates, by_votes, index->entries);
    for (uint32_t i = 0; i < count && i < CANDIDATES && !(best && candidates[i].votes < best->votes); i++) {
        if (is_there(&index->entries[candidates[i].entry], memory, &candidates[i]) &&
            (!best || is_better(index, &candidates[i], best))) {
            best = &candidates[i];
        }
    }
    if (best) {
        *match = (struct code_match){best->entry, best->address};
    }
    return best;
}

bool code_match_find(const struct code_index *index, const struct code_memory *memory, uint32_t pc,
                     struct code_match *match)
{
    struct candidate *candidates = memory->size >= 4 * CODE_ROW ? malloc(VOTES * sizeof *candidates) : NULL;
    bool found = candidates && (find(index, memory, pc, COMMON, candidates, match) ||
                                find(index, memory, pc, UINT32_MAX, candidates, match));
    free(candidates);
    return found;
}
