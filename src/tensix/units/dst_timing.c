#include "tensix/units/dst_timing.h"

#include "time/timing.h"

/* Cycles from the thread's last access to the next. Where a thread turns from one unit to the other, neither the first
   nor the second access overlaps with the one before it; unless the first came so late that nothing was left of the
   unit's before (LLK's where() counts on it: SFPLOADMACROs behind a pause store what they load at fixed cycles). */
static uint64_t distance(const struct dst_turn *turn, enum dst_user user, bool reads)
{
    bool turns = turn->user != DST_NOBODY && turn->user != user;
    if (turns) {
        return reads || user == DST_VECTOR ? TIMING_DST_TURN : TIMING_DST_TURN_TO_MOVE;
    }
    return turn->turned ? TIMING_DST_TURN : 1;
}

uint64_t dst_accessible(const struct dst_timing *dst, unsigned thread, enum dst_user user, bool reads)
{
    const struct dst_turn *turn = &dst->turn[thread];
    uint64_t time = turn->user == DST_NOBODY ? 0 : turn->last + distance(turn, user, reads);
    time = time < dst->accessed ? dst->accessed : time;
    if (user == DST_VECTOR) {
        return time < dst->moved ? dst->moved : time;
    }
    bool yields = reads ? time == dst->claimed : time <= dst->claimed;
    return yields && dst->claimed ? dst->claimed + 1 : time;
}

void dst_access(struct dst_timing *dst, unsigned thread, enum dst_user user, uint64_t time)
{
    struct dst_turn *turn = &dst->turn[thread];
    const bool turns = turn->user != DST_NOBODY && turn->user != user;
    turn->turned = turns && time - turn->last <= TIMING_DST_TURN;
    turn->user = (uint8_t)user;
    turn->last = time;
    dst->accessed = time + 1;
}

static bool has_just_turned(const struct dst_turn *turn)
{
    return turn->turned && turn->user == DST_VECTOR;
}

uint64_t dst_follows_turn(const struct dst_timing *dst, unsigned thread)
{
    const struct dst_turn *turn = &dst->turn[thread];
    return has_just_turned(turn) ? turn->last + TIMING_DST_TURN : 0;
}

void dst_end_turn(struct dst_timing *dst, unsigned thread, uint64_t time)
{
    struct dst_turn *turn = &dst->turn[thread];
    if (has_just_turned(turn)) {
        turn->turned = false;
        turn->last = time;
    }
}
