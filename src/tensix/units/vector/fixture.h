/* Shared by tests of the vector unit: filling and checking LRegs. For *_test.c of units/vector/ only. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_FIXTURE_H
#define BHEMU_TENSIX_UNITS_VECTOR_FIXTURE_H

#include "tensix/tensix_fixture.h"

static inline struct vector_unit *vector_of(struct fixture *fixture)
{
    return &fixture->state.vector;
}

static inline void fill(struct fixture *fixture, unsigned lreg, uint32_t value)
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        fixture->state.vector.lreg[lreg][lane] = value;
    }
}

/* Lane l of LReg i holds base + l. */
static inline void number(struct fixture *fixture, unsigned lreg, uint32_t base)
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        fixture->state.vector.lreg[lreg][lane] = base + lane;
    }
}

/* Only these lanes are enabled, by their lane flags. */
static inline void enable_lanes(struct fixture *fixture, uint32_t lanes)
{
    fixture->state.vector.use_lane_flags = UINT32_MAX;
    fixture->state.vector.lane_flags = lanes;
}

static inline void set_lane_config(struct fixture *fixture, uint32_t value)
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        fixture->state.vector.lane_config[lane] = value;
    }
    vector_configure(&fixture->state.vector);
}

#define ASSERT_LREG(fixture, register_, expected)                                                                      \
    do {                                                                                                               \
        for (unsigned lane_ = 0; lane_ < SFPU_LANES; lane_++) {                                                        \
            assert_int_equal((fixture)->state.vector.lreg[register_][lane_], (uint32_t)(expected));                    \
        }                                                                                                              \
    } while (0)

/* Asserts `given` in the lanes of `lanes`, `kept` in the others. */
#define ASSERT_LREG_IN(fixture, register_, lanes, given, kept)                                                         \
    do {                                                                                                               \
        for (unsigned lane_ = 0; lane_ < SFPU_LANES; lane_++) {                                                        \
            assert_int_equal((fixture)->state.vector.lreg[register_][lane_],                                           \
                             (lanes) >> lane_ & 1 ? (uint32_t)(given) : (uint32_t)(kept));                             \
        }                                                                                                              \
    } while (0)

#endif
