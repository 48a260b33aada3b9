/* ^C and SIGTERM: the first asks a run to say where it is and to end, the second ends the process at once. */
#ifndef BHEMU_APPS_INTERRUPT_H
#define BHEMU_APPS_INTERRUPT_H

#include <signal.h>

/* From now on until interrupt_leave(), after which a signal ends the process as if nothing had been. What is returned
   becomes the signal's number with the first. Signals that the process was started to ignore stay ignored. */
const volatile sig_atomic_t *interrupt_watch(void);
void interrupt_leave(void);

#endif
