/* messages, in the middle: T0 starts a phase of the stream, and has no more to do with it. */
#include "messages.h"

void kernel_main(void)
{
    struct messages_arguments arguments = *(const volatile struct messages_arguments *)LAYOUT_ARGUMENTS;
    stream_receives_into(STREAM, middle);
    stream_receives_from(STREAM, arguments.from, PHASE);
    stream_transmits_to(STREAM, arguments.to, receiver);
    stream_start_phase(STREAM, STREAM_REMOTE_SOURCE | STREAM_REMOTE_RECEIVER, PHASE + 1, arguments.rows);
}
