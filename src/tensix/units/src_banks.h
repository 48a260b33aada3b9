/* The handing over of the banks of SrcA and SrcB between the unpackers and the matrix unit.

   Each of SrcA and SrcB has two banks, each bank one client that may use it. Both sides walk through the banks on their
   own: a side that is done with its bank gives it to the other side and goes on to the other bank, where it may have to
   wait until the other side has given that one back.
   Sources: ISA documentation SrcASrcB.md, SETDVALID.md, SETRWC.md, CLEARDVALID.md. */
#ifndef BHEMU_TENSIX_UNITS_SRC_BANKS_H
#define BHEMU_TENSIX_UNITS_SRC_BANKS_H

#include <stdbool.h>

#include "tensix/num/registers.h"

struct tensix;

/* Sets of {SrcA, SrcB} as instructions give them: clear_ab_vld, clear_dvalid, setvalid. */
enum { SRC_SET_A = 1, SRC_SET_B = 2 };

/* Whether the unpacker may fill the bank that is its next one. */
static inline bool src_unpacker_may_fill(const struct src_register_file *src)
{
    return src->owner[src->unpacker_bank] == SRC_UNPACKERS;
}

/* Whether the matrix unit may use the bank that is its next one. */
static inline bool src_matrix_may_use(const struct src_register_file *src)
{
    return src->owner[src->matrix_bank] == SRC_MATRIX_UNIT;
}

/* The unpacker's hand-over: its bank goes to the matrix unit, with `format` as implied data format. */
static inline void src_bank_release_to_matrix(struct src_register_file *src, uint8_t format)
{
    src->owner[src->unpacker_bank] = SRC_MATRIX_UNIT;
    src->format[src->unpacker_bank] = format;
    src->unpacker_bank ^= 1;
}

/* The matrix unit's hand-over: its bank goes to the unpackers, unless `keep`; in either case the unit advances to the
   other bank. */
static inline void src_bank_release_to_unpackers(struct src_register_file *src, bool keep)
{
    if (!keep) {
        src->owner[src->matrix_bank] = SRC_UNPACKERS;
    }
    src->matrix_bank ^= 1;
}

/* To be called at the end of every matrix unit instruction that has clear_ab_vld or clear_dvalid: hands over the banks
   in `which`, except those for which the thread's CLR_DVALID_SrcA_Disable or CLR_DVALID_SrcB_Disable is set. */
void src_banks_clear_dvalid(struct tensix *tensix, unsigned thread, unsigned which);

/* To be called at the end of every unpacker instruction that sets dvalid, and by SETDVALID: hands over the banks in
   `which`, with the configured output formats as their implied formats, and sets the thread's row in the next bank to
   SRCA_SET_Base and SRCB_SET_Base. */
void src_banks_set_dvalid(struct tensix *tensix, unsigned thread, unsigned which);

#endif
