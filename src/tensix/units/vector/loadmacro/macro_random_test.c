/* SFPLOADMACRO with random templates, sequences and Misc, the same in all lanes or different in each column, against a
   simple model that expands macros lane by lane: it keeps a list of the instructions of each cycle and their lanes,
   and executes each instruction alone on a copy of the state before the cycle. In functional mode an instruction is
   issued in each cycle, in timed mode also fewer. */
#include "tensix/timed_fixture.h"
#include "tensix/units/vector/fixture.h"
#include "util/aligned.h"

enum { THREAD = 1, PROGRAMS = 400, CYCLES = 60, DRAIN = 12, EVENTS = 512, ROWS = 64, UINT16 = 6, INT16 = 8 };
enum { SIMPLE, MAD, ROUND, STORE, UNITS };
enum { NONE = 0 };
enum { COLUMNS = 8, ANY_COLUMN = 0x01010101, MAX_DEPTH = 3 };
enum { OVERRIDE_VB = 0x80, LREG16 = 0x40, NOP_SLOT = 2, STORE_SLOT = 3, TEMPLATE = 4, SCRATCH = 16 };

/* An instruction of a cycle, with the LRegs that it uses. */
struct event {
    uint32_t lanes; /* 0: nothing */
    unsigned cycle, unit;
    bool by_instruction; /* waits for elapsed instructions */
    uint32_t word, vb, vc, vd, mod0, address;
};

/* What an instruction writes to LRegs. */
struct result {
    bool written[SFPU_LREGS][SFPU_LANES];
    uint32_t value[SFPU_LREGS][SFPU_LANES];
};

/* The part of the state that the programs use. */
struct part {
    struct vector_unit vector;
    uint16_t rows[ROWS][ROW_COLUMNS];
};

struct model {
    struct fixture *alone; /* executes single instructions */
    struct part before, after;
    unsigned cycle;
    uint32_t rwc;
    struct event events[EVENTS];
    struct result late[2][2]; /* of the MAD and the round sub-unit, by the parity of the cycle in which they began */
};

static uint32_t pick(uint64_t *seed, uint32_t count)
{
    return xorshift64_word(seed) % count;
}

static void put_part(struct fixture *f, const struct part *part)
{
    f->state.vector = part->vector;
    memcpy(f->state.dst.rows, part->rows, sizeof part->rows);
}

static void get_part(struct part *part, const struct fixture *f)
{
    part->vector = f->state.vector;
    memcpy(part->rows, f->state.dst.rows, sizeof part->rows);
}

/* Copies to `to` the bits of `new`, one for each lane, that differ from `old`. */
static void merge_bits(uint32_t *to, uint32_t old, uint32_t new, uint32_t lanes)
{
    uint32_t changed = (new ^ old) & lanes;
    *to = (*to & ~changed) | (new &changed);
}

/* Merges into `after` the changes that one instruction, executed alone, has made to `before` in `lanes`. */
static void merge(struct model *model, uint32_t lanes)
{
    const struct fixture *f = model->alone;
    const struct vector_unit *old = &model->before.vector, *new = &f->state.vector;
    struct vector_unit *to = &model->after.vector;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        for (unsigned i = 0; i < SFPU_LREGS; i++) {
            if (lanes >> lane & 1 && new->lreg[i][lane] != old->lreg[i][lane]) {
                to->lreg[i][lane] = new->lreg[i][lane];
            }
        }
        if (lanes >> lane & 1 && new->prng[lane] != old->prng[lane]) {
            to->prng[lane] = new->prng[lane];
        }
    }
    merge_bits(&to->lane_flags, old->lane_flags, new->lane_flags, lanes);
    merge_bits(&to->use_lane_flags, old->use_lane_flags, new->use_lane_flags, lanes);
    for (unsigned i = 0; i < MAX_DEPTH; i++) {
        merge_bits(&to->stack[i].lane_flags, old->stack[i].lane_flags, new->stack[i].lane_flags, lanes);
        merge_bits(&to->stack[i].use_lane_flags, old->stack[i].use_lane_flags, new->stack[i].use_lane_flags, lanes);
    }
    for (unsigned i = 0; i < ROWS * ROW_COLUMNS; i++) {
        uint16_t cell = f->state.dst.rows[i / ROW_COLUMNS][i % ROW_COLUMNS];
        if (cell != model->before.rows[i / ROW_COLUMNS][i % ROW_COLUMNS]) {
            model->after.rows[i / ROW_COLUMNS][i % ROW_COLUMNS] = cell;
        }
    }
}

static void write_result(struct vector_unit *vector, const struct result *result)
{
    for (unsigned i = 0; i < SFPU_LREGS; i++) {
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            if (result->written[i][lane]) {
                vector->lreg[i][lane] = result->value[i][lane];
            }
        }
    }
}

static bool is_product(uint32_t word)
{
    uint32_t opcode = word >> 24;
    return opcode == TENSIX_OPCODE_SFPMAD || opcode == TENSIX_OPCODE_SFPADDI || opcode == TENSIX_OPCODE_SFPMULI;
}

/* SFPSHFT2's modes 3 and 4 move values to other lanes, which takes two cycles. */
static bool is_late(uint32_t word)
{
    return is_product(word) || (word >> 24 == TENSIX_OPCODE_SFPSHFT2 && (word & 15) != 5);
}

/* Executes a word whose encoding has all of VB, VC and VD that it uses; `vd` may be 16. */
#define ALONE(name, ...)                                                                                               \
    {                                                                                                                  \
        struct args_##name args = decode_##name(event->word);                                                          \
        __VA_ARGS__;                                                                                                   \
        assert_int_equal(execute_##name(&f->tensix, THREAD, args), STEP_DONE);                                         \
        break;                                                                                                         \
    }

/* Executes an event. The instruction uses LReg[16] as VD, and as VB (or VC) where its encoding has no such field; its
   result goes to *result. */
static void execute_alone(struct fixture *f, const struct event *event, struct result *result)
{
    struct vector_unit *vector = &f->state.vector;
    uint32_t opcode = event->word >> 24, vb = event->vb, vc = event->vc;
    uint32_t kept[SFPU_LANES];
    memcpy(kept, vector->lreg[SCRATCH], sizeof kept);
    switch (opcode) {
    case TENSIX_OPCODE_SFPXOR:
    case TENSIX_OPCODE_SFPIADD:
    case TENSIX_OPCODE_SFPSETMAN:
    case TENSIX_OPCODE_SFPSHFT: memcpy(vector->lreg[SCRATCH], vector->lreg[vb], sizeof kept); break;
    case TENSIX_OPCODE_SFPADDI:
    case TENSIX_OPCODE_SFPMULI: memcpy(vector->lreg[SCRATCH], vector->lreg[vc], sizeof kept); break;
    default: break;
    }
    switch (opcode) {
    case TENSIX_OPCODE_SFPABS: ALONE(SFPABS, args.lreg_dest = SCRATCH, args.lreg_c = vc)
    case TENSIX_OPCODE_SFPNOT: ALONE(SFPNOT, args.lreg_dest = SCRATCH, args.lreg_c = vc)
    case TENSIX_OPCODE_SFPCAST: ALONE(SFPCAST, args.lreg_dest = SCRATCH, args.lreg_src_c = vc)
    case TENSIX_OPCODE_SFPAND: ALONE(SFPAND, args.lreg_dest = SCRATCH, args.imm12_math = vb, args.lreg_c = vc)
    case TENSIX_OPCODE_SFPARECIP: ALONE(SFPARECIP, args.lreg_dest = SCRATCH, args.imm12_math = vb, args.lreg_c = vc)
    case TENSIX_OPCODE_SFPSETCC: ALONE(SFPSETCC, args.lreg_dest = SCRATCH, args.lreg_c = vc)
    case TENSIX_OPCODE_SFPENCC: ALONE(SFPENCC, args.lreg_dest = SCRATCH)
    case TENSIX_OPCODE_SFPPUSHC: ALONE(SFPPUSHC, args.lreg_dest = SCRATCH)
    case TENSIX_OPCODE_SFPPOPC: ALONE(SFPPOPC, args.lreg_dest = SCRATCH)
    case TENSIX_OPCODE_SFPXOR: ALONE(SFPXOR, args.lreg_dest = SCRATCH, args.lreg_c = vc)
    case TENSIX_OPCODE_SFPIADD: ALONE(SFPIADD, args.lreg_dest = SCRATCH, args.lreg_c = vc)
    case TENSIX_OPCODE_SFPSETMAN: ALONE(SFPSETMAN, args.lreg_dest = SCRATCH, args.lreg_c = vc)
    case TENSIX_OPCODE_SFPSHFT: ALONE(SFPSHFT, args.lreg_dest = SCRATCH, args.lreg_c = vc)
    case TENSIX_OPCODE_SFPMAD: ALONE(SFPMAD, args.lreg_dest = SCRATCH, args.lreg_src_b = vb, args.lreg_src_c = vc)
    case TENSIX_OPCODE_SFPADDI: ALONE(SFPADDI, args.lreg_dest = SCRATCH)
    case TENSIX_OPCODE_SFPMULI: ALONE(SFPMULI, args.lreg_dest = SCRATCH)
    case TENSIX_OPCODE_SFPSHFT2: ALONE(SFPSHFT2, args.lreg_dest = SCRATCH, args.imm12_math = vb, args.lreg_src_c = vc)
    case TENSIX_OPCODE_SFP_STOCH_RND:
        ALONE(SFP_STOCH_RND, args.lreg_dest = SCRATCH, args.lreg_src_b = vb, args.lreg_src_c = vc)
    case TENSIX_OPCODE_SFPSTORE:
        vector->use_lane_flags |= ~event->lanes;
        vector->lane_flags &= event->lanes;
        assert_int_equal(execute_SFPSTORE(&f->tensix, THREAD,
                                          (struct args_SFPSTORE){.lreg_ind = event->vd,
                                                                 .instr_mod0 = event->mod0,
                                                                 .dest_reg_addr = event->address}),
                         STEP_DONE);
        return;
    default: assert_int_equal(opcode, TENSIX_OPCODE_SFPNOP); return;
    }
    if (opcode == TENSIX_OPCODE_SFPSETCC || opcode == TENSIX_OPCODE_SFPENCC || opcode == TENSIX_OPCODE_SFPPUSHC ||
        opcode == TENSIX_OPCODE_SFPPOPC) {
        return;
    }
    uint32_t computed[SFPU_LANES], lanes = vector_enabled_lanes(vector) & event->lanes;
    memcpy(computed, vector->lreg[SCRATCH], sizeof computed);
    memcpy(vector->lreg[SCRATCH], kept, sizeof kept);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t vd = event->vd;
        if (is_product(event->word) && event->word & 8 && vd != SCRATCH) {
            vd = vector->lreg[7][lane] & 15;
        }
        if (lanes >> lane & 1 && (vd < 8 || vd == SCRATCH)) {
            result->written[vd][lane] = true;
            result->value[vd][lane] = computed[lane];
        }
    }
}

/* Whether two events differ at most in their lanes. */
static bool same_event(const struct event *a, const struct event *b)
{
    return a->cycle == b->cycle && a->unit == b->unit && a->word == b->word && a->vb == b->vb && a->vc == b->vc &&
           a->vd == b->vd && a->mod0 == b->mod0 && a->address == b->address && a->by_instruction == b->by_instruction;
}

static void schedule(struct model *model, const struct event *event)
{
    struct event *place = NULL;
    for (unsigned i = 0; i < EVENTS; i++) {
        struct event *other = &model->events[i];
        if (other->unit == event->unit && other->cycle == event->cycle) {
            other->lanes &= ~event->lanes;
        }
    }
    for (unsigned i = 0; i < EVENTS; i++) {
        struct event *other = &model->events[i];
        if (other->lanes && same_event(other, event)) {
            other->lanes |= event->lanes;
            return;
        }
        place = other->lanes ? place : other;
    }
    assert_non_null(place);
    *place = *event;
}

/* The lanes in which a sub-unit executes an instruction now. */
static uint32_t due(const struct model *model, unsigned unit)
{
    uint32_t lanes = 0;
    for (unsigned i = 0; i < EVENTS; i++) {
        const struct event *event = &model->events[i];
        lanes |= event->unit == unit && event->cycle == model->cycle ? event->lanes : 0;
    }
    return lanes;
}

static struct event plain_event(uint32_t word)
{
    bool has_vb = word >> 24 == TENSIX_OPCODE_SFPMAD || word >> 24 == TENSIX_OPCODE_SFPAND ||
                  word >> 24 == TENSIX_OPCODE_SFPARECIP || word >> 24 == TENSIX_OPCODE_SFPSHFT2 ||
                  word >> 24 == TENSIX_OPCODE_SFP_STOCH_RND;
    bool has_vc = word >> 24 != TENSIX_OPCODE_SFPADDI && word >> 24 != TENSIX_OPCODE_SFPMULI;
    uint32_t vd = word >> 4 & 15;
    return (struct event){.lanes = UINT32_MAX,
                          .word = word,
                          .vd = vd,
                          .vb = has_vb ? word >> 12 & 15 : vd,
                          .vc = has_vc ? word >> 8 & 15 : vd};
}

/* The page's functional model after the load, in one lane. */
static void expand(struct model *model, struct args_SFPLOADMACRO args, unsigned lane)
{
    const struct vector_unit *vector = &model->before.vector;
    uint32_t macro = args.lreg_ind >> 2, vd = (args.dest_reg_addr & 1) << 2 | (args.lreg_ind & 3);
    uint32_t misc = vector->load_macro.misc[lane];
    for (unsigned unit = 0; unit < UNITS; unit++) {
        uint32_t bits = vector->load_macro.sequence[macro][lane] >> unit * 8 & 0xff;
        if ((bits & 7) == 0) {
            continue;
        }
        uint32_t word = (bits & 7) == NOP_SLOT ? (uint32_t)TENSIX_OPCODE_SFPNOP << 24
                        : (bits & 7) == STORE_SLOT
                            ? (uint32_t)TENSIX_OPCODE_SFPSTORE << 24
                            : vector->load_macro.instruction_template[(bits & 7) - TEMPLATE][lane];
        struct event event = plain_event(word);
        event.lanes = 1u << lane;
        event.unit = unit;
        event.by_instruction = misc >> (8 + unit) & 1;
        event.cycle = model->cycle + 1 + (bits >> 3 & 7);
        if (unit == STORE) {
            event.vd = bits & LREG16 ? SCRATCH : bits & OVERRIDE_VB ? word >> 20 & 15 : vd;
            event.mod0 = misc >> (4 + macro) & 1 ? args.instr_mod0 : misc & 15;
            event.address = args.dest_reg_addr + model->rwc;
        } else {
            *(bits & OVERRIDE_VB ? &event.vb : &event.vc) = vd;
            event.vd = bits & LREG16 ? SCRATCH : vd;
        }
        schedule(model, &event);
    }
}

/* Executes one instruction of the cycle, whose result is written at once or later. */
static void perform(struct model *model, const struct event *event)
{
    struct result result = {};
    put_part(model->alone, &model->before);
    model->alone->state.addr.rwc[THREAD].dst = 0;
    execute_alone(model->alone, event, &result);
    if (is_late(event->word)) {
        struct result *late = &model->late[is_product(event->word) ? 0 : 1][model->cycle % 2];
        for (unsigned i = 0; i < SFPU_LREGS * SFPU_LANES; i++) {
            if (result.written[i / SFPU_LANES][i % SFPU_LANES]) {
                late->written[i / SFPU_LANES][i % SFPU_LANES] = true;
                late->value[i / SFPU_LANES][i % SFPU_LANES] = result.value[i / SFPU_LANES][i % SFPU_LANES];
            }
        }
        return;
    }
    write_result(&model->alone->state.vector, &result);
    merge(model, event->lanes);
}

/* Executes a regular instruction, which is discarded in lanes where its sub-unit is busy. */
static void perform_regular(struct model *model, uint32_t word)
{
    struct event event = plain_event(word);
    event.lanes = ~due(model, is_product(word) ? MAD : SIMPLE);
    perform(model, &event);
}

/* No instruction is issued: as long as any waits for elapsed instructions, none of those that are not due now comes
   nearer. */
static void postpone(struct model *model)
{
    bool any = false;
    for (unsigned i = 0; i < EVENTS; i++) {
        const struct event *event = &model->events[i];
        any |= event->lanes && event->cycle > model->cycle && event->by_instruction;
    }
    for (unsigned i = 0; any && i < EVENTS; i++) {
        model->events[i].cycle += model->events[i].lanes && model->events[i].cycle > model->cycle;
    }
}

/* A cycle in which `word` is issued; NONE: nothing is. */
static void model_cycle(struct model *model, uint32_t word)
{
    static const unsigned order[] = {STORE, ROUND, MAD, SIMPLE};
    uint32_t rwc = model->rwc;
    model->after = model->before;
    if (word == NONE) {
        postpone(model);
    }
    switch (word >> 24) {
    case TENSIX_OPCODE_SFPLOADMACRO: {
        struct args_SFPLOADMACRO args = decode_SFPLOADMACRO(word);
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            expand(model, args, lane);
        }
        word = (uint32_t)TENSIX_OPCODE_SFPLOAD << 24 | ((args.dest_reg_addr & 1) << 2 | (args.lreg_ind & 3)) << 20 |
               (word & 0xfffff);
    }
        /* fall through */
    case TENSIX_OPCODE_SFPLOAD:
    case TENSIX_OPCODE_SFPLOADI:
        put_part(model->alone, &model->before);
        model->alone->state.addr.rwc[THREAD].dst = (uint16_t)rwc;
        assert_int_equal(tensix_execute(&model->alone->tensix, THREAD, word, 0), STEP_DONE);
        model->rwc = model->alone->state.addr.rwc[THREAD].dst;
        merge(model, UINT32_MAX);
        break;
    case TENSIX_OPCODE_SFPNOP: break;
    case NONE >> 24: break;
    default: perform_regular(model, word); break;
    }
    for (unsigned i = 0; i < UNITS * EVENTS; i++) {
        struct event *event = &model->events[i % EVENTS];
        if (event->lanes && event->unit == order[i / EVENTS] && event->cycle == model->cycle) {
            perform(model, event);
            event->lanes = 0;
        }
    }
    for (unsigned source = 0; source < 2; source++) {
        struct result *arriving = &model->late[source][(model->cycle + 1) % 2];
        write_result(&model->after.vector, arriving);
        memset(arriving, 0, sizeof *arriving);
    }
    model->before = model->after;
    model->cycle++;
}

static uint32_t random_template(uint64_t *seed, unsigned unit)
{
    uint32_t vb = pick(seed, 16) << 12, vc = pick(seed, 16) << 8, vd = pick(seed, 16) << 4,
             imm = pick(seed, 4096) << 12;
#define OPCODE(name) ((uint32_t)TENSIX_OPCODE_##name << 24)
    switch (unit * 16 + pick(seed, unit == SIMPLE ? 13 : unit == STORE ? 1 : unit == ROUND ? 4 : 3)) {
    case 0: return OPCODE(SFPABS) | vc | vd | pick(seed, 2);
    case 1: return OPCODE(SFPNOT) | vc | vd;
    case 2: return OPCODE(SFPCAST) | vc | vd | 2 * pick(seed, 2);
    case 3: return OPCODE(SFPAND) | vb | vc | vd | 1;
    case 4: return OPCODE(SFPARECIP) | vb | vc | vd | pick(seed, 3);
    case 5: return OPCODE(SFPSETCC) | vc | vd | pick(seed, 4) * 2;
    case 6: return OPCODE(SFPENCC) | vd;
    case 7: return OPCODE(SFPXOR) | vc | vd;
    case 8: return OPCODE(SFPIADD) | imm | vc | vd | (4 + pick(seed, 4));
    case 9: return OPCODE(SFPSETMAN) | imm | vc | vd | pick(seed, 2);
    case 10: return OPCODE(SFPSHFT) | imm | vc | vd | pick(seed, 4);
    case 11: return OPCODE(SFPPUSHC) | vd | (1 + pick(seed, 15)); /* change the top */
    case 12: return OPCODE(SFPPOPC) | vd | (1 + pick(seed, 15));
    case 16: return OPCODE(SFPMAD) | pick(seed, 16) << 16 | vb | vc | vd | pick(seed, 16);
    case 17: return OPCODE(SFPADDI) | pick(seed, 65536) << 8 | vd | pick(seed, 4) * 4;
    case 18: return OPCODE(SFPMULI) | pick(seed, 65536) << 8 | vd | pick(seed, 4) * 4;
    case 32: return OPCODE(SFPSHFT2) | vb | vc | vd | 5;
    case 33: return OPCODE(SFP_STOCH_RND) | pick(seed, 2) << 21 | vb | vc | vd | pick(seed, 8);
    case 34: return OPCODE(SFPSHFT2) | vc | vd | (3 + pick(seed, 2));
    case 35: return OPCODE(SFP_STOCH_RND) | pick(seed, 32) << 16 | vb | vc | vd | (12 + pick(seed, 2));
    default: return OPCODE(SFPSTORE) | pick(seed, 12) << 20;
    }
}

/* Configures some lanes; sequences in `stores` schedule a store in all of them. */
static void configure_lanes(struct vector_unit *vector, uint64_t *seed, uint32_t lanes, uint32_t stores)
{
    /* Simple and round sub-units get destinations that may coincide. */
    uint32_t simple_flag = pick(seed, 2) ? LREG16 : 0, misc = pick(seed, 256) << 4 | (pick(seed, 2) ? UINT16 : INT16);
    for (unsigned i = 0; i < SFPU_MACROS; i++) {
        uint32_t template = random_template(seed, i), sequence = 0;
        for (unsigned unit = 0; unit < UNITS; unit++) {
            uint32_t choice = pick(seed, 5), selector = choice == 0 ? 0 : choice == 1 ? NOP_SLOT : TEMPLATE + unit;
            if (unit == STORE) {
                selector = !(stores >> i & 1) ? 0 : choice < 2 ? STORE_SLOT : TEMPLATE + unit;
            }
            uint32_t bit6 = unit == SIMPLE ? simple_flag : unit == ROUND ? LREG16 ^ simple_flag : pick(seed, 2) << 6;
            sequence |= (pick(seed, 2) << 7 | bit6 | pick(seed, 8) << 3 | selector) << unit * 8;
        }
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            if (lanes >> lane & 1) {
                vector->load_macro.instruction_template[i][lane] = template;
                vector->load_macro.sequence[i][lane] = sequence;
                vector->load_macro.misc[lane] = misc;
            }
        }
    }
}

/* Configures all lanes alike, or up to eight groups of them. */
static void configure(struct vector_unit *vector, uint64_t *seed)
{
    uint32_t stores = pick(seed, 16) | pick(seed, 16), different = pick(seed, 2) ? pick(seed, 256) : 0;
    configure_lanes(vector, seed, UINT32_MAX, stores);
    for (unsigned column = 0; column < COLUMNS; column++) {
        if (different >> column & 1) {
            configure_lanes(vector, seed, (uint32_t)ANY_COLUMN << column, stores);
        }
    }
}

/* Gives lanes stacks of 1 to MAX_DEPTH entries; that of lane 0 has MAX_DEPTH. */
static void fill_stack(struct vector_unit *vector, uint64_t *seed)
{
    uint32_t missing = 0;
    vector->stack_depth = MAX_DEPTH;
    for (unsigned i = 0; i < MAX_DEPTH; i++) {
        uint32_t use = xorshift64_word(seed) | xorshift64_word(seed), flags = xorshift64_word(seed);
        vector->stack[i] = (struct vector_flags){.use_lane_flags = use, .lane_flags = flags, .missing = missing};
        missing |= pick(seed, 2) ? xorshift64_word(seed) & ~1u : 0;
    }
}

static uint32_t random_instruction(const struct model *model, uint64_t *seed, bool after_product)
{
    uint32_t vd = pick(seed, 8), row = pick(seed, 5) * 4, mod0 = (pick(seed, 2) ? UINT16 : INT16) << 16;
    uint32_t address = row | pick(seed, 2) << 1;
    switch (after_product ? 6 : pick(seed, 12)) {
    case 0: return OPCODE(SFPLOAD) | vd << 20 | mod0 | address;
    case 1: return OPCODE(SFPLOADI) | vd << 20 | 2 << 16 | pick(seed, 65536);
    case 2:
        if (!due(model, ROUND)) {
            return OPCODE(SFPABS) | pick(seed, 16) << 8 | vd << 4;
        }
        break;
    case 3:
        return OPCODE(SFPMAD) | pick(seed, 16) << 16 | pick(seed, 16) << 12 | pick(seed, 16) << 8 | vd << 4 |
               pick(seed, 16);
    case 4:
    case 5:
    case 6: break;
    default: return OPCODE(SFPLOADMACRO) | pick(seed, 4) << 22 | (vd & 3) << 20 | mod0 | 6 << 13 | address | vd >> 2;
    }
    return OPCODE(SFPNOP);
}

static void compare(const struct fixture *f, const struct model *model)
{
    const struct vector_unit *ours = &f->state.vector, *expected = &model->before.vector;
    assert_memory_equal(ours->lreg, expected->lreg, sizeof ours->lreg);
    assert_int_equal(ours->lane_flags, expected->lane_flags);
    assert_int_equal(ours->use_lane_flags, expected->use_lane_flags);
    assert_memory_equal(ours->stack, expected->stack, sizeof ours->stack);
    assert_memory_equal(ours->prng, expected->prng, sizeof ours->prng);
    assert_memory_equal(f->state.dst.rows, model->before.rows, sizeof model->before.rows);
    assert_int_equal(f->diagnostics.count, 0);
}

/* Issues an instruction, in timed mode at f->state.timing.now[THREAD] + cycles. */
static void issue(struct fixture *f, uint32_t word, unsigned cycles)
{
    if (!f->tensix.timed) {
        assert_int_equal(tensix_execute(&f->tensix, THREAD, word, 0), STEP_DONE);
        return;
    }
    uint64_t time = f->state.timing.now[THREAD] + cycles, passed = f->state.frontend[THREAD].passed;
    timed_push(f, THREAD, time - TIMING_PUSH_TO_GATE, word);
    struct frontend_turn turn = {.now = time, .until = time + 1};
    (void)frontend_run_timed(&f->tensix, THREAD, &turn);
    assert_int_equal(f->state.frontend[THREAD].passed, passed + 1);
    assert_int_equal(f->state.timing.now[THREAD], time);
}

/* Runs programs in which some instructions are issued 1 + `most_idle` cycles after those before them, or fewer. */
static void compare_programs(struct fixture *f, unsigned most_idle)
{
    enum { ADDR_MOD_DST_SEC6 = 34 };
    struct model *model = aligned_zeroed(sizeof *model);
    void *alone = NULL;
    assert_non_null(model);
    assert_int_equal(fixture_setup(&alone), 0);
    model->alone = alone;
    uint64_t seed = 0x5f10ad3ac20;
    unsigned apart = 0;
    f->state.timing.now[THREAD] = 1000;
    f->diagnostics.policy[BH_HAZARD] = BH_IGNORE; /* discarded regular instructions */
    f->state.config.thread[THREAD][ADDR_MOD_DST_SEC6] = 4;
    model->alone->state.config.thread[THREAD][ADDR_MOD_DST_SEC6] = 4;
    for (unsigned program = 0; program < PROGRAMS; program++) {
        struct vector_unit *vector = vector_of(f);
        vector_reset(vector);
        enable_lanes(f, UINT32_MAX);
        configure(vector, &seed);
        fill_stack(vector, &seed);
        for (unsigned i = 0; i < ROWS * ROW_COLUMNS; i++) {
            f->state.dst.rows[i / ROW_COLUMNS][i % ROW_COLUMNS] = (uint16_t)xorshift64_word(&seed);
        }
        for (unsigned i = 0; i < 8 * SFPU_LANES; i++) {
            vector->lreg[i / SFPU_LANES][i % SFPU_LANES] = xorshift64_word(&seed);
        }
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            vector->prng[lane] = xorshift64_word(&seed);
        }
        f->state.addr.rwc[THREAD].dst = 0;
        model->rwc = 0;
        get_part(&model->before, f);
        bool product = false;
        for (unsigned i = 0; i < CYCLES + DRAIN; i++) {
            unsigned idle = most_idle && pick(&seed, 3) == 0 ? 1 + pick(&seed, most_idle) : 0;
            for (unsigned cycle = 0; cycle < idle; cycle++) {
                model_cycle(model, NONE);
            }
            uint32_t word = i < CYCLES ? random_instruction(model, &seed, product) : OPCODE(SFPNOP);
            if (f->state.addr.rwc[THREAD].dst >= ROWS - 24) {
                f->state.addr.rwc[THREAD].dst = 0;
                model->rwc = 0;
            }
            model_cycle(model, word);
            issue(f, word, 1 + idle);
            product = is_product(word);
            apart += vector->macro.apart;
            if (!product) { /* products are immediately available while nothing is scheduled */
                compare(f, model);
            }
        }
        assert_false(vector_schedule_active(vector));
    }
    assert_in_range(apart, PROGRAMS * CYCLES / 4, PROGRAMS * CYCLES);
    fixture_teardown(&alone);
    free(model);
}

static void macros_are_equal_to_their_expanded_forms(void **state)
{
    compare_programs(*state, 0);
}

/* Programs that issue an instruction in each cycle are the same in both modes. */
static void macros_are_equal_to_their_expanded_forms_in_timed_mode(void **state)
{
    compare_programs(*state, 0);
}

static void cycles_without_instructions_pass_in_timed_mode(void **state)
{
    compare_programs(*state, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(macros_are_equal_to_their_expanded_forms),
        TIMED_TEST(macros_are_equal_to_their_expanded_forms_in_timed_mode),
        TIMED_TEST(cycles_without_instructions_pass_in_timed_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
