/* Transfers over the NoC between L1s. */
#include <stdio.h>
#include <string.h>

#include "validation/transfers.h"
#include "validation/validation.h"

enum { CODE = 0x8000, RESULT = 0x130000, SOURCE = 0x134000, TARGET = 0x134800, SHORT_LOOP = 100 };
enum { LARGE_SOURCE = 0x20000, LARGE_TARGET = 0x24000 };
/* Columns of NoC 0 by their translated coordinates. */
static struct place translated(unsigned x, unsigned y)
{
    return (struct place){x, y};
}

/* What one round does. */
struct operation {
    char name[8]; /* "read", "write", "mcast" (waits until it has left), or nothing */
    unsigned bytes, noc;
    bool waits;
    unsigned rounds;
    struct place from, to, first; /* first, and last, of a broadcast */
};

static void emit_round(struct program *program, const struct operation *operation)
{
    unsigned counter = NIU_MST_WR_ACK_RECEIVED;
    if (!strcmp(operation->name, "read")) {
        emit_read(program, operation->noc);
        counter = NIU_MST_RD_RESP_RECEIVED;
    } else if (!strcmp(operation->name, "write")) {
        emit_write(program, operation->noc, CTRL_WRITE);
    } else if (!strcmp(operation->name, "mcast")) {
        emit_write(program, operation->noc, CTRL_BROADCAST);
        counter = NIU_MST_NONPOSTED_WR_REQ_SENT;
    }
    RVI(ADDI, EXPECTED, EXPECTED, 1);
    if (operation->waits) {
        emit_await(program, operation->noc, counter);
    }
}

/* Cycles of a loop of so many rounds. */
static double loop(const struct operation *operation)
{
    static struct program program_room;
    struct program *program = &program_room;
    *program = (struct program){.address = CODE};
    bool large = operation->bytes > TARGET - SOURCE;
    emit_li(program, FROM, large ? LARGE_SOURCE : SOURCE);
    emit_li(program, TO, large ? LARGE_TARGET : TARGET);
    emit_li(program, LENGTH, operation->bytes);
    emit_li(program, HERE, operation->from.x | operation->from.y << NOC_COORDINATE_BITS);
    emit_li(program, THERE,
            operation->to.x | operation->to.y << NOC_COORDINATE_BITS |
                (operation->first.x | operation->first.y << NOC_COORDINATE_BITS) << 2 * NOC_COORDINATE_BITS);
    emit_li(program, EXPECTED, 0);
    emit_li(program, AT, niu(operation->noc, WRITE_BUFFER)); /* as firmware leaves it: acknowledgements come here */
    emit_sw(program, HERE, AT, 4 * NOC_TARG_ADDR_HI);
    RVI(FENCE, ZERO, ZERO, 0xff);
    emit_wall_clock(program, A2, A3);
    emit_li(program, ROUNDS, operation->rounds);
    uint32_t top = program->count, leave = emit_branch(program, RV32_OP_BEQ, ROUNDS, ZERO, 0);
    emit_round(program, operation);
    RVI(ADDI, ROUNDS, ROUNDS, -1);
    emit_jump(program, top);
    emit_bind(program, leave);
    emit_wall_clock(program, A4, A5);
    RV(SUB, A4, A4, A2);
    emit_li(program, A2, RESULT);
    emit_sw(program, A4, A2, 0);
    emit_end(program);
    struct bh_device *device = machine_create();
    machine_load(device, operation->from, program);
    machine_start(device, operation->from, BH_CORE_B, program);
    machine_run(device);
    double cycles = machine_word(device, operation->from, RESULT);
    bh_device_destroy(device);
    return cycles;
}

/* Cycles of an operation, without those of the loop around it. */
static double adjusted(struct operation *operation)
{
    struct operation empty = {.rounds = operation->rounds, .from = operation->from, .to = operation->to};
    return (loop(operation) - loop(&empty)) / operation->rounds;
}

static bool parse(const char *text, struct operation *operation)
{
    char wait[16] = "";
    const char *at = strchr(text, ':');
    int read = at ? sscanf(at + 1, " %5[a-z]%u%*1[ +]%15s", operation->name, &operation->bytes, wait) : 0;
    operation->waits = strcmp(wait, "command") != 0 && strcmp(wait, "cmd") != 0;
    return read == 3 && operation->bytes <= TARGET - SOURCE;
}

static bool one_peer(const struct measured *row, double *value)
{
    struct operation operation = {.noc = !strncmp(row->params, "NoC1", 4), .rounds = SHORT_LOOP};
    if (!parse(row->what, &operation)) {
        return false;
    }
    bool local = strstr(row->what, "local") != NULL, sweep = strstr(row->what, "sweep") != NULL;
    long distance = sweep ? measured_number(row, "logical dx", 1) : !local;
    operation.from = operation.to = translated(sweep && operation.noc ? 14 : 1, 2);
    operation.to.x = (unsigned)(sweep && operation.noc ? operation.from.x - distance : operation.from.x + distance);
    *value = adjusted(&operation);
    return true;
}

/* 16 KiB to or from the first of three tiles beside, or to all of them. Both NoCs get the same rectangle, which on NoC
   1 is all of the row but what lies between its corners. */
static bool three_peers(const struct measured *row, double *value)
{
    enum { ALL = 16384 };
    struct operation operation = {.bytes = ALL, .waits = true, .rounds = SHORT_LOOP, .from = translated(1, 2)};
    const char *what = strchr(row->what, ':');
    bool is_row = strstr(row->what, "row") != NULL;
    if (!what || sscanf(what + 1, " %5[a-z]16K NoC%u", operation.name, &operation.noc) < 1) {
        return false;
    }
    operation.to = is_row ? translated(2, 2) : translated(1, 3);
    if (!strcmp(operation.name, "mcast")) {
        operation.first = is_row ? translated(2, 2) : translated(1, 5);
        operation.to = is_row ? translated(4, 2) : translated(1, 3);
    }
    *value = adjusted(&operation);
    return true;
}

/* Streams of packets of 16 KiB: each sender writes to the next tile of its row, whose core waits for the last word. */

enum { STREAM = 0x20000, PACKET = 16384, STEP = S8, TIMES = 0x150000, PAIRS = 60, ROW_PAIRS = 6, FIRST_ROW = 2 };

/* Tensix columns of a device that has 12 of them. */
static const uint8_t columns[] = {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14};

struct stream {
    struct place from, to;
    unsigned noc;
    uint32_t at, bytes; /* of L1 */
    enum bh_core core;
    uint32_t code, times; /* where the program stands, and what it leaves: low halves of the wall clock */
};

static void start_sender(struct bh_device *device, const struct stream *streams, unsigned count)
{
    static struct program program_room;
    struct program *program = &program_room;
    *program = (struct program){.address = streams->code};
    emit_li(program, HERE, streams->from.x | streams->from.y << NOC_COORDINATE_BITS);
    emit_li(program, THERE, streams->to.x | streams->to.y << NOC_COORDINATE_BITS);
    emit_li(program, LENGTH, PACKET);
    emit_li(program, STEP, PACKET);
    for (unsigned i = 0; i < count; i++) {
        emit_li(program, AT, niu(streams[i].noc, WRITE_BUFFER));
        emit_sw(program, HERE, AT, 4 * NOC_TARG_ADDR_HI);
    }
    emit_wall_clock(program, A2, A3);
    emit_li(program, FROM, streams->at);
    emit_li(program, TO, streams->at);
    emit_li(program, ROUNDS, streams->bytes / PACKET);
    uint32_t top = program->count, leave = emit_branch(program, RV32_OP_BEQ, ROUNDS, ZERO, 0);
    for (unsigned i = 0; i < count; i++) {
        emit_write(program, streams[i].noc, CTRL_WRITE);
        RV(ADD, FROM, FROM, STEP);
        RV(ADD, TO, TO, STEP);
    }
    RVI(ADDI, ROUNDS, ROUNDS, -1);
    emit_jump(program, top);
    emit_bind(program, leave);
    emit_li(program, EXPECTED, streams->bytes / PACKET);
    for (unsigned i = 0; i < count; i++) {
        emit_await(program, streams[i].noc, NIU_MST_WR_ACK_RECEIVED);
    }
    emit_wall_clock(program, A4, A5);
    emit_li(program, AT, streams->times);
    emit_sw(program, A2, AT, 0);
    emit_sw(program, A4, AT, 4);
    emit_end(program);
    machine_load(device, streams->from, program);
    machine_start(device, streams->from, streams->core, program);
}

/* Notes when the last word of the stream has come. */
static void start_receiver(struct bh_device *device, const struct stream *stream)
{
    static struct program program_room;
    struct program *program = &program_room;
    uint32_t last = stream->at + stream->bytes - 4, word = 0xA5000000 | last, zero = 0;
    *program = (struct program){.address = stream->code};
    machine_write(device, stream->from, last, &word, sizeof word);
    machine_write(device, stream->to, last, &zero, sizeof zero);
    emit_li(program, S1, word);
    emit_li(program, S2, last);
    uint32_t poll = program->count;
    emit_lw(program, T1, S2, 0);
    uint32_t leave = emit_branch(program, RV32_OP_BEQ, T1, S1, 0);
    RVI(ADDI, S0, S0, 1);
    emit_jump(program, poll);
    emit_bind(program, leave);
    emit_wall_clock(program, A2, A3);
    emit_li(program, AT, stream->times);
    emit_sw(program, A2, AT, 0);
    emit_end(program);
    machine_load(device, stream->to, program);
    machine_start(device, stream->to, BH_CORE_B, program);
}

static struct stream stream_of(unsigned pair, unsigned noc)
{
    unsigned row = FIRST_ROW + pair / ROW_PAIRS, first = 2 * (pair % ROW_PAIRS);
    bool mirrored = noc == 1;
    unsigned from = mirrored ? 11 - first : first, to = mirrored ? from - 1 : from + 1;
    return (struct stream){.from = {columns[from], row},
                           .to = {columns[to], row},
                           .noc = noc,
                           .at = STREAM,
                           .bytes = 1 << 20,
                           .core = BH_CORE_B,
                           .code = CODE,
                           .times = TIMES};
}

static bool streams(const struct measured *row, double *value)
{
    bool one = strstr(row->params, "dual NoC one") != NULL, both = strstr(row->params, "dual DM") != NULL;
    unsigned pairs = (unsigned)measured_number(row, "pairs", 1), noc = !strncmp(row->params, "NoC1", 4);
    struct bh_device *device = machine_create();
    for (unsigned pair = 0; pair < pairs; pair++) {
        struct stream stream[2] = {stream_of(pair, noc), stream_of(pair, 0)};
        if (one || both) {
            stream[0].bytes = stream[1].bytes = 1 << 19;
            stream[1].noc = 1;
            stream[1].at += 1 << 19;
            stream[1].core = BH_CORE_NC;
            stream[1].code += 0x4000;
            stream[1].times += 8;
        }
        start_sender(device, stream, one ? 2 : 1);
        if (both) {
            start_sender(device, stream + 1, 1);
        }
    }
    machine_run(device);
    uint32_t first = UINT32_MAX, last = 0;
    for (unsigned pair = 0; pair < pairs; pair++) {
        for (unsigned i = 0; i < (both ? 2u : 1u); i++) {
            struct place from = stream_of(pair, noc).from;
            uint32_t begin = machine_word(device, from, TIMES + 8 * i),
                     end = machine_word(device, from, TIMES + 8 * i + 4);
            first = begin < first ? begin : first;
            last = end > last ? end : last;
        }
    }
    bh_device_destroy(device);
    *value = last - first;
    return true;
}

/* When the receiver of one stream sees its end. */
static bool observed(const struct measured *row, double *value)
{
    struct stream stream = stream_of(0, 0);
    stream.noc = strstr(row->what, "NoC1") != NULL;
    struct bh_device *device = machine_create();
    start_receiver(device, &stream);
    start_sender(device, &stream, 1);
    machine_run(device);
    *value = machine_word(device, stream.to, TIMES) - machine_word(device, stream.from, TIMES);
    bh_device_destroy(device);
    return strstr(row->what, "visible") != NULL;
}

const struct validation_program validation_noc[] = {{"NoC local (self)", one_peer},
                                                    {"NoC peer", one_peer},
                                                    {"NoC hop sweep", one_peer},
                                                    {"NoC aggregate writes", streams},
                                                    {"NoC write observe", observed},
                                                    {"multicast/mixed", three_peers},
                                                    {0}};
