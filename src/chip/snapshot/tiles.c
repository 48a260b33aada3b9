/* Tensix, Ethernet and DRAM tiles in a snapshot. */
#include <string.h>

#include "chip/snapshot/parts.h"
#include "rv32/execute.h"
#include "tile/handlers.h"

enum { BLOCK_WORDS = L1_CODE_BLOCK / 4 };

/* Predecoded instructions. */

/* A block of L1 from which cores have fetched instructions, a bit for each word. */
struct code_block {
    uint64_t predecoded;
    uint64_t plain;     /* of these, jumps and branches back that are known not to poll */
    uint64_t rewritten; /* words that replaced an instruction: their marks follow */
    uint8_t caches;     /* an element of code_blocks */
};

static struct rv32_code code_of(const struct l1 *l1, uint32_t word)
{
    struct rv32_code code;
    memcpy(&code, &l1->code[word], sizeof code);
    if (code.op != L1_REWRITTEN) {
        code.op &= (uint8_t)~L1_ENTRY;
    }
    return code;
}

/* A jump or branch that was predecoded as one back, and looked at until it was plain. */
static bool has_become_plain(const struct l1 *l1, uint32_t word, uint8_t op)
{
    bool jumps = op == RV32_OP_JAL || (op >= RV32_OP_BEQ && op <= RV32_OP_BGEU);
    return jumps && rv32_predecode(l1_load32(l1, 4 * word), 4 * word).op != op;
}

static struct code_block describe(const struct l1 *l1, uint32_t block)
{
    struct code_block found = {.caches = l1->code_blocks[block]};
    for (uint32_t i = 0; i < BLOCK_WORDS; i++) {
        uint32_t word = block * BLOCK_WORDS + i;
        struct rv32_code code = code_of(l1, word);
        found.predecoded |= (uint64_t)(code.op && code.op != L1_REWRITTEN) << i;
        found.rewritten |= (uint64_t)(code.op == L1_REWRITTEN) << i;
        found.plain |= (uint64_t)has_become_plain(l1, word, code.op) << i;
    }
    return found;
}

static bool is_jump_back(uint8_t op)
{
    return op == RV32_CODE_JUMP_BACK || (op >= RV32_CODE_BEQ_BACK && op <= RV32_CODE_BGEU_BACK);
}

static void load_code(struct archive *archive, struct l1 *l1, uint32_t block, const struct code_block *found)
{
    l1_predecoded(l1, block * L1_CODE_BLOCK, 0);
    l1->code_blocks[block] = found->caches;
    for (uint64_t left = found->predecoded; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left), word = block * BLOCK_WORDS + i;
        struct rv32_code code = rv32_predecode(l1_load32(l1, 4 * word), 4 * word);
        if (found->plain >> i & 1) {
            if (!is_jump_back(code.op)) {
                archive_wrong(archive, "the instructions of a tile are not those in its L1");
                return;
            }
            code.op = rv32_plain_op(code.op);
        }
        memcpy(&l1->code[word], &code, sizeof code);
    }
}

static void archive_marks(struct archive *archive, struct l1 *l1, uint32_t block, uint64_t rewritten)
{
    for (; rewritten; rewritten &= rewritten - 1) {
        uint64_t *mark = &l1->code[block * BLOCK_WORDS + (uint32_t)__builtin_ctzll(rewritten)];
        ARCHIVE_RAW(archive, *mark);
        if ((uint8_t)*mark != L1_REWRITTEN) {
            archive_wrong(archive, "the instructions of a tile are not those in its L1");
            *mark = 0;
        }
    }
}

static void archive_code_block(struct archive *archive, struct l1 *l1, uint32_t block)
{
    struct code_block found = archive->loads ? (struct code_block){0} : describe(l1, block);
    ARCHIVE_RAW(archive, found.predecoded);
    ARCHIVE_RAW(archive, found.plain);
    ARCHIVE_RAW(archive, found.rewritten);
    ARCHIVE_RAW(archive, found.caches);
    if (archive->loads && !archive->wrong) {
        load_code(archive, l1, block, &found);
    }
    archive_marks(archive, l1, block, found.rewritten);
}

/* L1 itself is loaded before. */
static void archive_code(struct archive *archive, struct l1 *l1)
{
    ARCHIVE(archive, l1->flushes);
    ARCHIVE(archive, l1->flushed);
    uint32_t block = 0;
    do {
        while (!archive->loads && block < l1->code_end && !l1->code_blocks[block]) {
            block++;
        }
        uint32_t number = !archive->loads && block >= l1->code_end ? L1_CODE_BLOCKS : block;
        block = archive_number(archive, number, L1_CODE_BLOCKS + 1);
        if (block < L1_CODE_BLOCKS) {
            archive_code_block(archive, l1, block);
        }
    } while (block++ < L1_CODE_BLOCKS && !archive->wrong);
}

/* Tiles. */

void archive_tensix(struct archive *archive, struct bh_device *device, unsigned index)
{
    struct tile *tile = &device->tiles[index];
    struct tile_state *state = tile->state;
    memset(state->diagnostics.repeated, 0, sizeof state->diagnostics.repeated); /* places in this very library */
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        state->core[core].x[RV32_SINK] = 0; /* nobody reads it, and translated code does not write it */
    }
    if (archive->loads) {
        device_clear_tensix(device, index);
    }
    archive_memory(archive, state, sizeof *state);
    ARCHIVE(archive, tile->plain);
    ARCHIVE(archive, tile->schedule);
    ARCHIVE(archive, tile->ahead_until);
    ARCHIVE(archive, tile->unreported);
    archive_flag(archive, &tile->holds_pushes);
    archive_flag(archive, &tile->pushes_told);
    ARCHIVE(archive, tile->passed);
    ARCHIVE(archive, tile->circles);
    ARCHIVE(archive, tile->circle);
    archive_code(archive, &tile->l1);
    if (archive->loads) {
        diagnostics_set_policy(&state->diagnostics, device->config.policy);
        tile->pollings = (struct pollings){0};
        pushes_connect(tile);
    }
}

static void archive_core_tile(struct archive *archive, struct core_tile *tile)
{
    memset(tile->diagnostics.repeated, 0, sizeof tile->diagnostics.repeated);
    for (unsigned core = 0; core < CORE_TILE_CORES; core++) {
        tile->core[core].x[RV32_SINK] = 0;
    }
    ARCHIVE(archive, tile->diagnostics);
    ARCHIVE(archive, tile->clock);
    ARCHIVE(archive, tile->outbox);
    ARCHIVE(archive, tile->core);
    ARCHIVE(archive, tile->polled);
    ARCHIVE(archive, tile->debug);
    ARCHIVE(archive, tile->wall_clock_high);
    ARCHIVE(archive, tile->debug_capture_next);
    ARCHIVE(archive, tile->reset_pc);
    ARCHIVE(archive, tile->end_pc);
    ARCHIVE(archive, tile->local_ram);
    if (archive->loads) {
        memset(tile->l1_bytes, 0, sizeof tile->l1_bytes);
    }
    archive_memory(archive, tile->l1_bytes, sizeof tile->l1_bytes);
    archive_code(archive, &tile->l1);
}

static bool copies_fit(const struct gddr_dma *dma)
{
    bool fit = dma->count <= GDDR_DMA_UNDER_WAY;
    for (unsigned i = 0; fit && i < dma->count; i++) {
        const struct gddr_dma_copy *copy = &dma->copy[i];
        fit = copy->stream < GDDR_DMA_STREAMS && copy->l1 <= DRISC_L1_SIZE && copy->size <= DRISC_L1_SIZE - copy->l1 &&
              copy->gddr <= DRAM_CHANNEL_SIZE && copy->size <= DRAM_CHANNEL_SIZE - copy->gddr;
    }
    return fit;
}

void archive_dram_tile(struct archive *archive, struct dram_tile *tile)
{
    archive_core_tile(archive, &tile->tile);
    ARCHIVE(archive, tile->scratch);
    ARCHIVE(archive, tile->weight);
    ARCHIVE(archive, tile->dma);
    ARCHIVE(archive, tile->timing);
    if (archive->loads && !copies_fit(&tile->dma)) {
        archive_wrong(archive, "copies between GDDR and L1 do not fit");
        tile->dma.count = 0;
    }
}

void archive_ethernet(struct archive *archive, struct ethernet *ethernet)
{
    archive_core_tile(archive, &ethernet->tile);
    ARCHIVE(archive, ethernet->niu);
    ARCHIVE(archive, ethernet->tx);
    ARCHIVE(archive, ethernet->rx);
    ARCHIVE(archive, ethernet->headers);
    ARCHIVE(archive, ethernet->mac_rx_routing);
    ARCHIVE(archive, ethernet->mac_rx_addr_routing);
    ARCHIVE(archive, ethernet->eop_status_good);
    ARCHIVE(archive, ethernet->classifier);
    ARCHIVE(archive, ethernet->timer);
    ARCHIVE(archive, ethernet->overlay);
    ARCHIVE(archive, ethernet->mac);
    ARCHIVE(archive, ethernet->firmware);
}
