#include "rv32/region.h"

#include <stdlib.h>
#include <string.h>

/* WINDOW: words around the first root that may belong to the region. */
enum { WINDOW = 4096, DEEPEST = 3 };

struct search {
    struct region *region;
    const struct l1 *l1;
    uint32_t first;         /* first word of L1 in the window */
    uint16_t index[WINDOW]; /* 1 + index in `found`; 0: not found */
    uint16_t queue[WINDOW]; /* places in the window to go on from */
    uint32_t queued, done;
    struct region_word found[REGION_WORDS]; /* in the order in which they were reached */
    uint8_t marks[WINDOW];                  /* enum mark */
};

enum mark { LEADS = 1, ENTRY = 2, QUEUED = 4, ROOT = 8 };

static enum region_flow flow_of(struct rv32_code code)
{
    switch (code.op) {
    case RV32_OP_BEQ:
    case RV32_OP_BNE:
    case RV32_OP_BLT:
    case RV32_OP_BGE:
    case RV32_OP_BLTU:
    case RV32_OP_BGEU: return REGION_BRANCH;
    case RV32_OP_JAL: return REGION_JUMP;
    case RV32_OP_JALR: return REGION_INDIRECT;
    case RV32_OP_ORC_B:
    case RV32_OP_BREV8:
    case RV32_OP_GREVI: return REGION_INTERPRETS;
    case RV32_OP_NONE:
    case RV32_OP_MRET:
    case RV32_CODE_ODD:
    case RV32_CODE_SELF_JUMP:
    case RV32_CODE_SELF_BRANCH:
    case RV32_CODE_FAR:
    case RV32_CODE_JUMP_BACK:
    case L1_REWRITTEN: return REGION_ENDS;
    case RV32_CODE_TTINSN: return REGION_NEXT;
    case RV32_CODE_HALF:
    case RV32_CODE_VECTOR:
    case RV32_CODE_FLH: return REGION_INTERPRETS;
    default: break;
    }
    if (code.op >= RV32_CODE_BEQ_BACK) {
        return REGION_INTERPRETS;
    }
    switch (rv32_instructions[code.op].extension) {
    case RV32_I:
    case RV32_M:
    case RV32_ZBA:
    case RV32_ZBB:
    case RV32_BITMANIP: return REGION_NEXT;
    default: return REGION_INTERPRETS;
    }
}

/* Bit sets: registers that an instruction reads, and the one that it writes; all, unless it is a load or a
   computation. */
struct uses {
    uint64_t reads, writes;
};

static struct uses uses_of(struct rv32_code code)
{
    static const struct uses all = {UINT64_MAX, UINT64_MAX};
    code.op = rv32_op_of(code.op);
    if (code.op >= RV32_OP_FLH || flow_of(code) != REGION_NEXT || code.rd > RV32_SINK || code.rs2 > RV32_SINK) {
        return all;
    }
    uint64_t first = UINT64_C(1) << code.rs1, second = UINT64_C(1) << code.rs2;
    switch ((enum rv32_format)rv32_instructions[code.op].format) {
    case RV32_FORMAT_FENCE: return (struct uses){0, 0};
    case RV32_FORMAT_U: return (struct uses){0, UINT64_C(1) << code.rd};
    case RV32_FORMAT_R: return (struct uses){first | second, UINT64_C(1) << code.rd};
    case RV32_FORMAT_I:
    case RV32_FORMAT_SHIFT:
    case RV32_FORMAT_UNARY:
    case RV32_FORMAT_LOAD: return (struct uses){first, UINT64_C(1) << code.rd};
    default: return all;
    }
}

bool region_only_looks(const struct rv32_code *first, const struct rv32_code *last)
{
    enum { LONGEST = 16 };
    uint64_t read = 0, written = 0;
    if (last - first > LONGEST) {
        return false;
    }
    for (; first < last; first++) {
        struct uses uses = uses_of(*first);
        uint64_t writes = uses.writes & ~(UINT64_C(1) << RV32_SINK);
        read |= uses.reads;
        if (writes & (read | written)) { /* now, or in the next round */
            return false;
        }
        written |= writes;
    }
    return true;
}

static struct rv32_code code_at(const struct l1 *l1, uint32_t word)
{
    struct rv32_code code;
    memcpy(&code, &l1->code[word], sizeof code);
    code.op = rv32_op_of(code.op);
    return code;
}

/* The flow after the instruction at a word of L1, where it is known whether a branch back may close a polling loop. */
static enum region_flow flow_at(const struct l1 *l1, uint32_t word)
{
    const struct rv32_code code = code_at(l1, word), *at = (const struct rv32_code *)l1->code + word;
    if (code.op < RV32_CODE_BEQ_BACK || code.op > RV32_CODE_BGEU_BACK) {
        return flow_of(code);
    }
    return region_only_looks(at + code.immediate, at) ? REGION_BRANCH : REGION_INTERPRETS;
}

/* Continues the search at a word of L1, unless it is outside the window. */
static void reach(struct search *search, uint32_t word, unsigned marks)
{
    uint32_t place = word - search->first;
    if (place >= WINDOW || word >= L1_SIZE / 4) {
        return;
    }
    if (!(search->marks[place] & QUEUED)) {
        search->queue[search->queued++] = (uint16_t)place;
    }
    search->marks[place] |= (uint8_t)(marks | QUEUED);
}

/* Follows the instructions from `place` on up to one that does not continue with the next word. */
static void follow(struct search *search, uint32_t place)
{
    struct region *region = search->region;
    for (; place < WINDOW && !search->index[place] && region->count < REGION_WORDS; place++) {
        uint32_t word = search->first + place;
        struct rv32_code code = code_at(search->l1, word);
        enum region_flow flow = flow_at(search->l1, word);
        if (flow == REGION_ENDS) {
            return;
        }
        if (flow == REGION_BRANCH && code.op >= RV32_CODE_BEQ_BACK) {
            code.op = rv32_plain_op(code.op);
        }
        search->found[region->count] = (struct region_word){.pc = word * 4, .code = code, .flow = (uint8_t)flow};
        search->index[place] = (uint16_t)++region->count;
        switch (flow) {
        case REGION_BRANCH:
            reach(search, word + (uint32_t)code.immediate, LEADS | (code.immediate < 0 ? ENTRY : 0));
            reach(search, word + 1, LEADS);
            return;
        case REGION_JUMP:
            reach(search, word + (uint32_t)code.immediate,
                  LEADS | (code.immediate < 0 || code.rd != RV32_SINK ? ENTRY : 0));
            if (code.rd != RV32_SINK) {
                reach(search, word + 1, LEADS | ENTRY);
            }
            return;
        case REGION_INDIRECT:
            if (code.rd != RV32_SINK) {
                reach(search, word + 1, LEADS | ENTRY);
            }
            return;
        case REGION_INTERPRETS: reach(search, word + 1, LEADS | ENTRY); return;
        default: break;
        }
    }
}

/* Counts the loops around each word: a backward branch or jump closes a loop. */
static void count_depths(struct region *region)
{
    for (uint32_t i = 0; i < region->count; i++) {
        const struct region_word *word = &region->words[i];
        if (word->flow != REGION_BRANCH && (word->flow != REGION_JUMP || word->code.rd != RV32_SINK)) {
            continue;
        }
        for (uint32_t j = word->code.immediate < 0 ? region_index(region, region_target(word)) : i + 1; j <= i; j++) {
            region->words[j].depth += region->words[j].depth < DEEPEST;
        }
    }
}

/* Makes a polling loop that ends at `place` enterable only at its beginning, unless something jumps into it. Then a
   core that reaches its end has executed a whole iteration. */
static void keep_whole(struct search *search, uint32_t place)
{
    const struct region_word *word = search->index[place] ? &search->found[search->index[place] - 1] : NULL;
    if (!word || word->flow != REGION_BRANCH || word->code.immediate >= 0) {
        return;
    }
    const struct rv32_code *at = (const struct rv32_code *)search->l1->code + word->pc / 4;
    uint32_t length = (uint32_t)-word->code.immediate;
    if (length > place || !region_only_looks(at - length, at)) {
        return;
    }
    uint8_t *inner = &search->marks[place - length + 1], others = 0;
    for (uint32_t i = 0; i < length; i++) {
        others |= inner[i] & LEADS;
    }
    for (uint32_t i = 0; i < length && !others; i++) {
        inner[i] = (uint8_t)((inner[i] & ~ROOT) | ENTRY);
    }
}

/* Begins another block, which can be entered, in the middle of long rows of instructions without branches: a turn that
   ends within one would have the interpreter go on to the next entry (rows pushed_* of the benchmark). */
static void cut_rows(struct region *region)
{
    uint32_t row = 0;
    for (uint32_t i = 0; i < region->count; i++) {
        struct region_word *word = &region->words[i];
        bool follows = i && !word->leads && word[-1].flow == REGION_NEXT && word->pc == word[-1].pc + 4;
        row = follows ? row + 1 : 0;
        if (row == REGION_STRAIGHT && word->flow != REGION_INTERPRETS) {
            word->leads = word->entry = true;
            row = 0;
        }
    }
}

void region_add_root(struct region *region, uint32_t pc)
{
    for (uint32_t i = 0; i < region->root_count; i++) {
        if (region->roots[i] == pc) {
            return;
        }
    }
    if (pc % 4 == 0 && pc < L1_SIZE && region->root_count < REGION_ROOTS) {
        region->roots[region->root_count++] = pc;
    }
}

void region_find(struct region *region, const struct rv32 *rv32)
{
    struct search search = {.region = region, .l1 = rv32->l1};
    uint32_t start = region->roots[0] / 4;
    search.first = start < WINDOW / 2 ? 0 : start - WINDOW / 2;
    region->count = 0;
    for (uint32_t i = 0; i < region->root_count; i++) {
        reach(&search, region->roots[i] / 4, ROOT);
    }
    while (search.done < search.queued) {
        follow(&search, search.queue[search.done++]);
    }
    uint32_t count = 0;
    for (uint32_t place = 0; place < WINDOW; place++) {
        keep_whole(&search, place);
    }
    for (uint32_t place = 0; place < WINDOW; place++) {
        if (search.index[place]) {
            struct region_word *word = &region->words[count++];
            *word = search.found[search.index[place] - 1];
            word->leads = search.marks[place] & (LEADS | ROOT);
            word->entry = search.marks[place] & (ENTRY | ROOT) && word->flow != REGION_INTERPRETS;
        }
    }
    cut_rows(region);
    count_depths(region);
}

bool region_may_leave(const struct l1 *l1, uint32_t pc)
{
    struct rv32_code code = code_at(l1, pc / 4);
    enum region_flow flow = flow_at(l1, pc / 4);
    return flow == REGION_INTERPRETS ||
           (flow == REGION_NEXT && (code.op == RV32_CODE_TTINSN || (code.op >= RV32_OP_LB && code.op <= RV32_OP_SW)));
}

bool region_may_skip(const struct l1 *l1, uint32_t pc)
{
    return flow_at(l1, pc / 4) == REGION_BRANCH;
}

bool region_may_begin(const struct l1 *l1, uint32_t pc)
{
    if (pc >= L1_SIZE) {
        return false;
    }
    enum region_flow flow = flow_at(l1, pc / 4);
    return flow != REGION_INTERPRETS && flow != REGION_ENDS;
}

int region_compare_pc(const void *pc, const void *word)
{
    uint32_t a = *(const uint32_t *)pc, b = *(const uint32_t *)word;
    return a < b ? -1 : a > b;
}

uint32_t region_index(const struct region *region, uint32_t pc)
{
    const struct region_word *found =
        bsearch(&pc, region->words, region->count, sizeof region->words[0], region_compare_pc);
    return found ? (uint32_t)(found - region->words) : region->count;
}
