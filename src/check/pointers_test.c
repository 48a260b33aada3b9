/* memcheck of pointers of cores: broken and kept. */
#include "check/memory_fixture.h"

static void a_loop_that_walks_into_the_next_buffer(void **context)
{
    struct test *test = *context;
    own_two_buffers(test);
    walk(test, BYTES);
    expect(test, "");
    walk(test, BYTES + 12);
    expect(test, "memcheck.buffer "); /* once */
    expect_text(test, "B reads 4 bytes at 0x30040, behind the end of input a (0x30000 to 0x3003f), by a pointer that "
                      "began there");
}

static void buffers_that_are_used_one_after_the_other(void **context)
{
    struct test *test = *context;
    own_two_buffers(test);
    for (unsigned i = 0; i < 2; i++) { /* the same loop, with another pointer */
        execute(test, lui(A0, i ? SECOND : FIRST));
        for (uint32_t at = 0; at < BYTES; at += 4) {
            use(test, 0x100, lw(A1, A0), (i ? SECOND : FIRST) + at);
            execute(test, addi(A0, A0, 4));
        }
    }
    execute(test, lui(A0, FIRST)); /* a pointer that is moved to the other buffer, for other instructions */
    use(test, 0x200, lw(A1, A0), FIRST + BYTES - 4);
    execute(test, addi(A0, A0, 64));
    use(test, 0x204, lw(A1, A0), SECOND + BYTES - 4);
    walk(test, 16); /* and one that jumps far ahead */
    execute(test, addi(A0, A0, 2032));
    use(test, 0x100, lw(A1, A0), FIRST + 0x1000);
    expect(test, "");
}

static void pointers_that_a_launch_gives(void **context)
{
    struct test *test = *context;
    own_described(test);
    use(test, 0x100, lw(A0, A1), DESCRIBED);
    use(test, 0x104, sw(A0, SP), LOCAL);
    execute(test, lui(A0, 0));
    use(test, 0x108, lw(A2, SP), LOCAL); /* through local RAM, */
    execute(test, add(A2, A2, A1));      /* and with an offset */
    use(test, 0x10c, sw(A1, A2), FIRST + BYTES - 4);
    expect(test, "");
    use(test, 0x110, sw(A1, A2), FIRST + BYTES); /* this instruction has not been in the buffer */
    expect(test, "memcheck.circular-buffer ");
    expect_text(test, "B writes 4 bytes at 0x30040, behind the end of circular buffer 0 (0x30000 to 0x3003f), by");
    use(test, 0x108, lw(A2, SP), LOCAL);
    use(test, 0x114, sw(A1, A2), FIRST - 4);
    expect(test, "memcheck.circular-buffer ");
    expect_text(test, "at 0x2fffc, before circular buffer 0 (");
    use(test, 0x108, lw(A2, SP), LOCAL);
    use(test, 0x118, sw(A1, A2), 0x50000);
    expect(test, "memcheck.buffer ");
    expect_text(test, "at 0x50000, behind the end of circular buffer 0 (0x30000 to 0x3003f) and of all others, by");
}

/* A pointer goes to an NIU: TARG_ADDR_LO of the second request initiator for a write, RET_ADDR_LO for a read. */
static void send_by_pointer(struct test *test, bool read, uint32_t address)
{
    enum { INITIATOR = 0xffb20800, TARGET = 0, BACK = 0xc, CMD_CTRL = 0x40 };
    access_by(test, BH_CORE_B, 0x600, sw(A0, A2), INITIATOR + (read ? BACK : TARGET), address);
    access_by(test, BH_CORE_B, 0x604, sw(A1, A2), INITIATOR + (read ? TARGET : BACK), 0x1000);
    access_by(test, BH_CORE_B, 0x608, sw(A1, A2), INITIATOR + CMD_CTRL, 1);
    request(test, (struct bh_noc){.request = read ? BH_NOC_READ : BH_NOC_WRITE,
                                  .from_x = read ? DRAM_X : X,
                                  .from_y = Y,
                                  .to_x = read ? X : DRAM_X,
                                  .to_y = Y,
                                  .from_address = read ? 0x1000 : address,
                                  .to_address = read ? address : 0x1000,
                                  .size = 32});
}

static void requests_by_pointers_that_a_launch_gives(void **context)
{
    for (unsigned read = 0; read < 2; read++, tear_down(context), set_up(context)) {
        struct test *test = *context;
        own_described(test);
        use(test, 0x100, lw(A0, A1), DESCRIBED);
        send_by_pointer(test, read, FIRST);
        send_by_pointer(test, read, FIRST + 32);
        expect(test, "");
        send_by_pointer(test, read, SECOND + 64); /* it lies in circular buffer 1 */
        expect(test, "memcheck.circular-buffer ");
        expect_text(test,
                    read ? "a request of B writes 32 bytes at 0x30080, behind the end of circular buffer 0 (0x30000"
                         : "a request of B reads 32 bytes at 0x30080, behind the end of circular buffer 0 (0x30000");
        use(test, 0x11c, lw(A0, A1), DESCRIBED + 16);
        send_by_pointer(test, read, SECOND + 64);
        execute(test, lui(A0, 0x50000));
        send_by_pointer(test, read, 0x50000); /* of another pointer */
        expect(test, "");
    }
}

static void pointers_that_are_forgotten(void **context)
{
    struct test *test = *context;
    own_described(test);
    use(test, 0x100, lw(A0, A1), DESCRIBED);
    use(test, 0x104, sw(A0, SP), LOCAL);
    execute(test, lui(A0, 0x50000)); /* another value */
    use(test, 0x108, sw(A1, A0), 0x50000);
    use(test, 0x104, sw(A1, SP), LOCAL);
    use(test, 0x10c, lw(A0, SP), LOCAL);
    use(test, 0x110, sw(A1, A0), 0x50000);
    use(test, 0x114, lw(A0, A1), DESCRIBED + 4); /* its size */
    use(test, 0x118, sw(A1, A0), 0x50000);
    use(test, 0x100, lw(A0, A1), DESCRIBED);
    use(test, 0x11c, lw(A2, A1), DESCRIBED + 16);
    execute(test, add(A0, A0, A2)); /* of two pointers */
    use(test, 0x120, sw(A1, A0), 0x50000);
    expect(test, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MEMORY_TEST(a_loop_that_walks_into_the_next_buffer),
        MEMORY_TEST(buffers_that_are_used_one_after_the_other),
        MEMORY_TEST(pointers_that_a_launch_gives),
        MEMORY_TEST(requests_by_pointers_that_a_launch_gives),
        MEMORY_TEST(pointers_that_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
