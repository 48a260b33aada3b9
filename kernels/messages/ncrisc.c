/* messages, receiver: NC. */
#include "messages.h"

static uint32_t word_at(uint32_t unit, uint32_t i)
{
    return load_shared((volatile uint32_t *)((receiver.start + (unit + i / 4) % receiver.size) * UNIT + i % 4 * 4));
}

void kernel_main(void)
{
    struct messages_arguments arguments = *(const volatile struct messages_arguments *)LAYOUT_ARGUMENTS;
    stream_receives_into(STREAM, receiver);
    stream_receives_from(STREAM, arguments.from, PHASE + 1);
    stream_start_phase(STREAM, STREAM_REMOTE_SOURCE | STREAM_RECEIVER_ENDPOINT, PHASE, arguments.rows);
    for (uint32_t row = 0; row < arguments.rows; row++) {
        volatile uint32_t *to = (volatile uint32_t *)(ROWS_AT + row * ROW);
        while (*stream(STREAM, STREAM_NUM_MSGS_RECEIVED) == 0) {
        }
        uint32_t unit = *stream(STREAM, STREAM_NEXT_RECEIVED_MSG_ADDR) - receiver.start;
        *stream(STREAM, STREAM_MSG_INFO_CLEAR) = 1;
        for (uint32_t i = 0; i < ROW / 4; i++) {
            to[i] = word_at(unit + 1, i);
        }
        *stream(STREAM, STREAM_MSG_DATA_CLEAR) = 1;
    }
    stream_wait_for_end(STREAM);
}
