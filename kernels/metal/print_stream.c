/* metal print_stream, on each core: DPRINT as a stream of values (docs/print.md). Unique argument: how many lines. */
#include "dprint.h"

static const char names[METAL_PROCESSORS][4] = {"B", "NC", "T0", "T1", "T2"};

void kernel_main(void)
{
    for (uint32_t line = 0; line < metal.unique[0]; line++) {
        dprint_text("stream of ");
        dprint_text(names[PROCESSOR]);
        dprint_text(", line ");
        DPRINT_VALUE(SETW, uint8_t, 3);
        DPRINT_VALUE(UINT32, uint32_t, line);
        DPRINT_VALUE(ENDL, uint8_t, 0);
    }
    if (PROCESSOR == METAL_T1) {
        DPRINT_VALUE(HEX, uint8_t, 0);
        DPRINT_VALUE(INT16, int16_t, -2);
        DPRINT_VALUE(CHAR, char, ' ');
        DPRINT_VALUE(DEC, uint8_t, 0);
        DPRINT_VALUE(INT64, int64_t, -5000000000ll);
        DPRINT_VALUE(CHAR, char, ' ');
        DPRINT_VALUE(BFLOAT16, uint16_t, 0x3fc0);
        DPRINT_VALUE(CHAR, char, ' ');
        DPRINT_VALUE(FIXED, uint8_t, 0);
        DPRINT_VALUE(SETPRECISION, uint8_t, 2);
        DPRINT_VALUE(FLOAT32, uint32_t, 0x40490fdb);
        DPRINT_VALUE(ENDL, uint8_t, 0);
    }
}
