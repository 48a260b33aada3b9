/* Who is ordered behind whom: parts of order.c. */
#ifndef BHEMU_CHECK_ORDER_H
#define BHEMU_CHECK_ORDER_H

#include "check/checker.h"
#include "isa/rv32_isa.h"

enum { NO_PART = CHECK_PARTS }; /* in place of the part whose step ends */

/* `to` learns what `from` knows. */
static inline void learn(struct bh_check *check, struct view *to, const struct view *from)
{
    check->failed |= !view_join(to, from);
}

/* `view` learns what an actor knew, and that it has come to its step. */
void learn_actor(struct bh_check *check, struct view *view, const struct check_actor *actor);

/* `view` learns that a part has come to a step. */
static inline void learn_step(struct bh_check *check, struct view *view, uint32_t tile, unsigned part, uint32_t step)
{
    if (tile != view->home || !view->own || view->own->known[part] < step) {
        check->failed |= !view_learn_step(view, tile, part, step);
    }
}

static inline bool is_core_part(unsigned part)
{
    return part < PART_THREAD;
}

/* The core whose part it is. */
static inline unsigned core_of_part(unsigned part)
{
    return part < PART_STORE ? part : part % CHECK_CORES;
}

_Static_assert((int)PART_STORE == (int)CHECK_CORES && (int)PART_THREAD == 3 * (int)CHECK_CORES,
               "core_of_part() takes the remainder");

/* Tells others, by `object`, what a core or a thread knows, and all that it has done so far. */
void order_tell(struct bh_check *check, struct check_tile *tile, struct view *object, struct view *view, unsigned part);

/* Words that others wait for. null: the word is none. */
struct check_signal *signal_find(struct check_tile *tile, enum bh_space space, uint64_t address);
struct check_signal *signal_make(struct check_tile *tile, enum bh_space space, uint64_t address);

/* Cores. */
void order_core_issues(struct bh_check *check, struct check_tile *tile, const struct bh_event *event,
                       const struct check_decoded *instruction);
void order_core_accesses(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
/* What a load tells a core (order_answers.c): the view that it learns when the answer has come and, if the load asks,
   has decided about a branch. */
struct check_question {
    uint32_t address; /* of a register; 0: of none */
    bool asks;
};
struct view *answer_to(struct bh_check *check, struct check_tile *tile, struct check_core *core, uint32_t word,
                       const struct check_question *question);

/* Whether the latest answer, which tells what two views know, tells nothing that the core has not learned from them
   before: a look at a register that nobody has written since the last look. */
bool answer_repeats(struct check_core *core, const struct view *told, const struct view *of, const struct view *also);

/* An instruction of the core begins, which may wait for answers or use them. */
void answers_at(struct bh_check *check, struct check_tile *tile, struct check_core *core,
                const struct check_decoded *instruction);

/* Whether a core has only loaded what orders it behind the earlier access, and may not have got it. */
bool order_is_unanswered(const struct bh_check *check, const struct check_actor *later,
                         const struct check_actor *earlier);
void order_stales(struct check_tile *tile, const struct bh_event *event, const struct check_actor *actor);
void order_core_ends(struct bh_check *check, struct check_tile *tile, unsigned core);

/* An access to a register with an address by somebody who knows `view`; part: whose step ends when it tells others. */
struct register_access {
    uint32_t address;
    bool write;
    struct view *view;
    unsigned part;
    unsigned core;  /* CHECK_CORES: no core */
    uint32_t place; /* 0: not known */
};
void order_register(struct bh_check *check, struct check_tile *tile, const struct register_access *access);

/* The DMA engine of a DRAM tile: what the tile's core does to its registers; who makes an access. */
void order_dma(struct bh_check *check, struct check_tile *tile, unsigned core, const struct bh_event *event);
void order_dma_actor(struct check_tile *tile, const struct bh_event *event, struct check_actor *actor);

/* Threads. */
void order_pushes(struct bh_check *check, struct check_tile *tile, const struct bh_event *event, unsigned thread,
                  uint32_t word);
/* A core pushes an instruction; an instruction leaves the wait gate (order_pushes.c). */
void order_pushed(struct bh_check *check, struct check_tile *tile, unsigned thread, unsigned core, uint32_t pc,
                  uint32_t word);
void order_learns_pushed(struct bh_check *check, struct check_tile *tile, unsigned number, uint32_t pc);
void order_thread_issues(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void order_mutex(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void order_hands_over(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void order_operand(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);

/* Whether an event of a thread is about an instruction of an unpacker: *part. Its thread may have passed others since,
   while it waited for its bank of Src. */
bool order_unpacks(const struct bh_event *event, unsigned *part);

/* What the instruction that a thread executes knows. */
struct view *order_thread_view(struct check_tile *tile, unsigned thread);

/* The NoC. */
void order_noc(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void order_niu_counter(struct bh_check *check, struct check_tile *tile, struct view *view, uint32_t address);
struct check_request *request_of(struct bh_check *check, const struct bh_event *event, struct check_tile **initiator);
bool order_niu_actor(struct bh_check *check, struct check_tile *tile, const struct bh_event *event,
                     struct check_actor *actor);

/* Accesses to one object. An access is checked against those that its cell has, and recorded; of `object` its name
   counts. Nothing is told before it is clear that a load of a core is no poll. */
void races_touch(struct bh_check *check, struct cell *cell, const struct check_race *object,
                 const struct check_actor *actor, uint32_t bytes, bool write);
void races_report(struct bh_check *check, struct check_race *race);

/* Whether nothing orders the actor behind an access to an object of this tile. */
bool races_unordered(const struct bh_check *check, const struct check_actor *actor, uint32_t tile,
                     const struct cell_access *access);

/* The actor of an earlier access, whose view others may learn. */
struct check_actor races_writer(struct bh_check *check, uint32_t number, const struct cell_access *access);

/* Whether an operand is one of an instruction that SFPLOADMACRO has scheduled. */
bool order_is_scheduled(const struct check_tile *tile, const struct bh_event *event);

/* Registers (races_state.c), LRegs (races_lregs.c), address counters (races_counters.c). */
void races_register(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void races_vector(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);
void races_lreg(struct bh_check *check, struct check_tile *tile, const struct bh_event *event, unsigned lreg);
void races_counters(struct bh_check *check, struct check_tile *tile, const struct bh_event *event);

/* What races.c has found about a core's load, which is told when it is clear that the load was no poll. */
void races_semaphores(struct bh_check *check, struct check_tile *tile, const struct bh_event *event, uint32_t mask);
void races_report_stale(struct bh_check *check, struct check_tile *tile, const struct bh_event *event,
                        const struct cell_access *write);
void races_report_poll(struct bh_check *check, struct check_tile *tile, const struct check_load *load);

/* A load whose value decides about a branch forward: it looks at a flag if what it races with wrote no more than a
   word. The other one notes it, so that a flag that is written later does not race with it. */
bool races_is_flag(const struct check_load *load);
void races_only_looked(struct bh_check *check, struct check_tile *tile, const struct check_load *load);
void races_report_load(struct bh_check *check, struct check_load *load);

#endif
