/* What is said of a race: who did what, which rule of the documents is broken, and what would mend it. */
#ifndef BHEMU_CHECK_WORDS_H
#define BHEMU_CHECK_WORDS_H

#include "check/checker.h"

struct check_words {
    enum bh_severity severity;
    const char *rule, *because;
    char message[400], later[200], earlier[200];
    char mend[300];
};

void check_words_of_race(struct check_words *words, const struct bh_check *check, const struct check_race *race);

/* "core B", "the packer for T2": who a part is, for the instruction at a place. */
void check_name_part(const struct bh_check *check, unsigned part, uint32_t place, char *text, size_t size);

/* "Dst row 12". */
void check_name_object(const struct check_race *object, char *text, size_t size);

#endif
