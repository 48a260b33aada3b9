/* Runs an instruction of the vector unit on very many operands, on the emulator and on the model: their results must
   agree, and the digest of the results must be the recorded one. For exhaustive_test.c and exhaustive_all.c. */
#ifndef BHEMU_TESTS_SFPU_EXHAUSTIVE_H
#define BHEMU_TESTS_SFPU_EXHAUSTIVE_H

#include "cases.h"
#include "model_execute.h"
#include "tensix/num/clones.h"
#include "tensix/units/vector/fixture.h"

struct exhaustive_case {
    uint32_t word, then; /* then: executes after it, unless 0 */
    uint64_t sample, all;
};

#define EXHAUSTIVE_CASE(word, then, sample, all) {word, then, UINT64_C(sample), UINT64_C(all)},
static const struct exhaustive_case exhaustive_cases[] = {CASES_OF_TTSIM(EXHAUSTIVE_CASE)
                                                              CASES_OF_THE_MODEL(EXHAUSTIVE_CASE)};
enum { EXHAUSTIVE_CASES = sizeof exhaustive_cases / sizeof *exhaustive_cases };

/* The operands first, first + stride, ... modulo 2^32; a multiple of 32 of them. */
struct exhaustive_operands {
    uint32_t first, stride, count;
};

/* All operands are 2^8 spans of 2^24; the sample goes once round, in odd steps. */
enum { EXHAUSTIVE_SPANS = 256, EXHAUSTIVE_SPAN = 1 << 24, EXHAUSTIVE_SAMPLE = 1 << 18, EXHAUSTIVE_STRIDE = 16387 };

/* The emulator, the model, and the digests so far. */
struct exhaustive {
    struct fixture *fixture;
    struct model model;
    uint32_t x_digest[SFPU_LANES], d_digest[SFPU_LANES];
    uint64_t flags_digest;
};

static inline uint64_t exhaustive_mix(uint64_t digest, uint64_t word)
{
    digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 29;
}

/* Every change of one word changes `digests`. */
STATIC_CLONES(void, exhaustive_mix_lanes, (uint32_t * digests, const uint32_t *words), (digests, words))
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t digest = (digests[lane] ^ words[lane]) * 0x9e3779b1;
        digests[lane] = digest ^ digest >> 15;
    }
}

/* The state in which every case begins. The LRegs serve as factors, tables for SFPLUT and SFPLUTFP32, and shift
   amounts; LReg[7], until it is written, selects itself for indirect destinations. */
static inline void exhaustive_begin(struct exhaustive *run, uint32_t prng_seed)
{
    static const uint32_t lregs[8] = {0x3e2d4c91, 0xbd9a3f17, 0x3f4415e8, 0, 0x3c5a7bf8, 0xbe11d26f, 0x3d8ff2a4};
    struct vector_unit *vector = &run->fixture->state.vector;
    vector_reset(vector);
    vector->use_lane_flags = UINT32_MAX;
    memset(run->x_digest, 0, sizeof run->x_digest);
    memset(run->d_digest, 0, sizeof run->d_digest);
    run->flags_digest = 0;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        for (unsigned i = 0; i < 8; i++) {
            vector->lreg[i][lane] = lregs[i];
        }
        vector->prng[lane] = (prng_seed * SFPU_LANES + lane + 1) * 0x9e3779b1;
        run->model.use_flag[lane] = true;
    }
    memcpy(run->model.lreg, vector->lreg, sizeof run->model.lreg);
    memcpy(run->model.prng, vector->prng, sizeof run->model.prng);
}

static inline void exhaustive_execute(struct exhaustive *run, uint32_t word)
{
    enum { THREAD = 1 };
    if (word) {
        tensix_execute(&run->fixture->tensix, THREAD, word, 0);
        model_execute(&run->model, word);
    }
}

static inline bool exhaustive_equal(const struct exhaustive *run)
{
    const struct vector_unit *vector = &run->fixture->state.vector;
    uint32_t flags = 0;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        flags |= (uint32_t)run->model.flag[lane] << lane;
    }
    return memcmp(vector->lreg[X], run->model.lreg[X], sizeof vector->lreg[X]) == 0 &&
           memcmp(vector->lreg[D], run->model.lreg[D], sizeof vector->lreg[D]) == 0 && vector->lane_flags == flags;
}

/* Executes the case on 32 operands from `x` on. False where the model computes something else. */
static inline bool exhaustive_step(struct exhaustive *run, const struct exhaustive_case *test, uint32_t x,
                                   uint32_t stride)
{
    enum { DESTINATION = 0x3fc90fd7 };
    struct vector_unit *vector = &run->fixture->state.vector;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        vector->lreg[X][lane] = run->model.lreg[X][lane] = x + stride * lane;
        vector->lreg[D][lane] = run->model.lreg[D][lane] = DESTINATION;
    }
    vector->lane_flags = UINT32_MAX;
    memset(run->model.flag, 1, sizeof run->model.flag);
    exhaustive_execute(run, test->word);
    exhaustive_execute(run, test->then);
    exhaustive_mix_lanes(run->x_digest, vector->lreg[X]);
    exhaustive_mix_lanes(run->d_digest, vector->lreg[D]);
    run->flags_digest = exhaustive_mix(run->flags_digest, vector->lane_flags);
    return exhaustive_equal(run);
}

/* Computes the digest of a case on these operands. Returns the number of operands executed: fewer than requested if
   the emulator and the model differ. */
static inline uint32_t exhaustive_digest(struct exhaustive *run, const struct exhaustive_case *test,
                                         struct exhaustive_operands operands, uint64_t *digest)
{
    exhaustive_begin(run, operands.first / EXHAUSTIVE_SPAN);
    for (uint32_t done = 0; done < operands.count; done += SFPU_LANES) {
        if (!exhaustive_step(run, test, operands.first + operands.stride * done, operands.stride)) {
            return done;
        }
    }
    *digest = run->flags_digest;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        *digest = exhaustive_mix(*digest, (uint64_t)run->x_digest[lane] << 32 | run->d_digest[lane]);
    }
    return operands.count;
}

/* An emulator without warnings, so that results outside of the contract are computed, too. */
static inline struct exhaustive *exhaustive_create(void)
{
    struct exhaustive *run = calloc(1, sizeof *run);
    void *fixture = NULL;
    if (!run || fixture_setup(&fixture) != 0) {
        abort();
    }
    run->fixture = fixture;
    run->fixture->diagnostics.policy[BH_NON_CONTRACTUAL] = BH_IGNORE;
    memset(run->fixture->state.dst.valid, 1, sizeof run->fixture->state.dst.valid);
    return run;
}

static inline void exhaustive_destroy(struct exhaustive *run)
{
    void *fixture = run->fixture;
    fixture_teardown(&fixture);
    free(run);
}

#endif
