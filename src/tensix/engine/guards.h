/* Guards of a trace: what its generated code goes by, as it was when the code was made. Whoever executes the code
   checks that it still holds: lane flags before each execution, what is configured once, since no trace changes that.
 */
#ifndef BHEMU_TENSIX_ENGINE_GUARDS_H
#define BHEMU_TENSIX_ENGINE_GUARDS_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/units/vector/vector.h"

struct tensix_state;

/* What code for loads from Dst and stores to it goes by. Nothing in LaneConfig has a say in them. */
struct dst_guards {
    bool any;
    uint8_t thread;      /* whose counter, address modes and configuration */
    bool only_row32;     /* struct dst_register_file */
    uint8_t remainder;   /* of the counter of Dst plus its origin, modulo the rows of an instruction */
    bool by_srcb_format; /* it matters ... */
    uint8_t srcb_format; /* ... which it is */
    uint8_t modes;       /* one bit for each address mode that is applied; it does nothing but ... */
    uint16_t steps[8];   /* ... move the counter of Dst by so much */
    uint32_t extra_addr_mod_bit;
    uint32_t lane_config; /* of which nothing may be set in any lane */
};

/* What code for lane flags goes by: no lanes are switched off by ROW_MASK, UseLaneFlagsForLaneEnable and the stack are
   the same in all lanes, and on the stack is enough, and enough room, for what the run does to it. */
struct trace_guards {
    uint32_t use_lane_flags; /* none or all, now and in the entries of the stack that the run looks at */
    uint8_t depth_minimum, depth_maximum;
    bool any;
    bool enclosed;  /* something is on the stack */
    bool outermost; /* it matters that nothing is */
    struct dst_guards dst;
};

/* Whether it is so, but for the remainder; *origin: what is added to an address in Dst besides the counter. */
bool dst_guards_hold(const struct tensix_state *state, const struct dst_guards *guards, uint32_t *origin);

static inline bool trace_guards_hold(const struct vector_unit *vector, const struct trace_guards *guards)
{
    if (!guards->any) {
        return true;
    }
    uint32_t depth = vector->stack_depth;
    if (vector->use_lane_flags != guards->use_lane_flags || vector->row_masked || depth < guards->depth_minimum ||
        depth > guards->depth_maximum || (depth && vector->stack[depth - 1].missing)) {
        return false;
    }
    for (uint32_t i = depth - guards->depth_minimum; i < depth; i++) {
        if (vector->stack[i].use_lane_flags != guards->use_lane_flags) {
            return false;
        }
    }
    return true;
}

#endif
