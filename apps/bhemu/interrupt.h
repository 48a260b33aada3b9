/* ^C and SIGTERM: the first asks a run to say where it is and to end, the second ends the process at once. */
#ifndef BHEMU_APPS_INTERRUPT_H
#define BHEMU_APPS_INTERRUPT_H

#include <signal.h>

/* Catches the signals from now on until interrupt_leave(), after which a signal ends the process as before. The first
   signal sets the variable that is returned to its number. Signals that the process was started to ignore stay ignored.
   */
const volatile sig_atomic_t *interrupt_watch(void);
void interrupt_leave(void);

#endif
