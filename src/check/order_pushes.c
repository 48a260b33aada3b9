/* Instructions on their way from cores to a thread: each knows what its core knew when it was pushed, and nothing that
   the core has learned since. An instruction that leaves the wait gate is known by the pc at which it, or the MOP or
   REPLAY that it has come out of, was pushed. What cores know changes rarely: pushes with the same knowledge share one
   view. */
#include "check/order.h"
#include "isa/tensix_isa.h"

/* The view for a push by a core, a new one if the core knows more than that of the latest push has. */
static uint32_t knowledge_of(struct bh_check *check, struct check_pushes *pushes, const struct view *view,
                             uint32_t tile, unsigned core)
{
    uint32_t newest = pushes->views - 1;
    if (pushes->views && view_includes(&pushes->view[newest % CHECK_PUSH_VIEWS], view, tile, PART_CORE + core)) {
        return newest;
    }
    if (pushes->views - pushes->learned < CHECK_PUSH_VIEWS) {
        newest = pushes->views++;
        view_clear(&pushes->view[newest % CHECK_PUSH_VIEWS]);
    } /* else too many are under way: the latest one stands for this one, too */
    learn(check, &pushes->view[newest % CHECK_PUSH_VIEWS], view);
    return newest;
}

static bool expands(uint32_t word)
{
    return word >> 24 == TENSIX_OPCODE_MOP || word >> 24 == TENSIX_OPCODE_REPLAY;
}

void order_pushed(struct bh_check *check, struct check_tile *tile, unsigned thread, unsigned core, uint32_t pc,
                  uint32_t word)
{
    struct check_pushes *pushes = &tile->thread[thread].pushes;
    if (pushes->pushed - pushes->issued == CHECK_PUSHES) {
        pushes->issued++;
    }
    pushes->by_others |= core != BH_CORE_T0 + thread;
    struct check_push *push = &pushes->push[pushes->pushed++ % CHECK_PUSHES];
    push->pc = pc;
    push->core = (uint8_t)core;
    push->expands = expands(word);
    push->step = tile->steps[PART_CORE + core];
    push->stores = tile->steps[PART_CONFIG_STORE + core];
    push->view = knowledge_of(check, pushes, &tile->core[core].view, tile->number, core);
}

static const struct check_push *push_at(const struct check_pushes *pushes, uint32_t number)
{
    return &pushes->push[number % CHECK_PUSHES];
}

/* The push of an instruction of this pc: the first one that may have it. Of a loop with nothing but a MOP or a REPLAY
   it is not known how often that has been expanded: then it is the last one. */
static uint32_t find(const struct check_pushes *pushes, uint32_t pc)
{
    uint32_t number = pushes->issued;
    while (number != pushes->pushed && push_at(pushes, number)->pc != pc) {
        number++;
    }
    while (number != pushes->pushed && number + 1 != pushes->pushed && push_at(pushes, number)->expands &&
           push_at(pushes, number + 1)->pc == pc) {
        number++;
    }
    return number;
}

void order_learns_pushed(struct bh_check *check, struct check_tile *tile, unsigned number, uint32_t pc)
{
    struct check_thread *thread = &tile->thread[number];
    struct check_pushes *pushes = &thread->pushes;
    uint32_t at = find(pushes, pc);
    bool found = at != pushes->pushed;
    thread->stores = tile->steps[PART_CONFIG_STORE + BH_CORE_T0 + number];
    if (!found && !pushes->pushed) {
        return;
    }
    const struct check_push *push = push_at(pushes, found ? at : pushes->pushed - 1);
    learn_step(check, &thread->view, tile->number, PART_CORE + push->core, push->step);
    for (; pushes->learned != push->view + 1 && pushes->learned != pushes->views; pushes->learned++) {
        learn(check, &thread->view, &pushes->view[pushes->learned % CHECK_PUSH_VIEWS]);
    }
    if (found && push->core == BH_CORE_T0 + number) {
        thread->stores = push->stores;
    }
    if (found) {
        pushes->issued = at + !push->expands;
    }
}
