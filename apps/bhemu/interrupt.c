#include "interrupt.h"

#include <stddef.h>

static const int watched[] = {SIGINT, SIGTERM};
enum { WATCHED = sizeof watched / sizeof *watched };

static volatile sig_atomic_t caught;

static void on_signal(int number);

/* Replaces the handler of a signal if it is `from`. */
static void replace(int number, void (*from)(int), void (*by)(int))
{
    struct sigaction action = {.sa_handler = by}, before;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == from) {
        (void)sigaction(number, &action, NULL); /* without SA_RESTART: blocked reads are interrupted */
    }
}

void interrupt_leave(void)
{
    for (unsigned i = 0; i < WATCHED; i++) {
        replace(watched[i], on_signal, SIG_DFL);
    }
}

static void on_signal(int number)
{
    caught = number;
    interrupt_leave();
}

const volatile sig_atomic_t *interrupt_watch(void)
{
    for (unsigned i = 0; i < WATCHED; i++) {
        replace(watched[i], SIG_DFL, on_signal);
    }
    return &caught;
}
