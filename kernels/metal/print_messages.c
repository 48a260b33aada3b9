/* metal print_messages, on each core: DPRINT with formats (docs/print.md). Unique argument: how many lines. */
#include "dprint.h"

enum color { RED = 1, GREEN = 2, BLUE = 4 };

static const char names[METAL_PROCESSORS][4] = {"B", "NC", "T0", "T1", "T2"};

void kernel_main(void)
{
    for (uint32_t line = 0; line < metal.unique[0]; line++) {
        DPRINT_MESSAGE("message of {0,s}, line {1,I:3}\n", (uint32_t)names[PROCESSOR], line);
    }
    if (PROCESSOR == METAL_T1) {
        DPRINT_MESSAGE("{0,i} {1,I:#010x} {2,f:.2f} {2,f} {{}}\n", (uint32_t)-2, 0xb1ac, 0x40490fdb);
        enum color color = GREEN;
        DPRINT_MESSAGE("{0,/e_I_color} {1,/E_I_color} {1,/e_I_color} {0,/e_I_color:#} {0,/e_I_color:*>8}\n", color,
                       RED | BLUE | 8);
        DPRINT_MESSAGE("{0,q:>12} {1,w} {2,?} {3,b}\n", 0xd5fa0e00, 0xfffffffe, 0xff013fc0); /* 8, 2, 1, 1 bytes */
    }
}
