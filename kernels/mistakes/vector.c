/* LRegs of the vector unit: what hardware does not wait for by itself. Each part stores its result to rows of its own
   of Dst, where the core reads it. */
#include "math.h"
#include "mistakes.h"

enum { X = 0, Y = 1, OTHER = 2, NEVER = 6, ONE = 10, BF16 = 2, VD_IS_MAX = 9, NO_FLAGS = 4, STAY = MATH_STAY };
enum { ONES = 0x3f80, TWOS = 0x4000, THREES = 0x4040, DST_BF16 = 3 };
enum { TEMPLATE_0 = 12, SEQUENCE_0 = 4, MISC = 8, IMMEDIATE = 1, SELECT_TEMPLATE_0 = 4 };

/* The first datum of a row. */
#define DST(row) (((volatile uint16_t *)0xffbd8000)[(row)*ROW_DATA])

static uint32_t dst_after_all(uint32_t row)
{
    tensix_wait_idle();
    return DST(row);
}

/* Macro 0: LReg = LReg + LReg[Y], by the multiplier in the cycle after the load. */
static void configure_macro(void)
{
    TTI_SFPADD(ONE, Y, X, TEMPLATE_0, 0);
    TTI_SFPLOADI(X, 10, SELECT_TEMPLATE_0 << 8);
    TTI_SFPLOADI(X, 8, 0);
    TTI_SFPCONFIG(0, SEQUENCE_0, 0);
    TTI_SFPCONFIG(0, MISC, IMMEDIATE);
}

void kernel_main(void)
{
    struct math math;
    math_configure(&math);
    CONFIG_MODIFY(RISC_DEST_ACCESS_CTRL_SEC1_fmt, DST_BF16);
    tensix_wait_idle();
    TTI_SFPENCC(3, 0, 0, 10);
    configure_macro();

    /* max(1 + 2, 0) */
    TTI_SFPLOADI(X, 0, ONES);
    TTI_SFPLOADI(Y, 0, TWOS);
    TTI_SFPLOADI(OTHER, 0, 0);
    TTI_SFPADD(ONE, X, Y, X, 0); /* first: swap_behind_add */
    UNLESS(swap_behind_add) TTI_SFPNOP;
    TTI_SFPSWAP(0, OTHER, X, VD_IS_MAX); /* second: swap_behind_add */
    TTI_SFPNOP;
    TTI_SFPSTORE(X, BF16, STAY, 0);

    /* The bits of 1 + 2, and of 0.5 */
    TTI_SFPLOADI(X, 0, ONES);
    TTI_SFPLOADI(OTHER, 0, 0);
    TTI_SFPADD(ONE, X, Y, X, 0); /* first: integer_add_behind_add */
    UNLESS(integer_add_behind_add) TTI_SFPNOP;
    TTI_SFPIADD(0, OTHER, X, NO_FLAGS); /* second: integer_add_behind_add */
    TTI_SFPSTORE(X, BF16, STAY, 4);

    /* 1 + what an LReg has */
    UNLESS(lreg_never_loaded) TTI_SFPLOADI(NEVER, 0, 0);
    TTI_SFPADD(ONE, ONE, NEVER, X, 0); /* first: lreg_never_loaded */
    TTI_SFPNOP;
    TTI_SFPSTORE(X, BF16, STAY, 8);

    /* What a macro has added */
    TTI_SFPLOADI(X, 0, ONES);
    TTI_SFPSTORE(X, BF16, STAY, 16);
    TTI_SFPNOP;
    TTI_SFPNOP;
    TTI_SFPLOADMACRO(X, BF16, STAY, 16); /* first: store_behind_macro */
    UNLESS(store_behind_macro) TTI_SFPNOP;
    UNLESS(store_behind_macro) TTI_SFPNOP;
    TTI_SFPSTORE(X, BF16, STAY, 12); /* second: store_behind_macro */

    /* An addition in the cycle in which the macro adds is lost */
    TTI_SFPLOADMACRO(X, BF16, STAY, 16); /* first: add_beside_macro */
    UNLESS(add_beside_macro) TTI_SFPNOP;
    TTI_SFPADD(ONE, Y, Y, OTHER, 0); /* second: add_beside_macro */
    TTI_SFPNOP;
    TTI_SFPNOP;
    TTI_SFPSTORE(OTHER, BF16, STAY, 20);

    /* The core reads what the vector unit has stored */
    TTI_SFPLOADI(X, 0, THREES);
    TTI_SFPNOP;
    TTI_SFPSTORE(X, BF16, STAY, 24); /* first: dst_read_by_core_too_early */
    UNLESS(dst_read_by_core_too_early) tensix_wait_idle();
    uint32_t read = DST(24); /* second: dst_read_by_core_too_early */

    /* The vector unit loads what the core has stored */
    tensix_wait_idle();
    DST(28) = TWOS; /* first: dst_not_stored_yet */
    UNLESS(dst_not_stored_yet) __asm__ volatile("andi x0, %0, 0" : : "r"(DST(28)));
    TTI_SFPLOAD(X, BF16, STAY, 28); /* second: dst_not_stored_yet */
    TTI_SFPNOP;
    TTI_SFPSTORE(X, BF16, STAY, 32);

    store_result(0, dst_after_all(0) | dst_after_all(4) << 16);
    store_result(1, dst_after_all(8) | dst_after_all(12) << 16);
    store_result(2, dst_after_all(20) | read << 16);
    store_result(3, dst_after_all(32));
}
