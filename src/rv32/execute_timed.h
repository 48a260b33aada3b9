/* The interpreter's loop (execute.inc) in timed mode: when an instruction enters EX1, and when it is done. `now` is the
   earliest time at which the next instruction may enter EX1, `at` when the one that executes did. Handlers call ENTER
   before they change anything, since that leaves the loop when it is not yet the instruction's time. */
#ifndef BHEMU_RV32_EXECUTE_TIMED_H
#define BHEMU_RV32_EXECUTE_TIMED_H

#include "rv32/costs.h"
#include "rv32/timed.h"
#include "rv32/vector_time.h"
#include "tensix/frontend/timed.h"

/* So many instructions no turn has. The place in the retire queue is what `left` leaves when divided by its size. */
#define RV32_TIMED_BUDGET (1u << 30)

/* The entry of the first instruction of a line, as struct rv32_timing has it, and back; 0: of none. */
#define LINE_OF(l1, fetched) ((fetched) ? (uintptr_t)(l1)->code + ((fetched)-RV32_FETCHED(0)) * RV32_LINE_ENTRIES : 0)
#define FETCHED_OF(line) ((line) ? RV32_FETCHED((uint32_t)(((line) - (uintptr_t)code) / RV32_LINE_ENTRIES)) : 0)

#define TIMES()                                                                                                        \
    struct rv32_timing *timing = rv32->timing;                                                                         \
    uint64_t now = clock_of(rv32->clock, core->id), at = now, retired = timing->retired;                               \
    const uint64_t until = turn->until < turn->end ? turn->until : turn->end;                                          \
    const uint64_t reach __attribute__((unused)) = turn->spares_polled ? 0 : until;                                    \
    uint64_t end = turn->end + (turn->exact ? 0 : RV32_AHEAD);                                                         \
    const uint32_t budget = RV32_TIMED_BUDGET + timing->place, lines = rv32_fetch_lines(core);                         \
    uintptr_t line = LINE_OF(rv32->l1, timing->line); /* of the last instruction: the entry of its first one */        \
    turn->event = CLOCK_NEVER

/* Before an instruction is executed: the instruction cache is asked for lines that the last one was not in. Lines begin
   where the entries of their instructions begin at multiples of RV32_LINE_ENTRIES, since L1's code begins a page. */
#define RV32_LINE_ENTRIES (RV32_FETCH_WORDS * sizeof(struct rv32_code))
#define FETCH()                                                                                                        \
    do {                                                                                                               \
        if (UNLIKELY(((uintptr_t)ip ^ line) >= RV32_LINE_ENTRIES)) {                                                   \
            uint32_t fetched = (uint32_t)(ip - code) / RV32_FETCH_WORDS;                                               \
            if (UNLIKELY(timing->fetched[fetched & (lines - 1)] != RV32_FETCHED(fetched))) {                           \
                now = rv32_time_fetch(rv32, now, (uint32_t)(ip - code), line + RV32_LINE_ENTRIES == (uintptr_t)ip);    \
            }                                                                                                          \
            line = (uintptr_t)ip & ~(uintptr_t)(RV32_LINE_ENTRIES - 1);                                                \
        }                                                                                                              \
    } while (0)

/* After a function has executed an instruction: one that empties the instruction cache has the line that the next one
   is in fetched again. */
#define FETCH_AGAIN()                                                                                                  \
    do {                                                                                                               \
        uint32_t fetched = FETCHED_OF(line);                                                                           \
        line = timing->fetched[(fetched - RV32_FETCHED(0)) & (lines - 1)] == fetched ? line : 0;                       \
    } while (0)

#define AFTER(time)                                                                                                    \
    do {                                                                                                               \
        uint64_t earliest = (time);                                                                                    \
        at = earliest > at ? earliest : at;                                                                            \
    } while (0)

/* The same when the register has its value; `kept` if it is that of the instruction just before, which the queue keeps
   from all later ones. */
#define AFTER_RESULT(reg)                                                                                              \
    do {                                                                                                               \
        uint64_t ready = timing->written[reg].ready;                                                                   \
        if (ready > at) {                                                                                              \
            bool is_passed = timing->passed_on == (uint32_t)(reg);                                                     \
            kept = is_passed ? ready : kept;                                                                           \
            at = is_passed ? at : ready;                                                                               \
        }                                                                                                              \
    } while (0)

/* What is about to be executed has not entered EX1 yet. */
#define ENTER_NOW() ((void)(at = now))

/* In order, when an entry of the retire queue is free and the registers that the instruction reads have their values.
 */
#define ENTER_OP(op)                                                                                                   \
    do {                                                                                                               \
        uint64_t kept = 0;                                                                                             \
        at = now;                                                                                                      \
        AFTER(timing->queue[left % RV32_RETIRE_QUEUE]);                                                                \
        if (rv32_costs[op].rs1) {                                                                                      \
            AFTER_RESULT(ip->rs1);                                                                                     \
        }                                                                                                              \
        if (rv32_costs[op].rs2) {                                                                                      \
            AFTER_RESULT(ip->rs2);                                                                                     \
        }                                                                                                              \
        if (rv32_costs[op].rs3) {                                                                                      \
            AFTER_RESULT(ip->immediate >> RV32_THIRD_SOURCE);                                                          \
        }                                                                                                              \
        AFTER(at > timing->passed_at ? kept : 0);                                                                      \
        if (UNLIKELY(at >= end)) {                                                                                     \
            goto out_of_time;                                                                                          \
        }                                                                                                              \
    } while (0)

#define ENTER(name) ENTER_OP(RV32_OP_##name)

/* The instruction, which entered EX1 at `at`, gives its result to those that enter so much later. */
#define RETIRES(latency)                                                                                               \
    do {                                                                                                               \
        uint64_t leaves = at + (latency) + 1;                                                                          \
        retired++;                                                                                                     \
        retired = leaves > retired ? leaves : retired;                                                                 \
        timing->queue[left % RV32_RETIRE_QUEUE] = retired;                                                             \
    } while (0)

/* And that result is for a register: nobody can have it while the queue holds two for the same register, but for the
   next instruction, which has it from EX1 (measured: blackhole-py reads the wall clock every third cycle with the
   address set anew between, which the documentation leaves open). */
#define WRITES(rd, latency)                                                                                            \
    do {                                                                                                               \
        struct rv32_written *last = &timing->written[rd];                                                              \
        uint64_t ready = at + (latency);                                                                               \
        RETIRES(latency);                                                                                              \
        last->ready = ready;                                                                                           \
        if (last->retires > ready) {                                                                                   \
            last->ready = last->retires;                                                                               \
            timing->passed_on = (latency) == 1 ? (rd) : timing->passed_on;                                             \
            timing->passed_at = (latency) == 1 ? ready : timing->passed_at;                                            \
        }                                                                                                              \
        last->retires = retired;                                                                                       \
    } while (0)

#define DONE_OP(op)                                                                                                    \
    do {                                                                                                               \
        if (rv32_costs[op].rd) {                                                                                       \
            WRITES(ip->rd, rv32_costs[op].latency);                                                                    \
        } else {                                                                                                       \
            RETIRES(rv32_costs[op].latency);                                                                           \
        }                                                                                                              \
        now = at + 1;                                                                                                  \
    } while (0)

#define DONE(name) DONE_OP(RV32_OP_##name)

/* Divisions stay in EX1. */
#define DIVIDED(name, a, b)                                                                                            \
    do {                                                                                                               \
        uint32_t cycles = rv32_division_cycles(RV32_OP_##name, a, b);                                                  \
        WRITES(ip->rd, cycles);                                                                                        \
        now = at + cycles;                                                                                             \
    } while (0)

/* What is more than registers and local RAM is for the agent whose turn it is by time. */
#define BEYOND()                                                                                                       \
    do {                                                                                                               \
        if (UNLIKELY(at >= reach)) {                                                                                   \
            goto out_of_reach;                                                                                         \
        }                                                                                                              \
    } while (0)

#define ENTER_LOAD(offset)                                                                                             \
    do {                                                                                                               \
        if ((offset) >= ram_size && UNLIKELY(at >= until)) {                                                           \
            goto out_of_time;                                                                                          \
        }                                                                                                              \
    } while (0)

/* What is pushed is for the agent whose turn it is, but nobody polls it. */
#define PUSHES_NOW()                                                                                                   \
    do {                                                                                                               \
        if (UNLIKELY(at >= until)) {                                                                                   \
            goto out_of_time;                                                                                          \
        }                                                                                                              \
    } while (0)

#define BEYOND_RAM(address, offset)                                                                                    \
    do {                                                                                                               \
        if ((offset) >= ram_size && UNLIKELY(at >= (rv32_is_polled(address) ? reach : until))) {                       \
            goto out_of_reach;                                                                                         \
        }                                                                                                              \
    } while (0)

/* The load is of more than a word that it leaves as it is. */
#define BEYOND_WORDS(address, offset)                                                                                  \
    do {                                                                                                               \
        BEYOND_RAM(address, offset);                                                                                   \
        CHANGES(address);                                                                                              \
    } while (0)

/* More than a load of a word that it leaves as it is, at an address that is not in L1. */
#define CHANGES(address)                                                                                               \
    do {                                                                                                               \
        turn->polled |= rv32_is_polled(address);                                                                       \
        if (rv32_is_awaited(address)) {                                                                                \
            turn->awaited = true;                                                                                      \
            end = turn->stop_at_awaited ? 0 : end;                                                                     \
        }                                                                                                              \
    } while (0)

/* At `time` others see what the core has done: when it entered EX1, since it was carried out then. */
#define EVENT(time)                                                                                                    \
    do {                                                                                                               \
        turn->event = (time);                                                                                          \
        end = turn->stop_at_event ? 0 : end;                                                                           \
    } while (0)

/* The core does more than a polling loop. */
#define ACTED()                                                                                                        \
    do {                                                                                                               \
        timing->polling.acted = turn->acted = turn->requested = turn->polled = turn->awaited = true;                   \
        end = turn->stop_at_awaited ? 0 : end;                                                                         \
    } while (0)
#define ACTED_AT(address)                                                                                              \
    do {                                                                                                               \
        timing->polling.acted = turn->acted = true;                                                                    \
        if (UNLIKELY(rv32_requests(address))) {                                                                        \
            turn->requested = true;                                                                                    \
        }                                                                                                              \
    } while (0)

/* A jump back is taken. */
#define GOES_ON_ROUND()                                                                                                \
    rv32_time_round(timing, (uint32_t)(ip - code), ip->immediate, x, now, instret + (budget - left) + 1,               \
                    timing->queue[(left + 1) % RV32_RETIRE_QUEUE])
#define STOPS_AT_POLLING()                                                                                             \
    ((timing->polling.sure && turn->stop_at_polling) ||                                                                \
     (turn->recurred = timing->polling.recurs && turn->stop_at_recurring) || (turn->round = turn->stop_at_round))

/* A load or store leaves EX1 as soon as the Load/Store Unit takes it: `at` becomes the cycle before. */
#define LOADED(rd, address, size)                                                                                      \
    do {                                                                                                               \
        uint64_t entered = at;                                                                                         \
        uint64_t latency = TIMING_RV32_LOAD_LOCAL;                                                                     \
        if (UNLIKELY((address)-MEM_LOCAL_BASE >= ram_size || !rv32_stores_drained(timing, at))) {                      \
            uint64_t taken = at; /* nobody has the address of `at`, so that it stays in a register */                  \
            latency = rv32_time_noc_load(timing, &taken, address);                                                     \
            latency = latency ? latency : rv32_time_load(rv32, &taken, address, size);                                 \
            at = taken;                                                                                                \
        }                                                                                                              \
        if ((address) >= l1_size && (address)-MEM_LOCAL_BASE >= ram_size) {                                            \
            uint64_t answered = clock_of(rv32->clock, core->id) + TIMING_RV32_ANSWER; /* it may have waited */         \
            latency = answered > at + latency ? answered - at : latency;                                               \
            EVENT(entered);                                                                                            \
        }                                                                                                              \
        WRITES(rd, latency);                                                                                           \
        now = at + 1;                                                                                                  \
    } while (0)

#define KEEP_REPLACED(replaced, place) ((void)memcpy(&(replaced), place, sizeof(replaced)))
#define STORED(address, size, replaced)                                                                                \
    do {                                                                                                               \
        uint64_t entered = at;                                                                                         \
        if ((address) < L1_SIZE || !rv32_time_lonely_store(timing, at, address, size)) {                               \
            at = rv32_time_store(rv32, at, address, size, replaced);                                                   \
        }                                                                                                              \
        ACTED_AT(address);                                                                                             \
        RETIRES(1);                                                                                                    \
        now = at + 1;                                                                                                  \
        if ((address)-MEM_LOCAL_BASE >= ram_size) {                                                                    \
            if ((address) >= l1_size) {                                                                                \
                CHANGES(address);                                                                                      \
            }                                                                                                          \
            EVENT(entered);                                                                                            \
        }                                                                                                              \
        if (turn->stop_at_request && rv32_requests(address)) {                                                         \
            end = 0;                                                                                                   \
        }                                                                                                              \
    } while (0)

/* All of a store to a register of a command, which takes nothing but the queue, and of which nobody but the NIU
   learns: what STORE does with it otherwise. */
#define STORE_COMMAND(type, address)                                                                                   \
    do {                                                                                                               \
        uint32_t *word = sizeof(type) == 4 && !HOOKED ? rv32_command(rv32, address) : NULL;                            \
        if (word) {                                                                                                    \
            if (UNLIKELY(at >= until)) {                                                                               \
                goto out_of_reach;                                                                                     \
            }                                                                                                          \
            *word = (uint32_t)value;                                                                                   \
            turn->event = at;                                                                                          \
            if (!rv32_time_lonely_store(timing, at, address, 4)) {                                                     \
                at = rv32_time_store(rv32, at, address, 4, NULL);                                                      \
            }                                                                                                          \
            timing->polling.acted = turn->acted = true;                                                                \
            end = turn->stop_at_event ? 0 : end;                                                                       \
            RETIRES(1);                                                                                                \
            now = at + 1;                                                                                              \
            NEXT();                                                                                                    \
        }                                                                                                              \
    } while (0)

/* The same of a load of a counter of an NIU, if that meets nothing in the queue of stores. */
#define LOAD_COUNTER(type, upper, address)                                                                             \
    do {                                                                                                               \
        const uint32_t *word = sizeof(type) == 4 && !HOOKED ? rv32_counter(rv32, address) : NULL;                      \
        if (word) {                                                                                                    \
            LOADED(ip->rd, address, 4);                                                                                \
            x[ip->rd] = *word;                                                                                         \
            NEXT();                                                                                                    \
        }                                                                                                              \
    } while (0)

#define EXCHANGED(rd, address)                                                                                         \
    do {                                                                                                               \
        uint64_t entered = at;                                                                                         \
        ACTED();                                                                                                       \
        uint64_t taken = at, latency = rv32_time_atomic(rv32, &taken, address);                                        \
        at = taken;                                                                                                    \
        WRITES(rd, latency);                                                                                           \
        now = at + 1;                                                                                                  \
        EVENT(entered);                                                                                                \
    } while (0)

/* Nothing enters EX1 until the instruction has retired. */
#define SYNCHRONIZED(rd)                                                                                               \
    do {                                                                                                               \
        ACTED();                                                                                                       \
        WRITES(rd, 1);                                                                                                 \
        now = rv32_synchronizes(core) ? retired + TIMING_RV32_SYNCHRONIZED : at + 1;                                   \
    } while (0)

/* A store that waits in the queue for others need not any more, and takes its bank of L1: in the order of times. */
#define RELEASES_STORES()                                                                                              \
    do {                                                                                                               \
        if (UNLIKELY(at >= until) && rv32_store_waits(timing)) {                                                       \
            goto out_of_time;                                                                                          \
        }                                                                                                              \
    } while (0)

#define FENCED()                                                                                                       \
    do {                                                                                                               \
        at = rv32_time_fence(rv32, at);                                                                                \
        RETIRES(1);                                                                                                    \
        now = retired + TIMING_RV32_SYNCHRONIZED;                                                                      \
    } while (0)

/* .ttinsn: up to four neighbours are one instruction, which retires as one. They are pushed in the same cycle, so that
   no turn ends between them; one that has to wait is not one of them any more. */
#define ENTER_PUSH()                                                                                                   \
    uint32_t fused = timing->next_fused == PC ? timing->fused : 0;                                                     \
    uint64_t after = now;                                                                                              \
    timing->fused = 0;                                                                                                 \
    if (fused) {                                                                                                       \
        at = timing->fused_at;                                                                                         \
    } else {                                                                                                           \
        ENTER(TTINSN);                                                                                                 \
        PUSHES_NOW();                                                                                                  \
        timing->fused_at = at;                                                                                         \
    }                                                                                                                  \
    if (HOOKED) {                                                                                                      \
        TELL_TIME();                                                                                                   \
    }

/* Whether it could be pushed into its FIFO directly, with nothing else to be done. */
#define PUSHES(value)                                                                                                  \
    (rv32->frontend &&                                                                                                 \
     frontend_takes(rv32->frontend, rv32->frontend_timing, (struct pushed){.word = (value), .pc = PC}, at))

#define PUSHED()                                                                                                       \
    do {                                                                                                               \
        timing->polling.acted = turn->acted = turn->pushed = true;                                                     \
        EVENT(at);                                                                                                     \
        end = turn->stop_at_request ? 0 : end;                                                                         \
        if (fused) {                                                                                                   \
            timing->queue[left % RV32_RETIRE_QUEUE] = retired;                                                         \
            now = after;                                                                                               \
        } else {                                                                                                       \
            at = rv32_time_store(rv32, at, INSTRN_BUF_BASE, 4, NULL);                                                  \
            RETIRES(1);                                                                                                \
            now = at + 1;                                                                                              \
        }                                                                                                              \
        timing->fused =                                                                                                \
            rv32_fuses(core) && !rv32_time_is_cold(timing, PC) ? (fused + 1) % TIMING_RV32_FUSED_PUSHES : 0;           \
        timing->next_fused = PC + 4;                                                                                   \
    } while (0)

/* Vector instructions have their inputs from the register file, and an entry of the retire queue for each register that
   they write. */
#define ENTER_VECTOR(word)                                                                                             \
    struct rv32_vector_uses uses = rv32_vector_uses(core, word);                                                       \
    at = now;                                                                                                          \
    AFTER(timing->queue[left % RV32_RETIRE_QUEUE]);                                                                    \
    AFTER(rv32_time_vector_inputs(timing, &uses));                                                                     \
    if (UNLIKELY(at >= end)) {                                                                                         \
        goto out_of_time;                                                                                              \
    }                                                                                                                  \
    BEYOND()

#define VECTOR_DONE(word)                                                                                              \
    do {                                                                                                               \
        uint64_t entered = at;                                                                                         \
        ACTED();                                                                                                       \
        uint64_t taken = at, latency = rv32_time_vector(rv32, &taken, &uses, word);                                    \
        at = taken;                                                                                                    \
        RETIRES(latency);                                                                                              \
        retired += rv32_vector_entries(&uses) - 1;                                                                     \
        timing->queue[left % RV32_RETIRE_QUEUE] = retired;                                                             \
        rv32_time_vector_retired(timing, &uses, retired);                                                              \
        now = uses.sets && rv32_synchronizes(core) ? retired + TIMING_RV32_SYNCHRONIZED : at + 1;                      \
        EVENT(entered);                                                                                                \
    } while (0)

/* A jump or branch leaves EX1: was it foreseen where it goes? */
#define TAKEN(distance)                                                                                                \
    do {                                                                                                               \
        uint32_t self = (uint32_t)(ip - code), goal = self + (uint32_t)(distance);                                     \
        struct rv32_branch *branch = &timing->branch[self % RV32_BRANCHES];                                            \
        bool known = branch->self == self && branch->target == goal;                                                   \
        if (UNLIKELY(!known || branch->taken != RV32_CERTAIN)) {                                                       \
            bool foreseen = known && branch->taken >= RV32_LIKELY;                                                     \
            if (core->csr[RV32_CSR_cfg0] & RV32_CFG0_DIS_BP) {                                                         \
                now += TIMING_RV32_MISPREDICTED;                                                                       \
                break;                                                                                                 \
            }                                                                                                          \
            *branch = (struct rv32_branch){self, goal, foreseen ? RV32_CERTAIN : RV32_LIKELY};                         \
            now += foreseen ? 0 : TIMING_RV32_MISPREDICTED;                                                            \
            rv32_frontend_learns(timing);                                                                              \
        }                                                                                                              \
    } while (0)

#define NOT_TAKEN()                                                                                                    \
    do {                                                                                                               \
        uint32_t self = (uint32_t)(ip - code);                                                                         \
        struct rv32_branch *branch = &timing->branch[self % RV32_BRANCHES];                                            \
        if (UNLIKELY(branch->self == self && branch->taken)) {                                                         \
            now += branch->taken-- >= RV32_LIKELY ? TIMING_RV32_MISPREDICTED : 0;                                      \
            rv32_frontend_learns(timing);                                                                              \
        }                                                                                                              \
    } while (0)

/* Whoever is called now reads the clock. What was not done at `at` is tried again then. */
#define TELL_TIME()                                                                                                    \
    do {                                                                                                               \
        now = at;                                                                                                      \
        core->instret = instret + (budget - left);                                                                     \
        rv32->clock->passed[core->id] = at - rv32->clock->now;                                                         \
        rv32->diagnostics->now.cycle = at;                                                                             \
    } while (0)

#define RUN_OBSERVED() rv32_run_timed_observed(rv32, turn)

/* Hooks read the clock as well. */
#define SHOW_TIME()                                                                                                    \
    do {                                                                                                               \
        if (HOOKED) {                                                                                                  \
            rv32->clock->passed[core->id] = now - rv32->clock->now;                                                    \
        }                                                                                                              \
    } while (0)

#define RETIRE()                                                                                                       \
    do {                                                                                                               \
        core->instret = instret + (budget - left);                                                                     \
        rv32->clock->passed[core->id] = now - rv32->clock->now;                                                        \
        timing->retired = retired;                                                                                     \
        timing->line = FETCHED_OF(line);                                                                               \
        timing->place = left % RV32_RETIRE_QUEUE;                                                                      \
    } while (0)

#endif
