#include "tensix/num/move_rows.h"

#include "tensix/num/clones.h"

CLONES(void, move_rows_to_bf16,
       (const uint32_t source[restrict][ROW_COLUMNS], unsigned stride, unsigned count, uint32_t bits, uint32_t some,
        uint16_t cells[restrict][ROW_COLUMNS]),
       (source, stride, count, bits, some, cells))
{
    for (unsigned i = 0; i < count; i++) {
        AS_VECTOR
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            uint32_t datum = source[i * stride][column];
            cells[i][column] = (uint16_t)((datum & some ? datum & bits : 0) >> 16);
        }
    }
}

CLONES(void, move_rows_from_bf16,
       (const uint16_t cells[restrict][ROW_COLUMNS], const uint8_t valid[restrict], unsigned count,
        uint32_t target[restrict][ROW_COLUMNS]),
       (cells, valid, count, target))
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t mask = valid[i] ? UINT32_MAX : 0;
        AS_VECTOR
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            target[i][column] = (uint32_t)cells[i][column] << 16 & mask;
        }
    }
}
