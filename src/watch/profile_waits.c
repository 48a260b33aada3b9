#include "watch/profile_waits.h"

#include "watch/wait_text.h"

void profile_describe_wait(const struct bh_profile_wait *wait, char *buffer, unsigned size)
{
    struct text text = {.buffer = buffer, .size = size};
    if (wait->wait.reason == BH_PROFILE_POLLS) {
        wait_add_address(&text, wait->wait.detail);
        text_add(&text, " to change (polling)");
    } else {
        wait_add(&text, wait->wait, wait->word);
    }
    switch (wait->awaited.agent) {
    case BH_AGENT_CORE: text_add(&text, ", by core %s", bh_core_name((enum bh_core)wait->awaited.index)); break;
    case BH_AGENT_THREAD: text_add(&text, ", by thread T%u", wait->awaited.index); break;
    default: break;
    }
}
