/* What SFPLOADMACRO has scheduled executes when a tile comes to rest, also at the end of a call of bh_run(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bhemu/device.h"
#include "chip/device_state.h"
#include "chip/rv32_words.h"
#include "chip/visitor.h"
#include "isa/tensix_isa.h"

enum { X = 1, Y = 2, CODE = 0x1000, CALLS = 40, LREG = 3, MODE_UINT16 = 6 };
enum { SLOT_TEMPLATE_0 = 4, SLOT_DELAY_SHAMT = 3, LONGEST_DELAY = 7 };
#define SFPLOADMACRO ((uint32_t)TENSIX_OPCODE_SFPLOADMACRO << 24 | LREG << 20 | MODE_UINT16 << 16)
#define SFPNOT ((uint32_t)TENSIX_OPCODE_SFPNOT << 24)

static uint32_t ttinsn(uint32_t word)
{
    return word << 2 | word >> 30;
}

/* Macro 0 inverts what it loads into LReg[3] - from Dst, of which all rows are zero -, seven cycles after the next one.
   Returns what that comes to, if the cycles pass in such calls of bh_run(). */
static uint32_t inverted(enum bh_mode mode, uint64_t in_calls_of)
{
    const uint32_t words[] = {ttinsn(SFPLOADMACRO), SELF_JUMP};
    const struct bh_device_config config = {.mode = mode};
    struct bh_device *device;
    struct bh_run_result result = {.reason = BH_RAN_CYCLES};
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    assert_int_equal(bh_write(device, X, Y, CODE, words, sizeof words), BH_OK);
    assert_int_equal(bh_core_start(device, X, Y, BH_CORE_T0, CODE), BH_OK);
    struct vector_unit *vector = NULL;
    for (unsigned i = 0; i < TENSIX_TILES && !vector; i++) {
        vector = device_tile(device, i) ? &device->tiles[i].state->tensix.vector : NULL;
    }
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        vector->load_macro.instruction_template[0][lane] = SFPNOT;
        vector->load_macro.sequence[0][lane] = SLOT_TEMPLATE_0 | LONGEST_DELAY << SLOT_DELAY_SHAMT;
    }
    for (unsigned call = 0; call < 4 * CALLS && result.reason == BH_RAN_CYCLES; call++) {
        assert_int_equal(bh_run(device, in_calls_of, &result), BH_OK);
    }
    assert_int_equal(result.reason, BH_RAN_IDLE);
    uint32_t value = vector->lreg[LREG][0];
    bh_device_destroy(device);
    return value;
}

static void it_executes_wherever_a_call_ends(void **context)
{
    for (enum bh_mode mode = BH_MODE_FUNCTIONAL; mode < BH_MODES; mode++) {
        for (uint64_t in_calls_of = 1; in_calls_of <= CALLS; in_calls_of++) {
            assert_int_equal(inverted(mode, in_calls_of), UINT32_MAX);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_executes_wherever_a_call_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
