/* Semantics of moves: units/matrix/move.c executes single ones and runs of them (units/matrix/move_plain.h). Internal
   to units/matrix/. */
#ifndef BHEMU_TENSIX_UNITS_MATRIX_MOVE_H
#define BHEMU_TENSIX_UNITS_MATRIX_MOVE_H

#include "isa/tensix_isa.h"
#include "tensix/num/move_rows.h"
#include "tensix/units/addr/rwc.h"
#include "tensix/units/matrix/parts.h"

/* The diagnostic that a move needs before it is executed. */
enum move_complaint {
    MOVE_IS_PLAIN,
    MOVE_OF_HALVES,
    MOVE_OF_TF32_LOW_HALF,
    MOVE_OF_TF32_FROM_16_BITS,
    MOVE_OF_LOW_HALF
};

/* Bits of a move's mode, as MOVB2D has them; instr_mod of the other moves is bits 2:1 of these. */
enum { MOVE_COLUMN_0 = 1, MOVE_ONE_ROW_FOR_ALL = 2, MOVE_BLOCK = 4 };

struct move {
    struct row_move how;
    enum { MOVE_TO_DST, MOVE_FROM_DST, MOVE_TO_SRCA } way;
    struct src_register_file *src; /* MOVB2A: SrcB */
    bool waits;                    /* until its bank is available */
    bool reserved_mode;
    bool row32; /* rows of Dst have 32 bits */
    enum move_complaint complaint;
};

/* Decodes a move with `opcode`, one of those of units/matrix/move.c, and `mode` under the current configuration. */
struct move matrix_move_of(const struct matrix_view *view, uint32_t opcode, uint32_t mode, bool low_half);

/* A decoded instruction: its row fields, packed so that one addition to the counters gives its rows, and its address
   mode. */
struct rwc_entry {
    rwc_packed fields;
    struct rwc_mode mode;
};

static inline rwc_packed rwc_entry_step(const struct rwc_entry *entry, rwc_packed counters)
{
    return (counters + entry->mode.add) & entry->mode.keep;
}

/* Executes the entries up to `end`, at most MATRIX_MOVES_AT_ONCE, which are all of the same kind. Returns the counters
   afterwards. */
rwc_packed matrix_move_rows(const struct matrix_view *view, const struct move *move, const struct rwc_entry *entry,
                            const struct rwc_entry *end, rwc_packed counters);

/* The same for ZEROACC (units/matrix/clear.c), which makes rows valid or not. The number of a block of sixteen rows,
   or of a half of Dst, is at ZEROACC_BLOCK_AT of an entry's fields: it is not added to the counter of Dst. */
enum { ZEROACC_BLOCK_AT = 40 };
rwc_packed matrix_zeroacc_rows(const struct matrix_view *view, struct args_ZEROACC args, const struct rwc_entry *entry,
                               const struct rwc_entry *end, rwc_packed counters);

#endif
