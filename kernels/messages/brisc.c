/* messages, sender: B. */
#include "messages.h"

/* Word i of unit `unit` of the buffer, which is a ring. */
static volatile uint32_t *word_at(uint32_t unit, uint32_t i)
{
    return (volatile uint32_t *)((sender.start + (unit + i / 4) % sender.size) * UNIT + i % 4 * 4);
}

void kernel_main(void)
{
    struct messages_arguments arguments = *(const volatile struct messages_arguments *)LAYOUT_ARGUMENTS;
    stream_receives_into(STREAM, sender);
    stream_transmits_to(STREAM, arguments.to, middle);
    stream_start_phase(STREAM, STREAM_SOURCE_ENDPOINT | STREAM_REMOTE_RECEIVER, PHASE, arguments.rows);
    while (!(*stream(STREAM, STREAM_WAIT_STATUS) & STREAM_MSG_FWD_ONGOING)) {
    }
    for (uint32_t row = 0; row < arguments.rows; row++) {
        const volatile uint32_t *from = (const volatile uint32_t *)(ROWS_AT + row * ROW);
        while (*stream(STREAM, STREAM_BUF_SPACE_AVAILABLE) < LENGTH) {
        }
        uint32_t unit = *stream(STREAM, STREAM_WR_PTR);
        volatile uint32_t *header = (volatile uint32_t *)(*stream(STREAM, STREAM_MSG_INFO_WR_PTR) * UNIT);
        *word_at(unit, 0) = LENGTH;
        for (uint32_t i = 0; i < ROW / 4; i++) {
            *word_at(unit + 1, i) = from[i];
        }
        *header = LENGTH;
        (void)load_shared(header); /* the header and the row are in L1 */
        *stream(STREAM, STREAM_NUM_MSGS_RECEIVED_INC) = LENGTH << 12 | 1;
    }
    stream_wait_for_end(STREAM);
}
