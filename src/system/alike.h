/* Reports of who waits for what, of chips that hang alike: what several of them say is told once, by the first, with
   the numbers of the others. */
#ifndef BHEMU_SYSTEM_ALIKE_H
#define BHEMU_SYSTEM_ALIKE_H

#include "bhemu/diagnostic.h"

/* How many different ones are told; of the others their number is. */
enum { ALIKE_MOST = 128 };

struct alike_reports;

/* Null: there is no memory; then nothing is put together. */
struct alike_reports *alike_begin(void);

/* In the order of chips. */
void alike_add(struct alike_reports *reports, const struct bh_diagnostic *diagnostic);

/* Tells them in the order in which they came. Ends *reports, which may be null. */
void alike_end(struct alike_reports *reports, void (*tell)(void *context, const struct bh_diagnostic *diagnostic),
               void *context);

#endif
