/* What a core or thread waits for, in words: as traces and profiles say it. */
#ifndef BHEMU_WATCH_WAIT_TEXT_H
#define BHEMU_WATCH_WAIT_TEXT_H

#include "bhemu/event.h"
#include "util/text.h"

/* Adds "semaphore 1", "the packer, the matrix unit" (of STALLWAIT). word: the Tensix instruction that waits. */
void wait_add(struct text *text, struct bh_wait wait, uint32_t word);

/* Adds "STREAM_CURR_PHASE (0xffb41000)", "0x00030000 in L1". */
void wait_add_address(struct text *text, uint32_t address);

#endif
