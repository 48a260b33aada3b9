/* Cores and threads of a tile run side by side while a thread has an instruction: who keeps a margin of time, instead
   of waiting, comes to the same however often the host looks at the tile, or writes to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bhemu/device.h"
#include "chip/device_state.h"
#include "chip/rv32_words.h"
#include "isa/tensix_isa.h"
#include "noc/coordinates.h"
#include "util/xorshift.h"

enum { PROGRAM = 0x4000, STRIDE = 0x2000, PROGRAM_WORDS = 0x700, SHARED = 0x20000, POKED = 0x21000 };
enum { LONGEST = 2000000, FACES = 100, COMPUTED = 178, RANDOM_PROGRAMS = 40, ROUNDS = 20, MOST_POSTS = 14 };
enum { VALUE = 10, FOUND = 11, COUNT = 12, OUT = 18, SUM = 19 };

static const unsigned looks[] = {1, 50, 200, 500, 5000};

struct program {
    uint32_t word[PROGRAM_WORDS];
    unsigned count;
    uint32_t sum; /* that it is to come to */
};

static void put(struct program *program, uint32_t word)
{
    assert_true(program->count < PROGRAM_WORDS);
    program->word[program->count++] = word;
}

static void put_tensix(struct program *program, uint32_t opcode, uint32_t fields)
{
    uint32_t word = opcode << 24 | fields;
    put(program, word << 2 | word >> 30); /* .ttinsn */
}

static void put_constant(struct program *program, unsigned rd, uint32_t value)
{
    put(program, lui(rd, value + 0x800));
    put(program, addi(rd, rd, (int32_t)(value << 20) >> 20));
}

/* So many cycles, about: two instructions a round. */
static void put_wait(struct program *program, unsigned cycles)
{
    put_constant(program, COUNT, cycles / 2);
    put(program, addi(COUNT, COUNT, -1));
    put(program, bne(COUNT, 0, -4));
}

static void start(struct bh_device *device, unsigned core, struct program *program)
{
    unsigned x, y;
    uint32_t pc = PROGRAM + core * STRIDE;
    put(program, SELF_JUMP);
    tensix_coordinates(0, &x, &y);
    assert_int_equal(bh_write(device, x, y, pc, program->word, program->count * 4), BH_OK);
    assert_int_equal(bh_core_start(device, x, y, core, pc), BH_OK);
}

/* Passes time, and looks after every so many cycles, until nothing runs any more; pokes: writes then, too, which makes
   other quanta. */
static void run(struct bh_device *device, unsigned cycles, bool pokes)
{
    unsigned x, y;
    uint32_t word;
    tensix_coordinates(0, &x, &y);
    for (uint64_t passed = 0; passed < LONGEST; passed += cycles) {
        if (bh_advance(device, cycles) != BH_RAN_CYCLES) {
            return;
        }
        assert_int_equal(bh_read(device, x, y, SHARED, &word, sizeof word), BH_OK);
        if (pokes) {
            assert_int_equal(bh_write(device, x, y, POKED, &word, sizeof word), BH_OK);
        }
    }
}

/* A thread that gives bank after bank of SrcA to the matrix unit, when it has one, and one that computes for a while
   for each and then gives it back, without waiting for it: the first is fast enough. */

static void put_unpack(struct program *program)
{
    enum { STALL_TDMA = 1, SRCA_CLR = 0x20 };
    for (unsigned face = 0; face < FACES; face++) {
        put_tensix(program, TENSIX_OPCODE_STALLWAIT, STALL_TDMA << 15 | SRCA_CLR);
        put_tensix(program, TENSIX_OPCODE_SETDVALID, 1);
    }
}

/* As many instructions as a thread can pass in a row, with few pushes. */
static void put_compute(struct program *program)
{
    enum { REPLAYED = 30, LOAD = 1 };
    put_tensix(program, TENSIX_OPCODE_REPLAY, REPLAYED << 4 | LOAD);
    for (unsigned i = 0; i < REPLAYED; i++) {
        put_tensix(program, TENSIX_OPCODE_INCRWC, 0);
    }
    for (unsigned face = 0; face < FACES; face++) {
        for (unsigned left = COMPUTED; left;) {
            unsigned now = left < REPLAYED ? left : REPLAYED;
            put_tensix(program, TENSIX_OPCODE_REPLAY, now << 4);
            left -= now;
        }
        put_tensix(program, TENSIX_OPCODE_CLEARDVALID, 1 << 22);
    }
}

static void margins_of_threads_are_kept(void **context)
{
    (void)context;
    for (unsigned i = 0; i < 2 * sizeof looks / sizeof *looks; i++) {
        static struct program unpack, compute;
        struct bh_device *device;
        unpack.count = compute.count = 0;
        put_unpack(&unpack);
        put_compute(&compute);
        assert_int_equal(bh_device_create(NULL, &device), BH_OK);
        start(device, BH_CORE_T0, &unpack);
        start(device, BH_CORE_T1, &compute);
        run(device, looks[i / 2], i % 2);
        const struct tensix_state *tensix = &device->states[0].tensix;
        if (!tensix_idle(tensix) || device->states[0].diagnostics.count) {
            fail_msg("hangs when the host looks every %u clocks", looks[i / 2]);
        }
        assert_int_equal(tensix->frontend[1].passed, FACES * (COMPUTED + 1));
        assert_int_equal(tensix->srca.owner[0], SRC_UNPACKERS);
        assert_int_equal(tensix->srca.owner[1], SRC_UNPACKERS);
        bh_device_destroy(device);
    }
}

/* Random programs: in each round one core changes a word of L1 or a semaphore, and the others look at it well before or
   after that. Thread T2 has an instruction all the time, which waits. */

static uint64_t random_state;

static uint32_t below(uint32_t limit)
{
    return xorshift64_word(&random_state) % limit;
}

enum { ROUND = 300, BEFORE = 100, AFTER = 250, ACTS_AT = 170, SEMAPHORES_AT = (int32_t)0xFFE80020 };

/* An instruction that waits for semaphore 1 comes to stand at the gate of core T2's thread; and goes on. */
static void put_waiting_instruction(struct program *program)
{
    enum { ALL_CLASSES = 0x1ff, WHILE_ZERO = 1 };
    put_tensix(program, TENSIX_OPCODE_SEMWAIT, ALL_CLASSES << 15 | 1u << 3 | WHILE_ZERO);
    put_tensix(program, TENSIX_OPCODE_INCRWC, 0);
}

static void put_release(struct program *program)
{
    put_constant(program, FOUND, SEMAPHORES_AT + 4);
    put(program, sw(0, FOUND, 0)); /* posts it */
}

/* Waits until a round begins, by the clock; or a time in it. */
static void put_until(struct program *program, unsigned time)
{
    put_constant(program, FOUND, 0xFFB121F0);
    put_constant(program, VALUE, time);
    put(program, lw(COUNT, FOUND, 0));
    put(program, (bne(COUNT, VALUE, -4) & ~(7u << 12)) | 6 << 12); /* bltu */
}

static void put_act(struct program *program, unsigned round, bool semaphore)
{
    put_constant(program, FOUND, SHARED + 4 * round);
    if (semaphore) {
        put_tensix(program, TENSIX_OPCODE_SEMPOST, 1u << 2);
    } else {
        put_constant(program, VALUE, 1 + round);
        put(program, sw(VALUE, FOUND, 0));
    }
}

/* A core looks, when it is to see `value`. */
static void put_look(struct program *program, unsigned round, bool semaphore, uint32_t value)
{
    put_constant(program, FOUND, semaphore ? (uint32_t)SEMAPHORES_AT : SHARED + 4 * round);
    put(program, lw(VALUE, FOUND, 0));
    put(program, SUM << 15 | 5 << 20 | 1 << 12 | SUM << 7 | 0x13); /* slli: sum <<= 5 */
    put(program, VALUE << 20 | SUM << 15 | SUM << 7 | 0x33);       /* sum += value */
    program->sum = (program->sum << 5) + value;
}

/* What T0 to T2 do; digests of what they see come to lie behind the words that they share. */
static void make_programs(struct program programs[3], uint64_t seed)
{
    uint32_t posted = 0;
    random_state = seed * 0x9E3779B97F4A7C15u;
    for (unsigned i = 0; i < 3; i++) {
        programs[i].count = 0;
        programs[i].sum = i;
        put_constant(&programs[i], SUM, i);
    }
    put_tensix(&programs[0], TENSIX_OPCODE_SEMINIT, 15u << 20 | 1u << 2);
    put_waiting_instruction(&programs[2]);
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned actor = below(3), begin = 2000 + round * ROUND;
        bool semaphore = actor != 2 && below(2) && posted < MOST_POSTS;
        uint32_t before = semaphore ? posted : 0, after = semaphore ? ++posted : 1 + round;
        for (unsigned i = 0; i < 3; i++) {
            if (i == actor) {
                put_until(&programs[i], begin + ACTS_AT);
                put_act(&programs[i], round, semaphore);
            } else if (below(2)) {
                put_until(&programs[i], begin + BEFORE - below(60));
                put_look(&programs[i], round, semaphore, before);
                put_wait(&programs[i], AFTER - BEFORE + below(60));
                put_look(&programs[i], round, semaphore, after);
            } else {
                put_until(&programs[i], begin + AFTER + below(40));
                put_look(&programs[i], round, semaphore, after);
            }
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        put_constant(&programs[i], OUT, SHARED + 4 * (ROUNDS + i));
        put(&programs[i], sw(SUM, OUT, 0));
    }
    put_release(&programs[2]);
}

static void what_comes_well_before_or_after_is_seen_so(void **context)
{
    static struct program programs[3];
    uint32_t seen[3];
    unsigned x, y;
    (void)context;
    tensix_coordinates(0, &x, &y);
    for (unsigned i = 0; i < 2 * RANDOM_PROGRAMS * sizeof looks / sizeof *looks; i++) {
        unsigned seed = 1 + i / 2 / (sizeof looks / sizeof *looks),
                 look = looks[i / 2 % (sizeof looks / sizeof *looks)];
        struct bh_device *device;
        assert_int_equal(bh_device_create(NULL, &device), BH_OK);
        make_programs(programs, seed);
        for (unsigned core = 0; core < 3; core++) {
            start(device, BH_CORE_T0 + core, &programs[core]);
        }
        run(device, look, i % 2);
        assert_int_equal(bh_read(device, x, y, SHARED + 4 * ROUNDS, seen, sizeof seen), BH_OK);
        assert_int_equal(device->states[0].diagnostics.count, 0);
        assert_int_equal(device->states[0].tensix.frontend[2].passed, 2);
        for (unsigned core = 0; core < 3; core++) {
            if (seen[core] != programs[core].sum) {
                fail_msg("core T%u of programs %u sees something else when the host looks every %u clocks", core, seed,
                         look);
            }
        }
        bh_device_destroy(device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(margins_of_threads_are_kept),
        cmocka_unit_test(what_comes_well_before_or_after_is_seen_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
