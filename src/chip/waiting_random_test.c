/* Random programs in which cores and threads of the coprocessor wait for one another, in timed mode: for semaphores,
   banks of SrcA and SrcB, mutexes, words of L1, streams, mailboxes, PCBufs, TTSync and the NoC, while other cores poll
   or compute. Where tiles doze, or cores that poll are set aside, cores note the same clocks and performance counters
   as where every tile is observed, which always runs, and the same again on several host threads and in slices. A
   program is a row of scenes, which all cores of a tile play in the same order: in each some wait for what others do,
   so that none waits for ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bhemu/device.h"
#include "chip/device_state.h"
#include "chip/random_waits.h"
#include "chip/ways.h"

enum { TILES = 3, ROW = 2, CODE = 0x1000, LOG = 0x8000, LOG_BYTES = 0x400, SCENES = 12 };
enum { SEEDS = 120, SLICED = 8, CYCLES = 20000 };
enum { LINES = 0x30000, VALUES = 0x31000, FROM = 0x10000, TO = 0x20000, HEAP = 0x32000, PACKED = 0x33000 };
enum { B, THREADS = 3, NC = 4, CORES };
enum { READ = 0x10, WRITE = 0x12, ATOMIC = 0x11, INCREMENT = 1 << 12 | 31 << 2 };
enum {
    MOP_CONFIG = 0xFFB80000,
    MAILBOXES = 0xFFEC0000,
    STREAM_SPACE = 0xFFB40000,
    PHASE = 29,
    POPPED = 8,
    CONFIG = 0xFFEF0000,
    GPRS_BASE = 0xFFE00000
};

/* What becomes the programs of a tile's cores; `plan` is what they have in common. */
struct tile_program {
    struct writer plan, core[CORES];
    unsigned tile, reads[2], acks[2], responses[2];
    uint32_t phases;
};

static const enum bh_core cores[CORES] = {BH_CORE_B, BH_CORE_T0, BH_CORE_T1, BH_CORE_T2, BH_CORE_NC};

static unsigned column(unsigned tile)
{
    return 1 + tile % TILES;
}

/* The core of one thread; another one than `but`. */
static unsigned a_core_t(struct tile_program *program, unsigned but)
{
    unsigned core = 1 + below(&program->plan, THREADS);
    return core == but ? 1 + core % THREADS : core;
}

static unsigned a_core(struct tile_program *program, unsigned but)
{
    unsigned core = below(&program->plan, CORES);
    return core == but ? (core + 1) % CORES : core;
}

static bool is_core_t(unsigned core)
{
    return core > B && core <= THREADS;
}

/* What a core has waited for is handed on: a thread waits until it posts a semaphore, itself or by another core T. */
static void hand_on(struct tile_program *program, unsigned core)
{
    unsigned post = is_core_t(core) ? core : a_core_t(program, CORES), get = a_core_t(program, post);
    unsigned semaphore = below(&program->plan, 8);
    if (core == NC) {
        return;
    }
    if (core == B) {
        put(&program->core[B], lui(A0, MAILBOXES + 0x1000 * post));
        put(&program->core[B], sw(T1, A0, 0));
        put(&program->core[post], lui(A0, MAILBOXES));
        put(&program->core[post], lw(T1, A0, 0));
    }
    put_post(&program->core[post], semaphore);
    put_get(&program->core[get], semaphore);
}

static void play_semaphore(struct tile_program *program, unsigned scene)
{
    unsigned post = a_core_t(program, CORES), get = a_core_t(program, post), semaphore = below(&program->plan, 8);
    put_delay(&program->core[post]);
    put_post(&program->core[post], semaphore);
    put_get(&program->core[get], semaphore);
}

/* A thread waits until a semaphore is not at its maximum any more. */
static void play_full_semaphore(struct tile_program *program, unsigned scene)
{
    unsigned one = a_core_t(program, CORES), other = a_core_t(program, one), full = below(&program->plan, 4);
    struct writer *writer = &program->core[one];
    put_tensix(writer, SEMINIT(1u, 1u, full));
    put_tensix(writer, SEMPOST(full + 4));
    put_tensix(writer, SEMWAIT(STALL_SYNC | STALL_MATH, full, WHILE_MAX));
    put_some_tensix_noise(writer);
    put_tensix(writer, SEMPOST(full));
    put_tensix(writer, SEMGET(full));
    writer = &program->core[other];
    put_get(writer, full + 4);
    put_delay(writer);
    put_tensix(writer, SEMGET(full));
}

static void play_banks(struct tile_program *program, unsigned scene)
{
    unsigned fills = a_core_t(program, CORES), uses = a_core_t(program, fills);
    unsigned which = 1 + below(&program->plan, SRCA | SRCB), count = 1 + below(&program->plan, 4);
    put_delay(&program->core[below(&program->plan, 2) ? fills : uses]);
    for (unsigned i = 0; i < count; i++) {
        put_fill(&program->core[fills], which);
        put_use(&program->core[uses], which);
        put_some_tensix_noise(&program->core[fills]);
    }
}

static void play_mutex(struct tile_program *program, unsigned scene)
{
    static const uint8_t mutexes[] = {0, 2, 3, 4};
    uint32_t mutex = mutexes[below(&program->plan, 4)];
    for (unsigned core = 1; core <= THREADS; core++) {
        struct writer *writer = &program->core[core];
        put_delay(writer);
        put_tensix(writer, OP(ATGETM) | mutex);
        put_some_tensix_noise(writer);
        put_tensix_noise(writer);
        put_tensix(writer, OP(ATRELM) | mutex);
    }
}

/* A thread waits for the scene's line of L1, whose first word, or second, becomes `value`. */
static void put_await_line(struct writer *writer, unsigned scene, uint32_t value, bool as_fifo)
{
    put_tensix(writer, SETDMAREG(2 * GPR, (LINES >> 4) + 2 * scene));
    put_tensix(writer, SETDMAREG(2 * GPR + 1, 0));
    put_tensix(writer, STALLWAIT(STALL_THCON, THCON));
    put_tensix(writer, as_fifo ? OP(ATINCGETPTR) | 8 << 14 | 5 << 6 | GPR : ATCAS(0, value, GPR));
    put_some_tensix_noise(writer);
}

/* A core stores what a thread or cores wait for. */
static void play_line(struct tile_program *program, unsigned scene)
{
    unsigned sets = a_core(program, CORES), core = a_core_t(program, CORES), kind = below(&program->plan, 3);
    uint32_t value = 1 + below(&program->plan, 15), offset = 32 * scene + 4 * (kind == 1);
    if (kind < 2) {
        put_await_line(&program->core[core], scene, value, kind == 1);
    }
    put_delay(&program->core[sets]);
    put(&program->core[sets], addi(T0, 0, (int32_t)(kind == 1 ? 1 : value)));
    put(&program->core[sets], sw(T0, L1, offset));
    for (unsigned polls = 0; kind == 2 && polls < CORES; polls++) {
        if (polls != sets && below(&program->plan, 2)) {
            put_poll(&program->core[polls], L1, offset, BEQ, 0);
            put_note(&program->core[polls]);
        }
    }
}

/* Core B or NC starts a request on its own NoC. */
static void put_request(struct writer *writer, uint32_t control, const uint32_t at[2], const unsigned place[2],
                        uint32_t length)
{
    put_register(writer, NOC_TARG_ADDR_LO, at[0]);
    put_register(writer, NOC_TARG_ADDR_HI, column(place[0]) | ROW << 6);
    put_register(writer, NOC_RET_ADDR_LO, at[1]);
    put_register(writer, NOC_RET_ADDR_HI, column(place[1]) | ROW << 6);
    put_register(writer, NOC_CTRL, control);
    put_register(writer, NOC_AT_LEN_BE, length);
    put_register(writer, NOC_AT_DATA, 1);
    put(writer, addi(T0, 0, 1));
    put(writer, sw(T0, NIU, 4 * NOC_CMD_CTRL));
}

static void put_await_count(struct writer *writer, unsigned counter, unsigned count)
{
    put(writer, addi(A2, 0, (int32_t)count));
    put_poll(writer, NIU, NIU_COUNTER + 4 * counter, BNE, A2);
    put_note(writer);
}

/* A tile writes, or increments, the line of the next one: scenes of this kind are the same on all tiles. */
static void play_remote_line(struct tile_program *program, unsigned scene)
{
    unsigned noc = below(&program->plan, 2), kind = below(&program->plan, 4);
    uint32_t value = 1 + scene;
    struct writer *writer = &program->core[noc ? NC : B];
    const bool atomic = below(writer, 2);
    const unsigned place[2] = {atomic ? program->tile + 1 : program->tile, atomic ? program->tile : program->tile + 1};
    uint32_t line = LINES + 32 * scene;
    put_delay(writer);
    if (atomic) {
        put_request(writer, ATOMIC, (const uint32_t[]){line + 4, TO}, place, INCREMENT | 1);
        put_await_count(writer, NIU_MST_ATOMIC_RESP_RECEIVED, ++program->responses[noc]);
    }
    put_request(writer, WRITE, (const uint32_t[]){VALUES + 16 * value, line},
                (const unsigned[]){program->tile, program->tile + 1}, 16);
    if (below(writer, 2)) {
        put_await_count(writer, NIU_MST_WR_ACK_RECEIVED, program->acks[noc] + 1);
    }
    program->acks[noc]++;
    unsigned core = kind < 2 ? a_core_t(program, CORES) : a_core(program, CORES);
    if (kind == 0) {
        put_await_line(&program->core[core], scene, value, false);
    } else if (kind == 1) {
        put_await_line(&program->core[core], scene, value, true);
    } else {
        put_poll(&program->core[core], L1, 32 * scene, BEQ, 0);
        put_note(&program->core[core]);
        hand_on(program, core);
    }
}

static void play_noc(struct tile_program *program, unsigned scene)
{
    unsigned noc = below(&program->plan, 2), other = program->tile + below(&program->plan, TILES);
    struct writer *writer = &program->core[noc ? NC : B];
    uint32_t size = 16 << below(writer, 9);
    put_delay(writer);
    if (below(writer, 2)) {
        put_request(writer, READ, (const uint32_t[]){FROM, TO + 0x4000 * noc}, (const unsigned[]){other, program->tile},
                    size);
        put_await_count(writer, NIU_MST_RD_RESP_RECEIVED, ++program->reads[noc]);
    } else {
        put_request(writer, WRITE, (const uint32_t[]){FROM, TO + 0x4000 * noc},
                    (const unsigned[]){program->tile, other}, size);
        put_await_count(writer, NIU_MST_WR_ACK_RECEIVED, ++program->acks[noc]);
    }
    hand_on(program, noc ? NC : B);
}

/* Cores B and T: blocking reads, or polls before. */
static void play_mailbox(struct tile_program *program, unsigned scene)
{
    unsigned from = below(&program->plan, NC), to = below(&program->plan, NC), count = 1 + below(&program->plan, 6);
    to = to == from ? (to + 1) % NC : to;
    struct writer *sends = &program->core[from], *takes = &program->core[to];
    put_delay(sends);
    put_delay(takes);
    put(sends, lui(A0, MAILBOXES + 0x1000 * to));
    put(takes, lui(A0, MAILBOXES + 0x1000 * from));
    for (unsigned i = 0; i < count; i++) {
        put(sends, sw(T1, A0, 0));
        put_maybe_note(sends);
        if (below(takes, 2)) {
            put_poll(takes, A0, 4, BEQ, 0);
        }
        put(takes, lw(T1, A0, 0));
        put_maybe_note(takes);
    }
}

/* Core B sends core T two values, and waits in between until T wants the second. */
static void play_pc_buf(struct tile_program *program, unsigned scene)
{
    unsigned core = a_core_t(program, CORES);
    struct writer *b = &program->core[B], *t = &program->core[core];
    put_delay(b);
    put(b, lui(A0, 0xFFE80000 + 0x10000 * (core - 1)));
    put(b, sw(T1, A0, 0));
    if (below(b, 2)) {
        put(b, lw(T1, A0, 0));
        put_note(b);
    }
    put(b, sw(T1, A0, 0));
    put(t, lw(T1, PCBUF, 0));
    put_note(t);
    put_some_tensix_noise(t);
    put_delay(t);
    put(t, lw(T1, PCBUF, 0));
}

/* A thread, or a core, counts in a register of a stream; others poll it, or wait for its phase. */
static void play_stream(struct tile_program *program, unsigned scene)
{
    unsigned counts = a_core(program, CORES), awaits = a_core(program, counts), stream = below(&program->plan, 4);
    bool by_thread = is_core_t(counts) && below(&program->plan, 2);
    struct writer *writer = &program->core[counts];
    uint32_t address = STREAM_SPACE + 0x1000 * stream + 4 * POPPED, value = 1 + scene;
    put_delay(writer);
    if (by_thread) {
        put_tensix(writer, SETDMAREG(2 * GPR, value));
        put_tensix(writer, SETDMAREG(2 * GPR + 1, 0));
        put_tensix(writer, STALLWAIT(STALL_THCON, THCON));
        put_tensix(writer, STOREREG(GPR, address));
    } else {
        put(writer, lui(A0, address));
        put(writer, addi(T0, 0, (int32_t)value));
        put(writer, sw(T0, A0, address & 0xfff));
    }
    writer = &program->core[awaits];
    put(writer, lui(A0, address));
    put(writer, addi(A2, 0, (int32_t)value));
    put_poll(writer, A0, address & 0xfff, BNE, A2);
    put_note(writer);
    hand_on(program, awaits);
}

/* A thread waits for a phase that a core begins. */
static void play_phase(struct tile_program *program, unsigned scene)
{
    unsigned begins = a_core(program, CORES), awaits = a_core_t(program, begins), stream = 8 + awaits;
    struct writer *writer = &program->core[awaits];
    uint32_t phase = ++program->phases;
    put_tensix(writer, SETC16(STREAM_ID_SYNC_SEC0_BankSel_ADDR32, stream));
    put_tensix(writer, STREAMWAIT(STALL_THREAD, phase));
    put_some_tensix_noise(writer);
    writer = &program->core[begins];
    put_delay(writer);
    put(writer, lui(A0, STREAM_SPACE + 0x1000 * stream));
    put(writer, addi(T0, 0, (int32_t)phase));
    put(writer, sw(T0, A0, 4 * PHASE));
}

/* Core T writes the configuration of a MOP, which may be of no instruction at all, and posts what its thread waits for
   behind that only when its MOP expander has nothing more to do. */
static void play_mop(struct tile_program *program, unsigned scene)
{
    unsigned core = a_core_t(program, CORES), semaphore = below(&program->plan, 8);
    struct writer *writer = &program->core[core];
    const uint32_t loop = below(writer, 2) ? OP(INCRWC) : OP(SFPLOADI);
    const uint32_t config[] = {
        below(writer, 3), below(writer, 4), OP(NOP), OP(NOP), OP(NOP), loop, OP(NOP), loop, loop};
    put(writer, lui(A0, MOP_CONFIG));
    for (unsigned i = 0; i < sizeof config / sizeof *config; i++) {
        put_constant(writer, T0, config[i]);
        put(writer, sw(T0, A0, 4 * i));
    }
    put_some_tensix_noise(writer);
    put_tensix(writer, OP(MOP) | 1 << 23);
    bool waits = below(writer, 2);
    if (waits) {
        put_tensix(writer, SEMWAIT(STALL_THREAD, semaphore, WHILE_ZERO));
        put_tensix(writer, SEMGET(semaphore));
    }
    put(writer, lw(T1, PCBUF, 8));
    put_note(writer);
    if (waits) {
        put(writer, sw(0, PCBUF, SEMAPHORE + 4 * semaphore));
    }
}

/* Core T reads configuration, or a GPR, that its thread writes before it waits for this core. */
static void play_config(struct tile_program *program, unsigned scene)
{
    unsigned core = a_core_t(program, CORES), semaphore = below(&program->plan, 8);
    struct writer *writer = &program->core[core];
    put_tensix(writer, SETC16(TENSIX_TRISC_SYNC_TrackGlobalCfg_ADDR32, below(writer, 0x20)));
    put_delay(writer);
    put_some_tensix_noise(writer);
    const bool gpr = below(writer, 2);
    put_tensix(writer, gpr ? SETDMAREG(2 * GPR, scene) : OP(WRCFG) | 8 << 16 | 210);
    bool waits = below(writer, 2);
    if (waits) {
        put_tensix(writer, SEMWAIT(STALL_SYNC, semaphore, WHILE_ZERO));
        put_tensix(writer, SEMGET(semaphore));
    }
    put(writer, lui(A0, gpr ? GPRS_BASE : CONFIG));
    put(writer, lw(T1, A0, 4 * (gpr ? GPR : 210)));
    put_note(writer);
    if (waits) {
        put(writer, sw(0, PCBUF, SEMAPHORE + 4 * semaphore));
    }
}

/* A thread packs to L1, and another one waits until that is there. */
static void play_pack(struct tile_program *program, unsigned scene)
{
    unsigned packs = a_core_t(program, CORES), get = a_core_t(program, packs), semaphore = below(&program->plan, 8);
    struct writer *writer = &program->core[packs];
    put_tensix(writer, SETDMAREG(2 * GPR, PACKED / 16 - 1));
    put_tensix(writer, SETDMAREG(2 * GPR + 1, 0));
    put_tensix(writer, STALLWAIT(STALL_CFG, THCON));
    put_tensix(writer, OP(WRCFG) | GPR << 16 | THCON_SEC0_REG1_L1_Dest_addr_ADDR32);
    put_tensix(writer, STALLWAIT(STALL_TDMA | STALL_PACK, CONFIGURED));
    for (unsigned i = 1 + below(writer, 8); i; i--) {
        put_tensix(writer, OP(PACR) | 15 << 8 | 1);
    }
    if (below(writer, 2)) {
        put_tensix(writer, STALLWAIT(STALL_SYNC, PACKER));
    }
    put_tensix(writer, SEMPOST(semaphore));
    put_get(&program->core[get], semaphore);
}

/* So much is pushed to a thread that waits that who pushes waits as well: core T, or B. */
static void play_full_fifo(struct tile_program *program, unsigned scene)
{
    unsigned core = a_core_t(program, CORES), post = a_core_t(program, core), semaphore = below(&program->plan, 8);
    bool by_b = below(&program->plan, 2);
    struct writer *writer = &program->core[core], *pushes = by_b ? &program->core[B] : writer;
    put_tensix(writer, SEMWAIT(STALL_THREAD, semaphore, WHILE_ZERO));
    put_tensix(writer, SEMGET(semaphore));
    put_constant(pushes, T0, OP(DMANOP) | 0);
    put(pushes, lui(A0, 0xFFE40000 + (by_b ? core - 1 : 0) * 0x10000));
    for (unsigned i = 24 + below(pushes, 16); i; i--) {
        put(pushes, sw(T0, A0, 0));
    }
    put_note(pushes);
    put_delay(&program->core[post]);
    put_post(&program->core[post], semaphore);
}

static void play_ttsync(struct tile_program *program, unsigned scene)
{
    for (unsigned core = 1; core <= THREADS; core++) {
        put_some_tensix_noise(&program->core[core]);
        put_ttsync(&program->core[core]);
    }
}

enum { KINDS = 20 };

static void (*const play[KINDS])(struct tile_program *program, unsigned scene) = {
    play_semaphore,
    play_full_semaphore,
    play_banks,
    play_mutex,
    play_line,
    play_remote_line,
    play_noc,
    play_mailbox,
    play_pc_buf,
    play_stream,
    play_phase,
    play_mop,
    play_config,
    play_ttsync,
    play_full_fifo,
    play_pack,
    /* these more often */ play_remote_line,
    play_noc,
    play_remote_line,
    play_banks,
};

static void begin_program(struct writer *writer, unsigned core)
{
    put(writer, lui(NIU, 0xFFB20000 + (core == NC) * 0x10000));
    put_constant(writer, LOGS, LOG + core * LOG_BYTES);
    put(writer, lui(CLOCK, 0xFFB12000));
    put(writer, lui(LOCAL, 0xFFB00000));
    put(writer, lui(L1, LINES));
    put(writer, lui(PCBUF, 0xFFE80000));
    put(writer, lui(PUSH, 0xFFE40000));
    put(writer, lui(OTHER, HEAP));
}

static void load_programs(struct bh_device *device, unsigned tile, uint64_t seed)
{
    static struct tile_program program;
    const uint64_t start = UINT64_C(0x9e3779b97f4a7c15);
    struct writer all = {.random = seed + start};
    program.plan = (struct writer){.random = seed * TILES + tile + 3 * start};
    program.tile = tile;
    program.phases = 0;
    for (unsigned i = 0; i < 2; i++) {
        program.reads[i] = program.acks[i] = program.responses[i] = 0;
    }
    for (unsigned core = 0; core < CORES; core++) {
        program.core[core] = (struct writer){.random = (seed * TILES + tile) * CORES + core + 2 * start};
        begin_program(&program.core[core], core);
        if (seed % 2 && core == NC) {
            put_start_counters(&program.core[core]);
        }
    }
    for (unsigned scene = 0; scene < SCENES; scene++) {
        play[below(&all, KINDS)](&program, scene);
        for (unsigned core = 0; core < CORES; core++) {
            if (is_core_t(core) && below(&program.core[core], 4) == 0) {
                put_ttsync(&program.core[core]);
            }
            if (seed % 2 && below(&program.core[core], 2)) {
                put_note_counter(&program.core[core]);
            }
            put_note(&program.core[core]);
        }
    }
    for (unsigned core = 0; core < CORES; core++) {
        struct writer *writer = &program.core[core];
        if (core == NC) { /* for ever, so that all responses come */
            put_poll(writer, NIU, NIU_COUNTER, BEQ, T1);
        }
        put(writer, SELF_JUMP);
        uint32_t at = CODE + core * WRITER_BYTES;
        assert_int_equal(bh_write(device, column(tile), ROW, at, writer->words, writer->count * 4), BH_OK);
        assert_int_equal(bh_core_start(device, column(tile), ROW, cores[core], at), BH_OK);
    }
}

struct outcome {
    uint32_t log[TILES][CORES][LOG_BYTES / 4];
    uint32_t counters[TILES][NIUS][NIU_COUNTERS];
};

static void read_outcome(struct bh_device *device, struct outcome *outcome)
{
    for (unsigned tile = 0; tile < TILES; tile++) {
        assert_int_equal(bh_read(device, column(tile), ROW, LOG, outcome->log[tile], sizeof outcome->log[tile]), BH_OK);
        way_read_counters(device, column(tile), ROW, outcome->counters[tile]);
    }
}

static void run(uint64_t seed, const struct way *way, struct outcome *outcome)
{
    struct bh_device *device = way_begin(way, BH_POLICY_SILICON);
    for (unsigned tile = 0; tile < TILES; tile++) {
        for (uint32_t value = 0; value <= SCENES; value++) { /* lines that are written to other tiles */
            const uint32_t line[4] = {value};
            assert_int_equal(bh_write(device, column(tile), ROW, VALUES + 16 * value, line, sizeof line), BH_OK);
        }
        load_programs(device, tile, seed);
    }
    way_run(way, device, CYCLES);
    read_outcome(device, outcome);
    bh_device_destroy(device);
}

/* Notes of all cores. */
static unsigned notes_in(const struct outcome *outcome)
{
    unsigned notes = 0;
    const uint32_t *log = &outcome->log[0][0][0];
    for (unsigned i = 0; i < sizeof outcome->log / sizeof *log; i++) {
        notes += log[i] != 0;
    }
    return notes;
}

static void who_waits_goes_on_at_the_time_at_which_he_would(void **context)
{
    static const struct way ways[] = {
        {true, 1, CYCLES}, {false, 1, CYCLES}, {false, 2, CYCLES}, {false, 1, 7}, {false, 3, 777}};
    static struct outcome observed, other;
    /* Of the last program a response to its own tile waited for its NIU, and was there sooner than in the next quantum.
     */
    const uint64_t last = 9738;
    unsigned notes = 0;
    for (uint64_t seed = 1; seed <= last; seed = seed == SEEDS ? last : seed + 1) {
        memset(&observed, 0, sizeof observed);
        run(seed, &ways[0], &observed);
        notes += notes_in(&observed);
        for (unsigned i = 1; i < (seed % SLICED ? 2 : sizeof ways / sizeof *ways); i++) {
            memset(&other, 0, sizeof other);
            run(seed, &ways[i], &other);
            if (memcmp(&observed, &other, sizeof other) != 0) {
                fail_msg("seed %u, way %u: other clocks, or counters", (unsigned)seed, i);
            }
        }
    }
    assert_true(notes > SEEDS * TILES * CORES * SCENES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(who_waits_goes_on_at_the_time_at_which_he_would)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
