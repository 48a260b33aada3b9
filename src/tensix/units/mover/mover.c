#include "tensix/units/mover/mover.h"

#include "tensix/units/execute.h"

enum { UNIT = 16, REGISTER_BLOCK = 0x10000, WORMHOLE_IRAM = 0x40000 };

static const struct actor the_mover = {.agent = BH_AGENT_MOVER};

static const uint32_t config_window = 0xffef0000;

struct mover_transfer mover_transfer_of(uint32_t source, uint32_t destination, uint32_t size, uint32_t direction)
{
    return (struct mover_transfer){
        .source = source * UNIT,
        .destination = destination * UNIT,
        .size = (size & 0xffff) * UNIT,
        .direction = direction & 3,
    };
}

struct mover_transfer mover_transfer_of_thread(const struct tensix *tensix, unsigned thread)
{
    const uint32_t *words = config_bank(&tensix->state->config, thread);
    return mover_transfer_of(
        CONFIG_GET(words, THCON_SEC0_REG6_Source_address), CONFIG_GET(words, THCON_SEC0_REG6_Destination_address),
        CONFIG_GET(words, THCON_SEC0_REG6_Buffer_size), CONFIG_GET(words, THCON_SEC0_REG6_Transfer_direction));
}

static bool reads_l1(const struct mover_transfer *transfer)
{
    return transfer->direction == XMOV_L1_TO_L0 || transfer->direction == XMOV_L1_TO_L1;
}

static bool writes_l1(const struct mover_transfer *transfer)
{
    return transfer->direction == XMOV_L0_TO_L1 || transfer->direction == XMOV_L1_TO_L1;
}

/* Shortens the transfer to the part that lies in L1 at `address`, with a diagnostic if it is shorter. */
static enum step keep_to_l1(struct tensix *tensix, struct mover_transfer *transfer, uint32_t address, const char *what)
{
    uint32_t size = transfer->size, room = address < L1_SIZE ? L1_SIZE - address : 0;
    if (room && size <= room) {
        return STEP_DONE;
    }
    transfer->size = size < room ? size : room;
    return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                    "the mover %s 0x%x bytes at 0x%08x, but L1 ends at 0x%08x; addresses and sizes are given in units "
                    "of 16 bytes",
                    what, size, address, L1_SIZE - 1);
}

static bool overlaps(const struct mover_transfer *transfer)
{
    uint32_t distance = transfer->source > transfer->destination ? transfer->source - transfer->destination
                                                                 : transfer->destination - transfer->source;
    return distance != 0 && distance < transfer->size;
}

/* The documentation calls the copy memcpy: it does not define the order in which overlapping units are copied. */
static enum step check_overlap(struct tensix *tensix, const struct mover_transfer *transfer)
{
    if (!reads_l1(transfer) || !overlaps(transfer)) {
        return STEP_DONE;
    }
    return diagnose(
        tensix->diagnostics, BH_UNPREDICTABLE_VALUE,
        "the mover copies 0x%x bytes from 0x%08x to 0x%08x, which overlap: here all is read before anything "
        "is written",
        transfer->size, transfer->source, transfer->destination);
}

static enum step write_l1(struct tensix *tensix, struct mover_transfer transfer)
{
    enum step step = keep_to_l1(tensix, &transfer, transfer.destination, "writes");
    if (step == STEP_DONE) {
        step = check_overlap(tensix, &transfer);
    }
    if (step != STEP_DONE || transfer.size == 0) {
        return step;
    }
    uint8_t *destination = l1_begin_write(tensix->l1, transfer.destination);
    if (reads_l1(&transfer)) {
        memmove(destination, l1_read(tensix->l1, the_mover, transfer.source, transfer.size), transfer.size);
    } else {
        memset(destination, 0, transfer.size);
    }
    l1_end_write(tensix->l1, the_mover, transfer.destination, transfer.size);
    return STEP_DONE;
}

/* Tells observers of a word that goes to configuration: its address is that which cores see. */
static void tell_register(const struct tensix *tensix, uint32_t index, uint32_t value)
{
    if (__builtin_expect(tensix->observed != NULL, 0)) {
        observed_access(tensix->observed, the_mover, BH_SPACE_REGISTER, true, config_window + index * 4, sizeof value,
                        &value);
    }
}

static bool is_to_config(const struct mover_transfer *transfer)
{
    return !writes_l1(transfer) && transfer->destination < REGISTER_BLOCK;
}

uint32_t mover_config_words(const struct tensix *tensix, const struct mover_transfer *transfer, uint32_t *first)
{
    bool moves = is_to_config(transfer) && !tensix->state->mover.in_reset;
    *first = transfer->destination / 4;
    return moves ? *first + transfer->size / 4 : *first;
}

static enum step write_config(struct tensix *tensix, struct mover_transfer transfer)
{
    uint32_t first, end = mover_config_words(tensix, &transfer, &first);
    if (first < end && end > CONFIG_WINDOW_THREADS) {
        enum step step = diagnose(
            tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
            "the mover writes words %u to %u of the configuration window, whose last that can be written is %u; "
            "ThreadConfig, behind it, takes SETC16 only",
            first, end - 1, CONFIG_WINDOW_THREADS - 1);
        if (step != STEP_DONE) {
            return step;
        }
        end = CONFIG_WINDOW_THREADS;
    }
    for (uint32_t index = first; index < end; index++) {
        uint32_t value =
            reads_l1(&transfer) ? l1_read32(tensix->l1, the_mover, transfer.source + 4 * (index - first)) : 0;
        config_window_write(tensix, index, value);
        tell_register(tensix, index, value);
    }
    return STEP_DONE;
}

static enum step discard(struct tensix *tensix, const struct mover_transfer *transfer)
{
    if (transfer->size == 0) {
        return STEP_DONE;
    }
    bool iram = transfer->destination / REGISTER_BLOCK == WORMHOLE_IRAM / REGISTER_BLOCK;
    return diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                    "the mover writes 0x%x bytes to its address 0x%08x, where %s: discarded", transfer->size,
                    transfer->destination,
                    iram ? "Wormhole has the instruction RAM of NC; on Blackhole NC fetches from L1 only"
                         : "nothing is; configuration is at 0 to 0xffff");
}

static enum step write_registers(struct tensix *tensix, struct mover_transfer transfer)
{
    uint32_t room = REGISTER_BLOCK - transfer.destination % REGISTER_BLOCK;
    if (transfer.size > room) {
        enum step step =
            diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                     "the mover writes 0x%x bytes to its address 0x%08x: more than the 64 KiB of one region",
                     transfer.size, transfer.destination);
        if (step != STEP_DONE) {
            return step;
        }
        transfer.size = room;
    }
    return is_to_config(&transfer) ? write_config(tensix, transfer) : discard(tensix, &transfer);
}

enum step mover_move(struct tensix *tensix, struct mover_transfer transfer)
{
    if (tensix->state->mover.in_reset) {
        return STEP_DONE;
    }
    enum step step = reads_l1(&transfer) ? keep_to_l1(tensix, &transfer, transfer.source, "reads") : STEP_DONE;
    if (step != STEP_DONE) {
        return step;
    }
    return writes_l1(&transfer) ? write_l1(tensix, transfer) : write_registers(tensix, transfer);
}

/* `Last` flushes the mover's buffer: no data are buffered here. */
enum step execute_XMOV(struct tensix *tensix, unsigned thread, struct args_XMOV args)
{
    if (args.Mov_block_selection) {
        enum step step = diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                                  "XMOV: Mov_block_selection is 1, but a tile has one mover");
        if (step != STEP_DONE) {
            return step;
        }
    }
    struct mover_transfer transfer = mover_transfer_of_thread(tensix, thread);
    if (__builtin_expect(tensix->jitter != 0, 0)) {
        lag_move(tensix, thread, transfer);
        return STEP_DONE;
    }
    return mover_move(tensix, transfer);
}

TENSIX_RUN(XMOV)
