#include "tensix/units/matrix/move_plain.h"
#include "tensix/units/execute.h"

#include "tensix/units/matrix/move.h"

/* All moves have these fields in the same places; of MOVB2A, the Dst field is the row of SrcB, with six bits. */
enum { FIELD_SRC_AT = 17, FIELD_ADDR_MODE_AT = 14, FIELD_MODE_AT = 11, FIELD_LOW_HALF_AT = 23 };
enum { FIELD_SRC = 0x3f << FIELD_SRC_AT, FIELD_ADDR_MODE = 7 << FIELD_ADDR_MODE_AT, FIELD_DST = DST_ROWS - 1 };

/* A run of plain instructions that differ only in rows and address modes. */
struct run {
    uint32_t first; /* instruction */
    bool zeroacc;
    struct args_ZEROACC args; /* zeroacc */
    struct move move;         /* if not */
    const struct rwc_entry *end;
};

struct program {
    struct run runs[MATRIX_MOVES_AT_ONCE];
    struct rwc_entry entries[MATRIX_MOVES_AT_ONCE];
};

/* The fields besides the address mode in which instructions of a run may differ, and the counters that they are added
   to. */
struct varying {
    uint32_t src, dst;
    unsigned src_at, dst_at;
};

static inline uint32_t fixed_fields(const struct varying *varying)
{
    return ~(varying->src | varying->dst | FIELD_ADDR_MODE);
}

/* Starts a run with an instruction. false: it is neither a plain move nor a plain ZEROACC, or it has to wait. */
static inline bool begin_run(const struct matrix_view *view, uint32_t word, struct run *run, struct varying *varying)
{
    const uint32_t opcode = word >> 24;
    if (!matrix_may_run(word)) {
        return false;
    }
    run->zeroacc = opcode == TENSIX_OPCODE_ZEROACC;
    if (run->zeroacc) {
        run->args = decode_ZEROACC(word);
        *varying = (struct varying){.dst = FIELD_DST,
                                    .dst_at = run->args.clear_mode == ZEROACC_ONE_ROW ? RWC_DST_AT : ZEROACC_BLOCK_AT};
        return true;
    }
    const bool b_to_a = opcode == TENSIX_OPCODE_MOVB2A;
    run->move = matrix_move_of(view, opcode, word >> FIELD_MODE_AT & 7, !b_to_a && word >> FIELD_LOW_HALF_AT & 1);
    const bool of_a = b_to_a || run->move.src == &view->state->srca;
    *varying = (struct varying){.src = FIELD_SRC,
                                .dst = b_to_a ? SRC_ROWS - 1 : FIELD_DST,
                                .src_at = of_a ? RWC_SRCA_AT : RWC_SRCB_AT,
                                .dst_at = b_to_a ? RWC_SRCB_AT : RWC_DST_AT};
    return !run->move.waits && !run->move.reserved_mode && run->move.complaint == MOVE_IS_PLAIN;
}

/* Decodes instructions as long as they belong to the run of the first. Returns their number. Not inline, so that its
   loop gets all registers. */
static __attribute__((noinline)) uint32_t decode_run(const struct varying *varying, const struct rwc_mode *modes,
                                                     uint32_t plain, rwc_packed origin, const uint32_t *code,
                                                     uint32_t count, struct rwc_entry *entry)
{
    const uint32_t first = code[0], src = varying->src, dst = varying->dst, same = fixed_fields(varying);
    const unsigned src_at = src ? varying->src_at - FIELD_SRC_AT : 0, dst_at = varying->dst_at;
    uint32_t done = 0;
    for (; done < count; done++, entry++) {
        uint32_t word = code[done], mode = word >> FIELD_ADDR_MODE_AT & 7;
        if (((first ^ word) & same) || !(plain >> mode & 1)) {
            break;
        }
        entry->fields = origin + ((rwc_packed)(word & dst) << dst_at) + ((rwc_packed)(word & src) << src_at);
        entry->mode = modes[mode];
    }
    return done;
}

/* begin_run(), of number `number` of a program: what configuration says of moves that take turns, as those of a
   transposition do, is the same each time. `varying`: of the two runs before. */
static inline bool begin_next(const struct matrix_view *view, uint32_t word, struct program *program, unsigned number,
                              struct varying varying[2])
{
    enum { TURNS = 2 };
    struct run *run = &program->runs[number];
    struct varying *its = &varying[number % TURNS];
    if (number >= TURNS && ((run[-TURNS].first ^ word) & fixed_fields(its)) == 0) {
        *run = run[-TURNS];
        return true;
    }
    run->first = word;
    return begin_run(view, word, run, its);
}

/* Decodes instructions up to the first that is not plain. Returns their number. */
static inline uint32_t decode_program(struct program *program, const struct matrix_view *view,
                                      const struct rwc_modes *modes, const uint32_t *code, uint32_t count)
{
    const uint32_t extra = view->rwc->extra_addr_mod_bit * RWC_BIAS_OFFSET, plain = modes->plain >> extra;
    const rwc_packed origin = matrix_view_dst_origin(view) & RWC_DST_MASK;
    struct varying varying[2];
    uint32_t decoded = 0, some = 1;
    for (unsigned run = 0; some && decoded < count; run++) {
        some = !begin_next(view, code[decoded], program, run, varying)
                   ? 0
                   : decode_run(&varying[run % 2], modes->modes + extra, plain, origin, code + decoded, count - decoded,
                                program->entries + decoded);
        decoded += some;
        program->runs[run].end = program->entries + decoded;
    }
    return decoded;
}

uint32_t matrix_run_moves(struct tensix *tensix, unsigned thread, const uint32_t *words, uint32_t count, uint32_t times)
{
    const struct matrix_view view = matrix_view_of(tensix->state, thread);
    struct program program;
    rwc_read_modes(&tensix->modes[thread], view.thread_config);
    uint32_t decoded = decode_program(&program, &view, &tensix->modes[thread], words, count);
    if (decoded == 0) {
        return 0;
    }
    const struct rwc_entry *end = program.entries + decoded;
    rwc_packed counters = rwc_pack(view.rwc);
    times = decoded == count ? times : 1;
    for (uint32_t i = 0; i < times; i++) {
        const struct rwc_entry *entry = program.entries;
        for (const struct run *run = program.runs; entry < end; run++) {
            counters = run->zeroacc ? matrix_zeroacc_rows(&view, run->args, entry, run->end, counters)
                                    : matrix_move_rows(&view, &run->move, entry, run->end, counters);
            entry = run->end;
        }
    }
    rwc_unpack(view.rwc, counters);
    return decoded * times;
}
