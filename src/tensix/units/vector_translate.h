/* Runs of plain operations (vector_words.h) as code of the host, for hosts with AVX-512: LRegs stay in its registers
   from the first operation to the last. vector_plan.c has a run translated once it has been executed often.

   Code is written into a room of the tile, which can either be written or executed. Where the host does not allow the
   latter, or has no AVX-512, nothing is translated. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_TRANSLATE_H
#define BHEMU_TENSIX_UNITS_VECTOR_TRANSLATE_H

#include <stdbool.h>
#include <stdint.h>

struct vector_plan;

/* For a run from each place of a replay buffer on: quanta end anywhere. */
enum { VECTOR_CODE_ROOM = 1 << 16 };

/* Executes a run in `lanes`. lregs: struct vector_unit's. */
typedef void vector_code(uint32_t *lregs, uint32_t lanes);

struct vector_translator {
    uint8_t *room; /* VECTOR_CODE_ROOM bytes from the beginning of a page on; null: nothing is translated */
    uint32_t used;
};

enum vector_translated { VECTOR_TRANSLATED, VECTOR_ROOM_FULL, VECTOR_CANNOT_TRANSLATE };

/* Translates `count` plans of kind VECTOR_WORDS, which *code then executes. VECTOR_ROOM_FULL: nothing is done. All that
   was translated has to be forgotten, and `used` set to 0, before there is room again. */
enum vector_translated vector_translate(struct vector_translator *translator, const struct vector_plan *plans,
                                        uint32_t count, vector_code **code);

#endif
