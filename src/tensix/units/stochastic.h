/* The generators of random numbers behind stochastic rounding in the matrix unit and the packer. That there are
   generators, clients of one that PRNG_SEED seeds, and that soft reset resets them, is documented (ISA documentation
   BackendConfiguration.md, SoftReset.md; field descriptions of the vendor's kernel library); their sequence is not.
   Here each has a shift register of the vector unit's kind for each column, whose state follows from the seed alone: a
   program rounds the same way in every run, with any number of host threads.

   A result is rounded up, in magnitude, where the bits that it loses are no less than a random number of as many bits:
   the comparison that SFPSTOCHRND makes with 23 bits, with the bias upwards that the documentation finds in the packer
   in the same words. What loses no bits that are set is hence changed once in 2^23 times. */
#ifndef BHEMU_TENSIX_UNITS_STOCHASTIC_H
#define BHEMU_TENSIX_UNITS_STOCHASTIC_H

#include <stdint.h>

#include "debug/diagnostic.h"
#include "tensix/num/registers.h"

struct tensix;
struct tensix_state;

struct stochastic {
    uint32_t column[ROW_COLUMNS];
};

/* Seeds all generators of the coprocessor. After reset the seed is 0. */
void stochastic_seed(struct tensix_state *state, uint32_t seed);

/* Soft reset of the matrix unit; of the packer's connection to Dst. */
void stochastic_reset_matrix(struct tensix_state *state);
void stochastic_reset_gasket(struct tensix_state *state);

/* Draws numbers of STOCHASTIC_BITS (num/rounding.h) for `count` rows. */
void stochastic_draw(struct stochastic *generator, uint32_t numbers[][ROW_COLUMNS], unsigned count);

/* Warns, once, that random bits were used whose sequence is not known. */
enum step stochastic_warn(struct tensix *tensix);

#endif
