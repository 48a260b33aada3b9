#include "tensix/units/stochastic.h"

#include "tensix/num/rounding.h"
#include "tensix/units/state.h"
#include "tensix/units/vector/prng.h"

enum client { MATRIX_UNIT, GASKET, PACKER };

/* Makes different numbers of neighbouring seeds, clients and columns (the finalizer of MurmurHash3). */
static uint32_t spread(uint32_t x)
{
    x = (x ^ x >> 16) * UINT32_C(0x85ebca6b);
    x = (x ^ x >> 13) * UINT32_C(0xc2b2ae35);
    return x ^ x >> 16;
}

static void seed_client(struct stochastic *generator, uint32_t seed, enum client client)
{
    for (unsigned i = 0; i < ROW_COLUMNS; i++) {
        uint32_t state = spread(spread(seed) + 1 + client * ROW_COLUMNS + i);
        generator->column[i] =
            state == UINT32_MAX ? 0 : state; /* the register would never leave the state of all ones */
    }
}

void stochastic_seed(struct tensix_state *state, uint32_t seed)
{
    seed_client(&state->matrix.random, seed, MATRIX_UNIT);
    seed_client(&state->pack.gasket_random, seed, GASKET);
    seed_client(&state->pack.random, seed, PACKER);
}

void stochastic_reset_matrix(struct tensix_state *state)
{
    seed_client(&state->matrix.random, 0, MATRIX_UNIT);
}

void stochastic_reset_gasket(struct tensix_state *state)
{
    seed_client(&state->pack.gasket_random, 0, GASKET);
}

/* Advances each shift register by STOCHASTIC_BITS for a number, so that all bits of it are new. */
void stochastic_draw(struct stochastic *generator, uint32_t numbers[][ROW_COLUMNS], unsigned count)
{
    for (unsigned row = 0; row < count; row++) {
        for (unsigned bit = 0; bit < STOCHASTIC_BITS; bit++) {
            for (unsigned column = 0; column < ROW_COLUMNS; column++) {
                generator->column[column] = vector_prng_step(generator->column[column]);
            }
        }
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            numbers[row][column] = generator->column[column] >> (32 - STOCHASTIC_BITS);
        }
    }
}

enum step stochastic_warn(struct tensix *tensix)
{
    return diagnose_once(tensix->diagnostics, BH_NON_CONTRACTUAL,
                         "stochastic rounding (ALU_ROUNDING_MODE_Fpu_srnd_en, Gasket_srnd_en, Packer_srnd_en): no "
                         "public document gives the sequence of random bits, so that what is rounded up here may be "
                         "rounded down on silicon, and the other way round");
}
