/* Zones of tt-metal's kernels for its estimator of transfers: each sender sends or fetches so many packets to or from
   each of its peers, one peer after the other, then waits for all. The registers that a packet needs, the counter in
   the core's local memory, and the core are those of tt-metal's API for data movement. */
#include <stdlib.h>
#include <string.h>

#include "validation/validation.h"
#include "validation/zones.h"

enum { PEERS = 0x7000 };
enum { CTRL_INCLUDE = 1 << 17, CTRL_LINKED = 1 << 6, FIRST_ROW = 2 };
enum { PEER = S10, LAST_PEER = S11 };

static const uint8_t columns[] = {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15};

uint32_t at_place(struct place place)
{
    return place.x | place.y << NOC_COORDINATE_BITS;
}

struct place grid_tile(unsigned column, unsigned row)
{
    return (struct place){columns[column], FIRST_ROW + row};
}

void emit_ready(struct program *program)
{
    uint32_t poll = program->count;
    emit_lw(program, TEMPORARY, COMMAND, 4 * NOC_CMD_CTRL);
    emit_branch(program, RV32_OP_BNE, TEMPORARY, ZERO, poll);
}

/* Sends, and counts a packet, and the answers to a write; a compiler loads the counters before it needs them. */
static void emit_send(struct program *program, const struct pattern *pattern)
{
    emit_lw(program, T0, COUNTER, 0);
    if (!pattern->reads) {
        emit_lw(program, T1, COUNTER, 4);
    }
    emit_sw(program, ONE, COMMAND, 4 * NOC_CMD_CTRL);
    RVI(ADDI, T0, T0, 1);
    if (!pattern->reads) {
        RVI(ADDI, T1, T1, (int32_t)pattern->answers);
    }
    emit_sw(program, T0, COUNTER, 0);
    if (!pattern->reads) {
        emit_sw(program, T1, COUNTER, 4);
    }
}

void emit_mark(struct program *program)
{
    emit_lw(program, T0, COUNTER, 8); /* how much of its buffer is used */
    emit_lw(program, T1, MARK, 8);
    emit_li(program, T2, 0xFFF);
    RV(AND, T1, T1, T2);
    RV(OR, T1, T1, ZONE_NAME);
    emit_sw(program, T1, T0, 0);
    emit_lw(program, T1, MARK, 0);
    emit_sw(program, T1, T0, 4);
    RVI(ADDI, T0, T0, 8);
    emit_sw(program, T0, COUNTER, 8);
}

/* What stays the same for all packets of a peer, if the program keeps state in the registers. */
static void emit_state(struct program *program, const struct pattern *pattern)
{
    emit_ready(program);
    emit_sw(program, CONTROL, COMMAND, 4 * NOC_CTRL);
    emit_sw(program, MIDDLE, COMMAND, 4 * (pattern->reads ? NOC_TARG_ADDR_MID : NOC_RET_ADDR_MID));
    emit_sw(program, THERE, COMMAND, 4 * (pattern->reads ? NOC_TARG_ADDR_HI : NOC_RET_ADDR_HI));
    emit_sw(program, LENGTH, COMMAND, 4 * NOC_AT_LEN_BE);
}

void emit_packet(struct program *program, const struct pattern *pattern)
{
    emit_ready(program);
    if (!pattern->stateful && !pattern->reads) {
        emit_sw(program, CONTROL, COMMAND, 4 * NOC_CTRL);
    }
    emit_sw(program, TO, COMMAND, 4 * NOC_RET_ADDR_LO);
    emit_sw(program, FROM, COMMAND, 4 * NOC_TARG_ADDR_LO);
    if (!pattern->stateful) {
        emit_sw(program, MIDDLE, COMMAND, 4 * (pattern->reads ? NOC_TARG_ADDR_MID : NOC_RET_ADDR_MID));
        emit_sw(program, THERE, COMMAND, 4 * (pattern->reads ? NOC_TARG_ADDR_HI : NOC_RET_ADDR_HI));
    }
    emit_sw(program, LENGTH, COMMAND, 4 * NOC_AT_LEN_BE);
    emit_send(program, pattern);
}

/* Packets to or from the peer THERE. Only the last of linked ones is not linked. */
static void emit_packets(struct program *program, const struct pattern *pattern)
{
    bool linked = pattern->control & CTRL_LINKED;
    unsigned count = pattern->each - linked;
    if (pattern->stateful) {
        emit_state(program, pattern);
    }
    emit_li(program, ROUNDS, count);
    uint32_t top = program->count;
    if (count) {
        emit_packet(program, pattern);
        RVI(ADDI, ROUNDS, ROUNDS, -1);
        emit_branch(program, RV32_OP_BNE, ROUNDS, ZERO, top);
    }
    if (linked) {
        emit_li(program, CONTROL, pattern->control & ~(uint32_t)CTRL_LINKED);
        emit_packet(program, pattern);
    }
}

/* The next peer: packets to many get x and y in one word and make a 64 bit address of them, in which they begin at bit
   36; the registers get what is above that, and the bits of the address between. */
static void emit_peer(struct program *program, const struct pattern *pattern)
{
    enum { HIGH_X = 4, COORDINATE_ROOM = 8 };
    emit_lw(program, THERE, PEER, 0);
    if (pattern->broadcasts || pattern->peers == 1) {
        return;
    }
    RVI(SRLI, T0, THERE, 16);
    RVI(SLLI, T1, THERE, 16);
    RVI(SRLI, T1, T1, 16);
    RVI(SLLI, T0, T0, HIGH_X);
    RVI(SLLI, T1, T1, HIGH_X + NOC_COORDINATE_BITS);
    RV(OR, T0, T0, T1);
    emit_li(program, T1, 0x1000000F);
    RV(AND, MIDDLE, T0, T1);
    RVI(SRLI, THERE, T0, HIGH_X);
    RVI(SLLI, THERE, THERE, COORDINATE_ROOM);
    RVI(SRLI, THERE, THERE, COORDINATE_ROOM);
}

void emit_setup(struct program *program, const struct pattern *pattern, struct place here)
{
    uint32_t initiator = niu(pattern->noc, pattern->reads ? READ_BUFFER : WRITE_BUFFER);
    emit_li(program, FROM, ZONE_FROM);
    emit_li(program, TO, ZONE_TO);
    emit_li(program, LENGTH, pattern->bytes);
    emit_li(program, ONE, 1);
    emit_li(program, MIDDLE, 0);
    emit_li(program, COUNTER, COUNTERS);
    emit_li(program, CONTROL, pattern->control);
    emit_li(program, COMMAND, initiator);
    emit_li(program, HERE, at_place(here)); /* as firmware leaves the registers that no packet changes */
    emit_sw(program, HERE, COMMAND, 4 * (pattern->reads ? NOC_RET_ADDR_HI : NOC_TARG_ADDR_HI));
    emit_sw(program, CONTROL, COMMAND, 4 * NOC_CTRL);
    emit_li(program, EXPECTED, pattern->answers * pattern->each * pattern->peers);
    emit_li(program, MARK, WALL_CLOCK);
    emit_li(program, ZONE_NAME, 0x80000000);
    emit_li(program, T0, ZONE_TIMES);
    emit_sw(program, T0, COUNTER, 8);
    emit_li(program, PEER, PEERS);
    emit_li(program, LAST_PEER, PEERS + 4 * pattern->peers);
}

static void start(struct bh_device *device, const struct pattern *pattern, struct place here)
{
    static struct program program_room;
    struct program *program = &program_room;
    *program = (struct program){.address = ZONE_CODE};
    emit_setup(program, pattern, here);
    emit_mark(program);
    uint32_t next = program->count;
    emit_peer(program, pattern);
    emit_packets(program, pattern);
    RVI(ADDI, PEER, PEER, 4);
    emit_branch(program, RV32_OP_BNE, PEER, LAST_PEER, next);
    emit_await(program, 0, pattern->reads ? NIU_MST_RD_RESP_RECEIVED : NIU_MST_WR_ACK_RECEIVED);
    emit_mark(program);
    emit_end(program);
    machine_write(device, here, PEERS, pattern->peer, 4 * pattern->peers);
    machine_load(device, here, program);
    machine_start(device, here, pattern->reads ? BH_CORE_NC : BH_CORE_B, program);
}

static int compare(const void *one, const void *other)
{
    uint32_t first = *(const uint32_t *)one, second = *(const uint32_t *)other;
    return (first > second) - (first < second);
}

/* The median of what the senders took, as tt-metal's stats_collector.py reports it. */
static double run(const struct pattern *pattern)
{
    struct bh_device *device = machine_create();
    uint32_t took[MOST_TILES];
    for (unsigned i = 0; i < pattern->senders; i++) {
        start(device, pattern, pattern->sender[i]);
    }
    machine_run(device);
    for (unsigned i = 0; i < pattern->senders; i++) {
        struct place sender = pattern->sender[i];
        took[i] = machine_word(device, sender, ZONE_TIMES + 12) - machine_word(device, sender, ZONE_TIMES + 4);
    }
    bh_device_destroy(device);
    qsort(took, pattern->senders, sizeof *took, compare);
    return (took[(pattern->senders - 1) / 2] + took[pattern->senders / 2]) / 2.0;
}

/* The same, but once for all rows that need it: they come one after the other, sizes within counts. */
static double run_once(const struct pattern *pattern)
{
    enum { KEPT = 64 };
    static struct pattern known[KEPT];
    static double took[KEPT];
    static unsigned next;
    for (unsigned i = 0; i < KEPT; i++) {
        if (!memcmp(&known[i], pattern, sizeof *pattern)) {
            return took[i];
        }
    }
    double value = run(pattern);
    known[next % KEPT] = *pattern;
    took[next++ % KEPT] = value;
    return value;
}

/* Many packets to each peer take as much longer as some packets more do. */
static double zone(const struct pattern *pattern)
{
    enum { ENOUGH = 4096, SOME = 8, CROWD = 16, MASS = 64 };
    unsigned few = pattern->senders >= MASS ? 2 : pattern->senders > CROWD ? SOME / 2 : SOME;
    if (pattern->each <= 2 * few || pattern->senders * pattern->peers * pattern->each <= ENOUGH) {
        return run_once(pattern);
    }
    static struct pattern some, more;
    some = more = *pattern;
    some.each = few;
    more.each = 2 * few;
    double first = run_once(&some), second = run_once(&more);
    return second + (second - first) * (pattern->each - more.each) / few;
}

static unsigned square_root(unsigned square)
{
    unsigned root = 1;
    while (root * root < square) {
        root++;
    }
    return root;
}

/* Columns and rows of the grid that a pattern of so many tiles names. */
static struct place grid_of(const struct measured *row, unsigned tiles)
{
    if (strstr(row->what, "_ROW")) {
        return (struct place){tiles < GRID_WIDTH ? GRID_WIDTH : tiles, 1};
    }
    if (strstr(row->what, "_COLUMN")) {
        return (struct place){1, tiles < GRID_HEIGHT ? GRID_HEIGHT : tiles};
    }
    unsigned side = square_root(tiles);
    return tiles > 100 ? (struct place){(tiles + GRID_HEIGHT - 1) / GRID_HEIGHT, GRID_HEIGHT}
                       : (struct place){side, side};
}

/* On average over the links of an axis that senders and peers share, how many packets to or from each peer go over one.
   NoC 0 goes one way around the torus, requests and responses alike. */
static double packets_on_links(const struct pattern *pattern, bool vertical)
{
    unsigned size = vertical ? NOC_HEIGHT : NOC_WIDTH, hops = 0, lines = 0;
    uint32_t used = 0;
    for (unsigned i = 0; i < pattern->senders; i++) {
        struct place sender = pattern->sender[i];
        unsigned from = vertical ? sender.y : sender.x;
        used |= 1u << (vertical ? sender.x : sender.y);
        for (unsigned j = 0; j < pattern->peers; j++) {
            unsigned to = vertical ? pattern->peer[j] & 0xffff : pattern->peer[j] >> 16;
            hops += pattern->reads ? (from + size - to) % size : (to + size - from) % size;
        }
    }
    lines = (unsigned)__builtin_popcount(used);
    return (double)hops / (lines * size);
}

/* Nothing crosses an NIU or a link faster than a flit a cycle. Half of the senders are done by the median, so that the
   links have carried half of all. Rows that say something else are failures of the measurement. */
static bool is_possible(const struct measured *row, const struct pattern *pattern)
{
    enum { FLIT_BYTES = 64 };
    double most = pattern->broadcasts ? 1 : pattern->peers;
    for (unsigned vertical = 0; vertical < 2 && !pattern->broadcasts; vertical++) {
        double half = packets_on_links(pattern, vertical) / 2;
        most = half > most ? half : most;
    }
    return row->value * FLIT_BYTES >= pattern->bytes * pattern->each * most;
}

/* The peers of unicast, column by column: all tiles of the grid, the sender only if there are as many. */
static void unicast_peers(struct pattern *pattern, struct place grid, struct place sender, unsigned tiles)
{
    for (unsigned x = 0; x < grid.x; x++) {
        for (unsigned y = 0; y < grid.y; y++) {
            struct place peer = grid_tile(x, y);
            bool self = peer.x == sender.x && peer.y == sender.y;
            if ((!self || tiles == grid.x * grid.y) && pattern->peers < tiles) {
                pattern->peer[pattern->peers++] = peer.x << 16 | peer.y;
            }
        }
    }
}

/* One sender stands beside the grid, unless it is one of it, and so do rows and columns of senders of broadcasts. */
static void senders_of(struct pattern *pattern, const struct measured *row, struct place grid, bool beside)
{
    bool one = strstr(row->what, " ONE_") != NULL, to_row = strstr(row->what, "_ROW") != NULL;
    if (one && beside) {
        pattern->sender[pattern->senders++] = to_row ? grid_tile(0, 1) : grid_tile(grid.x, 0);
        return;
    }
    bool apart = !one && beside && pattern->broadcasts;
    struct place first = {apart && grid.x == 1, apart && grid.y == 1};
    for (unsigned y = 0; y < (one ? 1 : grid.y); y++) {
        for (unsigned x = 0; x < (one ? 1 : grid.x); x++) {
            pattern->sender[pattern->senders++] = grid_tile(first.x + x, first.y + y);
        }
    }
}

static bool one_peer(const struct measured *row, double *value)
{
    bool same_axis = measured_has(row, "same_axis", "true");
    const struct place peer = grid_tile(same_axis ? 0 : 1, 1);
    const struct pattern pattern = {.reads = strstr(row->what, "_FROM_") != NULL,
                                    .stateful = measured_has(row, "stateful", "true"),
                                    .control = strstr(row->what, "_FROM_") ? CTRL_READ : CTRL_WRITE,
                                    .bytes = (unsigned)measured_number(row, "bytes", 0),
                                    .each = (unsigned)measured_number(row, "num_transactions", 1),
                                    .answers = 1,
                                    .senders = 1,
                                    .peers = 1,
                                    .sender = {grid_tile(0, 0)},
                                    .peer = {at_place(peer)}};
    *value = run(&pattern);
    return true;
}

static bool unicast(const struct measured *row, double *value)
{
    unsigned tiles = (unsigned)measured_number(row, "num_subordinates", 1);
    struct place grid = grid_of(row, tiles);
    static struct pattern pattern;
    pattern = (struct pattern){.reads = strstr(row->what, "_FROM_") != NULL,
                               .stateful = measured_has(row, "stateful", "true"),
                               .control = strstr(row->what, "_FROM_") ? CTRL_READ : CTRL_WRITE,
                               .bytes = (unsigned)measured_number(row, "bytes", 0),
                               .each = (unsigned)measured_number(row, "num_transactions", 1) / tiles,
                               .answers = 1};
    if (!pattern.each) {
        return false;
    }
    senders_of(&pattern, row, grid, tiles == grid.x * grid.y);
    unicast_peers(&pattern, grid, pattern.sender[0], tiles);
    if (!is_possible(row, &pattern)) {
        return false;
    }
    *value = zone(&pattern);
    return true;
}

static bool broadcast(const struct measured *row, double *value)
{
    unsigned tiles = (unsigned)measured_number(row, "num_subordinates", 1);
    bool includes = measured_has(row, "loopback", "true"), linked = strstr(row->what, "linked") != NULL;
    struct place grid = grid_of(row, tiles), first = grid_tile(0, 0), last = grid_tile(grid.x - 1, grid.y - 1);
    static struct pattern pattern;
    pattern = (struct pattern){.broadcasts = true,
                               .control = CTRL_BROADCAST | (includes ? CTRL_INCLUDE : 0u) | (linked ? CTRL_LINKED : 0u),
                               .bytes = (unsigned)measured_number(row, "bytes", 0),
                               .each = (unsigned)measured_number(row, "num_transactions", 1),
                               .answers = tiles,
                               .peers = 1,
                               .peer = {at_place(last) | at_place(first) << 2 * NOC_COORDINATE_BITS}};
    senders_of(&pattern, row, grid, !includes);
    if (!is_possible(row, &pattern)) {
        return false;
    }
    *value = zone(&pattern);
    return true;
}

const struct validation_program validation_patterns[] = {
    {"transfer ONE_TO_ONE unicast L1", one_peer},       {"transfer ONE_FROM_ONE unicast L1", one_peer},
    {"transfer ONE_FROM_ALL unicast L1", unicast},      {"transfer ONE_TO_ALL unicast L1", unicast},
    {"transfer ONE_TO_ROW unicast L1", unicast},        {"transfer ONE_TO_COLUMN unicast L1", unicast},
    {"transfer ALL_TO_ALL unicast L1", unicast},        {"transfer ALL_FROM_ALL unicast L1", unicast},
    {"transfer ROW_TO_ROW unicast L1", unicast},        {"transfer COLUMN_TO_COLUMN unicast L1", unicast},
    {"transfer ONE_TO_ALL multicast", broadcast},       {"transfer ONE_TO_ROW multicast", broadcast},
    {"transfer ONE_TO_COLUMN multicast", broadcast},    {"transfer ROW_TO_ROW multicast", broadcast},
    {"transfer COLUMN_TO_COLUMN multicast", broadcast}, {0}};
