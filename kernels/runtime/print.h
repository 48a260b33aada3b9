/* printf() for kernels. It only hands over the address of the format, the arguments and the time, in about 40
   instructions; a host formats them (docs/print.md). Each core has a print buffer of its own in L1, which is part of
   its program: where printf() is not used, there is none.

       printf("tile %u: %f\n", tile, bf16_value(datum));

   Formats are those of C, but without %n. All that is no wider than 32 bits goes with %d, %u, %x and %c without an l,
   whatever C type it has; 64 bits go with %lld and the like. A text for %s is read when the host shows it: it has to
   stay as it is until then. If the buffer is full, printf() waits for the host; if there is no host that shows what is
   printed, messages for which there is no room are counted, and printf() never waits. */
#ifndef BHEMU_KERNELS_PRINT_H
#define BHEMU_KERNELS_PRINT_H

#include <stdint.h>

#include "layout.h"

enum print_constant {
#define PRINT_CONSTANT(name, value) PRINT_##name = (int)(value),
#include "print.def"
};

enum print_kind {
#define PRINT_KIND(name, words) PRINT_##name,
#include "print.def"
};

enum print_message_word {
#define PRINT_MESSAGE_WORD(name) PRINT_MESSAGE_##name,
#include "print.def"
    PRINT_MESSAGE_WORDS
};

struct print_buffer {
#define PRINT_WORD(name) uint32_t name;
#include "print.def"
    uint32_t messages[LAYOUT_PRINT_SIZE / 4 - 8];
};
_Static_assert(sizeof(struct print_buffer) == LAYOUT_PRINT_SIZE && LAYOUT_PRINT_SIZE == PRINT_size &&
                   LAYOUT_PRINT == PRINT_address && LAYOUT_PRINT_SEQUENCE == PRINT_sequence_word,
               "the layout and tables/print.def");

/* One for each program, whichever of its files include this one. */
__attribute__((weak, section(".print"))) volatile struct print_buffer print_buffer = {
    .magic = PRINT_magic,
    .more_magic = PRINT_more_magic,
    .words = sizeof print_buffer.messages / sizeof *print_buffer.messages,
};

/* The low half of the wall clock. A loop that reads it does not look like one that waits in vain. */
static inline uint32_t print_time(void)
{
    return *(volatile uint32_t *)0xffb121f0;
}

/* Counts the messages of all cores of the tile. Two that print in the same moment may get the same number. */
static inline uint32_t print_count(void)
{
    volatile uint32_t *sequence = (volatile uint32_t *)LAYOUT_PRINT_SEQUENCE;
    __asm__ volatile("fence" : : : "memory"); /* others have counted, too */
    uint32_t number = *sequence;
    *sequence = number + 1;
    return number;
}

/* Where a message of so many words may begin; -1: there is no room now. `read` may be old: then there is more room. */
static inline int print_place(uint32_t words)
{
    uint32_t written = print_buffer.written, read = print_buffer.read;
    if (written >= read) {
        if (written + words < sizeof print_buffer.messages / sizeof *print_buffer.messages) {
            return (int)written;
        }
        if (words < read) {
            print_buffer.messages[written] = (uint32_t)PRINT_wrap;
            return 0;
        }
        return -1;
    }
    return written + words < read ? (int)written : -1;
}

/* Where the message goes, whose first words are there already; null: nobody reads, and there is no room. */
static __attribute__((noinline, unused)) volatile uint32_t *print_begin(uint32_t head, uint32_t kinds,
                                                                        const char *format)
{
    int place;
    while ((place = print_place(head & 0xff)) < 0) {
        if (!print_buffer.drained) {
            print_buffer.lost++;
            return 0;
        }
        (void)print_time();
        __asm__ volatile("fence" : : : "memory"); /* `read` comes anew from L1 */
    }
    volatile uint32_t *message = &print_buffer.messages[place];
    message[PRINT_MESSAGE_head] = head;
    message[PRINT_MESSAGE_kinds] = kinds;
    message[PRINT_MESSAGE_format] = (uint32_t)(uintptr_t)format;
    message[PRINT_MESSAGE_time] = print_time();
    message[PRINT_MESSAGE_sequence] = print_count();
    return message;
}

/* Stores to L1 happen in their order: whoever sees this one sees the message. */
static inline void print_end(volatile uint32_t *message, uint32_t words)
{
    print_buffer.written = (uint32_t)(message - print_buffer.messages) + words;
}

/* Values of Tensix formats from their bits, for %f, %g and %e; nothing is computed. */
static inline float fp32_value(uint32_t bits)
{
    union {
        uint32_t bits;
        float value;
    } word = {bits};
    return word.value;
}

static inline float bf16_value(uint16_t bits)
{
    return fp32_value((uint32_t)bits << 16);
}

static inline uint32_t print_float_bits(float value)
{
    union {
        float value;
        uint32_t bits;
    } word = {value};
    return word.bits;
}

static inline uint64_t print_double_bits(double value)
{
    union {
        double value;
        uint64_t bits;
    } word = {value};
    return word.bits;
}

/* For the compiler to compare a format with its arguments; never called. */
__attribute__((format(printf, 1, 2))) void print_check(const char *format, ...);

/* PRINT_EACH(macro, ...): macro(number of arguments, how many are left, argument) for each argument. */
#define PRINT_COUNT(...) PRINT_THIRTEENTH(0, ##__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0)
#define PRINT_THIRTEENTH(z, a, b, c, d, e, f, g, h, i, j, k, l, count, ...) count
#define PRINT_EACH(macro, ...) PRINT_EACH_OF(PRINT_COUNT(__VA_ARGS__), macro, ##__VA_ARGS__)
#define PRINT_EACH_OF(count, macro, ...) PRINT_PASTE(PRINT_EACH_, count)(macro, count, ##__VA_ARGS__)
#define PRINT_PASTE(a, b) PRINT_PASTED(a, b)
#define PRINT_PASTED(a, b) a##b
#define PRINT_EACH_0(macro, count)
#define PRINT_EACH_1(macro, count, x) macro(count, 1, x)
#define PRINT_EACH_2(macro, count, x, ...) macro(count, 2, x) PRINT_EACH_1(macro, count, __VA_ARGS__)
#define PRINT_EACH_3(macro, count, x, ...) macro(count, 3, x) PRINT_EACH_2(macro, count, __VA_ARGS__)
#define PRINT_EACH_4(macro, count, x, ...) macro(count, 4, x) PRINT_EACH_3(macro, count, __VA_ARGS__)
#define PRINT_EACH_5(macro, count, x, ...) macro(count, 5, x) PRINT_EACH_4(macro, count, __VA_ARGS__)
#define PRINT_EACH_6(macro, count, x, ...) macro(count, 6, x) PRINT_EACH_5(macro, count, __VA_ARGS__)
#define PRINT_EACH_7(macro, count, x, ...) macro(count, 7, x) PRINT_EACH_6(macro, count, __VA_ARGS__)
#define PRINT_EACH_8(macro, count, x, ...) macro(count, 8, x) PRINT_EACH_7(macro, count, __VA_ARGS__)
#define PRINT_EACH_9(macro, count, x, ...) macro(count, 9, x) PRINT_EACH_8(macro, count, __VA_ARGS__)
#define PRINT_EACH_10(macro, count, x, ...) macro(count, 10, x) PRINT_EACH_9(macro, count, __VA_ARGS__)
#define PRINT_EACH_11(macro, count, x, ...) macro(count, 11, x) PRINT_EACH_10(macro, count, __VA_ARGS__)
#define PRINT_EACH_12(macro, count, x, ...) macro(count, 12, x) PRINT_EACH_11(macro, count, __VA_ARGS__)

#define PRINT_KIND_OF(x)                                                                                               \
    _Generic((x), float                                                                                                \
             : PRINT_FLOAT, double                                                                                     \
             : PRINT_DOUBLE, long long                                                                                 \
             : PRINT_LONG, unsigned long long                                                                          \
             : PRINT_LONG, default                                                                                     \
             : PRINT_WORD)
#define PRINT_IS_WIDE(x) (PRINT_KIND_OF(x) == PRINT_LONG || PRINT_KIND_OF(x) == PRINT_DOUBLE)
#define PRINT_FLOAT_OF(x) _Generic((x), float : (x), default : 0.0f)
#define PRINT_DOUBLE_OF(x) _Generic((x), double : (x), default : 0.0)
#define PRINT_LONG_OF(x) _Generic((x), long long : (x), unsigned long long : (x), default : 0)
#define PRINT_WORD_OF(x) _Generic((x), float : 0, double : 0, default : (x))
#define PRINT_BITS(x)                                                                                                  \
    (PRINT_KIND_OF(x) == PRINT_FLOAT    ? print_float_bits(PRINT_FLOAT_OF(x))                                          \
     : PRINT_KIND_OF(x) == PRINT_DOUBLE ? print_double_bits(PRINT_DOUBLE_OF(x))                                        \
     : PRINT_KIND_OF(x) == PRINT_LONG   ? (uint64_t)PRINT_LONG_OF(x)                                                   \
                                        : (uint32_t)PRINT_WORD_OF(x))

/* uint32_t is a long with some compilers, and an int with others. */
#define PRINT_AS_INT(x) _Generic((x), long : 0, unsigned long : 0u, default : (x))

#define PRINT_EVALUATE(count, left, x) __auto_type print_##left = (x);
#define PRINT_CHECK(count, left, x) , PRINT_AS_INT(print_##left)
#define PRINT_KINDS(count, left, x) | (uint32_t)PRINT_KIND_OF(print_##left) << 2 * ((count) - (left))
#define PRINT_WIDTH(count, left, x) +1 + PRINT_IS_WIDE(print_##left)
#define PRINT_PUT(count, left, x)                                                                                      \
    *print_next++ = (uint32_t)PRINT_BITS(print_##left);                                                                \
    if (PRINT_IS_WIDE(print_##left)) {                                                                                 \
        *print_next++ = (uint32_t)((uint64_t)PRINT_BITS(print_##left) >> 32);                                          \
    }

#define printf(format, ...)                                                                                            \
    ({                                                                                                                 \
        PRINT_EACH(PRINT_EVALUATE, ##__VA_ARGS__)                                                                      \
        if (0) {                                                                                                       \
            print_check(format PRINT_EACH(PRINT_CHECK, ##__VA_ARGS__));                                                \
        }                                                                                                              \
        enum { PRINT_MESSAGE_SIZE = PRINT_MESSAGE_WORDS PRINT_EACH(PRINT_WIDTH, ##__VA_ARGS__) };                      \
        volatile uint32_t *print_message =                                                                             \
            print_begin((uint32_t)(PRINT_head | PRINT_COUNT(__VA_ARGS__) << 8 | PRINT_MESSAGE_SIZE),                   \
                        0 PRINT_EACH(PRINT_KINDS, ##__VA_ARGS__), format);                                             \
        if (print_message) {                                                                                           \
            volatile uint32_t *print_next = print_message + PRINT_MESSAGE_WORDS;                                       \
            PRINT_EACH(PRINT_PUT, ##__VA_ARGS__)                                                                       \
            (void)print_next;                                                                                          \
            print_end(print_message, PRINT_MESSAGE_SIZE);                                                              \
        }                                                                                                              \
        (void)0;                                                                                                       \
    })

#endif
