/* Broken on purpose (docs/print.md): prints that make no sense, past the checks of the compiler. */
#include "print.h"

void kernel_main(void)
{
    const char *volatile too_few = "one %d, two %d, three %s\n", *volatile nowhere = (const char *)0x50000000;
    const char *volatile unknown = "%d %y\n", *volatile unused = "nothing\n";
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
    printf(too_few, 1);
    printf("a text at %s, and its address %p\n", nowhere, (const void *)nowhere);
    printf(unknown, 7);
    printf(unused, 7);
    printf(nowhere);
    print_buffer.messages[print_buffer.written] = 0x12345678;
    print_buffer.written++;
}
