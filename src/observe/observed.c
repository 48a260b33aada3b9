#include "observe/observed.h"

#include <stddef.h>
#include <string.h>

/* The number under which observers know a core. */
static unsigned known_index(const struct observed *observed, unsigned agent, unsigned index)
{
    return agent != BH_AGENT_CORE || !observed->names ? index : observed->names[index != BH_CORE_B];
}

static struct observed_executor *executor(struct observed *observed, enum bh_agent agent, unsigned index)
{
    index = known_index(observed, agent, index);
    if (agent == BH_AGENT_CORE && index < OBSERVED_CORES) {
        return &observed->core[index];
    }
    return agent == BH_AGENT_THREAD && index < OBSERVED_THREADS ? &observed->thread[index] : NULL;
}

/* The clock of an agent, which never decreases in its events. */
static uint64_t cycle_of(struct observed *observed, struct observed_executor *executor)
{
    if (!executor) {
        return observed->cycle;
    }
    executor->cycle = observed->cycle > executor->cycle ? observed->cycle : executor->cycle;
    return executor->cycle;
}

/* All but the union, which is long: most kinds of events have little or nothing in it. Bytes between members are
   zeroes, so that parts of events can be compared as memory. */
static inline __attribute__((always_inline)) void begin_event(struct bh_event *event, struct observed *observed,
                                                              struct observed_executor *of, enum bh_event_kind kind,
                                                              enum bh_agent agent, unsigned index, uint32_t pc,
                                                              uint32_t word)
{
    uint8_t known = (uint8_t)known_index(observed, agent, index);
    memset(event, 0, offsetof(struct bh_event, issue));
    event->kind = (uint16_t)kind;
    event->tile_x = observed->x;
    event->tile_y = observed->y;
    event->agent = (uint8_t)agent;
    event->index = known;
    event->cycle = cycle_of(observed, of);
    event->place.agent = agent;
    event->place.index = known;
    event->place.pc = pc;
    event->place_x = observed->x;
    event->place_y = observed->y;
    event->instruction = word;
}

static const struct diagnostic_origin *origin(const struct observed *observed)
{
    static const struct diagnostic_origin nobody = {.agent = BH_AGENT_HOST};
    return observed->outside ? observed->outside : observed->diagnostics ? &observed->diagnostics->now : &nobody;
}

struct bh_event observed_event_of(struct observed *observed, enum bh_event_kind kind, enum bh_agent agent,
                                  unsigned index, uint32_t pc, uint32_t word)
{
    struct bh_event event = {.kind = (uint16_t)kind};
    begin_event(&event, observed, executor(observed, agent, index), kind, agent, index, pc, word);
    return event;
}

struct bh_event observed_event(struct observed *observed, enum bh_event_kind kind)
{
    const struct diagnostic_origin *now = origin(observed);
    return observed_event_of(observed, kind, (enum bh_agent)now->agent, now->index, now->pc, now->instruction);
}

struct bh_event observed_event_aside(struct observed *observed, enum bh_event_kind kind)
{
    struct observed_executor *of =
        executor(observed, (enum bh_agent)observed->diagnostics->now.agent, observed->diagnostics->now.index);
    uint64_t cycle = of ? of->cycle : 0;
    struct bh_event event = observed_event(observed, kind);
    if (of) {
        of->cycle = cycle;
        event.cycle = observed->cycle;
    }
    return event;
}

static inline void tell(const struct observed *observed, const struct bh_event *event)
{
    for (unsigned i = 0; i < observed->count; i++) {
        const struct bh_observer *observer = observed->observers[i];
        if (observer->kinds >> event->kind & 1 && (!observed->only || observed->only == observer)) {
            observer->on_event(observer->context, event);
        }
    }
}

void observed_tell(const struct observed *observed, const struct bh_event *event)
{
    tell(observed, event);
}

void observed_access(struct observed *observed, struct actor actor, enum bh_space space, bool write, uint64_t address,
                     uint32_t size, const void *data)
{
    if (size && observed_wants(observed, BH_EVENT_ACCESS)) {
        const struct diagnostic_origin *now = origin(observed);
        struct bh_event event;
        begin_event(&event, observed, executor(observed, (enum bh_agent)now->agent, now->index), BH_EVENT_ACCESS,
                    (enum bh_agent)now->agent, now->index, now->pc, now->instruction);
        event.agent = actor.agent;
        event.index = (uint8_t)known_index(observed, actor.agent, actor.index);
        memset(&event.access, 0, sizeof event.access);
        event.access.space = (uint8_t)space;
        event.access.write = write;
        event.access.uncached = observed->uncached;
        event.access.size = size;
        event.access.address = address;
        event.access.data = data;
        event.access.cause = event.place;
        event.access.cause_instruction = event.instruction;
        if (observed->cause) {
            event.access.cause.agent = BH_AGENT_THREAD;
            event.access.cause.index = observed->cause->index;
            event.access.cause.pc = observed->cause->pc;
            event.access.cause_instruction = observed->cause->instruction;
        }
        tell(observed, &event);
    }
}

static inline void tell_of(struct observed *observed, struct observed_executor *of, enum bh_event_kind kind,
                           enum bh_agent agent, unsigned index, uint32_t pc, uint32_t word, const struct bh_wait *wait)
{
    if (observed_wants(observed, kind)) {
        struct bh_event event;
        begin_event(&event, observed, of, kind, agent, index, pc, word);
        if (wait) {
            event.wait = *wait;
        } else if (kind == BH_EVENT_ISSUED) {
            event.issue = agent == BH_AGENT_THREAD ? observed->issue : (struct bh_issue){0};
        }
        tell(observed, &event);
    }
}

static void end_wait(struct observed *observed, struct observed_executor *executor, enum bh_agent agent, unsigned index)
{
    if (executor->wait.reason != BH_WAIT_NONE) {
        tell_of(observed, executor, BH_EVENT_WAIT_ENDED, agent, index, executor->pc, executor->word, &executor->wait);
        executor->wait.reason = BH_WAIT_NONE;
    }
}

/* Begins an instruction. If another one was reported as issued, that was cancelled by a reset or a debugger. */
static void begin(struct observed *observed, struct observed_executor *executor, enum bh_agent agent, unsigned index,
                  uint32_t pc, uint32_t word)
{
    if (executor->pc != pc || executor->word != word) {
        end_wait(observed, executor, agent, index);
        executor->issued = false;
        executor->pc = pc;
        executor->word = word;
    }
}

void observed_issued(struct observed *observed, enum bh_agent agent, unsigned index, uint32_t pc, uint32_t word)
{
    struct observed_executor *of = executor(observed, agent, index);
    begin(observed, of, agent, index, pc, word);
    if (!of->issued) {
        end_wait(observed, of, agent, index); /* at the gate */
        of->issued = true;
        tell_of(observed, of, BH_EVENT_ISSUED, agent, index, pc, word, NULL);
    }
}

bool observed_began(struct observed *observed, unsigned core, uint32_t pc, uint32_t word, uint64_t *cycle)
{
    const struct observed_executor *of = executor(observed, BH_AGENT_CORE, core);
    *cycle = of ? of->cycle : 0;
    return of && of->issued && of->pc == pc && of->word == word && of->wait.reason == BH_WAIT_NONE;
}

void observed_goes_on(struct observed *observed, unsigned core, uint32_t pc, uint32_t word)
{
    struct observed_executor *of = executor(observed, BH_AGENT_CORE, core);
    struct bh_event *event = &of->event;
    end_wait(observed, of, BH_AGENT_CORE, core);
    of->issued = true;
    of->pc = pc;
    of->word = word;
    if (!observed_wants(observed, BH_EVENT_ISSUED)) {
        return;
    }
    if (of->goes_on) {
        event->cycle = cycle_of(observed, of);
        event->place.pc = pc;
        event->instruction = word;
    } else {
        begin_event(event, observed, of, BH_EVENT_ISSUED, BH_AGENT_CORE, core, pc, word);
        event->issue = (struct bh_issue){0};
        of->goes_on = true;
    }
    tell(observed, event);
}

void observed_waits(struct observed *observed, enum bh_agent agent, unsigned index, uint32_t pc, uint32_t word,
                    struct bh_wait wait)
{
    struct observed_executor *of = executor(observed, agent, index);
    begin(observed, of, agent, index, pc, word);
    if (of->wait.reason != wait.reason || of->wait.detail != wait.detail) {
        end_wait(observed, of, agent, index);
        of->wait = wait;
        tell_of(observed, of, BH_EVENT_WAIT_BEGAN, agent, index, pc, word, &wait);
    }
}

void observed_retired(struct observed *observed, enum bh_agent agent, unsigned index, uint32_t pc, uint32_t word)
{
    struct observed_executor *of = executor(observed, agent, index);
    end_wait(observed, of, agent, index);
    of->issued = false;
    tell_of(observed, of, BH_EVENT_RETIRED, agent, index, pc, word, NULL);
}
