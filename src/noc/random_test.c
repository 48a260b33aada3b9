/* Random requests of all kinds, started on random tiles, against a model that is a few loops over arrays of bytes. The
   order is that of the tiles' numbers, then that of issue. Seeds are fixed: a failure can be repeated. */
#include "noc/fixture.h"
#include "util/xorshift.h"

enum { MEMORY = 0x4000, BASE = 0x40000, DRAM_BASE = 0x100000, ROUNDS = 1000, PER_ROUND = 40, STREAMS_USED = 4 };

struct model {
    uint8_t l1[TENSIX_TILES][MEMORY];
    uint8_t began[TENSIX_TILES][MEMORY]; /* l1 when the requests of the round were started */
    uint8_t dram[DRAM_CHANNELS][MEMORY];
    uint32_t space[TENSIX_TILES][STREAMS_USED]; /* of streams' remote buffers */
    uint32_t counter[TENSIX_TILES][2][NIU_COUNTERS];
};

static uint64_t random_state;

static uint32_t random_word(void)
{
    return xorshift64_word(&random_state);
}

static uint32_t below(uint32_t limit)
{
    return random_word() % limit;
}

static unsigned index_at(unsigned x, unsigned y)
{
    unsigned index;
    assert_true(tensix_index(x, y, &index));
    return index;
}

/* One memory that a request reaches. */
struct memory {
    uint8_t *bytes;
    uint64_t base;
    uint32_t at;
};

/* The channel of a DRAM tile at translated coordinates. */
static unsigned channel_at(unsigned x, unsigned y)
{
    struct noc_translation translation;
    unsigned noc_x, noc_y;
    noc_translation_create(&translation, (struct noc_tiles){ALL_TENSIX_COLUMNS, ALL_ETHERNET, ALL_DRAM});
    assert_true(noc_translate(&translation, x, y, &noc_x, &noc_y));
    return dram_channel_at(noc_x, noc_y);
}

static struct memory any_memory(struct model *model, unsigned tile, bool dram)
{
    unsigned x, y;
    tensix_coordinates(tile, &x, &y);
    if (dram) {
        unsigned channel = below(DRAM_CHANNELS);
        x = 17 + channel / 4;
        y = 12 + channel % 4 * 3 + below(3);
        return (struct memory){model->dram[channel_at(x, y)], DRAM_BASE, at(x, y)};
    }
    return (struct memory){model->l1[tile], BASE, at(x, y)};
}

/* Tiles of a rectangle in the order of a NoC, without those that do not take broadcasts. */
static unsigned rectangle_tiles(unsigned noc, unsigned x0, unsigned y0, unsigned x1, unsigned y1, unsigned without,
                                uint32_t exclude, unsigned *tiles)
{
    unsigned count = 0, columns = x1 - x0 + 1, rows = y1 - y0 + 1;
    for (unsigned j = 0; j < rows; j++) {
        for (unsigned i = 0; i < columns; i++) {
            unsigned x = noc ? x1 - i : x0 + i, y = noc ? y1 - j : y0 + j, index;
            unsigned raw_x = noc ? 16 - x : x, raw_y = noc ? 11 - y : y;
            unsigned keep_x = exclude & 3, skip_x = exclude >> 2 & 3, keep_y = exclude >> 4 & 3,
                     skip_y = exclude >> 6 & 3;
            unsigned corner_x = exclude >> 8 & 63, corner_y = exclude >> 14 & 63;
            bool in_x = exclude >> 20 & 1 ? raw_x >= corner_x : raw_x <= corner_x;
            bool in_y = exclude >> 21 & 1 ? raw_y >= corner_y : raw_y <= corner_y;
            if ((keep_x && skip_x && i % (keep_x + skip_x) >= keep_x) ||
                (keep_y && skip_y && j % (keep_y + skip_y) >= keep_y) || (exclude >> 22 && in_x && in_y)) {
                continue;
            }
            if (tensix_index(x, y, &index) && index != without) {
                tiles[count++] = index;
            }
        }
    }
    return count;
}

struct run {
    struct fixture *fixture;
    struct model *model;
    unsigned tile, noc; /* that start the next request */
    struct command command;
    unsigned tiles[TENSIX_TILES], tiles_count; /* recipients of a broadcast */
};

static uint32_t *count(struct run *run, unsigned tile, unsigned counter_index)
{
    return &run->model->counter[tile][run->noc][counter_index];
}

static void count_write(struct run *run, bool marked, unsigned responses, uint32_t flits)
{
    *count(run, run->tile, NIU_MST_CMD_ACCEPTED) += 1;
    *count(run, run->tile, NIU_MST_NONPOSTED_WR_REQ_STARTED + !marked) += 1;
    *count(run, run->tile, NIU_MST_NONPOSTED_WR_REQ_SENT + !marked) += 1;
    *count(run, run->tile, NIU_MST_NONPOSTED_WR_DATA_WORD_SENT + !marked) += flits;
    *count(run, run->tile, NIU_MST_WR_ACK_RECEIVED) += marked ? responses : 0;
    uint32_t *outstanding = count(run, run->tile, NIU_MST_REQS_OUTSTANDING_ID + (run->command.tag >> 10));
    *outstanding = (*outstanding + (marked ? 1 - responses : 0)) & 0xff;
}

static void count_received(struct run *run, unsigned tile, bool marked, uint32_t flits)
{
    *count(run, tile, NIU_SLV_NONPOSTED_WR_REQ_STARTED + !marked) += 1;
    *count(run, tile, NIU_SLV_NONPOSTED_WR_REQ_RECEIVED + !marked) += 1;
    *count(run, tile, NIU_SLV_NONPOSTED_WR_DATA_WORD_RECEIVED + !marked) += flits;
    *count(run, tile, NIU_SLV_WR_ACK_SENT) += marked;
}

/* A rectangle around somewhere, in translated coordinates, as the NoC wants its corners. */
static uint32_t choose_rectangle(struct run *run)
{
    unsigned ax, ay, bx, by, columns = TENSIX_COLUMNS;
    tensix_coordinates(below(TENSIX_TILES), &ax, &ay);
    tensix_coordinates(below(TENSIX_ROWS) * columns + below(columns), &bx, &by);
    unsigned x0 = ax < bx ? ax : bx, x1 = ax < bx ? bx : ax, y0 = ay < by ? ay : by, y1 = ay < by ? by : ay;
    bool loop = below(2);
    run->command.ctrl |= BROADCAST | (loop ? LOOPBACK : 0);
    run->command.exclude = below(2) ? 0 : below(256);
    if (below(3) == 0) {
        run->command.exclude |= 1u << 22 | below(4) << 20 | (2 + below(8)) << 14 | (1 + below(15)) << 8;
        /* The corner lies within the rectangle: what else means is not documented. */
        unsigned corner_x = x0 + below(x1 - x0 + 1), corner_y = y0 + below(y1 - y0 + 1);
        run->command.exclude = (run->command.exclude & ~0xfff00u) | (run->noc ? 16 - corner_x : corner_x) << 8 |
                               (run->noc ? 11 - corner_y : corner_y) << 14;
    }
    run->tiles_count =
        rectangle_tiles(run->noc, x0, y0, x1, y1, loop ? TENSIX_TILES : run->tile, run->command.exclude, run->tiles);
    return run->noc ? rectangle(x1, y1, x0, y0) : rectangle(x0, y0, x1, y1);
}

static void random_write(struct run *run)
{
    struct model *model = run->model;
    bool marked = below(2), several = below(3) == 0, dram = !several && below(2), enables = !dram && below(3) == 0;
    uint32_t length = 1 + below(below(2) ? 64 : 2000), to = below(MEMORY - 2100);
    uint32_t from = (below(MEMORY - 2100) & ~15u) | (to & 15);
    struct memory memory = any_memory(model, below(TENSIX_TILES), dram);
    run->command.ctrl = CMD_WRITE | (marked ? MARKED : 0) | (enables ? BYTE_ENABLES : 0);
    run->tiles_count = 0;
    if (several) {
        memory.at = choose_rectangle(run);
    } else if (!dram) {
        run->tiles[run->tiles_count++] = index_at(memory.at & 63, memory.at >> 6);
    }
    run->command.target = BASE + from;
    run->command.target_at = at(run->command.x, run->command.y);
    run->command.back = memory.base + to;
    run->command.back_at = memory.at;
    run->command.length = enables ? (uint64_t)random_word() << 32 | random_word() : length;
    uint8_t data[2048];
    bool kept = enables || length <= NOC_KEPT_BYTES; /* since the start */
    const uint8_t *source = kept ? model->began[run->tile] : model->l1[run->tile];
    memcpy(data, source + (enables ? from & ~15u : from), enables ? 64 : length);
    uint32_t flits = enables ? 1 : (length + 63) / 64;
    for (unsigned i = 0; i < run->tiles_count + dram; i++) {
        uint8_t *bytes = dram ? memory.bytes : model->l1[run->tiles[i]];
        for (uint32_t j = 0; j < (enables ? 64 : length); j++) {
            if (!enables || run->command.length >> j & 1) {
                bytes[(enables ? to & ~15u : to) + j] = data[j];
            }
        }
        if (!dram) {
            count_received(run, run->tiles[i], marked, flits);
        }
    }
    count_write(run, marked, run->tiles_count + dram, flits);
}

static void random_read(struct run *run)
{
    struct model *model = run->model;
    bool dram = below(2);
    unsigned other = below(TENSIX_TILES);
    uint32_t length = 1 + below(below(2) ? 64 : 2000), from = below(MEMORY - 2100), mask = dram ? 63 : 15;
    uint32_t to = (below(MEMORY - 2100) & ~mask) | (from & mask);
    struct memory memory = any_memory(model, other, dram);
    run->command.ctrl = CMD_READ;
    run->command.target = memory.base + from;
    run->command.target_at = memory.at;
    run->command.back = BASE + to;
    run->command.back_at = at(run->command.x, run->command.y);
    run->command.length = length;
    uint8_t data[2048];
    memcpy(data, memory.bytes + from, length);
    memcpy(model->l1[run->tile] + to, data, length);
    *count(run, run->tile, NIU_MST_CMD_ACCEPTED) += 1;
    *count(run, run->tile, NIU_MST_RD_REQ_STARTED) += 1;
    *count(run, run->tile, NIU_MST_RD_REQ_SENT) += 1;
    *count(run, run->tile, NIU_MST_RD_RESP_RECEIVED) += 1;
    *count(run, run->tile, NIU_MST_RD_DATA_WORD_RECEIVED) += (length + 63) / 64;
    if (!dram) {
        *count(run, other, NIU_SLV_REQ_ACCEPTED) += 1;
        *count(run, other, NIU_SLV_RD_REQ_RECEIVED) += 1;
        *count(run, other, NIU_SLV_RD_RESP_SENT) += 1;
        *count(run, other, NIU_SLV_RD_DATA_WORD_SENT) += (length + 63) / 64;
    }
}

/* Adds to the space of a stream's remote buffer, at one tile or many. */
static void random_inline_write(struct run *run)
{
    bool marked = below(2), several = below(3) == 0;
    unsigned stream = below(STREAMS_USED), amount = below(1000), x, y;
    run->command.ctrl = CMD_WRITE | INLINE | (marked ? MARKED : 0);
    run->tiles[0] = below(TENSIX_TILES);
    run->tiles_count = 1;
    tensix_coordinates(run->tiles[0], &x, &y);
    run->command.target_at = several ? choose_rectangle(run) : at(x, y);
    run->command.target = 0xFFB40000 + 0x1000 * (4 + stream) + 270 * 4;
    run->command.data = amount << 6;
    run->command.length = 0xf;
    for (unsigned i = 0; i < run->tiles_count; i++) {
        uint32_t *space = &run->model->space[run->tiles[i]][stream];
        *space = (*space + amount) & 0x1ffff;
        count_received(run, run->tiles[i], marked, 1);
    }
    count_write(run, marked, run->tiles_count, 0);
}

static uint32_t word_at(const uint8_t *bytes)
{
    return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void set_word_at(uint8_t *bytes, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(word >> 8 * i);
    }
}

/* The integer operations: operations on numbers are atomics_test.c's. */
static uint32_t random_operation(uint32_t data, uint8_t *unit, bool apply, uint32_t instruction)
{
    static const uint32_t operations[] = {0x1000, 0x3000, 0x4000, 0x6004, 0x7000, 0xa300, 0xa800, 0x9004, 0x900f};
    if (!apply) {
        uint32_t operation = operations[below(sizeof operations / sizeof operations[0])], fields = random_word();
        switch (operation) {
        case 0x1000: return operation | (fields & 0x7f);
        case 0x3000:
        case 0x4000: return operation | (fields & 0x3ff);
        case 0x6004:
        case 0xa300: return operation | (fields & 3);
        case 0x7000: return operation | (fields & 0xc);
        case 0xa800: return operation | (fields & 0x703);
        default: return operation;
        }
    }
    uint8_t *word = unit + 4 * (instruction & 3);
    uint32_t held = word_at(word);
    switch (instruction >> 12) {
    case 1: {
        unsigned width = (instruction >> 2 & 31) + 1;
        uint64_t mask = (UINT64_C(1) << width) - 1;
        set_word_at(word, (uint32_t)(((held + data) & mask) | (held & ~mask)));
        break;
    }
    case 3:
        for (unsigned i = 0; i < 16; i++) {
            if (instruction >> (2 + i / 2) & 1) {
                unit[i] = (uint8_t)(data >> 8 * (i % 4));
            }
        }
        break;
    case 4: set_word_at(word, held == (instruction >> 2 & 15) ? instruction >> 6 & 15 : held); break;
    case 6: set_word_at(word, data); break;
    case 7: set_word_at(unit + (instruction & 0xc), data); break;
    case 9:
        for (unsigned i = 0; i < 16; i++) {
            if ((instruction & 15) == 15) {
                unit[i] = (uint8_t)(unit[i] + (data >> 8 * (i % 4)));
            } else if (i % 4 == 0) {
                set_word_at(unit + i, word_at(unit + i) + data);
            }
        }
        break;
    default: {
        const uint32_t results[] = {held + data,
                                    held ^ data,
                                    held | data,
                                    held & data,
                                    (int32_t)held <= (int32_t)data ? held : data,
                                    (int32_t)held >= (int32_t)data ? held : data,
                                    held <= data ? held : data,
                                    held >= data ? held : data};
        set_word_at(word, instruction >> 11 & 1 ? results[instruction >> 8 & 7] : data);
        break;
    }
    }
    return 0;
}

static void random_atomic(struct run *run)
{
    struct model *model = run->model;
    bool marked = below(2), several = below(4) == 0;
    uint32_t target = below(MEMORY / 4) * 4, back = below(MEMORY / 4) * 4, data = below(2) ? random_word() : below(20);
    uint32_t instruction = random_operation(0, NULL, false, 0);
    unsigned x, y;
    bool undefined_result = instruction >> 12 == 9;
    marked = marked && !undefined_result; /* parallel additions leave nothing that is defined */
    run->command.ctrl = CMD_ATOMIC | (marked ? MARKED : 0);
    run->tiles[0] = below(TENSIX_TILES);
    run->tiles_count = 1;
    tensix_coordinates(run->tiles[0], &x, &y);
    run->command.target_at = several ? choose_rectangle(run) : at(x, y);
    run->command.target = BASE + target;
    run->command.back = BASE + back;
    run->command.back_at = at(run->command.x, run->command.y);
    run->command.data = data;
    run->command.length = instruction;
    for (unsigned i = 0; i < run->tiles_count; i++) {
        uint8_t *l1 = model->l1[run->tiles[i]];
        uint32_t result = word_at(l1 + target);
        (void)random_operation(data, l1 + (target & ~15u), true, instruction);
        *count(run, run->tiles[i], NIU_SLV_REQ_ACCEPTED) += 1;
        *count(run, run->tiles[i], NIU_SLV_NONPOSTED_ATOMIC_RECEIVED + !marked) += 1;
        if (marked) {
            set_word_at(model->l1[run->tile] + back, result);
            *count(run, run->tiles[i], NIU_SLV_ATOMIC_RESP_SENT) += 1;
        }
    }
    *count(run, run->tile, NIU_MST_CMD_ACCEPTED) += 1;
    *count(run, run->tile, NIU_MST_NONPOSTED_ATOMIC_STARTED) += marked;
    *count(run, run->tile, NIU_MST_NONPOSTED_ATOMIC_SENT + !marked) += 1;
    *count(run, run->tile, NIU_MST_ATOMIC_RESP_RECEIVED) += marked ? run->tiles_count : 0;
    uint32_t *outstanding = count(run, run->tile, NIU_MST_REQS_OUTSTANDING_ID + (run->command.tag >> 10));
    *outstanding = (*outstanding + (marked ? 1 - run->tiles_count : 0)) & 0xff;
}

static void compare(struct fixture *fixture, const struct model *model, const uint8_t *touched)
{
    static uint8_t bytes[MEMORY];
    for (unsigned i = 0; i < TENSIX_TILES; i++) {
        unsigned x, y;
        tensix_coordinates(i, &x, &y);
        assert_int_equal(bh_read(fixture->device, x, y, BASE, bytes, MEMORY), BH_OK);
        assert_memory_equal(bytes, model->l1[i], MEMORY);
        for (unsigned noc = 0; touched[i] && noc < 2; noc++) {
            uint32_t counters[NIU_COUNTERS];
            assert_int_equal(bh_read(fixture->device, x, y, 0xFFB20200 + 0x10000 * noc, counters, sizeof counters),
                             BH_OK);
            assert_memory_equal(counters, model->counter[i][noc], sizeof counters);
        }
        for (unsigned stream = 0; stream < STREAMS_USED; stream++) {
            assert_int_equal(get_word(fixture, x, y, 0xFFB40000 + 0x1000 * (4 + stream) + 297 * 4),
                             model->space[i][stream]);
        }
    }
    for (unsigned channel = 0; channel < DRAM_CHANNELS; channel++) {
        unsigned x = 17 + channel / 4, y = 12 + channel % 4 * 3;
        assert_int_equal(bh_read(fixture->device, x, y, DRAM_BASE, bytes, MEMORY), BH_OK);
        assert_memory_equal(bytes, model->dram[channel_at(x, y)], MEMORY);
    }
}

static void fill_all(struct fixture *fixture, struct model *model)
{
    for (unsigned i = 0; i < TENSIX_TILES; i++) {
        unsigned x, y;
        tensix_coordinates(i, &x, &y);
        for (unsigned j = 0; j < MEMORY; j++) {
            model->l1[i][j] = (uint8_t)random_word();
        }
        assert_int_equal(bh_write(fixture->device, x, y, BASE, model->l1[i], MEMORY), BH_OK);
    }
}

static void random_requests_do_what_the_model_does(void **context)
{
    struct fixture *fixture = *context;
    static struct model model;
    static uint8_t all[TENSIX_TILES];
    memset(all, 1, sizeof all);
    random_state = 0x9e3779b97f4a7c15;
    fill_all(fixture, &model);
    for (unsigned round = 0; round < ROUNDS; round++) {
        /* Within an exchange, tiles go in the order of their numbers. */
        unsigned tile = 0;
        memcpy(model.began, model.l1, sizeof model.began);
        for (unsigned i = 0; i < PER_ROUND && tile < TENSIX_TILES; i++) {
            struct run run = {.fixture = fixture, .model = &model, .tile = tile, .noc = below(2)};
            unsigned x, y;
            tensix_coordinates(tile, &x, &y);
            run.command = (struct command){.x = (uint8_t)x,
                                           .y = (uint8_t)y,
                                           .noc = (uint8_t)run.noc,
                                           .initiator = (uint8_t)below(4),
                                           .tag = below(16) << 10};
            switch (below(4)) {
            case 0: random_write(&run); break;
            case 1: random_read(&run); break;
            case 2: random_inline_write(&run); break;
            default: random_atomic(&run); break;
            }
            assert_int_equal(start(fixture, &run.command), BH_OK);
            tile += below(8);
        }
        exchange(fixture);
        if (round % 100 == 99) {
            compare(fixture, &model, all);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(random_requests_do_what_the_model_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
