/* bench, every core: typical C code. A round is a checksum by bits, a sort, calls that return, numbers as text, a walk
   through a list, and an interpreter of byte codes. */
#include "bench/core.h"
#include "runtime/arguments.h"

#define NOINLINE __attribute__((noinline))

enum { SORTED = 16, CODES = 64, NODES = 64, NUMBERS = 8, CHECKED = 32 };

static volatile uint32_t result;
static uint32_t words[SORTED];
static uint8_t codes[CODES];
static char text[12];
static struct node {
    const struct node *next;
    uint32_t value;
} nodes[NODES];

static uint32_t next_random(uint32_t *state)
{
    return *state = *state * 1664525 + 1013904223;
}

static NOINLINE uint32_t checksum(uint32_t sum)
{
    for (uint32_t i = 0; i < CHECKED; i++) {
        sum ^= i;
        for (uint32_t bit = 0; bit < 8; bit++) {
            sum = sum & 1 ? sum >> 1 ^ 0xedb88320 : sum >> 1;
        }
    }
    return sum;
}

static NOINLINE void sort(uint32_t *random)
{
    for (uint32_t i = 0; i < SORTED; i++) {
        uint32_t word = next_random(random), at = i;
        for (; at && words[at - 1] > word; at--) {
            words[at] = words[at - 1];
        }
        words[at] = word;
    }
}

static NOINLINE uint32_t fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static NOINLINE uint32_t hash_of_decimal(uint32_t number)
{
    uint32_t length = 0, hash = 5381;
    do {
        text[length++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    while (length) {
        hash = hash * 33 ^ (uint8_t)text[--length];
    }
    return hash;
}

static NOINLINE uint32_t follow(const struct node *node)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        sum += node->value;
        node = node->next;
    }
    return sum;
}

static NOINLINE uint32_t interpret(uint32_t accumulator)
{
    uint32_t stack[4] = {1, 2, 3, 4}, top = 0;
    for (uint32_t at = 0; at < CODES; at++) {
        switch (codes[at] & 7) {
        case 0: accumulator += stack[top & 3]; break;
        case 1: stack[top & 3] = accumulator; break;
        case 2: top++; break;
        case 3: accumulator ^= stack[(top + 1) & 3]; break;
        case 4: accumulator = accumulator << 1 | accumulator >> 31; break;
        case 5: accumulator *= accumulator & 1 ? 3 : 5; break;
        case 6: accumulator -= stack[(top + 2) & 3]; break;
        default: stack[(top + 3) & 3] += accumulator; break;
        }
    }
    return accumulator;
}

void kernel_main(void)
{
    uint32_t rounds = arguments()->rows, random = 99 + bench_core, sum = 0;
    for (uint32_t i = 0; i < CODES; i++) {
        codes[i] = (uint8_t)(next_random(&random) >> 24);
    }
    for (uint32_t i = 0; i < NODES; i++) {
        nodes[i] = (struct node){&nodes[(i * 37 + 13) % NODES], i};
    }
    for (uint32_t round = 0; round < rounds; round++) {
        sum = checksum(sum);
        sort(&random);
        sum += fibonacci(7) + follow(nodes);
        for (uint32_t i = 0; i < NUMBERS; i++) {
            sum ^= hash_of_decimal(next_random(&random));
        }
        sum += interpret(sum);
    }
    result = sum;
}
