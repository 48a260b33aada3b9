#include "host/block_float.h"

#include <math.h>

static int bias_of(const struct block_float *format)
{
    return format->narrow ? 15 : 127;
}

static uint8_t largest_exponent(const struct block_float *format)
{
    return format->narrow ? 31 : 255;
}

static unsigned largest_magnitude(const struct block_float *format)
{
    return (1u << (format->bits - 1)) - 1;
}

/* The power of two that the last bit of a magnitude stands for. */
static int unit_of(const struct block_float *format, uint8_t exponent)
{
    return exponent - bias_of(format) - (format->bits - 2);
}

/* In units of 2^unit, to nearest, ties to even, at most `most`. */
static unsigned rounded(double value, int unit, unsigned most)
{
    double scaled = ldexp(fabs(value), -unit);
    if (!(scaled < most)) { /* NaN, too */
        return most;
    }
    unsigned whole = (unsigned)scaled;
    double rest = scaled - whole;
    return whole + (rest > 0.5 || (rest == 0.5 && whole % 2));
}

/* The exponent of the largest datum, within the range of the format. */
static uint8_t shared_exponent(const struct block_float *format, const double value[BLOCK_FLOAT_GROUP])
{
    int exponent = 0, largest = largest_exponent(format);
    for (unsigned i = 0; i < BLOCK_FLOAT_GROUP; i++) {
        int own = !isfinite(value[i]) ? largest : value[i] != 0 ? ilogb(value[i]) + bias_of(format) : 0;
        exponent = own > exponent ? own : exponent;
    }
    return (uint8_t)(exponent < largest ? exponent : largest);
}

void block_float_encode(const struct block_float *format, const double value[BLOCK_FLOAT_GROUP], uint8_t *exponent,
                        uint8_t data[BLOCK_FLOAT_GROUP])
{
    unsigned most = largest_magnitude(format);
    *exponent = shared_exponent(format, value);
    for (unsigned i = 0; i < BLOCK_FLOAT_GROUP; i++) {
        unsigned magnitude = rounded(value[i], unit_of(format, *exponent), most);
        data[i] = (uint8_t)(magnitude | (magnitude && signbit(value[i]) ? most + 1 : 0));
    }
}

void block_float_decode(const struct block_float *format, uint8_t exponent, const uint8_t data[BLOCK_FLOAT_GROUP],
                        double value[BLOCK_FLOAT_GROUP])
{
    unsigned most = largest_magnitude(format);
    for (unsigned i = 0; i < BLOCK_FLOAT_GROUP; i++) {
        unsigned magnitude = data[i] & most;
        double negative_zero = format->narrow ? -65536 : -INFINITY;
        double size = ldexp(magnitude, unit_of(format, exponent));
        value[i] = data[i] <= most ? size : magnitude ? -size : negative_zero;
    }
}
