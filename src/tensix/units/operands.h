/* What an instruction of a thread reads and writes of the coprocessor's registers: BH_EVENT_OPERAND of observers. It is
   found out before the instruction executes, from its word and from the state that it will find, by the functions that
   units use themselves to find rows. Nothing of this runs while nobody observes.

   Who needs more than the word has a function here: units/UNIT/operands.h. The words of configuration that instructions
   consult are data: tables/operands.def. */
#ifndef BHEMU_TENSIX_UNITS_OPERANDS_H
#define BHEMU_TENSIX_UNITS_OPERANDS_H

#include "bhemu/event.h"
#include "tensix/units/state.h"

enum { OPERANDS_AT_MOST = 512 };

/* In the order in which observers are told. */
struct operand_list {
    uint32_t count;
    struct bh_operand of[OPERANDS_AT_MOST];
};

/* Sets of rows: one bit for each. */
struct operand_rows {
    uint64_t src[2][SRC_BANKS]; /* of SrcA, of SrcB */
    uint64_t dst[DST_ROWS / 64];
};

/* What an instruction reads, or writes. */
struct operand_set {
    struct operand_rows rows;
    uint32_t lregs;
    uint16_t lane_flags; /* 1: they and their stack */
};

struct operand_sets {
    struct operand_set read, written;
};

/* What `word` reads and writes, if `thread` executes it now: nothing if it waits for banks of SrcA or SrcB. */
void operands_of_word(struct tensix *tensix, unsigned thread, uint32_t word, struct operand_list *list);

/* What an instruction reads and writes that SFPLOADMACRO has scheduled, and that executes now. */
void operands_of_scheduled(struct tensix *tensix, const struct vector_scheduled *instruction,
                           struct operand_list *list);

/* Appends one, unless it is empty. */
void operands_add(struct operand_list *list, struct bh_operand operand);

/* Appends a range for each row of ones in `set`. */
void operands_add_bits(struct operand_list *list, struct bh_operand operand, const uint64_t *set, unsigned bits);

/* Appends the rows and LRegs of `sets`, of `unit` and its part `number`. */
void operands_add_sets(struct operand_list *list, struct bh_operand operand, const struct operand_sets *sets);

/* Adds `count` rows of a bank from `first` on, behind whose last row its first one follows. */
static inline void operand_src_rows(struct operand_rows *rows, bool of_b, unsigned bank, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        rows->src[of_b][bank] |= UINT64_C(1) << (first + i) % SRC_ROWS;
    }
}

/* Adds a row, as numbered by dst_place(); of 32 bits both rows that it is kept in. */
static inline void operand_dst_place(struct operand_rows *rows, bool row32, uint32_t place)
{
    uint32_t low = (place + DST_LOW_HALF) % DST_ROWS;
    rows->dst[place / 64] |= UINT64_C(1) << place % 64;
    rows->dst[low / 64] |= (uint64_t)row32 << low % 64;
}

/* Adds `count` rows, `stride` apart, of 32 bits or of 16. */
static inline void operand_dst_rows(struct operand_rows *rows, const struct dst_register_file *dst, bool row32,
                                    uint32_t first, uint32_t stride, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        operand_dst_place(rows, row32, dst_place(dst, row32, (first + i * stride) % DST_ROWS));
    }
}

#endif
